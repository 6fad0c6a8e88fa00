"""What each queue has and wants. <sched/ledger.h>"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Union

from . import _core
from .columns import Column, Numbers, convert_column
from .enums import NOW, LedgerColumn, number
from .handles import Owner
from .hooks import Hooks, host_of
from .schema import Vector

if TYPE_CHECKING:
    from .tree import Queue, Tree

Which = Union[int, str]


class Ledger(Owner):
    """Usage, demand, history and running applications of every queue. Said for
    leaves; parents have the sums.

    Columns are named "usage", "demand", "history", "running". `half_life` is
    that of the history, in ns; 0: it never decays. Raises RangeError.

    >>> import sked
    >>> tree = sked.Tree("cpu=1")
    >>> a, b = tree.root.add("a"), tree.root.add("b")
    >>> ledger = Ledger(tree)
    >>> ledger.set("usage", {a: {"cpu": 3}, b: {"cpu": 4}})
    >>> ledger.get("usage", tree.root)
    {'cpu': 7}
    """

    __slots__ = ("tree", "half_life", "_hooks", "_decayed")

    def __init__(self, tree: Tree, *, half_life: int = 0,
                 hooks: Hooks | None = None) -> None:
        self.tree = tree
        self.half_life = half_life
        self._hooks = hooks
        self._decayed: int | None = None
        self._handle = _core.ledger_new(tree._settled(), host_of(hooks),
                                        half_life)

    def _which(self, column: Which) -> int:
        return number(LedgerColumn, column)

    def _rows(self, which: int, said: Any, amounts: Any) -> tuple[Any, Any]:
        if not isinstance(said, Mapping):
            return said, self.tree.schema.rows(amounts)
        flat: list[int] = []
        for value in said.values():
            if which == LedgerColumn.RUNNING:
                flat.append(value)
            else:
                flat.extend(self.tree.schema.vec(value))
        ids = [q.id if hasattr(q, "id") else q for q in said]
        return convert_column(ids, "Q"), convert_column(flat)

    def set(self, column: Which, queues: Mapping[Queue, Any] | Numbers,
            amounts: Numbers = None) -> None:
        """Sets what leaves have: a dict of queues and vectors, or ids and
        amounts row by row. All or nothing; the error has the row. Raises
        StaleError, RangeError (negative, or a sum above AMOUNT_MAX)."""
        which = self._which(column)
        ids, flat = self._rows(which, queues, amounts)
        _core.ledger_set(self._handle, which, ids, flat)

    def add(self, column: Which, queues: Mapping[Queue, Any] | Numbers,
            amounts: Numbers = None) -> None:
        """Adds to what leaves have; amounts may be negative, results not.
        Raises StaleError, RangeError."""
        which = self._which(column)
        ids, flat = self._rows(which, queues, amounts)
        _core.ledger_add(self._handle, which, ids, flat)

    def put(self, column: Which, kind: str | int, by_row: Numbers) -> None:
        """Replaces one kind of a column: a number for every row of the tree
        (those of parents are not read). Raises RangeError."""
        which = self._which(column)
        place = 0 if which == LedgerColumn.RUNNING else \
            self.tree.schema.kind(kind)
        _core.ledger_put(self._handle, which, place, by_row)

    def get(self, column: Which, queue: Queue) -> Any:
        """What one queue has: a dict of amounts; of "running" a number. Raises
        StaleError."""
        which = self._which(column)
        got = _core.ledger_get(self._handle, which, queue.id)
        if which == LedgerColumn.RUNNING:
            return got[0]
        return self.tree.schema.named(got)

    def view(self, column: Which, kind: str | int = 0) -> Column:
        """One kind of a column by row, seen in place: while the answer lives,
        changes raise BufferError."""
        which = self._which(column)
        place = 0 if which == LedgerColumn.RUNNING else \
            self.tree.schema.kind(kind)
        return _core.ledger_view(self._handle, which, place)

    def column(self, column: Which, kind: str | int = 0) -> Column:
        """The same, copied."""
        return convert_column(self.view(column, kind))

    def follow(self, tree: Tree | None = None) -> None:
        """Follows the tree to its last commit. Raises StateError (a busy queue
        is gone or became a parent), SchemaError."""
        tree = self.tree if tree is None else tree
        _core.ledger_follow(self._handle, tree._handle)

    @property
    def version(self) -> int:
        """The commit whose rows it has."""
        return _core.ledger_version(self._handle)

    @property
    def digest(self) -> int:
        """A hash of ids, amounts and time."""
        return _core.ledger_digest(self._handle)

    def decay(self, now: int | None = None) -> None:
        """Lets the history decay to `now` (ns), or to the clock hook. Raises
        StateError (there is no such hook)."""
        clock: Any = getattr(self._hooks, "clock", Hooks.clock)
        if now is None and getattr(clock, "__func__", clock) is not Hooks.clock:
            now = clock()  # as the library would, which does not tell it
        _core.ledger_decay(self._handle, NOW if now is None else now)
        if now is not None and (self._decayed is None or now > self._decayed):
            self._decayed = now

    def reserve(self, queues: int) -> None:
        """Reserves memory for trees of so many queues. Raises RangeError."""
        _core.ledger_reserve(self._handle, queues)

    def check(self) -> None:
        """InternalError if an invariant is broken."""
        _core.ledger_check(self._handle)

    def copy(self) -> Ledger:
        """An equal ledger over the same tree."""
        made = Ledger.__new__(type(self))
        made.tree = self.tree
        made.half_life = self.half_life
        made._hooks = self._hooks
        made._decayed = self._decayed
        made._handle = _core.ledger_copy(self._handle, host_of(self._hooks))
        return made

    __copy__ = copy

    def __reduce__(self) -> tuple[object, ...]:
        self.tree._settled()  # the rows of its text are those of that commit
        made = self.copy()
        made.follow()
        kinds = range(len(self.tree.schema))
        parts = [[bytes(made.column(c, k)) for k in kinds]
                 for c in ("usage", "demand", "history")]
        running = bytes(made.column("running"))
        return (_restore, (self.tree, self.half_life, parts, running,
                           self._decayed))


def _restore(tree: Tree, half_life: int, parts: list[list[bytes]],
             running: bytes, decayed: int | None = None) -> Ledger:
    made = Ledger(tree, half_life=half_life)
    if decayed is not None:
        made.decay(decayed)  # the first one sets the time alone
    for column, kinds in zip(("usage", "demand", "history"), parts):
        for kind, numbers in enumerate(kinds):
            made.put(column, kind, memoryview(numbers).cast("q"))
    made.put("running", 0, memoryview(running).cast("q"))
    return made
