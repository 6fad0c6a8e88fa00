"""Nodes: those that --nodes says, or those that --load comes to."""
import re

from .amounts import vector
from .fault import need


def derived_nodes(jobs, span, load, kinds):
    """--load, as the contract states it, in whole numbers."""
    n = len(kinds)
    node = [max((j.amount[k] for j in jobs), default=0) for k in range(n)]
    work = [sum(j.amount[k] * j.tasks * j.run for j in jobs) for k in range(n)]
    span = span or max((j.run for j in jobs), default=1)
    # need = work / (load * span); small: 32 * task <= need, kind by kind
    if all(32 * node[k] * load * span <= work[k] * 10 ** 6 for k in range(n)):
        node = [32 * x for x in node]
    count = max([1] + [-(-work[k] * 10 ** 6 // (load * span * node[k]))
                       for k in range(n) if node[k]])
    return [(count, "", tuple(node))]


def said_nodes(specs, kinds):
    out = []
    for spec in specs:
        found = re.match(r"\s*(\d+)\s*x\s*([^@]*?)\s*(?:@\s*(.*?)\s*)?$", spec)
        need(found, "cannot read --nodes %s", spec)
        out.append((int(found.group(1)), found.group(3) or "",
                    vector(found.group(2), kinds)))
    return out
