"""Events as tables of Apache Arrow."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable, Sequence

from ._library import BatchStruct, ColumnStruct, checked, view

if TYPE_CHECKING:
    import pyarrow

    from ._reader import Reader

BATCH = 1 << 17
"""Events of a batch."""

_SIGNED, _UNSIGNED, _TEXT, _BYTES = range(1, 5)


def table(reader: Reader, fields: Sequence[str]) -> pyarrow.Table:
    """The events that are left, with these fields."""
    import pyarrow

    parts: list[dict[str, Any]] = []
    while True:
        batch = reader._batch(BATCH)
        if batch.count == 0 and parts:
            break
        columns = _common(reader, batch)
        for field in fields:
            columns[field] = _field(reader, batch, field)
        parts.append(columns)
        if batch.count == 0:
            break
    names = list(parts[0])
    chunks = {name: [part[name] for part in parts] for name in names}
    return pyarrow.table({name: _joined(chunks[name]) for name in names}).unify_dictionaries()


def _joined(chunks: list[Any]) -> Any:
    """A column of its chunks: one that is in none of a batch's events is empty there, whatever its type."""
    import pyarrow

    kinds = [chunk.type for chunk in chunks if not pyarrow.types.is_null(chunk.type)]
    kind = kinds[0] if kinds else pyarrow.null()
    return pyarrow.chunked_array([chunk if chunk.type == kind else chunk.cast(kind) for chunk in chunks])


def _common(reader: Reader, batch: BatchStruct) -> dict[str, Any]:
    import pyarrow
    import pyarrow.compute

    count: int = batch.count
    tids = _numbers(pyarrow.int32(), batch.tids, count)
    pids = _numbers(pyarrow.int32(), batch.pids, count)
    is_known = pyarrow.compute.greater_equal(pids, pyarrow.scalar(0, pyarrow.int32()))
    if not pyarrow.compute.all(is_known).as_py():
        pids = pyarrow.compute.if_else(is_known, pids, pyarrow.scalar(None, pyarrow.int32()))

    def event(id: int) -> str:
        type = reader.type_of(id)
        return f"{type.system}:{type.name}"

    return {
        "time": _numbers(pyarrow.uint64(), batch.times, count),
        "cpu": _numbers(pyarrow.uint32(), batch.cpus, count),
        "pid": pids,
        "tid": tids,
        "comm": _named(tids, reader.comm),
        "event": _named(_numbers(pyarrow.uint16(), batch.ids, count), event),
        "lost": _numbers(pyarrow.uint64(), batch.lost, count),
    }


def _numbers(kind: Any, pointer: int | None, count: int) -> Any:
    import pyarrow

    data = pyarrow.py_buffer(view(pointer, count * kind.bit_width // 8))
    return pyarrow.Array.from_buffers(kind, count, [None, data])


def _named(numbers: Any, name: Callable[[int], str | None]) -> Any:
    """Names of numbers, each of which is stored once."""
    import pyarrow

    encoded = numbers.dictionary_encode()
    names = [name(number) for number in encoded.dictionary.to_pylist()]
    if None not in names and len(set(names)) == len(names):
        return _dictionary(encoded.indices, pyarrow.array(names, pyarrow.string()))
    # Several threads have one name.
    named = pyarrow.array(names, pyarrow.string()).dictionary_encode()
    return _dictionary(named.indices.take(encoded.indices), named.dictionary)


def _dictionary(indices: Any, names: Any) -> Any:
    import pyarrow

    # The indices are those of the names.
    return pyarrow.DictionaryArray.from_arrays(indices, names, safe=False)


def _field(reader: Reader, batch: BatchStruct, field: str) -> Any:
    import pyarrow

    found = ColumnStruct()
    library, pointer = reader._library, reader._open()
    size = ctypes.sizeof(found)
    checked(library.lookback_reader_column(pointer, field.encode(), ctypes.byref(found), size))
    count: int = found.count
    valid = pyarrow.py_buffer(view(found.valid, (count + 7) // 8))
    if found.kind in (_SIGNED, _UNSIGNED):
        kind = pyarrow.int64() if found.kind == _SIGNED else pyarrow.uint64()
        data = pyarrow.py_buffer(view(found.numbers, count * 8))
        return pyarrow.Array.from_buffers(kind, count, [valid, data])
    if found.kind not in (_TEXT, _BYTES):
        return pyarrow.nulls(count)
    offsets = view(found.offsets, (count + 1) * 4)
    end = int.from_bytes(offsets[-4:], "little", signed=True)
    data = pyarrow.py_buffer(view(found.data, end))
    buffers: list[Any] = [valid, pyarrow.py_buffer(offsets), data]
    binary = pyarrow.Array.from_buffers(pyarrow.binary(), count, buffers)
    if found.kind == _BYTES:
        return binary
    try:
        return binary.cast(pyarrow.string())
    except pyarrow.ArrowInvalid:
        # Some text of a program's is not UTF-8: as bytes nothing of it is lost.
        return binary
