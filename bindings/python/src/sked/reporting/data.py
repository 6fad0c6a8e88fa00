"""The page's facts as data: what `report --json` writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..pictures import limit, words
from . import say as saying
from .delivered import exact_hours, hours_of
from .facts import Facts
from .given import SECOND, Mode
from .states import CAUSES, PATIENCE
from .waits import Waited


def seconds(ns: float) -> float | None:
    """ns as seconds; None for what never was."""
    return None if ns < 0 else ns / SECOND


def unit_of(facts: Facts, kind: str) -> int:
    """How many of a schema's unit are one core, GPU, or byte."""
    schema = facts.given.tree.schema
    return words.scale_of(schema.units[schema.kind(kind)])


def capacity(facts: Facts) -> dict[str, Any]:
    """What there is of each kind, and where that comes from."""
    if facts.cluster is None:
        return {facts.kind: {"amount": facts.capacity / unit_of(
            facts, facts.kind), "source": facts.source}}
    spikes = facts.cluster.spikes
    return {name: {"amount": amount / unit_of(facts, name), "source": source,
                   **({"peak": spikes[name].peak / unit_of(facts, name),
                       "above": spikes[name].part,
                       "peak_taken": not spikes[name].taken}
                      if name in spikes else {})}
            for name, amount, source in zip(
                facts.given.tree.schema.names, facts.cluster.capacity,
                facts.cluster.source)}


def window(facts: Facts) -> dict[str, Any] | None:
    """The time in which use is measured, on the workload's clock."""
    found = facts.window
    return None if found is None else {
        "from_s": found.begin / SECOND, "to_s": found.end / SECOND,
        "cut": found.cut, "started_before": found.before}


def inputs(facts: Facts) -> dict[str, Any]:
    """What it is made from."""
    given = facts.given
    start = facts.clock.start
    return {"jobs": len(given.jobs) if given.jobs is not None else 0,
            "records": given.records, "form": given.form,
            "mode": given.mode.value, "skipped": dict(given.skipped),
            "faults": given.faults, "window": window(facts),
            "waits_only": len(given.notes.aside) if given.notes else 0,
            "capacity": capacity(facts),
            "nodes": facts.cluster.count if facts.cluster else None,
            "kind": facts.kind, "target_s": facts.wanted.target / SECOND,
            "replayed": len(facts.replayed.jobs) if facts.replayed and
            facts.replayed.jobs is not None else 0,
            "begins": start.isoformat() if start else None,
            "tree": "one leaf a queue" if facts.wanted.tree is None
            else "told", "assumptions": [str(a["plain"]) for a in
                                         saying.assumptions(facts)]}


def plain(said: Any) -> str:
    """HTML as text."""
    return str(said.striptags())


def tiles(facts: Facts) -> list[dict[str, Any]]:
    """The numbers at the top, as plain text."""
    return [{**t, "what": plain(t["what"])}
            for t in saying.tile_data(facts)]


def waited(said: Waited | None) -> dict[str, Any] | None:
    """Percentiles of waits."""
    if said is None:
        return None
    return {"p50_s": seconds(said.p50), "p95_s": seconds(said.p95),
            "p99_s": seconds(said.p99), "late": said.over}


def waits(facts: Facts) -> dict[str, Any]:
    """Waits by queue, recorded and simulated, and the parts of the simulated
    waiting time by cause."""
    recorded = {w.path: w for w in facts.waits} if facts.recorded else {}
    simulated = {w.path: w for w in facts.simulated_waits}
    either = {**simulated, **recorded}
    return {path: {"jobs": said.jobs,
                   "recorded": waited(recorded.get(path)),
                   "simulated": waited(simulated.get(path)),
                   "causes": {c: simulated[path].causes.get(c, 0.0)
                              for c in CAUSES}
                   if path in simulated and simulated[path].causes else {}}
            for path, said in either.items()}


def below_share(facts: Facts) -> list[dict[str, Any]]:
    """Stretches below a share longer than `patience_s`, on the workload's
    clock, exact."""
    scale = {kind: unit_of(facts, kind) for kind in
             facts.given.tree.schema.names}
    return [{"queue": s.path, "from_s": s.start / SECOND,
             "for_s": (s.end - s.start) / SECOND, "kind": s.kind,
             "lack": s.lack / scale[s.kind], "most_over": s.holder or None}
            for s in facts.stretches]


def shortfall(facts: Facts) -> dict[str, Any]:
    """For how long each queue was below its share, and how long of that its
    share lay free, but nowhere as much at once as its oldest job needs."""
    states = facts.states
    return {path: {"below_s": below / SECOND,
                   "in_pieces_s": states.pieces[path] / SECOND}
            for path, below in states.below.items() if below}


def advice(facts: Facts) -> dict[str, Any] | None:
    """What is advised, and its proof; None: keep what there is."""
    found = facts.searched
    if found is None or found.proved is None:
        return None
    proof = found.proved
    return {"what": proof.what,
            "changes": [{"queue": c.path or None, "setting": c.setting,
                         "before": c.before, "after": c.after}
                        for c in found.changes],
            "proved": {"jobs": proof.jobs, "late_before": proof.late_before,
                       "late_after": proof.late_after,
                       "all_before": proof.all_before,
                       "all_after": proof.all_after, "sure": proof.sure,
                       "fewer_95": list(proof.fewer),
                       "killed": proof.killed,
                       "mean_end_before_s": seconds(proof.done_before),
                       "mean_end_after_s": seconds(proof.done_after),
                       "from_s": found.split / SECOND}}


