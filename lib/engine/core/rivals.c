/*
 * A queue that is given something comes later in the order of its family, or
 * stays where it is: no key becomes less, no standing better. So the next one
 * in each family says how long a queue stays first there, and nothing that
 * comes behind that one has to be looked at.
 */
#include "engine/core/rivals.h"

#include "engine/queue.h"
#include "engine/pending.h"
#include "engine/order/standing.h"

/* Does one place alone offer something? */
static int offers_alone(const skedi_tourney *t, uint64_t fit)
{
    uint32_t first = skedi_tourney_next(t, 0, fit);

    return first != SKEDI_NO_PLACE &&
           skedi_tourney_next(t, first + 1, fit) == SKEDI_NO_PLACE;
}

/* The place that comes first in a tournament without another one. */
static uint32_t first_without(skedi_tourney *t, uint32_t place, uint64_t fit,
                              skedi_before_fn before, const void *family)
{
    uint64_t mask = skedi_tourney_mask(t, place);

    skedi_tourney_show(t, place, 0);
    uint32_t next = skedi_tourney_first(t, fit, before, family);
    skedi_tourney_show(t, place, mask);
    return next;
}

/* Notes what comes after a child by the order of its family; or, where children
 * are below their guarantees, among these. 0: another child comes first. */
static int find_by_order(sked_engine *e, uint32_t up, uint32_t partition,
                         uint64_t fit, uint32_t place, engine_rival *rival)
{
    skedi_tourney *t = &e->cells[cell_of(e, up, partition)].turn;
    engine_family family = skedi_family_of(e, up, partition);

    if (skedi_tourney_first(t, fit, skedi_child_before, &family) != place)
        return 0;
    rival->place = first_without(t, place, fit, skedi_child_before, &family);
    if (rival->place != SKEDI_NO_PLACE)
        rival->key = family.first[rival->place * family.step];
    return 1;
}

static int find_below(sked_engine *e, uint32_t up, uint32_t partition,
                      uint64_t fit, uint32_t place, engine_rival *rival)
{
    skedi_tourney *t = &e->cell_standing[cell_of(e, up, partition)].below;
    engine_standings family = skedi_standings_of(e, up, partition);

    if (skedi_tourney_first(t, fit, skedi_standing_before, &family) != place)
        return 0;
    rival->is_below = 1;
    rival->place = first_without(t, place, fit, skedi_standing_before, &family);
    if (rival->place != SKEDI_NO_PLACE)
        rival->key = family.first[rival->place * family.step].owed;
    return 1;
}

/* Is a child of this queue below its guarantee by some of these classes? Then only
 * these come first, in the child, too. */
static int is_any_below(const sked_engine *e, uint32_t up, uint32_t partition,
                        uint64_t fit)
{
    size_t cell = cell_of(e, up, partition);

    return e->rows.promising[up] &&
           (skedi_tourney_all(&e->cell_standing[cell].below) & fit) != 0;
}

/* Notes what comes next in the family of a child. 0: the child does not come
 * first, or does by chance. */
static int find_rival(sked_engine *e, uint32_t row, uint32_t partition,
                      uint64_t fit, engine_rival *rival)
{
    uint32_t up = (uint32_t)e->rows.parent[row];
    uint32_t place = row - e->rows.first_child[up];
    int32_t order = e->rows.order[up];

    *rival = (engine_rival){.row = row, .place = SKEDI_NO_PLACE};
    if (order == SKED_ORDER_POLICY_RANDOM) return 0;
    if (!is_any_below(e, up, partition, fit)) {
        return find_by_order(e, up, partition, fit, place, rival);
    }
    if (e->lends || order == SKED_ORDER_POLICY_PRIORITY) return 0;
    return find_below(e, up, partition, fit, place, rival);
}

int skedi_rivals_find(sked_engine *e, uint32_t entry, uint64_t fit,
                      engine_rivals *rivals)
{
    uint32_t cell = entry_at(e, entry)->cell, partition = cell % e->parts;
    const engine_cell *leaf = &e->cells[cell];
    int mixed = e->shared &&
                (e->partition[partition].classes & fit & SKEDI_MIXED_CLASSES);

    rivals->entry = entry;
    rivals->n = 0;
    /* A queue below its guarantee goes first by some classes only: by all of
     * them another ask may come before this one. */
    if (leaf->steady ? skedi_line_first(e, leaf, fit) != entry
                     : !offers_alone(&leaf->turn, fit)) {
        return 0;
    }
    for (uint32_t row = cell / e->parts; row > 0;) {
        uint32_t up = (uint32_t)e->rows.parent[row];
        if (!offers_alone(&e->cells[cell_of(e, up, partition)].turn, fit) ||
            is_any_below(e, up, partition, fit)) {
            engine_rival *rival = &rivals->at[rivals->n++];
            if (mixed || !find_rival(e, row, partition, fit, rival)) return 0;
        }
        row = up;
    }
    return 1;
}

/* The books of a cell hold so much more, or less, for the time of a question.
 */
static void suppose(sked_engine *e, size_t cell, const int64_t *more, int by)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        cell_row(e, e->cell_used, cell)[k] += by * more[k];
        if (e->shared) cell_row(e, e->cell_booked, cell)[k] += by * more[k];
    }
}

/* Does the child come before its rival by what its books say now? */
static int comes_first(const sked_engine *e, const engine_rival *rival,
                       uint32_t partition, uint32_t shape)
{
    uint32_t up = (uint32_t)e->rows.parent[rival->row];
    uint32_t place = rival->row - e->rows.first_child[up];
    sked_order_key key;

    if (rival->is_below) {
        if (!skedi_standing_has(e, rival->row, partition, shape)) return 0;
        if (rival->place == SKEDI_NO_PLACE) return 1;
        key = skedi_standing_key(e, rival->row, partition);
    } else {
        key = skedi_cell_key(e, rival->row, up, partition);
    }
    int order = skedi_order_compare(key, rival->key);
    return order ? order < 0 : place < rival->place;
}

int skedi_rivals_wait(sked_engine *e, const engine_rivals *rivals,
                      const int64_t *more)
{
    const engine_entry *x = entry_at(e, rivals->entry);
    uint32_t partition = x->cell % e->parts, shape = ask_at(e, x->ask)->shape;
    int wait = 1;

    for (uint32_t i = 0; wait && i < rivals->n; i++) {
        size_t cell = cell_of(e, rivals->at[i].row, partition);
        suppose(e, cell, more, 1);
        wait = comes_first(e, &rivals->at[i], partition, shape);
        suppose(e, cell, more, -1);
    }
    return wait;
}
