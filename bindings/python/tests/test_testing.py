"""The tools for schedulers under test, tried on ours and on broken ones."""

import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("hypothesis")
from hypothesis import Phase, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

import sked  # noqa: E402
from sked import plan  # noqa: E402
from sked.testing import (decode, machine, oracle, preempting,  # noqa: E402
                          properties, regressions, strategies)

quick = settings(max_examples=80, deadline=None, derandomize=True)
# Where a failure is wanted, the first one will do.
found = settings(max_examples=500, deadline=None, derandomize=True,
                 database=None, phases=[Phase.generate])


def ours(rounding):
    def share(total, claims):
        return sked.fill(
            total, guarantee=[c.guarantee for c in claims],
            limit=[c.limit for c in claims],
            demand=[c.demand for c in claims],
            weight=[c.weight for c in claims], rounding=rounding).share.tolist()
    return share


@quick
@given(strategies.families(hostile=True))
def test_our_shares_are_the_exact_ones(family):
    total, claims = family
    exact = oracle.largest_remainder(oracle.fair_shares(total, claims))
    assert ours("largest")(total, claims) == exact


@quick
@given(strategies.families())
def test_ours_has_every_property(family):
    properties.check(ours("largest"), *family)
    properties.check(ours("webster"), *family,
                     properties.ALL + properties.WEBSTER)
    properties.check(properties.reference, *family)


BROKEN = {
    "adds_up": lambda t, c: [x - (x > 3) for x in properties.reference(t, c)],
    "within_bounds": lambda t, c: [t] + [0] * (len(c) - 1),
    "wastes_nothing": lambda t, c: [min(x.floor, t) for x in c],
    "near_the_exact": lambda t, c: sorted(properties.reference(t, c)),
    "grows_with_the_total": lambda t, c: properties.reference(
        t if t % 3 else 0, c),
    "wanting_more_gets_no_less": lambda t, c: [
        0 if x.demand % 2 else 1 for x in c],
    "scale_of_weights": lambda t, c: [c[0].weight % 7] * len(c),
    "order_of_rows": lambda t, c: [t] + [0] * (len(c) - 1),
    "nobody_envies": lambda t, c: [0] * (len(c) - 1) + [t],
}


@pytest.mark.parametrize("name", BROKEN)
def test_every_property_can_fail(name):
    @found
    @given(strategies.families())
    def search(family):
        getattr(properties, name)(BROKEN[name], *family)

    with pytest.raises(properties.Violation):
        search()


def test_loops_are_seen():
    properties.no_preemption_loop([{"a": 3, "b": -3}, {"a": 1, "b": -1}])
    with pytest.raises(properties.Violation):
        properties.no_preemption_loop([{"a": 3, "b": -3}, {"a": -1, "b": 1}])


@quick
@given(strategies.trees(hostile=True))
def test_trees_share_out_what_they_have(tree):
    for model in sked.Model:
        shares = tree.fair_shares(model)
        shares.check()
        by_row, up = shares.column(0).tolist(), tree.rows()[0].tolist()
        for row in range(len(by_row)):
            below = sum(by_row[i] for i, p in enumerate(up) if p == row)
            assert below <= by_row[row] <= tree.capacity[0]
    assert sked.Tree.from_text(tree.text).text == tree.text


@quick
@given(strategies.time_units(), st.fractions(Fraction(1, 100), 1))
def test_percentiles_are_the_definition(units, p):
    assert plan.percentile(*units, [p])[0].amount == oracle.percentile(*units, p)


@quick
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1),
       st.integers(0, 3))
