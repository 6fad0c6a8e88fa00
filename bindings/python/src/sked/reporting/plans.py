"""The cards about what comes next: what to do first, what queues need, what was
searched and proved, other sizes, how far it can grow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..columns import Column, Table, Texts, convert_column
from ..pictures import growth as draw_growth
from ..pictures import percentile_curve, words
from .cards import WORST
from .decide import decisions, meets_target, not_worth
from .facts import Facts
from .given import SECOND, Mode
from .html import (Pictures, card, details, file_link, heading, joined, lines,
                   more, name, note, plural, queue, ranked, say, table, text)
from .numbers import column, ends_of, groups, nearest_of
from .planner import THRESHOLDS, Need
from .say import (amount, points, several, short_change, short_growth, time,
                  unit_hours)
from .whatif import hours, late_of

if TYPE_CHECKING:
    from markupsafe import Markup


def first(facts: Facts) -> Markup:
    """What to do, in order."""
    if facts.given.mode is not Mode.JOBS:
        return text("")
    made = decisions(facts)
    lead = ("In the order of what it costs: settings, then work that is lost, "
            "then machines; of alike costs what brings most first. Each was "
            "replayed." if made else "")
    kept = facts.searched is not None and facts.searched.proved is None
    keep = note(say("Keep the settings that you have: {}.",
                    facts.searched.why)) if kept and facts.searched else ""
    now = facts.tried[0] if facts.tried else None
    nothing = "Nothing has to be done: jobs start in time." \
        if now is not None and meets_target(facts, now) else \
        "Nothing: no change that was replayed brings enough for its cost."
    small = not_worth(facts)
    return card("What to do first", lead or nothing, joined((
                    ranked([{"what": d.what, "brings": d.brings,
                             "costs": d.costs, "first": i == 0 and d.first}
                            for i, d in enumerate(made)]) if made else "",
                    note(small) if small else "", keep)), wide=True)


def allocation(facts: Facts, pictures: Pictures) -> Markup:
    """The percentile curve of the queue whose last per cent costs most."""
    if not facts.needs:
        return text("")
    order = sorted(facts.needs, key=lambda n: (-n.spare, n.path))
    first = order[0]

    def draw(need: Need, width: float) -> object:
        # of thresholds that take the same, the highest
        shown = {need.points[i].amount: i for i in (1, 3, 4)}.values()
        return percentile_curve(
            need.curve, [need.points[i] for i in shown],
            thresholds=[float(THRESHOLDS[i]) for i in shown],
            kind=facts.kind, unit=facts.unit, width=width)

    lead = say("{}. Queue {} peaks at {}, but {} are enough for 95 % of the "
               "time in which it is in use.", source(facts).capitalize(),
               queue(first.path), amount(facts, first.total.peak),
               amount(facts, first.points[3].amount))
    parts = [pictures.both(lambda width: draw(first, width),
                           f"What {name(first.path)} uses, for which part of "
                           "its time in use", "allocation")]
    if order[1:]:
        parts.append(details(more(len(order[1:WORST])), pictures.many(
            [(n.path, pictures.small(lambda width, n=n: draw(n, width),  # type: ignore[misc]
                                     f"What {name(n.path)} uses"))
             for n in order[1:WORST]])))
    return card("What a queue needs for most of the time", lead, joined(parts))


def source(facts: Facts) -> str:
    """Where usage comes from."""
    return "recorded" if facts.recorded or facts.given.mode is Mode.UNITS \
        else "simulated"


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


def tiers(facts: Facts, pictures: Pictures) -> Markup:
    """What all queues need, and the thresholds of the tiers."""
    advice = facts.advice
    if advice is None or not facts.needs:
        return text("")
    heads = ["Queue", "In use", "50 %", "95 %", "99 %", "Peak", "Planned"]
    rows = [[queue(n.path), time(n.total.in_use),
             *(plain(facts, n.points[i].amount) for i in (0, 3, 4, 5)),
             plain(facts, n.chosen.amount if n.chosen else 0)]
            for n in facts.needs]
    parts = [tier_rows(facts) if several(facts) else text(""),
             table(heads, rows[:WORST], "What queues need", ".nnnnnn")]
    if len(rows) > WORST:
        parts.append(details(more(len(rows) - WORST), table(
            heads, rows[WORST:WORST + 40], "What more queues need",
            ".nnnnnn")))
    if advice.changes:
        parts.append(details(
            "Weights that would give each queue its plan",
            joined((note("A plan is what queues need, not yet an advice: what "
                         "is advised was replayed, and stands above."),
                    lines(advice.diff)))))
    made = needs_table(facts)
    pictures.tables.append(("needs", "What queues need", made))
    unit = words.UNITS.get(facts.kind, facts.kind) or "memory"
    lead = (f"In {unit}: enough for this part of the time in use "
            f"({source(facts)}). Planned: {threshold_words(facts)}.")
    return card("What queues need, and the plan", lead,
                joined((*parts, file_link(made, "needs"))),
                wide=facts.given.mode is not Mode.UNITS)


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
            f"{amount(facts, facts.capacity)}")


def tier_rows(facts: Facts) -> Markup:
    """A row for each tier: threshold, allocation, usage over it."""
    advice = facts.advice
    assert advice is not None
    rows, whole = [], span_of(facts)
    for t in range(1, max(facts.tiers.values()) + 1):
        mine = [n for n in facts.needs if n.tier == t]
        given = sum(n.chosen.amount for n in mine if n.chosen)
        used = sum(n.total.usage for n in mine)
        part = advice.tiers.threshold_ppm[t - 1] / 1_000_000
        rows.append([f"tier {t}", f"{len(mine):,}", words.part(part),
                     amount(facts, given),
                     words.part(used / given / whole)
                     if given and whole else "\u2013"])
    heads = ["Tier", "Queues", "Threshold", "Allocated",
             "Mean use of it" if whole else "Use of it"]
    return table(heads, rows, "Tiers", ".nnnn")


def span_of(facts: Facts) -> int:
    """The time (ns) that needs are about; 0 with time units, which have no
    clock."""
    if facts.given.mode is Mode.UNITS:
        return 0
    if facts.window is not None and facts.window.cut:
        return facts.window.end - facts.window.begin
    if facts.recorded is not None:
        return facts.recorded.end - facts.recorded.begin
    return facts.ran.total.end - facts.ran.total.first_submit \
        if facts.ran else 0


def change(facts: Facts, pictures: Pictures) -> Markup:
    """What was searched and what was proved."""
    found = facts.searched
    if facts.ran is None or found is None:
        return text("")
    parts = [settings(facts)] if found.changes else []
    if found.after is not None:
        parts.append(before_and_after(facts, pictures))
    parts += [proofs(facts), trials(facts, pictures)]
    return card("What was tried, and what holds", joined((
        short_change(facts), text(how_searched(facts))
        if found.trials else ""), ""),
        joined(parts), wide=True)


def how_searched(facts: Facts) -> str:
    """On which part of the history changes were tried, and on which proved."""
    found = facts.searched
    assert found is not None
    part = "the first 60 % of the time" if not found.moved else (
        f"the time up to {facts.clock.say(found.split)}, because hardly any "
        "job of the first 60 % is late")
    return (f" Each change is replayed on {part}; the best are proved on the "
            "rest, which the search has not seen, day by day.")


def settings(facts: Facts) -> Markup:
    """What to set."""
    found = facts.searched
    assert found is not None
    rows = [[queue(c.path) if c.path else "the whole cluster", c.setting,
             c.before, c.after] for c in found.changes]
    heads = ["Queue", "Setting", "Now", "Then"]
    inner = [heading("What to set"),
             table(heads, rows[:WORST], "What to set", "....")]
    if rows[WORST:]:
        inner.append(details(f"{len(rows) - WORST:,} more", table(
            heads, rows[WORST:WORST + 200], "More to set", "....")))
    return joined(inner)


def signed(n: int) -> str:
    """A number that may be below 0."""
    return f"{n:,}".replace("-", "\u2212")


def proofs(facts: Facts) -> Markup:
    """What was tried on the whole history."""
    found = facts.searched
    if found is None or not found.proofs:
        return text("")
    rows = [[p.what, f"{p.late_before:,}", f"{p.late_after:,}",
             f"{signed(p.fewer[0])} to {signed(p.fewer[1])}", words.part(p.sure),
             time(p.done_before), time(p.done_after), f"{p.killed:,}",
             "advised" if p.advised else p.why_not]
            for p in found.proofs]
    return joined((heading("Proved on what the search had not seen"), table(
        ["Change", "Late before", "Late after",
         "Fewer, 19 times in 20", "Wins, resampled",
         "Mean end, before", "Mean end, after", "Tasks killed", "So"], rows,
        "Proofs", ".nnnnnnn.")))


def trials(facts: Facts, pictures: Pictures) -> Markup:
    """What was tried on the first part, the fewest late jobs first."""
    found = facts.searched
    if found is None or not found.trials:
        return text("")
    now = found.trials[0]
    rows = sorted(found.trials, key=lambda t: t.score)
    made = [[say("<strong>{}</strong>", t.what) if t is now else t.what,
             f"{t.late:,}", time(t.p95), time(t.done), f"{t.killed:,}"]
            for t in rows]
    whole = Table({"change": Texts(t.what for t in rows),
                   "late": convert_column([t.late for t in rows]),
                   "p95_ns": convert_column([t.p95 for t in rows]),
                   "killed": convert_column([t.killed for t in rows])})
    pictures.tables.append(("trials", "Changes that were tried", whole))
    return details(
        f"All {plural(len(rows) - 1, 'change')} that were tried on the first "
        "part", joined((table(["Change", "Late jobs", "95 % waited up to",
                               "Mean time to the end", "Tasks killed"], made,
                              "Changes", ".nnnn"),
                        file_link(whole, "trials"))))


def before_and_after(facts: Facts, pictures: Pictures) -> Markup:
    """The same work with and without what is advised."""
    found = facts.searched
    assert facts.ran is not None and found is not None
    assert found.after is not None
    before, after = per_queue(facts, False), per_queue(facts, True)
    paths = sorted(before, key=lambda p: (-abs(after[p][2] - before[p][2]), p))
    rows: list[Sequence[object]] = [[say("<strong>all jobs</strong>"), *compared(
        (facts.ran.total.delay.p50, facts.ran.total.delay.p95,
         late(facts, facts.ran.delays)),
        (found.after.total.delay.p50, found.after.total.delay.p95,
         late(facts, found.after.delays)))]]
    rows += [[queue(p), *compared(before[p], after[p])] for p in paths]
    heads = ["Queue", "Late before", "Late after", "Half wait up to, before",
             "after", "95 % wait up to, before", "after"]
    inner = [heading("Late jobs and waits before and after (simulated)"),
             table(heads, rows[:WORST + 1], "Before and after", ".nnnnnn")]
    if rows[WORST + 1:]:
        inner.append(details(more(len(rows) - WORST - 1), table(
            heads, rows[WORST + 1:WORST + 41], "More before and after",
            ".nnnnnn")))
    whole = Table({"queue": Texts(paths)} | {
        f"{column}_{side}": convert_column([made[p][i] for p in paths])
        for side, made in (("before", before), ("after", after))
        for i, column in enumerate(("p50_ns", "p95_ns", "late"))})
    pictures.tables.append(("change", "Waits before and after", whole))
    return joined((*inner, file_link(whole, "change")))


def late(facts: Facts, delays: Any) -> int:
    """Jobs over the target, or never started."""
    return late_of(delays, facts.wanted.target)


def per_queue(facts: Facts, after: bool) -> dict[str, tuple[int, int, int]]:
    """Half, 95 %, and late, by leaf with jobs."""
    found = facts.searched
    run = found.after if after and found else facts.ran
    assert run is not None
    made = {}
    order, first, leaves = groups(facts.given.leaf)
    delays, paths = column(run.delays), facts.given.paths
    for at, to, leaf in zip(first, ends_of(first, len(order)), leaves):
        mine = delays[order[at:to]]
        p50, p95 = nearest_of(mine, (0.5, 0.95))
        made[paths[leaf]] = p50, p95, late(facts, mine)
    return made


def compared(before: tuple[int, int, int],
             after: tuple[int, int, int]) -> list[str]:
    """The cells of a row."""
    return [f"{before[2]:,}", f"{after[2]:,}", time(before[0]), time(after[0]),
            time(before[1]), time(after[1])]


def sizes(facts: Facts) -> Markup:
    """Clusters of other sizes, and what it costs to take nodes away."""
    if len(facts.tried) < 2 or facts.cluster is None:
        return text("")
    rows = sorted(facts.tried, key=lambda t: t.size)
    many = facts.cluster.count > 1
    made = [[say("<strong>{}</strong>", t.what) if t.size == 1 else t.what,
             *([f"{t.nodes:,}"] if many else []), f"{t.late:,}", time(t.p50),
             time(t.p95)] for t in rows]
    inner = table(["Size", *(["Nodes"] if many else []), "Late jobs",
                   "Half wait up to", "95 % wait up to"], made, "Other sizes",
                  ".nnnn" if many else ".nnn")
    cost = facts.removal
    if cost is not None:
        lost = hours(cost.lost) / words.scale_of(facts.unit)
        inner = joined((inner, note(
            f"To take {plural(cost.nodes, 'node')} away, the emptiest first: "
            f"draining takes {time(cost.drain_p50)} at half of the "
            f"instants and {time(cost.drain_p95)} at 19 of 20, and keeps "
            f"{words.number(hours(cost.held))} node hours; killing what runs "
            f"there loses {words.number(cost.killed)} tasks and "
            f"{unit_hours(facts, lost)} on average.")))
    smallest = next((t for t in rows if t.p95 >= 0 and
                     t.p95 <= facts.wanted.target), None)
    lead = "Simulated: the same jobs on the same settings." + (
        f" The smallest size tried that has 95 % of jobs start within "
        f"{time(facts.wanted.target)}: {smallest.what}" + (
            f" ({plural(smallest.nodes, 'node')})." if many else ".")
        if smallest else "")
    return card("Other sizes of the cluster", lead, inner)


def growth(facts: Facts, pictures: Pictures) -> Markup:
    """How far the workload can grow on this cluster."""
    if not facts.growth or facts.cluster is None:
        return text("")
    target = facts.wanted.target / SECOND
    seeds = max(p.seeds for p in facts.growth)
    band = [(float(p.multiplier), max(0, p.least) / SECOND,
             max(0, p.most) / SECOND) for p in facts.growth]
    lead = say("{} Each point is a replay with jobs copied or left out by "
               "chance, evenly{}.", short_growth(facts),
               f"; the middle of {seeds} draws, and the band is all of them"
               if seeds > 1 else "")
    nodes = facts.cluster.count if facts.cluster.count > 1 else 0
    return card("How far it can grow", lead, pictures.both(
        lambda width: draw_growth(points(facts), target, band=band,
                                  nodes=nodes, width=width),
        "Delay against the size of the workload (simulated)", "growth"))
