"""What the gates share: our sources, without comments, cut into functions."""

import re
import subprocess
import sys
from pathlib import Path

root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
_faults = []


def fault(where, line, text):
    """Notes one finding; finish() prints them all."""
    try:
        where = where.relative_to(root)
    except (AttributeError, ValueError):
        pass
    _faults.append(f"{where}:{line}: {text}" if line else f"{where}: {text}")


def finish(checked):
    """Ends the gate: says what was looked at, or everything that is wrong."""
    for line in _faults:
        print(line)
    print(f"{checked}: {len(_faults)} faults")
    sys.exit(1 if _faults else 0)


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(0)


def tracked(*patterns):
    """Our files of these patterns: what is built or made is left out."""
    files = []
    for pattern in patterns:
        files += sorted(p for p in root.glob(pattern)
                        if "build" not in p.relative_to(root).parts)
    return files


def library():
    return tracked("lib/*/**/*.c", "lib/*/**/*.h")


def test_file(kind, name):
    """The path of a cmocka program, as ctest calls it: tests/<kind>, any folder."""
    at = sorted((root / "tests" / kind).rglob(f"{name}_test.c"))
    return at[0] if at else root / "tests" / kind / f"{name}_test.c"


def headers():
    """The public headers; the kit for tests is in headers alone and is no part
    of the library."""
    return [p for p in tracked("include/sched/*.h") if p.name != "sked_test.h"]


_token = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.S)


def bare(text):
    """The same lines and columns with comments and literals blanked out."""
    def blank(m):
        keep = m[0][0] if m[0][0] in "\"'" else " "
        body = re.sub(r"[^\n]", " ", m[0])
        return keep + body[1:-1] + keep if len(body) > 1 else body
    return _token.sub(blank, text)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


class Function:
    """A definition: `{` and `}` stand alone in the first column."""

    def __init__(self, path, name, is_static, line, body, head):
        self.path, self.name, self.is_static = path, name, is_static
        self.line, self.body, self.head = line, body, head
        self.length = body.count("\n") - 1  # lines between the braces


_definition = re.compile(
    r"^(?P<head>[A-Za-z_][^;{}#]*?\b(?P<name>[a-z_A-Z0-9]+)\([^;{}]*\))\n"
    r"(?P<body>\{\n.*?^\})", re.M | re.S)


def functions(path):
    """Every function defined in a file, bodies without comments."""
    text = bare(path.read_text())
    return [Function(path, m["name"], "static" in m["head"].split("(")[0],
                     line_of(text, m.start("body")), m["body"], m["head"])
            for m in _definition.finditer(text)]


def calls(body):
    return set(re.findall(r"\b([a-z_][a-z_0-9]*)\s*\(", body))


def works(command):
    """Is this program there, and does it run?"""
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False
