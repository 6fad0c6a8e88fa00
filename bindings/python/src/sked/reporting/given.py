"""What a file says, made ready: jobs on a tree, records of usage, or time
units. The first have submissions, the second only a clock, the third neither."""

from __future__ import annotations

import csv
import gzip
import io
import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

from ..errors import Error, NotFoundError
from ..importers import Fidelity, Finding, Findings, read_workload
from ..importers.workloads.exact import LONGEST, MOST, count
from ..importers.files import Source, head_of
from ..schema import Schema
from ..sim import Jobs
from ..tree import Tree
from . import outcomes
from .numbers import column, groups
from .reading import Notes, read_jobs

KINDS = "cpu=m memory=B gpu=m"
SECOND = 1_000_000_000
MS = 1_000_000
MOST_TIERS = 16


class Mode(Enum):
    """What a file has."""

    JOBS = "jobs"
    USAGE = "records of usage"
    UNITS = "time units"


@dataclass
class Wanted:
    """What to read and how to run it; see `python -m sked report --help`."""

    workload: str
    tree: str | None = None
    queue_by: str = "queue"
    nodes: tuple[str, ...] = ()
    capacity: str | None = None
    load: Fraction | None = None
    policy: str | None = None
    apps: str | None = None
    gang: bool = False
    preempt: str = "off"
    heartbeat: int = SECOND
    multiplier: Fraction = Fraction(1)
    seed: int = 0
    until: int = 0
    default_run: int | None = None
    default_task: str | None = None
    tiers: str | None = None
    kind: str | None = None
    target: int = 600 * SECOND
    sweep: tuple[Fraction, ...] | None = None
    title: str = ""
    zone: str = "UTC"
    growth: Fraction | None = None
    from_starts: bool = False
    targets: str | None = None
    price: tuple[tuple[str, Fraction], ...] = ()
    currency: str = ""


@dataclass
class Given:
    """A file as read: `jobs` and `notes` with JOBS and USAGE, `units` by key
    (lengths in ns, amounts) with UNITS."""

    file: str
    form: str
    mode: Mode
    tree: Tree
    records: int
    fidelity: dict[str, Fidelity]
    findings: list[Finding]
    faults: int
    skipped: dict[str, int]
    present: frozenset[str]
    jobs: Jobs | None = None
    notes: Notes | None = None
    units: dict[str, tuple[array[int], array[int]]] = field(
        default_factory=dict)
    processors: int = 0
    epoch: int | None = None

    def held(self, kind: str) -> Any:
        """What each job holds of a kind while it runs, in units."""
        assert self.jobs is not None
        rows = column(self.jobs.amounts).reshape(-1, len(self.tree.schema))
        return rows[:, self.tree.schema.kind(kind)] * self.tasks

    @property
    def tasks(self) -> Any:
        """How many tasks each job has."""
        import numpy
        assert self.jobs is not None
        return numpy.ones(len(self.jobs), "int64") \
            if self.jobs.tasks is None else column(self.jobs.tasks)

    @property
    def leaf(self) -> Any:
        """The number of each job's leaf, in the order of the tree's leaves."""
        import numpy
        assert self.jobs is not None
        ids = numpy.array([leaf.id for leaf in self.tree.leaves], "uint64")
        order = numpy.argsort(ids)
        queue = column(self.jobs.queue, "uint64")
        return order[numpy.searchsorted(ids[order], queue)]

    @property
    def paths(self) -> list[str]:
        """The leaves' paths, in the same order."""
        return [leaf.path for leaf in self.tree.leaves]


def called(path: str) -> str:
    """What a file or a folder is called on the page."""
    return "standard input" if path == "-" else \
        os.path.basename(os.path.normpath(path))


def opened(path: str) -> io.TextIOBase:
    """A text, unpacked where its name says .gz."""
    raw = gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")
    return io.TextIOWrapper(raw, "utf-8", errors="replace",
                            newline="")


