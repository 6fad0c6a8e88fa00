#!/usr/bin/env python3
"""Writes known answers as lines that a C program can read.

    compact.py FOLDER > cases.txt

FOLDER holds fair.json, yarn.json, yarn-oracle.jsonl and peloton.json; files
that are not there are left out. One line a call, fields divided by tabs:

    call  file  kind  id  rule  name=value ...

`call` says which function of the library answers; "-" stands for none, and
`rule` then says what is lacking. Else `rule` is "-" where the answer must be
the one given, or the rule of differences.md by which an exact answer may be
another one. Values are numbers joined by commas. A case is one line or several
that stand together.
"""

import json
import pathlib
import sys

import fair
import peloton
import peloton_admit
import peloton_life
import peloton_preempt
import peloton_rules
import peloton_scores
import yarn

FILES = {"fair.json": (fair.CALLS, fair.LATER),
         "yarn.json": (yarn.CALLS, yarn.LATER),
         "yarn-oracle.jsonl": (yarn.ORACLE, {}),
         "peloton.json": ({**peloton.CALLS, **peloton_preempt.CALLS,
                          **peloton_admit.CALLS, **peloton_life.CALLS,
                          **peloton_rules.CALLS, **peloton_scores.CALLS},
                          {})}


def cases_of(path):
    """The cases of a file, and what else it has that they refer to: an object
    with cases, a list of them, or one a line. What has no kind is no case; one
    without an id is called by its place."""
    if path.suffix == ".jsonl":
        for number, line in enumerate(path.read_text().split("\n"), 1):
            row = json.loads(line) if line.strip() else {}
            if "kind" in row:
                yield {"id": f"line-{number}", **row}
        return
    whole = json.loads(path.read_text())
    if isinstance(whole, list):
        whole = {"cases": whole}
    cases = [{"id": f"case-{number}", **case} for number, case in
             enumerate(whole.get("cases", ()), 1) if "kind" in case]
    tests = {c.get("source", "").rpartition("#")[2]: c.get("input", {})
             for c in cases}
    for case in cases:
        said = case.get("input", {})
        if "same_as" in said:
            said = {**tests.get(said["same_as"], {}), **said}
            case = dict(case, input=said)
        yield dict(case, tables=whole.get("tables", {}))


def text_of(value):
    if isinstance(value, (list, tuple)):
        return ",".join(text_of(v) for v in value)
    if isinstance(value, bool):
        return str(int(value))
    return str(value)


def calls_of(case, calls, later):
    """A case that cannot be read is a call that does not exist: it fails, and
    the others are run."""
    if case["kind"] in calls:
        try:
            return list(calls[case["kind"]](case))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            return [("unreadable", None, {"error": repr(error)})]
    return [("-", later.get(case["kind"], "unknown-kind"), {})]


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, (calls, later) in FILES.items():
        if not (folder / name).exists():
            continue
        for case in cases_of(folder / name):
            for call, rule, fields in calls_of(case, calls, later):
                words = [call, name, case["kind"], case["id"], rule or "-"]
                words += [f"{k}={text_of(v)}" for k, v in fields.items()]
                print("\t".join(words))


if __name__ == "__main__":
    main()
