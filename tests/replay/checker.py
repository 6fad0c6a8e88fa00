#!/usr/bin/env python3
"""The checker of decision logs, checked: it passes a sound log and objects to
every way of spoiling it.

    checker.py PROGRAM
"""
import copy
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
from replay_check import command  # noqa: E402
from replay_check.fault import Fault  # noqa: E402

TREE = """kinds cpu=m memory=B gpu=m
root
root.a weight=2 limit=50%
root.b
root.c limit="cpu=12"
"""
NODES = ["4 x cpu=4,memory=8GiB", "2 x cpu=8,memory=8GiB @big"]


def workload():
    draw = random.Random(4)
    rows = ["submit_s,run_s,tasks,queue,cpu,mem_bytes,partition,job_id"]
    for i in range(300):
        cpu = draw.choice([1, 1, 2, 3])
        if i == 50:
            cpu = 9  # fits no node
        rows.append("%d,%d,%d,%s,%d,%d,%s,j%d" % (
            i // 2, draw.randint(1, 9), draw.randint(1, 4),
            draw.choice("abc"), cpu, draw.randint(0, 3) << 30,
            draw.choice(["", "", "big"]), i))
    return "\n".join(rows) + "\n"


def find(rows, kind, nth=0):
    return [i for i, r in enumerate(rows) if r[2] == kind][nth]


def renumber(rows):
    for i, row in enumerate(rows):
        row[0] = str(i + 1)
    return rows


def drop(kind, nth):
    def spoil(rows, _):
        del rows[find(rows, kind, nth)]
        return renumber(rows)
    return spoil


def twice(kind, nth):
    def spoil(rows, _):
        at = find(rows, kind, nth)
        rows.insert(at, list(rows[at]))
        return renumber(rows)
    return spoil


def put(kind, nth, column, change):
    def spoil(rows, _):
        row = rows[find(rows, kind, nth)]
        row[column] = change(row[column])
        return rows
    return spoil


def forget_job(rows, _):
    name = rows[find(rows, "admit", 100)][3]
    return renumber([r for r in rows if r[3] != name])


def admit_rejected(rows, _):
    rows[find(rows, "reject")][2] = "admit"
    return rows


def reject_sound(rows, _):
    row = rows[find(rows, "admit", 20)]
    row[2], row[9] = "reject", "no node is large enough"
    return [r for r in rows if r[3] != row[3] or r is row]


def late(rows, _):
    """The last job starts, and ends, three seconds later than it could."""
    name = [r for r in rows if r[2] == "admit"][-1][3]
    mine = [r for r in rows if r[3] == name and r[2] in ("allocate", "finish")]
    for row in mine:
        row[1] = str(int(row[1]) + 30 * 10 ** 9)
    rows.sort(key=lambda r: (int(r[1]), int(r[0])))
    return renumber(rows)


def swapped(rows, _):
    """Two jobs that the log starts one after the other, exchanged."""
    firsts = {}
    for row in rows:
        if row[2] == "allocate" and row[3] not in firsts:
            firsts[row[3]] = row
    admits = [r for r in rows if r[2] == "admit"]
    for i, early in enumerate(admits):
        for other in admits[i + 1:i + 40]:
            one, two = firsts[early[3]], firsts[other[3]]
            if (early[6] == other[6] and one[5] == two[5] == "1" and
                    one[8] == two[8] and int(other[1]) <= int(one[1]) and
                    int(one[1]) + 10 ** 9 < int(two[1])):
                names = {early[3]: other[3], other[3]: early[3]}
                for row in rows:
                    if row[2] != "admit" and row[3] in names:
                        row[3] = names[row[3]]
                return rows
    raise AssertionError("no such pair")


def back(rows, _):
    rows[500][1] = str(int(rows[500][1]) - 10 ** 12)
    return rows


def figure(*path):
    def spoil(rows, result):
        at = result
        for name in path[:-2]:
            at = at[name]
        at[path[-2]] = path[-1](at[path[-2]])
        return rows
    return spoil


