"""The cards of a page: what happened, who waited, who was over and under."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..columns import Table, Texts, convert_column
from ..pictures import (fair_share, gantt, preemption_timeline, queue_length,
                        queue_tree, slo_dashboard, usage_over_time,
                        wait_lengths, words)
from ..pictures.icicle import cells
from . import waits as waiting
from .cluster import INVENTED, PEAK
from .decide import IDLE, idle_nodes
from .facts import Facts
from .given import SECOND
from .html import (HALF, WHOLE, Pictures, bar, called, card, details, file_link,
                   joined, keys, level, more, name, plural, queue, say,
                   table, text)
from .numbers import column, thinned
from .numbers import steps as step_function
from .say import amount, counted, in_pieces, several, time, unit_hours
from .states import CAUSES, PATIENCE
from .waits import OfUser, Waited

if TYPE_CHECKING:
    from markupsafe import Markup

WORST = 10
#: Queues of a folded list; all are in the file beside it.
LISTED = 60
BANDS = 5
#: What stands beside the colours of a bar of causes, and in it.
KEYS = {"limit": "at a limit", "below_share": "others held part of its share",
        "cluster_full": "the cluster full",
        "does_not_fit": "no node had enough free",
        "order": "order or heartbeat"}


def goals(facts: Facts, pictures: Pictures) -> Markup:
    """Objectives by tier."""
    found, users = facts.goals, "user" in facts.given.present
    if found is None or not counted(facts):
        return text("")
    count = max(facts.tiers.values())
    names = [f"tier {k + 1}" for k in range(count)] if several(facts) \
        else ["all"]
    lead = (f"{facts.how.capitalize()}. "
            f"{'A user' if users else 'A queue'}'s jobs "
            f"{'in a queue ' if users else ''}are in time when 9 in 10 of "
            f"them start within {time(facts.wanted.target)}; the target is "
            f"that 90 % of {'users' if users else 'queues'} have that."
            + (" A user of two queues counts in each." if users else ""))
    return card("Do jobs start in time?", lead, pictures.both(
        lambda width: slo_dashboard(
            found.periods, names, labels=found.labels, worst=found.worst,
            noun="user" if users else "queue", runs="job", width=width),
        f"Part of {'users' if users else 'queues'} whose jobs start in time, by period ({facts.how})",
        "objectives"))


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


def capacity_words(facts: Facts) -> str:
    """What the line above the usage is."""
    spike = facts.cluster.spikes.get(facts.kind) if facts.cluster else None
    return {PEAK: "sustained peak" if spike and spike.taken else
            "recorded peak", INVENTED: "invented"}.get(facts.source,
                                                           "capacity")


def usage(facts: Facts, pictures: Pictures) -> Markup:
    """What was in use."""
    if facts.recorded is None and facts.ran is None:
        return text("")
    made = bands(facts)
    how = "Recorded" if facts.recorded else "Simulated"
    used = say(" Queue <bdi>{}</bdi> used most.", next(iter(made))) if made \
        else ""
    begin = facts.recorded.begin if facts.recorded else facts.clock.begin
    spike = facts.cluster.spikes.get(facts.kind) if facts.cluster else None
    line = {PEAK: "the level at which use stands when it is high"
            if spike and spike.taken else "the most that was in use at one time",
            INVENTED: "what the invented cluster has"}.get(
                facts.source, "what the cluster has")
    lead = say("{}.{} The dashed line is {}: {}.", how, used, line,
               amount(facts, facts.capacity))
    return card("What was in use", lead, pictures.both(
        lambda width: usage_over_time(
            made, facts.capacity, kind=facts.kind, unit=facts.unit,
            start=facts.clock.date(begin), called=capacity_words(facts),
            width=width),
        f"Usage by queue over time, beside the capacity ({how.lower()})",
        "usage"))


def why_bar(said: Waited) -> Markup:
    """The parts of a queue's waiting time as a bar, and in words."""
    if not said.causes:
        return text(said.why)
    spoken = ", ".join(f"{words.part(said.causes.get(c, 0.0))} {KEYS[c]}"
                       for c in CAUSES if said.causes.get(c, 0.0) >= 0.005)
    return say('<div class="why">{}{}</div>', bar(
        [(f"b{i}", said.causes.get(c, 0.0)) for i, c in enumerate(CAUSES)],
        spoken), spoken)


