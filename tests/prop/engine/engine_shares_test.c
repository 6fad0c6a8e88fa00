/*
 * Shares of trees, and usage under orders and rounds of preemption.
 *
 * A parent stands for its children: two equal children of the root get equal
 * shares, whatever number of leaves one of them has. The weights of the order
 * `share` hold at any ratio. Under each order and each preemption policy, usage
 * comes to the shares as tasks end, and no task is killed later.
 * docs/design/shares.md defines the numbers.
 */
#include <sched/engine_preempt.h>
#include <sched/tree_text.h>

#include "test.h"

#include <stdio.h>
#include <string.h>

#include "engine/shares.h"

#define SECOND INT64_C(1000000000)

enum { KINDS = 3, WANTS = 16, RUNNING = 40000, PATH = 64 };
enum { SETTLED = 600, END = 1500 }; /* seconds */

/* A preemption policy; -1: rounds do not run. */
enum { OFF = -1 };

typedef struct shares_want {
    const char *path;
    int64_t task[KINDS];
    int64_t tasks;
} shares_want;

/* Running tasks of one decision. */
typedef struct shares_task {
    uint64_t group;
    int64_t count, end;
} shares_task;

typedef struct shares_sim {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    uint32_t kinds;
    sked_error err;
    sked_time now;
    uint64_t words, asks;
    int64_t kills;
    uint32_t n;
    shares_task running[RUNNING];
} shares_sim;

static shares_sim sim;

/* ---- The engine ---- */

static void sim_say(sked_event event, const int64_t *amounts)
{
    sked_events batch = {.struct_size = sizeof batch, .n = 1};

    event.time = sim.now;
    event.amount = amounts != NULL;
    batch.events = &event;
    batch.amounts = amounts;
    batch.n_amounts = amounts != NULL;
    assert_ok(sked_engine_apply(sim.engine, &batch, NULL, &sim.err));
}

static void sim_begin(const char *text, int policy, const int64_t *capacity)
{
    sked_target_options targets = {.struct_size = sizeof targets,
                                   .mode = policy,
                                   .cycles = policy ==
                                             SKED_TARGET_MODE_ENTITLEMENT};
    sked_round_options rounds = {.struct_size = sizeof rounds, .grace_ns = -1};
    const sked_engine_preempt_options preempt = {
        .struct_size = sizeof preempt, .targets = &targets, .rounds = &rounds};
    size_t n = strlen(text);

    memset(&sim, 0, sizeof sim);
    sim.now = SECOND;
    sim.words = UINT64_C(88172645463325252);
    assert_ok(sked_tree_parse_schema(text, n, NULL, &sim.schema, &sim.err));
    sim.kinds = (uint32_t)sked_schema_kinds(sim.schema);
    rounds.kinds = sim.kinds;
    assert_ok(sked_tree_new(sim.schema, NULL, NULL, &sim.tree, &sim.err));
    assert_ok(
        sked_tree_parse(sim.tree, text, n, "tree", NULL, 0, NULL, &sim.err));
    assert_ok(sked_tree_commit(sim.tree, 0, &sim.err));
    assert_ok(sked_engine_new(sim.tree, NULL, NULL, &sim.engine, &sim.err));
    if (policy != OFF) {
        assert_ok(sked_engine_preempt(sim.engine, &preempt, &sim.err));
    }
    sim_say((sked_event){.kind = SKED_EVENT_NODE_UP, .key = 1}, capacity);
}

static void sim_end(void)
{
    assert_ok(sked_engine_check(sim.engine, &sim.err));
    sked_engine_free(sim.engine);
    sked_tree_free(sim.tree);
    sked_schema_free(sim.schema);
}

static sked_queue_id sim_queue(const char *path)
{
    sked_queue_id queue = 0;

    assert_ok(sked_tree_find(sim.tree, path, &queue, &sim.err));
    return queue;
}

static void sim_want(const shares_want *want)
{
    uint64_t key = ++sim.asks;

    sim_say((sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                         .key = key,
                         .owner = 1,
                         .queue = sim_queue(want->path)},
            NULL);
    sim_say((sked_event){.kind = SKED_EVENT_ASK_ADD,
                         .key = key,
                         .owner = key,
                         .count = want->tasks},
            want->task);
}

