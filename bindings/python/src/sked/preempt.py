"""Who gives way, and for whom. <sched/rank.h>, <sched/target.h>,
<sched/preempt.h>, <sched/round.h>"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any

from . import _core
from .columns import Column, Numbers
from .handles import Owner
from .hooks import Hooks, host_of
from .ledger import Ledger
from .records import Layout, Records
from .schema import Vector
from .tree import Queue, Tree

VICTIM = Layout("Victim", "I:row I:count I:request I:reason q:cost")
SEAT = Layout("Seat", "I:request I:node I:count I:claim")
ACTION = Layout("Action", "Q:key Q:job q:deadline I:count H:what H:flags")
MARK = Layout("Mark", "Q:key Q:job q:deadline I:count I:flags")


class RankKey(IntEnum):
    """Keys of an order of candidates. SKED_RANK_*"""

    STATE = 1
    PREEMPTIBLE = 2
    PRIORITY = 3
    RUN_TIME = 4
    LOST_WORK = 5
    RESTART_COST = 6
    RESTARTS = 7
    MASTER = 8
    NEWEST = 9
    HOST = 10


class RankPreset(IntEnum):
    """Orders that are known. SKED_RANK_*"""

    OWN = 0
    CAPACITY = 1
    FAIR = 2
    PELOTON = 3


class TaskState(IntEnum):
    """SKED_RANK_PENDING and its kin"""

    PENDING = 0
    PLACING = 1
    RUNNING = 2


class PreemptFlag(IntFlag):
    """SKED_PREEMPT_*"""

    BY_USER = 1
    BY_PRIORITY = 2
    PLAIN = 4
    OVERSHOOT = 8


class Candidate(IntFlag):
    """SKED_CANDIDATE_*"""

    FIXED = 1
    MARKED = 2


class VictimReason(IntEnum):
    """Why a task is a victim. SKED_VICTIM_*"""

    OVER = 1
    USER = 2
    PRIORITY = 3


class PreemptOutcome(IntEnum):
    """SKED_PREEMPT_*"""

    COVERED = 0
    PARTLY = 1
    SEARCHED = 2


class Dialect(IntEnum):
    """SKED_TARGET_*"""

    IMBALANCE = 0
    STARVATION = 1
    ENTITLEMENT = 2


class TargetFlag(IntFlag):
    """SKED_TARGET_*"""

    BALANCE = 1
    PRIORITY = 2
    BY_WEIGHT = 4


class TargetReason(IntFlag):
    """Why a queue gives or claims, or not. SKED_TARGET_*"""

    OVER = 1
    GIVES = 2
    SPARED = 4
    WITHIN = 8
    EARLY = 16
    CUT = 32
    BELOW = 64
    CLAIMS = 128
    WAITS = 256
    IDLE = 512


class TargetColumn(IntEnum):
    """SKED_TARGET_*"""

    SHARE = 1
    EXCESS = 2
    KEEP = 3
    TAKE = 4
    OWED = 5
    FIRST = 6


class TargetTotal(IntEnum):
    """SKED_TARGET_*"""

    NEED = 1
    BUDGET = 2
    FREE = 3


class RoundWhat(IntEnum):
    """What a host is to do. SKED_ROUND_*"""

    NOTIFY = 1
    KILL = 2
    WITHDRAW = 3


class RoundFlag(IntFlag):
    """SKED_ROUND_*"""

    PREEMPTED = 1
    STRICT = 2
    OBSERVED = 4
    STOPPING = 8


class Contract(IntEnum):
    """SKED_CONTRACT_*"""

    NEGOTIABLE = 1
    STRICT = 2


def preset(which: int = RankPreset.OWN) -> Column:
    """The keys of an order that is known, the first deciding first."""
    return _core.rank_preset(which)


def _rank(n: int, keys: Numbers, columns: Mapping[str, Any]) -> dict[str, Any]:
    chosen = None if keys is None else list(keys)
    return {"n": n, "n_keys": len(chosen or ()), "keys": chosen, **columns}


def rank(n: int, *, keys: Numbers = None, top: int = 0,
         hooks: Hooks | None = None, **columns: Numbers) -> Column:
    """Positions of the first `top` of `n` candidates (0: all), whose turn to
    go is first. Columns: state, preemptible, priority, started, checkpoint,
    restart_cost, restarts, master, submitted, host.

    >>> rank(3, keys=[RankKey.PRIORITY], priority=[5, 1, 3]).tolist()
    [1, 2, 0]
    """
    return _core.rank_order(_rank(n, keys, columns), top, host_of(hooks))


@dataclass(frozen=True)
class Selection:
    """A plan of preemption: victims, seats, what queues use after it, what is
    covered; its cost, and a bound below which no plan of its kind costs."""

    victims: Records
    seats: Records
    after: Column
    covered: Column
    outcome: PreemptOutcome
    tasks: int
    served: int
    steps: int
    cost: int
    bound: int


@dataclass
class Problem:
    """One round in one partition, as columns: numbers `kinds`, `n_queues`, `n`
    and so on, and columns, by the names of sked_preempt_problem; `rank` holds
    columns of `rank`, and perhaps `keys`."""

    numbers: dict[str, Any]
    place: Numbers = None
    free: Numbers = None
    rank: dict[str, Any] | None = None

    def _rank(self) -> dict[str, Any] | None:
        if self.rank is None:
            return None
        columns = dict(self.rank)
        return _rank(self.numbers["n"], columns.pop("keys", None), columns)

    def select(self, *, hooks: Hooks | None = None) -> Selection:
        """Chooses victims."""
        room = (self.numbers.get("n", 0) + 1, self.numbers.get("n_requests", 0)
                + 1)
        while True:
            said = _core.preempt_select(self.numbers, self._rank(), self.place,
                                        self.free, host_of(hooks), *room)
            if len(said) > 2:
                break
            room = (said[0] + 1, said[1] + 1)
        return Selection(Records(VICTIM, said[0]), Records(SEAT, said[1]),
                         said[2], said[3], PreemptOutcome(said[4]), *said[5:])

    def verify(self, victims: Records | Any, seats: Records | Any = b"", *,
               hooks: Hooks | None = None) -> None:
        """ConfigError, with the rule and the row, unless a plan holds to every
        rule; also one that a host made."""
        _core.preempt_verify(
            self.numbers, self._rank(), self.place, self.free, host_of(hooks),
            getattr(victims, "column", victims), getattr(seats, "column", seats))


TARGETS = ("share", "excess", "keep", "take", "owed", "first", "reasons",
           "min_since", "fair_since", "rounds", "need", "budget", "free")


def target_once(queues: dict[str, Any], *, clocks: dict[str, Any] | None = None,
                options: dict[str, int] | None = None,
                hooks: Hooks | None = None) -> dict[str, Column]:
    """The targets of one round, from arrays by the names of sked_share_arrays,
    sked_target_arrays and sked_target_options: a dict of columns."""
    said = _core.target_once(clocks or {}, queues, options or {},
                             host_of(hooks))
    return dict(zip(TARGETS, said))


def user_targets(total: Numbers, usage: Numbers, *, limit: int = 1_000_000,
                 weight: Numbers = None,
                 demand: Numbers = None) -> tuple[Column, Column]:
    """What each user of a leaf may hold, and keeps; rows of amounts."""
    return _core.target_of_users({
        "kinds": len(total), "n": len(usage) // max(1, len(total)),
        "limit": limit, "total": total, "weight": weight, "usage": usage,
        "demand": demand})


class Target(Owner):
    """Targets of preemption over a tree, round by round: how much each queue
    keeps, gives and is owed."""

    __slots__ = ("_hooks",)

    def __init__(self, dialect: int = Dialect.IMBALANCE, *,
                 hooks: Hooks | None = None, **options: int) -> None:
        self._hooks = hooks
        self._handle = _core.target_new(host_of(hooks),
                                        {"dialect": int(dialect), **options})

    def compute(self, tree: Tree, capacity: Vector, now: int | None = None, *,
                ledger: Ledger | None = None, partition: int = 0,
                usage: Numbers = None, demand: Numbers = None,
                running: Numbers = None) -> None:
        """A round at `now` (ns; None: the clock hook's), from a ledger or from
        columns by row."""
        said = {"partition": partition, "capacity": tree.schema.vec(capacity),
                "usage": usage, "demand": demand, "running": running}
        book = None if ledger is None else ledger._handle
        if now is None:
            _core.target_compute(self._handle, tree._settled(), book, said)
        else:
            _core.target_compute_at(self._handle, tree._settled(), book, said,
                                    now)

    def column(self, which: int) -> Column:
        """A column of the last round (`TargetColumn`), rows x kinds, seen in
        place: while it lives, the next round raises BufferError."""
        return _core.target_view(self._handle, which)

    def reasons(self) -> Column:
        """`TargetReason` bits by row, in place."""
        return _core.target_reasons(self._handle)

    def total(self, which: int) -> Column:
        """`TargetTotal` of the partition, one amount a kind, in place."""
        return _core.target_total(self._handle, which)

    def clock(self, queue: Queue, partition: int = 0) -> tuple[int, int, int]:
        """Below its guarantee since, below its part since, rounds over."""
        return _core.target_clock(self._handle, partition, queue.id)

    @property
    def digest(self) -> int:
        """A hash of all clocks."""
        return _core.target_digest(self._handle)

    def check(self) -> None:
        """InternalError if an invariant is broken."""
        _core.target_check(self._handle)

    def copy(self) -> Target:
        """One that goes on exactly as this would."""
        made = Target.__new__(type(self))
        made._hooks = self._hooks
        made._handle = _core.target_copy(self._handle, host_of(self._hooks))
        return made

    __copy__ = copy


@dataclass(frozen=True)
class Preemption:
    """How an engine preempts: `flags` (`PreemptFlag`), steps of search, how
    long room is kept (ns), a `RankPreset`; `targets` are options of `Target`,
    `rounds` flags and grace."""

    flags: int = 0
    work: int = 0
    keep_for: int = 0
    rank: int = RankPreset.OWN
    targets: Mapping[str, int] = field(default_factory=dict)
    rounds: Mapping[str, int] = field(default_factory=dict)

    def _said(self) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
        return ({"flags": int(self.flags), "work": self.work,
                 "keep_for": self.keep_for, "rank": int(self.rank)},
                {k: int(v) for k, v in self.targets.items()},
                {k: int(v) for k, v in self.rounds.items()})


class Rounds(Owner):
    """Notify, wait, kill: what to tell whom, round by round.

    >>> rounds = Rounds(grace=10)
    >>> rounds.update([7], now=0)
    >>> [RoundWhat(a.what).name for a in rounds.take()]
    ['NOTIFY']
    >>> rounds.update([7], now=10)
    >>> [RoundWhat(a.what).name for a in rounds.take()]
    ['KILL']
    """

    __slots__ = ("kinds", "_hooks")

    def __init__(self, kinds: int = 1, *, grace: int = 0, observe: bool = False,
                 hooks: Hooks | None = None) -> None:
        self.kinds = kinds
        self._hooks = hooks
        self._handle = _core.round_new(host_of(hooks), int(observe), kinds,
                                       grace)

    def update(self, keys: Numbers, now: int | None = None,
               **columns: Numbers) -> None:
        """Takes in all that is wanted now. Columns: count, job, amount,
        unsaved_since, strict."""
        wanted = {"n": len(keys), "key": keys, **columns}
        if now is None:
            _core.round_update(self._handle, self.kinds, wanted)
        else:
            _core.round_update_at(self._handle, self.kinds, wanted, now)

    def ended(self, keys: Numbers, counts: Numbers = None) -> None:
        """Says that tasks are gone, however they ended."""
        _core.round_ended(self._handle, keys, counts)

    def take(self, most: int = 1 << 16) -> Records:
        """Actions, the oldest first."""
        return Records(ACTION, _core.round_take(self._handle, most))

    def marks(self) -> Records:
        """All marks, by key."""
        return Records(MARK, _core.round_marks(self._handle))

    def marked(self, key: int) -> int:
        """How many tasks of a key are marked or being stopped."""
        return _core.round_marked(self._handle, key)

    def contract(self, job: int,
                 contract: int = Contract.NEGOTIABLE) -> tuple[Column, Records]:
        """What a job is asked for: what its marks free, and the marks."""
        amounts, marks = _core.round_contract(self._handle, job, contract,
                                              self.kinds)
        return amounts, Records(MARK, marks)

    @property
    def next(self) -> int:
        """The earliest deadline; UNLIMITED when nobody is marked."""
        return _core.round_next(self._handle)

    @property
    def counts(self) -> dict[str, int]:
        """Counts since the beginning."""
        return _core.round_counted(self._handle)

    def lost(self, kind: int = 0) -> int:
        """Work lost of one kind: amount times ns."""
        high, low = _core.round_lost(self._handle, kind)
        return high << 64 | low

    def reserve(self, marks: int) -> None:
        """Room for so many marks."""
        _core.round_reserve(self._handle, marks)

    @property
    def digest(self) -> int:
        """A hash of marks, actions and counts."""
        return _core.round_digest(self._handle)

    def check(self) -> None:
        """InternalError if an invariant is broken."""
        _core.round_check(self._handle)

    def copy(self) -> Rounds:
        """Ones that go on exactly as these would."""
        made = Rounds.__new__(type(self))
        made.kinds, made._hooks = self.kinds, self._hooks
        made._handle = _core.round_copy(self._handle, host_of(self._hooks))
        return made

    __copy__ = copy
