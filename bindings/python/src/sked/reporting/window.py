"""The time that a file covers. Accounting exports by the end of a job hold
every job that ended from some instant on. They hold only the long jobs of the
time before, because the short ones had ended. Use, objectives and needs of that
time describe the export, not the cluster.

The test compares the starts before the first end with the run times of the
file. If each of these jobs ran as long as any job of the file, the chance that
none of them ended earlier is the product of the parts of jobs that run longer.
Jobs of one user are alike, so a user counts once, with the likeliest job."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .given import Given, Mode
from .numbers import column, groups

#: A chance below this (natural logarithm): 1 in 100,000.
UNLIKELY = math.log(1e-5)
#: Time before the first end that is less than this part of all is let be.
SHORT = 0.01


@dataclass(frozen=True)
class Window:
    """The time in which use is measured (ns). `cut`: the file holds only part
    of the jobs from before `begin`; `before` of them started there."""

    begin: int
    end: int
    cut: bool = False
    before: int = 0


def window_of(given: Given) -> Window | None:
    """The time that is measured: from the first start, or the first end of an
    export by ends, to the last submission. Without submissions, or where all
    come before the first start, to the last end. None without records."""
    notes, jobs = given.notes, given.jobs
    if notes is None or jobs is None or not notes.recorded:
        return None
    start, end = notes.start, notes.end
    begin, last = int(start.min()), int(end.max())
    first = int(end.min())
    before = start < first
    cut = first - begin > SHORT * (last - begin) and \
        chance(start, end, first, column(jobs.user)) < UNLIKELY
    if cut:
        begin = first
    stop = int(column(jobs.submit)[-1]) if given.mode is Mode.JOBS and \
        notes.submitted else last
    return Window(begin, stop if stop > begin else max(last, begin + 1), cut,
                  int(before.sum()) if cut else 0)


def chance(start: Any, end: Any, first: int, user: Any) -> float:
    """The logarithm of the chance that no job that started before the first
    end ended before it. A user counts once."""
    import numpy
    before = start < first
    if not before.any():
        return 0.0
    runs = numpy.sort(end - start)
    least = first - start[before]
    longer = len(runs) - numpy.searchsorted(runs, least, side="left")
    said = numpy.log(numpy.maximum(longer, 1) / len(runs))
    order, at, _ = groups(user[before])
    return float(numpy.maximum.reduceat(said[order], at).sum())
