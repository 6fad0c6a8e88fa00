"""Why a queue has the share that it has: the chain from the root down."""

from __future__ import annotations

from typing import Any

from ..enums import Bound, Model
from ..ledger import Ledger
from ..schema import Schema
from ..share import Shares
from ..tree import Queue, Tree
from .state import State
from .words import Answer, amount, part, seconds

BINDS = {
    Bound.NONE: "has its part of what its parent divides, by weight",
    Bound.GUARANTEE: "has what it is guaranteed",
    Bound.LIMIT: "is held at its limit",
    Bound.DEMAND: "has all that it wants",
    Bound.WEIGHT: "has weight 0",
    Bound.TOTAL: "has all that its parent has",
    Bound.BORROW: "is held at what it may borrow",
    Bound.LEND: "keeps what it need not lend",
    Bound.IDLE: "has nobody who wants anything",
    Bound.CHILDREN: "has all that its children can take"}


def shares_of(state: State,
              model: str = "entitlement") -> tuple[Shares, Ledger]:
    """The fair shares of everybody in a state."""
    ledger = state.ledger()
    return state.tree.fair_shares(model, capacity=state.capacity(),
                                  ledger=ledger), ledger


def share(state: State, path: str, model: str = "entitlement") -> Answer:
    """Why the queue `path` has its fair share: kind by kind what binds it and
    each queue above. NotFoundError where there is no such queue."""
    queue = state.tree[path]
    shares, ledger = shares_of(state, model)
    facts = chain(state.tree, shares, ledger, queue)
    schema, whole = state.tree.schema, state.capacity()
    sentences = []
    for k, name in enumerate(schema.names):
        own = facts[name][-1]
        if not (own["share"] or own["demand"]):
            continue
        fair = amount(schema, k, own["share"])
        head = (f"{path} is due {fair}{part(own['share'], whole[k])}; it uses "
                f"{amount(schema, k, own['usage'])} and wants "
                f"{amount(schema, k, own['demand'])}.")
        sentences += [head, *(step(schema, k, one) for one in facts[name])]
    return Answer(f"why has {path} its share at {seconds(state.time)}",
                  sentences or [f"{path} wants nothing and is due nothing."],
                  {"queue": path, "model": Model[model.upper()].name.lower(),
                   "kinds": facts})


def step(schema: Schema, k: int, one: dict[str, Any]) -> str:
    """One queue of the chain."""
    level = f"; its children at level {one['level']}" if one["level"] else ""
    return (f"  {one['queue']}: {amount(schema, k, one['share'])}, "
            f"{BINDS[Bound[one['bound'].upper()]]}{level}")


def chain(tree: Tree, shares: Shares, ledger: Ledger,
          queue: Queue) -> dict[str, list[dict[str, Any]]]:
    """By kind, from the root down: share, what binds it, usage, demand, and
    the level of its children (None: they have all they can take)."""
    line = [queue]
    while (up := line[-1].parent) is not None:
        line.append(up)
    found: dict[str, list[dict[str, Any]]] = {}
    for kind in tree.schema.names:
        found[kind] = []
        for one in reversed(line):
            level = shares.level(one, kind) if one.children else None
            found[kind].append({
                "queue": one.path, "share": shares[one][kind],
                "bound": shares.explain(one)[kind].name.lower(),
                "usage": ledger.get("usage", one)[kind],
                "demand": ledger.get("demand", one)[kind],
                "level": None if level is None else str(level)})
    return found
