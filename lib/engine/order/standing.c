/* A child's classes change with what it holds and what it offers, so its place
 * is played again whenever either does. */
#include "engine/order/standing.h"

#include "base/bits.h"
#include "engine/order/books.h"
#include "engine/order/shares.h"

/* Up to what a child goes before the others: its guarantee, within its share.
 */
static int64_t owed_amount(const sked_engine *e, size_t at)
{
    return skedi_i64_min(e->cell_force[at], e->cell_share[at]);
}

uint32_t skedi_standing_below(const sked_engine *e, uint32_t row,
                              uint32_t partition)
{
    uint32_t up = (uint32_t)e->rows.parent[row], below = 0;
    size_t at = cell_of(e, row, partition) * e->kinds;
    uint32_t kinds = skedi_contended(e, up, partition);

    for (; kinds; kinds &= kinds - 1) {
        uint32_t k = skedi_ctz64(kinds);
        if (e->cell_booked[at + k] < owed_amount(e, at + k)) {
            below |= UINT32_C(1) << k;
        }
    }
    return below;
}

/* Does a step that needs one of the kinds `below` stay within the share? */
static int keeps_to_share(const sked_engine *e, uint32_t row,
                          uint32_t partition, uint32_t below, uint32_t shape)
{
    uint32_t up = (uint32_t)e->rows.parent[row];
    uint32_t kinds = skedi_contended(e, up, partition), needs = 0;
    size_t at = cell_of(e, row, partition) * e->kinds;
    const int64_t *step = engine_row_of(e, &e->shape_step, shape);

    for (; kinds; kinds &= kinds - 1) {
        uint32_t k = skedi_ctz64(kinds);
        if (step[k] == 0) continue;
        if (step[k] > e->cell_share[at + k] - e->cell_booked[at + k]) return 0;
        needs |= UINT32_C(1) << k;
    }
    return (needs & below) != 0;
}

int skedi_standing_has(const sked_engine *e, uint32_t row, uint32_t partition,
                       uint32_t shape)
{
    uint32_t below = skedi_standing_below(e, row, partition);

    return below && keeps_to_share(e, row, partition, below, shape);
}

/* The classes by which a child goes before the others. Shapes of a mixed class
 * differ, so its bit stands for all that may. */
static uint64_t owed_classes(const sked_engine *e, uint32_t row,
                             uint32_t partition, uint32_t below)
{
    uint64_t offer = skedi_cell_offer(e, cell_of(e, row, partition), row);
    uint64_t classes = offer & SKEDI_MIXED_CLASSES;

    for (uint64_t left = offer & ~classes; left; left &= left - 1) {
        unsigned class = skedi_ctz64(left);
        uint32_t shape = e->partition[partition].shape[class];
        if (keeps_to_share(e, row, partition, below, shape)) {
            classes |= (uint64_t)1 << class;
        }
    }
    return classes;
}

/* The least part held of what is guaranteed, in the kinds it is below in; with
 * order `priority` behind its priority. */
static sked_order_key owed_key(const sked_engine *e, uint32_t row, uint32_t up,
                               uint32_t partition, uint32_t below)
{
    size_t at = cell_of(e, row, partition) * e->kinds;
    sked_order_key key = {.low = UINT64_MAX};

    for (; below; below &= below - 1) {
        uint32_t k = skedi_ctz64(below);
        uint64_t rem, held = (uint64_t)e->cell_booked[at + k];
        skedi_u128 part = skedi_u128_div(
            skedi_u128_shl(skedi_u128_of(held), 62),
            (uint64_t)e->cell_force[at + k], &rem);
        if (skedi_u128_low(part) < key.low) key.low = skedi_u128_low(part);
    }
    if (e->rows.order[up] == SKED_ORDER_POLICY_PRIORITY) {
        key.high = skedi_order_urgency(e->rows.priority[row]);
    }
    return key;
}

sked_order_key skedi_standing_key(const sked_engine *e, uint32_t row,
                                  uint32_t partition)
{
    uint32_t up = (uint32_t)e->rows.parent[row];

    return owed_key(e, row, up, partition,
                    skedi_standing_below(e, row, partition));
}

int skedi_standing_before(const void *family, uint32_t a, uint32_t b)
{
    const engine_standings *f = family;
    sked_order_key x = f->first[a * f->step].owed;
    sked_order_key y = f->first[b * f->step].owed;
    int order = skedi_order_compare(x, y);

    return order ? order < 0 : a < b;
}

void skedi_standing_play(sked_engine *e, uint32_t row, uint32_t up,
                         uint32_t partition)
{
    size_t cell = cell_of(e, row, partition);
    engine_standings family = skedi_standings_of(e, up, partition);
    skedi_tourney *t = &e->cell_standing[cell_of(e, up, partition)].below;
    uint32_t place = row - e->rows.first_child[up];
    uint32_t below = e->cells[cell].open
                         ? skedi_standing_below(e, row, partition)
                         : 0;
    uint64_t classes = below ? owed_classes(e, row, partition, below) : 0;

    if (!classes && !skedi_tourney_has(t, place)) return;
    if (classes) {
        e->cell_standing[cell].owed = owed_key(e, row, up, partition, below);
    }
    skedi_tourney_set(t, place, classes != 0, classes, skedi_standing_before,
                      &family);
}
