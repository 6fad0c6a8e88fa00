#!/usr/bin/env python3
"""What locality writes, against another way of computing it: random files, a
flow by augmenting paths for every load of the curve, the cheapest point by
looking at all, the assignment counted again.

    answers.py PROGRAM
"""
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import xml.dom.minidom
from fractions import Fraction


def transfers(rows, hosts, fits):
    """Blocks less a largest matching of blocks to places."""
    held = {h: [] for h in hosts}

    def place(block, seen):
        for h in rows[block]:
            if h in seen:
                continue
            seen.add(h)
            if len(held[h]) < fits(h):
                held[h].append(block)
                return True
            for i, other in enumerate(held[h]):
                if place(other, seen):
                    held[h][i] = block
                    return True
        return False

    return sum(not place(block, set()) for block in rows)


def draw(rng):
    hosts = ["h%d" % i for i in range(rng.randint(1, 6))]
    rows = {}
    for i in range(rng.randint(1, 20)):
        n = rng.randint(0, min(3, len(hosts)))
        mine = [hosts[int(rng.random() ** 2 * len(hosts))] for _ in range(n)]
        rows["b%d" % i] = sorted(set(mine))
    lines = ["block,host"]
    for block, mine in rows.items():
        lines += ["%s,%s" % (block, h) for h in mine or [""]]
        if mine and rng.random() < 0.2:
            lines.append("%s,%s" % (block, mine[0]))  # twice
    return hosts, rows, "\n".join(lines) + "\n"


def draw_hosts(rng, hosts):
    table = {h: (rng.randint(1, 4), rng.randint(0, 5), rng.randint(1, 3),
                 rng.choice(["", "20"]), rng.choice("pq")) for h in hosts}
    text = "host,ticks,committed,cores,quota,rack\n" + "".join(
        "%s,%d,%d,%d,%s,%s\n" % (h, *of) for h, of in table.items())
    return table, text


def fits_of(table, load):
    def fits(h):
        if table is None:
            return load
        ticks, committed, cores, quota, _ = table[h]
        n = max(0, (load - committed) // ticks) * cores
        return min(n, int(quota)) if quota else n
    return fits


def run(program, data, options):
    got = subprocess.run([program, "-", "--json", *options],
                         input=data.encode(), capture_output=True, timeout=60)
    assert got.returncode == 0, (got.returncode, got.stderr)
    return json.loads(got.stdout, parse_float=Fraction)


def check_assign(path, answer, rows, table):
    with open(path, encoding="utf-8") as file:
        told = list(csv.DictReader(file))
    assert [row["block"] for row in told] == list(rows)
    load, moved = {}, 0
    for row in told:
        load[row["host"]] = load.get(row["host"], 0) + 1
        away = row["host"] not in rows[row["block"]]
        assert row["transfer"] == str(int(away))
        moved += away
    assert moved == answer["joint"]["transfers"]
    fits = fits_of(table, answer["joint"]["load"])
    assert all(n <= fits(h) for h, n in load.items())


def check_bottleneck(said, rows, hosts, table):
    """What its hosts hold and no other does is more than they end by that load,
    by as much as must be transferred."""
    fits, mine = fits_of(table, said["load"]), set(said["hosts"])
    held = sum(set(on) <= mine for on in rows.values())
    assert said["blocks"] == held, (said, held)
    must = transfers(rows, hosts, fits)
    assert held - sum(map(fits, mine)) == must, (said, must)


def check(program, rng, folder):
    hosts, rows, data = draw(rng)
    named = [h for h in hosts if any(h in mine for mine in rows.values())]
    table = None
    options = ["--hosts", str(len(hosts))]
    if rng.random() < 0.5:
        table, text = draw_hosts(rng, hosts)
        with open(os.path.join(folder, "hosts.csv"), "w") as file:
            file.write(text)
        options = ["--hosts-file", os.path.join(folder, "hosts.csv")]
    elif not named:
        return
    costs = [rng.choice(["0", "0.5", "1", "2.25", "7"]) for _ in range(2)]
    assign = os.path.join(folder, "assign.csv")
    plot = os.path.join(folder, "plot.svg")
    answer = run(program, data, [*options, "--cost", ",".join(costs),
                                 "--assign", assign, "--plot", plot,
                                 "--explain"])
    assert answer["blocks"] == len(rows) and answer["hosts"] == len(hosts)
    assert answer["replicas"] == sum(map(len, rows.values()))
    assert answer["verified"] is True
    last = None
    for load, m in answer["curve"]:
        assert m == transfers(rows, hosts, fits_of(table, load)), (load, m)
        assert last is None or m < last
        last = m
    floor = answer["curve"][0][0]
    assert sum(map(fits_of(table, floor), hosts)) >= len(rows)
    assert floor == 0 or sum(map(fits_of(table, floor - 1), hosts)) < len(rows)
    assert answer["least_load"] == answer["curve"][-1][0]
    assert answer["transfers_at_least_load"] == answer["curve"][-1][1]
    compute, transfer = map(Fraction, costs)
    best = min((load * compute + m * transfer, m) for load, m in answer["curve"])
    joint = answer["joint"]
    assert (joint["cost"], joint["transfers"]) == best, (joint, best)
    check_bottleneck(answer["bottleneck"], rows, hosts, table)
    for method in ["online", "equilibrium", "forward"]:
        other = run(program, data, [*options, "--method", method])
        assert other["least_load"] >= answer["least_load"]
        assert other["verified"] is (method == "forward")
    # As a host that hosts may have a blank name cannot be, nor can these:
    check_assign(assign, answer, rows,
                 table if table else None) if table or named == hosts else None
    svg = xml.dom.minidom.parse(plot)
    assert len(svg.getElementsByTagName("circle")) == 1
    texts = [t.firstChild.data for t in svg.getElementsByTagName("text")]
    numbers = [text for text in texts if text.isdigit()]
    ends = [answer["curve"][i][k] for i in (0, -1) for k in (0, 1)]
    assert all(str(end) in numbers for end in (ends[0], ends[1], ends[2]))
    assert all(numbers.count(n) <= 2 for n in numbers)
    assert sum(t.startswith("load %d, %d transfers, cost " % (
        joint["load"], joint["transfers"])) for t in texts) == 1


def no_places(program, folder):
    """Quotas that leave fewer places than blocks: a finding, exit 1."""
    with open(os.path.join(folder, "hosts.csv"), "w") as file:
        file.write("host,quota\nx,1\n")
    got = subprocess.run(
        [program, "-", "--json", "--hosts-file",
         os.path.join(folder, "hosts.csv")],
        input=b"block,host\na,x\nb,x\n", capture_output=True, timeout=60)
    answer = json.loads(got.stdout)
    assert got.returncode == 1 and not got.stderr
    assert answer["joint"] is None and answer["least_load"] is None
    assert answer["verified"] is True and answer["unplaced"] == 1


def main(program):
    rng = random.Random(5)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(60):
            check(program, rng, folder)
        no_places(program, folder)
    print("60 files: every curve is that of a flow")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
