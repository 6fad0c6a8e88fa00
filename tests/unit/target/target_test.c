/* Targets over a tree: clocks, copies, partitions, what is refused. */
#include "target_cases.h"

/* ---- Over a tree ---- */

static sked_target *starving(void)
{
    sked_target_options options = {.struct_size = sizeof options,
                                   .mode = SKED_TARGET_MODE_STARVATION};
    sked_target *t;

    assert_ok(sked_target_new(&options, NULL, &t, NULL));
    return t;
}

static int64_t need_of(const sked_target *t)
{
    return sked_target_total(t, SKED_TARGET_TOTAL_NEED, NULL)[0];
}

static void clocks_follow_ids_over_commits(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    sked_target *t = starving();
    sked_time since = 0;

    assert_ok(at(t, f, &g, 0, 5));
    assert_i64(need_of(t), 0);
    sked_queue_id c = tree_add(f, f->root, "c"); /* b moves to another row */
    assert_ok(sked_tree_move(f->tree, g.b, c, NULL));
    tree_commit(f);
    assert_ok(sked_ledger_follow(g.ledger, f->tree, NULL));
    assert_ok(at(t, f, &g, 0, 14));
    assert_i64(need_of(t), 0);
    assert_ok(sked_target_clock(t, 0, g.b, &since, NULL, NULL));
    assert_i64(since, 5);
    assert_ok(at(t, f, &g, 0, 15));
    assert_i64(need_of(t), 50);
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_target_clock(t, 0, g.b + 77, NULL, NULL, NULL));
    sked_target_free(t);
    sked_ledger_free(g.ledger);
}

/* The same numbers in another tree are other queues: they begin anew. */
static void clocks_do_not_go_to_another_tree(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f), other = {0};
    sked_target *t = starving();
    tree_fixture made = *f;
    sked_time since = 0;

    assert_ok(at(t, f, &g, 0, 5));
    assert_ok(sked_tree_new(f->schema, NULL, NULL, &made.tree, NULL));
    tree_set(&made, f->root, SKED_QUEUE_WEIGHT, 2); /* another history */
    other = grow(&made);
    assert_true(other.b == g.b);
    assert_ok(at(t, &made, &other, 0, 12));
    assert_ok(sked_target_clock(t, 0, g.b, &since, NULL, NULL));
    assert_i64(since, 12);
    assert_ok(at(t, &made, &other, 0, 15));
    assert_i64(need_of(t), 0);
    sked_tree_free(made.tree);
    sked_target_free(t);
    sked_ledger_free(g.ledger);
    sked_ledger_free(other.ledger);
}

static void time_does_not_run_backwards(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    sked_target *t = starving();

    assert_ok(at(t, f, &g, 0, 5));
    assert_ok(at(t, f, &g, 0, 15));
    assert_i64(need_of(t), 50);
    assert_ok(at(t, f, &g, 0, 0)); /* counts as 15 */
    assert_i64(need_of(t), 50);
    give(f, &g, g.b, 50, 70);
    assert_ok(at(t, f, &g, 0, 16));
    sked_time since = 0;
    assert_ok(sked_target_clock(t, 0, g.b, &since, NULL, NULL));
    assert_i64(since, SKED_UNSET);
    sked_target_free(t);
    sked_ledger_free(g.ledger);
}

static void partitions_have_clocks_of_their_own(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    sked_target *t = starving();
    sked_time since = 0;

    assert_ok(at(t, f, &g, 0, 0));
    assert_ok(at(t, f, &g, 3, 9));
    assert_ok(at(t, f, &g, 0, 10));
    assert_i64(need_of(t), 50);
    assert_ok(at(t, f, &g, 3, 10));
    assert_i64(need_of(t), 0);
    assert_ok(sked_target_clock(t, 3, g.b, &since, NULL, NULL));
    assert_i64(since, 9);
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_target_clock(t, 1, g.b, NULL, NULL, NULL));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_target_clock(t, 4, g.b, NULL, NULL, NULL));
    assert_status(SKED_ERR_RANGE, at(t, f, &g, SKED_MAX_TARGET_PARTITIONS, 10));
    sked_target_free(t);
    sked_ledger_free(g.ledger);
}

