"""From what jobs did to a tree that suits them. <sched/advise.h>"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .. import _core
from ..columns import Column, Numbers
from ..enums import NO_QUEUE
from ..executors import Heard, each
from ..handles import Owner
from ..hooks import Cancel, Hooks, host_of
from ..ledger import Ledger
from ..records import Records
from ..sim import Delay, Jobs, Nodes, Options, columns_of
from ..tree import Queue, Tree
from .allocate import POINT, TOTAL, Allocation, InUse, point_of, total_of
from .slo import TIER
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


@dataclass(frozen=True)
class Side:
    """How work fared under one tree: jobs, those that did not end (rejected,
    or cut off), when the last task ended (ns), and by tier, the first first,
    how many workflows met their objective, and the delays of their jobs. Equal
    digests: the same decisions."""

    digest: int
    jobs: int
    unfinished: int
    end: int
    tiers: Records
    delays: list[Delay]

    @classmethod
    def _of(cls, said: tuple[Any, ...]) -> Side:
        digest, jobs, unfinished, end, tiers, delays = said
        return cls(digest, jobs, unfinished, end, Records(TIER, tiers),
                   [Delay(*row) for row in delays.tolist()])

    def met(self, tier: int) -> Fraction | None:
        """The part of a tier's workflows (1: the first) that are successful;
        None where it has none."""
        row = self.tiers[tier - 1]
        return Fraction(row.successful, row.workflows) if row.workflows \
            else None


@dataclass(frozen=True)
class Proof:
    """The same work under the tree in force and under the advice."""

    before: Side
    after: Side


class Advice(Owner):
    """From what jobs did to a tree that suits them, as a diff with reasons.
    `jobs` needs start and end; `amounts` is jobs x kinds, held from start to
    end; `instance` what one instance has, and there are `instances`.

    `used` has a 1 for rows of `tree` whose queues are to stay. Thresholds,
    steps and parts are in ppm. Raises NotFoundError, RangeError (a number,
    with its row), StaleError (`below`), StateError, SchemaError (other kinds),
    ExistsError, ConfigError, Cancelled."""

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
        self._handle = _core.advice_new(
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
        outcome, *rest = _core.advice_get_result(self._handle)
        return AdviceTotal(TiersOutcome(outcome), *rest)

    def leaf(self, i: int) -> Advised:
        """The i-th leaf, in the order of `leaves`. Raises RangeError (there is
        none, or nothing could be chosen)."""
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

    def prove(self, tree: Tree, jobs: Jobs, names: PlanJobs,
              nodes: Sequence[Nodes], *, workflow: Numbers, tier: Numbers,
              slo: Numbers, options: Options | None = None,
              success_ppm: int = 0) -> Proof:
        """Replays work under `tree`, the one in force, and under the advice.

        `jobs` queue in leaves of `tree`; `names` say row by row what they name
        (its window is not read). `workflow` is a number from 0 by job, `tier`
        (from 1) by workflow; `slo` by job, ns from submission to the end of
        its last task. `success_ppm` as in `objectives`. Jobs that name no leaf
        of the advice run in its leaf for others. Hooks are the advice's own.

        ValueError where a column has another length; RangeError for an
        objective, workflow or tier out of range; StaleError where a queue of
        `jobs` is no leaf; StateError where what `names` says is none and the
        advice has no leaf for others; ArgumentError for options with a
        multiplier; Cancelled.
        <sched/advise.h>"""
        said, fields = names._said()
        given: tuple[Any, ...] = (
            self._handle, tree._settled(),
            *columns_of(tree, jobs, nodes, options),
            {"workflows": len(tier), "workflow": workflow, "tier": tier,
             "slo": slo, "success_ppm": success_ppm}, said, fields)
        before, after = _core.advice_prove(*given)
        return Proof(Side._of(before), Side._of(after))

    def apply(self, tree: Tree, ledger: Ledger | None = None) -> None:
        """Applies it to the draft of a tree and commits it, all or nothing.
        Raises NotFoundError (a path that is not there), StateError (another
        value before; busy in `ledger`; confined), ExistsError, RangeError,
        SchemaError, ConfigError (the draft has faults), Cancelled."""
        _core.advice_apply(self._handle, tree._edit(),
                           None if ledger is None else ledger._handle)
        tree._changed = False


@dataclass(frozen=True)
class AdviceFound:
    """What one case of advice came to: small, and it can be sent anywhere.
    `diff` is what would change, `tree` the tree as it would be."""

    total: AdviceTotal
    leaves: list[Advised]
    diff: str
    tree: Tree


@dataclass
class AdviceCase:
    """Everything that `Advice` is made of, for one cluster; `options` are its
    keyword arguments, `below` among them as a path. Columns as there:
    `amounts` jobs x kinds row by row, `instance` one amount a kind."""

    tree: Tree
    jobs: PlanJobs
    amounts: Numbers
    instance: Numbers
    instances: int
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self) -> AdviceFound:
        options = dict(self.options)
        if options.get("below"):
            options["below"] = self.tree[options["below"]]
        with Advice(self.tree, self.jobs, self.amounts, self.instance,
                    self.instances, **options) as advice:
            total = advice.total
            chosen = total.outcome in (TiersOutcome.OK, TiersOutcome.TOTAL)
            leaves = [advice.leaf(i) for i in range(total.leaves)] \
                if chosen or options.get("anyway") else []
            return AdviceFound(total, leaves, str(advice), advice.tree)


def advise_case(case: AdviceCase) -> AdviceFound:
    """One case: a function of a module, as executors want it."""
    return case()


def advise_each(cases: Iterable[AdviceCase], *,
                executor: Executor | None = None,
                progress: Heard | None = None,
                cancel: Cancel | None = None) -> list[AdviceFound]:
    """Advice for each of many clusters, in their order; with an `executor`
    (threads, processes, Dask's or Ray's) there. `progress(done, of)` hears of
    each. Raises as `Advice`. If `cancel` is set, the rest ends with
    Cancelled."""
    return each(advise_case, cases, executor, progress=progress, cancel=cancel)
