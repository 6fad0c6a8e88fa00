"""Planning from history: percentile allocation, tiers, objectives, the queue
structure that jobs ask for. <sched/pctl.h>, <sched/history.h>, <sched/slo.h>,
<sched/tiers.h>, <sched/plan.h>, <sched/advise.h>

Times and lengths are in ns, or whatever you count time in; thresholds are
exact fractions."""

from ..enums import UNSET
from .advice import (Advice, AdviceCase, AdviceFound, AdviceTotal, Advised,
                     Proof, Side, advise_each)
from .allocate import (POINT, TOTAL, Allocation, InUse, Threshold, exact,
                       percentile, percentiles)
from .history import END, History, HistoryFlag, RecordForm, units_of
from .reserve import Cost, Reserved, instances_of, reserved
from .slo import (REPAIR, TIER, Objective, Objectives, instances, objectives,
                  repairs, runs_of)
from .structure import (NO_LEAF, Plan, PlanChange, PlanChanged, PlanJobs,
                        PlanOp, leaves, running, tier_settings)
from .tiers import (MAX_TIERS, Tiers, TiersOutcome, plan_tiers, search_tiers,
                    thresholds)

__all__ = [
    "Advice", "AdviceCase", "AdviceFound", "AdviceTotal", "Advised",
    "Allocation", "Cost", "END", "History",
    "HistoryFlag", "InUse", "MAX_TIERS", "NO_LEAF", "Objective", "Objectives",
    "POINT", "Plan", "PlanChange", "PlanChanged", "PlanJobs", "PlanOp",
    "Proof", "REPAIR", "RecordForm", "Reserved", "Side", "TIER", "TOTAL", "Threshold", "Tiers",
    "TiersOutcome", "UNSET", "advise_each", "exact", "instances", "instances_of", "leaves",
    "objectives", "percentile", "percentiles", "plan_tiers", "repairs",
    "reserved", "running", "runs_of", "search_tiers", "thresholds",
    "tier_settings", "units_of"]
