"""Logs of accounting that systems write, and files of a simulator: one small
file of our own making for each form, with what a reader must notice in it."""

import json
import re

import pytest

from sked.importers import ImportFailed, Job
from workloads import faults, put, read

SECOND = 10**9
GIB = 1 << 30
AT = 1709287200

BATSIM = """\
job_id,workload_name,profile,submission_time,requested_number_of_resources,\
requested_time,success,final_state,starting_time,execution_time,finish_time,\
waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,\
metadata
1,w0,delay_20,10.5,4,100,1,COMPLETED_SUCCESSFULLY,15,20.000001,35.000001,4.5,\
24.5,1.2,0-3,-1,""
2,w0,delay_5,11,8,5,0,REJECTED,-1,-1,-1,-1,-1,-1,,-1,""
3,w0,delay_5,11,many,5,1,COMPLETED_SUCCESSFULLY,12,5,17,1,6,1,0,-1,""
"""

PBS = """\
03/01/2024 10:00:00;Q;12.srv;queue=day
03/01/2024 10:01:30;E;12.srv;user=ann group=phys account="LAB 1" jobname=x \
queue=day ctime=1709287200 qtime=1709287200 etime=1709287200 \
start=1709287230 exec_host=n1/0*4 Resource_List.mem=16gb \
Resource_List.ncpus=4 Resource_List.ngpus=2 Resource_List.nodect=1 \
Resource_List.select=1:ncpus=4:ngpus=2 session=7 end=1709287290 Exit_status=0 \
resources_used.mem=3348kb resources_used.walltime=00:01:00
03/01/2024 10:01:30;E;13.srv;user=bob group=chem queue=day ctime=1709287200 \
start=1709287230 Resource_List.neednodes=2:ppn=8 Resource_List.nodes=2:ppn=8 \
end=1709287290
03/01/2024 10:01:30;E;14.srv;user=bob group=chem queue=day ctime=yesterday
03/01/2024 10:01:30;E;15.srv;user=bob queue=day ctime=1709287200 \
start=1709287290 end=1709287230
what is this
"""

CONDOR = """\
ClusterId = 12
ProcId = 3
QDate = 1709287200
JobCurrentStartDate = 1709287230
CompletionDate = 1709287290
JobStatus = 4
Owner = "ann"
User = "ann@example.org"
AcctGroup = "physics.hep"
RequestCpus = 4
RequestMemory = 2048
RequestGpus = 1
RequestGPUs = 1
JobPrio = -5
*** Offset = 0 ClusterId = 12 ProcId = 3 Owner = "ann" CompletionDate = 1

ClusterId = 13
ProcId = 0
QDate = 1709287200
JobStartDate = 1709287230
CompletionDate = 0
EnteredCurrentStatus = 1709287290
JobStatus = 3
Owner = "bob"
AccountingGroup = "chem.bob@example.org"
RequestCpus = ifThenElse(x, 1, 2)
CpusProvisioned = 2
RequestMemory = 1024
*** Offset = 9
Owner = "nobody"
JobStatus = 4
***
"""


def lsf(name, asked, used, status="64", index="0", memory="8192", end=90):
    usage = " ".join(["1.5"] * 19)
    hosts = " ".join(f'"{host}"' for host in used)
    return (f'"JOB_FINISH" "10.1" {AT + end} {name} 501 33554 4 {AT} 0 0 '
            f'{AT + 30} "ann" "day" "select[type==""any""]" "" "" "front" '
            f'"a/b" "" "out" "" "171.x" {len(asked)} '
            f'{" ".join(asked)} {len(used)} {hosts} {status} 60.0 "" '
            f'"sleep 60" {usage} "" "lab" 0 1 "" "" {index} {memory} 9216 "" '
            '"" "" "" 0 "" 0 "" -1\n')


def test_batsim(tmp_path):
    work, jobs = read(tmp_path, BATSIM)
    assert work.form == "batsim"
    assert jobs == [
        Job("w0!1", 10500000000, 15 * SECOND, 35000001000, 20000001000, 4,
            1000, queue="w0", workflow="delay_20", line=2),
        Job("w0!2", 11 * SECOND, None, None, None, 8, 1000, queue="w0",
            workflow="delay_5", line=3)]
    assert faults(work) == [(4, "", "is not a number")]
    with pytest.raises(ImportFailed, match="no column job_id"):
        read(tmp_path, "x,submission_time\n1,2\n", form="batsim")


def test_accounting_of_pbs(tmp_path):
    work, jobs = read(tmp_path, PBS)
    assert work.form == "pbs"
    at = AT * SECOND
    assert jobs == [
        Job("12.srv", at, at + 30 * SECOND, at + 90 * SECOND, 60 * SECOND, 4,
            1000, 4 * GIB, 500, "ann", "LAB 1", "day", line=2),
        Job("13.srv", at, at + 30 * SECOND, at + 90 * SECOND, 60 * SECOND, 16,
            1000, None, None, "bob", "chem", "day", line=3),
        Job("15.srv", at, at + 90 * SECOND, None, None, 1, 1000, None, None,
            "bob", "", "day", line=5)]
    assert faults(work) == [(4, "ctime", "is not a number"),
                            (5, "15.srv", "ends before it starts"),
                            (6, "", "is no record of accounting")]
    assert work.skipped == {"a record of another type than E": 1,
                            "a fault in the record": 2}


