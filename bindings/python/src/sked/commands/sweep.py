"""python -m sked sweep: one replay for each row of a table of cases."""

from __future__ import annotations

import csv
import io
import os
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .. import Error
from ..importers.files import beside
from .._usage import Parser
from .report import Shown, times
from .what_if import basics, move, setting, sizes

if TYPE_CHECKING:
    from ..reporting.change import Change
    from ..reporting.sweeps import Case

SUMMARY = "one replay for each row of a table of cases"
ABOUT = """Replays a workload once for each row of CASES, a CSV with any of the
columns name, nodes (+20%), set (QUEUE.SETTING=VALUE, several joined by ;),
multiplier, move (USER:FROM->TO, several joined by ;) and seed. Results are a row
a case, CSV or Parquet by the name of the output, written again after every case.
Workers share the jobs. Exit status: 0 done, 2 bad usage or bad
input."""
COLUMNS = ("name", "nodes", "set", "multiplier", "move", "seed")

def parser() -> Parser:
    """The command line."""
    made = Parser(prog="python -m sked sweep", description=ABOUT)
    add = made.add_argument
    add("cases", metavar="CASES.csv")
    add("workload", metavar="WORKLOAD")
    add("-o", "--output", required=True, metavar="FILE",
        help="results, .csv or .parquet")
    add("--task", type=int, metavar="N", help="only the Nth case, from 1: one "
        "of a Slurm array has $SLURM_ARRAY_TASK_ID")
    add("--workers", type=int, default=1, metavar="N", help="replays at a time")
    add("--on", metavar="WHERE", help="serial, threads, processes, dask, ray, "
        "or the address of a scheduler, dask:ADDRESS, ray:ADDRESS; default: "
        "threads")
    add("--share", metavar="DIR", help="where processes find the jobs; on "
        "several hosts a folder that all of them see")
    add("--resume", action="store_true",
        help="keep the results that the output has")
    add("--quiet", action="store_true", help="no progress")
    add("--nodes", action="append", default=[], metavar="SPEC",
        help='what there is: "N x cpu=48,memory=187GiB [@partition]"')
    basics(made)
    return made


def cases_of(path: str) -> list[Case]:
    """Every case. ValueError with the line of one that is wrong."""
    from ..reporting.sweeps import Case
    made: dict[str, Case] = {}
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        odd = [name for name in rows.fieldnames or () if name not in COLUMNS]
        if odd or not rows.fieldnames:
            raise ValueError(f"{path}:1: {odd[0] if odd else ''!r} is none of "
                             f"{', '.join(COLUMNS)}")
        for row in rows:
            try:
                if None in row:
                    raise ValueError("more fields than the first line has")
                said = {name: (value or "").strip()
                        for name, value in row.items()}
                name = said.get("name") or str(len(made) + 1)
                if name in made:
                    raise ValueError(f"case {name!r} is there twice")
                made[name] = Case(name, change_of(said), int(said["seed"])
                                  if said.get("seed") else None)
            except Exception as error:
                raise ValueError(f"{path}:{rows.line_num}: {error}") from None
    if not made:
        raise ValueError(f"{path}: no cases")
    return list(made.values())


def change_of(said: dict[str, str]) -> Change:
    """One row as a change."""
    from ..reporting.change import Change

    def several(name: str) -> list[str]:
        return [one.strip() for one in said.get(name, "").split(";")
                if one.strip()]

    other, size = sizes(several("nodes"))
    if other:
        raise ValueError(f"nodes {other[0]!r}: is not +N% or -N%")
    return Change(size, tuple(map(setting, several("set"))),
                  times(said["multiplier"]) if said.get("multiplier")
                  else Fraction(1), tuple(map(move, several("move"))))


def known(path: str) -> list[dict[str, Any]]:
    """The results that a file has; none where there is no file."""
    if not os.path.exists(path):
        return []
    from ..reporting.sweeps import RESULT
    if path.endswith(".parquet"):
        import pyarrow.parquet
        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(
            path).to_pylist()
    else:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    try:
        return [{name: read(row[name]) for name, read in RESULT.items()}
                for row in rows]
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{path}: --resume: is no result of a sweep"
                         ) from None


def write(path: str, rows: Sequence[dict[str, Any]]) -> None:
    """All results, beside their place and then there."""
    from ..reporting.sweeps import RESULT
    if path.endswith(".parquet"):
        import pyarrow
        import pyarrow.parquet
        out = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.table(
            {name: [row[name] for row in rows] for name in RESULT}), out)
        made = out.getvalue()
    else:
        text = io.StringIO()
        lines = csv.DictWriter(text, list(RESULT), lineterminator="\n")
        lines.writeheader()
        lines.writerows(rows)
        made = text.getvalue().encode()
    with beside(path) as file:
        file.write(made)


def work(said: dict[str, Any]) -> None:
    """Runs what is wanted."""
    from ..reporting import Wanted
    from ..reporting.change import base_of
    from ..reporting.sweeps import executor_of, results
    output, task = said.pop("output"), said.pop("task")
    workers, resume = said.pop("workers"), said.pop("resume")
    quiet, cases = said.pop("quiet"), cases_of(said.pop("cases"))
    on, share = said.pop("on"), said.pop("share")
    if not output.endswith((".csv", ".parquet")):
        raise ValueError(f"{output}: is neither .csv nor .parquet")
    if workers < 1:
        raise ValueError(f"--workers {workers}: needs one at least")
    if task is not None:
        if not 1 <= task <= len(cases):
            raise ValueError(f"--task {task}: there are {len(cases)} cases")
        cases = cases[task - 1:task]
    said["nodes"] = tuple(said["nodes"])
    place = {case.name: at for at, case in enumerate(cases)}
    rows = known(output) if resume else []
    there = {row["case"] for row in rows}
    todo = [case for case in cases if case.name not in there]
    if not todo:
        write(output, rows)
        return
    on = on or ("threads" if workers > 1 else "serial")
    with Shown(quiet, "sweep") as shown, executor_of(on, workers) as executor:
        shown.step(0.0, "reading")
        base = base_of(Wanted(**said), shown.step)
        begin = time.monotonic()
        shown.step(0.0, f"0 of {len(todo)} cases")
        for done, row in enumerate(results(base, todo, executor, share), 1):
            rows.append(row)
            # in the order of the cases; others that a file has come first
            rows.sort(key=lambda one: place.get(one["case"], -1))
            write(output, rows)
            left = (time.monotonic() - begin) / done * (len(todo) - done)
            shown.step(done / len(todo), f"{done} of {len(todo)} cases, "
                       f"{left:.0f} s left")


def run(words: Sequence[str]) -> int:
    """The command."""
    try:
        work(vars(parser().parse_args(words)))
    except (ImportError, OSError, Error, ValueError) as error:
        print(f"sweep: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0
