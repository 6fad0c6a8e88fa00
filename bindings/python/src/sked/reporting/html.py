"""Pieces of a page, made by the macros of templates/pieces.html, which escape
whatever is no piece itself; pictures in both themes and both widths; files as
links."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..columns import Table, Texts
from ..pictures import base, svg_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = Path(__file__).parent / "templates"
#: Widths of pictures in pixels: of half a row, a whole one, a phone's.
HALF, WHOLE, NARROW = 516, 1044, 308
#: Rows of a table that are shown; all are in the file beside it.
ROWS = 40
SAFE = "".join(map(chr, range(33, 127)))
for _letter in "\"#%&'<>\\^`{|}":
    SAFE = SAFE.replace(_letter, "")

COLOURS = {base.BLUE: "blue", base.AMBER: "amber", base.RED: "red",
           base.PURPLE: "purple", base.TEAL: "teal", base.SKY: "sky",
           base.INK: "fg", base.MUTED: "mut", base.GRID: "line",
           base.PAPER: "card",
           **{colour: f"level{i}" for i, colour in enumerate(base.LEVELS)}}
_COLOUR = re.compile("|".join(COLOURS))
_ESCAPED = re.compile(r"\\(.)")


class PageMissing(ImportError):
    """jinja2 is not installed."""

    def __init__(self) -> None:
        super().__init__("the page is laid out by jinja2, which is not "
                         "installed: pip install 'libsked[report]'")


@cache
def templates() -> Environment:
    """The templates; PageMissing without jinja2."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise PageMissing() from None
    return Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True,
                       undefined=StrictUndefined, auto_reload=False)


@cache
def _pieces() -> Any:
    return templates().get_template("pieces.html").module


def _markup(said: str) -> Markup:
    """PageMissing without markupsafe, which comes with jinja2."""
    try:
        from markupsafe import Markup
    except ImportError:
        raise PageMissing() from None
    return Markup(said)


def text(value: object) -> Markup:
    """Text as HTML; what cannot be printed is shown as such."""
    empty = _markup("")
    return value if isinstance(value, type(empty)) else empty.escape(
        base.clean(str(value)))


def say(sentence: str, *args: object, **named: object) -> Markup:
    """A sentence of ours with what goes into it, escaped where it is no piece
    of HTML: say("<em>{}</em>", "a<b") is <em>a&lt;b</em>."""
    return _markup(sentence).format(*map(text, args),
                                    **{k: text(v) for k, v in named.items()})


def joined(parts: Iterable[object], between: str = "") -> Markup:
    """Pieces one after the other."""
    return _markup(between).join(map(text, parts))


def name(path: str) -> str:
    """A queue's name as people call it: the path below the root."""
    _, _, rest = path.partition(".")
    return _ESCAPED.sub(r"\1", rest or path)


def queue(path: str) -> Markup:
    """A queue's name as HTML, in its own direction."""
    return say("<bdi>{}</bdi>", name(path))


def called(path: str) -> Markup:
    """The same in a sentence."""
    return say("queue {}", queue(path))


