"""The tree: edit, commit, read; as text too.

<sched/tree.h>, <sched/tree_text.h>, <sched/fault.h>"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Union

from .. import _core
from ..columns import Column, Numbers, Table, Texts, unbounded, whole
from ..enums import PPM, UNLIMITED, UNSET, Attribute, Commit, Remove, number
from ..errors import ConfigError, Error, NotFoundError
from ..handles import Owner
from ..hooks import Hooks, host_of
from ..schema import Schema, Vector
from .changes import Diff, Fault, refuse
from .queue import VECTORS, WORDS, Queue

if TYPE_CHECKING:
    from ..ledger import Ledger
    from ..share import Shares

Kinds = Union[str, Mapping[str, str], Schema]
PARTS = {"guarantee": Attribute.GUARANTEE_PPM, "limit": Attribute.LIMIT_PPM}
SECONDS = {"preempt_min_timeout", "preempt_fair_timeout"}
RATIOS = {"user_limit", "user_factor", "preempt_fair_threshold", "am_share"}


class Tree(Owner):
    """Queues, and who may use how much of what.

    Edits touch a draft; `commit` publishes it, and reads see the last commit.
    For comfort, reading a queue commits what was edited since (leniently).

    Vectors and units are as `Schema` has them. A read that commits may raise
    Cancelled; ConfigError comes of a strict `commit`. `tree[path]` raises
    NotFoundError, TextError (no path). Edits raise StateError outside the part
    the tree is confined to, StaleError for a queue that is gone. Raises
    RangeError (beyond the limits of the library).

    >>> tree = Tree("cpu=1", capacity={"cpu": 100})
    >>> ads = tree.root.add("ads", weight=3, guarantee={"cpu": 20})
    >>> web = tree.root.add("web")
    >>> ads.demand = web.demand = {"cpu": 90}
    >>> tree.fair_shares()["root.ads"]
    {'cpu': 80}
    >>> print(tree.text, end="")
    kinds cpu=1
    root
    root.ads weight=3 guarantee="cpu=20"
    root.web
    """

    __slots__ = ("schema", "capacity", "_hooks", "_changed", "_ledger")

    def __init__(self, kinds: Kinds, *, capacity: Vector | None = None,
                 max_depth: int = 0, max_queues: int = 0,
                 hooks: Hooks | None = None) -> None:
        self.schema = kinds if isinstance(kinds, Schema) else Schema(kinds)
        self._start(_core.tree_new(self.schema._handle, host_of(hooks),
                                   max_depth, max_queues), capacity, hooks)

    def _start(self, handle: _core.Handle, capacity: Vector | None,
               hooks: Hooks | None) -> None:
        self._handle = handle
        self._hooks = hooks
        self._changed = False
        self._ledger: Ledger | None = None
        self.capacity = None if capacity is None else self.schema.vec(capacity)

    # ---- text ----

    @classmethod
    def from_text(cls, text: str | bytes, *, file: str | None = None,
                  capacity: Vector | None = None, strict: bool = False,
                  hooks: Hooks | None = None) -> Tree:
        """A tree from its text form, committed. ConfigError lists every fault
        with its line; the text's `kinds` line is needed."""
        tree = cls(Schema.from_tree_text(text), capacity=capacity, hooks=hooks)
        tree.read(text, file=file)
        tree.commit(strict=strict)
        return tree

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], **options: Any) -> Tree:
        """`from_text` of a file."""
        with open(path, "rb") as file:
            return cls.from_text(file.read(), file=os.fspath(path), **options)

    def read(self, text: str | bytes, *, file: str | None = None) -> None:
        """Makes the draft what the text says; queues under the same path keep
        their ids. ConfigError with every fault, and nothing is changed. Raises
        StateError (it is confined), SchemaError, Cancelled."""
        faults = _core.tree_parse(self._handle, text, file, 10000)
        if faults:
            refuse([Fault._of(f) for f in faults])
        self._changed = True

    @property
    def text(self) -> str:
        """The last commit in the text form."""
        return _core.tree_format(self._settled()).decode()

    def __bytes__(self) -> bytes:
        return _core.tree_format(self._settled())

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore, (bytes(self), self.capacity))

    def copy(self) -> Tree:
        """An equal tree; ids mean the same queues in both."""
        made = Tree.__new__(type(self))
        made.schema = self.schema
        made._start(_core.tree_copy(self._handle, host_of(self._hooks)),
                    self.capacity, self._hooks)
        made._changed = self._changed
        return made

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Tree:
        return self.copy()

    # ---- edits ----

    def _edit(self) -> _core.Handle:
        self._changed = True
        return self._handle

    def _attribute(self, name: str) -> int:
        try:
            return Attribute[name.upper()].value
        except KeyError:
            near = difflib.get_close_matches(
                name, [a.name.lower() for a in Attribute], 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise NotFoundError(f"no attribute {name!r}{hint}") from None

    def add(self, parent: Queue, name: str, **settings: Any) -> Queue:
        """Adds a queue below `parent`; it is there after the next commit.
        Raises StaleError, StateError (confined), ExistsError, RangeError (too
        deep, too many)."""
        queue = Queue(self, _core.tree_add(self._edit(), parent.id, name))
        try:
            self.set(queue, **settings)
        except BaseException:
            _core.tree_remove(self._handle, queue.id, None, Remove.REFUSE)
            raise
        return queue

    def set(self, queue: Queue, **settings: Any) -> None:
        """Sets attributes by the names of the text form. None puts the default
        back. Amounts as vectors, `guarantee` and `limit` also as "40%" of the
        parent's; `order`, `apps`, `state` by name; ratios as numbers to 1 or
        "50%"; times in seconds; `user_weight` as a dict. Raises StaleError,
        StateError (confined), RangeError, NotFoundError (no such
        attribute)."""
        for name, value in settings.items():
            try:
                self._set(queue, name, value)
            except (Error, TypeError, ValueError, OverflowError) as error:
                raise self._told(error, queue, f"{name}={value!r}")

    def _set(self, queue: Queue, name: str, value: Any) -> None:
        if name == "user_weight":
            for user, weight in value.items():
                _core.tree_set_user_weight(self._edit(), queue.id, user,
                                           weight)
        elif name == "label":
            _core.tree_set_text(self._edit(), queue.id, Attribute.LABEL, value)
        elif name in VECTORS:
            self._set_vec(queue, name, value)
        else:
            _core.tree_set(self._edit(), queue.id, self._attribute(name),
                           self._value(name, value))

    def _told(self, error: Exception, queue: Queue, what: str) -> Exception:
        """The error with the queue and what was said of it."""
        try:
            path = _core.tree_path(self._handle, queue.id)
        except Error:
            path = _core.tree_name(self._handle, queue.id) or ""
        if isinstance(error, Error):
            error.path = path
        error.args = (f"{path + ': ' if path else ''}{what}: {error}",
                      *error.args[1:])
        return error

    def _set_vec(self, queue: Queue, name: str, value: Any) -> None:
        attribute = self._attribute(name)
        if isinstance(value, str) and value.endswith("%"):
            if name not in PARTS:
                raise ValueError("is no part of the parent's: amounts")
            _core.tree_set(self._edit(), queue.id, PARTS[name], _ppm(value))
        else:
            missing = 0 if name == "guarantee" else UNLIMITED
            vec = None if value is None else self.schema.vec(value, missing)
            _core.tree_set_vec(self._edit(), queue.id, attribute, vec)

    def _value(self, name: str, value: Any) -> int:
        if value is None:
            return UNSET
        if name in WORDS:
            return number(WORDS[name], value)
        if name == "fair_kind":
            return self.schema.kind(value)
        if name in SECONDS and value != UNLIMITED:
            return int(round(unbounded(value) * 1_000_000_000))
        if name in RATIOS and value != UNLIMITED:
            return _ppm(value)
        return whole(value)

    def set_column(self, name: str, queues: Numbers, values: Numbers) -> None:
        """One attribute of many queues at once, all or nothing: ids, and a
        number for each (or amounts row by row), in the library's units. Raises
        StaleError, StateError (confined), RangeError."""
        attribute = self._attribute(name)
        call = _core.tree_set_column_vec if name in VECTORS else \
            _core.tree_set_column
        call(self._edit(), attribute, queues, values)

    def remove(self, queue: Queue, ledger: Ledger | None = None,
               drain: bool = False) -> bool:
        """Removes a queue and all below it. StateError when `ledger` shows
        something busy there; with `drain` that stays and drains, and the
        answer is False. Raises StaleError."""
        rc = _core.tree_remove(self._edit(), queue.id,
                               None if ledger is None else ledger._handle,
                               Remove.DRAIN if drain else Remove.REFUSE)
        return rc == 0

    def confine(self, queue: Queue) -> None:
        """Later edits only below `queue`; the root lifts it. Raises
        StaleError."""
        _core.tree_confine(self._handle, queue.id)

    def discard(self) -> None:
        """Forgets every edit since the last commit."""
        _core.tree_discard(self._handle)
        self._changed = False

    def reserve(self, queues: int, text: int) -> None:
        """Reserves memory for so many queues and bytes of text. Raises RangeError."""
        _core.tree_reserve(self._handle, queues, text)

    def faults(self) -> list[Fault]:
        """Everything that is wrong with the draft, warnings too."""
        return [Fault._of(f) for f in _core.tree_faults(self._handle)]

    def commit(self, strict: bool = False) -> None:
        """Publishes the draft. `strict` refuses one with an error: ConfigError
        with all of them. Raises Cancelled; StateError (a queue that is busy in
        `ledger` is gone)."""
        mode = Commit.STRICT if strict else Commit.LENIENT
        try:
            _core.tree_commit(self._handle, mode)
        except ConfigError as error:
            error.faults = tuple(self.faults())
            raise
        self._changed = False
        if self._ledger is not None:
            self._ledger.follow(self)

    def _settled(self) -> _core.Handle:
        if self._changed:
            self.commit()
        return self._handle

    # ---- reads ----

    @property
    def root(self) -> Queue:
        """The root."""
        return Queue(self, _core.tree_root(self._handle))

    @property
    def version(self) -> int:
        """How many commits there were."""
        return _core.tree_version(self._handle)

    @property
    def shape(self) -> int:
        """How many commits there were that changed rows."""
        return _core.tree_shape(self._handle)

    @property
    def digest(self) -> int:
        """The same for two trees exactly when all in them is."""
        return _core.tree_digest(self._handle)

    def __len__(self) -> int:
        return _core.tree_count(self._settled())

    def __getitem__(self, path: str) -> Queue:
        try:
            return Queue(self, _core.tree_find(self._settled(), path))
        except NotFoundError as error:
            near = difflib.get_close_matches(path, self.paths, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            error.args = (f"no queue {path!r}{hint}", *error.args[1:])
            error.path = path
            raise

    def __contains__(self, path: str) -> bool:
        try:
            _core.tree_find(self._settled(), path)
        except (NotFoundError, ValueError):
            return False
        return True

    def find_draft(self, path: str) -> Queue:
        """A queue of the draft. Raises NotFoundError, TextError."""
        return Queue(self, _core.tree_find_draft(self._handle, path))

    def __iter__(self) -> Iterator[Queue]:
        return (Queue(self, i) for i in self.ids)

    @property
    def ids(self) -> Column:
        """Ids by row (uint64)."""
        return _core.tree_ids(self._settled())

    @property
    def leaves(self) -> list[Queue]:
        """The leaves, by row."""
        return [Queue(self, i) for i in _core.tree_leaves(self._settled())]

    @property
    def paths(self) -> Texts:
        """Paths by row."""
        h = self._settled()
        return Texts(_core.tree_path(h, i) for i in _core.tree_ids(h))

    def rows(self) -> tuple[Column, Column, Column]:
        """By row: the parent's row (-1: none), the first child's, and how many
        children (int32)."""
        return _core.tree_rows(self._settled())

    def column(self, name: str, kind: str | int = 0,
               capacity: int = UNLIMITED) -> Column:
        """One attribute of every queue, by row, as it holds; of amounts one
        kind, parts resolved against what the root has of it."""
        attribute = self._attribute(name)
        if name not in VECTORS:
            return _core.tree_column(self._settled(), attribute)
        return _core.tree_column_vec(self._settled(), attribute,
                                     self.schema.kind(kind), capacity)

    def check(self) -> None:
        """InternalError if an invariant is broken: never, in a sound build."""
        _core.tree_check(self._handle)

    # ---- what it leads to ----

    @property
    def ledger(self) -> Ledger:
        """A ledger of the tree's own, made when first asked for; it follows
        every commit."""
        from ..ledger import Ledger
        self._settled()
        if self._ledger is None:
            self._ledger = Ledger(self)
        return self._ledger

    def fair_shares(self, model: int | str = "entitlement", *,
                    capacity: Vector | None = None,
                    ledger: Ledger | None = None, **options: Any) -> Shares:
        """Shares of what is in `ledger` (the tree's own), of `capacity` (the
        tree's). Options as `Shares` has them."""
        from ..share import Shares
        amounts = self.capacity if capacity is None else capacity
        if amounts is None:
            raise ValueError("needs a capacity, here or in the tree")
        shares = Shares(model, **options)
        shares.compute(self, self.ledger if ledger is None else ledger, amounts)
        return shares

    def diff(self, to: Tree) -> Diff:
        """What turns this tree into `to`."""
        return Diff(self, to)

    def __repr__(self) -> str:
        draft = ", with edits since" if self._changed else ""
        return (f"<Tree of {_core.tree_count(self._handle):,} queues over "
                f"{self.schema}{draft}>")

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def table(self) -> Table:
        """The queues with weight and priority, by row."""
        return Table({"path": self.paths, "weight": self.column("weight"),
                      "priority": self.column("priority")})


def _ppm(value: Any) -> int:
    if isinstance(value, str):
        if value.endswith("%"):
            return round(float(value[:-1]) * PPM / 100)
        value = float(value)
    return int(round(unbounded(value) * PPM))


def _restore(text: bytes, capacity: Column | None) -> Tree:
    return Tree.from_text(text, capacity=capacity)
