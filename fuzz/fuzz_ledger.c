/*
 * Any sequence of edits leaves a ledger whose sums hold, a failed one leaves it
 * as it was, and whoever follows the journal sees what changed.
 *
 * The bytes are a program: each op edits the tree, commits and follows, or
 * changes amounts. The oracle is the library's own checker, the digest, and a
 * copy of one column kept up by the journal alone.
 */
#include <sched/ledger.h>

#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "ledger/handle.h"

enum { KINDS = 2, MAX_QUEUES = 32, MAX_ROWS = 4 };

#define MUST(cond) ((cond) ? (void)0 : abort())

typedef struct world {
    sked_tree *tree;
    sked_ledger *ledger;
    sked_queue_id ids[MAX_QUEUES];
    size_t n;
    skedi_ledger_mark mark;
    int64_t seen[MAX_QUEUES]; /* demand of the first kind */
} world;

static sked_queue_id pick(world *w, fuzz_input *in)
{
    uint64_t at = fuzz_u64(in, 1);

    return at == 255 ? at : w->ids[at % w->n];
}

static int64_t amount(fuzz_input *in)
{
    uint64_t shape = fuzz_u64(in, 1);

    if (shape < 128) return (int64_t)shape - 32;
    if (shape < 192) return SKED_AMOUNT_MAX - (int64_t)(shape - 128);
    return (int64_t)fuzz_u64(in, 8);
}

static void op_rows(world *w, fuzz_input *in, int adds)
{
    sked_queue_id queues[MAX_ROWS];
    int64_t amounts[MAX_ROWS * KINDS];
    int32_t column = (int32_t)(fuzz_u64(in, 1) % 6);
    size_t n = (size_t)fuzz_u64(in, 1) % (MAX_ROWS + 1);
    uint64_t before = sked_ledger_digest(w->ledger);

    for (size_t i = 0; i < n; i++) queues[i] = pick(w, in);
    for (size_t i = 0; i < n * KINDS; i++) amounts[i] = amount(in);
    sked_status rc = adds ? sked_ledger_add(w->ledger, column, queues, amounts,
                                            n, NULL)
                          : sked_ledger_set(w->ledger, column, queues, amounts,
                                            n, NULL);
    if (rc != SKED_OK) MUST(sked_ledger_digest(w->ledger) == before);
}

static void op_put(world *w, fuzz_input *in)
{
    int64_t by_row[MAX_QUEUES];
    int32_t column = (int32_t)(fuzz_u64(in, 1) % 6);
    uint32_t kind = (uint32_t)(fuzz_u64(in, 1) % 3);
    uint64_t before = sked_ledger_digest(w->ledger);
    size_t n = w->ledger->live.n;

    for (size_t i = 0; i < n; i++) by_row[i] = amount(in);
    sked_status rc = sked_ledger_put(w->ledger, column, kind, by_row, n, NULL);
    if (rc != SKED_OK) MUST(sked_ledger_digest(w->ledger) == before);
}

static void op_tree(world *w, fuzz_input *in)
{
    char name[2] = {(char)('a' + fuzz_u64(in, 1) % 26), 0};
    sked_queue_id at = pick(w, in);

    /* Refusals are part of the program. */
    switch (fuzz_u64(in, 1) % 3) {
    case 0: (void)!sked_tree_add(w->tree, at, name, NULL, NULL); return;
    case 1: (void)!sked_tree_move(w->tree, at, pick(w, in), NULL); return;
    case 2:
        (void)!sked_tree_remove(w->tree, at, w->ledger, SKED_TREE_REMOVE_REFUSE,
                                NULL);
    }
}

/* There is no clock to ask. */
static void op_decay(world *w, fuzz_input *in)
{
    sked_time now = (sked_time)fuzz_u64(in, 8);
    sked_status rc = sked_ledger_decay(w->ledger, now, NULL);

    MUST(rc == (now == SKED_NOW ? SKED_ERR_STATE : SKED_OK));
}

static void op_commit(world *w)
{
    uint64_t before = sked_ledger_digest(w->ledger);
    sked_tree *held;

    MUST(sked_tree_copy(w->tree, NULL, &held, NULL) == SKED_OK);
    MUST(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    if (sked_ledger_follow(w->ledger, w->tree, NULL) == SKED_OK) {
        sked_tree_free(held);
        MUST(sked_tree_ids(w->tree, w->ids, MAX_QUEUES, &w->n) == SKED_OK);
        return;
    }
    MUST(sked_ledger_digest(w->ledger) == before);
    sked_tree_free(w->tree);
    w->tree = held;
}

static void follow_journal(world *w)
{
    uint32_t rows[MAX_QUEUES];
    size_t n, all;
    const int64_t *demand = sked_ledger_view(w->ledger, SKED_LEDGER_DEMAND, 0,
                                             &all);

    if (skedi_ledger_changes_since(w->ledger, w->mark, rows, MAX_QUEUES, &n)) {
        for (size_t i = 0; i < n; i++) w->seen[rows[i]] = demand[rows[i]];
    } else {
        memcpy(w->seen, demand, all * sizeof *demand);
    }
    w->mark = skedi_ledger_now(w->ledger);
    for (size_t r = 0; r < all; r++) {
        MUST(!w->ledger->live.rows[r].leaf || w->seen[r] == demand[r]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    const char *const names[KINDS] = {"cpu", "memory"};
    sked_tree_options opts = {.struct_size = sizeof opts,
                              .max_queues = MAX_QUEUES};
    sked_ledger_options decays = {.struct_size = sizeof decays,
                                  .half_life_ns = 1 +
                                                  (int64_t)fuzz_u64(&in, 1)};
    sked_schema *schema;
    world w = {.n = 1};

    MUST(sked_schema_new(names, NULL, KINDS, NULL, &schema, NULL) == SKED_OK);
    MUST(sked_tree_new(schema, &opts, NULL, &w.tree, NULL) == SKED_OK);
    MUST(sked_ledger_new(w.tree, &decays, NULL, &w.ledger, NULL) == SKED_OK);
    w.ids[0] = sked_tree_root(w.tree);
    while (fuzz_more(&in)) {
        switch (fuzz_u64(&in, 1) % 8) {
        case 0: op_tree(&w, &in); continue; /* seen at the commit */
        case 1: op_commit(&w); break;
        case 2: op_put(&w, &in); break;
        case 3: op_decay(&w, &in); break;
        case 4: op_rows(&w, &in, 1); break;
        case 5: follow_journal(&w); break;
        default: op_rows(&w, &in, 0);
        }
        MUST(sked_ledger_check(w.ledger, NULL) == SKED_OK);
    }
    sked_schema_free(schema);
    sked_ledger_free(w.ledger);
    sked_tree_free(w.tree);
    return 0;
}
