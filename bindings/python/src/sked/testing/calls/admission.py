"""Admission to a pool: what became of each gang, who waits where, what is
held."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sked import admit

from .judging import Calls, Fields, given, judge, number, numbers


def pool(f: Fields, rule: str | None) -> int:
    kinds, need = number(f, "kinds", 1), given(f, "need")
    columns: dict[str, Any] = {name: numbers(f, name) for name in (
        "entitlement", "slack", "reservation", "controllers", "held", "tasks",
        "priority", "kind", "line", "state")}
    found = admit.admit(kinds, need, preemption=bool(number(f, "flags")),
                        most=number(f, "most"), **columns)
    lines, demand = [0] * 4, [0] * kinds
    for row in found.waiting:
        lines[found.line[row]] += 1
        for k in range(kinds):
            demand[k] += need[row * kinds + k]
    return judge(f, "want", [len(found.admitted), *lines, *found.held, *demand,
                             *found.outcome], rule)


def users(f: Fields, rule: str | None) -> int:
    kinds = number(f, "kinds", 1)
    columns: dict[str, Any] = {name: numbers(f, name) for name in (
        "guarantee", "limit", "step", "used", "wanted", "weight")}
    found = admit.users(kinds, part_ppm=number(f, "part"),
                        factor_ppm=number(f, "factor"), **columns)
    within = [sum(found.wanted[k::kinds]) for k in range(kinds)]
    return judge(f, "want", [*found.bound, *found.may, *within], rule)


def app_bounds(f: Fields, rule: str | None) -> int:
    own = numbers(f, "leaf")
    found = admit.apps(
        total=number(f, "total"), leaf=own[0] if own else None,
        part=Fraction(number(f, "num"), number(f, "den", 1)),
        part_ppm=number(f, "part"), factor_ppm=number(f, "factor"))
    return judge(f, "want", [found.leaf, found.user], rule)


def master_bounds(f: Fields, rule: str | None) -> int:
    columns: dict[str, Any] = {name: numbers(f, name) for name in (
        "guarantee", "limit", "step")}
    found = admit.masters(
        number(f, "kinds", 1), share_ppm=number(f, "share"),
        part_ppm=number(f, "part"), factor_ppm=number(f, "factor"),
        active=number(f, "active"), weight=number(f, "weight", 1), **columns)
    return judge(f, "want", [*found.leaf, *found.user], rule)


CALLS: Calls = {"admit": pool, "users": users, "app_bounds": app_bounds,
                "master_bounds": master_bounds}
