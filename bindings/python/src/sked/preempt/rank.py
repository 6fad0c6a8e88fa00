"""Whose turn to go is first. <sched/rank.h>"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from .. import _core
from ..columns import Column, Numbers
from ..hooks import Hooks, host_of


class RankKey(IntEnum):
    """Keys of an order of candidates. enum sked_rank_key"""

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
    """Orders that are known. enum sked_rank_preset_name"""

    OWN = 0
    CAPACITY = 1
    FAIR = 2
    PELOTON = 3


class TaskState(IntEnum):
    """What a candidate does. enum sked_rank_state"""

    PENDING = 0
    PLACING = 1
    RUNNING = 2


def preset(which: int = RankPreset.OWN) -> Column:
    """The keys of an order that is known, the first deciding first."""
    return _core.rank_preset(which)


def rank_of(n: int, keys: Numbers, columns: Mapping[str, Any]) -> dict[str, Any]:
    chosen = None if keys is None else list(keys)
    return {"n": n, "n_keys": len(chosen or ()), "keys": chosen, **columns}


def rank(n: int, *, keys: Numbers = None, top: int = 0,
         hooks: Hooks | None = None, **columns: Numbers) -> Column:
    """Positions of the first `top` of `n` candidates (0: all), whose turn to
    go is first. Columns, a row a candidate: state, preemptible, priority,
    started (ns), checkpoint (ns), restart_cost, restarts, master, submitted
    (ns), host. Raises RangeError, Cancelled.

    >>> rank(3, keys=[RankKey.PRIORITY], priority=[5, 1, 3]).tolist()
    [1, 2, 0]
    """
    return _core.rank_order(rank_of(n, keys, columns), top, host_of(hooks))
