"""python -m sked explain: why a queue has the share that it has."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .. import Error, Model, Tree, format_amount
from ._files import Input

SUMMARY = "why a queue of a tree has the share that it has"


def run(words: Sequence[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m sked explain",
        description="Why a queue has the share that it has: for each kind the "
        "share, what binds it, and the level of its parent, from the root "
        "down. Demand and usage are said as PATH:VECTOR.")
    parser.add_argument("tree", metavar="TREE", help="queues in text form")
    parser.add_argument("queue", metavar="QUEUE", help="a path: root.ads")
    parser.add_argument("--capacity", required=True, metavar="VECTOR",
                        help="what there is: cpu=100,memory=400GiB")
    parser.add_argument("--demand", action="append", default=[],
                        metavar="PATH:VECTOR", help="what a leaf wants in all")
    parser.add_argument("--usage", action="append", default=[],
                        metavar="PATH:VECTOR", help="what a leaf has")
    parser.add_argument("--model", default="entitlement",
                        choices=[m.name.lower() for m in Model])
    said = parser.parse_args(words)
    try:
        print_share(said)
    except (OSError, Error, ValueError) as error:
        print(f"explain: {error}", file=sys.stderr)
        return 2
    return 0


def print_share(said: argparse.Namespace) -> None:
    """The chain from the root to the queue, kind by kind."""
    with Input([said.tree]) as (plain,):
        tree = Tree.from_file(plain, capacity=said.capacity)
    for name in ("demand", "usage"):
        for one in getattr(said, name):
            path, _, vec = one.rpartition(":")
            setattr(tree[path], name, vec)
    shares = tree.fair_shares(said.model)
    queue = tree[said.queue]
    chain = [queue]
    while (up := chain[-1].parent) is not None:
        chain.append(up)
    for kind, unit in zip(tree.schema.names, tree.schema.units):
        print(f"{kind}:")
        for one in reversed(chain):
            bound = shares.explain(one)[kind].name.lower()
            amount = format_amount(unit, shares[one][kind])
            level = ""
            if one.children:
                exact = shares.level(one, kind)
                level = f", its children at level {exact}" if exact is not None \
                    else ", its children have all they can take"
            print(f"  {one.path}: {amount}, bound by {bound}{level}")
