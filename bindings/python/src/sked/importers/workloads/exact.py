"""Numbers in text as whole counts of a small unit, exactly: what the programs
do with them, digit for digit. No float is made on the way."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Generic, TypeVar
from zoneinfo import ZoneInfo

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


# ---- times of day ----

NEVER = frozenset(("", "Unknown", "None", "N/A", "INVALID", "0"))
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def zone_of(name: str) -> tzinfo:
    """A zone by its name; ValueError where there is none."""
    if name in ("UTC", ""):
        return timezone.utc
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise ValueError(f"no time zone {name!r}") from None


class Clock:
    """Reads local times such as 2016-12-22T07:15:12 in a zone; those that say
    their own are taken as they say, numbers as seconds since 1970."""

    def __init__(self, zone: str = "UTC") -> None:
        self.zone = zone_of(zone)
        self.hours: Memo[int] = Memo(self.hour)

    def hour(self, text: str) -> int:
        """The seconds at which an hour begins: 2016-12-22T07."""
        try:
            made = datetime.fromisoformat(text).replace(tzinfo=self.zone)
            return (made - EPOCH) // timedelta(seconds=1)
        except (ValueError, OverflowError):
            raise Bad("is no time") from None

    def ns(self, text: str) -> int | None:
        """A time in ns; None where none is known."""
        if len(text) == 19 and text[13] == ":" == text[16] and \
                text[14:16].isdigit() and text[17:].isdigit() and \
                text.isascii() and text[14] < "6" and text[17] < "6":
            at = (self.hours[text[:13]] + int(text[14:16]) * 60 +
                  int(text[17:])) * SECOND
            if at < 0:
                raise Bad("is before 1970")
            return at
        return self.other(text)

    def plain(self, text: str) -> int | None:
        """Seconds since 1970."""
        try:
            return count(text, 9)
        except Bad:
            raise Bad("is no time") from None

    def other(self, text: str) -> int | None:
        """Whatever is not written as sacct does."""
        if text in NEVER:
            return None
        try:
            made = datetime.fromisoformat(text)
        except (ValueError, OverflowError):
            return self.plain(text)
        if made.tzinfo is None:
            made = made.replace(tzinfo=self.zone)
        try:
            span = made - EPOCH
        except OverflowError:
            raise Bad("is no time") from None
        at = (span.days * 86400 + span.seconds) * SECOND + \
            span.microseconds * 1000
        if at < 0:
            raise Bad("is before 1970")
        return at


def lasting(text: str) -> int | None:
    """A length such as 1-02:03:04 or 03:04.5 in ns; None where none is."""
    days, dash, rest = text.rpartition("-")
    words = rest.split(":")
    if text in NEVER or text == "UNLIMITED" or len(words) > 3:
        return None
    try:
        parts = [count(word, 9) or 0 for word in words]
        whole = (count(days, 9) or 0) * 86400 if dash else 0
    except Bad:
        return None
    if dash:  # days-hours[:minutes[:seconds]]
        parts += [0] * (3 - len(parts))
    at = 0
    for part in parts:
        at = at * 60 + part
    return whole + at
