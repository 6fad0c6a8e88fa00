"""The jobs that a simulation by Batsim writes: out_jobs.csv.

The resources of a job become tasks of one core. A job that was rejected has no
start and no run."""

from __future__ import annotations

from collections.abc import Iterator

from ...enums import Severity
from ..files import Source, failed
from ..model import Job, Reader, Workload, register_reader
from .common import headed
from .exact import LATEST, LONGEST, SECOND, Bad, count
from .records import labels, span

COLUMNS = ("job_id", "workload_name", "profile", "submission_time",
           "requested_number_of_resources", "requested_time", "success",
           "final_state", "starting_time", "execution_time", "finish_time",
           "waiting_time", "turnaround_time", "stretch", "allocated_resources",
           "consumed_energy", "metadata", "job_priority")
NEEDED = ("job_id", "submission_time", "requested_number_of_resources")


def time(text: str, where: str, most: int = LATEST) -> int | None:
    """Seconds as ns; None where a number is below 0: it never came to that."""
    if text.lstrip().startswith("-"):
        count(text.lstrip()[1:], 9)
        return None
    try:
        value = count(text, 9)
    except Bad as bad:
        raise Bad(bad.reason, where) from None
    if value is not None and value > most:
        raise Bad(f"is more than {most // SECOND} seconds", where)
    return value


def job(work: Workload, line: int, said: dict[str, str]) -> Job:
    """One row."""
    start = time(said.get("starting_time", ""), "starting_time")
    run = time(said.get("execution_time", ""), "execution_time", LONGEST)
    end = time(said.get("finish_time", ""), "finish_time")
    if said.get("final_state", "").upper() == "REJECTED":
        start = run = end = None
    name, space = said["job_id"], said.get("workload_name", "")
    end, between = span(work, line, name, start, end)
    run = between if run is None else run
    asked = count(said["requested_number_of_resources"], 0)
    if asked is None:
        raise Bad("is empty", "requested_number_of_resources")
    return Job(f"{space}!{name}" if space else name,
               time(said["submission_time"], "submission_time"), start, end,
               run, asked, 1000, queue=space,
               workflow=said.get("profile", ""), line=line)


def rows(work: Workload) -> Iterator[Job]:
    """The rows of a file."""
    header: list[str] | None = None
    for lines, found in headed(Source(work.file, work.findings)):
        if header is None:
            header = [word.strip() for word in found[0]]
            missing = [name for name in NEEDED if name not in header]
            if missing:
                raise failed(work.file, f"no column {missing[0]}", lines[0])
            for name in header:
                if name not in COLUMNS:
                    work.findings.add(lines[0], "a column that is not read",
                                      name[:80], Severity.WARNING)
            continue
        work.records += len(found)
        for line, row in zip(lines, found):
            try:
                if len(row) != len(header):
                    raise Bad("not as many fields as the header")
                yield job(work, line, dict(zip(header, row)))
            except Bad as bad:
                work.findings.add(line, bad.reason, bad.where)
                work.skip("a fault in the record")
    if header is None:
        raise failed(work.file, "no header line", 1)


def read(path: str) -> Workload:
    """Reads out_jobs.csv of Batsim."""
    return Workload("batsim", path, rows, labels(
        "submit start end run tasks", "id workflow queue", "cpu"))


def sniff(name: str, head: bytes) -> bool:
    """A first line with Batsim's columns."""
    line = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").split(b"\n")[0]
    words = {word.strip(b'" \r') for word in line.split(b",")}
    return {b"job_id", b"submission_time",
            b"requested_number_of_resources"} <= words


READER = register_reader(Reader(
    "batsim", "out_jobs.csv of a simulation by Batsim", sniff, read))
