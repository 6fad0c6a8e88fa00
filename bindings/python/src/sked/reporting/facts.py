"""Everything that a report says, computed once."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..enums import Model
from ..pictures import below_share
from ..pictures.usage import numbers
from ..pictures.words import scale_of
from . import cluster as clusters
from . import planner, runs
from . import waits as waiting
from . import whatif
from .given import SECOND, Given, Mode, Wanted, read, tiers_of

#: Below its share for longer than this in one stretch: starved.
PATIENCE = 900 * SECOND
#: For so many stretches it is looked up who held most then.
NAMED = 12


@dataclass
class Stretch:
    """A queue below its share: from, to (ns from the beginning), what it
    lacked at most, and which queue was most above its own then."""

    path: str
    start: int
    end: int
    lack: int
    holder: str


@dataclass
class Facts:
    """What there is to say. What a file does not give is None or empty."""

    wanted: Wanted
    given: Given
    kind: str
    unit: str
    tiers: dict[str, int]
    cluster: clusters.Cluster | None = None
    ran: runs.Outcome | None = None
    recorded: runs.Recorded | None = None
    waits: list[waiting.Waited] = field(default_factory=list)
    simulated_waits: list[waiting.Waited] = field(default_factory=list)
    goals: waiting.Goals | None = None
    share: dict[str, int] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)
    stretches: list[Stretch] = field(default_factory=list)
    needs: list[planner.Need] = field(default_factory=list)
    advice: planner.Advised | None = None
    after: runs.Outcome | None = None
    growth: list[tuple[float, float]] = field(default_factory=list)
    tried: list[whatif.Tried] = field(default_factory=list)

    @property
    def capacity(self) -> int:
        """What the cluster has of the kind looked at; without a cluster, what
        was in use at most, all queues together."""
        if self.cluster is None:
            return sum(n.total.peak for n in self.needs)
        return self.cluster.capacity[self.given.tree.schema.kind(self.kind)]


def gather(wanted: Wanted) -> Facts:
    """Reads, runs and plans."""
    given = read(wanted)
    tiers = tiers_of(wanted, given)
    if given.mode is Mode.UNITS:
        kind = wanted.kind or "gpu"
    else:
        cluster = clusters.make(wanted, given)
        kind = wanted.kind or main_kind(given, cluster)
    facts = Facts(wanted, given, kind,
                  given.tree.schema.units[given.tree.schema.kind(kind)], tiers)
    if given.mode is not Mode.UNITS:
        facts.cluster = cluster
        facts.recorded = runs.recorded(given, kind)
    if given.mode is Mode.JOBS:
        run_and_compare(facts)
    plan(facts)
    if given.mode is Mode.JOBS:
        what_if(facts)
    return facts


def main_kind(given: Given, cluster: clusters.Cluster) -> str:
    """The kind that jobs need the greatest part of what there is of."""
    jobs = given.jobs
    assert jobs is not None
    kinds = len(given.tree.schema)
    work = [0] * kinds
    for i, (run, tasks) in enumerate(zip(jobs.run, jobs.tasks)):
        for k in range(kinds):
            work[k] += jobs.amounts[i * kinds + k] * tasks * run
    best = max(range(kinds), key=lambda k: (
        work[k] / cluster.capacity[k] if cluster.capacity[k] else -1, -k))
    return given.tree.schema.names[best]


def run_and_compare(facts: Facts) -> None:
    """The run, who waited, and who had how much of what it was due."""
    wanted, given = facts.wanted, facts.given
    assert facts.cluster is not None
    ran = runs.simulate(wanted, given, facts.cluster, given.tree, facts.kind)
    facts.ran = ran
    target = wanted.target
    facts.simulated_waits = waiting.by_queue(given, ran.delays, target, ran,
                                             facts.capacity)
    real = facts.recorded.waits if facts.recorded else ran.delays
    facts.waits = facts.simulated_waits if not facts.recorded else \
        waiting.by_queue(given, real, target, None, facts.capacity)
    facts.goals = waiting.goals(given, real, target, facts.tiers)
    shares(facts)
    stretches(facts)


def shares(facts: Facts) -> None:
    """Steady fair shares, and what was held on average while work came."""
    tree, ran = facts.given.tree, facts.ran
    assert facts.cluster is not None and ran is not None
    names = dict(zip(tree.schema.names, facts.cluster.capacity))
    steady = tree.fair_shares(Model.STEADY, capacity=names)
    facts.share = {q.path: steady[q][facts.kind] for q in tree}
    span = max(1, ran.total.last_submit - ran.total.first_submit)
    every = max(1, ran.total.sample_every)
    count = max(1, min(span // every + 1,
                       len(ran.samples[tree.root.path])))
    facts.used = {path: sum(numbers(table, "usage")[:count]) // count
                  for path, table in ran.samples.items()}


def stretches(facts: Facts) -> None:
    """Leaves below their share for more than the patience, longest first."""
    ran, tree = facts.ran, facts.given.tree
    assert ran is not None
    leaves = [leaf.path for leaf in tree.leaves]
    columns = {p: (numbers(ran.samples[p], "usage"),
                   numbers(ran.samples[p], "share")) for p in leaves}
    every = max(1, ran.total.sample_every)
    found: list[tuple[str, int, int, int]] = []
    for path in leaves:
        for start, end, lack in below_share(ran.samples[path]):
            if end - start > PATIENCE:
                found.append((path, start, end, lack))
    found.sort(key=lambda s: (-(s[2] - s[1]), s[0], s[1]))
    for k, (path, start, end, lack) in enumerate(found):
        holder = "" if k >= NAMED else surplus(columns, start // every,
                                            end // every)
        facts.stretches.append(Stretch(path, start, end, lack, holder))


def surplus(columns: dict[str, tuple[list[int], list[int]]], first: int,
            last: int) -> str:
    """The queue that held most beyond its share between two samples."""
    def over(path: str) -> int:
        used, share = columns[path]
        return sum(max(0, u - s) for u, s in zip(used[first:last],
                                                 share[first:last]))
    best = max(columns, key=lambda p: (over(p), p))
    return best if over(best) else ""


def plan(facts: Facts) -> None:
    """Percentiles, tiers, weights."""
    given = facts.given
    made, paths = planner.history(given, facts.kind, facts.ran)
    facts.needs = planner.needs(made, paths, facts.tiers)
    scale = scale_of(facts.unit) if facts.unit != "B" else 1 << 30
    facts.advice = planner.advise(given, made, paths, facts.tiers, facts.needs,
                                  facts.capacity, scale)


def what_if(facts: Facts) -> None:
    """The same work under the advice and under other changes, and more of it
    under the tree in force."""
    assert facts.ran is not None and facts.cluster is not None
    advice = facts.advice
    if advice is not None and advice.tree is not None and advice.changes:
        facts.after = runs.simulate(facts.wanted, facts.given, facts.cluster,
                                    advice.tree, facts.kind)
    facts.growth = runs.forecast(facts.wanted, facts.given, facts.cluster,
                                 facts.ran.total.delay.p95)
    facts.tried = [outcome("as it is now", facts, facts.ran)]
    if facts.after is not None:
        facts.tried.append(outcome("the proposed weights", facts, facts.after))
    facts.tried += whatif.try_all(facts.wanted, facts.given, facts.cluster)


def outcome(what: str, facts: Facts, ran: runs.Outcome) -> whatif.Tried:
    """A whole run as one of the changes."""
    total = ran.total
    return whatif.Tried(what, total.delay.p50, total.delay.p95,
                        whatif.late_of(ran.delays, facts.wanted.target),
                        total.killed)
