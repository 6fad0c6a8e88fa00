"""The queue structure that jobs ask for. <sched/plan.h>"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any

from .. import _core
from ..columns import Column, Numbers, Texts, count_of
from ..enums import NO_QUEUE
from ..handles import Owner
from ..hooks import Hooks, host_of
from ..ledger import Ledger
from ..tree import Queue, Tree

#: No leaf: the job is outside the window.
NO_LEAF = (1 << 32) - 1


class PlanOp(IntEnum):
    """What a plan does to a queue. enum sked_plan_op"""

    ADD = 1
    REMOVE = 2
    SET = 4


class PlanChanged(IntFlag):
    """What a plan changes, as bits. enum sked_plan_changed"""

    WEIGHT = 1
    MAX_RUNNING = 2
    TIER = 4
    PREEMPTION = 8


def running(queues: int, start: Numbers, end: Numbers, *,
            queue: Numbers = None, window: tuple[int, int] = (0, 0),
            part_ppm: int = 0, head_room: int = 0,
            hooks: Hooks | None = None) -> Column:
    """How many applications each queue should run at once. By application:
    `queue` (a number, or NO_LEAF), `start` and `end` (ns). What covers
    `part_ppm` of the time in which any ran (0: all of it), times `head_room`
    ppm (0: 1,250,000). Raises NotFoundError (no such queue), RangeError (with
    the row), Cancelled.

    >>> running(1, [0, 0, 5], [10, 10, 6]).tolist()
    [4]
    """
    return _core.plan_running({
        "queues": queues, "n": len(start), "queue": queue, "start": start,
        "end": end, "from": window[0], "to": window[1], "part_ppm": part_ppm,
        "head_room": head_room}, host_of(hooks))


def tier_settings(tiers: int) -> list[tuple[str, int, int, int]]:
    """The usual settings of tiers: name, may others preempt here, time-out
    (ns) and threshold (ppm) of its own preemption. Raises RangeError (not 1 to
    16 tiers)."""
    return _core.plan_tiers(tiers)


@dataclass
class PlanJobs:
    """Jobs as columns: a column of texts for each field (organisation,
    project), and a tier from 1. `levels` are fields, -1 the tier."""

    fields: Sequence[Sequence[str]]
    tier: Numbers = None
    tiers: int = 0
    levels: Numbers = None
    start: Numbers = None
    end: Numbers = None
    window: tuple[int, int] = (0, 0)

    def _said(self) -> tuple[dict[str, Any], list[tuple[Any, Any]]]:
        texts = [f if isinstance(f, Texts) else Texts(f) for f in self.fields]
        n = len(texts[0]) if texts else len(self.tier)
        return ({"n": n, "levels": count_of(self.levels), "tiers": self.tiers,
                 "level": self.levels, "tier": self.tier, "start": self.start,
                 "end": self.end, "from": self.window[0],
                 "to": self.window[1]},
                [(t.offsets, t.blob) for t in texts])


def leaves(jobs: PlanJobs, *,
           hooks: Hooks | None = None) -> tuple[Column, Column, Column]:
    """Which leaf each job belongs to; the first job and the tier of each leaf.
    Raises RangeError (a text that is empty, a number, with its row),
    Cancelled.

    >>> leaves(PlanJobs([["a", "b", "a"]]))[0].tolist()
    [0, 1, 0]
    """
    return _core.plan_leaves(*jobs._said(), host_of(hooks))


@dataclass(frozen=True)
class PlanChange:
    """One queue that a plan changes, with the numbers that explain it."""

    op: PlanOp
    queue: int
    path: str
    leaf: int
    tier: int
    changed: PlanChanged
    jobs: int
    allocation: int
    weight_before: int
    weight_after: int
    running_before: int
    running_after: int


class Plan(Owner):
    """What turns a tree into the structure that jobs ask for: to review, and
    to apply. `allocation` and `max_running` go by leaf (`leaves`). Allocations
    are instances. `used` has a 1 for rows of the tree whose queues are to
    stay. Raises RangeError (with the row), StaleError (`below`), StateError
    (the ledger follows other rows), SchemaError, Cancelled."""

    __slots__ = ()

    def __init__(self, tree: Tree, jobs: PlanJobs, allocation: Numbers, *,
                 max_running: Numbers = None, below: Queue | None = None,
                 dead_band_ppm: int = 0, keep_idle: bool = False,
                 used: Numbers = None, ledger: Ledger | None = None,
                 hooks: Hooks | None = None) -> None:
        self._handle = _core.plan_new(tree._settled(), {
            "flags": int(keep_idle), "leaves": len(allocation),
            "below": below.id if below else NO_QUEUE,
            "dead_band_ppm": dead_band_ppm, "allocation": allocation,
            "max_running": max_running, "used": used}, *jobs._said(),
            None if ledger is None else ledger._handle, host_of(hooks))

    def __len__(self) -> int:
        return _core.plan_count(self._handle)

    def __getitem__(self, i: int) -> PlanChange:
        if not -len(self) <= i < len(self):
            raise IndexError("no such change")
        op, queue, path, leaf, tier, changed, *rest = _core.plan_get(
            self._handle, i % len(self))
        return PlanChange(PlanOp(op), queue, path, leaf, tier,
                          PlanChanged(changed), *rest)

    def __iter__(self) -> Iterator[PlanChange]:
        return (self[i] for i in range(len(self)))

    @property
    def held(self) -> int:
        """Changes within the dead band, that are not made."""
        return _core.plan_skipped(self._handle)

    def __str__(self) -> str:
        return _core.plan_diff(self._handle)

    def apply(self, tree: Tree, ledger: Ledger | None = None) -> None:
        """Applies it to the draft of a tree, all of it or nothing. Raises
        NotFoundError (a path that is not there), StateError (another value
        before; busy in `ledger`; confined), ExistsError, RangeError,
        SchemaError, Cancelled."""
        _core.plan_apply(self._handle, tree._edit(),
                         None if ledger is None else ledger._handle)
