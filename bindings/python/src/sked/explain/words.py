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
    """An amount of one kind: "2.5 cpu"; of bytes that are no round number
    about how much that is, too."""
    text = format_amount(schema.units[kind], value)
    if schema.units[kind] == "B" and text.isdigit() and value >= 1 << 20:
        text = f"{text} B (about {roughly(value)})"
    return f"{text} {schema.names[kind]}"


def roughly(value: int) -> str:
    """Bytes to three digits.

    >>> roughly(5425164452029)
    '4.93 TiB'
    """
    size = min(6, (value.bit_length() - 1) // 10)
    return f"{value / 1024**size:.3g} {' KMGTPE'[size].strip()}{'iB' if size else 'B'}"


def vector(schema: Schema, vec: Sequence[int]) -> str:
    """What is not 0 of a vector: "2 cpu, 4Gi memory"."""
    said = [amount(schema, k, v) for k, v in enumerate(vec) if v]
    return ", ".join(said) or "nothing"


def part(value: int, whole: int) -> str:
    """A part of a whole: " (25.0 %)"; nothing where there is no whole."""
    return f" ({100 * value / whole:.1f} %)" if whole > 0 else ""
