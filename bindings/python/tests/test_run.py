"""The engine, the simulator, and runs that others carry."""

import json
import os
import subprocess
import sys
from array import array
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from multiprocessing import get_context

import pytest

import sked
from sked import drf, order, sim


def small():
    tree = sked.Tree.from_text(
        "kinds cpu=m memory=B\nroot\nroot.a weight=2\nroot.b\nroot.b.c\n"
        "root.b.d limit=\"cpu=4\"\n")
    jobs = sked.Jobs.of(tree, [
        {"queue": name, "submit_s": i, "run_s": 30 + i, "tasks": 1 + i % 5,
         "amount": {"cpu": 1000 * (1 + i % 2), "memory": 1 << 30}}
        for i, name in enumerate(["root.a", "root.b.c", "root.b.d"] * 20)])
    return tree, jobs, [sked.Nodes(2, "cpu=8,memory=32GiB")]


def test_a_run_adds_up():
    tree, jobs, nodes = small()
    run = sked.Sim(tree, jobs, nodes, sked.Options(sample_every=10**10))
    seen = []
    assert run.run(lambda records: seen.extend(records)) is True
    total = run.total
    assert total.jobs == 60 == total.jobs_finished and total.rejected == 0
    finished = sum(r.count for r in seen if r.kind == sked.Decide.FINISH)
    assert finished == total.tasks_finished == total.tasks
    assert [r.sequence for r in seen] == list(range(1, len(seen) + 1))
    root = run.fared(tree.root)
    assert root.work["cpu"] == sum(
        jobs.run[i] * jobs.tasks[i] * jobs.amounts[2 * i] for i in range(60))
    assert run.fared(tree["root.b.d"]).peak["cpu"] <= 4000
    assert len(run.delays) == 60 and min(run.delays) >= 0
    assert len(run.samples(tree.root, "cpu")) > 3
    assert run.table()["jobs"].tolist()[0] == 60
    with pytest.raises(sked.StateError):
        run.run()


def test_tasks_start_where_their_data_lie():
    tree = sked.Tree.from_text("kinds cpu=m\nroot\nroot.a\n")
    jobs = sked.Jobs.of(tree, [{"queue": "root.a", "run_s": 100, "tasks": 6,
                                "amount": {"cpu": 1000}}])
    jobs.place_offsets, jobs.place = array("i", [0, 2]), array("I", [0, 1])
    jobs.place_tasks, jobs.transfer = array("I", [2, 4]), array("q", [5 * 10**10])
    wait = sked.Options(engine={"node_delay": 30 * 10**9})
    for options, local in ((wait, 6), (None, 2)):
        run = sked.Sim(tree, jobs, [sked.Nodes(3, "cpu=10")], options)
        run.run()
        assert (run.total.local, run.total.transfers) == (local, 6 - local)
        assert run.fared(tree.root).work["cpu"] == 1000 * 10**9 * (
            600 + 50 * (6 - local))
    jobs.place_offsets = array("i", [0, 3])
    with pytest.raises(ValueError):
        sked.Sim(tree, jobs, [sked.Nodes(3, "cpu=10")])
    jobs.place_offsets, jobs.place = array("i", [0, 2]), array("I", [0, 9])
    with pytest.raises(sked.RangeError):
        sked.Sim(tree, jobs, [sked.Nodes(3, "cpu=10")])


def test_a_run_in_stretches_is_the_run():
    tree, jobs, nodes = small()
    whole, cut = sked.Sim(tree, jobs, nodes), sked.Sim(tree, jobs, nodes)
    whole.run()
    assert cut.run_until(20 * 10**9)
    used, waits = cut.usage(tree.root)
    assert used["cpu"] > 0 and waits["memory"] >= 0
    assert cut.run() and cut.total == whole.total
    other = sked.Sim(tree, jobs, nodes)
    other.run_until(1)
    other.withdraw(59)
    with pytest.raises(sked.NotFoundError):
        other.withdraw(0)
    other.run()
    assert other.delays[59] == -1 and other.total.jobs_finished == 59


