"""Events that were read."""

from __future__ import annotations

from typing import Iterator, Optional

from ._fields import Field, Value


class EventType:
    """What an event is: its system, its name, its fields."""

    __slots__ = ("id", "system", "name", "fields")

    def __init__(self, id: int, system: str, name: str, fields: dict[str, Field]) -> None:
        self.id = id
        self.system = system
        self.name = name
        self.fields = fields

    def __repr__(self) -> str:
        return f"<EventType {self.system}:{self.name}>"


class Event:
    """An event: `event["field"]` is the value of a field."""

    __slots__ = ("type", "time", "cpu", "tid", "comm", "_pid", "_lost", "_data", "_start", "_end")

    type: EventType
    """What it is an event of."""
    time: int
    """Its time, in the trace's clock: nanoseconds, unless that counts something else."""
    cpu: int
    """The CPU that it was recorded on."""
    tid: int
    """The thread that has recorded it."""
    comm: Optional[str]
    """The name of the thread, if it is known."""

    def __init__(
        self,
        type: EventType,
        time: int,
        cpu: int,
        tid: int,
        comm: Optional[str],
        pid: int,
        lost: int,
        start: int,
        end: int,
        data: bytes,
    ) -> None:
        self.type = type
        self.time = time
        self.cpu = cpu
        self.tid = tid
        self.comm = comm
        self._pid = pid
        self._lost = lost
        self._start = start
        self._end = end
        self._data = data

    @property
    def name(self) -> str:
        """The event's name; empty where the trace doesn't describe it."""
        return self.type.name

    @property
    def system(self) -> str:
        """The event's system."""
        return self.type.system

    @property
    def pid(self) -> Optional[int]:
        """The process of the thread, if it is known."""
        return None if self._pid < 0 else self._pid

    @property
    def lost(self) -> Optional[int]:
        """How many events of its CPU were lost right before it; None where nobody knows how many."""
        return None if self._lost == UNKNOWN else self._lost

    @property
    def data(self) -> bytes:
        """All of it, from the common fields on, as its format describes it."""
        return self._data[self._start : self._end]

    @property
    def fields(self) -> dict[str, Value]:
        """The values of the fields that are its own."""
        own = (field for field in self.type.fields.values() if not field.is_common)
        return {field.name: field.value(self._data, self._start, self._end) for field in own}

    def __getitem__(self, name: str) -> Value:
        return self.type.fields[name].value(self._data, self._start, self._end)

    def get(self, name: str, default: Value = None) -> Value:
        """The value of a field, or `default` if it has no such field."""
        field = self.type.fields.get(name)
        return default if field is None else field.value(self._data, self._start, self._end)

    def __contains__(self, name: str) -> bool:
        return name in self.type.fields

    def __iter__(self) -> Iterator[str]:
        return (field.name for field in self.type.fields.values() if not field.is_common)

    def __repr__(self) -> str:
        fields = " ".join(f"{name}={value!r}" for name, value in self.fields.items())
        return f"<Event {self.time} [{self.cpu:03}] {self.comm}-{self.tid} {self.name}: {fields}>"


class Lost:
    """Events of a CPU that were lost, before the event that comes next."""

    __slots__ = ("cpu", "time", "count")

    def __init__(self, cpu: int, time: int, count: Optional[int]) -> None:
        self.cpu = cpu
        self.time = time
        self.count = count

    def __repr__(self) -> str:
        return f"<Lost {'some' if self.count is None else self.count} events of CPU {self.cpu}>"


UNKNOWN = 2**64 - 1
"""Some events were lost, and nobody knows how many."""