def test_dominant_shares_are_the_definition(rows, weight):
    usage, capacity = [u for u, _ in rows], [c for _, c in rows]
    assert sked.drf.standing(usage[:32], capacity[:32], weight).key == (
        sked.drf.INFINITE if (x := oracle.dominant_share(
            usage[:32], capacity[:32], weight)) is None
        else min(x * 2**62 // 1, 2**64 - 3) if x < 4 else
        sked.drf.standing(usage[:32], capacity[:32], weight).key)


TestEngine = machine.EngineMachine.TestCase
TestEngine.settings = settings(max_examples=40, stateful_step_count=40,
                               deadline=None, derandomize=True)


Preempts = preempting.PreemptingMachine.TestCase
Preempts.settings = settings(max_examples=40, stateful_step_count=40,
                             deadline=None, derandomize=True)


class Leaky(sked.Engine):
    """An engine that forgets that tasks ended."""

    def apply(self, events):
        kept = sked.Events(events.tree)
        for at in range(0, len(events.rows), 64):
            row = events.rows[at:at + 64]
            if row[8] != sked.EventKind.TASK_FINISH:
                kept.rows += row
        kept.amounts, kept.offsets, kept.places = (
            events.amounts, events.offsets, events.places)
        super().apply(kept)


def test_the_machine_finds_a_leak():
    class Broken(machine.EngineMachine):
        def make(self, tree):
            return Leaky(tree)

    case = Broken.TestCase
    case.settings = settings(found, stateful_step_count=40)
    with pytest.raises(AssertionError):
        case("runTest").runTest()


class Blind(sked.Engine):
    """An engine that does not know of weights."""

    def __init__(self, tree):
        other = tree.copy()
        for queue in other:
            if queue.parent is not None:
                other.set(queue, weight=1)
        other.commit()
        super().__init__(other)


class Lazy(sked.Engine):
    """An engine that never places a task: nodes beat in vain."""

    def apply(self, events):
        kept = sked.Events(events.tree)
        for at in range(0, len(events.rows), 64):
            if events.rows[at + 8] != sked.EventKind.HEARTBEAT:
                kept.rows += events.rows[at:at + 64]
        kept.amounts, kept.offsets, kept.places = (
            events.amounts, events.offsets, events.places)
        super().apply(kept)


@pytest.mark.parametrize("bad, what", [(Blind, "fair share"),
                                       (Lazy, "and waits|fair share")])
def test_the_machine_finds_unfair_and_idle_managers(bad, what):
    class Bad(machine.EngineMachine):
        def make(self, tree):
            return bad(tree)

    case = Bad.TestCase
    case.settings = settings(found, stateful_step_count=20)
    with pytest.raises(AssertionError, match=what):
        case("runTest").runTest()


def test_a_manager_of_ones_own_passes():
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
    import plain_manager
    assert plain_manager.main() == "passed"


def test_events_are_read_and_decisions_written():
    tree = sked.Tree("cpu=1 gpu=1")
    queue = tree.root.add("q")
    events = (sked.Events(tree).node_up(5, 7, "cpu=3,gpu=1", rack=2)
              .submit(6, 8, queue, user=4, priority=-1)
              .ask(6, 9, 8, "cpu=2", 3, places=[7, 11], gang=True))
    up, job, ask = decode.decode(events)
    assert (up.kind, up.key, up.owner, up.amount) == (
        sked.EventKind.NODE_UP, 7, 2, (3, 1))
    assert (job.queue, job.owner, job.priority) == (queue.id, 4, -1)
    assert (ask.owner, ask.count, ask.amount, ask.places) == (8, 3, (2, 0),
                                                              (7, 11))
    assert ask.flags == sked.EventFlag.GANG
    made = decode.decisions([decode.Decision(5, sked.Decide.ALLOCATE, 8, 9, 7,
                                             1, 3, queue.id)])
    assert [(d.sequence, d.kind, d.node, d.count) for d in made] == [
        (1, sked.Decide.ALLOCATE, 7, 3)]
    assert list(decode.decisions([])) == []


def test_known_bugs_of_others_are_not_ours(capsys):
    assert regressions.run() == []
    assert len({case.url for case in regressions.CASES}) >= 15
    assert regressions.main([]) == 0
    assert capsys.readouterr().out.endswith(" passed, 0 failed\n")
    assert regressions.main(["no.such:thing"]) == 2


@pytest.mark.parametrize("make, least", [
    (lambda tree, preempting: Lazy(tree), 15),
    (lambda tree, preempting: sked.Engine(tree), 8),
    (lambda tree, preempting: None, 18)])
def test_the_suite_fails_what_is_bad(make, least):
    failed = regressions.run(make)
    assert len(failed) >= least
    assert all(one.case.url in str(one) for one in failed)


def test_the_machine_finds_a_kill_without_a_word():
    class Rude(preempting.PreemptingMachine):
        def make(self, tree):
            engine = sked.Engine(tree)
            engine.preempt(sked.preempt.Preemption(
                targets={"per_round": -1, "factor": 1_000_000},
                rounds={"grace": -1}))
            return engine

    case = Rude.TestCase
    case.settings = settings(found, stateful_step_count=40)
    with pytest.raises(AssertionError, match="stopped before its time"):
        case("runTest").runTest()


def test_the_machine_sees_every_kind_of_decision():
    seen = set()

    class Watching(preempting.PreemptingMachine):
        def book(self, d):
            seen.add(sked.Decide(d.kind).name)
            super().book(d)

    case = Watching.TestCase
    wanted = {"NOTIFY", "KILL", "WITHDRAW", "RESERVE", "REQUEUE", "LOST"}
    for steps in (50, 60, 70, 80):  # what is drawn is not the same everywhere
        case.settings = settings(Preempts.settings, max_examples=150,
                                 stateful_step_count=steps)
        case("runTest").runTest()
        if wanted <= seen:
            break
    assert wanted <= seen


def test_a_planted_bug_is_found():
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
    import find_a_bug
    violation = find_a_bug.find()
    assert isinstance(violation, properties.Violation)
    total, claims = 10, [oracle.Claim(demand=1), oracle.Claim()]
    assert find_a_bug.their_share(total, claims) == [1, 5]
    assert properties.reference(total, claims) == [1, 9]


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.from_type(sked.Tree))
def test_hypothesis_knows_trees(tree):
    assert len(tree) >= 2