def wait_rows(facts: Facts, rows: Sequence[Waited]) -> Markup:
    """Rows of queues, with what was recorded beside what was simulated."""
    simulated = {w.path: w for w in facts.simulated_waits}
    both = facts.recorded is not None
    how = "Recorded: " if both else "Simulated: "
    heads = ["Queue", "Jobs", how + "late", "half waited up to",
             "95 % waited up to"]
    if both:
        heads += ["Simulated: late", "95 % waited up to"]
    heads += ["What held them, by time waited (simulated)"]
    made = []
    for w in rows:
        run = simulated.get(w.path, w)
        row = [queue(w.path), f"{w.jobs:,}", late(w), time(w.p50), time(w.p95)]
        if both:
            row += [late(run), time(run.p95)]
        made.append([*row, why_bar(run)])
    return table(heads, made, "Waits by queue",
                 ".nnnnnn." if both else ".nnnn.")


def late(said: Waited) -> str:
    """Late jobs, and which part of all they are."""
    return f"{said.over:,} ({words.part(said.over / said.jobs)})"


def waits(facts: Facts, pictures: Pictures) -> Markup:
    """Who waited, and why."""
    if not facts.waits:
        return text("")
    rows = facts.waits
    inner = [keys([(f"b{i}", KEYS[c]) for i, c in enumerate(CAUSES)]),
             wait_rows(facts, rows[:WORST])]
    if len(rows) > WORST:
        inner.append(details(more(len(rows) - WORST),
                             wait_rows(facts, rows[WORST:WORST + 40])))
    made = waits_table(facts)
    pictures.tables.append(("waits", "Waits by queue", made))
    return card(
        "Who waited, and why", "Late: longer than "
        f"{time(facts.wanted.target)}, or never started. The most late jobs "
        "first. Causes are those of the oldest job that waits in the queue, "
        "for as long as each held in the replay, counting every kind of "
        "resource; a share in them is the instantaneous one.", joined((*inner, file_link(made, "waits"))), wide=True)


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
        "simulated_late": convert_column(
            [why[w.path].over if w.path in why else -1 for w in rows]),
        **{f"part_{c}": convert_column(
            [why[w.path].causes.get(c, 0.0) if w.path in why else 0.0
             for w in rows], "d") for c in CAUSES}})


def line(facts: Facts, pictures: Pictures) -> Markup:
    """How many jobs waited, over time."""
    if facts.ran is None:
        return text("")
    steps, jobs = facts.states.line, facts.given.jobs
    assert jobs is not None
    last = jobs.submit[-1]
    if facts.recorded is not None and facts.seen is not None:
        steps = recorded_line(facts.seen.submit, facts.seen.wait)
    begin = facts.clock.begin
    most = max(steps, key=lambda s: s[1], default=(begin, 0))
    lead = (f"{facts.how.capitalize()}. At most "
            f"{plural(most[1], 'job waited', 'jobs waited')} at one time: "
            f"{facts.clock.say(most[0])}.")
    return card("How many jobs waited", lead, pictures.both(
        lambda width: queue_length(steps, begin=begin, end=last,
                                   start=facts.clock.start, width=width),
        f"Jobs that wait, over time ({facts.how})", "line"))


def recorded_line(submit: Any, waits: Any) -> list[tuple[int, int]]:
    """How many jobs had come and not started, as recorded."""
    time, held = thinned(*step_function(submit, submit + waits,
                                        (waits > 0).astype("int64")))
    return list(zip(time.tolist(), held.tolist()))


