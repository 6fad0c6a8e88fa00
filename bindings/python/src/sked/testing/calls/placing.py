"""Which nodes an ask takes: what a rule says."""

from __future__ import annotations

from sked import rule as rules

from .judging import Calls, Fields, judge, number, numbers


def _pairs(f: Fields, name: str) -> dict[int, list[int]]:
    flat = numbers(f, name) or []
    found: dict[int, list[int]] = {}
    for key, value in zip(flat[::2], flat[1::2]):
        found.setdefault(key, []).append(value)
    return found


def rule(f: Fields, by: str | None) -> int:
    flat, flags = numbers(f, "terms") or [], number(f, "flags")
    terms = tuple(rules.Term(*flat[i:i + 5]) for i in range(0, len(flat), 5))
    work = {tag: counts[0] for tag, counts in _pairs(f, "work").items()}
    said = rules.judge(rules.Rule(terms), node=_pairs(f, "node") if flags & 1 else None,
                       work=work if flags & 2 else None)
    return judge(f, "want", [int(said)], by)


CALLS: Calls = {"rule": rule}
