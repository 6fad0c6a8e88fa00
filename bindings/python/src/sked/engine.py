"""The turnkey scheduler: events in, decisions out.

<sched/engine.h>, <sched/engine_admit.h>, <sched/engine_limits.h>, <sched/engine_place.h>,
<sched/engine_preempt.h>, <sched/engine_reconcile.h>, <sched/event.h>, <sched/decision.h>,
<sched/tree.h>"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import Any

from . import _core, layouts
from .columns import Column, Numbers
from .enums import ANY_PARTITION, UNLIMITED, PlaceMode, Reason
from .errors import BlockedError
from .events import Events
from .handles import Owner
from .hooks import Hooks, host_of
from .preempt import Contract, Preemption
from .records import Layout, Records
from .schema import Vector
from .tree import Queue, Tree

DECISION = Layout("Decision", layouts.DECISION)
BOUND = Layout("Bound", layouts.ENGINE_BOUND)
NOTICE = Layout("Notice", layouts.ENGINE_NOTICE)
COUNTS = ("nodes", "jobs", "jobs_waiting", "asks", "open_tasks", "groups",
          "running_tasks", "events", "heartbeats", "idle", "decisions",
          "allocated", "late_events", "queues_visited", "asks_visited", "bytes",
          "adopted", "nodes_over", "queues_over", "formings",
          "form_nodes")
DIFFERENCE = Layout("Difference", layouts.ENGINE_DIFFERENCE)
# The tree that a bound is of, where it is a tree of limits.
LIMITS: dict[int, int] = {
    Reason.TREE_1_LIMIT: 1, Reason.TREE_1_RUNNING: 1,
    Reason.TREE_2_LIMIT: 2, Reason.TREE_2_RUNNING: 2}


class Engine(Owner):
    """A deterministic state machine: tell it what happened, take what to do.

    Times and delays are in ns, counts whole numbers; 0 is the default. Raises
    RangeError.

    >>> tree = Tree("cpu=1")
    >>> q = tree.root.add("q")
    >>> engine = Engine(tree)
    >>> happened = (Events(tree).node_up(0, 1, {"cpu": 4}).submit(0, 1, q)
    ...             .ask(0, 1, 1, {"cpu": 3}, count=2).heartbeat(1, 1))
    >>> engine.apply(happened)
    >>> [(d.kind, d.count, d.node) for d in engine.take()]
    [(1, 0, 0), (3, 1, 1)]
    >>> [Reason(b.reason).name for b in engine.explain(1) if b.binds]
    ['NO_NODE']
    """

    __slots__ = ("tree", "schema", "_limits")

    def __init__(self, tree: Tree, *, seed: int = 0, confirm_within: int = 0,
                 node_delay: int = 0, rack_delay: int = 0,
                 max_per_pass: int = 0, max_untaken: int = 0, max_user_running: int = 0,
                 flags: int = 0, pooled: Iterable[str] = (),
                 form_nodes: int = 0, form_for: int = 0, hooks: Hooks | None = None) -> None:
        self.tree = tree
        self._limits: dict[int, Tree] = {}
        self.schema = tree.schema
        self._handle = _core.engine_new(
            tree._settled(), host_of(hooks), flags, seed, confirm_within,
            node_delay, rack_delay, max_per_pass, max_untaken,
            max_user_running,
            sum(1 << k for k in {self.schema.kind(kind) for kind in pooled}),
            form_nodes, form_for)

    def commit(self, tree: Tree, now: int) -> None:
        """Takes over the tree's last commit; running work goes along. Raises
        StateError (a job is in a queue that is gone or became a parent),
        SchemaError."""
        _core.engine_commit(self._handle, tree._settled(), now)
        self.tree = tree

    def commit_limits(self, which: int, tree: Tree, now: int) -> None:
        """Takes over a tree of limits beside the engine's own, 1 or 2; jobs count
        there in the queues that `Events.submit` says. Raises StateError (a job
        is charged in a queue that is gone), SchemaError, ValueError (an
        attribute that is no limit).

        >>> from sked import Events, Tree
        >>> tree, accounts = Tree("cpu=1"), Tree("cpu=1")
        >>> q, physics = tree.root.add("q"), accounts.root.add("physics")
        >>> physics.limit = {"cpu": 3}
        >>> engine = Engine(tree)
        >>> engine.commit_limits(1, accounts, 0)
        >>> engine.apply(Events(tree).node_up(0, 1, {"cpu": 8})
        ...              .submit(0, 1, q, charged=(physics, None))
        ...              .ask(0, 1, 1, {"cpu": 1}, count=5).heartbeat(1, 1))
        >>> engine.charged(1, physics)
        ({'cpu': 3}, 1)
        >>> engine.why(1)
        ['ask 1: limit of a queue of limit tree 1 at root.physics: needs 4 of cpu, there is 3']
        """
        _core.engine_commit_limits(self._handle, which, tree._settled(), now)
        self._limits[which] = tree

    def preempt(self, how: Preemption | None) -> None:
        """Turns preemption on, or (None) off; rounds come with `Events.round`.
        Raises StateError (something is reserved or notices are out), RangeError,
        ArgumentError (an option that a dialect does not have)."""
        _core.engine_preempt(self._handle, how._said() if how else None)

    def reserve(self, *, partitions: int = 0, nodes: int = 0, jobs: int = 0,
                leaf_jobs: int = 0, users: int = 0, accounts: int = 0,
                asks: int = 0, wide_asks: int = 0, leaf_asks: int = 0,
                places: int = 0, shapes: int = 0, groups: int = 0,
                ranges: int = 0, refusals: int = 0, saved: int = 0,
                decisions: int = 0, released: int = 0,
                spreads: int = 0) -> None:
        """Takes memory for so many of each at once, in whole numbers; 0 is the
        default of <sched/engine.h>. Events within that allocate nothing in the
        library, but for tags, attributes, rules, exclusions and rounds. Raises RangeError, StateError (called by a hook)."""
        _core.engine_reserve(
            self._handle, partitions, nodes, jobs, leaf_jobs, users, accounts,
            asks, wide_asks, leaf_asks, places, shapes, groups, ranges,
            refusals, saved, decisions, released, spreads)

    def name_user(self, user: int, name: str | None) -> None:
        """What a user's key is called where the tree gives users weights.
        Raises StateError (called by a hook)."""
        _core.engine_name_user(self._handle, user, name)

    def apply(self, events: Events) -> None:
        """Applies events row by row. A row that cannot be applied raises, with
        its `row`; those before it stand. Where as many decisions wait as may
        (`max_untaken`), BlockedError has the rows applied as `done`. Raises
        RangeError, ExistsError (the key is taken), NotFoundError (no such
        key), StaleError (the queue or group is gone), StateError (not possible
        now), Cancelled; SchemaError where their tree has other kinds."""
        self._same_kinds(events)
        done = self.apply_rows(events.rows, events.amounts, events.offsets,
                               events.places, events.moments, events.tasks,
                               events.place_tasks, events.attribute_offsets,
                               events.attribute_rows, events.rule_offsets,
                               events.rule_rows, events.rule_values,
                               events.gangs, events.charges)
        if done < len(events):
            error = BlockedError(f"decisions wait; {done} rows were applied")
            error.done = done
            raise error

    def _same_kinds(self, events: Events) -> None:
        """SchemaError unless amounts mean the same here."""
        said = events.tree.schema
        if said is not self.schema and said != self.schema:
            self.schema.same(said)

    def apply_rows(self, rows: Any, amounts: Numbers = None,
                   offsets: Numbers = None, places: Numbers = None,
                   moments: Numbers = None, tasks: Numbers = None,
                   place_tasks: Numbers = None,
                   attribute_offsets: Numbers = None, attributes: Any = None,
                   rule_offsets: Numbers = None, rule_terms: Any = None,
                   rule_values: Numbers = None,
                   gangs: Any = None, charges: Any = None) -> int:
        """The same from columns: records of 64 bytes (a numpy structured array
        fits), rows of amounts, offsets of place lists and their keys, moments
        and numbers of tasks, beside each place how many tasks have their data
        there, offsets and records of attributes and of rules with their
        values, and records of how gangs over nodes start and where jobs are
        charged. How many were
        applied. Raises what `apply` raises but BlockedError: RangeError, ExistsError, NotFoundError, StaleError,
        StateError, Cancelled."""
        done, _ = _core.engine_apply(self._handle, len(self.schema), rows,
                                     amounts, offsets, places, moments, tasks,
                                     place_tasks, attribute_offsets, attributes,
                                     rule_offsets, rule_terms, rule_values,
                                     gangs, charges)
        return done

    def reconcile(self, truth: Events) -> Records:
        """What differs from all that the host knows to be so (nodes, jobs, asks
        and what runs, told as to an empty engine; attributes, rules, soft
        rules, tags, places, racks, pools, and what jobs keep (`least_running`)
        and their tasks cost and when they end (`cost_on`, `ends_on`), where
        they are told), as the events that would mend it, in order; `how` is a `Differs`. `mend` applies them. Raises
        NotFoundError, ExistsError, StaleError, StateError, RangeError;
        SchemaError where their tree has other kinds."""
        self._same_kinds(truth)
        return Records(DIFFERENCE, _core.engine_reconcile(
            self._handle, len(self.schema), truth.rows, truth.amounts,
            truth.offsets, truth.places, truth.moments, truth.tasks,
            truth.place_tasks, truth.attribute_offsets, truth.attribute_rows,
            truth.rule_offsets, truth.rule_rows, truth.rule_values,
            truth.gangs, truth.charges))

    def mend(self, truth: Events) -> int:
        """Makes it so; how many events that took. Raises what `reconcile` and
        `apply` raise: NotFoundError, ExistsError, StaleError, StateError,
        RangeError, BlockedError, Cancelled.

        >>> tree = Tree("cpu=1")
        >>> q = tree.root.add("q")
        >>> engine = Engine(tree)
        >>> truth = (Events(tree).node_up(9, 1, {"cpu": 4}).submit(9, 1, q)
        ...          .ask(9, 1, 1, {"cpu": 1}, count=5)
        ...          .running(9, 1, 1, count=3, since=2))
        >>> engine.mend(truth), engine.counts["running_tasks"]
        (4, 3)
        >>> len(engine.reconcile(truth))
        0
        """
        said = Events(truth.tree)
        said.amounts, said.offsets = truth.amounts, truth.offsets
        said.places, said.place_tasks = truth.places, truth.place_tasks
        said.attribute_offsets = truth.attribute_offsets
        said.attribute_rows = truth.attribute_rows
        said.rule_offsets, said.rule_rows = truth.rule_offsets, truth.rule_rows
        said.rule_values = truth.rule_values
        for d in self.reconcile(truth):
            said.row(d.time, d.kind, key=d.key, flags=d.flags, owner=d.owner,
                     queue=d.queue, count=d.count, partition=d.partition,
                     priority=d.priority, amount=d.amount, places=d.places,
                     moment=d.moment, task=d.task, per_node=d.per_node,
                     at_once=d.at_once, same=d.same,
                     charges=(d.charge_first, d.charge_second))
        self.apply(said)
        return len(said)

    def run_pass(self, now: int, budget: int = 0) -> bool:
        """What heartbeats of all nodes would decide at `now` (ns), `budget`
        decisions at most (0: all); True when it could go on. Raises
        StateError (called by a hook), Cancelled."""
        return _core.engine_pass(self._handle, now, budget) != 0

    def place(self, now: int, mode: int = PlaceMode.FIRST, budget: int = 0, *,
              scores: Mapping[int, int] | None = None) -> bool:
        """Finds a node for each open ask that may run, in the order of policy:
        the node that the ask's own mode says (`Events.ask`), or this one.
        `scores` says a number for nodes, by key; others have 0. At most `budget`
        decisions (0: all); True when it could go on. Raises NotFoundError (a
        node), StateError (called by a hook), Cancelled.

        >>> from sked import Events, PlaceMode, Tree
        >>> tree = Tree("cpu=1")
        >>> engine = Engine(tree)
        >>> q = tree.root.add("q")
        >>> engine.commit(tree, 0)
        >>> engine.apply(Events(tree).node_up(0, 1, {"cpu": 8})
        ...              .node_up(0, 2, {"cpu": 4}).submit(0, 1, q)
        ...              .ask(0, 1, 1, {"cpu": 3}, place=PlaceMode.PACK))
        >>> engine.place(1)
        False
        >>> [d.node for d in engine.take() if d.ask]
        [2]
        """
        said = scores or {}
        return _core.engine_place(
            self._handle, mode, array("Q", said.keys()),
            array("q", said.values()), now, budget) != 0

    def admit(self, queue: Queue, now: int = 0, *, entitlement: Vector = "",
              slack: Vector = "", reservation: Vector | None = None,
              controllers: Vector | None = None) -> None:
        """From now on a leaf admits jobs by classes (`Events.submit`): those
        that are not revocable within `entitlement`; revocable ones within
        `slack`; ones that may not be preempted within `reservation` besides
        (None: preemption is off); controllers of one task within `controllers`
        (None: no bound). Kinds that are not named have 0 there. Raises
        StaleError (no such queue), StateError (called by a hook), Cancelled.

        >>> from sked import Events, Tree
        >>> tree = Tree("cpu=1")
        >>> engine = Engine(tree)
        >>> q = tree.root.add("q")
        >>> engine.commit(tree, 0)
        >>> engine.admit(q, entitlement={"cpu": 4}, reservation={"cpu": 2})
        >>> engine.apply(Events(tree)
        ...              .submit(0, 1, q, fixed=True)
        ...              .ask(0, 1, 1, {"cpu": 3})
        ...              .submit(0, 2, q).ask(0, 2, 2, {"cpu": 3}))
        >>> [d.job for d in engine.take()]
        [2]
        """
        vec = self.schema.vec
        none = [UNLIMITED] * len(self.schema)
        _core.engine_admit(
            self._handle, queue.id, now, 1, reservation is not None,
            vec(entitlement), vec(slack), vec(reservation or ""),
            none if controllers is None else vec(controllers))

    def admit_all(self, queue: Queue, now: int = 0) -> None:
        """From now on a leaf admits jobs by their number alone, as at first.
        Raises StaleError (no such queue), StateError (called by a hook),
        Cancelled."""
        none = [0] * len(self.schema)
        _core.engine_admit(self._handle, queue.id, now, 0, 0, none, none, none,
                           none)

    def take(self, most: int = 1 << 16) -> Records:
        """Up to `most` decisions, oldest first. Raises StateError (called by a
        hook)."""
        return Records(DECISION, _core.engine_take(self._handle, most))

    def contract(self, job: int, contract: int = Contract.NEGOTIABLE
                 ) -> tuple[dict[str, int], Records]:
        """What a job is asked to free now, and the tasks that would go for it;
        or (`Contract.STRICT`) those that were told to end and have not yet.
        Raises NotFoundError."""
        amounts, notices = _core.engine_contract(self._handle, job, contract,
                                                 len(self.schema))
        return self.schema.named(amounts), Records(NOTICE, notices)

    def explain(self, job: int) -> Records:
        """Why a job has nothing more: for each open ask the chain of bounds.
        Raises NotFoundError."""
        return Records(BOUND, _core.engine_explain_job(self._handle, job))

    def why(self, job: int) -> list[str]:
        """The same in words: what binds now. Raises NotFoundError; StaleError
        (the tree was committed without a queue that binds, and the engine was
        not)."""
        said = []
        for b in self.explain(job):
            if not b.binds:
                continue
            kind = f" of {self.schema.names[b.kind]}" if b.kind >= 0 else ""
            at = ""
            if b.queue:
                tree = self._limits.get(LIMITS.get(b.reason, 0), self.tree)
                at = f" at {_core.tree_path(tree._handle, b.queue)}"
            far = f"needs {b.need}{kind}, there is {b.bound}"
            if b.reason == Reason.RATE:
                far = f"{b.bound} start, the next from {b.need} ns on"
            said.append(
                f"ask {b.ask}: {_core.reason_name(b.reason)}{at}: {far}")
        return said

    @property
    def counts(self) -> dict[str, int]:
        """What it holds and did."""
        return dict(zip(COUNTS, _core.engine_get_stats(self._handle)))

    def usage(self, queue: Queue,
              partition: int = ANY_PARTITION) -> dict[str, int]:
        """What a queue uses, in one partition or in all. Raises StaleError."""
        used, _ = _core.engine_usage(self._handle, queue.id, partition,
                                     len(self.schema))
        return self.schema.named(used)

    def charged(self, which: int, queue: Queue) -> tuple[dict[str, int], int]:
        """What is charged in a queue of limit tree `which`, and how many jobs run
        there. Raises StaleError, ValueError (there is no such tree)."""
        used, running = _core.engine_limits_usage(self._handle, which, queue.id,
                                                  len(self.schema))
        return self.schema.named(used), running

    def pending(self, queue: Queue,
                partition: int = ANY_PARTITION) -> dict[str, int]:
        """What its open asks want besides. Raises StaleError."""
        _, wanted = _core.engine_usage(self._handle, queue.id, partition,
                                       len(self.schema))
        return self.schema.named(wanted)

    def free_on(self, node: int) -> dict[str, int]:
        """What is free on a node. Raises NotFoundError."""
        free: Column = _core.engine_node_free(self._handle, node,
                                            len(self.schema))
        return self.schema.named(free)

    @property
    def next_time(self) -> int | None:
        """The earliest moment at which time alone changes what the engine decides
        (a proposal, a wait, a rejection or a rate ends), or None. Once `run_pass`
        decides nothing, it decides nothing before this moment unless the engine
        hears of something new."""
        moment = _core.engine_next_time(self._handle)
        return None if moment == UNLIMITED else moment

    @property
    def digest(self) -> int:
        """XXH64 over all decisions so far."""
        return _core.engine_digest(self._handle)

    @property
    def state_digest(self) -> int:
        """Equal for engines that will decide alike."""
        return _core.engine_state_digest(self._handle)

    def check(self) -> None:
        """InternalError if an invariant is broken."""
        _core.engine_check(self._handle)


def reason_text(reason: int) -> str:
    """The words for a reason: "limit of a queue"."""
    return _core.reason_name(reason)


__all__ = ["Engine", "Events", "Reason", "reason_text"]
