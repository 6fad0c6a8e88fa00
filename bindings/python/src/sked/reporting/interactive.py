"""The same facts as a page with sort, filter, brush and hover: one file that
carries the script of Plotly, so that it needs no network.

The page counts late jobs in equal stretches of time by queue. A drag over a
picture of time selects stretches; both pictures of time and the table of queues
then show these stretches alone. The sums are exact: they are of whole
stretches."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from ..columns import Column, Table, Texts, convert_column
from ..pictures import words
from . import work
from .data import unit_of
from .facts import Facts
from .given import SECOND, Mode
from .html import TEMPLATES, name, templates, text
from .page import kept, made_of
from .plans import needs_table
from .say import across, headline, tiles
from .style import sheet
from .waits import is_late

if TYPE_CHECKING:
    from markupsafe import Markup

#: Stretches of time; queues with a line of their own; rows of a table.
STRETCHES, LINES, ROWS = 240, 12, 5000
POLICY = ("default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; "
          "base-uri 'none'; form-action 'none'; script-src {}")


class PlotlyMissing(ImportError):
    """plotly is not installed."""

    def __init__(self) -> None:
        super().__init__("the interactive page carries the script of plotly, "
                         "which is not installed: "
                         "pip install 'libsked[interactive]'")


def plotly_script() -> str:
    """Plotly's script, as its Python package bundles it."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise PlotlyMissing() from None
    return str(get_plotlyjs())


def page(facts: Facts) -> str:
    """The whole page. PlotlyMissing without plotly."""
    scripts = [inside(plotly_script()), inside(
        (TEMPLATES / "interactive.js").read_text(encoding="utf-8"))]
    title = text(facts.wanted.title or facts.given.file)

    def trusted(said: str) -> Markup:
        return type(title)(said)

    return templates().get_template("interactive.html").render(
        policy=trusted(POLICY.format(" ".join(map(digest, scripts)))),
        title=title, sheet=trusted(sheet() + own_sheet()),
        made_of=kept(made_of(facts)), headline=kept(headline(facts)),
        tiles=kept(tiles(facts)), across=across(facts),
        scripts=[trusted(s) for s in scripts],
        jobs=facts.given.mode is Mode.JOBS,
        facts=trusted(as_json(facts_of(facts))))


def own_sheet() -> str:
    """What the interactive page adds to the style."""
    return (TEMPLATES / "interactive.css").read_text(
        encoding="utf-8").replace("\n", "")


#: What would end a script, or begin a comment in it, wherever it stands.
ENDS = re.compile(r"</(?=script)|<!--", re.IGNORECASE)


def inside(script: str) -> str:
    """A script that no text in it ends early.

    >>> inside("a = '</script>'")
    "a = '<\\\\/script>'"
    """
    return ENDS.sub(lambda m: {"</": "<\\/"}.get(m[0], "<\\!--"), script)


def digest(script: str) -> str:
    """What the policy of the page names a script by."""
    made = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{b64encode(made).decode()}'"


def as_json(said: Any) -> str:
    """Data as JSON inside HTML: no text of it ends the element."""
    return json.dumps(said, ensure_ascii=False, allow_nan=False).replace(
        "<", "\\u003c").replace("\u2028", "\\u2028").replace(
        "\u2029", "\\u2029")


# ---- the facts ----


def facts_of(facts: Facts) -> dict[str, Any]:
    """What the script draws."""
    return {"target": facts.wanted.target / SECOND, "how": facts.how,
            "time": times(facts), "usage": usage(facts),
            "waits": stretches(facts), "tables": [
                shown(*one) for one in tables(facts) if len(one[3])]}


def span_of(facts: Facts) -> tuple[int, int]:
    """The first submission and the last, or what was recorded (ns)."""
    if facts.seen is not None and len(facts.seen):
        return int(facts.seen.submit[0]), int(facts.seen.submit[-1]) + 1
    if facts.recorded is not None:
        return facts.recorded.begin, facts.recorded.end + 1
    return 0, 1


