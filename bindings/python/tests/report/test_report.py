"""The report as a file: what it says, what it never says, and its sizes."""

import io
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

pytest.importorskip("matplotlib", reason="libsked[plot] is missing")
pytest.importorskip("jinja2", reason="libsked[report] is missing")

import sked  # noqa: E402
from sked import reporting  # noqa: E402
from sked.commands import main  # noqa: E402
from sked.reporting import (  # noqa: E402
    cluster, given, runs, say, states, whatif)
from sked.reporting.when import clock_of, zone_of  # noqa: E402

HEAD = "submit_s,start_s,end_s,user,group,queue,tasks,cpu,mem_bytes,gpu,job_id"
ODD = ("<script>alert(1)</script>", "\u0639\u0644\u064a & \u05d0\u05d1", "=1+1",
       "a\"b'c", "</title></svg>")


#: What the tiles of the small report have said from the first day on, and how
#: much of what it is made of.
TILES = ["54\u00a0%", "39", "20\u00a0min", "39\u00a0%", "0", "1.24\u00d7"]
COUNTS = {"svg": 23, "table": 31, "details": 28, "section": 20}


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
        "In short", "What to do first",
        "Do jobs start in time?", "What was in use", "Who waited, and why",
        "What was delivered", "How many jobs waited", "How long jobs waited", "Whose jobs were late",
        "Over and under their share", "Longest times below a share",
        "Fair share and usage",
        "What a queue needs for most of the time",
        "What queues need, and the plan", "What was tried, and what holds",
        "Other sizes of the cluster", "How far it can grow",
        "What the scheduler did", "What this is made from",
        "Appendix: the numbers behind it"]
    assert found.texts["title"][0] == "day.csv: resource report"


def test_a_small_report_says_what_it_said(small):
    found = Outline(small)
    tiles = small.split('<ul class="tiles"')[1].split("</ul>")[0]
    assert re.findall(r"<b>([^<]*)</b>", tiles) == TILES
    short = small.split('<ul class="short">')[2].split("</ul>")[0]
    assert short.count("<li>") == 6
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
                          "not installed: pip install 'libsked[plot]'\n")


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
    assert "The file has no starts" in page and "recorded" not in page.replace(
        "recorded peak", "")
    for tier in (1, 2, 3):
        assert f"of users of tier {tier}, counted queue by queue, have" in page


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


@pytest.mark.parametrize("name", ["w.csv", "units.csv", "w.swf"])
def test_standard_input_is_a_workload(tmp_path, monkeypatch, name):
    from sked.importers import files as source
    path = tmp_path / name
    if name == "w.csv":
        workload(path, jobs=20)
    elif name == "w.swf":
        path.write_text("; MaxProcs: 8\n" + "".join(
            f"{i} {i} 1 9 2 -1 -1 2 9 -1 1 1 1 -1 1 -1 -1 -1\n"
            for i in range(1, 9)))
    else:
        path.write_text("key,length_s,amount\na,60,2\n\nb,60,1\n")
    with path.open("rb") as file:
        monkeypatch.setattr(source, "standard", source.Standard())
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(file))
        said = reporting.gather(reporting.Wanted("-", sweep=(Fraction(1),)))
    told = reporting.gather(reporting.Wanted(str(path),
                                             sweep=(Fraction(1),)))
    assert said.given.file == "standard input"
    assert said.given.records == told.given.records > 0
    assert said.capacity == told.capacity > 0
    assert said.given.mode is told.given.mode


def test_a_folder_of_spark_is_a_workload(tmp_path):
    folder = tmp_path / "eventlog_v2_app"
    folder.mkdir()
    (folder / "events_1_app").write_text("".join(
        json.dumps({"Event": "SparkListener" + kind, "Timestamp": at,
                    "Executor ID": "1", "Executor Info": {"Total Cores": 4}}
                   ) + "\n" for kind, at in (
            ("ExecutorAdded", 1700000000000),
            ("ExecutorRemoved", 1700000060000))))
    facts = reporting.gather(reporting.Wanted(str(folder) + "/"))
    assert facts.given.file == "eventlog_v2_app" and facts.capacity == 4000
    assert "The one record of the file is used" in reporting.page(facts)


