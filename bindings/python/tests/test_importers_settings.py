"""Every setting of a source becomes what its row says, and docs/importing.md
has each row."""

from pathlib import Path

import pytest

import sked
from sked.importers.configs import (armada, condor, flux, kai, koordinator,
                                    kueue, nomad, pbs, quotas, spark,
                                    volcano, yunikorn)
from sked.importers.configs.capacity import settings as capacity
from sked.importers.configs.fair import settings as fair
from sked.importers.configs.settings import Fate, pairs, table
from sked.importers.configs.slurm import settings as slurm
from sked.importers.model import quoted

from configurations import read_text, wrong

DOCS = Path(__file__).resolve().parents[3] / "docs" / "importing.md"
FORMS = {"capacity-scheduler": capacity.ROWS, "fair-scheduler": fair.ROWS,
         "yunikorn": yunikorn.ROWS, "slurm": slurm.CONF,
         "slurm-accounts": slurm.ACCOUNTS, "kueue": kueue.ROWS,
         "volcano": volcano.ROWS, "spark-pools": spark.ROWS,
         "kai": kai.ROWS, "koordinator": koordinator.ROWS,
         "condor-groups": condor.ROWS, "pbs": pbs.ROWS,
         "armada": armada.ROWS, "flux-accounting": flux.ROWS,
         "resource-quota": quotas.ROWS, "nomad-quotas": nomad.ROWS}


def property_of(name, value):
    return f"<property><name>{name}</name><value>{value}</value></property>"


def of_capacity(name, where, value):
    """A parent p with leaves a and b, beside a leaf q."""
    place = {"a parent": "root.p.", "the scheduler": ""}.get(
        where, "root.p.a.")
    prefix = "yarn.scheduler.capacity."
    said = {"root.queues": "p,q", "root.p.queues": "a,b",
            "root.p.capacity": "60", "root.q.capacity": "40",
            "root.p.a.capacity": "60", "root.p.b.capacity": "40"}
    props = {prefix + key: one for key, one in said.items()}
    if name == "capacity" and value:
        props[prefix + "root.p.b.capacity"] = "60"
    if where == "the monitor":
        prefix, place = ("yarn.resourcemanager.monitor.capacity."
                         "preemption."), ""
    if name:
        made = name.replace("<label>", "gpu").replace("<user>", "x")
        props[prefix + place + made] = value
    if name == "priority":
        props[prefix + "root.p.ordering-policy"] = "priority-utilization"
    return "<configuration>" + "".join(
        property_of(key, one) for key, one in props.items()) + \
        "</configuration>", "root.p" if where == "a parent" else "root.p.a"


def of_fair(name, where, value):
    one = f"<{name}>{value}</{name}>" if name else ""
    inner = one if where != "<allocations>" else ""
    return ("<allocations>" + (one if where == "<allocations>" else "") +
            '<queue name="p"><queue name="a">' + inner +
            '</queue></queue><queue name="b"/></allocations>'), "root.p.a"


def of_yunikorn(name, where, value):
    head, _, tail = name.partition(".")
    text = {"": "", "resources": f"resources: {{{tail}: {value}}}",
            "preemption": f"preemption: {{{tail}: {value}}}"}.get(
        head, f"{name}: {value}")
    if "." in name and head != "resources" and where != "a partition":
        text = f"properties: {{{name}: '{value}'}}"
    of_queue = text if where in ("a queue", "a leaf") else ""
    of_parent = text if where == "a parent" else ""
    of_whole = text if where == "a partition" else ""
    return f"""\
partitions:
  - name: default
    {of_whole}
    queues:
      - name: root
        queues:
          - name: p
            {of_parent}
            queues:
              - name: a
                {of_queue}
              - name: b
""", "root.p.a"


def of_slurm(name, where, value):
    own = f"{name}={value}" if name else ""
    here = own if where == slurm.PART else ""
    nodes = "" if name == "Nodes" else "Nodes=n1"
    return "\n".join([
        "ClusterName=x", own if where == slurm.WHOLE else "",
        "NodeName=n[1-2] CPUs=8 RealMemory=4096",
        f"PartitionName=a {nodes} {here}"]) + "\n", "root.a"


def of_accounts(name, where, value):
    own = f":{name}='{value}'" if name else ""
    if name.startswith("Grp") and "TRES" not in name or name == "Priority":
        own = f":{name}={value}"
    return ("Cluster - 'c'\nParent - 'root'\nAccount - 'p'" +
            (own if where == "an account" else "") +
            "\nParent - 'p'\nUser - 'a'" +
            (own if where != "an account" else "") + "\n"), "root.p.a"


