"""Who waited, and why: by queue, by user, by length; and whose jobs start in
time."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from ..pictures.words import dated, span
from ..importers.model import bare, split
from ..plan import Objectives, objectives, repairs
from .given import SECOND, Given
from .numbers import column, ends_of, groups, nearest_of
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


@dataclass
class Seen:
    """Waits, a row a job, by submission: its queue and its user by number,
    when it was asked for, how long it waited (ns; -1: it never started),
    amount times ns of the kind looked at, how long it ran (ns), and how it
    ended (`outcomes.NAMES`; empty: not said)."""

    paths: list[str]
    users: list[str]
    queue: Any
    user: Any
    submit: Any
    wait: Any
    work: Any
    run: Any
    outcome: Any

    def __len__(self) -> int:
        return len(self.wait)


def seen(given: Given, waits: Any, kind: str, aside: bool = False) -> Seen:
    """The waits of the jobs of a replay, or as recorded. `aside`: those of
    rows that cannot be replayed, too."""
    import numpy
    jobs, notes = given.jobs, given.notes
    assert jobs is not None and notes is not None
    paths = given.paths
    user = numpy.ones(len(jobs), "int64") if jobs.user is None else \
        column(jobs.user)
    run = numpy.maximum(notes.end - notes.start, 0) if aside else \
        column(jobs.run)
    ended = len(notes.outcome) > 0
    made = [given.leaf, user, column(jobs.submit), column(waits),
            given.held(kind) * column(jobs.run).astype(float), run,
            notes.outcome if ended else numpy.zeros(len(jobs), "int8")]
    left = notes.aside
    if aside and len(left):
        known = {path: i for i, path in enumerate(paths)}
        at = column([known.setdefault(path, len(known))
                     for path in left.paths])
        paths = list(known)
        none: Any = numpy.zeros(len(left), "int64")
        more = [at[left.queue], left.user, left.submit, left.wait,
                none.astype(float), none,
                left.outcome if ended else none.astype("int8")]
        made = [numpy.concatenate(pair) for pair in zip(made, more)]
        order = numpy.argsort(made[2], kind="stable")
        made = [one[order] for one in made]
    if not ended:
        made[-1] = column([])
    return Seen(paths, notes.users or ["default"], *made)


def is_late(waits: Any, target: int) -> Any:
    """Which waited longer, or never started."""
    return (waits > target) | (waits < 0)


def by_queue(said: Seen, target: int,
             causes: dict[str, dict[str, float]] | None = None
             ) -> list[Waited]:
    """The waits of every queue with jobs: the most late jobs first, then the
    most time waited. A job that never started (-1) is late."""
    order, first, queues = groups(said.queue)
    made = []
    for at, to, queue in zip(first, ends_of(first, len(order)), queues):
        mine = said.wait[order[at:to]]
        times = mine[mine >= 0]
        path = said.paths[queue]
        p50, p95, p99 = nearest_of(times, (0.5, 0.95, 0.99))
        made.append(Waited(
            path, len(mine), p50, p95, p99, int(is_late(mine, target).sum()),
            int(times.sum()), (causes or {}).get(path, {})))
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
    work: float


def pairs_of(said: Seen) -> Any:
    """A number for each user in each queue."""
    return said.queue * (len(said.users) + 1) + said.user


def by_user(said: Seen, target: int) -> list[OfUser]:
    """Every user of every queue: the most late jobs first."""
    order, first, pairs = groups(pairs_of(said))
    made = []
    for at, to, pair in zip(first, ends_of(first, len(order)), pairs.tolist()):
        rows = order[at:to]
        mine = said.wait[rows]
        queue, user = divmod(pair, len(said.users) + 1)
        p50, p95 = nearest_of(mine[mine >= 0], (0.5, 0.95))
        made.append(OfUser(
            said.paths[queue], said.users[user - 1], len(rows),
            int(is_late(mine, target).sum()), p50, p95,
            float(said.work[rows].sum())))
    return sorted(made, key=lambda u: (-u.late, -u.p95, u.path, u.user))


def lengths(waits: Any) -> list[int]:
    """How many waits are up to each of LENGTHS, longer than all, and without
    end."""
    import numpy
    edges = column([e * SECOND for e in LENGTHS])
    said = column(waits)
    at = numpy.searchsorted(edges, said[said >= 0], side="left")
    made = numpy.bincount(at, minlength=len(edges) + 1).tolist()
    return [*made, int((said < 0).sum())]


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


def goals(said: Seen, target: int, tiers: dict[str, int],
          clock: Clock, since: int | None = None) -> Goals:
    """Counts them, from an instant on. A job that never started is not in
    time."""
    import numpy
    keys, workflow = numpy.unique(pairs_of(said), return_inverse=True)
    # numbered as they come, as a reader of the file would
    first = numpy.full(len(keys), len(said))
    numpy.minimum.at(first, workflow, numpy.arange(len(said)))
    rank: Any = numpy.empty(len(keys), "int64")
    rank[numpy.argsort(first)] = numpy.arange(len(keys))
    workflow = rank[workflow].astype("uint32")
    known = [divmod(int(keys[i]), len(said.users) + 1)
             for i in numpy.argsort(first)]
    tier = array("B", [tiers.get(said.paths[queue], 1) for queue, _ in known])
    slo = array("q", [max(1, target)]) * len(known)
    start = numpy.ascontiguousarray(said.submit)
    end = start + numpy.where(said.wait >= 0, said.wait, 2 * target + 2)
    begin = int(start[0]) if since is None else max(since, int(start[0]))
    edges, labels = periods(begin, int(start[-1]) + 1, clock)
    found = [part_of(slo, workflow, start, end, tier, edges[k], edges[k + 1])
             for k in range(len(labels))]
    whole = objectives(slo, workflow, start, end, tier=tier,
                       success_ppm=SUCCESS)
    called = [f"{said.users[user - 1]} \u00b7 {last_name(said.paths[queue])}"
              for queue, user in known]
    worst = []
    for t in range(1, len(whole.tiers) + 1):
        for r in repairs(slo, workflow, start, end, which=t, tier=tier,
                         success_ppm=SUCCESS):
            worst.append((r.met - r.runs, called[r.workflow], r.runs, r.met))
    worst.sort()
    return Goals(found, labels, whole, [w[1:] for w in worst[:6]])


def last_name(path: str) -> str:
    """The last name of a path, as it is called."""
    return bare(split(path, ".")[-1])


def part_of(slo: Any, workflow: Any, start: Any, end: Any, tier: Any,
            begin: int, stop: int) -> Objectives:
    """Objectives of the jobs that were submitted in a period."""
    a, b = (int(start.searchsorted(at)) for at in (begin, stop))
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
        labels = [f"{k * each} d" if k else "0" for k in range(count)]
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
