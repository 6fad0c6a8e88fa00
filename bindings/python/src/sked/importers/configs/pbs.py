"""Queues of PBS: what `qmgr -c "print server"` writes, and scripts of such
commands, bare or as `qmgr -c "..."`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from ..files import failed, filled
from ..model import Configuration, Fidelity, QueueSpec
from ..values import whole
from .draft import MOST, Draft, decoded, dotted
from .settings import Fate, Lookup, Setting

FORM = "pbs"
MAPPED, NOTED, LOST, UNUSED = Fate.MAPPED, Fate.NOTED, Fate.LOST, Fate.UNUSED
S = Setting
QUEUE, SERVER = "a queue", "the server"
SOME = "of one user, group or project: limits of the engine"
#: Attributes of queues and of the server, of OpenPBS 23.06, and sched_config
#: as it comes (by_queue, no round robin, no strict ordering).
ROWS = [
    S("Priority", QUEUE, "0", MAPPED, "priority", sample="80",
      gives="priority=80"),
    S("enabled", QUEUE, "False", NOTED, "state", fills="state=draining",
      sample="True", note="False: the queue takes no new jobs, and those that "
      "wait in it may start; in the tree none starts"),
    S("started", QUEUE, "False", MAPPED, "state", fills="state=draining",
      sample="True"),
    S("queue_type", QUEUE, "none", MAPPED, "which queues there are",
      sample="Execution"),
    S("max_run", QUEUE, "no bound", MAPPED, "max_running",
      sample='"[o:PBS_ALL=7]"', gives="max_running=7"),
    S("max_running", QUEUE, "no bound", MAPPED, "max_running", sample="7",
      gives="max_running=7"),
    S("max_run_res.ncpus", QUEUE, "no bound", MAPPED, "limit",
      sample='"[o:PBS_ALL=7]"', gives="limit=cpu=7"),
    S("max_run_res.mem", QUEUE, "no bound", MAPPED, "limit",
      sample='"[o:PBS_ALL=2gb]"', gives="limit=memory=2GiB"),
    S("max_run_res.ngpus", QUEUE, "no bound", MAPPED, "limit",
      sample='"[o:PBS_ALL=7]"', gives="limit=gpu=7"),
    S("max_run_res.<resource>", QUEUE, "no bound", LOST,
      sample='"[o:PBS_ALL=7]"'),
    S("(order of queues)", SERVER, "priority, then queue by queue", NOTED,
      "order", fills="order=fifo", note="with priorities by priority; queues "
      "of the same priority, where others differ, by what they use"),
    S("(order of jobs)", QUEUE, "time", MAPPED, "apps", fills="apps=fifo"),
    S("max_run_soft", QUEUE, "no bound", LOST, sample='"[u:PBS_GENERIC=7]"',
      note="jobs above it may be ended for others"),
    S("max_run_res_soft.<resource>", QUEUE, "no bound", LOST,
      sample='"[u:PBS_GENERIC=7]"'),
    S("max_user_run", QUEUE, "no bound", LOST, sample="3", note=SOME),
    S("max_group_run", QUEUE, "no bound", LOST, sample="3"),
    S("max_user_res.<resource>", QUEUE, "no bound", LOST, sample="3"),
    S("max_group_res.<resource>", QUEUE, "no bound", LOST, sample="3"),
    S("max_user_run_soft", QUEUE, "no bound", LOST, sample="3"),
    S("max_group_run_soft", QUEUE, "no bound", LOST, sample="3"),
    S("max_user_res_soft.<resource>", QUEUE, "no bound", LOST, sample="3"),
    S("max_group_res_soft.<resource>", QUEUE, "no bound", LOST, sample="3"),
    S("max_queued", QUEUE, "no bound", LOST, sample='"[o:PBS_ALL=7]"'),
    S("max_queued_res.<resource>", QUEUE, "no bound", LOST,
      sample='"[o:PBS_ALL=7]"'),
    S("max_queuable", QUEUE, "no bound", LOST, sample="7"),
    S("queued_jobs_threshold", QUEUE, "no bound", LOST,
      sample='"[o:PBS_ALL=7]"'),
    S("queued_jobs_threshold_res.<resource>", QUEUE, "no bound", LOST,
      sample='"[o:PBS_ALL=7]"'),
    S("max_array_size", QUEUE, "no bound", LOST, sample="7"),
    S("resources_max.<resource>", QUEUE, "no bound", LOST, sample="7",
      note="of one job"),
    S("resources_min.<resource>", QUEUE, "0", LOST, sample="1"),
    S("resources_default.<resource>", QUEUE, "none", LOST, sample="1",
      note="what a job asks for that says nothing"),
    S("default_chunk.<resource>", QUEUE, "none", LOST, sample="1"),
    S("resources_available.ncpus", QUEUE, "no bound", MAPPED, "limit",
      sample="7", gives="limit=cpu=7", note="of all jobs that run from the "
      "queue; the smaller one where max_run_res bounds them too"),
    S("resources_available.mem", QUEUE, "no bound", MAPPED, "limit",
      sample="2gb", gives="limit=memory=2GiB"),
    S("resources_available.ngpus", QUEUE, "no bound", MAPPED, "limit",
      sample="7", gives="limit=gpu=7"),
    S("resources_available.<resource>", QUEUE, "none", LOST, sample="1"),
    S("backfill_depth", QUEUE, "1", LOST, sample="2"),
    S("partition", QUEUE, "none", LOST, sample="p",
      note="which scheduler and which nodes"),
    S("node_group_key", QUEUE, "none", LOST, sample="k"),
    S("from_route_only", QUEUE, "False", LOST, sample="True"),
    S("acl_user_enable", QUEUE, "False", LOST, sample="True",
      note="who may submit"),
    S("acl_users", QUEUE, "none", LOST, sample="u"),
    S("acl_group_enable", QUEUE, "False", LOST, sample="True"),
    S("acl_groups", QUEUE, "none", LOST, sample="g"),
    S("acl_host_enable", QUEUE, "False", LOST, sample="True"),
    S("acl_hosts", QUEUE, "none", LOST, sample="h"),
    S("require_cred", QUEUE, "none", LOST, sample="krb5"),
    S("require_cred_enable", QUEUE, "False", LOST, sample="True"),
    S("route_destinations", QUEUE, "none", LOST, sample="q",
      note="a route queue is no queue of the tree: nothing runs in it"),
    S("route_held_jobs", QUEUE, "False", LOST, sample="True"),
    S("route_waiting_jobs", QUEUE, "False", LOST, sample="True"),
    S("route_retry_time", QUEUE, "30", LOST, sample="9"),
    S("route_lifetime", QUEUE, "none", LOST, sample="9"),
    S("kill_delay", QUEUE, "10", LOST, sample="9"),
    S("checkpoint_min", QUEUE, "none", LOST, sample="9"),
    S("comment", QUEUE, "none", UNUSED, sample="x"),
    S("hasnodes", QUEUE, "False", UNUSED, sample="True"),
    *(S(name, SERVER, "no bound", MAPPED, f"{key} of the root", sample=sample)
      for name, key, sample in (
          ("max_run", "max_running", '"[o:PBS_ALL=7]"'),
          ("max_running", "max_running", "7"),
          ("max_run_res.ncpus", "limit", '"[o:PBS_ALL=7]"'),
          ("max_run_res.mem", "limit", '"[o:PBS_ALL=7gb]"'),
          ("max_run_res.ngpus", "limit", '"[o:PBS_ALL=7]"'),
          ("resources_available.ncpus", "limit", "7"),
          ("resources_available.mem", "limit", "7gb"),
          ("resources_available.ngpus", "limit", "7"))),
    S("default_queue", SERVER, "none", LOST, sample="a",
      note="which queue a job goes to"),
    S("scheduling", SERVER, "False", UNUSED, sample="True"),
    S("any other", SERVER, "", LOST)]
ROW = {(row.name, row.where): row for row in ROWS}
KNOWN = {QUEUE: Lookup(ROWS, QUEUE), SERVER: Lookup(ROWS, SERVER)}
COMMAND = re.compile(r"[ \t]*(create|set|c|s|unset|delete|import|active|list|"
                     r"print|export)[ \t]+(queue|server|node|resource|sched|"
                     r"hook|q|s|n|r)\b[ \t]*(.*)", re.I)
WRAPPED = re.compile(r"""\bqmgr[ \t]+-c[ \t]*(?:"([^"]*)"|'([^']*)')""")
ASSIGN = re.compile(r"([\w.]+)[ \t]*(\+=|-=|=)[ \t]*(.*)", re.S)
#: Text in quotes: no separator of attributes or commands splits the text.
QUOTED = r"""\"[^"]*\"|'[^']*'"""
COMMAS = re.compile(rf"""((?:{QUOTED}|[^,"']|["'])*)(?:,|\Z)""", re.S)
SEMICOLONS = re.compile(rf"""((?:{QUOTED}|[^;"'\#]|["'])*)(?:;|\#.*|\Z)""", re.S)
ENTITY = re.compile(r"\[?\s*([oupg]):([^=\]]+)=([^\]]+?)\s*\]?")
SIZE = re.compile(r"(\d{1,15})([kmgtp]?)([bw]?)", re.I)
SCALES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
          "p": 1 << 50}
