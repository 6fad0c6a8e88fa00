"""Recorded files, as others wrote them, against the same jobs converted apart
to common CSV; and files damaged byte by byte."""

import gzip
import json
import os
import random
import subprocess
from fractions import Fraction
from math import ceil, floor

import pytest

from sked.importers import Fidelity, ImportFailed, Job, read_workload, \
    write_csv
from sked.importers.workloads import FORMS, swf
from sked.importers.workloads.exact import Bad, count
from test_workload_forms import (APP, BEGIN, END, MORE, SACCT, attempt,
                                 matrix)
from test_workload_forms import spark as spark_log
from test_workload_logs import BATSIM, CONDOR, PBS, as_json, lsf
from workloads import BIN, data, put, read

GRIDMIX = ["2m_stream_trace", "3m_stream_trace", "5m_stream_trace",
           *(f"compression_case{i}_trace" for i in range(1, 5)),
           *(f"distcache_case{i}_trace" for i in range(1, 10)),
           *(f"trace_{i}m" for i in (1, 3, 5, 7, 10, 12))]
#: file, records, what differs from the CSV made apart, and how often
RECORDED = [
    # The CSV has no priorities; three attempts end before they start and six
    # have no start: it leaves both times out.
    ("rumen-hadoop", "mumak/19-jobs.trace.json.gz", "19-jobs", 13041,
     {"priority": 12996, "start": 3, "end": 6}),
    ("rumen-hadoop", "rumen-tests/folder-input-trace.json.gz",
     "folder-input-trace", 1226, {"priority": 1108}),
    ("rumen-hadoop", "rumen-tests/input-trace.json.gz", "input-trace", 261,
     {"priority": 255}),
    ("rumen-hadoop", "rumen-tests/dispatch-trace-output.json.gz",
     "dispatch-trace-output", 283, {"priority": 276}),
    ("rumen-hadoop", "rumen-tests/job-tracker-logs-trace-output.gz",
     "job-tracker-logs-trace-output", 283, {"priority": 276}),
    ("rumen-hadoop", "sls/2jobs2min-rumen-jh.json.gz", "2jobs2min-rumen-jh",
     192, {"priority": 192}),
    # The events name no account; the CSV has it from the accounting dump. It
    # has no column for partitions.
    ("slurmsim-ubhpc", "workload_week.events.gz", "workload_week", 19579,
     {"group": 19579, "partition": 19579}),
    ("slurmsim-ubhpc", "workload_5k.events.gz", "workload_5k", 5000,
     {"group": 5000, "partition": 5000}),
    ("xdmod-sacct", "phillips.log.gz", "phillips", 4285, {"partition": 4285}),
    ("swf-hpc", "KTH-SP2-1996-2.swf.gz", "KTH-SP2-1996-2", 28489, {}),
    ("swf-hpc", "CEA-Curie-sample.swf.gz", "CEA-Curie-sample", 29998, {}),
    ("swf-hpc", "ALCF-Theta-2022.swf.gz", "ALCF-Theta-2022", 23911, {}),
    # One partition: the CSV takes the user for the queue, the programs the
    # partition. Memory is read when it is asked for (below).
    ("swf-hpc", "HPC2N-2002-first-part.swf.gz", "HPC2N-2002-first-part", 3170,
     {"queue": 2376, "memory": 1049}),
    # No waits: the CSV says that jobs start as submitted, the log does not.
    ("swf-hpc", "NASA-iPSC-1993-3.1-cln.swf.gz", "NASA-iPSC-1993-3.1-cln",
     18239, {"start": 18239, "end": 18239, "queue": 18239})]


def by_id(work, clock=0):
    """Jobs by id, times from `clock` on."""
    def moved(at):
        return at if at is None else at - clock

    made = {}
    for job in work:
        assert job.id not in made
        made[job.id] = job._replace(
            submit=moved(job.submit), start=moved(job.start),
            end=moved(job.end), run=None, line=0)
    return made


