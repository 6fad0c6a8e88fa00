"""Pictures of results, one call each, drawn by matplotlib (`libsked[plot]`).

Each takes what the library gave and returns matplotlib's Figure, or draws into
the `ax` it is given. `figure.table` holds the numbers behind it, `svg_of`
writes it as the same bytes each time. See docs/pictures.md."""

from .base import PlotMissing, svg_of
from .batch import batch_gantt, batch_sweep
from .forecast import Limit, growth, limit
from .icicle import queue_tree
from .locality import trade_off
from .objectives import slo_dashboard
from .percentile import percentile_curve
from .preemption import Acts, preemption_timeline
from .schedule import Watched, gantt
from .updates import Steps, update_timeline
from .usage import below_share, fair_share, usage_over_time
from .waits import queue_length, wait_lengths

__all__ = ["Acts", "Limit", "PlotMissing", "Steps", "Watched", "batch_gantt",
           "batch_sweep", "below_share",
           "fair_share", "gantt", "growth", "limit", "percentile_curve",
           "preemption_timeline", "queue_length", "queue_tree", "slo_dashboard",
           "svg_of", "trade_off", "update_timeline", "usage_over_time",
           "wait_lengths"]
