"""Events of a Python program's own.

The recorder is the object that lookback preloads. An event is a site as C and C++ have it: the structure that
crates/abi/src/site.rs describes, which the recorder is handed once. It fills in whether the event is enabled, and
the function that writes.
"""

from __future__ import annotations

import ctypes
import struct
from ctypes import POINTER, c_char_p, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_void_p
from typing import Any, Callable, Optional, Protocol, cast

from ._layout import BOOL, COMMON, DYNAMIC, TEXT, EventField, FieldType, Layout, field

_HEAD = 64
"""Bytes before an event that are the recorder's."""
_LEAST = 32
"""Bytes that the recorder reads of each event."""
_VERSION = 1
_MOST_FIELDS = 32


class _NameStruct(ctypes.Structure):
    _fields_ = [("value", c_int64), ("name", c_char_p)]


class _FieldStruct(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("names", POINTER(_NameStruct)),
        ("name_count", c_uint32),
        ("count", c_uint16),
        ("size", c_uint8),
        ("kind", c_uint8),
    ]


class _SiteStruct(ctypes.Structure):
    _fields_ = [
        ("version", c_uint32),
        ("id", c_uint32),
        ("word", c_void_p),
        ("write", c_void_p),
        ("system", c_char_p),
        ("name", c_char_p),
        ("print", c_char_p),
        ("fields", POINTER(_FieldStruct)),
        ("field_count", c_uint32),
        ("texts_have_lengths", c_uint32),
    ]


class EventFunction(Protocol):
    """Records an event: a function whose parameters are the event's fields."""

    __name__: str
    is_enabled: Callable[[], bool]
    """Whether the event is recorded now: for values that take time to make."""

    def __call__(self, *values: Any, **named: Any) -> None: ...


_kept: list[Any] = []
"""What the recorder has addresses of."""

_made: dict[tuple[str, tuple[EventField, ...], Optional[str]], EventFunction] = {}
"""The events that there are: one that is made again is the same."""


def event(name: str, /, text: Optional[str] = None, **fields: FieldType) -> EventFunction:
    """Makes an event "SYSTEM:NAME" with fields of these types, and gives the function that records it.

        order = lookback.event("shop:order", id=int, customer=str)
        order(7, "Ada")

    In a program that lookback doesn't record, the function does nothing. `text` is how the event is shown:
    "order {id} of {customer}".
    """
    described = _checked(name, fields)
    key = (name, described, text)
    found = _made.get(key)
    if found is None:
        found = _made[key] = _function(name, Recorder.of(name, text, described), Layout(list(described)))
    return found


def take_snapshot(reason: str) -> None:
    """Keeps what the session's default instance has recorded up to here, and says why. Nothing happens in a program
    that is not recorded."""
    taken = getattr(ctypes.PyDLL(None), "lookback_take_snapshot", None)
    if taken is not None:
        taken.argtypes, taken.restype = [c_char_p, c_size_t], None
        encoded = reason.encode(errors="replace")
        taken(encoded, len(encoded))


def _checked(name: str, fields: dict[str, FieldType]) -> tuple[EventField, ...]:
    system, _, own = name.partition(":")
    if not (system.isidentifier() and own.isidentifier() and name.isascii()):
        raise ValueError(f"expected SYSTEM:NAME, found {name!r}")
    if len(fields) > _MOST_FIELDS:
        raise ValueError(f"an event has {_MOST_FIELDS} fields at most")
    return tuple(field(*item) for item in fields.items())


class Recorder:
    """An event that is recorded: whether it is enabled now, and what writes it."""

    __slots__ = ("site", "word", "write")

    def __init__(self, site: _SiteStruct) -> None:
        self.site = c_void_p(ctypes.addressof(site))
        word = (ctypes.c_uint64 * 1).from_address(site.word)
        self.word: memoryview = memoryview(word).cast("B").cast("Q")
        """Its first element is not 0 while the event is enabled."""
        # With the interpreter's lock held: it takes less than giving that up.
        self.write: Callable[[c_void_p, bytes, int], None] = ctypes.PYFUNCTYPE(
            None, c_void_p, c_char_p, c_size_t
        )(site.write)
        """Takes the site, the event as `packer` makes it, and its bytes."""

    @staticmethod
    def of(name: str, text: Optional[str], fields: tuple[EventField, ...]) -> Optional[Recorder]:
        """Hands the event to the recorder. None without one, or where the session has no space for it."""
        register = getattr(ctypes.PyDLL(None), "lookback_register", None)
        if register is None:
            return None
        register.argtypes, register.restype = [c_void_p, c_void_p], None
        system, _, own = name.partition(":")
        tables = [(_NameStruct * len(found.names))(*map(_named, found.names)) for found in fields]
        structs = (_FieldStruct * len(fields))(*map(_described, fields, tables))
        site = _SiteStruct(
            version=_VERSION,
            system=system.encode(),
            name=own.encode(),
            print=text.encode() if text is not None else None,
            fields=structs,
            field_count=len(fields),
        )
        section = (c_void_p * 1)(ctypes.addressof(site))
        start = ctypes.addressof(section)
        register(start, start + ctypes.sizeof(section))
        _kept.append((site, structs, tables))
        return Recorder(site) if site.word else None


