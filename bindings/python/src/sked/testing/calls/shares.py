"""Shares, time weights, and dominant resource fairness."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sked
from sked import drf, schema

from .judging import (PASSED, Calls, Failed, Fields, flat, given, judge, must,
                      near, number, numbers, reals)

MANY = 100_000


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


def run_blocked(tree: sked.Hdrf, capacity: Sequence[int],
                leaves: Sequence[int], demand: Sequence[int]) -> int:
    """Goes on until nothing fits; a leaf is blocked as soon as its next task
    does not. The first leaf that was served; -1: none."""
    k, first, left = len(capacity), -1, list(leaves)
    free = list(capacity)
    for i in leaves:
        free = [a - b for a, b in zip(free, tree.usage(i)[0])]
    for _ in range(MANY):
        for i in [i for i in left if any(
                d > a for d, a in zip(demand[i * k:i * k + k], free))]:
            tree.block(i)
            left.remove(i)
        found = tree.next()
        if found is None:
            break
        first = found if first < 0 else first
        tree.allocate(found)
        free = [a - d for a, d in zip(free, demand[found * k:found * k + k])]
    return first


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
    must(f, "first", [run_blocked(tree, capacity, [
        i for i in range(n) if leaf[i]], demand)])
    got: list[int] = []
    for i in range(n):
        got += tree.usage(i)[0].tolist() if leaf[i] else [0] * k
    return judge(f, "final", got, rule)


CALLS: Calls = {
    "fill": fill, "share": share, "time_weight": time_weight, "fair_tree":
    fair_tree, "decay": decay, "standing": standing, "level": level, "picks":
    picks, "hdrf": hdrf}
