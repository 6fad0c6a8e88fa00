"""The common CSV and SWF: read as the programs read them, written so that they
read the same again."""

import gzip
import lzma
import os
import re
import subprocess
import sys
import tracemalloc
from itertools import islice

import pytest

import sked
from sked import Severity, Tree
from sked.importers import (Fidelity, ImportFailed, Job, Workload, read_config,
                            read_workload, to_jobs, units, write_csv)
from conftest import ROOT
from workloads import (BIN, data, faults, program, put, read, replayed,
                       unpacked)

SWF = ["KTH-SP2-1996-2", "CEA-Curie-sample", "NASA-iPSC-1993-3.1-cln",
       "HPC2N-2002-first-part", "ALCF-Theta-2022"]
LINES = int(os.environ.get("SKED_LINES", "5000"))  # of a log are replayed
COMMON = ["alibaba/common/batch-2017-cloudsimpy.csv.gz",
          "alibaba/common/dlrm-2025.csv.gz",
          "philly/common/philly-jobs.csv.gz",
          "xdmod-sacct/common/phillips.csv.gz",
          "slurmsim-ubhpc/common/workload_week.csv.gz"]


def test_columns_are_found_by_name_in_any_order(tmp_path):
    work, jobs = read(tmp_path, "run_s,job_id,queue,submit_s,cpu,color\n"
                      "12.5,a;x=1,\"q, 1\",0.000000001,0.0001,red\n")
    assert jobs == [Job("a", 1, run=12_500_000_000, cpu=1, queue="q, 1",
                        line=2)]
    assert faults(work) == [(1, "color", "a column that is not read")]
    assert work.findings.first[0].severity is Severity.WARNING
    assert work.form == "csv" and work.records == 1
    assert work.fidelity["run"] is Fidelity.EXACT
    assert work.fidelity["tasks"] is Fidelity.ASSUMED


@pytest.mark.parametrize("row, run", [
    ("1,5,9,7,x", 7), ("1,5,9,,x", 4), ("1,5,,,x;deadline=3;run=2;z", 2),
    ("1,,,,x;runs=2", None), ("1,5,5,,x", 0)])
def test_run_time_is_the_first_that_a_row_says(tmp_path, row, run):
    _, jobs = read(tmp_path, f"submit_s,start_s,end_s,run_s,job_id\n{row}\n")
    assert jobs[0].run == (None if run is None else run * 10**9)


BAD = [
    ("1,x,,1", 3, "cpu", "is not a number"),
    ("1,-1,,1", 3, "cpu", "is negative"),
    ("1,9e15,1,2", 3, "cpu", "is larger than 2^62 units"),
    ("1,1,2,1,5", 3, "", "not as many fields as the header"),
    ("1,1,1.5,1", 3, "tasks", "is not a whole number"),
    ("2305843010,1,,1", 3, "", "a submission after 2^61 ns (73 years)"),
    ("1,1,,1152921505", 3, "", "a run of more than 2^60 ns (36 years)")]


@pytest.mark.parametrize("row, line, where, text", BAD)
def test_a_wrong_row_has_its_line_and_the_others_stand(tmp_path, row, line,
                                                       where, text):
    work, jobs = read(tmp_path, f"submit_s,cpu,tasks,run_s\n1,,,1\n{row}\n"
                      "2,,,1\n")
    assert faults(work) == [(line, where, text)]
    assert [(j.id, j.line) for j in jobs] == [("1", 2), ("3", 4)]
    assert work.skipped == {"a fault in the record": 1} and work.records == 3


def test_quotes_blanks_and_line_ends(tmp_path):
    work, jobs = read(tmp_path, '\ufeff"submit_s",queue,run_s\r\n\r\n'
                      '1,"a ""b""\nc",2\r\n\n3, d\'"e,4\r\n5,"x"y,6\n7,z,8')
    assert [(j.queue, j.line) for j in jobs] == [
        ('a "b"\nc', 3), (" d'\"e", 6), ("z", 8)]
    assert [f[0] for f in faults(work)] == [7]


