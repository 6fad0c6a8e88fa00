"""Hypothesis strategies for schedulers under test; needs Hypothesis.

`families()` draws (total, claims) for `properties.check`; `tree_specs()`
plain descriptions of queue trees with demand, `trees()` the same built;
`time_units()` lengths and amounts; `jobs()` workloads. Hostile variants draw
huge weights and amounts around 2^31, 2^53 and 2^61, and odd names, as readily
as ordinary ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

try:
    from hypothesis import strategies as st
except ImportError as error:  # one clear message
    raise ImportError("sked.testing.strategies needs Hypothesis: "
                      "pip install hypothesis") from error

from ..enums import AMOUNT_MAX, UNLIMITED
from ..tree import Tree
from .oracle import UNBOUNDED, Claim

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0",
                              exclude_categories=["Cs"]),
                min_size=1, max_size=8)


#: Amounts around which arithmetic goes wrong.
EDGES = (2**31, 2**32, 2**53, 2**61)


def amounts(most: int = 1000, hostile: bool = False) -> Any:
    """Amounts, small ones and those around bounds more often; hostile: around
    the edges of machine numbers too, up to near 2^62."""
    plain = st.one_of(st.integers(0, 12), st.integers(0, most), st.just(most))
    return st.one_of(plain, st.builds(
        lambda edge, by: edge + by, st.sampled_from(EDGES),
        st.integers(-3, 3))) if hostile else plain


def weights(hostile: bool = False) -> Any:
    """Weights, 0 too; hostile: the largest too."""
    plain = st.one_of(st.integers(0, 5), st.integers(1, 1000))
    return st.one_of(plain, st.sampled_from([0, 1, 2**32 - 1])) if hostile \
        else plain


@st.composite
def claims(draw: Any, most: int = 1000, hostile: bool = False) -> Claim:
    """One claim."""
    bound = st.one_of(st.just(UNBOUNDED), amounts(most, hostile))
    plain = st.one_of(st.just(0), amounts(most, hostile))
    return Claim(draw(weights(hostile)), draw(plain), draw(bound),
                 draw(bound))


@st.composite
def families(draw: Any, max_size: int = 8, most: int = 1000,
             hostile: bool = False) -> tuple[int, list[Claim]]:
    """(total, claims) of one family."""
    return draw(amounts(most * 3, hostile)), draw(
        st.lists(claims(most, hostile), min_size=1, max_size=max_size))


@dataclass
class TreeSpec:
    """A queue tree in plain values: parents by row (0 the root), settings,
    demand of leaves; one kind."""

    parent: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    capacity: int = 0

    @property
    def leaves(self) -> list[int]:
        """Rows without children."""
        return [i for i in range(1, len(self.parent)) if i not in
                self.parent[1:]]

    def build(self) -> Tree:
        """The tree, committed, with its demand in `tree.ledger`."""
        tree = Tree("cpu=1", capacity=[self.capacity])
        queues = [tree.root]
        for i in range(1, len(self.parent)):
            c = self.claims[i]
            limit = UNLIMITED if c.limit == UNBOUNDED else c.limit
            queues.append(queues[self.parent[i]].add(
                self.names[i], weight=c.weight, guarantee={"cpu": c.guarantee},
                limit={"cpu": limit}))
        tree.commit()
        for i in self.leaves:
            queues[i].demand = {"cpu": min(self.claims[i].demand,
                                           AMOUNT_MAX // len(self.parent))}
        return tree


@st.composite
def tree_specs(draw: Any, max_queues: int = 12, most: int = 1000,
               hostile: bool = False) -> TreeSpec:
    """A description of a tree."""
    n = draw(st.integers(2, max_queues))
    spec = TreeSpec([-1], ["root"], [Claim()], draw(amounts(most * 3)))
    for i in range(1, n):
        up = draw(st.integers(0, i - 1))
        said = draw(NAMES) if hostile else "q"
        spec.parent.append(up)
        spec.names.append(f"{said}{i}")
        spec.claims.append(draw(claims(most, hostile)))
    return spec


def trees(max_queues: int = 12, hostile: bool = False) -> Any:
    """Trees, committed, with demand."""
    return tree_specs(max_queues, hostile=hostile).map(TreeSpec.build)


@st.composite
def time_units(draw: Any,
               max_size: int = 30) -> tuple[list[int], list[int]]:
    """Lengths and amounts of one queue's time units, vacant ones too."""
    rows = draw(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 8)),
                         min_size=1, max_size=max_size))
    return [n for n, _ in rows], [a for _, a in rows]


@st.composite
def jobs(draw: Any, queues: list[str],
         max_size: int = 20) -> list[dict[str, Any]]:
    """Rows for `sked.Jobs.of`, over kinds cpu."""
    return [{"queue": draw(st.sampled_from(queues)),
             "submit_s": draw(st.integers(0, 100)),
             "run_s": draw(st.integers(1, 50)),
             "tasks": draw(st.integers(1, 6)),
             "amount": {"cpu": draw(st.integers(1, 4))}}
            for _ in range(draw(st.integers(1, max_size)))]
