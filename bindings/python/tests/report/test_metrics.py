"""The facts as metrics of Prometheus and of OpenMetrics."""

import re

import pytest

pytest.importorskip("matplotlib", reason="libsked[plot] is missing")
pytest.importorskip("jinja2", reason="libsked[report] is missing")

from sked import reporting  # noqa: E402
from sked.commands import main  # noqa: E402
from sked.reporting import metrics  # noqa: E402

HEAD = ("submit_s,start_s,end_s,user,queue,tasks,cpu,job_id,state,slo_s,"
        "workflow")
SAMPLE = re.compile(
    r'(sked_[a-z0-9_]+)(\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)*\})? (\S+)')


@pytest.fixture
def path(tmp_path):
    """Two queues, one with a quote and a backslash in its name."""
    rows = [(1_500_000_000 + i * 1000, 1_500_000_000 + i * 1000 + 700 * (i % 2),
             1_500_000_000 + i * 1000 + 900, "u", '"a""b\\c"' if i % 3 else "q",
             1, 2, i, "failed" if i % 2 else "completed", 800, "w")
            for i in range(12)]
    made = tmp_path / "w.csv"
    made.write_text("\n".join([HEAD, *(",".join(map(str, row)) for row in
                                       rows)]) + "\n")
    return str(made)


def read(text):
    """Values by name and labels; every line that is no comment is a sample."""
    made = {}
    for line in text.splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP|TYPE|UNIT) sked_\w+ .+|# EOF", line)
            continue
        found = SAMPLE.fullmatch(line)
        assert found, line
        key = found[1] + (found[2] or "")
        assert key not in made
        made[key] = float(found[3])
    return made


def test_metrics_are_the_facts(path):
    facts = reporting.gather(reporting.Wanted(path, sweep=(1,)))
    said, made = reporting.data(facts), read(metrics.text(facts))
    assert made["sked_report_jobs"] == 12
    assert made["sked_report_begin_seconds"] == 1_500_000_000
    assert made["sked_target_seconds"] == 600
    for queue, label in (("root.q", "root.q"),
                         (r'root.a\"b\\c', r'root.a\\\"b\\\\c')):
        row = said["waits"][queue]
        assert made[f'sked_queue_jobs{{queue="{label}"}}'] == row["jobs"]
        assert made[f'sked_queue_late_jobs{{queue="{label}",source="recorded"'
                    "}"] == row["recorded"]["late"] > 0
        assert made[f'sked_queue_wait_seconds{{queue="{label}",source='
                    '"recorded",part="0.95"}'] == 700
        hours = said["delivered"][queue]["ended"]["failed"]["hours"]["cpu"]
        assert made[f'sked_queue_outcome_hours{{queue="{label}",outcome='
                    '"failed",kind="core"}'] == hours > 0
    assert made['sked_workflows{tier="1"}'] == 2
    assert made['sked_queue_need{queue="root.q",kind="cpu",part="1"}'] == 2


def test_the_forms_differ_in_units_and_end(path, tmp_path):
    prom, om = tmp_path / "a.prom", tmp_path / "a.txt"
    for out in (prom, om):
        assert main(["report", path, "--sweep", "1", "--metrics", str(out),
                     "--quiet"]) == 0
    assert "# EOF" not in prom.read_text() and "# UNIT" not in prom.read_text()
    text = om.read_text()
    assert text.endswith("\n# EOF\n")
    assert "# UNIT sked_target_seconds seconds\n" in text
    assert read(text) == read(prom.read_text())
    # every sample follows the type of its metric, which is told once
    types = re.findall(r"# TYPE (\S+) gauge", text)
    assert len(types) == len(set(types))
    assert {key.partition("{")[0] for key in read(text)} == set(types)


def test_others_read_it(path):
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    facts = reporting.gather(reporting.Wanted(path, sweep=(1,)))
    found = {m.name: m for m in parser.text_string_to_metric_families(
        metrics.text(facts, True))}
    samples = found["sked_queue_jobs"].samples
    assert {s.labels["queue"] for s in samples} == {"root.q", r'root.a\"b\\c'}


def test_time_units_have_metrics_of_their_plan(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text("key,length_s,amount\na,60,3\na,30,5\n")
    facts = reporting.gather(reporting.Wanted(str(path)))
    made = read(metrics.text(facts))
    assert made['sked_queue_need{queue="root.a",kind="gpu",part="0.5"}'] == 3
    assert not any(key.startswith("sked_queue_wait") for key in made)
