#!/usr/bin/env python3
"""The model's shares, claims and keeps (shares.py) against the library's and the
checker's, over random worlds (worlds.py): hands both to the program of
twin/twin.c, which compares them.

A world is left out, and counted, where it says what the other two cannot: more
queues, nodes or classes than a world of the checker has; a step that no node
holds, which an engine does not count until there is one. A world of which the
definition leaves S open is left out, too."""
import argparse
import collections
import random
import subprocess
import sys

from shares import INF, Shares
from worlds import draw

ORDERS = ("drf", "fair", "utilisation", "priority", "fifo", "random", "share")  # enum sked_order_policy
DIALECTS = ("imbalance", "starvation", "entitlement")
ROWS, NODES, CLASSES, JOBS = 14, 5, 14, 10


def why_not(w):
    """What the others cannot say of a world; None: nothing."""
    jobs = len({c.leaf for c in w.classes})
    if (len(w.queues) > ROWS or len(w.nodes) > NODES or jobs > JOBS or
            len(w.classes) > CLASSES):
        return "too large"
    for c in w.classes:
        places = [v for p, v in w.nodes if c.partition in (-1, p)]
        if not any(all(d <= f for d, f in zip(c.step, v)) for v in places):
            return "a step that no node holds"
        at = c.leaf
        while at >= 0:
            q = w.queues[at]
            if any(d > min(m, g + b) for d, m, g, b in zip(
                    c.step, q.limit, q.guarantee, q.borrow) if d):
                return "a step that a limit keeps out"
            at = q.parent
    return None


def is_open(w):
    """The definition leaves S open: the last filling moves amounts, or keys of
    several children stand still together."""
    for p in {p for p, _ in w.nodes}:
        x = Shares(w, p).exact
        if x.moves or "still" in x.f.odd:
            return "S is open"
    return None


def numbers(w, x):
    """A world, and what the model makes of it, as numbers."""
    parts = sorted({p for p, _ in w.nodes})
    ignored = w.ignored * 10000 or -1
    yield from (x, len(w.queues[0].limit), len(parts), DIALECTS.index(w.dialect),
                int(w.balance and w.dialect == "imbalance"), ignored,
                len(w.queues), len(w.nodes), len(w.classes))
    for q in w.queues:
        yield from (q.parent, q.weight, ORDERS.index(q.order), q.fair_kind,
                    int(q.give))
        for column in (q.guarantee, q.limit, q.borrow, q.lend):
            yield from (-1 if v >= INF else v for v in column)
    for p, v in w.nodes:
        yield from (p, *v)
    for c in w.classes:
        yield from (c.leaf, c.partition, c.want, *c.step)
    for p in parts:
        s = Shares(w, p)
        for row in s.rows:
            for column in (s.S, s.G, s.kept, s.hi, s.E, s.gamma):
                yield from column[row] or [0] * len(s.kinds)
            if not s.children[row]:
                yield from s.C[row, None]
                yield from s.K[row, None]


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("program")
    a.add_argument("--worlds", type=int, default=600)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--least", type=int, default=300,
                   help="worlds that have to be comparable")
    o = a.parse_args()
    said, out = [], collections.Counter()
    for x in range(o.seed, o.seed + o.worlds):
        w = draw(random.Random(x))
        reason = why_not(w) or is_open(w)
        if reason:
            out[reason] += 1
        else:
            said.append(" ".join(map(str, numbers(w, x))))
    print("%d of %d worlds; left out: %s" % (len(said), o.worlds, dict(out)),
          flush=True)
    if len(said) < o.least:
        return 1
    text = "%d\n%s\n" % (len(said), "\n".join(said))
    return subprocess.run([o.program], input=text, text=True).returncode


if __name__ == "__main__":
    sys.exit(main())
