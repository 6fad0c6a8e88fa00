/*
 * What an engine may hold is reserved once; from then on no event asks for
 * memory but those that the header names. Each world is lived through twice: once
 * to see how much of everything there is at most, then with exactly that much
 * reserved, on a host that fails the test at the first request.
 */
#include <sched/engine_place.h>

#include "engine_fixture.h"

#include "engine/alloc.h"
#include "engine/work.h"
#include "engine_world.h"
#include "size.h"

typedef sked_engine_reserve_input sizes;

static void most(uint64_t *at, uint64_t now)
{
    if (now > *at) *at = now;
}

/* Groups, of any ask or of gangs, on the node that has most of them, which may be
 * lost. */
static uint64_t most_on_a_node(const sked_engine *e, int of_gangs)
{
    uint64_t all = 0;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        uint64_t groups = 0;
        for (uint32_t g = node_at(e, n)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->next) {
            uint32_t ask = group_at(e, g)->ask;
            groups += !of_gangs || ask_at(e, ask)->flags & SKED_ASK_GANG;
        }
        most(&all, groups);
    }
    return all;
}

/* Asks of a leaf and partition: within one event all of them may be open. */
static uint64_t asks_of(const sked_engine *e, uint32_t row, uint32_t partition)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (!a->live || job_at(e, a->job)->row != row) continue;
        n += a->partition == partition || a->partition == SKED_ANY_PARTITION;
    }
    return n;
}

static void measure(const sked_engine *e, sizes *s)
{
    uint64_t wide = 0, of_ask = 0;

    for (uint32_t i = 0; i < e->asks.n; i++) {
        if (ask_at(e, i)->live) most(&of_ask, skedi_ask_groups(e, i));
        wide += ask_at(e, i)->live &&
                ask_at(e, i)->partition == SKED_ANY_PARTITION;
    }
    if (e->parts > s->partitions) s->partitions = e->parts;
    most(&s->nodes, e->nodes.live);
    most(&s->jobs, e->jobs.live);
    most(&s->users, e->users.live);
    most(&s->accounts, e->accounts.live);
    most(&s->asks, e->asks.live);
    most(&s->wide_asks, wide);
    most(&s->places, e->places.live);
    most(&s->shapes, e->shapes.live + most_on_a_node(e, 1));
    most(&s->shapes, e->shapes.live + of_ask);
    most(&s->groups, e->groups.live);
    most(&s->ranges, e->ranges.live + most_on_a_node(e, 0));
    most(&s->ranges, e->ranges.n); /* of an event, for a moment */
    most(&s->refusals, e->refusals.live + of_ask);
    most(&s->refusals, e->bans.live + of_ask);
    most(&s->saved, e->notices.live);
    most(&s->decisions, e->out_next - e->out_from);
    most(&s->spreads, e->fits.pool.live);
    for (uint32_t row = 0; row < e->rows.n; row++) {
        if (!row_is_leaf(e, row)) continue;
        most(&s->leaf_jobs, e->rows.waiters[row]);
        for (uint32_t p = 0; p < e->parts; p++) {
            most(&s->leaf_asks, asks_of(e, row, p));
        }
    }
}

/* Does the header of sked_engine_reserve() name this event? */
static int is_named(const engine_world *w)
{
    switch (w->event.kind) {
    case SKED_EVENT_ASK_EXCLUDE:
    case SKED_EVENT_JOB_EXCLUDE:
    case SKED_EVENT_ASK_TAGS:
    case SKED_EVENT_NODE_ATTRIBUTES:
    case SKED_EVENT_ASK_RULE:
    case SKED_EVENT_ASK_PREFER: return 1;
    default: return w->batch.gangs && w->gang.same;
    }
}

/* Tasks find nodes, for which nothing is reserved. */
static void place_tasks(engine_world *w, sked_engine *engine, sizes *s)
{
    sked_status rc = sked_engine_place(engine, w->now, 0, NULL, NULL);

    assert_true(rc == SKED_OK || rc == SKED_STOPPED);
    if (s) measure(engine, s);
}

