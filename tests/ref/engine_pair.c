#include "engine_pair.h"

#include "engine/reservation.h"

#include "test.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "ref_engine.h"

#include "engine/work.h"
#include "engine/state.h"
#include "tree/image.h"

typedef struct pair {
    engine_world world;
    test_host host;
    sked_engine *engine;
    ref_engine *twin;
    uint64_t seed;
    size_t step;
    pair_seen seen;
    uint64_t gang; /* of the last decision */
} pair;

#define SAME(p, field)                                                         \
    do {                                                                       \
        if (got.field != want->field) {                                        \
            fail_msg("seed %llu step %zu (event %d): decision %llu (kind %d, " \
                     "twin %d): " #field " is %lld, not %lld",                 \
                     (unsigned long long)(p)->seed, (p)->step,                 \
                     (p)->world.event.kind, (unsigned long long)got.sequence,  \
                     got.kind, want->kind, (long long)got.field,               \
                     (long long)want->field);                                  \
        }                                                                      \
    } while (0)

static void same_decision(const pair *p, sked_decision got,
                          const sked_decision *want)
{
    SAME(p, kind);
    SAME(p, job);
    SAME(p, ask);
    SAME(p, node);
    SAME(p, sequence);
    SAME(p, time);
    SAME(p, reason);
    SAME(p, group);
    SAME(p, task);
    SAME(p, count);
    SAME(p, queue);
    SAME(p, detail);
    SAME(p, kind_at);
    SAME(p, serves);
    SAME(p, partition);
}

/* The host takes some or all of what was decided, and both agree on it. */
static void take_decisions(pair *p, size_t most)
{
    for (size_t i = 0; i < most; i++) {
        sked_decision got;
        size_t n;
        assert_ok(sked_engine_take(p->engine, &got, 1, &n, NULL));
        if (n == 0) {
            if (p->twin->taken != p->twin->n_out) {
                const sked_decision *d = &p->twin->out[p->twin->taken];
                fail_msg("seed %llu step %zu (event %d): the twin decides "
                         "more: kind %d reason %d ask %llu node %llu",
                         (unsigned long long)p->seed, p->step,
                         p->world.event.kind, d->kind, d->reason,
                         (unsigned long long)d->ask,
                         (unsigned long long)d->node);
            }
            return;
        }
        if (p->twin->taken >= p->twin->n_out) {
            fail_msg("seed %llu step %zu (event %d): the twin does not decide "
                     "kind %d reason %d job %llu ask %llu node %llu",
                     (unsigned long long)p->seed, p->step, p->world.event.kind,
                     got.kind, got.reason, (unsigned long long)got.job,
                     (unsigned long long)got.ask, (unsigned long long)got.node);
        }
        same_decision(p, got, &p->twin->out[p->twin->taken]);
        world_hear(&p->world, &got);
        p->seen.fell += got.kind == SKED_DECISION_KILL &&
                        got.reason == SKED_REASON_GANG;
        p->seen.wide += got.reason == SKED_REASON_GANG && got.ask == p->gang;
        p->gang = got.reason == SKED_REASON_GANG ? got.ask : 0;
        ref_engine_take(p->twin, 1);
    }
}

static void same_status(const pair *p, sked_status got, sked_status want)
{
    if (got == want) return;
    fail_msg("seed %llu step %zu (event %d): %s, not %s",
             (unsigned long long)p->seed, p->step, p->world.event.kind,
             sked_status_name(got), sked_status_name(want));
}

/* What is charged in the trees of limits. */
static void same_limits(const pair *p)
{
    int64_t got[WORLD_KINDS], want[REF_KINDS], running;

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        if (!p->world.limits[i]) continue;
        const skedi_image *image = skedi_tree_image(p->twin->limits[i]);
        for (uint32_t row = 0; row < image->n; row++) {
            assert_ok(sked_engine_limits_usage(p->engine, i + 1, image->id[row],
                                               got, &running));
            assert_i64(running, ref_engine_charged(p->twin, i + 1, row, want));
            assert_memory_equal(got, want, sizeof got);
        }
    }
}

