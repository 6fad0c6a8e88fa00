"""What pictures show: their lines, bars and labels, not their pixels."""

import itertools
import math
import random
import re
import subprocess
import sys
import warnings
import xml.dom.minidom

import pytest

matplotlib = pytest.importorskip("matplotlib", reason="libsked[plot] is missing")

import sked  # noqa: E402
from sked import pictures, plan, preempt, sim  # noqa: E402
from sked.columns import Table, convert_column  # noqa: E402
from sked.pictures import base, forecast, icicle, words  # noqa: E402

from test_pictures_of_work import updated  # noqa: E402

#: What the DynoYARN article printed: multiplier, p95 delay in minutes.
DYNOYARN = [(1, 4.633), (1.5, 8.769), (1.6, 10.278), (1.7, 19.653),
            (1.8, 22.815), (1.9, 43.029)]
SECOND = 10**9


def said(ax):
    """Every text in an axes."""
    return [t.get_text() for t in ax.texts]


def column(values):
    return convert_column(values)


def test_the_percentile_curve_is_that_of_the_history():
    history = plan.History()
    history.units([50, 30, 15, 5], [10_000, 20_000, 26_000, 62_000])
    points = history.percentile(0, [0.8, 0.95])
    figure = pictures.percentile_curve(history.curve(), points,
                                       thresholds=[0.8, 0.95])
    ax = figure.axes[0]
    curve = ax.lines[0]
    assert list(curve.get_xdata()) == [0, 50, 80, 95, 100]
    assert list(curve.get_ydata()) == [10, 10, 20, 26, 62]
    for line, (x, y) in zip(ax.lines[1:], [(80, 20), (95, 26)]):
        assert list(line.get_xdata()) == [0, x, x]
        assert list(line.get_ydata()) == [y, y, 0]
    assert said(ax) == ["80 % of the time: 20 cores",
                        "95 % of the time: 26 cores",
                        "peak 62 cores for 5 % of the time"]
    assert figure.table["amount"].tolist() == [10_000, 20_000, 26_000, 62_000]


def test_a_queue_never_in_use_has_an_empty_curve():
    history = plan.History()
    figure = pictures.percentile_curve(history.curve())
    assert figure.axes[0].lines == [] or len(figure.axes[0].lines) == 0
    assert "<svg" in pictures.svg_of(figure)


def test_growth_interpolates_the_published_limit():
    points = [(m, 60 * minutes) for m, minutes in DYNOYARN]
    figure = pictures.growth(points, 600, nodes=7152)
    assert round(figure.limit.multiplier, 2) == 1.58
    assert "limit 1.58\u00d7 the work on the same 7,152 nodes" in said(
        figure.axes[0])
    line = figure.axes[0].lines[0]
    assert list(line.get_xdata()) == [m for m, _ in DYNOYARN]


def test_a_limit_under_a_low_target_stands_above_the_picture():
    points = [(0.2, 1), (0.3, 30), (1, 1000)]
    figure = pictures.growth(points, 20, nodes=1)
    assert "limit 0.27\u00d7" in figure.axes[0].get_title(loc="right")
    assert "nodes" not in figure.axes[0].get_title(loc="right")
    for width, nodes in ((520, True), (340, False)):
        figure = pictures.growth(points, 20, nodes=70, width=width)
        assert ("nodes" in figure.axes[0].get_title(loc="right")) is nodes
    figure = pictures.growth(points, 400, nodes=100)
    assert not figure.axes[0].get_title(loc="right")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("delays", [(0, 0), (0, 9), (5, 4000)])
def test_growth_may_have_a_target_of_nothing(delays):
    figure = pictures.growth([(1, delays[0]), (2, delays[1])], 0)
    assert len(figure.axes[0].get_yticks()) > 1
    assert "<svg" in pictures.svg_of(figure)


@pytest.mark.parametrize("target, words_", [
    (60, "over the target at every multiplier tried"),
    (6000, "within the target at every multiplier tried")])
def test_growth_says_where_there_is_no_limit(target, words_):
    figure = pictures.growth([(1, 280), (2, 900)], target)
    assert figure.limit.multiplier is None
    assert words_ in said(figure.axes[0])


def objectives(met):
    """Ten runs of each workflow in turn; so many of them in time."""
    workflow = [w for w in range(len(met)) for _ in range(10)]
    end = [5 if k < m else 50 for m in met for k in range(10)]
    return plan.objectives([10] * len(met), workflow, [0] * len(end), end,
                           tier=[1 + w % 2 for w in range(len(met))])


