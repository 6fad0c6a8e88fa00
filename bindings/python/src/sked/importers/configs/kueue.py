"""Queues of Kueue: cohorts, cluster queues with quotas by flavor, and the local
queues that lead to them."""

from __future__ import annotations

from fractions import Fraction

from ...enums import FaultCode, Severity
from ..model import Configuration, Fidelity, QueueSpec
from . import kube
from .draft import Draft, Path, dotted
from .markup import Node
from ..files import failed

FORM = "kueue"
FORMS = {"ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor"}
QUOTAS = {"nominalQuota": "guarantee", "borrowingLimit": "borrow",
          "lendingLimit": "lend"}
STRATEGIES = ("StrictFIFO", "BestEffortFIFO")
STOPS = {"Hold": "draining", "HoldAndDrain": "draining", "None": "running"}
CHOICES = {"withinClusterQueue": {"Never", "LowerPriority",
                                  "LowerOrNewerEqualPriority"},
           "reclaimWithinCohort": {"Never", "LowerPriority", "Any"}}


class KueueReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m", "memory": "B"})
        self.draft.severity = {FaultCode.GUARANTEE_ABOVE_PARENT: None,
                               FaultCode.GUARANTEE_LIFTED: None,
                               FaultCode.GUARANTEE_ABOVE_LIMIT:
                               Severity.WARNING}
        self.flavors: dict[str, int] = {}

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        found = kube.manifests(
            self.draft, kube.documents(self.draft, data, FORMS), FORMS)
        if not found:
            raise failed(self.draft.file, "has no queue of Kueue")
        for one in found:
            if one.kind == "ResourceFlavor":
                self.flavor(one)
        root = self.draft.queue(("root",), found[0].node.line)
        assert root is not None
        self.draft.say(root, "order", "drf", root.line, Fidelity.ASSUMED)
        places = self.cohorts([o for o in found if o.kind == "Cohort"],
                              [o for o in found if o.kind == "ClusterQueue"])
        queues: dict[str, Path] = {}
        for one in found:
            if one.kind == "ClusterQueue" and one.name:
                self.cluster_queue(one, places, queues)
        for one in found:
            if one.kind == "LocalQueue" and one.name:
                self.local_queue(one, queues)
        self.add_up()
        return self.draft.finish()

    def add_up(self) -> None:
        """A cohort has what its queues have, and its own; above it there is
        nobody to borrow from, unless another cohort is."""
        sums: dict[Path, dict[str, int | None]] = {}
        for path in reversed(list(self.draft.queues)):
            spec = self.draft.queues[path]
            own = self.draft.vectors.get((path, "guarantee"), {})
            total = sums.get(path, {})
            for kind, amount in own.items():
                total[kind] = (total.get(kind) or 0) + (amount or 0)
            if spec.extra.get("kind") == "Cohort" and total:
                for key in ("guarantee", "limit")[:2 if len(path) < 3 else 1]:
                    self.draft.say_amounts(spec, key, dict(total), spec.line,
                                           Fidelity.DERIVED)
            above = sums.setdefault(path[:-1], {})
            for kind, amount in total.items():
                above[kind] = (above.get(kind) or 0) + (amount or 0)

    def flavor(self, one: kube.Manifest) -> None:
        """A kind of nodes: kept."""
        if one.name in self.flavors:
            self.draft.error(one.node.line, "a flavor of that name is on line "
                             f"{self.flavors[one.name]} already", one.name)
        self.flavors[one.name] = one.node.line
        for place, text in kube.leaves(one.node.get("spec"), "spec"):
            self.draft.extra[f"flavor.{one.name}.{place}"] = text
        self.draft.extra.setdefault(f"flavor.{one.name}", "")

    # ---- cohorts ----

    def cohorts(self, said: list[kube.Manifest],
                queues: list[kube.Manifest]) -> dict[str, Path]:
        """Where each is: a cohort that only queues name is there too."""
        places: dict[str, Path] = {}
        left = list(said)
        while left:
            later = []
            for one in left:
                above = one.node.text("spec", "parentName") or \
                    one.node.text("spec", "parent") or ""
                if above and above not in places and any(
                        o.name == above for o in left):
                    later.append(one)
                    continue
                if above and above not in places:
                    self.cohort(above, ("root",), one.node, places)
                top = places.get(above, ("root",))
                spec = self.cohort(one.name, top, one.node, places)
                if spec:
                    self.body(spec, one.node.get("spec") or Node(0), True)
            if len(later) == len(left):
                self.draft.error(left[0].node.line, "cohorts above each other "
                                 "in a circle", left[0].name)
                later = []
            left = later
        for one in queues:
            name = cohort_of(one)
            if name and name not in places:
                self.cohort(name, ("root",), one.node, places)
        return places

    def cohort(self, name: str, above: Path, node: Node,
               places: dict[str, Path]) -> QueueSpec | None:
        """A cohort as a queue with queues below."""
        spec = self.draft.queue(above + (name,), node.line)
        if spec:
            places[name] = spec.path
            spec.extra["kind"] = "Cohort"
            self.draft.say(spec, "order", "drf", node.line, Fidelity.ASSUMED)
        return spec

    # ---- queues ----

    def cluster_queue(self, one: kube.Manifest, places: dict[str, Path],
                      queues: dict[str, Path]) -> None:
        """One cluster queue. Without a cohort there is nobody to borrow from:
        its quota is its limit."""
        cohort = cohort_of(one)
        path = places.get(cohort, ("root",)) + (one.name,)
        spec = self.draft.queue(path, one.node.line)
        if spec is None:
            return
        queues[one.name] = path
        node = one.node.get("spec") or Node(one.node.line)
        self.body(spec, node, bool(cohort))
        text = node.text("queueingStrategy") or "BestEffortFIFO"
        line = (node.get("queueingStrategy") or node).line
        if text not in STRATEGIES:
            self.draft.error(line, f"{text[:60]!r} is none of "
                             f"{', '.join(STRATEGIES)}", dotted(path))
        spec.extra["queueingStrategy"] = text
        self.stop(spec, node.get("stopPolicy"))
        self.choices(spec, node.get("preemption"))

    def stop(self, spec: QueueSpec, stop: Node | None) -> None:
        """Does it take something new?"""
        if stop and STOPS.get(str(stop.value)) is None:
            self.draft.error(stop.line, f"{str(stop.value)[:60]!r} is none of "
                             f"{', '.join(STOPS)}", dotted(spec.path))
        elif stop and STOPS[str(stop.value)] == "draining":
            self.draft.say(spec, "state", "draining", stop.line)

    def choices(self, spec: QueueSpec, node: Node | None) -> None:
        """Who may preempt is another question than the tree's, who may be
        preempted: kept, and checked."""
        for key, words in CHOICES.items():
            one = node.get(key) if node else None
            if one and one.value not in words:
                self.draft.error(one.line, f"{str(one.value)[:60]!r} is none "
                                 f"of {', '.join(sorted(words))}",
                                 f"{dotted(spec.path)}: {key}")

    def body(self, spec: QueueSpec, node: Node, borrows: bool) -> None:
        """Quotas, weight, and what is kept."""
        said: dict[str, dict[str, int | None]] = {}
        lines: dict[str, int] = {}
        for group in (node.get("resourceGroups") or Node(0)).items():
            self.group(spec, group, said, lines)
        for key, amounts in said.items():
            if key == "guarantee" or borrows:
                self.draft.say_amounts(spec, key, amounts, lines[key],
                                       self.trust(node))
        if "guarantee" in said and not borrows:
            self.draft.say_amounts(spec, "limit", dict(said["guarantee"]),
                                   lines["guarantee"], Fidelity.DERIVED)
        weight = node.get("fairSharing", "weight")
        if weight:
            try:
                value = kube.quantity(str(weight.value))
                if value < 0:
                    raise kube.BadQuantity("is negative")
                self.draft.weights[spec.path] = Fraction(value)
                self.draft.lines[spec.path, "weight"] = weight.line
            except kube.BadQuantity as error:
                self.draft.error(weight.line, str(error),
                                 f"{dotted(spec.path)}: weight")
        for key, one in node.pairs():
            if key not in ("resourceGroups", "cohort", "cohortName",
                           "fairSharing", "parentName", "parent",
                           "queueingStrategy"):
                spec.extra.update(kube.leaves(one, key))

    def trust(self, node: Node) -> Fidelity:
        """Several flavors are added up."""
        several = any(len((g.get("flavors") or Node(0)).items()) > 1
                      for g in (node.get("resourceGroups") or Node(0)).items())
        return Fidelity.DERIVED if several else Fidelity.EXACT

    def group(self, spec: QueueSpec, node: Node,
              said: dict[str, dict[str, int | None]],
              lines: dict[str, int]) -> None:
        """Flavors of some resources, each with its quotas: the tree has the
        sum, the parts are kept."""
        covered = [str(one.value) for one in (node.get("coveredResources") or
                                              Node(0)).items()]
        flavors = (node.get("flavors") or Node(0)).items()
        where = dotted(spec.path)
        if len(flavors) > 1:
            self.draft.warn(flavors[1].line, f"{len(flavors)} flavors: their "
                            "quotas are added up", where)
        for flavor in flavors:
            name = flavor.text("name") or ""
            if not name:
                self.draft.error(flavor.line, "a flavor without a name", where)
            elif self.flavors and name not in self.flavors:
                self.draft.warn(flavor.line, f"flavor {name[:60]} is not in "
                                "the file", where)
            if len(flavors) == 1 and "label" not in spec.settings and name:
                self.draft.say(spec, "label", name, flavor.line)
            rows = (flavor.get("resources") or Node(0)).items()
            names = [row.text("name") or "" for row in rows]
            if sorted(names) != sorted(covered):
                self.draft.error(flavor.line, f"flavor {name[:60]} has other "
                                 "resources than coveredResources", where)
            for row in rows:
                self.quota(spec, name, row, said, lines)

    def quota(self, spec: QueueSpec, flavor: str, row: Node,
              said: dict[str, dict[str, int | None]],
              lines: dict[str, int]) -> None:
        """The numbers of one resource of one flavor."""
        resource = row.text("name") or ""
        where = f"{dotted(spec.path)}: {flavor}: {resource}"
        if row.get("nominalQuota") is None:
            self.draft.error(row.line, "has no nominalQuota", where)
        for name, key in QUOTAS.items():
            one = row.get(name)
            if one is None:
                continue
            try:
                kind, value = kube.amount(self.draft, resource, str(one.value))
            except kube.BadQuantity as error:
                self.draft.error(one.line, str(error), f"{where}: {name}")
                continue
            amounts = said.setdefault(key, {})
            amounts[kind] = (amounts.get(kind) or 0) + value
            lines.setdefault(key, one.line)
            spec.extra[f"quota.{flavor}.{resource}.{name}"] = str(one.value)

    def local_queue(self, one: kube.Manifest, queues: dict[str, Path]) -> None:
        """A namespace's way into a cluster queue: a leaf below it."""
        node = one.node.get("spec", "clusterQueue")
        name = node.value if node and isinstance(node.value, str) else ""
        space = one.node.text("metadata", "namespace") or ""
        if name not in queues:
            self.draft.error((node or one.node).line, "its cluster queue "
                             f"{name[:60]!r} is not in the file", one.name)
            return
        above = queues[name]
        own = f"{space}/{one.name}" if space else one.name
        if above + (own,) in self.draft.queues:
            self.draft.error(one.node.line, "a local queue of that name is on "
                             "line "
                             f"{self.draft.queues[above + (own,)].line} "
                             "already", own)
            return
        spec = self.draft.queue(above + (own,), one.node.line)
        if spec:
            spec.extra["kind"] = "LocalQueue"
            for key, part in (one.node.get("spec") or Node(0)).pairs():
                if key == "stopPolicy":
                    self.stop(spec, part)
                elif key != "clusterQueue":
                    spec.extra.update(kube.leaves(part, key))


def cohort_of(one: kube.Manifest) -> str:
    """The cohort that a cluster queue names."""
    return one.node.text("spec", "cohort") or \
        one.node.text("spec", "cohortName") or ""


def read(file: str, data: bytes) -> Configuration:
    """Queues of Kueue."""
    return KueueReader(file).read(data)