def _named(named: tuple[int, str]) -> _NameStruct:
    return _NameStruct(named[0], named[1].encode())


def _described(found: EventField, names: Any) -> _FieldStruct:
    count = DYNAMIC if found.is_dynamic else 0
    return _FieldStruct(found.name.encode(), names, len(found.names), count, found.size, found.kind)


def _function(name: str, recorder: Optional[Recorder], layout: Layout) -> EventFunction:
    """The function that records, with the event's fields as its parameters: made of its text, as dataclasses make
    theirs, since that is what Python calls fastest."""
    parameters = ", ".join(found.name for found in layout.fields)
    scope: dict[str, Any] = {}
    if recorder is None:
        body, is_enabled = "pass", "False"
    else:
        scope.update(_word=recorder.word, _write=recorder.write, _site=recorder.site, _error=struct.error)
        scope["_pack"], scope["_again"] = packer(layout)
        body = f"""if _word[0]:
        try:
            _event, _size = _pack({parameters})
        except _error:
            _event, _size = _again({parameters})
        _write(_site, _event, _size)"""
        is_enabled = "_word[0] != 0"
        if not any(found.is_dynamic for found in layout.fields):
            scope["_size"] = layout.fixed
            body = body.replace("_event, _size = ", "_event = ")
    exec(f"def _record({parameters}):\n    {body}\ndef _is_enabled():\n    return {is_enabled}\n", scope)
    made = scope["_record"]
    made.__name__ = made.__qualname__ = name.partition(":")[2]
    made.is_enabled = scope["_is_enabled"]
    return cast(EventFunction, made)


def packer(layout: Layout) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """What makes an event of its values: and does so where a number is too large, by cutting it."""
    fields = layout.fields
    is_dynamic = any(found.is_dynamic for found in fields)
    codes = f"<{_HEAD + COMMON}x{layout.codes}"
    end = _HEAD + (layout.start if is_dynamic else max(layout.start, _LEAST))
    packed = struct.Struct(f"{codes}{end - struct.calcsize(codes)}x").pack

    def whole(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(map(_cut, fields, values))

    if not is_dynamic:
        return packed, lambda *values: packed(*whole(values))
    scope: dict[str, Any] = {"packed": packed, "space": b"\0" * _LEAST}
    exec(_dynamic(layout), scope)
    pack = scope["pack"]
    return pack, lambda *values: pack(*whole(values))


def _dynamic(layout: Layout) -> str:
    """The text of the function that makes an event with texts or bytes: its fixed fields, and then each of those,
    up to the next word, with space at the end that the recorder may read."""
    lines, words, parts = [f"at = {layout.start}"], [], []
    for index, found in enumerate(layout.fields):
        if not found.is_dynamic:
            words.append(f"v{index}")
            continue
        if found.kind == TEXT:
            lines.append(f'p = b"" if v{index} is None else v{index}.encode("utf-8", "surrogateescape")')
            lines.append(f'p = p[:{layout.share - 1}] + b"\\0"')
        else:
            lines.append(f'p = b"" if v{index} is None else bytes(memoryview(v{index})[:{layout.share}])')
        lines.append(f"n = len(p); w{index} = n << 16 | at; n += -n & 7; at += n")
        lines.append(f'p{index} = p.ljust(n, b"\\0")')
        words.append(f"w{index}")
        parts.append(f"p{index}")
    parameters = ", ".join(f"v{index}" for index in range(len(layout.fields)))
    lines.append(f"return packed({', '.join(words)}) + {' + '.join(parts)} + space, at")
    return f"def pack({parameters}):\n    " + "\n    ".join(lines) + "\n"


def _cut(found: EventField, value: Any) -> Any:
    """A number as C would convert it to the field's type; an Enum's value."""
    if found.is_dynamic:
        return value
    if found.kind == BOOL:
        return int(bool(value))
    number = int(getattr(value, "value", value)) & (1 << 8 * found.size) - 1
    is_negative = found.code.islower() and number >> 8 * found.size - 1
    return number - (1 << 8 * found.size) if is_negative else number
