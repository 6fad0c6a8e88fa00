"""What to do, in order: what costs nothing before what costs work, and that
before what costs machines; of alike costs what brings most first. Only what a
replay has shown to bring something stands here.

More machines are a decision only if the gain is worth the cost: each per cent
of machines must make a per cent of the late jobs start in time."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..pictures import words
from .facts import Facts
from .given import SECOND
from .html import plural, queue, say
from .say import unit_hours
from .whatif import Tried

if TYPE_CHECKING:
    from markupsafe import Markup

#: A number of nodes that ran nothing for so much of the time could be off.
IDLE = 0.95
#: The part of late jobs that start in time, over the part of machines that is
#: added: a size with less is not worth its cost.
WORTH = 1.0
#: A larger machine than this is never the first thing to do.
LARGE = Fraction(5, 4)


@dataclass
class Decision:
    """What to do; what it brings and what it costs, in words; late jobs fewer;
    0 settings, 1 work that is lost, 2 machines less, 3 machines more. `first`:
    may the page say to do it first?"""

    what: Markup
    brings: Markup
    costs: Markup
    fewer: int
    cost: int
    first: bool = True


def decisions(facts: Facts) -> list[Decision]:
    """All of them, the first to do first."""
    made = [d for d in (settings(facts), fewer_nodes(facts),
                        more_nodes(facts)) if d is not None]
    return sorted(made, key=lambda d: (d.cost, -d.fewer))


def settings(facts: Facts) -> Decision | None:
    """The change that was proved."""
    found = facts.searched
    if found is None or found.proved is None:
        return None
    proof = found.proved
    fewer = proof.all_before - proof.all_after
    brings = say("{} fewer over the whole replay ({} before, {} after); it wins "
                 "on {} of resampled histories.", plural(fewer, "late job"),
                 f"{proof.all_before:,}", f"{proof.all_after:,}",
                 words.part(proof.sure))
    if not proof.killed:
        cost, costs = 0, say("It costs a change of settings")
    else:
        hours = proof.lost.get(facts.kind, 0) / words.scale_of(
            facts.unit) / (3600 * SECOND)
        cost, costs = 1, say(
            "It costs {} killed and {} of work lost",
            plural(proof.killed, "task"), unit_hours(facts, hours))
    costs = say("{}; {}", costs, say(
        "{} gets {}.", queue(proof.loser), plural(proof.loses,
                                                  "late job more",
                                                  "late jobs more"))
        if proof.loser else "no queue gets more late jobs.")
    return Decision(say("{}", sentence(proof.what)), brings, costs, fewer, cost)


def sentence(what: str) -> str:
    """With a capital."""
    return what[:1].upper() + what[1:]


def gain(now: Tried, tried: Tried) -> float:
    """The part of late jobs that a larger size brings in time, over the part of
    machines that it adds."""
    return (now.late - tried.late) / max(1, now.late) / float(tried.size - 1)


def in_target(facts: Facts, tried: Tried) -> bool:
    """Do 95 % of the jobs start in time at a size?"""
    return 0 <= tried.p95 <= facts.wanted.target


def larger(facts: Facts) -> list[Tried]:
    """Larger sizes that were tried, where too many jobs are late on a cluster
    that exists."""
    now = facts.tried[0] if facts.tried else None
    if now is None or facts.cluster is None or facts.cluster.invented or \
            meets_target(facts, now):
        return []
    return [t for t in facts.tried[1:] if t.size > 1]


def added(facts: Facts, tried: Tried) -> str:
    """What a larger size has more, in words."""
    assert facts.cluster is not None
    return f"{plural(tried.nodes - facts.tried[0].nodes, 'node')} more" \
        if facts.cluster.count > 1 else tried.what


def more_nodes(facts: Facts) -> Decision | None:
    """The smallest larger size that meets the target, or else the one with the
    greatest gain for its cost; none without enough of it."""
    worth = [t for t in larger(facts) if gain(facts.tried[0], t) >= WORTH]
    if not worth:
        return None
    now = facts.tried[0]
    tried = min(worth, key=lambda t: (
        not in_target(facts, t), t.size if in_target(facts, t) else 0,
        -gain(now, t)))
    brings = say("{} fewer in the replay ({} before, {} after).",
                 plural(now.late - tried.late, "late job"),
                 f"{now.late:,}", f"{tried.late:,}")
    goal = words.span(facts.wanted.target / SECOND)
    after = say("95 % of jobs then wait up to {}: the target of {} is {}.",
                words.span(max(0, tried.p95) / SECOND), goal,
                "met" if in_target(facts, tried) else "still missed")
    return Decision(
        say("Have {}", added(facts, tried)), say("{} {}", brings, after),
        say("It costs {} % more machine.", round(100 * (tried.size - 1))),
        now.late - tried.late, 3,
        in_target(facts, tried) and tried.size <= LARGE)


def not_worth(facts: Facts) -> Markup | None:
    """Why no more machines are advised, where some would bring a little."""
    tried = [t for t in larger(facts) if t.late < facts.tried[0].late]
    if not tried or more_nodes(facts) is not None:
        return None
    now = facts.tried[0]
    best = max(tried, key=lambda t: gain(now, t))
    return say("More machines are not worth their cost: {} ({} % more machine) "
               "would bring {} of {} late jobs in time.",
               added(facts, best), round(100 * (best.size - 1)),
               f"{now.late - best.late:,}", f"{now.late:,}")


def meets_target(facts: Facts, tried: Tried) -> bool:
    """Do 95 % of the jobs start in time, and 90 % of each tier's users see 9
    in 10 of theirs do?"""
    if not 0 <= tried.p95 <= facts.wanted.target or facts.goals is None:
        return False
    parts = [facts.goals.part(tier + 1)
             for tier in range(len(facts.goals.whole.tiers))]
    return all(part is None or part >= 0.9 for part in parts)


def fewer_nodes(facts: Facts) -> Decision | None:
    """The smallest size with no more late jobs."""
    if not facts.tried or facts.cluster is None or \
            facts.cluster.count < 2 or facts.cluster.invented:
        return None
    now = facts.tried[0]
    good = [t for t in facts.tried[1:] if t.size < 1 and t.late <= now.late
            and t.p95 <= max(now.p95, facts.wanted.target)]
    if not good:
        return None
    best = min(good, key=lambda t: t.size)
    return Decision(
        say("Switch off {}", plural(now.nodes - best.nodes, "node")),
        say("As many jobs are late in the replay with {} ({} before, {} "
            "after).", plural(best.nodes, "node"), f"{now.late:,}",
            f"{best.late:,}"),
        say("95 % of jobs then wait up to {}, {} now.",
            words.span(max(0, best.p95) / SECOND),
            words.span(max(0, now.p95) / SECOND)), now.late - best.late, 2)


def idle_nodes(facts: Facts) -> int:
    """How many nodes ran nothing for IDLE of the replay's time."""
    times = facts.states.idle
    whole = sum(times)
    left = whole * (1 - IDLE)
    for count, time in enumerate(times):
        left -= time
        if left < 0:
            return count
    return 0
