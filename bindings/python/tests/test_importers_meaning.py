"""What a file means in its source is what the imported tree does: the tree in
the engine beside a model of the source, under endless and changing demand."""

from fractions import Fraction

import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import Phase, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sked.importers import write_config  # noqa: E402

from configurations import read_text, wrong  # noqa: E402
from meanings import (CORES, TASK, Node, accounts_order,  # noqa: E402
                      capacity_order, deserved, fair_order, modelled, run,
                      tier_order, yunikorn_order, yunikorn_preempts)

MANY = settings(max_examples=40, deadline=None,
                phases=[Phase.explicit, Phase.generate])
NAMES = "abcd"


def parts(n, total=100):
    """n whole numbers of 1 or more that add to a total."""
    return st.lists(st.integers(1, total - 1), min_size=n - 1, max_size=n - 1,
                    unique=True).map(lambda cuts: [
                        b - a for a, b in zip([0, *sorted(cuts)],
                                              [*sorted(cuts), total])])


def phases(draw, paths):
    """Demands of leaves in some phases: none, some, or without end."""
    wants = st.sampled_from([0, 7, 30, 400, 400, 400])
    return [{path: draw(wants) for path in paths}
            for _ in range(draw(st.integers(1, 3)))]


def shape(draw, most=3):
    """A tree of two levels at most, as names below the root."""
    return {name: [f"{name}{i}" for i in range(draw(st.sampled_from(
        [0, 0, 2, 3])))] for name in NAMES[:draw(st.integers(2, most))]}


def compare(ours, theirs, slack):
    for mine, other in zip(ours, theirs):
        for path in mine:
            assert abs(mine[path] - other[path]) <= slack, (ours, theirs)


def read(tmp_path_factory, text, form):
    config = read_text(tmp_path_factory.mktemp("meaning"), text, form)
    assert wrong(config) == []
    return config


def leaves(tree):
    return [f"root.{top}.{one}" if below else f"root.{top}"
            for top, below in tree.items() for one in below or [""]]


# ---- YARN ----

def capacity_text(root):
    props = {}
    for path, node in root.walk():
        name = ".".join(path)
        if node.below:
            props[f"{name}.queues"] = ",".join(o.name for o in node.below)
        for key, value in node.said.items():
            props[f"{name}.{key}"] = value
    return "<configuration>" + "".join(
        f"<property><name>yarn.scheduler.capacity.{key}</name>"
        f"<value>{value}</value></property>"
        for key, value in props.items()) + "</configuration>"


def capacity_family(draw, parent, names, total=100):
    """Children with capacities that add to 100, and all else they may say."""
    if draw(st.booleans()):
        parent.said["ordering-policy"] = draw(st.sampled_from(
            ["utilization", "priority-utilization"]))
    for name, part in zip(names, draw(parts(len(names)))):
        node = Node(name, {"capacity": part})
        node.guarantee = parent.guarantee * part / 100
        most = draw(st.sampled_from([100, 100, 100, 60, part, -1]))
        if 0 <= most < part:
            most = part
        if most != 100:
            node.said["maximum-capacity"] = most
        node.limit = parent.limit * (100 if most < 0 else most) / 100
        if draw(st.booleans()):
            node.said["priority"] = draw(st.sampled_from([0, 5]))
        parent.below.append(node)


