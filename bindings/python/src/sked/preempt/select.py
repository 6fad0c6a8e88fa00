"""Victims, and what covers which claim. <sched/preempt.h>"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any

from .. import _core, layouts
from ..columns import Column, Numbers
from ..hooks import Hooks, host_of
from ..records import Layout, Records
from .rank import rank_of

VICTIM = Layout("Victim", layouts.PREEMPT_VICTIM)
PLACEMENT = Layout("Placement", layouts.PREEMPT_PLACEMENT)


class PreemptFlag(IntFlag):
    """enum sked_preempt_flag"""

    BY_USER = 1
    BY_PRIORITY = 2
    PLAIN = 4
    OVERSHOOT = 8


class Candidate(IntFlag):
    """enum sked_preempt_candidate"""

    FIXED = 1
    MARKED = 2


class VictimReason(IntEnum):
    """Why a task is a victim. enum sked_preempt_reason"""

    OVER = 1
    USER = 2
    PRIORITY = 3


class PreemptOutcome(IntEnum):
    """enum sked_preempt_outcome"""

    COVERED = 0
    PARTLY = 1
    SEARCHED = 2


@dataclass(frozen=True)
class Selection:
    """A plan of preemption: victims, placements, what queues use after it, what is
    covered; its cost, and a bound below which no plan of its kind costs."""

    victims: Records
    placements: Records
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
    and so on, and columns, by the names of sked_preempt_input; `rank` holds
    columns of `rank`, and perhaps `keys`. Amounts are rows, one a kind."""

    numbers: dict[str, Any]
    place: Numbers = None
    free: Numbers = None
    rank: dict[str, Any] | None = None

    def _rank(self) -> dict[str, Any] | None:
        if self.rank is None:
            return None
        columns = dict(self.rank)
        return rank_of(self.numbers["n"], columns.pop("keys", None), columns)

    def select(self, *, hooks: Hooks | None = None) -> Selection:
        """Chooses victims. Raises RangeError (an amount, with row and kind),
        Cancelled."""
        caps = (self.numbers.get("n", 0) + 1, self.numbers.get("n_requests", 0)
                + 1)
        while True:
            said = _core.preempt_select(self.numbers, self._rank(), self.place,
                                        self.free, host_of(hooks), *caps)
            if len(said) > 2:
                break
            caps = (said[0] + 1, said[1] + 1)
        return Selection(Records(VICTIM, said[0]), Records(PLACEMENT, said[1]),
                         said[2], said[3], PreemptOutcome(said[4]), *said[5:])

    def verify(self, victims: Records | Any, placements: Records | Any = b"", *,
               hooks: Hooks | None = None) -> None:
        """ConfigError, with the rule and the row, unless a plan holds to every
        rule; also one that a host made. Raises RangeError and Cancelled as
        `select` does."""
        _core.preempt_verify(
            self.numbers, self._rank(), self.place, self.free, host_of(hooks),
            getattr(victims, "column", victims), getattr(placements, "column", placements))


@dataclass(frozen=True)
class Preemption:
    """How an engine preempts: `flags` (`PreemptFlag`), steps of search, how
    long reservations last (ns); `gangs` over nodes that one round
    reserves for in a partition (0: it reserves for none and ends none);
    `targets` are options of `Target`, or a list of them: policies that run in
    this order in every round, each with its own clocks; a queue keeps the most
    that any of them lets it keep. `rounds` are flags and grace, the same for
    all policies. An error in a policy after the first has its place among
    these, from 0, as its `row`."""

    flags: int = 0
    work: int = 0
    keep_for: int = 0
    gangs: int = 0
    targets: Mapping[str, int] | Sequence[Mapping[str, int]] = field(
        default_factory=dict)
    rounds: Mapping[str, int] = field(default_factory=dict)

    def _said(self) -> tuple[dict[str, int], list[dict[str, int]], dict[str, int]]:
        policies = [self.targets] if isinstance(self.targets, Mapping) else self.targets
        return ({"flags": int(self.flags), "work": self.work,
                 "keep_for": self.keep_for, "gangs": self.gangs},
                [{k: int(v) for k, v in policy.items()} for policy in policies],
                {k: int(v) for k, v in self.rounds.items()})
