"""Limits of YARN's queues as calls: what masters may take, headroom, numbers
of applications, capacities of several forms. Each is a chain of calls, and
every link of it is held to what was worked out here."""

import math
from fractions import Fraction

import exact
from yarn_float import CALCULATORS, f32
from yarn_res import MOST, ratio_of

DOWN, UP = 1, 2
UNKNOWN = ("-", "lacks:other-fields", {})
PPM, MOST_PPM = 10 ** 6, exact.UNLIMITED


def clip(vec):
    """Amounts without end are as many as there can be."""
    return [min(v, MOST) for v in vec]


def scaled(amounts, by, rounding, want=None, theirs=None):
    """One call that scales, and what it must come to."""
    whole = math.ceil if rounding == UP else math.floor
    got = [whole(v * by) for v in amounts]
    want = got if want is None else want
    rule = "float-product" if want != got and want == theirs else None
    return ("scale", rule, {"a": amounts, "num": by.numerator,
                            "den": by.denominator, "rounding": rounding,
                            "want": want, "exact": got}), got


def excess(a, b):
    got = [max(x - y, 0) for x, y in zip(a, b)]
    return ("excess", None, {"a": a, "b": b, "want": got, "exact": got}), got


def least(a, b, want=None):
    got = [min(x, y) for x, y in zip(a, b)]
    return ("least", None, {"a": a, "b": b, "want": got if want is None
                            else want, "exact": got}), got


def knows(x, names):
    return set(x) <= set(names.split())


# ---- Fair scheduler ----

def fs_am_share(case):
    """Where the fair share is 0, what there is within the maximum counts; a
    part of that, rounded up."""
    x, given = case["input"], case["expect"]
    if not knows(x, "fair_share max_share available max_am_share") or \
            x["max_am_share"] < 0:
        yield UNKNOWN
        return
    call, other = least(clip(x["available"]), clip(x["max_share"]))
    yield call
    base = [f or o for f, o in zip(clip(x["fair_share"]), other)]
    by = x["max_am_share"]
    yield scaled(base, ratio_of(by), UP, given,
                 [math.ceil(v * f32(by)) for v in base])[0]


def fs_am_admit(case):
    """Does one master more fit into its part of the fair share?"""
    x, given = case["input"], case["expect"]
    by = x["max_am_share"]
    if not knows(x, "queue_fair_share_memory am_usage_memory am_ask_memory "
                 "max_am_share") or by < 0:
        yield UNKNOWN
        return
    share = [x["queue_fair_share_memory"]]
    call, most = scaled(share, ratio_of(by), UP)
    yield call
    a, b = [x["am_usage_memory"]], [x["am_ask_memory"]]
    both = [a[0] + b[0]]
    yield "add", None, {"a": a, "b": b, "want": both, "exact": both}
    theirs = both[0] <= math.ceil(share[0] * f32(by))
    differs = given != (both <= most) and given == theirs
    yield "fits", "float-product" if differs else None, {
        "a": both, "b": most, "want": given, "exact": both <= most}


def fs_headroom(case):
    """What is free within the maximum, of the kinds that the policy divides
    no more than is left of the fair share."""
    x, given = case["input"], case["expect"]
    if not knows(x, "policy queue_max queue_fair_share queue_usage cluster "
                 "cluster_usage") or x["policy"] not in ("fair", "drf", "fifo"):
        yield UNKNOWN
        return
    call, free = excess(clip(x["cluster"]), x["cluster_usage"])
    yield call
    call, below = excess(clip(x["queue_max"]), x["queue_usage"])
    yield call
    call, room = least(free, below)
    yield call
    call, left = excess(clip(x["queue_fair_share"]), x["queue_usage"])
    yield call
    if x["policy"] != "drf":
        left = left[:1] + room[1:]
    yield least(left, room, given)[0]


# ---- Capacity scheduler ----

def millionths(ratio):
    """As parts per million; None: it is no whole number of them."""
    ppm = ratio * PPM
    return int(ppm) if ppm.denominator == 1 and 0 <= ppm <= 1000 * PPM else None


def user_parts(x):
    """The part of a user and how often it may have it, in millionths."""
    factor = x["user_limit_factor"]
    return (millionths(ratio_of(x["user_limit_percent"]) / 100),
            MOST_PPM if factor < 0 else millionths(ratio_of(factor)))


