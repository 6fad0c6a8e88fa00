"""What is wrong with a draft, and what changes between two trees.
<sched/diff.h>"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core
from ..enums import Change, FaultCode, Severity
from ..errors import ConfigError
from ..handles import Owner
from ..hooks import Hooks, host_of

if TYPE_CHECKING:
    from ..ledger import Ledger
    from .tree import Tree


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a draft or a text."""

    code: FaultCode
    severity: Severity
    queue: int
    got: int
    limit: int
    kind: int
    attribute: int
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return self.text

    @classmethod
    def _of(cls, said: tuple[Any, ...]) -> Fault:
        return cls(FaultCode(said[0]), Severity(said[1]), *said[2:])


@dataclass(frozen=True)
class TreeChange:
    """One change between two trees."""

    op: Change
    path: str
    key: str
    before: str
    after: str


def refuse(faults: Iterable[Fault]) -> None:
    listed = tuple(faults)
    first = listed[0]
    error = ConfigError(str(first), line=first.line, column=first.column,
                        queue=first.queue, kind=first.kind, got=first.got,
                        limit=first.limit)
    error.faults = listed
    raise error


class Diff(Owner):
    """What changes between two trees, to review and to apply. The text has a
    change a line: + added, - removed, > moved, ~ set. Raises SchemaError
    (other kinds), Cancelled."""

    __slots__ = ()

    def __init__(self, from_: Tree, to: Tree, *,
                 hooks: Hooks | None = None) -> None:
        self._handle = _core.diff_new(from_._settled(), to._settled(),
                                      host_of(hooks))

    def __len__(self) -> int:
        return _core.diff_count(self._handle)

    def __getitem__(self, i: int) -> TreeChange:
        if not -len(self) <= i < len(self):
            raise IndexError("no such change")
        op, path, key, before, after = _core.diff_get(self._handle,
                                                      i % len(self))
        return TreeChange(Change(op), path, key, before, after)

    def __iter__(self) -> Iterator[TreeChange]:
        return (self[i] for i in range(len(self)))

    def __str__(self) -> str:
        return _core.diff_format(self._handle)

    def apply(self, tree: Tree, ledger: Ledger | None = None) -> None:
        """Applies it to the draft of `tree`, all of it or nothing. Raises
        NotFoundError (a path that is not there), StateError (another value
        before; busy in `ledger`; confined), ExistsError, RangeError,
        SchemaError, Cancelled: `row` is the change."""
        _core.diff_apply(self._handle, tree._edit(),
                         None if ledger is None else ledger._handle)
