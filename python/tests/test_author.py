"""Events of a Python program's own."""

from __future__ import annotations

import enum
import os
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from conftest import Run

import lookback

MANY = [f"field_{index}" for index in range(33)]
"""More fields than an event can have."""

PROGRAM = '''
import enum, signal, threading, lookback

class Status(enum.Enum):
    NEW = 1
    PAID = 2

class Options(enum.Flag):
    GIFT = 1
    EXPRESS = 2

order = lookback.event("shop:order", id=int, customer=str, status=Status, options=Options, paid=bool)
numbers = lookback.event("shop:numbers", a="u8", b="i16", c="u32", d="i64", e="hex")
texts = lookback.event("shop:texts", one=str, count="u16", two=bytes)
shown = lookback.event("shop:shown", id=int, text="number {id}")
thread = lookback.event("shop:thread", number=int)
assert order is lookback.event("shop:order", id=int, customer=str, status=Status, options=Options, paid=bool)
assert order.is_enabled() and order.__name__ == "order"
order(7, "Ada", Status.PAID, Options.GIFT | Options.EXPRESS, True)
order(id=-1, customer="", status=Status.NEW, options=Options.GIFT, paid=False)
numbers(255, -3, 2**32 - 1, -(2**63), 0xff)
numbers(256, 2**15, -1, 2**64 - 1, -1)
texts("a" * 1000, 9, bytes(1000))
texts("", 1, b"")
shown(3)
for wrong in (("x", "", Status.NEW, Options.GIFT, True), (1, 2)):
    try:
        order(*wrong)
        print("taken", wrong)
    except (TypeError, ValueError):
        pass

def many(start):
    for number in range(start, start + 1000):
        thread(number)

threads = [threading.Thread(target=many, args=(1000 * index,)) for index in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print("done")
'''


@pytest.fixture
def recorded(run: Run, tmp_path: Path) -> Path:
    (tmp_path / "program.py").write_text(PROGRAM)
    assert run("record", "-q", "-b", "4096", "-e", "shop:", "--", sys.executable, "program.py") == "done\n"
    return tmp_path / "trace.dat"


def test_values_are_recorded_as_their_types_say(recorded: Path, run: Run) -> None:
    events = [event for event in lookback.open(recorded) if event.name != "thread"]
    assert [event.system for event in events] == ["shop"] * 7
    first, second = events[:2]
    assert first.fields == {"id": 7, "customer": "Ada", "status": 2, "options": 3, "paid": 1}
    assert second.fields == {"id": -1, "customer": "", "status": 1, "options": 1, "paid": 0}
    assert list(events[2].fields.values()) == [255, -3, 2**32 - 1, -(2**63), 0xFF]
    # As C would convert them.
    assert list(events[3].fields.values()) == [0, -(2**15), 2**32 - 1, -1, 2**64 - 1]
    one, two = events[4]["one"], events[4]["two"]
    assert isinstance(one, str) and isinstance(two, (str, list))
    assert set(one) == {"a"} and 100 < len(one) < 130
    assert events[5]["one"] == "" and events[5]["count"] == 1
    lines = run("report", "-e", "shop:order", "-e", "shown").splitlines()[-3:]
    assert lines[0].endswith('order: id=7 customer="Ada" status=PAID options=GIFT|EXPRESS paid=true')
    assert lines[2].endswith("shown: number 3")


def test_threads_record_at_once(recorded: Path) -> None:
    events = [event for event in lookback.open(recorded, events=["shop:thread"])]
    assert sorted(event["number"] for event in events) == list(range(4000))  # type: ignore[type-var]
    assert len({event.tid for event in events}) == 4 and len({event.pid for event in events}) == 1


def test_without_a_recorder_nothing_happens() -> None:
    event = lookback.event("shop:nothing", id=int, name=str)
    assert not event.is_enabled()
    event(1, "x")
    lookback.take_snapshot("nobody hears it")


def test_what_no_event_can_have_is_refused() -> None:
    class Words(enum.Enum):
        ONE = "one"

    for name in ("shop", "shop:", ":order", "shop:or-der", "shop:a:b", "shöp:order"):
        with pytest.raises(ValueError):
            lookback.event(name, id=int)
    wrong: list[dict[str, Any]] = [{"class": int}, {"_x": int}, {"a-b": int}, dict.fromkeys(MANY, int)]
    for fields in wrong:
        with pytest.raises(ValueError):
            lookback.event("shop:order", **fields)
    for type in (float, list, "u128", Words):
        with pytest.raises(TypeError):
            lookback.event("shop:order", field=type)
    with pytest.raises(ValueError, match="256 bytes"):
        lookback.event("shop:large", id=int, **dict.fromkeys(MANY[1:-1], cast(Any, int)))


def test_a_snapshot_has_its_reason(session: lookback.Session, run: Run, tmp_path: Path) -> None:
    session.enable("shop:")
    session.write("snapshot_enabled", "1")
    program = 'import lookback; lookback.event("shop:last")(); lookback.take_snapshot("the queue is full")'
    run("run", "--", sys.executable, "-c", program)
    assert "the queue is full" in run("snapshots")
    assert [event.name for event in session.reader(snapshot=True)][:1] == ["last"]
    assert os.path.exists(tmp_path / "session")
