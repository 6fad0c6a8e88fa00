#!/usr/bin/env python3
"""usage: tests/planted/run.py [--table] [--seconds S] [--seed N] [NAME...]

Tries the kits of the Python package on planted bugs: each wrong division and
each wrong manager must be found within S seconds of CPU (default 10), and each
right one must pass. Prints a line for each, or with --table the table of
docs/testing-your-scheduler.md. Exit status 1 when one is not found."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import divisions as wrong_divisions  # noqa: E402
import managers as wrong_managers  # noqa: E402

from sked.testing import divisions, managers  # noqa: E402


def size(bug):
    """Claims of a division, steps of a manager."""
    return len(bug.claims) if hasattr(bug, "claims") else len(bug.world.steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--right", type=int, default=300, metavar="RUNS")
    parser.add_argument("names", nargs="*")
    said = parser.parse_args()
    missed = []
    if said.table:
        print("| bug | kit | broken invariant | runs | seconds | size |\n"
              "|---|---|---|---|---|---|")
    for kit, search, module in (
            ("division", divisions.search, wrong_divisions),
            ("manager", managers.search, wrong_managers)):
        for name, subject in module.WRONG.items():
            if said.names and name not in said.names:
                continue
            bug = search(subject, seconds=said.seconds, seed=said.seed,
                         runs=1 << 30)
            if bug is None:
                missed.append(name)
                print(f"{name}: not found", file=sys.stderr)
                continue
            cells = (name, kit, bug.invariant, bug.runs, f"{bug.seconds:.2f}",
                     size(bug))
            print("| " + " | ".join(map(str, cells)) + " |" if said.table else
                  "{:30} {:9} {:32} {:6} runs {:>6} s  size {}".format(*cells),
                  flush=True)
        for name, subject in module.RIGHT.items():
            if said.names:
                continue
            bug = search(subject, runs=said.right, seed=said.seed)
            if bug is not None:
                missed.append(name)
                print(f"{name} is right, and was accused:\n{bug}",
                      file=sys.stderr)
    return 1 if missed else 0


sys.exit(main())
