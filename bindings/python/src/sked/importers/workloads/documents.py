"""JSON an object at a time: documents one after another, or the members of one
large array somewhere in a document. Never a whole file in memory.

The standard library's parser takes an object that is whole and clean. Where it
cannot, a scan over brackets and strings finds out which it is: not all here
yet, with comments (`//`, `/* */`, which are blanked), or broken, which is a
finding with its line. Numbers with a point stay texts, so that they are as
exact as they were written."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..files import BLOCK, Source

MAX_DEPTH = 64
MAX_DOCUMENT = 1 << 26
MAX_SAID = 64  # of the scalars beside the members
# One class of bytes each: such a pattern cannot go back on what it took.
TO_BRACKET = re.compile(r'[^"{}\[\]/]*')
BLANKS = re.compile(r"[ \t\r\n]*")
BETWEEN = re.compile(r"[ \t\r\n,]*")
WORD = re.compile(r'[^ \t\r\n{}\[\]:,"/]*')
DECODER = json.JSONDecoder(parse_float=str, parse_constant=str)


class Broken(ValueError):
    """A file that cannot be followed any further."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line
        self.text = text


class Document(NamedTuple):
    """An object, where it begins, and its text."""

    line: int
    value: Any
    text: str


class Finder:
    """Lines of words in a document that are looked for in its order."""

    def __init__(self, document: Document) -> None:
        self.text = document.text
        self.line = document.line
        self.pos = 0

    def at(self, word: str) -> int:
        """The line of a word behind the last one found; that one's where it
        does not come."""
        found = self.text.find(word, self.pos)
        if found >= 0:
            self.line += self.text.count("\n", self.pos, found)
            self.pos = found
        return self.line


def behind(pattern: re.Pattern[str], data: str, at: int) -> int:
    """Behind what a pattern, which may match nothing, takes at `at`."""
    found = pattern.match(data, at)
    assert found is not None
    return found.end()


def string_end(data: str, at: int) -> int:
    """Behind the string whose quote is at `at`; 0: its end is not here."""
    end = data.find('"', at + 1)
    while end >= 0:
        before = end - 1
        while data[before] == "\\":
            before -= 1
        if (end - before) % 2:
            return end + 1
        end = data.find('"', end + 1)
    return 0


def without(text: str, comments: list[tuple[int, int]]) -> str:
    """A text with nothing in place of its comments but their line ends."""
    parts, done = [], 0
    for begin, end in comments:
        parts += [text[done:begin], " ",
                  "\n" * text.count("\n", begin, end)]
        done = end
    return "".join(parts) + text[done:]


def parsed(text: str) -> Any:
    """A value. ValueError where it is none."""
    return DECODER.decode(text)


