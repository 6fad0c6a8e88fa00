"""Capacities as a capacity-scheduler.xml says them: a percentage, a weight
"2w", amounts "[memory=8192,vcores=4]"."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

from .fair_values import KIND
from .values import MIB, MOST, decimal, fraction

NAMES = {"memory": "memory", "memory-mb": "memory", "vcores": "cpu",
         "yarn.io/gpu": "gpu"}
BACK = {"memory": "memory", "cpu": "vcores", "gpu": "yarn.io/gpu"}
AMOUNT = re.compile(r"(\d{1,30})\s*([A-Za-z]{0,2})")
UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15,
         "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40,
         "Pi": 1 << 50}


class BadCapacity(ValueError):
    """Why a text is no capacity."""


@dataclass
class Capacity:
    """One of the three; `mode` says which."""

    mode: str
    number: Fraction = Fraction(0)
    amounts: dict[str, int | None] = field(default_factory=dict)


def capacity(text: str) -> Capacity:
    """Reads one; BadCapacity says what is wrong.

    >>> capacity("33.333").number, capacity("2w").mode
    (Fraction(33333, 1000), 'weight')
    """
    said = text.strip()
    if said.startswith("[") and said.endswith("]"):
        return vector(said[1:-1])
    mode = "percent"
    if said.endswith("w"):
        mode, said = "weight", said[:-1]
    elif said.endswith("%"):
        said = said[:-1]
    value = fraction(said)
    if value is None:
        raise BadCapacity(f"{text[:60]!r} is no capacity")
    return Capacity(mode, value)


def vector(said: str) -> Capacity:
    """Amounts of each resource."""
    made = Capacity("amounts")
    for pair in said.split(","):
        name, _, value = (word.strip() for word in pair.partition("="))
        kind = NAMES.get(name, name)
        if not KIND.fullmatch(kind):
            raise BadCapacity(f"{name[:40]!r} is no resource")
        if kind in made.amounts:
            raise BadCapacity(f"{name} is said twice")
        if value.endswith(("%", "w")):
            raise BadCapacity(f"{value[:40]!r}: a mode for each resource is "
                              "not read")
        found = AMOUNT.fullmatch(value)
        if not found or found[2] not in UNITS:
            raise BadCapacity(f"{value[:40]!r} is no amount of {name}")
        scale = UNITS[found[2]]
        if kind == "memory" and not found[2]:
            scale = MIB
        if kind == "cpu":
            scale *= 1000
        made.amounts[kind] = min(int(found[1]) * scale, MOST)
    return made


def vector_text(amounts: dict[str, int | None]) -> str | None:
    """Amounts as YARN has them; None where one is finer than its units."""
    words = []
    for kind, value in amounts.items():
        scale = MIB if kind == "memory" else 1000 if kind == "cpu" else 1
        if value is None or value % scale:
            return None
        words.append(f"{BACK.get(kind, kind)}={value // scale}")
    return f"[{','.join(words)}]"


def percents(weights: list[Fraction]) -> list[Fraction]:
    """Weights as parts of 1 in millionths that add to exactly 1: what the
    rounding leaves goes to the largest remainders, the first of equals."""
    total = sum(weights, Fraction(0))
    if not total:
        return [Fraction(0)] * len(weights)
    exact = [w / total * 1_000_000 for w in weights]
    units = [int(x) for x in exact]
    order = sorted(range(len(units)), key=lambda i: (units[i] - exact[i], i))
    for i in order[:1_000_000 - sum(units)]:
        units[i] += 1
    return [Fraction(u, 1_000_000) for u in units]


def percent_text(part: str) -> str:
    """A part of the text form as a number of percent."""
    return decimal(Fraction(part[:-1]))
