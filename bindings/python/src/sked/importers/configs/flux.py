"""Banks and associations of flux-accounting: the hierarchy that `flux account
export-db --fairshare-emulate` writes, and scripts of `flux account` commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from ..files import failed, filled
from ..model import Configuration, QueueSpec
from ..values import whole
from .draft import MAX_DEPTH, Draft, Path, decoded, dotted
from .markup import BadDocument, Node, json_node
from .settings import Fate, Lookup, Setting

FORM = "flux-accounting"
MOST = (1 << 31) - 1  # how the database writes that there is no bound
MAPPED, NOTED, LOST, UNUSED = Fate.MAPPED, Fate.NOTED, Fate.LOST, Fate.UNUSED
S = Setting
BANK, USER = "a bank", "an association"
#: Tables of banks and associations, of flux-accounting 0.54.
ROWS = [
    S("shares", BANK, "none: required", MAPPED, "weight", sample="3",
      gives="weight=3"),
    S("shares", USER, "1", MAPPED, "weight", sample="3", gives="weight=3"),
    S("parent-bank", BANK, "none: the root", MAPPED, "the path"),
    S("bank", USER, "none: required", MAPPED, "the path"),
    S("(order of banks)", BANK, "shares over usage, decayed", NOTED,
      "order fair_kind", fills="order=fair fair_kind=cpu",
      note="flux-accounting counts nodes over time, now and in the past, with "
      "half-life; the tree cores that are held now. Past usage: weights of the "
      "engine"),
    S("(order of jobs)", USER, "urgency, then time", MAPPED, "apps",
      fills="apps=priority"),
    S("max-running-jobs", USER, "5", MAPPED, "max_running",
      fills="max_running=5", sample="9", gives="max_running=9"),
    S("max-cores", USER, "no bound", MAPPED, "limit", sample="8",
      gives="limit=cpu=8"),
    S("max-nodes", USER, "no bound", LOST, sample="4"),
    S("max-active-jobs", USER, "7", LOST, sample="9",
      note="jobs beyond it are refused"),
    S("max-sched-jobs", USER, "no bound", LOST, sample="9"),
    S("priority", BANK, "0", LOST, sample="4",
      note="a part of the priority of jobs: the host says it"),
    S("ignore-older-than", BANK, "0", LOST, sample="100"),
    S("queues", USER, "none: any", LOST, sample="batch",
      note="which partitions a job may use"),
    S("projects", USER, "*", UNUSED, sample="p"),
    S("default-project", USER, "*", UNUSED, sample="p"),
    S("userid", USER, "65534", UNUSED, sample="7"),
    S("fairshare", USER, "0.5", UNUSED, sample="0.5")]
ROW = {(row.name, row.where): row for row in ROWS}
KNOWN = {where: Lookup(ROWS, where) for where in (BANK, USER)}
SHORT = {"-u": "username", "-i": "userid", "-B": "bank", "-N": "max-nodes",
         "-c": "max-cores", "-q": "queues", "-P": "projects",
         "-b": "bank"}
COMMAND = re.compile(r"^[ \t]*(?:\S*/)?flux[ \t]+account[ \t]+"
                     r"(add-bank|add-user|edit-bank|edit-user)\b(.*)$")
EDITS = re.compile(r"^[ \t]*(?:\S*/)?flux[ \t]+account[ \t]+"
                   r"(delete-bank|delete-user)\b")
LISTS = {"queue": "queues", "project": "projects"}
READ = {"shares", "parent-bank", "bank", "username", "max-running-jobs",
        "max-cores"}
SAID = {"bank", "username", "shares", "usage", "children"}


@dataclass
class Entry:
    """A bank or an association: where it belongs, and what it says."""

    name: str
    line: int
    user: bool
    above: str = ""
    said: dict[str, tuple[str, int]] = field(default_factory=dict)
    below: list[Entry] = field(default_factory=list)


class FluxReader:
    """One file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft(FORM, file, {"cpu": "m"})
        self.banks: dict[str, Entry] = {}
        self.users: dict[tuple[str, str], Entry] = {}
        self.limits = True  # does the file tell of limits?

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        plain, variables = filled(data)
        self.draft.unfilled(variables)
        text = decoded(self.draft, plain)
        top = self.exported(text) if text.lstrip()[:1] == "{" else \
            self.scripted(text)
        if top is None:
            raise failed(self.draft.file, "has no root bank")
        todo: list[tuple[Path, Entry]] = [((top.name,), top)]
        while todo:
            path, one = todo.pop()
            spec = self.draft.queue(path, one.line)
            if spec is None:
                continue
            self.settings(spec, one)
            todo += [((*path, child.name), child)
                     for child in reversed(one.below)]
        return self.draft.finish()

    # ---- the export ----

    def exported(self, text: str) -> Entry | None:
        """The hierarchy as JSON."""
        try:
            node = json_node(text)
        except BadDocument as bad:
            raise failed(self.draft.file, bad.text, bad.line) from None
        root = node.get("root")
        if root is None or not isinstance(root.value, dict):
            return None
        self.limits = False
        self.draft.warn(root.line, "an export has no limits (max_running_jobs "
                        "and others): they are not known")
        top = Entry("root", root.line, False)
        todo = [(root, top)]
        while todo:
            node, one = todo.pop()
            user = node.text("username")
            one.user = user is not None
            one.name = user or node.text("bank") or ""
            shares = node.get("shares")
            if shares is not None:
                one.said["shares"] = str(shares.value), shares.line
            for key, kept in node.pairs():
                if key not in SAID:
                    self.draft.warn(kept.line, "is nothing of an export",
                                    f"{one.name[:80]}: {key[:60]}")
            for child in (node.get("children") or Node(0)).items():
                made = Entry("", child.line, False)
                one.below.append(made)
                todo.append((child, made))
        return top

    # ---- scripts ----

    def scripted(self, text: str) -> Entry | None:
        """What the commands of a script make."""
        top = None
        for line, verb, words in commands(self.draft, text):
            if verb == "gone":
                self.draft.warn(line, "deletes what it names: it is kept here")
                continue
            thing = self.thing(line, verb, words)
            if thing is not None and verb == "add-bank" and not thing.above:
                if top is not None:
                    self.draft.error(line, f"the root bank is {top.name[:60]!r}"
                                     " already", thing.name[:80])
                else:
                    top = thing
        for entry in (*self.banks.values(), *self.users.values()):
            if entry is top:
                continue
            above = self.banks.get(entry.above)
            if above is None:
                self.draft.error(entry.line, f"no bank is named "
                                 f"{entry.above[:60]!r}", entry.name[:80])
            else:
                above.below.append(entry)
        return top

    def thing(self, line: int, verb: str, words: list[str]) -> Entry | None:
        """What one command is about, with what it says."""
        user = verb.endswith("user")
        said, plain = options(words, line)
        if user:
            name = said.pop("username", (plain[0] if plain else "", line))[0]
            bank = said.pop("bank", ("", line))[0]
            found = self.users.get((name, bank))
        else:
            name, bank = plain[0] if plain else "", ""
            if len(plain) > 1:
                said["shares"] = plain[1], line
            bank = said.pop("parent-bank", ("", line))[0]
            found = self.banks.get(name)
        if user and name and not bank and verb == "edit-user":
            return self.everywhere(line, name, said)
        if not name or user and not bank:
            self.draft.error(line, "names no bank" if name or not user else
                             "names nobody")
            return None
        if verb.startswith("add"):
            if found is not None:
                self.draft.error(line, f"is on line {found.line} already",
                                 name[:80])
                return None
            found = Entry(name, line, user, bank)
            if user:
                self.users[name, bank] = found
            else:
                self.banks[name] = found
        if found is None:
            self.draft.error(line, "is not there to be edited", name[:80])
            return None
        if not user and verb == "edit-bank" and bank:
            found.above = bank
        self.edit(found, said)
        return found

    def everywhere(self, line: int, name: str,
                   said: dict[str, tuple[str, int]]) -> None:
        """An edit that names no bank is of all associations of a user."""
        found = [one for (user, _), one in self.users.items() if user == name]
        if not found:
            self.draft.error(line, "is not there to be edited", name[:80])
        for one in found:
            self.edit(one, said)

    def edit(self, one: Entry, said: dict[str, tuple[str, int]]) -> None:
        """What a command says of an entry: -1 is the default again, and lists
        grow and shrink."""
        for key, (value, line) in said.items():
            word, _, rest = key.partition("-")
            if value == "-1":
                one.said.pop(key, None)
            elif word in ("add", "delete") and rest in LISTS:
                field_of = LISTS[rest]
                known = one.said.get(field_of, ("", line))[0]
                names = [each for each in known.split(",")
                         if each and each != value]
                one.said[field_of] = ",".join(
                    names + [value] * (word == "add")), line
            else:
                one.said[key] = value, line

    # ---- queues ----

    def settings(self, spec: QueueSpec, one: Entry) -> None:
        """What a bank or an association says."""
        draft, where = self.draft, USER if one.user else BANK
        if one.user:
            draft.fill(spec, ROW["(order of jobs)", USER])
        elif one.below:
            draft.fill(spec, ROW["(order of banks)", BANK])
        shares = self.number(spec, one, "shares", 1 << 32)
        if shares is None and not one.user and "shares" not in one.said:
            draft.error(one.line, "says no shares", dotted(spec.path))
        elif shares is not None and len(spec.path) > 1:
            draft.weights[spec.path] = Fraction(shares)
            draft.lines[spec.path, "weight"] = one.said["shares"][1]
        if one.user:
            self.bounds(spec, one)
        for key, (value, line) in one.said.items():
            row = KNOWN[where].get(key)
            if row is None:
                draft.warn(line, f"is no setting of {where}",
                           f"{dotted(spec.path)}: {key[:60]}")
            if key not in READ or row is None:
                kept = spec.spelled if row and row.fate is UNUSED else \
                    spec.extra
                kept[key] = value

    def bounds(self, spec: QueueSpec, one: Entry) -> None:
        """How much an association may have."""
        running = self.number(spec, one, "max-running-jobs", MOST)
        if running is not None and running < MOST:
            self.draft.say(spec, "max_running", str(running),
                           one.said["max-running-jobs"][1])
        elif "max-running-jobs" not in one.said and self.limits:
            self.draft.fill(spec, ROW["max-running-jobs", USER])
        cores = self.number(spec, one, "max-cores", MOST)
        if cores is not None and cores < MOST:
            self.draft.say_amounts(spec, "limit", {"cpu": cores * 1000},
                                   one.said["max-cores"][1])

    def number(self, spec: QueueSpec, one: Entry, key: str,
               most: int) -> int | None:
        """A whole number of 0 or more; None where nothing is said."""
        if key not in one.said:
            return None
        text, line = one.said[key]
        value = whole(text)
        if text.strip().lower() == "unlimited" and key != "shares":
            return MOST
        if value is None or not 0 <= value <= most:
            self.draft.error(line, f"{text[:60]!r} is no whole number of 0 or "
                             "more", f"{dotted(spec.path)}: {key}")
            return None
        return value


