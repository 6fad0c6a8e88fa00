"""Whole columns at once give what the rules for single values give, digit for
digit; and a table of jobs comes back unchanged."""

from array import array

import pytest

numpy = pytest.importorskip("numpy")

import sked  # noqa: E402
from sked import frames  # noqa: E402
from sked.frames import FrameError  # noqa: E402
from sked.jobs import Jobs  # noqa: E402
from sked.rule import Rule  # noqa: E402

COLUMNS = ("submit", "run", "amounts", "queue", "tasks", "user", "priority",
           "partition")


def tree_of(n=3):
    tree = sked.Tree("cpu=m memory=B gpu=1")
    for i in range(n):
        tree.root.add(f"q{i}")
    tree.root.add("p").add("x")
    return tree


def columns(jobs):
    return [None if getattr(jobs, name) is None else list(getattr(jobs, name))
            for name in COLUMNS]


def both(tree, frame, monkeypatch, **how):
    """What the two ways make of a frame; True where the fast one did it."""
    taken = []
    quick = frames.at_once

    def watched(kind, reader):
        made = quick(kind, reader)
        taken.append(made is not None)
        return made

    with monkeypatch.context() as patch:
        patch.setattr(frames, "at_once", watched)
        fast = Jobs.from_frame(tree, frame, **how)
        patch.setattr(frames, "at_once", lambda kind, reader: None)
        slow = Jobs.from_frame(tree, frame, **how)
    return fast, slow, taken[0]


def drawn(seed, n=500):
    """A frame with numbers of all kinds."""
    rng = numpy.random.default_rng(seed)
    scale = 10.0 ** rng.integers(-6, 6, n)
    return {
        "submit": numpy.where(rng.random(n) < 0.5, rng.integers(0, 10**9, n),
                              rng.random(n) * 1.7e9),
        "run": rng.random(n) * scale + 1e-6,
        "queue": [("root.q{}", "q{}")[i % 2].format(i % 3) for i in range(n)],
        "cpu": numpy.where(rng.random(n) < 0.5, rng.integers(0, 64, n),
                           numpy.round(rng.random(n) * 8, 3)),
        "memory": rng.integers(0, 1 << 40, n),
        "tasks": rng.integers(1, 1000, n),
        "user": [f"u{i}" for i in rng.integers(0, 40, n)],
        "priority": rng.integers(-5, 5, n)}


@pytest.mark.parametrize("seed", range(8))
def test_whole_columns_give_what_single_values_give(seed, monkeypatch):
    tree = tree_of()
    fast, slow, _ = both(tree, drawn(seed), monkeypatch)
    assert columns(fast) == columns(slow)
    pandas = pytest.importorskip("pandas")
    fast, slow, _ = both(tree, pandas.DataFrame(drawn(seed)), monkeypatch)
    assert columns(fast) == columns(slow)


def test_plain_columns_need_no_single_values(monkeypatch):
    frame = {"submit": [3, 0, 1], "run": [1.5, 2.0, 0.25],
             "queue": ["q1", "root.q0", "q1"], "cpu": [0.1, 2.0, 1.5],
             "user": ["b", "a", "b"]}
    fast, slow, taken = both(tree_of(), frame, monkeypatch)
    assert taken and columns(fast) == columns(slow)
    assert list(fast.user) == [2, 1, 1]


@pytest.mark.parametrize("values", [
    [0.1 + 0.2, 0.0001, 1.0005, 2.0], [1 / 3, 2 / 3, 0.9999999, 1.0000001],
    [1e-9, 1e-12, 0.0], [0.0005, 0.0015, 4194304.0005], [123456.7891] * 3,
    [float(1 << 40), 0.5], [0.30000000000000004, 0.1]])
def test_amounts_that_are_hard_are_the_same(values, monkeypatch):
    n = len(values)
    fast, slow, _ = both(tree_of(), {
        "submit": [0] * n, "run": [1] * n, "queue": ["q0"] * n,
        "cpu": values, "memory": [1.5] * n}, monkeypatch)
    assert columns(fast) == columns(slow)


@pytest.mark.parametrize("values", [
    [0.5e-9, 1.5e-9, 2.5e-9], [1e-9, 3.0000000005], [1.7e9, 1.7e9 + 1e-6],
    [4611686017.0, 0.1], [1234567.890123456789] * 2, [2.0**-30, 1e6 + 0.5e-9]])
def test_times_that_are_hard_are_the_same(values, monkeypatch):
    n = len(values)
    fast, slow, _ = both(tree_of(), {
        "submit": values, "run": [v + 1 for v in values],
        "queue": ["q0"] * n, "cpu": [1] * n}, monkeypatch)
    assert columns(fast) == columns(slow)


@pytest.mark.parametrize("name, values", [
    ("run", [1, 0]), ("run", [1.0, float("nan")]), ("run", [1, True]),
    ("cpu", [1, -1]), ("queue", ["q0", "nowhere"]), ("queue", ["q0", "p"]),
    ("tasks", [1, 2.5]), ("submit", [0, 10**12]), ("cpu", [1, float("inf")])])
def test_faults_have_their_column_and_row(name, values):
    frame = {"submit": [0, 1], "run": [1, 1], "queue": ["q0", "q1"],
             "cpu": [1, 1], "tasks": [1, 1], name: values}
    with pytest.raises(FrameError) as caught:
        Jobs.from_frame(tree_of(), frame)
    assert (caught.value.column, caught.value.row) == (name, 1)


