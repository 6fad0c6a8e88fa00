"""Lives of tasks, jobs, updates and nodes, for a manager to embed.

`table()` has the lives that are here as data, `Table` those of a host;
`Instance`, `job_state`, `Sla` and the policies work on states and counts; an
`Update` says what to do next, step by step; `Secrets` come back at launch."""

from .instances import (Counts, Instance, Nature, Record, Restart, Sla, Tried,
                        backoff, count, gang, is_out, job_action, job_state,
                        may_stop, nature, note_failure, note_success,
                        pack, placing_begin, placing_return, placing_timeout,
                        restart, stop)
from .secrets import Secrets
from .tables import Edge, Goal, Name, Step, Table, table
from .updates import Told, Update, judge, overwrite, update_action
from .words import (BEFORE, EVERY_TASK, NONE, Again, Availability, Beside,
                    Cause, Do, EdgeMark, End, Ended, FaultOf, Group, Health,
                    Job, Mark, Moved, Node, Offer, On, OrderKind, Phase,
                    Stopper, Task, Type, UpdateState, Which, Why, With,
                    Workflow)

__all__ = [
    "Again", "Availability", "BEFORE", "Beside", "Cause", "Counts", "Do",
    "EVERY_TASK", "Edge", "EdgeMark", "End", "Ended", "FaultOf", "Goal",
    "Group", "Health", "Instance", "Job", "Mark", "Moved", "NONE", "Name",
    "Nature", "Node", "Offer", "On", "OrderKind", "Phase", "Record", "Restart",
    "Secrets", "Sla", "Step", "Stopper", "Table", "Task", "Told", "Tried",
    "Type", "Update", "UpdateState", "Which", "Why", "With", "Workflow",
    "backoff", "count", "gang", "is_out", "job_action", "job_state", "judge",
    "may_stop", "nature", "note_failure", "note_success", "overwrite", "pack",
    "placing_begin", "placing_return", "placing_timeout", "restart", "stop",
    "table", "update_action"]
