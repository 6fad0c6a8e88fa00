/*
 * A ledger against a plain list of leaves: random edits of tree and amounts,
 * every column of every row compared after each, and what a follower of the
 * journal would have seen.
 */
#include "test.h"

#include <sched/ledger.h>

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "host.h"
#include "ledger/handle.h"
#include "size.h"
#include "words.h"

enum { KINDS = 3, COLUMNS = 4, MOST = 48, CELLS = 3 * KINDS + 1 };

/* A leaf by definition: an id and ten numbers. */
typedef struct model_leaf {
    sked_queue_id id;
    int64_t cell[CELLS];
} model_leaf;

typedef struct world {
    test_host host;
    test_words words;
    sked_tree *tree;
    sked_ledger *ledger;
    model_leaf leaf[MOST];
    size_t n;
    skedi_ledger_mark mark;    /* where our follower is */
    int64_t seen[MOST][CELLS]; /* what it has of every row */
} world;

static uint64_t below(world *w, uint64_t n)
{
    return test_below(&w->words, n);
}

static size_t cell_of(int32_t column, uint32_t kind)
{
    return (size_t)(column - 1) * KINDS + kind;
}

static uint32_t kinds_of(int32_t column)
{
    return column == SKED_LEDGER_RUNNING ? 1 : KINDS;
}

static model_leaf *find(world *w, sked_queue_id id)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->leaf[i].id == id) return &w->leaf[i];
    }
    return NULL;
}

/* ---- The tree ---- */

static size_t rows_of(const world *w, sked_queue_id *ids, int32_t *parent,
                      int32_t *children)
{
    size_t n;

    assert_ok(sked_tree_ids(w->tree, ids, MOST, &n));
    assert_ok(sked_tree_rows(w->tree, parent, NULL, children, MOST, &n));
    return n;
}

/* The sum over the leaves of a row, found by climbing from each. */
static int64_t sum_of(world *w, const sked_queue_id *ids, const int32_t *parent,
                      size_t n, size_t row, size_t cell)
{
    int64_t sum = 0;

    for (size_t r = 0; r < n; r++) {
        const model_leaf *leaf = find(w, ids[r]);
        int32_t at = (int32_t)r;
        while (at >= 0 && at != (int32_t)row) at = parent[at];
        if (leaf && at >= 0) sum = skedi_amount_add(sum, leaf->cell[cell]);
    }
    return sum;
}

static void must_be_equal(world *w)
{
    sked_queue_id ids[MOST];
    int32_t parent[MOST], children[MOST];
    size_t n = rows_of(w, ids, parent, children), rows;

    assert_ok(sked_ledger_check(w->ledger, NULL));
    for (int32_t c = 1; c <= COLUMNS; c++) {
        for (uint32_t k = 0; k < kinds_of(c); k++) {
            const int64_t *view = sked_ledger_view(w->ledger, c, k, &rows);
            assert_i64((int64_t)rows, (int64_t)n);
            for (size_t r = 0; r < n; r++) {
                assert_true(view[r] ==
                            sum_of(w, ids, parent, n, r, cell_of(c, k)));
            }
        }
    }
}

/* ---- Following the journal ---- */

static void read_row(world *w, size_t row)
{
    for (size_t c = 0; c < CELLS; c++) {
        w->seen[row][c] = w->ledger->live.cells[c * w->ledger->live.cap + row];
    }
}

/* Brings the follower's copy of all leaves up to date, and compares. */
static void follow_journal(world *w)
{
    uint32_t rows[MOST];
    size_t n, all;

    (void)sked_ledger_view(w->ledger, 1, 0, &all);
    if (skedi_ledger_changes_since(w->ledger, w->mark, rows, MOST, &n)) {
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < i; j++) assert_true(rows[i] != rows[j]);
            read_row(w, rows[i]);
        }
    } else {
        for (size_t r = 0; r < all; r++) read_row(w, r);
    }
    w->mark = skedi_ledger_now(w->ledger);
    for (size_t r = 0; r < all; r++) {
        if (!w->ledger->live.rows[r].leaf) continue;
        for (size_t c = 0; c < CELLS; c++) {
            if (c >= 2 * KINDS && c < 3 * KINDS) continue; /* history */
            assert_i64(w->seen[r][c],
                       w->ledger->live.cells[c * w->ledger->live.cap + r]);
        }
    }
}

/* ---- Edits of amounts ---- */

static int64_t any_amount(world *w)
{
    switch (below(w, 8)) {
    case 0: return 0;
    case 1: return SKED_AMOUNT_MAX - (int64_t)below(w, 3);
    case 2: return -1 - (int64_t)below(w, 3);
    case 3: return (int64_t)test_rough(&w->words);
    default: return (int64_t)below(w, 1000);
    }
}