def of_kueue(name, where, value):
    quota = "nominalQuota: 9"
    spec = ""
    if name in ("nominalQuota", "borrowingLimit", "lendingLimit"):
        quota = f"{name}: {value}" if name == "nominalQuota" else \
            f"{quota}, {name}: {value}"
    elif name:
        words = name.split(".")
        spec = "".join(f"{word}: {{" for word in words[:-1]) + \
            f"{words[-1]}: {value}" + "}" * (len(words) - 1)
    return f"""\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {{name: a}}
spec:
  cohort: p
  {spec}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: f
      resources: [{{name: cpu, {quota}}}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {{name: b}}
spec:
  cohort: p
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: f
      resources: [{{name: cpu, nominalQuota: 1}}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {{name: l, namespace: n}}
spec: {{clusterQueue: b}}
""", "root.p.a"


def of_volcano(name, where, value):
    head, _, tail = name.partition(".")
    status = f"status: {{{tail}: {value}}}" if head == "status" else ""
    spec = "" if not name or status else \
        f"{head}: {{{tail}: {value}}}" if tail else f"{name}: {value}"
    return f"""\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {{name: a}}
spec:
  {{{spec}}}
{status}
""", "root.a"


def of_spark(name, where, value):
    one = f"<{name}>{value}</{name}>" if name else ""
    return (f'<allocations><pool name="a">{one}</pool><pool name="b">'
            "<minShare>1</minShare></pool></allocations>"), "root.a"


def of_kai(name, where, value):
    """A queue that says the limits of cores and memory alone."""
    words = name.replace("<resource>", "gpu").split(".")
    gpu = f"gpu: {{{words[-1]}: {value}}}" if words[0] == "resources" else ""
    own = f"{name}: {value}" if name and not gpu else ""
    queue = """\
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: %s}
spec:
  parentQueue: %s
  %s
  resources: {cpu: {limit: -1}, memory: {limit: -1}, %s}
"""
    return queue % ("p", "''", "", "gpu: {limit: -1, overQuotaWeight: 1}") + \
        queue % ("a", "p", own, gpu), "root.p.a"


def of_koordinator(name, where, value):
    """A quota a beside a quota b with a weight of 3."""
    spec = f"{name}: {value}" if where == "a quota" else ""
    inner = f"\n    quota.scheduling.koordinator.sh/{name}: {value}"
    least = "" if name == "min" else "min: {cpu: 3}\n  "
    most = "" if name == "max" else "max: {cpu: 20}"
    return f"""\
kind: ElasticQuota
metadata:
  name: a
  labels:{inner if where == "a label" else " {}"}
  annotations:{inner if where == "an annotation" else " {}"}
spec:
  {least}{most}
  {spec}
---
kind: ElasticQuota
metadata: {{name: b}}
spec: {{max: {{cpu: 3}}}}
""", "root.a"


def of_condor(name, where, value):
    own = f"{name.replace('<group>', 'p.a')} = {value}\n" if name else ""
    return "GROUP_NAMES = p, p.a, p.b\nGROUP_QUOTA_p = 60\n" + own, \
        "root.p.a"


def of_pbs(name, where, value):
    made = name.replace("<resource>", "custom")
    kind = "" if name == "queue_type" else \
        "set queue a queue_type = Execution\n"
    thing = "server" if where == "the server" else "queue a"
    own = f"set {thing} {made} = {value}\n" if name else ""
    return f"create queue a\n{kind}{own}", "root.a"


def of_armada(name, where, value):
    own = f"{name}: {value}\n" if name else ""
    return ("apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: a\n"
            f"priorityFactor: 2\n{own}"), "root.a"


def of_flux(name, where, value):
    own = f"--{name}={value}" if name and name != "shares" else ""
    bank, user = (own, "") if where == "a bank" else ("", own)
    shares = value if name == "shares" else 1
    return (f"flux account add-bank root 1\nflux account add-bank p "
            f"{shares if where == 'a bank' else 1} --parent-bank=root {bank}\n"
            "flux account add-bank q 1 --parent-bank=root\n"
            "flux account add-user --username=a --bank=p --shares="
            f"{shares if where != 'a bank' else 1} {user}\n"), \
        "root.p" if where == "a bank" else "root.p.a"


