"""Workloads of other schedulers: one small file of our own making for each
form, with what a reader must notice in it."""

import json

import pytest

from sked.importers import Fidelity, ImportFailed, Job, read_workload
from workloads import faults, put, read

MS = 10**6
SECOND = 10**9
GIB = 1 << 30

SACCT = """\
JobID|User|Account|Partition|QOS|Submit|Start|End|State|AllocTRES|ReqTRES|\
ReqMem|NNodes|ReqCPUS|Elapsed|JobName
12_3|ann|phys|long|high|2024-03-01T10:00:00|2024-03-01T10:00:30|\
2024-03-01T10:01:30|COMPLETED|billing=4,cpu=4,gres/gpu=2,mem=62.50G,node=1|\
cpu=4|16000M|1|4|00:01:00|a|b
12_3.batch|||||2024-03-01T10:00:00||||cpu=4||||||
13|bob|chem|long||2024-03-01T10:00:00|Unknown|Unknown|PENDING||\
cpu=8,mem=8G,node=1,gres/gpu:a100=1|2147484648Mn|2|8|00:00:00|x
14|bob|chem|long||yesterday|||CANCELLED|||||0||x
15|bob|chem|long||2024-03-01T10:00:00|2024-03-01T11:00:00|\
2024-03-01T10:30:00|NODE_FAIL|cpu=2|cpu=2|3000Mc|1|2|00:00:00|x
"""


def test_sacct_text(tmp_path):
    work, jobs = read(tmp_path, SACCT)
    at = 1709287200 * SECOND
    assert jobs == [
        Job("12_3", at, at + 30 * SECOND, at + 90 * SECOND, 60 * SECOND, 4,
            1000, 16777216000, 500, "ann", "phys", "long/high", None, "long",
            "", 2),
        Job("13", at, None, None, None, 8, 1000, 1000 << 20, 125, "bob",
            "chem", "long", None, "long", "", 4),
        Job("15", at, at + 3600 * SECOND, None, None, 2, 1000, 3000 << 20,
            None, "bob", "chem", "long", None, "long", "", 6)]
    assert faults(work) == [(5, "submit", "is no time"),
                            (6, "15", "ends before it starts")]
    assert work.skipped == {"a step of a job": 1, "a fault in the record": 1}
    assert work.form == "sacct" and work.records == 5
    assert work.fidelity["cpu"] is Fidelity.ASSUMED
    assert "gpu" in work.fidelity and "tier" not in work.fidelity


@pytest.mark.parametrize("between", [";", "\t", "^", ",", " | ", "~~"])
def test_sacct_may_have_another_delimiter(tmp_path, between):
    text = "".join(between.join(row) + "\n" for row in (
        ("JobID", "User", "Submit", "NCPUS", "JobName"),
        ("1", "ann", "2024-03-01T10:00:00", "4", f"a{between}b")))
    work, jobs = read(tmp_path, text)
    assert work.form == "sacct" and not faults(work)
    assert [(j.id, j.user, j.tasks) for j in jobs] == [("1", "ann", 4)]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_jobs_may_run_while_the_clocks_go_back(tmp_path, zone):
    from sked.importers.workloads import slurm as sacct
    path = put(tmp_path, """\
JobID|Submit|Start|End|Elapsed|NCPUS
1|2024-10-27T02:00:00|2024-10-27T02:50:00|2024-10-27T02:10:00|00:20:00|1
2|2024-10-27T02:00:00|2024-10-27T02:50:00|2024-10-26T02:10:00|00:20:00|1
3|2024-10-27T02:00:00|2024-10-27T02:50:00|2024-10-27T02:10:00||1
""")
    work = sacct.read(str(path), zone=zone)
    jobs = list(work)
    assert [job.run for job in jobs] == [1200 * SECOND, None, None]
    assert jobs[0].end - jobs[0].start == jobs[0].run
    assert [(line, text) for line, _, text in faults(work)] == [
        (3, "ends before it starts"), (4, "ends before it starts")]


