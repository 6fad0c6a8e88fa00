"""Who waited, and why: the time of each wait by what the queue and the cluster
were doing in it; and which users' jobs start in time."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from ..columns import Table
from ..plan import Objectives, objectives, repairs
from .given import SECOND, Given
from .runs import Outcome, nearest

#: A cluster is full from so much of its capacity on.
FULL = 0.95
SUCCESS = 900_000
DAY = 86_400 * SECOND


@dataclass
class Waited:
    """One queue's waits (ns): percentiles, how many were over the target, and
    the parts of all its waiting time in which it had less than its share,
    was at its share with the cluster full, or had room."""

    path: str
    jobs: int
    p50: int
    p95: int
    p99: int
    over: int
    whole: int
    below: float = 0.0
    full: float = 0.0
    room: float = 0.0

    @property
    def why(self) -> str:
        """The greatest part, in words."""
        if not self.whole:
            return "nobody waited"
        parts = ((self.below, "others held part of its share"),
                 (self.full, "it wanted more than its share of a full cluster"),
                 (self.room, "there was room, but not for its tasks, or "
                  "something else held them back"))
        return max(parts, key=lambda p: p[0])[1]


class States:
    """For how long of any stretch a queue was in which state: sums over
    samples."""

    def __init__(self, queue: Table, root: Table, capacity: int, every: int,
                 begin: int) -> None:
        self.begin = begin
        self.every = max(1, every)
        below, full = [], []
        full_at = FULL * capacity
        for used, share, all_used in zip(queue["usage"].tolist(),
                                         queue["share"].tolist(),
                                         root["usage"].tolist()):
            below.append(int(used < share))
            full.append(int(used >= share and all_used >= full_at))
        self.below = [0, *accumulate(below)]
        self.full = [0, *accumulate(full)]

    def parts(self, start: int, length: int) -> tuple[float, float]:
        """The parts of a wait below the share, and at it in a full cluster."""
        first = (start - self.begin) // self.every
        last = (start + length - self.begin) // self.every
        top = len(self.below) - 1
        a, b = min(max(0, first), top - 1), min(max(0, last) + 1, top)
        cells = max(1, b - a)
        return ((self.below[b] - self.below[a]) / cells,
                (self.full[b] - self.full[a]) / cells)


def by_queue(given: Given, waits: Sequence[int], target: int,
             ran: Outcome | None, capacity: int) -> list[Waited]:
    """The waits of every leaf, the longest 95th percentile first."""
    jobs = given.jobs
    assert jobs is not None
    rows: dict[int, list[int]] = {}
    for i, queue in enumerate(jobs.queue):
        if waits[i] >= 0:
            rows.setdefault(queue, []).append(i)
    made = []
    for leaf in given.tree.leaves:
        mine = rows.get(leaf.id, [])
        if not mine:
            continue
        times = [waits[i] for i in mine]
        said = Waited(leaf.path, len(mine), nearest(times, 0.5),
                      nearest(times, 0.95), nearest(times, 0.99),
                      sum(t > target for t in times), sum(times))
        if ran is not None:
            explain(said, given, ran, mine, capacity)
        made.append(said)
    return sorted(made, key=lambda w: (-w.p95, -w.whole, w.path))


def explain(said: Waited, given: Given, ran: Outcome, rows: list[int],
            capacity: int) -> None:
    """Fills in what the queue's waiting time was, from the run."""
    jobs = given.jobs
    assert jobs is not None
    root = ran.samples[given.tree.root.path]
    states = States(ran.samples[said.path], root, capacity,
                    ran.total.sample_every, ran.total.first_submit)
    below = full = whole = 0.0
    for i in rows:
        wait = ran.delays[i]
        if wait > 0:
            a, b = states.parts(jobs.submit[i], wait)
            below += a * wait
            full += b * wait
            whole += wait
    if whole:
        said.below, said.full = below / whole, full / whole
        said.room = max(0.0, 1 - said.below - said.full)


# ---- objectives ----


@dataclass
class Goals:
    """Workflows (a user in a queue) whose jobs start within the target, by
    period and over all; names and the worst."""

    periods: list[Objectives]
    labels: list[str]
    whole: Objectives
    worst: list[tuple[str, int, int]] = field(default_factory=list)

    def part(self, tier: int) -> float | None:
        """The part of a tier's workflows that succeed."""
        row = self.whole.tiers[tier - 1]
        return row.successful / row.workflows if row.workflows else None


def goals(given: Given, waits: Sequence[int], target: int,
          tiers: dict[str, int]) -> Goals:
    """Counts them. A job that never started is not in time."""
    jobs, notes = given.jobs, given.notes
    assert jobs is not None and notes is not None
    paths = {leaf.id: leaf.path for leaf in given.tree.leaves}
    names = {leaf.id: leaf.name for leaf in given.tree.leaves}
    known: dict[tuple[int, str], int] = {}
    workflow = array("I", [known.setdefault((queue, user), len(known))
                           for queue, user in zip(jobs.queue, notes.user)])
    tier = array("B", [tiers[paths[queue]] for queue, _ in known])
    slo = array("q", [max(1, target)]) * len(known)
    start = array("q", jobs.submit)
    end = array("q", [at + (w if w >= 0 else 2 * target + 2)
                      for at, w in zip(start, waits)])
    edges, labels = periods(min(start), max(start) + 1)
    found = [part_of(slo, workflow, start, end, tier, edges[k], edges[k + 1])
             for k in range(len(labels))]
    whole = objectives(slo, workflow, start, end, tier=tier,
                       success_ppm=SUCCESS)
    called = [f"{user} \u00b7 {names[queue]}" for queue, user in known]
    worst = []
    for t in range(1, len(whole.tiers) + 1):
        for r in repairs(slo, workflow, start, end, which=t, tier=tier,
                         success_ppm=SUCCESS):
            worst.append((r.met - r.runs, called[r.workflow], r.runs, r.met))
    worst.sort()
    return Goals(found, labels, whole, [w[1:] for w in worst[:6]])


def part_of(slo: array[int], workflow: array[int], start: array[int],
            end: array[int], tier: array[int], begin: int,
            stop: int) -> Objectives:
    """Objectives of the jobs that were submitted in a period."""
    a, b = bisect_right(start, begin - 1), bisect_right(start, stop - 1)
    return objectives(slo, workflow[a:b], start[a:b], end[a:b], tier=tier,
                      success_ppm=SUCCESS)


def periods(begin: int, end: int) -> tuple[list[int], list[str]]:
    """Days where there are two or more, at most 31 of equal length; otherwise
    twelfths."""
    span = end - begin
    if span >= 2 * DAY:
        days = -(-span // DAY)
        each = -(-days // 31)
        count = -(-days // each)
        edges = [begin + k * each * DAY for k in range(count + 1)]
        return edges, [f"day {1 + k * each}" for k in range(count)]
    edges = [begin + span * k // 12 for k in range(13)]
    return edges, [f"{k + 1}/12" for k in range(12)]
