"""Configurations in YAML, and the commands."""

import base64
import gzip
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import sked
from sked.importers import Fidelity, ImportFailed, read_config, write_config
from sked.importers.configs.kube import BadQuantity, quantity

from configurations import (BUNDLED, errors, queue, read_text, real,
                            told)


@pytest.fixture
def yaml():
    return pytest.importorskip("yaml", reason="needs PyYAML")


def settings(config, path):
    return queue(config, path).settings


# ---- the forms, each a file of our own ----

KUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: spot}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: blue}
spec:
  cohort: team
  fairSharing: {weight: 1500m}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: spot
      resources:
      - {name: cpu, nominalQuota: 4, borrowingLimit: 2, lendingLimit: 500m}
      - {name: memory, nominalQuota: 8Gi}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: red}
spec:
  cohort: team
  stopPolicy: Hold
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: spot
      resources:
      - {name: cpu, nominalQuota: 6}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: alone}
spec:
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors:
    - name: spot
      resources: [{name: nvidia.com/gpu, nominalQuota: 2}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: mine, namespace: ns}
spec: {clusterQueue: blue}
"""


def test_kueue_quotas_are_guarantees(yaml, tmp_path):
    config = read_text(tmp_path, KUEUE)
    assert config.form == "kueue" and errors(config) == []
    assert settings(config, "root.team") == {
        "order": "drf", "guarantee": "cpu=10,memory=8GiB",
        "limit": "cpu=10,memory=8GiB"}
    assert settings(config, "root.team.blue") == {
        "weight": "3", "label": "spot", "guarantee": "cpu=4,memory=8GiB",
        "borrow": "cpu=2", "lend": "cpu=0.5", "order": "drf",
        "limit": "gpu=0"}
    assert settings(config, "root.team.red")["state"] == "draining"
    assert settings(config, "root.team.red")["weight"] == "2"
    assert settings(config, "root.alone")["limit"] == \
        "cpu=0,memory=0,gpu=2"
    assert queue(config, "root.team.blue.ns/mine").spelled["kind"] == \
        "LocalQueue"
    assert settings(config, "root.team.blue.ns/mine")["apps"] == "priority"
    assert config.fidelity["limit"] is Fidelity.DERIVED


@pytest.mark.parametrize("limits, borrow, lend", [
    (("", ""), None, None), ((", borrowingLimit: 5", ""), None, None),
    ((", borrowingLimit: 5", ", borrowingLimit: 2"), "cpu=7", None),
    ((", lendingLimit: 3", ""), None, "cpu=23"),
    ((", lendingLimit: 3", ", lendingLimit: 0"), None, "cpu=3")])
def test_limits_of_some_flavors_alone(yaml, tmp_path, limits, borrow, lend):
    """A flavor that says nothing borrows without bound and lends all."""
    rows = "".join(f"""\
    - name: f{i}
      resources: [{{name: cpu, nominalQuota: {quota}{said}}}]
""" for i, (quota, said) in enumerate(zip((10, 20), limits)))
    config = read_text(tmp_path, "apiVersion: kueue.x-k8s.io/v1beta1\n"
                       "kind: ClusterQueue\nmetadata: {name: q}\nspec:\n"
                       "  cohort: c\n  resourceGroups:\n"
                       "  - coveredResources: [cpu]\n    flavors:\n" + rows)
    assert errors(config) == []
    said = settings(config, "root.c.q")
    assert (said["guarantee"], said.get("borrow"), said.get("lend")) == (
        "cpu=30", borrow, lend)


@pytest.mark.parametrize("old, new, line", [
    ("nominalQuota: 4,", "nominalQuota: four,", 16),
    ("nominalQuota: 4,", "nominalQuota: -4,", 16),
    ("clusterQueue: blue", "clusterQueue: green", 45),
    ("metadata: {name: red}", "metadata: {name: blue}", 19),
    ("stopPolicy: Hold", "stopPolicy: Sleep", 24),
    ("[cpu, memory]", "[cpu]", 14)])
def test_what_is_wrong_in_kueue_has_its_line(yaml, tmp_path, old, new, line):
    config = read_text(tmp_path, KUEUE.replace(old, new))
    assert line in errors(config)


def test_a_local_queue_of_kueue_may_be_held(yaml, tmp_path):
    config = read_text(tmp_path, KUEUE + """\
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: held, namespace: n}
spec:
  clusterQueue: blue
  stopPolicy: Hold
  fairSharing: {weight: 2}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: odd, namespace: n}
