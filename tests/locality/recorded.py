#!/usr/bin/env python3
"""Where the blocks of recorded Hadoop jobs lay: the least load of each job is
the known one, worked out apart by augmenting paths.

    recorded.py PROGRAM [DATA]
"""
import csv
import gzip
import json
import os
import subprocess
import sys


def blocks_of(path):
    """The blocks of each job: lists of hosts."""
    jobs = {}
    with gzip.open(path, "rt") as file:
        for row in csv.reader(line for line in file if not line.startswith("#")):
            if row[0] == "job":
                continue
            jobs.setdefault(row[0], []).append([h for h in row[2:] if h])
    return jobs


def least_load(program, blocks):
    lines = ["block,host"]
    for i, hosts in enumerate(blocks):
        lines += ["%d,%s" % (i, h) for h in hosts or [""]]
    got = subprocess.run([program, "-", "--json"],
                         input="\n".join(lines).encode(), capture_output=True,
                         timeout=60, check=True)
    answer = json.loads(got.stdout)
    assert answer["verified"] is True
    return answer["blocks"], answer["hosts"], answer["least_load"]


def main(program, data=None):
    data = data or os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../../../shared/data")
    answers = os.path.join(data, "golden", "least_max_load.csv")
    if not os.path.exists(answers):
        print("SKIPPED: no recorded placements in", data)
        return 0
    known, faults, ran = {}, 0, 0
    with open(answers, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            known.setdefault(row["source"], []).append(row)
    for source, rows in known.items():
        path = os.path.join(data, "hdfs-blocks", "common",
                            source + ".blocks.csv.gz")
        if not os.path.exists(path):
            continue
        jobs = blocks_of(path)
        for row in rows:
            want = tuple(int(row[key]) for key in
                         ("blocks", "hosts", "least_max_load"))
            got = least_load(program, jobs[row["job"]])
            if got != want:
                print("%s %s: %r, not %r" % (source, row["job"], got, want))
                faults += 1
            ran += 1
    print("%d jobs, %d faults" % (ran, faults))
    return 1 if faults or not ran else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
