"""Which host reads which block of data. <sched/locality.h>,
<sched/locality_fair.h>"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from . import _core, layouts
from .columns import Column, Numbers
from .enums import UNLIMITED, number
from .handles import Owner
from .hooks import Hooks, host_of
from .records import Layout, Records

#: A replica that is lost, or a block that is nowhere.
NO_HOST = (1 << 32) - 1
#: A choice: no replica was free.
NO_REPLICA = 255

POINT = Layout("Point", layouts.LOCALITY_POINT)
MOVE = Layout("Move", layouts.LOCALITY_MOVE)


class Method(IntEnum):
    """How blocks are placed. enum sked_locality_method"""

    EXACT = 0
    ONLINE = 1
    EQUILIBRIUM = 2


class Search(IntEnum):
    """How the cheapest point is looked for.
    enum sked_locality_search_method"""

    CHEAPEST = 0
    AREA = 1
    FORWARD = 2


class Fair(IntEnum):
    """How several queues' blocks are planned. enum sked_locality_fair_method"""

    JOINT = 0
    APART = 1


@dataclass(frozen=True)
class Point:
    """A load, the transfers it takes, what both cost, and how many points a
    search looked at."""

    load: int
    transfers: int
    cost: int
    looks: int = 0


@dataclass(frozen=True)
class Placed:
    """Where every block runs (`host`, one number a block), how many of them
    on a replica (`local`), in a rack of one, beyond; and what that costs."""

    host: Column
    local: int
    in_rack: int
    beyond: int
    cost: int


@dataclass(frozen=True)
class Sized:
    """A placement of blocks of unequal size: positions of replicas, the
    largest sum of sizes on a host, a lower bound for it, and how many blocks
    have no replica."""

    choice: Column
    most: int
    bound: int
    unplaced: int


@dataclass(frozen=True)
class Wave:
    """One wave of several queues' blocks: where each runs (`host`, NO_HOST: it
    waits), how many are local and transferred, how many are local by queue, no
    plan's more than `bound`; and the cut that says so, 1 or 0 by queue and by
    host. It is exact where `local` is `bound`."""

    host: Column
    queue_local: Column
    queue_cut: Column
    host_cut: Column
    local: int
    transfers: int
    bound: int
    phases: int


def table_of(rows: Any) -> tuple[int, int, Any]:
    """Blocks, replicas a row, and the rows as one column: from an array of two
    dimensions as it is, or from sequences, short ones filled with NO_HOST.

    >>> table_of([[1, 2], [0]])[:2]
    (2, 2)
    """
    shape = getattr(rows, "shape", None)
    if shape is not None and len(shape) == 2:
        return int(shape[0]), int(shape[1]), rows
    width = max((len(row) for row in rows), default=0)
    flat = array("I")
    for row in rows:
        flat.extend(row)
        flat.extend([NO_HOST] * (width - len(row)))
    return len(rows), width, flat


