/*
 * Whom a round tells to end, where the host has its word: what tasks cost
 * (SKED_EVENT_TASK_COST), which of them end by themselves (SKED_EVENT_TASK_ENDS),
 * and which nodes the claim takes (an attribute). One queue may lose all that
 * it has to another, by the first, the second or the third policy of a list, or by
 * none. What is told is on one node, makes way there, and costs what the slow twin
 * finds; where no policy claims, nobody is told.
 */
#include <sched/engine_preempt.h>

#include "test.h"

#include "ref_victims.h"
#include "size.h"
#include "words.h"

enum {
    KINDS = REF_VICTIMS_KINDS,
    NODES = 3,
    A_NODE = 5, /* tasks, at most */
    POLICIES = 3,
    TAKEN = 9, /* the attribute of nodes that the claim takes */
    GRACE = 100
};

/* Each task of the queue that gives is an ask of its own, of the same number. */
typedef struct world {
    test_words words;
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id gives, wants;
    ref_victims_node node[NODES];
    ref_victims_task task[REF_VICTIMS_TASKS];
    ref_victims twin;
    int ruled;   /* 1: the claim goes by the attribute */
    int claims;  /* 1: some policy of the list does */
    int by_node; /* 1: all is said by node and ask */
} world;

static uint64_t below(world *w, uint64_t n)
{
    return test_below(&w->words, n);
}

static void say(world *w, sked_event event, const int64_t *amounts,
                sked_time moment)
{
    static const sked_rule_term term = {.op = SKED_RULE_OP_EXISTS,
                                        .key = TAKEN};
    static const sked_rule_attribute taken = {.key = TAKEN, .value = 1};
    static const int32_t rows[] = {0, 1};
    sked_error err;
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = 1,
                         .rule_offsets = rows,
                         .rule_terms = &term,
                         .n_rules = 1,
                         .attribute_offsets = rows,
                         .attributes = &taken,
                         .n_attributes = 1,
                         .moments = &moment};

    event.amount = amounts ? 1 : 0;
    batch.n_amounts = amounts ? 1 : 0;
    sked_status rc = sked_engine_apply(w->engine, &batch, NULL, &err);
    if (rc != SKED_OK) fail_msg("event %d: %s", event.kind, err.message);
}

/* ---- Drawing ---- */

static void draw_nodes(world *w)
{
    w->ruled = below(w, 3) > 0;
    for (uint32_t n = 0; n < NODES; n++) {
        int64_t left[KINDS], tasks = 1 + (int64_t)below(w, A_NODE);
        for (int k = 0; k < KINDS; k++) {
            left[k] = w->node[n].size[k] = 4 + (int64_t)below(w, 9);
        }
        w->node[n].taken = !w->ruled || below(w, 3) > 0;
        for (; tasks > 0; tasks--) { /* no two cost the same */
            ref_victims_task *t = &w->task[w->twin.tasks];
            *t = (ref_victims_task){.node = n,
                                    .cost = tasks + 5 * (int64_t)below(w, 9),
                                    .ends = below(w, 6) == 0};
            for (int k = 0; k < KINDS; k++) {
                t->amount[k] = (int64_t)below(w, 4);
                if (t->amount[k] > left[k]) t->amount[k] = left[k];
                left[k] -= t->amount[k];
            }
            w->twin.tasks += t->amount[0] > 0 || t->amount[1] > 0;
        }
    }
    w->twin.node = w->node;
    w->twin.nodes = NODES;
    w->twin.task = w->task;
    for (int k = 0; k < KINDS; k++) {
        w->twin.step[k] = 1 + (int64_t)below(w, 7);
    }
}

/* Those that claim do so at once; others wait for a time-out that nobody set. */
static void draw_policies(world *w)
{
    sked_target_options policy[POLICIES];
    const sked_target_options *more[POLICIES - 1];
    const sked_round_options rounds = {.struct_size = sizeof rounds,
                                       .grace_ns = GRACE};
    const sked_engine_preempt_options opts = {
        .struct_size = sizeof opts,
        .targets = policy,
        .rounds = &rounds,
        .more_targets = more,
        .n_more_targets = below(w, POLICIES),
    };

    for (uint64_t i = 0; i < POLICIES; i++) {
        int claims = (int)below(w, 3) > 0;
        policy[i] = (sked_target_options){
            .struct_size = sizeof policy[i],
            .mode = claims ? SKED_TARGET_MODE_IMBALANCE
                           : SKED_TARGET_MODE_STARVATION,
            .ignored_ppm = -1,
            .per_round_ppm = 1, /* so that one plan alone is made */
            .utilisation_ppm = claims ? 0 : -1};
        if (i > 0) more[i - 1] = &policy[i];
        if (i <= opts.n_more_targets) w->claims |= claims;
    }
    assert_ok(sked_engine_preempt(w->engine, &opts, NULL));
}

static void plant(world *w)
{
    static const char *const kinds[] = {"cpu", "memory"};
    static const int64_t nothing[KINDS] = {0};
    sked_queue_id root;

    assert_ok(sked_schema_new(kinds, NULL, KINDS, NULL, &w->schema, NULL));
    assert_ok(sked_tree_new(w->schema, NULL, NULL, &w->tree, NULL));
    root = sked_tree_root(w->tree);
    assert_ok(sked_tree_add(w->tree, root, "gives", &w->gives, NULL));
    assert_ok(sked_tree_add(w->tree, root, "wants", &w->wants, NULL));
    assert_ok(sked_tree_set(w->tree, w->wants, SKED_QUEUE_GUARANTEE_PPM,
                            SKED_PPM, NULL));
    assert_ok(
        sked_tree_set_vec(w->tree, w->gives, SKED_QUEUE_LIMIT, nothing, NULL));
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_engine_new(w->tree, NULL, NULL, &w->engine, NULL));
}

