"""The cards of a page: what happened, who waited, who was over and under."""

from __future__ import annotations

from ..columns import Table, Texts, convert_column
from ..pictures import (fair_share, gantt, preemption_timeline, queue_tree,
                        slo_dashboard, usage_over_time, words)
from ..pictures.icicle import cells
from .facts import Facts
from .given import Mode
from .html import (HALF, WHOLE, Pictures, card, details, file_link, name,
                   called, more, plural, queue, table, text)
from .say import amount, several, time
from .waits import Waited

WORST = 10
BANDS = 5


def goals(facts: Facts, pictures: Pictures) -> str:
    """Objectives by tier."""
    found = facts.goals
    if found is None:
        return ""
    count = max(facts.tiers.values())
    names = [f"tier {k + 1}" for k in range(count)] if several(facts) \
        else ["all"]
    label = "Part of workflows that start in time, by period"
    lead = (f"A workflow is a user in a queue; it succeeds when 9 in 10 of its "
            f"jobs start within {time(facts.wanted.target)}. The target is "
            "90 % of workflows.")
    return card("Do jobs start in time?", lead, pictures.both(
        lambda width: slo_dashboard(
            found.periods, names, labels=found.labels, worst=found.worst,
            width=width), label, "objectives"))


def bands(facts: Facts) -> dict[str, Table]:
    """The queues that used most, and all others as one."""
    leaves = [leaf.path for leaf in facts.given.tree.leaves]
    samples = facts.recorded.samples if facts.recorded else \
        facts.ran.samples if facts.ran else {}
    mine = {p: samples[p] for p in leaves if p in samples}
    order = sorted(mine, key=lambda p: (-sum(mine[p]["usage"].tolist()), p))
    top = order[:BANDS]
    made = {name(p): mine[p] for p in top}
    if len(order) > BANDS:
        rows = zip(*(mine[p]["usage"].tolist() for p in order[BANDS:]))
        rest = [sum(row) for row in rows]
        times = mine[order[BANDS]]["time"].tolist()[:len(rest)]
        made[f"{len(order) - BANDS:,} others"] = Table({
            "time": convert_column(times), "usage": convert_column(rest)})
    return made


def usage(facts: Facts, pictures: Pictures) -> str:
    """What was in use."""
    if facts.recorded is None and facts.ran is None:
        return ""
    made = bands(facts)
    how = "Recorded" if facts.recorded else "Simulated"
    first = next(iter(made), "")
    lead = (f"{how}. Queue <bdi>{text(first)}</bdi> used most. The dashed line is "
            f"what the cluster has: {text(amount(facts, facts.capacity))}.")
    return card("What was in use", lead, pictures.both(
        lambda width: usage_over_time(made, facts.capacity, kind=facts.kind,
                                      unit=facts.unit, width=width),
        "Usage by queue over time, beside the capacity", "usage"))


def why_bar(said: Waited) -> str:
    """The parts of a queue's waiting time as a bar, and in words."""
    if not said.whole:
        return "nobody waited"
    parts = "".join(f'<i class="b{i}" style="width:{100 * part:.1f}%"></i>'
                    for i, part in enumerate((said.below, said.full,
                                              said.room), 1))
    spoken = (f"{words.part(said.below)} below its share, "
              f"{words.part(said.full)} at its share in a full cluster, "
              f"{words.part(said.room)} with room")
    return (f'<div class="bar" role="img" aria-label="{spoken}">{parts}</div>'
            f"{text(said.why)}")


def wait_rows(facts: Facts, rows: list[Waited]) -> str:
    """Rows of queues, with what was recorded beside what was simulated."""
    simulated = {w.path: w for w in facts.simulated_waits}
    heads = ["Queue", "Jobs", "Half waited over", "1 in 20 over", "Late"]
    if facts.recorded:
        heads += ["Simulated: 1 in 20 over"]
    heads += ["What held them, by time waited"]
    made = []
    for w in rows:
        run = simulated.get(w.path, w)
        line = [queue(w.path), f"{w.jobs:,}", time(w.p50), time(w.p95),
                words.part(w.over / w.jobs)]
        if facts.recorded:
            line.append(time(run.p95))
        made.append([*line, f'<div class="why">{why_bar(run)}</div>'])
    return table(heads, made, "Waits by queue",
                 ".nnnnn." if facts.recorded else ".nnnn.")


