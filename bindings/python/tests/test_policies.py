"""Lists of policies of preemption."""

import pytest

import sked
from sked import preempt


def test_policies_of_preemption_run_in_order():
    tree = sked.Tree.from_text(
        "kinds cpu=1\nroot\nroot.a guarantee=cpu=5\n"
        "root.b guarantee=cpu=5 preempt_min_timeout=2000s\n")
    all_ = {"per_round": -1, "factor": 1_000_000, "ignored": -1}
    starving = {"dialect": preempt.Dialect.STARVATION, **all_}
    for targets, told in ((starving, 0), ([starving], 0), ([starving, all_], 3),
                          ((all_, starving), 3)):
        host = sked.Engine(tree)
        host.preempt(preempt.Preemption(targets=targets, rounds={"grace": 10}))
        host.apply(sked.Events(tree).node_up(0, 1, [10])
                   .submit(0, 1, tree["root.a"]).submit(0, 2, tree["root.b"])
                   .ask(0, 1, 1, [1], 10).heartbeat(0, 1).ask(1, 2, 2, [1], 3)
                   .round(2))
        assert len(host.contract(1)[1]) == (told > 0)
        assert host.contract(1)[0] == {"cpu": told}
    with pytest.raises(sked.ArgumentError) as failed:
        sked.Engine(tree).preempt(preempt.Preemption(targets=[{}, {}, {"cycles": 3}]))
    assert failed.value.row == 1
    with pytest.raises(sked.RangeError):
        sked.Engine(tree).preempt(preempt.Preemption(targets=[{}] * 9))
    jobs = sked.Jobs.of(tree, [
        {"queue": "root.a", "run_s": 1000, "tasks": 10, "amount": {"cpu": 1}},
        {"queue": "root.b", "submit_s": 50, "run_s": 10, "tasks": 5,
         "amount": {"cpu": 1}}])
    killed = []
    for targets in (starving, [starving, all_]):
        run = sked.Sim(tree, jobs, [sked.Nodes(1, [10])], sked.Options(
            preempt=preempt.Preemption(targets=targets, rounds={"grace": -1})))
        run.run()
        killed.append(run.total.killed)
    assert killed == [0, 5]
