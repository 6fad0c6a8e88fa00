"""Settings of a source as data: what each is by default, whence a queue has it
that does not say it, and what a tree makes of it. Readers run on these rows,
and docs/importing.md prints them."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from typing import NamedTuple


class Fate(enum.Enum):
    """What becomes of a setting that a file says.

    MAPPED: settings of the text form say the same. NOTED: they come near, and
    a finding says how they differ. LOST: the tree has no word for it; it is
    kept by its own name and listed as lost. UNUSED: nothing that a tree decides
    depends on it."""

    MAPPED = "mapped"
    NOTED = "noted"
    LOST = "lost"
    UNUSED = "unused"


class Setting(NamedTuple):
    """One setting. `where` is the kind of thing that says it. `default` is in
    the source's words. `inherits`: whence an unsaid value comes. `key` are the
    settings of the text form that hold it. `fills` is what a queue gets that
    does not say it. `note` is how the tree differs. `sample` is a value, and
    `gives` what it becomes, for the test of every row; `rule` is what a value
    must look like. In a name <word> stands for any name."""

    name: str
    where: str
    default: str
    fate: Fate
    key: str = ""
    inherits: str = ""
    fills: str = ""
    note: str = ""
    sample: str = ""
    gives: str = ""
    rule: str = ""


class Lookup:
    """Rows of some kinds of things, found by a name as a file has it."""

    def __init__(self, rows: Iterable[Setting], *where: str) -> None:
        self.exact: dict[str, Setting] = {}
        self.patterns: list[tuple[re.Pattern[str], Setting]] = []
        for row in rows:
            if where and row.where not in where:
                continue
            if "<" in row.name:
                words = re.split(r"<[^>]*>", row.name)
                self.patterns.append((re.compile(
                    ".+".join(map(re.escape, words)), re.I), row))
            else:
                self.exact[row.name.lower()] = row

    def get(self, name: str) -> Setting | None:
        """The row of a name, whatever its capitals; None: it is not known."""
        found = self.exact.get(name.lower())
        return found or next((row for pattern, row in self.patterns
                              if pattern.fullmatch(name)), None)


def pairs(text: str) -> list[tuple[str, str]]:
    """Settings of the text form: "order=fair fair_kind=cpu".

    >>> pairs("order=fair fair_kind=cpu")
    [('order', 'fair'), ('fair_kind', 'cpu')]
    """
    return [(key, value) for key, _, value in
            (word.partition("=") for word in text.split())]


def cell(text: str) -> str:
    """A text as a cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ") or " "


def table(rows: Iterable[Setting]) -> str:
    """Rows as a table of Markdown."""
    lines = ["| setting | said by | default | unsaid | becomes | how it differs |",
             "|---|---|---|---|---|---|"]
    for row in rows:
        unsaid = ", ".join(filter(None, (
            f"as {row.inherits}" if row.inherits else "",
            f"`{row.fills}` is filled in" if row.fills else "")))
        what = f"`{row.key}`" if row.key else ""
        fate = row.fate.value
        becomes = f"{what}, {fate}" if what and row.fate is Fate.NOTED \
            else what or fate
        lines.append("| " + " | ".join(map(cell, (
            f"`{row.name}`", row.where, row.default, unsaid, becomes,
            row.note))) + " |")
    return "\n".join(lines) + "\n"
