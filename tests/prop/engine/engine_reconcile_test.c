/*
 * An engine that is started anew beside a cluster at work: what its host knows
 * is told to an empty engine, which then has the same books and decides the
 * same as the engine that went on. And an engine that missed something is
 * mended, whatever that was: afterwards nothing differs.
 */
#include <stdlib.h>
#include <string.h>

#include "reconcile_draw.h"
#include "reconcile_same.h"
#include "reconcile_truth.h"

/* Mends an engine: how much there was to be done; afterwards nothing. */
static size_t mend(twins *t, side *s)
{
    const size_t step = sizeof t->mend[0];
    sked_error err = {.code = SKED_OK};
    size_t n, left;
    uint64_t done;

    uint64_t before = sked_engine_state_digest(s->engine);
    assert_ok(sked_engine_reconcile(s->engine, &t->truth.batch, t->mend, ROWS,
                                    &n, &err));
    assert_true(before == sked_engine_state_digest(s->engine));
    sked_events batch = t->truth.batch;
    batch.events = &t->mend[0].event;
    batch.stride = (uint32_t)step;
    batch.n = n;
    batch.moments = &t->mend[0].moment;
    batch.tasks = &t->mend[0].task;
    batch.moment_stride = batch.task_stride = (uint32_t)step;
    batch.gangs = &t->mend[0].gang;
    batch.charges = &t->mend[0].charge;
    batch.gang_stride = batch.charge_stride = (uint32_t)step;
    sked_status rc = sked_engine_apply(s->engine, &batch, &done, &err);
    if (rc != SKED_OK) {
        fail_msg("row %llu of %zu (event %d): %s", (unsigned long long)done, n,
                 t->mend[done].event.kind, err.message);
    }
    assert_ok(sked_engine_check(s->engine, NULL));
    assert_ok(sked_engine_reconcile(s->engine, &t->truth.batch, t->mend, ROWS,
                                    &left, &err));
    if (left > 0) {
        fail_msg("%zu left: event %d of key %llu", left, t->mend[0].event.kind,
                 (unsigned long long)t->mend[0].event.key);
    }
    same_things(t, t->one.engine, s->engine);
    return n;
}

/* ---- Laws ---- */

static void world(twins *t, uint64_t seed, int64_t confirm_within,
                  uint32_t without)
{
    memset(t, 0, sizeof *t);
    t->words.state = seed;
    t->has = (uint32_t)below(t, HAS_ALL + 1) & ~without;
    if (below(t, 2)) t->has = HAS_ALL & ~without;
    t->opts = (sked_engine_options){.struct_size = sizeof t->opts,
                                    .seed = 1,
                                    .confirm_within_ns = confirm_within,
                                    .flags = SKED_ENGINE_FLAG_WAIT,
                                    .max_user_running = 3};
    if (may(t, HAS_POOLS)) t->opts.pooled = 1U << (KINDS - 1);
    plant(t);
    start(t, &t->one);
}

static void end_world(twins *t)
{
    sked_engine_free(t->one.engine);
    sked_engine_free(t->other.engine);
    uproot(t);
}

/* Of any two things one world at least had both. */
static uint32_t met_with[METS];

static void meet(const twins *t)
{
    uint32_t met = t->one.met;

    for (uint32_t i = 0; i < t->one.engine->jobs.n; i++) {
        met |= bit_of(MET_WAITS,
                      job_at(t->one.engine, i)->state == JOB_WAITING);
    }
    for (int i = 0; i < METS; i++) {
        if (met >> i & 1) met_with[i] |= met;
    }
}

static void all_but_these_met(uint32_t without)
{
    for (int i = 0; i < METS; i++) {
        if (without >> i & 1) continue;
        for (int k = 0; k < METS; k++) {
            if (without >> k & 1 || met_with[i] >> k & 1) continue;
            fail_msg("%d and %d never met", i, k);
        }
    }
    memset(met_with, 0, sizeof met_with);
}

static void same_allocation(const sked_decision *a, const sked_decision *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->reason, b->reason);
    assert_i64((int64_t)a->job, (int64_t)b->job);
    assert_i64((int64_t)a->ask, (int64_t)b->ask);
    assert_i64((int64_t)a->node, (int64_t)b->node);
    assert_i64((int64_t)a->queue, (int64_t)b->queue);
    assert_i64(a->time, b->time);
    assert_i64(a->count, b->count);
}

