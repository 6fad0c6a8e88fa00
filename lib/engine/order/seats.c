/*
 * A blocked user's entries stay in line but show no bit, and the seat stands
 * in its cell's list of blocked ones. Whenever the cell's books or its users
 * change, those few are looked at again.
 */
#include "engine/order/seats.h"

#include "engine/order/books.h"
#include "engine/order/entries.h"
#include "engine/order/keys.h"
#include "engine/order/line.h"
#include "engine/pool.h"

static uint64_t seat_name(uint32_t cell, uint32_t user)
{
    return (uint64_t)cell << 32 | (uint64_t)(user + 1);
}

uint32_t skedi_seat_find(const sked_engine *e, uint32_t cell, uint32_t user)
{
    return skedi_keymap_get(&e->seat_of, seat_name(cell, user));
}

uint32_t skedi_seat_of_ask(const sked_engine *e, uint32_t ask,
                           uint32_t partition)
{
    const engine_job *job = job_at(e, ask_at(e, ask)->job);

    if (!e->rows.by_user[job->row]) return SKEDI_NONE;
    return skedi_seat_find(e, (uint32_t)cell_of(e, job->row, partition),
                           job->user);
}

int skedi_seat_room(sked_engine *e, uint64_t more)
{
    return skedi_pool_room(&e->seats, &e->hooks.mem, more) &&
           skedi_amounts_room(e, &e->seat_used, &e->seats) &&
           skedi_amounts_room(e, &e->seat_paid, &e->seats) &&
           skedi_keymap_reserve(&e->seat_of, &e->hooks.mem,
                                e->seat_of.n + (size_t)more);
}

static engine_user *user_at(const sked_engine *e, uint32_t user)
{
    return (engine_user *)e->users.item + user;
}

/* What the tree says that a user weighs in a leaf. */
static uint32_t user_weight_of(const sked_engine *e, uint32_t row,
                               uint32_t user)
{
    const char *name = user_at(e, user)->name;
    int64_t weight = 1;

    if (!name || sked_tree_user_weight(e->tree, e->rows.id[row], name,
                                       &weight) != SKED_OK) {
        return 1;
    }
    return (uint32_t)weight;
}

static void list_seat(sked_engine *e, uint32_t seat)
{
    engine_seat *s = seat_at(e, seat);
    uint32_t *first = &user_at(e, s->user)->first_seat;

    s->user_prev = SKEDI_NONE;
    s->user_next = *first;
    if (*first != SKEDI_NONE) seat_at(e, *first)->user_prev = seat;
    *first = seat;
}

static void unlist_seat(sked_engine *e, uint32_t seat)
{
    const engine_seat *s = seat_at(e, seat);

    if (s->user_prev == SKEDI_NONE) {
        user_at(e, s->user)->first_seat = s->user_next;
    } else {
        seat_at(e, s->user_prev)->user_next = s->user_next;
    }
    if (s->user_next != SKEDI_NONE) {
        seat_at(e, s->user_next)->user_prev = s->user_prev;
    }
}

uint32_t skedi_seat_take(sked_engine *e, uint32_t cell, uint32_t user)
{
    uint32_t seat = skedi_seat_find(e, cell, user);

    if (seat != SKEDI_NONE) return seat;
    seat = skedi_pool_take(&e->seats);
    *seat_at(e, seat) = (engine_seat){
        .name = seat_name(cell, user),
        .cell = cell,
        .user = user,
        .weight = user_weight_of(e, cell / e->parts, user),
        .first = SKEDI_NONE,
        .next = SKEDI_NONE,
    };
    for (uint32_t k = 0; k < e->kinds; k++) {
        engine_row_of(e, &e->seat_used, seat)[k] = 0;
        engine_row_of(e, &e->seat_paid, seat)[k] = 0;
    }
    skedi_keymap_put(&e->seat_of, seat_name(cell, user), seat);
    list_seat(e, seat);
    return seat;
}

/* Takes a seat out of its cell's list of blocked ones. */
static void unblock_seat(sked_engine *e, uint32_t seat)
{
    uint32_t *at = &e->cells[seat_at(e, seat)->cell].blocked;

    while (*at != seat) at = &seat_at(e, *at)->next;
    *at = seat_at(e, seat)->next;
    seat_at(e, seat)->blocked = 0;
}

void skedi_seat_drop_if_idle(sked_engine *e, uint32_t seat)
{
    engine_seat *s = seat_at(e, seat);

    if (s->entries > 0 || s->groups > 0) return;
    if (s->blocked) unblock_seat(e, seat);
    unlist_seat(e, seat);
    skedi_keymap_remove(&e->seat_of, s->name);
    skedi_pool_give(&e->seats, seat);
}

/* ceil(a * num / den), where num is no more than den. */
static int64_t part_up(int64_t a, uint64_t num, uint64_t den)
{
    uint64_t rem, part = skedi_muldiv((uint64_t)a, num, den, &rem);

    return (int64_t)part + (rem > 0);
}

/* What users of a cell are measured by: the kind it uses most of, and what
 * there is of that to divide among them. */
typedef struct user_measure {
    uint32_t kind;
    int64_t base;
} user_measure;

static user_measure measure_of(const sked_engine *e, uint32_t cell)
{
    int moved = e->partition[cell % e->parts].dirty != 0;
    uint32_t k = moved ? skedi_cell_lead(e, cell) : e->cells[cell].lead;
    int64_t base = cell_row(e, e->cell_used, cell)[k] + 1;
    int64_t promised = cell_row(e, e->cell_promised, cell)[k];

    return (user_measure){k, promised > base ? promised : base};
}

