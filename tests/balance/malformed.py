#!/usr/bin/env python3
"""Bad input of balance: each file and each command line gives status 2 and one
line that says what is wrong and where, and damaged files never do worse.

    malformed.py PROGRAM
"""
import os
import random
import subprocess
import sys
import tempfile

CLUSTERS = "cluster,zone,cpu,instance_cpu\na,x,10,2\nb,y,20,4\n"
WORKFLOWS = "workflow,home,cpu,bucket,tier,allowed\nw,a,5,0,1,b\nw,a,6,1,1,b\n"
HOSTS = "host,rack\nh1,r\nh2,r\n"
#: What is replaced in clusters, in workflows, and what is said of it.
FILES = [
    ("a,x,10,2", "a,x,ten,2", "", "", "c.csv:2:5: cpu is not a number"),
    ("a,x,10,2", "a,x,-1,2", "", "", "c.csv:2:5: cpu is negative"),
    ("a,x,10,2", "a,x,9e18,2", "", "", "c.csv:2:5: cpu is"),
    ("a,x,10,2", "a,x,10", "", "", "c.csv:2: 3 fields where the header has 4"),
    ("a,x,10,2", "a,x,10,2,3", "", "", "c.csv:2: 5 fields where the header has 4"),
    ("b,y", "a,y", "", "", "c.csv:3:1: cluster stands twice"),
    ("b,y", ",y", "", "", "c.csv:3:1: cluster is empty"),
    ("cluster,", "name,", "", "", "c.csv:1: no column cluster"),
    ("zone,cpu", "cpu,cpu", "", "", "c.csv:1:13: column cpu stands twice"),
    ("a,x,10,2\nb,y,20,4\n", "", "", "", "c.csv: has no cluster"),
    ("", "", "w,a,5", "w,c,5", "w.csv:2:3: no cluster is named c"),
    ("", "", "w,a,6", "w,b,6", "w.csv:3:3: home is another than in an earlier"),
    ("", "", "5,0,1,b", "5,0,1,b|z", "w.csv:2:11: no cluster is named z"),
    ("", "", "5,0,1,b", "5,0,0,b", "w.csv:2: tier is below 1"),
    ("", "", "5,0,1,b", "5,0,999999,b", "w.csv:2:9: tier is above"),
    ("", "", "5,0,1", "5,9999999,1", "w.csv:2:7: bucket is above"),
    ("", "", "w,a,5", ",a,5", "w.csv:2:1: workflow is empty"),
    ("", "", "workflow,home", "workflow,place", "w.csv:1: no column home"),
    ("", "", WORKFLOWS, "", "w.csv:1: no header line"),
    ("", "", WORKFLOWS, "workflow,home\n", "w.csv: has no workflow")]
LINES = [
    (["--nothing"], "--nothing is unknown"), (["--clusters"], "lacks its value"),
    (["--clusters", "c.csv"], "go together"), (["w.csv"], "go together"),
    (["--percentile", "0", "--csv"], "out of range"),
    (["--percentile", "101"], "out of range"),
    (["--percentile", "x"], "is not a number"),
    (["--max-moves", "1.5"], "out of range"),
    (["--stripe", "0"], "out of range"), (["--stripe", "70000"], "out of range"),
    (["--split", "--evacuate", "x"], "does not go with another way"),
    (["--stripe", "2", "--ceiling", "50"], "goes with --csv alone"),
    (["--stripe", "2", "--clusters", "x"], "is of no use here"),
    (["a", "b"], "is a second file"), (["--evacuate", "z"], "no cluster is in"),
    (["--clusters", "-", "-"], "is read once"),
    (["--clusters", "/nonexistent", "x"], "/nonexistent")]


def run(program, folder, *words):
    return subprocess.run([program, *words], capture_output=True, cwd=folder,
                          text=True, errors="replace", timeout=60)


def refused(done, said):
    assert done.returncode == 2, (said, done)
    assert said in done.stderr and done.stderr.count("\n") == 1, (said, done)
    assert done.stdout == "", done


def put(folder, name, text):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def damaged(rng, text):
    made = bytearray(text.encode())
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(made) + 1)
        if rng.random() < 0.5:
            made[at:at + rng.randint(0, 3)] = rng.choice(
                [b"\0", b"\xff", b'"', b",", b"\n", b"-", b"1e99", b"|", b"9" * 30])
        elif at < len(made):
            made[at] = rng.randrange(256)
    return bytes(made)


def main():
    program = os.path.abspath(sys.argv[1])
    rng = random.Random(11)
    with tempfile.TemporaryDirectory() as folder:
        for old, new, before, after, said in FILES:
            assert old in CLUSTERS and before in WORKFLOWS
            put(folder, "c.csv", CLUSTERS.replace(old, new, 1))
            put(folder, "w.csv", WORKFLOWS.replace(before, after, 1))
            refused(run(program, folder, "--clusters", "c.csv", "w.csv"), said)
        put(folder, "c.csv", CLUSTERS)
        for words, said in LINES:
            refused(run(program, folder, *words), said)
        put(folder, "h.csv", HOSTS.replace("h2", "h1"))
        refused(run(program, folder, "--stripe", "2", "h.csv"),
                "h.csv:3:1: host stands twice")
        put(folder, "h.csv", "host,rack\n")
        refused(run(program, folder, "--stripe", "2", "h.csv"), "has no host")
        for _ in range(300):
            put(folder, "c.csv", damaged(rng, CLUSTERS))
            put(folder, "w.csv", damaged(rng, WORKFLOWS))
            put(folder, "h.csv", damaged(rng, HOSTS))
            way = rng.choice([[], ["--split"], ["--evacuate", "x"], ["--csv"]])
            done = run(program, folder, *way, "--clusters", "c.csv", "w.csv")
            assert done.returncode in (0, 1, 2), done
            done = run(program, folder, "--stripe", "2", "h.csv")
            assert done.returncode in (0, 2), done


main()
