"""Forms that share by quotas, banks and factors act in an imported tree as in
their source: the tree in the engine beside a model of the source."""

from fractions import Fraction

import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import Phase, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sked import Severity  # noqa: E402
from sked.importers import ImportFailed, read_config  # noqa: E402

from configurations import BUNDLED, errors, read_text, wrong  # noqa: E402
from meanings import CORES, Node, by_key, modelled, run  # noqa: E402
from quota_meanings import (Group, Queue, assign, divide,  # noqa: E402
                            fairshare, held, shares)

MANY = settings(max_examples=40, deadline=None,
                phases=[Phase.explicit, Phase.generate])
NAMES = "abcd"
WANTS = st.sampled_from([0, 7, 30, 400, 400, 400])


def read(tmp_path_factory, text, form):
    config = read_text(tmp_path_factory.mktemp("meaning"), text, form)
    assert wrong(config) == []
    return config


def near(ours, theirs, slack):
    """Each queue holds what the model says, to a part of a task and a task."""
    assert ours.keys() == theirs.keys()
    for path, count in ours.items():
        assert abs(count - theirs[path]) < slack, (ours, theirs)


def split(draw, n, total):
    """n whole numbers of 1 or more that add to a total."""
    cuts = draw(st.lists(st.integers(1, total - 1), min_size=n - 1,
                         max_size=n - 1, unique=True))
    return [b - a for a, b in zip([0, *sorted(cuts)],
                                  [*sorted(cuts), total])]


# ---- what small files become ----

TREES = {
    "condor.conf": ("condor-groups", """\
kinds cpu=m
root order=priority
root.chemistry guarantee=cpu=10.5 apps=user-fair
root.physics guarantee=cpu=20 borrow=cpu=0 order=priority
root.visitors priority=-1 apps=user-fair
root.<none> apps=user-fair
root.physics.hep guarantee=cpu=12 apps=user-fair
root.physics.lep guarantee=cpu=5 apps=user-fair
root.physics.<none> guarantee=cpu=3 apps=user-fair
""", []),
    "pbs.qmgr": ("pbs", """\
kinds cpu=m memory=B gpu=m
root order=priority
root.day apps=fifo priority=100 max_running=10 limit=cpu=64,memory=512GiB
root.night state=draining apps=fifo
""", ["root.day: max_run of some", "root.day: max_run_res.ncpus of some",
      "default_queue", "queue.entry.route_destinations"]),
    "flux.sh": ("flux-accounting", """\
kinds cpu=m
root order=fair fair_kind=cpu
root.lab weight=3 order=fair fair_kind=cpu
root.lab.ann weight=4 apps=priority max_running=3 limit=cpu=16
root.lab.bob weight=2 apps=priority max_running=5
root.guests
""", ["root.lab.ann: max-nodes"]),
    "armada.yaml": ("armada", """\
kinds cpu=m memory=B gpu=m
root order=drf
root.research weight=5 apps=priority
root.batch weight=2 apps=priority state=draining
""", ["root.research: permissions[0].subjects[0].name",
      "root.research: permissions[0].subjects[0].kind",
      "root.research: permissions[0].verbs[0]",
      "root.research: permissions[0].verbs[1]"]),
    "kai.yaml": ("kai", """\
kinds cpu=m memory=B gpu=m
root preempt_min_timeout=0 preempt_fair_timeout=0 \
preempt_fair_threshold=100% order=drf
root.research priority=200 guarantee=cpu=16,memory=1GB,gpu=6 order=drf
root.research.vision weight=2 priority=100 guarantee=cpu=16,gpu=4 \
limit=gpu=8 apps=priority
""", []),
    "koordinator.yaml": ("koordinator", """\
kinds cpu=m memory=B
root order=drf
root.team weight=40 guarantee=cpu=20,memory=20GiB \
limit=cpu=40,memory=40GiB order=drf
root.team.web weight=3 guarantee=cpu=10 limit=cpu=40 lend=cpu=0 apps=priority
""", []),
    "nomad.hcl": ("nomad-quotas", """\
kinds cpu=m memory=B gpu=m mhz=1
root order=drf
root.north order=drf
root.north.web limit=cpu=8,memory=16000MiB,gpu=3 apps=priority
root.south order=drf
root.south.web limit=memory=0,mhz=2500 apps=priority
""", ["root.north.web: region_limit.memory_max"]),
    "quotas.yaml": ("resource-quota", """\
kinds cpu=m memory=B gpu=m
root order=drf
root.web limit=cpu=6,memory=16GiB,gpu=2 apps=priority
""", ["root.web: compute.hard.limits.cpu", "root.web: compute.hard.pods"])}


@pytest.mark.parametrize("name", TREES)
def test_a_small_file_becomes_this_tree(name):
    if name.endswith(".yaml"):
        pytest.importorskip("yaml", reason="needs PyYAML")
    config = read_config(BUNDLED / name)
    form, text, lost = TREES[name]
    assert (config.form, wrong(config)) == (form, [])
    assert config.text() == text
    assert config.lost() == lost


