"""Accounting logs of PBS and Torque. A record of type E is a job that ended; its
processors become tasks of one core, as with sacct."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...enums import Severity
from ..files import Source
from ..model import Job, Reader, Workload, register_reader
from .exact import LATEST, Bad, count
from .records import labels, part, span

RECORD = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;(\w);([^;]*);(.*)")
PAIR = re.compile(r"([\w.]+)=(\"[^\"]*\"|'[^']*'|\S*)")
SIZE = re.compile(r"(\d{1,18})([kmgtp]?)([bw]?)", re.I)
SCALES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
          "p": 1 << 50}
NODES = re.compile(r"(\d+|[A-Za-z][\w.-]*)((?::[\w.=-]+)*)")
MOST_TASKS = (1 << 31) - 1


def instant(said: dict[str, str], name: str) -> int | None:
    """Seconds since 1970 as ns; 0 says that it is not known."""
    text = said.get(name, "")
    try:
        value = count(text, 9)
    except Bad as bad:
        raise Bad(bad.reason, name) from None
    if value and value > LATEST:
        raise Bad("is more than 2^61 ns (73 years)", name)
    return value or None


def size(text: str) -> int | None:
    """An amount of memory in bytes: 10gb, 3348kb; a number alone is bytes."""
    found = SIZE.fullmatch(text)
    if not found:
        return None
    words = 8 if found[3].lower() == "w" else 1
    return int(found[1]) * SCALES[found[2].lower()] * words


def whole(text: str) -> int | None:
    """A whole number above 0."""
    return int(text) if text.isdecimal() and text.isascii() and \
        0 < len(text) < 11 and int(text) else None


def spread(text: str, word: str) -> int | None:
    """Processors (ppn, ncpus) or GPUs of a list of nodes: 4:ppn=8+1:ppn=2, or
    of chunks: 2:ncpus=4:ngpus=1."""
    total = 0
    for one in text.split("+"):
        found = NODES.fullmatch(one)
        if not found:
            return None
        said = dict(pair.partition("=")[::2]
                    for pair in found[2].split(":") if pair)
        each = whole(said.get(word, "")) or \
            (whole(said.get("ncpus", "")) if word == "ppn" else None)
        if each is None and word == "ppn":
            each = 1
        total += (whole(found[1]) or 1) * (each or 0)
    return total or None


def processors(said: dict[str, str]) -> int:
    """How many a job has: what it says of all, else of its nodes."""
    for name in ("Resource_List.ncpus", "total_execution_slots"):
        found = whole(said.get(name, ""))
        if found:
            nodes = spread(said.get("Resource_List.nodes", ""), "ppn")
            return max(found, nodes or 0)
    for name in ("Resource_List.select", "Resource_List.nodes"):
        found = spread(said.get(name, ""), "ppn")
        if found:
            return found
    return 1


def gpus(said: dict[str, str]) -> int:
    """How many GPUs a job has."""
    return whole(said.get("Resource_List.ngpus", "")) or \
        spread(said.get("Resource_List.select", ""), "ngpus") or \
        spread(said.get("Resource_List.nodes", ""), "gpus") or 0


def job(work: Workload, line: int, name: str, words: str) -> Job:
    """A record of a job that ended."""
    said = {key: value[1:-1] if value[:1] in ("'", '"') and len(value) > 1
            else value for key, value in PAIR.findall(words)}
    submit = instant(said, "ctime") or instant(said, "qtime")
    start, end = instant(said, "start"), instant(said, "end")
    end, run = span(work, line, name, start, end)
    tasks = processors(said)
    if tasks > MOST_TASKS:
        raise Bad("more than 2147483647 processors", name[:80])
    memory = size(said.get("Resource_List.mem", ""))
    each = size(said.get("Resource_List.pmem", "")) if memory is None else \
        part(memory, tasks)
    held = gpus(said)
    return Job(name, submit, start, end, run, tasks, 1000,
               each,
               part(held * 1000, tasks) if held else None,
               said.get("user", ""),
               said.get("account", "") or said.get("group", ""),
               said.get("queue", ""), line=line)


def rows(work: Workload) -> Iterator[Job]:
    """The jobs of a log that ended."""
    for line, text in Source(work.file, work.findings).plain():
        if not text.strip():
            continue
        work.records += 1
        found = RECORD.fullmatch(text)
        if found is None:
            work.findings.add(line, "is no record of accounting")
            work.skip("a fault in the record")
        elif found[1] != "E":
            work.skip("a record of another type than E")
        else:
            try:
                yield job(work, line, found[2], found[3])
            except Bad as bad:
                work.findings.add(line, bad.reason, bad.where,
                                  Severity.ERROR)
                work.skip("a fault in the record")


def read(path: str) -> Workload:
    """Reads an accounting log."""
    return Workload("pbs", path, rows, labels(
        "id submit start end user group queue",
        "run tasks memory gpu", "cpu"))


SNIFF = re.compile(rb"\A(?:\s*\n)*\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;\w;")


def sniff(name: str, head: bytes) -> bool:
    """A first line with a date, a type, and an id."""
    return SNIFF.match(head) is not None


READER = register_reader(Reader(
    "pbs", "accounting logs of PBS and Torque", sniff, read))
