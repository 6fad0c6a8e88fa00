/* What is wrong with a draft: each rule with its numbers, and which of them a
 * strict commit refuses. [CAP-1] [PEL-8] */

#include "tree_fixture.h"
#include "tree/handle.h"
#include "tree_faults.h"

static void a_part_above_the_limits_part(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");

    tree_set(f, a, SKED_QUEUE_GUARANTEE_PPM, SKED_PPM);
    tree_set(f, a, SKED_QUEUE_LIMIT_PPM, SKED_PPM - 1);
    only_fault(f, SKED_SEVERITY_ERROR,
               (sked_fault){.code = SKED_FAULT_GUARANTEE_ABOVE_LIMIT,
                            .queue = a,
                            .attribute = SKED_QUEUE_GUARANTEE_PPM,
                            .kind = -1,
                            .got = SKED_PPM,
                            .limit = SKED_PPM - 1});
}

static void a_limit_above_an_ancestors_only_warns(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), x = tree_add(f, a, "x");

    tree_set_vec(f, f->root, SKED_QUEUE_LIMIT, 7, SKED_UNLIMITED);
    tree_set_vec(f, x, SKED_QUEUE_LIMIT, 8, 8);
    only_fault(f, SKED_SEVERITY_WARNING,
               (sked_fault){.code = SKED_FAULT_LIMIT_ABOVE_PARENT,
                            .queue = x,
                            .attribute = SKED_QUEUE_LIMIT,
                            .kind = 0,
                            .got = 8,
                            .limit = 7});
}

static void parts_add_to_a_whole_give_or_take_10_ppm(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), b = tree_add(f, f->root, "b");
    static const int64_t off[] = {-11, -10, 0, 10, 11};
    sked_fault list[MOST];

    tree_set(f, a, SKED_QUEUE_GUARANTEE_PPM, 400000);
    for (int i = 0; i < 5; i++) {
        int beyond = off[i] * off[i] > 100;
        tree_set(f, b, SKED_QUEUE_GUARANTEE_PPM, 600000 + off[i]);
        assert_int_equal(faults(f, list), beyond);
        sked_status want = beyond ? SKED_ERR_INVALID : SKED_OK;
        assert_status(want,
                      sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
        if (!beyond) continue;
        assert_int_equal(list[0].code, SKED_FAULT_PARTS_SUM);
        assert_true(list[0].queue == f->root);
        assert_i64(list[0].got, SKED_PPM + off[i]);
        assert_i64(list[0].limit, SKED_PPM);
    }
}

static void siblings_mix_parts_with_amounts(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), b = tree_add(f, f->root, "b");

    tree_set(f, a, SKED_QUEUE_GUARANTEE_PPM, 400000);
    tree_set_vec(f, b, SKED_QUEUE_GUARANTEE, 1, 0);
    only_fault(f, SKED_SEVERITY_ERROR,
               (sked_fault){.code = SKED_FAULT_PARTS_MIXED,
                            .queue = f->root,
                            .attribute = SKED_QUEUE_GUARANTEE_PPM,
                            .kind = -1,
                            .got = 1,
                            .limit = 2});
}

static void every_child_weighs_0(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");

    tree_set(f, a, SKED_QUEUE_WEIGHT, 0);
    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 0, 1);
    only_fault(f, SKED_SEVERITY_ERROR,
               (sked_fault){.code = SKED_FAULT_ALL_DEAD,
                            .queue = f->root,
                            .attribute = SKED_QUEUE_WEIGHT,
                            .kind = -1,
                            .got = 1,
                            .limit = 0});
}

static void borrowing_beyond_the_limit_only_warns(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");

    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 5, 5);
    tree_set_vec(f, a, SKED_QUEUE_LIMIT, 10, 10);
    tree_set_vec(f, a, SKED_QUEUE_BORROW, 5, 6);
    only_fault(f, SKED_SEVERITY_WARNING,
               (sked_fault){.code = SKED_FAULT_BORROW_BEYOND_LIMIT,
                            .queue = a,
                            .attribute = SKED_QUEUE_BORROW,
                            .kind = 1,
                            .got = 11,
                            .limit = 10});
}

