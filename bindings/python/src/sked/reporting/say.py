"""Sentences and numbers of the page, in the words of the people who read it.
Every number says whether it was recorded or simulated."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from ..pictures import limit, words
from .cluster import INVENTED, PEAK, TOLD, Spike, peak
from .facts import Facts
from .given import SECOND, Mode
from .html import called, joined, plural, queue, say, text, tile
from .numbers import exact_dot, nearest
from .states import CAUSES
from .waits import is_late
from .whatif import late_of
from .window import Window

if TYPE_CHECKING:
    from markupsafe import Markup

#: Dates further away than this (years) are not told.
FAR = 10


def amount(facts: Facts, value: float) -> str:
    """An amount of the kind looked at, as text."""
    return words.amount(facts.kind, value, facts.unit)


def time(ns: float) -> str:
    """A length of time in ns."""
    return words.span(ns / SECOND) if ns >= 0 else "\u2013"


def unit_hours(facts: Facts, value: float) -> str:
    """So many core hours (GPU hours, byte hours)."""
    unit = {"cpu": "core", "gpu": "GPU", "memory": "byte"}.get(facts.kind,
                                                            facts.kind)
    return f"{words.number(value)} {unit} hours"


def mark(good: bool, said: str) -> dict[str, object]:
    """A target that is met or missed."""
    return {"said": said, "met": good}


# ---- what is taken for granted ----


def assumptions(facts: Facts) -> list[dict[str, Any]]:
    """What a reader must know before the first number: each as text and as
    HTML, and whether it is a warning."""
    made = [about_rows(facts), about_window(facts), about_capacity(facts),
            about_tree(facts), about_starts(facts), about_part(facts)]
    if facts.given.mode is Mode.JOBS and facts.given.fidelity.get(
            "run") is not None and facts.wanted.default_run is not None:
        made.append((f"Jobs without a run time are taken to run "
                     f"{time(facts.wanted.default_run)}.", False))
    return [{"said": text(said), "plain": said, "warns": warns}
            for said, warns in made if said]


def about_rows(facts: Facts) -> tuple[str, bool]:
    """Rows that are left out."""
    given = facts.given
    left = sum(given.skipped.values())
    if not left:
        said = "The one record of the file is" if given.records == 1 else \
            f"All {given.records:,} records of the file are"
        return f"{said} used.", False
    why = "; ".join(f"{reason} ({count:,})" for reason, count in
                    sorted(given.skipped.items(), key=lambda r: (-r[1], r[0])))
    said = (f"{left:,} of {plural(given.records, 'record')} "
            f"{'is' if left == 1 else 'are'} left out of the replay: {why}.")
    return said + about_aside(facts), True


def about_aside(facts: Facts) -> str:
    """Which waits of these rows count, and how many are late."""
    notes = facts.given.notes
    if facts.recorded is None or notes is None or not len(notes.aside):
        return ""
    late = int(is_late(notes.aside.wait, facts.wanted.target).sum())
    return (f" The waits of {len(notes.aside):,} of them were recorded and "
            f"count below: {late:,} waited over {time(facts.wanted.target)}.")


def about_window(facts: Facts) -> tuple[str, bool]:
    """Which time is measured, where the file covers only part of it."""
    window = facts.window
    if window is None or not window.cut:
        return "", False
    return (f"No job of the file ends before {facts.clock.say(window.begin)}, "
            f"but {plural(window.before, 'job')} of it started earlier: it "
            "holds the jobs that ended from then on, as accounting exports do. "
            "Use, objectives, needs and the search are of the time from "
            f"{facts.clock.say(window.begin)} to "
            f"{facts.clock.say(window.end)}.", True)


def whole(facts: Facts) -> str:
    """All that there is: the kind looked at first."""
    has, schema = [amount(facts, facts.capacity)], facts.given.tree.schema
    if facts.cluster is not None:
        has += [words.amount(name, held, schema.units[k])
                for k, (name, held) in enumerate(zip(
                    schema.names, facts.cluster.capacity))
                if held and name != facts.kind]
    return ", ".join(has)


def about_capacity(facts: Facts) -> tuple[str, bool]:
    """What the cluster has, and who says so."""
    has = whole(facts)
    if facts.cluster is None:
        if facts.told:
            return f"The cluster has {has}, as --capacity says.", False
        return (f"What the cluster has is not told. {has} is the sum of what "
                "each queue used at most: tell it with --capacity.", True)
    how = facts.cluster.why
    if facts.cluster.invented:
        return (f"The cluster is invented: {plural(facts.cluster.count, 'node')}"
                f" with {has} in all, {how}. Waits and use below are of that "
                "cluster, not of yours: tell yours with --nodes or "
                "--capacity.", True)
    spike = facts.cluster.spikes.get(facts.kind)
    if facts.source == PEAK and spike is not None:
        return about_spike(facts, spike), True
    if facts.source == PEAK:
        return (f"What the cluster has is not told: {has} is {how}. It may "
                "have had more; then it was less full than this page says. "
                "Tell it with --nodes or --capacity.", True)
    peaks = [name for name, source in zip(facts.given.tree.schema.names,
                                          facts.cluster.source)
             if source == PEAK and facts.cluster.capacity[
                 facts.given.tree.schema.kind(name)]]
    rest = f" ({', '.join(peaks)}: the recorded peak)" if peaks else ""
    over = over_capacity(facts)
    return f"The cluster has {has}, {how}{rest}.{over}", bool(over)


def about_spike(facts: Facts, spike: Spike) -> str:
    """A peak that may be none."""
    said = (f"What the cluster has is not told. The most that was in use at "
            f"one time is {amount(facts, spike.peak)}, but more than "
            f"{amount(facts, spike.level)} was in use for only "
            f"{words.part(spike.part)} of the time: ")
    said += (f"rows of the file overlap there. {whole(facts)} is taken, the "
             "level at which use stands when it is high."
             if spike.taken else
             "a rare burst, or rows of the file that overlap. The peak is "
             "taken; a smaller machine would look fuller.")
    return said + " Tell what there is with --nodes or --capacity."


def over_capacity(facts: Facts) -> str:
    """Where a file has recorded more in use than there is."""
    if facts.recorded is None:
        return ""
    most = peak(facts.given)[facts.given.tree.schema.kind(facts.kind)]
    if most <= facts.capacity:
        return ""
    return (f" By the file up to {amount(facts, most)} were in use at one time, "
            "which is more: what it says of sizes or times is not exact.")


def about_tree(facts: Facts) -> tuple[str, bool]:
    """Whose shares they are."""
    if facts.wanted.tree is not None:
        return ("Weights, guarantees and limits are those of "
                f"{facts.wanted.tree.rsplit('/', 1)[-1]}.", False)
    if facts.given.mode is not Mode.JOBS:
        return "", False
    return (f"No queue tree was given: one queue for each "
            f"{facts.wanted.queue_by} that jobs name, all of equal weight, nothing "
            "guaranteed. Shares below are of that tree: tell yours with "
            "--tree.", True)


def about_starts(facts: Facts) -> tuple[str, bool]:
    """What was recorded."""
    if facts.given.mode is Mode.UNITS:
        return missing(facts), False
    if facts.given.mode is Mode.USAGE:
        return missing(facts), False
    assert facts.cluster is not None
    gang = "all tasks of a job start together" if facts.cluster.gang \
        else "tasks of a job start one by one"
    if facts.recorded is None:
        return ("The file has no starts: every wait below is simulated, and "
                f"{gang}.", False)
    return ("Waits are recorded where a number says so. Causes, shares and "
            "what would change are from a replay of the same jobs, in which "
            f"{gang}" + (" on one pool of everything, so that it waits less "
                         "than the machine did."
                         if facts.cluster.count == 1 else "."), False)


def about_part(facts: Facts) -> tuple[str, bool]:
    """Which part of a long history is replayed."""
    part = facts.part
    if part is None or part is facts.given:
        return "", False
    jobs, whole = part.jobs, facts.given.jobs
    assert jobs is not None and whole is not None
    what = "Simulated numbers, changes" if facts.replayed is part else "Changes"
    return (f"The file has {len(whole):,} jobs. {what}, sizes and growth are "
            f"of a replay of {len(jobs):,} of them, from "
            f"{facts.clock.say(int(jobs.submit[0]))} to "
            f"{facts.clock.say(int(jobs.submit[-1]))}: the stretch with most "
            "late jobs. The cluster is empty when that begins.", True)


def missing(facts: Facts) -> str:
    """What cannot be said of this file, and why."""
    if facts.given.mode is Mode.UNITS:
        why = "time units have no clock"
    else:
        why = ("the file says when something was held, not when it was asked "
               "for")
    return (f"Waits, fair shares over time, a replay and a forecast are left "
            f"out: {why}.")


# ---- tiles ----


def load(facts: Facts) -> tuple[float, str] | None:
    """What part of the capacity was in use over all that was recorded, or
    while work came in the replay; and which it is. None where all of it came
    at one instant."""
    if not facts.capacity:
        return None
    if facts.window is not None:
        return used_in(facts, facts.window) / facts.capacity, "recorded"
    if facts.ran is not None and \
            facts.ran.total.last_submit > facts.ran.total.first_submit:
        k = facts.given.tree.schema.kind(facts.kind)
        held = sum(each[k] for each in facts.states.held.values())
        return held / facts.capacity, "simulated"
    return None


def used_in(facts: Facts, window: Window) -> float:
    """What was in use on average in a window, as recorded."""
    notes, held = facts.given.notes, facts.given.held(facts.kind)
    assert notes is not None
    inside = (notes.end.clip(window.begin, window.end) -
              notes.start.clip(window.begin, window.end)).clip(0)
    return exact_dot(held, inside) / (window.end - window.begin)


def p95(facts: Facts) -> int:
    """The 95th percentile of all waits: recorded, or else simulated."""
    return nearest(facts.real[facts.real >= 0], 0.95)


def starved(facts: Facts) -> list[str]:
    """Queues that were below their share for long while they wanted more."""
    return list(dict.fromkeys(s.path for s in facts.stretches))


def several(facts: Facts) -> bool:
    """Is there more than one tier?"""
    return max(facts.tiers.values(), default=1) > 1


def counted(facts: Facts) -> str:
    """Who has objectives: users, each in each of their queues; queues where
    the file names no user; "" where there is one queue and no user."""
    if "user" in facts.given.present:
        return "users"
    return "queues" if len(facts.waits) > 1 else ""


def tile_name(facts: Facts, label: str) -> str:
    """What stands over the number of a tile."""
    who, _, tier = label.partition(" ")
    if who in ("users", "queues") and tier:
        return f"{who.capitalize()} in time" + (
            f", tier {tier}" if several(facts) else "")
    return {"in use": "In use", "late": "Late jobs", "p95": "95 % wait up to",
            "below share": "Queues below share", "growth": "Room to grow",
            "queues": "Queues", "last 1 %": "The last 1 %"}[label]


def tile_data(facts: Facts) -> list[dict[str, Any]]:
    """The numbers at the top: a number, what it is, where it comes from, and
    whether a target is met. No target is held against a cluster that does not
    exist."""
    made: list[dict[str, Any]] = []

    def add(label: str, value: float | int | None, shown: str, what: object,
            source: str, target: str = "", met: bool | None = None) -> None:
        real = facts.cluster is None or not facts.cluster.invented
        made.append({"label": label, "name": tile_name(facts, label),
                     "value": value, "shown": shown,
                     "what": text(what), "source": source,
                     "target": target if real else "",
                     "met": met if real and target else None})

    part = load(facts)
    if part is not None:
        spike = facts.cluster.spikes.get(facts.kind) if facts.cluster else None
        of = {TOLD: "", PEAK: "the sustained peak of " if spike and spike.taken
              else "the recorded peak of ",
              INVENTED: "an invented "}[facts.source]
        add("in use", part[0], words.part(part[0]),
            f"of {of}{amount(facts, facts.capacity)} in use on average",
            part[1])
    if facts.given.mode is Mode.JOBS:
        job_tiles(facts, add)
    else:
        add("queues", len(facts.needs), f"{len(facts.needs):,}",
            "queue in use" if len(facts.needs) == 1 else "queues in use",
            "recorded")
        most = max(facts.needs, key=lambda n: (n.spare, n.path), default=None)
        if most is not None:
            scale = words.scale_of(facts.unit)
            add("last 1 %", most.spare / scale, amount(facts, most.spare),
                say("would serve only the last 1 % of the time of {}",
                    queue(most.path)), "recorded")
    return made


def job_tiles(facts: Facts, add: Any) -> None:
    """Waits, users, shares, growth."""
    target = facts.wanted.target
    wait = p95(facts)
    late = late_of(facts.real, target)
    add("late", late, f"{late:,}",
        f"of {plural(len(facts.real), 'job')} waited over {time(target)}",
        facts.how)
    add("p95", wait / SECOND, time(wait), "95 % of jobs waited no longer",
        facts.how, f"target {time(target)}", 0 <= wait <= target)
    for tier in range(1, max(facts.tiers.values()) + 1):
        part = facts.goals.part(tier) if facts.goals else None
        if part is not None and counted(facts):
            who = counted(facts)
            of = who + (f" of tier {tier}" if several(facts) else "")
            each = ", counted queue by queue," if who == "users" else ""
            add(f"{who} {tier}", part, words.part(part),
                f"of {of}{each} have 9 in 10 of their jobs start in time",
                facts.how, "target 90 %", part >= 0.9)
    hungry = len(starved(facts))
    add("below share", hungry, f"{hungry:,}",
        f"{'queue' if hungry == 1 else 'queues'} kept below the share for "
        "over 15 min", "simulated", "target 0", not hungry)
    found = limit(points(facts), target / SECOND)
    value, shown = found.multiplier, f"{found.multiplier or 0:.2f}\u00d7"
    what, met = "this workload fits the target", True
    if found.exceeded:
        shown, what, met = "none", ("of the sizes of the workload that were "
                                    "tried fits the target"), False
    elif value is None:
        shown = f"over {points(facts)[-1][0]:g}\u00d7"
    else:
        met = value >= 1
        what = ("this workload fits the target" if met else
                "of this workload would fit the target: overloaded") + \
            f" ({limit_range(facts)})"
    add("growth", value, shown, what, "simulated", "target 1\u00d7", met)


def tiles(facts: Facts) -> Markup:
    """The same as HTML."""
    return joined(tile(t["name"], t["shown"], t["what"], t["source"],
                       None if t["met"] is None else
                       mark(t["met"], t["target"])) for t in tile_data(facts))


def across(facts: Facts) -> int:
    """How many tiles stand side by side on a wide page: rows of even length,
    of at most six."""
    return even_rows(len(tile_data(facts)))


def even_rows(count: int, most: int = 6) -> int:
    """Things a row, so that the last row lacks as few as can be.

    >>> [even_rows(n) for n in (1, 6, 7, 8, 9, 13)]
    [1, 6, 4, 4, 5, 5]
    """
    rows = max(1, -(-count // most))
    return max(1, -(-count // rows))


# ---- the finding that matters ----

#: A queue or a user with this part of the late jobs is named.
MOST = 0.5


def headline(facts: Facts) -> Markup:
    """One sentence: how many jobs are late, whose they are, and what helps."""
    if facts.given.mode is not Mode.JOBS:
        return needs_headline(facts)
    late, jobs = late_of(facts.real, facts.wanted.target), len(facts.real)
    target = time(facts.wanted.target)
    where = say("On an invented cluster of {}, ",
                plural(facts.cluster.count, "node")) \
        if facts.cluster is not None and facts.cluster.invented else text("")
    if not late:
        first = say("{}every job starts within {}", where, target)
    else:
        first = say("{}{} of {} ({}) waited over {}", where, f"{late:,}",
                    plural(jobs, "job"), words.part(late / jobs), target)
        first = say("{}{}", first, whose(facts, late))
    said = say("{}; {}.", first, what_helps(facts, late))
    return type(said)(str(said)[:1].upper() + str(said)[1:])


def whose(facts: Facts, late: int) -> Markup:
    """The user or the queue that most late jobs are of, where there is one."""
    names = {u.user for u in facts.users}
    user = max(facts.users, key=lambda u: u.late, default=None)
    worst = facts.waits[0] if facts.waits else None
    if user is not None and len(names) > 1 and user.late >= MOST * late:
        return say(", {} of them jobs of user <bdi>{}</bdi> in {}",
                   most_of(user.late, late), user.user, called(user.path))
    if worst is not None and len(facts.waits) > 1 and \
            worst.over >= MOST * late:
        return say(", {} of them in {}", most_of(worst.over, late),
                   called(worst.path))
    return text("")


def most_of(some: int, whole: int) -> str:
    """A large part in words that does not round up to all.

    >>> most_of(94, 100), most_of(3800, 3805), most_of(7, 7)
    ('94 %', 'nearly all', 'all')
    """
    if some == whole:
        return "all"
    part = words.part(some / whole)
    return "nearly all" if part == "100 %" else part


def what_helps(facts: Facts, late: int) -> Markup:
    """A proved change, or else how far the cluster is from its target."""
    found = facts.searched
    if late and found is not None and found.proved is not None:
        proof = found.proved
        return say("in the replay {} late become {} with one change of "
                   "settings: {}", plural(proof.all_before, "job"),
                   f"{proof.all_after:,}", proof.what)
    most = limit(points(facts), facts.wanted.target / SECOND)
    tried = points(facts)
    if most.exceeded:
        return say("even {} times this work would miss the target in the "
                   "replay", f"{tried[0][0]:g}")
    if most.multiplier is None:
        return say("the replay meets the target with up to {} times this work",
                   f"{tried[-1][0]:g}")
    if most.multiplier < 1:
        return say("the cluster is overloaded: it can do {} of this work "
                   "within the target", words.part(most.multiplier))
    return say("the replay meets the target with up to {} times this work",
               f"{most.multiplier:.2f}")


def needs_headline(facts: Facts) -> Markup:
    """Of records of usage or time units: the queue whose last per cent of time
    costs most."""
    most = max(facts.needs, key=lambda n: (n.spare, n.path), default=None)
    if most is None:
        return text("No queue is ever in use.")
    said = say("{} needs {} for 99 % of the time in which it is in use, and {} "
               "for the last 1 %.", called(most.path),
               amount(facts, most.points[4].amount),
               amount(facts, most.points[5].amount))
    return type(said)(str(said)[:1].upper() + str(said)[1:])


# ---- in short ----


def in_short(facts: Facts) -> list[Markup]:
    """What a reader takes away who reads nothing else."""
    said = []
    if facts.given.mode is Mode.JOBS:
        said += [short_waits(facts), short_why(facts), short_shares(facts)]
    said.append(short_plan(facts))
    if facts.given.mode is Mode.JOBS:
        said += [short_change(facts), short_growth(facts)]
    return [one for one in said if one]


def short_waits(facts: Facts) -> Markup:
    """Which queue has most late jobs."""
    if not facts.waits:
        return text("")
    worst = facts.waits[0]
    late = sum(w.over for w in facts.waits)
    jobs = sum(w.jobs for w in facts.waits)
    how = "Recorded" if facts.recorded else "Simulated"
    first = say("{}: {} of {} waited longer than {}.", how, f"{late:,}",
                plural(jobs, "job"), time(facts.wanted.target))
    if not late:
        return first
    return say(
        "{} Most of them in {}: {} late of {}; half of its jobs waited up to "
        "{}, 95 % up to {}.", first, called(worst.path), f"{worst.over:,}",
        f"{worst.jobs:,}", time(worst.p50), time(worst.p95))


def causes_in_all(facts: Facts) -> dict[str, float]:
    """The parts of all waiting time by cause."""
    sums = [sum(times) for times in zip(*facts.states.causes.values())]
    whole = sum(sums)
    return {c: s / whole for c, s in zip(CAUSES, sums)} if whole else {}


def short_why(facts: Facts) -> Markup:
    """What held jobs, over all queues."""
    parts = causes_in_all(facts)
    if not parts:
        return text("Simulated: no job waited.")
    said = {"limit": "a limit held them",
            "below_share": "others held part of their queue's share",
            "cluster_full": "the cluster was full, and others held nothing of "
            "their queue's share",
            "does_not_fit": "no node had enough of everything free",
            "order": "their turn, or the next heartbeat, had not come"}
    rows = sorted(parts.items(), key=lambda r: -r[1])
    return say("Simulated, of all the time that jobs waited: {}.", "; ".join(
        f"{words.part(part)} {said[cause]}" for cause, part in rows
        if part >= 0.005))


def short_shares(facts: Facts) -> Markup:
    """Who was over, who under."""
    hungry = starved(facts)
    if not hungry:
        return text("Simulated: no queue that wanted more was below its share "
                    "for over 15 min.")
    first = facts.stretches[0]
    by = say(", while {} held more than its own", called(first.holder)) \
        if first.holder else text("")
    part = in_pieces(facts)
    pieces = say(" For {} of the time below a share that much was free, but "
                 "nowhere as much at once as the oldest job needed: what is "
                 "free is in pieces.", words.part(part)) if part >= 0.1 else ""
    unit = facts.given.tree.schema.units[
        facts.given.tree.schema.kind(first.kind)]
    return say(
        "Simulated: {} kept below the share for over 15 min at a time; the "
        "longest was {} for {}, from {}, by up to {}{}.{}",
        plural(len(hungry), "queue was", "queues were"), called(first.path),
        time(first.end - first.start), facts.clock.say(first.start),
        words.amount(first.kind, first.lack, unit), by, pieces)


def in_pieces(facts: Facts, path: str = "") -> float:
    """The part of the time below a share (of one queue, or of all) in which the
    share lay free, in pieces that were too small for the oldest job."""
    states = facts.states
    paths = [path] if path else list(states.below)
    whole = sum(states.below.get(p, 0) for p in paths)
    return sum(states.pieces.get(p, 0) for p in paths) / whole if whole else 0.0


def short_plan(facts: Facts) -> Markup:
    """What the planner says."""
    advice = facts.advice
    if advice is None or not facts.needs:
        return text("")
    if advice.upper:
        return text("No thresholds keep the tiers in order; the plan is that "
                    "of their upper bounds.")
    parts = [p / 1_000_000 for p in advice.tiers.threshold_ppm]
    said = " / ".join(words.part(p) for p in parts)
    tail = " (by tier)" if len(parts) > 1 else ""
    if advice.tiers.outcome:
        return say("No plan by percentiles fits: what is enough for the least "
                   "part of each queue's time comes to {} of {}.",
                   amount(facts, advice.tiers.smallest),
                   amount(facts, facts.capacity))
    return say("What is enough for {} of each queue's time in use{} comes to "
               "{} of {}.", said, tail, amount(facts, advice.tiers.allocated),
               amount(facts, facts.capacity))


def short_change(facts: Facts) -> Markup:
    """What was searched and proved."""
    found = facts.searched
    if found is None:
        return text("")
    if found.proved is None:
        return say("<strong>Keep the settings that you have:</strong> {}.",
                   found.why)
    proof = found.proved
    return say(
        "<strong>Change this: {}.</strong> In the part of the history that the "
        "search had not seen, {} late before, {} after (replays of the same "
        "jobs); it wins on {} of resampled histories.", proof.what,
        plural(proof.late_before, "job was", "jobs were"),
        f"{proof.late_after:,}", words.part(proof.sure))


def points(facts: Facts) -> list[tuple[float, float]]:
    """Multipliers and delays in seconds."""
    return [(float(p.multiplier), max(0, p.p95) / SECOND)
            for p in facts.growth]


def limits(facts: Facts) -> tuple[float | None, float | None]:
    """The least and the greatest limit that the draws allow: where the longest
    delays reach the target, and where the shortest do. None: below, or beyond,
    all that was tried."""
    target = facts.wanted.target / SECOND
    return tuple(limit([(float(p.multiplier), max(0, ns) / SECOND)  # type: ignore[return-value]
                        for p, ns in zip(facts.growth, side)],
                       target).multiplier for side in (
        [p.most for p in facts.growth], [p.least for p in facts.growth]))


def limit_range(facts: Facts) -> str:
    """The same in words: of how many draws, and how far apart they are."""
    seeds = max((p.seeds for p in facts.growth), default=1)
    if seeds < 2:
        return "one draw, so its range is not known"
    low, high = limits(facts)
    tried = points(facts)
    one = f"{low:.2f}\u00d7" if low is not None else \
        f"below {tried[0][0]:g}\u00d7"
    two = f"{high:.2f}\u00d7" if high is not None else \
        f"over {tried[-1][0]:g}\u00d7"
    return f"{seeds} draws: {one} to {two}"


def years_left(facts: Facts) -> float | None:
    """In how many years growth reaches the limit; None where nothing says."""
    found = limit(points(facts), facts.wanted.target / SECOND)
    if not found.multiplier or found.multiplier < 1 or not facts.yearly or \
            facts.yearly <= 0:
        return None
    return math.log(found.multiplier) / math.log(1 + facts.yearly)


def reached(facts: Facts) -> datetime | None:
    """When that is, where times are dates and it is not too far."""
    years, jobs = years_left(facts), facts.given.jobs
    last = facts.clock.date(jobs.submit[-1]) if jobs is not None else None
    if years is None or last is None or years > FAR:
        return None
    return last + timedelta(days=365.25 * years)


def short_growth(facts: Facts) -> Markup:
    """How far this cluster goes."""
    found = limit(points(facts), facts.wanted.target / SECOND)
    goal = f"95 % of jobs starting within {time(facts.wanted.target)}"
    if found.exceeded:
        return say("Simulated: even {} times the workload does not see {}.",
                   f"{points(facts)[0][0]:g}", goal)
    if found.multiplier is None:
        return say("Simulated: the cluster takes {} times the workload with "
                   "{}.", f"{points(facts)[-1][0]:g}", goal)
    if found.multiplier < 1:
        return say("Simulated: the cluster is overloaded. {} times this "
                   "workload is what it takes with {} ({}).",
                   f"{found.multiplier:.2f}", goal, limit_range(facts))
    return say("Simulated: the cluster takes {} times this workload with "
               "{} ({}).{}", f"{found.multiplier:.2f}", goal,
               limit_range(facts), growth_date(facts))


def growth_date(facts: Facts) -> str:
    """When that will be."""
    when, years = reached(facts), years_left(facts)
    if facts.yearly is None:
        return ""
    said = "as --growth says" if facts.wanted.growth is not None else \
        "as the weeks of this history say, a rough guess"
    rate = f"{100 * facts.yearly:+.0f} % a year, {said}".replace(
        "-", "\u2212", 1)
    if facts.yearly <= 0:
        return f" It does not grow: {rate}."
    if years is None or years > FAR:
        return f" With growth of {rate}, no date within {FAR} years."
    if when is None:
        return f" With growth of {rate}, that is reached in {years:.1f} years."
    return f" With growth of {rate}, that is reached in {when:%B %Y}."


__all__ = ["across", "amount", "assumptions", "counted", "headline",
           "in_pieces", "in_short", "limit", "limits", "mark", "missing", "points",
           "reached", "several", "tile_data", "tiles", "time"]
