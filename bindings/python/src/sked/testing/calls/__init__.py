"""What a known answer asks of the library, as a call of the public API.

The readers of known answers (tests/vectors of the project, `known/` in the
installed package) turn a case into calls: a name, the fields it is given, and
what is expected. Here each name is carried out and judged. An answer passes
when it is the one given; where a rule of differences.md says that an exact
answer may be another one, it must be the exact one that the rule works out.

A field `exact` is that answer, `sum`, `low` and `high` bound it; "?" stands for
a number that is not given. Reals by definition are held to 1e-9 of them."""

from __future__ import annotations

from . import (admission, amounts, lives, orders, placing, planning, retold, shares,
               targets, trees, victims)
from .judging import (BY_RULE, FAILED, PASSED, UNSUPPORTED, Calls, Failed,
                      Fields)

CALLS: Calls = {
    **admission.CALLS, **amounts.CALLS, **orders.CALLS, **placing.CALLS,
    **planning.CALLS, **lives.CALLS, **shares.CALLS,
    **retold.CALLS, **targets.CALLS, **trees.CALLS,
    **victims.CALLS}


def carry_out(call: str, fields: Fields, rule: str | None) -> int:
    """Carries out one call: PASSED, BY_RULE, UNSUPPORTED, or Failed."""
    if call == "-":
        return UNSUPPORTED
    if call not in CALLS and "error" in fields:
        raise Failed(str(fields["error"]))
    if call not in CALLS:
        return UNSUPPORTED
    return CALLS[call](fields, rule)


__all__ = ["BY_RULE", "CALLS", "FAILED", "PASSED", "UNSUPPORTED", "Failed",
           "carry_out"]