def test_what_a_watcher_raises_ends_the_run():
    tree, jobs, nodes = small()
    run = sked.Sim(tree, jobs, nodes)

    def watch(records):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        run.run(watch)


def same_runs(executor):
    tree, jobs, nodes = small()
    factors = [1, Fraction(3, 2), 2]
    here = sked.sweep(tree, jobs, nodes, factors)
    there = sked.sweep(tree, jobs, nodes, factors, executor=executor)
    assert here == there and len({r.total.digest for r in here}) == 3


def test_the_largest_cluster_within_a_target():
    """A scheduler that takes 0.4 s a task has 800 s to do in a day of 1,000 s,
    and too much from 1.25 times that on, whatever nodes there are."""
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("a")
    tree.commit()
    jobs = sked.Jobs.of(tree, [
        {"queue": queue, "submit_s": 5 * i, "run_s": 20, "tasks": 10,
         "amount": "cpu=1"} for i in range(200)])
    case = sked.Case(tree, jobs, [sked.Nodes(30, "cpu=10")], sked.Options(
        cost_task=400_000_000))
    sizes = [2, 1, Fraction(3, 2), Fraction(11, 10)]
    best, table = sim.largest(case, 60 * sim.SECOND, sizes)
    assert best == Fraction(11, 10)
    assert table["size"].tolist() == [1, 1.1, 1.5, 2]
    assert table["nodes"].tolist() == [30, 33, 45, 60]
    delays = table["p95_ns"].tolist()
    assert delays[1] <= 60 * sim.SECOND < delays[2] < delays[3]
    assert sim.largest(case, 1, sizes)[0] is None
    assert sim.largest(case, delays[3], sizes)[0] == 2
    with pytest.raises(ValueError, match="needs a size"):
        sim.largest(case, 1, [])


def test_a_thread_pool_carries_a_sweep():
    with ThreadPoolExecutor(2) as pool:
        same_runs(pool)


def test_a_process_pool_carries_a_sweep():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        same_runs(pool)


def test_a_distributed_engine_carries_a_sweep():
    if os.environ.get("SKED_TEST_DASK") != "1":
        pytest.skip("SKED_TEST_DASK=1 runs it on Dask's local cluster")
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True,
            dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        same_runs(client.get_executor())


def test_threads_of_the_library_change_nothing():
    tree, jobs, nodes = small()

    def runs():
        return [sked.Sim(tree, jobs, nodes, sked.Options(seed=s))
                for s in range(4)]

    one, many = runs(), runs()
    assert sim.run_all(one) == sim.run_all(many, threads=3) == [True] * 4
    assert [s.total for s in one] == [s.total for s in many]
    with pytest.raises(ValueError):
        sim.run_all([one[0], one[0]])


def test_an_engine_explains_and_refuses():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q", limit={"cpu": 5})
    host = sked.Engine(tree, confirm_within=100)
    events = sked.Events(tree).node_up(0, 1, [8]).node_up(0, 2, [8])
    host.apply(events.submit(0, 9, queue, user=3).ask(0, 4, 9, [3], 2))
    host.name_user(3, "eve")
    assert host.run_pass(1) is False
    taken = list(host.take())
    assert [d.kind for d in taken] == [sked.Decide.ADMIT, sked.Decide.ALLOCATE]
    assert host.why(9) == ["ask 4: limit of a queue at root.q: needs 6 of cpu, "
                           "there is 5"]
    host.apply(sked.Events(tree).refuse(2, taken[1].group))
    assert host.usage(queue) == {"cpu": 0} and host.pending(queue) == {"cpu": 6}
    assert host.free_on(1) == {"cpu": 8}
    host.check()
    with pytest.raises(sked.NotFoundError) as error:
        host.apply(sked.Events(tree).tick(3).heartbeat(3, 77))
    assert error.value.row == 1
    with pytest.raises(sked.ExistsError):
        host.apply(sked.Events(tree).node_up(3, 1, [8]))
    for bad in (b"12345", bytes(65)):
        with pytest.raises(ValueError):
            host.apply_rows(bad)
    with pytest.raises(ValueError):
        host.apply_rows(bytes(64), offsets=array("i", [0, 9]))
    assert host.counts["events"] >= 5 and host.digest and host.state_digest


