/*
 * The pending asks of a leaf in a partition, in order, and the profiles that
 * they share (shapes: amounts of one unit and the nodes that it may use).
 *
 * A leaf with a static order keeps a packed-memory array: entries in order
 * with holes between them. Other leaves keep a tournament in which an entry
 * stays in its place. In each partition a profile with pending asks has a bit,
 * its class.
 *
 * Invariants: an array is sorted; a tournament is as if it were played anew; a
 * class is free again when the last entry of its profile has gone.
 */
#include <string.h>

#include "base/assert.h"
#include "base/sort.h"
#include "engine/gang_fit.h"
#include "engine/queue.h"
#include "engine/filter.h"
#include "engine/pending.h"
#include "engine/store.h"

/*
 * A steady line is a packed memory array (a gapped array): entries stand in
 * order, with holes between them. A new entry that comes last stands behind the
 * last one; any other moves the entries up to the next hole. When that hole is
 * far, the entries of the smallest window around it that has enough holes are
 * spread evenly over the window; the same is done where a long run of holes has
 * arisen. The part of holes that is enough grows with the window, up to that of
 * the whole line; so an entry that joins or leaves moves O(log^2 entries)
 * others on average. When there are more holes than entries, all holes are
 * closed.
 *
 * An entry is seen by the bit of its class or, aside, by none; so a place has
 * the number of the class, a byte. Of each LINE_GROUP places the union of their
 * bits stands in a binary tree of masks, so the first entry that is found in it
 * is the leftmost.
 */

enum {
    LINE_NEAR = 256,   /* places to the farthest hole that is used */
    LINE_WINDOW = 512, /* places of the smallest window */
    LINE_RUN = 64,     /* holes in a row that are left alone */
    LINE_HOLES = 16,   /* beyond twice the entries: then all holes are closed */
    LINE_GROUP = 16,   /* places, a power of two */
    STEADY_PLACE = sizeof(uint32_t) + 1 /* bytes: its entry and its class */
};

/* ---- What is seen ---- */

/* The classes of places, in front of their entries: of a short line both are
 * near each other. SKEDI_NO_CLASS: not seen. */
static uint8_t *pending_place_classes(const engine_cell *cell)
{
    return (uint8_t *)cell->entry - cell->entry_cap;
}

static uint64_t *pending_group_mask(const engine_cell *cell, uint32_t place)
{
    return &cell->turn.mask[cell->turn.width + place / LINE_GROUP];
}

static uint64_t pending_mask_of_class(uint8_t class)
{
    return class == SKEDI_NO_CLASS ? 0 : (uint64_t)1 << class;
}

static uint8_t pending_class_of_mask(uint64_t mask)
{
    return mask ? (uint8_t)skedi_ctz64(mask) : SKEDI_NO_CLASS;
}

/* Is one of eight bytes this one? x has a zero byte where that is so. */
static int pending_word_has(const uint8_t *eight, uint8_t byte)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t x;

    memcpy(&x, eight, sizeof x);
    x ^= ones * byte;
    return ((x - ones) & ~x & ones << 7) != 0;
}

/* Does a place of the group have this class? */
static int pending_group_has(const uint8_t *group, uint8_t class)
{
    int has = 0;

    for (int i = 0; i < LINE_GROUP; i += 8)
        has |= pending_word_has(group + i, class);
    return has;
}

static uint64_t pending_union_of_group(const uint8_t *group)
{
    uint64_t all = 0;

    for (int i = 0; i < LINE_GROUP; i++) all |= pending_mask_of_class(group[i]);
    return all;
}

static void pending_steady_free(sked_engine *e, const engine_cell *cell)
{
    if (!cell->entry) return;
    skedi_free(&e->hooks.mem, pending_place_classes(cell), cell->entry_cap,
               STEADY_PLACE);
}

/* Memory for so many entries, and for holes beside them. 0: no memory. */
static int pending_steady_reserve(sked_engine *e, engine_cell *cell,
                                  uint64_t entries)
{
    const uint64_t want = entries + entries / 8; /* so that a hole is near */
    uint32_t old = cell->entry_cap;
    uint64_t cap = (uint64_t)old + old / 4;
    engine_cell next = *cell;

    if (want <= old) return 1;
    if (cap < want) cap = want;
    cap = (cap + LINE_GROUP - 1) / LINE_GROUP * LINE_GROUP;
    if (cap > ENGINE_MOST_PLACES) return 0;
    next.entry_cap = (uint32_t)cap;
    if (!skedi_tourney_reserve(&cell->turn, &e->hooks.mem,
                               next.entry_cap / LINE_GROUP)) {
        return 0;
    }
    unsigned char *block = skedi_new(&e->hooks.mem, (size_t)cap, STEADY_PLACE);
    if (!block) return 0;
    next.entry = (uint32_t *)(void *)(block + cap);
    memset(pending_place_classes(&next), SKEDI_NO_CLASS, (size_t)cap);
    if (old) {
        memcpy(next.entry, cell->entry, old * sizeof *cell->entry);
        memcpy(pending_place_classes(&next), pending_place_classes(cell), old);
    }
    pending_steady_free(e, cell);
    cell->entry = next.entry;
    cell->entry_cap = next.entry_cap;
    return 1;
}

