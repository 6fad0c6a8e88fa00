/* Histories by hand: forms, windows, instances, units in one call. */
#include "history_cases.h"

/* [MON-1] Each span of one amount is a unit; ends come before starts. */
static void intervals_become_units(void **state)
{
    const sked_time start[] = {0, 2, 5, 5}, end[] = {5, 7, 5, 9};
    const int64_t amount[] = {1, 2, 100, 1};
    sked_history_input rows = intervals(4, start, end, amount);
    sked_history_stats counts;
    int64_t length[16], held[16];
    world *w = *state;

    make(w, (sked_history_options){.flags = SKED_HISTORY_FLAG_KEEP}, NULL);
    assert_ok(sked_history_add(w->history, &rows, &counts, NULL));
    assert_i64((int64_t)counts.empty, 1);
    assert_i64((int64_t)counts.outside, 0);
    assert_i64((int64_t)units(w, 0, length, held), 2);
    assert_ok(sked_history_settle(w->history, SKED_HISTORY_END, NULL));
    assert_i64((int64_t)units(w, 0, length, held), 3);
    assert_i64(length[0], 2);
    assert_i64(held[0], 1);
    assert_i64(length[1], 5);
    assert_i64(held[1], 3);
    assert_i64(length[2], 2);
    assert_i64(held[2], 1);
}

static void a_window_clips(void **state)
{
    const sked_time start[] = {0, 0, 12, 30}, end[] = {5, 12, 99, 40};
    const int64_t amount[] = {1, 2, 4, 8};
    sked_history_input rows = intervals(4, start, end, amount);
    sked_history_stats counts;
    int64_t length[16], held[16];
    sked_history_standing at;
    world *w = *state;

    make(w,
         (sked_history_options){.flags = SKED_HISTORY_FLAG_KEEP |
                                         SKED_HISTORY_FLAG_WINDOW,
                                .from = 10,
                                .to = 20},
         NULL);
    assert_ok(sked_history_add(w->history, &rows, &counts, NULL));
    assert_i64((int64_t)counts.outside, 2);
    assert_ok(sked_history_settle(w->history, SKED_HISTORY_END, NULL));
    assert_i64((int64_t)units(w, 0, length, held), 2);
    assert_i64(length[0], 2);
    assert_i64(held[0], 2);
    assert_i64(length[1], 8);
    assert_i64(held[1], 4);
    assert_ok(sked_history_get_standing(w->history, 0, &at));
    assert_i64(at.oldest, 10);
    assert_i64(at.clock, 20);
    assert_i64((int64_t)at.open, 0);
    assert_i64((int64_t)at.amounts, 2);
}

/* [MON-1] What is forgotten does not count; the rest stays as it was. */
static void a_sliding_window_forgets_the_oldest_day(void **state)
{
    const int64_t day[] = {24, 24, 24}, amount[] = {5, 7, 9};
    const sked_ratio all = {1, 1}, half = {1, 2};
    sked_history_input rows = {.struct_size = sizeof rows,
                               .form = SKED_HISTORY_FORM_UNITS,
                               .n = 3,
                               .length = day,
                               .amount = amount};
    sked_pctl_point point;
    sked_pctl_queue total;
    world *w = *state;

    make(w, (sked_history_options){.flags = SKED_HISTORY_FLAG_KEEP}, NULL);
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    assert_ok(sked_history_forget(w->history, 36, NULL));
    assert_ok(
        sked_history_pctl(w->history, NULL, 1, &half, 1, &point, &total, NULL));
    assert_i64(total.in_use, 36);
    assert_i64(total.least, 7);
    assert_i64(point.amount, 9);
    assert_i64(point.lower, 7);
    assert_i64((int64_t)point.waste.low, 2 * 12);
    assert_ok(sked_history_forget(w->history, 72, NULL));
    assert_ok(
        sked_history_pctl(w->history, NULL, 1, &all, 1, &point, &total, NULL));
    assert_i64(total.in_use, 0);
    assert_i64(point.amount, 0);
    assert_ok(sked_history_check(w->history, NULL));
}

/* [MON-2] The dominant kind decides; parts of instances are exact, and rounded
 * up only at the end. */
