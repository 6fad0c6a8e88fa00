/*
 * Lazy rounds over random clusters: no round kills, whoever is told to end was
 * offered, and nobody ends in vain: once the tasks that a heartbeat ended on
 * its node are gone, the next one starts something there in the room kept for
 * it.
 */
#include "engine_fixture.h"
#include "size.h"
#include "words.h"

enum { QUEUES = 4, NODES = 5, JOBS = 12, MOST = 512, STEPS = 120 };
enum { SECOND = 1000000000 };

typedef struct lazy_world {
    engine_fixture f;
    test_words *words;
    sked_queue_id queue[QUEUES];
    uint64_t asks;
    uint8_t gang[STEPS + 1];   /* by ask */
    sked_decision group[MOST]; /* what was allocated, as far as it runs */
    size_t n;
    uint64_t killed;
} lazy_world;

static int64_t draw(lazy_world *w, uint64_t below)
{
    return (int64_t)test_below(w->words, below);
}

static void set_up(lazy_world *w)
{
    engine_fixture *f = &w->f;
    const char *const kinds[] = {"cpu", "memory"};
    sked_host host = test_host_hooks(&f->host);
    char name[] = "q0";

    assert_ok(sked_schema_new(kinds, NULL, 2, NULL, &f->schema, NULL));
    assert_ok(sked_tree_new(f->schema, NULL, &host, &f->tree, NULL));
    f->root = sked_tree_root(f->tree);
    sked_queue_id up = engine_queue(f, f->root, "up");
    engine_set(f, up, SKED_QUEUE_GUARANTEE_PPM, 800000);
    for (int i = 0; i < QUEUES; i++, name[1]++) {
        sked_queue_id above = i < 3 ? up : f->root;
        w->queue[i] = engine_queue(f, above, name);
        engine_set(f, w->queue[i], SKED_QUEUE_GUARANTEE_PPM,
                   i < 3 ? 333333 : 200000);
        if (draw(w, 3) == 0) {
            engine_set(f, w->queue[i], SKED_QUEUE_USER_LIMIT, 300000);
        }
    }
    if (draw(w, 2)) {
        const int64_t limit[] = {8 + draw(w, 20), SKED_UNLIMITED};
        assert_ok(
            sked_tree_set_vec(f->tree, up, SKED_QUEUE_LIMIT, limit, NULL));
    }
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .node_misses = 2};
    engine_begin(f, &opts);
}

static void turn_on(lazy_world *w)
{
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .ignored_ppm = -1,
                                         .factor_ppm = 1000000,
                                         .per_round_ppm = -1};
    const sked_round_options rounds = {.struct_size = sizeof rounds,
                                       .flags = SKED_ROUND_FLAG_LAZY,
                                       .grace_ns = draw(w, 2) ? -1 : 3};
    const sked_engine_preempt_options how = {
        .struct_size = sizeof how,
        .flags = (uint32_t)draw(w, 4), /* inside leaves, too */
        .keep_for_ns = 100 * (int64_t)SECOND,
        .targets = &targets,
        .rounds = &rounds};

    assert_ok(sked_engine_preempt(w->f.engine, &how, NULL));
    for (uint64_t n = 1; n <= NODES; n++) {
        engine_add_node(&w->f, n, 0, 4 + draw(w, 5), 100);
    }
    for (uint64_t j = 1; j <= JOBS; j++) {
        assert_ok(engine_say(&w->f,
                             (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                          .key = j,
                                          .queue = w->queue[draw(w, QUEUES)],
                                          .owner = 1 + (uint64_t)draw(w, 3),
                                          .priority = (int32_t)draw(w, 3)},
                             0, 0));
    }
}

static void ask_more(lazy_world *w)
{
    const uint64_t place = 1 + (uint64_t)draw(w, NODES + 2);
    const int32_t offsets[] = {0, 1};
    const int64_t amounts[] = {1 + draw(w, 3), 1};
    sked_event ask = {.time = w->f.now,
                      .kind = SKED_EVENT_ASK_ADD,
                      .key = ++w->asks,
                      .owner = 1 + (uint64_t)draw(w, JOBS),
                      .count = 1 + draw(w, 4),
                      .flags = draw(w, 5) ? 0 : SKED_ASK_GANG,
                      .amount = 1,
                      .places = draw(w, 4) == 0};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &ask,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = 1,
                               .place_offsets = offsets,
                               .places = &place,
                               .n_places = 1};

    if (ask.flags & SKED_ASK_GANG) ask.count = 2;
    w->gang[ask.key] = (ask.flags & SKED_ASK_GANG) != 0;
    assert_ok(sked_engine_apply(w->f.engine, &batch, NULL, &w->f.err));
}

