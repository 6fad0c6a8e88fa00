/*
 * Prints one self-contained line per fact about the ABI that a compiler knows
 * and a symbol table does not. layout.txt holds the facts already promised;
 * gate.cmake checks that each still holds, so the list only ever grows.
 *
 * A struct with struct_size has no FROZEN line: it may grow at the end, and
 * its fields staying put is all that its older callers rely on.
 */
#include <sched/sked.h>

#include <stdio.h>

#define FROZEN(t) printf("sizeof(%s) = %zu\n", #t, sizeof(t))
#define FIELD(t, f)                                                            \
    printf("%s.%s at %zu, %zu bytes\n", #t, #f, offsetof(t, f),                \
           sizeof(((t *)0)->f))
/* A last field that is itself a struct which may grow. */
#define LAST(t, f) printf("%s.%s at %zu\n", #t, #f, offsetof(t, f))
#define VALUE(c) printf("%s = %lld\n", #c, (long long)(c))

static void base_facts(void)
{
    FROZEN(sked_status);
    FROZEN(sked_queue_id);
    FROZEN(sked_time);
    FROZEN(sked_ratio);
    FIELD(sked_ratio, num);
    FIELD(sked_ratio, den);
    FROZEN(sked_wide);
    FIELD(sked_wide, high);
    FIELD(sked_wide, low);
    FROZEN(sked_error);
    FIELD(sked_error, code);
    FIELD(sked_error, kind);
    FIELD(sked_error, queue);
    FIELD(sked_error, got);
    FIELD(sked_error, limit);
    FIELD(sked_error, row);
    FIELD(sked_error, line);
    FIELD(sked_error, column);
    FIELD(sked_error, reserved);
    FIELD(sked_error, message);
    VALUE(SKED_OK);
    VALUE(SKED_STOPPED);
    VALUE(SKED_STALE);
    VALUE(SKED_ERR_ARG);
    VALUE(SKED_ERR_NOMEM);
    VALUE(SKED_ERR_RANGE);
    VALUE(SKED_ERR_EXISTS);
    VALUE(SKED_ERR_STALE);
    VALUE(SKED_ERR_STATE);
    VALUE(SKED_ERR_VERSION);
    VALUE(SKED_ERR_NOT_FOUND);
    VALUE(SKED_ERR_SYNTAX);
    VALUE(SKED_ERR_CORRUPT);
    VALUE(SKED_ERR_CANCELLED);
    VALUE(SKED_ERR_INVALID);
    VALUE(SKED_ERR_SCHEMA);
    VALUE(SKED_ERR_INTERNAL);
    VALUE(SKED_MAX_KINDS);
    VALUE(SKED_MAX_QUEUES);
    VALUE(SKED_MAX_DEPTH);
    VALUE(SKED_NO_QUEUE);
    VALUE(SKED_AMOUNT_MAX);
    VALUE(SKED_UNLIMITED);
    VALUE(SKED_UNSET);
    VALUE(SKED_PPM);
}

static void host_facts(void)
{
    FIELD(sked_trace, struct_size);
    FIELD(sked_trace, what);
    FIELD(sked_trace, queue);
    FIELD(sked_trace, a);
    FIELD(sked_trace, b);
    FIELD(sked_trace, c);
    FIELD(sked_host, struct_size);
    FIELD(sked_host, flags);
    FIELD(sked_host, user);
    FIELD(sked_host, resize);
    FIELD(sked_host, log);
    FIELD(sked_host, trace);
    FIELD(sked_host, clock);
    FIELD(sked_host, random);
    FIELD(sked_host, progress);
    FIELD(sked_host, parallel);
    FIELD(sked_host, user_free);
    FIELD(sked_host, cancel);
    FIELD(sked_host, memory_limit);
    FIELD(sked_host, threads);
    FIELD(sked_host, log_level);
    VALUE(SKED_TRACE_COMMIT);
    VALUE(SKED_TRACE_SHARE);
    VALUE(SKED_TRACE_PICK);
    VALUE(SKED_LOG_ERROR);
    VALUE(SKED_LOG_WARNING);
    VALUE(SKED_LOG_INFO);
    VALUE(SKED_LOG_DEBUG);
    VALUE(SKED_HOST_RESERVED_ONLY);
}

static void res_facts(void)
{
    FROZEN(sked_weighted);
    FIELD(sked_weighted, vec);
    FIELD(sked_weighted, weight);
    FIELD(sked_weighted, reserved);
    VALUE(SKED_KIND_NAME_MAX);
    VALUE(SKED_ROUND_REFUSE);
    VALUE(SKED_ROUND_DOWN);
    VALUE(SKED_ROUND_UP);
    VALUE(SKED_ROUND_NEAREST);
    VALUE(SKED_FORM_SHORT);
    VALUE(SKED_FORM_LOG);
    VALUE(SKED_AMOUNT_TEXT);
    VALUE(SKED_VEC_LESS);
    VALUE(SKED_VEC_EQUAL);
    VALUE(SKED_VEC_MORE);
}

static void tree_facts(void)
{
    FIELD(sked_tree_options, struct_size);
    FIELD(sked_tree_options, flags);
    FIELD(sked_tree_options, max_depth);
    FIELD(sked_tree_options, max_queues);
    FROZEN(sked_fault);
    FIELD(sked_fault, code);
    FIELD(sked_fault, severity);
    FIELD(sked_fault, queue);
    FIELD(sked_fault, got);
    FIELD(sked_fault, limit);
    FIELD(sked_fault, kind);
    FIELD(sked_fault, attribute);
    FIELD(sked_fault, line);
    FIELD(sked_fault, column);
    FIELD(sked_fault, reserved);
    VALUE(SKED_QUEUE_WEIGHT);
    VALUE(SKED_QUEUE_ORDER);
    VALUE(SKED_QUEUE_FAIR_KIND);
    VALUE(SKED_QUEUE_APPS);
    VALUE(SKED_QUEUE_MAX_RUNNING);
    VALUE(SKED_QUEUE_USER_LIMIT);
    VALUE(SKED_QUEUE_PRIORITY);
    VALUE(SKED_QUEUE_TIER);
    VALUE(SKED_QUEUE_PREEMPT_FROM);
    VALUE(SKED_QUEUE_PREEMPT_MIN_TIMEOUT);
    VALUE(SKED_QUEUE_PREEMPT_FAIR_TIMEOUT);
    VALUE(SKED_QUEUE_PREEMPT_FAIR_THRESHOLD);
    VALUE(SKED_QUEUE_AM_SHARE);
    VALUE(SKED_QUEUE_GUARANTEE_PPM);
    VALUE(SKED_QUEUE_LIMIT_PPM);
    VALUE(SKED_QUEUE_STATE);
    VALUE(SKED_QUEUE_GUARANTEE);
    VALUE(SKED_QUEUE_LIMIT);
    VALUE(SKED_QUEUE_BORROW);
    VALUE(SKED_QUEUE_LEND);
    VALUE(SKED_QUEUE_LABEL);
    VALUE(SKED_ORDER_DRF);
    VALUE(SKED_ORDER_FAIR);
    VALUE(SKED_ORDER_UTILISATION);
    VALUE(SKED_ORDER_PRIORITY);
    VALUE(SKED_ORDER_FIFO);
    VALUE(SKED_ORDER_RANDOM);
    VALUE(SKED_ORDER_DEFICIT);
    VALUE(SKED_APPS_FIFO);
    VALUE(SKED_APPS_FAIR);
    VALUE(SKED_APPS_PRIORITY);
    VALUE(SKED_APPS_SIZE);
    VALUE(SKED_APPS_USER_FAIR);
    VALUE(SKED_STATE_RUNNING);
    VALUE(SKED_STATE_DRAINING);
    VALUE(SKED_REMOVE_REFUSE);
    VALUE(SKED_REMOVE_DRAIN);
    VALUE(SKED_FAULT_SYNTAX);
    VALUE(SKED_FAULT_UNKNOWN_KEY);
    VALUE(SKED_FAULT_BAD_VALUE);
    VALUE(SKED_FAULT_DUPLICATE_KEY);
    VALUE(SKED_FAULT_DUPLICATE_QUEUE);
    VALUE(SKED_FAULT_MISSING_PARENT);
    VALUE(SKED_FAULT_TOO_DEEP);
    VALUE(SKED_FAULT_TOO_MANY);
    VALUE(SKED_FAULT_ROOT);
    VALUE(SKED_FAULT_GUARANTEE_ABOVE_PARENT);
    VALUE(SKED_FAULT_GUARANTEE_ABOVE_LIMIT);
    VALUE(SKED_FAULT_LIMIT_ABOVE_PARENT);
    VALUE(SKED_FAULT_PARTS_SUM);
    VALUE(SKED_FAULT_PARTS_MIXED);
    VALUE(SKED_FAULT_DEAD_WEIGHT);
    VALUE(SKED_FAULT_ALL_DEAD);
    VALUE(SKED_FAULT_BORROW_BEYOND_LIMIT);
    VALUE(SKED_FAULT_LEND_ABOVE_GUARANTEE);
    VALUE(SKED_FAULT_RUNNING_ABOVE_PARENT);
    VALUE(SKED_FAULT_APPS_ON_PARENT);
    VALUE(SKED_FAULT_ORDER_ON_LEAF);
    VALUE(SKED_FAULT_PREEMPT_REENABLED);
    VALUE(SKED_FAULT_TIMEOUT_IDLE);
    VALUE(SKED_SEVERITY_WARNING);
    VALUE(SKED_SEVERITY_ERROR);
    VALUE(SKED_COMMIT_LENIENT);
    VALUE(SKED_COMMIT_STRICT);
}

