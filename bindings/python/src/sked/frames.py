"""Data frames in and out: jobs from pandas, polars, Arrow or plain columns, and
workloads as frames. Units are said once, times are dates with zones or seconds,
and what does not fit is an error with its column, row and value."""

from __future__ import annotations

import difflib
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from . import vectors
from .columns import is_missing, since_1970, span_of, unbounded, whole
from .errors import Error
from .rule import Rule, Words
from .rule import numbered as numbered_rules
from .tree import Queue, Tree

#: What is made of a frame: `Jobs`, whose module is above this one.
Made = TypeVar("Made")

SECOND = 1_000_000_000
#: What a frame of jobs may have besides amounts by kind.
FIELDS = ("submit", "run", "start", "end", "queue", "tasks", "user", "priority",
          "partition", "needs")
#: How many of a schema's smallest unit a number of a frame is, by word.
SCALES = {"m": 1000, "B": 1, "1": 1}
BYTES: dict[str, int] = {
    "B": 1, **{f"{p}B": 1000**i for i, p in enumerate("kMGTPE", 1)},
    **{f"{p}iB": 1024**i for i, p in enumerate("KMGTPE", 1)}}


#: Of times and amounts, in their smallest units.
MOST = 1 << 62
#: Fields that are no numbers, and types whose values are none.
NAMED, FLAGS = ("queue", "user", "needs"), ("bool", "bool_")


class FrameError(ValueError):
    """What a frame has that is no job: `column`, `row` (from 0) and `value`."""

    def __init__(self, column: str, row: int, value: object,
                 why: object) -> None:
        super().__init__(f"column {column!r}, row {row}: {value!r}: {why}")
        self.column = column
        self.row = row
        self.value = value

    def __reduce__(self) -> tuple[object, ...]:
        return (_raise_again, (self.column, self.row, self.value, str(self)))


def _raise_again(column: str, row: int, value: object, said: str) -> FrameError:
    made = FrameError(column, row, value, "")
    made.args = (said,)
    return made


def columns_of(frame: Any) -> vectors.Columns:
    """The columns of a frame, as lists when they are asked for: of pandas,
    polars, an Arrow table, or a dict."""
    if isinstance(frame, Mapping):
        return vectors.Columns({str(name): values if hasattr(values, "__len__")
                                else list(values)
                                for name, values in frame.items()}, listed)
    if hasattr(frame, "column_names") and hasattr(frame, "to_pydict"):
        return vectors.Columns({name: frame.column(name)
                                for name in frame.column_names},
                               lambda values: list(values.to_pylist()))
    if hasattr(frame, "to_dict") and hasattr(frame, "columns"):
        return vectors.Columns({str(name): frame[name]
                                for name in frame.columns}, list)
    raise TypeError(f"a {type(frame).__name__} is no frame: pandas, polars, an "
                    "Arrow table, or a dict of columns")


def zone_of(name: str) -> tzinfo:
    """A time zone by name. ValueError when there is none of it."""
    if name == "UTC":
        return timezone.utc
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise ValueError(f"zone: no time zone {name!r}") from None


def listed(values: Any) -> list[Any]:
    """A column's values as Python has them: numpy's dates and lengths of time
    as ns are none, so pandas reads those."""
    if getattr(getattr(values, "dtype", None), "kind", "") in ("M", "m") and \
            not hasattr(values, "to_list"):
        values = values.astype(f"{values.dtype.kind}8[us]")
        return list(values.tolist())
    return list(values)


