"""Statements of a slurm.conf, lists of hosts as it spells them, and what nodes
have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from math import prod

PAIR = re.compile(r'(?<!\w)([A-Za-z_]\w*)\s*=\s*("[^"]*"|\S*)')
RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
INCLUDE = re.compile(r"\s*(include)\s+(?!\s|=)(.*)", re.I)
MAX_NODES = 100000


@dataclass
class Statement:
    """The pairs of a line, keys as they were written."""

    line: int
    pairs: list[tuple[str, str]]

    def get(self, *names: str) -> str | None:
        """The value of a key, whatever its capitals."""
        for key, value in self.pairs:
            if key.lower() in names:
                return value
        return None


@dataclass
class Machines:
    """What nodes have, by name: bytes, cores in thousandths, GPUs; the features
    of each; and sets of nodes."""

    nodes: dict[str, dict[str, int | None]] = field(default_factory=dict)
    features: dict[str, frozenset[str]] = field(default_factory=dict)
    sets: dict[str, Statement] = field(default_factory=dict)

    def named(self, text: str) -> list[str]:
        """The nodes of a list of nodes and of sets of them."""
        if text.lower() == "all":
            return list(self.nodes)
        found: dict[str, None] = {}
        for name in dict.fromkeys(hosts(text)):
            if name in self.sets:
                found.update(dict.fromkeys(self.members(self.sets[name])))
            else:
                found[name] = None
        return list(found)

    def members(self, of: Statement) -> Iterator[str]:
        """A set's nodes: those of a feature, and those that it names."""
        feature = of.get("feature")
        yield from (name for name, has in self.features.items()
                    if feature in has)
        yield from hosts(of.get("nodes") or "")

    def told(self, text: str) -> bool:
        """Does a list name its nodes, each of them?"""
        return text.lower() != "all" and not any(
            name in self.sets for name in hosts(text))


class BadHosts(ValueError):
    """Why a text is no list of hosts."""


def hosts(text: str) -> Iterator[str]:
    """The names of a list: "a[1-3,7],b"; a name may have several brackets.

    >>> list(hosts("a[08-10],b")), list(hosts("r[0-1]n[1,3]"))
    (['a08', 'a09', 'a10', 'b'], ['r0n1', 'r0n3', 'r1n1', 'r1n3'])
    """
    if re.search(r"[\[\]]", re.sub(r"\[[^\[\]]*\]", "", text)):
        raise BadHosts(f"{text[:60]!r} has a bracket without the other one")
    found = 0
    for part in re.findall(r"(?:[^,\[\]]|\[[^\[\]]*\])+", text):
        pieces = re.split(r"\[([^\[\]]*)\]", part)
        choices = [numbers(piece, part) if at % 2 else [piece]
                   for at, piece in enumerate(pieces)]
        found += prod(map(len, choices))
        if found > MAX_NODES:
            raise BadHosts(f"more than {MAX_NODES} nodes")
        yield from map("".join, product(*choices))


def numbers(text: str, part: str) -> list[str]:
    """What stands in a pair of brackets: "08-10,12"."""
    found: list[str] = []
    for one in text.split(","):
        span = RANGE.fullmatch(one.strip())
        if not span:
            raise BadHosts(f"{part[:60]!r} is no list of hosts")
        low, high = int(span[1]), int(span[2] or span[1])
        if high < low or high - low > MAX_NODES - len(found):
            raise BadHosts(f"{one[:40]!r} is no range")
        found += [f"{number:0{len(span[1])}d}"
                  for number in range(low, high + 1)]
    return found


def statements(text: str) -> Iterator[Statement]:
    """Lines as pairs, comments away, continued ones as one."""
    whole_line, start = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        start = start or number
        line = re.sub(r"(?<!\\)#.*", "", line).rstrip()
        if line.endswith("\\"):
            whole_line += line[:-1] + " "
            continue
        whole_line += line
        other = INCLUDE.fullmatch(whole_line)
        if other:
            yield Statement(start, [(other[1], other[2].strip('"'))])
        elif whole_line.strip():
            yield Statement(start, [(k, v.strip('"')) for k, v in
                                    PAIR.findall(whole_line)])
        whole_line, start = "", 0
