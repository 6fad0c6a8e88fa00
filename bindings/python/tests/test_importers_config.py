"""Readers and writers of other schedulers' configurations."""

import io
import json
import sys
from pathlib import Path

import pytest

import sked
from sked.importers import (Configuration, Fidelity, ImportFailed, read_config,
                            write_config)
from sked.importers.configs.fair import BadResource, resource

from configurations import (BUNDLED, content, errors, fair, queue, read_text,
                            real, told)


# ---- fair-scheduler.xml ----

def test_a_fair_file_becomes_a_tree():
    config = read_config(BUNDLED / "fair.xml")
    assert config.form == "fair-scheduler"
    assert config.kinds == "cpu=m memory=B gpu=1"
    assert not errors(config)
    etl = queue(config, "root.prod.etl")
    assert etl.settings == {
        "weight": "5", "apps": "fifo", "guarantee": "cpu=8,memory=16GiB",
        "limit": "cpu=40,memory=80GiB,gpu=2", "max_running": "20",
        "preempt_min_timeout": "30s", "am_share": "20%"}
    assert queue(config, "root.prod").settings["preempt_from"] == "no"
    assert queue(config, "root.adhoc").settings["limit"] == "50%"
    assert queue(config, "root.adhoc").settings["am_share"] == "40%"
    assert config.fidelity["weight"] is Fidelity.DERIVED
    tree = config.tree(capacity="cpu=100,memory=200GiB,gpu=8")
    assert tree["root.prod.etl"].get("weight") == 5


def test_a_fair_file_is_written_back_as_it_was(tmp_path):
    config = read_config(BUNDLED / "fair.xml")
    lost = write_config(config, tmp_path / "again.xml", "fair-scheduler")
    assert lost == []
    again = read_config(tmp_path / "again.xml")
    assert content(again) == content(config)
    assert "<maxContainerAllocation>" in (tmp_path / "again.xml").read_text()


def test_each_fault_of_a_fair_file_has_its_line():
    config = read_config(BUNDLED / "fair-wrong.xml")
    text = (BUNDLED / "fair-wrong.xml").read_text().splitlines()
    marked = [n for n, line in enumerate(text, 1) if "wrong" in line]
    odd = [n for n, line in enumerate(text, 1) if "odd" in line]
    assert sorted(set(errors(config))) == marked
    assert sorted({f.line for f in config.findings
                   if f.severity == sked.Severity.WARNING}) == odd


@pytest.mark.parametrize("said, amounts", [
    ("1024 mb, 2 vcores", {"memory": 1 << 30, "cpu": 2000}),
    ("2vcores,1024mb", {"memory": 1 << 30, "cpu": 2000}),
    ("1024.7 MB 2.9 vCores", {"memory": 1 << 30, "cpu": 2000}),
    ("memory-mb=1, yarn.io/gpu=3", {"memory": 1 << 20, "gpu": 3})])
def test_resources_have_several_spellings(said, amounts):
    assert resource(said).amounts == amounts


@pytest.mark.parametrize("said", [
    "", "wwj", "987", "-1 mb, 2 vcores", "1 mb", "1 2 mb, 3 vcores",
    "50%, 20% memory", "50% memory", "memory-mb=x", "memory-mb=1,memory-mb=2",
    "memory-mb=50%,vcores=1", "vcores=-1", "=", "a=1\0"])
def test_what_is_no_resource_is_refused(said):
    with pytest.raises(BadResource):
        resource(said)


def test_resources_are_read_as_yarn_reads_them(vectors):
    cases = json.loads((Path(vectors) / "yarn.json").read_text())["cases"]
    ran = 0
    for case in cases:
        if case["kind"] != "fs_parse_resource":
            continue
        ran += 1
        expect = case["expect"]
        if isinstance(expect, dict):
            with pytest.raises(BadResource):
                resource(case["input"]["text"])
            continue
        said = resource(case["input"]["text"])
        cluster = case["input"]["cluster"]
        names = {"memory": "memory", "vcores": "cpu"}
        scales = {"memory": 1 << 20, "cpu": 1000}
        for i, kind in enumerate(case["input"]["types"]):
            ours = names.get(kind, kind)
            part = said.parts.get(ours, said.every)
            if ours in said.amounts:
                assert said.amounts[ours] // scales.get(ours, 1) == expect[i]
            elif part is not None:
                assert int(part * cluster[i]) == expect[i], case["id"]
            elif said.parts:
                assert expect[i] == cluster[i]
            else:
                assert expect[i] in (0, (1 << 63) - 1)
    assert ran > 25


