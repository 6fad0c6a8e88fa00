/*
 * Ledgers: creation, reads, the journal, the step to the next commit. The edits
 * are in ledger/edit.c. Cells of one kind stand together, row by row, because
 * readers go through the cells kind by kind. A parent's cell is always the sum
 * over its children.
 */
#include "ledger/handle.h"

#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/versioned.h"

/*
 * The journal of a ledger: a ring buffer of the last leaves that changed.
 * Results computed from a ledger (for example shares) are updated from the
 * changed leaves alone. Each reader keeps a mark, so the number of readers is
 * unlimited.
 *
 * A mark holds the chain, a running hash over all changes. If a reader receives
 * another ledger, by mistake or by intent (for example a copy with its own
 * changes), the reader's mark is not in that ledger's journal. The reader then
 * reads everything.
 */

void skedi_ledger_note(sked_ledger *ledger, uint32_t slot,
                       skedi_ledger_said said, uint64_t says)
{
    skedi_ledger_slot *of = &ledger->live.slots[slot];
    uint64_t at = ledger->now.sequence++;

    if (at - ledger->oldest.sequence > ledger->mask) {
        ledger->oldest.chain = ledger->journal[at & ledger->mask].chain;
        ledger->oldest.sequence++;
    }
    ledger->now.chain = skedi_ledger_stir(ledger->now.chain ^ of->row, says);
    ledger->journal[at & ledger->mask] = (skedi_ledger_entry){
        ledger->now.chain, of->row, slot, said};
    of->latest = (uint32_t)at;
}

void skedi_ledger_note_all(sked_ledger *ledger, uint64_t says)
{
    ledger->now.chain = skedi_ledger_stir(ledger->now.chain, says);
    ledger->now.sequence++;
    ledger->oldest = ledger->now;
}

/* The chain after `sequence` entries; returns 0 if the chain is no longer
 * known. */
static int chain_at(const sked_ledger *ledger, uint64_t sequence,
                    uint64_t *chain)
{
    if (sequence < ledger->oldest.sequence || sequence > ledger->now.sequence) {
        return 0;
    }
    *chain = sequence == ledger->oldest.sequence
                 ? ledger->oldest.chain
                 : ledger->journal[(sequence - 1) & ledger->mask].chain;
    return 1;
}

uint64_t skedi_ledger_entries_since(const sked_ledger *ledger,
                                    skedi_ledger_mark mark)
{
    uint64_t chain;

    if (!chain_at(ledger, mark.sequence, &chain) || chain != mark.chain) {
        return SKEDI_LEDGER_LOST;
    }
    return ledger->now.sequence - mark.sequence;
}

int skedi_ledger_changes_since(const sked_ledger *ledger,
                               skedi_ledger_mark mark, uint32_t *rows,
                               size_t cap, size_t *n)
{
    *n = 0;
    if (skedi_ledger_entries_since(ledger, mark) == SKEDI_LEDGER_LOST) return 0;
    for (uint64_t e = mark.sequence; e < ledger->now.sequence; e++) {
        const skedi_ledger_entry *entry = &ledger->journal[e & ledger->mask];
        uint32_t latest = ledger->live.slots[entry->slot].latest;
        if (latest != (uint32_t)e) continue; /* named again later */
        if (*n == cap) return 0;
        rows[(*n)++] = entry->row;
    }
    return 1;
}

/* Rows and cells of a ledger: their memory and their first contents. */

/* Cells of a row: three columns of amounts, and a column of counts. */
static size_t cells_of_row(const sked_ledger *ledger)
{
    return (size_t)3 * ledger->kinds + 1;
}

static void ledger_plan_drop(const sked_ledger *ledger, skedi_ledger_plan *plan,
                             skedi_mem *mem)
{
    skedi_free(mem, plan->rows, plan->cap, sizeof *plan->rows);
    skedi_free(mem, plan->cells, plan->cap * cells_of_row(ledger),
               sizeof *plan->cells);
    skedi_free(mem, plan->slots, plan->slot_cap, sizeof *plan->slots);
    *plan = (skedi_ledger_plan){0};
}

