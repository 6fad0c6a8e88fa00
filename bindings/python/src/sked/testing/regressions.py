"""Known bugs of schedulers as a suite that any scheduler can be put through.

Each case is a situation in which a well-known manager went wrong, with the public
report of it, made small: a queue tree, nodes, jobs, and what must come of them.
`run(make)` puts a scheduler through all of them; `make(tree, preempting)` returns
one that takes events and gives decisions as `machine.EngineMachine` says, with
preemption or without.

    python -m sked.testing.regressions [MODULE:MAKE]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from .._usage import Parser
from ..engine import Engine
from ..events import Events
from ..enums import Decide
from ..preempt import Dialect, Preemption
from ..tree import Tree

SECOND = 1_000_000_000
GRACE = 2 * SECOND
Make = Callable[[Tree, bool], Any]


def engine(tree: Tree, preempting: bool) -> Engine:
    """sked's own engine; it preempts up to what queues are entitled to."""
    made = Engine(tree)
    if preempting:
        made.preempt(Preemption(targets={"dialect": int(Dialect.ENTITLEMENT)},
                                rounds={"grace": GRACE}))
    return made


class Failed(AssertionError):
    """What came of a case that must not: `case` says which."""

    def __init__(self, case: Known, why: str) -> None:
        super().__init__(f"{case.name}: {why} ({case.url})")
        self.case = case


class Cluster:
    """A cluster that does as it is told: nodes beat every second, rounds come
    every three, tasks end when their time is over, what is to be killed ends
    and waits again."""

    def __init__(self, make: Make, text: str, nodes: Sequence[str],
                 preempting: bool = False) -> None:
        self.tree = Tree.from_text(text)
        self.engine = make(self.tree, preempting)
        self.preempting = preempting
        self.now = 0
        self.keys = 0
        self.nodes: list[int] = []
        self.jobs: dict[int, tuple[int, int]] = {}  # ask: job, run
        self.groups: dict[int, list[int]] = {}  # group: ask, count, end
        self.killed = 0
        self.starts: dict[int, int] = {}  # job: tasks that ever started
        for node in nodes:
            self.nodes.append(self.key())
            self.tell(self.events().node_up(self.now, self.nodes[-1], node))

    def key(self) -> int:
        """A name that nothing has yet."""
        self.keys += 1
        return self.keys

    def events(self) -> Events:
        """Events of now."""
        return Events(self.tree)

    def tell(self, events: Events) -> None:
        """Says what happened, and does what comes of it."""
        self.engine.apply(events)
        kills = []
        for d in self.engine.take():
            if d.kind == Decide.ALLOCATE:
                job, run = self.jobs[d.ask]
                self.groups[d.group] = [d.ask, d.count, self.now + run]
                self.starts[job] = self.starts.get(job, 0) + d.count
            elif d.kind == Decide.KILL:
                kills.append((d.group, d.count))
            elif d.kind in (Decide.REQUEUE, Decide.LOST):
                self.groups[d.group][1] -= d.count
        for group, count in kills:
            self.killed += count
            self.tell(self.events().killed(self.now, group, count))

    def job(self, path: str, amount: str, count: int = 1, *, run: int = 10**6,
            gang: bool = False, priority: int = 0, user: int = 1) -> int:
        """A job of so many tasks (each of `run` s) in a leaf."""
        job, ask = self.key(), self.key()
        self.jobs[ask] = (job, run * SECOND)
        self.tell(self.events().submit(self.now, job, self.tree[path],
                                       priority=priority, user=user)
                  .ask(self.now, ask, job, amount, count, gang=gang,
                       priority=priority))
        return job

    def wait(self, seconds: int) -> None:
        """Time passes."""
        for _ in range(seconds):
            self.now += SECOND
            for group, (_, count, end) in list(self.groups.items()):
                if count and end <= self.now:
                    self.groups[group][1] = 0
                    self.tell(self.events().finish(self.now, group, count))
            if self.preempting and self.now // SECOND % 3 == 0:
                self.tell(self.events().round(self.now))
            for node in self.nodes:
                self.tell(self.events().heartbeat(self.now, node))

    def running(self, job: int) -> int:
        """How many tasks of a job run."""
        return sum(count for ask, count, _ in self.groups.values()
                   if self.jobs[ask][0] == job)

    def usage(self, path: str, kind: str) -> int:
        """What a queue holds."""
        return int(self.engine.usage(self.tree[path])[kind])


@dataclass(frozen=True)
class Known:
    """One case: what it is called, where it was reported, what went wrong
    there, and the situation, which returns what is wrong now ("": nothing)."""

    name: str
    url: str
    what: str
    play: Callable[[Make], str]


