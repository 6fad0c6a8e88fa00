/* Lazy rounds: what victims were told to end for on one node counts as started
 * when another node's are asked for. */
#include "engine_scene.h"

#include "engine/state.h"

enum { IDLE = 1, B = 2, C = 3, D = 4 }; /* jobs, and their users */

typedef struct family {
    sked_queue_id idle, up, b, c, d; /* the last three below `up` */
} family;

static void promise(engine_fixture *f, sked_queue_id queue, int32_t attribute,
                    int64_t cpu)
{
    const int64_t amount[] = {
        cpu, SKED_QUEUE_LIMIT == attribute ? SKED_UNLIMITED : 0};

    assert_ok(sked_tree_set_vec(f->tree, queue, attribute, amount, NULL));
}

static family plant(engine_fixture *f)
{
    family q = {.idle = engine_queue(f, f->root, "idle"),
                .up = engine_queue(f, f->root, "up")};

    q.b = engine_queue(f, q.up, "b");
    q.c = engine_queue(f, q.up, "c");
    q.d = engine_queue(f, q.up, "d");
    return q;
}

/* Nodes 1 and 2, of 3 cpu each, are full of `idle`; node 3 has none. */
static void begin(engine_fixture *f, const family *q, uint32_t second,
                  uint32_t flags)
{
    scene s = {
        .targets = {.struct_size = sizeof s.targets,
                    .flags = flags,
                    .ignored_ppm = -1,
                    .factor_ppm = 1000000,
                    .per_round_ppm = -1},
        .rounds = {.struct_size = sizeof s.rounds,
                   .flags = SKED_ROUND_FLAG_LAZY,
                   .grace_ns = 15 * (int64_t)SECOND},
        .preempt = {.struct_size = sizeof s.preempt},
    };

    engine_begin(f, NULL);
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 3, 100);
    engine_add_node(f, 2, second, 3, 100);
    if (second == 0) {
        engine_add_node(f, 3, 0, 0, 100);
        assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 3));
    }
    engine_add_job(f, IDLE, q->idle, IDLE);
    for (uint32_t p = 0; p <= second; p++) {
        assert_ok(engine_say(f,
                             (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                          .key = 100 + p,
                                          .owner = IDLE,
                                          .count = second ? 3 : 6,
                                          .partition = p,
                                          .amount = 1},
                             1, 0));
    }
    (void)engine_beat(f, 1);
    (void)engine_beat(f, 2);
}

/* An ask for tasks of 1 cpu on one node and no other. */
static void want_some(engine_fixture *f, sked_event event, int64_t count,
                      uint64_t node)
{
    const int64_t amounts[] = {1, 0};
    const int32_t offsets[] = {0, 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = 1,
                               .place_offsets = offsets,
                               .places = &node,
                               .n_places = 1};

    event.time = f->now;
    event.kind = SKED_EVENT_ASK_ADD;
    event.count = count;
    event.amount = event.places = 1;
    event.flags |= SKED_ASK_STRICT;
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
}

static void want(engine_fixture *f, uint64_t ask, uint64_t job, uint64_t node,
                 uint32_t partition, uint32_t flags)
{
    want_some(
        f,
        (sked_event){
            .key = ask, .owner = job, .partition = partition, .flags = flags},
        3, node);
}

/* Tells so many of `idle`, and lets their time pass. */
static void offer(engine_fixture *f, uint64_t tasks)
{
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), tasks);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), tasks);
    (void)scene_hold(f, 18);
}

/* Tasks of a job run on node 3, past every bound. */
static void adopt(engine_fixture *f, uint64_t job, int64_t count)
{
    assert_ok(engine_add_ask(f, 200, job, count, 1, 0));
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                                      .key = 3,
                                      .owner = 200,
                                      .count = count},
                         0, 0));
    (void)engine_taken(f);
}

static void kills(engine_fixture *f, uint64_t node, uint64_t tasks)
{
    (void)engine_beat(f, node);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), tasks);
}

