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
from numbers import Integral

from .oracle import Claim, fair_shares, largest_remainder, webster

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


def within_one_unit(share: Scheduler, total: int,
                    claims: Sequence[Claim]) -> None:
    """Everybody is less than a unit from the exact share (the quota rule), or
    the division is Webster's, which may leave it in rare families."""
    got = share(total, claims)
    exact = fair_shares(total, claims)
    far = [i for i, (g, x) in enumerate(zip(got, exact)) if abs(g - x) >= 1]
    if far and list(got) != webster(total, claims):
        i = far[0]
        _need(False, f"claim {i} has {got[i]}, exactly it is {exact[i]}", total,
              claims, list(got))


#: The name of the same in earlier releases.
near_the_exact = within_one_unit


def equals_largest_remainder(share: Scheduler, total: int,
                             claims: Sequence[Claim]) -> None:
    """The division is the one of largest remainder, earlier ones first."""
    got = list(share(total, claims))
    want = largest_remainder(fair_shares(total, claims))
    _need(got == want, f"the division is {got}, by largest remainder it is "
          f"{want}", total, claims)


def equals_webster(share: Scheduler, total: int,
                   claims: Sequence[Claim]) -> None:
    """The division is Webster's, earlier ones first."""
    got = list(share(total, claims))
    want = webster(total, claims)
    _need(got == want, f"the division is {got}, by Webster it is {want}", total,
          claims)


def grows_with_the_total(share: Scheduler, total: int,
                         claims: Sequence[Claim]) -> None:
    """Nobody loses when there is one unit more to share. (Largest remainder
    does not have this, the Alabama paradox; Webster does.)"""
    _no_loss(share, total, claims, 0)


def hardly_falls_with_the_total(share: Scheduler, total: int,
                                claims: Sequence[Claim]) -> None:
    """Nobody loses more than a unit when there is one more to share."""
    _no_loss(share, total, claims, 1)


def _no_loss(share: Scheduler, total: int, claims: Sequence[Claim],
             most: int) -> None:
    if sum(c.floor for c in claims) > total:
        return
    before, after = share(total, claims), share(total + 1, claims)
    for i, (b, a) in enumerate(zip(before, after)):
        _need(a >= b - most, f"claim {i} falls from {b} to {a} with one more",
              total, claims)


def wanting_more_gets_no_less(share: Scheduler, total: int,
                              claims: Sequence[Claim]) -> None:
    """Who asks for one unit more has no less."""
    before = share(total, claims)
    for i, c in enumerate(claims[:CLAIMS_TRIED]):
        if c.demand > total or sum(x.floor for x in claims) > total:
            continue
        more = list(claims)
        more[i] = Claim(c.weight, c.guarantee, c.limit, c.demand + 1)
        if sum(x.floor for x in more) > total:
            continue
        after = share(total, more)[i]
        _need(after >= before[i], f"claim {i} asks for more and has {after}, not "
              f"{before[i]}", total, claims)


def weighing_more_gets_no_less(share: Scheduler, total: int,
                               claims: Sequence[Claim]) -> None:
    """Who has a larger weight has no less, to the unit of rounding."""
    before = share(total, claims)
    for i, c in enumerate(claims[:CLAIMS_TRIED]):
        if not c.weight or c.weight >= 1 << 31 or \
                sum(x.floor for x in claims) > total:
            continue
        more = list(claims)
        more[i] = Claim(2 * c.weight, c.guarantee, c.limit, c.demand)
        after = share(total, more)[i]
        _need(after >= before[i] - 1, f"claim {i} weighs twice as much and has "
              f"{after}, not {before[i]}", total, claims)


#: Claims of a family for which a property makes another family each.
CLAIMS_TRIED = 3


def scale_of_weights(share: Scheduler, total: int,
                     claims: Sequence[Claim]) -> None:
    """Only the ratios of weights count (as far as weights go, below 2^32)."""
    if any(c.weight * 7 >= 1 << 32 for c in claims):
        return
    larger = [Claim(c.weight * 7, c.guarantee, c.limit, c.demand)
              for c in claims]
    _need(list(share(total, claims)) == list(share(total, larger)),
          "other shares with all weights times 7", total, claims)


def order_of_rows(share: Scheduler, total: int,
                  claims: Sequence[Claim]) -> None:
    """Turned round, everybody has the same, to the unit of a tie."""
    here = share(total, claims)
    there = list(share(total, list(reversed(claims))))[::-1]
    for i, (a, b) in enumerate(zip(here, there)):
        _need(abs(a - b) <= 1, f"claim {i} has {a} or {b} by its place", total,
              claims)


def same_again(share: Scheduler, total: int, claims: Sequence[Claim]) -> None:
    """The same family gives the same division, and stays as it was."""
    given = list(claims)
    first = list(share(total, given))
    _need(given == list(claims), "the claims were changed", total, claims)
    again = list(share(total, given))
    _need(first == again, f"{first} and then {again}", total, claims)


def nobody_envies(share: Scheduler, total: int,
                  claims: Sequence[Claim]) -> None:
    """Whoever wants more has no less for its weight than any other beyond its
    floor, to a unit on both sides."""
    got = share(total, claims)
    if sum(c.floor for c in claims) > total:
        return
    rich = [(g - 1, c.weight, i) for i, (c, g) in enumerate(zip(claims, got))
            if c.weight and g > c.floor]
    for i, (c, g) in enumerate(zip(claims, got)):
        if not c.weight or g >= c.cap:
            continue
        for h, w, j in rich:
            _need((g + 1) * w >= h * c.weight, f"claim {i} has {g} for weight "
                  f"{c.weight} beside claim {j} with {h + 1} for {w}", total,
                  claims)


def no_better_move(share: Scheduler, total: int,
                   claims: Sequence[Claim]) -> None:
    """No unit could go from one claim to another so that both are nearer to
    their exact shares and nearer to each other for their weights. (Largest
    remainder rules out the first, Webster the second.)"""
    got = share(total, claims)
    if sum(c.floor for c in claims) > total:
        return
    exact = fair_shares(total, claims)
    rows = [i for i, c in enumerate(claims) if c.weight]
    more = [i for i in rows
            if got[i] > exact[i] and got[i] > claims[i].floor]
    less = [i for i in rows if got[i] < exact[i] and got[i] < claims[i].top]
    for i in more:
        for j in less:
            nearer = (got[i] - exact[i]) + (exact[j] - got[j]) > 1
            evener = (2 * got[i] - 1) * claims[j].weight > \
                (2 * got[j] + 1) * claims[i].weight
            _need(not nearer or not evener, f"claim {i} has {got[i]} of "
                  f"{exact[i]} and claim {j} {got[j]} of {exact[j]}: a unit "
                  "belongs to the other", total, claims)


def whole_units(share: Scheduler, total: int,
                claims: Sequence[Claim]) -> None:
    """One whole number for each claim."""
    got = list(share(total, claims))
    _need(len(got) == len(claims) and
          all(isinstance(g, Integral) and not isinstance(g, bool)
              for g in got),
          "not a whole number for each claim", total, claims, got)


#: Every property that any exact whole-unit scheduler has.
ALL = (whole_units, adds_up, within_bounds, wastes_nothing, within_one_unit,
       no_better_move, nobody_envies, order_of_rows, wanting_more_gets_no_less,
       weighing_more_gets_no_less, hardly_falls_with_the_total,
       scale_of_weights, same_again)
#: Those of Webster's rounding besides, and of largest remainder.
WEBSTER = (grows_with_the_total, equals_webster)
LARGEST_REMAINDER = (equals_largest_remainder,)


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
