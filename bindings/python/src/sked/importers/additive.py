"""Weights of queues whose source adds the weight's part of what is free to a
quota (KAI, Koordinator).

The tree gives a queue its guarantee or its weight's part of all, whichever is
more. Both rules give the same for one demand, if the weight of a queue is its
amount in the source. This module computes the amounts from the root down: quotas
first, then free amounts by weight, up to the limits. The amount to share must be
known. Unless a demand is given, every queue wants more than it gets.

`inexact` names the queues whose weights are exact for that demand alone. Weights
are exact for every demand if at most one of the siblings may have more than its
quota, if their quotas are in proportion to their weights, or if there are two of
them and the rest of the amount is fixed. Everything is exact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

Path = tuple[str, ...]
#: Weights are at most that, to the nearest, where exact ones are larger.
MOST = 10**6
#: The largest weight of a queue that only gets what others leave.
MOST_SMALL = 100
#: The largest weight of a tree.
WEIGHTS = (1 << 32) - 1
#: More ranks than this do not fit into weights that are far apart.
MOST_RANKS = 4


class Share(NamedTuple):
    """What a queue says of share kind. `quota` None: the whole amount; `limit`
    None: no bound. Queues of a higher rank get free amounts first. A queue that
    lends nothing keeps its quota, whatever the demand."""

    quota: Fraction | None
    weight: Fraction
    limit: Fraction | None = None
    rank: int = 0
    lends: bool = True


#: By queue and kind, the most important kind first.
Shares = dict[Path, dict[str, Share]]


def given(family: Mapping[Path, Share], total: Fraction,
          wants: Mapping[Path, Fraction] | None = None) -> dict[
              Path, Fraction]:
    """What each sibling gets of a total. `wants`: what a queue asks for.
    Queues without an entry want more than they get."""
    asked = wants or {}
    most: dict[Path, Fraction | None] = {}
    made: dict[Path, Fraction] = {}
    for path, share in family.items():
        bounds = [x for x in (share.limit, asked.get(path)) if x is not None]
        most[path] = min(bounds, default=None)
        quota = total if share.quota is None else share.quota
        made[path] = min([quota, *bounds]) if share.lends else quota
    held = sum(made.values())
    if held >= total:
        return {path: share * total / held if held else share
                for path, share in made.items()}
    free = total - held
    for rank in sorted({share.rank for share in family.values()}, reverse=True):
        open_ones = {path for path, share in family.items()
                     if share.rank == rank and share.weight}
        while free and open_ones:
            weights = sum(family[path].weight for path in open_ones)
            parts = {path: free * family[path].weight / weights
                     for path in open_ones}
            full = {path: bound for path, bound in most.items()
                    if path in open_ones and bound is not None and
                    made[path] + parts[path] >= bound}
            if not full:
                for path, part in parts.items():
                    made[path] += part
                free = Fraction(0)
            for path, bound in full.items():
                free -= max(bound - made[path], Fraction(0))
                made[path] = max(made[path], bound)
            open_ones -= full.keys()
    return made


def chosen(family: Iterable[Mapping[str, Share]],
           totals: Mapping[str, Fraction]) -> str:
    """The first kind with weights whose amount is not 0; "": its amount is not
    known."""
    said = list(family)
    for kind in dict.fromkeys(kind for share in said for kind in share):
        if not any(share[kind].weight for share in said if kind in share):
            continue
        if totals.get(kind) != 0:
            return kind if kind in totals else ""
    return ""


def all_or_nothing(family: Iterable[Share]) -> bool:
    """Whether each quota is the whole amount or nothing, and some are the whole:
    parts do not depend on the amount then."""
    said = [(share.quota, share.limit) for share in family]
    return all(limit is None and not quota for quota, limit in said) and any(
        quota is None for quota, _ in said)


def own_total(share: Share) -> Fraction | None:
    """The amount of a queue, if its quota is its limit; else None."""
    return share.quota if share.quota is not None and share.quota == share.limit \
        else None


def integers(parts: Mapping[Path, Fraction]) -> dict[Path, int]:
    """Parts as whole numbers in their proportion."""
    scale = lcm(*(part.denominator for part in parts.values()))
    sizes = {path: int(part * scale) for path, part in parts.items()}
    by = gcd(*sizes.values()) or 1
    return {path: part // by for path, part in sizes.items()}


def whole(parts: Mapping[Path, Fraction],
          weights: Mapping[Path, Fraction]) -> dict[Path, int]:
    """Weights in the proportion of parts. A queue of weight 0 in the source
    weighs nothing. Queues without a part get what others leave, by their weights
    in the source: they weigh next to nothing beside others."""
    idle = {path for path in parts if not weights[path]}
    rest = {path: weights[path] for path in parts
            if not parts[path] and path not in idle}
    sizes = integers({path: part for path, part in parts.items()
                      if path not in rest}) if len(rest) < len(parts) else {}
    most = max(sizes.values(), default=0)
    if most > MOST or rest and most:
        sizes = {path: max(round(Fraction(part * MOST, most or 1)), 1)
                 for path, part in sizes.items()}
    if rest:
        small = integers(rest)
        if sizes and max(small.values()) > MOST_SMALL:
            top = max(small.values())
            small = {path: max(round(Fraction(part * MOST_SMALL, top)), 1)
                     for path, part in small.items()}
        sizes.update(small)
    return {path: 0 if path in idle else max(sizes[path], 1)
            for path in parts}


def stacked(ranked: Sequence[dict[Path, int]]) -> dict[Path, int]:
    """Weights of several ranks, the first rank first. A rank weighs much more
    than the next, and the next gets what is left."""
    used = [rank for rank in ranked if any(rank.values())]
    if len(used) < 2:
        return {path: size for rank in ranked for path, size in rank.items()}
    made = {path: 0 for rank in ranked for path in rank}
    apart = next((factor for factor in (1000, 100, 10) if
                  WEIGHTS >= factor**(len(used) - 1) * 4**len(used)), 2)
    room = int((WEIGHTS / float(apart)**(len(used) - 1))**(1 / len(used)))
    base = 1
    for rank in reversed(used):
        most = max(rank.values())
        small = {path: size if most <= room else
                 max(size * room // most, 1) if size else 0
                 for path, size in rank.items()}
        for path, size in small.items():
            made[path] = min(size * base, WEIGHTS)
        base = max(base, min(max(made.values()), WEIGHTS) * apart)
    return made


class Plan:
    """The weights of all queues for an amount and, if given, a demand by
    leaf and kind."""

    def __init__(self, shares: Shares, capacity: Mapping[str, Fraction],
                 demand: Mapping[Path, Mapping[str, Fraction]] | None) -> None:
        self.shares = shares
        self.wants: dict[str, dict[Path, Fraction]] = {}
        self.families: dict[Path, list[Path]] = {}
        for path in shares:
            self.families.setdefault(path[:-1], []).append(path)
        if demand is not None:
            self.ask(demand)
        self.weights: dict[Path, int] = {}
        self.inexact: dict[Path, str] = {}
        totals: dict[Path, dict[str, Fraction]] = {("root",): dict(capacity)}
        fixed: dict[Path, set[str]] = {("root",): set(capacity)}
        for above in sorted(self.families, key=len):
            known = totals.get(above, {})
            sure = fixed.get(above, set())
            for kind, share in shares.get(above, {}).items():
                own = own_total(share)
                if own is not None:
                    known[kind] = min(own, known.get(kind, own))
                    sure = {*sure, kind}
            self.divide(above, known, sure, totals)

    def ask(self, demand: Mapping[Path, Mapping[str, Fraction]]) -> None:
        """What each queue wants of each kind, with all below it."""
        for path in sorted(self.shares, key=len, reverse=True):
            for kind, share in self.shares[path].items():
                asked = self.wants.setdefault(kind, {})
                below = self.families.get(path)
                want = sum((asked.get(inner, Fraction(0)) for inner in below),
                           Fraction(0)) if below else \
                    demand.get(path, {}).get(kind, Fraction(0))
                asked[path] = want if share.limit is None \
                    else min(want, share.limit)

    def divide(self, above: Path, known: dict[str, Fraction], sure: set[str],
               totals: dict[Path, dict[str, Fraction]]) -> None:
        """The weights below a queue."""
        members = {path: self.shares[path] for path in self.families[above]}
        kinds = dict.fromkeys(kind for share in members.values() for kind in share)
        parts: dict[str, dict[Path, Fraction]] = {}
        for kind in kinds:
            family = {path: share[kind] for path, share in members.items()
                      if kind in share}
            total = known.get(kind)
            if total is None and all_or_nothing(family.values()):
                known = {**known, kind: Fraction(1)}
                parts[kind] = given(family, Fraction(1))
            elif total is not None:
                parts[kind] = given(family, total, self.wants.get(kind))
                for path, part in parts[kind].items():
                    totals.setdefault(path, {})[kind] = part
        main = chosen(members.values(), known)
        sized = main in parts
        main = main or next((kind for kind in kinds if any(
            share[kind].weight for share in members.values() if kind in share)), "")
        ranked = ranks(members, main)
        if (sized or len(ranked) > 1) and not by_priority(members.values()):
            self.weights.update(stacked([
                self.weigh(share, main, parts[main] if sized else None,
                           len(ranked) == 1) for share in ranked]))
            if len(ranked) > MOST_RANKS:
                self.inexact.update(dict.fromkeys(members, main))
        for kind in kinds:
            family = {path: share[kind] for path, share in members.items()
                      if kind in share}
            for rank in ranks(members, kind):
                found = self.open_ones(
                    {path: family[path] for path in rank},
                    parts.get(kind) if kind in sure else None)
                if self.differs(found, family, kind in parts and kind in sure,
                                None if kind == main else main):
                    for path in found:
                        self.inexact.setdefault(path, kind)

    def weigh(self, ranked: list[Path], kind: str,
              parts: Mapping[Path, Fraction] | None,
              alone: bool) -> dict[Path, int]:
        """The weights of siblings of a rank: their parts, where some have
        more than their quotas; the source's weights otherwise."""
        family = {path: self.shares[path][kind] for path in ranked}
        weights = {path: share.weight for path, share in family.items()}
        if parts and (alone or any(parts[path] > (share.quota or 0)
                                   for path, share in family.items()
                                   if share.weight)):
            return whole({path: parts[path] for path in ranked}, weights)
        return whole(weights, weights)

    def open_ones(self, ranked: Mapping[Path, Share],
                  parts: Mapping[Path, Fraction] | None) -> dict[Path, Share]:
        """Siblings that may get more than their quota, and less than their
        limit. `parts`: what each gets of a fixed amount."""
        return {path: share for path, share in ranked.items()
                if share.weight and share.quota is not None and
                (share.limit is None or share.quota < share.limit and not (
                    parts and parts[path] >= share.limit))}

    def differs(self, found: Mapping[Path, Share], family: Mapping[Path, Share],
                sure: bool, main: str | None) -> bool:
        """Whether the weights of these siblings are not exact for every
        demand. `main`: the kind of the weights, if another."""
        if len(found) < 2:
            return False
        if main is not None:
            said = [self.shares[path].get(main) for path in found]
            made = [self.weights.get(path, share.weight if share else 0)
                    for path, share in zip(found, said)]
            if 0 in made or len({share.weight / weight for share, weight in zip(
                    found.values(), made)}) > 1:
                return True
        if len({(share.quota or 0) / share.weight for share in found.values()}) < 2:
            return False
        return not sure or len(found) > 2 or any(
            share.quota or share.weight for path, share in family.items()
            if path not in found) or main is not None