static void more_running_than_an_ancestor_only_warns(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), x = tree_add(f, a, "x");

    tree_set(f, f->root, SKED_QUEUE_MAX_RUNNING, 5);
    tree_set(f, x, SKED_QUEUE_MAX_RUNNING, 6);
    only_fault(f, SKED_SEVERITY_WARNING,
               (sked_fault){.code = SKED_FAULT_RUNNING_ABOVE_PARENT,
                            .queue = x,
                            .attribute = SKED_QUEUE_MAX_RUNNING,
                            .kind = -1,
                            .got = 6,
                            .limit = 5});
}

static void an_order_of_applications_on_a_parent_only_warns(void **state)
{
    tree_fixture *f = *state;

    tree_add(f, f->root, "a");
    tree_set(f, f->root, SKED_QUEUE_APPS, SKED_APPS_SIZE);
    only_fault(f, SKED_SEVERITY_WARNING,
               (sked_fault){.code = SKED_FAULT_APPS_ON_PARENT,
                            .queue = f->root,
                            .attribute = SKED_QUEUE_APPS,
                            .kind = -1,
                            .got = SKED_APPS_SIZE,
                            .limit = SKED_APPS_FIFO});
}

static void an_order_of_children_on_a_leaf_only_warns(void **state)
{
    tree_fixture *f = *state;

    tree_set(f, f->root, SKED_QUEUE_ORDER, SKED_ORDER_POLICY_FAIR);
    only_fault(f, SKED_SEVERITY_WARNING,
               (sked_fault){.code = SKED_FAULT_ORDER_ON_LEAF,
                            .queue = f->root,
                            .attribute = SKED_QUEUE_ORDER,
                            .kind = -1,
                            .got = SKED_ORDER_POLICY_FAIR,
                            .limit = SKED_ORDER_POLICY_DRF});
}

/* [MON-11] */
static void preemption_allowed_below_a_no_only_warns(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), x = tree_add(f, a, "x");

    tree_set(f, f->root, SKED_QUEUE_PREEMPT_FROM, 0);
    tree_set(f, x, SKED_QUEUE_PREEMPT_FROM, 1);
    only_fault(f, SKED_SEVERITY_WARNING,
               (sked_fault){.code = SKED_FAULT_PREEMPT_REENABLED,
                            .queue = x,
                            .attribute = SKED_QUEUE_PREEMPT_FROM,
                            .kind = -1,
                            .got = 1,
                            .limit = 0});
}

static void all_faults_are_listed_in_order(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), x = tree_add(f, a, "x");
    sked_queue_id b = tree_add(f, f->root, "b");
    sked_fault list[MOST];
    size_t n;

    tree_set(f, x, SKED_QUEUE_WEIGHT, 0);
    tree_set(f, x, SKED_QUEUE_ORDER, SKED_ORDER_POLICY_FIFO);
    tree_set(f, b, SKED_QUEUE_WEIGHT, 0);
    f->host.trap = 1; /* and without memory */
    assert_int_equal(faults(f, list), 4);
    f->host.trap = 0;
    assert_true(list[0].queue == a && list[0].code == SKED_FAULT_ALL_DEAD);
    assert_true(list[1].queue == b && list[1].code == SKED_FAULT_DEAD_WEIGHT);
    assert_true(list[2].queue == x && list[2].code == SKED_FAULT_DEAD_WEIGHT);
    assert_true(list[3].queue == x && list[3].code == SKED_FAULT_ORDER_ON_LEAF);

    list[0].code = list[3].code = 0;
    assert_status(SKED_ERR_RANGE, sked_tree_faults(f->tree, list, 3, &n));
    assert_int_equal(n, 4);
    assert_int_equal(list[0].code, 0);
    assert_ok(sked_tree_faults(f->tree, list, 4, &n));
    assert_int_equal(list[3].code, SKED_FAULT_ORDER_ON_LEAF);
    assert_status(SKED_ERR_RANGE, sked_tree_faults(f->tree, NULL, 0, &n));
    assert_int_equal(n, 4);
    assert_status(SKED_ERR_ARG, sked_tree_faults(f->tree, NULL, 1, &n));
    assert_status(SKED_ERR_ARG, sked_tree_faults(f->tree, list, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_tree_faults(NULL, list, 1, &n));
}

