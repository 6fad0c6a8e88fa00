"""What a known answer asks of the library, as a call of the public API.

The readers of known answers (tests/vectors of the project, `known/` in the
installed package) turn a case into calls: a name, the fields it is given, and
what is expected. Here each name is carried out and judged. An answer passes
when it is the one given; where a rule of differences.md says that an exact
answer may be another one, it must be the exact one that the rule works out.

A field `exact` is that answer, `sum`, `low` and `high` bound it; "?" stands for
a number that is not given. Reals by definition are held to 1e-9 of them."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import sked
from sked import drf, order, plan, preempt, schema

UNSUPPORTED, PASSED, BY_RULE, FAILED = range(4)
MANY = 100_000
Number = int
Fields = dict[str, Any]


class Failed(Exception):
    """An answer that is neither the one given nor the exact one."""


def flat(value: Any) -> Iterator[Any]:
    """Numbers of a field, however deep."""
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from flat(one)
    else:
        yield value


def numbers(fields: Fields, name: str) -> list[Any] | None:
    """A field as whole numbers ("?" as None); None when it is not there."""
    if name not in fields:
        return None
    return [None if v == "?" else int(v) for v in flat(fields[name])]


def given(fields: Fields, name: str) -> list[int]:
    """A field that must be there."""
    found = numbers(fields, name)
    if found is None:
        raise Failed(f"the case has no {name}")
    return found


def number(fields: Fields, name: str, missing: int = 0) -> int:
    """A field of one number."""
    found = numbers(fields, name)
    return missing if not found else int(found[0])


def reals(fields: Fields, name: str) -> list[float]:
    """A field of reals."""
    return [float(v) for v in flat(fields[name])]


# ---- judging ----


def near(got: float, want: float) -> bool:
    """Within 1e-9 of it, relatively."""
    if math.isnan(want) or math.isnan(got):
        return math.isnan(want) and math.isnan(got)
    if math.isinf(want) or math.isinf(got):
        return got == want
    return abs(got - want) <= 1e-9 * max(1.0, abs(want))


def hold(fields: Fields, got: Sequence[int]) -> None:
    """Does the answer keep to what was worked out for it?"""
    if sum(got) != number(fields, "sum", sum(got)):
        raise Failed(f"the sum is {sum(got)}, not {number(fields, 'sum')}")
    exact = numbers(fields, "exact")
    if exact is not None:
        same("exact", got, exact)
    for name, side in (("low", 1), ("high", -1)):
        for i, (g, bound) in enumerate(zip(got, numbers(fields, name) or ())):
            if (g - bound) * side < 0:
                raise Failed(f"[{i}] is {g}, {name} {bound}")


def same(name: str, got: Sequence[int], want: Sequence[Any]) -> None:
    """Failed unless every number is the one wanted."""
    if len(got) != len(want):
        raise Failed(f"{len(got)} of {name}, not {len(want)}")
    for i, (g, w) in enumerate(zip(got, want)):
        if w is not None and g != w:
            raise Failed(f"{name}[{i}] is {g}, not {w}")


def judge(fields: Fields, name: str, got: Sequence[int],
          rule: str | None) -> int:
    """PASSED, BY_RULE, or Failed."""
    want = given(fields, name)
    if len(want) != len(got):
        raise Failed(f"{len(got)} of {name}, not {len(want)}")
    hold(fields, got)
    try:
        same(name, got, want)
    except Failed:
        if rule:
            return BY_RULE
        raise
    return PASSED


def must(fields: Fields, name: str, got: Sequence[int]) -> None:
    """The answer given and no other."""
    judge(fields, name, got, None)


# ---- shares ----


def fill(f: Fields, rule: str | None) -> int:
    out = sked.fill(
        number(f, "total"), guarantee=numbers(f, "guarantee"),
        limit=numbers(f, "limit"), demand=numbers(f, "demand"),
        weight=array("I", given(f, "weight")), form=number(f, "form"),
        rounding=number(f, "rounding"), anticipate=bool(number(f, "flags")))
    if out.leftover != number(f, "leftover", out.leftover) or \
            out.outcome != number(f, "outcome", out.outcome):
        raise Failed(f"leftover {out.leftover}, {out.outcome.name}")
    level = numbers(f, "level")
    if level and out.level != Fraction(level[0], level[1]):
        raise Failed(f"the level is {out.level}")
    return judge(f, "share", out.share.tolist(), rule)


def share(f: Fields, rule: str | None) -> int:
    out = sked.share_once(
        given(f, "parent"), given(f, "capacity"), weight=given(f, "weight"),
        guarantee=numbers(f, "guarantee"), limit=numbers(f, "limit"),
        lend=numbers(f, "lend"), running=numbers(f, "running"),
        demand=numbers(f, "demand"), usage=numbers(f, "usage"),
        flags=number(f, "flags"), model=number(f, "model"),
        rounding=number(f, "rounding"))
    return judge(f, "share", list(flat(out.tolist())), rule)


def time_weight(f: Fields, rule: str | None) -> int:
    wide = sked.time_weights(given(f, "weight"), given(f, "usage"),
                             number(f, "whole", 1), number(f, "k"))
    out = sked.fill(number(f, "total"), amount_weight=wide, rounding="largest")
    return judge(f, "share", out.share.tolist(), rule)


def fair_tree(f: Fields, rule: str | None) -> int:
    up = [max(p, 0) for p in given(f, "parent")]
    ranks = sked.fair_tree_ranks(up, given(f, "usage"), given(f, "shares"))
    return judge(f, "rank", ranks.tolist(), rule)


def decay(f: Fields, rule: str | None) -> int:
    left = schema.decay([number(f, "usage")], number(f, "dt"),
                        number(f, "half_life"))
    return judge(f, "left", left.tolist(), rule)


# ---- dominant resource fairness ----


def unlimited(most: Sequence[int]) -> list[int]:
    return [sked.UNLIMITED if m < 0 else m for m in most]


def standing(f: Fields, rule: str | None) -> int:
    got = drf.standing(given(f, "usage"), given(f, "capacity"),
                       number(f, "weight", 1))
    infinite = bool(number(f, "infinite"))
    num, den = given(f, "ratio")
    wish = None if infinite else Fraction(num, den)
    if got.share != wish or got.kind != number(f, "dominant", -1):
        raise Failed(f"{got.share} of kind {got.kind}, not {wish}")
    return PASSED


def users(f: Fields) -> dict[str, Any]:
    return {"capacity": given(f, "capacity"), "demand": given(f, "demand"),
            "weight": given(f, "weight"), "most": unlimited(given(f, "most"))}


def level(f: Fields, rule: str | None) -> int:
    tasks, left = drf.level(**users(f), least=numbers(f, "least"))
    for name, got in (("tasks", tasks.tolist()), ("remaining", left.tolist())):
        want = reals(f, name)
        if len(got) != len(want) or not all(map(near, got, want)):
            raise Failed(f"{name} {got}, not {want}")
    return PASSED


def picks(f: Fields, rule: str | None) -> int:
    row = users(f)
    picked, left = drf.picks(**row, pool=row["capacity"], cap=MANY)
    tasks, pool = drf.allocate(**row, pool=row["capacity"])
    must(f, "order", picked.tolist())
    must(f, "tasks", tasks.tolist())
    must(f, "remaining", left.tolist())
    must(f, "remaining", pool.tolist())
    return PASSED


def hdrf(f: Fields, rule: str | None) -> int:
    capacity, n = given(f, "capacity"), len(given(f, "parent"))
    tree = sked.Hdrf(capacity, [max(p, 0) for p in given(f, "parent")],
                     given(f, "weight"))
    k, leaf = len(capacity), given(f, "leaf")
    usage, demand = given(f, "usage"), given(f, "demand")
    most = unlimited(given(f, "most"))
    for i in range(n):
        if leaf[i]:
            tree.set_leaves([i], usage=usage[i * k:i * k + k],
                            demand=demand[i * k:i * k + k], pending=[most[i]])
    run, _ = tree.run(MANY)
    must(f, "first", [run[0] if len(run) else -1])
    got: list[int] = []
    for i in range(n):
        got += tree.usage(i)[0].tolist() if leaf[i] else [0] * k
    return judge(f, "final", got, rule)


# ---- vectors ----


def pair(f: Fields) -> tuple[list[int], list[int]]:
    return given(f, "a"), given(f, "b")


def compare(f: Fields, rule: str | None) -> int:
    return judge(f, "want", [schema.compare(*pair(f))], rule)


def equal(f: Fields, rule: str | None) -> int:
    return judge(f, "want", [int(schema.compare(*pair(f)) == 0)], rule)


def compare_shares(f: Fields, rule: str | None) -> int:
    got = schema.compare_shares(given(f, "capacity"), *pair(f))
    return judge(f, "want", [got], rule)


def compare_dominant(f: Fields, rule: str | None) -> int:
    got = schema.compare_dominant(given(f, "capacity"), *pair(f))
    return judge(f, "want", [got], rule)


def fits(f: Fields, rule: str | None) -> int:
    return judge(f, "want", [int(schema.fits(*pair(f)))], rule)


def relation(f: Fields, rule: str | None) -> int:
    a, b = pair(f)
    holds = schema.relation(a, b, schema.asked(b))
    less = sked.Relation.LESS
    got = not holds & ~less if number(f, "less") else not holds & less
    return judge(f, "want", [int(got)], rule)


def real(f: Fields, got: float, rule: str | None) -> int:
    want = reals(f, "real")[0]
    if near(got, want):
        return PASSED
    if rule:
        return BY_RULE
    raise Failed(f"{got!r}, not {want!r}")


def ratio_of(num: int, den: int) -> Fraction | None:
    return schema.fraction(num, den)


def ratio(f: Fields, rule: str | None) -> int:
    got, _ = schema.dominant(given(f, "capacity"), given(f, "usage"))
    if got != ratio_of(*given(f, "exact")):
        raise Failed(f"the ratio is {got}")
    return real(f, schema.ratio_float(got), rule)


def quotient(f: Fields, rule: str | None) -> int:
    exact = given(f, "exact")
    a, _ = schema.dominant(given(f, "capacity"), given(f, "a"))
    b, _ = schema.dominant(given(f, "capacity"), given(f, "b"))
    if (a, b) != (ratio_of(*exact[:2]), ratio_of(*exact[2:])):
        raise Failed(f"the ratios are {a} and {b}")
    x, y = schema.ratio_float(a), schema.ratio_float(b)
    if y == 0:
        got = math.nan if x == 0 or math.isnan(x) else math.inf
    else:
        got = x / y
    return real(f, got, rule)


def dominant(f: Fields, rule: str | None) -> int:
    _, kind = schema.dominant(given(f, "capacity"), given(f, "usage"))
    return judge(f, "want", [kind], rule)


def ratio_rows(f: Fields, rule: str | None) -> int:
    den = number(f, "den", 1)
    signs = (schema.compare_ratios(Fraction(x, den), Fraction(y, den))
             for x, y in zip(*pair(f)))
    return judge(f, "want", [next((s for s in signs if s), 0)], rule)


def vector(f: Fields, rule: str | None,
           call: Callable[[], sked.Column]) -> int:
    """What is computed, or that it is refused where it should be."""
    if not number(f, "refused"):
        return judge(f, "want", call().tolist(), rule)
    try:
        got = call().tolist()
    except sked.RangeError:
        if rule:
            return BY_RULE
        raise Failed("refused, with no rule") from None
    raise Failed(f"{got}, not refused")


def scale(f: Fields, rule: str | None) -> int:
    def call() -> sked.Column:
        a, num, den = given(f, "a"), given(f, "num"), given(f, "den")
        rounding = number(f, "rounding")
        if len(num) == 1:
            out = schema.scale(a, Fraction(num[0], den[0]), rounding)
        else:
            out = sked.columns.convert_column([
                schema.scale([x], Fraction(n, d), rounding)[0]
                for x, n, d in zip(a, num, den)])
        step, add = numbers(f, "step"), numbers(f, "add")
        if step is not None:
            up = rounding == sked.Round.NEAREST
            out = schema.round_to(out, step, sked.Round.UP if up else rounding)
        return out if add is None else schema.add(out, add)

    return vector(f, rule, call)


def normalise(f: Fields, rule: str | None) -> int:
    return vector(f, rule, lambda: schema.normalise(
        given(f, "a"), given(f, "least"), given(f, "most"), given(f, "step")))


def excess(f: Fields, rule: str | None) -> int:
    return vector(f, rule, lambda: schema.excess(*pair(f)))


def least(f: Fields, rule: str | None) -> int:
    return vector(f, rule, lambda: schema.least(*pair(f)))


def add(f: Fields, rule: str | None) -> int:
    return vector(f, rule, lambda: schema.add(*pair(f)))


def sum_least(f: Fields, rule: str | None) -> int:
    return vector(f, rule, lambda: schema.least(
        schema.total(given(f, "rows"), 1), given(f, "limit")))


# ---- orders ----


class Found:
    """Rows in the order found, class after class, with their keys."""

    def __init__(self, f: Fields, serve: Callable[[int, Any], Any]) -> None:
        of = given(f, "class")
        may = numbers(f, "eligible") or [1] * len(of)
        self.rows: list[int] = []
        self.keys: list[Any] = []
        for group in range(max(of, default=0) + 1):
            chosen = [int(of[i] == group and may[i] != 0)
                      for i in range(len(of))]
            if any(chosen):
                rows, keys = serve(group, array("B", chosen))
                self.rows += rows.tolist()
                self.keys += keys.tolist()


def find_children(f: Fields) -> Found:
    orders, capacity = given(f, "order"), given(f, "capacity")

    def serve(group: int, chosen: Any) -> Any:
        by_priority = orders[group] == sked.ChildOrder.PRIORITY
        return order.children(
            orders[group], len(chosen), kinds=len(capacity), eligible=chosen,
            flags=order.WITHIN_FIRST if by_priority else 0,
            weight=numbers(f, "weight"), priority=numbers(f, "priority"),
            usage=numbers(f, "usage"), guarantee=numbers(f, "guarantee"),
            capacity=capacity)

    return Found(f, serve)


def find_apps(f: Fields) -> Found:
    capacity = numbers(f, "capacity")

    def serve(group: int, chosen: Any) -> Any:
        return order.apps(
            number(f, "order"), len(chosen), kinds=len(capacity or [0]),
            eligible=chosen, submitted=numbers(f, "submitted"),
            priority=numbers(f, "priority"), weight=numbers(f, "weight"),
            usage=numbers(f, "usage"), capacity=capacity,
            key=numbers(f, "key"))

    return Found(f, serve)


def judge_rows(f: Fields, found: Found, rule: str | None) -> int:
    rows = found.rows[::-1] if number(f, "reverse") else found.rows
    return judge(f, "want", rows[:number(f, "first_only", len(rows))], rule)


def judge_pair(f: Fields, found: Found, rule: str | None) -> int:
    if len(found.rows) != 2:
        raise Failed("not two rows")
    of = given(f, "class")
    sign = -1 if found.rows[0] == number(f, "first") else 1
    if of[0] == of[1] and found.keys[0] == found.keys[1] and number(f, "tie"):
        sign = 0
    return judge(f, "want", [sign], rule)


def children(f: Fields, rule: str | None) -> int:
    return judge_rows(f, find_children(f), rule)


def pair_of_children(f: Fields, rule: str | None) -> int:
    return judge_pair(f, find_children(f), rule)


def apps(f: Fields, rule: str | None) -> int:
    return judge_rows(f, find_apps(f), rule)


def pair_of_apps(f: Fields, rule: str | None) -> int:
    return judge_pair(f, find_apps(f), rule)


# ---- trees ----


def grove(parent: Sequence[int], kinds: int) -> tuple[sked.Tree,
                                                      list[sked.Queue]]:
    """A tree of queues "q<i>", row by row as listed."""
    tree = sked.Tree({f"k{i}": "1" for i in range(kinds)})
    queues = [tree.root]
    for i, up in enumerate(parent):
        if i:
            queues.append(queues[up].add(f"q{i}"))
    tree.commit()
    return tree, queues


def rollup(f: Fields, rule: str | None) -> int:
    kinds = number(f, "kinds", 1)
    tree, queues = grove(given(f, "parent"), kinds)
    usage, leaf = given(f, "usage"), given(f, "leaf")
    ledger = sked.Ledger(tree)
    for i, queue in enumerate(queues):
        if leaf[i]:
            ledger.set("usage", [queue.id], usage[i * kinds:(i + 1) * kinds])
    got = [v for q in queues for v in ledger.get("usage", q).values()]
    return judge(f, "want", got, rule)


def parts(f: Fields, rule: str | None) -> int:
    tree, queues = grove(given(f, "parent"), 1)
    said, capacity = given(f, "parts"), number(f, "capacity")
    for queue, ppm in list(zip(queues, said))[1:]:
        tree.set(queue, guarantee_ppm=ppm)
    tree.commit()
    by_row = tree.column("guarantee", 0, capacity)
    got = [capacity] + [by_row[q.row] for q in queues[1:]]
    return judge(f, "want", got, rule)


def read(f: Fields) -> tuple[sked.Tree | None, list[sked.Fault]]:
    """The text of the case in a tree, or what is wrong with it."""
    text = str(f["text"]).replace("|", "\n")
    try:
        tree = sked.Tree(sked.Schema.from_tree_text(text))
        tree.read(text)
    except sked.ConfigError as error:
        return None, [x for x in error.faults if isinstance(x, sked.Fault)]
    return tree, tree.faults()


def faults(f: Fields, rule: str | None) -> int:
    _, found = read(f)
    codes, line = given(f, "codes"), number(f, "line")
    good = not any(x.code in codes and x.line == line for x in found)
    return judge(f, "want", [int(good)], rule)


def find(f: Fields, rule: str | None) -> int:
    tree, listed = read(f)
    if tree is None:
        raise Failed(str(listed[0]))
    tree.commit()
    found = "path" in f and str(f["path"]) in tree
    return judge(f, "want", [int(found)], rule)


class Draws(sked.Hooks):
    """Random bits as the case has drawn them."""

    def __init__(self, bits: Sequence[int]) -> None:
        self.bits = list(bits)

    def random(self) -> int:
        return self.bits.pop(0) if self.bits else 0


def shuffle(f: Fields, rule: str | None) -> int:
    n = number(f, "n")
    tree, queues = grove([0] * (n + 1), 1)
    tree.root.set(order="random")
    tree.commit()
    bits = [h << 32 | low for h, low in zip(given(f, "high"), given(f, "low"))]
    turns = sked.Order(hooks=Draws(bits))
    found = turns.list(tree, sked.Ledger(tree), [1], tree.root, [1] * (n + 1))
    return judge(f, "want", [q.row - 1 for q in found], rule)


# ---- planning ----


def percentile(f: Fields, rule: str | None) -> int:
    """On arrays and from a history. A threshold of 0 is what every small one
    above it gives."""
    length, amount = given(f, "length"), given(f, "amount")
    num, den = number(f, "num"), number(f, "den", 1)
    p = Fraction(num, den) if num else Fraction(1, sked.UNLIMITED)
    got = plan.percentile(length, amount, [p])[0].amount
    history = plan.History()
    history.units(length, amount)
    if history.percentile(thresholds=[p])[0].amount != got:
        raise Failed("arrays and history differ")
    return judge(f, "value", [got], rule)


# ---- preemption ----


def targets(f: Fields) -> dict[str, sked.Column]:
    """The targets of one round."""
    parent, kinds = given(f, "parent"), number(f, "kinds", 1)
    queues = {name: numbers(f, name) for name in (
        "weight", "guarantee", "limit", "demand", "usage", "capacity")}
    clocks = {"preempt_from": numbers(f, "from"),
              "min_timeout": numbers(f, "min_timeout"),
              "fair_timeout": numbers(f, "fair_timeout"),
              "fair_threshold": numbers(f, "threshold")}
    return preempt.target_once(
        {"kinds": kinds, "n": len(parent), "parent": parent, **queues},
        clocks=clocks, options={name: number(f, name) for name in (
            "flags", "dialect", "cycles", "ignored", "factor", "per_round",
            "utilisation")})


def target_column(name: str) -> Callable[[Fields, str | None], int]:
    """A column of targets, judged."""
    def judged(f: Fields, rule: str | None) -> int:
        return judge(f, "want", list(flat(targets(f)[name].tolist())), rule)
    return judged


def claims(f: Fields) -> list[int]:
    """Who may claim now, by row."""
    bit = preempt.TargetReason.CLAIMS
    return [int(reason & bit != 0) for reason in targets(f)["reasons"]]


def target_claims(f: Fields, rule: str | None) -> int:
    return judge(f, "want", claims(f), rule)


def target_starved(f: Fields, rule: str | None) -> int:
    return judge(f, "want", [sum(claims(f))], rule)


def over_rounds(f: Fields, rule: str | None) -> int:
    """A queue round by round: is it due at the end, and for how long over?"""
    kinds = number(f, "kinds", 1)
    alloc, ent = given(f, "alloc"), given(f, "ent")
    most = [sked.AMOUNT_MAX] * kinds
    rounds, due = [0, 0], 0
    for at in range(0, len(alloc), kinds):
        said = preempt.target_once(
            {"kinds": kinds, "n": 2, "parent": [-1, 0], "capacity": most,
             "usage": [0] * kinds + alloc[at:at + kinds],
             "limit": most + ent[at:at + kinds]},
            clocks={"rounds": rounds},
            options={"dialect": preempt.Dialect.ENTITLEMENT,
                     "cycles": number(f, "cycles")})
        rounds = said["rounds"].tolist()
        due = said["reasons"][1] & preempt.TargetReason.GIVES
    return judge(f, "want", [int(due != 0), rounds[1]], rule)


def rank(f: Fields, rule: str | None) -> int:
    top = number(f, "top")
    found = preempt.rank(
        number(f, "n"), keys=numbers(f, "keys"), top=top,
        state=numbers(f, "state"), priority=numbers(f, "priority"),
        started=numbers(f, "started"))
    return judge(f, "want", found.tolist()[:top], rule)


def told(f: Fields, rule: str | None) -> int:
    """How many tasks are told of, or stopped, though wanted several times."""
    rounds = preempt.Rounds(grace=number(f, "grace"))
    for now in range(number(f, "times", 1)):
        rounds.update(given(f, "keys")[:number(f, "n")], now)
    counts = rounds.counts
    return judge(f, "want", [counts["notified"] + counts["killed"]], rule)


def contract(f: Fields, rule: str | None) -> int:
    """A contract: its tasks, told of once; how many least tasks their sum
    holds; how many of them are exactly these."""
    least = given(f, "least")
    rounds = preempt.Rounds(number(f, "kinds", 1))
    keys = list(range(1, number(f, "rows") + 1))
    for now in range(2):
        rounds.update(keys, now, amount=given(f, "amount"))
    acted = len(rounds.take())
    _, strict = rounds.contract(0, preempt.Contract.STRICT)
    total, marks = rounds.contract(0)
    holds = max((-(-t // n) for t, n in zip(total, least)), default=0)
    got = [len(marks) if acted == len(marks) else -1, max(0, holds),
           len(strict)]
    return judge(f, "want", got, rule)


def problem_of(f: Fields, **more: Any) -> preempt.Problem:
    """A round with what both calls hand over."""
    kinds, usage, queue = number(f, "kinds", 1), given(f, "usage"), given(
        f, "queue")
    fixed = preempt.Candidate.FIXED
    columns = {"flags": number(f, "flags"), "kinds": kinds,
               "n_queues": len(usage) // kinds, "n": len(queue),
               "usage": usage, "keep": [0] * len(usage), "queue": queue,
               "take": numbers(f, "take"), "need": numbers(f, "need"),
               "budget": numbers(f, "budget"), "amount": numbers(f, "amount"),
               "state": [int(fixed) if x else 0 for x in given(f, "fixed")]}
    place, free = more.pop("place", None), more.pop("free", None)
    return preempt.Problem({**columns, **more}, place, free)


def planned(problem: preempt.Problem) -> preempt.Selection:
    """A plan that holds to the rules."""
    plan_ = problem.select()
    problem.verify(plan_.victims, plan_.seats)
    return plan_


def victims(f: Fields, rule: str | None) -> int:
    """The plain walk of others; the library's own plan covers as much with no
    more tasks. Entries count the victims they speak of."""
    problem = problem_of(f)
    theirs = planned(problem)
    rows = [v.row for v in theirs.victims]
    got = rows
    if "entry_app" in f:
        app, node = given(f, "app"), given(f, "node")
        got = [sum(app[r] == a and (n < 0 or node[r] == n) for r in rows)
               for a, n in zip(given(f, "entry_app"), given(f, "entry_node"))]
    said = judge(f, "want", got, rule)
    problem.numbers["flags"] = 0
    ours = planned(problem)
    if theirs.outcome == preempt.PreemptOutcome.COVERED and \
            ours.tasks > theirs.tasks:
        raise Failed(f"own plan takes {ours.tasks}, not {theirs.tasks}")
    return said


def seats(f: Fields, rule: str | None) -> int:
    """Victims by node, tasks left of the greedy queue, tasks served."""
    kinds, node, queue = number(f, "kinds", 1), given(f, "node"), given(
        f, "queue")
    free, wanted = given(f, "free"), given(f, "request_amount")
    nodes, greedy = len(free) // kinds, number(f, "greedy")
    plan_ = planned(problem_of(
        f, keep=numbers(f, "keep"), share=numbers(f, "share"),
        cost=numbers(f, "cost"), n_nodes=nodes, node=node,
        request_amount=wanted, n_requests=len(wanted) // kinds,
        request_queue=given(f, "request_queue"),
        request_count=numbers(f, "request_count"), free=free,
        place=numbers(f, "place"), place_offset=numbers(f, "place_offset")))
    rows = [v.row for v in plan_.victims]
    got = [sum(node[r] == n for r in rows) for n in range(nodes)]
    left = queue.count(greedy) - sum(queue[r] == greedy for r in rows)
    return judge(f, "want", [*got, left, plan_.served], rule)


CALLS: dict[str, Callable[[Fields, str | None], int]] = {
    "fill": fill, "share": share, "time_weight": time_weight,
    "fair_tree": fair_tree, "decay": decay, "standing": standing,
    "level": level, "picks": picks, "hdrf": hdrf, "compare": compare,
    "equal": equal, "compare_shares": compare_shares,
    "compare_dominant": compare_dominant, "fits": fits, "relation": relation,
    "ratio": ratio, "quotient": quotient, "dominant": dominant,
    "ratio_rows": ratio_rows, "scale": scale, "normalise": normalise,
    "excess": excess, "least": least, "add": add, "sum_least": sum_least,
    "children": children, "pair": pair_of_children, "apps": apps,
    "apps_pair": pair_of_apps, "rollup": rollup, "parts": parts,
    "faults": faults, "find": find, "shuffle": shuffle,
    "percentile": percentile, "target_share": target_column("share"),
    "target_excess": target_column("excess"),
    "target_take": target_column("take"),
    "target_first": target_column("first"), "target_claims": target_claims,
    "target_starved": target_starved, "over_rounds": over_rounds, "rank": rank,
    "told": told, "contract": contract, "victims": victims, "seats": seats}


def carry_out(call: str, fields: Fields, rule: str | None) -> int:
    """Carries out one call: PASSED, BY_RULE, UNSUPPORTED, or Failed."""
    if call == "-":
        return UNSUPPORTED
    if call not in CALLS and "error" in fields:
        raise Failed(str(fields["error"]))
    if call not in CALLS:
        return UNSUPPORTED
    return CALLS[call](fields, rule)
