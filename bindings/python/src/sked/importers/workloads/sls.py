"""Workloads of YARN's scheduler load simulator, SLS: objects one after another,
perhaps with comments, numbers perhaps as texts.

Rows are containers that are alike, as the file has them. Their group is the
application. Priorities of containers order them inside of it only, so they are
not the job's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model import Job, Reader, Workload, register_reader
from .documents import Document, documents
from .exact import LATEST, LONGEST, scaled
from .records import Names, labels, listed, mebibytes, number, span, text
from ..files import Source

MOST_COPIES = 10**6
MILLISECOND = 6  # as a count of ns: 10^-6
JOB = Names("""am.type job.start.ms job.end.ms job.queue.name job.id job.user
    job.count job.tasks job.label job.label-expression job.label.expression
    am.container am.memory am.memory-mb am.vcores reservation""")
TASK = Names("""container.host container.start.ms container.end.ms duration.ms
    container.duration.ms container.priority container.type count
    container.memory container.memory-mb container.vcores
    container.yarn.io/gpu container.delay.ms container.request.delay
    container.execution.type container.allocation.id container.request.id""")


def after(record: dict[str, Any], *names: str) -> int | None:
    """Milliseconds since the simulation began, as ns: those of the first name
    that says some; None: not said."""
    for name in names:
        value = scaled(record.get(name), MILLISECOND)
        if value is not None and value <= LATEST:
            return value
    return None


def containers(work: Workload, line: int, task: dict[str, Any],
             job: Job) -> Job | None:
    """Containers of an application."""
    start = after(task, "container.start.ms")
    end, run = span(work, line, job.id, start, after(task, "container.end.ms"))
    said = after(task, "container.duration.ms", "duration.ms")
    count = number(task, "count")
    submit = job.submit
    if submit is not None:
        submit += after(task, "container.request.delay",
                        "container.delay.ms") or 0
    run = run if said is None else said
    if run is not None and run > LONGEST:
        run = None
    return job._replace(
        submit=submit, start=start, end=end, run=run,
        tasks=1 if count is None else count,
        cpu=number(task, "container.vcores", scale=3, up=True) or 1000,
        memory=mebibytes(task, "container.memory-mb", "container.memory")
        or 1 << 30,
        gpu=number(task, "container.yarn.io/gpu", scale=3, up=True))


def application(work: Workload, document: Document) -> Iterator[Job]:
    """The rows of an application, as many times as it says."""
    said = document.value
    JOB.check(work, document.line, said)
    name = text(said, "job.id") or f"job_{work.records}"
    job = Job(name, after(said, "job.start.ms") or 0,
              user=text(said, "job.user"), group=name,
              queue=text(said, "job.queue.name"), line=document.line)
    tasks = listed(said, "job.tasks")
    if not tasks:
        work.findings.add(document.line, "an application without tasks", name)
        work.skip("no tasks")
    copies = number(said, "job.count") or 1
    if copies > MOST_COPIES:
        work.findings.add(document.line, "more than a million copies", name)
    for copy in range(1, min(copies, MOST_COPIES) + 1):
        again = f"#{copy}" if copy > 1 else ""
        for i, task in enumerate(tasks, 1):
            TASK.check(work, document.line, task)
            row = containers(work, document.line, task,
                           job._replace(id=f"{name}{again}.{i}"))
            if row is not None:
                yield row._replace(group=name + again)


def rows(work: Workload) -> Iterator[Job]:
    """The containers of a file."""
    JOB.named.clear()
    TASK.named.clear()
    for document in documents(Source(work.file, work.findings)):
        work.records += 1
        if "num.nodes" in document.value and not listed(
                document.value, "job.tasks"):
            work.skip("a number of nodes")
            continue
        yield from application(work, document)


def read(path: str) -> Workload:
    """Reads a workload of SLS. What a container lacks is one core, 1 GiB."""
    return Workload("sls", path, rows, labels(
        "start end tasks user group queue", "id run",
        "submit cpu memory"))


def sniff(name: str, head: bytes) -> bool:
    """The words of an application."""
    return b'"job.tasks"' in head or b'"am.type"' in head and \
        b'"job.' in head


READER = register_reader(Reader("sls", "workloads of YARN's SLS", sniff,
                                read))
