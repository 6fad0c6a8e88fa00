"""One queue of a fair-scheduler.xml: elements become settings of the tree. An
element that the tree has no word for stays in `extra` by its own name."""

from __future__ import annotations

from fractions import Fraction

from ....enums import FaultCode, Severity
from ...files import OPEN
from ...model import Fidelity, QueueSpec
from ...values import duration, fraction, part, whole
from ..draft import Draft, Path, dotted
from ..markup import Element, written
from .resources import (CLASSES, DEFAULTS, KEPT, OLD_NAMES, POLICIES,
                        SAME_NAMES, SLOTS, TIMES, BadResource, Resource,
                        resource, unit_of)
from .settings import AM_SHARE, POLICY

INT_MAX = (1 << 31) - 1


def is_queue(element: Element, top: bool = False) -> bool:
    """YARN takes any ending of "queue" for one inside queues."""
    tags = ("queue", "pool") if top else ("queue", "ueue", "eue", "ue", "e",
                                          "pool")
    return element.tag in tags



def keep(extra: dict[str, str], element: Element) -> None:
    """Keeps an element under its name: its text, or, where there is more to
    it, itself as XML."""
    name, again = element.tag, 1
    while name in extra:
        again += 1
        name = f"{element.tag}#{again}"
    plain = not element.children and not element.attributes
    text = element.text
    extra[name] = text if plain and not text.startswith("<") \
        else written(element)


