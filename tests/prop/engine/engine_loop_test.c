/*
 * Nothing is preempted in turns, through the engine. Random clusters are filled
 * by some jobs before the others come; then nothing ends but what a round has
 * killed, which is wanted again. So demand stays as it is, while rounds and
 * node events go by, and:
 *
 *   - a task that was killed never has others preempted for it: it starts in
 *     room that was kept only as one that was never killed;
 *   - rounds come to an end: no more is told, killed, kept or let off;
 *   - what is killed is killed for a task that every tree of limits holds.
 */
#include <sched/engine_preempt.h>

#include "test.h"

#include <string.h>

#include "accounts.h"
#include "policies.h"
#include "size.h"
#include "words.h"

enum { LEAVES = 6, NODES = 5, JOBS = 18, TASKS = 12, KINDS = 3, ROUNDS = 300 };
enum { WITH_GANGS = 1, WITH_LIMITS = 2, WITH_ALONE = 4, WITH_LISTS = 8 };
enum { QUIET = 12 }; /* rounds after which nothing more is to be expected */

/* What came of many clusters. */
typedef struct turns_sum {
    unsigned long kills, held; /* tasks told to end, and started for them */
    unsigned long wide_kills, wide_held; /* of these: of gangs over nodes */
    unsigned long alone_kills;           /* of tasks with nodes to themselves */
    unsigned long bunch_kills; /* of groups of several that share one */
} turns_sum;

typedef struct turns {
    turns_sum *sum;
    test_words words;
    uint64_t seed;
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id leaf[LEAVES];
    size_t leaves, nodes;
    uint32_t kinds;
    sked_time now;
    uint8_t killed[JOBS + 1][TASKS];
    uint64_t group[4096]; /* told to end, and how many */
    int64_t count[4096];
    size_t told;
    int moved;      /* 1: something was said in this round */
    uint32_t gangs; /* over nodes that rounds reserve for */
    int alone;      /* 1: some tasks are to have nodes to themselves */
    uint8_t is_alone[JOBS + 1];
    sked_event_gang gang;
    uint8_t is_gang[JOBS + 1]; /* over nodes */
    int64_t tasks[JOBS + 1];   /* of an ask */
    int64_t runs[JOBS + 1];    /* of these, and were not told to end */
    test_accounts limits;
    uint32_t charged[JOBS + 1]; /* a queue from 1; 0: none */
    sked_event_charge charge;
    int64_t task[JOBS + 1][KINDS];            /* what one takes */
    uint8_t begun[JOBS + 1], ended[JOBS + 1]; /* in this round or event */
} turns;

static uint64_t upto(turns *t, uint64_t most)
{
    return test_below(&t->words, most + 1);
}

/* ---- Clusters ---- */

static void set_queue(turns *t, sked_queue_id queue, int32_t attribute,
                      int64_t value)
{
    assert_ok(sked_tree_set(t->tree, queue, attribute, value, NULL));
}