def test_time_units_are_bounded(tmp_path, capsys):
    path = tmp_path / "units.csv"
    path.write_text("key,length_s,amount\na,60,2\na,1e13,1\na,1e999999,1\n"
                    "a,1,1e19\na,1,1e-99999999\n")
    facts = reporting.gather(reporting.Wanted(str(path)))
    assert facts.given.skipped == {"no time unit": 3}
    assert facts.needs[0].total.peak == 2000
    path.write_text("key,length_s,amount\na,60,4e15\nb,60,4e15\nc,60,4e15\n")
    assert main(["report", str(path), "-o", str(tmp_path / "r.html"),
                 "--quiet"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    path.write_text("key,length_s,amount\n" + "a" * 200_000 + ",60,1\n")
    with pytest.raises(ValueError, match=":2: field larger"):
        reporting.gather(reporting.Wanted(str(path)))


@pytest.mark.parametrize("rows, kind", [
    ("submit_s,start_s,end_s,queue,cpu\n0,5,10,a,0\n1,6,9,b,0\n", None),
    ("submit_s,start_s,end_s,queue,cpu\n0,5,10,a,2\n1,6,9,b,1\n", "gpu"),
    ("key,length_s,amount\na,60,0\n", None)])
def test_what_nobody_used_needs_no_plan(tmp_path, rows, kind):
    path = tmp_path / "w.csv"
    path.write_text(rows)
    facts = reporting.gather(reporting.Wanted(str(path), kind=kind,
                                              sweep=(Fraction(1),)))
    assert facts.needs == [] and facts.advice is None
    assert "used most" not in reporting.page(facts)


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
    for i in range(2000):
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
        assert main(["report", *words, "-o", str(out), "--quiet"]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
    empty = tmp_path / "e.csv"
    empty.write_text(HEAD + "\n")
    assert main(["report", str(empty), "-o", str(out)]) == 2
    assert not out.exists() and not list(tmp_path.glob(".report*"))


@pytest.mark.parametrize("name", [
    "slurmsim-ubhpc/common/workload_5k.csv.gz",
    "swf-hpc/raw/KTH-SP2-1996-2.swf.gz"
    if os.environ.get("SKED_TEST_SIZE") == "full" else
    "swf-hpc/raw/HPC2N-2002-first-part.swf.gz"])
def test_recorded_workloads_give_reports(name):
    place = Path(os.environ.get("SKED_DATA") or Path(
        os.environ.get("SKED_VECTORS", "../shared/vectors")).parent / "data")
    if not (place / name).exists():
        pytest.skip(f"no recorded workload {place / name}")
    page = reporting.report(reporting.Wanted(str(place / name)))
    assert len(page.encode()) < 2_000_000
    assert not Outline(page).errors and "What was tried, and what holds" in page
    assert sked.__version__ in page


def test_changes_are_tried_by_the_same_replay(tmp_path):
    path = workload(tmp_path / "w.csv", jobs=80)
    facts = reporting.gather(reporting.Wanted(path, sweep=(Fraction(1),)))
    wanted, found, nodes = facts.wanted, facts.given, facts.cluster
    now = whatif.try_one("as it is now", wanted, found, nodes, found.tree)
    now.nodes = facts.tried[0].nodes
    assert now == facts.tried[0]
    assert now.late == sum(w.over for w in facts.simulated_waits)
    more = whatif.sized(nodes, Fraction(5, 4))
    assert more.nodes[0].count == -(-nodes.count * 5 // 4)
    pool = cluster.Cluster([sked.Nodes(1, [8000, 4, 0])], [8000, 4, 0],
                           [cluster.TOLD] * 3, "")
    assert whatif.sized(pool, Fraction(5, 4)).nodes[0].amount == [10_000, 5, 0]
    sizes = [(t.size, t.nodes) for t in facts.tried]
    assert sizes[0][0] == 1 and len(set(sizes)) == len(sizes) > 1
    assert all(size * nodes.count == n for size, n in sizes)


# ---- what queues were doing ----


def test_time_below_a_share_is_the_simulators(tmp_path):
    """What the simulator counts as starved, less the time in which nothing
    more was wanted: never more, and in all queues that always want, as much."""
    found = given.read(reporting.Wanted(workload(tmp_path / "w.csv")))
    nodes = cluster.make(reporting.Wanted("", load=Fraction(2)), found)
    log = states.Log()
    sim = sked.Sim(found.tree, found.jobs, nodes.nodes)
    sim.run(log)
    said = states.states(found.tree, found.jobs, nodes, sim, log)
    assert sum(said.below.values()) > 0
    for leaf in found.tree.leaves:
        assert said.below[leaf.path] <= sim.fared(leaf).starved
    waited = sum(d for d in sim.delays if d > 0)
    assert sum(map(sum, said.causes.values())) == pytest.approx(waited)
    assert sum(said.idle) == sim.total.end - sim.total.first_submit


# ---- what is taken for granted ----


def test_an_invented_cluster_is_held_to_no_target(tmp_path):
    facts = reporting.gather(reporting.Wanted(workload(
        tmp_path / "w.csv", jobs=40), sweep=(Fraction(1),)))
    said = reporting.data(facts)
    assert {t["met"] for t in said["tiles"]} == {None}
    assert {c["source"] for c in said["inputs"]["capacity"].values()} == {
        "invented"}
    assert any("invented" in a for a in said["inputs"]["assumptions"])


def test_a_capacity_is_told_or_marked(tmp_path):
    path = workload(tmp_path / "w.csv", jobs=40, starts=True)
    told = reporting.data(reporting.gather(reporting.Wanted(
        path, capacity="cpu=50", sweep=(Fraction(1),))))
    assert told["inputs"]["capacity"]["cpu"] == {"amount": 50.0,
                                                 "source": "told"}
    assert told["inputs"]["capacity"]["memory"]["source"] == "recorded peak"
    page = reporting.report(reporting.Wanted(path, sweep=(Fraction(1),)))
    assert 'class="tiles"' in page.split("What the cluster has is not told")[0]
    assert "of the recorded peak of" in page.split('id="basis"')[0]


def test_facts_as_data_are_the_pages(tmp_path, capsys):
    path = workload(tmp_path / "w.csv", jobs=120, starts=True)
    with open(path, "a", encoding="utf-8") as file:
        file.write("5,,,u,g,ads,0,1,,,none;run=5\n")
    out = tmp_path / "facts.json"
    assert main(["report", path, "--json", str(out)]) == 0
    assert "1 of 121 records left out: no tasks (1)" in capsys.readouterr().err
    said = json.loads(out.read_text(encoding="utf-8"))
    assert said["inputs"]["skipped"] == {"no tasks": 1}
    assert said["inputs"]["tree"] == "one leaf a queue"
    assert sum(w["jobs"] for w in said["waits"].values()) == 120
    for w in said["waits"].values():
        assert not w["causes"] or sum(w["causes"].values()) == pytest.approx(1)
        assert w["recorded"]["p50_s"] >= 0
    assert all(b["for_s"] > said["patience_s"] for b in said["below_share"])
    proved = (said["advice"] or {"proved": {"late_before": 1,
                                            "late_after": 0}})["proved"]
    assert proved["late_after"] < proved["late_before"]
    assert said["advice"] or said["kept_because"]


def test_times_are_dates_where_they_are_epochs():
    clock = clock_of(1_600_000_000 * 10**9, None, "UTC")
    assert clock.say(clock.begin) == "2020-09-13 12:26"
    assert clock_of(1_600_000_000 * 10**9, None, "Asia/Tokyo").say(
        clock.begin) == "2020-09-13 21:26"
    assert clock_of(5, None, "UTC").say(10**9 + 5) == "at 1 s"
    assert clock_of(0, 843_480_031, "UTC").say(0) == "1996-09-23 12:00"
    with pytest.raises(ValueError, match="Nowhere"):
        zone_of("Nowhere/Land")


def test_growth_says_when_it_is_too_much(tmp_path):
    """The 95th percentile passes the target at twice the workload; the last
    job is submitted on 13 September 2020."""
    first = 1_600_000_000
    for begin, said in ((first, "September 2021"), (0, "in 1.0 years")):
        path = tmp_path / "w.csv"
        path.write_text(HEAD + "\n" + "\n".join(
            f"{begin + i},,,u,g,q,1,1,,,j{i};run=5" for i in range(20)) + "\n")
        facts = reporting.gather(reporting.Wanted(
            str(path), nodes=("9 x cpu=10",), sweep=(Fraction(1),), growth=1))
        goal = facts.wanted.target
        facts.growth = [runs.Point(Fraction(1), 0, 0, 0, 1), runs.Point(
            Fraction(3), 2 * goal, 2 * goal, 2 * goal, 1)]
        assert said in say.growth_date(facts)
        facts.yearly = 0.001
        assert "no date within" in say.growth_date(facts)
        facts.yearly = -0.5
        assert "does not grow" in say.growth_date(facts)
        facts.growth = [
            runs.Point(Fraction(1, 2), 0, 0, goal // 2, 3),
            runs.Point(Fraction(1), 2 * goal, 3 * goal // 2, 4 * goal, 3)]
        short = say.short_growth(facts)
        assert "overloaded. 0.75 times this workload" in short
        assert "3 draws: 0.57\u00d7 to 0.83\u00d7" in short