/* What set or add should say, row by row, on a copy of the model. */
static sked_status edit_model(world *w, int32_t column, int adds,
                              const sked_queue_id *queues,
                              const int64_t *amounts, size_t n)
{
    uint32_t kinds = kinds_of(column);

    for (size_t i = 0; i < n; i++) {
        model_leaf *leaf = find(w, queues[i]);
        size_t row;
        if (sked_tree_row(w->tree, queues[i], &row) != SKED_OK) {
            return SKED_ERR_STALE;
        }
        if (!leaf) return SKED_ERR_ARG;
        for (uint32_t k = 0; k < kinds; k++) {
            int64_t *cell = &leaf->cell[cell_of(column, k)];
            int64_t to = adds ? *cell : 0;
            if (!skedi_i64_add(to, amounts[i * kinds + k], &to) || to < 0 ||
                to > SKED_AMOUNT_MAX) {
                return SKED_ERR_RANGE;
            }
            *cell = to;
        }
    }
    for (uint32_t k = 0; k < kinds; k++) {
        int64_t sum = 0;
        for (size_t i = 0; i < w->n; i++) {
            sum = skedi_amount_add(sum, w->leaf[i].cell[cell_of(column, k)]);
        }
        if (sum > SKED_AMOUNT_MAX) return SKED_ERR_RANGE;
    }
    return SKED_OK;
}

static void edit_amounts(world *w)
{
    sked_queue_id queues[6];
    int64_t amounts[6 * KINDS];
    model_leaf before[MOST];
    int32_t column = 1 + (int32_t)below(w, COLUMNS);
    size_t n = below(w, 3) ? 1 : below(w, 7);
    int adds = (int)below(w, 2);
    uint64_t digest = sked_ledger_digest(w->ledger);

    for (size_t i = 0; i < n; i++) {
        queues[i] = w->leaf[below(w, w->n)].id;
        if (below(w, 40) == 0) queues[i] = sked_tree_root(w->tree);
        if (below(w, 40) == 0) queues[i] += (sked_queue_id)1 << 32;
    }
    for (size_t i = 0; i < 6 * KINDS; i++) amounts[i] = any_amount(w);
    memcpy(before, w->leaf, sizeof before);
    sked_status want = edit_model(w, column, adds, queues, amounts, n);
    sked_error err = {0};
    sked_status got = adds ? sked_ledger_add(w->ledger, column, queues, amounts,
                                             n, &err)
                           : sked_ledger_set(w->ledger, column, queues, amounts,
                                             n, &err);

    assert_status(want, got);
    if (got == SKED_OK) return;
    memcpy(w->leaf, before, sizeof before);
    assert_true(err.row >= 0 && err.row < (int64_t)n);
    assert_true(sked_ledger_digest(w->ledger) == digest);
}

static void put_amounts(world *w)
{
    sked_queue_id ids[MOST];
    int32_t parent[MOST], children[MOST];
    int64_t by_row[MOST];
    size_t n = rows_of(w, ids, parent, children);
    int32_t column = 1 + (int32_t)below(w, COLUMNS);
    uint32_t kind = (uint32_t)below(w, kinds_of(column));
    int64_t sum = 0;
    int bad = 0;

    for (size_t r = 0; r < n; r++) {
        by_row[r] = below(w, 30) ? (int64_t)below(w, 1000) : any_amount(w);
        if (children[r]) continue;
        bad |= by_row[r] < 0 || by_row[r] > SKED_AMOUNT_MAX;
        sum = skedi_amount_add(sum, skedi_i64_max(by_row[r], 0));
    }
    bad |= sum > SKED_AMOUNT_MAX;
    assert_status(
        bad ? SKED_ERR_RANGE : SKED_OK,
        sked_ledger_put(w->ledger, column, (uint32_t)kind, by_row, n, NULL));
    for (size_t r = 0; r < n && !bad; r++) {
        model_leaf *leaf = find(w, ids[r]);
        if (leaf) leaf->cell[cell_of(column, kind)] = by_row[r];
    }
}

static void decay(world *w)
{
    int64_t elapsed = (int64_t)below(w, 200) - 20;
    sked_time now = w->ledger->time + elapsed;

    assert_ok(sked_ledger_decay(w->ledger, now, NULL));
    if (elapsed <= 0) return;
    for (size_t i = 0; i < w->n; i++) {
        assert_ok(sked_vec_decay(w->leaf[i].cell + (size_t)2 * KINDS, KINDS,
                                 elapsed, 100, NULL));
    }
}

/* ---- Edits of the tree ---- */

static int is_busy(const model_leaf *leaf)
{
    for (size_t c = 0; c < CELLS; c++) {
        int history = c >= 2 * KINDS && c < 3 * KINDS;
        if (!history && leaf->cell[c]) return 1;
    }
    return 0;
}

