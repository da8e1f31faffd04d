"""Reading trace.dat files, as objects and in columns."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import pytest
from conftest import Run

import lookback

OPENED = ["open_exit", "openat_exit"]
"""What cat may open files by."""


def test_events_are_objects(trace: Path, run: Run) -> None:
    with lookback.open(trace, filters=["libc:*_exit: error == ENOENT"]) as reader:
        found = [event for event in reader if event.get("pathname") == "nowhere"]
    (event,) = found
    assert event.system == "libc" and event.name in OPENED and event.comm == "cat"
    assert event["ret"] == -1 and event["error"] == errno.ENOENT
    assert event.pid == event.tid > 0 and event.cpu >= 0 and event.lost == 0
    assert "ret" in event and "nothing" not in event and event.get("nothing", 7) == 7
    assert list(event) == list(event.fields) and event.fields["pathname"] == "nowhere"
    assert event["common_pid"] == event.tid and "common_pid" not in event.fields
    assert event.type.fields["ret"].type == "int"
    with pytest.raises(KeyError):
        event["nothing"]
    seconds, microseconds = divmod(round(event.time / 1000), 10**6)
    (line,) = run("report", "-F", f'{event.name}: pathname == "nowhere"').splitlines()[-1:]
    assert f" {seconds}.{microseconds:06}: {event.name}: ret=-1 " in line
    assert f"{event.name}: " in repr(event) and "pathname='nowhere'" in repr(event)


def test_all_events_come_in_the_order_of_time(trace: Path, run: Run) -> None:
    lines = [line for line in run("report").splitlines() if not line.startswith("#")]
    with lookback.open(trace) as reader:
        assert reader.has_nanoseconds
        events = list(reader)
        assert list(reader) == []
    assert [event.name for event in events] == [line.split(": ")[1].strip() for line in lines]
    assert all(one.time <= next.time for one, next in zip(events, events[1:]))
    # What was given stays when the reader is closed.
    assert events[-1].fields and events[-1].data[:2] == events[-1].type.id.to_bytes(2, "little")


def test_what_is_chosen_is_read_alone(trace: Path) -> None:
    with lookback.open(trace, events=["read", "close"]) as reader:
        assert {event.name for event in reader} == {"read", "close"}
    with pytest.raises(lookback.Error, match="knows no event called opemat") as raised:
        lookback.open(trace, events=["opemat"])
    assert raised.value.errno == errno.EINVAL
    with pytest.raises(lookback.Error):
        lookback.open(trace, filters=["openat: nonsense"])


def test_columns_are_those_of_the_objects(trace: Path) -> None:
    with lookback.open(trace, events=["libc:*_exit"]) as reader:
        events = list(reader)
    with lookback.open(trace, events=["libc:*_exit"]) as reader:
        table = reader.to_arrow("ret", "pathname", "nothing")
    assert table.column_names == "time cpu pid tid comm event lost ret pathname nothing".split()
    for column, values in {
        "time": [event.time for event in events],
        "cpu": [event.cpu for event in events],
        "pid": [event.pid for event in events],
        "comm": [event.comm for event in events],
        "event": [f"{event.system}:{event.name}" for event in events],
        "lost": [event.lost for event in events],
        "pathname": [event.get("pathname") for event in events],
        "nothing": [None] * len(events),
    }.items():
        assert table.column(column).to_pylist() == values, column
    # Fields of other types than the first have no values.
    numbers = [event.get("ret") for event in events]
    found = table.column("ret").to_pylist()
    assert all(one == other for one, other in zip(found, numbers) if one is not None)
    assert found.count(None) < len(events) and -1 in found


def test_pandas_counts_calls(trace: Path) -> None:
    with lookback.open(trace, events=OPENED) as reader:
        frame = reader.to_pandas("ret", "error")
    assert set(frame["event"]) <= {f"libc:{name}" for name in OPENED} and str(frame["time"].dtype) == "uint64"
    failed = frame[frame["ret"] < 0]
    assert len(failed) >= 1 and set(failed["error"]) == {errno.ENOENT}


def test_no_events_are_a_table_without_rows(trace: Path) -> None:
    with lookback.open(trace, filters=["openat_exit: ret == 12345"]) as reader:
        table = reader.to_arrow("ret")
    assert table.num_rows == 0 and "ret" in table.column_names


def test_what_is_no_trace_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no trace")
    with pytest.raises(lookback.Error) as raised:
        lookback.open(tmp_path / "text")
    assert raised.value.errno == errno.EPROTO
    with pytest.raises(lookback.Error) as raised:
        lookback.open(tmp_path / "missing")
    assert raised.value.errno == errno.ENOENT
    with pytest.raises(ValueError, match="followed"):
        lookback.open(tmp_path / "text", follow=True)


def test_a_closed_reader_says_so(trace: Path) -> None:
    reader = lookback.open(trace)
    reader.close()
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        next(iter(reader))


def test_damage_comes_after_what_is_before_it(run: Run, tmp_path: Path) -> None:
    program = "import os; fd = os.open('/dev/null', os.O_WRONLY); [os.write(fd, b'x') for _ in range(200000)]"
    run("record", "-q", "-b", "32768", "--compress", "--", sys.executable, "-c", program)
    trace = bytearray((tmp_path / "trace.dat").read_bytes())
    middle = len(trace) // 2
    # So much that it can't be taken for anything else.
    for at in range(middle, middle + 4096):
        trace[at] ^= 0x5A
    (tmp_path / "damaged.dat").write_bytes(trace)
    found = []
    with lookback.open(tmp_path / "damaged.dat") as reader:
        with pytest.raises(lookback.Error) as raised:
            for event in reader:
                found.append(event)
        # What other CPUs have is read all the same.
        rest = list(reader)
    assert raised.value.errno == errno.EPROTO and len(found) > 1000
    assert len(found) + len(rest) < 400_000
    with lookback.open(tmp_path / "damaged.dat") as reader, pytest.raises(lookback.Error):
        reader.to_arrow()
