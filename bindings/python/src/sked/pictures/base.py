"""What all pictures share: colours, axes, labels that keep apart, and SVG that
is the same bytes each time.

matplotlib is asked for when the first picture is drawn. Nothing global of it
is touched: no rcParams, no pyplot, no windows."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from ..columns import Table

#: Found by a search near Okabe and Ito's hues. Text in each reads on its page
#: (4.5 to 1), and any two differ by 20 (CIE 1976) for usual eyes and for eyes
#: without red or green cones. Words repeat everything that matters.
BLUE, AMBER, RED = "#0175d9", "#a46900", "#901500"
PURPLE, TEAL, SKY = "#812d78", "#338458", "#2b7bb3"
INK, MUTED, GRID, PAPER = "#1d2329", "#4b4c4c", "#e4e8eb", "#ffffff"
#: How much of something is in use, from little to all.
LEVELS = ("#dceef8", "#88c0e2", "#3a8bbf", "#0a4a7a")
SERIES = (BLUE, AMBER, PURPLE, TEAL, RED, MUTED, SKY)
#: The same on a dark page, colour by colour.
DARK = {BLUE: "#4dbdf9", AMBER: "#dca02d", RED: "#fb8566", PURPLE: "#b071b4",
        TEAL: "#75e8c1", SKY: "#9adef1", INK: "#e6eaed", MUTED: "#979596",
        GRID: "#2f373e", PAPER: "#191e23",
        **dict(zip(LEVELS, ("#1f3546", "#24638c", "#3f97cb", "#a0dafc")))}

#: Behind a text that stands on lines.
BACKED = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.6}
SMALL, NORMAL = 10.5, 11.5
#: Pixels are points here: a picture 520 wide is 520 / 72 inches.
DOTS = 72.0
SALT = "sked"


class PlotMissing(ImportError):
    """matplotlib is not installed."""

    def __init__(self) -> None:
        super().__init__("pictures are drawn by matplotlib, which is not "
                         "installed: pip install 'libsked[plot]'")


def figure_class() -> Any:
    """matplotlib's Figure; PlotMissing where there is none."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise PlotMissing() from None
    global _made
    if _made is None:
        _made = type("Picture", (Figure,), {
            "__doc__": "A Figure that notebooks show as SVG by itself.",
            "_repr_svg_": lambda self: svg_of(self)})
    return _made


_made: Any = None


def canvas(ax: Any, width: float, height: float) -> tuple[Any, Any]:
    """The figure and axes to draw in: those given, or new ones."""
    if ax is not None:
        return ax.figure, ax
    figure = new_figure(width, height)
    return figure, figure.add_subplot()


def new_figure(width: float, height: float) -> Any:
    """A figure of so many pixels, laid out when it is drawn."""
    figure = figure_class()(figsize=(width / DOTS, height / DOTS), dpi=DOTS,
                            layout="constrained")
    figure.set_facecolor(PAPER)
    figure.get_layout_engine().set(w_pad=3 / DOTS, h_pad=4 / DOTS)
    return figure


def plain(ax: Any, grid: str = "y") -> None:
    """No frame, quiet ticks, a light grid."""
    ax.set_facecolor("none")
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(length=0, labelsize=SMALL, labelcolor=MUTED, pad=4)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=GRID, linewidth=1)


def caption(ax: Any, below: str = "", above: str = "") -> None:
    """What the axes count: below the right end, above the left end."""
    if below:
        ax.set_xlabel(below, loc="right", fontsize=SMALL, color=MUTED)
    if above:
        ax.set_title(above, loc="left", fontsize=SMALL, color=MUTED, pad=6)


