"""Planning, preemption and routing from Python."""

import json
import os
import random
import subprocess
import sys
from array import array
from fractions import Fraction

import pytest

import sked
from sked import plan, preempt, report, route


def by_definition(lengths, amounts, p):
    """The smallest amount that covers at least p of the time in use."""
    used = [(a, n) for n, a in zip(lengths, amounts) if a > 0 and n > 0]
    whole = sum(n for _, n in used)
    for amount in sorted({a for a, _ in used}):
        part = sum(n for a, n in used if a <= amount)
        if part >= p * whole:
            return amount, Fraction(part, whole)
    return 0, Fraction(0, 1)


def test_percentiles_are_those_of_the_definition():
    draw = random.Random(3)
    for _ in range(200):
        n = draw.randrange(1, 40)
        lengths = [draw.randrange(0, 9) for _ in range(n)]
        amounts = [draw.randrange(0, 6) for _ in range(n)]
        wanted = [Fraction(1, 2), 0.95, "0.8", 1]
        got = plan.percentile(lengths, amounts, wanted)
        for p, a in zip(wanted, got):
            want = by_definition(lengths, amounts, plan.exact(p))
            assert (a.amount, a.covered) == want
        history = plan.History()
        history.units(lengths, amounts)
        assert history.percentile(thresholds=wanted) == got
        assert history.total().usage == sum(
            n * a for n, a in zip(lengths, amounts))
        history.check()
        again, digest = plan.History(), history.digest
        again.units(lengths, amounts)
        assert again.digest == digest
        again.units([1], [1])
        assert again.digest != digest


def test_many_queues_at_once():
    points, totals = plan.percentiles([1, 2, 3, 4], [5, 6, 7, 8], [1, 0.5],
                                      [0, 2, 2, 4])
    assert points.field("amount") == [6, 6, 0, 0, 8, 8]
    assert totals.field("peak") == [6, 0, 8]
    with pytest.raises(sked.ArgumentError):
        plan.percentiles([1, 2], [3, 4], [1], [0, 3])
    with pytest.raises(ValueError):
        plan.percentiles([1, 2], [3], [1])
    with pytest.raises(sked.RangeError):
        plan.percentile([1], [1], [Fraction(3, 2)])


def test_a_history_forgets():
    history = plan.History(2, 2, instance=[2, 4], keep=True)
    history.intervals([0, 5, 5], [10, 15, 20], [4, 4, 2, 8, 2, 2],
                      queue=[0, 0, 1])
    history.settle(12)
    assert history.standing()["clock"] == 12 and history.standing()["open"] == 1
    assert history.kept(0)[0].tolist() == [5, 5, 2]
    assert history.work(0)[0] == [4 * 10 + 2 * 7, 4 * 10 + 8 * 7]
    history.forget(5)
    assert history.curve(0)[1].tolist()[-1] == 7
    with pytest.raises(sked.StateError):
        history.intervals([3], [4], [1, 1])


def test_objectives_and_repairs():
    slo, flow = [10, 10], [0, 0, 1, 1]
    start, end = [0, 0, 0, 0], [9, 10, 9, 30]
    seen = plan.objectives(slo, flow, start, end)
    assert seen.outcome.tolist() == [plan.Objective.SUCCESSFUL,
                                     plan.Objective.FAILED]
    assert seen.tiers[0].workflows == 2 and seen.tiers[0].successful == 1
    found = plan.repairs(slo, flow, start, end, work=[9, 10, 9, 60])
    assert [(r.workflow, r.missing, r.extra) for r in found] == [(1, 1, 4)]


def test_tiers_and_a_plan_of_queues():
    assert plan.thresholds(900_000, 920_000).tolist() == [
        900_000, 910_000, 920_000]
    history = plan.History(2)
    history.units([50, 30, 20] * 2, [10, 20, 40, 5, 6, 9],
                  [0, 0, 0, 1, 1, 1])
    found, points = plan.plan_tiers(history, [1, 2], [500_000] * 2,
                                    [1_000_000] * 2)
    assert found.outcome == plan.TiersOutcome.OK and len(points) == 2
    assert found.threshold_ppm[0] >= found.threshold_ppm[1]
    tree = sked.Tree("cpu=1")
    tree.root.add("old")
    jobs = plan.PlanJobs([["ads", "ads", "ml"]], tier=[1, 3, 3])
    leaf, first, _ = plan.leaves(jobs)
    made = sked.Plan(tree, jobs, [7, 3, 2])
    assert {c.op for c in made} == {plan.PlanOp.ADD, plan.PlanOp.REMOVE}
    assert "+ root.ads" in str(made) and len(leaf) == 3 and len(first) == 3
    made.apply(tree)
    tree.commit()
    assert tree["root.ads"].get("weight") == 10 and "root.old" not in tree
    assert plan.tier_settings(3)[0][0] == "tier1"
    with pytest.raises(ValueError):
        sked._core.plan_leaves({"n": 2}, [([0, 1], b"a")], None)
    with pytest.raises(TypeError):
        sked._core.plan_leaves({"nonsense": 2}, [], None)


