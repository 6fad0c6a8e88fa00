"""The facts of the report, against what is computed from the file and from the
decision log of `replay` with nothing of the package (outside_*.py)."""

import copy
import gzip
import json
import os
from itertools import islice
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="libsked[plot] is missing")

import outside_facts  # noqa: E402
from outside_read import Nodes  # noqa: E402
from sked.commands import main  # noqa: E402

DATA = Path(os.environ.get("SKED_DATA") or Path(os.environ.get(
    "SKED_VECTORS", "../shared/vectors")).parent / "data")
GIB = 1 << 30
#: What is replayed where no file is named, as `replay --example` writes it.
NODES = [Nodes(24, (32000, 128 * GIB, 0)),
         Nodes(6, (32000, 256 * GIB, 8000), "gpu")]
RECORDED = {
    "csv with starts": "xdmod-sacct/common/phillips.csv.gz",
    "csv without starts": "slurmsim-ubhpc/common/workload_5k.csv.gz",
    "swf": "swf-hpc/raw/CEA-Curie-sample.swf.gz"}
#: Of each so many lines; all of them at the full size.
LINES = 3000
if os.environ.get("SKED_TEST_SIZE") == "full":
    LINES = None
    RECORDED["csv of much waiting"] = "philly/common/chronus-slo.csv.gz"
    RECORDED["swf of a year"] = "swf-hpc/raw/ALCF-Theta-2022.swf.gz"


def facts_of(case):
    """What the report says of a case."""
    out = os.path.join(case.folder, "facts.json")
    words = []
    if case.tree:
        words = case.words()[2:]
    assert main(["report", case.path, "--quiet", "--json", out, *words]) == 0
    with open(out, encoding="utf-8") as file:
        return json.load(file)


@pytest.fixture(scope="module")
def bundled(tmp_path_factory):
    """The bundled day with its tree and nodes, and its facts."""
    folder = str(tmp_path_factory.mktemp("bundled"))
    assert main(["replay", "--example", folder]) == 0
    tree = Path(folder, "tree.txt").read_text(encoding="utf-8")
    case = outside_facts.Case(f"{folder}/workload.csv", folder, tree, NODES)
    return case, facts_of(case)


def test_the_bundled_day(bundled):
    case, facts = bundled
    assert facts["waits"] and facts["growth"] and facts["sizes"]
    assert outside_facts.check(case, facts) == []


@pytest.mark.parametrize("name", RECORDED)
def test_recorded(tmp_path, name):
    path = DATA / RECORDED[name]
    if not path.exists():
        pytest.skip(f"no recorded workload {path}")
    plain = tmp_path / path.name.removesuffix(".gz")
    with gzip.open(path) as file, plain.open("wb") as out:
        out.writelines(islice(file, LINES))
    case = outside_facts.Case(str(plain), str(tmp_path))
    assert outside_facts.check(case, facts_of(case)) == []


@pytest.fixture(scope="module")
def growing(tmp_path_factory):
    """Fifteen weeks, each with a fiftieth more work than the one before it, in
    bursts that wait for a while."""
    folder = tmp_path_factory.mktemp("growing")
    lines = ["; MaxProcs: 4", "; UnixStartTime: 1700000000"]
    for week in range(15):
        for i in range(20):
            at = week * 604_800 + i * 30_000
            lines.append(f"{len(lines)} {at} 3 {round(100 * 1.02**week)} "
                         f"{1 + i % 3} -1 -1 -1 -1 -1 1 1 -1 -1 1 -1 -1 -1")
            lines.append(f"{len(lines)} {at + 1} 2 500 2 "
                         "-1 -1 -1 -1 -1 1 2 -1 -1 2 -1 -1 -1")
    path = folder / "log.swf"
    path.write_text("\n".join(lines) + "\n")
    case = outside_facts.Case(str(path), str(folder))
    return case, facts_of(case)


def test_the_date_that_growth_reaches(growing):
    """And a later one is not taken for it."""
    case, facts = growing
    assert facts["growth"]["reached"] and facts["inputs"]["begins"]
    assert outside_facts.check(case, facts) == []
    for at, value in ((("growth", "reached"), "2025-01-01T00:00:00+00:00"),
                      (("growth", "reached"), None),
                      (("inputs", "begins"), None)):
        other = copy.deepcopy(facts)
        other[at[0]][at[1]] = value
        found = outside_facts.check(case, other)
        assert [row[0] for row in found] == [at[1]], found


#: A fact, and another value of it.
WRONG = [
    (("inputs", "capacity", "cpu", "amount"), 959),
    (("inputs", "capacity", "gpu", "source"), "recorded peak"),
    (("inputs", "skipped"), {"no tasks": 1}),
    (("waits", "root.adhoc", "simulated", "p95_s"), 1.0),
    (("waits", "root.adhoc", "causes", "limit"), 0.5),
    (("delivered", "root.adhoc", "hours", "cpu"), 1.0),
    (("delivered", "all", "slowdown_mean"), 1.0),
    (("tiles", 0, "value"), 0.5), (("tiles", 1, "value"), 6),
    (("tiles", 4, "value"), 3), (("below_share",), [None]),
    (("shortfall",), {"root.adhoc": {"below_s": 1, "in_pieces_s": 2}}),
    (("growth", "points", 0, "p95_s"), 1e9), (("sizes", 1, "late"), 77),
    (("needs", 0, "p95"), 12345.0), (("removal", "drain_p50_s"), 1.0),
    (("removal", "lost_s"), 1.0), (("growth", "yearly"), 0.5)]


def test_what_is_wrong_is_seen(bundled):
    """Each of these alone, and nothing else, differs."""
    case, facts = bundled
    other = copy.deepcopy(facts)
    for path, value in WRONG:
        at = other
        for step in path[:-1]:
            at = at[step]
        assert at[path[-1]] != value
        at[path[-1]] = value
    found = outside_facts.check(case, other)
    assert len(found) >= len(WRONG), found
