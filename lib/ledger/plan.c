/* Rows and cells of a ledger: memory for them, and what they hold at first. */
#include <string.h>

#include "ledger/handle.h"

/* Cells of one row: three columns of amounts, one of numbers. */
static size_t cells_of_row(const sked_ledger *ledger)
{
    return (size_t)3 * ledger->kinds + 1;
}

void skedi_ledger_plan_drop(const sked_ledger *ledger, skedi_ledger_plan *plan,
                            skedi_mem *mem)
{
    skedi_free(mem, plan->rows, plan->cap, sizeof *plan->rows);
    skedi_free(mem, plan->cells, plan->cap * cells_of_row(ledger),
               sizeof *plan->cells);
    skedi_free(mem, plan->slots, plan->slot_cap, sizeof *plan->slots);
    *plan = (skedi_ledger_plan){0};
}

int skedi_ledger_plan_make(const sked_ledger *ledger, skedi_ledger_plan *plan,
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
    skedi_ledger_plan_drop(ledger, &made, mem);
    return ok;
}

void skedi_ledger_plan_copy(const sked_ledger *ledger, skedi_ledger_plan *to,
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

void skedi_ledger_plan_fill(const sked_ledger *ledger, skedi_ledger_plan *plan,
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
