"""How much each queue gives or claims in a round of preemption."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sked
from sked import preempt

from .judging import Calls, Fields, flat, given, judge, number, numbers


def targets(f: Fields) -> dict[str, sked.Column]:
    """The targets of one round."""
    parent, kinds = given(f, "parent"), number(f, "kinds", 1)
    queues = {name: numbers(f, name) for name in (
        "weight", "guarantee", "limit", "demand", "usage", "capacity")}
    clocks = {"preempt_from": numbers(f, "from"),
              "min_timeout": numbers(f, "min_timeout"),
              "fair_timeout": numbers(f, "fair_timeout"),
              "fair_threshold": numbers(f, "threshold")}
    options = {name: number(f, name) for name in (
        "flags", "dialect", "cycles", "ignored", "factor", "per_round",
        "utilisation")}
    # The systems that these answers are of look at each kind by itself.
    options["flags"] |= preempt.TargetFlag.BY_KIND
    return preempt.target_once(
        {"kinds": kinds, "n": len(parent), "parent": parent, **queues},
        clocks=clocks, options=options)


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
            options={"flags": preempt.TargetFlag.BY_KIND,
                     "dialect": preempt.Dialect.ENTITLEMENT,
                     "cycles": number(f, "cycles")})
        rounds = said["rounds"].tolist()
        due = said["reasons"][1] & preempt.TargetReason.GIVES
    return judge(f, "want", [int(due != 0), rounds[1]], rule)


CALLS: Calls = {
    **{f"target_{name}": target_column(name)
       for name in ("share", "excess", "take", "first")},
    "target_claims": target_claims, "target_starved": target_starved,
    "over_rounds": over_rounds}