spec: {clusterQueue: blue, stopPolicy: Perhaps}
""")
    held = next(q for q in config.queues if q.path[-1] == "n/held")
    assert held.settings["state"] == "draining"
    assert held.extra == {} and held.spelled == {"kind": "LocalQueue"}
    assert held.settings["weight"] == "2"
    assert "none of Hold" in [f.text for f in config.findings
                              if "Perhaps" in f.text][0]


def test_volcano_trees_come_by_parent_and_by_annotation(yaml, tmp_path):
    head = "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"
    config = read_text(
        tmp_path, head + "metadata: {name: b}\nspec: {parent: a, weight: 2, "
        "reclaimable: false}\n" + head + "metadata: {name: a}\nspec:\n  "
        "deserved: {cpu: 4}\n  guarantee: {resource: {cpu: 1}}\n" + head +
        "metadata:\n  name: eng-dev\n  annotations:\n    "
        "volcano.sh/hierarchy: root/eng/dev\n    "
        "volcano.sh/hierarchy-weights: 1/2/8\n")
    assert errors(config) == []
    assert settings(config, "root.a.b") == {
        "weight": "2", "preempt_from": "no", "apps": "fair"}
    assert settings(config, "root") == {"order": "utilisation"}
    assert settings(config, "root.eng")["order"] == "drf"
    assert settings(config, "root.a")["guarantee"] == "cpu=4"
    assert settings(config, "root.a")["lend"] == "cpu=3"
    assert settings(config, "root.eng")["weight"] == "2"
    assert settings(config, "root.eng.dev")["weight"] == "8"


def test_yunikorn_is_read_inside_a_config_map(yaml, tmp_path):
    text = """\
kind: ConfigMap
data:
  queues.yaml: |
    partitions:
      - name: default
        queues:
        - name: root
          queues:
          - name: a
            maxapplications: 7
            resources:
              guaranteed: {memory: 1G, vcore: 500m}
              max: {memory: 4Gi}
            properties:
              preemption.delay: 1m30s
              preemption.policy: disabled
              priority.offset: "-5"
          - name: b
            resources: {max: {memory: much}}
            properties: {preemption.delay: soon}
"""
    config = read_text(tmp_path, text)
    assert config.form == "yunikorn"
    assert settings(config, "root.a") == {
        "guarantee": "cpu=0.5,memory=1GB", "limit": "memory=4GiB",
        "preempt_min_timeout": "90s", "preempt_from": "no",
        "priority": "-5", "max_running": "7", "apps": "priority"}
    assert settings(config, "root") == {"order": "priority"}
    assert errors(config) == [19, 20]


@pytest.mark.parametrize("said, known", [
    ("1h0m0s", "3600s"), ("1.5h", "5400s"), ("90s500ms", "90500ms"),
    ("2m1h", "3720s"), ("250us", "250us"), (".5s", "500ms"), ("0s", None),
    ("1", None), ("-1s", None), ("1s 2s", None), ("", None), ("1d", None)])
def test_times_of_yunikorn_are_those_of_go(yaml, tmp_path, said, known):
    config = read_text(tmp_path, f"""\
partitions:
  - name: default
    queues:
      - name: root
        properties: {{preemption.delay: "{said}"}}
""")
    assert errors(config) == ([] if known else [5])
    assert settings(config, "root").get("preempt_min_timeout") == known


@pytest.mark.parametrize("said, known", [
    ("{memory: 10 Gi}", "memory=10GiB"), ("{vcore: 1500 m}", "cpu=1.5"),
    ("{memory: 500m}", None), ("{vcore: 1.5}", None), ("{memory: 1e3}", None),
    ("{memory: 4K}", None), ("{memory: -1}", None)])
def test_amounts_of_yunikorn_are_whole(yaml, tmp_path, said, known):
    config = read_text(tmp_path, f"""\
partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: a
            resources: {{guaranteed: {said}}}
