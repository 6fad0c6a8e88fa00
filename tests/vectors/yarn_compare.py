"""Comparators of YARN as calls. YARN compares two elements by one
key after the other; the library orders by one exact key and then by position.
So elements are handed over in the order of what decides in the end (start,
then name), and in classes that are served one after the other (those below
their minimum share, the rest, those that want nothing), each with its own
order. All keys are worked out here in fractions; what YARN's floats say is in
the functions that take `number`."""

import hashlib
import itertools
import math
from fractions import Fraction

from yarn_float import divide, f32, sign

DRF, FAIR, UTILISATION = 0, 1, 2
MOST_WEIGHT = 2 ** 32 - 1
INFINITE = 2 ** 200


def shortest(value):
    """The shortest decimal that is this number in single precision."""
    said = (f"{value:.{digits}g}" for digits in range(1, 10))
    return Fraction(next((s for s in said if f32(float(s)) == f32(value)),
                         value))


def weights(values):
    """Float weights as whole numbers: in one exact ratio where 32 bits can
    have it, else in that of the shortest decimals that are the same floats,
    else in the finest parts that it can have, at least one."""
    for read in (Fraction, shortest):
        exact = [read(max(v, 0)) for v in values]
        unit = math.lcm(65536, *(x.denominator for x in exact))
        if max(exact, default=0) * unit <= MOST_WEIGHT:
            return [int(x * unit) for x in exact]
        unit = math.lcm(*(x.denominator for x in exact))
        if max(exact) * unit <= MOST_WEIGHT:
            return [int(x * unit) for x in exact]
    unit = max(65536, int(MOST_WEIGHT / max(values)))
    return [min(MOST_WEIGHT, max(1, round(v * unit))) if v > 0 else 0
            for v in values]


# ---- YARN's comparators, with numbers as floats or exact ----

def cmp(x, y):
    """0 where one is not a number: YARN takes the sign of a difference."""
    return 0 if x is None or y is None or x != x or y != y else sign(
        (x > y) - (x < y))


def exactly(a, b):
    if b == 0:
        return None if a == 0 else math.inf
    return a if a == math.inf else Fraction(a) / Fraction(b)


def in_single(a, b):
    return f32(divide(f32(a), f32(b)))


def fair_sign(a, b, cluster, number, second=True):
    da, db = a["demand"][0], b["demand"][0]
    if (da == 0) != (db == 0):
        return 1 if da == 0 else -1
    need = [min(q["min"][0], q["demand"][0]) for q in (a, b)]
    used = [q["usage"][0] for q in (a, b)]
    needy = [u < m for u, m in zip(used, need)]
    if needy[0] != needy[1]:
        return -1 if needy[0] else 1
    if needy[0]:
        parts = [number(u, max(m, 1)) for u, m in zip(used, need)]
        if cmp(*parts) or not second:
            return cmp(*parts)
    heavy = [f32(q["weight"]) for q in (a, b)]
    if min(heavy) > 0:
        return cmp(*(number(u, w) for u, w in zip(used, heavy)))
    if heavy[0] == heavy[1]:
        return cmp(*used) if second else 0
    return cmp(-heavy[0], -heavy[1])


def dominant_of(q, cluster, number):
    """The first of the largest shares; NaN is no share."""
    shares = [number(u, c) for u, c in zip(q["usage"], cluster)]
    best = 0
    for i, s in enumerate(shares):
        if cmp(s, shares[best]) > 0:
            best = i
    return shares, best


def java_sorted(keys):
    """Places of fewer than 32 keys as Java's sort leaves them: a run, then
    insertion by halves. (Python's own was the same until 3.13.)"""
    a, run = list(range(len(keys))), 2
    down = len(a) > 1 and keys[1] < keys[0]
    while run < len(a) and (keys[run] < keys[run - 1]) == down:
        run += 1
    if down:
        a[:run] = a[:run][::-1]
    for start in range(run, len(a)):
        low, high = 0, start
        while low < high:
            middle = (low + high) // 2
            if keys[start] < keys[a[middle]]:
                high = middle
            else:
                low = middle + 1
        a.insert(low, a.pop(start))
    return a


def drf_sign(a, b, cluster, number, second=True):
    (sa, da), (sb, db) = (dominant_of(q, cluster, number) for q in (a, b))
    needy = [q["usage"][d] < q["min"][d] for q, d in ((a, da), (b, db))]
    if needy[0] != needy[1]:
        return -1 if needy[0] else 1
    if needy[0]:
        va, vb = ([number(u, m) for u, m in zip(q["usage"], q["min"])]
                  for q in (a, b))
    else:
        va, vb = ([None if s is None else number(s, f32(q["weight"]))
                   for s in row] for q, row in ((a, sa), (b, sb)))

    def by_share(shares):
        """Largest first. What is not a number ends up where the sort of Java
        leaves it."""
        return java_sorted([math.nan if s is None else -s for s in shares])

    if len(cluster) == 2:
        pairs = [(va[da], vb[db]), (va[1 - da], vb[1 - db])]
    else:
        pairs = [(va[i], vb[j]) for i, j in zip(by_share(sa), by_share(sb))]
    signs = [cmp(x, y) for x, y in pairs[:None if second else 1]]
    return next((s for s in signs if s), 0)


