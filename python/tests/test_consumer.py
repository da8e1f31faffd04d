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
    static const int lens[] = {0, 1, 239, 240, 256, 1000, 4047, 4048};
    static char text[4049];

    for (int number = 0; number < 5; number++)
        DO_TRACE(counted, "%d is %s", number, "it");
    for (int at = 0; at < 8; at++) {
        memset(text, 'x', lens[at]);
        text[lens[at]] = 0;
        DO_TRACE(texts, "%s", text);
    }
    return 0;
}
"""


def test_records_are_consumed(session: lookback.Session, run: Run, tmp_path: Path, include: Path) -> None:
    (tmp_path / "program.c").write_text(PROGRAM)
    compiled = ["cc", "-I", str(include), "-o", str(tmp_path / "program"), str(tmp_path / "program.c")]
    subprocess.run(compiled, check=True)
    session.enable("ktrace:*")
    run("run", "--", "taskset", "-c", "0", str(tmp_path / "program"))
    with lookback.open(tmp_path / "session") as reader:
        fields = [str(event["arg1"]) for event in reader if event.name == "texts"]
    assert [len(text) for text in fields] == [0, 1, 239, 240, 256, 1000, 4047, 4047]
    assert fields[-1] == "x" * 4044 + "..."
    with lookback.Consumer(tmp_path / "session") as consumer:
        assert consumer.poll(10)
        records = list(consumer)
        assert [record.data for record in records[:5]] == [
            number.to_bytes(4, "little") + b"it\0" for number in range(5)
        ]
        texts = [b"x" * length for length in (0, 1, 239, 240, 256, 1000, 4047)] + [b"x" * 4044 + b"..."]
        assert [record.data for record in records[5:]] == [text + b"\0" for text in texts]
        assert {consumer.format(record.id) for record in records} == {"%d is %s", "%s"}
        assert consumer.format(1) is None
        with pytest.raises(lookback.Error) as raised:
            lookback.Consumer(tmp_path / "session")
        assert raised.value.errno == errno.EBUSY
        assert consumer.consume() <= records[0].number
        assert not consumer.poll(0.01) and list(consumer) == []
    with pytest.raises(lookback.Error) as raised:
        lookback.Consumer(tmp_path / "session", 9999)
    assert raised.value.errno == errno.ENXIO
