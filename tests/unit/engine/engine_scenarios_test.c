/* Guarantees, lending and masters as a user meets them: a tree as text, one
 * partition, work for everybody, and what each queue then has. */
#include "engine_fixture.h"

#include <sched/tree_text.h>

#include <stdio.h>

enum { WAITING = 200, ROUNDS = 400 };

/* Begins with a tree as text, on a cluster of `nodes` nodes of `cpu` each. */
static void begin(engine_fixture *f, const char *text, uint64_t nodes,
                  int64_t cpu)
{
    assert_ok(sked_tree_parse(f->tree, text, strlen(text), NULL, NULL, 0, NULL,
                              &f->err));
    engine_begin(f, NULL);
    for (uint64_t n = 1; n <= nodes; n++) engine_add_node(f, n, 0, cpu, 0);
}

static sked_queue_id queue(engine_fixture *f, const char *path)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_find(f->tree, path, &id, NULL));
    return id;
}

/* A job of a queue that wants so many tasks of one cpu; its key is the
 * ask's. */
static void want(engine_fixture *f, uint64_t job, const char *path,
                 int64_t count)
{
    engine_add_job(f, job, queue(f, path), 1);
    assert_ok(engine_add_ask(f, job, job, count, 1, 0));
}

static void want_master(engine_fixture *f, uint64_t job, const char *path,
                        int64_t cpu)
{
    engine_add_job(f, job, queue(f, path), 1);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = job,
                                      .owner = job,
                                      .count = 1,
                                      .amount = 1,
                                      .flags = SKED_ASK_MASTER},
                         cpu, 0));
}

static int64_t used(engine_fixture *f, const char *path)
{
    int64_t usage[2];

    assert_ok(sked_engine_usage(f->engine, queue(f, path), 0, usage, NULL));
    return usage[0];
}

static void pass(engine_fixture *f)
{
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
}

/* Ends a world, so that a test can begin another. */
static void over(engine_fixture *f)
{
    sked_host host = test_host_hooks(&f->host);

    sked_engine_free(f->engine);
    sked_tree_free(f->tree);
    f->engine = NULL;
    f->now = 0;
    assert_ok(sked_tree_new(f->schema, NULL, &host, &f->tree, NULL));
    f->root = sked_tree_root(f->tree);
}

/* ---- Guarantees ---- */

typedef struct order_case {
    const char *name;
    int64_t first; /* what the guaranteed queue has of 100 */
} order_case;

static const order_case orders[] = {
    {"drf", 60},   {"fair", 60},  {"utilisation", 60},
    {"share", 60}, {"fifo", 100}, {"priority", 60}, /* of equal priorities */
};

static void what_is_guaranteed_comes_first_under_every_order(void **state)
{
    engine_fixture *f = *state;
    char text[128];

    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        (void)snprintf(text, sizeof text,
                       "root order=%s\n"
                       "root.a guarantee=\"cpu=60\"\n"
                       "root.b\n",
                       orders[i].name);
        begin(f, text, 1, 100);
        want(f, 1, "root.b", WAITING);
        want(f, 2, "root.a", WAITING);
        pass(f);
        if (used(f, "root.a") != orders[i].first) {
            fail_msg("order %s: %lld", orders[i].name,
                     (long long)used(f, "root.a"));
        }
        assert_i64(used(f, "root.b"), 100 - orders[i].first);
        over(f);
    }
}

static void without_weight_it_has_its_guarantee_and_no_more(void **state)
{
    engine_fixture *f = *state;
    char text[128];

    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        (void)snprintf(text, sizeof text,
                       "root order=%s\n"
                       "root.a weight=0 guarantee=\"cpu=20\"\n"
                       "root.b\n",
                       orders[i].name);
        begin(f, text, 1, 100);
        want(f, 1, "root.b", WAITING);
        want(f, 2, "root.a", WAITING);
        pass(f);
        assert_i64(used(f, "root.a"), 20);
        assert_i64(used(f, "root.b"), 80);
        over(f);
    }
}

/* A queue of weight 0 stays bounded in a kind whose guarantee is cut to 0. */
static void a_cut_guarantee_bounds_a_queue_of_weight_0(void **state)
{
    engine_fixture *f = *state;

    begin(f,
          "root\nroot.a weight=0 guarantee=\"cpu=1,memory=50\"\n"
          "root.b guarantee=\"cpu=19\"\n",
          1, 10);
    want(f, 1, "root.a", WAITING);
    pass(f);
    assert_i64(used(f, "root.a"), 0);
    over(f);
}

