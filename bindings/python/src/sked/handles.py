"""What all handles share: closing, and `with`."""

from __future__ import annotations

from typing import TypeVar

from . import _core

Self = TypeVar("Self", bound="Owner")


class Owner:
    """Owns one object of the library. `close()` frees it at once; without
    that it goes with the last reference. Calls from two threads on one handle
    raise RuntimeError unless both only read."""

    __slots__ = ("_handle", "__weakref__")
    _handle: _core.Handle

    def __repr__(self) -> str:
        tree = getattr(self, "tree", None)
        over = f" over {tree!r}" if tree is not None else ""
        return f"<{type(self).__name__}{over}>"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError(f"a {type(self).__name__} can be neither pickled nor "
                        "copied so")

    def close(self) -> None:
        """Frees it now; later calls raise ValueError."""
        _core.shut(self._handle)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
