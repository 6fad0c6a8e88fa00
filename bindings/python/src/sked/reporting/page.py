"""The page as one file: header, tiles, cards, inputs, appendix. No script, no
request; the same bytes for the same input."""

from __future__ import annotations

import re

from .. import _core
from . import cards, plans
from .facts import Facts
from .given import Mode
from .html import Pictures, card, details, numbers, plural, table, text
from .say import amount, in_short, missing, tiles, time
from .style import sheet

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


def made_of(facts: Facts) -> str:
    """The line below the title."""
    given, ran = facts.given, facts.ran
    said = [text(given.form)]
    if given.mode is Mode.JOBS:
        assert given.jobs is not None and facts.cluster is not None
        span = given.jobs.submit[-1] - given.jobs.submit[0]
        said.append(f"{len(given.jobs):,} jobs in {time(span)}")
        said.append(f"{facts.cluster.count:,} "
                    f"{'nodes' if facts.cluster.count > 1 else 'node'}, "
                    f"{text(amount(facts, facts.capacity))} "
                    f"({text(facts.cluster.why)})")
    else:
        said.append(f"{given.records:,} records")
        if facts.recorded is not None:
            said.append("over " + time(facts.recorded.end
                                       - facts.recorded.begin))
    said.append(f"{len(given.tree.leaves):,} queues")
    said.append(f"tree {given.tree.digest:016x}")
    if ran is not None:
        said.append(f"replay {ran.total.digest:016x}")
    said.append(f"sked {version()}")
    return " \u00b7 ".join(said)


def inputs(facts: Facts) -> str:
    """What was read, how good it is, and what is wrong with it."""
    given = facts.given
    rows = [[text(FIELDS[name]), f'<span class="tag">'
             f"{text(how.value)}</span>", text(MEANS[how.value])]
            for name, how in given.fidelity.items()
            if name in given.present and name in FIELDS]
    inner = table(["Field", "Fidelity", "Where it comes from"], rows,
                  "Fidelity of the input")
    left = sum(given.skipped.values())
    lead = (f"{text(given.file)}: {given.records:,} records, read as "
            f"{text(given.form)}; {left:,} left out, {given.faults:,} faults.")
    if left:
        inner += table(["Left out because", "Records"],
                       [[text(reason), f"{count:,}"] for reason, count in
                        sorted(given.skipped.items())], "Left out", ".n")
    if given.findings:
        inner += details(f"{len(given.findings):,} faults with their lines",
                         table(["Line", "Where", "What"],
                               [[f"{f.line:,}", text(f.where), text(f.text)]
                                for f in given.findings], "Faults", "n.."))
    inner += f"<p class=mut>{how_it_ran(facts)}</p>"
    return card("What this is made from", lead, inner, wide=True)


def how_it_ran(facts: Facts) -> str:
    """The settings of the replay, in one line."""
    if facts.given.mode is not Mode.JOBS:
        return f"{missing(facts)} Queues by {text(facts.wanted.queue_by)}."
    wanted = facts.wanted
    assert facts.cluster is not None
    said = [f"queues by {wanted.queue_by}" if wanted.tree is None
            else f"tree {text(wanted.tree.rsplit('/', 1)[-1])}",
            f"order {wanted.policy or 'as the tree says (drf)'}",
            f"jobs {wanted.apps or 'as the tree says (fifo)'}",
            "tasks of a job together" if facts.cluster.gang
            else "tasks one by one",
            f"preemption {wanted.preempt}",
            f"the workload {float(wanted.multiplier):g} times",
            f"target {time(wanted.target)}"]
    return "Settings: " + text("; ".join(said)) + "."


def appendix(pictures: Pictures) -> str:
    """Every table behind every picture, folded, and as a file."""
    inner = "".join(
        details(f"{label} ({plural(len(made), 'row')})",
                numbers(made, label) + f"<p class=mut>{text(called)}.csv is "
                "linked at its picture.</p>")
        for called, label, made in pictures.tables)
    return card("Appendix: the numbers behind it",
                "Each table folds out; the files are inside this page.",
                inner, wide=True, anchor="appendix") if inner else ""


def body(facts: Facts) -> str:
    """The cards in their order."""
    pictures = Pictures()
    short = "".join(f"<li>{one}</li>" for one in in_short(facts))
    made = [card("In short", "", f'<ul class="short">{short}</ul>', wide=True),
            cards.goals(facts, pictures), cards.usage(facts, pictures),
            cards.waits(facts, pictures), cards.tree(facts, pictures),
            cards.fairness(facts, pictures), cards.starved(facts, pictures),
            plans.allocation(facts, pictures), plans.tiers(facts, pictures),
            plans.advice(facts, pictures), plans.change(facts, pictures),
            plans.growth(facts, pictures), cards.schedule(facts, pictures),
            cards.preemption(facts, pictures), inputs(facts),
            appendix(pictures)]
    return "\n".join(one for one in made if one)


#: A number and its unit stay on one line.
UNIT = re.compile(r"(?<=\d) (?=(?:%|min|h|d|s|cores|GPUs|[KMGTPE]iB)(?![\w-]))")


def page(facts: Facts) -> str:
    """The whole page."""
    title = text(facts.wanted.title or facts.given.file)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>{title}: resource report</title>"
        f"<style>{sheet()}</style></head>\n<body>"
        '<a class="skip" href="#cards">To the cards</a><main>'
        f"<h1><bdi>{title}</bdi>: resource report</h1>"
        + UNIT.sub("\u00a0", f'<p class="mut">{made_of(facts)}</p>\n'
                   f"{tiles(facts)}\n"
                   f'<div class="grid" id="cards">\n{body(facts)}\n</div>')
        + "</main></body></html>\n")
