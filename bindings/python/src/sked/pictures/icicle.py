"""The queue tree as an icicle: who may have how much, and who has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..columns import Table, Texts, convert_column
from ..ledger import Ledger
from ..share import Shares
from ..tree import Queue, Tree
from . import base, words

#: Usage over share: where each colour ends, from blue over amber to red, with
#: the colour of a name on it. All of one step apart in lightness too; none is a colour
#: that changes with the page (base.DARK).
STEPS = ((0.25, "#eef6fb", "#15242c"), (0.6, "#98cbe8", "#15242c"),
         (0.9, "#479bce", "#15242c"), (1.1, "#e8b440", "#15242c"),
         (float("inf"), "#a63a22", "#fefefe"))
#: A share of nothing.
NONE = ("#918c88", "#15242c")


class Cell(NamedTuple):
    """One queue: where it stands (parts of the root's width), what it has."""

    path: str
    name: str
    depth: int
    left: float
    width: float
    usage: int
    share: int

    @property
    def ratio(self) -> float | None:
        """Usage over share; None where the share is nothing."""
        return self.usage / self.share if self.share else None

    @property
    def colours(self) -> tuple[str, str]:
        """Of the cell, and of a name on it."""
        if self.ratio is None:
            return NONE
        return next((a, b) for end, a, b in STEPS if self.ratio < end)


def cells(tree: Tree, share: Mapping[str, int],
          usage: Mapping[str, int]) -> list[Cell]:
    """The cells of a tree, parents first: each parent's width is shared out
    among its children in proportion to their shares."""
    made: list[Cell] = []
    todo: list[tuple[Queue, int, float, float]] = [(tree.root, 0, 0.0, 1.0)]
    while todo:
        queue, depth, left, width = todo.pop()
        path = queue.path
        made.append(Cell(path, queue.name, depth, left, width,
                         usage.get(path, 0), share.get(path, 0)))
        below = queue.children
        whole = sum(share.get(q.path, 0) for q in below)
        at = left
        for child in below:
            wide = width * share.get(child.path, 0) / whole if whole else \
                width / len(below)
            todo.append((child, depth + 1, at, wide))
            at += wide
    return made


def by_path(tree: Tree, said: Any, kind: str) -> Mapping[str, int]:
    """Amounts of one kind by path, from a mapping of them, from `Shares`, or
    from a `Ledger` (its usage)."""
    if isinstance(said, Shares):
        return {q.path: said[q][kind] for q in tree}
    if isinstance(said, Ledger):
        return {q.path: said.get("usage", q)[kind] for q in tree}
    return said  # type: ignore[no-any-return]


def queue_tree(tree: Tree, share: Mapping[str, int] | Shares,
               usage: Mapping[str, int] | Ledger,
               *, kind: str = "cpu", unit: str = "m",
               called: str = "fair share", ax: Any = None,
               width: float = 1040) -> Any:
    """The queue tree: width the fair share, colour usage over share from blue
    (below) over amber (at it) to red (above).

    `share` is what `Tree.fair_shares` gives, `usage` a ledger; or amounts of
    one kind by path, as of a run; `called`: which share it is. Cells below a
    pixel and a half are drawn as one. Returns the Figure."""
    made = cells(tree, by_path(tree, share, kind), by_path(tree, usage, kind))
    deep = max(c.depth for c in made) + 1
    figure, ax = base.canvas(ax, width, 26 * deep + 30)
    base.plain(ax, grid="")
    ax.set_xlim(0, 1)
    ax.set_ylim(deep, 0)
    ax.set_xticks([])
    ax.set_yticks([])
    small: dict[int, float] = {}
    for cell in sorted(made, key=lambda c: (c.depth, c.left)):
        if cell.width * width < 1.5:
            small[cell.depth] = small.get(cell.depth, 0.0) + cell.width
            continue
        _draw(ax, cell, width, kind, unit, called)
    _legend(ax, called)
    figure.sked_small = small
    return base.keep(figure, _table(made))


def _draw(ax: Any, cell: Cell, width: float, kind: str, unit: str,
          called: str) -> None:
    from matplotlib.patches import Rectangle
    fill, ink = cell.colours
    gap = min(1.5, cell.width * width / 8) / width
    box = ax.add_patch(Rectangle(
        (cell.left, cell.depth + 0.03), cell.width - gap, 0.92,
        facecolor=fill, linewidth=0))
    said = f"{words.part(cell.ratio)} of its share" if cell.ratio is not None \
        else "no share"
    base.hover(box, f"{cell.path}: uses {words.amount(kind, cell.usage, unit)}"
               f", {called} {words.amount(kind, cell.share, unit)} ({said})")
    most = int(cell.width * width / 7) - 1
    if most < 4:
        return
    text = cell.name
    if cell.ratio is not None and base.reach(text) + 7 <= most:
        text += f" \u00b7 {words.part(cell.ratio)}"
    base.write(ax, cell.left + 5 / width, cell.depth + 0.5,
               base.shorten(text, most), va="center", color=ink)


def _legend(ax: Any, called: str) -> None:
    """What the colours mean, below."""
    from matplotlib.patches import Rectangle
    names = ("to 25 %", "60 %", "90 %", "at it", "above")
    width = ax.figure.get_figwidth() * base.DOTS
    tall = ax.get_ylim()[0]
    for i, ((_, fill, _), name) in enumerate(zip(STEPS, names)):
        x = (2 + min(110, (width - 30) / 4.8) * i) / width
        ax.add_patch(Rectangle((x, -0.55 / tall), 11 / width, 0.36 / tall,
                               facecolor=fill, transform=ax.transAxes,
                               clip_on=False, linewidth=0))
        base.write(ax, x + 15 / width, -0.37 / tall, name, va="center",
                   color=base.MUTED, fontsize=base.SMALL,
                   transform=ax.transAxes)
    base.caption(ax, above=f"width: {called}; colour: usage over it")


def _table(made: list[Cell]) -> Table:
    return Table({"path": Texts(c.path for c in made),
                  "share": convert_column([c.share for c in made]),
                  "usage": convert_column([c.usage for c in made])})