""")
    assert errors(config) == ([] if known else [7])
    assert settings(config, "root.a").get("guarantee") == known


@pytest.mark.parametrize("text, form", [
    ('{"partitions": [{"queues": [{"name": "root"}]}]}', "yunikorn"),
    ("# Advance reservation: ask us.\nClusterName=x\n", "slurm"),
    ("- {name: a, resources: [{kind: cpu, reservation: 1}]}\n", "peloton"),
    ('[{"name": "a", "resources": [{"kind": "cpu", "reservation": 1}]}]',
     "peloton")])
def test_forms_are_told_by_what_stands_in_no_comment(yaml, tmp_path, text,
                                                     form):
    assert read_text(tmp_path, text).form == form


QUEUES = """\
partitions:
  - name: default
    queues:
      - name: a
        resources: {guaranteed: {vcore: 10}}
      - name: b
        resources: {guaranteed: {vcore: ten}}
"""


def packed(text):
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


@pytest.mark.parametrize("text, line, lost", [
    ("kind: Application\nspec:\n  helm:\n    values: |\n      image: x\n"
     "      yunikornDefaults:\n        queues.yaml: |\n" +
     textwrap.indent(QUEUES, " " * 10), 14, []),
    ("items:\n- kind: ConfigMap\n  data:\n    queues.yaml: |\n" +
     textwrap.indent(QUEUES, " " * 6), 11, []),
    ("kind: ConfigMap\nbinaryData:\n  queues.yaml.gz: " + packed(QUEUES) +
     "\n", 3, []),
    ("Queues\n\n```yaml\nkind: Pod\n```\n\n~~~\n" + QUEUES + "~~~\n\n"
     "```\npartitions: []\n```\n", 14, [18])],
    ids=["argo", "list", "packed", "markdown"])
def test_queues_of_yunikorn_stand_inside_other_files(yaml, tmp_path, text,
                                                     line, lost):
    config = read_text(tmp_path, text, name="some.yaml")
    assert config.form == "yunikorn"
    assert [".".join(q.path) for q in config.queues] == [
        "root", "root.a", "root.b"]
    assert queue(config, "root.a").settings["guarantee"] == "cpu=10"
    assert errors(config) == [line]
    assert [f.line for f in config.findings
            if "one more" in f.text] == lost


@pytest.mark.parametrize("value", ["H4sIAAAA", packed(QUEUES)[:40],
                                   packed("\0: [")],
                         ids=["head", "part", "no YAML"])
def test_a_packed_file_that_is_broken_is_named(yaml, tmp_path, value):
    with pytest.raises(ImportFailed, match="no partition"):
        read_text(tmp_path, "kind: ConfigMap\nbinaryData:\n"
                  f"  queues.yaml.gz: {value}\n", name="some.yaml")
    config = read_text(tmp_path, "kind: ConfigMap\nbinaryData:\n"
                       f"  queues.yaml.gz: {value}\ndata:\n"
                       "  queues.yaml: |\n" +
                       textwrap.indent(QUEUES.replace("ten", "1"), "    "),
                       name="some.yaml")
    assert errors(config) == [3]


def test_yunikorn_has_a_root_whether_it_is_said_or_not(yaml, tmp_path):
    config = read_text(tmp_path, """\
partitions:
  - name: default
    queues:
      - name: a
        resources: {max: {vcore: 4}}
      - name: root
        queues: [{name: b}]
""")
    assert errors(config) == []
    assert [".".join(q.path) for q in config.queues] == [
        "root", "root.a", "root.root", "root.root.b"]
    config = read_text(tmp_path, """\
partitions:
  - name: default
    queues:
      - name: Root
        resources: {max: {vcore: 4}}
  - name: other
""")
    assert errors(config) == [5, 6]


def test_peloton_pools_have_three_numbers(yaml, tmp_path):
    text = """\
