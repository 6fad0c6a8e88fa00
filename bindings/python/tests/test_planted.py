"""The kits for divisions and managers find planted bugs, and accuse no right
one. tests/planted has the bugs; its run.py measures all of them."""

import json
import sys
from pathlib import Path

import pytest

from sked.testing import divisions, managers, oracle, plain, properties

PLANTED = Path(__file__).resolve().parents[3] / "tests/planted"
pytestmark = pytest.mark.skipif(not PLANTED.exists(), reason="no tests/planted")
if PLANTED.exists():
    sys.path.insert(0, str(PLANTED))
    import divisions as wrong_divisions
    import managers as wrong_managers

    DIVISIONS, MANAGERS = wrong_divisions.WRONG, wrong_managers.WRONG
else:
    DIVISIONS, MANAGERS = {}, {}


def test_there_are_forty_of_each():
    assert len(DIVISIONS) >= 40 and len(MANAGERS) >= 40


@pytest.mark.parametrize("name", DIVISIONS)
def test_a_wrong_division_is_found(name):
    bug = divisions.search(DIVISIONS[name], runs=2000)
    assert bug is not None, f"{name} was not found"
    assert bug.invariant in str(bug) and "to run it again" in str(bug)


# Their runs are long: tests/planted/run.py has them.
SLOW = {"KillsTheGuaranteed", "GuaranteeOfFirstKind",
        "RestartForgetsReservations"}


@pytest.mark.parametrize("name", sorted(set(MANAGERS) - SLOW))
def test_a_wrong_manager_is_found(name):
    bug = managers.search(MANAGERS[name], runs=2000, shorten=False,
                          rules=wrong_managers.RULES.get(name))
    assert bug is not None, f"{name} was not found"
    assert bug.invariant in str(bug)


def test_right_ones_are_not_accused():
    for share in (properties.reference, oracle.webster):
        assert divisions.search(share, runs=150) is None
    assert divisions.search(properties.reference, runs=50, wanted=(
        properties.LARGEST_REMAINDER)) is None
    assert divisions.search(oracle.webster, runs=50, wanted=(
        properties.WEBSTER)) is None
    assert managers.search(plain.PlainManager, runs=300, rules=managers.Rules(
        reasons=True, reservations=True)) is None


def reserved(begin, *steps):
    return managers.World(queues=[{
        "name": "q", "parent": None, "guarantee": None, "weight": 1,
        "limit": None, "users": {}}], steps=[
        {"op": "node", "node": "n1", "amounts": [2]},
        {"op": "submit", "job": "j1", "queue": "q", "user": "u1", "gang": 0,
         "priority": 0, "count": 1, "amounts": [2], "partition": None,
         "begin": begin}, *steps])


def test_a_reserved_start_is_kept_and_judged():
    tick, restart = {"op": "tick"}, {"op": "restart"}
    host = managers.Host(plain.PlainManager, reserved(2, tick, restart, tick))
    host.run()
    assert host.running == {("j1.t", "n1"): 1} and not host.reserved
    assert host.history.judge(until=host.now) == []

    class Never(plain.PlainManager):
        def start_reserved(self, now):
            return []

    name, words = managers.run(Never, reserved(2, tick, restart, tick))
    assert name == "reserved_late" and "j1.t" in words
    assert managers.run(Never, reserved(9, tick)) is None

    class Early(plain.PlainManager):
        def may_start(self, t):
            return True

    assert managers.run(Early, reserved(2, tick)) == (
        "starts_too_early", "at step 2: j1.t starts before 4")


def test_a_reservation_ends_with_its_node():
    class Never(plain.PlainManager):
        def start_reserved(self, now):
            return []

    for step in ({"op": "drain", "which": "n1"}, {"op": "down", "which": "n1"},
                 {"op": "resize", "which": "n1", "amounts": [1]}):
        world = reserved(2, step, *[{"op": "tick"}] * 4)
        assert managers.run(Never, world) is None, step
        assert managers.run(plain.PlainManager, world) is None
    larger = {"op": "resize", "which": "n1", "amounts": [3]}
    assert managers.run(Never, reserved(2, larger, *[{"op": "tick"}] * 4))[
        0] == "reserved_late"


def test_a_division_of_five_among_four_equals_is_wrong():
    claims = [oracle.Claim()] * 4
    found = divisions.breaks(lambda total, claims: [5, 1, 1, 1], 8, claims)
    assert found is not None and found[0] == "within_one_unit"
    assert divisions.breaks(lambda total, claims: [2, 2, 2, 2], 8, claims) is None


