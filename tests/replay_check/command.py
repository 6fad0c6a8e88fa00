"""The command: options, the program run or its files read, one line said."""
import argparse
import csv
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
from decimal import Decimal

from .amounts import units
from .books import Check
from .fault import Fault


def options(argv, text=None):
    p = argparse.ArgumentParser(description=text, formatter_class=
                                argparse.RawDescriptionHelpFormatter)
    p.add_argument("workload")
    p.add_argument("--replay")
    p.add_argument("--sum", action="store_true",
                   help="with --replay, say the hash of log and result too")
    p.add_argument("--json")
    p.add_argument("--decisions")
    p.add_argument("--tree")
    p.add_argument("--queue-by", default="queue")
    p.add_argument("--nodes", action="append", default=[])
    p.add_argument("--load", default="1.4")
    p.add_argument("--policy")
    p.add_argument("--apps")
    p.add_argument("--gang", action="store_true")
    p.add_argument("--gang-over", type=int)
    p.add_argument("--gang-exact", type=int)
    p.add_argument("--place", default="first")
    p.add_argument("--heartbeat")
    p.add_argument("--multiplier", default="1")
    p.add_argument("--seed", default="0")
    p.add_argument("--until")
    p.add_argument("--default-run")
    p.add_argument("--default-task")
    p.add_argument("--preempt", default="off")
    p.add_argument("--preempt-every", default="3")
    p.add_argument("--preempt-grace", default="15")
    p.add_argument("--preempt-inside", default="no")
    for knob in ("factor", "victims"):
        p.add_argument("--preempt-" + knob)  # changes nothing that is judged
    p.add_argument("--preempt-keep", default="10")
    p.add_argument("--preempt-part")
    p.add_argument("--preempt-ignored")
    p.add_argument("--preempt-used", default="0.8")
    p.add_argument("--preempt-timeout", default="30")
    p.add_argument("--preempt-cycles", type=int, default=5)
    o = p.parse_args(argv)
    if o.gang_exact is not None:
        o.gang_over = o.gang_exact
    o.load = units(o.load, 6, False)
    by_default = "1" if o.place == "first" else "0"
    o.heartbeat = units(o.heartbeat or by_default, 9, False)
    o.preempt_every = units(o.preempt_every, 9, False)
    o.preempt_grace = units(o.preempt_grace, 9, False)
    o.preempt_keep = units(o.preempt_keep, 9, False)
    o.preempt_timeout = units(o.preempt_timeout, 9, False)
    o.preempt_used = units(o.preempt_used, 6, False)
    by_default = "0.1" if o.preempt == "imbalance" else "0"
    o.preempt_part = units(o.preempt_part or by_default, 6, False)
    o.preempt_ignored = units(o.preempt_ignored or by_default, 6, False)
    o.multiplier = units(o.multiplier, 6, False)
    o.until = units(o.until, 9, False) if o.until else None
    o.default_run = units(o.default_run, 9, False) if o.default_run else None
    return o


def command(o, argv):
    """The program's arguments: ours without --replay and the workload."""
    out, skip = [], False
    for word in argv:
        if skip:
            skip = False
        elif word == "--replay":
            skip = True
        elif word not in (o.workload, "--sum"):
            out.append(word)
    return out


def plain(path, folder):
    """A file that the program can read: it knows no .gz."""
    if not path.endswith(".gz"):
        return path
    to = os.path.join(folder, os.path.basename(path)[:-3])
    with gzip.open(path) as source, open(to, "wb") as target:
        target.write(source.read())
    return to


class Summed(io.RawIOBase):
    """A stream, and the hash of what was read from it."""

    def __init__(self, stream):
        super().__init__()
        self.stream, self.hash = stream, hashlib.sha256()

    def readable(self):
        return True

    def readinto(self, room):
        data = self.stream.read(len(room))
        room[:len(data)] = data
        self.hash.update(data)
        return len(data)

    def with_result(self, result):
        """One word for the log and all of the result that is no time."""
        rest = {key: value for key, value in result.items() if key != "speed"}
        self.hash.update(json.dumps(rest, default=str).encode())
        return self.hash.hexdigest()


def judge(o, log, result):
    check = Check(o)
    check.run(csv.reader(log))
    check.close(result())
    return check


def run_and_judge(o, argv):
    with tempfile.TemporaryDirectory() as folder:
        file = plain(o.workload, folder)
        answer = os.path.join(folder, "result.json")
        args = [o.replay, file, "--quiet", "--json", answer,
                "--decisions", "-"] + command(o, argv)
        process = subprocess.Popen(args, stdout=subprocess.PIPE)
        summed = Summed(process.stdout)
        log = io.TextIOWrapper(io.BufferedReader(summed, 1 << 16), "utf-8",
                               "surrogateescape", newline="")

        def result():
            if process.wait() != 0:
                sys.exit(2)
            with open(answer, encoding="utf-8",
                      errors="surrogateescape") as file:
                return json.load(file, parse_float=Decimal)
        try:
            check = judge(o, log, result)
            check.sum = summed.with_result(check.figures)
            return check
        finally:
            process.kill()
            process.wait()


def read_and_judge(o):
    def result():
        with open(o.json, encoding="utf-8",
                  errors="surrogateescape") as file:
            return json.load(file, parse_float=Decimal)
    with open(o.decisions, encoding="utf-8", errors="surrogateescape",
              newline="") as log:
        return judge(o, log, result)


def main(argv, text=None):
    csv.field_size_limit(1 << 30)
    o = options(argv, text)
    try:
        check = run_and_judge(o, argv) if o.replay else read_and_judge(o)
    except Fault as fault:
        print("FAIL %s: %s" % (os.path.basename(o.workload), fault))
        return 1
    r = check.figures
    if o.sum and o.replay:
        print("sum %s" % check.sum)
    print("PASS %s: %d rows, %d jobs, %d tasks, %d nodes, p50 %s p95 %s s, "
          "digest %s, %s s%s" %
          (" ".join([os.path.basename(o.workload)] + command(o, argv)),
           check.rows, r["workload"]["jobs"], r["workload"]["tasks"],
           r["cluster"]["nodes"], r["delay_s"]["p50"], r["delay_s"]["p95"],
           r["result"]["digest"], round(r["speed"]["wall_s"], 2),
           "; " + ", ".join(check.notes) if check.notes else ""))
    return 0
