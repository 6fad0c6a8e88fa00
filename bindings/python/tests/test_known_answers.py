"""Known answers that are not in the files: what each is about is said in its
test, and the runner has to come to it."""

import json

import pytest


@pytest.fixture
def ends(tmp_path):
    """How cases of one file end: (passed, by rule, unsupported, failed)."""
    from sked.testing.vectors import run

    def judged(file, *cases):
        rows = [{"id": f"c{i}", "source": "made", **case}
                for i, case in enumerate(cases)]
        (tmp_path / file).write_text(json.dumps({"cases": rows}))
        report = run([str(tmp_path)])
        none, passed, by_rule, failed = report.sums()
        assert not failed, report.failed
        return passed, by_rule, none
    return judged


def test_draws_are_no_bounds_of_an_order(ends):
    assert ends("yarn.json", {
        "kind": "random_order", "expect": ["q3", "q1", "q4", "q2", "q0"],
        "input": {"queues": ["q0", "q1", "q2", "q3", "q4"],
                  "draws": [3, 1, 1, 1, 0]}}) == (1, 0, 0)


def test_queues_of_a_tree_say_what_they_like(ends):
    def tree(children, **out):
        return {"kind": "tree", "in": {"total": 10, "root": {
            "name": "r", "children": children}}, "out": out}

    assert ends(
        "fair.json",
        tree([{"name": "a", "demand": 9}, {"name": "b", "max": 3}],
             **{"r": 10, "r/a": 7, "r/b": 3}),
        tree([{"name": "a", "children": [
                  {"name": "x", "w": 0, "demand": 8}]},
              {"name": "b", "demand": 6}],
             **{"r": 10, "r/a": 5, "r/a/x": 0, "r/b": 5})) == (1, 1, 0)


def trace(weight, *steps):
    return {"kind": "leaf_trace", "input": {
        "calculator": "default", "partition": [16384, 32],
        "abs_capacity_percent": 8.5, "abs_max_percent": 100,
        "min_alloc": [1024, 1], "user_limit_percent": 50,
        "user_limit_factor": 2.0, "user_weights": {"u0": weight},
        "order": "fifo", "node_free": [16384, 32], "apps": [
            {"id": 0, "user": "u0", "capability": [4096, 1], "count": 3},
            {"id": 1, "user": "u1", "capability": [1024, 1], "count": 2}]},
        "expect": {"used_memory_per_app_after_each_step": list(steps)}}


def test_users_may_weigh_one_and_a_half(ends):
    assert ends("yarn.json",
                trace(1.5, [4096, 0], [8192, 0], [8192, 1024]),
                trace(1, [4096, 0], [4096, 1024], [4096, 2048])) == (2, 0, 0)
