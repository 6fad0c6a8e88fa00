"""python -m sked replay: the C program, which may read gzipped files here."""

from collections.abc import Sequence

from ._program import program

SUMMARY = "a day of a cluster in seconds: runs a recorded workload"


def run(words: Sequence[str]) -> int:
    """The command."""
    return program("replay", words)
