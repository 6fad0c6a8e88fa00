"""Percentile allocations of time units. <sched/pctl.h>"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Union

from .. import _core, layouts
from ..columns import Column, Numbers, convert
from ..errors import RangeError
from ..executors import each, ranges
from ..hooks import Hooks, host_of
from ..records import Layout, Records

POINT = Layout("Point", layouts.PCTL_POINT)
TOTAL = Layout("Total", layouts.PCTL_QUEUE)
Threshold = Union[Fraction, float, str, int]


def exact(p: Threshold) -> Fraction:
    """A threshold as the fraction it is written as: 0.95 is 19/20."""
    return Fraction(str(p)) if isinstance(p, float) else Fraction(p)


def pairs(thresholds: Iterable[Threshold]) -> array[int]:
    out = array("q")
    for row, p in enumerate(thresholds):
        fraction = exact(p)
        if not 0 < fraction <= 1:
            raise RangeError(f"threshold {row}: {p!r} is not above 0 and at "
                             "most 1", row=row)
        out.extend((fraction.numerator, fraction.denominator))
    return out


def wide(words: Column) -> list[int]:
    return [high << 64 | low for high, low in words.tolist()]


def words(values: Iterable[int]) -> array[int]:
    out = array("Q")
    for value in values:
        out.extend((value >> 64, value & ((1 << 64) - 1)))
    return out


@dataclass(frozen=True)
class Allocation:
    """What serves a queue for a part of the time in which it is in use.

    `covered` is the part really covered, exactly; `lower` and `higher` the
    next amounts that occur (0: none); `waste` amount times time that the
    allocation has and the queue does not use, over the time covered."""

    amount: int
    covered: Fraction
    lower: int
    higher: int
    waste: int


@dataclass(frozen=True)
class InUse:
    """What a queue did in all: time in use and vacant, the least and largest
    amount, and the exact sum of amount times length."""

    in_use: int
    vacant: int
    least: int
    peak: int
    usage: int


def point_of(r: Any) -> Allocation:
    return Allocation(r.amount, Fraction(r.covered_num, r.covered_den), r.lower,
                      r.higher, r.waste_high << 64 | r.waste_low)


def total_of(r: Any) -> InUse:
    return InUse(r.in_use, r.vacant, r.least, r.peak,
                 r.usage_high << 64 | r.usage_low)


def percentile(length: Numbers, amount: Numbers,
               thresholds: Sequence[Threshold] = (0.95,), *,
               hooks: Hooks | None = None) -> list[Allocation]:
    """Percentile allocations of one queue's time units: for each threshold the
    smallest amount that occurs such that units with no more than it make up
    that part of the time in use. Vacant units do not count. `length` (ns) and
    `amount` have a row a unit. Raises RangeError, Cancelled.

    >>> [a.amount for a in percentile([5, 3, 2], [10, 20, 40], [0.5, 0.8, 1])]
    [10, 20, 40]
    """
    points, _ = percentiles(length, amount, thresholds, hooks=hooks)
    return [point_of(r) for r in points]


def percentiles(length: Numbers, amount: Numbers,
                thresholds: Sequence[Threshold], first: Numbers = None, *,
                usage: bool = True, executor: Executor | None = None,
                parts: int = 8, hooks: Hooks | None = None
                ) -> tuple[Records, Records]:
    """The same for many queues at once, as records: units of queue q are the
    rows from first[q] to first[q + 1]; point q * len(thresholds) + j is that
    of queue q and threshold j. With the totals of each queue.

    One call does all of them. With an `executor` the queues are dealt out in
    `parts`, of about as many units each; the records are the same bytes, but a
    call in parts has no hooks of its own (ValueError).

    Raises RangeError (an amount, a length or a threshold, with its row),
    Cancelled."""
    if executor is not None and first is not None:
        if hooks is not None:
            raise ValueError("a call in parts takes no hooks")
        return _in_parts(length, amount, list(thresholds), first, usage,
                         executor, parts)
    queues = 1 if first is None else len(first) - 1
    point, total = _core.pctl(host_of(hooks), {
        "flags": int(usage), "n": len(length), "queues": queues,
        "thresholds": len(thresholds), "length": length, "amount": amount,
        "first": first, "threshold": pairs(thresholds)})
    return Records(POINT, point), Records(TOTAL, total)


Part = tuple[Any, Any, list[Threshold], list[int], bool]


def percentiles_part(part: Part) -> tuple[Records, Records]:
    """One part of many queues: a function of a module, as executors want
    it."""
    length, amount, thresholds, first, usage = part
    return percentiles(length, amount, thresholds, first, usage=usage)


def _in_parts(length: Numbers, amount: Numbers, thresholds: list[Threshold],
              first: Numbers, usage: bool, executor: Executor,
              parts: int) -> tuple[Records, Records]:
    """Cuts between queues where about as many units are on either side."""
    offsets = list(convert(first, "Q"))
    length, amount = numbers(length), numbers(amount)
    units, n = offsets[-1] - offsets[0], len(offsets) - 1
    cuts = sorted({0, n} | {
        bisect_left(offsets, offsets[0] + end, 0, n)
        for _, end in ranges(units, parts)})
    work: list[Part] = []
    for low, high in zip(cuts, cuts[1:]):
        at, end = offsets[low], offsets[high]
        work.append((cut(length, at, end), cut(amount, at, end), thresholds,
                     [i - at for i in offsets[low:high + 1]], usage))
    found = each(percentiles_part, work, executor)
    if not found:
        return percentiles(length, amount, thresholds, offsets, usage=usage)
    return joined([p for p, _ in found]), joined([t for _, t in found])


def numbers(column: Numbers) -> memoryview:
    """A column as it is where it has the right numbers, else converted, as a
    call converts it."""
    try:
        view = memoryview(column)
    except (TypeError, ValueError, BufferError):
        view = None
    if view is not None and view.ndim == 1 and view.itemsize == 8 and \
            view.format in ("q", "l"):
        return view
    return memoryview(convert(column, "q"))


def cut(column: memoryview, at: int, end: int) -> array[int]:
    """A part of a column as numbers that can be sent."""
    return array("q", column[at:end].tobytes())


def joined(parts: Sequence[Records]) -> Records:
    """Records one after the other."""
    layout = parts[0].layout
    views = [memoryview(part.column) for part in parts]
    return Records(layout, _core.rebuild(
        b"".join(view.tobytes() for view in views), str(views[0].format),
        layout.size, sum(map(len, parts)), -1))
