"""What every importer gives: configurations and workloads with their findings.

A reader never raises over what a file says: each fault is a `Finding` with its
line, and what could be read stands. It raises `ImportFailed`, with the same
facts, only where nothing can be read at all."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

from ..enums import Severity
from ..schema import Schema, Vector
from ..tree import Tree
from .additive import Path, Shares, inexact, weighed

#: How the note on weights on top of quotas begins.
PARTLY = ("quotas are in no proportion to weights (or there are more than four "
          "priorities). While some queues want less "
          "than their part, the source divides the rest by weight alone; the "
          "tree raises the queues that are lowest by weight first. Weights for "
          "each demand: Configuration.weighed(capacity, demand). Queues: ")


class Fidelity(enum.Enum):
    """How a field came to be: said by the source as it is, computed from what
    it says, or supposed because it says nothing."""

    EXACT = "exact"
    DERIVED = "derived"
    ASSUMED = "assumed"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong or odd in a file. `line` counts from 1; 0: the
    whole file. `where`: the queue, job or field concerned."""

    file: str
    line: int
    severity: Severity
    where: str
    text: str

    def __str__(self) -> str:
        at = f"{self.file}:{self.line}" if self.line else self.file
        about = f"{self.where}: " if self.where else ""
        return f"{at}: {self.severity.name.lower()}: {about}{self.text}"


class ImportFailed(ValueError):
    """Nothing of a file can be read; `finding` says where and why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


@dataclass
class QueueSpec:
    """One queue as a source has it. `path` holds the names from the root on;
    `settings` are keys and values of the text form (docs/tree-text.md);
    `extra` what that form has no word for, by the source's own names;
    `spelled` how the source said what stands in `settings`, so that the same
    form writes it back as it was."""

    path: tuple[str, ...]
    line: int = 0
    settings: dict[str, str] = field(default_factory=dict)
    extra: dict[str, str] = field(default_factory=dict)
    spelled: dict[str, str] = field(default_factory=dict)


@dataclass
class Configuration:
    """A queue tree from any source: parents before children, siblings in the
    source's order. `kinds` is a schema's text ("cpu=m memory=B"); `fidelity`
    is by setting; `extra` is what concerns no queue (knobs of preemption,
    placement rules), by the source's own names, and `spelled` what stands in
    the tree."""

    form: str
    file: str
    kinds: str
    queues: list[QueueSpec]
    findings: list[Finding] = field(default_factory=list)
    fidelity: dict[str, Fidelity] = field(default_factory=dict)
    extra: dict[str, str] = field(default_factory=dict)
    spelled: dict[str, str] = field(default_factory=dict)
    #: Of sources that add the weight's part of what is free to a quota; and the
    #: amount that weights were made for.
    shares: Shares = field(default_factory=dict)
    total: dict[str, Fraction] = field(default_factory=dict)

    def lost(self) -> list[str]:
        """What the source says and the tree cannot, by queue and name."""
        return [f"{'.'.join(spec.path)}: {key}" for spec in self.queues
                for key in spec.extra] + list(self.extra) + [
                    f"{'.'.join(path)}: weights of {kind} on top of quotas, "
                    "while other queues want less" for path, kind in
                    inexact(self.shares, self.total).items()]

    def partly(self) -> list[Finding]:
        """A note for each queue whose children share what is free in another
        way than in the source while some of them want less."""
        lines = {spec.path: spec.line for spec in self.queues}
        families: dict[tuple[Path, str], list[Path]] = {}
        for path, kind in inexact(self.shares, self.total).items():
            families.setdefault((path[:-1], kind), []).append(path)
        return [Finding(self.file, lines.get(paths[0], 0), Severity.NOTE,
                        f"{'.'.join(above)}: {kind}"[:400],
                        (PARTLY + ", ".join(path[-1] for path in paths))[:400])
                for (above, kind), paths in families.items()]

    def text(self) -> str:
        """The same in the library's text form."""
        return text_of(self)

    def tree(self, capacity: Vector | None = None) -> Tree:
        """A committed tree of it; ConfigError with every fault where it is
        none. `capacity`: what the root shares out."""
        made = Tree(self.kinds, capacity=capacity)
        known = self if capacity is None else self.weighed(capacity)
        made.read(known.text(), file=self.file)
        return made

    def weighed(self, capacity: Vector,
                demand: Mapping[str, Vector] | None = None) -> Configuration:
        """The same with the weights that a cluster of that size needs, where
        the source adds the weight's part of what is free to a quota (KAI,
        Koordinator). A queue gets in the tree what it gets there, while all
        queues want more; with `demand`, the amount that each leaf wants by its
        path in text, while they want that. A leaf that is not named wants
        nothing. Elsewhere nothing changes. ValueError where no leaf has such a
        path."""
        schema = Schema(self.kinds)

        def amounts(said: Vector) -> dict[str, Fraction]:
            return {name: Fraction(int(amount)) for name, amount in
                    zip(schema.names, schema.vec(said))}

        total = amounts(capacity)
        found = weighed(self.shares, total, None if demand is None else {
            self.leaf(path): amounts(said) for path, said in demand.items()})
        queues = []
        for spec in self.queues:
            settings = spec.settings
            if spec.path in found:
                rest = {key: value for key, value in settings.items()
                        if key != "weight"}
                settings = rest if found[spec.path] == 1 else {
                    "weight": str(found[spec.path]), **rest}
            queues.append(replace(spec, settings=settings))
        made = replace(self, queues=queues, total=total)
        made.findings = sorted(
            [one for one in self.findings if not one.text.startswith(PARTLY)] +
            made.partly(), key=lambda one: one.line)
        return made

    def leaf(self, path: str) -> Path:
        """The names of a leaf by its path in text."""
        names = tuple(bare(name) for name in split(path, "."))
        if not any(spec.path == names for spec in self.queues) or any(
                spec.path[:-1] == names for spec in self.queues):
            raise ValueError(f"demand: {path!r} is no leaf")
        return names


