/*
 * Structs without pointers as the struct module and numpy read them.
 * Written by tools/api from the headers.
 */
#ifndef SKED_PYTHON_RECORDS_H
#define SKED_PYTHON_RECORDS_H

/* clang-format off */
#define ROW_AUDIT_ROW \
    "T{q:time:i:type:I:flags:Q:key:Q:of:Q:on:q:value:q:count:i:amounts:" \
    "I:reserved:}"
#define ROW_BALANCE_EVACUATION \
    "T{I:asked:I:placed:I:most:I:reserved:}"
#define ROW_BALANCE_MOVE \
    "T{I:workflow:I:from:I:to:I:reserved:q:gain_excess:q:gain_sum:" \
    "q:from_utilisation:q:to_utilisation:q:from_allocation:" \
    "q:to_allocation:}"
#define ROW_BALANCE_OBJECTIVE \
    "T{q:excess:q:sum:}"
#define ROW_BATCH_CELL \
    "T{q:sigma_ppm:q:tau_ppm:q:makespan:q:t_hat:q:tail:q:capacity:" \
    "q:pure_num:q:pure_den:q:tail_num:q:tail_den:q:overhead_num:" \
    "q:overhead_den:}"
#define ROW_BATCH_METRICS \
    "T{q:makespan:q:t_hat:q:tail:q:capacity:q:pure_num:q:pure_den:" \
    "q:tail_num:q:tail_den:q:overhead_num:q:overhead_den:}"
#define ROW_BATCH_SPAN \
    "T{q:start:q:end:I:task:I:slots:}"
#define ROW_BATCH_START \
    "T{I:task:I:slots:}"
#define ROW_BATCH_STEP \
    "T{q:at:q:slots:}"
#define ROW_DECISION \
    "T{Q:sequence:q:time:i:kind:i:reason:Q:job:Q:ask:Q:node:Q:group:" \
    "q:task:q:count:Q:queue:q:detail:i:kind_at:I:partition:Q:serves:}"
#define ROW_DRF_STANDING \
    "T{Q:key:q:share_num:q:share_den:I:weight:i:kind:}"
#define ROW_ENGINE_BOUND \
    "T{i:reason:i:kind:Q:ask:Q:queue:q:need:q:bound:I:partition:I:binds:}"
#define ROW_ENGINE_DIFFERENCE \
    "T{q:time:i:kind:I:flags:Q:key:Q:owner:Q:queue:q:count:I:partition:" \
    "i:priority:I:amount:I:places:q:moment:q:task:Q:row:I:per_node:" \
    "I:at_once:Q:same:Q:charge_first:Q:charge_second:i:how:I:reserved:}"
#define ROW_ENGINE_NOTICE \
    "T{Q:ask:Q:node:Q:group:q:task:q:count:q:deadline:I:reserved:" \
    "I:partition:}"
#define ROW_EVENT \
    "T{q:time:i:kind:I:flags:Q:key:Q:owner:Q:queue:q:count:I:partition:" \
    "i:priority:I:amount:I:places:}"
#define ROW_EVENT_CHARGE \
    "T{Q:first:Q:second:}"
#define ROW_EVENT_GANG \
    "T{I:per_node:I:at_once:Q:same:}"
#define ROW_HDRF_STANDING \
    "T{Q:key:Q:share:I:weight:I:blocked:}"
#define ROW_HISTORY_STANDING \
    "T{q:clock:q:oldest:Q:open:Q:amounts:Q:units:}"
#define ROW_HISTORY_STATS \
    "T{Q:empty:Q:outside:}"
#define ROW_LIFE_AT \
    "T{I:state:I:before:}"
#define ROW_LIFE_EDGE \
    "T{Q:from:I:event:I:next:I:causes:I:marks:}"
#define ROW_LIFE_FAULT \
    "T{I:code:I:state:}"
#define ROW_LIFE_GOAL \
    "T{Q:goals:Q:states:I:action:I:reserved:}"
#define ROW_LIFE_INSTANCE \
    "T{Q:version:Q:desired:Q:run:Q:desired_run:q:since:I:state:I:goal:" \
    "I:health:I:ended:I:failures:I:beside:I:told:I:reserved:}"
#define ROW_LIFE_NAME \
    "T{24s:text:I:marks:I:reserved:}"
#define ROW_LIFE_NODES \
    "T{Q:n:Q:out:}"
#define ROW_LIFE_ORDER \
    "T{I:kind:I:row:Q:version:}"
#define ROW_LIFE_PLACING_RESULT \
    "T{I:to:I:reserve:I:cycle_over:I:all_over:q:timeout_ns:q:backoff_ns:}"
