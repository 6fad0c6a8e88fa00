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
#include "engine/order/steady.h"

#include <string.h>

#include "base/sort.h"
#include "engine/queue.h"
#include "engine/order/keys.h"
#include "engine/order/line.h"

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
static uint8_t *place_classes(const engine_cell *cell)
{
    return (uint8_t *)cell->entry - cell->entry_cap;
}

static uint64_t *group_mask(const engine_cell *cell, uint32_t place)
{
    return &cell->turn.mask[cell->turn.width + place / LINE_GROUP];
}

static uint64_t mask_of_class(uint8_t class)
{
    return class == SKEDI_NO_CLASS ? 0 : (uint64_t)1 << class;
}

static uint8_t class_of_mask(uint64_t mask)
{
    return mask ? (uint8_t)skedi_ctz64(mask) : SKEDI_NO_CLASS;
}

/* Is one of eight bytes this one? x has a zero byte where that is so. */
static int word_has(const uint8_t *eight, uint8_t byte)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t x;

    memcpy(&x, eight, sizeof x);
    x ^= ones * byte;
    return ((x - ones) & ~x & ones << 7) != 0;
}

/* Does a place of the group have this class? */
static int group_has(const uint8_t *group, uint8_t class)
{
    int has = 0;

    for (int i = 0; i < LINE_GROUP; i += 8) has |= word_has(group + i, class);
    return has;
}

static uint64_t union_of_group(const uint8_t *group)
{
    uint64_t all = 0;

    for (int i = 0; i < LINE_GROUP; i++) all |= mask_of_class(group[i]);
    return all;
}

void skedi_steady_free(sked_engine *e, const engine_cell *cell)
{
    if (!cell->entry) return;
    skedi_free(&e->hooks.mem, place_classes(cell), cell->entry_cap,
               STEADY_PLACE);
}

int skedi_steady_reserve(sked_engine *e, engine_cell *cell, uint64_t entries)
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
    memset(place_classes(&next), SKEDI_NO_CLASS, (size_t)cap);
    if (old) {
        memcpy(next.entry, cell->entry, old * sizeof *cell->entry);
        memcpy(place_classes(&next), place_classes(cell), old);
    }
    skedi_steady_free(e, cell);
    cell->entry = next.entry;
    cell->entry_cap = next.entry_cap;
    return 1;
}

uint64_t skedi_steady_mask(const engine_cell *cell, uint32_t place)
{
    return mask_of_class(place_classes(cell)[place]);
}

void skedi_steady_show(engine_cell *cell, uint32_t place, uint64_t mask)
{
    uint8_t *class = &place_classes(cell)[place];
    const uint8_t *group = class - place % LINE_GROUP;
    uint64_t all = *group_mask(cell, place), before = mask_of_class(*class);
    uint8_t was = *class;

    if (mask == before) return;
    *class = class_of_mask(mask);
    if (before && !group_has(group, was)) all &= ~before;
    skedi_tourney_show(&cell->turn, place / LINE_GROUP, all | mask);
}

uint32_t skedi_steady_next(const engine_cell *cell, uint32_t from,
                           uint64_t offer)
{
    const uint8_t *classes = place_classes(cell);

    if (from < cell->first) from = cell->first;
    while (from < cell->entries) {
        if (!(*group_mask(cell, from) & offer)) {
            uint32_t group = skedi_tourney_next(&cell->turn, from / LINE_GROUP,
                                                offer);
            if (group == SKEDI_NO_PLACE) break;
            from = group * LINE_GROUP;
        }
        do {
            if (mask_of_class(classes[from]) & offer) return from;
        } while (++from % LINE_GROUP);
    }
    return SKEDI_NO_PLACE;
}

/* ---- Places ---- */

static void put_place(sked_engine *e, engine_cell *cell, uint32_t place,
                      uint32_t entry, uint8_t class)
{
    cell->entry[place] = entry;
    place_classes(cell)[place] = class;
    if (entry != SKEDI_NONE)
        entry_at(e, entry)->place = place & ENGINE_MOST_PLACES;
}

