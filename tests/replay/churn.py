#!/usr/bin/env python3
"""The figures of examples/README.md: least utilised first locks a queue out
for more than an hour beside one that churns; order `random` does not.

    churn.py PROGRAM
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "examples", "data")
WANT = {"utilisation": (66.0, 114.0), "random": (1.9 / 60, 1.9 / 60)}


def main(program):
    bad = 0
    for policy, want in WANT.items():
        said = subprocess.run(
            [program, os.path.join(DATA, "churn.csv"), "--tree",
             os.path.join(DATA, "churn.txt"), "--nodes", "10 x cpu=10",
             "--policy", policy, "--json", "-"],
            check=True, capture_output=True).stdout
        queue = next(q for q in json.loads(said)["queues"]
                     if q["path"] == "root.small")
        got = [queue["delay_s"][p] / 60 for p in ("p50", "p95")]
        good = all(abs(a - b) < 0.06 for a, b in zip(got, want))
        print("%-12s small waits %.2f and %.2f min%s" %
              (policy, got[0], got[1], "" if good else ": not as stated"))
        bad += not good
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
