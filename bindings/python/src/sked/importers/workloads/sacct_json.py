"""`sacct --json`: Slurm's accounting as one object with an array of jobs, of
which one is in memory at a time. Times are seconds since 1970."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..seam import Job, Reader, Workload, register_reader
from .documents import members
from .exact import LATEST, SECOND, Bad, count
from .records import MIB, inner, listed, span, text
from .sacct import FIDELITY, Asked, priority_of, queue_of, shared
from .source import Source


def json_number(value: Any) -> int | None:
    """A number, plain or as {"set": true, "number": 5}."""
    if isinstance(value, dict):
        if value.get("set") is False or value.get("infinite") is True:
            return None
        value = value.get("number")
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    try:
        return count(str(value), 0)
    except (Bad, ValueError):
        return None


def time(said: Mapping[str, Any], name: str) -> int | None:
    """A time in ns; 0 is not known."""
    value = json_number(said.get(name))
    return value * SECOND if value and value * SECOND <= LATEST else None


def asked(said: Mapping[str, Any]) -> Asked:
    """A list of what is counted; GPUs of several types are added up when no
    sum is said."""
    found: dict[str, int] = {}
    for one in listed(said, "allocated") or listed(said, "requested"):
        amount = json_number(one.get("count"))
        kind = text(one, "type")
        if kind == "gres":
            kind = text(one, "name")
        if amount is not None and amount < 1 << 50:
            found.setdefault(kind, amount)
    typed = [n for kind, n in found.items() if kind.startswith("gpu:")]
    gpus = found.get("gpu", sum(typed) if typed else None)
    memory = found.get("mem")
    return Asked(found.get("cpu"), None if memory is None else memory * MIB,
                 None if gpus is None else gpus * 1000)


def name_of(said: Mapping[str, Any]) -> str:
    """Its number; 123_4 for one of an array."""
    array = inner(said, "array")
    job, task = json_number(array.get("job_id")), \
        json_number(array.get("task_id"))
    if job and task is not None:
        return f"{job}_{task}"
    return text(said, "job_id")


def job_of(work: Workload, line: int, said: dict[str, Any]) -> Job:
    """One object as a job."""
    name, times = name_of(said), inner(said, "time")
    start = time(times, "start")
    end, run = span(work, line, name, start, time(times, "end"))
    partition = text(said, "partition")
    owner = inner(said, "association")
    job = Job(name, time(times, "submission"), start, end, run,
              user=text(said, "user") or text(owner, "user"),
              group=text(said, "account") or text(owner, "account"),
              queue=queue_of(partition, text(said, "qos")),
              priority=priority_of(str(json_number(said.get("priority")))),
              partition=partition, line=line)
    if start is None:
        elapsed = json_number(times.get("elapsed"))
        job = job._replace(run=elapsed * SECOND if elapsed and
                           elapsed < 1 << 30 else None)
    wanted = asked(inner(said, "tres"))
    required = json_number(inner(said, "required").get("CPUs"))
    return shared(job, wanted._replace(cpus=wanted.cpus or required))


def rows(work: Workload) -> Iterator[Job]:
    """The jobs of an answer."""
    for document in members(Source(work.file, work.findings), ("jobs",)):
        work.records += 1
        yield job_of(work, document.line, document.value)


def read(path: str) -> Workload:
    """Reads `sacct --json`."""
    return Workload("sacct-json", path, rows, FIDELITY)


def sniff(name: str, head: bytes) -> bool:
    """An object with jobs that have associations or times."""
    return head.lstrip()[:1] == b"{" and re.search(
        rb'"jobs"\s*:\s*\[', head) is not None and (
            b'"association"' in head or b'"submission"' in head)


READER = register_reader(Reader(
    "sacct-json", "Slurm's accounting: sacct --json", sniff, read))
