"""The scheduler's own view of its queues, /ws/v1/cluster/scheduler: read as
if it were the properties that it came from."""

from __future__ import annotations

from fractions import Fraction

from ..seam import Configuration
from .cap_names import PREFIX
from .cap_props import Entry, Props, decoded
from .cap_read import CapacityReader
from .node import BadDocument, Node, json_node
from .source import failed
from .values import decimal, fraction

FORM = "capacity-rest"
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
        self.draft.form = FORM
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


def read(file: str, data: bytes) -> Configuration:
    """An answer of the REST API."""
    return RestReader(file).rest(data)
