"""What Slurm's accounting says: `sacct -X -P` as text, `sacct --json`.

A job's processors become tasks of one core each, with their parts of its
memory and GPUs. The queue is PARTITION/QOS, the group the account. Text has
local times without a zone: `zone` says which, UTC is supposed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...enums import Severity
from ..seam import Job, Reader, Workload, register_reader
from .clock import Clock, lasting
from .exact import LATEST, SECOND, Bad, Memo, count
from .records import MIB, labels, part, span
from .source import Source, failed

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
