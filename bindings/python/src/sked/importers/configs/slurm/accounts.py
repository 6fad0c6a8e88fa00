"""Accounts of Slurm with their shares and limits: `sacctmgr dump`, and scripts
of sacctmgr commands; qualities of service are kept and checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from ...files import OPEN, failed, filled
from ...model import Configuration, Fidelity, QueueSpec
from ...values import MIB, MOST, fraction, whole
from ..draft import Draft, Path, decoded, dotted
from .settings import KNOWN, OF_ACCOUNTS, UNUSED

FORM = "slurm-accounts"
WORD = re.compile(r"""((?:[^\s"'=]|"[^"]*"|'[^']*')+)"""
                  r"""(?:\s*(=)\s*((?:"[^"]*"|'[^']*'|[^\s"'])*))?""")
DUMPED = re.compile(r"^[ \t]*(Cluster|Parent|Account|User|QOS)[ \t]*-[ \t]*(.*)$")
#: A field ends at a colon, but for the one before a type: gres/gpu:a100=2.
FIELD = re.compile(r"""(?<!\w)([A-Za-z]\w*)=('(?:[^']*)'|"(?:[^"]*)"|"""
                   r"""(?:/[^=,:'"/]*:|[^:])*)""")
#: sacctmgr as a word of a line, and what ends a command of a shell.
CALLED = re.compile(r"""(?:^|[\s"'`;&|(/])sacctmgr(?=[ \t])""")
ENDS = re.compile(r"(?:[;&|#>]|\d>|\|\|).*|\)+;?")
UP_TO = re.compile(r"""(?:"[^"]*"|'[^']*'|[^;"']|["'])*""")
QUOTES = {'"': re.compile(r'(?<!\\)"'), "'": re.compile("'")}
VERBS = {"add": "add", "create": "add", "modify": "modify", "delete": "gone",
         "remove": "gone"}
THINGS = ("account", "user", "qos", "cluster")
TRES = {"cpu": ("cpu", 1000), "mem": ("memory", MIB),
        "gres/gpu": ("gpu", 1000), "node": ("node", 1)}
SUFFIX = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
SHARES = ("fairshare", "share", "shares", "rawshares")
USE_PARENT = (1 << 31) - 1  # how a dump writes the share `parent`
PLACES = {"name", "names", "account", "accounts", "parent", "cluster",
          "clusters", "defaultaccount"}
COUNTS = {"grpjobs", "grpsubmitjobs", "grpsubmit", "maxjobs", "maxsubmitjobs",
          "maxsubmit", "maxsubmitjobspu", "maxsubmitjobsperuser", "priority",
          "maxjobspu", "maxjobsperuser"}


@dataclass
class Said:
    """What an account, a user or a quality of service is told."""

    line: int
    parent: str = ""
    settings: dict[str, tuple[str, int]] = field(default_factory=dict)


@dataclass
class Command:
    """One command, or one line of a dump."""

    line: int
    verb: str
    thing: str
    names: list[str]
    where: dict[str, str]
    options: list[tuple[str, str, str, int]]


class AccountsReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m", "memory": "B", "gpu": "m"})
        self.accounts: dict[str, Said] = {}
        self.users: dict[tuple[str, str, str], Said] = {}
        self.parts: dict[tuple[str, str], dict[str, None]] = {}
        self.qos: dict[str, Said] = {}
        self.most: dict[Path, tuple[int, int]] = {}  # MaxJobs, and its line

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        plain, variables = filled(data)
        self.draft.unfilled(variables)
        text = decoded(self.draft, plain)
        found = list(dumped(text) if DUMPED_LINE.search(text) else
                     script(text))
        if not found:
            raise failed(self.draft.file, "has no account of Slurm")
        for one in found:
            self.take(one)
        self.tree()
        self.unsaid()
        self.check_qos()
        return self.draft.finish()

    # ---- commands ----

    def take(self, one: Command) -> None:
        """One command."""
        open_ones = [name for name in (*one.names, *one.where.values())
                     if "$" in name]
        if open_ones:
            self.draft.warn(one.line, "a variable of the shell: the command is "
                            "passed over", open_ones[0])
            return
        if one.thing == "account":
            self.account(one)
        elif one.thing == "user":
            self.user(one)
        elif one.thing == "qos":
            self.quality(one)
        elif one.thing == "cluster":
            for name in one.names:
                for key, _, value, _ in one.options:
                    self.draft.spelled[f"cluster.{name}.{key}"] = value

    def put(self, said: Said, one: Command) -> None:
        """Options of a command; += adds to a list."""
        for key, how, value, line in one.options:
            if key.lower() in PLACES:
                continue
            old = said.settings.get(key, ("", 0))[0]
            if how == "+=" and old:
                value = old + "," + value
            said.settings[key] = value, line

    def account(self, one: Command) -> None:
        """Accounts are added, changed, taken away."""
        parent = one.where.get("parent", "")
        for name in one.names:
            old = self.accounts.get(name)
            if one.verb == "gone":
                self.accounts.pop(name, None)
            elif one.verb == "add" and old and name != "root":
                self.draft.error(one.line, f"the account is on line {old.line}"
                                 " already", name)
            elif one.verb == "modify" and not old and name != "root":
                self.draft.error(one.line, "no such account", name)
            else:
                old = self.accounts.setdefault(name, Said(one.line, parent))
                old.parent = parent or old.parent
                self.put(old, one)

    def user(self, one: Command) -> None:
        """A user in each of its accounts, in each partition that is named."""
        said = one.where.get("account") or one.where.get("accounts") or ""
        if one.verb == "add":
            said = said or one.where.get("defaultaccount") or ""
        named = {key.lower(): value for key, _, value, _ in one.options}
        parts = (named.get("partition") or named.get("partitions") or
                 "").split(",")
        for name in one.names:
            places = [a for a in said.split(",") if a] or list(dict.fromkeys(
                a for u, a, _ in self.users if u == name))
            if one.verb == "add" and not places:
                self.draft.error(one.line, "a user without an account", name)
            if one.verb == "modify" and not places:
                self.draft.error(one.line, "no such user", name)
            for place in places:
                for part in parts:
                    self.association(one, name, place, part)

    def association(self, one: Command, name: str, place: str,
                    part: str) -> None:
        """A user in an account; what names no partition is about all."""
        parts = self.parts.setdefault((name, place), {})
        there = [p for p in ([part] if part else parts) if p in parts]
        if one.verb == "gone":
            for other in there:
                del parts[other], self.users[name, place, other]
        elif one.verb == "add" and part in parts:
            self.draft.error(one.line, f"the user is in {place[:60]} "
                             "already", name)
        elif one.verb == "modify":
            for other in there:
                self.put(self.users[name, place, other], one)
            if not there:
                self.draft.error(one.line, f"the user is not in {place[:60]}",
                                 name)
        else:
            parts[part] = None
            self.put(self.users.setdefault((name, place, part), Said(
                one.line, place)), one)

    def quality(self, one: Command) -> None:
        """A quality of service."""
        for name in one.names:
            if one.verb == "gone":
                self.qos.pop(name, None)
            elif one.verb == "modify" and name not in self.qos and \
                    name != "normal":
                self.draft.error(one.line, "no such QOS", name)
            elif one.verb == "add" and name in self.qos:
                self.draft.error(one.line, "the QOS is on line "
                                 f"{self.qos[name].line} already", name)
            else:
                self.put(self.qos.setdefault(name, Said(one.line)), one)

    # ---- the tree ----

    def tree(self) -> None:
        """Accounts below their parents, users below their accounts."""
        root = self.accounts.pop("root", Said(0))
        spec = self.draft.queue(("root",), root.line)
        assert spec is not None
        self.settings(spec, root)
        places: dict[str, Path] = {"root": ("root",), "": ("root",)}
        left = dict(self.accounts)
        while left:
            ready = [n for n, said in left.items() if said.parent in places]
            if not ready:
                for name, said in left.items():
                    why = "is above itself" if said.parent in left else \
                        "is not there"
                    self.draft.error(said.line, f"its parent "
                                     f"{said.parent[:60]!r} {why}", name)
                    said.parent = "root"
                continue
            for name in ready:
                said = left.pop(name)
                path = places[said.parent] + (name,)
                made = self.draft.queue(path, said.line)
                places[name] = path if made else places[said.parent]
                if made:
                    self.settings(made, said)
        self.sort_users(places)

    def unsaid(self) -> None:
        """What Slurm does where nothing is said: orders, and bounds that users
        take from the accounts above."""
        parents = {path[:-1] for path in self.draft.queues}
        for path, spec in self.draft.queues.items():
            if path in parents:
                row = OF_ACCOUNTS["(order of associations)"]
                self.draft.fill(spec, row)
                self.draft.differ(row, spec.line)
                continue
            self.draft.fill(spec, OF_ACCOUNTS["(order of jobs)"])
            if spec.spelled.get("kind") != "user":
                continue
            above = [path[:end] for end in range(len(path), 0, -1)]
            most = next((self.most[one] for one in above
                         if one in self.most), None)
            if most is not None and most[0] >= 0:
                own = spec.settings.get("max_running")
                self.draft.say(spec, "max_running", str(min(
                    most[0], int(own or most[0]))), most[1], Fidelity.EXACT
                    if path in self.most else Fidelity.DERIVED)

    def sort_users(self, places: dict[str, Path]) -> None:
        """Users are leaves."""
        for (user, account, part), said in self.users.items():
            name = f"{user}/{part}" if part else user
            if account not in places:
                self.draft.error(said.line, f"no such account: "
                                 f"{account[:60]!r}", name)
                continue
            if places[account] + (name,) in self.draft.queues:
                self.draft.error(said.line, "an account has the user's name",
                                 name)
                continue
            made = self.draft.queue(places[account] + (name,), said.line)
            if made:
                made.spelled["kind"] = "user"
                self.settings(made, said)

    def settings(self, spec: QueueSpec, said: Said) -> None:
        """What an association is told."""
        for key, (value, line) in said.settings.items():
            low, where = key.lower(), f"{dotted(spec.path)}: {key}"
            if low in SHARES:
                self.shares(spec, value, line, where)
            elif low in ("grptres", "grpcpus", "grpmem"):
                text = value if low == "grptres" else \
                    f"{low[3:].rstrip('s')}={value}"
                made = self.tres(text, line, where)
                if made:
                    old = self.draft.vectors.get((spec.path, "limit"), {})
                    self.draft.say_amounts(spec, "limit", {**old, **made},
                                           line)
                if low == "grptres" and "node=" in value:
                    spec.extra[key] = value
            elif low == "grpjobs":
                number = self.count(value, line, where)
                if number is not None and number >= 0:
                    self.draft.say(spec, "max_running", str(number), line)
            elif low == "maxjobs":
                number = self.count(value, line, where)
                if number is not None:
                    self.most[spec.path] = number, line
            elif low in ("partition", "partitions"):
                spec.spelled[key] = value  # it stands in the name
            else:
                if low in COUNTS:
                    self.count(value, line, where)
                elif "tres" in low and "mins" not in low:
                    self.tres(value, line, where)
                row = KNOWN.get(key)
                kept = spec.spelled if row and row.fate is UNUSED else \
                    spec.extra
                kept[key] = value

    def shares(self, spec: QueueSpec, value: str, line: int,
               where: str) -> None:
        """A share is a weight; `parent`: those of the account above."""
        number = whole(value)
        if value.lower() == "parent" or number == USE_PARENT:
            spec.spelled["Fairshare"] = "parent"
            self.draft.trust("weight", Fidelity.ASSUMED)
            self.draft.differ(OF_ACCOUNTS["Fairshare=parent"], line)
        elif number is None or not 0 <= number < 1 << 31:
            self.draft.error(line, f"{value[:60]!r} is no share: a whole "
                             "number, or parent", where)
        else:
            self.draft.weights[spec.path] = Fraction(number)
            self.draft.lines[spec.path, "weight"] = line

    def count(self, value: str, line: int, where: str) -> int | None:
        """A number; -1 takes a limit away."""
        number = whole(value)
        if OPEN in value:
            return None
        if number is None or not -1 <= number < 1 << 31:
            self.draft.error(line, f"{value[:60]!r} is no whole number", where)
            return None
        return number

    def tres(self, text: str, line: int, where: str) -> dict[str, int | None]:
        """cpu=4,mem=16G,gres/gpu=2; kinds of their own are not in the tree."""
        made: dict[str, int | None] = {}
        for pair in text.split(","):
            name, _, value = pair.strip().partition("=")
            if not pair.strip() or OPEN in pair:
                continue
            kind, scale = TRES.get(name, ("", 1))
            number = fraction(value.rstrip("KMGTkmgt"))
            if number is None or number < 0 and number != -1 or not name:
                self.draft.error(line, f"{pair[:60]!r} is no limit", where)
            elif kind == "node":
                continue
            elif not kind:
                self.draft.warn(line, f"{name[:60]} is not in the tree", where)
            elif number >= 0:
                unit = SUFFIX.get(value[-1:].upper(), scale) \
                    if kind == "memory" else scale
                made[kind] = min(int(number * unit), MOST)
        return made

    def check_qos(self) -> None:
        """Each is kept; what names one names one that is there."""
        for name, said in self.qos.items():
            for key, (value, line) in said.settings.items():
                self.draft.extra[f"qos.{name}.{key}"] = value
                where = f"qos {name}: {key}"
                if key.lower() in COUNTS:
                    self.count(value, line, where)
                elif "tres" in key.lower() and "mins" not in key.lower():
                    self.tres(value, line, where)
                elif key.lower() == "usagefactor" and \
                        fraction(value) is None:
                    self.draft.error(line, f"{value[:60]!r} is no number",
                                     where)
                elif key.lower() == "preempt":
                    self.named(value, line, where)
        for owner in (*self.accounts.values(), *self.users.values()):
            for key, (value, line) in owner.settings.items():
                if key.lower() in ("qos", "qoslevel", "defaultqos"):
                    self.named(value, line, key)

    def named(self, value: str, line: int, where: str) -> None:
        """Names of qualities of service."""
        for name in value.split(","):
            name = name.strip("+- ")
            if self.qos and name and name not in self.qos and \
                    name != "normal" and OPEN not in name:
                self.draft.error(line, f"no such QOS: {name[:60]!r}", where)


DUMPED_LINE = re.compile(DUMPED.pattern, re.M)


def dumped(text: str) -> Iterator[Command]:
    """The lines of `sacctmgr dump`."""
    parent = ""
    for line, row in enumerate(text.split("\n"), 1):
        found = DUMPED.match(row)
        if not found:
            continue
        name, _, rest = found[2].strip().partition(":")
        name = name.strip("'\" ")
        if found[1] == "Parent":
            parent = name
            continue
        options = [(key, "=", value.strip("'\""), line)
                   for key, value in FIELD.findall(rest)]
        where = {"parent": parent, "account": parent}
        yield Command(line, "add", found[1].lower(), [name], where, options)


def script(text: str) -> Iterator[Command]:
    """Commands of sacctmgr, one a line."""
    row, start = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        start = start or number
        if line.rstrip().endswith("\\"):
            row += line.rstrip()[:-1] + " \n"
            continue
        row += line
        yield from commands(start, row)
        row, start = "", 0


def commands(line: int, row: str) -> Iterator[Command]:
    """Those of one line: bare ones, or each call of sacctmgr, wherever it
    stands (sudo, docker exec, bash -c "...")."""
    if row.lstrip().startswith("#") or len(row) > 1 << 16:
        return
    calls = list(CALLED.finditer(row))
    if not calls:
        made = command(line, row)
        if made:
            yield made
    open_ones = dict.fromkeys(QUOTES, 0)
    before = 0
    for i, one in enumerate(calls):
        at = one.end()
        for mark, pattern in QUOTES.items():
            open_ones[mark] += len(pattern.findall(row, before, at))
        end = calls[i + 1].start() if i + 1 < len(calls) else len(row)
        made = command(line + row.count("\n", 0, at), called(
            row[at:end], [m for m, n in open_ones.items() if n % 2]))
        before = at
        if made:
            yield made


def called(text: str, marks: list[str]) -> str:
    """The words of a call: to the end of the quotes in which it stands, or of
    the command."""
    for mark in marks:
        end = QUOTES[mark].search(text)
        text = text[:end.start() if end else None]
        text = text.replace("\\" + mark, mark)
    found = UP_TO.match(text)
    return found[0] if found else text


def command(line: int, row: str) -> Command | None:
    """One command; None where a line is none that matters."""
    words = []
    for m in WORD.finditer(row):
        name, how = m[1], m[2] or ""
        if not how and ENDS.fullmatch(name):
            break
        if how and name[-1:] in "+-":
            name, how = name[:-1], name[-1] + how
        words.append((name.strip("'\";"), how, (m[3] or "").strip("'\";"),
                      line + row.count("\n", 0, m.start(1))))
        if (m[3] or m[1]).endswith(";"):
            break
    while words and words[0][0].startswith("-"):
        words.pop(0)
    if len(words) < 2 or words[0][0].lower() not in VERBS:
        return None
    thing = words[1][0].lower().rstrip("s") if words[1][0].lower() != "qos" \
        else "qos"
    if thing not in THINGS:
        return None
    names: list[str] = []
    where: dict[str, str] = {}
    options = []
    for name, how, value, at in words[2:]:
        if not how and name.lower() not in ("set", "where"):
            names += [n for n in name.split(",") if n]
        elif name.lower() in ("name", "names"):
            names += [n for n in value.split(",") if n]
        elif how and name.lower() in PLACES:
            where[name.lower()] = value
        elif how:
            options.append((name, how, value, at))
    return Command(line, VERBS[words[0][0].lower()], thing, names, where,
                   options)


SNIFF = re.compile(rb"^[ \t]*(?:[^#\n]*\bsacctmgr[ \t][^\n]*?)?\b(add|create|modify)"
                   rb"[ \t]+(account|user|qos|cluster)s?\s", re.M | re.I)


def sniff(name: str, head: bytes) -> bool:
    """A dump, or a command about accounts."""
    return DUMPED_LINE.search(head.decode("latin-1")) is not None and \
        b"- '" in head or SNIFF.search(head) is not None


def read(file: str, data: bytes) -> Configuration:
    """Accounts of Slurm."""
    return AccountsReader(file).read(data)
