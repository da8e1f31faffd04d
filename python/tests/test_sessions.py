"""Controlling sessions, and reading them."""

from __future__ import annotations

import errno
import threading
import time
from pathlib import Path

import pytest
from conftest import Run

import lookback


def texts(events: list[lookback.Event]) -> list[str]:
    return [str(event["buf"]).rstrip("\n") for event in events if event.name == "print"]


def test_events_are_enabled_and_disabled(session: lookback.Session, run: Run) -> None:
    assert session.enable("libc:open*") >= 4
    assert session.read("events/libc/openat/enable") == "1\n"
    run("run", "--", "cat", "/nowhere", status=1)
    (found,) = [event for event in session.reader() if event.get("pathname") == "/nowhere"]
    assert (found["ret"], found.comm) == (-1, "cat") and found.name.endswith("_exit")
    assert session.disable("libc:open*") >= 4
    assert session.read("events/libc/openat/enable") == "0\n"
    with pytest.raises(lookback.Error, match="no event is called libc:opemat") as raised:
        session.enable("libc:opemat")
    assert raised.value.errno == errno.EINVAL


def test_a_snapshot_keeps_what_was_there(session: lookback.Session) -> None:
    session.mark("before")
    number = session.snapshot()
    assert session.snapshots == [number]
    session.mark("after")
    assert texts(list(session.reader())) == ["after"]
    for kept in (number, True):
        assert texts(list(session.reader(snapshot=kept))) == ["before"]
    with pytest.raises(lookback.Error) as raised:
        session.reader(snapshot="77")
    assert raised.value.errno == errno.ENOENT


def test_files_of_the_tree_are_read_and_written(session: lookback.Session) -> None:
    session.write("tracing_on", "0")
    assert session.read("tracing_on") == "0\n"
    with pytest.raises(lookback.Error) as raised:
        session.mark("nobody records it")
    assert raised.value.errno == errno.EBADF
    with pytest.raises(lookback.Error) as raised:
        session.write("tracing_on", "x")
    assert raised.value.errno == errno.EINVAL
    with pytest.raises(lookback.Error) as raised:
        session.read("no such file")
    assert raised.value.errno == errno.ENOENT
    assert session.read("ktrace/info").startswith("version 1.0.0\n")


def test_what_comes_is_followed(session: lookback.Session, tmp_path: Path) -> None:
    def write() -> None:
        with lookback.Session(tmp_path / "session") as other:
            for number in range(20):
                other.mark(f"number {number}")
                time.sleep(0.001)
            other.mark("end")

    writer = threading.Thread(target=write)
    with session.reader(follow=True) as reader:
        assert reader.poll() == []
        with pytest.raises(lookback.Error) as raised:
            session.reader(follow=True)
        assert raised.value.errno == errno.EBUSY
        writer.start()
        found = []
        for event in reader:
            found.append(event)
            if event["buf"] == "end\n":
                break
    writer.join()
    assert texts(found) == [f"number {number}" for number in range(20)] + ["end"]
    assert len({event.tid for event in found}) == 1
    # It was consumed.
    assert texts(list(session.reader())) == []


def test_poll_ends_in_time(session: lookback.Session) -> None:
    with session.reader(follow=True) as reader:
        start = time.monotonic()
        assert reader.poll(0.2) == []
        assert 0.2 <= time.monotonic() - start < 5


def test_what_is_lost_is_an_item_of_its_own(session: lookback.Session) -> None:
    with session.reader(follow=True) as reader:
        for number in range(20_000):
            session.mark(f"number {number}")
        lost = 0
        events = []
        for item in reader.items():
            if isinstance(item, lookback.Lost):
                assert item.count is not None and "events of CPU" in repr(item)
                lost += item.count
                continue
            events.append(item)
            if item["buf"] == "number 19999\n":
                break
    assert lost > 0 and lost + len(events) == 20_000


def test_an_instance_is_apart(session: lookback.Session, run: Run, tmp_path: Path) -> None:
    run("start", "-q", "-B", "other", "-e", "sched_process_exit")
    with lookback.Session(tmp_path / "session", instance="other") as other:
        other.mark("of the other")
        assert texts(list(other.reader())) == ["of the other"]
    assert texts(list(session.reader())) == []
    assert texts(list(lookback.open(tmp_path / "session", buffer="other"))) == ["of the other"]
    with pytest.raises(lookback.Error) as raised:
        lookback.Session(tmp_path / "session", instance="none")
    assert raised.value.errno == errno.ENOENT


def test_a_session_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(lookback.Error) as raised:
        lookback.Session(tmp_path / "nowhere")
    assert raised.value.errno == errno.ENOENT and "nowhere" in str(raised.value)
