"""The history of HTCondor: `condor_history -long`, and the history file of a
schedd. A job is one task."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..files import Source
from ..model import Job, Reader, Workload, register_reader
from .exact import LATEST, LONGEST, Bad, count
from .records import MIB, labels, span

PAIR = re.compile(r"[ \t]*([A-Za-z_]\w*)[ \t]*=[ \t]*(.*?)[ \t]*")
END = re.compile(r"\*\*\*")
REMOVED = "3"
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


def rows(work: Workload) -> Iterator[Job]:
    """The jobs of a history."""
    for line, said in ads(work):
        work.records += 1
        try:
            yield job(work, line, said)
        except Bad as bad:
            work.findings.add(line, bad.reason, bad.where)
            work.skip("a fault in the record")


def read(path: str) -> Workload:
    """Reads a history of HTCondor."""
    return Workload("condor", path, rows, labels(
        "id submit start end cpu memory gpu user group queue priority",
        "run", "tasks"))


SNIFF = re.compile(rb"^(ClusterId|QDate|GlobalJobId)[ \t]*=", re.M)


def sniff(name: str, head: bytes) -> bool:
    """Attributes of a job."""
    return SNIFF.search(head) is not None and b"\nJobStatus" in b"\n" + head


READER = register_reader(Reader(
    "condor", "the history of HTCondor (condor_history -long)", sniff, read))
