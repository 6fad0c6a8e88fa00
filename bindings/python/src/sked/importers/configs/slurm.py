"""slurm.conf: partitions as queues, bounded by what their nodes have; the
settings of preemption and priority are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from math import prod

from ..model import Configuration, Fidelity, QueueSpec
from .draft import Draft, decoded, dotted
from ..files import OPEN, failed, filled
from ..values import MIB, MOST, whole

FORM = "slurm"
PAIR = re.compile(r'(?<!\w)([A-Za-z_]\w*)\s*=\s*("[^"]*"|\S*)')
RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
TIME = re.compile(r"(UNLIMITED|INFINITE|NONE|-1|\d+(-\d+(:\d+){0,2})?|"
                  r"\d+(:\d+){1,2})", re.I)
INCLUDE = re.compile(r"\s*(include)\s+(?!\s|=)(.*)", re.I)
MAX_NODES = 100000
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


@dataclass
class Statement:
    """The pairs of a line, keys as they were written."""

    line: int
    pairs: list[tuple[str, str]]

    def get(self, *names: str) -> str | None:
        """The value of a key, whatever its capitals."""
        for key, value in self.pairs:
            if key.lower() in names:
                return value
        return None


@dataclass
class Machines:
    """What nodes have, by name: bytes, cores in thousandths, GPUs; the features
    of each; and sets of nodes."""

    nodes: dict[str, dict[str, int]] = field(default_factory=dict)
    features: dict[str, frozenset[str]] = field(default_factory=dict)
    sets: dict[str, Statement] = field(default_factory=dict)

    def named(self, text: str) -> list[str]:
        """The nodes of a list of nodes and of sets of them."""
        if text.lower() == "all":
            return list(self.nodes)
        found: dict[str, None] = {}
        for name in dict.fromkeys(hosts(text)):
            if name in self.sets:
                found.update(dict.fromkeys(self.members(self.sets[name])))
            else:
                found[name] = None
        return list(found)

    def members(self, of: Statement) -> Iterator[str]:
        """A set's nodes: those of a feature, and those that it names."""
        feature = of.get("feature")
        yield from (name for name, has in self.features.items()
                    if feature in has)
        yield from hosts(of.get("nodes") or "")

    def told(self, text: str) -> bool:
        """Does a list name its nodes, each of them?"""
        return text.lower() != "all" and not any(
            name in self.sets for name in hosts(text))


class BadHosts(ValueError):
    """Why a text is no list of hosts."""


def hosts(text: str) -> Iterator[str]:
    """The names of a list: "a[1-3,7],b"; a name may have several brackets.

    >>> list(hosts("a[08-10],b")), list(hosts("r[0-1]n[1,3]"))
    (['a08', 'a09', 'a10', 'b'], ['r0n1', 'r0n3', 'r1n1', 'r1n3'])
    """
    if re.search(r"[\[\]]", re.sub(r"\[[^\[\]]*\]", "", text)):
        raise BadHosts(f"{text[:60]!r} has a bracket without the other one")
    found = 0
    for part in re.findall(r"(?:[^,\[\]]|\[[^\[\]]*\])+", text):
        pieces = re.split(r"\[([^\[\]]*)\]", part)
        choices = [numbers(piece, part) if at % 2 else [piece]
                   for at, piece in enumerate(pieces)]
        found += prod(map(len, choices))
        if found > MAX_NODES:
            raise BadHosts(f"more than {MAX_NODES} nodes")
        yield from map("".join, product(*choices))


def numbers(text: str, part: str) -> list[str]:
    """What stands in a pair of brackets: "08-10,12"."""
    found: list[str] = []
    for one in text.split(","):
        span = RANGE.fullmatch(one.strip())
        if not span:
            raise BadHosts(f"{part[:60]!r} is no list of hosts")
        low, high = int(span[1]), int(span[2] or span[1])
        if high < low or high - low > MAX_NODES - len(found):
            raise BadHosts(f"{one[:40]!r} is no range")
        found += [f"{number:0{len(span[1])}d}"
                  for number in range(low, high + 1)]
    return found


