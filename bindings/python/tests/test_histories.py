"""Histories from files of every form, and the command that judges them."""

import json

import pytest

from sked.audit import AuditRow
from sked.commands import main
from sked.histories import read_history
from sked.importers import ImportFailed

ROWS = """time_s,type,key,of,on,value,count,flags,cpu
0,node,n1,,,,,,4
0,queue,q,,,,,fifo,
0,limit,q,,,,,,
0,job,j,q,u,,,,
0,tasks,t,j,,3,2,,3
1.5,start,t,,n1,,2,,
"""


def put(tmp_path, text, name="h.csv"):
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def test_rows_of_a_csv(tmp_path, capsys):
    path = put(tmp_path, ROWS)
    found = read_history(path).judge(idle=None)
    assert [(a.name, a.at) for a in found] == [("node_over", 1_500_000_000)]
    assert main(["audit", path]) == 1
    said = capsys.readouterr().out
    assert "6 rows, 1 node_over" in said
    assert "node_over at 1500000000: node n1 holds 6 of 4 of cpu" in said
    assert main(["audit", "--json", path]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["subject"], told["got"], told["limit"]) == ("n1", 6, 4)
    assert told["rows"] == [0, 5]


@pytest.mark.parametrize("old,new,line,words", [
    ("1.5,", "x,", 7, "time_s is not a number: 'x'"),
    ("1.5,", "1.5000000001,", 7, "time_s is out of range"),
    ("1.5,start", "1.5,begin", 7, "no type 'begin': types are node"),
    ("start,t", "start,", 7, "has no key"),
    (",2,,\n", ",2,x,\n", 7, "no flag 'x'"),
    (",2,,3", ",many,,3", 6, "count is not a number: 'many'"),
    (",2,,3", ",2,,3,9", 6, "another number of cells"),
    ("time_s", "time_s,time_ns", 1, "each once"),
])
def test_a_bad_row_has_its_line(tmp_path, old, new, line, words):
    path = put(tmp_path, ROWS.replace(old, new, 1))
    with pytest.raises(ImportFailed, match=words) as error:
        read_history(path)
    assert f"{path}:{line}:" in str(error.value)


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    path = put(tmp_path, ROWS.replace("start,t,", "start,other,"))
    assert main(["audit", path]) == 2
    assert "in row: 1500000000: start other" in capsys.readouterr().err
    assert main(["audit", str(tmp_path / "none.csv")]) == 2
    for words in (["--bound", "idel=3"], ["--bound", "idle=-1"],
                  ["--capacity", "disk=3"]):
        with pytest.raises(SystemExit) as ended:
            main(["audit", *words, path])
        assert ended.value.code == 2


def test_a_workload_is_judged_by_what_it_says(tmp_path, capsys):
    path = put(tmp_path, "submit_s,start_s,end_s,user,queue,tasks,cpu,job_id\n"
               "0,0,1000,u,q,3,1,a\n5,500,900,u,q,1,2,b\n")
    assert main(["audit", path]) == 0
    assert main(["audit", "--capacity", "cpu=4", path]) == 1
    assert "node_over at 500000000000: node cluster holds 5000 of 4000" in \
        capsys.readouterr().out
    assert main(["audit", "--capacity", "cpu=5", path]) == 1
    assert "node_idle" in capsys.readouterr().out
    assert main(["audit", "--capacity", "cpu=5", "--bound", "idle=500",
                 path]) == 0


YARN = """2026-01-05 10:00:00,500 INFO resourcemanager.RMAuditLogger: USER=ann\t\
OPERATION=AM Allocated Container\tTARGET=SchedulerApp\tRESULT=SUCCESS\t\
APPID=application_1_0001\tCONTAINERID=container_1\t\
RESOURCE=<memory:1024, vCores:1>\tQUEUENAME=root.ads
"""


def test_the_audit_log_of_yarn(tmp_path):
    again = YARN.replace("10:00:00", "10:00:09")
    released = again.replace("Allocated", "Released")
    path = put(tmp_path, YARN + released, "rm.log")
    history = read_history(path)
    assert history.kinds == ["memory", "vCores"]
    assert history.judge() == []
    path = put(tmp_path, YARN + again, "rm.log")
    assert [a.name for a in read_history(path).judge()] == ["work_doubled"]
    path = put(tmp_path, YARN + released + released, "rm.log")
    assert [a.name for a in read_history(path).judge()] == ["work_unknown"]


def event(name, reason, second, message=""):
    return {"involvedObject": {"uid": name, "name": name}, "reason": reason,
            "message": message, "lastTimestamp": f"2026-01-05T10:00:0{second}Z"}


def test_events_of_kubernetes(tmp_path):
    turns = [event("a", "Admitted", 1), event("b", "Admitted", 1)]
    for second, (victim, by) in enumerate(["ab", "ba", "ab"], 2):
        turns += [event(victim, "Preempted", second,
                        f"Preempted to accommodate a workload (UID: {by})"),
                  event(victim, "Admitted", second)]
    path = put(tmp_path, json.dumps({"items": turns}), "events.json")
    assert [a.name for a in read_history(path).judge(kill=None)] == [
        "kills_in_turns"]
    path = put(tmp_path, '{"involvedObject": 1,}', "events.json")
    with pytest.raises(ImportFailed):
        read_history(path)


def test_the_decision_log_of_replay(tmp_path):
    head = "seq,time_ns,kind,job,task,count,queue,node,amount,reason\n"
    rows = head + "1,5,allocate,j,0,2,root.q,0,cpu=3000m,its turn\n"
    spec = {"cluster": {"specs": [{"count": 2, "amount": {"cpu": "4000m"}}]}}
    results = put(tmp_path, json.dumps(spec), "r.json")
    found = read_history(put(tmp_path, rows), results=results).judge()
    assert [(a.name, a.subject) for a in found] == [("node_over", "0")]
    ends = rows + "2,9,finish,j,0,1,root.q,0,,\n3,9,kill,j,1,1,root.q,0,,\n"
    history = read_history(put(tmp_path, ends))
    assert history.judge(kill=None) == []
    assert history._rows[-2][1] == AuditRow.KILL
    with pytest.raises(ImportFailed, match="1 tasks of j end on node 0"):
        read_history(put(tmp_path, ends + "4,9,lost,j,1,1,root.q,0,,\n"))
    with pytest.raises(ImportFailed, match="is not the JSON of replay"):
        read_history(put(tmp_path, rows),
                     results=put(tmp_path, "{}", "bad.json"))
