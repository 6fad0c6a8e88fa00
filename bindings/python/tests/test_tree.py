"""Trees, ledgers and shares from Python."""

import copy
import gc
import pickle
from array import array
from fractions import Fraction

import pytest

import sked

TEXT = """kinds cpu=m memory=B
root
root.ads weight=3 guarantee="cpu=20,memory=40GiB" max_running=50
root.ads.bid user_limit=25% user_factor=150% start_rate=200
root.ml weight=1 limit=60% preempt_from=no order=fair
"""


@pytest.fixture
def tree():
    return sked.Tree.from_text(TEXT, file="queues.txt")


def test_a_text_comes_back(tree):
    assert sked.Tree.from_text(tree.text).text == tree.text
    assert tree.paths == ["root", "root.ads", "root.ml", "root.ads.bid"]
    assert tree["root.ads"].get("guarantee") == {"cpu": 20000,
                                                 "memory": 40 << 30}
    assert tree["root.ml"].get("order") == sked.ChildOrder.FAIR
    assert tree["root.ads.bid"].get("user_limit") == 250_000
    assert tree["root.ads.bid"].get("user_factor") == 1_500_000
    assert tree["root.ads.bid"].start_rate == 200
    assert tree["root.ml"].start_rate == sked.UNLIMITED
    assert tree["root.ads"].line == 3


def test_every_fault_has_its_line(tree):
    with pytest.raises(sked.ConfigError) as error:
        tree.read("root\nroot.a weight=x\nroot.b nonsense=1\n", file="f")
    assert isinstance(error.value, ValueError)
    assert [(f.line, f.code) for f in error.value.faults] == [
        (2, sked.FaultCode.BAD_VALUE), (3, sked.FaultCode.UNKNOWN_KEY)]
    assert str(error.value).startswith("f:2:")
    assert "root.ads" in tree


def test_a_strict_commit_lists_all_faults(tree):
    tree["root.ads.bid"].set(guarantee="cpu=30")
    with pytest.raises(sked.ConfigError) as error:
        tree.commit(strict=True)
    assert error.value.faults
    tree.discard()
    assert tree["root.ads.bid"].get("guarantee")["cpu"] == 0


def test_a_guarantee_that_is_lifted_is_a_note(tree):
    tree["root.ads.bid"].set(guarantee="cpu=3")
    tree["root.ads"].set(guarantee=None)
    note, = (f for f in tree.faults() if "lifted" in f.code.name.lower())
    assert note.severity is sked.Severity.NOTE < sked.Severity.WARNING
    assert note.code is sked.FaultCode.GUARANTEE_LIFTED
    assert (note.got, note.limit) == (3000, 0)
    assert "root.ads: note: guarantees of cpu below add to 3" in str(note)
    tree.commit(strict=True)


def test_errors_are_the_natural_ones_too(tree):
    with pytest.raises(KeyError) as error:
        tree["root.nobody"]
    assert isinstance(error.value, sked.NotFoundError)
    with pytest.raises(KeyError, match="did you mean 'cpu'"):
        tree.schema.vec({"cpus": 1})
    gone = tree["root.ml"]
    gone.remove()
    tree.commit()
    with pytest.raises(ReferenceError):
        gone.path
    with pytest.raises(sked.ExistsError):
        tree.root.add("ads")
    with pytest.raises(sked.RangeError) as range_error:
        tree["root.ads"].set(weight=-1)
    assert range_error.value.got == -1
    again = pickle.loads(pickle.dumps(range_error.value))
    assert (type(again), again.got) == (sked.RangeError, -1)


def test_a_pickled_ledger_has_the_rows_of_its_tree():
    tree = sked.Tree("cpu=1")
    a, b, c = (tree.root.add(name) for name in "abc")
    ledger = sked.Ledger(tree)
    ledger.set("usage", {b: {"cpu": 5}, c: {"cpu": 7}})
    a.remove()
    tree.root.add("d")
    again = pickle.loads(pickle.dumps(ledger))
    assert {q.path: again.get("usage", q)["cpu"] for q in again.tree} == {
        "root": 12, "root.b": 5, "root.c": 7, "root.d": 0}


