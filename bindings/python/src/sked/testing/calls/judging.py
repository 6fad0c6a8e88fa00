"""What a call is given, and how its answer is judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

UNSUPPORTED, PASSED, BY_RULE, FAILED = range(4)
Fields = dict[str, Any]
Calls = dict[str, Callable[[Fields, "str | None"], int]]


class Failed(Exception):
    """An answer that is neither the one given nor the exact one."""


def flat(value: Any) -> Iterator[Any]:
    """Numbers of a field, however deep."""
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from flat(one)
    else:
        yield value


def numbers(fields: Fields, name: str) -> list[Any] | None:
    """A field as whole numbers ("?" as None); None when it is not there."""
    if name not in fields:
        return None
    return [None if v == "?" else int(v) for v in flat(fields[name])]


def given(fields: Fields, name: str) -> list[int]:
    """A field that must be there."""
    found = numbers(fields, name)
    if found is None:
        raise Failed(f"the case has no {name}")
    return found


def number(fields: Fields, name: str, missing: int = 0) -> int:
    """A field of one number."""
    found = numbers(fields, name)
    return missing if not found else int(found[0])


def reals(fields: Fields, name: str) -> list[float]:
    """A field of reals."""
    return [float(v) for v in flat(fields[name])]


def near(got: float, want: float) -> bool:
    """Within 1e-9 of it, relatively."""
    if math.isnan(want) or math.isnan(got):
        return math.isnan(want) and math.isnan(got)
    if math.isinf(want) or math.isinf(got):
        return got == want
    return abs(got - want) <= 1e-9 * max(1.0, abs(want))


def hold(fields: Fields, got: Sequence[int]) -> None:
    """Does the answer keep to what was worked out for it?"""
    if sum(got) != number(fields, "sum", sum(got)):
        raise Failed(f"the sum is {sum(got)}, not {number(fields, 'sum')}")
    exact = numbers(fields, "exact")
    if exact is not None:
        same("exact", got, exact)
    for name, side in (("low", 1), ("high", -1)):
        for i, (g, bound) in enumerate(zip(got, numbers(fields, name) or ())):
            if (g - bound) * side < 0:
                raise Failed(f"[{i}] is {g}, {name} {bound}")


def same(name: str, got: Sequence[int], want: Sequence[Any]) -> None:
    """Failed unless every number is the one wanted."""
    if len(got) != len(want):
        raise Failed(f"{len(got)} of {name}, not {len(want)}")
    for i, (g, w) in enumerate(zip(got, want)):
        if w is not None and g != w:
            raise Failed(f"{name}[{i}] is {g}, not {w}")


def judge(fields: Fields, name: str, got: Sequence[int],
          rule: str | None) -> int:
    """PASSED, BY_RULE, or Failed."""
    want = given(fields, name)
    if len(want) != len(got):
        raise Failed(f"{len(got)} of {name}, not {len(want)}")
    hold(fields, got)
    try:
        same(name, got, want)
    except Failed:
        if rule:
            return BY_RULE
        raise
    return PASSED


def must(fields: Fields, name: str, got: Sequence[int]) -> None:
    """The answer given and no other."""
    judge(fields, name, got, None)
