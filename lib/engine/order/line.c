/*
 * One interface to both sorts of lines: steady ones (steady.c), in which
 * entries stand in order, and tournaments, in which an entry stays at the place
 * where it was put.
 */
#include "engine/order/line.h"

#include "engine/queue.h"
#include "engine/order/entries.h"
#include "engine/order/keys.h"
#include "engine/order/steady.h"

/* A leaf's cell, for a tournament of its places. */
typedef struct engine_line {
    const sked_engine *e;
    const engine_cell *cell;
} engine_line;

int skedi_line_reserve(sked_engine *e, engine_cell *cell, uint32_t more)
{
    uint64_t want = cell->open + more;
    size_t cap = cell->entry_cap;
    void *grown = cell->entry;

    if (cell->steady) return skedi_steady_reserve(e, cell, want);
    if (want > ENGINE_MOST_PLACES) return 0;
    if (!skedi_tourney_reserve(&cell->turn, &e->hooks.mem, (uint32_t)want)) {
        return 0;
    }
    if (!skedi_ensure(&e->hooks.mem, &grown, &cap, (size_t)want,
                      sizeof(uint32_t))) {
        return 0;
    }
    cell->entry = grown;
    cell->entry_cap = (uint32_t)cap;
    return 1;
}

void skedi_line_free(sked_engine *e, engine_cell *cell)
{
    if (cell->steady) {
        skedi_steady_free(e, cell);
        return;
    }
    skedi_free(&e->hooks.mem, cell->entry, cell->entry_cap, sizeof(uint32_t));
}

static engine_cell *line_of(const sked_engine *e, uint32_t entry)
{
    return &e->cells[entry_at(e, entry)->cell];
}

/* In a tournament places are compared by the asks that stand there. */
static int place_ahead(const void *line, uint32_t a, uint32_t b)
{
    const engine_line *l = line;

    return skedi_entry_before(l->e, l->cell->entry[a], l->cell->entry[b]);
}

static void play_entry(sked_engine *e, uint32_t entry, int there, uint64_t mask)
{
    engine_cell *cell = line_of(e, entry);
    engine_line line = {e, cell};

    skedi_tourney_set(&cell->turn, entry_at(e, entry)->place, there, mask,
                      place_ahead, &line);
}

void skedi_line_join(sked_engine *e, uint32_t entry, uint64_t mask)
{
    engine_cell *cell = line_of(e, entry);

    if (cell->steady) {
        skedi_steady_join(e, cell, entry, mask);
        return;
    }
    uint32_t place = cell->free_place;
    if (place == SKEDI_NONE)
        place = cell->entries++;
    else
        cell->free_place = cell->entry[place];
    cell->entry[place] = entry;
    entry_at(e, entry)->place = place & ENGINE_MOST_PLACES;
    play_entry(e, entry, 1, mask);
}

void skedi_line_leave(sked_engine *e, uint32_t entry)
{
    engine_cell *cell = line_of(e, entry);
    uint32_t place = entry_at(e, entry)->place;

    if (cell->steady) {
        skedi_steady_leave(e, cell, place);
        return;
    }
    play_entry(e, entry, 0, 0);
    cell->entry[place] = cell->free_place;
    cell->free_place = place;
}

void skedi_line_show(sked_engine *e, uint32_t entry, uint64_t mask)
{
    engine_cell *cell = line_of(e, entry);
    uint32_t place = entry_at(e, entry)->place;

    if (cell->steady)
        skedi_steady_show(cell, place, mask);
    else if (skedi_tourney_has(&cell->turn, place))
        skedi_tourney_show(&cell->turn, place, mask);
    /* Else it is aside, and comes back with these bits. */
}

void skedi_line_aside(sked_engine *e, uint32_t entry)
{
    if (line_of(e, entry)->steady)
        skedi_line_show(e, entry, 0);
    else /* so that no search passes by it */
        play_entry(e, entry, 0, 0);
}

void skedi_line_back(sked_engine *e, uint32_t entry, uint64_t mask)
{
    if (line_of(e, entry)->steady)
        skedi_line_show(e, entry, mask);
    else
        play_entry(e, entry, 1, mask);
}

void skedi_line_rekey(sked_engine *e, uint32_t entry)
{
    engine_cell *cell = line_of(e, entry);
    engine_entry *x = entry_at(e, entry);
    uint64_t key = skedi_entry_key(e, entry);
    uint64_t mask = skedi_line_mask(cell, x->place);

    if (key == x->key) return;
    if (cell->steady) {
        skedi_steady_leave(e, cell, x->place);
        x->key = key;
        skedi_steady_join(e, cell, entry, mask);
    } else {
        x->key = key;
        play_entry(e, entry, 1, mask);
    }
}

void skedi_line_rekey_all(sked_engine *e, size_t at)
{
    const engine_cell *cell = &e->cells[at];

    if (cell->steady) return; /* its keys are not parts */
    for (uint32_t place = 0; place < cell->entries; place++) {
        if (skedi_line_has(cell, place))
            skedi_line_rekey(e, cell->entry[place]);
    }
}

uint32_t skedi_line_first(const sked_engine *e, const engine_cell *cell,
                          uint64_t offer)
{
    engine_line line = {e, cell};

    if (cell->steady) return cell->entry[skedi_steady_next(cell, 0, offer)];
    return cell
        ->entry[skedi_tourney_first(&cell->turn, offer, place_ahead, &line)];
}

uint32_t skedi_line_next(const engine_cell *cell, uint32_t from, uint64_t offer)
{
    if (cell->steady) return skedi_steady_next(cell, from, offer);
    return skedi_tourney_next(&cell->turn, from, offer);
}

uint64_t skedi_line_mask(const engine_cell *cell, uint32_t place)
{
    if (cell->steady) return skedi_steady_mask(cell, place);
    return skedi_tourney_mask(&cell->turn, place);
}

int skedi_line_is_sound(const sked_engine *e, const engine_cell *cell)
{
    engine_line line = {e, cell};

    if (cell->steady) return skedi_steady_is_sound(e, cell);
    return skedi_tourney_is_sound(&cell->turn, place_ahead, &line);
}
