/* Removing queues that a ledger shows to be busy. */
#include "tree_fixture.h"

#include <sched/ledger.h>

typedef struct busy_tree {
    sked_queue_id a, x, y, b;
    sked_ledger *ledger;
} busy_tree;

/* root.a.x, root.a.y, root.b; y has something in one column. */
static busy_tree make_busy(tree_fixture *f, int32_t column)
{
    const int64_t one[] = {0, 1}, running = 1;
    busy_tree t = {.a = tree_add(f, f->root, "a")};

    t.x = tree_add(f, t.a, "x");
    t.y = tree_add(f, t.a, "y");
    t.b = tree_add(f, f->root, "b");
    tree_commit(f);
    assert_ok(sked_ledger_new(f->tree, NULL, NULL, &t.ledger, NULL));
    const int64_t *amounts = column == SKED_LEDGER_RUNNING ? &running : one;
    assert_ok(sked_ledger_set(t.ledger, column, &t.y, amounts, 1, NULL));
    return t;
}

static void a_busy_queue_below_is_a_reason_to_refuse(void **state)
{
    tree_fixture *f = *state;
    busy_tree t = make_busy(f, SKED_LEDGER_DEMAND);
    uint64_t before = sked_tree_digest(f->tree);
    sked_error err;

    assert_status(SKED_ERR_STATE,
                  sked_tree_remove(f->tree, t.a, t.ledger,
                                   SKED_TREE_REMOVE_REFUSE, &err));
    assert_true(err.queue == t.y);
    assert_true(sked_tree_digest(f->tree) == before);
    assert_ok(sked_tree_remove(f->tree, t.x, t.ledger, SKED_TREE_REMOVE_REFUSE,
                               &err));
    assert_ok(
        sked_tree_remove(f->tree, t.a, NULL, SKED_TREE_REMOVE_REFUSE, &err));
    sked_ledger_free(t.ledger);
}

static void whatever_a_queue_has_makes_it_busy(void **state)
{
    tree_fixture *f = *state;

    for (int32_t column = SKED_LEDGER_USAGE; column <= SKED_LEDGER_RUNNING;
         column++) {
        busy_tree t = make_busy(f, column);
        sked_status want = column == SKED_LEDGER_HISTORY ? SKED_OK
                                                         : SKED_ERR_STATE;
        assert_status(want, sked_tree_remove(f->tree, t.y, t.ledger,
                                             SKED_TREE_REMOVE_REFUSE, NULL));
        sked_ledger_free(t.ledger);
        assert_ok(sked_tree_remove(f->tree, t.a, NULL, 0, NULL));
        assert_ok(sked_tree_remove(f->tree, t.b, NULL, 0, NULL));
    }
}

static void draining_keeps_the_busy_and_what_they_hang_on(void **state)
{
    tree_fixture *f = *state;
    busy_tree t = make_busy(f, SKED_LEDGER_USAGE);
    int64_t value;

    assert_status(SKED_STOPPED, sked_tree_remove(f->tree, t.a, t.ledger,
                                                 SKED_TREE_REMOVE_DRAIN, NULL));
    tree_commit(f);
    assert_null(sked_tree_name(f->tree, t.x));
    assert_ok(sked_tree_get(f->tree, t.y, SKED_QUEUE_STATE, &value));
    assert_i64(value, SKED_STATE_DRAINING);
    assert_ok(sked_tree_get(f->tree, t.a, SKED_QUEUE_STATE, &value));
    assert_i64(value, SKED_STATE_DRAINING);
    assert_ok(sked_tree_get(f->tree, t.b, SKED_QUEUE_STATE, &value));
    assert_i64(value, SKED_UNSET);

    const int64_t nothing[] = {0, 0};
    assert_ok(sked_ledger_follow(t.ledger, f->tree, NULL));
    assert_ok(
        sked_ledger_set(t.ledger, SKED_LEDGER_USAGE, &t.y, nothing, 1, NULL));
    assert_ok(
        sked_tree_remove(f->tree, t.a, t.ledger, SKED_TREE_REMOVE_DRAIN, NULL));
    tree_commit(f);
    assert_int_equal(sked_tree_count(f->tree), 2);
    sked_ledger_free(t.ledger);
}