static void diff_facts(void)
{
    FIELD(sked_change, struct_size);
    FIELD(sked_change, op);
    FIELD(sked_change, path);
    FIELD(sked_change, key);
    FIELD(sked_change, before);
    FIELD(sked_change, after);
    VALUE(SKED_CHANGE_ADD);
    VALUE(SKED_CHANGE_REMOVE);
    VALUE(SKED_CHANGE_MOVE);
    VALUE(SKED_CHANGE_SET);
}

static void ledger_facts(void)
{
    FIELD(sked_ledger_options, struct_size);
    FIELD(sked_ledger_options, flags);
    FIELD(sked_ledger_options, half_life);
    VALUE(SKED_LEDGER_USAGE);
    VALUE(SKED_LEDGER_DEMAND);
    VALUE(SKED_LEDGER_HISTORY);
    VALUE(SKED_LEDGER_RUNNING);
}

static void fill_facts(void)
{
    FIELD(sked_fill_input, struct_size);
    FIELD(sked_fill_input, flags);
    FIELD(sked_fill_input, total);
    FIELD(sked_fill_input, n);
    FIELD(sked_fill_input, guarantee);
    FIELD(sked_fill_input, limit);
    FIELD(sked_fill_input, demand);
    FIELD(sked_fill_input, weight);
    FIELD(sked_fill_input, amount_weight);
    FIELD(sked_fill_input, reserved);
    FIELD(sked_fill_options, struct_size);
    FIELD(sked_fill_options, flags);
    FIELD(sked_fill_options, form);
    FIELD(sked_fill_options, rounding);
    FIELD(sked_fill_result, struct_size);
    FIELD(sked_fill_result, outcome);
    FIELD(sked_fill_result, leftover);
    FIELD(sked_fill_result, level);
    FIELD(sked_fill_result, share);
    FIELD(sked_fill_result, bound);
    VALUE(SKED_FILL_RATIO);
    VALUE(SKED_FILL_OVER_GUARANTEE);
    VALUE(SKED_APPORTION_WEBSTER);
    VALUE(SKED_APPORTION_LARGEST);
    VALUE(SKED_APPORTION_PREFIX);
    VALUE(SKED_FILL_OK);
    VALUE(SKED_FILL_SATURATED);
    VALUE(SKED_FILL_OVERCOMMIT);
    VALUE(SKED_BOUND_NONE);
    VALUE(SKED_BOUND_GUARANTEE);
    VALUE(SKED_BOUND_LIMIT);
    VALUE(SKED_BOUND_DEMAND);
    VALUE(SKED_BOUND_WEIGHT);
    VALUE(SKED_BOUND_TOTAL);
    VALUE(SKED_FILL_ANTICIPATE);
}

static void share_facts(void)
{
    FIELD(sked_share_options, struct_size);
    FIELD(sked_share_options, flags);
    FIELD(sked_share_options, model);
    FIELD(sked_share_options, scope);
    FIELD(sked_share_options, rounding);
    FIELD(sked_share_options, kind);
    FIELD(sked_share_stats, struct_size);
    FIELD(sked_share_stats, reserved);
    FIELD(sked_share_stats, computed);
    FIELD(sked_share_stats, full);
    FIELD(sked_share_stats, families);
    FIELD(sked_share_stats, queues);
    FIELD(sked_share_stats, levels);
    FIELD(sked_share_stats, passes);
    FIELD(sked_share_arrays, struct_size);
    FIELD(sked_share_arrays, kinds);
    FIELD(sked_share_arrays, n);
    FIELD(sked_share_arrays, reserved);
    FIELD(sked_share_arrays, parent);
    FIELD(sked_share_arrays, weight);
    FIELD(sked_share_arrays, priority);
    FIELD(sked_share_arrays, guarantee);
    FIELD(sked_share_arrays, limit);
    FIELD(sked_share_arrays, borrow);
    FIELD(sked_share_arrays, lend);
    FIELD(sked_share_arrays, demand);
    FIELD(sked_share_arrays, usage);
    FIELD(sked_share_arrays, running);
    FIELD(sked_share_arrays, state);
    FIELD(sked_share_arrays, capacity);
    FIELD(sked_share_arrays, held);
    VALUE(SKED_MODEL_ENTITLEMENT);
    VALUE(SKED_MODEL_STEADY);
    VALUE(SKED_MODEL_INSTANTANEOUS);
    VALUE(SKED_MODEL_CAPACITY);
    VALUE(SKED_SCOPE_KINDS);
    VALUE(SKED_SCOPE_ONE_KIND);
    VALUE(SKED_SCOPE_DOMINANT);
    VALUE(SKED_SHARE_BANDS);
    VALUE(SKED_SHARE_ANTICIPATE);
    VALUE(SKED_SHARE_GUARANTEED_ONLY);
    VALUE(SKED_SHARE_BY_DEMAND);
    VALUE(SKED_BOUND_BORROW);
    VALUE(SKED_BOUND_LEND);
    VALUE(SKED_BOUND_IDLE);
    VALUE(SKED_BOUND_CHILDREN);
}

static void drf_facts(void)
{
    FIELD(sked_drf_options, struct_size);
    FIELD(sked_drf_options, flags);
    FIELD(sked_drf_options, kinds);
    FIELD(sked_drf_options, clients);
    FROZEN(sked_drf_standing);
    FIELD(sked_drf_standing, key);
    FIELD(sked_drf_standing, share);
    FIELD(sked_drf_standing, weight);
    FIELD(sked_drf_standing, kind);
    FIELD(sked_drf_rows, struct_size);
    FIELD(sked_drf_rows, flags);
    FIELD(sked_drf_rows, kinds);
    FIELD(sked_drf_rows, n);
    FIELD(sked_drf_rows, capacity);
    FIELD(sked_drf_rows, usage);
    FIELD(sked_drf_rows, demand);
    FIELD(sked_drf_rows, weight);
    FIELD(sked_drf_rows, most);
    FIELD(sked_drf_rows, least);
    VALUE(SKED_DRF_NONE);
    VALUE(SKED_DRF_INFINITE);
}

static void hdrf_facts(void)
{
    FIELD(sked_hdrf_options, struct_size);
    FIELD(sked_hdrf_options, flags);
    FIELD(sked_hdrf_options, kinds);
    FIELD(sked_hdrf_options, reserved);
    FROZEN(sked_hdrf_standing);
    FIELD(sked_hdrf_standing, key);
    FIELD(sked_hdrf_standing, share);
    FIELD(sked_hdrf_standing, weight);
    FIELD(sked_hdrf_standing, blocked);
    VALUE(SKED_HDRF_NONE);
}

static void order_facts(void)
{
    FROZEN(sked_order_key);
    FIELD(sked_order_key, high);
    FIELD(sked_order_key, low);
    FIELD(sked_order_columns, struct_size);
    FIELD(sked_order_columns, flags);
    FIELD(sked_order_columns, order);
    FIELD(sked_order_columns, kind);
    FIELD(sked_order_columns, kinds);
    FIELD(sked_order_columns, n);
    FIELD(sked_order_columns, seed);
    FIELD(sked_order_columns, eligible);
    FIELD(sked_order_columns, weight);
    FIELD(sked_order_columns, priority);
    FIELD(sked_order_columns, usage);
    FIELD(sked_order_columns, guarantee);
    FIELD(sked_order_columns, parent);
    FIELD(sked_order_columns, capacity);
    FIELD(sked_order_columns, tag);
    FIELD(sked_order_columns, level);
    FIELD(sked_order_columns, key);
    FIELD(sked_order_apps_columns, struct_size);
    FIELD(sked_order_apps_columns, flags);
    FIELD(sked_order_apps_columns, order);
    FIELD(sked_order_apps_columns, kinds);
    FIELD(sked_order_apps_columns, n);
    FIELD(sked_order_apps_columns, users);
    FIELD(sked_order_apps_columns, eligible);
    FIELD(sked_order_apps_columns, submitted);
    FIELD(sked_order_apps_columns, priority);
    FIELD(sked_order_apps_columns, weight);
    FIELD(sked_order_apps_columns, usage);
    FIELD(sked_order_apps_columns, pending);
    FIELD(sked_order_apps_columns, user);
    FIELD(sked_order_apps_columns, user_usage);
    FIELD(sked_order_apps_columns, user_weight);
    FIELD(sked_order_apps_columns, capacity);
    FIELD(sked_order_apps_columns, key);
    FIELD(sked_order_options, struct_size);
    FIELD(sked_order_options, flags);
    FIELD(sked_order_options, seed);
    FIELD(sked_order_view, struct_size);
    FIELD(sked_order_view, flags);
    FIELD(sked_order_view, tree);
    FIELD(sked_order_view, ledger);
    FIELD(sked_order_view, capacity);
    FIELD(sked_order_view, eligible);
    VALUE(SKED_ORDER_HOST);
    VALUE(SKED_APPS_HOST);
    VALUE(SKED_ORDER_WITHIN_FIRST);
}