class Locality(Owner):
    """A placement: `replicas` has a row of host numbers for each block;
    `ticks`, `committed`, `cores`, `limit` one number a host: ticks a wave,
    ticks taken before the first, blocks at once, blocks at most. What it was
    made from is kept, uncopied where it can be. Raises RangeError (with the
    row), Cancelled.

    >>> here = Locality([[0, 1], [0, 1], [0], [0]], hosts=3)
    >>> here.floor, here.least_load, here.transfers(1)
    (2, 2, 2)
    >>> [(p.load, p.transfers) for p in here.curve()]
    [(2, 0)]
    """

    __slots__ = ("_input", "blocks", "choice", "counts", "floor", "hosts",
                 "least_load", "levels", "unplaced")

    def __init__(self, replicas: Sequence[Sequence[int]] | Any,
                 hosts: int | None = None, *, ticks: Numbers = None,
                 committed: Numbers = None, cores: Numbers = None,
                 limit: Numbers = None, method: int | str = Method.EXACT,
                 hooks: Hooks | None = None) -> None:
        self.blocks, width, flat = table_of(replicas)
        if hosts is None:
            hosts = 1 + max((int(h) for row in replicas for h in row
                             if int(h) != NO_HOST), default=0)
        self.hosts = hosts
        self._input: dict[str, Any] = {
            "blocks": self.blocks, "hosts": hosts, "replicas": width,
            "replica": flat if self.blocks and width else None, "ticks": ticks,
            "committed": committed, "cores": cores, "limit": limit}
        self._handle = _core.locality_new(host_of(hooks), self._input,
                                          number(Method, method))
        #: By block the position of its replica (NO_REPLICA); by host the
        #: blocks, and the levels that prove it (None unless exact). Loads in
        #: ticks; UNLIMITED where limits leave too few places.
        self.choice: Column
        self.counts: Column
        self.levels: Column | None
        self.floor: int
        self.least_load: int
        self.unplaced: int
        (self.choice, self.counts, self.levels, self.floor, self.least_load,
         self.unplaced) = _core.locality_answer(self._handle, self.blocks,
                                                hosts)

    def transfers(self, load: int) -> int:
        """The fewest transfers with which no load is above `load` ticks."""
        return _core.locality_transfers(self._handle, load)

    def load(self, transfers: int) -> int | None:
        """The least load, in ticks, that so many transfers reach; None if even
        the least load takes more."""
        said = _core.locality_load(self._handle, transfers)
        return None if said == UNLIMITED else said

    def curve(self) -> Records:
        """The whole trade-off: rows of `load` (ticks) and `transfers`, by
        ascending load. Raises RangeError where limits leave too few places."""
        return Records(POINT, _core.locality_curve(self._handle))

    def cheapest(self, compute: int = 1, transfer: int = 1, *,
                 method: int | str = Search.CHEAPEST, step: int = 0) -> Point:
        """The point that costs least, at so much a tick of load and so much a
        transfer. Raises RangeError."""
        load, m, high, low, looks = _core.locality_search(self._handle, {
            "method": number(Search, method), "compute": compute,
            "transfer": transfer, "step": step})
        return Point(load, m, (high << 64) + low, looks)

    def bottleneck(self, load: int) -> tuple[Column, int]:
        """Why no fewer transfers do for `load` ticks: hosts (one number each),
        and how many blocks lie nowhere else. Raises RangeError, StateError
        (not exact)."""
        return _core.locality_bottleneck(self._handle, load, self.hosts)

    def verify(self, choice: Numbers = None, levels: Numbers = None, *,
               hooks: Hooks | None = None) -> None:
        """Is a placement proved least for every load? This one, or a choice by
        block and a level by host from anywhere. Raises ConfigError (what
        fails, and where), RangeError, Cancelled."""
        _core.locality_verify(
            self._input, self.choice if choice is None else choice,
            self.levels if levels is None else levels, host_of(hooks))

    def plan(self, load: int | None = None, *, rack: Numbers = None,
             in_rack: int = 1, beyond: int = 1,
             hooks: Hooks | None = None) -> Placed:
        """Puts every block somewhere with no load above `load` ticks (the
        least one), at least cost of transfers. `rack`: one number a host.
        Raises RangeError, StateError (not exact), Cancelled."""
        where, local, near, far, high, low = _core.locality_plan(
            self._handle, self._input, {
                "load": self.least_load if load is None else load,
                "rack": rack, "in_rack": in_rack, "beyond": beyond},
            host_of(hooks))
        return Placed(where, local, near, far, (high << 64) + low)

    def restore(self, present: Numbers, *,
                hooks: Hooks | None = None) -> tuple[Column, int]:
        """Another placement as good for every load, with the fewest blocks
        elsewhere than in `present` (a host for each block, or NO_HOST): its
        choices, and how many move. Raises RangeError, StateError (not exact),
        Cancelled."""
        return _core.locality_restore(self._handle, self._input, present,
                                      host_of(hooks))

    def sized(self, size: Numbers, *, hooks: Hooks | None = None) -> Sized:
        """Blocks of unequal size, one number each, for a small largest sum,
        with a lower bound. Raises RangeError, StateError (not exact),
        Cancelled."""
        return Sized(*_core.locality_sized(self._handle, self._input, size,
                                           host_of(hooks)))