def test_the_dashboard_has_a_line_for_each_tier():
    days = [objectives([10, 9, 8, 2]), objectives([10, 10, 10, 2])]
    figure = pictures.slo_dashboard(
        days, ["batch", "rest"], worst=[("etl", 10, 2)], labels=["d1", "d2"])
    ax, worst = figure.axes
    assert list(ax.lines[0].get_ydata()) == [50, 100]
    assert list(ax.lines[1].get_ydata()) == [50, 50]
    assert "batch 100 %" in said(ax) and "rest 50 %" in said(ax)
    assert all(t.xyann == (5, 0) for t in ax.texts if t.get_text()[0] in "br")
    assert "target 90 %" in said(ax)
    assert said(worst) == ["etl", "2 of 10"]
    assert figure.table.to_dict()["per_cent"] == [50, 100, 50, 50]


def small_run():
    tree = sked.Tree("cpu=m")
    queues = [tree.root.add(name, weight=weight, guarantee=f"cpu={weight}")
              for name, weight in (("a", 3), ("$b<i>", 1))]
    tree.commit()
    draw = random.Random(4)
    rows = sorted(({"submit_s": draw.random() * 600, "run_s": draw.randrange(
        20, 200), "queue": queues[draw.random() < 0.4], "amount": "cpu=1",
        "tasks": draw.randrange(1, 6)} for _ in range(80)),
        key=lambda row: row["submit_s"])
    jobs = sim.Jobs.of(tree, rows)
    options = sim.Options(sample_every=10 * SECOND)
    run = sim.Sim(tree, jobs, [sim.Nodes(4, "cpu=2")], options)
    return run, queues, rows


def test_usage_is_stacked_below_the_capacity():
    run, queues, _ = small_run()
    run.run()
    samples = {q.name: run.samples(q) for q in queues}
    figure = pictures.usage_over_time(samples, 8000)
    ax = figure.axes[0]
    assert list(ax.lines[0].get_ydata()) == [8, 8]
    assert "capacity 8 cores" in said(ax)
    assert {"a", "$b<i>"} <= set(said(ax))
    top = ax.collections[-1].get_datalim(ax.transData).ymax
    both = [x + y for x, y in zip(*(s["usage"].tolist()
                                    for s in samples.values()))]
    assert top == max(both) / 1000


def test_stretches_below_the_share_are_marked():
    table = Table({"time": column([0, 10 * SECOND, 20 * SECOND, 30 * SECOND]),
                   "usage": column([1000, 4000, 2000, 2000]),
                   "share": column([3000, 4000, 4000, 4000]),
                   "pending": column([2500, 0, 9000, 9000])})
    assert pictures.below_share(table) == [
        (0, 10 * SECOND, 2000), (20 * SECOND, 30 * SECOND, 2000)]
    figure = pictures.fair_share(table)
    usage, share = figure.axes[0].lines
    assert list(usage.get_ydata()) == [1, 4, 2, 2]
    assert list(share.get_ydata()) == [3, 4, 4, 4]
    assert sorted(figure.sked_hover.values()) == [
        "below its share for 10 s, by up to 2 cores"] * 2


def test_long_series_are_drawn_by_the_pixel():
    n = 50_000
    table = Table({"time": column([i * SECOND for i in range(n)]),
                   "usage": column([1000 * (i % 2) for i in range(n)]),
                   "share": column([1000] * n), "pending": column([5] * n)})
    figure = pictures.fair_share(table)
    assert len(figure.axes[0].lines[0].get_xdata()) <= 520
    assert len(pictures.svg_of(figure)) < 60_000


def test_the_icicle_shares_out_the_width():
    tree = sked.Tree("cpu=1")
    a = tree.root.add("a")
    a.add("x")
    tree.root.add("b")
    tree.commit()
    share = {"root": 100, "root.a": 75, "root.a.x": 75, "root.b": 25}
    usage = {"root": 80, "root.a": 75, "root.a.x": 75, "root.b": 5}
    made = {c.path: c for c in icicle.cells(tree, share, usage)}
    assert (made["root.b"].left, made["root.b"].width) == (0.75, 0.25)
    assert made["root.a.x"].width == 0.75
    assert made["root.a"].colours == icicle.STEPS[3][1:]
    assert made["root.b"].colours == icicle.STEPS[0][1:]
    figure = pictures.queue_tree(tree, share, usage, unit="1")
    assert "a \u00b7 100 %" in said(figure.axes[0])
    assert any(t.startswith("root.b: uses 5 cores, fair share 25 cores")
               for t in figure.sked_hover.values())


