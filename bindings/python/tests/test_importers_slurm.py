"""Slurm's configurations: slurm.conf and accounts."""

import pytest

from sked.importers import read_config
from sked.importers.configs.slurm.hosts import BadHosts, hosts

from configurations import errors, queue, read_text, real, told


def settings(config, path):
    return queue(config, path).settings


def test_partitions_of_slurm_are_queues(tmp_path):
    config = read_text(tmp_path, """\
ClusterName=x
PriorityType=priority/multifactor
PreemptMode=SUSPEND,nap
NodeName=DEFAULT RealMemory=1024
NodeName=a[01-03],b CPUs=4 Gres=gpu:v100:2
PartitionName=DEFAULT State=UP MaxTime=1-0
PartitionName=fast Nodes=a[1-3] Priority=9
PartitionName=wide Nodes=a[01-03],b State=DRAIN PreemptMode=OFF \\
  MaxTime=sometime
PartitionName=wide Nodes=ALL State=ASLEEP
""")
    assert config.form == "slurm" and errors(config) == [3, 7, 8, 10]
    assert settings(config, "root.wide") == {
        "label": "wide", "limit": "cpu=16,memory=4GiB,gpu=8",
        "state": "draining", "preempt_from": "no", "apps": "priority",
        "priority": "1"}
    assert settings(config, "root") == {"order": "priority",
                                        "preempt_from": "no"}


def test_every_mode_of_preemption_is_known(tmp_path):
    for mode in ("OFF", "CANCEL", "CHECKPOINT", "REQUEUE", "SUSPEND,GANG",
                 "REQUEUE,PRIORITY", "CANCEL,WITHIN"):
        config = read_text(tmp_path, f"ClusterName=x\nPreemptMode={mode}\n")
        assert errors(config) == [], mode


def test_defaults_of_slurm_add_up(tmp_path):
    config = read_text(tmp_path, """\
NodeName=DEFAULT CPUs=2 RealMemory=1024
NodeName=DEFAULT CPUs=4
NodeName=a,b
PartitionName=DEFAULT MaxTime=60 State=DRAIN
PartitionName=DEFAULT State=UP PriorityTier=7
PartitionName=p Nodes=ALL
""")
    assert settings(config, "root.p") == {
        "label": "p", "limit": "cpu=8,memory=2GiB,gpu=0", "priority": "7",
        "apps": "priority"}
    assert config.queues[1].extra["MaxTime"] == "60"


def test_other_files_may_have_more_nodes(tmp_path):
    config = read_text(tmp_path, """\
ClusterName=x
include /etc/slurm/nodes.conf
NodeName=a CPUs=4
PartitionName=p Nodes=n[1-4]
PartitionName=q Nodes=ALL
PartitionName=r Nodes=a
PartitionName=s Nodes=""
PartitionName=t
""")
    assert errors(config) == []
    assert [(f.line, f.where) for f in told(config)] == [
        (2, "/etc/slurm/nodes.conf")]
    assert ["limit" in settings(config, "root." + q) for q in "pqrst"] == [
        False, False, True, True, False]
    assert settings(config, "root.s")["limit"] == "cpu=0,memory=0,gpu=0"
    assert settings(config, "root.r")["limit"] == "cpu=4,gpu=0"


def test_partitions_may_have_sets_of_nodes(tmp_path):
    config = read_text(tmp_path, """\
NodeName=a[1-3] CPUs=4 Feature=old,big
NodeName=b CPUs=32 Features=new
NodeSet=fat Feature=big
NodeSet=both Feature=new Nodes=a1,b
NodeSet=lost Nodes=c
PartitionName=p Nodes=fat
PartitionName=q Nodes=a2,both
PartitionName=r Nodes=lost
NodeSet=fat Feature=new
PartitionName=s Nodes=a1
""")
    assert errors(config) == [8, 9] and len(told(config)) == 2
    assert [settings(config, "root." + q).get("limit", "").split(",")[0]
            for q in "pqr"] == ["cpu=12", "cpu=40", ""]
    assert config.spelled["nodeset.both.Nodes"] == "a1,b"


