"""Virtual time around the engine: a workload on a cluster that exists only
here. <sched/sim.h>"""

from __future__ import annotations

import html
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from math import ceil
from typing import Any

from . import _core, layouts
from .columns import Column, Numbers, Table, Texts, convert_column
from .enums import ANY_PARTITION, SimFlag
from .errors import StateError
from .executors import Heard, each
from .handles import Owner
from .hooks import Cancel, Hooks, Progress, host_of
from .jobs import Jobs
from .preempt import Preemption
from .records import Layout, Records
from .rule import ATTRIBUTE, pairs_of
from .schema import Vector
from .tree import Queue, Tree

RECORD = Layout("SimRecord", layouts.SIM_RECORD)
SECOND = 1_000_000_000


@dataclass(frozen=True)
class Delay:
    """Delays by nearest rank, in ns; -1 where nothing was measured."""

    p50: int
    p95: int
    p99: int
    max: int
    mean: int
    n: int


@dataclass(frozen=True)
class Total:
    """The run as a whole; times in ns."""

    digest: int
    jobs: int
    tasks: int
    jobs_finished: int
    tasks_finished: int
    rejected: int
    first_submit: int
    last_submit: int
    end: int
    heartbeats: int
    heartbeats_skipped: int
    decisions: int
    events: int
    low_rate: int
    sample_every: int
    rounds: int
    notified: int
    killed: int
    withdrawn: int
    local: int
    transfers: int
    delay: Delay

    @classmethod
    def _of(cls, said: tuple[Any, ...]) -> Total:
        values: tuple[Any, ...] = (*said[:-1], Delay(*said[-1]))
        return cls(*values)


@dataclass(frozen=True)
class Fared:
    """One queue's run: ns at its fair share or above, ns below; the most it
    held at one instant, and amount times ns, exactly."""

    jobs: int
    tasks: int
    fair: int
    starved: int
    below_guarantee: int
    delay: Delay
    peak: dict[str, int]
    work: dict[str, int]


@dataclass
class Nodes:
    """Alike nodes: `amount` is what each has, `attributes` what each is: of each
    key a value or more, as `sked.rule` has them."""

    count: int
    amount: Vector
    partition: int = 0
    racks: int = 0
    attributes: Mapping[int, int | Iterable[int]] = field(default_factory=dict)


#: Options of an engine that a run takes: numbers of 64 bits, and of 32.
WIDE = ("seed", "confirm_within", "node_delay", "rack_delay", "form_for")
NARROW = ("flags", "max_per_pass", "max_untaken", "max_user_running",
          "form_nodes")


@dataclass
class Options:
    """How to run: see <sched/sim.h>; times in ns, `multiplier` exact.
    `gang_over`: all tasks of a job at once over nodes, at most so many on one
    of them (0: any number), with `exact` just so many on each; `gang`: on one
    node. `place`: a PlaceMode by which
    tasks find nodes, with a `heartbeat` of 0."""

    seed: int = 0
    heartbeat: int = SECOND
    until: int = 0
    multiplier: Fraction | int = 1
    gang: bool = False
    gang_over: int | None = None
    exact: bool = False
    place: int = 0
    shares: bool = True
    cost_event: int = 0
    cost_task: int = 0
    cost_look: int = 0
    sample_every: int = 0
    max_samples: int = 0
    engine: dict[str, int] = field(default_factory=dict)
    preempt: Preemption | None = None
    round_every: int = 0

    def _numbers(self) -> array[int]:
        over = self.gang_over is not None
        flags = (SimFlag.GANG if self.gang or over else 0) | (
            SimFlag.SPREAD if over else 0) | (
            SimFlag.EXACT if self.exact else 0) | (
            0 if self.shares else SimFlag.NO_SHARES)
        ppm = Fraction(self.multiplier) * 1_000_000
        e = self.engine
        for name in e:
            if name not in (*WIDE, *NARROW):
                raise ValueError(f"engine: no option {name!r}: there are "
                                 + ", ".join((*WIDE, *NARROW)))
        for name, value in (("max_samples", self.max_samples),
                            ("place", self.place),
                            *((name, e.get(name, 0)) for name in NARROW)):
            if not 0 <= value < 1 << 32:
                raise OverflowError(f"{name}: {value} is not within 0 and "
                                    "2^32 - 1")
        return array("q", [
            int(flags), _signed(self.seed), self.heartbeat, self.until,
            round(ppm), self.cost_event, self.cost_task, self.cost_look,
            self.sample_every, self.max_samples, e.get("flags", 0),
            _signed(e.get("seed", 0)), *(e.get(name, 0) for name in (
                "confirm_within", "node_delay", "rack_delay", "max_per_pass",
                "max_untaken", "max_user_running")), self.round_every, self.gang_over or 0,
            self.place, *(e.get(name, 0) for name in (
                "form_nodes", "form_for"))])


