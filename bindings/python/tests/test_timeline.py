"""Free amounts over time: spans, gaps, plans, errors."""

import random

import pytest

import sked
from sked import NotFoundError, RangeError, StaleError, StateError, Timeline
from sked.timeline import Span, backfill

POOL = {"cpu": 8, "memory": 100}


def pool() -> Timeline:
    return Timeline("cpu=1 memory=B", POOL)


def test_a_gap_must_be_long_enough():
    line = pool()
    line.add(0, 10, {"cpu": 6})
    line.add(15, sked.UNLIMITED, {"cpu": 5})
    assert line.earliest({"cpu": 3}, 5, now=0) == 10
    assert line.earliest({"cpu": 3}, sked.UNLIMITED, now=0) == 10
    assert line.earliest({"cpu": 4}, 6, now=0) is None
    assert line.earliest("memory=100", 6, now=3) == 3
    assert line.least(0, 20) == {"cpu": 2, "memory": 100}
    assert line.steps(5, 15) == [(5, {"cpu": 2, "memory": 100}),
                                 (10, {"cpu": 8, "memory": 100})]
    times, amounts = line.columns(0)
    assert times.tolist() == [0, 10, 15]
    assert amounts.tolist() == [[2, 100], [8, 100], [3, 100]]
    line.check()


def test_spans_are_read_and_removed_once():
    line = pool()
    line.reserve(10)
    span = line.add(3, 9, [1, 50])
    assert line.span(span) == Span(3, 9, {"cpu": 1, "memory": 50})
    with line.copy() as other:
        assert other.digest == line.digest
        other.remove(span)
        assert (other.spans, line.spans) == (0, 1)
        assert other.digest != line.digest
    line.remove(span)
    with pytest.raises(StaleError, match="removed before"):
        line.remove(span)
    with pytest.raises(StaleError):
        line.span(span)
    with pytest.raises(NotFoundError):
        line.remove(0)


def test_the_total_changes():
    line = pool()
    line.add(0, 5, {"cpu": 4})
    line.set_total({"cpu": 3})
    assert line.least(0, 5) == {"cpu": -1, "memory": 0}
    assert line.earliest({"cpu": 1}, 1, now=0) == 5


def test_what_is_out_of_range_is_named():
    line = pool()
    with pytest.raises(RangeError, match="until is before from"):
        line.add(5, 4, {"cpu": 1})
    with pytest.raises(RangeError, match="moment is out of range"):
        line.steps(1 << 62)
    with pytest.raises(RangeError, match="until is before from"):
        line.steps(2, 1)
    with pytest.raises(RangeError, match="duration is negative"):
        line.earliest({"cpu": 1}, -1, now=0)
    with pytest.raises(StateError):
        line.earliest({"cpu": 1}, 1)
    with pytest.raises(ValueError):
        line.add(0, 1, [1])
    with pytest.raises(RangeError):
        backfill([1], [1, 2], [1, -1])


def test_the_clock_of_the_hooks_is_asked():
    class Noon(sked.Hooks):
        def clock(self):
            return 12

    line = Timeline("cpu=1", {"cpu": 1}, hooks=Noon())
    assert line.earliest({"cpu": 1}, 1) == 12


def test_backfill_is_what_a_loop_over_a_timeline_plans():
    rng = random.Random(5)
    durations = [rng.randrange(1, 50) for _ in range(300)]
    amounts = [rng.randrange(9) for _ in range(600)]
    spans = ([0, 4], [7, sked.UNLIMITED], [3, 3, 1, 0])
    line = Timeline("a=1 b=1", [8, 8])
    line.add(0, 7, [3, 3])
    line.add(4, sked.UNLIMITED, [1, 0])
    want = []
    for i, duration in enumerate(durations):
        row = amounts[2 * i:2 * i + 2]
        start = line.earliest(row, duration, now=2)
        want.append(sked.UNLIMITED if start is None else start)
        if start is not None:
            line.add(start, start + duration, row)
    got = backfill([8, 8], durations, amounts, kinds=2, ready=[2] * 300,
                   spans=spans)
    assert got.tolist() == want
    line.check()


def test_easy_gives_one_later_start():
    assert backfill([10], [10, 10, 5, 20], [6, 8, 4, 4],
                    depth=1).tolist() == [0, 10, 0, sked.UNSET]
    assert backfill([10], [], []).tolist() == []
