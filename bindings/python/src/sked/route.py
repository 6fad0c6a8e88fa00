"""Which of several clusters a job goes to. <sched/route.h>"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from . import _core, layouts
from .columns import Column, Numbers
from .enums import number
from .handles import Owner
from .hooks import Hooks, host_of
from .records import Layout, Records

ANSWER = Layout("Answer", layouts.ROUTE_ANSWER)


class Policy(IntEnum):
    """enum sked_route_policy"""

    ABSOLUTE = 0
    RELATIVE = 1
    QUEUE_ABSOLUTE = 2
    LOCALITY = 3


@dataclass
class Snapshot:
    """Clusters as columns: `capacity` and `available` as rows of amounts;
    `in_queue` clusters x queues x kinds; `shapes` (rows of amounts) from
    shape_from[i] to shape_from[i + 1] are the nodes that a cluster has."""

    n: int
    capacity: Numbers
    available: Numbers
    id: Numbers = None
    time: Numbers = None
    queues: int = 0
    in_queue: Numbers = None
    shape_from: Numbers = None
    shapes: Numbers = None

    def _said(self) -> dict[str, Any]:
        return {"n": self.n, "queues": self.queues, "id": self.id,
                "time": self.time, "capacity": self.capacity,
                "available": self.available, "in_queue": self.in_queue,
                "shape_from": self.shape_from}


def _jobs(n: int, request: Numbers, instances: Numbers, queue: Numbers,
          missing: Numbers) -> dict[str, Any]:
    return {"n": n, "request": request, "instances": instances, "queue": queue,
            "missing": missing}


class Router(Owner):
    """Decides from a snapshot alone; replicas with the same one agree.
    `max_age` is in ns (0: never stale), `locality_weight` in ppm (0:
    1,000,000). Raises RangeError.

    >>> r = Router(1)
    >>> r.replace(Snapshot(2, capacity=[10, 10], available=[3, 7]))
    >>> [a.cluster for a in r.route(1, [2])]
    [2]
    """

    __slots__ = ("kinds",)

    def __init__(self, kinds: int, policy: int | str = Policy.ABSOLUTE, *,
                 max_age: int = 0, locality_weight: int = 0,
                 hooks: Hooks | None = None) -> None:
        self.kinds = kinds
        self._handle = _core.route_new(host_of(hooks), {
            "kinds": kinds, "policy": number(Policy, policy),
            "max_age": max_age, "locality_weight": locality_weight})

    def replace(self, snapshot: Snapshot) -> None:
        """Takes a snapshot in place of all that was known. Raises RangeError
        (with row and kind), ExistsError (an id twice)."""
        _core.route_replace(self._handle, self.kinds, snapshot._said(),
                             snapshot.shapes)

    def update(self, snapshot: Snapshot) -> None:
        """Takes new figures of some clusters. Raises RangeError, ExistsError,
        StateError (other queues than those of the clusters that stay)."""
        _core.route_update(self._handle, self.kinds, snapshot._said(),
                            snapshot.shapes)

    def remove(self, cluster: int) -> None:
        """Forgets a cluster. Raises NotFoundError."""
        _core.route_remove(self._handle, cluster)

    def route(self, n: int, request: Numbers, *, now: int = 0,
              instances: Numbers = None, queue: Numbers = None,
              missing: Numbers = None) -> Records:
        """Where each of `n` jobs would go, as if alone, at `now` (ns). By job:
        `request` (n x kinds amounts, of one instance), `instances` (left out:
        1 each), `queue` (a number), `missing` (n x clusters, ppm of its data
        that each lacks). Raises RangeError (with the row), Cancelled."""
        out, _ = _core.route_decide(
            self._handle, self.kinds, now,
            _jobs(n, request, instances, queue, missing))
        return Records(ANSWER, out)

    def charge(self, n: int, request: Numbers, *, now: int = 0,
               instances: Numbers = None, queue: Numbers = None,
               missing: Numbers = None) -> Records:
        """Where they go one after the other, each taken off what is left: all
        jobs, or none. Rows as in `route`. Raises RangeError, Cancelled."""
        out, _ = _core.route_charge(
            self._handle, self.kinds, now,
            _jobs(n, request, instances, queue, missing))
        return Records(ANSWER, out)

    @property
    def clusters(self) -> Column:
        """The ids known, ascending."""
        return _core.route_clusters(self._handle)

    def available(self, cluster: int) -> Column:
        """What a cluster has left. Raises NotFoundError."""
        return _core.route_available(self._handle, self.kinds, cluster)

    @property
    def digest(self) -> int:
        """Equal for routers that answer alike."""
        return _core.route_digest(self._handle)

    def check(self) -> None:
        """InternalError if an invariant is broken."""
        _core.route_check(self._handle)


def route(snapshot: Snapshot, n: int, request: Numbers, *, kinds: int,
          policy: int | str = Policy.ABSOLUTE, now: int = 0, max_age: int = 0,
          locality_weight: int = 0, instances: Numbers = None,
          queue: Numbers = None, missing: Numbers = None) -> Records:
    """The same on plain arrays, without a handle; rows as in `Router.route`.
    Raises RangeError, ExistsError (an id twice)."""
    out, _ = _core.route_once(
        snapshot._said(), snapshot.shapes,
        {"kinds": kinds, "policy": number(Policy, policy), "max_age": max_age,
         "locality_weight": locality_weight}, now,
        _jobs(n, request, instances, queue, missing))
    return Records(ANSWER, out)


def stripe(rack: Numbers, parts: int, *,
           hooks: Hooks | None = None) -> tuple[Column, Column]:
    """Splits a cluster into parts, racks going evenly over them: the part of
    each machine, and how many machines each part reaches within a rack. `rack`
    has a row a machine. Raises RangeError.

    >>> stripe([0, 0, 1, 1], 2)[0].tolist()
    [0, 1, 0, 1]
    """
    return _core.route_stripe(rack, parts, host_of(hooks))


__all__ = ["Policy", "Router", "Snapshot", "route", "stripe"]
