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


def test_nodes_that_an_ask_names_are_one_demand(ends):
    assert ends("yarn.json", {
        "kind": "fs_visited", "expect": [True, False, False, True], "input": {
            "nodes": {"n1": "/r", "n2": "/r"},
            "visit_in_order": ["n1", "/r", "*", "n2"]}}) == (0, 1, 0)


def vectors_of(cluster, want, *queues):
    names = ("path", "capacity", "max_capacity")
    return {"kind": "capacity_vector", "expect": {"effective_min": want},
            "input": {"cluster": cluster, "types": ["memory", "vcores"],
                      "queues": [dict(zip(names, q)) for q in queues]}}


def test_capacities_are_at_most_their_maximum(ends):
    assert ends(
        "yarn.json",
        vectors_of([102400, 100], {"root.a": [34133, 50],
                                   "root.b": [51200, 25]},
                   ("root.a", ["0.5w", "50%"]),
                   ("root.b", ["1w", "25%"], ["50%", "50"])),
        vectors_of([1000, 10], {"root.a": [500, 1], "root.b": [500, 6]},
                   ("root.a", ["900", "30%"]), ("root.b", ["900", "6"])),
        vectors_of([1000, 10], {"root.a": [0, 0], "root.b": [700, 5]},
                   ("root.a", ["0%", "1w"]), ("root.b", ["70%", "1w"]))) \
        == (3, 0, 0)


def test_floats_of_single_precision_are_known(ends):
    assert ends(
        "yarn.json",
        vectors_of([10000, 100], {"root.a": [3329, 30]},
                   ("root.a", ["33.3%", "30"])),
        {"kind": "fs_am_share", "expect": [2656, 0], "input": {
            "fair_share": [13275, 0], "max_share": [14641, 4],
            "available": [0, 0], "max_am_share": 0.2}}) == (0, 2, 0)


def test_masters_without_a_factor_share_nothing(ends):
    def limit(factor, user, calculator="default"):
        return {"kind": "am_limit", "input": {
            "calculator": calculator, "partition": [1966080, 1],
            "queue_effective_capacity": [1024, 1],
            "queue_current_limit": [1966080, 1], "max_am_percent": 0.5,
            "min_alloc": [512, 1], "user_limit_percent": 50,
            "user_limit_factor": factor, "active_user_counts": [1]},
            "expect": {"queue_am_memory": 983040,
                       "user_am_memory_1_active": user}}

    assert ends("yarn.json", limit(5.0, 2560), limit(-1, 512),
                limit(5.0, 983040, "dominant")) == (2, 1, 0)


def test_waits_by_chances_have_no_word(ends):
    looks = {"kind": "fs_locality", "expect": ["rack"], "input": {
        "cluster_nodes": 10, "ops": [*[["opportunity"]] * 9,
                                     ["ask", 0.2, 0.2]]}}
    assert ends("yarn.json", looks) == (0, 0, 1)


def test_of_nothing_used_no_kind_is_dominant(ends):
    assert ends("yarn.json", {"kind": "drf_ratios", "input": {
        "used": [0, 0], "cluster": [4, 4], "weight": 1.0},
        "expect": {"ratios": [0.0, 0.0], "dominant": 0}}) == (0, 1, 0)


def heartbeats(options, *allocated):
    n = len(allocated)
    return {"kind": "fs_trace", "expect": {
        "allocated": [["app01"] * k for k in allocated]}, "input": {
        "resource_types": ["memory", "vcores"], "cluster": [8192, 8],
        "queues": [{"path": "root"}, {"path": "root.default"}],
        "apps": [{"id": "app01", "queue": "root.default", "start": 1,
                  "asks": [{"capability": [1024, 1], "count": 12}]}],
        "nodes": {"n1": [8192, 8]}, "heartbeats": ["n1"] * n,
        "options": options}}


def test_heartbeats_start_as_many_as_is_said(ends):
    plain = {"multiple": True, "dynamic": False}
    assert ends("yarn.json",
                heartbeats({"multiple": True}, 5, 2, 1),  # half of what is free: not there
                heartbeats({}, 1, 1),
                heartbeats({**plain, "max_assign": 3}, 3, 3, 2),
                heartbeats({**plain, "max_assign": -1}, 8, 0),
                heartbeats([{**plain, "max_assign": 2}, {},
                            {**plain, "max_assign": -1}], 2, 1, 5)) == (4, 0, 1)


def test_weights_that_32_bits_cannot_have_exactly(ends):
    unbounded = 2 ** 63 - 1

    def item(weight, most=unbounded):
        return {"weight": weight, "min": [0, 0], "max": [most, most]}

    assert ends("yarn.json", {"kind": "fair_share", "input": {
        "types": ["memory", "vcores"], "type": "memory",
        "total": [236397680750, 0],
        "items": [item(100.0, 0), item(1.0), item(3.0), item(0.1)]},
        "expect": [0, 57657972736, 172973918208, 5765797359]}) == (0, 1, 0)


