"""Trees: their text, their columns, and the turns of a random order."""

from __future__ import annotations

from collections.abc import Sequence

import sked

from .judging import Calls, Failed, Fields, given, judge, number


def grove(parent: Sequence[int], kinds: int) -> tuple[sked.Tree,
                                                      list[sked.Queue]]:
    """A tree of queues "q<i>", row by row as listed."""
    tree = sked.Tree({f"k{i}": "1" for i in range(kinds)})
    queues = [tree.root]
    for i, up in enumerate(parent):
        if i:
            queues.append(queues[up].add(f"q{i}"))
    tree.commit()
    return tree, queues


def rollup(f: Fields, rule: str | None) -> int:
    kinds = number(f, "kinds", 1)
    tree, queues = grove(given(f, "parent"), kinds)
    usage, leaf = given(f, "usage"), given(f, "leaf")
    ledger = sked.Ledger(tree)
    for i, queue in enumerate(queues):
        if leaf[i]:
            ledger.set("usage", [queue.id], usage[i * kinds:(i + 1) * kinds])
    got = [v for q in queues for v in ledger.get("usage", q).values()]
    return judge(f, "want", got, rule)


def parts(f: Fields, rule: str | None) -> int:
    tree, queues = grove(given(f, "parent"), 1)
    said, capacity = given(f, "parts"), number(f, "capacity")
    for queue, ppm in list(zip(queues, said))[1:]:
        tree.set(queue, guarantee_ppm=ppm)
    tree.commit()
    by_row = tree.column("guarantee", 0, capacity)
    got = [capacity] + [by_row[q.row] for q in queues[1:]]
    return judge(f, "want", got, rule)


def read(f: Fields) -> tuple[sked.Tree | None, list[sked.Fault]]:
    """The text of the case in a tree, or what is wrong with it."""
    text = str(f["text"]).replace("|", "\n")
    try:
        tree = sked.Tree(sked.Schema.from_tree_text(text))
        tree.read(text)
    except sked.ConfigError as error:
        return None, [x for x in error.faults if isinstance(x, sked.Fault)]
    return tree, tree.faults()


def faults(f: Fields, rule: str | None) -> int:
    _, found = read(f)
    codes, line = given(f, "codes"), number(f, "line")
    good = not any(x.code in codes and x.line == line for x in found)
    return judge(f, "want", [int(good)], rule)


def find(f: Fields, rule: str | None) -> int:
    tree, listed = read(f)
    if tree is None:
        raise Failed(str(listed[0]))
    tree.commit()
    found = "path" in f and str(f["path"]) in tree
    return judge(f, "want", [int(found)], rule)


class Draws(sked.Hooks):
    """Random bits as the case has drawn them."""

    def __init__(self, bits: Sequence[int]) -> None:
        self.bits = list(bits)

    def random(self) -> int:
        return self.bits.pop(0) if self.bits else 0


def shuffle(f: Fields, rule: str | None) -> int:
    n = number(f, "n")
    tree, queues = grove([0] * (n + 1), 1)
    tree.root.set(order="random")
    tree.commit()
    bits = [h << 32 | low for h, low in zip(given(f, "upper"),
                                                    given(f, "lower"))]
    turns = sked.Order(hooks=Draws(bits))
    found = turns.list(tree, sked.Ledger(tree), [1], tree.root, [1] * (n + 1))
    return judge(f, "want", [q.row - 1 for q in found], rule)


CALLS: Calls = {
    "rollup": rollup, "parts": parts, "faults": faults, "find": find,
    "shuffle": shuffle}