static void engine_in_facts(void)
{
    FIELD(sked_engine_options, struct_size);
    FIELD(sked_engine_options, flags);
    FIELD(sked_engine_options, seed);
    FIELD(sked_engine_options, confirm_within);
    FIELD(sked_engine_options, node_delay);
    FIELD(sked_engine_options, rack_delay);
    FIELD(sked_engine_options, node_misses);
    FIELD(sked_engine_options, rack_misses);
    FIELD(sked_engine_options, max_per_pass);
    FIELD(sked_engine_options, max_untaken);
    FIELD(sked_engine_options, max_user_running);
    FIELD(sked_engine_options, reserved);
    FROZEN(sked_event);
    FIELD(sked_event, time);
    FIELD(sked_event, kind);
    FIELD(sked_event, flags);
    FIELD(sked_event, key);
    FIELD(sked_event, owner);
    FIELD(sked_event, queue);
    FIELD(sked_event, count);
    FIELD(sked_event, partition);
    FIELD(sked_event, priority);
    FIELD(sked_event, amount);
    FIELD(sked_event, places);
    FIELD(sked_events, struct_size);
    FIELD(sked_events, stride);
    FIELD(sked_events, events);
    FIELD(sked_events, n);
    FIELD(sked_events, amounts);
    FIELD(sked_events, n_amounts);
    FIELD(sked_events, place_offsets);
    FIELD(sked_events, places);
    FIELD(sked_events, n_places);
    VALUE(SKED_ANY_PARTITION);
    VALUE(SKED_MAX_PARTITIONS);
    VALUE(SKED_EVENT_TICK);
    VALUE(SKED_EVENT_NODE_UP);
    VALUE(SKED_EVENT_NODE_CHANGE);
    VALUE(SKED_EVENT_NODE_DRAIN);
    VALUE(SKED_EVENT_NODE_DOWN);
    VALUE(SKED_EVENT_HEARTBEAT);
    VALUE(SKED_EVENT_JOB_SUBMIT);
    VALUE(SKED_EVENT_JOB_UPDATE);
    VALUE(SKED_EVENT_JOB_CANCEL);
    VALUE(SKED_EVENT_JOB_FINISH);
    VALUE(SKED_EVENT_ASK_ADD);
    VALUE(SKED_EVENT_ASK_CHANGE);
    VALUE(SKED_EVENT_ASK_WITHDRAW);
    VALUE(SKED_EVENT_TASK_CONFIRM);
    VALUE(SKED_EVENT_TASK_REFUSE);
    VALUE(SKED_EVENT_TASK_FINISH);
    VALUE(SKED_EVENT_TASK_FAIL);
    VALUE(SKED_EVENT_TASK_LOST);
    VALUE(SKED_EVENT_ROUND);
    VALUE(SKED_EVENT_TASK_KILLED);
    VALUE(SKED_EVENT_TASK_SAVED);
    VALUE(SKED_JOB_RETRY);
    VALUE(SKED_ASK_GANG);
    VALUE(SKED_ASK_STRICT);
    VALUE(SKED_JOB_FIXED);
    VALUE(SKED_JOB_KEEPS);
    VALUE(SKED_ASK_MASTER);
}

static void engine_out_facts(void)
{
    FROZEN(sked_decision);
    FIELD(sked_decision, sequence);
    FIELD(sked_decision, time);
    FIELD(sked_decision, kind);
    FIELD(sked_decision, reason);
    FIELD(sked_decision, job);
    FIELD(sked_decision, ask);
    FIELD(sked_decision, node);
    FIELD(sked_decision, group);
    FIELD(sked_decision, task);
    FIELD(sked_decision, count);
    FIELD(sked_decision, queue);
    FIELD(sked_decision, detail);
    FIELD(sked_decision, kind_at);
    FIELD(sked_decision, partition);
    FROZEN(sked_notice);
    FIELD(sked_notice, ask);
    FIELD(sked_notice, node);
    FIELD(sked_notice, group);
    FIELD(sked_notice, task);
    FIELD(sked_notice, count);
    FIELD(sked_notice, deadline);
    FIELD(sked_notice, flags);
    FIELD(sked_notice, partition);
    FROZEN(sked_bound);
    FIELD(sked_bound, reason);
    FIELD(sked_bound, kind);
    FIELD(sked_bound, ask);
    FIELD(sked_bound, queue);
    FIELD(sked_bound, need);
    FIELD(sked_bound, bound);
    FIELD(sked_bound, partition);
    FIELD(sked_bound, binds);
    FIELD(sked_engine_stats, struct_size);
    FIELD(sked_engine_stats, reserved);
    FIELD(sked_engine_stats, nodes);
    FIELD(sked_engine_stats, jobs);
    FIELD(sked_engine_stats, jobs_waiting);
    FIELD(sked_engine_stats, asks);
    FIELD(sked_engine_stats, open_tasks);
    FIELD(sked_engine_stats, groups);
    FIELD(sked_engine_stats, running_tasks);
    FIELD(sked_engine_stats, events);
    FIELD(sked_engine_stats, heartbeats);
    FIELD(sked_engine_stats, idle);
    FIELD(sked_engine_stats, decisions);
    FIELD(sked_engine_stats, allocated);
    FIELD(sked_engine_stats, late_events);
    FIELD(sked_engine_stats, queues_visited);
    FIELD(sked_engine_stats, asks_visited);
    FIELD(sked_engine_stats, bytes);
}

static void engine_word_facts(void)
{
    VALUE(SKED_DECIDE_ADMIT);
    VALUE(SKED_DECIDE_REJECT);
    VALUE(SKED_DECIDE_ALLOCATE);
    VALUE(SKED_DECIDE_RESERVE);
    VALUE(SKED_DECIDE_NOTIFY);
    VALUE(SKED_DECIDE_KILL);
    VALUE(SKED_DECIDE_WITHDRAW);
    VALUE(SKED_DECIDE_EXPIRE);
    VALUE(SKED_DECIDE_REQUEUE);
    VALUE(SKED_DECIDE_LOST);
    VALUE(SKED_REASON_NONE);
    VALUE(SKED_REASON_ORDER);
    VALUE(SKED_REASON_NO_NODE);
    VALUE(SKED_REASON_NEVER_NODE);
    VALUE(SKED_REASON_QUEUE_LIMIT);
    VALUE(SKED_REASON_NEVER_LIMIT);
    VALUE(SKED_REASON_USER_LIMIT);
    VALUE(SKED_REASON_MAX_RUNNING);
    VALUE(SKED_REASON_USER_RUNNING);
    VALUE(SKED_REASON_LOCALITY);
    VALUE(SKED_REASON_REFUSED);
    VALUE(SKED_REASON_DRAINING);
    VALUE(SKED_REASON_NODE_LOST);
    VALUE(SKED_REASON_UNCONFIRMED);
    VALUE(SKED_REASON_CANCELLED);
    VALUE(SKED_REASON_NOT_ADMITTED);
    VALUE(SKED_REASON_BEHIND);
    VALUE(SKED_REASON_HELD);
    VALUE(SKED_REASON_PREEMPTED);
    VALUE(SKED_REASON_NEED_GONE);
    VALUE(SKED_REASON_OBSERVED);
}

static void sim_in_facts(void)
{
    FIELD(sked_sim_jobs, struct_size);
    FIELD(sked_sim_jobs, n);
    FIELD(sked_sim_jobs, submit);
    FIELD(sked_sim_jobs, run);
    FIELD(sked_sim_jobs, tasks);
    FIELD(sked_sim_jobs, amounts);
    FIELD(sked_sim_jobs, queue);
    FIELD(sked_sim_jobs, user);
    FIELD(sked_sim_jobs, priority);
    FIELD(sked_sim_jobs, partition);
    FIELD(sked_sim_jobs, stream);
    FROZEN(sked_sim_nodes);
    FIELD(sked_sim_nodes, count);
    FIELD(sked_sim_nodes, partition);
    FIELD(sked_sim_nodes, racks);
    FIELD(sked_sim_nodes, reserved);
    FIELD(sked_sim_nodes, amounts);
    FROZEN(sked_sim_failure);
    FIELD(sked_sim_failure, at);
    FIELD(sked_sim_failure, until);
    FIELD(sked_sim_failure, node);
    FIELD(sked_sim_failure, reserved);
    FIELD(sked_engine_preemption, struct_size);
    FIELD(sked_engine_preemption, flags);
    FIELD(sked_engine_preemption, work);
    FIELD(sked_engine_preemption, keep_for);
    FIELD(sked_engine_preemption, rank);
    FIELD(sked_engine_preemption, reserved);
    FIELD(sked_engine_preemption, targets);
    LAST(sked_engine_preemption, rounds);
    FIELD(sked_sim_options, struct_size);
    FIELD(sked_sim_options, flags);
    FIELD(sked_sim_options, seed);
    FIELD(sked_sim_options, heartbeat);
    FIELD(sked_sim_options, until);
    FIELD(sked_sim_options, multiplier);
    FIELD(sked_sim_options, cost_event);
    FIELD(sked_sim_options, cost_task);
    FIELD(sked_sim_options, cost_look);
    FIELD(sked_sim_options, sample_every);
    FIELD(sked_sim_options, max_samples);
    FIELD(sked_sim_options, reserved);
    FIELD(sked_sim_options, engine);
    FIELD(sked_sim_options, preempt);
    LAST(sked_sim_options, round_every);
}

