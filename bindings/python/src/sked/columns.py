"""Columns in and out.

In: anything with a buffer of the right numbers is read where it is (numpy,
array, memoryview, torch), an Arrow array too; everything else is converted
once. Out: `Column` (numbers, read-only, by the buffer protocol) and `Table`
(columns with names), which numpy, pandas, polars and Arrow take as they are."""

from __future__ import annotations

import html
import operator
from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from math import prod
from numbers import Real
from typing import Any, Union

from . import _core
from ._core import Column

__all__ = ["Column", "Numbers", "Table", "Texts", "convert"]

#: What a column is given as.
Numbers = Any


def whole(value: Any) -> int:
    """A number as a whole one. TypeError for a text or nothing, ValueError for
    one with a fraction: nothing is cut off.

    >>> whole(2.0), whole(True)
    (2, 1)
    """
    if isinstance(value, int):
        return int(value)
    if is_missing(value):
        raise TypeError("is missing (None, null or NaN)")
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{value!r} is a text, not a number")
    if isinstance(value, timedelta):
        return span_of(value)
    if isinstance(value, datetime):
        return since_1970(value)
    try:
        return operator.index(value)
    except TypeError:
        pass
    try:
        made = int(value)
    except (TypeError, ValueError):
        raise TypeError(f"{value!r} is no number") from None
    if made != value:
        raise ValueError(f"{value!r} is no whole number")
    return made


def unbounded(value: Any) -> Any:
    """A number of numpy as Python has it, which no product leaves; others as
    they are."""
    return value.item() if isinstance(value, Real) and \
        hasattr(value, "item") else value


def count_of(column: Any) -> int:
    """How many numbers a column has, whatever its shape; of None none."""
    if column is None:
        return 0
    if hasattr(column, "shape"):
        return int(prod(column.shape))
    first = next(iter(column), None)
    return sum(map(len, column)) if isinstance(first, (Sequence, array)) \
        else len(column)