def dated(package, zone, unit, spans):
    """A frame of dates: submission and run, or start and end."""
    rng = numpy.random.default_rng(7)
    start = rng.integers(0, 10**9, 200).astype("M8[s]").astype(f"M8[{unit}]")
    run = rng.integers(1, 10**6, 200).astype("m8[s]").astype(f"m8[{unit}]")
    said = {"start": start, "end": start + run} if spans else {
        "submit": start, "run": run}
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({**said, "queue": ["q0"] * 200,
                              "cpu": rng.integers(1, 9, 200)})
    for name in said if zone else ():
        if name != "run":
            frame[name] = frame[name].dt.tz_localize("UTC").dt.tz_convert(zone)
    if package == "pandas":
        return frame
    if package == "polars":
        return pytest.importorskip("polars").from_pandas(frame)
    return pytest.importorskip("pyarrow").Table.from_pandas(frame)


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("zone", [None, "Asia/Kolkata"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("spans", [True, False])
def test_dates_are_taken_at_once(package, zone, unit, spans, monkeypatch):
    frame = dated(package, zone, unit, spans)
    fast, slow, taken = both(tree_of(), frame, monkeypatch)
    assert taken and columns(fast) == columns(slow)
    fast, slow, taken = both(tree_of(), frame, monkeypatch,
                             zone="America/New_York")
    assert taken == bool(zone) and columns(fast) == columns(slow)


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("change, column", [
    ({"end": 3}, "end"), ({"start": 3}, "start"), ({"run": "start"}, "run")])
def test_dates_that_do_not_fit_have_their_row(package, change, column):
    pandas = pytest.importorskip("pandas")
    frame = dated("pandas", "UTC", "us", True)
    for name, what in change.items():
        if what == "start":
            frame[name] = frame["start"]  # a date is no length of time
        elif name == "end":
            frame.loc[what, "end"] = frame.loc[what, "start"]
        else:
            frame.loc[what, name] = pandas.NaT
    if package == "polars":
        frame = pytest.importorskip("polars").from_pandas(frame)
    if package == "pyarrow":
        frame = pytest.importorskip("pyarrow").Table.from_pandas(frame)
    with pytest.raises(FrameError) as caught:
        Jobs.from_frame(tree_of(), frame)
    assert caught.value.column == column
    assert caught.value.row == (0 if "run" in change else 3)


def test_nulls_are_what_they_were(monkeypatch):
    frame = {"submit": [0, 1], "run": [1, 1], "queue": ["q0", "q1"],
             "cpu": [1, None], "user": ["a", None], "tasks": [None, 3]}
    fast, slow, taken = both(tree_of(), frame, monkeypatch)
    assert not taken and columns(fast) == columns(slow)


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_table_of_jobs_comes_back_unchanged(package):
    pytest.importorskip(package)
    tree = tree_of()
    jobs = Jobs.from_frame(tree, drawn(3, 50))
    jobs.partition = array("I", [i % 3 for i in range(50)])
    table = getattr(jobs, f"to_{package}")()
    assert columns(Jobs.from_frame(tree, table)) == columns(jobs)
    few = Jobs(jobs.submit, jobs.run, jobs.amounts, jobs.queue)
    again = Jobs.from_frame(tree, getattr(few, f"to_{package}")())
    assert columns(again) == columns(few) and again.tasks is None


@pytest.mark.parametrize("package", ["pandas", "polars"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Stockholm"])
def test_every_column_of_jobs_comes_back(package, zone):
    """Dates too, to the nanosecond; streams, transfers, rules; no rows at all."""
    pytest.importorskip(package)
    tree = tree_of()
    jobs = Jobs.from_frame(tree, drawn(3, 50))
    jobs.submit = array("q", [10**18 + 7 * i for i in range(50)])
    jobs.run = array("q", [1 + 10**9 * i for i in range(50)])
    jobs.stream = array("Q", [i % 4 for i in range(50)])
    jobs.transfer = array("q", [i * 3 for i in range(50)])
    jobs.rule = array("I", [i % 3 for i in range(50)])
    jobs.rules = [Rule(), Rule()]
    frame = getattr(jobs, f"to_{package}")(zone=zone)
    assert ("submit" in frame.columns) == (zone is not None)
    again = Jobs.from_frame(tree, frame, rules=jobs.rules)
    for name in ("submit", "run", "amounts", "queue", "tasks", "user",
                 "priority", "partition", "stream", "transfer", "rule",
                 "rules"):
        assert getattr(again, name) == getattr(jobs, name), name
    with pytest.raises(FrameError, match="row 1: 1: is no rule"):
        Jobs.from_frame(tree, frame)
    empty = Jobs(array("q"), array("q"), array("q"), array("Q"))
    back = Jobs.from_frame(tree, getattr(empty, f"to_{package}")(zone=zone)) \
        if zone is None else empty
    assert len(back) == 0 and len(back.amounts) == 0
    jobs.place_offsets = array("i", [0] * 51)
    with pytest.raises(ValueError, match="do not fit into a frame"):
        getattr(jobs, f"to_{package}")()


def test_a_table_of_jobs_is_checked():
    pytest.importorskip("pandas")
    tree = tree_of()
    jobs = Jobs.from_frame(tree, drawn(3, 5))
    frame = jobs.to_pandas()
    table = {name: list(frame[name]) for name in frame.columns}
    with pytest.raises(FrameError) as caught:
        Jobs.from_frame(tree, {**table, "queue": [1] * 5})
    assert (caught.value.column, caught.value.row) == ("queue", 0)
    with pytest.raises(FrameError) as caught:
        Jobs.from_frame(tree, {**table, "tasks": [1, 2, 3.5, 4, 5]})
    assert (caught.value.column, caught.value.row) == ("tasks", 2)
    with pytest.raises(ValueError, match="color"):
        Jobs.from_frame(tree, {**table, "color": [1] * 5})
    with pytest.raises(ValueError, match="amount.2"):
        Jobs.from_frame(tree, {name: column for name, column in table.items()
                               if name != "amount.2"})