@pytest.mark.parametrize("name, old, new, line, where", [
    ("condor.conf", "= 10.5", "= ten", 7, "GROUP_QUOTA_chemistry"),
    ("condor.conf", "physics.lep,", "bio.lep,", 2, "GROUP_NAMES"),
    ("condor.conf", "physics = false", "physics = maybe", 9,
     "GROUP_ACCEPT_SURPLUS_physics"),
    ("pbs.qmgr", "Priority = 100", "Priority = 1024", 6, "day"),
    ("pbs.qmgr", "ALL=512gb", "ALL=much", 10, "day: max_run_res.mem"),
    ("pbs.qmgr", "[u:PBS_GENERIC=2]", "two", 8, "day: max_run"),
    ("pbs.qmgr", "create queue night", "create queue day", 13, "day"),
    ("pbs.qmgr", "queue_type = Route", "queue_type = Rout0", 17, "entry"),
    ("flux.sh", "lab 3", "lab three", 3, "root.lab: shares"),
    ("flux.sh", "--shares 4", "--shares -4", 5, "root.lab.ann: shares"),
    ("flux.sh", "ann --bank=lab", "ann --bank=labs", 5, "ann"),
    ("flux.sh", "lab 3", "lab", 3, "root.lab"),
    ("nomad.hcl", "cores      = 8", "cores      = many", 8,
     "root.north.web: cores"),
    ("nomad.hcl", "count = 2", "count = two", 13,
     "root.north.web: device: count"),
    ("nomad.hcl", 'region = "south"', 'region = "north"', 18,
     "root.web"),
    ("armada.yaml", "Factor: 1.0", "Factor: 0.9", 4, "research"),
    ("armada.yaml", "priorityFactor: 2.5", "priority: 2.5", 9, "batch"),
    ("armada.yaml", "cordoned: true", "cordoned: 2", 13, "batch"),
    ("kai.yaml", "quota: 4,", "quota: four,", 7,
     "root.research.vision: gpu.quota"),
    ("kai.yaml", "limit: 8", "limit: -8", 7,
     "root.research.vision: gpu.limit"),
    ("kai.yaml", "parentQueue: research", "parentQueue: search", 1, "vision"),
    ("kai.yaml", "priority: 200", "priority: high", 15, "root.research"),
    ("koordinator.yaml", "max: {cpu: 40}", "max: {cpu: 9}", 21,
     "root.team.web"),
    ("koordinator.yaml", '"cpu": 3,', '"cpu": three,', 18, "root.team.web"),
    ("koordinator.yaml", 'lent-resource: "false"', 'lent-resource: "no"', 16,
     "root.team.web"),
    ("quotas.yaml", "cpu: 6", "cpu: six", 15, "root.web: cpu")])
def test_an_error_names_its_line_and_its_setting(tmp_path, name, old, new,
                                                 line, where):
    if name.endswith(".yaml"):
        pytest.importorskip("yaml", reason="needs PyYAML")
    text = (BUNDLED / name).read_text()
    assert old in text
    config = read_text(tmp_path, text.replace(old, new, 1))
    assert line in errors(config), config.findings
    assert any(f.line == line and f.where == where for f in config.findings), \
        [str(f) for f in config.findings]


@pytest.mark.parametrize("form, text", [
    ("kai", "kind: Queue\nmetadata: {name: a}\n"),
    ("condor-groups", "GROUP_ACCEPT_SURPLUS = true\n"),
    ("flux-accounting", "flux account add-user --username=a --bank=b\n"),
    ("flux-accounting", '{"root": 3}'), ("pbs", "nothing\n"),
    ("armada", "kind: Job\n"), ("koordinator", "kind: Queue\n"),
    ("resource-quota", "kind: LimitRange\n")])
def test_a_file_with_no_queue_is_refused(tmp_path, form, text):
    pytest.importorskip("yaml", reason="needs PyYAML")
    with pytest.raises(ImportFailed):
        read_text(tmp_path, text, form)


def test_scripts_of_qmgr_may_speak_of_queues_of_another_file(tmp_path):
    config = read_text(tmp_path, """\
#!/bin/sh
qmgr -c "set queue workq Priority = 50"
/opt/pbs/bin/qmgr -c 'create queue staff queue_type=execution'
qmgr -c "set queue staff started=True"
qmgr -c "set queue staff enabled=True"
""")
    assert config.form == "pbs" and wrong(config) == []
    assert config.text().splitlines()[1:] == [
        "root order=priority", "root.workq apps=fifo priority=50",
        "root.staff apps=fifo"]
    assert [(f.line, f.where) for f in config.findings
            if "is not created here" in f.text] == [(2, "workq")]


def test_commands_of_qmgr_have_lists_of_attributes(tmp_path):
    """As its manual has them: lists, abbreviations, several commands a line."""
    config = read_text(tmp_path, """\
#!/bin/sh
docker exec pbs qmgr -c "c q staff queue_type=e,enabled=True, Priority = 80,\
started=t"; qmgr -c 's q staff acl_users = "ann,bob", max_run = [o:PBS_ALL=9]'
qmgr <<END
create queue day queue_type=execution; set queue day started = t, enabled = t
set queue day acl_users = ann, bob, acl_user_enable = True # who
set queue day resources_available.ncpus=12,resources_available.mem=64gb
set queue day max_run_res.ncpus = "[o:PBS_ALL=10], [u:PBS_GENERIC=2]"
# set queue day max_running = 3; set queue day max_running = 4
set server resources_available.ncpus = 20
END
""")
    assert config.form == "pbs" and wrong(config) == []
    assert config.text().splitlines()[1:] == [
        "root limit=cpu=20 order=priority",
        "root.staff apps=fifo priority=80 max_running=9",
        "root.day apps=fifo limit=cpu=10,memory=64GiB"]
    assert config.lost() == [
        "root.staff: acl_users", "root.day: max_run_res.ncpus of some",
        "root.day: acl_users", "root.day: acl_user_enable"]
    day = next(q for q in config.queues if q.path[-1] == "day")
    assert day.extra["acl_users"] == "ann, bob"


