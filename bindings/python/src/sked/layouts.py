"""Structs without pointers, field by field, as C lays them out: what
`records.Layout` takes. Written by tools/api from the headers."""

from __future__ import annotations

AUDIT_ROW = (
    "q:time i:type I:flags Q:key Q:of Q:on q:value q:count i:amounts "
    "I:reserved")
BALANCE_EVACUATION = (
    "I:asked I:placed I:most I:reserved")
BALANCE_MOVE = (
    "I:workflow I:from I:to I:reserved q:gain_excess q:gain_sum "
    "q:from_utilisation q:to_utilisation q:from_allocation q:to_allocation")
BALANCE_OBJECTIVE = (
    "q:excess q:sum")
BATCH_CELL = (
    "q:sigma_ppm q:tau_ppm q:makespan q:t_hat q:tail q:capacity q:pure_num "
    "q:pure_den q:tail_num q:tail_den q:overhead_num q:overhead_den")
BATCH_METRICS = (
    "q:makespan q:t_hat q:tail q:capacity q:pure_num q:pure_den q:tail_num "
    "q:tail_den q:overhead_num q:overhead_den")
BATCH_SPAN = (
    "q:start q:end I:task I:slots")
BATCH_START = (
    "I:task I:slots")
BATCH_STEP = (
    "q:at q:slots")
DECISION = (
    "Q:sequence q:time i:kind i:reason Q:job Q:ask Q:node Q:group q:task "
    "q:count Q:queue q:detail i:kind_at I:partition Q:serves")
DRF_STANDING = (
    "Q:key q:share_num q:share_den I:weight i:kind")
ENGINE_BOUND = (
    "i:reason i:kind Q:ask Q:queue q:need q:bound I:partition I:binds")
ENGINE_DIFFERENCE = (
    "q:time i:kind I:flags Q:key Q:owner Q:queue q:count I:partition "
    "i:priority I:amount I:places q:moment q:task Q:row I:per_node "
    "I:at_once Q:same Q:charge_first Q:charge_second i:how I:reserved")
ENGINE_NOTICE = (
    "Q:ask Q:node Q:group q:task q:count q:deadline I:reserved I:partition")
EVENT = (
    "q:time i:kind I:flags Q:key Q:owner Q:queue q:count I:partition "
    "i:priority I:amount I:places")
EVENT_CHARGE = (
    "Q:first Q:second")
EVENT_GANG = (
    "I:per_node I:at_once Q:same")
HDRF_STANDING = (
    "Q:key Q:share I:weight I:blocked")
HISTORY_STANDING = (
    "q:clock q:oldest Q:open Q:amounts Q:units")
HISTORY_STATS = (
    "Q:empty Q:outside")
LIFE_AT = (
    "I:state I:before")
LIFE_EDGE = (
    "Q:from I:event I:next I:causes I:marks")
LIFE_FAULT = (
    "I:code I:state")
LIFE_GOAL = (
    "Q:goals Q:states I:action I:reserved")
LIFE_INSTANCE = (
    "Q:version Q:desired Q:run Q:desired_run q:since I:state I:goal "
    "I:health I:ended I:failures I:beside I:told I:reserved")
LIFE_NAME = (
    "24s:text I:marks I:reserved")
LIFE_NODES = (
    "Q:n Q:out")
LIFE_ORDER = (
    "I:kind I:row Q:version")
LIFE_PLACING_RESULT = (
    "I:to I:reserve I:cycle_over I:all_over q:timeout_ns q:backoff_ns")
LIFE_RECORD = (
    "q:from q:until I:failures I:times I:out I:reserved")
LIFE_RESTART_RESULT = (
    "I:again I:failures q:delay_ns")
LIFE_STATS = (
    "Q:available Q:unavailable Q:killed")
LIFE_STEP = (
    "I:at_state I:at_before I:outcome I:edge")
LIFE_TRIES = (
    "I:attempt I:cycle")
LOCALITY_MOVE = (
    "I:block I:from I:to I:reserved")
LOCALITY_POINT = (
    "q:load Q:transfers")
ORDER_KEY = (
    "Q:high Q:low")
PCTL_POINT = (
    "q:amount q:lower q:higher q:covered_num q:covered_den Q:waste_high "
    "Q:waste_low")
PCTL_QUEUE = (
    "q:in_use q:vacant q:least q:peak Q:usage_high Q:usage_low")
PCTL_RESERVED_COST = (
    "q:amount Q:reserved_amount_high Q:reserved_amount_low Q:demand_high "
    "Q:demand_low Q:cost_high Q:cost_low")
PCTL_RESERVED_RESULT = (
    "q:cheapest_amount Q:cheapest_reserved_amount_high "
    "Q:cheapest_reserved_amount_low Q:cheapest_demand_high "
    "Q:cheapest_demand_low Q:cheapest_cost_high Q:cheapest_cost_low "
    "q:peak_amount Q:peak_reserved_amount_high Q:peak_reserved_amount_low "
    "Q:peak_demand_high Q:peak_demand_low Q:peak_cost_high Q:peak_cost_low "
    "q:none_amount Q:none_reserved_amount_high Q:none_reserved_amount_low "
    "Q:none_demand_high Q:none_demand_low Q:none_cost_high Q:none_cost_low "
    "q:exceeded q:window")
PREEMPT_PLACEMENT = (
    "I:request I:node I:count I:claim")
PREEMPT_VICTIM = (
    "I:row I:count I:request I:reason q:cost")
RATIO = (
    "q:num q:den")
REPORT_TIER = (
    "Q:workflows Q:added Q:retiered Q:slo Q:gone")
ROUND_ACTION = (
    "Q:key Q:job q:deadline I:count H:what H:flags")
ROUND_MARK = (
    "Q:key Q:job q:deadline I:count I:flags")
ROUTE_ANSWER = (
    "Q:cluster Q:runner_up q:num q:den q:cost i:kind i:reserved "
    "q:runner_num q:runner_den q:runner_cost i:runner_kind "
    "i:runner_reserved q:age I:eligible I:stale")
ROUTE_SCORE = (
    "q:num q:den q:cost i:kind i:reserved")
RULE_ATTRIBUTE = (
    "Q:key q:value")
RULE_TALLY = (
    "Q:tag Q:key q:count q:least")
RULE_TERM = (
    "Q:key q:value Q:n I:op I:first")
SIM_DELAY = (
    "q:p50 q:p95 q:p99 q:max q:mean Q:n")
SIM_FAILURE = (
    "q:at q:until I:node I:reserved")
SIM_RECORD = (
    "Q:sequence q:time i:kind i:reason Q:job Q:ask Q:node Q:group q:task "
    "q:count Q:queue q:detail i:kind_at I:partition Q:serves I:row I:copy")
SLO_REPAIR = (
    "I:workflow I:runs I:met I:missing q:extra")
SLO_TIER = (
    "Q:workflows Q:successful Q:idle Q:runs Q:met")
WIDE = (
    "Q:high Q:low")
