/*
 * Plans over random jobs and random trees: the tree that comes of one has the
 * queues and weights of the slow twin, a second plan finds nothing to do, and
 * what was used or busy is still there.
 */
#include "test.h"

#include <sched/sked.h>

#include <stdio.h>
#include <string.h>

#include "host.h"
#include "ref_plan.h"
#include "size.h"
#include "words.h"

enum { JOBS = 40, FIELDS = 2, TIERS = 3, TEXT = JOBS * 8 };

typedef struct plan_world {
    sked_plan_jobs jobs;
    char text[FIELDS][TEXT];
    int32_t offset[FIELDS][JOBS + 1];
    const char *texts[FIELDS];
    const int32_t *offsets[FIELDS];
    int32_t level[4];
    uint8_t tier[JOBS];
    sked_plan_tier setting[TIERS];
    sked_time start[JOBS];
    sked_time end[JOBS];
    int64_t allocation[JOBS];
    int64_t running[JOBS];
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    ref_plan twin;
    uint32_t leaf_of[JOBS];
} plan_world;

static void some_texts(plan_world *s, test_words *w, int field, uint64_t names)
{
    int32_t used = 0;

    for (uint32_t i = 0; i < s->jobs.n; i++) {
        s->offset[field][i] = used;
        used += snprintf(s->text[field] + used, 8, "%c%llu", 'a' + field,
                         (unsigned long long)test_below(w, names));
    }
    s->offset[field][s->jobs.n] = used;
    s->texts[field] = s->text[field];
    s->offsets[field] = s->offset[field];
}

static void some_levels(plan_world *s, test_words *w)
{
    static const int32_t shapes[4][4] = {{0, 1, SKED_PLAN_LEVEL_TIER},
                                         {SKED_PLAN_LEVEL_TIER, 1},
                                         {1},
                                         {0, 0, 1, SKED_PLAN_LEVEL_TIER}};
    static const uint32_t levels[4] = {3, 2, 1, 4};
    uint64_t shape = test_below(w, 4);

    memcpy(s->level, shapes[shape], sizeof s->level);
    s->jobs.levels = levels[shape];
}

/* Jobs of up to `names` organisations and projects, some of them outside the
 * window. */
static void some_jobs(plan_world *s, test_words *w, uint64_t names)
{
    s->jobs = (sked_plan_jobs){.struct_size = sizeof s->jobs,
                               .n = (uint32_t)test_below(w, JOBS + 1),
                               .fields = FIELDS,
                               .tiers = TIERS,
                               .text = s->texts,
                               .offset = s->offsets,
                               .level = s->level,
                               .tier = test_below(w, 8) ? s->tier : NULL,
                               .setting = s->setting,
                               .start = s->start,
                               .end = s->end};
    if (test_below(w, 2)) {
        s->jobs.from = 10;
        s->jobs.to = 20;
    }
    assert_ok(sked_plan_tiers(TIERS, s->setting, NULL));
    if (test_below(w, 6) == 0) s->setting[1].name = "default";
    for (int f = 0; f < FIELDS; f++) some_texts(s, w, f, names);
    some_levels(s, w);
    for (uint32_t i = 0; i < JOBS; i++) {
        s->tier[i] = (uint8_t)(1 + test_below(w, TIERS));
        s->start[i] = (sked_time)test_below(w, 25);
        s->end[i] = s->start[i] + (sked_time)test_below(w, 6);
        s->allocation[i] = (int64_t)test_below(w, 40);
        s->running[i] = 1 + (int64_t)test_below(w, 40);
    }
}

static sked_plan_input input_of(const plan_world *s, int64_t band)
{
    return (sked_plan_input){.struct_size = sizeof(sked_plan_input),
                             .leaves = s->twin.leaves,
                             .dead_band_ppm = band,
                             .jobs = &s->jobs,
                             .allocation = s->allocation,
                             .max_running = s->running};
}

