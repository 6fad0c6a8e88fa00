/*
 * Every open ask stands in exactly the lines it belongs to, with the key and
 * the bits that it would get now; every tournament is as if it were played
 * anew.
 */
#include "engine/api/check.h"
#include "engine/queue.h"
#include "engine/pending.h"
#include "engine/order/keys.h"

static int is_parent(const sked_engine *e, uint32_t row)
{
    return e->rows.first_child[row] != e->rows.first_child[row + 1];
}

static sked_status check_family(const sked_engine *e, uint32_t row, uint32_t p,
                                sked_error *err)
{
    const engine_cell *above = &e->cells[cell_of(e, row, p)];
    engine_family family = skedi_family_of(e, row, p);
    uint32_t first = e->rows.first_child[row];
    uint64_t open = 0;

    for (uint32_t c = first; c < e->rows.first_child[row + 1]; c++) {
        size_t at = cell_of(e, c, p);
        const engine_cell *cell = &e->cells[at];
        uint32_t place = c - first;
        sked_order_key key = skedi_cell_key(e, c, row, p);
        open += cell->open;
        if (skedi_tourney_has(&above->turn, place) != (cell->open > 0)) {
            return skedi_engine_broken(err, "a queue among its siblings", c);
        }
        if (cell->open && skedi_tourney_mask(&above->turn, place) !=
                              skedi_cell_offer(e, at, c)) {
            return skedi_engine_broken(err, "what a queue offers", c);
        }
        if (!e->partition[p].dirty &&
            skedi_order_compare(key, e->cell_order[at]) != 0) {
            return skedi_engine_broken(err, "key of a queue", c);
        }
    }
    if (open != above->open) {
        return skedi_engine_broken(err, "open asks below a queue", row);
    }
    if (!skedi_tourney_is_sound(&above->turn, skedi_child_before, &family)) {
        return skedi_engine_broken(err, "order of siblings", row);
    }
    return SKED_OK;
}

static sked_status check_line(const sked_engine *e, uint32_t row, uint32_t p,
                              sked_error *err)
{
    size_t at = cell_of(e, row, p);
    const engine_cell *cell = &e->cells[at];
    uint64_t there = 0;

    for (uint32_t place = 0; place < cell->entries; place++) {
        if (!skedi_line_has(cell, place)) continue;
        uint32_t entry = cell->entry[place];
        const engine_entry *x = entry_at(e, entry);
        there++;
        if (!x->live || x->cell != at || x->place != place) {
            return skedi_engine_broken(err, "an entry in its line", entry);
        }
        if (skedi_line_mask(cell, place) != skedi_entry_mask(e, entry)) {
            return skedi_engine_broken(err, "bits of an entry", entry);
        }
        if (!e->partition[p].dirty && x->key != skedi_entry_key(e, entry)) {
            return skedi_engine_broken(err, "key of an entry", entry);
        }
    }
    if (there != cell->open) {
        return skedi_engine_broken(err, "open asks of a leaf", row);
    }
    if (!skedi_line_is_sound(e, cell)) {
        return skedi_engine_broken(err, "order of a leaf", row);
    }
    return SKED_OK;
}

/* The entries of each ask, in each partition where it may run. */
static sked_status check_entries(const sked_engine *e, sked_error *err)
{
    for (uint32_t i = 0; i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        uint32_t n = 0;
        if (!a->live) continue;
        uint32_t row = job_at(e, a->job)->row;
        uint32_t want = a->partition == SKED_ANY_PARTITION ? e->parts : 1;
        for (uint32_t x = a->first_entry; x != SKEDI_NONE;
             x = entry_next(e, x)) {
            uint32_t p = entry_at(e, x)->cell % e->parts;
            int right = entry_at(e, x)->ask == i &&
                        entry_at(e, x)->cell / e->parts == row &&
                        (want > 1 || e->parts == 1 || p == a->partition);
            if (!right) return skedi_engine_broken(err, "an entry", x);
            n++;
        }
        if (n != 0 && n != want) {
            return skedi_engine_broken(err, "entries of an ask", i);
        }
    }
    return SKED_OK;
}

