"""fair-scheduler.xml from any configuration. What came from such a file is
written back under its own names; what YARN has no word for is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from ....schema import Schema
from ...model import Configuration, QueueSpec
from ..draft import Path, dotted
from .resources import spelled
from ...values import decimal, ratio, seconds
from ..markup import parse, tag, xml

FORM = "fair-scheduler"
TIMES = {"preempt_min_timeout": "minSharePreemptionTimeout",
         "preempt_fair_timeout": "fairSharePreemptionTimeout"}
NAME = re.compile(r"[A-Za-z_][\w.-]*")
ACLS = {"acl_submit_applications": "aclSubmitApps",
        "acl_administer_queue": "aclAdministerApps"}
NEVER = (1 << 63) // 1000000


class FairWriter:
    """One configuration being written."""

    def __init__(self, config: Configuration) -> None:
        self.config = config
        self.schema = Schema(config.kinds)
        self.own = config.form == FORM
        self.lost: list[str] = []
        self.parents = {spec.path[:-1] for spec in config.queues}
        self.reach: dict[tuple[Path, str], Fraction | None] = {
            ((), "limit"): Fraction(1), ((), "guarantee"): Fraction(1)}
        self.policies: dict[Path, str] = {}

    def lose(self, spec: QueueSpec, what: str) -> None:
        """Notes what cannot be said."""
        self.lost.append(f"{dotted(spec.path)}: {what}")

    def write(self) -> str:
        """The whole file."""
        lines = ['<?xml version="1.0"?>', "<allocations>"]
        depth = 0
        for spec in self.config.queues:
            while depth >= len(spec.path):
                lines.append("  " * depth + "</queue>")
                depth -= 1
            depth += 1
            lines.append("  " * depth + self.opening(spec))
            lines += ["  " * (depth + 1) + one for one in self.inner(spec)]
        for level in range(depth, 0, -1):
            lines.append("  " * level + "</queue>")
        lines += ["  " + one for one in self.tail()]
        return "\n".join([*lines, "</allocations>", ""])

    def opening(self, spec: QueueSpec) -> str:
        """The tag of a queue."""
        name = spec.path[-1] if len(spec.path) > 1 else "root"
        if name != spec.path[-1]:
            self.lose(spec, "the root is named root")
        if "." in name or name != name.strip():
            self.lose(spec, "its name, which YARN does not take")
        kind = ' type="parent"' if spec.spelled.get("@type") else ""
        return f'<queue name="{xml(name, True)}"{kind}>'

    def inner(self, spec: QueueSpec) -> Iterator[str]:
        """The elements of a queue."""
        said = dict(spec.settings)
        if len(self.config.queues) == 1 and not self.slots():
            for key in ("apps", "am_share"):
                if said.pop(key, None):
                    self.lose(spec, f"{key}: YARN has a queue default below")
            self.parents.add(spec.path)
        for key, name in (("guarantee", "minResources"),
                          ("limit", "maxResources")):
            yield from self.bound(spec, key, name, said.pop(key, None))
        if "weight" in said:
            yield tag("weight", said.pop("weight"))
        if "max_running" in said:
            value = said.pop("max_running")
            if value != "unlimited":
                yield tag("maxRunningApps", value)
        yield from self.share(spec, said.pop("am_share", None))
        yield from self.policy(spec, said)
        yield from self.preemption(spec, said)
        for key in said:
            self.lose(spec, key)
        yield from self.kept(spec)

    def bound(self, spec: QueueSpec, key: str, name: str,
              value: str | None) -> Iterator[str]:
        """minResources, maxResources: as they were spelled where that was
        kept, else amounts, or parts of the cluster."""
        above = self.reach.get((spec.path[:-1], key))
        self.reach[spec.path, key] = above if key == "limit" or \
            len(spec.path) == 1 else None
        kept = spec.spelled.get(name, spec.extra.get(name)) \
            if self.own else None
        if kept is not None:
            yield tag(name, kept)
            self.reach[spec.path, key] = None
        elif value and value.endswith("%"):
            yield from self.part(spec, key, name, value, above)
        elif value:
            self.reach[spec.path, key] = None
            yield from self.amounts(spec, key, name, value)

    def part(self, spec: QueueSpec, key: str, name: str, value: str,
             above: Fraction | None) -> Iterator[str]:
        """A part of the queue above as one of the cluster."""
        if above is None:
            self.lose(spec, f"{key}={value}: YARN takes parts of the cluster "
                      "only, and the queue above has amounts")
            return
        whole = Fraction(value[:-1]) / 100 * above
        self.reach[spec.path, key] = whole
        text = decimal(whole * 100)
        if Fraction(text) != whole * 100:
            self.lose(spec, f"{key}={value}: about {text}% of the cluster")
        yield tag(name, text + "%")

    def amounts(self, spec: QueueSpec, key: str, name: str,
                value: str) -> Iterator[str]:
        """Amounts in YARN's units; slots where the kinds are those."""
        bounded = key == "limit"
        said = self.schema.named(self.schema.vec(
            value, (1 << 63) - 1 if bounded else 0))
        amounts = {kind: None if one >= 1 << 62 else one
                   for kind, one in said.items()}
        if set(amounts) <= {"maps", "reduces"}:
            for kind, one in amounts.items():
                if one is not None and (one or bounded):
                    yield tag(("max" if bounded else "min") + kind.title(),
                              str(one))
            return
        missing = None if bounded else 0
        left = {kind: one for kind, one in amounts.items() if one != missing}
        text = spelled(left)
        if text is None:
            self.lose(spec, f"{key}={value}: finer than YARN's units")
        else:
            yield tag(name, text)

    def share(self, spec: QueueSpec, value: str | None) -> Iterator[str]:
        """maxAMShare of a leaf: YARN has 0.5 where ours has no bound."""
        if spec.path in self.parents or "@type" in spec.spelled:
            if value is not None:
                self.lose(spec, "am_share of a parent")
        elif not self.slots():
            part = ratio(value or "unlimited")
            yield tag("maxAMShare", "-1" if part is None else decimal(part))

    def slots(self) -> bool:
        """A file of Hadoop 1."""
        return set(self.schema.names) <= {"maps", "reduces"}

    def policy(self, spec: QueueSpec, said: dict[str, str]) -> Iterator[str]:
        """schedulingPolicy."""
        order, apps = said.pop("order", "drf"), said.pop("apps", "fifo")
        kind = said.pop("fair_kind", None)
        if "@type" in spec.spelled:
            return
        if spec.path in self.parents:
            found = order if order in ("fair", "drf") else "drf"
            if found != order:
                self.lose(spec, f"order={order}: drf instead")
            if found == "fair" and kind not in (None, "memory"):
                self.lose(spec, f"fair_kind={kind}: memory instead")
        else:
            found = self.leaf_policy(spec, apps)
        self.policies[spec.path] = found
        yield tag("schedulingPolicy", found)

    def leaf_policy(self, spec: QueueSpec, apps: str) -> str:
        """That of a leaf; drf is not allowed under fair."""
        if apps not in ("fifo", "fair"):
            self.lose(spec, f"apps={apps}: fifo instead")
        if apps != "fair":
            return "fifo"
        if self.own and spec.spelled.get("schedulingPolicy") == "fair":
            return "fair"
        if self.policies.get(spec.path[:-1]) == "fair":
            self.lose(spec, "apps=fair: by memory alone")
            return "fair"
        return "drf"

    def preemption(self, spec: QueueSpec,
                   said: dict[str, str]) -> Iterator[str]:
        """Time-outs, threshold, and who may be preempted."""
        for key, name in TIMES.items():
            if key in said:
                value = seconds(said.pop(key))
                whole = NEVER if value is None else value
                if whole.denominator != 1:
                    self.lose(spec, f"{key}: parts of a second")
                yield tag(name, str(round(whole)))
        if "preempt_fair_threshold" in said:
            value = ratio(said.pop("preempt_fair_threshold"))
            yield tag("fairSharePreemptionThreshold", decimal(value or
                                                              Fraction(0)))
        if "preempt_from" in said:
            yield tag("allowPreemptionFrom", "false" if
                      said.pop("preempt_from") == "no" else "true")

    def kept(self, spec: QueueSpec) -> Iterator[str]:
        """What was kept of such a file; what came from others is lost."""
        done = {"@type", "minResources", "maxResources"}
        if "@type" not in spec.spelled:
            done.add("schedulingPolicy")
        for key, value in {**(spec.spelled if self.own else {}),
                           **spec.extra}.items():
            if self.own and key not in done:
                yield element(key, value)
            elif not self.own and key in ACLS:
                yield element(ACLS[key], value)
            elif not self.own:
                self.lose(spec, key)

    def tail(self) -> Iterator[str]:
        """What concerns no queue."""
        users: dict[str, list[str]] = {}
        for key, value in self.config.extra.items():
            if not self.own:
                self.lost.append(key)
            elif key.startswith("user."):
                name, _, what = key[5:].rpartition(".")
                users.setdefault(name, []).append(element(what, value))
            else:
                yield element(key, value)
        for name, inner in users.items():
            yield f'<user name="{xml(name, True)}">{"".join(inner)}</user>'


def element(key: str, value: str) -> str:
    """What was kept: text, or an element as it stands."""
    if value.startswith("<") and not parse(value.encode()).faults:
        return value
    name = key.partition("#")[0]
    return tag(name if NAME.fullmatch(name) else "unknown", value)


def write(config: Configuration) -> tuple[str, list[str]]:
    """The text of the file, and what it could not say."""
    writer = FairWriter(config)
    return writer.write(), writer.lost
