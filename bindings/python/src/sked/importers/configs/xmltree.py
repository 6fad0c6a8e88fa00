"""XML as a small tree with line numbers, read by expat. A document type is
refused, and with it every entity of its own; depth and number are bounded.

What is not well-formed is read up to the place; where that lies in a comment,
comments are put aside and the rest is read too, so that all faults are told."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from .source import without

MAX_DEPTH = 200
MAX_ELEMENTS = 1 << 20
COMMENTS = {b"<!--": b"-->"}


@dataclass
class Element:
    """One element; `text` is what stands directly in it."""

    tag: str
    line: int
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its own text, blanks and all."""
        return "".join(self.pieces)


class Refused(Exception):
    """The document holds what is not read at all."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line
        self.text = text


@dataclass
class Document:
    """The root element as far as it was read, and what stopped it."""

    root: Element | None = None
    faults: list[tuple[int, str]] = field(default_factory=list)


class Builder:
    """One run of expat."""

    def __init__(self) -> None:
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.expat = expat.ParserCreate()
        self.expat.buffer_text = True
        self.expat.StartElementHandler = self.start
        self.expat.EndElementHandler = self.end
        self.expat.CharacterDataHandler = self.data
        self.expat.StartDoctypeDeclHandler = self.doctype

    def line(self) -> int:
        """Where it stands."""
        return self.expat.CurrentLineNumber

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element opens."""
        self.count += 1
        if len(self.open) >= MAX_DEPTH:
            raise Refused(self.line(), f"elements {MAX_DEPTH} deep")
        if self.count > MAX_ELEMENTS:
            raise Refused(self.line(), f"more than {MAX_ELEMENTS} elements")
        made = Element(tag, self.line(), attributes)
        if self.open:
            self.open[-1].children.append(made)
        else:
            self.root = made
        self.open.append(made)

    def end(self, tag: str) -> None:
        """An element closes."""
        self.open.pop()

    def data(self, text: str) -> None:
        """Text in an element."""
        self.open[-1].pieces.append(text)

    def doctype(self, *said: object) -> None:
        """Entities come with it: bombs, and other files."""
        raise Refused(self.line(), "a document type is refused: it can name "
                      "entities that grow without end or that are other files")

    def run(self, data: bytes) -> tuple[int, str] | None:
        """Reads all; where and why it had to stop."""
        try:
            self.expat.Parse(data, True)
        except expat.ExpatError as error:
            return error.lineno, self.reason(error)
        except Refused as refused:
            return refused.line, refused.text
        except (ValueError, LookupError, UnicodeError) as error:
            return self.line(), f"not readable: {error}"
        return None

    def reason(self, error: expat.ExpatError) -> str:
        """What stopped it, in words."""
        said = expat.ErrorString(error.code) or "fault"
        if said == "mismatched tag" and self.open:
            top = self.open[-1]
            said += f": <{top.tag[:60]}> of line {top.line} is still open"
        return said if said.startswith("not well") else \
            f"not well-formed: {said}"


def parse(data: bytes) -> Document:
    """The document, and every fault that could be found in its form."""
    first = Builder()
    fault = first.run(data)
    if not fault or b"<!--" not in data or "not well" not in fault[1]:
        return Document(first.root, [fault] if fault else [])
    again = Builder()
    later = again.run(without(data, COMMENTS))
    if later and later[0] <= fault[0]:
        return Document(first.root, [fault])
    return Document(again.root, [fault] + ([later] if later else []))


def written(element: Element) -> str:
    """An element as XML again, on one line."""
    text = element.text
    if element.children and not text.strip():
        text = ""
    inner = escaped(text) + "".join(map(written, element.children))
    names = "".join(f' {name}="{escaped(value, True)}"'
                    for name, value in element.attributes.items())
    return f"<{element.tag}{names}>{inner}</{element.tag}>" if inner \
        else f"<{element.tag}{names}/>"


def escaped(text: str, quoted: bool = False) -> str:
    """Text as XML has it."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(
        ">", "&gt;").replace("\r", "&#13;")
    if quoted:
        text = text.replace('"', "&quot;").replace("\n", "&#10;").replace(
            "\t", "&#9;")
    return text
