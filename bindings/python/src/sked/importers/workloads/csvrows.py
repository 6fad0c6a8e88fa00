"""Rows of comma-separated fields, a block at a time. A block without quotes is
cut by commas; one with quotes goes to the csv module, line by line."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from .source import MAX_LINE, Source, cut_lines

Rows = tuple[Sequence[int], list[list[str]]]


class Feed:
    """The lines of a block, and of the next ones while a quote is open."""

    def __init__(self, line: int, text: str,
                 blocks: Iterator[tuple[int, str]]) -> None:
        self.blocks = blocks
        self.take(line, text)
        self.length = 0

    def take(self, line: int, text: str) -> None:
        """Goes on with a block."""
        self.lines = text.split("\n")
        if not self.lines[-1]:
            self.lines.pop()
        self.next = line
        self.at = 0

    def __iter__(self) -> Feed:
        return self

    def __next__(self) -> str:
        if self.at == len(self.lines):
            if not self.length:
                raise StopIteration
            self.take(*next(self.blocks))
        one = self.lines[self.at] + "\n"
        self.at += 1
        self.next += 1
        self.length += len(one)
        if self.length > MAX_LINE:
            raise csv.Error("a row of more than 1 MiB")
        return one


def numbered(line: int, rows: list[list[str]]) -> Rows:
    """Rows with the lines where they begin; those of empty lines go."""
    if all(rows) and not any("\n" in field for row in rows for field in row):
        return range(line, line + len(rows)), rows
    numbers = []
    for row in rows:
        if row:
            numbers.append(line)
        line += 1 + sum(field.count("\n") for field in row)
    return numbers, [row for row in rows if row]


def quoted(source: Source, line: int, text: str,
           blocks: Iterator[tuple[int, str]]) -> Rows:
    """The rows of a block with quotes: at once, or line by line where one is
    wrong or goes on in the next block."""
    lines = [one + "\n" for one in text.removesuffix("\n").split("\n")]
    try:
        return numbered(line, list(csv.reader(lines, strict=True)))
    except csv.Error:
        return by_line(source, line, text, blocks)


def by_line(source: Source, line: int, text: str,
            blocks: Iterator[tuple[int, str]]) -> Rows:
    """The same, with what is wrong by its line."""
    feed = Feed(line, text, blocks)
    reader = csv.reader(feed, strict=True)
    numbers: list[int] = []
    rows: list[list[str]] = []
    while True:
        feed.length = 0
        began = feed.next
        try:
            row = next(reader)
        except StopIteration:
            return numbers, rows
        except csv.Error as error:
            source.findings.add(began, "is no row of CSV", str(error)[:80])
            continue
        if row:
            numbers.append(began)
            rows.append(row)


def csv_blocks(source: Source) -> Iterator[Rows]:
    """The rows of a file."""
    blocks = source.texts()
    for line, text in blocks:
        if '"' in text:
            yield quoted(source, line, text, blocks)
        else:
            numbers, lines = cut_lines(line, text)
            yield numbers, [one.split(",") for one in lines]


def headed(source: Source) -> Iterator[Rows]:
    """The rows of a file of which the first that gives only one is the
    header."""
    first = True
    for numbers, rows in csv_blocks(source):
        if first and rows:
            yield numbers[:1], rows[:1]
            numbers, rows, first = numbers[1:], rows[1:], False
        if rows:
            yield numbers, rows
