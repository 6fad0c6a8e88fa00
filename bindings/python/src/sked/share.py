"""Fair shares.

<sched/fill.h>, <sched/share.h>, <sched/fair_tree.h>"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from . import _core
from .columns import Column, Numbers, Table, Texts
from .enums import (Apportion, Bound, FillForm, Model, Outcome, Scope,
                    ShareFlag, number)
from .handles import Owner
from .hooks import Hooks, Progress, host_of
from .ledger import Ledger
from .schema import Vector, fraction

if TYPE_CHECKING:
    from .tree import Queue, Tree


@dataclass(frozen=True)
class Filled:
    """What came of a filling: whole units for each, what bounds each
    (`Bound`), and the exact level (None: nobody is at one)."""

    share: Column
    bound: Column
    outcome: Outcome
    leftover: int
    level: Fraction | None


def fill(total: int, n: int | None = None, *, guarantee: Numbers = None,
         limit: Numbers = None, demand: Numbers = None, weight: Numbers = None,
         amount_weight: Numbers = None, form: int = FillForm.RATIO,
         rounding: int | str = Apportion.WEBSTER, anticipate: bool = False,
         hooks: Hooks | None = None) -> Filled:
    """Shares `total` units among siblings. A column left out has one value for
    all: guarantee 0, limit and demand UNLIMITED, weight 1. Columns have a row
    a sibling: units, or numbers for `weight`. Raises RangeError (with the
    row), Cancelled.

    >>> fill(100, guarantee=[20, 20, 20], demand=[10, 80, 80]).share.tolist()
    [10, 45, 45]
    """
    if n is None:
        given = [c for c in (guarantee, limit, demand, weight, amount_weight)
                 if c is not None]
        if not given:
            raise ValueError("needs a column, or n")
        n = len(given[0])
    share, bound, outcome, left, num, den = _core.fill(
        host_of(hooks), total, n, guarantee, limit, demand, weight,
        amount_weight, int(anticipate), form, number(Apportion, rounding))
    return Filled(share, bound, Outcome(outcome), left, fraction(num, den))


def time_weights(weight: Numbers, usage: Numbers, usage_total: int,
                 k_ppm: int) -> Column:
    """Weights that remember past use, for `amount_weight` of `fill`: in
    proportion to max(0, W' + k * (W' - U')). W' is a sibling's part of all
    weights, U' its part of `usage_total`; both columns have a row a sibling, k
    is in ppm. Raises RangeError."""
    return _core.fill_time_weights(weight, usage, usage_total, k_ppm)


def share_once(parent: Numbers, capacity: Numbers, *, weight: Numbers = None,
               priority: Numbers = None, guarantee: Numbers = None,
               limit: Numbers = None, borrow: Numbers = None,
               lend: Numbers = None, demand: Numbers = None,
               usage: Numbers = None, running: Numbers = None,
               state: Numbers = None, held: Numbers = None, model: int | str = Model.ENTITLEMENT,
               scope: int | str = Scope.KINDS,
               rounding: int | str = Apportion.WEBSTER, kind: int = 0,
               flags: int = 0, hooks: Hooks | None = None) -> Column:
    """Shares of a tree given as arrays, row 0 the root, parents first (-1 for
    the root). Amounts are n x kinds, row by row; so is the answer. Raises
    RangeError (with the row), Cancelled.

    >>> share_once([-1, 0, 0], [10], demand=[0, 9, 9]).tolist()
    [[10], [5], [5]]
    """
    return _core.share_once(
        host_of(hooks), parent, weight, priority, guarantee, limit, borrow,
        lend, demand, usage, running, state, held, capacity, flags,
        number(Model, model), number(Scope, scope), number(Apportion, rounding),
        kind)


class Shares(Owner):
    """Fair shares over a tree: computed anew, or by what changed.

    After `compute` or `update`, `shares[path]` or `shares[queue]` is a dict of
    amounts, `column` one kind by row, `explain` the bound that binds. Amounts
    are whole numbers of the smallest unit.

    Reads raise RuntimeError before that, StateError (which is one) for what a
    `query` left for later, StaleError for a queue that is gone. Raises
    RangeError (an option)."""

    __slots__ = ("tree", "ledger", "capacity", "scope")

    def __init__(self, model: int | str = Model.ENTITLEMENT, *,
                 scope: int | str = Scope.KINDS,
                 rounding: int | str = Apportion.WEBSTER, kind: int = 0,
                 flags: int = 0, hooks: Hooks | None = None,
                 progress: Progress = False) -> None:
        self.scope = Scope(number(Scope, scope))
        self._handle = _core.share_new(
            host_of(hooks, progress), flags, number(Model, model), self.scope,
            number(Apportion, rounding), kind)
        self.tree: Tree | None = None
        self.ledger: Ledger | None = None
        self.capacity: Numbers = None

    def _take(self, tree: Tree, ledger: Ledger, capacity: Vector) -> Numbers:
        tree._settled()
        return tree.schema.vec(capacity)

    def _keep(self, tree: Tree, ledger: Ledger, capacity: Numbers) -> None:
        self.tree, self.ledger, self.capacity = tree, ledger, capacity

    def compute(self, tree: Tree, ledger: Ledger, capacity: Vector) -> None:
        """Every share anew. O(queues * kinds). On an error, and when it is
        cancelled, the shares of last time stand. Raises StateError (the ledger
        follows other rows), SchemaError, RangeError (the capacity),
        Cancelled."""
        amounts = self._take(tree, ledger, capacity)
        _core.share_compute(self._handle, tree._handle, ledger._handle, amounts)
        self._keep(tree, ledger, amounts)

    def update(self, tree: Tree, ledger: Ledger, capacity: Vector) -> None:
        """The same numbers, of the same vector, at the cost of what changed
        since. Raises what `compute` raises: StateError, SchemaError,
        RangeError, Cancelled."""
        amounts = self._take(tree, ledger, capacity)
        _core.share_update(self._handle, tree._handle, ledger._handle, amounts)
        self._keep(tree, ledger, amounts)

    def query(self, tree: Tree, ledger: Ledger, capacity: Vector,
              queue: Queue) -> dict[str, int]:
        """One queue's share, brought up to date; the rest is left for later.
        Raises StaleError, and what `compute` raises: StateError, SchemaError,
        RangeError, Cancelled."""
        amounts = self._take(tree, ledger, capacity)
        got = _core.share_query(self._handle, tree._handle, ledger._handle,
                                amounts, queue.id)
        self._keep(tree, ledger, amounts)
        return tree.schema.named(got)

    def _of(self) -> tuple[Tree, Ledger]:
        if self.tree is None or self.ledger is None:
            raise RuntimeError("nothing was computed yet")
        return self.tree, self.ledger

    def __getitem__(self, queue: Queue | str) -> dict[str, int]:
        tree, _ = self._of()
        which = tree[queue] if isinstance(queue, str) else queue
        kinds = len(tree.schema)
        return tree.schema.named(_core.share_get(self._handle, which.id, kinds))

    def __iter__(self) -> Iterator[Queue]:
        return iter(self._of()[0])

    def __len__(self) -> int:
        return len(self._of()[0])

    def column(self, kind: str | int = 0) -> Column:
        """Shares of one kind, an amount by row. Raises StateError."""
        tree, _ = self._of()
        return _core.share_column(self._handle, tree.schema.kind(kind))

    def bounds(self, kind: str | int = 0) -> Column:
        """What binds each queue in one kind (`Bound`), by row. Raises
        StateError when tree or ledger have changed since."""
        tree, ledger = self._of()
        return _core.share_bounds(self._handle, tree._handle, ledger._handle,
                                  tree.schema.kind(kind))

    def level(self, queue: Queue, kind: str | int = 0) -> Fraction | None:
        """The exact level of a parent's children; None: all have all they can
        take. Raises StaleError, StateError."""
        tree, _ = self._of()
        num, den = _core.share_level(self._handle, queue.id,
                                     tree.schema.kind(kind))
        return fraction(num, den)

    def explain(self, queue: Queue | str) -> dict[str, Bound]:
        """Which bound binds a queue, kind by kind. Raises StaleError,
        StateError."""
        tree, _ = self._of()
        which = tree[queue] if isinstance(queue, str) else queue
        row = which.row
        return {name: Bound(self.bounds(k)[row])
                for k, name in enumerate(tree.schema.names)}

    @property
    def counts(self) -> dict[str, int]:
        """What computations did, since the beginning."""
        return _core.share_get_stats(self._handle)

    def reserve(self, queues: int, kinds: int) -> None:
        """Reserves memory for trees of that size. Raises RangeError."""
        _core.share_reserve(self._handle, queues, kinds)

    def check(self) -> None:
        """InternalError if an invariant is broken."""
        _core.share_check(self._handle)

    @property
    def digest(self) -> int:
        """A hash of the options and of all shares that can be read now: equal
        whichever way they were computed."""
        return _core.share_digest(self._handle)

    def table(self) -> Table:
        """Paths, and for each kind the share and what binds it. Raises
        StateError."""
        tree, _ = self._of()
        columns: dict[str, Column | Texts] = {"path": tree.paths}
        for name in tree.schema.names:
            columns[name] = self.column(name)
            if self.scope != Scope.DOMINANT:
                columns[f"{name}.bound"] = Texts(
                    Bound(b).name.lower() for b in self.bounds(name))
        return Table(columns)

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def fair_tree_ranks(parent: Numbers, usage: Numbers, shares: Numbers = None, *,
                    hooks: Hooks | None = None) -> Column:
    """Ranks of the leaves of a tree of arrays by past use: the best leaf gets
    the number of leaves; inner nodes 0. Row 0 is the root, parents first;
    `usage` is an amount a row, `shares` a number (left out: 1). Raises
    RangeError (a usage, a sum of them), Cancelled."""
    return _core.fair_tree_ranks(parent, shares, usage, host_of(hooks))


def fair_tree(tree: Tree, ledger: Ledger, kind: str | int = 0, *,
              hooks: Hooks | None = None) -> Column:
    """The same over a tree: shares are weights, usage is the history of one
    kind; ranks by row. Raises StateError (the ledger follows other rows),
    RangeError, Cancelled."""
    return _core.fair_tree(tree._settled(), ledger._handle,
                           tree.schema.kind(kind), host_of(hooks))