static void sim_out_facts(void)
{
    FROZEN(sked_sim_record);
    FIELD(sked_sim_record, decision);
    FIELD(sked_sim_record, job);
    FIELD(sked_sim_record, copy);
    FROZEN(sked_sim_delay);
    FIELD(sked_sim_delay, p50);
    FIELD(sked_sim_delay, p95);
    FIELD(sked_sim_delay, p99);
    FIELD(sked_sim_delay, max);
    FIELD(sked_sim_delay, mean);
    FIELD(sked_sim_delay, n);
    FIELD(sked_sim_result, struct_size);
    FIELD(sked_sim_result, kinds);
    FIELD(sked_sim_result, digest);
    FIELD(sked_sim_result, jobs);
    FIELD(sked_sim_result, tasks);
    FIELD(sked_sim_result, jobs_finished);
    FIELD(sked_sim_result, tasks_finished);
    FIELD(sked_sim_result, rejected);
    FIELD(sked_sim_result, first_submit);
    FIELD(sked_sim_result, last_submit);
    FIELD(sked_sim_result, end);
    FIELD(sked_sim_result, heartbeats);
    FIELD(sked_sim_result, heartbeats_skipped);
    FIELD(sked_sim_result, decisions);
    FIELD(sked_sim_result, events);
    FIELD(sked_sim_result, low_rate);
    FIELD(sked_sim_result, sample_every);
    FIELD(sked_sim_result, delay);
    FIELD(sked_sim_result, rounds);
    FIELD(sked_sim_result, notified);
    FIELD(sked_sim_result, killed);
    FIELD(sked_sim_result, withdrawn);
    FIELD(sked_sim_queue, struct_size);
    FIELD(sked_sim_queue, reserved);
    FIELD(sked_sim_queue, jobs);
    FIELD(sked_sim_queue, tasks);
    FIELD(sked_sim_queue, fair);
    FIELD(sked_sim_queue, starved);
    FIELD(sked_sim_queue, delay);
    FIELD(sked_sim_queue, below_guarantee);
    VALUE(SKED_SIM_GANG);
    VALUE(SKED_SIM_NO_SHARES);
    VALUE(SKED_SIM_FINISH);
}

static void preempt_facts(void)
{
    FIELD(sked_preempt_problem, struct_size);
    FIELD(sked_preempt_problem, flags);
    FIELD(sked_preempt_problem, kinds);
    FIELD(sked_preempt_problem, n_queues);
    FIELD(sked_preempt_problem, n_users);
    FIELD(sked_preempt_problem, n_jobs);
    FIELD(sked_preempt_problem, n_nodes);
    FIELD(sked_preempt_problem, n_requests);
    FIELD(sked_preempt_problem, n);
    FIELD(sked_preempt_problem, work);
    FIELD(sked_preempt_problem, usage);
    FIELD(sked_preempt_problem, share);
    FIELD(sked_preempt_problem, keep);
    FIELD(sked_preempt_problem, take);
    FIELD(sked_preempt_problem, queue_budget);
    FIELD(sked_preempt_problem, need);
    FIELD(sked_preempt_problem, budget);
    FIELD(sked_preempt_problem, partition_budget);
    FIELD(sked_preempt_problem, user_usage);
    FIELD(sked_preempt_problem, user_share);
    FIELD(sked_preempt_problem, user_keep);
    FIELD(sked_preempt_problem, user_budget);
    FIELD(sked_preempt_problem, job_budget);
    FIELD(sked_preempt_problem, queue);
    FIELD(sked_preempt_problem, amount);
    FIELD(sked_preempt_problem, count);
    FIELD(sked_preempt_problem, cost);
    FIELD(sked_preempt_problem, rank);
    FIELD(sked_preempt_problem, node);
    FIELD(sked_preempt_problem, job);
    FIELD(sked_preempt_problem, user);
    FIELD(sked_preempt_problem, priority);
    FIELD(sked_preempt_problem, gang);
    FIELD(sked_preempt_problem, state);
    FIELD(sked_preempt_problem, request_queue);
    FIELD(sked_preempt_problem, request_amount);
    FIELD(sked_preempt_problem, request_count);
    FIELD(sked_preempt_problem, request_user);
    FIELD(sked_preempt_problem, request_priority);
    FIELD(sked_preempt_problem, place_offset);
    FIELD(sked_preempt_problem, place);
    FIELD(sked_preempt_problem, free);
    FIELD(sked_preempt_victim, row);
    FIELD(sked_preempt_victim, count);
    FIELD(sked_preempt_victim, request);
    FIELD(sked_preempt_victim, reason);
    FIELD(sked_preempt_victim, cost);
    FIELD(sked_preempt_seat, request);
    FIELD(sked_preempt_seat, node);
    FIELD(sked_preempt_seat, count);
    FIELD(sked_preempt_seat, claim);
    FIELD(sked_preempt_plan, struct_size);
    FIELD(sked_preempt_plan, outcome);
    FIELD(sked_preempt_plan, victims);
    FIELD(sked_preempt_plan, seats);
    FIELD(sked_preempt_plan, after);
    FIELD(sked_preempt_plan, covered);
    FIELD(sked_preempt_plan, victims_cap);
    FIELD(sked_preempt_plan, seats_cap);
    FIELD(sked_preempt_plan, n_victims);
    FIELD(sked_preempt_plan, n_seats);
    FIELD(sked_preempt_plan, tasks);
    FIELD(sked_preempt_plan, served);
    FIELD(sked_preempt_plan, steps);
    FIELD(sked_preempt_plan, cost);
    FIELD(sked_preempt_plan, bound);
    VALUE(SKED_PREEMPT_BY_USER);
    VALUE(SKED_PREEMPT_BY_PRIORITY);
    VALUE(SKED_PREEMPT_PLAIN);
    VALUE(SKED_PREEMPT_OVERSHOOT);
    VALUE(SKED_CANDIDATE_FIXED);
    VALUE(SKED_CANDIDATE_MARKED);
    VALUE(SKED_VICTIM_OVER);
    VALUE(SKED_VICTIM_USER);
    VALUE(SKED_VICTIM_PRIORITY);
    VALUE(SKED_PREEMPT_COVERED);
    VALUE(SKED_PREEMPT_PARTLY);
    VALUE(SKED_PREEMPT_SEARCHED);
}

static void rank_facts(void)
{
    FIELD(sked_rank_columns, struct_size);
    FIELD(sked_rank_columns, flags);
    FIELD(sked_rank_columns, n);
    FIELD(sked_rank_columns, n_keys);
    FIELD(sked_rank_columns, keys);
    FIELD(sked_rank_columns, state);
    FIELD(sked_rank_columns, preemptible);
    FIELD(sked_rank_columns, priority);
    FIELD(sked_rank_columns, started);
    FIELD(sked_rank_columns, checkpoint);
    FIELD(sked_rank_columns, restart_cost);
    FIELD(sked_rank_columns, restarts);
    FIELD(sked_rank_columns, master);
    FIELD(sked_rank_columns, submitted);
    FIELD(sked_rank_columns, host);
    VALUE(SKED_RANK_STATE);
    VALUE(SKED_RANK_PREEMPTIBLE);
    VALUE(SKED_RANK_PRIORITY);
    VALUE(SKED_RANK_RUN_TIME);
    VALUE(SKED_RANK_LOST_WORK);
    VALUE(SKED_RANK_RESTART_COST);
    VALUE(SKED_RANK_RESTARTS);
    VALUE(SKED_RANK_MASTER);
    VALUE(SKED_RANK_NEWEST);
    VALUE(SKED_RANK_HOST);
    VALUE(SKED_RANK_PENDING);
    VALUE(SKED_RANK_PLACING);
    VALUE(SKED_RANK_RUNNING);
    VALUE(SKED_RANK_OWN);
    VALUE(SKED_RANK_CAPACITY);
    VALUE(SKED_RANK_FAIR);
    VALUE(SKED_RANK_PELOTON);
}

static void slo_facts(void)
{
    FIELD(sked_slo_input, struct_size);
    FIELD(sked_slo_input, flags);
    FIELD(sked_slo_input, workflows);
    FIELD(sked_slo_input, n);
    FIELD(sked_slo_input, slo);
    FIELD(sked_slo_input, tier);
    FIELD(sked_slo_input, workflow);
    FIELD(sked_slo_input, start);
    FIELD(sked_slo_input, end);
    FIELD(sked_slo_input, work);
    FIELD(sked_slo_input, instance);
    FIELD(sked_slo_input, success_ppm);
    FIELD(sked_slo_input, from);
    FIELD(sked_slo_input, to);
    FIELD(sked_slo_result, struct_size);
    FIELD(sked_slo_result, flags);
    FIELD(sked_slo_result, runs);
    FIELD(sked_slo_result, met);
    FIELD(sked_slo_result, outcome);
    FIELD(sked_slo_result, tier);
    FROZEN(sked_slo_tier);
    FIELD(sked_slo_tier, workflows);
    FIELD(sked_slo_tier, successful);
    FIELD(sked_slo_tier, idle);
    FIELD(sked_slo_tier, runs);
    FIELD(sked_slo_tier, met);
    FROZEN(sked_slo_repair);
    FIELD(sked_slo_repair, workflow);
    FIELD(sked_slo_repair, runs);
    FIELD(sked_slo_repair, met);
    FIELD(sked_slo_repair, missing);
    FIELD(sked_slo_repair, extra);
    VALUE(SKED_MAX_TIERS);
    VALUE(SKED_SLO_IDLE);
    VALUE(SKED_SLO_FAILED);
    VALUE(SKED_SLO_SUCCESSFUL);
}