def growth(facts: Facts) -> dict[str, Any] | None:
    """The sweep over multipliers, and where it reaches the target."""
    if not facts.growth:
        return None
    found = limit(saying.points(facts), facts.wanted.target / SECOND)
    when = saying.reached(facts)
    return {"points": [{"multiplier": float(p.multiplier),
                        "p95_s": seconds(p.p95), "least_s": seconds(p.least),
                        "most_s": seconds(p.most), "seeds": p.seeds}
                       for p in facts.growth],
            "limit": found.multiplier, "exceeded": found.exceeded,
            "limit_range": list(saying.limits(facts)),
            "yearly": facts.yearly,
            "reached": when.isoformat() if when else None}


def sizes(facts: Facts) -> list[dict[str, Any]]:
    """Clusters of other sizes."""
    return [{"size": float(t.size), "nodes": t.nodes, "late": t.late,
             "p95_s": seconds(t.p95)} for t in facts.tried]


def removal(facts: Facts) -> dict[str, Any] | None:
    """What it costs to take nodes away: node time and work that are lost, on
    average over the instants that were looked at."""
    cost = facts.removal
    if cost is None:
        return None
    return {"nodes": cost.nodes, "drain_p50_s": seconds(cost.drain_p50),
            "drain_p95_s": seconds(cost.drain_p95),
            "kept_node_s": cost.held / SECOND, "killed_tasks": cost.killed,
            "lost_s": cost.lost / unit_of(facts, facts.kind) / SECOND}


def needs(facts: Facts) -> list[dict[str, Any]]:
    """What each queue needs."""
    scale = unit_of(facts, facts.kind)
    names = ("p50", "p80", "p90", "p95", "p99", "p100")
    return [{"queue": n.path, "tier": n.tier,
             "in_use_s": n.total.in_use / SECOND,
             **{name: p.amount / scale for name, p in zip(names, n.points)},
             "planned": n.chosen.amount / scale if n.chosen else None}
            for n in facts.needs]


def hours(facts: Facts, work: Sequence[int]) -> dict[str, float]:
    """Hours of cores, GPUs and GiB, by kind."""
    schema = facts.given.tree.schema
    return {kind: hours_of(did, schema.units[k]) for k, (kind, did) in
            enumerate(zip(schema.names, work))}


def delivered(facts: Facts) -> dict[str, Any]:
    """Hours, bounded slowdown, own targets, outcomes and cost by queue; all
    jobs as "all". Hours are of cores, GPUs or GiB."""
    return {row.path or "all": {
        "jobs": row.jobs, "hours": hours(facts, row.work),
        "slowdown_p50": row.slowdown_p50, "slowdown_p95": row.slowdown_p95,
        "slowdown_mean": row.slowdown_mean, "target_s": row.target / SECOND,
        "late": row.late, "wait_p95_s": seconds(row.wait_p95), "met": row.met,
        "cost": cost(facts, row.work),
        "ended": {name: {"jobs": jobs, "hours": hours(facts, did)}
                  for name, (jobs, did) in row.ended.items()}}
        for row in facts.delivered}


def cost(facts: Facts, work: Sequence[int]) -> float | None:
    """What hours cost; None without a price."""
    if not facts.wanted.price:
        return None
    schema = facts.given.tree.schema
    return float(sum(
        (price * exact_hours(work[schema.kind(kind)],
                             schema.units[schema.kind(kind)])
         for kind, price in facts.wanted.price if kind in schema.names),
        Fraction(0)))


def workflows(facts: Facts) -> dict[str, Any] | None:
    """Workflows and their objectives, by tier and one by one."""
    found = facts.success
    return None if found is None else {
        "tiers": [{"tier": k + 1, "workflows": count, "successful": good}
                  for k, (count, good) in enumerate(found.tiers)],
        "workflows": [{"workflow": f.name, "queue": f.path, "tier": f.tier,
                       "slo_s": f.slo / SECOND, "runs": f.runs, "met": f.met,
                       "successful": f.successful} for f in found.flows]}


def data(facts: Facts) -> dict[str, Any]:
    """All of it."""
    jobs = facts.given.mode is Mode.JOBS
    found = facts.searched
    return {"headline": plain(saying.headline(facts)),
            "inputs": inputs(facts), "tiles": tiles(facts),
            "waits": waits(facts) if jobs else {},
            "delivered": delivered(facts), "objectives": workflows(facts),
            "below_share": below_share(facts),
            "shortfall": shortfall(facts) if jobs else {},
            "patience_s": PATIENCE / SECOND,
            "advice": advice(facts),
            "kept_because": found.why or None if found else None,
            "trials": [{"what": t.what, "late": t.late,
                        "p95_s": seconds(t.p95)}
                       for t in found.trials] if found else [],
            "proofs": [{"what": p.what, "late_before": p.late_before,
                        "late_after": p.late_after,
                        "all_before": p.all_before, "all_after": p.all_after,
                        "sure": p.sure, "advised": p.advised}
                       for p in found.proofs] if found else [],
            "growth": growth(facts), "sizes": sizes(facts),
            "removal": removal(facts), "needs": needs(facts),
            **({"beside": data(facts.other)} if facts.other else {})}


def text(facts: Facts) -> str:
    """The same as JSON text; the same bytes for the same input."""
    return json.dumps(data(facts), ensure_ascii=False, indent=1) + "\n"
