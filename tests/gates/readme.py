"""What the README and the guides say can be found.

The README's first block of C is examples/first.c; every test that a page names
(`unit.tree:rows_stand_breadth_first`, a gate) exists; every link leads to a
file; docs/api.md lists each public header once; and no field of a public struct
is called without the unit that its name ends in (`max_age` for `max_age_ns`), but
in CHANGELOG, which knows older names.
"""

import re

from source import bare, fault, finish, headers, root, test_file, tracked

folders = {"example": "examples/{}.c", "replay": "fuzz/fuzz_{}.c"}
entry = re.compile(r"`((?:unit|prop|golden|example|replay|gate|abi|consumer|amalgam)"
                   r"\.[a-z_]+(?::[a-z_0-9]+)?)`")
link = re.compile(r"\]\(([^)#:\s]+)\)")
listed = "".join(path.read_text() for path in tracked("tests/*/CMakeLists.txt"))


def check_test(page, n, name):
    test, _, case = name.partition(":")
    kind, _, rest = test.partition(".")
    path = root / folders.get(kind, "tests/gates/{}.py").format(rest)
    if kind in ("unit", "prop", "golden"):
        path = test_file(kind, rest)
    if not path.exists():
        if case or not re.search(rf"\b{rest}\b", listed):
            fault(page, n, f"there is no test {test}")
    elif case and len(re.findall(rf"\b{case}\b", path.read_text())) < 2:
        fault(page, n, f"{test} has no case {case}")


# Attributes of queues, and what is in the headers.
known = set(re.findall(r'"([a-z_]+)"', (root / "lib/tree/attr.c").read_text()))
known |= {word for path in headers() for word in re.findall(r"\w+", bare(path.read_text()))}
# Other things that are called as fields would be without their unit: a program,
# an order, a column of a file.
no_fields = {"percentile", "fair", "multiplier"}


def check_field(page, n, name):
    for unit in ("_ns", "_ppm"):
        if name not in known and name + unit in known and name not in no_fields:
            fault(page, n, f"there is no {name}, but a {name}{unit}")


def check_page(page):
    for n, line in enumerate(page.read_text().splitlines(), 1):
        for m in re.finditer(r"`([a-z]\w+)`", line):
            if page.name != "CHANGELOG.md":
                check_field(page, n, m[1])
        for m in entry.finditer(line):
            check_test(page, n, m[1])
        for m in link.finditer(line):
            if not (page.parent / m[1]).exists():
                fault(page, n, f"{m[1]} is not there")


pages = tracked("*.md", "docs/*.md", "docs/design/*.md")
for page in pages:
    check_page(page)
listing = root / "docs/api.md"
rows = re.findall(r"^\| \[(\w+\.h)\]", listing.read_text(), re.M)
for name in sorted(path.name for path in tracked("include/sched/*.h")):
    if rows.count(name) != 1:
        fault(listing, 0, f"lists {name} {rows.count(name)} times, not once")
readme = root / "README.md"
block = re.search(r"^```c\n(.*?)^```$", readme.read_text(), re.M | re.S)
if not block or block[1] != (root / "examples/first.c").read_text():
    fault(readme, 0, "the first block of C is not examples/first.c")
finish(f"{len(pages)} pages")