def one_more(x):
    return str(int(x) + 1) if isinstance(x, str) else x + 1


SPOILED = [
    ("an allocation is missing", drop("allocate", 30), []),
    ("an end is missing", drop("finish", 30), []),
    ("an admission is missing", drop("admit", 30), []),
    ("an allocation twice", twice("allocate", 30), []),
    ("an end twice", twice("finish", 30), []),
    ("an admission twice", twice("admit", 30), []),
    ("ends a nanosecond late", put("finish", 40, 1, one_more), []),
    ("another node", put("allocate", 40, 7, lambda n: str((int(n) + 1) % 6)),
     []),
    ("no such node", put("allocate", 40, 7, lambda n: "6"), []),
    ("ends on another node", put("finish", 40, 7,
                                 lambda n: str((int(n) + 1) % 6)), []),
    ("more tasks", put("allocate", 40, 5, one_more), []),
    ("fewer tasks end", put("finish", 40, 5, lambda n: "0"), []),
    ("other tasks", put("allocate", 40, 4, one_more), []),
    ("another queue", put("allocate", 40, 6, lambda q: "root.z"), []),
    ("another amount", put("allocate", 40, 8,
                           lambda a: a.replace("cpu=", "cpu=1")), []),
    ("a gap in the sequence", put("finish", 60, 0, one_more), []),
    ("time runs back", back, []),
    ("a job is forgotten", forget_job, []),
    ("what cannot run is admitted", admit_rejected, []),
    ("what can run is rejected", reject_sound, []),
    ("rejected for no reason", put("reject", 0, 9, lambda r: "bad luck"), []),
    ("started late", late, []),
    ("out of turn", swapped, []),
    ("the digest", figure("result", "digest", lambda d: d[::-1]), []),
    ("another reason", put("allocate", 9, 9, lambda r: ""), []),
    ("jobs", figure("workload", "jobs", one_more), []),
    ("the span", figure("workload", "span_s", one_more), []),
    ("the makespan", figure("result", "makespan_s", one_more), []),
    ("the work", figure("result", "work", "cpu", one_more), []),
    ("a percentile", figure("delay_s", "p95", one_more), []),
    ("a queue's mean", figure("queues", 1, "delay_s", "mean", one_more), []),
    ("a queue's peak", figure("queues", 2, "peak", "cpu", one_more), []),
    ("a queue's work", figure("queues", 3, "work", "memory", one_more), []),
    ("starvation", figure("queues", 1, "starved_s", one_more), []),
    ("rejected", figure("result", "rejected", one_more), []),
    ("the capacity", figure("cluster", "capacity", "cpu", one_more), []),
    ("smaller nodes", None, ["--nodes", "4 x cpu=3,memory=8GiB"]),
    ("a lower limit", None, ["--tree", TREE.replace("cpu=12", "cpu=8")]),
    ("a lower part", None, ["--tree", TREE.replace("50%", "30%")]),
    ("one application at a time", None,
     ["--tree", TREE.replace("root.b", "root.b max_running=1")]),
]


# With preemption: a hog fills the cluster, then others come who are owed half.
PREEMPT = ["--preempt", "imbalance", "--preempt-grace", "4",
           "--preempt-part", "1", "--preempt-factor", "1"]
PREEMPT_TREE = """kinds cpu=m memory=B gpu=m
root
root.a guarantee=20%
root.b guarantee=50%
root.c guarantee=30%
"""


def preempt_workload():
    draw = random.Random(11)
    rows = ["submit_s,run_s,tasks,queue,cpu,mem_bytes,partition,job_id"]
    for i in range(40):
        rows.append("%d,%d,%d,%s,1,0,,j%d" % (
            i // 2 * 20, draw.randint(30, 90), draw.randint(4, 24),
            "aac"[i % 3] if i % 4 else "b", i))
    return "\n".join(rows) + "\n"


