"""Orders of children and of applications."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import sked
from sked import order

from .judging import (Calls, Failed, Fields, given, judge, number, numbers)


class Found:
    """Rows in the order found, class after class, with their keys."""

    def __init__(self, f: Fields, serve: Callable[[int, Any], Any]) -> None:
        of = given(f, "class")
        may = numbers(f, "eligible") or [1] * len(of)
        self.rows: list[int] = []
        self.keys: list[Any] = []
        for group in range(max(of, default=0) + 1):
            chosen = [int(of[i] == group and may[i] != 0)
                      for i in range(len(of))]
            if any(chosen):
                rows, keys = serve(group, array("B", chosen))
                self.rows += rows.tolist()
                self.keys += keys.tolist()


def find_children(f: Fields) -> Found:
    orders, capacity = given(f, "order"), given(f, "capacity")

    def serve(group: int, chosen: Any) -> Any:
        by_priority = orders[group] == sked.ChildOrder.PRIORITY
        return order.children(
            orders[group], len(chosen), kinds=len(capacity), eligible=chosen,
            flags=order.WITHIN_FIRST if by_priority else 0,
            weight=numbers(f, "weight"), priority=numbers(f, "priority"),
            usage=numbers(f, "usage"), guarantee=numbers(f, "guarantee"),
            capacity=capacity)

    return Found(f, serve)


def find_apps(f: Fields) -> Found:
    capacity = numbers(f, "capacity")

    def serve(group: int, chosen: Any) -> Any:
        return order.apps(
            number(f, "order"), len(chosen), kinds=len(capacity or [0]),
            eligible=chosen, submitted=numbers(f, "submitted"),
            priority=numbers(f, "priority"), weight=numbers(f, "weight"),
            usage=numbers(f, "usage"), capacity=capacity,
            key=numbers(f, "key"))

    return Found(f, serve)


def judge_rows(f: Fields, found: Found, rule: str | None) -> int:
    rows = found.rows[::-1] if number(f, "reverse") else found.rows
    return judge(f, "want", rows[:number(f, "first_only", len(rows))], rule)


def judge_pair(f: Fields, found: Found, rule: str | None) -> int:
    if len(found.rows) != 2:
        raise Failed("not two rows")
    of = given(f, "class")
    sign = -1 if found.rows[0] == number(f, "first") else 1
    if of[0] == of[1] and found.keys[0] == found.keys[1] and number(f, "tie"):
        sign = 0
    return judge(f, "want", [sign], rule)


def children(f: Fields, rule: str | None) -> int:
    return judge_rows(f, find_children(f), rule)


def pair_of_children(f: Fields, rule: str | None) -> int:
    return judge_pair(f, find_children(f), rule)


def apps(f: Fields, rule: str | None) -> int:
    return judge_rows(f, find_apps(f), rule)


def pair_of_apps(f: Fields, rule: str | None) -> int:
    return judge_pair(f, find_apps(f), rule)


CALLS: Calls = {
    "children": children, "pair": pair_of_children, "apps": apps, "apps_pair":
    pair_of_apps}