static int64_t used(const char *path, uint32_t kind)
{
    int64_t use[KINDS];

    assert_ok(sked_engine_usage(sim.engine, sim_queue(path), 0, use, NULL));
    return use[kind];
}

static int64_t share(const char *path, uint32_t kind)
{
    size_t row;

    skedi_shares_renew(sim.engine, 0);
    assert_ok(sked_tree_row(sim.tree, sim_queue(path), &row));
    return cell_row(sim.engine, sim.engine->cell_share,
                    cell_of(sim.engine, (uint32_t)row, 0))[kind];
}

/* ---- Tasks that run and end ---- */

/* 37 to 53 seconds. */
static int64_t sim_lasts(void)
{
    sim.words ^= sim.words << 13;
    sim.words ^= sim.words >> 7;
    sim.words ^= sim.words << 17;
    return (int64_t)(37 + sim.words % 17) * SECOND;
}

static void sim_kill(uint64_t group, int64_t count)
{
    sim.kills += count;
    sim_say((sked_event){.kind = SKED_EVENT_TASK_KILLED,
                         .key = group,
                         .count = count},
            NULL);
    for (uint32_t i = 0; i < sim.n; i++) {
        if (sim.running[i].group == group) sim.running[i].count -= count;
    }
}

/* Takes and carries out all decisions. */
static void sim_take(void)
{
    sked_decision d[64];
    size_t n = 1;

    while (n > 0) {
        assert_ok(sked_engine_take(sim.engine, d, 64, &n, &sim.err));
        for (size_t i = 0; i < n; i++) {
            if (d[i].kind == SKED_DECISION_KILL) {
                sim_kill(d[i].group, (int64_t)d[i].count);
            }
            if (d[i].kind != SKED_DECISION_ALLOCATE) continue;
            assert_true(sim.n < RUNNING);
            sim.running[sim.n++] = (shares_task){
                d[i].group, (int64_t)d[i].count, sim.now + sim_lasts()};
        }
    }
}

static void sim_pass(void)
{
    sked_status status;

    do {
        status = sked_engine_pass(sim.engine, sim.now, 0, &sim.err);
        sim_take();
    } while (status == SKED_STOPPED);
    assert_ok(status);
}

static void sim_round(void)
{
    sim_say((sked_event){.kind = SKED_EVENT_ROUND}, NULL);
    sim_take();
}

static void sim_second(int policy)
{
    uint32_t kept = 0;

    sim.now += SECOND;
    for (uint32_t i = 0; i < sim.n; i++) {
        shares_task t = sim.running[i];
        if (t.count > 0 && t.end <= sim.now) {
            sim_say((sked_event){.kind = SKED_EVENT_TASK_FINISH,
                                 .key = t.group,
                                 .count = t.count},
                    NULL);
        } else if (t.count > 0) {
            sim.running[kept++] = t;
        }
    }
    sim.n = kept;
    if (policy != OFF) sim_round();
    sim_pass();
}

/* ---- Shares, and one round from a cold start ---- */

static void no_round_kills(const char *text, const int64_t *capacity,
                           const shares_want *wants, size_t n)
{
    sim_begin(text, SKED_TARGET_MODE_ENTITLEMENT, capacity);
    for (size_t i = 0; i < n; i++) sim_want(&wants[i]);
    for (int round = 0; round < 8; round++) {
        sim_pass();
        sim.now += SECOND;
        sim_round();
    }
    assert_i64(sim.kills, 0);
}

static const char five_leaves[] = "kinds a\nroot order=%s\nroot.p weight=%d\n"
                                  "root.w weight=%d order=%s\nroot.w.a\n"
                                  "root.w.b\nroot.w.c\nroot.w.d\nroot.w.e\n";

static const shares_want five_wants[] = {
    {"root.p", {1}, 100000},   {"root.w.a", {1}, 100000},
    {"root.w.b", {1}, 100000}, {"root.w.c", {1}, 100000},
    {"root.w.d", {1}, 100000}, {"root.w.e", {1}, 100000}};

