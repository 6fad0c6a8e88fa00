/* Targets one by one: what is refused, clocks, users, memory. */
#include "test.h"

#include <sched/target.h>

#include <string.h>

#include "host.h"
#include "target/handle.h"
#include "tree_fixture.h"

/* ---- Arrays ---- */

enum { ROWS = 3 };

/* Two leaves under a root of 100 units; the first has all of it. */
typedef struct pair {
    int32_t parent[ROWS];
    int64_t guarantee[ROWS];
    int64_t usage[ROWS];
    int64_t demand[ROWS];
    int64_t capacity;
    sked_share_input queues;
    sked_target_once_input in;
    int64_t take[ROWS];
    int64_t owed[ROWS];
    int64_t keep[ROWS];
    uint32_t reasons[ROWS];
    int64_t need;
    sked_target_result result;
} pair;

static void pair_of(pair *p)
{
    *p = (pair){.parent = {-1, 0, 0},
                .guarantee = {0, 50, 50},
                .usage = {0, 100, 0},
                .demand = {0, 100, 70},
                .capacity = 100};
    p->queues = (sked_share_input){.struct_size = sizeof p->queues,
                                   .kinds = 1,
                                   .n = ROWS,
                                   .parent = p->parent,
                                   .guarantee = p->guarantee,
                                   .usage = p->usage,
                                   .demand = p->demand,
                                   .capacity = &p->capacity};
    p->in = (sked_target_once_input){.struct_size = sizeof p->in,
                                     .queues = &p->queues};
    p->result = (sked_target_result){.struct_size = sizeof p->result,
                                     .take = p->take,
                                     .owed = p->owed,
                                     .keep = p->keep,
                                     .reasons = p->reasons,
                                     .need = &p->need};
}

static sked_status targets_of(pair *p, sked_target_options options,
                              sked_error *err)
{
    options.struct_size = sizeof options;
    return sked_target_once(&p->in, &options, NULL, &p->result, err);
}

static void options_that_a_dialect_lacks_are_refused(void **state)
{
    const sked_target_options wrong[] = {
        {.mode = -1},
        {.mode = 3},
        {.flags = 8},
        {.mode = SKED_TARGET_MODE_STARVATION,
         .flags = SKED_TARGET_FLAG_BALANCE},
        {.mode = SKED_TARGET_MODE_ENTITLEMENT,
         .flags = SKED_TARGET_FLAG_BY_WEIGHT},
        {.scope = SKED_SHARE_SCOPE_ONE_KIND},
        {.mode = SKED_TARGET_MODE_STARVATION,
         .scope = SKED_SHARE_SCOPE_DOMINANT},
        {.utilisation_ppm = 1},
        {.cycles = 1},
    };
    const sked_target_options outside[] = {
        {.ignored_ppm = -2},
        {.factor_ppm = -1},
        {.factor_ppm = SKED_PPM + 1},
        {.per_round_ppm = -2},
        {.per_round_ppm = SKED_PPM + 1},
        {.mode = SKED_TARGET_MODE_STARVATION, .utilisation_ppm = -2},
        {.kind = -1},
        {.kind = SKED_MAX_KINDS},
        {.mode = SKED_TARGET_MODE_STARVATION,
         .scope = SKED_SHARE_SCOPE_ONE_KIND,
         .kind = 1},
    };
    pair p;
    (void)state;

    pair_of(&p);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_status(SKED_ERR_ARG, targets_of(&p, wrong[i], NULL));
    }
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_status(SKED_ERR_RANGE, targets_of(&p, outside[i], NULL));
    }
    assert_ok(targets_of(&p, (sked_target_options){0}, NULL));
    assert_i64(p.take[1], 10);
}