/* Two nodes' steps fit below the limit of `up`, or with what runs since one. */
static void below_a_limit(engine_fixture *f, uint32_t first, uint32_t second,
                          int adopts)
{
    family q = plant(f);

    promise(f, q.up, SKED_QUEUE_LIMIT, 6);
    promise(f, q.b, SKED_QUEUE_GUARANTEE, 3);
    promise(f, q.c, SKED_QUEUE_GUARANTEE, 3);
    begin(f, &q, 0, 0);
    engine_add_job(f, B, q.b, B);
    engine_add_job(f, C, q.c, C);
    engine_add_job(f, D, q.d, D);
    want(f, 10, B, 1, 0, first);
    want(f, 11, C, 2, 0, second);
    offer(f, 6);
    if (adopts) adopt(f, D, 3);
    kills(f, 1, 3);
    kills(f, 2, adopts ? 0 : 3);
}

static void it_takes_head_room(void **state)
{
    below_a_limit(*state, 0, 0, 1);
}

static void it_takes_no_more_than_it_is(void **state)
{
    below_a_limit(*state, 0, 0, 0);
}

static void a_gang_counts_once(void **state)
{
    below_a_limit(*state, SKED_ASK_GANG, 0, 0);
}

/* Nobody was told to end for it yet. */
static void a_gang_that_waits_takes_none(void **state)
{
    below_a_limit(*state, 0, SKED_ASK_GANG, 1);
}

static void it_is_part_of_what_is_claimed(void **state)
{
    engine_fixture *f = *state;
    family q = plant(f);

    promise(f, q.up, SKED_QUEUE_GUARANTEE, 6);
    promise(f, q.b, SKED_QUEUE_GUARANTEE, 6);
    begin(f, &q, 0, 0);
    engine_add_job(f, B, q.b, B);
    want(f, 10, B, 1, 0, 0);
    want(f, 11, B, 2, 0, 0);
    offer(f, 6);
    adopt(f, B, 3);
    kills(f, 1, 3);
    kills(f, 2, 0);
}

/* Of two users of `b`, which is promised 4, each may have 2, and more once the
 * leaf has more. The second has 2 by now, and is let have a third when the first
 * runs, not when others have only been told to end for it. */
static void a_user_waits_until_it_runs(void **state)
{
    engine_fixture *f = *state;
    family q = plant(f);

    promise(f, q.up, SKED_QUEUE_GUARANTEE, 6);
    promise(f, q.b, SKED_QUEUE_GUARANTEE, 4);
    engine_set(f, q.b, SKED_QUEUE_USER_LIMIT, 500000);
    begin(f, &q, 0, SKED_TARGET_FLAG_BALANCE);
    engine_add_job(f, B, q.b, B);
    engine_add_job(f, C, q.b, C);
    want_some(f, (sked_event){.key = 10, .owner = B}, 6, 1);
    want_some(f, (sked_event){.key = 11, .owner = C}, 1, 2);
    offer(f, 3);
    adopt(f, C, 2);
    kills(f, 1, 2);
    uint64_t told = scene_said(f, SKED_DECISION_KILL)->group;
    kills(f, 2, 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, told, 2));
    (void)engine_beat(f, 1);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 2);
    kills(f, 2, 1);
}

/* The first of two users may have 2 of the 4 that `b` is promised. Others were told
 * to end for these on node 1, so none end on node 2 for more of its tasks. */
static void it_is_part_of_what_its_user_has(void **state)
{
    engine_fixture *f = *state;
    family q = plant(f);

    promise(f, q.up, SKED_QUEUE_GUARANTEE, 6);
    promise(f, q.b, SKED_QUEUE_GUARANTEE, 4);
    engine_set(f, q.b, SKED_QUEUE_USER_LIMIT, 500000);
    begin(f, &q, 0, SKED_TARGET_FLAG_BALANCE);
    engine_add_job(f, B, q.b, B);
    engine_add_job(f, C, q.b, C);
    want_some(f, (sked_event){.key = 10, .owner = B}, 2, 1);
    want_some(f, (sked_event){.key = 11, .owner = B}, 2, 2);
    offer(f, 4);
    want_some(f, (sked_event){.key = 12, .owner = C}, 2, 3);
    (void)engine_taken(f);
    kills(f, 1, 2);
    kills(f, 2, 0);
}

