"""Events as a manager of yours reads them, and decisions as it writes them.

`Events` and `Records` are bytes, for speed. `decode(events)` gives one `Event`
for each row of a batch; `decisions(rows)` makes of plain `Decision`s the records
that a machine or a host takes. The tables are in docs/python.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..columns import Column
from ..engine import DECISION
from ..events import EVENT, Events
from ..enums import EventFlag, EventKind
from ..records import Records


class Event(NamedTuple):
    """One event. `key` is what it is about: a node (NODE_*, HEARTBEAT), a job
    (JOB_*), an ask (ASK_*) or a group of tasks (TASK_*). `owner`: of a node its
    rack, of a job its user, of an ask its job. `queue`: of JOB_SUBMIT and
    JOB_UPDATE, the id. `amount`: what a node has or one task needs, by kind;
    `places`: the nodes that an ask names."""

    time: int
    kind: EventKind
    flags: EventFlag
    key: int
    owner: int
    queue: int
    count: int  # type: ignore[assignment]
    partition: int
    priority: int
    amount: tuple[int, ...]
    places: tuple[int, ...]


def decode(events: Events) -> Iterator[Event]:
    """The rows of a batch, in order."""
    kinds = len(events.tree.schema)
    for row in EVENT.struct.iter_unpack(bytes(events.rows)):
        (time, kind, flags, key, owner, queue, count, partition, priority,
         amount, places) = row
        first = (amount - 1) * kinds
        begin, end = (events.offsets[places - 1], events.offsets[places]) \
            if places else (0, 0)
        yield Event(time, EventKind(kind), EventFlag(flags), key, owner, queue,
                    count, partition, priority,
                    tuple(events.amounts[first:first + kinds]) if amount else (),
                    tuple(events.places[begin:end]))


class Decision(NamedTuple):
    """What to do: `kind` (`Decide`), of which job, ask, node and group of
    tasks, how many. A group is alike tasks of one ask on one node that were
    started together, under a number of yours. Of a NOTICE `detail` is when its
    grace ends."""

    time: int
    kind: int
    job: int = 0
    ask: int = 0
    node: int = 0
    group: int = 0
    count: int = 0  # type: ignore[assignment]
    queue: int = 0
    detail: int = 0
    reason: int = 0


def decisions(rows: Iterable[Decision]) -> Records:
    """The same as records."""
    from .. import _core
    out, n = bytearray(), 0
    for n, d in enumerate(rows, 1):
        out += DECISION.struct.pack(n, d.time, d.kind, d.reason, d.job, d.ask,
                                    d.node, d.group, 0, d.count, d.queue,
                                    d.detail, -1, 0, 0)
    form = "T{" + "".join(f"{DECISION.code(f)}:{f}:" for f in DECISION.names) \
        + "}"
    column: Column = _core.rebuild(bytes(out), form, DECISION.size, n, -1)
    return Records(DECISION, column)
