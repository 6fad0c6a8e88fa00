#!/usr/bin/env python3
"""replay's options, one by one: what they change, and what they do not.

    options.py PROGRAM
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

KEYS = {
    "workload": {"jobs", "tasks", "skipped", "span_s"},
    "cluster": {"nodes", "capacity", "specs"},
    "result": {"jobs_finished", "tasks_finished", "rejected", "makespan_s",
               "work", "digest"},
    "delay_s": {"p50", "p95", "p99", "max", "mean"},
    "preemption": {"rounds", "notified", "killed", "withdrawn", "lost_work",
                   "below_guarantee_s"},
    "speed": {"wall_s", "virtual_s", "events", "heartbeats_skipped",
              "decisions", "decisions_per_s"},
}
QUEUE = {"path", "jobs", "tasks", "delay_s", "work", "peak", "fair_s",
         "starved_s"}
LOG = ["seq", "time_ns", "kind", "job", "task", "count", "queue", "node",
       "amount", "reason"]
PROGRAM = None
FAULTS = []


def expect(holds, what):
    if not holds:
        FAULTS.append(what)


def replay(*options, stdin=None):
    done = subprocess.run([PROGRAM, *options], input=stdin, timeout=100,
                          capture_output=True, text=True)
    expect(done.returncode == 0,
           "%r: exit status %d: %s" % (options, done.returncode, done.stderr))
    return done.stdout


def result(*options):
    """The JSON of a run, without what the clock says."""
    got = json.loads(replay("--quiet", "--json", "-", *options))
    for one in got if isinstance(got, list) else [got]:
        del one["speed"]
    return got


def log(*options):
    rows = list(csv.DictReader(io.StringIO(
        replay("--quiet", "--decisions", "-", *options))))
    expect(rows and list(rows[0]) == LOG, "%r: columns of the log" % (options,))
    return rows


def try_keys():
    whole = json.loads(replay("--quiet", "--json", "-", "--until", "600"))
    for part, keys in KEYS.items():
        expect(keys <= set(whole[part]), "keys of %s" % part)
    for queue in whole["queues"]:
        expect(QUEUE <= set(queue), "keys of a queue")
        expect(set(queue["delay_s"]) == KEYS["delay_s"], "keys of its delay")
    expect(whole["queues"][0]["path"] == "root", "the root comes first")
    expect(len(whole["result"]["digest"]) == 16, "digest of 16 digits")
    for spec in whole["cluster"]["specs"]:
        expect(set(spec) == {"count", "partition", "amount"}, "keys of specs")
    expect(sum(s["count"] for s in whole["cluster"]["specs"]) ==
           whole["cluster"]["nodes"], "nodes are those of the specs")


def try_sweep():
    many = result("--until", "900", "--sweep", "0.5,1,1.5", "--seed", "7")
    for n, multiplier in enumerate(("0.5", "1", "1.5")):
        one = result("--until", "900", "--multiplier", multiplier, "--seed", "7")
        expect(many[n] == one, "a sweep's %s is not a run's" % multiplier)
    for threads in ("1", "2", "5"):
        got = result("--until", "900", "--sweep", "0.5,1,1.5", "--seed", "7",
                     "--threads", threads)
        expect(got == many, "%s threads" % threads)
    expect(many[0]["workload"]["jobs"] < many[2]["workload"]["jobs"],
           "more is more")
    expect(isinstance(result("--until", "60", "--sweep", "1"), list),
           "a sweep of one is a list")


def try_until():
    whole, part = log("--until", "900"), log("--until", "300")
    expect(whole[:len(part)] == part, "what is cut is not the beginning")
    expect(len(part) < len(whole), "nothing was cut")
    first = min(int(row["time_ns"]) for row in part)
    expect(all(int(row["time_ns"]) <= first + 300 * 10**9 for row in part),
           "something happened later")


def try_seed():
    drawn = ["--until", "300", "--policy", "random"]
    expect(result(*drawn) == result(*drawn, "--seed", "0"), "the seed is not 0")
    expect(result(*drawn) != result(*drawn, "--seed", "18446744073709551615"),
           "another seed draws the same")


def try_policies():
    digests = set()
    for policy in ("drf", "fair", "utilisation", "priority", "fifo", "random"):
        digests.add(result("--until", "900", "--policy", policy)
                    ["result"]["digest"])
    # Without priorities, that order is by utilisation.
    expect(len(digests) == 5, "two policies decide alike")
    digests = set()
    for apps in ("fifo", "fair", "priority", "size", "user-fair"):
        digests.add(result("--until", "1800", "--apps", apps)
                    ["result"]["digest"])
    expect(len(digests) >= 4, "orders of applications decide alike")
    expect(result("--until", "900", "--preempt", "off") ==
           result("--until", "900"), "off is not the default")
    digests = set()
    for preempt in ("starvation", "imbalance", "starvation,imbalance"):
        digests.add(result("--until", "900", "--load", "1.4", "--preempt",
                           preempt)["result"]["digest"])
    expect(len(digests) == 3, "a list of policies decides like one of them")


def try_files(folder):
    names = {name: os.path.join(folder, name) for name in ("json", "csv", "log")}
    report = replay("--until", "600", "--json", names["json"], "--csv",
                    names["csv"], "--decisions", names["log"])
    expect(report.startswith("Workload") and "digest" in report, "the report")
    expect(sorted(os.listdir(folder)) == ["csv", "json", "log"],
           "other files: %r" % os.listdir(folder))
    text = {}
    for name, path in names.items():
        with open(path, encoding="utf-8") as file:
            text[name] = file.read()
    expect(replay("--until", "600", "--csv", "-") == text["csv"],
           "--csv - is not the file")
    expect(replay("--until", "600", "--decisions", "-") == text["log"],
           "--decisions - is not the file")
    whole = json.loads(text["json"])
    rows = list(csv.DictReader(io.StringIO(text["csv"])))
    expect([row["path"] for row in rows] ==
           [queue["path"] for queue in whole["queues"]], "queues of the table")
    for row, queue in zip(rows, whole["queues"]):
        expect(row["work_cpu"] == queue["work"]["cpu"], "work of the table")
        expect(int(row["jobs"]) == queue["jobs"], "jobs of the table")
    expect(replay("--until", "600", "--json", names["json"], "--quiet") == "",
           "--quiet is not")


def try_tiers(folder):
    report = replay("--until", "600")
    expect(all("tier %d " % n in report for n in (1, 2, 3)), "tiers")
    report = replay("--until", "600", "--multiplier", "1.5")
    expect(all("tier %d " % n in report for n in (1, 2, 3)), "copies' tiers")
    tree, work = os.path.join(folder, "tree"), os.path.join(folder, "work.csv")
    with open(tree, "w", encoding="utf-8") as file:
        file.write("root\nroot.a tier=7\nroot.b\n")
    with open(work, "w", encoding="utf-8") as file:
        file.write("submit_s,run_s,queue,tier\n0,1,a,\n0,1,a,9\n0,1,b,\n")
    report = replay(work, "--tree", tree)
    expect("tier 7 " in report and "tier 9 " in report, "tiers of the tree")
    expect("tier 0 " not in report, "a tier that is none")


def try_example(folder):
    folder = os.path.join(folder, "made")
    command = replay("--example", folder).split(" ", 1)[1]
    bundled = result("--until", "900")
    again = subprocess.run(
        '"%s" %s --until 900 --quiet --json -' % (PROGRAM, command.strip()),
        shell=True, capture_output=True, text=True, timeout=100)
    got = json.loads(again.stdout)
    del got["speed"]
    expect(got == bundled, "the example written is not the one bundled")


def try_output_that_is_full():
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([PROGRAM, "--until", "60"], stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=100)
    expect(done.returncode == 2 and "cannot be written" in done.stderr,
           "a report that could not be written")


def try_one_output_twice(folder):
    name = os.path.join(folder, "x")
    for twice in (name, "-"):
        done = subprocess.run([PROGRAM, "--until", "60", "--csv", twice,
                               "--json", twice], capture_output=True, text=True,
                              timeout=100)
        expect(done.returncode == 2 and "one output only" in done.stderr,
               "%s written twice" % twice)
    expect(os.listdir(folder) == [], "and it is there")


def try_words():
    expect("--sweep" in replay("--help"), "--help")
    expect(replay("--version").startswith("replay "), "--version")


def main(program):
    global PROGRAM
    PROGRAM = program
    for part in (try_keys, try_sweep, try_until, try_seed, try_policies,
                 try_files, try_tiers, try_example, try_output_that_is_full,
                 try_one_output_twice, try_words):
        if part.__code__.co_argcount == 0:
            part()
            continue
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    for fault in FAULTS:
        print(fault)
    print("%d faults" % len(FAULTS))
    return 1 if FAULTS else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
