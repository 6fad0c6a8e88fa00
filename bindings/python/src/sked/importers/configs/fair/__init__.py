"""The fair scheduler of YARN: fair-scheduler.xml, and that of Hadoop 1 with its
pools and slots.

`resources` reads amounts by the rules of YARN's parser, `queues` makes settings
of elements, `read` makes a tree, `write` goes the other way."""

from __future__ import annotations

from .read import read
from .resources import BadResource, resource
from .write import write

__all__ = ["BadResource", "read", "resource", "write"]
