"""Every allocation of the library failed in turn, through Python: an exception
each time, nothing changed, no byte left."""

import gc

import pytest

import sked
from sked import _core
from sked.hooks import host_of


def tree_of(text):
    schema = sked.Schema.from_tree_text(text)
    handle = _core.tree_new(schema._handle, host_of(counted=True), 0, 0)
    return handle


TEXT = "kinds cpu=1\nroot\nroot.a weight=3\nroot.b\nroot.b.c label=x\n"


def sweep(handle, action, state):
    """Fails request after request, once and from then on, until the action
    gets through; how many there were."""
    failed = 0
    for forever in (False, True):
        first = 0
        while True:
            first += 1
            before = state()
            _core.fail_memory(handle, first, 1 << 60 if forever else first)
            try:
                action()
            except MemoryError as error:
                assert isinstance(error, sked.OutOfMemory)
                _core.fail_memory(handle, 1 << 60, 1 << 60)
                assert state() == before
                failed += 1
                continue
            finally:
                _core.fail_memory(handle, 1 << 60, 1 << 60)
            break
    return failed


def test_reading_and_committing_a_tree():
    handle = tree_of(TEXT)

    def action():
        _core.tree_parse(handle, TEXT, None, 10)
        _core.tree_commit(handle, 0)

    failed = sweep(handle, lambda: _core.tree_parse(handle, TEXT, None, 10),
                   lambda: _core.tree_digest(handle))
    assert failed > 5
    action()
    assert _core.tree_count(handle) == 4
    live, _ = _core.memory(handle)
    assert live > 0


@pytest.mark.parametrize("what", ["share", "ledger", "drf", "engine"])
def test_other_handles(what):
    tree = sked.Tree.from_text(TEXT)
    host = host_of(counted=True)
    ledger = sked.Ledger(tree)
    ledger.put("demand", 0, [0, 5, 0, 7])
    if what == "share":
        handle = _core.share_new(host, 0, 0, 0, 0, 0)
        failed = sweep(handle, lambda: _core.share_compute(
            handle, tree._handle, ledger._handle, [9]), lambda: None)
        _core.share_check(handle)
        assert _core.share_column(handle, 0) == [9, 5, 4, 4]
    elif what == "ledger":
        handle = _core.ledger_new(tree._handle, host, 0)
        wide = tree.copy()
        for i in range(200):
            wide.root.add(f"q{i}")
        wide.commit()
        failed = sweep(handle,
                       lambda: _core.ledger_follow(handle, wide._handle),
                       lambda: _core.ledger_digest(handle))
        _core.ledger_check(handle)
    elif what == "drf":
        handle = _core.drf_new(host, 1, 0)
        keys = iter(range(1, 10**6))

        def insert():
            _core.drf_insert_rows(handle, 1, [next(keys)] + [
                next(keys) for _ in range(200)], None, None)

        failed = sweep(handle, insert, lambda: _core.drf_digest(handle))
        _core.drf_check(handle)
    else:
        handle = _core.engine_new(tree._handle, host, *[0] * 11)
        keys = iter(range(1, 10**6))

        def apply():
            events = sked.Events(tree)
            for _ in range(300):
                events.node_up(0, next(keys), [4])
            _core.engine_apply(handle, 1, events.rows, events.amounts,
                               events.offsets, events.places,
                               *[None] * 10)

        failed = sweep(handle, apply, lambda: None)  # rows before it stand
        _core.engine_check(handle)
    assert failed >= 1
    gc.collect()


def test_creation_that_fails_leaves_nothing():
    """With memory limited to n bytes, for every small n."""
    tree = sked.Tree.from_text(TEXT)
    failed = 0
    for limit in range(1, 20000, 97):
        hooks = sked.Hooks()
        hooks.memory_limit = limit
        for make in (lambda: sked.Tree(
                "cpu=1", hooks=hooks), lambda: sked.Ledger(tree, hooks=hooks),
                lambda: sked.Shares(hooks=hooks),
                lambda: sked.Engine(tree, hooks=hooks)):
            try:
                make()
            except MemoryError:
                failed += 1
    assert failed > 10
