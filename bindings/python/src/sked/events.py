"""What an engine is told: events, written row by row. <sched/event.h>"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping

from . import layouts
from .enums import UNSET, Confirm, EventFlag, EventKind, Refuse, TaskFlag
from .records import Layout
from .rule import ATTRIBUTE, Rule, pairs_of
from .schema import Vector
from .tree import Queue, Tree

EVENT = Layout("Event", layouts.EVENT)
GANG = Layout("Gang", layouts.EVENT_GANG)
CHARGE = Layout("Charge", layouts.EVENT_CHARGE)
ANY_TASKS = (1 << 31) - 1  # of a place: as many as there are


class Events:
    """A batch of events to apply, written row by row. Times are in ns; nodes,
    jobs and asks have 64-bit keys of yours, not 0. Each method returns the
    batch, so that calls can be chained.

    In all of them `time` is when it happened, `key` what it happens to (a node,
    a job or an ask), `node`, `job` and `ask` are keys of others, `queue` is a
    leaf, `partition` the number of a set of nodes, `user` a number of yours,
    `priority` higher the sooner; `count` is of tasks, `amount` a vector, and
    `group` the number of the tasks that one decision placed together."""

    __slots__ = ("tree", "rows", "amounts", "offsets", "places", "place_tasks",
                 "moments", "tasks", "attribute_offsets", "attribute_rows",
                 "rule_offsets", "rule_rows", "rule_values", "gangs",
                 "charges", "_amount")

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.rows = bytearray()
        self.amounts = array("q")
        self.offsets = array("i", [0])
        self.places = array("Q")
        self.place_tasks = array("I")
        self.moments = array("q")
        self.tasks = array("q")
        self.attribute_offsets = array("i", [0])
        self.attribute_rows = bytearray()
        self.rule_offsets = array("i", [0])
        self.rule_rows = bytearray()
        self.rule_values = array("q")
        self.gangs = bytearray()
        self.charges = bytearray()
        self._amount: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self.rows) // EVENT.size

    def _vec(self, vec: Vector) -> int:
        amounts = self.tree.schema.vec(vec)
        seen = bytes(memoryview(amounts))
        if seen not in self._amount:
            self.amounts.frombytes(seen)
            self._amount[seen] = len(self._amount) + 1
        return self._amount[seen]

    def _list(self, places: Iterable[int]) -> int:
        at = dict(places) if isinstance(places, Mapping) else None
        wanted = array("Q", places)
        tasks = array("I", [ANY_TASKS] * len(wanted) if at is None
                      else at.values())
        self.place_tasks.extend(tasks)
        self.places.extend(wanted)
        self.offsets.append(len(self.places))
        return len(self.offsets) - 1

    def row(self, time: int, kind: int, *, key: int = 0, flags: int = 0,
            owner: int = 0, queue: int = 0, count: int = 0, partition: int = 0,
            priority: int = 0, amount: int = 0, places: int = 0,
            moment: int | None = None, task: int | None = None,
            per_node: int = 0, at_once: int = 0, same: int = 0,
            charges: tuple[int, int] = (0, 0)) -> Events:
        """Any event, field by field, and what stands beside it. One that does
        not fit raises, and the batch has no row of it."""
        beside = array("q", [UNSET if moment is None else moment,
                             UNSET if task is None else task])
        gang = GANG.struct.pack(per_node, at_once, same)
        charge = CHARGE.struct.pack(*charges)
        self.rows += EVENT.struct.pack(time, kind, flags, key, owner, queue,
                                       count, partition, priority, amount,
                                       places)
        self.moments.append(beside[0])
        self.tasks.append(beside[1])
        self.gangs += gang
        self.charges += charge
        return self

    def tick(self, time: int) -> Events:
        """Time has passed: deadlines, delays."""
        return self.row(time, EventKind.TICK)

    def node_up(self, time: int, key: int, capacity: Vector, *,
                partition: int = 0, rack: int = 0,
                attributes: Mapping[int, int | Iterable[int]] | None = None,
                ) -> Events:
        """A node is there, empty; its capacity is a vector. What it is may be
        said with it, as by `attributes`."""
        return self.row(time, EventKind.NODE_UP, key=key, owner=rack,
                        partition=partition, amount=self._vec(capacity),
                        places=self._pairs(attributes) if attributes else 0)

    def node_change(self, time: int, key: int, capacity: Vector) -> Events:
        """Another capacity, a vector; a draining node goes on draining."""
        return self.row(time, EventKind.NODE_CHANGE, key=key,
                        amount=self._vec(capacity))

    def node_move(self, time: int, key: int, partition: int) -> Events:
        """It is in another partition, and so is what runs there."""
        return self.row(time, EventKind.NODE_MOVE, key=key, partition=partition)

    def node_drain(self, time: int, key: int) -> Events:
        """It takes nothing new until it resumes."""
        return self.row(time, EventKind.NODE_DRAIN, key=key)

    def node_resume(self, time: int, key: int) -> Events:
        """It drains no longer."""
        return self.row(time, EventKind.NODE_RESUME, key=key)

    def attributes(self, time: int, node: int,
                   pairs: Mapping[int, int | Iterable[int]]) -> Events:
        """What a node is, in place of what was said before: of each key a value
        or more. Keys and values are numbers of yours."""
        return self.row(time, EventKind.NODE_ATTRIBUTES, key=node,
                        places=self._pairs(pairs))

    def _pairs(self, pairs: Mapping[int, int | Iterable[int]]) -> int:
        self.attribute_rows += pairs_of(pairs)
        self.attribute_offsets.append(len(self.attribute_rows) // ATTRIBUTE.size)
        return len(self.attribute_offsets) - 1

    def rule(self, time: int, ask: int, rule: Rule | None) -> Events:
        """The nodes that an ask takes from now on; None: every node."""
        return self.row(time, EventKind.ASK_RULE, key=ask,
                        places=self._rule(rule))

    def prefer(self, time: int, ask: int, rule: Rule | None, weight: int = 1, *,
               until: int | None = None) -> Events:
        """A soft rule of an ask more: in force until then (ns), and while some
        node meets it with those that weigh more; None drops all of them."""
        return self.row(time, EventKind.ASK_PREFER, key=ask, count=weight,
                        places=self._rule(rule), moment=until)

    def would_like(self, time: int, ask: int,
                   nodes: Iterable[int] | Mapping[int, int], *,
                   strict: bool = False) -> Events:
        """The nodes that an ask would like, in place of those that were said
        before: keys, or how many of its tasks have their data on each."""
        wanted = nodes if isinstance(nodes, Mapping) else list(nodes)
        return self.row(time, EventKind.ASK_PLACES, key=ask,
                        flags=int(EventFlag.STRICT) if strict else 0,
                        places=self._list(wanted) if wanted else 0)

    def would_like_racks(self, time: int, ask: int,
                         racks: Iterable[int] | Mapping[int, int]) -> Events:
        """The racks that an ask would like, in the same way; a strict ask that
        names racks is strict by rack."""
        wanted = racks if isinstance(racks, Mapping) else list(racks)
        return self.row(time, EventKind.ASK_RACKS, key=ask,
                        places=self._list(wanted) if wanted else 0)

    def _rule(self, rule: Rule | None) -> int:
        if rule is None:
            return 0
        self.rule_rows += rule.records(len(self.rule_values))
        self.rule_values.extend(rule.values)
        self.rule_offsets.append(self.rule_offsets[-1] + len(rule.terms))
        return len(self.rule_offsets) - 1

    def tags(self, time: int, ask: int, tags: Iterable[int]) -> Events:
        """By which tags rules count the tasks of an ask from now on: numbers of
        yours."""
        wanted = list(tags)
        return self.row(time, EventKind.ASK_TAGS, key=ask,
                        places=self._list(wanted) if wanted else 0)

    def node_down(self, time: int, key: int) -> Events:
        """It is gone, its tasks are lost."""
        return self.row(time, EventKind.NODE_DOWN, key=key)

    def pool(self, time: int, amount: Vector, partition: int = 0) -> Events:
        """A partition has that of the kinds that lie on no node (`pooled` of
        the Engine)."""
        return self.row(time, EventKind.POOL, partition=partition,
                        amount=self._vec(amount))

    def queue_weight(self, time: int, queue: Queue, weight: int) -> Events:
        """A queue counts with that weight among its siblings, in place of the
        tree's (0: with the tree's again): so that past usage is a term of orders
        and shares (`sked.time_weights`)."""
        return self.row(time, EventKind.QUEUE_WEIGHT, queue=queue.id,
                        count=weight)

    def heartbeat(self, time: int, key: int) -> Events:
        """Fill this node."""
        return self.row(time, EventKind.HEARTBEAT, key=key)

    def submit(self, time: int, key: int, queue: Queue, *, user: int = 1,
               priority: int = 0, retry: bool = False,
               submitted: int | None = None, admitted: bool = False,
               once: bool = False, readmit: bool = False, fixed: bool = False,
               controller: bool = False, revocable: bool = False,
               yields: bool = False,
               charged: tuple[Queue | None, Queue | None] = (None, None)
               ) -> Events:
        """A job in a leaf; when it was first `submitted` (ns), if that was
        before, and whether it was `admitted` then. Tasks that preemption kills
        are open again; with `once` they are over, with `readmit` the job is
        admitted anew when it runs nothing any more. Preemption ends no task of
        a `fixed` job. `Engine.admit` has bounds for jobs that are `fixed`, a
        `controller` of other tasks, or `revocable` (what others leave), whose
        tasks preemption ends before any others; for a job that `yields` it
        ends nothing. It is `charged` in these queues of limit trees 1 and 2, too
        (`Engine.commit_limits`)."""
        flags = (EventFlag.RETRY if retry else 0) | (
            EventFlag.ADMITTED if admitted else 0) | (
            EventFlag.ONCE if once else 0) | (
            EventFlag.READMIT if readmit else 0) | (
            EventFlag.FIXED if fixed else 0) | (
            EventFlag.CONTROLLER if controller else 0) | (
            EventFlag.REVOCABLE if revocable else 0) | (
            EventFlag.YIELDS if yields else 0)
        return self.row(time, EventKind.JOB_SUBMIT, key=key, owner=user,
                        queue=queue.id, priority=priority, flags=int(flags),
                        moment=submitted,
                        charges=(charged[0].id if charged[0] else 0,
                                 charged[1].id if charged[1] else 0))

    def update_job(self, time: int, key: int, *, queue: Queue | None = None,
                   priority: int = 0) -> Events:
        """Its queue, or (without one) its priority."""
        return self.row(time, EventKind.JOB_UPDATE, key=key, priority=priority,
                        queue=queue.id if queue else 0)

    def least_running(self, time: int, key: int, count: int) -> Events:
        """Of the tasks of a job that run, preemption leaves so many."""
        return self.row(time, EventKind.JOB_LEAST, key=key, count=count)

    def cancel_job(self, time: int, key: int) -> Events:
        """Nothing more of it."""
        return self.row(time, EventKind.JOB_CANCEL, key=key)

    def finish_job(self, time: int, key: int) -> Events:
        """It is over."""
        return self.row(time, EventKind.JOB_FINISH, key=key)

    def ask(self, time: int, key: int, job: int, amount: Vector,
            count: int = 1, *, partition: int = 0, priority: int = 0,
            places: Iterable[int] | Mapping[int, int] = (), gang: bool = False,
            strict: bool = False, master: bool = False,
            keep: bool = False, wait: bool = False, spread: bool = False,
            per_node: int = 0, at_once: int = 0, together: bool = False,
            same: int = 0, prefer_same: bool = False, exclusive: bool = False,
            exact: bool = False, task: int | None = None,
            place: int = 0) -> Events:
        """Alike tasks wanted: `amount` is the vector of one; `places` are keys
        of nodes, or say for each how many tasks have their data there, as a
        plan of `sked.locality` comes to; `task` is the number of the first. A
        gang starts as a whole on one node, or `spread` over as many as it takes,
        at most `per_node` (0: any number) on one of them: `at_once` of its tasks
        (0: all) together, the others later, one by one; `exact`: each node that
        takes some takes just `per_node`; `together`: when fewer
        are left, the others are told to end, too. `same` is the key of an
        attribute of which its nodes share a value, or, with `prefer_same`, would
        rather share one. With `exclusive` each task has a node to itself, and
        its queue all that the node has; of a `spread` gang up to `per_node` tasks
        share such a node, and hold it until the last of them has left. The ask is
        forgotten when the last of them has ended, unless it is to be kept, for `change_ask`; where
        it can never run it is rejected, unless it is to wait. `place` is the
        PlaceMode by which `Engine.place` finds its nodes."""
        wanted = places if isinstance(places, Mapping) else list(places)
        flags = (EventFlag.GANG if gang else 0) | (
            EventFlag.STRICT if strict else 0) | (
            EventFlag.MASTER if master else 0) | (
            EventFlag.KEEP if keep else 0) | (
            EventFlag.WAIT if wait else 0) | (
            EventFlag.SPREAD if spread else 0) | (
            EventFlag.TOGETHER if together else 0) | (
            EventFlag.PREFER_SAME if prefer_same else 0) | (
            EventFlag.EXCLUSIVE if exclusive else 0) | (
            EventFlag.EXACT if exact else 0) | (
            EventFlag.PLACE_FIRST << place - 1 if place else 0)
        return self.row(time, EventKind.ASK_ADD, key=key, owner=job,
                        count=count, amount=self._vec(amount), flags=int(flags),
                        partition=partition, priority=priority,
                        places=self._list(wanted) if wanted else 0, task=task,
                        per_node=per_node, at_once=at_once, same=same)

    def running(self, time: int, node: int, ask: int, count: int = 1, *,
                since: int | None = None, task: int | None = None,
                amount: Vector | None = None) -> Events:
        """Tasks of an ask run on a node already, since then (ns), from the
        number `task` on, of another `amount` each if that is said: they are
        adopted past every bound."""
        return self.row(time, EventKind.TASK_RUNNING, key=node, owner=ask,
                        count=count, moment=since, task=task,
                        amount=0 if amount is None else self._vec(amount))

    def change_ask(self, time: int, key: int, count: int) -> Events:
        """So many are open now."""
        return self.row(time, EventKind.ASK_CHANGE, key=key, count=count)

    def withdraw(self, time: int, key: int) -> Events:
        """None are open."""
        return self.row(time, EventKind.ASK_WITHDRAW, key=key)

    def confirm(self, time: int, group: int,
                amount: Vector | None = None) -> Events:
        """A proposal was carried out; its tasks hold that `amount` each, if it
        is another than was asked for."""
        return self.row(time, EventKind.TASK_CONFIRM, key=group,
                        flags=0 if amount is None else Confirm.ACTUAL,
                        amount=0 if amount is None else self._vec(amount))

    def resize(self, time: int, group: int, amount: Vector) -> Events:
        """Each task of a group holds that much from now on, a vector."""
        return self.row(time, EventKind.TASK_RESIZE, key=group,
                        amount=self._vec(amount))

    def refuse(self, time: int, group: int, scope: int = 0, *,
               until: int | None = None, count: int = 0) -> Events:
        """A proposal is not possible, or (with a count) some tasks of it: on
        this node, or as far as the scope reaches (`Refuse`), until then (ns) or
        until one of them changes."""
        return self.row(time, EventKind.TASK_REFUSE, key=group, count=count,
                        flags=scope | (Refuse.SOME if count else 0),
                        moment=until)

    def allow(self, time: int, scope: int = 0, key: int = 0) -> Events:
        """Lifts what was refused of a node, an ask or a job; or everything."""
        return self.row(time, EventKind.ALLOW, key=key, flags=scope)

    def exclude(self, time: int, nodes: Iterable[int], *, ask: int = 0,
                job: int = 0) -> Events:
        """Keys of nodes that an ask, or all of a job, does not take."""
        wanted = list(nodes)
        return self.row(time, EventKind.JOB_EXCLUDE if job
                        else EventKind.ASK_EXCLUDE, key=job or ask,
                        places=self._list(wanted) if wanted else 0)

    def finish(self, time: int, group: int, count: int = 1) -> Events:
        """Tasks of a group are done."""
        return self.row(time, EventKind.TASK_FINISH, key=group, count=count)

    def fail(self, time: int, group: int, count: int = 1) -> Events:
        """Tasks of a group ended badly."""
        return self.row(time, EventKind.TASK_FAIL, key=group, count=count)

    def lost(self, time: int, group: int, count: int = 1) -> Events:
        """Tasks of a group are lost, by no fault of their own."""
        return self.row(time, EventKind.TASK_LOST, key=group, count=count)

    def all_of(self, time: int, kind: EventKind, ask: int, scope: int = 0, *,
               until: int | None = None) -> Events:
        """TASK_CONFIRM, REFUSE, FINISH, FAIL, LOST or KILLED of all groups of an
        ask at once: of a gang over nodes, all of it. `scope` and `until` as for
        a refusal."""
        return self.row(time, kind, key=ask, flags=scope | TaskFlag.ALL,
                        moment=until)

    def round(self, time: int) -> Events:
        """A round of preemption."""
        return self.row(time, EventKind.ROUND)

    def killed(self, time: int, group: int, count: int = 1) -> Events:
        """Tasks of a group ended as a kill said: no failure."""
        return self.row(time, EventKind.TASK_KILLED, key=group, count=count)

    def released(self, time: int, group: int, count: int = 1) -> Events:
        """Tasks of a group are over for their job and queues; what says that
        they ended says that their node has done with them, too."""
        return self.row(time, EventKind.TASK_RELEASED, key=group, count=count)

    def saved(self, time: int, group: int) -> Events:
        """All work of a group so far is safe."""
        return self.row(time, EventKind.TASK_SAVED, key=group)

    def ends(self, time: int, group: int, moment: int | None) -> Events:
        """All tasks of a group end by themselves by that moment (ns): victims
        are not looked for among them shortly before. None: not known."""
        return self.row(time, EventKind.TASK_ENDS, key=group, moment=moment)

    def cost(self, time: int, group: int, cost: int | None) -> Events:
        """What is lost with a task of a group when it is preempted; None: what
        the engine works out."""
        return self.row(time, EventKind.TASK_COST, key=group,
                        count=-1 if cost is None else cost)

    def ends_on(self, time: int, node: int, ask: int,
                moment: int | None) -> Events:
        """As `ends`, of all that an ask runs on a node."""
        return self.row(time, EventKind.TASK_ENDS, key=node, owner=ask,
                        flags=TaskFlag.ON_NODE, moment=moment)

    def cost_on(self, time: int, node: int, ask: int,
                cost: int | None) -> Events:
        """As `cost`, of all that an ask runs on a node."""
        return self.row(time, EventKind.TASK_COST, key=node, owner=ask,
                        flags=TaskFlag.ON_NODE,
                        count=-1 if cost is None else cost)


__all__ = ["ANY_TASKS", "EVENT", "Events"]
