"""Workloads of Slurm: `sacct -X -P` and `sacct --json`, and the events of its
simulator. A row is a job; its processors are tasks.

Times of `sacct -P` have no zone: the reader gets one. Memory is said of a node
(`n`), of a processor (`c`), or with a flag of 2^31 MiB."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...enums import Severity
from ..files import Source, failed
from ..model import Job, Reader, Workload, register_reader
from .documents import members
from .exact import (LATEST, LONGEST, SECOND, Bad, Clock, Memo, count, lasting,
                    seconds)
from .records import MIB, Names, inner, labels, listed, part, span, text

XDMOD = ("JobID|JobIDRaw|Cluster|Partition|QOS|Account|Group|GID|User|UID|"
         "Submit|Eligible|Start|End|Elapsed|ExitCode|State|NNodes|NCPUS|"
         "ReqCPUS|ReqMem|ReqTRES|AllocTRES|Timelimit|NodeList|JobName")
PER_CPU = 1 << 31  # a flag of Slurm's that some versions print with the MiB
UNITS = {"": MIB, "K": 1 << 10, "M": MIB, "G": 1 << 30, "T": 1 << 40,
         "P": 1 << 50}
MEMORY = re.compile(r"([0-9.]+)([KMGTP]?)B?([nc]?)")
HOUR = 3600 * SECOND
STEP = re.compile(r"\.(batch|extern|interactive|TBD|[0-9]+)(\+[0-9]+)?$")


class Asked(NamedTuple):
    """What a job has in all: processors, bytes, thousandths of a GPU."""

    cpus: int | None = None
    memory: int | None = None
    gpus: int | None = None


def bytes_of(text: str) -> int | None:
    """Memory such as 62.50G, of MiB without a unit; None where none is."""
    found = MEMORY.fullmatch(text)
    if not found:
        return None
    number = count(found[1], 9)
    return None if number is None else part(number * UNITS[found[2]], 10**9)


def tres_of(text: str) -> Asked:
    """cpu=4,mem=16G,gres/gpu=2; GPUs of several types are added up when no
    sum is said."""
    said = dict(word.partition("=")[::2] for word in text.split(","))
    gpus = said.get("gres/gpu") or None
    typed = [value for name, value in said.items()
             if name.startswith("gres/gpu:")]
    if gpus is None and typed:
        gpus = str(sum(count(one, 0) or 0 for one in typed))
    return Asked(count(said.get("cpu", ""), 0), bytes_of(said.get("mem", "")),
                 None if gpus is None else count(gpus, 3, True))


def asked_memory(text: str, cpus: int, nodes: int) -> int | None:
    """ReqMem: 4G in all, 4Gn a node, 4Gc a processor, and the flag 2^31."""
    found = MEMORY.fullmatch(text)
    amount = bytes_of(text)
    if not found or not amount:
        return None
    if amount >= PER_CPU * MIB and found[2] in ("", "M"):
        return (amount - PER_CPU * MIB) * cpus
    return amount * {"": 1, "n": max(nodes, 1), "c": cpus}[found[3]]


def shared(job: Job, asked: Asked) -> Job:
    """A job as tasks of one core, each with its part of the rest."""
    tasks = asked.cpus or 0
    if not tasks:
        return job._replace(tasks=0, cpu=1000)
    return job._replace(
        tasks=tasks, cpu=1000,
        memory=None if asked.memory is None else part(asked.memory, tasks),
        gpu=None if asked.gpus is None else part(asked.gpus, tasks))


def queue_of(partition: str, qos: str) -> str:
    """Both names as one."""
    return f"{partition}/{qos}" if partition and qos else partition or qos


class Table:
    """The columns of one listing."""

    def __init__(self, work: Workload, names: Sequence[str],
                 clock: Clock, between: str) -> None:
        self.work = work
        self.between = between
        self.names = [name.strip().lower() for name in names]
        self.clock = clock
        self.tres = Memo(tres_of)
        for needed in ("submit", "start"):
            if needed in self.names:
                break
        else:
            raise failed(work.file, "has no column Submit or Start", 1)

    def fields(self, row: list[str]) -> dict[str, str]:
        """A row by name; a last JobName may have the separator in it."""
        wide = len(self.names)
        if len(row) > wide and self.names[-1] == "jobname":
            row = [*row[:wide - 1], self.between.join(row[wide - 1:])]
        if len(row) == wide + 1 and not row[-1]:
            row = row[:wide]  # sacct -p ends lines in a separator
        if len(row) != wide:
            raise Bad("not as many fields as the header")
        return dict(zip(self.names, row))

    def time(self, said: Mapping[str, str], name: str) -> int | None:
        """A time of a row."""
        try:
            at = self.clock.ns(said.get(name, ""))
        except Bad as bad:
            raise Bad(bad.reason, name) from None
        if at is not None and at > LATEST:
            raise Bad("is more than 2^61 ns (73 years)", name)
        return at

    def asked(self, said: Mapping[str, str]) -> Asked:
        """What it got; what it asked for where it got nothing."""
        got = self.tres[said.get("alloctres", "")]
        want = self.tres[said.get("reqtres", "")]
        number = [count(said.get(name, ""), 0) for name in (
            "alloccpus", "ncpus", "reqcpus")]
        cpus = got.cpus or next((n for n in number if n), None) or want.cpus
        nodes = count(said.get("allocnodes") or said.get("nnodes") or "", 0)
        memory = got.memory if got.memory is not None else asked_memory(
            said.get("reqmem", ""), cpus or 0, nodes or 1)
        return Asked(cpus, want.memory if memory is None else memory,
                     want.gpus if got.gpus is None and not got.cpus
                     else got.gpus)

    def span(self, line: int, name: str, start: int | None,
             said: Mapping[str, str]) -> tuple[int | None, int | None]:
        """The end and how long it took. Where the clocks went back in between
        an end may stand before its start: then what elapsed is known."""
        end = self.time(said, "end")
        lasted = lasting(said.get("elapsed", ""))
        if start is not None and end is not None and end < start and \
                lasted and start - end <= 2 * HOUR:
            end = start + lasted
        return span(self.work, line, name, start, end)

    def job(self, line: int, row: list[str]) -> Job | None:
        """A row as a job; None for a step of one."""
        said = self.fields(row)
        name = said.get("jobid") or said.get("jobidraw") or ""
        if STEP.search(name):
            self.work.skip("a step of a job")
            return None
        start = self.time(said, "start")
        end, run = self.span(line, name, start, said)
        partition = said.get("partition", "")
        job = Job(name, self.time(said, "submit"), start, end, run,
                  user=said.get("user", ""), group=said.get("account", ""),
                  queue=queue_of(partition, said.get("qos", "")),
                  priority=priority_of(said.get("priority", "")),
                  partition=partition, line=line)
        if run is None and start is None:
            job = job._replace(run=lasting(said.get("elapsed", "")) or None)
        return shared(job, self.asked(said))


def priority_of(text: str) -> int | None:
    """A priority, as far as it goes into 32 bits."""
    return min(count(text, 0) or 0, 2**31 - 1) if text.isdigit() else None


def separator(line: str) -> str:
    """What stands between the names of a header, as --delimiter had it: the
    first characters that are no letters. A bar where they are blanks alone,
    which is how columns of fixed width come."""
    found = re.match(r"[A-Za-z]+([^A-Za-z]+)", line)
    return found[1] if found and found[1].strip(" ") else "|"


def header_of(work: Workload, words: list[str]) -> tuple[list[str], bool]:
    """The names of the columns, and whether the first line is them; without
    (sacct -n) only XDMoD's choice of them is known."""
    names = {word.strip().lower() for word in words}
    if "jobid" in names or "jobidraw" in names:
        return words, True
    known = XDMOD.split("|")
    if len(words) < len(known):
        raise failed(work.file, "has no header (sacct without -n)", 1)
    work.findings.add(1, "has no header: the columns that XDMoD asks for are "
                      "supposed", "", Severity.WARNING)
    return known, False


