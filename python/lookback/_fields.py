"""Fields of events, and their values."""

from __future__ import annotations

import struct
from typing import Callable, Union

from ._library import FieldStruct, decoded

Value = Union[int, str, "list[int]", None]
"""What a field has: a number, a text, or the numbers of an array; None where the event is too short for it."""

_NUMBERS = {(1, False): "B", (1, True): "b", (2, False): "H", (2, True): "h"}
_NUMBERS.update({(4, False): "I", (4, True): "i", (8, False): "Q", (8, True): "q"})

_NUMBER, _ARRAY, _DATA_LOCATION, _RELATIVE_LOCATION = range(4)


class Field:
    """A field of an event."""

    __slots__ = ("name", "type", "offset", "size", "is_common", "value")

    name: str
    type: str
    offset: int
    size: int
    is_common: bool
    value: Callable[[bytes, int, int], Value]
    """Its value in the event that is at these places of a batch."""

    def __init__(self, found: FieldStruct) -> None:
        self.name = decoded(found.name)
        self.type = decoded(found.type)
        self.offset = found.offset
        self.size = found.size
        self.is_common = bool(found.is_common)
        signed = bool(found.is_signed)
        if found.kind == _NUMBER:
            self.value = _number(found.offset, found.size, signed)
        else:
            self.value = _array(found.kind, found.offset, found.size, _elements(found.element, signed))

    def __repr__(self) -> str:
        return f"<Field {self.type} {self.name}>"


def _number(offset: int, size: int, signed: bool) -> Callable[[bytes, int, int], Value]:
    code = _NUMBERS.get((size, signed))
    if code is None:
        return lambda data, start, end: None
    unpack = struct.Struct("<" + code).unpack_from

    def value(data: bytes, start: int, end: int) -> Value:
        at = start + offset
        if at + size > end:
            return None
        number: int = unpack(data, at)[0]
        return number

    return value


def _elements(size: int, signed: bool) -> Callable[[bytes], Value]:
    code = _NUMBERS.get((size, signed))
    if size == 0:
        return lambda part: decoded(part.split(b"\0", 1)[0])
    if code is None:
        return lambda part: None
    return lambda part: list(struct.unpack_from(f"<{len(part) // size}{code}", part))


def _array(
    kind: int, offset: int, size: int, elements: Callable[[bytes], Value]
) -> Callable[[bytes, int, int], Value]:
    location = struct.Struct("<I").unpack_from
    base = offset + size if kind == _RELATIVE_LOCATION else 0

    def in_place(data: bytes, start: int, end: int) -> Value:
        stop = start + offset + size if size else end
        return elements(data[start + offset : stop]) if stop <= end else None

    def elsewhere(data: bytes, start: int, end: int) -> Value:
        if start + offset + 4 > end:
            return None
        word: int = location(data, start + offset)[0]
        first = start + base + (word & 0xFFFF)
        stop = first + (word >> 16)
        return elements(data[first:stop]) if stop <= end else None

    return in_place if kind == _ARRAY else elsewhere
