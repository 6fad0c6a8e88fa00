"""Every call that can be long: Ctrl-C gets in within a tenth of a second."""
import random
import signal
import sys
import time
from array import array

import pytest

import sked
from sked import drf, plan, preempt


def long_calls():
    """By name, a call on a million rows or so, made ready."""
    draw = random.Random(3)
    n = 1_000_000
    ones = array("q", [1]) * n
    lengths = array("q", [1 + i % 97 for i in range(n)])
    amounts = array("q", [(i * 7919) % n for i in range(n)])
    half = n // 2
    wishes, most = array("q", [3, 1, 2, 5]) * half, array("q", range(1, half + 1))
    yield "level", lambda: drf.level([10**9] * 4, wishes, most=most)
    yield "percentiles", lambda: plan.percentiles(lengths, amounts,
                                                  [0.5, 0.95])
    yield "reserved", lambda: plan.reserved(lengths, amounts, 0.5)
    ends = array("q", [a + 50 for a in amounts])
    yield "history", lambda: plan.History().intervals(amounts, ends, ones,
                                                      any_order=True)
    flow = array("I", [i % 1000 for i in range(n)])
    yield "objectives", lambda: plan.objectives([10] * 1000, flow, amounts,
                                                ends)
    yield "running", lambda: plan.running(1, amounts, ends)
    names = sked.Texts(f"q{draw.randrange(n)}" for _ in range(n // 4))
    yield "leaves", lambda: plan.leaves(plan.PlanJobs([names]))
    sevens = array("i", [i % 7 for i in range(n)])
    yield "rank", lambda: preempt.rank(
        n, keys=[preempt.RankKey.PRIORITY, preempt.RankKey.NEWEST],
        priority=sevens, started=amounts)
    few = 20_000
    problem = preempt.Problem(
        {"kinds": 1, "n_queues": 2, "n": few, "usage": [few * 3, 0],
         "keep": [0, 0], "queue": [0] * few, "work": 1 << 40,
         "take": [few * 3, 0], "need": [few * 2 + 1], "budget": [few * 3],
         "cost": array("q", [1 + a % 50 for a in amounts[:few]]),
         "amount": array("q", [1 + a % 5 for a in amounts[:few]])})
    yield "select", problem.select
    few = n // 4
    parent = array("i", [-1] + [0] * few)
    queues = {"kinds": 1, "n": len(parent), "parent": parent, "capacity": [n],
              "usage": array("q", [0] + [1] * few),
              "demand": array("q", [0] + [3] * few),
              "weight": array("I", [1]) * len(parent)}
    yield "targets", lambda: preempt.target_once(queues)
    router = sked.Router(1)
    clusters = 2000
    snapshot = sked.Snapshot(clusters, [100] * clusters,
                             [i % 100 for i in range(clusters)])
    router.replace(snapshot)
    yield "route", lambda: router.route(n, ones)
    yield "charge", lambda: router.charge(n, ones)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupt_gets_into_every_long_call():
    """The handler of a signal raises, as Ctrl-C's does; what it raises comes
    out as itself. Counted in time of this process, so that others on the
    machine do not count."""
    came = []

    def handler(number, frame):
        came.append(time.process_time())
        raise KeyboardInterrupt

    late = {}
    old = signal.signal(signal.SIGPROF, handler)
    try:
        for name, call in long_calls():
            sent = time.process_time() + 0.02
            signal.setitimer(signal.ITIMER_PROF, 0.02)
            with pytest.raises(KeyboardInterrupt):
                while True:
                    call()
            late[name] = came[-1] - sent
            signal.setitimer(signal.ITIMER_PROF, 0)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)
    # A tenth of a second is what it takes on a quiet machine.
    assert len(late) == 12 and max(late.values()) < 1, late


def test_what_stops_a_read_does_not_come_up_later():
    """A router is only read while it routes; its hook's error is that call's,
    and no other's."""
    class Once(sked.Hooks):
        raised = 0

        def progress(self, done, total):
            self.raised += 1
            if self.raised == 1:
                raise LookupError("enough")

    hooks = Once()
    router = sked.Router(1, hooks=hooks)
    router.replace(sked.Snapshot(500, [9] * 500, [i % 9 for i in range(500)]))
    with pytest.raises(LookupError, match="enough"):
        for _ in range(200):
            router.route(20_000, array("q", [1]) * 20_000)
    assert len(router.route(2, [1, 1])) == 2
