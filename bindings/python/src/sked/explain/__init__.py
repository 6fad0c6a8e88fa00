"""Why: a job waits, a task is a victim, a queue has its share.

A `State` is a cluster at one instant: queues, nodes, what runs where, what
waits. It comes from a decision log of `replay` (`Log`) or from a file of its
own form (`read_snapshot`). The answers are the library's own: the engine is
put into that state and asked for the bounds that hold a job back, targets of
preemption and fair shares are computed over it.

    state = read_snapshot("cluster.json")
    print(pending(state, "job7"))
"""

from __future__ import annotations

from .log import Log, Row
from .pending import pending
from .share import share
from .snapshot import read_snapshot, write_snapshot
from .state import Open, Placed, State, StateNode, Unexplained
from .victim import victim
from .words import Answer

__all__ = ["Answer", "Log", "Open", "Placed", "Row", "State", "StateNode",
           "Unexplained", "pending", "read_snapshot", "share", "victim",
           "write_snapshot"]
