/*
 * Engines over trees that are copied, edited on every branch, and read again
 * from text: a job stays in its queue, which is the same by history or has the
 * same path, and never moves to one whose id merely has the same number.
 */
#include "test.h"

#include <sched/engine_preempt.h>
#include <sched/tree_text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_world.h"
#include "forest.h"
#include "size.h"

/* ---- Where jobs go ---- */

enum { TREES = 4, JOBS = 12, MOST = 64, STEPS = 60 };

/* Trees of one line are copies of each other; a label names a queue there, for
 * ever. */
typedef struct grove {
    test_words words;
    sked_tree *tree[TREES];
    int line[TREES];
    int lines;
    unsigned labels;
    sked_engine *engine;
    sked_tree *mine; /* what the engine has, as this test sees it */
    int my_line;
    sked_queue_id at[JOBS]; /* the queue of each job */
    uint64_t jobs;
    uint64_t kept, refused; /* commits */
} grove;

typedef struct leaf_path {
    char text[512];
} leaf_path;

static leaf_path path_in(const sked_tree *tree, sked_queue_id id)
{
    leaf_path path;
    size_t n;

    assert_ok(sked_tree_path(tree, id, path.text, sizeof path.text, &n));
    return path;
}

static size_t ids_of(const sked_tree *tree, sked_queue_id *ids)
{
    size_t n = 0;

    assert_ok(sked_tree_ids(tree, ids, MOST, &n));
    return n;
}

static void commit(sked_tree *tree)
{
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_tree_check(tree, NULL));
}

static sked_queue_id by_label(const sked_tree *tree, const char *label)
{
    sked_queue_id ids[MOST];
    size_t n = ids_of(tree, ids);

    for (size_t i = 1; i < n; i++) {
        const char *own = sked_tree_get_text(tree, ids[i], SKED_QUEUE_LABEL);
        if (strcmp(own, label) == 0) return ids[i];
    }
    return SKED_NO_QUEUE;
}

static const char *label_of(const sked_tree *tree, sked_queue_id id)
{
    return sked_tree_get_text(tree, id, SKED_QUEUE_LABEL);
}

/* The queue of that path, whatever the two roots are called. */
static sked_queue_id by_path(const sked_tree *from, sked_queue_id id,
                             const sked_tree *to)
{
    leaf_path path = path_in(to, sked_tree_root(to)), old = path_in(from, id);
    sked_queue_id found = SKED_NO_QUEUE;

    strcat(path.text, strchr(old.text, '.'));
    (void)!sked_tree_find(to, path.text, &found, NULL);
    return found;
}

/* The queue of `next` that a queue of the engine's tree is. */
static sked_queue_id twin_of(const grove *g, size_t next, sked_queue_id id)
{
    const sked_tree *to = g->tree[next];
    int akin = g->line[next] == g->my_line;
    sked_queue_id twin = SKED_NO_QUEUE;

    if (id == sked_tree_root(g->mine)) return sked_tree_root(to);
    if (akin) twin = by_label(to, label_of(g->mine, id));
    if (twin != SKED_NO_QUEUE) return twin;
    twin = by_path(g->mine, id, to);
    if (twin == SKED_NO_QUEUE) return twin;
    int taken = akin && by_label(g->mine, label_of(to, twin)) != SKED_NO_QUEUE;
    return taken ? SKED_NO_QUEUE : twin;
}

static int is_leaf(const sked_tree *tree, sked_queue_id id)
{
    sked_queue_id child;
    size_t n = 0;

    return sked_tree_children(tree, id, &child, 1, &n) == SKED_OK && n == 0;
}

/* Sets the root apart, so that no two trees go the same way from here on. */
static void mark_branch(grove *g, sked_tree *tree)
{
    char mark[16];

    (void)snprintf(mark, sizeof mark, "branch %u", ++g->labels);
    assert_ok(sked_tree_set_text(tree, sked_tree_root(tree), SKED_QUEUE_LABEL,
                                 mark, NULL));
}

