"""Batches from Python: plans, sweeps, metrics, runs, beside the program."""

import json
import os
import random
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

import sked
from sked import batch

PROGRAM = Path(__file__).resolve().parents[3] / "build/dev/batch"
SIZES = [40, 3, 17, 1, 9, 28, 5, 60, 12, 2, 33, 7]


def some():
    return batch.Batch(16, blocks=SIZES, nodes=4, start=1000, block=5400,
                       slot=20)


def test_every_method_plans_the_batch():
    plans = batch.compare(some(), seed=1)
    assert list(plans) == [m.name.lower() for m in batch.Method]
    bounds = batch.bound(some())
    assert bounds.area <= bounds.dual <= bounds.best
    assert bounds.path <= bounds.dual
    for name, p in plans.items():
        assert sorted(s.task for s in p.spans) == list(range(len(SIZES)))
        for s in p.spans:
            waves = -(-SIZES[s.task] // s.slots)
            assert s.end - s.start == 1000 + 5400 * waves + 20 * (s.slots - 1)
        assert p.metrics == batch.measure(p.spans, 16), name
        assert p.believed == p.metrics.makespan >= p.bound
        assert p.bound == -(-bounds.dual.numerator // bounds.dual.denominator)
        assert p.ratio == Fraction(p.believed, p.bound)
        assert p.cluster is None
    asked = batch.plan(some(), "multi", clustered=True, clusters=3).cluster
    assert sorted(set(asked.tolist())) == [0, 1, 2]
    assert all(a <= b for (_, a), (_, b) in zip(*[iter(sorted(
        zip(SIZES, asked.tolist())))] * 2))
    assert plans["best"].ratio == min(p.ratio for p in plans.values())


def test_times_come_from_where_blocks_lie():
    rows = [[h for h in range(b % 3 + 1)] for b in range(12)]
    times, moved = batch.speedup_from_locality(
        rows, 4, 8, start=3, block=10, slot=1, transfer=2)
    two = batch.Batch(8, blocks=[12, 12], table=times.tolist() * 2)
    for span in batch.plan(two, "best").spans:
        task = batch.locate(rows, 4, span.slots, start=3, block=10, slot=1,
                            transfer=2)
        assert task.ticks == span.end - span.start == times[span.slots - 1]
        assert sum(task.cores) == span.slots
        away = sum(h not in rows[b] for b, h in enumerate(task.host))
        assert away == task.transfers == moved[span.slots - 1]
    with pytest.raises(sked.RangeError):
        batch.locate(rows, 4, 0)
    with pytest.raises(sked.RangeError):
        batch.speedup_from_locality(rows, 4, 1 << 20)


def test_the_better_of_two_is_chosen_for_noise():
    rough = some()
    rough.actual_ppm = batch.noise("0.25", len(SIZES), seed=3)
    fixed = batch.plan(rough, "robust", noise=0.25, max_tries=400)
    assert fixed.method == batch.Method.ROBUST and fixed.eta_ppm == 0
    chosen = batch.plan(rough, "auto", noise=0.25, max_tries=400)
    assert chosen.method in (batch.Method.ROBUST, batch.Method.ADAPT)
    assert batch.plan(some(), "auto").method == batch.Method.ROBUST


def test_noise_changes_what_happens_and_not_the_plan():
    calm, rough = some(), some()
    rough.actual_ppm = batch.noise("0.25", len(SIZES), seed=3)
    one = batch.plan(calm, "greedy")
    two = batch.plan(rough, "greedy", noise=0.25)
    assert one.believed == two.believed != two.metrics.makespan
    assert two.bound <= two.metrics.makespan
    adapted = batch.plan(rough, "adapt", noise=0.4)
    assert 0 < adapted.eta_ppm < sked.PPM
    assert batch.plan(rough, "adapt", eta=0.5).eta_ppm == 500_000


def test_a_sweep_is_many_plans():
    cells = batch.sweep(some(), (1, 3), (5, 15))
    assert [(c.sigma_ppm, c.tau_ppm) for c in cells] == [
        (1_000_000, 5_000_000), (1_000_000, 15_000_000),
        (3_000_000, 5_000_000), (3_000_000, 15_000_000)]
    for c in cells:
        one = batch.plan(some(), "simple", sigma=c.sigma_ppm / 1e6,
                         tau=c.tau_ppm / 1e6)
        assert one.metrics == c.metrics
    with pytest.raises(sked.RangeError):
        batch.sweep(some(), (0,))
    with pytest.raises(sked.RangeError):
        batch.sweep(some(), method="greedy")


def test_t_hat_has_three_rules():
    spans = batch.spans_of([(0, 10, 1), (0, 4, 2), (0, 2, 1)])
    assert batch.measure(spans, 4).t_hat == 0
    assert batch.measure(spans, 4, tail="threshold").t_hat == 4
    assert batch.measure(spans, 4, tail="threshold", theta=0.8).t_hat == 2
    assert batch.measure(spans, 4, tail=batch.Tail.KNEE).t_hat == 2
    assert [(s.at, s.slots) for s in batch.utility(spans)] == [
        (0, 4), (2, 3), (4, 1), (10, 0)]
    with pytest.raises(sked.RangeError) as caught:
        batch.measure(batch.spans_of([(0, 1, 1), (5, 5, 1)]), 4)
    assert caught.value.row == 1


def test_history_gives_multipliers():
    tasks = batch.Batch(4, blocks=[4, 1], start=4, block=2, slot=1)
    factors, level = batch.learn(tasks, [0, 0], [1, 2], [16, 10])
    assert factors.tolist() == [1_416_667, sked.PPM]
    assert 115_050 < level < 115_150
    with pytest.raises(sked.RangeError) as caught:
        batch.learn(tasks, [0, 9], [1, 1], [1, 1])
    assert caught.value.row == 1
    with pytest.raises(ValueError):
        batch.learn(tasks, [0, 1], [1], [1, 1])


@pytest.mark.parametrize("method", list(batch.Method))
def test_a_host_may_run_it_in_any_way(method):
    draw = random.Random(method)
    now, running = 0, []
    with batch.Run(some(), method, max_tries=50, noise=0.1) as run:
        assert run.state.waiting == len(SIZES)
        assert run.state.expected >= run.state.bound
        while True:
            running += [(s.task, s.slots) for s in run.next(now)]
            assert sum(k for _, k in running) <= 16
            if not running:
                break
            now += draw.randrange(1, 9000)
            run.finish(running.pop(draw.randrange(len(running)))[0], now)
        state = run.state
        assert (state.finished, state.running, state.free) == (12, 0, 16)
        assert len(run.spans) == 12
        with pytest.raises(sked.StateError):
            run.finish(0, now + 1)
        with pytest.raises(sked.NotFoundError):
            run.finish(12, now + 1)
        with pytest.raises(sked.RangeError):
            run.next(now - 1)
    with pytest.raises(ValueError):
        run.next(now)


def test_a_plan_can_be_stopped():
    hooks = sked.Hooks()
    hooks.cancel = sked.Cancel()
    hooks.cancel.set()
    with pytest.raises(sked.Cancelled):
        batch.plan(some(), hooks=hooks)


def test_bad_batches_are_refused():
    with pytest.raises(sked.RangeError):
        batch.plan(batch.Batch(0, blocks=[1], block=1))
    with pytest.raises(sked.RangeError) as caught:
        batch.plan(batch.Batch(2, blocks=[1, 0], block=1))
    assert caught.value.row == 1
    with pytest.raises(ValueError):
        batch.plan(batch.Batch(2, blocks=[1, 1], block=1, label=[0]))
    with pytest.raises(ValueError):
        batch.plan(some(), "magic")
    with pytest.raises(TypeError):
        batch.plan(some(), sise=3)


def test_the_same_as_the_program(tmp_path):
    program = os.environ.get("SKED_BATCH", PROGRAM)
    if not Path(program).exists():
        pytest.skip("the program batch is not built")
    file = tmp_path / "tasks.csv"
    file.write_text("task,bytes,multiplier\n" + "".join(
        f"t{i},{n << 27},{1 + i % 3}\n" for i, n in enumerate(SIZES)))
    made = subprocess.run([program, file, "--cores", "16", "--json"],
                          capture_output=True, check=True, timeout=60)
    tasks = batch.Batch.from_csv(str(file), 16)
    for said in json.loads(made.stdout):
        p = batch.plan(tasks, said["method"])
        assert round(said["makespan_s"] * 1_000_000) == p.metrics.makespan
        assert round(said["lower_bound_s"] * 1_000_000) == p.bound
        assert [t["cores"] for t in said["tasks"]] == [
            s.slots for s in p.spans]