def differences(ours, theirs):
    """How many jobs differ, by column."""
    assert ours.keys() == theirs.keys()
    found = {}
    for name, job in ours.items():
        for column, mine, other in zip(Job._fields, job, theirs[name]):
            if mine != other:
                found[column] = found.get(column, 0) + 1
    return found


def clock_of(ours, theirs):
    """By how much the CSV's clock is later: it begins at the first job."""
    name = next(iter(theirs))
    return ours[name].submit - theirs[name].submit


@pytest.mark.once
@pytest.mark.parametrize("folder, raw, name, records, expected", RECORDED)
def test_recorded_files_have_the_jobs_of_the_csv_made_apart(
        folder, raw, name, records, expected):
    work = read_workload(data(f"{folder}/raw/{raw}"))
    theirs = by_id(read_workload(data(f"{folder}/common/{name}.csv.gz")))
    ours = by_id(work)
    clock = clock_of(ours, theirs)
    assert differences(by_id(work, clock), theirs) == expected
    assert work.records == records
    assert not any(f.severity == 2 for f in work.findings.first)
    assert all(isinstance(f, Fidelity) for f in work.fidelity.values())


@pytest.mark.once
@pytest.mark.parametrize("name", GRIDMIX)
def test_gridmix_traces_have_the_jobs_of_the_csv_made_apart(name):
    ours = by_id(read_workload(data(f"rumen-hadoop/raw/gridmix/{name}.json.gz")))
    theirs = by_id(read_workload(data(f"rumen-hadoop/common/{name}.csv.gz")))
    moved = by_id(read_workload(data(
        f"rumen-hadoop/raw/gridmix/{name}.json.gz")), clock_of(ours, theirs))
    assert differences(moved, theirs) == {"priority": len(theirs)}


def test_memory_of_swf_is_what_was_used():
    path = data("swf-hpc/raw/HPC2N-2002-first-part.swf.gz")
    ours = by_id(swf.read(str(path), memory=True))
    theirs = by_id(read_workload(data(
        "swf-hpc/common/HPC2N-2002-first-part.csv.gz")))
    assert differences(ours, theirs) == {"queue": 2376}


def texts():
    """A file of each form."""
    job = {"jobID": "job_1", "user": "u", "submitTime": 1000, "mapTasks": [
        {"attempts": [attempt("m0", 1500, 2500), attempt("m1", 1, -1)]}]}
    dyno = {"appId": "a1", "submitTime": 5000, "resourceRequestSpecs": [
        {"runtimes": [7, 3], "resource": {"memoryMB": 1024, "vcores": 2}}]}
    sls = {"am.type": "m", "job.start.ms": "1", "job.tasks": [
        {"container.start.ms": 110, "container.end.ms": "210"}]}
    slurm = {"jobs": [{"job_id": 7, "association": {"user": "u"}, "time": {
        "submission": 9, "start": 10, "end": 11}, "tres": {"allocated": [
            {"type": "cpu", "count": 4}]}}] * 3}
    return {
        "csv": "submit_s,run_s,queue,cpu,job_id\n1,2,\"a\",3,x;run=4\n" * 3,
        "swf": "; x\n" + "7 10 5 60 4 -1 -1 4 -1 64 1 9 2 -1 -1 3 -1 -1\n" * 3,
        "sacct": SACCT, "sacct-json": json.dumps(slurm),
        "slurm-events": "-dt 1 -e submit_batch_job | -sim-walltime 6 -n 8 "
                        "--mem=4G -p p x\n" * 3,
        "yarn-apps": json.dumps({"apps": {"app": [APP, APP]}}),
        "yarn-log": "x ApplicationSummary: appId=a,submitTime=1,startTime=2,"
                    "finishTime=9,memorySeconds=9,vcoreSeconds=2\n" * 3,
        "dynoyarn": json.dumps(dyno) + "\n" + json.dumps(dyno),
        "sls": "// x\n" + json.dumps(sls) * 2, "rumen": json.dumps(job) * 2,
        "spark": spark_log(*BEGIN, *MORE, *END),
        "batsim": BATSIM, "pbs": PBS, "condor": CONDOR,
        "condor-json": as_json(CONDOR),
        "lsf": lsf("7", [], ["n1", "3*n2"]) * 2,
        "prometheus": matrix(({"queue": "a"}, [[0, "1"], [9, "2"]]))}


