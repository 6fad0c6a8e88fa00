/* Changes that cannot be applied, or only in part of a tree. */
#include "test.h"

#include <sched/diff.h>
#include <sched/ledger.h>

#include <stdio.h>
#include <stdlib.h>

#include "forest.h"
#include "host.h"
#include "diff_world.h"

static void a_change_must_find_what_it_changes(void **state)
{
    world *w = *state;
    static const struct {
        const char *text;
        sked_status want;
        int64_t row;
    } other[] = {
        {"root.a weight=5\nroot.g\nroot.m\nroot.n\n", SKED_ERR_STATE, 2},
        {"root.a weight=2 user_weight.u=7\nroot.g\nroot.m\nroot.n",
         SKED_ERR_STATE, 3},
        {"root.b\nroot.g\nroot.m\nroot.n", SKED_ERR_NOT_FOUND, 2},
        {"root.a weight=2\nroot.m\nroot.n", SKED_ERR_NOT_FOUND, 4},
        {"root.a weight=2\nroot.g\nroot.m", SKED_ERR_NOT_FOUND, 0},
        {"root.a weight=2\nroot.g\nroot.n", SKED_ERR_NOT_FOUND, 0},
        {"root.a weight=2\nroot.g\nroot.m\nroot.n\nroot.m.n", SKED_ERR_EXISTS,
         0},
        {"root.a weight=2\nroot.g\nroot.m\nroot.n\nroot.new", SKED_ERR_EXISTS,
         1},
    };
    sked_error err;

    take(w->a, "root.a weight=2\nroot.g\nroot.m\nroot.n\n");
    copy_a(w);
    assert_ok(
        sked_tree_set(w->b, in_b(w, "root.a"), SKED_QUEUE_WEIGHT, 3, NULL));
    assert_ok(sked_tree_set_user_weight(w->b, in_b(w, "root.a"), "u", 1, NULL));
    assert_ok(sked_tree_move(w->b, in_b(w, "root.n"), in_b(w, "root.m"), NULL));
    assert_ok(sked_tree_add(w->b, sked_tree_root(w->b), "new", NULL, NULL));
    assert_ok(sked_tree_remove(w->b, in_b(w, "root.g"), NULL, 0, NULL));
    assert_diff(w, "> root.n root.m.n\n"
                   "+ root.new\n"
                   "~ root.a weight: 2 -> 3\n"
                   "~ root.a user_weight.u: default -> 1\n"
                   "- root.g\n");
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        take(w->a, other[i].text);
        uint64_t before = sked_tree_digest(w->a);
        assert_status(other[i].want,
                      sked_diff_apply(w->diff, w->a, NULL, &err));
        assert_i64(err.row, other[i].row);
        assert_true(sked_tree_digest(w->a) == before);
        assert_ok(sked_tree_check(w->a, NULL));
    }
}

static void an_added_queue_needs_its_parent(void **state)
{
    world *w = *state;
    sked_error err;

    take(w->a, "root.a\n");
    copy_a(w);
    assert_ok(sked_tree_add(w->b, in_b(w, "root.a"), "x", NULL, NULL));
    assert_diff(w, "+ root.a.x\n");
    take(w->a, "");
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_diff_apply(w->diff, w->a, NULL, &err));
}

static void a_busy_queue_is_not_removed(void **state)
{
    world *w = *state;
    sked_ledger *ledger = NULL;
    const int64_t one = 1;
    sked_queue_id g;
    sked_error err;

    take(w->a, "root.g\nroot.h\n");
    copy_a(w);
    assert_ok(sked_tree_remove(w->b, in_b(w, "root.g"), NULL, 0, NULL));
    assert_diff(w, "- root.g\n");
    assert_ok(sked_tree_find(w->a, "root.g", &g, NULL));
    assert_ok(sked_ledger_new(w->a, NULL, NULL, &ledger, NULL));
    assert_ok(sked_ledger_set(ledger, SKED_LEDGER_RUNNING, &g, &one, 1, NULL));

    uint64_t before = sked_tree_digest(w->a);
    assert_status(SKED_ERR_STATE, sked_diff_apply(w->diff, w->a, ledger, &err));
    assert_i64(err.row, 0);
    assert_true(sked_tree_digest(w->a) == before);
    sked_ledger_free(ledger);
}

