"""Queues of YuniKorn: queues.yaml alone, in its ConfigMap (also packed), or in
the values of its Helm chart, wherever these stand."""

from __future__ import annotations

import base64
import re
import zlib
from fractions import Fraction

from ...enums import FaultCode, Severity
from ..model import Configuration, Fidelity, QueueSpec
from . import kube
from .draft import Draft, Path, dotted
from .markup import MAX_YAML, BadDocument, Node, yaml_nodes
from .settings import Fate, Setting
from ..files import failed
from ..values import duration, whole

FORM = "yunikorn"
INNER = "queues.yaml"
PACKED = "queues.yaml.gz"
HOLDS = re.compile(r"^[ \t-]*partitions[ \t]*:", re.M)
MOST_INSIDE = 4  # files in files
SORTS = {"": "priority", "fifo": "priority", "stateaware": "priority",
         "fair": "fair"}
TIME = re.compile(r"([0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})"
                  r"(h|ms|m|s|us|\u00b5s|ns)")
TIMES = {"h": Fraction(3600), "m": Fraction(60), "s": Fraction(1),
         "ms": Fraction(1, 10**3), "us": Fraction(1, 10**6),
         "\u00b5s": Fraction(1, 10**6), "ns": Fraction(1, 10**9)}
#: Whole numbers with a unit: no fractions, no exponents, blanks between.
AMOUNT = re.compile(r"([0-9]{1,19})\s*(m|k|[MGTPE]|[KMGTPE]i)?")
MAPPED, NOTED, LOST, UNUSED = Fate.MAPPED, Fate.NOTED, Fate.LOST, Fate.UNUSED
S = Setting
#: Every setting of the core of YuniKorn 1.7.
ROWS = [
    S("resources.guaranteed", "a queue", "nothing", MAPPED, "guarantee",
      sample="{vcore: 4}", gives="guarantee=cpu=4"),
    S("resources.max", "a queue", "nothing", NOTED, "limit",
      "the queue above", sample="{vcore: 9}", gives="limit=cpu=9",
      note="a queue without guarantee is measured by its maximum, or by the "
      "cluster; in the tree by its part of what there is"),
    S("maxapplications", "a queue", "0: no bound", MAPPED, "max_running",
      sample="7", gives="max_running=7"),
    S("parent", "a queue", "false", UNUSED, sample="true"),
    S("queues", "a queue", "none", MAPPED, "the queues below"),
    S("(order of queues)", "a parent",
      "priority, then used over guaranteed", NOTED, "order",
      fills="order=drf", note="order=priority where something is guaranteed "
      "or offsets differ. The priority of a queue is its offset and "
      "the highest of what waits in it; the tree has the offset alone"),
    S("application.sort.policy", "a leaf", "fifo", NOTED, "apps",
      "the queue above", "apps=priority", sample="fair", gives="apps=fair",
      note="fair: YuniKorn looks at priorities first, the tree does not"),
    S("application.sort.priority", "a queue", "enabled", MAPPED,
      "order apps", "the queue above", sample="disabled", gives="apps=fifo"),
    S("priority.offset", "a queue", "0", MAPPED, "priority", sample="5",
      gives="priority=5"),
    S("priority.policy", "a queue", "default", LOST, sample="fence",
      note="priorities of asks do not count outside the queue, in the tree "
      "nowhere"),
    S("preemption.policy", "a queue", "default", MAPPED, "preempt_from",
      "the queue above, where that is disabled", sample="disabled",
      gives="preempt_from=no"),
    S("preemption.policy: fence", "a queue", "", LOST,
      note="preemption in the tree goes everywhere"),
    S("preemption.delay", "a leaf", "30s", MAPPED, "preempt_min_timeout",
      "the queue above", "preempt_min_timeout=30s", sample="1m",
      gives="preempt_min_timeout=60s"),
    S("quota.preemption.delay", "a queue", "0: never", LOST,
      "", "the queue above", sample="10s"),
    S("application.unschedasks.backoff", "a queue", "0", LOST, "",
      "the queue above", sample="3"),
    S("application.unschedasks.backoff.delay", "a queue", "30s", LOST, "",
      "the queue above", sample="3s"),
    S("submitacl", "a queue", "none", LOST, "", "the queue above",
      sample="'*'"),
    S("adminacl", "a queue", "none", LOST, "", "the queue above",
      sample="'*'"),
    S("childtemplate", "a parent", "none", LOST, "", "the queue above",
      sample="{maxapplications: 3}"),
    S("limits", "a queue", "none", LOST,
      note="bounds of users and groups: limits of the engine",
      sample="[{limit: all, users: ['*'], maxapplications: 3}]"),
    S("preemption.enabled", "a partition", "true", MAPPED,
      "preempt_min_timeout", sample="false", gives=""),
    S("preemption.quotapreemptionenabled", "a partition", "false", LOST,
      sample="true"),
    S("placementrules", "a partition", "none", LOST,
      note="which queue a job goes to", sample="[{name: provided}]"),
    S("limits", "a partition", "none", LOST,
      sample="[{limit: all, users: ['*'], maxapplications: 3}]"),
    S("nodesortpolicy", "a partition", "fair", LOST,
      note="a mode of placement: spread, or pack for binpacking",
      sample="{type: binpacking}"),
    S("usergroupresolver", "a partition", "none", UNUSED,
      sample="{type: os}"),
    S("statedumpfilepath", "a partition", "none", UNUSED)]
