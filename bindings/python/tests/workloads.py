"""What the tests of workloads share: where data and programs are, and short
ways to write a file and read it."""

import gzip
import json
import os
import subprocess
from pathlib import Path

import pytest

import sked
from sked.importers import read_workload

from conftest import ROOT

BIN = Path(sked.__file__).with_name("bin")


def data(place):
    """A recorded file; the test is left out where it is not."""
    vectors = os.environ.get("SKED_VECTORS")
    folder = Path(vectors).parent if vectors else ROOT.parent / "shared"
    found = folder / "data" / place
    if not found.exists():
        pytest.skip(f"no recorded data in {found}")
    return found


def program(name, *words):
    """Runs a C program of the package."""
    if not (BIN / name).exists():
        pytest.skip(f"this build has no {name}")
    done = subprocess.run([BIN / name, *map(str, words)], capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def replayed(path, *words):
    """What replay says of a workload, without how fast."""
    said = json.loads(program("replay", path, "--json", "-", "--quiet",
                              *words))
    del said["speed"]
    return said


def unpacked(path, folder):
    """A copy without .gz, for the C programs."""
    plain = folder / path.name.removesuffix(".gz")
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    return plain


def put(folder, text, name="w.csv"):
    """A file of a text."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(folder, text, name="w.csv", form=None):
    """The workload of a text, and its jobs."""
    work = read_workload(put(folder, text, name), form)
    return work, list(work)


def faults(work):
    """What was found, short."""
    return [(f.line, f.where, f.text) for f in work.findings.first]


__all__ = ["BIN", "data", "faults", "program", "put", "read", "replayed",
           "unpacked"]
