"""Time units: what each key used and for how long, from a workload's rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..model import Job, Workload
from .exact import Bad
from ..files import failed

KINDS = ("cpu", "memory", "gpu")
KEYS = frozenset(("queue", "group", "user", "partition", "tier", "id"))


class Unit(NamedTuple):
    """A key held `amount` (thousandths of a core or GPU, or bytes) for
    `length` ns; its units follow each other in time. An amount of 0: nothing
    was held."""

    key: str
    length: int
    amount: int


def key_of(job: Job, by: list[str]) -> str:
    """The fields of a job, joined as the programs join columns."""
    return "|".join([getattr(job, name) for name in by])


def amount_of(job: Job, kind: str | None) -> tuple[str, int]:
    """What all its tasks hold, and of which kind; one core each where nothing
    is said."""
    said = {"cpu": job.cpu, "memory": job.memory, "gpu": job.gpu}
    if all(amount is None for amount in said.values()):
        said["cpu"] = 1000
    if kind is None:
        kind = next((k for k in KINDS if said[k]), "cpu")
    return kind, (said[kind] or 0) * job.tasks


class Steps:
    """What each key holds, as what changes and when."""

    def __init__(self, work: Workload, by: list[str],
                 kind: str | None) -> None:
        self.work = work
        self.by = by
        self.kind = kind
        self.keys: dict[str, dict[int, int]] = {}

    def add(self, job: Job) -> None:
        """A row with start and end; others are counted and left out."""
        if job.start is None or job.end is None:
            self.work.skip("no start or no end")
            return
        if job.end < job.start:
            self.work.skip("an end before the start")
            return
        kind, amount = amount_of(job, self.kind)
        if self.kind is None and amount:
            self.kind = kind
        steps = self.keys.setdefault(key_of(job, self.by), {})
        if amount and job.end > job.start:
            steps[job.start] = steps.get(job.start, 0) + amount
            steps[job.end] = steps.get(job.end, 0) - amount

    def units(self) -> Iterator[Unit]:
        """Key by key; what changes nothing is not told apart."""
        for key, steps in self.keys.items():
            held, since = 0, None
            for time in sorted(steps):
                if not steps[time]:
                    continue
                if since is not None:
                    yield Unit(key, time - since, held)
                held, since = held + steps[time], time


def units(workload: Workload, by: str = "queue", *,
          kind: str | None = None) -> Iterator[Unit]:
    """The time units of a workload's rows with start and end, key by key in
    the order in which keys appear, from a key's first start to its last end.

    `by`: a field, or some joined by '|'. `kind`: cpu, memory or gpu; without
    one the first that occurs. Rows are read once, a row at a time; what is
    kept are the instants at which a key's usage changes. Rows without start or
    end are counted in `workload.skipped`."""
    fields = by.split("|")
    if not KEYS.issuperset(fields) or kind not in (None, *KINDS):
        raise ValueError(f"by is some of {', '.join(sorted(KEYS))} joined by "
                         f"|, kind one of {', '.join(KINDS)}")
    steps = Steps(workload, fields, kind)
    line = 0
    try:
        for job in workload:
            line = job.line
            steps.add(job)
    except Bad as bad:
        raise failed(workload.file, bad.reason, line) from None
    return steps.units()
