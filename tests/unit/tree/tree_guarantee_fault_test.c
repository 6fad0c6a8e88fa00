/* Faults of guarantees: sums, what those below lift, limits that cut. */
#include <stdio.h>

#include "tree_fixture.h"
#include "tree/handle.h"
#include "tree_faults.h"

static void guarantees_above_the_parents(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");
    sked_queue_id x = tree_add(f, a, "x"), y = tree_add(f, a, "y");

    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 10, 10);
    tree_set_vec(f, x, SKED_QUEUE_GUARANTEE, 5, 10);
    tree_set_vec(f, y, SKED_QUEUE_GUARANTEE, 6, 0);
    only_fault(f, SKED_SEVERITY_ERROR,
               (sked_fault){.code = SKED_FAULT_GUARANTEE_ABOVE_PARENT,
                            .queue = a,
                            .attribute = SKED_QUEUE_GUARANTEE,
                            .kind = 0,
                            .got = 11,
                            .limit = 10});
}

static sked_fault lifted(sked_queue_id queue, int32_t kind, int64_t got)
{
    return (sked_fault){.code = SKED_FAULT_GUARANTEE_LIFTED,
                        .queue = queue,
                        .attribute = SKED_QUEUE_GUARANTEE,
                        .kind = kind,
                        .got = got};
}

static void a_queue_that_states_none_is_lifted_by_those_below(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), b = tree_add(f, a, "b");
    sked_queue_id x = tree_add(f, b, "x"), y = tree_add(f, b, "y");
    sked_fault list[MOST];
    char text[200];
    size_t n;

    tree_set_vec(f, x, SKED_QUEUE_GUARANTEE, 5, 0);
    tree_set_vec(f, y, SKED_QUEUE_GUARANTEE, 6, 0);
    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 11, 0);
    only_fault(f, SKED_SEVERITY_NOTE, lifted(b, 0, 11));
    assert_int_equal(faults(f, list), 1);
    assert_ok(sked_fault_format(f->tree, list, text, sizeof text, &n));
    assert_string_equal(text,
                        "root.a.b: note: guarantees of cpu below add to 11, "
                        "which the queue, stating none, has");

    /* What is stated above holds for all of it. */
    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 10, 0);
    assert_int_equal(faults(f, list), 2);
    assert_int_equal(list[0].code, SKED_FAULT_GUARANTEE_ABOVE_PARENT);
    assert_true(list[0].queue == a);
    assert_i64(list[0].got, 11);
    assert_status(SKED_ERR_INVALID,
                  sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
    tree_set_vec(f, y, SKED_QUEUE_GUARANTEE, 5, 0);
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));

    /* Found again where only what lies far below was touched. */
    tree_set_vec(f, x, SKED_QUEUE_GUARANTEE, 6, 0);
    assert_status(SKED_ERR_INVALID,
                  sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
}

static void priorities_that_go_before_guarantees_are_noted(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), x = tree_add(f, a, "x");
    sked_queue_id y = tree_add(f, a, "y"), z = tree_add(f, a, "z");
    const sked_fault note = {.code = SKED_FAULT_PRIORITY_BEFORE_GUARANTEE,
                             .queue = a,
                             .attribute = SKED_QUEUE_ORDER,
                             .kind = -1,
                             .got = 7,
                             .limit = 2};
    sked_fault list[MOST];
    char text[200];

    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 9, 9);
    tree_set_vec(f, y, SKED_QUEUE_GUARANTEE, 5, 0);
    tree_set(f, x, SKED_QUEUE_PRIORITY, 7);
    tree_set(f, y, SKED_QUEUE_PRIORITY, 2);
    tree_set(f, z, SKED_QUEUE_PRIORITY, 1);
    assert_int_equal(faults(f, list), 0);
    tree_set(f, a, SKED_QUEUE_ORDER, SKED_ORDER_POLICY_PRIORITY);
    only_fault(f, SKED_SEVERITY_NOTE, note);
    assert_int_equal(faults(f, list), 1);
    assert_ok(sked_fault_format(f->tree, list, text, sizeof text, NULL));
    assert_string_equal(text,
                        "root.a: note: order=priority puts priority 7 before "
                        "guarantees of priority 2");
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
    tree_set(f, y, SKED_QUEUE_PRIORITY, 7);
    assert_int_equal(faults(f, list), 0);
    tree_set_vec(f, y, SKED_QUEUE_GUARANTEE, 0, 0);
    tree_set(f, y, SKED_QUEUE_PRIORITY, 2);
    assert_int_equal(faults(f, list), 0);
}

static void a_limit_cuts_what_is_lifted(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), x = tree_add(f, a, "x");

    tree_set_vec(f, x, SKED_QUEUE_GUARANTEE, 5, 0);
    tree_set_vec(f, a, SKED_QUEUE_LIMIT, 5, 9);
    only_fault(f, SKED_SEVERITY_NOTE, lifted(a, 0, 5));
    tree_set_vec(f, a, SKED_QUEUE_LIMIT, 4, 9);
    only_fault(f, SKED_SEVERITY_ERROR,
               (sked_fault){.code = SKED_FAULT_GUARANTEE_ABOVE_LIMIT,
                            .queue = a,
                            .attribute = SKED_QUEUE_GUARANTEE,
                            .kind = 0,
                            .got = 5,
                            .limit = 4});
}

