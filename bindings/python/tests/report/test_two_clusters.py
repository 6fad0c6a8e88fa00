"""Two clusters: on one page, and a move of jobs from one to the other."""

import json

import pytest

pytest.importorskip("matplotlib", reason="libsked[plot] is missing")
pytest.importorskip("jinja2", reason="libsked[report] is missing")

from sked import reporting  # noqa: E402
from sked.commands import main  # noqa: E402
from sked.reporting.across import move_across  # noqa: E402

HEAD = "submit_s,run_s,user,queue,tasks,cpu,job_id"


def write(path, rows):
    path.write_text("\n".join([HEAD, *(",".join(map(str, row)) for row in
                                       rows)]) + "\n")
    return str(path)


@pytest.fixture
def both(tmp_path):
    """A full cluster of two queues, and one with room; other clocks."""
    full = [(i * 10, 1000, "long" if i % 2 else "short", "a", 1, 1, i)
            for i in range(20)]
    full += [(i * 10 + 5, 50, "short", "b", 1, 1, f"b{i}") for i in range(20)]
    free = [(5000 + i * 10, 60, "short", "b", 1, 1, i) for i in range(10)]
    return (write(tmp_path / "full.csv", sorted(full, key=lambda r: r[0])),
            write(tmp_path / "free.csv", free))


def test_a_page_has_both(both, tmp_path):
    out, data = tmp_path / "page.html", tmp_path / "facts.json"
    assert main(["report", both[0], "--nodes", "1 x cpu=4", "--sweep", "1",
                 "--beside", both[1], "--beside-nodes", "2 x cpu=8", "-o",
                 str(out), "--json", str(data), "--quiet"]) == 0
    page, said = out.read_text(), json.loads(data.read_text())
    assert "<h2>Two clusters</h2>" in page
    assert "<bdi>full.csv</bdi>" in page and "<bdi>free.csv</bdi>" in page
    other = said["beside"]
    assert other["inputs"]["nodes"] == 2 and other["inputs"]["jobs"] == 10
    alone = reporting.data(reporting.gather(reporting.Wanted(
        both[1], nodes=("2 x cpu=8",), sweep=(1,))))
    assert other["waits"] == alone["waits"]
    assert "download=\"clusters.csv\"" in page


def test_a_move_replays_both(both):
    one, two = (reporting.Wanted(both[0], nodes=("1 x cpu=4",)),
                reporting.Wanted(both[1], nodes=("2 x cpu=8",)))
    found = move_across(one, two, (("long", "a", "b"),))
    rows = list(found.table.rows(named=True))
    assert found.moved == 10 and found.misfits == 0
    assert [row["jobs_before"] for row in rows] == [40, 10]
    assert [row["jobs_after"] for row in rows] == [30, 20]
    assert rows[0]["late_after"] < rows[0]["late_before"]
    assert rows[1]["late_after"] == rows[1]["late_before"] == 0
    assert "10 jobs move." in str(found) and "<table>" in found._repr_html_()
    # the same work by hand: a file of the second cluster with those jobs
    late = sum(row["late_after"] for row in rows)
    assert f"{late:,} after" in found.said


def test_the_jobs_that_come_keep_their_distance(both, tmp_path):
    """The replay of both equals one of a file in which they stand."""
    one, two = (reporting.Wanted(both[0], nodes=("1 x cpu=4",)),
                reporting.Wanted(both[1], nodes=("1 x cpu=2",)))
    found = move_across(one, two, (("*", "a", "b"),))
    rows = [(5000 + i * 10, 60, "short", "b", 1, 1, i) for i in range(10)]
    rows += [(5000 + i * 10, 1000, "long" if i % 2 else "short", "b", 1, 1,
              f"m{i}") for i in range(20)]
    path = write(tmp_path / "made.csv", sorted(rows, key=lambda r: r[0]))
    from sked.reporting.change import Change, base_of, numbers
    side = base_of(reporting.Wanted(path, nodes=("1 x cpu=2",))).run(
        Change(), 0)
    jobs, late, p50, p95 = numbers(side.waits, 600 * 10**9)
    row = list(found.table.rows(named=True))[1]
    assert (row["jobs_after"], row["late_after"], row["p50_after_s"],
            row["p95_after_s"]) == (jobs, late, p50 / 1e9, p95 / 1e9)


def test_jobs_that_fit_nowhere_are_told(both, tmp_path):
    large = write(tmp_path / "large.csv", [(0, 10, "u", "a", 1, 3, "x"),
                                           (1, 10, "u", "c", 1, 1, "y")])
    found = move_across(reporting.Wanted(large, nodes=("1 x cpu=4",)),
                        reporting.Wanted(both[1], nodes=("4 x cpu=2",)),
                        (("u", "a", "b"),))
    assert found.misfits == 1 and "never start" in str(found)
    assert list(found.table.rows(named=True))[1]["late_after"] == 1


@pytest.mark.parametrize("words, why", [
    (["--move", "u:a->b"], "no job of it is in a"),
    (["--move", "long:z->b"], "--move long:z->b"),
    (["--move", "long:a->z"], "--move long:a->z"),
    (["--move", "long:a->b", "--multiplier", "2"], "goes with --move alone"),
    (["--nodes", "+20%"], "goes with --move alone")])
def test_wrong_moves_are_named(both, words, why, capsys):
    assert main(["what-if", both[0], "--nodes", "1 x cpu=4", "--beside",
                 both[1], "--beside-nodes", "1 x cpu=4", *words]) == 2
    assert why in capsys.readouterr().err


def test_options_of_no_cluster_are_named(both, tmp_path, capsys):
    for words, why in ((["--beside-nodes", "1 x cpu=4"], "needs --beside"),
                       (["--beside", both[1], "--beside-nodes", "1 x cpu=4",
                         "--beside-capacity", "cpu=4"], "does not go with")):
        assert main(["report", both[0], "-o", str(tmp_path / "x.html"),
                     *words]) == 2
        assert why in capsys.readouterr().err
    units = tmp_path / "units.csv"
    units.write_text("key,length_s,amount\na,60,3\n")
    assert main(["report", both[0], "-o", str(tmp_path / "x.html"), "--sweep",
                 "1", "--beside", str(units)]) == 2
    assert "cannot stand beside" in capsys.readouterr().err


def test_a_move_on_the_command_line(both, capsys):
    words = ["what-if", both[0], "--nodes", "1 x cpu=4", "--beside", both[1],
             "--beside-nodes", "2 x cpu=8", "--move", "long:a->b"]
    assert main([*words, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["moved"] == 10 and len(said["clusters"]) == 2
    assert main(words) == 0
    assert "10 jobs move." in capsys.readouterr().out
