"""The cards about what the cluster did for its users: delivered hours, how jobs
ended, bounded slowdown, each queue's own target, the price; and workflows with
objectives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..columns import AnyColumn, Table, Texts, convert_column
from ..pictures import slo_dashboard, words
from .cards import WORST
from .data import cost
from .delivered import Delivered, Work, hours_of
from .facts import Facts
from .given import SECOND
from .html import (Pictures, card, details, file_link, joined, more, plural,
                   queue, say, table, text)
from .say import time

if TYPE_CHECKING:
    from markupsafe import Markup


#: What hours of a kind are called, and their column.
HOURS = {"cpu": "core hours", "gpu": "GPU hours", "memory": "GiB hours"}


def kinds_of(facts: Facts, shown: bool) -> list[int]:
    """Kinds that jobs held; `shown`: without memory if there is another."""
    names, whole = facts.given.tree.schema.names, facts.delivered[0].work
    made = [k for k, work in enumerate(whole) if work]
    rest = [k for k in made if names[k] != "memory"]
    return rest if shown and rest else made


def word_of(facts: Facts, k: int) -> str:
    """What hours of a kind are called."""
    kind = facts.given.tree.schema.names[k]
    return HOURS.get(kind, f"{kind} hours")


def hours_at(facts: Facts, work: Work, k: int) -> float:
    """Hours of one kind."""
    return hours_of(work[k], facts.given.tree.schema.units[k])


def money(facts: Facts, value: float | None) -> str:
    """A price with its currency."""
    return f"{words.number(value or 0)} {facts.wanted.currency}".strip()


def of_all(part: int, whole: int) -> str:
    """A part in per cent."""
    return words.part(part / whole) if whole else "\u2013"


def cells(facts: Facts, row: Delivered) -> list[object]:
    """A queue as a row."""
    whole = facts.delivered[0]
    met = "\u2013" if not row.started else \
        say('<span class="{}">{}</span>', "good" if row.met else "bad",
            "met" if row.met else "missed")
    made: list[object] = [queue(row.path) if row.path else "All queues",
                          f"{row.jobs:,}"]
    for k in kinds_of(facts, True):
        made += [words.number(hours_at(facts, row.work, k)),
                 of_all(row.work[k], whole.work[k])]
    if facts.wanted.price:
        made.append(money(facts, cost(facts, row.work)))
    return [*made, words.number(row.slowdown_p50),
            words.number(row.slowdown_p95), time(row.target),
            words.part(row.late / row.jobs), time(row.wait_p95), met]


def delivered(facts: Facts, pictures: Pictures) -> Markup:
    """Hours, slowdown, targets and cost, by queue."""
    if not facts.delivered:
        return text("")
    whole, *rows = facts.delivered
    shown = kinds_of(facts, True)
    heads = ["Queue", "Jobs"]
    for k in shown:
        heads += [capital(word_of(facts, k)), "of all"]
    heads += ["Cost"] if facts.wanted.price else []
    heads += ["Slowdown: half up to", "95 % up to", "Target",
              "later than that", "95 % waited up to", "Target is"]

    def lines(of: Sequence[Delivered]) -> Markup:
        return table(heads, [cells(facts, r) for r in of],
                     "Delivered to queues", "." + "n" * (len(heads) - 2) + ".")

    inner = [lines([whole, *rows[:WORST]] if rows[1:] else [whole])]
    if len(rows) > WORST:
        inner.append(details(more(len(rows) - WORST),
                             lines(rows[WORST:WORST + 40])))
    inner.append(ended(facts))
    made = delivered_table(facts)
    pictures.tables.append(("delivered", "Delivered to queues", made))
    hours = " and ".join(
        f"{words.number(hours_at(facts, whole.work, k))} {word_of(facts, k)}"
        for k in shown)
    paid = f", worth {money(facts, cost(facts, whole.work))}" \
        if facts.wanted.price else ""
    return card(
        "What was delivered",
        f"{facts.how.capitalize()}: {hours} to {plural(whole.started, 'job')}"
        f"{paid}. Slowdown is (wait + run) / run, and a run counts as 10 s "
        "at least: 1 is a job that did not wait. A target is met if 95 % of a "
        "queue's jobs start within it.",
        joined((*inner, file_link(made, "delivered"))), wide=True)


def capital(said: str) -> str:
    """A text with a capital letter first."""
    return said[:1].upper() + said[1:]


def ended(facts: Facts) -> Markup:
    """Hours by how jobs ended."""
    whole, shown = facts.delivered[0], kinds_of(facts, True)
    if not whole.ended:
        return text("")
    heads, made = ["Jobs that ended as", "Jobs", "of all"], []
    for k in shown:
        heads += [capital(word_of(facts, k)), "of all"]
    for name, (jobs, work) in sorted(whole.ended.items(),
                                     key=lambda r: (-r[1][0], r[0])):
        row = [name, f"{jobs:,}", words.part(jobs / whole.jobs)]
        for k in shown:
            row += [words.number(hours_at(facts, work, k)),
                    of_all(work[k], whole.work[k])]
        made.append(row)
    return table(heads, made, "Hours by outcome",
                 "." + "n" * (len(heads) - 1))


def delivered_table(facts: Facts) -> Table:
    """All of it, for the appendix and for programs; the first row is all
    jobs."""
    rows = facts.delivered

    def doubles(values: Iterable[float]) -> AnyColumn:
        return convert_column(list(values), "d")

    columns: dict[str, AnyColumn] = {
        "queue": Texts(r.path or "all jobs" for r in rows),
        "jobs": convert_column([r.jobs for r in rows])}
    kinds = {k: word_of(facts, k).replace(" ", "_").lower()
             for k in kinds_of(facts, False)}
    for k, name in kinds.items():
        columns[name] = doubles(hours_at(facts, r.work, k) for r in rows)
    columns |= {
        "slowdown_p50": doubles(r.slowdown_p50 for r in rows),
        "slowdown_p95": doubles(r.slowdown_p95 for r in rows),
        "slowdown_mean": doubles(r.slowdown_mean for r in rows),
        "target_s": doubles(r.target / SECOND for r in rows),
        "late": convert_column([r.late for r in rows]),
        "wait_p95_s": doubles(max(0, r.wait_p95) / SECOND for r in rows)}
    if facts.wanted.price:
        columns["cost"] = doubles(cost(facts, r.work) or 0.0 for r in rows)
    none = (0, (0,) * len(facts.given.tree.schema))
    for said in rows[0].ended if rows else ():
        word = said.replace(" ", "_")
        columns[f"{word}_jobs"] = convert_column(
            [r.ended.get(said, none)[0] for r in rows])
        for k, name in kinds.items():
            columns[f"{word}_{name}"] = doubles(
                hours_at(facts, r.ended.get(said, none)[1], k) for r in rows)
    return Table(columns)


# ---- workflows ----


def workflows(facts: Facts, pictures: Pictures) -> Markup:
    """Which workflows end within their objectives, by tier."""
    found = facts.success
    if found is None:
        return text("")
    seen = [(k + 1, all_, good) for k, (all_, good) in enumerate(found.tiers)
            if all_]
    said = "; ".join(f"tier {tier}: {good:,} of {all_:,} "
                     f"({words.part(good / all_)})"
                     for tier, all_, good in seen)
    names = [f"tier {k + 1}" for k in range(len(found.tiers))]
    made = workflows_table(facts)
    pictures.tables.append(("workflows", "Workflows and their objectives",
                            made))
    worst = [f for f in found.flows if f.met < f.runs][:WORST]
    rows = table(["Workflow", "Queue", "Tier", "Objective", "Runs",
                  "within it"],
                 [[say("<bdi>{}</bdi>", f.name), queue(f.path), f"{f.tier}",
                   time(f.slo), f"{f.runs:,}", words.part(f.met / f.runs)]
                  for f in worst], "Workflows with most missed runs",
                 "..nnnn") if worst else text("")
    return card(
        "Do workflows end when they should?",
        f"{facts.how.capitalize()}. A workflow is successful if 9 in 10 of its "
        "runs end within its objective, from submission on. Successful: "
        f"{said}.",
        joined((pictures.both(
            lambda width: slo_dashboard(
                found.periods, names, labels=found.labels, worst=found.worst,
                noun="workflow", runs="run", width=width),
            f"Part of workflows within their objective ({facts.how})",
            "workflow-objectives"), rows, file_link(made, "workflows"))),
        wide=False)


def workflows_table(facts: Facts) -> Table:
    """All workflows, those with most missed runs first."""
    rows = facts.success.flows if facts.success else []
    return Table({
        "workflow": Texts(f.name for f in rows),
        "queue": Texts(f.path for f in rows),
        "tier": convert_column([f.tier for f in rows]),
        "slo_s": convert_column([f.slo / SECOND for f in rows], "d"),
        "runs": convert_column([f.runs for f in rows]),
        "met": convert_column([f.met for f in rows]),
        "successful": convert_column([int(f.successful) for f in rows])})


__all__ = ["delivered", "delivered_table", "workflows",
           "workflows_table"]
