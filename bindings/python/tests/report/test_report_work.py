"""What was delivered: hours by outcome, bounded slowdown, own targets, price;
and workflows with objectives."""

import gzip
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="libsked[plot] is missing")
pytest.importorskip("jinja2", reason="libsked[report] is missing")

from sked import reporting  # noqa: E402
from sked.commands import main  # noqa: E402
from sked.reporting import delivered, given, outcomes, work  # noqa: E402
from sked.reporting import reading  # noqa: E402

HEAD = "submit_s,start_s,end_s,user,queue,tasks,cpu,mem_bytes,job_id"
GIB = 1 << 30


def write(path, rows, head=HEAD):
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in
                                       rows)]) + "\n", encoding="utf-8")
    return str(path)


def facts_of(path, **more):
    facts = reporting.gather(reporting.Wanted(path, sweep=(1,), **more))
    return facts, reporting.data(facts)


@pytest.fixture
def ended(tmp_path):
    """Two queues, three outcomes, and one job that ran for no time."""
    rows = [(0, 0, 3600, "u", "a", 2, 1, GIB, "1", "completed"),
            (0, 900, 4500, "u", "a", 1, 1, 0, "2", "FAILED"),
            (0, 100, 7300, "v", "b", 1, 3, 0, "3", "CANCELLED by 7"),
            (5, 2005, 2005, "v", "b", 1, 1, 0, "4", "timeout"),
            (10, 10, 14, "v", "b", 1, 1, 0, "5", "")]
    return write(tmp_path / "w.csv", rows, HEAD + ",state")


def test_hours_are_told_by_outcome(ended):
    facts, said = facts_of(ended)
    whole = said["delivered"]["all"]
    assert whole["jobs"] == 5
    assert whole["hours"]["cpu"] == pytest.approx(2 + 1 + 6 + 4 / 3600)
    assert whole["hours"]["memory"] == 2
    assert {k: (v["jobs"], v["hours"]["cpu"]) for k, v in
            whole["ended"].items()} == {
        "completed": (1, 2), "failed": (1, 1), "cancelled": (1, 6),
        "timed out": (1, 0), "not said": (1, pytest.approx(4 / 3600))}
    b = said["delivered"]["root.b"]
    assert b["jobs"] == 3 and b["ended"]["cancelled"]["hours"]["cpu"] == 6
    # the column of outcomes is read, so it is no fault of the file
    assert said["inputs"]["faults"] == 0
    page = reporting.page(facts)
    assert "Jobs that ended as" in page and "timed out" in page


def test_slowdown_is_bounded_and_late_is_by_own_targets(ended, tmp_path):
    own = tmp_path / "targets.csv"
    own.write_text("queue,target_s\nroot.a,900\nb,60\n")
    facts, said = facts_of(ended, targets=str(own))
    a, b = said["delivered"]["root.a"], said["delivered"]["root.b"]
    # a: (900 + 3600) / 3600; b: 7300 / 7200, (2000 + 0) / 10, 4 / 10 -> 1
    assert (a["slowdown_p50"], a["slowdown_p95"]) == (1, 1.25)
    assert (b["slowdown_p95"], b["slowdown_mean"]) == (
        200, pytest.approx((7300 / 7200 + 200 + 1) / 3))
    assert (a["target_s"], a["late"], a["met"]) == (900, 0, True)
    assert (b["target_s"], b["late"], b["met"]) == (60, 2, False)
    assert said["delivered"]["all"]["late"] == 2


def test_a_price_is_that_of_hours(ended):
    facts, said = facts_of(ended, price=(("cpu", Fraction(1, 10)),
                                         ("memory", Fraction(1, 4))))
    assert said["delivered"]["root.a"]["cost"] == pytest.approx(0.8)
    made = work.delivered_table(facts)
    assert dict(zip(made["queue"], made["cost"].tolist()))["root.a"] == \
        pytest.approx(0.8)
    assert {"core_hours", "gib_hours", "failed_core_hours"} <= set(made.names)
    _, plain = facts_of(ended)
    assert plain["delivered"]["root.a"]["cost"] is None


@pytest.mark.parametrize("text,what", [
    ("queue,target_s\nroot.z,5\n", ":2: no queue 'root.z'"),
    ("root.a,5\nroot.b,soon\n", ':2: is not "queue,target_s"'),
    ("root.a,-5\n", ":1: target -5 is not within"),
    ("queue,target_s\n", "says no target")])
