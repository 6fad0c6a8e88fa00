"""Files made to do harm: none gives anything but findings or ImportFailed."""

import os
import random

import pytest

import sked
from sked.importers import ImportFailed, read_config, write_config
from sked.importers.configs.forms import FORMS, WRITERS, form_of
from sked.importers.model import Configuration, QueueSpec

from configurations import BUNDLED, content

try:
    from hypothesis import given, settings, strategies as st
except ImportError:
    given = None

RUNS = int(os.environ.get("SKED_TRIES", "400"))
PIECES = [b"\0", b"<", b">", b'"', b"'", b"[", b"]", b"{", b"}", b"&x;", b"-1",
          b"1e999", b"9" * 25, b"%", b"w", b"\xff\xfe", b"\n", b".", b",",
          b"=", b"root", b"NaN", b"&a ", b"*a", b"<<: ", b"- ", b": ", b"\\",
          b"\x01", b"\xed\xa0\x80", b"<%= x %>", b"{{ y }}", b"\t", b"|\n"]
SEEDS = [
    b"kind: ClusterQueue\napiVersion: kueue.x-k8s.io/v1\nmetadata: {name: a}\n"
    b"spec:\n  cohort: c\n  resourceGroups:\n  - coveredResources: [cpu]\n"
    b"    flavors: [{name: f, resources: [{name: cpu, nominalQuota: 3}]}]\n",
    b"kind: Queue\napiVersion: scheduling.volcano.sh/v1\nmetadata: {name: q}\n"
    b"spec: {weight: 3, capability: {cpu: 2}, parent: root}\n",
    b"partitions:\n- name: default\n  queues:\n  - name: root\n    queues:\n"
    b"    - {name: a, resources: {max: {vcore: 3}}}\n",
    b"name: a\nresources:\n- {kind: cpu, reservation: 1, limit: 2, share: 1}\n",
    b"ClusterName=x\nNodeName=a[1-9] CPUs=4 RealMemory=9\n"
    b"PartitionName=p Nodes=a[1-9] Priority=3\n",
    b"add account a Fairshare=3\nadd user b Account=a Fairshare=parent\n",
    b'{"property":[{"name":"yarn.scheduler.capacity.root.queues","value":"a"'
    b'},{"name":"yarn.scheduler.capacity.root.a.capacity","value":"100"}]}']


def look(data, name="file", form=None):
    """Reads bytes; what it gives can be shown, written and made a tree."""
    try:
        found = form or form_of(name, data, "text")
        config = found.read(name, data)
    except ImportFailed as error:
        assert str(error)
        return None
    for finding in config.findings:
        assert finding.line >= 0 and str(finding)
    if config.queues:
        sked.Tree(config.kinds).read(config.text())
        for writer in WRITERS.values():
            writer.write(config)[0].encode()
    return config


