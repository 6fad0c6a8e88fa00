"""Sentences and numbers of the page, in the words of the people who read it."""

from __future__ import annotations

from ..pictures import limit, words
from .facts import Facts
from .given import SECOND, Mode
from .html import called, plural, queue, text
from .runs import nearest
from .whatif import late_of


def amount(facts: Facts, value: float) -> str:
    """An amount of the kind looked at, as text."""
    return words.amount(facts.kind, value, facts.unit)


def parted(facts: Facts, value: float) -> tuple[str, str]:
    """The same as a number and its unit."""
    number, _, unit = amount(facts, value).partition(" ")
    return text(number), text(unit)


def time(ns: float) -> str:
    """A length of time in ns."""
    return words.span(ns / SECOND) if ns >= 0 else "\u2013"


def mark(good: bool, said: str) -> str:
    """A target that is met or missed, by sign, word and colour."""
    word = "met" if good else "missed"
    return f'<span class="mark {"good" if good else "bad"}">{said}: {word}</span>'


def tile(number: str, what: str, more: str = "") -> str:
    """One number."""
    return f"<li><b>{number}</b><span>{what}</span>{more}</li>"


def load(facts: Facts) -> float | None:
    """What part of the capacity was in use while work came (simulated), or
    over all that was recorded."""
    if not facts.capacity:
        return None
    if facts.recorded is not None:
        span = facts.recorded.end - facts.recorded.begin
        return sum(facts.recorded.work.values()) / span / facts.capacity
    if facts.ran is not None:
        return facts.used[facts.given.tree.root.path] / facts.capacity
    return None


def p95(facts: Facts) -> int:
    """The 95th percentile of all waits: recorded, or else simulated."""
    if facts.recorded is not None:
        return nearest(facts.recorded.waits, 0.95)
    return facts.ran.total.delay.p95 if facts.ran else -1


def starved(facts: Facts) -> list[str]:
    """Queues that were below their share for long while they wanted more."""
    return list(dict.fromkeys(s.path for s in facts.stretches))


def tiles(facts: Facts) -> str:
    """The numbers at the top, each with its target where it has one."""
    made = []
    part = load(facts)
    if part is not None:
        made.append(tile(words.part(part), f"of {amount(facts, facts.capacity)}"
                         " in use on average"))
    target = facts.wanted.target
    if facts.given.mode is Mode.JOBS:
        wait = p95(facts)
        made.append(tile(time(wait), "95 % of jobs waited no longer",
                         mark(0 <= wait <= target, f"target {time(target)}")))
        made.extend(goal_tiles(facts))
        hungry = len(starved(facts))
        made.append(tile(f"{hungry:,}", "queues kept below their share for "
                         "over 15 min", mark(not hungry, "target 0")))
        made.append(growth_tile(facts))
    else:
        made.append(tile(f"{len(facts.needs):,}", "queues in use"))
        most = max(facts.needs, key=lambda n: (n.spare, n.path), default=None)
        if most is not None:
            number, unit = parted(facts, most.spare)
            made.append(tile(number, f"{unit} would serve only the last 1 % of the time of "
                             f"{queue(most.path)}"))
    if facts.advice is not None:
        number, unit = parted(facts, facts.advice.tiers.allocated)
        made.append(tile(number, f"{unit} advised for all queues together"))
    return f'<ul class="tiles">{"".join(made)}</ul>'


def goal_tiles(facts: Facts) -> list[str]:
    """Objectives of the first tiers."""
    if facts.goals is None:
        return []
    made = []
    for tier in range(1, min(2, max(facts.tiers.values())) + 1):
        part = facts.goals.part(tier)
        if part is not None:
            called = f"tier {tier} workflows" if several(facts) else "workflows"
            made.append(tile(words.part(part), f"of {called} start in time",
                             mark(part >= 0.9, "target 90 %")))
    return made


def several(facts: Facts) -> bool:
    """Is there more than one tier?"""
    return max(facts.tiers.values(), default=1) > 1


def growth_tile(facts: Facts) -> str:
    """How far it can grow."""
    found = limit(facts.growth, facts.wanted.target / SECOND)
    if found.exceeded:
        return tile("none", "room to grow: waits are over the target at every "
                    "size tried")
    if found.multiplier is None:
        return tile(f"over {facts.growth[-1][0]:g}\u00d7",
                    "this workload fits the target, in the replay")
    return tile(f"{found.multiplier:.2f}\u00d7",
                "this workload fits the target, in the replay",
                mark(found.multiplier >= 1, "target 1\u00d7"))


# ---- in short ----


def in_short(facts: Facts) -> list[str]:
    """What a reader takes away who reads nothing else, as HTML."""
    said = []
    if facts.given.mode is Mode.JOBS:
        said += [short_waits(facts), short_shares(facts)]
    said.append(short_plan(facts))
    if facts.given.mode is Mode.JOBS:
        said += [short_change(facts), short_tried(facts), short_growth(facts)]
    else:
        said.append(missing(facts))
    return [one for one in said if one]


