#!/usr/bin/env python3
"""Known answers for filling.py: small trees, worked out by hand from
docs/design/shares.md."""
import sys

from filling import Queue, Shares, Tree

ENDLESS = 10 ** 6


def tree(text):
    """Lines of a path, then name=value: weight, order, fair_kind, guarantee,
    limit, lend, and task=amounts*tasks, several of them for several profiles."""
    at = {}
    for row in text.strip().splitlines():
        path, *words = row.split()
        q = at[path] = Queue(path, at.get(path.rpartition(".")[0]))
        for word in words:
            name, _, value = word.partition("=")
            if name == "task":
                amounts, _, n = value.partition("*")
                task = tuple(int(x) for x in amounts.split(","))
                q.profiles.append([task, int(n or ENDLESS)])
            elif name in ("weight", "fair_kind"):
                setattr(q, name, int(value))
            elif name == "order":
                q.order = value
            else:
                setattr(q, name, [None if x == "-" else int(x)
                                  for x in value.split(",")])
    return at


CASES = (
    ("a parent stands for its five leaves", [195], """
root
root.p task=1
root.w
root.w.a task=1
root.w.b task=1
root.w.c task=1
root.w.d task=1
root.w.e task=1
""", {"root.p": [97], "root.w": [97], "root.w.a": [19]}),
    ("a parent goes on without the leaf that has all", [120, 120], """
root
root.p task=0,1
root.w
root.w.x task=1,0
root.w.y task=0,1*20
""", {"root.p": [0, 100], "root.w": [120, 20], "root.w.y": [0, 20]}),
    ("dominant shares are equal", [343, 214, 115], """
root
root.p task=3,1,3
root.w
root.w.a task=2,3,1
root.w.b task=2,3,1
root.w.c task=2,3,1
""", {"root.p": [70, 23, 70], "root.w": [88, 132, 44]}),
    ("share: weights hold at any ratio", [100], """
root order=share
root.p task=1
root.q weight=9 task=1
""", {"root.p": [10], "root.q": [90]}),
    ("utilisation: parts of guarantees are equal", [80], """
root order=utilisation
root.p guarantee=10 task=1
root.q guarantee=30 task=1
""", {"root.p": [20], "root.q": [60]}),
    ("fair: amounts of one kind are equal", [1000, 100], """
root order=fair
root.p task=1,3
root.q task=1,1
""", {"root.p": [33, 75], "root.q": [100, 25]}),
    ("guarantees first", [100], """
root
root.p guarantee=60 task=1
root.q task=1
""", {"root.p": [60], "root.q": [40]}),
    ("a parent's guarantee lifts its leaves", [100], """
root
root.p
root.p.a task=1
root.p.b task=1
root.q weight=9 task=1
root.r guarantee=50 task=1*10
""", {"root.p": [9], "root.q": [81], "root.r": [10]}),
    ("guarantees are cut in one ratio to the parent's", [100], """
root
root.p guarantee=30 limit=30
root.p.a guarantee=30 task=1
root.p.b guarantee=60 task=1
root.q task=1
""", {"root.p": [30], "root.p.a": [10], "root.p.b": [20], "root.q": [70]}),
    ("a guarantee buys no more than E of another kind", [200, 100], """
root
root.p guarantee=90,0 task=1,1
root.q task=1,1
""", {"root.p": [100, 50], "root.q": [100, 50]}),
    ("a limit inside", [100], """
root
root.p task=1
root.w limit=30
root.w.a task=1
root.w.b task=1*5
""", {"root.p": [70], "root.w": [30], "root.w.a": [25], "root.w.b": [5]}),
    ("weight 0: the guarantee", [100], """
root
root.p weight=0 guarantee=20 task=1
root.q task=1
root.r weight=0 task=1
""", {"root.p": [20], "root.q": [80], "root.r": [0]}),
    ("what is kept counts in the parent", [100], """
root
root.p guarantee=40 lend=10 task=1*5
root.q task=1
""", {"root.q": [70]}),
    ("a queue rises to what is kept, though the kind has run out", [100, 100], """
root
root.p guarantee=40,0 lend=0,0 task=1,1
root.q weight=9 task=1,1
""", {"root.p": [40, 40], "root.q": [60, 60]}),
    ("a child whose key stands still comes first", [100, 100], """
root order=fair
root.p task=0,1
root.q task=1,1
""", {"root.p": [0, 100], "root.q": [100, 0]}),
    ("a parent of weight 0 has only what is guaranteed", [100], """
root
root.p weight=0
root.p.a guarantee=20 task=1
root.p.b task=1
root.q task=1
""", {"root.p": [20], "root.p.a": [20], "root.p.b": [0], "root.q": [80]}),
    ("a parent of kept amounts rises to its guarantee", [164], """
root
root.a task=1
root.b task=1
root.c
root.c.d guarantee=12 lend=4 task=1
root.c.e guarantee=47 lend=0 task=1
""", {"root.a": [52], "root.b": [52], "root.c": [59], "root.c.d": [12],
      "root.c.e": [47]}),
    ("amounts kept two levels down count once", [240], """
root
root.p weight=3
root.p.q limit=72
root.p.q.r guarantee=379 lend=43 task=1*1
root.s task=1*142
root.t task=27*1
""", {"root.p": [72], "root.s": [141], "root.t": [27]}),
    ("profiles rise with equal dominant shares", [100, 100], """
root
root.p task=2,0 task=1,4
root.q task=0,1
""", {"root.p": [100, 44], "root.q": [0, 55]}),
)


def main():
    wrong = 0
    for name, capacity, text, want in CASES:
        at = tree(text)
        x = Shares(Tree(at["root"], capacity))
        for path, amounts in want.items():
            got = x.S[at[path]]
            if got != amounts:
                wrong += 1
                print(f"{name}: S of {path} is {got}, not {amounts}")
    print(f"{len(CASES)} trees, {wrong} amounts are wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