static void edit(grove *g, sked_tree *tree)
{
    sked_queue_id ids[MOST], made;
    size_t n = ids_of(tree, ids);
    sked_queue_id one = ids[test_below(&g->words, n)];
    sked_queue_id other = ids[test_below(&g->words, n)];
    char name[2] = {(char)('a' + test_below(&g->words, 6)), 0}, label[16];

    switch (test_below(&g->words, 6)) {
    case 0: (void)!sked_tree_rename(tree, one, name, NULL); break;
    case 1: (void)!sked_tree_move(tree, one, other, NULL); break;
    case 2:
        if (test_below(&g->words, 2)) break;
        (void)!sked_tree_remove(tree, one, NULL, SKED_TREE_REMOVE_REFUSE, NULL);
        break;
    default:
        if (n > 20 || sked_tree_add(tree, one, name, &made, NULL) != SKED_OK) {
            break;
        }
        (void)snprintf(label, sizeof label, "%u", ++g->labels);
        assert_ok(
            sked_tree_set_text(tree, made, SKED_QUEUE_LABEL, label, NULL));
    }
    commit(tree);
}

/* A tree of its own with the text of another; some ids are used up before. */
static sked_tree *read_again(test_words *words, const sked_tree *tree,
                             const char *mark)
{
    sked_tree *made = NULL;
    char *text = forest_text(tree), name[32];
    sked_queue_id root;
    size_t spent = test_below(words, 4);

    assert_ok(sked_tree_new(sked_tree_schema(tree), NULL, NULL, &made, NULL));
    root = sked_tree_root(made);
    assert_ok(sked_tree_set_text(made, root, SKED_QUEUE_LABEL, mark, NULL));
    for (size_t i = 0; i < spent; i++) {
        (void)snprintf(name, sizeof name, "spent%u", (unsigned)i);
        assert_ok(sked_tree_add(made, root, name, NULL, NULL));
    }
    if (spent) commit(made);
    assert_ok(
        sked_tree_parse(made, text, strlen(text), NULL, NULL, 0, NULL, NULL));
    commit(made);
    free(text);
    return made;
}

/* One of the trees becomes a copy of another, or is read from its text. */
static void branch(grove *g)
{
    size_t to = (size_t)test_below(&g->words, TREES);
    size_t from = (size_t)test_below(&g->words, TREES);
    sked_tree *made = NULL;
    char mark[16];

    if (test_below(&g->words, 2)) {
        assert_ok(sked_tree_copy(g->tree[from], NULL, &made, NULL));
        g->line[to] = g->line[from];
        mark_branch(g, made);
        commit(made);
    } else {
        (void)snprintf(mark, sizeof mark, "line %u",
                       (unsigned)++g->lines % 100000);
        made = read_again(&g->words, g->tree[from], mark);
        g->line[to] = g->lines;
    }
    sked_tree_free(g->tree[to]);
    g->tree[to] = made;
}

static void apply(sked_engine *engine, sked_event event, int64_t amount)
{
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = (int64_t[]){amount, amount, amount},
                         .n_amounts = 1};

    assert_ok(sked_engine_apply(engine, &batch, NULL, NULL));
}

/* A job of one task, which runs at once. */
static void submit(grove *g)
{
    sked_queue_id ids[MOST];
    size_t n = ids_of(g->mine, ids);
    sked_queue_id queue = ids[test_below(&g->words, n)];
    uint64_t key = g->jobs + 1;

    if (g->jobs == JOBS || !is_leaf(g->mine, queue)) return;
    apply(
        g->engine,
        (sked_event){.kind = SKED_EVENT_JOB_SUBMIT, .key = key, .queue = queue},
        0);
    apply(g->engine,
          (sked_event){.kind = SKED_EVENT_ASK_ADD,
                       .key = key,
                       .owner = key,
                       .count = 1,
                       .amount = 1},
          1);
    apply(g->engine, (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = 1}, 0);
    g->at[g->jobs++] = queue;
}

