"""Users of a leaf of the capacity scheduler, and what they may have: one call
for each step of a trace. What is to come is worked out here, and a trace that
goes another way than its case says is a call that no answer is right for."""

import math
from fractions import Fraction

from exact import UNLIMITED
from yarn_res import ratio_of

PPM = 10 ** 6


def stepped(amount, step, up):
    whole = -(-amount // step) if up else amount // step
    return whole * step


class Leaf:
    """Memory alone, as the default calculator looks at it. Weights are whole
    here, and any to YARN."""

    def __init__(self, guarantee, limit, step, part, factor):
        self.guarantee, self.limit, self.step = guarantee, limit, step
        self.part, self.factor = part, factor
        self.used, self.wanted, self.weight = [], [], []

    def bound(self, user):
        active = [i for i, w in enumerate(self.wanted) if w]
        among = active if self.wanted[user] else range(len(self.used))
        whole, used = max(self.guarantee, self.step), sum(self.used)
        divided = whole if used < whole else used + self.step
        base = divided
        if self.wanted[user]:
            base = sum(self.used[i] for i in active) + self.step
        weight = sum(self.weight[i] for i in among)
        got = max(math.ceil(Fraction(base, weight)) if weight else 0,
                  math.ceil(divided * self.part))
        if self.guarantee and self.factor is not None:
            got = min(got, math.floor(whole * self.factor))
        elif self.limit != UNLIMITED:
            got = min(got, stepped(self.limit, self.step, False))
        got = stepped(got, self.step, True) * self.weight[user]
        return stepped(math.floor(got), self.step, False)

    def in_units(self):
        """The same in units in which all weights are whole; a part of weight 1
        stays what it was."""
        unit = math.lcm(*(w.denominator for w in self.weight))
        made = Leaf(self.guarantee * unit, self.limit, self.step * unit,
                    self.part / unit,
                    self.factor if self.factor is None else self.factor / unit)
        made.used, made.wanted = ([v * unit for v in column]
                                  for column in (self.used, self.wanted))
        made.weight = [int(w * unit) for w in self.weight]
        return made, unit

    def may(self, bound):
        return [int(w > 0 and u <= b) for w, u, b in
                zip(self.wanted, self.used, bound)]

    def call(self, **known):
        """What each may have, who may have more, and what all want within
        that. With weights that are not whole, steps are steps of the unit."""
        lib, unit = self.in_units()
        users = range(len(self.used))
        bound = [lib.bound(i) for i in users]
        within = sum(min(w, max(b - u, 0)) for w, b, u in
                     zip(lib.wanted, bound, lib.used))
        may, theirs = lib.may(bound), self.may(
            [self.bound(i) for i in users])
        want = [known["bound"] * unit if "bound" in known else "?"]
        want += ["?"] * (len(bound) - 1 + len(may))
        want.append(known["within"] * unit if "within" in known else "?")
        rule = None
        if known.get("bound") != bound[0] / unit and known.get(
                "bound") == self.bound(0):
            rule = "steps-of-whole-weights"
        for i, given in known.get("may", {}).items():
            want[len(bound) + i] = given
            if given != may[i] and given == theirs[i]:
                rule = "steps-of-whole-weights"
        return "users", rule, {
            "kinds": 1, "n": len(self.used), "part": int(lib.part * PPM),
            "factor": UNLIMITED if lib.factor is None else
            int(lib.factor * PPM),
            "guarantee": [lib.guarantee], "limit": [lib.limit],
            "step": [lib.step], "used": lib.used, "wanted": lib.wanted,
            "weight": lib.weight, "want": want,
            "exact": [*bound, *may, within]}


def user_limit(case):
    """Of a user of weight 1: where no weight is active it asks for nothing, and
    all that is used is another's; else it has what active users do, one that
    has nothing stands for the rest of their weight, and one that asks for
    nothing has what is left."""
    x = case["input"]
    weight = ratio_of(x["active_weight_sum"])
    factor, part = (ratio_of(x[name]) for name in (
        "user_limit_factor", "user_limit_percent"))
    held, step = x["active_users_used"][0], x["min_alloc"][0]
    used = math.floor(ratio_of(x["users_usage_ratio_sum"]) *
                      x["partition"][0] + Fraction(1, 2))
    used = stepped(used, step, True)
    if x["calculator"] != "default" or 0 < weight < 1 or held > used or \
            not weight and (held or part < 100):
        yield "-", "lacks:other-fields", {}
        return
    leaf = Leaf(x["queue_capacity"][0], x["queue_max_rounded_down"][0], step,
                part / 100, None if factor < 0 else factor)
    leaf.used, leaf.wanted, leaf.weight = [used], [0], [Fraction(1)]
    if weight:
        leaf.used = [held, 0, used - held]
        leaf.wanted = [1, int(weight > 1), 0]
        leaf.weight = [Fraction(1), weight - 1 or Fraction(1), Fraction(1)]
    yield leaf.call(bound=case["expect"]["user_limit_memory"])


class Trace:
    """Applications in order, and the users that they are of."""

    def __init__(self, x):
        size = x["partition"][0]
        part = x.get("abs_capacity_percent", x.get("abs_capacity"))
        self.apps = x["apps"]
        self.left = [a["count"] for a in self.apps]
        self.held = [0] * len(self.apps)
        self.users = sorted({a["user"] for a in self.apps})
        self.leaf = Leaf(math.floor(size * ratio_of(part) / 100), size,
                         x["min_alloc"][0],
                         ratio_of(x["user_limit_percent"]) / 100,
                         ratio_of(x["user_limit_factor"]))
        self.leaf.weight = [ratio_of(x.get("user_weights", {}).get(u, 1))
                            for u in self.users]

    def look(self):
        def total(column):
            return [sum(v for a, v in zip(self.apps, column)
                        if a["user"] == u) for u in self.users]

        self.leaf.used = total(self.held)
        self.leaf.wanted = total([n * a["capability"][0] for n, a in
                                  zip(self.left, self.apps)])

    def step(self, after):
        """The call before a step, which is to come to what is said: no
        application before the one that is served may have more."""
        self.look()
        grown = [i for i, (old, new) in enumerate(zip(self.held, after))
                 if new != old]
        owner = [self.users.index(a["user"]) for a in self.apps]
        may = {}
        for i in range(grown[0] if grown else len(self.apps)):
            if self.left[i]:
                may[owner[i]] = 0
        for i in grown:
            may[owner[i]] = 1
            self.left[i] -= 1
            self.held[i] += self.apps[i]["capability"][0]
        call = self.leaf.call(may=may)
        if self.held != list(after) or len(grown) > 1:
            call[2]["want"] = [-1] * len(call[2]["want"])
        return call


def leaf_trace(case):
    x, expect = case["input"], case["expect"]
    if x["calculator"] != "default" or x["order"] != "fifo":
        yield "-", "lacks:other-fields", {}
        return
    trace = Trace(x)
    for after in expect.get("used_memory_per_app_after_each_step", []):
        yield trace.step(after)
    for step in expect.get("steps", []):
        trace.leaf.factor = ratio_of(step.get("user_limit_factor",
                                              x["user_limit_factor"]))
        if "used_memory" in step:
            yield trace.step(step["used_memory"])
        trace.look()
        yield trace.leaf.call(within=step["pending_memory"])
