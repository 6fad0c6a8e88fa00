"""The forms of configurations by name: which one a file has, reading it,
writing it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import PurePath
from typing import NamedTuple

from ..files import beside, failed, whole
from ..model import READERS, Configuration, Reader, Workload, register_reader
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


def read_config(path: str | os.PathLike[str],
                form: str | None = None) -> Configuration:
    """The queue tree of a file in any form; "-" is standard input. `form`
    names one, else the file is looked at. ImportFailed where nothing can be
    read, ValueError where no form has that name; all else is a finding of the
    result."""
    name = os.fspath(path)
    if form is not None and not any(one.name == form for one in FORMS):
        other = READERS.get(form)
        made = other.read(name) if other else None
        if not isinstance(made, Configuration):
            raise ValueError(f"no form of configuration is named {form!r}")
        return made
    data = whole(name)
    for one in FORMS:
        if one.name == form:
            return one.read(name, data)
    return form_of(name, data).read(name, data)


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