def test_ten_thousand_queues_fold_into_pixels():
    tree = sked.Tree.from_text("kinds cpu=1\nroot\n" + "".join(
        f"root.q{i}\n" for i in range(10_000)))
    share = {q.path: 1 for q in tree} | {"root": 10_000}
    figure = pictures.queue_tree(tree, share, {}, unit="1")
    assert len(figure.sked_hover) < 100
    assert abs(figure.sked_small[1] - 1) < 1e-9


def test_the_schedule_is_what_the_run_did():
    run, _, rows = small_run()
    seen = pictures.Watched()
    run.run(seen)
    tasks = seen.tasks()
    assert sum(tasks["count"].tolist()) == sum(r["tasks"] for r in rows)
    held = [1000 * n for n in tasks["count"].tolist()]
    by_hand = sum(h * (e - s) for h, s, e in zip(
        held, tasks["start"].tolist(), tasks["end"].tolist()))
    assert by_hand == run.fared(run.tree.root).work["cpu"]
    figure = pictures.gantt(tasks, held, [2000] * 4)
    upper, lower = figure.axes
    used = lower.lines[0].get_ydata()
    length = (max(tasks["end"].tolist()) - min(tasks["start"].tolist()))
    assert abs(used.mean() * 1000 * length / by_hand - 1) < 1e-9
    assert any(t.startswith("tail ") for t in said(lower))


def test_a_million_tasks_stay_small():
    numpy = pytest.importorskip("numpy")
    draw = numpy.random.default_rng(1)
    n = 1_000_000
    start = draw.integers(0, 86_400, n) * SECOND
    node = draw.integers(0, 5000, n)
    tasks = Table({"node": column(node.tolist()),
                   "start": column(start.tolist()),
                   "end": column((start + draw.integers(
                       1, 3000, n) * SECOND).tolist())})
    figure = pictures.gantt(tasks, numpy.full(n, 1000), [32_000] * 5000)
    assert len(pictures.svg_of(figure)) < 400_000


def late_claim():
    """One queue has all when another asks for what it is guaranteed."""
    tree = sked.Tree("cpu=m")
    queues = [tree.root.add(name, guarantee="cpu=4") for name in "ab"]
    tree.commit()
    jobs = sim.Jobs.of(tree, [
        {"submit_s": 60 * i, "run_s": 600, "queue": q, "amount": "cpu=1",
         "tasks": 8} for i, q in enumerate(queues)])
    how = preempt.Preemption(
        targets={"dialect": preempt.Dialect.IMBALANCE,
                 "flags": preempt.TargetFlag.BY_WEIGHT,
                 "per_round": 1_000_000, "ignored": -1, "factor": 1_000_000},
        rounds={"grace": 10 * SECOND})
    return sim.Sim(tree, jobs, [sim.Nodes(4, "cpu=2")],
                   sim.Options(preempt=how)), queues


def test_preemption_is_told_over_time():
    run, queues = late_claim()
    acts = pictures.Acts()
    run.run(acts)
    total = run.total
    table = acts.table()
    kinds = dict.fromkeys((5, 6, 7), 0)
    for _, kind, count, _ in table.rows():
        kinds[kind] += count
    assert (kinds[5], kinds[6]) == (total.notified, total.killed)
    assert total.notified > 0
    figure = pictures.preemption_timeline(
        table, {q.path: 60 * SECOND for q in queues}, begin=total.first_submit,
        end=total.end)
    upper, lower = figure.axes
    assert f"{total.notified:,} notices" in said(upper)
    assert sum(bar.get_height() for bar in upper.containers[0]) == \
        total.notified
    assert "root.a" in said(lower)


def every_picture(width=520):
    history = plan.History()
    history.units([50, 50], [10_000, 20_000])
    run, queues, _ = small_run()
    run.run()
    tree = run.tree
    share = {q.path: 4000 for q in tree}
    return {
        "percentile": pictures.percentile_curve(history.curve(), width=width),
        "growth": pictures.growth([(1, 5), (2, 20)], 10, width=width),
        "slo": pictures.slo_dashboard([objectives([1])], width=width),
        "usage": pictures.usage_over_time(
            {q.name: run.samples(q) for q in queues}, 8000, width=width),
        "trade": pictures.trade_off([(3, 2), (4, 0)], width=width),
        "update": pictures.update_timeline(updated(), width=width),
        "tree": pictures.queue_tree(tree, share, share, width=width)}


