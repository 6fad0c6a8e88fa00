"""Histories from files: what a scheduler did, for `sked.audit`.

Forms, told by the first bytes: a CSV of rows (`type,time_s,key,...`), the
decision log of `replay`, the audit log of YARN's resource manager, events of
Kubernetes as JSON (Kueue, Volcano), and every workload of `sked.importers`
that says starts and ends (sacct, SWF, the common CSV).

A source that does not say a thing gives no row for it, so no rule judges it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from decimal import Decimal, InvalidOperation
from typing import Any

from .audit import AuditRow, History
from .enums import UNLIMITED, Severity
from .explain.log import HEADER
from .importers import ImportFailed, read_workload
from .importers.files import whole
from .importers.model import Finding, Job

SECOND = 1_000_000_000
#: The kinds of a workload, as `Job` has them.
KINDS = ("cpu", "memory", "gpu")
_TYPES = {row.name.lower(): row for row in AuditRow}
_COLUMNS = ("time_s", "time_ns", "type", "key", "of", "on", "value", "count",
            "flags")
_FLAGS = {"": 0, "constrained": 1, "fifo": 2}
_YARN = re.compile(
    r"^(?P<day>\d{4}-\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d)[,.](?P<ms>\d{3}).*?"
    r"RMAuditLogger: .*?OPERATION=(?P<what>AM Allocated|AM Released) Container")
_PAIR = re.compile(r"\b([A-Z]+)=(.*?)(?=\t[A-Z]+=|$)")
_AMOUNT = re.compile(r"([\w./-]+):\s*(\d+)")


def fails(path: str, line: int, text: str) -> ImportFailed:
    """The error of one line."""
    return ImportFailed(Finding(path, line, Severity.ERROR, "", text))


def read_history(path: str | os.PathLike[str], *,
                 capacity: Mapping[str, int] | None = None,
                 results: str | os.PathLike[str] | None = None) -> History:
    """The history in a file. `capacity`: of the whole cluster, for a workload
    that names no node. `results`: the JSON of the same run of `replay`, which
    has the nodes of a decision log. Without them nodes are not judged. Raises
    ImportFailed, OSError."""
    place = os.fspath(path)
    data = whole(place)
    head = data[:4096].decode("utf-8", "replace").lstrip("\ufeff")
    first = head.split("\n", 1)[0].strip()
    columns = [c.strip() for c in first.split(",")]
    if columns == HEADER:
        return _decisions(place, _text(place, data), results)
    if "type" in columns and "key" in columns:
        return _rows(place, _text(place, data))
    if "RMAuditLogger" in head:
        return _yarn(place, _text(place, data))
    if head.lstrip()[:1] in "{[" and '"involvedObject"' in head:
        return _events(place, _text(place, data))
    return of_jobs(read_workload(place), capacity=capacity)


def _text(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise fails(path, line, "is not UTF-8") from None


# ---- Rows ----

def _whole(path: str, line: int, name: str, text: str, scale: int = 1) -> int:
    try:
        value = Decimal(text) * scale
    except InvalidOperation:
        raise fails(path, line, f"{name} is not a number: {text!r}") from None
    if value != value.to_integral_value() or abs(value) > UNLIMITED:
        raise fails(path, line, f"{name} is out of range: {text!r}")
    return int(value)


def _rows(path: str, text: str) -> History:
    reader = csv.reader(io.StringIO(text), strict=True)
    header = [c.strip() for c in next(reader)]
    kinds = [c for c in header if c not in _COLUMNS]
    timed = [c for c in ("time_s", "time_ns") if c in header]
    if len(timed) != 1 or len(set(header)) != len(header) or not kinds:
        raise fails(path, 1, "needs type, key, time_s or time_ns, and a column "
                    "for each kind, each once")
    history = History(kinds)
    scale = SECOND if timed[0] == "time_s" else 1
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return history
        except csv.Error as error:
            raise fails(path, line, str(error)) from None
        if cells:
            _one_row(path, line, history, dict(zip(header, cells)),
                     (timed[0], scale), len(cells) == len(header))


def _one_row(path: str, line: int, history: History, cell: dict[str, str],
             clock: tuple[str, int], full: bool) -> None:
    said = cell.get("type", "").strip()
    if not full or said not in _TYPES:
        raise fails(path, line, "has another number of cells than the header"
                    if not full else
                    f"no type {said!r}: types are {', '.join(_TYPES)}")
    type_ = _TYPES[said]
    if not cell["key"]:
        raise fails(path, line, "has no key")
    flag = cell.get("flags", "").strip()
    if flag not in _FLAGS:
        raise fails(path, line, f"no flag {flag!r}: constrained, fifo")
    amounts = None
    if type_ == AuditRow.LIMIT or \
            any(cell[k].strip() for k in history.kinds):
        least = UNLIMITED if type_ == AuditRow.LIMIT else 0
        amounts = [_whole(path, line, k, cell[k]) if cell[k].strip() else least
                   for k in history.kinds]
    scale = clock[1] if type_ == AuditRow.RESERVE else 1
    count = cell.get("count", "").strip()
    counted = type_ == AuditRow.TASKS or \
        AuditRow.START <= type_ <= AuditRow.LOST
    history.row(
        type_, cell["key"], at=_whole(path, line, *_pair(cell, clock)),
        of=cell.get("of") or None, on=cell.get("on") or None,
        value=_whole(path, line, "value", cell.get("value") or "0", scale),
        count=_whole(path, line, "count", count) if count else int(counted),
        flags=_FLAGS[flag], amounts=amounts)


def _pair(cell: dict[str, str], clock: tuple[str, int]) -> tuple[str, str, int]:
    return clock[0], cell[clock[0]], clock[1]


# ---- The decision log of replay ----

def _specs(path: str) -> list[dict[str, int]]:
    """The nodes of a run, in order."""
    try:
        said = json.loads(_text(path, whole(path)))
        return [{k: _digits(v) for k, v in spec["amount"].items()}
                for spec in said["cluster"]["specs"]
                for _ in range(spec["count"])]
    except (ValueError, KeyError, TypeError) as error:
        raise fails(path, 1, f"is not the JSON of replay: {error}") from None


def _digits(text: str) -> int:
    return int(re.sub(r"\D+$", "", str(text)))


def _decisions(path: str, text: str,
               results: str | os.PathLike[str] | None) -> History:
    rows = list(csv.DictReader(io.StringIO(text)))
    kinds = sorted({name for row in rows
                    for name, _ in _vector(row["amount"])}) or ["cpu"]
    history = History(kinds)
    jobs: set[str] = set()
    queues: set[str] = set()
    specs = _specs(os.fspath(results)) if results is not None else []
    for number, spec in enumerate(specs):
        history.node(str(number), {k: v for k, v in spec.items() if k in kinds},
                     at=int(rows[0]["time_ns"]) if rows else 0)
    history.__dict__["_named"] = bool(specs)
    for line, row in enumerate(rows, 2):
        at, kind = int(row["time_ns"]), row["kind"]
        if kind not in ("allocate", "finish", "kill", "lost"):
            continue
        job, count = row["job"], int(row["count"] or 1)
        if row["queue"] not in queues:
            queues.add(row["queue"])
            history.queue(row["queue"], at=at)
        if job not in jobs:
            jobs.add(job)
            history.job(job, row["queue"], at=at)
        if kind == "allocate":
            # Each allocation asks for its own tasks: the log has no asks.
            history.tasks((job, row["node"], line), job,
                          dict(_vector(row["amount"])), at=at, count=count)
        _replayed(path, line, history, row, at, count)
    return history


def _vector(text: str) -> list[tuple[str, int]]:
    found = []
    for part in filter(None, (text or "").split(";")):
        name, _, amount = part.partition("=")
        found.append((name, _digits(amount)))
    return found


def _replayed(path: str, line: int, history: History, row: Mapping[str, str],
              at: int, count: int) -> None:
    """A decision as a start or an end of the allocations that are open."""
    open_ = history.__dict__.setdefault("_open", {})
    node = row["node"] if history.__dict__["_named"] else None
    place = open_.setdefault((row["job"], row["node"]), [])
    if row["kind"] == "allocate":
        name = (row["job"], row["node"], line)
        place.append([name, count])
        history.start(name, node, at=at, count=count)
        return
    what = {"finish": history.done, "kill": history.kill,
            "lost": history.lost}[row["kind"]]
    while count and place:
        name, left = place[0]
        some = min(left, count)
        what(name, node, at=at, count=some)
        if row["kind"] != "finish":
            history.cancel(name, at=at, count=some)  # it is asked for anew
        count -= some
        place[0][1] -= some
        if not place[0][1]:
            place.pop(0)
    if count:
        raise fails(path, line, f"{count} tasks of {row['job']} end on node "
                    f"{row['node']} where none runs")


# ---- YARN's audit log ----

def _yarn(path: str, text: str) -> History:
    lines = text.splitlines()
    kinds = sorted({name for line in lines if "RESOURCE=" in line
                    for name, _ in _AMOUNT.findall(
                        line.partition("RESOURCE=")[2])}) or ["memory"]
    history = History(kinds)
    apps: set[str] = set()
    asked: set[str] = set()
    for number, line in enumerate(lines, 1):
        m = _YARN.search(line)
        if not m:
            continue
        said = {k: v.strip() for k, v in _PAIR.findall(line)}
        app, container = said.get("APPID"), said.get("CONTAINERID")
        if not app or not container:
            raise fails(path, number, "has no APPID or no CONTAINERID")
        at = _instant(f"{m['day']}T{m['time']}+00:00") + \
            int(m["ms"]) * 1_000_000
        if app not in apps:
            apps.add(app)
            queue = said.get("QUEUENAME")
            if queue:
                history.queue(queue, at=at)
            history.job(app, queue, at=at, user=said.get("USER"))
        amounts = {k: int(v) for k, v in
                   _AMOUNT.findall(said.get("RESOURCE", ""))}
        if container not in asked:
            asked.add(container)
            history.tasks(container, app, amounts, at=at)
        if m["what"] == "AM Allocated":
            history.start(container, at=at)
        else:
            history.done(container, at=at)
    return history


def _instant(text: str) -> int:
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    whole_s = int(moment.replace(microsecond=0).timestamp())
    return whole_s * SECOND + moment.microsecond * 1000


# ---- Events of Kubernetes ----

_STARTS = {"Admitted", "Scheduled"}
_STOPS = {"Preempted", "Evicted", "EvictedDueToPreempted", "Evict"}
_ENDS = {"FinishedWorkload", "Completed", "Finished"}
_BY = re.compile(r"workload \(UID: ([\w-]+)")


def _events(path: str, text: str) -> History:
    try:
        said = json.loads(text)
    except ValueError as error:
        raise fails(path, getattr(error, "lineno", 1), str(error)) from None
    items = said.get("items", [said]) if isinstance(said, dict) else said
    history = History(["count"])
    seen: dict[str, str] = {}
    running: set[str] = set()
    for item in sorted((i for i in items if isinstance(i, dict)), key=_when):
        of = item.get("involvedObject") or {}
        uid = of.get("uid") or f"{of.get('namespace', '')}/{of.get('name', '')}"
        reason, at = item.get("reason", ""), _instant(_when(item))
        if reason not in _STARTS | _STOPS | _ENDS:
            continue
        if uid not in seen:
            seen[uid] = str(of.get("name", uid))
            history.job(uid, at=at, constrained=True)
            history.tasks(uid, uid, [0], at=at)
        if reason in _STARTS and uid not in running:
            running.add(uid)
            history.start(uid, at=at)
        elif reason in _STOPS and uid in running:
            running.discard(uid)
            by = _BY.search(item.get("message", ""))
            history.kill(uid, at=at, by=by[1] if by and by[1] in seen else None)
        elif reason in _ENDS and uid in running:
            running.discard(uid)
            history.done(uid, at=at)
    return history


def _when(item: Mapping[str, Any]) -> str:
    return str(item.get("eventTime") or item.get("lastTimestamp")
               or item.get("firstTimestamp") or "1970-01-01T00:00:00Z")


# ---- Workloads ----

def of_jobs(jobs: Iterable[Job], *,
            capacity: Mapping[str, int] | None = None) -> History:
    """A history of jobs that say when they started and ended; others are left
    out. Amounts in units of `Job`; `capacity` in the same units: all of it is
    one node, since a workload rarely names nodes."""
    history = History(KINDS)
    queues: set[str] = set()
    known = [job for job in jobs
             if job.start is not None and job.end is not None]
    submits = [j.start if j.submit is None else min(j.submit, j.start)
               for j in known if j.start is not None]
    zero = min(submits, default=0)
    if capacity is not None:
        history.node("cluster", {k: capacity.get(k, 1 << 60) for k in KINDS},
                     at=zero)
    for i, job in enumerate(known):
        assert job.start is not None and job.end is not None
        queue = job.queue or job.partition or None
        if queue and queue not in queues:
            queues.add(queue)
            history.queue(queue, at=zero)
        name = (job.id, i)
        # Tasks that start together are a gang: they waited for each other.
        history.job(name, queue, at=submits[i], user=job.user or None,
                    gang=job.tasks if job.tasks > 1 else 0)
        history.tasks(name, name,
                      [job.cpu or 0, job.memory or 0, job.gpu or 0],
                      at=submits[i], count=job.tasks,
                      priority=job.priority or 0)
        node = "cluster" if capacity is not None else None
        history.start(name, node, at=job.start, count=job.tasks)
        history.done(name, node, at=max(job.end, job.start), count=job.tasks)
    return history