static void instances_go_by_the_dominant_kind(void **state)
{
    const int64_t instance[] = {16000, INT64_C(61) << 30, 0};
    const int64_t length[] = {10, 10, 10};
    const int64_t amount[] = {16001, INT64_C(1) << 30,
                              0, /* 16001/16000 */
                              16000, INT64_C(122) << 30,
                              0, /* 2 of memory */
                              0,     0,
                              0};
    const sked_ratio p = {1, 2};
    sked_history_input rows = {.struct_size = sizeof rows,
                               .form = SKED_HISTORY_FORM_UNITS,
                               .n = 3,
                               .length = length,
                               .amount = amount};
    sked_pctl_point point;
    sked_wide work[3], led[3];
    world *w = *state;

    make(w, (sked_history_options){.kinds = 3, .parts = 16000}, instance);
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    assert_ok(
        sked_history_pctl(w->history, NULL, 1, &p, 1, &point, NULL, NULL));
    assert_i64(point.amount, 16001);
    assert_i64(point.higher, 32000);
    assert_ok(sked_history_work(w->history, 0, work, led));
    assert_i64((int64_t)work[0].low, 320010);
    assert_i64((int64_t)led[0].low, 160010);
    assert_i64((int64_t)led[1].low, INT64_C(1220) << 30);
    assert_i64((int64_t)work[2].low, 0);
    assert_ok(sked_history_work(w->history, 0, work, NULL));
}

/* ---- In one call ---- */

static void units_of_records_in_one_call(void **state)
{
    const sked_time start[] = {5, 0, 3}, end[] = {9, 4, 3};
    const int64_t amount[] = {1, 2, 9};
    const uint32_t queue[] = {2, 0, 1};
    const sked_history_options opts = {.struct_size = sizeof opts, .queues = 3};
    sked_history_options old = {.struct_size = 1};
    sked_host ancient = {.struct_size = 1};
    sked_history_input rows = intervals(3, start, end, amount);
    uint64_t first[4];
    int64_t length[2], held[2];
    const sked_history_result room = {.struct_size = sizeof room,
                                      .first = first,
                                      .length = length,
                                      .amount = held,
                                      .cap = 2};
    sked_history_result out = room;
    sked_error err;

    (void)state;
    rows.queue = queue;
    rows.flags = SKED_HISTORY_INPUT_FLAG_ANY_ORDER;
    assert_ok(sked_history_once(&rows, &opts, NULL, &out, NULL));
    assert_i64((int64_t)out.n, 2);
    assert_i64((int64_t)out.counts.empty, 1);
    assert_i64((int64_t)first[1], 1);
    assert_i64((int64_t)first[2], 1);
    assert_i64((int64_t)first[3], 2);
    assert_i64(length[1], 4);
    assert_i64(held[0], 2);
    out.cap = 1;
    assert_status(SKED_ERR_RANGE,
                  sked_history_once(&rows, &opts, NULL, &out, &err));
    assert_i64((int64_t)out.n, 2);
    out = room;
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_history_once(&rows, NULL, NULL, &out, &err));
    assert_status(SKED_ERR_VERSION,
                  sked_history_once(&rows, &old, NULL, &out, &err));
    assert_status(SKED_ERR_VERSION,
                  sked_history_once(&rows, &opts, &ancient, &out, &err));
    out.length = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_history_once(&rows, &opts, NULL, &out, &err));
    out = room;
    out.amount = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_history_once(&rows, &opts, NULL, &out, &err));
    assert_status(SKED_ERR_ARG,
                  sked_history_once(&rows, &opts, NULL, NULL, &err));
    out = room;
    out.struct_size = 8;
    assert_status(SKED_ERR_VERSION,
                  sked_history_once(&rows, &opts, NULL, &out, &err));
    out.first = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_history_once(&rows, &opts, NULL, &out, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(intervals_become_units, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_window_clips, setup, teardown),
        cmocka_unit_test_setup_teardown(a_sliding_window_forgets_the_oldest_day,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(instances_go_by_the_dominant_kind,
                                        setup, teardown),
        cmocka_unit_test(units_of_records_in_one_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
