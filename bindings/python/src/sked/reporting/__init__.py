"""One self-contained HTML page about a workload: what happened, who waited and
why, who was over and under, what the planner advises, and what a replay says of
it. `python -m sked report` is this; see docs/report.md."""

from .data import data
from .facts import Facts, Progress, gather
from .given import Mode, Wanted
from .page import page

__all__ = ["Facts", "Mode", "Progress", "Wanted", "data", "gather", "page",
           "report"]


def report(wanted: Wanted) -> str:
    """The page, as HTML."""
    return page(gather(wanted))