def test_a_blocked_engine_says_how_far_it_came():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree, max_untaken=2)
    events = sked.Events(tree).node_up(0, 1, [9])
    for job in range(1, 6):
        events.submit(0, job, queue)
    with pytest.raises(sked.BlockedError) as error:
        host.apply(events)
    assert 0 < error.value.done < len(events) and len(host.take()) == 2


def test_drf_as_in_the_paper():
    tasks, left = drf.allocate([9, 18], [1, 4, 3, 1], [9, 18])
    assert (tasks, left) == ([3, 2], [0, 4])
    clients = sked.Drf([9, 18])
    slots = clients.insert_rows([11, 12])
    for _ in range(3):
        slot = clients.next()
        clients.charge(slot, [[1, 4], [3, 1]][slot])
    assert clients.list() == [1, 0] and len(clients) == clients.active == 2
    assert clients.standing(0).share == Fraction(4, 9)
    assert clients.slot(12) == slots[1] and clients.slot(99) is None
    clients.activate_rows(slots, [0, 1])
    assert clients.pop(5).tolist() == [1] and clients.next() is None
    clients.update_rows(slots, [1, 1, 2, 2])
    clients.weight_rows(slots, [1, 5])
    assert clients.usage(1) == [2, 2]
    clients.check()
    clients.remove_rows(slots)
    with pytest.raises(sked.NotFoundError):
        clients.standing(0)
    assert drf.complaints([9, 18], [3, 12, 6, 2], [1, 4, 3, 1],
                          full=2).tolist() == []
    assert drf.order([9], [5, 1, 3]).tolist() == [1, 2, 0]
    level, rest = drf.level([9, 18], [1, 4, 3, 1])
    assert level.tolist() == pytest.approx([3, 2])


def test_copies_of_an_order_draw_alike():
    tree = sked.Tree("cpu=1")
    tree.root.set(order="random")
    a, b = tree.root.add("a", weight=2), tree.root.add("b")
    a.demand = b.demand = [9]
    turns = sked.Order(seed=3)
    turns.check()
    start = turns.digest
    twin = turns.copy()
    served = [[order.next(tree, tree.ledger, [10], tree.root).name
               for _ in range(60)] for order in (turns, twin)]
    assert served[0] == served[1] and set(served[0]) == {"a", "b"}
    assert turns.digest == twin.digest != start