def test_a_pickled_ledger_goes_on_with_its_time():
    class Clock(sked.Hooks):
        now = 1000

        def clock(self):
            return self.now

    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    for hooks in (None, Clock()):
        ledger = sked.Ledger(tree, half_life=10, hooks=hooks)
        ledger.decay(None if hooks else 1000)
        ledger.decay(500)  # which changes nothing
        ledger.set("history", {queue: {"cpu": 1024}})
        for again in (pickle.loads(pickle.dumps(ledger)),
                      pickle.loads(pickle.dumps(ledger.copy()))):
            again.decay(1010)
            assert again.get("history", again.tree["root.q"]) == {"cpu": 512}


def test_a_pickled_queue_is_the_one_of_its_path():
    tree = sked.Tree("cpu=1")
    a, b = tree.root.add("a"), tree.root.add("b")
    below, gone = a.add("below"), tree.root.add("gone")
    tree.commit()
    gone.remove()
    last = tree.root.add("last")
    queues = [below, b, last, a, tree.root]
    for again in (pickle.loads(pickle.dumps(queues)), copy.deepcopy(queues),
                  copy.copy(queues), [copy.copy(q) for q in queues]):
        assert [q.path for q in again] == [q.path for q in queues]
        assert len({id(q.tree) for q in again}) == 1
    with pytest.raises(sked.StaleError):
        pickle.dumps(gone)


def test_copies_and_pickles(tree):
    tree.capacity = tree.schema.vec("cpu=100")
    for made in (copy.copy(tree), copy.deepcopy(tree),
                 pickle.loads(pickle.dumps(tree))):
        assert made.text == tree.text
        assert list(made.capacity) == list(tree.capacity)
    assert tree.copy().digest == tree.digest
    tree["root.ml"].demand = "cpu=3"
    ledger = pickle.loads(pickle.dumps(tree.ledger))
    assert ledger.get("demand", ledger.tree["root.ml"])["cpu"] == 3000


def test_what_has_no_copy_says_so(tree):
    for made in (sked.Engine(tree), sked.Shares(), sked.drf.Drf([1])):
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=type(made).__name__):
                call(made)
    order = sked.Order()
    assert copy.copy(order).digest == order.digest


def test_settings_may_be_narrow_numbers_of_numpy(tree):
    numpy = pytest.importorskip("numpy")
    queue = tree["root.ml"]
    queue.set(preempt_min_timeout=numpy.uint32(30), user_factor=numpy.int16(3))
    assert queue.get("preempt_min_timeout") == 30 * 10**9
    assert queue.get("user_factor") == 3_000_000


def test_a_setting_that_does_not_fit_is_named_with_its_queue(tree):
    for setting, error in (({"borrow": "50%"}, ValueError),
                           ({"preempt_min_timeout": float("inf")},
                            OverflowError)):
        name, = setting
        with pytest.raises(error, match=f"^root.ml: {name}="):
            tree["root.ml"].set(**setting)


def test_a_closed_handle_says_so(tree):
    with tree:
        pass
    with pytest.raises(ValueError, match="closed"):
        tree.paths


def test_views_hold_the_ledger_still(tree):
    ml = tree["root.ml"]
    ml.usage = "cpu=1"
    view = tree.ledger.view("usage", "cpu")
    assert view.tolist() == [1000, 0, 1000, 0]
    with pytest.raises(BufferError):
        ml.usage = "cpu=2"
    seen = memoryview(view)
    assert seen.readonly and seen.format == "q"
    with pytest.raises(TypeError):
        seen[0] = 1
    del view
    gc.collect()
    with pytest.raises(BufferError):
        ml.usage = "cpu=2"
    seen.release()
    ml.usage = "cpu=2"


def test_columns_come_from_anything(tree):
    ids = [q.id for q in tree.leaves]
    ledger = sked.Ledger(tree)
    for amounts in ([[1, 2], [3, 4]], [1, 2, 3, 4], array("q", [1, 2, 3, 4]),
                    memoryview(array("i", [1, 2, 3, 4])), (1, 2, 3, 4)):
        ledger.set("demand", ids, amounts)
        assert ledger.get("demand", tree.root) == {"cpu": 4, "memory": 6}
    with pytest.raises(ValueError):
        ledger.set("demand", ids, [1, 2, 3])
    with pytest.raises(TypeError):
        ledger.set("demand", ids, "text")
    with pytest.raises(sked.RangeError) as error:
        ledger.set("demand", ids, [1, 2, 3, -4])
    assert error.value.row == 1


