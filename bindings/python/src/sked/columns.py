"""Columns in and out.

In: anything with a buffer of the right numbers is read where it is (numpy,
array, memoryview, torch), an Arrow array too; everything else is converted
once. Out: `Column` (numbers, read-only, by the buffer protocol) and `Table`
(columns with names), which numpy, pandas, polars and Arrow take as they are."""

from __future__ import annotations

import html
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Union

from . import _core
from ._core import Column

__all__ = ["Column", "Numbers", "Table", "Texts", "convert"]

#: What a column is given as.
Numbers = Any


def _flat(values: Iterable[Any]) -> Iterator[int]:
    for value in values:
        if isinstance(value, Iterable):
            yield from _flat(value)
        else:
            yield value


def convert(values: Any, code: str) -> Any:
    """A buffer of `code` numbers from what has none: lists, lists of rows,
    arrays of other widths, Arrow arrays."""
    if hasattr(values, "__arrow_c_array__"):
        found = _core.from_arrow(*values.__arrow_c_array__())
        return found if found.format == code else array(code, list(found))
    if hasattr(values, "__arrow_c_stream__") and hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, (str, bytes)):
        raise TypeError("needs numbers, not a text")
    if isinstance(values, bool) or not isinstance(values, Iterable):
        raise TypeError("needs a column of numbers")
    try:
        return array(code, values)
    except TypeError:
        return array(code, _flat(values))


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

    def to_pandas(self) -> Any:
        """A pandas.DataFrame; numbers are seen by numpy uncopied."""
        import numpy
        import pandas
        return pandas.DataFrame({
            name: c.tolist() if isinstance(c, Texts) else numpy.asarray(c)
            for name, c in self.columns.items()})

    def to_polars(self) -> Any:
        """A polars.DataFrame, by the Arrow stream."""
        import polars
        return polars.DataFrame(self)

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


def convert_column(values: Any, code: str = "q") -> Column:
    """A read-only column of the numbers of `values`, copied."""
    made = array(code, values)
    return _core.rebuild(made.tobytes(), code, made.itemsize, len(made), -1)
