/* What changes between two trees, and applying it. */
#include "test.h"

#include <sched/diff.h>
#include <sched/ledger.h>

#include "forest.h"
#include "host.h"
#include "diff_world.h"

static void each_kind_of_change_is_told(void **state)
{
    world *w = *state;
    const int64_t vec[] = {2500, 0, 1};

    take(w->a, "root\nroot.ads weight=2 guarantee=40%\nroot.ads.x\nroot.old\n"
               "root.old.y\nroot.ml label=default user_weight.al=2\n");
    copy_a(w);
    sked_queue_id ads = in_b(w, "root.ads"), ml = in_b(w, "root.ml"), id;
    assert_ok(sked_tree_set(w->b, ads, SKED_QUEUE_WEIGHT, SKED_UNSET, NULL));
    assert_ok(sked_tree_set_vec(w->b, ads, SKED_QUEUE_GUARANTEE, vec, NULL));
    assert_ok(sked_tree_set(w->b, ads, SKED_QUEUE_PREEMPT_FROM, 0, NULL));
    assert_ok(sked_tree_move(w->b, in_b(w, "root.ads.x"), ml, NULL));
    assert_ok(sked_tree_remove(w->b, in_b(w, "root.old"), NULL,
                               SKED_TREE_REMOVE_REFUSE, NULL));
    assert_ok(sked_tree_rename(w->b, ml, "m l", NULL));
    assert_ok(sked_tree_set_text(w->b, ml, SKED_QUEUE_LABEL, "big data", NULL));
    assert_ok(sked_tree_set_user_weight(w->b, ml, "al", 3, NULL));
    assert_ok(sked_tree_set_user_weight(w->b, ml, "a b", 0, NULL));
    assert_ok(sked_tree_add(w->b, ads, "new", &id, NULL));
    assert_ok(sked_tree_set(w->b, id, SKED_QUEUE_TIER, 1, NULL));

    assert_diff(w, "> root.ads.x root.ml.x\n"
                   "> root.ml root.m\\ l\n"
                   "+ root.ads.new\n"
                   "~ root.ads weight: 2 -> default\n"
                   "~ root.ads preempt_from: default -> no\n"
                   "~ root.ads guarantee: 40% -> \"cpu=2.5,gpu=1\"\n"
                   "~ root.m\\ l label: \"default\" -> \"big data\"\n"
                   "~ root.m\\ l user_weight.a\\ b: default -> 0\n"
                   "~ root.m\\ l user_weight.al: 2 -> 3\n"
                   "~ root.ads.new tier: default -> 1\n"
                   "- root.old\n");
    assert_leads_to_b(w);
}

static void changes_are_data(void **state)
{
    world *w = *state;
    sked_diff_change change = {.struct_size = sizeof change};

    take(w->a, "root.a weight=2\n");
    copy_a(w);
    assert_ok(
        sked_tree_set(w->b, in_b(w, "root.a"), SKED_QUEUE_WEIGHT, 3, NULL));
    assert_diff(w, "~ root.a weight: 2 -> 3\n");

    assert_int_equal(sked_diff_count(w->diff), 1);
    assert_ok(sked_diff_get(w->diff, 0, &change));
    assert_int_equal(change.op, SKED_DIFF_SET);
    assert_string_equal(change.path, "root.a");
    assert_string_equal(change.key, "weight");
    assert_string_equal(change.before, "2");
    assert_string_equal(change.after, "3");
    assert_status(SKED_ERR_RANGE, sked_diff_get(w->diff, 1, &change));
    change.struct_size = 4;
    assert_status(SKED_ERR_VERSION, sked_diff_get(w->diff, 0, &change));
    assert_status(SKED_ERR_ARG, sked_diff_get(w->diff, 0, NULL));
    assert_status(SKED_ERR_ARG, sked_diff_get(NULL, 0, &change));
    assert_int_equal(sked_diff_count(NULL), 0);
}

static void names_may_be_swapped_or_go_round(void **state)
{
    world *w = *state;

    take(w->a, "root.a\nroot.b\nroot.c\nroot.d\nroot.b~1\n");
    copy_a(w);
    sked_queue_id a = in_b(w, "root.a"), b = in_b(w, "root.b");
    sked_queue_id c = in_b(w, "root.c"), d = in_b(w, "root.d");
    assert_ok(sked_tree_rename(w->b, a, "t", NULL));
    assert_ok(sked_tree_rename(w->b, b, "a", NULL));
    assert_ok(sked_tree_rename(w->b, a, "b", NULL));
    assert_ok(sked_tree_rename(w->b, d, "e", NULL));
    assert_ok(sked_tree_rename(w->b, c, "d", NULL));

    assert_diff(w, "> root.a root.a~1\n"
                   "> root.b root.a\n"
                   "> root.a~1 root.b\n"
                   "> root.d root.e\n"
                   "> root.c root.d\n");
    assert_leads_to_b(w);
}

static void a_name_in_the_way_steps_aside(void **state)
{
    world *w = *state;

    take(w->a, "root.a\nroot.a~1\nroot.a.k\nroot.z\nroot.b\n");
    copy_a(w);
    /* b becomes a; a goes, but a.k stays, and waits for an addition. */
    sked_queue_id id, z = in_b(w, "root.z"), b = in_b(w, "root.b");
    assert_ok(sked_tree_add(w->b, z, "n", &id, NULL));
    assert_ok(sked_tree_move(w->b, in_b(w, "root.a.k"), id, NULL));
    assert_ok(sked_tree_remove(w->b, in_b(w, "root.a"), NULL, 0, NULL));
    assert_ok(sked_tree_rename(w->b, b, "a", NULL));

    assert_diff(w, "> root.a root.a~2\n"
                   "> root.b root.a\n"
                   "+ root.z.n\n"
                   "> root.a~2.k root.z.n.k\n"
                   "- root.a~2\n");
    assert_leads_to_b(w);
}

