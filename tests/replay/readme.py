"""The README shows what `replay --preempt imbalance` prints.

    python3 readme.py REPLAY

Every line of the block stands in the output, in the same order. A line of three
dots stands for lines that the block leaves out.
"""

import re
import subprocess
import sys
from pathlib import Path

page = Path(__file__).resolve().parents[2] / "README.md"
block = re.search(r"^```\n\$ replay ([^\n]*)\n(.*?)^```$", page.read_text(), re.M | re.S)
assert block, "README.md shows no output of replay"
shown = [line for line in block[2].splitlines() if line != "..."]
assert len(shown) > 5 and shown[-1].startswith("digest "), "the block is cut short"
done = subprocess.run([sys.argv[1], *block[1].split()], capture_output=True, text=True, check=True)
printed = iter(done.stdout.splitlines())
for line in shown:
    assert line in printed, f"replay prints no line {line!r} here"
print(f"{len(shown)} lines of README.md are what replay prints")