static void equal_children_get_equal_shares(void **state)
{
    const int64_t capacity[] = {195};
    char text[400];

    (void)state;
    (void)snprintf(text, sizeof text, five_leaves, "drf", 1, 1, "drf");
    no_round_kills(text, capacity, five_wants, 6);
    assert_i64(share("root.p", 0), 97);
    assert_i64(share("root.w", 0), 97);
    assert_in_range(share("root.w.c", 0), 19, 20);
    assert_in_range(used("root.p", 0), 97, 98);
    sim_end();
}

/* Weights 1 and 9, under the orders and guarantees of a line each. */
static void weights_hold_at_any_ratio(void **state)
{
    static const struct {
        const char *order, *guarantee;
        int64_t p;
    } cases[] = {
        {"drf", "", 10000},
        {"drf", "guarantee=\"a=10\"", 10000},
        {"fair", "", 10000},
        {"share", "", 10000},
        {"share", "guarantee=\"a=10\"", 10000},
        {"utilisation", "", 10000},
        {"utilisation", "guarantee=\"a=10000\"", 10000},
    };
    static const shares_want wants[] = {{"root.p", {1000}, 100000},
                                        {"root.q", {1000}, 100000}};
    const int64_t capacity[] = {100000};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        (void)snprintf(text, sizeof text,
                       "kinds a\nroot order=%s\nroot.p weight=1 %s\n"
                       "root.q weight=9\n",
                       cases[i].order, cases[i].guarantee);
        no_round_kills(text, capacity, wants, 2);
        assert_i64(share("root.p", 0), cases[i].p);
        assert_i64(share("root.q", 0), 100000 - cases[i].p);
        assert_i64(used("root.p", 0), cases[i].p);
        sim_end();
    }
}

/* The example of docs/design/shares.md: a leaf of w gets all its tasks, and w goes on
 * with the other leaf. */
static void a_parent_has_a_path(void **state)
{
    static const shares_want wants[] = {{"root.p", {0, 1000}, 2000},
                                        {"root.w.x", {1000, 0}, 2000},
                                        {"root.w.y", {0, 1000}, 20}};
    const int64_t capacity[] = {120000, 120000};

    (void)state;
    no_round_kills("kinds a b\nroot order=drf\nroot.p\nroot.w order=drf\n"
                   "root.w.x\nroot.w.y\n",
                   capacity, wants, 3);
    assert_i64(share("root.p", 0), 0);
    assert_i64(share("root.p", 1), 100000);
    assert_i64(share("root.w", 0), 120000);
    assert_i64(share("root.w", 1), 20000);
    assert_i64(used("root.p", 1), 100000);
    sim_end();
}

/* A world on one node, of which only the shares are looked at. */
static void tell_world(const char *text, const int64_t *capacity,
                       const shares_want *wants, size_t n)
{
    sim_begin(text, SKED_TARGET_MODE_ENTITLEMENT, capacity);
    for (size_t i = 0; i < n; i++) sim_want(&wants[i]);
    sim_pass();
}

/* The parent p rises above its part of c while x rises. Then only y rises, which
 * is below a guarantee of a; but p is above its part of c, so its key decides. */
static void a_parent_above_its_part_goes_by_its_key(void **state)
{
    static const shares_want wants[] = {{"root.q", {30, 0, 18}, 14},
                                        {"root.p.x", {0, 0, 1}, 149},
                                        {"root.p.y", {1, 0, 25}, 7}};
    const int64_t capacity[] = {400, 23000, 460};

    (void)state;
    tell_world("kinds a b c\nroot order=drf\n"
               "root.p order=drf guarantee=\"a=120,b=6900,c=138\"\nroot.q\n"
               "root.p.x\nroot.p.y guarantee=\"a=50\"\n",
               capacity, wants, 3);
    assert_i64(share("root.p", 2), 302);
    assert_i64(share("root.p.x", 2), 149);
    assert_i64(share("root.p.y", 2), 153);
    assert_i64(share("root.q", 2), 157);
    sim_end();
}

/* The guarantees of children add up to that of their parent, so all of them are
 * reached at one moment, but for rounding. */