/* ---- The cluster as it is drawn ---- */

static void say_of_task(world *w, uint64_t group, uint64_t ask, int32_t kind,
                        int64_t cost, sked_time ends)
{
    sked_event event = {.kind = kind, .key = group, .count = cost};

    if (w->by_node) {
        event.flags = SKED_TASK_ON_NODE;
        event.key = 1 + w->task[ask - 1].node;
        event.owner = ask;
    }
    say(w, event, NULL, ends);
}

/* Each task runs where it is drawn; how the host calls it. */
static void run_tasks(world *w)
{
    sked_decision d;
    size_t n;

    for (uint32_t i = 0; i < w->twin.tasks; i++) {
        const ref_victims_task *t = &w->task[i];
        const uint64_t ask = i + 1;
        say(w,
            (sked_event){.kind = SKED_EVENT_ASK_ADD,
                         .key = ask,
                         .owner = 1,
                         .count = 1,
                         .flags = SKED_ASK_WAIT},
            t->amount, SKED_UNSET);
        say(w,
            (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                         .key = 1 + t->node,
                         .owner = ask,
                         .count = 1},
            NULL, SKED_UNSET);
        uint64_t group = 0;
        while (sked_engine_take(w->engine, &d, 1, &n, NULL) == SKED_OK && n) {
            if (d.kind == SKED_DECISION_ALLOCATE) group = d.group;
        }
        say_of_task(w, group, ask, SKED_EVENT_TASK_COST, t->cost, SKED_UNSET);
        say_of_task(w, group, ask, SKED_EVENT_TASK_ENDS, 0,
                    t->ends ? GRACE : GRACE + 1 + (sked_time)below(w, 9));
    }
}

static void fill(world *w)
{
    sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT};

    for (uint32_t n = 0; n < NODES; n++) {
        say(w,
            (sked_event){.kind = SKED_EVENT_NODE_UP,
                         .key = n + 1,
                         .places = w->node[n].taken != 0},
            w->node[n].size, SKED_UNSET);
    }
    for (job.key = 1; job.key <= 2; job.key++) {
        job.owner = job.key;
        job.queue = job.key == 1 ? w->gives : w->wants;
        say(w, job, NULL, SKED_UNSET);
    }
    run_tasks(w);
    say(w,
        (sked_event){.kind = SKED_EVENT_ASK_ADD,
                     .flags = SKED_ASK_WAIT,
                     .key = 99,
                     .owner = 2,
                     .count = 1},
        w->twin.step, SKED_UNSET);
    if (!w->ruled) return;
    say(w, (sked_event){.kind = SKED_EVENT_ASK_RULE, .key = 99, .places = 1},
        NULL, SKED_UNSET);
}

/* Does nothing of the claim start on what is free? */
static int all_is_held(world *w)
{
    sked_decision d;
    size_t n = 0;

    for (uint64_t node = 1; node <= NODES; node++) {
        say(w, (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = node}, NULL,
            SKED_UNSET);
        assert_ok(sked_engine_take(w->engine, &d, 1, &n, NULL));
        if (n > 0) return 0;
    }
    return 1;
}

/* ---- The law ---- */

typedef struct sum {
    unsigned long rounds, told, spared, none, asleep;
} sum;

static void hold_round(world *w, sum *s)
{
    uint32_t set = 0, node = UINT32_MAX;
    int64_t least = ref_victims_least(&w->twin), cost = 0;
    sked_decision d;
    size_t n;

    say(w, (sked_event){.kind = SKED_EVENT_ROUND}, NULL, SKED_UNSET);
    while (sked_engine_take(w->engine, &d, 1, &n, NULL) == SKED_OK && n) {
        if (d.kind != SKED_DECISION_NOTIFY) continue;
        uint32_t i = (uint32_t)d.ask - 1;
        assert_false(w->task[i].ends);
        assert_true(node == UINT32_MAX || node == w->task[i].node);
        node = w->task[i].node;
        assert_true(w->node[node].taken);
        set |= UINT32_C(1) << i;
        cost += w->task[i].cost;
    }
    s->rounds++;
    s->asleep += !w->claims;
    s->none += least < 0;
    s->spared += least == 0;
    s->told += set != 0;
    assert_i64(cost, w->claims && least > 0 ? least : 0);
    if (set) assert_true(ref_victims_fits(&w->twin, node, set));
    assert_ok(sked_engine_check(w->engine, NULL));
}

static void victims_are_those_of_the_twin(void **state)
{
    static world w;
    sum s = {0};
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(600, 20000); seed++) {
        w = (world){.words.state = seed};
        w.by_node = (int)below(&w, 2);
        draw_nodes(&w);
        plant(&w);
        draw_policies(&w);
        fill(&w);
        if (all_is_held(&w)) hold_round(&w, &s);
        sked_engine_free(w.engine);
        sked_tree_free(w.tree);
        sked_schema_free(w.schema);
    }
    assert_true(s.rounds > test_size(200, 200));
    assert_true(s.told > test_size(100, 100) && s.spared > 0);
    assert_true(s.none > 0 && s.asleep > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(victims_are_those_of_the_twin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
