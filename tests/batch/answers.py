#!/usr/bin/env python3
"""What batch prints, computed by another way: times by the model, use second by
second, metrics, the bound, the sweep; and pictures that are XML.

    answers.py PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile
import xml.dom.minidom
from fractions import Fraction

METHODS = ["multi", "greedy", "data-driven", "annealing", "dynamic", "simple",
           "best", "adapt"]
SIZES = [40, 3, 17, 1, 9, 28, 5, 60, 12, 2, 33, 7]  # blocks of 128 MiB
FACTORS = ["1", "2", "0.5"]
T0, TAU, G, CORES = Fraction(1), Fraction(5), Fraction("0.25"), 16

faults = []


def must(holds, what):
    if not holds:
        faults.append(what)


def run(program, *options):
    got = subprocess.run([program, *options], capture_output=True, timeout=120)
    must(got.returncode == 0 and not got.stderr, "%s: %r" % (options, got.stderr))
    return got.stdout.decode()


def table(folder):
    path = os.path.join(folder, "tasks.csv")
    with open(path, "w", encoding="utf-8") as out:
        out.write("extra,multiplier,bytes,task\n")
        for i, blocks in enumerate(SIZES):
            out.write('x,%s,%d,"t %d"\n' % (FACTORS[i % 3], blocks << 27, i))
    return path


def takes(i, cores):
    waves = -(-SIZES[i] // cores)
    return T0 + TAU * Fraction(FACTORS[i % 3]) * waves + G * (cores - 1)


def exact(x):
    return Fraction(x).limit_denominator(10 ** 6)


def check_plan(plan, noise):
    """All figures of one plan from its tasks."""
    name = plan["method"]
    rows = [(exact(t["start_s"]), exact(t["end_s"]), t["cores"])
            for t in plan["tasks"]]
    must([t["task"] for t in plan["tasks"]] ==
         ["t %d" % i for i in range(len(SIZES))], name + ": tasks")
    moments = sorted({r[0] for r in rows} | {r[1] for r in rows})
    use = [sum(k for s, e, k in rows if s <= at < e) for at in moments]
    must(max(use) <= CORES, name + ": more cores than there are")
    end, hat = max(r[1] for r in rows), max(r[0] for r in rows)
    must(exact(plan["makespan_s"]) == end, name + ": makespan")
    must(exact(plan["t_hat_s"]) == hat == exact(plan["main_s"]), name + ": t-hat")
    must(exact(plan["tail_s"]) == end - hat, name + ": tail")
    area = [u * (b - a) for u, a, b in zip(use, moments, moments[1:])]
    main = sum(x for x, a in zip(area, moments) if a < hat)
    must(exact(plan["efficiency_capacity"]) == sum(area), name + ": capacity")
    pure = main / (CORES * hat) if hat else 1
    tail = (sum(area) - main) / (CORES * (end - hat))
    must(abs(plan["pure_cpu"] - pure) < 1e-6, name + ": pure_cpu")
    must(abs(plan["tail_cpu"] - tail) < 1e-6, name + ": tail_cpu")
    lengths = sorted(e - s for s, e, _ in rows)
    half = len(lengths) // 2
    median = (lengths[half - 1] + lengths[half]) / 2
    must(abs(plan["tail_overhead"] - (end - hat) / median) < 1e-5,
         name + ": overhead")
    bound = exact(plan["lower_bound_s"])
    must(bound <= end and abs(plan["ratio"] - end / bound) < 1e-5,
         name + ": bound")
    if not noise:
        must(all(e - s == takes(i, k) for i, (s, e, k) in enumerate(rows)),
             name + ": times")
        must(exact(plan["believed_s"]) == end, name + ": believed")


def dual_bound():
    """The least time, to the microsecond, that the least work fits in."""
    tasks = range(len(SIZES))

    def fits(lam):
        need = Fraction(0)
        for i in tasks:
            works = [k * takes(i, k) for k in range(1, CORES + 1)
                     if takes(i, k) <= lam]
            if not works:
                return False
            need += min(works)
        return need <= CORES * lam

    low, high = 0, 10 ** 10
    while low < high:
        middle = (low + high) // 2
        if fits(Fraction(middle, 10 ** 6)):
            high = middle
        else:
            low = middle + 1
    return Fraction(low, 10 ** 6)


def check_all(program, path):
    common = [path, "--cores", str(CORES), "--time", "1,5,0.25", "--json"]
    plans = json.loads(run(program, *common))
    must([p["method"] for p in plans] == METHODS, "methods")
    bound = dual_bound()
    for plan in plans:
        check_plan(plan, 0)
        must(exact(plan["lower_bound_s"]) == bound, "the bound")
    by = {p["method"]: p["makespan_s"] for p in plans}
    must(by["best"] == min(by.values()), "best is the best")
    for method in METHODS:
        alone = json.loads(run(program, *common, "--method", method))
        must(alone == plans[METHODS.index(method)], method + " alone")
    for method in ["robust", "auto"]:
        alone = json.loads(run(program, *common, "--method", method))
        check_plan({**alone, "method": "best"}, 0)
        must(alone["makespan_s"] == by["best"], method + " without noise")
    noisy = json.loads(run(program, *common, "--noise", "0.25", "--seed", "7"))
    for plan in noisy:
        check_plan(plan, 0.25)
    must(noisy != plans, "noise changes what happens")


def check_sweep(program, path):
    common = [path, "--cores", str(CORES), "--json"]
    cells = json.loads(run(program, *common, "--sweep"))
    must([(c["sigma"], c["tau"]) for c in cells] ==
         [(s, t) for s in (1, 2, 3, 5, 10) for t in (5, 10, 15)], "cells")
    for cell in cells[::4]:
        plan = json.loads(run(program, *common, "--method", "simple",
                              "--sigma", str(cell["sigma"]),
                              "--tau", str(cell["tau"])))
        must(all(plan[k] == v for k, v in cell.items()
                 if k not in ("sigma", "tau")), "a cell is a plan")


def check_pictures(program, path, folder):
    svg = os.path.join(folder, "new.svg")
    run(program, path, "--cores", "16", "--plot", svg)
    page = xml.dom.minidom.parse(svg)
    must(len(page.getElementsByTagName("rect")) == 1 + 8 * len(SIZES), "bars")
    plans = json.loads(run(program, path, "--cores", "16", "--json"))
    marks = [t.firstChild.data for t in page.getElementsByTagName("tspan")]
    must(marks == [f"{name} {plan[key]:.1f} s" for plan in plans
                   for name, key in (("bound", "lower_bound_s"),
                                     ("t-hat", "t_hat_s"))], "marks")
    ticks = [t.firstChild.data for t in page.getElementsByTagName("text")
             if t.getAttribute("text-anchor") == "middle"]
    must(8 * 3 <= len(ticks) <= 8 * 7 and ticks.count("0 s") == 8, "times")
    run(program, path, "--cores", "16", "--sweep", "--plot", svg)
    page = xml.dom.minidom.parse(svg)
    must(len(page.getElementsByTagName("rect")) == 16, "cells of the picture")


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        path = table(folder)
        check_all(program, path)
        check_sweep(program, path)
        check_pictures(program, path, folder)
        for rule in ("threshold", "knee"):
            must("t-hat by " + rule in run(program, "--t-hat", rule, "--method",
                                           "greedy"), rule)
    for fault in faults:
        print(fault)
    print("%d faults" % len(faults))
    return 1 if faults else 0


sys.exit(main(os.path.abspath(sys.argv[1])))
