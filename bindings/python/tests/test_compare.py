"""Two managers on one workload, and the engine as a manager of the kit."""

import json
import sys
from dataclasses import replace

from sked.commands import compare as command, main
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


TREE = """kinds cpu=m memory=B gpu=m
root.a weight=1
root.b weight=3 guarantee="cpu=2" limit="cpu=8"
"""


def files(tmp_path, tree=TREE):
    """A workload and a tree, as words of the command."""
    rows = [f"j.{i},{i // 4},{5 + i},{'ab'[i % 2]},2,2" for i in range(12)]
    (tmp_path / "w.csv").write_text("\n".join(
        ["job_id,submit_s,run_s,queue,tasks,cpu", *rows, ""]))
    (tmp_path / "tree.txt").write_text(tree)
    return [str(tmp_path / "w.csv"), "--node", "n1:cpu=6", "--node",
            "n2:cpu=7", "--tree", str(tmp_path / "tree.txt")]


def test_the_command_tells_the_first_difference(tmp_path, capsys):
    words = files(tmp_path)
    assert main(["compare", "plain", "engine", *words]) == 0
    assert capsys.readouterr().out == "no difference: 12 jobs on 2 nodes\n"
    assert main(["compare", "engine", "engine:order=fifo", *words]) == 1
    said = capsys.readouterr().out
    assert said.startswith("the first difference is at 0 s\n")
    assert "    only the first: start 2 of j.3.t on n2\n" in said
    assert "j.3.t waits: ask" in said
    assert main(["compare", "--json", "engine", "engine:order=fifo",
                 *words]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["at_s"] == 0 and "j.3.t" in told["reasons"]
    mine = f"run:{sys.executable} -c \"import sys; from sked.testing import " \
        "managers, plain; managers.serve(plain.PlainManager(), sys.stdin, " \
        "lambda t: print(t, end='', flush=True))\""
    assert main(["compare", mine, "sked.testing.plain:PlainManager",
                 *words]) == 0
    assert main(["compare", "plain", "engine", *words[:-2]]) == 0
    capsys.readouterr()


def test_the_command_reads_recorded_decisions(tmp_path, capsys):
    words, log = files(tmp_path), tmp_path / "log.csv"

    class Host(compare._Timed):
        rows = []

        def take(self, decision):
            super().take(decision)
            what, task, node, count = decision[:4]
            self.rows.append(f"{self.now / 1e9},{what},{task[:-2]},{node},"
                             f"{count}")

    load = command.workload(words[0], words[-1], ["n1:cpu=6", "n2:cpu=7"])
    Host(plain.PlainManager, load, None).run()
    head = "time_s,decision,job,node,count"
    log.write_text("\n".join([head, *Host.rows]))
    assert main(["compare", "plain", f"log:{log}", *words]) == 0
    late = Host.rows[:-1] + ["99.5" + Host.rows[-1][Host.rows[-1].index(","):]]
    log.write_text("\n".join([head, *late]))
    assert main(["compare", f"log:{log}", "plain", *words]) == 1
    assert "only the second: start" in capsys.readouterr().out
    for row, why in (("0,stop,j.1,n1,1", "line 2: decision 'stop'"),
                     ("x,start,j.1,n1,1", "line 2: time_s and count are"),
                     ("0,start,j.1,n1", "line 2: needs the columns"),
                     ("0,start,none,n1,1", "names what is not there")):
        log.write_text(f"{head}\n{row}\n")
        assert main(["compare", f"log:{log}", "plain", *words]) == 2
        assert why in capsys.readouterr().err


def test_the_command_says_what_it_cannot_use(tmp_path, capsys):
    words = files(tmp_path)
    for first, why in (("sked.testing.plain:None_", "no such scheduler"),
                       ("nothing", "no such scheduler"),
                       (f"log:{tmp_path}/none.csv", "none.csv")):
        assert main(["compare", first, "plain", *words]) == 2
        assert why in capsys.readouterr().err
    for node in ("n1", "n1:cpu", "n1:disk=5", ":cpu=5"):
        assert main(["compare", "plain", "plain", words[0], "--node",
                     node]) == 2
        assert f"--node {node}: NAME:KIND=AMOUNT" in capsys.readouterr().err
    for tree, why in ((TREE + "root.a.x\n", "no leaf a in the tree"),
                      (TREE + "root.c\nroot.c.a\n", "two queues are called a")):
        assert main(["compare", "plain", "plain", *files(tmp_path, tree)]) == 2
        assert why in capsys.readouterr().err
    (tmp_path / "w.csv").write_text("job_id,start_s\nj1,5\n")
    assert main(["compare", "plain", "plain", *words]) == 2
    assert capsys.readouterr().err


def test_the_engine_takes_every_attribute_of_a_tree(tmp_path, capsys):
    words = files(tmp_path, TREE + "root order=fifo\nroot.c max_running=2\n")
    assert main(["compare", "engine", "engine:order=fifo", *words]) == 0
    assert capsys.readouterr().err.strip() in ("", "left out: 0")
    # The second engine has the order of the tree, and no other.
    plain_words = files(tmp_path)
    first = command.workload(plain_words[0], plain_words[-1],
                             ["n1:cpu=6", "n2:cpu=7"])
    assert compare.on_workload(EngineManager, command.maker(
        "engine", "order=fifo"), first) is not None
    words = files(tmp_path, TREE.replace("root.b", "root.b max_running=1"))
    load = command.workload(words[0], words[-1], ["n1:cpu=6", "n2:cpu=7"])
    assert load.queues[1]["attributes"] == "max_running=1"
    assert main(["compare", "plain", "engine", *words]) == 1
    said = capsys.readouterr()
    assert "plain is told of weight, guarantee and limit, and may not know " \
        "max_running" in said.err
    assert "only the first: start" in said.out


def test_the_command_lets_both_preempt(tmp_path, capsys):
    words = files(tmp_path)
    (tmp_path / "w.csv").write_text(
        "job_id,submit_s,run_s,queue,tasks,cpu\nj.1,0,50,a,6,2\n"
        "j.2,10,50,b,1,2\n")
    assert main(["compare", "plain", "engine", "--preempts", *words]) == 1
    told = capsys.readouterr().out  # they choose other victims
    assert told.startswith("the first difference is at 10 s\n")
    assert "only the first: kill 1 of j.1.t on n1 for j.2.t\n" in told
    never = "sked.testing.plain:PlainManager"
    load = command.workload(words[0], words[-1], ["n1:cpu=6", "n2:cpu=7"])
    assert not load.preempts and not load.world().preempts
    assert main(["compare", never, "engine", *words]) == 0
    load.preempts = True
    assert load.world().preempts

    class Never(plain.PlainManager):
        def next_claim(self):
            return None

    found = compare.on_workload(Never, EngineManager, load)
    assert found is not None and any(d[0] == "kill" for d in found.second)
    load.preempts = False
    assert compare.on_workload(Never, EngineManager, load) is None


def test_both_are_asked_when_a_decision_was_recorded():
    rows = [(3, "start", "j0.t", "n1", 1)]
    load = compare.Workload(["cpu"], [{"name": "a"}], {"n1": [1]}, [
        {"job": "j0", "at": 0, "queue": "a", "count": 1, "amounts": [1],
         "seconds": 9}])

    class Late(plain.PlainManager):
        def decide(self, now):
            return super().decide(now) if now >= 3 else []

    assert compare.on_workload(Late, lambda: compare.Recorded(rows),
                               load) is None
    found = compare.on_workload(plain.PlainManager,
                                lambda: compare.Recorded(rows), load)
    assert found is not None and found.at == 0