/* What is reserved for gangs that form. */
static void same_forming(const pair *p)
{
    sked_engine_stats stats = {.struct_size = sizeof stats};
    uint64_t nodes = 0;

    assert_ok(sked_engine_get_stats(p->engine, &stats));
    for (size_t i = 0; i < p->twin->nodes; i++) {
        const ref_node *n = &p->twin->node[i];
        if (n->gone) continue;
        uint32_t at = skedi_keymap_get(&p->engine->node_of, n->key);
        const engine_forming_part *part = skedi_forming_on(p->engine, at);
        assert_i64(part ? part->count : 0, n->formed);
        nodes += n->formed > 0;
    }
    for (uint32_t i = 0; i < p->engine->parts; i++) {
        const ref_forming *want = &p->twin->forming[i];
        const engine_forming *f = skedi_forming_of(p->engine, i);
        assert_int_equal(f != NULL, want->on);
        if (!f || !ask_at(p->engine, f->ask)->live) continue;
        if (ask_at(p->engine, f->ask)->arrival != f->arrival) continue;
        assert_i64((int64_t)ask_at(p->engine, f->ask)->key,
                   (int64_t)p->twin->ask[want->ask].key);
    }
    assert_i64((int64_t)stats.formings, (int64_t)p->twin->formings);
    assert_i64((int64_t)stats.form_nodes, (int64_t)nodes);
}

static void same_books(pair *p)
{
    const skedi_image *image = skedi_tree_image(p->twin->tree);
    int64_t got[WORLD_KINDS], want[REF_KINDS];

    for (uint32_t row = 0; row < image->n; row++) {
        assert_ok(sked_engine_usage(p->engine, image->id[row],
                                    SKED_ANY_PARTITION, got, NULL));
        ref_engine_usage(p->twin, row, SKED_ANY_PARTITION, want);
        assert_memory_equal(got, want, sizeof got);
        assert_ok(sked_engine_usage(p->engine, image->id[row], 0, got, NULL));
        ref_engine_usage(p->twin, row, 0, want);
        assert_memory_equal(got, want, sizeof got);
    }
    same_limits(p);
    for (size_t i = 0; i < p->twin->nodes; i++) {
        if (p->twin->node[i].gone) continue;
        assert_ok(sked_engine_node_free(p->engine, p->twin->node[i].key, got));
        ref_engine_free_on(p->twin, i, want);
        for (uint32_t k = 0; k < p->twin->kinds; k++) {
            if (ref_engine_pooled(p->twin, k)) want[k] = 0;
        }
        assert_memory_equal(got, want, sizeof got);
    }
}

static void same_state(pair *p)
{
    sked_error err = {.code = SKED_OK};
    sked_status rc = sked_engine_check(p->engine, &err);

    if (rc != SKED_OK) {
        fail_msg("seed %llu step %zu (event %d): %s: %lld",
                 (unsigned long long)p->seed, p->step, p->world.event.kind,
                 err.message, (long long)err.got);
    }
    if (sked_engine_digest(p->engine) != ref_engine_digest(p->twin)) {
        take_decisions(p, SIZE_MAX); /* says which */
        fail_msg("seed %llu step %zu (event %d): another digest",
                 (unsigned long long)p->seed, p->step, p->world.event.kind);
    }
    if (p->step % 64 == 0) same_books(p);
    if (p->world.forms) same_forming(p);
    pair_look(p->engine, &p->seen);
}

/* Does the event name all groups of an ask that has several? */
static int several_named(const pair *p)
{
    const sked_event *event = &p->world.event;
    int task = event->kind >= SKED_EVENT_TASK_CONFIRM &&
               event->kind <= SKED_EVENT_TASK_KILLED;
    uint32_t ask = skedi_keymap_get(&p->engine->ask_of, event->key);

    if (!task || !(event->flags & SKED_TASK_ALL)) return 0;
    return ask != SKEDI_NONE && skedi_ask_groups(p->engine, ask) > 1;
}

static void one_event(pair *p)
{
    uint64_t done = 7;
    sked_error err;

    world_next(&p->world);
    int several = several_named(p);
    sked_status want = ref_engine_event(p->twin, &p->world.batch,
                                        &p->world.event);
    sked_status got = sked_engine_apply(p->engine, &p->world.batch, &done,
                                        &err);
    same_status(p, got, want);
    p->seen.together += several && want == SKED_OK;
    assert_i64((int64_t)done, want == SKED_OK);
}

