"""A capacity scheduler from a file: flat properties become a tree. The view
of a running scheduler is read as if it were the properties it came from."""

from __future__ import annotations

from fractions import Fraction

from ...files import failed
from ...model import Configuration
from ...values import decimal, fraction
from ..draft import MAX_QUEUES, Path, decoded, dotted
from ..markup import BadDocument, Node, json_node
from ..settings import Fate
from .properties import (MONITOR, OLD_PREFIX, PREFIX, Entry, Props,
                         properties, split)
from .queues import CapacityQueues
from .settings import (CALCULATOR, DEFAULTED, OF_MONITOR, OF_QUEUE,
                       OF_SCHEDULER)

OLD_QUEUE = OLD_PREFIX + "queue."


class CapacityReader(CapacityQueues):
    """One file being read."""

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        props = self.modern(properties(self.draft, data))
        if not any(name.startswith(PREFIX) for name in props):
            raise failed(self.draft.file, "has no property of a capacity "
                         "scheduler")
        self.declare(props)
        self.share_out(props)
        self.settle()
        return self.draft.finish()

    def modern(self, props: Props) -> Props:
        """The properties of Hadoop 1 under the names of YARN."""
        names = [n[len(OLD_QUEUE):].partition(".")[0] for n in props
                 if n.startswith(OLD_QUEUE)]
        if not names:
            return props
        self.draft.kinds = {"maps": "1", "reduces": "1"}
        self.hadoop1 = True
        made: Props = {PREFIX + "root.queues": Entry(
            ",".join(dict.fromkeys(names)), 0)}
        for name, entry in props.items():
            if name.startswith(OLD_QUEUE):
                name = PREFIX + "root." + name[len(OLD_QUEUE):]
            made[name] = entry
        return made

    # ---- the tree ----

    def declare(self, props: Props) -> None:
        """The queues that lists name, parents first, in order."""
        listed = props.get(PREFIX + "root.queues")
        spec = self.draft.queue(("root",), listed.line if listed else 0)
        assert spec is not None
        if listed is None:
            self.draft.error(0, "is missing: there are no queues",
                             PREFIX + "root.queues")
        todo: list[Path] = [("root",)]
        while todo:
            path = todo.pop()
            below = self.children(props, path)
            self.below[path] = below
            todo.extend(reversed(below))
            if len(path) > 1:
                self.in_order(path)

    def in_order(self, path: Path) -> None:
        """Makes the queue's place in the file's order of parents first."""
        self.draft.queues[path] = self.draft.queues.pop(path)

    def children(self, props: Props, path: Path) -> list[Path]:
        """Those that a queue's list names."""
        entry = props.get(PREFIX + dotted(path) + ".queues")
        made: list[Path] = []
        if entry is None or len(self.draft.queues) > MAX_QUEUES:
            return made
        for name in entry.value.split(","):
            name = name.strip()
            if not name:
                continue
            if "." in name:
                self.draft.error(entry.line, f"{name[:60]!r} has a period, "
                                 "which YARN refuses", dotted(path))
            elif self.draft.queue(path + (name,), entry.line):
                made.append(path + (name,))
        return made

    # ---- who says what ----

    def share_out(self, props: Props) -> None:
        """Each property to its queue, or to what concerns none."""
        names = {dotted(path): path for path in self.draft.queues}
        unlisted: set[str] = set()
        for name, entry in props.items():
            if not name.startswith(PREFIX):
                self.other(name, entry)
                continue
            rest = name[len(PREFIX):]
            path, setting = self.owner(names, rest)
            if path is None:
                self.overall(name, rest, entry)
                continue
            queue, plain = split(setting)
            if not queue:
                self.said.setdefault(path, {})[setting] = entry
                continue
            where = dotted(path) + "." + queue
            if where not in unlisted:
                unlisted.add(where)
                self.draft.warn(entry.line, "is in no list of queues: YARN "
                                "ignores it", where)
            self.draft.extra[name] = entry.value

    def owner(self, names: dict[str, Path],
              rest: str) -> tuple[Path | None, str]:
        """The queue that a property belongs to: the longest that fits."""
        cut = len(rest)
        while (cut := rest.rfind(".", 0, cut)) > 0:
            found = names.get(rest[:cut])
            if found is not None:
                return found, rest[cut + 1:]
        return None, rest

    def overall(self, name: str, rest: str, entry: Entry) -> None:
        """A property of the scheduler as a whole."""
        if any(rest == row.name for row in DEFAULTED):
            self.globals[rest] = entry
            return
        queue, setting = split(rest)
        row, own = OF_SCHEDULER.get(rest), OF_QUEUE.get(setting)
        if row is None and queue and own and own.key:
            self.draft.warn(entry.line, "does not begin at root: YARN ignores "
                            "it", rest)
        elif row is None:
            self.draft.warn(entry.line, "is not known", name)
        else:
            self.rule(row.rule, entry, name)
        if row is CALCULATOR:
            self.calculator = entry
        kept = self.draft.spelled if row and row.fate is not Fate.LOST else \
            self.draft.extra
        kept[name] = entry.value

    def other(self, name: str, entry: Entry) -> None:
        """A property with another prefix: the monitor's knobs are checked."""
        if name.startswith(MONITOR):
            row = OF_MONITOR.get(name[len(MONITOR):])
            if row is None:
                self.draft.warn(entry.line, "is no knob of the preemption "
                                "monitor", name)
            else:
                self.rule(row.rule, entry, name)
        self.draft.extra[name] = entry.value


