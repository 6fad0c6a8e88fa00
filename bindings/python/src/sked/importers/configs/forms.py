"""The forms of configurations by name: which one a file has, reading it,
writing it."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple

from ..files import beside, failed, whole
from ..model import (READERS, Configuration, Finding, ImportFailed, Reader,
                     Workload, register_reader)
from . import (armada, capacity, condor, fair, flux, kai, koordinator, kueue,
               nomad, pbs, peloton, plain, quotas, spark, volcano, yunikorn)
from .slurm import accounts, conf as slurm

SNIFFED = 1 << 16


class Form(NamedTuple):
    """A form of configuration."""

    name: str
    what: str
    sniff: Callable[[str, bytes], bool]
    read: Callable[[str, bytes], Configuration]


class Writer(NamedTuple):
    """What writes a form: the text, and what was lost."""

    name: str
    write: Callable[[Configuration], tuple[str, list[str]]]


def has(*words: bytes) -> Callable[[str, bytes], bool]:
    """Any of these words stands in the first 64 KiB."""
    return lambda name, head: any(word in head for word in words)


def matches(pattern: bytes) -> Callable[[str, bytes], bool]:
    """A line like this stands in the first 64 KiB."""
    expression = re.compile(pattern, re.M)
    return lambda name, head: expression.search(head) is not None


FORMS = [
    Form(spark.FORM, "fairscheduler.xml of Spark: the pools of an application",
         spark.sniff, spark.read),
    Form("fair-scheduler", "fair-scheduler.xml of YARN and Hadoop 1",
         has(b"<allocations"), fair.read),
    Form("capacity-scheduler", "capacity-scheduler.xml, scheduler-conf of the "
         "REST API, and Hadoop 1's",
         has(b"yarn.scheduler.capacity.", b"mapred.capacity-scheduler."),
         capacity.read),
    Form(capacity.REST, "/ws/v1/cluster/scheduler of the REST API",
         has(b'"schedulerInfo"'), capacity.read_rest),
    Form(kueue.FORM, "queues, cohorts and flavors of Kueue",
         has(b"kueue.x-k8s.io"), kueue.read),
    Form(volcano.FORM, "queues of Volcano",
         has(b"scheduling.volcano.sh"), volcano.read),
    Form(kai.FORM, "queues of KAI",
         has(b"scheduling.run.ai/"), kai.read),
    Form(koordinator.FORM, "ElasticQuota of Koordinator",
         matches(rb"^[ \t]*\"?kind\"?:[ \t]*\"?ElasticQuota(?:Tree)?\b"),
         koordinator.read),
    Form(armada.FORM, "queues of Armada",
         has(b"armadaproject.io/v"), armada.read),
    Form(quotas.FORM, "ResourceQuota of Kubernetes",
         matches(rb"^[ \t]*\"?kind\"?:[ \t]*\"?ResourceQuota\b"), quotas.read),
    Form(yunikorn.FORM, "queues.yaml of YuniKorn, in a ConfigMap or Helm "
         "values too", yunikorn.sniff, yunikorn.read),
    Form(peloton.FORM, "resource pools of Peloton",
         peloton.sniff, peloton.read),
    Form(accounts.FORM, "accounts of Slurm: sacctmgr dump, and scripts of "
         "sacctmgr commands", accounts.sniff, accounts.read),
    Form(flux.FORM, "banks of flux-accounting: its export for the emulator, "
         "and scripts of flux account commands", flux.sniff, flux.read),
    Form(nomad.FORM, "quota specifications of Nomad, HCL or JSON",
         nomad.sniff, nomad.read),
    Form(pbs.FORM, "queues of PBS: qmgr -c 'print server'", pbs.sniff,
         pbs.read),
    Form(condor.FORM, "group quotas of HTCondor: condor_config",
         condor.sniff, condor.read),
    Form(slurm.FORM, "slurm.conf", slurm.sniff, slurm.read),
    Form("text", "the library's own text form", plain.sniff, plain.read),
]
WRITERS = {one.name: one for one in (
    Writer("fair-scheduler", fair.write),
    Writer("capacity-scheduler", capacity.write),
    Writer("scheduler-conf", capacity.write_json),
    Writer("text", plain.write))}


def reader_of(form: Form) -> Reader:
    """A form as the registry of all readers has it."""
    def read(path: str) -> Configuration | Workload:
        return form.read(path, whole(path))
    return register_reader(Reader(form.name, form.what, form.sniff, read))


for one in FORMS:
    reader_of(one)


def form_of(path: str, data: bytes, default: str = "") -> Form:
    """The form of a file, by its first bytes and its name; ImportFailed where
    it is none and there is no default."""
    name = PurePath(path).name
    for one in FORMS:
        if one.sniff(name, data[:SNIFFED]):
            return one
    for one in FORMS:
        if one.name == default:
            return one
    names = ", ".join(one.name for one in FORMS)
    raise failed(path, f"no form of configuration that is known ({names})")


OTHER_LINE = re.compile(r"\bline (\d{1,9})\b")
INCLUDE = re.compile(rb"^[ \t]*include[ \t]+(\S+)[ \t]*$", re.I | re.M)
#: Forms whose configuration may stand in several files, and what joins them.
SEVERAL = {**dict.fromkeys((kueue.FORM, volcano.FORM, kai.FORM,
                            koordinator.FORM, armada.FORM, quotas.FORM),
                           b"\n---\n"),
           **dict.fromkeys((accounts.FORM, flux.FORM, nomad.FORM, pbs.FORM,
                            condor.FORM, slurm.FORM), b"\n")}


def read_config(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
                form: str | None = None) -> Configuration:
    """The queue tree of a file in any form; "-" is standard input. Several files
    are one configuration: objects of Kubernetes, files of condor_config, commands
    of Slurm, flux, PBS, Nomad. `form` names the form, else the file is looked at.
    ImportFailed where nothing can be read, ValueError where no form has that
    name; all else is a finding of the result."""
    names = [os.fspath(path)] if isinstance(path, (str, os.PathLike)) \
        else [os.fspath(one) for one in path]
    if not names:
        raise ValueError("no file is named")
    if form is not None and not any(one.name == form for one in FORMS):
        other = READERS.get(form)
        made = other.read(names[0]) if other else None
        if not isinstance(made, Configuration):
            raise ValueError(f"no form of configuration is named {form!r}")
        return made
    data = [whole(name) for name in names]
    known = next((one for one in FORMS if one.name == form), None)
    if len(names) == 1:
        return (known or form_of(names[0], data[0])).read(names[0], data[0])
    return joined(names, data, known)


def joined(names: list[str], data: list[bytes],
           known: Form | None) -> Configuration:
    """Several files as one configuration; findings have the file and the line
    there."""
    found = known or first_form(names, data)
    glue = SEVERAL.get(found.name)
    if glue is None:
        raise ValueError(f"{names[1]}: a configuration of {found.name} is one "
                         f"file; several are read of {', '.join(SEVERAL)}")
    text = b""
    starts: list[int] = []
    for one in data:
        plain = one.removeprefix(b"\xef\xbb\xbf")
        text += glue if starts else b""
        starts.append(text.count(b"\n"))
        text += plain

    if found.name == slurm.FORM:
        given = {os.path.basename(name).encode() for name in names}
        text = INCLUDE.sub(lambda line: b"" if os.path.basename(line[1]) in
                           given else line[0], text)

    def place(line: int) -> tuple[str, int]:
        at = bisect_right(starts, line - 1) - 1 if line else 0
        return names[at], line - starts[at] if line else 0

    def other(found: re.Match[str]) -> str:
        file, line = place(int(found[1]))
        return f"line {line} of {file}"

    def placed(finding: Finding) -> Finding:
        file, line = place(finding.line)
        return replace(finding, file=file, line=line,
                       text=OTHER_LINE.sub(other, finding.text))

    try:
        made = found.read(names[0], text)
    except ImportFailed as error:
        raise ImportFailed(placed(error.finding)) from None
    made.findings = [placed(one) for one in made.findings]
    for spec in made.queues:
        spec.line = place(spec.line)[1]
    return made


def first_form(names: list[str], data: list[bytes]) -> Form:
    """The form of the first file that has one."""
    for name, one in zip(names, data):
        try:
            return form_of(name, one)
        except ImportFailed as error:
            fault = error
    raise fault


def write_config(config: Configuration, path: str | os.PathLike[str],
                 form: str) -> list[str]:
    """Writes a configuration in a form; what that form cannot say, in words.
    The file is written beside and renamed at the end; "-" is standard
    output. ValueError where no form has that name."""
    if form not in WRITERS:
        raise ValueError(f"no form {form!r} is written: "
                         f"{', '.join(WRITERS)} are")
    text, lost = WRITERS[form].write(config)
    name = os.fspath(path)
    if name == "-":
        print(text, end="")
    else:
        with beside(name) as file:
            file.write(text.encode())
    return lost
