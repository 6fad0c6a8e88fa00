"""`to_jobs` of whole columns, with numpy and pyarrow: the numbers that the rules
for single rows give, or None where a batch needs those rules, be it for a
fault. A column of few different values is worked out once for each of them."""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ... import vectors
from ...sim import Jobs
from ..files import Source
from ..model import Workload
from .columnar import (AMOUNTS, TIMES, Columns, amount_of, number_of, text_of,
                       time_of)
from . import common
from .common import Table, priority_of, tasks_of, tier_name, tier_of
from .exact import LATEST, LONGEST, MOST, Bad

if TYPE_CHECKING:
    from .jobs import Leaves

CHUNK = 8 << 20
MOST_TASKS = 2**31 - 1
Batch = Mapping[str, Any]


class Slow(Exception):
    """A batch that needs the rules for single rows."""


def modules() -> tuple[Any, Any, Any] | None:
    """numpy, pyarrow, and its functions; None where one is not there."""
    np = vectors.numpy()
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError:
        return None
    return None if np is None else (np, pyarrow, pyarrow.compute)


def tier_or_none(value: Any) -> int | None:
    """A tier; what it comes to is not used, what is wrong is."""
    found = number_of(value, tier_of, "")
    return int(found) if found else None


class Quick:
    """Columns being collected."""

    def __init__(self, default_run: int | None,
                 default_task: tuple[int, ...]) -> None:
        found = modules()
        assert found is not None
        self.np, self.pa, self.pc = found
        self.default_run = default_run
        self.default_task = default_task
        self.users: dict[str, int] = {}
        self.names: dict[tuple[str, ...], int] = {}
        self.parts: dict[str, list[Any]] = {}
        self.skipped: dict[str, int] = {}
        self.rows = 0

    # ---- one column ----

    def encoded(self, column: Any) -> tuple[Any, list[Any]]:
        """The number of each value among those that differ, and these; what is
        missing is None."""
        one = column if self.pa.types.is_dictionary(column.type) and \
            not column.null_count and not column.dictionary.null_count else \
            self.decoded(column).dictionary_encode(null_encoding="encode")
        return (one.indices.to_numpy(zero_copy_only=False),
                one.dictionary.to_pylist())

    def decoded(self, column: Any) -> Any:
        """A column without a dictionary."""
        return column.cast(column.type.value_type) \
            if self.pa.types.is_dictionary(column.type) else column

    def each(self, column: Any, read: Callable[[Any], int | None],
             missing: int) -> tuple[Any, Any]:
        """What each value comes to, and where something is said."""
        codes, different = self.encoded(column)
        try:
            found = [read(one) for one in different]
        except Bad:
            raise Slow from None
        if any(one is not None and not -MOST <= one <= MOST for one in found):
            raise Slow
        values = self.np.array([missing if one is None else one
                                for one in found], self.np.int64)
        said = self.np.array([one is not None for one in found], bool)
        return values[codes], said[codes]

    def times(self, column: Any) -> Any:
        """Times in ns, all of them said."""
        pa, np = self.pa, self.np
        of = column.type
        if column.null_count:
            raise Slow
        if pa.types.is_timestamp(of) or pa.types.is_duration(of):
            wide = pa.timestamp("ns") if pa.types.is_timestamp(of) else \
                pa.duration("ns")
            made = column.cast(wide).cast(pa.int64()).to_numpy()
        elif pa.types.is_integer(of) or pa.types.is_floating(of):
            plain = column.to_numpy(zero_copy_only=False)
            made = vectors.nanoseconds(plain)
        elif pa.types.is_decimal(of) or pa.types.is_string(of) or \
                pa.types.is_large_string(of):
            made = self.unscaled(column)
        else:
            raise Slow
        if made is None or len(made) and int(made.min()) < 0:
            raise Slow
        return np.asarray(made, np.int64)

    def unscaled(self, column: Any) -> Any:
        """Decimal numbers as counts of 10^-9: what a decimal number of nine
        places holds in its lower 64 bits. More places are an error of the
        cast, so nothing is rounded here."""
        nine = self.pa.decimal128(28, 9)
        made = column if column.type == nine else column.cast(nine)
        whole = self.np.frombuffer(made.buffers()[1], self.np.int64)
        whole = whole.reshape(-1, 2)[made.offset:made.offset + len(made)]
        if whole[:, 1].any():
            raise Slow  # below 0, or beyond what 63 bits hold
        return whole[:, 0]

    def amounts(self, column: Any, name: str) -> tuple[Any, Any]:
        """Amounts in the smallest unit, and where something is said."""
        scale, read = AMOUNTS[name]
        pa = self.pa
        if not column.null_count and (pa.types.is_integer(column.type) or
                                      pa.types.is_floating(column.type)):
            made = vectors.amounts(column.to_numpy(zero_copy_only=False),
                                   scale)
            if made is not None:
                return made, self.np.ones(len(made), bool)
        return self.each(column, lambda one: amount_of(one, scale, read), 0)

    def words(self, batch: Batch, name: str, rows: int) -> tuple[Any,
                                                                list[str]]:
        """Names, by number; `default` where nothing is said."""
        if name not in batch:
            return self.np.zeros(rows, self.np.int64), ["default"]
        codes, different = self.encoded(batch[name])
        if name == "tier":
            return codes, [tier_name(str(tier_or_none(one) or ""))
                           for one in different]
        return codes, [text_of(one) or "default" for one in different]

    # ---- one batch ----

    def take(self, batch: Batch, rows: int, by: list[str]) -> None:
        """A batch of columns."""
        np = self.np
        self.rows += rows
        start, end = (self.times(batch[name]) if name in batch else None
                      for name in ("start_s", "end_s"))
        submit = self.times(batch["submit_s"]) if "submit_s" in batch else start
        run = self.runs(batch, start, end, rows)
        for name, read in (("slo_s", time_of), ("tier", tier_or_none)):
            if name in batch:
                self.each(batch[name], read, 0)
        if submit is None or rows and (int(submit.max()) > LATEST or
                                       int(run.max()) > LONGEST):
            raise Slow
        tasks = self.each(batch["tasks"], lambda one: number_of(
            one, tasks_of, 1), 1)[0] if "tasks" in batch else \
            np.ones(rows, np.int64)
        if rows and int(tasks.max()) > MOST_TASKS:
            raise Slow
        rank = self.each(batch["priority"], lambda one: number_of(
            one, priority_of, None), 0)[0] if "priority" in batch else \
            np.zeros(rows, np.int64)
        users = self.numbers(batch, rows)
        place = self.places(batch, by, rows)
        held = self.held(batch, tasks, rows)
        keep = (tasks > 0) & (run > 0)
        whole = bool(keep.all())
        if not whole:
            for reason, count in (
                    ("no tasks", int((tasks == 0).sum())),
                    ("zero run time", int(((tasks > 0) & (run == 0)).sum()))):
                if count:
                    self.skipped[reason] = self.skipped.get(reason, 0) + count
        for name, column in (("submit", submit), ("run", run),
                             ("tasks", tasks), ("priority", rank),
                             ("user", users), ("place", place),
                             ("amounts", held)):
            self.parts.setdefault(name, []).append(
                column if whole else column[keep])

    def runs(self, batch: Batch, start: Any, end: Any, rows: int) -> Any:
        """How long each job runs."""
        between = None if start is None or end is None else end - start
        if between is not None and rows and int(between.min()) < 0:
            raise Slow
        if "run_s" in batch:
            return self.times(batch["run_s"])
        if between is not None:
            return between
        if self.default_run is None or "job_id" in batch:
            raise Slow
        return self.np.full(rows, self.default_run, self.np.int64)

    def numbers(self, batch: Batch, rows: int) -> Any:
        """Users by number, in the order in which they come."""
        codes, different = self.words(batch, "user", rows)
        order = self.first(codes, len(different))
        for at in order:
            self.users.setdefault(different[at], len(self.users) + 1)
        return self.np.array([self.users.get(one, 0) for one in different],
                             self.np.int64)[codes]

    def first(self, codes: Any, different: int) -> list[int]:
        """The codes that occur, in the order in which they first do."""
        np = self.np
        at = np.full(different, len(codes), np.int64)
        # Of several values for one place the last stays: the first row's.
        at[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
        return [int(i) for i in np.argsort(at, kind="stable")
                if at[i] < len(codes)]

    def places(self, batch: Batch, by: list[str], rows: int) -> Any:
        """Which names of levels each job has, by number."""
        np = self.np
        codes, width = np.zeros(rows, np.int64), 1
        levels = []
        for name in by:
            inner, different = self.words(batch, name, rows)
            codes = codes * len(different) + inner
            width *= len(different)
            levels.append(different)
        if width > 1 << 20:
            raise Slow
        table = np.zeros(width, np.int64)
        for one in map(int, np.unique(codes)):
            names, left = [], one
            for different in reversed(levels):
                left, at = divmod(left, len(different))
                names.append(different[at])
            table[one] = self.names.setdefault(tuple(reversed(names)),
                                               len(self.names))
        return table[codes]

    def held(self, batch: Batch, tasks: Any, rows: int) -> Any:
        """Amounts of one task: cores, memory, GPUs."""
        np = self.np
        made = np.zeros((rows, 3), np.int64)
        said = np.zeros(rows, bool)
        for at, name in enumerate(AMOUNTS):
            if name in batch:
                made[:, at], known = self.amounts(batch[name], name)
                said |= known
        if not said.all():
            made[~said] = self.default_task
        if rows and (made.max(axis=1).astype(float) * tasks > 2.0**61).any():
            raise Slow
        return made

    # ---- all of them ----

    def jobs(self, leaves: Leaves, kinds: list[int], width: int) -> Jobs:
        """The columns in the order of submission, then as they came."""
        np = self.np

        def whole(name: str) -> Any:
            return np.concatenate(self.parts[name])

        submit, held = whole("submit"), whole("amounts")
        amounts = np.zeros((len(submit), width), np.int64)
        for at, kind in enumerate(kinds):
            if kind >= 0:
                amounts[:, kind] = held[:, at]
            elif len(held) and int(held[:, at].max()):
                raise Slow
        order = None if bool((submit[1:] >= submit[:-1]).all()) else \
            np.argsort(submit, kind="stable")
        place = whole("place")
        place = place if order is None else place[order]
        named = list(self.names)
        ids = np.zeros(max(len(named), 1), np.uint64)
        for at in self.first(place, len(named)):
            try:
                ids[at] = leaves.find(named[at]).id
            except Bad:
                if leaves.grow:
                    raise
                raise Slow from None
        return Jobs(vectors.columns("q", submit, order),
                    vectors.columns("q", whole("run"), order),
                    vectors.columns("q", amounts, order),
                    vectors.columns("Q", ids[place]),
                    vectors.columns("q", whole("tasks"), order),
                    vectors.columns("Q", whole("user"), order),
                    vectors.columns("i", whole("priority"), order),
                    array("I", bytes(4 * len(submit))))


def unquoted(block: bytes) -> bytes:
    """A block without its quotes, where no quoted field has a comma; else as it
    is. Slow where a quote stands within a field, or a line break within
    quotes."""
    np = vectors.numpy()
    assert np is not None
    text = np.frombuffer(block, np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    opened, closed = quotes[::2], quotes[1::2]
    around = np.concatenate([text[opened[opened > 0] - 1],
                             text[closed[closed + 1 < len(text)] + 1]])

    def within(mark: str) -> bool:
        before = np.cumsum(text == ord(mark), dtype=np.int32)
        return not np.array_equal(before[opened], before[closed])

    ends = (around == ord(",")) | (around == ord("\n"))
    if len(quotes) % 2 or not ends.all() or within("\n"):
        raise Slow
    return block if within(",") else block.translate(None, b'"')


def plain_lines(block: bytes) -> bytes:
    """A block of lines with ends of Unix, and with the quotes that it needs.
    Slow where a line has a carriage return within, or a NUL."""
    if b"\r" in block:
        if block.count(b"\r") != block.count(b"\r\n"):
            raise Slow
        block = block.replace(b"\r\n", b"\n")
    if b"\0" in block:
        raise Slow
    if b'"' in block:
        block = unquoted(block)
    if not block.isascii():
        block.decode()  # bytes that are not UTF-8 have a finding
    return block


class Chunks:
    """Chunks of a common CSV as tables of Arrow. Times are read as whole
    numbers until a chunk has another number."""

    def __init__(self, work: Workload, unused: set[str]) -> None:
        import pyarrow
        import pyarrow.csv
        self.pa, self.csv = pyarrow, pyarrow.csv
        self.work = work
        self.unused = unused  # names that are not used: they cannot be wrong
        self.header: list[str] = []
        self.kept: list[str] = []
        self.word = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
        self.time = pyarrow.int64()
        # what the usual pool of Arrow has held once stays with the process
        self.pool = pyarrow.system_memory_pool()

    def begin(self, line: int, first: str) -> None:
        """Takes the header."""
        self.header = next(csv.reader([first]), [])
        if len(self.header) < 2:
            raise Slow  # an empty field would be an empty line
        kept = list(Table(self.work, line, self.header).place)
        if {"run_s"} <= set(kept) or {"start_s", "end_s"} <= set(kept):
            kept = [name for name in kept if name != "job_id"]
        self.kept = [name for name in kept if name not in self.unused]
        if "" in self.header or len(set(self.header)) < len(self.header):
            raise Slow

    def table(self, text: bytes) -> Any:
        """The columns of some lines."""
        types = dict.fromkeys(TIMES, self.time)
        types["slo_s"] = self.word
        return self.csv.read_csv(
            io.BytesIO(text),
            self.csv.ReadOptions(column_names=self.header, use_threads=False,
                                 block_size=CHUNK * 2),
            self.csv.ParseOptions(quote_char='"' if b'"' in text else False),
            self.csv.ConvertOptions(
                column_types={name: types.get(name, self.word)
                              for name in self.kept},
                include_columns=self.kept, strings_can_be_null=False),
            self.pool)

    def taken(self, text: bytes) -> tuple[Batch, int]:
        """The same as a batch."""
        nine = self.pa.decimal128(28, 9)
        if b"x" in text and b"0x" in text or b"X" in text and b"0X" in text:
            self.time = nine  # Arrow takes whole numbers to the base of 16
        try:
            try:
                table = self.table(text)
            except self.pa.ArrowException:
                if self.time == nine:
                    raise
                self.time = nine
                table = self.table(text)
        except self.pa.ArrowException:
            raise Slow from None
        return {name: table.column(name).combine_chunks(self.pool)
                for name in self.kept}, table.num_rows


def csv_batches(work: Workload,
                unused: set[str]) -> Iterator[tuple[Batch, int]]:
    """Chunks of a common CSV whose quotes are simple."""
    chunks = Chunks(work, unused)
    ahead: list[bytes] = []
    size = 0
    for line, block in Source(work.file, work.findings).lines():
        block = plain_lines(block)
        if not chunks.header:
            first, _, block = block.partition(b"\n")
            chunks.begin(line, first.decode())
        ahead.append(block)
        size += len(block)
        if size >= CHUNK:
            yield chunks.taken(b"".join(ahead))
            ahead, size = [], 0
    if size:
        yield chunks.taken(b"".join(ahead))


def batches_of(work: Workload,
               by: list[str]) -> Iterator[tuple[Batch, int]]:
    """The batches of a workload in columns, or of a CSV."""
    if isinstance(work, Columns):
        for batch in work.batches(work):
            yield {name: batch.column(name)
                   for name in batch.schema.names}, batch.num_rows
    else:
        yield from csv_batches(work, {
            "queue", "group", "workflow", "partition"} - set(by))


def quick_jobs(work: Workload, leaves: Leaves, by: list[str],
               default_run: int | None, default_task: tuple[int, ...],
               kinds: list[int], width: int) -> Jobs | None:
    """The same as single rows give; None where those are needed."""
    own = isinstance(work, Columns) or work._rows is common.rows
    if not own or work.file == "-" or modules() is None:
        return None  # whoever gives rows of its own wants them to be used
    findings, fidelity = type(work.findings)(work.file), dict(work.fidelity)
    work.findings, work.skipped, work.records = findings, {}, 0
    quick = Quick(default_run, default_task)
    try:
        for batch, rows in batches_of(work, by):
            quick.take(batch, rows, by)
        if not quick.parts or findings.counts.keys() - {
                "a column that is not read"}:
            raise Slow
        made = quick.jobs(leaves, kinds, width)
    except (Slow, UnicodeError, quick.pa.ArrowException):
        work.fidelity = fidelity
        return None
    work.records, work.skipped = quick.rows, quick.skipped
    return made
