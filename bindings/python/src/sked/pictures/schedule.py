"""What a scheduler did: which node held which task when, and how much of the
processors that used."""

from __future__ import annotations

from array import array
from datetime import datetime
from typing import Any

from ..columns import Table, convert_column
from ..enums import Decide
from ..records import Records
from . import base, words
from .base import LEVELS

#: At most so many rectangles; finer ones are merged.
MOST = 6000
ENDS = (Decide.FINISH, Decide.KILL, Decide.LOST)


class Watched:
    """A watcher for `Sim.run` that notes which tasks ran where and when.

    >>> seen = Watched()
    >>> # sim.run(seen)
    >>> seen.tasks().names
    ['node', 'start', 'end', 'count', 'job']
    """

    FIELDS = ("group", "kind", "node", "time", "count", "row")

    def __init__(self) -> None:
        self._parts: list[Any] = []

    def __call__(self, records: Records) -> None:
        import numpy
        rows = numpy.asarray(records.column)
        kept = rows[numpy.isin(rows["kind"], (Decide.ALLOCATE, *ENDS))]
        self._parts.append([kept[name].copy() for name in self.FIELDS])

    def tasks(self) -> Table:
        """The tasks that ended: node from 0, start and end in ns, how many
        alike there were, and the job's row; in the order of their ends."""
        import numpy
        if not self._parts:
            return Table({name: convert_column([]) for name in
                          ("node", "start", "end", "count", "job")})
        group, kind, node, time, count, row = map(
            numpy.concatenate, zip(*self._parts))
        order = numpy.argsort(group, kind="stable")
        edges: Any = numpy.flatnonzero(numpy.diff(group[order])) + 1
        first = numpy.concatenate(([0], edges))
        length = numpy.diff(numpy.concatenate((first, [len(order)])))
        # nearly all groups begin once and end once, all of them together
        a = order[first[length == 2]]
        b = order[first[length == 2] + 1]
        whole = (kind[b] != Decide.ALLOCATE) & (count[a] == count[b])
        a, b = a[whole], b[whole]
        other: Any = numpy.ones(len(order), dtype=bool)
        other[a] = other[b] = False
        at = numpy.flatnonzero(other)
        found = pair(at.tolist(), *(column[at].tolist() for column in
                                    (group, kind, count)))
        starts, ends, counts = numpy.array(found, dtype="int64").reshape(
            -1, 3).T
        starts, ends = numpy.append(a, starts), numpy.append(b, ends)
        counts = numpy.append(count[b], counts)
        by_end = numpy.argsort(ends, kind="stable")
        starts, ends = starts[by_end], ends[by_end]
        made = {"node": node[starts] - 1, "start": time[starts],
                "end": time[ends], "count": counts[by_end],
                "job": row[starts]}
        return Table({name: convert_column(array("q", numpy.ascontiguousarray(
            column, dtype="int64").tobytes())) for name, column in made.items()})


def pair(at: list[int], group: list[int], kind: list[int],
         count: list[int]) -> list[tuple[int, int, int]]:
    """Of groups that begin or end in several parts: which record began, which
    ended, and how many tasks; the last to begin ends first."""
    going: dict[int, list[tuple[int, int]]] = {}
    made = []
    for i, g, k, n in zip(at, group, kind, count):
        held = going.setdefault(g, [])
        if k == Decide.ALLOCATE:
            held.append((i, n))
            continue
        while held and n > 0:
            start, have = held.pop()
            gone = min(n, have)
            made.append((start, i, gone))
            n -= gone
            if have > gone:
                held.append((start, have - gone))
    return made


def gantt(tasks: Table, amount: Any = None, capacity: Any = None, *, kind: str = "cpu",
          unit: str = "m", start: datetime | None = None, ax: Any = None,
          width: float = 520) -> Any:
    """Which node ran what, and below it how much of all nodes was in use,
    with the tail: the time after the last task was started.

    `tasks` as `Watched.tasks()`; `amount` by row of it, of all its tasks
    together (None: one each); `capacity` by node (None: the most that each
    held); `start`: the date at which the first task starts. Rectangles
    narrower than a pixel, and nodes that share one, are drawn as their mean,
    so that a million tasks stay small. Of a single node only the lower part is drawn; with `ax` only the
    upper one, there. Returns the Figure."""
    import numpy
    cols = {name: numpy.asarray(tasks[name], dtype=float)
            for name in ("node", "start", "end")}
    held = numpy.asarray(tasks["count"] if amount is None else amount,
                         dtype=float)
    most = numpy.asarray(_most_held(cols, held) if capacity is None
                         else capacity, dtype=float)
    begin = cols["start"].min() if len(held) else 0.0
    began = (cols["start"] - begin) / words.SECOND
    end = (cols["end"] - begin) / words.SECOND
    length = end.max() if len(held) else 1.0
    below = None
    if ax is None and len(most) == 1:
        below = ax = base.new_figure(width, 200).add_subplot()
    elif ax is None:
        figure = base.new_figure(width, 330)
        ax, below = figure.subplots(2, 1, height_ratios=(3, 2), sharex=True)
    figure = ax.figure
    grid = _Grid(cols["node"].astype(int), began, end, held, most, length)
    if below is not ax:
        _bars(ax, grid, length, len(most))
    if below is not None:
        _utility(below, grid, length, kind, unit,
                 began.max() if len(held) else 0.0)
        _times(below, length, width, start)
    else:
        _times(ax, length, width, start)
    return base.keep(figure, tasks)


