"""Functions of Python as events: when they start and when they end.

From Python 3.12 on by sys.monitoring, before that by sys.setprofile. An event has nothing but what its code object
says, so it is made once for each of those; after that a call costs Python's hook, a look into a table, and writing.
"""

from __future__ import annotations

import sys
import threading
from types import CodeType, FrameType, TracebackType
from typing import Any, Callable, Optional

from ._author import Recorder, packer
from ._layout import FieldType, Layout, field

Wanted = Callable[[CodeType], bool]
"""Whether a function is traced."""


class _Functions:
    """The functions that have been called so far."""

    def __init__(self, start: Recorder, end: Recorder, wanted: Optional[Wanted]) -> None:
        self._wanted = wanted
        self._made: dict[CodeType, Optional[tuple[bytes, int, bytes, int]]] = {}
        self._start, self._end = start, end
        self._pack_start = packer(_layout(_STARTED))[0]
        self._pack_end = packer(_layout(_ENDED))[0]

    def started(self, code: CodeType) -> bool:
        """A function starts. Whether it is traced."""
        made = self._made[code] if code in self._made else self._make(code)
        if made is not None and self._start.word[0]:
            self._start.write(self._start.site, made[0], made[1])
        return made is not None

    def ended(self, code: CodeType) -> bool:
        """A function ends. Whether it is traced."""
        made = self._made[code] if code in self._made else self._make(code)
        if made is not None and self._end.word[0]:
            self._end.write(self._end.site, made[2], made[3])
        return made is not None

    def _make(self, code: CodeType) -> Optional[tuple[bytes, int, bytes, int]]:
        made = None
        is_own = code.co_filename == __file__
        if not is_own and (self._wanted is None or self._wanted(code)):
            name = getattr(code, "co_qualname", code.co_name)
            start = self._pack_start(name, code.co_filename, code.co_firstlineno)
            made = (*start, *self._pack_end(name))
        self._made[code] = made
        return made


_STARTED: dict[str, FieldType] = {"name": str, "file": str, "line": "u32"}
_ENDED: dict[str, FieldType] = {"name": str}


def _layout(fields: dict[str, FieldType]) -> Layout:
    return Layout([field(*item) for item in fields.items()])


def _profile(functions: _Functions) -> Callable[[], None]:
    """Traces by sys.setprofile: what stops that."""

    def hook(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            functions.started(frame.f_code)
        elif event == "return":
            functions.ended(frame.f_code)

    before = sys.getprofile()
    threading.setprofile(hook)
    sys.setprofile(hook)

    def stop() -> None:
        sys.setprofile(before)
        threading.setprofile(before)

    return stop


def _monitor(functions: _Functions) -> Callable[[], None]:
    """Traces by sys.monitoring: what stops that."""
    # Which older versions, and the types of them, don't have.
    monitoring: Any = getattr(sys, "monitoring")
    events, tool = monitoring.events, monitoring.PROFILER_ID
    monitoring.use_tool_id(tool, "lookback")

    def started(code: CodeType, offset: int, *rest: Any) -> Any:
        return None if functions.started(code) else monitoring.DISABLE

    def ended(code: CodeType, offset: int, *rest: Any) -> Any:
        return None if functions.ended(code) else monitoring.DISABLE

    def thrown(code: CodeType, offset: int, error: BaseException) -> None:
        functions.started(code)

    def unwound(code: CodeType, offset: int, error: BaseException) -> None:
        functions.ended(code)

    hooks = {
        events.PY_START: started,
        events.PY_RESUME: started,
        events.PY_RETURN: ended,
        events.PY_YIELD: ended,
        # These can't be disabled for a function.
        events.PY_THROW: thrown,
        events.PY_UNWIND: unwound,
    }
    for event, hook in hooks.items():
        monitoring.register_callback(tool, event, hook)
    monitoring.set_events(tool, sum(hooks))

    def stop() -> None:
        monitoring.set_events(tool, 0)
        for event in hooks:
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)

    return stop


class FunctionTracer:
    """Records functions as events `python:function` and `python:function_exit`, until it is stopped.

        with lookback.trace_functions():
            serve()
    """

    def __init__(self, wanted: Optional[Wanted]) -> None:
        self._stop: Optional[Callable[[], None]] = None
        start = Recorder.of("python:function", "{name} {file}:{line}", tuple(_layout(_STARTED).fields))
        end = Recorder.of("python:function_exit", "{name}", tuple(_layout(_ENDED).fields))
        if start is None or end is None:
            return
        functions = _Functions(start, end, wanted)
        self._stop = _monitor(functions) if hasattr(sys, "monitoring") else _profile(functions)

    def stop(self) -> None:
        """Records no more functions."""
        stop, self._stop = self._stop, None
        if stop is not None:
            stop()

    def __enter__(self) -> FunctionTracer:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.stop()


def trace_functions(wanted: Optional[Wanted] = None) -> FunctionTracer:
    """Records the functions of all threads as events, from now on, of those code objects that are wanted: all, or
    `lambda code: code.co_filename.startswith("/srv/")`. In a program that lookback doesn't record, nothing
    happens. Before Python 3.12, threads are traced that start from now on, and the calling one."""
    return FunctionTracer(wanted)
