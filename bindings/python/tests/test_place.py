"""A node for each ask, by the mode of the ask or of the call."""

import pytest

import sked


def started(engine):
    return [(d.ask, d.node, d.count) for d in engine.take()
            if d.kind == sked.Decide.ALLOCATE]


def world():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree)
    host.apply(sked.Events(tree).node_up(0, 1, [4]).node_up(0, 2, [2])
               .node_up(0, 3, [8]).submit(0, 9, queue))
    return tree, host


def test_each_ask_has_its_node():
    tree, host = world()
    host.apply(sked.Events(tree)
               .ask(1, 1, 9, [1], place=sked.PlaceMode.PACK)
               .ask(1, 2, 9, [1], place=sked.PlaceMode.SPREAD)
               .ask(1, 3, 9, [1]))
    assert host.place(1) is False
    assert started(host) == [(1, 2, 1), (2, 3, 1), (3, 1, 1)]


def test_scores_are_of_one_call_and_of_nodes_that_are_there():
    tree, host = world()
    host.apply(sked.Events(tree).ask(1, 1, 9, [1], 3))
    assert host.place(1, sked.PlaceMode.SCORE, 1, scores={2: 5}) is True
    assert started(host) == [(1, 2, 1)]
    assert host.place(1, sked.PlaceMode.SCORE) is False
    assert started(host) == [(1, 1, 2)]
    with pytest.raises(sked.NotFoundError):
        host.place(2, sked.PlaceMode.SCORE, scores={7: 1})
    with pytest.raises(sked.ArgumentError):
        host.place(2, 6)


def test_the_next_time_is_when_a_wait_or_a_proposal_ends():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree, confirm_within=60)
    assert host.next_time is None
    host.apply(sked.Events(tree).node_up(0, 1, [4]).submit(0, 9, queue)
               .ask(5, 1, 9, [1], 3))
    assert host.run_pass(7) is False
    assert host.next_time == 67
    assert host.run_pass(66) is False
    assert started(host) == [(1, 1, 3)]
    host.run_pass(67)
    assert [d.kind for d in host.take()] == [sked.Decide.EXPIRE,
                                             sked.Decide.ALLOCATE]


def test_nodes_may_be_reserved_while_a_gang_forms():
    tree = sked.Tree.from_text("kinds cpu=m\nroot\nroot.a\n")
    jobs = sked.Jobs.of(tree, [
        {"queue": "root.a", "submit_s": i, "run_s": 7, "tasks": tasks,
         "amount": {"cpu": 1000}}
        for i, tasks in enumerate([8] + [1] * 3 + [8] + [1] * 200)])
    wait = []
    for engine in ({}, {"form_nodes": 2}, {"form_nodes": 2, "form_for": 1}):
        run = sked.Sim(tree, jobs, [sked.Nodes(2, "cpu=4")],
                       sked.Options(gang_over=0, engine=engine))
        run.run()
        wait.append(run.delays[4])
    assert wait[1] < wait[0] and wait[1] < wait[2]
