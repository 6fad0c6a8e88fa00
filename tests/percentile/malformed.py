#!/usr/bin/env python3
"""percentile and bad input: one line that says where and what, exit 2, nothing
written, the old file as it was. And the shape of what it does write.

    malformed.py PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile
import xml.dom.minidom

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "support"))
from refusals import faults_of, words, written  # noqa: E402

H = b"start_s,end_s,queue,cpu\n"
U = b"key,length_s,amount\n"

# name, bytes of the file, options, what stderr says
BAD = [
    ("empty", b"", [], "usage.csv:1: no header line"),
    ("no start", b"end_s,queue\n", [], ":1: no column start_s"),
    ("no end", b"start_s,queue\n", [], ":1: no column end_s"),
    ("no key", b"start_s,end_s\n", [], ":1: no column queue"),
    ("no such column", H, ["--by", "queue|team"], ":1: no column team"),
    ("column twice", b"start_s,end_s,start_s,queue\n", [],
     ":1:15: column start_s stands twice"),
    ("short row", H + b"1,2\n", [], ":2: 2 fields where the header has 4"),
    ("letters", H + b"1,2,a,1\nx,2,a,1\n", [], ":3:1: start_s is not a number"),
    ("negative", H + b"1,2,a,-1\n", [], ":2:7: cpu is negative"),
    ("end before start", H + b"5,4,a,1\n", [],
     ":2:3: end_s is before start_s"),
    ("2^63", H + b"1,2,a,1e19\n", [], ":2:7: cpu is larger than 2^62 units"),
    ("2^62 ns", H + b"1,4611686018.427387905,a,1\n", [],
     ":2:3: end_s is larger than 2^62 units"),
    ("half a task", b"start_s,end_s,queue,tasks\n1,2,a,1.5\n", [],
     ":2:7: tasks is not a whole number"),
    ("too many tasks", b"start_s,end_s,queue,tasks,cpu\n1,2,a,1e9,1e9\n", [],
     ":2: the tasks want more than 2^62 units of cpu"),
    ("too much at once", H + b"1,3,a,4e15\n2,3,a,4e15\n", [],
     ":3: queue holds more than 2^62 units"),
    ("open quote", H + b'1,2,"a,1\n', [], ":2:5: a quote is never closed"),
    ("compressed", b"\x1f\x8b\x08\x00", [], "is compressed: unpack it (gzip -dc), and give -"),
    ("no gpu in the instance", b"start_s,end_s,queue,gpu\n1,2,a,1\n",
     ["--instance", "cpu=1"],
     ":2: the instance has nothing of this kind (gpu)"),
    ("units: negative", U + b"a,-1,1\n", [], ":2:3: length_s is negative"),
    ("units: letters", U + b"a,1,b\n", [], ":2:5: amount is not a number"),
    ("units: too long", U + b"a,4e9,1\na,4e9,1\n", [],
     ":3: the lengths are larger than 2^62 ns"),
    ("units: instance", U, ["--instance", "cpu=1"],
     "time units do not go with --instance"),
    ("no file", None, [], "usage.csv: cannot be opened"),
    ("kind", H, ["--kind", "disk"], "--kind is gpu, cpu or memory"),
    ("kind and instance", H, ["--kind", "gpu", "--instance", "cpu=1"],
     "--instance does not go with --kind"),
    ("instance", H, ["--instance", "cpu=x"], "--instance:1:5"),
    ("empty instance", H, ["--instance", "cpu=0"],
     "--instance: the instance has nothing"),
    ("threshold 0", H, ["--thresholds", "0.5,0"], "--thresholds are above 0"),
    ("threshold 1.1", H, ["--thresholds", "1.1"], "--thresholds are above 0"),
    ("threshold letters", H, ["--thresholds", "a"],
     "--thresholds is not a number"),
    ("no threshold", H, ["--thresholds", ""], "--thresholds is empty"),
    ("window", H, ["--window", "5"], "--window is not START,END"),
    ("empty window", H, ["--window", "5,5"], "--window is empty"),
    ("window letters", H, ["--window", "5,x"], "--window is not a number"),
    ("unknown", H, ["--nonsense", "1"], "--nonsense is unknown"),
    ("no value", H, ["--by"], "--by lacks its value"),
    ("second file", H, ["b.csv"], "b.csv is a second file"),
    ("tiers: no file", H, ["--tiers", "none.csv"], "none.csv: cannot be"),
    ("tiers: no column", H, ["--tiers", b"key\na\n"], "tiers.csv:1: no column"),
    ("tiers: letters", H, ["--tiers", b"key,tier\na,one\n"],
     "tiers.csv:2:3: tier is not a number from 1 to 9"),
    ("tiers: 0", H, ["--tiers", b"key,tier\na,0\n"], "tiers.csv:2:3: tier is"),
    ("tiers: short", H, ["--tiers", b"key,tier\na\n"], "tiers.csv:2: 1 fields"),
    ("over its input", H, ["--plot", "./usage.csv"],
     "./usage.csv is read, too"),
    ("over the tiers", H, ["--tiers", b"key,tier\n", "--plot", "tiers.csv"],
     "tiers.csv is read, too"),
    ("two on standard output", H, ["--plot", "-", "--json"],
     "- can be one output only"),
    ("tiers and plot there", H, ["--tiers", b"key,tier\n", "--plot", "-"],
     "- can be one output only"),
    ("no folder", H, ["--plot", "none/x.svg"], "none/x.svg: cannot be written"),
    ("full disk", H, ["--plot", "/dev/full"], "/dev/full: cannot be written"),
]


def run(program, folder, data, options):
    return [program, written(folder, "usage.csv", data),
            *words(folder, options, "tiers.csv")]


def try_bad(program, name, data, options, want):
    with tempfile.TemporaryDirectory() as folder:
        old = os.path.join(folder, "old.svg")
        args = run(program, folder, data, options)
        if "--plot" not in args:
            args[2:2] = ["--plot", old]
        return faults_of(name, args, old, want)


def try_good(program):
    """What is written when all is well."""
    data = H + b"0,10,a<&>,4\n5,20,b,2\n3,3,b,9\n,4,b,1\n"
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        svg = os.path.join(folder, "new.svg")
        args = run(program, folder, data, [])
        got = subprocess.run(args + ["--csv", "--plot", svg],
                             capture_output=True, timeout=60)
        want = (b"key,records,in_use_s,unit_seconds,p50,p80,p90,p95,p99,p100\n"
                b"a<&>,1,10,40,4,4,4,4,4,4\nb,1,15,30,2,2,2,2,2,2\n")
        if got.returncode or got.stdout != want:
            faults.append("CSV: %r" % got.stdout)
        if got.stderr != b"percentile: 1 rows without start or end left out\n":
            faults.append("left out: %r" % got.stderr)
        alone = subprocess.run(args + ["--plot", "-"], capture_output=True,
                               timeout=60)
        if alone.stdout != open(svg, "rb").read():
            faults.append("the plot on standard output: %r" % alone.stdout[-100:])
        if len(xml.dom.minidom.parse(svg).getElementsByTagName("path")) < 9:
            faults.append("the plot has no curves")
        tiers = run(program, folder, data,
                    ["--tiers", b"key,tier\na<&>,1\nb,2\nc,3\n"])
        got = subprocess.run(tiers, capture_output=True, timeout=60)
        if got.returncode or b"tier 2: threshold 90 %, 2 cores" not in got.stdout:
            faults.append("tiers: %d %r" % (got.returncode, got.stdout))
        got = subprocess.run(tiers + ["--csv"], capture_output=True, timeout=60)
        if got.returncode or got.stdout != (
                b"key,records,in_use_s,unit_seconds,p50,p80,p90,p95,p99,p100,"
                b"tier,threshold,weight\na<&>,1,10,40,4,4,4,4,4,4,1,0.95,4\n"
                b"b,1,15,30,2,2,2,2,2,2,2,0.9,2\n"):
            faults.append("tiers, CSV: %d %r" % (got.returncode, got.stdout))
        got = subprocess.run(tiers + ["--json"], capture_output=True, timeout=60)
        rows = json.loads(got.stdout)
        if got.returncode or [(x["tier"], x["threshold"], x["weight"])
                              for x in rows] != [(1, 0.95, 4), (2, 0.9, 2)]:
            faults.append("tiers, JSON: %d %r" % (got.returncode, got.stdout))
        tiers = run(program, folder, data,
                    ["--tiers", b"key,tier\na<&>,2\nb,1\n"])
        got = subprocess.run(tiers, capture_output=True, timeout=60)
        if got.returncode != 1 or b"No plan" not in got.stdout:
            faults.append("no plan: %d %r" % (got.returncode, got.stdout))
        got = subprocess.run(tiers + ["--json"], capture_output=True, timeout=60)
        if got.returncode != 1 or [(x["tier"], x["threshold"], x["weight"])
                                   for x in json.loads(got.stdout)] != [
                                       (2, None, None), (1, None, None)]:
            faults.append("no plan, JSON: %d %r" % (got.returncode, got.stdout))
    for option, word in (("--help", b"Exit status"), ("--version", b"percentile ")):
        got = subprocess.run([program, option], capture_output=True, timeout=60)
        if got.returncode or word not in got.stdout or got.stderr:
            faults.append("%s: %r" % (option, got.stdout[:100]))
    return faults


def main(program):
    faults = try_good(program)
    for name, data, options, want in BAD:
        faults += try_bad(program, name, data, options, want)
    for fault in faults:
        print(fault)
    print("%d bad inputs, %d faults" % (len(BAD), len(faults)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
