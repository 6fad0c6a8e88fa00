"""The capacity scheduler of YARN: capacity-scheduler.xml, its JSON and its
forerunner of Hadoop 1, and the view of a running one at
/ws/v1/cluster/scheduler.

`properties` reads them with their lines, `queues` makes settings of them,
`read` makes a tree, `write` goes the other way."""

from __future__ import annotations

from .read import REST, read, read_rest
from .write import write, write_json

__all__ = ["REST", "read", "read_rest", "write", "write_json"]
