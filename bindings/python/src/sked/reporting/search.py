"""Advice that is searched and proved: every candidate is replayed on the first
part of the history, the best go through the whole of it, and only what makes
fewer jobs late in the part that the search has not seen, on nearly every choice
of its days, is advised. Otherwise the tree stays as it is, and why is said."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ..enums import UNLIMITED, AppOrder, ChildOrder
from ..pictures import words
from ..sim import Jobs, Options, Sim
from ..tree import Tree
from . import runs
from .candidates import Candidate, candidates
from .cluster import Cluster
from .given import SECOND, Given, Mode, Wanted
from .numbers import column
from .parts import jobs_of
from .planner import Advised, Need
from .waits import is_late
from .whatif import late_of
from .window import Window

#: The search sees the jobs of so much of the time; the rest is for the proof.
FIRST = Fraction(6, 10)
#: Decisions that the replays of a search may take in all: a second or two for
#: each million.
MOST_DECISIONS = 24_000_000
#: The search needs this part of the late jobs to improve on.
FEW_LATE = Fraction(2, 10)
LEAST_REPLAYS, MOST_REPLAYS = 3, 28
#: Proofs that are tried, the most promising first.
PROOFS = 3
#: A change is advised when it wins on so many of the resampled histories.
SURE = 0.9
RESAMPLES = 1000
DAY = 86_400 * SECOND
#: Blocks that are resampled when there are fewer than so many days.
FEW_DAYS, BLOCKS = 5, 12
#: Jobs may take so much longer from submission to end on average, no more:
#: what starts all jobs sooner and ends them later helps nothing.
LATER = 1.02


@dataclass(frozen=True)
class Change:
    """One setting of one queue, before and after, in the words of the text
    form; `path` "" is the way of running (preemption)."""

    path: str
    setting: str
    before: str
    after: str


@dataclass
class Trial:
    """One replay on the first part. Times in ns; `done`: from submission to
    end, on average."""

    what: str
    late: int
    p95: int
    whole: int
    killed: int
    done: int = 0

    @property
    def score(self) -> tuple[int, int, int]:
        """The less, the better."""
        return self.late, self.p95, self.whole


@dataclass
class Proof:
    """One candidate on the whole history. Late jobs, and jobs in all, in the
    part that the search did not see, and in the whole; the part of resampled
    histories on which it wins, and how many late jobs fewer there are in 19 of
    20 of them; the queue that loses most; from submission to end on average
    (ns)."""

    what: str
    jobs: int
    late_before: int
    late_after: int
    all_before: int
    all_after: int
    sure: float
    fewer: tuple[int, int]
    killed: int
    lost: dict[str, int]
    loser: str
    loses: int
    done_before: int = 0
    done_after: int = 0
    advised: bool = False

    @property
    def why_not(self) -> str:
        """Why it is not advised; "": it is."""
        if not self.late_before:
            return ("no job is late in the part that the search had not seen, "
                    "so nothing shows that it helps")
        if self.late_after >= self.late_before:
            return (f"{self.late_after:,} late jobs where it had not been "
                    f"tried, {self.late_before:,} without it")
        if self.all_after > self.all_before:
            return (f"{self.all_after:,} late jobs over the whole history, "
                    f"{self.all_before:,} without it")
        if self.done_after > LATER * self.done_before:
            return ("jobs end later: on average "
                    f"{words.span(self.done_after / SECOND)} after their "
                    f"submission, {words.span(self.done_before / SECOND)} "
                    "without it")
        if self.sure < SURE:
            return (f"it wins on {100 * self.sure:.0f} % of resampled "
                    "histories, which is too few")
        return ""


@dataclass
class Searched:
    """What came of it: trials on the first part (the first is the tree as it
    is), proofs, and what is advised: `changes`, `tree` and its `after`; None:
    keep what there is, for the reason `why`. `moved`: the history is cut
    where its late jobs are, not where FIRST of its time ends."""

    split: int = 0
    moved: bool = False
    trials: list[Trial] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)
    proved: Proof | None = None
    changes: list[Change] = field(default_factory=list)
    tree: Tree | None = None
    preempt: str = ""
    after: runs.Outcome | None = None
    why: str = ""


def split_of(begin: int, end: int, late: Any) -> tuple[int, bool]:
    """Where the history is cut in two: at FIRST of its time. Where that leaves
    the search less than FEW_LATE of the late jobs, it would have nothing to
    improve: then behind FIRST of the late jobs, at the end of that day or
    twelfth. `late`: when the late jobs were submitted, rising. And whether
    it was moved."""
    usual = begin + int((end - begin) * FIRST)
    seen = int(late.searchsorted(usual))
    if seen >= FEW_LATE * len(late):
        return usual, False
    each = DAY if end - begin >= FEW_DAYS * DAY else -(-(end - begin) // BLOCKS)
    inside = int(late[int(len(late) * FIRST)])
    edge = begin + ((inside - begin) // max(1, each) + 1) * each
    if late.searchsorted(edge) >= len(late):
        edge -= each
    if late.searchsorted(edge) < FEW_LATE * len(late):
        edge = inside + 1
    return edge, True


# ---- replays ----


def first_part(jobs: Jobs, split: int) -> Jobs:
    """The jobs that were submitted before an instant, with the same draws."""
    return jobs_of(jobs, 0, int(column(jobs.submit).searchsorted(split)))


def changed(given: Given, one: Sequence[Candidate]) -> Tree:
    """The tree with candidates applied, in their order."""
    tree = given.tree.copy()
    for candidate in one:
        candidate.apply(tree)
    tree.commit()
    return tree


def preempt_of(wanted: Wanted, one: Sequence[Candidate]) -> Wanted:
    """How it is run."""
    said = next((c.preempt for c in one if c.preempt), "")
    return replace(wanted, preempt=said) if said else wanted


@dataclass
class _Search:
    """What all replays of a search have in common."""

    wanted: Wanted
    given: Given
    cluster: Cluster
    jobs: Jobs
    kind: str
    left: int
    heard: runs.Heard = runs.silent

    def options(self, one: Sequence[Candidate], tree: Tree) -> Options:
        """How a replay is made: without what only a page needs."""
        assert self.given.jobs is not None
        return replace(runs.options(preempt_of(self.wanted, one), self.cluster,
                                    self.given.jobs, tree),
                       shares=False, sample_every=0, max_samples=0)

    def trial(self, what: str, one: Sequence[Candidate]) -> Trial:
        """A replay of the first part."""
        self.left -= 1
        self.heard(what)
        tree = changed(self.given, one)
        with Sim(tree, self.jobs, self.cluster.nodes,
                 self.options(one, tree)) as sim:
            ends = runs.Ends(len(self.jobs))
            sim.run(ends)
            delays = column(sim.delays)
            return Trial(what, late_of(delays, self.wanted.target),
                         sim.total.delay.p95, int(delays[delays > 0].sum()),
                         sim.total.killed, ends.mean(self.jobs.submit))


def search(wanted: Wanted, given: Given, cluster: Cluster, kind: str,
           advised: Advised | None, needs: Sequence[Need], capacity: int,
           now: runs.Outcome, window: Window | None = None,
           heard: runs.Heard = runs.silent) -> Searched:
    """Looks for something better and proves it. `now` is the whole history
    with the tree as it is; of an export by ends its window counts. `heard`
    gets each change before its replay."""
    jobs = given.jobs
    assert jobs is not None and given.mode is Mode.JOBS
    made = Searched()
    if not late_of(now.delays, wanted.target):
        made.why = "no job of the replay is late"
        return made
    late = column(jobs.submit)[is_late(column(now.delays), wanted.target)]
    begin = window.begin if window is not None and window.cut else \
        jobs.submit[0]
    made.split, made.moved = split_of(begin, jobs.submit[-1], late)
    part = first_part(jobs, made.split)
    if len(part) in (0, len(jobs)):
        made.why = "the history is too short to be cut in two"
        return made
    each = max(1, now.total.decisions * len(part) // len(jobs))
    left = max(LEAST_REPLAYS, min(MOST_REPLAYS, MOST_DECISIONS // each))
    looks = _Search(wanted, given, cluster, part, kind, left, heard)
    found = explore(looks, made, candidates(
        wanted, given, kind, advised, needs, capacity, made.split, now))
    for what, one in found[:PROOFS]:
        heard(f"proving: {what}")
        prove(looks, made, what, one, now)
        if made.proved is not None:
            return made
    made.why = reason(made)
    return made


def explore(looks: _Search, made: Searched, all_of: list[Candidate]
            ) -> list[tuple[str, list[Candidate]]]:
    """Replays candidates alone, then the best together, family by family. What
    is better on the first part, the best first."""
    now = looks.trial("as it is now", [])
    made.trials.append(now)
    better: list[tuple[Trial, list[Candidate]]] = []
    for candidate in all_of:
        if looks.left <= 0:
            break
        trial = looks.trial(candidate.what, [candidate])
        made.trials.append(trial)
        if trial.late < now.late and trial.done <= LATER * now.done:
            better.append((trial, [candidate]))
    better.sort(key=lambda b: b[0].score)
    if better:
        better[:0] = together(looks, made, better)
    return [(trial.what, one) for trial, one in better]


def together(looks: _Search, made: Searched,
             better: list[tuple[Trial, list[Candidate]]]
             ) -> list[tuple[Trial, list[Candidate]]]:
    """The best with what helps it further, one of each family."""
    best, chosen = better[0][0], list(better[0][1])
    for _, (candidate,) in better[1:]:
        if looks.left <= 0:
            break
        if candidate.family in {c.family for c in chosen}:
            continue
        trial = looks.trial(f"{best.what}; and {candidate.what}",
                            [*chosen, candidate])
        made.trials.append(trial)
        if trial.late < best.late and \
                trial.done <= LATER * made.trials[0].done:
            best, chosen = trial, [*chosen, candidate]
    return [(best, chosen)] if len(chosen) > 1 else []


# ---- proofs ----


def prove(looks: _Search, made: Searched, what: str, one: list[Candidate],
          now: runs.Outcome) -> None:
    """The whole history with a candidate; it is advised where it holds."""
    wanted, given = preempt_of(looks.wanted, one), looks.given
    tree = changed(given, one)
    root = given.tree.root.path
    after = runs.simulate(wanted, given, looks.cluster, tree, looks.kind)
    proof = compare(given, wanted.target, made.split, now.delays, after.delays)
    assert given.jobs is not None
    proof = replace(proof, what=what, killed=after.total.killed,
                    lost=after.lost,
                    done_before=now.ends.mean(given.jobs.submit, made.split),
                    done_after=after.ends.mean(given.jobs.submit, made.split))
    made.proofs.append(proof)
    if proof.why_not:
        return
    proof.advised = True
    made.proved, made.tree, made.after = proof, tree, after
    made.preempt = next((c.preempt for c in one if c.preempt), "")
    made.changes = differences(given.tree, tree)
    if made.preempt:
        made.changes = [c for c in made.changes if not (
            c.path == root and c.setting.startswith("preempt_"))]
        made.changes.append(Change("", "preempt", looks.wanted.preempt,
                                   made.preempt))


def compare(given: Given, target: int, split: int, before: Any,
            after: Any) -> Proof:
    """Late jobs with one and the other, where the search had not looked and in
    all, and how sure that is."""
    jobs = given.jobs
    assert jobs is not None
    import numpy
    one, two = (is_late(column(said), target).astype("int64")
                for said in (before, after))
    at = int(column(jobs.submit).searchsorted(split))
    blocks = by_block(column(jobs.submit)[at:], (one - two)[at:])
    sure, fewer = resampled(blocks)
    paths = given.paths
    loss = numpy.bincount(given.leaf, two - one, len(paths)).astype("int64")
    worst = max(range(len(paths)), key=lambda q: (loss[q], paths[q]))
    return Proof("", len(one) - at, int(one[at:].sum()), int(two[at:].sum()),
                 int(one.sum()), int(two.sum()), sure, fewer, 0, {},
                 paths[worst] if loss[worst] > 0 else "",
                 max(0, int(loss[worst])))


def by_block(submit: Any, fewer: Any) -> list[int]:
    """What is gained day by day; where there are few days, in equal
    stretches."""
    import numpy
    begin, span = int(submit[0]), int(submit[-1] - submit[0]) + 1
    each = DAY if span >= FEW_DAYS * DAY else -(-span // BLOCKS)
    made = numpy.bincount((submit - begin) // each, fewer, span // each + 1)
    return made.astype("int64").tolist()  # type: ignore[no-any-return]


def resampled(blocks: Sequence[int]) -> tuple[float, tuple[int, int]]:
    """Of histories made of as many days, drawn with repetition: the part in
    which something is gained, and what is gained in the middle 95 % of them.
    The same draws each time."""
    draw = random.Random(1)
    sums = sorted(sum(draw.choices(blocks, k=len(blocks)))
                  for _ in range(RESAMPLES))
    won = sum(s > 0 for s in sums) / RESAMPLES
    return won, (sums[RESAMPLES // 40], sums[-RESAMPLES // 40 - 1])


SETTINGS = ("weight", "order", "apps", "max_running", "guarantee",
            "preempt_min_timeout", "preempt_fair_timeout")


def differences(before: Tree, after: Tree) -> list[Change]:
    """Settings that differ, queue by queue, in the words of the text form."""
    made = []
    for queue in before:
        other = after[queue.path]
        for name in SETTINGS:
            one, two = queue.get(name), other.get(name)
            if one != two:
                made.append(Change(queue.path, name, worded(before, one),
                                   worded(before, two)))
    return made


def worded(tree: Tree, value: object) -> str:
    """A setting as people read it."""
    if isinstance(value, dict):
        return tree.schema.text(list(value.values()))
    if isinstance(value, (ChildOrder, AppOrder)):
        return value.name.lower().replace("_", "-")
    return "unlimited" if value == UNLIMITED else str(value)


def reason(made: Searched) -> str:
    """Why nothing is advised."""
    if made.proofs:
        best = made.proofs[0]
        return (f"the best of what was tried (\u201c{best.what}\u201d) does not "
                f"hold: {best.why_not}")
    tried = len(made.trials) - 1
    if not tried:
        return "there is nothing to try with one queue and one order"
    if not made.trials[0].late:
        return ("the late jobs are all in the last part of the history, so the "
                "search had nothing to improve: no change was judged")
    if tried == 1:
        return ("the one change that could be tried does not make fewer jobs "
                "late in the first part of the history")
    return (f"none of {tried:,} changes makes fewer of the "
            f"{made.trials[0].late:,} late jobs of the first part late")


__all__ = ["Candidate", "Change", "Proof", "Searched", "Trial", "search"]
