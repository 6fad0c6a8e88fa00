"""Frames in and out, and numbers that are none: what fits is taken exactly, what
does not is an error with its column, row and value."""

import datetime as dt
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import sked
from sked import Jobs, Tree
from sked.columns import Table, Texts, convert_column, whole
from sked.frames import FrameError
from sked.importers import read_workload

UTC = dt.timezone.utc


def make():
    """A tree of two leaves."""
    tree = Tree("cpu=m memory=B gpu=m")
    tree.root.add("ads")
    tree.root.add("web").add("front")
    tree.commit()
    return tree


GOOD = {"submit": [3.0, 1.5, 2.0], "run": [60.0, 1.0, 2.25],
        "queue": ["ads", "root.ads", "web.front"], "cpu": [1.0, 0.5, 2.0],
        "memory": ["4GiB", 1024, None], "user": ["eve", "bob", "eve"],
        "tasks": [None, 2, 3]}


def frames():
    """The same in every kind of frame that is installed."""
    kinds = {"dict": lambda d: d}
    plain = {**GOOD, "memory": [4 << 30, 1024, None]}
    for name, build in (("pandas", "DataFrame"), ("polars", "DataFrame"),
                        ("pyarrow", "table")):
        try:
            module = __import__(name)
        except ImportError:
            continue
        kinds[name] = getattr(module, build)
    return [pytest.param(GOOD if n == "dict" else build(plain), id=n)
            for n, build in kinds.items()]


@pytest.mark.parametrize("frame", frames())
def test_frames_become_jobs(frame):
    tree = make()
    jobs = Jobs.from_frame(tree, frame)
    assert jobs.submit.tolist() == [1_500_000_000, 2_000_000_000, 3_000_000_000]
    assert jobs.run.tolist() == [10**9, 2_250_000_000, 60 * 10**9]
    assert jobs.amounts.tolist() == [500, 1024, 0, 2000, 0, 0, 1000, 4 << 30, 0]
    assert jobs.tasks.tolist() == [2, 3, 1]
    assert jobs.user.tolist() == [2, 1, 1]
    assert [tree.root.children[0].id] * 2 == [jobs.queue[0], jobs.queue[2]]
    assert repr(jobs) == ("<Jobs: 3 jobs of 6 tasks in 2 queues, submitted over "
                          "1.5 s>")


def test_a_float_is_the_number_that_it_is_written_as():
    """No core becomes a thousandth more because 0.1 is no binary fraction."""
    tree = make()
    base = {"submit": [0], "run": [1], "queue": ["ads"]}

    def cores(said):
        return Jobs.from_frame(tree, {**base, "cpu": [said]}).amounts[0]

    for thousandths in (*range(1, 3000, 7), 999_999):
        assert cores(thousandths / 1000) == thousandths
    assert [cores(0.1 + 0.2), cores(0.0001), cores(Fraction(1, 10))] == [
        300, 1, 100]
    numpy = pytest.importorskip("numpy")
    assert cores(numpy.float32(0.1)) == cores(float(numpy.float32(0.1))) == 100
    for bad in (float("inf"), -0.1):
        with pytest.raises(FrameError, match="finite|negative"):
            cores(bad)


def test_dates_have_zones():
    tree = make()
    noon = dt.datetime(2026, 5, 1, 12)
    said = [noon, noon.replace(tzinfo=UTC),
            noon.replace(tzinfo=dt.timezone(dt.timedelta(hours=2)))]
    frame = {"submit": said, "run": [dt.timedelta(minutes=1)] * 3,
             "queue": ["ads"] * 3, "cpu": [1] * 3}
    utc = int(noon.replace(tzinfo=UTC).timestamp()) * 10**9
    hour = 3600 * 10**9
    assert Jobs.from_frame(tree, frame).submit.tolist() == [
        utc - 2 * hour, utc, utc]
    assert Jobs.from_frame(tree, frame, zone="Asia/Tokyo").submit.tolist() == [
        utc - 9 * hour, utc - 2 * hour, utc]


