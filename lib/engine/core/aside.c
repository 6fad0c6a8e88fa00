/* Entries that a pass takes out of their lines, and puts back when it ends. */
#include "engine/core/aside.h"

#include "engine/core/walk.h"
#include "engine/order/books.h"
#include "engine/order/keys.h"
#include "engine/order/line.h"
#include "engine/order/sets.h"

void skedi_walk_aside(sked_engine *e, uint32_t entry)
{
    const engine_entry *x = entry_at(e, entry);

    e->set_aside[e->n_aside++] = entry;
    skedi_line_aside(e, entry);
    skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
}

void skedi_walk_back(sked_engine *e)
{
    while (e->n_aside > 0) {
        uint32_t entry = e->set_aside[--e->n_aside];
        const engine_entry *x = entry_at(e, entry);
        if (!x->live) continue;
        skedi_line_back(e, entry, skedi_entry_mask(e, entry));
        skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
    }
}

void skedi_aside_ruled(sked_engine *e)
{
    size_t kept = 0;

    for (size_t i = 0; i < e->n_aside; i++) {
        uint32_t entry = e->set_aside[i];
        const engine_entry *x = entry_at(e, entry);
        if (!x->live) continue;
        if (!skedi_shape_counts(e, ask_at(e, x->ask)->shape)) {
            e->set_aside[kept++] = entry;
            continue;
        }
        skedi_line_back(e, entry, skedi_entry_mask(e, entry));
        skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
    }
    e->n_aside = kept;
}