def _most_held(cols: dict[str, Any], held: Any) -> Any:
    """The most that each node held at one time."""
    import numpy
    node = numpy.concatenate([cols["node"], cols["node"]]).astype(int)
    time = numpy.concatenate([cols["end"], cols["start"]])
    move = numpy.concatenate([-held, held])
    order = numpy.lexsort((time, node))  # at one instant ends come first
    level = numpy.cumsum(move[order])
    most = numpy.zeros(node.max() + 1 if len(node) else 0)
    numpy.maximum.at(most, node[order], level)
    return most


class _Grid:
    """Means over cells of rows (nodes, or runs of them) and stretches of time;
    as fine as there are few enough rectangles."""

    def __init__(self, node: Any, start: Any, end: Any, held: Any, most: Any,
                 length: float) -> None:
        self.most = most
        self.length = length
        rows, columns = min(len(most), 64), 480
        while True:
            self.mean = self._means(node, start, end, held, rows, columns)
            self.runs = self._merge()
            if len(self.runs) <= MOST or columns < 60:
                return
            columns //= 2
            rows = max(8, rows * 2 // 3)

    def _means(self, node: Any, start: Any, end: Any, held: Any, rows: int,
               columns: int) -> Any:
        import numpy
        row = node * rows // max(1, len(self.most))
        self.row_most = numpy.bincount(
            numpy.arange(len(self.most)) * rows // max(1, len(self.most)),
            weights=self.most, minlength=rows)
        # the integral of usage at every edge of a cell, exactly but rounding
        slope = numpy.zeros((rows, columns + 2))
        level = numpy.zeros((rows, columns + 2))
        for at, sign in ((start, 1), (end, -1)):
            place = at / self.length * columns
            cell = numpy.minimum(place.astype(int), columns)
            part = cell + 1 - place
            numpy.add.at(level, (row, cell), sign * held * part)
            numpy.add.at(slope, (row, cell + 1), sign * held)
        self.columns = columns
        used = level + numpy.cumsum(slope, axis=1)
        return used[:, :columns]

    def _merge(self) -> list[tuple[int, int, int, int]]:
        """Runs of alike cells: row, from, to, part in use."""
        import numpy
        part = self.mean / numpy.maximum(self.row_most, 1e-9)[:, None]
        shade = numpy.where(part < 0.02, 0, 1 + numpy.minimum(
            (part * len(LEVELS)).astype(int), len(LEVELS) - 1))
        runs = []
        for row in range(len(shade)):
            edges: Any = numpy.flatnonzero(numpy.diff(shade[row])) + 1
            bounds: list[int] = [0, *edges.tolist(), self.columns]
            for a, b in zip(bounds, bounds[1:]):
                if shade[row][a]:
                    runs.append((row, a, b, int(shade[row][a])))
        return runs


def _bars(ax: Any, grid: _Grid, length: float, nodes: int) -> None:
    from matplotlib.collections import PolyCollection
    base.plain(ax, grid="")
    rows = len(grid.row_most)
    ax.set_ylim(rows, 0)
    ax.set_xlim(0, length)
    scale = length / grid.columns
    thick = 0.86 if rows <= 32 else 1.0
    for level, colour in enumerate(LEVELS, 1):
        boxes = [[(a * scale, r), (b * scale, r), (b * scale, r + thick),
                  (a * scale, r + thick)]
                 for r, a, b, shade in grid.runs if shade == level]
        ax.add_collection(PolyCollection(boxes, facecolor=colour, linewidth=0,
                                         antialiased=False))
    ax.set_yticks([])
    said = f"{nodes:,} nodes" if nodes > 1 else "one node"
    if nodes > rows:
        said += f", {-(-nodes // rows):,} to a row"
    if ax.figure.get_figwidth() * base.DOTS > 400:
        said += "; stronger: more of it in use"
    base.caption(ax, above=said)


def _utility(ax: Any, grid: _Grid, length: float, kind: str, unit: str,
             tail: float) -> None:
    base.plain(ax)
    scale = words.scale_of(unit)
    used = grid.mean.sum(axis=0) / scale
    times = [i * length / grid.columns for i in range(grid.columns)]
    whole = grid.row_most.sum() / scale
    ax.fill_between(times, used, step="post", color=base.BLUE, alpha=0.2,
                    linewidth=0)
    ax.step(times, used, where="post", color=base.BLUE, linewidth=1.3)
    ax.axhline(whole, color=base.MUTED, linewidth=1, linestyle=(0, (4, 3)))
    ax.set_ylim(0, whole * 1.25 or 1)
    ax.set_xlim(0, length)
    places = words.amount_steps(whole, unit, 3)
    ax.set_yticks(places, [words.amount(kind, p * scale, unit) if unit == "B"
                           else words.number(p) for p in places])
    cut = min(grid.columns, max(1, int(tail / length * grid.columns)))
    main = used[:cut].mean() / whole if whole else 0.0
    base.write(ax, 0.01, 0.04, f"until the last start: {words.part(main)} in "
               "use", transform=ax.transAxes, fontsize=base.SMALL,
               bbox=base.BACKED)
    if tail < length:
        ax.axvspan(tail, length, color=base.RED, alpha=0.1, linewidth=0)
        base.write(ax, length, whole * 1.06, f"tail {words.span(length - tail)}"
                   " ", ha="right", va="bottom", color=base.RED,
                   fontsize=base.SMALL)
    base.caption(ax, above=words.UNITS.get(kind, kind) or kind)


def _times(ax: Any, length: float, width: float,
           start: datetime | None) -> None:
    ticks, names = words.date_ticks(length, start, 6 if width > 420 else 3)
    ax.set_xticks(ticks, names)
