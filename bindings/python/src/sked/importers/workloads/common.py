"""The common CSV: columns by name, in any order, read as the programs do, and
written so that the programs read it back.

A block of rows is turned into columns, each column into numbers at once, and
those into jobs. A block without quotes is cut by commas; one with quotes goes
to the csv module, line by line. Where something in a block is wrong it is gone
through row by row, so that what is right stands and what is not has its
line."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from operator import sub
from typing import Any

from ...enums import Severity
from ..files import MAX_LINE, Source, beside, cut_lines, failed
from ..model import Fidelity, Job, Reader, Workload, register_reader
from .exact import (LATEST, LONGEST, MOST, SECOND, Bad, Memo, decimal, integer,
                    pieces, seconds, thousandths, whole)

# ---- rows of comma-separated fields ----

Rows = tuple[Sequence[int], list[list[str]]]


class Feed:
    """The lines of a block, and of the next ones while a quote is open."""

    def __init__(self, line: int, text: str,
                 blocks: Iterator[tuple[int, str]]) -> None:
        self.blocks = blocks
        self.take(line, text)
        self.length = 0

    def take(self, line: int, text: str) -> None:
        """Goes on with a block."""
        self.lines = text.split("\n")
        if not self.lines[-1]:
            self.lines.pop()
        self.next = line
        self.at = 0

    def __iter__(self) -> Feed:
        return self

    def __next__(self) -> str:
        if self.at == len(self.lines):
            if not self.length:
                raise StopIteration
            self.take(*next(self.blocks))
        one = self.lines[self.at] + "\n"
        self.at += 1
        self.next += 1
        self.length += len(one)
        if self.length > MAX_LINE:
            raise csv.Error("a row of more than 1 MiB")
        return one


def numbered(line: int, rows: list[list[str]]) -> Rows:
    """Rows with the lines where they begin; those of empty lines go."""
    if all(rows) and not any("\n" in field for row in rows for field in row):
        return range(line, line + len(rows)), rows
    numbers = []
    for row in rows:
        if row:
            numbers.append(line)
        line += 1 + sum(field.count("\n") for field in row)
    return numbers, [row for row in rows if row]


def quoted(source: Source, line: int, text: str,
           blocks: Iterator[tuple[int, str]]) -> Rows:
    """The rows of a block with quotes: at once, or line by line where one is
    wrong or goes on in the next block."""
    lines = [one + "\n" for one in text.removesuffix("\n").split("\n")]
    try:
        return numbered(line, list(csv.reader(lines, strict=True)))
    except csv.Error:
        return by_line(source, line, text, blocks)


def by_line(source: Source, line: int, text: str,
            blocks: Iterator[tuple[int, str]]) -> Rows:
    """The same, with what is wrong by its line."""
    feed = Feed(line, text, blocks)
    reader = csv.reader(feed, strict=True)
    numbers: list[int] = []
    rows: list[list[str]] = []
    while True:
        feed.length = 0
        began = feed.next
        try:
            row = next(reader)
        except StopIteration:
            return numbers, rows
        except csv.Error as error:
            source.findings.add(began, "is no row of CSV", str(error)[:80])
            continue
        if row:
            numbers.append(began)
            rows.append(row)


def csv_blocks(source: Source) -> Iterator[Rows]:
    """The rows of a file."""
    blocks = source.texts()
    for line, text in blocks:
        if '"' in text:
            yield quoted(source, line, text, blocks)
        else:
            numbers, lines = cut_lines(line, text)
            yield numbers, [one.split(",") for one in lines]


def headed(source: Source) -> Iterator[Rows]:
    """The rows of a file of which the first that gives only one is the
    header."""
    first = True
    for numbers, rows in csv_blocks(source):
        if first and rows:
            yield numbers[:1], rows[:1]
            numbers, rows, first = numbers[1:], rows[1:], False
        if rows:
            yield numbers, rows


# ---- columns ----

COLUMNS = ("submit_s", "start_s", "end_s", "user", "group", "queue", "tasks",
           "cpu", "mem_bytes", "gpu", "job_id", "partition", "priority",
           "run_s", "tier", "slo_s", "workflow")
FIELDS = {"submit_s": "submit", "start_s": "start", "end_s": "end",
          "run_s": "run", "mem_bytes": "memory", "job_id": "id",
          "slo_s": "slo"}
Times = Sequence[int | None]


def tier_of(text: str) -> str:
    """A tier from 0 to 255; "" where none is said."""
    value = whole(text, 0, 255)
    return "" if value is None else str(value)


def tier_name(tier: str) -> str:
    """The queue of a tier, as the planner and the programs call it."""
    return f"tier{tier}" if tier.strip("0") else "default"


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
            self.numbers("tier", columns, ""), lines,
            self.times("slo_s", columns), self.texts("workflow", columns))
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


# ---- writing ----

HEADER = ",".join(COLUMNS)
QUOTED = frozenset(',"\r\n')


def field(text: str) -> str:
    """A text as one field."""
    if not QUOTED.isdisjoint(text):
        return '"' + text.replace('"', '""') + '"'
    return text.replace("\0", " ")


def name_of(text: str) -> str:
    """A job's name: what stands behind a ';' would be taken for a remark."""
    return field(text.replace(";", "_"))


def number(value: int | None, scale: int) -> str:
    """A count of 10^-scale; nothing for None."""
    return "" if value is None else decimal(value, scale)


def line_of(job: Job, texts: Memo[str]) -> str:
    """A job as a line. What only repeats start and end is left out, and an
    end before its start too: nobody could read it."""
    end = job.end
    if end is not None and job.start is not None and end < job.start:
        end = None
    run = job.run
    if end is not None and job.start is not None and run == end - job.start:
        run = None
    return (f"{number(job.submit, 9)},{number(job.start, 9)},{number(end, 9)},"
            f"{texts[job.user]},{texts[job.group]},{texts[job.queue]},"
            f"{job.tasks},{number(job.cpu, 3)},{number(job.memory, 0)},"
            f"{number(job.gpu, 3)},{name_of(job.id)},{texts[job.partition]},"
            f"{number(job.priority, 0)},{number(run, 9)},{texts[job.tier]},"
            f"{number(job.slo, 9)},{texts[job.workflow]}\n")


def write_csv(workload: Iterable[Job], path: str) -> int:
    """Writes a workload as common CSV, packed where the name ends in .gz, and
    gives the number of jobs. Written beside and renamed at the end.

    The programs read the same times to the ns and the same amounts to the
    unit. In a name of a job ';' becomes '_', since a remark begins there."""
    texts = Memo(field)
    n = 0
    with beside(str(path)) as raw:
        packed = gzip.GzipFile("", "wb", 6, raw, 0) \
            if str(path).endswith(".gz") else None
        file = io.TextIOWrapper(packed or raw, "utf-8", "surrogateescape",
                                newline="\n")
        file.write(HEADER + "\n")
        for n, job in enumerate(workload, 1):
            file.write(line_of(job, texts))
        file.flush()
        file.detach()
        if packed:
            packed.close()
    return n
