"""Instances, and what to reserve of them. <sched/pctl.h>, <sched/history.h>"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import _core
from ..columns import Column, Numbers
from ..hooks import Hooks, host_of
from .allocate import Threshold, exact


def instances_of(instance: Numbers, vec: Numbers,
                 parts: int = 1) -> tuple[Column, Column]:
    """Instances (or parts of them) that vectors take by dominant resource,
    rounded up, and the dominant kind of each. `instance` is one amount a kind,
    `vec` rows of them. Raises RangeError (an amount, with row and kind).

    >>> instances_of([2, 4], [3, 1, 1, 9])[0].tolist()
    [2, 3]
    """
    return _core.pctl_instances(instance, parts, vec)


@dataclass(frozen=True)
class Cost:
    """What so many reserved ones cost, in amounts times length at the price of
    those on demand."""

    amount: int
    reserved_amount: int
    demand: int
    cost: int


@dataclass(frozen=True)
class Reserved:
    """The cheapest number to reserve, and what all or none would cost; the
    time for which more than the cheapest is used."""

    cheapest: Cost
    peak: Cost
    none: Cost
    exceeded: int
    window: int


def reserved_of(said: tuple[Any, ...]) -> Reserved:
    costs = [Cost(c[0], c[1] << 64 | c[2], c[3] << 64 | c[4],
                  c[5] << 64 | c[6]) for c in said[:3]]
    return Reserved(costs[0], costs[1], costs[2], said[3], said[4])


def reserved(length: Numbers, amount: Numbers, price: Threshold, *,
             window: int = 0, hooks: Hooks | None = None) -> Reserved:
    """Reserved or on demand, with `price` the ratio of the reserved price to
    that on demand. `length` (ns) and `amount` have a row a unit; `window` is
    at least the sum of all lengths (0: that). Raises RangeError (price,
    window, or a unit), Cancelled.

    >>> reserved([6, 4], [10, 20], 0.5).cheapest.amount
    10
    """
    p = exact(price)
    return reserved_of(_core.pctl_reserved(host_of(hooks), length, amount, window,
                                    p.numerator, p.denominator))
