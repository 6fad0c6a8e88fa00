#!/usr/bin/env python3
"""Replays workloads and has every decision log checked (check_replay.py).

    recorded.py PROGRAM DATA [--full] [--table FILE] [--proved FILE]
        [--like FILE]

The bundled workload always; recorded ones where the folder DATA has them, a
choice that takes a minute, or with --full all of them in many ways. --proved
notes the hash of every log and result that passed; with --like, what another
build has proved so, by the same checker, is only compared byte by byte.
"""
import glob
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
CHECK = os.path.join(HERE, "..", "check_replay.py")
PARTS = os.path.join(HERE, "..", "replay_check", "*.py")

sys.path.insert(0, os.path.dirname(CHECK))
from replay_check.command import Summed, plain  # noqa: E402

WEEK = "slurmsim-ubhpc/common/workload_week.csv.gz"
WEEK_NODES = " --nodes '250 x cpu=32,memory=187GiB,gpu=2'"
KTH = "swf-hpc/raw/KTH-SP2-1996-2.swf.gz"
CEA = "swf-hpc/raw/CEA-Curie-sample.swf.gz"
THETA = "swf-hpc/raw/ALCF-Theta-2022.swf.gz"
FB9 = "swim-facebook/common/FB-2009_samples_24_times_1hr_0.csv.gz"
FB10 = ("swim-facebook/common/"
        "FB-2010_samples_24_times_1hr_withInputPaths_0.csv.gz")
BATCH = "alibaba/common/batch-2017-cloudsimpy.csv.gz"
DLRM = "alibaba/common/dlrm-2025.csv.gz"
OPENB = "alibaba/common/openb_pod_list_default.csv.gz"
PHILLIPS = "xdmod-sacct/common/phillips.csv.gz"
MIXED = (" --nodes '900 x cpu=96,memory=384GiB,gpu=4'"
         " --nodes '600 x cpu=64,memory=256GiB,gpu=2'")

BUNDLED = ["", "--gang", "--gang-over 0", "--gang-over 1 --heartbeat 0",
           "--heartbeat 0", "--place pack", "--place spread --gang",
           "--place fragment", "--policy drf --heartbeat 5",
           "--multiplier 1.5 --policy random --seed 5",
           "--preempt imbalance", "--preempt starvation --preempt-grace 0",
           "--preempt imbalance --preempt-every 40",
           "--preempt starvation,imbalance --preempt-used 0.5",
           "--preempt entitlement --preempt-inside both --heartbeat 5"]

QUICK = [
    WEEK + WEEK_NODES + " --gang",
    WEEK + " --gang --heartbeat 5",
    KTH + " --gang --nodes '1 x cpu=100'",
    CEA + " --gang --nodes '1 x cpu=93312'",
    KTH + " --gang-over 0 --nodes '100 x cpu=1'",
    FB9 + " --default-run 20",
    DLRM,
    PHILLIPS + " --queue-by group/user --gang",
]

FULL = [
    WEEK,
    WEEK + WEEK_NODES,
    WEEK + WEEK_NODES + " --heartbeat 0 --policy fair",
    WEEK + WEEK_NODES + " --heartbeat 5 --multiplier 1.5",
    WEEK + WEEK_NODES + " --policy utilisation --apps fair",
    WEEK + WEEK_NODES + " --policy random --apps size --seed 9",
    WEEK + WEEK_NODES + " --policy priority --apps user-fair --gang",
    WEEK + WEEK_NODES + " --queue-by group/user --gang",
    KTH, KTH + " --gang", KTH + " --heartbeat 0 --nodes '25 x cpu=4'",
    CEA, CEA + " --gang", CEA + " --gang --queue-by user",
    CEA + " --gang-over 0 --nodes '5832 x cpu=16'",
    THETA + " --gang-over 0 --nodes '4360 x cpu=1'",
    THETA, THETA + " --gang --nodes '1 x cpu=4360'", THETA + " --gang",
    FB9 + " --default-run 20 --multiplier 1.5",
    FB10 + " --default-run 20", FB10 + " --default-run 20 --gang",
    BATCH, BATCH + " --heartbeat 0",
    DLRM + " --heartbeat 5 --multiplier 1.5",
    OPENB, OPENB + MIXED, OPENB + MIXED + " --policy fifo",
    PHILLIPS,
]