static int ledger_plan_make(const sked_ledger *ledger, skedi_ledger_plan *plan,
                            skedi_mem *mem, size_t n, size_t slots)
{
    if (n <= plan->cap && slots <= plan->slot_cap) return 1;

    skedi_ledger_plan made = {
        .cap = n > plan->cap ? n : plan->cap,
        .slot_cap = slots > plan->slot_cap ? slots : plan->slot_cap,
    };
    made.rows = skedi_new(mem, made.cap, sizeof *made.rows);
    made.cells = skedi_new(mem, made.cap * cells_of_row(ledger),
                           sizeof *made.cells);
    made.slots = skedi_new(mem, made.slot_cap, sizeof *made.slots);
    int ok = made.rows && made.cells && made.slots;
    if (ok) {
        skedi_ledger_plan old = *plan;
        *plan = made;
        made = old;
    }
    ledger_plan_drop(ledger, &made, mem);
    return ok;
}

/* Copies the rows, slots and cells of a plan into a plan with enough memory. */
static void ledger_plan_copy(const sked_ledger *ledger, skedi_ledger_plan *to,
                             const skedi_ledger_plan *from)
{
    size_t columns = cells_of_row(ledger);

    memcpy(to->rows, from->rows, from->n * sizeof *to->rows);
    memcpy(to->slots, from->slots, from->n_slots * sizeof *to->slots);
    for (size_t c = 0; c < columns; c++) {
        memcpy(to->cells + c * to->cap, from->cells + c * from->cap,
               from->n * sizeof *to->cells);
    }
    to->n = from->n;
    to->n_slots = from->n_slots;
}

static skedi_ledger_slot slot_of(const skedi_ledger_plan *plan, uint32_t row)
{
    if (row == SKEDI_NO_ROW) return (skedi_ledger_slot){.row = row};
    const skedi_ledger_row *at = &plan->rows[row];
    return (skedi_ledger_slot){
        .generation = (uint32_t)(at->id >> 32),
        .row = row,
        .parent = at->leaf ? at->parent : SKEDI_LEDGER_INNER,
    };
}

/* Fills a plan with the rows of an image and zero cells; the plan has
 * memory. */
static void ledger_plan_fill(const sked_ledger *ledger, skedi_ledger_plan *plan,
                             const skedi_image *image)
{
    plan->n = image->n;
    plan->n_slots = image->n_slots;
    for (uint32_t r = 0; r < image->n; r++) {
        plan->rows[r] = (skedi_ledger_row){
            .id = image->id[r],
            .birth = image->birth[r],
            .parent = (uint32_t)image->parent[r], /* -1: SKEDI_NO_ROW */
            .leaf = (uint32_t)skedi_image_is_leaf(image, r),
        };
    }
    for (uint32_t s = 0; s < image->n_slots; s++) {
        plan->slots[s] = slot_of(plan, image->row_of[s]);
    }
    memset(plan->cells, 0,
           plan->cap * cells_of_row(ledger) * sizeof *plan->cells);
}

uint32_t skedi_ledger_roll(const skedi_ledger_plan *plan, int64_t *cells)
{
    for (uint32_t r = 0; r < plan->n; r++) {
        if (!plan->rows[r].leaf) cells[r] = 0;
    }
    for (uint32_t r = plan->n - 1; r > 0; r--) {
        uint32_t up = plan->rows[r].parent;
        if (cells[r] > SKED_AMOUNT_MAX - cells[up]) return up;
        cells[up] += cells[r];
    }
    return SKEDI_NO_ROW;
}

/* The invariants of a ledger, and the digest of a ledger. */

static sked_status ledger_broken(const sked_ledger *ledger, uint32_t row,
                                 const char *invariant, sked_error *err)
{
    return skedi_fail(err, SKED_ERR_INTERNAL, invariant,
                      (skedi_fault){.queue = ledger->live.rows[row].id,
                                    .row = (int64_t)row + 1});
}

static sked_status ledger_rows_sound(const sked_ledger *ledger, sked_error *err)
{
    const skedi_ledger_plan *plan = &ledger->live;

    for (uint32_t r = 0; r < plan->n; r++) {
        uint32_t up = plan->rows[r].parent;
        if (skedi_ledger_find(plan, plan->rows[r].id) != r) {
            return ledger_broken(ledger, r, "an id does not lead to its row",
                                 err);
        }
        if ((r == 0) != (up == SKEDI_NO_ROW) || (r > 0 && up >= r)) {
            return ledger_broken(ledger, r, "a parent does not come first",
                                 err);
        }
        if (r > 0 && plan->rows[up].leaf) {
            return ledger_broken(ledger, up, "a leaf has children", err);
        }
    }
    return SKED_OK;
}

/* Checks that cells are in range and every parent is the sum of its
 * children. */