def read(file: str, data: bytes) -> Configuration:
    """A capacity-scheduler.xml, or the same as JSON."""
    return CapacityReader(file).read(data)


# ---- the view of a running scheduler ----

REST = "capacity-rest"
PLAIN = {"userLimit": "minimum-user-limit-percent",
         "userLimitFactor": "user-limit-factor",
         "maxApplications": "maximum-applications",
         "configuredMaxAMResourceLimit": "maximum-am-resource-percent",
         "orderingPolicyInfo": "ordering-policy", "state": "state",
         "queuePriority": "priority", "maxParallelApps": "max-parallel-apps",
         "maxApplicationLifetime": "maximum-application-lifetime",
         "defaultApplicationLifetime": "default-application-lifetime"}
UNSAID = {"2147483647", "-1", "0"}


class RestReader(CapacityReader):
    """One answer being read."""

    def rest(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        self.draft.form = REST
        try:
            root = json_node(decoded(self.draft, data))
        except BadDocument as bad:
            raise failed(self.draft.file, bad.text, bad.line) from None
        info = root.get("scheduler", "schedulerInfo")
        if info is None or info.get("queueName") is None:
            raise failed(self.draft.file, "has no queues of a capacity "
                         "scheduler")
        props = self.flat(info)
        self.declare(props)
        self.share_out(props)
        self.settle()
        return self.draft.finish()

    def flat(self, info: Node) -> Props:
        """The properties of every queue."""
        props: Props = {}
        todo: list[tuple[str, Node]] = [("root", info)]
        while todo:
            path, node = todo.pop()
            below = [(one.text("queueName") or "", one)
                     for one in (node.get("queues", "queue") or
                                 Node(0)).items()]
            if below:
                props[f"{PREFIX}{path}.queues"] = Entry(
                    ",".join(name for name, _ in below), below[0][1].line)
            for setting, entry in self.settings(node, path == "root"):
                props[f"{PREFIX}{path}.{setting}"] = entry
            todo.extend((f"{path}.{name}", one) for name, one in below)
        return props

    def settings(self, node: Node, root: bool) -> list[tuple[str, Entry]]:
        """Those of one queue, without what is at its default."""
        made = []
        for name, setting in PLAIN.items():
            one = node.get(name)
            if one and isinstance(one.value, str) and \
                    one.value not in UNSAID:
                made.append((setting, Entry(one.value, one.line)))
        if node.text("preemptionDisabled") == "true":
            made.append(("disable_preemption", Entry("true", node.line)))
        labels = [one.value for one in (node.get("nodeLabels") or
                                        Node(0)).items()
                  if isinstance(one.value, str)]
        if labels:
            made.append(("accessible-node-labels",
                         Entry(",".join(labels), node.line)))
        if not root:
            made += self.sizes(node)
        return made

    def sizes(self, node: Node) -> list[tuple[str, Entry]]:
        """Capacity and maximum, in the mode that the queue has."""
        line = (node.get("capacity") or node).line
        mode = node.text("mode") or ""
        if mode == "absolute":
            return self.absolute(node, line)
        said = node.text("weight" if mode == "weight" else "capacity") or "?"
        made = [("capacity", Entry(single(said) + "w" * (mode == "weight"),
                                   line))]
        most = node.get("maxCapacity")
        if most and isinstance(most.value, str):
            made.append(("maximum-capacity", Entry(single(most.value),
                                                   most.line)))
        return made

    def absolute(self, node: Node, line: int) -> list[tuple[str, Entry]]:
        """Amounts, as they were configured for nodes without a label."""
        made = []
        for one in (node.get("capacities", "queueCapacitiesByPartition") or
                    Node(0)).items():
            if one.text("partitionName"):
                continue
            for name, setting in (("configuredMinResource", "capacity"),
                                  ("configuredMaxResource",
                                   "maximum-capacity")):
                memory = one.text(name, "memory")
                cores = one.text(name, "vCores")
                if memory and cores and (setting == "capacity" or
                                         memory != "0"):
                    made.append((setting, Entry(
                        f"[memory={memory},vcores={cores}]", line)))
        return made


def single(text: str) -> str:
    """A percentage that went through single precision, as it was before:
    60.000004 is 60."""
    value = fraction(text)
    if value is None:
        return text
    return decimal(Fraction(round(value * 10000), 10000))


def read_rest(file: str, data: bytes) -> Configuration:
    """An answer of the REST API."""
    return RestReader(file).rest(data)
