"""Planning from history: percentile allocation, tiers, objectives, the queue
structure that jobs ask for. <sched/pctl.h>, <sched/history.h>, <sched/slo.h>,
<sched/tiers.h>, <sched/plan.h>

Times and lengths are in ns, or whatever you count time in; thresholds are
exact fractions."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from fractions import Fraction
from typing import Any, Union

from . import _core
from .columns import Column, Numbers, Texts
from .enums import NO_QUEUE, UNLIMITED, UNSET
from .handles import Owner
from .hooks import Hooks, host_of
from .ledger import Ledger
from .records import Layout, Records
from .tree import Queue, Tree

POINT = Layout("Point", "q:amount q:lower q:higher q:covered_num q:covered_den "
               "Q:waste_high Q:waste_low")
TOTAL = Layout("Total", "q:in_use q:vacant q:least q:peak Q:usage_high "
               "Q:usage_low")
TIER = Layout("Tier", "Q:workflows Q:successful Q:idle Q:runs Q:met")
REPAIR = Layout("Repair", "I:workflow I:runs I:met I:missing q:extra")

#: To the end of all intervals.
END = (1 << 63) - 1
#: No leaf: the job is outside the window.
NO_LEAF = (1 << 32) - 1
MAX_TIERS = 16

Threshold = Union[Fraction, float, str, int]


class RecordForm(IntEnum):
    """The forms of records. SKED_HISTORY_*"""

    INTERVALS = 0
    CHANGES = 1
    UNITS = 2


class HistoryFlag(IntFlag):
    """SKED_HISTORY_*"""

    WINDOW = 1
    KEEP = 2


class Objective(IntEnum):
    """What became of a workflow. SKED_SLO_*"""

    IDLE = 0
    FAILED = 1
    SUCCESSFUL = 2


class TiersOutcome(IntEnum):
    """What came of a search. SKED_TIERS_*"""

    OK = 0
    TOTAL = 1
    THRESHOLDS = 2
    RATIOS = 3


class PlanOp(IntEnum):
    """What a plan does to a queue. SKED_PLAN_*"""

    ADD = 1
    REMOVE = 2
    SET = 3


class PlanChanged(IntFlag):
    """What a plan changes, as bits. SKED_PLAN_*"""

    WEIGHT = 1
    MAX_RUNNING = 2
    TIER = 4
    PREEMPTION = 8


def exact(p: Threshold) -> Fraction:
    """A threshold as the fraction it is written as: 0.95 is 19/20."""
    return Fraction(str(p)) if isinstance(p, float) else Fraction(p)


def _pairs(thresholds: Iterable[Threshold]) -> array[int]:
    out = array("q")
    for p in thresholds:
        fraction = exact(p)
        out.extend((fraction.numerator, fraction.denominator))
    return out


@dataclass(frozen=True)
class Allocation:
    """What serves a queue for a part of the time in which it is in use.

    `covered` is the part really covered, exactly; `lower` and `higher` the
    next amounts that occur (0: none); `waste` amount times time that the
    allocation has and the queue does not use, over the time covered."""

    amount: int
    covered: Fraction
    lower: int
    higher: int
    waste: int


@dataclass(frozen=True)
class InUse:
    """What a queue did in all: time in use and vacant, the least and largest
    amount, and the exact sum of amount times length."""

    in_use: int
    vacant: int
    least: int
    peak: int
    usage: int


def _point(r: Any) -> Allocation:
    return Allocation(r.amount, Fraction(r.covered_num, r.covered_den), r.lower,
                      r.higher, r.waste_high << 64 | r.waste_low)


def _total(r: Any) -> InUse:
    return InUse(r.in_use, r.vacant, r.least, r.peak,
                 r.usage_high << 64 | r.usage_low)


def percentile(length: Numbers, amount: Numbers,
               thresholds: Sequence[Threshold] = (0.95,), *,
               hooks: Hooks | None = None) -> list[Allocation]:
    """Percentile allocations of one queue's time units: for each threshold the
    smallest amount that occurs such that units with no more than it make up
    that part of the time in use. Vacant units do not count.

    >>> [a.amount for a in percentile([5, 3, 2], [10, 20, 40], [0.5, 0.8, 1])]
    [10, 20, 40]
    """
    points, _ = percentiles(length, amount, thresholds, hooks=hooks)
    return [_point(r) for r in points]


def percentiles(length: Numbers, amount: Numbers,
                thresholds: Sequence[Threshold], first: Numbers = None, *,
                usage: bool = True,
                hooks: Hooks | None = None) -> tuple[Records, Records]:
    """The same for many queues at once, as records: units of queue q are the
    rows from first[q] to first[q + 1]; point q * len(thresholds) + j is that
    of queue q and threshold j. With the totals of each queue."""
    queues = 1 if first is None else len(first) - 1
    point, total = _core.pctl(host_of(hooks), {
        "flags": int(usage), "n": len(length), "queues": queues,
        "thresholds": len(thresholds), "length": length, "amount": amount,
        "first": first, "threshold": _pairs(thresholds)})
    return Records(POINT, point), Records(TOTAL, total)


class History(Owner):
    """What queues used and for how long: time units from records, as they
    come. Records start no earlier than what was settled.

    >>> h = History()
    >>> _ = h.intervals(start=[0, 5], end=[10, 15], amount=[3, 4])
    >>> h.settle()
    >>> [(a.amount, a.covered) for a in h.percentile(thresholds=[0.5])]
    [(4, Fraction(2, 3))]
    """

    __slots__ = ("kinds",)

    def __init__(self, queues: int = 1, kinds: int = 1, *, kind: int = 0,
                 parts: int = 1, instance: Numbers = None,
                 window: tuple[int, int] | None = None, keep: bool = False,
                 hooks: Hooks | None = None) -> None:
        flags = (HistoryFlag.WINDOW if window else 0) | (
            HistoryFlag.KEEP if keep else 0)
        start, end = window or (0, 0)
        self.kinds = kinds
        self._handle = _core.history_new(host_of(hooks), {
            "flags": int(flags), "queues": queues, "kinds": kinds, "kind": kind,
            "parts": parts, "from": start, "to": end}, instance)

    def add(self, form: int, amount: Numbers, *, n: int,
            queue: Numbers = None, start: Numbers = None, end: Numbers = None,
            length: Numbers = None, any_order: bool = False) -> tuple[int, int]:
        """Takes records in, all or none: how many were empty, and how many
        outside the window."""
        return _core.history_add(self._handle, self.kinds, {
            "flags": int(any_order), "form": form, "n": n, "queue": queue,
            "start": start, "end": end, "length": length, "amount": amount})

    def intervals(self, start: Numbers, end: Numbers, amount: Numbers,
                  queue: Numbers = None,
                  any_order: bool = False) -> tuple[int, int]:
        """Applications or tasks that held a vector from start to end."""
        return self.add(RecordForm.INTERVALS, amount, n=len(start), queue=queue,
                        start=start, end=end, any_order=any_order)

    def changes(self, start: Numbers, amount: Numbers, queue: Numbers = None,
                any_order: bool = False) -> tuple[int, int]:
        """What a queue holds from a time on."""
        return self.add(RecordForm.CHANGES, amount, n=len(start), queue=queue,
                        start=start, any_order=any_order)

    def units(self, length: Numbers, amount: Numbers,
              queue: Numbers = None) -> tuple[int, int]:
        """What a queue holds for a length, from its clock on."""
        return self.add(RecordForm.UNITS, amount, n=len(length), queue=queue,
                        length=length)

    def settle(self, time: int = END) -> None:
        """Nothing starts before this time any more."""
        _core.history_settle(self._handle, time)

    def forget(self, time: int) -> None:
        """Forgets what was before this time; with `keep` only."""
        _core.history_forget(self._handle, time)

    def percentile(self, queue: int = 0,
                   thresholds: Sequence[Threshold] = (0.95,)
                   ) -> list[Allocation]:
        """Percentile allocations of a queue, from what was settled."""
        points, _ = self.percentiles(thresholds, [queue])
        return [_point(r) for r in points]

    def percentiles(self, thresholds: Sequence[Threshold],
                    queues: Numbers) -> tuple[Records, Records]:
        """Those of many queues, and their totals, as `percentiles`."""
        point, total = _core.history_pctl(self._handle, queues, len(queues),
                                          _pairs(thresholds))
        return Records(POINT, point), Records(TOTAL, total)

    def total(self, queue: int = 0) -> InUse:
        """What a queue did in all."""
        return _total(self.percentiles([1], [queue])[1][0])

    def curve(self, queue: int = 0) -> tuple[Column, Column]:
        """Every amount that occurs, rising, and the time in use at or below."""
        return _core.history_curve(self._handle, queue)

    def kept(self, queue: int = 0) -> tuple[Column, Column]:
        """The units that are kept: lengths, and amounts by kind."""
        return _core.history_units(self._handle, queue, self.kinds)

    def work(self, queue: int = 0) -> tuple[list[int], list[int]]:
        """Exact sums of amount times length, one for each kind; and of those
        units of which the kind is the dominant one."""
        work, led = _core.history_work(self._handle, queue, self.kinds)
        return _wide(work), _wide(led)

    def reserved(self, price: Threshold, queue: int = 0,
                 window: int = 0) -> Reserved:
        """Reserved or on demand for a queue, as `reserved`."""
        p = exact(price)
        return _reserved(_core.history_reserved(
            self._handle, queue, window, p.numerator, p.denominator))

    def standing(self, queue: int = 0) -> dict[str, int]:
        """How a queue stands: clock, oldest, open, amounts, units."""
        return dict(zip(("clock", "oldest", "open", "amounts", "units"),
                        _core.history_standing_of(self._handle, queue)))

    def check(self) -> None:
        """InternalError if an invariant is broken."""
        _core.history_check(self._handle)


def _wide(words: Column) -> list[int]:
    return [high << 64 | low for high, low in words.tolist()]


def _words(values: Iterable[int]) -> array[int]:
    out = array("Q")
    for value in values:
        out.extend((value >> 64, value & ((1 << 64) - 1)))
    return out


# ---- instances, and what to reserve ----


def instances_of(instance: Numbers, vec: Numbers,
                 parts: int = 1) -> tuple[Column, Column]:
    """Instances (or parts of them) that vectors take by dominant resource,
    rounded up, and the dominant kind of each.

    >>> instances_of([2, 4], [3, 1, 1, 9])[0].tolist()
    [2, 3]
    """
    return _core.instances(instance, parts, vec)


@dataclass(frozen=True)
class Cost:
    """What so many reserved ones cost, in amounts times length at the price of
    those on demand."""

    amount: int
    reserved: int
    demand: int
    cost: int


@dataclass(frozen=True)
class Reserved:
    """The cheapest number to reserve, and what all or none would cost; the
    time for which more than the cheapest is used."""

    cheapest: Cost
    peak: Cost
    none: Cost
    exceeded: int
    window: int


def _reserved(said: tuple[Any, ...]) -> Reserved:
    costs = [Cost(c[0], c[1] << 64 | c[2], c[3] << 64 | c[4],
                  c[5] << 64 | c[6]) for c in said[:3]]
    return Reserved(costs[0], costs[1], costs[2], said[3], said[4])


def reserved(length: Numbers, amount: Numbers, price: Threshold, *,
             window: int = 0, hooks: Hooks | None = None) -> Reserved:
    """Reserved or on demand, with `price` the ratio of the reserved price to
    that on demand.

    >>> reserved([6, 4], [10, 20], 0.5).cheapest.amount
    10
    """
    p = exact(price)
    return _reserved(_core.reserved(host_of(hooks), length, amount, window,
                                    p.numerator, p.denominator))


def units_of(form: int, amount: Numbers, *, n: int, queues: int = 1,
             kinds: int = 1, queue: Numbers = None, start: Numbers = None,
             end: Numbers = None, length: Numbers = None, any_order: bool = False,
             hooks: Hooks | None = None) -> tuple[Column, Column, Column]:
    """Time units of records without a history: those of queue q are the rows
    from first[q] to first[q + 1] of the lengths and amounts.

    >>> units_of(RecordForm.INTERVALS, [3, 4], n=2, start=[0, 5],
    ...          end=[10, 15])[1].tolist()
    [5, 5, 5]
    """
    room = 2 * n + queues
    while True:
        said = _core.history_once(
            host_of(hooks), {"queues": queues, "kinds": kinds},
            {"flags": int(any_order), "form": form, "n": n, "queue": queue,
             "start": start, "end": end, "length": length, "amount": amount},
            room)
        if not isinstance(said, int):
            return said  # type: ignore[no-any-return]
        room = said


# ---- objectives ----


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
            "work": None if work is None else _words(work),
            "instance": instance, "success_ppm": success_ppm,
            "from": window[0], "to": window[1]}


def objectives(slo: Numbers, workflow: Numbers, start: Numbers, end: Numbers, *,
               tier: Numbers = None, success_ppm: int = 0,
               window: tuple[int, int] = (0, 0),
               hooks: Hooks | None = None) -> Objectives:
    """Do workflows end when they should? `slo` (ns) and `tier` by workflow;
    `workflow` (a number), `start` and `end` by run.

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
    """Runs from their jobs: start, end, work and number of jobs of each.

    >>> runs_of(1, [0, 0], [5, 2], [6, 9])[1].tolist()
    [9]
    """
    start, stop, done, jobs = _core.slo_runs({
        "runs": runs, "n": len(run), "run": run, "submit": submit, "end": end,
        "work": None if work is None else _words(work)}, host_of(hooks))
    return start, stop, _wide(done), jobs


