"""Blocks to hosts: the published table, plans, what is in force, refusals."""

import random
from array import array
from dataclasses import replace

import pytest

import sked
from sked import locality
from sked.locality import NO_HOST, NO_REPLICA, Live, Locality


def two_hosts():
    """The published table: 100 blocks on one host alone, 50 on the other."""
    return Locality([[0]] * 100 + [[1]] * 50, hosts=2)


@pytest.mark.parametrize("compute, transfer, load, m", [
    (4, 4, 100, 0), (4, 2, 75, 25), (4, 1, 75, 25), (2, 4, 100, 0)])
def test_the_published_table_holds(compute, transfer, load, m):
    here = two_hosts()
    for method in ("cheapest", "area"):
        point = here.cheapest(compute, transfer, method=method)
        assert (point.load, point.transfers) == (load, m)
        assert point.cost == load * compute + m * transfer
    assert here.cheapest(compute, transfer, method="forward").looks >= 1


def test_the_whole_curve_is_there():
    here = two_hosts()
    assert [(p.load, p.transfers) for p in here.curve()] == \
        [(load, 100 - load) for load in range(75, 101)]
    assert (here.floor, here.least_load, here.unplaced) == (75, 100, 0)
    assert here.load(25) == 75 and here.load(0) == 100
    hosts, blocks = here.bottleneck(80)
    assert (hosts.tolist(), blocks) == ([0], 100)
    here.verify()
    with pytest.raises(sked.ConfigError, match="lower level|no replica|level"):
        here.verify(levels=[0, 0])


def test_arrays_of_two_dimensions_come_in_as_they_are():
    numpy = pytest.importorskip("numpy")
    rows = numpy.array([[0, 1], [0, 1], [0, 2]], "uint32")
    here = Locality(rows)
    assert here.hosts == 3 and here.least_load == 1
    assert sorted(here.counts.tolist()) == [1, 1, 1]
    assert numpy.asarray(here.levels).dtype == numpy.int64


def test_unequal_hosts_and_lost_replicas():
    here = Locality([[0, 1], [0], [], [NO_HOST, 1]], hosts=2, ticks=[3, 1],
                    committed=[0, 2], cores=[1, 2], limit=[2, 9])
    assert here.unplaced == 1 and here.choice[2] == NO_REPLICA
    assert here.least_load == 4 and here.counts.tolist() == [1, 2]
    with pytest.raises(sked.ArgumentError):
        here.cheapest(method="area")
    with pytest.raises(sked.ArgumentError):
        here.sized([1, 1, 1, 1])


def test_plans_keep_to_racks():
    here = Locality([[0]] * 4 + [[2]], hosts=3)
    placed = here.plan(2, rack=[0, 0, 1], in_rack=10, beyond=11)
    assert (placed.local, placed.in_rack, placed.beyond) == (3, 2, 0)
    assert placed.cost == 20
    assert placed.host.tolist().count(1) == 2
    with pytest.raises(sked.RangeError):
        here.plan(1)
    with pytest.raises(sked.StateError):
        Locality([[0]], method="online").plan()


def test_the_least_is_moved():
    here = Locality([[0, 1]] * 4)
    choice, moved = here.restore([1, 0, 0, 0])
    assert moved == 1 and choice.tolist().count(1) == 2
    assert choice[0] == 1
    here.verify(choice)


def test_sizes_have_a_bound():
    here = Locality([[0], [0], [0], [0, 1]])
    sized = here.sized([10, 20, 30, 25])
    assert (sized.most, sized.bound, sized.unplaced) == (60, 60, 0)
    with pytest.raises(sked.RangeError):
        here.sized([1, 2, -3, 4])


def test_what_is_in_force_moves_little():
    live = Live(hosts=2, replicas=2)
    first = live.add([0, 1])
    second = live.add(array("I", [0]))
    assert [live.host(b) for b in (first, second)] == [1, 0]
    assert [(m.block, m.to) for m in live.take(1)] == [(first, 1)]
    assert [(m.block, m.to) for m in live.take()] == [(second, 0)]
    live.down(1)
    assert live.loads().tolist() == [2, 0]
    assert live.least_load == 2 and live.transfers(1) == 1
    live.remove(first)
    assert live.host(first) == NO_HOST
    with pytest.raises(sked.NotFoundError):
        live.remove(first)
    with pytest.raises(sked.RangeError):
        live.add([7])
    live.close()
    with pytest.raises(ValueError):
        live.loads()


def test_shares_and_places_are_planned_together():
    rng = random.Random(7)
    rows = [[rng.randrange(6) for _ in range(2)] for _ in range(60)]
    queue = [rng.randrange(3) for _ in rows]
    share, slots = [4, 5, 6], [3, 2, 3, 2, 3, 2]
    joint = locality.fair(rows, queue, share, slots)
    apart = locality.fair(rows, queue, share, slots, method="apart")
    first = locality.fair(rows, queue, share, slots, phases=1)
    for wave in (joint, apart, first):
        locality.verify_fair(wave, rows, queue, share, slots)
        where = wave.host.tolist()
        runs = [b for b, h in enumerate(where) if h != NO_HOST]
        assert [sum(queue[b] == q for b in runs) for q in range(3)] == share
        assert all(where.count(h) <= n for h, n in enumerate(slots))
        assert wave.local == sum(where[b] in rows[b] for b in runs)
        assert wave.local + wave.transfers == sum(share)
        assert sum(wave.queue_local) == wave.local <= joint.bound
    assert joint.local == joint.bound == 15 and first.phases <= 1
    assert locality.fair([[1]], None, [1], hosts=2).host.tolist() == [1]
    nobody = replace(joint, host=[NO_HOST] * len(rows))
    with pytest.raises(sked.ConfigError):
        locality.verify_fair(nobody, rows, queue, share, slots)
    with pytest.raises(sked.RangeError):
        locality.fair(rows, queue, [9, 9, 9], slots)


def test_bad_input_is_refused_with_its_row():
    with pytest.raises(sked.RangeError) as caught:
        Locality([[0], [5]], hosts=2)
    assert caught.value.row == 1
    with pytest.raises(sked.RangeError):
        Locality([[0]], hosts=1, ticks=[0])
    with pytest.raises(ValueError):
        Locality([[0]], hosts=1, ticks=[1, 2])
    with pytest.raises(sked.RangeError):
        Locality([[0]], hosts=1, limit=[0]).curve()
    assert locality.table_of([]) == (0, 0, array("I"))
