"""Which lines and branches of lib/ the tests of a build reached, by gcov.

    python3 tests/gates/coverage.py . BUILD LEAST_LINES LEAST_BRANCHES

Counts of one line are added over all files that include it. Prints what was
not reached, then the two figures; fails below the per cent asked for.
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

root, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
least = {"lines": float(sys.argv[3]), "branches": float(sys.argv[4])}
library = root / "lib"
lines = defaultdict(int)                      # (file, line): times
branches = defaultdict(lambda: [0] * 64)      # (file, line): times of each way
ways = defaultdict(int)                       # (file, line): how many ways


def gcov(notes):
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities",
                           str(notes)], capture_output=True, text=True, cwd=build)
    for text in filter(None, done.stdout.splitlines()):
        yield json.loads(text)


def add_line(name, line):
    at = (name, line["line_number"])
    lines[at] += line["count"]
    counts = [b["count"] for b in line["branches"] if not b["throw"]]
    ways[at] = max(ways[at], len(counts))
    for i, count in enumerate(counts[:64]):
        branches[at][i] += count


notes = sorted(build.glob("lib/**/sked_objects.dir/**/*.gcno"))
for note in notes:
    for report in gcov(note):
        for file in report["files"]:
            path = (Path(report["current_working_directory"]) / file["file"]).resolve()
            if library in path.parents:
                for line in file["lines"]:
                    add_line(str(path.relative_to(root)), line)

missed = defaultdict(list)
reached = total = 0
for (name, n), count in sorted(lines.items()):
    if not count:
        missed[name].append(str(n))
for at, n in sorted(ways.items()):
    hit = sum(c > 0 for c in branches[at][:n])
    reached, total = reached + hit, total + n
    if lines[at] and hit < n:
        missed[at[0]].append(f"{at[1]}({hit}/{n})")
for name, places in missed.items():
    print(f"{name}: {' '.join(sorted(places, key=lambda p: int(p.split('(')[0])))}")


# Rooms whose suite is still growing: what it reaches today may not shrink.
YOUNG = {room: (97.0, 90.0) for room in (
    "engine", "pctl", "history", "tiers", "slo", "report", "plan", "rank", "round", "target", "preempt", "route", "balance", "advise")}


def figures_of(rooms):
    names = [at for at in lines if (at[0].split("/")[1] in YOUNG) == rooms]
    hit = sum(lines[at] > 0 for at in names)
    mine = [at for at in ways if (at[0].split("/")[1] in YOUNG) == rooms]
    return {"lines": (hit, len(names)),
            "branches": (sum(sum(c > 0 for c in branches[at][:ways[at]]) for at in mine),
                         sum(ways[at] for at in mine))}


def judge(title, figures, least):
    print(title + "; ".join(f"{what} {100 * a / max(b, 1):.2f} % ({a} of {b})"
                            for what, (a, b) in figures.items()))
    return all(100 * a >= least[what] * b for what, (a, b) in figures.items())


young = {"lines": min(a for a, _ in YOUNG.values()),
         "branches": min(b for _, b in YOUNG.values())}
good = judge("young rooms: ", figures_of(True), young)
good &= judge("the rest: ", figures_of(False), least)
sys.exit(not notes or not good)
