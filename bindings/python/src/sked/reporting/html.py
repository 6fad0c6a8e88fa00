"""Pieces of a page: text that is escaped, tables, pictures in both themes and
both widths, files as links. No name gets into a page but through here."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from ..columns import Table, Texts
from ..pictures import base, svg_of

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


def text(value: object) -> str:
    """Text as HTML; what cannot be printed is shown as such."""
    return escape(base.clean(str(value)))


def name(path: str) -> str:
    """A queue's name as people call it: the path below the root."""
    _, _, rest = path.partition(".")
    return _ESCAPED.sub(r"\1", rest or path)


def queue(path: str) -> str:
    """A queue's name as HTML, in its own direction."""
    return f"<bdi>{text(name(path))}</bdi>"


def called(path: str) -> str:
    """The same in a sentence."""
    return f"queue {queue(path)}"


def plural(count: int, one: str) -> str:
    """So many of something.

    >>> plural(1, "queue"), plural(1200, "queue")
    ('1 queue', '1,200 queues')
    """
    return f"{count:,} {one}{'' if count == 1 else 's'}"


def more(count: int) -> str:
    """What is folded below a table."""
    return f"{count:,} more {'queue' if count == 1 else 'queues'}"


def cell(value: object, numeric: bool) -> str:
    """One cell of a table."""
    kind = ' class="n"' if numeric else ""
    return f"<td{kind}>{value}</td>"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], label: str,
          numeric: str = "") -> str:
    """A table of HTML cells, which scrolls by itself where it is too wide.
    `numeric`: a letter for each column, n for numbers."""
    kinds = (numeric + "." * len(heads))[:len(heads)]
    head = "".join(f'<th scope="col"{" class=n" if k == "n" else ""}>{h}</th>'
                   for h, k in zip(heads, kinds))
    body = "".join("<tr>" + "".join(cell(c, k == "n")
                                    for c, k in zip(row, kinds)) + "</tr>"
                   for row in rows)
    return (f'<div class="scroll" tabindex="0" role="region" '
            f'aria-label="{text(label)}"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>")


def numbers(made: Table, label: str) -> str:
    """A table behind a picture: its first rows, and all of it as a file."""
    kinds = "".join("." if isinstance(made[n], Texts) else "n"
                    for n in made.names)
    rows = [[text(shown(v)) for v in row]
            for _, row in zip(range(ROWS), made.rows())]
    left = len(made) - len(rows)
    foot = f"<p class=mut>{left:,} more rows in the file.</p>" if left else ""
    return table([text(n) for n in made.names], rows, label, kinds) + foot


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


def file_link(made: Table, called: str) -> str:
    """A table as a file inside the page."""
    data = quote(csv_text(made), safe=SAFE)
    return (f'<a class="file" download="{text(called)}.csv" '
            f'href="data:text/csv;charset=utf-8,{data}">{text(called)}.csv</a>')


def details(summary: str, inner: str) -> str:
    """Something folded."""
    return f"<details><summary>{text(summary)}</summary>{inner}</details>"


class Pictures:
    """Pictures of one page: each has ids of its own."""

    def __init__(self) -> None:
        self.count = 0
        #: The tables behind them: what each is called, and the table.
        self.tables: list[tuple[str, str, Table]] = []

    def svg(self, figure: Any, label: str, kind: str) -> str:
        """One figure in colours of the page's theme."""
        self.count += 1
        svg = svg_of(figure, f"p{self.count}-")
        svg = _COLOUR.sub(lambda m: f"var(--{COLOURS[m[0]]})", svg)
        return svg.replace("<svg ", f'<svg class="{kind}" role="img" '
                           f'aria-label="{text(label)}" ', 1)

    def both(self, draw: Callable[[float], Any], label: str, called: str,
             width: float = HALF) -> str:
        """A picture for wide and for narrow pages, and the numbers behind it
        folded below."""
        wide, narrow = draw(width), draw(NARROW)
        made = wide.table
        self.tables.append((called, label, made))
        return (self.svg(wide, label, "wide") +
                self.svg(narrow, label, "narrow") +
                details("The numbers", numbers(made, label) +
                        f"<p>{file_link(made, called)}</p>"))

    def small(self, draw: Callable[[float], Any], label: str) -> str:
        """One that stands in a row of many, in the narrow width only."""
        return self.svg(draw(NARROW), label, "small")


def card(title: str, lead: str, inner: str, wide: bool = False,
         anchor: str = "") -> str:
    """A section: a title, one sentence that says what matters, the rest."""
    kind = ' class="w"' if wide else ""
    at = f' id="{anchor}"' if anchor else ""
    return (f"<section{kind}{at}><h2>{text(title)}</h2>"
            f'<p class="lead">{lead}</p>{inner}</section>')
