/* Settings of queues: what is refused, the ends of every number, columns, labels, users. */
#include <stdio.h>

#include "tree_fixture.h"

static void setting_refuses_what_cannot_be(void **state)
{
    tree_fixture *f = *state;
    sked_tree *t = f->tree;
    sked_queue_id r = f->root;
    const int64_t negative[] = {1, -1}, beyond[] = {SKED_AMOUNT_MAX + 1, 0};
    const int64_t endless[] = {SKED_UNLIMITED, 0};
    sked_error err;

    assert_refused(f, SKED_ERR_ARG, sked_tree_set(NULL, r, 1, 1, &err));
    assert_refused(f, SKED_ERR_ARG, sked_tree_set(t, r, 0, 1, &err));
    assert_refused(f, SKED_ERR_ARG, sked_tree_set(t, r, 19, 1, &err));
    assert_refused(f, SKED_ERR_ARG, sked_tree_set(t, r, INT32_MIN, 1, &err));
    assert_refused(f, SKED_ERR_STALE, sked_tree_set(t, 0, 1, 1, &err));
    assert_refused(f, SKED_ERR_RANGE, sked_tree_set(t, r, 1, -1, &err));
    assert_refused(f, SKED_ERR_RANGE, sked_tree_set(t, r, 1, 1LL << 32, &err));
    assert_i64(err.got, 1LL << 32);
    assert_i64(err.limit, (1LL << 32) - 1);
    assert_refused(f, SKED_ERR_RANGE,
                   sked_tree_set(t, r, SKED_QUEUE_FAIR_KIND, 2, &err));
    assert_refused(f, SKED_ERR_RANGE,
                   sked_tree_set(t, r, SKED_QUEUE_TIER, SKED_UNLIMITED, &err));
    assert_refused(f, SKED_ERR_ARG, sked_tree_set_vec(t, r, 31, NULL, &err));
    assert_refused(f, SKED_ERR_ARG, sked_tree_set_vec(t, r, 36, NULL, &err));
    assert_refused(f, SKED_ERR_RANGE,
                   sked_tree_set_vec(t, r, SKED_QUEUE_LIMIT, negative, &err));
    assert_int_equal(err.kind, 1);
    assert_i64(err.row, -1);
    assert_refused(f, SKED_ERR_RANGE,
                   sked_tree_set_vec(t, r, SKED_QUEUE_LIMIT, beyond, &err));
    assert_i64(err.limit, SKED_AMOUNT_MAX);
    assert_refused(
        f, SKED_ERR_RANGE,
        sked_tree_set_vec(t, r, SKED_QUEUE_GUARANTEE, endless, &err));
    assert_refused(f, SKED_ERR_STALE, sked_tree_set_vec(t, 0, 32, NULL, &err));
    assert_ok(sked_tree_set_vec(t, r, SKED_QUEUE_LIMIT, endless, &err));
}

static void every_number_takes_its_ends_and_no_more(void **state)
{
    tree_fixture *f = *state;
    static const int64_t ends[][2] = {{0, 4294967295},
                                      {0, SKED_ORDER_POLICY_SHARE},
                                      {0, 1},
                                      {0, 4},
                                      {0, INT32_MAX},
                                      {0, 1000000},
                                      {INT32_MIN, INT32_MAX},
                                      {0, 255},
                                      {0, 1},
                                      {0, SKED_UNLIMITED},
                                      {0, SKED_UNLIMITED},
                                      {0, 1000000},
                                      {0, 1000000},
                                      {0, 1000000},
                                      {0, 1000000},
                                      {0, 1}};

    for (int32_t a = 1; a <= 16; a++) {
        int64_t low = ends[a - 1][0], high = ends[a - 1][1];
        assert_ok(sked_tree_set(f->tree, f->root, a, low, NULL));
        assert_ok(sked_tree_set(f->tree, f->root, a, high, NULL));
        assert_status(SKED_ERR_RANGE,
                      sked_tree_set(f->tree, f->root, a, low - 1, NULL));
        if (high == SKED_UNLIMITED) continue;
        assert_status(SKED_ERR_RANGE,
                      sked_tree_set(f->tree, f->root, a, high + 1, NULL));
    }
}

