"""ResourceQuota of Kubernetes: each namespace is a queue with a limit."""

from __future__ import annotations

from ..files import failed
from ..model import Configuration, QueueSpec
from . import kube
from .draft import Draft, dotted
from .markup import Node
from .settings import Fate, Setting

FORM = "resource-quota"
MAPPED, NOTED, LOST, UNUSED = Fate.MAPPED, Fate.NOTED, Fate.LOST, Fate.UNUSED
S = Setting
#: The spec of a ResourceQuota, of Kubernetes 1.34. `cpu` and `memory` alone
#: mean requests too.
ROWS = [
    S("hard.cpu", "a quota", "no bound", NOTED, "limit", sample="4",
      gives="limit=cpu=4",
      note="Kubernetes refuses a pod above the quota when the pod is made, and "
      "counts pods that wait; in the tree the task waits, and what runs "
      "counts"),
    S("hard.requests.cpu", "a quota", "no bound", NOTED, "limit", sample="4",
      gives="limit=cpu=4", note="as above"),
    S("hard.memory", "a quota", "no bound", NOTED, "limit", sample="4Gi",
      gives="limit=memory=4GiB", note="as above"),
    S("hard.requests.memory", "a quota", "no bound", NOTED, "limit",
      sample="4Gi", gives="limit=memory=4GiB", note="as above"),
    S("hard.requests.<resource>", "a quota", "no bound", NOTED, "limit",
      sample="2", gives="limit=gpu=2", note="as above"),
    S("hard.pods", "a quota", "no bound", LOST, sample="9",
      note="a bound on pods; the tree bounds jobs"),
    S("hard.limits.cpu", "a quota", "no bound", LOST, sample="9",
      note="a bound on what containers may use at most"),
    S("hard.limits.memory", "a quota", "no bound", LOST, sample="9Gi"),
    S("hard.count/<objects>", "a quota", "no bound", LOST, sample="9"),
    S("hard.<objects>", "a quota", "no bound", LOST, sample="9",
      note="services, volumes, secrets: no work of a scheduler"),
    S("scopes", "a quota", "none: every pod", LOST, sample="[BestEffort]",
      note="a quota of some pods alone: limits of the engine"),
    S("scopeSelector", "a quota", "none: every pod", LOST,
      sample="{matchExpressions: [{operator: In, scopeName: PriorityClass, "
      "values: [high]}]}"),
    S("(order of namespaces)", "the cluster", "none: by pods", NOTED, "order",
      fills="order=drf", note="pods of all namespaces stand in one line; the "
      "tree shares among namespaces"),
    S("(order of pods)", "a namespace", "priority, then time", MAPPED, "apps",
      fills="apps=priority")]
ROW = {row.name: row for row in ROWS}


class QuotaReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m", "memory": "B"})
        self.bounds: dict[str, dict[str, int | None]] = {}

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        kinds = {"ResourceQuota"}
        found = kube.manifests(self.draft, kube.documents(
            self.draft, data, kinds), kinds)
        if not found:
            raise failed(self.draft.file, "has no ResourceQuota")
        root = self.draft.queue(("root",), found[0].node.line)
        assert root is not None
        self.draft.fill(root, ROW["(order of namespaces)"])
        for one in found:
            space = one.node.text("metadata", "namespace") or "default"
            spec = self.draft.queues.get(("root", space)) or \
                self.draft.queue(("root", space), one.node.line)
            if spec is not None:
                self.quota(spec, one, space)
        for path, spec in self.draft.queues.items():
            if len(path) == 2:
                self.draft.fill(spec, ROW["(order of pods)"])
        return self.draft.finish()

    def quota(self, spec: QueueSpec, one: kube.Manifest, space: str) -> None:
        """One quota. Several of a namespace hold together: the least of each
        resource counts."""
        draft, where = self.draft, dotted(spec.path)
        said = one.node.get("spec") or Node(one.node.line)
        hard = said.get("hard") or Node(one.node.line)
        kube.twice(draft, hard, where)
        scoped = said.get("scopes") or said.get("scopeSelector")
        bounds = self.bounds.setdefault(space, {})
        for name, node in hard.pairs():
            text = node.value if isinstance(node.value, str) else ""
            resource = name.removeprefix("requests.")
            counted = resource != name or name in ("cpu", "memory")
            counted = counted and resource != "storage"
            try:
                if scoped or not counted:
                    kube.quantity(text)
                    spec.extra[f"{one.name}.hard.{name}"] = text
                    continue
                kind, value = kube.amount(draft, resource, text)
                before = bounds.get(kind)
                bounds[kind] = value if before is None else min(value, before)
                draft.differ(ROW["hard.cpu"], node.line)
            except kube.BadQuantity as error:
                draft.error(node.line, str(error), f"{where}: {name}")
        if bounds:
            draft.say_amounts(spec, "limit", bounds, hard.line)
        for key, node in said.pairs():
            if key != "hard":
                spec.extra.update(kube.leaves(node, f"{one.name}.{key}"))


def read(file: str, data: bytes) -> Configuration:
    """Quotas of namespaces."""
    return QuotaReader(file).read(data)
