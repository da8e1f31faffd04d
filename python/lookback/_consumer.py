"""Consuming records of tracepoints where they lie."""

from __future__ import annotations

import ctypes
import os
from errno import EINTR
from typing import Iterator, NamedTuple, Optional, Union

from ._library import RecordStruct, checked, decoded, library, name, view
from ._opened import Opened

WAIT_MS = 100
"""How long a look for records lasts, so that Control-C is seen."""


class Record(NamedTuple):
    """A record of a tracepoint with a format."""

    number: int
    """Its number among the CPU's events."""
    time: int
    """Its time in the buffer's clock."""
    lost: int
    """How many events before it were overwritten before they were reached."""
    cpu: int
    tid: int
    id: int
    """The id of its tracepoint, as ktrace/info has it."""
    data: bytes
    """Its arguments, one after the other, as the files ktrace/buffers have them after the id."""


class Consumer(Opened):
    """The consumer of a CPU of a session; of a lane for -1, -2 and so on. What was not consumed stays in the buffer
    when it is closed."""

    CLOSED_BY = "lookback_consumer_close"

    def __init__(self, session: Union[str, os.PathLike[str], None] = None, cpu: int = 0) -> None:
        super().__init__(library().lookback_consumer_open(name(session), cpu))

    def poll(self, seconds: float = 0.0) -> bool:
        """Whether there is a record; waits at most so long for one."""
        left = max(0, round(seconds * 1000))
        while True:
            part = min(left, WAIT_MS)
            result = self._library.lookback_consumer_poll(self._open(), part)
            # After a signal Python calls its handler, and may go on.
            if result != -EINTR and checked(result):
                return True
            left -= part
            if left == 0:
                return False

    def __iter__(self) -> Iterator[Record]:
        """The records that there are now, copied. They stay until `consume`, which says which were whole."""
        found = RecordStruct()
        packed = ctypes.create_string_buffer(512)
        while self._library.lookback_consumer_next(self._open(), ctypes.byref(found)) > 0:
            size = self._pack(found, packed)
            if size > len(packed):
                packed = ctypes.create_string_buffer(size)
                size = self._pack(found, packed)
            data = view(ctypes.addressof(packed), min(size, len(packed)))[2:]
            yield Record(found.number, found.time, found.lost, found.cpu, found.tid, found.id, data)

    def _pack(self, record: RecordStruct, packed: ctypes.Array[ctypes.c_char]) -> int:
        """Packs a record, as far as there is space: how many bytes it has."""
        pack = self._library.lookback_consumer_pack
        return checked(pack(self._open(), ctypes.byref(record), packed, len(packed)))

    def consume(self) -> int:
        """Consumes what was looked at: nobody gets it any more. The number of the first record that was whole: what
        has a smaller one was overwritten meanwhile, and may be anything."""
        whole = ctypes.c_uint64()
        position = self._library.lookback_consumer_position(self._open())
        checked(self._library.lookback_consumer_put_consumed(self._open(), position, ctypes.byref(whole)))
        return whole.value

    def format(self, id: int) -> Optional[str]:
        """The format of the tracepoint with this id, if there is one."""
        found = self._library.lookback_consumer_format(self._open(), id)
        return None if found is None else decoded(found)