static void a_copy_goes_on_alike(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    sked_target *t = starving(), *copy;
    uint32_t rounds = 0;

    assert_ok(at(t, f, &g, 0, 0));
    assert_ok(at(t, f, &g, 2, 0));
    assert_ok(sked_target_copy(t, NULL, &copy, NULL));
    assert_true(sked_target_digest(t) == sked_target_digest(copy));
    assert_null(sked_target_view(copy, SKED_TARGET_COLUMN_SHARE, NULL));
    assert_ok(at(t, f, &g, 0, 10));
    assert_true(sked_target_digest(t) != sked_target_digest(copy));
    assert_ok(at(copy, f, &g, 0, 10));
    assert_i64(need_of(copy), 50);
    assert_true(sked_target_digest(t) == sked_target_digest(copy));
    assert_ok(sked_target_clock(copy, 0, g.a, NULL, NULL, &rounds));
    assert_i64(rounds, 2);
    sked_target_free(copy);
    sked_target_free(t);
    sked_ledger_free(g.ledger);
}

static void columns_may_stand_for_the_ledger(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    const int64_t usage[] = {0, 0, 100, 0, 0, 0};
    const int64_t demand[] = {0, 0, 100, 0, 70, 0};
    sked_target *t;
    sked_target_input in = {.struct_size = sizeof in,
                            .tree = f->tree,
                            .capacity = hundred,
                            .usage = usage,
                            .demand = demand};

    assert_ok(sked_target_new(NULL, NULL, &t, NULL));
    assert_ok(sked_target_compute(t, &in, 0, NULL));
    assert_i64(need_of(t), 10);
    in.usage = NULL;
    assert_status(SKED_ERR_ARG, sked_target_compute(t, &in, 0, NULL));
    sked_target_free(t);
    sked_ledger_free(g.ledger);
}

