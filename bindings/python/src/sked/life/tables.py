"""Lives as data: what may follow what, and who may cause it.
<sched/life.h>"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from ..enums import number
from .words import NONE, Cause, EdgeMark, FaultOf, Mark, Moved, Which

NAME = struct.Struct("=24sII")
EDGE = struct.Struct("=QIIII")
GOAL = struct.Struct("=QQII")
FAULT = struct.Struct("=II")


@dataclass(frozen=True)
class Name:
    """A state, an event or an action: what it is called, and its `Mark`s."""

    text: str
    marks: Mark = Mark(0)


@dataclass(frozen=True)
class Edge:
    """From a set of states (bits) by an event to the next; who may cause it
    (`Cause`, joined by |), and its `EdgeMark`s. Ids are rows."""

    states: int
    event: int
    next: int
    causes: Cause
    marks: EdgeMark = EdgeMark(0)


@dataclass(frozen=True)
class Goal:
    """With one of these goals, in these states (sets, as bits), this is to be
    done (the row of an action)."""

    goals: int
    states: int
    action: int


@dataclass(frozen=True)
class Step:
    """Where it is from now on, and was before; what became of the event; the
    row of the edge that was taken, or NONE."""

    state: int
    before: int
    outcome: Moved
    edge: int


def packed(names: Iterable[Name]) -> bytes:
    """Names as the library reads them."""
    return b"".join(NAME.pack(n.text.encode(), n.marks, 0) for n in names)


def unpacked(rows: Any) -> list[Name]:
    """Names of the library."""
    return [Name(text.rstrip(b"\0").decode(), Mark(marks))
            for text, marks, _ in NAME.iter_unpack(bytes(rows))]


@dataclass
class Table:
    """A life: states, events, actions by row; edges; goals. States, events and
    goals are said by name or by row.

    >>> door = Table("door", [Name("OPEN", Mark.START), Name("SHUT", Mark.END)],
    ...              [Name("close")], [Edge(1, 0, 1, Cause.USER)])
    >>> door.faults()
    []
    >>> door.states[door.next("OPEN", "close", cause="user").state].text
    'SHUT'
    """

    name: str
    states: list[Name]
    events: list[Name]
    edges: list[Edge]
    actions: list[Name] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)

    def _columns(self) -> tuple[str, bytes, bytes, bytes, bytes, bytes]:
        return (self.name, packed(self.states), packed(self.events),
                b"".join(EDGE.pack(e.states, e.event, e.next, e.causes, e.marks)
                         for e in self.edges),
                packed(self.actions),
                b"".join(GOAL.pack(g.goals, g.states, g.action, 0)
                         for g in self.goals))

    @staticmethod
    def _row(names: list[Name], said: int | str) -> int:
        if not isinstance(said, str):
            return int(said)
        for row, name in enumerate(names):
            if name.text.lower() == said.lower():
                return row
        raise ValueError(f"{said!r} is none of "
                         f"{', '.join(n.text for n in names)}")

    def state(self, said: int | str) -> int:
        """The row of a state."""
        return self._row(self.states, said)

    def next(self, state: int | str, event: int | str, *,
             cause: int | str = Cause.USER, before: int | str = NONE) -> Step:
        """Where an event leads that `cause` brings about. Raises RangeError,
        StateError (not legal: it says what would be)."""
        at, was, outcome, edge = _core.life_next(
            *self._columns(), self.state(state), self.state(before),
            self._row(self.events, event), number(Cause, cause))
        return Step(at, was, Moved(outcome), edge)

    def legal(self, state: int | str, causes: int = Cause.ALL) -> list[Edge]:
        """The edges that these may take in a state. Raises RangeError."""
        return [self.edges[i] for i in _core.life_legal(
            *self._columns(), self.state(state), causes)]

    def way(self, state: int | str, to: int | str) -> Edge | None:
        """The edge by which one state is left for another when that is asked
        for; None from a state to itself. Raises RangeError, StateError (there
        is none)."""
        edge = _core.life_way(*self._columns(), self.state(state),
                              self.state(to))
        return None if edge == NONE else self.edges[edge]

    def act(self, goal: int | str, state: int | str) -> int:
        """The row of the action that leads from a state to a goal. Raises
        RangeError."""
        return _core.life_act(*self._columns(), self.state(goal),
                              self.state(state))

    def faults(self) -> list[tuple[FaultOf, str]]:
        """All that it does wrong, with the state, or "". Raises RangeError,
        ExistsError (of a table that cannot be read: with the row). A
        ConfigError never comes out."""
        return [(FaultOf(code), "" if state == NONE
                 else self.states[state].text)
                for code, state in FAULT.iter_unpack(
                    bytes(_core.life_check(*self._columns())))]

    def dot(self) -> str:
        """A diagram, in Graphviz' language. Raises RangeError, ExistsError."""
        return _core.life_format(*self._columns())


def table(which: int | str) -> Table:
    """A life that is here (`Which`).

    >>> table("update").act("SUCCEEDED", "PAUSED") == 21
    True
    """
    found = _core.life_table_of(number(Which, which))
    if found is None:
        raise ValueError(f"there is no table {which}")
    name, states, events, edges, actions, goals = found
    return Table(name, unpacked(states), unpacked(events),
                 [Edge(a, b, c, Cause(d), EdgeMark(e))
                  for a, b, c, d, e in EDGE.iter_unpack(bytes(edges))],
                 unpacked(actions),
                 [Goal(a, b, c) for a, b, c, _ in
                  GOAL.iter_unpack(bytes(goals))])
