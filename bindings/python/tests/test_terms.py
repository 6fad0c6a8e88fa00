"""What hosts say of tasks for rounds of preemption."""

from __future__ import annotations

import sked
from sked import preempt

SECOND = 10**9


def two_groups(**job: bool):
    """A node of 10, five tasks each of asks 1 and 3 of queue a; b wants 3."""
    tree = sked.Tree.from_text(
        "kinds cpu=1\nroot\nroot.a guarantee=cpu=5\nroot.b guarantee=cpu=5\n")
    host = sked.Engine(tree)
    host.preempt(preempt.Preemption(
        targets={"ignored": -1, "per_round": -1, "factor": 1_000_000}))
    host.apply(sked.Events(tree).node_up(0, 1, [10])
               .submit(0, 1, tree["root.a"], **job)
               .submit(0, 2, tree["root.b"]).ask(0, 1, 1, [1], 5)
               .heartbeat(0, 1).ask(SECOND, 3, 1, [1], 5)
               .heartbeat(SECOND, 1).ask(SECOND, 2, 2, [1], 3))
    groups = {d.ask: d.group for d in host.take()
              if d.kind == sked.Decide.ALLOCATE}
    return tree, host, groups


def of_kind(host: sked.Engine, kind: int):
    return [(d.ask, d.count, d.serves) for d in host.take() if d.kind == kind]


def test_the_order_of_victims_is_the_hosts():
    tree, host, groups = two_groups()
    host.apply(sked.Events(tree).cost(SECOND, groups[1], 0)
               .round(2 * SECOND))
    assert of_kind(host, sked.Decide.NOTIFY) == [(1, 3, 2)]
    tree, host, groups = two_groups()
    host.apply(sked.Events(tree).cost(SECOND, groups[1], 0)
               .cost(SECOND, groups[1], None).round(2 * SECOND))
    assert of_kind(host, sked.Decide.NOTIFY) == [(3, 3, 2)]


def test_revocable_tasks_go_first_and_nothing_ends_for_who_yields():
    tree, host, groups = two_groups()
    host.apply(sked.Events(tree).submit(SECOND, 3, tree["root.b"], yields=True)
               .ask(SECOND, 5, 3, [1], 1).withdraw(SECOND, 2)
               .round(2 * SECOND))
    assert of_kind(host, sked.Decide.NOTIFY) == []
    tree, host, groups = two_groups(revocable=True)
    host.apply(sked.Events(tree).round(2 * SECOND))
    assert of_kind(host, sked.Decide.NOTIFY) == [(3, 3, 2)]


def test_what_ends_in_time_is_waited_for():
    tree, host, groups = two_groups()
    host.apply(sked.Events(tree).ends(SECOND, groups[3], 10 * SECOND)
               .round(2 * SECOND))
    assert of_kind(host, sked.Decide.NOTIFY) == []
    host.apply(sked.Events(tree).ends(2 * SECOND, groups[3], None)
               .round(3 * SECOND))
    assert of_kind(host, sked.Decide.NOTIFY) == [(3, 3, 2)]


def test_what_is_killed_once_is_over():
    for once, left in ((False, 3), (True, 0)):
        tree, host, groups = two_groups(once=once)
        host.apply(sked.Events(tree).round(2 * SECOND).round(17 * SECOND)
                   .killed(18 * SECOND, groups[3], 3).heartbeat(18 * SECOND, 1))
        assert host.counts["open_tasks"] == left


def test_past_usage_is_a_term_of_orders_and_shares():
    tree = sked.Tree.from_text("kinds cpu=1\nroot\nroot.a\nroot.b\n")
    a, b = tree["root.a"], tree["root.b"]
    host = sked.Engine(tree)
    # Decayed: a used three times as much as b; so it counts a third of b.
    weights = sked.time_weights([1, 1], [300, 100], 400, 1_000_000).tolist()
    told = sked.Events(tree).node_up(0, 1, [12])
    for queue, weight in zip((a, b), weights):
        told.queue_weight(0, queue, weight // min(weights))
    told.submit(0, 1, a).submit(0, 2, b).ask(0, 1, 1, [1], 12).ask(0, 2, 2, [1], 12)
    host.apply(told)
    host.run_pass(0)
    assert host.usage(a) == {"cpu": 3} and host.usage(b) == {"cpu": 9}


def test_licences_lie_on_no_node():
    tree = sked.Tree.from_text("kinds cpu=1 licence=1\nroot\nroot.q\n")
    host = sked.Engine(tree, pooled=["licence"])
    host.apply(sked.Events(tree).node_up(0, 1, [10, 0]).node_up(0, 2, [10, 0])
               .pool(0, [0, 5]).submit(0, 1, tree["root.q"])
               .ask(0, 1, 1, [1, 2], 4))
    host.run_pass(0)
    assert host.usage(tree["root.q"]) == {"cpu": 2, "licence": 4}
    assert host.free_on(1) == {"cpu": 8, "licence": 0}


def test_a_restart_tells_attributes_and_rules():
    tree = sked.Tree.from_text("kinds cpu=1\nroot\nroot.q\n")
    truth = (sked.Events(tree).node_up(0, 1, [4]).node_up(0, 2, [4])
             .attributes(0, 2, {7: 3}).submit(0, 1, tree["root.q"])
             .ask(0, 1, 1, [1], 2)
             .rule(0, 1, sked.rule.equal(7, 3)).tags(0, 1, [5]))
    host = sked.Engine(tree)
    assert host.mend(truth) == 7
    assert len(host.reconcile(truth)) == 0
    host.run_pass(1)
    assert {d.node for d in host.take()
            if d.kind == sked.Decide.ALLOCATE} == {2}


def test_a_restart_tells_what_tasks_cost_and_when_they_end():
    tree = sked.Tree.from_text("kinds cpu=1\nroot\nroot.q\n")

    def truth(cost):
        return (sked.Events(tree).node_up(0, 1, [4])
                .submit(0, 1, tree["root.q"]).ask(0, 1, 1, [1], 3)
                .running(0, 1, 1, count=2, since=0).least_running(0, 1, 1)
                .cost_on(0, 1, 1, cost).ends_on(0, 1, 1, 5 * SECOND))

    host = sked.Engine(tree)
    assert host.mend(truth(7)) == 7
    assert not host.reconcile(truth(7))
    assert [d.kind for d in host.reconcile(truth(8))] == [
        sked.EventKind.TASK_COST]
    assert host.mend(truth(None)) == 1
