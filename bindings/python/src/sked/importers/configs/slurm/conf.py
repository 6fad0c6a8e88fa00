"""slurm.conf: partitions as queues, bounded by what their nodes have; the
settings of preemption and priority are kept."""

from __future__ import annotations

import re

from ...files import OPEN, failed, filled
from ...model import Configuration, Fidelity, QueueSpec
from ...values import MIB, MOST, whole
from ..draft import Draft, Path, decoded, dotted
from .hosts import (MAX_NODES, BadHosts, Machines, Statement, hosts,
                    statements)
from .settings import (LOST, NODE, OF_PARTITION, OF_WHOLE, PART, ROW, UNUSED,
                       WHOLE)

FORM = "slurm"
TIME = re.compile(r"(UNLIMITED|INFINITE|NONE|-1|\d+(-\d+(:\d+){0,2})?|"
                  r"\d+(:\d+){1,2})", re.I)
PLUGINS = {"AuthType": "auth", "CryptoType": "crypto|cred",
           "JobCompType": "jobcomp", "SchedulerType": "sched",
           "SelectType": "select", "PriorityType": "priority",
           "PreemptType": "preempt", "ProctrackType": "proctrack",
           "SwitchType": "switch", "JobAcctGatherType": "jobacct_gather",
           "AccountingStorageType": "accounting_storage"}
NUMBERS = re.compile(r"PriorityWeight(Age|Assoc|Fairshare|FairShare|JobSize|"
                     r"Partition|QOS)|MaxJobCount|KillWait|MinJobAge")
TIMES = {"PriorityDecayHalfLife", "PriorityMaxAge", "MaxTime", "DefaultTime"}
MODES = {"off", "cancel", "checkpoint", "gang", "priority", "requeue",
         "suspend", "within"}
STATES = {"up": "running", "down": "draining", "drain": "draining",
          "inactive": "draining"}
AGAIN = {"nodename", "partitionname", "downnodes", "frontendname", "include",
         "slurmctldhost", "nodeset"}


class SlurmReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m", "memory": "B", "gpu": "m"})
        self.machines = Machines()
        self.defaults: dict[str, list[tuple[str, str]]] = {}
        self.seen: dict[str, int] = {}
        self.whole: dict[str, str] = {}
        self.open_nodes = False  # are there nodes that are not told of here?
        self.members: dict[Path, tuple[Statement, list[str]]] = {}

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        plain, variables = filled(data)
        self.draft.unfilled(variables)
        said = list(statements(decoded(self.draft, plain)))
        if not any(one.pairs for one in said):
            raise failed(self.draft.file, "has no setting of Slurm")
        root = self.draft.queue(("root",), 0)
        assert root is not None
        for one in said:
            first = one.pairs[0][0].lower() if one.pairs else ""
            if first == "nodename":
                self.node(one)
            elif first == "nodeset":
                self.nodes_of(one)
            elif first == "include":
                self.open_nodes = True
                self.draft.warn(one.line, "another file, which is not read",
                                one.pairs[0][1])
        for one in said:
            first = one.pairs[0][0].lower() if one.pairs else ""
            if first == "partitionname":
                self.partition(one)
            elif not one.pairs:
                self.draft.error(one.line, "is no setting")
            elif first not in ("nodename", "nodeset"):
                self.overall(one)
        if len(self.draft.queues) == 1 and not self.open_nodes:
            self.draft.warn(0, "has no partition: Slurm takes no job")
        self.bounds()
        self.overlaps()
        self.orders()
        self.preempting()
        return self.draft.finish()

    def said(self, name: str) -> str:
        """A setting of the whole, whatever its capitals; "" is none."""
        return self.whole.get(name, "")

    def overall(self, one: Statement) -> None:
        """Settings of the whole."""
        for key, value in one.pairs:
            low = key.lower()
            if low in self.seen and low not in AGAIN:
                self.draft.warn(one.line, f"is on line {self.seen[low]} too",
                                key)
            self.seen[low] = one.line
            if OPEN not in value:
                row = OF_WHOLE.get(key)
                kept = self.draft.extra if row and row.fate is LOST else \
                    self.draft.spelled
                kept[key] = value
                self.whole[low] = value
                self.rule(one.line, key, value)

    def rule(self, line: int, key: str, value: str) -> None:
        """What a value must look like."""
        if key in PLUGINS and "/" in value and not re.match(
                rf"({PLUGINS[key]})/", value):
            self.draft.error(line, f"{value[:60]!r} is no plug-in "
                             f"{PLUGINS[key]}/...", key)
        elif NUMBERS.fullmatch(key) and whole(value) is None:
            self.draft.error(line, f"{value[:60]!r} is no whole number", key)
        elif key in TIMES and not TIME.fullmatch(value):
            self.draft.error(line, f"{value[:60]!r} is no time", key)
        elif key == "PreemptMode" and not set(
                value.lower().split(",")) <= MODES:
            self.draft.error(line, f"{value[:60]!r} is no mode of preemption",
                             key)

    def default(self, thing: str, one: Statement) -> None:
        """What holds from here on, added to what did so far."""
        self.defaults[thing] = one.pairs[1:] + [
            pair for pair in self.defaults.get(thing, [])
            if one.get(pair[0].lower()) is None]

    # ---- nodes ----

    def node(self, one: Statement) -> None:
        """Nodes of one line."""
        name = one.pairs[0][1]
        if name.lower() == "default":
            self.default("node", one)
            return
        if OPEN in name:
            self.open_nodes = True
            return
        made = Statement(one.line, one.pairs + self.defaults.get("node", []))
        has = self.has(made)
        features = frozenset(
            (made.get("feature", "features") or "").split(","))
        try:
            for host in hosts(name):
                if len(self.machines.nodes) >= MAX_NODES:
                    raise BadHosts(f"more than {MAX_NODES} nodes")
                if host in self.machines.nodes:
                    self.draft.error(one.line, "the node is there already",
                                     host)
                self.machines.nodes[host] = has
                self.machines.features[host] = features
        except BadHosts as error:
            self.draft.error(one.line, str(error), "NodeName")

    def nodes_of(self, one: Statement) -> None:
        """A set of nodes, by a feature or by their names."""
        name = one.pairs[0][1]
        if name in self.machines.sets:
            self.draft.error(one.line, "the set is on line "
                             f"{self.machines.sets[name].line} already", name)
            return
        self.machines.sets[name] = one
        for key, value in one.pairs[1:]:
            self.draft.spelled[f"nodeset.{name}.{key}"] = value

    def has(self, one: Statement) -> dict[str, int | None]:
        """What a node has for jobs; None is not said."""
        whole_cores = 1
        for names in (("sockets", "socketsperboard"), ("corespersocket",),
                      ("boards",)):
            whole_cores *= self.number(one, *names) or 1
        threads = self.number(one, "threadspercore") or 1
        cores = self.number(one, "cpus", "procs")
        if cores is None:
            cores = whole_cores * threads
        if whole_cores >= cores:
            threads = 1  # Slurm schedules cores then
        gpus = 0
        for gres in (one.get("gres") or "").split(","):
            words = re.sub(r"\(.*", "", gres).split(":")
            if words[0] == "gpu":
                gpus += max(whole(words[-1]) or 0, 0) if len(words) > 1 \
                    else 1
        memory = self.number(one, "realmemory")
        cores = max(0, cores - threads * (
            self.number(one, "corespeccount") or 0))
        if memory is not None:
            memory = max(0, memory - (self.number(one, "memspeclimit") or 0))
        if (one.get("state") or "").upper() == "FUTURE":
            cores, gpus, memory = 0, 0, 0
        return {"cpu": cores * 1000, "gpu": gpus * 1000,
                "memory": None if memory is None else memory * MIB}

    def number(self, one: Statement, *names: str) -> int | None:
        """A whole number of 0 or more."""
        text = one.get(*names)
        if text is None:
            return None
        value = whole(text)
        if value is None or not 0 <= value < 1 << 40:
            self.draft.error(one.line, f"{text[:60]!r} is no whole number of "
                             "0 or more", names[0])
            return None
        return value

    # ---- partitions ----

    def partition(self, one: Statement) -> None:
        """A partition as a queue."""
        name = one.pairs[0][1]
        if name.lower() == "default":
            self.default("partition", one)
            return
        if OPEN in name:
            return
        spec = self.draft.queue(("root", name), one.line)
        if spec is None:
            return
        made = Statement(one.line, one.pairs[1:] + [
            pair for pair in self.defaults.get("partition", [])
            if one.get(pair[0].lower()) is None])
        self.draft.say(spec, "label", name, one.line)
        self.nodes_named(spec, made)
        tiers = made.get("prioritytier") is not None
        for key, value in made.pairs:
            if key.lower() != "nodes" and not (tiers and
                                               key.lower() == "priority"):
                self.setting(spec, key, value, one.line)

    def setting(self, spec: QueueSpec, key: str, value: str,
                line: int) -> None:
        """One setting of a partition."""
        low, where = key.lower(), f"{dotted(spec.path)}: {key}"
        if OPEN in value:
            return
        if low == "state":
            found = STATES.get(value.lower())
            if found is None:
                self.draft.error(line, f"{value[:60]!r} is none of UP, DOWN, "
                                 "DRAIN, INACTIVE", where)
            elif found == "draining":
                self.draft.say(spec, "state", found, line)
        elif low in ("priority", "prioritytier"):
            number = whole(value)
            if number is None or not 0 <= number <= 65533:
                self.draft.error(line, f"{value[:60]!r} is not 0 to 65533",
                                 where)
            else:
                self.draft.say(spec, "priority", str(number), line)
        elif low == "preemptmode":
            self.rule(line, key, value)
            if "off" in value.lower().split(","):
                self.draft.say(spec, "preempt_from", "no", line)
            else:
                self.draft.differ(ROW["PreemptMode", PART], line)
                spec.extra[key] = value
        elif low == "maxcpuspernode":
            spec.spelled[key] = value
        else:
            self.rule(line, key, value)
            row = OF_PARTITION.get(key)
            if row is None:
                self.draft.warn(line, "is no setting of a partition", where)
            kept = spec.spelled if row and row.fate is UNUSED else spec.extra
            kept[key] = value

    def nodes_named(self, spec: QueueSpec, one: Statement) -> None:
        """The nodes of a partition; a fault where there are none such."""
        try:
            names = self.machines.named(one.get("nodes") or "")
            known = not self.open_nodes or self.machines.told(
                one.get("nodes") or "")
        except BadHosts as error:
            self.draft.error(one.line, str(error), dotted(spec.path))
            return
        missing = [n for n in names if n not in self.machines.nodes]
        if missing and not self.open_nodes:
            self.draft.error(one.line, f"no such node: {missing[0][:60]}" + (
                f", and {len(missing) - 1} more" if len(missing) > 1 else ""),
                dotted(spec.path))
        there = [n for n in dict.fromkeys(names) if n in self.machines.nodes]
        if one.get("nodes") is not None and not missing and known:
            self.members[spec.path] = one, there

    def bounds(self) -> None:
        """What the nodes of a partition have in all. Memory counts where it
        is a consumable resource and every node says how much it has."""
        counts = self.memory_counts()
        for path, (one, names) in self.members.items():
            spec = self.draft.queues[path]
            most = self.number(one, "maxcpuspernode") if \
                (one.get("maxcpuspernode") or "").isdigit() else None
            total: dict[str, int | None] = {"cpu": 0, "memory": 0, "gpu": 0}
            for name in names:
                has = dict(self.machines.nodes[name])
                if most is not None:
                    has["cpu"] = min(has["cpu"] or 0, most * 1000)
                for kind, amount in has.items():
                    old = total[kind]
                    total[kind] = None if old is None or amount is None else \
                        min(old + amount, MOST)
            if most is not None:
                self.draft.differ(ROW["MaxCPUsPerNode", PART], one.line)
            if not counts or total["memory"] is None:
                self.draft.differ(ROW["RealMemory", NODE], one.line)
                total["memory"] = None
            self.draft.say_amounts(spec, "limit", total, one.line,
                                   Fidelity.DERIVED)

    def memory_counts(self) -> bool:
        """Whether memory is a consumable resource."""
        kind, said = self.said("selecttype"), self.said("selecttypeparameters")
        if kind.endswith("linear"):
            self.draft.differ(ROW["SelectType", WHOLE], self.seen["selecttype"])
        return "memory" in said.lower() if said else \
            kind in ("", "select/cons_tres")

    def overlaps(self) -> None:
        """Partitions that share nodes. Labels name disjoint sets of nodes, so
        all that hang together get one label, and one queue above them holds
        what their nodes have together."""
        groups = self.together()
        for paths in groups:
            names = {n for p in paths for n in self.members[p][1]}
            line = self.members[paths[0]][0].line
            label = paths[0][-1]
            alike = all(set(self.members[p][1]) == names for p in paths)
            self.draft.note(line, "share nodes: one label for all" + (
                "" if alike else ", and the tree does not say which of these "
                "nodes each has"), ", ".join(p[-1] for p in paths)[:300])
            for path in paths:
                self.draft.say(self.draft.queues[path], "label", label, line,
                               Fidelity.DERIVED)

    def together(self) -> list[list[Path]]:
        """Partitions that share nodes, perhaps by way of others."""
        above = {path: path for path in self.members}

        def top(path: Path) -> Path:
            while above[path] != path:
                above[path] = above[above[path]]
                path = above[path]
            return path

        first: dict[str, Path] = {}
        for path, (_, names) in self.members.items():
            for name in names:
                other = first.setdefault(name, path)
                above[top(path)] = top(other)
        groups: dict[Path, list[Path]] = {}
        for path in self.members:
            groups.setdefault(top(path), []).append(path)
        return [group for group in groups.values() if len(group) > 1]

    def preempting(self) -> None:
        """Without a plug-in nothing is preempted."""
        kind = self.said("preempttype")
        if kind in ("", "preempt/none") and len(self.draft.queues) > 1:
            root = self.draft.queues["root",]
            if kind:
                self.draft.say(root, "preempt_from", "no",
                               self.seen["preempttype"])
            else:
                self.draft.fill(root, ROW["PreemptType", WHOLE])

    def orders(self) -> None:
        """How a partition's jobs are ordered, and partitions themselves."""
        kind = self.said("prioritytype")
        for path, spec in self.draft.queues.items():
            if len(path) == 1:
                continue
            if kind:
                self.draft.say(spec, "apps", "fifo" if kind.endswith("basic")
                               else "priority", spec.line, Fidelity.DERIVED)
            else:
                self.draft.fill(spec, ROW["PriorityType", WHOLE])
        tiers = {s.settings.get("priority", "1")
                 for s in self.draft.queues.values() if len(s.path) > 1}
        if len(tiers) > 1:
            root = self.draft.queues["root",]
            for spec in self.draft.queues.values():
                if len(spec.path) > 1 and "priority" not in spec.settings:
                    self.draft.fill(spec, ROW["PriorityTier", PART],
                                    "priority=1")
            self.draft.say(root, "order", "priority", 0, Fidelity.DERIVED)


def sniff(name: str, head: bytes) -> bool:
    """Partitions or the name of a cluster."""
    return re.search(rb"^[ \t]*(PartitionName|ClusterName|SlurmctldHost|"
                     rb"ControlMachine)[ \t]*=", head, re.M | re.I) is not None


def read(file: str, data: bytes) -> Configuration:
    """A slurm.conf."""
    return SlurmReader(file).read(data)
