"""Numbers as people read them: amounts with units, times, parts."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Any

SECOND = 1_000_000_000
_SPANS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_BYTES = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
UNITS = {"cpu": "cores", "gpu": "GPUs", "memory": "", "instance": "instances"}


def number(value: float, most: int = 3) -> str:
    """Three digits that count, thousands apart.

    >>> number(1234567), number(12.345), number(0.5), number(0)
    ('1,234,567', '12.3', '0.5', '0')
    """
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    places = max(0, most - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{min(places, 6)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def span(seconds: float) -> str:
    """A length of time.

    >>> span(0.2), span(95), span(5400), span(200000)
    ('0.2 s', '95 s', '90 min', '55.6 h')
    """
    size = abs(seconds)
    for unit, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if size >= {86400: 3 * 86400, 3600: 7200, 60: 120}[unit]:
            return f"{number(seconds / unit)} {name}"
    return f"{number(seconds)} s"


def scale_of(unit: str) -> int:
    """How many of a schema's unit are one of what people say: 1000 m are a
    core. `unit`: as the text of a schema has it."""
    return 1000 if unit == "m" else 1


def amount(kind: str, value: float, unit: str = "m") -> str:
    """An amount of a kind, with its unit.

    >>> amount("cpu", 2500), amount("cpu", 1000), amount("memory", 3 << 30, "B")
    ('2.5 cores', '1 core', '3 GiB')
    """
    if unit == "B":
        size = 0
        while value >= 1024 and size < len(_BYTES) - 1:
            value /= 1024
            size += 1
        return f"{number(value)} {_BYTES[size]}"
    said, name = number(value / scale_of(unit)), UNITS.get(kind, kind)
    if said == "1" and kind in UNITS:
        name = name.removesuffix("s")
    return f"{said} {name}".rstrip()


def part(value: float) -> str:
    """A part of one, in per cent.

    >>> part(0.7), part(0.0041), part(1)
    ('70 %', '0.41 %', '100 %')
    """
    if 0 < abs(value) < 0.0001:
        return "under 0.01 %"
    if abs(value) < 0.995:
        return f"{number(100 * value, 2)} %"
    return f"{round(100 * value):,} %"


def steps(low: float, high: float, most: int = 6) -> list[float]:
    """Round places from low to high, at most so many.

    >>> steps(0, 48)
    [0, 10, 20, 30, 40]
    """
    size = max((high - low) / most, 1e-12)
    power = 10.0 ** math.floor(math.log10(size))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= size)
    first = math.ceil(low / step - 1e-9)
    made = []
    while first * step <= high * (1 + 1e-9):
        place = first * step
        made.append(int(place) if place == int(place) else round(place, 9))
        first += 1
    return made


def amount_steps(top: float, unit: str, most: int = 4) -> list[float]:
    """Round places from 0 to an amount, counted as people say it: of bytes in
    whole steps of KiB, GiB, ....

    >>> amount_steps(3 * 2**40, "B")
    [0, 1099511627776, 2199023255552, 3298534883328]
    """
    scale = 1
    while unit == "B" and top >= 1024 * scale:
        scale *= 1024
    return [p * scale for p in steps(0, top / scale, most)]


_NICE = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800,
         21600, 43200, 86400, 172800, 432000, 604800, 864000, 1728000)


def clock_ticks(length: float, most: int = 7) -> tuple[list[float], list[str]]:
    """Places and words for a time axis that begins at 0, in seconds.

    >>> clock_ticks(86400 * 4)[1]
    ['0', '1 d', '2 d', '3 d', '4 d']
    """
    step = next((s for s in _NICE if length / s <= most), 0)
    if not step:
        whole = steps(0, length / 86400, most)
        return [d * 86400 for d in whole], [_tick(d * 86400, 86400)
                                            for d in whole]
    unit = next(u for u, _ in _SPANS if step >= u)
    places: list[Any] = [k * step for k in range(int(length / step + 1e-9) + 1)]
    return places, [_tick(p, unit) for p in places]


#: Steps between dates (s) and what is written there.
_DATES = ((3600, "%H:%M"), (10_800, "%H:%M"), (21_600, "%H:%M"),
          (86_400, "%d %b"), (172_800, "%d %b"),
          (432_000, "%d %b"), (604_800, "%d %b"), (1_209_600, "%d %b"),
          (2_592_000, "%d %b %Y"), (5_184_000, "%d %b %Y"),
          (10_368_000, "%d %b %Y"), (31_557_600, "%b %Y"))


def date_ticks(length: float, start: datetime | None,
               most: int = 6) -> tuple[list[float], list[str]]:
    """Places (s from `start`) and dates for a time axis; without a date, as
    `clock_ticks`.

    >>> date_ticks(86400 * 3, datetime(2026, 5, 1, 12))[1]
    ['2 May', '3 May', '4 May']
    """
    if start is None or length < 3600:
        return clock_ticks(length, most)
    step, form = next((d for d in _DATES if length / d[0] <= most), _DATES[-1])
    while length / step > most:
        step *= 2
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
    offset = (start - midnight).total_seconds()
    place = -(-offset // step) * step - offset
    places: list[float] = []
    while place <= length:
        places.append(place)
        place += step
    return places, [dated(start + timedelta(seconds=p), form) for p in places]


def dated(at: datetime, form: str) -> str:
    """A date in a form; days without a zero before them.

    >>> dated(datetime(2026, 5, 1), "%d %b"), dated(datetime(2026, 5, 1), "%H:%M")
    ('1 May', '00:00')
    """
    said = at.strftime(form)
    return said if ":" in said else said.lstrip("0")


def _tick(place: float, unit: int) -> str:
    if place == 0:
        return "0"
    return f"{number(place / unit, 4)} {dict(_SPANS)[unit]}"
