#!/usr/bin/env python3
"""replay and rules over attributes of nodes: what is wrong with one is said with
its line and column; what is right is kept to, and the checker of decision logs
sees where it is not.

    rules.py PROGRAM
"""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support"),
                os.path.join(HERE, "..")]
import checker  # noqa: E402
from refusals import faults_of, written  # noqa: E402
from replay_check.rules import Rules  # noqa: E402

H = "submit_s,run_s,needs\n"
NODES = ["--nodes", "2 x cpu=4,memory=1GiB zone=a gpu=v100 gpu=t4 disk=100",
         "--nodes", "1 x cpu=4,memory=1GiB zone=b disk=2000"]

# what the column says, or options instead of NODES; what stderr says
BAD = [
    ("zone=", ":2:10: needs: a value is missing"),
    ("=a", ":2:5: needs: a key is missing"),
    ("zone=a &", ":2:13: needs: a key is missing"),
    ("zone=a zone=b", ":2:12: needs: '&' or '|' is missing"),
    ("(zone=a", ":2:12: needs: a ) is missing"),
    ("zone=a)", ":2:11: needs: '&' or '|' is missing"),
    ("rack=1", ":2:5: needs: no node has an attribute rack"),
    ("zone=a & !gpus", ":2:15: needs: no node has an attribute gpus"),
    ("disk<many", ":2:10: needs: not a whole number: many"),
    ("disk>1.5", ":2:10: needs: not a whole number: 1.5"),
    ("()", ":2:6: needs: a key is missing"),
    ("!", ":2:6: needs: a key is missing"),
    ("!zone=a", ":2:10: needs: '&' or '|' is missing"),
    ("zone!a", ":2:9: needs: '&' or '|' is missing"),
    (" ", ":2:6: needs: a key is missing"),
    ("(" * 65 + "zone=a" + ")" * 65, ":2:69: needs: more than 64 brackets"),
    ("(" * 100000, ":2:69: needs: more than 64 brackets"),
    ("&".join(["zone=a"] * 2000), "needs: more than 1024 terms"),
]
BAD_NODES = [
    (["--nodes", "1 x cpu=1"], ":2:5: needs: no node has an attribute zone"),
    ([], ":2:5: needs: no node has an attribute zone"),
    (["--nodes", "1 x cpu=1 @p zone"], "--nodes: zone is not \"key=value\""),
    (["--nodes", "1 x cpu=1 @p zone="], "--nodes: zone= is not"),
    (["--nodes", "1 x cpu=1 zone=a=b"], "--nodes: zone=a=b is not"),
    (["--nodes", "1 x cpu=1 zone=a @p"], "--nodes: @p is not"),
    (["--nodes", "1 x cpu=1 @" + "p" * 64 + " zone=a"], "a bad partition"),
    (["--nodes", "1 x cpu=1 zone=" + "a" * 1001], "more than 1000 bytes"),
    (["--nodes", "1 x cpu=1 " + "zone=a " * 1025], "more than 1024 attributes"),
]

# rules, and the nodes (as letters) that they take of these:
SORTS = ["1 x cpu=9 zone=a gpu=v100", "1 x cpu=9 @p zone=b gpu=v100 gpu=t4",
         "1 x  cpu=9, memory=1GiB   @ p  disk=-7  ", "1 x cpu = 9 disk=70"]
TAKES = [
    ("", "abcd"), ("zone=a", "a"), ("zone!=a", "bcd"), ("zone", "ab"),
    ("!zone", "cd"), ("gpu=t4|disk>0", "bd"), (" gpu = v100 & gpu != t4 ", "a"),
    ("disk<0", "c"), ("disk>-8", "cd"), ("disk>-7", "d"), ("disk<70", "c"),
    ("disk=-7", "c"), ("disk=070", ""), ("disk!=70", "abc"), ("zone<5", ""),
    ("zone=a | zone=b & gpu=t4", "ab"), ("(zone=a | zone=b) & gpu=t4", "b"),
    ("((gpu))", "ab"), ("zone=c", ""), ("!disk&!gpu|zone!=z&zone", "ab"),
]


def faults_of_rule(program, text, options, want):
    with tempfile.TemporaryDirectory() as folder:
        old = os.path.join(folder, "old.json")
        file = written(folder, "w.csv", (H + "1,2," + text + "\n").encode())
        return faults_of(text[:40] or str(options), [program, file] + options +
                         ["--json", old], old, want)