/* The model of the next commit, or SKED_ERR_STATE when a busy leaf is lost. */
static sked_status follow_model(world *w)
{
    sked_queue_id ids[MOST];
    int32_t parent[MOST], children[MOST];
    model_leaf next[MOST];
    size_t n = rows_of(w, ids, parent, children), leaves = 0;

    for (size_t i = 0; i < w->n; i++) {
        size_t row;
        int stays = sked_tree_row(w->tree, w->leaf[i].id, &row) == SKED_OK &&
                    children[row] == 0;
        if (!stays && is_busy(&w->leaf[i])) return SKED_ERR_STATE;
    }
    for (size_t r = 0; r < n; r++) {
        if (children[r]) continue;
        const model_leaf *leaf = find(w, ids[r]);
        next[leaves++] = leaf ? *leaf : (model_leaf){.id = ids[r]};
    }
    memcpy(w->leaf, next, leaves * sizeof *next);
    w->n = leaves;
    return SKED_OK;
}

/* Empties a leaf, so that it may go or become a parent. */
static void make_idle(world *w, sked_queue_id id)
{
    static const int32_t columns[] = {SKED_LEDGER_USAGE, SKED_LEDGER_DEMAND,
                                      SKED_LEDGER_RUNNING};
    const int64_t nothing[KINDS] = {0};
    model_leaf *leaf = find(w, id);

    if (!leaf) return;
    for (size_t i = 0; i < 3; i++) {
        assert_ok(
            sked_ledger_set(w->ledger, columns[i], &id, nothing, 1, NULL));
        memset(leaf->cell + cell_of(columns[i], 0), 0,
               kinds_of(columns[i]) * sizeof *leaf->cell);
    }
}

static void draft_edit(world *w, int i)
{
    sked_queue_id ids[MOST];
    size_t n;
    char name[8] = {(char)('a' + i), (char)('a' + below(w, 26)),
                    (char)('a' + below(w, 26)), 0};

    assert_ok(sked_tree_ids(w->tree, ids, MOST, &n));
    sked_queue_id at = ids[below(w, n)], to = ids[below(w, n)];
    if (below(w, 6)) make_idle(w, at);
    if (below(w, 6)) make_idle(w, to);
    /* Refusals (stale by now, into itself, taken) leave the draft alone. */
    uint64_t op = below(w, 4);
    if (op == 0) {
        (void)!sked_tree_move(w->tree, at, to, NULL);
    } else if (op == 1) {
        (void)!sked_tree_remove(w->tree, at, NULL, SKED_TREE_REMOVE_REFUSE,
                                NULL);
    } else if (n < MOST - 8) {
        (void)!sked_tree_add(w->tree, at, name, NULL, NULL);
    }
}

static void commit(world *w)
{
    sked_tree *before = NULL;

    assert_ok(sked_tree_copy(w->tree, NULL, &before, NULL));
    for (int i = 0; i < 3; i++) draft_edit(w, i);
    uint64_t digest = sked_ledger_digest(w->ledger);
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    sked_status want = follow_model(w);
    assert_status(want, sked_ledger_follow(w->ledger, w->tree, NULL));
    if (want == SKED_OK) {
        assert_true(sked_ledger_version(w->ledger) ==
                    sked_tree_version(w->tree));
        sked_tree_free(before);
        return;
    }
    assert_true(sked_ledger_digest(w->ledger) == digest);
    sked_tree_free(w->tree); /* back to the tree that it still follows */
    w->tree = before;
}

/* ---- ---- */

static void start(world *w, uint64_t seed)
{
    sked_host hooks;
    sked_schema *schema;
    sked_ledger_options opts = {.struct_size = sizeof opts,
                                .half_life_ns = 100};
    const char *const names[KINDS] = {"cpu", "memory", "gpu"};

    *w = (world){.words = {seed}};
    hooks = test_host_hooks(&w->host);
    assert_ok(sked_schema_new(names, NULL, KINDS, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &w->tree, NULL));
    sked_schema_free(schema);
    assert_ok(sked_ledger_new(w->tree, &opts, &hooks, &w->ledger, NULL));
    assert_ok(sked_ledger_decay(w->ledger, 0, NULL));
    w->leaf[0].id = sked_tree_root(w->tree);
    w->n = 1;
}

static void stop(world *w)
{
    sked_ledger_free(w->ledger);
    sked_tree_free(w->tree);
    assert_i64((int64_t)w->host.live, 0);
}

static void copy_over(world *w)
{
    sked_host hooks = test_host_hooks(&w->host);
    sked_ledger *copy;

    assert_ok(sked_ledger_copy(w->ledger, &hooks, &copy, NULL));
    assert_true(sked_ledger_digest(copy) == sked_ledger_digest(w->ledger));
    sked_ledger_free(w->ledger);
    w->ledger = copy;
}

static void a_ledger_is_a_list_of_leaves(void **state)
{
    world *w = malloc(sizeof *w);
    (void)state;

    for (uint64_t seed = test_size(40, 2000); seed > 0; seed--) {
        start(w, seed);
        for (int step = 0; step < 150; step++) {
            switch (below(w, 10)) {
            case 0: commit(w); break;
            case 1: put_amounts(w); break;
            case 2: decay(w); break;
            case 3:
                if (below(w, 4) == 0) copy_over(w);
                break;
            default: edit_amounts(w);
            }
            must_be_equal(w);
            if (below(w, 3) == 0) follow_journal(w);
        }
        stop(w);
    }
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ledger_is_a_list_of_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
