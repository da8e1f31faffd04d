"""How the fields of a program's own event lie in it, as crates/abi/src/site.rs describes."""

from __future__ import annotations

import enum
import keyword
from typing import NamedTuple, Union

COMMON = 8
"""Bytes that all events have first."""
MOST = 256
"""The most bytes of an event."""
DYNAMIC = 0xFFFF
"""The count of an array whose elements are after the fixed fields."""

UNSIGNED, SIGNED, HEX, BOOL, TEXT, SYMBOLIC, FLAGS = range(7)

FieldType = Union[type, str]
"""int, bool, str, bytes, an Enum with numbers, or one of "u8" to "u64", "i8" to "i64", "hex"."""

_TYPES = {"hex": (HEX, 8, "Q")}
_TYPES.update({f"u{8 * size}": (UNSIGNED, size, code) for size, code in zip((1, 2, 4, 8), "BHIQ")})
_TYPES.update({f"i{8 * size}": (SIGNED, size, code) for size, code in zip((1, 2, 4, 8), "bhiq")})


class EventField(NamedTuple):
    """A field of an event of a program's own."""

    name: str
    kind: int
    size: int
    """Bytes of a number, or of an element."""
    code: str
    """That of the module struct; of what is dynamic, that of the word with its place."""
    is_dynamic: bool
    names: tuple[tuple[int, str], ...]
    """Values that have names."""


def field(name: str, type: FieldType) -> EventField:
    """A field of this type."""
    if not name.isidentifier() or not name.isascii() or name.startswith("_") or keyword.iskeyword(name):
        raise ValueError(f"{name!r} can't be a field's name")
    if isinstance(type, str):
        found = _TYPES.get(type)
        if found is None:
            raise TypeError(f"{name}: expected one of {', '.join(_TYPES)}, found {type!r}")
        return EventField(name, *found, False, ())
    if type in (str, bytes):
        return EventField(name, TEXT if type is str else UNSIGNED, 1, "I", True, ())
    if type is bool:
        return EventField(name, BOOL, 1, "B", False, ())
    if issubclass(type, enum.Enum):
        kind = FLAGS if issubclass(type, enum.Flag) else SYMBOLIC
        return EventField(name, kind, 8, "q", False, _names(name, type))
    if issubclass(type, int):
        return EventField(name, SIGNED, 8, "q", False, ())
    raise TypeError(f"{name}: an event has no fields of the type {type.__name__}")


def _names(name: str, type: type[enum.Enum]) -> tuple[tuple[int, str], ...]:
    for member in type:
        if not isinstance(member.value, int):
            raise TypeError(f"{name}: {type.__name__}.{member.name} is no number")
    return tuple((member.value, member.name) for member in type)


class Layout:
    """Where the fields lie: as in a structure of C, and after them what is dynamic."""

    def __init__(self, fields: list[EventField]) -> None:
        self.fields = fields
        at, codes = COMMON, []
        for found in fields:
            size = 4 if found.is_dynamic else found.size
            pad = -at % size
            codes.append((f"{pad}x" if pad else "") + found.code)
            at += pad + size
        self.codes = "".join(codes)
        self.fixed = at
        """Bytes up to the end of the fixed fields."""
        self.start = at + -at % 8
        """Where what is dynamic starts."""
        dynamic = sum(found.is_dynamic for found in fields)
        self.share = (MOST - self.start) // dynamic & ~7 if dynamic and self.start < MOST else 0
        """Bytes that each of what is dynamic can have."""
        if at > MOST or dynamic and self.share < 8:
            raise ValueError(f"an event has {MOST} bytes at most")