CASES: list[Known] = []


def known(url: str) -> Callable[[Callable[[Make], str]], Callable[[Make], str]]:
    """Notes a case."""
    def note(play: Callable[[Make], str]) -> Callable[[Make], str]:
        CASES.append(Known(play.__name__, "https://github.com/" + url,
                           " ".join((play.__doc__ or "").split()), play))
        return play
    return note


def expect(what: str, got: int, wanted: int) -> str:
    """What is wrong, if anything."""
    return "" if got == wanted else f"{what}: {got}, not {wanted}"


TWO = "kinds cpu=1 gpu=1\nroot\nroot.a {}\nroot.b {}\n"


@known("kubernetes-sigs/kueue/issues/8309")
def head_that_waits_for_another_kind_blocks_nothing(make: Make) -> str:
    """The head of a queue waits for GPUs that are all in use; jobs behind it
    that need none wait as well, though cores are free."""
    c = Cluster(make, TWO.format("", ""), ["cpu=8,gpu=2"])
    c.job("root.b", "cpu=1,gpu=2")
    c.wait(2)
    c.job("root.a", "cpu=1,gpu=1")
    behind = c.job("root.a", "cpu=1", 3)
    c.wait(5)
    return expect("tasks behind the head", c.running(behind), 3)


@known("ngageoint/scale/issues/172")
def head_too_large_for_what_is_free_blocks_no_other_queue(make: Make) -> str:
    """A large job of one queue does not fit now; another queue's small jobs
    use what is free meanwhile, and the large one starts when there is room."""
    c = Cluster(make, TWO.format("", ""), ["cpu=8"])
    c.job("root.b", "cpu=1", 4, run=20)
    c.wait(2)
    large = c.job("root.a", "cpu=6")
    small = c.job("root.b", "cpu=1", 4, run=10)
    c.wait(4)
    if c.running(small) == 0:
        return "free cores stay free while small tasks wait"
    c.wait(40)
    return expect("large tasks", c.running(large), 1)


@known("kubernetes-sigs/kueue/issues/4809")
def pending_work_of_a_lender_does_not_keep_what_it_cannot_use(make: Make) -> str:
    """A queue's waiting job is larger than what is free, yet nothing may be
    borrowed: part of the cluster idles."""
    c = Cluster(make, TWO.format('guarantee="cpu=2"', ""), ["cpu=1", "cpu=1"])
    first = c.job("root.a", "cpu=1")
    c.wait(2)
    c.job("root.a", "cpu=2")
    other = c.job("root.b", "cpu=1")
    c.wait(5)
    return expect("first", c.running(first), 1) or \
        expect("the borrower", c.running(other), 1)


@known("kubernetes-sigs/kueue/issues/3779")
def preemption_comes_to_rest(make: Make) -> str:
    """Two queues that want everything preempt each other for ever: what was
    preempted is admitted again and preempts in turn."""
    c = Cluster(make, TWO.format("", ""), ["cpu=4"] * 3, True)
    c.job("root.a", "cpu=1", 30)
    c.wait(5)
    c.job("root.b", "cpu=1", 30)
    c.wait(60)
    before = c.killed
    c.wait(90)
    return expect("tasks killed after it had settled", c.killed - before, 0) \
        or expect("root.b holds", c.usage("root.b", "cpu"), 6)


@known("kubernetes-sigs/kueue/issues/2821")
def preempted_work_does_not_come_back_in_front(make: Make) -> str:
    """A preempted job of low priority is admitted again before the job that it
    had to make room for, and is preempted again, without end."""
    c = Cluster(make, TWO.format('guarantee="cpu=4"', ""), ["cpu=8"], True)
    c.job("root.b", "cpu=1", 20)
    c.wait(5)
    high = c.job("root.a", "cpu=1", 4, priority=5)
    c.wait(40)
    return expect("tasks of the guarantee", c.running(high), 4) or \
        expect("tasks killed", c.killed, 4)


@known("volcano-sh/volcano/issues/4949")
def reclaiming_does_not_take_below_the_share(make: Make) -> str:
    """To give one queue its share another is driven below its own, which then
    reclaims in turn: eviction and reclaim go on for ever."""
    c = Cluster(make, TWO.format("", ""), ["cpu=5", "cpu=5"], True)
    c.job("root.a", "cpu=2", 9)
    c.wait(5)
    c.job("root.b", "cpu=3", 9)
    c.wait(60)
    before = c.killed
    c.wait(60)
    return expect("tasks killed after it had settled", c.killed - before, 0)


