"""capacity-scheduler.xml (or the JSON of the REST API) from any configuration.
What came from such a file is written back under its own names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction

from ....schema import Schema
from ...model import Configuration, QueueSpec, bare
from ...values import decimal, ratio
from ..draft import Path, dotted
from ..markup import tag
from .properties import PREFIX, percent_text, percents, vector_text
from .queues import SLACK

OWN = ("capacity-scheduler", "capacity-rest")
ACLS = {"aclSubmitApps": "acl_submit_applications",
        "aclAdministerApps": "acl_administer_queue"}
ORDERS = {"utilisation": "utilization", "priority": "priority-utilization"}


class CapacityWriter:
    """One configuration being written."""

    def __init__(self, config: Configuration) -> None:
        self.config = config
        self.schema = Schema(config.kinds)
        self.own = config.form in OWN
        self.lost: list[str] = []
        self.below: dict[Path, list[QueueSpec]] = {}
        for spec in config.queues:
            self.below.setdefault(spec.path[:-1], []).append(spec)
        self.capacities: dict[Path, str] = {}

    def lose(self, spec: QueueSpec, what: str) -> None:
        """Notes what cannot be said."""
        self.lost.append(f"{dotted(spec.path)}: {what}")

    def entries(self) -> Iterator[tuple[str, str]]:
        """Every property, by name and value."""
        root = self.config.queues[0].path[:1] if self.config.queues else ()
        if root not in ((), ("root",)):
            self.lost.append(f"{root[0]}: the root is named root")
        for spec in self.config.queues:
            path = ".".join(("root", *spec.path[1:]))
            for name, value in self.queue(spec):
                yield f"{PREFIX}{path}.{name}", value
        for name, value in self.config.extra.items():
            if self.own:
                yield name, value
            else:
                self.lost.append(name)
        if self.own:
            yield from self.config.spelled.items()

    def queue(self, spec: QueueSpec) -> Iterator[tuple[str, str]]:
        """Those of one queue."""
        said = dict(spec.settings)
        below = self.below.get(spec.path, [])
        if any(c in spec.path[-1] for c in ".,") or \
                spec.path[-1] != spec.path[-1].strip():
            self.lose(spec, "its name, which YARN does not take")
        if below:
            yield "queues", ",".join(one.path[-1] for one in below)
            self.group(spec, below)
        yield from self.capacity(spec, said)
        if said.pop("state", "running") == "draining":
            yield "state", "STOPPED"
        if "preempt_from" in said:
            yield "disable_preemption", "true" if \
                said.pop("preempt_from") == "no" else "false"
        for key, name in (("priority", "priority"),
                          ("label", "accessible-node-labels"),
                          ("max_running", "max-parallel-apps")):
            value = said.pop(key, None)
            if value is not None and value != "unlimited":
                yield name, value
        yield from self.order(spec, said, bool(below))
        yield from self.leaf(spec, said, bool(below))
        for key in said:
            self.lose(spec, key)
        yield from self.kept(spec)

    # ---- capacities ----

    def group(self, spec: QueueSpec, below: list[QueueSpec]) -> None:
        """What each of the children is to have, in one mode for all."""
        kept = [one.spelled.get("capacity") for one in below]
        said = [one.settings.get("guarantee", "") for one in below]
        weights = [Fraction(one.settings.get("weight", "1")) for one in below]
        parts = [Fraction(text[:-1] or 0) if text.endswith("%") or not text
                 else None for text in said]
        total = sum((p for p in parts if p is not None), Fraction(0))
        if self.own and all(kept):
            made = [text or "" for text in kept]
        elif None not in parts and abs(total - 100) <= SLACK:
            made = [decimal(p or Fraction(0)) for p in parts]
            self.proportion(spec, weights, parts)
        elif not any(said) and self.own and not any(weights):
            made = ["0" for _ in below]
        elif all(said) and not any(text.endswith("%") for text in said) and \
                self.capacities.get(spec.path, "[").startswith("["):
            made = self.amounts(spec, below, said)
        else:
            made = [decimal(p * 100) for p in percents(weights)]
            self.lose(spec, "weights below: as capacities they are guaranteed")
            for one, text in zip(below, said):
                if text:
                    self.lose(one, f"guarantee={text}")
        for one, text in zip(below, made):
            self.capacities[one.path] = text

    def proportion(self, spec: QueueSpec, weights: list[Fraction],
                   parts: list[Fraction | None]) -> None:
        """What is free goes by capacity in YARN, by weight in ours."""
        total = sum(weights, Fraction(0))
        if not total or any(abs(w / total * 100 - (p or 0)) > SLACK
                            for w, p in zip(weights, parts)):
            self.lose(spec, "weights below: YARN shares what is free by "
                      "capacity")

    def amounts(self, spec: QueueSpec, below: list[QueueSpec],
                said: list[str]) -> list[str]:
        """Guarantees as amounts, for each child."""
        made = []
        for one, text in zip(below, said):
            amounts = self.schema.named(self.schema.vec(text))
            found = vector_text({k: v for k, v in amounts.items() if v or
                                 k in ("cpu", "memory")})
            if found is None:
                self.lose(one, f"guarantee={text}: finer than YARN's units")
            made.append(found or "[memory=0,vcores=0]")
        if any("weight" in one.settings for one in below):
            self.lose(spec, "weights below: YARN shares what is free by "
                      "capacity")
        return made

    def capacity(self, spec: QueueSpec,
                 said: dict[str, str]) -> Iterator[tuple[str, str]]:
        """capacity and maximum-capacity."""
        weight, limit = said.pop("weight", None), said.pop("limit", None)
        mine = self.capacities.get(spec.path)
        guarantee = said.pop("guarantee", None)
        if mine is not None:
            yield "capacity", mine
        elif guarantee or weight:
            self.lose(spec, "guarantee or weight of the root")
        if limit is None or limit == "100%":
            return
        if limit.endswith("%"):
            yield "maximum-capacity", percent_text(limit)
            return
        amounts = self.schema.named(self.schema.vec(limit, (1 << 63) - 1))
        left = {k: v for k, v in amounts.items() if v < 1 << 62}
        found = vector_text({k: v for k, v in left.items()})
        if found is None or mine is None or not mine.startswith("["):
            self.lose(spec, f"limit={limit}: no amount beside a percentage")
        else:
            yield "maximum-capacity", found

    # ---- the rest ----

    def order(self, spec: QueueSpec, said: dict[str, str],
              parent: bool) -> Iterator[tuple[str, str]]:
        """ordering-policy; one that was kept holds."""
        order, apps = said.pop("order", "drf"), said.pop("apps", "fifo")
        if self.own and "ordering-policy" in spec.spelled:
            yield "ordering-policy", spec.spelled["ordering-policy"]
            return
        if parent:
            if order not in ORDERS:
                self.lose(spec, f"order={order}: utilization instead")
            if order == "priority":
                self.lose(spec, "order=priority: YARN serves capacities "
                          "before priorities")
                yield "ordering-policy", ORDERS[order]
        elif apps == "fair":
            yield "ordering-policy", "fair"
        elif apps != "priority":
            self.lose(spec, f"apps={apps}: by priority, then fifo")

    def leaf(self, spec: QueueSpec, said: dict[str, str],
             parent: bool) -> Iterator[tuple[str, str]]:
        """What only leaves have."""
        if parent:
            return
        share = ratio(said.pop("am_share", "unlimited"))
        alone = len(spec.path) == 1  # then nothing else may tell what file it is
        if (alone or share != Fraction(1, 10)) and "maps" not in self.schema.names:
            yield "maximum-am-resource-percent", decimal(
                Fraction(1) if share is None else share)
        if "user_limit" in said:
            yield "minimum-user-limit-percent", percent_text(
                said.pop("user_limit"))
        factor = ratio(said.pop("user_factor", "unlimited"))
        if factor != 1 and "maps" not in self.schema.names:
            yield "user-limit-factor", "-1" if factor is None else \
                decimal(factor)
        for key in [k for k in said if k.startswith("user_weight.")]:
            yield f"user-settings.{bare(key[12:])}.weight", said.pop(key)

    def kept(self, spec: QueueSpec) -> Iterator[tuple[str, str]]:
        """What was kept of such a file; of others, who may submit."""
        for key, value in spec.spelled.items() if self.own else ():
            if key not in ("capacity", "ordering-policy"):
                yield key, value
        for key, value in spec.extra.items():
            if self.own:
                yield key, value
            elif not self.own and key in ACLS and not value.startswith("<"):
                yield ACLS[key], value
            elif not self.own:
                self.lose(spec, key)


def write(config: Configuration) -> tuple[str, list[str]]:
    """The XML, and what it could not say."""
    writer = CapacityWriter(config)
    lines = ['<?xml version="1.0"?>', "<configuration>"]
    for name, value in writer.entries():
        lines += ["  <property>", "    " + tag("name", name),
                  "    " + tag("value", value), "  </property>"]
    return "\n".join([*lines, "</configuration>", ""]), writer.lost


def write_json(config: Configuration) -> tuple[str, list[str]]:
    """The JSON of the REST API, and what it could not say."""
    writer = CapacityWriter(config)
    made = {"property": [{"name": name, "value": value}
                         for name, value in writer.entries()]}
    return json.dumps(made, indent=1) + "\n", writer.lost
