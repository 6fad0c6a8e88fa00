"""How fast workloads are read, and in how much memory.

usage: bench_importers.py [ROWS]     10^6 unless said

A line a form: rows a second of wall time and of processor time, the most that
Python held at once (tracemalloc, in a second pass over a tenth of the rows),
and the process's peak so far. Then what reading JSON an object at a time costs
beside json.load of the whole, and beside ijson where that is installed. Jobs
from whole columns stand beside jobs row by row, of the same rows, and beside the
reference: pyarrow reads the same file into a table and does no more."""

import csv
import json
import os
import resource
import sys
import tempfile
import time
import tracemalloc

from sked import Jobs
from sked.importers import read_workload, to_jobs, units, write_csv
from sked.importers.model import Findings
from sked.importers.workloads import documents, jobs
from sked.importers.files import Source

from sked import Tree


def csv_rows(n):
    yield ("submit_s,start_s,end_s,user,group,queue,tasks,cpu,mem_bytes,gpu,"
           "job_id\n")
    for i in range(n):
        yield (f"{1600000000 + i},{1600000030 + i},{1600000100 + i + i % 977},"
               f"u{i % 900},g{i % 70},q{i % 50},{i % 16 + 1},{i % 8 + 1},"
               f"{(i % 64 + 1) << 28},,job_{i}\n")


def swf_rows(n):
    yield "; MaxProcs: 1000\n"
    for i in range(n):
        yield (f"{i} {i} {i % 60} {i % 977 + 1} {i % 16 + 1} -1 -1 -1 3600 -1 "
               f"1 {i % 900} {i % 70} -1 {i % 50} 1 -1 -1\n")


def sacct_rows(n):
    yield "JobID|User|Account|Partition|QOS|Submit|Start|End|AllocTRES\n"
    for i in range(n):
        at = f"2024-03-{i % 28 + 1:02}T{i // 60 % 24:02}:{i % 60:02}"
        yield (f"{i}|u{i % 900}|a{i % 70}|p{i % 5}|q|{at}:00|{at}:10|{at}:59|"
               f"billing={i % 64 + 1},cpu={i % 64 + 1},mem={i % 99 + 1}G,"
               "node=1\n")


def yarn_rows(n):
    yield '{"apps": {"app": [\n'
    for i in range(n):
        yield json.dumps({
            "id": f"application_{i}", "user": f"u{i % 900}", "queue": "root.a",
            "state": "FINISHED", "startedTime": 1600000000000 + i,
            "launchTime": 1600000001000 + i, "finishedTime": 1600000099000 + i,
            "memorySeconds": 409600 + i, "vcoreSeconds": 100 + i,
            "diagnostics": "x" * 200}) + (",\n" if i < n - 1 else "\n")
    yield "]}}\n"


FORMS = {"csv": (csv_rows, 1), "swf": (swf_rows, 1), "sacct": (sacct_rows, 10),
         "yarn-apps": (yarn_rows, 10)}


def written(folder, form, n):
    path = os.path.join(folder, form)
    with open(path, "w") as file:
        file.writelines(FORMS[form][0](n))
    return path


def timed(label, n, work):
    wall, spent = time.perf_counter(), time.process_time()
    work()
    wall, spent = time.perf_counter() - wall, time.process_time() - spent
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{label:23} {n:>9} rows {n / wall:>9.0f}/s wall "
          f"{n / spent:>9.0f}/s processor, process peak {peak >> 10} MiB",
          flush=True)


def drained(rows):
    for _ in rows:
        pass