def commands(draft: Draft, text: str) -> Iterator[tuple[int, str, list[str]]]:
    """The commands of a script that concern banks and associations."""
    row, start = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        start = start or number
        if line.rstrip().endswith("\\") and len(row) < 1 << 16:
            row += line.rstrip()[:-1] + " "
            continue
        row += line
        found = COMMAND.match(row)
        if found:
            try:
                yield start, found[1], shlex.split(found[2], comments=True)
            except ValueError as error:
                draft.error(start, f"is no command: {error}")
        elif EDITS.match(row):
            yield start, "gone", []
        row, start = "", 0


def options(words: list[str], line: int) -> tuple[
        dict[str, tuple[str, int]], list[str]]:
    """Options of a command by name, and what stands alone."""
    said: dict[str, tuple[str, int]] = {}
    plain: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("-") or word == "-":
            plain.append(word)
            continue
        name, equals, value = word.partition("=")
        name = SHORT.get(name, name.lstrip("-"))
        if not equals and at < len(words):
            value = words[at]
            at += 1
        said[name] = value, line
    return said, plain


def sniff(name: str, head: bytes) -> bool:
    """A command about banks, or the hierarchy as JSON."""
    text = head.decode("latin-1")
    return any(COMMAND.match(line) for line in text.split("\n")) or \
        head.lstrip()[:1] == b"{" and all(
            word in head for word in (b'"root"', b'"bank"', b'"shares"',
                                      b'"usage"'))


def read(file: str, data: bytes) -> Configuration:
    """Banks of flux-accounting."""
    return FluxReader(file).read(data)