static void reads_before_a_round_find_nothing(void **state)
{
    sked_target *t;
    size_t n = 9;
    (void)state;

    assert_ok(sked_target_new(NULL, NULL, &t, NULL));
    assert_null(sked_target_view(t, SKED_TARGET_COLUMN_SHARE, &n));
    assert_int_equal(n, 0);
    assert_null(sked_target_reasons(t, &n));
    assert_null(sked_target_total(t, SKED_TARGET_TOTAL_NEED, &n));
    assert_null(sked_target_view(NULL, SKED_TARGET_COLUMN_SHARE, &n));
    assert_null(sked_target_reasons(NULL, NULL));
    assert_null(sked_target_total(NULL, SKED_TARGET_TOTAL_NEED, &n));
    assert_true(sked_target_digest(NULL) == 0);
    assert_status(SKED_ERR_ARG,
                  sked_target_clock(NULL, 0, 1, NULL, NULL, NULL));
    sked_target_free(t);
    sked_target_free(NULL);
    assert_status(SKED_ERR_ARG, sked_target_new(NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_target_copy(NULL, NULL, &t, NULL));
    assert_status(SKED_ERR_ARG, sked_target_copy(NULL, NULL, NULL, NULL));
}

static void what_is_no_round_is_refused(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    const char *const one[] = {"cpu"};
    const int64_t bad[] = {1, -1};
    sked_schema *schema;
    sked_tree *other;
    sked_ledger *foreign;
    sked_target *t = starving();
    sked_error err;
    sked_target_input in = {.struct_size = sizeof in,
                            .tree = f->tree,
                            .capacity = bad,
                            .ledger = g.ledger};

    assert_status(SKED_ERR_RANGE, sked_target_compute(t, &in, 0, &err));
    assert_i64(err.kind, 1);
    in.capacity = hundred;
    assert_status(SKED_ERR_STATE, sked_target_compute(t, &in, SKED_NOW, &err));
    assert_status(SKED_ERR_ARG, sked_target_compute(NULL, &in, SKED_NOW, &err));
    assert_status(SKED_ERR_ARG, sked_target_compute(t, NULL, 0, &err));
    assert_status(SKED_ERR_ARG, sked_target_compute(NULL, &in, 0, &err));
    assert_ok(sked_schema_new(one, NULL, 1, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &other, NULL));
    assert_ok(sked_ledger_new(other, NULL, NULL, &foreign, NULL));
    in.ledger = foreign;
    assert_status(SKED_ERR_SCHEMA, sked_target_compute(t, &in, 0, &err));
    in.ledger = g.ledger;
    (void)tree_add(f, f->root, "more");
    tree_commit(f);
    assert_status(SKED_ERR_STATE, sked_target_compute(t, &in, 0, &err));
    in.struct_size = 4;
    assert_status(SKED_ERR_VERSION, sked_target_compute(t, &in, 0, &err));
    assert_null(sked_target_view(t, SKED_TARGET_COLUMN_SHARE, NULL));
    sked_target_free(t);
    sked_ledger_free(foreign);
    sked_tree_free(other);
    sked_schema_free(schema);
    sked_ledger_free(g.ledger);
}

static sked_time nine(void *user)
{
    (void)user;
    return 9;
}

static void odd_hosts_and_reads(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    sked_host odd = {.struct_size = 4};
    sked_host clock = {.struct_size = sizeof clock, .clock = nine};
    sked_target_options bad = {.struct_size = sizeof bad, .mode = 7};
    sked_target *t = starving(), *other;
    sked_time since = 0;
    pair p;
    size_t n;
    sked_target_input in = {.struct_size = sizeof in,
                            .tree = f->tree,
                            .capacity = hundred,
                            .ledger = g.ledger};

    assert_status(SKED_ERR_VERSION, sked_target_new(NULL, &odd, &other, NULL));
    assert_status(SKED_ERR_ARG, sked_target_new(&bad, NULL, &other, NULL));
    bad = (sked_target_options){.struct_size = sizeof bad,
                                .kind = SKED_MAX_KINDS};
    assert_true(sked_target_new(&bad, NULL, &other, NULL) < 0);
    assert_status(SKED_ERR_VERSION, sked_target_copy(t, &odd, &other, NULL));
    pair_of(&p);
    assert_status(SKED_ERR_VERSION,
                  sked_target_once(&p.in, NULL, &odd, &p.result, NULL));
    p.in.share = p.usage; /* without claim and keep */
    assert_status(SKED_ERR_ARG,
                  sked_target_once(&p.in, NULL, NULL, &p.result, NULL));
    p.in.share = NULL;

    sked_target_free(t);
    assert_ok(sked_target_new(NULL, &clock, &t, NULL));
    assert_ok(sked_target_compute(t, &in, SKED_NOW, NULL));
    assert_ok(sked_target_clock(t, 0, g.b, NULL, &since, NULL));
    assert_i64(since, 9);
    assert_null(sked_target_view(t, 0, NULL));
    assert_null(sked_target_view(t, SKED_TARGET_COLUMN_CLAIM + 1, &n));
    assert_i64(sked_target_total(t, SKED_TARGET_TOTAL_BUDGET, &n)[0], 10);
    assert_int_equal(n, 2);
    assert_i64(sked_target_total(t, SKED_TARGET_TOTAL_FREE, NULL)[0], 0);
    assert_null(sked_target_total(t, 0, NULL));
    for (int32_t i = SKED_TARGET_COLUMN_SHARE; i <= SKED_TARGET_COLUMN_CLAIM;
         i++) { /* one is not taken for the other */
        assert_null(sked_target_total(t, i, NULL));
    }
    for (int32_t i = SKED_TARGET_TOTAL_NEED; i <= SKED_TARGET_TOTAL_FREE; i++) {
        assert_non_null(sked_target_total(t, i, NULL));
        assert_null(sked_target_view(t, i, NULL));
    }
    assert_non_null(sked_target_reasons(t, NULL));
    in.tree = NULL;
    assert_status(SKED_ERR_ARG, sked_target_compute(t, &in, SKED_NOW, NULL));
    in.tree = f->tree;
    in.capacity = NULL;
    assert_status(SKED_ERR_ARG, sked_target_compute(t, &in, SKED_NOW, NULL));
    sked_target_free(t);
    sked_ledger_free(g.ledger);
}

/* Spoils one number of a round, which must be found, and puts it back. */
static void spoil(sked_target *t, int64_t *number, int64_t value)
{
    int64_t kept = *number;

    assert_ok(sked_target_check(t, NULL));
    *number = value;
    assert_status(SKED_ERR_INTERNAL, sked_target_check(t, NULL));
    *number = kept;
}

static void every_broken_promise_is_found(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    sked_target *t;
    sked_error err;

    assert_ok(sked_target_new(NULL, NULL, &t, NULL));
    assert_ok(sked_target_check(t, NULL)); /* no round yet */
    assert_status(SKED_ERR_ARG, sked_target_check(NULL, NULL));
    assert_ok(at(t, f, &g, 0, 0));
    skedi_targets *last = &t->last;
    size_t a = 1 * last->kinds, b = 2 * last->kinds; /* cells of cpu */
    spoil(t, &skedi_targets_column(last, SKEDI_TARGET_SHARES)[a], -1);
    spoil(t, &skedi_targets_column(last, SKEDI_TARGET_OWES)[b], -1);
    spoil(t, &skedi_targets_column(last, SKEDI_TARGET_OWES)[a], 1);
    spoil(t, &skedi_targets_column(last, SKEDI_TARGET_TAKES)[a], -1);
    spoil(t, &skedi_targets_column(last, SKEDI_TARGET_TAKES)[a], 51);
    spoil(t, &skedi_targets_column(last, SKEDI_TARGET_TAKES)[a], 11);
    spoil(t, &skedi_targets_column(last, SKEDI_TARGET_FIRSTS)[a], -1);
    spoil(t, &skedi_targets_column(last, SKEDI_TARGET_FIRSTS)[a], 51);
    spoil(t, &skedi_targets_column(last, SKEDI_TARGET_KEEPS)[a], 7);
    spoil(t, &skedi_targets_column(last, SKEDI_TARGET_KEEPS)[a],
          SKED_UNLIMITED);
    spoil(t, &last->need[0], -1);
    spoil(t, &last->need[0], 11);
    for (size_t row = 1; row < 3; row++) {
        uint32_t kept = last->reasons[row];
        last->reasons[row] = 0;
        assert_status(SKED_ERR_INTERNAL, sked_target_check(t, &err));
        assert_i64(err.row, (int64_t)row);
        assert_i64(err.kind, 0);
        last->reasons[row] = kept;
    }
    assert_ok(sked_target_check(t, NULL));
    sked_target_free(t);
    sked_ledger_free(g.ledger);
}

/* Shares that are handed in are those of leaves: what stands in the rows of parents
 * breaks no promise. */
static void shares_of_parents_are_not_judged(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    const int64_t bound[] = {-1, -1, 60, 60, 40, 40};
    sked_target_input in = {.struct_size = sizeof in,
                            .tree = f->tree,
                            .capacity = hundred,
                            .ledger = g.ledger,
                            .share = bound,
                            .claim = bound,
                            .keep = bound};
    sked_target *t;

    assert_ok(sked_target_new(NULL, NULL, &t, NULL));
    assert_ok(sked_target_compute(t, &in, 0, NULL));
    assert_ok(sked_target_check(t, NULL));
    sked_target_free(t);
    sked_ledger_free(g.ledger);
}

/* A queue that is gone is forgotten. */
static void clocks_of_queues_that_are_gone_are_dropped(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    sked_target *t = starving();

    assert_ok(at(t, f, &g, 0, 5));
    give(f, &g, g.b, 0, 0);
    assert_ok(
        sked_tree_remove(f->tree, g.b, NULL, SKED_TREE_REMOVE_REFUSE, NULL));
    tree_commit(f);
    assert_ok(sked_ledger_follow(g.ledger, f->tree, NULL));
    assert_ok(at(t, f, &g, 0, 9));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_target_clock(t, 0, g.b, NULL, NULL, NULL));
    sked_target_free(t);
    sked_ledger_free(g.ledger);
}

