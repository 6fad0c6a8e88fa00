#!/usr/bin/env python3
"""What balance writes, computed again from the files with fractions: how full
each cluster is after the moves, that no ceiling is passed by an evacuation, that
each rack is dealt out evenly.

    answers.py PROGRAM
"""
import csv
import io
import os
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

KINDS = ("cpu", "mem_bytes", "gpu")


def draw(rng):
    """Clusters and workflows as rows."""
    clusters = [{"cluster": "c%d" % i, "zone": rng.choice("xyz"),
                 "cpu": rng.randint(20, 60), "mem_bytes": rng.randint(20, 60),
                 "gpu": rng.choice([0, 4, 8]), "instance_cpu": 4,
                 "instance_mem_bytes": rng.choice([4, 8]),
                 "instance_gpu": rng.choice([0, 1])}
                for i in range(rng.randint(1, 4))]
    buckets = rng.randint(1, 3)
    rows = []
    for i in range(rng.randint(1, 7)):
        home = rng.choice(clusters)["cluster"]
        allowed = [c["cluster"] for c in clusters if rng.random() < 0.7]
        if rng.random() < 0.3:
            allowed = []  # all of them
        tier = rng.randint(1, 3)
        for bucket in sorted(rng.sample(range(buckets), rng.randint(1, buckets))):
            rows.append({"workflow": "w%d" % i, "home": home, "tier": tier,
                         "bucket": bucket, "cpu": rng.randint(0, 20),
                         "mem_bytes": rng.randint(0, 20), "gpu": 0,
                         "allowed": "|".join(allowed)})
    return clusters, rows


def write(folder, name, rows):
    path = os.path.join(folder, name)
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(rows)
    return path


def run(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    assert done.returncode in (0, 1), (words, done.stderr)
    return done.returncode, done.stdout


def usage(rows, places):
    """What clusters hold, by bucket and kind."""
    made = {}
    for row in rows:
        to = places[row["workflow"]]
        for kind in KINDS:
            at = to, int(row["bucket"]), kind
            made[at] = made.get(at, 0) + row[kind]
    return made


def full(cluster, held, buckets):
    """How full a cluster is at its peak, of 1."""
    peak = Fraction(0)
    for bucket in range(buckets):
        for kind in KINDS:
            amount = held.get((cluster["cluster"], bucket, kind), 0)
            if amount:
                peak = max(peak, Fraction(amount, cluster[kind])
                           if cluster[kind] else Fraction(10**6))
    return peak


def places_of(text):
    return {row["workflow"]: row["to"] or None
            for row in csv.DictReader(io.StringIO(text))}


def check_balance(program, files, clusters, rows, buckets):
    status, text = run(program, *files)
    _, table = run(program, "--csv", *files)
    places = places_of(table)
    held = usage(rows, places)
    said = dict(re.findall(r"^(c\d+) +([\d.]+) %$", text, re.M))
    above = False
    for one in clusters:
        part = full(one, held, buckets)
        above = above or part > 1
        if part < 1000:
            assert abs(Fraction(said[one["cluster"]]) - part * 100) <= \
                Fraction(1, 99), (text, part)
    assert status == (1 if above else 0), text
    for row in rows:
        to = places[row["workflow"]]
        assert to == row["home"] or not row["allowed"] or \
            to in row["allowed"].split("|")
    moves = sum(places[w] != home for w, home in
                {row["workflow"]: row["home"] for row in rows}.items())
    assert text.startswith("%d of %d workflows move" % (moves, len(places)))
    _, few = run(program, "--csv", "--max-moves", "1", *files)
    homes = {row["workflow"]: row["home"] for row in rows}
    assert sum(to != homes[w] for w, to in places_of(few).items()) <= 1


def check_evacuation(program, files, clusters, rows, buckets):
    zone = clusters[0]["zone"]
    lost = {one["cluster"] for one in clusters if one["zone"] == zone}
    status, table = run(program, "--csv", "--evacuate", zone, *files)
    places = places_of(table)
    homes = {row["workflow"]: row["home"] for row in rows}
    nowhere = [w for w, to in places.items() if to is None]
    assert status == (1 if nowhere else 0)
    tiers = {row["workflow"]: row["tier"] for row in rows}
    asked = {}
    for w, home in homes.items():
        if home in lost:
            asked.setdefault(tiers[w], []).append(places[w] is not None)
    _, text = run(program, "--evacuate", zone, *files)
    assert {int(t): (int(n), int(of)) for t, n, of in re.findall(
        r"^tier (\d+): (\d+) of (\d+) workflows", text, re.M)} == {
            t: (sum(each), len(each)) for t, each in asked.items()}, text
    before = usage(rows, homes)
    here = [row for row in rows if places[row["workflow"]]]
    held = usage(here, places)
    for w, to in places.items():
        assert to not in lost
        assert to == homes[w] or homes[w] in lost
    for one in clusters:
        if one["cluster"] not in lost:
            assert full(one, held, buckets) <= max(
                Fraction(1), full(one, before, buckets))
    for w in nowhere:
        allowed = next(row["allowed"] for row in rows if row["workflow"] == w)
        for one in clusters:
            if one["cluster"] in lost or allowed and \
                    one["cluster"] not in allowed.split("|"):
                continue
            more = usage(here + [row for row in rows if row["workflow"] == w],
                         {**places, w: one["cluster"]})
            assert full(one, more, buckets) > 1, (w, one, table)


def check_split(program, files, clusters, rows):
    _, table = run(program, "--csv", "--split", *files)
    assert set(places_of(table)) == {row["workflow"] for row in rows}
    _, text = run(program, "--split", *files)
    said = re.match(r"capacity in use: ([\d.]+) % before, ([\d.]+) % after, "
                    r"([\d.]+) % at least", text)
    before, after, least = map(Fraction, said.groups())
    assert least <= after <= before, text


def check_stripes(program, folder, rng):
    hosts = [{"host": "h%d" % i, "rack": rng.choice("abc")}
             for i in range(rng.randint(1, 20))]
    parts = rng.randint(1, 5)
    path = write(folder, "hosts.csv", hosts)
    _, table = run(program, "--csv", "--stripe", str(parts), path)
    counts = {}
    for row in csv.DictReader(io.StringIO(table)):
        for key in (row["rack"], ""):
            counts.setdefault(key, [0] * parts)[int(row["part"])] += 1
    assert sum(counts[""]) == len(hosts)
    for key, each in counts.items():
        assert max(each) - min(each) <= 1, (key, each)


def main():
    program = sys.argv[1]
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(60):
            clusters, rows = draw(rng)
            buckets = max(row["bucket"] for row in rows) + 1
            files = ["--clusters", write(folder, "c.csv", clusters),
                     write(folder, "w.csv", rows)]
            check_balance(program, files, clusters, rows, buckets)
            check_evacuation(program, files, clusters, rows, buckets)
            check_split(program, files, clusters, rows)
            check_stripes(program, folder, rng)


main()
