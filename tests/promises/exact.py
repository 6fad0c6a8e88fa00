#!/usr/bin/env python3
"""S of the library against the exact filling of whole trees (filling.py).

A world is one node, a tree of queues, and tasks that leaves want. The program
draws random worlds, computes S of each queue, and compares S with what the
library says (exact/probe.c).

usage: exact.py PROBE WORLDS SEED [key=value ...]
       exact.py PROBE WORLDS SEED table     each sort of world, a line each
       exact.py PROBE WORLDS SEED gate      each sort, small trees; fails if one
                                            world is off (SKED_TEST_SIZE counts)

  depth=1-4 kinds=1-3 fam=12 most=25   the tree, at most so many leaves
  policy=drf        drf, fair, share, utilisation, or mixed
  backlog=endless   or mixed: 0.02 to 30 times the capacity
  unlike=1          tasks differ inside families
  profiles=1        task profiles of a leaf, at most
  weights=1 zero=0  weights 1 to 3; some queues have weight 0
  guar=0            1: of some leaves, in whole tasks; 2: in any amounts
  pguar=0           parents have guarantees of their own
  over=0            guarantees may add up to more than the parent's
  limit=0 borrow=0 lend=0
  scale=1000        units of a task's smallest amount
  show=0            prints that world

E and contended kinds come from the filling before. If the last filling still
moves amounts, S may be off by twice that. A world is open where the definition
leaves its outcome open: the last filling moves an amount by more than 3 % of
the capacity, or the keys of several children stand still together. Open worlds
are counted apart.
"""
import os
import random
import subprocess
import sys
from fractions import Fraction as F

from filling import Queue, Shares, Tree, differ, rows_of, siblings, whole

RIGHT = F(2, 1000)  # of the capacity


# ---- Worlds ----


def draw_shape(rng, n, scale):
    return tuple((rng.choice([0, 1, 1, 2, 3, 4]) if k else rng.randint(1, 4))
                 * scale for k in range(n))