def csv_rows(lines: Iterable[str],
             path: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty, with the line where each ends. ValueError where
    one cannot be read."""
    rows = csv.reader(lines)
    try:
        for row in rows:
            if row:
                yield rows.line_num, row
    except csv.Error as error:
        raise ValueError(f"{path}:{rows.line_num}: {error}") from None


def first_lines(path: str) -> list[str]:
    """Those of a file's first 64 KiB, unpacked; none of a folder."""
    if os.path.isdir(path):
        return []
    return head_of(path).decode("utf-8-sig", "replace").split("\n")


def has_units(lines: list[str]) -> bool:
    """Is a file that begins so one of time units?"""
    return bool(lines) and {"key", "length_s", "amount"} <= {
        word.strip() for word in lines[0].split(",")}


def read(wanted: Wanted,
         progress: Callable[[int], object] = lambda rows: None) -> Given:
    """Reads what is wanted; `progress` hears how many rows were read. OSError,
    ImportFailed, ConfigError or ValueError where that cannot be."""
    begins = first_lines(wanted.workload)
    if has_units(begins):
        return read_units(wanted)
    work = read_workload(wanted.workload)
    ended = outcomes.outcomes(wanted.workload, work.form,
                              begins[0] if begins else "")
    tree = tree_of(wanted)
    if wanted.default_task:
        try:
            tree.schema.vec(wanted.default_task)
        except Error as error:
            raise ValueError(
                f"--default-task {wanted.default_task!r}: {error}") from None
    found = read_jobs(work, tree, wanted.queue_by, grow=wanted.tree is None,
                      default_run=wanted.default_run,
                      default_task=wanted.default_task,
                      partitions=partitions_of(wanted.nodes),
                      progress=progress, ended=ended)
    jobs, notes, skipped = found.jobs, found.notes, found.skipped
    tree.commit()
    order_queues(tree, wanted)
    mode = Mode.JOBS if notes.submitted or not notes.recorded or \
        wanted.from_starts else Mode.USAGE
    if not len(jobs):
        raise ValueError(nothing(wanted, skipped, work.findings.first))
    said = comments_of(begins, work.form)
    # the column of outcomes was read here, though no reader of jobs reads it
    findings = [one for one in work.findings.first
                if not (ended and one.where in outcomes.COLUMNS)]
    read_here = len(work.findings.first) - len(findings)
    return Given(called(wanted.workload), work.form, mode, tree,
                 work.records, dict(work.fidelity), findings,
                 sum(work.findings.counts.values()) - read_here, skipped,
                 present_in(mode, notes), jobs, notes,
                 processors=said.get("MaxProcs", 0),
                 epoch=said.get("UnixStartTime"))


def nothing(wanted: Wanted, skipped: dict[str, int],
            findings: list[Finding]) -> str:
    """Why a file gives no job, and what may help."""
    why = [f"{reason} ({count:,})" for reason, count in
           sorted(skipped.items(), key=lambda r: (-r[1], r[0]))]
    if findings:
        why.append(f"the first fault is in {findings[0]}")
    said = f"{wanted.workload}: no jobs" + (": " if why else "")
    said += ", ".join(why)
    if "unknown run time" in skipped:
        said += "; --default-run S supposes a run time"
    return said


def present_in(mode: Mode, notes: Notes) -> frozenset[str]:
    """The fields that the file says."""
    none = {"submit"} if mode is Mode.USAGE else set()
    return frozenset(notes.present - none)


def tree_of(wanted: Wanted) -> Tree:
    """The tree that is given, or one to grow."""
    if wanted.tree is None:
        return Tree(KINDS)
    with open(wanted.tree, "rb") as file:
        text = file.read()
    try:
        kinds: Schema | str = Schema.from_tree_text(text)
    except NotFoundError:
        kinds = KINDS
    tree = Tree(kinds)
    tree.read(text, file=wanted.tree)
    tree.commit()
    return tree


def order_queues(tree: Tree, wanted: Wanted) -> None:
    """--policy and --apps, where they were said."""
    for queue in list(tree):
        if queue.children and wanted.policy:
            tree.set(queue, order=wanted.policy)
        elif not queue.children and wanted.apps:
            tree.set(queue, apps=wanted.apps)
    tree.commit()


def partitions_of(specs: tuple[str, ...]) -> dict[str, int]:
    """The numbers of named partitions, as `replay` deals them."""
    names: dict[str, int] = {}
    for spec in specs:
        name = spec.partition("@")[2].strip()
        names.setdefault(name, len(names))
    return names if any(names) else {}


def comments_of(lines: list[str], form: str) -> dict[str, int]:
    """Whole numbers in an SWF's comments: what the machine had, and when its
    clock began."""
    found: dict[str, int] = {}
    if form != "swf":
        return found
    for line in lines:
        if not line.lstrip().startswith(";"):
            break
        key, _, value = line.strip().lstrip("; ").partition(":")
        word = value.split()[0] if value.split() else ""
        if word.isdigit():
            found.setdefault(key.strip(), int(word))
    return found


# ---- time units ----


def thousandths(text: str, most: int) -> int:
    """A number as thousandths, halves up. ValueError when it is none, or more
    than `most`."""
    value = count(text, 3) or 0
    if value > most:
        raise ValueError("is too large")
    return value


def read_units(wanted: Wanted) -> Given:
    """Reads key,length_s,amount: amounts in whole units of --kind (gpu unless
    said), lengths in seconds."""
    kind = wanted.kind or "gpu"
    scale = 1000 if kind == "memory" else 1
    units: dict[str, tuple[array[int], array[int]]] = {}
    findings = Findings(called(wanted.workload))
    skipped: dict[str, int] = {}
    records = 0
    lines = Source(wanted.workload, findings).plain()
    rows = csv_rows((line for _, line in lines), wanted.workload)
    head = [name.strip() for name in next(rows)[1]]
    at = [head.index(name) for name in ("key", "length_s", "amount")]
    for line, row in rows:
        records += 1
        try:
            key, length, amount = (row[i] for i in at)
            pair = (thousandths(length, LONGEST // MS) * MS,
                    thousandths(amount, MOST) // scale)
        except (ValueError, IndexError):
            findings.add(line, "is no time unit")
            skipped["no time unit"] = skipped.get("no time unit", 0) + 1
            continue
        lengths, amounts = units.setdefault(
            key or "default", (array("q"), array("q")))
        lengths.append(pair[0])
        amounts.append(pair[1])
    if not units:
        raise ValueError(f"{wanted.workload}: no time units")
    tree = Tree(KINDS)
    for key in units:
        tree.root.add(key)
    tree.commit()
    return Given(called(wanted.workload), "time units", Mode.UNITS,
                 tree, records, {"length": Fidelity.EXACT,
                                 "amount": Fidelity.EXACT},
                 findings.first, sum(findings.counts.values()), skipped,
                 frozenset(("length", "amount")), units=units)


def tiers_said(path: str, tree: Tree) -> dict[str, int]:
    """What a file of "queue,tier" says; the first line may be a heading."""
    known = {name for leaf in tree.leaves for name in (leaf.path, leaf.name)}
    said: dict[str, int] = {}
    with opened(path) as file:
        for line, row in csv_rows(file, path):
            tier = row[1].strip() if len(row) > 1 else ""
            if tier.isdecimal() and row[0] in known:
                said[row[0]] = int(tier)
            elif not (line == 1 and not tier.isdecimal()):
                raise ValueError(
                    f"{path}:{line}: no queue {row[0]!r}" if tier.isdecimal()
                    else f'{path}:{line}: is not "queue,tier"')
    if not said:
        raise ValueError(f"{path}: says no tier of any queue")
    return said


def targets_said(path: str | None, tree: Tree) -> dict[str, int]:
    """What a file of "queue,target_s" says, by path in ns; the first line may
    be a heading. ValueError with the line that is wrong."""
    if path is None:
        return {}
    known = {name: leaf.path for leaf in tree.leaves
             for name in (leaf.name, leaf.path)}
    said: dict[str, int] = {}
    with opened(path) as file:
        for line, row in csv_rows(file, path):
            try:
                target = Fraction(row[1].strip())
            except (IndexError, ValueError, ZeroDivisionError):
                if line == 1:
                    continue
                raise ValueError(f'{path}:{line}: is not "queue,target_s"'
                                 ) from None
            if row[0] not in known:
                raise ValueError(f"{path}:{line}: no queue {row[0]!r}")
            if not 0 <= target * SECOND <= MOST:
                raise ValueError(f"{path}:{line}: target {row[1].strip()} is "
                                 "not within 0 and 2^62 ns")
            said[known[row[0]]] = round(target * SECOND)
    if not said:
        raise ValueError(f"{path}: says no target of any queue")
    return said


def tiers_of(wanted: Wanted, given: Given) -> dict[str, int]:
    """The tier of each leaf, by path, from 1: as --tiers says, else as most of
    its jobs say, else as the tree says, else 1."""
    said = tiers_said(wanted.tiers, given.tree) if wanted.tiers else {}
    votes: dict[int, dict[int, int]] = {}
    if given.notes is not None and given.jobs is not None and \
            given.notes.tier.any():
        votes = votes_of(given.jobs, given.notes)
    made = {}
    for leaf in given.tree.leaves:
        tier = said.get(leaf.path) or said.get(leaf.name) or 0
        if not tier and leaf.id in votes:
            mine = votes[leaf.id]
            tier = max(mine, key=lambda t: (mine[t], -t))
        made[leaf.path] = min(MOST_TIERS, tier or leaf.get("tier") or 1)
    return packed(made)


def votes_of(jobs: Jobs, notes: Notes) -> dict[int, dict[int, int]]:
    """How many jobs of each queue, by id, say which tier."""
    import numpy
    queue = numpy.asarray(jobs.queue, dtype="uint64")
    said = notes.tier > 0
    made: dict[int, dict[int, int]] = {}
    order, first, ids = groups(queue[said])
    tier = notes.tier[said][order]
    for at, to, one in zip(first, [*first[1:], len(order)], ids):
        values, counts = numpy.unique(tier[at:to], return_counts=True)
        made[int(one)] = dict(zip(values.tolist(), counts.tolist()))
    return made


def packed(tiers: dict[str, int]) -> dict[str, int]:
    """Tiers numbered from 1 without gaps."""
    known = {tier: k + 1 for k, tier in enumerate(sorted(set(tiers.values())))}
    return {path: known[tier] for path, tier in tiers.items()}
