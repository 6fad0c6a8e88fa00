"""Workloads of other schedulers as jobs, a row at a time.

Each form is one module, which registers its reader; what all share are
`..files` (unpacked blocks of whole lines), `exact` (numbers and times) and
`documents` (JSON, an object at a time)."""

from __future__ import annotations

import os

from ..model import READERS, Reader, Workload
from . import (batsim, columnar, common, condor, dynoyarn, lsf, pbs, prometheus, rumen,
               slurm, sls, spark, swf, yarn)
from .columnar import from_columns
from .common import write_csv
from .jobs import to_jobs
from ..files import failed, head_of
from .units import Unit, units

#: The forms of this package in the order in which files are tried on them.
FORMS: tuple[Reader, ...] = (
    *columnar.READERS,
    slurm.EVENTS_READER, spark.READER, dynoyarn.READER, sls.READER, *yarn.READERS,
    prometheus.READER, slurm.JSON_READER, rumen.READER, pbs.READER,
    lsf.READER, *condor.READERS, slurm.READER, batsim.READER, common.READER,
    swf.READER)

__all__ = ["FORMS", "Unit", "from_columns",
           "read_workload", "to_jobs", "units", "write_csv"]


def unknown() -> str:
    """What is said of a file of no form: which there are."""
    return ("is no workload of a form that is known: "
            + ", ".join(sorted(reader.name for reader in FORMS)))


def told(path: str) -> Reader:
    """The form that a file looks like: ours first, then any registered."""
    if os.path.isdir(path):
        return spark.READER
    name, head = os.path.basename(path), head_of(path)
    others = [r for r in READERS.values() if r not in FORMS]
    for reader in (*FORMS, *others):
        if reader.sniff(name, head):
            return reader
    raise failed(path, unknown())


def read_workload(path: str | os.PathLike[str],
                  form: str | None = None) -> Workload:
    """A workload of any form that is known, told by its first bytes, or of
    the one that `form` names (see `READERS`). Iterate over it for its jobs.

    ImportFailed when the file is of no such form, ValueError when there is no
    form of that name, OSError when it cannot be opened."""
    place = os.fspath(path)
    if form is not None and form not in READERS:
        raise ValueError(f"no form {form!r}: {', '.join(sorted(READERS))}")
    reader = READERS[form] if form is not None else told(place)
    if place != "-" and not os.path.isdir(place):
        with open(place, "rb"):
            pass
    found = reader.read(place)
    if not isinstance(found, Workload):
        raise failed(place, unknown() if form is None else
                     "is read as a configuration in this form")
    return found
