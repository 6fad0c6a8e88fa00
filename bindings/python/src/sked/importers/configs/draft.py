"""What every reader fills: queues, findings, kinds, and where each was said.

Nothing here raises over what a file says. At the end the library's own checks
of a tree run over the result, and what they find gets the lines of the file."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from ...enums import Attribute, FaultCode, Severity
from ...errors import ConfigError, Error
from ...tree import Fault, Tree
from ..additive import Shares, weighed
from ..files import Variable
from ..model import (Configuration, Fidelity, Finding, QueueSpec,
                     escaped)
from ..values import MOST, amounts_text
from .settings import Setting, pairs

Path = tuple[str, ...]

MAX_FINDINGS = 10000
MAX_QUEUES = 1 << 18
MAX_DEPTH = 64
MAX_NAME = 4096
WEIGHT_MAX = (1 << 32) - 1
ORDER = [Fidelity.EXACT, Fidelity.DERIVED, Fidelity.ASSUMED]


class Draft:
    """A configuration being read."""

    def __init__(self, form: str, file: str, kinds: dict[str, str]) -> None:
        self.form = form
        self.file = file
        self.kinds = dict(kinds)
        self.queues: dict[Path, QueueSpec] = {}
        self.findings: list[Finding] = []
        self.fidelity: dict[str, Fidelity] = {}
        self.extra: dict[str, str] = {}
        self.spelled: dict[str, str] = {}
        #: Defaults that were filled in, and settings that the tree holds with
        #: a difference: the first line, and of how many queues.
        self.filled: dict[tuple[Setting, str], tuple[int, int]] = {}
        self.differs: dict[Setting, tuple[int, int]] = {}
        self.lines: dict[tuple[Path, str], int] = {}
        self.weights: dict[Path, Fraction] = {}
        self.shares: Shares = {}  # where weights come on top of quotas
        self.vectors: dict[tuple[Path, str], dict[str, int | None]] = {}
        #: Faults of the tree that the source's own rules see otherwise: None
        #: where they are none there.
        self.severity: dict[int, Severity | None] = {}
        self.parents: set[Path] = set()
        self.open_lines: set[int] = set()
        self.open_names: set[str] = set()  # said, but not filled in

    # ---- findings ----

    def error(self, line: int, text: str, where: str = "",
              severity: Severity = Severity.ERROR) -> None:
        """Notes a fault; one that may come from an open place is none."""
        if line in self.open_lines:
            return
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(Finding(self.file, line, severity,
                                         where[:400], text[:400]))
        elif len(self.findings) == MAX_FINDINGS:
            self.findings.append(Finding(self.file, line, Severity.ERROR, "",
                                         "more findings than are kept"))

    def warn(self, line: int, text: str, where: str = "") -> None:
        """Notes what is odd."""
        self.error(line, text, where, Severity.WARNING)

    def note(self, line: int, text: str, where: str = "") -> None:
        """Notes what was filled in, or how the tree differs."""
        self.error(line, text, where, Severity.NOTE)

    def unfilled(self, variables: list[Variable]) -> None:
        """The places of a template that were left open."""
        for one in variables:
            self.warn(one.line, "is not filled in", one.name)
        self.open_lines = {one.line for one in variables}

    # ---- queues ----

    def name_fault(self, name: str) -> str | None:
        """Why a name is none."""
        if not name:
            return "a queue without a name"
        if "\0" in name:
            return "a name with a NUL"
        if len(name) > MAX_NAME:
            return f"a name longer than {MAX_NAME}"
        try:
            name.encode()
        except UnicodeEncodeError:
            return "a name that is no Unicode"
        return None

    def queue(self, path: Path, line: int) -> QueueSpec | None:
        """A new queue; None, and a finding, where there can be none."""
        where = dotted(path)
        fault = self.name_fault(path[-1])
        if fault is None and path in self.queues:
            first = self.queues[path].line
            fault = f"the queue is on line {first} already"
        if fault is None and len(path) > MAX_DEPTH:
            fault = f"more than {MAX_DEPTH} levels"
        if fault is None and len(self.queues) >= MAX_QUEUES:
            fault = f"more than {MAX_QUEUES} queues"
        if fault is None and len(path) > 1 and path[:-1] not in self.queues:
            fault = "the queue above it is not there"
        if fault is not None:
            self.error(line, fault, where)
            return None
        made = self.queues[path] = QueueSpec(path, line)
        return made

    def say(self, spec: QueueSpec, key: str, value: str, line: int,
            how: Fidelity = Fidelity.EXACT) -> None:
        """A setting of a queue."""
        spec.settings[key] = value
        self.lines[spec.path, key] = line
        self.trust(key, how)

    def trust(self, key: str, how: Fidelity) -> None:
        """The least sure way in which a setting came to be."""
        old = self.fidelity.get(key, Fidelity.EXACT)
        self.fidelity[key] = max(old, how, key=ORDER.index)

    def kind(self, name: str, unit: str) -> str:
        """The kind of that name, new if need be."""
        self.kinds.setdefault(name, unit)
        return name

    def say_amounts(self, spec: QueueSpec, key: str,
                    said: dict[str, int | None], line: int,
                    how: Fidelity = Fidelity.EXACT) -> None:
        """Amounts by kind in its unit; None is unlimited. Written down at the
        end, when all kinds are known."""
        self.vectors[spec.path, key] = said
        self.say(spec, key, "", line, how)

    def fill(self, spec: QueueSpec, setting: Setting,
             fills: str = "") -> None:
        """The default of a setting that a queue does not say; noted once."""
        fills = (fills or setting.fills).strip()
        for key, value in pairs(fills):
            self.say(spec, key, value, spec.line, Fidelity.DERIVED)
        line, count = self.filled.get((setting, fills), (spec.line, 0))
        self.filled[setting, fills] = line, count + 1

    def differ(self, setting: Setting, line: int) -> None:
        """A setting that the tree holds with a difference; noted once."""
        first, count = self.differs.get(setting, (line, 0))
        self.differs[setting] = first, count + 1

    # ---- the end ----

    def settle_notes(self) -> None:
        """One note for each default, one for each difference."""
        for (setting, fills), (line, count) in self.filled.items():
            many = f" ({count:,} queues)" if count > 1 else ""
            what = f", {fills} here" if fills else ""
            why = f"; {setting.note}" if setting in self.differs or \
                setting.note and not setting.fills else ""
            self.note(line, f"is not said{many}: {setting.default} by "
                      f"default{what}{why}", setting.name)
        for setting, (line, count) in self.differs.items():
            if any(setting == other for other, _ in self.filled):
                continue
            many = f" ({count:,} times)" if count > 1 else ""
            self.note(line, setting.note + many, setting.name)

    def settle_amounts(self) -> None:
        """Amounts as text, kinds in order."""
        for (path, key), said in self.vectors.items():
            settings = self.queues[path].settings
            missing = 0 if key == "guarantee" else None
            beyond = [k for k, v in said.items() if v is None or v >= MOST]
            if key == "guarantee" and beyond:
                self.error(self.lines.get((path, key), 0), "no amount of "
                           f"{beyond[0]} is that large", dotted(path))
                said = {k: v for k, v in said.items() if k not in beyond}
            text = amounts_text(self.kinds, said, missing)
            if text:
                settings[key] = text
            else:
                del settings[key]

    def settle_weights(self) -> None:
        """Weights as whole numbers in the same proportion, siblings by
        siblings; 1 where nothing is said."""
        groups: dict[Path, list[Path]] = {}
        for path in self.queues:
            groups.setdefault(path[:-1], []).append(path)
        for group in groups.values():
            if any(path in self.weights for path in group):
                self.settle_group(group)

    def settle_group(self, group: list[Path]) -> None:
        """Those of one parent."""
        said = [self.weights.get(path, Fraction(1)) for path in group]
        least, scaled = 1, said
        for one in said:
            least = lcm(least, one.denominator)
            if least > WEIGHT_MAX:
                break
        scaled = [one * least for one in said]
        if max(scaled) > WEIGHT_MAX:
            by = WEIGHT_MAX / max(said)
            scaled = [Fraction(max(round(one * by), int(one > 0)))
                      for one in said]
            line = self.lines.get((group[0], "weight"),
                                  self.queues[group[0]].line)
            self.warn(line, "weights are too far apart to be held exactly",
                      dotted(group[0][:-1]))
        for path, one in zip(group, scaled):
            how = Fidelity.EXACT if said == scaled else Fidelity.DERIVED
            if int(one) != 1:
                spec = self.queues[path]
                line = self.lines.get((path, "weight"), spec.line)
                spec.settings = {"weight": str(int(one)), **spec.settings}
                self.lines[path, "weight"] = line
                self.trust("weight", how)

    def finish(self) -> Configuration:
        """The configuration, checked."""
        self.settle_amounts()
        for path, weight in weighed(self.shares, {}).items():
            self.weights[path] = Fraction(weight)
        self.settle_weights()
        self.settle_notes()
        kinds = " ".join(f"{name}={unit}" for name, unit in self.kinds.items())
        made = Configuration(self.form, self.file, kinds,
                             list(self.queues.values()), self.findings,
                             self.fidelity, self.extra, self.spelled,
                             self.shares)
        for one in made.partly():
            self.error(one.line, one.text, one.where, one.severity)
        self.check(made)
        self.findings.sort(key=lambda one: one.line)
        return made

    def check(self, made: Configuration) -> None:
        """The library's own checks."""
        self.parents = {path[:-1] for path in self.queues}
        try:
            tree = Tree(made.kinds)
            tree.read(made.text())
            faults = tree.faults()
        except ConfigError as error:
            faults = [f for f in error.faults if isinstance(f, Fault)]
        except (Error, UnicodeEncodeError) as error:
            self.error(0, f"makes no tree: {error}")
            return
        for fault in faults:
            self.take(fault, made.queues)

    def take(self, fault: Fault, queues: list[QueueSpec]) -> None:
        """One fault of the tree, with its line in the source."""
        severity = self.severity.get(fault.code, fault.severity)
        if severity is None:
            return
        at = fault.line - 2
        spec = queues[at] if 0 <= at < len(queues) else None
        if fault.code == FaultCode.TIMEOUT_IDLE and spec and \
                spec.path in self.parents:
            return  # it is there for the queues below
        path = spec.path if spec else ()
        key = key_of(fault)
        line = self.lines.get((path, key), spec.line if spec else 0)
        self.error(line, told(fault, path), dotted(path), Severity(severity))


def key_of(fault: Fault) -> str:
    """The setting that a fault is about."""
    named = {FaultCode.GUARANTEE_ABOVE_LIMIT: "guarantee",
             FaultCode.LIMIT_ABOVE_PARENT: "limit"}
    if fault.code in named:
        return named[fault.code]
    try:
        return Attribute(fault.attribute).name.lower().removesuffix("_ppm")
    except ValueError:
        return ""


def told(fault: Fault, path: Path) -> str:
    """What a fault says, without its place."""
    text = fault.text
    for _ in range(4):
        head, sep, rest = text.partition(": ")
        if not sep or not (head[-1:].isdigit() or head == "warning"):
            break
        text = rest
    named = ".".join(map(escaped, path)) + ": "
    return text.removeprefix(named).removeprefix("warning: ")


def dotted(path: Path) -> str:
    """A path as people write it."""
    return ".".join(path)


def decoded(draft: Draft, data: bytes) -> str:
    """Bytes as text; what is no UTF-8 is told."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        draft.warn(1 + data.count(b"\n", 0, error.start), "is not UTF-8")
        return data.decode("utf-8", "replace")


__all__ = ["Draft", "MOST", "Path", "decoded", "dotted"]