static void parts_and_amounts_replace_each_other(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");
    int64_t ppm, amounts[2];

    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 5, 6);
    tree_set_vec(f, a, SKED_QUEUE_LIMIT, 7, 8);
    tree_set(f, a, SKED_QUEUE_GUARANTEE_PPM, 1000000);
    tree_commit(f);
    assert_ok(sked_tree_get_vec(f->tree, a, SKED_QUEUE_GUARANTEE, amounts));
    assert_true(amounts[0] == 0 && amounts[1] == 0);
    assert_ok(sked_tree_get_vec(f->tree, a, SKED_QUEUE_LIMIT, amounts));
    assert_true(amounts[0] == 7 && amounts[1] == 8);

    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 1, 0);
    tree_set(f, a, SKED_QUEUE_LIMIT_PPM, 5);
    tree_set_vec(f, a, SKED_QUEUE_LIMIT, 9, 9);
    tree_commit(f);
    assert_ok(sked_tree_get(f->tree, a, SKED_QUEUE_GUARANTEE_PPM, &ppm));
    assert_i64(ppm, SKED_UNSET);
    assert_ok(sked_tree_get(f->tree, a, SKED_QUEUE_LIMIT_PPM, &ppm));
    assert_i64(ppm, SKED_UNSET);
}

static void the_default_and_nothing_are_the_same(void **state)
{
    tree_fixture *f = *state;
    uint64_t before = sked_tree_digest(f->tree);
    int64_t value;

    tree_set(f, f->root, SKED_QUEUE_WEIGHT, 1);
    tree_set(f, f->root, SKED_QUEUE_MAX_RUNNING, SKED_UNLIMITED);
    tree_set_vec(f, f->root, SKED_QUEUE_GUARANTEE, 0, 0);
    assert_ok(sked_tree_set_vec(f->tree, f->root, SKED_QUEUE_LEND, NULL, NULL));
    assert_true(sked_tree_digest(f->tree) == before);

    /* but for what is inherited: to say yes is not to say nothing */
    tree_set(f, f->root, SKED_QUEUE_PREEMPT_FROM, 1);
    assert_true(sked_tree_digest(f->tree) != before);
    tree_commit(f);
    assert_ok(sked_tree_get(f->tree, f->root, SKED_QUEUE_PREEMPT_FROM, &value));
    assert_i64(value, 1);
    tree_set(f, f->root, SKED_QUEUE_PREEMPT_FROM, SKED_UNSET);
    tree_commit(f);
    assert_true(sked_tree_digest(f->tree) == before);
}

static void columns_hold_as_a_whole(void **state)
{
    tree_fixture *f = *state;
    sked_tree *t = f->tree;
    sked_queue_id ids[] = {tree_add(f, f->root, "a"),
                           tree_add(f, f->root, "b")};
    const int64_t good[] = {4, 5}, bad[] = {4, -1};
    const int64_t rows[] = {1, 2, 3, 4}, bad_rows[] = {1, 2, 3, -4};
    int64_t column[3], amounts[2];
    sked_error err;
    size_t n;

    assert_refused(f, SKED_ERR_RANGE,
                   sked_tree_set_column(t, 1, ids, bad, 2, &err));
    assert_i64(err.row, 1);
    assert_true(err.queue == ids[1]);
    assert_refused(f, SKED_ERR_RANGE,
                   sked_tree_set_column_vec(t, 33, ids, bad_rows, 2, &err));
    assert_i64(err.row, 1);
    assert_int_equal(err.kind, 1);
    assert_refused(f, SKED_ERR_ARG,
                   sked_tree_set_column(t, 32, ids, good, 2, &err));
    assert_refused(f, SKED_ERR_ARG,
                   sked_tree_set_column(t, 1, ids, NULL, 2, &err));
    assert_refused(f, SKED_ERR_ARG,
                   sked_tree_set_column(t, 1, NULL, good, 2, &err));
    assert_refused(f, SKED_ERR_ARG,
                   sked_tree_set_column(NULL, 1, ids, good, 2, &err));
    assert_refused(f, SKED_ERR_ARG,
                   sked_tree_set_column_vec(t, 1, ids, rows, 2, &err));
    assert_ok(sked_tree_set_column(t, 1, NULL, NULL, 0, &err));
    assert_ok(sked_tree_set_column(t, 1, ids, good, 2, &err));
    assert_ok(sked_tree_set_column_vec(t, 33, ids, rows, 2, &err));
    tree_commit(f);

    assert_ok(sked_tree_column(t, SKED_QUEUE_WEIGHT, column, 3, &n));
    assert_true(column[1] == 4 && column[2] == 5);
    assert_ok(sked_tree_get_vec(t, ids[1], SKED_QUEUE_LIMIT, amounts));
    assert_true(amounts[0] == 3 && amounts[1] == 4);
}