def test_every_form_is_told_by_its_first_bytes(tmp_path):
    assert {r.name for r in FORMS} - {"parquet", "arrow"} == set(texts())
    for form, text in texts().items():
        work = read_workload(put(tmp_path, text))
        assert work.form == form
        assert len(list(work)) > 0 or form == "csv"
        assert list(work) == list(read_workload(put(tmp_path, text), form))


def damaged(draw, text):
    """A text with some bytes changed, gone, doubled or moved."""
    made = bytearray(text)
    for _ in range(draw.randint(1, 6)):
        at, to = draw.randrange(len(made) + 1), draw.randrange(len(made) + 1)
        kind = draw.randrange(5)
        if kind == 0 and at < len(made):
            made[at] = draw.randrange(256)
        elif kind == 1:
            del made[min(at, to):min(max(at, to), min(at, to) + 20)]
        elif kind == 2:
            made[at:at] = made[min(at, to):min(at, to) + 20]
        elif kind == 3:
            made[at:at] = draw.choice([
                b'"', b"{", b"[", b"}", b"]", b",", b"\n", b"\\", b"//", b"/*",
                b"-", b"1e99", b"9" * 30, b"null", b"\0", b"\xff", b"\r", b"|",
                b"NaN", b"1e-9", b"1.5", b"true", b"\xe2\x80\xa8"])
        else:
            made[at:] = made[at:at + 40]
        if not made:
            made = bytearray(text)
    return bytes(made)


def sane(job):
    """What a job may be, whatever it was read from."""
    times = [job.submit, job.start, job.end, job.run]
    assert all(t is None or 0 <= t <= 1 << 62 for t in times), job
    assert job.tasks >= 0 and isinstance(job.id, str)
    amounts = [job.cpu, job.memory, job.gpu]
    assert all(a is None or a >= 0 for a in amounts), job
    if job.start is not None and job.end is not None:
        assert job.start <= job.end


@pytest.mark.parametrize("form", sorted(texts()))
def test_damaged_files_never_break_a_reader(tmp_path, form):
    seed = int(os.environ.get("SKED_SEED", "1"))
    draw = random.Random(f"{seed} {form}")
    text = texts()[form].encode()
    for _ in range(int(os.environ.get("SKED_TRIES", "100"))):
        bad = damaged(draw, text)
        path = put(tmp_path, bad, "events_1_x" if form == "spark" else "w")
        try:
            work = read_workload(path, form)
            for job in work:
                sane(job)
            assert len(work.findings.first) <= 20 * len(work.findings.counts)
            write_csv(work, str(tmp_path / "out.csv"))
            again = read_workload(tmp_path / "out.csv", "csv")
            assert sum(1 for _ in again) == sum(1 for _ in work), bad
            assert again.findings.counts.keys() <= {"is not UTF-8"}, bad
        except ImportFailed:
            pass


def test_numbers_are_rounded_as_fractions_say():
    draw = random.Random(3)
    for _ in range(3000):
        digits = "".join(draw.choices("0012345999", k=draw.randint(1, 12)))
        point = draw.randint(0, len(digits))
        text = f"{digits[:point]}.{digits[point:]}" if draw.random() < 0.7 \
            else digits
        if draw.random() < 0.5:
            text += f"e{draw.choice(['', '+', '-'])}{draw.randint(0, 9)}"
        exact = Fraction(text)
        scale = draw.choice([0, 3, 9])
        for up, want in ((False, floor(exact * 10**scale + Fraction(1, 2))),
                         (True, ceil(exact * 10**scale))):
            try:
                assert count(text, scale, up) == want, text
                assert want <= 1 << 62
            except Bad:
                assert want > 1 << 62, text


