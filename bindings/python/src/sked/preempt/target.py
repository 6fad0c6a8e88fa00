"""How much each queue keeps, gives and is owed. <sched/target.h>"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Any

from .. import _core
from ..columns import Column, Numbers, count_of
from ..enums import NOW
from ..handles import Owner
from ..hooks import Hooks, host_of
from ..ledger import Ledger
from ..schema import Vector
from ..tree import Queue, Tree


class Dialect(IntEnum):
    """By which rules targets are made. enum sked_target_mode"""

    IMBALANCE = 0
    STARVATION = 1
    ENTITLEMENT = 2


class TargetFlag(IntFlag):
    """enum sked_target_flag"""

    BALANCE = 1
    PRIORITY = 2
    BY_WEIGHT = 4
    BY_KIND = 8


class TargetReason(IntFlag):
    """Why a queue gives or claims, or not. enum sked_target_reason"""

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
    """enum sked_target_column"""

    SHARE = 1
    EXCESS = 2
    KEEP = 3
    TAKE = 4
    OWED = 5
    FIRST = 6
    CLAIM = 7


class TargetTotal(IntEnum):
    """enum sked_target_total_kind"""

    NEED = 17
    BUDGET = 18
    FREE = 19


TARGETS = ("share", "excess", "keep", "take", "owed", "first", "claim",
           "reasons", "min_since", "fair_since", "rounds", "need", "budget",
           "free")


def target_once(queues: dict[str, Any], *, clocks: dict[str, Any] | None = None,
                options: dict[str, int] | None = None,
                hooks: Hooks | None = None) -> dict[str, Column]:
    """The targets of one round, from arrays by the names of sked_share_input,
    sked_target_once_input and sked_target_options: a dict of columns. Amounts are
    rows, one a kind. Raises RangeError (an amount, with row and kind),
    Cancelled."""
    said = _core.target_once(clocks or {}, queues, options or {},
                             host_of(hooks))
    return dict(zip(TARGETS, said))


def user_targets(total: Numbers, usage: Numbers, *, limit: int = 1_000_000,
                 weight: Numbers = None,
                 demand: Numbers = None) -> tuple[Column, Column]:
    """What each user of a leaf may hold, and keeps; rows of amounts. `total`
    is one amount a kind, `limit` in ppm of the leaf. Raises RangeError (with
    row and kind)."""
    return _core.target_share_users({
        "kinds": len(total), "n": count_of(usage) // max(1, len(total)),
        "limit": limit, "total": total, "weight": weight, "usage": usage,
        "demand": demand})


class Target(Owner):
    """Targets of preemption over a tree, round by round: how much each queue
    keeps, gives and is owed. Raises RangeError."""

    __slots__ = ("_hooks",)

    def __init__(self, dialect: int = Dialect.IMBALANCE, *,
                 hooks: Hooks | None = None, **options: int) -> None:
        self._hooks = hooks
        self._handle = _core.target_new(host_of(hooks),
                                        {"dialect": int(dialect), **options})

    def compute(self, tree: Tree, capacity: Vector, now: int | None = None, *,
                ledger: Ledger | None = None, partition: int = 0,
                usage: Numbers = None, demand: Numbers = None,
                running: Numbers = None, share: Numbers = None,
                claim: Numbers = None, keep: Numbers = None) -> None:
        """A round at `now` (ns; None: the clock hook's), from a ledger or from
        columns by row. `share`, `claim` and `keep` (rows x kinds, all three or
        none) say what the dialect says otherwise. Raises StateError (the ledger
        follows other rows; there is no clock hook), SchemaError, RangeError
        (partition, capacity), Cancelled."""
        said = {"partition": partition, "capacity": tree.schema.vec(capacity),
                "usage": usage, "demand": demand, "running": running,
                "share": share, "claim": claim, "keep": keep}
        book = None if ledger is None else ledger._handle
        _core.target_compute(self._handle, tree._settled(), book, said,
                             NOW if now is None else now)

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
        """Below its guarantee since, below its part since, rounds over. Raises
        NotFoundError (no round knew it)."""
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
