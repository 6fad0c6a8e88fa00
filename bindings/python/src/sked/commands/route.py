"""python -m sked route: the C program, which may read gzipped files here."""

from collections.abc import Sequence

from ._program import program

SUMMARY = "one workload over several clusters, by each policy"


def run(words: Sequence[str]) -> int:
    """The command."""
    return program("route", words)
