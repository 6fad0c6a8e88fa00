"""Who gives way, and how they are told."""

from __future__ import annotations

from typing import Any

from sked import preempt

from .judging import Calls, Failed, Fields, given, judge, number, numbers


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
    problem.verify(plan_.victims, plan_.placements)
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


def placements(f: Fields, rule: str | None) -> int:
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


CALLS: Calls = {
    "rank": rank, "told": told, "contract": contract, "victims": victims,
    "placements": placements}
