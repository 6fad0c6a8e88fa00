"""The words of lives: states, events, actions, settings. <sched/life.h>"""

from __future__ import annotations

from enum import IntEnum, IntFlag

#: No state.
NONE = 2 ** 32 - 1
#: As the next state of an edge: the state it was in before.
BEFORE = NONE - 1
#: In place of a task's number: every task of a job.
EVERY_TASK = 2 ** 64 - 1


class Cause(IntFlag):
    """Who causes an event. enum sked_life_cause"""

    USER = 1
    JOBS = 2
    QUEUES = 4
    PLACEMENT = 8
    NODE = 16
    TIMER = 32
    ALL = 63


class Mark(IntFlag):
    """What is said of a state. enum sked_life_mark"""

    START = 1
    END = 2
    MUTE = 4
    UNUSED = 8


class EdgeMark(IntFlag):
    """What is said of an edge. enum sked_life_edge_mark"""

    COUNTED = 1
    FORCED = 2


class Which(IntEnum):
    """The tables that are here. enum sked_life_table_id"""

    QUEUED = 1
    TASK = 2
    JOB = 3
    UPDATE = 4
    NODE = 5
    OFFER = 6
    GROUP = 7


class Task(IntEnum):
    """States of a task. enum sked_life_task"""

    UNKNOWN = 0
    INITIALIZED = 1
    PENDING = 2
    READY = 3
    PLACING = 4
    RESERVED = 5
    PLACED = 6
    LAUNCHING = 7
    LAUNCHED = 8
    STARTING = 9
    RUNNING = 10
    PREEMPTING = 11
    KILLING = 12
    SUCCEEDED = 13
    FAILED = 14
    KILLED = 15
    LOST = 16
    DELETED = 17


class Job(IntEnum):
    """States of a job. enum sked_life_job"""

    UNINITIALIZED = 0
    INITIALIZED = 1
    PENDING = 2
    RUNNING = 3
    KILLING = 4
    SUCCEEDED = 5
    FAILED = 6
    KILLED = 7
    DELETED = 8


class UpdateState(IntEnum):
    """States of an update. enum sked_life_update_state"""

    INVALID = 0
    INITIALIZED = 1
    ROLLING_FORWARD = 2
    ROLLING_BACKWARD = 3
    PAUSED = 4
    SUCCEEDED = 5
    FAILED = 6
    ABORTED = 7
    ROLLED_BACK = 8


class Node(IntEnum):
    """States of a node in maintenance. enum sked_life_node"""

    UP = 0
    DRAINING = 1
    DRAINED = 2
    DOWN = 3
    QUARANTINED = 4


class Offer(IntEnum):
    """States of what a node has free. enum sked_life_offer"""

    READY = 0
    PLACING = 1
    HELD = 2
    RESERVED = 3


class Group(IntEnum):
    """States of what an engine started. enum sked_life_started"""

    PROPOSED = 0
    HELD = 1
    REVOKED = 2
    KILLED = 3
    GONE = 4


class On(IntEnum):
    """Events of the tables that are here. enum sked_life_event"""

    ENQUEUE = 0
    ADMIT = 1
    DEQUEUE = 2
    RESERVE = 3
    PLACE = 4
    RETURN = 5
    REQUEUE = 6
    LAUNCH = 7
    LAUNCHED = 8
    START = 9
    RUN = 10
    SUCCEED = 11
    FAIL = 12
    LOSE = 13
    PREEMPT = 14
    KILL = 15
    KILLED = 16
    TIMEOUT = 17
    CYCLE_OVER = 18
    RECOVER = 19
    NEW_RUN = 20
    DELETE = 21
    CREATED = 22
    STOPPED = 23
    PAUSE = 24
    RESUME = 25
    ABORT = 26
    DONE = 27
    TOO_MANY = 28
    ROLL_BACK = 29
    DRAIN = 30
    DRAINED = 31
    DOWN = 32
    UP = 33
    QUARANTINE = 34
    MATCH = 35
    HOLD = 36
    RELEASE = 37
    CONFIRM = 38
    REFUSE = 39
    END = 40


class Do(IntEnum):
    """What is to be done. enum sked_life_action"""

    NOTHING = 0
    START = 1
    STOP = 2
    CHECK_LAUNCH = 3
    RESTART = 4
    RETRY = 5
    SHUT_DOWN = 6
    INITIALIZE = 7
    DELETE = 8
    RELOAD = 9
    INVALID = 10
    CREATE = 11
    START_TASKS = 12
    KILL = 13
    KILL_UNTRACK = 14
    KILL_DELETE = 15
    UNTRACK = 16
    RECOVER = 17
    RUN = 18
    COMPLETE = 19
    CLEAR = 20
    NOTE = 21


class Moved(IntEnum):
    """What became of an event. enum sked_life_outcome"""

    MOVED = 1
    STAYED = 2
    IGNORED = 3


class FaultOf(IntEnum):
    """What a table does wrong. enum sked_life_fault_code"""

    NO_START = 1
    UNREACHABLE = 2
    DEAD_END = 3
    TRAP = 4
    CYCLE = 5
    UNUSED = 6


class Health(IntEnum):
    """How an instance says it is. enum sked_life_health"""

    UNKNOWN = 0
    DISABLED = 1
    HEALTHY = 2
    UNHEALTHY = 3


class Ended(IntEnum):
    """Why an instance was ended. enum sked_life_ended"""

    NOT = 0
    MAINTENANCE = 1
    UPDATE = 2
    FAILURE = 3
    OTHER = 4


class Beside(IntEnum):
    """One that an update started beside an instance. enum sked_life_beside"""

    NONE = 0
    COMING = 1
    UP = 2
    FAILED = 3


class Type(IntEnum):
    """The four types of job. enum sked_life_type"""

    BATCH = 1
    STATELESS = 2
    STATEFUL = 3
    DAEMON = 4


class Again(IntEnum):
    """When an instance is started again. enum sked_life_again"""

    NEVER = 1
    FAILED = 2
    ALWAYS = 3


class Availability(IntEnum):
    """How an instance counts for its SLA. enum sked_life_availability"""

    INVALID = 0
    AVAILABLE = 1
    UNAVAILABLE = 2
    KILLED = 3


class Stopper(IntEnum):
    """Who wants to stop something. enum sked_life_stopper"""

    UPDATE = 1
    PREEMPTION = 2
    MAINTENANCE = 3


class End(IntEnum):
    """How an instance ended, beside its own record. enum sked_life_end"""

    PLAIN = 0
    SYSTEM = 1
    PREEMPTED = 2


class With(IntFlag):
    """How an update goes. enum sked_life_update_flag"""

    ROLLBACK = 1
    PAUSE = 2
    ZONES = 4
    TOGETHER = 8


class OrderKind(IntEnum):
    """What an instance is to be told. enum sked_life_order_kind"""

    ADD = 1
    CHANGE = 2
    REMOVE = 3
    BESIDE = 4
    SWITCH = 5
    DROP = 6


class Why(IntEnum):
    """Why an update is as it is. enum sked_life_why"""

    NONE = 0
    FAILURES = 1
    STUCK = 2
    CANARY = 3
    TOLD = 4
    SLA = 5


class Phase(IntEnum):
    """How far an instance is in an update. enum sked_life_phase"""

    UNTOUCHED = 0
    WAITING = 1
    TOLD = 2
    BESIDE = 3
    SWITCHED = 4
    DROPPING = 5
    DONE = 6
    FAILED = 7


class Workflow(IntEnum):
    """Kinds of workflows. enum sked_life_workflow"""

    UPDATE = 1
    START = 2
    STOP = 3
    RESTART = 4