/* After a commit without errors only what was touched is looked at. */
static void each_error_is_found_where_it_was_touched(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), b = tree_add(f, f->root, "b");
    sked_queue_id x = tree_add(f, a, "x");
    static const struct {
        int32_t attribute;
        int64_t value;
    } bad[] = {{SKED_QUEUE_WEIGHT, 0}, {SKED_QUEUE_GUARANTEE_PPM, 5}};

    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 10, 10);
    tree_set_vec(f, x, SKED_QUEUE_GUARANTEE, 10, 10);
    for (int i = 0; i < 2; i++) {
        assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
        tree_set(f, b, bad[i].attribute, bad[i].value);
        assert_status(SKED_ERR_INVALID,
                      sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
        tree_set(f, b, bad[i].attribute, SKED_UNSET);
    }
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
    tree_set_vec(f, a, SKED_QUEUE_GUARANTEE, 9, 10); /* its child has more */
    assert_status(SKED_ERR_INVALID,
                  sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_tree_discard(f->tree, NULL));
    tree_set_vec(f, x, SKED_QUEUE_LIMIT, 9, 10);
    assert_status(SKED_ERR_INVALID,
                  sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    tree_set(f, b, SKED_QUEUE_WEIGHT, 3); /* the error is elsewhere */
    assert_status(SKED_ERR_INVALID,
                  sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
}

static void a_commit_refuses_what_is_no_mode(void **state)
{
    tree_fixture *f = *state;

    assert_status(SKED_ERR_ARG, sked_tree_commit(f->tree, 2, NULL));
    assert_status(SKED_ERR_ARG, sked_tree_commit(NULL, 0, NULL));
}

static void a_fault_knows_its_line(void **state)
{
    tree_fixture *f = *state;
    sked_fault list[MOST];
    uint32_t line;

    skedi_tree_set_line(f->tree, 0, 12);
    assert_true(skedi_tree_set_file(f->tree, "queues.txt"));
    tree_set(f, f->root, SKED_QUEUE_ORDER, SKED_ORDER_POLICY_FAIR);
    assert_int_equal(faults(f, list), 1);
    assert_int_equal(list[0].line, 12);
    assert_ok(sked_tree_line(f->tree, f->root, &line));
    assert_int_equal(line, 0);
    tree_commit(f);
    assert_ok(sked_tree_line(f->tree, f->root, &line));
    assert_int_equal(line, 12);
    assert_string_equal(
        skedi_tree_text(f->tree, skedi_tree_image(f->tree)->file),
        "queues.txt");

    assert_true(skedi_tree_set_file(f->tree, "another.txt"));
    assert_ok(sked_tree_discard(f->tree, NULL));
    assert_string_equal(skedi_tree_text(f->tree, f->tree->draft.file),
                        "queues.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_case(a_part_above_the_limits_part),
        tree_case(a_limit_above_an_ancestors_only_warns),
        tree_case(parts_add_to_a_whole_give_or_take_10_ppm),
        tree_case(siblings_mix_parts_with_amounts),
        tree_case(every_child_weighs_0),
        tree_case(borrowing_beyond_the_limit_only_warns),
        tree_case(more_running_than_an_ancestor_only_warns),
        tree_case(an_order_of_applications_on_a_parent_only_warns),
        tree_case(an_order_of_children_on_a_leaf_only_warns),
        tree_case(preemption_allowed_below_a_no_only_warns),
        tree_case(all_faults_are_listed_in_order),
        tree_case(each_error_is_found_where_it_was_touched),
        tree_case(a_commit_refuses_what_is_no_mode),
        tree_case(a_fault_knows_its_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
