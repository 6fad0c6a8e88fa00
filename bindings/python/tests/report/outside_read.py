"""A workload, a tree and the decision log of `replay`, read anew: by what the
documents say of them, with nothing of the package. Amounts are thousandths of
cores and GPUs, and bytes; times ns."""

import csv
import math
from dataclasses import dataclass, field
from fractions import Fraction

KINDS = ("cpu", "memory", "gpu")
SCALE = (1000, 1, 1000)
COLUMNS = ("cpu", "mem_bytes", "gpu")
SECOND = 1_000_000_000


@dataclass
class Job:
    """One job of the file. `start`, `end`: as recorded; None: not said."""

    name: str
    queue: str
    user: str
    submit: int
    start: int | None
    end: int | None
    run: int
    tasks: int
    amount: tuple
    part: str = ""
    tier: int = 0


@dataclass
class Work:
    """The jobs of a file, in the order in which they come; what is left out;
    how many processors the file says that there were, and what its clock's 0
    is (s since 1970); queues as they first stand in the file; `aside`: rows of
    no run time whose waits were recorded."""

    jobs: list
    skipped: dict
    queues: list
    processors: int = 0
    begins: int = 0
    aside: list = field(default_factory=list)

    @property
    def recorded(self):
        """Have all jobs a start and an end?"""
        return all(j.start is not None and j.end is not None
                   for j in self.jobs)


def moment(text):
    """Seconds as ns, halves up; None of nothing."""
    if not (text or "").strip():
        return None
    return math.floor(Fraction(text.strip()) * SECOND + Fraction(1, 2))


def amounts(row):
    """What one task needs, up to the next unit; one core where nothing is
    said."""
    said = [(row.get(name) or "").strip() for name in COLUMNS]
    if not any(said):
        return 1000, 0, 0
    return tuple(math.ceil(Fraction(text or "0") * scale)
                 for text, scale in zip(said, SCALE))


def run_of(row, start, end, default):
    """How long a task runs; None: nothing says."""
    said = moment(row.get("run_s"))
    if said is None and start is not None and end is not None:
        said = end - start
    for word in (row.get("job_id") or "").split(";")[1:]:
        if said is None and word.startswith("run="):
            said = moment(word[4:])
    return default if said is None else said


def in_order(rows, processors=0, begins=0):
    """Jobs by submission, then by line; what is left out, by reason."""
    skipped, jobs, queues, aside = {}, [], [], []
    for why, job in rows:
        if why:
            skipped[why] = skipped.get(why, 0) + 1
            if job is not None and why in ("zero run time",
                                           "unknown run time"):
                aside.append(job)
            continue
        jobs.append(job)
        if job.queue not in queues:
            queues.append(job.queue)
    jobs.sort(key=lambda job: job.submit)
    return Work(jobs, skipped, queues, processors, begins, aside)


def read_csv(file, default_run=None):
    """The common CSV."""
    return in_order(csv_rows(file, default_run))


def csv_rows(file, default_run):
    """Each line as a reason to leave it out, or a job."""
    seen = set()
    for line, row in enumerate(csv.DictReader(file), 1):
        start, end = moment(row.get("start_s")), moment(row.get("end_s"))
        submit = moment(row.get("submit_s"))
        run = run_of(row, start, end, default_run)
        tasks = int(Fraction(row.get("tasks") or "1"))
        why = "no tasks" if tasks == 0 else \
            "no submission" if submit is None and start is None else \
            "unknown run time" if run is None else \
            "zero run time" if run == 0 else ""
        name = (row.get("job_id") or "").split(";")[0]
        if not name or name in seen:
            name = str(line)
        seen.add(name)
        aside = None not in (start, moment(row.get("submit_s"))) and \
            start >= submit
        yield why, None if why and not aside else Job(
            name, row.get("queue") or "default", row.get("user") or "default",
            start if submit is None else submit, start, end, run, tasks,
            amounts(row), row.get("partition") or "",
            int(row.get("tier") or 0))


def read_swf(file):
    """A log of processors."""
    processors, begins, rows = 0, 0, []
    for line in file:
        if line.startswith(";"):
            if "MaxProcs:" in line:
                processors = int(line.split(":")[1].split()[0])
            elif "UnixStartTime:" in line:
                begins = int(line.split(":")[1].split()[0])
        elif line.strip():
            rows.append(swf_job([int(float(w)) for w in line.split()]))
    return in_order(rows, processors, begins)


