"""Usage over time: of a cluster beside its capacity, of a queue beside its fair
share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ..columns import Table, Texts, convert_column
from . import base, words


def usage_over_time(samples: Mapping[str, Table], capacity: int, *,
                    kind: str = "cpu", unit: str = "m",
                    start: datetime | None = None, called: str = "capacity",
                    ax: Any = None, width: float = 520) -> Any:
    """What queues (or tiers) use of a cluster, stacked, beside what there is
    (`called` so). At most as many bands as there are colours.

    `samples` are tables of `Sim.samples` by name, of one kind: they have
    columns time (ns) and usage. `start`: the date of time 0. Returns the
    Figure."""
    figure, ax = base.canvas(ax, width, 220)
    base.plain(ax)
    scale = words.scale_of(unit)
    longest = [t / words.SECOND for t in _longest(samples)]
    every, _ = base.thin(longest, int(width))
    times = longest[::every]
    floor = [0.0] * len(times)
    short = base.distinct(list(samples), 20 if width > 400 else 12)
    ends = []
    for i, (name, table) in enumerate(samples.items()):
        colour = base.SERIES[i % len(base.SERIES)]
        full = [u / scale for u in numbers(table, "usage")]
        full += [0.0] * (len(longest) - len(full))
        used = base.thin(full, int(width))[1]
        roof = [a + b for a, b in zip(floor, used)]
        ax.fill_between(times, floor, roof, step="post", color=colour,
                        alpha=0.75 if len(samples) > 1 else 0.25, linewidth=0,
                        label=base.clean(name))
        if len(samples) == 1:
            ax.step(times, roof, where="post", color=colour, linewidth=1.4)
        middle = _widest(used)
        ends.append((floor[middle] + used[middle] / 2 if used else 0,
                     short[name], colour))
        floor = roof
    top = max([capacity / scale, *floor])
    _frame(ax, times, top, kind, unit, start)
    ax.axhline(capacity / scale, color=base.RED, linewidth=1.2,
               linestyle=(0, (4, 3)))
    base.write(ax, 0.01, capacity / scale,
               f"{called} {words.amount(kind, capacity, unit)}", va="bottom",
               color=base.RED, fontsize=base.SMALL,
               transform=ax.get_yaxis_transform())
    if len(samples) > 1 and times:
        base.end_labels(ax, times[-1], ends)
    return base.keep(figure, _stacked(samples))


def numbers(table: Table, name: str) -> list[int]:
    """A column of numbers as a list."""
    return [int(value) for value in table[name].tolist()]


def _longest(samples: Mapping[str, Table]) -> list[int]:
    found: list[int] = []
    for table in samples.values():
        if len(table) > len(found):
            found = numbers(table, "time")
    return found


def _widest(used: Sequence[float]) -> int:
    """Where a band is broadest in the last part: its label goes there."""
    late = range(len(used) * 3 // 4, len(used))
    return max(late, key=lambda i: (used[i], i), default=0)


def _frame(ax: Any, times: Sequence[float], top: float, kind: str,
           unit: str, start: datetime | None = None) -> None:
    ax.set_xlim(0, max([1.0, *times[-1:]]))
    ax.set_ylim(0, top * 1.12 or 1)
    width = ax.figure.get_figwidth() * base.DOTS
    ticks, names = words.date_ticks(ax.get_xlim()[1], start,
                                    6 if width > 420 else 3)
    ax.set_xticks(ticks, names)
    places = words.amount_steps(top, unit)
    scale = words.scale_of(unit)
    ax.set_yticks(places, [words.amount(kind, p * scale, unit) if unit == "B"
                           else words.number(p) for p in places])
    base.caption(ax, above=words.UNITS.get(kind, kind) or kind)


def _stacked(samples: Mapping[str, Table]) -> Table:
    rows = [(name, t, u) for name, table in samples.items()
            for t, u in zip(table["time"].tolist(), table["usage"].tolist())]
    return Table({"name": Texts(r[0] for r in rows),
                  "time_ns": convert_column([r[1] for r in rows]),
                  "usage": convert_column([r[2] for r in rows])})


def below_share(samples: Table) -> list[tuple[int, int, int]]:
    """Stretches in which a queue uses less than its fair share and waits for
    more: from, to (ns) and the most that it lacks.

    >>> below_share(Table({"time": convert_column([0, 5, 10]),
    ...     "usage": convert_column([1, 4, 1]),
    ...     "share": convert_column([3, 4, 4]),
    ...     "pending": convert_column([9, 2, 0])}))
    [(0, 5, 2)]
    """
    spans: list[tuple[int, int, int]] = []
    start, lack, last = -1, 0, 0
    columns = (numbers(samples, name)
               for name in ("time", "usage", "share", "pending"))
    for time, usage, share, pending in zip(*columns):
        if usage < share and pending:
            start = time if start < 0 else start
            lack = max(lack, min(pending, share - usage))
        elif start >= 0:
            spans.append((start, time, lack))
            start, lack = -1, 0
        last = time
    if start >= 0:
        spans.append((start, last, lack))
    return spans


def _seen(samples: Table, width: float) -> list[tuple[int, int, int]]:
    """Stretches below the share; those less than a pixel apart are one."""
    times = numbers(samples, "time")
    pixel = (times[-1] - times[0]) / width if times else 0
    made: list[tuple[int, int, int]] = []
    for start, end, lack in below_share(samples):
        if made and start - made[-1][1] < pixel:
            made[-1] = (made[-1][0], end, max(lack, made[-1][2]))
        else:
            made.append((start, end, lack))
    return made


def fair_share(samples: Table, *, kind: str = "cpu", unit: str = "m",
               below: Sequence[tuple[int, int]] | None = None,
               start: datetime | None = None, called: str = "fair share",
               ax: Any = None, width: float = 520) -> Any:
    """What a queue uses (area) and its fair share (step line); stretches in
    which it has less and waits for more are marked: those that `below` has
    (from and to, ns from time 0), or those that show in the samples. `samples`
    is `Sim.samples(queue, kind)`; `start` the date of time 0; `called`: which
    share it is. Returns the Figure."""
    figure, ax = base.canvas(ax, width, 220)
    base.plain(ax)
    scale = words.scale_of(unit)
    every, usage = base.thin(numbers(samples, "usage"), int(width))
    usage = [u / scale for u in usage]
    share = [s / scale for s in base.thin(numbers(samples, "share"),
                                          int(width))[1]]
    times = [t / words.SECOND for t in numbers(samples, "time")[::every]]
    for since, end, lack in _seen(samples, width) if below is None else [
            (a, b, 0) for a, b in below]:
        patch = ax.axvspan(since / words.SECOND, end / words.SECOND,
                           color=base.RED, alpha=0.14, linewidth=0)
        by = f", by up to {words.amount(kind, lack, unit)}" if lack else ""
        base.hover(patch, "below its share for "
                   f"{words.span((end - since) / words.SECOND)}{by}")
    ax.fill_between(times, usage, step="post", color=base.BLUE, alpha=0.2,
                    linewidth=0)
    ax.step(times, usage, where="post", color=base.BLUE, linewidth=1.6)
    ax.step(times, share, where="post", color=base.AMBER, linewidth=1.6)
    _frame(ax, times, max([1e-9, *usage, *share]), kind, unit, start)
    _named(ax, times, called)
    return base.keep(figure, samples)


def _named(ax: Any, times: list[float], called: str) -> None:
    """The two lines' names above the picture, in their colours."""
    if times:
        base.key(ax, [(called, base.AMBER), ("usage", base.BLUE),
                      ("below share", base.RED)])