static void labels_are_copied(void **state)
{
    tree_fixture *f = *state;
    sked_tree *t = f->tree;
    char label[] = "gpu nodes";
    sked_error err;

    assert_ok(sked_tree_set_text(t, f->root, SKED_QUEUE_LABEL, label, &err));
    label[0] = 'x';
    tree_commit(f);
    assert_string_equal(sked_tree_get_text(t, f->root, SKED_QUEUE_LABEL),
                        "gpu nodes");
    assert_ok(sked_tree_set_text(t, f->root, SKED_QUEUE_LABEL, NULL, &err));
    tree_commit(f);
    assert_string_equal(sked_tree_get_text(t, f->root, SKED_QUEUE_LABEL), "");
    assert_refused(f, SKED_ERR_ARG,
                   sked_tree_set_text(t, f->root, 1, "x", &err));
    assert_refused(f, SKED_ERR_ARG,
                   sked_tree_set_text(NULL, f->root, 48, "x", &err));
    assert_refused(f, SKED_ERR_STALE,
                   sked_tree_set_text(t, 0, SKED_QUEUE_LABEL, "x", &err));
}

/* [CAP-17] */
static void users_have_weights_in_a_leaf(void **state)
{
    tree_fixture *f = *state;
    sked_tree *t = f->tree;
    uint64_t before = sked_tree_digest(t);
    char name[16];
    int64_t weight;
    sked_error err;

    for (int i = 0; i < 50; i++) { /* in an order that is not theirs */
        snprintf(name, sizeof name, "u%02d", i * 17 % 50);
        assert_ok(sked_tree_set_user_weight(t, f->root, name, i, &err));
    }
    assert_ok(sked_tree_set_user_weight(t, f->root, "u17", 4294967295, &err));
    assert_ok(sked_tree_set_user_weight(t, f->root, "u34", SKED_UNSET, &err));
    tree_commit(f);
    assert_ok(sked_tree_user_weight(t, f->root, "u17", &weight));
    assert_i64(weight, 4294967295);
    assert_ok(sked_tree_user_weight(t, f->root, "u34", &weight));
    assert_i64(weight, 1);
    assert_ok(sked_tree_user_weight(t, f->root, "u00", &weight));
    assert_i64(weight, 0);

    assert_refused(f, SKED_ERR_RANGE,
                   sked_tree_set_user_weight(t, f->root, "u", -1, &err));
    assert_refused(f, SKED_ERR_RANGE,
                   sked_tree_set_user_weight(t, f->root, "u", 1LL << 32, &err));
    assert_refused(f, SKED_ERR_ARG,
                   sked_tree_set_user_weight(t, f->root, "", 1, &err));
    assert_refused(f, SKED_ERR_ARG,
                   sked_tree_set_user_weight(t, f->root, NULL, 1, &err));
    assert_refused(f, SKED_ERR_ARG,
                   sked_tree_set_user_weight(NULL, f->root, "u", 1, &err));
    assert_refused(f, SKED_ERR_STALE,
                   sked_tree_set_user_weight(t, 0, "u", 1, &err));
    for (int i = 0; i < 50; i++) {
        snprintf(name, sizeof name, "u%02d", i);
        assert_ok(
            sked_tree_set_user_weight(t, f->root, name, SKED_UNSET, &err));
    }
    tree_commit(f);
    assert_true(sked_tree_digest(t) == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_case(setting_refuses_what_cannot_be),
        tree_case(every_number_takes_its_ends_and_no_more),
        tree_case(parts_and_amounts_replace_each_other),
        tree_case(the_default_and_nothing_are_the_same),
        tree_case(columns_hold_as_a_whole),
        tree_case(labels_are_copied),
        tree_case(users_have_weights_in_a_leaf),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