def test_every_step_of_sacct_is_left_out(tmp_path):
    steps = ("1", "1.batch", "1.extern", "1.interactive", "1.12", "1.0+2",
             "1.TBD", "2+0", "2+1", "2+1.0", "3_4", "3_4.batch", "3_[5-9%2]")
    work, jobs = read(tmp_path, "JobID|Submit\n" + "".join(
        f"{name}|2024-03-01T10:00:00\n" for name in steps))
    assert [job.id for job in jobs] == ["1", "2+0", "2+1", "3_4", "3_[5-9%2]"]
    assert work.skipped == {"a step of a job": 8}


def test_sacct_in_a_zone_and_without_a_header(tmp_path):
    from sked.importers.workloads import slurm as sacct
    path = put(tmp_path, SACCT)
    work = sacct.read(str(path), zone="Europe/Berlin")
    assert next(iter(work)).submit == (1709287200 - 3600) * SECOND
    with pytest.raises(ValueError, match="no time zone"):
        sacct.read(str(path), zone="Mars/Phobos")
    row = ["1", "1", "c", "p", "q", "a", "g", "1", "u", "1",
           "2024-03-01T10:00:00", "x", "2024-03-01T10:00:00",
           "2024-03-01T10:00:09", "", "", "", "1", "2", "2", "1Gn", "", "", "",
           "n", "a name | with bars"]
    work, jobs = read(tmp_path, "|".join(row) + "\n")
    assert jobs[0].run == 9 * SECOND and jobs[0].memory == GIB // 2
    assert faults(work)[0][2].startswith("has no header")
    with pytest.raises(ImportFailed, match="no header"):
        read(tmp_path, "1|2|3\n", form="sacct")
    with pytest.raises(ImportFailed, match="no column Submit"):
        read(tmp_path, "JobID|User\n1|u\n")


def test_sacct_json(tmp_path):
    said = {"meta": {"slurm": {"version": {"major": "23"}}}, "jobs": [
        {"job_id": 7, "array": {"job_id": 5, "task_id": {
            "set": True, "infinite": False, "number": 2}},
         "association": {"account": "phys", "user": "ann"},
         "partition": "long", "qos": "high",
         "priority": {"set": True, "infinite": False, "number": 4294901},
         "time": {"submission": 100, "start": 110, "end": 130,
                  "elapsed": 20},
         "tres": {"allocated": [
             {"type": "cpu", "name": "", "count": 4},
             {"type": "mem", "name": "", "count": 4096},
             {"type": "gres", "name": "gpu", "count": 2},
             {"type": "gres", "name": "gpu:a100", "count": 2}]}},
        {"job_id": 8, "user": "bob", "account": "chem",
         "array": {"job_id": 0, "task_id": {"set": False, "number": 0}},
         "time": {"submission": {"set": True, "number": 100}, "start": 0,
                  "end": 0}, "required": {"CPUs": 3}}],
        "errors": []}
    work, jobs = read(tmp_path, json.dumps(said, indent=1))
    assert jobs == [
        Job("5_2", 100 * SECOND, 110 * SECOND, 130 * SECOND, 20 * SECOND, 4,
            1000, GIB, 500, "ann", "phys", "long/high", 4294901, "long", "",
            10),
        Job("8", 100 * SECOND, tasks=3, cpu=1000, user="bob", group="chem",
            line=jobs[1].line)]
    assert work.form == "sacct-json" and not faults(work)
    assert jobs[1].line > jobs[0].line + 20


@pytest.mark.parametrize("said, gpus", [
    ({"gpu:a100": 2, "gpu:v100": 3}, 5), ({"gpu:a100": 2, "gpu": 4}, 4),
    ({"gpu": 4, "gpu:a100": 2}, 4), ({"fpga:x": 2}, None)])
def test_gpus_of_several_types_in_json_are_added_up(tmp_path, said, gpus):
    counted = [{"type": "cpu", "name": "", "count": 1}] + [
        {"type": "gres", "name": name, "count": n} for name, n in said.items()]
    _, jobs = read(tmp_path, json.dumps({"jobs": [
        {"job_id": 1, "time": {"submission": 100},
         "tres": {"allocated": counted}}]}))
    assert jobs[0].gpu == (None if gpus is None else gpus * 1000)


