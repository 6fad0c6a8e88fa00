"""Rules over what nodes are and what runs there. <sched/rule.h>

Keys, values and tags are numbers of yours. Rules join with `&` and `|`:

>>> rack, model = 1, 2
>>> rule = equal(rack, 7) & (one_of(model, [80, 100]) | absent(model))
>>> judge(rule, node={rack: 7, model: 100}).name
'YES'
>>> judge(rule, node={rack: 7, model: [40, 60]}).name
'NO'

So do rules that count tasks by their tags, on a node or by an attribute:

>>> web = 5
>>> judge(at_most(web, 1) & spread(web, 2, by=rack), node={rack: 7},
...       work={web: 1}, tallies={(web, rack): (4, 3)}).name
'YES'

What only you know is a predicate, a number of yours that an engine asks
`Hooks.judge` for:

>>> volume = 17
>>> judge(host_says(volume) | equal(rack, 7), node={rack: 8},
...       host={volume: True}).name
'YES'
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

from . import _core, layouts
from .records import Layout

TERM = Layout("Term", layouts.RULE_TERM)
ATTRIBUTE = Layout("Attribute", layouts.RULE_ATTRIBUTE)
TALLY = Layout("Tally", layouts.RULE_TALLY)


class Op(IntEnum):
    """What a term says. enum sked_rule_op"""

    AND = 1
    OR = 2
    EQUAL = 3
    NOT = 4
    IN = 5
    LESS = 6
    GREATER = 7
    EXISTS = 8
    ABSENT = 9
    AT_MOST = 10
    AT_LEAST = 11
    SPREAD = 12
    HOST = 13


class Answer(IntEnum):
    """What a rule says. enum sked_rule_answer"""

    NO = 0
    YES = 1
    PASS = 2


@dataclass(frozen=True)
class Term:
    """One term of a rule, as C has it."""

    key: int
    value: int
    op: int
    n: int
    first: int


def _names(term: Term) -> bool:
    """Does a term name values of its rule?"""
    return term.op > Op.OR and term.n > 0


@dataclass(frozen=True)
class Rule:
    """Terms in postfix order, and the values that they name. Without terms it
    takes every node."""

    terms: tuple[Term, ...] = ()
    values: tuple[int, ...] = ()

    def records(self, first: int = 0) -> bytes:
        """The terms as C lays them out, their values from `first` on."""
        return b"".join(TERM.struct.pack(
            t.key, t.value, t.n, t.op,
            t.first + (first if _names(t) else 0)) for t in self.terms)

    def __and__(self, other: Rule) -> Rule:
        return all_of(self, other)

    def __or__(self, other: Rule) -> Rule:
        return any_of(self, other)


def pairs_of(pairs: Mapping[int, int | Iterable[int]]) -> bytes:
    """Attributes, of each key a value or more, as C lays them out."""
    return b"".join(ATTRIBUTE.struct.pack(key, value)
                    for key, said in pairs.items()
                    for value in ([said] if isinstance(said, int) else said))


def _one(op: Op, key: int, value: int = 0) -> Rule:
    return Rule((Term(key, value, op, 0, 0),))


def equal(key: int, value: int) -> Rule:
    """Some value of the key is this."""
    return _one(Op.EQUAL, key, value)


def differs(key: int, value: int) -> Rule:
    """None of them is, or there is none."""
    return _one(Op.NOT, key, value)


def one_of(key: int, values: Iterable[int]) -> Rule:
    """Some value of the key is one of these."""
    wanted = tuple(values)
    return Rule((Term(key, 0, Op.IN, len(wanted), 0),), wanted)


def less(key: int, value: int) -> Rule:
    """Some value of the key is below this."""
    return _one(Op.LESS, key, value)


def greater(key: int, value: int) -> Rule:
    """Some value of the key is above this."""
    return _one(Op.GREATER, key, value)


def exists(key: int) -> Rule:
    """The key has a value."""
    return _one(Op.EXISTS, key)


def absent(key: int) -> Rule:
    """The key has no value."""
    return _one(Op.ABSENT, key)


def _counted(op: Op, tag: int, count: int, values: tuple[int, ...]) -> Rule:
    return Rule((Term(tag, count, op, len(values), 0),), values)


def _signed(key: int) -> int:
    """The 64 bits of a key as a value has them."""
    return key - (1 << 64) if key >> 63 else key


def at_most(tag: int, count: int, by: int | None = None) -> Rule:
    """At most so many tasks with the tag run there: on the node, or on all that
    share a value of the attribute `by` with it."""
    return _counted(Op.AT_MOST, tag, count, () if by is None else (_signed(by),))


def at_least(tag: int, count: int, by: int | None = None) -> Rule:
    """At least so many tasks with the tag run there: on the node, or on all that
    share a value of the attribute `by` with it."""
    return _counted(Op.AT_LEAST, tag, count, () if by is None else (_signed(by),))


def spread(tag: int, most: int, by: int, over: Iterable[int] = ()) -> Rule:
    """With one task more, at most so many tasks with the tag more than with that
    value of the attribute `by` that has fewest: of all, or of these."""
    return _counted(Op.SPREAD, tag, most, (_signed(by), *over))


def host_says(predicate: int) -> Rule:
    """What you answer for this predicate of your own: in an engine `Hooks.judge`
    does."""
    return _one(Op.HOST, predicate)


def _join(op: Op, rules: tuple[Rule, ...]) -> Rule:
    said = [r for r in rules if r.terms]
    terms: list[Term] = []
    values: list[int] = []
    for rule in said:
        terms += [replace(t, first=t.first + len(values)) if _names(t)
                  else t for t in rule.terms]
        values += rule.values
    if said:
        terms.append(Term(0, 0, op, len(said), 0))
    return Rule(tuple(terms), tuple(values))


def all_of(*rules: Rule) -> Rule:
    """All of them; those without terms say nothing."""
    return _join(Op.AND, rules)


def any_of(*rules: Rule) -> Rule:
    """One of them at least; those without terms say nothing."""
    return _join(Op.OR, rules)


def judge(rule: Rule, *, node: Mapping[int, int | Iterable[int]] | None = None,
          work: Mapping[int, int] | None = None,
          tallies: Mapping[tuple[int, int], tuple[int, int]] | None = None,
          host: Mapping[int, bool | int | None] | None = None,
          ) -> Answer:
    """What a rule says of a node with these attributes, where tasks with these
    tags run, by their counts; and by tag and attribute, as (count, least), for
    rules that count so; `host` answers predicates (None: one does not apply).
    What is None is not looked at: such comparisons do not apply. Raises
    RangeError (a count below 0, too many terms or values) and ArgumentError
    (a predicate without an answer)."""
    answers = {key: Answer.PASS if said is None else int(said)
               for key, said in (host or {}).items()}
    said = _core.rule_judge(
        (node is not None or host is not None) + 2 * (work is not None or tallies is not None),
        rule.records(), array("q", rule.values), pairs_of(node or {}),
        pairs_of(work or {}), b"".join(
            TALLY.struct.pack(*key, *counts)
            for key, counts in (tallies or {}).items()),
        pairs_of(answers))
    return Answer(said)


def numbered(rules: Iterable[Rule | None]) -> tuple[array[int], list[Rule]]:
    """Each rule's number among those that differ, from 1 (0: there is none), and
    these."""
    kept: dict[Rule, int] = {}
    rows = array("I", [kept.setdefault(rule, len(kept) + 1)
                       if rule and rule.terms else 0 for rule in rules])
    return rows, list(kept)


class Words:
    """Numbers for keys and values that are texts, and rules as texts: those of
    `replay`'s column needs. Values that are whole numbers are those numbers, under
    a key of their own; so `<` and `>` compare numbers only.

    >>> words = Words()
    >>> node = words.node("model=a100 zone=b disk=500")
    >>> judge(words.rule("model=a100 & (zone!=b | disk>400)"), node=node).name
    'YES'
    """

    _SIGN = re.compile(r"[ \t]*(!=|[&|()=!<>]|[^ \t&|()=!<>]+)")

    def __init__(self) -> None:
        self._keys: dict[str, int] = {}
        self._values: dict[str, int] = {}

    def node(self, text: str) -> dict[int, list[int]]:
        """Attributes, "key=value" with blanks between. ValueError."""
        made: dict[int, list[int]] = {}
        for word in text.split():
            key, sign, value = word.partition("=")
            if not (sign and key and value) or set(word[len(key) + 1:]) & set(
                    "&|()=!<>") or set(key) & set("&|()!<>"):
                raise ValueError(f"{word!r} is not key=value")
            number = self._keys.setdefault(key, len(self._keys))
            place, what = self._value(number, value)
            made.setdefault(place, []).append(what)
        return made

    def rule(self, text: str) -> Rule:
        """The rule that a text says. ValueError, for a key too that no node
        has."""
        left = self._SIGN.findall(text)[::-1]
        rule = self._any(left, 0)
        if left:
            raise ValueError(f"'&' or '|' is missing before {left[-1]!r}")
        return rule

    def _value(self, key: int, text: str) -> tuple[int, int]:
        if re.fullmatch(r"0|-?[1-9][0-9]{0,17}", text):
            return 2 * key + 2, int(text)
        return 2 * key + 1, self._values.setdefault(text, len(self._values))

    def _any(self, left: list[str], deep: int) -> Rule:
        rules = [self._all(left, deep)]
        while left and left[-1] == "|":
            left.pop()
            rules.append(self._all(left, deep))
        return any_of(*rules) if len(rules) > 1 else rules[0]

    def _all(self, left: list[str], deep: int) -> Rule:
        rules = [self._one(left, deep)]
        while left and left[-1] == "&":
            left.pop()
            rules.append(self._one(left, deep))
        return all_of(*rules) if len(rules) > 1 else rules[0]

    def _word(self, left: list[str], what: str) -> str:
        if not left or left[-1] in ("&", "|", "(", ")", "=", "!", "!=", "<", ">"):
            raise ValueError(f"{what} is missing")
        return left.pop()

    def _one(self, left: list[str], deep: int) -> Rule:
        if left and left[-1] == "(":
            if deep == 64:
                raise ValueError("more than 64 brackets in each other")
            left.pop()
            rule = self._any(left, deep + 1)
            if not left or left.pop() != ")":
                raise ValueError("a ) is missing")
            return rule
        turned = bool(left) and left[-1] == "!"
        if turned:
            left.pop()
        word = self._word(left, "a key")
        if word not in self._keys:
            raise ValueError(f"no node has an attribute {word}")
        key = self._keys[word]
        sign = left[-1] if left and not turned else ""
        if sign not in ("=", "!=", "<", ">"):
            one, join = (absent, all_of) if turned else (exists, any_of)
            return join(one(2 * key + 1), one(2 * key + 2))
        left.pop()
        value = self._word(left, "a value")
        place, number = self._value(key, value)
        if sign in "<>" and place % 2:
            raise ValueError(f"not a whole number: {value}")
        return {"=": equal, "!=": differs, "<": less, ">": greater}[sign](
            place, number)


__all__ = ["ATTRIBUTE", "TALLY", "TERM", "Answer", "Op", "Rule", "Term", "Words", "absent",
           "all_of", "any_of", "at_least", "at_most", "differs", "equal",
           "exists", "greater", "host_says", "judge", "less", "numbered", "one_of", "pairs_of", "spread"]
