#!/usr/bin/env python3
"""batch and bad input: one line that says where and what, exit 2, nothing
written, the old file as it was.

    malformed.py PROGRAM
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "support"))
from refusals import faults_of, written  # noqa: E402

H = b"task,bytes\n"
C = ["--cores", "8"]

# name, bytes of the file, options, what stderr says
BAD = [
    ("empty", b"", C, "tasks.csv:1: no header line"),
    ("no task", b"bytes\n", C, ":1: no column task"),
    ("no bytes", b"task\n", C, ":1: no column bytes"),
    ("column twice", b"task,bytes,task\n", C, ":1:12: column task stands twice"),
    ("no rows", H, C, "no tasks"),
    ("short row", H + b"a\n", C, ":2: 1 fields where the header has 2"),
    ("long row", H + b"a,1,1\n", C, ":2: 3 fields where the header has 2"),
    ("task twice", H + b"a,1\nb,1\na,2\n", C, ":4:1: this task stands twice"),
    ("letters", H + b"a,x\n", C, ":2:3: bytes is not a number"),
    ("negative", H + b"a,-1\n", C, ":2:3: bytes is negative"),
    ("2^63", H + b"a,1e19\n", C, ":2:3: bytes is larger than 2^62 units"),
    ("no blocks", b"task,bytes,blocks\na,1,0\n", C, ":2:5: blocks is out of range"),
    ("label 5", b"task,bytes,label\na,1,5\n", C, ":2:5: label is out of range"),
    ("multiplier 0", b"task,bytes,multiplier\na,1,0\n", C,
     ":2:5: multiplier is out of range"),
    ("too long", b"task,bytes,blocks\na,1,1\nb,1,1e12\n", C,
     "task 2: times above the limit: use coarser ticks"),
    ("no cores", H + b"a,1\n", [], "--cores is needed with a file"),
    ("cores 0", H + b"a,1\n", ["--cores", "0"], "--cores is out of range"),
    ("cores letters", H + b"a,1\n", ["--cores", "x"], "--cores is not a number"),
    ("half a core", H + b"a,1\n", ["--cores", "1.5"],
     "--cores is not a whole number"),
    ("nodes", H + b"a,1\n", C + ["--nodes", "9"], "--nodes are more than cores"),
    ("method", H + b"a,1\n", C + ["--method", "magic"], "--method is not one of"),
    ("rule", H + b"a,1\n", C + ["--t-hat", "x"], "--t-hat is drain, threshold"),
    ("sigma 0", H + b"a,1\n", C + ["--sigma", "0"], "--sigma is out of range"),
    ("tau letters", H + b"a,1\n", C + ["--tau", "t"], "--tau is not a number"),
    ("noise 2", H + b"a,1\n", C + ["--noise", "2"], "--noise is out of range"),
    ("time", H + b"a,1\n", C + ["--time", "1,2"], "--time is not T0,TAU_C,G"),
    ("time of four", H + b"a,1\n", C + ["--time", "1,2,3,4"],
     "--time is not T0,TAU_C,G"),
    ("time letters", H + b"a,1\n", C + ["--time", "1,b,3"],
     "--time is not a number"),
    ("no wave", H + b"a,1\n", C + ["--time", "1,0,3"], "--time has no time"),
    ("sweep of best", H + b"a,1\n", C + ["--sweep", "--method", "best"],
     "--sweep goes with simple"),
    ("plot to -", H + b"a,1\n", C + ["--plot", "-"], "--plot is not standard"),
    ("unknown", H + b"a,1\n", C + ["--nonsense", "1"], "--nonsense is unknown"),
    ("no value", H + b"a,1\n", C + ["--sigma"], "--sigma lacks its value"),
    ("second file", H + b"a,1\n", C + ["b.csv"], "b.csv is a second file"),
    ("no file", None, C, "tasks.csv: cannot be"),
    ("over its input", H + b"a,1\n", C + ["--plot", "./tasks.csv"],
     "./tasks.csv is read, too"),
    ("no folder", H + b"a,1\n", C + ["--plot", "none/x.svg"],
     "none/x.svg: cannot be written"),
    ("full disk", H + b"a,1\n", C + ["--plot", "/dev/full"],
     "/dev/full: cannot be written"),
]


def try_bad(program, name, data, options, want):
    with tempfile.TemporaryDirectory() as folder:
        old = os.path.join(folder, "old.svg")
        args = [program, written(folder, "tasks.csv", data), *options]
        if "--plot" not in args:
            args[2:2] = ["--plot", old]
        return faults_of(name, args, old, want)


def main(program):
    faults = []
    for name, data, options, want in BAD:
        faults += try_bad(program, name, data, options, want)
    for option, word in (("--help", b"Exit status"), ("--version", b"batch ")):
        got = subprocess.run([program, option], capture_output=True, timeout=60)
        if got.returncode or word not in got.stdout or got.stderr:
            faults.append("%s: %r" % (option, got.stdout[:100]))
    for fault in faults:
        print(fault)
    print("%d bad inputs, %d faults" % (len(BAD), len(faults)))
    return 1 if faults else 0


sys.exit(main(os.path.abspath(sys.argv[1])))
