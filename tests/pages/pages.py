"""The commands that the documents show run, and print what the documents say.

    python3 pages.py BUILD [--python PYTHON] [PAGE...]

BUILD has the programs. A page is a session of a shell in an empty folder, with
`examples`, `tests` and `build/release` beside it. Three kinds of fenced blocks count:

    ```console    lines after "$ " are commands ("> " continues a command); the
                  other lines are the output, in order; "..." stands for any
                  lines that the page leaves out
    ```sh         commands without output
    ```c          in a page that has an example program: a part of that program
    ```python     a whole program if the block begins with an import of sked

A block without a language, or of text, must not begin with a command, so that no
command escapes. `left_out` has the commands that do not run here, each with a reason.
Commands of the Python package run where --python names an interpreter that has
it, and are skipped elsewhere; with --python only pages with such commands count.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]
programs = ("advise", "balance", "batch", "daily_report", "locality", "percentile",
            "replay", "route")
# The example that a page explains: each of its blocks of C is a part of it.
explained = {"docs/embedding.md": "examples/manager.c"}
# What does not run here, by how the command begins, and why.
left_out = {
    "cmake --preset": "the build under test is that build",
    "cmake --workflow": "builds everything again",
    "build/release/bench": "takes minutes; gate.bench runs every budget",
    "sh tools/": "the step of .ci/run with that name runs it",
    "python3 -m venv": "tools/python installs the package that way",
    "cd bindings/go": "go.tests",
    "python3 tools/": "gates run it",
    "advise --+": "a picture of folders",
    "advise cea.swf": "the log is not in the project",
    "route cea.swf": "the log is not in the project",
}
# Pages whose blocks show forms of commands with data that is not in the project.
# A test of its own holds each of them to what it says.
elsewhere = {
    "docs/importing.md": "test_importers_*.py",
    "docs/workloads.md": "test_common_csv.py",
    "docs/auditing.md": "test_audit.py",
    "docs/testing-your-scheduler.md": "test_planted.py, planted.*",
}
begins = re.compile(r"(?:\$ )?(?:build/release/|v/bin/)?(?:%s|bench|sked|python3? -m sked[.\w]*"
                    r"|sh tools/\w+|cmake|python3 \S+\.py)(?: |$)" % "|".join(programs))


def is_left_out(command):
    return any(command.startswith(start) for start in left_out)


# A program in Python; and commands of the Python package.
imports = re.compile(r"(?:import|from) sked\b")
package = re.compile(r"^(?:\$ )?(?:sked|python3? -m sked)\b", re.M)


class Block:
    def __init__(self, line, language, text):
        self.line, self.language, self.text = line, language, text


def blocks(page):
    """The fenced blocks of a page."""
    text = page.read_text()
    for m in re.finditer(r"^```(.*)\n((?:.*\n)*?)```$", text, re.M):
        yield Block(text[:m.start()].count("\n") + 1, m[1].strip(), m[2])


def sessions(block):
    """(command, lines that it prints) of a block; None: the page shows none."""
    if block.language == "sh":
        lines = re.sub(r"\\\n\s*", "", block.text).splitlines()
        if not any(is_left_out(line) for line in lines):
            return [(block.text, None)]
        return [(line, None) for line in lines if line.strip()]
    found = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif line.startswith("> ") and not found[-1][1]:
            found[-1][0] += "\n" + line[2:]
        elif found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1][0] = found[-1][0][:-1] + line.strip()
        else:
            found[-1][1].append(line)
    return [(command, lines or None) for command, lines in found]


def missing(shown, printed):
    """The first line of the page that does not come in its turn; else None."""
    at, gap = 0, False
    for line in shown:
        if line == "...":
            gap = True
            continue
        while gap and at < len(printed) and printed[at] != line:
            at += 1
        if at == len(printed) or printed[at] != line:
            return line
        at, gap = at + 1, False
    return None if gap or at == len(printed) else f"(the end; {printed[at]!r} follows)"


def needs_package(block):
    if block.language == "python":
        return imports.match(block.text)
    return block.language in ("sh", "console") and package.search(block.text)


class Pages:
    def __init__(self, build, python):
        self.build, self.python = build, python
        self.ran = self.skipped = self.faults = 0

    def fault(self, page, line, text):
        print(f"{page.relative_to(root)}:{line}: {text}")
        self.faults += 1

    def prepare(self, folder):
        """The folder of a session; the environment that finds the programs."""
        (folder / "build").mkdir()
        (folder / "build/release").symlink_to(self.build)
        for name in ("examples", "tests"):
            (folder / name).symlink_to(root / name)
        tools = folder / "build/bin"
        tools.mkdir()
        scripts = {}
        if self.python:
            scripts = {"sked": f'exec "{self.python}" -m sked "$@"',
                       "python": f'exec "{self.python}" "$@"',
                       "python3": f'exec "{self.python}" "$@"'}
            # A package brings the programs along.
            scripts |= {p: f'exec "{self.python}" -m sked {p} "$@"' for p in programs}
        for name, text in scripts.items():
            (tools / name).write_text(f"#!/bin/sh\n{text}\n")
            (tools / name).chmod(0o755)
        return dict(os.environ, PATH=f"{tools}:{self.build}:{os.environ['PATH']}")

    def run(self, page, block, command, shown, folder, environment):
        if is_left_out(command) or self.python and "build/release/" in command:
            return
        if not self.python and package.search(command):
            self.skipped += 1
            return
        done = subprocess.run(["sh", "-ec", command], cwd=folder, env=environment,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.ran += 1
        if done.returncode != 0:
            self.fault(page, block.line, f"{command!r} ends with {done.returncode}: "
                       f"{done.stderr.strip() or done.stdout.strip()}")
        elif shown is not None:
            line = missing(shown, done.stdout.splitlines())
            if line is not None:
                self.fault(page, block.line, f"{command!r} does not print {line!r} there")

    def run_python(self, page, block, folder, environment):
        if not self.python:
            self.skipped += 1
            return
        done = subprocess.run([self.python, "-c", block.text], cwd=folder, env=environment,
                              capture_output=True, text=True)
        if "PlotMissing" in done.stderr:
            self.skipped += 1  # an optional package
            return
        self.ran += 1
        if done.returncode != 0:
            self.fault(page, block.line, f"ends with {done.returncode}: {done.stderr[-300:]}")

    def check(self, page):
        name = page.relative_to(root).as_posix()
        if self.python and not any(map(needs_package, blocks(page))):
            return  # the programs of C run without the package
        example = explained.get(name)
        program = (root / example).read_text() if example else None
        with tempfile.TemporaryDirectory() as folder:
            environment = self.prepare(Path(folder))
            for block in blocks(page):
                if block.language in ("sh", "console"):
                    for command, shown in sessions(block):
                        self.run(page, block, command, shown, folder, environment)
                elif needs_package(block) and name not in elsewhere:
                    self.run_python(page, block, folder, environment)
                elif block.language == "c" and program:
                    self.ran += 1
                    if block.text.rstrip() not in program:
                        self.fault(page, block.line, f"is no part of {example}")
                elif block.language in ("", "text") and name not in elsewhere:
                    for line in block.text.splitlines():
                        if begins.match(line) and not is_left_out(line):
                            self.fault(page, block.line, f"{line!r} is never run: say "
                                       "```console or ```sh")


def main(arguments):
    python = None
    if "--python" in arguments:
        at = arguments.index("--python")
        python = os.path.abspath(arguments[at + 1])  # no link followed: a venv is one
        del arguments[at:at + 2]
    pages = Pages(Path(arguments[0]).resolve(), python)
    chosen = [Path(p).resolve() for p in arguments[1:]] or sorted(
        [root / "README.md", root / "CONTRIBUTING.md", root / "examples/README.md",
         root / "bindings/python/README.md", *root.glob("docs/**/*.md")])
    for page in chosen:
        pages.check(page)
    print(f"{len(chosen)} pages, {pages.ran} commands and blocks ran, {pages.skipped} "
          f"need the Python package, {pages.faults} faults")
    return 1 if pages.faults or pages.ran < 3 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