/* May the user hold whatever there is? */
static int is_unmeasured(const sked_engine *e, const engine_seat *s)
{
    return e->rows.user_limit[s->cell / e->parts] >= SKED_PPM ||
           !e->cells[s->cell].seat_weight || !s->entries;
}

int64_t skedi_seat_limit(const sked_engine *e, uint32_t seat, uint32_t *kind)
{
    const engine_seat *s = seat_at(e, seat);
    user_measure m = measure_of(e, s->cell);
    uint64_t ppm = (uint64_t)e->rows.user_limit[s->cell / e->parts];

    *kind = m.kind;
    if (is_unmeasured(e, s)) return SKED_UNLIMITED;
    int64_t by_weight = part_up(m.base, s->weight,
                                e->cells[s->cell].seat_weight);
    return skedi_i64_max(by_weight, part_up(m.base, ppm, (uint64_t)SKED_PPM));
}

/* Does it hold its limit, without a division: x >= ceil(a / b) where
 * x * b >= a. */
static int fills_part(const sked_engine *e, const engine_seat *s, uint64_t used,
                      uint64_t base, uint64_t all)
{
    uint64_t ppm = (uint64_t)e->rows.user_limit[s->cell / e->parts];

    if (is_unmeasured(e, s)) return 0;
    if (used >= (uint64_t)SKED_AMOUNT_MAX) return 1;
    return skedi_cmp_mul(used, (uint64_t)SKED_PPM, base, ppm) >= 0 &&
           skedi_cmp_mul(used, all, base, s->weight) >= 0;
}

static int seat_fills(const sked_engine *e, uint32_t seat, user_measure m)
{
    const engine_seat *s = seat_at(e, seat);
    int64_t used = engine_row_of(e, &e->seat_used, seat)[m.kind] +
                   engine_row_of(e, &e->seat_paid, seat)[m.kind];

    return fills_part(e, s, (uint64_t)used, (uint64_t)m.base,
                      e->cells[s->cell].seat_weight);
}

int skedi_seat_would_fill(const sked_engine *e, uint32_t seat,
                          const engine_without *then)
{
    const engine_seat *s = seat_at(e, seat);
    uint32_t k = skedi_lead_of(e, s->cell % e->parts, then->used);
    int64_t promised = cell_row(e, e->cell_promised, s->cell)[k];
    int64_t base = skedi_i64_max(promised, then->used[k] + 1);

    return fills_part(e, s, (uint64_t)skedi_i64_max(then->own[k], 0),
                      (uint64_t)base,
                      e->cells[s->cell].seat_weight + then->weight);
}

int skedi_seat_is_full(const sked_engine *e, uint32_t seat)
{
    return seat_fills(e, seat, measure_of(e, seat_at(e, seat)->cell));
}

/* Shows an entry with its bits in its line and tells those above. */
static void show_entry(sked_engine *e, uint32_t entry)
{
    const engine_entry *x = entry_at(e, entry);

    skedi_line_show(e, entry, skedi_entry_mask(e, entry));
    skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
}

static void show_seat(sked_engine *e, uint32_t seat)
{
    for (uint32_t x = seat_at(e, seat)->first; x != SKEDI_NONE;
         x = entry_at(e, x)->seat_next) {
        show_entry(e, x);
    }
}

void skedi_seat_block(sked_engine *e, uint32_t seat)
{
    engine_seat *s = seat_at(e, seat);

    s->blocked = 1;
    s->next = e->cells[s->cell].blocked;
    e->cells[s->cell].blocked = seat;
    show_seat(e, seat);
}

void skedi_seats_wake(sked_engine *e, uint32_t cell)
{
    uint32_t seat = e->cells[cell].blocked;

    if (seat == SKEDI_NONE) return;
    user_measure m = measure_of(e, cell);
    while (seat != SKEDI_NONE) {
        uint32_t next = seat_at(e, seat)->next;
        if (!seat_fills(e, seat, m)) {
            unblock_seat(e, seat);
            show_seat(e, seat);
            skedi_partition_stir(e, cell % e->parts);
        }
        seat = next;
    }
}

void skedi_seats_wake_all(sked_engine *e, uint32_t partition)
{
    for (uint32_t row = 0; row < e->rows.n; row++) {
        skedi_seats_wake(e, (uint32_t)cell_of(e, row, partition));
    }
}

/* Orders a user's entries in a leaf anew. O(entries). */
static void rekey_seat(sked_engine *e, uint32_t seat)
{
    for (uint32_t x = seat_at(e, seat)->first; x != SKEDI_NONE;
         x = entry_at(e, x)->seat_next) {
        skedi_line_rekey(e, x);
    }
}

void skedi_seat_charge(sked_engine *e, uint32_t seat, const int64_t *delta)
{
    int64_t *used = engine_row_of(e, &e->seat_used, seat);

    for (uint32_t k = 0; k < e->kinds; k++) used[k] += delta[k];
    if (e->rows.apps[seat_at(e, seat)->cell / e->parts] ==
        SKED_APPS_USER_FAIR) {
        rekey_seat(e, seat);
    }
}

void skedi_seats_reweigh(sked_engine *e, uint32_t user)
{
    for (uint32_t i = user_at(e, user)->first_seat; i != SKEDI_NONE;
         i = seat_at(e, i)->user_next) {
        engine_seat *s = seat_at(e, i);
        uint32_t weight = user_weight_of(e, s->cell / e->parts, user);
        if (s->entries > 0) {
            e->cells[s->cell].seat_weight += weight;
            e->cells[s->cell].seat_weight -= s->weight;
        }
        s->weight = weight;
        if (e->rows.apps[s->cell / e->parts] == SKED_APPS_USER_FAIR) {
            rekey_seat(e, i);
        }
        skedi_seats_wake(e, s->cell);
    }
}
