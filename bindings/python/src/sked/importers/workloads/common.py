"""The common CSV: columns by name, in any order, read as the programs do.

A block of rows is turned into columns, each column into numbers at once, and
those into jobs. Where something in a block is wrong it is gone through row by
row, so that what is right stands and what is not has its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from operator import sub
from typing import Any

from ...enums import Severity
from ..seam import Fidelity, Job, Reader, Workload, register_reader
from .csvrows import headed
from .exact import (LATEST, LONGEST, MOST, SECOND, Bad, Memo, integer, pieces,
                    seconds, thousandths, whole)
from .source import Source, failed

COLUMNS = ("submit_s", "start_s", "end_s", "user", "group", "queue", "tasks",
           "cpu", "mem_bytes", "gpu", "job_id", "partition", "priority",
           "run_s", "tier")
UNUSED = ("slo_s", "workflow")  # known to the programs, not part of a job
FIELDS = {"submit_s": "submit", "start_s": "start", "end_s": "end",
          "run_s": "run", "mem_bytes": "memory", "job_id": "id"}
Times = Sequence[int | None]


def tier_of(text: str) -> str:
    """A tier from 0 to 255; "" where none is said."""
    value = whole(text, 0, 255)
    return "" if value is None else str(value)


def priority_of(text: str) -> int | None:
    """A priority of 32 bits."""
    return whole(text, -2**31, 2**31 - 1)


def tasks_of(text: str) -> int:
    """Tasks; 1 where none are said."""
    value = integer(text)
    return 1 if value is None else value


def columnwise(where: str, memo: Memo[Any],
               column: Iterable[str]) -> list[Any]:
    """A column through what its texts come to."""
    try:
        return list(map(memo.__getitem__, column))
    except Bad as bad:
        raise Bad(bad.reason, where) from None


def spans(start: Times, end: Times) -> list[int | None]:
    """From each start to each end, where both are known."""
    try:
        return list(map(sub, end, start))
    except TypeError:
        return [None if s is None or e is None else e - s
                for s, e in zip(start, end)]


def most(times: Times) -> int:
    """The largest that is known, at least 0."""
    return max(filter(None, times), default=0)


def least(times: Times) -> int:
    """The smallest that is known, at most 0."""
    return min(filter(None, times), default=0)


def behind(name: str) -> int | None:
    """What ";run=" behind a job_id says."""
    for word in name.split(";")[1:]:
        if word.startswith("run="):
            run = seconds(word[4:])
            if run is None:
                raise Bad("run= behind it is empty", "job_id")
            return run
    return None


class Table:
    """The columns of one file."""

    def __init__(self, work: Workload, line: int, header: list[str]) -> None:
        self.work = work
        self.width = len(header)
        self.data = 0  # data lines so far
        self.place = self.places(line, header)
        self.memos: dict[str, Memo[Any]] = {
            "tasks": Memo(tasks_of), "cpu": Memo(thousandths),
            "mem_bytes": Memo(pieces), "gpu": Memo(thousandths),
            "priority": Memo(priority_of), "tier": Memo(tier_of)}

    def places(self, line: int, header: list[str]) -> dict[str, int]:
        """Where each column stands."""
        place: dict[str, int] = {}
        for at, name in enumerate(header):
            if name not in COLUMNS:
                self.work.findings.add(line, "a column that is not read",
                                       name[:80], Severity.WARNING)
            elif name in place:
                raise failed(self.work.file, f"column {name} stands twice",
                             line)
            else:
                place[name] = at
        if "submit_s" not in place and "start_s" not in place:
            raise failed(self.work.file, "no column submit_s or start_s", line)
        self.label(place)
        return place

    def label(self, place: dict[str, int]) -> None:
        """What is exact and what is not, now that the columns are known."""
        of = self.work.fidelity
        of.update({FIELDS.get(c, c): Fidelity.EXACT for c in place})
        if "submit_s" not in place:
            of["submit"] = Fidelity.ASSUMED
        if "run_s" not in place:
            of["run"] = Fidelity.DERIVED
        if "tasks" not in place:
            of["tasks"] = Fidelity.ASSUMED

    def times(self, name: str, columns: Sequence[Sequence[str]]) -> Times:
        """A column of seconds as ns; of nothing where there is none."""
        at = self.place.get(name)
        if at is None:
            return [None] * len(columns[0])
        column = columns[at]
        joined = "".join(column)
        if not joined:
            return [None] * len(column)
        if joined.isascii() and joined.isdigit() and \
                (longest := max(map(len, column))) <= 10:
            made: list[int | None] = [int(s) * SECOND for s in column] \
                if all(column) else \
                [int(s) * SECOND if s else None for s in column]
            if longest < 10 or max(filter(None, made)) <= MOST:
                return made
        try:
            return list(map(seconds, column))
        except Bad as bad:
            raise Bad(bad.reason, name) from None

    def texts(self, name: str,
              columns: Sequence[Sequence[str]]) -> Iterable[str]:
        """A column of names."""
        at = self.place.get(name)
        return repeat("") if at is None else columns[at]

    def numbers(self, name: str, columns: Sequence[Sequence[str]],
                missing: int | str | None = None) -> Iterable[Any]:
        """A column of amounts and the like."""
        at = self.place.get(name)
        if at is None:
            return repeat(missing)
        return columnwise(name, self.memos[name], columns[at])

    def runs(self, start: Times, end: Times,
             columns: Sequence[Sequence[str]]) -> list[int | None]:
        """How long each runs: run_s, else from start to end, else what stands
        behind the id."""
        runs = spans(start, end)
        if least(runs) < 0:
            raise Bad("is before start_s", "end_s")
        if "run_s" in self.place:
            said = self.times("run_s", columns)
            runs = [r if s is None else s for s, r in zip(said, runs)]
        if "job_id" in self.place and None in runs:
            names = columns[self.place["job_id"]]
            runs = [behind(n) if r is None and ";" in n else r
                    for r, n in zip(runs, names)]
        if most(runs) > LONGEST:
            raise Bad("a run of more than 2^60 ns (36 years)")
        return runs

    def ids(self, columns: Sequence[Sequence[str]]) -> list[str]:
        """Names up to the first ';'; the number of the line where none is."""
        first = self.data + 1  # the number of the first of these lines
        if "job_id" not in self.place:
            return [str(i) for i in range(first, first + len(columns[0]))]
        names = columns[self.place["job_id"]]
        if any(";" in n or not n for n in names):
            return [n.partition(";")[0] or str(i)
                    for i, n in enumerate(names, first)]
        return list(names)

    def jobs(self, lines: Sequence[int],
             columns: Sequence[Sequence[str]]) -> Iterator[Job]:
        """Rows that are all right. Bad where one is not."""
        submit = self.times("submit_s", columns)
        start = self.times("start_s", columns)
        end = self.times("end_s", columns)
        if None in submit:
            submit = [b if a is None else a for a, b in zip(submit, start)]
        if most(submit) > LATEST:
            raise Bad("a submission after 2^61 ns (73 years)")
        rows = zip(
            self.ids(columns), submit, start, end,
            self.runs(start, end, columns), self.numbers("tasks", columns, 1),
            self.numbers("cpu", columns), self.numbers("mem_bytes", columns),
            self.numbers("gpu", columns), self.texts("user", columns),
            self.texts("group", columns), self.texts("queue", columns),
            self.numbers("priority", columns),
            self.texts("partition", columns),
            self.numbers("tier", columns, ""), lines)
        return map(tuple.__new__, repeat(Job), rows)

    def block(self, lines: Sequence[int],
              rows: list[list[str]]) -> Iterable[Job]:
        """A block at once, or row by row where something is wrong in it."""
        if set(map(len, rows)) == {self.width}:
            try:
                made = self.jobs(lines, list(zip(*rows)))
            except Bad:
                pass
            else:
                self.data += len(rows)
                return made
        return [job for line, row in zip(lines, rows)
                for job in self.single(line, row)]

    def single(self, line: int, row: list[str]) -> Iterable[Job]:
        """One row; a finding where it is wrong."""
        try:
            if len(row) != self.width:
                raise Bad("not as many fields as the header")
            return self.jobs([line], [(field,) for field in row])
        except Bad as bad:
            self.work.findings.add(line, bad.reason, bad.where)
            self.work.skip("a fault in the record")
            return ()
        finally:
            self.data += 1


def blocks(work: Workload) -> Iterator[Iterable[Job]]:
    """The jobs of a file, a block at a time."""
    table = None
    for lines, found in headed(Source(work.file, work.findings)):
        if table is None:
            table = Table(work, lines[0], found[0])
        else:
            work.records += len(found)
            yield table.block(lines, found)
    if table is None:
        raise failed(work.file, "no header line", 1)


def rows(work: Workload) -> Iterator[Job]:
    """The jobs of a file of the common CSV."""
    return chain.from_iterable(blocks(work))


FIDELITY = {name: Fidelity.EXACT for name in Job._fields}


def read(path: str) -> Workload:
    """Reads the common CSV."""
    return Workload("csv", path, rows, FIDELITY)


def sniff(name: str, head: bytes) -> bool:
    """A first line of columns, one of which says when."""
    line = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").split(b"\n")[0]
    words = {word.strip(b'" \r') for word in line.split(b",")}
    return bool(words & {b"submit_s", b"start_s"})


READER = register_reader(Reader(
    "csv", "the common CSV: submit_s, start_s, end_s, ... of each job", sniff,
    read))
