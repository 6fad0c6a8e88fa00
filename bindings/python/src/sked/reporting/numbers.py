"""Columns of numbers as arrays of numpy: percentiles by nearest rank, exact
sums of products, and usage as a step function of time."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

#: Bits of a part of a number whose products are summed exactly, and how many
#: products of two parts 62 bits hold.
PART, ROWS = 21, 1 << 19
#: The most that may be held at one time.
MOST = 1 << 62


def column(values: Any, kind: str = "int64") -> Any:
    """A column as an array of whole numbers, without a copy where it is one."""
    import numpy
    return numpy.asarray(values, dtype=kind)


def nearest(values: Any, part: float | str) -> int:
    """A percentile by nearest rank; -1 of nothing.

    >>> nearest([4, 1, 3, 2], 0.5), nearest([], 0.5)
    (2, -1)
    """
    return nearest_of(values, (part,))[0]


def nearest_of(values: Any, parts: Sequence[float | str]) -> list[int]:
    """Several percentiles by nearest rank."""
    import numpy
    rows = numpy.sort(column(values))
    if not len(rows):
        return [-1] * len(parts)
    ranks = [int(-(-Fraction(str(part)) * len(rows) // 1)) for part in parts]
    return [int(rows[max(0, rank - 1)]) for rank in ranks]


def exact_dot(a: Any, b: Any) -> int:
    """The sum of the products of two columns that are not negative, exactly.

    >>> exact_dot([3 << 60, 1], [1 << 60, 5]) == (3 << 120) + 5
    True
    """
    one, two = column(a), column(b)
    mask = (1 << PART) - 1
    whole = 0
    for at in range(0, len(one), ROWS):
        rows = [(c[at:at + ROWS] >> (PART * i)) & mask
                for c in (one, two) for i in range(3)]
        for i in range(3):
            for j in range(3):
                whole += int((rows[i] * rows[3 + j]).sum()) << PART * (i + j)
    return whole


def groups(keys: Any) -> tuple[Any, Any, Any]:
    """An order that puts equal keys together (as they came), where each group
    begins in it, and the keys of the groups."""
    import numpy
    order = numpy.argsort(keys, kind="stable")
    ordered = keys[order]
    first = numpy.flatnonzero(numpy.r_[True, ordered[1:] != ordered[:-1]]) \
        if len(ordered) else numpy.zeros(0, "int64")
    return order, first, ordered[first]


def ends_of(first: Any, rows: int) -> Any:
    """Where each group ends."""
    import numpy
    return numpy.r_[first[1:], rows] if len(first) else first


# ---- step functions ----


def steps(start: Any, end: Any, amount: Any) -> tuple[Any, Any]:
    """Instants at which something changes, and what is held from each on, of
    amounts that are held from a start to an end. A row of no time counts for
    nothing. ValueError where more than MOST is held at one time."""
    import numpy
    kept = (amount > 0) & (end > start)
    if not kept.all():
        start, end, amount = start[kept], end[kept], amount[kept]
    if not len(start):
        return numpy.zeros(0, "int64"), numpy.zeros(0, "int64")
    time = numpy.concatenate([start, end])
    move = numpy.concatenate([amount, -amount])
    order = numpy.argsort(time, kind="stable")
    time, move = time[order], move[order]
    first = numpy.flatnonzero(numpy.r_[True, time[1:] != time[:-1]])
    # Sums wrap around, and come back: only a level that is too large is wrong.
    if amount.sum(dtype="float64") > MOST and numpy.add.reduceat(
            move, first, dtype="float64").cumsum().max() > MOST:
        raise ValueError("jobs of the file hold more than 2^62 units at one "
                         "time")
    return time[first], numpy.cumsum(numpy.add.reduceat(move, first))


def lasting(time: Any, held: Any) -> tuple[Any, Any]:
    """The levels of a step function, rising, and for how long each was held;
    0 too, between its first instant and its last."""
    import numpy
    if len(time) < 2:
        return numpy.zeros(0, "int64"), numpy.zeros(0, "int64")
    level, at = numpy.unique(held[:-1], return_inverse=True)
    span: Any = numpy.zeros(len(level), "int64")
    numpy.add.at(span, at, numpy.diff(time))
    return level, span


def means(time: Any, held: Any, begin: int, every: int, count: int) -> Any:
    """The mean of a step function over `count` stretches of `every` ns."""
    import numpy
    edges: Any = begin + every * numpy.arange(count + 1, dtype="int64")
    if not len(time):
        return numpy.zeros(count, "int64")
    # what was held times how long, up to each instant
    whole = numpy.r_[0.0, numpy.cumsum(held[:-1] * numpy.diff(time).astype(
        float))]
    at = numpy.searchsorted(time, edges, side="right") - 1
    inside = at >= 0
    at = numpy.maximum(at, 0)
    area = numpy.where(inside, whole[at] + held[at] * (
        edges - time[at]).astype(float), 0.0)
    return numpy.rint(numpy.diff(area) / every).astype("int64")
