"""JSON that is broken, or meant to break its reader."""

import json

import pytest

from sked import Severity
from sked.importers import ImportFailed, read_workload
from sked.importers.model import Findings
from workloads import faults, put


def read(folder, text, form):
    """As far as it goes: a text of which nothing is understood says so."""
    work = read_workload(put(folder, text), form)
    jobs = []
    try:
        for job in work:
            jobs.append(job)
    except ImportFailed as error:
        assert not jobs and error.finding is work.findings.first[0]
    else:
        assert jobs
    return work, jobs


@pytest.mark.parametrize("text, form", [
    ("[]", "sacct-json"), ("{}", "sacct-json"), ('{"job": []}', "sacct-json"),
    ('{"jobs": 7', "sacct-json"), ("[1, 2]", "rumen"), ('{"a"', "rumen"),
    ("x", "dynoyarn")])
def test_what_is_not_understood_is_an_error(tmp_path, text, form):
    with pytest.raises(ImportFailed):
        list(read_workload(put(tmp_path, text), form))


def test_no_jobs_are_no_error(tmp_path):
    assert not list(read_workload(put(tmp_path, '{"jobs": []}'), "sacct-json"))


@pytest.mark.parametrize("text", [
    r'"a\\"', r'"\\"', r'"a\\\\"', r'"\\\" x"', '"{[/*"', '"//"', r'"\u0022"'])
def test_strings_hide_what_they_hold(tmp_path, text):
    """Cut anywhere, as blocks cut it, and with comments around."""
    from sked.importers.workloads import documents
    one = '{"job_id": 1, /* " */ "name": %s} // "\n' % text.replace("a", "b")
    whole = '{"jobs": [%s, {"job_id": 2, "name": %s}]}' % (one, text)
    for size in (1, 2, 3, 7, 1 << 18):
        source = documents.Source(str(put(tmp_path, whole)), Findings(""))
        source.blocks = lambda: (whole[i:i + size].encode()
                                 for i in range(0, len(whole), size))
        found = list(documents.members(source, ["jobs"]))
        assert [d.value["job_id"] for d in found] == [1, 2]
        assert found[1].value["name"] == json.loads(text)


@pytest.mark.parametrize("text, found", [
    ('{"jobs": [{"job_id": 1,}, {"job_id": 2}]}', [(1, "is no JSON")]),
    ('{"jobs": [\n{"job_id": 1}, 7,\n[1], {"job_id": 2}', [
        (2, "is text between objects"), (3, "is an array, not an object"),
        (3, "is an object without an end")]),
    ('{"jobs": [{"job_id": 1},\n{"job_id": "2', [
        (2, "is an object without an end")]),
    ('{"jobs": [{"job_id": 1},\n{"a": ' + "[" * 99, [
        (2, "is nested too deep")]),
    ('{"jobs": [{"job_id": 1},\n{"a": ' + "1" * 9999 + "}]}", [
        (2, "has a number of too many digits")]),
    ("[]", [(1, "begins with no object")]),
    ('{"jobs" []}', [(1, "is no JSON")])])
def test_broken_json_has_its_line(tmp_path, text, found):
    work, jobs = read(tmp_path, text, "sacct-json")
    assert [(line, text) for line, _, text in faults(work)][:3] == found
    assert len(jobs) == (("1}" in text) + ("2}" in text))
    assert all(f.severity is Severity.ERROR for f in work.findings.first)


HOSTILE = {
    "is nested too deep": '{"jobs": ' + "[" * 10**5,
    "is an object of more than 64 MiB": '{"jobs": [{"a": "' + "x" * 10**6,
    "is an object without an end": '{"jobs": [{' + "/ " * 5000,
    "is text between objects": '{"jobs": [' + "1," * 10**4 + "]}",
    "is no JSON": '{"jobs": [' + '{"a":}' * 10**4 + "]}"}


@pytest.mark.parametrize("text", sorted(HOSTILE))
def test_hostile_json_is_bounded(tmp_path, monkeypatch, text):
    from sked.importers.workloads import documents
    monkeypatch.setattr(documents, "MAX_DOCUMENT", 1 << 19)
    work, jobs = read(tmp_path, HOSTILE[text], "sacct-json")
    assert text in work.findings.counts and not jobs
    assert len(work.findings.first) <= 20


def test_copies_without_end_are_bounded(tmp_path):
    work = read_workload(put(tmp_path, json.dumps({
        "job.id": "j", "job.count": 10**15, "job.tasks": [{"count": 1}]})))
    rows = iter(work)
    assert next(rows).id == "j.1"
    assert faults(work) == [(1, "j", "more than a million copies")]


def test_a_byte_order_mark_hides_no_form(tmp_path):
    job = json.dumps({"jobID": "job_1", "submitTime": 1000, "user": "u",
                      "mapTasks": [], "reduceTasks": []})
    event = "-dt 0 -e submit_batch_job | -J 1 -sim-walltime 5 --uid=u -n 1 x\n"
    for text, form in ((job, "rumen"), (event, "slurm-events")):
        for mark in ("", "\ufeff"):
            assert read_workload(put(tmp_path, mark + text)).form == form
