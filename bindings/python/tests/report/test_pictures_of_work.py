"""Pictures of where work goes and when: the trade-off of blocks, batches,
updates. Their lines, bars and labels; and that no label stands in the way."""

import pytest

matplotlib = pytest.importorskip("matplotlib", reason="libsked[plot] is missing")

from sked import batch, life, locality, pictures  # noqa: E402
from sked.pictures import base  # noqa: E402


def said(ax):
    """Every text in an axes."""
    return [t.get_text() for t in ax.texts]


def boxes(figure, ax):
    """The texts in an axes by what they say, in pixels, as they are drawn."""
    figure.draw_without_rendering()
    return {t.get_text(): t.get_window_extent() for t in ax.texts}


def apart(found):
    """No two of these boxes meet."""
    rest = list(found.values())
    return not any(one.overlaps(other) for i, one in enumerate(rest)
                   for other in rest[:i])


def test_the_trade_off_shows_the_chosen_point():
    """The published case 2: 57 transfers at 150, none at 156."""
    curve = list(zip(range(150, 157), (57, 28, 16, 11, 6, 1, 0)))
    figure = pictures.trade_off(curve, locality.Point(150, 57, 150057))
    ax = figure.axes[0]
    assert list(ax.lines[0].get_xdata()) == [load for load, _ in curve]
    assert list(ax.lines[0].get_ydata()) == [m for _, m in curve]
    assert list(ax.lines[-1].get_xdata()) == [150]
    assert "load 150, 57 transfers: cost 150,057" in said(ax)
    assert figure.table.to_dict()["transfers"][0] == 57
    long = pictures.trade_off([(x, 5000 - x) for x in range(5001)])
    assert len(pictures.svg_of(long)) < 400_000


def updated():
    """Four instances, two zones; the second does not start, all go back."""
    rows = [life.Instance.running(1) for _ in range(4)]
    update = life.Update([1] * 4, [2] * 4, [0, 0, 1, 1], max_attempts=1,
                         max_failures=1, flags=life.With.ROLLBACK |
                         life.With.ZONES, sla=life.Sla(most_unavailable=2))
    steps = pictures.Steps(2)
    for now in range(9):
        for order in update.step(rows, now):
            rows[order.row].desired = order.version
            rows[order.row].state = life.Task.STARTING
        steps.note(60 * now, rows, update)
        for i, one in enumerate(rows):
            if one.state == life.Task.STARTING:
                bad = i >= 2 and one.desired == 2
                one.version, one.failures = one.desired, int(bad)
                one.state = life.Task.FAILED if bad else life.Task.RUNNING
    return steps


def test_an_update_turns_back():
    steps = updated()
    figure = pictures.update_timeline(steps, [0, 0, 1, 1])
    table = figure.table.to_dict()
    assert max(table["down"]) == 2 and table["new"][-1] == 0
    assert steps.rows[-1][2] == "ROLLED_BACK"
    text = said(figure.axes[0])
    assert "rolling backward" in text and "rolled back" in text
    assert len(figure.axes[0].patches) > 8


CURVE = [(load, m) for load, m in zip(range(150, 157), (57, 28, 16, 11, 6, 1, 0))]


@pytest.mark.parametrize("points, chosen", [
    *[(CURVE, (*point, 10 ** 6)) for point in CURVE],
    ([(5, 0)], (5, 0, 5)), ([(5, 1), (6, 0)], (6, 0, 2 ** 62)),
    ([(x, 5000 - x) for x in range(5001)], (4000, 1000, 2 ** 62))])
def test_what_was_chosen_is_said_clear_of_the_curve(points, chosen):
    figure = pictures.trade_off(points, locality.Point(*chosen))
    ax = figure.axes[0]
    box, = boxes(figure, ax).values()
    line = ax.lines[0].get_xydata()
    assert all(y < box.y0 for _, y in ax.transData.transform(line))
    assert not box.overlaps(ax.title.get_window_extent())
    assert 0 <= box.x0 and box.x1 <= figure.bbox.x1
    ticks = [t.get_text() for axis in (ax.xaxis, ax.yaxis)
             for t in axis.get_ticklabels()]
    assert not any("." in text for text in ticks)  # loads are whole


def some_batch():
    return batch.Batch(16, blocks=[40, 3, 17, 1, 9, 28, 5, 60], nodes=4,
                       start=1_000_000, block=5_400_000, slot=20_000)


def test_a_batch_is_bars_over_use_with_bound_and_t_hat():
    p = batch.plan(some_batch(), "simple")
    figure = pictures.batch_gantt(p, 16)
    bars, use = figure.axes
    assert len(bars.patches) == 8
    for bar, span in zip(bars.patches, sorted(
            p.spans, key=lambda s: (s.start, s.task))):
        assert bar.get_x() == span.start / 1e6
        assert round(bar.get_width() * 1e6) == span.end - span.start
    assert [line.get_xdata()[0] for line in bars.lines] == [
        p.bound / 1e6, p.metrics.t_hat / 1e6]
    assert any(t.startswith("bound ") for t in said(bars))
    assert any(t.startswith("t-hat ") for t in said(bars))
    assert list(use.lines[0].get_ydata()) == [
        s.slots for s in batch.utility(p.spans)]
    assert sorted(figure.table["task"].tolist()) == list(range(8))
    alone = base.new_figure(300, 200).add_subplot()
    assert pictures.batch_gantt(p, 16, ax=alone).axes == [alone]
    assert "<svg" in pictures.svg_of(figure)


def test_a_sweep_is_a_heat_map_with_the_least_framed():
    cells = batch.sweep(some_batch())
    figure = pictures.batch_sweep(cells)
    ax = figure.axes[0]
    assert len(ax.patches) == 15 == len(said(ax))
    least = min(c.metrics.makespan for c in cells)
    framed = [p for p in ax.patches if p.get_linewidth() > 0]
    assert len(framed) == sum(c.metrics.makespan == least for c in cells)
    assert figure.table["makespan"].tolist() == [
        c.metrics.makespan for c in cells]
    assert len(pictures.batch_sweep(cells[:1]).axes[0].patches) == 1


@pytest.mark.parametrize("method", ["simple", "multi", "best"])
@pytest.mark.parametrize("width", [320, 520])
def test_marks_of_a_batch_are_named_clear_of_its_bars(method, width):
    figure = pictures.batch_gantt(batch.plan(some_batch(), method), 16,
                                  width=width)
    ax = figure.axes[0]
    found = boxes(figure, ax)
    assert len(found) == 2
    found["title"] = ax._left_title.get_window_extent()
    assert apart(found)
    assert all(box.y0 >= ax.bbox.y1 for box in found.values())


@pytest.mark.parametrize("wide", [320, 520])
def test_states_of_an_update_are_named_clear_of_its_bars(wide):
    figure = pictures.update_timeline(updated(), [0, 0, 1, 1], width=wide)
    ax = figure.axes[0]
    found = boxes(figure, ax)
    top = max(p.get_window_extent().y1 for p in ax.patches)
    assert len(found) == 6 and apart(found)
    assert all(box.y0 >= top for box in found.values())
    pale, = (t for t in ax.texts if t.get_text() == "old")
    assert pale.get_color() == base.INK  # on its colour
