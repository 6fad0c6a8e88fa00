/* Histories: what is refused, and broken ones that are found. */
#include "history_cases.h"

/* ---- Refusals ---- */

static void assert_bad(world *w, const sked_history_input *rows,
                       sked_status want, int64_t row, int32_t kind)
{
    sked_history_standing before, after;
    sked_error err;

    assert_ok(sked_history_get_standing(w->history, 0, &before));
    assert_status(want, sked_history_add(w->history, rows, NULL, &err));
    assert_i64(err.row, row);
    assert_i64(err.kind, kind);
    assert_ok(sked_history_get_standing(w->history, 0, &after));
    assert_memory_equal(&before, &after, sizeof before);
    assert_ok(sked_history_check(w->history, NULL));
}

/* A record that is refused is named, and nothing has changed. */
static void bad_records_are_named(void **state)
{
    sked_time start[] = {5, 6, 7}, end[] = {9, 9, 9};
    int64_t amount[] = {1, 1, 1, 1, 1, 1};
    uint32_t queue[] = {0, 0, 0};
    const int64_t instance[] = {4, 0};
    sked_history_input rows = intervals(3, start, end, amount);
    world *w = *state;

    rows.queue = queue;
    make(w, (sked_history_options){.kinds = 2}, instance);
    assert_bad(w, &rows, SKED_ERR_RANGE, 0, 1);
    amount[1] = amount[3] = amount[5] = 0;
    end[2] = 6;
    assert_bad(w, &rows, SKED_ERR_RANGE, 2, -1);
    end[2] = SKED_AMOUNT_MAX;
    assert_bad(w, &rows, SKED_ERR_RANGE, 2, -1);
    end[2] = 9;
    start[2] = 5;
    assert_bad(w, &rows, SKED_ERR_STATE, 2, -1);
    start[2] = -SKED_AMOUNT_MAX;
    assert_bad(w, &rows, SKED_ERR_RANGE, 2, -1);
    start[2] = 7;
    amount[4] = -1;
    assert_bad(w, &rows, SKED_ERR_RANGE, 2, 0);
    amount[4] = SKED_AMOUNT_MAX - 1;
    assert_bad(w, &rows, SKED_ERR_RANGE, 2, 0);
    amount[4] = SKED_AMOUNT_MAX - 2;
    queue[2] = 1;
    assert_bad(w, &rows, SKED_ERR_NOT_FOUND, 2, -1);
    queue[2] = 0;
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    start[0] = 6;
    rows.n = 1;
    amount[0] = 0;
    assert_bad(w, &rows, SKED_ERR_STATE, 0, -1);
}

/* A change holds from its time on, besides what is open. */
static void a_change_is_held_with_what_is_open(void **state)
{
    const sked_time start = 0, end = 9, time[] = {2, 4}, late = SKED_AMOUNT_MAX;
    const int64_t amount = 5, level[] = {SKED_AMOUNT_MAX - 5, SKED_AMOUNT_MAX};
    sked_history_input rows = intervals(1, &start, &end, &amount);
    sked_history_input changes = intervals(2, time, NULL, level);
    world *w = *state;

    changes.form = SKED_HISTORY_FORM_CHANGES;
    make(w, (sked_history_options){0}, NULL);
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    assert_bad(w, &changes, SKED_ERR_RANGE, 1, 0);
    changes.n = 1;
    assert_ok(sked_history_add(w->history, &changes, NULL, NULL));
    changes.start = &late;
    assert_bad(w, &changes, SKED_ERR_RANGE, 0, -1);
    const int64_t length = 1;
    const sked_history_input units = {.struct_size = sizeof units,
                                      .form = SKED_HISTORY_FORM_UNITS,
                                      .n = 1,
                                      .length = &length,
                                      .amount = level + 1};
    assert_bad(w, &units, SKED_ERR_RANGE, 0, 0);
}

