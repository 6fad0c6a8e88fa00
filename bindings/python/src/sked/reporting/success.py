"""Workflows and their objectives, from the columns `slo_s` and `workflow` of a
file. A run is a job, from its submission to its end. A workflow is
successful if at least 90 % of its runs end within its objective; a tier is as
good as the part of its workflows that are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..plan import Objective, Objectives, objectives
from .given import MOST_TIERS, Given
from .numbers import column
from .waits import SUCCESS, periods
from .when import Clock


@dataclass
class Flow:
    """One workflow: its objective (ns), its runs, and the runs that met it."""

    name: str
    path: str
    tier: int
    slo: int
    runs: int
    met: int
    successful: bool


@dataclass
class Success:
    """Workflows, those with most missed runs first; by tier how many have
    runs and how many are successful; both by period."""

    flows: list[Flow]
    tiers: list[tuple[int, int]]
    periods: list[Objectives]
    labels: list[str]
    worst: list[tuple[str, int, int]] = field(default_factory=list)


def success(given: Given, end: Any, tiers: dict[str, int],
            clock: Clock) -> Success | None:
    """Counts workflows, by their own tier if rows say one, otherwise by the
    tier of their queue. A file without objectives gives None. `end`: the end of
    each job (ns; -1: the job never ended)."""
    import numpy
    notes, jobs = given.notes, given.jobs
    assert notes is not None and jobs is not None
    if not len(notes.slo):
        return None
    rows = numpy.flatnonzero(notes.slo > 0)
    keys, flow = numpy.unique(
        notes.workflow[rows] * (len(given.paths) + 1) + given.leaf[rows],
        return_inverse=True)
    flow = flow.astype("uint32")
    submit = column(jobs.submit)[rows]
    slo: Any = numpy.zeros(len(keys), "int64")
    slo[flow] = notes.slo[rows]  # the last row of a workflow says it
    known = [divmod(int(key), len(given.paths) + 1) for key in keys]
    paths = [given.paths[queue] for _, queue in known]
    tier = numpy.array([tiers.get(path, 1) for path in paths], "uint8")
    own = notes.tier[rows]
    tier[flow[own > 0]] = numpy.minimum(own[own > 0], MOST_TIERS)
    ends = column(end)[rows]
    # A job that never ended misses any objective.
    ends = numpy.where(ends >= 0, numpy.maximum(ends, submit),
                       submit + 2 * slo[flow] + 2)
    whole = objectives(slo, flow, submit, ends, tier=tier,
                       success_ppm=SUCCESS)
    flows = [Flow(notes.workflows[name], path, int(t), int(s), runs, met,
                  Objective(outcome) is Objective.SUCCESSFUL)
             for (name, _), path, t, s, runs, met, outcome in zip(
                 known, paths, tier.tolist(), slo.tolist(),
                 whole.runs.tolist(), whole.met.tolist(),
                 whole.outcome.tolist())]
    flows.sort(key=lambda f: (f.met - f.runs, f.name, f.path))
    edges, labels = periods(int(submit[0]), int(submit[-1]) + 1, clock)
    cut = [int(submit.searchsorted(edge)) for edge in edges]
    found = [objectives(slo, flow[a:b], submit[a:b], ends[a:b], tier=tier,
                        success_ppm=SUCCESS) for a, b in zip(cut, cut[1:])]
    return Success(flows, [(row.workflows, row.successful)
                           for row in whole.tiers[:int(tier.max())]],
                   found, labels,
                   [(f.name, f.runs, f.met) for f in flows[:6]
                    if f.met < f.runs])
