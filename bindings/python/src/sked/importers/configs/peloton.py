"""Resource pools of Peloton: reservation, limit and share of each kind."""

from __future__ import annotations

import re
from fractions import Fraction

from ..model import Configuration, Fidelity, QueueSpec
from . import kube
from .draft import Draft, Path, dotted
from .markup import Node
from ..files import failed
from ..values import MIB, MOST, decimal, fraction, part

FORM = "peloton"
UNITS = {"cpu": ("m", 1000), "memory": ("B", MIB), "disk": ("B", MIB),
         "gpu": ("m", 1000)}
BOUNDS = {"reservation": "guarantee", "limit": "limit"}
POLICIES = {"1": "priority", "priorityfifo": "priority"}
READ = {"name", "resources", "parent", "policy", "controllerlimit"}


class PelotonReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m", "memory": "B"})

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        nodes = kube.documents(self.draft, data, {"none"})
        pools = [pool for node in nodes for pool in node.items() or [node]]
        if not any(self.lower(pool, "resources") for pool in pools):
            raise failed(self.draft.file, "has no resource pool of Peloton")
        root = self.draft.queue(("root",), pools[0].line)
        assert root is not None
        self.draft.say(root, "order", "drf", pools[0].line, Fidelity.ASSUMED)
        self.place(pools)
        return self.draft.finish()

    def lower(self, node: Node | None, name: str) -> Node | None:
        """What a map has under a name, whatever its capitals."""
        for key, one in node.pairs() if node else []:
            if key.lower() == name:
                return one
        return None

    def place(self, pools: list[Node]) -> None:
        """Each below its parent, whatever their order."""
        where: dict[str, Path] = {"root": ("root",), "": ("root",)}
        left = pools
        while left:
            later = []
            for pool in left:
                above = self.lower(self.lower(pool, "parent"), "value") or \
                    self.lower(pool, "parent")
                name = above.value if above and isinstance(above.value, str) \
                    else ""
                if name in where:
                    self.pool(pool, where[name], where)
                else:
                    later.append(pool)
            if len(later) == len(left):
                for pool in left:
                    self.draft.error(pool.line, "its parent is not in the "
                                     "file: placed below the root",
                                     pool.text("name") or "")
                    self.pool(pool, ("root",), where)
                later = []
            left = later

    def pool(self, node: Node, above: Path, where: dict[str, Path]) -> None:
        """One pool."""
        name = self.lower(node, "name")
        text = name.value if name and isinstance(name.value, str) else ""
        kube.twice(self.draft, node, text)
        spec = self.draft.queue(above + (text,), node.line)
        if spec is None:
            return
        where[text] = spec.path
        self.resources(spec, self.lower(node, "resources") or Node(node.line))
        policy = self.lower(node, "policy")
        if policy and isinstance(policy.value, str):
            found = POLICIES.get(policy.value.lower())
            if found:
                self.draft.say(spec, "apps", found, policy.line)
            else:
                self.draft.error(policy.line, f"{policy.value[:60]!r} is no "
                                 "policy: 1 (PriorityFIFO)", dotted(spec.path))
        self.controllers(spec, self.lower(node, "controllerlimit"))
        for key, one in node.pairs():
            if key.lower() not in READ:
                spec.extra.update(kube.leaves(one, key))

    def controllers(self, spec: QueueSpec, node: Node | None) -> None:
        """Controllers start other tasks, as masters do."""
        most = self.lower(node, "maxpercent")
        if most is None:
            return
        value = fraction(most.value) if isinstance(most.value, str) else None
        if value is None or not 0 <= value <= 100:
            self.draft.error(most.line, "is not 0 to 100",
                             f"{dotted(spec.path)}: maxPercent")
        else:
            self.draft.say(spec, "am_share", part(value / 100)[0], most.line,
                           Fidelity.DERIVED)

    def resources(self, spec: QueueSpec, node: Node) -> None:
        """Every kind's three numbers."""
        said: dict[str, dict[str, int | None]] = {"guarantee": {}, "limit": {}}
        shares: dict[str, Fraction] = {}
        static = False
        for one in node.items():
            kind = (one.text("kind") or "").lower()
            if kind not in UNITS:
                self.draft.error(one.line, f"{kind[:60]!r} is no kind: "
                                 f"{', '.join(UNITS)}", dotted(spec.path))
                continue
            if kind in said["limit"] or kind in said["guarantee"]:
                self.draft.error(one.line, f"{kind} is said twice",
                                 dotted(spec.path))
            self.draft.kind(kind, UNITS[kind][0])
            for name, key in BOUNDS.items():
                value = self.number(spec, one, name, kind)
                if value is not None:
                    scaled = value * UNITS[kind][1]
                    said[key][kind] = min(int(scaled), MOST)
                    self.draft.lines[spec.path, key] = one.line
            share = self.number(spec, one, "share", kind)
            if share is not None:
                shares[kind] = share
            static |= (one.text("type") or "").lower() in ("2", "static")
        for key, amounts in said.items():
            if amounts:
                self.draft.say_amounts(spec, key, amounts, node.line)
        if static:
            self.draft.say_amounts(spec, "lend", {k: 0 for k in
                                                  self.draft.kinds}, node.line)
        self.weight(spec, shares, node.line)

    def number(self, spec: QueueSpec, node: Node, name: str,
               kind: str) -> Fraction | None:
        """A number of 0 or more."""
        one = self.lower(node, name)
        if one is None:
            return None
        value = fraction(one.value) if isinstance(one.value, str) else None
        if value is None or value < 0:
            self.draft.error(one.line, "is no number of 0 or more",
                             f"{dotted(spec.path)}: {kind}: {name}")
            return None
        return value

    def weight(self, spec: QueueSpec, shares: dict[str, Fraction],
               line: int) -> None:
        """One share for all kinds is a weight; else those are kept."""
        if len(set(shares.values())) == 1:
            self.draft.weights[spec.path] = next(iter(shares.values()))
            self.draft.lines[spec.path, "weight"] = line
            return
        for kind, share in shares.items():
            spec.extra[f"share.{kind}"] = decimal(share)
        if shares:
            self.draft.warn(line, "a share for each kind is kept, the tree "
                            "has one weight for all", dotted(spec.path))


def sniff(name: str, head: bytes) -> bool:
    """A reservation, but in a comment."""
    return re.search(rb"^[^#\n]*\breservation[\"']?[ \t]*:", head,
                     re.M) is not None


def read(file: str, data: bytes) -> Configuration:
    """Resource pools."""
    return PelotonReader(file).read(data)