static void arrays_that_are_none_are_refused(void **state)
{
    const sked_target_options none = {0};
    int64_t number[ROWS] = {0, -1, 0};
    sked_error err;
    pair p;
    (void)state;

    pair_of(&p);
    p.usage[1] = -1;
    assert_status(SKED_ERR_RANGE, targets_of(&p, none, &err));
    assert_i64(err.row, 1);
    assert_i64(err.kind, 0);
    p.usage[1] = SKED_AMOUNT_MAX;
    p.usage[2] = 1;
    assert_status(SKED_ERR_RANGE, targets_of(&p, none, &err)); /* the sum */
    pair_of(&p);
    p.demand[2] = SKED_AMOUNT_MAX + 1;
    assert_status(SKED_ERR_RANGE, targets_of(&p, none, &err));
    assert_i64(err.row, 2);
    p.demand[2] = p.demand[0] = -5; /* a parent's is not read */
    p.queues.demand = NULL;
    assert_ok(targets_of(&p, none, &err));
    assert_i64(p.need, 0);
    p.in.min_timeout_ns = number;
    assert_status(SKED_ERR_ARG, targets_of(&p, none, &err));
    assert_i64(err.row, 1);
    p.in.min_timeout_ns = NULL;
    p.in.fair_timeout_ns = number;
    assert_status(SKED_ERR_ARG, targets_of(&p, none, &err));
    p.in.fair_timeout_ns = NULL;
    number[1] = SKED_PPM + 1;
    p.in.fair_threshold_ppm = number;
    assert_status(SKED_ERR_ARG, targets_of(&p, none, &err));
    p.in.fair_threshold_ppm = NULL;
    p.parent[2] = 2;
    assert_status(SKED_ERR_ARG, targets_of(&p, none, &err));
    assert_i64(err.row, 2);
    p.parent[2] = 0;
    p.in.flags = 1;
    assert_status(SKED_ERR_ARG, targets_of(&p, none, &err));
    p.in.flags = 0;
    p.in.queues = NULL;
    assert_status(SKED_ERR_ARG, targets_of(&p, none, &err));
}

/* Nothing there, or nothing of a guarantee: no error, and nothing to claim;
 * what runs all the same is over its share. */
static void where_there_is_nothing_nobody_claims(void **state)
{
    static const int32_t dialects[] = {SKED_TARGET_MODE_IMBALANCE,
                                       SKED_TARGET_MODE_STARVATION,
                                       SKED_TARGET_MODE_ENTITLEMENT};
    sked_error err;
    pair p;
    (void)state;

    for (size_t d = 0; d < 3; d++) {
        sked_target_options options = {
            .mode = dialects[d], .ignored_ppm = -1, .per_round_ppm = -1};
        if (d == 2) options.cycles = 1;
        pair_of(&p);
        p.capacity = 0;
        assert_ok(targets_of(&p, options, &err));
        assert_i64(p.owed[2], 0);
        assert_i64(p.need, 0);
        assert_true(p.reasons[1] & SKED_TARGET_REASON_OVER);
        p.usage[1] = p.demand[1] = p.demand[2] = 0;
        assert_ok(targets_of(&p, options, &err));
        assert_true((p.reasons[1] | p.reasons[2]) == 0);
        assert_i64(p.take[1], 0);
    }
}

