"""What `python -m sked report` says of options and files that make no sense."""

import json
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

pytest.importorskip("matplotlib", reason="libsked[plot] is missing")

from sked.commands import main  # noqa: E402
from sked.reporting import waits  # noqa: E402
from sked.reporting.when import clock_of  # noqa: E402
from test_report import workload  # noqa: E402


@pytest.mark.parametrize("words, said", [
    (("--until", "1e30"), "more than 2^62 ns"),
    (("--target", "-1"), "'-1' is negative"),
    (("--load", "0"), "'0' is not above 0"),
    (("--sweep", "1,x"), "'x' is not a number"),
    (("--growth", "nan"), "'nan' is not a number"),
    (("--capacity", "cpu=0"), "--capacity 'cpu=0': is nothing"),
    (("--capacity", "foo=3"), "--capacity 'foo=3': "),
    (("--nodes", "0 x cpu=1"), "--nodes '0 x cpu=1': no node"),
    (("--multiplier", "1e300"), "'1e300' is more than 1000"),
    (("--sweep", "1,1e9"), "'1e9' is more than 1000"),
    (("--default-task", "x=1"), "--default-task 'x=1': no kind 'x'")])
def test_options_that_make_no_sense(tmp_path, capsys, words, said):
    page = tmp_path / "page.html"
    command = ["report", workload(tmp_path / "w.csv", jobs=20), "-o",
               str(page), *words]
    try:
        assert main(command) == 2
    except SystemExit as error:
        assert error.code == 2
    assert said in capsys.readouterr().err and not page.exists()


@pytest.mark.parametrize("text, said", [
    ("queue,tier\nads,1\nnone,2\n", ":3: no queue 'none'"),
    ("ads,1\nweb,first\n", ':2: is not "queue,tier"'),
    ("queue,tier\n", "says no tier of any queue")])
def test_tiers_that_are_not_understood(tmp_path, capsys, text, said):
    tiers = tmp_path / "tiers.csv"
    tiers.write_text(text)
    assert main(["report", workload(tmp_path / "w.csv", jobs=20), "--json",
                 str(tmp_path / "f.json"), "--tiers", str(tiers)]) == 2
    assert str(tiers) + said in capsys.readouterr().err.replace(": says",
                                                                "says")


def test_a_log_without_starts_runs_on_the_machine_that_it_names(tmp_path):
    path = tmp_path / "log.swf"
    path.write_text("; MaxProcs: 4\n" + "".join(
        f"{i} {100 * i} -1 150 2 -1 -1 2 -1 -1 1 1 -1 -1 1 -1 -1 -1\n"
        for i in range(9)))
    facts = tmp_path / "facts.json"
    assert main(["report", str(path), "--quiet", "--json", str(facts)]) == 0
    said = json.loads(facts.read_text())
    assert said["inputs"]["capacity"]["cpu"] == {"amount": 4, "source": "told"}
    assert said["inputs"]["nodes"] == 1
    assert said["waits"]["root.1"]["recorded"] is None
    assert "invented" not in " ".join(said["inputs"]["assumptions"])


def test_free_in_pieces_and_more_than_there_is(tmp_path):
    """A job of 4 holds 3 of 4 cores for a while: 1 is free, the next needs 2.
    By the file 5 were in use."""
    path = tmp_path / "log.swf"
    rows = ((0, 0, 4000, 3), (10, 3990, 9, 2), (20, 0, 5, 2))
    path.write_text("; MaxProcs: 4\n" + "".join(
        f"{i} {at} {wait} {run} {n} -1 -1 {n} -1 -1 1 1 -1 -1 1 -1 -1 -1\n"
        for i, (at, wait, run, n) in enumerate(rows)))
    facts, page = tmp_path / "facts.json", tmp_path / "page.html"
    assert main(["report", str(path), "--quiet", "--json", str(facts), "-o",
                 str(page)]) == 0
    said = json.loads(facts.read_text())
    assert said["shortfall"] == {"root.1": {"below_s": 3990.0,
                                            "in_pieces_s": 3990.0}}
    assert "up to 5 cores were in use at one time, which is more" in \
        " ".join(said["inputs"]["assumptions"])
    words = page.read_text(encoding="utf-8")
    assert "For 100\u00a0% of the time below a share that much was free, but " \
        "nowhere as much at once" in words


@pytest.mark.parametrize("second, tiles", [(0, 0), (1, 1)])
def test_what_came_at_one_instant_has_no_average(tmp_path, second, tiles):
    path, facts = tmp_path / "w.csv", tmp_path / "facts.json"
    path.write_text(f"submit_s,run_s,queue,cpu\n0,100,a,1\n{second},100,b,1\n")
    assert main(["report", str(path), "--quiet", "--sweep", "1", "--json",
                 str(facts)]) == 0
    assert sum(tile["label"] == "in use" for tile in
               json.loads(facts.read_text())["tiles"]) == tiles


@pytest.mark.parametrize("month, day", [(10, 25), (3, 29)])
def test_days_are_those_of_the_calendar_where_clocks_change(month, day):
    begin = datetime(2024, month, day, 0, 10, tzinfo=ZoneInfo("Europe/Berlin"))
    at = int(begin.timestamp()) * 10**9
    _, labels = waits.periods(at, at + 4 * waits.DAY,
                              clock_of(at, None, "Europe/Berlin"))
    assert [int(label.split()[0]) for label in labels] == [
        day, day + 1, day + 2, (day + 2) % 31 + 1]