/* The bits, one or none, by which a place is seen; other ones; the first place
 * from `from` on that is seen by a bit of `offer`, or SKEDI_NO_PLACE. */
static uint64_t pending_steady_mask(const engine_cell *cell, uint32_t place)
{
    return pending_mask_of_class(pending_place_classes(cell)[place]);
}

static void pending_steady_show(engine_cell *cell, uint32_t place,
                                uint64_t mask)
{
    uint8_t *class = &pending_place_classes(cell)[place];
    const uint8_t *group = class - place % LINE_GROUP;
    uint64_t all = *pending_group_mask(cell, place),
             before = pending_mask_of_class(*class);
    uint8_t was = *class;

    if (mask == before) return;
    *class = pending_class_of_mask(mask);
    if (before && !pending_group_has(group, was)) all &= ~before;
    skedi_tourney_show(&cell->turn, place / LINE_GROUP, all | mask);
}

static uint32_t pending_steady_next(const engine_cell *cell, uint32_t from,
                                    uint64_t offer)
{
    const uint8_t *classes = pending_place_classes(cell);

    if (from < cell->first) from = cell->first;
    while (from < cell->entries) {
        if (!(*pending_group_mask(cell, from) & offer)) {
            uint32_t group = skedi_tourney_next(&cell->turn, from / LINE_GROUP,
                                                offer);
            if (group == SKEDI_NO_PLACE) break;
            from = group * LINE_GROUP;
        }
        do {
            if (pending_mask_of_class(classes[from]) & offer) return from;
        } while (++from % LINE_GROUP);
    }
    return SKEDI_NO_PLACE;
}

/* ---- Places ---- */

static void pending_put_place(sked_engine *e, engine_cell *cell, uint32_t place,
                              uint32_t entry, uint8_t class)
{
    cell->entry[place] = entry;
    pending_place_classes(cell)[place] = class;
    if (entry != SKEDI_NONE)
        entry_at(e, entry)->place = place & ENGINE_MOST_PLACES;
}

/* Recomputes the masks above the places `from` to `to`. */
static void pending_knot_places(engine_cell *cell, uint32_t from, uint32_t to)
{
    const uint32_t width = cell->turn.width;
    uint64_t *mask = cell->turn.mask;

    for (uint32_t i = from / LINE_GROUP; i <= to / LINE_GROUP; i++) {
        mask[width + i] = pending_union_of_group(pending_place_classes(cell) +
                                                 i * LINE_GROUP);
    }
    for (uint32_t low = (width + from / LINE_GROUP) / 2,
                  high = (width + to / LINE_GROUP) / 2;
         low > 0; low /= 2, high /= 2) {
        for (uint32_t i = low; i <= high; i++) {
            mask[i] = mask[2 * i] | mask[2 * i + 1];
        }
    }
}

/* The place before which an entry belongs, by binary search. */
static uint32_t pending_place_before(const sked_engine *e,
                                     const engine_cell *cell, uint32_t entry)
{
    uint32_t low = cell->first, high = cell->entries;

    if (high == 0 || skedi_entry_before(e, cell->entry[high - 1], entry)) {
        return high; /* the last place is no hole */
    }
    while (low < high) {
        uint32_t mid = low + (high - low) / 2, at = mid;
        while (at < high && cell->entry[at] == SKEDI_NONE) at++;
        if (at < high && skedi_entry_before(e, cell->entry[at], entry))
            low = at + 1;
        else
            high = mid;
    }
    return low;
}

/* Closes all holes. */
static void pending_close_up(sked_engine *e, engine_cell *cell)
{
    uint32_t n = 0;

    e->steps += cell->entries;
    for (uint32_t i = 0; i < cell->entries; i++) {
        uint32_t entry = cell->entry[i];
        uint8_t class = pending_place_classes(cell)[i];
        if (entry == SKEDI_NONE) continue;
        pending_put_place(e, cell, i, SKEDI_NONE, SKEDI_NO_CLASS);
        pending_put_place(e, cell, n++, entry, class);
    }
    pending_knot_places(cell, 0, cell->entries - 1);
    cell->entries = n;
    cell->first = 0;
}