@st.composite
def capacity_trees(draw):
    root = Node("root", guarantee=Fraction(CORES))
    tree = shape(draw)
    capacity_family(draw, root, tree)
    for top in root.below:
        if tree[top.name]:
            capacity_family(draw, top, tree[top.name])
    for leaf in root.leaves().values():
        factor = draw(st.sampled_from([None, 1, 2, "0.5", -1]))
        if factor is not None:
            leaf.said["user-limit-factor"] = factor
        if factor != -1:
            most = Fraction(factor or 1) * leaf.guarantee
            leaf.limit = min(leaf.limit, Fraction(-(-most // 1)))
        if draw(st.booleans()):
            leaf.said["minimum-user-limit-percent"] = draw(
                st.sampled_from([25, 100]))
        if draw(st.booleans()):
            leaf.said["maximum-am-resource-percent"] = "0.3"
        if draw(st.integers(0, 9)) == 0:
            leaf.said["state"] = "STOPPED"
            leaf.limit = Fraction(0)
    wanted = phases(draw, root.leaves())
    if any("priority-utilization" in node.said.values()
           for _, node in root.walk()):
        wanted = wanted[:1]  # the tree has priorities beyond capacities only
    return root, wanted


@MANY
@given(capacity_trees())
def test_the_capacity_scheduler(tmp_path_factory, drawn):
    root, wanted = drawn
    hypothesis.assume(all(node.guarantee >= 1 for _, node in root.walk()))
    config = read(tmp_path_factory, capacity_text(root), "capacity-scheduler")
    compare(run(config, wanted, TASK), modelled(root, capacity_order, wanted), 1)


def test_a_capacity_of_less_than_a_core_counts_as_one_in_yarn_alone(
        tmp_path_factory):
    """The least allocation stands in another file, and how many cores a
    percentage is depends on the cluster: the row of `capacity` says so."""
    root = Node("root", guarantee=Fraction(CORES))
    for name, part in (("a", 1), ("b", 99)):
        root.below.append(Node(name, {"capacity": part},
                               guarantee=Fraction(CORES * part, 100)))
    small = root.below[0]
    for name, part in (("x", 1), ("y", 99)):
        small.below.append(Node(name, {"capacity": part,
                                       "user-limit-factor": -1},
                                guarantee=small.guarantee * part / 100))
    config = read(tmp_path_factory, capacity_text(root), "capacity-scheduler")
    wanted = [{"root.a.x": 400, "root.a.y": 400, "root.b": 0}]
    assert modelled(root, capacity_order, wanted)[0]["root.a.x"] > 50
    assert run(config, wanted, TASK)[0]["root.a.x"] <= 2


@st.composite
def fair_trees(draw):
    root = Node("root", {"schedulingPolicy": "fair"},
                guarantee=Fraction(CORES))
    tree = shape(draw)
    for parent, names in [(root, tree)] + [
            (None, (top, below)) for top, below in tree.items() if below]:
        if parent is None:
            top, names = names
            parent = next(o for o in root.below if o.name == top)
            parent.said["schedulingPolicy"] = "fair"
        for name in names:
            node = Node(name, {"weight": Fraction(draw(st.sampled_from(
                [1, 1, 2, 5])))}, limit=parent.limit)
            least = draw(st.sampled_from([0, 0, 10, 20]))
            if least and sum(o.guarantee for o in parent.below) + least <= \
                    parent.guarantee:
                node.guarantee = Fraction(least)
            if draw(st.integers(0, 3)) == 0:
                node.limit = min(node.limit, Fraction(draw(
                    st.sampled_from([40, 70]))))
                node.said["max"] = node.limit
            parent.below.append(node)
    return root, phases(draw, root.leaves())


def fair_text(node):
    """A queue as XML."""
    inner = "".join(fair_text(one) for one in node.below)
    said = [("schedulingPolicy", node.said.get("schedulingPolicy", "fifo"))]
    if node.name != "root":
        said.append(("weight", node.said["weight"]))
        if node.guarantee:
            said.append(("minResources", f"{int(node.guarantee) * 1024} mb, "
                         f"{int(node.guarantee)} vcores"))
        if "max" in node.said:
            said.append(("maxResources", f"{int(node.limit) * 1024} mb, "
                         f"{int(node.limit)} vcores"))
    return f'<queue name="{node.name}">' + "".join(
        f"<{key}>{value}</{key}>" for key, value in said) + inner + "</queue>"


@MANY
@given(fair_trees())
def test_the_fair_scheduler(tmp_path_factory, drawn):
    root, wanted = drawn
    config = read(tmp_path_factory, "<allocations>" + fair_text(root) +
                  "</allocations>", "fair-scheduler")
    compare(run(config, wanted, TASK), modelled(root, fair_order, wanted), 1)


@MANY
@given(st.data())
def test_pools_of_spark(tmp_path_factory, data):
    root, text = Node("root", guarantee=Fraction(CORES)), ""
    for name in [*NAMES[:data.draw(st.integers(1, 3))], "default"]:
        node = Node(name, {"weight": Fraction(1)})
        if name != "default":
            node.said["weight"] = Fraction(data.draw(st.integers(1, 5)))
            node.guarantee = Fraction(data.draw(st.sampled_from([0, 8, 20])))
            text += (f'<pool name="{name}"><weight>{node.said["weight"]}'
                     f"</weight><minShare>{node.guarantee}</minShare></pool>")
        root.below.append(node)
    wanted = phases(data.draw, root.leaves())
    config = read(tmp_path_factory, f"<allocations>{text}</allocations>",
                  "spark-pools")
    compare(run(config, wanted), modelled(root, fair_order, wanted), 1)


# ---- YuniKorn ----

def yunikorn_text(node, depth=4):
    """A queue as YAML."""
    pad = "  " * depth
    lines = [f"{pad}- name: {node.name}"]
    said = []
    if node.said.get("guaranteed"):
        said.append(f"guaranteed: {{vcore: {int(node.guarantee)}}}")
    if "max" in node.said:
        said.append(f"max: {{vcore: {int(node.said['max'])}}}")
    if said:
        lines.append(f"{pad}  resources: {{{', '.join(said)}}}")
    props = {"priority.offset": node.said.get("offset"),
             "application.sort.priority": None if node.said.get(
                 "priorities", True) else "disabled"}
    props = {key: value for key, value in props.items() if value is not None}
    if props:
        lines.append(f"{pad}  properties: {{" + ", ".join(
            f"{key}: '{value}'" for key, value in props.items()) + "}")
    if node.below:
        lines.append(f"{pad}  queues:")
        lines += [yunikorn_text(one, depth + 2) for one in node.below]
    return "\n".join(lines)


@st.composite
def yunikorn_trees(draw, held):
    """Trees in which each sibling has a guarantee, or none has."""
    root = Node("root", guarantee=Fraction(CORES))
    tree = shape(draw)
    root.said["priorities"] = draw(st.booleans())
    families = [(root, list(tree))]
    while families:
        parent, names = families.pop()
        if held and parent.guarantee < 10:
            names = []
        share = draw(parts(len(names), int(parent.guarantee))) \
            if held and names else [0] * len(names)
        for name, part in zip(names, share):
            node = Node(name, {"priorities": root.said["priorities"]},
                        limit=parent.limit)
            if held:
                node.guarantee = Fraction(part)
                node.said["guaranteed"] = True
            if draw(st.integers(0, 3)) == 0 and held:
                most = max(int(node.guarantee), 50)
                node.said["max"] = Fraction(most)
                node.limit = min(node.limit, Fraction(most))
            if parent is root and not tree[name] and draw(st.booleans()):
                node.said["offset"] = draw(st.sampled_from([0, 10, -10]))
            parent.below.append(node)
            if parent is root and tree[name]:
                families.append((node, tree[name]))
    return root, phases(draw, root.leaves())


@pytest.mark.parametrize("held", [True, False])
def test_yunikorn(tmp_path_factory, held):
    pytest.importorskip("yaml", reason="needs PyYAML")

    @MANY
    @given(yunikorn_trees(held))
    def check(drawn):
        root, wanted = drawn
        config = read(tmp_path_factory, "partitions:\n  - name: default\n"
                      "    queues:\n" + yunikorn_text(root, 3), "yunikorn")
        compare(run(config, wanted), modelled(root, yunikorn_order, wanted),
                2)

    check()


def test_yunikorn_with_guarantees_beside_none(tmp_path_factory):
    """The queue with the guarantee has it back by preemption. How much more it
    gets goes by the cluster there, and by its part here: a note says so."""
    pytest.importorskip("yaml", reason="needs PyYAML")
    for guaranteed in (10, 48, 80):
        root = Node("root", guarantee=Fraction(CORES))
        root.below = [Node("a", {"guaranteed": True},
                           guarantee=Fraction(guaranteed)), Node("b")]
        config = read(tmp_path_factory, "partitions:\n  - name: default\n"
                      "    queues:\n" + yunikorn_text(root, 3), "yunikorn")
        wanted = [{"root.a": 400, "root.b": 400}]
        ours = run(config, wanted)[0]
        theirs = modelled(root, yunikorn_order, wanted, yunikorn_preempts)[0]
        assert theirs["root.a"] >= guaranteed
        assert ours["root.a"] >= guaranteed
        assert sum(ours.values()) == sum(theirs.values()) == CORES
        assert [f for f in config.findings if f.where == "resources.max" and
                "without guarantee" in f.text]


# ---- Slurm ----

@st.composite
def account_trees(draw):
    root = Node("root", {"shares": Fraction(1)})
    for top in NAMES[:draw(st.integers(2, 3))]:
        account = Node(top, {"shares": Fraction(draw(st.integers(1, 9)))})
        if draw(st.integers(0, 3)) == 0:
            account.limit = Fraction(draw(st.sampled_from([20, 60])))
            account.said["GrpTRES"] = f"cpu={int(account.limit)}"
        for i in range(draw(st.integers(1, 3))):
            user = Node(f"{top}{i}", {"shares": Fraction(draw(
                st.integers(1, 9)))}, limit=account.limit)
            if draw(st.integers(0, 3)) == 0:
                user.limit = min(user.limit, Fraction(15))
                user.said["GrpTRES"] = "cpu=15"
            account.below.append(user)
        root.below.append(account)
    return root, phases(draw, root.leaves())


def accounts_text(root):
    lines = ["Cluster - 'c'", "Parent - 'root'"]

    def line(kind, node):
        more = f":GrpTRES={node.said['GrpTRES']}" \
            if "GrpTRES" in node.said else ""
        lines.append(f"{kind} - '{node.name}':Fairshare="
                     f"{int(node.said['shares'])}{more}")

    for account in root.below:
        line("Account", account)
    for account in root.below:
        lines.append(f"Parent - '{account.name}'")
        for user in account.below:
            line("User", user)
    return "\n".join(lines) + "\n"


@MANY
@given(account_trees())
def test_accounts_of_slurm(tmp_path_factory, drawn):
    root, wanted = drawn
    config = read(tmp_path_factory, accounts_text(root), "slurm-accounts")
    compare(run(config, wanted), modelled(root, accounts_order, wanted), 2)


@MANY
@given(st.data())
def test_partitions_of_slurm(tmp_path_factory, data):
    tiers = data.draw(st.permutations([1, 2, 3]))
    root = Node("root", below=[Node(name, {"tier": tier}) for name, tier in
                               zip(NAMES, tiers)])
    text = f"ClusterName=x\nNodeName=n[1-4] CPUs={CORES // 4}\n"
    for one in root.below:
        nodes = data.draw(st.sampled_from(["ALL", "n[1-4]", "n[1-2]"]))
        one.limit = Fraction(CORES if nodes != "n[1-2]" else CORES // 2)
        down = data.draw(st.integers(0, 6)) == 0
        if down:
            one.limit = Fraction(0)
        text += (f"PartitionName={one.name} Nodes={nodes} "
                 f"PriorityTier={one.said['tier']} "
                 f"State={'DOWN' if down else 'UP'}\n")
    wanted = phases(data.draw, root.leaves())
    config = read(tmp_path_factory, text, "slurm")
    compare(run(config, wanted), modelled(root, tier_order, wanted), 1)


# ---- Volcano and Kueue ----

@MANY
@given(st.data())
def test_the_proportion_plugin_of_volcano(tmp_path_factory, data):
    pytest.importorskip("yaml", reason="needs PyYAML")
    queues, text = [], ""
    for name in NAMES[:data.draw(st.integers(2, 4))]:
        node = Node(name, {"weight": data.draw(st.integers(1, 9))})
        spec = [f"weight: {node.said['weight']}"]
        if data.draw(st.integers(0, 2)) == 0:
            node.said["held"] = data.draw(st.sampled_from([5, 20]))
            spec.append(f"guarantee: {{resource: {{cpu: "
                        f"{node.said['held']}}}}}")
        if data.draw(st.integers(0, 2)) == 0:
            node.limit = Fraction(data.draw(st.sampled_from([30, 60])))
            spec.append(f"capability: {{cpu: {int(node.limit)}}}")
        queues.append(node)
        text += ("---\napiVersion: scheduling.volcano.sh/v1beta1\n"
                 f"kind: Queue\nmetadata: {{name: {name}}}\n"
                 f"spec: {{{', '.join(spec)}}}\n")
    wanted = phases(data.draw, [f"root.{q.name}" for q in queues])[:1]
    for node in queues:
        node.demand = wanted[0][f"root.{node.name}"]
    want = deserved([q for q in queues if q.demand or q.said.get("held")])
    # Else it goes by who comes first, or by how rounds add to what is held.
    weights = sum(q.said["weight"] for q in want)
    hypothesis.assume(sum(want.values()) <= CORES and all(
        q.said.get("held", 0) * weights <= CORES * q.said["weight"]
        for q in want))
    config = read(tmp_path_factory, text, "volcano")
    held = run(config, wanted)
    compare(held, [{f"root.{q.name}": min(want.get(q, 0), q.demand)
                    for q in queues}], 2)  # a part of a task, and a task


@MANY
@given(st.data())
def test_quotas_of_kueue(tmp_path_factory, data):
    """What Kueue promises whoever comes first: nominal quota less what others
    borrowed before, bounds on borrowing and lending, and nothing idle."""
    pytest.importorskip("yaml", reason="needs PyYAML")
    quotas, text = {}, ""
    for name, part in zip(NAMES, data.draw(parts(3, CORES))):
        borrow = data.draw(st.sampled_from([None, None, 0, 10]))
        lend = data.draw(st.sampled_from([None, None, 0, 5]))
        quotas[f"root.team.{name}"] = part, borrow, lend
        more = "".join(f", {key}: {value}" for key, value in (
            ("borrowingLimit", borrow), ("lendingLimit", lend))
            if value is not None)
        text += f"""\
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {{name: {name}}}
spec:
  cohort: team
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: f
      resources: [{{name: cpu, nominalQuota: {part}{more}}}]
"""
    wanted = phases(data.draw, quotas)[:1]
    config = read(tmp_path_factory, text, "kueue")
    held = run(config, wanted)[0]
    lent = {path: min(part - min(part, wanted[0][path]),
                      part if lend is None else lend)
            for path, (part, _, lend) in quotas.items()}
    could = 0
    for path, (part, borrow, _) in quotas.items():
        more = max(0, wanted[0][path] - part)
        could += more if borrow is None else min(more, borrow)
        assert min(part, wanted[0][path]) <= held[path] <= min(
            wanted[0][path], CORES if borrow is None else part + borrow)
    borrowed = sum(max(0, held[path] - part)
                   for path, (part, _, _) in quotas.items())
    assert borrowed == min(could, sum(lent.values()))


# ---- from one scheduler of YARN to the other ----

@MANY
@given(fair_trees())
def test_fair_to_capacity_and_back_share_alike(tmp_path_factory, drawn):
    """What is lost is said; where nothing of shares is, shares stay."""
    root, wanted = drawn
    for _, node in root.walk():
        node.guarantee = Fraction(0)
        node.said.pop("max", None)
        node.limit = Fraction(CORES)
    folder = tmp_path_factory.mktemp("way")
    config = read(tmp_path_factory, "<allocations>" + fair_text(root) +
                  "</allocations>", "fair-scheduler")
    lost = write_config(config, folder / "c.xml", "capacity-scheduler")
    assert all("weights below" in one or "apps=" in one or "order=" in one or
               "fair_kind" in one for one in lost), lost
    there = read_text(folder, (folder / "c.xml").read_text(),
                      "capacity-scheduler", "d.xml")
    assert wrong(there) == []
    full = [{path: 400 for path in root.leaves()}]
    compare(run(there, full, TASK), run(config, full, TASK), 3)
    write_config(there, folder / "f.xml", "fair-scheduler")
    back = read_text(folder, (folder / "f.xml").read_text(),
                     "fair-scheduler", "g.xml")
    assert wrong(back) == []
    compare(run(back, full, TASK), run(config, full, TASK), 3)


@MANY
@given(capacity_trees())
def test_ours_to_capacity_and_back_is_the_same(tmp_path_factory, drawn):
    root, wanted = drawn
    folder = tmp_path_factory.mktemp("own")
    config = read(tmp_path_factory, capacity_text(root), "capacity-scheduler")
    assert write_config(config, folder / "c.xml", "capacity-scheduler") == []
    again = read_text(folder, (folder / "c.xml").read_text(),
                      "capacity-scheduler", "d.xml")
    assert run(again, wanted) == run(config, wanted)
