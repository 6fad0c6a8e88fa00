"""A state as a file: JSON with the tree in its text form.

    {"tree": "kinds cpu=m memory=B\\nroot\\nroot.a limit=...",
     "time_s": 12.5,
     "nodes": [{"count": 2, "amount": "cpu=8,memory=32GiB",
                "partition": "gpu"}],
     "running": [{"job": "j1", "queue": "root.a", "node": 0, "count": 3,
                  "amount": "cpu=2,memory=4GiB", "since_s": 3, "user": "eve"}],
     "pending": [{"job": "j2", "queue": "root.a", "count": 5,
                  "amount": "cpu=2,memory=4GiB", "since_s": 4, "priority": 1,
                  "admitted": true, "partition": ""}]}

Nodes count from 0 through the list. Left out: count 1, partition "" (of what
waits: any), nothing that runs, nobody who waits, admitted."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from typing import Any

from ..enums import ANY_PARTITION, Form
from ..errors import Error
from ..tree import Tree
from .state import Open, Placed, State, StateNode, Unexplained
from .words import SECOND

FIELDS = {"nodes": {"count", "amount", "partition"},
          "running": {"job", "queue", "node", "count", "amount", "since_s",
                      "user", "priority"},
          "pending": {"job", "queue", "count", "amount", "since_s", "user",
                      "priority", "partition", "admitted"}}


class Reader:
    """Reads one document, and says where what is wrong in it stands."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.partitions: dict[str, int] = {}

    def amount(self, said: Any) -> tuple[int, ...]:
        return tuple(self.tree.schema.vec(said))

    def time(self, said: Any) -> int | None:
        return None if said is None else round(Fraction(str(said)) * SECOND)

    def nodes(self, row: dict[str, Any]) -> list[StateNode]:
        at = self.partitions.setdefault(row.get("partition", ""),
                                        len(self.partitions))
        return [StateNode(self.amount(row["amount"]), at)] * int(
            row.get("count", 1))

    def common(self, row: dict[str, Any]) -> dict[str, Any]:
        return {"job": str(row["job"]), "queue": str(row["queue"]),
                "count": int(row.get("count", 1)),
                "amount": self.amount(row["amount"]),
                "since": self.time(row.get("since_s")),
                "user": str(row.get("user", "")),
                "priority": int(row.get("priority", 0))}

    def running(self, row: dict[str, Any]) -> list[Placed]:
        return [Placed(node=int(row["node"]), **self.common(row))]

    def pending(self, row: dict[str, Any]) -> list[Open]:
        name = row.get("partition")
        where = ANY_PARTITION if name is None else self.partitions.get(
            name, len(self.partitions))
        return [Open(partition=where, admitted=bool(row.get("admitted", True)),
                     **self.common(row))]

    def rows(self, said: dict[str, Any], name: str) -> list[Any]:
        """The rows of one list."""
        made: list[Any] = []
        for i, row in enumerate(said.get(name, [])):
            try:
                beyond = set(row) - FIELDS[name]
                if beyond:
                    raise Unexplained(f"no field {min(beyond)!r}")
                made += getattr(self, name)(row)
            except KeyError as error:
                raise Unexplained(f"{name}[{i}]: {error} is missing") from None
            except (Error, TypeError, ValueError, OverflowError) as error:
                raise Unexplained(f"{name}[{i}]: {error}") from None
        return made


def read_snapshot(path: str | os.PathLike[str]) -> State:
    """A state from a file. Unexplained where it is none, ConfigError where
    its tree is none."""
    name = os.fspath(path)
    with open(name, encoding="utf-8") as file:
        try:
            said = json.load(file)
        except ValueError as error:
            raise Unexplained(f"{name}: {error}") from None
    if not isinstance(said, dict) or not isinstance(said.get("tree"), str):
        raise Unexplained(f"{name}: not a snapshot: it has no tree")
    reader = Reader(Tree.from_text(said["tree"], file=name))
    try:
        state = State(reader.tree, reader.rows(said, "nodes"),
                      reader.rows(said, "running"),
                      reader.rows(said, "pending"),
                      reader.time(said.get("time_s", 0)) or 0)
        state.check()
    except (Unexplained, TypeError, ValueError) as error:
        raise Unexplained(f"{name}: {error}") from None
    return state


def write_snapshot(state: State, path: str | os.PathLike[str]) -> None:
    """Writes a state as `read_snapshot` reads it."""
    schema = state.tree.schema

    def common(one: Placed | Open) -> dict[str, Any]:
        row: dict[str, Any] = {
            "job": one.job, "queue": one.queue, "count": one.count,
            "amount": schema.text(one.amount, Form.LOG), "user": one.user,
            "priority": one.priority}
        if one.since is not None:
            row["since_s"] = one.since / SECOND
        return row

    pending = []
    for o in state.open:
        row = {**common(o), "admitted": o.admitted}
        if o.partition != ANY_PARTITION:
            row["partition"] = str(o.partition)
        pending.append(row)
    said = {"tree": state.tree.text, "time_s": state.time / SECOND,
            "nodes": [{"amount": schema.text(n.amount, Form.LOG),
                       "partition": str(n.partition)} for n in state.nodes],
            "running": [{**common(p), "node": p.node} for p in state.placed],
            "pending": pending}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(said, file, indent=1)
        file.write("\n")