static void history_facts(void)
{
    FIELD(sked_history_options, struct_size);
    FIELD(sked_history_options, flags);
    FIELD(sked_history_options, queues);
    FIELD(sked_history_options, kinds);
    FIELD(sked_history_options, kind);
    FIELD(sked_history_options, parts);
    FIELD(sked_history_options, from);
    FIELD(sked_history_options, to);
    FIELD(sked_history_rows, struct_size);
    FIELD(sked_history_rows, flags);
    FIELD(sked_history_rows, form);
    FIELD(sked_history_rows, reserved);
    FIELD(sked_history_rows, n);
    FIELD(sked_history_rows, queue);
    FIELD(sked_history_rows, start);
    FIELD(sked_history_rows, end);
    FIELD(sked_history_rows, length);
    FIELD(sked_history_rows, amount);
    FIELD(sked_history_columns, struct_size);
    FIELD(sked_history_columns, flags);
    FIELD(sked_history_columns, first);
    FIELD(sked_history_columns, length);
    FIELD(sked_history_columns, amount);
    FIELD(sked_history_columns, cap);
    FIELD(sked_history_columns, n);
    FIELD(sked_history_columns, counts);
    FROZEN(sked_history_counts);
    FIELD(sked_history_counts, empty);
    FIELD(sked_history_counts, outside);
    FROZEN(sked_history_standing);
    FIELD(sked_history_standing, clock);
    FIELD(sked_history_standing, oldest);
    FIELD(sked_history_standing, open);
    FIELD(sked_history_standing, amounts);
    FIELD(sked_history_standing, units);
    VALUE(SKED_HISTORY_WINDOW);
    VALUE(SKED_HISTORY_KEEP);
    VALUE(SKED_HISTORY_INTERVALS);
    VALUE(SKED_HISTORY_CHANGES);
    VALUE(SKED_HISTORY_UNITS);
    VALUE(SKED_HISTORY_ANY_ORDER);
    VALUE(SKED_HISTORY_END);
}

static void pctl_facts(void)
{
    FIELD(sked_pctl_input, struct_size);
    FIELD(sked_pctl_input, flags);
    FIELD(sked_pctl_input, n);
    FIELD(sked_pctl_input, length);
    FIELD(sked_pctl_input, amount);
    FIELD(sked_pctl_input, first);
    FIELD(sked_pctl_input, threshold);
    FIELD(sked_pctl_input, queues);
    FIELD(sked_pctl_input, thresholds);
    FROZEN(sked_pctl_total);
    FIELD(sked_pctl_total, in_use);
    FIELD(sked_pctl_total, vacant);
    FIELD(sked_pctl_total, least);
    FIELD(sked_pctl_total, peak);
    FIELD(sked_pctl_total, usage);
    FROZEN(sked_pctl_point);
    FIELD(sked_pctl_point, amount);
    FIELD(sked_pctl_point, lower);
    FIELD(sked_pctl_point, higher);
    FIELD(sked_pctl_point, covered);
    FIELD(sked_pctl_point, waste);
    FROZEN(sked_reserved_cost);
    FIELD(sked_reserved_cost, amount);
    FIELD(sked_reserved_cost, reserved);
    FIELD(sked_reserved_cost, demand);
    FIELD(sked_reserved_cost, cost);
    FROZEN(sked_reserved_plan);
    FIELD(sked_reserved_plan, cheapest);
    FIELD(sked_reserved_plan, peak);
    FIELD(sked_reserved_plan, none);
    FIELD(sked_reserved_plan, exceeded);
    FIELD(sked_reserved_plan, window);
    VALUE(SKED_PCTL_USAGE);
}

static void tiers_facts(void)
{
    FIELD(sked_tiers_input, struct_size);
    FIELD(sked_tiers_input, flags);
    FIELD(sked_tiers_input, tiers);
    FIELD(sked_tiers_input, reserved);
    FIELD(sked_tiers_input, step_ppm);
    FIELD(sked_tiers_input, total);
    FIELD(sked_tiers_input, low_ppm);
    FIELD(sked_tiers_input, high_ppm);
    FIELD(sked_tiers_input, usage);
    FIELD(sked_tiers_input, allocation);
    FIELD(sked_tiers_input, n);
    FIELD(sked_tiers_result, struct_size);
    FIELD(sked_tiers_result, outcome);
    FIELD(sked_tiers_result, tier);
    FIELD(sked_tiers_result, reserved);
    FIELD(sked_tiers_result, allocated);
    FIELD(sked_tiers_result, smallest);
    FIELD(sked_tiers_result, threshold_ppm);
    FIELD(sked_tiers_result, allocation);
    VALUE(SKED_TIERS_OK);
    VALUE(SKED_TIERS_TOTAL);
    VALUE(SKED_TIERS_THRESHOLDS);
    VALUE(SKED_TIERS_RATIOS);
}

static void route_facts(void)
{
    FIELD(sked_route_options, struct_size);
    FIELD(sked_route_options, flags);
    FIELD(sked_route_options, kinds);
    FIELD(sked_route_options, policy);
    FIELD(sked_route_options, max_age);
    FIELD(sked_route_options, locality_weight);
    FIELD(sked_route_snapshot, struct_size);
    FIELD(sked_route_snapshot, n);
    FIELD(sked_route_snapshot, queues);
    FIELD(sked_route_snapshot, reserved);
    FIELD(sked_route_snapshot, id);
    FIELD(sked_route_snapshot, time);
    FIELD(sked_route_snapshot, capacity);
    FIELD(sked_route_snapshot, available);
    FIELD(sked_route_snapshot, in_queue);
    FIELD(sked_route_snapshot, shape_from);
    FIELD(sked_route_snapshot, shapes);
    FIELD(sked_route_jobs, struct_size);
    FIELD(sked_route_jobs, n);
    FIELD(sked_route_jobs, request);
    FIELD(sked_route_jobs, instances);
    FIELD(sked_route_jobs, queue);
    FIELD(sked_route_jobs, missing);
    FROZEN(sked_route_score);
    FIELD(sked_route_score, num);
    FIELD(sked_route_score, den);
    FIELD(sked_route_score, cost);
    FIELD(sked_route_score, kind);
    FIELD(sked_route_score, reserved);
    FROZEN(sked_route_answer);
    FIELD(sked_route_answer, cluster);
    FIELD(sked_route_answer, runner_up);
    FIELD(sked_route_answer, score);
    FIELD(sked_route_answer, runner_score);
    FIELD(sked_route_answer, age);
    FIELD(sked_route_answer, eligible);
    FIELD(sked_route_answer, stale);
    VALUE(SKED_NO_CLUSTER);
    VALUE(SKED_ROUTE_ABSOLUTE);
    VALUE(SKED_ROUTE_RELATIVE);
    VALUE(SKED_ROUTE_QUEUE_ABSOLUTE);
    VALUE(SKED_ROUTE_LOCALITY);
}

static void plan_in_facts(void)
{
    FROZEN(sked_plan_tier);
    FIELD(sked_plan_tier, name);
    FIELD(sked_plan_tier, preempt_from);
    FIELD(sked_plan_tier, preempt_fair_timeout);
    FIELD(sked_plan_tier, preempt_fair_threshold);
    FIELD(sked_plan_jobs, struct_size);
    FIELD(sked_plan_jobs, flags);
    FIELD(sked_plan_jobs, n);
    FIELD(sked_plan_jobs, fields);
    FIELD(sked_plan_jobs, levels);
    FIELD(sked_plan_jobs, tiers);
    FIELD(sked_plan_jobs, text);
    FIELD(sked_plan_jobs, offset);
    FIELD(sked_plan_jobs, level);
    FIELD(sked_plan_jobs, tier);
    FIELD(sked_plan_jobs, setting);
    FIELD(sked_plan_jobs, start);
    FIELD(sked_plan_jobs, end);
    FIELD(sked_plan_jobs, from);
    FIELD(sked_plan_jobs, to);
    FIELD(sked_plan_input, struct_size);
    FIELD(sked_plan_input, flags);
    FIELD(sked_plan_input, leaves);
    FIELD(sked_plan_input, reserved);
    FIELD(sked_plan_input, below);
    FIELD(sked_plan_input, dead_band_ppm);
    FIELD(sked_plan_input, jobs);
    FIELD(sked_plan_input, allocation);
    FIELD(sked_plan_input, max_running);
    FIELD(sked_plan_input, used);
    FIELD(sked_plan_input, ledger);
    VALUE(SKED_LEVEL_TIER);
    VALUE(SKED_NO_LEAF);
    VALUE(SKED_PLAN_KEEP_IDLE);
}

static void plan_out_facts(void)
{
    FIELD(sked_plan_change, struct_size);
    FIELD(sked_plan_change, op);
    FIELD(sked_plan_change, queue);
    FIELD(sked_plan_change, path);
    FIELD(sked_plan_change, leaf);
    FIELD(sked_plan_change, tier);
    FIELD(sked_plan_change, changed);
    FIELD(sked_plan_change, jobs);
    FIELD(sked_plan_change, allocation);
    FIELD(sked_plan_change, weight_before);
    FIELD(sked_plan_change, weight_after);
    FIELD(sked_plan_change, running_before);
    FIELD(sked_plan_change, running_after);
    VALUE(SKED_PLAN_ADD);
    VALUE(SKED_PLAN_REMOVE);
    VALUE(SKED_PLAN_SET);
    VALUE(SKED_PLAN_WEIGHT);
    VALUE(SKED_PLAN_MAX_RUNNING);
    VALUE(SKED_PLAN_TIER);
    VALUE(SKED_PLAN_PREEMPTION);
}

static void report_facts(void)
{
    FIELD(sked_report_input, struct_size);
    FIELD(sked_report_input, flags);
    FIELD(sked_report_input, kinds);
    FIELD(sked_report_input, tiers);
    FIELD(sked_report_input, queues);
    FIELD(sked_report_input, streak);
    FIELD(sked_report_input, window);
    FIELD(sked_report_input, instances);
    FIELD(sked_report_input, instance);
    FIELD(sked_report_input, tier);
    FIELD(sked_report_input, allocation);
    FIELD(sked_report_input, used);
    FIELD(sked_report_input, usage);
    FIELD(sked_report_input, target_ppm);
    FIELD(sked_report_input, band_ppm);
    FIELD(sked_report_input, patience);
    FIELD(sked_report_result, struct_size);
    FIELD(sked_report_result, action);
    FIELD(sked_report_result, reason);
    FIELD(sked_report_result, streak);
    FIELD(sked_report_result, dominant);
    FIELD(sked_report_result, disorder);
    FIELD(sked_report_result, by);
    FIELD(sked_report_result, needed);
    FIELD(sked_report_result, used);
    FIELD(sked_report_result, capacity);
    FIELD(sked_report_result, ratio_ppm);
    FIELD(sked_report_result, stranded);
    VALUE(SKED_REPORT_KEEP);
    VALUE(SKED_REPORT_GROW);
    VALUE(SKED_REPORT_SHRINK);
    VALUE(SKED_REPORT_WITHIN);
    VALUE(SKED_REPORT_ABOVE);
    VALUE(SKED_REPORT_BELOW);
    VALUE(SKED_REPORT_WAITING);
    VALUE(SKED_REPORT_LEAST);
}

