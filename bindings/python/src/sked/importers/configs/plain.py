"""The library's own text form (docs/tree-text.md) as one of the forms."""

from __future__ import annotations

import re

from ...enums import Severity
from ...errors import ConfigError, Error, NotFoundError
from ...schema import Schema
from ...tree import Fault, Tree
from ..model import (Configuration, Fidelity, Finding, QueueSpec, bare,
                     split, text_of)
from .draft import told
from ..files import failed

KINDS = "cpu=m memory=B gpu=m"
FIRST = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:[ \t]*(?:#[^\n]*)?\r?\n)*"
                   rb"(?:kinds[ \t]|[^\s#<{=:]+[ \t]*(?:$|\n|\r|[a-z_]+=))")


LINE = re.compile(rb"(?:kinds[ \t]|[^\s#<{=:]+(?:[ \t]+[a-z_]+(?:\.\S*)?=|"
                  rb"[ \t]*(?:#|$)))")
LOOKED_AT = 40


def sniff(name: str, head: bytes) -> bool:
    """A `kinds` line, or a path with settings behind it; and three of four
    lines like that, since other texts too may begin with a word."""
    if b"\0" in head or FIRST.match(head) is None:
        return False
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").replace(
        b"\r\n", b"\n").split(b"\n") if line.strip() and
        not line.lstrip().startswith(b"#")][:LOOKED_AT]
    alike = sum(LINE.match(line) is not None for line in lines)
    return lines[0].startswith(b"kinds") or 4 * alike >= 3 * len(lines)


def read(file: str, data: bytes) -> Configuration:
    """A tree of the text form."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = 1 + data.count(b"\n", 0, error.start)
        raise failed(file, "is not UTF-8", line) from None
    return told_by(file, data)


def told_by(file: str, data: bytes) -> Configuration:
    """The same of UTF-8. Its faults are those of the library, word for
    word."""
    try:
        kinds = str(Schema.from_tree_text(data))
    except NotFoundError:
        kinds = KINDS
    except Error as error:
        raise failed(file, str(error), error.line) from None
    tree = Tree(kinds)
    try:
        tree.read(data, file=file)
        faults = tree.faults()
    except ConfigError as error:
        faults = [f for f in error.faults if isinstance(f, Fault)]
        return Configuration("text", file, kinds, [], found(file, faults))
    except Error as error:
        raise failed(file, str(error), error.line) from None
    made = Configuration("text", file, kinds, queues(tree), found(file, faults))
    for spec in made.queues:
        for key in spec.settings:
            made.fidelity[key] = Fidelity.EXACT
    return made


def found(file: str, faults: list[Fault]) -> list[Finding]:
    """Faults as findings."""
    return [Finding(file, f.line, Severity(f.severity), "",
                    told(f, ())) for f in faults]


def queues(tree: Tree) -> list[QueueSpec]:
    """The queues as the library writes them."""
    made = []
    for words in lines_of(tree.text)[1:]:
        path = tuple(bare(name) for name in split(words[0], "."))
        spec = QueueSpec(path, tree[words[0]].line)
        for word in words[1:]:
            key, value = split(word, "=")
            spec.settings[key] = bare(value)
        made.append(spec)
    return made


def lines_of(text: str) -> list[list[str]]:
    """Lines as words, split where neither quotes nor a backslash hold."""
    return [split(line, " ") for line in split(text, "\n") if line]


def write(config: Configuration) -> tuple[str, list[str]]:
    """The text form: what is in no setting of it is lost."""
    return text_of(config), config.lost()