static void check_usage(const grove *g)
{
    sked_queue_id ids[MOST];
    size_t n = ids_of(g->mine, ids);
    int64_t usage[3];

    for (size_t i = 0; i < n; i++) {
        int64_t want = 0;
        if (!is_leaf(g->mine, ids[i])) continue;
        for (size_t j = 0; j < g->jobs; j++) want += g->at[j] == ids[i];
        assert_ok(sked_engine_usage(g->engine, ids[i], SKED_ANY_PARTITION,
                                    usage, NULL));
        assert_i64(usage[0], want);
    }
}

static void engine_follows(grove *g)
{
    size_t next = (size_t)test_below(&g->words, TREES);
    sked_queue_id twin[JOBS];
    uint64_t before = sked_engine_state_digest(g->engine);
    int possible = 1;
    sked_error err;

    for (size_t j = 0; j < g->jobs; j++) {
        twin[j] = twin_of(g, next, g->at[j]);
        possible &= twin[j] != SKED_NO_QUEUE && is_leaf(g->tree[next], twin[j]);
    }
    sked_status rc = sked_engine_commit(g->engine, g->tree[next], 0, &err);
    assert_status(possible ? SKED_OK : SKED_ERR_STATE, rc);
    g->kept += rc == SKED_OK;
    g->refused += rc != SKED_OK;
    if (rc != SKED_OK) {
        leaf_path path = path_in(g->mine, err.queue);
        assert_non_null(strstr(err.message, path.text));
        assert_true(sked_engine_state_digest(g->engine) == before);
        return;
    }
    memcpy(g->at, twin, sizeof g->at);
    g->my_line = g->line[next];
    sked_tree_free(g->mine);
    assert_ok(sked_tree_copy(g->tree[next], NULL, &g->mine, NULL));
    assert_ok(sked_engine_check(g->engine, NULL));
}

static void grove_start(grove *g, uint64_t seed)
{
    *g = (grove){.words = {seed}};
    for (size_t i = 0; i < TREES; i++) {
        g->tree[i] = forest_tree(NULL, NULL);
        g->line[i] = ++g->lines;
        mark_branch(g, g->tree[i]);
        for (int k = 0; k < 6; k++) edit(g, g->tree[i]);
    }
    g->my_line = g->line[0];
    assert_ok(sked_tree_copy(g->tree[0], NULL, &g->mine, NULL));
    assert_ok(sked_engine_new(g->mine, NULL, NULL, &g->engine, NULL));
    apply(g->engine,
          (sked_event){.kind = SKED_EVENT_NODE_UP, .key = 1, .amount = 1},
          1000);
}

static void grove_end(grove *g)
{
    for (size_t i = 0; i < TREES; i++) sked_tree_free(g->tree[i]);
    sked_tree_free(g->mine);
    sked_engine_free(g->engine);
}

static void jobs_stay_in_their_queues(void **state)
{
    uint64_t kept = 0, refused = 0, last = test_size(400, 5000);
    (void)state;

    for (uint64_t seed = 1; seed <= last; seed++) {
        grove g;
        grove_start(&g, seed);
        for (int i = 0; i < STEPS; i++) {
            switch (test_below(&g.words, 6)) {
            case 0: branch(&g); break;
            case 1: submit(&g); break;
            case 2: engine_follows(&g); break;
            default: edit(&g, g.tree[test_below(&g.words, TREES)]);
            }
            check_usage(&g);
        }
        kept += g.kept;
        refused += g.refused;
        grove_end(&g);
    }
    assert_true(kept > 2 * last && refused > last);
}

/* ---- What is decided ---- */

/* Two engines in one world: one keeps its tree, the other now and then gets
 * the same text in a tree of its own. */
typedef struct twins {
    engine_world world;
    sked_engine *first;
    sked_engine *second;
    sked_tree *read; /* what the second has */
    uint64_t decided;
} twins;