/* One life: with `s` NULL none is measured, and what is not named does without
 * the host's memory. */
static void live(engine_world *w, sked_engine *engine, size_t steps, sizes *s,
                 int *trap)
{
    sked_decision d;
    size_t n;

    for (size_t i = 0; i < steps; i++) {
        world_next(w);
        *trap = !s && !is_named(w);
        sked_status rc = sked_engine_apply(engine, &w->batch, NULL, NULL);
        *trap = !s && !w->placing;
        if (w->placing && i % 5 == 0) place_tasks(w, engine, s);
        *trap = !s;
        if (s) measure(engine, s);
        assert_int_not_equal(rc, SKED_ERR_NOMEM);
        if (i % 40 == 7) {
            rc = sked_engine_pass(engine, w->now, 0, NULL);
            assert_true(rc == SKED_OK || rc == SKED_STOPPED);
            if (s) measure(engine, s);
        }
        for (;;) {
            assert_ok(sked_engine_take(engine, &d, 1, &n, NULL));
            if (n == 0) break;
            world_hear(w, &d);
        }
    }
}

static void run_world(uint64_t seed, void (*change)(engine_world *))
{
    sizes s = {.struct_size = sizeof s};
    sked_engine *engine;
    engine_world w;

    for (int reserved = 0; reserved < 2; reserved++) {
        test_host h = {0};
        sked_host host = test_host_hooks(&h);
        world_start(&w, seed, 2 + seed % 9, 1 + (uint32_t)(seed % 5));
        if (change) change(&w);
        sked_engine_options opts = world_options(&w);
        assert_ok(sked_engine_new(w.tree, &opts, &host, &engine, NULL));
        if (reserved) assert_ok(sked_engine_reserve(engine, &s, NULL));
        live(&w, engine, 1500, reserved ? NULL : &s, &h.trap);
        h.trap = 0;
        sked_engine_free(engine);
        world_end(&w);
        assert_int_equal(h.live, 0);
    }
}

static void spread_alone_and_placed(engine_world *w)
{
    world_spread(w);
    world_exclude_others(w);
    world_place(w);
}

static void what_is_reserved_is_enough(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_size(40, 1000); seed++) {
        run_world(seed, NULL);
        run_world(500 + seed, world_bound_users);
        run_world(1000 + seed, world_spread);
        run_world(1500 + seed, world_place);
        run_world(2000 + seed, world_exclude_others);
        run_world(2500 + seed, spread_alone_and_placed);
        run_world(3000 + seed, world_form);
        run_world(3500 + seed, world_exact);
        if (seed % 4 == 0) run_world(900 + seed, world_crowd);
    }
}

static void sizes_answer(void **state)
{
    engine_fixture *f = *state;
    sizes s = {.struct_size = sizeof s, .asks = 2, .wide_asks = 3};

    engine_begin(f, NULL);
    assert_status(SKED_ERR_ARG, sked_engine_reserve(NULL, &s, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_reserve(f->engine, NULL, NULL));
    assert_status(SKED_ERR_RANGE, sked_engine_reserve(f->engine, &s, NULL));
    s.wide_asks = 0;
    s.partitions = SKED_MAX_PARTITIONS + 1;
    assert_status(SKED_ERR_RANGE, sked_engine_reserve(f->engine, &s, NULL));
    s.partitions = 0;
    s.decisions = (uint64_t)SKED_ENGINE_RESERVE_MAX + 1;
    assert_status(SKED_ERR_RANGE, sked_engine_reserve(f->engine, &s, &f->err));
    assert_i64(f->err.limit, SKED_ENGINE_RESERVE_MAX);
    s.decisions = 0;
    s.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_engine_reserve(f->engine, &s, NULL));
    s.struct_size = sizeof s;
    assert_ok(sked_engine_reserve(f->engine, &s, NULL));
    uint64_t held = engine_stats_of(f).bytes;
    assert_ok(sked_engine_reserve(f->engine, &s, NULL)); /* it is there */
    assert_i64((int64_t)engine_stats_of(f).bytes, (int64_t)held);
}

