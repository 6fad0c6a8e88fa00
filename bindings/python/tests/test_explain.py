"""`python -m sked explain`: why a job waits, was a victim, has its share."""

import gzip
import json

import pytest

import sked
from sked import explain
from sked.commands import main

TREE = ("kinds cpu=m memory=B gpu=m\nroot\nroot.a guarantee=cpu=4\n"
        "root.b guarantee=cpu=4 limit=\"cpu=6\"\nroot.c max_running=1\n")
WORK = ("submit_s,run_s,queue,tasks,cpu,mem_bytes,user,job_id\n"
        "0,100,a,8,1,1000,eve,greedy\n"
        "10,20,b,8,1,1000,bob,wants;run=3\n"
        "11,9,c,1,1,10,bob,first\n"
        "12,9,c,1,1,10,eve,second\n"
        "13,9,b,1,9,10,eve,huge\n")
NODES = ["--nodes", "1 x cpu=8,memory=1GiB", "--heartbeat", "1"]


@pytest.fixture
def files(tmp_path):
    tree, work = tmp_path / "tree", tmp_path / "work.csv"
    tree.write_text(TREE)
    work.write_text(WORK)
    return [str(work), "--tree", str(tree), *NODES]


def ask(capsys, *words, status=0):
    assert main(["explain", *words]) == status
    said = capsys.readouterr()
    assert bool(said.err) == (status == 2), said.err
    return said.err if status == 2 else said.out


def test_a_job_waits_for_room(files, capsys):
    said = ask(capsys, "pending", "wants", *files, "--at", "12")
    assert "8 tasks of job wants wait in root.b for 2 s, since 10 s: each " \
        "needs 1 cpu, 1KB memory." in said
    assert "No node of 1 has enough free: node 0 comes nearest, where it needs 1 " \
        "cpu of which 0 cpu is free." in said
    assert "root.b uses 0 cpu (0.0 %), fair share 4 cpu" in said


def test_a_job_waits_for_a_limit(files, capsys):
    said = json.loads(ask(capsys, "pending", "wants", *files, "--at", "110",
                          "--json"))
    assert said["facts"]["running"] == 6 and said["facts"]["open"] == 2
    assert "root.b may use 6 cpu at most; with one task more it would use " \
        "7 cpu." in said["answer"]
    first = next(b for b in said["facts"]["bounds"] if b["binds"])
    assert (first["reason"], first["queue"], first["bound"], first["need"]) \
        == ("QUEUE_LIMIT", "root.b", 6000, 7000)


def test_a_job_waits_to_be_admitted(files, capsys):
    said = ask(capsys, "pending", "second", *files, "--at", "50")
    assert "root.c may run 1 application at once; this would be number 2." \
        in said


def test_a_job_that_does_not_wait(files, capsys):
    assert "8 tasks of it run" in ask(capsys, "pending", "greedy", *files,
                                      "--at", "50", status=1)
    for job, time, why in (
            ("huge", "50", "it was rejected at 13 s: no node is large enough "
             "(a task needs 9 cpu, 10 memory)"),
            ("first", "200", "its last task ended at"),
            ("second", "5", "it is submitted at 12 s")):
        said = ask(capsys, "pending", job, *files, "--at", time, status=1)
        assert f"At {time} s job {job} neither waits nor runs: {why}" in said
    said = ask(capsys, "pending", "nobody", *files, status=2)
    assert said == "explain: the run knows no job nobody\n"


def test_the_log_answers_as_the_run_does(files, tmp_path, capsys):
    log, result = str(tmp_path / "log"), str(tmp_path / "json")
    assert main(["replay", "--quiet", "--decisions", log, "--json", result,
                 *files]) == 0
    capsys.readouterr()
    for job, time in (("wants", "12"), ("wants", "110"), ("second", "50")):
        run = ask(capsys, "pending", job, *files, "--at", time)
        kept = ["--decisions", log, "--results", result, "--tree",
                str(tmp_path / "tree"), "--at", time]
        told = ask(capsys, "pending", job, *kept, "--workload", files[0])
        assert run == told
    packed = str(tmp_path / "log.gz")
    with open(log, "rb") as file:
        (tmp_path / "log.gz").write_bytes(gzip.compress(file.read()))
    kept[1] = packed
    assert "second" not in ask(capsys, "pending", "second", *kept, status=1) \
        .replace("job second", "")
    share = ask(capsys, "share", "root.b", *kept)
    assert share.startswith("root.b is due")


