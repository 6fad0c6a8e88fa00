#!/usr/bin/env python3
"""replay and bad input: one line that says where and what, exit 2, nothing
written, the old files as they were. And input that only looks bad.

    malformed.py PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "support"))
from refusals import faults_of, words, written  # noqa: E402

H = b"submit_s,run_s,tasks,queue\n"
MEGA = b"9" * (1 << 20)
PLAIN = b"submit_s,run_s,tasks,queue,job_id\n1,2,3,a,x\n2.5,2,1,b,y\n"

# name, bytes of the file (.swf by its name), options, what stderr says
BAD = [
    ("empty", b"", [], ":1: no header line"),
    ("only blank lines", b"\n\n\r\n", [], ":1: no header line"),
    ("no time column", b"queue,run_s\na,1\n", [], ":1: no column submit_s or"),
    ("column twice", b"submit_s,run_s,submit_s\n1,1,1\n", [],
     ":1:16: column submit_s stands twice"),
    ("short row", H + b"1,2,3\n", [], ":2: 3 fields where the header has 4"),
    ("long row", H + b"1,2,3,a,b\n", [], ":2: 5 fields where"),
    ("letters", H + b"1,2,3,a\n1,x,3,a\n", [], ":3:3: run_s is not a number"),
    ("letters behind", H + b"1,2s,3,a\n", [], ":2:3: run_s is not a number"),
    ("hexadecimal", H + b"0x10,2,3,a\n", [], ":2:1: submit_s is not a number"),
    ("not a number", H + b"nan,2,3,a\n", [], ":2:1: submit_s is not a number"),
    ("infinite", H + b"inf,2,3,a\n", [], ":2:1: submit_s is not a number"),
    ("two points", H + b"1.2.3,2,3,a\n", [], ":2:1: submit_s is not a number"),
    ("negative submission", H + b"-1,2,3,a\n", [], ":2:1: submit_s is negative"),
    ("negative run time", H + b"1,-0.5,3,a\n", [], ":2:3: run_s is negative"),
    ("negative tasks", H + b"1,2,-3,a\n", [], ":2:5: tasks is negative"),
    ("half a task", H + b"1,2,1.5,a\n", [], ":2:5: tasks is not a whole"),
    ("end before start", b"start_s,end_s\n5,4\n", [],
     ":2:3: end_s is before start_s"),
    ("2^63 seconds", H + b"9223372036854775808,2,3,a\n", [],
     ":2:1: submit_s is larger than 2^62 units"),
    ("above 2^62 ns", H + b"4611686018.427387905,2,3,a\n", [],
     ":2:1: submit_s is larger than 2^62 units"),
    ("after 2^61 ns", H + b"2400000000,2,3,a\n", [],
     ":2:1: a submission after 2^61 ns"),
    ("start after 2^61 ns", b"queue,start_s,run_s\na,2400000000,2\n", [],
     ":2:3: a submission after 2^61 ns"),
    ("runs 2^60 ns and more", H + b"1,1200000000,3,a\n", [],
     ":2:3: a run of more than 2^60 ns"),
    ("ends 2^60 ns later", b"start_s,end_s\n1,1200000000\n", [],
     ":2:3: a run of more than 2^60 ns"),
    ("run behind the id, 2^60 ns", b"start_s,job_id\n1,a;run=1200000000\n", [],
     ":2:9: a run of more than 2^60 ns"),
    ("2^63 bytes", b"submit_s,run_s,mem_bytes\n1,2,9223372036854775808\n", [],
     ":2:5: mem_bytes is larger than 2^62 units"),
    ("huge exponent", H + b"1e999999999999,2,3,a\n", [],
     ":2:1: submit_s is larger than 2^62 units"),
    ("2^31 tasks", H + b"1,2,2147483648,a\n", [], ":2:5: more than 2147483647"),
    ("too much in all", b"submit_s,run_s,cpu,tasks\n1,2,1e15,2e9\n", [],
     ":2:10: the tasks want more than 2^62 units of cpu"),
    ("priority", b"submit_s,run_s,priority\n1,2,1e10\n", [],
     ":2:5: priority is not a whole number from"),
    ("tier", b"submit_s,run_s,tier\n1,2,256\n", [], ":2:5: tier is not a whole"),
    ("run behind the id", b"submit_s,job_id\n1,a;x=1;run=y\n", [],
     ":2:13: run= behind the job_id is not a number"),
    ("NUL", H + b"1,2,3,a\0b\n", [], ":2:8: a NUL byte"),
    ("NUL in quotes", H + b'1,2,3,"a\0b"\n', [], ":2:9: a NUL byte"),
    ("NUL in the header", b"submit_s,\0\n1,2\n", [], ":1:10: a NUL byte"),
    ("open quote", H + b'1,2,3,"a\n2,2,3,b\n', [], ":2:7: a quote is never"),
    ("text behind a quote", H + b'1,2,3,"a"b\n', [], ":2:10: text behind"),
    ("line numbers go on in quotes", H + b'1,2,3,"a\nb"\n1,x,3,a\n', [],
     ":4:3: run_s is not a number"),
    ("1 MB of digits", H + b"1," + MEGA + b",1,a\n", [],
     ":2:3: run_s is larger than 2^62 units"),
    ("1 MB of commas", H + b"1,2,3,a" + b"," * (1 << 20) + b"\n", [],
     ":2:261: more than 256 fields"),
    ("compressed", b"\x1f\x8b\x08\x00", [], ": is compressed: unpack it (gzip -dc), and give -"),
    ("no such queue", H + b"1,2,3,a\n1,2,3,b c\n", ["--tree", b"root\nroot.a\n"],
     ":3:7: the tree has no queue root.b c"),
    ("not a leaf", H + b"1,2,3,a\n", ["--tree", b"root\nroot.a\nroot.a.b\n"],
     ":2:7: queue root.a is not a leaf"),
    ("newline in a name", H + b'1,2,3,"b\nc"\n', ["--tree", b"root\nroot.a\n"],
     ":2:7: the tree has no queue root.b c"),
    ("tree: no value", H + b"1,2,3,a\n", ["--tree", b"root\nroot.a weight\n"],
     "tree.txt:2:"),
    ("tree: no parent", H + b"1,2,3,a\n", ["--tree", b"root\nroot.a.b\n"],
     "tree.txt:2:"),
    ("tree: bad weight", H + b"1,2,3,a\n",
     ["--tree", b"root\nroot.a weight=-1\n"], "tree.txt:2:"),
    ("tree: lacks a kind", b"submit_s,run_s,gpu\n1,2,1\n",
     ["--tree", b"kinds cpu=m\nroot\nroot.default\n"],
     ":2: the tree has no kind gpu"),
    ("tree: no file", H + b"1,2,3,a\n", ["--tree", "none.txt"],
     "none.txt: cannot be opened"),
    ("nodes: no count", H, ["--nodes", "cpu=1"], "--nodes has no count"),
    ("nodes: no x", H, ["--nodes", "3 cpu=1"], "--nodes is not"),
    ("nodes: no kind", H, ["--nodes", "3 x disk=1"], "--nodes:1:"),
    ("nodes: bad amount", H, ["--nodes", "3 x cpu=one"], "--nodes:1:"),
    ("nodes: too much", H, ["--nodes", "1000000 x memory=4EiB"],
     "more than 2^62 units"),
    ("unknown option", H, ["--nonsense", "1"], "--nonsense is unknown"),
    ("no value", H, ["--seed"], "--seed lacks its value"),
    ("queue-by", H, ["--queue-by", "job"], "--queue-by: is queue, group"),
    ("policy", H, ["--policy", "best"], "--policy has no such value"),
    ("load", H, ["--load", "0"], "--load is zero"),
    ("two sorts of gangs", H, ["--gang", "--gang-over", "0"],
     "--gang-over is not --gang"),
    ("exact gangs on one node", H, ["--gang", "--gang-exact", "2"],
     "--gang-exact is not --gang"),
    ("exact gangs of any number", H, ["--gang-exact", "4", "--gang-over", "4"],
     "--gang-exact is not --gang-over"),
    ("exact gangs of none", H, ["--gang-exact", "0"], "--gang-exact is zero"),
    ("a job that is no multiple", H + b"1,2,3,a\n", ["--gang-exact", "2"],
     ":2:5: the tasks are no multiple of 2"),
    ("gangs over half a node", H, ["--gang-over", "0.5"],
     "--gang-over is no whole number"),
    ("a place", H, ["--place", "best"], "--place has no such value"),
    ("places and heartbeats", H, ["--place", "pack", "--heartbeat", "1"],
     "--place goes with --heartbeat 0 only"),
    ("heartbeat", H, ["--heartbeat", "-1"], "--heartbeat is negative"),
    ("threads", H, ["--threads", "0.5"], "--threads is no whole number"),
    ("heartbeat of years", H, ["--heartbeat", "2e9"],
     "--heartbeat is longer than 2^60 ns"),
    ("over its input", H, ["--csv", "./workload.csv"],
     "./workload.csv is read, too"),
    ("over the tree", H, ["--tree", b"root\n", "--csv", "tree.txt"],
     "tree.txt is read, too"),
    ("one file twice", H, ["--csv", "./old.json"],
     "./old.json can be one output only"),
    ("one new file twice", H, ["--csv", "./new.csv"],
     "new.csv can be one output only"),
    ("until at once", H, ["--until", "0"], "--until is zero"),
    ("until too late", H, ["--until", "2e9"], "--until is longer than 2^60 ns"),
    ("a default run of years", H, ["--default-run", "2e9"],
     "--default-run is longer than"),
    ("seed", H, ["--seed", "-1"], "--seed is no whole number"),
    ("no seed", H, ["--seed", ""], "--seed is no whole number"),
    ("half a seed", H, ["--seed", "1.5"], "--seed is no whole number"),
    ("seed of 65 bits", H, ["--seed", "18446744073709551616"],
     "--seed has more than 64 bits"),
    ("sweep", H, ["--sweep", "1,,2"], "--sweep is empty"),
    ("sweep, end open", H, ["--sweep", "1,2,"], "--sweep is empty"),
    ("sweep too far", H, ["--sweep", "1,1000.1"], "--sweep is more than 1000"),
    ("sweep of one", H, ["--multiplier", "2", "--sweep", "1"],
     "--multiplier does not go with --sweep"),
    ("two multipliers", H, ["--multiplier", "1,2"], "--multiplier is one number"),
    ("preempt", H, ["--preempt", "maybe"], "--preempt"),
    ("no policy", H, ["--preempt", ""], "--preempt"),
    ("half a policy", H, ["--preempt", "starvation,"], "--preempt"),
    ("off in a list", H, ["--preempt", "imbalance,off"], "--preempt"),
    ("many policies", H, ["--preempt", ",".join(["imbalance"] * 9)], "--preempt"),
    ("nodes: no amounts", H, ["--nodes", "3 x "], "--nodes has no amounts"),
    ("nodes: no partition", H, ["--nodes", "3 x cpu=1 @ "],
     "--nodes has a bad partition"),
    ("nodes: kind twice", H, ["--nodes", "3 x cpu=1,cpu=2"], "--nodes:1:7:"),
    ("nodes: too many", H, ["--nodes", "1000000 x cpu=1",
                            "--nodes", "1000000 x cpu=1"], "more than 1048576"),
    ("over what is read", H, ["--tree", "x", "--csv", "x"], "x is read, too"),
    ("a folder", H, ["--csv", "."], ".: cannot be written"),
    ("full at the end", PLAIN, ["--csv", "/dev/full", "--quiet"],
     "/dev/full: cannot be written"),
    ("multiplier", H, ["--multiplier", "0"], "--multiplier is zero"),
    ("default task", H, ["--default-task", "cpu=-1"], "--default-task:1:"),
    ("second file", H, ["other.csv"], "other.csv is a second workload"),
    ("no folder", H, ["--csv", "none/x"], "none/x: cannot be written"),
    ("full disk", H, ["--csv", "/dev/full"], "/dev/full: cannot be written"),
    ("swf: short", b"; x\n1 2 3\n", ".swf", ":2: 3 fields, not 18"),
    ("swf: letters", b"1 0 0 x 1 " + b"0 " * 13 + b"\n", ".swf",
     ":1:7: field 4 is not a number"),
    ("swf: NUL", b"1 0 0 1 1 \0 " + b"0 " * 12 + b"\n", ".swf",
     ":1:11: a NUL byte"),
    ("swf: late", b"1 2400000000 0 1 1 " + b"0 " * 13 + b"\n", ".swf",
     ":1:3: field 2 is more than 2^61 ns"),
    ("swf: waits too long", b"1 0 2400000000 1 1 " + b"0 " * 13 + b"\n", ".swf",
     ":1:5: field 3 is more than 2^61 ns"),
    ("swf: runs too long", b"1 0 0 1200000000 1 " + b"0 " * 13 + b"\n", ".swf",
     ":1:7: field 4 is more than 2^60 ns"),
    ("swf: 2^63", b"1 9223372036854775808 0 1 1 " + b"0 " * 13 + b"\n", ".swf",
     ":1:3: field 2 is larger than 2^62 units"),
]

# name, bytes: the same results as PLAIN
SAME = [
    ("CRLF", PLAIN.replace(b"\n", b"\r\n")),
    ("no final newline", PLAIN[:-1]),
    ("byte order mark", b"\xef\xbb\xbf" + PLAIN),
    ("quotes", PLAIN.replace(b",a,", b',"a",').replace(b"2.5", b'"2.5"')),
    ("empty lines", PLAIN.replace(b"\n", b"\n\n")),
    ("other columns, another order",
     b"job_id,nonsense,queue,tasks,run_s,submit_s\n"
     b"x,?,a,3,2,1\ny,?,b,1,2,2.5\n"),
    ("times by start and end",
     b"start_s,end_s,tasks,queue,job_id\n1,3,3,a,x\n2.5,4.5,1,b,y\n"),
    ("run time behind the id",
     b"submit_s,tasks,queue,job_id\n1,3,a,x;q=1;run=2\n2.5,1,b,y;run=2;\n"),
    ("other ways to write numbers",
     b"submit_s,run_s,tasks,queue,job_id\n+1.0,0.2e1,3,a,x\n"
     b"2.4999999995,2.0000000004,,b,y\n"),
]


def run(program, folder, data, options):
    swf = options == ".swf"
    file = written(folder, "workload" + (".swf" if swf else ".csv"), data)
    return file, [program, file,
                  *words(folder, [] if swf else options, "tree.txt")]


def try_bad(program, name, data, options, want):
    with tempfile.TemporaryDirectory() as folder:
        old = os.path.join(folder, "old.json")
        _, args = run(program, folder, data, options)
        args += ["--json", old, "--decisions", os.path.join(folder, "new.csv")]
        if name == "no value":
            args = args[:2] + ["--json", old, "--seed"]
        return faults_of(name, args, old, want)


def answers(program, data):
    with tempfile.TemporaryDirectory() as folder:
        file, args = run(program, folder, data, [])
        got = subprocess.run(args + ["--quiet", "--json", "-"],
                             capture_output=True, timeout=60)
        if got.returncode != 0:
            return got.stderr
        result = json.loads(got.stdout)
        del result["speed"]
        piped = subprocess.run([program, "-", "--quiet", "--json", "-"],
                               input=data, capture_output=True, timeout=60)
        again = json.loads(piped.stdout)
        del again["speed"]
        return result if again == result else "stdin differs"


def main(program):
    faults = []
    for name, data, options, want in BAD:
        faults += try_bad(program, name, data, options, want)
    plain = answers(program, PLAIN)
    if not isinstance(plain, dict):
        faults.append("the plain file: %r" % plain)
    for name, data in SAME:
        got = answers(program, data)
        if got != plain:
            faults.append("%s: not as the plain file: %r" % (name, got))
    for fault in faults:
        print(fault)
    print("%d bad inputs, %d odd ones, %d faults" %
          (len(BAD), len(SAME), len(faults)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
