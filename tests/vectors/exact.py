"""Shares worked out in fractions, straight from the definitions of
<sched/fill.h> and <sched/share.h>, with largest remainders: the judge of what
the library answers where a known answer comes from a system that rounds."""

from fractions import Fraction
from math import floor

UNLIMITED = 2 ** 63 - 1
MOST = 2 ** 62
ENTITLEMENT, STEADY, INSTANTANEOUS, CAPACITY = range(4)
LARGEST = 1


def level(total, lo, hi, weight):
    """clamp(weight * r, lo, hi) in fractions, adding to min(total, sum hi);
    where sum lo is above the total, every lo in the same ratio."""
    lo = [min(a, b) for a, b in zip(lo, hi)]
    hi = [h if w else l for l, h, w in zip(lo, hi, weight)]
    if sum(hi) <= total:
        return [Fraction(h) for h in hi]
    if sum(lo) > total:
        return [Fraction(total * l, sum(lo)) for l in lo]
    points = sorted({Fraction(x, w) for l, h, w in zip(lo, hi, weight) if w
                     for x in (l, h)} | {Fraction(0)})

    def at(r):
        return [min(Fraction(h), max(Fraction(l), w * r))
                for l, h, w in zip(lo, hi, weight)]

    first, last = 0, len(points) - 1  # the last point below the level
    while first < last:
        middle = (first + last + 1) // 2
        if sum(at(points[middle])) < total:
            first = middle
        else:
            last = middle - 1
    base = at(points[first])
    slope = sum(w for l, h, w in zip(lo, hi, weight)
                if w and l <= w * points[first] < h)
    if not slope:
        return base
    return at(points[first] + (total - sum(base)) / slope)


def largest(shares):
    """Whole units: down, then one more for the largest fractions."""
    whole = [floor(a) for a in shares]
    more = sorted(range(len(shares)), key=lambda i: (whole[i] - shares[i], i))
    for i in more[:int(sum(shares)) - sum(whole)]:
        whole[i] += 1
    return whole


def fill(total, lo, hi, weight):
    return largest(level(total, lo, hi, weight))


def fill_webster(total, lo, hi, weight):
    """Unit by unit to the least (2a + 1) / weight, from just below the level."""
    lo = [min(a, b) for a, b in zip(lo, hi)]
    hi = [h if w else l for l, h, w in zip(lo, hi, weight)]
    if sum(lo) > total:
        lo, hi, weight = [0] * len(lo), lo, lo
    if sum(hi) <= total:
        return hi
    got = [max(l, floor(x) - 2) for l, x in
           zip(lo, level(total, lo, hi, weight))]
    for _ in range(total - sum(got)):
        at = min((i for i in range(len(got)) if got[i] < hi[i]),
                 key=lambda i: (Fraction(2 * got[i] + 1, weight[i]), i))
        got[at] += 1
    return got


class Queue:
    """Bounds of one queue in one kind, once its children have theirs."""

    def __init__(self, row, children, model):
        own, weight = row["guarantee"], row["weight"]
        cap = row["limit"]
        want = (sum(c.ceiling for c in children) if children else row["want"])
        lend = row.get("lend", UNLIMITED)
        kept = max(min(own, cap) - lend, 0)
        self.children, self.heavy = children, weight
        self.usage = (sum(c.usage for c in children) if children
                      else row.get("usage", 0))
        self.ceiling = min(cap, want)
        self.floor = min(own, self.ceiling)
        if model == CAPACITY:
            self.floor = max(min(self.floor, self.usage), row.get("held", 0))
            self.heavy = min(cap, max(own, sum(c.heavy for c in children)))
        self.floor = max(min(max(self.floor, sum(c.floor for c in children)),
                             self.ceiling), kept)
        self.ceiling = max(self.ceiling, kept)
        below = min(cap, sum(c.hard for c in children)) if children else cap
        self.hard = max(self.ceiling, below)
        if model != CAPACITY and weight == 0:
            self.ceiling = self.hard = self.floor
        self.share = 0


def add(family, tops, heavy, left, fill):
    """Fills what is left up to `tops`; what then remains."""
    more = fill(left, [0] * len(family),
                [t - q.share for t, q in zip(tops, family)], heavy)
    for q, m in zip(family, more):
        q.share += m
    return left - sum(more)


def raise_to(family, tops, model, left, fill):
    left = add(family, tops, [q.heavy for q in family], left, fill)
    if model == CAPACITY:
        left = add(family, [q.share if q.heavy else t
                            for q, t in zip(family, tops)],
                   [1] * len(family), left, fill)
    return left


def share_family(parent, model, ahead, fill):
    family, total = parent.children, parent.share
    floors = [q.floor for q in family]
    if sum(floors) > total:
        for q, a in zip(family, fill(total, floors, floors, [1] * len(family))):
            q.share = a
        return
    tops = [q.ceiling for q in family]
    if model == ENTITLEMENT:
        first = floors
    else:
        first = fill(total, floors, tops, [q.heavy for q in family])
    for q, a in zip(family, first):
        q.share = a
    left = raise_to(family, tops, model, total - sum(first), fill)
    if ahead:
        raise_to(family, [q.hard for q in family], model, left, fill)


def tree(parent, rows, capacity, model, ahead=False, fill=fill):
    """The shares of one kind; parents come before children in `rows`."""
    queues = [None] * len(rows)
    for i in reversed(range(len(rows))):
        children = [queues[k] for k in range(i + 1, len(rows))
                    if parent[k] == i]
        queues[i] = Queue(rows[i], children, model)
    queues[0].share = min(capacity, queues[0].hard if ahead
                          else queues[0].ceiling)
    for q in queues:
        if q.children:
            share_family(q, model, ahead, fill)
    return queues


def call(parent, kinds, capacity, model, ahead=False, flags=0):
    """Fields of a share call, and the exact answer, row by row; `kinds` has
    the rows of each kind."""
    found = [[q.share for q in tree(parent, rows, c, model, ahead)]
             for rows, c in zip(kinds, capacity)]

    def flat(name, missing):
        return [row.get(name, missing) for row in
                (kinds[k][i] for i in range(len(parent))
                 for k in range(len(kinds)))]

    fields = {"model": model, "rounding": LARGEST, "flags": flags + 2 * ahead,
              "kinds": len(kinds), "capacity": capacity, "parent": parent,
              "weight": [row["weight"] for row in kinds[0]],
              "guarantee": flat("guarantee", 0), "limit": flat("limit", 0),
              "lend": flat("lend", UNLIMITED),
              "demand": [d if model in (ENTITLEMENT, CAPACITY) else 0
                         for d in flat("want", 0)],
              "usage": flat("usage", 0)}
    return fields, [s for row in zip(*found) for s in row]