static void guarantees_are_reached_together(void **state)
{
    static const shares_want wants[] = {
        {"root.q", {2000, 4000, 2000}, 8640},
        {"root.p.m.a", {3000, 0, 2000}, 8640},
        {"root.p.m.b", {4000, 4000, 1000}, 8640},
        {"root.p.m.c", {3000, 2000, 1000}, 8640},
        {"root.p.m.d", {3000, 3000, 1000}, 8640},
        {"root.p.n.a", {4000, 3000, 1000}, 8640},
        {"root.p.n.b", {4000, 3000, 1000}, 8640}};
    const int64_t capacity[] = {288000, 227000, 135000};

    (void)state;
    tell_world("kinds a b c\nroot order=utilisation\nroot.q weight=3\n"
               "root.p order=utilisation\nroot.p.m order=utilisation weight=2\n"
               "root.p.n order=utilisation weight=3\nroot.p.m.a weight=3\n"
               "root.p.m.b\nroot.p.m.c guarantee=\"a=9000,b=6000,c=3000\"\n"
               "root.p.m.d weight=3 guarantee=\"a=6000,b=6000,c=2000\"\n"
               "root.p.n.a weight=3\n"
               "root.p.n.b weight=3 guarantee=\"a=32000,b=24000,c=8000\"\n",
               capacity, wants, 7);
    assert_i64(share("root.q", 1), 188436);
    assert_i64(share("root.p", 1), 38563);
    assert_i64(share("root.p.m.a", 0), 40390);
    assert_i64(share("root.p.n.a", 0), 3416);
    assert_i64(share("root.p.n.b", 0), 32002);
    sim_end();
}

/* A child reaches its part of b just where b runs out. So only tasks without b
 * rise in it, and it is below its guarantee of a. */
static void a_kind_runs_out_at_a_part(void **state)
{
    static const shares_want wants[] = {{"root.q", {4000, 0, 2000}, 78},
                                        {"root.r.a", {1000, 0, 1000}, 31},
                                        {"root.p.a", {1000, 2000, 4000}, 3},
                                        {"root.p.b", {1000, 4000, 1000}, 37},
                                        {"root.p.c", {2000, 1000, 1000}, 4530},
                                        {"root.p.d", {4000, 3000, 1000}, 10},
                                        {"root.p.e", {1000, 0, 3000}, 53}};
    const int64_t capacity[] = {313000, 151000, 319000};

    (void)state;
    tell_world("kinds a b c\nroot order=utilisation\n"
               "root.p order=utilisation weight=2 "
               "guarantee=\"a=93900,b=15100,c=63800\"\n"
               "root.q weight=2 guarantee=\"a=31300,b=7550,c=31900\"\n"
               "root.r order=utilisation\nroot.p.a weight=2\n"
               "root.p.b weight=2 guarantee=\"a=31300,c=63800\"\n"
               "root.p.c\nroot.p.d\nroot.p.e\nroot.r.a weight=2\n",
               capacity, wants, 7);
    assert_i64(share("root.p", 0), 93900);
    assert_i64(share("root.p", 1), 151000);
    assert_i64(share("root.q", 0), 188100);
    sim_end();
}

/* Queues without a part are last, and take no time of the others' clocks. */
static void queues_without_a_part_are_last(void **state)
{
    static const shares_want wants[] = {
        {"root.p.b", {2000, 1000, 0}, 4},
        {"root.p.a.a", {4000, 0, 2000}, 9},
        {"root.p.c.a", {4000, 2000, 3000}, 141},
        {"root.p.c.b", {4000, 0, 0}, 9},
        {"root.p.c.c.a", {1000, 1000, 1000}, 188},
        {"root.p.c.c.b", {3000, 1000, 0}, 186},
        {"root.p.c.c.c", {2000, 1000, 0}, 47}};
    const int64_t capacity[] = {188000, 360000, 337000};

    (void)state;
    tell_world(
        "kinds a b c\nroot order=utilisation\nroot.p order=utilisation\n"
        "root.p.a order=utilisation weight=2 "
        "guarantee=\"a=56400,b=36000,c=101100\"\n"
        "root.p.b weight=2\n"
        "root.p.c order=utilisation guarantee=\"b=108000,c=67400\"\n"
        "root.p.a.a\nroot.p.c.a guarantee=\"a=37600,b=72000,c=67400\"\n"
        "root.p.c.b\nroot.p.c.c order=utilisation\nroot.p.c.c.a weight=3\n"
        "root.p.c.c.b\nroot.p.c.c.c weight=3\n",
        capacity, wants, 7);
    assert_in_range(share("root.p.c", 0), 151999, 152000);
    assert_in_range(share("root.p.c.a", 0), 115999, 116000);
    assert_i64(share("root.p.b", 0), 0);
    sim_end();
}

