"""Orders of the capacity scheduler as calls: queues, applications, rows of
ratios, draws. Rows are handed over in the order of what decides last."""

import math
from fractions import Fraction

UTILISATION, PRIORITY, HOST = 2, 3, 64
BY_FAIR, BY_PRIORITY = 1, 2


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
        "n": n, "upper": [b >> 32 for b in bits],
        "lower": [b & 0xffffffff for b in bits],
        "want": [x["queues"].index(q) for q in case["expect"]]}