def repairs(slo: Numbers, workflow: Numbers, start: Numbers, end: Numbers, *,
            which: int = 1, tier: Numbers = None,
            work: Iterable[int] | None = None, instance: int = 0,
            success_ppm: int = 0, window: tuple[int, int] = (0, 0),
            most: int = 1 << 20, hooks: Hooks | None = None) -> Records:
    """The workflows of a tier that are not successful, best to repair
    first."""
    found, _ = _core.slo_repairs(
        _slo(slo, workflow, start, end, tier, work, instance, success_ppm,
             window), which, host_of(hooks), most)
    return Records(REPAIR, found)


def instances(work: int, instance: int, slo: int) -> int:
    """The instances that a run of so much work needs to end within `slo`.

    >>> instances(1200 * 3600, 1, 12 * 3600)
    100
    """
    return _core.slo_instances(work >> 64, work & ((1 << 64) - 1), instance,
                               slo)


# ---- tiers ----


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
    """The thresholds of one tier, in order."""
    return _core.tiers_thresholds(low_ppm, high_ppm, step_ppm)


def search_tiers(low_ppm: Numbers, high_ppm: Numbers, usage: Iterable[int],
                 allocation: Numbers, *, total: int = UNLIMITED,
                 step_ppm: int = 0, hooks: Hooks | None = None) -> Tiers:
    """The greatest thresholds that keep both orders and fit the total; usage
    (instances times ns) by tier, allocations tier after tier."""
    said = _core.tiers_search({
        "tiers": len(low_ppm), "step_ppm": step_ppm, "total": total,
        "n": len(allocation), "low_ppm": low_ppm, "high_ppm": high_ppm,
        "usage": _words(usage), "allocation": allocation}, host_of(hooks))
    return Tiers(said[0], said[1], TiersOutcome(said[2]), *said[3:])


