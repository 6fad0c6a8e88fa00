"""Orders and comparators of YARN as calls. YARN compares two elements by one
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

DRF, FAIR, UTILISATION, PRIORITY, HOST = 0, 1, 2, 3, 64
BY_FIFO, BY_FAIR, BY_PRIORITY = 0, 1, 2
MOST_WEIGHT = 2 ** 32 - 1
INFINITE = 2 ** 200


def weights(values):
    """Float weights as whole numbers: in one exact ratio where 32 bits can
    have it, else in 1/65536 parts, at least one."""
    exact = [Fraction(max(v, 0)) for v in values]
    unit = math.lcm(65536, *(x.denominator for x in exact))
    if max(exact, default=0) * unit <= MOST_WEIGHT:
        return [int(x * unit) for x in exact]
    return [min(MOST_WEIGHT, max(1, round(v * 65536))) if v > 0 else 0
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
        return sorted(range(len(cluster)), reverse=True,
                      key=lambda i: (shares[i] is not None and
                                     shares[i] == shares[i], shares[i] or 0))

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
    return "zero-weight-last" if 0 in (a["weight"], b["weight"]) else None


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


# ---- Rows of ratios ----

def compare_rows(case):
    x = case["input"]
    column = x["column"]
    rows = [[Fraction(repr(r[column])) for r in x[k]]
            for k in ("rows_a", "rows_b")]
    unit = math.lcm(*(v.denominator for r in rows for v in r))
    yield "ratio_rows", None, {
        "a": [int(v * unit) for v in rows[0]], "den": unit,
        "b": [int(v * unit) for v in rows[1]], "want": case["expect"],
        "exact": (rows[0] > rows[1]) - (rows[0] < rows[1])}


def sort_rows(case):
    """Largest first; equal ones stay as they stand."""
    for name, rows in case["input"].items():
        first = [Fraction(repr(r[0])) for r in rows]
        unit = math.lcm(*(v.denominator for v in first))
        left, want = list(range(len(rows))), []
        for row in case["expect"][name]:
            want.append(next(i for i in left if rows[i] == row))
            left.remove(want[-1])
        yield "apps", None, {"order": HOST, "class": [0] * len(rows),
                             "key": [-int(v * unit) for v in first],
                             "want": want}


# ---- Queues and applications of the capacity scheduler ----

def queue_order(case):
    x = case["input"]
    queues = x["queues"]

    def used(q):
        name = "used_capacity" if q["abs_capacity"] else "abs_used_capacity"
        return Fraction(repr(q[name]))

    place = sorted(range(len(queues)), key=lambda i: (
        [-v for v in queues[i]["configured_min"]], -queues[i]["abs_capacity"],
        i))
    rows = [queues[i] for i in place]
    unit = math.lcm(*(used(q).denominator for q in rows))
    names = [q["name"] for q in rows]
    by_priority = x["policy"] == "priority-utilization"
    if x["policy"] not in ("utilization", "priority-utilization"):
        yield "-", "lacks:order", {}
        return
    yield "children", None, {
        "order": [PRIORITY if by_priority else UTILISATION] * 4, "flags": 1,
        "class": [2 * (x["partition"] != "" and not q["accessible"]) +
                  (q["abs_capacity"] == 0) for q in rows],
        "priority": [q["priority"] for q in rows], "capacity": [unit],
        "usage": [int(used(q) * unit) for q in rows],
        "guarantee": [unit] * len(rows), "weight": [1] * len(rows),
        "want": [names.index(n) for n in case["expect"]]}


def demand(app):
    return app.get("pending", 0)


def fifo_key(app):
    return -app.get("priority", math.inf), app.get("id", 0), app.get("start", 0)


def app_weight(app, by_size):
    """log2(1 + demand), and 1 where either is 0."""
    if by_size and demand(app) and app.get("used", 0):
        return math.log2(1 + demand(app))
    return 1.0


def app_keys(policy, apps, by_size):
    """(class, key of the library, what comes after it) of each."""
    top = max([1] + [a.get("used", 0) for a in apps])
    for app in apps:
        late = int(policy == "fifo-for-pending-apps" and
                   not app.get("recovering"))
        if policy == "fair":
            weight = round(app_weight(app, by_size) * 2 ** 26) if by_size else 1
            key = app.get("used", 0) * 2 ** 62 // (top * weight)
            yield late, key, (app.get("start", 0), demand(app) == 0,
                              fifo_key(app))
        else:
            yield late, fifo_key(app)[0], fifo_key(app)[1:]


def apps_call(policy, apps, by_size, keys):
    """Rows in the order of what comes after the key; which row is which."""
    place = sorted(range(len(apps)), key=lambda i: (keys[i][2], i))
    rows = [apps[i] for i in place]
    fields = {"class": [keys[i][0] for i in place], "order": BY_PRIORITY,
              "priority": [a.get("priority", 2 ** 31 - 1) for a in rows]}
    if policy == "fair":
        fields.update({
            "order": BY_FAIR, "capacity": [max([1] + [a.get("used", 0)
                                                      for a in apps])],
            "usage": [a.get("used", 0) for a in rows],
            "weight": [round(app_weight(a, True) * 2 ** 26) if by_size else 1
                       for a in rows],
            "submitted": [a.get("start", 0) for a in rows]})
    return place, fields


def app_compare(case):
    x = case["input"]
    apps, by_size = (x["a"], x["b"]), x.get("size_based_weight", False)
    keys = list(app_keys(x["policy"], apps, by_size))
    place, fields = apps_call(x["policy"], apps, by_size, keys)
    got = (keys[0] > keys[1]) - (keys[0] < keys[1])
    rule = "size-based-weight" if by_size and got != case["expect"] else None
    yield "apps_pair", rule, dict(fields, first=place.index(0),
                                  tie=int(keys[0][2] == keys[1][2]),
                                  want=case["expect"], exact=got)


def orders_of(case, apps, wanted, name, policy, by_size=False):
    """One call an order that is wanted: (names, reversed, chosen rows)."""
    keys = list(app_keys(policy, apps, by_size))
    place, fields = apps_call(policy, apps, by_size, keys)
    names = [apps[i][name] for i in place]
    for order, reverse, chosen in wanted:
        fields = dict(fields, eligible=[int(chosen(apps[i])) for i in place],
                      want=[names.index(n) for n in order])
        exact = [names.index(apps[i][name]) for i in sorted(
            range(len(apps)), key=lambda i: (keys[i], i)) if chosen(apps[i])]
        fields.update({"reverse": int(reverse),
                       "exact": exact[::-1] if reverse else exact})
        rule = "size-based-weight" if by_size else None
        yield "apps", rule, fields


def app_order(case):
    x, want = case["input"], case["expect"]
    wanted = [(want[k], k == "preemption", lambda a: True) for k in want]
    yield from orders_of(case, x["apps"], wanted, "id", x["policy"],
                         x.get("size_based_weight", False))


def app_order_partitioned(case):
    """A set for each partition named, one for the rest."""
    x, want = case["input"], case["expect"]
    named = set(x["enforced_partitions"])
    wanted = [(want["preemption"], True, lambda a: True)]
    for partition, order in want["assignment"].items():
        def chosen(app, own=partition):
            if own in named:
                return app["partition"] == own
            return app["partition"] not in named
        wanted.append((order, False, chosen))
    yield from orders_of(case, x["apps"], wanted, "name", "fifo")


def random_order(case):
    """Draws as 64 random bits each: the middle of what gives the draw."""
    x = case["input"]
    n = len(x["queues"])
    bits = [(2 * d + 1) * 2 ** 63 // (n - i) for i, d in enumerate(x["draws"])]
    yield "shuffle", None, {
        "n": n, "high": [b >> 32 for b in bits],
        "low": [b & 0xffffffff for b in bits],
        "want": [x["queues"].index(q) for q in case["expect"]]}
