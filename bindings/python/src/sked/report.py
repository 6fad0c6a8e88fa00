"""The daily report of a cluster, and workflows between clusters.
<sched/report.h>, <sched/balance.h>"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any

from . import _core, layouts
from .columns import Column, Numbers
from .hooks import Hooks, host_of
from .plan.allocate import wide, words
from .records import Layout, Records

FLOWS = Layout("Flows", layouts.REPORT_TIER)
MOVE = Layout("Move", layouts.BALANCE_MOVE)
EVACUATED = Layout("Evacuated", layouts.BALANCE_EVACUATION)

#: A workflow that fits into no cluster.
NOWHERE = (1 << 32) - 1


class Action(IntEnum):
    """What to do with the instances of a tier. enum sked_report_action"""

    KEEP = 0
    GROW = 1
    SHRINK = 2


class Why(IntEnum):
    """Why that is done. enum sked_report_reason"""

    WITHIN = 0
    ABOVE = 1
    BELOW = 2
    WAITING = 3
    LEAST = 4


class Flow(IntFlag):
    """How a workflow differs from what was known. enum sked_report_flow"""

    NEW = 1
    RETIERED = 2
    SLO = 4


@dataclass(frozen=True)
class Report:
    """Usage over capacity, and what to do. Tables have the total and then each
    tier, of instances and then each kind: `used` and `capacity` amounts times
    ns in one list, `ratio_ppm` in rows; `stranded` one amount a kind."""

    action: Action
    reason: Why
    streak: int
    dominant: int
    disorder: int
    by: int
    needed: int
    used: list[int]
    capacity: list[int]
    ratio_ppm: Column
    stranded: Column


def report(*, window: int, instances: int, instance: Numbers, tiers: int,
           tier: Numbers, allocation: Numbers, used: Iterable[int],
           usage: Iterable[int], target_ppm: int = 0, band_ppm: int = 0,
           patience: int = 0, streak: int = 0,
           hooks: Hooks | None = None) -> Report:
    """The report of a window (ns): `tier`, `allocation` and `used` (instances
    times ns) by queue, `usage` (amounts times ns) queues x kinds. `instance`
    is one amount a kind. Raises RangeError (with row and kind), Cancelled."""
    said = _core.report({
        "kinds": len(instance), "tiers": tiers, "queues": len(tier),
        "streak": streak, "window": window, "instances": instances,
        "instance": instance, "tier": tier, "allocation": allocation,
        "used": words(used), "usage": words(usage),
        "target_ppm": target_ppm, "band_ppm": band_ppm, "patience": patience},
        host_of(hooks))
    return Report(Action(said[0]), Why(said[1]), *said[2:7], wide(said[7]),
                  wide(said[8]), *said[9:])


def compare(now: dict[str, Numbers], before: dict[str, Numbers] | None = None,
            *, hooks: Hooks | None = None) -> tuple[Column, Records]:
    """How workflows (columns key, tier, slo) differ from those of an earlier
    report: `Flow` bits of each, and the tiers in numbers. `slo` is in ns, a
    row a workflow. Raises ExistsError (a key twice), RangeError (a tier),
    Cancelled."""
    def said(flows: dict[str, Numbers]) -> dict[str, Any]:
        return {"n": len(flows["key"]), **flows}
    change, tiers = _core.report_compare(
        said(now), None if before is None else said(before), host_of(hooks))
    return change, Records(FLOWS, tiers)


@dataclass(frozen=True)
class Balanced:
    """Where workflows are to be, what clusters then use, how to get there; and
    the objective (excess, sum) before, after, and its lower bound."""

    cluster: Column
    utilisation: Column
    moves: Records | None
    instances: Column | None
    stranded: Column | None
    leaving: int
    complete: bool
    tries: int
    before: tuple[int, int]
    after: tuple[int, int]
    bound: tuple[int, int]


def _balanced(said: tuple[Any, ...], moves: bool) -> Balanced:
    return Balanced(said[0], said[1],
                    Records(MOVE, said[2]) if moves else None,
                    None if moves else said[2], said[3], said[4],
                    bool(said[5]), *said[6:])


def balance(problem: dict[str, Any], *,
            hooks: Hooks | None = None) -> Balanced:
    """Rebalances workflows between clusters: columns and numbers by the names
    of sked_balance_input. Raises RangeError (with the row), Cancelled."""
    return _balanced(_core.balance(problem, host_of(hooks)), True)


def split(problem: dict[str, Any], *, hooks: Hooks | None = None) -> Balanced:
    """Splits a cluster by instance types; see sked_balance_split. Raises
    RangeError, Cancelled."""
    return _balanced(_core.balance_split(problem, host_of(hooks)), False)


def evacuate(problem: dict[str, Any], zone: int, *,
             hooks: Hooks | None = None) -> tuple[Column, Records]:
    """Loses a zone: where each workflow is to be (NOWHERE), and what became of
    the tiers. Raises RangeError, Cancelled."""
    cluster, tiers = _core.balance_evacuate(problem, zone, host_of(hooks))
    return cluster, Records(EVACUATED, tiers)