def test_bad_targets_are_named(ended, tmp_path, text, what, capsys):
    own = tmp_path / "targets.csv"
    own.write_text(text)
    assert main(["report", ended, "--json", str(tmp_path / "o.json"),
                 "--targets", str(own)]) == 2
    assert what in capsys.readouterr().err
    assert not (tmp_path / "o.json").exists()


@pytest.mark.parametrize("text", ["1", "cpu=x", "cpu=-1", "cpu=1,cpu=2",
                                  "disk=1"])
def test_bad_prices_are_named(ended, text, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["report", ended, "-o", "x.html", "--price", text])
    assert stop.value.code == 2
    assert "--price" in capsys.readouterr().err


def test_outcomes_of_other_forms(tmp_path):
    swf = tmp_path / "w.swf.gz"
    with gzip.open(swf, "wt") as file:
        file.write("; a comment\n"
                   "1 0 5 100 2 -1 -1 2 100 -1 1 1 1 -1 1 -1 -1 -1\n\n"
                   "2 9 5 100 2 -1 -1 2 100 -1 5 1 1 -1 1 -1 -1 -1\n"
                   "3 9 5 100 2 -1 -1 2 100 -1 -1 1 1 -1 1 -1 -1 -1\n")
    assert outcomes.outcomes(str(swf), "swf", "") == {2: 1, 4: 3}
    _, said = facts_of(str(swf))
    assert {k: v["jobs"] for k, v in said["delivered"]["all"]["ended"].items()
            } == {"completed": 1, "cancelled": 1, "not said": 1}
    sacct = tmp_path / "w.txt"
    sacct.write_text(
        "JobID|Submit|Start|End|Elapsed|State|NCPUS|Partition|JobName\n"
        "1|2020-01-01T00:00:00|2020-01-01T00:00:10|2020-01-01T01:00:10|"
        "01:00:00|COMPLETED|4|p|a|b\n"
        "2|2020-01-01T00:00:00|2020-01-01T00:00:10|2020-01-01T00:30:10|"
        "00:30:00|CANCELLED by 5|4|p|x\n")
    _, said = facts_of(str(sacct))
    assert {k: (v["jobs"], v["hours"]["cpu"]) for k, v in
            said["delivered"]["all"]["ended"].items()} == {
        "completed": (1, 4), "cancelled": (1, 2)}


def test_a_quoted_row_has_the_line_where_it_begins(tmp_path):
    path = tmp_path / "w.csv"
    path.write_text('submit_s,run_s,user,outcome\n0,5,"a\nb",failed\n'
                    "\n1,5,c,completed\n")
    assert outcomes.outcomes(str(path), "csv", "submit_s,run_s,user,outcome"
                             ) == {2: 2, 5: 1}


def test_a_file_without_outcomes_has_none(tmp_path):
    path = write(tmp_path / "w.csv", [(0, 5, 50, "u", "q", 1, 1, 0, 1)])
    facts, said = facts_of(path)
    assert said["delivered"]["all"]["ended"] == {}
    assert "Jobs that ended as" not in reporting.page(facts)


def test_slowdown_of_nothing_is_nothing():
    assert delivered.ranked([], "0.5") == 0
    assert delivered.slowdowns([], []).tolist() == []


def test_a_job_that_never_started_gets_nothing(tmp_path):
    path = write(tmp_path / "w.csv", [
        (0, "", "", "u", "q", 1, 1, 0, "a;run=3600"),
        (0, "", "", "u", "q", 1, 64, 0, "b;run=3600")])
    _, said = facts_of(path, nodes=("1 x cpu=4",))
    q = said["delivered"]["root.q"]
    assert q["hours"]["cpu"] == 1 and q["late"] == 1 and q["jobs"] == 2


# ---- workflows ----

FLOWS = HEAD + ",slo_s,workflow,tier"


