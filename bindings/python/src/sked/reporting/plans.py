"""The cards about what comes next: what queues need, what the planner advises,
what the simulation says of it, how far it can grow; and the inputs."""

from __future__ import annotations

from collections.abc import Sequence

from ..columns import Column, Table, Texts, convert_column
from ..pictures import growth as draw_growth
from ..pictures import percentile_curve, words
from ..tree import Tree
from .cards import WORST, many
from .facts import Facts
from .given import Mode
from .html import (Pictures, card, details, file_link, more, name, queue, table,
                   text)
from .planner import THRESHOLDS, Need
from .runs import nearest
from .say import (amount, several, short_growth, short_tried, time,
                  verdict)
from .whatif import late_of


def allocation(facts: Facts, pictures: Pictures) -> str:
    """The percentile curve of the queue whose last per cent costs most."""
    if not facts.needs:
        return ""
    order = sorted(facts.needs, key=lambda n: (-n.spare, n.path))
    first = order[0]

    def draw(need: Need, width: float) -> object:
        # of thresholds that take the same, the highest
        shown = {need.points[i].amount: i for i in (1, 3, 4)}.values()
        return percentile_curve(
            need.curve, [need.points[i] for i in shown],
            thresholds=[float(THRESHOLDS[i]) for i in shown],
            kind=facts.kind, unit=facts.unit, width=width)

    lead = (f"Queue {queue(first.path)} peaks at "
            f"{text(amount(facts, first.total.peak))}, but "
            f"{text(amount(facts, first.points[3].amount))} are enough for 95 % "
            "of the time in which it is in use.")
    inner = pictures.both(lambda width: draw(first, width),
                          f"What {name(first.path)} uses, for which part of "
                          "its time in use", "allocation")
    if order[1:]:
        inner += details(more(len(order[1:WORST])), many(
            [(n.path, pictures.small(lambda width, n=n: draw(n, width),  # type: ignore[misc]
                                     f"What {name(n.path)} uses"))
             for n in order[1:WORST]]))
    return card("What a queue needs for most of the time", lead, inner)


def needs_table(facts: Facts) -> Table:
    """Percentiles of all queues."""
    rows = facts.needs
    columns: dict[str, Column | Texts] = {
        "queue": Texts(n.path for n in rows),
        "tier": convert_column([n.tier for n in rows]),
        "in_use_ns": convert_column([n.total.in_use for n in rows])}
    for i, p in enumerate(THRESHOLDS):
        columns["p" + f"{100 * float(p):g}"] = convert_column(
            [n.points[i].amount for n in rows])
    return Table(columns)


def tiers(facts: Facts, pictures: Pictures) -> str:
    """What all queues need, and the thresholds of the tiers."""
    advice = facts.advice
    if advice is None or not facts.needs:
        return ""
    inner = tier_rows(facts) if several(facts) else ""
    heads = ["Queue", "In use", "50 %", "95 %", "99 %", "Peak", "Advised"]
    rows = [[queue(n.path), time(n.total.in_use),
             *(text(plain(facts, n.points[i].amount)) for i in (0, 3, 4, 5)),
             text(plain(facts, n.chosen.amount if n.chosen else 0))]
            for n in facts.needs]
    inner += table(heads, rows[:WORST], "What queues need", ".nnnnnn")
    if len(rows) > WORST:
        inner += details(more(len(rows) - WORST), table(
            heads, rows[WORST:WORST + 40], "What more queues need",
            ".nnnnnn"))
    made = needs_table(facts)
    pictures.tables.append(("needs", "What queues need", made))
    unit = words.UNITS.get(facts.kind, facts.kind) or "memory"
    source = "recorded" if facts.recorded or facts.given.mode is Mode.UNITS \
        else "simulated"
    lead = (f"In {text(unit)}: enough for this part of the time in use "
            f"({source}). Advised: {threshold_words(facts)}.")
    return card("What queues need, and the plan", lead,
                inner + f"<p>{file_link(made, 'needs')}</p>",
                wide=facts.given.mode is Mode.USAGE)


def plain(facts: Facts, value: int) -> str:
    """An amount with no unit where the head has it."""
    if facts.unit == "B":
        return amount(facts, value)
    return words.number(value / words.scale_of(facts.unit))


