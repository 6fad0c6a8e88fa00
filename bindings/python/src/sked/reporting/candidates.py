"""What may be better than the tree as it is: weights, orders, guarantees, bounds
and preemption, each as a change of a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..enums import UNLIMITED, ChildOrder
from ..tree import Queue, Tree
from . import runs
from .given import Given, Wanted
from .numbers import column, ends_of, exact_dot, groups, lasting, steps
from .planner import Advised, Need
from .whatif import preemption_is_quick


@dataclass
class Candidate:
    """A way to run: what it is called, its family, what it does to a tree, and
    what it preempts by."""

    what: str
    family: str
    apply: Callable[[Tree], None]
    preempt: str = ""


def set_leaves(**settings: object) -> Callable[[Tree], None]:
    """Sets something of every leaf."""
    def apply(tree: Tree) -> None:
        for leaf in tree.leaves:
            tree.set(leaf, **settings)
    return apply


def set_parents(**settings: object) -> Callable[[Tree], None]:
    """Sets something of every parent."""
    def apply(tree: Tree) -> None:
        for queue in tree:
            if queue.children:
                tree.set(queue, **settings)
    return apply


def weigh_as(other: Tree) -> Callable[[Tree], None]:
    """The weights of another tree with the same queues."""
    def apply(tree: Tree) -> None:
        for queue in tree:
            if queue.parent is not None:
                tree.set(queue, weight=int(other[queue.path].get("weight")))
    return apply


def weigh_by(weights: dict[str, int]) -> Callable[[Tree], None]:
    """Weights of queues by path; others have 1."""
    def apply(tree: Tree) -> None:
        for queue in tree:
            if queue.parent is not None:
                tree.set(queue, weight=weights.get(queue.path, 1))
    return apply


def guarantee(amounts: dict[str, int], kind: str) -> Callable[[Tree], None]:
    """Guarantees of leaves in one kind."""
    def apply(tree: Tree) -> None:
        for leaf in tree.leaves:
            if amounts.get(leaf.path):
                tree.set(leaf, guarantee={kind: amounts[leaf.path]})
    return apply


def bound_jobs(most: dict[str, int]) -> Callable[[Tree], None]:
    """How many jobs of a leaf run at once."""
    def apply(tree: Tree) -> None:
        for leaf in tree.leaves:
            if most.get(leaf.path):
                tree.set(leaf, max_running=most[leaf.path])
    return apply


APPS = (("user-fair", "users of each queue take turns"),
        ("size", "small jobs of each queue go first"),
        ("fair", "of each queue the job that holds least goes first"),
        ("priority", "jobs of each queue go by priority"),
        ("fifo", "jobs of each queue go in the order of submission"))
ORDERS = (("share", "the queue that holds least of its share goes first"),
          ("drf", "the queue that holds least of the cluster for its weight "
           "goes first"),
          ("utilisation", "the queue that holds least of its guarantee goes "
           "first"),
          ("fifo", "the job that came first goes first, whatever its queue"),
          ("fair", "the queue that holds least of one kind goes first"))


def work_of(given: Given, k: int, until: int) -> dict[str, int]:
    """Amount times ns by path of a queue, of the jobs up to an instant."""
    jobs = given.jobs
    assert jobs is not None
    rows = column(jobs.submit) < until
    held, run = given.held(given.tree.schema.names[k]), column(jobs.run)
    order, first, numbers = groups(given.leaf[rows])
    held, run = held[rows][order], run[rows][order]
    work = {number: exact_dot(held[at:to], run[at:to]) for at, to, number in
            zip(first, ends_of(first, len(order)), numbers.tolist())}
    made: dict[str, int] = {}
    for i, leaf in enumerate(given.tree.leaves):
        queue: Queue | None = leaf
        while queue is not None:
            made[queue.path] = made.get(queue.path, 0) + work.get(i, 0)
            queue = queue.parent
    return made


def weights_of(work: dict[str, int], root: Fraction = Fraction(1)
               ) -> dict[str, int]:
    """Weights in proportion to work, or to its root: 1 to 1000."""
    most = max(work.values(), default=0) or 1
    power = float(root)
    return {path: max(1, round(1000 * (w / most) ** power))
            for path, w in work.items()}


def candidates(wanted: Wanted, given: Given, kind: str, advised: Advised | None,
               needs: Sequence[Need], capacity: int, until: int,
               now: runs.Outcome) -> list[Candidate]:
    """What may be better than the tree as it is, the most promising of each
    family first. `until`: they may know what was submitted before."""
    tree, made = given.tree, list[Candidate]()
    leaves = list(tree.leaves)
    apps_now = {leaf.get("apps").name.lower().replace("_", "-")
                for leaf in leaves}
    orders_now = {q.get("order") for q in tree if q.children}
    many = len(leaves) > 1
    work = work_of(given, tree.schema.kind(kind), until)
    if many and advised is not None and advised.tree is not None and \
            advised.changes:
        made.append(Candidate("weights as the percentiles of use say",
                              "weights", weigh_as(advised.tree)))
    made += [Candidate(what, "apps", set_leaves(apps=name))
             for name, what in APPS if apps_now != {name}
             and (name != "priority" or has_priorities(given))
             and (name != "user-fair" or has_users(given))]
    if many:
        made += [Candidate(what, "order", set_parents(order=name))
                 for name, what in ORDERS
                 if orders_now != {ChildOrder[name.upper()]}]
        made += [Candidate("weights in proportion to the work of each queue",
                           "weights", weigh_by(weights_of(work))),
                 Candidate("weights by the square root of the work of each "
                           "queue", "weights",
                           weigh_by(weights_of(work, Fraction(1, 2))))]
        if any(int(q.get("weight")) != 1 for q in tree):
            made.append(Candidate("equal weights", "weights", weigh_by({})))
        made += guarantees(needs, kind, capacity)
        made += bounds(given, now)
    if many and wanted.preempt == "off" and preemption_is_quick(given):
        made.append(Candidate("preemption for queues below their share",
                              "preemption", lambda tree: None, "starvation"))
    return made


def has_priorities(given: Given) -> bool:
    """Do jobs have different priorities?"""
    assert given.jobs is not None
    return given.jobs.priority is not None and \
        bool((column(given.jobs.priority) != given.jobs.priority[0]).any())


def has_users(given: Given) -> bool:
    """Has some queue several users, who could take turns?"""
    assert given.jobs is not None
    if given.jobs.user is None:
        return False
    import numpy
    leaf, user = given.leaf, column(given.jobs.user)
    first: Any = numpy.zeros(int(leaf.max()) + 1, "int64")
    first[leaf] = user
    return bool((first[leaf] != user).any())


def guarantees(needs: Sequence[Need], kind: str,
               capacity: int) -> list[Candidate]:
    """What is enough for half, and for nearly all, of each queue's time in
    use, where that fits."""
    made = []
    for at, what in ((0, "half"), (2, "90 %")):
        amounts = {n.path: n.points[at].amount for n in needs}
        if 0 < sum(amounts.values()) <= capacity:
            made.append(Candidate(
                f"a guarantee of what is enough for {what} of each queue's "
                "time in use", "guarantees", guarantee(amounts, kind)))
    return made


def bounds(given: Given, now: runs.Outcome) -> list[Candidate]:
    """Each queue may run as many jobs at once as it does for nine tenths of
    the time in which it runs any."""
    import numpy
    task = {name: column(now.tasks[name]) for name in ("start", "end", "job")}
    order, first, rows = groups(task["job"])
    if not len(rows):
        return []
    start = numpy.minimum.reduceat(task["start"][order], first)
    end = numpy.maximum.reduceat(task["end"][order], first)
    order, first, numbers = groups(given.leaf[rows])
    start, end = start[order], end[order]
    most, leaves = {}, list(given.tree.leaves)
    for at, to, i in zip(first, ends_of(first, len(order)), numbers.tolist()):
        queue = leaves[i]
        usual, peak = usual_of(*lasting(*steps(
            start[at:to], end[at:to], numpy.ones(to - at, "int64"))))
        if peak > usual and int(queue.get("max_running")) == UNLIMITED:
            most[queue.path] = usual
    return [Candidate("a bound on the jobs that run at once, what each queue "
                      "has nine tenths of the time", "bounds",
                      bound_jobs(most))] if most else []


def usual_of(level: Any, span: Any) -> tuple[int, int]:
    """Of the levels of a number that changes, and for how long each was held:
    what it is at most for nine tenths of the time in which it is not 0, and at
    most."""
    import numpy
    used = level > 0
    level, span = level[used], span[used]
    if not len(level):
        return 0, 0
    at = int(numpy.searchsorted(numpy.cumsum(span), int(span.sum()) * 9 // 10))
    return int(level[at]), int(level[-1])
