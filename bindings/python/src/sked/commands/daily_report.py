"""python -m sked daily_report: the C program, which may read gzipped files here."""

from collections.abc import Sequence

from ._program import program

SUMMARY = "the report of a day: tiers, workflows, what should change"


def run(words: Sequence[str]) -> int:
    """The command."""
    return program("daily_report", words)
