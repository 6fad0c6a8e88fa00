"""How far a workload can grow on a cluster: delay against multiplier."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ..columns import Table, convert_column
from ..sim import Run
from . import base, words


class Limit(NamedTuple):
    """Where a delay reaches its target: `multiplier` by straight lines between
    what was measured; None: it does not. `exceeded`: at the least multiplier
    already."""

    multiplier: float | None
    exceeded: bool


def limit(points: Sequence[tuple[float, float]], target: float) -> Limit:
    """Interpolates: `points` are multiplier and delay, rising multipliers.

    >>> limit([(1, 4), (2, 12)], 10)
    Limit(multiplier=1.75, exceeded=False)
    """
    rows = sorted(points)
    if rows and rows[0][1] > target:
        return Limit(None, True)
    for (m1, d1), (m2, d2) in zip(rows, rows[1:]):
        if d1 <= target < d2:
            return Limit(m1 + (m2 - m1) * (target - d1) / (d2 - d1), False)
    return Limit(None, False)


def points_of(runs: Iterable[Run], percentile: int = 95
              ) -> list[tuple[float, float]]:
    """Multipliers and delays (s) of a sweep."""
    said = []
    for run in runs:
        delay = getattr(run.total.delay, f"p{percentile}")
        said.append((float(Fraction(run.options.multiplier)),
                     max(0, delay) / words.SECOND))
    return sorted(said)


def growth(runs: Iterable[Run] | Sequence[tuple[float, float]], target: float,
           *, nodes: int = 0, percentile: int = 95,
           band: Sequence[tuple[float, float, float]] = (), ax: Any = None,
           width: float = 520) -> Any:
    """The delay of jobs against how many times the workload comes, beside a
    target (s), and where they meet.

    `runs` is what `sim.sweep` gives, or pairs of multiplier and delay (s).
    `nodes`: how many nodes every run has, to say so beside the limit. `band`:
    multiplier, least and most delay (s) over seeds. Returns the Figure;
    `figure.limit` is where they meet."""
    given: list[Any] = list(runs)
    points = points_of(given, percentile) \
        if given and isinstance(given[0], Run) else \
        sorted((float(m), float(d)) for m, d in given)
    figure, ax = base.canvas(ax, width, 230)
    base.plain(ax)
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    figure.limit = found = limit(points, target)
    _log_or_not(ax, [*ys, *(row[2] for row in band)], target)
    if band:
        ax.fill_between(*([row[i] for row in band] for i in range(3)),
                        color=base.BLUE, alpha=0.18, linewidth=0)
    line = sorted(points if found.multiplier is None else
                  [*points, (found.multiplier, target)])
    ax.plot(xs, ys, color=base.BLUE, linestyle="", marker="o", markersize=4.5)
    ax.plot(*zip(*line), color=base.BLUE, linewidth=2)
    ax.axhline(target, color=base.RED, linewidth=1.2, linestyle=(0, (4, 3)))
    _label_points(ax, points)
    pad = (max(xs) - min(xs)) * 0.06 or 0.1
    ax.set_xlim(min(xs) - pad, max(xs) + pad)
    # where the line of delays is not
    right = bool(found.multiplier) and not _is_late(ax, found)
    base.write(ax, 0.99 if right else 0.01, target,
               f"target {words.span(target)}", color=base.RED, va="bottom",
               fontsize=base.SMALL, ha="right" if right else "left",
               transform=ax.get_yaxis_transform())
    _meet(ax, found, target, nodes)
    _multipliers(ax, xs, width)
    base.caption(ax, "the workload so many times",
                 f"delay of jobs, {percentile}th percentile")
    table = Table({"multiplier": convert_column(xs, "d"),
                   "delay_s": convert_column(ys, "d")})
    return base.keep(figure, table)


def _multipliers(ax: Any, xs: Sequence[float], width: float) -> None:
    """Those that were tried; words where there is room, from the right."""
    low, high = ax.get_xlim()
    room = (high - low) * 38 / (width - 70)
    named: list[float] = []
    for x in reversed(xs):
        if not named or named[-1] - x >= room:
            named.append(x)
    ax.set_xticks(xs, [f"{words.number(x)}\u00d7" if x in named else ""
                       for x in xs])


#: Pixels above the axis, below which no label has room under the target.
LOW = 22
#: Of a picture so many wide, the caption leaves the limit few letters.
NARROW = 420
#: Round times for an axis in decades.
ROUND = (1, 10, 60, 600, 3600, 36_000, 86_400, 864_000, 8_640_000)


def _log_or_not(ax: Any, ys: Sequence[float], target: float) -> None:
    """Decades on the axis where a straight one would show the last only."""
    least = target or 1.0
    top = max([target, *ys]) or least
    if top > 60 * least:
        ax.set_yscale("symlog", linthresh=least)
        ax.set_ylim(0, top * 2)
        places = [0.0, least, *(t for t in ROUND
                                if 2.5 * least <= t <= top * 2)]
    else:
        ax.set_ylim(0, top * 1.15)
        unit = next(u for u in (86400, 3600, 60, 1) if top >= 2 * u or u == 1)
        places = [p * unit for p in words.steps(0, top / unit, 5)]
    ax.set_yticks(places, [words.span(p) if p else "0" for p in places])
    ax.minorticks_off()


def _label_points(ax: Any, points: Sequence[tuple[float, float]]) -> None:
    for x, y in points:
        mark = ax.plot([x], [y], linestyle="", marker="o", markersize=9,
                       color=base.BLUE, alpha=0)[0]
        base.hover(mark, f"{words.number(x)} times the workload: "
                   f"{words.span(y)}")


def _is_late(ax: Any, found: Limit) -> bool:
    """Do they meet in the right half?"""
    low, high = ax.get_xlim()
    return bool((found.multiplier or 0) - low > (high - low) / 2)


def _meet(ax: Any, found: Limit, target: float, nodes: int) -> None:
    if found.multiplier is None:
        text = "over the target at every multiplier tried" if found.exceeded \
            else "within the target at every multiplier tried"
        base.write(ax, 0.99, 0.05, text, ha="right", transform=ax.transAxes,
                   color=base.RED if found.exceeded else base.INK)
        return
    ax.plot([found.multiplier] * 2, [0, target], color=base.AMBER,
            linewidth=1.4, linestyle=(0, (2, 1.5)))
    narrow = ax.figure.get_figwidth() * ax.figure.dpi < NARROW
    text = f"limit {found.multiplier:.2f}\u00d7"
    if nodes > 1 and not narrow:
        text += f" the work on the same {nodes:,} nodes"
    # left of it delays are below the target, so there is room above the line;
    # right of it they are above, so there is room below, unless the target
    # stands low
    left = _is_late(ax, found)
    height = ax.get_yaxis_transform().transform
    if not left and height((0, target))[1] - height((0, 0))[1] < LOW:
        ax.set_title(text, loc="right", fontsize=base.SMALL, color=base.AMBER,
                     pad=6)
        return
    ax.annotate(text, (found.multiplier, target), (0, 17) if left else (5, -14),
                ha="right" if left else "left", textcoords="offset points",
                color=base.AMBER, fontsize=base.NORMAL)