/* Recomputes the masks above the places `from` to `to`. */
static void knot_places(engine_cell *cell, uint32_t from, uint32_t to)
{
    const uint32_t width = cell->turn.width;
    uint64_t *mask = cell->turn.mask;

    for (uint32_t i = from / LINE_GROUP; i <= to / LINE_GROUP; i++) {
        mask[width + i] = union_of_group(place_classes(cell) + i * LINE_GROUP);
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
static uint32_t place_before(const sked_engine *e, const engine_cell *cell,
                             uint32_t entry)
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
static void close_up(sked_engine *e, engine_cell *cell)
{
    uint32_t n = 0;

    e->steps += cell->entries;
    for (uint32_t i = 0; i < cell->entries; i++) {
        uint32_t entry = cell->entry[i];
        uint8_t class = place_classes(cell)[i];
        if (entry == SKEDI_NONE) continue;
        put_place(e, cell, i, SKEDI_NONE, SKEDI_NO_CLASS);
        put_place(e, cell, n++, entry, class);
    }
    knot_places(cell, 0, cell->entries - 1);
    cell->entries = n;
    cell->first = 0;
}

/* How many entries stand in places from .. to - 1. */
static uint32_t count_there(sked_engine *e, const engine_cell *cell,
                            uint32_t from, uint32_t to)
{
    uint32_t n = 0;

    for (uint32_t i = from; i < to; i++) n += cell->entry[i] != SKEDI_NONE;
    e->steps += to - from;
    return n;
}

/* Spreads the entries of places low .. high - 1, at least one, evenly over
 * these places; the last place is no hole. */
static void spread_out(sked_engine *e, engine_cell *cell, uint32_t low,
                       uint32_t high)
{
    uint32_t n = 0, end = high < cell->entries ? high : cell->entries;

    for (uint32_t i = low; i < end; i++) {
        uint32_t entry = cell->entry[i];
        uint8_t class = place_classes(cell)[i];
        if (entry == SKEDI_NONE) continue;
        put_place(e, cell, i, SKEDI_NONE, SKEDI_NO_CLASS);
        put_place(e, cell, low + n++, entry, class);
    }
    for (uint32_t i = end; i < high; i++) cell->entry[i] = SKEDI_NONE;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t to = low + (uint32_t)((uint64_t)(i + 1) * (high - low) / n);
        uint32_t entry = cell->entry[low + i];
        uint8_t class = place_classes(cell)[low + i];
        put_place(e, cell, low + i, SKEDI_NONE, SKEDI_NO_CLASS);
        put_place(e, cell, to - 1, entry, class);
        if (i == 0 && low <= cell->first) cell->first = to - 1;
    }
    if (high > cell->entries) cell->entries = high;
    knot_places(cell, low, high - 1);
    e->steps += high - low;
}

/* How many sizes of windows there are, from the smallest to one of so many
 * places, each twice the one before. */
static uint32_t window_levels(uint32_t places)
{
    uint32_t levels = 1;

    while ((uint64_t)LINE_WINDOW << (levels - 1) < places) levels++;
    return levels;
}

/* Makes holes around `at`, near which there are none: spreads the entries of
 * the first window that has enough holes, each window being twice the one
 * before. The larger the window, the more holes are enough; the whole line
 * always has enough. */
static void make_holes(sked_engine *e, engine_cell *cell, uint32_t at)
{
    uint32_t places = cell->entry_cap, levels = window_levels(places);
    uint32_t holes = places - (uint32_t)cell->there;

    at -= at > 0; /* where one stands */
    for (uint32_t level = 1;; level++) {
        uint64_t size = (uint64_t)LINE_WINDOW << (level - 1);
        uint32_t low = (uint32_t)(at & ~(size - 1));
        uint32_t high = (uint32_t)skedi_i64_min((int64_t)(low + size), places);
        uint32_t end = high < cell->entries ? high : cell->entries;
        uint64_t part = (uint64_t)holes * (high - low) / places * level;
        uint64_t found = high - low - count_there(e, cell, low, end);
        if (level < levels && (found == 0 || found * levels < part)) continue;
        spread_out(e, cell, low, high);
        return;
    }
}

/* Is there a run of holes around a place, long enough to slow searches? */
static int is_long_run(const engine_cell *cell, uint32_t place)
{
    uint32_t low = place, high = place + 1;

    if (place <= cell->first || place >= cell->entries) return 0;
    while (place - low < LINE_RUN && cell->entry[low - 1] == SKEDI_NONE) low--;
    while (high - place < LINE_RUN && cell->entry[high] == SKEDI_NONE) high++;
    return high - low >= LINE_RUN;
}

/* Breaks up a long run of holes: of windows that double, in the first in which
 * an eighth of the places is taken, or up to half the larger it is. */
static void break_run(sked_engine *e, engine_cell *cell, uint32_t place)
{
    uint32_t levels = window_levels(cell->entries - cell->first);

    for (uint32_t level = 1;; level++) {
        uint64_t size = (uint64_t)LINE_WINDOW << (level - 1);
        uint32_t low = (uint32_t)(place & ~(size - 1));
        uint32_t high = (uint32_t)skedi_i64_min((int64_t)(low + size),
                                                cell->entries);
        if (low < cell->first) low = cell->first;
        uint64_t least = (uint64_t)(high - low) * (levels + 3 * level);
        uint64_t there = count_there(e, cell, low, high);
        int whole = low == cell->first && high == cell->entries;
        if (!whole && there * levels * 8 < least) continue;
        spread_out(e, cell, low, high);
        return;
    }
}

/* Moves the entries of places from .. to - 1 one place up (`up` 1), or down. */
static void move_places(sked_engine *e, engine_cell *cell, uint32_t from,
                        uint32_t to, int up)
{
    if (from == to) return;
    for (uint32_t n = to - from, i = 0; i < n; i++) {
        uint32_t at = up ? to - 1 - i : from + i;
        uint32_t entry = cell->entry[at];
        put_place(e, cell, up ? at + 1 : at - 1, entry,
                  place_classes(cell)[at]);
    }
    e->steps += to - from;
    if (up)
        knot_places(cell, from, to);
    else
        knot_places(cell, from - 1, to - 1);
}

/* Moves a hole that is at most `far` places away to where an entry that belongs
 * before `at` can stand: returns its place, or SKEDI_NONE. */
static uint32_t make_hole(sked_engine *e, engine_cell *cell, uint32_t at,
                          uint32_t far)
{
    uint32_t places = cell->entry_cap;

    for (uint32_t d = 0; d <= far; d++) {
        uint32_t up = at + d;
        if (up < places &&
            (up >= cell->entries || cell->entry[up] == SKEDI_NONE)) {
            if (up >= cell->entries) cell->entries = up + 1;
            move_places(e, cell, at, up, 1);
            return at;
        }
        if (d < at && cell->entry[at - 1 - d] == SKEDI_NONE) {
            move_places(e, cell, at - d, at, 0);
            if (at - 1 - d < cell->first) cell->first = at - 1 - d;
            return at - 1;
        }
    }
    return SKEDI_NONE;
}

void skedi_steady_join(sked_engine *e, engine_cell *cell, uint32_t entry,
                       uint64_t mask)
{
    uint32_t at = e->booking ? cell->entries : place_before(e, cell, entry);
    uint32_t hole = make_hole(e, cell, at, LINE_NEAR);

    if (hole == SKEDI_NONE) {
        make_holes(e, cell, at);
        hole = make_hole(e, cell, place_before(e, cell, entry), UINT32_MAX);
    }
    if (hole < cell->first || cell->there == 0) cell->first = hole;
    put_place(e, cell, hole, entry, place_classes(cell)[hole]);
    skedi_steady_show(cell, hole, mask);
    cell->there++;
}

void skedi_steady_leave(sked_engine *e, engine_cell *cell, uint32_t place)
{
    skedi_steady_show(cell, place, 0);
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
        close_up(e, cell);
    else if (is_long_run(cell, place))
        break_run(e, cell, place);
}

void skedi_steady_sort(sked_engine *e, engine_cell *cell, uint32_t *scratch)
{
    uint32_t n = cell->entries, *entry = cell->entry;

    if (!cell->steady || n == 0) return;
    cell->first = 0;
    skedi_sort(entry, scratch, n, skedi_entry_compare, e);
    for (uint32_t i = 0; i < n; i++) {
        put_place(e, cell, i, entry[i],
                  class_of_mask(skedi_entry_mask(e, entry[i])));
    }
    knot_places(cell, 0, n - 1);
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
        uint64_t all = union_of_group(place_classes(cell) + i);
        if (*group_mask(cell, i) != all) return 0;
    }
    for (uint32_t i = 1; i < cell->turn.width; i++) {
        if (mask[i] != (mask[2 * i] | mask[2 * i + 1])) return 0;
    }
    return cell->there == cell->open;
}
