/* A record lives as long as anything of its shape is wanted in its cell. */
#include "engine/wants.h"

#include "engine/store.h"

static uint64_t want_name(uint32_t cell, uint32_t shape)
{
    return (uint64_t)cell << 32 | ((uint64_t)shape + 1);
}

int skedi_wants_reserve(sked_engine *e, uint64_t more)
{
    if (!e->shared) return 1;
    return skedi_pool_reserve(&e->wants, &e->hooks.mem, more) &&
           skedi_keymap_reserve(&e->want_of, &e->hooks.mem,
                                e->want_of.n + (size_t)more) &&
           skedi_joint_ensure(&e->joint, &e->hooks.mem, e->rows.n, e->kinds,
                              e->wants.cap);
}

static uint32_t want_make(sked_engine *e, uint32_t cell, uint32_t shape)
{
    uint32_t want = skedi_pool_take(&e->wants);
    uint32_t first = e->cells[cell].first_want;

    *want_at(e, want) = (engine_want){
        .name = want_name(cell, shape),
        .cell = cell,
        .shape = shape,
        .next = first,
        .prev = SKEDI_NONE,
    };
    if (first != SKEDI_NONE) want_at(e, first)->prev = want;
    e->cells[cell].first_want = want;
    skedi_keymap_put(&e->want_of, want_name(cell, shape), want);
    return want;
}

static void want_drop(sked_engine *e, uint32_t want)
{
    const engine_want *w = want_at(e, want);

    if (w->made != WANT_NEW) e->partition[w->cell % e->parts].fresh = 0;
    if (w->prev == SKEDI_NONE)
        e->cells[w->cell].first_want = w->next;
    else
        want_at(e, w->prev)->next = w->next;
    if (w->next != SKEDI_NONE) want_at(e, w->next)->prev = w->prev;
    skedi_keymap_remove(&e->want_of, w->name);
    skedi_pool_give(&e->wants, want);
}

void skedi_want_move(sked_engine *e, uint32_t cell, uint32_t shape, int64_t by)
{
    if (!e->shared || by == 0) return;
    uint32_t want = skedi_keymap_get(&e->want_of, want_name(cell, shape));

    if (want == SKEDI_NONE) want = want_make(e, cell, shape);
    want_at(e, want)->tasks += by;
    engine_partition *part = &e->partition[cell % e->parts];
    part->moved = 1;
    if (!e->cells[cell].stale) {
        e->cells[cell].stale = 1;
        e->cells[cell].next_stale = part->first_stale;
        part->first_stale = cell + 1;
    }
    if (want_at(e, want)->tasks == 0) want_drop(e, want);
}

void skedi_wants_open(sked_engine *e, uint32_t ask, int64_t by, uint32_t but)
{
    const engine_ask *a = ask_at(e, ask);

    if (!e->shared) return;
    for (uint32_t x = a->first_entry; x != SKEDI_NONE; x = entry_next(e, x)) {
        uint32_t cell = entry_at(e, x)->cell;
        if (cell % e->parts != but) skedi_want_move(e, cell, a->shape, by);
    }
}
