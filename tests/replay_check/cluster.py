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


#: Where amounts end: at a partition, or at a word with "=" that does not
#: belong to them.
BEHIND = re.compile(r"\s*@|(?<![,=\s])\s+(?=[^\s,=@]+=)|\s*$")


def said_nodes(specs, kinds):
    """The groups, and what attributes each has."""
    out, attributes = [], []
    for spec in specs:
        found = re.match(r"\s*(\d+)\s*x\s*(.*)$", spec)
        need(found, "cannot read --nodes %s", spec)
        rest = found.group(2)
        end = BEHIND.search(rest).start()
        behind = rest[end:].strip()
        words = behind.lstrip("@").split()
        partition = words.pop(0) if behind.startswith("@") else ""
        out.append((int(found.group(1)), partition, vector(rest[:end], kinds)))
        attributes.append(words)
    return out, attributes
