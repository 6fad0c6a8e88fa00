/* Rows and cells of a ledger: room for them, and what they hold at first. */
#include <string.h>

#include "queue/ledger.h"

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
    skedi_free(mem, plan->latest, plan->cap, sizeof *plan->latest);
    skedi_free(mem, plan->row_of, plan->slot_cap, sizeof *plan->row_of);
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
    made.latest = skedi_new(mem, made.cap, sizeof *made.latest);
    made.row_of = skedi_new(mem, made.slot_cap, sizeof *made.row_of);
    int ok = made.rows && made.cells && made.latest && made.row_of;
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
    memcpy(to->latest, from->latest, from->n * sizeof *to->latest);
    memcpy(to->row_of, from->row_of, from->n_slots * sizeof *to->row_of);
    for (size_t c = 0; c < columns; c++) {
        memcpy(to->cells + c * to->cap, from->cells + c * from->cap,
               from->n * sizeof *to->cells);
    }
    to->n = from->n;
    to->n_slots = from->n_slots;
}

void skedi_ledger_plan_fill(const sked_ledger *ledger, skedi_ledger_plan *plan,
                            const skedi_image *image)
{
    plan->n = image->n;
    plan->n_slots = image->n_slots;
    for (uint32_t r = 0; r < image->n; r++) {
        plan->rows[r] = (skedi_ledger_row){
            .id = image->id[r],
            .parent = (uint32_t)image->parent[r], /* -1: SKEDI_NO_ROW */
            .leaf = (uint32_t)skedi_image_is_leaf(image, r),
        };
    }
    memcpy(plan->row_of, image->row_of, image->n_slots * sizeof *plan->row_of);
    memset(plan->latest, 0, plan->n * sizeof *plan->latest);
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
