"""Two clusters on one page: the numbers of both side by side, and their queues
by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..columns import Table, Texts, convert_column
from ..pictures import words
from .data import hours
from .facts import Facts
from .given import SECOND, Mode
from .html import (Pictures, card, file_link, joined, name, plural, say, table,
                   text)
from .say import amount, headline, tile_data, time
from .waits import Waited

if TYPE_CHECKING:
    from markupsafe import Markup

#: Rows of the table of queues.
MOST = 30


def names_of(both: tuple[Facts, Facts]) -> list[str]:
    """What the clusters are called; alike names get a number."""
    made = [facts.given.file for facts in both]
    return [f"{one} ({i + 1})" for i, one in enumerate(made)] \
        if made[0] == made[1] else made


def numbers(facts: Facts) -> dict[str, object]:
    """The main numbers of a cluster, as shown."""
    tiles = {t["label"]: t for t in tile_data(facts)}
    whole = facts.delivered[0] if facts.delivered else None
    made: dict[str, object] = {
        "Jobs": f"{len(facts.real):,}",
        "Nodes": f"{facts.cluster.count:,}" if facts.cluster else "\u2013",
        "Capacity": f"{amount(facts, facts.capacity)} ({facts.source})"}
    for label in ("in use", "late", "p95", "users 1", "queues 1",
                  "below share", "growth"):
        tile = tiles.get(label)
        if tile is not None:
            made[tile["name"]] = tile["shown"]
    if whole is not None:
        made["Slowdown, half up to"] = words.number(whole.slowdown_p50)
        made["Slowdown, 95 % up to"] = words.number(whole.slowdown_p95)
        for kind, did in hours(facts, whole.work).items():
            if did and kind != "memory":
                called = {"cpu": "Core", "gpu": "GPU"}.get(kind, kind)
                made[f"{called} hours"] = words.number(did)
    return made


def beside(facts: Facts, other: Facts, pictures: Pictures) -> Markup:
    """The card of both clusters."""
    both = (facts, other)
    called = names_of(both)
    sides = [numbers(one) for one in both]
    rows = [[label, *(side.get(label, "\u2013") for side in sides)]
            for label in dict.fromkeys([*sides[0], *sides[1]])]
    queues = by_queue(both)
    pictures.tables.append(("clusters", "Queues of both clusters", queues))
    found = joined(say("<p><strong><bdi>{}</bdi></strong>: {}</p>", label,
                       headline(one)) for label, one in zip(called, both))
    heads: list[object] = ["Number", *(say("<bdi>{}</bdi>", one)
                                       for one in called)]
    return card(
        "Two clusters", found, joined((
            table(heads, rows, "Two clusters", ".nn"),
            table(["Queue", *(say("{} <bdi>{}</bdi>", what, one)
                              for one in called
                              for what in ("Jobs:", "late:", "95 % up to:"))],
                  queue_rows(both), "Queues of two clusters", ".nnnnnn"),
            text("") if len(queues) <= MOST else
            plural(len(queues) - MOST, "more queue") + " in the file. ",
            file_link(queues, "clusters"))), wide=True)


def merged(both: tuple[Facts, Facts]) -> list[tuple[str, list[Waited | None]]]:
    """Waits of queues by name, of both clusters; those with most late jobs
    first."""
    sides = [{name(w.path): w for w in facts.waits} for facts in both]
    known = dict.fromkeys([*sides[0], *sides[1]])
    rows = [(path, [side.get(path) for side in sides]) for path in known]
    return sorted(rows, key=lambda row: (
        -sum(w.over for w in row[1] if w is not None), row[0]))


def queue_rows(both: tuple[Facts, Facts]) -> list[list[object]]:
    """The same as rows of the page."""
    made: list[list[object]] = []
    for path, sides in merged(both)[:MOST]:
        row: list[object] = [say("<bdi>{}</bdi>", path)]
        for w in sides:
            row += ["\u2013"] * 3 if w is None else [
                f"{w.jobs:,}", words.part(w.over / w.jobs), time(w.p95)]
        made.append(row)
    return made


def by_queue(both: tuple[Facts, Facts]) -> Table:
    """The same for programs; -1: a cluster does not have the queue."""
    rows = merged(both)
    columns: dict[str, Any] = {"queue": Texts(path for path, _ in rows)}
    get: dict[str, Callable[[Waited], float]] = {
        "jobs": lambda w: w.jobs, "late": lambda w: w.over,
        "p95_s": lambda w: max(0, w.p95) / SECOND}
    for at in (0, 1):
        for label, of in get.items():
            columns[f"{label}_{at + 1}"] = convert_column(
                [-1 if (w := sides[at]) is None else of(w)
                 for _, sides in rows], "d" if label == "p95_s" else "q")
    return Table(columns)


def check(facts: Facts) -> None:
    """ValueError if there is nothing to compare."""
    if facts.given.mode is not Mode.JOBS:
        raise ValueError(f"{facts.given.file}: no submissions, so it cannot "
                         "stand beside another cluster")