@known("volcano-sh/volcano/issues/4808")
def the_last_gpu_is_reclaimed_as_well(make: Make) -> str:
    """Of four GPUs that a guaranteed queue reclaims, one task of the borrower
    keeps the last: a comparison that rounds at one device."""
    c = Cluster(make, TWO.format('guarantee="gpu=4"', ""), ["cpu=9,gpu=4"],
                True)
    c.job("root.b", "gpu=1", 4)
    c.wait(5)
    due = c.job("root.a", "gpu=1", 4)
    c.wait(40)
    return expect("GPUs of the guarantee", c.running(due), 4)


@known("volcano-sh/volcano/issues/4658")
def a_guarantee_of_gpus_alone_is_claimed_by_jobs_that_need_cores(
        make: Make) -> str:
    """A queue has a guarantee of GPUs and none of cores: a job that needs both
    can not reclaim, because the kinds that nothing is said of count as zero."""
    c = Cluster(make, TWO.format('guarantee="gpu=2"', ""), ["cpu=8,gpu=4"],
                True)
    c.job("root.b", "cpu=1,gpu=1", 4)
    c.wait(5)
    due = c.job("root.a", "cpu=1,gpu=1", 2)
    c.wait(40)
    return expect("tasks of the guarantee", c.running(due), 2)


@known("volcano-sh/volcano/issues/1485")
def a_limit_of_one_kind_is_none_of_another(make: Make) -> str:
    """A limit of cores alone is taken for a limit of no GPUs."""
    c = Cluster(make, TWO.format('limit="cpu=4"', ""), ["cpu=8,gpu=4"])
    job = c.job("root.a", "cpu=1,gpu=1", 8)
    c.wait(5)
    return expect("tasks", c.running(job), 4)


@known("volcano-sh/volcano/pull/5053")
def reclaiming_stops_at_the_limit(make: Make) -> str:
    """A queue reclaims beyond its own limit: tasks die for one that may not
    start."""
    c = Cluster(make, TWO.format('guarantee="cpu=6" limit="cpu=3"', ""),
                ["cpu=8"], True)
    c.job("root.b", "cpu=1", 8)
    c.wait(5)
    due = c.job("root.a", "cpu=1", 8)
    c.wait(40)
    return expect("tasks", c.running(due), 3) or \
        expect("tasks killed", c.killed, 3)


@known("volcano-sh/volcano/issues/4817")
def a_guarantee_of_a_parent_reaches_its_children(make: Make) -> str:
    """The guarantee stands at the parent; its child can not claim it, because
    the root counts all of the cluster as lent."""
    c = Cluster(make, 'kinds cpu=1\nroot\nroot.x\nroot.x.team\n'
                'root.y guarantee="cpu=5"\nroot.y.team\n', ["cpu=10"], True)
    c.job("root.x.team", "cpu=1", 10)
    c.wait(5)
    due = c.job("root.y.team", "cpu=1", 5)
    c.wait(40)
    return expect("tasks of the guarantee", c.running(due), 5)


@known("apache/yunikorn-core/pull/759")
def a_guarantee_is_reached_when_nothing_is_free(make: Make) -> str:
    """With every GPU in use some tasks start by preemption and then no more:
    the guarantee is never reached."""
    c = Cluster(make, TWO.format('guarantee="gpu=10"', ""),
                ["cpu=99,gpu=10"] * 3, True)
    c.job("root.b", "gpu=1", 60)
    c.wait(5)
    due = c.job("root.a", "gpu=1", 10)
    c.wait(60)
    return expect("tasks of the guarantee", c.running(due), 10)


@known("koordinator-sh/koordinator/issues/872")
def gangs_do_not_hold_half_of_what_they_need(make: Make) -> str:
    """Two gangs take half of the cluster each and wait for the other half for
    ever."""
    c = Cluster(make, TWO.format("", ""), ["cpu=6"])
    one = c.job("root.a", "cpu=1", 4, gang=True, run=10)
    two = c.job("root.b", "cpu=1", 4, gang=True, run=10)
    c.wait(5)
    held = sorted((c.running(one), c.running(two)))
    if held != [0, 4]:
        return f"tasks that run: {held}, not [0, 4]"
    c.wait(20)
    return expect("tasks that ever started",
                  c.starts.get(one, 0) + c.starts.get(two, 0), 8)


