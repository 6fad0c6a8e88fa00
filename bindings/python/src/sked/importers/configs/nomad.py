"""Quotas of Nomad: specifications in HCL, resources of Terraform, or what the
interface of HTTP says."""

from __future__ import annotations

import re
from fractions import Fraction

from ..files import failed, filled
from ..model import Configuration, QueueSpec
from ..values import MIB, MOST, fraction
from .draft import Draft, Path, decoded, dotted
from .kube import leaves
from .markup import MAX_DEPTH, BadDocument, Node, json_node
from .settings import Fate, Setting

FORM = "nomad-quotas"
MAPPED, NOTED, LOST, UNUSED = Fate.MAPPED, Fate.NOTED, Fate.LOST, Fate.UNUSED
S = Setting
#: Quota specifications of Nomad 1.10. Numbers: 0 is no bound, below 0 nothing.
ROWS = [
    S("name", "a quota", "none: required", MAPPED, "the path"),
    S("limit.region", "a quota", "none", NOTED, "the path", note="quotas of "
      "several regions: a queue for each region"),
    S("region_limit.cores", "a region", "0: no bound", MAPPED, "limit",
      sample="8", gives="limit=cpu=8"),
    S("region_limit.cpu", "a region", "0: no bound", NOTED, "limit",
      sample="2500", gives="limit=mhz=2500", note="a kind of its own, mhz: it "
      "bounds jobs that ask for it"),
    S("region_limit.memory", "a region", "0: no bound", MAPPED, "limit",
      sample="1000", gives="limit=memory=1000MiB"),
    S("region_limit.device", "a region", "0: no bound", NOTED, "limit",
      sample='"nvidia/gpu" {\n      count = 3\n    }',
      gives="limit=gpu=3", note="devices of all models are counted as GPUs"),
    S("region_limit.memory_max", "a region", "0: no bound", LOST,
      sample="2000", note="of what a task may use beyond what it asks for"),
    S("region_limit.storage", "a region", "none", LOST,
      sample="{\n      variables = 5\n    }"),
    S("region_limit.network", "a region", "none", LOST,
      sample="{\n      mbits = 5\n    }"),
    S("variables_limit", "a limit", "0: no bound", LOST, sample="1000"),
    S("description", "a quota", "none", UNUSED, sample='"x"'),
    S("(order of namespaces)", "the cluster", "none: by priority of jobs",
      NOTED, "order", fills="order=drf", note="jobs of all namespaces stand in "
      "one line; the tree shares among quotas"),
    S("(order of jobs)", "a quota", "priority, then time", MAPPED, "apps",
      fills="apps=priority")]
ROW = {row.name: row for row in ROWS}
TOKEN = re.compile(r"""[ \t\r]*(?:(\n)|(?:\#|//)[^\n]*|/\*(.*?)\*/|([{}\[\],=])|"""
                   r""""((?:[^"\\\n]|\\.)*)"|([A-Za-z_][\w.-]*)|"""
                   r"""(-?[0-9][0-9.eE+-]*))""", re.S)
#: Names of the interface of HTTP, as HCL has them.
NAMES = {"Name": "name", "Description": "description", "Limits": "limit",
         "Region": "region", "RegionLimit": "region_limit", "CPU": "cpu",
         "Cores": "cores", "MemoryMB": "memory", "MemoryMaxMB": "memory_max",
         "Devices": "device", "VariablesLimit": "variables_limit",
         "Storage": "storage", "Networks": "network", "Count": "count",
         # those of the provider of Terraform
         "limits": "limit", "memory_mb": "memory",
         "memory_max_mb": "memory_max", "devices": "device"}
TERRAFORM = "nomad_quota_specification"
UNUSED_KEYS = {"CreateIndex", "ModifyIndex", "Hash", "DiskMB", "IOPS", "NUMA",
               "SecretsMB", "secrets_mb", "numa", "description", "JobID"}
AMOUNTS = {"cores": ("cpu", "m", 1000), "cpu": ("mhz", "1", 1),
           "memory": ("memory", "B", MIB)}
READ = {*AMOUNTS, "device"}


def hcl(text: str) -> list[Node]:
    """Quotas of HCL: a file is one quota, or has a block `quota` for each, or a
    resource of Terraform."""
    top = Node(1, {})
    open_ones, at, line = [top], 0, 1
    name, name_line, labels, first, assigned = "", 0, "", "", False
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            if not text[at:].strip():
                break
            raise BadDocument(line, f"{text[at:at + 20].strip()!r} has no "
                              "place here")
        at = found.end()
        newline, comment, mark, quoted, word, number = found.groups()
        line += found[0].count("\n")
        if newline or comment is not None or not any(
                (mark, word, number, quoted is not None)):
            continue
        value = quoted if quoted is not None else word or number
        if mark == "}":
            if len(open_ones) == 1:
                raise BadDocument(line, "'}' closes nothing")
            open_ones.pop()
        elif mark == "{":
            if len(open_ones) > MAX_DEPTH:
                raise BadDocument(line, f"is more than {MAX_DEPTH} deep")
            made = Node(name_line or line, {})
            if labels:
                made.put("label", line, Node(line, labels))
            put(open_ones[-1], "quota" if first == TERRAFORM else name, made)
            open_ones.append(made)
            name, labels, first, assigned = "", "", "", False
        elif mark == "=":
            assigned = True
        elif mark:
            continue
        elif assigned:
            put(open_ones[-1], name, Node(line, value), many=False)
            name, labels, assigned = "", "", False
        elif not name:
            name, name_line = value or "", line
        else:
            labels, first = value or "", first or value or ""
    if len(open_ones) > 1:
        raise BadDocument(line, "a block is not closed")
    quotas = top.get("quota")
    return [plain(one) for one in quotas.items()] if quotas else [top]


