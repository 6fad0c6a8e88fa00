/*
 * Ledgers: their life and what is read from them. The edits are in
 * ledger/edit.c, the way to the next commit in ledger/follow.c, the journal in
 * ledger/journal.c.
 *
 * Cells of one kind stand together, row by row, as readers go through them
 * kind by kind. A parent's cell is always the sum of its children's.
 */
#include "ledger/handle.h"

#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_ledger_options, half_life_ns);

enum {
    LEDGER_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_ledger_options, half_life_ns),
    JOURNAL_LEAST = 64,
    JOURNAL_MOST = 65536
};

/* Entries for a tree of `n` rows: past this many, reading all is as cheap. */
static size_t journal_size(size_t n)
{
    size_t size = JOURNAL_LEAST;

    while (size < n && size < JOURNAL_MOST) size *= 2;
    return size;
}

static int make_journal(sked_ledger *ledger, size_t n)
{
    size_t size = journal_size(n);
    size_t old = ledger->journal ? (size_t)ledger->mask + 1 : 0;

    if (size <= old) return 1;
    skedi_ledger_entry *fresh = skedi_new(&ledger->hooks.mem, size,
                                          sizeof *fresh);
    if (!fresh) return 0;
    for (uint64_t e = ledger->oldest.sequence; e < ledger->now.sequence; e++) {
        fresh[e & (size - 1)] = ledger->journal[e & ledger->mask];
    }
    skedi_free(&ledger->hooks.mem, ledger->journal, old, sizeof *fresh);
    ledger->journal = fresh;
    ledger->mask = size - 1;
    return 1;
}

static void ledger_drop(sked_ledger *ledger)
{
    skedi_hooks hooks = ledger->hooks;
    size_t entries = ledger->journal ? (size_t)ledger->mask + 1 : 0;

    skedi_ledger_plan_drop(ledger, &ledger->live, &hooks.mem);
    skedi_ledger_plan_drop(ledger, &ledger->next, &hooks.mem);
    skedi_free(&hooks.mem, ledger->scratch, ledger->scratch_cap,
               sizeof *ledger->scratch);
    skedi_free(&hooks.mem, ledger->journal, entries, sizeof *ledger->journal);
    skedi_free(&hooks.mem, ledger, 1, sizeof *ledger);
}

/* A ledger in the memory of `hooks`, with memory for so much. */
static sked_ledger *ledger_make(skedi_hooks hooks, uint32_t kinds, size_t rows,
                                size_t slots)
{
    sked_ledger *ledger = skedi_new(&hooks.mem, 1, sizeof *ledger);

    if (!ledger) return NULL;
    ledger->hooks = hooks;
    ledger->kinds = kinds;
    if (!skedi_ledger_plan_make(ledger, &ledger->live, &ledger->hooks.mem, rows,
                                slots) ||
        !make_journal(ledger, rows)) {
        ledger_drop(ledger);
        return NULL;
    }
    return ledger;
}

sked_status sked_ledger_new(const sked_tree *tree,
                            const sked_ledger_options *options,
                            const sked_host *host, sked_ledger **ledger,
                            sked_error *err)
{
    sked_ledger_options own;
    skedi_hooks hooks;

    if (!ledger) return skedi_fail_null(err, "ledger");
    *ledger = NULL;
    if (!tree) return skedi_fail_null(err, "tree");
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_struct_in(&own, sizeof own, options, LEDGER_OPTIONS_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (own.flags) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "options have flags");
    }
    if (own.half_life_ns < 0) {
        return skedi_fail(err, SKED_ERR_RANGE, "half-life is negative",
                          (skedi_fault){.got = own.half_life_ns});
    }

    const skedi_image *image = skedi_tree_image(tree);
    sked_ledger *made = ledger_make(hooks, image->kinds, image->n,
                                    image->n_slots);
    if (!made) {
        return skedi_fail_memory(err);
    }
    skedi_schema_take(&made->schema, sked_tree_schema(tree));
    made->half_life = own.half_life_ns;
    made->version = image->version;
    made->shape = image->shape;
    made->shape_key = image->shape_key;
    made->now.chain = made->oldest.chain = image->shape_key;
    skedi_ledger_plan_fill(made, &made->live, image);
    *ledger = made;
    return SKED_OK;
}

void sked_ledger_free(sked_ledger *ledger)
{
    if (!ledger) return;
    sked_host host = ledger->hooks.host;
    ledger_drop(ledger);
    skedi_hooks_done(host);
}