@pytest.mark.parametrize("text, line, reason", [
    ('name = "a"\nlimit {\n region_limit {\n', 4, "is not closed"),
    ('name = "a"\n}\n', 2, "closes nothing"),
    ('name = "a"\nlimit ?\n', 2, "has no place here"),
    ('{"RegionLimit": ', 1, "ends too early")])
def test_broken_quotas_of_nomad_have_their_line(tmp_path, text, line, reason):
    with pytest.raises(ImportFailed, match=reason) as failed:
        read_text(tmp_path, text, "nomad-quotas")
    assert failed.value.finding.line == line


def test_quotas_of_nomad_come_by_http_too(tmp_path):
    config = read_text(tmp_path, """\
[{"Name": "web", "Description": "x", "CreateIndex": 8, "Limits": [
  {"Hash": "z=", "Region": "global", "VariablesLimit": 0, "RegionLimit": {
    "CPU": 0, "Cores": 4, "MemoryMB": 2000, "MemoryMaxMB": 0, "DiskMB": 0,
    "Devices": [{"Name": "nvidia/gpu", "Count": 2}], "Networks": null}}]}]
""")
    assert config.form == "nomad-quotas" and wrong(config) == []
    assert config.text().splitlines()[2:] == [
        "root.web limit=cpu=4,memory=2000MiB,gpu=2 apps=priority"]
    assert config.lost() == ["root.web: VariablesLimit"] or \
        config.lost() == ["root.web: variables_limit"]


def test_quotas_of_nomad_come_by_terraform_too(tmp_path):
    config = read_text(tmp_path, """\
resource "nomad_namespace" "web" {
  name  = "web"
  quota = nomad_quota_specification.web.name
}
resource "nomad_quota_specification" "web" {
  name        = "web"
  description = "x"
  limits {
    region = "global"
    region_limit {
      cores         = 4
      memory_mb     = 1200
      memory_max_mb = 2400
      secrets_mb    = 100
      devices {
        name  = "nvidia/gpu"
        count = 2
        constraints {
          ltarget = "$${device.attr.memory}"
        }
      }
      numa {
        affinity = "require"
      }
    }
  }
}
resource "nomad_quota_specification" "api" {
  name = "api"
  limits {
    region = "global"
    region_limit {
      cores = "many"
    }
  }
}
""")
    assert config.form == "nomad-quotas"
    assert config.text().splitlines()[2:] == [
        "root.web limit=cpu=4,memory=1200MiB,gpu=2 apps=priority",
        "root.api apps=priority"]
    assert config.lost() == ["root.web: region_limit.memory_max"]
    assert errors(config) == [33]


@MANY
@given(st.data())
def test_quotas_of_nomad_bound_their_namespaces(tmp_path_factory, data):
    """0 is no bound, and below 0 there is nothing."""
    text, could, wanted = "", {}, {}
    for name in NAMES[:data.draw(st.integers(1, 4))]:
        cores = data.draw(st.sampled_from([0, -1, 5, 60]))
        most = {0: 400, -1: 0}.get(cores, cores)
        wanted[f"root.{name}"] = data.draw(WANTS)
        could[f"root.{name}"] = min(most, wanted[f"root.{name}"])
        text += (f'quota "{name}" {{\n limit {{\n  region = "r"\n  '
                 f"region_limit {{\n   cores = {cores}\n  }}\n }}\n}}\n")
    config = read(tmp_path_factory, text, "nomad-quotas")
    found = run(config, [wanted])[0]
    assert all(found[path] <= count for path, count in could.items())
    assert sum(found.values()) == min(CORES, sum(could.values()))


def test_quotas_below_themselves_are_named(tmp_path):
    pytest.importorskip("yaml", reason="needs PyYAML")
    text = "".join(
        "---\nkind: ElasticQuota\nmetadata: {name: %s, labels: "
        "{quota.scheduling.koordinator.sh/parent: %s}}\n" % pair
        for pair in (("a", "b"), ("b", "a"), ("c", "''")))
    config = read_text(tmp_path, text)
    assert [q.path for q in config.queues] == [("root",), ("root", "c")]
    assert errors(config) == [2, 5]


def test_a_tree_of_quotas_is_one_document(tmp_path):
    pytest.importorskip("yaml", reason="needs PyYAML")
    config = read_text(tmp_path, """\
apiVersion: scheduling.sigs.k8s.io/v1beta1
kind: ElasticQuotaTree
metadata: {name: default, namespace: kube-system}
spec:
  root:
    name: root
    min: {cpu: 100}
    max: {cpu: 100}
    children:
    - name: a
      namespaces: [n]
      min: {cpu: 40}
      max: {cpu: 60}
    - name: b
      max: {cpu: 90}
      children:
      - name: b1
        min: {cpu: ten}
      - min: {cpu: 1}
""")
    assert config.form == "koordinator"
    assert config.text().splitlines()[1:] == [
        "root guarantee=cpu=100 limit=cpu=100 order=drf",
        "root.a weight=3 guarantee=cpu=40 limit=cpu=60 apps=priority",
        "root.b weight=2 limit=cpu=90 order=drf", "root.b.b1 apps=priority"]
    assert config.lost() == ["root.a: namespaces[0]"]
    assert errors(config) == [18, 19]