static void unknown_versions_are_refused(void **state)
{
    const sked_target_options none = {0};
    pair p;
    (void)state;

    pair_of(&p);
    assert_status(SKED_ERR_VERSION,
                  sked_target_once(&p.in, &none, NULL, &p.result, NULL));
    p.in.struct_size = 4;
    assert_status(SKED_ERR_VERSION, targets_of(&p, none, NULL));
    pair_of(&p);
    p.queues.struct_size = 4;
    assert_status(SKED_ERR_VERSION, targets_of(&p, none, NULL));
    pair_of(&p);
    p.result.struct_size = 4;
    assert_status(SKED_ERR_VERSION, targets_of(&p, none, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_target_once(NULL, NULL, NULL, &p.result, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_target_once(&p.in, NULL, NULL, NULL, NULL));
}

static void who_may_not_be_preempted_keeps_all(void **state)
{
    const uint8_t from[ROWS] = {1, 0, 1}, nobody[ROWS] = {0, 1, 1};
    pair p;
    (void)state;

    pair_of(&p);
    p.in.preempt_from = from;
    assert_ok(targets_of(&p, (sked_target_options){0}, NULL));
    assert_i64(p.take[1], 0);
    assert_i64(p.owed[2], 0);
    assert_i64(p.keep[1], SKED_UNLIMITED);
    p.in.preempt_from = nobody; /* no above holds below */
    assert_ok(targets_of(&p, (sked_target_options){0}, NULL));
    assert_i64(p.need, 0);
}

/* Without guarantees nothing is a claim, unless weights stand for them. */
static void weights_may_stand_for_guarantees(void **state)
{
    const uint32_t weight[ROWS] = {1, 3, 1};
    sked_target_options by_weight = {.flags = SKED_TARGET_FLAG_BY_WEIGHT,
                                     .factor_ppm = SKED_PPM,
                                     .per_round_ppm = -1};
    pair p;
    (void)state;

    pair_of(&p);
    p.queues.weight = weight;
    p.queues.guarantee = NULL;
    assert_ok(targets_of(&p, (sked_target_options){0}, NULL));
    assert_i64(p.owed[2], 0);
    assert_ok(targets_of(&p, by_weight, NULL));
    assert_i64(p.owed[2], 25);
    assert_i64(p.take[1], 25);
    assert_i64(p.keep[1], 75);
}

/* Both want more than their guarantee; what is above it is claimed only where
 * queues are balanced. */
static void balance_claims_beyond_guarantees(void **state)
{
    sked_target_options options = {
        .factor_ppm = SKED_PPM, .per_round_ppm = -1, .ignored_ppm = -1};
    pair p;
    (void)state;

    pair_of(&p);
    p.guarantee[1] = p.guarantee[2] = 20;
    p.usage[1] = 70;
    p.usage[2] = 30;
    assert_ok(targets_of(&p, options, NULL));
    assert_i64(p.owed[2], 0);
    assert_i64(p.take[1], 0);
    options.flags = SKED_TARGET_FLAG_BALANCE;
    assert_ok(targets_of(&p, options, NULL));
    assert_i64(p.owed[2], 20);
    assert_i64(p.take[1], 20);
}

/* The higher band is served beyond its guarantee before the lower one. */
static void priority_serves_in_bands(void **state)
{
    const int32_t priority[ROWS] = {0, 0, 1};
    sked_target_options options = {.factor_ppm = SKED_PPM,
                                   .per_round_ppm = -1,
                                   .flags = SKED_TARGET_FLAG_BALANCE |
                                            SKED_TARGET_FLAG_PRIORITY};
    pair p;
    (void)state;

    pair_of(&p);
    p.queues.priority = priority;
    p.guarantee[1] = p.guarantee[2] = 20;
    assert_ok(targets_of(&p, options, NULL));
    assert_i64(p.owed[2], 70);
    assert_i64(p.keep[1], 30);
}

/* ---- Users ---- */

static void users_may_hold_their_part_or_the_limit(void **state)
{
    const int64_t total = 100, usage[] = {100, 0, 0}, demand[] = {100, 30, 0};
    const uint32_t weight[] = {1, 3, 9};
    int64_t share[3], keep[3];
    sked_error err;
    sked_target_users_input in = {.struct_size = sizeof in,
                                  .kinds = 1,
                                  .n = 3,
                                  .total = &total,
                                  .usage = usage,
                                  .demand = demand};
    (void)state;

    assert_ok(sked_target_share_users(&in, share, keep, NULL));
    assert_i64(share[0], 50);
    assert_i64(share[1], 50);
    assert_i64(share[2], 0); /* wants nothing, has nothing */
    assert_i64(keep[0], 50);
    assert_i64(keep[1], SKED_UNLIMITED);
    in.weight = weight;
    assert_ok(sked_target_share_users(&in, share, keep, NULL));
    assert_i64(share[0], 25);
    assert_i64(share[1], 75);
    in.limit_ppm = 300000;
    assert_ok(sked_target_share_users(&in, share, keep, NULL));
    assert_i64(share[0], 30);
    assert_i64(share[1], 90);
    in.limit_ppm = SKED_PPM; /* each may have it all */
    assert_ok(sked_target_share_users(&in, share, keep, NULL));
    assert_i64(keep[0], SKED_UNLIMITED);
    in.limit_ppm = SKED_PPM + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    in.limit_ppm = 0;
    in.kinds = 0;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    in.kinds = 1;
    in.reserved = 1;
    assert_status(SKED_ERR_ARG,
                  sked_target_share_users(&in, share, keep, &err));
    in.reserved = 0;
    in.struct_size = 8;
    assert_status(SKED_ERR_VERSION,
                  sked_target_share_users(&in, share, keep, &err));
    assert_status(SKED_ERR_ARG,
                  sked_target_share_users(NULL, share, keep, &err));
}

static void amounts_of_users_are_checked(void **state)
{
    int64_t total = -1, usage[] = {0, 0}, demand[] = {0, 0};
    const uint32_t weight[] = {0, 0};
    int64_t share[2], keep[2];
    sked_error err;
    sked_target_users_input in = {.struct_size = sizeof in,
                                  .kinds = 1,
                                  .n = 2,
                                  .total = &total,
                                  .usage = usage,
                                  .demand = demand};
    (void)state;

    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    assert_i64(err.row, -1);
    total = SKED_AMOUNT_MAX + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    total = 10;
    in.kinds = SKED_MAX_KINDS + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    in.kinds = 1;
    in.n = (uint32_t)INT32_MAX + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    in.n = 2;
    in.limit_ppm = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    in.limit_ppm = 0;
    in.total = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_target_share_users(&in, share, keep, &err));
    in.total = &total;
    in.usage = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_target_share_users(&in, share, keep, &err));
    in.usage = usage;
    assert_status(SKED_ERR_ARG, sked_target_share_users(&in, NULL, keep, &err));
    assert_status(SKED_ERR_ARG,
                  sked_target_share_users(&in, share, NULL, &err));
    usage[1] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    assert_i64(err.row, 1);
    usage[1] = 1;
    demand[0] = SKED_AMOUNT_MAX + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    assert_i64(err.row, 0);
    demand[0] = 1;
    in.weight = weight; /* nobody weighs anything */
    assert_ok(sked_target_share_users(&in, share, keep, NULL));
    assert_i64(share[1], 0);
    assert_i64(keep[1], 0);
    in.demand = NULL;
    usage[0] = 0;
    assert_ok(sked_target_share_users(&in, share, keep, NULL));
    in.n = 0;
    in.usage = NULL;
    assert_ok(sked_target_share_users(&in, share, keep, NULL));
}

