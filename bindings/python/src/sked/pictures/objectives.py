"""Do workflows meet their objectives: a line per tier, and the worst."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..columns import Table, Texts, convert_column
from ..plan import Objectives
from . import base, words


def slo_dashboard(days: Sequence[Objectives], tiers: Sequence[str] = (), *,
                  target: float = 0.9, labels: Sequence[str] = (),
                  worst: Sequence[tuple[str, int, int]] = (),
                  noun: str = "workflow", runs: str = "run", ax: Any = None,
                  width: float = 520) -> Any:
    """The part of workflows that meet their objective, period by period, a
    line per tier, beside the target; below, the workflows to see to first.
    `noun` and `runs`: what a workflow and its runs are called.

    `days` are `plan.objectives` of successive windows; `labels` what the
    periods are called; `worst` rows of name, runs, and runs that met it.
    Returns the Figure."""
    axes = _two(width, len(worst)) if ax is None and worst else None
    figure, ax = (axes[0], axes[1]) if axes else base.canvas(ax, width, 220)
    base.plain(ax)
    count = max((k + 1 for day in days for k, row in enumerate(day.tiers)
                 if row.workflows), default=0)
    names = [*tiers, *(f"tier {k + 1}" for k in range(len(tiers), count))]
    lines = [[_ratio(day, k) for day in days] for k in range(count)]
    xs = list(range(len(days)))
    seen = [v for line in lines for v in line if v is not None]
    low = min([target * 100 - 10, *(10 * (v // 10) for v in seen)])
    ax.set_ylim(max(0, low), 103)
    last = max(1, len(days) - 1)
    ax.set_xlim(-22 * last / (width - 100), last)  # names of periods fit
    _lines(ax, xs, lines, names, target)
    ticks = words.steps(max(0, low), 100, 5)
    ax.set_yticks(ticks, [words.number(t) + (" %" if t == ticks[-1] else "")
                          for t in ticks])
    _periods(ax, labels, len(days), width)
    base.caption(ax, above=f"{noun}s that meet their objective")
    if axes:
        _worst(axes[2], worst, noun, runs)
    return base.keep(figure, _table(names, lines))


def _two(width: float, rows: int) -> tuple[Any, Any, Any]:
    figure = base.new_figure(width, 220 + 18 * rows)
    top, below = figure.subplots(2, 1, height_ratios=(190, 26 + 18 * rows))
    return figure, top, below


def _ratio(day: Objectives, tier: int) -> float | None:
    if tier >= len(day.tiers):
        return None
    row = day.tiers[tier]
    return 100 * row.successful / row.workflows if row.workflows else None


def _lines(ax: Any, xs: list[int], lines: list[list[float | None]],
           names: Sequence[str], target: float) -> None:
    """A line a tier, and the target; what they are stands right of them."""
    ends = [(100 * target, f"target {words.part(target)}", base.RED)]
    for k, (line, name) in enumerate(zip(lines, names)):
        colour = base.SERIES[k % len(base.SERIES)]
        nan = float("nan")
        ax.plot(xs, [nan if v is None else v for v in line], color=colour,
                linewidth=2.4 if k == 0 else 1.8, marker="o",
                markersize=3 if len(xs) > 1 else 6, label=base.clean(name))
        last = next((v for v in reversed(line) if v is not None), None)
        if last is not None:
            ends.append((last, f"{name} {words.part(last / 100)}", colour))
    ax.axhline(100 * target, color=base.RED, linewidth=1.2,
               linestyle=(0, (4, 3)))
    base.end_labels(ax, max(1, len(xs) - 1), ends)


def _periods(ax: Any, labels: Sequence[str], count: int, width: float) -> None:
    said = list(labels) or [str(k + 1) for k in range(count)]
    every = max(1, -(-count * 52 // int(width - 110)))
    at = list(range(0, count, every))
    ax.set_xticks(at, [base.clean(said[k]) for k in at])


def _worst(ax: Any, worst: Sequence[tuple[str, int, int]], noun: str,
           runs: str) -> None:
    base.plain(ax, grid="")
    ax.set_xlim(0, 1)
    ax.set_ylim(len(worst) - 0.4, -0.8)
    ax.set_yticks([])
    ax.set_xticks([])
    ax.set_title(f"to see to first: {noun}, and {runs}s that met it of all",
                 loc="left", fontsize=base.SMALL, color=base.MUTED)
    most = (ax.figure.get_figwidth() * base.DOTS - 124) * 0.58 / 7.3
    short = base.distinct([name for name, _, _ in worst], most)
    for i, (name, count, met) in enumerate(worst):
        base.write(ax, 0, i, short[name], va="center")
        part = met / count if count else 0
        ax.barh(i, 0.22, left=0.6, height=0.55, color=base.GRID)
        ax.barh(i, 0.22 * part, left=0.6, height=0.55, color=base.BLUE)
        base.write(ax, 0.84, i, f"{met:,} of {count:,}", va="center")


def _table(names: Sequence[str], lines: list[list[float | None]]) -> Table:
    rows = [(name, k, v) for name, line in zip(names, lines)
            for k, v in enumerate(line) if v is not None]
    return Table({"tier": Texts(r[0] for r in rows),
                  "period": convert_column([r[1] for r in rows]),
                  "per_cent": convert_column([r[2] for r in rows], "d")})