def plan_tiers(history: History, tier: Numbers, low_ppm: Numbers,
               high_ppm: Numbers, *, total: int = UNLIMITED, step_ppm: int = 0,
               hooks: Hooks | None = None) -> tuple[Tiers, Records]:
    """The same from a history; and what each queue is allocated."""
    said = _core.tiers_plan(history._handle, {
        "tiers": len(low_ppm), "queues": len(tier), "step_ppm": step_ppm,
        "total": total, "low_ppm": low_ppm, "high_ppm": high_ppm,
        "tier": tier}, host_of(hooks))
    found = Tiers(said[0], said[1], TiersOutcome(said[2]), *said[3:6])
    return found, Records(POINT, said[6])


# ---- structure ----


def running(queues: int, start: Numbers, end: Numbers, *,
            queue: Numbers = None, window: tuple[int, int] = (0, 0),
            part_ppm: int = 0, head_room: int = 0,
            hooks: Hooks | None = None) -> Column:
    """How many applications each queue should run at once.

    >>> running(1, [0, 0, 5], [10, 10, 6]).tolist()
    [4]
    """
    return _core.running({
        "queues": queues, "n": len(start), "queue": queue, "start": start,
        "end": end, "from": window[0], "to": window[1], "part_ppm": part_ppm,
        "head_room": head_room}, host_of(hooks))


