/*
 * Shares that follow changes equal shares computed anew, bit for bit, after
 * every change of tree, ledger or capacity; and both equal the one-shot
 * function on arrays. Counters show that the cost followed the change.
 */
#include "test.h"

#include <sched/share.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "ref_share.h"
#include "size.h"
#include "words.h"

enum { KINDS = 2, MOST = 64 };

typedef struct world {
    test_host host;
    test_words words;
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share_options options;
    sked_share *follower;
    sked_share *anew;
    int64_t capacity[KINDS];
    int64_t top;
    int parted;
    sked_queue_id ids[MOST];
    int32_t parent[MOST];
    int32_t children[MOST];
    size_t n;
    uint64_t named;
    int64_t want[MOST * KINDS];
    int64_t got[MOST * KINDS];
} world;

static uint64_t below(world *w, uint64_t n)
{
    return test_below(&w->words, n);
}

static int64_t amount(world *w)
{
    switch (below(w, 4)) {
    case 0: return 0;
    case 1: return (int64_t)below(w, 10);
    default: return (int64_t)below(w, (uint64_t)w->top);
    }
}

static void look(world *w)
{
    assert_ok(sked_tree_ids(w->tree, w->ids, MOST, &w->n));
    assert_ok(
        sked_tree_rows(w->tree, w->parent, NULL, w->children, MOST, &w->n));
}

static sked_queue_id any_queue(world *w)
{
    return w->ids[below(w, w->n)];
}

static size_t any_leaf(world *w)
{
    size_t row;

    do {
        row = below(w, w->n);
    } while (w->children[row]);
    return row;
}

/* ---- Changes ---- */

static void change_number(world *w)
{
    const int32_t plain[] = {SKED_QUEUE_WEIGHT, SKED_QUEUE_PRIORITY,
                             SKED_QUEUE_STATE, SKED_QUEUE_GUARANTEE_PPM,
                             SKED_QUEUE_LIMIT_PPM};
    const uint64_t values[] = {6, 3, 2, 1000001, 1000001};
    uint64_t which = below(w, w->parted ? 5 : 3);

    if (which == 2 && below(w, 4)) which = 0;
    assert_ok(sked_tree_set(w->tree, any_queue(w), plain[which],
                            (int64_t)below(w, values[which]), NULL));
}

static void change_amounts(world *w)
{
    const int32_t what[] = {SKED_QUEUE_GUARANTEE, SKED_QUEUE_LIMIT,
                            SKED_QUEUE_BORROW, SKED_QUEUE_LEND};
    uint64_t which = below(w, 4);
    int64_t v[KINDS];

    for (size_t k = 0; k < KINDS; k++) {
        v[k] = which && below(w, 3) == 0 ? SKED_UNLIMITED : amount(w);
    }
    assert_ok(sked_tree_set_vec(w->tree, any_queue(w), what[which],
                                below(w, 6) ? v : NULL, NULL));
}

static void add_queue(world *w)
{
    char name[24];
    size_t row = below(w, w->n);
    int64_t none[KINDS] = {0}, none_running[1] = {0};

    if (w->n == MOST) return;
    if (w->children[row] == 0) { /* it becomes a parent: it must be idle */
        for (int32_t c = SKED_LEDGER_USAGE; c <= SKED_LEDGER_RUNNING; c++) {
            assert_ok(sked_ledger_set(
                w->ledger, c, &w->ids[row],
                c == SKED_LEDGER_RUNNING ? none_running : none, 1, NULL));
        }
    }
    (void)snprintf(name, sizeof name, "q%llu", (unsigned long long)w->named++);
    assert_ok(sked_tree_add(w->tree, w->ids[row], name, NULL, NULL));
}

static void change_shape(world *w)
{
    sked_queue_id queue = any_queue(w);

    switch (below(w, 3)) {
    case 0: add_queue(w); break;
    case 1: {
        size_t to = below(w, w->n);
        if (w->children[to]) {
            (void)!sked_tree_move(w->tree, queue, w->ids[to], NULL);
        }
        break;
    }
    default:
        if (w->n < 4) break;
        (void)!sked_tree_remove(w->tree, queue, w->ledger,
                                SKED_TREE_REMOVE_REFUSE, NULL);
    }
}

