"""python -m sked locality: the C program, which may read gzipped files here."""

from collections.abc import Sequence

from ._program import program

SUMMARY = "which host reads which block of data"


def run(words: Sequence[str]) -> int:
    """The command."""
    return program("locality", words)
