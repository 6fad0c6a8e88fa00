"""Workloads in columns: Parquet, Arrow, relations of DuckDB; and `to_jobs` of
whole columns, which gives the same as row by row."""

import csv
import datetime
import random
from decimal import Decimal

import pytest

import sked
from sked.importers import (ImportFailed, Job, Workload, from_columns,
                            read_workload, to_jobs, write_csv)
from sked.importers.workloads import jobs as by_rows
from workloads import faults, put

pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
pytest.importorskip("numpy", reason="needs numpy")
hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given, settings, strategies as st  # noqa: E402

import pyarrow.ipc  # noqa: E402
import pyarrow.parquet  # noqa: E402

SECOND = 10**9


def table():
    return pa.table({
        "job_id": ["a", "b", None],
        "submit_s": pa.array([Decimal("1.5"), Decimal("2"), Decimal("3")],
                             pa.decimal128(12, 3)),
        "run_s": [10.25, 0.1, 5.0], "queue": ["x.y", None, "z"],
        "cpu": [2.5, 1.0, None], "mem_bytes": [1 << 30, None, None],
        "tasks": pa.array([4, None, 2], pa.int32()), "note": ["p", "q", "r"]})


EXPECTED = [
    Job("a", 1500000000, None, None, 10250000000, 4, 2500, 1 << 30,
        queue="x.y", line=1),
    Job("b", 2 * SECOND, None, None, 100000000, 1, 1000, line=2),
    Job("3", 3 * SECOND, None, None, 5 * SECOND, 2, queue="z", line=3)]


def written(tmp_path, how):
    path = tmp_path / how
    if how == "parquet":
        pa.parquet.write_table(table(), path, row_group_size=2)
    else:
        make = pa.ipc.new_file if how == "file" else pa.ipc.new_stream
        with make(path, table().schema) as out:
            out.write_table(table(), max_chunksize=2)
    return path


@pytest.mark.parametrize("how", ["parquet", "file", "stream"])
def test_files_of_columns_are_told_and_read(tmp_path, how):
    work = read_workload(written(tmp_path, how))
    assert work.form == ("parquet" if how == "parquet" else "arrow")
    assert list(work) == EXPECTED == list(work)
    assert [where for _, where, _ in faults(work)] == ["note"]
    assert work.records == 3 and work.skipped == {}
    bad = put(tmp_path, written(tmp_path, how).read_bytes()[:-30], "cut")
    with pytest.raises(ImportFailed):
        list(read_workload(bad, work.form))


@pytest.mark.parametrize("how", ["parquet", "file", "stream"])
def test_damaged_files_of_columns_give_rows_or_a_refusal(tmp_path, how):
    good = written(tmp_path, how).read_bytes()
    form = "parquet" if how == "parquet" else "arrow"
    draw = random.Random(how)
    for _ in range(150):
        bad = bytearray(good)
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(bad))
            bad[at] = draw.randrange(256)
        cut = bytes(bad[:draw.choice([len(bad), draw.randrange(len(bad))])])
        try:
            for job in read_workload(put(tmp_path, cut, "bad"), form):
                assert isinstance(job, Job)
        except ImportFailed as failed:
            assert str(failed)


def test_relations_of_duckdb_are_read(tmp_path):
    duckdb = pytest.importorskip("duckdb", reason="needs duckdb")
    path = written(tmp_path, "parquet")
    relation = duckdb.sql(f"select * from read_parquet('{path}') order by submit_s")
    work = from_columns(relation, "jobs")
    assert list(work) == EXPECTED == list(work)
    tree = sked.Tree("cpu=m memory=B")
    assert to_jobs(work, tree, grow=True).run.tolist() == [
        10250000000, 100000000, 5 * SECOND]


def test_tables_and_frames_give_streams():
    assert list(from_columns(table())) == EXPECTED
    with pytest.raises(TypeError, match="no stream of Arrow"):
        from_columns([1])
    with pytest.raises(TypeError, match="read once"):
        from_columns(table().to_reader())
    with pytest.raises(ImportFailed, match="no column submit_s"):
        list(from_columns(pa.table({"x": [1]})))
    with pytest.raises(ImportFailed, match="stands twice"):
        list(from_columns(pa.Table.from_arrays(
            [pa.array([1])] * 2, names=["submit_s", "submit_s"])))


def test_times_of_columns_may_be_dates():
    at = datetime.datetime(2024, 3, 1, 10, tzinfo=datetime.timezone.utc)
    work = from_columns(pa.table({
        "submit_s": [at], "start_s": [at.replace(tzinfo=None)],
        "run_s": [datetime.timedelta(seconds=1.5)],
        "slo_s": ["7.5"]}))
    assert [(j.submit, j.start, j.run, j.slo) for j in work] == [
        (1709287200 * SECOND,) * 2 + (1500000000, 7500000000)]