class Scanner:
    """A file's text, of which what is in front is forgotten."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.input = source.blocks()
        self.decode = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self.data = ""
        self.pos = 0
        self.line_ = 1
        self.counted = 0
        self.said: dict[str, str] = {}
        self.ended = False

    @property
    def line(self) -> int:
        """The line of `pos`."""
        self.line_ += self.data.count("\n", self.counted, self.pos)
        self.counted = self.pos
        return self.line_

    def more(self) -> bool:
        """Forgets what is before `pos`, and gets the next blocks: as much
        again as is kept, so that a long object is not copied often."""
        _ = self.line
        parts = [self.data[self.pos:]]
        wanted = max(len(parts[0]), 1)
        while wanted > 0 and not self.ended:
            block = next(self.input, b"")
            self.ended = not block
            parts.append(self.decode.decode(block, final=self.ended))
            wanted -= BLOCK if block else 0
        got = len(parts) > 1
        if got:
            self.data = "".join(parts)
            self.pos = self.counted = 0
        return got

    def comment_end(self, at: int) -> int:
        """Behind a comment, or a lone slash, that begins at `at`; 0: its end
        is not here yet."""
        mark = self.data[at + 1:at + 2]
        if mark == "/":
            return self.data.find("\n", at) + 1 or self.ended * len(self.data)
        if mark == "*":
            found = self.data.find("*/", at + 2)
            return found + 2 if found >= 0 else 0
        return at + 1 if mark else 0

    def value(self) -> Document | None:
        """The object or array at `pos`; None, with a finding, where it is not
        JSON. Broken where it has no end."""
        try:
            value, end = DECODER.raw_decode(self.data, self.pos)
        except (ValueError, RecursionError):
            return self.scanned()
        made = Document(self.line, value, self.data[self.pos:end])
        self.pos = end
        return made

    def scanned(self) -> Document | None:
        """The same, by its brackets."""
        at, depth = self.pos, 0
        comments: list[tuple[int, int]] = []
        while True:
            at = behind(TO_BRACKET, self.data, at)
            mark = self.data[at:at + 1]
            if mark == '"' and (end := string_end(self.data, at)):
                at = end
            elif mark == "{" or mark == "[":
                at, depth = at + 1, depth + 1
                if depth > MAX_DEPTH:
                    raise Broken(self.line, "is nested too deep")
            elif mark == "}" or mark == "]":
                at, depth = at + 1, depth - 1
                if not depth:
                    return self.taken(at, comments)
            elif mark == "/" and (end := self.comment_end(at)):
                if end > at + 1:
                    comments.append((at - self.pos, end - self.pos))
                at = end
            else:
                at = self.grown(at)

    def grown(self, at: int) -> int:
        """Where `at` is once there is more."""
        if len(self.data) - self.pos > MAX_DOCUMENT:
            raise Broken(self.line, "is an object of more than 64 MiB")
        start = self.pos
        if not self.more():
            raise Broken(self.line, "is an object without an end")
        return at - start

    def taken(self, end: int,
              comments: list[tuple[int, int]]) -> Document | None:
        """The text up to `end` as a document."""
        line = self.line
        text = self.data[self.pos:end]
        self.pos = end
        if comments:
            text = without(text, comments)
        try:
            return Document(line, parsed(text), text)
        except json.JSONDecodeError as error:
            self.source.findings.add(line + error.lineno - 1, "is no JSON",
                                     error.msg)
        except ValueError:
            self.source.findings.add(line, "has a number of too many digits")
        return None

    def token(self) -> str:
        """The next word, which is passed over unless it is a bracket that
        opens; "" at the end of the file."""
        while True:
            start = behind(BLANKS, self.data, self.pos)
            mark, end = self.data[start:start + 1], 0
            if mark == "/" and (after := self.comment_end(start)):
                self.pos = after
                continue
            if mark == '"':
                end = string_end(self.data, start)
            elif mark and mark in "{}[]:,":
                end = start + 1
            elif mark != "/":
                end = behind(WORD, self.data, start)
            if end > start and (end < len(self.data) or self.ended):
                self.pos = start if mark in "{[" else end
                return self.data[start:end]
            if not self.more():
                self.pos = len(self.data)
                return ""

    def next_object(self) -> bool:
        """Is an object next, but for commas? It is at `pos` then."""
        at = behind(BETWEEN, self.data, self.pos)
        if self.data[at:at + 1] != "{":
            return False
        self.pos = at
        return True

    def pass_over(self) -> None:
        """Goes on behind the bracket at `pos`."""
        self.pos += 1


def guarded(scan: Scanner, found: Iterator[Document]) -> Iterator[Document]:
    """What is found, up to where it cannot be followed."""
    try:
        yield from found
    except Broken as broken:
        scan.source.findings.add(broken.line, broken.text)


def each(scan: Scanner) -> Iterator[Document]:
    """The objects of an array, behind its bracket, or of a file."""
    word = "{"
    while word not in ("", "]"):
        while scan.next_object():
            if (document := scan.value()) is not None:
                yield document
        word = scan.token()
        if word == "[":
            scan.value()
            scan.source.findings.add(scan.line, "is an array, not an object")
        elif word not in ("", ",", "{", "]"):
            scan.source.findings.add(scan.line, "is text between objects",
                                     word[:40])


def of_file(scan: Scanner) -> Iterator[Document]:
    """The objects of a file, or those of the one array that it is."""
    word = scan.token()
    if word == "[":
        scan.pass_over()
    elif word != "{":
        raise Broken(scan.line, "begins with no object")
    yield from each(scan)


def documents(source: Source) -> Iterator[Document]:
    """The objects of a file one after another, in an array or not."""
    scan = Scanner(source)
    return guarded(scan, of_file(scan))


def along(scan: Scanner, path: Sequence[str]) -> Iterator[Document]:
    """Down the names of `path`, noting the scalars on the way."""
    if scan.token() != "{":
        raise Broken(scan.line, "begins with no object")
    scan.pass_over()
    level, reached = 0, False
    while level >= 0:
        word = scan.token()
        if word == "}":
            level -= 1
        elif word[:1] == '"':
            name = str(parsed_scalar(word))
            if scan.token() != ":":
                raise Broken(scan.line, "is no JSON")
            on_way = path[level:level + 1] == [name]
            reached = reached or on_way
            if on_way and level + 1 == len(path):
                yield from at_end(scan)
            else:
                level += beside(scan, name, on_way)
        elif word != ",":
            raise Broken(scan.line, "is an object without an end" if not word
                         else "is no JSON")
    if not reached:
        raise Broken(scan.line, f"has nothing named {path[0]}")


def beside(scan: Scanner, name: str, on_way: bool) -> int:
    """A value that is not looked for: passed over, but noted when it is a
    scalar, and gone into when it is on the way (1)."""
    word = scan.token()
    if word == "{" and on_way:
        scan.pass_over()
        return 1
    if word in ("{", "["):
        scan.value()
    elif len(scan.said) < MAX_SAID and word not in ("", "}", "]"):
        scan.said[name] = str(parsed_scalar(word))[:200]
    return 0


def parsed_scalar(word: str) -> Any:
    """A scalar; its own text where it is none."""
    try:
        return parsed(word)
    except ValueError:
        return word


def at_end(scan: Scanner) -> Iterator[Document]:
    """The members of what was looked for; a lone object is its own."""
    word = scan.token()
    if word == "{":
        if (document := scan.value()) is not None:
            yield document
    elif word == "[":
        scan.pass_over()
        yield from each(scan)


def members(source: Source, path: Sequence[str],
            said: dict[str, str] | None = None) -> Iterator[Document]:
    """The objects in the array at `path` of a file that is one object. `said`
    gets the scalars beside it."""
    scan = Scanner(source)
    if said is not None:
        scan.said = said
    return guarded(scan, along(scan, list(path)))
