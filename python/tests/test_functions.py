"""Functions of Python as events."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run

import lookback

PROGRAM = """
import threading, lookback

def inner(n):
    return n + 1

def values():
    yield 1

def fails():
    raise ValueError

class Shop:
    def serve(self):
        return inner(inner(1))

def unwanted():
    pass

wanted = {"inner", "values", "fails", "serve"}
with lookback.trace_functions(lambda code: code.co_name in wanted):
    Shop().serve()
    list(values())
    unwanted()
    try:
        fails()
    except ValueError:
        pass
    thread = threading.Thread(target=inner, args=(1,))
    thread.start()
    thread.join()
inner(5)
"""

SERVE = "Shop.serve" if sys.version_info >= (3, 11) else "serve"


def is_running(python: str) -> bool:
    """Whether it is there, and not a stand-in for one that is not."""
    found = shutil.which(python)
    return found is not None and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0


# Both ways of tracing, where there is a Python that has the other.
PYTHONS = [sys.executable, *filter(is_running, ["python3.9", "python3.12", "python3.13"])]


@pytest.mark.parametrize("python", PYTHONS)
def test_functions_are_events(run: Run, tmp_path: Path, python: str) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    run("record", "-q", "-e", "python:", "--", python, "program.py")
    events = list(lookback.open(tmp_path / "trace.dat"))
    first = [event for event in events if event.tid == events[0].tid]
    calls = [(event.name, str(event["name"]).rpartition(".")[2]) for event in first]
    start, end = "function", "function_exit"
    assert calls == [
        (start, "serve"),
        (start, "inner"),
        (end, "inner"),
        (start, "inner"),
        (end, "inner"),
        (end, "serve"),
        # Until the value, and from there to the end.
        (start, "values"),
        (end, "values"),
        (start, "values"),
        (end, "values"),
        (start, "fails"),
        (end, "fails"),
    ]
    serve = first[0]
    assert (serve["file"], serve["line"]) == (str(tmp_path / "program.py"), 14) or serve["file"] == "program.py"
    other = [event for event in events if event.tid != events[0].tid]
    assert [event["name"] for event in other] == ["inner", "inner"]
    assert "python:function " in run("report", "--pair", "python:function")


def test_methods_have_their_classes(run: Run, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    run("record", "-q", "-e", "python:", "--", sys.executable, "program.py")
    assert next(iter(lookback.open(tmp_path / "trace.dat")))["name"] == SERVE


def test_without_a_recorder_nothing_is_traced() -> None:
    before = sys.getprofile()
    with lookback.trace_functions():
        assert sys.getprofile() is before