static void commit(world *w)
{
    sked_error err = {0};
    size_t idle = 0;

    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    look(w);
    sked_status rc = sked_ledger_follow(w->ledger, w->tree, &err);
    if (rc != SKED_OK) fail_msg("follow: %s", err.message);
    (void)idle;
}

static void change_ledger(world *w)
{
    size_t row = any_leaf(w);
    int64_t v[KINDS];
    int32_t column = 1 + (int32_t)below(w, 2);

    for (size_t k = 0; k < KINDS; k++) v[k] = amount(w);
    if (below(w, 2)) { /* one kind alone, often by little */
        size_t k = below(w, KINDS);
        int64_t was[KINDS];
        column = SKED_LEDGER_DEMAND;
        assert_ok(sked_ledger_get(w->ledger, column, w->ids[row], was));
        if (below(w, 2)) v[k] = was[k] + (int64_t)below(w, 5);
        v[!k] = was[!k];
    } else if (below(w, 8) == 0) {
        v[0] = (int64_t)below(w, 2);
        column = SKED_LEDGER_RUNNING;
    }
    assert_ok(sked_ledger_set(w->ledger, column, &w->ids[row], v, 1, NULL));
}

static void change_capacity(world *w)
{
    w->capacity[below(w, KINDS)] = (int64_t)below(w, (uint64_t)w->top * 8);
}

/* A parent that lost its last child becomes a leaf, never the other way
 * without being idle: so a follow never fails. */
static void change(world *w)
{
    switch (below(w, 12)) {
    case 0:
        change_shape(w);
        commit(w);
        break;
    case 1: change_capacity(w); break;
    case 2:
        change_amounts(w);
        commit(w);
        break;
    case 3:
    case 4:
        change_number(w);
        commit(w);
        break;
    default: change_ledger(w);
    }
}

/* ---- Comparisons ---- */

static void all_of(const world *w, const sked_share *share, int64_t *shares)
{
    size_t n;

    for (uint32_t k = 0; k < KINDS; k++) {
        assert_ok(sked_share_column(share, k, shares + (size_t)k * w->n, w->n,
                                    &n, NULL));
        assert_i64((int64_t)n, (int64_t)w->n);
    }
}

static void must_be_equal(world *w, const int64_t *a, const int64_t *b,
                          const char *what)
{
    for (size_t i = 0; i < w->n * KINDS; i++) {
        if (a[i] == b[i]) continue;
        fail_msg("%s: model %d flags %u: row %zu kind %zu: %lld, not %lld",
                 what, (int)w->options.model, w->options.flags, i % w->n,
                 i / w->n, (long long)a[i], (long long)b[i]);
    }
}

static void compute_anew(world *w)
{
    assert_ok(
        sked_share_compute(w->anew, w->tree, w->ledger, w->capacity, NULL));
    assert_ok(sked_share_check(w->anew, NULL));
    all_of(w, w->anew, w->want);
}

/* One answer to why a queue has what it has, held to what the word says. */
static int bound_is_true(const world *w, const ref_queue *q, int64_t share,
                         uint8_t bound)
{
    int ahead = (w->options.flags & SKED_SHARE_FLAG_ANTICIPATE) != 0;
    int64_t most = ahead ? q->hard : q->ceiling;
    int64_t limit = q->limit, lent = q->cap < q->own ? q->cap : q->own;

    switch (bound) {
    case SKED_BOUND_LIMIT: return share == limit && q->cap == limit;
    case SKED_BOUND_BORROW: return share == q->cap && q->cap < limit;
    case SKED_BOUND_DEMAND: return q->leaf && share == q->want;
    case SKED_BOUND_CHILDREN:
        return !q->leaf && (share == q->want || (ahead && share == q->hard));
    case SKED_BOUND_IDLE: return q->idle ? share == 0 : q->drains;
    case SKED_BOUND_LEND: return share == q->kept && share <= lent;
    case SKED_BOUND_GUARANTEE: return share == q->floor && share > 0;
    case SKED_BOUND_WEIGHT: return q->pinned;
    default: return bound == SKED_BOUND_NONE && share < most;
    }
}

/* Are the floors of a queue's siblings, its own among them, cut? */
static int floors_are_cut(const world *w, const ref_queue *q,
                          const int64_t *share, size_t row)
{
    int64_t left = share[w->parent[row]];

    for (size_t i = 1; i < w->n; i++) {
        if (w->parent[i] != w->parent[row]) continue;
        if (q[i].floor > left) return 1;
        left -= q[i].floor;
    }
    return 0;
}

