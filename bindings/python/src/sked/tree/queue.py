"""One queue of a tree.

<sched/tree.h>, <sched/tree_text.h>, <sched/ledger.h>"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from ..enums import (UNSET, AppOrder, Attribute, ChildOrder, LedgerColumn,
                     State)
from ..errors import Error
from ..schema import Vector

if TYPE_CHECKING:
    from ..ledger import Ledger
    from .tree import Tree

VECTORS = {"guarantee", "limit", "borrow", "lend"}
WORDS = {"order": ChildOrder, "apps": AppOrder, "state": State}


def _setting(name: str, what: str) -> property:
    """An attribute that is read as `get` and written as `set` do."""
    def read(queue: Queue) -> Any:
        return queue.get(name)

    def write(queue: Queue, value: Any) -> None:
        queue.set(**{name: value})

    return property(read, write, doc=f"{what} As `get` and `set` have it: "
                    "raises StaleError; RangeError, StateError when set.")


class Queue:
    """One queue of a tree: a view by id, which stays good until the queue is
    removed (then StaleError). Edits raise StateError outside the part that the
    tree is confined to."""

    __slots__ = ("tree", "id")

    def __init__(self, tree: Tree, id: int) -> None:
        self.tree = tree
        self.id = id

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Queue):
            return NotImplemented
        return self.tree is other.tree and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __copy__(self) -> Queue:
        return Queue(self.tree, self.id)

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore, (self.tree, self.path))

    def __repr__(self) -> str:
        name = _core.tree_name(self.tree._handle, self.id)
        return f"<Queue {self.path if name else 'not committed or gone'}>"

    # ---- edits: the draft ----

    def add(self, name: str, **settings: Any) -> Queue:
        """Adds a queue below this one; settings as `Tree.set` takes them.
        Raises what that does, and ExistsError."""
        return self.tree.add(self, name, **settings)

    def set(self, **settings: Any) -> None:
        """Sets attributes, as `Tree.set`. Raises RangeError, NotFoundError (no
        such attribute)."""
        self.tree.set(self, **settings)

    def remove(self, ledger: Ledger | None = None, drain: bool = False) -> bool:
        """Removes it and all below; False where something busy drains. Raises
        StateError (something busy is there)."""
        return self.tree.remove(self, ledger, drain)

    def move(self, parent: Queue) -> None:
        """Makes it the last child of `parent`. Raises StaleError, StateError
        (confined), ExistsError, RangeError (too deep)."""
        _core.tree_move(self.tree._edit(), self.id, parent.id)

    def rename(self, name: str) -> None:
        """Gives it another name. Raises StaleError, StateError (confined),
        ExistsError."""
        _core.tree_rename(self.tree._edit(), self.id, name)

    # ---- reads: the last commit ----

    @property
    def name(self) -> str:
        """Its own name."""
        return _core.tree_name(self.tree._settled(), self.id) or ""

    @property
    def path(self) -> str:
        """Names from the root on, joined by '.'. Raises StaleError."""
        return _core.tree_path(self.tree._settled(), self.id)

    @property
    def parent(self) -> Queue | None:
        """The queue above; None for the root."""
        up = _core.tree_parent(self.tree._settled(), self.id)
        return Queue(self.tree, up) if up else None

    @property
    def children(self) -> list[Queue]:
        """The queues below, in order."""
        found = _core.tree_children(self.tree._settled(), self.id)
        return [Queue(self.tree, i) for i in found]

    @property
    def row(self) -> int:
        """Its row in the columns of tree, ledger and shares."""
        return _core.tree_row(self.tree._settled(), self.id)

    @property
    def line(self) -> int:
        """The line of the text it came from; 0: from none."""
        return _core.tree_line(self.tree._settled(), self.id)

    def get(self, name: str) -> Any:
        """An attribute as it holds (set, inherited or default): a number, a
        dict of amounts, or a text; ratios in parts per million, times in ns.
        Raises StaleError, NotFoundError (no such attribute)."""
        h = self.tree._settled()
        if name == "label":
            return _core.tree_get_text(h, self.id, Attribute.LABEL)
        attribute = self.tree._attribute(name)
        if name in VECTORS:
            vec = _core.tree_get_vec(h, self.id, attribute)
            return self.tree.schema.named(vec)
        value = _core.tree_effective(h, self.id, attribute)
        return WORDS[name](value) if name in WORDS else value

    def said(self, name: str) -> int | None:
        """An integer attribute as it was set; None when it was not. Raises
        StaleError."""
        value = _core.tree_get(self.tree._settled(), self.id,
                               self.tree._attribute(name))
        return None if value == UNSET else value

    def user_weight(self, user: str) -> int:
        """A user's weight in this leaf; 1 unless set. Raises StaleError."""
        return _core.tree_user_weight(self.tree._settled(), self.id, user)

    weight = _setting("weight", "Its part of what its siblings share.")
    guarantee = _setting("guarantee", "What it has before others share.")
    limit = _setting("limit", "What it may hold at most.")
    borrow = _setting("borrow", "What it may hold beyond its guarantee.")
    lend = _setting("lend", "What of its guarantee others may hold.")
    order = _setting("order", "How its children take turns.")
    apps = _setting("apps", "How its jobs take turns.")
    max_running = _setting("max_running", "How many of its jobs may run.")
    start_rate = _setting("start_rate", "How many tasks start in a second.")
    priority = _setting("priority", "Its rank among its siblings.")
    tier = _setting("tier", "Its tier, from 1.")
    label = _setting("label", "A word of your own.")

    # ---- what it has: the tree's own ledger ----

    def _has(self, column: int) -> dict[str, int]:
        got = _core.ledger_get(self.tree.ledger._handle, column, self.id)
        return self.tree.schema.named(got)

    def _tell(self, column: int, vec: Vector) -> None:
        try:
            _core.ledger_set(self.tree.ledger._handle, column, [self.id],
                             self.tree.schema.vec(vec))
        except (Error, TypeError, ValueError) as error:
            raise self.tree._told(error, self, repr(vec))

    @property
    def demand(self) -> dict[str, int]:
        """What it wants in all, in `tree.ledger`; set it on leaves. Raises
        RangeError."""
        return self._has(LedgerColumn.DEMAND)

    @demand.setter
    def demand(self, vec: Vector) -> None:
        self._tell(LedgerColumn.DEMAND, vec)

    @property
    def usage(self) -> dict[str, int]:
        """What it holds, in `tree.ledger`; set it on leaves. Raises
        RangeError."""
        return self._has(LedgerColumn.USAGE)

    @usage.setter
    def usage(self, vec: Vector) -> None:
        self._tell(LedgerColumn.USAGE, vec)


def _restore(tree: Tree, path: str) -> Queue:
    return tree[path]
