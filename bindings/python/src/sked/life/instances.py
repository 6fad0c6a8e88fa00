"""Instances of a job, jobs, what they are promised, and the policies of their
ends and of their placement. <sched/life_job.h>, <sched/life_policy.h>

Times are ns."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from .. import _core
from ..enums import number
from .words import (Again, Availability, Beside, Do, End, Ended, Health, Job,
                    Stopper, Task, Type)

RECORD = struct.Struct("=4Qq8I")


@dataclass
class Instance:
    """One instance of a job as a manager knows it: versions and runs, the ns
    since when it is in this state, states (`Task`), `Health`, why it was
    ended, failures of the desired version, what is beside it, and whether
    someone else told it to stop."""

    version: int = 0
    desired: int = 0
    run: int = 0
    desired_run: int = 0
    since: int = 0
    state: int = Task.UNKNOWN
    goal: int = Task.RUNNING
    health: int = Health.UNKNOWN
    ended: int = Ended.NOT
    failures: int = 0
    beside: int = Beside.NONE
    told: int = 0

    @classmethod
    def running(cls, version: int) -> Instance:
        """One that runs a version, healthy."""
        return cls(version, version, state=Task.RUNNING, health=Health.HEALTHY)

    def may_become(self, other: Instance) -> None:
        """May this be replaced by what `other` says? Raises RangeError,
        StateError (it may not: why)."""
        _core.life_may_replace(pack([self]), pack([other]))

    def action(self, *, now: int | None = None, type: int | str = Type.BATCH,
               launch_ns: int = 0, kill_ns: int = 0) -> Do:
        """What is to be done about it; with `now` (ns), whether a launch or a
        kill is overdue counts. Raises RangeError."""
        options = None if now is None else {
            "type": number(Type, type), "now": now, "launch_ns": launch_ns,
            "kill_ns": kill_ns}
        return Do(_core.life_task_action(pack([self]), options))

    @property
    def availability(self) -> Availability:
        """How it counts."""
        return Availability(_core.life_availability_of(pack([self])))


def pack(instances: Iterable[Instance]) -> bytes:
    """Instances as records of the library, 72 bytes a row."""
    return b"".join(RECORD.pack(
        i.version, i.desired, i.run, i.desired_run, i.since, i.state, i.goal,
        i.health, i.ended, i.failures, i.beside, i.told, 0)
        for i in instances)


# ---- Jobs ----

@dataclass(frozen=True)
class Nature:
    """What a type of job implies: where an instance is to end; 1 or 0 for
    preemptible, pinned to its node, one on every node, may be updated; when it
    is started again; rounds and ns of placement."""

    goal: Task
    preemptible: int
    pinned: int
    per_node: int
    updates: int
    again: Again
    rounds: int
    place_ns: int


def nature(type: int | str) -> Nature:
    """What a type of job implies. Raises RangeError.

    >>> nature("stateful").pinned, nature("batch").preemptible
    (1, 1)
    """
    (goal, preemptible, pinned, per_node, updates, again, rounds,
     place_ns) = _core.life_nature_of(number(Type, type))
    return Nature(Task(goal), preemptible, pinned, per_node, updates,
                  Again(again), rounds, place_ns)


def _job(type: int | str, state: int | str, goal: int | str, instances: int,
         tasks: Mapping[int | str, int], version: int, goal_version: int,
         controller: int | str, created: bool) -> tuple[Any, Any]:
    counts = array("Q", [0] * len(Task))
    for name, n in tasks.items():
        counts[number(Task, name)] += n
    return {"type": number(Type, type), "state": number(Job, state),
            "goal": number(Job, goal), "instances": instances,
            "version": version, "goal_version": goal_version,
            "controller": number(Task, controller),
            "created": int(created)}, counts


def job_state(type: int | str, state: int | str, instances: int,
              tasks: Mapping[int | str, int], *,
              goal: int | str = Job.UNINITIALIZED,
              controller: int | str = Task.UNKNOWN,
              created: bool = False) -> Job:
    """The state of a job from how many of its tasks are in each state. Raises
    RangeError.

    >>> job_state("batch", "pending", 2, {"succeeded": 1, "failed": 1}).name
    'FAILED'
    """
    return Job(_core.life_job_state(*_job(
        type, state, goal, instances, tasks, 0, 0, controller, created)))


def job_action(type: int | str, state: int | str, goal: int | str, *,
               version: int = 0, goal_version: int = 0) -> Do:
    """What is to be done about a job. Raises RangeError."""
    return Do(_core.life_job_action(*_job(
        type, state, goal, 0, {}, version, goal_version, 0, False)))


# ---- SLA ----

@dataclass(frozen=True)
class Sla:
    """What a job was promised: instances that run at least, and that are
    unavailable at most (0: no such promise)."""

    type: int = Type.BATCH
    priority: int = 0
    preemptible: int = 0
    revocable: int = 0
    least_running: int = 0
    most_unavailable: int = 0

    def as_dict(self) -> dict[str, Any]:
        """By name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True)
