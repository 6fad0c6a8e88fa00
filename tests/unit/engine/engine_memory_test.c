/*
 * Every allocation failed in turn, once and from there on, over a host that
 * says all there is to say: an event that fails changed nothing, said again it
 * succeeds, and no byte is left.
 */
#include "engine_fixture.h"

#include <sched/engine_place.h>

#include "engine/state.h"
#include "engine_world.h"
#include "size.h"

typedef struct sweep {
    sked_event events[160];
    int64_t amounts[160][WORLD_KINDS];
    uint64_t places[160][4];
    int32_t offsets[160][2];
    sked_time moments[160];
    int64_t tasks[160];
    int32_t rows[160][2];
    sked_rule_attribute attributes[160][WORLD_ATTRIBUTES];
    sked_rule_term terms[160][WORLD_TERMS];
    int64_t values[160][WORLD_VALUES];
    void (*change)(engine_world *); /* of the world; or NULL */
    size_t n;
} sweep;

/* The state after an event that failed is that before it, what was due by its
 * time aside: a tick brings that about by itself. */
static sked_status say_once(sked_engine *engine, const sked_events *batch)
{
    sked_event tick = {.kind = SKED_EVENT_TICK, .time = batch->events->time};
    sked_events first = {.struct_size = sizeof first, .events = &tick, .n = 1};
    uint64_t done;
    sked_decision decisions[64];
    size_t n;

    sked_status rc = sked_engine_apply(engine, &first, NULL, NULL);
    if (rc != SKED_OK) return rc;
    uint64_t before = sked_engine_state_digest(engine);
    rc = sked_engine_apply(engine, batch, &done, NULL);
    assert_ok(sked_engine_check(engine, NULL));
    if (rc != SKED_OK && done == 0) {
        assert_true(sked_engine_state_digest(engine) == before);
    }
    do {
        assert_ok(sked_engine_take(engine, decisions, 64, &n, NULL));
    } while (n == 64);
    return rc;
}

/* A failure of the host's is the scenario's; what is wrong of itself is not. */
static int is_host_failure(sked_status rc)
{
    return rc == SKED_ERR_NOMEM || rc == SKED_ERR_CANCELLED || rc > 0 ||
           rc <= -1000;
}

/* By each mode in turn, one of them with a score. */
static sked_status place_by_turns(sked_engine *engine, size_t turn)
{
    static const int64_t score = 3;
    sked_engine_place_options opts = {.struct_size = sizeof opts,
                                      .mode = 1 + (uint32_t)turn % 5,
                                      .scores = &score};
    uint64_t node = 0;

    for (uint32_t n = 0; n < engine->nodes.n && node == 0; n++) {
        node = node_at(engine, n)->key;
    }
    opts.nodes = &node;
    opts.n = node != 0;
    return sked_engine_place(engine, engine->now, 0, &opts, NULL);
}

static sked_status live(test_host *h, void *arg)
{
    const sweep *s = arg;
    engine_world w;
    sked_engine *engine;
    sked_host host = test_host_hooks(h);

    world_start(&w, 11, 6, 3);
    sked_engine_options opts = {.struct_size = sizeof opts,
                                .confirm_within_ns = 15,
                                .max_user_running = 3};
    sked_status rc = sked_engine_new(w.tree, &opts, &host, &engine, NULL);
    for (size_t i = 0; rc == SKED_OK && i < s->n; i++) {
        sked_events batch = {.struct_size = sizeof batch,
                             .events = &s->events[i],
                             .n = 1,
                             .amounts = s->amounts[i],
                             .n_amounts = 1,
                             .place_offsets = s->offsets[i],
                             .places = s->places[i],
                             .n_places = 1,
                             .moments = &s->moments[i],
                             .tasks = &s->tasks[i],
                             .attribute_offsets = s->rows[i],
                             .attributes = s->attributes[i],
                             .n_attributes = 1,
                             .rule_offsets = s->rows[i],
                             .rule_terms = s->terms[i],
                             .n_rules = 1,
                             .rule_values = s->values[i],
                             .n_rule_values = WORLD_VALUES};
        sked_status said = say_once(engine, &batch);
        if (is_host_failure(said)) rc = said;
        if (rc == SKED_OK && i % 50 == 20) {
            uint64_t before = sked_engine_state_digest(engine);
            rc = sked_engine_commit(engine, w.tree, 0, NULL);
            if (rc != SKED_OK) {
                assert_true(before == sked_engine_state_digest(engine));
            }
        }
        if (rc == SKED_OK && i % 50 == 30) {
            rc = sked_engine_name_user(engine, 1, "u1", NULL);
        }
        if (rc == SKED_OK && i % 50 == 40) {
            rc = sked_engine_pass(engine, s->events[i].time, 0, NULL);
        }
        if (rc == SKED_OK && i % 16 == 12) rc = place_by_turns(engine, i / 16);
    }
    if (engine) assert_ok(sked_engine_check(engine, NULL));
    sked_engine_free(engine);
    world_end(&w);
    return rc;
}

/* Events of one calm life, group names and all. */
static void record(sweep *s, size_t n)
{
    engine_world w;
    sked_engine *engine;
    sked_decision d;
    size_t got;

    world_start(&w, 11, 6, 3);
    if (s->change) s->change(&w);
    sked_engine_options opts = {.struct_size = sizeof opts,
                                .confirm_within_ns = 15,
                                .max_user_running = 3};
    assert_ok(sked_engine_new(w.tree, &opts, NULL, &engine, NULL));
    for (s->n = 0; s->n < n; s->n++) {
        world_next(&w);
        s->events[s->n] = w.event;
        memcpy(s->amounts[s->n], w.amounts, sizeof w.amounts);
        memcpy(s->places[s->n], w.places, sizeof w.places);
        memcpy(s->offsets[s->n], w.offsets, sizeof w.offsets);
        memcpy(s->rows[s->n], w.rows, sizeof w.rows);
        memcpy(s->attributes[s->n], w.attributes, sizeof w.attributes);
        memcpy(s->terms[s->n], w.terms, sizeof w.terms);
        memcpy(s->values[s->n], w.values, sizeof w.values);
        s->moments[s->n] = s->change ? w.moment : SKED_UNSET;
        s->tasks[s->n] = s->change ? w.task : SKED_UNSET;
        sked_status rc = sked_engine_apply(engine, &w.batch, NULL, NULL);
        (void)rc;
        for (;;) {
            assert_ok(sked_engine_take(engine, &d, 1, &got, NULL));
            if (got == 0) break;
            world_hear(&w, &d);
        }
    }
    sked_engine_free(engine);
    world_end(&w);
}

static void every_allocation_may_fail(void **state)
{
    static sweep s;
    (void)state;

    record(&s, 160);
    test_sweep(live, &s, 0);
}

static void every_allocation_for_work_found_may_fail(void **state)
{
    static sweep s = {.change = world_host};
    (void)state;

    record(&s, 40 + test_size(120, 120));
    test_sweep(live, &s, 0);
}

static void found_and_ruled(engine_world *w)
{
    world_host(w);
    world_rule(w);
}

static void every_allocation_for_rules_may_fail(void **state)
{
    static sweep s = {.change = found_and_ruled};
    (void)state;

    record(&s, 40 + test_size(120, 120));
    test_sweep(live, &s, 0);
}

static void every_allocation_for_rates_may_fail(void **state)
{
    static sweep s = {.change = world_rate};
    (void)state;

    record(&s, 80);
    test_sweep(live, &s, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_for_work_found_may_fail),
        cmocka_unit_test(every_allocation_for_rules_may_fail),
        cmocka_unit_test(every_allocation_for_rates_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
