"""What the report advises, and what of it the replay has shown."""

import random
from fractions import Fraction

import pytest

pytest.importorskip("matplotlib", reason="libsked[plot] is missing")
pytest.importorskip("jinja2", reason="libsked[report] is missing")

import sked  # noqa: E402
from sked import reporting  # noqa: E402
from sked.reporting import (  # noqa: E402
    candidates, cluster, given, runs, search, whatif)

HEAD = "submit_s,start_s,end_s,user,group,queue,tasks,cpu,mem_bytes,gpu,job_id"


def burdened(path, hogs=True):
    """Six days: one user's long jobs in front of many short ones."""
    lines = [HEAD]
    draw = random.Random(3)
    for day in range(6):
        for i in range(6 if hogs else 0):
            lines.append(f"{day * 86400 + i},,,hog,g,q,400,1,,,h{day}-{i};"
                         "run=300")
        for i in range(60):
            lines.append(f"{day * 86400 + 10 + i * 40},,,u{i % 5},g,q,1,1,,,"
                         f"s{day}-{i};run={draw.randrange(20, 60)}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_what_helps_is_found_and_proved(tmp_path):
    """Short jobs wait behind one user's long ones in a queue served first
    come, first served: another order inside the queue is the cure."""
    facts = reporting.gather(reporting.Wanted(
        burdened(tmp_path / "w.csv"), nodes=("4 x cpu=10",),
        sweep=(Fraction(1),)))
    proof = facts.searched.proved
    assert proof is not None and proof.sure > 0.9
    assert proof.late_after < proof.late_before // 4
    assert proof.all_after <= proof.all_before
    assert {c.setting for c in facts.searched.changes} == {"apps"}
    assert "Change this" in reporting.page(facts)
    again = runs.simulate(facts.wanted, facts.given, facts.cluster,
                          facts.searched.tree, facts.kind)
    assert whatif.late_of(again.delays, facts.wanted.target) == proof.all_after


def test_what_does_not_help_is_not_advised(tmp_path):
    facts = reporting.gather(reporting.Wanted(
        burdened(tmp_path / "w.csv", hogs=False), nodes=("1 x cpu=2",),
        target=1, sweep=(Fraction(1),)))
    found = facts.searched
    assert found.proved is None and found.why and found.tree is None
    assert "Keep the settings that you have" in reporting.page(facts)
    assert reporting.data(facts)["advice"] is None


def test_a_change_must_win_on_most_days():
    assert search.resampled([5, 4, 6, 5, 3]) == (1.0, (18, 27))
    sure, (low, high) = search.resampled([40, -9, -9, -9, -9])
    assert sure < search.SURE and low < 0 < high
    said = search.Proof("", 10, 5, 4, 5, 4, 0.5, (0, 1), 0, {}, "", 0)
    assert "resampled" in said.why_not
    later = search.Proof("", 10, 5, 4, 5, 4, 1.0, (0, 1), 0, {}, "", 0, 10, 11)
    assert "end later" in later.why_not
    more = search.Proof("", 10, 5, 4, 5, 6, 1.0, (0, 1), 0, {}, "", 0)
    assert "whole history" in more.why_not


def test_taking_nodes_away_costs_what_runs_there():
    """Ten nodes, each with one task of 100 s: halfway it takes 50 s to drain
    one, and killing it loses 50 s of its work."""
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    tree.commit()
    jobs = sked.Jobs.of(tree, [{"queue": queue, "run_s": 100, "tasks": 10,
                                "amount": "cpu=1"},
                               {"queue": queue, "submit_s": 100, "run_s": 1,
                                "amount": "cpu=1"}])
    nodes = [sked.Nodes(10, "cpu=1")]
    watched, held = sked.pictures.Watched(), given.Given(
        "", "", given.Mode.JOBS, tree, 2, {}, [], 0, {}, frozenset(), jobs)
    with sked.Sim(tree, jobs, nodes, sked.Options(heartbeat=0)) as sim:
        sim.run(watched)
        ran = runs.Outcome(sim.total, {}, {}, sim.delays.tolist(),
                           watched.tasks(), watched.tasks())
    said = whatif.removal(held, cluster.Cluster(
        nodes, [10], [cluster.TOLD], ""), ran, "cpu")
    assert said.nodes == 1 and said.killed == 1
    assert said.lost / 1e9 == pytest.approx(50, rel=0.02)
    assert said.drain_p50 / 1e9 == pytest.approx(50, rel=0.05)


def test_users_take_turns_only_where_a_queue_has_several():
    tree = sked.Tree("cpu=1")
    a, b = tree.root.add("a"), tree.root.add("b")
    tree.commit()

    def has(users):
        jobs = sked.Jobs.of(tree, [{"queue": q, "run_s": 1, "amount": "cpu=1",
                                    "user": user} for q, user in users])
        return candidates.has_users(given.Given(
            "", "", given.Mode.JOBS, tree, 2, {}, [], 0, {}, frozenset(),
            jobs))

    assert not has([(a, 1), (b, 2), (a, 1)])
    assert has([(a, 1), (b, 2), (a, 2)])