def test_times_of_numpy_are_times():
    np = pytest.importorskip("numpy")
    frame = {"submit": np.array(["2026-05-01T12", "NaT"], "datetime64[h]"),
             "run": np.array([90, 5], "timedelta64[s]"),
             "queue": ["ads"] * 2, "cpu": [1, 1]}
    with pytest.raises(FrameError, match="'submit', row 1: None: is missing"):
        Jobs.from_frame(make(), frame)
    frame["submit"][1] = np.datetime64("2026-05-01T13")
    jobs = Jobs.from_frame(make(), frame)
    assert jobs.run.tolist() == [90 * 10**9, 5 * 10**9]
    assert jobs.submit[1] - jobs.submit[0] == 3600 * 10**9
    with pytest.raises(ValueError, match="zone: no time zone 'Mars/X'"):
        Jobs.from_frame(make(), frame, zone="Mars/X")


def test_starts_and_ends_are_runs_and_columns_have_other_names():
    jobs = Jobs.from_frame(
        make(), {"from": [5], "to": [7], "q": ["ads"], "cores": [3],
                 "note": ["x"], "mem": [1]},
        columns={"start": "from", "end": "to", "queue": "q", "cpu": "cores",
                 "memory": "mem"}, units={"memory": "GiB"}, ignore=["note"])
    assert (jobs.submit[0], jobs.run[0]) == (5 * 10**9, 2 * 10**9)
    assert jobs.amounts.tolist() == [3000, 1 << 30, 0]


BAD = [
    ({"cpu": [1, "many", 2]}, "cpu", 1, "many"),
    ({"cpu": [1, -2, 2]}, "cpu", 1, "negative"),
    ({"memory": [1, None, Fraction(1, 3)]}, "memory", 2, "whole number"),
    ({"run": [1, 0, 1]}, "run", 1, "above 0"),
    ({"run": [1, 1, None]}, "run", 2, "missing"),
    ({"submit": ["2026-05-01", 1, 1]}, "submit", 0, "seconds"),
    ({"queue": ["ads", "adz", "ads"]}, "queue", 1, "did you mean"),
    ({"queue": ["ads", "web", "ads"]}, "queue", 1, "no leaf"),
    ({"tasks": [1, 2.5, 1]}, "tasks", 1, "2.5"),
    ({"tasks": [1, "2", 1]}, "tasks", 1, "a text"),
]


@pytest.mark.parametrize("change, column, row, what", BAD)
def test_what_does_not_fit_is_named(change, column, row, what):
    with pytest.raises(FrameError, match=what) as error:
        Jobs.from_frame(make(), {**GOOD, **change})
    assert (error.value.column, error.value.row) == (column, row)
    assert error.value.value == change[column][row]
    assert f"column {column!r}, row {row}" in str(error.value)


def test_no_column_is_passed_over():
    tree = make()
    with pytest.raises(ValueError, match="'prioritie' is not read.*'priority'"):
        Jobs.from_frame(tree, {**GOOD, "prioritie": [1, 2, 3]})
    with pytest.raises(ValueError, match="no field 'quue'.*'queue'"):
        Jobs.from_frame(tree, GOOD, columns={"quue": "queue"})
    with pytest.raises(ValueError, match="no column 'q'"):
        Jobs.from_frame(tree, GOOD, columns={"queue": "q"})
    with pytest.raises(ValueError, match="no unit of 'cpu'"):
        Jobs.from_frame(tree, GOOD, units={"cpu": "GiB"})
    for missing in ("queue", "run", "submit"):
        with pytest.raises(ValueError, match=f"needs a column {missing}"):
            Jobs.from_frame(tree, {k: v for k, v in GOOD.items()
                                   if k != missing})
    with pytest.raises(KeyError, match="no field 'task'.*'tasks'"):
        Jobs.of(tree, [{"queue": "root.ads", "run_s": 1, "amount": "cpu=1",
                        "task": 2}])
    with pytest.raises(TypeError, match="from_frame"):
        Jobs.of(tree, GOOD)


