"""XML, JSON and YAML as small trees with line numbers.

All readers go from event to event, without recursion. Depth and number are
bounded, and so is what aliases of YAML come to when they are followed. XML is
read by expat; a document type is refused, and with it every entity of its own.
XML that is not well-formed is read up to the place. Where that lies in a
comment, comments are put aside and the rest is read too, so that all faults
are told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from ..files import failed, without

MAX_DEPTH = 200
MAX_NODES = 1 << 20
MAX_YAML = 8 << 20
TOKEN = re.compile(
    r'[ \t\r\n]*(?:([{}\[\],:])|("[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")|'
    r"(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|\Z)")
BLANKS = re.compile(r"[ \t\r\n]*")
NULLS = {"", "~", "null", "Null", "NULL"}


class BadDocument(Exception):
    """Why a document cannot be read, and where."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line
        self.text = text


@dataclass
class Node:
    """A map, a list, a text, or nothing (None): numbers and yes or no are
    texts too. `twice` are keys that a map has more than once; `inner` is the
    line on which the text itself begins."""

    line: int
    value: dict[str, Node] | list[Node] | str | None = None
    inner: int = 0
    weight: int = 1
    keys: dict[str, int] = field(default_factory=dict)
    twice: list[tuple[str, int]] = field(default_factory=list)

    def get(self, *names: str) -> Node | None:
        """What a map has under a name, and there under the next."""
        found: Node | None = self
        for name in names:
            if found is None or not isinstance(found.value, dict):
                return None
            found = found.value.get(name)
        return found

    def text(self, *names: str) -> str | None:
        """The same, where it is a text."""
        found = self.get(*names)
        return found.value if found and isinstance(found.value, str) else None

    def items(self) -> list[Node]:
        """The elements of a list."""
        return self.value if isinstance(self.value, list) else []

    def pairs(self) -> list[tuple[str, Node]]:
        """Those of a map."""
        return list(self.value.items()) if isinstance(self.value, dict) else []

    def put(self, key: str, line: int, node: Node) -> None:
        """A pair of a map."""
        assert isinstance(self.value, dict)
        if key in self.value:
            self.twice.append((key, line))
        self.value[key] = node
        self.keys[key] = line


class Stack:
    """Nodes being built, from events."""

    def __init__(self) -> None:
        self.roots: list[Node] = []
        self.open: list[Node] = []
        self.names: list[str] = []
        self.key: list[tuple[str, int] | None] = []
        self.count = 0

    def push(self, node: Node, name: str = "") -> None:
        """A map or list opens, perhaps with a name."""
        if len(self.open) >= MAX_DEPTH:
            raise BadDocument(node.line, f"is more than {MAX_DEPTH} deep")
        self.open.append(node)
        self.names.append(name)
        self.key.append(None)

    def pop(self) -> Node:
        """It closes, and is put into the one above."""
        self.key.pop()
        self.names.pop()
        node = self.open.pop()
        self.add(node)
        return node

    def add(self, node: Node) -> None:
        """A whole node."""
        self.count += 1
        if self.count > MAX_NODES:
            raise BadDocument(node.line, f"has more than {MAX_NODES} parts")
        if not self.open:
            self.roots.append(node)
            return
        top = self.open[-1]
        top.weight += node.weight
        if top.weight > MAX_NODES:
            raise BadDocument(node.line, "grows beyond measure by its aliases")
        if isinstance(top.value, list):
            top.value.append(node)
        elif self.key[-1] is None:
            name = node.value if isinstance(node.value, str) else ""
            self.key[-1] = (name, node.line)
        else:
            top.put(*self.key[-1], node)
            self.key[-1] = None


# ---- JSON ----

def json_node(text: str) -> Node:
    """A JSON document. BadDocument where it is none."""
    stack = Stack()
    at, line, want = 0, 1, "value"
    while True:
        found = TOKEN.match(text, at)
        if not found:
            line += text.count("\n", at, blank_end(text, at))
            raise BadDocument(line, "is not JSON")
        line += text.count("\n", at, found.end())
        at = found.end()
        want = json_token(stack, found, line, want)
        if not stack.open and want == "end":
            break
    if text[at:].strip(" \t\r\n"):
        raise BadDocument(line + text.count("\n", at, blank_end(text, at)),
                          "has something behind its end")
    return stack.roots[0]


def blank_end(text: str, at: int) -> int:
    """Where blanks end."""
    found = BLANKS.match(text, at)
    return found.end() if found else at


