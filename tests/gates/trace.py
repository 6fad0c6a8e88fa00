"""Every rule of tests/requirements.tsv is held by a file and a test, or open.

Columns: id, rule, where, test. `where` names headers or files of lib/, `test`
names cases as `unit.fill:weights_divide_the_total` (the program and its
cmocka case), or a whole test such as `example.shares` or `vectors.answers`;
several are joined by `;`. A rule that nothing holds yet has `open` in both
columns; one that is held in part names, after its tests, what is not:
`open:order of victims`.
"""

import re

from source import fault, finish, root, test_file, tracked

table = root / "tests/requirements.tsv"
rule_id = re.compile(r"\b(?:CAP|HSE|LNK|MON|PEL)-\d+\b")


def rows():
    lines = table.read_text().splitlines()
    for n, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != 4:
            fault(table, n, f"{len(cells)} columns, not 4")
            continue
        yield n, cells


def source_of(test):
    """The file that a ctest name stands for, or None."""
    kind, _, rest = test.partition(".")
    python = "bindings/python/tests"
    name = {"python": f"{python}/test_{rest}.py",
            "report": f"{python}/report/test_{rest}.py",
            "unit": test_file("unit", rest), "prop": test_file("prop", rest),
            "golden": test_file("golden", rest), "example": f"examples/{rest}.c",
            "replay": f"fuzz/fuzz_{rest}.c",
            "vectors": "tests/vectors/vectors.c"}.get(kind)
    path = root / name if name else None
    return path if path and path.exists() else None


def check_test(n, rule, entry):
    test, _, case = entry.partition(":")
    path = source_of(test)
    if not path:
        fault(table, n, f"{rule}: there is no test {test}")
        return
    text = path.read_text()
    if path.suffix == ".py":
        if not re.search(rf"^def {re.escape(case)}\(", text, re.MULTILINE):
            fault(table, n, f"{rule}: {test} has no case {case}")
        return
    if not case:
        if test.split(".")[0] in ("unit", "prop", "golden"):
            fault(table, n, f"{rule}: name a case, {test}:what_it_proves")
    elif not re.search(rf"\bvoid {re.escape(case)}\(", text):
        fault(table, n, f"{rule}: {test} has no case {case}")
    elif len(re.findall(rf"\b{re.escape(case)}\b", text)) < 2:
        fault(table, n, f"{rule}: {test} never runs its case {case}")


def check_row(n, rule, where, test):
    if where == "open" and test == "open":
        return
    for name in where.split(";"):
        if not (root / name).is_file():
            fault(table, n, f"{rule}: there is no file {name}")
        elif rule not in rule_id.findall((root / name).read_text()):
            fault(table, n, f"{rule}: {name} does not cite [{rule}]")
    entries = [e for e in test.split(";") if not re.match("open:.", e)]
    if not entries:
        fault(table, n, f"{rule}: no test, so it is open")
    for entry in entries:
        check_test(n, rule, entry)


known = {}
for n, (rule, text, where, test) in rows():
    if rule in known:
        fault(table, n, f"{rule} stands in line {known[rule]} too")
    known[rule] = n
    if not text:
        fault(table, n, f"{rule} says nothing")
    check_row(n, rule, where, test)
for path in tracked("include/**/*.h", "lib/**/*.[ch]", "tests/**/*.[ch]", "examples/*.c"):
    for n, line in enumerate(path.read_text().splitlines(), 1):
        for rule in rule_id.findall(line):
            if rule not in known:
                fault(path, n, f"[{rule}] is not in tests/requirements.tsv")
finish(f"{len(known)} rules")
