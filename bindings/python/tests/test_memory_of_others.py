"""Allocations failed in turn in the other handles, through Python."""

import itertools
from array import array

import pytest

import sked
from sked import _core, plan, preempt
from sked.hooks import host_of
from test_memory import sweep

MANY = 3000


def history(host):
    """Records that make the books of a queue grow."""
    handle = _core.history_new(host, {
        "flags": 0, "queues": 1, "kinds": 1, "kind": 0, "parts": 1, "from": 0,
        "to": 0}, None)
    later = itertools.count(step=MANY)

    def add():
        first = next(later)
        starts = array("q", range(first, first + MANY))
        _core.history_add(handle, 1, {
            "flags": 0, "form": 0, "n": MANY, "queue": None, "start": starts,
            "end": array("q", [s + 1 + s % 50 for s in starts]),
            "length": None, "amount": array("q", [1 + s % 9 for s in starts])})

    return handle, add, lambda: _core.history_get_standing(handle, 0), \
        lambda: _core.history_check(handle)


def target(host):
    """The first round over a tree makes its clocks."""
    tree = sked.Tree("cpu=1")
    for i in range(300):
        tree.root.add(f"q{i}")
    tree.commit()
    ledger = sked.Ledger(tree)
    handle = _core.target_new(host, {"dialect": 1})
    return handle, lambda: _core.target_compute(
        handle, tree._handle, ledger._handle,
        {"partition": 0, "capacity": array("q", [99])}, 5), lambda: \
        _core.target_digest(handle), lambda: _core.target_check(handle)


def rounds(host):
    """Marks and actions of many."""
    handle = _core.round_new(host, 0, 1, 10)
    keys = array("Q", range(1, MANY + 1))
    return handle, lambda: _core.round_update(
        handle, 1, {"n": MANY, "key": keys}, 0), lambda: \
        _core.round_digest(handle), lambda: _core.round_check(handle)


def router(host):
    """A snapshot of many clusters."""
    handle = _core.route_new(host, {"kinds": 1, "policy": 0})
    said = sked.Snapshot(MANY, [9] * MANY, [5] * MANY)._said()
    return handle, lambda: _core.route_replace(
        handle, 1, said, None), lambda: _core.route_digest(handle), \
        lambda: None


HANDLES = [history, target, rounds, router]


@pytest.mark.parametrize("make", HANDLES, ids=lambda make: make.__name__)
def test_a_failed_allocation_changes_nothing(make):
    handle, action, state, check = make(host_of(counted=True))
    before = state()
    failed = sweep(handle, action, state)
    assert failed >= 1
    check()
    assert state() != before


def test_what_is_made_at_once_leaves_nothing():
    """Calls with a host of their own, with memory limited to n bytes."""
    tree = sked.Tree.from_text("kinds cpu=1\nroot\nroot.a\nroot.b\n")
    jobs = sked.Jobs.of(tree, [{"queue": "root.a", "run_s": 5,
                                "amount": {"cpu": 1}}] * 40)
    plans = plan.PlanJobs([[f"x{i % 9}" for i in range(60)]])
    makers = {
        "sim": lambda h: sked.Sim(tree, jobs, [sked.Nodes(3, "cpu=2")],
                                  hooks=h),
        "run": lambda h: sked.Sim(tree, jobs, [sked.Nodes(3, "cpu=2")],
                                  hooks=h).run(),
        "leaves": lambda h: plan.leaves(plans, hooks=h),
        "plan": lambda h: plan.Plan(tree, plans, [1] * 9, hooks=h),
        "percentiles": lambda h: plan.percentiles(
            [1] * 60, list(range(60)), [0.5], hooks=h),
        "rank": lambda h: preempt.rank(60, priority=list(range(60)), hooks=h),
        "order": lambda h: sked.Order(hooks=h), "diff": lambda h: sked.Diff(
            tree, sked.Tree.from_text("kinds cpu=1\nroot\nroot.c\n"), hooks=h)}
    for name, make in makers.items():
        failed = 0
        for limit in (*range(1, 3000, 61), *range(3000, 60000, 2999)):
            hooks = sked.Hooks()
            hooks.memory_limit = limit
            try:
                make(hooks)
            except MemoryError as error:
                assert isinstance(error, sked.OutOfMemory)
                failed += 1
        assert failed, name
        make(None)