class Job(NamedTuple):
    """One row of a workload, with the columns of the common CSV. Times in ns
    on the source's own clock, amounts of one task in thousandths of a core or
    GPU and in bytes; None where the source does not say. `slo` is how long it
    should take, `workflow` what runs again and again."""

    id: str
    submit: int | None
    start: int | None = None
    end: int | None = None
    run: int | None = None
    tasks: int = 1
    cpu: int | None = None
    memory: int | None = None
    gpu: int | None = None
    user: str = ""
    group: str = ""
    queue: str = ""
    priority: int | None = None
    partition: str = ""
    tier: str = ""
    line: int = 0
    slo: int | None = None
    workflow: str = ""


class Findings:
    """Findings of a stream: the first `keep` of each text, and how many there
    were, so that a file of faults takes no more memory than a good one."""

    def __init__(self, file: str, keep: int = 20) -> None:
        self.file = file
        self.keep = keep
        self.first: list[Finding] = []
        self.counts: dict[str, int] = {}

    def add(self, line: int, text: str, where: str = "",
            severity: Severity = Severity.ERROR) -> None:
        """Notes one; `text` is the reason, alike for alike faults."""
        seen = self.counts.get(text, 0)
        self.counts[text] = seen + 1
        if seen < self.keep:
            self.first.append(Finding(self.file, line, severity, where, text))


