"""Other sizes, each tried by a replay of the same jobs: more nodes, fewer nodes,
and what it costs to take some away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..sim import Nodes, Sim
from ..tree import Tree
from . import runs
from .cluster import Cluster
from .given import SECOND, Given, Wanted
from .numbers import column, nearest
from .waits import is_late

ROUND = 3_000_000_000  # ns between rounds of preemption
MOST_LOOKS = 5_000_000  # at queues, in all rounds
#: Sizes that are tried, as parts of what there is.
SIZES = tuple(map(Fraction, ("3/4", "9/10", "5/4", "3/2", "2")))
#: Decisions that these replays may take in all.
MOST_DECISIONS = 8_000_000
#: Instants at which it is looked up what taking nodes away costs.
INSTANTS = 48
#: The part of the nodes that is taken away then.
TAKEN = Fraction(1, 10)


@dataclass
class Tried:
    """A cluster of another size and what came of it; times in ns. `size`: its
    part of the one there is."""

    what: str
    p50: int
    p95: int
    late: int
    killed: int = 0
    size: Fraction = Fraction(1)
    nodes: int = 0


def late_of(delays: Any, target: int) -> int:
    """How many waited longer, or never started."""
    return int(is_late(column(delays), target).sum())


def try_one(what: str, wanted: Wanted, given: Given, cluster: Cluster,
            tree: Tree, size: Fraction = Fraction(1)) -> Tried:
    """One replay, without what only a full report needs."""
    assert given.jobs is not None
    how = replace(runs.options(wanted, cluster, given.jobs, tree), shares=False,
                  sample_every=0, max_samples=0)
    with Sim(tree, given.jobs, cluster.nodes, how) as sim:
        sim.run()
        total = sim.total
        return Tried(what, total.delay.p50, total.delay.p95,
                     late_of(sim.delays, wanted.target),
                     total.killed, size, cluster.count)


def sized(cluster: Cluster, size: Fraction) -> Cluster:
    """So many times the nodes (rounded up, at least one of each kind), or of
    the one pool."""
    nodes = []
    for n in cluster.nodes:
        amount = [int(a) for a in n.amount]
        if cluster.count == 1:
            amount = [int(a * size) for a in amount]
        count = 1 if cluster.count == 1 else max(1, -(-n.count * size // 1))
        nodes.append(Nodes(int(count), amount, n.partition))
    return replace(cluster, nodes=nodes)


def preemption_is_quick(given: Given) -> bool:
    """Are there few enough rounds of few enough queues to try it along with
    the rest?"""
    assert given.jobs is not None
    rounds = (given.jobs.submit[-1] - given.jobs.submit[0]) // ROUND
    return bool(rounds * len(given.tree.leaves) <= MOST_LOOKS)


def called(cluster: Cluster, size: Fraction) -> str:
    """A size in words."""
    part = abs(round(100 * (size - 1)))
    of = "nodes" if cluster.count > 1 else "of everything"
    return f"{part} % {'more' if size > 1 else 'fewer'} {of}" \
        if cluster.count > 1 or size > 1 else f"{part} % less {of}"


def try_sizes(wanted: Wanted, given: Given, cluster: Cluster,
              now: runs.Outcome, heard: runs.Heard = runs.silent
              ) -> list[Tried]:
    """The cluster as it is, then others: larger ones until no job is late or
    they end, smaller ones while no more jobs are late. `heard` gets each size
    before its replay."""
    late = late_of(now.delays, wanted.target)
    made = [Tried("as it is now", now.total.delay.p50, now.total.delay.p95,
                  late, now.total.killed, Fraction(1), cluster.count)]
    left = max(2, MOST_DECISIONS // max(1, now.total.decisions))
    up = [s for s in SIZES if s > 1] if late else []
    down = [s for s in reversed(SIZES) if s < 1]
    for sizes in (up, down):
        for size in sizes:
            if left <= 0:
                break
            left -= 1
            other = sized(cluster, size)
            if size < 1 and not fits_all(given, other):
                break
            size = Fraction(other.count, cluster.count) \
                if cluster.count > 1 else size
            if size in {t.size for t in made}:
                continue
            heard(called(cluster, size))
            made.append(try_one(called(cluster, size), wanted, given, other,
                                given.tree, size))
            if made[-1].late == 0 if size > 1 else made[-1].late > late:
                break
    return made


def fits_all(given: Given, cluster: Cluster) -> bool:
    """Does each job still fit on a node of its own?"""
    import numpy
    assert given.jobs is not None
    rows = column(given.jobs.amounts).reshape(-1, len(given.tree.schema))
    if cluster.gang:
        rows = rows * given.tasks[:, None]
    shapes = numpy.unique(rows, axis=0).tolist()
    nodes = [[int(a) for a in n.amount] for n in cluster.nodes]
    return all(any(all(a <= r for a, r in zip(shape, node))
                   for node in nodes) for shape in shapes)


# ---- taking nodes away ----


@dataclass
class Removal:
    """What it costs to take `nodes` nodes away at some instant of the run, the
    emptiest first. Draining: how long until the last of them is empty (ns;
    half of the instants, 19 of 20) and node time kept meanwhile. Killing:
    tasks, and amount times ns of the kind looked at that is lost (mean over
    the instants). [MON-14]"""

    nodes: int
    drain_p50: int
    drain_p95: int
    held: float
    killed: float
    lost: float


def removal(given: Given, cluster: Cluster, now: runs.Outcome,
            kind: str) -> Removal | None:
    """The same at equal distances of the time in which jobs came; None with
    fewer than ten nodes."""
    import numpy
    nodes = int(cluster.count * TAKEN)
    if nodes == 0 or given.jobs is None or not len(now.tasks):
        return None
    kinds, k = len(given.tree.schema), given.tree.schema.kind(kind)
    amounts = numpy.asarray(given.jobs.amounts).reshape(-1, kinds)[:, k]
    task = {name: numpy.asarray(now.tasks[name]) for name in now.tasks}
    held = task["count"] * amounts[task["job"]].astype(float)
    drains: list[int] = []
    sums = numpy.zeros(3)
    first, last = now.total.first_submit, now.total.last_submit
    for i in range(1, INSTANTS + 1):
        at = first + (last - first) * i // (INSTANTS + 1)
        on = numpy.flatnonzero((task["start"] <= at) & (task["end"] > at))
        left, kept, killed, lost = taken_at(task, held, on, at, cluster.count,
                                            nodes)
        drains.append(left)
        sums += (kept, killed, lost)
    drains.sort()
    return Removal(nodes, drains[len(drains) // 2],
                   nearest(drains, 0.95), *(sums / INSTANTS).tolist())


def taken_at(task: dict[str, Any], held: Any, on: Any, at: int, count: int,
             nodes: int) -> tuple[int, int, float, float]:
    """At one instant: time until the nodes are empty, node time until then,
    tasks that run on them, work that those have done."""
    import numpy
    end = numpy.full(count, at)
    numpy.maximum.at(end, task["node"][on], task["end"][on])
    gone = numpy.argsort(end, kind="stable")[:nodes]
    mine = on[numpy.isin(task["node"][on], gone)]
    return (int((end[gone] - at).max()), int((end[gone] - at).sum()),
            float(task["count"][mine].sum()),
            float((held[mine] * (at - task["start"][mine])).sum()))


def hours(amount: float) -> float:
    """Amount times ns as amount times hours."""
    return amount / (3600 * SECOND)
