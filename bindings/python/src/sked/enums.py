"""The library's constants, as in its headers."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from functools import lru_cache

#: Amounts go from 0 to this many of a kind's smallest unit.
AMOUNT_MAX = 1 << 62
#: "No bound", where a field says so.
UNLIMITED = (1 << 63) - 1
#: "Not said, take the default".
UNSET = -(1 << 63)
#: As a time: the clock hook's.
NOW = -(1 << 63)
#: Ratios in settings are parts per million: one whole.
PPM = 1_000_000
MAX_KINDS = 32
MAX_QUEUES = 1048576
MAX_DEPTH = 64
#: No queue has this id.
NO_QUEUE = 0
#: An ask that may run in any partition.
ANY_PARTITION = (1 << 32) - 1
NO_SLOT = (1 << 32) - 1


class Attribute(IntEnum):
    """What a queue can be told. enum sked_queue_attribute"""

    WEIGHT = 1
    ORDER = 2
    FAIR_KIND = 3
    APPS = 4
    MAX_RUNNING = 5
    USER_LIMIT = 6
    PRIORITY = 7
    TIER = 8
    PREEMPT_FROM = 9
    PREEMPT_MIN_TIMEOUT = 10
    PREEMPT_FAIR_TIMEOUT = 11
    PREEMPT_FAIR_THRESHOLD = 12
    AM_SHARE = 13
    GUARANTEE_PPM = 14
    LIMIT_PPM = 15
    STATE = 16
    USER_FACTOR = 17
    START_RATE = 18
    GUARANTEE = 32
    LIMIT = 33
    BORROW = 34
    LEND = 35
    LABEL = 48


class ChildOrder(IntEnum):
    """How a parent serves its children. enum sked_order_policy"""

    DRF = 0
    FAIR = 1
    UTILISATION = 2
    PRIORITY = 3
    FIFO = 4
    RANDOM = 5
    SHARE = 6
    HOST = 64


class AppOrder(IntEnum):
    """How a leaf serves its applications. enum sked_apps_policy"""

    FIFO = 0
    FAIR = 1
    PRIORITY = 2
    SIZE = 3
    USER_FAIR = 4
    HOST = 64


class State(IntEnum):
    """enum sked_state"""

    RUNNING = 0
    DRAINING = 1


class Remove(IntEnum):
    """enum sked_tree_remove_mode"""

    REFUSE = 0
    DRAIN = 1


class Commit(IntEnum):
    """enum sked_tree_commit_mode"""

    LENIENT = 0
    STRICT = 1


class Severity(IntEnum):
    """enum sked_severity"""

    NOTE = 0
    WARNING = 1
    ERROR = 2


class FaultCode(IntEnum):
    """What is wrong with a draft or a text. enum sked_fault_code"""

    SYNTAX = 1
    UNKNOWN_KEY = 2
    BAD_VALUE = 3
    DUPLICATE_KEY = 4
    DUPLICATE_QUEUE = 5
    MISSING_PARENT = 6
    TOO_DEEP = 7
    TOO_MANY = 8
    ROOT = 9
    GUARANTEE_ABOVE_PARENT = 16
    GUARANTEE_ABOVE_LIMIT = 17
    LIMIT_ABOVE_PARENT = 18
    PARTS_SUM = 19
    PARTS_MIXED = 20
    DEAD_WEIGHT = 21
    ALL_DEAD = 22
    BORROW_BEYOND_LIMIT = 23
    LEND_ABOVE_GUARANTEE = 24
    RUNNING_ABOVE_PARENT = 25
    APPS_ON_PARENT = 26
    ORDER_ON_LEAF = 27
    PREEMPT_REENABLED = 28
    TIMEOUT_IDLE = 29
    GUARANTEE_LIFTED = 30
    PRIORITY_BEFORE_GUARANTEE = 31


class Change(IntEnum):
    """enum sked_diff_op"""

    ADD = 1
    REMOVE = 2
    MOVE = 3
    SET = 4


class LedgerColumn(IntEnum):
    """enum sked_ledger_column"""

    USAGE = 1
    DEMAND = 2
    HISTORY = 3
    RUNNING = 4


class Round(IntEnum):
    """enum sked_rounding"""

    REFUSE = 0
    DOWN = 1
    UP = 2
    NEAREST = 3


class Form(IntEnum):
    """enum sked_form"""

    SHORT = 0
    LOG = 1


class Relation(IntFlag):
    """enum sked_vec_relations"""

    LESS = 1
    EQUAL = 2
    MORE = 4


class FillForm(IntEnum):
    """enum sked_fill_form"""

    RATIO = 0
    OVER_GUARANTEE = 1


class Apportion(IntEnum):
    """How exact fractions become whole units. enum sked_apportion"""

    WEBSTER = 0
    LARGEST = 1
    PREFIX = 2


class Outcome(IntEnum):
    """What came of a filling. enum sked_fill_outcome"""

    OK = 0
    SATURATED = 1
    OVERCOMMIT = 2


class Bound(IntEnum):
    """What keeps a queue from its part. enum sked_bound"""

    NONE = 0
    GUARANTEE = 1
    LIMIT = 2
    DEMAND = 3
    WEIGHT = 4
    TOTAL = 5
    BORROW = 6
    LEND = 7
    IDLE = 8
    CHILDREN = 9


class Model(IntEnum):
    """enum sked_share_model"""

    ENTITLEMENT = 0
    STEADY = 1
    INSTANTANEOUS = 2
    CAPACITY = 3


class Scope(IntEnum):
    """enum sked_share_scope"""

    KINDS = 0
    ONE_KIND = 1
    DOMINANT = 2


class ShareFlag(IntFlag):
    """enum sked_share_flag"""

    BANDS = 1
    ANTICIPATE = 2
    GUARANTEED_ONLY = 4
    BY_DEMAND = 8


class EventKind(IntEnum):
    """What happened. enum sked_event_kind"""

    TICK = 1
    NODE_UP = 2
    NODE_CHANGE = 3
    NODE_DRAIN = 4
    NODE_DOWN = 5
    HEARTBEAT = 6
    JOB_SUBMIT = 7
    JOB_UPDATE = 8
    JOB_CANCEL = 9
    JOB_FINISH = 10
    ASK_ADD = 11
    ASK_CHANGE = 12
    ASK_WITHDRAW = 13
    TASK_CONFIRM = 14
    TASK_REFUSE = 15
    TASK_FINISH = 16
    TASK_FAIL = 17
    TASK_LOST = 18
    ROUND = 19
    TASK_KILLED = 20
    TASK_SAVED = 21
    NODE_RESUME = 22
    TASK_RUNNING = 23
    ALLOW = 24
    ASK_EXCLUDE = 25
    JOB_EXCLUDE = 26
    TASK_RESIZE = 27
    JOB_LEAST = 28
    NODE_ATTRIBUTES = 29
    ASK_RULE = 30
    ASK_TAGS = 31
    ASK_PREFER = 32
    ASK_PLACES = 33
    ASK_RACKS = 34
    NODE_MOVE = 35
    TASK_RELEASED = 41
    TASK_ENDS = 42
    TASK_COST = 43
    POOL = 44
    QUEUE_WEIGHT = 45


class EventFlag(IntFlag):
    """Of jobs and asks. enum sked_job_flag, enum sked_ask_flag"""

    RETRY = 1
    GANG = 2
    STRICT = 4
    FIXED = 8
    KEEPS = 16
    MASTER = 32
    KEEP = 64
    WAIT = 128
    ADMITTED = 256
    SPREAD = 512
    TOGETHER = 1024
    PLACE_FIRST = 2048
    PLACE_PACK = 4096
    PLACE_SPREAD = 8192
    PLACE_FRAGMENT = 16384
    PLACE_SCORE = 32768
    PREFER_SAME = 65536
    EXCLUSIVE = 131072
    EXACT = 262144
    ONCE = 1048576
    READMIT = 2097152
    CONTROLLER = 4194304
    REVOCABLE = 8388608
    YIELDS = 16777216


class PlaceMode(IntEnum):
    """Which node an ask takes. enum sked_engine_place_mode"""

    FIRST = 1
    PACK = 2
    SPREAD = 3
    FRAGMENT = 4
    SCORE = 5


class EngineFlag(IntFlag):
    """Of an engine. enum sked_engine_flag"""

    WAIT = 1


class Refuse(IntFlag):
    """How far a refusal reaches, and of how many tasks. enum sked_refuse_flag"""

    ASK = 1
    JOB = 2
    NODE = 4
    SOME = 8


class Confirm(IntFlag):
    """Of a confirmation. enum sked_confirm_flag"""

    ACTUAL = 1


class TaskFlag(IntFlag):
    """Of what is said of tasks. enum sked_task_flag"""

    ALL = 16
    ON_NODE = 32


class Differs(IntEnum):
    """How an engine and its host's truth differ. enum sked_engine_differs"""

    LACKS = 1
    EXTRA = 2
    OTHER = 3


