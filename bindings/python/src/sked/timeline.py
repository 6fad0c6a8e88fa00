"""Free amounts of one pool over time: reservations, backfill, start estimates.
<sched/timeline.h>"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _core
from .columns import Column, Numbers
from .enums import NOW, UNLIMITED
from .handles import Owner
from .hooks import Hooks, host_of
from .schema import Schema, Vector


@dataclass(frozen=True)
class Span:
    """What holds amounts from `start` on and before `until` (UNLIMITED: for
    ever)."""

    start: int
    until: int
    amounts: dict[str, int]


class Timeline(Owner):
    """How much is free in one pool, moment by moment. A span holds amounts from
    one moment until another. Moments are whole numbers in one unit of yours.

    `kinds` is a Schema or what makes one. Raises RangeError.

    >>> line = Timeline("cpu=1", {"cpu": 8})
    >>> running = line.add(0, 10, {"cpu": 6})
    >>> line.earliest({"cpu": 4}, 5, now=0)
    10
    >>> line.earliest({"cpu": 2}, 5, now=0)
    0
    >>> line.steps(0)
    [(0, {'cpu': 2}), (10, {'cpu': 8})]
    >>> line.remove(running)
    >>> line.earliest({"cpu": 4}, 5, now=0)
    0
    """

    __slots__ = ("schema",)

    def __init__(self, kinds: str | Mapping[str, str] | Schema, total: Vector, *,
                 hooks: Hooks | None = None) -> None:
        self.schema = kinds if isinstance(kinds, Schema) else Schema(kinds)
        self._handle = _core.timeline_new(self.schema.vec(total),
                                          host_of(hooks))

    def copy(self, *, hooks: Hooks | None = None) -> Timeline:
        """An equal timeline, for plans that may be dropped. Spans keep their
        ids."""
        made = type(self).__new__(type(self))
        made.schema = self.schema
        made._handle = _core.timeline_copy(self._handle, host_of(hooks))
        return made

    def reserve(self, spans: int) -> None:
        """Reserves memory for so many spans. Raises RangeError."""
        _core.timeline_reserve(self._handle, spans)

    def set_total(self, total: Vector) -> None:
        """Sets the total of all moments. Raises RangeError."""
        _core.timeline_set_total(self._handle, self.schema.vec(total))

    def add(self, start: int, until: int, amounts: Vector) -> int:
        """Adds a span and returns its id. UNLIMITED as `until`: it never ends.
        Raises RangeError (a moment, an amount, `until` before `start`, more
        than AMOUNT_MAX at one moment)."""
        return _core.timeline_add(self._handle, start, until,
                                  self.schema.vec(amounts))

    def remove(self, span: int) -> None:
        """Removes a span as if it had never been. Raises NotFoundError,
        StaleError (removed before)."""
        _core.timeline_remove(self._handle, span)

    def span(self, span: int) -> Span:
        """Reads a span. Raises NotFoundError, StaleError."""
        start, until, amounts = _core.timeline_span(self._handle, span)
        return Span(start, until, self.schema.named(amounts))

    def earliest(self, amounts: Vector, duration: int, *,
                 now: int = NOW) -> int | None:
        """The earliest moment from `now` on at which the amounts are free for
        the duration (UNLIMITED: for ever); None if there is none. Left out,
        `now` is the hooks' clock. Raises RangeError, StateError (no clock)."""
        start = _core.timeline_earliest(self._handle, now, duration,
                                        self.schema.vec(amounts))
        return None if start == UNLIMITED else start

    def least(self, start: int, until: int) -> dict[str, int]:
        """The least free amounts from `start` on and before `until`, each kind
        for itself. Raises RangeError."""
        return self.schema.named(
            _core.timeline_least(self._handle, start, until))

    def steps(self, start: int,
              until: int = UNLIMITED) -> list[tuple[int, dict[str, int]]]:
        """Moments with the free amounts from then on, until the next moment.
        Raises RangeError."""
        times, amounts = self.columns(start, until)
        return [(time, dict(zip(self.schema.names, row)))
                for time, row in zip(times.tolist(), amounts.tolist())]

    def columns(self, start: int,
                until: int = UNLIMITED) -> tuple[Column, Column]:
        """The same as two columns: moments, and rows of amounts."""
        return _core.timeline_steps(self._handle, start, until)

    @property
    def spans(self) -> int:
        """How many spans there are."""
        return _core.timeline_spans(self._handle)

    @property
    def digest(self) -> int:
        """Equal for timelines with equal totals and spans."""
        return _core.timeline_digest(self._handle)

    def check(self) -> None:
        """InternalError if an invariant is broken."""
        _core.timeline_check(self._handle)


def backfill(total: Numbers, durations: Numbers, amounts: Numbers, *,
             kinds: int = 1, depth: int = 0, ready: Numbers = None,
             spans: tuple[Numbers, Numbers, Numbers] | None = None) -> Column:
    """Plans requests in order, on plain arrays: the start of each, UNLIMITED if
    it never fits. `amounts` has a row of `kinds` a request; `ready` are the
    moments before which none starts (left out: 0). `spans` hold before:
    moments from and until, and rows of amounts.

    `depth` 0 is conservative backfill. Otherwise only so many requests get a
    start later than `ready`; others that must wait get UNSET. 1 is EASY. Raises
    RangeError (with the row).

    >>> backfill([10], [10, 10, 5], [6, 8, 4]).tolist()
    [0, 10, 0]
    """
    rows: dict[str, Any] = {
        "kinds": kinds, "depth": depth, "total": total, "ready": ready,
        "durations": durations, "amounts": amounts,
        "n": len(durations) if durations is not None else 0, "n_spans": 0}
    if spans is not None:
        rows["from"], rows["until"], rows["held"] = spans
        rows["n_spans"] = len(spans[0]) if spans[0] is not None else 0
    return _core.timeline_once(rows, None)