def test_victims_are_few_and_verified():
    problem = preempt.Problem({
        "kinds": 1, "n_queues": 2, "n": 4, "usage": [9, 1], "share": [5, 5],
        "need": [4], "queue": [0, 0, 0, 1], "amount": [1, 3, 4, 1],
        "cost": [1, 5, 2, 1]}, rank={"priority": [1, 2, 3, 4]})
    chosen = problem.select()
    assert [v.row for v in chosen.victims] == [2] and chosen.cost == 2
    assert chosen.outcome == preempt.PreemptOutcome.COVERED
    assert chosen.after.tolist() == [[5], [1]]
    problem.verify(chosen.victims)
    spare = preempt.VICTIM.struct.pack(3, 1, 2**32 - 1, 1, 1)
    with pytest.raises(sked.ConfigError):
        problem.verify(bytes(chosen.victims.column) + spare)
    assert preempt.rank(2, keys=[preempt.RankKey.HOST], host=[9, 3]) == [1, 0]
    assert len(preempt.preset(preempt.RankPreset.CAPACITY)) > 2


def test_gangs_over_nodes_are_placed_as_wholes():
    def select(count, per_node):
        problem = preempt.Problem({
            "kinds": 1, "n_queues": 2, "n": 4, "n_nodes": 2, "n_requests": 1,
            "usage": [4, 0], "share": [1, 3], "queue": [0] * 4,
            "amount": [1] * 4, "node": [0, 0, 1, 1], "cost": [1, 2, 3, 4],
            "request_queue": [1], "request_amount": [1],
            "request_count": [count], "request_per_node": [per_node]})
        chosen = problem.select()
        problem.verify(chosen.victims, chosen.placements)
        return sorted(v.row for v in chosen.victims), chosen.outcome

    assert select(2, 1) == ([0, 2], preempt.PreemptOutcome.COVERED)
    assert select(2, 2) == ([0, 1], preempt.PreemptOutcome.COVERED)
    assert select(3, 1) == ([], preempt.PreemptOutcome.SEARCHED)


def test_targets_round_by_round():
    tree = sked.Tree.from_text(
        "kinds cpu=1\nroot\nroot.a guarantee=cpu=5\nroot.b guarantee=cpu=5\n")
    ledger = sked.Ledger(tree)
    a, b = tree["root.a"], tree["root.b"]
    ledger.set("usage", {a: [10]})
    ledger.set("demand", {a: [10], b: [5]})
    target = preempt.Target(factor=1_000_000, per_round=-1)
    target.compute(tree, [10], 0, ledger=ledger)
    take = target.column(preempt.TargetColumn.TAKE)
    assert take.tolist() == [[0], [5], [0]]
    with pytest.raises(BufferError):
        target.compute(tree, [10], 1, ledger=ledger)
    del take
    assert target.total(preempt.TargetTotal.NEED).tolist() == [5]
    flags = preempt.TargetReason(target.reasons()[1])
    assert preempt.TargetReason.GIVES in flags
    assert target.copy().digest == target.digest
    assert target.clock(b)[2] == 0
    target.check()
    once = preempt.target_once(
        {"kinds": 1, "n": 3, "parent": [-1, 0, 0], "capacity": [10],
         "guarantee": [0, 5, 5], "usage": [0, 10, 0], "demand": [0, 10, 5]},
        options={"factor": 1_000_000, "per_round": -1})
    assert once["take"].tolist() == [[0], [5], [0]]
    share, keep = preempt.user_targets([10], [8, 1], demand=[8, 8])
    assert share.tolist() == [[10], [10]] or share[0][0] <= 10
    assert keep.shape == (2, 1)


def test_targets_go_by_what_the_caller_says():
    bounds = {"share": [0, 7, 3], "claim": [0, 7, 3], "keep": [0, 8, 4]}
    queues = {"kinds": 1, "n": 3, "parent": [-1, 0, 0], "capacity": [10],
              "guarantee": [0, 5, 5], "usage": [0, 10, 0],
              "demand": [0, 10, 5]}
    eager = {"factor": 1_000_000, "per_round": -1}
    once = preempt.target_once(queues, clocks=bounds, options=eager)
    assert once["take"].tolist() == [[0], [2], [0]]
    assert once["claim"][2].tolist() == [3] and once["owed"][2].tolist() == [3]
    tree = sked.Tree.from_text(
        "kinds cpu=1\nroot\nroot.a guarantee=cpu=5\nroot.b guarantee=cpu=5\n")
    target = preempt.Target(**eager)
    target.compute(tree, [10], 0, usage=queues["usage"],
                   demand=queues["demand"], **bounds)
    for which, name in ((preempt.TargetColumn.TAKE, "take"),
                        (preempt.TargetColumn.CLAIM, "claim")):
        assert target.column(which).tolist() == once[name].tolist()
    with pytest.raises(sked.ArgumentError):
        target.compute(tree, [10], 1, usage=queues["usage"], share=[0, 7, 3])