def waits(facts: Facts, pictures: Pictures) -> str:
    """Who waited, and why."""
    if not facts.waits:
        return ""
    rows = facts.waits
    how = ("Waits are recorded; what held them is from the replay of the same "
           "jobs, which knows all the machine's cores as one pool and so waits "
           "less." if facts.recorded and facts.cluster and
           facts.cluster.count == 1 else
           "Waits are recorded; what held them is from the replay of the same "
           "jobs." if facts.recorded else
           "The file has no starts: the replay decided who ran when.")
    key = ('<p class="key mut"><span><i class="b1"></i>below its share: others '
           'held part of it</span><span><i class="b2"></i>at its share, and the '
           'cluster full</span><span><i class="b3"></i>there was room, but not '
           "for its tasks</span></p>")
    inner = key + wait_rows(facts, rows[:WORST])
    if len(rows) > WORST:
        inner += details(more(len(rows) - WORST),
                         wait_rows(facts, rows[WORST:WORST + 40]))
    made = waits_table(facts)
    pictures.tables.append(("waits", "Waits by queue", made))
    return card("Who waited, and why", f"{how} Late: longer than "
                f"{time(facts.wanted.target)}.",
                inner + f"<p>{file_link(made, 'waits')}</p>", wide=True)


def waits_table(facts: Facts) -> Table:
    """All of it, for the appendix."""
    rows = facts.waits
    why = {w.path: w for w in facts.simulated_waits}
    return Table({
        "queue": Texts(w.path for w in rows),
        "jobs": convert_column([w.jobs for w in rows]),
        "p50_ns": convert_column([w.p50 for w in rows]),
        "p95_ns": convert_column([w.p95 for w in rows]),
        "p99_ns": convert_column([w.p99 for w in rows]),
        "late": convert_column([w.over for w in rows]),
        "simulated_p95_ns": convert_column(
            [why[w.path].p95 if w.path in why else -1 for w in rows]),
        "part_below_share": convert_column(
            [why[w.path].below if w.path in why else 0.0 for w in rows], "d"),
        "part_cluster_full": convert_column(
            [why[w.path].full if w.path in why else 0.0 for w in rows], "d")})


def tree(facts: Facts, pictures: Pictures) -> str:
    """Over and under: the icicle, on a phone a list."""
    if not facts.share:
        return ""
    over = sorted((p for p in leaves_of(facts) if facts.share[p]),
                  key=lambda p: (-facts.used[p] / facts.share[p], p))
    most = over[0] if over else ""
    lead = (f"While jobs came, {called(most)} held "
            f"{words.part(facts.used[most] / facts.share[most])} of its fair "
            "share on average; a queue may hold more than its share as long as "
            "others leave theirs." if most else "")
    wide = queue_tree(facts.given.tree, facts.share, facts.used,
                      kind=facts.kind, unit=facts.unit, width=WHOLE)
    pictures.tables.append(("tree", "Fair share and mean usage", wide.table))
    label = "Queues: width is the fair share, colour is usage over share"
    inner = pictures.svg(wide, label, "full") + leaf_list(facts, over) + \
        f"<p>{file_link(wide.table, 'tree')}</p>"
    return card("Over and under their share", lead, inner, wide=True)


def leaves_of(facts: Facts) -> list[str]:
    """The leaves' paths."""
    return [leaf.path for leaf in facts.given.tree.leaves]


def leaf_list(facts: Facts, over: list[str]) -> str:
    """The same as bars, for narrow pages."""
    colours = {c.path: c.colours[0] for c in cells(
        facts.given.tree, facts.share, facts.used)}
    items = []
    for path in over[:12]:
        ratio = facts.used[path] / facts.share[path]
        items.append(
            f"<li>{queue(path)} \u00b7 {words.part(ratio)} of "
            f"{text(amount(facts, facts.share[path]))}"
            f'<div class="bar"><i style="width:{min(100, 50 * ratio):.1f}%;'
            f'background:{colours[path]}"></i></div></li>')
    if over[12:]:
        items.append(f"<li class=mut>and {more(len(over) - 12)}, in the file "
                     "below</li>")
    return f'<ul class="leaves">{"".join(items)}</ul>'


def fairness(facts: Facts, pictures: Pictures) -> str:
    """Usage under the share, for the queue that was below it longest."""
    order = list(dict.fromkeys(s.path for s in facts.stretches))
    if facts.ran is None:
        return ""
    if not order:
        order = [w.path for w in facts.waits[:1]]
    if not order:
        return ""
    samples = facts.ran.samples
    first = order[0]
    mine = [s for s in facts.stretches if s.path == first]
    lead = (f"Queue {queue(first)} wanted more and had less than its share for "
            f"{time(sum(s.end - s.start for s in mine))} in all."
            if mine else f"Queue {queue(first)} was never kept below its share for "
            "long.")
    inner = pictures.both(
        lambda width: fair_share(samples[first], kind=facts.kind,
                                 unit=facts.unit, width=width),
        f"Usage and fair share of {name(first)}", "share")
    if order[1:]:
        inner += details(more(len(order[1:WORST])), many(
            [(p, pictures.small(lambda width, p=p: fair_share(  # type: ignore[misc]
                samples[p], kind=facts.kind, unit=facts.unit, width=width),
                f"Usage and fair share of {name(p)}")) for p in order[1:WORST]]))
    return card("Fair share and usage", lead, inner)


