"""Group quotas of HTCondor: the groups of a condor_config with their quotas,
static (cores) or dynamic (a part of what the group above has)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from ...enums import FaultCode, Severity
from ..files import failed, filled
from ..model import Configuration, Fidelity
from ..values import fraction, part
from .draft import MAX_DEPTH, Draft, Path, decoded, dotted
from .settings import Fate, Lookup, Setting

FORM = "condor-groups"
NONE = "<none>"
MAPPED, NOTED, LOST, UNUSED = Fate.MAPPED, Fate.NOTED, Fate.LOST, Fate.UNUSED
S = Setting
#: Settings of groups in the negotiator of HTCondor 24.
ROWS = [
    S("GROUP_NAMES", "the negotiator", "none", MAPPED, "the queues"),
    S("GROUP_QUOTA_DYNAMIC_<group>", "a group", "0", NOTED, "guarantee",
      sample="0.25", gives="guarantee=25%", note="a part of what static quotas "
      "leave of the group above; where both kinds stand side by side the tree "
      "takes it of the whole"),
    S("GROUP_QUOTA_<group>", "a group", "0", MAPPED, "guarantee",
      sample="30", gives="guarantee=cpu=30"),
    S("(no quota)", "a group", "0", MAPPED, "priority",
      fills="priority=-1"),
    S("GROUP_ACCEPT_SURPLUS_<group>", "a group", "false", MAPPED, "borrow",
      "GROUP_ACCEPT_SURPLUS", "borrow=cpu=0", sample="true", gives=""),
    S("GROUP_ACCEPT_SURPLUS", "the negotiator", "false", MAPPED, "borrow",
      sample="true"),
    S("(order of groups)", "a group", "surplus in proportion to quotas; without "
      "a quota last", MAPPED, "order", fills="order=priority"),
    S("(jobs of a parent)", "a group", "what its groups leave of its quota",
      NOTED, "a queue named <none>", note="jobs that name no group, or a group "
      "with groups below, are in a queue <none> of that group; the tree "
      "guarantees to it what is left of quotas in one unit, and at the root "
      "nothing beside static quotas"),
    S("(order of jobs)", "a group", "by user, past usage decayed", NOTED, "apps",
      fills="apps=user-fair", note="HTCondor counts what users had in the past "
      "(PRIORITY_HALFLIFE), the tree what they hold now. Past usage: weights "
      "of the engine"),
    S("NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", "the negotiator", "true",
      NOTED, sample="false",
      note="unless this is false, HTCondor leaves quotas whole that add to "
      "more than there is, and a group may use its whole quota beside what "
      "groups below it use; the tree cuts such quotas in one ratio, and a group "
      "has its quota once"),
    S("GROUP_AUTOREGROUP_<group>", "a group", "false", NOTED, "borrow",
      "GROUP_AUTOREGROUP", sample="true", note="jobs above the quota stand in "
      "line for what all groups leave, by user; in the tree the group takes "
      "surplus, within what groups above it may take"),
    S("GROUP_AUTOREGROUP", "the negotiator", "false", NOTED, "borrow",
      sample="true", note="as above"),
    S("GROUP_PRIO_FACTOR_<group>", "a group", "DEFAULT_PRIO_FACTOR", LOST,
      sample="10", note="of the users of a group; the tree has weights of "
      "users by name"),
    S("DEFAULT_PRIO_FACTOR", "the negotiator", "1000", LOST, sample="10"),
    S("NICE_USER_PRIO_FACTOR", "the negotiator", "10000000000", LOST,
      sample="10"),
    S("REMOTE_PRIO_FACTOR", "the negotiator", "10000000", LOST, sample="10"),
    S("PRIORITY_HALFLIFE", "the negotiator", "86400", LOST, sample="99"),
    S("GROUP_SORT_EXPR", "the negotiator", "used over quota", LOST,
      sample="AccountingGroup"),
    S("GROUP_DYNAMIC_MACH_CONSTRAINT", "the negotiator", "none", LOST,
      sample="true", note="which slots count for dynamic quotas"),
    S("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", "the negotiator", "3", LOST,
      sample="1"),
    S("NEGOTIATOR_STRICT_ENFORCE_QUOTA", "the negotiator", "true", LOST,
      sample="false", note="false: users and groups may pass quotas above them"),
    S("NEGOTIATOR_USE_WEIGHTED_DEMAND", "the negotiator", "true", LOST,
      sample="false"),
    S("NEGOTIATOR_USE_SLOT_WEIGHTS", "the negotiator", "true", LOST,
      sample="false", note="false: quotas count slots; here cores"),
    S("SLOT_WEIGHT", "the negotiator", "Cpus", LOST, sample="Memory"),
    S("NEGOTIATOR_CONSIDER_PREEMPTION", "the negotiator", "true", LOST,
      sample="false"),
    S("PREEMPTION_REQUIREMENTS", "the negotiator", "false: no preemption",
      LOST, sample="true"),
    S("any other", "the whole", "", UNUSED)]
ROW = {row.name: row for row in ROWS}
KNOWN = Lookup(row for row in ROWS if row.name[0] not in "(a")
SETTING = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(?:=|@=(\w+)\s*$)\s*(.*)", re.S)
MACRO = re.compile(r"\$\(([A-Za-z_][\w.]*)(?::([^()]*))?\)")
TRUE = {"true": True, "t": True, "yes": True, "1": True,
        "false": False, "f": False, "no": False, "0": False}
MAX_TEXT = 1 << 20


@dataclass
class Group:
    """A group: its quota, static (cores) or dynamic (a part), whether a file
    says one, whether there is a group above, and the groups below."""

    name: str
    path: Path
    line: int
    quota: Fraction = Fraction(0)
    static: bool = False
    said: bool = False
    parent: bool = True
    below: list[Group] = field(default_factory=list)


class CondorReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m"})
        # Quotas may be too many, and of two kinds: a note says what comes of it.
        self.draft.severity = {
            FaultCode.GUARANTEE_ABOVE_PARENT: Severity.WARNING,
            FaultCode.PARTS_MIXED: None, FaultCode.PARTS_SUM: None}
        self.said: dict[str, tuple[str, str, int]] = {}
        self.groups: dict[str, Group] = {}

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        plain, variables = filled(data)
        self.draft.unfilled(variables)
        for line, name, value in statements(decoded(self.draft, plain)):
            if not name:
                self.draft.warn(line, value)
                continue
            value = self.expanded(value, name, line)
            self.said[name.lower()] = name, value, line
        top = self.tree()
        over = ROW["NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION"]
        if self.truth(over.name, True):
            self.draft.differ(over, top.line)
        self.make(top)
        self.rest()
        return self.draft.finish()

    def expanded(self, value: str, name: str, line: int) -> str:
        """A value with the macros that stand before it in the file."""
        def known(found: re.Match[str]) -> str:
            held = self.said.get(found[1].lower())
            return held[1] if held else found[2] or ""

        open_ones = [m[1] for m in MACRO.finditer(value)
                     if m[1].lower() not in self.said and m[2] is None]
        made = MACRO.sub(known, value)
        if len(made) > MAX_TEXT:
            self.draft.error(line, "grows beyond measure by its macros",
                             name[:80])
            return ""
        if open_ones and KNOWN.get(name):
            self.draft.warn(line, f"$({open_ones[0][:60]}) is not in the file: "
                            "it counts as empty", name[:80])
        return made

    def get(self, name: str) -> tuple[str, int] | None:
        """What a setting says, and its line."""
        found = self.said.get(name.lower())
        return (found[1].strip(), found[2]) if found else None

    def truth(self, name: str, default: bool) -> bool:
        """A setting that is true or false."""
        found = self.get(name)
        if found is None or not found[0]:
            return default
        value = TRUE.get(found[0].lower())
        if value is None:
            self.draft.error(found[1], f"{found[0][:60]!r} is neither true nor "
                             "false", name[:80])
            return default
        return value

    # ---- groups ----

    def tree(self) -> Group:
        """The groups, parents before children as HTCondor sorts them."""
        found = self.get("GROUP_NAMES")
        if found is None:
            raise failed(self.draft.file, "has no GROUP_NAMES")
        top = Group(NONE, ("root",), found[1], parent=False)
        names = [one for one in re.split(r"[\s,]+", found[0]) if one]
        for name in sorted(names, key=str.lower):
            if name == NONE:
                self.draft.error(found[1], f"{NONE} is the name of the whole",
                                 "GROUP_NAMES")
                continue
            self.group(top, name, found[1])
        return top

    def group(self, top: Group, name: str, line: int) -> None:
        """A group below the groups that its name begins with."""
        words = name.lower().split(".")
        above = self.groups.get(".".join(words[:-1])) if words[1:] else top
        if above is None:
            self.draft.error(line, f"{name[:60]} has no group "
                             f"{'.'.join(name.split('.')[:-1])[:60]} above: "
                             "HTCondor ignores it", "GROUP_NAMES")
            return
        if name.lower() in self.groups:
            self.draft.warn(line, f"{name[:60]} is named twice", "GROUP_NAMES")
            return
        if len(words) >= MAX_DEPTH:
            self.draft.error(line, f"more than {MAX_DEPTH} levels",
                             "GROUP_NAMES")
            return
        made = Group(name, (*above.path, name.split(".")[-1]), line)
        self.groups[name.lower()] = made
        above.below.append(made)
        for static, key in ((True, "GROUP_QUOTA_"),
                            (False, "GROUP_QUOTA_DYNAMIC_")):
            value = self.quota(key + name, static)
            if value is not None and not made.said:
                made.quota, made.static, made.said = value, static, True
                made.line = self.said[(key + name).lower()][2]

    def quota(self, name: str, static: bool) -> Fraction | None:
        """A quota; None where nothing is said, or nothing that can be read."""
        found = self.get(name)
        if found is None:
            return None
        value = fraction(found[0])
        most = (1 << 31) - 1 if static else 1
        if value is None or not 0 <= value <= most:
            what = "a number of 0 or more" if static else "a part of 0 to 1"
            self.draft.error(found[1], f"{found[0][:60]!r} is not {what}",
                             name[:80])
            return None
        return value

    def make(self, top: Group) -> None:
        """The queues of all groups."""
        root = self.draft.queue(top.path, top.line)
        assert root is not None
        todo = [top]
        while todo:
            one = todo.pop()
            if one is not top:
                self.settings(one)
            if one.below:
                self.family(one)
                todo += reversed(one.below)

    def settings(self, one: Group) -> None:
        """What a group that has a queue says."""
        spec = self.draft.queues[one.path]
        if not one.quota:
            self.draft.fill(spec, ROW["(no quota)"])
        surplus = self.truth("GROUP_ACCEPT_SURPLUS_" + one.name,
                             self.truth("GROUP_ACCEPT_SURPLUS", False))
        again = self.truth("GROUP_AUTOREGROUP_" + one.name,
                           self.truth("GROUP_AUTOREGROUP", False))
        if again:
            self.draft.differ(ROW["GROUP_AUTOREGROUP_<group>"], one.line)
        if not surplus and not again:
            row = ROW["GROUP_ACCEPT_SURPLUS_<group>"]
            if self.get("GROUP_ACCEPT_SURPLUS_" + one.name) or \
                    self.get("GROUP_ACCEPT_SURPLUS"):
                self.draft.say_amounts(spec, "borrow", {"cpu": 0}, one.line)
            else:
                self.draft.fill(spec, row)
        if not one.below:
            self.draft.fill(spec, ROW["(order of jobs)"])
            self.draft.differ(ROW["(order of jobs)"], one.line)

    def family(self, above: Group) -> None:
        """The groups of one parent, and the queue of its own jobs."""
        draft = self.draft
        parent = draft.queues[above.path]
        draft.fill(parent, ROW["(order of groups)"])
        for one in above.below:
            if above.parent and not above.quota and one.quota:
                draft.warn(one.line, "the group above has no quota: HTCondor "
                           "takes 0", dotted(one.path))
                one.quota = Fraction(0)
        static = sum((one.quota for one in above.below if one.static),
                     Fraction(0))
        parts = sum((one.quota for one in above.below if not one.static),
                    Fraction(0))
        if static and parts:
            draft.differ(ROW["GROUP_QUOTA_DYNAMIC_<group>"], above.line)
        for one in above.below:
            spec = draft.queue(one.path, one.line)
            if spec is None or not one.quota:
                continue
            if one.static:
                draft.say_amounts(spec, "guarantee", {
                    "cpu": -(-one.quota * 1000 // 1)}, one.line)
            else:
                self.part(one, one.quota / max(parts, Fraction(1)))
        above.below = [one for one in above.below if one.path in draft.queues]
        own = draft.queue((*above.path, NONE), above.line)
        if own is None:
            return
        left = Fraction(0)
        if not static and parts < 1 and (above.quota or not above.parent):
            left = 1 - parts
            draft.say(own, "guarantee", part(left)[0], above.line,
                      Fidelity.DERIVED)
        elif above.static and not parts and above.quota > static:
            left = above.quota - static
            draft.say_amounts(own, "guarantee", {"cpu": left * 1000 // 1},
                              above.line, Fidelity.DERIVED)
        known = above.parent and above.static == bool(static) or not static
        if not left and known:
            draft.say(own, "priority", "-1", above.line, Fidelity.DERIVED)
        draft.differ(ROW["(jobs of a parent)"], above.line)
        draft.fill(own, ROW["(order of jobs)"])

    def part(self, one: Group, value: Fraction) -> None:
        """A part of what the group above has."""
        text, exact = part(value)
        spec = self.draft.queues[one.path]
        self.draft.say(spec, "guarantee", text, one.line)
        if not exact:
            self.draft.warn(one.line, f"is {text} to 0.0001 %",
                            f"{dotted(one.path)}: quota")

    def rest(self) -> None:
        """What the file says beside quotas."""
        for low, (name, value, line) in self.said.items():
            row = KNOWN.get(name)
            if row is None:
                continue
            group = ""
            if "<" in row.name:
                group = low[len(row.name.partition("<")[0]):]
                if group not in self.groups or \
                        self.groups[group].path not in self.draft.queues:
                    self.draft.warn(line, f"no group is named {group[:60]!r}",
                                    name[:80])
                    continue
            if row.fate is LOST and group:
                self.draft.queues[self.groups[group].path].extra[name] = value
            elif row.fate is LOST:
                self.draft.extra[name] = value


#: Lines that are no settings, by their first word.
OTHERS = {"use": "a template of HTCondor, which is not read",
          "include": "another file, which is not read",
          "@include": "another file, which is not read",
          **dict.fromkeys(("if", "elif", "else"), "a condition: the lines "
                          "below are read whether it holds or not"),
          "endif": "", "error": "", "warning": ""}


def statements(text: str) -> Iterator[tuple[int, str, str]]:
    """Settings of a condor_config with their lines; a line ends with a
    backslash where it goes on, and `name @=end` goes on until the line @end. A
    line that is no setting has no name, and says what it is."""
    row, start, until = "", 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if until:
            until = "" if line.strip() == until else until
            continue
        if not row and (not line.strip() or line.lstrip()[0] == "#"):
            continue
        if row and line.lstrip()[:1] == "#":
            continue  # a comment between lines of one setting
        start = start or number
        if line.rstrip().endswith("\\") and len(row) < MAX_TEXT:
            row += line.rstrip()[:-1] + " "
            continue
        found = SETTING.fullmatch(row + line)
        until = f"@{found[2]}" if found and found[2] else ""
        yield from statement(start, row + line, found)
        row, start = "", 0
    if row:
        yield from statement(start, row, SETTING.fullmatch(row))


def statement(line: int, text: str, found: re.Match[str] | None
              ) -> Iterator[tuple[int, str, str]]:
    """One line, or several that are one."""
    if found:
        yield line, found[1], found[3].strip()
        return
    word = re.split(r"[\s:]", text.strip(), maxsplit=1)[0].lower()
    what = OTHERS.get(word, "is no setting: it is passed over")
    if what:
        yield line, "", what


def sniff(name: str, head: bytes) -> bool:
    """A setting of groups."""
    return re.search(rb"^[ \t]*GROUP_(NAMES|QUOTA_\S+|ACCEPT_SURPLUS\S*)"
                     rb"[ \t]*=", head, re.M | re.I) is not None


def read(file: str, data: bytes) -> Configuration:
    """Groups of HTCondor."""
    return CondorReader(file).read(data)