def missing(facts: Facts) -> str:
    """What cannot be said of this file, and why."""
    if facts.given.mode is Mode.UNITS:
        why = "time units have no clock"
    else:
        why = ("the file says when something was held, not when it was asked "
               "for")
    return (f"Waits, fair shares over time, a replay and a forecast are left "
            f"out: {why}.")


def short_waits(facts: Facts) -> str:
    """Who waited longest."""
    if not facts.waits:
        return ""
    worst = facts.waits[0]
    late = sum(w.over for w in facts.waits)
    jobs = sum(w.jobs for w in facts.waits)
    how = "recorded" if facts.recorded else "simulated"
    first = (f"{late:,} of {jobs:,} jobs waited longer than "
             f"{time(facts.wanted.target)} ({how}).")
    if not late:
        return first
    return (f"{first} The longest in {called(worst.path)}: half of its "
            f"{worst.jobs:,} jobs waited over {time(worst.p50)}, one in twenty "
            f"over {time(worst.p95)}.")


def short_shares(facts: Facts) -> str:
    """Who was over, who under."""
    hungry = starved(facts)
    if not hungry:
        return "No queue that wanted more was kept below its share for long."
    first = facts.stretches[0]
    by = f", while {called(first.holder)} held more than its own" \
        if first.holder else ""
    were = "was" if len(hungry) == 1 else "were"
    return (f"{plural(len(hungry), 'queue')} {were} kept below the fair share "
            f"for over 15 min at a time; {called(first.path)} for {time(first.end - first.start)} on end, "
            f"by up to {text(amount(facts, first.lack))}{by}.")


def short_plan(facts: Facts) -> str:
    """What the planner says."""
    advice = facts.advice
    if advice is None or not facts.needs:
        return ""
    if advice.upper:
        return ("No thresholds keep the tiers in order; allocations are those "
                "of their upper bounds.")
    parts = [p / 1_000_000 for p in advice.tiers.threshold_ppm]
    said = " / ".join(words.part(p) for p in parts)
    tail = " (by tier)" if len(parts) > 1 else ""
    if advice.tiers.outcome:
        return (f"Even the least thresholds need "
                f"{text(amount(facts, advice.tiers.smallest))}: more than "
                "there is.")
    return (f"What is enough for {said} of each queue's time in use{tail} comes "
            f"to {text(amount(facts, advice.tiers.allocated))} of "
            f"{text(amount(facts, facts.capacity))}.")


def short_change(facts: Facts) -> str:
    """What the simulation says of the advice."""
    if facts.after is None:
        return ""
    return f"<strong>{verdict(facts)[1]}</strong>"


def verdict(facts: Facts) -> tuple[bool, str]:
    """Is the advice worth taking, by the replay: fewer jobs late, or as many
    and the 95th percentile no longer."""
    assert facts.ran is not None and facts.after is not None
    target = facts.wanted.target
    before = late_of(facts.ran.delays, target)
    after = late_of(facts.after.delays, target)
    waits = (f"{before:,} jobs late before, {after:,} after; 95 % of jobs "
             f"waited up to {time(facts.ran.total.delay.p95)} before, "
             f"{time(facts.after.total.delay.p95)} after")
    slower = facts.after.total.delay.p95 > facts.ran.total.delay.p95
    if after < before and not slower:
        return True, f"The replay speaks for the proposed weights: {waits}."
    if after == before and \
            facts.after.total.delay.p95 == facts.ran.total.delay.p95:
        return True, f"The replay sees no difference: {waits}."
    if after < before or not slower:
        return False, f"The replay is divided about the proposed weights: {waits}."
    return False, f"The replay speaks against the proposed weights: {waits}."


def short_tried(facts: Facts) -> str:
    """The change that helps most."""
    if len(facts.tried) < 2 or not facts.tried[0].late:
        return ""
    now = facts.tried[0]
    best = min(facts.tried[1:], key=lambda t: (t.late, t.p95))
    if best.late >= now.late:
        return "None of the changes tried makes fewer jobs late."
    killed = f", with {best.killed:,} tasks killed" if best.killed else ""
    said = (f"Of the changes tried one by one, most comes of <em>{best.what}</em>: "
            f"{now.late:,} jobs late now, {best.late:,} then{killed}.")
    free = [t for t in facts.tried[1:] if not t.killed and "more" not in t.what]
    cheap = min(free, key=lambda t: (t.late, t.p95), default=best)
    if cheap is not best and cheap.late < now.late:
        said += (f" Without more machines and kills: <em>{cheap.what}</em>, "
                 f"{cheap.late:,} late.")
    return said


def short_growth(facts: Facts) -> str:
    """How far this cluster goes."""
    found = limit(facts.growth, facts.wanted.target / SECOND)
    goal = f"95 % of jobs starting within {time(facts.wanted.target)}"
    if found.exceeded:
        return (f"Even {facts.growth[0][0]:g} times the workload does not see "
                f"{goal}.")
    if found.multiplier is None:
        return (f"In the replay the cluster takes {facts.growth[-1][0]:g} times the "
                f"workload with {goal}.")
    return (f"In the replay the cluster takes {found.multiplier:.2f} times this "
            f"workload with {goal}.")
