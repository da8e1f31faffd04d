"""Controlling sessions."""

from __future__ import annotations

import ctypes
import os
from typing import Iterable, Optional, Union

from ._library import checked, decoded, library, name, opened, text, view
from ._opened import Opened
from ._reader import Reader


class Session(Opened):
    """A session: of this name, of this path if it has a '/', or the one that $LOOKBACK_SESSION names, or the default
    one; and of it an instance. Recording goes on when it is closed."""

    CLOSED_BY = "lookback_session_close"

    def __init__(
        self, session: Union[str, os.PathLike[str], None] = None, *, instance: Optional[str] = None
    ) -> None:
        super().__init__(library().lookback_session_open(name(session), name(instance)))

    def enable(self, events: str) -> int:
        """Enables events, as `lookback set EVENT on` does: "libc:open*", or "read_exit if ret < 0". How many there
        are now."""
        return checked(self._library.lookback_session_enable(self._open(), events.encode()))

    def disable(self, events: str) -> int:
        """Disables events. How many there are now."""
        return checked(self._library.lookback_session_disable(self._open(), events.encode()))

    def snapshot(self) -> str:
        """Keeps what was recorded, and goes on recording. What the snapshot is called."""
        return text(self._library.lookback_session_snapshot(self._open()))

    @property
    def snapshots(self) -> list[str]:
        """What the snapshots are called that are kept, the oldest first."""
        return text(self._library.lookback_session_snapshots(self._open())).split()

    def mark(self, message: str) -> int:
        """Writes a text into the buffer, as the kernel's trace_marker does. How many bytes of it fit."""
        encoded = message.encode(errors="surrogateescape")
        return checked(self._library.lookback_session_mark(self._open(), encoded, len(encoded)))

    def read(self, file: str) -> str:
        """What a file of the control tree has: "tracing_on", "events/libc/read/format"."""
        size = ctypes.c_size_t()
        found = self._library.lookback_session_read(self._open(), file.encode(), ctypes.byref(size))
        return decoded(view(opened(found), size.value))

    def write(self, file: str, value: str) -> None:
        """Writes to a file of the control tree, as `lookback set FILE VALUE` does."""
        encoded = value.encode(errors="surrogateescape")
        checked(self._library.lookback_session_write(self._open(), file.encode(), encoded, len(encoded)))

    def reader(
        self,
        *,
        events: Iterable[str] = (),
        filters: Iterable[str] = (),
        snapshot: Union[str, bool] = False,
        follow: bool = False,
    ) -> Reader:
        """A reader of what the buffers have now, of a snapshot (its name, or True for the newest), or of what
        comes, which is consumed. With `events`, given as for `lookback report -e`, and `filters`, as for -F, it
        reads those alone."""
        if follow and snapshot:
            raise ValueError("a snapshot can't be followed")
        session = self._open()
        if follow:
            found = self._library.lookback_reader_follow(session)
        elif snapshot is False:
            found = self._library.lookback_reader_open_session(session)
        else:
            number = None if snapshot is True else snapshot.encode()
            found = self._library.lookback_reader_open_snapshot(session, number)
        return Reader(found, events, filters, follow)
