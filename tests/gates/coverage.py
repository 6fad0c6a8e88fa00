"""Which lines and branches of lib/ the tests of a build reached, by gcov.

    python3 tests/gates/coverage.py . BUILD LEAST_LINES LEAST_BRANCHES

Counts of one line are added over all files that include it; of files for
instructions that the processor lacks nothing is counted. Prints what was
not reached, then the two figures of every folder and of the whole; fails where
a folder is below the per cent asked for, and names it.
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


def not_here():
    """Files for instructions that this processor lacks: no test can reach them."""
    needs = {"lib/fill/avx512.c": {"avx512f", "avx512dq", "avx512vl", "avx512bw"},
             "lib/fill/avx2.c": {"avx2"}}
    info = Path("/proc/cpuinfo")
    has = set(info.read_text().split()) if info.exists() else set()
    return {name for name, flags in needs.items() if not flags <= has}


left_out = not_here()
for name in sorted(left_out):
    print(f"{name}: left out, since this processor cannot run it")
notes = sorted(build.glob("lib/**/sked_objects.dir/**/*.gcno"))
for note in notes:
    for report in gcov(note):
        for file in report["files"]:
            path = (Path(report["current_working_directory"]) / file["file"]).resolve()
            name = str(path.relative_to(root)) if library in path.parents else None
            if name and name not in left_out:
                for line in file["lines"]:
                    add_line(name, line)

missed = defaultdict(list)
for (name, n), count in sorted(lines.items()):
    if not count:
        missed[name].append(str(n))
for at, n in sorted(ways.items()):
    hit = sum(c > 0 for c in branches[at][:n])
    if lines[at] and hit < n:
        missed[at[0]].append(f"{at[1]}({hit}/{n})")
for name, places in missed.items():
    print(f"{name}: {' '.join(sorted(places, key=lambda p: int(p.split('(')[0])))}")


def figures(folder):
    """Reached and all, of lines and of branches, in one folder of lib/, without
    those below it; None: in all of lib/."""
    def mine(at):
        return folder is None or str(Path(at[0]).parent) == folder
    return {"lines": (sum(c > 0 for at, c in lines.items() if mine(at)),
                      sum(map(mine, lines))),
            "branches": (sum(sum(c > 0 for c in branches[at][:n])
                             for at, n in ways.items() if mine(at)),
                         sum(n for at, n in ways.items() if mine(at)))}


def tell(title, of):
    print(f"{title}: " + "; ".join(f"{what} {100 * a / max(b, 1):.2f} % ({a} of {b})"
                                   for what, (a, b) in of.items()))


# Folders that are not there yet: what they must reach. These figures only rise.
still = {
    "lib/engine": {"lines": 99.99},
    "lib/audit": {"branches": 94.1},
}


def short(of, folder):
    at_least = {**least, **still.get(folder, {})}
    return [what for what, (a, b) in of.items() if 100 * a < at_least[what] * b]


folders = {folder: figures(folder) for folder in sorted({str(Path(at[0]).parent) for at in lines})}
for folder, of in folders.items():
    tell(folder, of)
tell("all", figures(None))
too_few = [f"{folder}: too few {' and '.join(short(of, folder))}"
           for folder, of in folders.items() if short(of, folder)]
for line in too_few:
    print(line)
sys.exit(not notes or bool(too_few))
