"""What each queue needs for a part of the time in which it is in use, and what
the planner makes of it: thresholds by tier, and weights."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..columns import Column
from ..plan import (Allocation, History, InUse, Plan, PlanChange, PlanJobs,
                    Tiers, TiersOutcome, plan_tiers)
from ..tree import Tree
from .given import Given, Mode
from .numbers import column
from .runs import Outcome
from .window import Window

THRESHOLDS = ("0.5", "0.8", "0.9", "0.95", "0.99", "1")
#: Upper bounds of thresholds by tier, in ppm; from the last on all alike.
UPPER = (990_000, 950_000, 900_000)
ALONE = 950_000
LOWEST = 500_000
PPM = 1_000_000


@dataclass
class Need:
    """What one queue needs: by `THRESHOLDS`; what it did in all; its curve."""

    path: str
    tier: int
    points: list[Allocation]
    total: InUse
    curve: tuple[Column, Column]
    chosen: Allocation | None = None

    @property
    def spare(self) -> int:
        """What the last per cent of its time costs: the peak less what is
        enough for 99 % of it."""
        return self.points[5].amount - self.points[4].amount


@dataclass
class Advised:
    """What the planner says. `upper`: no thresholds keep the order of tiers,
    so these are the upper bounds."""

    tiers: Tiers
    upper: bool
    changes: list[PlanChange] = field(default_factory=list)
    held: int = 0
    tree: Tree | None = None
    diff: str = ""


def history(given: Given, kind: str, ran: Outcome | None,
            window: Window | None = None) -> tuple[History, list[str]]:
    """Time units of every leaf that was used, as recorded or else as
    simulated, and the leaves' paths. Of an export by ends, inside its
    window."""
    paths = [leaf.path for leaf in given.tree.leaves]
    if given.mode is Mode.UNITS:
        made = History(len(paths))
        for i, leaf in enumerate(given.tree.leaves):
            lengths, amounts = given.units[leaf.name]
            made.units(lengths, amounts, array("I", [i]) * len(lengths))
        made.settle()
        return made, paths
    import numpy
    start, end, amount, leaf = intervals(given, kind, ran)
    if window is not None and window.cut:
        start = numpy.maximum(start, window.begin)
        end = numpy.minimum(end, window.end)
    end = numpy.maximum(start, end)
    made = History(len(paths))
    start, end, amount = map(numpy.ascontiguousarray, (start, end, amount))
    made.intervals(start, end, amount, leaf.astype("uint32"), any_order=True)
    made.settle()
    return made, paths


def intervals(given: Given, kind: str,
              ran: Outcome | None) -> tuple[Any, Any, Any, Any]:
    """What was held from when to when, and the number of the leaf."""
    notes = given.notes
    assert given.jobs is not None and notes is not None
    if notes.recorded or ran is None:
        return notes.start, notes.end, given.held(kind), given.leaf
    rows = column(ran.tasks["job"])
    one = column(given.jobs.amounts).reshape(-1, len(given.tree.schema))[
        :, given.tree.schema.kind(kind)]
    return (column(ran.tasks["start"]), column(ran.tasks["end"]),
            column(ran.tasks["count"]) * one[rows], given.leaf[rows])


def needs(made: History, paths: Sequence[str],
          tiers: dict[str, int]) -> list[Need]:
    """What each queue that was ever in use needs, the greatest first."""
    found = []
    for i, path in enumerate(paths):
        total = made.total(i)
        if total.in_use:
            found.append(Need(path, tiers[path], made.percentile(i, THRESHOLDS),
                              total, made.curve(i)))
    return sorted(found, key=lambda n: (-n.points[3].amount, n.path))


def advise(given: Given, made: History, paths: Sequence[str],
           tiers: dict[str, int], wants: list[Need], capacity: int,
           scale: int) -> Advised:
    """Thresholds that keep the tiers in order and fit the capacity, what they
    give each queue, and a tree with weights to match."""
    count = max(tiers.values(), default=1)
    high = [ALONE] if count == 1 else [
        UPPER[min(k, len(UPPER) - 1)] for k in range(count)]
    found, points = plan_tiers(made, array("B", [tiers[p] for p in paths]),
                               array("q", [LOWEST] * count), array("q", high),
                               total=capacity)
    upper = found.outcome in (TiersOutcome.THRESHOLDS, TiersOutcome.RATIOS)
    threshold = high if upper else found.threshold_ppm.tolist()
    said = Advised(found, upper)
    for need in wants:
        part = Fraction(threshold[need.tier - 1], PPM)
        need.chosen = made.percentile(paths.index(need.path), [part])[0]
    weigh(given, wants, scale, said)
    return said


def weigh(given: Given, wants: list[Need], scale: int, said: Advised) -> None:
    """Weights: what each queue is allocated, in whole cores (or what `scale`
    units are). Queues in use are all as deep as --queue-by has levels."""
    names = {need.path: names_of(given.tree, need.path) for need in wants}
    ordered = sorted(wants, key=lambda need: given.tree[need.path].row)
    fields = list(zip(*(names[need.path] for need in ordered)))
    jobs = PlanJobs(fields, levels=array("i", range(len(fields))),
                    tier=array("B", [need.tier for need in ordered]),
                    tiers=max(need.tier for need in ordered))
    allocation = array("q", [max(1, -(-allocated(n) // scale))
                             for n in ordered])
    plan = Plan(given.tree, jobs, allocation, keep_idle=True)
    said.changes, said.held, said.diff = list(plan), plan.held, str(plan)
    said.tree = given.tree.copy()
    plan.apply(said.tree)
    said.tree.commit()


def allocated(need: Need) -> int:
    """What the planner gives a queue."""
    return need.chosen.amount if need.chosen else 0


def names_of(tree: Tree, path: str) -> list[str]:
    """The names from below the root down to a queue."""
    names = []
    queue = tree[path]
    while queue.parent is not None:
        names.append(queue.name)
        queue = queue.parent
    return names[::-1]
