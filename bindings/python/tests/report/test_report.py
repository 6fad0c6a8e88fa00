"""The report as a file: what it says, what it never says, and its sizes."""

import json
import os
import random
import re
import subprocess
import sys
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="sked[plot] is missing")

import sked  # noqa: E402
from sked import reporting  # noqa: E402
from sked.commands import main  # noqa: E402
from sked.reporting import cluster, given, waits, whatif  # noqa: E402

HEAD = "submit_s,start_s,end_s,user,group,queue,tasks,cpu,mem_bytes,gpu,job_id"
ODD = ("<script>alert(1)</script>", "\u0639\u0644\u064a & \u05d0\u05d1", "=1+1",
       "a\"b'c", "</title></svg>")


#: What the tiles of the small report have said from the first day on, and how
#: much of what it is made of.
TILES = ["49\u00a0%", "20\u00a0min", "39\u00a0%", "0", "1.11\u00d7", "88"]
COUNTS = {"svg": 19, "table": 23, "details": 19, "section": 15}


def workload(path, jobs=160, queues=("ads", "web", *ODD), starts=False, seed=1,
             tiers=False):
    """A day of a cluster, some of it crowded."""
    draw = random.Random(seed)
    lines = [HEAD + (",tier" if tiers else "")]
    at = 0.0
    for i in range(jobs):
        at += draw.expovariate(1 / 300)
        run = draw.randrange(60, 9000)
        start = at + draw.choice((0, 0, 5, 1200))
        queue = queues[min(int(draw.expovariate(0.7)), len(queues) - 1)]
        row = [f"{at:.3f}", f"{start:.3f}" if starts else "",
               f"{start + run:.3f}" if starts else "",
               f"user{i % 5}", "g", queue, str(draw.randrange(1, 6)), "1",
               str(1 << 30), "", f"j{i};run={run}"]
        if tiers:
            row.append(str(1 + queues.index(queue) % 3))
        lines.append(",".join(
            '"' + c.replace('"', '""') + '"' if set(c) & set('",') else c
            for c in row))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