RESOURCES = {"ncpus": ("cpu", 1000), "ngpus": ("gpu", 1000),
             "mem": ("memory", 1)}
#: Limits of a resource that bound the sum over all running jobs.
HELD = {"max_run_res", "resources_available"}
TRUTH = {"true": True, "t": True, "y": True, "1": True,
         "false": False, "f": False, "n": False, "0": False}


class Command(NamedTuple):
    """One command of qmgr."""

    line: int
    verb: str
    thing: str
    rest: str


class PbsReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m", "memory": "B", "gpu": "m"})
        self.said: dict[str, dict[str, tuple[str, int]]] = {}
        self.server: dict[str, tuple[str, int]] = {}
        self.lines: dict[str, int] = {}
        self.found: set[str] = set()  # queues that another file made

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        plain, variables = filled(data)
        self.draft.unfilled(variables)
        found = list(commands(decoded(self.draft, plain)))
        if not any(one.thing in "qs" for one in found):
            raise failed(self.draft.file, "has no command of qmgr about queues")
        for one in found:
            self.take(one)
        root = self.draft.queue(("root",), found[0].line)
        assert root is not None
        self.bounds(root, self.server, "server")
        for key, (value, _) in self.server.items():
            row = KNOWN[SERVER].get(key)
            if row is None or row.fate is LOST:
                self.draft.extra[key] = value
        for name, said in self.said.items():
            self.queue(name, said)
        self.order(root)
        return self.draft.finish()

    def take(self, one: Command) -> None:
        """One command."""
        if one.thing == "q" and one.verb in "cs":
            name, _, rest = one.rest.strip().partition(" ")
            if one.verb == "c":
                for each in filter(None, name.split(",")):
                    self.create(each, one.line)
            for each in filter(None, name.split(",")):
                if each not in self.said:
                    self.draft.warn(one.line, "the queue is not created here: "
                                    "what else it says is not known",
                                    each[:80])
                    self.create(each, one.line)
                    self.found.add(each)
                if rest.strip():
                    self.assign(self.said[each], rest.strip(), one.line, each)
        elif one.thing == "s" and one.verb == "s":
            self.assign(self.server, one.rest.strip(), one.line, "server")
        elif one.verb in ("unset", "delete"):
            self.draft.warn(one.line, f"{one.verb} is not carried out")

    def create(self, name: str, line: int) -> None:
        """A new queue."""
        if name in self.said:
            self.draft.error(line, f"the queue is on line {self.lines[name]} "
                             "already", name[:80])
            return
        self.said[name] = {}
        self.lines[name] = line

    def assign(self, said: dict[str, tuple[str, int]], text: str, line: int,
               where: str) -> None:
        """A list of attributes. What sets none belongs to the value before:
        "acl_users = ann, bob"."""
        pairs: list[str] = []
        for one in COMMAS.findall(text):
            if pairs and not ASSIGN.fullmatch(one.strip()):
                pairs[-1] += "," + one
            else:
                pairs.append(one)
        for one in pairs:
            self.attribute(said, one.strip().rstrip(","), line, where)

    def attribute(self, said: dict[str, tuple[str, int]], text: str, line: int,
                  where: str) -> None:
        """An attribute; += adds to what was said before."""
        found = ASSIGN.fullmatch(text)
        if found is None:
            self.draft.error(line, f"{text[:60]!r} sets no attribute", where)
            return
        key, value = found[1].lower(), found[3].strip()
        key = "priority" if key == "p" else key
        value = value[1:-1] if value[:1] in "\"'" and \
            value[-1:] == value[:1] and len(value) > 1 else value
        if found[2] == "+=" and key in said:
            value = f"{said[key][0]}, {value}"
        elif found[2] == "-=":
            self.draft.warn(line, "-= is not carried out", f"{where}: {key}")
            return
        said[key] = value, line

    # ---- queues ----

    def queue(self, name: str, said: dict[str, tuple[str, int]]) -> None:
        """One queue; a queue that routes jobs to others has none in the
        tree."""
        draft, line = self.draft, self.lines[name]
        kind = said.get("queue_type", ("", line))
        low = kind[0].lower()
        if low and "route".startswith(low):
            for key, (value, _) in said.items():
                kept = draft.spelled if key in (
                    "queue_type", "enabled", "started") else draft.extra
                kept[f"queue.{name}.{key}"] = value
            draft.note(line, "routes jobs to other queues: it is no queue of "
                       "the tree", name)
            return
        if low and not "execution".startswith(low):
            draft.error(kind[1], f"{kind[0][:60]!r} is neither Execution nor "
                        "Route", name)
        elif not low and name not in self.found:
            draft.warn(line, "says no queue_type: PBS takes no job into it",
                       name)
        spec = draft.queue(("root", name), line)
        if spec is None:
            return
        self.states(spec, said)
        draft.fill(spec, ROW["(order of jobs)", QUEUE])
        order = said.get("priority")
        if order:
            rank = whole(order[0])
            if rank is None or not -1024 <= rank <= 1023:
                draft.error(order[1], f"{order[0][:60]!r} is no priority of "
                            "-1024 to 1023", name)
            elif rank:
                draft.say(spec, "priority", str(rank), order[1])
        self.bounds(spec, said, name)
        for key, (text, at) in said.items():
            row = KNOWN[QUEUE].get(key)
            if row is None:
                draft.warn(at, "is no attribute of a queue", f"{name}: {key}")
            if row is None or row.fate is LOST:
                spec.extra[key] = text
            elif row.fate is UNUSED:
                spec.spelled[key] = text

    def states(self, spec: QueueSpec, said: dict[str, tuple[str, int]]) -> None:
        """Whether jobs come in and start. A queue that does not say is not
        enabled and not started."""
        for key in ("started", "enabled"):
            row = ROW[key, QUEUE]
            found = said.get(key)
            if found is None:
                if spec.path[-1] not in self.found:
                    self.draft.fill(spec, row)
                continue
            value = TRUTH.get(found[0].lower())
            if value is None:
                self.draft.error(found[1], f"{found[0][:60]!r} is neither True "
                                 "nor False", f"{dotted(spec.path)}: {key}")
            elif not value:
                self.draft.say(spec, "state", "draining", found[1])
                if key == "enabled":
                    self.draft.differ(row, found[1])

    def bounds(self, spec: QueueSpec, said: dict[str, tuple[str, int]],
               where: str) -> None:
        """How many jobs run at once, and how much they hold, in all."""
        limit: dict[str, int | None] = {}
        at = 0
        for key, (value, line) in said.items():
            place = f"{where}: {key}"
            if key == "max_running":
                self.running(spec, value, line, place)
            elif key == "max_run":
                most = self.overall(spec, key, value, line, place)
                if most is not None:
                    self.running(spec, most, line, place)
            attribute, _, resource = key.partition(".")
            if resource not in RESOURCES or attribute not in HELD:
                continue
            most = value if attribute == "resources_available" else \
                self.overall(spec, key, value, line, place)
            if most is not None:
                kind, scale = RESOURCES[resource]
                bound, before = self.size(most, scale, line, place), \
                    limit.get(kind)
                limit[kind] = bound if before is None else \
                    before if bound is None else min(bound, before)
                at = at or line
        if limit:
            self.draft.say_amounts(spec, "limit", limit, at)

    def running(self, spec: QueueSpec, text: str, line: int,
                where: str) -> None:
        """A bound on jobs."""
        value = whole(text)
        if value is None or not 0 <= value < 1 << 31:
            self.draft.error(line, f"{text[:60]!r} is no whole number of 0 or "
                             "more", where)
        else:
            self.draft.say(spec, "max_running", str(value), line)

    def overall(self, spec: QueueSpec, key: str, value: str, line: int,
                where: str) -> str | None:
        """The part of a limit that is about everybody: [o:PBS_ALL=7]. The other
        parts are kept."""
        found, rest = None, []
        for one in filter(None, map(str.strip, value.split(","))):
            entity = ENTITY.fullmatch(one)
            if entity is None:
                self.draft.error(line, f"{one[:60]!r} is no limit like "
                                 "[o:PBS_ALL=7]", where)
            elif entity[1] == "o":
                found = entity[3].strip()
            else:
                rest.append(one)
        if rest:
            kept = self.draft.extra if len(spec.path) == 1 else spec.extra
            kept[key + " of some"] = ", ".join(rest)
        return found

    def size(self, text: str, scale: int, line: int,
             where: str) -> int | None:
        """An amount, in its kind's unit; None where it is none."""
        found = SIZE.fullmatch(text)
        if found is None or scale != 1 and found[2] + found[3]:
            self.draft.error(line, f"{text[:60]!r} is no amount", where)
            return None
        words = 8 if found[3].lower() == "w" else 1
        value = Fraction(found[1]) * SCALES[found[2].lower()] * words * scale
        return min(int(value), MOST)

    def order(self, root: QueueSpec) -> None:
        """How queues are ordered: by priority, or one whole queue after the
        other."""
        ranks = [spec.settings.get("priority", "0")
                 for spec in self.draft.queues.values() if spec is not root]
        row = ROW["(order of queues)", SERVER]
        self.draft.fill(root, row, "order=priority" if len(set(ranks)) > 1
                        else "order=fifo")
        self.draft.trust("order", Fidelity.DERIVED)


