#!/usr/bin/env python3
"""Jobs whose blocks lie on nodes: a task a block, and as many transfers as the
program locality says are cheapest, counted again from the decisions.

    blocks.py REPLAY LOCALITY
"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile


def run(command, folder):
    return subprocess.run(command, capture_output=True, cwd=folder,
                          timeout=60, text=True)


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def draw(rng, nodes, named):
    rows = []
    for b in range(rng.randint(1, 30)):
        hosts = [int(rng.random() ** 2 * nodes) for _ in range(rng.randint(0, 3))]
        rows.append([named(h) for h in sorted(set(hosts))])
    return rows


def csv_of(rows):
    lines = ["block,host"]
    for b, hosts in enumerate(rows):
        lines += ["b%d,%s" % (b, h) for h in hosts or [""]]
    return "\n".join(lines) + "\n"


def replay(program, folder, *options):
    got = run([program, "w.csv", "--json", "-", "--decisions", "log.csv",
               "--quiet", *options], folder)
    assert got.returncode == 0, got.stderr
    with open(os.path.join(folder, "log.csv"), encoding="utf-8") as file:
        log = list(csv.DictReader(file))
    return json.loads(got.stdout), log


def check_alone(program, locality, rng, folder):
    """One job on a cluster of its own: the cheapest plan, task by task."""
    nodes, seconds = rng.randint(1, 6), rng.randint(1, 40)
    transfer = rng.choice([1, 7, 30])
    rows = draw(rng, nodes, str)
    write(folder, "one.csv", csv_of(rows))
    write(folder, "w.csv", "submit_s,run_s,cpu,job_id,blocks\n"
          "0,%d,1,j,one.csv\n" % seconds)
    hosts = "host,cores\n" + "".join("%d,2\n" % h for h in range(nodes))
    write(folder, "hosts.csv", hosts)
    plan = json.loads(run([locality, "one.csv", "--json", "--hosts-file",
                           "hosts.csv", "--cost",
                           "%d,%d" % (seconds, transfer)], folder).stdout)
    answer, log = replay(program, folder, "--nodes", "%d x cpu=2" % nodes,
                         "--transfer", str(transfer), "--node-delay", "100000",
                         "--heartbeat", "0")
    result = answer["result"]
    assert answer["workload"]["tasks"] == len(rows)
    assert result["tasks_finished"] == len(rows)
    assert result["transfers"] == plan["joint"]["transfers"]
    assert result["local"] == len(rows) - result["transfers"]
    work = len(rows) * seconds + result["transfers"] * transfer
    assert int(result["work"]["cpu"]) == work * 10 ** 12
    assert sum(int(r["count"]) for r in log if r["kind"] == "allocate") == len(rows)
    if result["transfers"] == 0:
        assert result["makespan_s"] == plan["joint"]["load"] * seconds


def check_many(program, rng, folder):
    """Several jobs at once, hosts by name: nothing is lost or counted twice."""
    nodes = rng.randint(2, 6)
    total, plain, lines = 0, 0, ["submit_s,run_s,cpu,job_id,tasks,blocks"]
    names = ["n%c" % (97 + i) for i in range(nodes)]
    for j in range(rng.randint(1, 8)):
        if rng.random() < 0.3:
            plain += 3
            lines.append("%d,20,1,p%d,3," % (rng.randint(0, 50), j))
            continue
        rows = draw(rng, nodes, lambda h: names[h])
        total += len(rows)
        write(folder, "f%d.csv" % j, csv_of(rows))
        tasks = rng.choice(["", "1", str(len(rows))])
        lines.append("%d,20,1,j%d,%s,f%d.csv" % (rng.randint(0, 50), j, tasks, j))
    write(folder, "w.csv", "\n".join(lines) + "\n")
    waits = rng.choice(["0", "5", "50"])
    answer, log = replay(program, folder, "--nodes", "%d x cpu=3" % nodes,
                         "--transfer", "8", "--node-delay", waits,
                         "--heartbeat", rng.choice(["0", "1"]))
    result = answer["result"]
    assert result["tasks_finished"] == total + plain
    assert result.get("local", 0) + result.get("transfers", 0) == total
    work = (total + plain) * 20 + result.get("transfers", 0) * 8
    assert int(result["work"]["cpu"]) == work * 10 ** 12
    use = [0] * nodes
    for r in log:
        if r["kind"] not in ("allocate", "finish"):
            continue
        use[int(r["node"])] += int(r["count"]) * (1 if r["kind"] == "allocate" else -1)
        assert 0 <= use[int(r["node"])] <= 3
    assert not any(use)


def check_refusals(program, folder):
    def refused(blocks, row, words, *options):
        write(folder, "bad.csv", blocks)
        write(folder, "w.csv", "submit_s,run_s,cpu,tasks,blocks\n" + row)
        got = run([program, "w.csv", "--nodes", "2 x cpu=1", *options], folder)
        assert got.returncode == 2 and not got.stdout, got
        assert words in got.stderr and got.stderr.count("\n") == 1, got.stderr

    good, row = "block,host\na,0\n", "0,1,1,1,bad.csv\n"
    refused(good, "0,1,1,1,no.csv\n", "no.csv")
    refused("", row, "no header line")
    refused("block,node\na,0\n", row, "no column host")
    refused("host\n0\n", row, "no column block")
    refused("block,host\n", row, "has no block")
    refused("block,host\n,0\n", row, "block is empty")
    refused("block,host\na\n", row, "1 fields where the header has 2")
    refused("block,host\na,\"0\n", row, "bad.csv:2")
    refused("block,host\na,2\n", row, "not among 2 nodes")
    refused("block,host\na,0\na,x\n", row, "not among 2 nodes")
    refused("block,host\na,99999999999999999999\n", row, "not among 2 nodes")
    refused("block,host\na,x\na,y\na,z\n", row, "not among 2 nodes")
    refused("block,host\n" + "a,0\n" * 255, row, "too many replicas")
    refused(good, "0,1,1,2,bad.csv\n", "2 tasks, and 1 blocks")
    refused(good, row, "gangs have no places", "--gang")
    refused(good, row, "is an output, too", "--csv",
            os.path.join(folder, ".", "bad.csv"))
    refused(good, row, "--transfer", "--transfer", "x")


def main(program, locality):
    rng = random.Random(16)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(40):
            check_alone(program, locality, rng, folder)
            check_many(program, rng, folder)
        check_refusals(program, folder)
    print("80 workloads with blocks")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