def test_quotas_that_koordinator_makes_itself(tmp_path):
    """The root was called root, and pods of no quota come before all."""
    pytest.importorskip("yaml", reason="needs PyYAML")
    config = read_text(tmp_path, """\
kind: ElasticQuota
metadata: {name: a, labels: {quota.scheduling.koordinator.sh/parent: root}}
spec: {max: {cpu: 4}}
---
kind: ElasticQuota
metadata: {name: koordinator-default-quota}
spec: {max: {cpu: 9}}
""")
    assert wrong(config) == []
    assert [q.path for q in config.queues] == [
        ("root",), ("root", "a"), ("root", "koordinator-default-quota")]
    assert [f.line for f in config.findings
            if "come before all quotas" in f.text] == [5]


def test_an_edit_of_flux_without_a_bank_is_of_all_associations(tmp_path):
    config = read_text(tmp_path, """\
flux account add-bank root 1
flux account add-bank --parent-bank=root A 1
flux account add-bank --parent-bank=root B 1
flux account add-user --username=ann --bank=A --max-cores=9 --queues=day
flux account add-user --username=ann --bank=B
flux account edit-user ann --shares=7 --max-running-jobs=3
flux account edit-user ann --bank=A --max-cores=-1 --add-queue=night
flux account edit-user ann --delete-queue=day
flux account edit-user bob --shares=7
""")
    assert config.text().splitlines()[2:] == [
        "root.A order=fair fair_kind=cpu",
        "root.A.ann weight=7 apps=priority max_running=3",
        "root.B order=fair fair_kind=cpu",
        "root.B.ann weight=7 apps=priority max_running=3"]
    assert errors(config) == [9]
    assert [q.extra.get("queues") for q in config.queues] == [
        None, None, "night", None, ""]


def test_a_guarantee_of_volcano_without_its_resource_is_lost(tmp_path):
    pytest.importorskip("yaml", reason="needs PyYAML")
    config = read_text(tmp_path, """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: a}
spec:
  guarantee:
    cpu: 4
""")
    assert config.lost() == ["root.a: guarantee.cpu"]
    assert [f.line for f in config.findings
            if "nothing of a guarantee" in f.text] == [6]


def test_the_export_of_flux_has_shares_and_says_what_it_lacks(tmp_path):
    config = read_text(tmp_path, """\
{"root": {"bank": "root", "shares": 1, "usage": 0.0, "children": [
  {"bank": "A", "shares": 3, "usage": 7.5, "children": [
    {"username": "ann", "shares": 2, "usage": 7.5},
    {"username": "bob", "shares": "x", "usage": 0.0}]}]}}
""")
    assert config.form == "flux-accounting"
    assert errors(config) == [4]
    assert "has no limits" in config.findings[0].text
    assert config.text().splitlines()[2:] == [
        "root.A weight=3 order=fair fair_kind=cpu",
        "root.A.ann weight=2 apps=priority", "root.A.bob apps=priority"]


# ---- HTCondor ----

def groups_text(group, prefix=""):
    lines = []
    for one in group.below:
        name = prefix + one.name
        key = "GROUP_QUOTA_" if one.static else "GROUP_QUOTA_DYNAMIC_"
        value = one.quota if one.static else float(one.quota)
        if one.quota:
            lines.append(f"{key}{name} = {value}")
        lines.append(f"GROUP_ACCEPT_SURPLUS_{name} = {one.surplus}")
        lines += groups_text(one, name + ".")
    return lines


def group_names(group, prefix=""):
    for one in group.below:
        yield prefix + one.name
        yield from group_names(one, f"{prefix}{one.name}.")


def family(draw, parent, names, static, total):
    """Groups of one kind. Static quotas may leave something of a parent below
    the root; dynamic ones do, or add to more than there is."""
    room = total if static else 100
    quotas = split(draw, len(names) + 1, room)[:-1] \
        if not static or parent.name != "root" else \
        split(draw, len(names), room)
    if not static and draw(st.integers(0, 2)) == 0:
        quotas = [min(3 * quota, 100) for quota in quotas]  # of more than all
    for name, quota in zip(names, quotas):
        if draw(st.integers(0, 5)) == 0 and parent.name != "root":
            quota = 0
        parent.below.append(Group(
            name, Fraction(quota) if static else Fraction(quota, 100), static,
            draw(st.booleans())))


@st.composite
def groups(draw):
    static = draw(st.booleans())
    root = Group("root")
    family(draw, root, NAMES[:draw(st.integers(2, 3))], static, CORES)
    for top in root.below:
        if top.quota * (1 if static else 100) > 8 and draw(st.booleans()):
            family(draw, top, [top.name + "x", top.name + "y"], static,
                   int(top.quota) if static else 100)
    todo = [root]
    while todo:
        one = todo.pop()
        todo += one.below
        if one is not root or not static:
            one.wants = Fraction(draw(WANTS))
    return root


def strict(group):
    """How many siblings take no surplus, at most."""
    return max([sum(not one.surplus for one in group.below),
                *map(strict, group.below)])


