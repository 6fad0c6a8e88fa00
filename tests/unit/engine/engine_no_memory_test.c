/*
 * Rounds and settings that lack memory at any point: the call
 * says so, nothing has changed, and the next one does it.
 *
 * What a round needs comes out of an arena, which asks for memory only when it
 * is full. So each test takes a piece out of it first, longer and longer, that
 * the rest ends at each place once.
 */
#include "engine_scene.h"

#include "engine/preempt.h"
#include "engine/state.h"

enum { MOST_LESS = 65536 };

/* Queue a fills the node with forty sorts of tasks; b claims some of it, and in
 * a there wait another user and a higher priority. */
static scene crowd(engine_fixture *f, uint32_t flags, uint64_t more)
{
    static const sked_target_options second = {
        .struct_size = sizeof second,
        .mode = SKED_TARGET_MODE_ENTITLEMENT,
        .cycles = 1};
    static const sked_target_options *const list[] = {&second, &second};
    scene s = scene_begin(f);
    const int32_t priority[] = {0, 0, 0, 2};

    s.preempt.flags = flags;
    s.preempt.more_targets = list;
    s.preempt.n_more_targets = more;
    engine_set(f, s.a, SKED_QUEUE_USER_LIMIT, 500000);
    engine_begin(f, NULL);
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 40, 1000);
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    for (uint64_t i = 0; i < 40; i++) { /* many more classes than queues */
        assert_ok(engine_add_ask(f, 10 + i, 1, 1, 1, (int64_t)i));
    }
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_JOB_LEAST, .key = 1, .count = 1}, 0,
        0));
    assert_ok(engine_add_ask(f, 2, 2, 3, 1, 1));
    for (uint64_t i = 3; i < 5; i++) {
        assert_ok(engine_say(f,
                             (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                          .key = i,
                                          .queue = s.a,
                                          .owner = i - 2,
                                          .priority = priority[i - 1]},
                             0, 0));
        assert_ok(engine_add_ask(f, i, i, 3, 1, 2));
    }
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    f->now = 3 * (int64_t)SECOND;
    return s;
}

/* The state is as it was, and so are the clocks of targets. */
typedef struct state_before {
    uint64_t state, target;
} state_before;

static void assert_unchanged(const engine_fixture *f, state_before *before)
{
    const struct engine_preempt *p = f->engine->preempt;
    uint64_t target = 0;
    for (uint32_t i = 0; i < p->policies; i++) {
        target = target * 31 + sked_target_digest(p->target[i]);
    }
    uint64_t now = sked_engine_state_digest(f->engine);

    assert_ok(sked_engine_check(f->engine, NULL));
    if (before->state) {
        assert_true(target == before->target);
        assert_true(now == before->state);
    }
    *before = (state_before){now, target};
}

/* Every piece that a call takes of the arena is refused once; then the call is
 * made. How often was it refused? */
static uint32_t lacks_every_piece(engine_fixture *f, int32_t kind)
{
    struct engine_preempt *p = f->engine->preempt;
    skedi_mem *mem = &f->engine->hooks.mem;
    state_before before = {0, 0};
    sked_status rc = SKED_ERR_NOMEM;
    uint32_t failed = 0;

    skedi_arena_free(&p->arena, mem); /* one chunk is all there is */
    skedi_arena_mark start = skedi_arena_here(&p->arena);
    assert_non_null(skedi_arena_take(&p->arena, MOST_LESS, mem));
    skedi_arena_rewind(&p->arena, start);
    assert_unchanged(f, &before);
    for (size_t less = MOST_LESS; rc != SKED_OK; less -= 8) {
        assert_true(less > 0);
        f->host.requests = 0;
        f->host.fail_from = 1;
        assert_non_null(skedi_arena_take(&p->arena, less, mem));
        rc = engine_tell(f, kind, kind == SKED_EVENT_ROUND ? 0 : 1);
        f->host.fail_from = 0;
        skedi_arena_rewind(&p->arena, start);
        if (rc == SKED_OK) break;
        assert_status(SKED_ERR_NOMEM, rc);
        assert_unchanged(f, &before);
        failed++;
    }
    return failed;
}

/* A first round without the k-th thing that it asks memory for, lists and what
 * is kept too: it fails, or does without. Was there one? */