class Counts:
    """How many instances are available, are not, are killed on purpose."""

    available: int
    unavailable: int
    killed: int = 0


def count(instances: Iterable[Instance]) -> Counts:
    """Counts instances."""
    return Counts(*_core.life_count(pack(instances)))


def may_stop(sla: Sla, counts: Counts, stopper: int | str) -> int:
    """How many available instances may be stopped now. Raises RangeError.

    >>> may_stop(Sla(most_unavailable=3), Counts(9, 1), "update")
    2
    """
    return _core.life_may_stop(sla.as_dict(), counts.available,
                               counts.unavailable, number(Stopper, stopper))


def stop(sla: Sla, counts: Counts, stopper: int | str, n: int) -> Counts:
    """The counts once `n` of them are stopped. Raises RangeError, StateError
    (the SLA does not let so many go)."""
    up, down = _core.life_stop(sla.as_dict(), counts.available,
                               counts.unavailable, number(Stopper, stopper), n)
    return Counts(up, down, counts.killed)


def gang(sla: Sla, instances: int) -> int:
    """How many instances, from the first on, are placed together or not at
    all."""
    return _core.life_gang_of(sla.as_dict(), instances)


# ---- Policies ----

def backoff(failures: int, first_ns: int, most_ns: int) -> int:
    """The ns to wait after so many failures.

    >>> backoff(3, 30, 3600)
    120
    """
    return _core.life_backoff(failures, first_ns, most_ns)


@dataclass(frozen=True)
class Restart:
    """Is it started again, how many failures are remembered, after how many
    ns."""

    again: int
    failures: int
    delay_ns: int


def restart(instance: Instance, end: int | str = End.PLAIN,
            **options: int) -> Restart:
    """What follows its end. Options: type, again, max_failures, max_system,
    end_preempted, first_ns, most_ns. Raises RangeError, StateError (it has
    not ended)."""
    return Restart(*_core.life_restart(pack([instance]), number(End, end),
                                       options))


@dataclass(frozen=True)
class Tried:
    """Tries of placement: attempts of this cycle, cycles before it; the state
    it goes to; 1 or 0 for: a node is to be reserved, this cycle is over, all
    are; the ns it may stay in its state; the ns of that that are back-off."""

    attempt: int = 0
    cycle: int = 0
    to: Task = Task.UNKNOWN
    reserve: int = 0
    cycle_over: int = 0
    all_over: int = 0
    timeout_ns: int = 0
    backoff_ns: int = 0


def _tried(said: tuple[int, ...]) -> Tried:
    return Tried(said[0], said[1], Task(said[2]), *said[3:])


def placing_begin(state: int | str, tried: Tried = Tried(),
                  options: Mapping[str, int] | None = None) -> Tried:
    """A task comes into a state: how many ns it may stay. Options (None: the
    usual ones): attempts, cycles, reserve, plain, placing_ns, backoff_ns,
    launching_ns, preempting_ns, reserved_ns. Raises RangeError."""
    return _tried(_core.life_placing_begin(
        number(Task, state), options, tried.attempt, tried.cycle))


def placing_timeout(state: int | str, tried: Tried = Tried(),
                    options: Mapping[str, int] | None = None) -> Tried:
    """The time in a state is over. Raises RangeError, StateError (it has no
    time-out)."""
    return _tried(_core.life_placing_timeout(
        number(Task, state), options, tried.attempt, tried.cycle))


def placing_return(state: int | str, tried: Tried = Tried(),
                   options: Mapping[str, int] | None = None) -> Tried:
    """Placement gave it back. Raises RangeError, StateError (it was not being
    placed)."""
    return _tried(_core.life_placing_return(
        number(Task, state), options, tried.attempt, tried.cycle))


@dataclass(frozen=True)
class Record:
    """What is remembered of a node: failures since, out until (ns), times in a
    row, 1 while it is out."""

    since: int = 0
    until: int = 0
    failures: int = 0
    times: int = 0
    out: int = 0

    def _values(self) -> tuple[int, int, int, int, int]:
        return self.since, self.until, self.failures, self.times, self.out


def note_failure(node: Record, now: int, nodes: int, out: int,
                 **options: int) -> tuple[Record, int]:
    """Something failed on a node at `now` (ns); of `nodes`, `out` are out.
    Options: failures, within_ns, first_ns, most_ns, nodes_ppm. The node, and
    how many are out. Raises RangeError."""
    record, left = _core.life_node_fail(
        *node._values(), now, options, nodes, out)
    return Record(*record), left


def note_success(node: Record) -> Record:
    """Something went well there."""
    return Record(*_core.life_node_succeed(*node._values()))


def is_out(node: Record, now: int, out: int = 0) -> tuple[bool, Record, int]:
    """Is the node out of use at `now` (ns)? The node, and how many are out."""
    still, record, left = _core.life_node_is_out(
        *node._values(), now, out)
    return bool(still), Record(*record), left
