"""Percentile allocations."""

from __future__ import annotations

from fractions import Fraction

import sked
from sked import plan

from .judging import Calls, Failed, Fields, given, judge, number


def percentile(f: Fields, rule: str | None) -> int:
    """On arrays and from a history. A threshold of 0 is what every small one
    above it gives."""
    length, amount = given(f, "length"), given(f, "amount")
    num, den = number(f, "num"), number(f, "den", 1)
    p = Fraction(num, den) if num else Fraction(1, sked.UNLIMITED)
    got = plan.percentile(length, amount, [p])[0].amount
    history = plan.History()
    history.units(length, amount)
    if history.percentile(thresholds=[p])[0].amount != got:
        raise Failed("arrays and history differ")
    return judge(f, "value", [got], rule)


CALLS: Calls = {
    "percentile": percentile}