static void report_flow_facts(void)
{
    FIELD(sked_report_flows, struct_size);
    FIELD(sked_report_flows, n);
    FIELD(sked_report_flows, key);
    FIELD(sked_report_flows, tier);
    FIELD(sked_report_flows, slo);
    FROZEN(sked_report_tier);
    FIELD(sked_report_tier, workflows);
    FIELD(sked_report_tier, added);
    FIELD(sked_report_tier, retiered);
    FIELD(sked_report_tier, slo);
    FIELD(sked_report_tier, gone);
    VALUE(SKED_FLOW_NEW);
    VALUE(SKED_FLOW_RETIERED);
    VALUE(SKED_FLOW_SLO);
}

static void target_facts(void)
{
    FIELD(sked_target_options, struct_size);
    FIELD(sked_target_options, flags);
    FIELD(sked_target_options, dialect);
    FIELD(sked_target_options, scope);
    FIELD(sked_target_options, kind);
    FIELD(sked_target_options, cycles);
    FIELD(sked_target_options, ignored);
    FIELD(sked_target_options, factor);
    FIELD(sked_target_options, per_round);
    FIELD(sked_target_options, utilisation);
    FIELD(sked_target_arrays, struct_size);
    FIELD(sked_target_arrays, flags);
    FIELD(sked_target_arrays, now);
    FIELD(sked_target_arrays, queues);
    FIELD(sked_target_arrays, preempt_from);
    FIELD(sked_target_arrays, min_timeout);
    FIELD(sked_target_arrays, fair_timeout);
    FIELD(sked_target_arrays, fair_threshold);
    FIELD(sked_target_arrays, min_since);
    FIELD(sked_target_arrays, fair_since);
    FIELD(sked_target_arrays, rounds);
    FIELD(sked_target_result, struct_size);
    FIELD(sked_target_result, reserved);
    FIELD(sked_target_result, share);
    FIELD(sked_target_result, excess);
    FIELD(sked_target_result, keep);
    FIELD(sked_target_result, take);
    FIELD(sked_target_result, owed);
    FIELD(sked_target_result, first);
    FIELD(sked_target_result, reasons);
    FIELD(sked_target_result, min_since);
    FIELD(sked_target_result, fair_since);
    FIELD(sked_target_result, rounds);
    FIELD(sked_target_result, need);
    FIELD(sked_target_result, budget);
    FIELD(sked_target_result, free);
    FIELD(sked_target_users, struct_size);
    FIELD(sked_target_users, kinds);
    FIELD(sked_target_users, n);
    FIELD(sked_target_users, reserved);
    FIELD(sked_target_users, limit);
    FIELD(sked_target_users, total);
    FIELD(sked_target_users, weight);
    FIELD(sked_target_users, usage);
    FIELD(sked_target_users, demand);
    FIELD(sked_target_input, struct_size);
    FIELD(sked_target_input, partition);
    FIELD(sked_target_input, tree);
    FIELD(sked_target_input, capacity);
    FIELD(sked_target_input, ledger);
    FIELD(sked_target_input, usage);
    FIELD(sked_target_input, demand);
    FIELD(sked_target_input, running);
    VALUE(SKED_TARGET_IMBALANCE);
    VALUE(SKED_TARGET_STARVATION);
    VALUE(SKED_TARGET_ENTITLEMENT);
    VALUE(SKED_TARGET_BALANCE);
    VALUE(SKED_TARGET_PRIORITY);
    VALUE(SKED_TARGET_BY_WEIGHT);
    VALUE(SKED_TARGET_OVER);
    VALUE(SKED_TARGET_GIVES);
    VALUE(SKED_TARGET_SPARED);
    VALUE(SKED_TARGET_WITHIN);
    VALUE(SKED_TARGET_EARLY);
    VALUE(SKED_TARGET_CUT);
    VALUE(SKED_TARGET_BELOW);
    VALUE(SKED_TARGET_CLAIMS);
    VALUE(SKED_TARGET_WAITS);
    VALUE(SKED_TARGET_IDLE);
    VALUE(SKED_TARGET_PARTITIONS);
    VALUE(SKED_TARGET_SHARE);
    VALUE(SKED_TARGET_EXCESS);
    VALUE(SKED_TARGET_KEEP);
    VALUE(SKED_TARGET_TAKE);
    VALUE(SKED_TARGET_OWED);
    VALUE(SKED_TARGET_FIRST);
    VALUE(SKED_TARGET_NEED);
    VALUE(SKED_TARGET_BUDGET);
    VALUE(SKED_TARGET_FREE);
}

static void round_facts(void)
{
    FIELD(sked_round_options, struct_size);
    FIELD(sked_round_options, flags);
    FIELD(sked_round_options, kinds);
    FIELD(sked_round_options, unused);
    FIELD(sked_round_options, grace);
    FIELD(sked_round_wanted, struct_size);
    FIELD(sked_round_wanted, flags);
    FIELD(sked_round_wanted, n);
    FIELD(sked_round_wanted, unused);
    FIELD(sked_round_wanted, key);
    FIELD(sked_round_wanted, count);
    FIELD(sked_round_wanted, job);
    FIELD(sked_round_wanted, amount);
    FIELD(sked_round_wanted, unsaved_since);
    FIELD(sked_round_wanted, strict);
    FIELD(sked_round_action, key);
    FIELD(sked_round_action, job);
    FIELD(sked_round_action, deadline);
    FIELD(sked_round_action, count);
    FIELD(sked_round_action, what);
    FIELD(sked_round_action, flags);
    FIELD(sked_round_mark, key);
    FIELD(sked_round_mark, job);
    FIELD(sked_round_mark, deadline);
    FIELD(sked_round_mark, count);
    FIELD(sked_round_mark, flags);
    FIELD(sked_round_counts, struct_size);
    FIELD(sked_round_counts, unused);
    FIELD(sked_round_counts, rounds);
    FIELD(sked_round_counts, notified);
    FIELD(sked_round_counts, killed);
    FIELD(sked_round_counts, withdrawn);
    FIELD(sked_round_counts, released);
    VALUE(SKED_ROUND_OBSERVE);
    VALUE(SKED_ROUND_LAZY);
    VALUE(SKED_ROUND_NOTIFY);
    VALUE(SKED_ROUND_KILL);
    VALUE(SKED_ROUND_WITHDRAW);
    VALUE(SKED_ROUND_OFFER);
    VALUE(SKED_ROUND_PREEMPTED);
    VALUE(SKED_ROUND_STRICT);
    VALUE(SKED_ROUND_OBSERVED);
    VALUE(SKED_ROUND_STOPPING);
    VALUE(SKED_ROUND_OFFERED);
    VALUE(SKED_CONTRACT_NEGOTIABLE);
    VALUE(SKED_CONTRACT_STRICT);
}

static void plan_input_facts(void)
{
    FIELD(sked_running_input, struct_size);
    FIELD(sked_running_input, flags);
    FIELD(sked_running_input, queues);
    FIELD(sked_running_input, n);
    FIELD(sked_running_input, queue);
    FIELD(sked_running_input, start);
    FIELD(sked_running_input, end);
    FIELD(sked_running_input, from);
    FIELD(sked_running_input, to);
    FIELD(sked_running_input, part_ppm);
    FIELD(sked_running_input, head_room);
    FIELD(sked_tiers_request, struct_size);
    FIELD(sked_tiers_request, flags);
    FIELD(sked_tiers_request, tiers);
    FIELD(sked_tiers_request, queues);
    FIELD(sked_tiers_request, step_ppm);
    FIELD(sked_tiers_request, total);
    FIELD(sked_tiers_request, low_ppm);
    FIELD(sked_tiers_request, high_ppm);
    FIELD(sked_tiers_request, tier);
}

static void balance_facts(void)
{
    FIELD(sked_balance_input, struct_size);
    FIELD(sked_balance_input, flags);
    FIELD(sked_balance_input, kinds);
    FIELD(sked_balance_input, buckets);
    FIELD(sked_balance_input, clusters);
    FIELD(sked_balance_input, workflows);
    FIELD(sked_balance_input, percentile_ppm);
    FIELD(sked_balance_input, ceiling_ppm);
    FIELD(sked_balance_input, max_tries);
    FIELD(sked_balance_input, max_moves);
    FIELD(sked_balance_input, reserved);
    FIELD(sked_balance_input, length);
    FIELD(sked_balance_input, capacity);
    FIELD(sked_balance_input, instance);
    FIELD(sked_balance_input, zone);
    FIELD(sked_balance_input, fixed);
    FIELD(sked_balance_input, usage);
    FIELD(sked_balance_input, tier);
    FIELD(sked_balance_input, home);
    FIELD(sked_balance_input, allowed);
    FIELD(sked_balance_input, cost);
    FROZEN(sked_objective);
    FIELD(sked_objective, excess);
    FIELD(sked_objective, sum);
    FIELD(sked_balance_result, struct_size);
    FIELD(sked_balance_result, moves);
    FIELD(sked_balance_result, complete);
    FIELD(sked_balance_result, reserved);
    FIELD(sked_balance_result, tries);
    FIELD(sked_balance_result, before);
    FIELD(sked_balance_result, after);
    FIELD(sked_balance_result, bound);
    FIELD(sked_balance_result, cluster);
    FIELD(sked_balance_result, utilisation);
    FROZEN(sked_move);
    FIELD(sked_move, workflow);
    FIELD(sked_move, from);
    FIELD(sked_move, to);
    FIELD(sked_move, reserved);
    FIELD(sked_move, gain);
    FIELD(sked_move, from_utilisation);
    FIELD(sked_move, to_utilisation);
    FIELD(sked_move, from_allocation);
    FIELD(sked_move, to_allocation);
    FROZEN(sked_evacuated);
    FIELD(sked_evacuated, asked);
    FIELD(sked_evacuated, placed);
    FIELD(sked_evacuated, most);
    FIELD(sked_evacuated, reserved);
    VALUE(SKED_BALANCE_WHOLE);
    VALUE(SKED_BALANCE_MOST);
    VALUE(SKED_BALANCE_CLUSTERS);
    VALUE(SKED_NOWHERE);
}