def of_quota(name, where, value):
    made = name.replace("<resource>", "nvidia.com/gpu").replace(
        "count/<objects>", "count/jobs.batch").replace("<objects>", "services")
    head, _, tail = made.partition(".")
    hard = f"{tail}: {value}" if head == "hard" else ""
    own = f"{made}: {value}" if name and head != "hard" else ""
    return f"""\
apiVersion: v1
kind: ResourceQuota
metadata: {{name: q, namespace: a}}
spec:
  hard: {{{hard}}}
  {own}
""", "root.a"


def of_nomad(name, where, value):
    """Blocks are said as HCL has them: a name, and what stands behind it."""
    key = name.removeprefix("region_limit.")
    block = "{" in value
    own = f"{key} {value}" if block else f"{key} = {value}"
    inner = own if name.startswith("region_limit.") else ""
    outer = own if where == "a limit" else ""
    top = own if where == "a quota" else ""
    return f"""\
name = "a"
{top}
limit {{
  region = "global"
  {outer}
  region_limit {{
    {inner}
  }}
}}
""", "root.a"


MAKE = {"capacity-scheduler": of_capacity, "fair-scheduler": of_fair,
        "yunikorn": of_yunikorn, "slurm": of_slurm,
        "slurm-accounts": of_accounts, "kueue": of_kueue,
        "volcano": of_volcano, "spark-pools": of_spark, "kai": of_kai,
        "koordinator": of_koordinator, "condor-groups": of_condor,
        "pbs": of_pbs, "armada": of_armada, "flux-accounting": of_flux,
        "resource-quota": of_quota, "nomad-quotas": of_nomad}
SAID = [pytest.param(form, row, id=f"{form}-{row.where}-{row.name}")
        for form, rows in FORMS.items() for row in rows if row.sample]
FILLED = [pytest.param(form, row, id=f"{form}-{row.where}-{row.name}")
          for form, rows in FORMS.items() for row in rows if row.fills]


def made(tmp_path, form, name="", where="", value=""):
    """A file of a form that says one thing more, as it is read."""
    if form in ("yunikorn", "kueue", "volcano", "kai", "koordinator",
                "armada", "resource-quota"):
        pytest.importorskip("yaml", reason="needs PyYAML")
    text, path = MAKE[form](name, where, value)
    config = read_text(tmp_path, text, form)
    return config, next(q for q in config.queues if ".".join(q.path) == path)


@pytest.mark.parametrize("form, row", SAID)
def test_a_setting_becomes_what_its_row_says(tmp_path, form, row):
    plain, before = made(tmp_path, form)
    config, queue = made(tmp_path, form, row.name, row.where, row.sample)
    assert wrong(config) == [] and wrong(plain) == []
    for key, value in pairs(row.gives):
        if row.where == "a parent":
            queue = next(q for q in config.queues if q.path == queue.path)
        assert queue.settings.get(key) == value, config.text()
    lost = [one for one in config.lost() if one not in plain.lost()]
    if row.fate is Fate.LOST:
        name = row.name.partition(".<")[0].partition("<")[0].rstrip(".")
        assert lost and all(name.lower() in one.lower() for one in lost)
    elif row.fate is Fate.UNUSED:
        assert lost == []
    else:
        assert lost == []
        assert row.key or row.note
        if row.gives:
            assert queue.settings != before.settings or config.findings != \
                plain.findings


@pytest.mark.parametrize("form, row", FILLED)
def test_a_default_is_filled_in_and_noted_once(tmp_path, form, row):
    config, _ = made(tmp_path, form)
    assert wrong(config) == []
    assert any(all(q.settings.get(key) == value for key, value in
                   pairs(row.fills)) for q in config.queues)
    noted = [f for f in config.findings if f.where == row.name and
             "is not said" in f.text]
    assert 0 < len(noted) <= sum(
        1 for other in FORMS[form] if other.name == row.name and
        other.fills)
    assert {f.severity for f in noted} == {sked.Severity.NOTE}
    if not row.name.startswith("("):
        assert any(row.default in f.text for f in noted)


def test_rows_are_whole():
    for form, rows in FORMS.items():
        assert len({(row.name, row.where) for row in rows}) == len(rows), form
        for row in rows:
            assert row.default or row.fate is not Fate.MAPPED or \
                row.name in ("flavors",), row.name
            assert (row.fate is Fate.NOTED) <= bool(
                row.note or row.fills), row.name
            assert (row.fate is Fate.MAPPED) <= bool(row.key), row.name
            for key, value in pairs(row.fills):
                assert f"{key}={quoted(value)}" in row.fills


@pytest.mark.parametrize("form", FORMS)
def test_the_tables_are_in_the_documents(form):
    if not DOCS.exists():
        pytest.skip("documents are not beside the package")
    assert table(FORMS[form]) in DOCS.read_text()