def threshold_words(facts: Facts) -> str:
    """Where the advised amounts come from."""
    advice = facts.advice
    assert advice is not None
    if advice.upper:
        return ("the upper bounds, because no thresholds keep the tiers in "
                "order")
    parts = [words.part(p / 1_000_000) for p in advice.tiers.threshold_ppm]
    if advice.tiers.outcome:
        return "nothing fits the cluster; the least plan is shown"
    fit = "the highest up to 95 %" if len(parts) == 1 else "the highest"
    return (f"{' / '.join(parts)} of the time, {fit} that fits "
            f"{text(amount(facts, facts.capacity))}")


def tier_rows(facts: Facts) -> str:
    """A row for each tier: threshold, allocation, usage over it."""
    advice = facts.advice
    assert advice is not None
    rows = []
    for t in range(1, max(facts.tiers.values()) + 1):
        mine = [n for n in facts.needs if n.tier == t]
        given = sum(n.chosen.amount for n in mine if n.chosen)
        used = sum(n.total.usage for n in mine)
        room = sum(n.chosen.amount * n.total.in_use for n in mine if n.chosen)
        part = advice.tiers.threshold_ppm[t - 1] / 1_000_000
        rows.append([f"tier\u00a0{t}", f"{len(mine):,}", words.part(part),
                     text(amount(facts, given)),
                     words.part(used / room) if room else "\u2013"])
    return table(["Tier", "Queues", "Threshold", "Allocated",
                  "Used of it, while in use"], rows, "Tiers", ".nnnn")


def advice(facts: Facts, pictures: Pictures) -> str:
    """Weights now and proposed, with the numbers behind them."""
    said = facts.advice
    if said is None or not facts.needs:
        return ""
    changes = {c.path: c for c in said.changes}
    by_path = {n.path: n for n in facts.needs}
    now, then = parts(facts.given.tree), parts(said.tree or facts.given.tree)
    rows = []
    for path, change in changes.items():
        need = by_path.get(path)
        if need is None or change.weight_before == change.weight_after:
            continue
        rows.append((abs(then[path] - now[path]), path, change, need))
    rows.sort(key=lambda r: (-r[0], r[1]))
    made = [[queue(path), f"{c.weight_before:,}", f"{c.weight_after:,}",
             words.part(now[path]), words.part(then[path]),
             f'<div class="why">{text(why(facts, need))}</div>']
            for _, path, c, need in rows]
    heads = ["Queue", "Weight now", "Proposed", "Share now", "Proposed share",
             "Why"]
    if not made:
        return card("What the planner advises", "Weights are within 5 % of "
                    "what the queues need: nothing to change.", "", wide=True)
    whole = Table({
        "queue": Texts(r[1] for r in rows),
        "weight_now": convert_column([r[2].weight_before for r in rows]),
        "weight_proposed": convert_column([r[2].weight_after for r in rows]),
        "allocation": convert_column([r[2].allocation for r in rows])})
    pictures.tables.append(("advice", "Proposed weights", whole))
    inner = table(heads, made[:WORST], "Proposed weights", ".nnnn.")
    if made[WORST:]:
        inner += details(more(len(made) - WORST), table(
            heads, made[WORST:WORST + 40], "More proposed weights", ".nnnn."))
    inner += details("The same as a difference of trees",
                     f"<pre tabindex=0>{text_lines(said.diff)}</pre>") \
        + f"<p>{file_link(whole, 'advice')}</p>"
    lead = (f"{len(made):,} weights, the greatest changes first; a weight is "
            "what the queue is allocated. Changes below 5 % are not made.")
    return card("What the planner advises", lead, inner, wide=True)


def text_lines(said: str, most: int = 60) -> str:
    """Lines of text, escaped one by one."""
    lines = said.splitlines()
    more = [f"... {len(lines) - most:,} more lines"] if lines[most:] else []
    return "\n".join(text(line) for line in [*lines[:most], *more])


def parts(tree: Tree) -> dict[str, float]:
    """The part of its parent's that each queue has by weight."""
    made = {}
    for above in tree:
        below = above.children
        weights = [int(q.get("weight")) for q in below]
        whole = sum(weights) or 1
        made.update({q.path: w / whole for q, w in zip(below, weights)})
    return made


