"""The queue tree: edit, commit, read; as text too. <sched/tree.h>,
<sched/diff.h>"""

from .changes import Diff, Fault, TreeChange
from .queue import Queue
from .tree import Kinds, Tree

__all__ = ["Diff", "Fault", "Kinds", "Queue", "Tree", "TreeChange"]