/* Two levels; what siblings are guaranteed adds up to all at most. */
static void plant(turns *t)
{
    static const char *const kinds[] = {"x", "y", "z"};
    sked_queue_id root, up;
    char name[2] = {'a', 0};
    int64_t left = SKED_PPM;

    assert_ok(sked_schema_new(kinds, NULL, t->kinds, NULL, &t->schema, NULL));
    assert_ok(sked_tree_new(t->schema, NULL, NULL, &t->tree, NULL));
    root = up = sked_tree_root(t->tree);
    t->leaves = 2 + upto(t, LEAVES - 2);
    for (size_t i = 0; i < t->leaves; i++, name[0]++) {
        if (i == 1 && upto(t, 1)) { /* the others stand below one */
            assert_ok(sked_tree_add(t->tree, root, "up", &up, NULL));
            set_queue(t, up, SKED_QUEUE_GUARANTEE_PPM, left);
            left = SKED_PPM;
        }
        int64_t part = (int64_t)upto(t, 5) * SKED_PPM / 10;
        if (part > left) part = left;
        assert_ok(sked_tree_add(t->tree, up, name, &t->leaf[i], NULL));
        if (upto(t, 4)) {
            set_queue(t, t->leaf[i], SKED_QUEUE_GUARANTEE_PPM, part);
            left -= part;
        }
        set_queue(t, t->leaf[i], SKED_QUEUE_WEIGHT, 1 + (int64_t)upto(t, 3));
        set_queue(t, t->leaf[i], SKED_QUEUE_PREEMPT_MIN_TIMEOUT, 2);
        set_queue(t, t->leaf[i], SKED_QUEUE_PREEMPT_FAIR_TIMEOUT, 4);
        if (upto(t, 6) == 0) {
            set_queue(t, t->leaf[i], SKED_QUEUE_PREEMPT_FROM, 0);
        }
    }
    assert_ok(sked_tree_commit(t->tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

static void preempt(turns *t, int lists)
{
    const sked_target_options targets = policy_draw(&t->words);
    const sked_round_options rounds = {
        .struct_size = sizeof rounds,
        .grace_ns = upto(t, 2) ? 1 + (int64_t)upto(t, 3) : -1};
    sked_engine_preempt_options opts = {
        .struct_size = sizeof opts,
        .keep_for_ns = 8,
        .gangs = t->gangs,
        .targets = &targets,
        .rounds = &rounds,
    };
    sked_target_options more[2];
    const sked_target_options *const list[2] = {&more[0], &more[1]};

    if (lists) opts.n_more_targets = 1 + upto(t, 1);
    for (uint64_t i = 0; i < opts.n_more_targets; i++)
        more[i] = policy_draw(&t->words);
    opts.more_targets = list;
    assert_ok(sked_engine_preempt(t->engine, &opts, NULL));
}

/* ---- The host ---- */

static void say(turns *t, sked_event event, const int64_t *amounts)
{
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = amounts != NULL,
                               .gangs = &t->gang,
                               .charges = &t->charge};
    sked_error err;

    event.time = t->now;
    sked_status rc = sked_engine_apply(t->engine, &batch, NULL, &err);
    if (rc != SKED_OK) {
        fail_msg("seed %llu: event %d: %s", (unsigned long long)t->seed,
                 event.kind, err.message);
    }
}

static void hear_start(turns *t, const sked_decision *d)
{
    t->runs[d->job] += d->count;
    if (d->reason != SKED_REASON_HELD) return;
    for (int64_t i = d->task; i < d->task + d->count; i++) {
        if (!t->killed[d->job][i]) continue;
        fail_msg("seed %llu: at %lld others went for task %lld of job %llu, "
                 "which had been killed",
                 (unsigned long long)t->seed, (long long)t->now, (long long)i,
                 (unsigned long long)d->job);
    }
    t->sum->held += (unsigned long)d->count;
    t->begun[d->job] = 1;
    if (t->is_gang[d->job]) t->sum->wide_held += (unsigned long)d->count;
}

static void hear_kill(turns *t, const sked_decision *d)
{
    if (!accounts_hold(&t->limits, t->engine, t->charged[d->serves],
                       t->task[d->serves])) {
        fail_msg("seed %llu: others go for job %llu, which a limit keeps out",
                 (unsigned long long)t->seed, (unsigned long long)d->serves);
    }
    memset(&t->killed[d->job][d->task], 1, (size_t)d->count);
    t->runs[d->job] -= d->count;
    t->ended[d->job] = 1;
    t->group[t->told] = d->group;
    t->count[t->told++] = d->count;
    t->sum->kills += (unsigned long)d->count;
    if (t->is_gang[d->job]) t->sum->wide_kills += (unsigned long)d->count;
    if (!t->is_alone[d->job]) return;
    t->sum->alone_kills += (unsigned long)d->count;
    t->sum->bunch_kills += d->count > 1;
}

/* What was reserved for a gang over nodes it starts in as a whole, and all of it
 * is told to end at once. */
static void hold_whole(turns *t)
{
    for (uint64_t job = 1; job <= JOBS; job++) {
        int part = (t->begun[job] && t->runs[job] < t->tasks[job]) ||
                   (t->ended[job] && t->runs[job] > 0);
        t->begun[job] = t->ended[job] = 0;
        if (!t->is_gang[job] || !part) continue;
        fail_msg("seed %llu: %lld of %lld of job %llu run",
                 (unsigned long long)t->seed, (long long)t->runs[job],
                 (long long)t->tasks[job], (unsigned long long)job);
    }
}

static void hear(turns *t)
{
    sked_decision d;
    size_t n;

    for (;;) {
        assert_ok(sked_engine_take(t->engine, &d, 1, &n, NULL));
        if (n == 0) {
            hold_whole(t);
            return;
        }
        t->moved |= d.kind != SKED_DECISION_ADMIT;
        if (d.kind == SKED_DECISION_ALLOCATE) hear_start(t, &d);
        if (d.kind == SKED_DECISION_KILL) hear_kill(t, &d);
    }
}

static void beat_all(turns *t)
{
    uint64_t from = upto(t, t->nodes - 1);

    for (size_t i = 0; i < t->nodes; i++) {
        say(t,
            (sked_event){.kind = SKED_EVENT_HEARTBEAT,
                         .key = 1 + (from + i) % t->nodes},
            NULL);
        hear(t);
    }
}

/* A node is in one of two zones. */
static void say_zone(turns *t, uint64_t node)
{
    const int32_t offsets[] = {0, 1};
    const sked_rule_attribute zone = {1, (int64_t)upto(t, 1)};
    sked_event event = {.kind = SKED_EVENT_NODE_ATTRIBUTES,
                        .time = t->now,
                        .key = node,
                        .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .attribute_offsets = offsets,
                               .attributes = &zone,
                               .n_attributes = 1};

    assert_ok(sked_engine_apply(t->engine, &batch, NULL, NULL));
}

/* An ask runs on one node or in one rack alone, by lists, or rather in one zone,
 * by a soft rule. */
static void say_likes(turns *t, uint64_t ask)
{
    const int32_t lists[] = {0, 1, 2}, one[] = {0, 1};
    const uint64_t node = 1 + upto(t, t->nodes - 1), rack = 1 + upto(t, 1);
    const uint64_t keys[] = {node, rack};
    const sked_rule_term zone = {
        .op = SKED_RULE_OP_EQUAL, .key = 1, .value = (int64_t)upto(t, 1)};
    sked_event said[] = {
        {.kind = SKED_EVENT_ASK_RACKS, .time = t->now, .key = ask, .places = 2},
        {.kind = SKED_EVENT_ASK_PLACES,
         .time = t->now,
         .key = ask,
         .flags = SKED_ASK_STRICT,
         .places = 1},
        {.kind = SKED_EVENT_ASK_PREFER,
         .time = t->now,
         .key = ask,
         .places = 1}};
    uint64_t first = upto(t, 2); /* 0: racks too */
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &said[first],
                               .n = first == 0 ? 2 : 1,
                               .place_offsets = lists,
                               .places = keys,
                               .n_places = 2,
                               .rule_offsets = one,
                               .rule_terms = &zone,
                               .n_rules = 1};

    sked_status rc = sked_engine_apply(t->engine, &batch, NULL, NULL);
    assert_true(rc == SKED_OK || rc == SKED_ERR_NOT_FOUND); /* rejected */
}

static void submit(turns *t, uint64_t job)
{
    int64_t amount[KINDS];
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = job,
                      .owner = job,
                      .count = 1 + (int64_t)upto(t, TASKS - 1),
                      .amount = 1};

    if (t->limits.tree) t->charged[job] = (uint32_t)upto(t, ACCOUNTS);
    t->charge.second = t->charged[job] ? t->limits.id[t->charged[job] - 1]
                                       : SKED_NO_QUEUE;
    say(t,
        (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                     .key = job,
                     .owner = job,
                     .queue = t->leaf[upto(t, t->leaves - 1)]},
        NULL);
    for (uint32_t k = 0; k < t->kinds; k++) {
        amount[k] = k == 0 ? 1 + (int64_t)upto(t, 3) : (int64_t)upto(t, 3);
        t->task[job][k] = amount[k];
    }
    if (upto(t, 6) == 0) {
        ask.flags = SKED_ASK_GANG;
        ask.count = 1 + (int64_t)upto(t, 2);
        if (upto(t, 2) == 0) ask.flags |= SKED_ASK_SPREAD;
    }
    if (t->gangs && (upto(t, 1) || (t->alone && job <= 2))) {
        ask.flags = SKED_ASK_GANG | SKED_ASK_SPREAD;
        ask.count = 2 + (int64_t)upto(t, 5);
        t->gang.per_node = (uint32_t)upto(t, 3);
        t->gang.same = upto(t, 3) == 0; /* the zone */
        if (t->gang.same && job % 2) ask.flags |= SKED_ASK_PREFER_SAME;
    }
    if (t->alone && (job <= 2 || upto(t, 3) == 0)) {
        ask.flags |= SKED_ASK_EXCLUSIVE;
        if (!(ask.flags & SKED_ASK_SPREAD)) ask.flags = SKED_ASK_EXCLUSIVE;
        if (!t->gangs || upto(t, 1)) t->gang.per_node = 1;
        t->is_alone[job] = 1;
    }
    t->tasks[job] = ask.count;
    t->is_gang[job] = (ask.flags & SKED_ASK_SPREAD) != 0;
    say(t, ask, amount);
    if (upto(t, 4) == 0) say_likes(t, job);
    hear(t);
}

