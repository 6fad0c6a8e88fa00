"""Cases of peloton.json as calls. Peloton counts in doubles, and two amounts
that differ by less than 0.0009 are the same to it; here amounts are whole:
millionths of a core, a megabyte, a device, in which its numbers are exact."""

from fractions import Fraction

import exact

KINDS = ("cpu", "memory", "disk", "gpu")
UNIT = 10 ** 6
EPSILON = Fraction(9, 10000)
BY_ARRIVAL, BY_PRIORITY = 0, 2


def number(x):
    return Fraction(repr(x)) if isinstance(x, float) else Fraction(x)


def units(amounts):
    """One vector; kinds that are not said are 0."""
    return [round(number(amounts.get(k, 0)) * UNIT) for k in KINDS]


# ---- Arithmetic ----

def near(a, b):
    return abs(a - b) < EPSILON * UNIT


def scalar(case):
    x, given = case["in"], case["expect"]
    op, a, b = x["op"], units(x["a"]), units(x["b"])
    pairs = list(zip(a, b))
    if op in ("le", "eq"):
        call = "fits" if op == "le" else "compare"
        is_so = all(p <= q if op == "le" else p == q for p, q in pairs)
        if op == "eq":  # the order of vectors says 0
            yield "equal", None, {"a": a, "b": b, "want": given, "exact": is_so}
            return
        theirs = all(p < q or near(p, q) for p, q in pairs)
        rule = "epsilon" if is_so != given == theirs else None
        yield call, rule, {"a": a, "b": b, "want": given, "exact": is_so}
        return
    calls = {"sub": ("excess", [max(p - q, 0) for p, q in pairs]),
             "add": ("add", [p + q for p, q in pairs]),
             "min": ("least", [min(p, q) for p, q in pairs])}
    if op not in calls:
        yield "-", "lacks:operation", {}
        return
    call, got = calls[op]
    theirs = [0 if near(p, q) else v for v, (p, q) in zip(got, pairs)]
    want = units(given)
    rule = "epsilon" if op == "sub" and want != got and want == theirs else None
    yield call, rule, {"a": a, "b": b, "want": want, "exact": got}


def host_compare(case):
    x, given = case["in"], case["expect"]
    a, b = units(x["a"]), units(x["b"])
    less = x["less"]
    got = all((p < q) == less for p, q in zip(a, b) if q > 0)
    theirs = all((p < q and not near(p, q)) == less for p, q in zip(a, b)
                 if q > 0)
    rule = "epsilon" if got != given == theirs else None
    yield "relation", rule, {"a": a, "b": b, "less": less, "want": given,
                             "exact": got}


def pool_limits(case):
    """A part of the reservation; processors never count as slack."""
    x = case["in"]
    own = units({k: v[0] for k, v in x["res"].items()})
    for name, missing in (("controller_limit", None), ("slack_limit", 20)):
        part = x.get(f"{name}_pct", missing)
        want = case["expect"].get(name)
        if want is None:
            continue
        if part is None or number(part) < 0:
            yield "-", "lacks:amounts-below-0", {}
            continue
        by = number(part) / 100
        base = [0] + own[1:] if name == "slack_limit" else own
        yield "scale", None, {"a": base, "num": by.numerator,
                              "den": by.denominator, "rounding": 3,
                              "want": units(want),
                              "exact": [round(v * by) for v in base]}


# ---- Trees ----

def rollup(case):
    x, want = case["in"], case["expect"]
    if "children_res" in x:
        rows = [units({k: v[0] for k, v in r.items()})
                for r in x["children_res"]]
        leaves = [(f"child{i}", "root", r) for i, r in enumerate(rows)]
        wanted = {"root": want["sum_reservation"]}
    else:
        leaves = [(n, v["parent"], units(v.get("alloc_total", {})))
                  for n, v in x["leaves"].items()]
        wanted = want["alloc_total"]
    inner = ["root"] + [p for p in dict.fromkeys(p for _, p, _ in leaves)
                        if p != "root"]
    names = inner + [n for n, _, _ in leaves]
    none = [0] * len(KINDS)
    nothing = ["?"] * len(KINDS)
    yield "rollup", None, {
        "kinds": len(KINDS),
        "parent": [-1] + [0] * (len(inner) - 1) +
                  [names.index(p) for _, p, _ in leaves],
        "leaf": [0] * len(inner) + [1] * len(leaves),
        "usage": none * len(inner) + sum((r for _, _, r in leaves), []),
        "want": sum((units(wanted[n]) if n in wanted else nothing
                     for n in names), [])}


