#!/usr/bin/env python3
"""usage: tests/planted/run.py [--table] [--seconds S] [--seed N] [NAME...]

Tries the kits of the Python package on planted bugs: each wrong division and
each wrong manager must be found within S seconds of CPU (default 10), and each
right one must pass. Prints a line for each. With --table, prints the table of
docs/testing-your-scheduler.md instead, with the kits of C and Go beside
Python's where `planted` is built below build/ and Go is installed. Exit status
1 when a bug is not found or a right one is accused."""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import divisions as wrong_divisions  # noqa: E402
import managers as wrong_managers  # noqa: E402

from sked.testing import divisions, managers  # noqa: E402


def size(bug):
    """Rows of equal claims of a division, steps of a manager."""
    return len(bug.rows) if hasattr(bug, "claims") else len(bug.world.steps)


def plain(name):
    """HalfAGang is half_a_gang, as in the kits of C and Go."""
    return re.sub(r"(?<=[A-Za-z0-9])(?=[A-Z])|(?<=[a-z])(?=[0-9])", "_",
                  name).lower() if name[0].isupper() else name


def rules_of(module, name):
    """The rules of a manager that are not the default ones."""
    rules = getattr(module, "RULES", {}).get(name)
    return {"rules": rules} if rules else {}


def rows_of(text):
    """Rows that the kits of C and Go print, by kit and bug."""
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if line.startswith("| ") and len(cells) == 6:
            rows[cells[1].split()[1], cells[0]] = cells[2:]
    return rows


def in_c(seed):
    """What the kit of C finds, with the newest program that is built."""
    programs = sorted(ROOT.glob("build/*/tests/planted/planted"),
                      key=lambda path: path.stat().st_mtime)
    if not programs:
        print("SKIPPED: C, no build/*/tests/planted/planted", file=sys.stderr)
        return {}
    done = subprocess.run([programs[-1], "--table", "--seed", str(seed)],
                          capture_output=True, text=True, check=True)
    return rows_of(done.stdout)


def in_go():
    """What the kit of Go finds."""
    environment = {**os.environ, "SKED_PLANTED": "table", "GOFLAGS": "-mod=mod",
                   "GOTOOLCHAIN": "local", "GOWORK": "off", "GOPROXY": "off"}
    try:
        done = subprocess.run(
            ["go", "test", "-count=1", "-v", "-run", "Planted.*Found", "."],
            cwd=ROOT / "bindings/go/skedtest", env=environment,
            capture_output=True, text=True, check=True)
    except FileNotFoundError:
        print("SKIPPED: Go is not installed", file=sys.stderr)
        return {}
    return rows_of(done.stdout)


def table(python, seed):
    """One row for each bug, with seconds and size in each language."""
    kits = [python, in_c(seed), in_go()]
    print("| bug | kit | broken invariant | Python: s, size | C: s, size "
          "| Go: s, size |\n|---|---|---|---|---|---|")
    for key in sorted(set().union(*kits)):
        found = [kit.get(key) for kit in kits]
        invariant = next(row[0] for row in found if row)
        cells = [f"{row[2]}, {row[3]}" if row else "" for row in found]
        print(f"| {key[1]} | {key[0]} | {invariant} | " + " | ".join(cells) +
              " |")
    for name, kit in zip(("Python", "C", "Go"), kits):
        if kit:
            most = max(float(row[2]) for row in kit.values())
            steps = max(int(row[3]) for (what, _), row in kit.items()
                        if what == "manager")
            print(f"{name}: {len(kit)} bugs, the slowest in {most:.2f} s, at "
                  f"most {steps} steps", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--right", type=int, default=300, metavar="RUNS")
    parser.add_argument("names", nargs="*")
    said = parser.parse_args()
    missed, rows = [], {}
    for kit, search, module in (
            ("division", divisions.search, wrong_divisions),
            ("manager", managers.search, wrong_managers)):
        for name, subject in module.WRONG.items():
            if said.names and name not in said.names:
                continue
            bug = search(subject, seconds=said.seconds, seed=said.seed,
                         runs=1 << 30, **rules_of(module, name))
            if bug is None:
                missed.append(name)
                print(f"{name}: not found", file=sys.stderr)
                continue
            cells = (bug.invariant, bug.runs, f"{bug.seconds:.2f}", size(bug))
            rows[kit, plain(name)] = cells
            if not said.table:
                print("{:30} {:9} {:32} {:6} runs {:>6} s  size {}".format(
                    name, kit, *cells), flush=True)
        for name, subject in module.RIGHT.items():
            if said.names:
                continue
            bug = search(subject, runs=said.right, seed=said.seed,
                         **rules_of(module, name))
            if bug is not None:
                missed.append(name)
                print(f"{name} is right, and was accused:\n{bug}",
                      file=sys.stderr)
    if said.table:
        table(rows, said.seed)
    return 1 if missed else 0


sys.exit(main())