def test_events_of_the_slurm_simulator(tmp_path):
    work, jobs = read(tmp_path, (
        "-dt 10.25 -e submit_batch_job | -sim-walltime 60.5 --uid=u1 -J j1 "
        "-N 2 -n 8 -t 1-0 -q high -p long --mem=4G --gres=gpu:v100:2 x.job\n"
        "-dt 11 -e submit_batch_job | -sim-walltime 1 --uid=u2 -J j2 -A acc "
        "-c 4 -n 2 --mem-per-cpu=100M --color=red x.job\n"
        "-dt 12 -e cancel_job | 3\n"
        "-dt x -e submit_batch_job | -n 2\n"))
    assert jobs == [
        Job("j1", 10_250_000_000, run=60_500_000_000, tasks=8, cpu=1000,
            memory=GIB, gpu=500, user="u1", queue="long/high",
            partition="long", line=1),
        Job("j2", 11 * SECOND, run=SECOND, tasks=2, cpu=4000,
            memory=400 << 20, user="u2", group="acc", line=2)]
    assert faults(work) == [(2, "color", "a field that is not read"),
                            (3, "cancel_job", "is no submission"),
                            (4, "", "is not a number")]


@pytest.mark.parametrize("text", [
    "\ufeff; Version: 2.2\n{}\n", "; x\r\n\r\n{}\r\n",
    "{}\n", "\t{} more\n"])
def test_swf_is_told_by_its_first_line_of_numbers(tmp_path, text):
    row = "1 0 1e1 100 4 -1 -1 4 200 -1 1 3 5 7 1 1 -1 -1"
    work, jobs = read(tmp_path, text.format(row))
    assert work.form == "swf" and not faults(work)
    assert [(j.start, j.tasks) for j in jobs] == [(10 * SECOND, 4)]


APP = {"id": "application_1_1", "user": "ann", "queue": "root.ads",
       "state": "FINISHED", "startedTime": 1_000_000, "launchTime": 1_002_000,
       "finishedTime": 1_012_000, "memorySeconds": 20480, "vcoreSeconds": 25,
       "priority": 3, "newThing": 1, "resourceSecondsMap": {"entry": [
           {"key": "memory-mb", "value": "20480"},
           {"key": "vcores", "value": "25"},
           {"key": "yarn.io/gpu", "value": "5"}]}}


def test_yarn_applications_are_mean_rectangles(tmp_path):
    running = {**APP, "id": "application_1_2", "finishedTime": 0,
               "launchTime": 0, "resourceSecondsMap": {}}
    work, jobs = read(tmp_path, json.dumps(
        {"apps": {"app": [APP, running]}}, indent=2))
    assert jobs[0] == Job(
        "application_1_1", 1000 * SECOND, 1002 * SECOND, 1012 * SECOND,
        10 * SECOND, 1, 2500, 2048 << 20, 500, "ann", "", "root.ads", 3,
        line=4)
    assert jobs[1].end is None and jobs[1].run is None is jobs[1].cpu
    assert jobs[1].start == 1000 * SECOND
    assert faults(work) == [(4, "newThing", "a field that is not read")]
    assert work.fidelity["memory"] is Fidelity.DERIVED
    assert work.fidelity["start"] is Fidelity.ASSUMED


@pytest.mark.parametrize("text", ['{"apps": null}', '{"apps": {}}',
                                  '{"apps": {"app": []}}'])
def test_no_yarn_applications_are_none(tmp_path, text):
    work, jobs = read(tmp_path, text)
    assert jobs == [] and work.form == "yarn-apps" and not faults(work)