def _fair_input(replicas: Any, queue: Numbers, share: Numbers, slots: Numbers,
                hosts: int | None) -> dict[str, Any]:
    blocks, width, flat = table_of(replicas)
    if hosts is None:
        hosts = len(slots)
    return {"blocks": blocks, "hosts": hosts, "queues": len(share),
            "replicas": width, "replica": flat if blocks and width else None,
            "queue": queue, "share": share, "slots": slots}


def fair(replicas: Sequence[Sequence[int]] | Any, queue: Numbers,
         share: Numbers, slots: Numbers = None, *, hosts: int | None = None,
         method: int | str = Fair.JOINT, phases: int = 0,
         hooks: Hooks | None = None) -> Wave:
    """Several queues' blocks on one set of hosts: `replicas` has a row of hosts
    for each block, `queue` says whose each is, `share` how many blocks a queue
    may run at once, `slots` how many a host runs (1 each, then `hosts` says how
    many there are). Every queue runs what its share allows, and the most blocks
    are local. Raises RangeError (with the row), Cancelled.

    >>> wave = fair([[0], [0], [1], [0]], [0, 0, 0, 1], [1, 1], [1, 1, 1])
    >>> wave.local, wave.bound, wave.host.tolist()[2:]
    (2, 2, [1, 0])
    >>> fair([[0], [0], [1], [0]], [0, 0, 0, 1], [1, 1], [1, 1, 1],
    ...      method="apart").transfers
    1
    """
    return Wave(*_core.locality_fair(
        _fair_input(replicas, queue, share, slots, hosts),
        number(Fair, method), phases, host_of(hooks)))


def verify_fair(wave: Wave, replicas: Sequence[Sequence[int]] | Any,
                queue: Numbers, share: Numbers, slots: Numbers = None, *,
                hosts: int | None = None, hooks: Hooks | None = None) -> None:
    """Is a wave within slots and shares, and its bound that of its cut? Rows and
    columns are those of `fair`. Raises ConfigError (what is wrong, and where),
    RangeError, Cancelled."""
    _core.locality_fair_verify(
        _fair_input(replicas, queue, share, slots, hosts), wave.host,
        wave.queue_cut, wave.host_cut, wave.local, wave.transfers, wave.bound,
        host_of(hooks))


class Live(Owner):
    """A placement on equal hosts that stays exact while blocks come and go.
    Raises RangeError.

    >>> live = Live(hosts=2, replicas=2)
    >>> first, second = live.add([0, 1]), live.add([0])
    >>> live.host(first), live.loads().tolist()
    (1, [1, 1])
    """

    __slots__ = ("hosts",)

    def __init__(self, hosts: int, replicas: int, *,
                 hooks: Hooks | None = None) -> None:
        self.hosts = hosts
        self._handle = _core.locality_live_new(host_of(hooks), hosts, replicas)

    def add(self, replicas: Numbers) -> int:
        """Adds a block with a row of hosts that have a replica of it, by the
        fewest moves; its number. Raises RangeError."""
        return _core.locality_live_add(self._handle, replicas)

    def remove(self, block: int) -> None:
        """Removes a block by the fewest moves. Raises NotFoundError."""
        _core.locality_live_remove(self._handle, block)

    def down(self, lost: int) -> None:
        """Loses all replicas on a host, with the fewest blocks elsewhere than
        before. Raises RangeError, Cancelled."""
        _core.locality_live_down(self._handle, lost)

    def host(self, block: int) -> int:
        """Where a block is, or NO_HOST."""
        return _core.locality_live_host(self._handle, block)

    def loads(self) -> Column:
        """By host: how many blocks are there."""
        return _core.locality_live_loads(self._handle, self.hosts)

    @property
    def least_load(self) -> int:
        """The largest of the loads."""
        return _core.locality_live_least_load(self._handle)

    def transfers(self, load: int) -> int:
        """The fewest transfers with which no load is above `load` blocks."""
        return _core.locality_live_transfers(self._handle, load)

    def take(self, most: int = 65536) -> Records:
        """Takes what has moved since it was last taken, `most` rows at once:
        block, from, to."""
        return Records(MOVE, _core.locality_live_take(self._handle, most))


__all__ = ["Fair", "Live", "Locality", "Method", "NO_HOST", "NO_REPLICA",
           "Placed", "Point", "Search", "Sized", "Wave", "fair", "table_of",
           "verify_fair"]
