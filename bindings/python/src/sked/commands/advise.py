"""python -m sked advise: the C program, which may read gzipped files here."""

from collections.abc import Sequence

from ._program import program

SUMMARY = "which queues, weights and bounds suit a recorded workload"


def run(words: Sequence[str]) -> int:
    """The command."""
    return program("advise", words)