def put(parent: Node, name: str, made: Node, many: bool = True) -> None:
    """A block, which may stand more than once, or a value."""
    if not name:
        raise BadDocument(made.line, "a value without a name")
    held = parent.get(name)
    if many and held is not None and isinstance(held.value, list):
        held.value.append(made)
    else:
        parent.put(name, made.line, Node(made.line, [made]) if many else made)


def plain(node: Node) -> Node:
    """What the interface of HTTP says by the names of HCL."""
    if isinstance(node.value, list):
        return Node(node.line, [plain(one) for one in node.value])
    if not isinstance(node.value, dict):
        return node
    made = Node(node.line, {})
    for key, one in node.pairs():
        made.put(NAMES.get(key, key), one.line, plain(one))
    return made


class NomadReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m", "memory": "B", "gpu": "m"})

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        blank, variables = filled(data)
        self.draft.unfilled(variables)
        text = decoded(self.draft, blank)
        try:
            found = self.json(text) if text.lstrip()[:1] in ("{", "[") else \
                hcl(text)
        except BadDocument as bad:
            raise failed(self.draft.file, bad.text, bad.line) from None
        found = [one for one in found if one.get("limit")]
        if not found:
            raise failed(self.draft.file, "has no quota of Nomad")
        root = self.draft.queue(("root",), found[0].line)
        assert root is not None
        regions = {limit.text("region") or "" for one in found
                   for limit in self.several(one.get("limit"))}
        for one in found:
            self.quota(one, len(regions) > 1)
        parents = {path[:-1] for path in self.draft.queues}
        for path, spec in self.draft.queues.items():
            self.draft.fill(spec, ROW["(order of namespaces)"
                                      if path in parents or path == ("root",)
                                      else "(order of jobs)"])
        return self.draft.finish()

    def json(self, text: str) -> list[Node]:
        """One quota, or a list of them."""
        node = plain(json_node(text))
        return node.items() if isinstance(node.value, list) else [node]

    def several(self, node: Node | None) -> list[Node]:
        """The blocks of a name."""
        if node is None:
            return []
        return [one for one in (node.items() if isinstance(node.value, list)
                                else [node]) if isinstance(one.value, dict)]

    def quota(self, node: Node, by_region: bool) -> None:
        """One quota: a queue, or one for each region."""
        draft = self.draft
        name = node.text("name") or node.text("label") or ""
        for limit in self.several(node.get("limit")):
            path: Path = ("root", name)
            region = limit.text("region") or ""
            if by_region:
                draft.differ(ROW["limit.region"], limit.line)
                path = ("root", region, name)
                if path[:2] not in draft.queues and not draft.queue(
                        path[:2], limit.line):
                    continue
            spec = draft.queue(path, limit.line)
            if spec is None:
                continue
            for inner in self.several(limit.get("region_limit")):
                self.limits(spec, inner)
            for key, one in limit.pairs():
                if key not in ("region", "region_limit", *UNUSED_KEYS):
                    spec.extra.update(leaves(one, key))
        for key, one in node.pairs():
            if key not in ("name", "limit", "label", *UNUSED_KEYS):
                draft.warn(one.line, "is nothing of a quota",
                           f"{name[:80]}: {key[:60]}")

    def limits(self, spec: QueueSpec, node: Node) -> None:
        """The bounds of a region."""
        draft, where = self.draft, dotted(spec.path)
        bounds: dict[str, int | None] = {}
        for key, (kind, unit, scale) in AMOUNTS.items():
            value = self.number(node, key, where)
            if value:
                draft.kind(kind, unit)
                if kind == "mhz":
                    draft.differ(ROW["region_limit.cpu"], node.line)
                bounds[kind] = int(max(value, Fraction(0)) * scale)
        gpus = [self.number(one, "count", f"{where}: device")
                for one in self.several(node.get("device"))]
        if any(gpus):
            draft.differ(ROW["region_limit.device"], node.line)
            bounds["gpu"] = int(sum(max(one or 0, Fraction(0))
                                    for one in gpus) * 1000)
        if bounds:
            draft.say_amounts(spec, "limit", bounds, node.line)
        for key, one in node.pairs():
            if key not in READ and key not in UNUSED_KEYS:
                for place, text in leaves(one, f"region_limit.{key}"):
                    if text not in ("0", "null", ""):
                        spec.extra[place] = text

    def number(self, node: Node, key: str, where: str) -> Fraction | None:
        """A number; 0 or nothing is no bound, below 0 there is nothing."""
        one = node.get(key)
        if one is None or one.value is None:
            return None
        value = fraction(one.value) if isinstance(one.value, str) else None
        if value is None or value >= MOST // MIB:
            self.draft.error(one.line, f"{str(one.value)[:60]!r} is no number",
                             f"{where}: {key}")
            return None
        return value


def sniff(name: str, head: bytes) -> bool:
    """A limit of a region, in HCL or in JSON."""
    return b"region_limit" in head and b"{" in head or \
        b'"RegionLimit"' in head


def read(file: str, data: bytes) -> Configuration:
    """Quotas of Nomad."""
    return NomadReader(file).read(data)
