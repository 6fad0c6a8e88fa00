"""Queues of Armada: one priority factor each."""

from __future__ import annotations

from fractions import Fraction

from ..files import failed
from ..model import Configuration
from ..values import fraction
from . import kube
from .draft import Draft
from .markup import Node
from .settings import Fate, Lookup, Setting

FORM = "armada"
GROUP = "armadaproject.io"
MAPPED, NOTED, LOST, UNUSED = Fate.MAPPED, Fate.NOTED, Fate.LOST, Fate.UNUSED
S = Setting
#: A Queue as armadactl reads it, of Armada 0.20, and the scheduler's
#: configuration as it comes.
ROWS = [
    S("name", "a queue", "none: refused", MAPPED, "the path"),
    S("priorityFactor", "a queue", "none: refused", MAPPED, "weight"),
    S("cordoned", "a queue", "false", MAPPED, "state", sample="true",
      gives="state=draining"),
    S("(order of queues)", "the scheduler", "dominant share over weight",
      MAPPED, "order", fills="order=drf"),
    S("(order of jobs)", "a queue", "priority class, then priority, then time",
      MAPPED, "apps", fills="apps=priority"),
    S("resourceLimitsByPriorityClassName", "a queue", "none", LOST,
      sample="{armada-default: {maximumResourceFraction: {cpu: 0.5}}}",
      note="a bound on the jobs of one priority class: limits of the engine"),
    S("permissions", "a queue", "none", LOST, "", sample="[{verbs: [submit]}]",
      note="who may submit"),
    S("userOwners", "a queue", "none", LOST, sample="[u]"),
    S("groupOwners", "a queue", "none", LOST, sample="[g]"),
    S("retryPolicies", "a queue", "none", LOST, sample="[p]"),
    S("resourceLimits", "a queue", "none", UNUSED, sample="{cpu: 0.2}"),
    S("labels", "a queue", "none", UNUSED, sample="{a: b}")]
ROW = {row.name: row for row in ROWS}
KNOWN = Lookup(ROWS)
READ = {"name", "priorityfactor", "cordoned", "apiversion", "kind"}


class ArmadaReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m", "memory": "B", "gpu": "m"})

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        found = [one for one in kube.documents(self.draft, data, {"Queue"})
                 if one.text("kind") == "Queue"]
        if not found:
            raise failed(self.draft.file, "has no queue of Armada")
        root = self.draft.queue(("root",), found[0].line)
        assert root is not None
        self.draft.fill(root, ROW["(order of queues)"])
        for one in found:
            self.queue(one)
        return self.draft.finish()

    def queue(self, node: Node) -> None:
        """One queue."""
        draft = self.draft
        name = node.text("name") or ""
        spec = draft.queue(("root", name), node.line)
        if spec is None:
            return
        kube.twice(draft, node, name)
        draft.fill(spec, ROW["(order of jobs)"])
        factor = node.get("priorityFactor")
        text = factor.value if factor and isinstance(factor.value, str) \
            else ""
        value = fraction(text)
        if value is None or not 1 <= value < 1 << 32:
            draft.error((factor or node).line, f"{text[:60]!r} is no priority "
                        "factor of 1 or more: Armada refuses the queue", name)
        else:
            draft.weights[spec.path] = Fraction(1) / value
            draft.lines[spec.path, "weight"] = (factor or node).line
        state = node.get("cordoned")
        if state and state.value not in ("true", "false"):
            draft.error(state.line, "cordoned is neither true nor false", name)
        elif state and state.value == "true":
            draft.say(spec, "state", "draining", state.line)
        for key, one in node.pairs():
            if key.lower() not in READ:
                row = KNOWN.get(key)
                if row is None:
                    draft.warn(one.line, "Armada knows no such setting",
                               f"{name}: {key[:60]}")
                kept = spec.spelled if row and row.fate is UNUSED else \
                    spec.extra
                kept.update(kube.leaves(one, key))


def read(file: str, data: bytes) -> Configuration:
    """Queues of Armada."""
    return ArmadaReader(file).read(data)