/* Takes in what was decided; how many tasks were told to end. */
static size_t take_in(lazy_world *w, sked_decision *kills, size_t *held)
{
    sked_decision d;
    size_t n = 1, ended = 0;

    *held = 0;
    for (;;) {
        assert_ok(sked_engine_take(w->f.engine, &d, 1, &n, NULL));
        if (n == 0) return ended;
        if (d.kind == SKED_DECISION_KILL) kills[ended++] = d;
        if (d.kind != SKED_DECISION_ALLOCATE) continue;
        *held += d.reason == SKED_REASON_HELD;
        if (w->n < MOST) w->group[w->n++] = d;
    }
}

/* How many tasks of a job are offered in a group. */
static int64_t offered_of(const lazy_world *w, uint64_t job, uint64_t group)
{
    static sked_engine_notice notice[MOST];
    int64_t sum = 0;
    size_t n;

    assert_ok(sked_engine_contract(w->f.engine, job,
                                   SKED_ROUND_CONTRACT_NEGOTIABLE, NULL, notice,
                                   MOST, &n));
    for (size_t i = 0; i < n; i++) {
        int is = notice[i].group == group &&
                 notice[i].flags == SKED_ROUND_MARK_FLAG_OFFERED;
        sum += is ? notice[i].count : 0;
    }
    return sum;
}

static void forget_tasks(lazy_world *w, uint64_t group, int64_t count)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->group[i].group != group) continue;
        w->group[i].count -= count;
        if (w->group[i].count == 0) w->group[i] = w->group[--w->n];
        return;
    }
}

/* A heartbeat, and what it told to end ends; how many groups of tasks that
 * were, and how many times something was started in room that was kept. */
static size_t beat_once(lazy_world *w, uint64_t node, size_t *held)
{
    static sked_decision kills[MOST];
    static int64_t before[MOST];
    size_t known = w->n;

    for (size_t i = 0; i < known; i++) {
        before[i] = offered_of(w, w->group[i].job, w->group[i].group);
    }
    assert_ok(engine_tell(&w->f, SKED_EVENT_HEARTBEAT, node));
    size_t n = take_in(w, kills, held);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(kills[i].node, node);
        for (size_t g = 0; g < known; g++) {
            if (w->group[g].group != kills[i].group) continue;
            before[g] -= kills[i].count;
            assert_true(before[g] >= 0);
        }
    }
    for (size_t i = 0; i < n; i++) {
        w->killed += (uint64_t)kills[i].count;
        assert_ok(engine_end(&w->f, SKED_EVENT_TASK_KILLED, kills[i].group,
                             kills[i].count));
        forget_tasks(w, kills[i].group, kills[i].count);
    }
    return n;
}

static void beat(lazy_world *w, uint64_t node)
{
    size_t held, n = beat_once(w, node, &held);

    while (n > 0) {
        n = beat_once(w, node, &held);
        assert_true(held > 0); /* nobody ended in vain */
    }
}

static void finish_some(lazy_world *w)
{
    if (w->n == 0) return;
    sked_decision d = w->group[draw(w, w->n)];
    int64_t count = w->gang[d.ask] ? d.count : 1; /* gangs end whole */
    assert_ok(engine_end(&w->f, SKED_EVENT_TASK_FINISH, d.group, count));
    forget_tasks(w, d.group, count);
}

static void step(lazy_world *w)
{
    static sked_decision kills[MOST];
    size_t held;

    w->f.now += 1 + draw(w, 3);
    switch (draw(w, 8)) {
    case 0:
    case 1: ask_more(w); break;
    case 2: finish_some(w); break;
    case 3:
    case 4:
        assert_ok(engine_tell(&w->f, SKED_EVENT_ROUND, 0));
        assert_int_equal(take_in(w, kills, &held), 0);
        break;
    default: beat(w, 1 + (uint64_t)draw(w, NODES));
    }
    assert_ok(sked_engine_check(w->f.engine, NULL));
}

static void nobody_ends_in_vain(void **state)
{
    static lazy_world w;
    test_words words = {5};
    uint64_t killed = 0;
    (void)state;

    for (size_t i = 0; i < test_size(400, 20000); i++) {
        w = (lazy_world){.words = &words};
        set_up(&w);
        turn_on(&w);
        for (int s = 0; s < STEPS; s++) step(&w);
        killed += w.killed;
        void *fixture = &w.f;
        assert_int_equal(engine_teardown(&fixture), 0);
    }
    assert_true(killed > test_size(400, 400));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_ends_in_vain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
