"""Properties of a capacity scheduler with their lines: from XML, from the
JSON of the REST API, from a Puppet manifest that makes the XML."""

from __future__ import annotations

import re
from typing import NamedTuple

from .draft import Draft
from .node import BadDocument, Node, json_node
from .source import OPEN, failed, filled
from .xmltree import Element, parse

PUPPET = re.compile(r"^[ \t]*'([\w.%-]+)'[ \t]*=>[ \t]*(?:'([^']*)'|\"([^\"]*)\"|"
                    r"([^\s,#]+))", re.M)
ASKED = re.compile(r"\$(\w+)[ \t]*=[ \t]*lookup\(|\$\{(\w+)\}")


class Entry(NamedTuple):
    """What a property says, and where."""

    value: str
    line: int


Props = dict[str, Entry]


def put(draft: Draft, props: Props, name: str, value: str, line: int) -> None:
    """One property; the last of a name holds."""
    name = name.strip()
    if OPEN in value or OPEN in name:
        draft.open_names.add(name)
        return
    if not name:
        draft.error(line, "a property without a name")
        return
    if name in props:
        draft.warn(line, f"is said on line {props[name].line} too: the last "
                   "holds", name)
    props[name] = Entry(value, line)


def of_xml(draft: Draft, data: bytes) -> Props:
    """Those of a Hadoop configuration."""
    text, variables = filled(data)
    draft.unfilled(variables)
    document = parse(text)
    for line, reason in document.faults:
        draft.error(line, reason)
    if document.root is None:
        raise failed(draft.file, document.faults[0][1], document.faults[0][0])
    if document.root.tag != "configuration":
        draft.error(document.root.line, "the outermost element is "
                    f"<{document.root.tag}>, not <configuration>")
    props: Props = {}
    for element in document.root.children:
        if element.tag != "property":
            draft.warn(element.line, f"<{element.tag}> among properties")
            continue
        of_element(draft, props, element)
    return props


def of_element(draft: Draft, props: Props, element: Element) -> None:
    """A <property>: elements, or attributes."""
    said = dict(element.attributes)
    line = element.line
    for child in element.children:
        said[child.tag] = child.text
        if child.tag == "value":
            line = child.line
    if "name" not in said:
        draft.error(element.line, "a property without a name")
    elif "value" not in said:
        draft.warn(element.line, "a property without a value",
                   said["name"].strip())
    else:
        put(draft, props, said["name"], said["value"], line)


def of_json(draft: Draft, root: Node) -> Props:
    """Those of /ws/v1/cluster/scheduler-conf."""
    props: Props = {}
    for one in (root.get("property") or Node(0)).items():
        name, value = one.text("name"), one.text("value")
        if name is None or value is None:
            draft.error(one.line, "a property without a name or a value")
        else:
            put(draft, props, name, value, one.line)
    return props


def of_puppet(draft: Draft, text: str) -> Props:
    """The settings of a manifest; its own variables stay open."""
    props: Props = {}
    for found in PUPPET.finditer(text):
        line = 1 + text.count("\n", 0, found.start(1))
        value = next(g for g in found.groups()[1:] if g is not None)
        if found[4] and value.startswith("$") or "${" in value:
            draft.warn(line, "is not filled in", value)
        elif "." in found[1] and "::" not in found[1]:
            put(draft, props, found[1], value, line)
    for found in ASKED.finditer(text):
        line = 1 + text.count("\n", 0, found.start())
        draft.warn(line, "is not filled in", found[1] or found[2])
    return props


def properties(draft: Draft, data: bytes) -> Props:
    """Those of a file in any of the three."""
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        try:
            return of_json(draft, json_node(decoded(draft, data)))
        except BadDocument as bad:
            raise failed(draft.file, bad.text, bad.line) from None
    if b"<configuration" not in data and b"=>" in data:
        return of_puppet(draft, decoded(draft, data))
    return of_xml(draft, data)


def decoded(draft: Draft, data: bytes) -> str:
    """Bytes as text; what is no UTF-8 is told."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        draft.warn(1 + data.count(b"\n", 0, error.start), "is not UTF-8")
        return data.decode("utf-8", "replace")