static void units_end_before_the_end_of_time(void **state)
{
    int64_t length[] = {SKED_AMOUNT_MAX - 1, 1};
    const int64_t amount[] = {1, 1};
    sked_history_input rows = {.struct_size = sizeof rows,
                               .form = SKED_HISTORY_FORM_UNITS,
                               .n = 2,
                               .length = length,
                               .amount = amount};
    world *w = *state;

    make(w, (sked_history_options){0}, NULL);
    assert_bad(w, &rows, SKED_ERR_RANGE, 1, -1);
    length[1] = -1;
    assert_bad(w, &rows, SKED_ERR_RANGE, 1, -1);
    rows.n = 1;
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
}

static void bad_calls_are_refused(void **state)
{
    const sked_time one = 1;
    const int64_t amount = 1;
    const sked_history_input good = intervals(1, &one, &one, &amount);
    sked_history_input rows = good;
    sked_error err;
    world *w = *state;

    make(w, (sked_history_options){0}, NULL);
    assert_status(SKED_ERR_ARG, sked_history_add(NULL, &good, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_history_add(w->history, NULL, NULL, NULL));
    rows.struct_size = 1;
    assert_bad(w, &rows, SKED_ERR_VERSION, -1, -1);
    rows = good;
    rows.form = 3;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.end = NULL;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows.end = &one;
    rows.start = NULL;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.amount = NULL;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.form = -1;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.reserved = 1;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.flags = 2;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.form = SKED_HISTORY_FORM_UNITS;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.n = (uint64_t)1 << 31;
    assert_bad(w, &rows, SKED_ERR_RANGE, -1, -1);
    rows = good;
    rows.n = 0;
    sked_history_stats counts = {3, 3};
    assert_ok(sked_history_add(w->history, &rows, &counts, NULL));
    assert_i64((int64_t)counts.empty, 0);
    assert_status(SKED_ERR_ARG, sked_history_settle(NULL, 0, &err));
    assert_status(SKED_ERR_RANGE,
                  sked_history_settle(w->history, SKED_AMOUNT_MAX, &err));
    assert_status(SKED_ERR_ARG, sked_history_forget(NULL, 0, &err));
    assert_status(SKED_ERR_STATE, sked_history_forget(w->history, 0, &err));
    assert_status(SKED_ERR_ARG, sked_history_check(NULL, &err));
    assert_true(sked_history_digest(NULL) == 0);
}

static void forgetting_is_for_what_is_settled(void **state)
{
    const sked_time start = 1, end = 9;
    const int64_t amount = 1;
    sked_history_input rows = intervals(1, &start, &end, &amount);
    sked_error err;
    world *w = *state;

    make(w, (sked_history_options){.flags = SKED_HISTORY_FLAG_KEEP}, NULL);
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    assert_status(SKED_ERR_STATE, sked_history_forget(w->history, 5, &err));
    assert_i64(err.row, 0);
    assert_status(SKED_ERR_RANGE,
                  sked_history_forget(w->history, INT64_MAX, &err));
    assert_ok(sked_history_settle(w->history, 5, NULL));
    assert_ok(sked_history_forget(w->history, 5, &err));
}

static void bad_questions_are_refused(void **state)
{
    const sked_ratio p[] = {{1, 1}, {2, 1}};
    const uint32_t queue[] = {0, 1};
    int64_t length[2], amount[2];
    sked_history_standing at;
    sked_pctl_point point[4];
    sked_pctl_reserved_result plan;
    sked_wide work;
    sked_error err;
    size_t n;
    world *w = *state;

    make(w, (sked_history_options){0}, NULL);
    const sked_history *h = w->history;
    assert_status(SKED_ERR_ARG, sked_history_get_standing(NULL, 0, &at));
    assert_status(SKED_ERR_NOT_FOUND, sked_history_get_standing(h, 1, &at));
    assert_status(SKED_ERR_ARG,
                  sked_history_pctl(h, NULL, 1, p, 0, point, NULL, &err));
    assert_status(SKED_ERR_RANGE,
                  sked_history_pctl(h, NULL, 1, p, 2, point, NULL, &err));
    assert_i64(err.row, 1);
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_history_pctl(h, queue, 2, p, 1, point, NULL, &err));
    assert_i64(err.row, 1);
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_history_pctl(h, NULL, 2, p, 1, point, NULL, &err));
    assert_status(SKED_ERR_ARG, sked_history_curve(h, 0, NULL, amount, 1, &n));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_history_curve(h, 1, length, amount, 1, &n));
    assert_status(SKED_ERR_ARG,
                  sked_history_units(h, 0, NULL, amount, 1, &n, NULL));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_history_units(h, 1, length, amount, 1, &n, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_history_units(h, 0, length, amount, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_history_get_standing(h, 0, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_history_pctl(NULL, NULL, 1, p, 1, point, NULL, &err));
    assert_status(SKED_ERR_ARG,
                  sked_history_pctl(h, NULL, 1, NULL, 1, point, NULL, &err));
    assert_status(SKED_ERR_ARG,
                  sked_history_pctl(h, NULL, 1, p, 1, NULL, NULL, &err));
    assert_status(SKED_ERR_ARG,
                  sked_history_curve(NULL, 0, length, amount, 1, &n));
    assert_status(SKED_ERR_ARG, sked_history_curve(h, 0, length, NULL, 1, &n));
    assert_status(SKED_ERR_ARG,
                  sked_history_curve(h, 0, length, amount, 1, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_history_units(NULL, 0, length, amount, 1, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_history_units(h, 0, length, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_history_units(h, 0, length, amount, 1, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_history_work(NULL, 0, &work, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_history_reserved(NULL, 0, 0, p[0], &plan, NULL));
    assert_status(SKED_ERR_ARG, sked_history_work(h, 0, NULL, NULL));
    assert_status(SKED_ERR_NOT_FOUND, sked_history_work(h, 1, &work, NULL));
}

static void too_small_a_cap_writes_only_the_number(void **state)
{
    const int64_t length[] = {1, 2, 3}, amount[] = {4, 5, 6};
    sked_history_input rows = {.struct_size = sizeof rows,
                               .form = SKED_HISTORY_FORM_UNITS,
                               .n = 3,
                               .length = length,
                               .amount = amount};
    int64_t a[3] = {-1}, b[3] = {-1};
    size_t n = 0;
    world *w = *state;

    make(w, (sked_history_options){.flags = SKED_HISTORY_FLAG_KEEP}, NULL);
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_history_curve(w->history, 0, a, b, 2, &n));
    assert_i64((int64_t)n, 3);
    assert_status(SKED_ERR_RANGE,
                  sked_history_units(w->history, 0, a, b, 2, &n, NULL));
    assert_i64((int64_t)n, 3);
    assert_i64(a[0], -1);
    assert_ok(sked_history_curve(w->history, 0, a, b, 3, &n));
    assert_i64(a[2], 6);
    assert_i64(b[2], 6);
}

static void bad_options_are_refused(void **state)
{
    static const int64_t none[] = {0, 0}, less[] = {0, -1}, few[] = {5, 1};
    const struct {
        sked_history_options opts;
        const int64_t *instance;
        sked_status want;
    } cases[] = {
        {{.flags = 4}, NULL, SKED_ERR_ARG},
        {{.from = 1}, NULL, SKED_ERR_ARG},
        {{.to = 1}, NULL, SKED_ERR_ARG},
        {{.flags = SKED_HISTORY_FLAG_WINDOW, .from = -SKED_AMOUNT_MAX},
         NULL,
         SKED_ERR_RANGE},
        {{.flags = SKED_HISTORY_FLAG_WINDOW, .to = SKED_AMOUNT_MAX},
         NULL,
         SKED_ERR_RANGE},
        {{.flags = SKED_HISTORY_FLAG_WINDOW}, NULL, SKED_ERR_RANGE},
        {{.queues = SKED_MAX_QUEUES + 1}, NULL, SKED_ERR_RANGE},
        {{.kinds = SKED_MAX_KINDS + 1}, NULL, SKED_ERR_RANGE},
        {{.kinds = 2, .kind = 2}, NULL, SKED_ERR_RANGE},
        {{.kinds = 2}, none, SKED_ERR_RANGE},
        {{.kinds = 2}, less, SKED_ERR_RANGE},
        {{.kinds = 2, .parts = 2}, few, SKED_ERR_RANGE},
    };
    sked_history *h;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sked_history_options opts = cases[i].opts;
        opts.struct_size = sizeof opts;
        assert_status(cases[i].want, sked_history_new(cases[i].instance, &opts,
                                                      NULL, &h, NULL));
        assert_null(h);
    }
    sked_history_options old = {.struct_size = 1};
    sked_host host = {.struct_size = 1};
    assert_status(SKED_ERR_VERSION,
                  sked_history_new(NULL, &old, NULL, &h, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_history_new(NULL, NULL, &host, &h, NULL));
    assert_status(SKED_ERR_ARG, sked_history_new(NULL, NULL, NULL, NULL, NULL));
    sked_history_free(NULL);
}

/* Every invariant is broken in turn, found, and mended. */
static void a_broken_history_is_found(void **state)
{
    const sked_time start[] = {0, 1, 1, 1}, end[] = {3, 9, 7, 8};
    const int64_t amount[] = {5, 6, 7, 8};
    sked_history_input rows = intervals(4, start, end, amount);
    world *w = *state;

    make(w, (sked_history_options){.flags = SKED_HISTORY_FLAG_KEEP}, NULL);
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    assert_ok(sked_history_settle(w->history, 4, NULL));
    skedi_history_queue *q = &w->history->queue[0];
    assert_true(q->curve.n >= 2 && q->n_open == 3 && q->n_units == 3);
    int64_t *const numbers[] = {&q->open[2], &q->open[0], w->history->said,
                                q->unit,     q->unit + 2, q->unit + 3};
    const int64_t bad[] = {0, 4, 1, 0, 99, 99};
    const uint64_t digest = sked_history_digest(w->history);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t was = *numbers[i];
        *numbers[i] = bad[i];
        assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
        assert_true(sked_history_digest(w->history) != digest);
        *numbers[i] = was;
        assert_ok(sked_history_check(w->history, NULL));
        assert_true(sked_history_digest(w->history) == digest);
    }
    q->mark = 1;
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    q->mark = 0;
    skedi_curve *c = &q->curve;
    skedi_curve_node *root = &c->node[c->root - 1], *leaf = &c->node[c->n - 1];
    const skedi_curve_node was = *root;
    root->count++;
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    *root = was;
    root->sum++;
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    *root = was;
    root->usage = skedi_u128_of(1);
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    *root = was;
    c->gone++;
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    c->gone--;
    c->n_free++;
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    c->n_free--;
    assert_true(leaf != root);
    w->history->flags = 0;
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    w->history->flags = SKED_HISTORY_FLAG_KEEP;
    assert_ok(sked_history_check(w->history, NULL));
}

/* Amounts out of order, told by nothing but the order. */
static void a_curve_out_of_order_is_found(void **state)
{
    test_host host = {0};
    skedi_mem mem = test_host_mem(&host);
    skedi_curve c = {0};

    (void)state;
    assert_true(skedi_curve_reserve(&c, 2, &mem));
    skedi_curve_add(&c, 4, 1);
    skedi_curve_add(&c, 8, 1);
    assert_true(skedi_curve_are_sound(&c));
    c.node[0].amount = 8;
    c.node[0].usage = skedi_u128_of(16);
    assert_false(skedi_curve_are_sound(&c));
    skedi_curve_free(&c, &mem);
    assert_i64((int64_t)host.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bad_records_are_named, setup, teardown),
        cmocka_unit_test_setup_teardown(a_change_is_held_with_what_is_open,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(units_end_before_the_end_of_time, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(bad_calls_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(forgetting_is_for_what_is_settled,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(bad_questions_are_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(too_small_a_cap_writes_only_the_number,
                                        setup, teardown),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test_setup_teardown(a_broken_history_is_found, setup,
                                        teardown),
        cmocka_unit_test(a_curve_out_of_order_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
