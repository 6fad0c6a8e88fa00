#!/usr/bin/env python3
"""usage: tests/planted/recorded.py DATA

Runs the judge on every workload below DATA that has starts and ends, with every
bound at 300 s, and prints the table of "Recorded workloads" in docs/auditing.md.
Where the archive states a capacity, one node has it. A wait that goes on is told
again after each bound, so the table counts jobs, and seconds of `node_over`."""

import sys
from collections import Counter
from pathlib import Path

from sked.audit import RULES
from sked.histories import SECOND, read_history
from sked.importers import ImportFailed

# Capacities that the archives state, in whole cores.
CAPACITY = {"ALCF-Theta-2022": 4360, "CEA-Curie-sample": 93312,
            "HPC2N-2002-first-part": 240, "KTH-SP2-1996-2": 100,
            "NASA-iPSC-1993-3.1-cln": 128}


def judged(path, capacity):
    """Rows of the history and what is found, or None without starts."""
    try:
        history = read_history(str(path), capacity=capacity)
    except ImportFailed:
        return None
    if not any(": start " in line for line in history.lines):
        return None
    found = history.judge(most=1 << 30, **dict.fromkeys(RULES, 300 * SECOND))
    told = {(a.name, a.at if a.name == "node_over" else a.tasks) for a in found}
    return len(history), Counter(name for name, _ in told)


def main(folder):
    print("| workload | rows | findings |\n|---|---|---|")
    for path in sorted(Path(folder).glob("*/common/*.csv.gz")):
        name = path.name.removesuffix(".csv.gz")
        if ".edges" in name:
            continue
        cores = CAPACITY.get(name)
        got = judged(path, cores and {"cpu": 1000 * cores})
        what = f"{path.parents[1].name} {name}"
        if got is None:
            print(f"{what}: no starts", file=sys.stderr)
            continue
        rows, found = got
        words = ", ".join(f"`{rule}` {n:,}" for rule, n in sorted(found.items()))
        print(f"| {what} | {rows:,} | {words or 'nothing'} |", flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