static void advise_facts(void)
{
    FIELD(sked_advise_input, struct_size);
    FIELD(sked_advise_input, flags);
    FIELD(sked_advise_input, kinds);
    FIELD(sked_advise_input, guaranteed_tiers);
    FIELD(sked_advise_input, jobs);
    FIELD(sked_advise_input, amounts);
    FIELD(sked_advise_input, instance);
    FIELD(sked_advise_input, instances);
    FIELD(sked_advise_input, step_ppm);
    FIELD(sked_advise_input, low_ppm);
    FIELD(sked_advise_input, high_ppm);
    FIELD(sked_advise_input, dead_band_ppm);
    FIELD(sked_advise_input, running_part_ppm);
    FIELD(sked_advise_input, head_room);
    FIELD(sked_advise_input, below);
    FIELD(sked_advise_input, other);
    FIELD(sked_advise_input, used);
    FIELD(sked_advise_input, ledger);
    FIELD(sked_advice_sum, struct_size);
    FIELD(sked_advice_sum, outcome);
    FIELD(sked_advice_sum, tier);
    FIELD(sked_advice_sum, tiers);
    FIELD(sked_advice_sum, leaves);
    FIELD(sked_advice_sum, reserved);
    FIELD(sked_advice_sum, changes);
    FIELD(sked_advice_sum, held);
    FIELD(sked_advice_sum, allocated);
    FIELD(sked_advice_sum, smallest);
    FIELD(sked_advice_sum, threshold_ppm);
    FIELD(sked_advice_sum, allocation);
    FIELD(sked_advised, struct_size);
    FIELD(sked_advised, tier);
    FIELD(sked_advised, queue);
    FIELD(sked_advised, threshold_ppm);
    FIELD(sked_advised, max_running);
    FIELD(sked_advised, point);
    FIELD(sked_advised, total);
    FIELD(sked_advise_check, struct_size);
    FIELD(sked_advise_check, workflows);
    FIELD(sked_advise_check, jobs);
    FIELD(sked_advise_check, names);
    FIELD(sked_advise_check, nodes);
    FIELD(sked_advise_check, n_nodes);
    FIELD(sked_advise_check, options);
    FIELD(sked_advise_check, workflow);
    FIELD(sked_advise_check, tier);
    FIELD(sked_advise_check, slo);
    FIELD(sked_advise_check, success_ppm);
    FROZEN(sked_advice_side);
    FIELD(sked_advice_side, digest);
    FIELD(sked_advice_side, jobs);
    FIELD(sked_advice_side, unfinished);
    FIELD(sked_advice_side, end);
    FIELD(sked_advice_side, tier);
    FIELD(sked_advice_side, delay);
    VALUE(SKED_ADVISE_ANYWAY);
}

static void slo_job_facts(void)
{
    FIELD(sked_slo_jobs, struct_size);
    FIELD(sked_slo_jobs, flags);
    FIELD(sked_slo_jobs, runs);
    FIELD(sked_slo_jobs, n);
    FIELD(sked_slo_jobs, run);
    FIELD(sked_slo_jobs, submit);
    FIELD(sked_slo_jobs, end);
    FIELD(sked_slo_jobs, work);
}

static void admit_facts(void)
{
    FIELD(sked_admit_queue, struct_size);
    FIELD(sked_admit_queue, flags);
    FIELD(sked_admit_queue, kinds);
    FIELD(sked_admit_queue, n);
    FIELD(sked_admit_queue, most);
    FIELD(sked_admit_queue, reserved);
    FIELD(sked_admit_queue, entitlement);
    FIELD(sked_admit_queue, slack);
    FIELD(sked_admit_queue, reservation);
    FIELD(sked_admit_queue, controllers);
    FIELD(sked_admit_queue, held);
    FIELD(sked_admit_queue, need);
    FIELD(sked_admit_queue, tasks);
    FIELD(sked_admit_queue, priority);
    FIELD(sked_admit_queue, kind);
    FIELD(sked_admit_queue, line);
    FIELD(sked_admit_queue, state);
    FIELD(sked_admit_result, struct_size);
    FIELD(sked_admit_result, reserved);
    FIELD(sked_admit_result, outcome);
    FIELD(sked_admit_result, line);
    FIELD(sked_admit_result, order);
    FIELD(sked_admit_result, held);
    FIELD(sked_admit_result, admitted);
    FIELD(sked_admit_result, waiting);
    VALUE(SKED_LINE_ALL);
    VALUE(SKED_LINE_FIXED);
    VALUE(SKED_LINE_CONTROLLER);
    VALUE(SKED_LINE_REVOCABLE);
    VALUE(SKED_GANG_FIXED);
    VALUE(SKED_GANG_CONTROLLER);
    VALUE(SKED_GANG_REVOCABLE);
    VALUE(SKED_GANG_SOUND);
    VALUE(SKED_GANG_SHRUNK);
    VALUE(SKED_GANG_EMPTY);
    VALUE(SKED_ADMIT_PREEMPTION);
    VALUE(SKED_HELD_ALL);
    VALUE(SKED_HELD_FIXED);
    VALUE(SKED_HELD_CONTROLLER);
    VALUE(SKED_HELD_REVOCABLE);
    VALUE(SKED_HELD_SUMS);
    VALUE(SKED_ADMIT_WAITS);
    VALUE(SKED_ADMIT_IN);
    VALUE(SKED_ADMIT_FULL);
    VALUE(SKED_ADMIT_MOVED);
    VALUE(SKED_ADMIT_LAST);
    VALUE(SKED_ADMIT_GONE);
}

static void more_batch_facts(void)
{
    FIELD(sked_batch_input, struct_size);
    FIELD(sked_batch_input, flags);
    FIELD(sked_batch_input, tasks);
    FIELD(sked_batch_input, slots);
    FIELD(sked_batch_input, nodes);
    FIELD(sked_batch_input, reserved);
    FIELD(sked_batch_input, block_bytes);
    FIELD(sked_batch_input, start);
    FIELD(sked_batch_input, block);
    FIELD(sked_batch_input, slot);
    FIELD(sked_batch_input, bytes);
    FIELD(sked_batch_input, blocks);
    FIELD(sked_batch_input, label);
    FIELD(sked_batch_input, edges);
    FIELD(sked_batch_input, multiplier_ppm);
    FIELD(sked_batch_input, actual_ppm);
    FIELD(sked_batch_input, table);
    FIELD(sked_batch_options, struct_size);
    FIELD(sked_batch_options, method);
    FIELD(sked_batch_options, seed);
    FIELD(sked_batch_options, max_tries);
    FIELD(sked_batch_options, replan_tries);
    FIELD(sked_batch_options, clusters);
    FIELD(sked_batch_options, window);
    FIELD(sked_batch_options, tail);
    FIELD(sked_batch_options, theta_ppm);
    FIELD(sked_batch_options, sigma_ppm);
    FIELD(sked_batch_options, tau_ppm);
    FIELD(sked_batch_options, eta_ppm);
    FIELD(sked_batch_options, noise_ppm);
    FROZEN(sked_batch_span);
    FIELD(sked_batch_span, start);
    FIELD(sked_batch_span, end);
    FIELD(sked_batch_span, task);
    FIELD(sked_batch_span, slots);
    FROZEN(sked_batch_metrics);
    FIELD(sked_batch_metrics, makespan);
    FIELD(sked_batch_metrics, t_hat);
    FIELD(sked_batch_metrics, tail);
    FIELD(sked_batch_metrics, capacity);
    FIELD(sked_batch_metrics, pure_cpu);
    FIELD(sked_batch_metrics, tail_cpu);
    FIELD(sked_batch_metrics, tail_overhead);
    FIELD(sked_batch_bounds, struct_size);
    FIELD(sked_batch_bounds, reserved);
    FIELD(sked_batch_bounds, area);
    FIELD(sked_batch_bounds, path);
    FIELD(sked_batch_bounds, dual);
    FIELD(sked_batch_bounds, functions);
    FIELD(sked_batch_bounds, best);
    FIELD(sked_batch_result, struct_size);
    FIELD(sked_batch_result, method);
    FIELD(sked_batch_result, tries);
    FIELD(sked_batch_result, believed);
    FIELD(sked_batch_result, bound);
}

