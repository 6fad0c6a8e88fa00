"""Lives: tables of a host, instances, SLAs, policies, secrets, updates."""

import pytest

import sked
from sked import life


def door(**more):
    return life.Table(
        "door", [life.Name("OPEN", life.Mark.START), life.Name("SHUT"),
                 life.Name("BROKEN", life.Mark.END)],
        [life.Name("push"), life.Name("hit")],
        [life.Edge(1, 0, 1, life.Cause.USER),
         life.Edge(2, 0, 0, life.Cause.USER),
         life.Edge(3, 1, 2, life.Cause.NODE)], **more)


def test_a_table_of_a_host():
    table = door(actions=[life.Name("nothing"), life.Name("open")],
                 goals=[life.Goal(1, 2, 1)])
    assert table.faults() == []
    step = table.next("OPEN", "push")
    assert (step.state, step.before, step.outcome) == (1, 0, life.Moved.MOVED)
    with pytest.raises(sked.StateError, match="hit is for node, not for user"):
        table.next("OPEN", "hit")
    assert table.act("OPEN", "SHUT") == 1
    assert table.way("OPEN", "OPEN") is None
    assert table.way("OPEN", "BROKEN") == table.edges[2]
    assert table.legal("SHUT", life.Cause.USER) == [table.edges[1]]
    with pytest.raises(ValueError, match="none of OPEN, SHUT, BROKEN"):
        table.next("AJAR", "push")


def test_a_bad_table_names_its_row():
    table = door()
    table.edges[1] = life.Edge(2, 7, 0, life.Cause.USER)
    with pytest.raises(sked.RangeError, match="no such event") as caught:
        table.faults()
    assert caught.value.row == 1
    table = door()
    table.edges = table.edges[:2]
    assert (life.FaultOf.UNREACHABLE, "BROKEN") in table.faults()
    with pytest.raises(ValueError, match="no table"):
        life.table(77)


@pytest.mark.parametrize("which", life.Which)
def test_what_is_here_is_sound(which):
    table = life.table(which)
    assert table.faults() == []
    again = life.Table(table.name, table.states, table.events, table.edges,
                       table.actions, table.goals)
    assert again.dot() == table.dot()
    assert table.dot().startswith(f"digraph {table.name} {{")


def test_instances():
    one = life.Instance.running(3)
    assert one.availability == life.Availability.AVAILABLE
    assert one.action() == life.Do.NOTHING
    late = life.Instance.running(3)
    late.state, late.since = life.Task.LAUNCHED, 0
    assert late.action(now=5, launch_ns=5) == life.Do.INITIALIZE
    assert late.action(now=4, launch_ns=5) == life.Do.NOTHING
    with pytest.raises(sked.StateError, match="RUNNING never becomes LAUNCHED"):
        one.may_become(late)
    late.told = 3
    with pytest.raises(sked.RangeError):
        late.action()
    with pytest.raises(ValueError, match="not as many"):
        life.Update([1], [2]).step(b"123", 0)


def test_all_who_stop_keep_one_count():
    sla = life.Sla(type=life.Type.STATELESS, least_running=7, preemptible=1,
                   most_unavailable=3)
    counts = life.count([life.Instance.running(1)] * 10)
    counts = life.stop(sla, counts, "maintenance", 2)
    assert life.may_stop(sla, counts, "update") == 1
    assert life.may_stop(sla, counts, "preemption") == 1
    with pytest.raises(sked.StateError) as caught:
        life.stop(sla, counts, "preemption", 2)
    assert caught.value.limit == 1
    assert life.stop(sla, counts, "update", 1) == life.Counts(7, 3)
    assert life.gang(life.Sla(least_running=3), 5) == 3


def test_policies():
    ended = life.Instance.running(1)
    ended.state, ended.failures = life.Task.FAILED, 2
    assert life.restart(ended, type=2).delay_ns == 120 * 10 ** 9
    ended.state = life.Task.RUNNING
    with pytest.raises(sked.StateError):
        life.restart(ended)
    tried = life.placing_begin("placing")
    assert (tried.attempt, tried.timeout_ns) == (1, 600 * 10 ** 9)
    assert life.placing_timeout("placing", tried).to == life.Task.READY
    assert life.placing_return("ready", tried).to == life.Task.READY
    node, out = life.Record(), 0
    for now in range(5):
        node, out = life.note_failure(node, now, 20, out)
    assert life.is_out(node, 5, out) == (True, node, 1)
    back, node, out = life.is_out(node, node.until, out)
    assert (back, out, life.note_success(node)) == (False, 0, life.Record())


def test_secrets_are_not_shown():
    secrets = life.Secrets()
    secrets.set(1, 123456789)
    assert secrets.launch(1, 0, 2) == [123456789] * 2
    assert "123456789" not in repr(secrets) + repr(secrets._handle)
    secrets.forget(1)
    assert secrets.launch(1, 0, 1) == [0]


def test_an_update_saved_and_loaded():
    rows = [life.Instance.running(1) for _ in range(4)]
    update = life.Update([1] * 4, [2] * 4, batch=2, max_attempts=1,
                         max_failures=1, flags=life.With.ROLLBACK,
                         sla=life.Sla(most_unavailable=2))
    assert [o.row for o in update.step(rows, 0, most=1)] == [0]
    update = life.Update.load(update.save())
    assert [o.row for o in update.step(rows, 0)] == [1]
    for i in (0, 1):
        rows[i] = life.Instance.running(2)
    rows[1].state, rows[1].failures = life.Task.FAILED, 1
    orders = update.step(rows, 1)
    assert update.told.state == life.UpdateState.ROLLING_BACKWARD
    assert update.told.why == life.Why.FAILURES
    assert [(o.row, o.version) for o in orders] == [(1, 1), (0, 1)]
    assert update.phases[3] == life.Phase.UNTOUCHED
    update.pause()
    assert update.told.state == life.UpdateState.PAUSED
    update.abort()
    assert update.told.state == life.UpdateState.ABORTED
    with pytest.raises(sked.CorruptError):
        life.Update.load(update.save()[:-1])
    with pytest.raises(sked.RangeError, match="lets none stop"):
        life.Update([1], [2], sla=life.Sla(least_running=1))
    assert life.overwrite("update", "rolling_forward", "update") is False
    with pytest.raises(sked.StateError):
        life.overwrite("restart", "rolling_forward", "update")


def test_the_machine_passes_ours_and_finds_faults():
    pytest.importorskip("hypothesis")
    from hypothesis import Phase, settings
    from hypothesis.stateful import run_state_machine_as_test

    from sked.testing.updating import UpdateMachine

    quick = settings(max_examples=40, deadline=None, derandomize=True,
                     stateful_step_count=25, database=None,
                     report_multiple_bugs=False, phases=[Phase.generate])
    run_state_machine_as_test(UpdateMachine, settings=quick)

    class Careless(UpdateMachine):
        """Forgets what it was promised."""

        def make(self, start, to, sla, **options):
            return life.Update(start, to, **{**options, "batch": 0,
                                             "overlap": 0})

    with pytest.raises(AssertionError, match="are down"):
        run_state_machine_as_test(Careless, settings=quick)