def root_follows_capacity(case):
    """A root alone has the whole capacity, whatever that is."""
    steps = case["expect"]["root_reservation_and_limit_after_each"]
    for have, want in zip(case["in"]["capacity_steps"], steps):
        yield "share", None, {
            "model": exact.STEADY, "rounding": exact.LARGEST, "kinds": 4,
            "parent": [-1], "weight": [1], "capacity": units(have),
            "share": units(want), "exact": units(have)}


def priority_queue(case):
    x = case["in"]
    names = [n for n, _ in x["push"]]
    count = x.get("pop", x.get("peek", len(names)))
    order = sorted(range(len(names)), key=lambda i: (-x["push"][i][1], i))
    left, want = list(range(len(names))), []
    for name in case["expect"]:
        want.append(next(i for i in left if names[i] == name))
        left.remove(want[-1])
    yield "apps", None, {"order": BY_PRIORITY, "class": [0] * len(names),
                         "priority": [p for _, p in x["push"]],
                         "first_only": count, "want": want,
                         "exact": order[:count]}


def ready_queue(case):
    """First in, first out; what is not valid any more is passed over."""
    x, want = case["in"], case["expect"]

    def turn(names, valid, given):
        yield "apps", None, {
            "order": BY_ARRIVAL, "class": [0] * len(names),
            "submitted": list(range(len(names))), "eligible": valid,
            "want": [names.index(n) for n in given],
            "exact": [i for i, ok in enumerate(valid) if ok]}

    if set(x) == {"admitted_in_order"}:
        names = x["admitted_in_order"]
        yield from turn(names, [1] * len(names), want)
    elif set(x) == {"gang", "invalid"}:
        names = x["gang"]
        yield from turn(names, [int(n not in x["invalid"]) for n in names],
                        want["first_pop"])
        if "second_push_same_gang_pop" in want:
            yield from turn(names, [1] * len(names),
                            want["second_push_same_gang_pop"])
    else:
        yield "-", "lacks:queues-of-that-form", {}


# ---- What a pool may be set to ----

SYNTAX, UNKNOWN_KEY, BAD_VALUE, DUPLICATE_KEY, DUPLICATE_QUEUE = range(1, 6)
MISSING_PARENT, SUM_ABOVE_PARENT, ABOVE_LIMIT, LIMIT_ABOVE = 6, 16, 17, 18
BROKEN = [SYNTAX, UNKNOWN_KEY, BAD_VALUE, DUPLICATE_KEY]

# Which faults a rule of theirs is about.
FAULTS = {"resource": BROKEN + [ABOVE_LIMIT], "siblings": [DUPLICATE_QUEUE],
          "parent": BROKEN + [MISSING_PARENT, LIMIT_ABOVE],
          "cycle": [MISSING_PARENT], "children_reservation": [SUM_ABOVE_PARENT]}


def line_of(path, pool):
    """A pool in text; kinds that it does not name have neither reservation
    nor limit."""
    said = pool.get("res_list") or [[k, *v] for k, v in
                                    pool.get("res", {}).items()]
    rest = [[k, 0, 0, 1] for k in KINDS if k not in [r[0] for r in said]]
    columns = [",".join(f"{r[0]}={r[i]}" for r in said + rest) for i in (1, 2)]
    weight = said[0][3] if said else 1
    return (f'{path} weight={weight} guarantee="{columns[0]}" '
            f'limit="{columns[1]}"')