static void bounds_must_be_true(world *w, const sked_share_input *in)
{
    static ref_queue q[MOST];
    uint8_t bounds[MOST];
    size_t n;

    for (uint32_t k = 0; k < KINDS; k++) {
        const int64_t *share = w->want + (size_t)k * w->n;
        int shared = w->options.scope == SKED_SHARE_SCOPE_KINDS ||
                     w->options.kind == k;
        ref_share_queues(in, &w->options, k, q);
        assert_ok(sked_share_bounds(w->anew, w->tree, w->ledger, k, bounds,
                                    MOST, &n, NULL));
        for (size_t r = 0; r < n; r++) {
            int cut = shared && r && floors_are_cut(w, q, share, r);
            int true_of = cut ? bounds[r] == SKED_BOUND_TOTAL
                              : bound_is_true(w, &q[r], share[r], bounds[r]);
            if (r == 0) true_of &= bounds[0] != SKED_BOUND_GUARANTEE;
            if (true_of) continue;
            fail_msg("model %d flags %u scope %d: row %zu kind %d: share %lld "
                     "is not bound by %d",
                     (int)w->options.model, w->options.flags,
                     (int)w->options.scope, r, (int)k, (long long)share[r],
                     (int)bounds[r]);
        }
    }
}

/* The same tree as arrays, from public reads alone. */
static void once_must_agree(world *w)
{
    static int64_t columns[6][MOST * KINDS], cell[MOST];
    static int64_t running[MOST], shares[MOST * KINDS];
    static uint32_t weight[MOST];
    static int32_t priority[MOST];
    static uint8_t state[MOST];
    size_t n;
    int64_t number[MOST];

    for (int32_t i = 0; i < 6; i++) {
        for (uint32_t k = 0; k < KINDS; k++) {
            if (i < 4) {
                assert_ok(sked_tree_column_vec(w->tree,
                                               SKED_QUEUE_GUARANTEE + i, k,
                                               w->capacity[k], cell, MOST, &n));
            } else {
                memcpy(cell,
                       sked_ledger_view(w->ledger,
                                        i == 4 ? SKED_LEDGER_DEMAND
                                               : SKED_LEDGER_USAGE,
                                        k, &n),
                       w->n * sizeof *cell);
            }
            for (size_t r = 0; r < w->n; r++) {
                columns[i][r * KINDS + (size_t)k] = cell[r];
            }
        }
    }
    assert_ok(sked_tree_column(w->tree, SKED_QUEUE_WEIGHT, number, MOST, &n));
    for (size_t r = 0; r < n; r++) weight[r] = (uint32_t)number[r];
    assert_ok(sked_tree_column(w->tree, SKED_QUEUE_PRIORITY, number, MOST, &n));
    for (size_t r = 0; r < n; r++) priority[r] = (int32_t)number[r];
    assert_ok(sked_tree_column(w->tree, SKED_QUEUE_STATE, number, MOST, &n));
    for (size_t r = 0; r < n; r++) state[r] = (uint8_t)number[r];
    memcpy(running, sked_ledger_view(w->ledger, SKED_LEDGER_RUNNING, 0, &n),
           w->n * sizeof *running);
    sked_share_input in = {
        .struct_size = sizeof in,
        .kinds = KINDS,
        .n = (uint32_t)w->n,
        .parent = w->parent,
        .weight = weight,
        .priority = priority,
        .guarantee = columns[0],
        .limit = columns[1],
        .borrow = columns[2],
        .lend = columns[3],
        .demand = columns[4],
        .usage = columns[5],
        .running = running,
        .state = state,
        .capacity = w->capacity,
    };
    assert_ok(sked_share_once(&in, &w->options, NULL, shares, NULL));
    for (size_t r = 0; r < w->n; r++) {
        for (size_t k = 0; k < KINDS; k++) {
            w->got[k * w->n + r] = shares[r * KINDS + k];
        }
    }
    must_be_equal(w, w->got, w->want, "one-shot");
    if (w->options.scope != SKED_SHARE_SCOPE_DOMINANT)
        bounds_must_be_true(w, &in);
}

