"""python -m sked convert: a configuration or a workload in another form."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from ..enums import Severity
from ..errors import Error
from ..importers import ImportFailed, read_config, write_config
from ..importers.configs.forms import FORMS, WRITERS
from ..importers.workloads import FORMS as WORKLOADS
from ..importers.workloads import read_workload, write_csv
from ..importers.files import head_of
from .._usage import Parser

SUMMARY = "writes a configuration or a workload in another form"
CSV = "csv"
ABOUT = """Reads a configuration and writes it in another form (--to: {}), or a
workload and writes it as common CSV. What is lost is listed on standard error.
Exit status: 0 done, 1 the input has errors (what could be read is written), 2
bad usage or unreadable input; nothing is written then."""
ENDINGS = {".txt": "text", ".tree": "text", ".json": "scheduler-conf",
           ".csv": CSV}


def run(words: Sequence[str]) -> int:
    """The command."""
    parser = Parser(
        prog="python -m sked convert",
        description=ABOUT.format(", ".join(WRITERS)))
    parser.add_argument("sources", metavar="IN", nargs="+",
                        help="a file; - is standard input. Several are one "
                        "configuration, as objects of Kubernetes often are")
    parser.add_argument("target", metavar="OUT",
                        help="a file; - is standard output")
    parser.add_argument("--from", dest="form", metavar="FORM",
                        choices=[*(f.name for f in FORMS),
                                 *(f.name for f in WORKLOADS)],
                        help="what IN is; by default it is looked at")
    parser.add_argument("--to", choices=[*WRITERS, CSV],
                        help="what OUT becomes; by default told by its name")
    parser.add_argument("--capacity", metavar="VEC",
                        help="what the cluster has: \"cpu=400,gpu=64\". Weights "
                        "of KAI and Koordinator then stand for quotas too")
    said = parser.parse_args(words)
    try:
        to = said.to or form_of_name(said.target)
        if to == CSV or said.form in {f.name for f in WORKLOADS}:
            if len(said.sources) > 1:
                raise ValueError(f"{said.sources[1]}: a workload is read from "
                                 "one file")
            return workload(said.sources[0], said.form, said.target)
        return configuration(said.sources, said.form, said.target, to,
                             said.capacity)
    except ImportFailed as error:
        print(error, file=sys.stderr)
    except (Error, OSError, ValueError) as error:
        print(f"convert: {error}", file=sys.stderr)
    return 2


def form_of_name(path: str) -> str:
    """What a file is to become, by its name."""
    name = os.path.basename(path).lower()
    found = next((form for word, form in (
        ("fair", "fair-scheduler"), ("capacity", "capacity-scheduler"))
        if word in name and name.endswith(".xml")), None)
    end = ".csv" if name.endswith(".csv.gz") else os.path.splitext(name)[1]
    found = found or ENDINGS.get(end)
    if found is None:
        raise ValueError(f"{path}: say what it is to be: --to")
    return found


def configuration(sources: list[str], form: str | None, target: str, to: str,
                  capacity: str | None) -> int:
    """A queue tree; findings of the input first, then what is lost."""
    source = sources[0]
    if form is None and source != "-" and len(sources) == 1:
        looks_like_workload(source)
    config = read_config(sources, form)
    if capacity is not None:
        config = config.weighed(capacity)
    for finding in config.findings:
        print(finding, file=sys.stderr)
    for one in shortened(write_config(config, target, to)):
        print(f"{source}: lost: {one}", file=sys.stderr)
    return int(any(f.severity == Severity.ERROR for f in config.findings))


def shortened(lost: list[str]) -> list[str]:
    """What many queues lose alike is said once."""
    groups: dict[str, list[str]] = {}
    for one in lost:
        groups.setdefault(one.partition(": ")[2], []).append(one)
    made = []
    for what, alike in groups.items():
        if not what or len(alike) < 4:
            made += alike
        else:
            made.append(f"{what} (of {len(alike)} queues)")
    return made


def looks_like_workload(source: str) -> None:
    """ValueError where a file is a workload for certain, and no tree."""
    name, head = os.path.basename(source), head_of(source)
    if not any(f.sniff(name, head) for f in FORMS):
        found = next((f for f in WORKLOADS if f.sniff(name, head)), None)
        if found:
            raise ValueError(f"{source}: is a workload ({found.name}): --to "
                             f"{CSV}")


def workload(source: str, form: str | None, target: str) -> int:
    """Jobs, as common CSV; what gave none is counted."""
    found = read_workload(source, form)
    jobs = write_csv(found, target)
    for finding in found.findings.first:
        print(finding, file=sys.stderr)
    for reason, number in found.skipped.items():
        print(f"{source}: lost: {number} records: {reason}", file=sys.stderr)
    print(f"{source}: {jobs} jobs", file=sys.stderr)
    return int(any(f.severity == Severity.ERROR for f in
                   found.findings.first))
