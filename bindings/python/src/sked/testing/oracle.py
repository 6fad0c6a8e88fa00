"""Slow, exact answers in fractions, straight from the definitions, to hold any
scheduler to: ours and yours. Nothing here calls the library.

A family is a list of `Claim`; a level r is raised until the total is used up,
each getting weight * r, never below its floor nor above its cap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush

#: No bound.
UNBOUNDED = (1 << 63) - 1


@dataclass(frozen=True)
class Claim:
    """What one queue has a right to among its siblings."""

    weight: int = 1
    guarantee: int = 0
    limit: int = UNBOUNDED
    demand: int = UNBOUNDED

    @property
    def cap(self) -> int:
        """The most it can take."""
        return min(self.limit, self.demand)

    @property
    def floor(self) -> int:
        """The least it gets: limit and demand beat the guarantee."""
        return min(self.guarantee, self.cap)

    @property
    def top(self) -> int:
        """The most it is given: without weight its floor."""
        return self.cap if self.weight else self.floor


def at_level(claims: Sequence[Claim], r: Fraction) -> list[Fraction]:
    """What each has at a level."""
    return [min(Fraction(c.top), max(Fraction(c.floor), c.weight * r))
            for c in claims]


def level(total: int, claims: Sequence[Claim]) -> Fraction | None:
    """The level at which the total is used up; None: never, or floors alone
    are more than it."""
    if sum(c.top for c in claims) <= total or \
            sum(c.floor for c in claims) > total:
        return None
    points = sorted({Fraction(x, c.weight) for c in claims if c.weight
                     for x in (c.floor, c.top)} | {Fraction(0)})
    below = max(r for r in points if sum(at_level(claims, r)) <= total)
    slope = sum(c.weight for c in claims
                if c.weight and c.floor <= c.weight * below < c.top)
    left = total - Fraction(sum(at_level(claims, below)))
    return below + left / slope if slope else below


def fair_shares(total: int, claims: Sequence[Claim]) -> list[Fraction]:
    """The exact fair shares, in fractions.

    >>> [str(x) for x in fair_shares(10, [Claim(), Claim(weight=2)])]
    ['10/3', '20/3']
    """
    if sum(c.top for c in claims) <= total:
        return [Fraction(c.top) for c in claims]
    floors = sum(c.floor for c in claims)
    if floors > total:
        return [Fraction(total * c.floor, floors) for c in claims]
    r = level(total, claims)
    return at_level(claims, r if r is not None else Fraction(0))


def largest_remainder(shares: Sequence[Fraction]) -> list[int]:
    """Whole units that add up: down, then one more for the largest fractions,
    the earlier of equals first.

    >>> largest_remainder(fair_shares(10, [Claim(), Claim(), Claim()]))
    [4, 3, 3]
    """
    whole = [x.numerator // x.denominator for x in shares]
    order = sorted(range(len(shares)), key=lambda i: (whole[i] - shares[i], i))
    for i in order[:int(sum(shares)) - sum(whole)]:
        whole[i] += 1
    return whole


def webster(total: int, claims: Sequence[Claim]) -> list[int]:
    """Whole units by Webster's method within floors and tops: each next unit
    goes to the least (units + 1/2) / weight, the earlier of equals first.

    >>> webster(10, [Claim(), Claim(), Claim(weight=2)])
    [3, 2, 5]
    """
    low = [c.floor for c in claims]
    high = [c.top for c in claims]
    weight = [c.weight for c in claims]
    if sum(high) <= total:
        return high
    if sum(low) > total:  # floors in one ratio: they are the weights
        high, weight, low = low, low, [0] * len(low)
    exact = fair_shares(total, claims)
    # All roundings together move the level by n / 2 units at most.
    below = len(low) // 2 + 2
    got = [min(h, max(lo, x.numerator // x.denominator - below))
           for x, lo, h in zip(exact, low, high)]
    heap = [(Fraction(2 * g + 1, w), i) for i, (g, w, h) in
            enumerate(zip(got, weight, high)) if w and g < h]
    heapify(heap)
    for _ in range(total - sum(got)):
        _, i = heappop(heap)
        got[i] += 1
        if got[i] < high[i]:
            heappush(heap, (Fraction(2 * got[i] + 1, weight[i]), i))
    return got


def dominant_share(usage: Sequence[int], capacity: Sequence[int],
                   weight: int = 1) -> Fraction | None:
    """The largest part of any kind, over the weight; None: infinite."""
    parts = [None if c == 0 else Fraction(u, c)
             for u, c in zip(usage, capacity) if u]
    if None in parts or weight == 0:
        return None
    most = max((p for p in parts if p is not None), default=Fraction(0))
    return most * Fraction(1, weight)


def percentile(lengths: Sequence[int], amounts: Sequence[int],
               p: Fraction) -> int:
    """The smallest amount in use that covers that part of the time in use; 0
    when there is none."""
    used = [(a, n) for n, a in zip(lengths, amounts) if a > 0 and n > 0]
    whole = sum(n for _, n in used)
    for amount in sorted({a for a, _ in used}):
        if sum(n for a, n in used if a <= amount) >= p * whole:
            return amount
    return 0
