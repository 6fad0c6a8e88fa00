#!/usr/bin/env python3
"""locality and bad input: one line that says where and what, exit 2, nothing
written, the old file as it was.

    malformed.py PROGRAM
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "support"))
from refusals import faults_of, words, written  # noqa: E402

H = b"block,host\n"
B = H + b"a,x\na,y\nb,x\n"
MANY = H + b"".join(b"a,h%d\n" % i for i in range(255))

# name, bytes of the file, options, what stderr says
BAD = [
    ("empty", b"", [], "blocks.csv:1: no header line"),
    ("no block", b"host\nx\n", [], ":1: no column block"),
    ("no host", b"block\nx\n", [], ":1: no column host"),
    ("column twice", b"block,host,block\n", [],
     ":1:12: column block stands twice"),
    ("short row", H + b"a\n", [], ":2: 1 fields where the header has 2"),
    ("long row", H + b"a,x,x\n", [], ":2: 3 fields where the header has 2"),
    ("no name", H + b",x\n", [], ":2:1: block is empty"),
    ("no host at all", H, [], "blocks.csv: names no host"),
    ("lost, no host", H + b"a,\n", [], "blocks.csv: names no host"),
    ("open quote", H + b'a,"x\n', [], ":2:3: a quote is never closed"),
    ("compressed", b"\x1f\x8b\x08\x00", [], "is compressed: unpack it (gzip -dc), and give -"),
    ("replicas", MANY, [], "a block has more than 254 replicas"),
    ("no file", None, [], "blocks.csv: cannot be opened"),
    ("fewer hosts", B, ["--hosts", "1"], "names 2 hosts, more than --hosts"),
    ("hosts 0", B, ["--hosts", "0"], "--hosts is not 1 to 16777216"),
    ("hosts 2^31", B, ["--hosts", "2147483648"], "--hosts is not 1 to"),
    ("hosts letters", B, ["--hosts", "x"], "--hosts is not a number"),
    ("one cost", B, ["--cost", "1"], "--cost is not COMPUTE,TRANSFER"),
    ("cost letters", B, ["--cost", "1,x"], "--cost is not a number"),
    ("cost below 0", B, ["--cost", "-1,1"], "--cost is negative"),
    ("cost 2^62 + 1", B, ["--cost", "1,4611686018427387905"],
     "--cost is larger than 2^62 units"),
    ("method", B, ["--method", "guess"], "--method is exact, online"),
    ("unknown", B, ["--nonsense"], "--nonsense is unknown"),
    ("no value", B, ["--cost"], "--cost lacks its value"),
    ("second file", B, ["b.csv"], "b.csv is a second file"),
    ("hosts: no file", B, ["--hosts-file", "none.csv"], "none.csv: cannot be"),
    ("hosts: no column", B, ["--hosts-file", b"ticks\n1\n"],
     "hosts.csv:1: no column host"),
    ("hosts: unknown", B, ["--hosts-file", b"host\nx\n"],
     "blocks.csv:3:3: host is not in the file of hosts"),
    ("hosts: twice", B, ["--hosts-file", b"host\nx\nx\n"],
     "hosts.csv:3:1: host stands twice"),
    ("hosts: no name", B, ["--hosts-file", b"host,ticks\n,1\n"],
     "hosts.csv:2:1: host is empty"),
    ("hosts: ticks 0", B, ["--hosts-file", b"host,ticks\nx,0\ny,1\n"],
     "hosts.csv:2:3: ticks is not 1 to"),
    ("hosts: half", B, ["--hosts-file", b"host,ticks\nx,1.5\ny,1\n"],
     "hosts.csv:2:3: ticks is not a whole number"),
    ("hosts: letters", B, ["--hosts-file", b"host,quota\nx,a\ny,1\n"],
     "hosts.csv:2:3: quota is not a number"),
    ("hosts: negative", B, ["--hosts-file", b"host,committed\nx,-4\ny,1\n"],
     "hosts.csv:2:3: committed is negative"),
    ("hosts: cores", B, ["--hosts-file", b"host,cores\nx,4294967296\ny,1\n"],
     "hosts.csv:2:3: cores is not 1 to 4294967295"),
    ("hosts: too late", B,
     ["--hosts-file", b"host,ticks\nx,4611686018427387904\ny,1\n"],
     "host x: the last block would end after 2^62"),
    ("area of unequal", B, ["--method", "area", "--hosts-file",
                            b"host,ticks\nx,2\ny,1\n"],
     "the area search wants equal hosts"),
    ("over its input", B, ["--plot", "./blocks.csv"],
     "./blocks.csv is read, too"),
    ("over the hosts", B, ["--hosts-file", b"host\nx\ny\n", "--plot",
                           "hosts.csv"], "hosts.csv is read, too"),
    ("one file twice", B, ["--plot", "./old.csv"],
     "./old.csv can be one output only"),
    ("nothing to explain", B, ["--method", "online", "--explain"],
     "--explain needs a method that proves its answer"),
    ("two on standard output", B, ["--plot", "-", "--json"],
     "- can be one output only"),
    ("no folder", B, ["--plot", "none/x.svg"], "none/x.svg: cannot be written"),
    ("full disk", B, ["--plot", "/dev/full"], "/dev/full: cannot be written"),
]


def try_bad(program, name, data, options, want):
    with tempfile.TemporaryDirectory() as folder:
        old = os.path.join(folder, "old.csv")
        args = [program, written(folder, "blocks.csv", data), "--assign", old,
                *words(folder, options, "hosts.csv")]
        return faults_of(name, args, old, want)


def alone(program):
    """A file on standard output has it for itself."""
    faults = []
    for option, begins, lines in (("--assign", b"block,host,transfer\n", 3),
                                  ("--plot", b"<svg ", None)):
        got = subprocess.run([program, "-", option, "-"], input=B,
                             capture_output=True, timeout=60)
        if not got.stdout.startswith(begins) or b"least load" in got.stdout or \
                lines and got.stdout.count(b"\n") != lines:
            faults.append("%s -: %r" % (option, got.stdout[-100:]))
    return faults


def main(program):
    faults = alone(program)
    for name, data, options, want in BAD:
        faults += try_bad(program, name, data, options, want)
    for option, word in (("--help", b"Exit status"), ("--version", b"locality ")):
        got = subprocess.run([program, option], capture_output=True, timeout=60)
        if got.returncode or word not in got.stdout or got.stderr:
            faults.append("%s: %r" % (option, got.stdout[:100]))
    print(*faults, sep="\n")
    print("%d inputs, %d faults" % (len(BAD), len(faults)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