/* How many entries stand in places from .. to - 1. */
static uint32_t pending_count_there(sked_engine *e, const engine_cell *cell,
                                    uint32_t from, uint32_t to)
{
    uint32_t n = 0;

    for (uint32_t i = from; i < to; i++) n += cell->entry[i] != SKEDI_NONE;
    e->steps += to - from;
    return n;
}

/* Spreads the entries of places low .. high - 1, at least one, evenly over
 * these places; the last place is no hole. */
static void pending_spread_out(sked_engine *e, engine_cell *cell, uint32_t low,
                               uint32_t high)
{
    uint32_t n = 0, end = high < cell->entries ? high : cell->entries;

    for (uint32_t i = low; i < end; i++) {
        uint32_t entry = cell->entry[i];
        uint8_t class = pending_place_classes(cell)[i];
        if (entry == SKEDI_NONE) continue;
        pending_put_place(e, cell, i, SKEDI_NONE, SKEDI_NO_CLASS);
        pending_put_place(e, cell, low + n++, entry, class);
    }
    for (uint32_t i = end; i < high; i++) cell->entry[i] = SKEDI_NONE;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t to = low + (uint32_t)((uint64_t)(i + 1) * (high - low) / n);
        uint32_t entry = cell->entry[low + i];
        uint8_t class = pending_place_classes(cell)[low + i];
        pending_put_place(e, cell, low + i, SKEDI_NONE, SKEDI_NO_CLASS);
        pending_put_place(e, cell, to - 1, entry, class);
        if (i == 0 && low <= cell->first) cell->first = to - 1;
    }
    if (high > cell->entries) cell->entries = high;
    pending_knot_places(cell, low, high - 1);
    e->steps += high - low;
}

/* How many sizes of windows there are, from the smallest to one of so many
 * places, each twice the one before. */
static uint32_t pending_window_levels(uint32_t places)
{
    uint32_t levels = 1;

    while ((uint64_t)LINE_WINDOW << (levels - 1) < places) levels++;
    return levels;
}

/* Makes holes around `at`, near which there are none: spreads the entries of
 * the first window that has enough holes, each window being twice the one
 * before. The larger the window, the more holes are enough; the whole line
 * always has enough. */
static void pending_make_holes(sked_engine *e, engine_cell *cell, uint32_t at)
{
    uint32_t places = cell->entry_cap, levels = pending_window_levels(places);
    uint32_t holes = places - (uint32_t)cell->there;

    at -= at > 0; /* where one stands */
    for (uint32_t level = 1;; level++) {
        uint64_t size = (uint64_t)LINE_WINDOW << (level - 1);
        uint32_t low = (uint32_t)(at & ~(size - 1));
        uint32_t high = (uint32_t)skedi_i64_min((int64_t)(low + size), places);
        uint32_t end = high < cell->entries ? high : cell->entries;
        uint64_t part = (uint64_t)holes * (high - low) / places * level;
        uint64_t found = high - low - pending_count_there(e, cell, low, end);
        if (level < levels && (found == 0 || found * levels < part)) continue;
        pending_spread_out(e, cell, low, high);
        return;
    }
}

/* Is there a run of holes around a place, long enough to slow searches? */
static int pending_is_long_run(const engine_cell *cell, uint32_t place)
{
    uint32_t low = place, high = place + 1;

    if (place <= cell->first || place >= cell->entries) return 0;
    while (place - low < LINE_RUN && cell->entry[low - 1] == SKEDI_NONE) low--;
    while (high - place < LINE_RUN && cell->entry[high] == SKEDI_NONE) high++;
    return high - low >= LINE_RUN;
}

/* Breaks up a long run of holes: of windows that double, in the first in which
 * an eighth of the places is taken, or up to half the larger it is. */
static void pending_break_run(sked_engine *e, engine_cell *cell, uint32_t place)
{
    uint32_t levels = pending_window_levels(cell->entries - cell->first);

    for (uint32_t level = 1;; level++) {
        uint64_t size = (uint64_t)LINE_WINDOW << (level - 1);
        uint32_t low = (uint32_t)(place & ~(size - 1));
        uint32_t high = (uint32_t)skedi_i64_min((int64_t)(low + size),
                                                cell->entries);
        if (low < cell->first) low = cell->first;
        uint64_t least = (uint64_t)(high - low) * (levels + 3 * level);
        uint64_t there = pending_count_there(e, cell, low, high);
        int whole = low == cell->first && high == cell->entries;
        if (!whole && there * levels * 8 < least) continue;
        pending_spread_out(e, cell, low, high);
        return;
    }
}