class Outline(HTMLParser):
    """What stands in a page."""

    VOID = {"meta", "br", "link", "img"}

    def __init__(self, page):
        super().__init__()
        self.tags, self.open, self.texts, self.links = [], [], {}, []
        self.ids, self.errors = [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        found = dict(attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in found:
            self.ids.append(found["id"])
        self.links += [found[k] for k in ("href", "src", "xlink:href")
                       if k in found]

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:])
        self.open.pop()

    def handle_data(self, data):
        for tag in self.open[-1:]:
            self.texts.setdefault(tag, []).append(data)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small report, made once."""
    folder = tmp_path_factory.mktemp("report")
    path = workload(folder / "day.csv", starts=True)
    return reporting.report(reporting.Wanted(path))


def test_a_report_has_its_cards(small):
    found = Outline(small)
    assert found.texts["h2"] == [
        "In short", "Do jobs start in time?", "What was in use",
        "Who waited, and why", "Over and under their share",
        "Fair share and usage", "Longest times below a share",
        "What a queue needs for most of the time",
        "What queues need, and the plan", "What the planner advises",
        "What would change", "How far it can grow", "What the scheduler did",
        "What this is made from", "Appendix: the numbers behind it"]
    assert found.texts["title"][0] == "day.csv: resource report"


def test_a_small_report_says_what_it_said(small):
    found = Outline(small)
    tiles = small.split('<ul class="tiles">')[1].split("</ul>")[0]
    assert re.findall(r"<b>([^<]*)</b>", tiles) == TILES
    short = small.split('<ul class="short">')[1].split("</ul>")[0]
    assert short.count("<li>") == 5
    count = {tag: found.tags.count(tag)
             for tag in ("svg", "table", "details", "section")}
    assert count == COUNTS


def test_without_matplotlib_it_says_what_to_install(tmp_path):
    code = ("import sys; sys.modules['matplotlib'] = None\n"
            "from sked.commands import main\n"
            f"sys.exit(main(['report', 'w.csv', '-o', {str(tmp_path)!r}]))")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True,
                         text=True)
    assert ran.returncode == 2
    assert ran.stderr == ("report: pictures are drawn by matplotlib, which is "
                          "not installed: pip install 'sked[plot]'\n")


def test_nothing_is_fetched_and_nothing_runs(small):
    found = Outline(small)
    assert "script" not in found.tags and "link" not in found.tags
    assert not {"iframe", "object", "embed", "img"} & set(found.tags)
    assert all(link.startswith(("data:text/csv", "#")) for link in found.links)
    assert "default-src 'none'" in small
    assert not re.search(r"\son[a-z]+\s*=", re.sub(r"<style>.*?</style>", "",
                                                   small.split("<body>")[1]))
    assert "@import" not in small and "url(http" not in small


def test_ids_are_unique_and_links_lead_somewhere(small):
    found = Outline(small)
    assert len(set(found.ids)) == len(found.ids)
    inside = {link[1:] for link in found.links if link.startswith("#")}
    inside |= set(re.findall(r"url\(#([^)]*)\)", small))
    assert inside <= set(found.ids)


def test_names_are_escaped(small):
    assert "<script" not in small
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in small
    assert "<bdi>\u0639\u0644\u064a &amp; \u05d0\u05d1</bdi>" in small
    assert "</title></svg><" not in small.replace("</title></svg></figure>", "")
    assert "%0A=1" not in small


def test_files_inside_are_the_tables(small):
    from urllib.parse import unquote
    import csv
    files = re.findall(r'download="([^"]*)" href="data:text/csv;charset=utf-8,'
                       r'([^"]*)"', small)
    names = [name for name, _ in files]
    assert len(names) == len(set(names)) and "waits.csv" in names
    table = dict(files)["waits.csv"]
    rows = list(csv.DictReader(unquote(table).splitlines()))
    assert sum(int(row["jobs"]) for row in rows) == 160
    assert all("<script" not in data for _, data in files)


def test_the_same_input_gives_the_same_bytes(tmp_path, small):
    path = workload(tmp_path / "day.csv", starts=True)
    out = tmp_path / "r.html"
    code = (f"from sked.commands import main; import sys\n"
            f"sys.exit(main(['report', {path!r}, '-o', {str(out)!r}]))")
    subprocess.run([sys.executable, "-c", code], check=True,
                   env={**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"})
    assert out.read_text(encoding="utf-8") == small


def test_replay_and_report_decide_alike(tmp_path):
    path = workload(tmp_path / "day.csv", tiers=True)
    for more in ({}, {"load": Fraction(2), "gang": True, "policy": "fifo"},
                 {"preempt": "starvation"}):
        wanted = reporting.Wanted(path, **more)
        found = given.read(wanted)
        nodes = cluster.make(wanted, found)
        from sked.reporting import runs
        ran = runs.simulate(wanted, found, nodes, found.tree, "cpu")
        words = ["replay", path, "--json", str(tmp_path / "o.json"), "--quiet"]
        for key, value in more.items():
            words += [f"--{key}"] + ([] if value is True else [str(value)])
        assert main(words) == 0
        said = json.loads((tmp_path / "o.json").read_text())
        assert said["result"]["digest"] == f"{ran.total.digest:016x}"
        assert said["cluster"]["nodes"] == nodes.count


def test_jobs_without_starts_are_simulated(tmp_path):
    page = reporting.report(reporting.Wanted(
        workload(tmp_path / "w.csv", jobs=60, tiers=True),
        sweep=(Fraction(1),)))
    assert "The file has no starts" in page and "Simulated: 1 in 20" not in page
    assert "of tier 1 workflows start in time" in page


def test_preemption_has_a_card(tmp_path):
    page = reporting.report(reporting.Wanted(
        workload(tmp_path / "w.csv", jobs=60), preempt="starvation",
        sweep=(Fraction(1),)))
    assert "<h2>Preemption by starvation</h2>" in page


def test_time_units_say_what_is_left_out(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text("key,length_s,amount\na,3600,4\na,60,9\nb,60,1\n"
                    "b,x,1\nb,9\n")
    page = reporting.report(reporting.Wanted(str(path)))
    assert "left out: time units have no clock" in page
    assert "5 records" in page and "2 left out" in page
    assert "Who waited" not in page
    facts = reporting.gather(reporting.Wanted(str(path)))
    assert [p.amount for p in facts.needs[0].points] == [
        4000, 4000, 4000, 4000, 9000, 9000]


def test_records_of_usage_have_no_waits(tmp_path):
    path = tmp_path / "usage.csv"
    path.write_text("start_s,end_s,queue,gpu\n0,60,a,2\n60,90,a,3\n0,80,b,1\n")
    facts = reporting.gather(reporting.Wanted(str(path)))
    assert facts.given.mode is reporting.Mode.USAGE and facts.kind == "gpu"
    assert facts.capacity == 4000
    page = reporting.page(facts)
    assert "not when it was asked for" in page and "Who waited" not in page
    assert "<td>submission</td>" not in page


def test_a_tree_keeps_what_no_job_names(tmp_path):
    tree = tmp_path / "t"
    tree.write_text("kinds cpu=m memory=B gpu=m\nroot\nroot.a weight=3\n"
                    "root.b\nroot.c\nroot.c.d\n")
    path = workload(tmp_path / "w.csv", jobs=30, queues=("a", "b"))
    facts = reporting.gather(reporting.Wanted(path, tree=str(tree),
                                              sweep=(Fraction(1),)))
    assert "root.c.d" in [q.path for q in facts.advice.tree]
    assert {c.path for c in facts.advice.changes} <= {"root.a", "root.b"}
    assert facts.share["root.a"] > facts.share["root.b"]


def test_a_thousand_queues_for_a_month_stay_small(tmp_path):
    queues = [f"organisation-{i % 30}/project-{i}" for i in range(1000)]
    draw = random.Random(9)
    lines = [HEAD]
    for i in range(4000):
        at = draw.uniform(0, 30 * 86400)
        lines.append(f"{at:.2f},,,u{i % 97},g,{queues[i % 1000]},"
                     f"{draw.randrange(1, 9)},1,1000000000,,"
                     f"j{i};run={draw.randrange(60, 40000)}")
    path = tmp_path / "month.csv"
    path.write_text("\n".join(lines) + "\n")
    page = reporting.report(reporting.Wanted(str(path), heartbeat=0,
                                             sweep=(Fraction(1),)))
    assert len(page.encode()) < 2_000_000
    Outline(page)


def test_bad_input_is_one_line_and_no_file(tmp_path, capsys):
    out = tmp_path / "r.html"
    cases = [["/nowhere.csv"], [workload(tmp_path / "w.csv", jobs=3),
                                "--nodes", "many"]]
    for words in cases:
        assert main(["report", *words, "-o", str(out)]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
    empty = tmp_path / "e.csv"
    empty.write_text(HEAD + "\n")
    assert main(["report", str(empty), "-o", str(out)]) == 2
    assert not out.exists() and not list(tmp_path.glob(".report*"))


def test_waits_are_told_by_what_held_them():
    from sked.columns import Table, convert_column
    table = {"time": convert_column([0, 10, 20, 30])}
    mine = Table({**table, "usage": convert_column([1, 4, 4, 4]),
                  "share": convert_column([4, 4, 4, 4])})
    root = Table({**table, "usage": convert_column([10, 10, 10, 2]),
                  "share": convert_column([10, 10, 10, 10])})
    states = waits.States(mine, root, 10, 10, 0)
    assert states.parts(0, 39) == (0.25, 0.5)
    assert states.parts(0, 5) == (1, 0)
    assert states.parts(30, 1000) == (0, 0)


@pytest.mark.parametrize("name, seconds", [
    ("slurmsim-ubhpc/common/workload_5k.csv.gz", 60),
    ("swf-hpc/raw/KTH-SP2-1996-2.swf.gz", 60)])
def test_recorded_workloads_give_reports(name, seconds):
    place = Path(os.environ.get("SKED_DATA") or Path(
        os.environ.get("SKED_VECTORS", "../shared/vectors")).parent / "data")
    if not (place / name).exists():
        pytest.skip(f"no recorded workload {place / name}")
    page = reporting.report(reporting.Wanted(str(place / name)))
    assert len(page.encode()) < 2_000_000
    assert not Outline(page).errors and "What would change" in page
    assert sked.__version__ in page


def test_changes_are_tried_by_the_same_replay(tmp_path):
    path = workload(tmp_path / "w.csv", jobs=80)
    facts = reporting.gather(reporting.Wanted(path, sweep=(Fraction(1),)))
    wanted, found, nodes = facts.wanted, facts.given, facts.cluster
    now = whatif.try_one("as it is now", wanted, found, nodes, found.tree)
    assert now == facts.tried[0]
    assert now.late == sum(w.over for w in facts.simulated_waits)
    assert whatif.larger(nodes).nodes[0].count == -(-nodes.count * 5 // 4)
    pool = cluster.Cluster([sked.Nodes(1, [8000, 4, 0])], [8000, 4, 0], "")
    assert whatif.larger(pool).nodes[0].amount == [10_000, 5, 0]
    assert [t.what for t in facts.tried[-3:]] == [
        "inside each queue, users in turn",
        "inside each queue, small jobs first",
        "preemption for queues below their share"]
