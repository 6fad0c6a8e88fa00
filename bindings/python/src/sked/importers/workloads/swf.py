"""The Standard Workload Format 2.2: 18 numbers a line, -1 where not known.

Processors become tasks of one core. The queue is field 15, else the partition,
else the user, as the programs have it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from operator import add
from typing import Any

from ..model import Fidelity, Job, Reader, Workload, register_reader
from .exact import LATEST, LONGEST, Bad, Memo, count
from ..files import Source, cut_lines

FIELDS = 18
BLANKS = re.compile(r"[ \t]+")
ODD = re.compile(r"[^ -~\t]")  # what str.split() might cut at, too
Column = Sequence[str]
Times = Sequence[int | None]


def number(text: str, scale: int) -> int:
    """A field; -1 where it says that nothing is known."""
    try:
        value = count(text, scale)
    except Bad as bad:
        if bad.reason == "is negative":
            return -1
        raise
    if value is None:
        raise Bad("is empty")
    return value


def integers(column: Column, field: int, scale: int) -> list[int]:
    """A column of a block as counts of 10^-scale."""
    try:
        by = 10**scale
        return [int(s) * by for s in column] if by > 1 else \
            list(map(int, column))
    except ValueError:
        pass
    try:
        return [number(s, scale) for s in column]
    except Bad as bad:
        raise Bad(bad.reason, f"field {field}") from None


def times(column: Column, field: int, most: int) -> list[int]:
    """A column of seconds as ns, at most `most`."""
    made = integers(column, field, 9)
    if max(made) > most:
        raise Bad("is more than 2^61 ns (73 years)" if most == LATEST else
                  "is more than 2^60 ns (36 years)", f"field {field}")
    return made


def known(column: Column) -> Column:
    """Names; "" where the field says that nothing is known."""
    if "-" not in "".join(column):
        return column
    return ["" if s[0] == "-" else s for s in column]


def positive(times: list[int]) -> Times:
    """Times, None where the field says that nothing is known."""
    if min(times) >= 0:
        return times
    return [None if t < 0 else t for t in times]


def sums(a: Times, b: Times) -> Times:
    """The sum of each two, where both are known."""
    try:
        return list(map(add, a, b))
    except TypeError:
        return [None if s is None or t is None else s + t
                for s, t in zip(a, b)]


def memory_of(asked: str, used: str) -> int | None:
    """KiB of a processor as bytes: what was asked for, else what was used."""
    for text in (asked, used):
        if (found := number(text, 0)) > 0:
            return found * 1024
    return None


def jobs(lines: Sequence[int], c: Sequence[Column],
         memory: Memo[int | None] | None) -> Iterator[Job]:
    """Lines that are all right. Bad where one is not."""
    submits = times(c[1], 2, LATEST)
    waits = times(c[2], 3, LATEST)
    runs = times(c[3], 4, LONGEST)
    integers(c[8], 9, 9)  # not used, but the programs want a number there
    procs, asked = integers(c[4], 5, 0), integers(c[7], 8, 0)
    if min(procs) <= 0:
        procs = [p if p > 0 else max(a, 0) for p, a in zip(procs, asked)]
    submit, run = positive(submits), positive(runs)
    start = sums(submit, positive(waits))
    end = sums(start, run)
    users, queues = known(c[11]), known(c[14])
    if not all(queues):
        queues = [q or p or u for q, p, u in zip(queues, known(c[15]), users)]
    held: Any = repeat(None) if memory is None else \
        [memory[f"{a} {u}"] for a, u in zip(c[9], c[6])]
    rows = zip(c[0], submit, start, end, run, procs, repeat(1000), held,
               repeat(None), users, known(c[12]), queues, repeat(None),
               repeat(""), repeat(""), lines, repeat(None), repeat(""))
    return map(tuple.__new__, repeat(Job), rows)


def words(line: str) -> list[str]:
    """A line cut by blanks and tabs alone."""
    return [word for word in BLANKS.split(line) if word]


class Table:
    """The lines of one file."""

    def __init__(self, work: Workload, memory: bool) -> None:
        self.work = work
        self.memory = Memo(lambda text: memory_of(*text.split(" "))) \
            if memory else None

    def block(self, lines: Sequence[int], found: list[str]) -> Iterable[Job]:
        """A block at once, or line by line where something is wrong."""
        joined = "".join(found)
        odd = not joined.isprintable() and ODD.search(joined)
        rows = [words(one) for one in found] if odd else \
            [one.split() for one in found]
        if set(map(len, rows)) == {FIELDS} and joined.isascii() and \
                "_" not in joined:
            try:
                return jobs(lines, list(zip(*rows)), self.memory)
            except Bad:
                pass
        return [job for line, row in zip(lines, rows)
                for job in self.single(line, row)]

    def single(self, line: int, row: list[str]) -> Iterable[Job]:
        """One line; a finding where it is wrong."""
        try:
            if len(row) < FIELDS:
                raise Bad("fewer than 18 fields")
            for at in (1, 2, 3, 4, 7, 8):
                number(row[at], 0)
            return jobs([line], [(s,) for s in row], self.memory)
        except Bad as bad:
            self.work.findings.add(line, bad.reason, bad.where)
            self.work.skip("a fault in the record")
            return ()


def split(lines: Sequence[int],
          found: list[str]) -> tuple[list[int], list[str]]:
    """The lines that are no comments and not blank."""
    kept = [(n, one) for n, one in zip(lines, found)
            if (text := one.lstrip(" \t")) and text[0] != ";"]
    return [n for n, _ in kept], [one for _, one in kept]


def blocks(work: Workload, memory: bool) -> Iterator[Iterable[Job]]:
    """The jobs of a file, a block at a time."""
    table = Table(work, memory)
    for line, text in Source(work.file, work.findings).texts():
        lines, found = cut_lines(line, text)
        if ";" in text or not all(map(str.strip, found)):
            lines, found = split(lines, found)
        if found:
            work.records += len(found)
            yield table.block(lines, found)


def fidelity(memory: bool) -> dict[str, Fidelity]:
    """A processor is one core; a job's end is what its parts add up to."""
    of = {name: Fidelity.EXACT for name in
          ("id", "submit", "run", "tasks", "user", "group")}
    of.update(start=Fidelity.DERIVED, end=Fidelity.DERIVED,
              queue=Fidelity.DERIVED, cpu=Fidelity.ASSUMED)
    if memory:
        of["memory"] = Fidelity.DERIVED
    return of


def read(path: str, memory: bool = False) -> Workload:
    """Reads SWF. `memory`: take that of a processor too, asked for or used,
    which the programs leave alone."""
    def rows(work: Workload) -> Iterator[Job]:
        return chain.from_iterable(blocks(work, memory))
    return Workload("swf", path, rows, fidelity(memory))


NUMBER = re.compile(rb"[-+]?[0-9.]+([eE][-+]?[0-9]+)?")


def sniff(name: str, head: bytes) -> bool:
    """A line of eighteen words that begin with numbers, behind comments."""
    head = head.removeprefix(b"\xef\xbb\xbf")
    for line in head.split(b"\n"):
        words = line.split()
        if words and not words[0].startswith(b";"):
            return len(words) >= FIELDS and \
                all(map(NUMBER.fullmatch, words[:5]))
    return head.lstrip().startswith(b";")


READER = register_reader(Reader(
    "swf", "the Standard Workload Format 2.2", sniff, read))