/* Moves the entries of places from .. to - 1 one place up (`up` 1), or down. */
static void pending_move_places(sked_engine *e, engine_cell *cell,
                                uint32_t from, uint32_t to, int up)
{
    if (from == to) return;
    for (uint32_t n = to - from, i = 0; i < n; i++) {
        uint32_t at = up ? to - 1 - i : from + i;
        uint32_t entry = cell->entry[at];
        pending_put_place(e, cell, up ? at + 1 : at - 1, entry,
                          pending_place_classes(cell)[at]);
    }
    e->steps += to - from;
    if (up)
        pending_knot_places(cell, from, to);
    else
        pending_knot_places(cell, from - 1, to - 1);
}

/* Moves a hole that is at most `far` places away to where an entry that belongs
 * before `at` can stand: returns its place, or SKEDI_NONE. */
static uint32_t pending_make_hole(sked_engine *e, engine_cell *cell,
                                  uint32_t at, uint32_t far)
{
    uint32_t places = cell->entry_cap;

    for (uint32_t d = 0; d <= far; d++) {
        uint32_t up = at + d;
        if (up < places &&
            (up >= cell->entries || cell->entry[up] == SKEDI_NONE)) {
            if (up >= cell->entries) cell->entries = up + 1;
            pending_move_places(e, cell, at, up, 1);
            return at;
        }
        if (d < at && cell->entry[at - 1 - d] == SKEDI_NONE) {
            pending_move_places(e, cell, at - d, at, 0);
            if (at - 1 - d < cell->first) cell->first = at - 1 - d;
            return at - 1;
        }
    }
    return SKEDI_NONE;
}

/* Lets an entry in, where it belongs; takes one out. Memory was reserved. */
static void pending_steady_join(sked_engine *e, engine_cell *cell,
                                uint32_t entry, uint64_t mask)
{
    uint32_t at = e->booking ? cell->entries
                             : pending_place_before(e, cell, entry);
    uint32_t hole = pending_make_hole(e, cell, at, LINE_NEAR);

    if (hole == SKEDI_NONE) {
        pending_make_holes(e, cell, at);
        hole = pending_make_hole(e, cell, pending_place_before(e, cell, entry),
                                 UINT32_MAX);
    }
    if (hole < cell->first || cell->there == 0) cell->first = hole;
    pending_put_place(e, cell, hole, entry, pending_place_classes(cell)[hole]);
    pending_steady_show(cell, hole, mask);
    cell->there++;
}

static void pending_steady_leave(sked_engine *e, engine_cell *cell,
                                 uint32_t place)
{
    pending_steady_show(cell, place, 0);
    cell->entry[place] = SKEDI_NONE;
    cell->there--;
    while (cell->entries > 0 && cell->entry[cell->entries - 1] == SKEDI_NONE) {
        cell->entries--;
    }
    while (cell->first < cell->entries &&
           cell->entry[cell->first] == SKEDI_NONE) {
        cell->first++;
    }
    if (cell->entries > 2 * cell->there + LINE_HOLES)
        pending_close_up(e, cell);
    else if (pending_is_long_run(cell, place))
        pending_break_run(e, cell, place);
}

void skedi_steady_sort(sked_engine *e, engine_cell *cell, uint32_t *scratch)
{
    uint32_t n = cell->entries, *entry = cell->entry;

    if (!cell->steady || n == 0) return;
    cell->first = 0;
    skedi_sort(entry, scratch, n, skedi_entry_compare, e);
    for (uint32_t i = 0; i < n; i++) {
        pending_put_place(e, cell, i, entry[i],
                          pending_class_of_mask(skedi_entry_mask(e, entry[i])));
    }
    pending_knot_places(cell, 0, n - 1);
}

int skedi_steady_is_sound(const sked_engine *e, const engine_cell *cell)
{
    const uint64_t *mask = cell->turn.mask;
    uint32_t before = SKEDI_NONE, first = cell->first;

    if (cell->entries > 0 && (cell->entry[first] == SKEDI_NONE ||
                              cell->entry[cell->entries - 1] == SKEDI_NONE)) {
        return 0;
    }
    for (uint32_t i = 0; i < cell->entries; i++) {
        uint32_t entry = cell->entry[i];
        if (entry == SKEDI_NONE) continue;
        if (i < first) return 0;
        if (before != SKEDI_NONE && !skedi_entry_before(e, before, entry)) {
            return 0;
        }
        before = entry;
    }
    for (uint32_t i = 0; i < cell->entry_cap; i += LINE_GROUP) {
        uint64_t all = pending_union_of_group(pending_place_classes(cell) + i);
        if (*pending_group_mask(cell, i) != all) return 0;
    }
    for (uint32_t i = 1; i < cell->turn.width; i++) {
        if (mask[i] != (mask[2 * i] | mask[2 * i + 1])) return 0;
    }
    return cell->there == cell->open;
}