def test_yarns_log_of_summaries(tmp_path):
    work, jobs = read(tmp_path, (
        "2024-01-01 00:00:00,1 INFO x: something else\n"
        "2024-01-01 00:00:00,1 INFO org.apache.hadoop.yarn.server.resource"
        "manager.RMAppManager$ApplicationSummary: appId=application_2_1,name="
        "a\\, b\\=c,user=ann,queue=ads,state=FINISHED,submitTime=1000000,"
        "startTime=1000100,launchTime=1002000,finishTime=1012000,memorySeconds"
        "=20480,vcoreSeconds=25,preemptedResources=<memory:0\\, vCores:0>,"
        "resourceSeconds=20480 MB-seconds\\, 25 vcore-seconds\\, 5 "
        "yarn.io/gpu-seconds\n"
        "x RMAppManager$ApplicationSummary: name=lost\n"))
    assert jobs == [Job(
        "application_2_1", 1000 * SECOND, 1002 * SECOND, 1012 * SECOND,
        10 * SECOND, 1, 2500, 2048 << 20, 500, "ann", "", "ads", line=2)]
    assert faults(work) == [(3, "", "a summary without appId")]


def test_dynoyarn(tmp_path):
    one = {"appId": "a1", "queue": "q", "user": "u", "submitTime": 5000,
           "amResourceRequest": {"memoryMB": 2048, "vcores": 1},
           "resourceRequestSpecs": [
               {"runtimes": [7, 3, 7], "numInstances": 3, "priority": 20,
                "resource": {"memoryMB": 1024, "vcores": 2, "gpus": 1}},
               {"averageRuntime": 5, "numInstances": 4, "priority": 10,
                "resource": {"memory": 1024}}]}
    bad = {"appId": "a2", "submitTime": 0, "resourceRequestSpecs": [
        {"runtimes": ["x", 1], "numInstances": 3}], "mood": 1}
    work, jobs = read(tmp_path, json.dumps(one) + "\n// none\n" +
                      json.dumps(bad) + '\n{"x": 1}\n')
    assert jobs[:4] == [
        Job("a1.1.1", 5 * SECOND, run=3 * MS, tasks=1, cpu=2000, memory=GIB,
            gpu=1000, user="u", group="a1", queue="q", line=1),
        Job("a1.1.2", 5 * SECOND, run=7 * MS, tasks=2, cpu=2000, memory=GIB,
            gpu=1000, user="u", group="a1", queue="q", line=1),
        Job("a1.2.1", 5 * SECOND + 7 * MS, run=5 * MS, tasks=4, memory=GIB,
            user="u", group="a1", queue="q", line=1),
        Job("a1.am", 5 * SECOND, run=12 * MS, cpu=1000, memory=2 * GIB,
            user="u", group="a1", queue="q", line=1)]
    assert [j.id for j in jobs[4:]] == ["a2.1.1", "a2.am"]
    assert faults(work) == [
        (3, "mood", "a field that is not read"),
        (3, "runtimes", "a run time that is no number"),
        (4, "resourceRequestSpecs", "is no application")]


def test_sls(tmp_path):
    work, jobs = read(tmp_path, """{
  // who
  "am.type" : "mapreduce", "job.start.ms" : "100", "job.end.ms" : 900,
  "job.queue.name" : "q1", /* an "id" */ "job.id" : "j//1",
  "job.user" : "u", "job.count": 2,
  "job.tasks" : [ { "container.start.ms" : 110, "container.end.ms" : "210",
      "container.priority" : "20", "container.type" : "map" },
    { "duration.ms": "50", "count": 3, "container.memory": "2048",
      "container.vcores": 2, "container.delay.ms": 7 } ]
}
{ "am.type": "mapreduce", "job.tasks": [] }
""")
    assert jobs[:2] == [
        Job("j//1.1", 100 * MS, 110 * MS, 210 * MS, 100 * MS, 1, 1000, GIB,
            user="u", group="j//1", queue="q1", line=1),
        Job("j//1.2", 107 * MS, run=50 * MS, tasks=3, cpu=2000,
            memory=2 * GIB, user="u", group="j//1", queue="q1", line=1)]
    assert [j.id for j in jobs[2:]] == ["j//1#2.1", "j//1#2.2"]
    assert faults(work) == [(11, "job_2", "an application without tasks")]