def test_a_file_without_partitions_says_so(tmp_path):
    text = "ClusterName=x\nNodeName=n CPUs=4\n"
    told = [f.text for f in read_text(tmp_path, text).findings]
    assert "has no partition: Slurm takes no job" in told
    for more in ("Include p.conf\n", "PartitionName=p Nodes=n\n"):
        config = read_text(tmp_path, text + more)
        assert not any("no partition" in f.text for f in config.findings)


@pytest.mark.parametrize("said, cores", [
    ("CPUs=8 CoreSpecCount=1", 7),
    ("Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 CoreSpecCount=2", 12),
    ("CPUs=16 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 CoreSpecCount=2", 12),
    ("CPUs=8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 CoreSpecCount=2", 6),
    ("Boards=2 SocketsPerBoard=2 CoresPerSocket=2 ThreadsPerCore=2", 16)])
def test_cores_for_the_system_go_with_their_threads(tmp_path, said, cores):
    """cpus_efctv of Slurm: a thread a core where CPUs are as many as cores."""
    config = read_text(tmp_path, f"NodeName=n {said}\n"
                       "PartitionName=p Nodes=n\n", "slurm")
    assert settings(config, "root.p")["limit"] == f"cpu={cores},gpu=0"


MEMORY = """\
{params}
NodeName=a[1-2] CPUs=4 RealMemory=1000 MemSpecLimit=100 CoreSpecCount=1
NodeName=b CPUs=4 {b}
NodeName=f CPUs=64 RealMemory=9 State=FUTURE
PartitionName=p Nodes=a[1-2],f {p}
PartitionName=q Nodes=b
"""


@pytest.mark.parametrize("params, p, q", [
    ("", "cpu=6,memory=1800MiB,gpu=0", "cpu=4,gpu=0"),
    ("SelectTypeParameters=CR_Core_Memory", "cpu=6,memory=1800MiB,gpu=0",
     "cpu=4,gpu=0"),
    ("SelectTypeParameters=CR_Core", "cpu=6,gpu=0", "cpu=4,gpu=0"),
    ("SelectType=select/linear", "cpu=6,gpu=0", "cpu=4,gpu=0")])
def test_memory_of_slurm_counts_where_it_is_consumed_and_said(
        tmp_path, params, p, q):
    config = read_text(tmp_path, MEMORY.format(
        params=params or "ClusterName=x", b="", p=""))
    assert errors(config) == []
    assert settings(config, "root.p")["limit"] == p
    assert settings(config, "root.q")["limit"] == q
    assert [f.where for f in config.findings if "memory is no bound" in f.text
            ] == ["RealMemory"]
    assert settings(config, "root.p")["label"] == "p"


def test_nothing_is_preempted_without_a_plugin(tmp_path):
    for said, preempts in (("", "no"), ("PreemptType=preempt/none\n", "no"),
                           ("PreemptType=preempt/partition_prio\n", None)):
        config = read_text(tmp_path, said + "NodeName=a\nPartitionName=p "
                           "Nodes=a\n")
        assert settings(config, "root").get("preempt_from") == preempts


def test_partitions_that_share_nodes_have_one_label(tmp_path):
    config = read_text(tmp_path, """\
NodeName=a[1-9] CPUs=1 RealMemory=1
PartitionName=p Nodes=a[1-3]
PartitionName=q Nodes=a[3-5]
PartitionName=r Nodes=a[5-6]
PartitionName=s Nodes=a[7-9]
PartitionName=t Nodes=a[7-9]
""")
    assert [settings(config, f"root.{n}")["label"] for n in "pqrst"] == [
        "p", "p", "p", "s", "s"]
    assert [(f.where, "does not say" in f.text) for f in config.findings
            if "share nodes" in f.text] == [("p, q, r", True),
                                            ("s, t", False)]


