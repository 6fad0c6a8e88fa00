"""The part of a long history that is replayed. A replay of millions of jobs, for
each change, size and multiplier, takes hours and gigabytes. The stretch of jobs
in which most are late has the trouble that changes must mend; its jobs come as
they came, so that the load is the recorded one. The cluster is empty when the
stretch begins."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..sim import Jobs
from .given import Given
from .numbers import column

#: A history of no more jobs is replayed as a whole; of a longer one so many
#: jobs in a row are.
WHOLE, PART = 500_000, 200_000


def jobs_of(jobs: Jobs, begin: int, end: int) -> Jobs:
    """Rows of jobs, with the same draws."""
    kinds = len(jobs.amounts) // len(jobs)
    made = replace(jobs, submit=jobs.submit[begin:end],
                   run=jobs.run[begin:end], queue=jobs.queue[begin:end],
                   amounts=jobs.amounts[begin * kinds:end * kinds])
    for name in ("tasks", "user", "priority", "partition", "stream"):
        whole = getattr(jobs, name)
        setattr(made, name, None if whole is None else whole[begin:end])
    return made


def busiest(late: Any, count: int) -> int:
    """Where the `count` rows begin that have most late jobs; the first such.

    >>> busiest([0, 1, 0, 1, 1, 0], 3)
    1
    """
    import numpy
    sums = numpy.concatenate([[0], numpy.cumsum(column(late))])
    return int(numpy.argmax(sums[count:] - sums[:-count]))


def part_of(given: Given, late: Any) -> Given:
    """The part of a history that is replayed, or all of it. `late`: which of
    its jobs are."""
    jobs, notes = given.jobs, given.notes
    assert jobs is not None and notes is not None
    if len(jobs) <= WHOLE:
        return given
    at = busiest(late, PART)
    rows = slice(at, at + PART)
    return replace(given, jobs=jobs_of(jobs, at, at + PART),
                   notes=notes.part(rows))