def edges_of(facts: Facts) -> list[int]:
    """Ends of the stretches of time (ns)."""
    begin, end = span_of(facts)
    count = max(1, min(STRETCHES, end - begin))
    return [begin + (end - begin) * k // count for k in range(count + 1)]


def times(facts: Facts) -> dict[str, Any]:
    """The ends of stretches: dates, or hours from the first submission."""
    return {"dates": facts.clock.base is not None,
            "edges": [place(facts, at) for at in edges_of(facts)]}


def place(facts: Facts, at: int) -> str | float:
    """A place on an axis of time."""
    date = facts.clock.date(at)
    return (at - facts.clock.begin) / SECOND / 3600 if date is None else \
        date.replace(tzinfo=None).isoformat(timespec="milliseconds")


def stretches(facts: Facts) -> dict[str, Any] | None:
    """Jobs, late jobs and time waited (s) by queue and stretch."""
    import numpy
    seen = facts.seen
    if seen is None:
        return None
    edges = edges_of(facts)
    count = len(edges) - 1
    at = numpy.searchsorted(numpy.array(edges[1:-1], "int64"), seen.submit,
                            side="right")
    key = seen.queue * count + at
    size = len(seen.paths) * count
    late = is_late(seen.wait, facts.wanted.target)

    def counted(weights: Any) -> list[list[float]]:
        made = numpy.bincount(key, weights, size).reshape(-1, count)
        return made.tolist()  # type: ignore[no-any-return]

    jobs = counted(None)
    used = [k for k, row in enumerate(jobs) if any(row)]
    lates = counted(late.astype(float))
    waited = counted(seen.wait.clip(0) / SECOND)
    return {"queues": [name(seen.paths[k]) for k in used],
            "jobs": [jobs[k] for k in used],
            "late": [[int(v) for v in lates[k]] for k in used],
            "waited_s": [[round(v, 3) for v in waited[k]] for k in used]}


def usage(facts: Facts) -> dict[str, Any] | None:
    """What queues used over time, the greatest first, and the capacity."""
    samples = facts.recorded.samples if facts.recorded else \
        facts.ran.samples if facts.ran else {}
    leaves = [leaf.path for leaf in facts.given.tree.leaves
              if leaf.path in samples]
    if not leaves:
        return None
    scale = unit_of(facts, facts.kind) if facts.unit != "B" else 1 << 30
    begin = facts.recorded.begin if facts.recorded else facts.clock.begin
    used: dict[str, list[int]] = {
        path: numbers_of(samples[path]["usage"]) for path in leaves}
    order = sorted(leaves, key=lambda path: (-sum(used[path]), path))
    lines = [(name(path), used[path]) for path in order[:LINES]]
    rest = order[LINES:]
    if rest:
        lines.append((f"{len(rest):,} others", [
            sum(row) for row in zip(*(used[path] for path in rest))]))
    at = numbers_of(samples[order[0]]["time"])
    return {"unit": "GiB" if facts.unit == "B" else
            words.UNITS.get(facts.kind, facts.kind),
            "capacity": facts.capacity / scale,
            "times": [place(facts, begin + t) for t in at],
            "lines": [{"queue": called, "used": [v / scale for v in values]}
                      for called, values in lines]}


def numbers_of(column: Column | Texts) -> list[int]:
    """A column of whole numbers as a list."""
    assert not isinstance(column, Texts)
    return list(map(int, column.tolist()))


#: A table: its id, its title, what the reader should know, the table.
Shown = tuple[str, str, str, Table]


def tables(facts: Facts) -> list[Shown]:
    """Tables that can be sorted and filtered, besides that of queues."""
    made: list[Shown] = []
    if facts.given.mode is Mode.JOBS:
        made += [("delivered", "What was delivered", f"{facts.how}; slowdown "
                  "is (wait + run) / run, a run counts as 10 s at least",
                  work.delivered_table(facts)),
                 ("workflows", "Workflows and their objectives", facts.how,
                  work.workflows_table(facts)),
                 ("users", "Users, queue by queue", facts.how,
                  users_table(facts)),
                 ("below", "Times below the instantaneous share", "simulated",
                  below_table(facts)),
                 ("trials", "Changes that were tried", "simulated",
                  trials_table(facts)),
                 ("sizes", "Other sizes of the cluster", "simulated",
                  sizes_table(facts))]
    return [*made, ("needs", "What queues need for a part of their time in "
                    "use", "recorded" if facts.recorded else facts.how,
                    needs_in_units(facts))]


def shown(anchor: str, title: str, lead: str, made: Table) -> dict[str, Any]:
    """A table as the script has it; names of queues as people call them."""
    columns = {}
    for head, column in made.columns.items():
        values = column.tolist()[:ROWS]
        if head in ("queue", "most_over"):
            values = [name(v) if v.startswith("root.") else v for v in values]
        columns[head] = values
    return {"id": anchor, "title": title, "lead": lead, "rows": len(made),
            "columns": [{"name": head.replace("_", " "),
                         "text": isinstance(made.columns[head], Texts),
                         "values": values}
                        for head, values in columns.items()]}


def users_table(facts: Facts) -> Table:
    """Every user of every queue."""
    rows = facts.users if "user" in facts.given.present else []
    return Table({
        "user": Texts(u.user for u in rows),
        "queue": Texts(u.path for u in rows),
        "jobs": convert_column([u.jobs for u in rows]),
        "late": convert_column([u.late for u in rows]),
        "p50_s": convert_column([max(0, u.p50) / SECOND for u in rows], "d"),
        "p95_s": convert_column([max(0, u.p95) / SECOND for u in rows], "d")})


def below_table(facts: Facts) -> Table:
    """Stretches below a share."""
    rows, schema = facts.stretches, facts.given.tree.schema
    return Table({
        "queue": Texts(s.path for s in rows),
        "from": Texts(facts.clock.say(s.start) for s in rows),
        "hours": convert_column([(s.end - s.start) / SECOND / 3600
                                 for s in rows], "d"),
        "kind": Texts(s.kind for s in rows),
        "lack": Texts(words.amount(
            s.kind, s.lack, schema.units[schema.kind(s.kind)]) for s in rows),
        "most_over": Texts(s.holder for s in rows)})


def trials_table(facts: Facts) -> Table:
    """What the search tried."""
    rows = facts.searched.trials if facts.searched else []
    return Table({"change": Texts(t.what for t in rows),
                  "late": convert_column([t.late for t in rows]),
                  "p95_s": convert_column([max(0, t.p95) / SECOND
                                           for t in rows], "d")})


def sizes_table(facts: Facts) -> Table:
    """Clusters of other sizes."""
    rows = facts.tried
    return Table({"size": convert_column([float(t.size) for t in rows], "d"),
                  "nodes": convert_column([t.nodes for t in rows]),
                  "late": convert_column([t.late for t in rows]),
                  "p95_s": convert_column([max(0, t.p95) / SECOND
                                           for t in rows], "d")})


def needs_in_units(facts: Facts) -> Table:
    """What queues need, in cores, GPUs or GiB and hours."""
    scale = unit_of(facts, facts.kind) if facts.unit != "B" else 1 << 30
    unit = {"cpu": "cores", "gpu": "GPUs", "memory": "GiB"}.get(facts.kind,
                                                              facts.kind)
    columns: dict[str, Any] = {}
    for head, column in needs_table(facts).columns.items():
        if head == "in_use_ns":
            columns["in_use_hours"] = convert_column(
                [v / SECOND / 3600 for v in numbers_of(column)], "d")
        elif head.startswith("p") and head[1:].isdigit():
            columns[f"{head}_{unit}"] = convert_column(
                [v / scale for v in numbers_of(column)], "d")
        else:
            columns[head] = column
    return Table(columns)
