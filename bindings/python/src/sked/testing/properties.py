"""Properties that a division among siblings should have, by name: each takes
a scheduler `share(total, claims) -> whole units` and an instance, and raises
`Violation` that says what is wrong. They know nothing of who made the shares,
so they hold your scheduler to the same as ours.

    from sked.testing import properties, strategies

    @given(strategies.families())
    def test_mine(family):
        properties.check(my_share, *family)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .oracle import Claim, fair_shares, largest_remainder

#: What is tested: whole units for each claim.
Scheduler = Callable[[int, Sequence[Claim]], Sequence[int]]


class Violation(AssertionError):
    """A property that does not hold, with the instance."""


def _need(holds: bool, words: str, *facts: object) -> None:
    if not holds:
        raise Violation(words + ": " + ", ".join(map(repr, facts)))


def adds_up(share: Scheduler, total: int, claims: Sequence[Claim]) -> None:
    """Everything is given out that anybody may take, and nothing more."""
    got = share(total, claims)
    want = min(total, sum(c.top for c in claims))
    _need(sum(got) == want, f"the sum is {sum(got)}, not {want}", total, claims,
          list(got))


def within_bounds(share: Scheduler, total: int,
                  claims: Sequence[Claim]) -> None:
    """Nobody has more than its cap; nobody less than its floor unless floors
    alone are more than there is."""
    got = share(total, claims)
    enough = sum(c.floor for c in claims) <= total
    for i, (g, c) in enumerate(zip(got, claims)):
        _need(0 <= g <= c.cap, f"claim {i} has {g}, above its cap", c)
        _need(not enough or g >= c.floor, f"claim {i} has {g}, below its floor",
              c)


def wastes_nothing(share: Scheduler, total: int,
                   claims: Sequence[Claim]) -> None:
    """Nothing is left while somebody with a weight wants more."""
    got = share(total, claims)
    wants = any(c.weight and g < c.cap for g, c in zip(got, claims))
    _need(not wants or sum(got) == total, f"{total - sum(got)} left over while "
          "somebody wants more", claims, list(got))


def near_the_exact(share: Scheduler, total: int,
                   claims: Sequence[Claim]) -> None:
    """Nobody is further than a unit a sibling from the exact share."""
    got = share(total, claims)
    for i, (g, x) in enumerate(zip(got, fair_shares(total, claims))):
        _need(abs(g - x) < max(1, len(claims)),
              f"claim {i} has {g}, exactly it is {x}", total, claims)


def grows_with_the_total(share: Scheduler, total: int,
                         claims: Sequence[Claim]) -> None:
    """Nobody loses when there is one unit more to share. (Largest remainder
    does not have this, the Alabama paradox; Webster does.)"""
    if sum(c.floor for c in claims) > total:
        return
    before, after = share(total, claims), share(total + 1, claims)
    for i, (b, a) in enumerate(zip(before, after)):
        _need(a >= b, f"claim {i} falls from {b} to {a} with one more", total,
              claims)


def wanting_more_gets_no_less(share: Scheduler, total: int,
                              claims: Sequence[Claim]) -> None:
    """Who asks for one unit more has no less."""
    before = share(total, claims)
    for i, c in enumerate(claims):
        if c.demand > total or sum(x.floor for x in claims) > total:
            continue
        more = list(claims)
        more[i] = Claim(c.weight, c.guarantee, c.limit, c.demand + 1)
        if sum(x.floor for x in more) > total:
            continue
        after = share(total, more)[i]
        _need(after >= before[i], f"claim {i} asks for more and has {after}, not "
              f"{before[i]}", total, claims)


def scale_of_weights(share: Scheduler, total: int,
                     claims: Sequence[Claim]) -> None:
    """Only the ratios of weights count."""
    larger = [Claim(c.weight * 7, c.guarantee, c.limit, c.demand)
              for c in claims]
    _need(list(share(total, claims)) == list(share(total, larger)),
          "other shares with all weights times 7", total, claims)


def order_of_rows(share: Scheduler, total: int,
                  claims: Sequence[Claim]) -> None:
    """Turned round, everybody has the same to a unit a sibling."""
    here = share(total, claims)
    there = list(share(total, list(reversed(claims))))[::-1]
    for i, (a, b) in enumerate(zip(here, there)):
        _need(abs(a - b) <= max(1, len(claims)), f"claim {i} has {a} or {b} by "
              "its place", total, claims)


def nobody_envies(share: Scheduler, total: int,
                  claims: Sequence[Claim]) -> None:
    """Of those without a guarantee, whoever wants more has no less for its
    weight than any other, to a unit a sibling."""
    got = share(total, claims)
    plain = [(c, g) for c, g in zip(claims, got) if c.weight and not c.guarantee]
    slack = max(1, len(claims))
    for c, g in plain:
        for d, h in plain:
            fair = (g + slack) * d.weight >= (h - slack) * c.weight
            _need(g >= c.cap or fair, f"{g} for weight {c.weight} beside {h} "
                  f"for {d.weight}", claims)


#: Every property that any whole-unit scheduler should have.
ALL = (adds_up, within_bounds, wastes_nothing, near_the_exact,
       wanting_more_gets_no_less, order_of_rows, nobody_envies)
#: Those of Webster's rounding besides.
WEBSTER = (grows_with_the_total, scale_of_weights)


def check(share: Scheduler, total: int, claims: Sequence[Claim],
          wanted: Sequence[Callable[..., None]] = ALL) -> None:
    """All properties wanted, of one instance."""
    for holds in wanted:
        holds(share, total, claims)


def reference(total: int, claims: Sequence[Claim]) -> list[int]:
    """A scheduler that has them: the exact shares by largest remainder."""
    return largest_remainder(fair_shares(total, claims))


def no_preemption_loop(rounds: Sequence[dict[object, int]]) -> None:
    """Of rounds with unchanged demand: nobody loses in one what it gains in
    another. Each round says what every queue gained (or, below 0, lost)."""
    gained: set[object] = set()
    lost: set[object] = set()
    for number, one in enumerate(rounds):
        gained |= {q for q, n in one.items() if n > 0}
        lost |= {q for q, n in one.items() if n < 0}
        _need(not gained & lost, f"round {number} goes back and forth",
              gained & lost)
