#!/usr/bin/env python3
"""percentile against a second way to the same answers: jobs at random, held
up second by second, sorted and added up in fractions.

    answers.py PROGRAM
"""
import csv
import json
import random
import subprocess
import sys
from fractions import Fraction

THRESHOLDS = ["0.5", "0.8", "0.9", "0.95", "0.99", "0.995", "1"]
INSTANCE = {"cpu": 16, "mem_bytes": 64 << 30}


def draw(rng, n):
    jobs = []
    for i in range(n):
        start = rng.randrange(60)
        jobs.append({
            "start_s": start, "end_s": start + rng.randrange(20),
            "queue": rng.choice(["a", "b,c", 'd"', ""]),
            "user": rng.choice(["x", "y|z"]),
            "tasks": rng.choice(["", 1, 3]),
            "cpu": rng.choice([1, 2.5, 0.001]),
            "mem_bytes": rng.choice([0, 1 << 30, 100 << 30]),
            "gpu": rng.choice(["", 0, 2])})
    for job in rng.sample(jobs, n // 10):
        job[rng.choice(["start_s", "end_s"])] = ""
    return jobs


def write(jobs):
    import io
    text = io.StringIO()
    out = csv.DictWriter(text, fieldnames=sorted(jobs[0]))
    out.writeheader()
    out.writerows(jobs)
    return text.getvalue().encode()


def amount(job, kind):
    tasks = 1 if job["tasks"] == "" else job["tasks"]
    return Fraction(str(job[kind] or 0)) * tasks


def held(jobs, key, kind, second):
    """What the key's jobs hold in a second; instances where there is no kind."""
    now = [j for j in jobs if key_of(j) == key and j["start_s"] != "" and
           j["end_s"] != "" and j["start_s"] <= second < j["end_s"]]
    if kind:
        return sum(amount(j, kind) for j in now)
    parts = [sum(amount(j, k) for j in now) / has for k, has in INSTANCE.items()]
    return -(-max(parts) // 1)


def key_of(job):
    return job["queue"] + "|" + job["user"]


def answers(jobs, kind, window):
    out = {}
    for key in {key_of(j) for j in jobs if j["start_s"] != "" and
                j["end_s"] != ""}:
        units = sorted(x for x in (held(jobs, key, kind, s)
                                   for s in range(*window)) if x)
        row = {"in_use_s": len(units), "unit_seconds": sum(units),
               "peak": units[-1] if units else 0}
        for p in THRESHOLDS:
            need = Fraction(p) * len(units)
            a = next((a for i, a in enumerate(units) if i + 1 >= need), 0)
            covered = [x for x in units if x <= a]
            name = "p%g" % (float(p) * 100)
            row[name] = a
            row["waste", name] = sum(a - x for x in covered)
            row["covered", name] = (Fraction(len(covered), len(units))
                                    if units else 0)
            row["next_lower", name] = max((x for x in units if x < a), default=0)
            row["next_higher", name] = min((x for x in units if x > a),
                                           default=0)
        out[key] = row
    return out


def check(program, jobs, kind, window):
    options = ["--by", "queue|user", "--thresholds", ",".join(THRESHOLDS)]
    if kind:
        names = {"cpu": "cpu", "mem_bytes": "memory", "gpu": "gpu"}
        options += ["--kind", names[kind]]
    else:
        options += ["--instance", "cpu=16,memory=64GiB,gpu=1000000"]
    if window != (0, 100):
        options += ["--window", "%d,%d" % window]
    got = subprocess.run([program, "-", "--json"] + options, input=write(jobs),
                         capture_output=True, timeout=60)
    if got.returncode:
        return ["exit status %d: %r" % (got.returncode, got.stderr)]
    rows = json.loads(got.stdout, parse_float=Fraction)
    want, faults = answers(jobs, kind, window), []
    if [r["key"] for r in rows] != sorted(want):
        return ["keys are %r" % [r["key"] for r in rows]]
    for row in rows:
        for name, value in want[row["key"]].items():
            got = row[name] if isinstance(name, str) else row[name[0]][name[1]]
            if Fraction(got) != value:
                faults.append("%s %s: %s, not %s" % (row["key"], name, got,
                                                     value))
    return faults


def units_are_intervals(program):
    """Time units give what the same spans as jobs give."""
    units = b"key,length_s,amount\na,10,2\na,5,0\nb,7.5,1.25\na,3,4\n"
    jobs = (b"start_s,end_s,queue,cpu\n0,10,a,2\n15,18,a,4\n"
            b"0,7.5,b,1.25\n")
    out = [subprocess.run([program, "-", "--csv"], input=data,
                          capture_output=True).stdout for data in (units, jobs)]
    strip = [[r[:1] + r[2:] for r in csv.reader(x.decode().splitlines())]
             for x in out]
    return [] if strip[0] == strip[1] and len(strip[0]) == 3 else [
        "units: %r, jobs: %r" % tuple(strip)]


def main(program):
    rng = random.Random(5)
    faults = units_are_intervals(program)
    runs = 0
    for i in range(40):
        jobs = draw(rng, rng.choice([10, 40]))
        for kind in ("cpu", "mem_bytes", "gpu", None):
            window = (0, 100) if rng.random() < 0.5 else (
                rng.randrange(20), 20 + rng.randrange(60))
            told = check(program, jobs, kind, window)
            faults += ["%d %s %s: %s" % (i, kind, window, f) for f in told[:3]]
            runs += 1
    for fault in faults[:20]:
        print(fault)
    print("%d runs, %d faults" % (runs, len(faults)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
