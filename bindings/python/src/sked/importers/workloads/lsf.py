"""LSF's accounting: lsb.acct. A record JOB_FINISH is a job; its slots become
tasks of one core."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..files import Source
from ..model import Job, Reader, Workload, register_reader
from .exact import LATEST, SECOND, Bad
from .records import labels, part, span

FIELD = re.compile(r'[ \t]*(?:"((?:[^"]|"")*)"|([^\s"]+))')
SLOTS = re.compile(r"(\d{1,9})\*(.+)", re.S)
#: Places of the fields before the lists of hosts.
EVENT, ID, PROCESSORS, SUBMIT, START, USER, QUEUE, ASKED = \
    2, 3, 6, 7, 10, 11, 12, 22
#: Places behind the hosts: status, factor, name, command, 19 numbers of usage.
PROJECT, INDEX, MEMORY = 4 + 19 + 1, 4 + 19 + 6, 4 + 19 + 7
MOST_TASKS = (1 << 31) - 1


def fields(text: str) -> list[str]:
    """The fields of a record. Two quotes in a text stand for one."""
    made, at = [], 0
    text = text.rstrip()
    while at < len(text):
        found = FIELD.match(text, at)
        if found is None:
            raise Bad("has a quote that is not closed")
        made.append(found[2] if found[1] is None else
                    found[1].replace('""', '"'))
        at = found.end()
    return made


def number(row: list[str], at: int, name: str) -> int:
    """A whole number of 0 or more."""
    text = row[at] if 0 <= at < len(row) else ""
    if not (text.isdecimal() and text.isascii() and len(text) < 19):
        raise Bad("is no whole number of 0 or more", name)
    return int(text)


def instant(row: list[str], at: int, name: str) -> int | None:
    """Seconds since 1970 as ns; 0 says that it is not known."""
    value = number(row, at, name) * SECOND
    if value > LATEST:
        raise Bad("is more than 2^61 ns (73 years)", name)
    return value or None


def slots(hosts: list[str]) -> int:
    """How many a list of hosts has: each name is one, or says how many."""
    total = 0
    for host in hosts:
        found = SLOTS.fullmatch(host)
        total += int(found[1]) if found else 1
    return total


def job(work: Workload, line: int, row: list[str]) -> Job:
    """A record of a job."""
    asked = number(row, ASKED, "numAskedHosts")
    at = ASKED + 1 + asked
    used = number(row, at, "numExHosts")
    behind = at + 1 + used
    if behind + MEMORY >= len(row):
        raise Bad("has fewer fields than it says")
    tasks = slots(row[at + 1:behind]) or number(row, PROCESSORS,
                                               "numProcessors")
    if tasks > MOST_TASKS:
        raise Bad("more than 2147483647 slots", "numExHosts")
    start = instant(row, START, "startTime")
    end = instant(row, EVENT, "eventTime") if start else None
    name = row[ID]
    index = row[behind + INDEX]
    if index not in ("0", ""):
        name = f"{name}[{index}]"
    end, run = span(work, line, name, start, end)
    held = row[behind + MEMORY]
    memory = int(held) * 1024 if held.isdecimal() and held.isascii() and \
        0 < len(held) < 16 else 0
    return Job(name, instant(row, SUBMIT, "submitTime"), start, end, run,
               tasks, 1000, part(memory, tasks) if memory and tasks else None,
               None, row[USER], row[behind + PROJECT], row[QUEUE], line=line)


def rows(work: Workload) -> Iterator[Job]:
    """The jobs of a log."""
    for line, text in Source(work.file, work.findings).plain():
        if not text.strip() or text.startswith("#"):
            continue
        work.records += 1
        if not text.startswith('"JOB_FINISH"'):
            work.skip("a record of another type than JOB_FINISH")
            continue
        try:
            yield job(work, line, fields(text))
        except Bad as bad:
            work.findings.add(line, bad.reason, bad.where)
            work.skip("a fault in the record")


def read(path: str) -> Workload:
    """Reads lsb.acct."""
    return Workload("lsf", path, rows, labels(
        "id submit start end user group queue", "run tasks memory", "cpu"))


SNIFF = re.compile(rb'^"(JOB_FINISH|JOB_RESIZE|EVENT_ADRSV_FINISH)" "', re.M)


def sniff(name: str, head: bytes) -> bool:
    """A record in quotes."""
    return SNIFF.search(head) is not None


READER = register_reader(Reader(
    "lsf", "LSF's accounting (lsb.acct)", sniff, read))
