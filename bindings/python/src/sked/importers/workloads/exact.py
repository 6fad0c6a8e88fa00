"""Numbers in text as whole counts of a small unit, exactly: what the programs
do with them, digit for digit. No float is made on the way."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Generic, TypeVar

MOST = 1 << 62
SECOND = 1_000_000_000
MILLI = 1_000_000
LATEST = 1 << 61  # a job comes no later, in ns
LONGEST = 1 << 60  # and runs no longer
NUMBER = re.compile(
    r"[ \t]*([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?)([0-9]+))?[ \t]*")
T = TypeVar("T")


class Bad(ValueError):
    """A field that cannot be taken: which, and why."""

    def __init__(self, reason: str, where: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.where = where


def exponent(sign: str | None, digits: str | None) -> int:
    """The power of ten, cut at what no number of ours can need."""
    value = int((digits or "0").lstrip("0")[:6] or "0")
    return -value if sign == "-" else value


def count(text: str, scale: int, up: bool = False) -> int | None:
    """A number as a count of 10^-scale: scale 9 makes ns of seconds. To the
    nearest, halves up, or `up` to the next. None: there is no text at all.

    >>> count("12.5", 3), count("1e-9", 9), count("0.0001", 3, up=True)
    (12500, 1, 1)
    """
    found = NUMBER.fullmatch(text)
    if not found:
        raise Bad("is not a number")
    sign, whole, part, power_sign, power = found.groups()
    digits = whole + (part or "")
    if not digits:
        if text.strip(" \t"):
            raise Bad("is not a number")
        return None
    first = digits.lstrip("0")
    if not first:
        return 0
    if sign == "-":
        raise Bad("is negative")
    keep = len(whole) + exponent(power_sign, power) + scale
    return rounded(first, keep - len(digits) + len(first), up)


def rounded(digits: str, keep: int, up: bool) -> int:
    """The first `keep` digits as a number, rounded by the others."""
    if keep > 20:
        raise Bad("is larger than 2^62 units")
    if keep < 0:
        return int(up)
    value = int(digits[:keep].ljust(keep, "0") or "0")
    rest = digits[keep:]
    value += bool(rest.strip("0")) if up else rest[:1] >= "5"
    if value > MOST:
        raise Bad("is larger than 2^62 units")
    return value


def whole(text: str, low: int, high: int) -> int | None:
    """A whole number, perhaps negative; None: no text."""
    value = count(text.removeprefix("-"), 3, up=True)
    if value is None and not text.startswith("-"):
        return None
    if value is not None and value % 1000 == 0:
        value = -(value // 1000) if text.startswith("-") else value // 1000
        if low <= value <= high:
            return value
    raise Bad(f"is not a whole number from {low} to {high}")


class Memo(dict[str, T], Generic[T]):
    """What texts come to, each worked out once: columns repeat themselves.
    Bounded, in entries and in the length of each."""

    def __init__(self, read: Callable[[str], T]) -> None:
        super().__init__()
        self.read = read

    def __missing__(self, text: str) -> T:
        value = self.read(text)
        if len(text) <= 40:
            if len(self) >= 1 << 15:
                self.clear()
            self[text] = value
        return value


def seconds(text: str) -> int | None:
    """Seconds in text as ns."""
    whole_, _, part = text.partition(".")
    digits = whole_ + part
    if len(digits) <= 18 and len(part) <= 9 and digits.isdigit() and \
            digits.isascii() and int(whole_ or 0) <= MOST // SECOND - 1:
        return int(int(digits) * 10**(9 - len(part)))
    return count(text, 9)


def thousandths(text: str) -> int | None:
    """Cores or GPUs in text, in thousandths, up."""
    return count(text, 3, up=True)


def pieces(text: str) -> int | None:
    """Bytes in text, up."""
    return count(text, 0, up=True)


def integer(text: str) -> int | None:
    """Tasks: a whole number, perhaps written with a point."""
    value = count(text, 3)
    if value is not None and value % 1000:
        raise Bad("is not a whole number")
    return None if value is None else value // 1000


def scaled(value: object, scale: int, up: bool = False) -> int | None:
    """A number as JSON or a form has it, a text perhaps; None where there is
    none or it is no number above or at 0."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    try:
        return count(str(value), scale, up)
    except (Bad, ValueError):
        return None


def decimal(units: int, scale: int) -> str:
    """A count of 10^-scale as a number in text, exactly: `count` undone.

    >>> decimal(12_500_000_000, 9), decimal(3000, 3)
    ('12.5', '3')
    """
    number, rest = divmod(units, 10**scale)
    if not rest:
        return str(number)
    return f"{number}.{rest:0{scale}d}".rstrip("0")
