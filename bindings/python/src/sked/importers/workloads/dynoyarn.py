"""Workloads of DynoYARN: an application an object, usually one a line.

Its containers are asked for spec by spec, each when the one before is through.
Rows are containers that are alike: of one spec and with one run time. Their
group is the application."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...enums import Severity
from ..model import Job, Reader, Workload, register_reader
from .documents import Document, documents
from .exact import LATEST, LONGEST, scaled
from .records import Names, inner, labels, listed, mebibytes, number, text
from ..files import Source

MILLISECOND = 6  # as a count of ns: 10^-6
APP = Names("""appId appType queue user submitTime nodeLabel applicationTags
    amResourceRequest resourceRequestSpecs""")
SPEC = Names("""runtimes averageRuntime numInstances resource priority delay
    utilizations""")


def with_resource(job: Job, said: dict[str, Any]) -> Job:
    """A row of one container's size, in whatever words."""
    return job._replace(
        cpu=number(said, "vcores", "virtualCores", scale=3, up=True),
        memory=mebibytes(said, "memoryMB", "memory", "memorySize"),
        gpu=number(said, "gpus", "yarn.io/gpu", scale=3, up=True))


def milliseconds(value: object, most: int) -> int | None:
    """A number of ms as ns; None where it is none, or too large."""
    made = scaled(value, MILLISECOND)
    return made if made is None or made <= most else None


def lengths(work: Workload, line: int, spec: dict[str, Any]) -> Counter[int]:
    """Run times of a spec's containers, with how many have each."""
    count = number(spec, "numInstances")
    average = milliseconds(spec.get("averageRuntime"), LONGEST)
    if average:
        return Counter({average: 1 if count is None else count})
    said = spec.get("runtimes")
    found = [milliseconds(one, LONGEST) for one in said] \
        if isinstance(said, list) else []
    good = [one for one in found if one is not None]
    if len(good) < len(found):
        work.findings.add(line, "a run time that is no number", "runtimes")
    elif count is not None and count != len(good):
        work.findings.add(line, "not as many run times as instances",
                          "numInstances", Severity.WARNING)
    return Counter(good)


def application(work: Workload, document: Document) -> Iterator[Job]:
    """The rows of an application, its master last: that runs as long as all
    the others one after another."""
    said, line = document.value, document.line
    APP.check(work, line, said)
    name = text(said, "appId") or f"line-{line}"
    at = submit = milliseconds(said.get("submitTime"), LATEST)
    if submit is None:
        work.findings.add(line, "has no time of submission", name[:80])
    job = Job(name, submit, user=text(said, "user"), group=name,
              queue=text(said, "queue"), line=line)
    for i, spec in enumerate(listed(said, "resourceRequestSpecs"), 1):
        SPEC.check(work, line, spec)
        runs = lengths(work, line, spec)
        base = with_resource(job._replace(submit=at), inner(spec, "resource"))
        for k, (run, tasks) in enumerate(sorted(runs.items()), 1):
            yield base._replace(id=f"{name}.{i}.{k}", run=run, tasks=tasks)
        if at is not None and runs:
            at += max(runs)
    if at is not None and submit is not None and at > submit:
        yield with_resource(job._replace(id=f"{name}.am", run=at - submit),
                            inner(said, "amResourceRequest"))


def rows(work: Workload) -> Iterator[Job]:
    """The containers of a file."""
    APP.named.clear()
    SPEC.named.clear()
    for document in documents(Source(work.file, work.findings)):
        work.records += 1
        if "resourceRequestSpecs" in document.value:
            yield from application(work, document)
        else:
            work.findings.add(document.line, "is no application",
                              "resourceRequestSpecs")
            work.skip("a fault in the record")


def read(path: str) -> Workload:
    """Reads a workload of DynoYARN."""
    return Workload("dynoyarn", path, rows, labels(
        "run tasks cpu memory gpu user group queue", "id submit"))


def sniff(name: str, head: bytes) -> bool:
    """The words of an application."""
    return b'"resourceRequestSpecs"' in head


READER = register_reader(Reader("dynoyarn", "workloads of DynoYARN", sniff,
                                read))
