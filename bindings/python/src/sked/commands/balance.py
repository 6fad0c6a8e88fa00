"""python -m sked balance: the C program, which may read gzipped files here."""

from collections.abc import Sequence

from ._program import program

SUMMARY = "which workflow belongs in which cluster"


def run(words: Sequence[str]) -> int:
    """The command."""
    return program("balance", words)