/* The decisions have room for one more, and there is no memory for others: what
 * one kill order is stands, so the heartbeat has happened. */
static void what_got_an_order_stands(void **state)
{
    engine_fixture *f = *state;
    family q = plant(f);

    promise(f, q.up, SKED_QUEUE_GUARANTEE, 6);
    promise(f, q.b, SKED_QUEUE_GUARANTEE, 6);
    begin(f, &q, 0, 0);
    engine_add_job(f, B, q.b, B);
    want(f, 10, B, 1, 0, 0);
    offer(f, 3);
    for (uint64_t job = 100;
         f->engine->out_next - f->engine->out_from + 1 < f->engine->out_cap;
         job++) {
        engine_add_job(f, job, q.c, C);
    }
    uint64_t before = f->engine->stats.decisions;
    uint64_t beats = f->engine->stats.heartbeats;
    const sked_event beat = {
        .kind = SKED_EVENT_HEARTBEAT, .key = 1, .time = f->now};
    const sked_events batch = {
        .struct_size = sizeof batch, .events = &beat, .n = 1};
    uint64_t done = 0;
    for (size_t at = 1; done == 0; at++) {
        assert_int_equal(f->engine->stats.decisions, before);
        assert_int_equal(f->engine->stats.heartbeats, beats);
        f->host.requests = 0;
        f->host.fail_from = at;
        sked_status rc = sked_engine_apply(f->engine, &batch, &done, NULL);
        assert_status(SKED_ERR_NOMEM, rc);
        f->host.fail_from = 0;
    }
    assert_int_equal(f->engine->stats.decisions - before, 1);
    assert_int_equal(f->engine->stats.heartbeats - beats, 1);
    uint64_t kills_said = 0;
    while (engine_taken(f) > 0)
        kills_said += scene_count(f, SKED_DECISION_KILL);
    assert_int_equal(kills_said, 1);
    assert_ok(sked_engine_check(f->engine, NULL));
    kills(f, 1, 2); /* the next one goes on */
}

static void another_partition_is_another_matter(void **state)
{
    engine_fixture *f = *state;
    family q = plant(f);

    engine_set(f, q.up, SKED_QUEUE_GUARANTEE_PPM, SKED_PPM);
    engine_set(f, q.b, SKED_QUEUE_GUARANTEE_PPM, SKED_PPM);
    begin(f, &q, 1, 0);
    engine_add_job(f, B, q.b, B);
    want(f, 10, B, 1, 0, 0);
    want(f, 11, B, 2, 1, 0);
    offer(f, 6);
    kills(f, 1, 3);
    kills(f, 2, 3);
}

/* What the last round found is known also where a partition has come since. */
static void partitions_that_come_change_nothing(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.flags = SKED_ROUND_FLAG_LAZY;
    s.preempt.keep_for_ns = 1000 * (int64_t)SECOND;
    scene_preempt(f, &s);
    scene_fill(f, &s, 5);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 5);
    assert_int_equal(scene_hold(f, 18), 0);
    engine_add_node(f, 9, 5, 4, 4);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(it_takes_head_room),
        engine_case(it_takes_no_more_than_it_is),
        engine_case(a_gang_counts_once),
        engine_case(a_gang_that_waits_takes_none),
        engine_case(it_is_part_of_what_is_claimed),
        engine_case(a_user_waits_until_it_runs),
        engine_case(it_is_part_of_what_its_user_has),
        engine_case(what_got_an_order_stands),
        engine_case(another_partition_is_another_matter),
        engine_case(partitions_that_come_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