@pytest.mark.parametrize("column, error, what", [
    (["a", "b"], TypeError, "row 0: 'a' is a text"),
    ([1, "b"], TypeError, "row 1: 'b' is a text"),
    ([1, 2.5], ValueError, "row 1: 2.5 is no whole number"),
    ([1, None], TypeError, "row 1: is missing"),
    ([1, 1 << 70], OverflowError, r"row 1: 1\d+ is not within 2\^63"),
    ([1, -1], ValueError, r"demand is out of range \(row 1: -1\)"),
    ([[1, 2], [3, object()]], TypeError, "row 1: .* is no number"),
    ([[1, 2], [3, 4], [5.5, 6]], ValueError, "row 2: 5.5 is no whole"),
    ([[1, 2], [1 << 70, 4]], OverflowError, "row 1: 1")])
def test_columns_of_no_numbers_say_so(column, error, what):
    with pytest.raises(error, match=what):
        sked.fill(10, demand=column)


def test_whole_numbers_in_other_dress_are_taken():
    assert sked.fill(10, demand=[1.0, 2.0]).share.tolist() == [1, 2]
    assert whole(dt.timedelta(seconds=2)) == 2 * 10**9
    assert whole(dt.datetime(1970, 1, 2)) == 86_400 * 10**9
    for bad in ("1", None, float("nan"), 1.5, object()):
        with pytest.raises((TypeError, ValueError)):
            whole(bad)


def test_narrow_numbers_of_numpy_are_seconds_and_units_too():
    numpy = pytest.importorskip("numpy")
    tree = sked.Tree("cpu=m memory=B")
    tree.root.add("a")
    for kind in ("i4", "u1", "u4", "i8"):
        jobs = sked.Jobs.from_frame(tree, {
            "submit": numpy.array([0, 100], kind), "queue": ["a", "a"],
            "run": numpy.array([30, 40], kind),
            "memory": numpy.array([4, 8], kind)}, units={"memory": "GiB"})
        assert jobs.submit.tolist() == [0, 100 * 10**9]
        assert jobs.run.tolist() == [30 * 10**9, 40 * 10**9]
        assert jobs.amounts.tolist() == [0, 4 << 30, 0, 8 << 30]
        said = sked.Jobs.of(tree, [{"queue": "root.a", "amount": "cpu=1",
                                    "run_s": numpy.array([30], kind)[0]}])
        assert said.run.tolist() == [30 * 10**9]
    half = numpy.array([1.5], "f4")
    jobs = sked.Jobs.from_frame(tree, {"submit": half, "run": half, "cpu": half,
                                       "queue": ["a"]})
    assert jobs.run.tolist() == jobs.submit.tolist() == [1_500_000_000]
    assert jobs.amounts.tolist() == [1500, 0]


def test_numbers_that_no_column_has_are_named_with_their_row():
    tree = sked.Tree("cpu=m")
    tree.root.add("a")
    for name, bad in (("priority", 1 << 40), ("partition", -1),
                      ("partition", 1 << 32)):
        with pytest.raises(FrameError) as error:
            sked.Jobs.from_frame(tree, {
                "submit": [0, 1], "run": [1, 1], "queue": ["a", "a"],
                "cpu": [1, 1], name: [1, bad]})
        assert (error.value.column, error.value.row,
                error.value.value) == (name, 1, bad)


def test_numpy_and_frames_give_columns():
    numpy = pytest.importorskip("numpy")
    day = numpy.array(["1970-01-02"], dtype="datetime64[D]")
    from sked.columns import convert
    assert list(convert(day, "q")) == [86_400 * 10**9]
    with pytest.raises(TypeError, match="is a text"):
        sked.fill(10, demand=numpy.array(["a"]))
    for name in ("pandas", "polars"):
        module = pytest.importorskip(name)
        assert list(convert(module.Series([1.0, 2.0]), "q")) == [1, 2]
        with pytest.raises((TypeError, ValueError), match="row 1"):
            convert(module.Series([1, None]), "q")