static sked_status ledger_cells_sound(const sked_ledger *ledger,
                                      const int64_t *cells, sked_error *err)
{
    const skedi_ledger_plan *plan = &ledger->live;
    uint32_t begin = 1; /* siblings stand side by side, families in order */

    for (uint32_t r = 0; r < plan->n; r++) {
        int64_t left = cells[r];
        if (left < 0 || left > SKED_AMOUNT_MAX) {
            return ledger_broken(ledger, r, "amount is out of range", err);
        }
        if (plan->rows[r].leaf) continue;
        while (begin < plan->n && plan->rows[begin].parent == r) {
            left -= cells[begin++];
        }
        if (left != 0) return ledger_broken(ledger, r, "a sum is wrong", err);
    }
    return SKED_OK;
}

sked_status sked_ledger_check(const sked_ledger *ledger, sked_error *err)
{
    if (!ledger) return skedi_fail_null(err, "ledger");
    size_t columns = (size_t)3 * ledger->kinds + 1;
    sked_status rc = ledger_rows_sound(ledger, err);

    for (size_t c = 0; rc == SKED_OK && c < columns; c++) {
        rc = ledger_cells_sound(ledger,
                                ledger->live.cells + c * ledger->live.cap, err);
    }
    return rc;
}

uint64_t sked_ledger_digest(const sked_ledger *ledger)
{
    skedi_hash hash;

    if (!ledger) return 0;
    skedi_hash_start(&hash, 0);
    skedi_hash_u32(&hash, ledger->kinds);
    skedi_hash_u64(&hash, (uint64_t)ledger->half_life);
    skedi_hash_u32(&hash, (uint32_t)ledger->timed);
    skedi_hash_u64(&hash, (uint64_t)ledger->time);
    for (uint32_t r = 0; r < ledger->live.n; r++) {
        skedi_hash_u64(&hash, ledger->live.rows[r].id);
        for (size_t c = 0; c < (size_t)3 * ledger->kinds + 1; c++) {
            int64_t cell = ledger->live.cells[c * ledger->live.cap + r];
            skedi_hash_u64(&hash, (uint64_t)cell);
        }
    }
    return skedi_hash_end(&hash);
}

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

    ledger_plan_drop(ledger, &ledger->live, &hooks.mem);
    ledger_plan_drop(ledger, &ledger->next, &hooks.mem);
    skedi_free(&hooks.mem, ledger->scratch, ledger->scratch_cap,
               sizeof *ledger->scratch);
    skedi_free(&hooks.mem, ledger->journal, entries, sizeof *ledger->journal);
    skedi_free(&hooks.mem, ledger, 1, sizeof *ledger);
}

/* Creates a ledger with the memory of `hooks`, for `rows` rows and `slots`
 * slots. */
