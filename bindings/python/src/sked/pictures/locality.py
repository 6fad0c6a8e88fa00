"""Load against transfers: the trade-off of where blocks of data are read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..columns import Table, convert_column
from ..locality import Point
from . import base, words


def trade_off(curve: Iterable[Any], chosen: Point | None = None, *,
              ax: Any = None, width: float = 520) -> Any:
    """How many blocks must be transferred for the last host to be done with a
    load, and the point that was chosen.

    `curve` is what `Locality.curve` gives, or pairs of load and transfers;
    `chosen` what `Locality.cheapest` gives. Returns the Figure."""
    points = [(row.load, row.transfers) if hasattr(row, "load") else tuple(row)
              for row in curve]
    figure, ax = base.canvas(ax, width, 230)
    base.plain(ax)
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    few = len(points) <= width / 12
    ax.plot(xs, ys, color=base.BLUE, linewidth=2,
            drawstyle="default" if few else "steps-post",
            marker="o" if few else "", markersize=4.5)
    if few:
        for x, y in points:
            mark = ax.plot([x], [y], linestyle="", marker="o", markersize=9,
                           color=base.BLUE, alpha=0)[0]
            base.hover(mark, f"load {words.number(x)}: "
                       f"{words.number(y)} transfers")
    if chosen is not None:
        _choose(ax, chosen, xs)
    ax.set_ylim(-0.03 * max([*ys, 1]), 1.15 * max([*ys, 1]))
    _whole(ax, xs)
    base.caption(ax, "load of the last host", "transfers")
    table = Table({"load": convert_column(xs, "q"),
                   "transfers": convert_column(ys, "q")})
    return base.keep(figure, table)


def _whole(ax: Any, xs: list[int]) -> None:
    """Loads and transfers are whole: no tick between two of them."""
    from matplotlib.ticker import MaxNLocator
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1,
                                           steps=[1, 2, 5, 10]))
    if len(xs) == 1:
        ax.set_xlim(xs[0] - 0.9, xs[0] + 0.9)


def _choose(ax: Any, chosen: Point, xs: list[int]) -> None:
    """The point, and above the curve what it costs, beside a line to it."""
    left = chosen.load - xs[0] > (xs[-1] - xs[0]) / 2
    ax.axvline(chosen.load, color=base.AMBER, linewidth=1.2,
               linestyle=(0, (4, 3)))
    ax.plot([chosen.load], [chosen.transfers], linestyle="", marker="D",
            markersize=8, color=base.AMBER)
    text = (f"load {words.number(chosen.load)}, "
            f"{words.number(chosen.transfers)} transfers: "
            f"cost {words.number(chosen.cost)}")
    ax.annotate(text, (chosen.load, 1), (-9, -1) if left else (9, -1),
                xycoords=("data", "axes fraction"),
                ha="right" if left else "left", va="top",
                textcoords="offset points", color=base.AMBER,
                fontsize=base.NORMAL)