@MANY
@given(groups())
def test_groups_of_htcondor(tmp_path_factory, root):
    text = "\n".join([f"GROUP_NAMES = {', '.join(group_names(root))}",
                      "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = false",
                      *groups_text(root)]) + "\n"
    config = read(tmp_path_factory, text, "condor-groups")
    wanted = {}
    todo = [("root", root)]
    while todo:
        path, one = todo.pop()
        wanted[path + ".<none>" if one.below else path] = int(one.wants)
        todo += [(f"{path}.{child.name}", child) for child in one.below]
    assign(root, Fraction(CORES))
    fairshare(root)
    # A group that takes no surplus leaves the part of a task that is above its
    # quota: whoever does take surplus may get a task more for each.
    near(run(config, [wanted])[0], held(root), 2 + strict(root))


@pytest.mark.parametrize("said, held", [
    ("GROUP_AUTOREGROUP = true\n", (120, 0)),
    ("GROUP_AUTOREGROUP_a = true\n", (120, 0)),
    ("GROUP_AUTOREGROUP_b = true\n", (10, 0)), ("", (10, 0))])
def test_groups_that_stand_in_line_again_take_what_is_left(tmp_path_factory,
                                                           said, held):
    config = read(tmp_path_factory, "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 10\n"
                  "GROUP_QUOTA_b = 10\nGROUP_ACCEPT_SURPLUS = false\n" + said,
                  "condor-groups")
    found = run(config, [{"root.a": 400, "root.b": 0, "root.<none>": 0}])[0]
    assert (found["root.a"], found["root.b"]) == held
    assert config.lost() == []
    assert bool(said) == any("stand in line" in f.text
                             for f in config.findings)


def test_lines_of_condor_that_are_no_settings(tmp_path):
    config = read_text(tmp_path, """\
use ROLE : CentralManager
include : /etc/condor/extra.conf
if $(IS_LARGE)
GROUP_NAMES = a, \\
  b
endif
JOB_TRANSFORM_a @=end
GROUP_QUOTA_b = 7
@end
GROUP_QUOTA_a = 10
nonsense
""", "condor-groups")
    said = [(f.line, f.text.partition(",")[0].partition(":")[0])
            for f in config.findings if f.severity == Severity.WARNING]
    assert said == [(1, "a template of HTCondor"), (2, "another file"),
                    (3, "a condition"), (11, "is no setting")]
    settings = {q.path[-1]: q.settings for q in config.queues}
    assert settings["a"]["guarantee"] == "cpu=10"
    assert "guarantee" not in settings["b"]


# ---- KAI and Koordinator ----

@st.composite
def quota_trees(draw, ranked):
    """Queues whose quotas are in proportion to their weights, or nothing: what
    is guaranteed and what goes by weight then add up in both systems."""
    queues = []
    for parent in [None, *NAMES[:2]]:
        total = CORES if parent is None else None
        made = [Queue(f"{parent or ''}{name}", weight=Fraction(draw(
            st.integers(1, 5)))) for name in NAMES[:draw(st.integers(2, 3))]]
        for one in made:
            if draw(st.integers(0, 3)) == 0:
                one.limit = Fraction(draw(st.sampled_from([25, 60])))
            if ranked and draw(st.booleans()):
                one.priority = draw(st.sampled_from([50, 200]))
            one.wants = Fraction(draw(WANTS))
        if total and draw(st.booleans()) and len(
                {one.priority for one in made}) == 1:
            weights = sum(one.weight for one in made)
            step = draw(st.integers(1, CORES)) // weights
            for one in made:
                one.quota = one.weight * step
                if one.limit is not None:
                    one.limit = max(one.limit, one.quota)
        if parent is None:
            queues = made
        else:
            above = next(one for one in queues if one.name == parent)
            if draw(st.booleans()):
                above.below = made
    return queues


def wanted_of(queues, path="root"):
    made = {}
    for one in queues:
        here = f"{path}.{one.name}"
        made.update(wanted_of(one.below, here) if one.below else
                    {here: int(one.wants)})
    return made


def kai_text(queues, parent=""):
    text = ""
    for one in queues:
        limit = -1 if one.limit is None else int(one.limit * 1000)
        text += f"""\
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {{name: {one.name}}}
spec:
  parentQueue: '{parent}'
  priority: {one.priority}
  resources:
    cpu: {{quota: {int(one.quota * 1000)}, limit: {limit}, \
overQuotaWeight: {int(one.weight)}}}
    memory: {{limit: -1, overQuotaWeight: {int(one.weight)}}}
    gpu: {{limit: -1, overQuotaWeight: {int(one.weight)}}}
""" + kai_text(one.below, one.name)
    return text


@MANY
@given(quota_trees(True))
def test_queues_of_kai(tmp_path_factory, queues):
    pytest.importorskip("yaml", reason="needs PyYAML")
    config = read(tmp_path_factory, kai_text(queues), "kai")
    divide(queues, Fraction(CORES))
    # A queue may hold a task before its turn, on each of the two levels.
    near(run(config, [wanted_of(queues)])[0], shares(queues), 5)


