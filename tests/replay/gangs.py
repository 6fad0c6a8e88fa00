#!/usr/bin/env python3
"""Logs of exact gangs over nodes: sound ones pass; spoiled ones, and those of
gangs of which a node takes any number, do not.

    gangs.py PROGRAM
"""
import random
import sys

import checker

NODES = ["--nodes", "4 x cpu=7"]
SPOILED = checker.GANGS_SPOILED[:5] + [
    ("fewer on each node", None, ["--gang-exact", "2"]),
    ("smaller nodes", None, ["--nodes", "4 x cpu=3"]),
]
ANY_NUMBER = [("any number on a node", None, ["--gang-exact", "4"])]


def workload():
    """Jobs of four tasks, or several times as many."""
    draw = random.Random(12)
    rows = ["submit_s,run_s,tasks,queue,cpu,mem_bytes,partition,job_id"]
    for i in range(60):
        rows.append("%d,%d,%d,%s,1,0,,j%d" % (
            i // 3 * 20, draw.randint(10, 60), 4 * draw.randint(1, 5),
            "aac"[i % 3] if i % 4 else "b", i))
    return "\n".join(rows) + "\n"


def main(program):
    bad = 0
    for more, spoiled in ((["--gang-exact", "4"], SPOILED),
                          (["--gang-over", "4"], ANY_NUMBER)):
        bad += checker.try_all(program, workload(), checker.PREEMPT_TREE,
                               NODES + more, spoiled)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