def test_orders_by_share_and_guarantees_first():
    tree = sked.Tree("cpu=1")
    tree.root.set(order="share")
    a, b = tree.root.add("a"), tree.root.add("b", guarantee=[9])
    a.demand = b.demand = [9]
    a.usage, b.usage = [1], [3]
    turns, first = sked.Order(), sked.Order(flags=order.GUARANTEE_FIRST)
    with pytest.raises(sked.ArgumentError, match="share"):
        turns.next(tree, tree.ledger, [10], tree.root)
    rows = [0, 0, 0]
    rows[a.row], rows[b.row] = 5, 5
    assert turns.list(tree, tree.ledger, [10], tree.root, share=rows) == [a, b]
    assert first.next(tree, tree.ledger, [10], tree.root, share=rows) == b
    asked = {"usage": [1, 3], "guarantee": [0, 9], "share": [5, 5]}
    assert order.children("share", 2, **asked)[0].tolist() == [0, 1]
    found, keys = order.children("share", 2, flags=order.GUARANTEE_FIRST,
                                 **asked)
    assert found.tolist() == [1, 0] and keys.tolist()[0] == [0, 2**62 // 3]


def test_replay_is_the_program_of_the_project():
    said = subprocess.run(
        [sys.executable, "-m", "sked", "replay", "--quiet", "--json", "-"],
        capture_output=True, check=True)
    result = json.loads(said.stdout)
    assert result["result"]["jobs_finished"] > 0
    program = os.environ.get("SKED_REPLAY")
    if not program:
        pytest.skip("SKED_REPLAY names the C program to compare with")
    theirs = json.loads(subprocess.run(
        [program, "--quiet", "--json", "-"], capture_output=True,
        check=True).stdout)
    result.pop("speed"), theirs.pop("speed")
    assert json.dumps(result) == json.dumps(theirs)


def test_commands(tmp_path, capsys):
    from sked.commands import main
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text("kinds cpu=m\nroot\nroot.a weight=3\nroot.b\n")
    bad.write_text("root\nroot.a weight=x\nroot.b zz=1\n")
    assert main(["validate", str(good)]) == 0
    assert main(["validate", str(bad)]) == 1
    said = capsys.readouterr().out
    assert "bad:2:" in said and "bad:3:" in said
    assert main(["validate", str(tmp_path / "none")]) == 2
    assert main(["explain", str(good), "root.a", "--capacity", "cpu=10",
                 "--demand", "root.a:cpu=20", "--demand", "root.b:cpu=9"]) == 0
    assert "root.a: 7.5, bound by none" in capsys.readouterr().out
    assert main(["explain", str(good), "root.z", "--capacity", "cpu=1"]) == 2
    assert main([]) == 2 and main(["nonsense"]) == 2
    assert main(["--version"]) == 0


def test_every_command_is_listed(capsys):
    from sked.commands import main, names
    assert {"replay", "percentile", "explain", "validate"} <= set(names())
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    for name in names():
        assert f"\n  {name} " in listed
    assert main(["_files"]) == 2 and main(["../validate"]) == 2


def test_gzipped_input_is_read(tmp_path):
    import gzip
    work = tmp_path / "w.csv.gz"
    work.write_bytes(gzip.compress(
        b"submit_s,run_s,queue,tasks,cpu,job_id\n0,5,q,2,1,a\n"))
    said = subprocess.run(
        [sys.executable, "-m", "sked", "replay", "--quiet", "--json", "-",
         str(work)], capture_output=True, check=True)
    assert json.loads(said.stdout)["workload"]["tasks"] == 2


@pytest.mark.once
def test_known_answers(vectors, tmp_path, capsys):
    from sked.testing.vectors import main
    counts = tmp_path / "counts.json"
    assert main([vectors, "--json", str(counts)]) == 0
    said = json.loads(counts.read_text())
    kinds = [k for file in said["files"] for k in file["kinds"]]
    assert sum(k["passed"] + k["by_rule"] for k in kinds) >= 2582
    assert all(not k["failed_ids"] for k in kinds)
    said = capsys.readouterr().out
    assert "VECTORS: " in said and "unknown-kind" not in said


def test_a_wrong_known_answer_fails(tmp_path, capsys):
    from sked.testing.vectors import main
    case = {"kind": "ratio", "id": "r", "in": {"total": 10, "queues": [
        {"lo": 0, "hi": 10, "w": 1}, {"lo": 0, "hi": 10, "w": 1}]},
        "out": {"webster": [6, 4], "leftover": 0, "status": "ok",
                "level": "5"}}
    (tmp_path / "fair.json").write_text(json.dumps({"cases": [case]}))
    assert main([str(tmp_path)]) == 1
    assert "FAILED fair.json ratio r: fill: share[0] is 5, not 6" in \
        capsys.readouterr().out
    case["out"]["webster"] = [5, 5]
    (tmp_path / "fair.json").write_text(json.dumps({"cases": [case]}))
    assert main([str(tmp_path)]) == 0
    case["kind"] = "nobody-knows"
    (tmp_path / "fair.json").write_text(json.dumps({"cases": [case]}))
    assert main([str(tmp_path)]) == 0
    assert "unknown-kind" in capsys.readouterr().out
    assert main([str(tmp_path / "none")]) == 2


def test_a_run_preempts():
    from sked import preempt
    tree = sked.Tree.from_text(
        "kinds cpu=1\nroot\nroot.a guarantee=cpu=5\nroot.b guarantee=cpu=5\n")
    jobs = sked.Jobs.of(tree, [
        {"queue": "root.a", "run_s": 1000, "tasks": 10, "amount": {"cpu": 1}},
        {"queue": "root.b", "submit_s": 50, "run_s": 10, "tasks": 5,
         "amount": {"cpu": 1}}])
    nodes = [sked.Nodes(1, [10])]
    plain = sked.Sim(tree, jobs, nodes)
    plain.run()
    how = preempt.Preemption(targets={"per_round": -1, "factor": 1_000_000})
    taken = sked.Sim(tree, jobs, nodes, sked.Options(preempt=how))
    taken.run()
    assert plain.total.killed == 0 < taken.total.killed
    assert taken.lost_work["cpu"] > 0 and taken.total.rounds > 0
    slow, fast = (s.fared(tree["root.b"]).delay.max for s in (plain, taken))
    assert fast < slow
    same = sked.sweep(tree, jobs, nodes, [1], sked.Options(preempt=how))
    assert same[0].total == taken.total
    host = sked.Engine(tree)
    host.preempt(how)
    host.apply(sked.Events(tree).node_up(0, 1, [10]).round(5))
    host.preempt(None)


def test_contracts_say_what_is_asked_of_a_job():
    from sked import preempt
    tree = sked.Tree.from_text(
        "kinds cpu=1\nroot\nroot.a guarantee=cpu=5\nroot.b guarantee=cpu=5\n")
    host = sked.Engine(tree)
    host.preempt(preempt.Preemption(
        targets={"per_round": -1, "factor": 1_000_000},
        rounds={"grace": 10}))
    host.apply(sked.Events(tree).node_up(0, 1, [10])
               .submit(0, 1, tree["root.a"]).submit(0, 2, tree["root.b"])
               .ask(0, 1, 1, [1], 10).heartbeat(0, 1).ask(1, 2, 2, [1], 3)
               .round(2))
    amounts, notices = host.contract(1)
    assert amounts == {"cpu": 3} and len(notices) == 1
    assert (notices[0].count, notices[0].deadline) == (3, 12)
    host.apply(sked.Events(tree).round(12))
    assert host.contract(1)[0] == {"cpu": 0}
    amounts, notices = host.contract(1, preempt.Contract.STRICT)
    assert amounts == {"cpu": 3} and notices[0].task == 7
    host.apply(sked.Events(tree).killed(14, notices[0].group, 3)
               .heartbeat(14, 1))
    assert host.usage(tree["root.b"]) == {"cpu": 3}
    with pytest.raises(sked.NotFoundError):
        host.contract(9)


def test_the_pages_show_what_runs(capsys):
    import re
    from conftest import ROOT
    pages = [ROOT / "README.md", ROOT / "bindings/python/README.md"]
    if not pages[0].exists():
        pytest.skip("no pages here")
    printed = []
    for page in pages:
        code = re.search(r"```python\n(.*?)```", page.read_text(), re.S)[1]
        exec(compile(code, str(page), "exec"), {})
        printed.append(capsys.readouterr().out)
    wants = [re.search(r"prints\n\n```\n(.*?)```", page.read_text(), re.S)[1]
             for page in pages]
    assert printed == wants


@pytest.mark.parametrize("kind, expect", [
    ("fs_trace", {"allocated": [["app01"], []]}),
    ("fs_max_apps", [{"add": 0, "runnable": True},
                     {"add": 1, "runnable": True}]),
    ("fs_locality_time", ["node", "off"]),
    ("fs_parse_resource", [1, 2])])
def test_a_story_told_wrongly_fails(kind, expect, tmp_path, capsys):
    """Each adapter of a story can fail, and says where."""
    from sked.testing.vectors import main
    story = {
        "fs_trace": {"cluster": [4, 4], "queues": [
            {"path": "root"}, {"path": "root.q"}], "apps": [
                {"id": "app01", "queue": "root.q", "start": 1, "asks": [
                    {"capability": [1, 1], "count": 2}]}],
            "nodes": {"n": [4, 4]}, "heartbeats": ["n", "n"]},
        "fs_max_apps": {"queue_limits": {"root": 1, "root.q": None},
                        "user_limits": {}, "ops": [
            {"op": "add", "id": i, "queue": "root.q", "user": "u",
             "start": 0} for i in range(2)]},
        "fs_locality_time": {"node_delay_ms": 5, "rack_delay_ms": 5,
                             "ops": [0, 2]},
        "fs_parse_resource": {"text": "1 mb, 3 vcores", "cluster": [9, 9],
                              "types": ["memory", "vcores"]}}[kind]
    case = {"kind": kind, "id": "s", "input": story, "expect": expect}
    (tmp_path / "yarn.json").write_text(json.dumps({"cases": [case]}))
    status = main([str(tmp_path)])
    said = capsys.readouterr().out
    assert status == 1 and f"FAILED yarn.json {kind} s: py_" in said


def test_asks_say_how_many_tasks_have_their_data_on_a_node():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    engine = sked.Engine(tree, node_delay=10**9)
    events = sked.Events(tree)
    for node in (1, 2, 3):
        events.node_up(0, node, {"cpu": 8})
    events.submit(0, 1, queue).ask(0, 1, 1, {"cpu": 1}, 8,
                                    places={1: 2, 2: 1, 3: 9})
    events.ask(0, 2, 1, {"cpu": 1}, 2, places=[3], gang=True)
    for node in (1, 2, 3):
        events.heartbeat(1, node)
    engine.apply(events)
    began = [(d.ask, d.node, d.count) for d in engine.take()
             if d.kind == sked.Decide.ALLOCATE]
    assert began == [(1, 1, 2), (1, 2, 1), (1, 3, 5), (2, 3, 2)]
    with pytest.raises(sked.ArgumentError, match="not counted by place"):
        engine.apply(sked.Events(tree).ask(2, 3, 1, {"cpu": 1}, 2, gang=True,
                                           places={1: 2}))
    with pytest.raises(sked.RangeError, match="place_tasks"):
        engine.apply(sked.Events(tree).ask(2, 3, 1, {"cpu": 1},
                                           places={1: 1 << 31}))


def test_a_run_has_the_shape_of_its_simulation():
    """`queues` and `table` are the same of both, and a notebook shows them."""
    tree, jobs, nodes = small()
    one = sim.run_case(sim.Case(tree, jobs, nodes, sked.Options()))
    with sked.Sim(tree, jobs, nodes) as two:
        assert "not run yet" in two._repr_html_()
        two.run()
        assert one.queues == two.queues and one.total == two.total
        assert one.queues["root.b.c"] == two.fared(tree["root.b.c"])
        assert list(one.table().rows()) == list(two.table().rows())
        assert one._repr_html_() == two._repr_html_()
    assert "<td>root.b.c</td>" in one._repr_html_()
    assert repr(one) == "<Run of 60 jobs in 5 queues: 60 finished>"


def test_preemption_leaves_what_a_job_promised():
    from sked import preempt
    tree = sked.Tree.from_text(
        "kinds cpu=1\nroot\nroot.a guarantee=cpu=5\nroot.b guarantee=cpu=5\n")
    engine = sked.Engine(tree)
    engine.preempt(preempt.Preemption(
        targets={"per_round": -1, "factor": 1_000_000, "ignored": -1},
        rounds={"grace": -1}))
    engine.apply(sked.Events(tree).node_up(0, 1, {"cpu": 10})
                 .submit(0, 1, tree["root.a"]).ask(0, 1, 1, {"cpu": 1}, 10)
                 .heartbeat(0, 1).least_running(0, 1, 7)
                 .submit(1, 2, tree["root.b"]).ask(1, 2, 2, {"cpu": 1}, 8)
                 .round(10**9))
    killed = [d.count for d in engine.take() if d.kind == sked.Decide.KILL]
    assert sum(killed) == 3