/* What was told to end does so, now or in the next round. */
static void end_killed(turns *t)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->told; i++) {
        if (upto(t, 3) == 0) { /* takes its time */
            t->group[kept] = t->group[i];
            t->count[kept++] = t->count[i];
            continue;
        }
        say(t,
            (sked_event){.kind = SKED_EVENT_TASK_KILLED,
                         .key = t->group[i],
                         .count = t->count[i]},
            NULL);
        hear(t);
    }
    t->told = kept;
}

/* ---- Rounds ---- */

static void begin(turns *t, int with)
{
    int64_t amount[KINDS];
    uint64_t jobs = 4 + upto(t, JOBS - 4), early = jobs / 2;

    t->kinds = 1 + (uint32_t)upto(t, KINDS - 1);
    t->nodes = 1 + upto(t, NODES - 1);
    plant(t);
    assert_ok(sked_engine_new(t->tree, NULL, NULL, &t->engine, NULL));
    preempt(t, with & WITH_LISTS);
    if (with & WITH_LIMITS) {
        accounts_plant(&t->limits, t->schema, t->kinds, &t->words, t->engine);
    }
    for (uint64_t i = 1; i <= t->nodes; i++) {
        for (uint32_t k = 0; k < t->kinds; k++) {
            amount[k] = 4 + (int64_t)upto(t, 12);
            if (t->alone && t->gangs) amount[k] = 8; /* for whole gangs */
        }
        say(t,
            (sked_event){.kind = SKED_EVENT_NODE_UP,
                         .key = i,
                         .owner = upto(t, 2),
                         .amount = 1},
            amount);
        say_zone(t, i);
    }
    for (uint64_t job = 1; job <= early; job++) submit(t, job);
    beat_all(t);
    for (uint64_t job = early + 1; job <= jobs; job++) submit(t, job);
}

