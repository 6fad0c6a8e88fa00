"""Weights of queues whose source adds the weight's part of what is free to a
quota (KAI, Koordinator).

The tree gives a queue its guarantee or its weight's part of all, whichever is
more. Both rules give the same while every queue wants more than it gets, if the
weight of a queue is its amount in the source. This module computes the amounts
from the root down: quotas first, then free amounts by weight, up to the limits.
The amount to share must be known. Everything is exact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

Path = tuple[str, ...]
#: Weights are at most that, to the nearest, where exact ones are larger.
MOST = 10**6


class Share(NamedTuple):
    """What a queue says of one kind. `quota` None: the whole amount; `limit`
    None: no bound. Queues of a higher rank get free amounts first."""

    quota: Fraction | None
    weight: Fraction
    limit: Fraction | None = None
    rank: int = 0


#: By queue and kind, the most important kind first.
Shares = dict[Path, dict[str, Share]]


def given(family: Mapping[Path, Share], total: Fraction) -> dict[
        Path, Fraction]:
    """What each sibling gets of a total while all want more."""
    def capped(one: Share) -> Fraction:
        quota = total if one.quota is None else one.quota
        return quota if one.limit is None else min(quota, one.limit)

    made = {path: capped(one) for path, one in family.items()}
    held = sum(made.values())
    if held >= total:
        return {path: one * total / held if held else one
                for path, one in made.items()}
    free = total - held
    for rank in sorted({one.rank for one in family.values()}, reverse=True):
        want = {path for path, one in family.items()
                if one.rank == rank and one.weight}
        while free and want:
            weights = sum(family[path].weight for path in want)
            parts = {path: free * family[path].weight / weights
                     for path in want}
            full = set()
            for path, part in parts.items():
                limit = family[path].limit
                if limit is not None and made[path] + part >= limit:
                    full.add(path)
            if not full:
                for path, part in parts.items():
                    made[path] += part
                free = Fraction(0)
            for path in full:
                limit = family[path].limit
                assert limit is not None
                free -= max(limit - made[path], Fraction(0))
                made[path] = max(made[path], limit)
            want -= full
    return made


def chosen(family: Iterable[Mapping[str, Share]],
           totals: Mapping[str, Fraction]) -> str:
    """The first kind with weights whose amount is not 0; "": its amount is not
    known."""
    said = list(family)
    for kind in dict.fromkeys(kind for one in said for kind in one):
        if not any(one[kind].weight for one in said if kind in one):
            continue
        if totals.get(kind) != 0:
            return kind if kind in totals else ""
    return ""


def all_or_nothing(family: Iterable[Share]) -> bool:
    """Whether each quota is the whole amount or nothing, and some are the whole:
    parts do not depend on the amount then."""
    said = [(one.quota, one.limit) for one in family]
    return all(limit is None and not quota for quota, limit in said) and any(
        quota is None for quota, _ in said)


def own_total(one: Share) -> Fraction | None:
    """The amount of a queue, if its quota is its limit; else None."""
    return one.quota if one.quota is not None and one.quota == one.limit \
        else None


def whole(parts: Mapping[Path, Fraction],
          idle: Iterable[Path]) -> dict[Path, int]:
    """Weights in the proportion of parts. Queues that are not idle weigh 1 at
    least, and get something when others leave something."""
    scale = lcm(*(one.denominator for one in parts.values()))
    sizes = {path: int(one * scale) for path, one in parts.items()}
    by = gcd(*sizes.values()) or 1
    sizes = {path: one // by for path, one in sizes.items()}
    most = max(sizes.values())
    if most > MOST or 0 in (one for path, one in sizes.items()
                            if path not in set(idle)):
        sizes = {path: round(Fraction(one * MOST, most or 1))
                 for path, one in sizes.items()}
    return {path: 0 if path in idle else max(one, 1)
            for path, one in sizes.items()}


def weighed(shares: Shares,
            capacity: Mapping[str, Fraction]) -> dict[Path, int]:
    """The weights of queues below the root, and below queues whose amount is
    known. Other queues keep their weights, and so do siblings of several ranks:
    the tree orders them by rank."""
    families: dict[Path, list[Path]] = {}
    for path in shares:
        families.setdefault(path[:-1], []).append(path)
    totals: dict[Path, dict[str, Fraction]] = {("root",): dict(capacity)}
    made: dict[Path, int] = {}
    for above in sorted(families, key=len):
        known = totals.get(above, {})
        for kind, one in shares.get(above, {}).items():
            own = own_total(one)
            if own is not None:
                known[kind] = min(own, known.get(kind, own))
        parts: dict[str, dict[Path, Fraction]] = {}
        for kind, total in known.items():
            family = {path: shares[path][kind] for path in families[above]
                      if kind in shares[path]}
            parts[kind] = given(family, total)
            for path, part in parts[kind].items():
                totals.setdefault(path, {})[kind] = part
        members = [shares[path] for path in families[above]]
        for kind in {kind for one in members for kind in one} - known.keys():
            family = {path: shares[path][kind] for path in families[above]
                      if kind in shares[path]}
            if all_or_nothing(family.values()):
                known = {**known, kind: Fraction(1)}
                parts[kind] = given(family, Fraction(1))
        kind = chosen(members, known)
        if kind in parts and len({one.rank for member in members
                                  for one in member.values()}) == 1:
            made.update(whole(parts[kind], {
                path for path in parts[kind]
                if not shares[path][kind].weight}))
    return made