def why(facts: Facts, need: Need) -> str:
    """The numbers behind a weight."""
    chosen = need.chosen
    assert chosen is not None
    covered = float(chosen.covered)
    said = (f"{amount(facts, chosen.amount)} cover {words.part(covered)} of its "
            f"{time(need.total.in_use)} in use")
    if chosen.amount < need.total.peak:
        said += f"; its peak is {amount(facts, need.total.peak)}"
    return said


def change(facts: Facts, pictures: Pictures) -> str:
    """The same work under both trees."""
    if facts.ran is None:
        return ""
    if facts.after is None:
        return card("What would change", short_tried(facts),
                    whatif_rows(facts), wide=True)
    good, said = verdict(facts)
    before, after = per_queue(facts, False), per_queue(facts, True)
    paths = sorted(before, key=lambda p: (-abs(after[p][1] - before[p][1]), p))
    rows = [["<strong>all jobs</strong>", *compared(
        (facts.ran.total.delay.p50, facts.ran.total.delay.p95,
         late(facts, facts.ran.delays)),
        (facts.after.total.delay.p50, facts.after.total.delay.p95,
         late(facts, facts.after.delays)))]]
    rows += [[queue(p), *compared(before[p], after[p])] for p in paths]
    heads = ["Queue", "Half wait over", "after", "1 in 20 over", "after",
             "Late", "after"]
    inner = table(heads, rows[:WORST + 1], "Waits before and after", ".nnnnnn")
    if rows[WORST + 1:]:
        inner += details(more(len(rows) - WORST - 1), table(
            heads, rows[WORST + 1:WORST + 41], "More waits before and after",
            ".nnnnnn"))
    whole = Table({"queue": Texts(paths)} | {
        f"{column}_{side}": convert_column([made[p][i] for p in paths])
        for side, made in (("before", before), ("after", after))
        for i, column in enumerate(("p50_ns", "p95_ns", "late"))})
    pictures.tables.append(("change", "Waits before and after", whole))
    others = whatif_rows(facts)
    mark = "good" if good else "bad"
    lead = (f'<span class="{mark}"></span>{said} Both runs take the same jobs '
            "on the same nodes; only the weights differ.")
    return card("What would change", lead,
                inner + f"<p>{file_link(whole, 'change')}</p>" + others,
                wide=True)


def whatif_rows(facts: Facts) -> str:
    """Every change that was tried, the fewest late jobs first."""
    rows = sorted(facts.tried, key=lambda t: (t.late, t.p95))
    first = facts.tried[0]
    made = [[f"<strong>{t.what}</strong>" if t is first else t.what,
             f"{t.late:,}", time(t.p50), time(t.p95), f"{t.killed:,}"]
            for t in rows]
    return "<h3>Other changes, each tried alone</h3>" + table(
        ["Change", "Late jobs", "Half wait over", "1 in 20 over",
         "Tasks killed"], made, "Changes that were tried", ".nnnn")


def late(facts: Facts, delays: Sequence[int]) -> int:
    """Jobs over the target, or never started."""
    return late_of(delays, facts.wanted.target)


def per_queue(facts: Facts, after: bool) -> dict[str, tuple[int, int, int]]:
    """Half, 95 %, and late, by leaf with jobs."""
    run, jobs = facts.after if after else facts.ran, facts.given.jobs
    assert run is not None and jobs is not None
    rows: dict[int, list[int]] = {}
    for queue_id, delay in zip(jobs.queue, run.delays):
        rows.setdefault(queue_id, []).append(delay)
    paths = {leaf.id: leaf.path for leaf in facts.given.tree.leaves}
    return {paths[q]: (nearest(mine, 0.5), nearest(mine, 0.95),
                       late(facts, mine)) for q, mine in rows.items()}


def compared(before: tuple[int, int, int],
             after: tuple[int, int, int]) -> list[str]:
    """The cells of a row."""
    return [time(before[0]), time(after[0]), time(before[1]), time(after[1]),
            f"{before[2]:,}", f"{after[2]:,}"]


def growth(facts: Facts, pictures: Pictures) -> str:
    """How far the workload can grow on this cluster."""
    if not facts.growth or facts.cluster is None:
        return ""
    target = facts.wanted.target / 1e9
    return card("How far it can grow", short_growth(facts) + " Each point is a "
                "replay with jobs copied or left out by chance, evenly.",
                pictures.both(lambda width: draw_growth(
                    facts.growth, target, width=width),
                    "Delay against the size of the workload", "growth"))
