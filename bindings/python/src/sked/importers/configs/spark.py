"""Pools of Spark: the fairscheduler.xml of one application. Pools share its
cores, and what is shared are the tasks of its jobs."""

from __future__ import annotations

from fractions import Fraction

from ..files import failed, filled
from ..model import Configuration, QueueSpec
from ..values import whole
from .draft import Draft, dotted
from .markup import Element, parse
from .settings import Fate, Lookup, Setting

FORM = "spark-pools"
MAPPED, NOTED, LOST, UNUSED = Fate.MAPPED, Fate.NOTED, Fate.LOST, Fate.UNUSED
S = Setting
#: FairSchedulableBuilder of Spark 4.0.
ROWS = [
    S("weight", "a pool", "1", MAPPED, "weight", sample="3",
      gives="weight=3"),
    S("minShare", "a pool", "0", MAPPED, "guarantee", sample="2",
      gives="guarantee=cpu=2"),
    S("schedulingMode", "a pool", "FIFO", MAPPED, "apps",
      fills="apps=fifo", sample="FAIR", gives="apps=fair"),
    S("(order of pools)", "the application", "FAIR",
      MAPPED, "order fair_kind", fills="order=fair fair_kind=cpu"),
    S("(pool named default)", "the application", "FIFO, weight 1, minShare 0",
      MAPPED, "apps", fills="apps=fifo")]
ROW = {row.name: row for row in ROWS}
KNOWN = Lookup(ROWS, "a pool")
MODES = {"FIFO": "fifo", "FAIR": "fair"}
OTHERS = (b"<minMaps", b"<maxMaps", b"<minReduces", b"<maxReduces",
          b"<maxRunning", b"<queue", b"<user", b"<maxResources",
          b"<minResources", b"PreemptionTimeout")


class PoolsReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m"})

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        text, variables = filled(data.removeprefix(b"\xef\xbb\xbf"))
        document = parse(text.lstrip())
        if document.root is None:
            line, reason = document.faults[0]
            raise failed(self.draft.file, reason, line)
        for line, reason in document.faults:
            self.draft.error(line, reason)
        self.draft.unfilled(variables)
        root = self.draft.queue(("root",), document.root.line)
        assert root is not None
        self.draft.fill(root, ROW["(order of pools)"])
        for element in document.root.children:
            if element.tag == "pool":
                self.pool(element)
            else:
                self.draft.warn(element.line, f"Spark knows no {element.tag} "
                                "here")
        if ("root", "default") not in self.draft.queues:
            spec = self.draft.queue(("root", "default"), root.line)
            assert spec is not None
            self.draft.fill(spec, ROW["(pool named default)"])
        return self.draft.finish()

    def pool(self, element: Element) -> None:
        """One pool."""
        name = element.attributes.get("name", "")
        spec = self.draft.queue(("root", name), element.line)
        if spec is None:
            return
        said: dict[str, Element] = {}
        for child in element.children:
            row = KNOWN.get(child.tag)
            if row is None or row.name != child.tag:
                self.draft.warn(child.line, f"Spark knows no {child.tag} in a "
                                "pool", name)
                spec.extra[child.tag] = child.text.strip()
            elif child.tag in said:
                self.draft.error(child.line, f"{child.tag} is said twice",
                                 name)
            else:
                said[child.tag] = child
        self.mode(spec, said.get("schedulingMode"))
        weight = self.number(spec, said.get("weight"))
        if weight is not None:
            self.draft.weights[spec.path] = Fraction(weight)
            self.draft.lines[spec.path, "weight"] = said["weight"].line
        least = self.number(spec, said.get("minShare"))
        if least:
            self.draft.say_amounts(spec, "guarantee", {"cpu": least * 1000},
                                   said["minShare"].line)

    def mode(self, spec: QueueSpec, element: Element | None) -> None:
        """How jobs of a pool are ordered."""
        text = element.text.strip().upper() if element else ""
        if element and text not in MODES:
            self.draft.warn(element.line, f"{text[:60]!r} is no mode: Spark "
                            "takes FIFO", dotted(spec.path))
        if element and text in MODES:
            self.draft.say(spec, "apps", MODES[text], element.line)
        else:
            self.draft.fill(spec, ROW["schedulingMode"])

    def number(self, spec: QueueSpec, element: Element | None) -> int | None:
        """A whole number of 0 or more; Spark takes its default for others."""
        value = whole(element.text) if element else None
        if element and (value is None or not 0 <= value < 1 << 31):
            self.draft.warn(element.line, f"{element.text.strip()[:60]!r} is "
                            "no whole number: Spark takes its default",
                            f"{dotted(spec.path)}: {element.tag}")
            return None
        return value


def sniff(name: str, head: bytes) -> bool:
    """Pools, and nothing that only YARN or Hadoop 1 has."""
    return b"<pool" in head and not any(word in head for word in OTHERS) and (
        b"<minShare" in head or b"fairscheduler" in name.lower().encode())


def read(file: str, data: bytes) -> Configuration:
    """Pools of Spark."""
    return PoolsReader(file).read(data)