/* Does no entry's step take less than the least of its class? */
static int least_holds(const sked_engine *e, uint32_t p, uint8_t class,
                       uint32_t shape)
{
    const int64_t *least = e->least + ((size_t)p * 64 + class) * e->kinds;
    const int64_t *step = skedi_shape_part(e, shape);

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (step[k] < least[k]) return 0;
        if (step[k] > least[k] && class < SKEDI_MIXED_CLASS) return 0;
    }
    return 1;
}

/* Are as many shapes listed as there is a place for, each of the class, each
 * once? `shapes`: how many the class has. */
static int mixture_holds(const engine_partition *part, uint32_t class,
                         uint32_t shapes)
{
    const engine_mixture *mix = &part->mixed[class - SKEDI_MIXED_CLASS];

    if (mix->shapes != shapes || mix->listed > shapes) return 0;
    for (uint32_t i = 0; i < mix->listed; i++) {
        if (part->class_of[mix->shape[i]] != class) return 0;
        for (uint32_t j = 0; j < i; j++) {
            if (mix->shape[j] == mix->shape[i]) return 0;
        }
    }
    return 1;
}

static sked_status check_mixtures(const engine_partition *part, sked_error *err)
{
    uint32_t shapes[64] = {0};

    for (size_t s = 0; s < part->class_cap; s++) {
        if (part->class_of[s] < 64) shapes[part->class_of[s]]++;
    }
    for (uint32_t c = SKEDI_MIXED_CLASS; c < 64; c++) {
        if (mixture_holds(part, c, shapes[c])) continue;
        return skedi_engine_broken(err, "shapes of a mixed class", c);
    }
    return SKED_OK;
}

/* How many entries each class and shape of a partition has. */
static sked_status check_classes(const sked_engine *e, uint32_t p,
                                 sked_error *err)
{
    const engine_partition *part = &e->partition[p];
    uint32_t of_class[64] = {0};

    for (uint32_t i = 0; i < e->entries.n; i++) {
        const engine_entry *x = entry_at(e, i);
        if (!x->live || x->cell % e->parts != p) continue;
        uint32_t shape = skedi_class_shape(e, ask_at(e, x->ask));
        uint8_t class = part->class_of[shape];
        if (class > 63 || !least_holds(e, p, class, shape)) {
            return skedi_engine_broken(err, "class of an entry", i);
        }
        of_class[class]++;
    }
    for (uint32_t c = 0; c < 64; c++) {
        if (of_class[c] != part->class_count[c] ||
            (part->classes >> c & 1) != (of_class[c] > 0)) {
            return skedi_engine_broken(err, "entries of a class", c);
        }
    }
    return check_mixtures(part, err);
}

/* What is held against classes is remembered where it is looked for. */
static sked_status check_strikes(const sked_engine *e, uint32_t row, uint32_t p,
                                 sked_error *err)
{
    const engine_cell *cell = &e->cells[cell_of(e, row, p)];
    int held = cell->full || cell->turned;

    if (cell->full & ~e->partition[p].struck || (held && !e->rows.tight[row])) {
        return skedi_engine_broken(err, "full classes of a queue", row);
    }
    return SKED_OK;
}

sked_status skedi_check_lines(const sked_engine *e, sked_error *err)
{
    sked_status rc = check_entries(e, err);

    for (uint32_t p = 0; rc == SKED_OK && p < e->parts; p++) {
        rc = check_classes(e, p, err);
        for (uint32_t row = 0; rc == SKED_OK && row < e->rows.n; row++) {
            rc = is_parent(e, row) ? check_family(e, row, p, err)
                                   : check_line(e, row, p, err);
            if (rc == SKED_OK) rc = check_strikes(e, row, p, err);
        }
    }
    return rc;
}