/* A queue of weight 0 gets what is guaranteed to it and its children. */
static void weight_0_gets_the_guarantees_below(void **state)
{
    static const shares_want wants[] = {{"root.p.y", {22}, 2},
                                        {"root.p.x", {1}, 3}};
    const int64_t capacity[] = {220};

    (void)state;
    tell_world("kinds a\nroot order=drf\n"
               "root.p order=drf weight=0 guarantee=\"a=39\"\n"
               "root.p.x guarantee=10%\nroot.p.y guarantee=\"a=39\"\n",
               capacity, wants, 2);
    assert_i64(share("root.p", 0), 42);
    assert_i64(share("root.p.x", 0), 3);
    assert_i64(share("root.p.y", 0), 39);
    sim_end();
}

/* Shares are the demand where all of it fits, and follow it. */
static void shares_follow_demand_that_fits(void **state)
{
    static const shares_want wants[] = {{"root.p", {10}, 3},
                                        {"root.q", {10}, 2}};
    const int64_t capacity[] = {100};

    (void)state;
    tell_world("kinds a\nroot order=drf\nroot.p guarantee=\"a=40\"\nroot.q\n",
               capacity, wants, 2);
    assert_i64(share("root", 0), 50);
    for (int64_t tasks = 5; tasks > 0; tasks--) {
        sim_say((sked_event){.kind = SKED_EVENT_ASK_CHANGE,
                             .key = 1,
                             .count = tasks},
                NULL);
        assert_i64(share("root.p", 0), 10 * (3 + tasks));
        assert_i64(share("root.q", 0), 20);
        assert_i64(share("root", 0), 10 * (3 + tasks) + 20);
        assert_ok(sked_engine_check(sim.engine, &sim.err));
    }
    sim_end();
}

/* A leaf with tasks of (3,1,3) beside a parent of n leaves with (2,3,1). */
static size_t wide_family(uint32_t n, char *text, size_t size,
                          char path[WANTS][PATH], shares_want *wants)
{
    size_t at = (size_t)snprintf(text, size,
                                 "kinds a b c\nroot\nroot.p\nroot.w\n");

    wants[0] = (shares_want){"root.p", {3, 1, 3}, 100000};
    for (uint32_t i = 0; i < n; i++) {
        (void)snprintf(path[i], PATH, "root.w.s%u", (unsigned)i);
        at += (size_t)snprintf(text + at, size - at, "%s\n", path[i]);
        wants[i + 1] = (shares_want){path[i], {2, 3, 1}, 100000};
    }
    return n + 1;
}

/* Dominant shares are equal: 23.66 tasks of p and 44.0 of w; of 100 of each
 * kind, 20 and 20. */
static void wide_families_get_what_one_leaf_gets(void **state)
{
    static const struct {
        uint32_t leaves;
        int64_t capacity[KINDS], p, w;
    } cases[] = {{3, {343, 214, 115}, 24, 43},
                 {6, {343, 214, 115}, 24, 43},
                 {12, {343, 214, 115}, 24, 43},
                 {6, {100, 100, 100}, 20, 20}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400], path[WANTS][PATH];
        shares_want wants[WANTS];
        size_t n = wide_family(cases[i].leaves, text, sizeof text, path, wants);
        no_round_kills(text, cases[i].capacity, wants, n);
        assert_i64(used("root.p", 0), 3 * cases[i].p);
        assert_i64(used("root.w", 0), 2 * cases[i].w);
        sim_end();
    }
}