def validate_pool(case):
    """The whole tree as text with the pool in it; the pool's line, or its
    parent's, has a fault of that rule or has none."""
    x, given = case["in"], case["expect"]["ok"]
    config, rule = dict(x["config"]), x["rule"]
    if rule not in FAULTS:
        yield "-", "lacks:rules-of-pools", {}
        return
    base = [dict(p, id=p["name"]) for p in case["tables"][x["tree"]]]
    own = config.setdefault("id", "pool")
    before = next((p for p in base if p["id"] == own), {})
    config = {"parent": before.get("parent", "root"),
              "name": before.get("name", own), **config}
    base = [p for p in base if p["id"] != own] + [config]
    paths = {"root": "root"}
    lines, left = [], list(base)
    while left:
        ready = [p for p in left if p.get("parent") in paths or
                 p["id"] == "root"] or left
        for p in ready:
            up = paths.get(p.get("parent"), "nowhere")
            paths[p["id"]] = path = ("root" if p["id"] == "root"
                                     else f"{up}.{p['name']}")
            lines.append((p["id"], line_of(path, p)))
        left = [p for p in left if p not in ready]
    lines = [n for n in lines if n[0] == "root"] + [
        n for n in lines if n[0] != "root"]
    at = config["parent"] if rule == "children_reservation" else own
    places = [n for n, _ in lines]
    moved = before and config["parent"] != before["parent"]
    # A pool may move, and the root may be set: no faults to us.
    free = (rule == "parent" and moved) or own == "root"
    yield "faults", "free-to-change" if free and not given else None, {
        "text": "|".join(["kinds cpu memory disk gpu"] +
                         [n for _, n in lines]),
        "line": places.index(at) + 2 if at in places else len(places) + 1,
        "codes": FAULTS[rule], "want": given,
        "exact": True if free else given}


def validate_path(case):
    """In a tree that has the path: "/a/b" is root.a.b."""
    path, given = case["in"]["path"], case["expect"]["ok"]
    names = [n for n in (path or "").split("/") if n]
    lines = [".".join(["root"] + names[:i]) for i in range(len(names) + 1)]
    fields = {"text": "|".join(["kinds cpu"] + lines), "want": given}
    if path is not None:
        top = ["root"] if path.startswith("/") else []
        fields["path"] = ".".join(top + names)
    yield "find", None, fields


# ---- Entitlement ----

def rows_of(case):
    """The pools, parents first, as (name, place of the parent, pool)."""
    pools = case["in"]["pools"]
    rows = [("root", -1, {})]
    while len(rows) <= len(pools):
        names = [n for n, _, _ in rows]
        more = [(p["name"], names.index(p.get("parent", "root")), p)
                for p in pools if p["name"] not in names and
                p.get("parent", "root") in names]
        if not more:
            break
        rows += more
    return rows


def wants(name, pool, state, kind):
    """Ordinary work, revocable work, and the most of that which counts."""
    said = {k: units(v)[kind] for k, v in state.get(name, {}).items()}
    own = units({k: v[0] for k, v in pool["res"].items()})[kind]
    part = number(pool.get("slack_limit_pct", 20)) / 100
    return {"need": said.get("demand", 0) + said.get("alloc_nonslack", 0),
            "slack": said.get("slack_demand", 0) + said.get("alloc_slack", 0),
            "slack_limit": round(own * part) if kind else 0}


def want_of(row):
    return row["need"] + min(row["slack"], row["slack_limit"])


def kind_rows(case, rows, kind):
    out = [{"guarantee": 0, "limit": exact.UNLIMITED, "weight": 1,
            "fixed": False, "need": 0, "slack": 0, "slack_limit": 0, "want": 0}]
    for name, _, pool in rows[1:]:
        config = pool["res"].get(KINDS[kind], [0, 0, 1])
        fixed = len(config) > 3 and config[3] == "static"
        row = {"guarantee": round(number(config[0]) * UNIT),
               "limit": round(number(config[1]) * UNIT),
               "weight": round(number(config[2]) * 1000),
               "fixed": fixed}
        row.update(wants(name, pool, case["in"]["state"], kind))
        row["want"] = want_of(row)
        if fixed:
            row["lend"] = 0
        out.append(row)
    return out


