"""Times of day as ns since 1970."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from .exact import Bad, Memo, count

NEVER = frozenset(("", "Unknown", "None", "N/A", "INVALID", "0"))
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
SECOND = 1_000_000_000


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
