"""What Prometheus answers to query_range: samples of series as time units.

A sample holds until the next one of its series, at most five minutes, as
Prometheus itself has it; the last one as long as the shortest gap. A row is a
time in which a series did not change: its queue is the series, by the label
that `key` names or the first usual one. What is counted is said by `kind`, or
supposed from the name of the series."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ...enums import Severity
from ..model import Job, Reader, Workload, register_reader
from .documents import Document, members
from .exact import LATEST, SECOND, Bad, count
from .records import inner, labels, text
from ..files import Source, failed

HELD = 300 * SECOND
KEYS = ("queue", "namespace", "pool", "partition", "account", "user", "tenant",
        "cluster_queue", "job")
SCALES = {"cpu": 3, "memory": 0, "gpu": 3}
Sample = tuple[int, int | None]  # when, and how much; None: nothing known


def kind_of(name: str) -> str:
    """What a series counts, by its name."""
    if re.search(r"gpu", name, re.I):
        return "gpu"
    return "memory" if re.search(r"mem|bytes", name, re.I) else "cpu"


def key_of(metric: dict[str, Any], key: str) -> str:
    """The series' name: a label, or all of them."""
    if key:
        return text(metric, key)
    for name in KEYS:
        if text(metric, name):
            return text(metric, name)
    return ",".join(f"{name}={text(metric, name)}" for name in sorted(metric)
                    if name != "__name__")


def sample_of(said: object, scale: int) -> Sample:
    """[1435781430.781, "1"] as ns and units. NaN is nothing known."""
    if not isinstance(said, list) or len(said) != 2:
        raise Bad("is no sample")
    at = count(str(said[0]), 9)
    if at is None or at > LATEST:
        raise Bad("a sample without a time")
    value = str(said[1])
    if value == "NaN":
        return at, None
    return at, count(value, scale, True)


def samples(work: Workload, document: Document,
            scale: int) -> Iterator[Sample]:
    """The samples of a series that can be taken, in order."""
    said = document.value
    found = said.get("values")
    if not isinstance(found, list):
        found = [said["value"]] if "value" in said else []
    before = -1
    for one in found:
        work.records += 1
        try:
            at, value = sample_of(one, scale)
            if at <= before:
                raise Bad("a sample that is not after the one before")
        except Bad as bad:
            work.findings.add(document.line, bad.reason,
                              str(one)[:40] if isinstance(one, list) else "")
            work.skip("a fault in the record")
            continue
        before = at
        yield at, value


def held(found: list[Sample]) -> Iterator[tuple[int, int, int]]:
    """From when to when which amount is held; equal ones that touch as
    one."""
    gaps = [b[0] - a[0] for a, b in zip(found, found[1:])]
    last = min(min(gaps, default=HELD), HELD)
    now: tuple[int, int, int] | None = None
    for (at, value), gap in zip(found, [*gaps, last]):
        if value is None:
            continue
        end = at + min(gap, HELD)
        if now and now[1] == at and now[2] == value:
            now = now[0], end, value
            continue
        if now:
            yield now
        now = at, end, value
    if now:
        yield now


def series(work: Workload, document: Document, key: str,
           kind: str) -> Iterator[Job]:
    """The rows of a series."""
    metric = inner(document.value, "metric")
    kind = kind or kind_of(text(metric, "__name__"))
    name = key_of(metric, key)
    if not name:
        work.findings.add(document.line, "a series without the label",
                          key[:80], Severity.WARNING)
    found = list(samples(work, document, SCALES[kind]))
    for i, (start, end, value) in enumerate(held(found)):
        row = Job(f"{name or 'series'}-{start // 10**6}-{i}", None, start, end,
                  end - start, queue=name, line=document.line)
        yield row._replace(cpu=value) if kind == "cpu" else \
            row._replace(memory=value) if kind == "memory" else \
            row._replace(gpu=value)


def rows_of(key: str, kind: str) -> Callable[[Workload], Iterator[Job]]:
    """What goes through an answer."""
    def rows(work: Workload) -> Iterator[Job]:
        said: dict[str, str] = {}
        source = Source(work.file, work.findings)
        for document in members(source, ("data", "result"), said):
            yield from series(work, document, key, kind)
        if said.get("status") == "error":
            raise failed(work.file, "is an error of Prometheus: " +
                         said.get("error", ""))
    return rows


def read(path: str, key: str = "", kind: str = "") -> Workload:
    """Reads an answer to query_range. `key`: the label that names a series;
    `kind`: cpu (cores), memory (bytes) or gpu."""
    if kind and kind not in SCALES:
        raise ValueError("kind is cpu, memory or gpu")
    amount = "" if kind else "cpu memory gpu"
    return Workload("prometheus", path, rows_of(key, kind), labels(
        "start queue " + ("cpu memory gpu" if kind else ""), "id end run",
        amount))


def sniff(name: str, head: bytes) -> bool:
    """An answer with a matrix or a vector."""
    return re.search(rb'"resultType"\s*:\s*"(matrix|vector)"', head) \
        is not None or re.match(rb'\s*\{\s*"status"\s*:\s*"', head) is not None


READER = register_reader(Reader(
    "prometheus", "Prometheus' answers to query_range", sniff, read))