static void limits_hold_for_the_outcome(void **state)
{
    world *w = *state;
    sked_tree_options opts = {
        .struct_size = sizeof opts, .max_depth = 2, .max_queues = 3};
    sked_tree *small = forest_tree(NULL, &opts);
    sked_error err;

    copy_a(w);
    take(w->b, "root.a\nroot.a.b\n");
    assert_diff(w, "+ root.a\n+ root.a.b\n");
    assert_status(SKED_ERR_RANGE, sked_diff_apply(w->diff, small, NULL, &err));
    assert_i64(err.got, 3);
    take(w->b, "root.a\nroot.b\nroot.c\n");
    assert_diff(w, "+ root.a\n+ root.b\n+ root.c\n");
    assert_status(SKED_ERR_RANGE, sked_diff_apply(w->diff, small, NULL, &err));
    assert_i64(err.got, 4);
    assert_int_equal(sked_tree_count(small), 1);
    sked_tree_free(small);
}

static void arguments_are_checked(void **state)
{
    world *w = *state;
    const char *const kinds[] = {"cpu"};
    sked_host bad = {.struct_size = 1};
    sked_schema *schema = NULL;
    sked_tree *other = NULL;
    char text[8];
    size_t n;

    copy_a(w);
    assert_diff(w, "");
    assert_ok(sked_diff_apply(w->diff, w->a, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_diff_apply(NULL, w->a, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_diff_apply(w->diff, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_diff_format(NULL, text, 8, &n));
    assert_status(SKED_ERR_ARG, sked_diff_format(w->diff, NULL, 8, &n));
    assert_ok(sked_diff_format(w->diff, text, 1, NULL));
    sked_diff_free(w->diff);
    w->diff = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_diff_new(NULL, w->b, NULL, &w->diff, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_diff_new(w->a, NULL, NULL, &w->diff, NULL));
    assert_status(SKED_ERR_ARG, sked_diff_new(w->a, w->b, NULL, NULL, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_diff_new(w->a, w->b, &bad, &w->diff, NULL));

    assert_ok(sked_schema_new(kinds, NULL, 1, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &other, NULL));
    assert_status(SKED_ERR_SCHEMA,
                  sked_diff_new(w->a, other, NULL, &w->diff, NULL));
    take(w->b, "root.q");
    assert_diff(w, "+ root.q\n");
    assert_status(SKED_ERR_SCHEMA, sked_diff_apply(w->diff, other, NULL, NULL));
    sked_tree_free(other);
    sked_schema_free(schema);
    sked_diff_free(NULL);
}

static void a_confined_tree_takes_changes_of_its_part(void **state)
{
    world *w = *state;
    sked_queue_id a;

    take(w->a, "root.a\nroot.a.x\nroot.b\n");
    copy_a(w);
    take(w->b, "root.a\nroot.a.x weight=2\nroot.b\n");
    assert_diff(w, "~ root.a.x weight: default -> 2\n");
    assert_ok(sked_tree_find(w->a, "root.b", &a, NULL));
    assert_ok(sked_tree_confine(w->a, a, NULL));
    assert_status(SKED_ERR_STATE, sked_diff_apply(w->diff, w->a, NULL, NULL));
    assert_ok(sked_tree_find(w->a, "root.a", &a, NULL));
    assert_ok(sked_tree_confine(w->a, a, NULL));
    assert_leads_to_b(w);
}

/* So many changes that the host is asked on the way. */
static sked_status long_scenario(test_host *h, void *arg)
{
    sked_host hooks = test_host_hooks(h);
    sked_tree *a = forest_tree(&hooks, NULL), *b = arg;
    sked_diff *diff = NULL;

    if (!a) return SKED_ERR_NOMEM;
    uint64_t digest = sked_tree_digest(a);
    sked_status rc = sked_diff_new(a, b, &hooks, &diff, NULL);
    if (rc == SKED_OK) rc = sked_diff_apply(diff, a, NULL, NULL);
    if (rc != SKED_OK) assert_true(sked_tree_digest(a) == digest);
    sked_diff_free(diff);
    sked_tree_free(a);
    return rc;
}

static void comparing_and_applying_can_be_cancelled(void **state)
{
    enum { QUEUES = 5000 };
    world *w = *state;
    char *text = malloc(24 * QUEUES);
    size_t n = 0;

    for (int i = 0; i < QUEUES; i++) {
        n += (size_t)sprintf(text + n, "root.q%d tier=1\n", i);
    }
    copy_a(w);
    take(w->b, text);
    free(text);
    test_sweep(long_scenario, w->b, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        diff_case(a_change_must_find_what_it_changes),
        diff_case(an_added_queue_needs_its_parent),
        diff_case(a_busy_queue_is_not_removed),
        diff_case(limits_hold_for_the_outcome),
        diff_case(arguments_are_checked),
        diff_case(a_confined_tree_takes_changes_of_its_part),
        diff_case(comparing_and_applying_can_be_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
