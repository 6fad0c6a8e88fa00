"""Two managers on one workload, and the engine as a manager of the kit."""

from dataclasses import replace

from sked.testing import compare, managers, plain
from sked.testing.engine_manager import RULES, EngineManager

QUEUES = [{"name": "a", "weight": 1}, {"name": "b", "weight": 3}]
JOBS = [{"job": f"j{i}", "at": i // 4, "queue": "ab"[i % 2], "count": 2,
         "amounts": [2], "seconds": 5 + i} for i in range(12)]
LOAD = compare.Workload(["cpu"], QUEUES, {"n1": [6], "n2": [7]}, JOBS)


class WithoutWeights(plain.PlainManager):
    def standing(self, queue):
        return super().standing(queue) * self.queues[queue]["weight"]


def test_equal_managers_do_not_differ():
    assert compare.on_workload(plain.PlainManager, plain.PlainManager,
                               LOAD) is None
    assert compare.on_workload(plain.PlainManager, EngineManager, LOAD) is None
    assert compare.search(plain.PlainManager, plain.PlainManager,
                          runs=30) is None


def test_two_configurations_differ_with_a_reason():
    found = compare.on_workload(
        EngineManager, lambda: EngineManager("order=fifo"), LOAD)
    assert found is not None and found.at == 0
    assert ("start", "j3.t", "n2", None, 2) in found.first
    assert found.reasons["j3.t"] == [
        "ask 6: no node has so much free: needs 2 of cpu, there is 1"]
    assert "j3.t waits: ask 6" in str(found)


def test_a_difference_is_made_short():
    found = compare.search(plain.PlainManager, WithoutWeights)
    assert found is not None and len(found.world.steps) <= 6
    again = compare.in_world(plain.PlainManager, WithoutWeights, found.world)
    assert again is not None and again.first == found.first
    assert "the steps:" in str(found)


def test_recorded_decisions_are_a_manager():
    class Host(compare._Timed):
        rows = []

        def take(self, decision):
            super().take(decision)
            self.rows.append((self.now, *decision))

    Host(plain.PlainManager, LOAD, None).run()
    rows = list(Host.rows)
    assert len(rows) >= 12
    assert compare.on_workload(plain.PlainManager,
                               lambda: compare.Recorded(rows), LOAD) is None
    late = next(i for i, row in enumerate(rows) if row[0] > 0)
    moved = [*rows[:late], (rows[late][0], "start", rows[late][2], "n1" if
                            rows[late][3] == "n2" else "n2", rows[late][4]),
             *rows[late + 1:]]
    found = compare.on_workload(plain.PlainManager,
                                lambda: compare.Recorded(moved), LOAD)
    assert found is not None and found.at == rows[late][0]


def test_the_engine_passes_the_kit():
    for rules in (replace(RULES, vectors=False, trees=False),
                  replace(RULES, guarantees=False)):
        bug = managers.search(EngineManager, rules=rules, runs=20)
        assert bug is None, bug


def test_the_engine_preempts_for_guarantees():
    queues = [{"name": "a", "parent": None, "weight": 1, "guarantee": None,
               "limit": None, "users": {}},
              {"name": "b", "parent": None, "weight": 1, "guarantee": [2],
               "limit": None, "users": {}}]

    def submit(job, queue, count):
        return {"op": "submit", "job": job, "queue": queue, "user": "u1",
                "gang": 0, "priority": 0, "count": count, "amounts": [1],
                "partition": None}

    world = managers.World(["cpu"], queues, [
        {"op": "node", "node": "n1", "amounts": [3], "partition": None},
        submit("j1", "a", 3), submit("j2", "b", 2)], preempts=True)
    assert managers.run(EngineManager, world) is None
    host = managers.Host(EngineManager, world)
    host.run()
    assert host.running == {("j1.t", "n1"): 1, ("j2.t", "n1"): 2}
    world.preempts = False
    host = managers.Host(EngineManager, world)
    host.run()
    assert host.running == {("j1.t", "n1"): 3}


def test_a_wrong_configuration_of_the_engine_is_found():
    rules = replace(RULES, vectors=False, trees=False)
    bug = managers.search(lambda: EngineManager("order=fifo"), rules=rules,
                          runs=500)
    assert bug is not None and bug.invariant == "shares_off"