/* ---- Over a tree ---- */

/* Two leaves of half each on the strict host; `a` has all of it. */
typedef struct grown {
    sked_queue_id a;
    sked_queue_id b;
    sked_ledger *ledger;
} grown;

static void give(tree_fixture *f, grown *g, sked_queue_id queue, int64_t usage,
                 int64_t demand)
{
    const int64_t used[] = {usage, 0}, wanted[] = {demand, 0};
    (void)f;

    assert_ok(
        sked_ledger_set(g->ledger, SKED_LEDGER_USAGE, &queue, used, 1, NULL));
    assert_ok(sked_ledger_set(g->ledger, SKED_LEDGER_DEMAND, &queue, wanted, 1,
                              NULL));
}

static grown grow(tree_fixture *f)
{
    grown g = {.a = tree_add(f, f->root, "a"), .b = tree_add(f, f->root, "b")};

    tree_set_vec(f, g.a, SKED_QUEUE_GUARANTEE, 50, 0);
    tree_set_vec(f, g.b, SKED_QUEUE_GUARANTEE, 50, 0);
    tree_set(f, f->root, SKED_QUEUE_PREEMPT_MIN_TIMEOUT, 10);
    tree_commit(f);
    assert_ok(sked_ledger_new(f->tree, NULL, NULL, &g.ledger, NULL));
    give(f, &g, g.a, 100, 100);
    give(f, &g, g.b, 0, 70);
    return g;
}

static const int64_t hundred[] = {100, 100};

static sked_status at(sked_target *t, tree_fixture *f, grown *g,
                      uint32_t partition, sked_time now)
{
    sked_target_input in = {.struct_size = sizeof in,
                            .partition = partition,
                            .tree = f->tree,
                            .capacity = hundred,
                            .ledger = g->ledger};

    return sked_target_compute(t, &in, now, NULL);
}

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
    p.queues.reserved = 1;
    assert_status(SKED_ERR_ARG,
                  sked_target_once(&p.in, NULL, NULL, &p.result, NULL));

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