def test_a_world_is_made_short_and_runs_again():
    bug = managers.search(MANAGERS["NoCapacity"])
    assert bug is not None and len(bug.world.steps) <= 3
    world = eval(repr(bug.world), {"World": managers.World})  # the program's
    assert managers.run(MANAGERS["NoCapacity"], world)[0] == bug.invariant
    assert managers.run(plain.PlainManager, world) is None


def test_a_rule_that_is_off_is_not_judged():
    off = managers.Rules(users=False)
    assert managers.search(MANAGERS["NoUserLimits"], runs=200, rules=off) is None


def test_a_manager_may_be_a_process(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(
        "import sys\nfrom sked.testing import managers, plain\n"
        "def say(text):\n    sys.stdout.write(text)\n    sys.stdout.flush()\n"
        "managers.serve(plain.PlainManager(), sys.stdin, say)\n")

    def make():
        return managers.ProcessManager([sys.executable, str(script)])

    rules = managers.Rules(reasons=True)
    assert managers.search(make, runs=3, rules=rules) is None
    script.write_text("print('[[\"start\", \"x\", \"y\", 1]]')\n")
    bug = managers.search(make, runs=1, shorten=False)
    assert bug is not None and bug.invariant in ("decisions_are_known",
                                                 "manager_runs")
    assert json.loads(json.dumps(bug.world.steps)) == bug.world.steps


def test_a_silent_process_is_ended():
    silent = [sys.executable, "-c", "import time\nwhile True: time.sleep(9)"]

    def make():
        return managers.ProcessManager(silent, seconds=0.3)

    world = managers.World(queues=[], steps=[
        {"op": "node", "node": "n1", "amounts": [1]}])
    name, words = managers.run(make, world)
    assert name == "decisions_are_known" and "silent for 0.3 s" in words
    manager = make()
    manager.close()  # it does not end by itself
    assert manager.process.returncode is not None


def test_a_false_reason_is_told():
    world = managers.World(queues=[{
        "name": "q", "parent": None, "guarantee": None, "weight": 1,
        "limit": [2], "users": {"u1": [1]}}], steps=[
        {"op": "submit", "job": "j1", "queue": "q", "user": "u1", "gang": 0,
         "priority": 0, "count": 3, "amounts": [1], "partition": None},
        {"op": "node", "node": "n1", "amounts": [4]}], reasons=True)
    for answer in ("user_limit", None):
        class Says(plain.PlainManager):
            def reason(self, now, task, said=answer):
                return said if self.nodes else "no_node"

        assert managers.run(Says, world) is None
    for answer in ("limit", "no_node", "fairness", 7):
        class Lies(plain.PlainManager):
            def reason(self, now, task, said=answer):
                return said if self.nodes else "no_node"

        name, words = managers.run(Lies, world)
        assert name == "reasons_are_true"
        assert f"at step 2: reason() answers {answer!r} for j1.t" in words


def test_a_part_of_what_waits_may_be_cancelled():
    seen = []

    class Notes(plain.PlainManager):
        def end(self, now, task, node, count, how):
            seen.append((task, node, count, how))
            super().end(now, task, node, count, how)

    def job(name, gang):
        return {"op": "submit", "job": name, "queue": "q", "user": "u1",
                "gang": gang, "priority": 0, "count": 3, "amounts": [1],
                "partition": None}

    world = managers.World(queues=[{
        "name": "q", "parent": None, "guarantee": None, "weight": 1,
        "limit": None, "users": {}}], steps=[
        job("j1", 0), job("j2", 3),
        {"op": "cancel", "which": "j1.t", "count": 2},
        {"op": "cancel", "which": "j2.t", "count": 2},
        {"op": "cancel", "which": "gone", "count": 2}])
    assert managers.run(Notes, world) is None
    assert seen == [("j1.t", None, 2, "cancel"), ("j2.t", None, 3, "cancel")]


def test_a_division_that_changes_its_mind_is_told():
    calls = []

    def share(total, claims):
        calls.append(1)
        got = list(properties.reference(total, claims))
        return [g + 1 for g in got] if 200 <= len(calls) < 215 else got

    bug = divisions.search(share, runs=300)
    assert bug is not None and bug.invariant == "same_again"
