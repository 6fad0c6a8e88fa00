"""The page as one file: the finding that matters, tiles, what is taken for
granted, cards, appendix. No script, no request; the same bytes for the same
input."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .. import _core
from . import cards, pair, plans, work
from .facts import Facts
from .given import Mode
from .html import (Pictures, card, details, items, joined, note,
                   numbers, plural, say, table, templates, text)
from .say import (across, amount, assumptions, headline, in_short, missing,
                  tiles, time)
from .style import sheet

if TYPE_CHECKING:
    from markupsafe import Markup

POLICY = ("default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
          "base-uri 'none'; form-action 'none'")
#: What the fields of a job are called.
FIELDS = {"id": "job", "submit": "submission", "start": "start", "end": "end",
          "run": "run time", "tasks": "tasks", "cpu": "cores",
          "memory": "memory", "gpu": "GPUs", "user": "user", "group": "group",
          "queue": "queue", "priority": "priority", "partition": "partition",
          "tier": "tier", "length": "length", "amount": "amount"}
MEANS = {"exact": "as the file says", "derived": "computed from what it says",
         "assumed": "supposed: the file does not say"}


def version() -> str:
    """The library's version."""
    number = _core.version()
    return ".".join(str(number // 1000**i % 1000) for i in (2, 1, 0))


def made_of(facts: Facts) -> Markup:
    """The line below the title."""
    given, ran = facts.given, facts.ran
    said = [given.form]
    if given.jobs is not None and given.mode is Mode.JOBS:
        span = given.jobs.submit[-1] - given.jobs.submit[0]
        said.append(f"{plural(len(given.jobs), 'job')} in {time(span)}")
        if facts.clock.start is not None:
            said.append(f"{facts.clock.say(given.jobs.submit[0])} to "
                        f"{facts.clock.say(given.jobs.submit[-1])} "
                        f"({facts.wanted.zone})")
        assert facts.cluster is not None
        said.append(f"{plural(facts.cluster.count, 'node')}, "
                    f"{amount(facts, facts.capacity)} ({facts.source})")
    else:
        said.append(plural(given.records, "record"))
        if facts.recorded is not None:
            said.append("over " + time(facts.recorded.end
                                       - facts.recorded.begin))
    said.append(plural(len(given.tree.leaves), "queue"))
    said.append(f"tree {given.tree.digest:016x}")
    if ran is not None:
        said.append(f"replay {ran.total.digest:016x}")
    said.append(f"sked {version()}")
    return joined(said, " \u00b7 ")


def inputs(facts: Facts) -> Markup:
    """What was read, how good it is, and what is wrong with it."""
    given = facts.given
    rows = [[FIELDS[name], say('<span class="tag">{}</span>', how.value),
             MEANS[how.value]]
            for name, how in given.fidelity.items()
            if name in given.present and name in FIELDS]
    parts = [table(["Field", "Fidelity", "Where it comes from"], rows,
                   "Fidelity of the input")]
    left = sum(given.skipped.values())
    lead = (f"{given.file}: {plural(given.records, 'record')}, read as "
            f"{given.form}; {left:,} left out, "
            f"{plural(given.faults, 'fault')}.")
    if left:
        parts.append(table(["Left out because", "Records"],
                           [[reason, f"{count:,}"] for reason, count in
                            sorted(given.skipped.items())], "Left out", ".n"))
    if given.findings:
        parts.append(details(
            f"{plural(len(given.findings), 'fault')} with their lines",
            table(["Line", "Where", "What"],
                  [[f"{f.line:,}", f.where, f.text] for f in given.findings],
                  "Faults", "n..")))
    parts.append(note(how_it_ran(facts)))
    return card("What this is made from", lead, joined(parts), wide=True)


def how_it_ran(facts: Facts) -> str:
    """The settings of the replay, in one line."""
    if facts.given.mode is not Mode.JOBS:
        return f"{missing(facts)} Queues by {facts.wanted.queue_by}."
    wanted = facts.wanted
    assert facts.cluster is not None

    def given(usual: str) -> str:
        return "as the tree says" if wanted.tree else usual

    said = [f"queues by {wanted.queue_by}" if wanted.tree is None
            else f"tree {wanted.tree.rsplit('/', 1)[-1]}",
            "order " + (wanted.policy or given("drf")),
            "jobs " + (wanted.apps or given("fifo")),
            "tasks of a job together" if facts.cluster.gang
            else "tasks one by one",
            f"preemption {wanted.preempt}",
            f"the workload {float(wanted.multiplier):g} times",
            f"target {time(wanted.target)}"]
    return "Settings: " + "; ".join(said) + "."


def appendix(pictures: Pictures) -> Markup:
    """Every table behind every picture, folded."""
    inner = joined(
        details(f"{label} ({plural(len(made), 'row')})",
                joined((numbers(made, label), note(
                    f"{called}.csv is linked at its picture."))))
        for called, label, made in pictures.tables)
    return card("Appendix: the numbers behind it",
                "Each table folds out; the files are inside this page.",
                inner, wide=True, anchor="appendix") if inner else inner


def body(facts: Facts) -> Markup:
    """The cards in their order."""
    pictures = Pictures()
    made = [pair.beside(facts, facts.other, pictures) if facts.other
            else text(""), card("In short", "", items(in_short(facts)), wide=True),
            plans.first(facts), cards.goals(facts, pictures),
            cards.usage(facts, pictures), cards.waits(facts, pictures),
            work.delivered(facts, pictures), work.workflows(facts, pictures),
            cards.line(facts, pictures), cards.lengths(facts, pictures),
            cards.users(facts, pictures), cards.tree(facts, pictures),
            cards.starved(facts, pictures), cards.fairness(facts, pictures),
            plans.allocation(facts, pictures), plans.tiers(facts, pictures),
            plans.change(facts, pictures), plans.sizes(facts),
            plans.growth(facts, pictures), cards.schedule(facts, pictures),
            cards.preemption(facts, pictures), inputs(facts),
            appendix(pictures)]
    return joined((one for one in made if one), "\n")


#: A number and its unit stay on one line.
UNIT = re.compile(r"(?<=\d) (?=(?:%|min|h|d|s|cores?|GPUs?|[KMGTPE]iB)(?![\w-]))")


def kept(said: Markup) -> Markup:
    """HTML in which no line ends between a number and its unit."""
    return type(said)(UNIT.sub("\u00a0", str(said)))


def page(facts: Facts) -> str:
    """The whole page."""
    title = text(facts.wanted.title or facts.given.file)
    basis = assumptions(facts)
    return templates().get_template("page.html").render(
        policy=type(title)(POLICY), title=title, sheet=type(title)(sheet()),
        made_of=kept(made_of(facts)),
        headline=kept(headline(facts)),
        warnings=sum(bool(a["warns"]) for a in basis),
        assumptions=[{"said": kept(text(a["said"])), "warns": a["warns"]}
                     for a in basis],
        tiles=kept(tiles(facts)), across=across(facts), cards=kept(body(facts)))


