"""Notify, wait, kill. <sched/round.h>"""

from __future__ import annotations

from enum import IntEnum, IntFlag

from .. import _core, layouts
from ..columns import Column, Numbers
from ..enums import NOW
from ..handles import Owner
from ..hooks import Hooks, host_of
from ..records import Layout, Records

ACTION = Layout("Action", layouts.ROUND_ACTION)
MARK = Layout("Mark", layouts.ROUND_MARK)


class RoundWhat(IntEnum):
    """What a host is to do. enum sked_round_order"""

    NOTIFY = 5
    KILL = 6
    WITHDRAW = 7
    OFFER = 64


class RoundFlag(IntFlag):
    """enum sked_round_mark_flag"""

    PREEMPTED = 1
    STRICT = 2
    OBSERVED = 4
    STOPPING = 8
    OFFERED = 16


class RoundOption(IntFlag):
    """How rounds go; for `Preemption.rounds`. enum sked_round_flag"""

    OBSERVE = 1
    LAZY = 2


class Contract(IntEnum):
    """enum sked_round_contract_kind"""

    NEGOTIABLE = 1
    STRICT = 2


class Rounds(Owner):
    """Notify, wait, kill: what to tell whom, round by round. With `lazy`,
    whose time is over is offered, and stopped when its place is claimed.
    `grace` is in ns (0: 15 s; -1: none). Raises RangeError.

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
                 lazy: bool = False,
                 hooks: Hooks | None = None) -> None:
        self.kinds = kinds
        self._hooks = hooks
        self._handle = _core.round_new(
            host_of(hooks), (RoundOption.OBSERVE if observe else 0)
            | (RoundOption.LAZY if lazy else 0), kinds, grace)

    def update(self, keys: Numbers, now: int | None = None,
               **columns: Numbers) -> None:
        """Takes in all that is wanted at `now` (ns; None: the clock hook's).
        Columns by row: count, job, amount (rows, one a kind), unsaved_since
        (ns), strict, held (tasks not to be stopped yet). Raises ExistsError (a
        key twice), RangeError, StateError (there is no clock hook), Cancelled."""
        _core.round_update(self._handle, self.kinds,
                           {"n": len(keys), "key": keys, **columns},
                           NOW if now is None else now)

    def claim(self, keys: Numbers, now: int, counts: Numbers = None) -> None:
        """Says that the place of offered tasks is taken at `now` (ns): they are
        to be stopped. StateError, with the row, where fewer are offered.
        Raises ExistsError (a key twice), RangeError, Cancelled too.

        >>> rounds = Rounds(grace=10, lazy=True)
        >>> for now in (0, 10):
        ...     rounds.update([7], now=now)
        >>> rounds.offered(7)
        1
        >>> rounds.claim([7], 11)
        >>> [RoundWhat(a.what).name for a in rounds.take()]
        ['NOTIFY', 'OFFER', 'KILL']
        """
        _core.round_claim(self._handle, keys, counts, now)

    def offered(self, key: int) -> int:
        """How many tasks of a key are offered."""
        return _core.round_offer_count(self._handle, key)

    def ended(self, keys: Numbers, counts: Numbers = None) -> None:
        """Says that tasks are gone, however they ended: `counts` of each key
        (left out: 1 each). Keys are the ids that `update` was given."""
        _core.round_end(self._handle, keys, counts)

    def take(self, most: int = 1 << 16) -> Records:
        """Actions, the oldest first."""
        return Records(ACTION, _core.round_take(self._handle, most))

    def marks(self) -> Records:
        """All marks, by key."""
        return Records(MARK, _core.round_marks(self._handle))

    def marked(self, key: int) -> int:
        """How many tasks of a key are marked or being stopped."""
        return _core.round_mark_count(self._handle, key)

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
        return _core.round_get_stats(self._handle)

    def lost(self, kind: int = 0) -> int:
        """Work lost of one kind: amount times ns."""
        high, low = _core.round_lost_work(self._handle, kind)
        return high << 64 | low

    def reserve(self, marks: int) -> None:
        """Reserves memory for so many marks. Raises RangeError."""
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