def statements(text: str) -> Iterator[Statement]:
    """Lines as pairs, comments away, continued ones as one."""
    whole_line, start = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        start = start or number
        line = re.sub(r"(?<!\\)#.*", "", line).rstrip()
        if line.endswith("\\"):
            whole_line += line[:-1] + " "
            continue
        whole_line += line
        other = INCLUDE.fullmatch(whole_line)
        if other:
            yield Statement(start, [(other[1], other[2].strip('"'))])
        elif whole_line.strip():
            yield Statement(start, [(k, v.strip('"')) for k, v in
                                    PAIR.findall(whole_line)])
        whole_line, start = "", 0


class SlurmReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m", "memory": "B", "gpu": "m"})
        self.machines = Machines()
        self.defaults: dict[str, list[tuple[str, str]]] = {}
        self.seen: dict[str, int] = {}
        self.open_nodes = False  # are there nodes that are not told of here?

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
        self.orders()
        return self.draft.finish()

    def overall(self, one: Statement) -> None:
        """Settings of the whole."""
        for key, value in one.pairs:
            low = key.lower()
            if low in self.seen and low not in AGAIN:
                self.draft.warn(one.line, f"is on line {self.seen[low]} too",
                                key)
            self.seen[low] = one.line
            if OPEN not in value:
                self.draft.extra[key] = value
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
            self.draft.extra[f"nodeset.{name}.{key}"] = value

    def has(self, one: Statement) -> dict[str, int]:
        """What a node has."""
        cores = self.number(one, "cpus", "procs")
        if cores is None:
            cores = 1
            for names in (("sockets", "socketsperboard"), ("corespersocket",),
                          ("threadspercore",), ("boards",)):
                cores *= self.number(one, *names) or 1
        gpus = 0
        for gres in (one.get("gres") or "").split(","):
            words = re.sub(r"\(.*", "", gres).split(":")
            if words[0] == "gpu":
                gpus += max(whole(words[-1]) or 0, 0) if len(words) > 1 \
                    else 1
        memory = self.number(one, "realmemory")
        return {"cpu": cores * 1000, "gpu": gpus * 1000,
                "memory": (1 if memory is None else memory) * MIB}

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
        self.bound(spec, made)
        for key, value in made.pairs:
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
        elif low == "preemptmode" and value.lower() == "off":
            self.draft.say(spec, "preempt_from", "no", line)
        else:
            self.rule(line, key, value)
            spec.extra[key] = value

    def bound(self, spec: QueueSpec, one: Statement) -> None:
        """What its nodes have in all; nothing where the list is empty."""
        text = one.get("nodes") or ""
        total = {"cpu": 0, "memory": 0, "gpu": 0}
        try:
            names = self.machines.named(text)
            known = not self.open_nodes or self.machines.told(text)
        except BadHosts as error:
            self.draft.error(one.line, str(error), dotted(spec.path))
            return
        missing = [n for n in names if n not in self.machines.nodes]
        if missing and not self.open_nodes:
            self.draft.error(one.line, f"no such node: {missing[0][:60]}" + (
                f", and {len(missing) - 1} more" if len(missing) > 1 else ""),
                dotted(spec.path))
        for name in set(names) - set(missing):
            for kind, amount in self.machines.nodes[name].items():
                total[kind] = min(total[kind] + amount, MOST)
        if one.get("nodes") is not None and not missing and known:
            said: dict[str, int | None] = dict(total)
            self.draft.say_amounts(spec, "limit", said, one.line,
                                   Fidelity.DERIVED)

    def orders(self) -> None:
        """How a partition's jobs are ordered."""
        kind = next((v for k, v in self.draft.extra.items()
                     if k.lower() == "prioritytype"), "")
        apps = "fifo" if kind.endswith("basic") else "priority"
        for path, spec in self.draft.queues.items():
            if len(path) > 1:
                self.draft.say(spec, "apps", apps, spec.line,
                               Fidelity.DERIVED if kind else Fidelity.ASSUMED)
        tiers = {s.settings.get("priority") for s in self.draft.queues.values()
                 if len(s.path) > 1}
        if len(tiers) > 1:
            root = self.draft.queues["root",]
            self.draft.say(root, "order", "priority", 0, Fidelity.DERIVED)


def sniff(name: str, head: bytes) -> bool:
    """Partitions or the name of a cluster."""
    return re.search(rb"^[ \t]*(PartitionName|ClusterName|SlurmctldHost|"
                     rb"ControlMachine)[ \t]*=", head, re.M | re.I) is not None


def read(file: str, data: bytes) -> Configuration:
    """A slurm.conf."""
    return SlurmReader(file).read(data)
