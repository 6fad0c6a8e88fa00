"""Dominant resource fairness: who is next, flat and over a tree.

<sched/drf.h>, <sched/drf_arrays.h>, <sched/hdrf.h>"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from . import _core
from .columns import Column, Numbers
from .enums import NO_SLOT
from .handles import Owner
from .hooks import Hooks, host_of
from .schema import fraction
from .tree import Tree

#: Keys of finite shares are below this.
INFINITE = (1 << 64) - 1


@dataclass(frozen=True)
class Standing:
    """How a client stands: `key` is floor(2**62 * share / weight), or
    INFINITE; `share` the dominant one (None: infinite), `kind` of which (-1:
    nothing is used)."""

    key: int
    share: Fraction | None
    weight: int
    kind: int


def _standing(said: tuple[int, int, int, int, int]) -> Standing:
    key, num, den, weight, kind = said
    return Standing(key, fraction(num, den), weight, kind)


def _slot(slot: int) -> int | None:
    return None if slot == NO_SLOT else slot


class Drf(Owner):
    """The DRF sort: clients by weighted dominant share, least first, kept in
    order while usage changes. Clients are named by 64-bit keys of yours (not
    0), and by the slot that `insert` gives. Usage and capacity are vectors:
    one amount a kind, 0 to AMOUNT_MAX; those of many are rows, one for each of
    `slots`, all taken or none (the error has the `row`). A `delta` is added, a
    `weight` divides a client's share, only `active` ones are in the order. Raises RangeError (too many
    kinds or clients, an amount).

    >>> drf = Drf([9, 18])
    >>> a, b = drf.insert(1), drf.insert(2)
    >>> drf.charge(a, [1, 4]); drf.next() == b
    True
    """

    __slots__ = ("kinds",)

    def __init__(self, capacity: Numbers, *, clients: int = 0,
                 hooks: Hooks | None = None) -> None:
        self.kinds = len(capacity)
        self._handle = _core.drf_new(host_of(hooks), self.kinds, clients)
        self.set_capacity(capacity)

    def set_capacity(self, capacity: Numbers) -> None:
        """The capacity: one amount a kind; all shares follow. Raises
        RangeError."""
        _core.drf_set_capacity(self._handle, self.kinds, capacity)

    def reserve(self, clients: int) -> None:
        """Reserves memory for so many clients in all. Raises RangeError (above 2**30)."""
        _core.drf_reserve(self._handle, clients)

    def insert(self, key: int, weight: int = 1, usage: Numbers = None) -> int:
        """Adds a client, active, that uses `usage`, one amount a kind (left
        out: nothing); its slot. Raises ExistsError (the key is taken),
        RangeError."""
        return _core.drf_insert(self._handle, self.kinds, key, weight, usage)

    def insert_rows(self, keys: Numbers, weight: Numbers = None,
                    usage: Numbers = None) -> Column:
        """Adds many, all or none: weights (left out: 1 each) and rows of
        usage; their slots. Raises ExistsError, RangeError, Cancelled."""
        return _core.drf_insert_rows(self._handle, self.kinds, keys, weight,
                                     usage)

    def remove(self, slot: int) -> None:
        """Removes a client. Raises NotFoundError."""
        _core.drf_remove(self._handle, slot)

    def remove_rows(self, slots: Numbers) -> None:
        """Removes the clients in different slots, all rows or none. Raises
        NotFoundError, Cancelled."""
        _core.drf_remove_rows(self._handle, slots)

    def update(self, slot: int, usage: Numbers) -> None:
        """Sets what a client uses, one amount a kind. Raises NotFoundError,
        RangeError."""
        _core.drf_update(self._handle, self.kinds, slot, usage)

    def update_rows(self, slots: Numbers, usage: Numbers) -> None:
        """Sets what many use, row by row; of a slot that comes twice the last
        row stays. Raises NotFoundError, RangeError, Cancelled."""
        _core.drf_update_rows(self._handle, self.kinds, slots, usage)

    def charge(self, slot: int, delta: Numbers) -> None:
        """Adds to what a client uses, one signed amount a kind. Raises
        NotFoundError, RangeError (a sum below 0 or above AMOUNT_MAX)."""
        _core.drf_charge(self._handle, self.kinds, slot, delta)

    def charge_rows(self, slots: Numbers, delta: Numbers) -> None:
        """Adds to what many use, row by row; rows of one slot add up. Raises
        NotFoundError, RangeError, Cancelled."""
        _core.drf_charge_rows(self._handle, self.kinds, slots, delta)

    def set_weight(self, slot: int, weight: int) -> None:
        """Sets a weight. Raises NotFoundError."""
        _core.drf_set_weight(self._handle, slot, weight)

    def weight_rows(self, slots: Numbers, weights: Numbers) -> None:
        """Sets many weights, row by row, one a slot. Raises NotFoundError,
        Cancelled."""
        _core.drf_set_weight_rows(self._handle, slots, weights)

    def activate(self, slot: int, active: bool = True) -> None:
        """Says whether a client takes part in the order. Raises
        NotFoundError."""
        _core.drf_activate(self._handle, slot, int(active))

    def activate_rows(self, slots: Numbers, active: Numbers) -> None:
        """The same for many, row by row, 0 or 1 each. Raises NotFoundError,
        Cancelled."""
        _core.drf_activate_rows(self._handle, slots, active)

    def next(self) -> int | None:
        """The slot that comes first; None when nobody is active."""
        return _slot(_core.drf_next(self._handle))

    def pop(self, n: int = 1) -> Column:
        """Takes the first `n` out of the order: their slots, first one
        first."""
        return _core.drf_pop(self._handle, n)

    def list(self) -> Column:
        """All active slots, first one first."""
        return _core.drf_list(self._handle)

    def slot(self, key: int) -> int | None:
        """The slot of a key; None when there is none."""
        return _slot(_core.drf_slot(self._handle, key))

    def key(self, slot: int) -> int:
        """The key of a slot; 0 when there is no client."""
        return _core.drf_key(self._handle, slot)

    def is_active(self, slot: int) -> bool:
        """Does it take part in the order?"""
        return bool(_core.drf_is_active(self._handle, slot))

    def standing(self, slot: int) -> Standing:
        """How a client stands. Raises NotFoundError."""
        return _standing(_core.drf_share(self._handle, slot))

    def usage(self, slot: int) -> Column:
        """What a client uses, one amount a kind. Raises NotFoundError."""
        return _core.drf_usage(self._handle, self.kinds, slot)

    def __len__(self) -> int:
        return _core.drf_clients(self._handle)

    @property
    def active(self) -> int:
        """How many take part in the order."""
        return _core.drf_active(self._handle)

    @property
    def digest(self) -> int:
        """The same for two handles that go on alike."""
        return _core.drf_digest(self._handle)

    def check(self) -> None:
        """InternalError if an invariant is broken."""
        _core.drf_check(self._handle)


def standing(usage: Numbers, capacity: Numbers, weight: int = 1) -> Standing:
    """How one client stands, given what it uses; both vectors, one amount a
    kind. Raises RangeError.

    >>> standing([3, 1], [9, 18], 2).share
    Fraction(1, 3)
    """
    return _standing(_core.drf_standing_once(usage, capacity, weight))


def order(capacity: Numbers, usage: Numbers, weight: Numbers = None, *,
          hooks: Hooks | None = None) -> Column:
    """Indices of clients, first one first. `usage` has a row a client, one
    amount a kind; weights are 1 where left out. Raises RangeError,
    Cancelled."""
    return _core.drf_order(host_of(hooks), capacity, usage, None, weight, None,
                           None)


def allocate(capacity: Numbers, demand: Numbers, pool: Numbers, *,
             usage: Numbers = None, weight: Numbers = None,
             most: Numbers = None,
             hooks: Hooks | None = None) -> tuple[Column, Column]:
    """Hands tasks out of `pool` until nothing fits: how many each client gets,
    and what is left of every kind. `capacity` and `pool` are vectors; `demand`
    (of one task) and `usage` have a row a client, `most` a number of tasks.
    Raises RangeError, Cancelled.

    >>> tasks, left = allocate([9, 18], [1, 4, 3, 1], [9, 18])
    >>> tasks.tolist(), left.tolist()
    ([3, 2], [0, 4])
    """
    return _core.drf_allocate(host_of(hooks), capacity, usage, demand, weight,
                              most, None, pool)


def picks(capacity: Numbers, demand: Numbers, pool: Numbers, *,
          usage: Numbers = None, weight: Numbers = None, most: Numbers = None,
          cap: int = 100_000,
          hooks: Hooks | None = None) -> tuple[Column, Column]:
    """The same, decision by decision: the client of each (at most `cap`), and
    what is left. Rows and vectors as in `allocate`. Raises RangeError,
    Cancelled."""
    return _core.drf_picks(host_of(hooks), capacity, usage, demand, weight,
                           most, None, pool, cap)


def level(capacity: Numbers, demand: Numbers, *, weight: Numbers = None,
          most: Numbers = None, least: Numbers = None,
          hooks: Hooks | None = None) -> tuple[Column, Column]:
    """DRF with divisible tasks, in doubles, for analysis: tasks of each
    client, and what is left. Rows and vectors as in `allocate`; `least` is a
    number of tasks a client, due in any case. Raises ConfigError (those alone
    do not fit), RangeError, Cancelled."""
    return _core.drf_level(host_of(hooks), capacity, None, demand, weight, most,
                           least)


def complaints(capacity: Numbers, usage: Numbers, demand: Numbers, *,
               weight: Numbers = None, most: Numbers = None,
               full: int = 0) -> Column:
    """Who may complain of a division: indices, none for a fair one. `usage`
    and `demand` (of one task) have a row a client; `full` has a bit for each
    kind that counts as full. Raises RangeError."""
    return _core.drf_complaints(capacity, usage, demand, weight, most, None,
                                full)


@dataclass(frozen=True)
class NodeStanding:
    """How a node of a tree stands: 2**62 is one cluster."""

    key: int
    share: int
    weight: int
    blocked: bool


class Hdrf(Owner):
    """Dominant resource fairness over a tree: which leaf is next. Nodes are
    numbers, parents first, 0 the root. Amounts are vectors, one a kind; those
    of many leaves are rows. `parent` has the parent of each node. Raises
    RangeError (kinds, nodes, an amount).

    >>> h = Hdrf([10, 10], [0, 0, 0])
    >>> h.set_leaves([1, 2], demand=[[1, 0], [0, 1]], pending=[3, 1])
    >>> h.run(10)[0].tolist()
    [1, 2, 1, 1]
    """

    __slots__ = ("kinds",)

    def __init__(self, capacity: Numbers, parent: Numbers | Tree,
                 weight: Numbers = None, *, hooks: Hooks | None = None) -> None:
        if isinstance(parent, Tree):
            self.kinds = len(parent.schema)
            self._handle = _core.hdrf_of_tree(host_of(hooks),
                                              parent._settled())
        else:
            self.kinds = len(capacity)
            self._handle = _core.hdrf_new(host_of(hooks), self.kinds, parent,
                                          weight)
        self.set_capacity(capacity)

    def set_capacity(self, capacity: Numbers) -> None:
        """The capacity of every kind. One amount each. Raises RangeError."""
        _core.hdrf_set_capacity(self._handle, self.kinds, capacity)

    def set_full(self, kinds: int) -> None:
        """Kinds (a bit each) that count as full although something is left."""
        _core.hdrf_set_full(self._handle, kinds)

    def set_leaves(self, leaves: Numbers, *, usage: Numbers = None,
                   demand: Numbers = None, pending: Numbers = None) -> None:
        """Sets what leaves use and what one task wants (rows of amounts), and
        how many tasks are pending. Raises NotFoundError (no leaf), RangeError,
        Cancelled."""
        _core.hdrf_set_leaves(self._handle, self.kinds, leaves, usage, demand,
                              pending)

    def set_weight(self, node: int, weight: int) -> None:
        """Sets a weight. Raises NotFoundError."""
        _core.hdrf_set_weight(self._handle, node, weight)

    def block(self, leaf: int, blocked: bool = True) -> None:
        """Its next task fits nowhere (or does again). Raises NotFoundError."""
        _core.hdrf_block(self._handle, leaf, int(blocked))

    def next(self) -> int | None:
        """The leaf that is next; None when all are blocked."""
        return _slot(_core.hdrf_next(self._handle))

    def allocate(self, leaf: int, tasks: int = 1) -> None:
        """Gives a leaf so many of its pending tasks. Raises NotFoundError (no
        leaf), StateError (not so many are pending), RangeError (more than is
        free)."""
        _core.hdrf_allocate(self._handle, leaf, tasks)

    def release(self, leaf: int, amount: Numbers) -> None:
        """Takes a vector off what a leaf uses. Raises NotFoundError,
        RangeError (it does not use so much)."""
        _core.hdrf_release(self._handle, self.kinds, leaf, amount)

    def run(self, cap: int) -> tuple[Column, bool]:
        """Goes on until nothing can run, `cap` times at most: the leaf of each
        allocation; and was it stopped early by a hook?"""
        leaves, said = _core.hdrf_run(self._handle, cap)
        return leaves, said != 0

    def standing(self, node: int) -> NodeStanding:
        """How a node stands. Raises NotFoundError."""
        key, share, weight, blocked = _core.hdrf_share(self._handle, node)
        return NodeStanding(key, share, weight, bool(blocked))

    def usage(self, leaf: int) -> tuple[Column, int]:
        """What a leaf uses, one amount a kind, and how many tasks are pending.
        Raises NotFoundError."""
        return _core.hdrf_usage(self._handle, self.kinds, leaf)

    @property
    def digest(self) -> int:
        """The same for two trees that go on alike."""
        return _core.hdrf_digest(self._handle)

    def check(self) -> None:
        """InternalError if an invariant is broken."""
        _core.hdrf_check(self._handle)


__all__: list[Any] = ["Drf", "Hdrf", "NodeStanding", "Standing", "allocate",
                      "complaints", "level", "order", "picks", "standing"]
