"""Independent work on any `concurrent.futures.Executor`: threads, processes,
Dask's `client.get_executor()`, Ray's. What is sent goes through the library's
own bytes, so the answers are the same wherever they were computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import TypeVar

Item = TypeVar("Item")
Found = TypeVar("Found")


def each(call: Callable[[Item], Found], items: Iterable[Item],
         executor: Executor | None = None) -> list[Found]:
    """`call` of every item, in their order; it is a function of a module, so
    that processes can find it. What one raises is raised here."""
    if executor is None:
        return [call(item) for item in items]
    return list(executor.map(call, items))


def ranges(n: int, parts: int) -> list[tuple[int, int]]:
    """`n` things in at most so many ranges of almost the same length.

    >>> ranges(7, 3)
    [(0, 2), (2, 4), (4, 7)]
    """
    parts = max(1, min(parts, n))
    cuts = [i * n // parts for i in range(parts + 1)]
    return list(zip(cuts, cuts[1:]))