def drop_kill(rows, _):
    """Neither killed nor open again: the tasks run on, it would seem."""
    del rows[find(rows, "kill")]
    del rows[find(rows, "requeue")]
    return renumber(rows)


def never_again(rows, _):
    """What was killed never starts anew."""
    kill = rows[find(rows, "kill")]
    at = rows.index(kill)
    starts = {(r[3], r[4]) for r in rows[:at] if r[2] == "allocate"}
    for i in range(at, len(rows)):
        row = rows[i]
        if row[2] == "allocate" and (row[3], row[4]) in starts:
            del rows[i]
            return renumber(rows)
    raise AssertionError("nothing starts anew")


def early_kill(rows, _):
    """A kill a period before its time, with all that goes with it."""
    kill = rows[find(rows, "kill")]
    now = int(kill[1])
    for row in rows:
        if row[2] in ("kill", "requeue") and row[1] == kill[1]:
            row[1] = str(now - 3 * 10 ** 9)
    rows.sort(key=lambda r: (int(r[1]), int(r[0])))
    return renumber(rows)


def let_off(rows, _):
    """A notice of what is killed later, withdrawn at once."""
    at = find(rows, "notify")
    row = list(rows[at])
    row[2], row[9] = "withdraw", "no longer needed"
    rows.insert(at + 1, row)
    return renumber(rows)


def short_run(rows, _):
    """What was killed has, when it starts anew, only its rest to run."""
    names = {r[3] for r in rows if r[2] == "kill"}
    row = [r for r in rows if r[2] == "finish" and r[3] in names][-1]
    row[1] = str(int(row[1]) - 10 ** 9)
    rows.sort(key=lambda r: (int(r[1]), int(r[0])))
    return renumber(rows)


def other_victim(rows, _):
    """Told is the queue that is owed."""
    notice = rows[find(rows, "notify")]
    running = {}
    for row in rows[:rows.index(notice)]:
        key = (row[3], row[4], row[7])
        if row[2] == "allocate" and row[6] != notice[6]:
            running[key] = row
        elif row[2] == "finish":
            running.pop(key, None)
    row = next(iter(running.values()))
    notice[3:9] = row[3:9]
    return rows


PREEMPT_SPOILED = [
    ("a notice is missing", drop("notify", 0), []),
    ("a notice twice", twice("notify", 0), []),
    ("a notice of other tasks", put("notify", 0, 4, one_more), []),
    ("a notice elsewhere", put("notify", 0, 7,
                               lambda n: str((int(n) + 1) % 4)), []),
    ("told is who is owed", other_victim, []),
    ("a kill is missing", drop("kill", 0), []),
    ("a kill twice", twice("kill", 0), []),
    ("a kill without its requeue", drop("requeue", 0), []),
    ("a requeue twice", twice("requeue", 0), []),
    ("no kill at all", drop_kill, []),
    ("a kill of more", put("kill", 0, 5, one_more), []),
    ("a kill before its time", early_kill, []),
    ("killed is who was let off", let_off, []),
    ("it never starts anew", never_again, []),
    ("only the rest is run", short_run, []),
    ("more open than killed", put("requeue", 0, 5, one_more), []),
    ("room for nobody", put("reserve", 0, 5, lambda n: "1000"), []),
    ("room for a task of its own", put("reserve", 0, 4, lambda _: "0"), []),
    ("room used that is not kept", drop("reserve", 0), []),
    ("a withdrawal twice", twice("withdraw", 0), []),
    ("notified", figure("preemption", "notified", one_more), []),
    ("killed", figure("preemption", "killed", one_more), []),
    ("withdrawn", figure("preemption", "withdrawn", one_more), []),
    ("lost work", figure("preemption", "lost_work", "cpu", one_more), []),
    ("work with what was lost", figure("result", "work", "cpu", one_more), []),
    ("a longer grace", None, ["--preempt-grace", "7"]),
    ("another period", None, ["--preempt-every", "7"]),
    ("not to be preempted from", None,
     ["--tree", PREEMPT_TREE.replace("20%", "20% preempt_from=no")]),
    ("guaranteed all it has", None,
     ["--tree", PREEMPT_TREE.replace("20%", "80%").replace("50%", "20%")
      .replace("30%", "0%")]),
    ("without preemption", None, ["--preempt", "off"]),
]


