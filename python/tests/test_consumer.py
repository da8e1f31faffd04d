"""Consuming records of tracepoints with formats."""

from __future__ import annotations

import errno
import subprocess
from pathlib import Path

import pytest
from conftest import Run

import lookback

PROGRAM = """
#include <lookback.h>
int main(void)
{
    for (int number = 0; number < 5; number++)
        DO_TRACE(counted, "%d is %s", number, "it");
    return 0;
}
"""


def test_records_are_consumed(session: lookback.Session, run: Run, tmp_path: Path, include: Path) -> None:
    (tmp_path / "program.c").write_text(PROGRAM)
    compiled = ["cc", "-I", str(include), "-o", str(tmp_path / "program"), str(tmp_path / "program.c")]
    subprocess.run(compiled, check=True)
    session.enable("ktrace:*")
    run("run", "--", "taskset", "-c", "0", str(tmp_path / "program"))
    with lookback.Consumer(tmp_path / "session") as consumer:
        assert consumer.poll(10)
        records = list(consumer)
        assert [record.data for record in records] == [
            number.to_bytes(4, "little") + b"it\0" for number in range(5)
        ]
        assert {consumer.format(record.id) for record in records} == {"%d is %s"}
        assert consumer.format(1) is None
        with pytest.raises(lookback.Error) as raised:
            lookback.Consumer(tmp_path / "session")
        assert raised.value.errno == errno.EBUSY
        assert consumer.consume() <= records[0].number
        assert not consumer.poll(0.01) and list(consumer) == []
    with pytest.raises(lookback.Error) as raised:
        lookback.Consumer(tmp_path / "session", 9999)
    assert raised.value.errno == errno.ENXIO
