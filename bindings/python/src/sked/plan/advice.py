"""From what jobs did to a tree that suits them. <sched/advise.h>"""

from __future__ import annotations

from dataclasses import dataclass

from .. import _core
from ..columns import Column, Numbers
from ..enums import NO_QUEUE
from ..handles import Owner
from ..hooks import Hooks, host_of
from ..ledger import Ledger
from ..records import Records
from ..tree import Queue, Tree
from .allocate import POINT, TOTAL, Allocation, InUse, point_of, total_of
from .structure import PlanChange, PlanChanged, PlanJobs, PlanOp
from .tiers import TiersOutcome


@dataclass(frozen=True)
class AdviceTotal:
    """Advice as a whole; by tier the threshold (ppm) and what it allocates."""

    outcome: TiersOutcome
    tier: int
    leaves: int
    changes: int
    held: int
    allocated: int
    smallest: int
    threshold_ppm: Column
    allocation: Column


@dataclass(frozen=True)
class Advised:
    """The numbers behind one leaf; `queue` is its id in the advised tree."""

    tier: int
    queue: int
    threshold_ppm: int
    max_running: int
    point: Allocation
    total: InUse


class Advice(Owner):
    """From what jobs did to a tree that suits them, as a diff with reasons.
    `jobs` needs start and end; `amounts` is jobs x kinds, held from start to
    end; `instance` what one instance has, and there are `instances`."""

    __slots__ = ("schema",)

    def __init__(self, tree: Tree, jobs: PlanJobs, amounts: Numbers,
                 instance: Numbers, instances: int, *,
                 low_ppm: Numbers = None, high_ppm: Numbers = None,
                 guaranteed_tiers: int = 0, step_ppm: int = 0,
                 dead_band_ppm: int = 0, running_part_ppm: int = 0,
                 head_room: int = 0, below: Queue | None = None,
                 other: str | None = None, used: Numbers = None,
                 anyway: bool = False, ledger: Ledger | None = None,
                 hooks: Hooks | None = None) -> None:
        said, fields = jobs._said()
        self.schema = tree.schema
        self._handle = _core.advise(
            tree._settled(),
            {"flags": int(anyway), "kinds": len(instance),
             "guaranteed_tiers": guaranteed_tiers,
             "instance": instance, "instances": instances,
             "step_ppm": step_ppm, "dead_band_ppm": dead_band_ppm,
             "running_part_ppm": running_part_ppm, "head_room": head_room,
             "below": below.id if below else NO_QUEUE, "used": used},
            said, fields, amounts, low_ppm, high_ppm, other,
            None if ledger is None else ledger._handle, host_of(hooks))

    @property
    def total(self) -> AdviceTotal:
        """The advice as a whole."""
        outcome, *rest = _core.advice_total(self._handle)
        return AdviceTotal(TiersOutcome(outcome), *rest)

    def leaf(self, i: int) -> Advised:
        """The i-th leaf, in the order of `leaves`."""
        tier, queue, threshold, most, point, total = _core.advice_leaf(
            self._handle, i)
        return Advised(tier, queue, threshold, most,
                       point_of(Records(POINT, point)[0]),
                       total_of(Records(TOTAL, total)[0]))

    @property
    def tree(self) -> Tree:
        """The tree as it would be: a copy."""
        made = Tree.__new__(Tree)
        made.schema = self.schema
        made._start(_core.advice_tree(self._handle, None), None, None)
        return made

    def __str__(self) -> str:
        return _core.advice_diff(self._handle)

    @property
    def changes(self) -> list[PlanChange]:
        """The plan's changes, with the numbers that explain them."""
        return [PlanChange(PlanOp(op), queue, path, leaf, tier,
                           PlanChanged(changed), *rest)
                for op, queue, path, leaf, tier, changed, *rest in
                _core.advice_plan(self._handle)]

    def apply(self, tree: Tree, ledger: Ledger | None = None) -> None:
        """Applies it to the draft of a tree and commits it, all or nothing."""
        _core.advice_apply(self._handle, tree._edit(),
                           None if ledger is None else ledger._handle)
        tree._changed = False