/* Plans, applies, commits; returns how much was changed. */
static size_t plan_once(plan_world *s, sked_plan_input in)
{
    sked_plan *plan;
    sked_error err;

    ref_plan_make(&s->twin, &s->jobs, s->allocation, s->leaf_of);
    in.leaves = s->twin.leaves;
    assert_ok(sked_plan_new(s->tree, &in, NULL, &plan, &err));
    size_t n = sked_plan_count(plan);
    assert_i64(n == 0, sked_diff_count(sked_plan_diff(plan)) == 0);
    assert_ok(sked_plan_apply(plan, s->tree, NULL, &err));
    assert_ok(sked_tree_commit(s->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_tree_check(s->tree, NULL));
    sked_plan_free(plan);
    return n;
}

static void world_start(plan_world *s)
{
    const char *const kinds[] = {"cpu"};

    memset(s, 0, sizeof *s);
    assert_ok(sked_schema_new(kinds, NULL, 1, NULL, &s->schema, NULL));
    assert_ok(sked_tree_new(s->schema, NULL, NULL, &s->tree, NULL));
}

static void world_end(plan_world *s)
{
    sked_tree_free(s->tree);
    sked_schema_free(s->schema);
}

static int64_t value_of(const sked_tree *tree, sked_queue_id id, int32_t key)
{
    int64_t x;

    assert_ok(sked_tree_effective(tree, id, key, &x));
    return x;
}

/* Every queue of the twin is there, with its weight and its settings. */
static void has_the_twins_queues(const plan_world *s)
{
    for (uint32_t i = 0; i < s->twin.n; i++) {
        const sked_plan_tier *tier = &s->setting[s->twin.tier[i] - 1];
        sked_queue_id id = SKED_NO_QUEUE;
        assert_ok(sked_tree_find(s->tree, s->twin.path[i], &id, NULL));
        assert_i64(value_of(s->tree, id, SKED_QUEUE_WEIGHT), s->twin.weight[i]);
        if (s->twin.leaf[i] == SKED_PLAN_NO_LEAF) continue;
        assert_i64(value_of(s->tree, id, SKED_QUEUE_TIER), s->twin.tier[i]);
        assert_i64(value_of(s->tree, id, SKED_QUEUE_MAX_RUNNING),
                   s->running[s->twin.leaf[i]]);
        assert_i64(value_of(s->tree, id, SKED_QUEUE_PREEMPT_FROM),
                   tier->preempt_from);
        assert_i64(value_of(s->tree, id, SKED_QUEUE_PREEMPT_FAIR_TIMEOUT),
                   tier->preempt_fair_timeout_ns);
        assert_i64(value_of(s->tree, id, SKED_QUEUE_PREEMPT_FAIR_THRESHOLD),
                   tier->preempt_fair_threshold_ppm);
    }
}

/* [MON-6] Week after week with other jobs: what is there is what the last
 * ones ask for, and asking again changes nothing. */
static void the_tree_is_what_the_jobs_ask_for(void **state)
{
    test_words w = {40};
    static plan_world s;
    (void)state;

    for (size_t i = 0; i < test_size(60, 2000); i++) {
        world_start(&s);
        for (int week = 0; week < 4; week++) {
            some_jobs(&s, &w, 1 + test_below(&w, 5));
            (void)plan_once(&s, input_of(&s, -1));
            has_the_twins_queues(&s);
            assert_i64((int64_t)sked_tree_count(s.tree), s.twin.n + 1);
            assert_i64((int64_t)plan_once(&s, input_of(&s, -1)), 0);
            assert_i64((int64_t)plan_once(&s, input_of(&s, 0)), 0);
        }
        world_end(&s);
    }
}

static void leaves_are_the_twins(void **state)
{
    test_words w = {41};
    static plan_world s;
    uint32_t leaf[JOBS], first[JOBS];
    uint8_t tier[JOBS];
    size_t n;
    (void)state;

    for (size_t i = 0; i < test_size(500, 20000); i++) {
        some_jobs(&s, &w, 1 + test_below(&w, 9));
        ref_plan_make(&s.twin, &s.jobs, NULL, s.leaf_of);
        assert_ok(
            sked_plan_leaves(&s.jobs, NULL, leaf, first, tier, JOBS, &n, NULL));
        assert_i64((int64_t)n, s.twin.leaves);
        for (uint32_t j = 0; j < s.jobs.n; j++) {
            assert_i64(leaf[j], s.leaf_of[j]);
        }
        for (uint32_t k = 0; k < s.twin.n; k++) {
            if (s.twin.leaf[k] == SKED_PLAN_NO_LEAF) continue;
            assert_i64(tier[s.twin.leaf[k]], s.twin.tier[k]);
            assert_i64(first[s.twin.leaf[k]], s.twin.first[s.twin.leaf[k]]);
        }
    }
}

/* What was used in the window, or is busy, outlives a plan without it. */
static void what_is_in_use_stays(void **state)
{
    test_words w = {42};
    static plan_world s;
    (void)state;

    for (size_t i = 0; i < test_size(60, 2000); i++) {
        sked_queue_id id[REF_PLAN_PATHS];
        uint8_t used[REF_PLAN_PATHS];
        const int64_t one = 1;
        size_t rows;
        sked_plan_input in;
        world_start(&s);
        some_jobs(&s, &w, 4);
        (void)plan_once(&s, input_of(&s, -1));
        assert_ok(sked_ledger_new(s.tree, NULL, NULL, &s.ledger, NULL));
        assert_ok(sked_tree_leaves(s.tree, id, REF_PLAN_PATHS, &rows));
        size_t busy = test_below(&w, rows);
        if (sked_tree_count(s.tree) > 1) {
            assert_ok(sked_ledger_set(s.ledger, SKED_LEDGER_RUNNING, id + busy,
                                      &one, 1, NULL));
        }
        sked_queue_id kept = id[busy];
        assert_ok(sked_tree_ids(s.tree, id, REF_PLAN_PATHS, &rows));
        size_t spared = test_below(&w, rows);
        memset(used, 0, sizeof used);
        used[spared] = 1;
        s.jobs.n = 0;
        in = input_of(&s, -1);
        in.used = used;
        in.ledger = s.ledger;
        (void)plan_once(&s, in);
        assert_non_null(sked_tree_name(s.tree, id[spared]));
        assert_non_null(sked_tree_name(s.tree, kept));
        assert_ok(sked_ledger_follow(s.ledger, s.tree, NULL));
        sked_ledger_free(s.ledger);
        in = input_of(&s, -1);
        (void)plan_once(&s, in);
        assert_i64((int64_t)sked_tree_count(s.tree), 1);
        world_end(&s);
    }
}

/* What a plan says of a queue is what becomes of it. */
static void changes_say_what_happens(void **state)
{
    test_words w = {43};
    static plan_world s;
    (void)state;

    for (size_t i = 0; i < test_size(60, 2000); i++) {
        sked_plan_input in;
        sked_plan *plan;
        world_start(&s);
        for (int week = 0; week < 3; week++) {
            some_jobs(&s, &w, 3);
            ref_plan_make(&s.twin, &s.jobs, s.allocation, s.leaf_of);
            in = input_of(&s, 0);
            assert_ok(sked_plan_new(s.tree, &in, NULL, &plan, NULL));
            assert_ok(sked_plan_apply(plan, s.tree, NULL, NULL));
            for (size_t k = 0; k < sked_plan_count(plan); k++) {
                sked_plan_change c = {.struct_size = sizeof c};
                sked_queue_id id;
                assert_ok(sked_plan_get(plan, k, &c));
                if (c.op == SKED_PLAN_OP_ADD) continue;
                assert_ok(sked_tree_find(s.tree, c.path, &id, NULL));
                assert_true(id == c.queue);
                assert_i64(value_of(s.tree, id, SKED_QUEUE_WEIGHT),
                           c.weight_before);
                assert_i64(value_of(s.tree, id, SKED_QUEUE_MAX_RUNNING),
                           c.running_before);
            }
            assert_ok(sked_tree_commit(s.tree, SKED_TREE_COMMIT_LENIENT, NULL));
            for (size_t k = 0; k < sked_plan_count(plan); k++) {
                sked_plan_change c = {.struct_size = sizeof c};
                sked_queue_id id;
                assert_ok(sked_plan_get(plan, k, &c));
                if (c.op == SKED_PLAN_OP_REMOVE) {
                    assert_status(SKED_ERR_NOT_FOUND,
                                  sked_tree_find(s.tree, c.path, &id, NULL));
                    continue;
                }
                assert_ok(sked_tree_find(s.tree, c.path, &id, NULL));
                assert_i64(value_of(s.tree, id, SKED_QUEUE_WEIGHT),
                           c.weight_after);
                assert_i64(value_of(s.tree, id, SKED_QUEUE_MAX_RUNNING),
                           c.running_after);
            }
            sked_plan_free(plan);
        }
        world_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_is_what_the_jobs_ask_for),
        cmocka_unit_test(leaves_are_the_twins),
        cmocka_unit_test(what_is_in_use_stays),
        cmocka_unit_test(changes_say_what_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
