"""The common CSV from any workload, as the programs read it back."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO

from ..seam import Job
from .common import COLUMNS
from .exact import Memo, decimal

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
            f"{number(job.priority, 0)},{number(run, 9)},{texts[job.tier]}\n")


@contextmanager
def beside(path: str) -> Iterator[IO[bytes]]:
    """A file that appears whole or not at all; "-" is standard output, and a
    device or a pipe is written as it is."""
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    folder = os.path.dirname(path) or "."
    try:
        number_, other = tempfile.mkstemp(dir=folder, prefix=".sked-")
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    try:
        with open(number_, "wb") as file:
            yield file
        os.chmod(other, 0o666 & ~_umask())
        os.replace(other, path)
    except BaseException:
        os.unlink(other)
        raise


def _umask() -> int:
    now = os.umask(0)
    os.umask(now)
    return now


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
