"""Jobs of a workload with what the simulator does not need of them: who, the
tier, and when they really ran. Whole columns at once where the file allows it,
otherwise row by row; the numbers are the same.

A row that cannot be replayed, because its job ran for no time or nothing says
how long, may still say how long the job waited. Such rows are kept aside."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..importers import Job, Workload, to_jobs
from ..importers.model import escaped
from ..importers.workloads import common
from ..importers.workloads.columnar import (TIMES, Columns, number_of,
                                            time_of)
from ..importers.workloads.exact import Bad
from ..importers.workloads.jobs import (KINDS, Leaves, default_of, levels_of,
                                        skipped)
from ..importers.workloads.quick import (Batch, Quick, Slow, batches_of,
                                         modules)
from ..importers.workloads.common import tier_of
from ..sim import Jobs
from ..tree import Tree
from .numbers import column

#: Rows that are left out for these reasons may have waits that were recorded.
WAITED = ("zero run time", "unknown run time")
#: What the fields of a job are called in a file of columns.
FIELD = {"submit_s": "submit", "start_s": "start", "end_s": "end",
         "run_s": "run", "mem_bytes": "memory", "job_id": "id",
         "slo_s": "slo"}


def nothing() -> Any:
    """A column of no rows."""
    return column([])


@dataclass
class Aside:
    """Rows that are not replayed and whose waits were recorded: the path of
    the queue by number, the user as in `Notes`, submission and wait (ns)."""

    paths: list[str] = field(default_factory=list)
    queue: Any = field(default_factory=nothing)
    user: Any = field(default_factory=nothing)
    submit: Any = field(default_factory=nothing)
    wait: Any = field(default_factory=nothing)
    outcome: Any = field(default_factory=nothing)

    def __len__(self) -> int:
        return len(self.submit)


@dataclass
class Notes:
    """Columns beside those of `Jobs`, row by row: when a job really ran (ns;
    -1: not said), the tier that is said (0: none), how it ended
    (`outcomes.NAMES`; empty: the file does not say). `users`: the names by
    `Jobs.user`, from 1. `submitted`: does any row say when it was asked for?
    `present`: the fields that some row says. `slo` (ns; 0: none) and
    `workflow` (a number of `workflows`) are empty if no row has both."""

    users: list[str] = field(default_factory=list)
    tier: Any = field(default_factory=nothing)
    start: Any = field(default_factory=nothing)
    end: Any = field(default_factory=nothing)
    present: set[str] = field(default_factory=set)
    aside: Aside = field(default_factory=Aside)
    outcome: Any = field(default_factory=nothing)
    slo: Any = field(default_factory=nothing)
    workflow: Any = field(default_factory=nothing)
    workflows: list[str] = field(default_factory=list)

    def part(self, rows: slice) -> Notes:
        """The notes of a range of rows, without rows aside."""
        return Notes(self.users, self.tier[rows], self.start[rows],
                     self.end[rows], self.present, Aside(),
                     self.outcome[rows], self.slo[rows], self.workflow[rows],
                     self.workflows)

    @property
    def recorded(self) -> bool:
        """Are all starts and ends there?"""
        return bool(len(self.start)) and int(self.start.min()) >= 0 and \
            int(self.end.min()) >= 0

    @property
    def submitted(self) -> bool:
        """Does the file say when jobs were asked for?"""
        return "submit" in self.present


@dataclass
class Read:
    """Jobs by submission, notes in the same order, and how many rows were left
    out, by reason."""

    jobs: Jobs
    notes: Notes
    skipped: dict[str, int]


def read_jobs(work: Workload, tree: Tree, by: str, *, grow: bool,
              default_run: int | None, default_task: str | None,
              partitions: dict[str, int],
              progress: Callable[[int], object],
              ended: dict[int, int] | None = None) -> Read:
    """Reads a workload onto a tree. `progress` hears how many rows were
    read. `ended`: outcomes by line. ImportFailed, ValueError as `to_jobs`."""
    if not partitions and not ended:
        found = by_columns(work, tree, by, grow, default_run, default_task,
                           progress)
        if found is not None:
            return found
    return by_rows(work, tree, by, grow=grow, default_run=default_run,
                   default_task=default_task, partitions=partitions,
                   progress=progress, ended=ended)


# ---- row by row ----


def by_rows(work: Workload, tree: Tree, by: str, *, grow: bool,
            default_run: int | None, default_task: str | None,
            partitions: dict[str, int],
            progress: Callable[[int], object],
            ended: dict[int, int] | None = None) -> Read:
    """The same for any form."""
    ended = ended or {}
    users: dict[str, int] = {}
    flows: dict[str, int] = {}
    kept: list[tuple[int, ...]] = []
    left: list[tuple[tuple[str, ...], int, int, int, int]] = []
    present: set[str] = set()
    levels = levels_of(by)

    def rows(outer: Workload) -> Iterator[Job]:
        for count, job in enumerate(work, 1):
            user = users.setdefault(job.user or "default", len(users) + 1)
            before = sum(outer.skipped.values())
            yield job
            if count & 0xFFFF == 0:
                progress(count)
            if sum(outer.skipped.values()) == before:
                kept.append((
                    (job.start or 0) if job.submit is None else job.submit,
                    -1 if job.start is None else job.start,
                    -1 if job.end is None else job.end, int(job.tier or 0),
                    ended.get(job.line, 0), job.slo or 0,
                    flows.setdefault(job.workflow, len(flows))))
                if len(present) < len(Job._fields):
                    present.update(n for n, value in zip(Job._fields, job)
                                   if value not in (None, ""))
            elif waited_aside(job, default_run, work.form):
                assert job.submit is not None and job.start is not None
                left.append((tuple(level(job) for level in levels), user,
                             job.submit, job.start - job.submit,
                             ended.get(job.line, 0)))

    both = Workload(work.form, work.file, rows, work.fidelity)
    jobs = to_jobs(both, tree, by=by, grow=grow, default_run=default_run,
                   default_task=default_task, partitions=partitions)
    order = sorted(range(len(kept)), key=lambda i: kept[i][0])
    columns = [column([kept[i][k] for i in order]) for k in range(1, 7)]
    counts = dict(work.skipped)
    for reason, count in both.skipped.items():
        counts[reason] = counts.get(reason, 0) + count
    aside = aside_of(tree, [one[0] for one in left],
                     *(column([one[k] for one in left])
                       for k in (1, 2, 3, 4)))
    notes = Notes(list(users), columns[2], columns[0], columns[1], present,
                  aside, columns[3] if ended else nothing())
    set_flows(notes, columns[4], columns[5], list(flows))
    return Read(jobs, notes, counts)


def set_flows(notes: Notes, slo: Any, workflow: Any, names: list[str]) -> None:
    """Notes objectives and workflows, if some row has both."""
    unnamed = names.index("") if "" in names else -1
    said = (slo > 0) & (workflow != unnamed)
    if said.any():
        import numpy
        notes.slo = numpy.where(said, slo, 0)
        notes.workflow, notes.workflows = workflow, names


def waited_aside(job: Job, default_run: int | None, form: str) -> bool:
    """Does a row that is left out say how long its job waited?"""
    run = default_run if job.run is None else job.run
    return job.submit is not None and job.start is not None and \
        job.start >= job.submit and skipped(job, run, form) in WAITED


def aside_of(tree: Tree, names: list[tuple[str, ...]], user: Any, submit: Any,
             wait: Any, outcome: Any = None) -> Aside:
    """Rows aside, by submission."""
    import numpy
    leaves, paths = Leaves(tree, False), dict[str, int]()
    known: dict[tuple[str, ...], int] = {}
    for one in dict.fromkeys(names):
        known[one] = paths.setdefault(path_of(tree, leaves, one), len(paths))
    queue = column([known[one] for one in names])
    order = numpy.argsort(submit, kind="stable")
    return Aside(list(paths), queue[order], user[order], submit[order],
                 wait[order], nothing() if outcome is None else outcome[order])


def path_of(tree: Tree, leaves: Leaves, names: tuple[str, ...]) -> str:
    """The leaf's path; of a queue that the tree does not have, as it would
    be called."""
    try:
        return leaves.find(names).path
    except Bad:
        return ".".join([tree.root.name, *map(escaped, leaves.dotted(names))])


# ---- whole columns ----


class Noted(Quick):
    """Columns being collected, with what a report notes beside them."""

    def __init__(self, default_run: int | None,
                 default_task: tuple[int, ...]) -> None:
        super().__init__(default_run, default_task)
        # what every job has that a simulator can run
        self.present = {"id", "line", "run"}
        self.flows: dict[str, int] = {}
        self.left: list[tuple[Any, Any, Any, Any]] = []

    def take(self, batch: Batch, rows: int, by: list[str]) -> None:
        """A batch of columns; a column of times in which nothing is said is
        none."""
        np = self.np
        flows = {"slo_s", "workflow"} <= set(batch)
        batch = {name: one for name, one in batch.items()
                 if name not in TIMES or one.null_count < rows}
        if "run_s" not in batch and not {"start_s", "end_s"} <= set(batch):
            raise Slow  # a remark behind the id may say it
        before = {name: len(found) for name, found in self.parts.items()}
        super().take(batch, rows, by)
        start, end = (self.times(batch[name]) if name in batch else
                      np.full(rows, -1, np.int64)
                      for name in ("start_s", "end_s"))
        tier = self.each(batch["tier"], lambda one: int(number_of(
            one, tier_of, "") or 0), 0)[0] if "tier" in batch else \
            np.zeros(rows, np.int64)
        run = self.runs(batch, start, end, rows)
        tasks = self.each(batch["tasks"], lambda one: number_of(
            one, common.tasks_of, 1), 1)[0] if "tasks" in batch else \
            np.ones(rows, np.int64)
        keep = (tasks > 0) & (run > 0)
        more = dict(zip(("slo", "flow"), self.objectives(batch, rows))) \
            if flows else {}
        for name, one in {"start": start, "end": end, "tier": tier,
                          **more}.items():
            self.parts.setdefault(name, []).append(
                one if len(self.parts["run"][before.get("run", 0)]) == rows
                else one[keep])
        self.note(batch)
        if "submit_s" in batch and "start_s" in batch:
            submit = self.times(batch["submit_s"])
            out = (tasks > 0) & (run == 0) & (start >= submit)
            if out.any():
                self.left.append((self.places(batch, by, rows)[out],
                                  self.numbers(batch, rows)[out], submit[out],
                                  (start - submit)[out]))

    def objectives(self, batch: Batch, rows: int) -> tuple[Any, Any]:
        """How long each job should take (ns; 0: not said), and its workflow
        by number."""
        np = self.np
        slo = self.each(batch["slo_s"], time_of, 0)[0] if "slo_s" in batch \
            else np.zeros(rows, np.int64)
        codes, different = self.encoded(batch["workflow"])
        for at in self.first(codes, len(different)):
            self.flows.setdefault(different[at] or "", len(self.flows))
        flow = np.array([self.flows.get(one or "", 0) for one in different],
                        np.int64)
        return slo, flow[codes]

    def note(self, batch: Batch) -> None:
        """Which fields something is said of."""
        for name, one in batch.items():
            field_name = FIELD.get(name, name)
            if field_name in self.present:
                continue
            if name in TIMES or any(value not in (None, "")
                                    for value in self.encoded(one)[1]):
                self.present.add(field_name)


def by_columns(work: Workload, tree: Tree, by: str, grow: bool,
               default_run: int | None, default_task: str | None,
               progress: Callable[[int], object]) -> Read | None:
    """Whole columns; None where a row needs the rules for single rows."""
    own = isinstance(work, Columns) or work._rows is common.rows
    if not own or work.file == "-" or modules() is None:
        return None
    levels = by.split("/")
    levels_of(by)
    findings, fidelity = type(work.findings)(work.file), dict(work.fidelity)
    work.findings, work.skipped, work.records = findings, {}, 0
    quick = Noted(default_run, default_of(default_task))
    leaves = Leaves(tree, grow)
    kinds = [tree.schema.names.index(k) if k in tree.schema.names else -1
             for k in KINDS]
    try:
        for batch, rows in batches_of(work, [*levels, "workflow"]):
            quick.take(batch, rows, levels)
            progress(quick.rows)
        if not quick.parts or findings.counts.keys() - {
                "a column that is not read"}:
            raise Slow
        made = quick.jobs(leaves, kinds, len(tree.schema))
    except (Slow, UnicodeError, quick.pa.ArrowException):
        work.fidelity = fidelity
        return None
    work.records, work.skipped = quick.rows, quick.skipped
    notes = notes_of(quick, tree)
    quick.parts.clear()
    give_back(quick.pa)
    return Read(made, notes, dict(quick.skipped))


def give_back(arrow: Any) -> None:
    """Gives what reading has freed back to the system: Arrow's pool and glibc
    keep it, which is more than the columns of a large file."""
    arrow.default_memory_pool().release_unused()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError, TypeError):
        pass  # another C library, which has no such call


def notes_of(quick: Noted, tree: Tree) -> Notes:
    """The notes in the order of the jobs."""
    np = quick.np
    submit = np.concatenate(quick.parts["submit"])
    order = np.argsort(submit, kind="stable")
    columns = [np.concatenate(quick.parts[name])[order]
               for name in ("start", "end", "tier")]
    slo, flow = (np.concatenate(quick.parts[name])[order] if quick.flows
                 else nothing() for name in ("slo", "flow"))
    aside = Aside()
    if quick.left:
        place, user, at, wait = (np.concatenate([one[k] for one in quick.left])
                                 for k in range(4))
        named = list(quick.names)
        aside = aside_of(tree, [named[p] for p in place.tolist()], user, at,
                         wait)
    notes = Notes(list(quick.users), columns[2], columns[0], columns[1],
                  quick.present, aside)
    if quick.flows:
        set_flows(notes, slo, flow, list(quick.flows))
    return notes