name: child
parent: {value: top}
resources:
- {kind: cpu, reservation: 5, limit: 10, share: 2}
- {kind: memory, reservation: 1000, limit: 2000, share: 2}
policy: 1
controllerLimit: {maxPercent: 10}
---
name: top
parent: {value: root}
resources:
- {kind: cpu, reservation: 50, limit: many, share: 1}
- {kind: tea, reservation: 50, limit: 5, share: 1}
"""
    config = read_text(tmp_path, text)
    assert config.form == "peloton"
    assert sorted(set(errors(config))) == [12, 13]
    assert settings(config, "root.top.child") == {
        "weight": "2", "guarantee": "cpu=5,memory=1000MiB",
        "limit": "cpu=10,memory=2000MiB", "apps": "priority",
        "am_share": "10%"}


def test_quantities_are_exact():
    assert [quantity(q) for q in ("1500m", "2Ki", "1e3", "0.5")] == [
        1.5, 2048, 1000, 0.5]
    for text in ("", "x", "1X", "--1", "1e", "9" * 70):
        with pytest.raises(BadQuantity):
            quantity(text)


# ---- real ones ----

@pytest.mark.parametrize("name, form, queues, wrong", [
    ("kueue/maci0-gke-reserved-ondemand-dws.yaml", "kueue", 9, []),
    ("kueue/nerc-edu-clusterqueues.yaml", "kueue", 4, []),
    ("kueue/nerc-edu-flavors.yaml", "kueue", 1, []),
    ("kueue/nightly-eval-gb200.yaml", "kueue", 2, []),
    ("kueue/mlbatch-kubecon-cohort.md", "kueue", 7, []),
    ("volcano/sandyx288-deserved.yaml", "volcano", 4, []),
    ("volcano/volcano-hdrf-hierarchy.yaml", "volcano", 7, []),
    ("volcano/volcano-benchmark-gang.yaml", "volcano", 2, []),
    ("yunikorn/awslabs-data-on-eks-values.yaml", "yunikorn", 13, []),
    ("yunikorn/chia7712-user-limits.yaml", "yunikorn", 3, []),
    ("yunikorn/goughes-tenants-backfill.yaml", "yunikorn", 6, []),
    ("yunikorn/k8shim-preemption-fence.yaml", "yunikorn", 8, []),
    ("peloton/default_respool.yaml", "peloton", 2, []),
    ("peloton/test_respool.yaml", "peloton", 2, []),
    ("peloton/test_respool_controller_limit.yaml", "peloton", 2, [])])
def test_real_files_in_yaml_are_read(yaml, name, form, queues, wrong):
    config = read_config(real(name))
    assert (config.form, len(config.queues)) == (form, queues)
    assert errors(config) == wrong
    config.tree(capacity=None)


def test_lines_of_windows_and_its_mark_change_nothing(yaml, tmp_path):
    page = f"# Queues\n\n```yaml\n{KUEUE}```\n"
    plain = read_text(tmp_path, page)
    assert read_text(tmp_path, page.replace("\n", "\r\n")).queues == plain.queues
    text = ("<%# ours -%>\n<?xml version=\"1.0\"?>\n<allocations>"
            "<queue name=\"a\"/></allocations>\n")
    plain = read_text(tmp_path, text)
    assert len(plain.queues) == 3
    assert read_text(tmp_path, "\ufeff" + text).queues == plain.queues


# ---- YAML without PyYAML ----

def test_without_pyyaml_one_message_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportFailed, match=r"pip install 'libsked\[yaml\]'"):
        read_text(tmp_path, KUEUE)
    text = ('[{"name": "a", "resources": [{"kind": "cpu", "reservation": 1, '
            '"limit": 2, "share": 3}]}]')
    assert settings(read_text(tmp_path, text), "root.a")["limit"] == "cpu=2"


# ---- commands ----

def command(*words, stdin=None):
    done = subprocess.run([sys.executable, "-m", "sked", *map(str, words)],
                          capture_output=True, text=True, input=stdin)
    return done.returncode, done.stdout, done.stderr


def test_validate_lists_faults_of_any_form():
    status, out, _ = command("validate", BUNDLED / "fair-wrong.xml")
    assert status == 1
    assert f"{BUNDLED / 'fair-wrong.xml'}:5: error: root.a: weight" in out
    status, out, _ = command("validate", BUNDLED / "capacity.xml",
                             BUNDLED / "fair.xml")
    assert status == 0 and "capacity.xml" in out
    assert command("validate", "--strict", BUNDLED / "pools.xml")[0] == 1
    status, out, _ = command("validate", "--strict", "--form", "text", "-",
                             stdin="kinds cpu=m\nroot\nroot.a\n"
                                   "root.a.b guarantee=cpu=1\n")
    assert status == 0 and "note: guarantees of cpu below" in out
    status, out, err = command("validate", "--form", "fair-scheduler", "-",
                               stdin="<!DOCTYPE x><a/>")
    assert (status, out) == (2, "") and err.count("\n") == 1


@pytest.mark.parametrize("name, text", [
    ("queues.yaml", "apiVersion: queues.example.org/v2\nkind: Queue\n"
     "metadata: {name: a}\nspec: {resources: {gpu: {quota: 1}}}\n"),
    ("maui.cfg", "SERVERHOST a\nRMCFG[a] TYPE=PBS\nQUEUETIMEWEIGHT 1\n"),
    ("README.md", "Queues\n\nThis page says which queues there are.\nAnd "
     "more of it.\n")])
def test_validate_says_which_forms_it_knows(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    status, out, err = command("validate", path)
    assert (status, out) == (2, "") and err.count("\n") == 1
    for form in ("capacity-scheduler", "kueue", "spark-pools", "text"):
        assert form in err


def test_pools_of_spark_are_no_queues_of_yarn(tmp_path):
    """The example of Spark's documents."""
    text = """<?xml version="1.0"?>
<allocations>
  <pool name="production">
    <schedulingMode>FAIR</schedulingMode>
    <weight>1</weight>
    <minShare>2</minShare>
  </pool>
  <pool name="test">
    <schedulingMode>FIFO</schedulingMode>
    <weight>2</weight>
    <minShare>3</minShare>
  </pool>
</allocations>
"""
    config = read_text(tmp_path, text)
    assert config.form == "spark-pools" and told(config) == []
    assert config.text() == (
        "kinds cpu=m\nroot order=fair fair_kind=cpu\n"
        "root.production apps=fair guarantee=cpu=2\n"
        "root.test weight=2 apps=fifo guarantee=cpu=3\n"
        "root.default apps=fifo\n")
    text = text.replace("<minShare>2<", "<minShare>many<").replace(
        "FIFO", "NONE").replace("<weight>2</weight>", "<maxShare>2</maxShare>")
    config = read_text(tmp_path, text)
    assert [f.line for f in told(config)] == [6, 9, 10]
    assert config.lost() == ["root.test: maxShare"]


