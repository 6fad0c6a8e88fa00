"""Vectors of amounts, and ratios of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import sked
from sked import schema

from .judging import (BY_RULE, PASSED, Calls, Failed, Fields, given, judge,
                      near, number, numbers, reals)


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


CALLS: Calls = {
    "compare": compare, "equal": equal, "compare_shares": compare_shares,
    "compare_dominant": compare_dominant, "fits": fits, "relation": relation,
    "ratio": ratio, "quotient": quotient, "dominant": dominant, "ratio_rows":
    ratio_rows, "scale": scale, "normalise": normalise, "excess": excess,
    "least": least, "add": add, "sum_least": sum_least}