def test_accounts_of_slurm_are_a_tree(tmp_path):
    config = read_text(tmp_path, """\
sacctmgr -i add qos low
sacctmgr -i add account bio parent=science Fairshare=30 GrpTRES=cpu=8,mem=4G
sacctmgr -i add account science Descr='all of it' Fairshare=70
sacctmgr -i add user ann,bob Account=bio Fairshare=5 GrpJobs=3
sacctmgr -i modify account bio set QOS=low,high \\
    Fairshare=lots
sacctmgr -i add account lost parent=nowhere
""")
    assert config.form == "slurm-accounts" and errors(config) == [5, 6, 7]
    assert settings(config, "root.science")["weight"] == "70"
    assert settings(config, "root.science.bio")["limit"] == \
        "cpu=8,memory=4GiB"
    assert settings(config, "root.science.bio.bob") == {
        "weight": "5", "max_running": "3", "apps": "priority"}
    assert settings(config, "root") == {"order": "fair", "fair_kind": "cpu"}


def test_a_dump_of_accounts_is_read(tmp_path):
    config = read_text(tmp_path, """\
Cluster - 'tux':Fairshare=1:QOS='normal'
Parent - 'root'
User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1
Account - 'bio':Description='b: c':Organization='x':Fairshare=100:GrpTRES=cpu=4
Account - 'gpu':GrpTRES=gres/gpu:a100=2,mem=4G,gres/gpu=6:MaxJobs=3
Parent - 'bio'
User - 'ann':DefaultAccount='bio':Fairshare=7
User - 'bob':DefaultAccount='bio':Fairshare=2147483647
""")
    assert config.form == "slurm-accounts" and errors(config) == []
    assert settings(config, "root.bio") == {
        "weight": "100", "limit": "cpu=4", "order": "fair",
        "fair_kind": "cpu"}
    assert settings(config, "root.gpu") == {"limit": "memory=4GiB,gpu=6",
                                            "apps": "priority"}
    assert settings(config, "root.bio.ann") == {"weight": "7",
                                                "apps": "priority"}
    assert settings(config, "root.bio.bob") == {"apps": "priority"}
    assert config.queues[-1].spelled["Fairshare"] == "parent"
    assert "Fairshare=parent" in [f.where for f in config.findings]


def test_users_take_bounds_on_jobs_from_accounts_above(tmp_path):
    config = read_text(tmp_path, """\
Parent - 'root'
Account - 'a':MaxJobs=9
Parent - 'a'
Account - 'b'
User - 'ann'
Parent - 'b'
User - 'bob':MaxJobs=4:GrpJobs=6
User - 'cy':MaxJobs=-1
User - 'di':GrpJobs=5
""")
    assert errors(config) == []
    assert [settings(config, f"root.a.{n}").get("max_running") for n in
            ("ann", "b.bob", "b.cy", "b.di")] == ["9", "4", None, "5"]


def test_a_user_may_have_a_share_in_each_partition(tmp_path):
    config = read_text(tmp_path, """\
Parent - 'root'
Account - 'bio':Fairshare=1
Parent - 'bio'
User - 'ann':Partition='gpu':DefaultAccount='bio':Fairshare=7
User - 'ann':Partition='cpu':DefaultAccount='bio':Fairshare=3
User - 'ann':Partition='cpu':DefaultAccount='bio':Fairshare=4
""")
    assert errors(config) == [6]
    assert settings(config, "root.bio.ann/gpu")["weight"] == "7"
    assert settings(config, "root.bio.ann/cpu")["weight"] == "3"
    config = read_text(tmp_path, """\
sacctmgr add account bio
sacctmgr add user ann,bob account=bio partition=gpu,cpu fairshare=2
sacctmgr modify user ann where account=bio set fairshare=5
sacctmgr modify user ann where account=bio partition=cpu set fairshare=6
sacctmgr delete user bob where account=bio partition=gpu
sacctmgr delete user bob
sacctmgr add user bob account=bio
""")
    assert errors(config) == []
    assert [(".".join(q.path[2:]), q.settings.get("weight"))
            for q in config.queues[2:]] == [
        ("ann/gpu", "5"), ("ann/cpu", "6"), ("bob", None)]