/* Are two groups of as many tasks of one ask, which hold and cost the same? */
static int are_alike(const twins *t, uint32_t one, uint32_t other)
{
    const sked_engine *e = t->one.engine, *o = t->other.engine;
    const engine_group *x = group_at(e, one), *y = group_at(o, other);
    size_t bytes = KINDS * sizeof(int64_t);

    return ask_at(e, x->ask)->key == ask_at(o, y->ask)->key &&
           x->count == y->count &&
           memcmp(skedi_group_task(e, x), skedi_group_task(o, y), bytes) == 0 &&
           told_of(t, e, one, SKED_EVENT_TASK_COST) ==
               told_of(t, o, other, SKED_EVENT_TASK_COST) &&
           told_of(t, e, one, SKED_EVENT_TASK_ENDS) ==
               told_of(t, o, other, SKED_EVENT_TASK_ENDS);
}

/* The name of a group of the other side on a node that is like one here and has
 * no pair yet; 0: there is none. */
static uint64_t pair_of(const twins *t, uint32_t node, uint32_t group)
{
    const sked_engine *o = t->other.engine;

    for (uint32_t h = node_at(o, node)->first_group; h != SKEDI_NONE;
         h = group_at(o, h)->next) {
        int taken = 0;
        for (size_t i = 0; i < t->other.groups; i++) {
            taken |= t->other.group[i] == skedi_group_name(o, h);
        }
        if (!taken && are_alike(t, group, h)) return skedi_group_name(o, h);
    }
    return 0;
}

/* Both sides have groups of the same names in the same order from here on. Those
 * that have no pair (what was said of only some of a node) are let run. */
static void pair_groups(twins *t)
{
    const sked_engine *e = t->one.engine;
    size_t alone = 0;

    t->one.groups = t->other.groups = 0;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        uint32_t there = skedi_keymap_get(&t->other.engine->node_of,
                                          node_at(e, n)->key);
        for (uint32_t g = node_at(e, n)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->next) {
            uint64_t name = pair_of(t, there, g);
            alone += name == 0;
            if (name == 0) continue;
            t->one.group[t->one.groups++] = skedi_group_name(e, g);
            t->other.group[t->other.groups++] = name;
        }
    }
    assert_int_equal(t->one.groups + alone, e->groups.live);
    assert_true(alone == 0 || may(t, HAS_SAID));
}

/* Tasks of one ask on one node that were started after each other, whatever
 * their numbers, as one decision; how many are left. */
static size_t merge(sked_decision *d, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        sked_decision *last = kept > 0 ? &d[kept - 1] : NULL;
        if (last && last->kind == SKED_DECISION_ALLOCATE &&
            d[i].kind == last->kind && d[i].ask == last->ask &&
            d[i].node == last->node) {
            last->count += d[i].count;
        } else {
            d[kept++] = d[i];
        }
    }
    return kept;
}

static void same_decisions(twins *t)
{
    sked_decision a[64], b[64];
    size_t groups = t->one.groups;
    size_t n = hear(&t->one, a, 64);
    size_t m = hear(&t->other, b, 64);

    assert_true(n <= 64 && m <= 64);
    int alike = n == m;
    for (size_t i = 0; alike && i < n; i++) alike = a[i].count == b[i].count;
    for (size_t i = 0; alike && i < n; i++) same_allocation(&a[i], &b[i]);
    if (alike) return;
    /* Other numbers are open, so groups are others: they are let run. */
    t->one.groups = groups;
    t->other.groups = groups;
    n = merge(a, n);
    assert_int_equal(merge(b, m), n);
    for (size_t i = 0; i < n; i++) same_allocation(&a[i], &b[i]);
}

/* One event to both: the same answer and the same decisions. */
static void go_on(twins *t)
{
    size_t at;
    said w = draw_any(t, &t->one, &at);
    int named = names_group(&w.event);

    /* Which tasks a lost node has first is the order in which they began. */
    if (w.event.kind == SKED_EVENT_NODE_DOWN) {
        w.event.kind = SKED_EVENT_NODE_DRAIN;
    }
    t->now += (sked_time)below(t, 3);
    w.event.time = t->now;
    if (named) w.event.key = name_of(&t->one, at);
    sked_status rc = tell(&t->one, &w);
    if (named) w.event.key = name_of(&t->other, at);
    assert_int_equal(tell(&t->other, &w), rc);
    same_decisions(t);
}

static size_t explained; /* jobs, of which both engines said the same */