def test_sls_names_containers_as_hadoop_3_does(tmp_path):
    work, jobs = read(tmp_path, """{ "num.nodes": 3, "num.racks": 1 } {
  "job.start.ms": 0, "am.memory-mb": 2048, "am.vcores": 2, "job.id": "j",
  "job.label.expression": "", "job.tasks": [ {
    "container.duration.ms": 5000, "container.memory-mb": 4096,
    "container.request.delay": 7, "container.vcores": 3,
    "container.yarn.io/gpu": 2 } ]
}
""")
    assert jobs == [Job("j.1", 7 * MS, run=5 * SECOND, cpu=3000, memory=4 * GIB,
                        gpu=2000, group="j", line=1)]
    assert faults(work) == [] and work.skipped == {"a number of nodes": 1}


def attempt(name, start, end):
    return {"attemptID": name, "startTime": start, "finishTime": end}


def test_rumen(tmp_path):
    job = {"jobID": "job_1", "user": "u", "queue": "q", "priority": "HIGH",
           "submitTime": 1000, "heapMegabytes": 640, "jobMapMB": 1024,
           "jobReduceMB": -1, "mood": 1,
           "mapTasks": [{"attempts": [attempt("m0", 1500, 2500),
                                      attempt("m1", 1500, -1)]}],
           "reduceTasks": [{"attempts": [attempt("r0", 3000, 2000)]}],
           "otherTasks": [{"attempts": [attempt("s", 1, 2)]}]}
    work, jobs = read(tmp_path, json.dumps(job, indent=1) + "{}\n" +
                      json.dumps({"jobID": "job_2", "mapTasks": []}))
    assert [(j.id, j.start, j.run, j.memory) for j in jobs] == [
        ("m0", 1500 * MS, 1000 * MS, GIB), ("m1", 1500 * MS, None, GIB),
        ("r0", 3000 * MS, None, 640 << 20)]
    assert jobs[0] == Job("m0", 1000 * MS, 1500 * MS, 2500 * MS, 1000 * MS, 1,
                          1000, GIB, None, "u", "job_1", "q", 1, line=15)
    assert work.skipped == {"setup or cleanup of a job": 1, "not a job": 1}
    assert faults(work) == [
        (1, "mood", "a field that is not read"),
        (jobs[2].line, "r0", "ends before it starts"),
        (json.dumps(job, indent=1).count("\n") + 2, "job_2",
         "a job without a submission")]


def spark(*events):
    return "".join(json.dumps({"Event": "SparkListener" + name, **said}) + "\n"
                   for name, said in events)


BEGIN = (("LogStart", {"Spark Version": "3.5"}),
         ("ApplicationStart", {"App Name": "n", "App ID": "app_1",
                               "Timestamp": 1000, "User": "ann"}),
         ("EnvironmentUpdate", {"Spark Properties": {
             "spark.executor.memory": "4g", "spark.yarn.queue": "ads",
             "spark.executor.resource.gpu.amount": "1"}}),
         ("ExecutorAdded", {"Timestamp": 2000, "Executor ID": "1",
                            "Executor Info": {"Total Cores": 4}}),
         ("ExecutorAdded", {"Timestamp": 3000, "Executor ID": "2",
                            "Executor Info": {"Total Cores": 4}}))
MORE = (("TaskEnd", {"Task Info": {"Finish Time": 4500}}),
        ("ExecutorRemoved", {"Timestamp": 4000, "Executor ID": "1"}),
        ("ExecutorRemoved", {"Timestamp": 4000, "Executor ID": "9"}))
END = (("ApplicationEnd", {"Timestamp": 5000}),)


def test_spark_executors_are_the_steps_of_an_application(tmp_path):
    work, jobs = read(tmp_path, spark(*BEGIN, *MORE, *END))
    memory = 4 * GIB + 4 * GIB // 10
    first = Job("app_1.1", None, 2000 * MS, 4000 * MS, 2000 * MS, 1, 4000,
                memory, 1000, "ann", "app_1", "ads", line=4)
    assert jobs == [first, first._replace(
        id="app_1.2", start=3000 * MS, end=5000 * MS, line=5)]
    assert faults(work) == [(8, "9", "an executor that was never added")]
    assert work.fidelity["cpu"] is Fidelity.EXACT