def lengths(facts: Facts, pictures: Pictures) -> Markup:
    """How long jobs wait."""
    if facts.ran is None:
        return text("")
    names = [f"up to {words.span(e)}" for e in waiting.LENGTHS]
    names += [f"over {words.span(waiting.LENGTHS[-1])}", "never started"]
    counts = {"simulated": waiting.lengths(facts.ran.delays)}
    if facts.recorded is not None:
        counts = {"recorded": waiting.lengths(facts.real), **counts}
    used = [i for i in range(len(names)) if any(c[i] for c in counts.values())]
    shown = range(max(used, default=0) + 1)
    names = [names[i] for i in shown]
    counts = {kind: [c[i] for i in shown] for kind, c in counts.items()}
    at_once = counts[facts.how][0] / max(1, sum(counts[facts.how]))
    return card("How long jobs waited",
                f"{facts.how.capitalize()}: {words.part(at_once)} of jobs "
                "waited a second at most. Each bar is a part of all jobs.",
                pictures.both(lambda width: wait_lengths(
                    counts, names, width=width), "Jobs by how long they waited",
                    "lengths"))


def users(facts: Facts, pictures: Pictures) -> Markup:
    """Who they are: the users with most late jobs, queue by queue."""
    rows = facts.users
    if len({u.user for u in rows}) < 2:
        return text("")
    made = Table({
        "queue": Texts(u.path for u in rows), "user": Texts(u.user for u in rows),
        "jobs": convert_column([u.jobs for u in rows]),
        "late": convert_column([u.late for u in rows]),
        "p50_ns": convert_column([u.p50 for u in rows]),
        "p95_ns": convert_column([u.p95 for u in rows]),
        "part_of_work": convert_column(work_parts(rows), "d")})
    pictures.tables.append(("users", "Users by queue", made))
    parts = dict(zip(((u.path, u.user) for u in rows), work_parts(rows)))
    worst = [w.path for w in facts.waits[:3] if w.over]
    inner = [user_rows(rows[:WORST], parts, True)]
    for path in worst:
        mine = [u for u in rows if u.path == path]
        inner.append(details(f"Users of {name(path)} ({len(mine):,})",
                             user_rows(mine[:40], parts, False)))
    return card("Whose jobs were late",
                f"{facts.how.capitalize()}. Users of queues, the most late "
                "jobs first; work is run time times the "
                f"{words.UNITS.get(facts.kind) or facts.kind} asked for.",
                joined((*inner, file_link(made, "users"))), wide=True)


def work_parts(rows: Sequence[OfUser]) -> list[float]:
    """Each one's part of all work."""
    whole = sum(u.work for u in rows) or 1
    return [u.work / whole for u in rows]


def user_rows(rows: Sequence[OfUser], parts: dict[tuple[str, str], float],
              queues: bool) -> Markup:
    """A table of them."""
    heads = ["User", *(["Queue"] if queues else []), "Jobs", "Late",
             "Half waited up to", "95 % waited up to", "Part of all work"]
    made = [[say("<bdi>{}</bdi>", u.user), *([queue(u.path)] if queues else []),
             f"{u.jobs:,}", f"{u.late:,}", time(u.p50), time(u.p95),
             words.part(parts[u.path, u.user])] for u in rows]
    return table(heads, made, "Users", "..nnnnn" if queues else ".nnnnn")


def tree(facts: Facts, pictures: Pictures) -> Markup:
    """Over and under: the icicle, on a phone a list."""
    if not facts.share:
        return text("")
    over = sorted((p for p in leaves_of(facts) if facts.share[p]),
                  key=lambda p: (-facts.used[p] / facts.share[p], p))
    most = over[0] if over else ""
    lead = say(
        "Simulated. While jobs came, {} held {} of its steady fair share on "
        "average. The steady share is what a queue is due when every queue has "
        "work; a queue may hold more as long as others leave theirs.",
        called(most), words.part(facts.used[most] / facts.share[most])) \
        if most else "Simulated."
    wide = queue_tree(facts.given.tree, facts.share, facts.used,
                      kind=facts.kind, unit=facts.unit,
                      called="steady fair share", width=WHOLE)
    pictures.tables.append(("tree", "Fair share and mean usage", wide.table))
    label = ("Queues: width is the steady fair share, colour is usage over "
             "that share")
    return card("Over and under their share", lead, joined((
        pictures.svg(wide, label, "full"), leaf_list(facts, over),
        details(f"{plural(len(over), 'queue')} as a list",
                leaf_table(facts, over[:LISTED])),
        file_link(wide.table, "tree"))), wide=True)


