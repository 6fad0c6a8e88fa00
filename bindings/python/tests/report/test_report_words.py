"""What `python -m sked report` says of options and files that make no sense."""

import pytest

pytest.importorskip("matplotlib", reason="libsked[plot] is missing")

from sked.commands import main  # noqa: E402
from test_report import workload  # noqa: E402


@pytest.mark.parametrize("words, said", [
    (("--until", "1e30"), "more than 2^62 ns"),
    (("--target", "-1"), "'-1' is negative"),
    (("--load", "0"), "'0' is not above 0"),
    (("--sweep", "1,x"), "'x' is not a number"),
    (("--growth", "nan"), "'nan' is not a number"),
    (("--capacity", "cpu=0"), "--capacity 'cpu=0': is nothing"),
    (("--capacity", "foo=3"), "--capacity 'foo=3': "),
    (("--nodes", "0 x cpu=1"), "--nodes '0 x cpu=1': no node")])
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