def rows_of(zone: str) -> Callable[[Workload], Iterator[Job]]:
    """What goes through a listing."""
    def rows(work: Workload) -> Iterator[Job]:
        table, between = None, "|"
        for line, text in Source(work.file, work.findings).plain():
            if not text:
                continue
            if table is None:
                between = separator(text)
            words = text.split(between)
            if table is None:
                names, is_header = header_of(work, words)
                table = Table(work, names, Clock(zone), between)
                if is_header:
                    continue
            work.records += 1
            yield from single(table, line, words)
    return rows


def single(table: Table, line: int, words: list[str]) -> Iterator[Job]:
    """One row; a finding where it is wrong."""
    try:
        job = table.job(line, words)
    except Bad as bad:
        table.work.findings.add(line, bad.reason, bad.where)
        table.work.skip("a fault in the record")
        return
    if job is not None:
        yield job


FIDELITY = labels("id submit start end tasks user group partition priority",
                  "run memory gpu queue", "cpu")


def read(path: str, zone: str = "UTC") -> Workload:
    """Reads `sacct -P`; its times are in `zone`."""
    Clock(zone)
    return Workload("sacct", path, rows_of(zone), FIDELITY)


def sniff(name: str, head: bytes) -> bool:
    """A header with JobID, or the 26 columns of XDMoD."""
    line = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[0].strip()
    text = line.decode("latin-1").lower()
    words = text.split(separator(text))
    if "jobid" in words or "jobidraw" in words:
        return len(words) > 1
    return len(words) >= 26 and re.fullmatch(
        r"[0-9]{4}-[0-9]{2}-[0-9t:-]+|unknown", words[10]) is not None