def leaf_table(facts: Facts, over: list[str]) -> Markup:
    """The same in words: a cell of the picture may be too narrow for them."""
    return table(
        ["Queue", "Steady share", "Held on average", "of its share"],
        [[queue(p), amount(facts, facts.share[p]),
          amount(facts, facts.used[p]),
          words.part(facts.used[p] / facts.share[p])] for p in over],
        "Queues over and under their share", ".nnn")


def leaves_of(facts: Facts) -> list[str]:
    """The leaves' paths."""
    return [leaf.path for leaf in facts.given.tree.leaves]


def leaf_list(facts: Facts, over: list[str]) -> Markup:
    """The same as bars, for narrow pages."""
    colours = {c.path: c.colours[0] for c in cells(
        facts.given.tree, facts.share, facts.used)}
    rows: list[object] = []
    for path in over[:12]:
        ratio = facts.used[path] / facts.share[path]
        rows.append(level(path, f"{words.part(ratio)} of "
                          f"{amount(facts, facts.share[path])}", colours[path],
                          min(100, 50 * ratio)))
    if over[12:]:
        rows.append(say('<li class="mut">and {}, in the file below</li>',
                        more(len(over) - 12)))
    return say('<ul class="leaves">{}</ul>', joined(rows))


def fairness(facts: Facts, pictures: Pictures) -> Markup:
    """Usage under the share, for the queue that was below it longest."""
    order = list(dict.fromkeys(s.path for s in facts.stretches))
    if facts.ran is None:
        return text("")
    if not order:
        order = [w.path for w in facts.simulated_waits[:1]]
    if not order:
        return text("")
    samples, begin = facts.ran.samples, facts.ran.total.first_submit
    below: dict[str, list[tuple[int, int]]] = {p: [] for p in order}
    for s in facts.stretches:
        below[s.path].append((s.start - begin, s.end - begin))
    first = order[0]
    whole = facts.states.below.get(first, 0)
    lead = say("Simulated. {} wanted more and had less than its instantaneous "
               "share for {} in all, of which {} in stretches over {} "
               "(marked).{} The instantaneous share is what the queue is due "
               "at that moment, when only queues with work count: it moves, "
               "and is at least the steady share.",
               say("Queue {}", queue(first)), time(whole),
               time(sum(b - a for a, b in below[first])),
               time(PATIENCE), other_kind(facts)) if below[first] else say(
        "Simulated. {} was never below its instantaneous share (what it is due "
        "when only queues with work count) for over {} while it wanted "
        "more.", say("Queue {}", queue(first)), time(PATIENCE))

    def draw(path: str, width: float) -> object:
        return fair_share(samples[path], kind=facts.kind, unit=facts.unit,
                          below=below[path], start=facts.clock.date(begin),
                          called="instantaneous share", width=width)

    parts = [pictures.both(lambda width: draw(first, width),
                           f"Usage and fair share of {name(first)}", "share")]
    if order[1:]:
        parts.append(details(more(len(order[1:WORST])), pictures.many(
            [(p, pictures.small(lambda width, p=p: draw(p, width),  # type: ignore[misc]
                                f"Usage and fair share of {name(p)}"))
             for p in order[1:WORST]])))
    return card("Fair share and usage", lead, joined(parts))


def other_kind(facts: Facts) -> str:
    """Where the longest stretch is of another kind than the picture."""
    lacked, shown = (words.UNITS.get(kind) or "memory" for kind in (
        facts.stretches[0].kind, facts.kind))
    return "" if lacked == shown else \
        f" It lacked {lacked}; the picture shows {shown}."


