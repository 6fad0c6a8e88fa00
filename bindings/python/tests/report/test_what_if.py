"""A workload before and after a change: nodes, settings, growth, moves."""

import csv
import json
import pickle

import pytest

pytest.importorskip("numpy", reason="libsked[report] is missing")

import sked  # noqa: E402
from sked.commands import main  # noqa: E402
from sked.reporting import Wanted  # noqa: E402
from sked.reporting import sweeps  # noqa: E402
from sked.reporting.change import Change, base_of, set_all, what_if  # noqa: E402

HEAD = "submit_s,user,queue,tasks,cpu,job_id,run_s"


@pytest.fixture
def split(tmp_path):
    """Seven quiet days, then three with a burst of large and small jobs: in
    order of submission 953 of 1,100 jobs are late, small ones first 730."""
    rows = [(day * 86_400 + i * 3000, f"u{i % 3}", "q", 1, 1, f"a{day}-{i}",
             600) for day in range(10) for i in range(20)]
    rows += [(day * 86_400 + i, "v", "q", 2 if i % 5 else 150, 1,
              f"b{day}-{i}", 60 if i % 5 else 3600)
             for day in (7, 8, 9) for i in range(300)]
    return write(tmp_path / "split.csv", sorted(rows, key=lambda row: row[0]))


def write(path, rows):
    path.write_text("\n".join([HEAD, *(",".join(map(str, row))
                                       for row in rows)]) + "\n")
    return str(path)


def test_a_setting_has_the_answer_of_a_report_with_it(split):
    found = what_if(Wanted(split, nodes=("4 x cpu=50",)), Change(
        settings=(("root.q", "apps", "size"),)))
    rows = dict(zip(found.table.names, next(found.table.rows())))
    assert (rows["jobs_before"], rows["late_before"], rows["late_after"]) == (
        1100, 953, 730)
    assert found.fewer == 223 and found.low < 223 < found.high
    assert "953 before, 730 after: -223, between" in str(found)
    assert "<table>" in found._repr_html_() and "-223" in found._repr_html_()
    assert {"p95_before_s", "p95_after_s"} <= set(found.table.names)


@pytest.mark.parametrize("name,value,got", [
    ("weight", "2", 2), ("max_running", "7", 7), ("user_limit", "50%", 500_000),
    ("guarantee", "cpu=20", {"cpu": 20_000}), ("limit", "cpu=5", {"cpu": 5000}),
    ("order", "fair", "FAIR"), ("preempt_min_timeout", "5s", 5_000_000_000)])
def test_a_setting_has_the_form_of_a_tree_text(name, value, got):
    tree = sked.Tree.from_text("kinds cpu=m\nroot\n"
                               "root.a weight=3 limit=\"cpu=40\"\nroot.b\n")
    made = set_all(tree, (("root.a", name, value),))
    kept = ("weight", 3) if name != "weight" else ("limit", {"cpu": 40_000})
    assert getattr(made["root.a"].get(name), "name",
                   made["root.a"].get(name)) == got
    assert made["root.a"].get(kept[0]) == kept[1]
    assert made["root.b"].get("weight") == 1
    assert tree["root.a"].get("weight") == 3


