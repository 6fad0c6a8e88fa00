"""Hooks: exceptions cross C unchanged, Ctrl-C gets in, calls can be stopped."""

import _thread
import gc
import signal
import sys
import threading
import weakref
from array import array

import pytest

import sked
from sked import drf, schema
from conftest import wide_tree


def big_sim(hooks=None, progress=False, jobs=40_000):
    """A run that takes many seconds: a busy cluster, short heartbeats."""
    tree = sked.Tree("cpu=1")
    queues = [tree.root.add(f"q{i}") for i in range(4)]
    tree.commit()
    work = sked.Jobs(
        submit=array("q", [i * 3_000_000_000 for i in range(jobs)]),
        run=array("q", [(700 + i % 999) * 10**9 for i in range(jobs)]),
        amounts=array("q", [1 + i % 3 for i in range(jobs)]),
        queue=array("Q", [queues[i % 4].id for i in range(jobs)]),
        tasks=array("q", [40] * jobs))
    return sked.Sim(tree, work, [sked.Nodes(200, {"cpu": 16})],
                    sked.Options(heartbeat=1_000_000), hooks=hooks,
                    progress=progress)


class Stop(Exception):
    pass


class Raising(sked.Hooks):
    error = Stop("as it is")
    entered = 0

    def progress(self, done, total):
        self.entered += 1
        raise self.error


def test_what_a_hook_raises_comes_out_as_itself():
    hooks = Raising()
    with pytest.raises(Stop) as error:
        big_sim(hooks).run()
    assert error.value is hooks.error and hooks.entered == 1
    assert error.value.__traceback__ is not None


def test_false_stops_a_run_that_can_then_be_read():
    told = []

    def progress(done, total):
        told.append((done, total))
        return len(told) < 3

    sim = big_sim(progress=progress)
    assert sim.run() is False
    assert sim.total.jobs_finished < 40_000 and len(told) == 3


def test_a_cancelled_call_changes_nothing():
    tree = wide_tree(20000)
    ledger = sked.Ledger(tree)
    hooks = sked.Hooks()
    hooks.cancel = sked.Cancel()
    shares = sked.Shares(hooks=hooks)
    ledger.put("demand", "cpu", array("q", [5] * len(tree)))
    shares.compute(tree, ledger, [1000, 0])
    before = shares.column("cpu").tolist()
    hooks.cancel.set()
    ledger.put("demand", "cpu", array("q", [7] * len(tree)))
    with pytest.raises(sked.Cancelled):
        shares.compute(tree, ledger, [900000, 0])
    assert shares.column("cpu").tolist() == before
    hooks.cancel.clear()
    shares.compute(tree, ledger, [900000, 0])
    assert shares.column("cpu").tolist() != before


def test_a_cancel_flag_stops_a_run_from_another_thread():
    hooks = sked.Hooks()
    hooks.cancel = sked.Cancel()
    sim = big_sim(hooks)
    timer = threading.Timer(0.1, hooks.cancel.set)
    timer.start()
    assert sim.run() is False


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("what", ["sim", "level"])
def test_an_interrupt_gets_into_a_call(what):
    """The handler of a signal raises; so does Ctrl-C's."""
    def handler(number, frame):
        raise KeyboardInterrupt

    n = 400_000
    rows = {"capacity": [10**9] * 4, "demand": array("q", [3, 1, 2, 5] * n),
            "most": array("q", range(1, n + 1))}
    sim = big_sim() if what == "sim" else None
    old = signal.signal(signal.SIGPROF, handler)
    try:
        signal.setitimer(signal.ITIMER_PROF, 0.15)
        with pytest.raises(KeyboardInterrupt):
            while True:
                sim.run() if sim else drf.level(**rows)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)


def test_ctrl_c_is_a_keyboard_interrupt():
    sim = big_sim()
    # What runs in the background of a shell ignores it.
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer = threading.Timer(0.1, _thread.interrupt_main)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            sim.run()
    finally:
        timer.join()
        signal.signal(signal.SIGINT, old)


def test_what_a_hook_of_one_run_raises_ends_all():
    for threads in (1, 3):
        hooks = Raising()
        sims = [big_sim(hooks)] + [big_sim() for _ in range(4)]
        with pytest.raises(Stop):
            sked.sim.run_all(sims, threads=threads)
        assert hooks.entered == 1
        for one in sims:  # nothing of it is left for a later call
            with pytest.raises(sked.StateError):
                one.run()
                one.run()


def test_ctrl_c_ends_all_runs():
    sims = [big_sim() for _ in range(3)]
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer = threading.Timer(0.1, _thread.interrupt_main)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            sked.sim.run_all(sims)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, old)


def test_hooks_that_know_their_handle_are_let_go():
    tree = sked.Tree("cpu=1")
    live = []
    for make in (lambda h: sked.Engine(tree, hooks=h),
                 lambda h: sked.Shares(hooks=h)):
        hooks = Raising()
        hooks.handle = make(hooks)
        live.append(weakref.ref(hooks))
        del hooks
    gc.collect()
    assert [one() for one in live] == [None, None]


class Told(sked.Hooks):
    log_level = 4

    def __init__(self):
        self.traces, self.now = [], 0

    def trace(self, what, queue, a, b, c):
        self.traces.append((what, queue, a, b, c))

    def clock(self):
        self.now += 10
        return self.now


def test_clock_and_trace_are_asked():
    hooks = Told()
    tree = sked.Tree("cpu=1", hooks=hooks)
    leaf = tree.root.add("a")
    tree.commit()
    assert [t[0] for t in hooks.traces] == [1]
    ledger = sked.Ledger(tree, half_life=10, hooks=hooks)
    ledger.set("history", {leaf: [64]})
    ledger.decay()
    ledger.decay()
    assert ledger.get("history", leaf) == {"cpu": 32}


def test_a_hook_must_not_come_back_into_its_handle():
    class Bad(sked.Hooks):
        def trace(self, *record):
            mine.commit()

    mine = sked.Tree("cpu=1", hooks=Bad())
    mine.root.add("a")
    with pytest.raises(RuntimeError, match="in use"):
        mine.commit()


def test_two_threads_cannot_write_one_handle():
    inside = threading.Event()

    class Begun(sked.Hooks):
        def progress(self, done, total):
            inside.set()

    hooks = Begun()
    hooks.cancel = sked.Cancel()
    sim = big_sim(hooks)
    first = threading.Thread(target=sim.run)
    first.start()
    assert inside.wait(60)
    try:
        with pytest.raises(RuntimeError, match="in use"):
            sim.run()
    finally:
        hooks.cancel.set()
        first.join(60)


def test_memory_has_a_limit_that_is_an_exception():
    hooks = sked.Hooks()
    hooks.memory_limit = 1 << 16
    with pytest.raises(MemoryError) as error:
        tree = sked.Tree("cpu=1", hooks=hooks)
        for i in range(100_000):
            tree.root.add(f"q{i}")
    assert isinstance(error.value, sked.OutOfMemory)


def test_a_bar_is_shown_where_there_is_one():
    pytest.importorskip("tqdm")
    tree = wide_tree(30000)
    ledger = sked.Ledger(tree)
    shares = sked.Shares(progress=True)
    shares.compute(tree, ledger, [5, 5])
    assert schema.asked([1, 0]) == 1