def test_spark_executors_have_the_size_of_their_profile(tmp_path):
    def executor(name, profile, **more):
        return ("ExecutorAdded", {"Timestamp": 2000, "Executor ID": name,
                                  "Executor Info": {
                                      "Total Cores": 2, **more,
                                      "Resource Profile Id": profile}})

    work, jobs = read(tmp_path, spark(
        *BEGIN[:3], ("ResourceProfileAdded", {
            "Resource Profile Id": 1, "Executor Resource Requests": {
                "memory": {"Amount": 8192}, "offHeap": {"Amount": 1024},
                "memoryOverhead": {"Amount": 512}, "gpu": {"Amount": 2.0}}}),
        ("ResourceProfileAdded", {
            "Resource Profile Id": 2, "Executor Resource Requests": {}}),
        executor("1", 1), executor("2", 2), executor(
            "3", 2, Resources={"gpu": {"addresses": ["0", "1", "2"]}}), *END))
    default = 4 * GIB + 4 * GIB // 10
    assert [(j.memory, j.gpu) for j in jobs] == [
        (9 * GIB + GIB // 2, 2000), (default, 1000), (default, 3000)]
    assert not faults(work)


def test_a_spark_log_that_never_ends_ends_with_its_last_time(tmp_path):
    work, jobs = read(tmp_path, spark(*BEGIN, *MORE) + '{"Event":"Spark'
                      'ListenerExecutorAdded","Timest', "app.inprogress")
    assert jobs[-1].end == 4500 * MS
    assert [f[2] for f in faults(work)][-2:] == [
        "is no JSON", "the application never ended: the last time told is "
        "supposed"]


def test_a_rolled_spark_log_is_a_folder(tmp_path):
    folder = tmp_path / "eventlog_v2_app_1"
    folder.mkdir()
    put(folder, "", "appstatus_app_1")
    put(folder, "not read: compacted", "events_1_app_1")
    put(folder, spark(*BEGIN), "events_2_app_1.compact")
    put(folder, "not read: compacted", "events_2_app_1")
    put(folder, spark(*END), "events_10_app_1.inprogress")
    put(folder, spark(*MORE), "events_3_app_1")
    put(folder, "?", "events_4_app_1.lz4")
    work = read_workload(folder)
    assert [(j.id, j.end // MS) for j in work] == [("app_1.1", 4000),
                                                   ("app_1.2", 5000)]
    assert faults(work)[1][2].startswith("is packed by a codec")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ImportFailed, match="without events"):
        list(read_workload(empty))


def matrix(*series):
    return json.dumps({"status": "success", "data": {
        "resultType": "matrix", "result": [
            {"metric": metric, "values": values}
            for metric, values in series]}})


def test_prometheus_samples_are_held_five_minutes_at_most(tmp_path):
    work, jobs = read(tmp_path, matrix(
        ({"__name__": "mem_bytes", "queue": "a"},
         [[0, "1"], [60, "1"], [120.5, "2.5"], [180, "NaN"], [240, "7"],
          [2000, "8"]]),
        ({"zone": "z", "app": "x"},
         [[5, "0.5"], [5, "1"], [6, "Inf"], [7, "-1"], "x"])))
    assert [(j.queue, j.start // MS, j.end // MS, j.memory, j.cpu)
            for j in jobs] == [
        ("a", 0, 120_500, 1, None), ("a", 120_500, 180_000, 3, None),
        ("a", 240_000, 540_000, 7, None),
        ("a", 2_000_000, 2_059_500, 8, None),
        ("app=x,zone=z", 5000, 305_000, None, 500)]
    assert [f[2] for f in faults(work)] == [
        "a sample that is not after the one before", "is not a number",
        "is negative", "is no sample"]
    assert work.fidelity["memory"] is Fidelity.ASSUMED
    from sked.importers.workloads import prometheus
    path = str(tmp_path / "w.csv")
    named = list(prometheus.read(path, key="app", kind="gpu"))
    assert named[-1].queue == "x" and named[-1].gpu == 500
    with pytest.raises(ValueError):
        prometheus.read(path, kind="disk")
    with pytest.raises(ImportFailed, match="too many samples"):
        read(tmp_path, '{"status": "error", "error": "too many samples"}')