static void a_name_that_is_gone_goes_first(void **state)
{
    world *w = *state;

    take(w->a, "root.a\nroot.a.x\nroot.b\n");
    copy_a(w);
    assert_ok(sked_tree_remove(w->b, in_b(w, "root.a"), NULL, 0, NULL));
    assert_ok(sked_tree_rename(w->b, in_b(w, "root.b"), "a", NULL));
    assert_diff(w, "- root.a\n> root.b root.a\n");
    assert_leads_to_b(w);
}

static void a_move_can_rename_on_the_way(void **state)
{
    world *w = *state;

    take(w->a, "root.a\nroot.a.x\nroot.b\nroot.b.y\nroot.b.x\n");
    copy_a(w);
    /* a.x becomes b.y, which moves up: neither name is free meanwhile. */
    sked_queue_id x = in_b(w, "root.a.x"), y = in_b(w, "root.b.y");
    assert_ok(sked_tree_move(w->b, y, sked_tree_root(w->b), NULL));
    assert_ok(sked_tree_rename(w->b, x, "y", NULL));
    assert_ok(sked_tree_move(w->b, x, in_b(w, "root.b"), NULL));
    assert_diff(w, "> root.b.y root.y\n> root.a.x root.b.y\n");
    assert_leads_to_b(w);
}

static void order_among_siblings_is_kept(void **state)
{
    world *w = *state;

    take(w->a, "root.a\nroot.b\nroot.c\n");
    copy_a(w);
    assert_ok(
        sked_tree_move(w->b, in_b(w, "root.a"), sked_tree_root(w->b), NULL));
    assert_ok(sked_tree_rename(w->b, in_b(w, "root.a"), "z", NULL));
    assert_diff(w, "> root.a root.z\n> root.z root.z\n");
    assert_leads_to_b(w);
}

static void the_root_can_be_renamed(void **state)
{
    world *w = *state;

    take(w->a, "root.a\n");
    copy_a(w);
    assert_ok(sked_tree_rename(w->b, sked_tree_root(w->b), "prod.x", NULL));
    assert_ok(
        sked_tree_set(w->b, in_b(w, "prod\\.x.a"), SKED_QUEUE_TIER, 1, NULL));
    assert_diff(w, "> root prod\\.x\n~ prod\\.x.a tier: default -> 1\n");
    assert_leads_to_b(w);
}

/* Trees that were made apart are compared by path. */
static void without_a_common_past_paths_decide(void **state)
{
    world *w = *state;
    sked_host hooks = test_host_hooks(&w->host);

    w->b = forest_tree(&hooks, NULL);
    take(w->a, "root.a weight=2\nroot.b\n");
    take(w->b, "root.c\nroot.a weight=3\n");
    assert_diff(w, "+ root.c\n> root.a root.a\n"
                   "~ root.a weight: 2 -> 3\n- root.b\n");
    assert_leads_to_b(w);
}

/* Both trees, the diff and its application, under every failure. */
static sked_status sweep_scenario(test_host *h, void *arg)
{
    static const char before[] = "root.a weight=2\nroot.b\nroot.a.c\nroot.d\n";
    static const char after[] =
        "root.b label=\"a rather long label, to need room\"\nroot.a limit=50%\n"
        "root.a.d user_weight.x=2\nroot.e\nroot.e.f guarantee=\"cpu=2\"\n";
    sked_host hooks = test_host_hooks(h);
    sked_tree *a = forest_tree(&hooks, NULL), *b = NULL;
    sked_diff *diff = NULL;
    sked_status rc = a ? SKED_OK : SKED_ERR_NOMEM;
    (void)arg;

    if (rc == SKED_OK) {
        rc = sked_tree_parse(a, before, sizeof before - 1, "x", NULL, 0, NULL,
                             NULL);
    }
    if (rc == SKED_OK) rc = sked_tree_commit(a, 0, NULL);
    if (rc == SKED_OK) rc = sked_tree_copy(a, &hooks, &b, NULL);
    if (rc == SKED_OK) {
        rc = sked_tree_parse(b, after, sizeof after - 1, "x", NULL, 0, NULL,
                             NULL);
    }
    if (rc == SKED_OK) {
        sked_queue_id q = in_tree(b, "root.b"), p = in_tree(b, "root.a");
        rc = sked_tree_rename(b, q, "t", NULL);
        if (rc == SKED_OK) rc = sked_tree_rename(b, p, "b", NULL);
        if (rc == SKED_OK) rc = sked_tree_rename(b, q, "a", NULL);
    }
    if (rc == SKED_OK) rc = sked_tree_commit(b, 0, NULL);
    if (rc == SKED_OK) rc = sked_diff_new(a, b, &hooks, &diff, NULL);
    if (rc == SKED_OK) {
        uint64_t digest = sked_tree_digest(a);
        rc = sked_diff_apply(diff, a, NULL, NULL);
        if (rc != SKED_OK) assert_true(sked_tree_digest(a) == digest);
        assert_ok(sked_tree_check(a, NULL));
    }
    sked_diff_free(diff);
    sked_tree_free(a);
    sked_tree_free(b);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_sweep(sweep_scenario, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        diff_case(each_kind_of_change_is_told),
        diff_case(changes_are_data),
        diff_case(names_may_be_swapped_or_go_round),
        diff_case(a_name_in_the_way_steps_aside),
        diff_case(a_name_that_is_gone_goes_first),
        diff_case(a_move_can_rename_on_the_way),
        diff_case(order_among_siblings_is_kept),
        diff_case(the_root_can_be_renamed),
        diff_case(without_a_common_past_paths_decide),
        diff_case(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
