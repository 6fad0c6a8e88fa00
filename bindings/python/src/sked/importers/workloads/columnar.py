"""Workloads in columns: files of Parquet and Arrow, Arrow tables and streams,
relations of DuckDB. They are read a batch of rows at a time, and of each batch
the columns of the common CSV alone, by the names and units of that form.

Numbers may be whole, decimal or floats; times may also be timestamps or
durations; any of them may be texts as in the CSV."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ...columns import since_1970, span_of
from ...enums import Severity
from ...frames import units_of
from ..files import failed
from ..model import Job, Reader, Workload, register_reader
from .common import COLUMNS, FIDELITY, FIELDS, priority_of, tasks_of, tier_of
from .exact import (LATEST, LONGEST, MOST, SECOND, Bad, pieces,
                    seconds, thousandths)

ROWS = 1 << 16
TEXTS = ("user", "group", "queue", "partition", "workflow", "job_id")
TIMES = ("submit_s", "start_s", "end_s", "run_s", "slo_s")
AMOUNTS: dict[str, tuple[int, Callable[[str], int | None]]] = {
    "cpu": (1000, thousandths), "mem_bytes": (1, pieces),
    "gpu": (1000, thousandths)}
MAGIC = {"parquet": (b"PAR1",), "arrow": (b"ARROW1", b"\xff\xff\xff\xff")}


def arrow(file: str) -> Any:
    """pyarrow; ImportFailed where it is not there."""
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise failed(file, "needs pyarrow (pip install pyarrow)") from None


def text_of(value: Any) -> str:
    """A name: bytes and numbers as text."""
    if isinstance(value, bytes):
        return value.decode(errors="surrogateescape")
    return "" if value is None else str(value)


def time_of(value: Any) -> int | None:
    """Seconds, a date or a length of time as ns."""
    if isinstance(value, str):
        return seconds(value)
    if value is None:
        return None
    if isinstance(value, bool):
        raise Bad("is true or false, not a number")
    if isinstance(value, datetime):
        made = since_1970(value if value.tzinfo else value.replace(
            tzinfo=timezone.utc))
    elif isinstance(value, date):
        made = since_1970(datetime(value.year, value.month, value.day,
                                   tzinfo=timezone.utc))
    elif isinstance(value, timedelta):
        made = span_of(value)
    elif isinstance(value, (int, float, Decimal)):
        try:
            made = round(Fraction(value) * SECOND)
        except (ValueError, OverflowError):
            raise Bad("is no finite number") from None
    else:
        raise Bad("is not a number")
    if made < 0:
        raise Bad("is negative")
    return made


def amount_of(value: Any, scale: int,
              read: Callable[[str], int | None]) -> int | None:
    """An amount in its smallest unit, parts of it up."""
    if isinstance(value, str):
        return read(value)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise Bad("is not a number")
    try:
        made = units_of(value, scale)
    except (ValueError, OverflowError):
        raise Bad("is no finite number") from None
    whole = -(-made.numerator // made.denominator)
    if whole < 0:
        raise Bad("is negative")
    if whole > MOST:
        raise Bad("is larger than 2^62 units")
    return whole


def number_of(value: Any, read: Callable[[str], Any], missing: Any) -> Any:
    """A whole number or a text, by the rules of the CSV."""
    if value is None:
        return missing
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return read(value if isinstance(value, str) else str(value))


def job(row: Mapping[str, Any], number: int) -> Job:
    """One row. Bad says which column is wrong."""
    at = ""
    try:
        times: dict[str, int | None] = {}
        for at in TIMES:
            times[at] = time_of(row.get(at))
        for at, most in (("submit_s", LATEST), ("start_s", MOST),
                         ("end_s", MOST), ("run_s", LONGEST), ("slo_s", MOST)):
            if (times[at] or 0) > most:
                raise Bad(f"is more than {most // SECOND} seconds")
        held = {}
        for at, (scale, read) in AMOUNTS.items():
            held[at] = amount_of(row.get(at), scale, read)
        at = "tasks"
        tasks = number_of(row.get(at), tasks_of, 1)
        at = "priority"
        rank = number_of(row.get(at), priority_of, None)
        at = "tier"
        tier = number_of(row.get(at), tier_of, "")
    except Bad as bad:
        raise Bad(bad.reason, at) from None
    start, end, run = times["start_s"], times["end_s"], times["run_s"]
    if start is not None and end is not None:
        if end < start:
            raise Bad("is before start_s", "end_s")
        run = end - start if run is None else run
        if run > LONGEST:
            raise Bad("a run of more than 2^60 ns (36 years)")
    submit = start if times["submit_s"] is None else times["submit_s"]
    said = {name: text_of(row.get(name)) for name in TEXTS}
    return Job(said["job_id"] or str(number), submit, start, end, run, tasks,
               held["cpu"], held["mem_bytes"], held["gpu"], said["user"],
               said["group"], said["queue"], rank, said["partition"], tier,
               number, times["slo_s"], said["workflow"])


def known(work: Workload, names: list[str]) -> list[str]:
    """The columns that are read; others are named once."""
    for name in names:
        if name not in COLUMNS:
            work.findings.add(0, "a column that is not read", name[:80],
                              Severity.WARNING)
        elif names.count(name) > 1:
            raise failed(work.file, f"column {name} stands twice")
    kept = [name for name in names if name in COLUMNS]
    if "submit_s" not in kept and "start_s" not in kept:
        raise failed(work.file, "no column submit_s or start_s")
    work.fidelity.update({FIELDS.get(name, name): FIDELITY[
        FIELDS.get(name, name)] for name in kept})
    return kept


class Columns(Workload):
    """A workload of batches. `batches` begins anew each time it is called."""

    def __init__(self, form: str, file: str,
                 batches: Callable[[Workload], Iterator[Any]]) -> None:
        super().__init__(form, file, rows, {})
        self.batches = batches


def listed(work: Workload, batch: Any) -> list[dict[str, Any]]:
    """The rows of a batch; ImportFailed where a value is none of Python's."""
    try:
        made: list[dict[str, Any]] = batch.to_pylist()
    except (arrow(work.file).ArrowException, ValueError, ArithmeticError,
            SystemError) as error:
        raise failed(work.file, f"behind row {work.records}: "
                     f"{str(error)[:160]}") from None
    return made


