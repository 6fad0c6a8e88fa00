"""Tasks that start together, and tasks that keep apart."""

import pytest

import sked


def test_a_gang_starts_over_nodes_or_not_at_all():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree)
    host.apply(sked.Events(tree).node_up(0, 1, [4]).node_up(0, 2, [4])
               .node_up(0, 3, [4]).submit(0, 9, queue)
               .ask(0, 5, 9, [1], 4)
               .ask(0, 4, 9, [1], 6, gang=True, spread=True, per_node=2))
    assert host.run_pass(1) is False
    parts = [(d.ask, d.node, d.count) for d in host.take()
             if d.kind == sked.Decide.ALLOCATE]
    assert parts == [(5, 1, 4)]  # two nodes take four of it, and it wants six
    host.apply(sked.Events(tree).node_up(2, 4, [4]))
    assert host.run_pass(2) is False
    parts = [(d.ask, d.node, d.count) for d in host.take()]
    assert parts == [(4, 2, 2), (4, 3, 2), (4, 4, 2)]
    truth = (sked.Events(tree).node_up(3, 1, [4]).node_up(3, 2, [4])
             .submit(3, 9, queue).ask(3, 4, 9, [1], 4, gang=True, spread=True,
                                      per_node=2))
    other = sked.Engine(tree)
    assert other.mend(truth) == 4 and not other.reconcile(truth)
    other.run_pass(4)
    assert [(d.node, d.count) for d in other.take()
            if d.kind == sked.Decide.ALLOCATE] == [(1, 2), (2, 2)]
    with pytest.raises(sked.Error):
        host.apply(sked.Events(tree).ask(3, 6, 9, [1], 2, spread=True))


def test_an_elastic_gang_starts_with_some_and_grows():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree)
    truth = (sked.Events(tree).node_up(0, 1, [4]).node_up(0, 2, [4])
             .submit(0, 9, queue)
             .ask(0, 4, 9, [1], 9, gang=True, spread=True, per_node=3,
                  at_once=5))
    host.mend(truth)
    assert not host.reconcile(truth)
    host.run_pass(1)
    parts = [(d.node, d.count, d.reason) for d in host.take()
             if d.kind == sked.Decide.ALLOCATE]
    assert parts == [(1, 3, sked.Reason.GANG), (2, 2, sked.Reason.GANG),
                     (2, 1, sked.Reason.ORDER)]
    host.apply(sked.Events(tree).node_up(2, 3, [4]))
    host.run_pass(3)
    assert [(d.node, d.count) for d in host.take()] == [(3, 3)]
    with pytest.raises(sked.RangeError):
        host.apply(sked.Events(tree).ask(3, 6, 9, [1], 2, gang=True,
                                         spread=True, at_once=3))


def test_a_gang_is_refused_and_ends_at_once():
    tree = sked.Tree("cpu=1")
    host = sked.Engine(tree, confirm_within=100)
    queue = tree.root.add("q")
    host.commit(tree, 0)
    host.apply(sked.Events(tree).node_up(0, 1, [4]).node_up(0, 2, [4])
               .submit(0, 9, queue)
               .ask(0, 4, 9, [1], 6, gang=True, spread=True, per_node=3))
    host.run_pass(1)
    assert sorted(d.node for d in host.take() if d.ask == 4) == [1, 2]
    all_of = sked.Events(tree).all_of
    host.apply(all_of(2, sked.EventKind.TASK_REFUSE, 4, sked.Refuse.ASK,
                      until=10))
    host.run_pass(3)
    assert not list(host.take())
    host.run_pass(10)
    assert sorted(d.node for d in host.take()) == [1, 2]
    host.apply(sked.Events(tree)
               .all_of(11, sked.EventKind.TASK_CONFIRM, 4)
               .all_of(12, sked.EventKind.TASK_LOST, 4))
    assert [(d.kind, d.count) for d in host.take()] == [
        (sked.Decide.REQUEUE, 3), (sked.Decide.REQUEUE, 3)]
    with pytest.raises(sked.StateError):
        host.apply(sked.Events(tree)
                   .all_of(13, sked.EventKind.TASK_FINISH, 4))


def test_a_gang_ends_together():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree)
    host.apply(sked.Events(tree).node_up(0, 1, [4]).node_up(0, 2, [4])
               .submit(0, 9, queue)
               .ask(0, 4, 9, [1], 6, gang=True, spread=True, together=True))
    host.run_pass(1)
    first, second = (d.group for d in host.take() if d.ask == 4)
    host.apply(sked.Events(tree).lost(2, first, 1))
    assert [(d.kind, d.group, d.count) for d in host.take()] == [
        (sked.Decide.REQUEUE, first, 1), (sked.Decide.KILL, second, 2),
        (sked.Decide.KILL, first, 3)]
    host.run_pass(3)
    assert not list(host.take())
    host.apply(sked.Events(tree).all_of(4, sked.EventKind.TASK_KILLED, 4))
    host.run_pass(5)
    assert sum(d.count for d in host.take()
               if d.kind == sked.Decide.ALLOCATE) == 6


