"""Rumen's traces of Hadoop: jobs one after another, each with the attempts of
its tasks. Every attempt is a row: it had a slot, on a host, from a time to a
time. Its group is its job. Setup and cleanup are left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model import Job, Reader, Workload, register_reader
from .documents import Document, Finder, documents
from .records import Names, instant, labels, listed, mebibytes, span, text
from ..files import Source

JOB = Names("""priority jobID user jobName submitTime launchTime finishTime
    queue heapMegabytes totalMaps totalReduces outcome jobtype mapTasks
    reduceTasks otherTasks directDependantJobs jobProperties jobMapMB
    jobReduceMB clusterMapMB clusterReduceMB relativeTime
    computonsPerMapInputByte computonsPerMapOutputByte
    computonsPerReduceInputByte computonsPerReduceOutputByte
    successfulMapAttemptCDFs failedMapAttemptCDFs successfulReduceAttemptCDF
    failedReduceAttemptCDF mapperTriesToSucceed failedMapperFraction""")
MEMORY = {"mapTasks": "jobMapMB", "reduceTasks": "jobReduceMB"}
PRIORITY = {"VERY_HIGH": 2, "HIGH": 1, "NORMAL": 0, "LOW": -1, "VERY_LOW": -2}


def attempt_of(work: Workload, lines: Finder, attempt: dict[str, Any],
               job: Job) -> Job:
    """One attempt as a row."""
    name = text(attempt, "attemptID")
    line = lines.at(f'"{name}"')
    start = instant(attempt, "startTime")
    end, run = span(work, line, name, start, instant(attempt, "finishTime"))
    return job._replace(id=name, start=start, end=end, run=run, line=line)


def attempts(work: Workload, document: Document) -> Iterator[Job]:
    """The rows of a job."""
    said = document.value
    JOB.check(work, document.line, said)
    submit = instant(said, "submitTime")
    job = Job("", submit, cpu=1000, user=text(said, "user"),
              group=text(said, "jobID"), queue=text(said, "queue"),
              priority=PRIORITY.get(text(said, "priority")))
    if submit is None:
        work.findings.add(document.line, "a job without a submission",
                          job.group[:80])
    lines = Finder(document)
    for kind, field in MEMORY.items():
        job = job._replace(memory=mebibytes(said, field, "heapMegabytes"))
        for task in listed(said, kind):
            for attempt in listed(task, "attempts"):
                work.records += 1
                yield attempt_of(work, lines, attempt, job)
    for task in listed(said, "otherTasks"):
        for _ in listed(task, "attempts"):
            work.records += 1
            work.skip("setup or cleanup of a job")


def rows(work: Workload) -> Iterator[Job]:
    """The attempts of a file."""
    JOB.named.clear()
    for document in documents(Source(work.file, work.findings)):
        if "jobID" in document.value:
            yield from attempts(work, document)
        else:
            work.skip("not a job")


def read(path: str) -> Workload:
    """Reads a trace of Rumen."""
    return Workload("rumen", path, rows, labels(
        "id submit start end user group queue priority tasks", "run memory",
        "cpu"))


def sniff(name: str, head: bytes) -> bool:
    """An object with the words of a job."""
    return head.lstrip()[:1] == b"{" and b'"jobID"' in head and \
        (b'"mapTasks"' in head or b'"submitTime"' in head)


READER = register_reader(Reader(
    "rumen", "job traces of Hadoop's Rumen, one row an attempt", sniff, read))