@MANY
@given(st.data())
def test_quotas_of_kai_hold_whatever_the_weights(tmp_path_factory, data):
    """Whatever weights are: each queue has its quota, within its limit, and
    nothing is idle that somebody may have."""
    pytest.importorskip("yaml", reason="needs PyYAML")
    queues = []
    for name, part in zip(NAMES, split(data.draw, 4, CORES)):
        one = Queue(name, Fraction(part), weight=Fraction(data.draw(
            st.integers(0, 5))), wants=Fraction(data.draw(WANTS)))
        if data.draw(st.booleans()):
            one.limit = one.quota + data.draw(st.integers(0, 30))
        queues.append(one)
    config = read(tmp_path_factory, kai_text(queues), "kai")
    found = run(config, [wanted_of(queues)])[0]
    divide(queues, Fraction(CORES))
    assert abs(sum(found.values()) - sum(shares(queues).values())) <= 1
    for one in queues:
        count = found[f"root.{one.name}"]
        assert min(one.quota, one.asked()) <= count <= one.asked()
        if not one.weight:
            assert count <= one.quota


def elastic_text(queues, parent=""):
    text = ""
    for one in queues:
        prefix = "quota.scheduling.koordinator.sh/"
        most = "" if one.limit is None else f"max: {{cpu: {int(one.limit)}}}"
        text += f"""\
---
kind: ElasticQuota
metadata:
  name: {one.name}
  labels:
    {prefix}parent: '{parent}'
    {prefix}allow-lent-resource: '{str(one.lent).lower()}'
  annotations:
    {prefix}shared-weight: '{{"cpu": {int(one.weight)}}}'
spec:
  min: {{cpu: {int(one.quota)}}}
  {most}
""" + elastic_text(one.below, one.name)
    return text


@MANY
@given(quota_trees(False), st.data())
def test_elastic_quotas_of_koordinator(tmp_path_factory, queues, data):
    pytest.importorskip("yaml", reason="needs PyYAML")
    for one in queues:
        one.lent = one.below != [] or data.draw(st.booleans())
    config = read(tmp_path_factory, elastic_text(queues), "koordinator")
    divide(queues, Fraction(CORES))
    near(run(config, [wanted_of(queues)])[0], shares(queues), 2)


@st.composite
def additive_trees(draw, form):
    """Queues of any quotas, limits and weights, on two levels, which want all
    there is. Quotas below a queue add to no more than its own."""
    def family(names, total):
        made, left = [], total
        for name in names:
            one = Queue(name, Fraction(draw(st.integers(0, int(left)))),
                        weight=Fraction(draw(st.integers(1, 9))))
            left -= one.quota
            if draw(st.integers(0, 3)) == 0:
                one.limit = one.quota + draw(st.sampled_from([0, 10, 40]))
                one.limit = max(one.limit, Fraction(1))
            one.wants = Fraction(400)
            made.append(one)
        return made

    queues = family(NAMES[:draw(st.integers(2, 3))], CORES)
    for one in queues:
        if draw(st.booleans()) and one.asked() >= 2:
            one.below = family([one.name + "x", one.name + "y"], one.quota)
    if form == "kai":
        return queues, kai_text(queues)
    return queues, elastic_text(queues)


@pytest.mark.parametrize("form", ["kai", "koordinator"])
def test_weights_stand_for_what_comes_on_top_of_quotas(tmp_path_factory,
                                                       form):
    """With a capacity, each queue has what it has in the source, to a task and
    what rounding does on each level."""
    pytest.importorskip("yaml", reason="needs PyYAML")

    @MANY
    @given(additive_trees(form))
    def check(drawn):
        queues, text = drawn
        config = read(tmp_path_factory, text, form)
        divide(queues, Fraction(CORES))
        near(run(config.weighed(f"cpu={CORES}"), [wanted_of(queues)])[0],
             shares(queues), 2)

    check()


def text_of(form, queues):
    return kai_text(queues) if form == "kai" else elastic_text(queues)


@st.composite
def partial_trees(draw, form):
    """Queues of any quotas, limits, weights and, in KAI, priorities, and some
    demands, one behind the other."""
    def family(names, total):
        made, left = [], total
        for name in names:
            one = Queue(name, Fraction(draw(st.integers(0, int(left)))),
                        weight=Fraction(draw(st.integers(len(name) - 1 or
                                                         form != "kai", 4))))
            left -= one.quota
            if draw(st.integers(0, 3)) == 0:
                one.limit = one.quota + draw(st.sampled_from([0, 10, 40]))
                one.limit = max(one.limit, Fraction(1))
            if form == "kai":
                one.priority = draw(st.sampled_from([100, 100, 100, 200]))
            made.append(one)
        if draw(st.booleans()):
            step = total // max(sum(one.weight for one in made), 1)
            for one in made:
                one.quota = one.weight * step
                if one.limit is not None:
                    one.limit = max(one.limit, one.quota)
        return made

    queues = family(NAMES[:draw(st.integers(2, 4))], CORES)
    leaves = list(queues)
    for one in queues:
        if draw(st.integers(0, 2)) == 0 and one.quota >= 2:
            one.limit = one.quota
            one.below = family([one.name + "x", one.name + "y"], one.quota)
            leaves += one.below
    leaves = [one for one in leaves if not one.below]
    demands = [[Fraction(draw(WANTS)) for _ in leaves]
               for _ in range(draw(st.integers(1, 3)))]
    return queues, leaves, demands


def demanded(queues, leaves, demand):
    """What each leaf gets, and wants, with one demand."""
    for one, want in zip(leaves, demand):
        one.wants = want
    divide(queues, Fraction(CORES))
    return shares(queues), wanted_of(queues)