@pytest.mark.parametrize("name, value, reason", [
    ("submit_s", -1, "is negative"), ("submit_s", True, "true or false"),
    ("submit_s", 1 << 62, "is more than"), ("run_s", "x", "is not a number"),
    ("run_s", float("nan"), "no finite number"),
    ("cpu", -1.0, "is negative"), ("cpu", "many", "is not a number"),
    ("gpu", float("inf"), "no finite number"),
    ("mem_bytes", 1 << 62, None), ("tasks", 1.5, "is not a whole number"),
    ("tasks", -1, "is negative"), ("priority", 1 << 40, "whole number from"),
    ("tier", 256, "whole number from"), ("end_s", 1, "is before start_s"),
    ("slo_s", [1], "is not a number")])
def test_what_is_wrong_in_a_column_has_its_row(name, value, reason):
    said = {"submit_s": [1, 1], "start_s": [5, 5], "run_s": [1, 1]}
    said[name] = [value] if name not in said else [value, 1]
    rows = [{"submit_s": 1, "start_s": 5, "run_s": 1, **{name: value}},
            {"submit_s": 1, "start_s": 5, "run_s": 1}]
    work = from_columns(pa.table({
        key: pa.array([row.get(key) for row in rows][:1] + [None], None)
        if key not in ("submit_s", "start_s", "run_s") or key == name
        else pa.array([row[key] for row in rows]) for key in
        {**rows[0]}}))
    jobs = list(work)
    if reason is None:
        assert len(jobs) == 2
        return
    assert [job.line for job in jobs] == [2]
    line, where, text = faults(work)[0]
    assert (line, where) == (1, name) and reason in text
    assert work.skipped == {"a fault in the record": 1}


# ---- whole columns beside single rows ----

def both(work_of, tree_of, monkeypatch, **how):
    """What to_jobs gives of whole columns, and row by row."""
    made = []
    for quick in (True, False):
        with monkeypatch.context() as patch:
            if not quick:
                patch.setattr(by_rows, "quick_jobs", lambda *words: None)
            tree, work = tree_of(), work_of()
            try:
                jobs = to_jobs(work, tree, **how)
            except ImportFailed as failed:
                made.append(str(failed))
                continue
            made.append((
                [list(getattr(jobs, name)) for name in (
                    "submit", "run", "amounts", "tasks", "user", "priority",
                    "partition")],
                list(map({q.id: q.path for q in tree}.get, jobs.queue)),
                [queue.path for queue in tree], work.records, work.skipped,
                faults(work), work.fidelity))
    return made


def tree_of():
    tree = sked.Tree("cpu=m memory=B gpu=m")
    for name in ("a", "b"):
        tree.root.add(name)
    tree.root.add("c").add("d")
    return tree


def cells(name, odd):
    """Values of a column; what is odd turns up now and then."""
    usual = {"submit_s": ["0", "1", "17", "1.5", "1600000000.123456789"],
             "start_s": ["3", "20", "1700000000"],
             "slo_s": ["", "5"], "tier": ["", "3"],
             "partition": ["", "p"], "job_id": ["j", "", "x;run=4"],
             "end_s": ["1700000100", "1700000100.25", "1800000000", "2"],
             "run_s": ["1", "0.5", "10", "0"], "tasks": ["1", "4", "", "0"],
             "cpu": ["1", "0.0001", "2.5", ""], "mem_bytes": ["", "9", "1e3"],
             "gpu": ["", "1"], "priority": ["", "-3", "7"],
             "user": ["ann", "bob", "", "ö"], "group": ["g", ""],
             "queue": ["a", "b", "c.d", "root.a"], "workflow": ["", "w"]}
    return st.sampled_from(usual[name] + (
        ["x", "-1", "", "1e-10", "9" * 20, " 1", "1.5.5", "nan", "NA", "null",
         '"a"', "\udcff", "300", "0x1", "+1", "1_0", ".", ".5", "5.", "1e2"] if odd else []))


@st.composite
def files(draw):
    names = draw(st.lists(st.sampled_from(
        ["start_s", "end_s", "run_s", "tasks", "cpu", "mem_bytes", "gpu",
         "priority", "user", "group", "queue", "workflow", "slo_s", "tier",
         "partition", "job_id"]), unique=True))
    names = draw(st.permutations(["submit_s", *names]))
    odd = draw(st.integers(0, 3)) == 0
    style = draw(st.sampled_from(["plain", "plain", "quoted", "mixed"]))

    def cell(name):
        text = draw(cells(name, odd and draw(st.integers(0, 4)) == 0))
        if style == "plain" or style == "mixed" and draw(st.booleans()):
            return text
        if name in ("user", "group", "queue") and draw(st.integers(0, 5)) == 0:
            text += draw(st.sampled_from([",", "\n", '""', "\r\n", "x"]))
        return f'"{text}"'

    rows = [",".join(map(cell, names)) for _ in range(draw(st.integers(1, 8)))]
    lines = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    end = draw(st.sampled_from([lines, "\n", "", "\n\n", "\r\n"]))
    head = [f'"{name}"' if style == "quoted" else name for name in names]
    return draw(st.sampled_from(["", "", "", "\n"])) + \
        ",".join(head) + "\n" + lines.join(rows) + end


