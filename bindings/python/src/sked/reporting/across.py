"""What happens if a user's jobs of a queue run on another cluster: both clusters
are replayed before and after."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, replace
from typing import Any

from ..columns import Table, Texts, convert_column
from ..errors import NotFoundError
from ..sim import Jobs
from .change import Base, Change, Side, base_of, leaf_of, numbers, run
from .facts import Progress, silent
from .given import SECOND, Wanted
from .numbers import column

#: Columns of jobs that a move carries along, and what stands for None.
CARRIED = {"tasks": ("q", 1), "priority": ("i", 0), "partition": ("I", 0)}


@dataclass
class Across:
    """Both clusters before and after: `table` has a row a cluster; `moved`
    jobs went, of which `misfits` fit on no node of the other one."""

    table: Table
    moved: int
    misfits: int
    target_s: float
    notes: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        """The finding in one sentence."""
        before, after = (sum(self.table[f"late_{side}"].tolist())
                         for side in ("before", "after"))
        return (f"{self.moved:,} jobs move. Late jobs of both clusters (over "
                f"{self.target_s:g} s): {before:,} before, {after:,} after: "
                f"{after - before:+,}.")

    def __str__(self) -> str:
        return "\n".join([self.said, *self.notes, "", str(self.table)])

    def _repr_html_(self) -> str:
        import html
        lines = "".join(f"<p>{html.escape(one)}</p>"
                        for one in (self.said, *self.notes))
        return lines + self.table._repr_html_()


def move_across(first: Wanted, second: Wanted,
                moves: tuple[tuple[str, str, str], ...],
                progress: Progress = silent) -> Across:
    """Moves jobs from the first cluster to the second: (user, queue of the
    first, queue of the second); the user "*" is all. Jobs keep their times if
    both files have dates; otherwise both clocks begin together. OSError,
    ImportFailed, ConfigError or ValueError if that cannot be."""
    bases = base_of(first, progress), base_of(second, progress)
    one, two = bases
    for base in bases:
        if base.notes:
            raise ValueError(f"{base.wanted.workload}: has too many jobs for a "
                             "move to another cluster")
    kinds = [list(base.given.tree.schema.names) for base in bases]
    if kinds[0] != kinds[1]:
        raise ValueError(f"the clusters have other kinds: {kinds[0]} and "
                         f"{kinds[1]}")
    going: Any = column([0] * len(column(one.given.jobs.submit)), "bool")  # type: ignore[union-attr]
    to: Any = column(going, "uint64")
    for name, source, target in moves:
        mine = rows_of(one, name, source, target)
        going |= mine
        to[mine] = leaf(two, name, source, target, two, target)
    progress(0.2, "replaying before")
    before = [base.run(Change(), base.wanted.seed) for base in bases]
    progress(0.6, "replaying after")
    after = [replay(one, kept(one.given.jobs, ~going), before[0]),
             replay(two, joined(one, two, going, to), before[1])]
    made: dict[str, Any] = {"cluster": Texts([
        f"{i + 1}: {base.given.file}" for i, base in enumerate(bases)])}
    most = first.target
    rows = [(numbers(b.waits, most), numbers(a.waits, most))
            for b, a in zip(before, after)]
    for k, label in enumerate(("jobs", "late")):
        for at, side in enumerate(("before", "after")):
            made[f"{label}_{side}"] = convert_column([r[at][k] for r in rows])
    for k, label in ((2, "p50"), (3, "p95")):
        for at, side in enumerate(("before", "after")):
            made[f"{label}_{side}_s"] = convert_column(
                [max(0, r[at][k]) / SECOND for r in rows], "d")
    misfits = misfits_of(one, two, going)
    notes = [f"{misfits:,} of them fit on no node of the second cluster and "
             "never start."] if misfits else []
    return Across(Table(made), int(going.sum()), misfits, most / SECOND,
                  notes)


def leaf(base: Base, name: str, source: str, target: str, of: Base,
         queue: str) -> int:
    """A leaf's id. ValueError that names the move."""
    try:
        return leaf_of(of.given.tree, queue)
    except (NotFoundError, ValueError) as error:
        raise ValueError(f"--move {name}:{source}->{target}: {error}"
                         ) from None


def rows_of(base: Base, name: str, source: str, target: str) -> Any:
    """Which jobs a move takes. ValueError if it is none."""
    import numpy
    jobs, notes = base.given.jobs, base.given.notes
    assert jobs is not None and notes is not None
    mine = column(jobs.queue, "uint64") == leaf(base, name, source, target,
                                                base, source)
    if name != "*":
        user = column(jobs.user) if jobs.user is not None else \
            numpy.ones(len(jobs), "int64")
        mine &= user == (notes.users.index(name) + 1
                         if name in notes.users else -1)
    if not mine.any():
        raise ValueError(f"--move {name}:{source}->{target}: no job of it is "
                         f"in {source}")
    return mine


