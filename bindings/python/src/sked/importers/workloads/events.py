"""Events of the Slurm simulator: `-dt N -e submit_batch_job | OPTIONS`, the
options those of sbatch, with the real run time behind -sim-walltime.

Tasks are those of the job, with their cores and parts of its memory. The queue
is PARTITION/QOS, the group the account where one is said."""

from __future__ import annotations

from collections.abc import Iterator

from ...enums import Severity
from ..seam import Job, Reader, Workload, register_reader
from .exact import LATEST, LONGEST, Bad, Memo, count, seconds
from .records import Names, labels, part
from .sacct import bytes_of, queue_of
from .source import Source

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


def job_of(line: int, at: int, said: dict[str, str]) -> Job:
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
        yield job_of(line, at, said)
    except Bad as bad:
        work.findings.add(line, bad.reason, bad.where)
        work.skip("a fault in the record")


def rows(work: Workload) -> Iterator[Job]:
    """The jobs of a file."""
    OPTIONS.named.clear()
    times: Memo[int | None] = Memo(seconds)
    for line, text in Source(work.file, work.findings).plain():
        if text.strip() and not text.lstrip().startswith("#"):
            work.records += 1
            yield from event(work, line, text, times)


def read(path: str) -> Workload:
    """Reads events of the Slurm simulator."""
    return Workload("slurm-events", path, rows, labels(
        "id submit run tasks cpu user group partition", "memory gpu queue"))


def sniff(name: str, head: bytes) -> bool:
    """A line of an event."""
    return head.lstrip()[:4] == b"-dt " and b" -e " in head


READER = register_reader(Reader(
    "slurm-events", "events of the Slurm simulator", sniff, read))
