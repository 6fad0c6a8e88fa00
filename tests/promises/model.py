#!/usr/bin/env python3
"""Shares, placement and preemption of an engine as one small exact model.

A world is some partitions of nodes, a tree of queues and classes of alike
steps (a step is a task, or all tasks of a gang), and demand that never
changes: what ends or is killed is wanted again. All is counts of whole steps.

shares.py   what follows from tree, capacity and demand: bounds, what is kept,
            S, and what may be claimed of it (C) and is kept from others (K).
state.py    what runs where, books, placement: guarantee first, then the
            order; claims, victims, notices that run out, kills.
worlds.py   draws worlds.
compare.py  S, C and K of many worlds against the library's and the checker's.
run()       runs a world and counts what breaks a promise:
  P1  a cold start leaves nothing startable within S below a guarantee
  P2  usage as tasks end comes to S (counted, converge.py)
  P3  sums of usage and what is kept stay within every bound
  P4, P6  what is killed for starts at once on that node; plans are minimal
  P5  no victim that does not help (minimal, with every bound asked)
  P7  kills end; what is protected never becomes less
  P8  no claim stays that a plan could serve; on one node none at all
  P9  what is fixed or spared never goes
"""
import argparse
import collections
import itertools
import random
import sys

from state import State
from worlds import draw


def run(w, seed, rounds=300):
    """Rounds until nothing moves; what happened, by name."""
    s, r = State(w, random.Random(seed)), collections.Counter()
    rows = range(len(w.classes))
    cold(s, r)
    s.clear()
    s.want = [w.classes[i].want if i in w.early else 0 for i in rows]
    s.place()
    s.want = [c.want for c in w.classes]
    seen, quiet, at = {}, 0, 0
    for at in range(rounds):
        pot, kills = s.potential(), r["kills"]
        plans = str(s.plans)
        started = s.place()
        r["falls"] += any(a < b for a, b in zip(s.potential(), pot))
        s.clocks()
        s.round(at, r)
        r["P3"] += not s.within()
        quiet = 0 if started or r["kills"] > kills or str(s.plans) != plans else quiet + 1
        key = str((s.run, s.below, s.over, [(x.claim, x.node, x.victims, [
            at - t for t in x.told.values()]) for x in s.plans]))
        r["loop"] = seen.setdefault(key, r["kills"]) < r["kills"]
        if quiet > 5 + w.grace or r["loop"]:
            break
    else:
        r["no end"] = 1
    starving(s, r)
    return r, s


def cold(s, r):
    """P1 of a cold start on whole nodes: who could still start within S and
    below the guarantee at every level was not passed over."""
    if len(s.w.nodes) > 1 or s.w.tags & {"priority order", "user limit", "masters"}:
        return
    s.place()
    b = s.books[s.w.nodes[0][0]]
    for i in range(len(s.w.classes)):
        path = b.s.path(s.w.classes[i].leaf)[:-1]
        own = any(q == path[0] and new > b.s.cap[q][k] for q, k, new in
                  b.walk(path[0], s.w.classes[i].step, 1))
        own |= any(d > f and not b.s.hot[0] >> k & 1 for k, (d, f) in enumerate(
            zip(s.w.classes[i].step, s.free[0])))
        r["P1"] += s.waits(i) and not own and s.w.classes[i].partition in (-1, b.s.p) and all(
            s.stage0(q, i, b) for q in path)


def starving(s, r):
    """P8 by brute force, in the end: what some set of tasks could serve of
    which each owner keeps K; and on one node, plainly: no claim waits."""
    w = s.w
    pure = len(w.nodes) == 1 and w.dialect != "imbalance" and not w.ignored and not w.tags & {
        "user limit", "masters", "spared", "fixed", "ceilings"}
    for i, node in itertools.product(range(len(w.classes)), range(len(w.nodes))):
        p = w.nodes[node][0]
        if s.waits(i) and s.is_claim(i, p) and s.due(i, p):
            r["pure claims"] += pure
            found = s.find(i, node, "claim")
            r["planless"] += found is not None
            if found is None:
                r["starved"] += serviceable(s, i, node)
            r["P8"] += pure


def serviceable(s, i, node, most=3000):
    w, p = s.w, s.w.nodes[node][0]
    rows = [j for j in range(len(w.classes)) if s.run[j][node] and s.gives(j, p)
            and s.owner(j) != s.owner(i)]
    count = 1
    for j in rows:
        count *= s.run[j][node] + 1
    if count > most:
        return False
    for counts in itertools.product(*(range(s.run[j][node] + 1) for j in rows)):
        for j, n in zip(rows, counts):
            for _ in range(n):
                s.move(j, node, -1)
        good = s.starts(i, node) and all(
            u >= k for j, n in zip(rows, counts) if n for u, k, d in zip(
                s.usage(s.owner(j), p), s.shares[p].K[s.owner(j)],
                w.classes[j].step) if d)
        for j, n in zip(rows, counts):
            for _ in range(n):
                s.move(j, node, 1)
        if good:
            return True
    return False


FAULTS = ("P1", "P3", "loop", "no end", "falls", "not minimal", "planless", "P8",
          "spared")


def size(w):
    return len(w.queues) + len(w.classes) + 3 * len(w.nodes[0][1]) + 2 * len(
        w.nodes) + 2 * (w.grace > 0) + len(w.tags) // 4


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("--worlds", type=int, default=300)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--show", metavar="FAULT", help="print the smallest world with it")
    o = a.parse_args()
    sums, tags, worst = collections.Counter(), collections.Counter(), {}
    for x in range(o.seed, o.seed + o.worlds):
        w = draw(random.Random(x))
        r, _ = run(w, x)
        sums.update(r)
        sums.update(worlds=1, killing=r["kills"] > 0)
        tags.update(w.tags)
        for name in FAULTS + ("starved", "late"):
            if r[name]:
                sums["worlds with " + name] += 1
                if name not in worst or size(w) < size(worst[name][1]):
                    worst[name] = x, w
    print(dict(sums))
    print({name: x for name, (x, _) in worst.items()})
    if o.show in worst:
        print(worst[o.show][0], worst[o.show][1].text())
    return any(name in FAULTS for name in worst)


if __name__ == "__main__":
    sys.exit(main())
