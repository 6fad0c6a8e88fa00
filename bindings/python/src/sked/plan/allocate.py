"""Percentile allocations of time units. <sched/pctl.h>"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Union

from .. import _core
from ..columns import Column, Numbers
from ..hooks import Hooks, host_of
from ..records import Layout, Records

POINT = Layout("Point", "q:amount q:lower q:higher q:covered_num q:covered_den "
               "Q:waste_high Q:waste_low")
TOTAL = Layout("Total", "q:in_use q:vacant q:least q:peak Q:usage_high "
               "Q:usage_low")
Threshold = Union[Fraction, float, str, int]


def exact(p: Threshold) -> Fraction:
    """A threshold as the fraction it is written as: 0.95 is 19/20."""
    return Fraction(str(p)) if isinstance(p, float) else Fraction(p)


def pairs(thresholds: Iterable[Threshold]) -> array[int]:
    out = array("q")
    for p in thresholds:
        fraction = exact(p)
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
    that part of the time in use. Vacant units do not count.

    >>> [a.amount for a in percentile([5, 3, 2], [10, 20, 40], [0.5, 0.8, 1])]
    [10, 20, 40]
    """
    points, _ = percentiles(length, amount, thresholds, hooks=hooks)
    return [point_of(r) for r in points]


def percentiles(length: Numbers, amount: Numbers,
                thresholds: Sequence[Threshold], first: Numbers = None, *,
                usage: bool = True,
                hooks: Hooks | None = None) -> tuple[Records, Records]:
    """The same for many queues at once, as records: units of queue q are the
    rows from first[q] to first[q + 1]; point q * len(thresholds) + j is that
    of queue q and threshold j. With the totals of each queue."""
    queues = 1 if first is None else len(first) - 1
    point, total = _core.pctl(host_of(hooks), {
        "flags": int(usage), "n": len(length), "queues": queues,
        "thresholds": len(thresholds), "length": length, "amount": amount,
        "first": first, "threshold": pairs(thresholds)})
    return Records(POINT, point), Records(TOTAL, total)
