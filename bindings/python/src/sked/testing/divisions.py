"""Finds bugs in a division among siblings: draws families, holds the division
to the properties, and makes the first counterexample as small as can be.

    from sked.testing import divisions

    bug = divisions.search(my_share)     # my_share(total, claims) -> units
    if bug: print(bug)

Nothing here needs Hypothesis; the same seed gives the same run. Draws reach for
what goes wrong: weight 0, demand 0, equal rows, guarantees above the total,
families of 1 to 64, amounts around 2^31, 2^32, 2^53 and up to 2^62."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from .oracle import UNBOUNDED, Claim
from .properties import ALL, Scheduler, Violation

Property = Callable[..., None]
Family = tuple[int, list[Claim]]
#: CPU seconds that making a family smaller may take.
SHRINKING = 10.0
_EDGES = (2**31, 2**32, 2**53, 2**60, 2**61)


@dataclass
class Bug:
    """A family that breaks a property."""

    invariant: str
    words: str
    total: int
    claims: list[Claim]
    seed: int
    runs: int
    seconds: float

    def __str__(self) -> str:
        lines = [f"broken invariant: {self.invariant} (run {self.runs}, seed "
                 f"{self.seed})", self.words, f"    total {self.total}"]
        lines += [f"    {n} x {c}" if n > 1 else f"    {c}"
                  for n, c in self.rows]
        return "\n".join([*lines, "to run it again:",
                          f"    my_share({self.total}, {self._claims()})"])

    @property
    def rows(self) -> list[tuple[int, Claim]]:
        """The claims with equal neighbours together: how many, and which."""
        return [(len(list(alike)), c) for c, alike in groupby(self.claims)]

    def _claims(self) -> str:
        if len(self.rows) == len(self.claims):
            return repr(self.claims)
        return " + ".join(f"{n} * [{c!r}]" for n, c in self.rows)


def draw(rng: random.Random) -> Family:
    """One family; three of four are small, and one of four is hostile."""
    hostile = rng.random() < 0.25
    n = rng.choice([1, 2, 2, 3, 3, 4, 4, 5, 6, 8]) if rng.random() < 0.93 \
        else rng.choice([9, 17, 33, 64, rng.randint(9, 64)])
    most = rng.choice([4, 12, 100, 1000])

    def amount() -> int:
        if hostile and rng.random() < 0.5:
            return rng.choice(_EDGES) + rng.randint(-3, 3)
        return rng.randint(0, most)

    claims = []
    for _ in range(n):
        weight = rng.choice([0, 1, 1, 1, 2, 3, 5, rng.randint(1, 100),
                             2**32 - 1 if hostile else 7])
        claims.append(Claim(
            weight, amount() if rng.random() < 0.3 else 0,
            amount() if rng.random() < 0.3 else UNBOUNDED,
            0 if rng.random() < 0.06 else
            amount() if rng.random() < 0.5 else UNBOUNDED))
    if rng.random() < 0.25:  # equal rows
        claims = [claims[0]] * n if rng.random() < 0.5 else \
            [rng.choice(claims[:2]) for _ in claims]
    if rng.random() < 0.25:  # weights alone, which shows bad rounding
        claims = [Claim(c.weight) for c in claims]
    if hostile and rng.random() < 0.1:  # guarantees whose sum is huge
        claims = [replace(c, guarantee=2**61 + rng.randint(-3, 3),
                          limit=UNBOUNDED, demand=UNBOUNDED) for c in claims]
    total = amount() * rng.choice([1, 1, 2, 3])
    if rng.random() < 0.1:  # guarantees just above the total
        total = max(0, sum(c.floor for c in claims) - rng.randint(0, 3))
    return min(total, 2**62 - 3), claims


def breaks(share: Scheduler, total: int, claims: Sequence[Claim],
           wanted: Sequence[Property] = ALL) -> tuple[str, str] | None:
    """The first property that does not hold, and words about it; None when
    all hold. An exception of the division breaks "division_runs"."""
    for holds in wanted:
        try:
            holds(share, total, claims)
        except Violation as violation:
            return holds.__name__, str(violation)
        except Exception as raised:  # pylint: disable=broad-except
            return "division_runs", f"{type(raised).__name__}: {raised}"
    return None


def search(share: Scheduler, *, runs: int = 10_000, seed: int = 0,
           seconds: float | None = None,
           wanted: Sequence[Property] = ALL) -> Bug | None:
    """Draws families until one breaks a property: that one, made small; or
    None. `seconds`: of CPU, at most."""
    began = time.process_time()
    for number in range(1, runs + 1):
        if seconds is not None and time.process_time() - began > seconds:
            return None
        family = draw(random.Random(seed * 1_000_003 + number))
        found = breaks(share, *family, wanted)
        if found is None:
            continue
        took = time.process_time() - began
        if not _again(share, family, found, wanted):
            found = ("same_again", f"{found[1]}; not so in {AGAIN} more calls")
        else:
            family, found = shortest(share, family, found, wanted)
        return Bug(*found, *family, seed, number, took)
    return None


#: Calls that a bug has to show itself in again.
AGAIN = 8


def _again(share: Scheduler, family: Family, found: tuple[str, str],
           wanted: Sequence[Property]) -> bool:
    """Does the same family break the same property again?"""
    return any((breaks(share, *family, wanted) or ("",))[0] == found[0]
               for _ in range(AGAIN))


def shortest(share: Scheduler, family: Family, found: tuple[str, str],
             wanted: Sequence[Property]) -> tuple[Family, tuple[str, str]]:
    """The plainest family that breaks the same property: few claims, alike
    where that does, with few bounds and small numbers."""
    only = [p for p in wanted if p.__name__ == found[0]] or wanted
    until = time.process_time() + SHRINKING
    best, words = family, found

    def fails(total: int, claims: list[Claim]) -> bool:
        nonlocal best, words
        if time.process_time() > until or \
                _measure(total, claims) >= _measure(*best):
            return False
        got = breaks(share, total, claims, only)
        if got is None or got[0] != found[0]:
            return False
        best, words = (total, claims), got
        return True

    changed = True
    while changed:
        changed = _fewer(lambda: best, fails)
        changed |= _alike(lambda: best, fails)
        changed |= any([fails(less, best[1]) for less in _less(best[0], 0)])
        changed |= _each_plainer(lambda: best, fails)
    return best, words


Fails = Callable[[int, list[Claim]], bool]


def _fewer(best: Callable[[], Family], fails: Fails) -> bool:
    """Leaves claims out, many at once first."""
    any_, size = False, max(1, len(best()[1]) // 2)
    while True:
        at = 0
        while at < len(best()[1]) > size:
            total, claims = best()
            if fails(total, claims[:at] + claims[at + size:]):
                any_ = True
            else:
                at += size
        if size == 1:
            return any_
        size //= 2


def _alike(best: Callable[[], Family], fails: Fails) -> bool:
    """Makes all claims plainer at once, or all like one of them."""
    n = len(best()[1])
    any_ = fails(2 * n, [Claim()] * n)
    for field, plain in (("limit", UNBOUNDED), ("demand", UNBOUNDED),
                         ("guarantee", 0), ("weight", 1)):
        total, claims = best()
        any_ |= fails(total, [replace(c, **{field: plain}) for c in claims])
    for c in list(dict.fromkeys(best()[1]))[:4]:
        any_ |= fails(best()[0], [c] * n)
    return any_


def _each_plainer(best: Callable[[], Family], fails: Fails) -> bool:
    any_ = False
    for i in range(len(best()[1])):
        for changed in _plainer(best()[1][i]):
            total, claims = best()
            any_ |= fails(total, claims[:i] + [changed] + claims[i + 1:])
    return any_


def _measure(total: int, claims: list[Claim]) -> tuple[int, ...]:
    """What shrinking makes smaller, the first thing first."""
    bounds = [x for c in claims for x in (c.limit, c.demand) if x != UNBOUNDED]
    rows = 1 + sum(a != b for a, b in zip(claims, claims[1:]))
    return (rows, len(claims), len(bounds), sum(c.guarantee > 0 for c in claims),
            sum(abs(c.weight - 1) for c in claims), total,
            sum(c.guarantee for c in claims) + sum(bounds))


def _less(x: int, least: int) -> Iterator[int]:
    step = x - least
    while step > 0:
        yield x - step
        step //= 2


def _plainer(c: Claim) -> Iterator[Claim]:
    if c.limit != UNBOUNDED:
        yield replace(c, limit=UNBOUNDED)
        yield from (replace(c, limit=x) for x in _less(c.limit, 0))
    if c.demand != UNBOUNDED:
        yield replace(c, demand=UNBOUNDED)
        yield from (replace(c, demand=x) for x in _less(c.demand, 0))
    yield from (replace(c, guarantee=x) for x in _less(c.guarantee, 0))
    yield from (replace(c, weight=x) for x in _less(c.weight, 1))
