"""Spark's event logs: what an application held is exactly its executors, each
from when it was added to when it was removed. A row is one executor.

A log is a file or a folder of rolled ones (eventlog_v2_..., events_1_...).
Lines of other events, most of a log, are not even parsed. An application that
never said that it ended (.inprogress, a crash) ends with the last time that
any event tells; its executors' ends are supposed then, with a finding."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...enums import Severity
from ..model import Job, Reader, Workload, register_reader
from .documents import parsed
from .exact import Bad, count, scaled
from .records import (MIB, inner, instant, labels, mebibytes, number, span,
                      text)
from ..files import Source, failed

EVENT = re.compile(r'\s*\{\s*"Event"\s*:\s*"[\w.]*?SparkListener(\w+)"')
READ = frozenset(("ApplicationStart", "ApplicationEnd", "ExecutorAdded",
                  "ExecutorRemoved", "EnvironmentUpdate",
                  "ResourceProfileAdded"))
BESIDE = ("offHeap", "pyspark.memory")  # of a profile, beside the heap
MOST_PROFILES = 1000
ROLLED = re.compile(r"events_([0-9]+)_.+?(\.compact)?(\.[a-z0-9]+)?$")
PLAIN = frozenset((None, ".zstd", ".zst", ".gz", ".xz"))
SIZE = re.compile(r"([0-9]+)\s*([kmgtp]?)i?b?", re.I)
POWER = {"": 20, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50}
LAST = re.compile(r'"(?:Timestamp|Completion Time|Finish Time)"\s*:\s*'
                  r'([0-9]{1,16})')
MOST_HELD = 1 << 20  # executors at once


def size_of(value: str) -> int | None:
    """4g, 512m, 1024 (MiB) as bytes."""
    found = SIZE.fullmatch(value.strip())
    if not found or len(found[1]) > 12:
        return None
    return int(found[1]) << POWER[found[2].lower()]


@dataclass
class Size:
    """What executors ask for: settings of the application, or a profile."""

    memory: int | None = None
    overhead: int | None = None
    beside: int = 0
    gpus: int | None = None

    def whole(self, default: Size, factor: int) -> int | None:
        """All memory of an executor; what is not said is the default's."""
        heap = self.memory or default.memory
        more = self.overhead or default.overhead
        if heap is None:
            return None
        if more is None:
            more = max(heap * factor // 10**6, 384 * MIB)
        return heap + more + self.beside


@dataclass
class Application:
    """What is known of an application as its log goes on."""

    work: Workload
    name: str = ""
    user: str = ""
    queue: str = ""
    ended: int | None = None
    last: int = 0
    factor: int = 100_000  # of the heap that is overhead, in ppm
    size: Size = field(default_factory=Size)
    profiles: dict[str, Size] = field(default_factory=dict)
    held: dict[str, tuple[Job, str]] = field(default_factory=dict)

    def take(self, kind: str, line: int, said: dict[str, Any]) -> \
            Iterator[Job]:
        """One event."""
        at = instant(said, "Timestamp")
        if kind == "ApplicationStart":
            self.name = text(said, "App ID", "App Name")
            self.user = text(said, "User")
        elif kind == "ApplicationEnd":
            self.ended = at
        elif kind == "EnvironmentUpdate":
            self.settings(inner(said, "Spark Properties"))
        elif kind == "ResourceProfileAdded":
            self.profile(said)
        elif kind == "ExecutorAdded":
            self.added(line, at, said)
        elif kind == "ExecutorRemoved":
            yield from self.removed(line, at, text(said, "Executor ID"))

    def settings(self, said: dict[str, Any]) -> None:
        """The size of an executor, and the queue."""
        self.queue = text(said, "spark.yarn.queue") or self.queue
        self.size = Size(
            size_of(text(said, "spark.executor.memory") or "1g"),
            size_of(text(said, "spark.executor.memoryOverhead",
                         "spark.yarn.executor.memoryOverhead")), 0,
            scaled(said.get("spark.executor.resource.gpu.amount"), 3))
        try:
            self.factor = count(text(
                said, "spark.executor.memoryOverheadFactor"), 6) or self.factor
        except Bad:
            pass

    def profile(self, said: dict[str, Any]) -> None:
        """A size that some executors have."""
        asked = inner(said, "Executor Resource Requests")

        def mib(name: str) -> int | None:
            return mebibytes(inner(asked, name), "Amount")

        if len(self.profiles) < MOST_PROFILES:
            self.profiles[text(said, "Resource Profile Id")] = Size(
                mib("memory"), mib("memoryOverhead"),
                sum(mib(name) or 0 for name in BESIDE),
                number(inner(asked, "gpu"), "Amount", scale=3))

    def added(self, line: int, at: int | None, said: dict[str, Any]) -> None:
        """An executor begins."""
        name, info = text(said, "Executor ID"), inner(said, "Executor Info")
        self.work.records += 1
        if at is None or len(self.held) >= MOST_HELD:
            self.work.findings.add(line, "an executor that cannot be followed",
                                   name[:80])
            self.work.skip("a fault in the record")
            return
        gpus = inner(inner(info, "Resources"), "gpu").get("addresses")
        job = Job(name, None, at, line=line,
                  cpu=number(info, "Total Cores", scale=3),
                  gpu=len(gpus) * 1000 if isinstance(gpus, list) else None)
        self.held[name] = job, text(info, "Resource Profile Id")

    def removed(self, line: int, at: int | None, name: str) -> Iterator[Job]:
        """An executor ends."""
        held = self.held.pop(name, None)
        if held is None:
            self.work.findings.add(line, "an executor that was never added",
                                   name[:80], Severity.WARNING)
        else:
            yield self.row(*held, at)

    def row(self, job: Job, profile: str, at: int | None) -> Job:
        """An executor as a row."""
        size = self.profiles.get(profile, self.size)
        gpus = self.size.gpus if size.gpus is None else size.gpus
        name = f"{self.name or 'application'}.{job.id}"
        end, run = span(self.work, job.line, name, job.start, at)
        return job._replace(
            id=name, end=end, run=run, user=self.user, group=self.name,
            queue=self.queue, memory=size.whole(self.size, self.factor),
            gpu=gpus if job.gpu is None else job.gpu)

    def finish(self) -> Iterator[Job]:
        """Those that nobody removed."""
        at = self.ended
        if at is None and (self.held or self.name):
            self.work.findings.add(
                0, "the application never ended: the last time told is "
                "supposed", self.name[:80], Severity.WARNING)
            at = self.last or None
        for job, profile in self.held.values():
            yield self.row(job, profile, at)
        self.held.clear()


def parts(path: str) -> list[str]:
    """The files of a log in order; what was compacted stands for all before
    it."""
    if not os.path.isdir(path):
        return [path]
    found = []
    for name in os.listdir(path):
        rolled = ROLLED.match(name)
        if rolled and len(rolled[1]) < 10:
            found.append((int(rolled[1]), bool(rolled[2]), name))
    if not found:
        raise failed(path, "is a folder without events_N_ files")
    found.sort()
    first = max((n for n, compact, _ in found if compact), default=0)
    return [os.path.join(path, name) for n, compact, name in found
            if n > first or (n == first and (compact or not first))]


def packed_by(path: str) -> str | None:
    """A codec that is not undone here, by the name's end."""
    end = os.path.splitext(path.removesuffix(".inprogress"))[1]
    return end[1:] if end in (".lz4", ".lzf", ".snappy") else None


def events(work: Workload, path: str,
           app: Application) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """The events of a file that say something."""
    if (codec := packed_by(path)) is not None:
        work.findings.add(0, "is packed by a codec that is not undone here",
                          f"{os.path.basename(path)}: {codec}")
        return
    for line, words in Source(path, work.findings).plain():
        found = EVENT.match(words)
        for told in LAST.finditer(words) if found else ():
            app.last = max(app.last, int(told[1]) * 10**6)
        if not found or found[1] not in READ:
            if words and not found:
                work.findings.add(line, "is no event")
            continue
        try:
            said = parsed(words)
        except (ValueError, RecursionError):
            work.findings.add(line, "is no JSON")
            work.skip("a fault in the record")
            continue
        yield found[1], line, said


def rows(work: Workload) -> Iterator[Job]:
    """The executors of a log."""
    app = Application(work)
    for path in parts(work.file):
        for kind, line, said in events(work, path, app):
            yield from app.take(kind, line, said)
    yield from app.finish()


def read(path: str) -> Workload:
    """Reads an event log of Spark, or the folder of a rolled one."""
    return Workload("spark", path, rows, labels(
        "start end cpu user queue group tasks", "id run memory gpu"))


def sniff(name: str, head: bytes) -> bool:
    """A first line that is an event."""
    return re.match(rb'\s*\{\s*"Event"\s*:\s*"[\w.]*SparkListener',
                    head) is not None


READER = register_reader(Reader(
    "spark", "event logs of Spark, one row an executor", sniff, read))
