"""What the tests share: the command of $LOOKBACK, a trace.dat file, a session."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Callable, Iterator

import pytest

import lookback

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the command in a directory of the test's own, and gives what it has printed."""

    def run(*arguments: str, status: int = 0) -> str:
        command = [os.environ["LOOKBACK"], *arguments]
        environment = {**os.environ, "LOOKBACK_SESSION": str(tmp_path / "session")}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == status, done.stderr
        return done.stdout

    return run


@pytest.fixture
def trace(run: Run, tmp_path: Path) -> Path:
    """What cat does that finds no file, and then one."""
    (tmp_path / "there").write_text("text")
    run("record", "-q", "--", "sh", "-c", "cat nowhere; cat there")
    return tmp_path / "trace.dat"


@pytest.fixture
def session(run: Run, tmp_path: Path) -> Iterator[lookback.Session]:
    """A session with small buffers, in which nothing is recorded yet."""
    run("start", "-q", "-b", "64", "--snapshots", "2", "-e", "sched_process_exit")
    with lookback.Session(tmp_path / "session") as session:
        yield session


@pytest.fixture
def include() -> Path:
    """The directory of lookback.h."""
    return Path(os.environ["LOOKBACK_INCLUDE"])