/* Two guarantees of 2^62 below a queue: their sum is more than an amount. */
static void sums_of_guarantees_may_be_huge(void **state)
{
    const int32_t parent[] = {-1, 0, 1, 1, 1};
    const int64_t huge = SKED_AMOUNT_MAX;
    const int64_t guarantee[] = {0, 0, huge, huge, huge};
    const int64_t usage[] = {0, 0, 90, 0, 0}, demand[] = {0, 0, 90, 90, 90};
    const int64_t capacity = 90;
    int64_t owed[5], take[5];
    sked_share_input queues = {.struct_size = sizeof queues,
                               .kinds = 1,
                               .n = 5,
                               .parent = parent,
                               .guarantee = guarantee,
                               .usage = usage,
                               .demand = demand,
                               .capacity = &capacity};
    sked_target_once_input in = {.struct_size = sizeof in, .queues = &queues};
    sked_target_options options = {.struct_size = sizeof options,
                                   .factor_ppm = SKED_PPM,
                                   .per_round_ppm = -1};
    sked_target_result to = {
        .struct_size = sizeof to, .owed = owed, .take = take};
    (void)state;

    assert_ok(sked_target_once(&in, &options, NULL, &to, NULL));
    assert_i64(take[2], 60);
    assert_i64(owed[3], 30);
    assert_i64(owed[4], 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_case(clocks_follow_ids_over_commits),
        tree_case(clocks_do_not_go_to_another_tree),
        tree_case(time_does_not_run_backwards),
        tree_case(partitions_have_clocks_of_their_own),
        tree_case(a_copy_goes_on_alike),
        tree_case(columns_may_stand_for_the_ledger),
        cmocka_unit_test(reads_before_a_round_find_nothing),
        tree_case(what_is_no_round_is_refused),
        tree_case(odd_hosts_and_reads),
        tree_case(every_broken_promise_is_found),
        tree_case(shares_of_parents_are_not_judged),
        tree_case(clocks_of_queues_that_are_gone_are_dropped),
        cmocka_unit_test(sums_of_guarantees_may_be_huge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