static void more_batch_facts_1(void)
{
    FIELD(sked_batch_result, eta_ppm);
    FIELD(sked_batch_result, metrics);
    FIELD(sked_batch_result, spans);
    FIELD(sked_batch_result, cluster);
    FIELD(sked_batch_grid, struct_size);
    FIELD(sked_batch_grid, n_sigma);
    FIELD(sked_batch_grid, n_tau);
    FIELD(sked_batch_grid, reserved);
    FIELD(sked_batch_grid, sigma_ppm);
    FIELD(sked_batch_grid, tau_ppm);
    FROZEN(sked_batch_cell);
    FIELD(sked_batch_cell, sigma_ppm);
    FIELD(sked_batch_cell, tau_ppm);
    FIELD(sked_batch_cell, metrics);
    FIELD(sked_batch_rule, struct_size);
    FIELD(sked_batch_rule, slots);
    FIELD(sked_batch_rule, tail);
    FIELD(sked_batch_rule, reserved);
    FIELD(sked_batch_rule, theta_ppm);
    FROZEN(sked_batch_step);
    FIELD(sked_batch_step, at);
    FIELD(sked_batch_step, slots);
    FIELD(sked_batch_history, struct_size);
    FIELD(sked_batch_history, reserved);
    FIELD(sked_batch_history, n);
    FIELD(sked_batch_history, task);
    FIELD(sked_batch_history, slots);
    FIELD(sked_batch_history, ticks);
    FROZEN(sked_batch_start);
    FIELD(sked_batch_start, task);
    FIELD(sked_batch_start, slots);
    FIELD(sked_batch_run_stats, struct_size);
    FIELD(sked_batch_run_stats, method);
    FIELD(sked_batch_run_stats, waiting);
    FIELD(sked_batch_run_stats, running);
    FIELD(sked_batch_run_stats, finished);
    FIELD(sked_batch_run_stats, free);
    FIELD(sked_batch_run_stats, now);
    FIELD(sked_batch_run_stats, eta_ppm);
    FIELD(sked_batch_run_stats, expected);
    FIELD(sked_batch_run_stats, bound);
    VALUE(SKED_BATCH_TASKS);
    VALUE(SKED_BATCH_SLOTS);
    VALUE(SKED_BATCH_LABELS);
    VALUE(SKED_BATCH_CLUSTERS);
    VALUE(SKED_BATCH_WIDTHS);
    VALUE(SKED_BATCH_METHOD_MULTI);
    VALUE(SKED_BATCH_METHOD_GREEDY);
    VALUE(SKED_BATCH_METHOD_ANNEALING);
    VALUE(SKED_BATCH_METHOD_DYNAMIC);
    VALUE(SKED_BATCH_METHOD_DATA_DRIVEN);
    VALUE(SKED_BATCH_METHOD_SIMPLE);
    VALUE(SKED_BATCH_METHOD_BEST);
    VALUE(SKED_BATCH_METHOD_ADAPT);
    VALUE(SKED_BATCH_TAIL_DRAIN);
}

static void more_batch_facts_2(void)
{
    VALUE(SKED_BATCH_TAIL_THRESHOLD);
    VALUE(SKED_BATCH_TAIL_KNEE);
}

static void more_engine_facts(void)
{
    FIELD(sked_engine_reserve_input, struct_size);
    FIELD(sked_engine_reserve_input, partitions);
    FIELD(sked_engine_reserve_input, nodes);
    FIELD(sked_engine_reserve_input, jobs);
    FIELD(sked_engine_reserve_input, leaf_jobs);
    FIELD(sked_engine_reserve_input, users);
    FIELD(sked_engine_reserve_input, accounts);
    FIELD(sked_engine_reserve_input, asks);
    FIELD(sked_engine_reserve_input, wide_asks);
    FIELD(sked_engine_reserve_input, leaf_asks);
    FIELD(sked_engine_reserve_input, places);
    FIELD(sked_engine_reserve_input, shapes);
    FIELD(sked_engine_reserve_input, groups);
    FIELD(sked_engine_reserve_input, ranges);
    FIELD(sked_engine_reserve_input, refusals);
    FIELD(sked_engine_reserve_input, saved);
    FIELD(sked_engine_reserve_input, decisions);
    VALUE(SKED_ENGINE_RESERVE_MAX);
}

static void more_locality_facts(void)
{
    FIELD(sked_locality_input, struct_size);
    FIELD(sked_locality_input, flags);
    FIELD(sked_locality_input, blocks);
    FIELD(sked_locality_input, hosts);
    FIELD(sked_locality_input, replicas);
    FIELD(sked_locality_input, reserved);
    FIELD(sked_locality_input, replica);
    FIELD(sked_locality_input, ticks);
    FIELD(sked_locality_input, committed);
    FIELD(sked_locality_input, cores);
    FIELD(sked_locality_input, limit);
    FIELD(sked_locality_options, struct_size);
    FIELD(sked_locality_options, method);
    FROZEN(sked_locality_point);
    FIELD(sked_locality_point, load);
    FIELD(sked_locality_point, transfers);
    FIELD(sked_locality_search_options, struct_size);
    FIELD(sked_locality_search_options, method);
    FIELD(sked_locality_search_options, compute);
    FIELD(sked_locality_search_options, transfer);
    FIELD(sked_locality_search_options, step);
    FIELD(sked_locality_search_result, struct_size);
    FIELD(sked_locality_search_result, looks);
    FIELD(sked_locality_search_result, point);
    FIELD(sked_locality_search_result, cost);
    FIELD(sked_locality_plan_options, struct_size);
    FIELD(sked_locality_plan_options, flags);
    FIELD(sked_locality_plan_options, load);
    FIELD(sked_locality_plan_options, rack);
    FIELD(sked_locality_plan_options, in_rack);
    FIELD(sked_locality_plan_options, beyond);
    FIELD(sked_locality_plan_result, struct_size);
    FIELD(sked_locality_plan_result, reserved);
    FIELD(sked_locality_plan_result, host);
    FIELD(sked_locality_plan_result, local);
    FIELD(sked_locality_plan_result, in_rack);
    FIELD(sked_locality_plan_result, beyond);
    FIELD(sked_locality_plan_result, cost);
    FIELD(sked_locality_sized_result, struct_size);
    FIELD(sked_locality_sized_result, reserved);
    FIELD(sked_locality_sized_result, choice);
    FIELD(sked_locality_sized_result, most);
    FIELD(sked_locality_sized_result, bound);
    FIELD(sked_locality_sized_result, unplaced);
    FROZEN(sked_locality_move);
    FIELD(sked_locality_move, block);
    FIELD(sked_locality_move, from);
    FIELD(sked_locality_move, to);
    FIELD(sked_locality_move, reserved);
    VALUE(SKED_LOCALITY_REPLICAS);
    VALUE(SKED_LOCALITY_HOSTS);
    VALUE(SKED_LOCALITY_BLOCKS);
    VALUE(SKED_LOCALITY_EXACT);
    VALUE(SKED_LOCALITY_ONLINE);
    VALUE(SKED_LOCALITY_EQUILIBRIUM);
}

static void more_locality_facts_1(void)
{
    VALUE(SKED_LOCALITY_CHEAPEST);
    VALUE(SKED_LOCALITY_AREA);
    VALUE(SKED_LOCALITY_FORWARD);
}

static void more_preempt_facts(void)
{
    FIELD(sked_preempt_problem, reserved);
    FROZEN(sked_preempt_victim);
    FROZEN(sked_preempt_seat);
}

static void more_round_facts(void)
{
    FIELD(sked_round_wanted, held);
    FROZEN(sked_round_action);
    FROZEN(sked_round_mark);
}

static void more_target_facts(void)
{
    FIELD(sked_target_arrays, share);
    FIELD(sked_target_arrays, claim);
    FIELD(sked_target_arrays, keep);
    FIELD(sked_target_result, claim);
    FIELD(sked_target_input, share);
    FIELD(sked_target_input, claim);
    FIELD(sked_target_input, keep);
    VALUE(SKED_TARGET_CLAIM);
}

static void more_decision_facts(void)
{
    VALUE(SKED_REASON_MASTERS);
    VALUE(SKED_REASON_PREEMPTED_USER);
    VALUE(SKED_REASON_PREEMPTED_PRIORITY);
    VALUE(SKED_REASON_PREEMPTED_LIMIT);
    VALUE(SKED_REASON_NO_CLAIM);
}

static void more_event_facts(void)
{
    VALUE(SKED_EVENT_NODE_RESUME);
    VALUE(SKED_ASK_KEEP);
}

static void more_fault_facts(void)
{
    VALUE(SKED_FAULT_GUARANTEE_LIFTED);
    VALUE(SKED_SEVERITY_NOTE);
}

static void more_queue_facts(void)
{
    VALUE(SKED_ORDER_SHARE);
}

int main(void)
{
    base_facts();
    admit_facts();
    host_facts();
    res_facts();
    tree_facts();
    diff_facts();
    ledger_facts();
    fill_facts();
    share_facts();
    drf_facts();
    hdrf_facts();
    order_facts();
    history_facts();
    pctl_facts();
    rank_facts();
    round_facts();
    target_facts();
    preempt_facts();
    engine_in_facts();
    engine_out_facts();
    engine_word_facts();
    sim_in_facts();
    sim_out_facts();
    slo_facts();
    tiers_facts();
    route_facts();
    balance_facts();
    advise_facts();
    plan_in_facts();
    plan_out_facts();
    report_facts();
    report_flow_facts();
    plan_input_facts();
    slo_job_facts();
    more_batch_facts();
    more_batch_facts_1();
    more_batch_facts_2();
    more_engine_facts();
    more_locality_facts();
    more_locality_facts_1();
    more_preempt_facts();
    more_round_facts();
    more_target_facts();
    more_decision_facts();
    more_event_facts();
    more_fault_facts();
    more_queue_facts();
    return 0;
}
