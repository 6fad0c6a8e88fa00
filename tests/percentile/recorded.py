#!/usr/bin/env python3
"""The percentile allocations of recorded workloads, against answers that were
worked out apart: every column from in_use_s on must be the same.

    recorded.py PROGRAM DATA
"""
import csv
import gzip
import os
import subprocess
import sys

# folder, workload, options
CASES = [
    ("helios-earth-vc", "earth-2020-05", ["--kind", "gpu"]),
    ("philly", "philly-jobs", ["--kind", "gpu"]),
    ("swf-hpc", "CEA-Curie-sample", []),
    ("swf-hpc", "HPC2N-2002-first-part", ["--by", "user"]),
    ("swf-hpc", "KTH-SP2-1996-2", ["--by", "user"]),
    ("swf-hpc", "NASA-iPSC-1993-3.1-cln", []),
    ("xdmod-sacct", "phillips", ["--by", "group|queue", "--kind", "cpu"]),
]


def rows_of(lines):
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    return rows[0], {row[0]: row[2:] for row in rows[1:]}


def check(program, workload, answers, options):
    with gzip.open(workload) as file:
        data = file.read()
    got = subprocess.run([program, "-", "--csv"] + options, input=data,
                         capture_output=True, timeout=120)
    if got.returncode != 0:
        return ["exit status %d: %r" % (got.returncode, got.stderr[:200])], 0
    head, rows = rows_of(got.stdout.decode().splitlines())
    with open(answers, encoding="utf-8") as file:
        want_head, want = rows_of(file.read().splitlines())
    faults = [] if head == want_head else ["the header is %r" % head]
    for key in sorted(set(rows) | set(want)):
        if rows.get(key) != want.get(key):
            faults.append("%r: %r, not %r" % (key, rows.get(key),
                                              want.get(key)))
    return faults, len(want)


def main(program, data):
    faults = ran = keys = 0
    for folder, name, options in CASES:
        workload = os.path.join(data, folder, "common", name + ".csv.gz")
        answers = os.path.join(data, "golden",
                               "percentile_%s__%s.csv" % (folder, name))
        if not os.path.exists(workload) or not os.path.exists(answers):
            continue
        told, n = check(program, workload, answers, options)
        for fault in told:
            print("%s: %s" % (name, fault))
        ran += 1
        keys += n
        faults += len(told)
    if not ran:
        print("SKIPPED: no recorded workloads in %s" % data)
        return 0
    print("%d workloads, %d keys, %d faults" % (ran, keys, faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
