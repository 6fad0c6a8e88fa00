"""Updates over time: which instance had which version, and how many were down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..columns import Table, convert_column
from ..life import Instance, Task, Update
from . import base, words

#: How an instance is drawn, by state: colour and words.
OLD, WAY, NEW, BAD = "old", "on its way", "new", "failed"
COLOURS = {OLD: base.LEVELS[0], WAY: base.AMBER, NEW: base.BLUE,
           BAD: base.RED}


class Steps:
    """Notes how all instances are, a moment after the other, for
    `update_timeline`."""

    def __init__(self, new: int) -> None:
        self.new = new
        self.rows: list[tuple[float, list[str], str]] = []

    def note(self, seconds: float, instances: Sequence[Instance],
             update: Update) -> None:
        """How they are at this moment, in seconds."""
        self.rows.append((seconds, [self._how(i) for i in instances],
                          update.told.state.name))

    def _how(self, one: Instance) -> str:
        if one.state == Task.FAILED:
            return BAD
        if one.state != Task.RUNNING:
            return WAY
        return NEW if one.version == self.new else OLD


def update_timeline(steps: Steps, zone: Sequence[int] | None = None, *,
                    ax: Any = None, width: float = 520) -> Any:
    """A line for each instance, in the colours of the old version, the new
    one, on its way and failed; lines between zones (a number for each
    instance, ascending); where it turns back and ends. Returns the Figure;
    its table has how many are down at each moment."""
    figure, ax = base.canvas(ax, width, 300)
    base.plain(ax, "x")
    times = [row[0] for row in steps.rows]
    end = times[-1] + (times[-1] - times[0]) / 40 if times else 1.0
    for i in range(len(steps.rows[0][1]) if steps.rows else 0):
        _line(ax, i, [(t, row[i]) for t, row, _ in steps.rows], end)
    for i in range(1, len(zone or ())):
        if zone is not None and zone[i] != zone[i - 1]:
            ax.axhline(i - 0.5, color=base.INK, linewidth=0.8)
    turns = [(t, state) for (_, _, before), (t, _, state) in
             zip(steps.rows, steps.rows[1:]) if state != before]
    for k, (t, state) in enumerate(turns):
        ax.axvline(t, color=base.INK, linewidth=1, linestyle=(0, (4, 3)))
        _word(ax, t, state.lower().replace("_", " "), t > end / 2, k % 2)
    n = len(steps.rows[0][1]) if steps.rows else 1
    ax.set_ylim(n - 0.5, -0.5 - 0.08 * n * min(len(turns), 2))
    ax.set_yticks([])
    ax.set_xlim(times[0] if times else 0, end)
    places, names = words.clock_ticks(end, 6)
    ax.set_xticks(places, names)
    base.key(ax, [(name, COLOURS[name]) for name in (OLD, WAY, NEW, BAD)])
    down = [sum(how in (WAY, BAD) for how in row) for _, row, _ in steps.rows]
    return base.keep(figure, Table({
        "seconds": convert_column(times, "d"),
        "down": convert_column(down, "q"),
        "new": convert_column([row.count(NEW) for _, row, _ in steps.rows],
                              "q")}))


def _word(ax: Any, at: float, text: str, left: bool, level: int) -> None:
    """A state that begins, above all instances, beside its line: every other
    one a little lower, so that they keep apart."""
    ax.annotate(text, (at, 1), (-4 if left else 4, -2 - 13 * level),
                xycoords=("data", "axes fraction"),
                textcoords="offset points", ha="right" if left else "left",
                va="top", fontsize=base.SMALL, color=base.INK)


def _line(ax: Any, i: int, seen: list[tuple[float, str]], end: float) -> None:
    """One instance: a bar for each stretch in which it is the same."""
    start, how = seen[0]
    for t, now in [*seen[1:], (end, "")]:
        if now == how:
            continue
        bar = ax.barh(i, t - start, left=start, height=1, linewidth=0,
                      color=COLOURS[how])[0]
        base.hover(bar, f"instance {i}: {how} for {words.span(t - start)}")
        start, how = t, now
