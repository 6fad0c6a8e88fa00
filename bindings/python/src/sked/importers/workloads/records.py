"""What readers of records have in common: fields of an object taken with care,
and what is not understood named once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...enums import Severity
from ..model import Fidelity, Workload
from .exact import LATEST, LONGEST, MOST, scaled

MOST_NAMED = 200
MIB = 1 << 20


def text(record: Mapping[str, Any], *names: str) -> str:
    """The first of the fields that says something, as text."""
    for name in names:
        value = record.get(name)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and \
                value != "":
            return str(value)
    return ""


def number(record: Mapping[str, Any], *names: str, scale: int = 0,
           up: bool = False) -> int | None:
    """The first of the fields that is a number at or above 0, as a count of
    10^-scale."""
    for name in names:
        value = scaled(record.get(name), scale, up)
        if value is not None:
            return value
    return None


def instant(record: Mapping[str, Any], *names: str) -> int | None:
    """Milliseconds since 1970 as ns; 0 and less mean that it is not known."""
    for name in names:
        value = scaled(record.get(name), 6)
        if value and value <= LATEST:
            return value
    return None


def mebibytes(record: Mapping[str, Any], *names: str) -> int | None:
    """The first of the fields that is a number above 0, of MiB, as bytes."""
    for name in names:
        value = scaled(record.get(name), 0, True)
        if value and value <= MOST // MIB:
            return value * MIB
    return None


def listed(record: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects of a field that is a list of them."""
    value = record.get(name)
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, list):
        return []
    return [one for one in value if isinstance(one, dict)]


def inner(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A field that is an object; an empty one else."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def span(work: Workload, line: int, where: str, start: int | None,
         end: int | None) -> tuple[int | None, int | None]:
    """The end and how long it took, as far as they are known."""
    if start is None or end is None:
        return end, None
    if end < start:
        work.findings.add(line, "ends before it starts", where[:80],
                          Severity.WARNING)
        return None, None
    if end - start > LONGEST:
        work.findings.add(line, "a run of more than 2^60 ns (36 years)",
                          where[:80], Severity.WARNING)
        return None, None
    return end, end - start


def part(total: int, of: int) -> int:
    """A part of a total, up."""
    return -(-total // of)


class Names:
    """The fields of a form; others are named once."""

    def __init__(self, known: str) -> None:
        self.known = frozenset(known.split())
        self.named: set[str] = set()

    def check(self, work: Workload, line: int, names: Iterable[str]) -> None:
        """Names those that are not known."""
        for name in names:
            if name in self.known or name in self.named or \
                    len(self.named) >= MOST_NAMED:
                continue
            self.named.add(name)
            work.findings.add(line, "a field that is not read", name[:80],
                              Severity.WARNING)


def labels(exact: str = "", derived: str = "",
           assumed: str = "") -> dict[str, Fidelity]:
    """Fidelity by column, from the names of the columns."""
    made = {}
    for words, of in ((exact, Fidelity.EXACT), (derived, Fidelity.DERIVED),
                      (assumed, Fidelity.ASSUMED)):
        made.update({name: of for name in words.split()})
    return made