def json_token(stack: Stack, found: re.Match[str], line: int,
               want: str) -> str:
    """One token; what may come next."""
    mark, quoted, word = found.groups()
    if quoted or word:
        if want not in ("value", "key", "first", "item"):
            raise BadDocument(line, "a value where none may be")
        if word and want in ("key", "first"):
            raise BadDocument(line, "a name is wanted")
        stack.add(Node(line, unquoted(quoted, line) if quoted else
                       None if word == "null" else word))
        return "colon" if want in ("key", "first") else after(stack)
    if mark in ("{", "[") and want in ("value", "item"):
        stack.push(Node(line, {} if mark == "{" else []))
        return "first" if mark == "{" else "item"
    if mark == ":" and want == "colon":
        return "value"
    top = stack.open[-1].value if stack.open else None
    if mark == "," and want == "comma":
        return "key" if isinstance(top, dict) else "value"
    if mark == "}" and isinstance(top, dict) and want in ("first", "comma") \
            or mark == "]" and isinstance(top, list) and \
            want in ("item", "comma"):
        stack.pop()
        return after(stack)
    raise BadDocument(line, "ends too early" if mark is None else
                      f"{mark!r} has no place here")


def after(stack: Stack) -> str:
    """What may come behind a whole value."""
    return "comma" if stack.open else "end"


def unquoted(quoted: str, line: int) -> str:
    """A string of JSON."""
    try:
        return str(json.loads(quoted))
    except ValueError as error:
        raise BadDocument(line, f"a string that is none: {error}") from None


# ---- YAML ----

def yaml_module(file: str) -> Any:
    """PyYAML, or what to do to have it."""
    try:
        import yaml
    except ImportError:
        raise failed(file, "YAML needs the package PyYAML: pip install "
                     "'libsked[yaml]'") from None
    return yaml


def yaml_nodes(file: str, text: str, first: int = 1) -> list[Node]:
    """Every document of a YAML text, whose first line has the number `first`.
    Nothing is constructed: texts stay texts. BadDocument where it is none."""
    if len(text) > MAX_YAML:
        raise BadDocument(0, f"is longer than {MAX_YAML >> 20} MiB")
    yaml = yaml_module(file)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    stack = Stack()
    anchors: dict[str, Node] = {}
    try:
        for event in yaml.parse(text, Loader=loader):
            yaml_event(yaml, stack, anchors, event, first)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        why = getattr(error, "problem", None) or str(error).split("\n")[0]
        raise BadDocument(first + mark.line if mark else 0,
                          f"is not YAML: {why}") from None
    except (ValueError, RecursionError) as error:
        raise BadDocument(0, f"is not YAML: {error}") from None
    return stack.roots


def yaml_event(yaml: Any, stack: Stack, anchors: dict[str, Node], event: Any,
               first: int) -> None:
    """One event of the parser."""
    line = first + event.start_mark.line
    if isinstance(event, yaml.AliasEvent):
        if event.anchor not in anchors:
            raise BadDocument(line, f"no such anchor: {event.anchor[:60]}")
        stack.add(anchors[event.anchor])
    elif isinstance(event, yaml.ScalarEvent):
        plain = event.style in (None, "")
        node = Node(line, None if plain and event.value in NULLS
                    else event.value, line + (event.style in ("|", ">")))
        if stack.open and isinstance(stack.open[-1].value, dict) and \
                stack.key[-1] is None:
            node.value = event.value
        if event.anchor:
            anchors[event.anchor] = node
        stack.add(node)
    elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
        node = Node(line, {} if isinstance(event, yaml.MappingStartEvent)
                    else [])
        anchors.pop(event.anchor, None)  # no alias may name what is open
        stack.push(node, event.anchor or "")
    elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
        name = stack.names[-1]
        node = stack.pop()
        if name:
            anchors[name] = node
    elif isinstance(event, yaml.DocumentStartEvent):
        anchors.clear()


def merged(node: Node) -> Iterator[tuple[str, Node]]:
    """The pairs of a map with those that `<<` brings in."""
    for key, value in node.pairs():
        if key == "<<":
            for one in value.items() or [value]:
                yield from ((k, v) for k, v in one.pairs()
                            if node.get(k) is None)
        else:
            yield key, value


# ---- XML ----

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


def xml(text: str, quoted: bool = False) -> str:
    """Text as XML has it, without what XML cannot say."""
    return escaped(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "?",
                          text), quoted)


def tag(name: str, text: str) -> str:
    """One element."""
    return f"<{name}>{xml(text)}</{name}>"
