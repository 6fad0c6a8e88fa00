"""Writes the reference of the C headers: every function with its comment, found by
search and index, then each header as it stands. Groups are those of docs/api.md.

    python docs/site/headers.py bindings/api.json INCLUDE FILE.rst docs/api.md

Used by `sh tools/python site`."""

import json
import re
import sys
from pathlib import Path


def under(title, line):
    """A heading."""
    return f"{title}\n{line * len(title)}\n\n"


def parameter(one):
    """A parameter as C writes it: an array's length stands behind the name."""
    kind, length = re.fullmatch(r"(.*?)((?:\[\w*\])*)", one["type"]).groups()
    return f"{kind} {one['name']}{length}".replace("* ", "*")


def groups(page):
    """(title, names of headers) of each part of docs/api.md."""
    for part in Path(page).read_text().split("\n## ")[1:]:
        yield part.split("\n", 1)[0], re.findall(r"^\| \[(\w+\.h)\]", part, re.M)


def function(one):
    """One function, and what its header says of it."""
    given = ", ".join(parameter(p) for p in one["parameters"]) or "void"
    said = "".join(f"      {line}".rstrip() + "\n"
                   for line in one["doc"].splitlines())
    returns = one["returns"]
    space = "" if returns.endswith("*") else " "
    return (f".. c:function:: {returns}{space}{one['name']}({given})\n\n"
            f"   .. code-block:: text\n\n{said}\n")


def main(api, include, out, page):
    """Writes the page."""
    functions = json.loads(Path(api).read_text())["functions"]
    made = [under("C headers", "=")]
    for title, names in groups(page):
        made.append(under(title, "-"))
        for name in names:
            made.append(under(name, "~"))
            made += [function(f) for f in functions if f["header"] == name]
            made.append(f".. literalinclude:: headers/{name}\n"
                        "   :language: c\n\n")
    Path(out).write_text("".join(made))


if __name__ == "__main__":
    main(*sys.argv[1:])