@pytest.mark.parametrize("form", ["kai", "koordinator"])
def test_partial_demand_is_exact_or_a_loss(tmp_path_factory, form):
    """Each demand gives what the source gives, with tasks that run before it:
    with weights for the amount, unless a loss names the queues; always with
    weights for the demand."""
    pytest.importorskip("yaml", reason="needs PyYAML")
    seen = set()

    @MANY
    @given(partial_trees(form))
    def check(drawn):
        queues, leaves, demands = drawn
        config = read(tmp_path_factory, text_of(form, queues), form)
        config = config.weighed(f"cpu={CORES}")
        partly = [one for one in config.lost() if "on top of quotas" in one]
        assert bool(partly) == any("in no proportion" in one.text
                                   for one in config.findings)
        seen.add(bool(partly))
        wanted = [demanded(queues, leaves, one) for one in demands]
        if not partly:
            found = run(config, [want for _, want in wanted], preempts=True)
            for ours, (theirs, _) in zip(found, wanted):
                near(ours, theirs, 3)
        for theirs, want in wanted:
            near(run(config.weighed(f"cpu={CORES}", {
                path: f"cpu={count}" for path, count in want.items()}),
                [want])[0], theirs, 3)

    check()
    assert seen == {True, False}


KAI_QUEUE = """\
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: %s}
spec:
  parentQueue: '%s'
  resources:
    cpu: {quota: -1, limit: -1, overQuotaWeight: 1}
    memory: {quota: -1, limit: -1, overQuotaWeight: 1}
    gpu: {quota: %s, limit: %s, overQuotaWeight: %s}
"""


def test_weights_of_kai_with_and_without_a_capacity(tmp_path):
    pytest.importorskip("yaml", reason="needs PyYAML")

    def weights(*queues, capacity=None):
        config = read_text(tmp_path, "".join(KAI_QUEUE % q for q in queues))
        if capacity:
            config = config.weighed(capacity)
        return {q.path[-1]: q.settings.get("weight", "1")
                for q in config.queues[1:]}

    two = ("a", "", 6, -1, 1), ("b", "", 2, -1, 3)
    assert weights(*two) == {"a": "1", "b": "3"}
    # 16 GPUs: 8 are left, of which a gets 2 and b gets 6
    assert weights(*two, capacity="gpu=16,cpu=64") == {"a": "1", "b": "1"}
    assert weights(*two, capacity="gpu=4") == {"a": "3", "b": "1"}
    # below a queue whose quota is its limit it is known what there is
    inner = ("p", "", 16, 16, 1), ("a", "p", 6, -1, 1), ("b", "p", 0, -1, 3)
    assert weights(*inner) == {"p": "1", "a": "17", "b": "15"}
    # quota -1 is all there is: what is left over goes to the other
    all_of_it = ("a", "", -1, -1, 1), ("b", "", 0, -1, 1), ("c", "", 0, -1, 0)
    assert weights(*all_of_it) == {"a": "1000000", "b": "1", "c": "0"}
    assert weights(*all_of_it, capacity="gpu=8") == weights(*all_of_it)
    # what the first leaves goes by the weights of the others
    of_three = ("a", "", -1, -1, 1), ("b", "", 0, -1, 1), ("c", "", 0, -1, 3)
    assert weights(*of_three) == {"a": "1000000", "b": "1", "c": "3"}
    tree = read_text(tmp_path, "".join(KAI_QUEUE % q for q in two)).tree(
        capacity="gpu=16")
    assert [queue.get("weight") for queue in tree][1:] == [1, 1]


def test_weights_of_a_demand(tmp_path):
    """The example of docs/importing.md: 60 guaranteed, then weights of 1."""
    pytest.importorskip("yaml", reason="needs PyYAML")
    queues = [Queue("a", Fraction(60)), Queue("b"), Queue("c")]
    config = read_text(tmp_path, kai_text(queues), "kai")
    assert len(config.partly()) == 1 and len(config.lost()) == 3
    config = config.weighed("cpu=120")
    note, = config.partly()
    assert note in config.findings and note.text.endswith("Queues: a, b, c")
    full = {"root.a": 400, "root.b": 400, "root.c": 400}
    assert list(run(config, [full])[0].values()) == [80, 20, 20]
    part = {"root.a": 400, "root.b": 400, "root.c": 0}
    assert list(run(config, [part])[0].values()) == [96, 24, 0]
    exact = config.weighed("cpu=120", {"root.a": "cpu=400",
                                       "root.b": "cpu=400"})
    assert list(run(exact, [part])[0].values()) == [90, 30, 0]
    for path in ("root", "root.x", "a"):
        with pytest.raises(ValueError, match=f"{path}' is no leaf"):
            config.weighed("cpu=120", {path: "cpu=1"})


def test_quotas_of_kai_come_before_priorities(tmp_path):
    pytest.importorskip("yaml", reason="needs PyYAML")
    queues = [Queue("a", Fraction(30), priority=50), Queue("b", priority=200)]
    config = read_text(tmp_path, kai_text(queues), "kai")
    wanted = {"root.a": 400, "root.b": 400}
    assert list(run(config, [wanted])[0].values()) == [30, 90]
    queues[0].quota = Fraction(0)
    config = read_text(tmp_path, kai_text(queues), "kai")
    assert list(run(config, [wanted])[0].values()) == [0, 120]


