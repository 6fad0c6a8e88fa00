/* What entries are ordered by, and users measured. */
#include "engine/order/keys.h"
#include "engine/order/shapes.h"

int skedi_entry_before(const sked_engine *e, uint32_t a, uint32_t b)
{
    const engine_entry *x = entry_at(e, a), *y = entry_at(e, b);

    if (x->key != y->key) return x->key < y->key;
    const engine_ask *m = ask_at(e, x->ask), *n = ask_at(e, y->ask);
    if (m->job != n->job) {
        const engine_job *i = job_at(e, m->job), *j = job_at(e, n->job);
        if (i->submitted != j->submitted) return i->submitted < j->submitted;
        return i->arrival < j->arrival;
    }
    if (m->priority != n->priority) return m->priority > n->priority;
    return m->arrival < n->arrival;
}

int skedi_entry_compare(const void *engine, uint32_t a, uint32_t b)
{
    return skedi_entry_before(engine, a, b) ? -1 : 1;
}

uint64_t skedi_entry_key(const sked_engine *e, uint32_t entry)
{
    const engine_entry *x = entry_at(e, entry);
    const engine_ask *ask = ask_at(e, x->ask);
    uint32_t row = x->cell / e->parts, partition = x->cell % e->parts;
    const skedi_drf_scale *scale = e->scale + (size_t)partition * e->kinds;
    const int64_t *what;
    uint32_t weight = 1;

    switch (e->rows.apps[row]) {
    case SKED_APPS_PRIORITY:
        return skedi_order_urgency(job_at(e, ask->job)->priority);
    case SKED_APPS_FAIR: what = engine_row_of(e, &e->job_used, ask->job); break;
    case SKED_APPS_SIZE: what = engine_row_of(e, &e->job_open, ask->job); break;
    case SKED_APPS_USER_FAIR:
        what = engine_row_of(e, &e->account_used, x->account);
        weight = account_at(e, x->account)->weight;
        break;
    default: return 0;
    }
    return skedi_order_share(scale, what, e->kinds, weight);
}

uint64_t skedi_entry_mask(const sked_engine *e, uint32_t entry)
{
    const engine_entry *x = entry_at(e, entry);
    const engine_partition *part = &e->partition[x->cell % e->parts];
    uint32_t shape = skedi_class_shape(e, ask_at(e, x->ask));

    if (x->stopped ||
        (x->account != SKEDI_NONE && account_at(e, x->account)->blocked)) {
        return 0;
    }
    return (uint64_t)1 << part->class_of[shape];
}

uint32_t skedi_lead_of(const sked_engine *e, uint32_t partition,
                       const int64_t *used)
{
    const int64_t *capacity = e->capacity + (size_t)partition * e->kinds;
    uint32_t lead = 0;

    for (uint32_t k = 1; k < e->kinds; k++) {
        if (used[k] == 0) continue;
        if (used[lead] == 0 ||
            skedi_cmp_mul((uint64_t)used[k], (uint64_t)capacity[lead],
                          (uint64_t)used[lead], (uint64_t)capacity[k]) > 0) {
            lead = k;
        }
    }
    return lead;
}

uint32_t skedi_cell_lead(const sked_engine *e, uint32_t cell)
{
    return skedi_lead_of(e, cell % e->parts, cell_row(e, e->cell_used, cell));
}
