"""Other changes, each tried alone by a replay of the same jobs."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..sim import Nodes, Sim
from ..tree import Tree
from . import runs
from .cluster import Cluster
from .given import Given, Wanted


ROUND = 3_000_000_000  # ns between rounds of preemption
MOST_LOOKS = 5_000_000  # at queues, in all rounds


@dataclass
class Tried:
    """One change and what came of it; times in ns."""

    what: str
    p50: int
    p95: int
    late: int
    killed: int = 0


def late_of(delays: Sequence[int], target: int) -> int:
    """How many waited longer, or never started."""
    return sum(d > target or d < 0 for d in delays)


def try_one(what: str, wanted: Wanted, given: Given, cluster: Cluster,
            tree: Tree) -> Tried:
    """One replay, without what only a full report needs."""
    assert given.jobs is not None
    how = replace(runs.options(wanted, cluster, given.jobs, tree), shares=False,
                  sample_every=0, max_samples=0)
    with Sim(tree, given.jobs, cluster.nodes, how) as sim:
        sim.run()
        total = sim.total
        return Tried(what, total.delay.p50, total.delay.p95,
                     late_of(array("q", sim.delays), wanted.target),
                     total.killed)


def larger(cluster: Cluster) -> Cluster:
    """A quarter more: of nodes, or of the one pool."""
    nodes = []
    for n in cluster.nodes:
        amount = [int(a) for a in n.amount]
        if cluster.count == 1:
            amount = [a * 5 // 4 for a in amount]
        nodes.append(Nodes(n.count if cluster.count == 1 else
                           -(-n.count * 5 // 4), amount, n.partition))
    return replace(cluster, nodes=nodes)


def preemption_is_quick(given: Given) -> bool:
    """Are there few enough rounds of few enough queues to try it along with
    the rest?"""
    assert given.jobs is not None
    rounds = (given.jobs.submit[-1] - given.jobs.submit[0]) // ROUND
    return bool(rounds * len(given.tree.leaves) <= MOST_LOOKS)


def try_all(wanted: Wanted, given: Given, cluster: Cluster) -> list[Tried]:
    """Each change that is not in force already."""
    made = [try_one("a quarter more nodes" if cluster.count > 1 else
                    "a quarter more of everything", wanted, given,
                    larger(cluster), given.tree)]
    for apps, what in (("user-fair", "inside each queue, users in turn"),
                       ("size", "inside each queue, small jobs first")):
        if wanted.apps != apps:
            tree = given.tree.copy()
            for leaf in tree.leaves:
                tree.set(leaf, apps=apps)
            tree.commit()
            made.append(try_one(what, wanted, given, cluster, tree))
    if wanted.preempt == "off" and preemption_is_quick(given):
        tree = given.tree.copy()
        made.append(try_one("preemption for queues below their share",
                            replace(wanted, preempt="starvation"), given,
                            cluster, tree))
    return made
