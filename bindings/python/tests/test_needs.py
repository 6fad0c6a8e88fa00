"""Jobs with rules, and nodes with attributes."""

from array import array

import pytest

import sked
from sked import rule


def company():
    return sked.Tree.from_text("kinds cpu=m\nroot\nroot.a\n")


def ran_on(run):
    """The nodes on which each job's tasks were started."""
    seen = {}
    run.run(lambda records: [
        seen.setdefault(r.job - 1, set()).add(r.node - 1)
        for r in records if r.kind == sked.Decide.ALLOCATE])
    return seen


def nodes(words):
    return [sked.Nodes(2, "cpu=4", attributes=words.node("zone=a")),
            sked.Nodes(1, "cpu=4", attributes=words.node("zone=b gpu=7 gpu=x")),
            sked.Nodes(1, "cpu=4")]


TEXTS = [("zone=a", {0, 1}), ("zone!=a", {2, 3}), ("gpu>6 & gpu=x", {2}),
         ("!zone | gpu", {2, 3}), ("(zone=a|zone=b)&!gpu", {0, 1}),
         ("gpu<7", None), ("zone=c", None)]


@pytest.mark.parametrize("form", ["rows", "frame"])
def test_jobs_run_where_their_rule_says(form):
    tree, words = company(), rule.Words()
    cluster = nodes(words)
    if form == "rows":
        jobs = sked.Jobs.of(tree, [
            {"queue": "root.a", "submit_s": 10 * i, "run_s": 5, "tasks": 16,
             "amount": {"cpu": 1000}, "needs": words.rule(text)}
            for i, (text, _) in enumerate(TEXTS)] + [
            {"queue": "root.a", "submit_s": 99, "run_s": 5, "tasks": 16,
             "amount": {"cpu": 1000}}])
    else:
        n = len(TEXTS) + 1
        jobs = sked.Jobs.from_frame(tree, {
            "submit": [10 * i for i in range(n)], "run": [5] * n,
            "queue": ["a"] * n, "cpu": [1] * n, "tasks": [16] * n,
            "needs": [text for text, _ in TEXTS] + [None]}, words=words)
    assert len(jobs.rules) == len(TEXTS) and jobs.rule[len(TEXTS)] == 0
    run = sked.Sim(tree, jobs, cluster, sked.Options(heartbeat=0))
    seen = ran_on(run)
    for i, (_, want) in enumerate(TEXTS):
        assert seen.get(i) == want
    assert seen[len(TEXTS)] == {0, 1, 2, 3}
    assert run.total.rejected == 2


@pytest.mark.parametrize("text, why", [
    ("", "a key is missing"), ("zone=", "a value is missing"),
    ("zone=a zone=b", "is missing before"), ("(zone", "a \\) is missing"),
    ("rack", "no node has an attribute rack"), ("gpu<x", "not a whole number"),
    ("(" * 65 + "zone" + ")" * 65, "more than 64 brackets"), ("!zone=a", "is missing"),
])
def test_texts_that_are_no_rules(text, why):
    words = rule.Words()
    nodes(words)
    with pytest.raises(ValueError, match=why):
        words.rule(text)


@pytest.mark.parametrize("text", ["zone", "zone=", "=a", "zone=a=b", "a|b=c"])
def test_texts_that_are_no_attributes(text):
    with pytest.raises(ValueError, match="is not key=value"):
        rule.Words().node(text)


def test_rules_that_fit_no_column_are_refused():
    tree, words = company(), rule.Words()
    cluster = nodes(words)
    jobs = sked.Jobs.of(tree, [{"queue": "root.a", "run_s": 5, "amount": {"cpu": 1},
                                "needs": words.rule("zone=a")}])
    jobs.rule = array("I", [2])
    with pytest.raises(sked.RangeError):
        sked.Sim(tree, jobs, cluster)
    jobs.rule = array("I", [1, 1])
    with pytest.raises(ValueError):
        sked.Sim(tree, jobs, cluster)
    jobs.rule, jobs.rules = array("I", [1]), [rule.at_most(1, 1)]
    with pytest.raises(sked.ArgumentError):
        sked.Sim(tree, jobs, cluster)
    with pytest.raises(ValueError, match="words of the nodes"):
        sked.Jobs.from_frame(tree, {"submit": [0], "run": [1], "queue": ["a"],
                                    "cpu": [1], "needs": ["zone=a"]})
    with pytest.raises(sked.frames.FrameError, match="no node has"):
        sked.Jobs.from_frame(tree, {"submit": [0], "run": [1], "queue": ["a"],
                                    "cpu": [1], "needs": ["rack=a"]}, words=words)


def test_what_asks_prefer_is_mended():
    tree = sked.Tree.from_text("kinds cpu=m lic=1\nroot\nroot.a\n")
    a = tree["root.a"]
    told = (sked.Events(tree).node_up(9, 1, {"cpu": 4}).submit(9, 1, a)
            .ask(9, 1, 1, {"cpu": 1}, count=3).attributes(9, 1, {3: 7})
            .rule(9, 1, rule.equal(3, 7)).prefer(9, 1, rule.one_of(3, [5, 7]), 4)
            .would_like(9, 1, {1: 2}).would_like_racks(9, 1, [8])
            .pool(9, {"lic": 5}))
    engine = sked.Engine(tree, pooled=["lic"])
    assert engine.mend(told) == 9 and not engine.reconcile(told)
    engine.apply(sked.Events(tree).prefer(9, 1, rule.equal(3, 5), 2))
    assert [d.kind for d in engine.reconcile(told)] == [sked.EventKind.ASK_PREFER] * 2
    engine.mend(told)
    engine.apply(sked.Events(tree).pool(9, {"lic": 4}).would_like(9, 1, [1]))
    assert [d.kind for d in engine.reconcile(told)] == [
        sked.EventKind.POOL, sked.EventKind.ASK_PLACES]
    assert engine.mend(told) == 2 and not engine.reconcile(told)
