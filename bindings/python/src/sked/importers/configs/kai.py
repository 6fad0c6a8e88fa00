"""Queues of the KAI scheduler: quotas, limits and weights of each resource."""

from __future__ import annotations

from fractions import Fraction

from ...enums import FaultCode, Severity
from ..additive import Share, by_priority
from ..files import failed
from ..model import Configuration, QueueSpec
from ..values import fraction, whole
from . import kube
from .draft import MOST, Draft, Path, dotted
from .markup import Node
from .settings import Fate, Setting

FORM = "kai"
GROUP = "scheduling.run.ai"
#: The resources of a queue: kind, unit, and units of the kind in one of KAI's
#: (a GPU, a thousandth of a core, 10^6 bytes).
RESOURCES = {"gpu": ("gpu", "m", 1000), "cpu": ("cpu", "m", 1),
             "memory": ("memory", "B", 10**6)}
MAPPED, NOTED, LOST, UNUSED = Fate.MAPPED, Fate.NOTED, Fate.LOST, Fate.UNUSED
S = Setting
#: The spec of a Queue (v2), and the plug-in proportion, of KAI 0.13.
ROWS = [
    S("parentQueue", "a queue", "none", MAPPED, "the path"),
    S("priority", "a queue", "100", NOTED, "priority weight",
      fills="priority=100", sample="200", gives="priority=200",
      note="quotas come before priorities. A priority of the tree would go "
      "before quotas and weights, so weights stand for priorities where queues "
      "have quotas or the same priority: those of each priority are some hundred "
      "times those of the next, and a queue may hold one task before its turn"),
    S("resources.<resource>.quota", "a queue", "0", MAPPED, "guarantee",
      sample="2", gives="guarantee=gpu=2"),
    S("(quota of -1)", "a queue", "", NOTED, "weight",
      note="quota -1 stands for all there is; the tree guarantees the limit, "
      "where the queue has one; else weights stand for it, where it is known "
      "how much there is"),
    S("resources.<resource>.limit", "a queue", "0: nothing", MAPPED, "limit",
      fills="limit=gpu=0", sample="4", gives="limit=gpu=4"),
    S("resources.<resource>.overQuotaWeight", "a queue", "0", NOTED, "weight",
      fills="weight=0", sample="3", gives="weight=3",
      note="KAI has a weight for each resource and adds the weight's part of "
      "what is free to the quota; the tree has one weight, and gives the quota "
      "or the weight's part of all, whichever is more. Weights are made so that "
      "both are the same while all queues want more, where it is known how "
      "much there is: below a queue whose quota is its limit, elsewhere with a "
      "capacity. Otherwise the weight is that of gpu, else cpu, else memory"),
    S("(order of queues)", "a parent", "below quota, then priority, then "
      "allocated over fair share", MAPPED, "order", fills="order=drf"),
    S("(order of jobs)", "a queue", "priority, then time", MAPPED, "apps",
      fills="apps=priority"),
    S("(reclaim)", "the scheduler", "at once", MAPPED,
      "preempt_min_timeout preempt_fair_timeout preempt_fair_threshold",
      fills="preempt_min_timeout=0 preempt_fair_timeout=0 "
      "preempt_fair_threshold=100%"),
    S("preemptMinRuntime", "a queue", "none", LOST, sample="5m",
      note="how long a job runs before others may end it: the host"),
    S("reclaimMinRuntime", "a queue", "none", LOST, sample="5m"),
    S("displayName", "a queue", "its name", UNUSED, sample="x")]
ROW = {row.name: row for row in ROWS}
READ = {"parentQueue", "priority", "resources"}
SAYS = ("quota", "limit", "overQuotaWeight")


class KaiReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m", "memory": "B", "gpu": "m"})
        # KAI takes a quota above the limit as the limit, quotas that add to
        # more than their parent's, and queues that get their quota alone.
        self.draft.severity = {
            FaultCode.GUARANTEE_ABOVE_PARENT: Severity.WARNING,
            FaultCode.GUARANTEE_ABOVE_LIMIT: Severity.WARNING,
            FaultCode.DEAD_WEIGHT: Severity.WARNING,
            FaultCode.ALL_DEAD: Severity.WARNING,
            FaultCode.TIMEOUT_IDLE: None}

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        nodes = kube.documents(self.draft, data, {"Queue"})
        found = [one for one in kube.manifests(self.draft, nodes, {"Queue"})
                 if (one.node.text("apiVersion") or "").startswith(GROUP)]
        if not found:
            raise failed(self.draft.file, "has no queue of KAI")
        root = self.draft.queue(("root",), found[0].node.line)
        assert root is not None
        self.draft.fill(root, ROW["(reclaim)"])
        for one, path in kube.placed(self.draft, found, self.above):
            spec = self.draft.queue(path, one.node.line)
            if spec is not None:
                self.settings(spec, one.node)
        self.orders()
        return self.draft.finish()

    def above(self, one: kube.Manifest) -> str:
        """The name of the queue above."""
        return one.node.text("spec", "parentQueue") or ""

    def settings(self, spec: QueueSpec, node: Node) -> None:
        """What a queue says."""
        draft, where = self.draft, dotted(spec.path)
        said = node.get("spec") or Node(node.line)
        order = said.get("priority")
        if order is None:
            draft.fill(spec, ROW["priority"])
        else:
            value = whole(order.value if isinstance(order.value, str) else "")
            if value is None or abs(value) >= 1 << 31:
                draft.error(order.line, "priority is no whole number", where)
            else:
                draft.say(spec, "priority", str(value), order.line)
        if said.get("resources") is None:
            draft.error(node.line, "has no resources: KAI refuses the queue",
                        where)
        self.resources(spec, said.get("resources") or Node(node.line))
        for key, one in said.pairs():
            if key not in READ:
                kept = spec.spelled if key == "displayName" else spec.extra
                kept.update(kube.leaves(one, key))

    def resources(self, spec: QueueSpec, node: Node) -> None:
        """The quota, the limit and the weight of each resource."""
        draft, where = self.draft, dotted(spec.path)
        quota: dict[str, int | None] = {}
        limit: dict[str, int | None] = {}
        weights: dict[str, Fraction] = {}
        shares: dict[str, Share] = {}
        for resource, (kind, _, scale) in RESOURCES.items():
            one = node.get(resource) or Node(node.line)
            kube.twice(draft, one, f"{where}: {resource}")
            most = self.number(one, "limit", f"{where}: {resource}")
            limit[kind] = None if most == -1 else int((most or 0) * scale)
            own = self.number(one, "quota", f"{where}: {resource}")
            if own == -1:
                draft.differ(ROW["(quota of -1)"], one.line)
            if own:
                quota[kind] = -(-(own * scale) // 1) if own != -1 else \
                    limit[kind] or 0
            weight = self.number(one, "overQuotaWeight",
                                 f"{where}: {resource}")
            if weight is not None and weight >= 0:
                weights[resource] = weight
            bound = limit[kind]
            shares[kind] = Share(
                None if own == -1 else (own or 0) * Fraction(scale),
                weight or Fraction(0),
                None if bound is None else Fraction(bound),
                int(spec.settings.get("priority", "100")))
            for key, kept in one.pairs():
                if key not in SAYS:
                    spec.extra.update(kube.leaves(
                        kept, f"resources.{resource}.{key}"))
        draft.shares[spec.path] = shares
        if quota:
            draft.say_amounts(spec, "guarantee", quota, node.line)
        draft.say_amounts(spec, "limit", limit, node.line)
        if any(node.get(resource, "limit") is None for resource in RESOURCES):
            draft.fill(spec, ROW["resources.<resource>.limit"], " ")
        self.weight(spec, weights, node.line)
        for key, kept in node.pairs():
            if key not in RESOURCES:
                draft.warn(kept.line, "is no resource of KAI",
                           f"{where}: {key}")
                spec.extra.update(kube.leaves(kept, f"resources.{key}"))

    def weight(self, spec: QueueSpec, weights: dict[str, Fraction],
               line: int) -> None:
        """One weight of up to three."""
        row = ROW["resources.<resource>.overQuotaWeight"]
        self.draft.weights[spec.path] = next(
            (one for one in weights.values() if one), Fraction(0))
        self.draft.lines[spec.path, "weight"] = line
        if not weights:
            self.draft.fill(spec, row)
        else:
            self.draft.differ(row, line)

    def number(self, node: Node, key: str, where: str) -> Fraction | None:
        """A number of 0 or more, or -1; None where nothing is said."""
        one = node.get(key)
        if one is None:
            return None
        value = fraction(one.value) if isinstance(one.value, str) else None
        if value is None or value < 0 and (value != -1 or
                                           key == "overQuotaWeight"):
            self.draft.error(one.line, f"{str(one.value)[:60]!r} is no number "
                             "of 0 or more", f"{where}.{key}")
            return None
        if value >= MOST // 10**6:
            self.draft.error(one.line, f"{str(one.value)[:60]} is too large",
                             f"{where}.{key}")
            return None
        return value

    def orders(self) -> None:
        """How parents order their queues, and leaves their jobs."""
        below: dict[Path, list[QueueSpec]] = {}
        for path, spec in self.draft.queues.items():
            below.setdefault(path[:-1], []).append(spec)
        for path, spec in self.draft.queues.items():
            family = below.get(path, [])
            shares = [self.draft.shares[one.path] for one in family]
            if not family:
                self.draft.fill(spec, ROW["(order of jobs)"])
            elif by_priority(shares):
                self.draft.fill(spec, ROW["(order of queues)"],
                                "order=priority")
            else:
                self.draft.fill(spec, ROW["(order of queues)"])
                if len({one.settings.get("priority") for one in family}) > 1:
                    self.draft.differ(ROW["priority"], family[0].line)


def read(file: str, data: bytes) -> Configuration:
    """Queues of KAI."""
    return KaiReader(file).read(data)
