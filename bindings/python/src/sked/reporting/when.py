"""When something was: a date where the times of a file are epochs, otherwise
how long after its first submission."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from ..pictures import words

SECOND = 1_000_000_000
#: Times between these (s) are seconds since 1970: 1990 to 2100.
EPOCHS = (631_152_000, 4_102_444_800)


@dataclass(frozen=True)
class Clock:
    """`base` is what a file's clock says at 1970 (ns), or None: it has a clock
    of its own. `begin`: the first submission, ns on the file's clock."""

    begin: int
    base: int | None = None
    zone: tzinfo = timezone.utc

    def date(self, at: int) -> datetime | None:
        """An instant of the file's clock (ns) as a date."""
        if self.base is None:
            return None
        seconds = (at - self.base) // SECOND
        return datetime.fromtimestamp(0, self.zone) + timedelta(seconds=seconds) \
            if self.zone is timezone.utc else \
            datetime.fromtimestamp(seconds, self.zone)

    def say(self, at: int) -> str:
        """The same in words.

        >>> Clock(0, 0).say(86_400 * SECOND), Clock(0).say(7200 * SECOND)
        ('1970-01-02 00:00', 'at 2 h')
        """
        date = self.date(at)
        if date is not None:
            return f"{date:%Y-%m-%d %H:%M}"
        return f"at {words.span((at - self.begin) / SECOND)}"

    @property
    def start(self) -> datetime | None:
        """The first submission as a date."""
        return self.date(self.begin)


def zone_of(name: str) -> tzinfo:
    """A time zone by name. ValueError when there is none of it."""
    if name.upper() in ("", "UTC"):
        return timezone.utc
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise ValueError(f"--zone: no time zone {name!r}") from None


def clock_of(first: int, said: int | None, zone: str) -> Clock:
    """The clock of a workload whose first submission is at `first` (ns).
    `said`: what a file says its clock's 0 is (s since 1970)."""
    if said is not None:
        return Clock(first, -said * SECOND, zone_of(zone))
    epoch = EPOCHS[0] * SECOND <= first <= EPOCHS[1] * SECOND
    return Clock(first, 0 if epoch else None, zone_of(zone))