/*
 * One interface to both sorts of lines: steady ones (steady.c), in which
 * entries stand in order, and tournaments, in which an entry stays at the place
 * where it was put.
 */

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

    if (cell->steady) return pending_steady_reserve(e, cell, want);
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
        pending_steady_free(e, cell);
        return;
    }
    skedi_free(&e->hooks.mem, cell->entry, cell->entry_cap, sizeof(uint32_t));
}

static engine_cell *pending_line_of(const sked_engine *e, uint32_t entry)
{
    return &e->cells[entry_at(e, entry)->cell];
}

/* In a tournament places are compared by the asks that stand there. */
static int pending_place_ahead(const void *line, uint32_t a, uint32_t b)
{
    const engine_line *l = line;

    return skedi_entry_before(l->e, l->cell->entry[a], l->cell->entry[b]);
}

static void pending_play_entry(sked_engine *e, uint32_t entry, int there,
                               uint64_t mask)
{
    engine_cell *cell = pending_line_of(e, entry);
    engine_line line = {e, cell};

    skedi_tourney_set(&cell->turn, entry_at(e, entry)->place, there, mask,
                      pending_place_ahead, &line);
}

void skedi_line_join(sked_engine *e, uint32_t entry, uint64_t mask)
{
    engine_cell *cell = pending_line_of(e, entry);

    if (cell->steady) {
        pending_steady_join(e, cell, entry, mask);
        return;
    }
    uint32_t place = cell->free_place;
    if (place == SKEDI_NONE)
        place = cell->entries++;
    else
        cell->free_place = cell->entry[place];
    cell->entry[place] = entry;
    entry_at(e, entry)->place = place & ENGINE_MOST_PLACES;
    pending_play_entry(e, entry, 1, mask);
}

void skedi_line_leave(sked_engine *e, uint32_t entry)
{
    engine_cell *cell = pending_line_of(e, entry);
    uint32_t place = entry_at(e, entry)->place;

    if (cell->steady) {
        pending_steady_leave(e, cell, place);
        return;
    }
    pending_play_entry(e, entry, 0, 0);
    cell->entry[place] = cell->free_place;
    cell->free_place = place;
}

void skedi_line_show(sked_engine *e, uint32_t entry, uint64_t mask)
{
    engine_cell *cell = pending_line_of(e, entry);
    uint32_t place = entry_at(e, entry)->place;

    if (cell->steady)
        pending_steady_show(cell, place, mask);
    else if (skedi_tourney_has(&cell->turn, place))
        skedi_tourney_show(&cell->turn, place, mask);
    /* Else it is aside, and comes back with these bits. */
}

void skedi_line_aside(sked_engine *e, uint32_t entry)
{
    if (pending_line_of(e, entry)->steady)
        skedi_line_show(e, entry, 0);
    else /* so that no search passes by it */
        pending_play_entry(e, entry, 0, 0);
}

void skedi_line_back(sked_engine *e, uint32_t entry, uint64_t mask)
{
    if (pending_line_of(e, entry)->steady)
        skedi_line_show(e, entry, mask);
    else
        pending_play_entry(e, entry, 1, mask);
}