def in_part(rows, _):
    """The last part of a gang starts, and ends, a second after the rest."""
    starts = [r for r in rows if r[2] == "allocate"]
    part = next(b for a, b, c in zip(starts, starts[1:], starts[2:])
                if a[3] == b[3] != c[3])
    for row in rows:
        if row[3:6] == part[3:6] and row[2] in ("allocate", "finish"):
            row[1] = str(int(row[1]) + 10 ** 9)
    rows.sort(key=lambda r: (int(r[1]), int(r[0])))
    return renumber(rows)


def between(rows, _):
    """What is admitted at that instant stands among the parts of a gang."""
    pairs = [(i, a) for i, (a, b) in enumerate(zip(rows, rows[1:]))
             if a[2] == b[2] == "allocate" and a[3] == b[3]]
    i, at = next((i, at) for i, row in enumerate(rows) for at, a in pairs
                 if row[2] == "admit" and i < at and a[1] == row[1] and
                 a[3] != row[3])
    rows.insert(at, rows.pop(i))
    return renumber(rows)


GANGS_SPOILED = [
    ("a gang in two parts", in_part, []),
    ("another among its rows", between, []),
    ("a part is missing", drop("allocate", 1), []),
    ("another reason", put("allocate", 1, 9, lambda _: "its turn"), []),
    ("a gang waits for nothing", late, []),
    ("fewer on a node", None, ["--gang-over", "5"]),
    ("smaller nodes", None, ["--nodes", "4 x cpu=7"]),
]


PLACE_SPOILED = [("packed, not spread", None, ["--place", "spread"])]

# What is promised: one queue fills the cluster for long, then others come who
# are guaranteed most of it. Each as it was run, and as it is judged.
SERVICE_NODES = ["--nodes", "4 x cpu=8"]
SERVICE_RUNS = {
    "imbalance": ["--preempt-grace", "4"],
    "starvation": ["--preempt-grace", "4", "--preempt-timeout", "6"],
    "entitlement": ["--preempt-grace", "4", "--preempt-cycles", "3"],
}
SERVICE_SPOILED = [
    ("imbalance: nobody is told", ["--preempt", "off"], "imbalance"),
    ("starvation: nobody is told", ["--preempt", "off"], "starvation"),
    ("entitlement: nobody is told", ["--preempt", "off"], "entitlement"),
    ("imbalance: all in a dead zone", ["--preempt", "imbalance",
     "--preempt-ignored", "1", "--preempt-grace", "4"], "imbalance"),
    ("starvation: when most is used", ["--preempt", "starvation",
     "--preempt-used", "1", "--preempt-grace", "4"], "starvation"),
    ("imbalance: a longer grace", ["--preempt", "imbalance",
     "--preempt-grace", "90"], "imbalance"),
    ("starvation: a longer time-out", ["--preempt", "starvation",
     "--preempt-grace", "4", "--preempt-timeout", "60"], "starvation"),
    ("entitlement: more rounds", ["--preempt", "entitlement",
     "--preempt-grace", "4", "--preempt-cycles", "30"], "entitlement"),
]


def service_workload():
    rows = ["submit_s,run_s,tasks,queue,cpu,mem_bytes,partition,job_id",
            "0,900,48,a,1,0,,hog"]
    for i in range(6):
        rows.append("%d,200,7,%s,1,0,,j%d" % (60 + 40 * i, "bc"[i % 2], i))
    return "\n".join(rows) + "\n"


