"""What queues were doing between any two events of a run: causes of waits, times
below a share, nodes that ran nothing; exact, by hand-made cases."""

import pytest

pytest.importorskip("numpy")

import sked  # noqa: E402
from sked.reporting import cluster, states  # noqa: E402


def run_of(tree, rows, nodes, gang=False, until=0):
    """A run of jobs on nodes, and what its queues were doing."""
    jobs = sked.Jobs.of(tree, rows)
    kinds = len(tree.schema)
    nodes = [sked.Nodes(n.count, list(tree.schema.vec(n.amount)))
             for n in nodes]
    made = cluster.Cluster(nodes, cluster.total(nodes, kinds),
                           [cluster.TOLD] * kinds, "", gang)
    log = states.Log()
    sim = sked.Sim(tree, jobs, nodes, sked.Options(
        heartbeat=0, gang=gang, until=until))
    sim.run(log)
    return sim, states.states(tree, jobs, made, sim, log, until)


def test_causes_are_exact():
    """Two queues on one node of 4 cores and 4 units of memory: `b` holds all
    cores from 0 to 100 s while `a` waits from 10 s on."""
    tree = sked.Tree("cpu=1 memory=1")
    a, b = tree.root.add("a"), tree.root.add("b")
    tree.commit()
    sim, said = run_of(tree, [
        {"queue": b, "run_s": 100, "tasks": 4, "amount": "cpu=1"},
        {"queue": a, "submit_s": 10, "run_s": 5, "amount": "cpu=1"},
        {"queue": b, "submit_s": 10, "run_s": 5, "amount": "cpu=1"}],
        [sked.Nodes(1, "cpu=4,memory=4")])
    assert said.parts("root.a") == {
        "limit": 0, "below_share": 1, "cluster_full": 0, "does_not_fit": 0,
        "order": 0}
    assert said.parts("root.b")["cluster_full"] == 1
    assert said.below["root.a"] == 90 * 10**9 == sim.delays[1]
    assert said.line == [(0, 0), (10 * 10**9, 2), (100 * 10**9, 0)]
    assert said.idle == [105 * 10**9, 0]
    assert said.held == {"root.a": [0, 0], "root.b": [4, 0]}  # up to 10 s
    assert said.stretches == []  # 90 s is under 15 min


def test_every_kind_that_lacks_counts():
    """Cores are free, memory is not: of that others hold a part of the share."""
    tree = sked.Tree("cpu=1 memory=1")
    a, b = tree.root.add("a"), tree.root.add("b")
    tree.commit()
    _, said = run_of(tree, [
        {"queue": b, "run_s": 2000, "tasks": 4, "amount": "memory=1"},
        {"queue": a, "submit_s": 1, "run_s": 5, "amount": "cpu=1,memory=2"}],
        [sked.Nodes(1, "cpu=40,memory=4")])
    assert said.parts("root.a")["below_share"] == 1
    first, = said.stretches
    assert (first.path, first.kind, first.holder) == ("root.a", "memory",
                                                      "root.b")
    assert (first.start, first.end) == (10**9, 2000 * 10**9)
    assert first.lack == 2


def test_nothing_is_held_by_others_where_none_has_more_than_its_share():
    """One queue alone, 3 cores of 64 too few for the next task: full, though
    the queue has less than its share, which is all of it."""
    tree = sked.Tree("cpu=1")
    a = tree.root.add("a")
    tree.commit()
    _, said = run_of(tree, [
        {"queue": a, "run_s": 100, "amount": "cpu=61"},
        {"queue": a, "submit_s": 1, "run_s": 5, "amount": "cpu=4"}],
        [sked.Nodes(1, "cpu=64")])
    assert said.parts("root.a")["cluster_full"] == 1
    assert said.below["root.a"] == 99 * 10**9


def test_places_and_limits_are_told_apart():
    tree = sked.Tree("cpu=1")
    a = tree.root.add("a", limit={"cpu": 3})
    b = tree.root.add("b")
    c = tree.root.add("c", max_running=1)
    tree.commit()
    _, said = run_of(tree, [
        {"queue": b, "run_s": 50, "tasks": 2, "amount": "cpu=6"},
        {"queue": b, "submit_s": 1, "run_s": 50, "amount": "cpu=6"},
        {"queue": a, "submit_s": 0, "run_s": 50, "amount": "cpu=2"},
        {"queue": a, "submit_s": 2, "run_s": 50, "amount": "cpu=2"},
        {"queue": c, "submit_s": 0, "run_s": 50, "amount": "cpu=1"},
        {"queue": c, "submit_s": 3, "run_s": 50, "amount": "cpu=1"}],
        [sked.Nodes(2, {"cpu": 11})])
    assert said.parts("root.b")["does_not_fit"] == 1
    assert said.parts("root.a")["limit"] == 1
    assert said.parts("root.c")["limit"] == 1


def test_a_run_that_was_stopped_ends_there():
    """What goes on when a run is stopped counts up to then."""
    tree = sked.Tree("cpu=1")
    a, b = tree.root.add("a"), tree.root.add("b")
    tree.commit()
    second = 10**9
    _, said = run_of(tree, [
        {"queue": b, "run_s": 9000, "tasks": 4, "amount": "cpu=1"},
        {"queue": a, "submit_s": 10, "run_s": 5, "amount": "cpu=1"}],
        [sked.Nodes(1, "cpu=4")], until=2000 * second)
    first, = said.stretches
    assert (first.start, first.end) == (10 * second, 2000 * second)
    assert said.idle == [2000 * second, 0]
    assert sum(said.causes["root.a"]) == 1990 * second


def test_gangs_need_all_of_it():
    """Four cores are free on two nodes, four on neither: a gang of four does
    not fit, and says so."""
    tree = sked.Tree("cpu=1")
    a, b = tree.root.add("a"), tree.root.add("b")
    tree.commit()
    _, said = run_of(tree, [
        {"queue": b, "run_s": 50, "tasks": 4, "amount": "cpu=1"},
        {"queue": b, "run_s": 50, "tasks": 4, "amount": "cpu=1"},
        {"queue": a, "submit_s": 1, "run_s": 5, "tasks": 4,
         "amount": "cpu=1"}], [sked.Nodes(2, "cpu=6")], gang=True)
    assert said.parts("root.a")["does_not_fit"] == 1


def test_columns_that_do_not_fit_together_are_refused():
    from sked import _core
    tree = sked.Tree("cpu=1")
    tree.root.add("a")
    tree.commit()
    with pytest.raises(ValueError, match="do not fit"):
        _core.states(tree._handle, None, {"kinds": 1})