class Reader:
    """One frame being read."""

    def __init__(self, tree: Tree, frame: Any, columns: Mapping[str, str],
                 units: Mapping[str, str], ignore: Iterable[str] | str,
                 zone: str) -> None:
        self.tree = tree
        self.kinds = tree.schema.names
        found = columns_of(frame)
        known = (*FIELDS, *self.kinds)
        self.place = {name: name for name in known if name in found}
        for name, unit in zip(self.kinds, tree.schema.units):
            spoken = amount_name(name, unit)
            if name not in found and spoken in found:
                self.place[name] = spoken
        for name, at in columns.items():
            if name not in known:
                raise ValueError(f"columns: no field {name!r}{near(name, known)}")
            if at not in found:
                raise ValueError(f"columns: no column {at!r}{near(at, found)}")
            self.place[name] = at
        self.found = found
        self.zone = zone_of(zone)
        left = set() if ignore == "rest" else \
            set(found) - set(self.place.values()) - set(ignore)
        if left:
            one = sorted(left)[0]
            raise ValueError(
                f"column {one!r} is not read{near(one, known)}: say what it is "
                "in columns=, or leave it out by ignore=")
        lengths = {name: found.length(name) for name in found}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns of different lengths: {lengths}")
        self.rows = next(iter(lengths.values()), 0)
        self.scale = {name: scale_of(name, tree.schema.units[k],
                                     units.get(name, ""))
                      for k, name in enumerate(self.kinds)}
        for name in units:
            if name not in self.kinds:
                raise ValueError(f"units: no kind {name!r}"
                                 f"{near(name, self.kinds)}")

    def raw(self, name: str) -> Any:
        """A column as the frame has it."""
        return self.found.raw[self.place[name]]

    def has(self, name: str) -> bool:
        """Is there such a column?"""
        return name in self.place

    def read(self, name: str, by: Callable[[Any], Any],
             missing: Any = None) -> list[Any]:
        """A column through a function; `missing` for nulls, an error without
        it."""
        at = self.place[name]
        made = []
        for row, value in enumerate(self.found[at]):
            try:
                if is_missing(value):
                    if missing is None:
                        raise ValueError("is missing")
                    made.append(missing)
                else:
                    if name not in NAMED and type(value).__name__ in FLAGS:
                        raise TypeError("is true or false, not a number")
                    got = by(value)
                    if isinstance(got, int) and abs(got) > MOST and \
                            name != "queue":
                        raise ValueError("is larger than 2^62 units")
                    made.append(got)
            except (Error, TypeError, ValueError, KeyError,
                    OverflowError) as error:
                raise FrameError(at, row, value, error) from None
        return made

    def instant(self, value: Any) -> int:
        """A date, or seconds, as ns."""
        return instant_of(value, self.zone)

    def amounts(self, kind: str) -> list[int]:
        """A kind's amounts in its smallest unit."""
        schema, scale = self.tree.schema, self.scale[kind]

        def one(value: Any) -> int:
            if isinstance(value, str):
                return schema.amount(kind, value)
            made = units_of(value, scale)
            if made < 0:
                raise ValueError("is negative")
            if made.denominator != 1:
                raise ValueError("is no whole number of "
                                 + schema.units[schema.kind(kind)])
            return int(made)

        return self.read(kind, one, 0)

    def queues(self) -> list[int]:
        """Ids of leaves."""
        ids: dict[Any, int] = {}

        def one(value: Any) -> int:
            if isinstance(value, Queue):
                return value.id
            if value not in ids:
                path = str(value)
                queue = self.tree[path if path in self.tree
                                  else f"root.{path}"]
                if queue.children:
                    raise ValueError("is no leaf")
                ids[value] = queue.id
            return ids[value]

        return self.read("queue", one)

    def moments(self, name: str, instants: bool = True) -> Any:
        """A column of times as ns, at once. Any other column gives None."""
        raw = self.raw(name)
        found = vectors.nanoseconds(raw)
        return found if found is not None else vectors.dates(
            raw, instants, self.zone is timezone.utc)

    def leaves(self) -> Any:
        """Ids of leaves, each path looked up once; None where some are no
        texts or are not there."""
        found = vectors.encoded(self.raw("queue"))
        if found is None or not all(isinstance(one, str) for one in found[1]):
            return None
        ids = []
        for path in found[1]:
            try:
                queue = self.tree[path if path in self.tree
                                  else f"root.{path}"]
            except (Error, KeyError):
                return None
            if queue.children:
                return None
            ids.append(queue.id)
        np = vectors.numpy()
        return np.array(ids, np.uint64)[found[0]]

    def users(self) -> Any:
        """Users as numbers from 1, in the order in which they come."""
        found = vectors.encoded(self.raw("user"))
        if found is None:
            return None
        np = vectors.numpy()
        return np.array(numbered(list(map(str, found[1]))),
                        np.int64)[found[0]]

    def runs(self, start: list[int] | None) -> list[int]:
        """How long each task runs, in ns."""
        if self.has("run"):
            runs = self.read("run", duration)
            name, what = self.place["run"], "is not above 0"
        elif start is not None and self.has("end"):
            ends = self.read("end", self.instant)
            runs = [e - s for s, e in zip(start, ends)]
            name, what = self.place["end"], "is not after the start"
        else:
            raise ValueError("needs a column run, or start and end; there are "
                             + ", ".join(map(repr, self.found)))
        for row, run in enumerate(runs):
            if run <= 0:
                raise FrameError(name, row, self.found[name][row], what)
        return runs