/* Chance draws by id: such families would differ. */
static void without_chance(sked_tree *tree)
{
    sked_queue_id ids[WORLD_QUEUES];
    size_t n = 0;
    int64_t order;

    assert_ok(sked_tree_ids(tree, ids, WORLD_QUEUES, &n));
    for (size_t i = 0; i < n; i++) {
        assert_ok(sked_tree_get(tree, ids[i], SKED_QUEUE_ORDER, &order));
        if (order != SKED_ORDER_POLICY_RANDOM) continue;
        assert_ok(sked_tree_set(tree, ids[i], SKED_QUEUE_ORDER,
                                SKED_ORDER_POLICY_FIFO, NULL));
    }
    commit(tree);
}

static sked_queue_id in_other(const sked_tree *from, const sked_tree *to,
                              sked_queue_id id)
{
    char path[512];
    size_t n;
    sked_queue_id twin;

    if (sked_tree_path(from, id, path, sizeof path, &n) != SKED_OK) {
        return id ? UINT64_C(1) << 60 : id; /* none there either */
    }
    assert_ok(sked_tree_find(to, path, &twin, NULL));
    return twin;
}

static void compare_decisions(twins *t)
{
    sked_decision a[64], b[64];
    size_t n, m;

    do {
        assert_ok(sked_engine_take(t->first, a, 64, &n, NULL));
        assert_ok(sked_engine_take(t->second, b, 64, &m, NULL));
        assert_i64((int64_t)m, (int64_t)n);
        for (size_t i = 0; i < n; i++) {
            world_hear(&t->world, &a[i]);
            a[i].queue = in_other(t->world.tree, t->read, a[i].queue);
            assert_memory_equal(&a[i], &b[i], sizeof a[i]);
        }
        t->decided += n;
    } while (n == 64);
}

static void twins_step(twins *t)
{
    engine_world *w = &t->world;
    sked_status rc[2];

    world_next(w);
    sked_event event = w->event;
    rc[0] = sked_engine_apply(t->first, &w->batch, NULL, NULL);
    w->event.queue = in_other(w->tree, t->read, event.queue);
    rc[1] = sked_engine_apply(t->second, &w->batch, NULL, NULL);
    w->event = event;
    assert_status(rc[0], rc[1]);
    compare_decisions(t);
}

static void twins_read_again(twins *t)
{
    sked_tree *made = read_again(&t->world.words, t->world.tree, "other");

    assert_ok(sked_engine_commit(t->first, t->world.tree, t->world.now, NULL));
    assert_ok(sked_engine_commit(t->second, made, t->world.now, NULL));
    assert_ok(sked_engine_check(t->second, NULL));
    sked_tree_free(t->read);
    t->read = made;
    compare_decisions(t);
}

static uint64_t twins_run(uint64_t seed)
{
    twins t = {0};

    world_start(&t.world, seed, 3 + seed % 12, 1 + (uint32_t)(seed % 4));
    if (seed % 2) world_contend(&t.world);
    if (seed % 3 == 0) world_host(&t.world);
    without_chance(t.world.tree);
    sked_engine_options opts = world_options(&t.world);
    assert_ok(sked_tree_copy(t.world.tree, NULL, &t.read, NULL));
    assert_ok(sked_engine_new(t.world.tree, &opts, NULL, &t.first, NULL));
    assert_ok(sked_engine_new(t.read, &opts, NULL, &t.second, NULL));
    if (seed % 2) {
        const sked_engine_preempt_options *how = world_preemption(&t.world);
        assert_ok(sked_engine_preempt(t.first, how, NULL));
        assert_ok(sked_engine_preempt(t.second, how, NULL));
    }
    for (int i = 0; i < 400; i++) {
        if (i % 40 == 20) twins_read_again(&t);
        twins_step(&t);
    }
    sked_engine_free(t.first);
    sked_engine_free(t.second);
    sked_tree_free(t.read);
    world_end(&t.world);
    return t.decided;
}

static void a_tree_read_again_changes_no_decision(void **state)
{
    uint64_t decided = 0, last = test_size(300, 3000);
    (void)state;

    for (uint64_t seed = 1; seed <= last; seed++) decided += twins_run(seed);
    assert_true(decided > 50 * last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_stay_in_their_queues),
        cmocka_unit_test(a_tree_read_again_changes_no_decision),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