/* What a parent has is its children's: one that lost them is idle. */
static void a_parent_whose_busy_child_left_is_idle(void **state)
{
    tree_fixture *f = *state;
    busy_tree t = make_busy(f, SKED_LEDGER_USAGE);

    assert_ok(sked_tree_move(f->tree, t.y, t.b, NULL));
    assert_ok(sked_tree_remove(f->tree, t.a, t.ledger, SKED_TREE_REMOVE_REFUSE,
                               NULL));
    assert_status(SKED_ERR_STATE,
                  sked_tree_remove(f->tree, t.b, t.ledger,
                                   SKED_TREE_REMOVE_REFUSE, NULL));
    sked_ledger_free(t.ledger);
}

static void a_queue_that_the_ledger_does_not_know_is_idle(void **state)
{
    tree_fixture *f = *state;
    busy_tree t = make_busy(f, SKED_LEDGER_USAGE);
    sked_queue_id z = tree_add(f, t.b, "z");

    assert_ok(
        sked_tree_remove(f->tree, t.b, t.ledger, SKED_TREE_REMOVE_DRAIN, NULL));
    assert_status(SKED_ERR_STALE,
                  sked_tree_remove(f->tree, z, t.ledger, 0, NULL));
    sked_ledger_free(t.ledger);
}

/* A ledger of another tree, under whose numbers other queues are busy. */
static void the_ledger_of_another_tree_is_refused(void **state)
{
    tree_fixture *f = *state;
    busy_tree t = make_busy(f, SKED_LEDGER_USAGE);
    sked_tree *other = NULL;
    sked_queue_id a, x;
    sked_error err;

    assert_ok(sked_tree_new(f->schema, NULL, NULL, &other, NULL));
    assert_ok(sked_tree_add(other, sked_tree_root(other), "z", &a, NULL));
    assert_ok(sked_tree_add(other, a, "y", &x, NULL));
    assert_true(a == t.a && x == t.x);
    for (int32_t mode = 0; mode < 2; mode++) {
        assert_status(SKED_ERR_STATE,
                      sked_tree_remove(other, a, t.ledger, mode, &err));
        assert_true(err.queue == a);
        assert_string_equal(err.message, "the ledger is of another tree");
    }
    assert_ok(sked_tree_remove(other, a, NULL, SKED_TREE_REMOVE_DRAIN, NULL));
    sked_tree_free(other);
    sked_ledger_free(t.ledger);
}

static void removing_refuses_what_cannot_be(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");

    assert_status(SKED_ERR_ARG, sked_tree_remove(NULL, a, NULL, 0, NULL));
    assert_status(SKED_ERR_ARG, sked_tree_remove(f->tree, a, NULL, 2, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_tree_remove(f->tree, f->root, NULL, 0, NULL));
    assert_status(SKED_ERR_STALE, sked_tree_remove(f->tree, 0, NULL, 0, NULL));
}

typedef struct drain_case {
    const sked_tree *tree;
    busy_tree busy;
} drain_case;

static sked_status drains(test_host *h, void *arg)
{
    sked_host host = test_host_hooks(h);
    const drain_case *c = arg;
    sked_tree *copy;

    sked_status rc = sked_tree_copy(c->tree, &host, &copy, NULL);
    if (rc != SKED_OK) return rc;
    uint64_t before = sked_tree_digest(copy);
    rc = sked_tree_remove(copy, c->busy.a, c->busy.ledger,
                          SKED_TREE_REMOVE_DRAIN, NULL);
    if (rc < 0) assert_true(sked_tree_digest(copy) == before);
    sked_tree_free(copy);
    return rc == SKED_STOPPED ? SKED_OK : rc;
}

static void a_drain_that_fails_changes_nothing(void **state)
{
    tree_fixture *f = *state;
    drain_case c = {.tree = f->tree, .busy = make_busy(f, SKED_LEDGER_USAGE)};

    test_sweep(drains, &c, 0);
    sked_ledger_free(c.busy.ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_case(a_busy_queue_below_is_a_reason_to_refuse),
        tree_case(whatever_a_queue_has_makes_it_busy),
        tree_case(draining_keeps_the_busy_and_what_they_hang_on),
        tree_case(a_parent_whose_busy_child_left_is_idle),
        tree_case(a_queue_that_the_ledger_does_not_know_is_idle),
        tree_case(the_ledger_of_another_tree_is_refused),
        tree_case(removing_refuses_what_cannot_be),
        tree_case(a_drain_that_fails_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
