"""Everything that a report says, computed once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..enums import AMOUNT_MAX, Model
from ..pictures.words import scale_of
from . import cluster as clusters
from . import delivered as delivering
from . import parts, planner, runs
from . import search as searching
from . import success as succeeding
from . import waits as waiting
from . import whatif
from .given import Given, Mode, Wanted, read, targets_said, tiers_of
from .numbers import column, exact_dot
from .states import States, Stretch
from .when import Clock, clock_of
from .window import Window, window_of

#: Tells a waiting user the part of the work that is done, and the next step.
Progress = Callable[[float, str], object]


@dataclass
class Facts:
    """The facts of the page. A fact that the file does not give is None or
    empty."""

    wanted: Wanted
    given: Given
    kind: str
    unit: str
    tiers: dict[str, int]
    clock: Clock
    cluster: clusters.Cluster | None = None
    ran: runs.Outcome | None = None
    recorded: runs.Recorded | None = None
    window: Window | None = None
    #: The part of the history that changes are tried on, and its run: the whole
    #: history and `ran`, unless the history is long (see `parts`).
    replayed: Given | None = None
    part: Given | None = None
    base: runs.Outcome | None = None
    seen: waiting.Seen | None = None
    waits: list[waiting.Waited] = field(default_factory=list)
    simulated_waits: list[waiting.Waited] = field(default_factory=list)
    users: list[waiting.OfUser] = field(default_factory=list)
    goals: waiting.Goals | None = None
    #: The amounts that each queue got (first the sum over all queues), and
    #: workflows with objectives.
    delivered: list[delivering.Delivered] = field(default_factory=list)
    success: succeeding.Success | None = None
    targets: dict[str, int] = field(default_factory=dict)
    #: Another cluster that the page shows beside this one.
    other: Facts | None = None
    share: dict[str, int] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)
    needs: list[planner.Need] = field(default_factory=list)
    advice: planner.Advised | None = None
    searched: searching.Searched | None = None
    growth: list[runs.Point] = field(default_factory=list)
    yearly: float | None = None
    tried: list[whatif.Tried] = field(default_factory=list)
    removal: whatif.Removal | None = None

    @property
    def capacity(self) -> int:
        """The cluster's amount of the kind of the page. Without a cluster: the
        peak of use, over all queues together."""
        if self.cluster is None:
            return self.told or min(sum(n.total.peak for n in self.needs),
                                    AMOUNT_MAX)
        return self.cluster.capacity[self.given.tree.schema.kind(self.kind)]

    @property
    def told(self) -> int:
        """The amount of --capacity in the kind of the page; 0: not given."""
        if not self.wanted.capacity:
            return 0
        schema = self.given.tree.schema
        return max(0, int(schema.vec(self.wanted.capacity, -1)[
            schema.kind(self.kind)]))

    @property
    def source(self) -> str:
        """Where the capacity comes from."""
        if self.cluster is None:
            return clusters.TOLD if self.told else clusters.PEAK
        return self.cluster.source[self.given.tree.schema.kind(self.kind)]

    @property
    def states(self) -> States:
        """The states of queues in the replay."""
        return self.ran.states if self.ran else States()

    @property
    def stretches(self) -> list[Stretch]:
        """Times below a share, the longest first."""
        return self.states.stretches

    @property
    def real(self) -> Any:
        """The wait of each job: recorded, also of rows that cannot be
        replayed, or else simulated; -1: never started."""
        return self.seen.wait if self.seen is not None else column([])

    @property
    def how(self) -> str:
        """The source of the waits: recorded or simulated."""
        return "recorded" if self.recorded is not None else "simulated"


def silent(part: float, what: str) -> None:
    """Nobody waits."""


def gather(wanted: Wanted, progress: Progress = silent) -> Facts:
    """Reads, runs and plans."""
    progress(0.0, "reading")
    given = read(wanted, lambda rows: progress(0.0, f"reading, {rows:,} rows"))
    tiers = tiers_of(wanted, given)
    first = given.jobs.submit[0] if given.jobs is not None and \
        len(given.jobs) else 0
    clock = clock_of(first, given.epoch, wanted.zone)
    cluster = None
    if given.mode is Mode.UNITS:
        kind = wanted.kind or "gpu"
    else:
        cluster = clusters.make(wanted, given)
        kind = wanted.kind or main_kind(given, cluster)
    facts = Facts(wanted, given, kind,
                  given.tree.schema.units[given.tree.schema.kind(kind)], tiers,
                  clock, cluster,
                  targets=targets_said(wanted.targets, given.tree))
    if given.mode is not Mode.UNITS:
        facts.recorded = runs.recorded(given, kind)
        facts.window = window_of(given)
    if given.mode is Mode.JOBS:
        progress(0.1, "replaying")
        run_and_compare(facts, progress)
    progress(0.25, "planning")
    plan(facts)
    if given.mode is Mode.JOBS:
        what_if(facts, progress)
    progress(0.9, "drawing")
    return facts


def main_kind(given: Given, cluster: clusters.Cluster) -> str:
    """The kind that jobs need the greatest part of what there is of."""
    assert given.jobs is not None
    names = given.tree.schema.names
    run = column(given.jobs.run)
    part = [exact_dot(given.held(name), run) / has if has else -1
            for name, has in zip(names, cluster.capacity)]
    best = max(range(len(names)), key=lambda k: (part[k], -k))
    return given.tree.schema.names[best]


def run_and_compare(facts: Facts, progress: Progress) -> None:
    """The run, who waited, and who had how much of what it was due."""
    target = facts.wanted.target
    given, ran = replay(facts, progress)
    causes = {leaf.path: ran.states.parts(leaf.path)
              for leaf in given.tree.leaves}
    simulated = waiting.seen(given, ran.delays, facts.kind)
    facts.seen = simulated if facts.recorded is None else \
        waiting.seen(facts.given, facts.recorded.waits, facts.kind, aside=True)
    facts.simulated_waits = waiting.by_queue(simulated, target, causes)
    facts.waits = facts.simulated_waits if not facts.recorded else \
        waiting.by_queue(facts.seen, target)
    facts.users = waiting.by_user(facts.seen, target)
    facts.goals = waiting.goals(facts.seen, target, facts.tiers, facts.clock,
                                since(facts))
    assert facts.given.notes is not None
    recorded = facts.recorded is not None
    of, waits, ends = (facts.given, facts.recorded.waits,
                       facts.given.notes.end) if facts.recorded else \
        (given, ran.delays, ran.ends.last)
    facts.delivered = delivering.delivered(of, facts.seen, waits, recorded,
                                           target, facts.targets)
    facts.success = succeeding.success(of, ends, facts.tiers, facts.clock)
    shares(facts)


def replay(facts: Facts, progress: Progress) -> tuple[Given, runs.Outcome]:
    """Replays the history. If the history is long and waits are recorded,
    replays only the part with most late jobs. If a long history has no recorded
    waits, replays the whole and then the part with most late jobs."""
    given = facts.given
    assert facts.cluster is not None

    def run(jobs_of: Given) -> runs.Outcome:
        assert facts.cluster is not None
        return runs.simulate(
            facts.wanted, jobs_of, facts.cluster, given.tree, facts.kind,
            lambda what: progress(0.1, f"replaying, {what}"))

    facts.replayed = given
    if facts.recorded is None:
        facts.ran = run(given)
    waits = facts.ran.delays if facts.ran else facts.recorded.waits  # type: ignore[union-attr]
    facts.part = parts.part_of(given, waiting.is_late(
        column(waits), facts.wanted.target))
    if facts.ran is None:
        facts.ran, facts.replayed = run(facts.part), facts.part
    facts.base = facts.ran if facts.replayed is facts.part else run(facts.part)
    return facts.replayed, facts.ran


def since(facts: Facts) -> int | None:
    """From when on an export by ends is measured; None: it is none."""
    window = facts.window
    return window.begin if window is not None and window.cut else None


def shares(facts: Facts) -> None:
    """Steady fair shares, and what was held on average while work came."""
    tree, ran = facts.given.tree, facts.ran
    assert facts.cluster is not None and ran is not None
    names = dict(zip(tree.schema.names, facts.cluster.capacity))
    steady = tree.fair_shares(Model.STEADY, capacity=names)
    facts.share = {q.path: steady[q][facts.kind] for q in tree}
    k = tree.schema.kind(facts.kind)
    held = dict.fromkeys(facts.share, 0.0)
    for leaf in tree.leaves:
        above = leaf
        while above is not None:
            held[above.path] += ran.states.held[leaf.path][k]
            above = above.parent  # type: ignore[assignment]
    facts.used = {path: round(amount) for path, amount in held.items()}


def plan(facts: Facts) -> None:
    """Percentiles, tiers, weights."""
    given = facts.given
    made, paths = planner.history(given, facts.kind, facts.ran,
                                  facts.window)
    facts.needs = planner.needs(made, paths, facts.tiers)
    scale = scale_of(facts.unit) if facts.unit != "B" else 1 << 30
    facts.advice = planner.advise(
        given, made, paths, facts.tiers, facts.needs, facts.capacity, scale) \
        if facts.needs else None


def what_if(facts: Facts, progress: Progress) -> None:
    """Changes that are searched and proved, other sizes, and more of the same
    work."""
    wanted, given, ran = facts.wanted, facts.part, facts.base
    assert given is not None and ran is not None and facts.cluster is not None
    whole = given is facts.given
    progress(0.3, "looking for changes")
    facts.searched = searching.search(
        wanted, given, facts.cluster, facts.kind, facts.advice, facts.needs,
        facts.capacity, ran, facts.window if whole else None,
        lambda what: progress(0.3, f"looking for changes: {what}"))
    progress(0.65, "trying other sizes")
    facts.tried = whatif.try_sizes(
        wanted, given, facts.cluster, ran,
        lambda what: progress(0.65, f"trying other sizes: {what}"))
    facts.removal = whatif.removal(given, facts.cluster, ran, facts.kind)
    progress(0.75, "trying more work")
    facts.growth = runs.forecast(
        wanted, given, facts.cluster, ran.total,
        lambda what: progress(0.75, f"trying more work: {what}"))
    facts.yearly = float(wanted.growth) if wanted.growth is not None else \
        runs.yearly(facts.given, facts.kind, since(facts))