def test_a_victim_gave_way_to_somebody(files, capsys):
    words = [*files, "--preempt", "imbalance", "--preempt-grace", "5",
             "--preempt-part", "1", "--preempt-factor", "1"]
    said = ask(capsys, "victim", "greedy", *words)
    assert "stopped, having been told at" in said
    assert "It was for job wants in root.b, which has" in said
    assert "root.a used 5 cpu, 1 cpu above its 4 cpu." in said
    facts = json.loads(ask(capsys, "victim", "greedy", *words, "--json"))
    assert facts["facts"]["for"][0]["queue"] == "root.b"
    assert facts["facts"]["targets"]["excess"][0] == 1000
    assert "No task of job wants was a victim." in ask(
        capsys, "victim", "wants", *words, status=1)
    early = ask(capsys, "victim", "greedy", *words, "--at", "9", status=1)
    assert "No task" in early
    assert "knows no job x" in ask(capsys, "victim", "x", *words, status=2)


def test_a_part_of_what_was_told_is_stopped():
    from sked.explain.log import Row
    from sked.explain.victim import told_of, what

    def row(time, kind, task, n, node=3):
        return Row(0, time, kind, "j", task, n, "root.a", node, "cpu=1000m",
                   "why")

    told, killed = row(1, "notify", 4, 5), row(9, "kill", 6, 2)
    others = [row(2, "notify", 0, 4), row(3, "notify", 9, 1),
              row(4, "notify", 6, 2, node=2)]
    rows = [told, *others, killed]
    assert list(told_of([killed], rows)) == [told]
    assert "having been told at 0.000000001 s" in what([killed], rows)
    assert "told" not in what([killed], [*others, killed])


def test_a_share_has_its_reasons(files, capsys):
    said = ask(capsys, "share", "root.b", *files, "--at", "50")
    assert "root.b is due 4 cpu (50.0 %); it uses 0 cpu and wants 8 cpu." \
        in said
    assert "root.b: 4 cpu, has what it is guaranteed" in said or \
        "root.b: 4, has its part" in said
    assert ask(capsys, "share", "root.z", *files, status=2)


def test_the_state_is_that_of_the_simulation(files):
    """What the log says runs is what the simulator says is used."""
    from sked.commands.explain import log_of, parser_of, parted
    from sked.importers import read_workload, to_jobs
    own, rest = parted(["x", *files])
    said = parser_of("pending", "JOB", "").parse_args(own)
    tree = sked.Tree.from_text(TREE)
    jobs = to_jobs(read_workload(files[0]), tree)
    run = sked.Sim(tree, jobs, [sked.Nodes(1, "cpu=8,memory=1GiB")])
    with log_of(said, rest) as log:
        for second in (0, 5, 10, 99, 100, 105, 112, 130):
            time = second * 10**9 + 5 * 10**8
            run.run_until(time)
            ledger = log.state(time).ledger()
            for queue in tree:
                assert ledger.get("usage", log.tree[queue.path]) == \
                    run.usage(queue)[0], (second, queue.path)


def snapshot(**other):
    return {"tree": "kinds cpu=m\nroot\nroot.a user_limit=50%\n"
            "root.b limit=cpu=9\n", "time_s": 7.5,
            "nodes": [{"count": 2, "amount": "cpu=4", "partition": "x"},
                      {"amount": "cpu=2", "partition": "y"}],
            "running": [{"job": "r", "queue": "root.a", "node": 1, "count": 3,
                         "amount": "cpu=1", "user": "eve", "since_s": 1}],
            "pending": [{"job": "p", "queue": "root.b", "count": 2,
                         "amount": "cpu=3", "partition": "y", "since_s": 2},
                        {"job": "q", "queue": "root.b", "amount": "cpu=2",
                         "partition": "x", "since_s": 3}], **other}


def test_a_snapshot_answers(tmp_path, capsys):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(snapshot()))
    said = ask(capsys, "pending", "p", "--snapshot", str(path))
    assert "for 5.5 s, since 2 s" in said
    assert "No node of 1 is large enough: node 2 comes nearest, where it " \
        "needs 3 cpu of which 2 cpu is there." in said
    path.write_text(json.dumps(snapshot(pending=[
        {"job": "p", "queue": "root.b", "amount": "cpu=10"}])))
    said = ask(capsys, "pending", "p", "--snapshot", str(path))
    assert "root.b may use 9 cpu at most, and one task needs 10 cpu: it can " \
        "never run." in said
    path.write_text(json.dumps(snapshot()))
    assert "It is the next to be served" in ask(
        capsys, "pending", "q", "--snapshot", str(path))
    assert "root.a is due 3 cpu" in ask(capsys, "share", "root.a",
                                        "--snapshot", str(path))
    state = explain.read_snapshot(path)
    explain.write_snapshot(state, tmp_path / "again")
    again = explain.read_snapshot(tmp_path / "again")
    assert again.placed == state.placed and again.open == state.open
    assert str(explain.pending(again, "p")) == str(explain.pending(state, "p"))


