"""What a change of the cluster, of the tree or of the work does: the same jobs are
replayed before and after it, and waits are compared queue by queue."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from threading import Lock
from typing import Any

from ..columns import Table, Texts, convert_column
from ..errors import Error, NotFoundError
from ..sim import Jobs, Sim
from ..tree import Tree
from . import cluster as clusters
from . import parts, runs, whatif
from .facts import Progress, silent
from .given import SECOND, Given, Mode, Wanted, read
from .numbers import column, nearest_of
from .search import by_block, resampled
from .waits import is_late

#: Draws of copied or left out jobs, if the work is another number of times.
DRAWS = 3


@dataclass(frozen=True)
class Change:
    """`size`: so many times the nodes. `settings`: queue, name and value in the
    words of a tree's text form. `multiplier`: the workload so many times.
    `moves`: a user's jobs of one queue go to another (user, from, to); the
    user "*" is all."""

    size: Fraction = Fraction(1)
    settings: tuple[tuple[str, str, str], ...] = ()
    multiplier: Fraction = Fraction(1)
    moves: tuple[tuple[str, str, str], ...] = ()


@dataclass
class Side:
    """A replay: waits (ns; -1: never started), the leaf of each, and which of
    the jobs as given it is of."""

    waits: Any
    leaf: Any
    given: Any
    nodes: int


@dataclass
class Compared:
    """Both replays, by queue; the first row is all jobs. `fewer`: late jobs
    fewer after the change, and its least and greatest value over `how`."""

    table: Table
    fewer: int
    low: int
    high: int
    how: str
    nodes_before: int
    nodes_after: int
    target_s: float
    jobs: int
    notes: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        """The finding in one sentence."""
        rows = self.table
        before, after = (int(rows[f"late_{side}"].tolist()[0])
                         for side in ("before", "after"))
        return (f"Late jobs (over {self.target_s:g} s): {before:,} before, "
                f"{after:,} after: {-self.fewer:+,}, between {-self.high:+,} "
                f"and {-self.low:+,} over {self.how}.")

    def __str__(self) -> str:
        return "\n".join([self.said, *self.notes, "", str(self.table)])

    def _repr_html_(self) -> str:
        import html
        lines = "".join(f"<p>{html.escape(one)}</p>"
                        for one in (self.said, *self.notes))
        return lines + self.table._repr_html_()


@dataclass
class Base:
    """A workload as read, its cluster, and the part that is replayed; `notes`
    says which. Several threads may run changes of one: the tree is copied by
    one thread at a time, and replays run side by side."""

    wanted: Wanted
    given: Given
    has: clusters.Cluster
    notes: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def run(self, change: Change, seed: int) -> Side:
        """One replay with a change. ValueError with what is wrong with it."""
        with self.lock:
            tree = set_all(self.given.tree, change.settings)
            moved = replace(self.given, jobs=move_all(self.given, tree,
                                                      change.moves))
            leaf = moved.leaf
        grown = whatif.sized(self.has, change.size) \
            if change.size != 1 else self.has
        if change.size < 1 and not whatif.fits_all(moved, grown):
            raise ValueError("some job does not fit on a cluster of that size")
        return run(replace(self.wanted, seed=seed), moved, grown, tree,
                   change.multiplier, leaf)


def base_of(wanted: Wanted, progress: Progress = silent) -> Base:
    """Reads a workload. OSError, ImportFailed, ConfigError or ValueError where
    that cannot be, or nothing can be replayed."""
    progress(0.0, "reading")
    whole = read(wanted, lambda rows: progress(0.0, f"reading, {rows:,} rows"))
    if whole.mode is not Mode.JOBS:
        raise ValueError(f"{wanted.workload}: no submissions, so nothing can "
                         "be replayed")
    given = stretch(whole, wanted)
    assert given.jobs is not None and whole.jobs is not None
    notes = [] if given is whole else [
        f"A replay of {len(given.jobs):,} of {len(whole.jobs):,} jobs: the "
        "stretch in which most are late."]
    return Base(wanted, given, clusters.make(wanted, whole), notes)


def what_if(wanted: Wanted, change: Change,
            progress: Progress = silent) -> Compared:
    """Replays a workload before and after a change. `progress(part, what)`
    hears what comes; what it raises ends the replays. OSError, ImportFailed,
    ConfigError or ValueError where that cannot be."""
    base = base_of(wanted, progress)
    given, target = base.given, wanted.target
    assert given.jobs is not None
    pairs, done = 1 if change.multiplier == 1 else DRAWS, 0

    def both(seed: int) -> tuple[Side, Side]:
        nonlocal done
        sides = []
        for name, one in (("before", Change()), ("after", change)):
            progress(0.1 + 0.9 * done / (2 * pairs), f"replaying {name}")
            sides.append(base.run(one, seed))
            done += 1
        return sides[0], sides[1]

    before, after = both(wanted.seed)
    if change.multiplier == 1:
        low, high = over_days(given, target, before, after)
        how = "its days drawn with repetition"
    else:
        made = [gained(target, *both(wanted.seed + i))
                for i in range(1, DRAWS)]
        made.append(gained(target, before, after))
        low, high, how = min(made), max(made), f"{DRAWS} draws of the work"
    return Compared(table_of(given.paths, target, before, after),
                    gained(target, before, after), low, high, how,
                    before.nodes, after.nodes, target / SECOND,
                    len(given.jobs), base.notes)


def stretch(given: Given, wanted: Wanted) -> Given:
    """What is replayed of a history with recorded starts."""
    notes, jobs = given.notes, given.jobs
    assert notes is not None and jobs is not None
    late = is_late(notes.start - column(jobs.submit), wanted.target) \
        if notes.recorded else column([0] * len(jobs))
    return parts.part_of(given, late) if notes.recorded else given


def with_setting(text: str, path: str, name: str, value: str) -> str:
    """The text form of a tree with one attribute of one queue replaced.

    >>> with_setting('root\\nroot.a weight=3 limit="cpu=2"\\n', "root.a",
    ...              "weight", "2")
    'root\\nroot.a limit="cpu=2" weight=2\\n'
    """
    if not value or any(one in value for one in '"\\\n'):
        raise ValueError("is no value of the text form")
    quoted = f'"{value}"' if set(value) & set(" =,#") else value
    lines = []
    for line in text.splitlines():
        if line.split(maxsplit=1)[:1] == [path]:
            line = re.sub(rf'\s{re.escape(name)}=("[^"]*"|\S+)', "", line)
            line = f"{line} {name}={quoted}"
        lines.append(line + "\n")
    return "".join(lines)


def set_all(tree: Tree, settings: tuple[tuple[str, str, str], ...]) -> Tree:
    """A copy with other settings. ValueError with what is wrong with one."""
    made = tree.copy()
    for path, name, value in settings:
        try:
            made.read(with_setting(made.text, made[path].path, name, value))
            made.commit()
        except (Error, TypeError, ValueError, KeyError) as error:
            raise ValueError(f"--set {path}.{name}={value}: {error}") from None
    return made


def move_all(given: Given, tree: Tree,
             moves: tuple[tuple[str, str, str], ...]) -> Jobs:
    """The jobs with other queues. ValueError where a move names no job."""
    import numpy
    jobs, notes = given.jobs, given.notes
    assert jobs is not None and notes is not None
    queue = column(jobs.queue, "uint64").copy()
    user = column(jobs.user) if jobs.user is not None else \
        numpy.ones(len(jobs), "int64")
    for name, source, target in moves:
        try:
            one, two = leaf_of(tree, source), leaf_of(tree, target)
        except (NotFoundError, ValueError) as error:
            raise ValueError(f"--move {name}:{source}->{target}: {error}"
                             ) from None
        mine = queue == one
        if name != "*":
            known = notes.users.index(name) + 1 if name in notes.users else -1
            mine &= user == known
        if not mine.any():
            raise ValueError(f"--move {name}:{source}->{target}: no job of it "
                             f"is in {source}")
        queue[mine] = two
    return replace(jobs, queue=queue) if moves else jobs


def leaf_of(tree: Tree, name: str) -> int:
    """The id of a leaf, by its path or by its path below the root."""
    root = tree.root.name + "."
    queue = tree[name if name.startswith(root) else root + name]
    if queue.children:
        raise ValueError(f"{name} is not a leaf")
    return queue.id


def run(wanted: Wanted, given: Given, has: clusters.Cluster, tree: Tree,
        multiplier: Fraction, leaf: Any) -> Side:
    """One replay, without what only a page needs. `leaf`: of each job."""
    assert given.jobs is not None
    how = replace(runs.options(wanted, has, given.jobs, tree), shares=False,
                  multiplier=multiplier * wanted.multiplier, sample_every=0,
                  max_samples=0)
    with Sim(tree, given.jobs, has.nodes, how) as sim:
        sim.run()
        rows = column(sim.given)
        return Side(column(sim.delays), leaf[rows], rows, has.count)


def gained(target: int, before: Side, after: Side) -> int:
    """Late jobs fewer."""
    return int(is_late(before.waits, target).sum()) - \
        int(is_late(after.waits, target).sum())


def over_days(given: Given, target: int, before: Side,
              after: Side) -> tuple[int, int]:
    """The range of a gain over histories made of the days of this one, drawn
    with repetition."""
    import numpy
    assert given.jobs is not None
    fewer: Any = numpy.zeros(len(given.jobs), "int64")
    numpy.add.at(fewer, before.given,
                 is_late(before.waits, target).astype("int64"))
    numpy.add.at(fewer, after.given,
                 -is_late(after.waits, target).astype("int64"))
    return resampled(by_block(column(given.jobs.submit), fewer))[1]


def table_of(paths: list[str], target: int, before: Side,
             after: Side) -> Table:
    """Waits by queue before and after; the first row is all jobs."""
    names, rows = ["all jobs"], [(numbers(before.waits, target),
                                  numbers(after.waits, target))]
    for i, path in enumerate(paths):
        one, two = before.waits[before.leaf == i], after.waits[after.leaf == i]
        if len(one) or len(two):
            names.append(path)
            rows.append((numbers(one, target), numbers(two, target)))
    made: dict[str, Any] = {"queue": Texts(names)}
    for k, name in enumerate(("jobs", "late")):
        for side, at in (("before", 0), ("after", 1)):
            made[f"{name}_{side}"] = convert_column([r[at][k] for r in rows])
    for k, name in ((2, "p50"), (3, "p95")):
        for side, at in (("before", 0), ("after", 1)):
            made[f"{name}_{side}_s"] = convert_column(
                [max(0, r[at][k]) / SECOND for r in rows], "d")
    return Table(made)


def numbers(waits: Any, target: int) -> tuple[int, int, int, int]:
    """Jobs, late ones, and what half and 19 in 20 waited at most (ns)."""
    p50, p95 = nearest_of(waits[waits >= 0], (0.5, 0.95))
    return len(waits), int(is_late(waits, target).sum()), p50, p95