def hash_of(*paths):
    found = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            found.update(file.read())
    return found.hexdigest()


class Proofs:
    """What was proved, a line each: words, hash of what they gave."""

    def __init__(self, like, proved):
        self.by = hash_of(CHECK, *sorted(glob.glob(PARTS)))
        self.known, self.out = set(), None
        if like and os.path.isfile(like):
            with open(like, encoding="utf-8") as file:
                self.known = set(file.read().splitlines())
        if proved:
            self.out = open(proved, "w", encoding="utf-8")

    def line(self, file, options, found):
        words = [hash_of(w) if os.path.isfile(w) else w for w in options]
        return "\t".join([self.by, hash_of(file), shlex.join(words), found])

    def note(self, line):
        if self.out:
            self.out.write(line + "\n")
            self.out.flush()

    def have(self, program, file, options):
        """Does the program say what was proved before?"""
        if not self.known:
            return False
        with tempfile.TemporaryDirectory() as folder:
            answer = os.path.join(folder, "result.json")
            run = subprocess.Popen(
                [program, plain(file, folder), "--quiet", "--json", answer,
                 "--decisions", "-"] + options, stdout=subprocess.PIPE)
            summed = Summed(run.stdout)
            room = bytearray(1 << 16)
            while summed.readinto(room):
                pass
            if run.wait() != 0:
                return False
            with open(answer, encoding="utf-8",
                      errors="surrogateescape") as said:
                result = json.load(said, parse_float=Decimal)
        found = self.line(file, options, summed.with_result(result))
        return found in self.known


def check(program, file, options, table, proofs):
    name = " ".join([os.path.basename(file)] + options)
    if proofs.have(program, file, options):
        print("PASS %s: the bytes that were proved" % name, flush=True)
        return True
    args = [sys.executable, CHECK, "--sum", "--replay", program, file] + options
    began = time.monotonic()
    got = subprocess.run(args, capture_output=True, text=True)
    took = time.monotonic() - began
    said = (got.stdout or got.stderr).strip().splitlines() or ["no answer"]
    print("%s (%.0f s with the check)" % (said[-1], took), flush=True)
    if table:
        table.write("%s\t%s\n" % (got.returncode, said[-1]))
        table.flush()
    if got.returncode == 0:
        proofs.note(proofs.line(file, options, said[0].removeprefix("sum ")))
    return got.returncode == 0


def bundled(program, table, proofs):
    ok = True
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run([program, "--example", folder], check=True,
                              capture_output=True, text=True).stdout
        words = shlex.split(said)
        for more in BUNDLED:
            ok &= check(program, words[1], words[2:] + shlex.split(more),
                        table, proofs)
        got = [subprocess.run([program] + w + ["--json", "-"], check=True,
                              capture_output=True, text=True).stdout
               for w in ([], words[1:])]
        same = len({re.search('"digest":"(.*?)"', g).group(1) for g in got})
        if same != 1:
            print("the example's files are not what is bundled")
        return ok and same == 1


def main(argv):
    program, data = argv[0], argv[1]
    given = dict(zip(argv[2:], argv[3:]))
    table = None
    if "--table" in given:
        table = open(given["--table"], "w", encoding="utf-8")
    proofs = Proofs(given.get("--like"), given.get("--proved"))
    ok = bundled(program, table, proofs)
    if not os.path.isdir(data):
        print("SKIPPED: recorded workloads, there is no folder %s" % data)
        return 0 if ok else 1
    cases = QUICK + (FULL if "--full" in argv else [])
    for case in cases:
        words = shlex.split(case)
        ok &= check(program, os.path.join(data, words[0]), words[1:], table,
                    proofs)
    print("VECTORS: %d replays of recorded workloads checked" % len(cases))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