@pytest.mark.parametrize("text, names", [
    ("a", ["a"]), ("a[1-3],b", ["a1", "a2", "a3", "b"]),
    ("n[08-10,12]x", ["n08x", "n09x", "n10x", "n12x"]),
    ("r[0-1]_n[1,03]x", ["r0_n1x", "r0_n03x", "r1_n1x", "r1_n03x"])])
def test_lists_of_hosts_unfold(text, names):
    assert list(hosts(text)) == names


def test_what_is_no_list_of_hosts_is_refused():
    for text in ("a[3-1]", "a[x]", "a[1-999999999]", "a[1-3", "a1-3]",
                 "a[b[1]]", "a[1-60000],b[1-60000]"):
        with pytest.raises(BadHosts):
            list(hosts(text))


@pytest.mark.parametrize("name, queues, wrong, places", [
    ("2bh-optogpu.conf", 3, [67, 79, 80], 0),
    ("fiuba-gang-oversubscribe.conf", 2, [], 0), ("gsi-vega.conf", 4, [], 0),
    ("nstda-tara.conf", 6, [], 0), ("sussex-pal-gpu.conf", 6, [], 0),
    ("imperial-biomedia.conf.j2", 7, [], 23),
    ("umcg-league-of-robots.conf.j2", 1, [], 31),
    ("umcg-qos-sacctmgr.bash.j2", 2, [], 31)])
def test_real_files_of_slurm_are_read(name, queues, wrong, places):
    config = read_config(real("slurm/" + name))
    assert (len(config.queues), errors(config)) == (queues, wrong)
    assert len([f for f in config.findings
                if "not filled in" in f.text]) == places
    config.tree()


SCRIPT = r"""#!/bin/bash
PATH=/opt/slurm/bin:$PATH
sudo sacctmgr -i add account physics,chem Description="Labs" Fairshare=40
sudo -u slurm /opt/bin/sacctmgr -iQ create account name=hep parent=physics \
    fairshare=3 GrpTRES=cpu=200,gres/gpu=8  # the large one
yes | sacctmgr add user ann,bob Account=hep Fairshare=2 MaxJobs=5; echo done
sacctmgr -i add user carl account=physics,chem DefaultAccount=chem || true
sacctmgr add user dora DefaultAccount=chem Partition=day,night 2>/dev/null
sacctmgr -i modify user ann set fairshare=7;sacctmgr -i modify user where \
    name=bob account=hep set GrpTRES=cpu=16 > /dev/null
docker exec ctl bash -c "sacctmgr -i add account bio Description=\"B c\" && \
sacctmgr -i add user eve account=bio" || echo "no sacctmgr here"
ssh head 'sacctmgr -i modify account bio set Fairshare=5'
sacctmgr -i add account "$lab" Fairshare=5
sacctmgr -i modify user ann where account=chem set Fairshare=9
sacctmgr -i modify user carl set DefaultAccount=physics
# sacctmgr -i add account none
"""


def test_scripts_call_sacctmgr_as_people_do(tmp_path):
    """With sudo, in a container, over ssh, with what shells have behind."""
    config = read_text(tmp_path, SCRIPT)
    assert config.form == "slurm-accounts"
    assert [line.partition(" order=fair")[0]
            for line in config.text().splitlines()[2:]] == [
        "root.physics weight=40", "root.chem weight=40", "root.bio weight=5",
        "root.physics.hep weight=3 limit=cpu=200,gpu=8",
        "root.physics.hep.ann weight=7 apps=priority max_running=5",
        "root.physics.hep.bob weight=2 limit=cpu=16 apps=priority "
        "max_running=5", "root.physics.carl apps=priority",
        "root.chem.carl apps=priority", "root.chem.dora/day apps=priority",
        "root.chem.dora/night apps=priority", "root.bio.eve apps=priority"]
    assert errors(config) == [15]
    assert [(f.line, f.where) for f in config.findings
            if "variable of the shell" in f.text] == [(14, "$lab")]
    assert config.lost() == []
    assert queue(config, "root.bio").spelled["Description"] == "B c"