def test_a_gang_stays_in_one_rack():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree)
    truth = sked.Events(tree)
    for node in (1, 2, 3):
        truth.node_up(0, node, [4])
    truth.submit(0, 9, queue).ask(0, 4, 9, [1], 6, gang=True, spread=True,
                                  same=5)
    host.mend(truth)
    host.run_pass(1)
    assert not [d for d in host.take() if d.kind == sked.Decide.ALLOCATE]
    racks = sked.Events(tree)
    for node, rack in ((1, 8), (2, 9), (3, 9)):
        racks.attributes(2, node, {5: rack})
    host.apply(racks)
    host.run_pass(3)
    assert [(d.node, d.count) for d in host.take()] == [(2, 4), (3, 2)]
    host.apply(sked.Events(tree).ask(4, 5, 9, [1], 6, gang=True, spread=True,
                                     same=5, prefer_same=True))
    host.run_pass(5)
    assert [(d.node, d.count) for d in host.take()] == [(1, 4), (3, 2)]


def test_a_simulated_gang_takes_several_nodes():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    jobs = sked.Jobs.of(tree, [
        {"queue": queue, "run_s": 5, "tasks": tasks, "amount": "cpu=1"}
        for tasks in (6, 6, 7)])

    def run(**how):
        sim = sked.Sim(tree, jobs, [sked.Nodes(3, "cpu=4")],
                       sked.sim.Options(heartbeat=0, **how))
        parts = []
        sim.run(lambda records: parts.extend(
            (r.job, r.node, r.count) for r in records
            if r.kind == sked.Decide.ALLOCATE))
        return parts, sim.total.rejected

    assert run(gang_over=0) == ([(1, 1, 4), (1, 2, 2), (2, 2, 2), (2, 3, 4),
                                 (3, 1, 4), (3, 2, 3)], 0)
    assert run(gang_over=2) == ([(1, 1, 2), (1, 2, 2), (1, 3, 2),
                                 (2, 1, 2), (2, 2, 2), (2, 3, 2)], 1)
    with pytest.raises(sked.Error, match="no multiple of per_node"):
        run(gang_over=2, exact=True)  # the last has seven
    assert run(gang=True) == ([], 3)
    for wrong in (-1, 1 << 31, 1 << 32):
        with pytest.raises(sked.RangeError):
            run(gang_over=wrong)


def test_rounds_end_whole_gangs_for_whole_gangs():
    tree = sked.Tree("cpu=1")
    queues = [tree.root.add(name, guarantee="50%") for name in "ab"]
    host = sked.Engine(tree)
    how = {"rounds": {"grace": -1},
           "targets": {"per_round": -1, "factor": 1_000_000, "ignored": -1}}
    with pytest.raises(sked.ArgumentError):
        host.preempt(sked.preempt.Preemption(
            rounds={"flags": sked.preempt.RoundOption.LAZY}))
    host.preempt(sked.preempt.Preemption(gangs=1, **how))
    host.apply(sked.Events(tree).node_up(0, 1, [4]).node_up(0, 2, [4])
               .submit(0, 1, queues[0]).submit(0, 2, queues[1])
               .ask(0, 1, 1, [1], 8, gang=True, spread=True))
    host.run_pass(1)
    host.take()
    host.apply(sked.Events(tree).ask(2, 2, 2, [1], 4, gang=True, spread=True,
                                     per_node=2).round(3))
    told = [d for d in host.take() if d.kind == sked.Decide.KILL]
    assert sorted((d.ask, d.node, d.count) for d in told) == [(1, 1, 4), (1, 2, 4)]
    for d in told:
        assert not host.run_pass(4)
        host.apply(sked.Events(tree).killed(4, d.group, d.count))
    host.run_pass(5)
    assert sorted((d.ask, d.node, d.count) for d in host.take()
                  if d.kind == sked.Decide.ALLOCATE) == [(2, 1, 2), (2, 2, 2)]


def test_tags_keep_tasks_apart():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree)
    host.apply(sked.Events(tree).node_up(0, 1, [4]).node_up(0, 2, [4])
               .submit(0, 9, queue).ask(0, 4, 9, [1], 4).tags(0, 4, [7])
               .rule(0, 4, sked.rule.at_most(7, 0)))
    host.run_pass(1)
    assert sorted((d.node, d.count) for d in host.take()
                  if d.kind == sked.Decide.ALLOCATE) == [(1, 1), (2, 1)]