def test_arrow_arrays_that_hold_no_plain_numbers():
    pa = pytest.importorskip("pyarrow")
    texts = pa.array(["x", "y", "x"])
    for column, what in ((texts, "row 0: 'x' is a text"),
                         (texts.dictionary_encode(), "row 0: 'x' is a text"),
                         (pa.array([1, None]), "row 1: is missing"),
                         (pa.array([1.0, 2.5]), "row 1: 2.5 is no whole")):
        with pytest.raises((TypeError, ValueError), match=what):
            sked.fill(10, demand=column)
    for column in (pa.array([1.0, 2.0]), pa.array([1, 2], pa.int8()),
                   pa.array([1, 2]).dictionary_encode()):
        assert sked.fill(10, demand=column).share.tolist() == [1, 2]


def test_thresholds_and_weights_name_their_row():
    with pytest.raises(sked.RangeError, match="threshold 1: 1.5 is not"):
        sked.plan.percentile([1], [1], [0.5, 1.5])
    with pytest.raises(OverflowError, match="row 1: -1 is negative"):
        sked.fill(10, weight=[5, -1])


def test_settings_are_not_cut_and_errors_have_values():
    tree = make()
    ads = tree["root.ads"]
    with pytest.raises(ValueError, match="root.ads: weight=2.5: .*no whole"):
        ads.weight = 2.5
    with pytest.raises(ValueError, match="new.*2.5|2.5"):
        tree.root.add("new", weight=2.5)
    assert "root.new" not in tree
    with pytest.raises(sked.RangeError, match="root.ads: weight=-1") as error:
        ads.weight = -1
    assert error.value.path == "root.ads"
    with pytest.raises(sked.NotFoundError, match="did you mean 'weight'"):
        ads.set(wieght=1)
    with pytest.raises(ValueError, match="cpu=80.5.*thousandths"):
        ads.demand = {"cpu": 80.5}
    with pytest.raises(sked.NotFoundError, match="'root.adz'.*'root.ads'"):
        tree["root.adz"]
    ads.weight, ads.limit, ads.apps = 3, {"cpu": 500}, "size"
    assert (ads.weight, ads.limit["cpu"], ads.apps.name) == (3, 500, "SIZE")
    assert tree.text.count("weight=3") == 1


def test_tables_are_frames_and_no_arrays():
    table = Table({"queue": Texts(["a", "b"]),
                   "start_ns": convert_column([0, -1]),
                   "wait_ns": convert_column([10**9, 5])})
    with pytest.raises(TypeError, match="to_pandas"):
        table.__array__()
    pd = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match="to_pandas"):
        pd.DataFrame(table)
    frame = table.to_pandas(zone="Europe/Stockholm")
    assert list(frame.columns) == ["queue", "start", "wait"]
    assert frame["start"][0] == pd.Timestamp(0, tz="UTC")
    assert str(frame["start"].dt.tz) == "Europe/Stockholm"
    assert frame["start"].isna().tolist() == [False, True]
    assert frame["wait"][0] == pd.Timedelta(seconds=1)
    assert table.to_pandas()["wait_ns"].tolist() == [10**9, 5]
    pl = pytest.importorskip("polars")
    frame = table.to_polars(zone="Europe/Stockholm")
    assert frame.columns == ["queue", "start", "wait"]
    assert frame["start"].dtype == pl.Datetime("ns", "Europe/Stockholm")
    assert frame["start"].is_null().to_list() == [False, True]
    assert frame["wait"].to_list()[0] == dt.timedelta(seconds=1)
    assert table.to_polars()["wait_ns"].to_list() == [10**9, 5]