class Decide(IntEnum):
    """What to do. enum sked_decision_kind"""

    ADMIT = 1
    REJECT = 2
    ALLOCATE = 3
    RESERVE = 4
    NOTIFY = 5
    KILL = 6
    WITHDRAW = 7
    EXPIRE = 8
    REQUEUE = 9
    LOST = 10
    FINISH = 100  # not in C


class Reason(IntEnum):
    """Why, and what a job waits for. enum sked_reason"""

    NONE = 0
    ORDER = 1
    NO_NODE = 2
    NEVER_NODE = 3
    QUEUE_LIMIT = 4
    NEVER_LIMIT = 5
    USER_LIMIT = 6
    MAX_RUNNING = 7
    USER_RUNNING = 8
    LOCALITY = 9
    REFUSED = 10
    DRAINING = 11
    NODE_LOST = 12
    UNCONFIRMED = 13
    CANCELLED = 14
    NOT_ADMITTED = 15
    BEHIND = 16
    HELD = 17
    PREEMPTED = 18
    NEED_GONE = 19
    OBSERVED = 20
    MASTERS = 21
    PREEMPTED_USER = 22
    PREEMPTED_PRIORITY = 23
    PREEMPTED_LIMIT = 24
    NO_CLAIM = 25
    ADOPTED = 26
    EXCLUDED = 27
    RULE = 28
    GANG = 34
    RATE = 35
    EXCLUSIVE = 36
    TREE_1_LIMIT = 37
    TREE_2_LIMIT = 38
    TREE_1_RUNNING = 39
    TREE_2_RUNNING = 40
    CLASS = 41
    FORMING = 42
    WEIGHT = 43


class SimFlag(IntFlag):
    """enum sked_sim_flag"""

    GANG = 1
    NO_SHARES = 2
    SPREAD = 4
    EXACT = 8


@lru_cache(maxsize=1024)
def number(kind: type[IntEnum], said: int | str) -> int:
    """A constant by its number, or by its name in any case.

    >>> number(ChildOrder, "share")
    6
    """
    if not isinstance(said, str):
        return int(said)
    try:
        return kind[said.upper().replace("-", "_")].value
    except KeyError:
        words = ", ".join(m.name.lower() for m in kind)
        raise ValueError(f"{said!r} is none of {words}") from None