ROW = {row.name: row for row in reversed(ROWS)}
READ = {"name", "resources", "queues", "properties", "maxapplications",
        "parent"}
UNUSED_HERE = ("usergroupresolver", "statedumpfilepath")
INHERITED = ("application.sort.policy", "application.sort.priority",
             "preemption.delay")
PROPERTIES = {"application.sort.policy", "application.sort.priority",
              "priority.offset", "preemption.policy", "preemption.delay"}


def amounts(draft: Draft, node: Node | None,
            where: str) -> dict[str, int | None]:
    """A map from resources to whole quantities; thousandths of cores alone."""
    made: dict[str, int | None] = {}
    for name, one in node.pairs() if node else []:
        text = one.value if isinstance(one.value, str) else ""
        found = AMOUNT.fullmatch(text.strip())
        try:
            if not found or found[2] == "m" and name != "vcore":
                raise kube.BadQuantity(f"{text[:60]!r} is no quantity")
            kind, value = kube.amount(draft, name,
                                      found[1] + (found[2] or ""))
            made[kind] = value
        except kube.BadQuantity as error:
            draft.error(one.line, str(error), f"{where}: {name}")
    kube.twice(draft, node, where)
    return made


class YunikornReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m", "memory": "B"})
        self.draft.severity = {FaultCode.LIMIT_ABOVE_PARENT: Severity.ERROR,
                               FaultCode.TIMEOUT_IDLE: None}
        #: Properties that queues below take over, and whether there is
        #: preemption at all.
        self.inherited: dict[Path, dict[str, Node]] = {}
        self.preempts = True
        self.parents: dict[Path, bool] = {}  # do priorities count below?

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        nodes = kube.documents(self.draft, data, {"ConfigMap"})
        found = [one for node in nodes for one in self.partitions(node)]
        found = found or self.fenced(data)
        if not found:
            raise failed(self.draft.file, "has no partition of YuniKorn")
        if len(found) > 1:
            self.draft.warn(found[1].line, "more than one partition: each is "
                            "a queue below the root")
            self.draft.queue(("root",), found[0].line)
        for one in found:
            self.partition(one, len(found) > 1)
        self.orders()
        return self.draft.finish()

    def fenced(self, data: bytes) -> list[Node]:
        """Those of the first part of a text in Markdown that has any."""
        made: list[Node] = []
        for line, text in kube.blocks(data.decode("utf-8", "replace")):
            if made and HOLDS.search(text):
                self.draft.warn(line, "one more configuration: it is not read")
            elif HOLDS.search(text):
                try:
                    for one in yaml_nodes(self.draft.file, text, line):
                        made += self.partitions(one)
                except BadDocument as bad:
                    self.draft.error(bad.line, bad.text)
        return made

    def partitions(self, node: Node) -> list[Node]:
        """Those of a document, wherever in it the file stands: in a ConfigMap,
        in values of Helm, and there inside an Application of Argo."""
        made: list[Node] = []
        todo = [("", node, 0)]
        while todo:
            key, one, depth = todo.pop()
            found = one.get("partitions")
            if found is not None:
                made += found.items()
                continue
            below = one.pairs() or [(key, item) for item in one.items()]
            if isinstance(one.value, str) and depth < MOST_INSIDE:
                below = [(key, item) for item in self.inner(key, one)]
                depth += 1
            todo += [(name, item, depth) for name, item in reversed(below)]
        return made

    def inner(self, key: str, node: Node) -> list[Node]:
        """The documents of a file in a file."""
        text, line = str(node.value), node.inner or node.line
        if key == PACKED:
            text, line = self.unpacked(node), node.line
        if key not in (INNER, PACKED) and not HOLDS.search(text):
            return []
        try:
            found = yaml_nodes(self.draft.file, text, line)
        except BadDocument as bad:
            if key in (INNER, PACKED):
                self.draft.error(node.line if key == PACKED else bad.line,
                                 bad.text, key)
            return []
        return [at_line(one, line) for one in found] if key == PACKED \
            else found

    def unpacked(self, node: Node) -> str:
        """What is gzip in base64; nothing where it is not."""
        try:
            one = zlib.decompressobj(31)
            found = one.decompress(base64.b64decode(str(node.value)),
                                   MAX_YAML + 1)
            if not one.eof and len(found) <= MAX_YAML:
                raise ValueError("the file ends too early")
            return found.decode()
        except (ValueError, zlib.error) as error:
            self.draft.error(node.line, f"is no packed file: {error}", PACKED)
            return ""

    def partition(self, node: Node, several: bool) -> None:
        """The tree of a partition."""
        name = node.text("name") or "default"
        queues = (node.get("queues") or Node(node.line)).items()
        kube.twice(self.draft, node, name)
        self.preempts = node.text("preemption", "enabled") != "false"
        for key, one in node.pairs():
            if key not in ("name", "queues"):
                for place, text in kube.leaves(one, key):
                    kept = self.draft.spelled if place == \
                        "preemption.enabled" or key in UNUSED_HERE else \
                        self.draft.extra
                    kept[f"partition.{name}.{place}"] = text
        top: Path = ("root", name) if several else ("root",)
        if not queues:
            self.draft.error(node.line, "has no queues", name)
        alone = len(queues) == 1 and \
            (queues[0].text("name") or "").lower() == "root"
        # Where no root stands alone at the top YuniKorn puts one there.
        node = queues[0] if alone else Node(node.line, {
            "queues": Node(node.line, queues)})
        held = node.get("resources")
        if held and (held.get("guaranteed") or held.get("max")):
            self.draft.error(held.line, "resources of root, which YuniKorn "
                             "refuses", dotted(top))
        todo: list[tuple[Path, Node]] = [(top, node)]
        while todo:
            path, one = todo.pop()
            if not self.queue(path, one):
                continue
            below = (one.get("queues") or Node(0)).items()
            todo += [(path + (q.text("name") or "",), q)
                     for q in reversed(below)]

    def queue(self, path: Path, node: Node) -> bool:
        """One queue."""
        spec = self.draft.queue(path, node.line)
        if spec is None:
            return False
        where = dotted(path)
        kube.twice(self.draft, node, where)
        root = spec.path[-1] == "root" and len(path) < 3
        for name, key in (("guaranteed", "guarantee"), ("max", "limit")):
            one = node.get("resources", name)
            said = amounts(self.draft, one, where)
            if said and not root:
                self.draft.say_amounts(spec, key, said, (one or node).line)
        parent = bool((node.get("queues") or Node(0)).items()) or \
            node.text("parent") == "true"
        self.properties(spec, node.get("properties"), parent)
        self.applications(spec, None if root else node.get("maxapplications"))
        for key, one in node.pairs():
            if key not in READ:
                spec.extra.update(kube.leaves(one, key))
        self.limits(node.get("limits"), where)
        return True

    def applications(self, spec: QueueSpec, node: Node | None) -> None:
        """How many run at once."""
        if node is None:
            return
        value = whole(node.value) if isinstance(node.value, str) else None
        if value is None or not 0 <= value < 1 << 31:
            self.draft.error(node.line, "maxapplications is no whole number "
                             "of 0 or more", dotted(spec.path))
        elif value:
            self.draft.say(spec, "max_running", str(value), node.line)

    def limits(self, node: Node | None, where: str) -> None:
        """Limits of users and groups are kept; their numbers are checked."""
        for one in node.items() if node else []:
            kinds = dict(self.draft.kinds)
            amounts(self.draft, one.get("maxresources"), where)
            self.draft.kinds = kinds
            most = one.get("maxapplications")
            if most and whole(str(most.value)) is None:
                self.draft.error(most.line, "maxapplications is no whole "
                                 "number", where)

    def properties(self, spec: QueueSpec, node: Node | None,
                   parent: bool) -> None:
        """Those that are known; the others are kept."""
        own = dict(node.pairs()) if node else {}
        held = {**self.inherited.get(spec.path[:-1], {}), **{
            key: own[key] for key in INHERITED if key in own}}
        self.inherited[spec.path] = held
        for key, one in own.items():
            text = one.value if isinstance(one.value, str) else ""
            where = f"{dotted(spec.path)}: {key}"
            if key == "priority.offset":
                self.offset(spec, text, one.line, where)
            elif key == "preemption.policy":
                self.preemption(spec, text, one.line, where)
            if key not in PROPERTIES:
                spec.extra[f"properties.{key}"] = text
        by_priority = self.by_priority(spec, held)
        if parent:
            self.parents[spec.path] = by_priority
        else:
            self.sorting(spec, held, by_priority)
            self.delays(spec, held)

    def orders(self) -> None:
        """How parents order their queues: by priority, then by used over
        guaranteed. Where nothing is guaranteed YuniKorn takes the part of the
        cluster instead, which is drf."""
        below: dict[Path, list[QueueSpec]] = {}
        for path, one in self.draft.queues.items():
            below.setdefault(path[:-1], []).append(one)
        row = ROW["(order of queues)"]
        for path, by_priority in self.parents.items():
            spec, family = self.draft.queues[path], below.get(path, [])
            ranks = {one.settings.get("priority", "0") for one in family}
            said = [(one.path, "guarantee") in self.draft.vectors
                    for one in family]
            held = any(said)
            if held and not all(said) or not held and any(
                    (one.path, "limit") in self.draft.vectors
                    for one in family):
                self.draft.differ(ROW["resources.max"], spec.line)
            order = "priority" if by_priority and (held or len(ranks) > 1) \
                else "utilisation" if held else "drf"
            if by_priority:
                self.draft.fill(spec, row, f"order={order}")
                self.draft.differ(row, spec.line)
            else:
                self.draft.say(spec, "order", order, spec.line,
                               Fidelity.DERIVED)

    def by_priority(self, spec: QueueSpec, held: dict[str, Node]) -> bool:
        """Whether priorities count."""
        one = held.get("application.sort.priority")
        low = str(one.value).strip().lower() if one else "enabled"
        if one and low not in ("enabled", "disabled"):
            self.draft.error(one.line, f"{low[:60]!r} is neither enabled nor "
                             "disabled", dotted(spec.path))
        return low != "disabled"

    def sorting(self, spec: QueueSpec, held: dict[str, Node],
                by_priority: bool) -> None:
        """How a leaf orders its applications."""
        row = ROW["application.sort.policy"]
        one = held.get(row.name)
        text = str(one.value or "").strip().lower() if one else ""
        if one is None and by_priority:
            self.draft.fill(spec, row)
            return
        line = one.line if one else spec.line
        if text not in SORTS:
            self.draft.error(line, f"{text[:60]!r} is none of "
                             f"{', '.join(filter(None, SORTS))}",
                             f"{dotted(spec.path)}: {row.name}")
            return
        found = SORTS[text]
        if found == "fair" and by_priority:
            self.draft.differ(row, line)
        if found == "priority" and not by_priority:
            found = "fifo"
        self.draft.say(spec, "apps", found, line, Fidelity.DERIVED)

    def delays(self, spec: QueueSpec, held: dict[str, Node]) -> None:
        """How long a leaf waits below its guarantee."""
        one = held.get("preemption.delay")
        if not self.preempts:
            return
        if one is None:
            self.draft.fill(spec, ROW["preemption.delay"])
        else:
            self.delay(spec, one.value if isinstance(one.value, str) else "",
                       one.line, f"{dotted(spec.path)}: preemption.delay")

    def offset(self, spec: QueueSpec, text: str, line: int,
               where: str) -> None:
        """What is added to priorities."""
        value = whole(text)
        if value is None or not -1 << 31 <= value < 1 << 31:
            self.draft.error(line, f"{text[:60]!r} is no whole number of 32 "
                             "bits", where)
        elif value:
            self.draft.say(spec, "priority", str(value), line,
                           Fidelity.DERIVED)

    def preemption(self, spec: QueueSpec, text: str, line: int,
                   where: str) -> None:
        """disabled: none is taken here. A fence has no word in the tree."""
        low = text.strip().lower()
        if low == "disabled":
            self.draft.say(spec, "preempt_from", "no", line)
        elif low == "fence":
            self.draft.warn(line, "a fence is lost: preemption in the tree "
                            "goes everywhere", where)
            spec.extra["properties.preemption.policy"] = text
        elif low != "default":
            self.draft.error(line, f"{text[:60]!r} is none of default, fence, "
                             "disabled", where)

    def delay(self, spec: QueueSpec, text: str, line: int,
              where: str) -> None:
        """How long below its guarantee before it preempts."""
        said = text.removeprefix("+")
        parts = TIME.findall(said)
        if len(said) > 100 or "".join(map("".join, parts)) != said:
            parts = []
        seconds = sum((Fraction(number) * TIMES[unit]
                       for number, unit in parts), Fraction(0))
        if not seconds:
            self.draft.error(line, f"{text[:60]!r} is no time above 0", where)
            return
        ns = Fraction(int(seconds * 10**9), 10**9)
        self.draft.say(spec, "preempt_min_timeout", duration(ns) or "0", line)


def at_line(node: Node, line: int) -> Node:
    """A document whose every part is said on one line of the file."""
    todo = [node]
    while todo:
        one = todo.pop()
        one.line = one.inner = line
        one.keys = dict.fromkeys(one.keys, line)
        one.twice = [(key, line) for key, _ in one.twice]
        todo += one.items() + [item for _, item in one.pairs()]
    return node


def sniff(name: str, head: bytes) -> bool:
    """Partitions with queues."""
    return PACKED.encode() in head or re.search(rb"^[ \t]*[-{]?[ \t]*[\"']?partitions[\"']?[ \t]*:", head,
                     re.M) is not None


def read(file: str, data: bytes) -> Configuration:
    """Queues of YuniKorn."""
    return YunikornReader(file).read(data)