def test_convert_lists_what_is_really_lost(yaml, tmp_path):
    path = tmp_path / "queues.yaml"
    path.write_text(KUEUE)
    status, out, err = command("convert", path, "-", "--to", "text")
    assert status == 0 and "state=draining" in out
    assert "lost:" not in err
    path.write_text(KUEUE.replace("  stopPolicy: Hold", "  namespaceSelector: "
                                  "{}\n  preemption: {withinClusterQueue: "
                                  "LowerPriority}"))
    status, out, err = command("convert", path, "-", "--to", "text")
    assert [line.rpartition("lost: ")[2] for line in err.splitlines()
            if "lost:" in line] == [
        "root.team.red: preemption.withinClusterQueue"]


def test_convert_goes_between_forms_and_says_what_is_lost(tmp_path):
    status, out, err = command("convert", BUNDLED / "fair.xml", "-", "--to",
                               "text")
    assert status == 0 and "root.prod.etl weight=5" in out
    assert "lost: root.prod.etl: maxContainerAllocation" in err
    target = tmp_path / "capacity-scheduler.xml"
    assert command("convert", BUNDLED / "fair.xml", target)[0] == 0
    assert read_config(target).form == "capacity-scheduler"
    assert errors(read_config(target)) == []


def test_convert_leaves_the_old_file_when_it_fails(tmp_path):
    target = tmp_path / "x.txt"
    target.write_text("old")
    status, _, err = command("convert", tmp_path / "missing", target)
    assert (status, target.read_text()) == (2, "old")
    assert err.count("\n") == 1
    assert command("convert", BUNDLED / "fair.xml", tmp_path / "y.z")[0] == 2
    assert command("convert", BUNDLED / "fair-wrong.xml", target)[0] == 1


def test_convert_writes_workloads_as_csv(tmp_path):
    source = tmp_path / "some.swf"
    source.write_text("; MaxProcs: 4\n1 0 5 60 2 -1 -1 2 60 -1 1 1 1 1 1 -1 "
                      "-1 -1\n")
    status, out, err = command("convert", source, tmp_path / "out.csv")
    assert status == 0 and "1 jobs" in err
    assert (tmp_path / "out.csv").read_text().startswith("submit_s,")
    assert command("convert", source, tmp_path / "out.csv.gz")[0] == 0
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()) == (
        tmp_path / "out.csv").read_bytes()
    status, _, err = command("convert", source, tmp_path / "out.txt")
    assert status == 2 and "is a workload" in err


