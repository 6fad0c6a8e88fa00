"""Queues of Kueue: cohorts, cluster queues with quotas by flavor, and the local
queues that lead to them."""

from __future__ import annotations

from fractions import Fraction

from ...enums import FaultCode, Severity
from ..model import Configuration, Fidelity, QueueSpec
from . import kube
from .draft import Draft, Path, dotted
from .markup import Node
from .settings import Fate, Setting
from ..files import failed

FORM = "kueue"
FORMS = {"ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor"}
QUOTAS = {"nominalQuota": "guarantee", "borrowingLimit": "borrow",
          "lendingLimit": "lend"}
MAPPED, NOTED, LOST, UNUSED = Fate.MAPPED, Fate.NOTED, Fate.LOST, Fate.UNUSED
S = Setting
CQ, COHORT, LQ = "a ClusterQueue", "a Cohort", "a LocalQueue"
#: The specs of Kueue 0.14.
ROWS = [
    S("nominalQuota", CQ, "0", MAPPED, "guarantee", sample="4",
      gives="guarantee=cpu=4"),
    S("borrowingLimit", CQ, "no bound", MAPPED, "borrow", sample="2",
      gives="borrow=cpu=2"),
    S("lendingLimit", CQ, "all of it", MAPPED, "lend", sample="1",
      gives="lend=cpu=1"),
    S("nominalQuota", COHORT, "0", MAPPED, "guarantee limit"),
    S("flavors", CQ, "", NOTED, "label", note="quotas of several flavors are "
      "added up; a queue with one flavor in all has its name as label"),
    S("(resource without a quota)", CQ, "not admitted", MAPPED, "limit"),
    S("cohortName", CQ, "none", MAPPED, "the path"),
    S("cohort", CQ, "none", MAPPED, "the path"),
    S("parentName", COHORT, "none", MAPPED, "the path"),
    S("parent", COHORT, "none", MAPPED, "the path"),
    S("fairSharing.weight", CQ, "1", NOTED, "weight", sample="3",
      gives="weight=3", note="Kueue shares by weight what is borrowed above "
      "nominal quotas, and only where fair sharing is switched on in another "
      "file; the tree shares all that there is beyond guarantees"),
    S("fairSharing.weight", COHORT, "1", NOTED, "weight", note="as above"),
    S("fairSharing.weight", LQ, "1", NOTED, "weight", note="Kueue counts "
      "past usage, where that is switched on in another file"),
    S("(order of queues)", "a cohort",
      "who does not borrow, then priority, then who came first", NOTED,
      "order", fills="order=drf", note="what is borrowed goes to who came "
      "first; the tree shares it by weight"),
    S("(order of local queues)", CQ, "one line for all", NOTED, "order",
      fills="order=drf", note="workloads of all local queues stand in one "
      "line; the tree shares among local queues"),
    S("queueingStrategy", CQ, "BestEffortFIFO", NOTED, "apps",
      fills="apps=priority", sample="StrictFIFO", gives="apps=priority",
      note="StrictFIFO: a workload that does not fit holds up the others; in "
      "the tree none does"),
    S("stopPolicy", CQ, "None", MAPPED, "state", sample="Hold",
      gives="state=draining"),
    S("stopPolicy", LQ, "None", MAPPED, "state"),
    S("preemption.reclaimWithinCohort", CQ, "Never", NOTED,
      "preempt_min_timeout", sample="Any", gives="preempt_min_timeout=0",
      note="LowerPriority: from less important workloads only, in the tree "
      "never"),
    S("preemption.withinClusterQueue", CQ, "Never", LOST,
      sample="LowerPriority", note="a flag of the engine's preemption"),
    S("preemption.borrowWithinCohort.policy", CQ, "Never", LOST,
      sample="LowerPriority"),
    S("preemption.borrowWithinCohort.maxPriorityThreshold", CQ, "none", LOST,
      sample="5"),
    S("flavorFungibility.whenCanBorrow", CQ, "MayStopSearch", LOST,
      sample="TryNextFlavor"),
    S("flavorFungibility.whenCanPreempt", CQ, "TryNextFlavor", LOST,
      sample="TryNextFlavor"),
    S("flavorFungibility.preference", CQ, "BorrowingOverPreemption", LOST,
      sample="BorrowingOverPreemption"),
    S("namespaceSelector", CQ, "none", LOST, note="who may submit",
      sample="{matchLabels: {a: b}}"),
    S("admissionChecks", CQ, "none", LOST, sample="[x]"),
    S("admissionChecksStrategy", CQ, "none", LOST,
      sample="{admissionChecks: [{name: x}]}"),
    S("admissionScope.admissionMode", CQ, "none", LOST,
      sample="UsageBasedAdmissionFairSharing"),
    S("concurrentAdmissionPolicy", CQ, "none", LOST,
      sample="{migration: {mode: x}}"),
    S("clusterQueue", LQ, "none", MAPPED, "the path"),
    S("spec.nodeLabels", "a ResourceFlavor", "none", LOST,
      note="which nodes: partitions and rules"),
    S("spec.nodeTaints", "a ResourceFlavor", "none", LOST),
    S("spec.tolerations", "a ResourceFlavor", "none", LOST),
    S("spec.topologyName", "a ResourceFlavor", "none", LOST)]
