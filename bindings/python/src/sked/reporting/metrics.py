"""The page's facts as metrics: the text format of Prometheus 0.0.4, or
OpenMetrics 1.0. A textfile collector, a push gateway or Grafana reads them.

All metrics are gauges of one report. Names have base units (`_seconds`,
`_bytes`, `_ratio`); labels are `queue` (a path), `tier`, `outcome`, `kind` and
`source` ("recorded" or "simulated")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .data import data
from .facts import Facts

Labels = Mapping[str, object]
#: A metric: its name, its unit ("" for none), its help, its samples.
Metric = tuple[str, str, str, list[tuple[Labels, float]]]
#: How a kind of resource is called where hours are told.
UNITS = {"cpu": "core", "gpu": "gpu", "memory": "gibibyte"}


def text(facts: Facts, openmetrics: bool = False) -> str:
    """All metrics. `openmetrics`: in the form of OpenMetrics, which says units
    and ends in a line `# EOF`."""
    lines: list[str] = []
    for name, unit, about, samples in gathered(facts):
        full = f"sked_{name}" + (f"_{unit}" if unit else "")
        if not samples:
            continue
        lines += [f"# HELP {full} {escaped_help(about)}",
                  f"# TYPE {full} gauge"]
        if openmetrics and unit:
            lines.append(f"# UNIT {full} {unit}")
        lines += [f"{full}{labelled(labels)} {number(value)}"
                  for labels, value in samples]
    return "\n".join([*lines, *(["# EOF"] if openmetrics else [])]) + "\n"


def number(value: float) -> str:
    """A value; whole numbers have no point.

    >>> number(3.0), number(0.25), number(float("nan"))
    ('3', '0.25', 'NaN')
    """
    if value != value:
        return "NaN"
    return str(int(value)) if value == int(value) and abs(value) < 2**53 \
        else repr(float(value))


def labelled(labels: Labels) -> str:
    r"""Labels in braces; "" without any.

    >>> print(labelled({"queue": 'root.a"b', "tier": 1}))
    {queue="root.a\"b",tier="1"}
    """
    made = ",".join(f'{name}="{escaped(str(value))}"'
                    for name, value in labels.items())
    return f"{{{made}}}" if made else ""


def escaped(value: str) -> str:
    r"""The value of a label: backslash, quote and line end are escaped."""
    return escaped_help(value).replace('"', '\\"')


def escaped_help(value: str) -> str:
    r"""A help text: backslash and line end are escaped."""
    return value.replace("\\", "\\\\").replace("\n", "\\n")


def gathered(facts: Facts) -> Iterator[Metric]:
    """All metrics, with their samples."""
    said = data(facts)
    yield from of_inputs(said, facts)
    if said["waits"]:
        yield from of_waits(said)
        yield from of_delivered(said)
    yield from of_objectives(facts, said)
    yield from of_plan(said, facts.kind)


def of_inputs(said: dict[str, Any], facts: Facts) -> Iterator[Metric]:
    """The size of the workload and of the cluster."""
    inputs = said["inputs"]
    yield "report_jobs", "", "Jobs of the report.", [({}, inputs["jobs"])]
    yield ("report_skipped_records", "", "Records left out, by reason.",
           [({"reason": why}, n) for why, n in
            sorted(inputs["skipped"].items())])
    if facts.given.jobs is not None and facts.clock.start is not None:
        yield ("report_begin", "seconds", "First submission, since 1970.",
               [({}, facts.clock.start.timestamp())])
    yield ("capacity", "", "Capacity: cores, GPUs, bytes.",
           [({"kind": kind, "source": has["source"]}, has["amount"])
            for kind, has in inputs["capacity"].items()])
    yield from of_tiles(said)


def of_tiles(said: dict[str, Any]) -> Iterator[Metric]:
    """Two numbers of the tiles that no table has."""
    by = {tile["label"]: tile for tile in said["tiles"]}
    for label, name, about in (
            ("in use", "used_ratio", "Part of the capacity in use."),
            ("growth", "growth_limit_ratio",
             "The workload so many times meets the target.")):
        tile = by.get(label)
        if tile is not None and tile["value"] is not None:
            yield name, "", about, [({"source": tile["source"]},
                                     tile["value"])]


def of_waits(said: dict[str, Any]) -> Iterator[Metric]:
    """Jobs, late jobs, percentiles of waits, and causes, by queue."""
    waits = said["waits"]
    both = [(queue, source, row[source]) for queue, row in waits.items()
            for source in ("recorded", "simulated") if row[source]]
    yield ("target", "seconds", "A job is late if it waits longer.",
           [({}, said["inputs"]["target_s"])])
    yield ("queue_jobs", "", "Jobs of a queue.",
           [({"queue": queue}, row["jobs"]) for queue, row in waits.items()])
    yield ("queue_late_jobs", "", "Jobs that waited longer than the target.",
           [({"queue": q, "source": s}, row["late"]) for q, s, row in both])
    yield ("queue_wait", "seconds", "Percentiles of waits, by nearest rank.",
           [({"queue": q, "source": s, "part": part}, row[name])
            for q, s, row in both
            for part, name in (("0.5", "p50_s"), ("0.95", "p95_s"),
                               ("0.99", "p99_s")) if row[name] is not None])
    yield ("queue_wait_cause_ratio", "",
           "Part of a queue's waiting time by cause, simulated.",
           [({"queue": q, "cause": cause}, part) for q, row in waits.items()
            for cause, part in row["causes"].items()])
    yield ("queue_below_share", "seconds",
           "Time below the instantaneous share, simulated.",
           [({"queue": q}, row["below_s"])
            for q, row in said["shortfall"].items()])


def of_delivered(said: dict[str, Any]) -> Iterator[Metric]:
    """Hours, slowdown, own targets and cost, by queue."""
    rows = {q: row for q, row in said["delivered"].items() if q != "all"}
    yield ("queue_delivered_hours", "",
           "Delivered hours of cores, GPUs and GiB.",
           [({"queue": q, "kind": UNITS.get(kind, kind)}, hours)
            for q, row in rows.items()
            for kind, hours in row["hours"].items()])
    yield ("queue_outcome_hours", "", "The same by how jobs ended.",
           [({"queue": q, "outcome": name, "kind": UNITS.get(kind, kind)},
             hours) for q, row in rows.items()
            for name, did in row["ended"].items()
            for kind, hours in did["hours"].items()])
    yield ("queue_outcome_jobs", "", "Jobs by how they ended.",
           [({"queue": q, "outcome": name}, did["jobs"])
            for q, row in rows.items() for name, did in row["ended"].items()])
    yield ("queue_bounded_slowdown_ratio", "",
           "Percentiles of (wait + run) / run; a run counts as 10 s at least.",
           [({"queue": q, "part": part}, row[name])
            for q, row in rows.items()
            for part, name in (("0.5", "slowdown_p50"),
                               ("0.95", "slowdown_p95"))])
    yield ("queue_target", "seconds", "A queue's own target.",
           [({"queue": q}, row["target_s"]) for q, row in rows.items()])
    yield ("queue_over_target_jobs", "",
           "Jobs that waited longer than the queue's own target.",
           [({"queue": q}, row["late"]) for q, row in rows.items()])
    yield ("queue_cost", "", "What a queue's hours cost.",
           [({"queue": q}, row["cost"]) for q, row in rows.items()
            if row["cost"] is not None])


def of_objectives(facts: Facts, said: dict[str, Any]) -> Iterator[Metric]:
    """Users in time, and successful workflows, by tier."""
    if facts.goals is not None:
        parts = [(tier, facts.goals.part(tier)) for tier in
                 range(1, max(facts.tiers.values(), default=1) + 1)]
        yield ("in_time_ratio", "",
               "Part of users (each queue by queue), or of queues without "
               "users, that have 9 in 10 jobs start within the target.",
               [({"tier": tier}, part) for tier, part in parts
                if part is not None])
    found = said["objectives"]
    if found is not None:
        for name, about in (("workflows", "Workflows with runs."),
                            ("successful", "Workflows of which 9 in 10 runs "
                             "end within their objective.")):
            word = "workflows" if name == "workflows" else \
                "successful_workflows"
            yield word, "", about, [({"tier": row["tier"]}, row[name])
                                    for row in found["tiers"]]


def of_plan(said: dict[str, Any], kind: str) -> Iterator[Metric]:
    """What queues need, other sizes, growth."""
    yield ("queue_need", "",
           "Enough for this part of the time in use: cores, GPUs, bytes.",
           [({"queue": row["queue"], "kind": kind, "part": part}, row[name])
            for row in said["needs"]
            for part, name in parts_of(("50", "80", "90", "95", "99", "100"))])
    yield ("size_late_jobs", "", "Late jobs on a cluster of another size.",
           [({"size": row["size"]}, row["late"]) for row in said["sizes"]])
    growth = said["growth"]
    if growth is not None:
        yield ("growth_wait", "seconds",
               "95th percentile of waits at a multiple of the workload.",
               [({"multiplier": row["multiplier"]}, row["p95_s"])
                for row in growth["points"] if row["p95_s"] is not None])


def parts_of(words: Iterable[str]) -> list[tuple[str, str]]:
    """Parts as labels, and the facts they are.

    >>> parts_of(["95", "100"])
    [('0.95', 'p95'), ('1', 'p100')]
    """
    return [(f"{int(word) / 100:g}", f"p{word}") for word in words]
