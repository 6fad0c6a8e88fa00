"""Each public header compiles alone, in every dialect we promise."""

import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source import fault, finish, root, skip, works

strict = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
dialects = [("c", "c99"), ("c", "c11"), ("c", "c17"),
            ("c++", "c++11"), ("c++", "c++17")]
# Of all clang's warnings, those that speak of old dialects or of padding.
everything = ["-Weverything", "-Wno-c++98-compat", "-Wno-c++98-compat-pedantic",
              "-Wno-padded", "-Wno-pre-c2x-compat", "-Wno-declaration-after-statement",
              "-Wno-documentation", "-Wno-documentation-unknown-command",
              "-Wno-unknown-warning-option", "-Wno-pre-c11-compat",
              "-Wno-unsafe-buffer-usage", "-Wno-poison-system-directories"]


def compilers():
    """(command, language, dialect, options) for whatever is installed."""
    cc = os.environ.get("CC", "cc")
    for language, dialect in dialects:
        probe = [cc, "-x", language, "-fsyntax-only", "/dev/null"]
        if works(probe):
            yield [cc], language, dialect, strict
        if works(["clang", *probe[1:]]):
            yield ["clang"], language, dialect, strict + everything


def compile_alone(header, setup):
    command, language, dialect, options = setup
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "alone"
        source.write_text(f"#include <sched/{header.name}>\ntypedef int alone;\n")
        done = subprocess.run(
            [*command, "-x", language, f"-std={dialect}", *options,
             f"-I{root}/include", str(source)], capture_output=True, text=True)
    if done.returncode:
        fault(header, 0, f"alone as {dialect} with {command[0]}:\n{done.stderr}")


def promised():
    """The headers that sked.h reaches: one that is being written is not."""
    todo, reached = ["sked.h"], set()
    while todo:
        path = root / "include/sched" / todo.pop()
        if path in reached or not path.exists():
            continue
        reached.add(path)
        todo += re.findall(r"^#include <sched/(\w+\.h)>", path.read_text(), re.M)
    return sorted(reached)


setups = list(compilers())
if not setups:
    skip("no compiler")
jobs = [(h, s) for h in promised() for s in setups]
with ThreadPoolExecutor(2) as pool:
    list(pool.map(lambda job: compile_alone(*job), jobs))
with_clang = sum(s[0] == ["clang"] for s in setups)
print(f"clang: {with_clang} dialects")
finish(f"{len(promised())} headers, {len(setups)} dialects and compilers")
