"""python -m sked batch: the C program, which may read gzipped files here."""

from collections.abc import Sequence

from ._program import program

SUMMARY = "how many cores each task of a batch gets, and when"


def run(words: Sequence[str]) -> int:
    """The command."""
    return program("batch", words)
