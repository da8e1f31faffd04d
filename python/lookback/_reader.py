"""Reading events."""

from __future__ import annotations

import ctypes
from errno import EINTR
from typing import TYPE_CHECKING, Iterable, Iterator, Literal, Optional, Union

from . import _arrow
from ._event import Event, EventType, Lost
from ._fields import Field
from ._library import BatchStruct, FieldStruct, checked, decoded, library, view
from ._opened import Opened

if TYPE_CHECKING:
    import pandas
    import pyarrow

BATCH = 4096
"""Events that are read at once as objects."""

WAIT_MS = 100
"""How long a look for events lasts, so that Control-C is seen."""


class Reader(Opened):
    """Events of a trace.dat file, a session or a snapshot, in the order of time. Iterating gives each once.
    Events that it has given stay when it is closed."""

    CLOSED_BY = "lookback_reader_close"

    def __init__(self, pointer: Optional[int], events: Iterable[str], filters: Iterable[str], follow: bool) -> None:
        super().__init__(pointer)
        self._follow = follow
        self._types: dict[int, EventType] = {}
        self._comms: dict[int, Optional[str]] = {}
        try:
            for event in events:
                checked(self._library.lookback_reader_choose(self._pointer, event.encode()))
            for text in filters:
                checked(self._library.lookback_reader_filter(self._pointer, text.encode()))
        except BaseException:
            self.close()
            raise

    @property
    def has_nanoseconds(self) -> bool:
        """Whether times are nanoseconds: with all clocks but counter, uptime and x86-tsc."""
        return bool(self._library.lookback_reader_has_nanoseconds(self._open()))

    def __iter__(self) -> Iterator[Event]:
        """The events. What was lost before one is its `lost`."""
        while True:
            batch = self._batch(BATCH)
            if batch.count == 0:
                if not self._follow:
                    return
                self._wait(WAIT_MS)
                continue
            yield from self._events(batch)

    def items(self) -> Iterator[Union[Event, Lost]]:
        """The events, and what was lost as items of its own."""
        for event in self:
            if event.lost != 0:
                yield Lost(event.cpu, event.time, event.lost)
            yield event

    def poll(self, seconds: float = 0.0) -> list[Event]:
        """Of a session that is followed: what has come, up to 4096 events; waits at most so long for it."""
        left = max(0, round(seconds * 1000))
        while True:
            batch = self._batch(BATCH)
            if batch.count > 0 or left == 0:
                return list(self._events(batch))
            part = min(left, WAIT_MS)
            left -= part
            self._wait(part)

    def type_of(self, id: int) -> EventType:
        """What the events of an id are."""
        found = self._types.get(id)
        if found is None:
            found = self._types[id] = self._describe(id)
        return found

    def comm(self, tid: int) -> Optional[str]:
        """The name of a thread, if it is known."""
        if tid not in self._comms:
            found = self._library.lookback_reader_comm(self._open(), tid)
            self._comms[tid] = None if found is None else decoded(found)
        return self._comms[tid]

    def to_arrow(self, *fields: str) -> pyarrow.Table:
        """The events that are left as a table of Apache Arrow: time, cpu, pid, tid, comm, event, lost, and these
        fields."""
        return _arrow.table(self, fields)

    def to_pandas(self, *fields: str) -> pandas.DataFrame:
        """The events that are left as a DataFrame of pandas, with the columns of `to_arrow`."""
        frame: pandas.DataFrame = self.to_arrow(*fields).to_pandas()
        return frame

    def _wait(self, milliseconds: int) -> None:
        result = self._library.lookback_reader_wait(self._open(), milliseconds)
        # After a signal Python calls its handler, and may go on.
        if result != -EINTR:
            checked(result)


    def _batch(self, most: int) -> BatchStruct:
        batch = BatchStruct()
        pointer = self._open()
        checked(self._library.lookback_reader_batch(pointer, most, ctypes.byref(batch), ctypes.sizeof(batch)))
        if self._follow and batch.count:
            # A thread may have another name by now, and a program may have brought events.
            self._comms.clear()
        return batch

    def _events(self, batch: BatchStruct) -> Iterator[Event]:
        count: int = batch.count
        offsets = numbers(batch.offsets, count + 1, "Q")
        data = view(batch.data, offsets[-1] if count else 0)
        types, comms = self._types, self._comms
        ids, tids = numbers(batch.ids, count, "H"), numbers(batch.tids, count, "i")
        # All at once, so that the events are there when the reader is not.
        for id in set(ids).difference(types):
            self.type_of(id)
        for tid in set(tids).difference(comms):
            self.comm(tid)
        rows = zip(
            map(types.__getitem__, ids),
            numbers(batch.times, count, "Q"),
            numbers(batch.cpus, count, "I"),
            tids,
            map(comms.__getitem__, tids),
            numbers(batch.pids, count, "i"),
            numbers(batch.lost, count, "Q"),
            offsets,
            offsets[1:],
        )
        for type, time, cpu, tid, comm, pid, lost, start, end in rows:
            yield Event(type, time, cpu, tid, comm, pid, lost, start, end, data)

    def _describe(self, id: int) -> EventType:
        pointer = self._open()
        name = self._library.lookback_reader_name(pointer, id)
        system = self._library.lookback_reader_system(pointer, id)
        if name is None or system is None:
            return EventType(id, "", "", {})
        found, fields, index = FieldStruct(), {}, 0
        reference = ctypes.byref(found)
        size = ctypes.sizeof(found)
        while checked(self._library.lookback_reader_field(pointer, id, index, reference, size)):
            field = Field(found)
            fields[field.name] = field
            index += 1
        return EventType(id, decoded(system), decoded(name), fields)


def numbers(pointer: Optional[int], count: int, code: Literal["H", "I", "i", "Q"]) -> list[int]:
    """Numbers of an array of the library's."""
    size = {"H": 2, "I": 4, "i": 4, "Q": 8}[code]
    return memoryview(view(pointer, count * size)).cast(code).tolist()
