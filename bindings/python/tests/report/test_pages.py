"""The commands of the package that documents show run, and print what the
documents say; so do their programs in Python."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="libsked[plot] is missing")
pytest.importorskip("jinja2", reason="libsked[report] is missing")
RUNNER = Path(__file__).resolve().parents[4] / "tests/pages/pages.py"


@pytest.mark.skipif(not RUNNER.exists(), reason="no pages here")
def test_commands_of_the_package_run(tmp_path):
    done = subprocess.run(
        [sys.executable, str(RUNNER), str(tmp_path), "--python", sys.executable],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