def commands(text: str) -> Iterator[Command]:
    """The commands of qmgr; other lines are passed over."""
    row, start = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        start = start or number
        if line.rstrip().endswith("\\") and len(row) < 1 << 16:
            row += line.rstrip()[:-1] + " "
            continue
        row += line
        quoted = "" if row.lstrip().startswith("#") else ";".join(
            double or single for double, single in WRAPPED.findall(row))
        for one in SEMICOLONS.findall(quoted or row):
            found = COMMAND.fullmatch(one)
            if found:
                verb = found[1].lower()
                yield Command(start, verb[0] if verb in ("create", "set") else
                              verb, found[2].lower()[:1], found[3])
        row, start = "", 0


SNIFF = re.compile(rb"^[ \t]*(?:[^#\n]*qmgr[ \t]+-c[ \t]*[\"'])?"
                   rb"(?:(?:create|set)[ \t]+(?:queue|q)|c[ \t]+q(?:ueue)?)"
                   rb"[ \t]+\S+", re.M | re.I)


def sniff(name: str, head: bytes) -> bool:
    """A command that makes a queue, or sets something of one."""
    return SNIFF.search(head) is not None


def read(file: str, data: bytes) -> Configuration:
    """Queues of PBS."""
    return PbsReader(file).read(data)