/* What is more than was reserved is refused, and told again goes well once
 * more is. */
static void more_than_was_reserved_is_refused(void **state)
{
    engine_fixture *f = *state;
    sizes s = {.struct_size = sizeof s, .nodes = 1, .jobs = 8, .asks = 8};
    sked_host host = test_host_hooks(&f->host);
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_status rc = SKED_OK;
    uint64_t key = 0;

    host.flags = SKED_HOST_FLAG_RESERVED_ONLY;
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_engine_new(f->tree, NULL, &host, &f->engine, NULL));
    assert_ok(sked_engine_reserve(f->engine, &s, NULL));
    engine_add_job(f, 1, leaf, 0);
    while (rc == SKED_OK) rc = engine_add_ask(f, ++key, 1, 1, 1, 1);
    assert_status(SKED_ERR_NOMEM, rc);
    assert_true(key > s.asks); /* as many as were reserved, at least */
    s.asks = 2 * key;
    assert_ok(sked_engine_reserve(f->engine, &s, NULL));
    assert_ok(engine_add_ask(f, key, 1, 1, 1, 1));
}

/* A gang over nodes is an ask like any other: though nothing is said of it, it
 * comes, starts and ends in what was reserved. */
static void gangs_over_nodes_need_no_word(void **state)
{
    engine_fixture *f = *state;
    const sizes s = {.struct_size = sizeof s,
                     .nodes = 4,
                     .jobs = 1,
                     .asks = 9,
                     .groups = 40,
                     .decisions = 50};
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .form_nodes = 2};
    sked_host host = test_host_hooks(&f->host);
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_event gang = {.kind = SKED_EVENT_ASK_ADD,
                       .owner = 1,
                       .count = 4,
                       .amount = 1,
                       .flags = SKED_ASK_GANG | SKED_ASK_SPREAD};

    host.flags = SKED_HOST_FLAG_RESERVED_ONLY;
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_engine_new(f->tree, &opts, &host, &f->engine, NULL));
    assert_ok(sked_engine_reserve(f->engine, &s, NULL));
    for (uint64_t n = 1; n <= 4; n++) engine_add_node(f, n, 0, 10, 10);
    engine_add_job(f, 1, leaf, 0);
    for (gang.key = 1; gang.key <= 9; gang.key++) {
        assert_ok(engine_say(f, gang, (int64_t)gang.key, 1)); /* nine sorts */
    }
    gang.key = 10;
    assert_status(SKED_ERR_NOMEM, engine_say(f, gang, 10, 1));
    assert_ok(sked_engine_pass(f->engine, 0, 0, NULL));
    assert_i64((int64_t)engine_stats_of(f).running_tasks, 12); /* 1, 2, 3 */
    assert_i64((int64_t)engine_stats_of(f).form_nodes, 2);     /* for another */
}

static sked_status reserve_once(test_host *h, void *arg)
{
    const sizes s = {.struct_size = sizeof s,
                     .partitions = 3,
                     .nodes = 100,
                     .jobs = 100,
                     .users = 50,
                     .accounts = 70,
                     .asks = 200,
                     .places = 30,
                     .groups = 300,
                     .saved = 20,
                     .decisions = 200};
    sked_host host = test_host_hooks(h);
    sked_engine *engine;
    engine_world w;
    (void)arg;

    world_start(&w, 3, 6, 2);
    sked_status rc = sked_engine_new(w.tree, NULL, &host, &engine, NULL);
    if (rc == SKED_OK) rc = sked_engine_reserve(engine, &s, NULL);
    if (engine) assert_ok(sked_engine_check(engine, NULL));
    sked_engine_free(engine);
    world_end(&w);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_sweep(reserve_once, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_reserved_is_enough),
        engine_case(sizes_answer),
        engine_case(more_than_was_reserved_is_refused),
        engine_case(gangs_over_nodes_need_no_word),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
