"""python -m sked percentile: the C program, which may read gzipped files here."""

from collections.abc import Sequence

from ._program import program

SUMMARY = "what covers a part of the time in which a queue is in use"


def run(words: Sequence[str]) -> int:
    """The command."""
    return program("percentile", words)
