"""lookback: traces of programs, read and controlled.

    import lookback

    for event in lookback.open("trace.dat", filters=["libc:*_exit: error == ENOENT"]):
        print(event.comm, event.tid, event.name, event["ret"])

    with lookback.Session() as session:
        session.enable("@file")
        table = session.reader(snapshot=session.snapshot()).to_arrow("ret")

docs/python.md has more. The C library that this uses is that of docs/api.md.
"""

from __future__ import annotations

import os
from typing import Iterable, Optional, Union

from ._author import EventFunction, event, take_snapshot
from ._consumer import Consumer, Record
from ._event import Event, EventType, Lost
from ._fields import Field, Value
from ._functions import FunctionTracer, trace_functions
from ._library import Error, library, name
from ._reader import Reader
from ._session import Session

__all__ = [
    "Consumer",
    "Error",
    "Event",
    "EventFunction",
    "EventType",
    "Field",
    "FunctionTracer",
    "Lost",
    "Reader",
    "Record",
    "Session",
    "Value",
    "event",
    "open",
    "take_snapshot",
    "trace_functions",
]


def open(
    source: Union[str, os.PathLike[str], Session, None] = None,
    *,
    events: Iterable[str] = (),
    filters: Iterable[str] = (),
    snapshot: Union[str, bool] = False,
    follow: bool = False,
    buffer: Optional[str] = None,
) -> Reader:
    """Opens a trace.dat file, or a session: of this path, of this name, or the default one. With `events`, given as
    for `lookback report -e`, and `filters`, as for -F, it reads those alone.

    `snapshot` (a name, or True for the newest) and `follow` are of sessions, and `buffer` is an instance: of a
    session, or one that a file has.
    """
    if isinstance(source, Session):
        return source.reader(events=events, filters=filters, snapshot=snapshot, follow=follow)
    if source is not None and os.path.isfile(source):
        if follow or snapshot:
            raise ValueError("a file has no snapshots, and can't be followed")
        return Reader(library().lookback_reader_open(name(source), name(buffer)), events, filters, False)
    with Session(source, instance=buffer) as session:
        return session.reader(events=events, filters=filters, snapshot=snapshot, follow=follow)