def nodes_taken(program, text):
    """Jobs that fill a node each: where they start."""
    with tempfile.TemporaryDirectory() as folder:
        rows = "submit_s,run_s,cpu,tasks,partition,needs\n" + "".join(
            "0,5,9,4,%s,%s\n" % (p, text) for p in ("", "p"))
        file = written(folder, "w.csv", rows.encode())
        log = subprocess.run(
            [program, file, "--quiet", "--decisions", "-"] +
            [word for spec in SORTS for word in ("--nodes", spec)],
            check=True, capture_output=True, timeout=60).stdout.decode()
    return "".join(sorted({"abcd"[int(row.split(",")[7])]
                           for row in log.split("\n")[1:]
                           if ",allocate," in row}))


def workload(seed):
    draw = random.Random(seed)
    rules = ["", "zone=a", "zone!=b", "gpu=v100 & disk<500", "gpu | disk>1000",
             "zone=b | gpu=t4", "!gpu", "zone=c"]
    rows = ["submit_s,run_s,tasks,queue,cpu,mem_bytes,needs,job_id"]
    for i in range(200):
        rows.append("%d,%d,%d,%s,%d,0,%s,j%d" % (
            i // 4, draw.randint(1, 9), draw.randint(1, 4), draw.choice("abc"),
            draw.choice([1, 1, 2, 3]), draw.choice(rules), i))
    return "\n".join(rows) + "\n"


SPOILED = [
    ("moved to another node", checker.put(
        "allocate", 3, 7, lambda n: str((int(n) + 2) % 3)), []),
    ("a rule in the way is told as size", checker.put(
        "reject", 0, 9, lambda _: "no node is large enough"), []),
    ("what no node takes is admitted", checker.admit_rejected, []),
    ("nodes without a zone", None,
     ["--nodes", "2 x cpu=4,memory=1GiB gpu=v100 gpu=t4 disk=100"]),
]
RUNS = [[], ["--heartbeat", "0"], ["--gang"], ["--gang-over", "0"],
        ["--gang-over", "2", "--heartbeat", "0"], ["--place", "pack"],
        ["--place", "spread"], ["--preempt", "imbalance"]]


def sound_or_not(program):
    """Logs of every sort pass; those of the same decisions under other rules
    do not."""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for seed, said in itertools.product((1, 2), RUNS):
            text = workload(seed)
            written(folder, "w.csv", text.encode())
            rows, figures = checker.run_in(program, folder, NODES + said)
            fault = checker.judge(folder, rows, figures, [], NODES + said)
            if fault:
                faults.append("%s, seed %d: %s" % (said, seed, fault))
            for old, new in (("zone=a", "zone=b"), ("!gpu", "gpu"),
                             ("disk<500", "disk>500"), ("zone!=b", "zone=c")):
                written(folder, "w.csv", text.replace(old, new).encode())
                if not checker.judge(folder, rows, figures, [], NODES + said):
                    faults.append("%s: %s for %s is not noticed" %
                                  (said, new, old))
    return faults


def sample(program):
    """The figures of examples/README.md."""
    data = os.path.join(HERE, "..", "..", "examples", "data", "gpus.csv")
    got = json.loads(subprocess.run(
        [program, data, "--nodes", "2 x cpu=32,memory=128GiB", "--nodes",
         "2 x cpu=64,memory=256GiB,gpu=4 gpu_model=a100 zone=a", "--nodes",
         "8 x cpu=64,memory=256GiB,gpu=4 gpu_model=t4 zone=b", "--json", "-"],
        check=True, capture_output=True, timeout=60).stdout)
    waits = {q["path"]: "%.1f" % (q["delay_s"]["p95"] / 60)
             for q in got["queues"]}
    print("gpus.csv: %s, %d rejected" % (waits, got["result"]["rejected"]))
    want = {"root": "5.2", "root.research": "11.4", "root.service": "1.5"}
    return [] if waits == want else ["gpus.csv: not as stated"]


def main(program):
    faults = []
    for text, want in BAD:
        faults += faults_of_rule(program, text, NODES, want)
    for options, want in BAD_NODES:
        faults += faults_of_rule(program, "zone=a", options, want)
    twin = Rules([["zone=a", "gpu=v100"], ["zone=b", "gpu=v100", "gpu=t4"],
                  ["disk=-7"], ["disk=70"]])
    for text, want in TAKES:
        got = nodes_taken(program, text)
        said = "".join(n for i, n in enumerate("abcd") if twin.takes(text, i))
        if got != want or said != want:
            faults.append("%r takes %r, the checker says %r, not %r" %
                          (text, got, said, want))
    faults += sound_or_not(program) + sample(program)
    for fault in faults:
        print(fault)
    bad = checker.try_all(program, workload(1), "root\nroot.a\nroot.b\nroot.c\n",
                          NODES, SPOILED)
    return 1 if faults or bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