def plural(count: int, one: str, many: str = "") -> str:
    """So many of something.

    >>> plural(1, "queue"), plural(1200, "queue"), plural(2, "is", "are")
    ('1 queue', '1,200 queues', '2 are')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def more(count: int) -> str:
    """What is folded below a table."""
    return f"{count:,} more {'queue' if count == 1 else 'queues'}"


def table(heads: Sequence[object], rows: Iterable[Sequence[object]],
          label: str, numeric: str = "", stack: bool = True) -> Markup:
    """A table. `numeric`: a letter for each column, n for numbers. On a phone
    each row becomes a block with the heads before its cells, unless `stack` is
    off: then it scrolls by itself."""
    kinds = (numeric + "." * len(heads))[:len(heads)]
    made = [[text(cell) for cell in row] for row in rows]
    return _markup(_pieces().table(list(map(text, heads)), made, text(label),
                                   kinds, stack))


def numbers(made: Table, label: str) -> Markup:
    """A table behind a picture: its first rows, and all of it as a file."""
    kinds = "".join("." if isinstance(made[n], Texts) else "n"
                    for n in made.names)
    rows = [[shown(v) for v in row] for _, row in zip(range(ROWS),
                                                      made.rows())]
    left = len(made) - len(rows)
    foot = note(f"{plural(left, 'more row')} in the file.") if left else ""
    return joined((table(made.names, rows, label, kinds, stack=False), foot))


def shown(value: Any) -> str:
    """A number as a table behind a picture has it."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def csv_text(made: Table) -> str:
    """A table as CSV. A text that a spreadsheet would take for a formula gets
    an apostrophe before it."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(made.names)
    for row in made.rows():
        rows.writerow([harmless(v) if isinstance(v, str) else shown(v)
                       for v in row])
    return out.getvalue()


def harmless(value: str) -> str:
    """A text that is no formula."""
    value = base.clean(value)
    return "'" + value if value[:1] in "=+-@" and value[:1] else value


def file_link(made: Table, called: str) -> Markup:
    """A table as a file inside the page."""
    return say("<p>{}</p>", _markup(_pieces().file(
        called, quote(csv_text(made), safe=SAFE))))


def details(summary: object, inner: object) -> Markup:
    """Something folded."""
    return _markup(_pieces().details(text(summary), text(inner)))


def card(title: str, lead: object, inner: object = "", wide: bool = False,
         anchor: str = "") -> Markup:
    """A section: a title, one sentence that says what matters, the rest."""
    return _markup(_pieces().card(title, text(lead), text(inner), wide, anchor))


def tile(called: str, number: object, what: object, source: str = "",
         mark: dict[str, object] | None = None) -> Markup:
    """One number under its name, where it comes from, and its target: "said"
    and "met"."""
    return _markup(_pieces().tile(called, text(number), text(what), source,
                                  mark))


def bar(parts: Sequence[tuple[str, float]], spoken: str) -> Markup:
    """Parts of one (by class) as a bar."""
    return _markup(_pieces().bar([(k, 100 * p) for k, p in parts], spoken))


def level(path: str, said: object, colour: str, width: float) -> Markup:
    """A queue in a list, with a bar of so many per cent."""
    return _markup(_pieces().level(queue(path), text(said), colour, width))


def items(rows: Iterable[object], kind: str = "short") -> Markup:
    """A list."""
    return _markup(_pieces().items(list(map(text, rows)), kind))


def ranked(rows: Sequence[dict[str, object]]) -> Markup:
    """What to do, in order."""
    return _markup(_pieces().ranked(rows))


def keys(rows: Sequence[tuple[str, str]]) -> Markup:
    """What the colours of bars mean."""
    return _markup(_pieces().keys(rows))


def note(said: object) -> Markup:
    """A remark."""
    return _markup(_pieces().note(text(said)))


def heading(said: str) -> Markup:
    """A title inside a card."""
    return _markup(_pieces().heading(said))


def lines(said: str, most: int = 60) -> Markup:
    """Lines of text as they are."""
    rows = said.splitlines()
    left = [f"... {plural(len(rows) - most, 'more line')}"] \
        if rows[most:] else []
    return _markup(_pieces().lines([text(r) for r in [*rows[:most], *left]]))


class Pictures:
    """Pictures of one page: each has ids of its own."""

    def __init__(self) -> None:
        self.count = 0
        #: The tables behind them: what each is called, and the table.
        self.tables: list[tuple[str, str, Table]] = []

    def svg(self, figure: Any, label: str, kind: str) -> Markup:
        """One figure in colours of the page's theme."""
        self.count += 1
        svg = svg_of(figure, f"p{self.count}-")
        svg = _COLOUR.sub(lambda m: f"var(--{COLOURS[m[0]]})", svg)
        return _markup(svg.replace(
            "<svg ", str(say('<svg class="{}" role="img" aria-label="{}" ',
                             kind, label)), 1))

    def both(self, draw: Callable[[float], Any], label: str, called: str,
             width: float = HALF) -> Markup:
        """A picture for wide and for narrow pages, and the numbers behind it
        folded below."""
        wide, narrow = draw(width), draw(NARROW)
        made = wide.table
        self.tables.append((called, label, made))
        return joined((
            self.svg(wide, label, "wide"), self.svg(narrow, label, "narrow"),
            details("The numbers", joined((numbers(made, label),
                                           file_link(made, called))))))

    def small(self, draw: Callable[[float], Any], label: str) -> Markup:
        """One that stands in a row of many, in the narrow width only."""
        return self.svg(draw(NARROW), label, "small")

    def many(self, rows: Iterable[tuple[str, object]]) -> Markup:
        """Small pictures side by side, each of a queue."""
        return _markup(_pieces().figures([(queue(p), svg) for p, svg in rows]))