static void one_commit(pair *p)
{
    sked_tree *next;

    assert_ok(sked_tree_copy(p->world.tree, NULL, &next, NULL));
    world_edit(&p->world, next, 1 + test_below(&p->world.words, 12));
    sked_status want = ref_engine_commit(p->twin, next, p->world.now);
    sked_status got = sked_engine_commit(p->engine, next, p->world.now, NULL);
    p->world.event.kind = 1000;
    same_status(p, got, want);
    if (got != SKED_OK) {
        sked_tree_free(next);
        return;
    }
    sked_tree_free(p->world.tree);
    p->world.tree = next;
}

/* A tree of limits is edited. */
static void one_limits(pair *p)
{
    int which = (int)test_below(&p->world.words, SKED_MAX_LIMIT_TREES);
    sked_tree *next;

    assert_ok(sked_tree_copy(p->world.limits[which], NULL, &next, NULL));
    world_edit_limits(&p->world, which, next);
    sked_status want = ref_engine_limits(p->twin, (uint32_t)which + 1, next,
                                         p->world.now);
    sked_status got = sked_engine_commit_limits(p->engine, (uint32_t)which + 1,
                                                next, p->world.now, NULL);
    p->world.event.kind = 1004;
    same_status(p, got, want);
    if (got == SKED_OK) {
        sked_tree_free(p->world.limits[which]);
        p->world.limits[which] = next;
    } else {
        sked_tree_free(next);
    }
}

/* A pass over all nodes now. Returns how much it decides. */
static size_t pass_again(pair *p)
{
    size_t made = p->twin->n_out;
    sked_status want = ref_engine_pass(p->twin, p->world.now, 0);

    same_status(p, sked_engine_pass(p->engine, p->world.now, 0, NULL), want);
    return p->twin->n_out - made;
}

/* Once a pass decides nothing, no pass decides anything before the next moment
 * that the engine names. */
static void time_passes(pair *p)
{
    size_t made = 1;

    for (int i = 0; i < 20 && made > 0; i++) made = pass_again(p);
    if (made > 0) return; /* passes start one task at a time here */
    sked_time next = sked_engine_next_time(p->engine);
    uint64_t left = (uint64_t)next - (uint64_t)p->world.now;
    p->world.now += (sked_time)test_below(&p->world.words,
                                          left < 40 ? left : 40);
    if (next > p->world.now && pass_again(p) == 0) return;
    fail_msg("seed %llu step %zu: next time %lld, now %lld",
             (unsigned long long)p->seed, p->step, (long long)next,
             (long long)p->world.now);
}

static void one_pass(pair *p)
{
    uint64_t budget = test_below(&p->world.words, 2)
                          ? test_below(&p->world.words, 5)
                          : 0;
    sked_status want = ref_engine_pass(p->twin, p->world.now, budget);
    sked_status got = sked_engine_pass(p->engine, p->world.now, budget, NULL);

    p->world.event.kind = 1001;
    same_status(p, got, want);
    if (budget == 0 && got == SKED_OK) time_passes(p);
}

/* By one of the modes, perhaps with scores, of which some are alike. */
static void one_placing(pair *p)
{
    uint64_t keys[64];
    int64_t scores[64];
    sked_engine_place_options opts = {
        .struct_size = sizeof opts,
        .mode = (uint32_t)test_below(&p->world.words, 6),
        .nodes = keys,
        .scores = scores};
    /* Draws of an option that is gone: seeds stand for the same worlds. */
    if (!test_below(&p->world.words, 3)) (void)test_below(&p->world.words, 4);
    uint64_t budget = test_below(&p->world.words, 3)
                          ? 0
                          : test_below(&p->world.words, 5);

    for (size_t i = 0; i < p->twin->nodes && opts.n < 64; i++) {
        if (p->twin->node[i].gone || test_below(&p->world.words, 4) == 0) {
            continue;
        }
        keys[opts.n] = p->twin->node[i].key;
        scores[opts.n++] = (int64_t)test_below(&p->world.words, 5) - 2;
    }
    uint64_t made = p->twin->n_out;
    sked_status want = ref_engine_place(p->twin, &opts, p->world.now, budget);
    sked_status got = sked_engine_place(p->engine, p->world.now, budget, &opts,
                                        NULL);

    p->world.event.kind = 1003;
    p->seen.placed += p->twin->n_out - made;
    same_status(p, got, want);
}

