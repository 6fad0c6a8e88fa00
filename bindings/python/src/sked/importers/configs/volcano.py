"""Queues of Volcano: weights, capabilities, what they deserve, and trees by
`parent` or by the annotation of hierarchical DRF."""

from __future__ import annotations

from fractions import Fraction

from ..model import Configuration, Fidelity, QueueSpec
from . import kube
from .draft import Draft, Path, dotted
from .markup import Node
from .settings import Fate, Setting
from ..files import failed
from ..values import fraction, whole

FORM = "volcano"
PLACE = "volcano.sh/hierarchy"
WEIGHTS = "volcano.sh/hierarchy-weights"
MAPPED, NOTED, LOST, UNUSED = Fate.MAPPED, Fate.NOTED, Fate.LOST, Fate.UNUSED
S = Setting
#: The spec of a Queue, of Volcano 1.13.
ROWS = [
    S("weight", "a queue", "1", MAPPED, "weight", sample="3",
      gives="weight=3"),
    S("capability", "a queue", "no bound", MAPPED, "limit",
      sample="{cpu: 8}", gives="limit=cpu=8"),
    S("deserved", "a queue", "its weight's part", MAPPED, "guarantee",
      sample="{cpu: 4}", gives="guarantee=cpu=4"),
    S("guarantee.resource", "a queue", "nothing", NOTED, "guarantee lend",
      sample="{cpu: 2}", gives="guarantee=cpu=2 lend=cpu=0",
      note="a guarantee above the part of the weight counts on top of later "
      "rounds of the proportion plug-in; here it is a floor"),
    S("reclaimable", "a queue", "true", MAPPED, "preempt_from",
      sample="false", gives="preempt_from=no"),
    S("priority", "a queue", "0", MAPPED, "priority", sample="6",
      gives="priority=6"),
    S("parent", "a queue", "root", MAPPED, "the path"),
    S("(order of queues)", "a parent",
      "priority, then allocated over deserved", NOTED, "order",
      fills="order=drf", note="with deserved by utilisation, with priorities "
      "by priority; the plug-in (proportion or capacity) stands in another "
      "file"),
    S("(order of jobs)", "a queue", "priority, then dominant share", NOTED,
      "apps", fills="apps=fair", note="Volcano looks at the priority of jobs "
      "first, the tree at the share alone"),
    S("dequeueStrategy", "a queue", "traverse", LOST,
      note="fifo: a job that does not fit holds up the others; in the tree "
      "none does", sample="fifo"),
    S("affinity", "a queue", "none", LOST, note="which nodes: rules of asks",
      sample="{nodeGroupAffinity: {requiredDuringSchedulingIgnoredDuring"
      "Execution: [g]}}"),
    S("extendClusters", "a queue", "none", LOST, sample="[{name: x}]"),
    S("type", "a queue", "none", UNUSED, sample="x"),
    S("status.state", "a queue", "Open", MAPPED, "state", sample="Closed",
      gives="state=draining")]
ROW = {row.name: row for row in ROWS}
STATES = {"Open": "running", "Closed": "draining", "Closing": "draining",
          "Unknown": "running"}
READ = {"weight", "capability", "deserved", "guarantee", "reclaimable",
        "parent", "priority"}


class VolcanoReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m", "memory": "B"})
        self.deserving: set[Path] = set()
        self.inner: dict[Path, tuple[Fraction, int]] = {}

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        found = kube.manifests(
            self.draft, kube.documents(self.draft, data, {"Queue"}), {"Queue"})
        if not found:
            raise failed(self.draft.file, "has no queue of Volcano")
        root = self.draft.queue(("root",), found[0].node.line)
        assert root is not None
        self.place([one for one in found if one.name])
        self.orders()
        return self.draft.finish()

    def orders(self) -> None:
        """How parents order their queues, and leaves their jobs."""
        below: dict[Path, list[QueueSpec]] = {}
        for path, spec in self.draft.queues.items():
            below.setdefault(path[:-1], []).append(spec)
        for path, spec in self.draft.queues.items():
            family = below.get(path)
            if not family and len(path) > 1:
                self.draft.fill(spec, ROW["(order of jobs)"])
                self.draft.differ(ROW["(order of jobs)"], spec.line)
                continue
            ranks = {one.settings.get("priority", "0") for one in family or ()}
            deserves = any(one.path in self.deserving for one in family or ())
            row = ROW["(order of queues)"]
            self.draft.fill(spec, row, "order=" + (
                "priority" if len(ranks) > 1 else
                "utilisation" if deserves else "drf"))
            self.draft.differ(row, spec.line)

    def place(self, found: list[kube.Manifest]) -> None:
        """Each below its parent, whatever their order."""
        where: dict[str, Path] = {"root": ("root",), "": ("root",)}
        left = found
        while left:
            later = []
            for one in left:
                above = one.node.text("spec", "parent") or ""
                if above in where:
                    path = self.path(one, where[above])
                    if self.queue(one, path):
                        where[one.name] = path
                else:
                    later.append(one)
            if len(later) == len(left):
                for one in left:
                    self.draft.error(one.node.line, "its parent is not in the "
                                     "file", one.name)
                later = []
            left = later

    def path(self, one: kube.Manifest, above: Path) -> Path:
        """Where a queue belongs; the annotation makes what is above it."""
        notes = one.node.get("metadata", "annotations") or Node(0)
        text = notes.text(PLACE)
        if text is None or one.name == "root":
            return ("root",) if one.name == "root" else above + (one.name,)
        names = text.strip("/").split("/")
        weights = (notes.text(WEIGHTS) or "").strip("/").split("/")
        line = (notes.get(WEIGHTS) or notes).line
        if names[0] != "root" or len(names) < 2 or not all(names):
            self.draft.error(notes.line, f"{text[:60]!r} does not begin at "
                             "root", one.name)
            return above + (one.name,)
        if len(weights) != len(names):
            self.draft.error(line, f"{len(weights)} weights for {len(names)} "
                             "levels", one.name)
            weights = ["1"] * len(names)
        for i in range(1, len(names)):
            self.level(one, tuple(names[:i + 1]), weights[i], line)
        return tuple(names)

    def level(self, one: kube.Manifest, path: Path, text: str,
              line: int) -> None:
        """A level that an annotation names, with its weight."""
        value = fraction(text)
        if value is None or value <= 0:
            self.draft.error(line, f"{text[:60]!r} is no weight", one.name)
            value = Fraction(1)
        old = self.inner.setdefault(path, (value, line))
        if old[0] != value:
            self.draft.error(line, f"weight {text[:60]} of {dotted(path)}: "
                             f"line {old[1]} has another", one.name)

    def queue(self, one: kube.Manifest, path: Path) -> bool:
        """One queue, and the levels above it that are not there yet."""
        for i in range(2, len(path)):
            if path[:i] not in self.draft.queues:
                made = self.draft.queue(path[:i], one.node.line)
                if made is None:
                    return False
                self.weigh(made, self.inner.get(path[:i], (Fraction(1), 0)))
        spec = self.draft.queues.get(path) if len(path) == 1 else \
            self.draft.queue(path, one.node.line)
        if spec is None:
            return False
        if path[-1] != one.name:
            spec.spelled["metadata.name"] = one.name
        self.settings(spec, one.node.get("spec") or Node(one.node.line))
        state = one.node.get("status", "state")
        if state and STATES.get(str(state.value)) == "draining":
            self.draft.say(spec, "state", "draining", state.line)
        if path in self.inner:
            self.weigh(spec, self.inner[path])
        return True

    def weigh(self, spec: QueueSpec, said: tuple[Fraction, int]) -> None:
        """A weight, where it was said."""
        self.draft.weights[spec.path] = said[0]
        self.draft.lines[spec.path, "weight"] = said[1] or spec.line

    def settings(self, spec: QueueSpec, node: Node) -> None:
        """What its spec says."""
        draft, where = self.draft, dotted(spec.path)
        text = node.text("weight")
        if node.get("weight") is not None:
            line = (node.get("weight") or node).line
            value = whole(text or "")
            if value is None or not 1 <= value <= 65535:
                draft.error(line, f"{(text or '')[:60]!r} is no weight of 1 "
                            "to 65535", where)
            else:
                self.weigh(spec, (Fraction(value), line))
        limit = node.get("capability")
        if limit:
            draft.say_amounts(spec, "limit", dict(kube.amounts(
                draft, limit, where)), limit.line)
        self.guarantee(spec, node)
        said = node.get("reclaimable")
        if said and said.value not in ("true", "false"):
            draft.error(said.line, "reclaimable is neither true nor false",
                        where)
        elif said and said.value == "false":
            draft.say(spec, "preempt_from", "no", said.line)
        order = node.get("priority")
        if order:
            value = whole(order.value if isinstance(order.value, str) else "")
            if value is None or abs(value) >= 1 << 31:
                draft.error(order.line, "priority is no whole number", where)
            elif value:
                draft.say(spec, "priority", str(value), order.line)
        for key, one in node.pairs():
            if key not in READ:
                kept = spec.spelled if key == "type" else spec.extra
                kept.update(kube.leaves(one, key))

    def guarantee(self, spec: QueueSpec, node: Node) -> None:
        """What it deserves can be taken back from others, what is guaranteed
        is kept free for it: the former less the latter is lent."""
        where = dotted(spec.path)
        deserved, held = node.get("deserved"), node.get("guarantee",
                                                        "resource")
        want = kube.amounts(self.draft, deserved, where)
        hold = kube.amounts(self.draft, held, where)
        for kind, amount in hold.items():
            if kind in want and (amount or 0) > (want[kind] or 0):
                self.draft.error((held or node).line, f"guarantee of {kind} is"
                                 " above what it deserves", where)
        if want:
            self.deserving.add(spec.path)
        for key, one in (node.get("guarantee") or Node(0)).pairs():
            if key != "resource":
                self.draft.warn(one.line, "is nothing of a guarantee, which "
                                "has `resource`", f"{where}: {key[:60]}")
                spec.extra.update(kube.leaves(one, f"guarantee.{key}"))
        both = {**hold, **want}
        line = (deserved or held or node).line
        if both:
            self.draft.say_amounts(spec, "guarantee", both, line)
        if hold:
            self.draft.differ(ROW["guarantee.resource"], line)
            lend: dict[str, int | None] = {
                kind: max(0, (amount or 0) - (hold.get(kind) or 0))
                for kind, amount in both.items()}
            self.draft.say_amounts(spec, "lend", lend, line, Fidelity.DERIVED)


def read(file: str, data: bytes) -> Configuration:
    """Queues of Volcano."""
    return VolcanoReader(file).read(data)
