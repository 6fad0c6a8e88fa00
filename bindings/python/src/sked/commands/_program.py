"""The C programs, brought along: their answers are the same bytes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ._files import Input


def program(name: str, words: Sequence[str]) -> int:
    """Runs a C program with this process's input and output."""
    path = Path(__file__).parents[1] / "bin" / name
    if not path.exists():
        print(f"sked: this build has no {name}", file=sys.stderr)
        return 2
    try:
        files = Input(words)
        with files as plain:
            if plain == list(words):
                return max(0, subprocess.call([str(path), *plain]))
            ran = subprocess.run([str(path), *plain], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True,
                                 errors="replace")
            sys.stderr.write(files.named(ran.stderr))
            sys.stdout.write(files.named(ran.stdout))
            return max(0, ran.returncode)
    except (OSError, ValueError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def captured(name: str, words: Sequence[str]) -> None:
    """Runs a C program for its files; ValueError with what it says when it
    fails."""
    path = Path(__file__).parents[1] / "bin" / name
    if not path.exists():
        raise ValueError(f"this build has no {name}")
    files = Input(words)
    with files as plain:
        said = subprocess.run([str(path), *plain], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True,
                              errors="replace")
    if said.returncode != 0:
        raise ValueError(files.named(said.stderr).strip() or f"{name} failed")
