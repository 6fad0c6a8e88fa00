"""Two settings on the same work, with what chance has to do with it.

The bundled day with a fifth more of it: in every leaf the job that was submitted
first goes first, or the one with the least left to start. Which jobs come twice
is drawn anew with each seed, alike for both. Prints a row a queue: by how much the
95th percentile of delays changes, at least, in the middle and at most."""

import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import sked
from sked.importers import read_workload, to_jobs

PARTS = {"": 0, "gpu": 1}
NODES = [sked.Nodes(24, "cpu=32,memory=128GiB"),
         sked.Nodes(6, "cpu=32,memory=256GiB,gpu=8", PARTS["gpu"])]


def case(folder, apps):
    """The day, every leaf in that order."""
    tree = sked.Tree.from_text(Path(folder, "tree.txt").read_text())
    for leaf in tree.leaves:
        leaf.apps = apps
    tree.commit()
    jobs = to_jobs(read_workload(f"{folder}/workload.csv"), tree,
                   partitions=PARTS)
    return sked.Case(tree, jobs, NODES,
                     sked.Options(multiplier=Fraction(6, 5)))


def compare(seeds):
    """The table of differences."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "sked", "replay", "--example",
                        folder], check=True, stdout=subprocess.DEVNULL)
        return sked.sim.spread(case(folder, "fifo"), case(folder, "size"),
                               seeds)


def main(seeds=range(5)):
    """Prints it, in seconds."""
    for row in compare(seeds).rows(named=True):
        least, middle, most = (row[f"{name}_ns"] / 1e9 for name in
                               ("least", "middle", "most"))
        print(f"{row['path']:14} {least:9.1f} {middle:9.1f} {most:9.1f}   "
              f"less on {row['less_on']} of {row['seeds']}")


if __name__ == "__main__":
    sys.exit(main())