def held(path, form):
    tracemalloc.start()
    drained(read_workload(path, form))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def bench_form(folder, form, rows):
    n = rows // FORMS[form][1]
    path = written(folder, form, n)
    timed(f"read {form}", n, lambda: drained(read_workload(path, form)))
    if form == "csv":
        timed("write csv", n, lambda: write_csv(
            read_workload(path, form), path + ".out"))
    os.unlink(path)
    path = written(folder, form, max(n // 10, 1))
    print(f"  Python held at most {held(path, form) / 2**20:.1f} MiB")
    if form == "csv":
        few = max(n // 10, 1)
        timed("to_jobs", few, lambda: to_jobs(
            read_workload(path), Tree("cpu=m memory=B gpu=m"), grow=True))
        timed("units", few, lambda: drained(units(read_workload(path))))
    os.unlink(path)


def bench_columns(folder, rows):
    """to_jobs and from_frame of whole columns, beside to_jobs row by row, of
    the same jobs and in the same run."""
    path = written(folder, "csv", rows)

    def made():
        to_jobs(read_workload(path), Tree("cpu=m memory=B gpu=m"), grow=True)

    try:
        import numpy  # noqa: F401
        import pyarrow.compute
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError:
        print("pyarrow or numpy is not installed")
        return
    timed("reference: pyarrow csv", rows, lambda: pyarrow.csv.read_csv(
        path, pyarrow.csv.ReadOptions(use_threads=False)))
    timed("to_jobs csv, columns", rows, made)
    quoted = os.path.join(folder, "quoted.csv")
    with open(path, newline="") as read, open(quoted, "w",
                                              newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(csv.reader(read))
    timed("reference: the same", rows, lambda: pyarrow.csv.read_csv(
        quoted, pyarrow.csv.ReadOptions(use_threads=False)))
    timed("to_jobs csv, in quotes", rows, lambda: to_jobs(
        read_workload(quoted), Tree("cpu=m memory=B gpu=m"), grow=True))
    os.unlink(quoted)
    quick = jobs.quick_jobs
    jobs.quick_jobs = lambda *words: None
    timed("to_jobs csv, by rows", rows, made)
    jobs.quick_jobs = quick
    table = pyarrow.csv.read_csv(path)
    columns = os.path.join(folder, "parquet")
    pyarrow.parquet.write_table(table.drop(["gpu"]), columns)
    timed("to_jobs parquet", rows, lambda: to_jobs(
        read_workload(columns), Tree("cpu=m memory=B gpu=m"), grow=True))
    tree = Tree("cpu=m memory=B gpu=m")
    for name in table["queue"].unique().to_pylist():
        tree.root.add(name)
    frame = table.select(["submit_s", "queue", "user", "tasks", "cpu",
                          "mem_bytes"]).append_column("run", table["tasks"])
    named = {"columns": {"submit": "submit_s", "memory": "mem_bytes"}}
    timed("from_frame arrow", rows, lambda: Jobs.from_frame(
        tree, frame, **named))
    try:
        import pandas
    except ImportError:
        print("pandas is not installed")
    else:
        dated = frame.to_pandas()
        timed("from_frame pandas", rows, lambda: Jobs.from_frame(
            tree, dated, **named))
        dated["submit_s"] = pandas.to_datetime(dated["submit_s"], unit="s")
        dated["run"] = pandas.to_timedelta(dated["run"], unit="s")
        timed("from_frame dates", rows, lambda: Jobs.from_frame(
            tree, dated, **named))
        taken = Jobs.from_frame(tree, frame, **named)
        own = taken.to_pandas()
        timed("from_frame of its own", rows, lambda: Jobs.from_frame(
            tree, own))
        assert Jobs.from_frame(tree, own) == taken
    os.unlink(path)
    os.unlink(columns)


def bench_json(folder, rows):
    n = max(rows // 10, 1)
    path = written(folder, "yarn-apps", n)
    timed("json.load, the whole", n, lambda: json.load(open(path)))
    timed("members, one by one", n, lambda: drained(documents.members(
        Source(path, Findings(path)), ("apps", "app"))))
    try:
        import ijson
    except ImportError:
        print("ijson is not installed")
        return
    for name in ("yajl2_c", "python"):
        try:
            items = ijson.get_backend(name).items
        except ImportError:
            continue
        timed(f"ijson {name}", n, lambda: drained(
            items(open(path, "rb"), "apps.app.item")))


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10**6
    with tempfile.TemporaryDirectory() as folder:
        for form in FORMS:
            bench_form(folder, form, rows)
        bench_columns(folder, rows)
        bench_json(folder, rows)


main()
