"""Whose turn it is: orders of children and of applications. <sched/order.h>"""

from __future__ import annotations

from . import _core
from .columns import Column, Numbers
from .enums import AppOrder, ChildOrder, number
from .handles import Owner
from .hooks import Hooks, host_of
from .ledger import Ledger
from .schema import Vector
from .tree import Queue, Tree

#: Order `priority`: children within their guarantee go before those beyond.
WITHIN_FIRST = 1
#: Every order: children below their guarantee go first.
GUARANTEE_FIRST = 2


def _count(*columns: Numbers) -> int:
    for column in columns:
        if column is not None:
            return len(column)
    raise ValueError("needs a column that says how many there are")


def children(order: int | str, n: int, *, kinds: int = 1, flags: int = 0,
             kind: int = 0, seed: int = 0, eligible: Numbers = None,
             weight: Numbers = None, priority: Numbers = None,
             usage: Numbers = None, guarantee: Numbers = None,
             parent: Numbers = None, capacity: Numbers = None,
             key: Numbers = None, share: Numbers = None,
             hooks: Hooks | None = None) -> tuple[Column, Column]:
    """Positions of the eligible of `n` children, whose turn it is first, and
    their keys (n x 2 words, the high one first). Amounts are n x kinds, row by
    row. `flags` are WITHIN_FIRST and GUARANTEE_FIRST. Order `share` needs
    `share` (n x kinds), the share of each child. Raises RangeError (an amount,
    with row and kind), Cancelled.

    >>> children("fair", 3, usage=[5, 1, 3], capacity=[9])[0].tolist()
    [1, 2, 0]
    """
    return _core.order_children(
        host_of(hooks), flags, number(ChildOrder, order), kind, kinds, n, seed,
        eligible, weight, priority, usage, guarantee, parent, capacity, key,
        share)


def apps(order: int | str, n: int, *, kinds: int = 1, users: int = 0,
         eligible: Numbers = None, submitted: Numbers = None,
         priority: Numbers = None, weight: Numbers = None,
         usage: Numbers = None, pending: Numbers = None, user: Numbers = None,
         user_usage: Numbers = None, user_weight: Numbers = None,
         capacity: Numbers = None, key: Numbers = None,
         hooks: Hooks | None = None) -> tuple[Column, Column]:
    """Indices of the eligible of `n` applications, whose turn it is first, and
    their keys (n x 2 words). By application: `submitted` (ns), numbers, rows
    of amounts (`usage`, `pending`); by user: `user_usage` (rows) and
    `user_weight`; `capacity` is one amount a kind. Raises RangeError (an
    amount, a user), Cancelled.

    >>> apps("fifo", 3, submitted=[7, 5, 6])[0].tolist()
    [1, 2, 0]
    """
    return _core.order_apps(
        host_of(hooks), number(AppOrder, order), kinds, n, users, eligible,
        submitted, priority, weight, usage, pending, user, user_usage,
        user_weight, capacity, key)


class Order(Owner):
    """Serves the families of a tree, each in its parent's order. The handle owns
    the generator of order `random`."""

    __slots__ = ("_hooks",)

    def __init__(self, *, seed: int = 0, flags: int = 0,
                 hooks: Hooks | None = None) -> None:
        self._hooks = hooks
        self._handle = _core.order_new(host_of(hooks), flags, seed)

    def list(self, tree: Tree, ledger: Ledger, capacity: Vector, parent: Queue,
             eligible: Numbers = None,
             share: Numbers = None) -> list[Queue]:
        """The eligible children of a parent, whose turn it is first: one pass.
        `capacity` is a vector; `eligible` goes by row; left out: those that
        want more than they have. `share` goes by row and kind, as share_once
        of the tree gives it; a parent of order `share` needs it. Raises StaleError, StateError (the ledger
        follows other rows), RangeError (the capacity), Cancelled."""
        found = _core.order_list(self._handle, tree._settled(), ledger._handle,
                                 tree.schema.vec(capacity), eligible, share,
                                 parent.id)
        return [Queue(tree, i) for i in found]

    def next(self, tree: Tree, ledger: Ledger, capacity: Vector, parent: Queue,
             eligible: Numbers = None,
             share: Numbers = None) -> Queue | None:
        """The first of them alone; None where there is none. Vectors, rows and
        what it raises as in `list`: StaleError, StateError, RangeError,
        Cancelled."""
        found = _core.order_next(self._handle, tree._settled(), ledger._handle,
                                 tree.schema.vec(capacity), eligible, share,
                                 parent.id)
        return Queue(tree, found) if found else None

    def reserve(self, queues: int) -> None:
        """Reserves memory for trees of so many queues. Raises RangeError."""
        _core.order_reserve(self._handle, queues)

    @property
    def digest(self) -> int:
        """A hash of the flags and of the state of the generator."""
        return _core.order_digest(self._handle)

    def check(self) -> None:
        """InternalError if an invariant is broken."""
        _core.order_check(self._handle)

    def copy(self) -> Order:
        """One that goes on exactly as this would."""
        made = Order.__new__(type(self))
        made._hooks = self._hooks
        made._handle = _core.order_copy(self._handle, host_of(self._hooks))
        return made

    __copy__ = copy
