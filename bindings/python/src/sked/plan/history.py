"""Time units from records, as they come. <sched/history.h>"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, IntFlag

from .. import _core
from ..columns import Column, Numbers
from ..handles import Owner
from ..hooks import Hooks, host_of
from ..records import Records
from .allocate import (POINT, TOTAL, Allocation, InUse, Threshold, exact, pairs,
                       point_of, total_of, wide)
from .reserve import Reserved, reserved_of

#: To the end of all intervals.
END = (1 << 63) - 1


class RecordForm(IntEnum):
    """The forms of records. enum sked_history_form"""

    INTERVALS = 0
    CHANGES = 1
    UNITS = 2


class HistoryFlag(IntFlag):
    """enum sked_history_flag"""

    WINDOW = 1
    KEEP = 2


class History(Owner):
    """What queues used and for how long: time units from records, as they
    come. Records start no earlier than what was settled. `window` (from, to)
    is in ns; `instance` what one instance has, one amount a kind: amounts then
    count instances, in `parts` of one. Raises RangeError.

    >>> h = History()
    >>> _ = h.intervals(start=[0, 5], end=[10, 15], amount=[3, 4])
    >>> h.settle()
    >>> [(a.amount, a.covered) for a in h.percentile(thresholds=[0.5])]
    [(4, Fraction(2, 3))]
    """

    __slots__ = ("kinds",)

    def __init__(self, queues: int = 1, kinds: int = 1, *, kind: int = 0,
                 parts: int = 1, instance: Numbers = None,
                 window: tuple[int, int] | None = None, keep: bool = False,
                 hooks: Hooks | None = None) -> None:
        flags = (HistoryFlag.WINDOW if window else 0) | (
            HistoryFlag.KEEP if keep else 0)
        start, end = window or (0, 0)
        self.kinds = kinds
        self._handle = _core.history_new(host_of(hooks), {
            "flags": int(flags), "queues": queues, "kinds": kinds, "kind": kind,
            "parts": parts, "from": start, "to": end}, instance)

    def add(self, form: int, amount: Numbers, *, n: int,
            queue: Numbers = None, start: Numbers = None, end: Numbers = None,
            length: Numbers = None, any_order: bool = False) -> tuple[int, int]:
        """Takes records in, all or none: how many were empty, and how many
        outside the window. `amount` is n x kinds, row by row; times and
        lengths are in ns; `queue` a number each (left out: 0). Raises
        NotFoundError (no such queue), RangeError (an amount or a time, an end
        before its start), StateError (it starts before the record before it,
        or what was settled), Cancelled."""
        return _core.history_add(self._handle, self.kinds, {
            "flags": int(any_order), "form": form, "n": n, "queue": queue,
            "start": start, "end": end, "length": length, "amount": amount})

    def intervals(self, start: Numbers, end: Numbers, amount: Numbers,
                  queue: Numbers = None,
                  any_order: bool = False) -> tuple[int, int]:
        """Applications or tasks that held a vector from start to end; columns,
        and what is raised, as in `add`: NotFoundError, RangeError, StateError,
        Cancelled."""
        return self.add(RecordForm.INTERVALS, amount, n=len(start), queue=queue,
                        start=start, end=end, any_order=any_order)

    def changes(self, start: Numbers, amount: Numbers, queue: Numbers = None,
                any_order: bool = False) -> tuple[int, int]:
        """What a queue holds from a time (ns) on; rows, and what is raised, as
        in `add`: NotFoundError, RangeError, StateError, Cancelled."""
        return self.add(RecordForm.CHANGES, amount, n=len(start), queue=queue,
                        start=start, any_order=any_order)

    def units(self, length: Numbers, amount: Numbers,
              queue: Numbers = None) -> tuple[int, int]:
        """What a queue holds for a length (ns), from its clock on; rows, and
        what is raised, as in `add`: NotFoundError, RangeError, StateError,
        Cancelled."""
        return self.add(RecordForm.UNITS, amount, n=len(length), queue=queue,
                        length=length)

    def settle(self, time: int = END) -> None:
        """Nothing starts before this time any more. Raises RangeError (the
        time), Cancelled."""
        _core.history_settle(self._handle, time)

    def forget(self, time: int) -> None:
        """Forgets what was before this time; with `keep` only. Raises
        StateError (without it, or not settled so far), RangeError (the
        time)."""
        _core.history_forget(self._handle, time)

    def percentile(self, queue: int = 0,
                   thresholds: Sequence[Threshold] = (0.95,)
                   ) -> list[Allocation]:
        """Percentile allocations of a queue, from what was settled. Raises
        NotFoundError, RangeError (a threshold), Cancelled."""
        points, _ = self.percentiles(thresholds, [queue])
        return [point_of(r) for r in points]

    def percentiles(self, thresholds: Sequence[Threshold],
                    queues: Numbers) -> tuple[Records, Records]:
        """Those of many queues, and their totals, as `percentiles`. `queues`
        are numbers. Raises NotFoundError, RangeError (a threshold),
        Cancelled."""
        point, total = _core.history_pctl(self._handle, queues, len(queues),
                                          pairs(thresholds))
        return Records(POINT, point), Records(TOTAL, total)

    def total(self, queue: int = 0) -> InUse:
        """What a queue did in all. Raises NotFoundError, Cancelled."""
        return total_of(self.percentiles([1], [queue])[1][0])

    def curve(self, queue: int = 0) -> tuple[Column, Column]:
        """Every amount that occurs, rising, and the time in use at or below.
        Raises NotFoundError."""
        return _core.history_curve(self._handle, queue)

    def kept(self, queue: int = 0) -> tuple[Column, Column]:
        """The units that are kept: lengths, and rows of amounts, one a kind.
        Raises NotFoundError, StateError (they are not kept)."""
        return _core.history_units(self._handle, queue, self.kinds)

    def work(self, queue: int = 0) -> tuple[list[int], list[int]]:
        """Exact sums of amount times length, one for each kind; and of those
        units of which the kind is the dominant one. Raises NotFoundError."""
        work, led = _core.history_work(self._handle, queue, self.kinds)
        return wide(work), wide(led)

    def reserved(self, price: Threshold, queue: int = 0,
                 window: int = 0) -> Reserved:
        """Reserved or on demand for a queue, as `reserved`. Raises
        NotFoundError, RangeError (price or window)."""
        p = exact(price)
        return reserved_of(_core.history_reserved(
            self._handle, queue, window, p.numerator, p.denominator))

    def standing(self, queue: int = 0) -> dict[str, int]:
        """How a queue stands: clock, oldest, open, amounts, units. Raises
        NotFoundError."""
        return dict(zip(("clock", "oldest", "open", "amounts", "units"),
                        _core.history_get_standing(self._handle, queue)))

    def check(self) -> None:
        """InternalError if an invariant is broken."""
        _core.history_check(self._handle)

    @property
    def digest(self) -> int:
        """A hash of all that is held: equal however it came in."""
        return _core.history_digest(self._handle)


def units_of(form: int, amount: Numbers, *, n: int, queues: int = 1,
             kinds: int = 1, queue: Numbers = None, start: Numbers = None,
             end: Numbers = None, length: Numbers = None, any_order: bool = False,
             hooks: Hooks | None = None) -> tuple[Column, Column, Column]:
    """Time units of records without a history: those of queue q are the rows
    from first[q] to first[q + 1] of the lengths and amounts. Columns as in
    `History.add`. Raises NotFoundError, RangeError, StateError, Cancelled, as
    there.

    >>> units_of(RecordForm.INTERVALS, [3, 4], n=2, start=[0, 5],
    ...          end=[10, 15])[1].tolist()
    [5, 5, 5]
    """
    cap = 2 * n + queues
    while True:
        said = _core.history_once(
            host_of(hooks), {"queues": queues, "kinds": kinds},
            {"flags": int(any_order), "form": form, "n": n, "queue": queue,
             "start": start, "end": end, "length": length, "amount": amount},
            cap)
        if not isinstance(said, int):
            return said  # type: ignore[no-any-return]
        cap = said