def _signed(seed: int) -> int:
    seed &= (1 << 64) - 1
    return seed - (1 << 64) if seed >> 63 else seed


def columns_of(tree: Tree, jobs: Jobs, nodes: Sequence[Nodes],
               options: Options | None = None,
               failures: Iterable[tuple[int, int, int]] = ()
               ) -> tuple[Any, ...]:
    """What a run is made from, as the extension takes it."""
    how = options or Options()
    specs = array("I")
    amounts = array("q")
    for node in nodes:
        specs.extend((node.count, node.partition, node.racks, 0))
        amounts.extend(tree.schema.vec(node.amount))
    lost = array("q", [x for at, until, node in failures
                       for x in (at, until, node)])
    pairs = [pairs_of(node.attributes) for node in nodes]
    rules = list(jobs.rules)
    firsts = [0, *accumulate(len(rule.values) for rule in rules)]
    return (jobs.submit, jobs.run, jobs.tasks, jobs.amounts, jobs.queue,
            jobs.user, jobs.priority, jobs.partition, jobs.stream,
            jobs.place_offsets, jobs.place, jobs.place_tasks, jobs.transfer,
            specs, amounts, lost, how._numbers(),
            how.preempt._said() if how.preempt else None,
            jobs.rule, _offsets(len(rule.terms) for rule in rules),
            b"".join(r.records(first) for r, first in zip(rules, firsts)),
            array("q", [value for rule in rules for value in rule.values]),
            _offsets(len(own) // ATTRIBUTE.struct.size for own in pairs),
            b"".join(pairs))


def _offsets(lengths: Iterable[int]) -> array[int]:
    return array("i", [0, *accumulate(lengths)])


Watch = Callable[[Records], object]


def _watcher(watch: Watch | None) -> Callable[[Column], object] | None:
    if watch is None:
        return None
    return lambda column: watch(Records(RECORD, column))


class Sim(Owner):
    """One run of a workload on a cluster.

    Raises StaleError (a queue that is no leaf), RangeError (a job or node,
    with its row). Reads raise StateError before a run, StaleError for a queue
    that is gone.

    >>> tree = Tree("cpu=1")
    >>> q = tree.root.add("q")
    >>> jobs = Jobs.of(tree, [{"queue": q, "run_s": 5, "amount": {"cpu": 2}},
    ...                       {"queue": q, "run_s": 5, "amount": {"cpu": 3}}])
    >>> sim = Sim(tree, jobs, [Nodes(1, {"cpu": 4})])
    >>> sim.run()
    True
    >>> sim.total.jobs_finished, sim.total.delay.max // 10**9
    (2, 5)
    """

    __slots__ = ("_queue", "_submit", "tree")

    def __init__(self, tree: Tree, jobs: Jobs, nodes: Sequence[Nodes],
                 options: Options | None = None, *,
                 failures: Iterable[tuple[int, int, int]] = (),
                 hooks: Hooks | None = None,
                 progress: Progress = False) -> None:
        self.tree = tree
        self._queue, self._submit = jobs.queue, jobs.submit
        said: tuple[Any, ...] = (
            tree._settled(), *columns_of(tree, jobs, nodes, options, failures),
            host_of(hooks, progress))
        self._handle = _core.sim_new(*said)

    def run(self, watch: Watch | None = None) -> bool:
        """Runs to the end: True; False when the progress hook, the cancel flag
        or the watcher (by False) ended it, and what happened so far can be
        read. `watch` gets some thousand records at a time. Raises StateError
        (it ran before), RangeError (a time beyond 2**62 ns)."""
        return _core.sim_run(self._handle, _watcher(watch)) == 0

    def run_until(self, until: int,
                  watch: Watch | None = None) -> bool:
        """Runs up to an instant of the workload's clock (ns); call it again,
        or `run`, to go on. Raises StateError (the run is over), RangeError."""
        return _core.sim_run_until(self._handle, until, _watcher(watch)) == 0

    def withdraw(self, job: int) -> None:
        """Takes a job out before it is submitted. NotFoundError when it was.
        Raises StateError when the run is over."""
        _core.sim_withdraw(self._handle, job)

    def usage(self, queue: Queue) -> tuple[dict[str, int], dict[str, int]]:
        """What a queue uses now, and what it waits for. Raises StaleError,
        StateError."""
        used, pending = _core.sim_usage(self._handle, queue.id,
                                        len(self.tree.schema))
        named = self.tree.schema.named
        return named(used), named(pending)

    @property
    def total(self) -> Total:
        """The run as a whole."""
        return Total._of(_core.sim_get_result(self._handle))

    def fared(self, queue: Queue) -> Fared:
        """How a queue, leaf or parent, fared. Raises StaleError,
        StateError."""
        jobs, tasks, fair, starved, below, delay, peak, work = _core.sim_get_queue(
            self._handle, queue.id, len(self.tree.schema))
        names = self.tree.schema.names
        words = [low | high << 64 for high, low in work.tolist()]
        return Fared(jobs, tasks, fair, starved, below, Delay(*delay),
                     dict(zip(names, peak)), dict(zip(names, words)))

    def samples(self, queue: Queue, kind: str | int = 0) -> Table:
        """What a queue used of one kind, its fair share, and what it waited
        for, at each sampled instant; `time` in ns from the first submission
        on. Raises StaleError, StateError."""
        usage, share = _core.sim_samples(self._handle, queue.id,
                                         self.tree.schema.kind(kind))
        every = self.total.sample_every
        time = convert_column([i * every for i in range(len(usage))])
        pending = _core.sim_pending(self._handle, queue.id,
                                    self.tree.schema.kind(kind))
        return Table({"time": time, "usage": usage, "share": share,
                      "pending": pending})

    @property
    def delays(self) -> Column:
        """The delay of each job as replayed, in ns; -1: never started."""
        return _core.sim_delays(self._handle)

    @property
    def lost_work(self) -> dict[str, int]:
        """Work lost by preemption: amount times ns."""
        words = _core.sim_lost_work(self._handle, len(self.tree.schema))
        return dict(zip(self.tree.schema.names,
                        [low | high << 64 for high, low in words.tolist()]))

    @property
    def given(self) -> Column:
        """Which job of the columns each job as replayed is, by row."""
        return _core.sim_rows(self._handle)

    def table(self) -> Table:
        """The queues, with jobs and tasks; delays, and for how long each had
        its fair share or less while it wanted something, in ns: `starved_ns`
        counts also what has all that it wants and less than its share. Of each
        kind the most that was held at one time, and what was delivered:
        `cpu_peak_cores`, `cpu_core_hours`."""
        return table_of(self.queues, units_of(self.tree))

    def waits(self) -> Table:
        """A row for each job as replayed: `job`, its row in the jobs as given;
        `queue`, its path; `submit_ns`, as given; `delay_ns`, -1 if it never
        started. Raises StateError.

        >>> tree = Tree("cpu=1")
        >>> jobs = Jobs.of(tree, [{"queue": tree.root.add("q"), "run_s": 5,
        ...                        "amount": {"cpu": 2}}])
        >>> sim = Sim(tree, jobs, [Nodes(1, {"cpu": 4})])
        >>> _ = sim.run()
        >>> list(sim.waits().rows(named=True))
        [{'job': 0, 'queue': 'root.q', 'submit_ns': 0, 'delay_ns': 0}]
        """
        given = self.given.tolist()
        paths = {q.id: q.path for q in self.tree}
        return Table({
            "job": self.given,
            "queue": Texts(paths.get(int(self._queue[row]), "")
                           for row in given),
            "submit_ns": convert_column([int(self._submit[row])
                                         for row in given]),
            "delay_ns": self.delays})

    @property
    def queues(self) -> dict[str, Fared]:
        """How each queue fared, by path, as `Run.queues`. Raises StateError."""
        return {q.path: self.fared(q) for q in self.tree}

    def _repr_html_(self) -> str:
        """The table after a run; before it, what the run is of."""
        try:
            return self.table()._repr_html_()
        except StateError:
            return f"<p>{html.escape(repr(self))}, not run yet</p>"


#: What hours and amounts of a kind are called, by its unit.
SPOKEN = {"m": (1000, "", "_hours"), "B": (1, "_bytes", "_byte_hours"),
          "": (1, "", "_hours")}
Units = Mapping[str, str]


def units_of(tree: Tree) -> Units:
    """The unit of each kind."""
    return dict(zip(tree.schema.names, tree.schema.units))


def spoken(kind: str, unit: str) -> tuple[int, str, str]:
    """How many of the unit are one of what people count, and what amounts and
    hours of these are called.

    >>> spoken("cpu", "m"), spoken("memory", "B")
    ((1000, '_cores', '_core_hours'), (1, '_bytes', '_byte_hours'))
    """
    scale, amounts, hours = SPOKEN.get(unit, SPOKEN[""])
    return (scale, "_cores", "_core_hours") if kind == "cpu" else \
        (scale, amounts, hours)


def table_of(queues: Mapping[str, Fared], units: Units) -> Table:
    """Queues by path as a table: see `Sim.table`."""
    rows = list(queues.values())
    made: dict[str, Any] = {
        "path": Texts(queues),
        "jobs": convert_column([f.jobs for f in rows]),
        "tasks": convert_column([f.tasks for f in rows]),
        **{f"delay_{name}_ns": convert_column([getattr(f.delay, name)
                                               for f in rows])
           for name in ("p50", "p95", "p99", "max", "mean")},
        "fair_ns": convert_column([f.fair for f in rows]),
        "starved_ns": convert_column([f.starved for f in rows]),
        "below_guarantee_ns": convert_column([f.below_guarantee
                                              for f in rows])}
    for kind in rows[0].peak if rows else ():
        scale, amounts, hours = spoken(kind, units.get(kind, ""))
        made[f"{kind}_peak{amounts}"] = convert_column(
            [f.peak[kind] / scale for f in rows], "d")
        made[f"{kind}{hours}"] = convert_column(
            [float(Fraction(f.work[kind], scale * 3600 * SECOND))
             for f in rows], "d")
    return Table(made)


def run_all(sims: Sequence[Sim], threads: int = 1, *,
            hooks: Hooks | None = None) -> list[bool]:
    """Runs prepared runs side by side on the library's own threads; the
    answers do not depend on how many. For each: did it come to its end? One
    that fails did not. What a hook of one of them raises ends all that still
    run and comes out. Raises Cancelled."""
    if threads > 1:
        hooks = hooks or Hooks()
        hooks.threads = threads
    said = _core.sim_run_all([s._handle for s in sims], host_of(hooks))
    return [rc == 0 for rc in said]


@dataclass(frozen=True, repr=False)
class Run:
    """What a run of a sweep came to, small enough to be sent anywhere. Its
    `total`, `queues` and `table` are those of the `Sim`."""

    options: Options
    total: Total
    queues: dict[str, Fared]
    units: Units = field(default_factory=dict)

    def table(self) -> Table:
        """The queues: see `Sim.table`."""
        return table_of(self.queues, self.units)

    def __repr__(self) -> str:
        total = self.total
        return (f"<Run of {total.jobs:,} job{'s' * (total.jobs != 1)} in "
                f"{len(self.queues):,} queue{'s' * (len(self.queues) != 1)}: "
                f"{total.jobs_finished:,} finished>")

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


@dataclass
class Case:
    """Everything a run needs, so that any executor can carry it."""

    tree: Tree
    jobs: Jobs
    nodes: Sequence[Nodes]
    options: Options

    def __call__(self) -> Run:
        with Sim(self.tree, self.jobs, self.nodes, self.options) as sim:
            sim.run()
            return Run(self.options, sim.total, sim.queues,
                       units_of(self.tree))

    def __reduce__(self) -> tuple[object, ...]:
        places = {q.id: q.path for q in self.tree.leaves}
        jobs = replace(self.jobs, queue=None)
        return (_case, (self.tree, jobs,
                        [places[int(i)] for i in self.jobs.queue],
                        list(self.nodes), self.options))


def _case(tree: Tree, jobs: Jobs, queues: list[str], nodes: list[Nodes],
          options: Options) -> Case:
    ids = {path: tree[path].id for path in set(queues)}
    return Case(tree, replace(jobs, queue=array("Q", [ids[p] for p in queues])),
                nodes, options)


def run_case(case: Case) -> Run:
    """Runs one case: a function of a module, as executors want it."""
    return case()


def run_cases(cases: Iterable[Case], *, executor: Executor | None = None,
              progress: Heard | None = None,
              cancel: Cancel | None = None) -> list[Run]:
    """One run for each case, in their order: other workloads, other trees,
    other clusters. With an `executor` (threads, processes, Dask's or Ray's)
    they run there; the answers are the same bytes wherever they ran.
    `progress(done, of)` hears of each run; `runs_table` makes a table of the
    answer. If `cancel` is set, the rest ends with Cancelled."""
    return each(run_case, cases, executor, progress=progress, cancel=cancel)


def runs_table(runs: Iterable[Run]) -> Table:
    """Runs as a table, a row a run: seed, multiplier, jobs, and delays in ns
    (-1: nothing was measured).

    >>> tree = Tree("cpu=1")
    >>> jobs = Jobs.of(tree, [{"queue": tree.root.add("q"), "run_s": 5,
    ...                        "amount": {"cpu": 2}}])
    >>> runs_table(sweep(tree, jobs, [Nodes(1, {"cpu": 4})], [1, 2]))["jobs"
    ...     ].tolist()
    [1, 2]
    """
    kept = list(runs)

    def whole(values: Iterable[int]) -> Column:
        return convert_column(list(values))

    return Table({
        "seed": whole(r.options.seed for r in kept),
        "multiplier": convert_column([float(r.options.multiplier)
                                      for r in kept], "d"),
        "jobs": whole(r.total.jobs for r in kept),
        "jobs_finished": whole(r.total.jobs_finished for r in kept),
        "tasks_finished": whole(r.total.tasks_finished for r in kept),
        **{f"delay_{name}_ns": whole(getattr(r.total.delay, name)
                                     for r in kept)
           for name in ("p50", "p95", "p99", "max", "mean")},
        "killed": whole(r.total.killed for r in kept),
        "span_ns": whole(r.total.end - r.total.first_submit for r in kept)})


def difference(before: Run, after: Run) -> Table:
    """What changed from one run to another of the same work, queue by queue:
    delays before and after in ns, and after less before. -1: nothing was
    measured, and then no difference."""
    paths = [p for p in before.queues if p in after.queues]
    made: dict[str, Any] = {"path": Texts(paths)}
    for name in ("p50", "p95"):
        one = [getattr(before.queues[p].delay, name) for p in paths]
        two = [getattr(after.queues[p].delay, name) for p in paths]
        made[f"{name}_before_ns"] = convert_column(one)
        made[f"{name}_after_ns"] = convert_column(two)
        made[f"{name}_more_ns"] = convert_column(
            [b - a if a >= 0 and b >= 0 else 0 for a, b in zip(one, two)])
    return Table(made)


def spread(before: Case, after: Case, seeds: Iterable[int], *,
           executor: Executor | None = None,
           progress: Heard | None = None,
           cancel: Cancel | None = None) -> Table:
    """The same difference over seeds (of copies and of orders by chance): of
    the 95th percentile of delays, after less before, in ns, the least, the
    middle and the most, queue by queue; and on how many seeds it was less.
    Both run with each seed, so that they see the same draws. [LNK-7]"""
    kept = list(seeds)
    if not kept:
        raise ValueError("needs a seed")
    found = run_cases([replace(case, options=replace(case.options, seed=seed))
                       for seed in kept for case in (before, after)],
                      executor=executor, progress=progress, cancel=cancel)
    tables = [difference(a, b) for a, b in zip(found[::2], found[1::2])]
    paths = tables[0]["path"].tolist()
    rows: list[list[Any]] = [sorted(values) for values in zip(
        *(t["p95_more_ns"].tolist() for t in tables))]
    return Table({"path": Texts(paths),
                  "least_ns": convert_column([r[0] for r in rows]),
                  "middle_ns": convert_column([r[len(r) // 2] for r in rows]),
                  "most_ns": convert_column([r[-1] for r in rows]),
                  "less_on": convert_column([sum(x < 0 for x in r)
                                             for r in rows]),
                  "seeds": convert_column([len(kept)] * len(rows))})


def sweep(tree: Tree, jobs: Jobs, nodes: Sequence[Nodes],
          multipliers: Iterable[Fraction | int],
          options: Options | None = None, *,
          executor: Executor | None = None,
          progress: Heard | None = None,
          cancel: Cancel | None = None) -> list[Run]:
    """One run for each multiplier of the workload, in their order. With an
    `executor` (threads, processes, Dask's or Ray's) they run there; the
    answers are the same bytes wherever they ran. `progress` and `cancel` as
    `run_cases` has them."""
    base = options or Options()
    cases = [Case(tree, jobs, nodes, replace(base, multiplier=Fraction(m)))
             for m in multipliers]
    return run_cases(cases, executor=executor, progress=progress, cancel=cancel)


def largest(case: Case, target: int, sizes: Iterable[Fraction | int], *,
            executor: Executor | None = None,
            progress: Heard | None = None,
            cancel: Cancel | None = None) -> tuple[Fraction | None, Table]:
    """How large a cluster may get before its scheduler is too slow: the same
    work and the same nodes, so many times both (of each sort of nodes the
    number is rounded up). The greatest of `sizes` up to which, from the least
    on, the 95th percentile of delays is at most `target` ns (None: not even
    the least), and a table of all. It needs the costs of Options
    (cost_event, cost_task, cost_look): without them a scheduler is never
    slow. [LNK-6]"""
    kept = sorted(Fraction(size) for size in sizes)
    if not kept:
        raise ValueError("needs a size")
    grown = [replace(case, nodes=[replace(n, count=ceil(n.count * size))
                                  for n in case.nodes],
                     options=replace(case.options, multiplier=size))
             for size in kept]
    delays = [run.total.delay.p95 for run in run_cases(
        grown, executor=executor, progress=progress, cancel=cancel)]
    met = [0 <= delay <= target for delay in delays]
    within = met.index(False) if False in met else len(met)
    return kept[within - 1] if within else None, Table({
        "size": convert_column([float(size) for size in kept], "d"),
        "nodes": convert_column([sum(n.count for n in made.nodes)
                                 for made in grown]),
        "p95_ns": convert_column(delays)})


__all__ = ["ANY_PARTITION", "Case", "Delay", "Fared", "Jobs", "Nodes",
           "Options", "Run", "Sim", "Total", "difference", "largest", "run_all",
           "run_case", "run_cases", "runs_table", "spread", "sweep"]