sked_status sked_ledger_copy(const sked_ledger *ledger, const sked_host *host,
                             sked_ledger **copy, sked_error *err)
{
    skedi_hooks hooks;

    if (!copy) return skedi_fail_null(err, "copy");
    *copy = NULL;
    if (!ledger) return skedi_fail_null(err, "ledger");
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;

    sked_ledger *made = ledger_make(hooks, ledger->kinds, ledger->live.n,
                                    ledger->live.n_slots);
    if (!made) {
        return skedi_fail_memory(err);
    }
    skedi_schema_take(&made->schema, &ledger->schema);
    made->timed = ledger->timed;
    made->time = ledger->time;
    made->half_life = ledger->half_life;
    made->version = ledger->version;
    made->shape = ledger->shape;
    made->shape_key = ledger->shape_key;
    made->now = ledger->now;
    made->oldest = ledger->now; /* its own journal begins here */
    skedi_ledger_plan_copy(ledger, &made->live, &ledger->live);
    *copy = made;
    return SKED_OK;
}

/* Memory for the rows that hold, kept as they are. 0: no memory. */
static int grow_live(sked_ledger *ledger, size_t rows, size_t slots)
{
    skedi_ledger_plan made = {0};
    skedi_mem *mem = &ledger->hooks.mem;

    if (rows <= ledger->live.cap && slots <= ledger->live.slot_cap) return 1;
    if (rows < ledger->live.cap) rows = ledger->live.cap;
    if (slots < ledger->live.slot_cap) slots = ledger->live.slot_cap;
    if (!skedi_ledger_plan_make(ledger, &made, mem, rows, slots)) return 0;
    skedi_ledger_plan_copy(ledger, &made, &ledger->live);
    skedi_ledger_plan_drop(ledger, &ledger->live, mem);
    ledger->live = made;
    return 1;
}

static int reserve_all(sked_ledger *ledger, size_t queues)
{
    skedi_mem *mem = &ledger->hooks.mem;
    size_t slots = SKEDI_SLOTS_A_QUEUE * queues;

    return grow_live(ledger, queues, slots) &&
           skedi_ledger_plan_make(ledger, &ledger->next, mem, queues, slots) &&
           make_journal(ledger, queues) &&
           skedi_ensure(mem, (void **)&ledger->scratch, &ledger->scratch_cap,
                        queues * ledger->kinds, sizeof *ledger->scratch);
}

sked_status sked_ledger_reserve(sked_ledger *ledger, size_t queues,
                                sked_error *err)
{
    if (!ledger) return skedi_fail_null(err, "ledger");
    if (queues > SKED_MAX_QUEUES) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "more queues than a tree holds",
            (skedi_fault){.got = (int64_t)queues, .limit = SKED_MAX_QUEUES});
    }
    sked_status rc = SKED_OK;

    skedi_hooks_open(&ledger->hooks);
    if (!reserve_all(ledger, queues)) {
        rc = skedi_fail_memory(err);
    }
    return skedi_hooks_seal(&ledger->hooks, rc);
}

uint64_t sked_ledger_version(const sked_ledger *ledger)
{
    return ledger ? ledger->version : 0;
}

int skedi_ledger_is_busy(const sked_ledger *ledger, uint32_t row)
{
    int64_t any = skedi_ledger_column(ledger, SKED_LEDGER_RUNNING, 0)[row];

    for (uint32_t k = 0; k < ledger->kinds; k++) {
        any |= skedi_ledger_column(ledger, SKED_LEDGER_USAGE, k)[row];
        any |= skedi_ledger_column(ledger, SKED_LEDGER_DEMAND, k)[row];
    }
    return any != 0;
}

sked_status sked_ledger_get(const sked_ledger *ledger, int32_t column,
                            sked_queue_id queue, int64_t *amounts)
{
    if (!ledger || !amounts) return SKED_ERR_ARG;
    uint32_t kinds = skedi_ledger_kinds(ledger, column);
    if (kinds == 0) return SKED_ERR_ARG;
    uint32_t row = skedi_ledger_row_of(ledger, queue);
    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;

    for (uint32_t k = 0; k < kinds; k++) {
        amounts[k] = skedi_ledger_column(ledger, column, k)[row];
    }
    return SKED_OK;
}

const int64_t *sked_ledger_view(const sked_ledger *ledger, int32_t column,
                                uint32_t kind, size_t *n)
{
    if (!ledger) return NULL;
    if (kind >= skedi_ledger_kinds(ledger, column)) return NULL;
    if (n) *n = ledger->live.n;
    return skedi_ledger_column(ledger, column, kind);
}