def draw_leaf(rng, o, C, q, shape):
    n, scale = len(C), o["scale"]
    for _ in range(rng.randint(1, o["profiles"])):
        d = shape if shape and not q.profiles else draw_shape(rng, n, scale)
        full = min(C[k] // d[k] for k in range(n) if d[k])
        tasks = 30 * max(C) // scale
        if o["backlog"] == "mixed":
            tasks = max(1, int(full * rng.choice(
                [.02, .05, .1, .2, .5, 1, 3, 30])))
        if all(d != x for x, _ in q.profiles):
            q.profiles.append([d, tasks])


def draw_bounds(rng, o, C, q):
    n, scale = len(C), o["scale"]

    def part(*of):
        return [int(c * rng.choice(of) / scale) * scale for c in C]
    if o["limit"] and rng.random() < .25:
        k = rng.randrange(n)
        q.limit = [None] * n
        q.limit[k] = part(.1, .2, .3, .5)[k]
    if o["lend"] and q.guarantee and rng.random() < .6:
        q.lend = part(0, .02, .05, .1)
    if o["borrow"] and rng.random() < .25:
        q.borrow = part(0, .05, .1, .3)


def draw_guarantees(rng, o, C, root):
    n, left = len(C), [c // 2 for c in C]
    for q in rows_of(root)[1:]:
        if q.kids and o["pguar"] and rng.random() < .4:
            q.guarantee = [int(c * rng.choice([0, .1, .2, .3])) for c in C]
        if q.kids or not o["guar"] or rng.random() > .4:
            continue
        d, wanted = q.profiles[0]
        if o["guar"] == 2:
            q.guarantee = [int(c * rng.choice([0, .05, .1, .2])) for c in C]
            continue
        room = min(left[k] // d[k] for k in range(n) if d[k])
        tasks = rng.randint(0, max(0, min(room // (1 if o["over"] else 3),
                                          wanted)))
        q.guarantee = [tasks * x for x in d]
        if not o["over"]:
            left = [a - b for a, b in zip(left, q.guarantee)]


ORDERS = ("drf", "fair", "share", "utilisation")


def draw(rng, o):
    n, scale = rng.randint(*o["kinds"]), o["scale"]
    C = [rng.randint(60, 400) * scale for _ in range(n)]
    depth, left = rng.randint(*o["depth"]), [o["most"]]
    root = Queue("root", None)

    def grow(q, level, shape):
        q.order = rng.choice(ORDERS) if o["policy"] == "mixed" else o["policy"]
        few = level == 1 and depth > 1
        many = rng.randint(2, 5) if few else rng.choice(
            [1, 2, 3, 4, 6, 8, o["fam"]])
        for i in range(many):
            if left[0] <= 0 and q.kids:
                return
            c = Queue(f"{q.path}.{'abcdefgh'[level]}{i}", q,
                      rng.choice([1, 1, 2, 3]) if o["weights"] else 1)
            if o["zero"] and rng.random() < .15:
                c.weight = 0
            own = shape or draw_shape(rng, n, scale)
            if level < depth and left[0] > 0 and \
                    rng.random() < (.75 if level == 1 else .4):
                alike = not o["unlike"] or rng.random() < .3
                grow(c, level + 1, own if alike else None)
            else:
                left[0] -= 1
                draw_leaf(rng, o, C, c, own)
    grow(root, 1, None)
    draw_guarantees(rng, o, C, root)
    for q in rows_of(root)[1:]:
        draw_bounds(rng, o, C, q)
    return C, root


def text_of(root, n):
    def vector(name, v):
        said = ",".join(f"k{k}={v[k]}" for k in range(n) if v[k] is not None)
        return f' {name}="{said}"' if said else ""
    lines = ["kinds " + " ".join(f"k{k}" for k in range(n))]
    for q in rows_of(root):
        line = q.path + (f" order={q.order}" if q.kids else "")
        line += f" weight={q.weight}" if q.up else ""
        for name in ("guarantee", "limit", "borrow", "lend"):
            v = getattr(q, name)
            line += vector(name, v) if v else ""
        lines.append(line)
    return lines


class Probe:
    """The library: what it says of S."""

    def __init__(self, program):
        self.run = subprocess.Popen([program], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, text=True)

    def ask(self, C, root):
        lines = text_of(root, len(C))
        wants = [f"{q.path} {' '.join(map(str, d))} {n}"
                 for q in rows_of(root) for d, n in q.profiles]
        self.said = "\n".join(
            [f"W {len(lines)} {len(C)} {len(wants)}", " ".join(map(str, C))]
            + lines + wants) + "\n"
        self.run.stdin.write(self.said)
        self.run.stdin.flush()
        S, use, self.checker = {}, {}, {}
        while True:
            words = self.run.stdout.readline().split()
            if words and words[0] == "E":
                return S, use
            if not words or words[0] not in "RC":
                raise RuntimeError(f"the probe says {words} of\n{self.said}")
            v = [int(x) for x in words[2:]]
            if words[0] == "C":
                self.checker[words[1]] = v
                continue
            S[words[1]], use[words[1]] = v[:len(C)], v[len(C):]


def off(x, q, said):
    """How far S is from the filling, in parts of the capacity. Of a leaf of
    one profile its tasks count, else amounts of kinds that have run out."""
    t, use = x.t, x.f.use[q]
    free = siblings(q)
    if len(q.profiles) == 1:
        d = q.profiles[0][0]
        runs = min(F(said[k], d[k]) for k in t.z if d[k])
        most = min(F(max(use[k], t.kept[q][k])) / d[k] for k in t.z if d[k])
        away = max(runs - max(most, x.f.done[q, 0]), x.f.done[q, 0] - runs, 0)
        if all(away * d[k] <= free for k in t.z):
            return 0
        return away * x.f.dominant(d)
    far = [F(0)]
    for k in x.out_above(q):
        mine = max(use[k], t.kept[q][k], x.f.held[q][k])
        far.append((said[k] - mine - free) / t.C[k])
        far.append((use[k] - said[k] - free) / t.C[k])
    return max(far)


def worst(x, said):
    return max((off(x, q, said[q.path]), q.path) for q in x.t.rows[1:])


def strict(x, said):
    """Rows of which S in a contended kind is not the filling's to a unit a
    sibling, or in another kind not what the child wants. If the last filling
    moves amounts, S may be off by twice that."""
    t = x.t
    for q in t.rows[1:]:
        for k in t.z:
            have, mine = said[q.path][k], x.S[q][k]
            free = siblings(q) + 2 * x.moves * t.C[k]
            low = min(mine, whole(x.f.use[q][k])) \
                if k in x.hot[q.up] else min(mine, t.hi[q][k])
            if not low - free <= have <= mine + free:
                yield q.path, k, have, mine


def check_checker(x, checker):
    """The first row of which the checker of promises says another S; it may
    be a unit off, and a loose row may be anything."""
    if any(v[0] for v in checker.values()):
        return None
    for q in x.t.rows[1:] if checker else ():
        if any(abs(a - b) > 1 for a, b in zip(checker[q.path][1:], x.S[q])):
            return q.path, x.S[q], checker[q.path][1:]
    return None


def is_open(x):
    """Does another way to read what is open give another S?"""
    if x.moves > F(3, 100):
        return True
    twists = [4] + ([1] if "still" in x.f.odd else [])
    twists += [2] if any(any(v) for v in x.t.kept.values()) else []
    return any(differ(x.t, x.S, Shares(x.t, twist).S, RIGHT + 2 * x.moves)
               for twist in twists)


def options(words):
    o = dict(depth=(1, 4), kinds=(1, 3), fam=12, most=25, policy="drf",
             backlog="endless", unlike=1, profiles=1, weights=1, zero=0, guar=0,
             pguar=0, over=0, limit=0, borrow=0, lend=0, scale=1000, show=0)
    for word in words:
        key, _, value = word.partition("=")
        if key not in o or not value:
            raise SystemExit(f"exact.py: no such option: {word}")
        if key in ("depth", "kinds"):
            ends = value.split("-")
            o[key] = (int(ends[0]), int(ends[-1]))
        else:
            o[key] = value if key in ("backlog", "policy") else int(value)
    return o


def show(x, said, use):
    for q in x.t.rows:
        hot = sorted(x.hot[q.up]) if q.up else ""
        print(q.path, "filling", [round(float(a), 3) for a in x.f.use[q]],
              "S", said[q.path], "order", use[q.path], "E", x.E.get(q),
              "G", x.t.G[q], "kept", x.t.kept[q], "wants", x.t.hi[q],
              "contended above", hot)


def run(program, worlds, seed, o):
    """Counts: right, off by more than 3 %, open, not to the unit."""
    rng, probe = random.Random(seed), Probe(program)
    c = dict(worlds=0, right=0, far=0, open=0, units=0, checked=0, loose=0,
             checker=0)
    bad = []
    for w in range(1, worlds + 1):
        C, root = draw(rng, o)
        said, use = probe.ask(C, root)
        x = Shares(Tree(root, C))
        c["worlds"] += 1
        if o["show"] == w:
            print(probe.said)
            show(x, said, use)
        wrong = check_checker(x, probe.checker)
        c["checked"] += bool(probe.checker)
        c["loose"] += any(v[0] for v in probe.checker.values())
        if wrong:
            c["checker"] += 1
            bad.append((9.0, w) + wrong)
        away, path = worst(x, said)
        if away <= RIGHT + 2 * x.moves:
            c["right"] += 1
        elif is_open(x):
            c["open"] += 1
            continue
        else:
            c["far"] += away > F(3, 100)
            bad.append((float(away), w, path))
            continue
        unit = next(strict(x, said), None)
        if unit and not is_open(x):
            c["units"] += 1
            bad.append((0.0, w) + unit)
    probe.run.stdin.close()
    probe.run.wait()
    return c, sorted(bad, reverse=True)


SORTS = (
    "depth=1", "depth=1 guar=1", "depth=1 backlog=mixed", "depth=2 unlike=0",
    "depth=2", "depth=2 backlog=mixed", "depth=2 guar=1", "depth=2 limit=1",
    "depth=3-4 unlike=0", "depth=3-4", "depth=3-4 backlog=mixed",
    "depth=3-4 guar=1 limit=1 backlog=mixed",
    "kinds=1 guar=1 limit=1 backlog=mixed", "policy=fair",
    "policy=share kinds=1", "policy=share", "policy=share backlog=mixed guar=1",
    "policy=utilisation kinds=1 guar=1", "policy=utilisation guar=1",
    "policy=utilisation guar=1 backlog=mixed limit=1",
    "policy=utilisation guar=2 pguar=1 backlog=mixed",
    "policy=mixed backlog=mixed guar=1 limit=1",
    "pguar=1", "pguar=1 guar=2 backlog=mixed", "guar=1 over=1",
    "guar=2 lend=1", "guar=2 pguar=1 lend=1 backlog=mixed",
    "zero=1 guar=1", "zero=1 guar=2 pguar=1 backlog=mixed",
    "borrow=1 guar=2", "profiles=3", "profiles=3 backlog=mixed guar=1 limit=1",
    "policy=mixed profiles=2 guar=2 pguar=1 lend=1 zero=1 borrow=1 limit=1 "
    "backlog=mixed",
)


def line(c):
    return (f"{c['worlds']} worlds: {c['right']} right, {c['far']} off by more "
            f"than 3 %, {c['open']} open, {c['units']} not to the unit"
            + (f"; the checker: {c['checked']}, {c['loose']} loose, "
               f"{c['checker']} wrong" if c["checked"] else ""))


def main(argv):
    if len(argv) < 4:
        raise SystemExit(__doc__)
    program, worlds, seed = argv[1], int(argv[2]), int(argv[3])
    if argv[4:] not in (["table"], ["gate"]):
        c, bad = run(program, worlds, seed, options(argv[4:]))
        print(line(c))
        for b in bad[:5]:
            print("  ", *b)
        return 0
    wrong, gate = 0, argv[4] == "gate"
    all_of = dict(worlds=0, open=0, checked=0, loose=0)
    size = os.environ.get("SKED_TEST_SIZE")
    each = {"full": -(-10000 // len(SORTS)),
            "part": -(-worlds // 8)}.get(size, worlds) if gate else worlds
    for sort in SORTS:
        words = sort.split() + (["most=7", "fam=5"] if gate else [])
        c, bad = run(program, each, seed, options(words))
        print(f"{sort:<52} {line(c)}", flush=True)
        for b in bad[:2] if gate else ():
            print("    world", b[1], "of that sort:", *b)
        wrong += len({b[1] for b in bad})
        for key in all_of:
            all_of[key] += c[key]
    few = all_of["worlds"] >= 200 and (
        all_of["open"] * 12 > all_of["worlds"]
        or all_of["loose"] * 6 > all_of["checked"])
    print(f"{wrong} worlds are off; {all_of}"
          + (", too many are open or loose" if few else ""))
    return int(gate and (wrong > 0 or few))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
