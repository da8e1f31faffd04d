"""What the C library has opened, until it is closed."""

from __future__ import annotations

from types import TracebackType
from typing import ClassVar, Optional, TypeVar

from ._library import library, opened

Self = TypeVar("Self", bound="Opened")


class Opened:
    """What the C library has opened, until it is closed: at the end of a `with`, too."""

    CLOSED_BY: ClassVar[str]

    def __init__(self, pointer: Optional[int]) -> None:
        self._library = library()
        self._pointer: Optional[int] = opened(pointer)

    def close(self) -> None:
        """Closes it."""
        pointer, self._pointer = self._pointer, None
        if pointer:
            getattr(self._library, self.CLOSED_BY)(pointer)

    def _open(self) -> int:
        if self._pointer is None:
            raise ValueError(f"the {type(self).__name__.lower()} is closed")
        return self._pointer

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            self.close()
