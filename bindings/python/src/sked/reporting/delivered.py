"""What was delivered to queues: hours of each kind, by how jobs ended; bounded
slowdown; and each queue's own target.

A job's bounded slowdown is (wait + run) / max(run, 10 s), at least 1: how many
times longer than its run time a job takes, without very short jobs that would
be all of the mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..pictures.words import scale_of
from . import outcomes
from .given import SECOND, Given
from .numbers import column, ends_of, exact_dot, groups, nearest
from .waits import Seen, is_late

#: Shorter run times count as this long (ns).
BOUND = 10 * SECOND
HOUR = 3600 * SECOND


#: Work of each kind, in the order of the schema: amount times ns.
Work = tuple[int, ...]


@dataclass
class Delivered:
    """One queue, or all of them ("" as `path`). `ended`: of each outcome that
    occurs its jobs and its work. `target` (ns) is the queue's own, `late`
    counts jobs that waited longer."""

    path: str
    jobs: int
    started: int
    slowdown_p50: float
    slowdown_p95: float
    slowdown_mean: float
    target: int
    late: int
    wait_p95: int
    work: Work
    ended: dict[str, tuple[int, Work]] = field(default_factory=dict)

    @property
    def met(self) -> bool:
        """Did 95 % of its jobs start within its target?"""
        return self.started > 0 and 0 <= self.wait_p95 <= self.target


def hours_of(work: int, unit: str) -> float:
    """Amount times ns as hours of cores, GPUs or GiB.

    >>> hours_of(2000 * HOUR, "m"), hours_of((1 << 29) * HOUR, "B")
    (2.0, 0.5)
    """
    return float(exact_hours(work, unit))


def exact_hours(work: int, unit: str) -> Fraction:
    """The same, exactly."""
    return Fraction(work, HOUR * (1 << 30 if unit == "B" else scale_of(unit)))


def slowdowns(wait: Any, run: Any) -> Any:
    """Bounded slowdown of jobs that started, sorted.

    >>> slowdowns([0, 90 * SECOND], [5 * SECOND, 30 * SECOND]).tolist()
    [1.0, 4.0]
    """
    import numpy
    waited = numpy.asarray(wait, dtype=float)
    ran = numpy.asarray(run, dtype=float)
    made = (waited + ran) / numpy.maximum(ran, BOUND)
    return numpy.sort(numpy.maximum(made, 1.0))


def ranked(values: Any, part: str) -> float:
    """A percentile by nearest rank of sorted values; 0 of none."""
    if not len(values):
        return 0.0
    rank = int(-(-Fraction(part) * len(values) // 1))
    return float(values[max(0, rank - 1)])


def one(path: str, said: Seen, rows: Any, target: int, kinds: int) -> Delivered:
    """The waits of some rows; work is added later."""
    import numpy
    wait = said.wait[rows]
    started = wait >= 0
    slow = slowdowns(wait[started], said.run[rows][started])
    counts = numpy.bincount(said.outcome[rows]).tolist() \
        if len(said.outcome) else []
    none = (0,) * kinds
    return Delivered(
        path, len(wait), int(started.sum()), ranked(slow, "0.5"),
        ranked(slow, "0.95"), float(slow.mean()) if len(slow) else 0.0, target,
        int(is_late(wait, target).sum()), nearest(wait[started], "0.95"), none,
        {outcomes.NAMES[code]: (count, none)
         for code, count in enumerate(counts) if count})


def delivered(given: Given, said: Seen, waits: Any, recorded: bool, target: int,
              targets: dict[str, int]) -> list[Delivered]:
    """All jobs first, then every queue with jobs, the most work of the first
    kinds first. `said`: waits of these jobs, and of rows aside; `waits`: those
    of the jobs alone. `targets`: those of queues that have one of their own
    (ns)."""
    kinds = len(given.tree.schema)
    order, first, queues = groups(said.queue)
    made = {said.paths[queue]: one(
        said.paths[queue], said, order[at:to],
        targets.get(said.paths[queue], target), kinds)
        for at, to, queue in zip(first, ends_of(first, len(order)),
                                 queues.tolist())}
    whole = one("", said, slice(None), target, kinds)
    whole.late = sum(row.late for row in made.values())
    add_work(given, waits, recorded, made)
    whole.work = total(row.work for row in made.values())
    whole.ended = {name: (count, total(
        row.ended[name][1] for row in made.values() if name in row.ended))
        for name, (count, _) in whole.ended.items()}
    return [whole, *sorted(made.values(),
                           key=lambda row: ([-w for w in row.work], row.path))]


def total(rows: Iterable[Work]) -> Work:
    """Work of several."""
    return tuple(map(sum, zip(*rows)))


def add_work(given: Given, waits: Any, recorded: bool,
             made: dict[str, Delivered]) -> None:
    """Work of jobs that started, by queue and outcome, exactly."""
    import numpy
    jobs, notes = given.jobs, given.notes
    assert jobs is not None and notes is not None
    run = numpy.maximum(notes.end - notes.start, 0) if recorded else \
        column(jobs.run)
    run = numpy.where(column(waits) >= 0, run, 0)
    key = given.leaf * len(outcomes.NAMES)
    if len(notes.outcome):
        key = key + notes.outcome
    order, first, keys = groups(key)
    spans = list(zip(first, ends_of(first, len(order)), keys.tolist()))
    sums = []
    for kind in given.tree.schema.names:
        held = given.held(kind)[order]
        ran = run[order]
        sums.append([exact_dot(held[at:to], ran[at:to])
                     for at, to, _ in spans])
    paths = given.paths
    for (_, _, both), work in zip(spans, zip(*sums)):
        queue, code = divmod(both, len(outcomes.NAMES))
        row = made[paths[queue]]
        row.work = total([row.work, work])
        if len(notes.outcome):
            name = outcomes.NAMES[code]
            row.ended[name] = row.ended[name][0], work