def judge(folder, rows, result, change, said):
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow("seq time_ns kind job task count queue node amount "
                 "reason".split())
    out.writerows(rows)
    args = [os.path.join(folder, "w.csv")] + said
    if change[:1] == ["--tree"]:
        other = os.path.join(folder, "other.txt")
        with open(other, "w", encoding="utf-8") as file:
            file.write(change[1])
        change = ["--tree", other]
    if change and change[0] in args:
        args[args.index(change[0]) + 1] = change[1]
    else:
        args += change
    o = command.options(args)
    text.seek(0)
    try:
        command.judge(o, text, lambda: result)
    except Fault as fault:
        return str(fault)
    return None


def run_in(program, folder, said):
    """A run's rows and figures."""
    subprocess.run([program, os.path.join(folder, "w.csv"), "--quiet",
                    "--json", os.path.join(folder, "j"), "--decisions",
                    os.path.join(folder, "d")] + said, check=True)
    with open(os.path.join(folder, "d"), newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    with open(os.path.join(folder, "j"), encoding="utf-8") as file:
        return rows, json.load(file, parse_float=Decimal)


def try_all(program, work, tree, said, spoiled):
    """Of one run: the sound log, then every way to spoil it; how many of them
    are judged wrongly."""
    with tempfile.TemporaryDirectory() as folder:
        def name(file):
            return os.path.join(folder, file)
        for file, text in (("w.csv", work), ("tree.txt", tree)):
            with open(name(file), "w", encoding="utf-8") as out:
                out.write(text)
        said = ["--tree", name("tree.txt")] + said
        rows, result = run_in(program, folder, said)
        sound = judge(folder, rows, result, [], said)
        bad = 0
        if sound:
            print("the sound log: %s" % sound)
            bad += 1
        for what, spoil, change in spoiled:
            ours, figures = copy.deepcopy(rows), copy.deepcopy(result)
            if spoil:
                ours = spoil(ours, figures)
            fault = judge(folder, ours, figures, change, said)
            print("%-30s %s" % (what, fault or "NOT CAUGHT"))
            bad += fault is None
    print("%d rows; %d spoiled logs, %d not caught" %
          (len(rows), len(spoiled), bad))
    return bad


def try_service(program):
    """Logs that keep what their settings promise pass; the same decisions do
    not under settings that promise more."""
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = os.path.join(folder, "tree.txt")
        for file, text in (("w.csv", service_workload()),
                           ("tree.txt", PREEMPT_TREE)):
            with open(os.path.join(folder, file), "w",
                      encoding="utf-8") as out:
                out.write(text)
        given = ["--tree", tree] + SERVICE_NODES
        judged = {name: given + ["--preempt", name] + more
                  for name, more in SERVICE_RUNS.items()}
        for name, said in judged.items():
            fault = judge(folder, *run_in(program, folder, said), [],
                          said)
            print("%-30s %s" % (name, fault or "sound"))
            bad += fault is not None
        for what, run, name in SERVICE_SPOILED:
            rows, figures = run_in(program, folder, given + run)
            fault = judge(folder, rows, figures, [], judged[name])
            print("%-30s %s" % (what, fault or "NOT CAUGHT"))
            bad += fault is None or "nothing came of it" not in fault
    return bad


def main(program):
    nodes = [word for spec in NODES for word in ("--nodes", spec)]
    rounds = SERVICE_NODES + ["--preempt-every", "3"] + PREEMPT
    bad = try_all(program, workload(), TREE, nodes, SPOILED)
    for more, spoiled in (
            (rounds, PREEMPT_SPOILED),
            (SERVICE_NODES + ["--gang-over", "6"], GANGS_SPOILED),
            (SERVICE_NODES + ["--nodes", "2 x cpu=6", "--place", "pack"],
             PLACE_SPOILED)):
        bad += try_all(program, preempt_workload(), PREEMPT_TREE, more, spoiled)
    bad += try_service(program)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