def clean(text: str) -> str:
    """A name with nothing in it that XML or one line has no place for."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def reach(text: str) -> float:
    """About how many usual letters wide a text is: some 7 pixels each."""
    return sum(0.55 if c in "iljft.,:;'|!/ ()" else 1.45 if c in "mwMW@%" else
               1.8 if c > "\u2e80" else 1.2 if c.isupper() else 1.0
               for c in text)


def shorten(text: str, most: float) -> str:
    """At most so many letters wide, the middle left out.

    >>> shorten("organisation", 8), reach("mm")
    ('orga\u2026ion', 2.9)
    """
    text = clean(text)
    if reach(text) <= most:
        return text
    keep = len(text) - 1
    while keep > 1 and reach(text[:keep - keep // 2]) + 1 + reach(
            text[len(text) - keep // 2:]) > most:
        keep -= 1
    return text[:keep - keep // 2] + "\u2026" + text[len(text) - keep // 2:]


def distinct(names: Sequence[str], most: float) -> dict[str, str]:
    """Names cut to at most so many letters, no two alike: where cuts meet, the
    ends of all of those are kept, or their beginnings, and at last a number
    stands before them.

    >>> distinct(["organisation-1-team", "organisation-2-team"], 8)
    {'organisation-1-team': '\u2026-1-team', 'organisation-2-team': '\u2026-2-team'}
    """
    made = {name: shorten(name, most) for name in names}
    for name in names:
        alike = [n for n in made if made[n] == made[name]]
        if len(alike) > 1:
            others = {made[n] for n in made if n not in alike}
            made.update(apart(alike, most, others))
    return made


def apart(names: Sequence[str], most: float,
          others: set[str]) -> dict[str, str]:
    """Cuts of names of which the usual ones are alike."""
    for at_end in (True, False):
        made = {name: one_end(clean(name), most, at_end) for name in names}
        if len(set(made.values()) - others) == len(names):
            return made
    return {name: f"{i} {shorten(name, most - 2)}"
            for i, name in enumerate(names, 1)}


def one_end(text: str, most: float, at_end: bool) -> str:
    """A name's end, or its beginning, at most so many letters wide."""
    keep = len(text)
    while keep > 1 and reach(text[-keep:] if at_end else text[:keep]) + 1 > most:
        keep -= 1
    return "\u2026" + text[-keep:] if at_end else text[:keep] + "\u2026"


def write(ax: Any, x: float, y: float, text: str, **style: Any) -> Any:
    """A label; names are taken as they are, with no formula in them."""
    kept = {"fontsize": NORMAL, "color": INK, "parse_math": False, **style}
    return ax.text(x, y, clean(text), **kept)


def hover(artist: Any, text: str) -> None:
    """What is said where a pointer rests on a mark."""
    figure = artist.figure
    said = getattr(figure, "sked_hover", None)
    if said is None:
        said = figure.sked_hover = {}
    name = f"mark{len(said)}"
    said[name] = clean(text)
    artist.set_gid(name)


def spread(places: Sequence[float], gap: float, low: float,
           high: float) -> list[float]:
    """Places moved as little as it takes to be `gap` apart, within bounds.

    >>> spread([5, 5.5, 9], 1, 0, 10)
    [4.75, 5.75, 9.0]
    """
    order = sorted(range(len(places)), key=lambda i: (places[i], i))
    groups: list[tuple[float, list[int]]] = []
    for i in order:
        groups.append((places[i], [i]))
        while len(groups) > 1:
            (one, a), (two, b) = groups[-2], groups[-1]
            if two - one >= gap * (len(a) + len(b)) / 2:
                break
            both = a + b
            shift = sum(places[j] - gap * k for k, j in enumerate(both))
            middle = shift / len(both) + gap * (len(both) - 1) / 2
            groups[-2:] = [(middle, both)]
    out = [0.0] * len(places)
    for middle, group in groups:
        for k, j in enumerate(group):
            out[j] = middle + gap * (k - (len(group) - 1) / 2)
    return _within(out, order, gap, low, high)


def _within(out: list[float], order: list[int], gap: float, low: float,
            high: float) -> list[float]:
    floor, ceiling = low, high
    for j in order:
        out[j] = max(out[j], floor)
        floor = out[j] + gap
    for j in reversed(order):
        out[j] = min(out[j], ceiling)
        ceiling = out[j] - gap
    return out


def end_labels(ax: Any, x: float, rows: Iterable[tuple[float, str, str]],
               line: float = 16) -> None:
    """Labels right of the ends of lines, pushed apart where they would meet:
    rows of place, text and colour."""
    said = list(rows)
    low, high = ax.get_ylim()
    height = ax.figure.get_figheight() * DOTS * ax.get_position().height * 0.97
    gap = (high - low) * line / height
    # the lowest stands above the words below the axis
    at = spread([row[0] for row in said], gap, low + gap / 2, high)
    for (_, text, colour), y in zip(said, at):
        ax.annotate(clean(text), (x, y), (5, 0), textcoords="offset points",
                    fontsize=NORMAL, color=colour, va="center", ha="left",
                    annotation_clip=False, parse_math=False)


def key(ax: Any, rows: Sequence[tuple[str, str]]) -> None:
    """What the colours mean, above the right end: rows of text and colour;
    pale ones stand behind their text. Where there is too little room for all,
    they stand above each other."""
    width = ax.figure.get_figwidth() * DOTS - 40
    long = [6.4 * len(text) + 14 for text, _ in rows]
    narrow = sum(long) > 0.8 * width
    x = 0.99
    for i, ((text, colour), each) in enumerate(zip(rows, long)):
        pale = colour in LEVELS[:2]
        write(ax, x, 1.02 if not narrow else 0.99 - 0.09 * i, text,
              color=INK if pale else colour, ha="right",
              va="top" if narrow else "bottom", fontsize=SMALL,
              transform=ax.transAxes, bbox={
                  "facecolor": colour if pale else "none",
                  "edgecolor": "none", "pad": 1.5})
        x -= 0 if narrow else each / width


