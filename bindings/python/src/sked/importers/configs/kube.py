"""What the forms of Kubernetes share: manifests with their lines, also inside
a ConfigMap, Helm values or Markdown, and quantities."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

from .draft import MAX_DEPTH, Draft, Path, decoded
from .markup import BadDocument, Node, json_node, yaml_nodes
from ..files import failed, filled
from ..values import MOST, fraction

QUANTITY = re.compile(r"([+-]?[0-9.]+)(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|"
                      r"[eE][+-]?\d{1,2})?")
SCALES = {"m": Fraction(1, 1000), "k": Fraction(10**3), "M": Fraction(10**6),
          "G": Fraction(10**9), "T": Fraction(10**12), "P": Fraction(10**15),
          "E": Fraction(10**18), "Ki": Fraction(1 << 10),
          "Mi": Fraction(1 << 20), "Gi": Fraction(1 << 30),
          "Ti": Fraction(1 << 40), "Pi": Fraction(1 << 50),
          "Ei": Fraction(1 << 60)}
KINDS = {"cpu": ("cpu", "m"), "vcore": ("cpu", "m"), "memory": ("memory", "B"),
         "nvidia.com/gpu": ("gpu", "m"), "ephemeral-storage": ("disk", "B")}
FENCE = re.compile(r"[ ]{0,3}(```|~~~)")
HEREDOC = re.compile(r"<<-?[ \t]*['\"]?(\w+)['\"]?[ \t]*$")
NAME = re.compile(r"[^\s=,;\"#\\\x00-\x1f\x7f]{1,63}")


class BadQuantity(ValueError):
    """Why a text is no quantity."""


class Manifest(NamedTuple):
    """One document, by its kind."""

    kind: str
    name: str
    node: Node


def quantity(text: str) -> Fraction:
    """A quantity of Kubernetes, exactly.

    >>> quantity("1500m"), quantity("2Gi")
    (Fraction(3, 2), Fraction(2147483648, 1))
    """
    found = QUANTITY.fullmatch(text.strip()) if len(text) < 60 else None
    value = fraction(found[1]) if found else None
    if found is None or value is None:
        raise BadQuantity(f"{text[:60]!r} is no quantity")
    tail = found[2] or ""
    if tail[:1] in ("e", "E") and len(tail) > 1:
        return value * Fraction(10) ** int(tail[1:])
    return value * SCALES.get(tail, Fraction(1))


def amount(draft: Draft, resource: str, text: str) -> tuple[str, int]:
    """The kind of a resource, and a quantity in its unit; up to the next."""
    kind, unit = KINDS.get(resource, (resource, "1"))
    if not NAME.fullmatch(kind):
        raise BadQuantity(f"{resource[:60]!r} is no resource")
    value = quantity(text)
    if value < 0:
        raise BadQuantity(f"{text[:60]} is negative")
    if kind not in draft.kinds and len(draft.kinds) >= 32:
        raise BadQuantity("more than 32 resources")
    draft.kind(kind, unit)
    if kind != resource and resource != "vcore":
        draft.spelled.setdefault(f"kind.{kind}", resource)
    scaled = value * (1000 if unit == "m" else 1)
    return kind, min(-(-scaled.numerator // scaled.denominator), MOST)


def amounts(draft: Draft, node: Node | None,
            where: str) -> dict[str, int | None]:
    """A map from resources to quantities."""
    made: dict[str, int | None] = {}
    for name, one in node.pairs() if node else []:
        try:
            if not isinstance(one.value, str):
                raise BadQuantity("is no quantity")
            kind, value = amount(draft, name, one.value)
            made[kind] = value
        except BadQuantity as error:
            draft.error(one.line, str(error), f"{where}: {name}")
    twice(draft, node, where)
    return made


def twice(draft: Draft, node: Node | None, where: str) -> None:
    """Keys that a map has more than once."""
    for key, line in node.twice if node else []:
        draft.error(line, f"{key[:60]} is said twice: the last holds", where)


def leaves(node: Node | None, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every text below, by its path: what is kept."""
    todo = [(prefix, node)]
    while todo:
        path, one = todo.pop()
        if one is None:
            continue
        if isinstance(one.value, str):
            yield path, one.value
        elif isinstance(one.value, list):
            todo += reversed([(f"{path}[{i}]", x)
                              for i, x in enumerate(one.value)])
        else:
            todo += reversed([(f"{path}.{k}" if path else k, x)
                              for k, x in one.pairs()])


