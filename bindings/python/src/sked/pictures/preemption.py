"""What preemption did over time: notices, kills, withdrawals, and how long
queues were below what they are guaranteed."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

from ..columns import Table, convert_column
from ..enums import Decide
from ..records import Records
from . import base, words

ACTS = ((Decide.NOTIFY, "notices", base.AMBER),
        (Decide.KILL, "kills", base.RED),
        (Decide.WITHDRAW, "withdrawals", base.BLUE))


class Acts:
    """A watcher for `Sim.run` that notes what preemption did: time (ns), what
    (`Decide`), how many tasks, and whose (a row of the jobs). A withdrawn
    reservation has no allocation and is no act of preemption."""

    def __init__(self) -> None:
        self._rows = {name: array("q")
                      for name in ("time", "kind", "count", "job")}
        self._wanted = {int(kind) for kind, _, _ in ACTS}

    def __call__(self, records: Records) -> None:
        for r in records:
            if r.kind in self._wanted and r.group:
                for name, value in zip(self._rows,
                                       (r.time, r.kind, r.count, r.row)):
                    self._rows[name].append(value)

    def table(self) -> Table:
        """What was noted."""
        return Table({name: convert_column(column)
                      for name, column in self._rows.items()})


def preemption_timeline(acts: Table, below: Mapping[str, int] | None = None,
                        *, begin: int = 0, end: int = 0, ax: Any = None,
                        width: float = 520) -> Any:
    """Tasks told to go, killed, and told they may stay, over time; below, how
    long each queue had less than its guarantee (ns, by path:
    `Fared.below_guarantee`).

    `acts` is `Acts().table()`; `begin` and `end` the run's (ns). Returns the
    Figure."""
    rows = sorted(((p, t) for p, t in (below or {}).items() if t > 0),
                  key=lambda r: (-r[1], r[0]))[:8]
    lower = None
    if ax is None and rows:
        figure = base.new_figure(width, 200 + 22 * len(rows))
        ax, lower = figure.subplots(
            2, 1, height_ratios=(170, 30 + 22 * len(rows)))
    figure, ax = base.canvas(ax, width, 200)
    last = max([end, *acts["time"].tolist()], default=1)
    first = begin or min(acts["time"].tolist(), default=0)
    length = max(1.0, (last - first) / words.SECOND)
    _columns(ax, acts, first, length)
    ticks, names = words.clock_ticks(length, 7 if width > 420 else 4)
    ax.set_xticks(ticks, names)
    if lower is not None:
        _guarantees(lower, rows)
    return base.keep(figure, acts)


def _columns(ax: Any, acts: Table, first: int, length: float,
             bins: int = 72) -> None:
    base.plain(ax)
    counts = {int(kind): [0] * bins for kind, _, _ in ACTS}
    for time, kind, count, _ in acts.rows():
        at = (time - first) / words.SECOND / length * bins
        counts[kind][min(bins - 1, max(0, int(at)))] += count
    step = length / bins
    tops: list[int] = []
    said: list[tuple[str, str]] = []
    for i, (kind, name, colour) in enumerate(ACTS):
        tall = counts[int(kind)]
        tops.append(max(tall, default=0))
        ax.bar([(k + 0.5) * step + (i - 1) * step * 0.28 for k in range(bins)],
               tall, width=step * 0.28, color=colour, linewidth=0, label=name)
        said.append((f"{sum(tall):,} {name}", colour))
    base.key(ax, said[::-1])
    top = max([1, *tops])
    ax.set_xlim(0, length)
    ax.set_ylim(0, top * 1.1)
    places = [p for p in words.steps(0, top, 4) if p == int(p)]
    ax.set_yticks(places, [words.number(p) for p in places])
    base.caption(ax, above="tasks")


def _guarantees(ax: Any, rows: list[tuple[str, int]]) -> None:
    base.plain(ax, grid="")
    longest = rows[0][1]
    ax.set_xlim(0, 1)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xticks([])
    ax.set_yticks([])
    for i, (path, time) in enumerate(rows):
        most = int(ax.figure.get_figwidth() * base.DOTS * 0.46 / 8)
        base.write(ax, 0, i, base.shorten(path, most), va="center")
        ax.barh(i, 0.3 * time / longest, left=0.5, height=0.6,
                color=base.PURPLE)
        base.write(ax, 0.5 + 0.3 * time / longest, i,
                   " " + words.span(time / words.SECOND), va="center")
    ax.set_title("time with less than the guarantee", loc="left",
                 fontsize=base.SMALL, color=base.MUTED)