#: What floats of 32 bits, and sums of others, are off by, at most, as a part.
NOISE = Fraction(1, 1 << 22)


def units_of(value: Any, scale: int) -> Fraction:
    """A number in the smallest unit. A float is what it is written as: 0.1
    core is 100 thousandths, and so is 0.1 with the last digits of a sum;
    parts of a unit in it are rounded up.

    >>> units_of(0.1, 1000), units_of(0.1 + 0.2, 1000), units_of(0.0001, 1000)
    (Fraction(100, 1), Fraction(300, 1), Fraction(1, 1))
    """
    value = unbounded(value)
    if hasattr(value, "numerator") and not isinstance(value, float):
        return Fraction(value) * scale
    try:
        exact = Fraction(str(value)) * scale
    except ValueError:
        raise ValueError("is no finite number") from None
    near_by = round(exact)
    close = abs(exact - near_by) <= NOISE * abs(exact)
    return Fraction(near_by if close else -(-exact // 1))


def near(name: str, among: Iterable[str]) -> str:
    """What may have been meant."""
    found = difflib.get_close_matches(name, list(among), 1)
    return f" (did you mean {found[0]!r}?)" if found else ""


def scale_of(kind: str, unit: str, word: str) -> int:
    """How many of the smallest unit a number of a column is: cores and GPUs
    for thousandths, bytes for bytes, unless a word says otherwise."""
    if not word:
        return SCALES.get(unit, 1)
    if unit == "B" and word in BYTES:
        return int(BYTES[word])
    if unit == "m" and word in ("m", "milli"):
        return 1
    raise ValueError(f"units: {word!r} is no unit of {kind!r}")


def instant_of(value: Any, zone: tzinfo) -> int:
    """A date, or seconds, as ns; `zone` is that of dates without one."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=zone)
        return since_1970(value)
    if isinstance(value, date):
        return since_1970(datetime(value.year, value.month, value.day,
                                   tzinfo=zone))
    return duration(value)


def duration(value: Any) -> int:
    """A length of time, or seconds, as ns."""
    if isinstance(value, timedelta):
        return span_of(value)
    if isinstance(value, (str, bytes)):
        raise TypeError("is a text: times are dates or numbers of seconds "
                        "(pandas.to_datetime reads texts)")
    if isinstance(value, datetime):
        raise TypeError("is a date, no number of seconds")
    return round(Fraction(unbounded(value)) * SECOND)


def numbered(values: Sequence[Any]) -> list[int]:
    """Names as numbers from 1, in the order in which they come."""
    known: dict[Any, int] = {}
    return [known.setdefault(v, len(known) + 1) for v in values]


def jobs_of(kind: Callable[..., Made], tree: Tree, frame: Any, *,
            columns: Mapping[str, str] | None = None,
            units: Mapping[str, str] | None = None,
            ignore: Iterable[str] | str = (), zone: str = "UTC",
            words: Words | None = None,
            rules: Sequence[Rule] = ()) -> Made:
    """See `Jobs.from_frame`."""
    if own_table(frame):
        return of_own_table(kind, tree, columns_of(frame), rules, zone)
    reader = Reader(tree, frame, columns or {}, units or {}, ignore, zone)
    made = at_once(kind, reader)
    if made is not None:
        return made
    start = reader.read("start", reader.instant) if reader.has("start") \
        else None
    if not reader.has("submit") and start is None:
        raise ValueError("needs a column submit or start; there are "
                         + ", ".join(map(repr, reader.found)))
    submit = reader.read("submit", reader.instant) \
        if reader.has("submit") else start
    assert submit is not None
    if not reader.has("queue"):
        raise ValueError("needs a column queue")
    runs, queues = reader.runs(start), reader.queues()
    used = [k for k in reader.kinds if reader.has(k)]
    if not used:
        raise ValueError("needs a column of an amount: one of "
                         + ", ".join(map(repr, reader.kinds)))
    by_kind = {k: reader.amounts(k) for k in used}
    zeros = [0] * reader.rows
    order = sorted(range(reader.rows), key=submit.__getitem__)

    def column(code: str, values: Sequence[int]) -> array[int]:
        return array(code, [values[i] for i in order])

    def said(name: str, code: str, missing: int) -> array[int] | None:
        def fit(value: Any) -> int:
            return array(code, [whole(value)])[0]

        return column(code, reader.read(name, fit, missing)) \
            if reader.has(name) else None

    amounts = array("q")
    for i in order:
        amounts.extend(by_kind.get(k, zeros)[i] for k in reader.kinds)
    user = column("Q", numbered(reader.read("user", str, "default"))) \
        if reader.has("user") else None
    told: dict[str, Any] = {}
    if reader.has("needs"):
        if words is None:
            raise ValueError("column needs: needs the words of the nodes")
        rules = reader.read("needs", words.rule, Rule())
        told["rule"], told["rules"] = numbered_rules([rules[i] for i in order])
    return kind(column("q", submit), column("q", runs), amounts,
                column("Q", queues), said("tasks", "q", 1), user,
                said("priority", "i", 0), said("partition", "I", 0), **told)


def at_once(kind: Callable[..., Made], reader: Reader) -> Made | None:
    """The same from whole columns; None where one of them needs the rules for
    single values, be it for a fault."""
    if not reader.has("queue") or reader.has("needs") or not reader.rows:
        return None
    start = reader.moments("start") if reader.has("start") else None
    submit = reader.moments("submit") if reader.has("submit") else start
    if submit is None or reader.has("start") and start is None:
        return None
    if reader.has("run"):
        run = reader.moments("run", instants=False)
    elif start is None or not reader.has("end"):
        return None
    else:
        end = reader.moments("end")
        run = None if end is None else end - start
    if run is None or int(run.min()) <= 0 or int(run.max()) > MOST:
        return None
    np, more = vectors.numpy(), {}
    for name, code, low, high in (("tasks", "q", -MOST, MOST),
                                  ("priority", "i", -1 << 31, (1 << 31) - 1),
                                  ("partition", "I", 0, (1 << 32) - 1)):
        if reader.has(name):
            found = vectors.whole(reader.raw(name), low, high)
            if found is None:
                return None
            more[name] = code, found
    rows = [vectors.amounts(reader.raw(one), reader.scale[one])
            if reader.has(one) else np.zeros(reader.rows, np.int64)
            for one in reader.kinds]
    if any(row is None for row in rows) or not any(map(reader.has,
                                                       reader.kinds)):
        return None
    queue = reader.leaves()
    users = reader.users() if reader.has("user") else None
    if queue is None or reader.has("user") and users is None:
        return None
    order = np.argsort(submit, kind="stable")
    said = {name: vectors.columns(code, values, order)
            for name, (code, values) in more.items()}
    return kind(vectors.columns("q", submit, order),
                vectors.columns("q", run, order),
                vectors.columns("q", np.column_stack(rows), order),
                vectors.columns("Q", queue, order), said.get("tasks"),
                None if users is None else vectors.columns("Q", users, order),
                said.get("priority"), said.get("partition"))


# ---- a table of jobs, and back ----

#: Columns of `Jobs.table`, and the kinds of numbers in them.
OWN = {"submit_ns": "q", "run_ns": "q", "queue": "Q", "tasks": "q",
       "user": "Q", "priority": "i", "partition": "I", "stream": "Q",
       "transfer_ns": "q", "rule": "I"}
#: Columns of times, and what they are called where they are dates and lengths of
#: time.
DATED = {"submit_ns": "submit", "run_ns": "run", "transfer_ns": "transfer"}


def amount_name(kind: str, unit: str) -> str:
    """The name of a column of amounts, with its unit.

    >>> amount_name("cpu", "m"), amount_name("memory", "B"), amount_name("x", "")
    ('cpu_cores', 'memory_bytes', 'x')
    """
    if unit == "B":
        return f"{kind}_bytes"
    return "cpu_cores" if kind == "cpu" and unit == "m" else kind


def own_table(frame: Any) -> bool:
    """Is a frame what `Jobs.to_pandas` and its like make?"""
    names = getattr(frame, "column_names", None) or getattr(
        frame, "columns", None)
    if names is None:
        names = list(frame) if isinstance(frame, Mapping) else ()
    said = {str(name) for name in names}
    return {"submit_ns", "run_ns", "queue"} <= said or \
        {"submit", "run", "queue", "amount.0"} <= said


def of_own_table(kind: Callable[..., Made], tree: Tree,
                 found: vectors.Columns, rules: Sequence[Rule],
                 zone: str) -> Made:
    """Jobs from the columns of `Jobs.table`, unchanged and in their order.
    FrameError for a queue that is no leaf of the tree."""
    kinds = len(tree.schema.names)
    amounts = [f"amount.{k}" for k in range(kinds)]
    if not any(name in found for name in amounts):
        found = by_number(tree, found)
    places = {name: name if name in found else DATED.get(name, name)
              for name in (*OWN, *amounts)}
    for name in found:
        if name not in places.values():
            raise ValueError(f"column {name!r} is not read: a table of jobs "
                             f"has {', '.join((*OWN, *amounts))}")
    for name in amounts if found.length(places["submit_ns"]) else ():
        if name not in found:
            raise ValueError(f"needs a column {name}: the tree has {kinds} "
                             "kinds")
    made = {name: own_column(name, at, OWN.get(name, "q"), found, zone_of(zone))
            for name, at in places.items() if at in found}
    if len({len(column) for column in made.values()}) > 1:
        raise ValueError("columns of different lengths: " + str(
            {name: len(column) for name, column in made.items()}))
    leaves = {queue.id for queue in tree if not queue.children}
    check_rows("queue", made["queue"], leaves, "is no leaf of the tree")
    told: dict[str, Any] = {}
    if "rule" in made:
        check_rows("rule", made["rule"], set(range(len(rules) + 1)),
                   "is no rule: give rules=jobs.rules")
        told = {"rule": made["rule"], "rules": rules}
    return kind(made["submit_ns"], made["run_ns"],
                rows_of([made[name] for name in amounts if name in made]),
                made["queue"], made.get("tasks"), made.get("user"),
                made.get("priority"), made.get("partition"),
                made.get("stream"), transfer=made.get("transfer_ns"), **told)


def check_rows(name: str, column: array[int], known: set[int],
               why: str) -> None:
    """FrameError for the first row whose value is not known."""
    if known.issuperset(set(column)):
        return
    row = next(row for row, value in enumerate(column) if value not in known)
    raise FrameError(name, row, column[row], why)


#: The numbers that an array of a code holds.
RANGES = {"q": (-1 << 63, (1 << 63) - 1), "Q": (0, (1 << 64) - 1),
          "i": (-1 << 31, (1 << 31) - 1), "I": (0, (1 << 32) - 1)}


def own_column(name: str, at: str, code: str, found: vectors.Columns,
               zone: tzinfo) -> array[int]:
    """A column of such a table: at once where it is one of whole numbers that
    fit, else value by value."""
    dated = at != name
    column = vectors.plain(found.raw[at]) if not dated else \
        vectors.dates(found.raw[at], True, zone is timezone.utc)
    if column is not None and column.dtype.kind in "iu":
        low, high = RANGES[code]
        if not len(column) or low <= int(column.min()) and \
                int(column.max()) <= high:
            return vectors.columns(code, column)
    made = array(code)
    for row, value in enumerate(found[at]):
        try:
            if is_missing(value):
                raise ValueError("is missing")
            made.append(instant_of(value, zone) if dated else whole(value))
        except (TypeError, ValueError, OverflowError) as error:
            raise FrameError(at, row, value, error) from None
    return made


def rows_of(columns: Sequence[array[int]]) -> array[int]:
    """Columns of numbers as one, row by row."""
    np = vectors.numpy()
    if not columns:
        return array("q")
    if np is not None:
        return vectors.columns("q", np.column_stack(
            [np.frombuffer(column, np.int64) for column in columns]))
    made = array("q", bytes(8 * len(columns) * len(columns[0])))
    for at, column in enumerate(columns):
        made[at::len(columns)] = column
    return made


def by_number(tree: Tree, found: vectors.Columns) -> vectors.Columns:
    """The columns of `Jobs.table(tree)` as those of `Jobs.table()`. FrameError
    for a value that is none."""
    made: dict[str, Any] = {}
    names = {amount_name(kind, unit): (k, unit) for k, (kind, unit) in
             enumerate(zip(tree.schema.names, tree.schema.units))}
    leaves = {queue.path: queue.id for queue in tree if not queue.children}
    for name in found:
        if name in names:
            k, unit = names[name]
            made[f"amount.{k}"] = single(name, found[name], lambda value, unit=unit: int(  # type: ignore[misc]
                units_of(value, SCALES.get(unit, 1))))
        elif name == "queue":
            made[name] = single(name, found[name], lambda path: leaves.get(
                path, path))
        else:
            made[name] = found.raw[name]
    return vectors.Columns(made, lambda values: values if isinstance(
        values, list) else found.listed(values))


def single(name: str, values: Iterable[Any],
           read: Callable[[Any], Any]) -> list[Any]:
    """A column, value by value."""
    made = []
    for row, value in enumerate(values):
        try:
            made.append(read(value))
        except (TypeError, ValueError, OverflowError) as error:
            raise FrameError(name, row, value, error) from None
    return made
