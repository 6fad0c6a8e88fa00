"""What every queue was doing between any two events of a run: computed from the
run's records, so that each stretch begins and ends when it did, and a cause
counts for exactly as long as it held. Shares are those that the simulator
compares with, made by the same code from the same amounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from .. import _core
from ..enums import ANY_PARTITION, UNLIMITED, Decide
from ..hooks import host_of
from ..records import Records
from ..sim import Jobs, Sim
from ..tree import Queue, Tree
from .cluster import Cluster
from .given import SECOND
from .numbers import thinned

#: Below its share for longer than this in one stretch: kept below it.
PATIENCE = 900 * SECOND
#: What may hold a job that waits, the first that is true of the oldest of its
#: queue: a limit; some kind that it needs is used up (less is free than it
#: needs, or 5 % at most) and others hold part of the queue's share of that
#: kind (it has less than its share, and some queue more), or they do not; no
#: node has enough of all kinds free; or one has, and order, gangs or the next
#: heartbeat hold it.
CAUSES = ("limit", "below_share", "cluster_full", "does_not_fit", "order")


@dataclass
class Stretch:
    """A queue below its share with more wanted: from and to (ns on the
    workload's clock), the kind, what it lacked of it at most, and which queue
    held most beyond its own share of it then ("": none)."""

    path: str
    start: int
    end: int
    kind: str
    lack: int
    holder: str


@dataclass
class States:
    """What came of it. Times in ns. `stretches`: those longer than PATIENCE,
    the longest first; `below`: how long each leaf was below its share in all;
    `pieces`: how long of that no queue held its share, and it lay free, but
    nowhere as much at once as its oldest waiting job needs.
    `causes` by leaf: the time that its jobs waited, by cause, in the order of
    CAUSES, summed over jobs. `line`: instants at which the number of waiting
    jobs changed, and the numbers. `idle`: for how long so many nodes ran
    nothing. `held` by leaf: what it used of each kind on average, from the first
    submission to the last."""

    stretches: list[Stretch] = field(default_factory=list)
    below: dict[str, int] = field(default_factory=dict)
    pieces: dict[str, int] = field(default_factory=dict)
    causes: dict[str, list[float]] = field(default_factory=dict)
    line: list[tuple[int, int]] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)
    held: dict[str, list[float]] = field(default_factory=dict)

    def parts(self, path: str) -> dict[str, float]:
        """The parts of a leaf's waiting time, which add up to 1; nothing where
        nothing waited."""
        times = self.causes.get(path, [])
        whole = sum(times)
        return {c: t / whole for c, t in zip(CAUSES, times)} if whole else {}


class Log:
    """A watcher for `Sim.run` that keeps what a queue's state depends on."""

    KINDS = (Decide.REJECT, Decide.ALLOCATE, Decide.KILL, Decide.LOST,
             Decide.FINISH)

    def __init__(self) -> None:
        self.parts: list[Any] = []

    def __call__(self, records: Records) -> None:
        import numpy
        rows = numpy.asarray(records.column)
        kept = rows[numpy.isin(rows["kind"], self.KINDS)]
        self.parts.append({name: kept[name].copy() for name in
                           ("time", "kind", "job", "node", "count")})

    def column(self, name: str, first: Any) -> Any:
        """One field of all records, behind what submissions have there."""
        import numpy
        return numpy.concatenate([first, *(
            part[name].astype(first.dtype) for part in self.parts)])


def events(log: Log, given: Any, jobs: Jobs, until: int) -> dict[str, Any]:
    """Submissions and records in order of time."""
    import numpy
    submit = numpy.asarray(jobs.submit, dtype="int64")[given]
    seen = submit < until
    keys: Any = (numpy.flatnonzero(seen) + 1).astype("uint64")
    none: Any = numpy.zeros(len(keys), dtype="int64")
    made = {"time": log.column("time", submit[seen]),
            "kind": log.column("kind", none.astype("int32")),
            "job": log.column("job", keys),
            "node": log.column("node", none.astype("uint64")),
            "count": log.column("count", none)}
    order = numpy.argsort(made["time"], kind="stable")
    return {"n": len(order), **{name: numpy.ascontiguousarray(column[order])
                                for name, column in made.items()}}


def places_of(cluster: Cluster, jobs: Jobs, kinds: int) -> dict[str, Any]:
    """Nodes with what they have, and partitions numbered without gaps; a job
    for any has the number behind all, one for none the next."""
    import numpy
    known = sorted({n.partition for n in cluster.nodes})
    at = {partition: i for i, partition in enumerate(known)}
    at[ANY_PARTITION] = len(known)
    counts = [n.count for n in cluster.nodes]
    amounts = numpy.array([list(n.amount) for n in cluster.nodes],
                          dtype="int64").reshape(-1, kinds)
    said = [0] * len(jobs) if jobs.partition is None else jobs.partition
    return {"parts": len(known), "nodes": sum(counts),
            "free": numpy.repeat(amounts, counts, axis=0),
            "place": numpy.repeat(numpy.array(
                [at[n.partition] for n in cluster.nodes], dtype="uint32"),
                counts),
            "part": numpy.array([at.get(int(p), len(known) + 1)
                                 for p in said], dtype="uint32")}


def bounds_of(tree: Tree, leaves: Sequence[Queue], capacity: Sequence[int]
              ) -> dict[str, Any]:
    """Limits that can bind and how many jobs may run: the bounds, and which
    stand on each leaf's path."""
    import numpy
    limit: list[list[int]] = []
    running: list[int] = []
    number: dict[int, int] = {}
    for queue in tree:
        most = list(queue.get("limit").values())
        jobs = int(queue.get("max_running"))
        if jobs != UNLIMITED or any(x < c for x, c in zip(most, capacity)):
            number[queue.id] = len(running)
            limit.append(most)
            running.append(jobs)
    paths = []
    for leaf in leaves:
        mine, queue_at = [], leaf
        while queue_at is not None and number:
            if queue_at.id in number:
                mine.append(number[queue_at.id])
            queue_at = queue_at.parent  # type: ignore[assignment]
        paths.append(mine)
    bound = [b for mine in paths for b in mine]
    return {"bounds": len(running), "on_path": len(bound),
            "limit": numpy.array(limit, dtype="int64").reshape(
                len(running), len(capacity)),
            "running": numpy.array(running, dtype="int64"),
            "first": numpy.array([0, *accumulate(map(len, paths))],
                                 dtype="uint32"),
            "bound": numpy.array(bound, dtype="uint32")}


def leaf_of(jobs: Jobs, leaves: Sequence[Queue]) -> Any:
    """The number of each job's leaf."""
    import numpy
    ids = numpy.array([leaf.id for leaf in leaves], "uint64")
    order = numpy.argsort(ids)
    return order[numpy.searchsorted(ids[order], numpy.asarray(
        jobs.queue, "uint64"))].astype("uint32")


def states(tree: Tree, jobs: Jobs, cluster: Cluster, sim: Sim, log: Log,
           until: int = 0) -> States:
    """Goes through a run that is over, event by event. `until` (ns of the
    workload's clock): where it was stopped; 0: it came to its end."""
    import numpy
    kinds = len(tree.schema)
    leaves = list(tree.leaves)
    given = numpy.asarray(sim.given, dtype="uint32")
    moved = events(log, given, jobs, until or 1 << 62)
    last = int(moved["time"][-1]) if moved["n"] else 0
    total = sim.total
    found, below, causes, line, idle, held, n = _core.states(
        tree._settled(), host_of(None), {
            "gang": int(cluster.gang), "kinds": kinds, "jobs": len(given),
            "rows": len(jobs), "leaves": len(leaves), "given": given,
            "patience": PATIENCE, "end": until or last,
            "last": total.last_submit,
            "tasks": numpy.asarray([1] * len(jobs) if jobs.tasks is None
                                   else jobs.tasks, dtype="int64"),
            "amounts": numpy.asarray(jobs.amounts, dtype="int64"),
            "leaf": leaf_of(jobs, leaves),
            "id": numpy.array([leaf.id for leaf in leaves], dtype="uint64"),
            "row": numpy.array([leaf.row for leaf in leaves], dtype="uint32"),
            "capacity": numpy.array(cluster.capacity, dtype="int64"), **moved,
            **places_of(cluster, jobs, kinds),
            **bounds_of(tree, leaves, cluster.capacity)})
    paths = [leaf.path for leaf in leaves]
    names = tree.schema.names
    rows = [Stretch(paths[r["leaf"]], int(r["start"]), int(r["end"]),
                    names[r["kind"]], int(r["lack"]),
                    paths[r["holder"]] if r["holder"] < len(paths) else "")
            for r in numpy.asarray(found)]
    rows.sort(key=lambda s: (s.start - s.end, s.path, s.start))
    span = max(1, total.last_submit - total.first_submit)
    lows = numpy.asarray(below)
    return States(rows, dict(zip(paths, lows[:, 0].tolist())),
                  dict(zip(paths, lows[:, 1].tolist())),
                  dict(zip(paths, numpy.asarray(causes).tolist())),
                  list(zip(*(part.tolist() for part in thinned(
                      *numpy.asarray(line)[:n].T)))),
                  idle.tolist(),
                  dict(zip(paths, (numpy.asarray(held) / span).tolist())))
