"""Columns of a frame as arrays of numpy, with exactly the numbers that the
rules for single values give (`frames`).

A column of few different values is worked out once for each of them. Seconds
and amounts in floats are worked out at once wherever the error of a float
cannot change the result; a column with any other value is left to the rules
for single values. Each function returns None for a column that is left so."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .columns import is_missing

SECOND = 1_000_000_000
MOST = 1 << 62
#: Above this a float holds no parts of a unit.
WHOLE = float(1 << 53)
#: The largest relative error of sums of floats, as in `frames`.
NOISE = 2.0**-22
#: How near to a limit a float is too near to be sure of.
DOUBT = 2.0**-49


def numpy() -> Any:
    """numpy, where it is there."""
    try:
        import numpy as found
    except ImportError:
        return None
    return found


class Columns(Mapping[str, list[Any]]):
    """The columns of a frame by name, made lists when they are asked for."""

    def __init__(self, raw: Mapping[str, Any],
                 listed: Callable[[Any], list[Any]]) -> None:
        self.raw = raw
        self.listed = listed
        self.made: dict[str, list[Any]] = {}

    def __getitem__(self, name: str) -> list[Any]:
        if name not in self.made:
            self.made[name] = self.listed(self.raw[name])
        return self.made[name]

    def __contains__(self, name: object) -> bool:
        return name in self.raw

    def __iter__(self) -> Iterator[str]:
        return iter(self.raw)

    def __len__(self) -> int:
        return len(self.raw)

    def length(self, name: str) -> int:
        """How many values a column has."""
        return len(self.raw[name])


def plain(values: Any) -> Any:
    """A column as an array of numbers or of times; None where it is neither,
    or where something is missing in it."""
    np = numpy()
    if np is None:
        return None
    if isinstance(values, (list, tuple)):
        kinds = set(map(type, values))
        if len(kinds) != 1 or not kinds <= {int, float, np.int64, np.float64}:
            return None
        try:
            made = np.asarray(values)
        except OverflowError:
            return None
        return made if made.dtype in (np.int64, np.float64) else None
    if type(values).__module__.startswith("pyarrow") and values.null_count:
        return None
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if kind is None or isinstance(values, np.ndarray):
        try:
            values = values.to_numpy() if hasattr(values, "to_numpy") \
                else values
        except (TypeError, ValueError, ImportError):
            return None
    elif kind in "iuf" and hasattr(values, "to_numpy"):
        if type(values.dtype).__module__.startswith("pandas"):
            return None  # it has nulls of its own
        values = values.to_numpy()
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        return None
    return values if values.dtype.kind in "iu" or \
        values.dtype == np.float64 else None


#: How many ns a unit of dates has.
UNITS = {"s": SECOND, "ms": 10**6, "us": 1000, "ns": 1}


def dates(values: Any, instants: bool, naive: bool) -> Any:
    """Lengths of time as ns, and, where `instants` are wanted, dates too; `naive`:
    dates without a zone are of UTC. Any other column gives None."""
    np = numpy()
    module = type(values).__module__.partition(".")[0]
    if np is None:
        return None
    if module == "pyarrow":
        return dates_of_arrow(values, instants, naive)
    if module == "polars":
        found = values.dtype
        name = type(found).__name__
        if values.null_count() or not (name == "Duration" or instants and
                                       name == "Datetime" and
                                       (naive or found.time_zone)):
            return None
        return scaled(values.to_physical().to_numpy(), found.time_unit)
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    if kind == "M" and module == "pandas" and getattr(values.dtype, "tz", None):
        values, naive = values.dt.tz_convert(None), True
    if kind != "m" and not (kind == "M" and instants and naive):
        return None
    made = values.to_numpy() if hasattr(values, "to_numpy") else values
    if made.ndim != 1 or made.dtype.kind != kind or np.isnat(made).any():
        return None
    unit, count = np.datetime_data(made.dtype)
    return scaled(made.view(np.int64), unit) if count == 1 else None


def dates_of_arrow(values: Any, instants: bool, naive: bool) -> Any:
    """The same of a column of Arrow."""
    import pyarrow
    found = values.type
    if values.null_count:
        return None
    if pyarrow.types.is_duration(found):
        return scaled(values.cast(pyarrow.int64()).to_numpy(), found.unit)
    if instants and pyarrow.types.is_timestamp(found) and (naive or found.tz):
        return scaled(values.cast(pyarrow.int64()).to_numpy(), found.unit)
    return None


def scaled(counts: Any, unit: str) -> Any:
    """Counts of a unit of time as ns. A count that is too large gives None."""
    by = UNITS.get(unit)
    if by is None or len(counts) and (int(counts.max()) > MOST // by or
                                      int(counts.min()) < -(MOST // by)):
        return None
    return counts * by


def nanoseconds(values: Any) -> Any:
    """Seconds as ns: to the nearest, halves to even, as Python rounds."""
    np, column = numpy(), plain(values)
    if column is None:
        return None
    if column.dtype.kind in "iu":
        if len(column) and (int(column.max()) > MOST // SECOND or
                            int(column.min()) < -(MOST // SECOND)):
            return None
        return column.astype(np.int64) * SECOND
    if not np.isfinite(column).all() or len(column) and \
            np.abs(column).max() >= MOST / SECOND - 1:
        return None
    below = np.floor(column)
    part = (column - below) * SECOND
    near = np.rint(part)
    if (np.abs(np.abs(part - np.floor(part)) - 0.5) <= 1e-6).any():
        return None
    return below.astype(np.int64) * SECOND + near.astype(np.int64)


def amounts(values: Any, scale: int) -> Any:
    """Numbers in the smallest unit: parts of a unit up, but for what sums of
    floats are off by."""
    np, column = numpy(), plain(values)
    if column is None:
        return None
    if column.dtype.kind in "iu":
        if len(column) and (int(column.max()) > MOST // scale or
                            int(column.min()) < 0):
            return None
        return column.astype(np.int64) * scale
    if not np.isfinite(column).all() or (column < 0).any():
        return None
    made = column * scale
    if len(made) and made.max() >= WHOLE:
        return None
    near = np.rint(made)
    off = np.abs(made - near)
    doubt = (np.abs(off - NOISE * made) <= DOUBT * made) & (off > 0) | \
        (np.abs(off - 0.5) <= DOUBT * made) & (made > 0.25)
    if doubt.any():
        return None
    return np.where(off <= NOISE * made, near, np.ceil(made)).astype(np.int64)


def whole(values: Any, low: int, high: int) -> Any:
    """Whole numbers within bounds."""
    np, column = numpy(), plain(values)
    if column is None or column.dtype.kind not in "iu":
        return None
    if len(column) and not (low <= int(column.min()) and
                            int(column.max()) <= high):
        return None
    return column.astype(np.int64)


def encoded(values: Any) -> tuple[Any, list[Any]] | None:
    """The number of each value among those that differ, from 0 in the order
    in which they come, and these. None where something is missing."""
    np = numpy()
    if np is None:
        return None
    if isinstance(values, (list, tuple)):
        known: dict[Any, int] = {}
        try:
            codes = np.fromiter((known.setdefault(v, len(known))
                                 for v in values), np.int64, len(values))
        except TypeError:
            return None
        different = list(known)
    elif hasattr(values, "dictionary_encode"):  # pyarrow
        one = values.combine_chunks() if hasattr(values, "combine_chunks") \
            else values
        one = one.dictionary_encode() if hasattr(one, "dictionary_encode") \
            else one
        if one.null_count:
            return None
        codes = one.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        different = one.dictionary.to_pylist()
    elif type(values).__module__.startswith("pandas"):
        import pandas
        codes, found = pandas.factorize(values)
        codes, different = codes.astype(np.int64), list(found)
        if len(codes) and int(codes.min()) < 0:
            return None
    else:
        return encoded(values.to_list()) if hasattr(values, "to_list") else None
    kinds = {type(one) for one in different}
    return None if any(map(is_missing, different)) or len(kinds) > 1 else \
        (codes, different)


def columns(code: str, values: Any, order: Any = None) -> array[Any]:
    """An array of numpy, in an order, as a column of numbers."""
    np = numpy()
    kinds = {"q": np.int64, "Q": np.uint64, "i": np.int32, "I": np.uint32}
    made = array(code)
    taken = values if order is None else values[order]
    whole = np.ascontiguousarray(taken.astype(kinds[code], copy=False))
    made.frombytes(memoryview(whole).cast("B") if whole.size else b"")
    return made