/* ---- Head room ---- */

/* One job of a queue wants 200 of 100: how many has it? */
static int64_t had_alone(engine_fixture *f, const char *text, const char *path)
{
    begin(f, text, 1, 100);
    want(f, 1, path, WAITING);
    pass(f);
    int64_t has = used(f, path);
    over(f);
    return has;
}

static void bounds_hold_with_no_other_queue_there(void **state)
{
    engine_fixture *f = *state;

    assert_i64(had_alone(f,
                         "root\nroot.a guarantee=\"cpu=60\" lend=\"cpu=0\"\n"
                         "root.b\n",
                         "root.b"),
               40);
    assert_i64(had_alone(f,
                         "root\nroot.a guarantee=\"cpu=60\" lend=\"cpu=25\"\n"
                         "root.b\n",
                         "root.b"),
               65);
    assert_i64(had_alone(f,
                         "root\nroot.a guarantee=\"cpu=60\"\n"
                         "root.b borrow=\"cpu=10\"\n",
                         "root.b"),
               10);
    assert_i64(had_alone(f, "root\nroot.a limit=50%\n", "root.a"), 50);
    assert_i64(had_alone(f, "root\nroot.a weight=0\nroot.b\n", "root.a"), 0);
    assert_i64(had_alone(f, "root\nroot.a\n", "root.a"), 100);
}

static void masters_have_their_part(void **state)
{
    engine_fixture *f = *state;

    begin(f, "root\nroot.a am_share=10%\n", 1, 100);
    for (uint64_t job = 1; job <= 50; job++) want_master(f, job, "root.a", 1);
    pass(f);
    assert_i64(used(f, "root.a"), 10);
    over(f);
    begin(f, "root\nroot.a am_share=10%\n", 1, 10); /* one always may */
    want_master(f, 1, "root.a", 2);
    want_master(f, 2, "root.a", 2);
    pass(f);
    assert_i64(used(f, "root.a"), 2);
}

/* ---- A guarantee while tasks come and go ---- */

typedef struct churn {
    engine_fixture *f;
    uint64_t group[1024];
    int64_t count[1024];
    size_t groups;
    uint32_t chance;
    int64_t killed;
    int64_t ended; /* by themselves */
} churn;

static void churn_end(churn *c, size_t i, int32_t kind, int64_t count)
{
    assert_ok(engine_say(
        c->f, (sked_event){.kind = kind, .key = c->group[i], .count = count}, 0,
        0));
    c->count[i] -= count;
}

static void churn_hear(churn *c)
{
    sked_decision d;
    size_t n = 1;

    for (;;) {
        assert_ok(sked_engine_take(c->f->engine, &d, 1, &n, NULL));
        if (n == 0) return;
        if (d.kind == SKED_DECISION_ALLOCATE) {
            size_t i = 0;
            while (i < c->groups && c->count[i] > 0) i++;
            assert_true(i < 1024);
            if (i == c->groups) c->groups++;
            c->group[i] = d.group;
            c->count[i] = d.count;
        }
        if (d.kind != SKED_DECISION_KILL) continue;
        size_t i = 0;
        while (c->count[i] <= 0 || c->group[i] != d.group) i++;
        c->killed += d.count;
        churn_end(c, i, SKED_EVENT_TASK_KILLED, d.count);
    }
}

/* One task in twenty ends by itself from round to round. */
static void churn_round(churn *c)
{
    c->f->now += INT64_C(3000000000);
    for (size_t i = 0; i < c->groups; i++) {
        int64_t ends = 0;
        for (int64_t t = 0; t < c->count[i]; t++) {
            c->chance = c->chance * 1664525u + 1013904223u;
            ends += (c->chance >> 16) % 20 == 0;
        }
        if (ends > 0) churn_end(c, i, SKED_EVENT_TASK_FINISH, ends);
        c->ended += ends;
    }
    churn_hear(c);
    pass(c->f);
    churn_hear(c);
    assert_ok(engine_say(c->f, (sked_event){.kind = SKED_EVENT_ROUND}, 0, 0));
    churn_hear(c);
    pass(c->f);
    churn_hear(c);
}

enum { CHURN_ROUNDS = 4000 };

/* Two queues under an order and a dialect, one guaranteed 60 of 100: how much that
 * one used in all rounds. */