def test_svg_is_the_same_bytes_and_well_formed():
    first, again = every_picture(), every_picture()
    for name in first:
        svg = pictures.svg_of(first[name], "p-")
        assert svg == pictures.svg_of(again[name], "p-")
        assert svg == pictures.svg_of(first[name], "p-")
        xml.dom.minidom.parseString(svg)
        assert "<script" not in svg and "$b<i>" not in svg
        assert not re.search(r"\d{4}-\d\d-\d\d", svg)
        assert all(i.startswith("p-") for i in re.findall(r'id="([^"]*)"', svg))
    assert "$b&lt;i&gt;" in pictures.svg_of(first["usage"])


def test_words_keep_their_digits():
    svg = pictures.svg_of(pictures.growth([(1, 590), (1.05, 620)], 600))
    assert "limit 1.02\u00d7" in svg and "1.05\u00d7" in svg
    assert not re.search(r'd="[^"]*\d\.\d\d', svg)


def test_nothing_global_is_touched():
    code = ("import matplotlib as m; before = m.rcParams.copy()\n"
            "import sys, sked.pictures as p\n"
            "f = p.growth([(1, 5), (2, 20)], 10); p.svg_of(f)\n"
            "assert m.rcParams.copy() == before\n"
            "assert 'matplotlib.pyplot' not in sys.modules\n"
            "assert f._repr_svg_().startswith('<svg')\n")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_absent_matplotlib_is_one_clear_message():
    code = ("import sys; sys.modules['matplotlib'] = None\n"
            "import sked.pictures as p\n"
            "try: p.growth([(1, 5)], 10)\n"
            "except ImportError as e: print(e)\n")
    run = subprocess.run([sys.executable, "-c", code], check=True,
                         capture_output=True, text=True)
    assert run.stdout.strip() == ("pictures are drawn by matplotlib, which is "
                                  "not installed: pip install 'libsked[plot]'")


def test_axes_that_are_given_are_drawn_in():
    from matplotlib.figure import Figure
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert pictures.growth([(1, 5), (2, 20)], 10, ax=left) is figure
    assert pictures.fair_share(Table({
        "time": column([0]), "usage": column([1]), "share": column([1]),
        "pending": column([0])}),
        ax=right) is figure
    assert left.lines and right.lines


def test_odd_names_draw_without_a_warning():
    tree = sked.Tree("cpu=1")
    names = ["<script>alert(1)</script>", "\u0639\u0644\u064a", "$x_1$", "a\tb"]
    for name in names:
        tree.root.add(name)
    tree.commit()
    share = {q.path: 10 for q in tree}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg = pictures.svg_of(pictures.queue_tree(tree, share, share))
    assert "<script" not in svg and "$x_1$" in svg
    xml.dom.minidom.parseString(svg)


def luminance(colour):
    channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
              for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(a, b):
    one, two = sorted((luminance(a), luminance(b)))
    return (two + 0.05) / (one + 0.05)


def test_colours_read_on_both_pages():
    for colour in (*base.SERIES, base.INK):
        assert contrast(colour, base.PAPER) >= 4.5
        assert contrast(base.DARK[colour], base.DARK[base.PAPER]) >= 4.5


def test_names_in_the_queue_tree_read_in_both_themes():
    for fill, ink in [step[1:] for step in icicle.STEPS] + [icicle.NONE]:
        assert contrast(fill, ink) >= 4.5
        assert not {fill, ink} & set(base.DARK)  # the same on a dark page



#: What red, green and blue (linear) look like to eyes without red, or green,
#: cones (Machado, Oliveira and Fernandes 2009, severity 1), and to usual eyes.
EYES = {"usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        "protan": ((0.152286, 1.052583, -0.204868),
                   (0.114503, 0.786281, 0.099216),
                   (-0.003882, -0.048116, 1.051998)),
        "deutan": ((0.367322, 0.860646, -0.227968),
                   (0.280085, 0.672501, 0.047413),
                   (-0.011820, 0.042940, 0.968881))}
WHITE = (0.95047, 1.0, 1.08883)
TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750),
          (0.0193339, 0.1191920, 0.9503041))
CHARTS = {
    "series": base.SERIES, "levels": base.LEVELS,
    "series, dark": [base.DARK[c] for c in base.SERIES],
    "levels, dark": [base.DARK[c] for c in base.LEVELS],
    "icicle": [*(fill for _, fill, _ in icicle.STEPS), icicle.NONE[0]]}