@pytest.mark.parametrize("said, tasks, gpu", [
    ("Resource_List.ncpus=1 Resource_List.nodes=4:ppn=8", 32, None),
    ("Resource_List.nodes=n1:ppn=2+3:ppn=4:gpus=1", 14, 215),
    ("Resource_List.select=2:ncpus=8:ngpus=4+1:ncpus=1", 17, 471),
    ("Resource_List.ncpus=0", 1, None), ("Resource_List.nodes=x y", 1, None),
    ("total_execution_slots=6", 6, None)])
def test_processors_of_pbs_are_counted(tmp_path, said, tasks, gpu):
    _, jobs = read(tmp_path, "03/01/2024 10:01:30;E;1;ctime=5 start=6 end=7 "
                   f"{said}\n")
    assert [(job.tasks, job.gpu) for job in jobs] == [(tasks, gpu)]


@pytest.mark.parametrize("said, memory", [
    ("Resource_List.ncpus=4 Resource_List.pmem=4000mb", 4000 << 20),
    ("Resource_List.ncpus=4 Resource_List.mem=8gb Resource_List.pmem=4gb",
     2 << 30),
    ("Resource_List.ncpus=4 Resource_List.vmem=8gb", None)])
def test_memory_of_torque_is_of_the_job_or_of_a_process(tmp_path, said,
                                                        memory):
    _, jobs = read(tmp_path, "03/01/2024 10:01:30;E;1;ctime=5 start=6 end=7 "
                   f"{said}\n")
    assert [job.memory for job in jobs] == [memory]


def as_json(text):
    """A history as `condor_history -json` writes it."""
    ads = []
    for one in re.split(r"^(?:\*\*\*.*)?\n", text, flags=re.M):
        said = dict(pair.split(" = ", 1) for pair in one.splitlines())
        pairs = [f"{json.dumps(key)}: " + (
            value if re.fullmatch(r'"[^"]*"|-?[\d.]+', value)
            else json.dumps(f"/Expr({value})/"))
                 for key, value in said.items()]
        if pairs:
            ads.append("{\n  " + ",\n  ".join(pairs) + "\n}\n")
    return "[\n" + ",\n".join(ads) + "]\n"


def test_the_history_of_htcondor_in_json_is_the_same(tmp_path):
    _, plain = read(tmp_path, CONDOR)
    work, jobs = read(tmp_path, as_json(CONDOR))
    assert work.form == "condor-json" and len(jobs) == 2
    assert [job._replace(line=0) for job in jobs] == [
        job._replace(line=0) for job in plain]
    assert [text for _, _, text in faults(work)] == [
        "has no ClusterId and no GlobalJobId"]
    work, jobs = read(tmp_path, '[{"ClusterId": 1, "JobStatus": 4,\n'
                      '"QDate": 5, "RequestCpus": "/Expr(x)/"}, 7]')
    assert [(job.id, job.submit, job.cpu) for job in jobs] == [
        ("1.0", 5 * SECOND, None)]
    assert [line for line, _, _ in faults(work)] == [2]


def test_the_history_of_htcondor(tmp_path):
    work, jobs = read(tmp_path, CONDOR)
    at = AT * SECOND
    assert work.form == "condor"
    assert jobs == [
        Job("12.3", at, at + 30 * SECOND, at + 90 * SECOND, 60 * SECOND, 1,
            4000, 2 * GIB, 1000, "ann", "physics.hep", "physics.hep", -5,
            line=1),
        Job("13.0", at, at + 30 * SECOND, at + 90 * SECOND, 60 * SECOND, 1,
            2000, GIB, None, "bob", "chem", "chem", line=17)]
    assert faults(work) == [(30, "", "has no ClusterId and no GlobalJobId")]


def test_accounting_of_lsf(tmp_path):
    text = lsf("7", [], ["n1", "3*n2"]) + \
        lsf("8", ['"n1"'], [], index="5", memory="-1") + \
        '"JOB_RESIZE" "10.1" 1\n' + lsf("9", [], ["n1"], end=20) + \
        lsf("10", [], ["n1"])[:-80] + '"x\n' + \
        lsf("11", [], ["n1"]).replace(str(AT + 90), "-5", 1)
    work, jobs = read(tmp_path, text)
    at = AT * SECOND
    assert work.form == "lsf"
    assert jobs[:2] == [
        Job("7", at, at + 30 * SECOND, at + 90 * SECOND, 60 * SECOND, 4, 1000,
            2 << 20, None, "ann", "lab", "day", line=1),
        Job("8[5]", at, at + 30 * SECOND, at + 90 * SECOND, 60 * SECOND, 4,
            1000, None, None, "ann", "lab", "day", line=2)]
    assert [(line, where, text) for line, where, text in faults(work)] == [
        (4, "9", "ends before it starts"),
        (5, "", "has a quote that is not closed"),
        (6, "eventTime", "is no whole number of 0 or more")]
    assert work.skipped == {"a record of another type than JOB_FINISH": 1,
                            "a fault in the record": 2}
    assert [job.id for job in jobs] == ["7", "8[5]", "9"]