def starved(facts: Facts, pictures: Pictures) -> Markup:
    """The longest stretches below a share."""
    if facts.ran is None:
        return text("")
    rows = facts.stretches
    if not rows:
        return card("Longest times below a share",
                    "Simulated. No queue that wanted more was below its "
                    f"instantaneous share for over {time(PATIENCE)}.",
                    wide=True)
    schema = facts.given.tree.schema

    def lack(kind: str, value: int) -> str:
        return words.amount(kind, value, schema.units[schema.kind(kind)])

    made = [[queue(s.path), facts.clock.say(s.start), time(s.end - s.start),
             lack(s.kind, s.lack), queue(s.holder) if s.holder else "none",
             words.part(in_pieces(facts, s.path))] for s in rows[:6]]
    whole = Table({
        "queue": Texts(s.path for s in rows),
        "start_ns": convert_column([s.start for s in rows]),
        "end_ns": convert_column([s.end for s in rows]),
        "kind": Texts(s.kind for s in rows),
        "lack": convert_column([s.lack for s in rows]),
        "most_over": Texts(s.holder for s in rows)})
    pictures.tables.append(("below-share", "Times below the share", whole))
    heads = ["Queue", "From", "For", "Lacked up to", "Most over its share",
             "Free in pieces"]
    return card(
        "Longest times below a share",
        f"Simulated, to the nanosecond. {plural(len(rows), 'time')} a queue "
        f"had less than its instantaneous share of what it holds most of for "
        f"over {time(PATIENCE)} while it wanted more; that share counts only "
        "queues that have work. Free in pieces: the part of "
        "the queue's time below its share in which that share lay free, but "
        "nowhere as much at once as its oldest job needs.",
        joined((table(heads, made, "Times below a share", "..nn.n"),
                file_link(whole, "below-share"))), wide=True)


def schedule(facts: Facts, pictures: Pictures) -> Markup:
    """Which node ran what."""
    if facts.ran is None or facts.cluster is None or not len(facts.ran.tasks):
        return text("")
    assert facts.replayed is not None
    tasks, jobs = facts.ran.tasks, facts.replayed.jobs
    assert jobs is not None
    schema = facts.given.tree.schema
    kinds, k = len(schema), schema.kind(facts.kind)
    held = (column(tasks["count"]) * column(jobs.amounts).reshape(
        -1, kinds)[column(tasks["job"]), k]).tolist()
    capacity = [int(list(n.amount)[k])
            for n in facts.cluster.nodes for _ in range(n.count)]
    summary = Table({"tasks": convert_column([sum(tasks["count"].tolist())]),
                     "allocations": convert_column([len(tasks)]),
                     "end_ns": convert_column([facts.ran.total.end])})

    def draw(width: float) -> object:
        figure = gantt(tasks, held, capacity, kind=facts.kind, unit=facts.unit,
                       start=facts.clock.date(int(min(tasks["start"].tolist()))),
                       width=width)
        figure.table = summary
        return figure

    total = facts.ran.total
    lead = (f"Simulated: {plural(total.jobs_finished, 'job')} and "
            f"{plural(total.tasks_finished, 'task')} finished in "
            f"{time(total.end - total.first_submit)}"
            + (f"; {plural(total.rejected, 'job')} can never run."
               if total.rejected else "."))
    idle = idle_nodes(facts)
    if facts.cluster.count > 1 and idle:
        lead += (f" For {words.part(IDLE)} of that time at least "
                 f"{plural(idle, 'node')} of {facts.cluster.count:,} ran "
                 "nothing and could be off.")
    return card("What the scheduler did", lead, pictures.both(
        draw, "Nodes over time, and what part of them was in use (simulated)",
        "schedule", HALF))


def preemption(facts: Facts, pictures: Pictures) -> Markup:
    """What had to go."""
    if facts.ran is None or facts.wanted.preempt == "off":
        return text("")
    ran = facts.ran
    below = {p: f.below_guarantee for p, f in ran.fared.items()
             if p in set(leaves_of(facts))}
    hours = ran.lost.get(facts.kind, 0) / words.scale_of(facts.unit) / (
        3600 * SECOND)
    lead = (f"Simulated. {plural(ran.total.notified, 'task was', 'tasks were')}"
            f" told to go, {ran.total.killed:,} killed, "
            f"{ran.total.withdrawn:,} could stay after all. Lost: "
            f"{unit_hours(facts, hours)}.")
    return card(f"Preemption by {facts.wanted.preempt}", lead, pictures.both(
        lambda width: preemption_timeline(
            ran.acts, below, begin=ran.total.first_submit, end=ran.total.end,
            width=width), "Notices, kills and withdrawals over time",
        "preemption"))