def test_everything_reads_what_it_wrote_as_text(tmp_path):
    for name in ("fair.xml", "capacity.xml", "pools.xml"):
        config = read_config(BUNDLED / name)
        write_config(config, tmp_path / "tree.txt", "text")
        again = read_config(tmp_path / "tree.txt")
        assert [q.path for q in again.queues] == [q.path for q in
                                                  config.queues]
        assert sked.Tree.from_text(again.text()).text == \
            sked.Tree.from_text(config.text()).text


# ---- several files ----

def parts_of(tmp_path, text, glue, names="part{}.yaml"):
    """The documents of a text as files of their own; and the line, in the text,
    before each."""
    paths, lines, at = [], [], 0
    for i, part in enumerate(text.split(glue)):
        paths.append(tmp_path / names.format(i))
        paths[-1].write_text(part)
        lines.append(at)
        at += part.count("\n") + glue.count("\n")
    return paths, lines


def test_several_files_are_one_configuration(yaml, tmp_path):
    """Queues, findings and losses are those of one file that has all."""
    for old, new in (("", ""), ("nominalQuota: 4,", "nominalQuota: four,"),
                     ("clusterQueue: blue", "clusterQueue: green"),
                     ("metadata: {name: red}", "metadata: {name: blue}")):
        text = KUEUE.replace(old, new)
        alone = read_text(tmp_path, text)
        paths, lines = parts_of(tmp_path, text, "---\n")
        config = read_config(paths)
        assert [(q.path, q.settings, q.extra) for q in config.queues] == [
            (q.path, q.settings, q.extra) for q in alone.queues]
        assert config.lost() == alone.lost()
        assert sorted((f.line + lines[paths.index(Path(f.file))], f.where,
                       f.text.partition(" on line ")[0])
                      for f in config.findings) == sorted(
            (f.line, f.where, f.text.partition(" on line ")[0])
            for f in alone.findings)
    again, = [f for f in config.findings if "already" in f.text]
    assert again.text == f"the queue is on line 1 of {paths[1]} already"
    assert errors(read_config(paths[-1])) != []  # a local queue alone


def test_files_of_lines_may_be_several_too(tmp_path):
    nodes, conf = tmp_path / "nodes.conf", tmp_path / "slurm.conf"
    nodes.write_text("NodeName=n[1-2] CPUs=8 RealMemory=1000\n")
    conf.write_text("ClusterName=c\nInclude nodes.conf\n"
                    "PartitionName=p Nodes=ALL Default=YES\n")
    assert any("not read" in f.text for f in read_config(conf).findings)
    config = read_config([conf, nodes])
    assert not any("not read" in f.text for f in config.findings)
    assert queue(config, "root.p").settings["limit"].startswith("cpu=16")
    nodes.write_text("NodeName=n[1-2 CPUs=8\n")
    bad, = [f for f in read_config([conf, nodes]).findings
            if f.severity > sked.Severity.WARNING]
    assert (bad.file, bad.line) == (str(nodes), 1)


def test_what_is_one_file_is_not_several(tmp_path):
    one = tmp_path / "fair-scheduler.xml"
    one.write_text("<allocations/>")
    with pytest.raises(ValueError, match="fair-scheduler is one file"):
        read_config([one, one])
    with pytest.raises(ValueError, match="no file"):
        read_config([])
    empty = tmp_path / "empty"
    empty.write_text("")
    with pytest.raises(ImportFailed, match="no form"):
        read_config([empty, empty])


def test_commands_take_several_files(yaml, tmp_path, capsys):
    from sked.commands import convert, validate
    paths, _ = parts_of(tmp_path, KUEUE, "---\n")
    out = tmp_path / "tree.txt"
    assert convert.run([*map(str, paths), str(out)]) == 0
    assert "root.team.blue.ns/mine" in out.read_text()
    capsys.readouterr()
    assert validate.run(["--together", *map(str, paths)]) == 0
    assert validate.run(list(map(str, paths))) == 1
    assert "not in the file" in capsys.readouterr().out
    assert convert.run([str(paths[0]), str(paths[1]), str(out), "--to",
                        "csv"]) == 2
    assert "one file" in capsys.readouterr().err