def many(rows: list[tuple[str, str]]) -> str:
    """Small pictures side by side."""
    inner = "".join(f"<figure><figcaption>{queue(path)}</figcaption>{svg}"
                    "</figure>" for path, svg in rows)
    return f'<div class="many">{inner}</div>'


def starved(facts: Facts, pictures: Pictures) -> str:
    """The longest stretches below a share."""
    if facts.ran is None:
        return ""
    rows = facts.stretches
    if not rows:
        return card("Longest times below a share",
                    "No queue that wanted more was below its share for over "
                    "15 min.", "")
    made = [[queue(s.path), time(s.start), time(s.end - s.start),
             text(amount(facts, s.lack)),
             queue(s.holder) if s.holder else "nobody"] for s in rows[:6]]
    whole = Table({
        "queue": Texts(s.path for s in rows),
        "start_ns": convert_column([s.start for s in rows]),
        "end_ns": convert_column([s.end for s in rows]),
        "lack": convert_column([s.lack for s in rows]),
        "most_over": Texts(s.holder for s in rows)})
    pictures.tables.append(("below-share", "Times below the share", whole))
    heads = ["Queue", "From", "For", "Lacked up to", "Most over its share"]
    return card(
        "Longest times below a share",
        f"{plural(len(rows), 'time')} a queue had less than its share for over 15 min "
        "while it wanted more.", table(heads, made, "Times below a share",
                                       ".nnn.")
        + f"<p>{file_link(whole, 'below-share')}</p>")


def schedule(facts: Facts, pictures: Pictures) -> str:
    """Which node ran what."""
    if facts.ran is None or facts.cluster is None or not len(facts.ran.tasks):
        return ""
    tasks, jobs = facts.ran.tasks, facts.given.jobs
    assert jobs is not None
    schema = facts.given.tree.schema
    kinds, k = len(schema), schema.kind(facts.kind)
    held = [count * jobs.amounts[row * kinds + k] for count, row in
            zip(tasks["count"].tolist(), tasks["job"].tolist())]
    room = [int(list(n.amount)[k])
            for n in facts.cluster.nodes for _ in range(n.count)]
    summary = Table({"tasks": convert_column([sum(tasks["count"].tolist())]),
                     "allocations": convert_column([len(tasks)]),
                     "end_ns": convert_column([facts.ran.total.end])})

    def draw(width: float) -> object:
        figure = gantt(tasks, held, room, kind=facts.kind, unit=facts.unit,
                       width=width)
        figure.table = summary
        return figure

    total = facts.ran.total
    lead = (f"Simulated: {total.jobs_finished:,} jobs and "
            f"{total.tasks_finished:,} tasks finished in "
            f"{time(total.end - total.first_submit)}"
            + (f"; {total.rejected:,} jobs can never run." if total.rejected
               else "."))
    return card("What the scheduler did", lead, pictures.both(
        draw, "Nodes over time, and what part of them was in use",
        "schedule", HALF))


def preemption(facts: Facts, pictures: Pictures) -> str:
    """Who had to go."""
    if facts.ran is None or facts.wanted.preempt == "off":
        return ""
    ran = facts.ran
    below = {p: f.below_guarantee for p, f in ran.fared.items()
             if p in set(leaves_of(facts))}
    lost = ran.lost.get(facts.kind, 0)
    hours = lost / words.scale_of(facts.unit) / 3.6e12
    lead = (f"{ran.total.notified:,} tasks were told to go, "
            f"{ran.total.killed:,} were killed, {ran.total.withdrawn:,} could "
            f"stay after all. Lost: {words.number(hours)} "
            f"{text(words.UNITS.get(facts.kind, facts.kind))} hours.")
    return card(f"Preemption by {facts.wanted.preempt}", lead, pictures.both(
        lambda width: preemption_timeline(
            ran.acts, below, begin=ran.total.first_submit, end=ran.total.end,
            width=width), "Notices, kills and withdrawals over time",
        "preemption"))


def has_jobs(facts: Facts) -> bool:
    """Are there jobs to speak of?"""
    return facts.given.mode is Mode.JOBS