def test_weights_keep_their_proportion(tmp_path):
    config = fair(tmp_path, '<queue name="a"><weight>0.25</weight></queue>'
                  '<queue name="b"/><queue name="c"><weight>2</weight></queue>')
    assert [q.settings.get("weight") for q in config.queues[1:]] == [
        None, "4", "8", "4"]
    assert config.queues[-1].path == ("root", "default")


def test_a_maximum_of_nothing_starts_nothing(tmp_path):
    """Resources.fitsIn looks at every resource: the example of YARN's own page."""
    for text, wrong in (("90000 mb,0vcores", True), ("0 mb,4vcores", True),
                        ("90000 mb,1vcores", False)):
        config = fair(tmp_path, f'<queue name="a"><maxResources>{text}'
                      '</maxResources></queue>')
        assert any("starts no container" in f.text
                   for f in config.findings) == wrong


@pytest.mark.parametrize("text", [
    "", '<queue name="a"/>', '<queue name="root"><queue name="a"/></queue>',
    '<queue name="root"/>', '<queue name="default"><weight>2</weight></queue>'])
def test_yarn_has_a_queue_default(tmp_path, text):
    """QueueManager.initialize makes it, whatever the file says."""
    config = fair(tmp_path, "<queueMaxAppsDefault>9</queueMaxAppsDefault>"
                  "<queueMaxAMShareDefault>0.3</queueMaxAMShareDefault>" + text)
    own, = [q for q in config.queues if q.path == ("root", "default")]
    assert (own.settings.get("weight") == "2") == ("weight" in text)
    assert {key: value for key, value in own.settings.items()
            if key != "weight"} == {"apps": "fair", "max_running": "9",
                                    "am_share": "30%"}
    noted = [f for f in config.findings if f.where == "(queue default)"]
    assert len(noted) == ("default" not in text)
    assert "apps" not in config.queues[0].settings
    assert any(f.where == "queuePlacementPolicy" for f in config.findings)
    assert all(f.severity < sked.Severity.WARNING or "weight" in text
               for f in config.findings)
    assert not any(f.where == "queuePlacementPolicy" for f in fair(
        tmp_path, "<queuePlacementPolicy/>" + text).findings)


def test_old_pools_are_slots():
    config = read_config(BUNDLED / "pools.xml")
    assert config.kinds == "maps=1 reduces=1"
    assert queue(config, "root.load").settings["guarantee"] == \
        "maps=20,reduces=10"
    assert "am_share" not in queue(config, "root.load").settings


@pytest.mark.parametrize("text", [
    '<!DOCTYPE x [<!ENTITY a "1"><!ENTITY b "&a;&a;">]><allocations>&b;'
    "</allocations>",
    '<!DOCTYPE allocations SYSTEM "file:///etc/passwd"><allocations/>'])
def test_entities_are_refused(tmp_path, text):
    with pytest.raises(ImportFailed, match="document type is refused"):
        read_text(tmp_path, text, "fair-scheduler")


@pytest.mark.parametrize("name", ["alayton-2subq.xml", "alayton-orig.xml",
                                  "alionishere-fixed-quota.xml",
                                  "bestss-flat-tenants.xml",
                                  "devwatt-hive.xml", "hadoop-sls-sample.xml",
                                  "lizhi-nested-production.xml",
                                  "cmri-mr1-pools.xml",
                                  "wikimedia-analytics.xml.erb",
                                  "zhengxle-azkaban.xml"])
