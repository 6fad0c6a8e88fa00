"""What the library may ask of you: log, trace, clock, random, progress.
<sched/host.h>"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from typing import Any, Union

Progress = Union[bool, Callable[[int, int], object]]

#: What `_core` takes for hooks: None, or the seven settings of a host.
Host = Union[None, tuple[object, object, int, int, int, int, int]]


class Cancel:
    """A flag that stops the call which runs: `set()` it from any thread.

    >>> flag = Cancel()
    >>> flag.set(); flag.is_set()
    True
    """

    __slots__ = ("cell",)

    def __init__(self) -> None:
        self.cell = array("i", [0])

    def set(self) -> None:
        """Stops what runs; it ends with Cancelled, or early."""
        self.cell[0] = 1

    def clear(self) -> None:
        """Lets the next call run."""
        self.cell[0] = 0

    def is_set(self) -> bool:
        """Is it set?"""
        return self.cell[0] != 0

    def __repr__(self) -> str:
        return f"<Cancel, {'set' if self.is_set() else 'not set'}>"


class Hooks:
    """Override what you have; what is left out costs nothing.

    Hooks run inside the call that needs them and must not call back into the
    same handle (RuntimeError). What a hook raises comes out of that call as
    itself; it stops the call where the call can be stopped. `cancel` may be a
    `Cancel`; `memory_limit` is in bytes for one handle, 0 for none; `threads`
    says how many the library may start."""

    def __repr__(self) -> str:
        own = [name for name in _Bound.__slots__
               if getattr(type(self), name) is not getattr(Hooks, name)]
        return f"<{type(self).__name__}: {', '.join(own) or 'none'}>"

    cancel: Cancel | None = None
    memory_limit: int = 0
    threads: int = 0
    log_level: int = 0
    reserved_only: bool = False

    def log(self, level: int, line: str) -> None:
        """One finished line; level 1 (error) to 4 (debug)."""

    def trace(self, what: int, queue: int, a: int, b: int, c: int) -> None:
        """One record of why: enum sked_trace_kind and its numbers."""

    def clock(self) -> int:
        """Now, in nanoseconds; only differences carry meaning."""
        raise NotImplementedError

    def random(self) -> int:
        """64 random bits."""
        raise NotImplementedError

    def progress(self, done: int, total: int) -> object:
        """Of a long call, some ten times a second at most; False stops it."""


class _Bound:
    """The hooks that somebody has, as the extension looks them up."""

    __slots__ = ("log", "trace", "clock", "random", "progress")

    progress: object

    def __init__(self, hooks: object) -> None:
        for name in self.__slots__:
            mine = getattr(hooks, name, None)
            plain = getattr(Hooks, name)
            told = getattr(mine, "__func__", mine)
            setattr(self, name, None if told is plain else mine)


class _Bar:
    """Progress with tqdm where it is there, else a line on a terminal: one bar
    for all the calls of a handle, one after the other."""

    def __init__(self) -> None:
        self.bar: Any = None
        self.said = -1

    def __call__(self, done: int, total: int) -> None:
        if self.bar is None:
            self.bar = self.open(total)
        if self.bar is not False:
            if done < self.bar.n:
                self.bar.reset(total)
            self.bar.total = total
            self.bar.update(done - self.bar.n)
            if done >= total:
                self.bar.refresh()
        elif sys.stderr.isatty() and total and done * 100 // total != self.said:
            self.said = done * 100 // total
            end = "\n" if done >= total else ""
            print(f"\r{self.said:3d} %", end=end, file=sys.stderr)

    def __del__(self) -> None:
        if self.bar:
            self.bar.close()

    @staticmethod
    def open(total: int) -> Any:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return False
        return tqdm(total=total, mininterval=0.1)


def host_of(hooks: object = None, progress: Progress = False,
            counted: bool = False) -> Host:
    """The host for a handle: hooks, and progress as True or a function."""
    if hooks is None and not progress and not counted:
        return None
    bound = _Bound(hooks)
    if progress is True:
        bound.progress = _Bar()
    elif progress:
        bound.progress = progress
    cancel = getattr(hooks, "cancel", None)
    return (bound, cancel.cell if cancel is not None else None,
            getattr(hooks, "memory_limit", 0), getattr(hooks, "threads", 0),
            getattr(hooks, "log_level", 0),
            int(getattr(hooks, "reserved_only", False)), int(counted))