def test_routes_are_those_of_the_arrays():
    snapshot = route.Snapshot(3, [10, 8, 9, 9, 2, 2], [1, 8, 5, 5, 2, 2],
                              id=[7, 8, 9])
    router = sked.Router(2)
    router.replace(snapshot)
    one = router.route(2, [1, 1, 4, 4])
    assert one == route.route(snapshot, 2, [1, 1, 4, 4], kinds=2)
    assert one.field("cluster") == [8, 8] and one[0].runner_up in (7, 9)
    charged = router.charge(2, [4, 4, 4, 4])
    assert charged.field("cluster")[0] == 8
    assert router.available(8).tolist() != [5, 5]
    router.update(route.Snapshot(1, [9, 9], [9, 9], id=[8]))
    router.remove(7)
    router.check()
    assert router.clusters.tolist() == [8, 9] and router.digest
    for bad in ({"shape_from": [0, 2, 1, 3], "shapes": [1] * 6},
                {"shape_from": [0, 1, 2, 9], "shapes": [1] * 6}):
        with pytest.raises(ValueError):
            router.replace(route.Snapshot(3, [1] * 6, [1] * 6, **bad))


def test_percentile_is_the_program_of_the_project(tmp_path):
    units = tmp_path / "units.csv"
    units.write_text("key,length_s,amount\na,10,3\na,5,8\nb,2,1\n")
    words = [str(units), "--json"]
    said = subprocess.run([sys.executable, "-m", "sked", "percentile", *words],
                          capture_output=True, check=True).stdout
    assert {row["key"] for row in json.loads(said)} == {"a", "b"}
    theirs = os.environ.get("SKED_REPLAY", "").replace("replay", "percentile")
    if not theirs or not os.path.exists(theirs):
        pytest.skip("SKED_REPLAY names the C programs to compare with")
    assert said == subprocess.run([theirs, *words], capture_output=True,
                                  check=True).stdout


def test_columns_of_every_width_are_taken():
    assert preempt.rank(3, keys=array("i", [preempt.RankKey.STATE]),
                        state=bytes([2, 0, 1])).tolist() == [1, 2, 0]


def test_what_to_reserve():
    plan_ = plan.reserved([6, 4], [10, 20], Fraction(1, 2))
    assert (plan_.cheapest.amount, plan_.window, plan_.exceeded) == (10, 10, 4)
    assert plan_.none.cost == 6 * 10 + 4 * 20 and plan_.peak.cost == 100
    history = plan.History()
    history.units([6, 4], [10, 20])
    assert history.reserved(0.5) == plan_
    first, length, amount = plan.units_of(
        plan.RecordForm.INTERVALS, [1] * 8, n=4, queues=2, kinds=2,
        queue=[1, 0, 0, 0], start=[0, 1, 2, 3], end=[9, 5, 6, 7])
    assert first.tolist()[-1] == len(length) == len(amount)


def test_a_report_says_what_to_do():
    said = report.report(window=10, instances=10, instance=[1], tiers=1,
                         tier=[1], allocation=[9], used=[95], usage=[95])
    assert said.action == report.Action.GROW and said.by > 0
    assert said.ratio_ppm.tolist()[0][0] == 950_000
    change, tiers = report.compare({"key": [1, 2], "tier": [1, 2]},
                                   {"key": [2, 3], "tier": [1, 1]})
    assert change.tolist() == [report.Flow.NEW, report.Flow.RETIERED]
    assert tiers[0].gone == 1


def test_workflows_move_between_clusters():
    problem = {"kinds": 1, "clusters": 2, "workflows": 2,
               "capacity": [10, 10], "usage": [6, 6], "home": [0, 0],
               "zone": [0, 1], "instance": [1, 1]}
    said = report.balance(problem)
    assert sorted(said.cluster) == [0, 1] and len(said.moves) == 1
    assert said.after <= said.before and said.bound <= said.after
    assert report.split(problem).stranded is not None
    gone, tiers = report.evacuate(problem, 0)
    assert sorted(gone) == [1, report.NOWHERE] and tiers[0].asked == 2
    with pytest.raises(ValueError):
        report.balance({**problem, "usage": [6]})