/* An engine is made anew beside one that lived, and both go on. */
static void restart(twins *t, uint64_t seed, uint64_t *told, uint64_t *ran)
{
    size_t left;

    world(t, seed, 0, HAS_REST);
    for (int i = 0; i < 150; i++) live(t, &t->one);
    tell_truth(t, &t->one);
    assert_ok(sked_engine_reconcile(t->one.engine, &t->truth.batch, t->mend,
                                    ROWS, &left, NULL));
    if (left > 0) {
        fail_msg("seed %llu: event %d of key %llu", (unsigned long long)seed,
                 t->mend[0].event.kind,
                 (unsigned long long)t->mend[0].event.key);
    }
    start(t, &t->other);
    *told += mend(t, &t->other);
    *ran += t->one.engine->stats.running_tasks;
    assert_true(t->other.engine->stats.running_tasks ==
                t->one.engine->stats.running_tasks);
    assert_true(t->other.engine->stats.open_tasks ==
                t->one.engine->stats.open_tasks);
    meet(t);
    (void)hear(&t->other, NULL, 0);
    (void)hear(&t->one, NULL, 0);
    pair_groups(t);
    assert_ok(sked_engine_pass(t->one.engine, t->now, 0, NULL));
    assert_ok(sked_engine_pass(t->other.engine, t->now, 0, NULL));
    same_decisions(t);
    explained += same_answers(t);
    for (int i = 0; i < 60; i++) go_on(t);
    assert_ok(sked_engine_check(t->other.engine, NULL));
    end_world(t);
}

static void a_restart_decides_as_if_it_had_not_been(void **state)
{
    static twins t;
    uint64_t told = 0, ran = 0;
    (void)state;

    const char *only = getenv("SKED_TEST_SEED");
    uint64_t from = only ? strtoull(only, NULL, 10) : 1;
    uint64_t to = only ? from : test_size(800, 5000);
    for (uint64_t seed = from; seed <= to; seed++) {
        restart(&t, seed, &told, &ran);
    }
    if (only) return;
    assert_true(told > test_size(1000, 1000) && ran > test_size(300, 300));
    assert_true(explained > test_size(100, 100));
    all_but_these_met(bit_of(MET_REFUSAL, 1) | bit_of(MET_EXCLUSION, 1) |
                      bit_of(MET_RELEASED, 1) | bit_of(MET_CANCEL, 1));
}

/* Two engines with the same keys lived apart: one is made like the other, with
 * proposals out on both. */
static void whatever_was_missed_is_mended(void **state)
{
    static twins t;
    uint64_t told = 0;
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(3000, 20000); seed++) {
        world(&t, seed, seed % 3 ? 1000 : 0, 0);
        start(&t, &t.other);
        for (int i = 0; i < 150; i++) {
            live(&t, &t.one);
            if (i == 30) t.jobs = t.asks = 0;
            if (i > 20) live(&t, &t.other);
        }
        tell_truth(&t, &t.one);
        told += mend(&t, &t.other);
        meet(&t);
        end_world(&t);
    }
    assert_true(told > test_size(5000, 5000));
    all_but_these_met(0);
}

/* One event that one engine may miss. */
static void live_apart(twins *t)
{
    said w = draw_event(t);
    int trait = below(t, 3) == 0;

    if (trait) {
        w = (said){.event = {.key = 1 + below(t, 5)}, .moment = SKED_UNSET};
        if (below(t, 3))
            draw_trait(t, &w);
        else
            draw_places(t, &w);
    }
    uint64_t who = trait ? below(t, 3) : 2;
    w.event.time = ++t->now;
    if (names_group(&w.event)) w.event.key = 0;
    if (who != 1) (void)!tell(&t->one, &w);
    if (who != 0) (void)!tell(&t->other, &w);
    (void)hear(&t->one, NULL, 0);
    (void)hear(&t->other, NULL, 0);
}

/* Two engines with the same asks, each of which missed what some of them prefer:
 * one is made like the other. */
static void rules_that_were_missed_are_mended(void **state)
{
    static twins t;
    uint64_t told = 0;
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(400, 5000); seed++) {
        world(&t, seed, 0, HAS_REST);
        t.has |= HAS_TRAITS | HAS_PLACES;
        start(&t, &t.other);
        for (int i = 0; i < 150; i++) live_apart(&t);
        tell_truth(&t, &t.one);
        told += mend(&t, &t.other);
        end_world(&t);
    }
    assert_true(told > test_size(300, 5000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_decides_as_if_it_had_not_been),
        cmocka_unit_test(whatever_was_missed_is_mended),
        cmocka_unit_test(rules_that_were_missed_are_mended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