def test_records_and_jobs_are_frames():
    pd = pytest.importorskip("pandas")
    tree = make()
    jobs = Jobs.from_frame(tree, GOOD)
    seen = []
    sim = sked.Sim(tree, jobs, [sked.Nodes(1, "cpu=9,memory=64GiB")])
    dated = []
    sim.run(lambda records: (seen.append(records.to_pandas()), dated.append(
        records.to_pandas(zone="Europe/Stockholm"))))
    frame = pd.concat(seen)
    assert str(pd.concat(dated)["time"].dt.tz) == "Europe/Stockholm"
    assert {"time", "kind", "job", "count"} <= set(frame.columns)
    assert (frame["kind"] == sked.Decide.FINISH).sum() >= 3
    assert jobs.to_pandas(zone="UTC")["submit"][0] == pd.Timestamp(
        "1970-01-01T00:00:01.5", tz="UTC")
    assert "<table>" in jobs._repr_html_()
    assert list(sim.table().to_pandas().columns) == [
        "path", "jobs", "tasks", "delay_p50_ns", "delay_p95_ns",
        "delay_p99_ns", "delay_max_ns", "delay_mean_ns", "fair_ns",
        "starved_ns", "below_guarantee_ns", "cpu_peak_cores",
        "cpu_core_hours", "memory_peak_bytes", "memory_byte_hours",
        "gpu_peak", "gpu_hours"]


