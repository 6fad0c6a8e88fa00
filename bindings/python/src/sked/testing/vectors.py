"""Runs known answers of other systems through the public API.

    python -m sked.testing.vectors DIR... [--json FILE] [--kind K] [--id ID]

runs every case of every *.json and *.jsonl directly in the folders, and prints
a table per file and kind: passed, differs by rule, unsupported, failed; then
each failure with what was expected and got, the rules used, and what is not
supported and why. Exit status: 0 no failure, 1 some, 2 bad usage."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .._usage import Parser
from ..importers.files import beside
from . import calls

#: A call as a reader gives it: name, rule, fields.
Call = tuple[str, Any, dict[str, Any]]
ENDS = ("unsupported", "passed", "by_rule", "failed")


def readers() -> Any:
    """The module that turns cases into calls, with its neighbours: beside this
    one where installed, in tests/vectors of a checkout."""
    here = Path(__file__).resolve()
    places = [here.parent / "known"] + [
        up / "tests" / "vectors" for up in here.parents]
    for place in places:
        if (place / "compact.py").exists():
            if str(place) not in sys.path:
                sys.path.insert(0, str(place))
            return importlib.import_module("compact")
    raise SystemExit("the readers of known answers are not installed")


class Outcome:
    """One case: the worst end of its calls, and why."""

    def __init__(self) -> None:
        self.end = calls.UNSUPPORTED
        self.rule = ""
        self.lacks: set[str] = set()
        self.why = ""

    def take(self, call: Call) -> None:
        name, rule, fields = call
        try:
            end = calls.carry_out(name, fields, rule)
        except Exception as error:  # whatever it is, it is this case's failure
            end = calls.FAILED
            said = str(error) or type(error).__name__
            self.why = self.why or f"{name}: {said}"
        if end == calls.UNSUPPORTED:
            self.lacks.add(rule if name == "-" and rule else f"lacks:{name}")
        if end > self.end or not self.rule:
            self.end = end
            self.rule = rule or "-"


class Report:
    """Counts by file and kind."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], list[int]] = {}
        self.failed: dict[tuple[str, str], list[tuple[str, str]]] = {}
        self.rules: Counter[str] = Counter()
        self.lacks: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()

    def take(self, file: str, kind: str, id: str, outcome: Outcome) -> None:
        self.rows.setdefault((file, kind), [0] * 4)[outcome.end] += 1
        if outcome.end == calls.FAILED:
            self.failed.setdefault((file, kind), []).append((id, outcome.why))
        if outcome.end == calls.BY_RULE:
            self.rules[outcome.rule] += 1
        if outcome.end == calls.UNSUPPORTED:
            self.lacks.update(sorted(outcome.lacks)[:1])
        else:
            self.left_out.update(outcome.lacks)

    def sums(self) -> list[int]:
        return [sum(row[end] for row in self.rows.values())
                for end in range(4)]

    def as_json(self) -> dict[str, Any]:
        files: dict[str, Any] = {}
        for (file, kind), row in self.rows.items():
            entry = files.setdefault(file, {"file": file, "kinds": []})
            failed = [id for id, _ in self.failed.get((file, kind), [])]
            entry["kinds"].append({
                "kind": kind, "passed": row[calls.PASSED],
                "by_rule": row[calls.BY_RULE],
                "unsupported": row[calls.UNSUPPORTED],
                "failed": row[calls.FAILED], "failed_ids": failed})
        return {"files": list(files.values())}

    def lines(self) -> Iterator[str]:
        wide = max([18, *(len(file) for file, _ in self.rows)])
        yield (f"{'file':<{wide}} {'kind':<28} {'passed':>8} {'by rule':>8} "
               f"{'unsupported':>12} {'failed':>8}")
        for (file, kind), row in self.rows.items():
            yield (f"{file:<{wide}} {kind:<28} {row[calls.PASSED]:>8} "
                   f"{row[calls.BY_RULE]:>8} {row[calls.UNSUPPORTED]:>12} "
                   f"{row[calls.FAILED]:>8}")
        for title, counter in (
                ("by rule (differences.md)", self.rules),
                ("unsupported, and what is lacking", self.lacks),
                ("parts of other cases left out, and why", self.left_out)):
            if counter:
                yield f"\n{title}"
            for name, n in sorted(counter.items()):
                yield f"  {name:<40} {n:>8}"
        for (file, kind), failures in self.failed.items():
            yield ""
            for id, why in failures:
                yield f"FAILED {file} {kind} {id}: {why}"
        none, passed, by_rule, failed = self.sums()
        yield (f"\nVECTORS: {passed + by_rule} known answers, {by_rule} of them "
               f"by rule; {none} unsupported")
        yield f"{passed + by_rule} passed, {failed} failed"