class FairQueues:
    """The queues of one file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft("fair-scheduler", file, {})
        self.draft.severity = {
            FaultCode.GUARANTEE_ABOVE_PARENT: Severity.WARNING,
            FaultCode.PARTS_SUM: None, FaultCode.PARTS_MIXED: None}
        self.old: set[str] = set()
        self.globals: dict[str, tuple[str, int]] = {}
        self.policy = "fair"
        self.am_share: str | None = None
        self.hadoop1 = False
        #: Which part of the cluster a bound is, where parts alone say it.
        self.reach: dict[tuple[Path, str], Fraction | None] = {
            ((), "limit"): Fraction(1), ((), "guarantee"): Fraction(1)}

    def known_name(self, element: Element) -> str:
        """An element's name as YARN has it today."""
        if element.tag in OLD_NAMES and element.tag not in self.old:
            self.old.add(element.tag)
            self.draft.warn(element.line, "a name of Hadoop 1, which YARN "
                            f"ignores: it has {OLD_NAMES[element.tag]}",
                            element.tag)
        return OLD_NAMES.get(element.tag,
                             SAME_NAMES.get(element.tag, element.tag))

    def stray(self, element: Element, where: str) -> None:
        """Text between the elements of a queue or of the whole."""
        text = element.text.strip()
        if text and element.children:
            self.draft.warn(element.line, "text that means nothing here: "
                            f"{text[:60]!r}", where)

    def settings(self, spec: QueueSpec, element: Element, parent: bool,
                 above: str | None) -> str | None:
        """What a queue is told; its policy."""
        parent |= element.attributes.get("type") == "parent"
        if parent and not any(is_queue(e) for e in element.children) and \
                len(spec.path) > 1:
            spec.spelled["@type"] = "parent"
        self.stray(element, dotted(spec.path))
        said, all_said = self.elements(spec, element)
        self.root_defaults(spec, said)
        above_limit = self.reach.get((spec.path[:-1], "limit"))
        self.reach[spec.path, "limit"] = above_limit
        if len(spec.path) == 1:
            self.reach[spec.path, "guarantee"] = Fraction(1)
        policy = self.order(spec, said.pop("schedulingPolicy", None), parent,
                            above)
        given = {id(child) for _, child in all_said}
        for name, child in all_said + [
                pair for pair in said.items() if id(pair[1]) not in given]:
            self.setting(spec, name, child, parent)
        self.unsaid(spec, said, parent)
        return policy

    def elements(self, spec: QueueSpec, element: Element) -> tuple[
            dict[str, Element], list[tuple[str, Element]]]:
        """What a queue says by name, the last of each; and all of it but its
        policy, in order, so that what does not hold is checked too."""
        said: dict[str, Element] = {}
        everything = []
        for child in element.children:
            if is_queue(child) or OPEN in child.text:
                continue
            name = self.known_name(child)
            if name in said:
                self.draft.warn(child.line, f"{child.tag} is said twice: the "
                                "last holds", dotted(spec.path))
            said[name] = child
            if name != "schedulingPolicy":
                everything.append((name, child))
        return said, everything

    def root_defaults(self, spec: QueueSpec, said: dict[str, Element]) -> None:
        """The root takes what the defaults say of preemption."""
        if len(spec.path) > 1:
            return
        for name, own in DEFAULTS.items():
            if name in self.globals and own not in said:
                text, line = self.globals[name]
                said[own] = Element(name, line, pieces=[text])

    def unsaid(self, spec: QueueSpec, said: dict[str, Element],
               parent: bool) -> None:
        """The defaults of what a queue does not say."""
        if "maxRunningApps" not in said and \
                "queueMaxAppsDefault" in self.globals and \
                (len(spec.path) > 1 or not self.hadoop1):
            text, line = self.globals["queueMaxAppsDefault"]
            value = whole(text)
            if value is not None and 0 <= value <= INT_MAX:
                self.draft.say(spec, "max_running", str(value), line,
                               Fidelity.DERIVED)
        if "maxResources" not in said and len(spec.path) > 1 and \
                "queueMaxResourcesDefault" in self.globals:
            text, line = self.globals["queueMaxResourcesDefault"]
            self.bound(spec, "limit", "maxResources", text, line,
                       Fidelity.DERIVED)
        if "maxAMShare" not in said and not parent and self.am_share \
                and not self.hadoop1:
            if "queueMaxAMShareDefault" in self.globals:
                self.draft.say(spec, "am_share", self.am_share, spec.line,
                               Fidelity.DERIVED)
            else:
                self.draft.fill(spec, AM_SHARE)

    def setting(self, spec: QueueSpec, name: str, element: Element,
                parent: bool) -> None:
        """One element of a queue."""
        text, line, where = element.text.strip(), element.line, \
            dotted(spec.path)
        if name in KEPT or element.children:
            if name not in KEPT or name == "queuePlacementPolicy":
                self.draft.warn(line, f"YARN knows no {element.tag} in a "
                                "queue", where)
            keep(spec.extra, element)
            if name.startswith("acl") and not element.text:
                self.draft.error(line, f"{name} is empty, which YARN cannot "
                                 "read", where)
        elif name in ("minResources", "maxResources"):
            key = "guarantee" if name == "minResources" else "limit"
            self.bound(spec, key, name, text, line)
        elif name == "weight":
            self.weight(spec, text, line)
        elif name == "maxRunningApps":
            value = self.integer(text, line, f"{where}: {element.tag}")
            if value is not None and value < INT_MAX:
                self.draft.say(spec, "max_running", str(value), line)
        elif name == "maxAMShare":
            share = self.share(text, line, f"{where}: {name}")
            if parent:
                self.draft.warn(line, f"{name} is for leaves", where)
                keep(spec.extra, element)
            elif share:
                self.draft.say(spec, "am_share", share, line)
        elif name in TIMES:
            self.time(spec, TIMES[name], element)
        elif name == "fairSharePreemptionThreshold":
            cut = self.clamped(text, line, f"{where}: {element.tag}")
            if cut is not None:
                self.say_part(spec, "preempt_fair_threshold", cut, line)
        elif name == "allowPreemptionFrom":
            self.preemption(spec, text, line)
        elif name in SLOTS:
            self.slots(spec, name, text, line)
        else:
            self.draft.warn(line, f"YARN knows no {element.tag} in a queue",
                            where)
            keep(spec.extra, element)

    # ---- values ----

    def integer(self, text: str, line: int, where: str) -> int | None:
        """A number of applications."""
        value = whole(text)
        if value is None:
            self.draft.error(line, f"{text[:60]!r} is no whole number", where)
        elif not 0 <= value <= INT_MAX:
            self.draft.error(line, f"{text[:60]} is not 0 to {INT_MAX}", where)
        else:
            return value
        return None

    def share(self, text: str, line: int, where: str) -> str | None:
        """A part for masters; -1: no check."""
        value = fraction(text)
        if value is None:
            self.draft.error(line, f"{text[:60]!r} is no number", where)
        elif value == -1:
            return "unlimited"
        elif value < 0:
            self.draft.error(line, f"{text[:60]} is neither 0 to 1 nor -1",
                             where)
        else:
            if value > 1:
                self.draft.warn(line, f"{text[:60]} is not 0 to 1: YARN takes "
                                "1", where)
            return part(min(value, Fraction(1)))[0]
        return None

    def clamped(self, text: str, line: int, where: str) -> Fraction | None:
        """A threshold; what is beyond 0 to 1 is cut, as YARN does."""
        value = fraction(text)
        if value is None:
            self.draft.error(line, f"{text[:60]!r} is no number", where)
            return None
        cut = min(max(value, Fraction(0)), Fraction(1))
        if cut != value:
            hint = "; are seconds meant?" if value > 1 else ""
            self.draft.warn(line, f"{text[:60]} is no fraction of 0 to 1: "
                            f"YARN takes {cut}{hint}", where)
        return cut

    def say_part(self, spec: QueueSpec, key: str, value: Fraction,
                 line: int) -> None:
        """A ratio, to a millionth."""
        said, exact = part(value)
        self.draft.say(spec, key, said, line,
                       Fidelity.EXACT if exact else Fidelity.DERIVED)

    def time(self, spec: QueueSpec, key: str, element: Element) -> None:
        """A time-out in seconds; -1: as above."""
        text = element.text.strip()
        value = whole(text)
        where = f"{dotted(spec.path)}: {element.tag}"
        if value is None:
            self.draft.error(element.line, f"{text[:60]!r} is no whole number "
                             "of seconds", where)
        elif value < -1:
            self.draft.error(element.line, f"{text[:60]} s is negative", where)
        elif value >= 0:
            self.draft.say(spec, key, duration(Fraction(value)) or "0",
                           element.line)

    def weight(self, spec: QueueSpec, text: str, line: int) -> None:
        """A weight among siblings."""
        value = fraction(text)
        where = f"{dotted(spec.path)}: weight"
        if value is None:
            self.draft.error(line, f"{text[:60]!r} is no number", where)
        elif value < 0:
            self.draft.error(line, f"{text[:60]} is negative", where)
        else:
            self.draft.weights[spec.path] = value
            self.draft.lines[spec.path, "weight"] = line

    def preemption(self, spec: QueueSpec, text: str, line: int) -> None:
        """May others take from here? Anything but true is no."""
        if text.lower() not in ("true", "false"):
            self.draft.warn(line, f"allowPreemptionFrom {text[:60]!r}: YARN "
                            "takes false", dotted(spec.path))
        self.draft.say(spec, "preempt_from",
                       "yes" if text.lower() == "true" else "no", line)

    def slots(self, spec: QueueSpec, name: str, text: str, line: int) -> None:
        """Map and reduce slots of Hadoop 1."""
        key, kind = SLOTS[name]
        value = self.integer(text, line, f"{dotted(spec.path)}: {name}")
        if value is not None:
            self.draft.kind(kind, "1")
            said = self.draft.vectors.get((spec.path, key), {})
            self.draft.say_amounts(spec, key, {**said, kind: value}, line)

    def bound(self, spec: QueueSpec, key: str, name: str, text: str,
              line: int, how: Fidelity = Fidelity.EXACT) -> None:
        """minResources or maxResources."""
        where = f"{dotted(spec.path)}: {name}"
        try:
            said = resource(text)
        except BadResource as error:
            self.draft.error(line, f"{text[:60]!r} {error}", where)
            return
        if said.cut:
            self.draft.warn(line, f"{text[:60]!r}: YARN drops what is behind "
                            "the point", where)
        parts = set(said.parts.values())
        if said.every is None and len(parts) == 1 and \
                set(said.parts) == {"cpu", "memory"}:
            said.every = parts.pop()
        if said.every is not None:
            self.part(spec, key, name, text, said.every, line)
        elif said.parts:
            self.draft.warn(line, f"{text[:60]!r}: a percentage for each "
                            "resource is kept, the tree has one for all",
                            where)
            spec.extra[name] = text
        else:
            none = [kind for kind in ("memory", "cpu")
                    if key == "limit" and said.amounts.get(kind) == 0]
            if none and not self.hadoop1:
                self.draft.warn(line, f"{text[:60]!r} is 0 of {none[0]}: YARN "
                                "starts no container here", where)
            self.amounts(spec, key, said, line, how)

    def amounts(self, spec: QueueSpec, key: str, said: Resource, line: int,
                how: Fidelity) -> None:
        """Amounts of each kind."""
        self.reach[spec.path, key] = None
        for kind in said.amounts:
            self.draft.kind(kind, unit_of(kind))
        self.draft.say_amounts(spec, key, dict(said.amounts), line, how)

    def part(self, spec: QueueSpec, key: str, name: str, text: str,
             value: Fraction, line: int) -> None:
        """A percentage of the cluster, as one of what the queue above has."""
        where = f"{dotted(spec.path)}: {name}"
        above = self.reach.get((spec.path[:-1], key))
        value = min(value, Fraction(1))
        self.reach[spec.path, key] = value
        if above is None or above == 0 or key == "guarantee" and value > above:
            self.draft.warn(line, f"{text[:60]!r} is a part of the cluster, "
                            "and the queue above has none: it is kept", where)
            spec.extra[name] = text
            return
        said, exact = part(min(value / above, Fraction(1)))
        if not exact:
            self.draft.warn(line, f"{text[:60]!r} of the cluster is about "
                            f"{said} of what the queue above has", where)
            spec.spelled[name] = text
        self.draft.say(spec, key, said, line, Fidelity.EXACT if exact and
                       len(spec.path) < 3 else Fidelity.DERIVED)

    # ---- policies ----

    def policy_of(self, text: str, line: int, where: str) -> str | None:
        """A policy by its name or its class."""
        low = text.strip().lower()
        found = POLICIES.get(low) or CLASSES.get(low.rpartition(".")[2])
        if found is None:
            self.draft.error(line, f"{text[:60]!r} is no policy: fair, fifo, "
                             "drf", where)
        return found

    def order(self, spec: QueueSpec, element: Element | None, parent: bool,
              above: str | None) -> str:
        """The policy of a queue: how a parent orders its children, and a leaf
        its applications. A queue that says none has the default, not that of
        the queue above."""
        where, how = dotted(spec.path), Fidelity.EXACT
        line = element.line if element else spec.line
        policy = self.policy_of(element.text, line, where) if element else None
        if policy is None:
            policy, how = self.policy, Fidelity.DERIVED
            if element is None and not self.hadoop1 and \
                    "defaultQueueSchedulingPolicy" not in self.globals:
                self.draft.fill(spec, POLICY, " ")
        if policy == "fair" and not self.hadoop1:
            self.draft.differ(POLICY, line)
        if above == "fair" and policy == "drf":
            self.draft.error(line, "drf under fair, which YARN refuses", where)
        if "@type" in spec.spelled:
            if element:
                keep(spec.spelled, element)
            return policy
        if parent and policy == "fifo":
            self.draft.error(line, "fifo is for leaves", where)
            policy, how = self.policy, Fidelity.DERIVED
        if parent:
            self.draft.say(spec, "order", policy, line, how)
            if policy == "fair" and not self.hadoop1:
                self.draft.say(spec, "fair_kind", "memory", line,
                               Fidelity.DERIVED)
        else:
            self.leaf_order(spec, policy, line, how)
        return policy

    def leaf_order(self, spec: QueueSpec, policy: str, line: int,
                   how: Fidelity) -> None:
        """Applications of a leaf: `fair` there looks at memory alone, where
        ours looks at the dominant kind as drf does."""
        if policy == "fair":
            spec.spelled["schedulingPolicy"] = "fair"
            how = Fidelity.DERIVED
        self.draft.say(spec, "apps", "fifo" if policy == "fifo" else "fair",
                       line, how)