void skedi_line_rekey(sked_engine *e, uint32_t entry)
{
    engine_cell *cell = pending_line_of(e, entry);
    engine_entry *x = entry_at(e, entry);
    uint64_t key = skedi_entry_key(e, entry);
    uint64_t mask = skedi_line_mask(cell, x->place);

    if (key == x->key) return;
    if (cell->steady) {
        pending_steady_leave(e, cell, x->place);
        x->key = key;
        pending_steady_join(e, cell, entry, mask);
    } else {
        x->key = key;
        pending_play_entry(e, entry, 1, mask);
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

    if (cell->steady) return cell->entry[pending_steady_next(cell, 0, offer)];
    return cell->entry[skedi_tourney_first(&cell->turn, offer,
                                           pending_place_ahead, &line)];
}

uint32_t skedi_line_next(const engine_cell *cell, uint32_t from, uint64_t offer)
{
    if (cell->steady) return pending_steady_next(cell, from, offer);
    return skedi_tourney_next(&cell->turn, from, offer);
}

uint64_t skedi_line_mask(const engine_cell *cell, uint32_t place)
{
    if (cell->steady) return pending_steady_mask(cell, place);
    return skedi_tourney_mask(&cell->turn, place);
}

int skedi_line_is_sound(const sked_engine *e, const engine_cell *cell)
{
    engine_line line = {e, cell};

    if (cell->steady) return skedi_steady_is_sound(e, cell);
    return skedi_tourney_is_sound(&cell->turn, pending_place_ahead, &line);
}

/*
 * A shape is what a task and what one step of an ask take, and from which
 * nodes; asks that are alike in these share it. In a partition with open asks
 * of the shape it has a class, which is free again when the last of them has
 * gone.
 */

static uint64_t pending_shape_hash(const sked_engine *e, const int64_t *task,
                                   int64_t times, uint32_t set)
{
    skedi_hash hash;

    skedi_hash_start(&hash, (uint64_t)times);
    if (set != SKEDI_NONE) skedi_hash_u32(&hash, set);
    for (uint32_t k = 0; k < e->kinds; k++) {
        skedi_hash_u64(&hash, (uint64_t)task[k]);
    }
    return skedi_hash_end(&hash) | 1;
}

/* Does a shape have such gangs over nodes, of as many tasks; or are both no
 * gangs over nodes? */
static int pending_same_spread(const sked_engine *e, uint32_t shape,
                               int64_t times, engine_gang gang)
{
    const engine_gang own = skedi_shape_gang(e, shape);

    if (own.per_node != gang.per_node || own.same != gang.same) return 0;
    return gang.per_node == 0 || shape_at(e, shape)->times == times;
}

static int pending_same_shape(const sked_engine *e, uint32_t shape,
                              const int64_t *task, int64_t times)
{
    const int64_t *own = engine_row_of(e, &e->shape_task, shape);
    const int64_t *step = engine_row_of(e, &e->shape_step, shape);

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (own[k] != task[k] || step[k] != task[k] * times) return 0;
    }
    return 1;
}

static int pending_class_reserve(sked_engine *e, engine_partition *part)
{
    size_t cap = e->shapes.cap, old = part->class_cap;
    skedi_mem *mem = &e->hooks.mem;

    if (old >= cap) return 1;
    uint32_t *count = skedi_new(mem, cap, sizeof *count);
    uint8_t *class_of = count ? skedi_new(mem, cap, 1) : NULL;
    if (!class_of) {
        skedi_free(mem, count, cap, sizeof *count);
        return 0;
    }
    memset(class_of, SKEDI_NO_CLASS, cap);
    if (old) {
        memcpy(class_of, part->class_of, old);
        memcpy(count, part->shape_count, old * sizeof *count);
    }
    skedi_free(mem, part->class_of, old, 1);
    skedi_free(mem, part->shape_count, old, sizeof *count);
    part->class_of = class_of;
    part->shape_count = count;
    part->class_cap = cap;
    return 1;
}

int skedi_shape_reserve(sked_engine *e, uint64_t more)
{
    if (!skedi_pool_reserve(&e->shapes, &e->hooks.mem, more) ||
        !skedi_amounts_reserve(e, &e->shape_step, &e->shapes) ||
        !skedi_amounts_reserve(e, &e->shape_task, &e->shapes)) {
        return 0;
    }
    for (uint32_t p = 0; p < e->parts; p++) {
        engine_partition *part = &e->partition[p];
        if (!pending_class_reserve(e, part)) return 0;
    }
    return skedi_keymap_reserve(&e->shape_of, &e->hooks.mem,
                                e->shape_of.n + (size_t)more);
}

uint32_t skedi_shape_take(sked_engine *e, const int64_t *task, int64_t times,
                          uint32_t set, engine_gang gang)
{
    uint64_t name = pending_shape_hash(e, task, times, set) +
                    2 * (gang.per_node + gang.same * 31);
    uint32_t shape;

    /* Shapes with one hash stand under odd names that follow each other. */
    while ((shape = skedi_keymap_get(&e->shape_of, name)) != UINT32_MAX) {
        engine_shape *known = shape_at(e, shape);
        if (known->bucket == 0 && known->set == set &&
            pending_same_spread(e, shape, times, gang) &&
            pending_same_shape(e, shape, task, times)) {
            known->uses++;
            return shape;
        }
        name += 2;
    }
    shape = skedi_pool_take(&e->shapes);
    *shape_at(e, shape) = (engine_shape){.name = name,
                                         .uses = 1,
                                         .set = set,
                                         .fit = SKEDI_NONE,
                                         .plain = SKEDI_NONE,
                                         .times = (uint32_t)times};
    if (gang.per_node) {
        uint32_t fit = skedi_fit_take(e, task, set, gang);
        shape_at(e, shape)->fit = fit;
    }
    if (set != SKEDI_NONE) set_at(e, set)->uses++;
    for (uint32_t k = 0; k < e->kinds; k++) {
        engine_row_of(e, &e->shape_task, shape)[k] = task[k];
        engine_row_of(e, &e->shape_step, shape)[k] = task[k] * times;
    }
    skedi_keymap_put(&e->shape_of, name, shape);
    return shape;
}