/* Random bounds of a queue, which may be no leaf; none of a kind as a rule. */
static void one_admission(pair *p)
{
    int64_t bounds[4][WORLD_KINDS];
    sked_engine_admit_options opts = {
        .struct_size = sizeof opts,
        .flags = test_below(&p->world.words, 4) > 0,
        .entitlement = bounds[0],
        .slack = bounds[1],
        .reservation = bounds[2],
        .controllers = test_below(&p->world.words, 2) ? bounds[3] : NULL};
    sked_queue_id queue = world_queue(&p->world);

    for (int b = 0; b < 4; b++) {
        for (int k = 0; k < WORLD_KINDS; k++) {
            int64_t some = (int64_t)test_below(&p->world.words, 200);
            int none = test_below(&p->world.words, 4) == 0;
            bounds[b][k] = none ? SKED_UNLIMITED : some;
        }
    }
    const sked_engine_admit_options *said = test_below(&p->world.words, 6)
                                                ? &opts
                                                : NULL;
    sked_status want = ref_engine_admit_by(p->twin, queue, p->world.now, said);
    sked_status got = sked_engine_admit(p->engine, queue, p->world.now, said,
                                        NULL);
    p->world.event.kind = 1004;
    same_status(p, got, want);
}

static void one_name(pair *p)
{
    uint64_t user = test_below(&p->world.words, p->world.users + 1);
    char name[] = "u0";

    name[1] = (char)('0' + test_below(&p->world.words, 5));
    const char *called = test_below(&p->world.words, 4) ? name : NULL;
    ref_engine_name_user(p->twin, user, called);
    assert_ok(sked_engine_name_user(p->engine, user, called, NULL));
    p->world.event.kind = 1002;
}

static void one_step(pair *p)
{
    uint64_t what = test_below(&p->world.words, 100);

    if (p->world.classed && test_below(&p->world.words, 12) == 0)
        one_admission(p);
    else if (what == 0)
        one_commit(p);
    else if (what == 1)
        one_pass(p);
    else if (what == 3 && p->world.limits[0])
        one_limits(p);
    else if (what < p->world.placing)
        one_placing(p);
    else if (what == 2)
        one_name(p);
    else
        one_event(p);
    int all = test_below(&p->world.words, 4) > 0;
    take_decisions(p, all ? SIZE_MAX : test_below(&p->world.words, 3));
    same_state(p);
}

/* Every user called something, so that the tree's weights are theirs. */
static void name_users(pair *p)
{
    char name[] = "u0";

    for (uint64_t user = 0; user < p->world.users; user++, name[1]++) {
        ref_engine_name_user(p->twin, user, name);
        assert_ok(sked_engine_name_user(p->engine, user, name, NULL));
    }
}

pair_seen pair_run(uint64_t seed, size_t queues, uint32_t nodes, size_t steps,
                   void (*change)(engine_world *))
{
    pair *p = calloc(1, sizeof *p);

    assert_non_null(p);
    p->seed = seed;
    world_start(&p->world, seed, queues, nodes);
    if (change) change(&p->world);
    sked_engine_options opts = world_options(&p->world);
    sked_host host = test_host_hooks(&p->host);
    assert_ok(sked_engine_new(p->world.tree, &opts, &host, &p->engine, NULL));
    p->twin = ref_engine_new(p->world.tree, &opts);
    if (change == world_bound_users) name_users(p);
    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const sked_tree *tree = p->world.limits[i];
        if (!tree) continue;
        assert_ok(ref_engine_limits(p->twin, i + 1, tree, 0));
        assert_ok(sked_engine_commit_limits(p->engine, i + 1, tree, 0, NULL));
    }
    for (p->step = 0; p->step < steps; p->step++) one_step(p);
    take_decisions(p, SIZE_MAX);
    same_books(p);
    sked_engine_free(p->engine);
    ref_engine_free(p->twin);
    world_end(&p->world);
    assert_int_equal(p->host.live, 0);
    pair_seen what = p->seen;
    free(p);
    return what;
}
