"""Values of settings as text: amounts, parts, times, numbers; all exact."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from ..schema import format_amount

MOST = 1 << 62
MIB = 1 << 20
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?[fFdD]?")
SECOND = 1_000_000_000
#: The name of a kind.
KIND = re.compile(r"[^\s=,;\"#\\\x00-\x1f\x7f]{1,63}")


def fraction(text: str) -> Fraction | None:
    """A decimal number, exactly; None where it is none. As Java reads floats,
    a letter f or d may stand behind it.

    >>> fraction("0.25"), fraction("wwj")
    (Fraction(1, 4), None)
    """
    text = text.strip()
    if len(text) > 60 or not text.isascii() or not NUMBER.fullmatch(text):
        return None
    return Fraction(text.rstrip("fFdD"))


def whole(text: str) -> int | None:
    """A whole number; None where it is none."""
    text = text.strip()
    if len(text) > 40 or not text.isascii() or not re.fullmatch(
            r"[+-]?\d+", text):
        return None
    return int(text)


def decimal(value: Fraction) -> str:
    """A number in text; exact wherever it has an end.

    >>> decimal(Fraction(1, 4)), decimal(Fraction(70))
    ('0.25', '70')
    """
    if value.denominator == 1:
        return str(value.numerator)
    scale = 1
    while scale < 30 and (value * 10**scale).denominator != 1:
        scale += 1
    units = round(value * 10**scale)
    sign, units = ("-" if units < 0 else ""), abs(units)
    text = f"{sign}{units // 10**scale}.{units % 10**scale:0{scale}d}"
    return text.rstrip("0").rstrip(".")


def part(value: Fraction) -> tuple[str, bool]:
    """A part of 1 in the text form, and whether it is exactly that.

    >>> part(Fraction(1, 4)), part(Fraction(1, 3))
    (('25%', True), ('33.3333%', False))
    """
    ppm = round(value * 1_000_000)
    return decimal(Fraction(ppm, 10000)) + "%", ppm == value * 1_000_000


def duration(seconds: Fraction) -> str | None:
    """A time in the text form; None where it is finer than a nanosecond."""
    ns = seconds * SECOND
    if ns.denominator != 1:
        return None
    if ns > MOST:
        return "unlimited"
    for unit, size in (("s", SECOND), ("ms", 1000000), ("us", 1000)):
        if ns % size == 0:
            return f"{ns // size}{unit}"
    return f"{ns}ns"


def seconds(text: str) -> Fraction | None:
    """A time of the text form in seconds; None: unlimited."""
    units = {"ns": 1, "us": 1000, "ms": 10**6, "s": SECOND, "m": 60 * SECOND,
             "h": 3600 * SECOND, "d": 86400 * SECOND}
    if text == "unlimited":
        return None
    found = re.fullmatch(r"([\d.]+)([a-z]*)", text)
    if not found:
        return None
    return Fraction(found[1]) * units.get(found[2] or "s", SECOND) / SECOND


def ratio(text: str) -> Fraction | None:
    """A ratio of the text form; None: unlimited."""
    if text == "unlimited":
        return None
    if text.endswith("%"):
        return Fraction(text[:-1]) / 100
    return Fraction(text)


def amounts_text(kinds: Mapping[str, str], said: Mapping[str, int | None],
                 missing: int | None) -> str:
    """Amounts by kind as text, kinds in order, those at `missing` left out;
    None is unlimited."""
    words = []
    for name, unit in kinds.items():
        value = said.get(name, missing)
        if value is not None and value >= MOST:
            value = None
        if value != missing:
            word = "unlimited" if value is None else format_amount(unit, value)
            words.append(f"{name}={word}")
    return ",".join(words)