@given(files(), st.sampled_from(["queue", "user", "group/user"]),
       st.sampled_from([None, SECOND]), st.booleans())
@settings(max_examples=300)
def test_whole_columns_of_a_csv_are_single_rows(tmp_path, monkeypatch, text,
                                                by, run, grow):
    path = put(tmp_path, text.encode(errors="surrogateescape"))
    quick, rows = both(lambda: read_workload(path, "csv"), tree_of,
                       monkeypatch, by=by, default_run=run, grow=grow)
    assert quick == rows, text


@given(st.data())
@settings(max_examples=100)
def test_whole_columns_of_arrow_are_single_rows(monkeypatch, data):
    n = data.draw(st.integers(0, 6))

    def column(values):
        return data.draw(st.lists(values, min_size=n, max_size=n))

    numbers = data.draw(st.sampled_from([
        st.integers(0, 10**9), st.integers(-1, 1 << 40),
        st.floats(0, 1e9), st.floats(allow_nan=True),
        st.decimals(0, 10**6, places=6), st.none() | st.integers(0, 9)]))
    said = {"submit_s": column(numbers),
            "run_s": column(st.sampled_from([0, 1, 5])),
            "cpu": column(st.sampled_from([0.0001, 1.0, 2.5, None])),
            "queue": column(st.sampled_from(["a", "b", None])),
            "user": column(st.sampled_from(["x", "y", None])),
            "tasks": column(st.sampled_from([0, 1, 3, None]))}
    made = pa.table({key: pa.array(values) for key, values in said.items()})
    quick, rows = both(lambda: from_columns(made), tree_of, monkeypatch,
                       grow=True)
    assert quick == rows


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("part", ["", ".5"])
def test_the_quick_way_is_taken_and_crosses_chunks(tmp_path, monkeypatch,
                                                   quoting, end, part):
    draw = random.Random(5)
    path = str(tmp_path / "jobs.csv")
    with open(path, "w", newline="") as file:
        lines = csv.writer(file, quoting=quoting, lineterminator=end)
        lines.writerow("submit_s,run_s,user,queue,cpu,mem_bytes,gpu,"
                       "job_id".split(","))
        for i in range(3000):
            # the first times are whole, whatever comes behind
            lines.writerow([
                draw.randrange(10**6), f"{draw.randrange(1, 99)}"
                f"{part if i > 1000 else ''}", f"u{draw.randrange(300)}",
                f"q{draw.randrange(40)}" + ",b" * (quoting == csv.QUOTE_ALL),
                draw.randrange(1, 9), draw.randrange(9) << 30, "", f"j{i}"])
    monkeypatch.setattr("sked.importers.workloads.quick.CHUNK", 1 << 10)
    monkeypatch.setattr("sked.importers.files.BLOCK", 1 << 10)
    quick, rows = both(lambda: read_workload(path), tree_of, monkeypatch,
                       grow=True)
    assert quick == rows
    from sked.importers.workloads import quick as module
    taken = []
    usual = module.Quick.jobs
    monkeypatch.setattr(module.Quick, "jobs", lambda self, *words: (
        taken.append(self.rows), usual(self, *words))[1])
    to_jobs(read_workload(path), tree_of(), grow=True)
    assert taken == [3000]


def test_rows_of_another_hand_are_used(tmp_path):
    """A workload that passes rows on sees each of them."""
    work = read_workload(put(tmp_path, "submit_s,run_s,queue\n5,1,a\n6,2,b\n"))
    seen = []

    def rows(other):
        for job in work:
            seen.append(job.line)
            yield job._replace(run=7)

    jobs = to_jobs(Workload(work.form, work.file, rows, {}), tree_of())
    assert (seen, list(jobs.run)) == ([2, 3], [7, 7])


def test_what_columns_give_is_written_as_the_common_csv(tmp_path):
    out = tmp_path / "out.csv"
    write_csv(from_columns(table()), str(out))
    again = list(read_workload(out))
    assert [job._replace(line=0, id="") for job in again] == [
        job._replace(line=0, id="", cpu=job.cpu) for job in EXPECTED]