@settings(max_examples=40, deadline=None, derandomize=True)
@given(strategies.jobs(["root.a", "root.b"]))
def test_runs_serve_everybody(rows):
    tree = sked.Tree.from_text("kinds cpu=1\nroot\nroot.a\nroot.b\n")
    sim = sked.Sim(tree, sked.Jobs.of(tree, rows), [sked.Nodes(2, [4])])
    assert sim.run()
    assert sim.total.tasks_finished == sum(row["tasks"] for row in rows)


def test_known_answers_come_in_several_forms(tmp_path, capsys):
    from sked.testing.vectors import main
    case = {"kind": "percentile", "in": {"units": [[9, 4], [1, 7]], "num": 9,
                                         "den": 10}, "out": {"value": 4}}
    wrong = dict(case, id="w", out={"value": 5})
    (tmp_path / "fair-a.json").write_text(json.dumps([case, wrong]))
    (tmp_path / "fair-b.json").write_text(json.dumps({"cases": [case, {}]}))
    (tmp_path / "fair-c.json").write_text(json.dumps({"about": "nothing"}))
    (tmp_path / "fair-d.jsonl").write_text(
        "\n" + json.dumps(dict(case, note="\u2028"), ensure_ascii=False) +
        "\n\n" + json.dumps(wrong) + "\n")
    counts = tmp_path / "out" / "counts.json"
    counts.parent.mkdir()
    assert main([str(tmp_path), "--json", str(counts)]) == 1
    assert {file["file"]: [(k["passed"], k["failed_ids"])
                           for k in file["kinds"]]
            for file in json.loads(counts.read_text())["files"]} == {
        "fair-a.json": [(1, ["w"])], "fair-b.json": [(1, [])],
        "fair-d.jsonl": [(1, ["w"])]}
    (tmp_path / "fair-e.json").write_text('{"cases": [')
    assert main([str(tmp_path)]) == 2
    assert "fair-e.json: " in capsys.readouterr().err