#define ROW_LIFE_RECORD \
    "T{q:from:q:until:I:failures:I:times:I:out:I:reserved:}"
#define ROW_LIFE_RESTART_RESULT \
    "T{I:again:I:failures:q:delay_ns:}"
#define ROW_LIFE_STATS \
    "T{Q:available:Q:unavailable:Q:killed:}"
#define ROW_LIFE_STEP \
    "T{I:at_state:I:at_before:I:outcome:I:edge:}"
#define ROW_LIFE_TRIES \
    "T{I:attempt:I:cycle:}"
#define ROW_LOCALITY_MOVE \
    "T{I:block:I:from:I:to:I:reserved:}"
#define ROW_LOCALITY_POINT \
    "T{q:load:Q:transfers:}"
#define ROW_ORDER_KEY \
    "T{Q:high:Q:low:}"
#define ROW_PCTL_POINT \
    "T{q:amount:q:lower:q:higher:q:covered_num:q:covered_den:Q:waste_high:" \
    "Q:waste_low:}"
#define ROW_PCTL_QUEUE \
    "T{q:in_use:q:vacant:q:least:q:peak:Q:usage_high:Q:usage_low:}"
#define ROW_PCTL_RESERVED_COST \
    "T{q:amount:Q:reserved_amount_high:Q:reserved_amount_low:" \
    "Q:demand_high:Q:demand_low:Q:cost_high:Q:cost_low:}"
#define ROW_PCTL_RESERVED_RESULT \
    "T{q:cheapest_amount:Q:cheapest_reserved_amount_high:" \
    "Q:cheapest_reserved_amount_low:Q:cheapest_demand_high:" \
    "Q:cheapest_demand_low:Q:cheapest_cost_high:Q:cheapest_cost_low:" \
    "q:peak_amount:Q:peak_reserved_amount_high:Q:peak_reserved_amount_low:" \
    "Q:peak_demand_high:Q:peak_demand_low:Q:peak_cost_high:" \
    "Q:peak_cost_low:q:none_amount:Q:none_reserved_amount_high:" \
    "Q:none_reserved_amount_low:Q:none_demand_high:Q:none_demand_low:" \
    "Q:none_cost_high:Q:none_cost_low:q:exceeded:q:window:}"
#define ROW_PREEMPT_PLACEMENT \
    "T{I:request:I:node:I:count:I:claim:}"
#define ROW_PREEMPT_VICTIM \
    "T{I:row:I:count:I:request:I:reason:q:cost:}"
#define ROW_RATIO \
    "T{q:num:q:den:}"
#define ROW_REPORT_TIER \
    "T{Q:workflows:Q:added:Q:retiered:Q:slo:Q:gone:}"
#define ROW_ROUND_ACTION \
    "T{Q:key:Q:job:q:deadline:I:count:H:what:H:flags:}"
#define ROW_ROUND_MARK \
    "T{Q:key:Q:job:q:deadline:I:count:I:flags:}"
#define ROW_ROUTE_ANSWER \
    "T{Q:cluster:Q:runner_up:q:num:q:den:q:cost:i:kind:i:reserved:" \
    "q:runner_num:q:runner_den:q:runner_cost:i:runner_kind:" \
    "i:runner_reserved:q:age:I:eligible:I:stale:}"
#define ROW_ROUTE_SCORE \
    "T{q:num:q:den:q:cost:i:kind:i:reserved:}"
#define ROW_RULE_ATTRIBUTE \
    "T{Q:key:q:value:}"
#define ROW_RULE_TALLY \
    "T{Q:tag:Q:key:q:count:q:least:}"
#define ROW_RULE_TERM \
    "T{Q:key:q:value:Q:n:I:op:I:first:}"
#define ROW_SIM_DELAY \
    "T{q:p50:q:p95:q:p99:q:max:q:mean:Q:n:}"
#define ROW_SIM_FAILURE \
    "T{q:at:q:until:I:node:I:reserved:}"
#define ROW_SIM_RECORD \
    "T{Q:sequence:q:time:i:kind:i:reason:Q:job:Q:ask:Q:node:Q:group:" \
    "q:task:q:count:Q:queue:q:detail:i:kind_at:I:partition:Q:serves:I:row:" \
    "I:copy:}"
#define ROW_SLO_REPAIR \
    "T{I:workflow:I:runs:I:met:I:missing:q:extra:}"
#define ROW_SLO_TIER \
    "T{Q:workflows:Q:successful:Q:idle:Q:runs:Q:met:}"
#define ROW_WIDE \
    "T{Q:high:Q:low:}"

#endif