def test_a_quote_that_spans_blocks_is_whole(tmp_path):
    long = "\n".join(["x" * 99] * 1000)
    text = "submit_s,queue\n" + "0,a\n" * 50_000
    work, jobs = read(tmp_path, f'{text}1,"{long}"\n2,b\n')
    assert [(j.queue == long, j.line) for j in jobs[-2:]] == [
        (True, 50_002), (False, 51_002)]
    assert len(jobs) == 50_002 and not faults(work)


@pytest.mark.once
def test_what_no_reader_should_meet_is_bounded(tmp_path):
    text = (b"submit_s,queue\n1,\0\n2," + b"y" * 3_000_000 + b"\n3,\xff\n4,\""
            + b"z\n" * 700_000)
    work, jobs = read(tmp_path, text)
    assert [j.submit // 10**9 for j in jobs][0] == 3
    assert jobs[0].queue == "\udcff"
    found = {(line, text) for line, _, text in faults(work)}
    assert {(2, "a NUL byte"), (3, "a line of more than 1 MiB"),
            (4, "is not UTF-8"), (5, "is no row of CSV")} <= found


def test_findings_of_a_file_of_faults_are_bounded(tmp_path):
    work, jobs = read(tmp_path, "submit_s\n" + "x\n" * 5000)
    assert len(work.findings.first) == 20 and not jobs
    assert work.findings.counts == {"is not a number": 5000}
    assert list(work) == [] and len(work.findings.first) == 20


@pytest.mark.parametrize("text, line", [
    ("", 1), ("\n\n", 1), ("a,b\n", 1), ("submit_s,run_s,run_s\n", 1)])
def test_what_has_no_columns_is_refused(tmp_path, text, line):
    with pytest.raises(ImportFailed) as caught:
        list(read_workload(put(tmp_path, text), "csv"))
    assert caught.value.finding.line == line


@pytest.mark.parametrize("pack, name", [(gzip.compress, "w.csv.gz"),
                                        (lzma.compress, "w.xz")])
def test_packed_files_are_unpacked_on_the_way(tmp_path, pack, name):
    text = b"submit_s,run_s\n" + b"1,2\n" * 10
    _, jobs = read(tmp_path, pack(text) + pack(b"3,4\n"), name)
    assert len(jobs) == 11 and jobs[-1].run == 4 * 10**9
    work, jobs = read(tmp_path, pack(text * 1)[:-9], name)
    assert [f[2] for f in faults(work)] == [
        "is packed, and broken: what follows cannot be read"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_is_looked_at_and_read_once(pack):
    code = ("from sked.importers import read_workload, ImportFailed\n"
            "work = read_workload('-')\n"
            "print(work.form, sum(1 for job in work))\n"
            "try:\n    list(work)\nexcept ImportFailed as no:\n    print(no)")
    text = "submit_s,run_s\n" + "1,2\n" * 100_000
    done = subprocess.run([sys.executable, "-c", code], text=False,
                          input=pack(text.encode()), capture_output=True)
    assert done.stdout.decode().splitlines() == [
        "csv 100000", "-: error: standard input can be read only once"]


def test_zstd_is_unpacked_where_a_module_is(tmp_path):
    packed = bytes.fromhex("28b52ffd0458790000") + b"submit_s\n1\n\0\0\0\0"
    path = put(tmp_path, packed, "w.csv.zst")
    try:
        import zstandard
    except ImportError:
        with pytest.raises(ImportFailed, match="zstd"):
            list(read_workload(path, "csv"))
    else:
        path.write_bytes(zstandard.compress(b"submit_s\n1\n"))
        assert len(list(read_workload(path))) == 1


def test_swf_is_read_as_the_programs_read_it(tmp_path):
    work, jobs = read(tmp_path, "; MaxProcs: 8\n\n"
                      "7 10 5 60 -1 -1 -1 4 -1 64 1 u9 g2 -1 -1 3 -1 -1\n"
                      "8 11 -1 0 2 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 99\n"
                      "9 x -1 0 2 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                      "1 2 3\n")
    assert jobs == [
        Job("7", 10**10, 15 * 10**9, 75 * 10**9, 60 * 10**9, 4, 1000,
            user="u9", group="g2", queue="3", line=3),
        Job("8", 11 * 10**9, None, None, 0, 2, 1000, line=4)]
    assert faults(work) == [(5, "", "is not a number"),
                            (6, "", "fewer than 18 fields")]
    assert work.form == "swf"
    from sked.importers.workloads import swf
    path = tmp_path / "w.csv"
    assert next(iter(swf.read(str(path), memory=True))).memory == 64 * 1024


def test_jobs_for_the_simulator_follow_the_programs_rules(tmp_path):
    work = read_workload(put(tmp_path, (
        "submit_s,start_s,run_s,queue,user,tasks,cpu,mem_bytes,priority\n"
        "9,,5,a,u,,,,\n1,,5,b,v,2,0.5,10,3\n,4,5,b,u,1,,,\n5,,,b,,1,1,,\n"
        "6,,0,b,,1,1,,\n7,,1,b,,0,1,,\n,,1,b,,1,1,,\n")))
    tree = sked.Tree("cpu=m memory=B gpu=m")
    jobs = to_jobs(work, tree, grow=True)
    assert [tree[p].id for p in ("root.b", "root.b", "root.a")] == \
        list(jobs.queue)
    assert list(jobs.submit) == [10**9, 4 * 10**9, 9 * 10**9]
    assert list(jobs.amounts) == [500, 10, 0, 1000, 0, 0, 1000, 0, 0]
    assert (list(jobs.user), list(jobs.tasks)) == ([2, 1, 1], [2, 1, 1])
    assert list(jobs.priority) == [3, 0, 0]
    assert work.skipped == {"unknown run time": 1, "zero run time": 1,
                            "no tasks": 1, "no submission": 1}
    assert [q.name for q in tree.root.children] == ["b", "a"]
    assert len(to_jobs(work, tree, default_run=1)) == 4
    other = sked.Tree.from_text("kinds cpu=m memory=B\nroot\nroot.a\n")
    with pytest.raises(ImportFailed, match="no such queue") as caught:
        to_jobs(work, other)
    assert caught.value.finding.line == 3


def digest_of(work, tree, nodes, **how):
    run = sked.Sim(tree, to_jobs(work, tree, grow=True, **how), nodes)
    run.run()
    return f"{run.total.digest:016x}"


@pytest.mark.once
@pytest.mark.parametrize("name", SWF)
def test_a_log_written_as_csv_replays_to_the_same_digest(tmp_path, name):
    with gzip.open(data(f"swf-hpc/raw/{name}.swf.gz")) as file:
        log = put(tmp_path, b"".join(islice(file, LINES)), "log.swf")
    work = read_workload(log)
    made = tmp_path / "made.csv"
    assert write_csv(work, made) == work.records
    theirs = replayed(log, "--heartbeat", 0)
    ours = replayed(made, "--heartbeat", 0)
    for header in ("max_procs", "max_nodes"):  # a CSV has none
        theirs["workload"].pop(header, None)
    assert ours == theirs and ours["result"]["jobs_finished"] > 1000


@pytest.mark.once
@pytest.mark.parametrize("place", COMMON)
def test_recorded_csv_written_again_replays_the_same(tmp_path, place):
    packed = data(place)
    work = read_workload(packed)
    made = tmp_path / "again.csv"
    write_csv(work, made)
    assert not work.findings.first
    how = ("--heartbeat", 0, "--until", 43200)
    assert replayed(made, *how) == replayed(unpacked(packed, tmp_path), *how)


def test_columns_run_here_to_the_digest_of_the_program(tmp_path):
    packed = data("slurmsim-ubhpc/common/workload_5k.csv.gz")
    plain = unpacked(packed, tmp_path)
    how = ["--nodes", "20 x cpu=40,memory=187GiB,gpu=2"]
    theirs = replayed(plain, *how)
    tree = sked.Tree("cpu=m memory=B gpu=m")
    work = read_workload(packed)
    nodes = [sked.Nodes(20, "cpu=40,memory=187GiB,gpu=2")]
    assert digest_of(work, tree, nodes) == theirs["result"]["digest"]
    assert work.skipped == theirs["workload"]["skipped"]


def test_time_units_give_the_percentiles_of_the_program(tmp_path):
    packed = data("swf-hpc/common/CEA-Curie-sample.csv.gz")
    work = read_workload(packed)
    path = tmp_path / "units.csv"
    with open(path, "w") as file:
        file.write("key,length_s,amount\n")
        for unit in units(work, "queue"):
            file.write(f"{unit.key},{unit.length / 10**9:.9f},"
                       f"{unit.amount / 1000}\n")
    ours = program("percentile", path, "--csv").decode().splitlines()
    theirs = program("percentile", unpacked(packed, tmp_path),
                     "--csv").decode().splitlines()

    def without_records(line):
        words = line.split(",")
        return [words[0], *words[2:]]
    assert list(map(without_records, ours)) == \
        list(map(without_records, theirs))


def test_units_join_what_runs_at_once(tmp_path):
    work, _ = read(tmp_path, "start_s,end_s,queue,tasks,gpu\n0,10,a,2,1\n"
                   "5,15,a,1,1\n20,25,a,1,0.5\n1,,a,1,1\n0,4,b,3,1\n")
    assert [tuple(u) for u in units(work)] == [
        ("a", 5 * 10**9, 2000), ("a", 5 * 10**9, 3000),
        ("a", 5 * 10**9, 1000), ("a", 5 * 10**9, 0), ("a", 5 * 10**9, 500),
        ("b", 4 * 10**9, 3000)]
    assert work.skipped == {"no start or no end": 1}
    assert {u.amount for u in units(work, "queue|user", kind="cpu")} == set()
    with pytest.raises(ValueError):
        units(work, "color")


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = put(tmp_path, "old")

    def broken():
        yield Job("a", 1)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_csv(broken(), str(path))
    assert path.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.once
@pytest.mark.parametrize("form", ["csv", "swf"])
def test_many_rows_take_little_memory(tmp_path, form):
    rows = 60_000
    path = tmp_path / "many"
    with open(path, "w") as file:
        if form == "csv":
            file.write("submit_s,run_s,queue,user,cpu,job_id\n")
        for i in range(rows):
            file.write(f"{i},{i % 97 + 1},q{i % 50},u{i % 900},{i % 16},j{i}\n"
                       if form == "csv" else
                       f"{i} {i} 1 {i % 97 + 1} {i % 16 + 1} -1 -1 -1 -1 -1 1 "
                       f"{i % 900} {i % 50} -1 -1 -1 -1 -1\n")
    work = read_workload(path, form)
    tracemalloc.start()
    try:
        assert sum(1 for _ in work) == rows
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16 << 20 and path.stat().st_size > 1 << 20


def test_a_form_is_told_or_named(tmp_path):
    path = put(tmp_path, "hello\n")
    with pytest.raises(ImportFailed, match="of a form that is known: .*sls.*swf"):
        read_workload(path)
    with pytest.raises(ValueError, match="no form"):
        read_workload(path, "tsv")
    with pytest.raises(FileNotFoundError):
        read_workload(tmp_path / "none", "csv")


def test_the_page_shows_how_to_add_a_form(tmp_path):
    page = ROOT / "docs/importing.md"
    if not page.exists():
        pytest.skip("no pages here")
    from sked.importers import READERS
    shown = re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
    code = next(one for one in shown if '"mine"' in one)
    exec(compile(code, str(page), "exec"), {})
    try:
        work = read_workload(put(tmp_path, "a 1\nb 2\n", "x.mine"))
        assert [(j.id, j.submit, j.line) for j in work] == [
            ("a", 10**9, 1), ("b", 2 * 10**9, 2)]
    finally:
        del READERS["mine"]


# ---- paths, and what runs again and again ----

TREE = """kinds cpu=m memory=B gpu=m
root
root.ads
root.ads.etl
root.ads.etl.tier1
root.ads.etl.default
root.a\\.b
"""
PATHS = ("submit_s,user,group,queue,run_s,cpu\n"
         "0,etl,ads,ads.etl.tier1,1,1\n1,u,g,root.ads.etl.default,1,1\n"
         "2,u,g,a.b,1,1\n3,u,g,a\\.b,1,1\n")


def leaf_paths(jobs, tree):
    by_id = {queue.id: queue.path for queue in tree}
    return [by_id[one] for one in jobs.queue]


def test_a_queue_is_a_name_or_a_path(tmp_path):
    tree = sked.Tree.from_text(TREE)
    jobs = to_jobs(read_workload(put(tmp_path, PATHS)), tree)
    assert leaf_paths(jobs, tree) == [
        "root.ads.etl.tier1", "root.ads.etl.default", "root.a\\.b",
        "root.a\\.b"]
    for queue in ("ads.etl.tier2", "ads", "root"):
        work = read_workload(put(
            tmp_path, f"submit_s,queue,run_s,cpu\n0,{queue},1,1\n"))
        with pytest.raises(ImportFailed):
            to_jobs(work, tree)


def test_levels_may_be_as_many_as_a_tree_has(tmp_path):
    text = "submit_s,user,group,queue,run_s,cpu\n0,etl,ads,tier1,1,1\n"
    work = read_workload(put(tmp_path, text))
    tree = sked.Tree.from_text(TREE)
    assert leaf_paths(to_jobs(work, tree, by="group/user/queue"), tree) == [
        "root.ads.etl.tier1"]
    with pytest.raises(ValueError, match="up to 8"):
        to_jobs(work, tree, by="/".join(["user"] * 9))


def test_a_tree_that_grows_takes_paths_from_the_root_on(tmp_path):
    tree = sked.Tree("cpu=m memory=B gpu=m")
    work = read_workload(put(tmp_path, "submit_s,queue,run_s,cpu\n"
                             "0,root.ads.etl,1,1\n1,john.smith,1,1\n"))
    assert leaf_paths(to_jobs(work, tree, grow=True), tree) == [
        "root.ads.etl", "root.john\\.smith"]


def test_replay_and_python_find_the_same_queues(tmp_path):
    (tmp_path / "tree.txt").write_text(TREE)
    path = put(tmp_path, PATHS)
    theirs = replayed(path, "--tree", tmp_path / "tree.txt", "--nodes",
                      "1 x cpu=1,memory=1GiB,gpu=1", "--heartbeat", 0)
    tree = sked.Tree.from_text(TREE)
    run = sked.Sim(tree, to_jobs(read_workload(path), tree),
                   [sked.Nodes(1, "cpu=1,memory=1GiB,gpu=1")],
                   sked.Options(heartbeat=0))
    run.run()
    assert f"{run.total.digest:016x}" == theirs["result"]["digest"]


def test_a_log_of_yarn_joins_the_queues_of_the_same_yarn(tmp_path):
    line = ("2021-03-01 00:10:00,123 INFO org.apache.hadoop.yarn.server."
            "resourcemanager.RMAppManager$ApplicationSummary: appId="
            "application_1614556800000_0001,name=etl,user=alice,queue="
            "root.ads.etl,state=FINISHED,submitTime=1614556800000,"
            "startTime=1614556800100,launchTime=1614556860000,finishTime="
            "1614557400000,finalStatus=SUCCEEDED,memorySeconds=2457600,"
            "vcoreSeconds=1200,applicationType=SPARK\n")
    xml = ('<allocations><queue name="root"><queue name="ads"><queue '
           'name="etl"/></queue></queue></allocations>')
    (tmp_path / "fair-scheduler.xml").write_text(xml)
    tree = read_config(tmp_path / "fair-scheduler.xml").tree()
    (tmp_path / "rm.log").write_text(line)
    work = read_workload(tmp_path / "rm.log")
    assert leaf_paths(to_jobs(work, tree), tree) == ["root.ads.etl"]


def test_slo_and_workflow_are_read_and_written(tmp_path):
    text = ("submit_s,run_s,slo_s,workflow\n0,5,7.5,daily\n1,5,,\n")
    work = read_workload(put(tmp_path, text))
    jobs = list(work)
    assert [(job.slo, job.workflow) for job in jobs] == [
        (7_500_000_000, "daily"), (None, "")]
    assert work.findings.first == []
    write_csv(work, tmp_path / "again.csv")
    again = [job._replace(line=0) for job in read_workload(
        tmp_path / "again.csv")]
    assert again == [job._replace(line=0) for job in jobs]
    wrong = read_workload(put(tmp_path, "submit_s,run_s,slo_s\n0,1,x\n1,1,1\n"))
    assert len(list(wrong)) == 1
    assert wrong.findings.first[0].where == "slo_s"


def test_what_replay_ran_is_a_record_of_the_past(tmp_path):
    path = put(tmp_path, "submit_s,run_s,tasks,cpu,queue,slo_s\n0,4,2,1,a,9\n"
               "0,4,1,1,b,\n")
    program("replay", path, "--nodes", "1 x cpu=2", "--quiet", "--jobs",
            tmp_path / "ran.csv", "--heartbeat", 0)
    ran = list(read_workload(tmp_path / "ran.csv"))
    second = 10**9
    assert [(job.queue, job.start, job.end, job.slo) for job in ran] in (
        [("a", 0, 4 * second, 9 * second), ("b", 4 * second, 8 * second,
                                            None)],
        [("a", 0, 8 * second, 9 * second), ("b", 0, 4 * second, None)])
    said = program("percentile", tmp_path / "ran.csv", "--by", "queue")
    assert b"a" in said


def test_replay_says_capacities_that_do_not_add_up(tmp_path):
    program("replay", "--version")
    (tmp_path / "tree.txt").write_text(
        "kinds cpu=m\nroot\nroot.a guarantee=30%\nroot.b guarantee=80%\n")
    path = put(tmp_path, "submit_s,run_s,cpu,queue\n0,1,1,a\n")
    done = subprocess.run(
        [BIN / "replay", path, "--tree", tmp_path / "tree.txt", "--nodes",
         "1 x cpu=1", "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "add to 110%, not to 100%" in done.stderr


def test_replay_says_what_the_cluster_cannot_guarantee(tmp_path):
    """The tree alone does not know how large the cluster is."""
    program("replay", "--version")
    tree = tmp_path / "tree.txt"
    tree.write_text("root\nroot.a guarantee=cpu=90,memory=1GiB\n"
                    "root.b guarantee=cpu=60.5\nroot.b.c guarantee=cpu=60\n")
    jobs = tmp_path / "jobs.csv"
    jobs.write_text("submit_s,run_s,queue\n0,1,a\n0,1,b.c\n")
    for nodes, said in (
            ("15 x cpu=10,memory=1GiB",
             "replay: guarantees of cpu below root add to 150.5, the cluster "
             "has 150: they are cut in one ratio\n"),
            ("16 x cpu=10,memory=1GiB", "")):
        done = subprocess.run([BIN / "replay", jobs, "--tree", tree,
                               "--nodes", nodes],
                              capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, said)


def test_levels_of_the_planner_are_levels_of_a_run(tmp_path):
    """Organisation, project and tier, as daily_report proposes them: the same
    leaves in the program, in whole columns and row by row."""
    program("replay", "--version")
    tree = tmp_path / "tree.txt"
    lines = ["root", "root.ads", "root.ads.etl", "root.ads.etl.tier1",
             "root.ads.etl.tier2", "root.ads.etl.default"]
    tree.write_text("\n".join(lines) + "\n")
    jobs = tmp_path / "jobs.csv"
    jobs.write_text("submit_s,run_s,queue,group,tier\n" + "".join(
        f"{i},{100 + i},etl,ads,{tier}\n"
        for i, tier in enumerate(["1", "2", "3", "", "0", "02"])))
    by = "group/queue/tier"
    done = subprocess.run([BIN / "replay", jobs, "--tree", tree, "--queue-by",
                           by], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    paths = ["tier1", "tier2", "default", "default", "default", "tier2"]
    for name in set(paths):
        count = next(line.split()[1] for line in done.stdout.splitlines()
                     if line.startswith(f"root.ads.etl.{name} "))
        assert int(count) == paths.count(name)
    work = read_workload(jobs)
    for plain in (work, Workload("csv", str(jobs), lambda own: iter(work),
                                 {})):
        made = Tree.from_text("kinds cpu=m memory=B gpu=m\n" +
                              tree.read_text())
        named = {queue.id: queue.name for queue in made}
        found = to_jobs(plain, made, by=by)
        assert [named[one] for one in found.queue] == paths
    grown = Tree("cpu=m memory=B gpu=m")
    to_jobs(read_workload(jobs), grown, by="tier", grow=True)
    assert [queue.name for queue in grown][1:] == ["tier1", "tier2", "tier3",
                                                   "default"]
    with pytest.raises(ImportFailed, match="no such queue"):
        to_jobs(work, grown, by="user/tier")
    with pytest.raises(ValueError, match="queue, group, user, tier"):
        to_jobs(work, grown, by="tiers")