def test_shares_in_all_models(tree):
    for queue in tree.leaves:
        queue.demand = "cpu=80,memory=100GiB"
    shares = tree.fair_shares(capacity="cpu=100,memory=200GiB")
    shares.check()
    again = tree.fair_shares(capacity="cpu=100,memory=200GiB")
    less = tree.fair_shares(capacity="cpu=99,memory=200GiB")
    assert again.digest == shares.digest != less.digest
    assert shares["root.ads"]["cpu"] == 80000
    assert sum(shares[q]["cpu"] for q in tree.leaves) == 100000
    assert shares.level(tree.root, "cpu") is None or isinstance(
        shares.level(tree.root, "cpu"), Fraction)
    for model in sked.Model:
        other = tree.fair_shares(model, capacity="cpu=100,memory=200GiB")
        assert len(other.column("memory")) == len(tree)
        other.update(tree, tree.ledger, "cpu=100,memory=200GiB")
    dominant = tree.fair_shares(scope="dominant", capacity="cpu=10,memory=1GiB")
    assert len(dominant.table()) == 4


def test_arrays_and_handle_agree(tree):
    for i, queue in enumerate(tree.leaves):
        queue.demand = {"cpu": 70000 + i, "memory": 1 << 35}
    capacity = [100_001, 3 << 34]
    handle = tree.fair_shares(capacity=capacity)
    n = len(tree)
    both = [tree.column(name, kind, capacity[kind])
            for name in ("guarantee", "limit") for kind in (0, 1)]
    once = sked.share_once(
        tree.rows()[0], capacity, weight=array("I", tree.column("weight")),
        guarantee=[both[k][i] for i in range(n) for k in (0, 1)],
        limit=[both[2 + k][i] for i in range(n) for k in (0, 1)],
        demand=[tree.ledger.view("demand", k)[i] for i in range(n)
                for k in (0, 1)])
    for kind in (0, 1):
        assert [row[kind] for row in once.tolist()] == \
            handle.column(kind).tolist()


def test_differences_are_applied(tree):
    other = tree.copy()
    other["root.ads"].set(weight=5)
    other["root.ml"].rename("learning")
    other.root.add("new")
    other.commit()
    diff = tree.diff(other)
    assert [c.op for c in diff] == [sked.Change.MOVE, sked.Change.ADD,
                                    sked.Change.SET]
    assert "~ root.ads weight: 3 -> 5" in str(diff)
    diff.apply(tree)
    tree.commit()
    assert len(tree.diff(other)) == 0 and tree.text == other.text


def test_fair_tree_ranks_by_past_use():
    tree = sked.Tree("cpu=1")
    a, b = tree.root.add("a"), tree.root.add("b")
    ledger = sked.Ledger(tree, half_life=10)
    ledger.set("history", {a: [100], b: [3]})
    assert sked.fair_tree(tree, ledger).tolist() == [0, 1, 2]
    ledger.decay(0)
    ledger.decay(10)
    assert ledger.get("history", a) == {"cpu": 50}
    assert sked.fair_tree_ranks([0, 0, 0], [0, 9, 1]).tolist() == [0, 1, 2]


def test_vectors():
    schema = sked.Schema({"cpu": "m", "memory": "B"})
    assert schema == sked.Schema("cpu=m memory=B")
    assert pickle.loads(pickle.dumps(schema)) == schema
    assert schema.kind("memory") == 1
    with pytest.raises(sked.SchemaError):
        schema.same(sked.Schema("cpu=m"))
    assert sked.dominant([10, 0], [5, 1]) == (None, 1)
    with pytest.raises(sked.TextError) as error:
        schema.vec("cpu=2x")
    assert error.value.line == 1 and error.value.column > 1
    with pytest.raises(TypeError):
        sked.dominant([1], "text")
    with pytest.raises(ValueError):
        sked.dominant([1, 2], [1])
    with pytest.raises(ValueError):
        sked.dominant([1] * 33, [1] * 33)
