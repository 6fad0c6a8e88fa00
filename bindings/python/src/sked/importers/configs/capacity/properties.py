"""Properties of a capacity scheduler with their lines: their names, their
values, and the three kinds of files they come from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from ...files import OPEN, failed, filled
from ...values import KIND, MIB, MOST, decimal, fraction
from ..draft import Draft, decoded
from ..markup import BadDocument, Element, Node, json_node, parse
from .settings import OF_QUEUE

# ---- names of properties ----

PREFIX = "yarn.scheduler.capacity."
OLD_PREFIX = "mapred.capacity-scheduler."
MONITOR = "yarn.resourcemanager.monitor.capacity.preemption."


def known(setting: str) -> bool:
    """Does a queue have such a setting?"""
    return OF_QUEUE.get(setting) is not None


def split(rest: str) -> tuple[str, str]:
    """What stands behind a queue, as the name of one that is in no list and
    its setting; no name where the setting is the queue's own."""
    parts = rest.split(".")
    for i in range(len(parts)):
        if known(".".join(parts[i:])):
            return ".".join(parts[:i]), ".".join(parts[i:])
    return "", rest


# ---- capacities ----

NAMES = {"memory": "memory", "memory-mb": "memory", "vcores": "cpu",
         "yarn.io/gpu": "gpu"}
BACK = {"memory": "memory", "cpu": "vcores", "gpu": "yarn.io/gpu"}
AMOUNT = re.compile(r"(\d{1,30})\s*([A-Za-z]{0,2})")
UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15,
         "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40,
         "Pi": 1 << 50}


class BadCapacity(ValueError):
    """Why a text is no capacity."""


@dataclass
class Capacity:
    """One of the three; `mode` says which."""

    mode: str
    number: Fraction = Fraction(0)
    amounts: dict[str, int | None] = field(default_factory=dict)


def capacity(text: str) -> Capacity:
    """Reads one; BadCapacity says what is wrong.

    >>> capacity("33.333").number, capacity("2w").mode
    (Fraction(33333, 1000), 'weight')
    """
    said = text.strip()
    if said.startswith("[") and said.endswith("]"):
        return vector(said[1:-1])
    mode = "percent"
    if said.endswith("w"):
        mode, said = "weight", said[:-1]
    elif said.endswith("%"):
        said = said[:-1]
    value = fraction(said)
    if value is None:
        raise BadCapacity(f"{text[:60]!r} is no capacity")
    return Capacity(mode, value)


def vector(said: str) -> Capacity:
    """Amounts of each resource."""
    made = Capacity("amounts")
    for pair in said.split(","):
        name, _, value = (word.strip() for word in pair.partition("="))
        kind = NAMES.get(name, name)
        if not KIND.fullmatch(kind):
            raise BadCapacity(f"{name[:40]!r} is no resource")
        if kind in made.amounts:
            raise BadCapacity(f"{name} is said twice")
        if value.endswith(("%", "w")):
            raise BadCapacity(f"{value[:40]!r}: a mode for each resource is "
                              "not read")
        found = AMOUNT.fullmatch(value)
        if not found or found[2] not in UNITS:
            raise BadCapacity(f"{value[:40]!r} is no amount of {name}")
        scale = UNITS[found[2]]
        if kind == "memory" and not found[2]:
            scale = MIB
        if kind == "cpu":
            scale *= 1000
        made.amounts[kind] = min(int(found[1]) * scale, MOST)
    return made


def vector_text(amounts: dict[str, int | None]) -> str | None:
    """Amounts as YARN has them; None where one is finer than its units."""
    words = []
    for kind, value in amounts.items():
        scale = MIB if kind == "memory" else 1000 if kind == "cpu" else 1
        if value is None or value % scale:
            return None
        words.append(f"{BACK.get(kind, kind)}={value // scale}")
    return f"[{','.join(words)}]"


def percents(weights: list[Fraction]) -> list[Fraction]:
    """Weights as parts of 1 in millionths that add to exactly 1: what the
    rounding leaves goes to the largest remainders, the first of equals."""
    total = sum(weights, Fraction(0))
    if not total:
        return [Fraction(0)] * len(weights)
    exact = [w / total * 1_000_000 for w in weights]
    units = [int(x) for x in exact]
    order = sorted(range(len(units)), key=lambda i: (units[i] - exact[i], i))
    for i in order[:1_000_000 - sum(units)]:
        units[i] += 1
    return [Fraction(u, 1_000_000) for u in units]


def percent_text(part: str) -> str:
    """A part of the text form as a number of percent."""
    return decimal(Fraction(part[:-1]))


# ---- properties with their lines ----

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