/* ---- Memory, cancelling ---- */

typedef struct sweep {
    tree_fixture *f;
    grown *g;
} sweep;

static sked_status compute_once_more(sked_target *t, test_host *h, sweep *s,
                                     uint32_t partition)
{
    uint64_t before = sked_target_digest(t);
    const int64_t *need = sked_target_total(t, SKED_TARGET_TOTAL_NEED, NULL);
    int64_t held = need ? *need : 0;
    sked_status rc = at(t, s->f, s->g, partition, partition + 40);
    (void)h;

    if (rc == SKED_OK) return rc;
    assert_true(sked_target_digest(t) == before);
    need = sked_target_total(t, SKED_TARGET_TOTAL_NEED, NULL);
    assert_i64(need ? *need : 0, held);
    return rc;
}

static sked_status target_scenario(test_host *h, void *arg)
{
    sked_host hooks = test_host_hooks(h);
    sked_target *t = NULL, *copy = NULL;

    sked_status rc = sked_target_new(NULL, &hooks, &t, NULL);
    if (rc == SKED_OK) rc = compute_once_more(t, h, arg, 0);
    if (rc == SKED_OK) rc = compute_once_more(t, h, arg, 2);
    if (rc == SKED_OK) rc = compute_once_more(t, h, arg, 2);
    if (rc == SKED_OK) rc = sked_target_copy(t, &hooks, &copy, NULL);
    sked_target_free(copy);
    sked_target_free(t);
    return rc;
}

static void a_round_that_fails_changes_nothing(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    sweep s = {f, &g};

    test_sweep(target_scenario, &s, 0);
    sked_ledger_free(g.ledger);
}

enum { STOPPED_HERE = -1077 };

static sked_status stop_after(void *user, uint64_t done, uint64_t total)
{
    uint32_t *left = user;
    (void)done;
    (void)total;

    return (*left)-- == 0 ? STOPPED_HERE : SKED_OK;
}

static void a_round_is_stopped_at_any_look(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    uint32_t left = 0, looks = 0;
    sked_host host = {
        .struct_size = sizeof host, .user = &left, .progress = stop_after};
    sked_target *t = NULL;
    sked_status rc = STOPPED_HERE;

    assert_ok(sked_target_new(NULL, &host, &t, NULL));
    left = UINT32_MAX;
    assert_ok(at(t, f, &g, 0, 40));
    uint64_t before = sked_target_digest(t);
    for (; rc == STOPPED_HERE; looks++) {
        left = looks;
        assert_true(sked_target_digest(t) == before);
        rc = at(t, f, &g, 0, 50);
    }
    assert_ok(rc);
    assert_true(looks > 6);
    sked_target_free(t);
    sked_ledger_free(g.ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_that_a_dialect_lacks_are_refused),
        cmocka_unit_test(arrays_that_are_none_are_refused),
        cmocka_unit_test(where_there_is_nothing_nobody_claims),
        cmocka_unit_test(unknown_versions_are_refused),
        cmocka_unit_test(who_may_not_be_preempted_keeps_all),
        cmocka_unit_test(weights_may_stand_for_guarantees),
        cmocka_unit_test(balance_claims_beyond_guarantees),
        cmocka_unit_test(priority_serves_in_bands),
        cmocka_unit_test(users_may_hold_their_part_or_the_limit),
        cmocka_unit_test(amounts_of_users_are_checked),
        tree_case(clocks_follow_ids_over_commits),
        tree_case(clocks_do_not_go_to_another_tree),
        tree_case(time_does_not_run_backwards),
        tree_case(partitions_have_clocks_of_their_own),
        tree_case(a_copy_goes_on_alike),
        tree_case(columns_may_stand_for_the_ledger),
        cmocka_unit_test(reads_before_a_round_find_nothing),
        tree_case(odd_hosts_and_reads),
        tree_case(every_broken_promise_is_found),
        tree_case(clocks_of_queues_that_are_gone_are_dropped),
        cmocka_unit_test(sums_of_guarantees_may_be_huge),
        tree_case(what_is_no_round_is_refused),
        tree_case(a_round_that_fails_changes_nothing),
        tree_case(a_round_is_stopped_at_any_look),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