def test_more_nodes_are_counted(split, capsys):
    assert main(["what-if", split, "--nodes", "4 x cpu=50", "--nodes", "+20%",
                 "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["nodes_before"], said["nodes_after"]) == (4, 5)
    assert said["late_fewer"] == 0 and said["queues"][0]["late_after"] == 953
    assert said["queues"][0]["p95_after_s"] < said["queues"][0]["p95_before_s"]


def test_more_work_has_the_range_of_its_draws(split):
    found = what_if(Wanted(split, nodes=("4 x cpu=50",)),
                    Change(multiplier=2))
    rows = dict(zip(found.table.names, next(found.table.rows())))
    assert rows["jobs_after"] > 2000 and found.how == "3 draws of the work"
    assert found.low <= found.fewer <= found.high < 0


def test_a_move_takes_a_users_jobs_along(tmp_path):
    """Two queues, one node each in their limits; one user blocks the other."""
    tree = tmp_path / "tree.txt"
    tree.write_text("kinds cpu=m memory=B gpu=m\nroot\n"
                    "root.a limit=cpu=1\nroot.b limit=cpu=1\n")
    path = write(tmp_path / "w.csv", [
        (i, "long" if i % 2 else "short", "a", 1, 1, i, 5000 if i % 2 else 10)
        for i in range(10)])
    wanted = Wanted(path, tree=str(tree), nodes=("2 x cpu=1",))
    found = what_if(wanted, Change(moves=(("long", "a", "root.b"),)))
    rows = {row[0]: dict(zip(found.table.names, row))
            for row in found.table.rows()}
    assert rows["root.a"]["jobs_before"] == 10
    assert rows["root.a"]["jobs_after"] == rows["root.b"]["jobs_after"] == 5
    assert rows["root.a"]["late_after"] == 0 < rows["root.a"]["late_before"]


@pytest.mark.parametrize("words, why", [
    ([], "no change"),
    (["--set", "root.q.weight"], "is not QUEUE.SETTING=VALUE"),
    (["--set", "root.x.weight=2"], "root.x.weight=2"),
    (["--set", "root.q.colour=2"], "root.q.colour=2"),
    (["--nodes", "20%"], "is not +N% or -N%"),
    (["--nodes=-100%"], "leaves nothing"),
    (["--gang", "--nodes=-75%"], "does not fit"),
    (["--move", "v:q"], "is not USER:FROM->TO"),
    (["--move", "v:q->x"], "x"),
    (["--move", "nobody:q->q"], "no job of it is in q")])
def test_what_cannot_be_is_named(split, words, why, capsys):
    try:
        status = main(["what-if", split, "--nodes", "1 x cpu=200", *words])
    except SystemExit as end:
        status = end.code
    said = capsys.readouterr()
    assert status == 2 and why in said.err and not said.out


def test_a_change_tells_what_it_does(split):
    heard = []
    wanted = Wanted(split, nodes=("4 x cpu=50",))
    what_if(wanted, Change(multiplier=2), lambda *said: heard.append(said))
    assert [what for _, what in heard if what.startswith("replaying")] == [
        "replaying before", "replaying after"] * 3
    parts = [part for part, _ in heard]
    assert parts == sorted(parts) and parts[-1] < 1

    def stop(part, what):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        what_if(wanted, Change(), stop)


# ---- many cases ----

CASES = """name,nodes,set,multiplier,seed
now,,,,
small first,,root.q.apps=size,,
larger,+20%,,,
"more, in another order",,root.q.apps=size,1.5,7
"""


def results_of(path):
    return [dict(zip(line[0], row)) for line in [read_csv(path)]
            for row in line[1:]]


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def swept(split, tmp_path, *words, cases=CASES, name="out.csv"):
    """A sweep, and where its results are."""
    path = tmp_path / "cases.csv"
    path.write_text(cases)
    out = tmp_path / name
    return main(["sweep", str(path), split, "-o", str(out), "--nodes",
                 "4 x cpu=50", *words]), out


def test_a_sweep_has_a_row_for_each_case(split, tmp_path):
    status, out = swept(split, tmp_path)
    assert status == 0
    rows = results_of(out)
    assert [(row["case"], row["late"]) for row in rows[:3]] == [
        ("now", "953"), ("small first", "730"), ("larger", "953")]
    assert [row["nodes"] for row in rows] == ["4", "4", "5", "4"]
    assert rows[3]["seed"] == "7" and int(rows[3]["jobs"]) > 1500
    # threads, and one task at a time, give the same bytes
    whole = out.read_bytes()
    assert swept(split, tmp_path, "--workers", "3")[1].read_bytes() == whole
    assert swept(split, tmp_path, "--workers", "2", "--on", "processes",
                 "--share", str(tmp_path))[1].read_bytes() == whole
    assert not list(tmp_path.glob("sked-sweep-*"))
    lines = [whole.splitlines(keepends=True)[0]]
    for task in "1234":
        part = swept(split, tmp_path, "--task", task, name=f"{task}.csv")[1]
        lines += part.read_bytes().splitlines(keepends=True)[1:]
    assert b"".join(lines) == whole


def test_a_sweep_goes_on_where_it_was_stopped(split, tmp_path, monkeypatch):
    status, out = swept(split, tmp_path)
    whole = out.read_bytes()
    seen = []
    usual = sweeps.result
    monkeypatch.setattr(sweeps, "result", lambda base, case: (
        seen.append(case.name), usual(base, case))[1])
    out.write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
    assert swept(split, tmp_path, "--resume")[0] == 0
    assert out.read_bytes() == whole
    assert seen == ["larger", "more, in another order"]
    out.write_text("a,b\n1,2\n")
    assert swept(split, tmp_path, "--resume")[0] == 2
    assert out.read_text() == "a,b\n1,2\n"


@pytest.mark.parametrize("on, package", [("dask", "distributed"),
                                         ("ray", "ray")])
def test_a_sweep_runs_on_a_cluster(split, tmp_path, on, package):
    """Workers of Dask and Ray give the bytes of threads."""
    pytest.importorskip(package)
    whole = swept(split, tmp_path)[1].read_bytes()
    status, out = swept(split, tmp_path, "--workers", "2", "--on", on)
    assert status == 0 and out.read_bytes() == whole


@pytest.mark.parametrize("words, why", [
    (["--on", "cloud"], "'cloud' is none of serial, threads, processes"),
    (["--on", "threads:x"], "'threads:x' is none of"),
    (["--workers", "0"], "needs one at least"),
    (["--task", "9"], "there are 4 cases")])
def test_a_wrong_place_is_named(split, tmp_path, words, why, capsys):
    status, out = swept(split, tmp_path, *words)
    assert status == 2 and why in capsys.readouterr().err
    assert not out.exists()


def test_a_case_that_is_sent_is_small(split, tmp_path):
    """Processes map one copy of the jobs; a case has its change alone."""
    base = base_of(Wanted(split, nodes=("4 x cpu=50",)))
    case = sweeps.Case("a", Change(settings=(("root.q", "apps", "size"),)))
    with sweeps.shared(base, str(tmp_path)) as folder:
        assert len(pickle.dumps((folder, case))) < 1000
        again = sweeps.opened(folder)
        assert type(again.given.jobs.submit).__name__ == "memmap"
        assert list(again.given.jobs.queue) == list(base.given.jobs.queue)
        assert sweeps.result_of(folder, case) == sweeps.result(base, case)
    assert not list(tmp_path.glob("sked-sweep-*"))


def test_a_sweep_in_python_is_a_table_with_progress(split):
    heard = []
    cases = [sweeps.Case("now"), sweeps.Case("twice", Change(multiplier=2))]
    found = sweeps.sweep(Wanted(split, nodes=("4 x cpu=50",)), cases,
                         progress=lambda done, of: heard.append((done, of)))
    assert found["case"] == ["now", "twice"] and heard == [(1, 2), (2, 2)]
    assert found["late"].tolist()[0] == 953
    assert {"p50_s", "p95_s"} <= set(found.names)

    class Stop(Exception):
        pass

    def stop(done, of):
        raise Stop

    with pytest.raises(Stop):
        sweeps.sweep(Wanted(split, nodes=("4 x cpu=50",)), cases,
                     progress=stop)


def test_results_may_be_parquet(split, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    status, out = swept(split, tmp_path, name="out.parquet")
    assert status == 0
    assert parquet.read_table(out)["late"].to_pylist()[:2] == [953, 730]
    before = out.read_bytes()
    assert swept(split, tmp_path, "--resume", name="out.parquet")[0] == 0
    assert out.read_bytes() == before


@pytest.mark.parametrize("cases, why", [
    ("name,nodez\na,1\n", "cases.csv:1: 'nodez' is none of name"),
    ("name\n", "no cases"),
    ("name,nodes\na,+10%\na,\n", "cases.csv:3: case 'a' is there twice"),
    ("name,nodes\na,ten\n", "cases.csv:2: nodes 'ten'"),
    ("name,set\na,weight\n", "cases.csv:2: 'weight' is not QUEUE"),
    ("name,set\na,root.x.weight=2\n", "case a: --set root.x.weight=2"),
    ("name,multiplier\na,0\n", "cases.csv:2: '0' is not above 0"),
    ("name\na,b\n", "cases.csv:2: more fields")])
def test_a_wrong_case_is_named(split, tmp_path, capsys, cases, why):
    status, out = swept(split, tmp_path, cases=cases)
    assert status == 2 and not out.exists()
    assert why in capsys.readouterr().err
