/* Entries that a pass takes out of their lines, and puts back when it ends. */
#include "engine/core/aside.h"

#include "engine/core/exclusive.h"
#include "engine/core/walk.h"
#include "engine/order/books.h"
#include "engine/order/keys.h"
#include "engine/order/line.h"
#include "engine/order/sets.h"

void skedi_walk_aside(sked_engine *e, uint32_t entry)
{
    const engine_entry *x = entry_at(e, entry);

    e->set_aside[e->n_aside++] = entry;
    e->aside_alone |= skedi_ask_is_exclusive(ask_at(e, x->ask));
    skedi_line_aside(e, entry);
    skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
}

void skedi_walk_back(sked_engine *e)
{
    e->aside_alone = 0;
    while (e->n_aside > 0) {
        uint32_t entry = e->set_aside[--e->n_aside];
        const engine_entry *x = entry_at(e, entry);
        if (!x->live) continue;
        skedi_line_back(e, entry, skedi_entry_mask(e, entry));
        skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
    }
}

/* May an entry run once something has started? By a rule that counts work
 * (`counted`); or, where it wants nodes to itself: a gang goes to other nodes once
 * one of those that it would have had is not empty any more, and limits may hold
 * these. */
static int may_run_now(const sked_engine *e, uint32_t ask, int counted)
{
    const engine_ask *a = ask_at(e, ask);

    return skedi_ask_is_exclusive(a) ||
           (counted && skedi_shape_counts(e, a->shape));
}

void skedi_aside_started(sked_engine *e, int counted)
{
    size_t kept = 0;

    e->aside_alone = 0;
    for (size_t i = 0; i < e->n_aside; i++) {
        uint32_t entry = e->set_aside[i];
        const engine_entry *x = entry_at(e, entry);
        if (!x->live) continue;
        if (!may_run_now(e, x->ask, counted)) {
            e->set_aside[kept++] = entry;
            continue;
        }
        skedi_line_back(e, entry, skedi_entry_mask(e, entry));
        skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
    }
    e->n_aside = kept;
}
