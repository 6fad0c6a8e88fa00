"""What every command of `python -m sked` does alike."""

import signal
import subprocess
import sys


def test_who_stops_reading_gets_no_traceback(tmp_path):
    tree = tmp_path / "tree.txt"
    tree.write_text("kinds cpu=m\nroot.a\n")
    child = subprocess.Popen(
        [sys.executable, "-m", "sked", "validate", str(tree)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.close()
    assert child.stderr.read() == b"" and child.wait() == -signal.SIGPIPE
