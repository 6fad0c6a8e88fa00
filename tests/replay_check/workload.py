"""Jobs as a CSV or an SWF file tells them."""
import csv
import gzip
import io

from .amounts import units, vector
from .queues import Tree


class Job:
    __slots__ = ("name", "submit", "run", "tasks", "amount", "words",
                 "partition", "priority", "line", "copy", "leaf", "next",
                 "ended", "first", "state", "step", "size", "partitions", "order",
                 "key", "needs")

    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)

    def clone(self, copy):
        other = Job()
        for name in self.__slots__:
            if hasattr(self, name):
                setattr(other, name, getattr(self, name))
        other.copy = copy
        other.name = "%s#%d" % (self.name, copy + 1) if copy else self.name
        return other


def opened(path):
    if path.endswith(".gz"):
        return io.TextIOWrapper(gzip.open(path), "utf-8", "surrogateescape",
                                newline="")
    return open(path, encoding="utf-8", errors="surrogateescape", newline="")


def name_of(said, line, seen):
    name = said.split(";")[0]
    if not name or name in seen:
        name = str(line)
    seen.add(name)
    return name


def csv_jobs(path, o):
    jobs, skipped, seen, line = [], {}, set(), 0
    with opened(path) as file:
        rows = csv.reader(file)
        header = [h.lstrip("\ufeff") for h in next(rows)]
        at = {name: i for i, name in enumerate(header)}
        for row in rows:
            if not row:
                continue
            line += 1

            def get(name):
                return row[at[name]] if name in at else ""
            start, end = get("start_s"), get("end_s")
            run, ident = get("run_s"), get("job_id")
            if run:
                run = units(run, 9, False)
            elif start and end:
                run = units(end, 9, False) - units(start, 9, False)
            else:
                behind = [p[4:] for p in ident.split(";")[1:]
                          if p.startswith("run=")]
                run = units(behind[0], 9, False) if behind else o.default_run
            said = [get("cpu"), get("mem_bytes"), get("gpu")]
            if any(said):
                need_ = (units(said[0] or "0", 3, True),
                         units(said[1] or "0", 0, True),
                         units(said[2] or "0", 3, True))
            else:
                need_ = vector(o.default_task or "cpu=1", Tree.KINDS)
            submit = get("submit_s") or start
            job = Job(name=name_of(ident, line, seen), run=run,
                      submit=units(submit, 9, False) if submit else None,
                      tasks=int(units(get("tasks") or "1", 0, False)),
                      amount=need_, partition=get("partition"),
                      needs=get("needs"),
                      priority=int(float(get("priority") or 0)), line=line,
                      words={w: get(w) or "default"
                             for w in ("queue", "group", "user")}, copy=0)
            why = ("no tasks" if job.tasks == 0 else
                   "no submission" if job.submit is None else
                   "unknown run time" if run is None else
                   "zero run time" if run == 0 else None)
            if why:
                skipped[why] = skipped.get(why, 0) + 1
            else:
                jobs.append(job)
    return jobs, skipped


def swf_jobs(path, o):
    jobs, skipped, seen, line = [], {}, set(), 0
    with opened(path) as file:
        for text in file:
            f = text.split()
            if not f or f[0].startswith(";"):
                continue
            line += 1
            run, procs = units(f[3], 9, False), units(f[4], 0, False)
            submit = units(f[1], 9, False)
            if procs <= 0:
                procs = units(f[7], 0, False)

            def known(*fields):
                return next((f[i] for i in fields if f[i][0] != "-"), "default")
            name = name_of(f[0], line, seen)
            why = ("unknown run time" if run < 0 else
                   "no submission" if submit < 0 else
                   "zero run time" if run == 0 else
                   "no tasks" if procs <= 0 else None)
            if why:
                skipped[why] = skipped.get(why, 0) + 1
                continue
            jobs.append(Job(name=name, submit=submit, run=run, tasks=procs,
                            amount=(1000, 0, 0), partition="", priority=0,
                            needs="",
                            line=line, copy=0,
                            words={"queue": known(14, 15, 11),
                                   "group": known(12), "user": known(11)}))
    return jobs, skipped
