"""Writes the reference of the C headers: every function with its comment, found by
search and index, then each header as it stands.

    python docs/site/headers.py bindings/api.json INCLUDE FILE.rst

Used by `sh tools/python site`."""

import json
import sys
from pathlib import Path


def under(title, line):
    """A heading."""
    return f"{title}\n{line * len(title)}\n\n"


def function(one):
    """One function, and what its header says of it."""
    given = ", ".join(f"{p['type']} {p['name']}".replace("* ", "*")
                      for p in one["parameters"]) or "void"
    said = "".join(f"      {line}".rstrip() + "\n"
                   for line in one["doc"].splitlines())
    returns = one["returns"]
    space = "" if returns.endswith("*") else " "
    return (f".. c:function:: {returns}{space}{one['name']}({given})\n\n"
            f"   .. code-block:: text\n\n{said}\n")


def main(api, include, out):
    """Writes the page."""
    functions = json.loads(Path(api).read_text())["functions"]
    made = [under("C headers", "=")]
    for header in sorted(Path(include).glob("*.h")):
        made.append(under(header.name, "-"))
        made += [function(f) for f in functions if f["header"] == header.name]
        made.append(f".. literalinclude:: headers/{header.name}\n"
                    "   :language: c\n\n")
    Path(out).write_text("".join(made))


if __name__ == "__main__":
    main(*sys.argv[1:])
