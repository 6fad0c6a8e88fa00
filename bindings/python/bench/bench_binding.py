"""What crossing from Python into C costs, beside its budget, and percentiles
beside numpy's and pandas' in the same run.

    python bench/bench_binding.py [--json]

One line a measure: the median of many repetitions. Exit status 1 when a budget
is missed. References must give the same answer, else that is said."""

import json
import statistics
import sys
import time
from array import array

import sked
from sked import drf, plan


def median_ns(call, loops, repeat=15):
    """The median time of one call, in ns."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter_ns()
        for _ in range(loops):
            call()
        times.append((time.perf_counter_ns() - begin) / loops)
    return statistics.median(times)


def calls():
    """One call each, on the smallest thing there is."""
    tree = sked.Tree("cpu=1 memory=1")
    queue = tree.root.add("q")
    tree.commit()
    ledger = sked.Ledger(tree)
    clients = sked.Drf([1000, 1000])
    slot, amounts = clients.insert(1), array("q", [1, 1])
    clients.insert(2)
    back = array("q", [-1, -1])

    def charge():
        clients.charge(slot, amounts)
        clients.charge(slot, back)

    capacity, ids = array("q", [10, 10]), array("Q", [queue.id])
    yield "drf.next", clients.next, 1
    yield "drf.charge", charge, 2
    core = sked._core
    yield "tree_get", lambda: core.tree_get(tree._handle, queue.id, 1), 1
    yield "ledger_set", lambda: core.ledger_set(ledger._handle, 1, ids,
                                                amounts), 1
    yield "vec_dominant", lambda: core.vec_dominant(capacity, amounts), 1
    yield "tree_ids, a column", lambda: tree.ids, 1
    turns = sked.Order()
    queue.demand = [5, 5]
    root = tree.root.id
    book = tree.ledger._handle
    yield "order_next", lambda: core.order_next(
        turns._handle, tree._handle, book, capacity, None, None, root), 1
    yield "dominant, as Fraction", lambda: sked.dominant(capacity, amounts), 0
    yield "ledger.set by name", lambda: ledger.set("usage", ids, amounts), 0


def zero_copy(n=1_000_000):
    """Is time for a million rows that of the answer, not of copies?"""
    column = array("q", bytes(8 * n))
    view = sked.columns.convert_column(column)
    one = median_ns(lambda: memoryview(view), 1000)
    few = median_ns(lambda: drf.order([9], column[:1]), 1000)
    return one, few


def percentile_rows(n=1_000_000):
    """Percentiles of a million time units: ours, numpy's, pandas'."""
    import random
    draw = random.Random(1)
    amount = array("q", (draw.randrange(1, 5000) for _ in range(n)))
    length = array("q", (draw.randrange(1, 100) for _ in range(n)))
    thresholds = [0.5, 0.8, 0.9, 0.95, 0.99, 1]
    got = [a.amount for a in plan.percentile(length, amount, thresholds)]
    yield "percentile", "sked", median_ns(
        lambda: plan.percentile(length, amount, thresholds), 1, 5), got
    try:
        import numpy
    except ImportError:
        return
    a, w = numpy.asarray(amount), numpy.asarray(length)

    def by_numpy():
        rank = numpy.argsort(a, kind="stable")
        covered = numpy.cumsum(w[rank])
        at = numpy.searchsorted(
            covered, [numpy.ceil(p * covered[-1]) for p in thresholds])
        return a[rank][at].tolist()

    yield "percentile", "numpy", median_ns(by_numpy, 1, 5), by_numpy()
    try:
        import pandas
    except ImportError:
        return
    frame = pandas.DataFrame({"a": a, "w": w})

    def by_pandas():
        covered = frame.groupby("a")["w"].sum().cumsum()
        return [int(covered.index[covered.searchsorted(p * covered.iloc[-1])])
                for p in thresholds]

    yield "percentile", "pandas", median_ns(by_pandas, 1, 5), by_pandas()


def main():
    missed = []

    def tell(name, value, unit, budget=None, note=""):
        met = budget is None or value <= budget
        if not met:
            missed.append(name)
        if "--json" in sys.argv:
            print(json.dumps({"name": name, "value": round(value, 1),
                              "metric": unit, "budget": budget, "met": met,
                              "note": note}))
        else:
            said = "" if budget is None else f"  budget {budget:g}" + (
                "" if met else "  MISSED")
            print(f"{name:<28} {value:>12,.0f} {unit}{said}  {note}")

    tell("empty lambda", median_ns(lambda: None, 10_000), "ns")
    for name, call, times in calls():
        tell(name, median_ns(call, 10_000) / (times or 1), "ns a call",
             1000 if times else None)
    view, few = zero_copy()
    tell("view of 1,000,000 rows", view, "ns", 1000, "no copy")
    tell("order of one row", few, "ns")
    exact = None
    for name, who, ns, answer in percentile_rows():
        exact = exact or answer
        note = "" if answer == exact else f"another answer: {answer}"
        tell(f"{name}, 1M units, {who}", ns / 1e6, "ms", None, note)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