def test_priorities_of_kai_that_weights_cannot_hold_are_a_loss(tmp_path):
    pytest.importorskip("yaml", reason="needs PyYAML")
    for ranks, lost in (4, 0), (5, 5), (20, 20):
        queues = [Queue(f"q{rank}", Fraction(2), priority=rank)
                  for rank in range(ranks)]
        config = read_text(tmp_path, kai_text(queues), "kai")
        assert wrong(config) == [] and len(config.lost()) == lost
        weights = [int(q.settings.get("weight", 1)) for q in config.queues[1:]]
        assert weights == sorted(weights) and max(weights) < 1 << 32


@MANY
@given(st.data())
def test_resource_quotas_bound_their_namespaces(tmp_path_factory, data):
    pytest.importorskip("yaml", reason="needs PyYAML")
    text, could, wanted = "", {}, {}
    for name in NAMES[:data.draw(st.integers(1, 4))]:
        bounds = data.draw(st.lists(st.sampled_from([5, 20, 60]), min_size=1,
                                    max_size=2))
        wanted[f"root.{name}"] = data.draw(WANTS)
        could[f"root.{name}"] = min(*bounds, 400, wanted[f"root.{name}"])
        for i, bound in enumerate(bounds):
            key = data.draw(st.sampled_from(["cpu", "requests.cpu"]))
            text += (f"---\napiVersion: v1\nkind: ResourceQuota\nmetadata: "
                     f"{{name: q{i}, namespace: {name}}}\nspec: {{hard: "
                     f"{{{key}: {bound}}}}}\n")
    config = read(tmp_path_factory, text, "resource-quota")
    found = run(config, [wanted])[0]
    assert all(found[path] <= count for path, count in could.items())
    assert sum(found.values()) == min(CORES, sum(could.values()))


# ---- shares, factors and priorities ----

def phases(draw, paths):
    return [{path: draw(WANTS) for path in paths}
            for _ in range(draw(st.integers(1, 3)))]


def usage_order(node):
    """Least used over shares first."""
    return by_key(lambda one: one.used / one.said["shares"])(node)


@MANY
@given(st.data())
def test_banks_of_flux(tmp_path_factory, data):
    root = Node("root")
    text = "flux account add-bank root 1\n"
    for name in NAMES[:data.draw(st.integers(2, 3))]:
        bank = Node(name, {"shares": data.draw(st.integers(1, 9))})
        bank.said["shares"] = Fraction(bank.said["shares"])
        text += (f"flux account add-bank --parent-bank=root {name} "
                 f"{bank.said['shares']}\n")
        for i in range(data.draw(st.integers(1, 3))):
            user = Node(f"{name}{i}", {"shares": Fraction(data.draw(
                st.integers(1, 9)))})
            more = ""
            if data.draw(st.integers(0, 3)) == 0:
                user.limit = Fraction(15)
                more = "--max-cores=15"
            text += (f"flux account add-user --username={user.name} "
                     f"--bank={name} --shares={user.said['shares']} {more}\n")
            bank.below.append(user)
        root.below.append(bank)
    wanted = phases(data.draw, root.leaves())
    config = read(tmp_path_factory, text, "flux-accounting")
    for ours, theirs in zip(run(config, wanted),
                            modelled(root, usage_order, wanted)):
        near(ours, theirs, 2)


@MANY
@given(st.data())
def test_queues_of_armada(tmp_path_factory, data):
    pytest.importorskip("yaml", reason="needs PyYAML")
    root, text = Node("root"), ""
    for name in NAMES[:data.draw(st.integers(2, 4))]:
        factor = Fraction(data.draw(st.sampled_from(["1", "2", "1.5", "4"])))
        cordoned = data.draw(st.integers(0, 5)) == 0
        root.below.append(Node(
            name, {"shares": 1 / factor},
            limit=Fraction(0 if cordoned else CORES)))
        text += (f"---\napiVersion: armadaproject.io/v1beta1\nkind: Queue\n"
                 f"name: {name}\npriorityFactor: {float(factor)}\n"
                 f"cordoned: {str(cordoned).lower()}\n")
    wanted = phases(data.draw, root.leaves())
    config = read(tmp_path_factory, text, "armada")
    for ours, theirs in zip(run(config, wanted),
                            modelled(root, usage_order, wanted)):
        near(ours, theirs, 2)


@MANY
@given(st.data())
def test_queues_of_pbs(tmp_path_factory, data):
    """Queue by queue, by priority; where all are the same, as they stand."""
    names = NAMES[:data.draw(st.integers(2, 4))]
    ranks = data.draw(st.permutations([10, 20, -5, 0][:len(names)])) \
        if data.draw(st.booleans()) else [7] * len(names)
    root, text = Node("root"), ""
    for name, rank in zip(names, ranks):
        node = Node(name, {"rank": rank})
        text += (f"create queue {name}\nset queue {name} queue_type = "
                 f"Execution\nset queue {name} Priority = {rank}\n"
                 f"set queue {name} enabled = True\n")
        if data.draw(st.integers(0, 4)):
            text += f"set queue {name} started = True\n"
        else:
            node.limit = Fraction(0)
        if data.draw(st.booleans()):
            node.limit = min(node.limit, Fraction(25))
            text += (f"set queue {name} max_run_res.ncpus = "
                     "[o:PBS_ALL=25]\n")
        root.below.append(node)
    wanted = phases(data.draw, root.leaves())
    config = read(tmp_path_factory, text, "pbs")
    order = by_key(lambda one: -one.said["rank"])
    assert run(config, wanted) == modelled(root, order, wanted)