def max_applications(case):
    """The queue's part of all, and its users' of that."""
    x, want = case["input"], case["expect"]
    part, factor = user_parts(x)
    if not knows(x, "max_system_applications maximum_applications "
                 "abs_capacity user_limit_percent user_limit_factor") or \
            part is None or factor is None:
        yield UNKNOWN
        return
    own, whole = x.get("maximum_applications"), x.get(
        "max_system_applications", 0)
    of = x.get("abs_capacity", 0)
    by = ratio_of(of)
    queue = math.floor(whole * by) if own is None else own
    user = min(queue, queue * part * factor // PPM ** 2) if \
        factor != MOST_PPM else queue
    theirs = int(f32(f32(of) * f32(whole))) if own is None else own
    rule = "float-product" if queue != want["queue"] == theirs else None
    fields = {"total": whole, "num": by.numerator, "den": by.denominator,
              "part": part, "factor": factor,
              "want": [want["queue"], want.get("user", "?")],
              "exact": [queue, user]}
    yield "app_bounds", rule, fields if own is None else {**fields, "leaf": own}


def am_limit(case):
    """What masters of a queue, and of each of its users, may take in all. The
    default calculator looks at memory alone; only memory is known."""
    x, want = case["input"], case["expect"]
    part, factor = user_parts(x)
    share = millionths(ratio_of(x["max_am_percent"]))
    if not knows(x, "calculator partition queue_effective_capacity "
                 "queue_current_limit max_am_percent min_alloc "
                 "user_limit_percent user_limit_factor active_user_counts") \
            or x["calculator"] not in ("default", "dominant") or \
            None in (part, factor, share):
        yield UNKNOWN
        return
    if factor == MOST_PPM:  # without a factor users share nothing
        part = factor = PPM
    kinds = 1 if x["calculator"] == "default" else len(x["min_alloc"])
    own, most, step = (clip(x[name][:kinds]) for name in (
        "queue_effective_capacity", "queue_current_limit", "min_alloc"))
    usable = most if all(a <= b for a, b in zip(own, most)) else own

    def stepped(amounts, by):
        return [-(-math.ceil(a * by) // max(s, 1)) * max(s, 1)
                for a, s in zip(amounts, step)]

    of = Fraction(share, PPM)
    queue = stepped(usable, of)
    for active in x["active_user_counts"] or [0]:
        one = min(max(Fraction(part, PPM), Fraction(1, max(active, 1))), 1)
        user = stepped(own, of * one * Fraction(factor, PPM))
        rest = ["?"] * (kinds - 1)
        mine = [min(u, q) for u, q in zip(user, queue)]
        said = want.get(f"user_am_memory_{active}_active", "?")
        calculator = CALCULATORS[x["calculator"]]
        whole = calculator.compare(clip(x["partition"])[:kinds], user,
                                   queue) if kinds > 1 else 0
        theirs = (user if whole <= 0 else queue)[0]
        by_kind = said not in ("?", mine[0]) and said == theirs
        yield "master_bounds", "limits-by-kind" if by_kind else None, {
            "kinds": kinds, "guarantee": own, "limit": most,
            "step": [max(s, 1) for s in step], "share": share, "part": part,
            "factor": factor, "active": active, "weight": 1,
            "want": [want.get("queue_am_memory", "?"), *rest,
                     said, *rest], "exact": queue + mine}


# ---- Capacities of several forms ----

def form_of(text):
    """("amount" | "percent" | "weight", how much)."""
    if text.endswith("%"):
        return "percent", Fraction(text[:-1])
    if text.endswith("w"):
        return "weight", Fraction(text[:-1])
    return "amount", int(text)


class Vectors:
    """Capacities from the root down, kind by kind: amounts first (cut in one
    ratio where they are more than there is), percentages of what those leave,
    weights of what both leave; each at most its maximum and what is left. A
    queue without memory has nothing."""

    def __init__(self, x, want):
        self.queues = {q["path"]: q for q in x["queues"]}
        self.want = want
        self.calls = []
        self.got = {"root": list(x["cluster"])}
        self.most = {"root": list(x["cluster"])}

    def family(self, up):
        kids = [p for p in self.queues if p.rpartition(".")[0] == up]
        for path in kids:
            self.got[path] = [0] * len(self.got["root"])
            self.limit(up, path)
        for kind in range(len(self.got["root"])):
            self.divide(up, kids, kind)
        for path in kids:
            self.family(path)

    def divide(self, up, kids, kind):
        forms = {p: form_of(self.queues[p]["capacity"][kind]) for p in kids}
        by = {name: [p for p in kids if forms[p][0] == name]
              for name in ("amount", "percent", "weight")}
        whole = left = self.got[up][kind]
        asked = sum(forms[p][1] for p in by["amount"])
        for p in by["amount"]:
            much = forms[p][1]
            if asked > whole:
                by_f32 = math.floor(f32(f32(whole) / f32(asked)) * much)
                said = scaled([much], Fraction(whole, asked), DOWN)
            else:
                by_f32, said = much, least([much], [whole])
            left -= self.set(p, kind, said, left, by_f32)
        base = left
        for p in by["percent"]:
            part, top = forms[p][1] / 100, self.got["root"][kind]
            theirs = top and whole and math.floor(
                top * (whole / top * (base / whole) * float(part * 100) / 100))
            left -= self.set(p, kind, scaled([base], part, DOWN), left, theirs)
        self.weigh(by["weight"], forms, kind, left)

    def weigh(self, kids, forms, kind, left):
        """What each would have by its weight, and what it then may."""
        if not kids:
            return
        unit = math.lcm(*(forms[p][1].denominator for p in kids))
        weight = [int(forms[p][1] * unit) for p in kids]
        shares = exact.fill(left, [0] * len(kids), [MOST] * len(kids), weight)
        free = [self.top(p, kind) >= s for p, s in zip(kids, shares)]
        given = [self.given(p, kind, s) if f else s
                 for p, f, s in zip(kids, free, shares)]
        near = all(abs(g - s) <= 1 for g, s in zip(given, shares))
        self.calls.append(("fill", "shares-exact" if near and given != shares
                           else None, {
            "total": left, "guarantee": [0] * len(kids),
            "limit": [MOST] * len(kids), "demand": [MOST] * len(kids),
            "weight": weight, "rounding": exact.LARGEST,
            "share": given, "exact": shares}))
        for p, f, share in zip(kids, free, given):
            if f:
                self.got[p][kind] = share
            else:
                self.cut(p, kind, share, self.top(p, kind))

    def top(self, path, kind):
        """The most that a queue may have: without memory, nothing."""
        return self.most[path][kind] if kind == 0 or self.got[path][0] else 0

    def given(self, path, kind, missing, of="effective_min"):
        found = self.want.get(of, {}).get(path)
        return missing if found is None else found[kind]

    def set(self, path, kind, said, left, theirs):
        """What a queue has: as said, at most its maximum and what is left.
        Their floats say `theirs`."""
        (call, _, fields), (much,) = said
        most = min(self.top(path, kind), left)
        if much > most:
            self.calls.append((call, None, fields))
            return self.cut(path, kind, much, most)
        want = self.given(path, kind, much)
        rule = "float-product" if want != much and want == theirs else None
        self.calls.append((call, rule, dict(fields, want=[want])))
        self.got[path][kind] = want
        return want

    def cut(self, path, kind, much, most):
        call, (got,) = least([much], [most])
        call[2]["want"] = [self.given(path, kind, got)]
        self.calls.append(call)
        self.got[path][kind] = got
        return got

    def limit(self, up, path):
        top = self.most[up]
        own = self.queues[path].get("max_capacity") or ["100%"] * len(top)
        self.most[path] = list(top)
        for kind, text in enumerate(own):
            form, much = form_of(text)
            if not much:  # none of its own
                form, much = "percent", 100
            call, got = least([much], [top[kind]]) if form == "amount" else \
                scaled([top[kind]], Fraction(much) / 100 if form == "percent"
                       else Fraction(1), DOWN)
            call[2]["want"] = [self.given(path, kind, got[0],
                                          "effective_max")]
            self.most[path][kind] = got[0]
            self.calls.append(call)


def capacity_vector(case):
    x = case["input"]
    kinds = len(x["cluster"])
    fields = {f for q in x["queues"] for f in q}
    if not knows(x, "cluster types queues sibling_order") or \
            fields - {"path", "capacity", "max_capacity"} or any(
                len(q.get(name) or [0] * kinds) != kinds
                for q in x["queues"] for name in ("capacity", "max_capacity")):
        yield UNKNOWN
        return
    made = Vectors(x, case["expect"])
    made.family("root")
    yield from made.calls
