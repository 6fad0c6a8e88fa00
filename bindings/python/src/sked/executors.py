"""Independent work on any `concurrent.futures.Executor`: threads, processes,
Dask's `client.get_executor()`, Ray's. Work is sent in the library's own
bytes, so the answers do not depend on the machine that computes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, wait
from typing import TypeVar

from .errors import Cancelled
from .hooks import Cancel

Item = TypeVar("Item")
Found = TypeVar("Found")
#: How often a cancel flag is looked at while others work (s).
LOOK = 0.1


#: Hears how many of how many items are done; an exception of it ends the rest.
Heard = Callable[[int, int], object]


def each(call: Callable[[Item], Found], items: Iterable[Item],
         executor: Executor | None = None, *, progress: Heard | None = None,
         cancel: Cancel | None = None) -> list[Found]:
    """`call` of every item, in their order; it is a function of a module, so
    that processes can find it. The first exception of an item ends the rest and
    is raised here. `progress(done, of)` hears of each item that is done.
    Cancelled if `cancel` is set before the last item is done.

    >>> each(abs, [-1, -2], progress=lambda done, of: print(done, "of", of))
    1 of 2
    2 of 2
    [1, 2]
    """
    kept = list(items)
    heard = progress or (lambda done, of: None)
    made: dict[int, Found] = {}
    if executor is None:
        for item in kept:
            stop_if(cancel)
            made[len(made)] = call(item)
            heard(len(made), len(kept))
        return list(made.values())
    found = {executor.submit(call, item): at for at, item in enumerate(kept)}
    waiting = set(found)
    try:
        while waiting:
            stop_if(cancel)
            done, waiting = wait(waiting, None if cancel is None else LOOK,
                                 FIRST_COMPLETED)
            for one in done:
                stop_if(cancel)
                made[found[one]] = one.result()
                heard(len(made), len(kept))
    finally:
        for one in waiting:
            one.cancel()
    return [made[at] for at in range(len(kept))]


def stop_if(cancel: Cancel | None) -> None:
    """Cancelled if the flag is set."""
    if cancel is not None and cancel.is_set():
        raise Cancelled("the cancel flag is set")


def ranges(n: int, parts: int) -> list[tuple[int, int]]:
    """`n` things in at most so many ranges of almost the same length.

    >>> ranges(7, 3)
    [(0, 2), (2, 4), (4, 7)]
    """
    parts = max(1, min(parts, n))
    cuts = [i * n // parts for i in range(parts + 1)]
    return list(zip(cuts, cuts[1:]))