static uint32_t pending_make_bucket(sked_engine *e, uint32_t plain,
                                    uint32_t bucket, uint64_t name)
{
    uint32_t shape = skedi_pool_take(&e->shapes);
    engine_shape *of = shape_at(e, plain);
    size_t size = e->kinds * sizeof(int64_t);

    *shape_at(e, shape) = (engine_shape){.name = name,
                                         .uses = 1,
                                         .set = of->set,
                                         .fit = of->fit,
                                         .times = of->times,
                                         .plain = plain,
                                         .bucket = bucket,
                                         .first = SKEDI_NONE};
    of->uses++;
    if (of->set != SKEDI_NONE) set_at(e, of->set)->uses++;
    if (of->fit != SKEDI_NONE) fit_at(e, of->fit)->uses++;
    memcpy(engine_row_of(e, &e->shape_task, shape),
           engine_row_of(e, &e->shape_task, plain), size);
    memcpy(engine_row_of(e, &e->shape_step, shape),
           engine_row_of(e, &e->shape_step, plain), size);
    skedi_keymap_put(&e->shape_of, name, shape);
    return shape;
}

uint32_t skedi_shape_bucket(sked_engine *e, uint32_t plain, uint32_t bucket)
{
    skedi_hash hash;
    uint32_t shape;

    skedi_hash_start(&hash, bucket);
    skedi_hash_u32(&hash, plain);
    uint64_t name = (skedi_hash_end(&hash) | 1) - 2;
    while ((shape = skedi_keymap_get(&e->shape_of, name += 2)) != UINT32_MAX) {
        engine_shape *known = shape_at(e, shape);
        if (known->bucket == bucket && known->plain == plain) {
            known->uses++;
            return shape;
        }
    }
    return pending_make_bucket(e, plain, bucket, name);
}

void skedi_shape_give(sked_engine *e, uint32_t shape)
{
    engine_shape *known = shape_at(e, shape);

    uint32_t plain = known->plain;

    if (--known->uses > 0) return;
    skedi_keymap_remove(&e->shape_of, known->name);
    if (known->fit != SKEDI_NONE) skedi_fit_give(e, known->fit);
    if (known->set != SKEDI_NONE) skedi_set_give(e, known->set);
    skedi_pool_give(&e->shapes, shape);
    if (plain != SKEDI_NONE) skedi_shape_give(e, plain);
}

/* ---- Classes ---- */

static int64_t *pending_least_of(const sked_engine *e, uint32_t partition,
                                 uint32_t class)
{
    return e->least + ((size_t)partition * 64 + class) * e->kinds;
}

/* Eight times the logarithm of an amount to base 2, about. */
static int32_t pending_log_of_amount(int64_t amount)
{
    uint64_t all = (uint64_t)amount + 1;
    int32_t bits = 63 - (int32_t)skedi_clz64(all);

    return bits * 8 + (int32_t)((all << (63 - bits) >> 60) & 7);
}

/* How far a step is from the least of a class, in all kinds together. */
static int64_t pending_step_distance(const sked_engine *e, const int64_t *least,
                                     const int64_t *step)
{
    int64_t sum = 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        int32_t by = pending_log_of_amount(least[k]) -
                     pending_log_of_amount(step[k]);
        sum += by < 0 ? -by : by;
    }
    return sum;
}

/* The mixed class that a shape joins: one of its own if there is one, else the
 * one that it is nearest to. */
static uint32_t pending_class_near(const sked_engine *e, uint32_t partition,
                                   uint32_t shape)
{
    uint64_t free = ~e->partition[partition].classes & SKEDI_MIXED_CLASSES;
    const int64_t *step = skedi_shape_part(e, shape);
    uint32_t best = SKEDI_MIXED_CLASS;
    int64_t least = INT64_MAX;

    if (free) return skedi_ctz64(free);
    for (uint32_t class = SKEDI_MIXED_CLASS; class < 64; class ++) {
        int64_t far = pending_step_distance(
            e, pending_least_of(e, partition, class), step);
        if (far >= least) continue;
        best = class;
        least = far;
    }
    return best;
}