/* Runs one cluster, and adds up what comes of it. */
static void run_turns(uint64_t seed, int with, turns_sum *sum)
{
    turns t = {.sum = sum, .words = {.state = seed}, .seed = seed};
    int quiet = 0;

    t.alone = (with & WITH_ALONE) != 0;
    if (with & WITH_GANGS) t.gangs = 1 + (uint32_t)upto(&t, 2);
    begin(&t, with);
    for (int round = 0; quiet < QUIET; round++) {
        t.moved = 0;
        t.now++;
        say(&t, (sked_event){.kind = SKED_EVENT_ROUND}, NULL);
        hear(&t);
        end_killed(&t);
        beat_all(&t);
        assert_ok(sked_engine_check(t.engine, NULL));
        quiet = t.moved || t.told ? 0 : quiet + 1;
        if (round < ROUNDS) continue;
        fail_msg("seed %llu: rounds do not end", (unsigned long long)seed);
    }
    sked_engine_free(t.engine);
    sked_tree_free(t.tree);
    sked_tree_free(t.limits.tree);
    sked_schema_free(t.schema);
}

/* Runs so many, of which every other one has gangs over nodes if `odd`. */
static turns_sum run_many(uint64_t first, uint64_t clusters, int with, int odd)
{
    turns_sum sum = {0};

    for (uint64_t seed = first; seed < first + clusters; seed++) {
        run_turns(seed, seed % 2 && odd ? with | WITH_GANGS : with, &sum);
    }
    return sum;
}

static void nothing_is_preempted_in_turns(void **state)
{
    uint64_t clusters = test_size(1200, 60000);
    turns_sum sum = run_many(1, clusters, 0, 0);
    (void)state;

    assert_true(sum.kills > clusters / 2);
    assert_true(sum.held > clusters / 2);
    assert_true(sum.wide_kills == 0 && sum.wide_held == 0);
}

/* Nor are gangs over nodes, where rounds end them and reserve for them. */
static void no_gangs_are_preempted_in_turns(void **state)
{
    uint64_t clusters = test_size(1200, 60000);
    turns_sum sum = run_many(1, clusters, WITH_GANGS, 0);
    (void)state;

    assert_true(sum.wide_kills > clusters / 4);
    assert_true(sum.wide_held > clusters / 10);
}

/* Nor are tasks that have nodes to themselves, which never claim. */
static void no_whole_nodes_are_preempted_in_turns(void **state)
{
    uint64_t clusters = test_size(400, 40000);
    turns_sum sum = run_many(70001, clusters, WITH_ALONE, 1);
    (void)state;

    assert_true(sum.alone_kills > clusters / 10);
    assert_true(sum.bunch_kills > 0 || clusters < 400); /* rare */
}

/* Nor is anything, where a tree of limits keeps asks out. */
static void nothing_kept_out_preempts_in_turns(void **state)
{
    uint64_t clusters = test_size(1200, 60000);
    turns_sum sum = run_many(1, clusters, WITH_LIMITS, 1);
    (void)state;

    assert_true(sum.kills > clusters / 2);
    assert_true(sum.held > clusters / 4);
}

/* Nor is anything by several policies in order. */
static void no_list_of_policies_preempts_in_turns(void **state)
{
    uint64_t clusters = test_size(1000, 100000);
    turns_sum sum = run_many(150001, clusters, WITH_LISTS, 1);
    (void)state;

    assert_true(sum.kills > clusters / 2);
    assert_true(sum.held > clusters / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_preempted_in_turns),
        cmocka_unit_test(no_gangs_are_preempted_in_turns),
        cmocka_unit_test(no_whole_nodes_are_preempted_in_turns),
        cmocka_unit_test(nothing_kept_out_preempts_in_turns),
        cmocka_unit_test(no_list_of_policies_preempts_in_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