def test_others_come_first(tmp_path, capsys):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(snapshot(
        running=[], nodes=[{"amount": "cpu=4"}], pending=[
            {"job": f"j{i}", "queue": "root.b", "amount": "cpu=1",
             "count": 2, "since_s": i} for i in range(4)])))
    said = ask(capsys, "pending", "j3", "--snapshot", str(path))
    assert "Before it by order come: j0 (2 tasks), j1 (2 tasks)." in said


@pytest.mark.parametrize("name, change", [
    ("over full", {"running": [{"job": "r", "queue": "root.a", "node": 2,
                                "count": 3, "amount": "cpu=1"}]}),
    ("no node", {"running": [{"job": "r", "queue": "root.a", "node": 9,
                              "amount": "cpu=1"}]}),
    ("no leaf", {"pending": [{"job": "r", "queue": "root",
                              "amount": "cpu=1"}]}),
    ("no amount", {"pending": [{"job": "r", "queue": "root.a"}]}),
    ("unknown kind", {"nodes": [{"amount": "gpu=1"}]}),
    ("unknown field", {"nodes": [{"amount": "cpu=1", "rack": 3}]}),
    ("not a number", {"pending": [{"job": "r", "queue": "root.a", "count": [],
                                   "amount": "cpu=1"}]}),
    ("not an object", {"pending": ["r"]}),
    ("a bad tree", {"tree": "kinds cpu\nroot\nroot.a zz=1\n"}),
    ("no tree", {"tree": None}), ("a bad time", {"time_s": "soon"})])
def test_bad_snapshots_are_refused(name, change, tmp_path, capsys):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(snapshot(**change)))
    said = ask(capsys, "pending", "r", "--snapshot", str(path), status=2)
    assert said.startswith("explain: ") and said.count("\n") == 1


def test_bad_usage_is_refused(files, tmp_path, capsys):
    junk = tmp_path / "junk"
    junk.write_text("seq,time\n1,2\n")
    bad = tmp_path / "bad.csv"
    bad.write_text("seq,time_ns,kind,job,task,count,queue,node,amount,reason\n"
                   "1,x,admit,j,,,root.a,,cpu=1,\n")
    result = tmp_path / "r.json"
    result.write_text(json.dumps({
        "cluster": {"capacity": {"cpu": 1}, "specs": [
            {"count": 1, "partition": "", "amount": {"cpu": "1000m"}}]},
        "queues": [{"path": "root"}, {"path": "root.a"}]}))
    none = str(tmp_path / "none")
    for words in (
            ["pending", "j", "--snapshot", none],
            ["pending", "j", "--snapshot", str(junk)],
            ["victim", "j", "--snapshot", str(junk)],
            ["pending", "j", "--decisions", none],
            ["pending", "j", "--decisions", str(junk), "--results",
             str(result)],
            ["pending", "j", "--decisions", str(bad), "--results",
             str(result)],
            ["pending", "j", "--decisions", str(bad), "--results", str(junk)],
            ["pending", "j", none], ["pending", "j", *files, "--frob", "3"],
            ["pending", "j", *files, "--sweep", "1,2"],
            ["victim", "greedy", *files, "--preempt", "kindly"]):
        said = ask(capsys, *words, status=2)
        assert said.startswith("explain: ") and said.count("\n") == 1, words
    with pytest.raises(SystemExit) as stop:
        main(["explain", "pending"])
    assert stop.value.code == 2
    capsys.readouterr()
    assert main(["explain"]) == 2 and main(["explain", "--help"]) == 0
    assert "pending JOB" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stop:
        main(["explain", "share", "--help"])
    assert stop.value.code == 0


def test_the_page_shows_what_comes_out(capsys):
    from conftest import ROOT
    page = ROOT / "docs" / "python.md"
    if not page.exists():
        pytest.skip("no pages here")
    text = page.read_text()
    shown = text[text.index("$ python -m sked explain "):]
    shown = shown[:shown.index("```")]
    command, want = shown.split("\n", 1)
    assert ask(capsys, *command.split()[5:]) == want
