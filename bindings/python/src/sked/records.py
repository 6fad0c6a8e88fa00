"""Records: rows of fixed bytes, as C lays them out, seen without numpy.

`Records` reads fields by name; `numpy.asarray(records.column)` gives a
structured array over the same memory."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, overload

from .columns import Column, Table, convert_column


class Layout:
    """Fields of a record in order: "q:time i:kind ..."; all are aligned."""

    def __init__(self, name: str, fields: str) -> None:
        self.name = name
        self.fields = fields
        pairs = [field.split(":") for field in fields.split()]
        self.names = tuple(name for _, name in pairs)
        self._codes = {name: code for code, name in pairs}
        self.struct = struct.Struct("=" + "".join(code for code, _ in pairs))
        at = 0
        self._offsets: dict[str, int] = {}
        for code, name in pairs:
            self._offsets[name] = at
            at += struct.calcsize("=" + code)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.fields == other.fields

    def __hash__(self) -> int:
        return hash(self.fields)

    def __reduce__(self) -> tuple[object, ...]:
        return (Layout, (self.name, self.fields))

    @property
    def size(self) -> int:
        """Bytes of one record."""
        return self.struct.size

    def offset(self, field: str) -> int:
        """Where a field stands."""
        return self._offsets[field]

    def code(self, field: str) -> str:
        """A field as the struct module has it."""
        return self._codes[field]


class Record:
    """One record: fields as attributes."""

    __slots__ = ("_layout", "_values")
    _layout: Layout
    _values: tuple[Any, ...]

    def __reduce__(self) -> tuple[object, ...]:
        return (Record, (self._layout, self._values))

    def __init__(self, layout: Layout, values: tuple[Any, ...]) -> None:
        self._layout = layout
        self._values = values

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[self._layout.names.index(name)]
        except ValueError:
            raise AttributeError(name) from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._values == other._values

    def __hash__(self) -> int:
        return hash(self._values)

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return dict(zip(self._layout.names, self._values))

    def __repr__(self) -> str:
        said = ", ".join(f"{k}={v!r}" for k, v in self.as_dict().items())
        return f"{self._layout.name}({said})"


class Records:
    """Records by row; `column` is their memory."""

    __slots__ = ("layout", "column")

    def __init__(self, layout: Layout, column: Column) -> None:
        self.layout = layout
        self.column = column

    def __len__(self) -> int:
        return len(self.column)

    @overload
    def __getitem__(self, i: int) -> Record: ...

    @overload
    def __getitem__(self, i: slice) -> Records: ...

    def __getitem__(self, i: int | slice) -> Record | Records:
        if isinstance(i, slice):
            return Records(self.layout, self.column[i])
        return Record(self.layout, self.layout.struct.unpack(self.column[i]))

    def __iter__(self) -> Iterator[Record]:
        for i in range(len(self.column)):
            yield self[i]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Records) and self.column == other.column

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return (Records, (self.layout, self.column))

    def field(self, name: str) -> list[Any]:
        """One field of all."""
        at = self.layout.names.index(name)
        unpack = self.layout.struct.unpack
        return [unpack(row)[at] for row in self.column]

    def table(self) -> Table:
        """The fields as columns."""
        rows = list(zip(*self.layout.struct.iter_unpack(bytes(self.column))))
        return Table({name: convert_column(
            list(rows[i]) if rows else [], self.layout.code(name))
            for i, name in enumerate(self.layout.names)})

    def to_pandas(self, *, zone: str | None = None) -> Any:
        """A pandas.DataFrame of the fields; with `zone` times are dates there,
        as in `Table.to_pandas`."""
        return self._dated(zone).to_pandas(zone=zone)

    def to_polars(self, *, zone: str | None = None) -> Any:
        """A polars.DataFrame of the fields, likewise."""
        return self._dated(zone).to_polars(zone=zone)

    def _dated(self, zone: str | None) -> Table:
        """The table, its time by the name that is made a date."""
        columns = self.table().columns
        return Table({"time_ns" if zone and name == "time" else name: column
                      for name, column in columns.items()})

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def __repr__(self) -> str:
        return f"<{len(self)} of {self.layout.name}>"
