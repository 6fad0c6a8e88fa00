"""The thresholds of tiers, from a budget. <sched/tiers.h>"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from .. import _core
from ..columns import Column, Numbers
from ..enums import UNLIMITED
from ..hooks import Hooks, host_of
from ..records import Records
from .allocate import POINT, words
from .history import History

MAX_TIERS = 16


class TiersOutcome(IntEnum):
    """What came of a search. enum sked_tiers_outcome"""

    OK = 0
    TOTAL = 1
    THRESHOLDS = 2
    RATIOS = 3


@dataclass(frozen=True)
class Tiers:
    """What came of a search for thresholds: by tier the threshold (ppm) and
    what it allocates; which tier fails (0: none); the smallest total that
    would do (-1: none)."""

    threshold_ppm: Column
    allocation: Column
    outcome: TiersOutcome
    tier: int
    allocated: int
    smallest: int


def thresholds(low_ppm: int, high_ppm: int, step_ppm: int = 0) -> Column:
    """The thresholds of one tier, in order. In ppm; a step of 0 is 10,000.
    Raises RangeError."""
    return _core.tiers_thresholds(low_ppm, high_ppm, step_ppm)


def search_tiers(low_ppm: Numbers, high_ppm: Numbers, usage: Iterable[int],
                 allocation: Numbers, *, total: int = UNLIMITED,
                 step_ppm: int = 0, hooks: Hooks | None = None) -> Tiers:
    """The greatest thresholds that keep both orders and fit the total; usage
    (instances times ns) by tier, allocations tier after tier. Raises
    RangeError (with the row), Cancelled."""
    said = _core.tiers_search({
        "tiers": len(low_ppm), "step_ppm": step_ppm, "total": total,
        "n": len(allocation), "low_ppm": low_ppm, "high_ppm": high_ppm,
        "usage": words(usage), "allocation": allocation}, host_of(hooks))
    return Tiers(said[0], said[1], TiersOutcome(said[2]), *said[3:])


def plan_tiers(history: History, tier: Numbers, low_ppm: Numbers,
               high_ppm: Numbers, *, total: int = UNLIMITED, step_ppm: int = 0,
               hooks: Hooks | None = None) -> tuple[Tiers, Records]:
    """The same from a history; and what each queue is allocated. `tier` by
    queue (from 1; 0: none), bounds in ppm by tier. Raises NotFoundError (more
    queues than the history has), RangeError (with the row), Cancelled."""
    said = _core.tiers_plan(history._handle, {
        "tiers": len(low_ppm), "queues": len(tier), "step_ppm": step_ppm,
        "total": total, "low_ppm": low_ppm, "high_ppm": high_ppm,
        "tier": tier}, host_of(hooks))
    found = Tiers(said[0], said[1], TiersOutcome(said[2]), *said[3:6])
    return found, Records(POINT, said[6])