def test_tasks_end_for_their_queue_and_then_for_their_node():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree)
    host.apply(sked.Events(tree).node_up(0, 1, [4]).submit(0, 9, queue)
               .ask(0, 4, 9, [1], 4))
    host.run_pass(1)
    group = next(d.group for d in host.take()
                 if d.kind == sked.Decide.ALLOCATE)
    host.apply(sked.Events(tree).released(2, group, 3))
    assert host.usage(queue) == {"cpu": 1}
    assert host.free_on(1) == {"cpu": 0}
    host.apply(sked.Events(tree).finish(3, group, 3))
    assert host.free_on(1) == {"cpu": 3}


def test_tasks_have_nodes_to_themselves():
    tree = sked.Tree("cpu=1 gpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree)
    host.apply(sked.Events(tree).node_up(0, 1, [4, 1]).node_up(0, 2, [4, 0])
               .node_up(0, 3, [4, 0]).submit(0, 9, queue)
               .ask(0, 4, 9, [1, 0], 2, gang=True, spread=True, per_node=1,
                    exclusive=True)
               .ask(0, 6, 9, [1, 0])
               .ask(0, 5, 9, [1, 0], exclusive=True))
    host.run_pass(1)
    assert [(d.ask, d.node, d.count) for d in host.take()
            if d.kind == sked.Decide.ALLOCATE] == [
                (4, 1, 1), (4, 2, 1), (6, 3, 1)]
    assert host.usage(queue) == {"cpu": 9, "gpu": 1}
    assert sked.Reason.EXCLUSIVE in {b.reason for b in host.explain(9)}
    with pytest.raises(sked.Error):
        host.apply(sked.Events(tree).ask(2, 7, 9, [1, 0], 2, gang=True,
                                         exclusive=True))


def test_tasks_of_a_gang_share_whole_nodes():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree)
    events = sked.Events(tree).submit(0, 9, queue)
    for node in range(1, 4):
        events.node_up(0, node, [8])
    host.apply(events.ask(0, 4, 9, [1], 6, gang=True, spread=True, per_node=4,
                          exclusive=True).ask(0, 5, 9, [1]))
    host.run_pass(1)
    started = [d for d in host.take() if d.kind == sked.Decide.ALLOCATE]
    assert [(d.ask, d.node, d.count) for d in started] == [
        (4, 1, 4), (4, 2, 2), (5, 3, 1)]
    assert host.usage(queue) == {"cpu": 17}
    host.apply(sked.Events(tree).finish(2, started[0].group, 3))
    assert host.usage(queue) == {"cpu": 17}
    assert host.free_on(1) == {"cpu": 0}
    host.apply(sked.Events(tree).finish(3, started[0].group, 1))
    assert host.usage(queue) == {"cpu": 9}
    assert host.free_on(1) == {"cpu": 8}
    with pytest.raises(sked.Error):
        host.apply(sked.Events(tree).ask(4, 7, 9, [1], 6, gang=True,
                                         spread=True, per_node=4, at_once=4,
                                         exclusive=True))


def test_nodes_take_just_so_many_of_an_exact_gang():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree)
    events = sked.Events(tree).submit(0, 9, queue)
    for node, cpu in enumerate([2, 4, 4], 1):
        events.node_up(0, node, [cpu])
    host.apply(events.ask(0, 4, 9, [1], 6, gang=True, spread=True, per_node=3,
                          exact=True))
    host.run_pass(1)
    assert [(d.node, d.count) for d in host.take()
            if d.kind == sked.Decide.ALLOCATE] == [(2, 3), (3, 3)]
    with pytest.raises(sked.Error, match="no multiple of per_node"):
        host.apply(sked.Events(tree).ask(2, 5, 9, [1], 5, gang=True,
                                         spread=True, per_node=3, exact=True))


def test_a_gang_that_forms_keeps_what_comes_free():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree, form_nodes=2, form_for=100)
    host.apply(sked.Events(tree).node_up(0, 1, [4]).node_up(0, 2, [4])
               .submit(0, 9, queue).ask(0, 3, 9, [1], 7)
               .ask(0, 4, 9, [1], 8, gang=True, spread=True)
               .ask(0, 5, 9, [1], 9))
    host.run_pass(0)
    assert {d.ask for d in host.take()} <= {0, 3}
    assert host.counts["form_nodes"] == 1 and host.counts["formings"] == 1
    why = {b.ask: (b.need, b.bound) for b in host.explain(9)
           if b.reason == sked.Reason.FORMING}
    assert why == {4: (8, 1), 5: (4, 1)}
    host.run_pass(100)
    assert [(d.ask, d.node) for d in host.take()] == [(5, 2)]
