"""The history of HTCondor: `condor_history -long` or `-json`, and the history
file of a schedd. A job is one task."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..files import Source
from ..model import Job, Reader, Workload, register_reader
from .documents import documents
from .exact import LATEST, LONGEST, Bad, count
from .records import MIB, labels, span

PAIR = re.compile(r"[ \t]*([A-Za-z_]\w*)[ \t]*=[ \t]*(.*?)[ \t]*")
END = re.compile(r"\*\*\*")
REMOVED = "3"
FLOAT = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
WANTED = frozenset(("clusterid", "procid", "globaljobid", "qdate", "jobprio",
                    "jobstartdate", "jobcurrentstartdate", "completiondate",
                    "enteredcurrentstatus", "jobstatus", "owner", "user",
                    "remotewallclocktime", "requestcpus", "requestmemory",
                    "requestgpus", "cpusprovisioned", "memoryprovisioned",
                    "gpusprovisioned", "acctgroup", "accountinggroup"))


def text(said: dict[str, str], *names: str) -> str:
    """The first that is a text in quotes."""
    for name in names:
        value = said.get(name, "")
        if len(value) > 1 and value[0] == value[-1] == '"':
            return re.sub(r"\\(.)", r"\1", value[1:-1])
    return ""


def number(said: dict[str, str], scale: int, *names: str) -> int | None:
    """The first that is a number; an expression is none."""
    for name in names:
        value = said.get(name, "")
        try:
            found = count(value, scale, up=True)
        except Bad:
            continue
        if found is not None:
            return found
    return None


def instant(said: dict[str, str], *names: str) -> int | None:
    """Seconds since 1970 as ns; 0 says that it is not known."""
    for name in names:
        value = number(said, 9, name)
        if value and value <= LATEST:
            return value
    return None


def group_of(said: dict[str, str]) -> str:
    """The accounting group, without the user who may stand behind it."""
    name = text(said, "acctgroup")
    if name:
        return name
    whole, owner = text(said, "accountinggroup"), text(said, "owner")
    whole = whole.partition("@")[0]
    return whole.removesuffix(f".{owner}") if owner else whole


def job(work: Workload, line: int, said: dict[str, str]) -> Job:
    """One ad."""
    cluster, proc = said.get("clusterid", ""), said.get("procid", "0")
    name = f"{cluster}.{proc}" if cluster else text(said, "globaljobid")
    if not name:
        raise Bad("has no ClusterId and no GlobalJobId")
    start = instant(said, "jobcurrentstartdate", "jobstartdate")
    end = instant(said, "completiondate")
    if end is None and said.get("jobstatus") == REMOVED:
        end = instant(said, "enteredcurrentstatus")
    if start is None:
        end = None
    end, run = span(work, line, name, start, end)
    if run is None:
        wall = number(said, 9, "remotewallclocktime")
        run = wall if wall and wall <= LONGEST else None
    memory = number(said, 0, "requestmemory", "memoryprovisioned")
    group = group_of(said)
    rank = said.get("jobprio", "")
    return Job(name, instant(said, "qdate"), start, end, run, 1,
               number(said, 3, "requestcpus", "cpusprovisioned"),
               None if memory is None else memory * MIB,
               number(said, 3, "requestgpus", "gpusprovisioned"),
               text(said, "owner") or text(said, "user").partition("@")[0],
               group, group,
               int(rank) if re.fullmatch(r"-?\d{1,9}", rank) else None,
               line=line)


def ads(work: Workload) -> Iterator[tuple[int, dict[str, str]]]:
    """The ads of a file: lines of attributes, with a blank line or one of
    stars behind each."""
    said: dict[str, str] = {}
    first = 0
    for line, one in Source(work.file, work.findings).plain():
        if not one.strip() or END.match(one):
            if said:
                yield first, said
            said, first = {}, 0
            continue
        found = PAIR.fullmatch(one)
        if found is None:
            work.findings.add(line, "is no attribute of an ad")
        elif found[1].lower() in WANTED:
            said[found[1].lower()] = found[2]
        first = first or line
    if said:
        yield first, said


def spelled(value: Any) -> str:
    """A value of JSON as `-long` writes it."""
    if not isinstance(value, str):
        return str(value)
    if FLOAT.fullmatch(value) and not value.isdecimal():
        return value
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'


def json_ads(work: Workload) -> Iterator[tuple[int, dict[str, str]]]:
    """The ads of `-json`, with what `-long` would say. Numbers with a point
    are texts here, as all numbers that stay exact."""
    for document in documents(Source(work.file, work.findings)):
        yield document.line, {
            key.lower(): spelled(value) for key, value in
            document.value.items()
            if key.lower() in WANTED and value is not None}


def jobs(work: Workload,
         found: Iterator[tuple[int, dict[str, str]]]) -> Iterator[Job]:
    """The jobs of ads."""
    for line, said in found:
        work.records += 1
        try:
            yield job(work, line, said)
        except Bad as bad:
            work.findings.add(line, bad.reason, bad.where)
            work.skip("a fault in the record")


def rows(work: Workload) -> Iterator[Job]:
    """The jobs of a history."""
    return jobs(work, ads(work))


def json_rows(work: Workload) -> Iterator[Job]:
    """The same of a history in JSON."""
    return jobs(work, json_ads(work))


FIDELITY = labels("id submit start end cpu memory gpu user group queue "
                  "priority", "run", "tasks")


def read(path: str) -> Workload:
    """Reads a history of HTCondor."""
    return Workload("condor", path, rows, FIDELITY)


def read_json(path: str) -> Workload:
    """Reads `condor_history -json`."""
    return Workload("condor-json", path, json_rows, FIDELITY)


SNIFF = re.compile(rb"^(ClusterId|QDate|GlobalJobId)[ \t]*=", re.M)
JSON = re.compile(rb'"(ClusterId|QDate|GlobalJobId)"[ \t]*:')


def sniff(name: str, head: bytes) -> bool:
    """Attributes of a job."""
    return SNIFF.search(head) is not None and b"\nJobStatus" in b"\n" + head


def sniff_json(name: str, head: bytes) -> bool:
    """The same in objects."""
    return head.lstrip()[:1] in (b"[", b"{") and \
        JSON.search(head) is not None and b'"JobStatus"' in head


READERS = (
    register_reader(Reader(
        "condor", "HTCondor's history (condor_history -long)", sniff, read)),
    register_reader(Reader(
        "condor-json", "HTCondor's history in JSON (condor_history -json)",
        sniff_json, read_json)))
