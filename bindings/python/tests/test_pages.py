"""The documents' commands of the package run, and print what the pages say."""

import subprocess
import sys

import pytest

from conftest import ROOT

RUNNER = ROOT / "tests/pages/pages.py"


@pytest.mark.skipif(not RUNNER.exists(), reason="no pages here")
def test_commands_of_the_package_run(tmp_path):
    done = subprocess.run(
        [sys.executable, str(RUNNER), str(tmp_path), "--python", sys.executable],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
