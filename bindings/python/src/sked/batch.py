"""Batches of data-parallel tasks: how many slots each gets, and in which order
they start. <sched/batch.h>, <sched/batch_run.h>

Times are ticks: any unit, the same throughout."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import IO, Any

from . import _core, layouts
from .columns import Column, Numbers
from .enums import PPM, number
from .handles import Owner
from .hooks import Hooks, Progress, host_of
from .locality import table_of
from .records import Layout, Record, Records

SPAN = Layout("Span", layouts.BATCH_SPAN)
MEASURED = Layout("Measured", layouts.BATCH_METRICS)
CELL = Layout("Cell", layouts.BATCH_CELL)
STEP = Layout("Step", layouts.BATCH_STEP)
START = Layout("Start", layouts.BATCH_START)


class Method(IntEnum):
    """How a batch is planned. enum sked_batch_method"""

    MULTI = 1
    GREEDY = 2
    ANNEALING = 3
    DYNAMIC = 4
    DATA_DRIVEN = 5
    SIMPLE = 6
    BEST = 7
    ADAPT = 8
    ROBUST = 9
    AUTO = 10


class Tail(IntEnum):
    """How the moment t-hat is found. enum sked_batch_tail"""

    DRAIN = 1
    THRESHOLD = 2
    KNEE = 3


class Most(IntEnum):
    """What one batch may have at most. SKED_MAX_BATCH_*"""

    TASKS = 65536
    SLOTS = 65536
    LABELS = 5
    CLUSTERS = 64
    WIDTHS = 16777216


def ppm(said: float | str | Fraction) -> int:
    """A ratio in parts per million, to the nearest.

    >>> ppm(3), ppm("0.25")
    (3000000, 250000)
    """
    return int(Fraction(said) * PPM + Fraction(1, 2))


@dataclass
class Batch:
    """Tasks as columns of rows, on so many slots of so many nodes. Of `bytes`
    and `blocks` one may be left out. Times come from `table` (a row a task:
    ticks at width 1, 2, ...) or from the model start + block * multiplier *
    ceil(blocks / width) + slot * (width - 1), in ticks. `actual_ppm` is what
    happens over what is believed."""

    slots: int
    bytes: Numbers = None
    blocks: Numbers = None
    nodes: int = 1
    start: int = 0
    block: int = 0
    slot: int = 0
    block_bytes: int = 1 << 27
    label: Numbers = None
    edges: Numbers = None
    multiplier_ppm: Numbers = None
    actual_ppm: Numbers = None
    table: Numbers = None

    @classmethod
    def from_csv(cls, file: str | IO[str], slots: int, *, nodes: int = 6,
                 time: tuple[float, float, float] = (1, 5.4, 0.02)) -> Batch:
        """The tasks of a CSV as the program `batch` reads it: columns task and
        bytes, perhaps blocks, label, multiplier. `time` in seconds is the
        model's start, block and slot; ticks are microseconds. Rows keep their
        order."""
        if isinstance(file, str):
            with open(file, newline="", encoding="utf-8") as opened:
                return cls.from_csv(opened, slots, nodes=nodes, time=time)
        rows = list(csv.DictReader(file))

        def column(name: str) -> list[int] | None:
            if not rows or name not in rows[0]:
                return None
            return [int(Fraction(row[name])) for row in rows]

        start, block, slot = (ppm(Fraction(str(x))) for x in time)
        factor = None
        if rows and "multiplier" in rows[0]:
            factor = [ppm(row["multiplier"]) for row in rows]
        return cls(slots, bytes=column("bytes"), blocks=column("blocks"),
                   nodes=min(nodes, slots), start=start, block=block,
                   slot=slot, label=column("label"), multiplier_ppm=factor)

    def __len__(self) -> int:
        return len(self.bytes if self.bytes is not None else self.blocks)

    def _said(self) -> dict[str, Any]:
        return {"tasks": len(self), **vars(self)}


@dataclass(frozen=True)
class Metrics:
    """What a schedule comes to; times in ticks, `capacity` in slots times
    ticks, ratios as exact fractions."""

    makespan: int
    t_hat: int
    tail: int
    capacity: int
    pure_cpu: Fraction
    tail_cpu: Fraction
    tail_overhead: Fraction


def _metrics(m: Record) -> Metrics:
    return Metrics(m.makespan, m.t_hat, m.tail, m.capacity,
                   Fraction(m.pure_num, m.pure_den),
                   Fraction(m.tail_num, m.tail_den),
                   Fraction(m.overhead_num, m.overhead_den))


@dataclass(frozen=True)
class Planned:
    """A plan that was run by what happens: `spans` by row of the batch;
    `believed` is the makespan by the times believed, `bound` what no schedule
    of what happens is below (ticks). `cluster` is of MULTI, where it was asked for."""

    method: Method
    spans: Records
    metrics: Metrics
    believed: int
    bound: int
    tries: int
    eta_ppm: int
    cluster: Column | None

    @property
    def ratio(self) -> Fraction:
        """Makespan over bound."""
        return Fraction(self.metrics.makespan, self.bound)


@dataclass(frozen=True)
class Bounds:
    """Lower bounds, each no less than the one before; in ticks."""

    area: Fraction
    path: int
    dual: Fraction
    functions: int
    best: int


@dataclass(frozen=True)
class Cell:
    """One cell of a sweep; sigma and tau in ppm."""

    sigma_ppm: int
    tau_ppm: int
    metrics: Metrics


def _options(method: int | str, tail: int | str,
             how: dict[str, Any]) -> dict[str, Any]:
    parts = {"theta", "sigma", "tau", "eta", "noise"}
    said = {f"{k}_ppm" if k in parts else k: ppm(v) if k in parts else v
            for k, v in how.items()}
    return {"method": number(Method, method), "tail": number(Tail, tail),
            **said}


def plan(batch: Batch, method: int | str = Method.BEST, *,
         tail: int | str = Tail.DRAIN, clustered: bool = False,
         hooks: Hooks | None = None, progress: Progress = False,
         **how: Any) -> Planned:
    """Plans a batch by the times believed and runs it by what happens.
    `how`: seed, max_tries, replan_tries, clusters, window, and the ratios
    sigma, tau, eta, noise, theta (1 is one whole). `clustered`: also say the
    cluster of each task (MULTI; O(clusters * tasks^2)). Raises RangeError (with the
    row), Cancelled.

    >>> p = plan(Batch(4, blocks=[3, 11, 8, 3], block=1, slot=1))
    >>> p.metrics.makespan, p.bound
    (8, 8)
    """
    found = _core.batch_plan(batch._said(), _options(method, tail, how),
                             clustered, host_of(hooks, progress))
    spans, metrics, cluster, kind, tries, believed, bound_, eta = found
    kept = cluster if clustered and kind == Method.MULTI else None
    return Planned(Method(kind), Records(SPAN, spans),
                   _metrics(Records(MEASURED, metrics)[0]), believed, bound_,
                   tries, eta, kept)


def compare(batch: Batch, methods: Iterable[int | str] = Method,
            **how: Any) -> dict[str, Planned]:
    """Plans by several methods, by their names in lower case; `how` and errors
    as in `plan`: RangeError (with the row), Cancelled."""
    kinds = [Method(number(Method, method)) for method in methods]
    return {m.name.lower(): plan(batch, m, **how) for m in kinds}


def bound(batch: Batch, *, hooks: Hooks | None = None) -> Bounds:
    """How soon a batch could end at best, in ticks, by the times believed.
    Raises RangeError (with the row), Cancelled.

    >>> bound(Batch(3, blocks=[9, 3, 5], block=1, slot=1)).dual
    Fraction(20, 3)
    """
    area, path, dual, functions, best = _core.batch_bound(batch._said(),
                                                          host_of(hooks))
    return Bounds(Fraction(*area), path, Fraction(*dual), functions, best)


def sweep(batch: Batch, sigma: Iterable[float] = (1, 2, 3, 5, 10),
          tau: Iterable[float] = (5, 10, 15), *,
          method: int | str = Method.SIMPLE, tail: int | str = Tail.DRAIN,
          hooks: Hooks | None = None, **how: Any) -> list[Cell]:
    """SIMPLE or DATA_DRIVEN for every sigma with every tau (1 is one whole),
    sigma by sigma. Raises RangeError (with the row), Cancelled."""
    cells = _core.batch_sweep(
        batch._said(), [ppm(s) for s in sigma], [ppm(t) for t in tau],
        _options(method, tail, how), host_of(hooks))
    return [Cell(c.sigma_ppm, c.tau_ppm, _metrics(c))
            for c in Records(CELL, cells)]


def spans_of(rows: Iterable[tuple[int, int, int]]) -> Records:
    """Spans from rows of start, end (ticks) and slots, numbered in order.

    >>> spans_of([(0, 4, 2)])[0].slots
    2
    """
    packed = [SPAN.struct.pack(start, end, i, slots)
              for i, (start, end, slots) in enumerate(rows)]
    return Records(SPAN, _core.rebuild(
        b"".join(packed), "T{q:start:q:end:I:task:I:slots:}", SPAN.size,
        len(packed), -1))


def measure(spans: Records, slots: int, *, tail: int | str = Tail.DRAIN,
            theta: float = 0.5, hooks: Hooks | None = None) -> Metrics:
    """The metrics of any schedule on so many slots; times in ticks, theta as a
    part of one. Raises RangeError (with the row).

    >>> m = measure(spans_of([(0, 10, 2), (0, 4, 2), (4, 7, 2)]), 4)
    >>> m.t_hat, m.tail_cpu, m.tail_overhead, m.capacity
    (4, Fraction(3, 4), Fraction(3, 2), 34)
    """
    found = _core.batch_measure(
        spans.column, {"slots": slots, "tail": number(Tail, tail),
                       "theta_ppm": ppm(theta)}, host_of(hooks))
    return _metrics(Records(MEASURED, found)[0])


def utility(spans: Records, *, hooks: Hooks | None = None) -> Records:
    """Use over time: rows of `at` (ticks) and `slots` where it changes. Raises
    RangeError (with the row)."""
    return Records(STEP, _core.batch_utility(spans.column, host_of(hooks)))


def spread(width: int, nodes: int) -> Column:
    """A width evenly over nodes, one number a node (a row each). Raises
    RangeError.

    >>> spread(10, 4).tolist()
    [3, 3, 2, 2]
    """
    return _core.batch_spread(width, nodes)


def _where(replicas: Any, hosts: int, ticks: Numbers, committed: Numbers,
           limit: Numbers) -> dict[str, Any]:
    blocks, width, flat = table_of(replicas)
    return {"blocks": blocks, "hosts": hosts, "replicas": width,
            "replica": flat if blocks and width else None, "ticks": ticks,
            "committed": committed, "limit": limit}


def speedup_from_locality(
        replicas: Any, hosts: int, slots: int, *, start: int = 0,
        block: int = 1, slot: int = 0, transfer: int = 0,
        ticks: Numbers = None, committed: Numbers = None,
        limit: Numbers = None,
        hooks: Hooks | None = None) -> tuple[Column, Column]:
    """What a task takes at widths 1 to `slots`, from where its blocks lie (a row
    of hosts for each), and how many blocks are transferred: by width, in ticks.
    A row of `Batch.table`. The rest is as in `Batch` and `Locality`; `transfer`
    is what each block takes that is not local. Raises RangeError (with the
    row), Cancelled.

    >>> times, moved = speedup_from_locality([[1], [1], [0], [1]], 3, 4,
    ...                                      block=10, transfer=4)
    >>> times.tolist(), moved.tolist()
    ([44, 24, 24, 14], [1, 1, 1, 1])
    """
    return _core.batch_speedup_from_locality(
        _where(replicas, hosts, ticks, committed, limit),
        {"slots": slots, "start": start, "block": block, "slot": slot,
         "transfer": transfer}, host_of(hooks))


@dataclass(frozen=True)
class Located:
    """A task at its width: where each block runs, the cores it has on each
    host, what it takes, the load and the transfers."""

    host: Column
    cores: Column
    ticks: int
    load: int
    transfers: int


def locate(replicas: Any, hosts: int, width: int, *, start: int = 0,
           block: int = 1, slot: int = 0, transfer: int = 0,
           ticks: Numbers = None, committed: Numbers = None,
           limit: Numbers = None, hooks: Hooks | None = None) -> Located:
    """Places the blocks of a task that has its width, as the last step of the
    published algorithm does; arguments as in `speedup_from_locality`, in ticks.
    Raises RangeError (with the row), Cancelled.

    >>> locate([[1], [1], [0], [1]], 3, 4, block=10, transfer=4).cores.tolist()
    [1, 2, 1]
    """
    return Located(*_core.batch_locate(
        _where(replicas, hosts, ticks, committed, limit),
        {"slots": width, "start": start, "block": block, "slot": slot,
         "transfer": transfer}, host_of(hooks)))


def noise(deviation: float, n: int, *, seed: int = 0) -> Column:
    """Log-normal factors of mean 1 in ppm, for `actual_ppm`; the deviation is
    of their logarithms, 0 to 1. Raises RangeError."""
    return _core.batch_noise(ppm(deviation), seed, n)


def learn(batch: Batch, task: Numbers, slots: Numbers, ticks: Numbers, *,
          hooks: Hooks | None = None) -> tuple[Column, int]:
    """From past runs (the row of the task, its slots, the ticks it took) a
    multiplier for each task and the level of noise, in ppm. Raises RangeError
    (with the row)."""
    return _core.batch_learn(batch._said(), task, slots, ticks, host_of(hooks))


@dataclass(frozen=True)
class State:
    """Where a run stands: tasks that wait, run and have ended, free slots;
    times in ticks, eta in ppm."""

    method: Method
    waiting: int
    running: int
    finished: int
    free: int
    now: int
    eta_ppm: int
    expected: int
    bound: int


class Run(Owner):
    """A batch that runs step by step: start what `next` says, report what ends
    with `finish`. Times in ticks, on the host's clock. Arguments as in `plan`.
    Raises RangeError (with the row), Cancelled.

    >>> run = Run(Batch(4, blocks=[4], block=1), "greedy")
    >>> [(s.task, s.slots) for s in run.next(0)]
    [(0, 2)]
    >>> run.finish(0, 2)
    >>> run.state.finished, run.spans[0].end
    (1, 2)
    """

    __slots__ = ("tasks",)

    def __init__(self, batch: Batch, method: int | str = Method.ADAPT, *,
                 hooks: Hooks | None = None, **how: Any) -> None:
        self.tasks = len(batch)
        self._handle = _core.batch_run_new(
            host_of(hooks), batch._said(), _options(method, Tail.DRAIN, how))

    def next(self, now: int) -> Records:
        """What is to start at `now` (ticks): rows of task and slots. Raises
        RangeError (time goes back), Cancelled."""
        return Records(START, _core.batch_run_next(self._handle, now,
                                                   self.tasks))

    def finish(self, task: int, now: int) -> None:
        """A task has ended at `now` (ticks). Raises NotFoundError, StateError
        (it does not run), RangeError."""
        _core.batch_run_finish(self._handle, task, now)

    @property
    def state(self) -> State:
        """Where it stands."""
        method, *rest = _core.batch_run_get_stats(self._handle)
        return State(Method(method), *rest)

    @property
    def spans(self) -> Records:
        """What has ended so far, rows in the order it was reported."""
        return Records(SPAN, _core.batch_run_spans(self._handle))


__all__ = ["Batch", "Bounds", "Cell", "Located", "Method", "Metrics", "Most",
           "Planned", "Run", "State", "Tail", "bound", "compare", "learn",
           "locate", "measure", "noise", "plan", "ppm", "spans_of",
           "speedup_from_locality", "spread", "sweep", "utility"]