def test_real_fair_files_have_no_errors_and_come_back(name, tmp_path):
    config = read_config(real("fair-scheduler/" + name))
    assert errors(config) == []
    assert config.form == "fair-scheduler"
    assert write_config(config, tmp_path / "out.xml", "fair-scheduler") == []
    assert content(read_config(tmp_path / "out.xml")) == content(config)
    config.tree()


def test_the_truly_wrong_fair_file_gives_every_fault():
    config = read_config(real("fair-scheduler/wwj-invalid-values.xml"))
    assert sorted(set(errors(config))) == [
        5, 6, 19, 33, 53, 57, 62, 84, 85, 86, 87, 88, 89, 90]
    beyond = [f.line for f in config.findings if "is no fraction" in f.text]
    assert beyond == [12, 26, 40, 52]


def test_broken_xml_is_read_as_far_as_it_goes():
    config = read_config(real("fair-scheduler/steidsen-not-well-formed.xml"))
    assert errors(config) == [12, 74]
    assert [q.path[-1] for q in config.queues] == ["root", "hduser", "default"]


def test_seconds_where_a_fraction_is_meant_are_warned_of():
    config = read_config(real("fair-scheduler/wikimedia-analytics.xml.erb"))
    assert [f.line for f in config.findings if "seconds meant" in f.text] == [
        55, 75]


def test_a_minimum_above_the_maximum_is_an_error():
    config = read_config(real("fair-scheduler/alayton-users2-percent.xml"))
    assert errors(config) == [19]
    assert any(f.line == 44 and "for each resource" in f.text
               for f in config.findings)


# ---- capacity-scheduler.xml ----

def test_a_capacity_file_becomes_a_tree():
    config = read_config(BUNDLED / "capacity.xml")
    assert config.form == "capacity-scheduler" and not errors(config)
    assert [".".join(q.path) for q in config.queues] == [
        "root", "root.prod", "root.prod.etl", "root.prod.web",
        "root.prod.adhoc", "root.lab", "root.lab.a", "root.lab.b",
        "root.lab.c", "root.old"]
    assert queue(config, "root").settings == {"order": "drf"}
    assert queue(config, "root.prod").settings == {
        "weight": str(125 * 500 * 1 << 16), "priority": "5",
        "preempt_from": "no", "order": "utilisation", "guarantee": "62.5%"}
    assert queue(config, "root.prod.web").settings == {
        "weight": "33333", "user_weight.ann": "3", "apps": "priority",
        "am_share": "50%", "user_limit": "25%", "user_factor": "200%",
        "max_running": "12", "guarantee": "33.333%"}
    assert queue(config, "root.prod.web").extra == {}
    assert queue(config, "root.prod.etl").settings["user_factor"] == "100%"
    assert queue(config, "root.prod.etl").settings["am_share"] == "20%"
    assert queue(config, "root.lab").settings["limit"] == "80%"
    assert queue(config, "root.lab").settings["label"] == "gpu"
    assert queue(config, "root.old").settings["state"] == "draining"
    assert [queue(config, f"root.lab.{n}").settings["guarantee"]
            for n in "abc"] == ["33.3334%", "33.3333%", "33.3333%"]
    assert config.fidelity["weight"] is Fidelity.DERIVED
    config.tree(capacity="cpu=100,memory=1TiB").fair_shares()


@pytest.mark.parametrize("form", ["capacity-scheduler", "scheduler-conf"])
def test_a_capacity_file_is_written_back_as_it_was(form, tmp_path):
    config = read_config(BUNDLED / "capacity.xml")
    assert write_config(config, tmp_path / "again", form) == []
    assert content(read_config(tmp_path / "again")) == content(config)


def test_each_fault_of_a_capacity_file_has_its_line():
    config = read_config(BUNDLED / "capacity-wrong.xml")
    text = (BUNDLED / "capacity-wrong.xml").read_text().splitlines()
    for word, severity in (("wrong", "ERROR"), ("odd", "WARNING")):
        marked = [n for n, line in enumerate(text, 1) if word in line]
        found = {f.line for f in config.findings if
                 f.severity.name == severity}
        assert sorted(found) == marked, word