def reader_for(compact: Any, name: str, kind: str) -> tuple[Any, Any]:
    """The reader of a file by its name; else by how the name begins; else the
    one that knows the kind."""
    files: dict[str, tuple[Any, Any]] = compact.FILES
    said = [files[name]] if name in files else []
    stem = name.split(".")[0].split("-")[0].split("_")[0]
    said += [entry for file, entry in files.items()
             if Path(file).suffix == Path(name).suffix
             and file.split(".")[0].split("-")[0] == stem]
    said += list(files.values())
    for known, later in said:
        if kind in known or kind in later:
            return known, later
    return said[0]


def run_file(path: Path, report: Report, compact: Any, kind: str | None,
             id: str | None) -> None:
    """Runs the cases of one file. ValueError where it cannot be read."""
    try:
        cases = list(compact.cases_of(path))
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None
    for case in cases:
        if kind not in (None, case["kind"]) or \
                id not in (None, str(case["id"])):
            continue
        outcome = Outcome()
        known, later = reader_for(compact, path.name, case["kind"])
        for call in compact.calls_of(case, known, later):
            outcome.take(call)
        report.take(path.name, case["kind"], str(case["id"]), outcome)


def files_in(folders: Iterable[str]) -> Iterator[Path]:
    """Every file of known answers directly in the folders, by name."""
    for folder in folders:
        if not Path(folder).is_dir():
            raise NotADirectoryError(f"{folder} is no folder")
        yield from sorted(p for p in Path(folder).iterdir()
                          if p.suffix in (".json", ".jsonl"))


def write_json(report: Report, path: str) -> None:
    """Writes the counts beside the file and renames, or to "-"."""
    with beside(path) as file:
        file.write(json.dumps(report.as_json(), indent=1).encode() + b"\n")


def run(folders: Iterable[str], kind: str | None = None,
        id: str | None = None) -> Report:
    """Runs everything in the folders, or one kind, or one case."""
    report, compact = Report(), readers()
    for path in files_in(folders):
        run_file(path, report, compact, kind, id)
    return report


def main(words: list[str] | None = None) -> int:
    """The command."""
    parser = Parser(
        prog="python -m sked.testing.vectors",
        description="Runs known answers through the public API.")
    parser.add_argument("folders", nargs="+", metavar="DIR")
    parser.add_argument("--json", metavar="FILE", help="counts; - for stdout")
    parser.add_argument("--kind", metavar="K", help="this kind only")
    parser.add_argument("--id", metavar="ID", help="this case only")
    said = parser.parse_args(words)
    try:
        report = run(said.folders, said.kind, said.id)
        if not report.rows and (said.kind, said.id) != (None, None):
            raise ValueError("there is no such case")
        if said.json:
            write_json(report, said.json)
    except (OSError, ValueError, KeyError) as error:
        print(f"vectors: {error}", file=sys.stderr)
        return 2
    if said.json != "-":
        print("\n".join(report.lines()))
    return int(report.sums()[calls.FAILED] > 0)


if __name__ == "__main__":
    sys.exit(main())
