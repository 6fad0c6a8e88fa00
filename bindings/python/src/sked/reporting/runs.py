"""The simulated run of a workload, and what was recorded of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ..columns import Table, convert_column
from ..enums import Decide
from ..pictures import Acts, Watched
from ..preempt import Dialect, Preemption, TargetFlag
from ..records import Records
from ..sim import Fared, Jobs, Options, Sim, Total
from ..tree import Tree
from .cluster import Cluster
from .given import SECOND, Given, Wanted
from .numbers import (column, ends_of, exact_dot, groups, means, nearest,
                      steps)
from .states import Log, States, states

SAMPLES = 600
#: Multipliers that are tried one after the other, and how often the gap that
#: has the target is halved then.
UPWARD = ("1.25", "1.5", "2", "3")
DOWNWARD = ("0.8", "0.6", "0.4", "0.2", "0.1")
REFINED = 2
#: Each multiplier is drawn so often, unless a run takes more decisions.
SEEDS, MOST_DECISIONS = 3, 1_000_000
#: The default of `replay` if the tree has no time-out.
TIMEOUT = 30


#: Hears what is being done.
Heard = Callable[[str], object]


def silent(what: str) -> None:
    """Nobody waits."""


class Ends:
    """A watcher for `Sim.run` that notes when each job's last task ended, by
    row of the jobs as given; -1: none did."""

    def __init__(self, jobs: int) -> None:
        import numpy
        self.last: Any = numpy.full(jobs, -1, dtype="int64")

    def __call__(self, records: Records) -> None:
        import numpy
        rows = numpy.asarray(records.column)
        done = rows[rows["kind"] == Decide.FINISH]
        numpy.maximum.at(self.last, done["row"], done["time"])

    def mean(self, submit: Sequence[int], since: int = 0) -> int:
        """From submission to the end of the last task, on average over jobs
        submitted since an instant of which some task ended (ns)."""
        import numpy
        at = numpy.asarray(submit, dtype="int64")[:len(self.last)]
        seen = (self.last >= 0) & (at >= since)
        if not seen.any():
            return 0
        return int((self.last[seen] - at[seen]).mean(dtype="float64"))


@dataclass
class Outcome:
    """One run: everything that the page needs of it. Samples by path of each
    kind in `kinds`; `delays` by row of the jobs as given, in ns."""

    total: Total
    fared: dict[str, Fared]
    samples: dict[str, Table]
    delays: Any
    tasks: Table
    acts: Table
    lost: dict[str, int] = field(default_factory=dict)
    ends: Ends = field(default_factory=lambda: Ends(0))
    states: States = field(default_factory=States)


def preemption(wanted: Wanted, tree: Tree) -> Preemption | None:
    """As `replay --preempt` sets it up."""
    if wanted.preempt == "off":
        return None
    dialect = Dialect[wanted.preempt.upper()]
    targets = {"dialect": int(dialect)}
    if dialect is Dialect.IMBALANCE:
        targets["flags"] = int(TargetFlag.BY_WEIGHT)
    if dialect is Dialect.STARVATION:
        from ..enums import UNLIMITED
        for name in ("preempt_min_timeout", "preempt_fair_timeout"):
            if tree.root.get(name) == UNLIMITED:
                tree.set(tree.root, **{name: TIMEOUT})
        tree.commit()
    return Preemption(targets=targets)


def options(wanted: Wanted, cluster: Cluster, jobs: Jobs,
            tree: Tree) -> Options:
    """How the run is made."""
    span = jobs.submit[-1] - jobs.submit[0]
    return Options(seed=wanted.seed, heartbeat=wanted.heartbeat,
                   until=wanted.until, multiplier=wanted.multiplier,
                   gang=cluster.gang, sample_every=span // (2 * SAMPLES) + 1,
                   max_samples=SAMPLES, preempt=preemption(wanted, tree))


def simulate(wanted: Wanted, given: Given, cluster: Cluster, tree: Tree,
             kind: str, heard: Heard = silent) -> Outcome:
    """Runs the workload on a tree with the same ids as the one it was read
    for. `heard` gets how many decisions there were."""
    import numpy
    assert given.jobs is not None
    how = options(wanted, cluster, given.jobs, tree)
    seen, acts, log = Watched(), Acts(), Log()
    ends = Ends(len(given.jobs))
    count = 0

    def watch(records: Records) -> None:
        nonlocal count
        count += len(records)
        heard(f"{count:,} decisions")
        seen(records)
        log(records)
        ends(records)
        if how.preempt is not None:
            acts(records)

    with Sim(tree, given.jobs, cluster.nodes, how) as sim:
        sim.run(watch)
        delays: Any = numpy.full(len(given.jobs), -1, "int64")
        numpy.maximum.at(delays, numpy.asarray(sim.given),
                         numpy.asarray(sim.delays))
        stop = sim.total.first_submit + how.until if how.until else 0
        return Outcome(sim.total, {q.path: sim.fared(q) for q in tree},
                       {q.path: sim.samples(q, kind) for q in tree}, delays,
                       seen.tasks(), acts.table(), sim.lost_work, ends,
                       states(tree, given.jobs, cluster, sim, log, stop))


@dataclass
class Point:
    """The 95th percentile of delays (ns) at one multiplier of the workload:
    in the middle, least and most over the seeds that were tried."""

    multiplier: Fraction
    p95: int
    least: int
    most: int
    seeds: int


def forecast(wanted: Wanted, given: Given, cluster: Cluster, now: Total,
             heard: Heard = silent) -> list[Point]:
    """Delays at some multipliers of the workload: those asked for, or from 1
    towards the target, until it is passed. `now`: the run at 1. `heard` gets
    each multiplier before its replays."""
    seeds = SEEDS if now.decisions <= MOST_DECISIONS else 1
    made = {Fraction(1): Point(Fraction(1), now.delay.p95, now.delay.p95,
                               now.delay.p95, 1)}

    def add(m: Fraction) -> int:
        if m not in made:
            heard(f"{float(m):g} times")
            made[m] = point_at(wanted, given, cluster, m, seeds)
        return made[m].p95

    for m in wanted.sweep or ():
        add(m)
    if wanted.sweep is None:
        inside = now.delay.p95 <= wanted.target
        for m in map(Fraction, UPWARD if inside else DOWNWARD):
            if (add(m) <= wanted.target) != inside:
                break
        for _ in range(REFINED):
            gap = crossing({m: p.p95 for m, p in made.items()}, wanted.target)
            if gap is not None:
                add(gap)
    return [made[m] for m in sorted(made)]


def point_at(wanted: Wanted, given: Given, cluster: Cluster, m: Fraction,
             seeds: int) -> Point:
    """One multiplier, with other draws of what is copied or left out."""
    found = sorted(max(0, delay_at(replace(wanted, seed=wanted.seed + i),
                                   given, cluster, m)) for i in range(seeds))
    return Point(m, found[seeds // 2], found[0], found[-1], seeds)


def yearly(given: Given, kind: str,
           since: int | None = None) -> float | None:
    """By how much the work that comes grows in a year, as the history says: by
    a straight line through the logarithms of its whole weeks, from an instant
    on. None with fewer than thirteen of them."""
    import numpy
    jobs = given.jobs
    if jobs is None or not len(jobs):
        return None
    submit = column(jobs.submit)
    begin = int(submit[0]) if since is None else max(int(submit[0]), since)
    week, end = 7 * 86_400 * SECOND, int(submit[-1])
    weeks = (end - begin) // week
    if weeks < 13:
        return None
    took = given.held(kind) * column(jobs.run).astype(float)
    inside = submit >= begin
    at = numpy.minimum((submit[inside] - begin) // week, weeks)
    work = numpy.bincount(at, took[inside], int(weeks) + 1)
    seen = numpy.flatnonzero(work[:-1] > 0)
    if len(seen) < 13:
        return None
    slope = numpy.polyfit(seen, numpy.log(work[seen]), 1)[0]
    return float(numpy.exp(slope * 365.25 / 7) - 1)


def crossing(made: dict[Fraction, int], target: int) -> Fraction | None:
    """The middle of the two multipliers between which the target is passed,
    in steps of 1/40; None: they are next to each other, or there are none."""
    rows = sorted(made)
    for low, high in zip(rows, rows[1:]):
        if made[low] <= target < made[high]:
            middle = Fraction(round((low + high) * 20), 40)
            return middle if low < middle < high else None
    return None


def delay_at(wanted: Wanted, given: Given, cluster: Cluster,
             m: Fraction) -> int:
    """The 95th percentile at one multiplier."""
    assert given.jobs is not None
    how = replace(options(wanted, cluster, given.jobs, given.tree),
                  multiplier=m * wanted.multiplier, shares=False,
                  sample_every=0, max_samples=0)
    with Sim(given.tree, given.jobs, cluster.nodes, how) as sim:
        sim.run()
        return sim.total.delay.p95


# ---- as recorded ----


@dataclass
class Recorded:
    """The events that the file recorded: waits by row (ns), usage by path as
    samples, and how much was used in all (amount times ns), from the first
    start to the last end."""

    waits: Any
    samples: dict[str, Table]
    work: int
    begin: int
    end: int


def recorded(given: Given, kind: str) -> Recorded | None:
    """The recorded waits and usage; None if some job has no record."""
    import numpy
    notes, jobs = given.notes, given.jobs
    if notes is None or jobs is None or not notes.recorded:
        return None
    start, end, held = notes.start, notes.end, given.held(kind)
    begin = int(start.min())
    last = max(int(end.max()), begin + 1)
    lasted = numpy.maximum(end - start, 0)
    paths, samples = given.paths, {}
    order, first, leaves = groups(given.leaf)
    every = (last - begin) // SAMPLES + 1
    count = (last - begin) // every + 1
    times = convert_column((every * numpy.arange(count)).tolist())
    for at, to, leaf in zip(first, ends_of(first, len(order)), leaves):
        rows = order[at:to]
        moved = steps(start[rows], end[rows], held[rows])
        if len(moved[0]):
            samples[paths[leaf]] = Table({
                "time": times, "usage": convert_column(means(
                    *moved, begin, every, count).tolist())})
    return Recorded(numpy.maximum(start - column(jobs.submit), 0), samples,
                    exact_dot(held, lasted), begin, last)
