"""The C library: its functions and structures, and its errors."""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import POINTER, c_char_p, c_int, c_int32, c_size_t, c_ssize_t
from ctypes import c_uint16, c_uint32, c_uint64, c_void_p
from typing import Any


class Error(OSError):
    """What went wrong: errno as the kernel's tracefs has it, and a message that says what to do."""


class EventStruct(ctypes.Structure):
    """struct lookback_reader_event."""

    _fields_ = [
        ("time", c_uint64),
        ("lost", c_uint64),
        ("system", c_char_p),
        ("name", c_char_p),
        ("comm", c_char_p),
        ("data", c_void_p),
        ("size", c_uint32),
        ("cpu", c_uint32),
        ("tid", c_int32),
        ("pid", c_int32),
        ("id", c_uint16),
    ]


class FieldStruct(ctypes.Structure):
    """struct lookback_reader_field."""

    _fields_ = [
        ("name", c_char_p),
        ("type", c_char_p),
        ("offset", c_uint32),
        ("size", c_uint32),
        ("kind", c_uint32),
        ("element", c_uint32),
        ("is_signed", c_uint32),
        ("is_common", c_uint32),
    ]


class BatchStruct(ctypes.Structure):
    """struct lookback_reader_batch."""

    _fields_ = [
        ("count", c_size_t),
        ("times", c_void_p),
        ("lost", c_void_p),
        ("offsets", c_void_p),
        ("cpus", c_void_p),
        ("tids", c_void_p),
        ("pids", c_void_p),
        ("ids", c_void_p),
        ("data", c_void_p),
    ]


class ColumnStruct(ctypes.Structure):
    """struct lookback_reader_column."""

    _fields_ = [
        ("kind", c_size_t),
        ("count", c_size_t),
        ("numbers", c_void_p),
        ("offsets", c_void_p),
        ("data", c_void_p),
        ("valid", c_void_p),
    ]


class RecordStruct(ctypes.Structure):
    """struct lookback_consumer_record."""

    _fields_ = [
        ("number", c_uint64),
        ("time", c_uint64),
        ("lost", c_uint64),
        ("data", c_void_p),
        ("size", c_uint32),
        ("tid", c_int32),
        ("cpu", c_uint32),
        ("id", c_uint16),
    ]


# What each function returns, and takes.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "lookback_error": (c_char_p, []),
    "lookback_version": (c_char_p, []),
    "lookback_session_open": (c_void_p, [c_char_p, c_char_p]),
    "lookback_session_close": (None, [c_void_p]),
    "lookback_session_enable": (c_int, [c_void_p, c_char_p]),
    "lookback_session_disable": (c_int, [c_void_p, c_char_p]),
    "lookback_session_snapshot": (c_char_p, [c_void_p]),
    "lookback_session_snapshots": (c_char_p, [c_void_p]),
    "lookback_session_mark": (c_ssize_t, [c_void_p, c_char_p, c_size_t]),
    "lookback_session_read": (c_void_p, [c_void_p, c_char_p, POINTER(c_size_t)]),
    "lookback_session_write": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t]),
    "lookback_reader_open": (c_void_p, [c_char_p, c_char_p]),
    "lookback_reader_open_session": (c_void_p, [c_void_p]),
    "lookback_reader_open_snapshot": (c_void_p, [c_void_p, c_char_p]),
    "lookback_reader_follow": (c_void_p, [c_void_p]),
    "lookback_reader_close": (None, [c_void_p]),
    "lookback_reader_choose": (c_int, [c_void_p, c_char_p]),
    "lookback_reader_filter": (c_int, [c_void_p, c_char_p]),
    "lookback_reader_wait": (c_int, [c_void_p, c_int]),
    "lookback_reader_has_nanoseconds": (c_int, [c_void_p]),
    "lookback_reader_field": (c_int, [c_void_p, c_uint16, c_size_t, POINTER(FieldStruct), c_size_t]),
    "lookback_reader_name": (c_char_p, [c_void_p, c_uint16]),
    "lookback_reader_system": (c_char_p, [c_void_p, c_uint16]),
    "lookback_reader_comm": (c_char_p, [c_void_p, c_int32]),
    "lookback_reader_batch": (c_ssize_t, [c_void_p, c_size_t, POINTER(BatchStruct), c_size_t]),
    "lookback_reader_column": (c_int, [c_void_p, c_char_p, POINTER(ColumnStruct), c_size_t]),
    "lookback_consumer_open": (c_void_p, [c_char_p, c_int]),
    "lookback_consumer_next": (c_int, [c_void_p, POINTER(RecordStruct)]),
    "lookback_consumer_position": (c_uint64, [c_void_p]),
    "lookback_consumer_put_consumed": (c_int, [c_void_p, c_uint64, POINTER(c_uint64)]),
    "lookback_consumer_poll": (c_int, [c_void_p, c_int]),
    "lookback_consumer_pack": (c_ssize_t, [c_void_p, POINTER(RecordStruct), c_void_p, c_size_t]),
    "lookback_consumer_format": (c_char_p, [c_void_p, c_uint16]),
    "lookback_consumer_close": (None, [c_void_p]),
}


@functools.lru_cache(maxsize=None)
def library() -> Any:
    """The library: that of $LOOKBACK_LIBRARY, or the one that is installed."""
    name = os.environ.get("LOOKBACK_LIBRARY", "liblookback.so.0")
    try:
        loaded = ctypes.CDLL(name, use_errno=True)
    except OSError as error:
        raise ImportError(
            f"{error}: install liblookback.so.0, as docs/api.md says, or set LOOKBACK_LIBRARY to its path"
        ) from None
    for function, (result, arguments) in _FUNCTIONS.items():
        found = getattr(loaded, function)
        found.restype = result
        found.argtypes = arguments
    return loaded


def failure(number: int) -> Error:
    """What went wrong last, by its number."""
    message: bytes = library().lookback_error()
    return Error(number, message.decode(errors="replace"))


def checked(result: int) -> int:
    """A number that a function has returned; a negative one is an error."""
    if result < 0:
        raise failure(-result)
    return result


def opened(pointer: int | None) -> int:
    """What a function has opened; NULL is an error."""
    if not pointer:
        raise failure(ctypes.get_errno())
    return pointer


def text(found: bytes | None) -> str:
    """A text that a function has returned; NULL is an error."""
    if found is None:
        raise failure(ctypes.get_errno())
    return decoded(found)


def decoded(found: bytes) -> str:
    """A text in whatever encoding a program has used: what is not UTF-8 is kept as surrogates."""
    return found.decode(errors="surrogateescape")


def name(text: str | bytes | os.PathLike[str] | None) -> bytes | None:
    """A text as C has it."""
    return None if text is None else os.fsencode(text)


def view(pointer: int | None, size: int) -> bytes:
    """A copy of so many bytes."""
    return ctypes.string_at(pointer, size) if pointer and size else b""
