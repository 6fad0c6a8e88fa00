"""Numbers and answers in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ..schema import Schema, format_amount

SECOND = 1_000_000_000


@dataclass(frozen=True)
class Answer:
    """An answer: sentences for a person, and the numbers they are made of.
    `holds` is False where what was asked about is not so."""

    question: str
    sentences: Sequence[str]
    facts: Mapping[str, Any] = field(default_factory=dict)
    holds: bool = True

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def as_json(self) -> dict[str, Any]:
        """For `json.dump`: amounts in the smallest units, times in ns."""
        return {"question": self.question, "holds": self.holds,
                "answer": list(self.sentences), "facts": dict(self.facts)}


def seconds(ns: int) -> str:
    """A time in seconds, exactly.

    >>> seconds(12_500_000_000)
    '12.5 s'
    """
    return f"{Decimal(ns) / SECOND:f} s"


def many(n: int, what: str) -> str:
    """A number of things.

    >>> many(1, "task"), many(3, "task")
    ('1 task', '3 tasks')
    """
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def amount(schema: Schema, kind: int, value: int) -> str:
    """An amount of one kind: "2.5 cpu"."""
    return f"{format_amount(schema.units[kind], value)} {schema.names[kind]}"


def vector(schema: Schema, vec: Sequence[int]) -> str:
    """What is not 0 of a vector: "2 cpu, 4Gi memory"."""
    said = [amount(schema, k, v) for k, v in enumerate(vec) if v]
    return ", ".join(said) or "nothing"


def part(value: int, whole: int) -> str:
    """A part of a whole: " (25.0 %)"; nothing where there is no whole."""
    return f" ({100 * value / whole:.1f} %)" if whole > 0 else ""