def kept(jobs: Jobs | None, rows: Any) -> Jobs:
    """Some of the jobs. ValueError if none is left."""
    assert jobs is not None
    if not rows.any():
        raise ValueError("--move: no job is left on the first cluster")
    kinds = len(jobs.amounts) // len(jobs)
    made = replace(jobs, submit=column(jobs.submit)[rows],
                   run=column(jobs.run)[rows],
                   queue=column(jobs.queue, "uint64")[rows],
                   amounts=column(jobs.amounts).reshape(-1, kinds)[
                       rows].reshape(-1))
    for name in ("tasks", "user", "priority", "partition"):
        whole = getattr(jobs, name)
        if whole is not None:
            setattr(made, name, array(whole.typecode, column(
                whole, whole.typecode)[rows].tolist()))
    return made


def joined(one: Base, two: Base, going: Any, to: Any) -> Jobs:
    """The jobs of the second cluster with those that come, by submission."""
    import numpy
    mine, theirs = two.given.jobs, one.given.jobs
    assert mine is not None and theirs is not None
    assert one.given.notes is not None and two.given.notes is not None
    kinds = len(mine.amounts) // len(mine)
    shift = 0 if dated(one) and dated(two) else \
        int(mine.submit[0]) - int(theirs.submit[0])
    submit = numpy.concatenate([column(mine.submit),
                                column(theirs.submit)[going] + shift])
    order = numpy.argsort(submit, kind="stable")

    def both(a: Any, b: Any, code: str) -> Any:
        made = numpy.concatenate([column(a, code), column(b, code)[going]])
        return array(code, made[order].tolist())

    amounts = numpy.concatenate([
        column(mine.amounts).reshape(-1, kinds),
        column(theirs.amounts).reshape(-1, kinds)[going]])[order].reshape(-1)
    queue = numpy.concatenate([column(mine.queue, "uint64"), to[going]])[order]
    more = {}
    for name, (code, usual) in CARRIED.items():
        here, there = ([usual] * len(jobs) if getattr(jobs, name) is None else
                       getattr(jobs, name) for jobs in (mine, theirs))
        more[name] = both(here, there, code)
    known, coming = users(one, two)
    return Jobs(submit[order], both(mine.run, theirs.run, "q"), amounts, queue,
                user=both(known, coming, "Q"), **more)


def users(one: Base, two: Base) -> tuple[Any, Any]:
    """Users of the second cluster, and of the first as the second numbers
    them: a name is one user."""
    import numpy
    known = {name: i + 1 for i, name in enumerate(two.given.notes.users)}  # type: ignore[union-attr]
    again = [0] + [known.setdefault(name, len(known) + 1)
                   for name in one.given.notes.users]  # type: ignore[union-attr]
    sides = [numpy.ones(len(base.given.jobs), "int64")  # type: ignore[arg-type]
             if base.given.jobs.user is None  # type: ignore[union-attr]
             else column(base.given.jobs.user) for base in (one, two)]  # type: ignore[union-attr]
    return sides[1], numpy.array(again)[sides[0]]


def dated(base: Base) -> bool:
    """Does the file say when its clock began?"""
    from .when import clock_of
    jobs = base.given.jobs
    assert jobs is not None
    return clock_of(int(jobs.submit[0]), base.given.epoch,
                    base.wanted.zone).base is not None


def replay(base: Base, jobs: Jobs, before: Side) -> Side:
    """A replay of other jobs on the same cluster."""
    given = replace(base.given, jobs=jobs)
    return run(base.wanted, given, base.has, given.tree,
               Change().multiplier, given.leaf)


def misfits_of(one: Base, two: Base, going: Any) -> int:
    """How many jobs that move fit on no node there."""
    import numpy
    jobs = one.given.jobs
    assert jobs is not None
    rows = column(jobs.amounts).reshape(-1, len(one.given.tree.schema))[going]
    if two.has.gang:
        rows = rows * one.given.tasks[going][:, None]
    fits: Any = numpy.zeros(len(rows), "bool")
    for node in two.has.nodes:
        has = column([int(a) for a in node.amount])
        fits |= (rows <= has).all(axis=1)
    return int((~fits).sum())


__all__ = ["Across", "move_across"]