def thin(values: Sequence[float], most: int) -> tuple[int, list[float]]:
    """So few values that each has a pixel: means of so many at a time (the
    first of the pair), rounded to what can be seen.

    >>> thin([1, 3, 5, 7, 9], 3)
    (2, [2.0, 6.0, 9.0])
    """
    every = -(-len(values) // most) if len(values) > most else 1
    if every == 1:
        return 1, list(values)
    return every, [sum(values[i:i + every]) / len(values[i:i + every])
                   for i in range(0, len(values), every)]


# ---- SVG ----

_PATH = re.compile(r'(?<= d=")[^"]*')
_HEAD = re.compile(r"^.*?(?=<svg)|<metadata>.*?</metadata>|<!--.*?-->"
                   r"|<style type=\"text/css\">.*?</style>", re.S)
_TAG = re.compile(r"<[^>]*>")
_LONG = re.compile(r"-?\d+\.\d{2,}")
_BLANK = re.compile(r"\s*\n\s*")
_FONT = re.compile(r"font: ([\d.]+)px [^;\"]*")


def svg_of(figure: Any, prefix: str = "") -> str:
    """A figure as an SVG element: no date, no random names, text as text.
    `prefix` begins its ids, so that several stand in one page. Its layout is
    settled then, so that a second time gives the same."""
    import matplotlib
    out = io.StringIO()
    how = {"svg.hashsalt": SALT, "svg.fonttype": "none"}
    with matplotlib.rc_context(how), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that a font lacks
        if figure.get_layout_engine() is not None:
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
        figure.savefig(out, format="svg", transparent=True,
                       metadata={"Date": None, "Creator": None})
    return _slim(out.getvalue(), getattr(figure, "sked_hover", {}), prefix)


def _slim(svg: str, said: dict[str, str], prefix: str) -> str:
    svg = _HEAD.sub("", svg)
    svg = _TAG.sub(lambda m: _LONG.sub(_tenth, m[0]), svg)
    svg = _FONT.sub(lambda m: f"font-size:{m[1]}px", svg)
    svg = _BLANK.sub(" ", svg).replace("> <", "><")
    svg = _PATH.sub(_short, svg)
    svg = re.sub(r'<svg [^>]*viewBox="([^"]*)"[^>]*>', _root, svg, count=1)
    for name, text in said.items():
        svg = svg.replace(f'<g id="{name}">', f"<g><title>{_escaped(text)}"
                          "</title>", 1)
    svg = re.sub(r'<g id="(?!mark\d)[a-zA-Z0-9_.]+">', "<g>", svg)
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    svg = re.sub(r"url\(#", f"url(#{prefix}", svg)
    return re.sub(r'xlink:href="#', f'href="#{prefix}', svg)


def _tenth(found: re.Match[str]) -> str:
    """A place in tenths of a pixel."""
    return f"{float(found[0]):.1f}".removesuffix(".0")


def _short(found: re.Match[str]) -> str:
    """A path in fewer letters: level and upright lines have one number."""
    out: list[str] = []
    words = found[0].split()
    x = y = last = ""
    at = 0
    while at < len(words):
        word = words[at]
        if word not in "MLz":
            return found[0]  # curves stay as they are
        if word == "z":
            out.append("z")
            at += 1
            continue
        a, b = words[at + 1:at + 3]
        at += 3
        if word == "L" and (a, b) == (x, y):
            continue
        if word == "L" and b == y:
            text, last = f"H{a}", "H"
        elif word == "L" and a == x:
            text, last = f"V{b}", "V"
        else:
            text, last = (f" {a} {b}" if word == last else f"{word}{a} {b}"), word
        x, y = a, b
        out.append(text)
    return "".join(out)


def _root(found: re.Match[str]) -> str:
    _, _, width, height = found[1].split()
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{found[1]}" '
            f'width="{width}" height="{height}" stroke-linejoin="round" '
            'font-family="system-ui,sans-serif">')


def _escaped(text: str) -> str:
    return (text.replace("&", "&amp;").replace("<", "&lt;")
            .replace(">", "&gt;").replace('"', "&quot;"))


def keep(figure: Any, table: Table) -> Any:
    """Keeps the numbers behind a picture with it, as `figure.table`."""
    figure.table = table
    return figure
