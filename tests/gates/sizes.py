"""Functions and files stay small enough to be read at one sitting."""

import re
import statistics

from source import bare, fault, finish, functions, library, root, tracked

longest_function, longest_file = 60, 1200
most_parameters, deepest = 6, 3

written_by_tools = {"bindings/python/core/plain.c", "tests/abi/layout.c",
                    "bindings/go/sked/sked.c", "bindings/go/sked/sked.h"}


def depth(body):
    """Levels of blocks inside a function; initialisers are none."""
    open_ones, most = [], 0
    for m in re.finditer(r"[{}]", body):
        if m[0] == "}":
            open_ones.pop()
            continue
        initialiser = body[:m.start()].rstrip().endswith(("=", ",", "{"))
        ends_line = not body[m.end():].split("\n")[0].strip()
        open_ones.append(ends_line and not initialiser)
        most = max(most, sum(open_ones))
    return most - 1


def parameters(head):
    inside = head[head.index("(") + 1:-1].strip()
    flat = re.sub(r"\([^()]*\)", "", inside)
    return 0 if inside in ("", "void") else flat.count(",") + 1


lengths = []
for path in library():
    n = len(path.read_text().splitlines())
    if n > longest_file:
        fault(path, 0, f"{n} lines: is there a second noun in it?")
    for f in functions(path):
        lengths.append(f.length)
        if f.length > longest_function:
            fault(path, f.line, f"{f.name} has {f.length} lines, over {longest_function}")
        if depth(f.body) > deepest:
            fault(path, f.line, f"{f.name} nests {depth(f.body)} levels, over {deepest}")
        if f.is_static and parameters(f.head) > most_parameters:
            fault(path, f.line, f"{f.name} takes {parameters(f.head)} parameters")
    code = bare(path.read_text())
    if re.search(r"\bTODO\b|\bFIXME\b|\bXXX\b", path.read_text()):
        fault(path, 0, "has a TODO")
    opening = path.read_text().lstrip()
    if path.suffix == ".c" and not opening.startswith("/*") and len(code.splitlines()) > 40:
        fault(path, 0, "does not open with a paragraph on its idea")
others = tracked("tests/**/*.[ch]", "tests/**/*.py", "fuzz/*.c", "bench/*.[ch]",
                 "examples/**/*.[ch]", "bindings/python/core/*.[ch]",
                 "bindings/python/src/**/*.py", "bindings/python/tests/**/*.py",
                 "include/**/*.h", "bindings/go/**/*.go", "bindings/go/**/*.[ch]")
for path in others:
    name = path.relative_to(root).as_posix()
    n = len(path.read_text().splitlines())
    made = name in written_by_tools or path.name.startswith("zz_")
    if not made and n > longest_file:
        fault(path, 0, f"{n} lines: is there a second idea in it?")
if lengths:
    tenth = sorted(lengths)[int(len(lengths) * 0.9)]
    print(f"functions: median {statistics.median(lengths)}, 90 % up to {tenth} lines")
finish(f"{len(lengths)} functions, {len(others)} files besides")
