"""Who is let into a pool, and what its users may have. <sched/admit.h>"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from fractions import Fraction

from . import _core
from .columns import Numbers, count_of
from .enums import UNLIMITED, UNSET
from .hooks import Hooks, host_of


class Line(IntEnum):
    """Where a gang stands. enum sked_admit_line"""

    ALL = 0
    FIXED = 1
    CONTROLLER = 2
    REVOCABLE = 3


class Gang(IntFlag):
    """What a gang is. enum sked_admit_gang"""

    FIXED = 1
    CONTROLLER = 2
    REVOCABLE = 4


class GangState(IntEnum):
    """What happened to it while it waited. enum sked_admit_state"""

    SOUND = 0
    SHRUNK = 1
    EMPTY = 2


class Held(IntEnum):
    """Which amounts are held, in this order. enum sked_admit_held"""

    ALL = 0
    FIXED = 1
    CONTROLLER = 2
    REVOCABLE = 3


class Admission(IntEnum):
    """What became of a gang. enum sked_admit_outcome"""

    WAITS = 0
    IN = 1
    FULL = 2
    MOVED = 3
    LAST = 4
    GONE = 5


@dataclass(frozen=True)
class Admitted:
    """Rows that were admitted, in that order; rows that wait, as they are to be
    handed in the next time; by row what became of it and its line; what is held
    now: in all, by what is fixed, by controllers, by what is revocable."""

    admitted: list[int]
    waiting: list[int]
    outcome: list[int]
    line: list[int]
    held: list[int]


def admit(kinds: int, need: Numbers, *, preemption: bool = False,
          most: int = 0, hooks: Hooks | None = None,
          **columns: Numbers) -> Admitted:
    """Walks the lines of a pool once. `need` is of whole gangs, gangs x kinds
    amounts row by row, in the order of arrival. Columns: entitlement, slack,
    reservation and controllers (one amount a kind), held (4 x kinds, as in
    `Admitted`); by gang tasks, priority, kind (`Gang`), line (`Line`), state
    (`GangState`). Raises RangeError (an amount, or what is held and needed
    together), Cancelled.

    >>> admit(1, [4, 4, 4], entitlement=[10], priority=[0, 2, 1]).admitted
    [1, 2]
    """
    n = count_of(need) // kinds if kinds else 0
    outcome, line, order, held, admitted, waiting = _core.admit(
        {"flags": int(preemption), "kinds": kinds, "n": n, "most": most,
         "need": need, **columns}, host_of(hooks))
    rows = order.tolist()
    return Admitted(rows[:admitted], rows[admitted:admitted + waiting],
                    outcome.tolist(), line.tolist(), held.tolist())


@dataclass(frozen=True)
class UserBounds:
    """What each user may have, and what it wants within that, users x kinds row
    by row; by user whether a task of it may start now."""

    bound: list[int]
    wanted: list[int]
    may: list[bool]


def users(kinds: int, *, part_ppm: int, factor_ppm: int | None = None,
          **columns: Numbers) -> UserBounds:
    """What each user of a leaf may have, by how many of them are active, as in
    the capacity scheduler of YARN. `factor_ppm` None: no bound. Columns:
    guarantee, limit and step (one amount a kind); used and wanted (users x
    kinds); weight (by user). Raises RangeError.

    >>> users(1, part_ppm=500_000, guarantee=[20], used=[10, 15],
    ...       wanted=[9, 9]).bound
    [13, 13]
    """
    n = max(count_of(columns.get(name)) for name in ("used", "wanted"))
    bound, wanted, may = _core.admit_users(
        {"kinds": kinds, "n": n // kinds if kinds else 0, "part_ppm": part_ppm,
         "factor_ppm": UNLIMITED if factor_ppm is None else factor_ppm,
         **columns})
    return UserBounds(bound.tolist(), wanted.tolist(),
                      [bool(m) for m in may.tolist()])


@dataclass(frozen=True)
class AppBounds:
    """How many applications a leaf may have, and one user of it."""

    leaf: int
    user: int


def apps(*, total: int = 0, part: Fraction | int = 1, leaf: int | None = None,
         part_ppm: int, factor_ppm: int | None = None) -> AppBounds:
    """How many applications a leaf may have: `leaf`, or its `part` of the total;
    and how many of them one user's, as in the capacity scheduler of YARN.
    `factor_ppm` None: all. Raises RangeError.

    >>> apps(total=10_000, part=Fraction(1, 10), part_ppm=500_000,
    ...      factor_ppm=1_000_000)
    AppBounds(leaf=1000, user=500)
    """
    of = Fraction(part)
    return AppBounds(*_core.admit_apps(
        total, of.numerator, of.denominator, UNSET if leaf is None else leaf,
        part_ppm, UNLIMITED if factor_ppm is None else factor_ppm))


@dataclass(frozen=True)
class MasterBounds:
    """What masters of a leaf may hold together, and those of one user."""

    leaf: list[int]
    user: list[int]


def masters(kinds: int, *, share_ppm: int, part_ppm: int,
            factor_ppm: int | None = None, active: int = 1, weight: int = 1,
            **columns: Numbers) -> MasterBounds:
    """What the masters of a leaf's applications may hold, and those of a user,
    of whom so many are `active`, as in the capacity scheduler of YARN.
    `factor_ppm` None: as much as the leaf. Columns: guarantee, limit and step (one
    amount a kind). Raises RangeError.

    >>> masters(1, guarantee=[20], limit=[50], share_ppm=100_000,
    ...         part_ppm=250_000, factor_ppm=1_000_000, active=2)
    MasterBounds(leaf=[5], user=[1])
    """
    leaf, user = _core.admit_masters(
        {"kinds": kinds, "share_ppm": share_ppm, "part_ppm": part_ppm,
         "factor_ppm": UNLIMITED if factor_ppm is None else factor_ppm,
         "active": active, "weight": weight, **columns})
    return MasterBounds(leaf.tolist(), user.tolist())


__all__ = ["Admission", "Admitted", "AppBounds", "Gang", "GangState", "Held",
           "Line", "MasterBounds", "UserBounds", "admit", "apps", "masters",
           "users"]