READER = register_reader(Reader(
    "sacct", "Slurm's accounting: sacct -X -P", sniff, read))


# ---- sacct --json ----

def json_number(value: Any) -> int | None:
    """A number, plain or as {"set": true, "number": 5}."""
    if isinstance(value, dict):
        if value.get("set") is False or value.get("infinite") is True:
            return None
        value = value.get("number")
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    try:
        return count(str(value), 0)
    except (Bad, ValueError):
        return None


def time(said: Mapping[str, Any], name: str) -> int | None:
    """A time in ns; 0 is not known."""
    value = json_number(said.get(name))
    return value * SECOND if value and value * SECOND <= LATEST else None


def asked(said: Mapping[str, Any]) -> Asked:
    """A list of what is counted; GPUs of several types are added up when no
    sum is said."""
    found: dict[str, int] = {}
    for one in listed(said, "allocated") or listed(said, "requested"):
        amount = json_number(one.get("count"))
        kind = text(one, "type")
        if kind == "gres":
            kind = text(one, "name")
        if amount is not None and amount < 1 << 50:
            found.setdefault(kind, amount)
    typed = [n for kind, n in found.items() if kind.startswith("gpu:")]
    gpus = found.get("gpu", sum(typed) if typed else None)
    memory = found.get("mem")
    return Asked(found.get("cpu"), None if memory is None else memory * MIB,
                 None if gpus is None else gpus * 1000)


def name_of(said: Mapping[str, Any]) -> str:
    """Its number; 123_4 for one of an array."""
    array = inner(said, "array")
    job, task = json_number(array.get("job_id")), \
        json_number(array.get("task_id"))
    if job and task is not None:
        return f"{job}_{task}"
    return text(said, "job_id")


def json_job(work: Workload, line: int, said: dict[str, Any]) -> Job:
    """One object as a job."""
    name, times = name_of(said), inner(said, "time")
    start = time(times, "start")
    end, run = span(work, line, name, start, time(times, "end"))
    partition = text(said, "partition")
    owner = inner(said, "association")
    job = Job(name, time(times, "submission"), start, end, run,
              user=text(said, "user") or text(owner, "user"),
              group=text(said, "account") or text(owner, "account"),
              queue=queue_of(partition, text(said, "qos")),
              priority=priority_of(str(json_number(said.get("priority")))),
              partition=partition, line=line)
    if start is None:
        elapsed = json_number(times.get("elapsed"))
        job = job._replace(run=elapsed * SECOND if elapsed and
                           elapsed < 1 << 30 else None)
    wanted = asked(inner(said, "tres"))
    required = json_number(inner(said, "required").get("CPUs"))
    return shared(job, wanted._replace(cpus=wanted.cpus or required))


def json_rows(work: Workload) -> Iterator[Job]:
    """The jobs of an answer."""
    for document in members(Source(work.file, work.findings), ("jobs",)):
        work.records += 1
        yield json_job(work, document.line, document.value)


def read_json(path: str) -> Workload:
    """Reads `sacct --json`."""
    return Workload("sacct-json", path, json_rows, FIDELITY)


def sniff_json(name: str, head: bytes) -> bool:
    """An object with jobs that have associations or times."""
    return head.lstrip()[:1] == b"{" and re.search(
        rb'"jobs"\s*:\s*\[', head) is not None and (
            b'"association"' in head or b'"submission"' in head)


JSON_READER = register_reader(Reader(
    "sacct-json", "Slurm's accounting: sacct --json", sniff_json, read_json))


# ---- events of the simulator ----

LONG = {"-J": "job-name", "-N": "nodes", "-n": "ntasks", "-t": "time",
        "-q": "qos", "-p": "partition", "-A": "account", "-c": "cpus-per-task",
        "-C": "constraint", "-G": "gpus", "-d": "dependency", "-w": "nodelist",
        "-x": "exclude", "-sim-walltime": "sim-walltime", "-jid": "jid"}
