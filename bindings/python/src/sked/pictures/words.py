"""Numbers as people read them: amounts with units, times, parts."""

from __future__ import annotations

import math
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

    >>> amount("cpu", 2500), amount("memory", 3 << 30, "B")
    ('2.5 cores', '3 GiB')
    """
    if unit == "B":
        size = 0
        while value >= 1024 and size < len(_BYTES) - 1:
            value /= 1024
            size += 1
        return f"{number(value)} {_BYTES[size]}"
    name = UNITS.get(kind, kind)
    return f"{number(value / scale_of(unit))} {name}".rstrip()


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


def _tick(place: float, unit: int) -> str:
    if place == 0:
        return "0"
    return f"{number(place / unit, 4)} {dict(_SPANS)[unit]}"