def ranks(members: Mapping[Path, Mapping[str, Share]],
          kind: str) -> list[list[Path]]:
    """Siblings by rank, the first to get free amounts first."""
    made: dict[int, list[Path]] = {}
    for path, share in members.items():
        if kind in share:
            made.setdefault(share[kind].rank, []).append(path)
    return [made[rank] for rank in sorted(made, reverse=True)]


def by_priority(members: Iterable[Mapping[str, Share]]) -> bool:
    """Whether siblings without quotas each have a rank: the rank alone says who
    is first then."""
    family = [member for member in members if member]
    said = [share for member in family for share in member.values()]
    return len(family) > 1 and len(family) == len(
        {share.rank for share in said}) and all(
            not share.quota and (share.quota is not None or share.limit is None)
            for share in said)


def weighed(shares: Shares, capacity: Mapping[str, Fraction],
            demand: Mapping[Path, Mapping[str, Fraction]] | None = None
            ) -> dict[Path, int]:
    """The weights of queues below the root, and below queues whose amount is
    known, and of siblings of several ranks with quotas. Other queues keep their
    weights."""
    return Plan(shares, capacity, demand).weights


def inexact(shares: Shares,
            capacity: Mapping[str, Fraction]) -> dict[Path, str]:
    """Queues that get another part than in their source while some of their
    siblings want less than they may have, with the kind concerned."""
    return Plan(shares, capacity, None).inexact
