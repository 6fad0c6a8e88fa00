"""What covers a part of the time in which a queue is in use: the curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..columns import Numbers, Table, convert_column
from ..plan import Allocation
from . import base, words


#: How much higher than the peak the picture is.
HEAD = 1.12


def percentile_curve(curve: tuple[Numbers, Numbers],
                     points: Sequence[Allocation] = (), *,
                     thresholds: Sequence[float] = (), kind: str = "cpu",
                     unit: str = "m", ax: Any = None,
                     width: float = 520) -> Any:
    """The amount that covers each part of the time in use, as a step curve;
    allocations as right angles; the peak, and how long it lasts.

    `curve` is `History.curve(queue)`: amounts, rising, and the time in use at
    or below each. `points` and `thresholds` are those of
    `History.percentile`. Returns the Figure."""
    amounts = list(curve[0])
    times = list(curve[1])
    figure, ax = base.canvas(ax, width, 230)
    base.plain(ax)
    scale = words.scale_of(unit)
    tall = [a / scale for a in amounts]
    edges = _edges(times)
    last = tall[-1] if tall else 0.0
    lasts = (edges[-1] - edges[-2]) / 100 if tall else 0.0
    edges, tall = _seen(edges, tall, width)
    if tall:
        # each amount holds over its own part of the time
        ax.step(edges, [tall[0], *tall], where="pre", color=base.BLUE,
                linewidth=2)
        ax.fill_between(edges, [tall[0], *tall], step="pre", color=base.BLUE,
                        alpha=0.16, linewidth=0)
    top = max(tall, default=1)
    ax.set_xlim(0, 100)
    ax.set_ylim(0, top * HEAD)
    _angles(ax, points, thresholds, kind, unit)
    if tall and all(p.amount / scale < last for p in points):
        _peak(ax, last, lasts, kind, unit)
    _axes(ax, top, kind, unit)
    table = {"amount": convert_column(amounts),
             "time_at_or_below": convert_column(times)}
    return base.keep(figure, Table(dict(table)))


def _edges(times: list[int]) -> list[float]:
    whole = times[-1] if times else 1
    return [0.0, *(100 * t / whole for t in times)]


def _angles(ax: Any, points: Sequence[Allocation], thresholds: Sequence[float],
            kind: str, unit: str) -> None:
    scale = words.scale_of(unit)
    colours = (base.MUTED, base.AMBER, base.RED, base.PURPLE, base.TEAL)
    low, high = ax.get_ylim()
    gap = (high - low) * 14 / 165
    heights = [p.amount / scale for p in points]
    # the space above the curve is the peak's
    said = base.spread([h + gap * 0.55 for h in heights], gap, gap * 0.6,
                       high / HEAD - gap * 0.5)
    for i, (point, p) in enumerate(zip(points, thresholds)):
        colour = colours[i % len(colours)]
        x = 100 * float(p)
        ax.plot([0, x, x], [heights[i], heights[i], 0], color=colour,
                linewidth=1.2, linestyle=(0, (2, 1.5)), gid=f"threshold{i}")
        text = (f"{words.part(float(p))} of the time: "
                f"{words.amount(kind, point.amount, unit)}")
        base.write(ax, 1, said[i], text, color=colour, va="center",
                   fontsize=base.SMALL, bbox=base.BACKED)


def _seen(edges: list[float], tall: list[float],
          width: float) -> tuple[list[float], list[float]]:
    """Steps that are finer than a pixel in both directions are one."""
    right, up = 100 / width, max(tall, default=0) / 200
    kept_edges = edges[:1]
    kept: list[float] = []
    for i, (edge, height) in enumerate(zip(edges[1:], tall)):
        final = i == len(tall) - 1
        coming = height if final else tall[i + 1]
        if final or edge - kept_edges[-1] >= right or \
                coming - (kept[-1] if kept else tall[0]) >= up:
            kept_edges.append(edge)
            kept.append(height)
    return kept_edges, kept


def _peak(ax: Any, top: float, lasts: float, kind: str, unit: str) -> None:
    text = (f"peak {words.amount(kind, top * words.scale_of(unit), unit)} "
            f"for {words.part(lasts)} of the time")
    base.write(ax, 99, top * 1.02, text, ha="right", va="bottom",
               fontsize=base.SMALL)


def _axes(ax: Any, top: float, kind: str, unit: str) -> None:
    ax.set_xticks([0, 25, 50, 75, 100], ["0", "25", "50", "75", "100 %"])
    ticks = words.amount_steps(top, unit, 5)
    scale = words.scale_of(unit)
    names = [words.amount(kind, t * scale, unit).split(" ")[0] for t in ticks] \
        if unit != "B" else [words.amount(kind, t, unit) for t in ticks]
    ax.set_yticks(ticks, names)
    base.caption(ax, "part of the time in use",
                 words.UNITS.get(kind, kind) or kind)