def swf_job(said):
    """One line: a reason to leave it out, or a job of tasks of one core."""
    number, submit, wait, run = said[:4]
    tasks = said[4] if said[4] > 0 else said[7]
    why = "unknown run time" if run < 0 else "zero run time" if run == 0 \
        else "no tasks" if tasks <= 0 else ""
    user = str(said[11]) if said[11] >= 0 else "default"
    queue = next((str(n) for n in (said[14], said[15], said[11]) if n >= 0),
                 "default")
    start = None if wait < 0 else (submit + wait) * SECOND
    return why, None if why and start is None else Job(
        str(number), queue, user, submit * SECOND, start,
        None if start is None else start + run * SECOND, run * SECOND, tasks,
        (1000, 0, 0))


# ---- queues and nodes ----


@dataclass
class Queue:
    """A queue below the root: weight, guarantee and limit by kind (parts of
    the capacity, or None)."""

    name: str
    weight: int = 1
    guarantee: Fraction = Fraction(0)
    limit: Fraction | None = None
    tier: int = 0
    words: dict = field(default_factory=dict)


def read_tree(text):
    """Queues of a tree of one level, and the words of the root."""
    queues, root = [], ""
    for line in text.splitlines():
        path, *words = line.split()
        said = dict(word.split("=", 1) for word in words)
        if path == "root":
            root = line
        elif path.startswith("root."):
            part = {name: Fraction(said[name].rstrip("%")) / 100
                    for name in ("guarantee", "limit") if name in said}
            queues.append(Queue(path[5:], int(said.get("weight", 1)),
                                part.get("guarantee", Fraction(0)),
                                part.get("limit"), int(said.get("tier", 0)),
                                said))
    return queues, root


@dataclass
class Nodes:
    """So many alike, in a partition."""

    count: int
    amount: tuple
    part: str = ""

    @property
    def spec(self):
        """As `--nodes` has it."""
        said = ",".join(f"{kind}={Fraction(a, scale)}" if a % scale == 0 else
                        f"{kind}={a / scale!r}" for kind, a, scale in
                        zip(KINDS, self.amount, SCALE))
        return f"{self.count} x {said}" + (f" @{self.part}" if self.part
                                           else "")


def total(nodes):
    """What all nodes have."""
    return [sum(n.count * n.amount[k] for n in nodes) for k in range(3)]


def pool_of(work):
    """One pool of the most that was in use at a time, or what the file says;
    where each amount comes from."""
    most, source = [0, 0, 0], ["recorded peak"] * 3
    steps = {}
    for job in work.jobs:
        for at, sign in ((job.start, 1), (max(job.end, job.start), -1)):
            mine = steps.setdefault(at, [0, 0, 0])
            for k in range(3):
                mine[k] += sign * job.tasks * job.amount[k]
    held = [0, 0, 0]
    for at in sorted(steps):
        held = [h + s for h, s in zip(held, steps[at])]
        most = [max(m, h) for m, h in zip(most, held)]
    if work.processors:
        most[0], source[0] = 1000 * work.processors, "told"
    return [Nodes(1, tuple(most))], source


def invented(work, load=Fraction(14, 10)):
    """As many nodes as make a load: `replay --load`."""
    span = work.jobs[-1].submit - work.jobs[0].submit
    need = [Fraction(sum(j.run * j.tasks * j.amount[k] for j in work.jobs))
            / (load * span) for k in range(3)]
    node = [max(j.amount[k] for j in work.jobs) for k in range(3)]
    if all(32 * a <= n for a, n in zip(node, need)):
        node = [32 * a for a in node]
    count = max([1, *(math.ceil(n / a) for n, a in zip(need, node) if a)])
    return [Nodes(count, tuple(node))], ["invented"] * 3


# ---- the log ----


def read_log(file, jobs):
    """Records of the log: time, kind, row of the job, tasks, node."""
    row_of = {job.name: row for row, job in enumerate(jobs)}
    made = []
    for row in csv.DictReader(file):
        if row["kind"] in ("reject", "allocate", "finish", "kill", "lost"):
            made.append((int(row["time_ns"]), row["kind"], row_of[row["job"]],
                         int(row["count"] or 0), int(row["node"] or 0)))
    return made


def waits_of(jobs, log):
    """From each submission to the first task that started; -1: none did. And
    when the last ended."""
    waits, ends = [-1] * len(jobs), [-1] * len(jobs)
    for time, kind, row, _, _ in log:
        if kind == "allocate" and waits[row] < 0:
            waits[row] = time - jobs[row].submit
        elif kind == "finish":
            ends[row] = max(ends[row], time)
    return waits, ends


def lengths(steps):
    """For how long each amount was held."""
    made, amount, since = {}, 0, 0
    for at in sorted(steps):
        if amount:
            made[amount] = made.get(amount, 0) + at - since
        amount, since = amount + steps[at], at
    return made


def enough(units, whole, part):
    """The least amount that is enough for a part of the time."""
    passed = 0
    for amount in sorted(units):
        passed += units[amount]
        if passed >= part * whole:
            return amount
    return 0
