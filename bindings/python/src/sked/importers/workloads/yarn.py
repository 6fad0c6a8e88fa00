"""What YARN's resource manager says of applications: by REST
(/ws/v1/cluster/apps) and in its log (ApplicationSummary).

Both give sums over an application's life, not what it held when: a row is a
rectangle, the mean from start to end. Whatever counts on usage over time must
know that; the fidelity says so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...enums import Severity
from ..model import Job, Reader, Workload, register_reader
from .documents import members
from .exact import SECOND, scaled
from .records import MIB, Names, inner, instant, labels, listed, part, span, \
    text
from ..files import Source, failed

APP = Names("""id user name queue state finalStatus progress trackingUI
    trackingUrl diagnostics clusterId applicationType applicationTags priority
    startedTime launchTime finishedTime elapsedTime amContainerLogs
    amHostHttpAddress amRPCAddress masterNodeId allocatedMB allocatedVCores
    reservedMB reservedVCores runningContainers memorySeconds vcoreSeconds
    queueUsagePercentage clusterUsagePercentage resourceSecondsMap
    preemptedResourceMB preemptedResourceVCores numNonAMContainerPreempted
    numAMContainerPreempted preemptedMemorySeconds preemptedVcoreSeconds
    preemptedResourceSecondsMap logAggregationStatus unmanagedApplication
    amNodeLabelExpression appNodeLabelExpression timeouts resourceRequests
    resourceInfo rmClusterId schedulerType""")
SUMMARY = "ApplicationSummary: "
UNESCAPED = re.compile(r"(?<!\\),")
RESOURCE = re.compile(r"([0-9]+) ([A-Za-z0-9_./-]+?)-seconds")


def mapped(said: Mapping[str, Any]) -> dict[str, int]:
    """A map of resources as versions have it: {"entry": [{"key", "value"}]}
    or plainly by name."""
    pairs = [(text(one, "key"), one.get("value"))
             for one in listed(said, "entry")] or list(said.items())
    found = {name: scaled(value, 0) for name, value in pairs}
    return {name: value for name, value in found.items() if value is not None}


def mean(total: int | None, unit: int, run: int) -> int | None:
    """What was held on the mean, up, of a sum over seconds."""
    return None if total is None else part(total * unit * SECOND, run)


def row(work: Workload, line: int, job: Job,
        sums: Mapping[str, int | None]) -> Job:
    """An application as a rectangle; no amounts while it runs."""
    end, run = span(work, line, job.id, job.start, job.end)
    made = job._replace(end=end, run=run, line=line)
    if not run:
        return made
    return made._replace(cpu=mean(sums["cpu"], 1000, run),
                         memory=mean(sums["memory"], MIB, run),
                         gpu=mean(sums["gpu"], 1000, run))


def application(work: Workload, line: int, said: dict[str, Any]) -> Job:
    """One object of the REST interface."""
    APP.check(work, line, said)
    sums = mapped(inner(said, "resourceSecondsMap"))
    submit = instant(said, "startedTime")
    start = instant(said, "launchTime") or submit
    job = Job(text(said, "id"), submit, start, instant(said, "finishedTime"),
              user=text(said, "user"), queue=text(said, "queue"),
              priority=scaled(said.get("priority"), 0))
    return row(work, line, job, {
        "memory": scaled(said.get("memorySeconds"), 0)
        if "memory-mb" not in sums else sums["memory-mb"],
        "cpu": scaled(said.get("vcoreSeconds"), 0)
        if "vcores" not in sums else sums["vcores"],
        "gpu": sums.get("yarn.io/gpu")})


def rest_rows(work: Workload) -> Iterator[Job]:
    """The applications of an answer."""
    APP.named.clear()
    said: dict[str, str] = {}
    source = Source(work.file, work.findings)
    for document in members(source, ("apps", "app"), said):
        work.records += 1
        yield application(work, document.line, document.value)
    if "RemoteException" in said:
        raise failed(work.file, "is an error of the resource manager", 1)


def summary(line: str) -> dict[str, str]:
    """The pairs behind ApplicationSummary; escapes undone."""
    pairs = [word.partition("=") for word in
             UNESCAPED.split(line[line.index(SUMMARY) + len(SUMMARY):])]
    return {name.strip(): re.sub(r"\\([,=\\])", r"\1", value)
            for name, _, value in pairs}


def finished(work: Workload, line: int, said: dict[str, str]) -> Job:
    """One line of the log."""
    submit = instant(said, "submitTime", "startTime")
    start = instant(said, "launchTime") or instant(said, "startTime")
    more = dict((name, int(number)) for number, name in
                RESOURCE.findall(said.get("resourceSeconds", ""))
                if len(number) < 40)
    job = Job(text(said, "appId"), submit, start, instant(said, "finishTime"),
              user=text(said, "user"), queue=text(said, "queue"),
              priority=scaled(said.get("priority"), 0))
    return row(work, line, job, {
        "memory": scaled(said.get("memorySeconds"), 0),
        "cpu": scaled(said.get("vcoreSeconds"), 0),
        "gpu": more.get("yarn.io/gpu")})


def log_rows(work: Workload) -> Iterator[Job]:
    """The applications of a log; other lines are passed over."""
    for line, words in Source(work.file, work.findings).plain():
        if SUMMARY not in words:
            continue
        work.records += 1
        said = summary(words)
        if "appId" in said:
            yield finished(work, line, said)
        else:
            work.findings.add(line, "a summary without appId")
            work.skip("a fault in the record")
    if not work.records:
        work.findings.add(0, "has no line with ApplicationSummary", "",
                          Severity.WARNING)


FIDELITY = labels("id submit end user queue priority", "run cpu memory gpu",
                  "start tasks")


def read_rest(path: str) -> Workload:
    """Reads an answer of /ws/v1/cluster/apps."""
    return Workload("yarn-apps", path, rest_rows, FIDELITY)


def read_log(path: str) -> Workload:
    """Reads ApplicationSummary out of a log."""
    return Workload("yarn-log", path, log_rows, FIDELITY)


def sniff_rest(name: str, head: bytes) -> bool:
    """An object with apps."""
    return re.match(rb'\s*\{\s*"apps"\s*:', head) is not None


def sniff_log(name: str, head: bytes) -> bool:
    """A line of a summary."""
    return SUMMARY.encode() in head and b"appId=" in head


READERS = (
    register_reader(Reader(
        "yarn-apps", "applications as YARN's REST interface lists them",
        sniff_rest, read_rest)),
    register_reader(Reader(
        "yarn-log", "ApplicationSummary in YARN's log", sniff_log, read_log)))