static sked_ledger *ledger_make(skedi_hooks hooks, uint32_t kinds, size_t rows,
                                size_t slots)
{
    sked_ledger *ledger = skedi_new(&hooks.mem, 1, sizeof *ledger);

    if (!ledger) return NULL;
    ledger->hooks = hooks;
    ledger->kinds = kinds;
    if (!ledger_plan_make(ledger, &ledger->live, &ledger->hooks.mem, rows,
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
    ledger_plan_fill(made, &made->live, image);
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
    made->oldest = ledger->now; /* the copy's journal begins here */
    ledger_plan_copy(ledger, &made->live, &ledger->live);
    *copy = made;
    return SKED_OK;
}

/* Grows the memory and keeps the present rows. 0: no memory. */
static int grow_live(sked_ledger *ledger, size_t rows, size_t slots)
{
    skedi_ledger_plan made = {0};
    skedi_mem *mem = &ledger->hooks.mem;

    if (rows <= ledger->live.cap && slots <= ledger->live.slot_cap) return 1;
    if (rows < ledger->live.cap) rows = ledger->live.cap;
    if (slots < ledger->live.slot_cap) slots = ledger->live.slot_cap;
    if (!ledger_plan_make(ledger, &made, mem, rows, slots)) return 0;
    ledger_plan_copy(ledger, &made, &ledger->live);
    ledger_plan_drop(ledger, &ledger->live, mem);
    ledger->live = made;
    return 1;
}

static int reserve_all(sked_ledger *ledger, size_t queues)
{
    skedi_mem *mem = &ledger->hooks.mem;
    size_t slots = SKEDI_SLOTS_A_QUEUE * queues;

    return grow_live(ledger, queues, slots) &&
           ledger_plan_make(ledger, &ledger->next, mem, queues, slots) &&
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

/*
 * Moves a ledger from the rows of one commit to the rows of another. The next
 * rows are built beside the present rows. Leaves bring their cells along by id,
 * parents are summed again, and then the two plans change places.
 */

/* The leaf with this id in the next rows, or SKEDI_NO_ROW. A parent with this
 * id receives no cells. */
static uint32_t next_leaf(const skedi_ledger_plan *next, sked_queue_id id)
{
    uint32_t row = skedi_ledger_find(next, id);

    return row != SKEDI_NO_ROW && next->rows[row].leaf ? row : SKEDI_NO_ROW;
}

static int has_anything(const sked_ledger *ledger, uint32_t row)
{
    const skedi_ledger_plan *live = &ledger->live;
    size_t columns = (size_t)3 * ledger->kinds + 1;
    int64_t any = 0;

    for (size_t c = 0; c < columns; c++)
        any |= live->cells[c * live->cap + row];
    return any != 0;
}

/* Fails if a queue with numbers has an id that means a different queue in the
 * tree: the tree is then neither the ledger's tree nor a copy. */
static sked_status check_lineage(const sked_ledger *ledger, sked_error *err)
{
    const skedi_ledger_plan *live = &ledger->live, *next = &ledger->next;

    for (uint32_t r = 1; r < live->n; r++) {
        const skedi_ledger_row *row = &live->rows[r];
        uint32_t to = skedi_ledger_find(next, row->id);
        if (to == SKEDI_NO_ROW || next->rows[to].birth == row->birth) continue;
        if (!row->leaf || !has_anything(ledger, r)) continue;
        return skedi_fail(err, SKED_ERR_STATE,
                          "the tree is neither the ledger's nor a copy of it",
                          (skedi_fault){.queue = row->id});
    }
    return SKED_OK;
}

/* Takes every leaf's cells along. */
static sked_status carry(sked_ledger *ledger, sked_error *err)
{
    const skedi_ledger_plan *live = &ledger->live, *next = &ledger->next;
    size_t columns = (size_t)3 * ledger->kinds + 1;

    for (uint32_t r = 0; r < live->n; r++) {
        if (!live->rows[r].leaf) continue;
        uint32_t to = next_leaf(next, live->rows[r].id);
        if (to == SKEDI_NO_ROW) {
            if (!skedi_ledger_is_busy(ledger, r)) continue;
            return skedi_fail(err, SKED_ERR_STATE,
                              "a busy queue is gone or became a parent",
                              (skedi_fault){.queue = live->rows[r].id});
        }
        for (size_t c = 0; c < columns; c++) {
            next->cells[c * next->cap + to] = live->cells[c * live->cap + r];
        }
    }
    return SKED_OK;
}

/* The next leaves are a subset of the present leaves, so no sum grows. */
static void add_up_next(const sked_ledger *ledger)
{
    const skedi_ledger_plan *next = &ledger->next;
    size_t columns = (size_t)3 * ledger->kinds + 1;

    for (size_t c = 0; c < columns; c++) {
        (void)skedi_ledger_roll(next, next->cells + c * next->cap);
    }
}

static sked_status follow_rows(sked_ledger *ledger, const skedi_image *image,
                               sked_error *err)
{
    if (!ledger_plan_make(ledger, &ledger->next, &ledger->hooks.mem, image->n,
                          image->n_slots)) {
        return skedi_fail_memory(err);
    }
    ledger_plan_fill(ledger, &ledger->next, image);
    sked_status rc = check_lineage(ledger, err);
    if (rc == SKED_OK) rc = carry(ledger, err);
    if (rc != SKED_OK) return rc;

    add_up_next(ledger);
    skedi_ledger_plan held = ledger->live;
    ledger->live = ledger->next;
    ledger->next = held;
    skedi_ledger_note_all(ledger, image->shape_key);
    return SKED_OK;
}

sked_status sked_ledger_follow(sked_ledger *ledger, const sked_tree *tree,
                               sked_error *err)
{
    sked_status rc = SKED_OK;

    const char *missing = !ledger ? "ledger" : !tree ? "tree" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    const skedi_image *image = skedi_tree_image(tree);
    if (!skedi_ledger_follows(ledger, image)) {
        rc = sked_schema_same(&ledger->schema, sked_tree_schema(tree), err);
        if (rc == SKED_OK) rc = follow_rows(ledger, image, err);
    }
    if (rc != SKED_OK) return rc;
    ledger->version = image->version;
    ledger->shape = image->shape;
    ledger->shape_key = image->shape_key;
    return SKED_OK;
}