def tier_settings(tiers: int) -> list[tuple[str, int, int, int]]:
    """The usual settings of tiers: name, may others preempt here, time-out
    (ns) and threshold (ppm) of its own preemption."""
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
        return ({"n": n, "levels": len(self.levels or ()), "tiers": self.tiers,
                 "level": self.levels, "tier": self.tier, "start": self.start,
                 "end": self.end, "from": self.window[0],
                 "to": self.window[1]},
                [(t.offsets, t.blob) for t in texts])


def leaves(jobs: PlanJobs, *,
           hooks: Hooks | None = None) -> tuple[Column, Column, Column]:
    """Which leaf each job belongs to; the first job and the tier of each leaf.

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
    to apply. `allocation` and `max_running` go by leaf (`leaves`)."""

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
        return _core.plan_held(self._handle)

    def __str__(self) -> str:
        return _core.plan_diff(self._handle)

    def apply(self, tree: Tree, ledger: Ledger | None = None) -> None:
        """Applies it to the draft of a tree, all of it or nothing."""
        _core.plan_apply(self._handle, tree._edit(),
                         None if ledger is None else ledger._handle)



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
                       _point(Records(POINT, point)[0]),
                       _total(Records(TOTAL, total)[0]))

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

__all__ = [
    "END", "MAX_TIERS", "Advice", "AdviceTotal", "Advised", "NO_LEAF", "UNSET", "Allocation", "History", "InUse",
    "Objective", "Objectives", "Plan", "PlanChange", "PlanJobs", "PlanOp",
    "RecordForm", "Tiers", "TiersOutcome", "instances", "leaves", "objectives",
    "Cost", "Reserved", "instances_of", "percentile", "percentiles",
    "plan_tiers", "repairs", "reserved", "running",
    "runs_of", "units_of",
    "search_tiers", "thresholds", "tier_settings"]
