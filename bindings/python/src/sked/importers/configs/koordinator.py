"""ElasticQuota of Koordinator, and of the scheduler plug-ins of Kubernetes;
ElasticQuotaTree, which holds all quotas of a tree in one document."""

from __future__ import annotations

import json
from fractions import Fraction

from ...enums import FaultCode, Severity
from ..additive import Share
from ..files import failed
from ..model import Configuration, Fidelity, QueueSpec
from . import kube
from .draft import Draft, dotted
from .markup import BadDocument, Node, json_node
from .settings import Fate, Setting

FORM = "koordinator"
PREFIX = "quota.scheduling.koordinator.sh/"
ROOT = "koordinator-root-quota"
OLD_ROOT = "root"  # its name before Koordinator 1.1
APART = ("koordinator-default-quota", "koordinator-system-quota")
TREE = "ElasticQuotaTree"
MAPPED, NOTED, LOST, UNUSED = Fate.MAPPED, Fate.NOTED, Fate.LOST, Fate.UNUSED
S = Setting
#: The spec, labels and annotations of an ElasticQuota, of Koordinator 1.7.
ROWS = [
    S("min", "a quota", "nothing", MAPPED, "guarantee", sample="{cpu: 4}",
      gives="guarantee=cpu=4"),
    S("max", "a quota", "no bound", MAPPED, "limit", sample="{cpu: 9}",
      gives="limit=cpu=9"),
    S("parent", "a label", ROOT, MAPPED, "the path"),
    S("is-parent", "a label", "false", UNUSED, sample="'true'"),
    S("allow-lent-resource", "a label", "true", MAPPED, "lend",
      sample="'false'", gives="lend=cpu=0"),
    S("shared-weight", "an annotation", "max", NOTED, "weight", "max",
      sample="'{\"cpu\": 6}'", gives="weight=6",
      note="Koordinator has a weight for each resource and adds the weight's "
      "part of what is free to min; the tree has one weight, and gives min or "
      "the weight's part of all, whichever is more. Weights are made so that "
      "both are the same while all quotas want more, where it is known how "
      "much there is: below a quota whose min is its max, elsewhere with a "
      "capacity. Otherwise the weight is that of cpu, else of the first "
      "resource"),
    S("(order of quotas)", "a parent", "min, then by weight", MAPPED, "order",
      fills="order=drf"),
    S("(order of pods)", "a quota", "priority, then time", MAPPED, "apps",
      fills="apps=priority"),
    S("(default and system quota)", "a quota", "", NOTED, "limit",
      note="pods of koordinator-default-quota and koordinator-system-quota "
      "come before all quotas: Koordinator divides what they leave; in the "
      "tree they have a share as other queues"),
    S("children", "a quota of a tree", "none", MAPPED, "the path"),
    S("tree-id", "a label", "none: the default tree", LOST, sample="t",
      note="each tree of quotas has nodes of its own: partitions and labels"),
    S("is-root", "a label", "false", LOST, sample="'true'"),
    S("ignore-default-tree", "a label", "false", LOST, sample="'true'"),
    S("profile", "a label", "none", LOST, sample="p"),
    S("total-resource", "an annotation", "none", LOST,
      sample="'{\"cpu\": 6}'"),
    S("namespaces", "an annotation", "none", LOST, sample="'[\"n\"]'",
      note="which quota a pod goes to"),
    S("admission", "an annotation", "none", LOST, sample="'{\"cpu\": 6}'"),
    S("allow-force-update", "a label", "false", UNUSED, sample="'true'"),
    S("runtime", "an annotation", "computed", UNUSED, sample="'{}'"),
    S("request", "an annotation", "computed", UNUSED, sample="'{}'"),
    S("child-request", "an annotation", "computed", UNUSED, sample="'{}'"),
    S("guaranteed", "an annotation", "computed", UNUSED, sample="'{}'"),
    S("allocated", "an annotation", "computed", UNUSED, sample="'{}'"),
    S("resource-keys", "an annotation", "computed", UNUSED, sample="'[]'"),
    S("unschedulable-resource", "an annotation", "computed", UNUSED,
      sample="'{}'"),
    S("non-preemptible-request", "an annotation", "computed", UNUSED,
      sample="'{}'"),
    S("non-preemptible-used", "an annotation", "computed", UNUSED,
      sample="'{}'")]
ROW = {row.name: row for row in ROWS}
READ = {"parent", "allow-lent-resource", "shared-weight"}


class ElasticReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m", "memory": "B"})
        self.names: set[str] = set()
        # Its webhook refuses both.
        self.draft.severity = {
            FaultCode.GUARANTEE_ABOVE_LIMIT: Severity.ERROR}

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        kinds = {"ElasticQuota", TREE}
        found = [inner for one in kube.manifests(self.draft, kube.documents(
            self.draft, data, kinds), kinds) for inner in self.several(one)]
        if not found:
            raise failed(self.draft.file, "has no ElasticQuota")
        self.names = {one.name for one in found}
        top = next((one for one in found if one.name == ROOT), found[0])
        root = self.draft.queue(("root",), top.node.line)
        assert root is not None
        if top.name == ROOT:
            self.settings(root, top.node)
            found = [one for one in found if one.name != ROOT]
        for one, path in kube.placed(self.draft, found, self.above):
            spec = self.draft.queue(path, one.node.line)
            if spec is not None:
                self.settings(spec, one.node)
        self.orders()
        return self.draft.finish()

    def several(self, one: kube.Manifest) -> list[kube.Manifest]:
        """A quota, or those of a tree: each as a document of its own, whose
        spec has the name of its parent as a label."""
        if one.kind != TREE:
            return [one]
        made: list[kube.Manifest] = []
        top = one.node.get("spec", "root")
        todo = [(top, "")] if top else []
        while todo:
            node, parent = todo.pop()
            name = ROOT if node is top else node.text("name") or ""
            if not name:
                self.draft.error(node.line, "a quota without a name")
                continue
            labels = Node(node.line, {})
            labels.put(PREFIX + "parent", node.line, Node(node.line, parent))
            meta, spec, whole = (Node(node.line, {}) for _ in range(3))
            meta.put("labels", node.line, labels)
            for key, inner in node.pairs():
                if key not in ("name", "children"):
                    spec.put(key, inner.line, inner)
            whole.put("metadata", node.line, meta)
            whole.put("spec", node.line, spec)
            made.append(kube.Manifest("ElasticQuota", name, whole))
            todo += [(child, name) for child in reversed(
                (node.get("children") or Node(0)).items())]
        return made

    def above(self, one: kube.Manifest) -> str:
        """The name of the quota above."""
        name = one.node.get("metadata", "labels", PREFIX + "parent")
        text = name.value if name and isinstance(name.value, str) else ""
        return "" if text == ROOT or text == OLD_ROOT and \
            text not in self.names else text

    def settings(self, spec: QueueSpec, node: Node) -> None:
        """What a quota says."""
        draft, where = self.draft, dotted(spec.path)
        said = node.get("spec") or Node(node.line)
        if spec.path[-1] in APART:
            draft.differ(ROW["(default and system quota)"], node.line)
        least = kube.amounts(draft, said.get("min"), where)
        most = kube.amounts(draft, said.get("max"), where)
        if least:
            line = (said.get("min") or node).line
            draft.say_amounts(spec, "guarantee", dict(least), line)
        if most:
            line = (said.get("max") or node).line
            draft.say_amounts(spec, "limit", dict(most), line)
        for key, one in said.pairs():
            if key not in ("min", "max"):
                spec.extra.update(kube.leaves(one, key))
        for group in ("labels", "annotations"):
            for key, one in (node.get("metadata", group) or
                             Node(0)).pairs():
                if key.startswith(PREFIX):
                    self.mark(spec, key.removeprefix(PREFIX), one)
        lent = node.get("metadata", "labels", PREFIX + "allow-lent-resource")
        if lent and lent.value == "false" and least:
            draft.say_amounts(spec, "lend", dict.fromkeys(least, 0),
                              lent.line)
        elif lent and lent.value not in ("true", "false"):
            draft.error(lent.line, "allow-lent-resource is neither true nor "
                        "false", where)
        self.weight(spec, node, least, most)

    def mark(self, spec: QueueSpec, name: str, one: Node) -> None:
        """A label or an annotation; its row says what becomes of it."""
        row = ROW.get(name)
        if name in READ:
            return
        kept = spec.spelled if row and row.fate is Fate.UNUSED else spec.extra
        kept.update(kube.leaves(one, name))

    def weight(self, spec: QueueSpec, node: Node,
               least: dict[str, int | None],
               most: dict[str, int | None]) -> None:
        """The weight: the annotation, else the maximum."""
        note = node.get("metadata", "annotations", PREFIX + "shared-weight")
        found = most
        if note is not None:
            said = self.shares(note, dotted(spec.path))
            # Koordinator takes weights of which all are 0 as none.
            found = said if any(said.values()) else most
        kinds = dict.fromkeys(["cpu", *found, *least, *most])
        lent = node.get("metadata", "labels", PREFIX + "allow-lent-resource")
        self.draft.shares[spec.path] = {
            kind: Share(Fraction(least.get(kind) or 0),
                        Fraction(found.get(kind) or 0),
                        None if most.get(kind) is None
                        else Fraction(most[kind] or 0),
                        lends=not lent or lent.value != "false")
            for kind in kinds if kind in {**found, **least, **most}}
        chosen = found.get("cpu") or next(
            (one for one in found.values() if one), None)
        if chosen is None or len(spec.path) == 1:
            return
        line = (note or node).line
        self.draft.weights[spec.path] = Fraction(chosen, 1000) \
            if found.get("cpu") else Fraction(chosen)
        self.draft.lines[spec.path, "weight"] = line
        self.draft.trust("weight", Fidelity.DERIVED)
        self.draft.differ(ROW["shared-weight"], line)

    def shares(self, node: Node, where: str) -> dict[str, int | None]:
        """The map of resources in the annotation, which is JSON."""
        try:
            inner = json_node(node.value if isinstance(node.value, str)
                              else json.dumps(None))
        except BadDocument as bad:
            self.draft.error(node.line, f"shared-weight: {bad.text}", where)
            return {}
        for _, one in inner.pairs():
            one.line = node.line
        return kube.amounts(self.draft, inner, f"{where}: shared-weight")

    def orders(self) -> None:
        """How parents order their quotas, and leaves their pods."""
        parents = {path[:-1] for path in self.draft.queues}
        for path, spec in self.draft.queues.items():
            self.draft.fill(spec, ROW["(order of quotas)" if path in parents
                                      else "(order of pods)"])


def read(file: str, data: bytes) -> Configuration:
    """Quotas of Koordinator."""
    return ElasticReader(file).read(data)