static int64_t run_churn(churn *c, const char *order, int mode)
{
    engine_fixture *f = c->f;
    sked_target_options targets = {.struct_size = sizeof targets, .mode = mode};
    const sked_engine_preempt_options opts = {.struct_size = sizeof opts,
                                              .targets = &targets};
    char text[160];
    int64_t sum = 0;

    (void)snprintf(text, sizeof text,
                   "root order=%s preempt_min_timeout=5s "
                   "preempt_fair_timeout=30s\n"
                   "root.a guarantee=\"cpu=60\"\n"
                   "root.b\n",
                   order);
    begin(f, text, 10, 10);
    assert_ok(sked_engine_preempt(f->engine, &opts, NULL));
    want(f, 1, "root.b", 1000000);
    want(f, 2, "root.a", 1000000);
    for (int r = 0; r < CHURN_ROUNDS; r++) {
        churn_round(c);
        sum += used(f, "root.a");
    }
    over(f);
    return sum;
}

/* Among queues of equal priority the guarantee comes first. */
static void equal_priorities_kill_nothing(void **state)
{
    engine_fixture *f = *state;

    for (int mode = 0; mode < 3; mode++) {
        churn c = {.f = f, .chance = 1};
        int64_t sum = run_churn(&c, "priority", mode);
        assert_i64(c.killed, 0);
        assert_i64(sum, 60 * CHURN_ROUNDS);
    }
}

static void nobody_is_killed_where_orders_lead_to_the_guarantee(void **state)
{
    engine_fixture *f = *state;
    char text[160];

    for (int i = 0; i < 12; i++) {
        sked_target_options targets = {.struct_size = sizeof targets,
                                       .mode = i % 3};
        const sked_engine_preempt_options opts = {.struct_size = sizeof opts,
                                                  .targets = &targets};
        churn c = {.f = f, .chance = 1};
        int64_t sum = 0;
        (void)snprintf(text, sizeof text,
                       "root order=%s preempt_min_timeout=5s\n"
                       "root.a guarantee=\"cpu=60\"\n"
                       "root.b\n",
                       orders[i / 3].name);
        begin(f, text, 10, 10);
        assert_ok(sked_engine_preempt(f->engine, &opts, NULL));
        want(f, 1, "root.b", 1000000);
        want(f, 2, "root.a", 1000000);
        for (int r = 0; r < ROUNDS; r++) {
            churn_round(&c);
            sum += used(f, "root.a");
        }
        assert_i64(c.killed, 0);
        assert_i64(sum, 60 * ROUNDS); /* at every round */
        over(f);
    }
}

/* A task with half of all cpu there can ever be and a little memory, of which
 * the leaf wants more than it may have: how much cpu goes with that memory is
 * more than any amount, and no bound. */
static void amounts_beyond_all_bounds_are_none(void **state)
{
    engine_fixture *f = *state;
    const int64_t limit[] = {SKED_UNLIMITED, 3};

    sked_queue_id a = engine_queue(f, f->root, "a");
    sked_queue_id b = engine_queue(f, f->root, "b");
    engine_set(f, a, SKED_QUEUE_GUARANTEE_PPM, SKED_PPM);
    assert_ok(sked_tree_set_vec(f->tree, a, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, SKED_AMOUNT_MAX, 10);
    engine_add_job(f, 1, a, 1);
    engine_add_job(f, 2, b, 1);
    assert_ok(engine_add_ask(f, 1, 1, 1, SKED_AMOUNT_MAX / 2, 1));
    assert_ok(engine_add_ask(f, 3, 1, 10, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 10, 0, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_i64(used(f, "root.a"), SKED_AMOUNT_MAX / 2 + 2);
    assert_int_equal(engine_stats_of(f).running_tasks, 3 + 7);
}

/* With what a queue may not take back: settings without the argument. */
static void overshoot_is_refused(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_preempt_options how = {
        .struct_size = sizeof how, .flags = SKED_PREEMPT_FLAG_OVERSHOOT};

    engine_begin(f, NULL);
    assert_status(SKED_ERR_ARG, sked_engine_preempt(f->engine, &how, &f->err));
    assert_string_equal(f->err.message, "overshooting would preempt in turns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(what_is_guaranteed_comes_first_under_every_order),
        engine_case(without_weight_it_has_its_guarantee_and_no_more),
        engine_case(a_cut_guarantee_bounds_a_queue_of_weight_0),
        engine_case(bounds_hold_with_no_other_queue_there),
        engine_case(masters_have_their_part),
        engine_case(nobody_is_killed_where_orders_lead_to_the_guarantee),
        engine_case(equal_priorities_kill_nothing),
        engine_case(amounts_beyond_all_bounds_are_none),
        engine_case(overshoot_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