/* Lifted, a queue of weight 0 is not dead, may lend, and may wait. */
static void a_lifted_guarantee_counts_as_one(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), x = tree_add(f, a, "x");

    (void)tree_add(f, f->root, "b");
    tree_set_vec(f, x, SKED_QUEUE_GUARANTEE, 5, 0);
    tree_set(f, a, SKED_QUEUE_WEIGHT, 0);
    tree_set_vec(f, a, SKED_QUEUE_LEND, 5, 0);
    tree_set(f, a, SKED_QUEUE_PREEMPT_MIN_TIMEOUT, 1);
    only_fault(f, SKED_SEVERITY_NOTE, lifted(a, 0, 5));
}

/* The sum of all there may be passes 64 bits and is still above. */
static void guarantees_are_added_without_wrapping(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");
    char name[16];

    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 1, 0);
    for (int i = 0; i < 4; i++) { /* 2^64 in all: nothing, in 64 bits */
        snprintf(name, sizeof name, "q%d", i);
        tree_set_vec(f, tree_add(f, a, name), SKED_QUEUE_GUARANTEE,
                     SKED_AMOUNT_MAX, 0);
    }
    only_fault(f, SKED_SEVERITY_ERROR,
               (sked_fault){.code = SKED_FAULT_GUARANTEE_ABOVE_PARENT,
                            .queue = a,
                            .attribute = SKED_QUEUE_GUARANTEE,
                            .kind = 0,
                            .got = INT64_MAX,
                            .limit = 1});
}

static void a_root_that_says_nothing_guarantees_anything(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");
    sked_fault list[MOST];

    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 10, 10);
    assert_int_equal(faults(f, list), 0);
    tree_set_vec(f, f->root, SKED_QUEUE_GUARANTEE, 20, 9);
    assert_int_equal(faults(f, list), 1);
    assert_int_equal(list[0].kind, 1);
    tree_set(f, f->root, SKED_QUEUE_GUARANTEE_PPM, SKED_PPM);
    assert_int_equal(faults(f, list), 0); /* a part is no amount yet */
}

static void a_guarantee_above_the_limit(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");

    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 10, 10);
    tree_set_vec(f, a, SKED_QUEUE_LIMIT, 10, 9);
    only_fault(f, SKED_SEVERITY_ERROR,
               (sked_fault){.code = SKED_FAULT_GUARANTEE_ABOVE_LIMIT,
                            .queue = a,
                            .attribute = SKED_QUEUE_GUARANTEE,
                            .kind = 1,
                            .got = 10,
                            .limit = 9});
}

static void weight_0_without_a_guarantee(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");

    tree_add(f, f->root, "b");
    tree_set(f, f->root, SKED_QUEUE_WEIGHT, 0); /* of no meaning */
    tree_set(f, a, SKED_QUEUE_WEIGHT, 0);
    only_fault(f, SKED_SEVERITY_ERROR,
               (sked_fault){.code = SKED_FAULT_DEAD_WEIGHT,
                            .queue = a,
                            .attribute = SKED_QUEUE_WEIGHT,
                            .kind = -1,
                            .got = 0,
                            .limit = 1});
}

static void lending_more_than_the_guarantee_only_warns(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");

    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 5, 5);
    tree_set_vec(f, a, SKED_QUEUE_LEND, 6, SKED_UNLIMITED);
    only_fault(f, SKED_SEVERITY_WARNING,
               (sked_fault){.code = SKED_FAULT_LEND_ABOVE_GUARANTEE,
                            .queue = a,
                            .attribute = SKED_QUEUE_LEND,
                            .kind = 0,
                            .got = 6,
                            .limit = 5});
}

static void a_time_out_for_no_guarantee_only_warns(void **state)
{
    tree_fixture *f = *state;

    tree_set(f, f->root, SKED_QUEUE_PREEMPT_MIN_TIMEOUT, 15);
    only_fault(f, SKED_SEVERITY_WARNING,
               (sked_fault){.code = SKED_FAULT_TIMEOUT_IDLE,
                            .queue = f->root,
                            .attribute = SKED_QUEUE_PREEMPT_MIN_TIMEOUT,
                            .kind = -1,
                            .got = 15,
                            .limit = SKED_UNLIMITED});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_case(guarantees_above_the_parents),
        tree_case(a_queue_that_states_none_is_lifted_by_those_below),
        tree_case(a_limit_cuts_what_is_lifted),
        tree_case(priorities_that_go_before_guarantees_are_noted),
        tree_case(a_lifted_guarantee_counts_as_one),
        tree_case(guarantees_are_added_without_wrapping),
        tree_case(a_root_that_says_nothing_guarantees_anything),
        tree_case(a_guarantee_above_the_limit),
        tree_case(weight_0_without_a_guarantee),
        tree_case(lending_more_than_the_guarantee_only_warns),
        tree_case(a_time_out_for_no_guarantee_only_warns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
