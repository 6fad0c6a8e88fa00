"""Who waited, and why: by queue, by user, by length; and whose jobs start in
time."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from ..pictures.words import dated, span
from ..plan import Objectives, objectives, repairs
from .given import SECOND, Given
from .runs import nearest
from .states import CAUSES
from .when import Clock

SUCCESS = 900_000
DAY = 86_400 * SECOND
#: What a cause is called in a sentence.
WORDS = {
    "limit": "a limit of the queue, or of one above it",
    "below_share": "others held part of its share",
    "cluster_full": "the cluster was full, and others held nothing of its share",
    "does_not_fit": "no node had enough of everything free",
    "order": "there was a place: order, gangs or the next heartbeat held it"}
#: Ends of the stretches into which waits are counted (s).
LENGTHS = (1, 10, 60, 600, 3600, 6 * 3600, 86_400, 7 * 86_400)


@dataclass
class Waited:
    """One queue's waits (ns): percentiles, how many were over the target, and
    the parts of all its waiting time by cause (states.CAUSES), in the
    replay."""

    path: str
    jobs: int
    p50: int
    p95: int
    p99: int
    over: int
    whole: int
    causes: dict[str, float] = field(default_factory=dict)

    @property
    def why(self) -> str:
        """The greatest part, in words."""
        if not self.causes:
            return "nothing waited"
        return WORDS[max(CAUSES, key=lambda c: self.causes.get(c, 0.0))]


def by_queue(given: Given, waits: Sequence[int], target: int,
             causes: dict[str, dict[str, float]] | None = None
             ) -> list[Waited]:
    """The waits of every leaf with jobs: the most late jobs first, then the
    most time waited. A job that never started (-1) is late."""
    jobs = given.jobs
    assert jobs is not None
    rows: dict[int, list[int]] = {}
    for queue, wait in zip(jobs.queue, waits):
        rows.setdefault(queue, []).append(wait)
    made = []
    for leaf in given.tree.leaves:
        mine = rows.get(leaf.id, [])
        times = [t for t in mine if t >= 0]
        if not mine:
            continue
        made.append(Waited(
            leaf.path, len(mine), nearest(times, 0.5), nearest(times, 0.95),
            nearest(times, 0.99), sum(t > target or t < 0 for t in mine),
            sum(times), (causes or {}).get(leaf.path, {})))
    return sorted(made, key=lambda w: (-w.over, -w.whole, w.path))


@dataclass
class OfUser:
    """One user in one queue: jobs, late ones, the longest wait of half and of
    19 in 20 (ns), and amount times ns of the kind looked at."""

    path: str
    user: str
    jobs: int
    late: int
    p50: int
    p95: int
    work: int


def by_user(given: Given, waits: Sequence[int], target: int,
            kind: str) -> list[OfUser]:
    """Every user of every queue: the most late jobs first."""
    jobs, notes = given.jobs, given.notes
    assert jobs is not None and notes is not None
    kinds, k = len(given.tree.schema), given.tree.schema.kind(kind)
    rows: dict[tuple[int, str], list[int]] = {}
    for i, key in enumerate(zip(jobs.queue, notes.user)):
        rows.setdefault(key, []).append(i)
    paths = {leaf.id: leaf.path for leaf in given.tree.leaves}
    made = []
    for (queue, user), mine in rows.items():
        said = [waits[i] for i in mine]
        times = [t for t in said if t >= 0]
        work = sum(jobs.amounts[i * kinds + k] * jobs.tasks[i] * jobs.run[i]
                   for i in mine)
        made.append(OfUser(paths[queue], user, len(mine),
                           sum(t > target or t < 0 for t in said),
                           nearest(times, 0.5), nearest(times, 0.95), work))
    return sorted(made, key=lambda u: (-u.late, -u.p95, u.path, u.user))


def lengths(waits: Sequence[int]) -> list[int]:
    """How many waits are up to each of LENGTHS, longer than all, and without
    end."""
    edges = [e * SECOND for e in LENGTHS]
    made = [0] * (len(edges) + 2)
    for wait in waits:
        at = len(edges) + 1 if wait < 0 else bisect_right(edges, wait - 1)
        made[at] += 1
    return made


# ---- objectives ----


@dataclass
class Goals:
    """Users, each counted in each of their queues, whose jobs start within the
    target, by period and over all; names and the worst."""

    periods: list[Objectives]
    labels: list[str]
    whole: Objectives
    worst: list[tuple[str, int, int]] = field(default_factory=list)

    def part(self, tier: int) -> float | None:
        """The part of a tier's users whose jobs do."""
        row = self.whole.tiers[tier - 1]
        return row.successful / row.workflows if row.workflows else None


def goals(given: Given, waits: Sequence[int], target: int,
          tiers: dict[str, int], clock: Clock) -> Goals:
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
    edges, labels = periods(min(start), max(start) + 1, clock)
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


def periods(begin: int, end: int,
            clock: Clock) -> tuple[list[int], list[str]]:
    """Days where there are two or more, at most 31 of equal length; otherwise
    twelfths. Called by their dates where there are any, or by their ends."""
    whole = end - begin
    if whole >= 2 * DAY:
        days = -(-whole // DAY)
        each = -(-days // 31)
        count = -(-days // each)
        edges = [begin + k * each * DAY for k in range(count + 1)]
        labels = [f"day {1 + k * each}" for k in range(count)]
        form = "%d %b" if days <= 366 else "%b %Y"
        first = clock.date(begin)
        # By the calendar: where clocks go back an edge may be an hour early.
        dates = [first and first + timedelta(days=k * each)
                 for k in range(count)]
    else:
        edges = [begin + whole * k // 12 for k in range(13)]
        labels = [span((edge - begin) / SECOND) for edge in edges[1:]]
        form = "%H:%M"
        dates = [clock.date(edge) for edge in edges[:-1]]
    return edges, [label if date is None else
                   dated(date, form)
                   for label, date in zip(labels, dates)]