@known("kubernetes-retired/kube-batch/issues/158")
def a_gang_that_cannot_start_holds_nothing(make: Make) -> str:
    """A gang larger than what is free starts as many tasks as fit, and others
    that would fit whole wait."""
    c = Cluster(make, TWO.format("", ""), ["cpu=6"])
    c.job("root.b", "cpu=3", run=30)
    c.wait(2)
    gang = c.job("root.a", "cpu=1", 4, gang=True)
    other = c.job("root.b", "cpu=1", 3)
    c.wait(5)
    return expect("tasks of the gang", c.running(gang), 0) or \
        expect("tasks that fit", c.running(other), 3)


@known("volcano-sh/volcano/issues/1461")
def a_heavier_queue_gets_its_second_job(make: Make) -> str:
    """Ten GPUs, weights 3 to 1, four in use by the lighter queue: the heavier
    one's second job of three waits, though it is due seven and a half."""
    c = Cluster(make, TWO.format("weight=3", ""), ["cpu=99,gpu=10"], True)
    c.job("root.b", "gpu=1", 5)
    c.wait(3)
    one = c.job("root.a", "gpu=1", 3)
    two = c.job("root.a", "gpu=1", 3)
    c.wait(60)
    return expect("tasks of the heavier queue",
                  c.running(one) + c.running(two), 6)


@known("volcano-sh/volcano/issues/4370")
def shares_are_of_nodes_that_are_there(make: Make) -> str:
    """Nodes that are gone still count in what is shared out: one queue's share
    of them is more than all that is left, and the other gets nothing."""
    c = Cluster(make, TWO.format("", ""), ["cpu=4"] * 4)
    for node in c.nodes[1:]:
        c.tell(c.events().node_down(c.now, node))
    del c.nodes[1:]
    one, two = (c.job(q, "cpu=1", 8) for q in ("root.a", "root.b"))
    c.wait(5)
    return expect("tasks of each", c.running(one), 2) or \
        expect("tasks of each", c.running(two), 2)


@known("apache/datafusion-ballista/issues/138")
def a_job_of_a_thousand_tasks_does_not_starve_the_next(make: Make) -> str:
    """What falls free goes to the job that it fell free from: one with many
    tasks never lets another queue's start."""
    c = Cluster(make, TWO.format("", ""), ["cpu=4"])
    c.job("root.a", "cpu=1", 1000, run=5)
    c.wait(3)
    other = c.job("root.b", "cpu=1", 2, run=5)
    c.wait(12)
    return expect("tasks of the other that ever started",
                  c.starts.get(other, 0), 2)


@known("apache/yunikorn-site/pull/457")
def replicas_that_are_made_again_start_no_storm(make: Make) -> str:
    """Each killed task is made anew at once by its owner, and takes what was
    freed before the one that it was freed for."""
    c = Cluster(make, TWO.format('guarantee="cpu=2"', 'guarantee="cpu=2"'),
                ["cpu=2", "cpu=2"], True)
    c.job("root.a", "cpu=1", 8)
    c.wait(5)
    due = c.job("root.b", "cpu=1", 8)
    c.wait(60)
    return expect("tasks of the guarantee", c.running(due), 2) or \
        expect("tasks killed", c.killed, 2)


def run(make: Make = engine, only: Sequence[str] = ()) -> list[Failed]:
    """Puts a scheduler through all cases, or those named; what failed. An
    exception of the scheduler fails the case that it came in."""
    found = []
    for case in CASES:
        if only and case.name not in only:
            continue
        try:
            why = case.play(make)
        except Exception as error:  # a scheduler under test may raise anything
            why = f"{type(error).__name__}: {error}"
        if why:
            found.append(Failed(case, why))
    return found


def main(words: Sequence[str]) -> int:
    """The suite as a command: 0 all passed, 1 some failed, 2 bad usage."""
    parser = Parser(
        prog="python -m sked.testing.regressions",
        description="Puts a scheduler through situations in which well-known "
        "managers went wrong. Exit status: 0 all passed, 1 some failed, 2 bad "
        "usage.")
    parser.add_argument("make", metavar="MODULE:MAKE", nargs="?",
                        help="what makes the scheduler to be tried; MAKE is "
                        "make where it is not said. Default: the library's own")
    said = parser.parse_args(words)
    make: Make = engine
    if said.make:
        module, _, name = said.make.partition(":")
        try:
            make = getattr(import_module(module), name or "make")
        except (ImportError, AttributeError) as error:
            print(f"regressions: {error}", file=sys.stderr)
            return 2
    failed = run(make)
    for one in failed:
        print(one)
    print(f"{len(CASES) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


__all__ = ["CASES", "Cluster", "Failed", "Known", "engine", "main",
           "run"]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
