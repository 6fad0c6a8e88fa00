"""How jobs ended, by the line of the file that says so: the status of SWF, the
State of `sacct -P`, the column `outcome` or `state` of a common CSV.

The readers of workloads need no outcome to replay a job. This file reads the
one field again, so that delivered hours can be told by outcome."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator
from typing import Any

from ..importers import Findings
from ..importers.files import Source
from ..importers.workloads.slurm import XDMOD, separator

#: Outcomes by number; 0: the file does not say.
NAMES = ("not said", "completed", "failed", "cancelled", "timed out",
         "preempted")
COMPLETED, FAILED, CANCELLED, TIMED_OUT, PREEMPTED = 1, 2, 3, 4, 5
#: The status of a job in SWF 2.2; 2 to 4 are parts of a job.
SWF = {"0": FAILED, "1": COMPLETED, "5": CANCELLED}
#: States of Slurm, and words of a common CSV, in capitals.
STATES = {"COMPLETED": COMPLETED, "COMPLETE": COMPLETED, "SUCCESS": COMPLETED,
          "SUCCEEDED": COMPLETED, "FINISHED": COMPLETED, "PASS": COMPLETED,
          "FAILED": FAILED, "FAIL": FAILED, "NODE_FAIL": FAILED,
          "BOOT_FAIL": FAILED, "OUT_OF_MEMORY": FAILED, "ERROR": FAILED,
          "CANCELLED": CANCELLED, "CANCELED": CANCELLED, "KILLED": CANCELLED,
          "REVOKED": CANCELLED, "TIMEOUT": TIMED_OUT, "DEADLINE": TIMED_OUT,
          "TIMED OUT": TIMED_OUT, "PREEMPTED": PREEMPTED}
#: Columns of a common CSV that say it, the first that is there.
COLUMNS = ("outcome", "state")


def code_of(text: str) -> int:
    """An outcome by its word.

    >>> code_of("CANCELLED by 1001"), code_of("completed"), code_of("odd")
    (3, 1, 0)
    """
    said = text.strip().upper()
    return STATES.get(said) or STATES.get(said.split(" ")[0].rstrip("+"), 0)


def column_of(header: str) -> str:
    """The column of a common CSV that says how jobs ended; "": none.

    >>> column_of("submit_s,run_s,state"), column_of("submit_s,run_s")
    ('state', '')
    """
    names = next(csv.reader([header]), [])
    return next((name for name in COLUMNS if name in names), "")


def outcomes(path: str, form: str, first: str) -> dict[int, int]:
    """Outcomes by line, of a file whose first line is `first`. Empty if the
    file does not say any."""
    if path == "-" or os.path.isdir(path):
        return {}
    if form == "swf":
        rows = of_swf
    elif form == "sacct":
        rows = of_sacct
    elif form == "csv" and column_of(first):
        rows = of_csv
    else:
        return {}
    lines = Source(path, Findings(path)).plain()
    return {line: code for line, code in rows(lines) if code}


Lines = Iterable[tuple[int, str]]


def of_swf(lines: Lines) -> Iterator[tuple[int, int]]:
    """The eleventh field."""
    for line, text in lines:
        words = text.split()
        if len(words) >= 11 and not words[0].startswith(";"):
            yield line, SWF.get(words[10], 0)


def of_sacct(lines: Lines) -> Iterator[tuple[int, int]]:
    """The column State; without a header that of XDMoD's columns."""
    between, at = "|", -1
    for line, text in lines:
        if not text:
            continue
        if at < 0:
            between = separator(text)
        words = text.split(between)
        if at < 0:
            names = [word.strip().lower() for word in words]
            is_header = "jobid" in names or "jobidraw" in names
            known = names if is_header else XDMOD.lower().split("|")
            if "state" not in known:
                return
            at = known.index("state")
            if is_header:
                continue
        if at < len(words):
            yield line, code_of(words[at])


def of_csv(lines: Lines) -> Iterator[tuple[int, int]]:
    """The named column; a row counts with the line where it begins."""
    rows = csv.reader(text + "\n" for _, text in lines)
    at, line = -1, 1
    for row in rows:
        if at < 0 and row:
            at = next(row.index(name) for name in COLUMNS if name in row)
        elif row and at < len(row):
            yield line, code_of(row[at])
        line = rows.line_num + 1


def column(found: dict[int, int], lines: Any) -> Any:
    """The outcome of each job, by its line."""
    import numpy
    return numpy.array([found.get(line, 0) for line in lines], "int8")