def test_what_later_hadoops_know_is_known(tmp_path):
    said = {"root.queues": "a,b", "root.a.capacity": "10000w",
            "root.b.capacity": "10000.5w", "user.max-parallel-apps": "9",
            "user.bob.max-parallel-apps": "3",
            "root.a.default-application-priority": "3",
            "root.a.multi-node-sorting.policy": "mine",
            "root.a.show-reservations-as-queues": "true",
            "root.a.unheard-of": "1"}
    config = read_text(tmp_path, "<configuration>\n" + "".join(
        f"<property><name>yarn.scheduler.capacity.{name}</name>"
        f"<value>{value}</value></property>\n"
        for name, value in said.items()) + "</configuration>\n")
    assert [(f.line, f.text) for f in told(config)] == [
        (4, "10000.5w is not 0w to 10000w"), (10, "is not known")]
    assert config.extra["yarn.scheduler.capacity.user.max-parallel-apps"] == \
        "9"


def test_amounts_may_be_capacities(tmp_path):
    def prop(name, value):
        return (f"<property><name>yarn.scheduler.capacity.{name}</name>"
                f"<value>{value}</value></property>")
    text = "<configuration>" + prop("root.queues", "a,b") + prop(
        "root.a.capacity", "[memory=10Gi,vcores=4,yarn.io/gpu=1]") + prop(
        "root.b.capacity", "[memory=2048,vcores=2]") + prop(
        "root.b.maximum-capacity", "[memory=4096,vcores=4]") + \
        "</configuration>"
    config = read_text(tmp_path, text)
    assert errors(config) == []
    assert queue(config, "root.a").settings["guarantee"] == \
        "cpu=4,memory=10GiB,gpu=1"
    assert queue(config, "root.b").settings["limit"] == "cpu=4,memory=4GiB"
    assert write_config(config, tmp_path / "out", "capacity-scheduler") == []
    assert content(read_config(tmp_path / "out")) == content(config)


@pytest.mark.parametrize("name, queues, wrong", [
    ("alayton-2subq-fs2cs-output.xml", 6, []),
    ("alayton-orig-fs2cs-output.xml", 6, []),
    ("alayton-users2-fs2cs-output.xml", 9, []),
    ("brumi-578-queues-conf.json.gz", 579, []), ("brumi-conf.json", 12, []),
    ("brumi-rest-scheduler-state.json.gz", 12, []), ("cmri-mr1.xml", 2, []),
    ("ddimatos-acls-zero-capacity.xml", 5, [81]),
    ("hadoop-sls-sample.xml", 4, []), ("hdp22-node-labels.xml", 2, []),
    ("jirakst-prod-dev.xml", 3, []), ("raswaminathan-abc.xml", 4, []),
    ("rmgpinto-joblauncher.xml", 3, []), ("wikimedia-analytics.pp", 6, []),
    ("wikimedia-analytics.rendered.xml", 6, []),
    ("zhengxle-azkaban.xml", 4, [58])])
def test_real_capacity_files_are_read_and_come_back(name, queues, wrong,
                                                    tmp_path):
    config = read_config(real("capacity-scheduler/" + name))
    assert len(config.queues) == queues and errors(config) == wrong
    config.tree()
    assert write_config(config, tmp_path / "out", "capacity-scheduler") == []
    if "mr1" not in name:  # its slots are no kinds of YARN
        assert content(read_config(tmp_path / "out")) == content(config)


def test_a_puppet_manifest_says_what_its_file_says():
    made = read_config(real("capacity-scheduler/wikimedia-analytics.pp"))
    rendered = read_config(
        real("capacity-scheduler/wikimedia-analytics.rendered.xml"))
    assert {q.path: q.settings for q in made.queues} == {
        q.path: q.settings for q in rendered.queues}
    assert [f.where for f in told(made)] == ["extra_settings"]


@pytest.mark.parametrize("name, fair_name", [
    ("orig", "orig"), ("users2", "users2-percent")])