def theirs_family(total, rows):
    """Peloton's three passes with exact numbers, and what they did that we do
    not do."""
    done = set()
    asked = [min(r["want"], r["limit"]) for r in rows]
    got = [Fraction(r["guarantee"] if r["fixed"] else min(d, r["guarantee"]))
           for r, d in zip(rows, asked)]
    if sum(got) > total:
        done.add("guarantees-scaled")
    left = max(total - sum(got), 0)
    heavy = [r["weight"] for r in rows]
    room = [max(d - r["guarantee"], 0) for r, d in zip(rows, asked)]
    more = exact.level(left, [0] * len(rows), room, heavy)
    got = [g + m for g, m in zip(got, more)]
    left -= sum(more)
    if left > 0 and sum(heavy):
        given = [g + left * w / sum(heavy) for g, w in zip(got, heavy)]
        got = [max(g, min(h, r["limit"])) if h > g else g
               for g, h, r in zip(got, given, rows)]
        if got != given:
            done.add("left-over-offered-again")
    return [min(g, r["limit"]) if not r["fixed"] else g
            for g, r in zip(got, rows)], done


def is_bound(row, kids):
    """Do its children keep a parent from what it would have by itself?"""
    def sums(of):
        return sum(of(k) for k in kids)

    return (sums(lambda k: min(k["limit"], k["want"])) != row["want"] or
            sums(lambda k: k["guarantee"]) > row["guarantee"] or
            sums(lambda k: k["limit"]) < row["limit"] or
            sums(lambda k: min(k["guarantee"], k["want"])) >
            min(row["guarantee"], row["want"]) or
            any(k["fixed"] for k in kids))


def theirs(parent, rows, capacity):
    """Their entitlements of a tree, and the rules that they broke."""
    rows = [dict(r) for r in rows]
    bound = False
    for i in reversed(range(1, len(rows))):
        kids = [r for r, up in zip(rows, parent) if up == i]
        if kids:
            for name in ("need", "slack"):
                rows[i][name] = sum(k[name] for k in kids)
            rows[i]["want"] = want_of(rows[i])
            bound = bound or is_bound(rows[i], kids)
    share, done = [Fraction(capacity)] + [Fraction(0)] * (len(rows) - 1), set()
    for i in range(len(rows)):
        kids = [k for k in range(len(rows)) if parent[k] == i]
        got, more = theirs_family(share[i], [rows[k] for k in kids])
        done |= more
        for k, g in zip(kids, got):
            share[k] = g
    if bound:
        done.add("children-bound-parent")
    return share, done


ORDER = ("guarantees-scaled", "left-over-offered-again",
         "children-bound-parent")


def entitlement(case):
    """A call for each kind: shares are set kind by kind. Then what of them is
    for revocable tasks, which have cpu of their own."""
    rows = rows_of(case)
    parent = [up for _, up, _ in rows]
    kinds, shares, rules = [], [], []
    given = case["expect"].get("exact")
    if not given:
        yield "-", "lacks:exact-answer", {}
        return
    for k, total in enumerate(units(case["in"]["capacity"])):
        kinds.append(kind_rows(case, rows, k))
        call, rule = shares_of(rows, kinds[k], total, given, "entitlement", k)
        shares.append(call["exact"])
        rules.append(rule)
        yield "share", rule, call
    cpu = round(number(case["in"].get("slack_cpu", 0)) * UNIT)
    call, rule = shares_of(rows, slack_rows(case, rows), cpu, given, "slack", 0)
    yield "share", rule, call
    yield from slack_parts(rows, rolled_up(parent, kinds), shares, given, rules)


