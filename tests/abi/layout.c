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
#define VALUE(c) printf("%s = %lld\n", #c, (long long)(c))

int main(void)
{
    FROZEN(sked_status);
    FROZEN(sked_queue_id);
    FROZEN(sked_time);

    FROZEN(sked_error);
    FIELD(sked_error, code);
    FIELD(sked_error, queue);
    FIELD(sked_error, got);
    FIELD(sked_error, limit);
    FIELD(sked_error, message);

    FIELD(sked_host, struct_size);
    FIELD(sked_host, flags);
    FIELD(sked_host, user);
    FIELD(sked_host, resize);
    FIELD(sked_host, log);

    FROZEN(sked_ratio);
    FIELD(sked_ratio, num);
    FIELD(sked_ratio, den);
    FROZEN(sked_weighted);
    FIELD(sked_weighted, vec);
    FIELD(sked_weighted, weight);
    VALUE(SKED_ROUND_REFUSE);
    VALUE(SKED_ROUND_DOWN);
    VALUE(SKED_ROUND_UP);
    VALUE(SKED_ROUND_NEAREST);
    VALUE(SKED_FORM_SHORT);
    VALUE(SKED_FORM_LOG);
    VALUE(SKED_AMOUNT_TEXT);
    VALUE(SKED_KIND_NAME_MAX);
    VALUE(SKED_VEC_LESS);
    VALUE(SKED_VEC_EQUAL);
    VALUE(SKED_VEC_MORE);

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

    VALUE(SKED_OK);
    VALUE(SKED_ERR_ARG);
    VALUE(SKED_ERR_NOMEM);
    VALUE(SKED_ERR_RANGE);
    VALUE(SKED_ERR_EXISTS);
    VALUE(SKED_ERR_STALE);
    VALUE(SKED_ERR_STATE);
    VALUE(SKED_ERR_VERSION);
    VALUE(SKED_ERR_INTERNAL);
    VALUE(SKED_NO_QUEUE);
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
    FIELD(sked_ledger_options, struct_size);
    FIELD(sked_ledger_options, flags);
    FIELD(sked_ledger_options, half_life);
    VALUE(SKED_LEDGER_USAGE);
    VALUE(SKED_LEDGER_DEMAND);
    VALUE(SKED_LEDGER_HISTORY);
    VALUE(SKED_LEDGER_RUNNING);
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
    FIELD(sked_change, struct_size);
    FIELD(sked_change, op);
    FIELD(sked_change, path);
    FIELD(sked_change, key);
    FIELD(sked_change, before);
    FIELD(sked_change, after);
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
    VALUE(SKED_CHANGE_ADD);
    VALUE(SKED_CHANGE_REMOVE);
    VALUE(SKED_CHANGE_MOVE);
    VALUE(SKED_CHANGE_SET);
    return 0;
}
