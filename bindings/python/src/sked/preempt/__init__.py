"""Who gives way, and for whom. <sched/rank.h>, <sched/target.h>,
<sched/preempt.h>, <sched/round.h>"""

from .rank import RankKey, RankPreset, TaskState, preset, rank
from .rounds import (ACTION, MARK, Contract, RoundFlag, RoundOption, Rounds,
                     RoundWhat)
from .select import (PLACEMENT, VICTIM, Candidate, Preemption,
                     PreemptFlag, PreemptOutcome, Problem, Selection, VictimReason)
from .target import (TARGETS, Dialect, Target, TargetColumn, TargetFlag,
                     TargetReason, TargetTotal, target_once, user_targets)

__all__ = [
    "ACTION", "Candidate", "Contract", "Dialect", "MARK", "PLACEMENT", "PreemptFlag",
    "PreemptOutcome", "Preemption", "Problem", "RankKey", "RankPreset",
    "RoundFlag", "RoundOption", "RoundWhat", "Rounds", "Selection", "TARGETS",
    "Target", "TargetColumn", "TargetFlag", "TargetReason", "TargetTotal",
    "TaskState", "VICTIM", "VictimReason", "preset", "rank", "target_once",
    "user_targets"]