def documents(draft: Draft, data: bytes, kinds: set[str]) -> list[Node]:
    """Every document of a file: JSON, YAML, or in Markdown the YAML that has
    one of these kinds."""
    plain, variables = filled(data)
    draft.unfilled(variables)
    text = decoded(draft, plain).replace("\r\n", "\n")
    try:
        if text.lstrip()[:1] in ("{", "[") and "\n---" not in text:
            try:
                return [json_node(text)]
            except BadDocument:
                return yaml_nodes(draft.file, text)
        if re.search(r"^(```|~~~)", text, re.M):
            return markdown(draft, text, kinds)
        return yaml_nodes(draft.file, text)
    except BadDocument as bad:
        raise failed(draft.file, bad.text, bad.line) from None


def markdown(draft: Draft, text: str, kinds: set[str]) -> list[Node]:
    """The YAML in fenced blocks, and there in here-documents."""
    made: list[Node] = []
    wanted = re.compile(rf"^kind:[ \t]*({'|'.join(sorted(kinds))})[ \t]*$",
                        re.M)
    for line, part in blocks(text):
        if not wanted.search(part):
            continue
        try:
            made += yaml_nodes(draft.file, part, line)
        except BadDocument as bad:
            draft.error(bad.line, bad.text)
    return made


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """What stands between fences, and there in here-documents, with the
    number of its first line."""
    fence, end, start = "", "", 0
    rows: list[str] = []
    for number, row in enumerate(text.split("\n"), 1):
        mark = FENCE.match(row)
        here = HEREDOC.search(row) if fence and not end else None
        closes = fence and mark and mark[1] == fence and not end
        if closes or end and row.strip() == end or here:
            yield start, "\n".join(rows)
            rows, start, end = [], number + 1, here[1] if here else ""
            fence = "" if closes else fence
        elif fence:
            rows.append(row)
        elif mark:
            fence, start, rows = mark[1], number + 1, []


def manifests(draft: Draft, nodes: list[Node],
              kinds: set[str]) -> list[Manifest]:
    """Documents of these kinds; the items of a List are documents too."""
    made = []
    for node in nodes:
        kind = node.text("kind") or ""
        if kind.endswith("List"):
            made += manifests(draft, (node.get("items") or Node(0)).items(),
                              kinds)
        if kind not in kinds:
            continue
        name = node.text("metadata", "name") or ""
        if not name:
            draft.error(node.line, f"a {kind[:60]} without a name")
        twice(draft, node, name)
        twice(draft, node.get("spec"), name)
        made.append(Manifest(kind, name, node))
    return made


def placed(draft: Draft, found: list[Manifest],
           above: Callable[[Manifest], str]) -> Iterator[
               tuple[Manifest, Path]]:
    """Documents with their paths, parents before children, whatever their order
    in the file. `above` gives the name of a parent; "" is the root. What has
    no parent in the file, or is its own ancestor, is an error."""
    names = {one.name for one in found if one.name}
    waits: dict[str, list[Manifest]] = {}
    for one in found:
        parent = above(one)
        if parent and parent not in names:
            draft.error(one.node.line, f"its parent {parent[:60]!r} is not in "
                        "the file", one.name)
        elif one.name:
            waits.setdefault(parent, []).append(one)
    todo: list[tuple[Manifest, Path]] = [
        (one, ("root", one.name)) for one in reversed(waits.pop("", []))]
    seen: set[str] = set()
    while todo:
        one, path = todo.pop()
        yield one, path
        if one.name not in seen and len(path) <= MAX_DEPTH:
            seen.add(one.name)
            todo += [(child, (*path, child.name)) for child in
                     reversed(waits.pop(one.name, []))]
    for family in waits.values():
        for one in family:
            draft.error(one.node.line, "is below itself", one.name)