ROW = {(row.name, row.where): row for row in ROWS}
COHORTS = ROW["(order of queues)", "a cohort"]
LOCALS = ROW["(order of local queues)", CQ]
STRATEGIES = ("StrictFIFO", "BestEffortFIFO")
NEVER = ("preemption.withinClusterQueue",
         "preemption.borrowWithinCohort.policy")
STOPS = {"Hold": "draining", "HoldAndDrain": "draining", "None": "running"}
CHOICES = {"withinClusterQueue": {"Never", "LowerPriority",
                                  "LowerOrNewerEqualPriority"},
           "reclaimWithinCohort": {"Never", "LowerPriority", "Any"}}


#: What each flavor says of a kind: flavor, setting, amount.
Parts = dict[str, list[tuple[str, str, int]]]


def several_flavors(said: dict[str, dict[str, int | None]],
                    parts: Parts) -> None:
    """A flavor without a borrowing limit may borrow all there is, so the sum has
    no bound; one without a lending limit lends its quota."""
    for kind, found in parts.items():
        quotas = {flavor: value for flavor, key, value in found
                  if key == "guarantee"}
        for key in ("borrow", "lend"):
            bounded = {flavor for flavor, other, _ in found if other == key}
            open_ones = quotas.keys() - bounded
            if bounded and open_ones and key == "borrow":
                del said[key][kind]
            elif bounded and open_ones:
                said[key][kind] = (said[key][kind] or 0) + sum(
                    quotas[flavor] for flavor in open_ones)
    for key in [key for key, amounts in said.items() if not amounts]:
        del said[key]


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
        self.draft.fill(root, COHORTS)
        self.draft.differ(COHORTS, root.line)
        places = self.cohorts([o for o in found if o.kind == "Cohort"],
                              [o for o in found if o.kind == "ClusterQueue"])
        queues: dict[str, Path] = {}
        for one in found:
            if one.kind == "ClusterQueue" and one.name:
                self.cluster_queue(one, places, queues)
        for one in found:
            if one.kind == "LocalQueue" and one.name:
                self.local_queue(one, queues)
        self.uncovered(queues)
        self.add_up()
        self.lines()
        return self.draft.finish()

    def uncovered(self, queues: dict[str, Path]) -> None:
        """A workload that asks for a resource of which its cluster queue has no
        quota is not admitted: the limit is 0."""
        said = {path: self.draft.vectors.get((path, "guarantee"), {})
                for path in queues.values()}
        kinds = dict.fromkeys(kind for own in said.values() for kind in own)
        for path, own in said.items():
            none = {kind: 0 for kind in kinds if kind not in own}
            if none:
                spec = self.draft.queues[path]
                self.draft.say_amounts(
                    spec, "limit", {**self.draft.vectors.get(
                        (path, "limit"), {}), **none}, spec.line,
                    Fidelity.DERIVED)

    def lines(self) -> None:
        """How workloads are ordered: in a cluster queue, or in its local
        queues."""
        parents = {path[:-1] for path in self.draft.queues}
        row = ROW["queueingStrategy", CQ]
        for path, spec in self.draft.queues.items():
            if spec.spelled.get("kind") == "Cohort" or len(path) == 1:
                continue
            if path in parents:
                self.draft.fill(spec, LOCALS)
                self.draft.differ(LOCALS, spec.line)
                continue
            above = self.draft.queues.get(path[:-1])
            said = spec.spelled.get(row.name) or (
                above.spelled.get(row.name) if above else None)
            if said is None:
                self.draft.fill(spec, row)
                continue
            self.draft.say(spec, "apps", "priority", spec.line)
            if said == "StrictFIFO":
                self.draft.differ(row, spec.line)

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
            if spec.spelled.get("kind") == "Cohort" and total:
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
            spec.spelled["kind"] = "Cohort"
            self.draft.fill(spec, COHORTS)
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
        said = node.get("queueingStrategy")
        if said and said.value not in STRATEGIES:
            self.draft.error(said.line, f"{str(said.value)[:60]!r} is none of "
                             f"{', '.join(STRATEGIES)}", dotted(path))
        elif said:
            spec.spelled["queueingStrategy"] = str(said.value)
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
        one = node.get("reclaimWithinCohort") if node else None
        text = str(one.value) if one else "Never"
        if one and text == "Any":
            self.draft.say(spec, "preempt_min_timeout", "0", one.line)
        elif one and text == "LowerPriority":
            self.draft.differ(ROW["preemption.reclaimWithinCohort", CQ],
                              one.line)
            spec.extra["preemption.reclaimWithinCohort"] = text

    def body(self, spec: QueueSpec, node: Node, borrows: bool) -> None:
        """Quotas, weight, and what is kept."""
        said: dict[str, dict[str, int | None]] = {}
        lines: dict[str, int] = {}
        parts: Parts = {}
        groups = (node.get("resourceGroups") or Node(0)).items()
        for group in groups:
            self.group(spec, group, said, lines, parts)
        several_flavors(said, parts)
        flavors = {flavor.text("name") or "" for group in groups for flavor in
                   (group.get("flavors") or Node(0)).items()}
        if len(flavors) == 1 and "" not in flavors:
            self.draft.say(spec, "label", min(flavors), groups[0].line)
        for key, amounts in said.items():
            if key == "guarantee" or borrows:
                self.draft.say_amounts(spec, key, amounts, lines[key],
                                       self.trust(node))
        if "guarantee" in said and not borrows:
            self.draft.say_amounts(spec, "limit", dict(said["guarantee"]),
                                   lines["guarantee"], Fidelity.DERIVED)
        self.weigh(spec, node)
        for key, one in node.pairs():
            if key in ("resourceGroups", "cohort", "cohortName",
                       "fairSharing", "parentName", "parent",
                       "queueingStrategy", "stopPolicy"):
                continue
            for place, text in kube.leaves(one, key):
                if place != "preemption.reclaimWithinCohort" and not (
                        place in NEVER and text == "Never"):
                    spec.extra[place] = text

    def weigh(self, spec: QueueSpec, node: Node) -> None:
        """The weight of fair sharing."""
        weight = node.get("fairSharing", "weight")
        if not weight:
            return
        try:
            value = kube.quantity(str(weight.value))
            if value < 0:
                raise kube.BadQuantity("is negative")
            self.draft.weights[spec.path] = Fraction(value)
            self.draft.lines[spec.path, "weight"] = weight.line
            kind = spec.spelled.get("kind", "ClusterQueue")
            self.draft.differ(ROW["fairSharing.weight", LQ if kind ==
                                  "LocalQueue" else CQ], weight.line)
        except kube.BadQuantity as error:
            self.draft.error(weight.line, str(error),
                             f"{dotted(spec.path)}: weight")

    def trust(self, node: Node) -> Fidelity:
        """Several flavors are added up."""
        several = any(len((g.get("flavors") or Node(0)).items()) > 1
                      for g in (node.get("resourceGroups") or Node(0)).items())
        return Fidelity.DERIVED if several else Fidelity.EXACT

    def group(self, spec: QueueSpec, node: Node,
              said: dict[str, dict[str, int | None]], lines: dict[str, int],
              parts: Parts) -> None:
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
            rows = (flavor.get("resources") or Node(0)).items()
            names = [row.text("name") or "" for row in rows]
            if sorted(names) != sorted(covered):
                self.draft.error(flavor.line, f"flavor {name[:60]} has other "
                                 "resources than coveredResources", where)
            for row in rows:
                self.quota(spec, name, row, said, lines, parts)

    def quota(self, spec: QueueSpec, flavor: str, row: Node,
              said: dict[str, dict[str, int | None]], lines: dict[str, int],
              parts: Parts) -> None:
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
            parts.setdefault(kind, []).append((flavor, key, value))
            spec.spelled[f"quota.{flavor}.{resource}.{name}"] = str(one.value)

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
            spec.spelled["kind"] = "LocalQueue"
            for key, part in (one.node.get("spec") or Node(0)).pairs():
                if key == "stopPolicy":
                    self.stop(spec, part)
                elif key not in ("clusterQueue", "fairSharing"):
                    spec.extra.update(kube.leaves(part, key))
            self.weigh(spec, one.node.get("spec") or Node(0))


def cohort_of(one: kube.Manifest) -> str:
    """The cohort that a cluster queue names."""
    return one.node.text("spec", "cohort") or \
        one.node.text("spec", "cohortName") or ""


def read(file: str, data: bytes) -> Configuration:
    """Queues of Kueue."""
    return KueueReader(file).read(data)