static int round_lacks(void **state, uint32_t flags, uint64_t more, size_t k)
{
    engine_fixture *f = *state;
    state_before before = {0, 0};

    assert_int_equal(engine_teardown(state), 0);
    assert_int_equal(engine_setup(state), 0);
    (void)crowd(f, flags, more);
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_unchanged(f, &before);
    f->host.requests = 0;
    f->host.fail_at = k;
    sked_status rc = engine_tell(f, SKED_EVENT_ROUND, 0);
    int fired = f->host.requests >= k;
    f->host.fail_at = 0;
    assert_true(rc == SKED_OK || (fired && rc == SKED_ERR_NOMEM));
    if (rc == SKED_OK) return fired;
    assert_unchanged(f, &before);
    assert_ok(engine_tell(f, SKED_EVENT_ROUND, 0));
    return fired;
}

/* Rounds that decide nothing new, after which all but the arena is there. */
static void settle(engine_fixture *f)
{
    for (int i = 0; i < 4; i++) {
        f->now += SECOND;
        assert_ok(engine_tell(f, SKED_EVENT_ROUND, 0));
        (void)engine_taken(f);
    }
}

/* The lists of a first round are there when pieces of the arena are refused to
 * the second. */
static void rounds_lack_every_piece(void **state)
{
    static const uint32_t flags[] = {0, SKED_PREEMPT_FLAG_BY_USER |
                                            SKED_PREEMPT_FLAG_BY_PRIORITY};
    engine_fixture *f = *state;

    for (size_t i = 0; i < 4; i++) {
        size_t k = 1;
        uint64_t more = i / 2 * 2; /* policies */
        while (round_lacks(state, flags[i % 2], more, k)) k++;
        assert_true(k > 10);
        (void)engine_taken(f); /* of the round that lacked nothing */
        assert_true(scene_count(f, SKED_DECISION_RESERVE) >= 3);
        settle(f);
        assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2));
        f->now += SECOND;
        assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
        assert_true(lacks_every_piece(f, SKED_EVENT_ROUND) > 100);
        (void)engine_taken(f);
        /* Users and priorities of queue a may want the same victims. */
        if (i % 2 == 1) continue;
        assert_int_equal(scene_count(f, SKED_DECISION_WITHDRAW), 3);
    }
}

/* Where nothing is guaranteed shares are kept up from then on: if there is no
 * memory for them, the engine goes on without preemption. */
static void preemption_that_finds_no_memory_stays_off(void **state)
{
    engine_fixture *f = *state;
    const sked_target_options *const defaults[2] = {NULL, NULL};
    sked_engine_preempt_options on = {.struct_size = sizeof on,
                                      .more_targets = defaults,
                                      .n_more_targets = 2};
    int failed = 0;

    (void)engine_alone(f, NULL, 10, 10, 0);
    assert_ok(engine_add_ask(f, 1, 1, 3, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    uint64_t before = sked_engine_state_digest(f->engine);
    for (size_t k = 1;; k++) {
        f->host.requests = 0;
        f->host.fail_at = k;
        sked_status rc = sked_engine_preempt(f->engine, &on, NULL);
        f->host.fail_at = 0;
        assert_ok(sked_engine_check(f->engine, NULL));
        if (rc == SKED_OK) break;
        assert_status(SKED_ERR_NOMEM, rc);
        assert_null(f->engine->preempt);
        assert_true(sked_engine_state_digest(f->engine) == before);
        failed++;
    }
    assert_true(failed > 10);
    assert_non_null(f->engine->preempt);
}

/* An ask that no limit will ever hold, of a partition that is new: without
 * memory it is not rejected either. */
static void a_rejection_may_lack_memory(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    const int64_t limit[] = {1, SKED_UNLIMITED};
    int failed = 0;
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 1,
                      .owner = 1,
                      .count = 1,
                      .amount = 1,
                      .partition = 3};

    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    engine_add_job(f, 1, leaf, 0);
    (void)engine_taken(f);
    for (size_t k = 1;; k++) {
        f->host.requests = 0;
        f->host.fail_at = k;
        sked_status rc = engine_say(f, ask, 2, 0);
        f->host.fail_at = 0;
        if (rc == SKED_OK) break;
        assert_status(SKED_ERR_NOMEM, rc);
        assert_int_equal(engine_taken(f), 0);
        failed++;
    }
    assert_true(failed > 0);
    assert_int_equal(engine_taken(f), 1);
    const sked_decision *d = scene_said(f, SKED_DECISION_REJECT);
    assert_int_equal(d->reason, SKED_REASON_NEVER_LIMIT);
    assert_true(d->queue == leaf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(rounds_lack_every_piece),
        engine_case(preemption_that_finds_no_memory_stays_off),
        engine_case(a_rejection_may_lack_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
