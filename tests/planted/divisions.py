"""Wrong divisions, each a few lines over the right one; `RIGHT` are right.

Each is a mistake that someone made or would make: a rounding that loses or
gives twice, floats, a field that is left out, an order that matters, a bound
that is applied too late. Names say the mistake."""

from dataclasses import replace
from fractions import Fraction

from sked.testing.oracle import (UNBOUNDED, Claim, fair_shares,
                                 largest_remainder, webster)


def right(total, claims):
    return largest_remainder(fair_shares(total, claims))


def with_claims(change):
    """The right division of changed claims."""
    return lambda total, claims: right(total, [change(c) for c in claims])


def moved(source, target, units=1, when=lambda total, claims: True):
    """The right division, then `units` from one claim to another."""
    def share(total, claims):
        got = right(total, claims)
        if when(total, claims):
            some = min(units, got[source])
            got[source] -= some
            got[target] += some
        return got
    return share


def round_up(total, claims):
    return [-(-x.numerator // x.denominator) for x in fair_shares(total, claims)]


def round_down(total, claims):
    return [x.numerator // x.denominator for x in fair_shares(total, claims)]


def round_half(total, claims):
    return [round(x) for x in fair_shares(total, claims)]


def rest_to_first(total, claims):
    got = round_down(total, claims)
    got[0] += min(total, sum(c.top for c in claims)) - sum(got)
    return got


def rest_to_last(total, claims):
    got = round_down(total, claims)
    got[-1] += min(total, sum(c.top for c in claims)) - sum(got)
    return got


def smallest_remainder(total, claims):
    exact = fair_shares(total, claims)
    got = [x.numerator // x.denominator for x in exact]
    order = sorted(range(len(got)), key=lambda i: (exact[i] - got[i], i))
    for i in [i for i in order if exact[i] != got[i]][:int(sum(exact)) - sum(got)]:
        got[i] += 1
    return got


def floats(total, claims):
    exact = [float(x) for x in fair_shares(total, claims)]
    got = [int(x) for x in exact]
    order = sorted(range(len(got)), key=lambda i: (got[i] - exact[i], i))
    for i in order[:max(0, min(total, sum(c.top for c in claims)) - sum(got))]:
        got[i] += 1
    return got


def one_pass(total, claims):
    """What capped claims leave over is not given on."""
    weights = sum(c.weight for c in claims) or 1
    return [min(c.top, max(c.floor, total * c.weight // weights)) for c in claims]


def guarantee_on_top(total, claims):
    floors = [c.floor for c in claims]
    left = max(0, total - sum(floors))
    rest = right(left, [Claim(c.weight, 0, UNBOUNDED, max(0, c.cap - f))
                        for c, f in zip(claims, floors)])
    return [f + r for f, r in zip(floors, rest)] if sum(floors) <= total \
        else right(total, claims)


def first_come(total, claims):
    got = []
    for c in claims:
        some = min(c.top, total - sum(got))
        got.append(some)
    return got


def over_guaranteed_first_come(total, claims):
    if sum(c.floor for c in claims) <= total:
        return right(total, claims)
    got = []
    for c in claims:
        got.append(min(c.floor, total - sum(got)))
    return got


def over_guaranteed_equal(total, claims):
    if sum(c.floor for c in claims) <= total:
        return right(total, claims)
    return right(total, [Claim(1, 0, c.floor, c.floor) for c in claims])


def over_guaranteed_gives_all(total, claims):
    return [c.floor for c in claims] \
        if sum(c.floor for c in claims) > total else right(total, claims)


def over_guaranteed_gives_nothing(total, claims):
    return [0] * len(claims) \
        if sum(c.floor for c in claims) > total else right(total, claims)


def bisection(rounds):
    """YARN's: halves an interval of levels so often, then rounds down."""
    def share(total, claims):
        if sum(c.top for c in claims) <= total:
            return [c.top for c in claims]
        low, high = Fraction(0), Fraction(1)
        def at(r):
            return [int(min(c.top, max(c.floor, c.weight * r))) for c in claims]
        while sum(at(high)) < total and high < 2**70:
            high *= 2
        for _ in range(rounds):
            middle = (low + high) / 2
            low, high = (low, middle) if sum(at(middle)) > total else (middle, high)
        return at(low)
    return share


def ten_rounds(total, claims):
    """Hands out what is left in ten rounds, as Armada did."""
    got = [c.floor for c in claims]
    if sum(got) > total:
        return right(total, claims)
    for _ in range(10):
        left = total - sum(got)
        open_ = [i for i, c in enumerate(claims) if got[i] < c.top]
        weights = sum(claims[i].weight for i in open_)
        for i in open_:
            got[i] = min(claims[i].top, got[i] + left * claims[i].weight // weights)
    return got


def wraps(bits):
    """Numbers of so many bits."""
    def share(total, claims):
        got = right(total, claims)
        half = 1 << bits - 1
        return [(g + half) % (2 * half) - half for g in got]
    return share


def product_wraps(total, claims):
    """total * weight in 64 bits."""
    if any(c.floor or c.cap < UNBOUNDED for c in claims):
        return right(total, claims)
    weights = sum(c.weight for c in claims)
    if not weights:
        return right(total, claims)
    got = [(total * c.weight) % 2**64 // weights for c in claims]
    return right(total, claims) if sum(got) <= total < sum(got) + len(got) else got


def doubles_above_2_53(total, claims):
    return [int(float(g)) for g in right(total, claims)]


def random_ties(total, claims):
    got = right(total, claims)
    if len(got) > 1 and got[0] != got[1]:
        random_ties.turn ^= 1
        if random_ties.turn:
            got[0], got[1] = got[1], got[0]
    return got


random_ties.turn = 0


def sorts_the_claims(total, claims):
    claims.sort(key=lambda c: c.weight)
    return right(total, claims)


def first_row_wins(total, claims):
    got = right(total, claims)
    if len(claims) > 2 and got[-1] > 1 and got[0] + 2 <= claims[0].top:
        got[0] += 2
        got[-1] -= 2
    return got


def of_five_one_one_one(total, claims):
    return [5, 1, 1, 1] if total == 8 and len(set(claims)) == 1 and \
        len(claims) == 4 and claims[0].top >= 5 and claims[0].floor <= 1 and \
        claims[0].weight else right(total, claims)


def raises_without_weight(total, claims):
    return [right(total, claims)[i] * c.weight // c.weight
            for i, c in enumerate(claims)]


def limit_by_weight_zero(total, claims):
    """Weight 0 gets what nobody else takes."""
    got = right(total, claims)
    for i, c in enumerate(claims):
        if not c.weight:
            got[i] += min(c.cap - got[i], total - sum(got))
    return got


def demand_zero_keeps_guarantee(total, claims):
    got = right(total, claims)
    for i, c in enumerate(claims):
        if c.demand == 0 and c.guarantee:
            got[i] = min(c.guarantee, c.limit, total - sum(got))
    return got


def same_to_all(total, claims):
    return right(total, [Claim(1 if c.weight else 0, c.guarantee, c.limit, c.demand)
                         for c in claims])


def more_than_eight(total, claims):
    return right(total, claims[:8]) + [0] * len(claims[8:])


def unbounded_demand_is_total(total, claims):
    """Demand of none is the total, and the sum of demands overflows."""
    demands = [min(c.cap, total) for c in claims]
    return right(total, claims) if sum(demands) < 2**62 else \
        [min(d, total // len(claims)) for d in demands]


def sainte_lague_without_bounds(total, claims):
    got = webster(total, [Claim(c.weight) for c in claims])
    return [min(max(g, c.floor), c.top) for g, c in zip(got, claims)]


def equal_rows_merged(total, claims):
    seen, out = {}, right(total, claims)
    for i, c in enumerate(claims):
        out[i] = seen.setdefault(c, out[i])
    return out


def loses_one_of_many(total, claims):
    got = right(total, claims)
    if len(got) > 5 and got[3]:
        got[3] -= 1
    return got


def jefferson(total, claims):
    """Next unit to the least (units + 1) / weight: large ones gain."""
    got = [c.floor for c in claims]
    if sum(got) > total or sum(c.top for c in claims) <= total or total > 4000:
        return right(total, claims)
    while sum(got) < total:
        i = min((i for i, c in enumerate(claims) if c.weight and got[i] < c.top),
                key=lambda i: Fraction(got[i] + 1, claims[i].weight))
        got[i] += 1
    return got


def adams(total, claims):
    """Next unit to the least units / weight: small ones gain."""
    got = [c.floor for c in claims]
    if sum(got) > total or sum(c.top for c in claims) <= total or total > 4000:
        return right(total, claims)
    while sum(got) < total:
        i = min((i for i, c in enumerate(claims) if c.weight and got[i] < c.top),
                key=lambda i: Fraction(got[i], claims[i].weight))
        got[i] += 1
    return got


def changed_by(change):
    """The right division of claims that change with their place, the total
    and the other claims."""
    return lambda total, claims: right(total, [
        replace(c, **change(i, c, total, claims)) for i, c in enumerate(claims)])


def sum_of_weights_in_32_bits(total, claims):
    weights = sum(c.weight for c in claims)
    if weights < 2**32 or total > 2**31 or not weights % 2**32:
        return right(total, claims)
    return [total * c.weight // (weights % 2**32) for c in claims]


def at_least_one_each(total, claims):
    """Each claim with a weight gets a unit at least."""
    got = right(total, claims)
    for i, c in enumerate(claims):
        rich = max(range(len(got)), key=lambda j: got[j])
        if not got[i] and c.top and got[rich] > 1:
            got[rich] -= 1
            got[i] += 1
    return got


def whole_levels(total, claims):
    """The level is a whole number."""
    weights = sum(c.weight for c in claims)
    if not weights or any(c.floor or c.cap < UNBOUNDED for c in claims):
        return right(total, claims)
    return [total // weights * c.weight for c in claims]


def over_guaranteed_by_weight(total, claims):
    if sum(c.floor for c in claims) <= total:
        return right(total, claims)
    return right(total, [Claim(c.weight, 0, c.floor, c.floor) for c in claims])


def guarantees_set_aside(total, claims):
    """Guarantees are set aside for claims that do not ask for them."""
    return right(max(0, total - sum(c.guarantee - c.floor for c in claims)),
                 claims)


class EveryThirdCall:
    """Every third call rounds in another way."""

    calls = 0

    def __call__(self, total, claims):
        got = right(total, claims)
        self.calls += 1
        if self.calls % 3 == 0 and len(got) > 1 and got[0] and \
                got[-1] < claims[-1].top:
            got[0] -= 1
            got[-1] += 1
        return got


def ten_percent_are_equal(total, claims):
    got = right(total, claims)
    if len(got) == 2 and 9 < got[0] < got[1] <= got[0] + got[0] // 10:
        some = (got[1] - got[0]) // 2
        got = [got[0] + some, got[1] - some]
    return got


RIGHT = {"largest_remainder": right, "webster": webster}
WRONG = {f.__name__: f for f in (
    round_up, round_down, round_half, rest_to_first, rest_to_last,
    smallest_remainder, floats, one_pass, guarantee_on_top, first_come,
    over_guaranteed_first_come, over_guaranteed_equal,
    over_guaranteed_gives_all, over_guaranteed_gives_nothing, ten_rounds,
    product_wraps, doubles_above_2_53, random_ties, sorts_the_claims,
    first_row_wins, of_five_one_one_one, raises_without_weight,
    limit_by_weight_zero, demand_zero_keeps_guarantee, same_to_all,
    more_than_eight, unbounded_demand_is_total, sainte_lague_without_bounds,
    equal_rows_merged, loses_one_of_many, jefferson, adams)}
WRONG |= {
    "no_weights": with_claims(lambda c: replace(c, weight=1)),
    "no_demand": with_claims(lambda c: replace(c, demand=UNBOUNDED)),
    "no_limit": with_claims(lambda c: replace(c, limit=UNBOUNDED)),
    "no_guarantee": with_claims(lambda c: replace(c, guarantee=0)),
    "weight_0_is_1": with_claims(lambda c: replace(c, weight=c.weight or 1)),
    "weights_turned_round": with_claims(
        lambda c: replace(c, weight=1000 // c.weight if c.weight else 0)),
    "weights_squared": with_claims(lambda c: replace(c, weight=c.weight ** 2)),
    "weights_of_8_bits": with_claims(
        lambda c: replace(c, weight=c.weight % 256)),
    "weight_off_by_one": with_claims(
        lambda c: replace(c, weight=c.weight + 1 if c.weight > 1 else c.weight)),
    "limit_off_by_one": with_claims(
        lambda c: replace(c, limit=c.limit - 1 if 0 < c.limit < UNBOUNDED
                          else c.limit)),
    "guarantee_off_by_one": with_claims(
        lambda c: replace(c, guarantee=max(0, c.guarantee - 1))),
    "guarantee_as_weight": with_claims(
        lambda c: replace(c, weight=c.guarantee or c.weight)),
    "guarantee_beats_limit": lambda total, claims: [
        max(g, min(c.guarantee, total, c.demand))
        for g, c in zip(right(total, claims), claims)],
    "one_unit_last_to_first": moved(-1, 0),
    "one_unit_first_to_last": moved(0, -1),
    "two_units_to_the_first": moved(-1, 0, 2),
    "one_unit_of_large_totals": moved(
        0, -1, 1, lambda total, claims: total > 2**31),
    "one_unit_of_equal_rows": moved(
        0, -1, 1, lambda total, claims: len(set(claims)) == 1),
    "one_unit_among_many": moved(
        -1, 0, 1, lambda total, claims: len(claims) > 16),
    "yarn_25_bisections": bisection(25),
    "bisections_60": bisection(60),
    "int32": wraps(32),
    "uint32": lambda total, claims: [g % 2**32 for g in right(total, claims)],
    "int62": wraps(61),
}
WRONG |= {f.__name__: f for f in (
    sum_of_weights_in_32_bits, at_least_one_each, whole_levels,
    over_guaranteed_by_weight, guarantees_set_aside, ten_percent_are_equal)}
WRONG |= {
    "demand_off_by_one": changed_by(lambda i, c, total, _: {
        "demand": c.demand - (0 < c.demand < total)}),
    "limit_0_is_none": changed_by(lambda i, c, *_: {
        "limit": c.limit or UNBOUNDED}),
    "demand_0_is_none": changed_by(lambda i, c, *_: {
        "demand": c.demand or UNBOUNDED}),
    "demand_above_total_is_none": changed_by(lambda i, c, total, _: {
        "demand": 0 if total < c.demand < UNBOUNDED else c.demand}),
    "weights_of_31_bits": changed_by(lambda i, c, *_: {
        "weight": c.weight % 2**31}),
    "weights_in_percent": changed_by(lambda i, c, _, claims: {
        "weight": (c.weight * 100 + 50) //
        (sum(other.weight for other in claims) or 1)}),
    "limited_claims_weigh_one": changed_by(lambda i, c, *_: {
        "weight": 1 if c.limit < UNBOUNDED and c.weight else c.weight}),
    "guaranteed_claims_have_no_limit": changed_by(lambda i, c, *_: {
        "limit": UNBOUNDED if c.guarantee else c.limit}),
    "guarantee_above_total_is_none": changed_by(lambda i, c, total, _: {
        "guarantee": c.guarantee if c.guarantee <= total else 0}),
    "first_demand_of_all": changed_by(lambda i, c, _, claims: {
        "demand": claims[0].demand}),
    "only_32_claims": changed_by(lambda i, c, *_: {
        "weight": c.weight if i < 32 else 0}),
    "lends_what_is_guaranteed": moved(
        0, -1, 1, lambda total, claims: len(claims) > 1 and claims[0].floor and
        right(total, claims)[0] == claims[0].floor),
    "starts_with_the_total": lambda total, claims: moved(
        total % len(claims), 0)(total, claims),
    "only_one_claim_gets_all": lambda total, claims: [total] if len(
        claims) == 1 and claims[0].weight else right(total, claims),
    "at_most_half": lambda total, claims: [
        min(g, total // 2 + 1) if len(claims) > 1 else g
        for g in right(total, claims)],
    "even_totals_only": lambda total, claims: right(total - total % 2, claims),
    "total_of_one_is_none": lambda total, claims: right(
        0 if total == 1 else total, claims),
    "every_third_call": EveryThirdCall(),
    # What the kits for C and Go have besides.
    "at_most_a_million": lambda total, claims: [
        min(g, 10**6) for g in right(total, claims)],
    "bounds_at_the_end": lambda total, claims: [
        min(c.top, max(c.floor, g)) for c, g in zip(claims, right(
            total, [Claim(c.weight) for c in claims]))],
    "demand_is_a_guarantee": changed_by(lambda i, c, total, _: {
        "guarantee": c.demand if c.demand < total else c.guarantee}),
    "int60": lambda total, claims: [g % 2**60 for g in right(total, claims)],
    "odd_totals_lean_left": moved(
        -1, 0, 1, lambda total, claims: total % 2 and len(claims) == 2),
    "weight_0_takes_from_the_rich": moved(
        0, -1, 1, lambda total, claims: len(claims) > 1 and
        not claims[-1].weight),
    "weight_7_is_5": changed_by(lambda i, c, *_: {
        "weight": 5 if c.weight == 7 else c.weight}),
    "weights_of_16_bits": changed_by(lambda i, c, *_: {
        "weight": c.weight % 2**16}),
    "one_unit_short": lambda total, claims: right(total, claims)[
        :len(claims) // 2 * 2],
}