def mutated(rng, data):
    """A few bytes changed, lost, doubled."""
    made = bytearray(data)
    for _ in range(rng.randint(1, 10)):
        at = rng.randrange(len(made) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            made[at:at + rng.randint(0, 4)] = rng.choice(PIECES)
        elif kind == 1:
            del made[at:at + rng.randint(1, 40)]
        elif kind == 2 and at < len(made):
            made[at] = rng.randrange(256)
        else:
            start = rng.randrange(len(made) + 1)
            made[at:at] = made[start:start + rng.randint(1, 200)]
    return bytes(made)


def test_mutations_give_findings_or_a_refusal():
    rng = random.Random(int(os.environ.get("SKED_SEED", "1")))
    seeds = SEEDS + [p.read_bytes() for p in sorted(BUNDLED.iterdir())]
    for _ in range(RUNS):
        data = mutated(rng, rng.choice(seeds))
        form = rng.choice(FORMS) if rng.random() < 0.2 else None
        try:
            look(data, form=form)
        except Exception as error:
            raise AssertionError(f"{form and form.name}: {data!r}") from error


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@pytest.mark.parametrize("data", [
    b"", b"\0", b"\0" * 1000, b"\xff\xfe", b"\xef\xbb\xbf", b"<", b"{", b"[",
    b"\xff" * 100, b"<a>" * 100000, b"[" * 100000, b'{"a":' * 100000,
    b"- " * 100000, b"a: " * 1000, b"<allocations>" + b"<queue name='a'>" *
    100000, b"{{" * 50000, b"<%" * 50000, b"a" * 1000000, b"\\" * 100000,
    b"a=" * 100000, b"add account " * 20000, b"(" * 100000,
    b"a[" * 20000, b"''" * 50000, b"=" * 200000, b"\n" * 100000,
    b"<?xml version='1.0' encoding='klingon'?><allocations/>",
    "<allocations/>".encode("utf-16")],
    ids=lambda data: repr(data[:12]))
def test_hostile_bytes_are_survived(form, data):
    look(data, form=form)


@pytest.mark.parametrize("prefix, piece, name", [
    (b"<allocations><queue name='", b"a" * 4096, "x.xml"),
    (b'{"property": "', b"a" * 4096, "x.json"), (b"# ", b"a" * 4096, "x")])
def test_a_hundred_megabytes_are_refused(tmp_path, prefix, piece, name):
    path = tmp_path / name
    with open(path, "wb") as file:
        file.write(prefix)
        for _ in range(100 << 8):
            file.write(piece)
    with pytest.raises(ImportFailed, match="longer than 64 MiB"):
        read_config(path)


@pytest.mark.once
def test_sixty_megabytes_of_one_tag_are_read(tmp_path):
    path = tmp_path / "x.xml"
    path.write_bytes(b"<allocations><queue name='" + b"a" * (60 << 20) +
                     b"'/></allocations>")
    config = read_config(path)
    assert any("longer than" in f.text for f in config.findings)


@pytest.mark.once
def test_a_packed_bomb_is_refused(tmp_path):
    import gzip
    path = tmp_path / "x.xml.gz"
    with gzip.open(path, "wb", 9) as file:
        for _ in range(100):
            file.write(b" " * (1 << 20))
    with pytest.raises(ImportFailed, match="longer than"):
        read_config(path)


def test_a_packed_file_that_breaks_off_is_refused(tmp_path):
    import gzip
    path = tmp_path / "x.xml.gz"
    path.write_bytes(gzip.compress(b"<allocations/>" * 100)[:-9])
    with pytest.raises(ImportFailed, match="broken"):
        read_config(path)


def test_aliases_that_multiply_are_refused(tmp_path):
    pytest.importorskip("yaml", reason="needs PyYAML")
    rows = ["partitions: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]"
             for i in range(1, 12)]
    path = tmp_path / "x.yaml"
    path.write_text("\n".join(rows))
    with pytest.raises(ImportFailed, match="beyond measure"):
        read_config(path)
    path.write_text("partitions: &a [*a]")
    with pytest.raises(ImportFailed, match="no such anchor"):
        read_config(path)


def test_yaml_constructs_nothing(tmp_path):
    pytest.importorskip("yaml", reason="needs PyYAML")
    path = tmp_path / "x.yaml"
    path.write_text("partitions:\n- name: !!python/object/apply:os.abort []\n")
    read_config(path)


# ---- what is written reads the same ----

if given:
    NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0.,",
                                  exclude_categories=("Cs", "Cc", "Zs", "Zl",
                                                      "Zp", "Cn", "Co")),
                    min_size=1, max_size=6).filter(
                        lambda s: s == s.strip() and s.lower() != "root"
                        and s.isprintable())
    AMOUNT = st.integers(1, 1 << 30)

    @st.composite
    def trees(draw, leaf, parent):
        """Paths with settings, parents first."""
        made = [QueueSpec(("root",))]
        for above in draw(st.lists(st.integers(0, 7), max_size=8)):
            path = made[above % len(made)].path + (draw(NAMES),)
            if len(path) < 5 and path not in [q.path for q in made]:
                made.append(QueueSpec(path))
        order = {q.path: i for i, q in enumerate(made)}

        def place(q):
            return [order[q.path[:i + 1]] for i in range(len(q.path))]
        made.sort(key=place)
        parents = {q.path[:-1] for q in made}
        for q in made:
            q.settings = draw(parent if q.path in parents else leaf)
        return made

    def optional(**settings_):
        return st.fixed_dictionaries({}, optional=settings_)

    PLAIN = {
        "guarantee": st.builds("cpu={},memory={}MiB".format, AMOUNT, AMOUNT),
        "limit": st.builds("cpu={},memory={}MiB".format, AMOUNT, AMOUNT),
        "weight": st.integers(0, (1 << 32) - 1).map(str),
        "max_running": st.integers(0, 1 << 30).map(str),
        "preempt_from": st.sampled_from(["yes", "no"]),
        "preempt_min_timeout": st.integers(0, 10**8).map("{}s".format),
        "preempt_fair_timeout": st.integers(0, 10**8).map("{}s".format),
        "preempt_fair_threshold": st.integers(0, 100).map("{}%".format)}
    FAIR = trees(
        optional(**PLAIN, apps=st.sampled_from(["fifo", "fair"]),
                 am_share=st.integers(0, 100).map("{}%".format)),
        optional(**PLAIN, order=st.just("drf")))
    CAPACITY = trees(
        optional(limit=st.integers(0, 99).map("{}%".format),
                 max_running=PLAIN["max_running"],
                 preempt_from=PLAIN["preempt_from"],
                 priority=st.integers(1, 1 << 20).map(str),
                 state=st.just("draining"),
                 apps=st.sampled_from(["fair", "priority"]),
                 am_share=st.integers(0, 100).map("{}%".format),
                 user_limit=st.integers(0, 99).map("{}%".format),
                 user_factor=st.integers(0, 900).map("{}%".format)),
        optional(max_running=PLAIN["max_running"],
                 order=st.just("utilisation")))

    @settings(max_examples=150, deadline=None)
    @given(FAIR)
    def test_fair_files_read_as_they_were_written(tmp_path_factory, queues):
        path = tmp_path_factory.mktemp("fair") / "x.xml"
        config = Configuration("text", "x", "cpu=m memory=B", queues)
        lost = write_config(config, path, "fair-scheduler")
        alone = len(queues) == 1  # YARN has a queue default below it
        assert all(one.startswith("root: ") for one in lost)
        assert not lost or alone
        first = read_config(path)
        kept = [({**q.settings}, q.path) for q in first.queues]
        for (said, where), q in zip(kept, queues):
            assert where == q.path
            for key, value in q.settings.items():
                if key == "weight" and value == "1" or alone and key in (
                        "apps", "am_share"):
                    continue
                if key in ("guarantee", "limit"):
                    schema = sked.Schema(config.kinds)
                    assert schema.vec(said[key]).tolist() == \
                        schema.vec(value).tolist()
                else:
                    assert said[key] == value, key
        write_config(first, path, "fair-scheduler")
        assert content(read_config(path)) == content(first)

    @settings(max_examples=150, deadline=None)
    @given(CAPACITY)
    def test_capacity_files_read_as_they_were_written(tmp_path_factory,
                                                      queues):
        path = tmp_path_factory.mktemp("capacity") / "x.xml"
        config = Configuration("text", "x", "cpu=m memory=B", queues)
        write_config(config, path, "capacity-scheduler")
        first = read_config(path)
        for mine, q in zip(first.queues, queues):
            assert mine.path == q.path
            for key, value in q.settings.items():
                if len(q.path) > 1 or key not in ("limit", "weight"):
                    assert mine.settings.get(key) == value, key
        assert write_config(first, path, "capacity-scheduler") == []
        assert content(read_config(path)) == content(first)