def test_users_that_are_active_have_a_limit(ends):
    def limit(weight, held, bound, factor=10.0):
        return {"kind": "user_limit", "expect": {"user_limit_memory": bound},
                "input": {"calculator": "default", "partition": [102400, 32],
                          "queue_capacity": [25178, 20],
                          "min_alloc": [1024, 1], "users_usage_ratio_sum": 1.0,
                          "active_users_used": [held, 1],
                          "active_weight_sum": weight, "user_limit_percent": 1,
                          "user_limit_factor": factor,
                          "queue_max_rounded_down": [102400, 32]}}

    assert ends("yarn.json", limit(2.0, 6744, 4096), limit(1.5, 6744, 6144),
                limit(1.0, 6744, 8192), limit(1.0, 102400, 102400, -1)) \
        == (4, 0, 0)


def preemption(queues, ask, **more):
    rows = [{"path": p, "policy": "fair", **q} for p, q in queues.items()]
    nodes = [{"id": n, "rack": "/r", "total": [4096, 4]} for n in ("n1", "n2")]
    return {"input": {
        "resource_types": ["memory", "vcores"], "cluster": [8192, 8],
        "scheduler_calculator": "dominant", "queues": rows, "nodes": nodes,
        "apps": [{"id": "app1", "queue": "root.a", "start": 1, "asks": []},
                 {"id": "app2", "queue": "root.b", "start": 2, "asks": [ask]}],
        "running": [{"app": "app1", "node": n["id"], "resource": [1024, 1],
                     "count": 4} for n in nodes]}, "kind": "fs_preempt", **more}


def test_queues_have_weights_and_ways_to_give(ends):
    passed = {"fair_timeout_passed": True, "fair_threshold": 1.0}
    ask = {"capability": [1024, 1], "count": 8}
    assert ends(
        "yarn.json",
        preemption({"root": {}, "root.a": {"weight": 3.0}, "root.b": passed},
                   ask, expect={"victims_per_node": {"n1": 2},
                                "greedy_left": 6}),
        preemption({"root": {}, "root.a": {"allow_preemption_from": False},
                    "root.b": passed}, ask,
                   expect={"victims_per_node": {}, "greedy_left": 8}),
        preemption({"root": {}, "root.a": {},
                    "root.b": {"min": [4096, 4], "min_timeout_passed": True}},
                   {"capability": [2048, 2], "count": 3},
                   expect={"victims_per_node": {"n1": 2}, "greedy_left": 6})) \
        == (2, 1, 0)


def test_pools_of_which_nothing_goes_and_updates_that_turned_back(ends):
    assert ends(
        "peloton.json",
        {"kind": "preempt_rank", "expect": [], "in": {
            "tasks": [], "nonslack_to_free": {"cpu": 1}}},
        {"kind": "update_run", "expect": {"state": "ROLLED_BACK"}, "in": {
            "state": "ROLLING_BACKWARD", "total": 7, "failed_now": 3,
            "done_now": 4, "max_failure_instances": 0,
            "rollback_on_failure": True}}) == (2, 0, 0)


def test_leaves_are_blocked_when_their_next_task_does_not_fit(ends):
    leaf = {"use": [0], "left": None}
    served = {"use": {"r/n1/n11": [5], "r/n2/n21": [2], "r/n2/n22": [3]},
              "first_pick": "r/n1/n11"}
    assert ends("fair.json", {
        "kind": "hdrf", "out": {"hdrf": served}, "in": {
            "capacity": [10], "root": {"name": "r", "w": 1, "children": [
                {"name": "n1", "w": 1, "children": [
                    {"name": "n11", "w": 1, "d": [1], **leaf}]},
                {"name": "n2", "w": 1, "children": [
                    {"name": "n21", "w": 3, "d": [1], **leaf},
                    {"name": "n22", "w": 1, "d": [3], **leaf}]}]}}}) \
        == (1, 0, 0)


def test_hosts_are_kept_for_others_or_refuse_for_several_reasons(ends):
    offer = {"cpu": 5, "memory": 5, "disk": 5, "gpu": 0}

    def host(expect, **given):
        return {"kind": "host_match", "in": {"offer": offer, **given},
                "expect": expect}

    large, no = {"need": {"cpu": 7}}, {"constraint_result": "NO"}
    assert ends(
        "peloton.json",
        host("MISMATCH_STATUS", status="RESERVED"),
        host("MISMATCH_STATUS", status="RESERVED", **large),
        host("MISMATCH_STATUS", status="HELD", **large),
        host("INSUFFICIENT_OFFER_RESOURCES", **large),
        host("INSUFFICIENT_OFFER_RESOURCES", **large, **no)) == (3, 2, 0)
