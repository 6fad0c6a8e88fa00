"""What every program does about bad input: one line that says where and what,
exit 2, nothing written, the old files as they were."""

import os
import subprocess


def written(folder, name, data):
    """The path of a file with these bytes in it."""
    path = os.path.join(folder, name)
    if data is not None:
        with open(path, "wb") as out:
            out.write(data)
    return path


def words(folder, options, aside):
    """The options, those that are bytes as the name of a file `aside`."""
    return [written(folder, aside, word) if isinstance(word, bytes) else word
            for word in options]


def faults_of(name, args, old, want):
    """Runs what should be refused beside a file `old`; says what is not as it
    should be."""
    folder = os.path.dirname(old)
    written(folder, os.path.basename(old), b"old")
    before = sorted(os.listdir(folder))
    got = subprocess.run(args, capture_output=True, timeout=60, cwd=folder)
    told = got.stderr.decode("utf-8", "replace")
    with open(old, encoding="utf-8") as file:
        same = file.read() == "old"
    faults = []
    if got.returncode != 2:
        faults.append("exit status %d" % got.returncode)
    program = os.path.basename(args[0])
    if told.count("\n") != 1 or not told.startswith(program + ": "):
        faults.append("not one line")
    if want not in told:
        faults.append("says not %r" % want)
    if got.stdout or not same or sorted(os.listdir(folder)) != before:
        faults.append("something was written")
    return ["%s: %s: %s" % (name, f, told[:200]) for f in faults]