def fifo_sign(a, b, cluster, number, second=True):
    return cmp(b.get("priority", 1), a.get("priority", 1))


SIGNS = {"fair": fair_sign, "drf": drf_sign, "fifo": fifo_sign}


def tie(a, b):
    return cmp(a["start"], b["start"]) or (a["name"] > b["name"]) - (
        a["name"] < b["name"])


# ---- The same as classes and keys of the library ----

def fair_rows(items, cluster):
    """(class, order, usage, guarantee) of each."""
    for q in items:
        need, used = min(q["min"][0], q["demand"][0]), q["usage"][0]
        if q["demand"][0] and used < need:
            yield 0, UTILISATION, [used], [max(need, 1)]
        else:
            yield 1 if q["demand"][0] else 2, FAIR, [used], [0]


def drf_rows(items, cluster):
    for q in items:
        _, d = dominant_of(q, cluster, exactly)
        if q["usage"][d] < q["min"][d]:
            used, need = [[0] * len(cluster) for _ in "ab"]
            used[0], need[0] = q["usage"][d], q["min"][d]
            yield 0, UTILISATION, used, need
        else:
            yield 1, DRF, q["usage"], [0] * len(cluster)


def fifo_rows(items, cluster):
    for q in items:
        yield -q.get("priority", 1), FAIR, [0], [0]


ROWS = {"fair": fair_rows, "drf": drf_rows, "fifo": fifo_rows}


def key_of(row, weight, cluster):
    """The key that <sched/order.h> promises."""
    kind, order, usage, guarantee = row
    if order == UTILISATION:
        return kind, usage[0] * 2 ** 62 // guarantee[0]
    if order == DRF:
        short = any(u and not c for u, c in zip(usage, cluster))
        if weight == 0 or short:
            return kind, INFINITE
        best = max(Fraction(u, c) if u else Fraction(0)
                   for u, c in zip(usage, cluster))
        return kind, min(math.floor(best * 2 ** 62 / weight), 2 ** 64 - 2)
    return kind, Fraction(usage[0], weight) if weight else INFINITE


def rule_of(policy, a, b, cluster, given, got):
    """By which rule `given` is not what the library says."""
    number = divide if len(cluster) == 2 or policy != "drf" else in_single
    sign_of, after = SIGNS[policy], tie(a, b)
    if (sign_of(a, b, cluster, number) or after) != given:
        return None
    if (sign_of(a, b, cluster, exactly) or after) == got:
        return "float-shares"
    if (sign_of(a, b, cluster, exactly, False) or after) == got:
        return "ties-by-position"
    if 0 in (a["weight"], b["weight"]):
        return "zero-weight-last"
    if 0 in cluster:
        return "zero-capacity-last"
    over = any(u > 4 * 65536 * c for q in (a, b)
               for u, c in zip(q["usage"], cluster))
    return "beyond-the-key" if over else None


def pair(policy, cluster, a, b, given):
    rows = list(ROWS[policy]((a, b), cluster))
    heavy = weights([f32(a["weight"]), f32(b["weight"])])
    keys = [key_of(r, w, cluster) for r, w in zip(rows, heavy)]
    after = tie(a, b)
    got = (keys[0] > keys[1]) - (keys[0] < keys[1]) or after
    order = [1, 0] if after > 0 else [0, 1]
    classes = sorted({r[0] for r in rows})
    rule = rule_of(policy, a, b, cluster, given, got) if got != given else None
    width = 1 if policy != "drf" else len(cluster)
    return "pair", rule, {
        "first": order.index(0), "tie": int(after == 0),
        "capacity": cluster[:width],
        "class": [classes.index(rows[i][0]) for i in order],
        "order": [next(r[1] for r in rows if r[0] == k) for k in classes],
        "weight": [heavy[i] for i in order],
        "usage": sum((rows[i][2] for i in order), []),
        "guarantee": sum((rows[i][3] for i in order), []),
        "want": given, "exact": got}


def compare(case):
    x = case["input"]
    cluster = x.get("cluster", [1, 1])
    if any(v < 0 for q in "ab" for k in ("min", "demand", "usage")
           for v in x[q][k]):
        yield "-", "lacks:amounts-below-0", {}
    else:
        yield pair(x["policy"], cluster, x["a"], x["b"], case["expect"])


def compare_domain(case):
    """Every pair of a product of values; the known answer is a hash of all
    signs, which YARN's comparator must reproduce first."""
    x, want = case["input"], case["expect"]
    items = [dict(name=n, start=s, usage=u, weight=w, demand=d, min=x["min"])
             for n, s, u, w, d in itertools.product(
                 x["names"], x["starts"], x["usages"], x["weights"],
                 x["demands"])]
    cluster = x.get("cluster", [1] * len(x["types"]))
    number = divide if len(cluster) == 2 else in_single
    signs = [SIGNS[x["policy"]](a, b, cluster, number) or tie(a, b)
             for a in items for b in items]
    text = "".join(want["sign_alphabet"].split()[s + 1] for s in signs)
    if hashlib.sha256(text.encode()).hexdigest() != want["sha256_of_signs"]:
        yield "hash-of-signs", None, {}
        return
    for (a, b), given in zip(itertools.product(items, items), signs):
        yield pair(x["policy"], cluster, a, b, given)
