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
    return 0;
}