def test_our_conversion_agrees_with_that_of_yarn(name, fair_name, tmp_path):
    """Capacities are weights over their sum; YARN's converter rounds to
    0.001 % and leaves the rest to one queue, ours to 0.0001 %. It drops
    maxima, which ours keeps; the order of siblings is that of a hash."""
    ours = read_config(real(f"fair-scheduler/alayton-{fair_name}.xml"))
    write_config(ours, tmp_path / "out", "capacity-scheduler")
    made = read_config(tmp_path / "out")
    theirs = read_config(
        real(f"capacity-scheduler/alayton-{name}-fs2cs-output.xml"))
    assert {q.path for q in made.queues} == {q.path for q in theirs.queues}
    for q in theirs.queues:
        mine = queue(made, ".".join(q.path)).settings
        for key in ("apps", "am_share"):
            assert mine.get(key) == q.settings.get(key)
        if len(q.path) > 1:
            part = float(q.settings["guarantee"][:-1])
            assert float(mine["guarantee"][:-1]) == pytest.approx(
                part, abs=0.00071)
        assert "limit" not in q.settings


# ---- the text form ----

def test_the_text_form_is_a_form(tmp_path):
    text = ('kinds cpu=m memory=B\nroot\nroot.a\\.b weight=3 '
            'label="x \\"y\\" # z" user_weight.bob\\ jr=2\n')
    config = read_text(tmp_path, text, name="tree.txt")
    assert config.form == "text" and config.queues[1].path == ("root", "a.b")
    assert config.queues[1].settings["label"] == 'x "y" # z'
    assert write_config(config, tmp_path / "out.txt", "text") == []
    assert (tmp_path / "out.txt").read_text() == config.text()
    assert content(read_config(tmp_path / "out.txt")) == content(config)


def test_forms_that_are_not_known_are_refused(tmp_path):
    with pytest.raises(ImportFailed, match="no form"):
        read_text(tmp_path, b"\0\1\2")
    with pytest.raises(ValueError, match="no form"):
        read_config(tmp_path / "some.xml", "best")
    config = Configuration("text", "x", "cpu=m", [])
    with pytest.raises(ValueError, match="is written"):
        write_config(config, tmp_path / "y", "volcano")


def test_standard_input_and_output_stand_for_a_dash(monkeypatch, capsys):
    class Bytes:
        buffer = io.BytesIO(b'<allocations><queue name="a"/></allocations>')
    monkeypatch.setattr(sys, "stdin", Bytes)
    config = read_config("-")
    assert write_config(config, "-", "text") == []
    assert "root.a apps=fair" in capsys.readouterr().out


# ---- templates ----

def test_each_open_variable_of_a_template_is_told(tmp_path):
    config = fair(tmp_path, '\n<queue name="a"><weight><%= @weight %></weight>'
                  '\n<maxRunningApps>{{ most }}</maxRunningApps>\n'
                  "<%# nothing %><minResources>1024 mb, {{ cores }} vcores"
                  "</minResources>\n<% if x %><maxAMShare>much</maxAMShare>"
                  "<% end %></queue>")
    assert [(f.line, f.where) for f in config.findings
            if f.text == "is not filled in"] == [
        (2, "@weight"), (3, "most"), (4, "cores")]
    assert errors(config) == [5]
    assert queue(config, "root.a").settings == {"apps": "fair"}


def test_a_template_of_properties_is_read_as_far_as_it_stands(tmp_path):
    config = read_text(tmp_path, """\
<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name>
<value>a,b</value></property>
<property><name>yarn.scheduler.capacity.root.a.capacity</name>
<value>{{ share }}</value></property>
<property><name>yarn.scheduler.capacity.root.b.maximum-capacity</name>
<value>40</value></property>
</configuration>
""")
    assert [(f.line, f.where) for f in config.findings
            if f.text == "is not filled in"] == [(5, "share")]
    assert [f.where for f in told(config) if f.line != 5] == ["root.b"]
    assert queue(config, "root.b").settings["limit"] == "40%"
