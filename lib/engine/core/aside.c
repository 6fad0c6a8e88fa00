/* Entries that a pass takes out of their lines, and puts back when it ends. */
#include "engine/core/aside.h"

#include "engine/exclusive.h"
#include "engine/core/walk.h"
#include "engine/queue.h"
#include "engine/order/keys.h"
#include "engine/pending.h"
#include "engine/order/sets.h"

/* Is it a gang that wants nodes to itself? It goes to other nodes once one of
 * those that it would have had is not empty any more, and limits may hold
 * these. */
static int goes_elsewhere(const sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);

    return skedi_ask_is_exclusive(a) && (a->flags & SKED_ASK_SPREAD) != 0;
}

void skedi_walk_aside(sked_engine *e, uint32_t entry)
{
    const engine_entry *x = entry_at(e, entry);

    e->set_aside[e->n_aside++] = entry;
    if (!e->aside_alone) e->aside_alone = goes_elsewhere(e, x->ask);
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

/* May an entry run once something has started, with tags (`counted`) or on an
 * empty node (`taken`)? */
static int may_run_now(const sked_engine *e, uint32_t ask, int counted,
                       int taken)
{
    return (taken && goes_elsewhere(e, ask)) ||
           (counted && skedi_shape_counts(e, ask_at(e, ask)->shape));
}

void skedi_aside_started(sked_engine *e, int counted)
{
    int taken = e->aside_alone == 2;
    size_t kept = 0;

    if (taken) e->aside_alone = 0;
    for (size_t i = 0; i < e->n_aside; i++) {
        uint32_t entry = e->set_aside[i];
        const engine_entry *x = entry_at(e, entry);
        if (!x->live) continue;
        if (!may_run_now(e, x->ask, counted, taken)) {
            e->set_aside[kept++] = entry;
            continue;
        }
        skedi_line_back(e, entry, skedi_entry_mask(e, entry));
        skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
    }
    e->n_aside = kept;
}
