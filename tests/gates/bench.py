"""Lines of `bench --json` are what others read: every key, of its type."""

import json
import sys
from pathlib import Path

keys = {"name": str, "variant": str, "n": int, "metric": str, "value": (int, float),
        "instructions": (int, float, type(None)), "reference": (str, type(None)),
        "reference_value": (int, float, type(None)), "ratio": (int, float, type(None)),
        "budget": (int, float, type(None)), "met": (bool, type(None))}

lines = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
faults = [f"{row.get('name')}: {key} is {row.get(key)!r}" for row in lines
          for key, kind in keys.items()
          if key not in row or not isinstance(row[key], kind)]
missed = [row["name"] for row in lines if row["met"] is False]
print(*faults, sep="\n")
print(f"{len(lines)} lines, {len(faults)} faults; budgets missed in this quick run:"
      f" {', '.join(missed) or 'none'}")
sys.exit(1 if faults or not lines else 0)