def test_advice_leads_to_a_tree():
    tree = sked.Tree("cpu=1")
    n = 40
    jobs = plan.PlanJobs([["ads" if i % 2 else "ml" for i in range(n)]],
                         tier=[1 + i % 3 for i in range(n)],
                         start=[i * 10 for i in range(n)],
                         end=[i * 10 + 25 for i in range(n)], window=(0, 500))
    plain = plan.Advice(tree, jobs, [2] * n, [1], 100)
    assert plain.total.outcome == plan.TiersOutcome.RATIOS and not str(plain)
    advice = plan.Advice(tree, jobs, [2] * n, [1], 100, anyway=True)
    assert advice.total.leaves == 6
    assert "+ root.ads" in str(advice) and len(advice.changes) >= 6
    leaf = advice.leaf(0)
    assert leaf.point.amount >= 2 and leaf.total.peak >= 2
    made = advice.tree
    advice.apply(tree)
    assert tree.text == made.text and "root.ads" in tree


def proving(n=40):
    """A tree where everybody shares one queue, and advice that parts them."""
    tree = sked.Tree.from_text("kinds cpu=1\nroot\nroot.all\nroot.other\n")
    names = plan.PlanJobs([["ads" if i % 2 else "ml" for i in range(n)]],
                          tier=[1 + i % 2 for i in range(n)], tiers=2,
                          start=[i * 10 for i in range(n)],
                          end=[i * 10 + 25 for i in range(n)],
                          window=(0, 500))
    advice = plan.Advice(tree, names, [2] * n, [1], 100, anyway=True)
    jobs = sked.Jobs(submit=[i * 10**9 for i in range(n)],
                     run=[5 * 10**9] * n, amounts=[2] * n,
                     queue=[tree["root.all"].id] * n)
    given = {"workflow": [i % 2 for i in range(n)], "tier": [1, 2],
             "slo": [9 * 10**9] * n}
    return tree, advice, jobs, names, given


def test_advice_is_proved_by_a_replay():
    tree, advice, jobs, names, given = proving()
    nodes = [sked.Nodes(3, [2])]
    proof = advice.prove(tree, jobs, names, nodes, **given)
    before, after = proof.before, proof.after
    assert before.jobs == after.jobs == 40
    assert before.unfinished == after.unfinished == 0
    assert [r.workflows for r in before.tiers][:3] == [1, 1, 0]
    assert sum(r.runs for r in after.tiers) == 40
    assert before.delays[0].n == before.delays[1].n == 20
    assert before.digest != after.digest
    # The side of the tree in force is the plain simulation of it.
    run = sked.Sim(tree, jobs, nodes)
    run.run()
    assert run.total.digest == before.digest and run.total.end == before.end
    # Room for all: everybody meets the objective.
    wide = advice.prove(tree, jobs, names, [sked.Nodes(99, [2])], **given)
    assert wide.after.met(1) == wide.after.met(2) == 1
    assert wide.after.met(3) is None


def test_a_proof_refuses_what_does_not_fit():
    tree, advice, jobs, names, given = proving()
    nodes = [sked.Nodes(3, [2])]

    def prove(**other):
        advice.prove(tree, jobs, names, nodes, **{**given, **other})

    for bad in ({"workflow": [0]}, {"slo": [1, 2]}):
        with pytest.raises(ValueError):
            prove(**bad)
    for bad in ({"workflow": [7] * 40}, {"slo": [0] * 40}, {"tier": [0, 1]}):
        with pytest.raises(sked.RangeError):
            prove(**bad)
    with pytest.raises(ValueError):
        prove(options=sked.Options(multiplier=2))
    jobs.queue = [tree.root.id] * 40
    with pytest.raises(sked.StaleError):
        prove()


def test_a_proof_stops_where_the_advice_is_told_to():
    stop = sked.Cancel()
    tree, _, jobs, names, given = proving()
    hooks = sked.Hooks()
    hooks.cancel = stop
    advice = plan.Advice(tree, names, [2] * 40, [1], 100, anyway=True,
                         hooks=hooks)
    stop.set()
    with pytest.raises(sked.Cancelled):
        advice.prove(tree, jobs, names, [sked.Nodes(3, [2])], **given)


def test_runs_are_folded_from_jobs():
    start, end, work, jobs = plan.runs_of(2, [1, 1], [3, 1], [4, 9],
                                          work=[5, 2**70])
    assert (start[1], end[1], work[1], jobs.tolist()) == (1, 9, 2**70 + 5,
                                                          [0, 2])


def test_the_example_of_a_proof_runs(capsys):
    import runpy
    from conftest import ROOT
    runpy.run_path(str(ROOT / "bindings/python/examples/prove_advice.py"),
                   run_name="__main__")
    said = capsys.readouterr().out
    assert "+ root.ads" in said
    met = dict(line.split(": ") for line in said.splitlines()
               if line.startswith("tier 1 "))
    assert met["tier 1 before"] == "0 of 1" and met["tier 1 after"] == "1 of 1"
