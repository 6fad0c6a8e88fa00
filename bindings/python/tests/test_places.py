"""Where asks would like to run, and for how long."""

import pytest

import sked

ZONE = 1


def three_zones(hooks=None) -> tuple[sked.Tree, sked.Engine]:
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree, hooks=hooks)
    events = sked.Events(tree).submit(0, 9, queue)
    for node in (1, 2, 3):
        events.node_up(0, node, [2], attributes={ZONE: node})
    host.apply(events)
    host.take()
    return tree, host


def starts(host: sked.Engine, tree: sked.Tree, time: int, node: int) -> int:
    host.apply(sked.Events(tree).heartbeat(time, node))
    return sum(d.count for d in host.take()
               if d.kind == sked.Decide.ALLOCATE)


def test_racks_and_nodes_have_counts():
    tree, host = three_zones()
    host.apply(sked.Events(tree).node_up(1, 4, [4], rack=7)
               .node_up(1, 5, [4], rack=7).ask(1, 5, 9, [1], 6)
               .would_like(1, 5, {4: 1}, strict=True).would_like_racks(1, 5, {7: 3}))
    assert starts(host, tree, 2, 1) == 0  # strict by rack
    assert starts(host, tree, 2, 4) == 3  # one by node, two more by rack
    assert starts(host, tree, 2, 5) == 0
    host.apply(sked.Events(tree).would_like(3, 5, []).would_like_racks(3, 5, []))
    assert starts(host, tree, 3, 1) == 2


def test_a_node_moves_with_what_runs_there():
    tree, host = three_zones()
    host.apply(sked.Events(tree).ask(1, 5, 9, [1], 3, partition=0))
    assert starts(host, tree, 1, 1) == 2
    host.apply(sked.Events(tree).node_move(2, 1, 3))
    assert [host.usage(tree.root, p)["cpu"] for p in (0, 3)] == [0, 2]


def test_soft_rules_are_dropped_in_time():
    tree, host = three_zones()
    host.apply(sked.Events(tree).ask(0, 5, 9, [1], 6)
               .prefer(0, 5, sked.rule.equal(ZONE, 3), 2, until=20)
               .prefer(0, 5, sked.rule.equal(ZONE, 2), until=30))
    assert starts(host, tree, 1, 2) == 0  # zone 3 weighs more
    assert starts(host, tree, 1, 3) == 2
    assert starts(host, tree, 20, 1) == 0  # now zone 2 is what it would like
    assert starts(host, tree, 20, 2) == 2
    host.apply(sked.Events(tree).prefer(21, 5, None))
    assert starts(host, tree, 21, 1) == 2
    with pytest.raises(sked.Error):
        host.apply(sked.Events(tree).prefer(
            22, 5, sked.rule.equal(ZONE, 3), until=22))


def test_engines_ask_no_host():
    tree, host = three_zones()
    host.apply(sked.Events(tree).ask(0, 5, 9, [1], 9))
    before = host.state_digest
    with pytest.raises(sked.StateError, match="asks the host"):
        host.apply(sked.Events(tree).rule(0, 5, sked.rule.host_says(17)))
    assert host.state_digest == before


def test_rules_are_judged_with_answers_of_the_host():
    rule = sked.rule.host_says(17) | sked.rule.equal(ZONE, 1)
    for said, answer in ((True, "YES"), (False, "NO"), (None, "NO")):
        assert sked.rule.judge(rule, node={}, host={17: said}).name == answer
    assert sked.rule.judge(sked.rule.host_says(17), host={17: None}).name == "PASS"
    with pytest.raises(sked.ArgumentError):
        sked.rule.judge(rule, node={ZONE: 1})