class Workload:
    """Jobs of a source, read anew by each iteration, a row at a time, in
    bounded memory. A source of which nothing is understood ends in an
    ImportFailed, never in no jobs. After an iteration `findings` says what was wrong in it,
    `skipped` how many records gave no job, by reason, and `records` how many
    there were. `fidelity` is by column of `Job`."""

    def __init__(self, form: str, file: str,
                 rows: Callable[[Workload], Iterator[Job]],
                 fidelity: Mapping[str, Fidelity]) -> None:
        self.form = form
        self.file = file
        self.fidelity = dict(fidelity)
        self.findings = Findings(file)
        self.skipped: dict[str, int] = {}
        self.records = 0
        self._rows = rows

    def __iter__(self) -> Iterator[Job]:
        self.findings = Findings(self.file)
        self.skipped = {}
        self.records = 0
        return self.understood(self._rows(self))

    def understood(self, rows: Iterator[Job]) -> Iterator[Job]:
        """The rows; ImportFailed at the end where something was wrong and
        nothing was understood: no job, and no record that gives none."""
        any_job = False
        for job in rows:
            any_job = True
            yield job
        wrong = [f for f in self.findings.first if f.severity is Severity.ERROR]
        if wrong and not any_job and not self.skipped:
            raise ImportFailed(wrong[0])

    def to_pandas(self, *, zone: str | None = None) -> Any:
        """All jobs as a pandas.DataFrame: cores and GPUs as numbers with
        fractions, bytes, nulls where the source says nothing. Times are
        lengths of time on the source's clock; with `zone`, where that clock
        counts from 1970, dates there."""
        from .frames import workload_pandas
        return workload_pandas(self, Job._fields, zone)

    def to_polars(self, *, zone: str | None = None) -> Any:
        """The same as a polars.DataFrame."""
        from .frames import workload_polars
        return workload_polars(self, Job._fields, zone)

    def __repr__(self) -> str:
        return f"<Workload {self.file!r} ({self.form})>"

    def skip(self, reason: str) -> None:
        """Counts a record that gives no job."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1


class Reader(NamedTuple):
    """One form. `sniff` looks at a file's name and its first 64 KiB,
    unpacked; `read` gets a path ("-" is standard input; .gz, .xz and, where
    the module is there, .zst are unpacked on the way)."""

    name: str
    what: str
    sniff: Callable[[str, bytes], bool]
    read: Callable[[str], Configuration | Workload]


READERS: dict[str, Reader] = {}


def register_reader(reader: Reader) -> Reader:
    """Makes a form known to read_config, read_workload and the commands. A
    name already taken is replaced."""
    READERS[reader.name] = reader
    return reader


# ---- the library's text form ----

ESCAPED = re.compile(r"[ \\#=\".\x01-\x1f\x7f]")
QUOTED = re.compile(r"[\\\"\x01-\x08\x0a-\x1f\x7f]")
PLAIN = re.compile(r"[^ \\#\"\x01-\x1f\x7f]+")


def escaped(name: str) -> str:
    """A name as one component of a path in text."""
    return ESCAPED.sub(r"\\\g<0>", name)


def quoted(value: str) -> str:
    """A value; in quotes where it has blanks or stands empty."""
    if PLAIN.fullmatch(value):
        return value
    inner = QUOTED.sub(r"\\\g<0>", value)
    return f'"{inner}"'


def text_of(config: Configuration) -> str:
    """A configuration in the text form (docs/tree-text.md)."""
    lines = [f"kinds {config.kinds}"]
    for queue in config.queues:
        path = ".".join(escaped(name) for name in queue.path)
        said = [f"{key}={quoted(v)}" for key, v in queue.settings.items()]
        lines.append(" ".join([path, *said]))
    return "\n".join(lines) + "\n"


def bare(text: str) -> str:
    """A name or a value without its quotes and backslashes."""
    if text.startswith('"'):
        text = text[1:-1]
    return re.sub(r"\\(.)", r"\1", text, flags=re.S)


def split(text: str, at: str) -> list[str]:
    """Splits at a character that stands for itself."""
    parts, start, quoted, skip = [], 0, False, False
    for i, c in enumerate(text):
        if skip:
            skip = False
        elif c == "\\":
            skip = True
        elif c == '"':
            quoted = not quoted
        elif c == at and not quoted:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]]