/* Lowers the least step of a class to that of a shape that joins it. */
static void pending_lower_least(sked_engine *e, uint32_t partition,
                                uint32_t class, uint32_t shape)
{
    const int64_t *step = skedi_shape_part(e, shape);
    int64_t *least = pending_least_of(e, partition, class);
    int first = e->partition[partition].class_count[class] == 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        least[k] = first ? step[k] : skedi_i64_min(least[k], step[k]);
    }
}

/* A class for a shape: a free one of its own that is struck from no queue, or
 * else a mixed one. */
static uint32_t pending_class_free(sked_engine *e, uint32_t partition,
                                   uint32_t shape)
{
    engine_partition *part = &e->partition[partition];
    uint64_t free = ~(part->classes | SKEDI_MIXED_CLASSES);

    if (!free) return pending_class_near(e, partition, shape);
    if (!(free & ~part->struck)) skedi_books_unstrike(e, partition, free);
    return skedi_ctz64(free & ~part->struck);
}

static engine_mixture *pending_mixture_at(engine_partition *part,
                                          uint32_t class)
{
    return &part->mixed[class - SKEDI_MIXED_CLASS];
}

/* A shape has its first entry of a mixed class. */
static void pending_list_shape(engine_mixture *mix, uint32_t shape)
{
    mix->shapes++;
    if (mix->listed < SKEDI_LISTED_SHAPES) mix->shape[mix->listed++] = shape;
}

/* The last entry of a shape has gone. */
static void pending_unlist_shape(engine_mixture *mix, uint32_t shape)
{
    mix->shapes--;
    for (uint32_t i = 0; i < mix->listed; i++) {
        if (mix->shape[i] != shape) continue;
        mix->shape[i] = mix->shape[--mix->listed];
        return;
    }
}

void skedi_class_take(sked_engine *e, uint32_t partition, uint32_t shape)
{
    engine_partition *part = &e->partition[partition];
    SKEDI_ASSERT(shape < part->class_cap);
    uint32_t class = part->class_of[shape];

    if (class == SKEDI_NO_CLASS) {
        class = pending_class_free(e, partition, shape);
        part->class_of[shape] = (uint8_t) class;
        part->classes |= (uint64_t)1 << class;
        if (shape_at(e, shape)->bucket) part->apart |= (uint64_t)1 << class;
        part->shape[class] = shape;
        pending_lower_least(e, partition, class, shape);
        if (class >= SKEDI_MIXED_CLASS) {
            pending_list_shape(pending_mixture_at(part, class), shape);
        }
    }
    part->class_count[class]++;
    part->shape_count[shape]++;
}

void skedi_class_give(engine_partition *part, uint32_t shape)
{
    uint32_t class = part->class_of[shape];

    SKEDI_ASSERT(class != SKEDI_NO_CLASS && part->class_count[class] > 0);
    SKEDI_ASSERT(part->shape_count[shape] > 0);
    if (--part->shape_count[shape] == 0) {
        part->class_of[shape] = SKEDI_NO_CLASS;
        if (class >= SKEDI_MIXED_CLASS) {
            pending_unlist_shape(pending_mixture_at(part, class), shape);
        }
    }
    if (--part->class_count[class] == 0) {
        part->classes &= ~((uint64_t)1 << class);
        part->apart &= ~((uint64_t)1 << class);
    }
}

/* Does a shape of a mixed class fit, or is not every shape of it listed? */
static int pending_mixture_fits(const sked_engine *e, const engine_mixture *mix,
                                const int64_t *free)
{
    if (mix->listed < mix->shapes) return 1;
    for (uint32_t i = 0; i < mix->listed; i++) {
        if (skedi_step_fits(e, mix->shape[i], free)) return 1;
    }
    return 0;
}

uint64_t skedi_classes_fit(const sked_engine *e, uint32_t partition,
                           uint64_t among, const int64_t *free)
{
    const engine_mixture *mixed = e->partition[partition].mixed;
    uint64_t fit = 0;

    for (uint64_t left = among; left; left &= left - 1) {
        unsigned class = skedi_ctz64(left);
        if (!skedi_amounts_fit(e, pending_least_of(e, partition, class), free))
            continue;
        if (class >= SKEDI_MIXED_CLASS &&
            !pending_mixture_fits(e, &mixed[class - SKEDI_MIXED_CLASS], free)) {
            continue;
        }
        fit |= (uint64_t)1 << class;
    }
    return fit;
}
