"""How many wait, and how long they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ..columns import Table, Texts, convert_column
from . import base, words


def queue_length(line: Sequence[tuple[int, int]], *, begin: int = 0,
                 end: int = 0, start: datetime | None = None, ax: Any = None,
                 width: float = 520) -> Any:
    """How many jobs wait, over time: `line` has instants (ns) at which that
    changes and the numbers; `begin` and `end` bound the picture. Of every
    pixel the most is drawn. `start`: the date of `begin`. Returns the
    Figure."""
    figure, ax = base.canvas(ax, width, 200)
    base.plain(ax)
    first = begin or (line[0][0] if line else 0)
    last = max(end, line[-1][0] if line else 0, first + 1)
    times, most = _most(line, first, last, int(width))
    at = [t / words.SECOND for t in times]
    ax.fill_between(at, most, step="post", color=base.BLUE, alpha=0.2,
                    linewidth=0)
    ax.step(at, most, where="post", color=base.BLUE, linewidth=1.4)
    ax.set_ylim(0, max([1, *most]) * 1.12)
    length = (last - first) / words.SECOND
    ax.set_xlim(0, length)
    ticks, names = words.date_ticks(length, start, 6 if width > 420 else 3)
    ax.set_xticks(ticks, names)
    places = words.steps(0, max([1, *most]), 4)
    ax.set_yticks(places, [words.number(p) for p in places])
    base.caption(ax, above="jobs that wait")
    return base.keep(figure, Table({"time_ns": convert_column(times),
                                    "jobs": convert_column(most)}))


def _most(line: Sequence[tuple[int, int]], first: int, last: int,
          cells: int) -> tuple[list[int], list[int]]:
    """The most in each of so many equal stretches."""
    each = max(1, -(-(last - first) // cells))
    made = [0] * ((last - first) // each + 1)
    held, at = 0, 0
    for i in range(len(made)):
        made[i] = held
        while at < len(line) and line[at][0] < first + (i + 1) * each:
            held = line[at][1]
            made[i] = max(made[i], held)
            at += 1
    return [i * each for i in range(len(made))], made


def wait_lengths(counts: Mapping[str, Sequence[int]], names: Sequence[str], *,
                 ax: Any = None, width: float = 520) -> Any:
    """How long jobs wait: by kind of wait ("recorded", "simulated") how many
    fall into each stretch, which `names` call. Returns the Figure."""
    figure, ax = base.canvas(ax, width, 30 + 26 * len(names))
    base.plain(ax, grid="x")
    tall = 0.8 / max(1, len(counts))
    colours = (base.BLUE, base.AMBER)
    for i, (kind, rows) in enumerate(counts.items()):
        whole = sum(rows) or 1
        parts = [100 * r / whole for r in rows]
        places = [k - 0.4 + tall * (i + 0.5) for k in range(len(names))]
        bars = ax.barh(places, parts, height=tall * 0.9,
                       color=colours[i % len(colours)])
        for bar, count, part in zip(bars, rows, parts):
            base.hover(bar, f"{kind}: {count:,} jobs ({words.part(part / 100)})")
    ax.set_yticks(range(len(names)), list(names))
    ax.set_ylim(len(names) - 0.4, -0.6)
    top = max([1.0, *(100 * r / (sum(rows) or 1) for rows in counts.values()
                      for r in rows)])
    ax.set_xlim(0, top * 1.05)
    ticks = words.steps(0, top, 4)
    ax.set_xticks(ticks, [words.number(t) + " %" for t in ticks])
    base.key(ax, [(kind, colours[i % len(colours)])
                  for i, kind in enumerate(counts)][::-1])
    return base.keep(figure, Table({
        "wait": Texts(names), **{kind: convert_column(list(rows))
                                 for kind, rows in counts.items()}}))