def shares_of(rows, kind, total, given, part, k):
    """The shares of a kind, and the rule by which others are said."""
    parent = [up for _, up, _ in rows]
    fields, got = exact.call(parent, [kind], [total], exact.ENTITLEMENT, True)
    said, broken = theirs(parent, kind, total)
    want, done = list(got), set()
    for i, (name, _, _) in enumerate(rows):
        if name not in given or part not in given[name]:
            continue
        value = Fraction(given[name][part][KINDS[k]]) * UNIT
        if not is_near(value, got[i]):
            want[i] = round(value)
            done |= broken if abs(said[i] - value) <= 1 else set()
    rule = next((r for r in ORDER if r in done), None)
    return dict(fields, share=want, exact=got), rule


def is_near(value, got):
    return abs(value - got) <= UNIT // 1000


def rolled_up(parent, kinds):
    """Rows in which parents want what their children do."""
    kinds = [[dict(r) for r in rows] for rows in kinds]
    for rows in kinds:
        for i in reversed(range(1, len(parent))):
            kids = [r for r, up in zip(rows, parent) if up == i]
            for name in ("need", "slack") if kids else ():
                rows[i][name] = sum(r[name] for r in kids)
    return kinds


def slack_rows(case, rows):
    """The cpu that revocable tasks have for themselves: what they hold they
    keep, what is left goes by weight to those that want more, then to all."""
    out = []
    for name, _, pool in rows:
        said = {k: units(v)[0]
                for k, v in case["in"]["state"].get(name, {}).items()}
        weight = pool.get("res", {}).get("cpu", [0, 0, 1])[2]
        held = said.get("alloc_slack", 0)
        out.append({"guarantee": held, "limit": exact.UNLIMITED,
                    "weight": round(number(weight) * 1000), "fixed": False,
                    "need": held + said.get("slack_demand", 0), "slack": 0,
                    "slack_limit": 0})
    for i in reversed(range(1, len(rows))):
        kids = [r for r, (_, up, _) in zip(out, rows) if up == i]
        for name in ("guarantee", "need") if kids else ():
            out[i][name] = sum(r[name] for r in kids)
    out[0].update(guarantee=0, weight=1)
    return [dict(r, want=r["need"]) for r in out]


def slack_parts(rows, kinds, shares, given, rules):
    """Of each pool: what ordinary tasks leave of its share, of that what
    revocable ones want, and what they leave the others."""
    for i, (name, _, _) in enumerate(rows):
        if name not in given or "nonslack" not in given[name]:
            continue
        have = [share[i] for share in shares]
        need = [rows_[i]["need"] for rows_ in kinds]
        wish = [min(rows_[i]["slack"], rows_[i]["slack_limit"])
                for rows_ in kinds]
        room, part, rest = split(have, need, wish)
        said = given[name]
        _, *theirs = split([Fraction(said["entitlement"][k]) * UNIT
                            for k in KINDS], need, wish)
        rule = next((r for r in ORDER if r in rules), None)
        yield vector("excess", have, need, room)
        yield vector("least", room, wish, part, theirs[0], rule,
                     {**said["slack"], "cpu": 0})
        yield vector("excess", have, part, rest, theirs[1], rule,
                     said["nonslack"])


def split(have, need, wish):
    room = [max(h - n, 0) for h, n in zip(have, need)]
    part = [min(r, w) for r, w in zip(room, wish)]
    return room, part, [h - p for h, p in zip(have, part)]


def vector(call, a, b, got, theirs=(), rule=None, said=None):
    """A call with a vector of all kinds, and what is said of it: where that is
    something else, it is what follows from their shares."""
    want = list(got)
    for k, kind in enumerate(KINDS if said else ()):
        value = Fraction(said[kind]) * UNIT
        if not is_near(value, got[k]):
            want[k] = round(value)
            rule = rule if abs(theirs[k] - value) <= 1 else None
    return (call, rule if want != got else None,
            {"a": a, "b": b, "want": want, "exact": got})


CALLS = {"scalar": scalar, "host_compare": host_compare,
         "pool_limits": pool_limits, "rollup": rollup,
         "root_follows_capacity": root_follows_capacity,
         "priority_queue": priority_queue, "ready_queue": ready_queue, "entitlement": entitlement,
         "validate_pool": validate_pool, "validate_path": validate_path}