def test_workloads_are_frames(tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("submit_s,start_s,end_s,queue,tasks,cpu,mem_bytes\n"
                    "0,,,a,2,1.5,\n60,90,100,,1,,7\n")
    work = read_workload(str(path))
    pd = pytest.importorskip("pandas")
    frame = work.to_pandas(zone="Asia/Tokyo")
    assert str(frame["submit"].dt.tz) == "Asia/Tokyo"
    assert frame["start"].isna().tolist() == [True, False]
    assert frame["run"][1] == pd.Timedelta(seconds=10)
    assert frame["cpu"].tolist()[0] == 1.5 and frame["cpu"].isna()[1]
    assert frame["memory"][1] == 7 and frame["queue"].isna()[1]
    pl = pytest.importorskip("polars")
    other = work.to_polars(zone="UTC")
    assert other["submit"].dtype == pl.Datetime("ns", "UTC")
    assert other["start"].to_list()[0] is None
    assert other["tasks"].to_list() == [2, 1]
    assert repr(work).startswith("<Workload ")


def test_every_class_has_a_repr_that_fits_a_screen():
    tree = make()
    ledger = tree.ledger
    for thing in (tree, ledger, tree.fair_shares(capacity="cpu=1"),
                  sked.Engine(tree), sked.History(1), sked.Cancel(),
                  sked.Hooks(), tree.diff(tree.copy()), tree.schema):
        said = repr(thing)
        assert "object at 0x" not in said and len(said) < 400, said


def test_differences_of_two_runs_and_their_spread():
    tree = make()
    jobs = Jobs.from_frame(tree, {
        "submit": [0, 0, 1], "run": [10, 10, 10], "cpu": [2, 2, 2],
        "queue": ["ads", "web.front", "ads"]})
    one, two = (sked.Case(tree, jobs, [sked.Nodes(1, f"cpu={n}")],
                          sked.Options(heartbeat=0, multiplier=Fraction(3, 2)))
                for n in (2, 6))
    a, b = sked.run_cases([one, two])
    table = sked.sim.difference(a, b)
    row = dict(zip(table["path"].tolist(), table.rows(named=True)))["root.ads"]
    assert row["p95_more_ns"] == row["p95_after_ns"] - row["p95_before_ns"] < 0
    spread = sked.sim.spread(one, two, seeds=[1, 2, 3])
    row = dict(zip(spread["path"].tolist(), spread.rows(named=True)))["root.ads"]
    assert row["least_ns"] <= row["middle_ns"] <= row["most_ns"] < 0
    assert row["less_on"] == row["seeds"] == 3
    with pytest.raises(ValueError, match="needs a seed"):
        sked.sim.spread(one, two, seeds=[])


def test_what_the_guide_says_of_two_settings():
    """The rows of docs/planning.md, of one seed: within what it says."""
    root = Path(__file__).resolve().parents[3]
    sys.path.insert(0, str(root / "bindings/python/examples"))
    import compare_policies
    said = {}
    for line in (root / "docs/planning.md").read_text().splitlines():
        cells = [c.strip().replace(",", "") for c in line.split("|")[1:-1]]
        if len(cells) == 5 and cells[4].endswith("of 5"):
            name = "" if cells[0] == "all" else f".{cells[0]}"
            said["root" + name] = [float(c) for c in cells[1:4]]
    found = {row["path"]: row for row in
             compare_policies.compare([0]).rows(named=True)}
    assert len(said) == 6 and found.keys() == said.keys()
    for path, (least, middle, most) in said.items():
        assert least <= middle <= most
        assert least - 0.1 <= found[path]["middle_ns"] / 1e9 <= most + 0.1


def test_one_bar_serves_all_calls_of_a_handle():
    from sked.hooks import _Bar
    made = []

    class Fake:
        def __init__(self, total):
            made.append(self)
            self.total, self.n, self.resets = total, 0, 0

        def update(self, more):
            self.n += more

        def reset(self, total):
            self.n, self.total, self.resets = 0, total, self.resets + 1

        def refresh(self):
            pass

        def close(self):
            self.n = -1

    bar = _Bar()
    bar.open = Fake
    for _ in range(3):
        for done in (0, 5, 10):
            bar(done, 10)
    assert len(made) == 1 and made[0].resets == 2
    del bar
    assert made[0].n == -1


def test_packages_are_there_by_name():
    assert sked.importers.read_workload is read_workload
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sked.nothing


def test_what_no_time_can_be_is_an_error_of_its_row():
    tree = Tree("cpu=m")
    tree.root.add("q")
    tree.commit()
    frame = {"submit": [0, 1], "run": [1.0, 1e18], "queue": ["q", "q"],
             "cpu": [1, 1]}
    with pytest.raises(FrameError, match="'run', row 1.*larger than 2\\^62"):
        Jobs.from_frame(tree, frame)


@pytest.mark.parametrize("name, value, said", [
    ("tasks", False, "true or false"), ("tasks", "3", "is a text"),
    ("tasks", 2.5, "no whole number"), ("run_s", "5", "number of seconds"),
    ("submit_s", None, "row 1: None"), ("priority", True, "true or false")])
def test_rows_name_what_is_no_number(name, value, said):
    tree = sked.Tree("cpu=m")
    leaf = tree.root.add("a")
    tree.commit()
    row = {"queue": leaf, "run_s": 5, "amount": "cpu=1"}
    with pytest.raises(FrameError, match=said) as error:
        sked.Jobs.of(tree, [row, {**row, name: value}])
    assert (error.value.column, error.value.row) == (name, 1)


def test_true_is_no_number_of_a_frame():
    tree = sked.Tree("cpu=m")
    tree.root.add("a")
    tree.commit()
    frame = {"submit": [0], "run": [5], "queue": ["a"], "cpu": [1]}
    for name in ("submit", "run", "cpu", "tasks", "priority"):
        with pytest.raises(FrameError, match=f"'{name}', row 0: True: .*true"):
            sked.Jobs.from_frame(tree, {**frame, name: [True]})


def test_the_rest_of_a_frame_may_be_left_out():
    import sked
    tree = sked.Tree("cpu=m")
    tree.root.add("a")
    frame = {"submit": [0], "run": [1], "queue": ["a"], "cpu": [2],
             "state": ["DONE"], "partition_name": ["x"]}
    with pytest.raises(ValueError, match="partition_name|state"):
        sked.Jobs.from_frame(tree, frame)
    jobs = sked.Jobs.from_frame(tree, frame, ignore="rest")
    assert jobs.amounts.tolist() == [2000]
    with pytest.raises(ValueError, match="queue"):
        sked.Jobs.from_frame(tree, {"submit": [0], "run": [1], "x": [2]},
                             ignore="rest")


# ---- results as frames ----


def ran():
    """A run of two queues on a small cluster, and its jobs."""
    tree = sked.Tree("cpu=m memory=B")
    for name in "ab":
        tree.root.add(name)
    tree.commit()
    rows = [{"queue": f"root.{'ab'[i % 2]}", "submit_s": i, "run_s": 10,
             "user": 1 + i % 3, "priority": i % 2,
             "amount": "cpu=1.5,memory=1GiB"} for i in range(6)]
    return tree, sked.sim.Jobs.of(tree, rows)


@pytest.mark.parametrize("to", ["pandas", "polars", "arrow", "table"])
def test_jobs_with_paths_and_units_come_back(to):
    tree, jobs = ran()
    made = jobs.table(tree)
    assert made.names == ["submit_ns", "run_ns", "queue", "tasks", "user",
                          "priority", "cpu_cores", "memory_bytes"]
    assert made["queue"][:2] == ["root.a", "root.b"]
    assert made["cpu_cores"].tolist() == [1.5] * 6
    if to == "pandas":
        pytest.importorskip("pandas")
        frame = jobs.to_pandas(tree=tree)
    elif to == "polars":
        pytest.importorskip("polars")
        frame = jobs.to_polars(tree=tree)
    elif to == "arrow":
        frame = pytest.importorskip("pyarrow").table(made)
    else:
        frame = made.to_dict()
    again = sked.sim.Jobs.from_frame(tree, frame)
    assert again.table() == jobs.table()


def test_dated_frames_with_units_come_back():
    pytest.importorskip("pandas")
    tree, jobs = ran()
    again = sked.sim.Jobs.from_frame(tree, jobs.to_pandas(zone="UTC",
                                                          tree=tree))
    assert again.table()["submit_ns"] == jobs.table()["submit_ns"]
    assert list(again.amounts) == list(jobs.amounts)


def test_wrong_values_of_such_frames_are_named():
    tree, jobs = ran()
    frame = jobs.table(tree).to_dict()
    frame["queue"][3] = "root.c"
    with pytest.raises(sked.FrameError, match="'queue', row 3: .*root.c"):
        sked.sim.Jobs.from_frame(tree, frame)
    frame = jobs.table(tree).to_dict()
    frame["cpu_cores"][1] = "many"
    with pytest.raises(sked.FrameError, match="'cpu_cores', row 1"):
        sked.sim.Jobs.from_frame(tree, frame)


def test_a_run_has_units_in_its_columns():
    tree, jobs = ran()
    sim = sked.sim.Sim(tree, jobs, [sked.sim.Nodes(1, "cpu=3,memory=8GiB")])
    sim.run()
    rows = {row["path"]: row for row in sim.table().rows(named=True)}
    assert rows["root"]["cpu_peak_cores"] == 3
    assert rows["root"]["cpu_core_hours"] == pytest.approx(6 * 1.5 * 10 / 3600)
    assert rows["root"]["memory_byte_hours"] == pytest.approx(
        6 * 2**30 * 10 / 3600)
    assert rows["root"]["delay_max_ns"] >= rows["root"]["delay_p50_ns"] >= 0
    waits = sim.waits()
    assert waits["job"].tolist() == list(range(6))
    assert waits["queue"].tolist() == ["root.a", "root.b"] * 3
    assert waits["delay_ns"].tolist() == sim.delays.tolist()
    assert waits["submit_ns"].tolist() == list(jobs.submit)
    # a run of many has the same shape
    run, = sked.sim.sweep(tree, jobs, [sked.sim.Nodes(1, "cpu=3,memory=8GiB")],
                          [1])
    assert run.table() == sim.table()
    assert run.queues["root.a"] == sim.queues["root.a"]


def test_many_runs_are_a_table():
    tree, jobs = ran()
    nodes = [sked.sim.Nodes(1, "cpu=3,memory=8GiB")]
    heard = []
    runs = sked.sim.sweep(tree, jobs, nodes, [1, 2], progress=lambda done, of:
                          heard.append((done, of)))
    made = sked.sim.runs_table(runs)
    assert made["jobs"].tolist() == [6, 12] and heard == [(1, 2), (2, 2)]
    assert made["multiplier"].tolist() == [1, 2]
    assert made["delay_p95_ns"].tolist() == [r.total.delay.p95 for r in runs]
