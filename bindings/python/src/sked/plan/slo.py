"""Do workflows end when they should? <sched/slo.h>"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from .. import _core, layouts
from ..columns import Column, Numbers
from ..hooks import Hooks, host_of
from ..records import Layout, Records
from .allocate import wide, words

TIER = Layout("Tier", layouts.SLO_TIER)
REPAIR = Layout("Repair", layouts.SLO_REPAIR)


class Objective(IntEnum):
    """What became of a workflow. enum sked_slo_outcome"""

    IDLE = 0
    FAILED = 1
    SUCCESSFUL = 2


@dataclass(frozen=True)
class Objectives:
    """Runs and runs that met their objective, by workflow; what became of
    each (`Objective`); and the tiers in numbers."""

    runs: Column
    met: Column
    outcome: Column
    tiers: Records


def _slo(slo: Numbers, workflow: Numbers, start: Numbers, end: Numbers,
         tier: Numbers, work: Iterable[int] | None, instance: int,
         success_ppm: int, window: tuple[int, int]) -> dict[str, Any]:
    return {"workflows": len(slo), "n": len(workflow), "slo": slo, "tier": tier,
            "workflow": workflow, "start": start, "end": end,
            "work": None if work is None else words(work),
            "instance": instance, "success_ppm": success_ppm,
            "from": window[0], "to": window[1]}


def objectives(slo: Numbers, workflow: Numbers, start: Numbers, end: Numbers, *,
               tier: Numbers = None, success_ppm: int = 0,
               window: tuple[int, int] = (0, 0),
               hooks: Hooks | None = None) -> Objectives:
    """Do workflows end when they should? `slo` (ns) and `tier` by workflow;
    `workflow` (a number), `start` and `end` by run. Times in ns; `success_ppm`
    of the runs must meet it (0: 90 %). Raises RangeError (with the row),
    Cancelled.

    >>> objectives([10], [0, 0], [0, 0], [9, 11]).met.tolist()
    [1]
    """
    runs, met, outcome, tiers = _core.slo_count(
        _slo(slo, workflow, start, end, tier, None, 0, success_ppm, window),
        host_of(hooks))
    return Objectives(runs, met, outcome, Records(TIER, tiers))


def runs_of(runs: int, run: Numbers, submit: Numbers, end: Numbers, *,
            work: Iterable[int] | None = None, hooks: Hooks | None = None
            ) -> tuple[Column, Column, list[int], Column]:
    """Runs from their jobs: start, end, work and number of jobs of each. By
    job: `run` (a number below `runs`), `submit` and `end` (ns), `work` (amount
    times ns). Raises RangeError (with the row), Cancelled.

    >>> runs_of(1, [0, 0], [5, 2], [6, 9])[1].tolist()
    [9]
    """
    start, stop, done, jobs = _core.slo_runs({
        "runs": runs, "n": len(run), "run": run, "submit": submit, "end": end,
        "work": None if work is None else words(work)}, host_of(hooks))
    return start, stop, wide(done), jobs


def repairs(slo: Numbers, workflow: Numbers, start: Numbers, end: Numbers, *,
            which: int = 1, tier: Numbers = None,
            work: Iterable[int] | None = None, instance: int = 0,
            success_ppm: int = 0, window: tuple[int, int] = (0, 0),
            most: int = 1 << 20, hooks: Hooks | None = None) -> Records:
    """The workflows of a tier that are not successful, best to repair first,
    the first `most` of them. Columns as in `objectives`; `work` (amount times
    ns) by run, and `instance` the amount that one instance has. Raises
    RangeError (with the row), Cancelled."""
    found, _ = _core.slo_repairs(
        _slo(slo, workflow, start, end, tier, work, instance, success_ppm,
             window), which, host_of(hooks), most)
    return Records(REPAIR, found)


def instances(work: int, instance: int, slo: int) -> int:
    """The instances that a run of so much work needs to end within `slo`.
    `work` is in amount times ns, `slo` in ns, `instance` the amount that one
    has. Raises RangeError.

    >>> instances(1200 * 3600, 1, 12 * 3600)
    100
    """
    return _core.slo_instances(work >> 64, work & ((1 << 64) - 1), instance,
                               slo)