def rows(work: Workload) -> Iterator[Job]:
    """The rows of all batches, by number from 1."""
    assert isinstance(work, Columns)
    for batch in work.batches(work):
        for row in listed(work, batch):
            work.records += 1
            try:
                yield job(row, work.records)
            except Bad as bad:
                work.findings.add(work.records, bad.reason, bad.where)
                work.skip("a fault in the record")


def safely(file: str, made: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Batches; what Arrow cannot read is an ImportFailed."""
    errors = arrow(file).ArrowException
    try:
        yield from made()
    except (errors, ValueError, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise failed(file, str(error).split("\n")[0][:200]) from None


def parquet_batches(work: Workload) -> Iterator[Any]:
    """Those of a file of Parquet, the columns that are read alone."""
    arrow(work.file)
    parquet = importlib.import_module("pyarrow.parquet")

    def made() -> Iterator[Any]:
        with parquet.ParquetFile(work.file) as file:
            kept = known(work, list(file.schema_arrow.names))
            yield from file.iter_batches(ROWS, columns=kept)
    return safely(work.file, made)


def arrow_batches(work: Workload) -> Iterator[Any]:
    """Those of a file or a stream of Arrow."""
    ipc = importlib.import_module("pyarrow.ipc") if arrow(work.file) else None

    def made() -> Iterator[Any]:
        assert ipc is not None
        with arrow(work.file).memory_map(work.file) as source:
            if source.read(6) == b"ARROW1":
                reader = ipc.open_file(source)
                found = map(reader.get_batch,
                            range(reader.num_record_batches))
            else:
                source.seek(0)
                reader = ipc.open_stream(source)
                found = iter(reader)
            kept = known(work, list(reader.schema.names))
            for batch in found:
                taken = batch.select(kept)
                taken.validate(full=True)  # offsets of a file may be anything
                yield taken
    return safely(work.file, made)


def relation_batches(source: Any) -> Callable[[Workload], Iterator[Any]]:
    """Those of an Arrow table or of anything that gives a stream of Arrow: a
    relation of DuckDB, a frame of polars or pandas."""
    def begin(work: Workload) -> Iterator[Any]:
        module = arrow(work.file)

        def made() -> Iterator[Any]:
            reader = module.RecordBatchReader.from_stream(source)
            kept = known(work, list(reader.schema.names))
            for batch in reader:
                for at in range(0, batch.num_rows, ROWS):
                    yield batch.slice(at, ROWS).select(kept)
        return safely(work.file, made)
    return begin


def from_columns(source: Any, name: str = "columns") -> Workload:
    """A workload of a relation of DuckDB, an Arrow table, a frame of polars or
    pandas: whatever gives a stream of Arrow. Columns have the names and units
    of the common CSV. Rows come by batches, when they are asked for; `name`
    stands in findings. TypeError for what gives no such stream, or gives it
    once (RecordBatchReader): a workload is read anew by each iteration."""
    if not hasattr(source, "__arrow_c_stream__"):
        raise TypeError(f"a {type(source).__name__} gives no stream of Arrow")
    if type(source).__name__ == "RecordBatchReader":
        raise TypeError("a RecordBatchReader can be read once: give a table or "
                        "a relation")
    return Columns("columns", name, relation_batches(source))


def sniff(form: str) -> Callable[[str, bytes], bool]:
    """By the first bytes."""
    return lambda name, head: head.startswith(MAGIC[form])


def reader(form: str, what: str,
           batches: Callable[[Workload], Iterator[Any]]) -> Reader:
    """The reader of a form of files."""
    def read(path: str) -> Workload:
        if path == "-":
            raise failed(path, f"{form} is read from a file alone")
        return Columns(form, path, batches)
    return register_reader(Reader(form, what, sniff(form), read))


READERS = (
    reader("parquet", "Parquet with the columns of the common CSV",
           parquet_batches),
    reader("arrow", "Arrow (IPC, a file or a stream) with the columns of the "
           "common CSV", arrow_batches))

__all__ = ["Columns", "from_columns"]