TRIED = {
    "csv": "submit_s,start_s,end_s,run_s,user,queue,tasks,cpu,mem_bytes,job_id,"
           'priority,tier\n1,2,3.5,4,u,"a",3,0.5,1e3,x;run=4,-1,2\n'
           "5,,,6,,,,,,,,\n1.5,2,3,,v,b,2,1,10,y,,\n",
    "swf": "; MaxProcs: 3\n7 10 5 60 4 -1 -1 4 -1 64 1 9 2 -1 -1 3 -1 -1\n"
           "8 11.5 -1 0 -1 -1 -1 4 -1 64 1 9 2 -1 -1 -1 -1 -1\n" * 2}


def by_program(path):
    """What replay says of a file; None where it refuses it."""
    if not (BIN / "replay").exists():
        pytest.skip("this build has no replay")
    done = subprocess.run([BIN / "replay", path, "--json", "-", "--quiet",
                           "--until", "1000"], capture_output=True)
    if done.returncode:
        return None if b" want more than " not in done.stderr and \
            b"7 tasks" not in done.stderr else {}
    said = json.loads(done.stdout)
    work = said["workload"]
    return {"result": said["result"], "queues": said["queues"],
            "jobs": work["jobs"], "skipped": sum(work["skipped"].values())}


def by_reader(path, form, other):
    """The same of what the reader makes of it."""
    try:
        work = read_workload(path, form)
        write_csv(work, str(other))
    except ImportFailed:
        return None
    if any(f.severity == 2 for f in work.findings.first):
        return None
    return by_program(other)


@pytest.mark.once
@pytest.mark.parametrize("form", sorted(TRIED))
def test_the_reader_and_the_program_take_and_refuse_the_same(tmp_path, form):
    draw = random.Random(f"{os.environ.get('SKED_SEED', '1')} {form}")
    refused = 0
    for _ in range(int(os.environ.get("SKED_TRIES", "120"))):
        bad = damaged(draw, TRIED[form].encode())
        if b"\r" in bad and b'"' in bad:
            continue  # csv wants quotes around a lone CR, the program does not
        path = put(tmp_path, bad, f"w.{form}")
        theirs = by_program(path)
        assert by_reader(path, form, tmp_path / "again.csv") == theirs, bad
        refused += theirs is None
    assert refused > 9


@pytest.mark.parametrize("form", ["csv", "swf", "rumen"])
def test_files_cut_short_while_packed_give_what_came_through(tmp_path, form):
    text = texts()[form].encode() * 200
    packed = gzip.compress(text)
    work, jobs = read(tmp_path, packed[:len(packed) // 2], "w.gz", form)
    assert "is packed, and broken: what follows cannot be read" in \
        work.findings.counts
    assert jobs


def test_what_is_written_is_read_again(tmp_path):
    pytest.importorskip("hypothesis")
    from hypothesis import given, settings, strategies as st
    times = st.none() | st.integers(0, 1 << 60)
    amounts = st.none() | st.integers(0, 1 << 62)
    names = st.text(st.characters(exclude_characters="\0",
                                  exclude_categories=["Cs"]))
    path = str(tmp_path / "w.csv")

    @settings(deadline=None)
    @given(st.lists(st.tuples(
        names.map(lambda s: s.replace(";", "")), times, times, times, times,
        st.integers(0, 1 << 40), amounts, amounts, amounts, names, names,
        names, st.none() | st.integers(-2**31, 2**31 - 1), names,
        st.sampled_from(["", "0", "255"]))))
    def check(rows):
        jobs = [job_that_can_be(i, *row) for i, row in enumerate(rows, 1)]
        assert write_csv(jobs, path) == len(jobs)
        work = read_workload(path, "csv")
        assert [job._replace(line=0) for job in work] == jobs
        assert not work.findings.counts
    check()


def job_that_can_be(i, name, submit, start, end, run, *rest):
    """A job as a file can have it: it ends after its start, has a run time
    where it has both, a submission where it has a start, and a name."""
    if start is not None and end is not None:
        start, end = min(start, end), max(start, end)
        run = end - start if run is None else run
    submit = start if submit is None else submit
    return Job(name or str(i), submit, start, end, run, *rest)