def flows(path, odd=False):
    """A workflow that meets its objective 9 of 10 times, one 8 of 10 times."""
    rows = []
    for i in range(10):
        rows.append((i * 1000, i * 1000, i * 1000 + (50 if i else 500), "u",
                     "a", 1, 1, 0, f"g{i}", 100, "good", 1))
        rows.append((i * 1000, i * 1000, i * 1000 + (50 if i > 1 else 500),
                     "u", "b", 1, 1, 0, f"b{i}", 100, "bad", 2))
        rows.append((i * 1000 + 1, i * 1000 + 1, i * 1000 + 9, "u", "b", 1, 1,
                     0, f"n{i}", "", '"odd"' if odd else "none", 2))
    return write(path, rows, FLOWS)


@pytest.mark.parametrize("odd", [False, True])
def test_workflows_are_counted_by_tier(tmp_path, odd):
    """Whole columns and single rows (a quote forces these) are alike."""
    facts, said = facts_of(flows(tmp_path / "w.csv", odd))
    found = said["objectives"]
    assert found["tiers"] == [
        {"tier": 1, "workflows": 1, "successful": 1},
        {"tier": 2, "workflows": 1, "successful": 0}]
    assert [(f["workflow"], f["queue"], f["runs"], f["met"], f["slo_s"])
            for f in found["workflows"]] == [
        ("bad", "root.b", 10, 8, 100), ("good", "root.a", 10, 9, 100)]
    page = reporting.page(facts)
    assert "Do workflows end when they should?" in page
    assert "tier 1: 1 of 1 (100\u00a0%); tier 2: 0 of 1 (0\u00a0%)" in page
    assert work.workflows_table(facts)["met"].tolist() == [8, 9]


def test_columns_and_rows_note_alike(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    path = flows(tmp_path / "w.csv")
    quick = given.read(reporting.Wanted(path)).notes
    monkeypatch.setattr(reading, "by_columns", lambda *a: None)
    slow = given.read(reporting.Wanted(path)).notes
    assert quick.slo.tolist() == slow.slo.tolist()
    assert [quick.workflows[w] for w in quick.workflow.tolist()] == \
        [slow.workflows[w] for w in slow.workflow.tolist()]


def test_a_month_has_the_answers_of_the_daily_report():
    """Workflows by tier, and successful ones, as the program counts them. The
    program counts the runs of its window alone."""
    import re
    import subprocess
    import sys
    month = Path(__file__).resolve().parents[4] / "examples/notebooks/month.csv"
    if not month.exists():
        pytest.skip("the examples are not beside the package")
    said = subprocess.run([sys.executable, "-m", "sked", "daily_report",
                           str(month)], capture_output=True, text=True)
    told = [tuple(map(int, row)) for row in re.findall(
        r"(\d+) of (\d+) workflows; \d+ of \d+ runs", said.stdout)]
    _, facts = facts_of(str(month), nodes=("47 x cpu=16,memory=64GiB",))
    assert told == [(tier["successful"], tier["workflows"])
                    for tier in facts["objectives"]["tiers"]]
    assert told == [(2, 3), (3, 4), (4, 5)]


def test_a_simulated_end_counts(tmp_path):
    """One core: the second run waits for the first, and misses."""
    path = write(tmp_path / "w.csv", [
        (0, "", "", "u", "q", 1, 1, 0, "a;run=80", 100, "w", 1),
        (0, "", "", "u", "q", 1, 1, 0, "b;run=80", 100, "w", 1)], FLOWS)
    _, said = facts_of(path, nodes=("1 x cpu=1",))
    assert [(f["runs"], f["met"]) for f in said["objectives"]["workflows"]
            ] == [(2, 1)]


def test_a_run_that_never_ends_misses_its_objective(tmp_path):
    path = write(tmp_path / "w.csv", [
        (0, "", "", "u", "q", 1, 64, 0, "a;run=80", 100, "w", 1),
        (0, "", "", "u", "q", 1, 1, 0, "b;run=80", 100, "w", 1)], FLOWS)
    _, said = facts_of(path, nodes=("1 x cpu=4",))
    assert [(f["runs"], f["met"]) for f in said["objectives"]["workflows"]
            ] == [(2, 1)]


def test_a_file_without_objectives_has_no_card(tmp_path):
    path = write(tmp_path / "w.csv", [(0, 5, 50, "u", "q", 1, 1, 0, 1)])
    facts, said = facts_of(path)
    assert said["objectives"] is None
    assert "Do workflows end" not in reporting.page(facts)
