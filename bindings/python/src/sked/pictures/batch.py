"""Batches: Gantt charts over the use of slots, and sweeps as heat maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..batch import Cell, Planned, utility
from ..columns import Table, convert_column
from . import base, words


def batch_gantt(planned: Planned, slots: int, *, ticks: int = 1_000_000,
                ax: Any = None, width: float = 520) -> Any:
    """A bar for each task, by start, the darker the more slots it has; below,
    how many slots are in use, with the tail after t-hat shaded. The lower
    bound and t-hat are marked. `ticks` are those of a second. With `ax` only
    the upper part is drawn, there. Returns the Figure."""
    below = None
    if ax is None:
        figure = base.new_figure(width, 330)
        ax, below = figure.subplots(2, 1, height_ratios=(3, 2), sharex=True)
    rows = sorted(planned.spans, key=lambda s: (s.start, s.task))
    longest = max(planned.metrics.makespan, planned.bound) / ticks
    base.plain(ax, "x")
    for i, span in enumerate(rows):
        level = min(4 * span.slots // (slots + 1), 3)
        bars = ax.barh(i, (span.end - span.start) / ticks,
                       left=span.start / ticks, height=0.85,
                       color=base.LEVELS[level], linewidth=0)
        base.hover(bars[0], f"task {span.task}: {span.slots} slots for "
                   f"{words.span((span.end - span.start) / ticks)}")
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_yticks([])
    base.caption(ax, above=f"{planned.method.name.lower().replace('_', '-')}: "
                 f"{words.span(planned.metrics.makespan / ticks)}")
    _marks(ax, planned, ticks)
    if below is not None:
        _use(below, planned, slots, ticks)
    else:
        below = ax
    below.set_xlim(0, longest)
    places, names = words.clock_ticks(longest, 6)
    below.set_xticks(places, names)
    return base.keep(ax.figure, Table({
        name: convert_column([getattr(s, name) for s in rows])
        for name in ("task", "start", "end", "slots")}))


def _marks(ax: Any, planned: Planned, ticks: int) -> None:
    """The lower bound and t-hat, with their names above, clear of the bars."""
    marks = ((planned.bound, "bound", base.RED),
             (planned.metrics.t_hat, "t-hat", base.TEAL))
    for at, _, colour in marks:
        ax.axvline(at / ticks, color=colour, linewidth=1.2,
                   linestyle=(0, (4, 3)))
    base.key(ax, [(f"{name} {words.span(at / ticks)}", colour)
                  for at, name, colour in marks[::-1]])


def _use(ax: Any, planned: Planned, slots: int, ticks: int) -> None:
    base.plain(ax)
    steps = list(utility(planned.spans))
    times = [s.at / ticks for s in steps]
    used = [s.slots for s in steps]
    hat = planned.metrics.t_hat / ticks
    ax.axvspan(hat, planned.metrics.makespan / ticks, color=base.AMBER,
               alpha=0.14, linewidth=0)
    ax.fill_between(times, used, step="post", color=base.BLUE, alpha=0.25,
                    linewidth=0)
    ax.step(times, used, where="post", color=base.BLUE, linewidth=1.4)
    ax.axvline(hat, color=base.TEAL, linewidth=1.2, linestyle=(0, (4, 3)))
    ax.set_ylim(0, slots * 1.08)
    base.caption(ax, above=f"slots in use, of {slots}")


def batch_sweep(cells: Sequence[Cell], *, ticks: int = 1_000_000,
                ax: Any = None, width: float = 360) -> Any:
    """A sweep over sigma and tau as a heat map of makespans, the least framed;
    `ticks` are those of a second. Returns the Figure."""
    sigmas = sorted({c.sigma_ppm for c in cells})
    taus = sorted({c.tau_ppm for c in cells})
    figure, ax = base.canvas(ax, width, 60 + 34 * len(sigmas))
    base.plain(ax, "")
    ends = [c.metrics.makespan for c in cells]
    low, high = min(ends), max(ends)
    for cell, end in zip(cells, ends):
        x, y = taus.index(cell.tau_ppm), sigmas.index(cell.sigma_ppm)
        level = 3 * (end - low) // (high - low) if high > low else 0
        dark = level > 1
        ax.add_patch(_box(x, y, base.LEVELS[level], end == low))
        base.write(ax, x, y, words.number(end / ticks), ha="center",
                   va="center", color=base.PAPER if dark else base.INK)
    ax.set_xlim(-0.5, len(taus) - 0.5)
    ax.set_ylim(len(sigmas) - 0.5, -0.5)
    ax.set_xticks(range(len(taus)),
                  [f"tau {words.number(t / 1e6)}" for t in taus])
    ax.set_yticks(range(len(sigmas)),
                  [f"sigma {words.number(s / 1e6)}" for s in sigmas])
    base.caption(ax, above="makespan, seconds")
    return base.keep(figure, Table({
        "sigma_ppm": convert_column([c.sigma_ppm for c in cells]),
        "tau_ppm": convert_column([c.tau_ppm for c in cells]),
        "makespan": convert_column(ends)}))


def _box(x: int, y: int, colour: str, best: bool) -> Any:
    from matplotlib.patches import Rectangle
    return Rectangle((x - 0.47, y - 0.46), 0.94, 0.92, facecolor=colour,
                     edgecolor=base.RED if best else "none",
                     linewidth=1.8 if best else 0)
