"""Workloads as data frames of pandas or polars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model import Workload

#: Fields of a job that are instants, and what else they are.
INSTANTS, SPANS = ("submit", "start", "end"), ("run", "slo")


def table_of(workload: Workload, fields: Sequence[str]) -> dict[str, list[Any]]:
    """A workload as columns: times in ns on its own clock, cores and GPUs in
    thousandths, bytes; None where nothing is said."""
    rows = list(workload)
    return {name: [getattr(job, name) for job in rows] for name in fields}


def workload_pandas(workload: Workload, fields: Sequence[str],
                    zone: str | None) -> Any:
    """See `Workload.to_pandas`."""
    import pandas
    found = table_of(workload, fields)
    made: dict[str, Any] = {}
    for name, values in found.items():
        if name in INSTANTS or name in SPANS:
            column = pandas.Series(values, dtype="Int64")
            made[name] = pandas.to_datetime(
                column, unit="ns", utc=True).dt.tz_convert(zone) \
                if zone and name in INSTANTS else pandas.to_timedelta(
                    column, unit="ns")
        elif name in ("cpu", "gpu"):
            made[name] = pandas.Series(
                [None if v is None else v / 1000 for v in values],
                dtype="Float64")
        elif name in ("id", "user", "group", "queue", "partition", "tier",
                      "workflow"):
            made[name] = pandas.Series([v or None for v in values],
                                       dtype="string")
        else:
            made[name] = pandas.Series(values, dtype="Int64")
    return pandas.DataFrame(made)


def workload_polars(workload: Workload, fields: Sequence[str],
                    zone: str | None) -> Any:
    """See `Workload.to_polars`."""
    import polars
    found = table_of(workload, fields)
    made: list[Any] = []
    for name, values in found.items():
        if name in INSTANTS and zone:
            made.append(polars.Series(name, values, polars.Int64).cast(
                polars.Datetime("ns", "UTC")).dt.convert_time_zone(zone))
        elif name in INSTANTS or name in SPANS:
            made.append(polars.Series(name, values, polars.Int64).cast(
                polars.Duration("ns")))
        elif name in ("cpu", "gpu"):
            made.append(polars.Series(
                name, [None if v is None else v / 1000 for v in values],
                polars.Float64))
        elif name in ("id", "user", "group", "queue", "partition", "tier",
                      "workflow"):
            made.append(polars.Series(name, [v or None for v in values],
                                      polars.String))
        else:
            made.append(polars.Series(name, values, polars.Int64))
    return polars.DataFrame(made)