def is_missing(value: Any) -> bool:
    """None, NaN, and the nulls of frames."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or \
        bool(value != value)


def span_of(length: timedelta) -> int:
    """A length of time in ns, with those that pandas keeps below a
    microsecond."""
    return length // timedelta(microseconds=1) * 1000 + \
        int(getattr(length, "nanoseconds", 0))


def since_1970(at: datetime) -> int:
    """A date as ns since 1970; one without a zone is taken as UTC."""
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return span_of(at - datetime(1970, 1, 1, tzinfo=timezone.utc))


def _flat(values: Iterable[Any], code: str,
          within: int | None = None) -> Iterator[Any]:
    """The numbers one by one; `within` is the row that `values` are of, where
    they are no rows themselves."""
    for at, value in enumerate(values):
        row = at if within is None else within
        if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
            yield from _flat(value, code, row)
        else:
            try:
                made = float(value) if code == "d" else whole(value)
                array(code, [made])
                yield made
            except OverflowError:
                raise OverflowError(f"row {row}: {value!r} is "
                                    f"{_range_of(code, value)}") from None
            except (TypeError, ValueError) as error:
                raise type(error)(f"row {row}: {error}") from None


def _range_of(code: str, value: Any) -> str:
    """Why a column has no such number."""
    if code in "BHIQ" and value < 0:
        return "negative"
    bits = 8 * array(code).itemsize - (code not in "BHIQ")
    return f"not within 2^{bits}"


def _of_arrow(values: Any) -> Any:
    """An Arrow array's own memory; its values one by one where that holds no
    plain numbers (texts, nulls, numbers of categories)."""
    try:
        return _core.from_arrow(*values.__arrow_c_array__())
    except TypeError:
        return values.to_pylist() if hasattr(values, "to_pylist") \
            else list(values)


def _plain(values: Any) -> Any:
    """What a frame's column is underneath: dates and lengths of time as ns,
    whole numbers that are kept as fractions as they are."""
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "to_numpy"):
        nulls = getattr(values, "null_count", 0)  # polars: a function
        if (nulls() if callable(nulls) else nulls) or \
                (hasattr(values, "isna") and bool(values.isna().any())):
            return list(values)
        values = values.to_numpy()
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    return _nanoseconds(values, kind) if kind in ("M", "m") else values


def _nanoseconds(values: Any, kind: str) -> Any:
    """numpy's dates or lengths of time as ns. TypeError for one that is
    missing, OverflowError for one that is no whole number of ns within 64
    bits."""
    made = values.astype(f"{kind}8[ns]")
    for at in zip(*(made.astype(values.dtype) != values).nonzero()):
        if is_missing(values[at]):
            raise TypeError(f"row {at[0]}: is missing (None, null or NaN)")
        raise OverflowError(f"row {at[0]}: {values[at]!r} is no whole number "
                            "of ns within 2^63")
    return made.astype("int64")


def convert(values: Any, code: str) -> Any:
    """A buffer of `code` numbers from what has none: lists, lists of rows,
    arrays of other widths, columns of frames, dates and lengths of time (as
    ns). TypeError or ValueError with the row for what is no whole number."""
    if hasattr(values, "__arrow_c_array__"):
        values = _of_arrow(values)
        if isinstance(values, Column) and values.format == code:
            return values
    if isinstance(values, (str, bytes)):
        raise TypeError("needs numbers, not a text")
    if isinstance(values, bool) or not isinstance(values, Iterable):
        raise TypeError("needs a column of numbers")
    values = _plain(values)
    if isinstance(values, bytearray):
        values = memoryview(values)  # an array would take it for its memory
    try:
        return array(code, values)
    except (TypeError, OverflowError):
        return array(code, _flat(values, code))


class Texts(Sequence[str]):
    """A column of text: offsets and one UTF-8 blob, as Arrow has it."""

    __slots__ = ("blob", "offsets")

    def __init__(self, texts: Iterable[str]) -> None:
        blob = bytearray()
        self.offsets = array("i", [0])
        for text in texts:
            blob += text.encode()
            self.offsets.append(len(blob))
        self.blob = bytes(blob)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        n = len(self)
        if not -n <= i < n:
            raise IndexError("no such row")
        i %= n
        return self.blob[self.offsets[i]:self.offsets[i + 1]].decode()

    def tolist(self) -> list[str]:
        """The texts as a list."""
        return list(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Texts, list)):
            return list(self) == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Texts({self.tolist()!r})" if len(self) <= 20 else \
            f"<Texts of {len(self)} rows>"


AnyColumn = Union[Column, Texts]


class Table:
    """Columns of one length, by name.

    >>> t = Table({"n": convert_column([1, 2]), "s": Texts(["a", "b"])})
    >>> t["n"].tolist(), t.names, len(t)
    ([1, 2], ['n', 's'], 2)
    >>> list(t.rows(named=True))[0]
    {'n': 1, 's': 'a'}
    """

    __slots__ = ("columns",)

    def __init__(self, columns: dict[str, AnyColumn]) -> None:
        if len({len(c) for c in columns.values()}) > 1:
            raise ValueError("columns of different lengths")
        self.columns = columns

    @property
    def names(self) -> list[str]:
        """The columns' names, in order."""
        return list(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def __getitem__(self, name: str) -> AnyColumn:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def rows(self, named: bool = False) -> Iterator[Any]:
        """Row by row, as tuples or as dicts."""
        lists = [c.tolist() for c in self.columns.values()]
        for row in zip(*lists):
            yield dict(zip(self.columns, row)) if named else row

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists."""
        return {name: c.tolist() for name, c in self.columns.items()}

    def to_pandas(self, *, zone: str | None = None) -> Any:
        """A pandas.DataFrame; numbers are seen by numpy uncopied. With `zone`
        ("UTC", "Europe/Stockholm") columns called ..._ns that are instants
        become dates there, others of them lengths of time, without the _ns;
        -1 in either is missing."""
        import numpy
        import pandas
        frame = pandas.DataFrame({
            name: c.tolist() if isinstance(c, Texts) else numpy.asarray(c)
            for name, c in self.columns.items()})
        return frame if zone is None else _dated(frame, zone)

    def to_polars(self, *, zone: str | None = None) -> Any:
        """A polars.DataFrame, by the Arrow stream; `zone` as `to_pandas` has
        it."""
        import polars
        frame = polars.DataFrame(self)
        return frame if zone is None else _dated_polars(frame, zone)

    def __array__(self, *how: object, **more: object) -> Any:
        raise TypeError("a Table is no array: to_pandas(), to_polars(), "
                        "to_dict(), or numpy.asarray(table[name])")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow C stream of this table, without a copy."""
        return _core.arrow([
            (name, c.offsets, c.blob) if isinstance(c, Texts) else (name, c)
            for name, c in self.columns.items()])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Table):
            return self.to_dict() == other.to_dict()
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows: {', '.join(self.columns)}>"

    def _shown(self, most: int) -> list[list[str]]:
        return [[str(v) for v in row]
                for _, row in zip(range(most), self.rows())]

    def __str__(self) -> str:
        rows = [self.names, *self._shown(50)]
        widths = [max(len(row[i]) for row in rows)
                  for i in range(len(self.names))]
        texts = [isinstance(c, Texts) for c in self.columns.values()]
        lines = ["  ".join(v.ljust(w) if t else v.rjust(w)
                           for v, w, t in zip(row, widths, texts)).rstrip()
                 for row in rows]
        if len(self) > 50:
            lines.append(f"... {len(self) - 50} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        def line(cells: Iterable[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>"
                                    for c in cells) + "</tr>"

        rows = "".join(line(row, "td") for row in self._shown(20))
        more = len(self) - 20
        foot = f"<p>… {more} more</p>" if more > 0 else ""
        return f"<table>{line(self.names, 'th')}{rows}</table>{foot}"


#: Columns of ns that are instants; others are lengths of time.
INSTANTS = ("start_ns", "end_ns", "time_ns", "submit_ns")


def _dated(frame: Any, zone: str) -> Any:
    """A pandas frame with times for numbers of ns."""
    import pandas
    made = {}
    for name in frame.columns:
        column = frame[name]
        if name.endswith("_ns"):
            column = column.astype("Int64")
            column = column.mask(column < 0)
            column = pandas.to_datetime(column, unit="ns", utc=True) \
                .dt.tz_convert(zone) if name in INSTANTS else \
                pandas.to_timedelta(column, unit="ns")
        made[name.removesuffix("_ns")] = column
    return pandas.DataFrame(made)


def _dated_polars(frame: Any, zone: str) -> Any:
    """The same of a polars frame."""
    import polars
    made = []
    for name in frame.columns:
        column = polars.col(name)
        if name.endswith("_ns"):
            column = polars.when(column >= 0).then(column).cast(polars.Int64)
            column = column.cast(polars.Datetime("ns", "UTC")) \
                .dt.convert_time_zone(zone) if name in INSTANTS else \
                column.cast(polars.Duration("ns"))
        made.append(column.alias(name.removesuffix("_ns")))
    return frame.select(made)


def convert_column(values: Any, code: str = "q") -> Column:
    """A read-only column of the numbers of `values`, copied."""
    made = array(code, values)
    return _core.rebuild(made.tobytes(), code, made.itemsize, len(made), -1)