/* Brings the follower up to date in one of its ways, and compares. */
static void follow(world *w)
{
    sked_queue_id queue = any_queue(w);
    int64_t amounts[KINDS], again[KINDS];
    size_t row;

    compute_anew(w);
    if (below(w, 2)) {
        assert_ok(sked_share_query(w->follower, w->tree, w->ledger, w->capacity,
                                   queue, amounts, NULL));
        assert_ok(sked_tree_row(w->tree, queue, &row));
        for (size_t k = 0; k < KINDS; k++) {
            assert_i64(amounts[k], w->want[k * w->n + row]);
        }
        assert_ok(sked_share_get(w->follower, queue, again, NULL));
        assert_memory_equal(amounts, again, sizeof again);
        for (size_t r = 0; r < w->n; r++) { /* what is given is right */
            sked_status rc = sked_share_get(w->follower, w->ids[r], again,
                                            NULL);
            if (rc == SKED_ERR_STATE) continue;
            assert_ok(rc);
            for (size_t k = 0; k < KINDS; k++) {
                assert_i64(again[k], w->want[k * w->n + r]);
            }
        }
        assert_ok(sked_share_check(w->follower, NULL));
        return;
    }
    assert_ok(
        sked_share_update(w->follower, w->tree, w->ledger, w->capacity, NULL));
    all_of(w, w->follower, w->got);
    must_be_equal(w, w->got, w->want, "update");
    assert_ok(sked_share_check(w->follower, NULL));
    assert_true(sked_share_digest(w->follower) == sked_share_digest(w->anew));
}

/* ---- Worlds ---- */

static void draw_options(world *w)
{
    sked_share_options *o = &w->options;

    *o = (sked_share_options){.struct_size = sizeof *o};
    o->rounding = (int32_t)below(w, 3);
    o->scope = below(w, 6) ? SKED_SHARE_SCOPE_KINDS : SKED_SHARE_SCOPE_ONE_KIND;
    if (below(w, 10) == 0) {
        o->scope = SKED_SHARE_SCOPE_DOMINANT;
        return;
    }
    o->model = (int32_t)below(w, 4);
    o->kind = (uint32_t)below(w, KINDS);
    if (below(w, 3) == 0) o->flags |= SKED_SHARE_FLAG_BANDS;
    if (below(w, 3)) return;
    if (o->model == SKED_SHARE_MODEL_ENTITLEMENT ||
        o->model == SKED_SHARE_MODEL_CAPACITY) {
        o->flags |= SKED_SHARE_FLAG_ANTICIPATE;
    } else {
        o->flags |= SKED_SHARE_FLAG_BY_DEMAND;
    }
}

static void open_world(world *w, uint64_t seed)
{
    sked_host hooks;

    *w = (world){.words = {seed}};
    hooks = test_host_hooks(&w->host);
    w->top = INT64_C(1) << (3 + below(w, 45));
    w->parted = below(w, 4) == 0;
    draw_options(w);
    assert_ok(
        sked_schema_parse("cpu=m memory=B", 14, &hooks, &w->schema, NULL));
    assert_ok(sked_tree_new(w->schema, NULL, &hooks, &w->tree, NULL));
    assert_ok(sked_ledger_new(w->tree, NULL, &hooks, &w->ledger, NULL));
    assert_ok(sked_share_new(&w->options, &hooks, &w->follower, NULL));
    assert_ok(sked_share_new(&w->options, &hooks, &w->anew, NULL));
    for (size_t k = 0; k < KINDS; k++) {
        w->capacity[k] = (int64_t)below(w, (uint64_t)w->top * 8);
    }
    look(w);
}

static void close_world(world *w)
{
    sked_share_free(w->anew);
    sked_share_free(w->follower);
    sked_ledger_free(w->ledger);
    sked_tree_free(w->tree);
    sked_schema_free(w->schema);
    assert_i64((int64_t)w->host.live, 0);
}

static void following_equals_computing_anew(void **state)
{
    static world w;
    size_t worlds = test_size(150, 5000), steps = 200;
    (void)state;

    for (size_t i = 0; i < worlds; i++) {
        open_world(&w, 7000 + i);
        for (size_t s = 0; s < steps; s++) {
            change(&w);
            if (s < 20 && below(&w, 2)) {
                add_queue(&w);
                commit(&w);
            }
            if (below(&w, 3)) follow(&w);
            if (below(&w, 10) == 0) {
                compute_anew(&w);
                once_must_agree(&w);
            }
        }
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(following_equals_computing_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