/* ---- Averages while tasks end ---- */

/* Queue p and its parent's other child, in tasks of p's. */
typedef struct shares_goal {
    const char *text;
    const shares_want *wants;
    size_t n;
    const int64_t *capacity;
    const char *other;
    double p, w; /* amounts of kind 0 */
} shares_goal;

/* The wants of p come a minute late, and p has to gain. */
static void usage_stays_at_shares(const shares_goal *g, int policy,
                                  const char *name)
{
    double p = 0, w = 0, near = 0.02 * (double)g->capacity[0];
    int64_t early = 0;

    sim_begin(g->text, policy, g->capacity);
    for (size_t i = 1; i < g->n; i++) sim_want(&g->wants[i]);
    for (int64_t second = 0; second < END; second++) {
        if (second == 60) sim_want(&g->wants[0]);
        if (second == SETTLED) early = sim.kills;
        sim_second(policy);
        if (second < SETTLED) continue;
        p += (double)used("root.p", 0) / (END - SETTLED);
        w += (double)used(g->other, 0) / (END - SETTLED);
    }
    if (sim.kills > early) {
        fail_msg("%s, policy %d: %lld tasks are killed after ten minutes", name,
                 policy, (long long)(sim.kills - early));
    }
    if (p > g->p + near || p < g->p - near || w > g->w + near ||
        w < g->w - near) {
        fail_msg("%s, policy %d: averages %.1f and %.1f, not %.1f and %.1f",
                 name, policy, p, w, g->p, g->w);
    }
    sim_end();
}

static const int policies[] = {OFF, SKED_TARGET_MODE_IMBALANCE,
                               SKED_TARGET_MODE_ENTITLEMENT,
                               SKED_TARGET_MODE_STARVATION};
static const char *const orders[] = {"drf", "fair", "share", "utilisation"};

static void equal_children_stay_equal(void **state)
{
    const int64_t capacity[] = {195};
    char text[400];

    (void)state;
    for (size_t i = 0; i < 16; i++) {
        const char *order = orders[i / 4];
        (void)snprintf(text, sizeof text, five_leaves, order, 1, 1, order);
        usage_stays_at_shares(
            &(shares_goal){text, five_wants, 6, capacity, "root.w", 97.5, 97.5},
            policies[i % 4], order);
    }
}

static void weights_stay_weights(void **state)
{
    static const shares_want wants[] = {{"root.p", {1}, 100000},
                                        {"root.q", {1}, 100000}};
    const int64_t capacity[] = {100};
    char text[200];

    (void)state;
    for (size_t i = 0; i < 16; i++) {
        const char *order = orders[i / 4];
        (void)snprintf(text, sizeof text,
                       "kinds a\nroot order=%s\nroot.p weight=1\n"
                       "root.q weight=9\n",
                       order);
        usage_stays_at_shares(
            &(shares_goal){text, wants, 2, capacity, "root.q", 10, 90},
            policies[i % 4], order);
    }
}

static void wide_families_stay(void **state)
{
    const int64_t capacity[] = {343, 214, 115};
    char text[400], path[WANTS][PATH];
    shares_want wants[WANTS];
    size_t n = wide_family(6, text, sizeof text, path, wants);

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        usage_stays_at_shares(
            &(shares_goal){text, wants, n, capacity, "root.w", 72, 86},
            policies[i], "wide family");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_children_get_equal_shares),
        cmocka_unit_test(weights_hold_at_any_ratio),
        cmocka_unit_test(a_parent_has_a_path),
        cmocka_unit_test(a_parent_above_its_part_goes_by_its_key),
        cmocka_unit_test(guarantees_are_reached_together),
        cmocka_unit_test(a_kind_runs_out_at_a_part),
        cmocka_unit_test(queues_without_a_part_are_last),
        cmocka_unit_test(weight_0_gets_the_guarantees_below),
        cmocka_unit_test(shares_follow_demand_that_fits),
        cmocka_unit_test(wide_families_get_what_one_leaf_gets),
        cmocka_unit_test(equal_children_stay_equal),
        cmocka_unit_test(weights_stay_weights),
        cmocka_unit_test(wide_families_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
