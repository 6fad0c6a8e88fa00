"""Resource kinds, amounts and vectors. <sched/res.h>, <sched/tree_text.h>"""

from __future__ import annotations

import difflib
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Union

from . import _core
from .columns import Column, Numbers, convert, convert_column, whole
from .enums import UNLIMITED, Form, Relation, Round
from .errors import NotFoundError
from .handles import Owner

#: Amounts of all kinds: a text "cpu=2,memory=4GiB", a mapping from kinds to
#: amounts (whole numbers of the smallest unit, or texts), or one whole number
#: a kind in the schema's order.
Vector = Union[str, Mapping[str, Union[int, str]], Sequence[int], Numbers]


#: What a whole number of a unit counts.
UNIT_WORDS = {"m": "thousandths", "B": "bytes", "1": "pieces"}


class Schema(Owner):
    """Which resource kinds there are, and the unit each is counted in: "m"
    thousandths, "B" bytes, "1" pieces.

    Raises TextError, RangeError (too few or many kinds, too long a name),
    ExistsError (a name twice).

    >>> s = Schema("cpu=m memory=B gpu=1")
    >>> s.names, s.units
    (('cpu', 'memory', 'gpu'), ('m', 'B', '1'))
    >>> s.vec("cpu=2.5,memory=4GiB").tolist()
    [2500, 4294967296, 0]
    >>> s.vec({"gpu": 2}).tolist()
    [0, 0, 2]
    >>> s.text([2500, 4 << 30, 1])
    'cpu=2.5,memory=4GiB,gpu=1'
    """

    __slots__ = ("names", "units")

    def __init__(self, kinds: str | Mapping[str, str] | Schema) -> None:
        if isinstance(kinds, Schema):
            self._handle = _core.schema_copy(kinds._handle, None)
        elif isinstance(kinds, str):
            self._handle = _core.schema_parse(kinds, None)
        else:
            self._handle = _core.schema_new(tuple(kinds), tuple(kinds.values()),
                                            None)
        self._learn()

    def _learn(self) -> None:
        h = self._handle
        n = range(_core.schema_kinds(h))
        self.names = tuple(_core.schema_name(h, k) or "" for k in n)
        self.units = tuple(_core.schema_unit(h, k) or "" for k in n)

    @classmethod
    def _of(cls, handle: _core.Handle) -> Schema:
        self = cls.__new__(cls)
        self._handle = handle
        self._learn()
        return self

    @classmethod
    def from_tree_text(cls, text: str | bytes) -> Schema:
        """The kinds that a tree's text names in its `kinds` line;
        NotFoundError without one. Raises TextError, RangeError."""
        return cls._of(_core.tree_parse_schema(text, None))

    def __len__(self) -> int:
        return len(self.names)

    def __str__(self) -> str:
        return _core.schema_format(self._handle)

    def __repr__(self) -> str:
        return f"Schema({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return (self.names, self.units) == (other.names, other.units)

    def __hash__(self) -> int:
        return hash((self.names, self.units))

    def __reduce__(self) -> tuple[object, ...]:
        return (Schema, (str(self),))

    def same(self, other: Schema) -> None:
        """SchemaError, with the first kind that differs, unless both are
        alike."""
        _core.schema_same(self._handle, other._handle)

    def kind(self, name: str | int) -> int:
        """A kind's place; NotFoundError, with what may have been meant."""
        if isinstance(name, int):
            if not 0 <= name < len(self.names):
                raise NotFoundError(f"no kind {name}")
            return name
        if name not in self.names:
            near = difflib.get_close_matches(name, self.names, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise NotFoundError(f"no kind {name!r}{hint}")
        return _core.schema_find(self._handle, name)

    def amount(self, kind: str | int, said: int | str,
               rounding: int = Round.REFUSE) -> int:
        """One amount of a kind in its smallest unit, from text or as it is.
        Raises TextError, RangeError (negative, too large, finer than the
        unit), NotFoundError (no such kind).

        >>> Schema("memory=B").amount("memory", "1.5GiB")
        1610612736
        """
        place = self.kind(kind)
        name, unit = self.names[place], self.units[place]
        try:
            if isinstance(said, str):
                return _core.amount_parse(unit, said.replace(" ", ""), rounding)
            return whole(said)
        except ValueError as error:
            hint = "" if isinstance(said, str) else (
                f": numbers count {UNIT_WORDS.get(unit, 'pieces')}; a text "
                f'like "{said}" counts what people say')
            error.args = (f"{name}={said!r}: {error}{hint}", *error.args[1:])
            raise

    def vec(self, said: Vector, missing: int = 0) -> Numbers:
        """One amount a kind. Kinds that are not said become `missing`. Raises
        TextError, RangeError, NotFoundError (no such kind), ExistsError (a
        kind twice), ValueError (not one amount a kind).

        >>> Schema("cpu=m memory=B").vec([3])
        Traceback (most recent call last):
        ValueError: 1 amounts of 2 kinds: needs one a kind
        """
        if isinstance(said, str):
            try:
                return _core.vec_parse(self._handle, said, missing)
            except NotFoundError:
                for part in said.split(","):
                    self.kind(part.partition("=")[0].strip())  # says which
                raise
        if isinstance(said, Mapping):
            out = [missing] * len(self)
            for name, amount in said.items():
                out[self.kind(name)] = self.amount(name, amount)
            return convert_column(out)
        made = _numbers(said)
        if len(made) != len(self):
            raise ValueError(f"{len(made)} amounts of {len(self)} kinds: "
                             "needs one a kind")
        return made

    def rows(self, said: Any, missing: int = 0) -> Numbers:
        """Many vectors, row by row: a buffer as it is, or a list of vectors.
        Raises what `vec` raises: TextError, RangeError, NotFoundError,
        ExistsError."""
        if isinstance(said, (list, tuple)) and said and not isinstance(
                said[0], int):
            flat: list[int] = []
            for one in said:
                flat.extend(self.vec(one, missing))
            return convert_column(flat)
        return said

    def text(self, vec: Vector, form: int = Form.SHORT) -> str:
        """A vector in text, that reads back the same. Raises RangeError (not
        an amount), and what `vec` raises: TextError, NotFoundError,
        ExistsError."""
        return _core.vec_format(self._handle, self.vec(vec), form)

    def named(self, vec: Numbers) -> dict[str, int]:
        """A vector as a dict."""
        return dict(zip(self.names, memoryview(vec).tolist()))


def _numbers(said: Any) -> Numbers:
    """Amounts as 64-bit numbers: those of a column as they are."""
    if isinstance(said, Column):
        return said if said.format == "q" else convert(said, "q")
    if isinstance(said, array):
        return said if said.typecode == "q" else convert(said, "q")
    return convert_column(said)


def add(a: Numbers, b: Numbers) -> Column:
    """a + b, one amount a kind; UNLIMITED stays. Raises RangeError (a sum
    passes AMOUNT_MAX)."""
    return _core.vec_add(a, b)


def subtract(a: Numbers, b: Numbers) -> Column:
    """a - b, one amount a kind; UNLIMITED stays. Raises RangeError (a
    difference is negative)."""
    return _core.vec_subtract(a, b)


def excess(a: Numbers, b: Numbers) -> Column:
    """The amounts that `a` has beyond `b`, 0 where `b` has more."""
    return _core.vec_excess(a, b)


def least(a: Numbers, b: Numbers) -> Column:
    """The lesser of each pair of amounts."""
    return _core.vec_min(a, b)


def most(a: Numbers, b: Numbers) -> Column:
    """The greater of each pair of amounts."""
    return _core.vec_max(a, b)


def scale(a: Numbers, by: Fraction | int,
          rounding: int = Round.REFUSE) -> Column:
    """a * by, amount by amount, exactly, then rounded as said. Raises
    RangeError (above AMOUNT_MAX, or no whole number with Round.REFUSE).

    >>> scale([3, 5], Fraction(1, 2), Round.UP).tolist()
    [2, 3]
    """
    by = Fraction(by)
    return _core.vec_scale(a, by.numerator, by.denominator, rounding)


def round_to(a: Numbers, step: Numbers, rounding: int = Round.UP) -> Column:
    """Amounts in whole steps, up or down; a step of 0 leaves the kind as it
    is. Raises RangeError (above AMOUNT_MAX)."""
    return _core.vec_round(a, step, rounding)


def normalise(asked: Numbers, least: Numbers, most: Numbers,
              step: Numbers) -> Column:
    """What a request becomes, amount by amount: at least, up to whole steps,
    at most. Raises RangeError (a step passes AMOUNT_MAX)."""
    return _core.vec_normalise(asked, least, most, step)


def compare(a: Numbers, b: Numbers) -> int:
    """-1, 0 or 1 by the first kind whose amounts differ."""
    return _core.vec_compare(a, b)


def relation(a: Numbers, b: Numbers, kinds: int = 0xFFFFFFFF) -> Relation:
    """Which of less, equal and more hold of the amounts, among the kinds of a
    bit set."""
    return Relation(_core.vec_relation(a, b, kinds))


def asked(vec: Numbers) -> int:
    """The kinds of which the vector has more than 0, as bits."""
    return _core.vec_asked(vec)


def fits(demand: Numbers, free: Numbers, only_asked: bool = False) -> bool:
    """demand <= free in the amount of every kind (or of those that are asked
    for)."""
    call = _core.vec_fits_asked if only_asked else _core.vec_fits
    return bool(call(demand, free))


def fits_rows(demand: Numbers, rows: Numbers) -> Column:
    """For each row 1 where `demand` fits it, else 0."""
    return _core.vec_fits_rows(demand, rows)


def count(demand: Numbers, free: Numbers) -> int:
    """How many times the vector `demand` fits in `free`; UNLIMITED without
    bound."""
    return _core.vec_count(demand, free)


def total(rows: Numbers, kinds: int) -> Column:
    """The sum of rows of `kinds` amounts. Raises RangeError (a sum passes
    AMOUNT_MAX)."""
    return _core.vec_sum(rows, kinds)


def fraction(num: int, den: int) -> Fraction | None:
    """A ratio of the library; None for infinity."""
    return Fraction(num, den) if den else None


# What is in lowest terms needs no search for a common divisor.
_coprime: Callable[[int, int], Fraction] = getattr(
    Fraction, "_from_coprime_ints",
    partial(Fraction, _normalize=False) if sys.version_info < (3, 12)
    else Fraction)


def dominant(capacity: Numbers,
             usage: Numbers) -> tuple[Fraction | None, int]:
    """The largest of usage over capacity (None: infinite) and its kind (-1:
    nothing is used); both vectors, one amount a kind.

    >>> dominant([9, 18], [3, 1])
    (Fraction(1, 3), 0)
    """
    num, den, kind = _core.vec_dominant(capacity, usage)
    return (_coprime(num, den) if den else None), kind


def _ratio(x: Fraction | None) -> tuple[int, int]:
    return (1, 0) if x is None else (x.numerator, x.denominator)


def compare_ratios(a: Fraction | None, b: Fraction | None) -> int:
    """-1, 0 or 1, exactly; None is infinite."""
    return _core.ratio_compare(*_ratio(a), *_ratio(b))


def ratio_float(a: Fraction | None) -> float:
    """For reports: off by less than 2**-51 of it."""
    return _core.ratio_double(*_ratio(a))


def compare_dominant(capacity: Numbers, a: Numbers, b: Numbers, *,
                     weight_a: int = 1, weight_b: int = 1) -> int:
    """-1, 0 or 1 by dominant share over weight, exactly; vectors of one amount
    a kind."""
    return _core.vec_compare_dominant(capacity, a, weight_a, b, weight_b)


def compare_shares(capacity: Numbers, a: Numbers, b: Numbers) -> int:
    """-1, 0 or 1 by the largest share, then the next largest; vectors of one
    amount a kind."""
    return _core.vec_compare_shares(capacity, a, b)


def decay(amounts: Numbers, elapsed: int, half_life: int) -> Column:
    """Amounts that halve every `half_life`, `elapsed` later; both in ns (or
    any one unit). Whole numbers only, the same on every machine.

    >>> decay([1024], 20, 10).tolist()
    [256]
    """
    return _core.vec_decay(amounts, elapsed, half_life)


def parse_amount(unit: str, text: str, rounding: int = Round.REFUSE) -> int:
    """One amount counted in `unit` ("m", "B", "1"): "2.5", "4GiB". Raises
    TextError, RangeError (negative, too large, finer than the unit with
    Round.REFUSE)."""
    return _core.amount_parse(unit, text, rounding)


def format_amount(unit: str, amount: int, form: int = Form.SHORT) -> str:
    """One amount in text; UNLIMITED is "unlimited". Raises RangeError (not an
    amount).

    >>> format_amount("m", 2500), format_amount("B", UNLIMITED)
    ('2.5', 'unlimited')
    """
    return _core.amount_format(unit, amount, form)