ALONE = frozenset(("exclusive", "requeue", "no-requeue", "overcommit", "hold"))
OPTIONS = Names("""job-name nodes ntasks time qos partition account
    cpus-per-task sim-walltime jid uid mem mem-per-cpu gres gpus
    gpus-per-node gpus-per-task ntasks-per-node constraint dependency nodelist
    exclude gid licenses priority begin nice exclusive requeue no-requeue
    overcommit hold""")


def options(words: list[str]) -> dict[str, str]:
    """Options by their long names."""
    said: dict[str, str] = {}
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("-"):
            continue
        name, equals, value = word.partition("=")
        name = LONG.get(name, name.lstrip("-"))
        if not equals and name not in ALONE and at < len(words):
            value = words[at]
            at += 1
        said[name] = value
    return said


def whole(said: dict[str, str], name: str, missing: int) -> int:
    """A number of an option; of a range the first."""
    try:
        value = count(said.get(name, "").partition("-")[0], 0)
    except Bad as bad:
        raise Bad(bad.reason, name) from None
    return missing if value is None else value


def gpus_of(said: dict[str, str], nodes: int, tasks: int) -> int | None:
    """All GPUs of a job."""
    for name, times in (("gpus", 1), ("gpus-per-node", nodes),
                        ("gpus-per-task", tasks), ("gres", nodes)):
        for word in said.get(name, "").split(","):
            kind, _, rest = word.partition(":")
            if name == "gres" and kind != "gpu":
                continue
            last = word.rpartition(":")[2]
            if last.isdigit() and len(last) < 10:
                return int(last) * times
            if name == "gres" and not rest:
                return times
    return None


def event_job(line: int, at: int, said: dict[str, str]) -> Job:
    """One event as a job."""
    nodes = max(whole(said, "nodes", 1), 1)
    tasks = whole(said, "ntasks",
                  nodes * whole(said, "ntasks-per-node", 1))
    cores = max(whole(said, "cpus-per-task", 1), 1)
    memory, each = bytes_of(said.get("mem", "")), \
        bytes_of(said.get("mem-per-cpu", ""))
    gpus = gpus_of(said, nodes, tasks)
    partition = said.get("partition", "")
    run = seconds(said.get("sim-walltime", "").removeprefix("-"))
    if run is not None and run > LONGEST:
        raise Bad("a run of more than 2^60 ns (36 years)", "sim-walltime")
    if memory is not None and tasks:
        memory = part(memory * nodes, tasks)
    return Job(
        said.get("job-name") or said.get("jid", ""), at, run=run, tasks=tasks,
        cpu=cores * 1000,
        memory=each * cores if memory is None and each is not None else memory,
        gpu=None if gpus is None or not tasks else part(gpus * 1000, tasks),
        user=said.get("uid", ""), group=said.get("account", ""),
        queue=queue_of(partition, said.get("qos", "")), partition=partition,
        line=line)


def event(work: Workload, line: int, text: str,
          times: Memo[int | None]) -> Iterator[Job]:
    """One line; a finding where it is wrong."""
    head, _, tail = text.partition("|")
    what = options(head.split())
    if what.get("e") != "submit_batch_job":
        work.findings.add(line, "is no submission", what.get("e", "")[:80],
                          Severity.WARNING)
        work.skip("not a submission")
        return
    said = options(tail.split())
    OPTIONS.check(work, line, said)
    try:
        at = times[what.get("dt", "")]
        if at is None or at > LATEST:
            raise Bad("has no time", "-dt")
        yield event_job(line, at, said)
    except Bad as bad:
        work.findings.add(line, bad.reason, bad.where)
        work.skip("a fault in the record")


def event_rows(work: Workload) -> Iterator[Job]:
    """The jobs of a file."""
    OPTIONS.named.clear()
    times: Memo[int | None] = Memo(seconds)
    for line, text in Source(work.file, work.findings).plain():
        if text.strip() and not text.lstrip().startswith("#"):
            work.records += 1
            yield from event(work, line, text, times)


def read_events(path: str) -> Workload:
    """Reads events of the Slurm simulator."""
    return Workload("slurm-events", path, event_rows, labels(
        "id submit run tasks cpu user group partition", "memory gpu queue"))


def sniff_events(name: str, head: bytes) -> bool:
    """A line of an event."""
    return head.lstrip()[:4] == b"-dt " and b" -e " in head


EVENTS_READER = register_reader(Reader(
    "slurm-events", "events of the Slurm simulator", sniff_events, read_events))