def lab_seen_by(colour, eyes):
    """A colour as eyes see it, in CIE 1976 L*a*b*."""
    channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
              for c in channels]
    seen = [min(1, max(0, sum(w * c for w, c in zip(row, linear))))
            for row in EYES[eyes]]
    x, y, z = (sum(w * c for w, c in zip(row, seen)) / white
               for row, white in zip(TO_XYZ, WHITE))
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116
               for v in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def test_colours_are_measured_as_others_measure_them():
    """White, a middle grey and sRGB's red have known places in L*a*b*."""
    for colour, place in (("#ffffff", (100, 0, 0)), ("#777777", (50.03, 0, 0)),
                          ("#ff0000", (53.24, 80.09, 67.2))):
        assert lab_seen_by(colour, "usual") == pytest.approx(place, abs=0.05)


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("chart", CHARTS)
def test_any_two_colours_of_a_chart_differ_for_all_eyes(chart, eyes):
    seen = {colour: lab_seen_by(colour, eyes) for colour in CHARTS[chart]}
    for one, two in itertools.combinations(seen, 2):
        assert math.dist(seen[one], seen[two]) >= 20, (one, two)


@pytest.mark.parametrize("value, text", [
    (0, "0 s"), (0.5, "0.5 s"), (61, "61 s"), (600, "10 min"),
    (7200, "2 h"), (864000, "10 d")])
def test_times_read_as_people_say_them(value, text):
    assert words.span(value) == text


def test_trees_and_gantts_take_what_the_library_gives():
    from datetime import datetime
    from sked.columns import Table, convert_column
    from sked.pictures import gantt, queue_tree
    tree = sked.Tree("cpu=m", capacity="cpu=10")
    a, b = tree.root.add("a"), tree.root.add("b")
    a.demand = b.demand = "cpu=8"
    a.usage = "cpu=3"
    figure = queue_tree(tree, tree.fair_shares(), tree.ledger)
    rows = dict(zip(figure.table["path"].tolist(), figure.table.rows()))
    assert rows["root.a"][1:] == (5000, 3000)
    tasks = Table({name: convert_column(values) for name, values in (
        ("node", [0, 0, 1]), ("start", [0, 10, 0]), ("end", [10, 20, 5]),
        ("count", [2, 3, 1]), ("job", [0, 1, 2]))})
    from sked.pictures.schedule import _most_held
    import numpy
    cols = {n: numpy.asarray(tasks[n], dtype=float)
            for n in ("node", "start", "end")}
    assert _most_held(cols, numpy.array([2.0, 3.0, 1.0])).tolist() == [3, 1]
    assert gantt(tasks).table is tasks
    hours = Table({name: convert_column([v * 3600 * SECOND for v in tasks[name]])
                   if name in ("start", "end") else tasks[name]
                   for name in tasks})
    dated = gantt(hours, start=datetime(2026, 5, 1, 12))
    assert "00:00" in [t.get_text()
                       for t in dated.axes[-1].get_xticklabels()]


def test_cut_names_stay_apart_and_dates_have_places():
    import datetime as dt
    from sked.pictures import base, queue_length, wait_lengths, words
    names = [f"department-{i}-of-the-company" for i in range(5)]
    assert len(set(base.distinct(names, 12).values())) == 5
    places, said = words.date_ticks(86400 * 30, dt.datetime(2026, 5, 1), 6)
    assert said[0] == "1 May" and len(places) == len(said) <= 7
    assert words.date_ticks(7200, None) == words.clock_ticks(7200, 6)
    figure = queue_length([(0, 3), (5 * 10**9, 0)], end=10 * 10**9)
    assert max(figure.table["jobs"].tolist()) == 3
    figure = wait_lengths({"recorded": [3, 1], "simulated": [4, 0]},
                          ["short", "long"])
    assert figure.table["recorded"].tolist() == [3, 1]


def test_bytes_have_binary_ticks():
    """Of 16 nodes of 373 GiB each no tick is a decimal step."""
    from sked.pictures import gantt
    node = 373 << 30
    tasks = Table({name: convert_column(values) for name, values in (
        ("node", list(range(16))), ("start", [0] * 16),
        ("end", [3600 * SECOND] * 16), ("count", [1] * 16),
        ("job", list(range(16))))})
    figure = gantt(tasks, [node] * 16, [node] * 16, kind="memory", unit="B")
    said = [t.get_text() for t in figure.axes[-1].get_yticklabels()]
    assert said == ["0 B", "2 TiB", "4 TiB"], said
