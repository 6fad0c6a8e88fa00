"""Work that others carry: threads, processes, a distributed engine. Whoever
does it, the bytes are the same."""

import os
import pickle
import random
from array import array
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

import pytest

import sked
from sked import plan

THRESHOLDS = [0.5, 0.95, 1]


@contextmanager
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield pool


@contextmanager
def processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@contextmanager
def dask():
    if os.environ.get("SKED_TEST_DASK") != "1":
        pytest.skip("SKED_TEST_DASK=1 runs it on Dask's local cluster")
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True,
            dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        assert len(client.scheduler_info()["workers"]) == 2
        yield client.get_executor()


def units():
    """Units of 50 queues; one has none, one most of them."""
    draw = random.Random(7)
    counts = [draw.randrange(30) for _ in range(50)]
    counts[7], counts[20] = 0, 900
    first = [0]
    for n in counts:
        first.append(first[-1] + n)
    rows = range(first[-1])
    return ([draw.randrange(1, 99) for _ in rows],
            [draw.randrange(50) for _ in rows], THRESHOLDS, first)


def cases():
    """Three clusters with trees and workloads of their own."""
    made = []
    for k in (1, 2, 3):
        tree = sked.Tree.from_text(
            f"kinds cpu=m\nroot\nroot.a weight={k}\nroot.b\n")
        rows = [{"queue": "root.a" if i % k else "root.b", "submit_s": i,
                 "run_s": 9 + k, "tasks": 1 + i % 3, "amount": {"cpu": 900}}
                for i in range(20 * k)]
        made.append(sked.Case(tree, sked.Jobs.of(tree, rows),
                              [sked.Nodes(k, "cpu=4")], sked.Options(seed=k)))
    return made


def clusters():
    """What three clusters ask advice for."""
    return [plan.AdviceCase(
        sked.Tree("cpu=1"), plan.PlanJobs(
            [["ads" if i % k else "ml" for i in range(30)]],
            tier=[1 + i % 2 for i in range(30)], tiers=2,
            start=[i * 10 for i in range(30)],
            end=[i * 10 + 25 for i in range(30)], window=(0, 400)),
        [k] * 30, [1], 100, {"anyway": True}) for k in (1, 2, 3)]


def found(executor=None):
    """Everything that can be dealt out, as bytes."""
    points, totals = plan.percentiles(*units(), executor=executor, parts=5)
    runs = sked.run_cases(cases(), executor=executor)
    advice = plan.advise_each(clusters(), executor=executor)
    return [memoryview(points.column).tobytes(),
            memoryview(totals.column).tobytes(),
            [pickle.dumps((r.total, r.queues)) for r in runs],
            [(a.diff, a.tree.text, a.leaves, a.total.changes,
              a.total.allocation.tolist()) for a in advice]]


@pytest.mark.parametrize("where", [threads, processes, dask],
                         ids=lambda where: where.__name__)
def test_whoever_carries_it_the_bytes_are_the_same(where):
    with where() as pool:
        there = found(pool)
    here = found()
    assert there == here
    assert len(here[0]) == 50 * len(THRESHOLDS) * plan.POINT.size
    assert len({d for d, *_ in here[3]}) == 3 and len(set(here[2])) == 3


def test_what_comes_back_is_what_was_sent():
    points, totals = plan.percentiles(*units())
    for one in (points, totals, points[3]):
        assert pickle.loads(pickle.dumps(one)) == one
    for case in cases():
        again = pickle.loads(pickle.dumps(case))
        assert again().total == case().total
    case = cases()[0]
    case.jobs.queue = list(case.jobs.queue)  # any column will do
    assert pickle.loads(pickle.dumps(case))().total == case().total


@pytest.mark.parametrize("kind", [list, lambda x: array("q", x),
                                  lambda x: array("i", x)])
def test_columns_of_any_kind_are_dealt_out(kind):
    length, amount, thresholds, first = units()
    want = plan.percentiles(length, amount, thresholds, first)
    with ThreadPoolExecutor(2) as pool:
        for parts in (1, 2, 7, 1000):
            got = plan.percentiles(kind(length), kind(amount), thresholds,
                                   kind(first), executor=pool, parts=parts)
            assert got == want, parts
        with pytest.raises(sked.ArgumentError):  # no queues, as without
            plan.percentiles([], [], [1], [0], executor=pool)
        with pytest.raises(ValueError):
            plan.percentiles(length, amount, [1], first, executor=pool,
                             hooks=sked.Hooks())


def test_what_one_raises_is_raised():
    bad = cases()
    bad[1].nodes = [sked.Nodes(1, [-4])]
    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(sked.Error):
            sked.run_cases(bad, executor=pool)
        with pytest.raises(sked.Error):
            plan.percentiles([1, 1], [1, -1], [1], [0, 1, 2], executor=pool)


def test_parts_read_columns_as_one_call_does():
    with threads() as pool:
        for executor in (None, pool):
            with pytest.raises(ValueError, match="10.5 is no whole number"):
                plan.percentiles([5, 3, 2], [10.5, 20, 40], [1], [0, 2, 3],
                                 executor=executor)
            points, _ = plan.percentiles([5, 3, 2], [[10.0], [20], [40]], [1],
                                         [0, 2, 3], executor=executor)
            assert [p.amount for p in points] == [20, 40]


# ---- progress, and an end before the end ----


@pytest.mark.parametrize("where", [None, threads, processes])
def test_progress_hears_of_each_and_cancel_ends(where):
    heard = []

    def run(**more):
        if where is None:
            return sked.executors.each(abs, range(-5, 0), **more)
        with where() as pool:
            return sked.executors.each(abs, range(-5, 0), pool, **more)

    assert run(progress=lambda done, of: heard.append((done, of))) == [
        5, 4, 3, 2, 1]
    assert heard == [(i, 5) for i in range(1, 6)]
    flag = sked.Cancel()

    def stop(done, of):
        flag.set()

    with pytest.raises(sked.Cancelled):
        run(progress=stop, cancel=flag)
    with pytest.raises(ZeroDivisionError):
        run(progress=lambda done, of: 1 // 0)
