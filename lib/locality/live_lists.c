/* A block into the list of a host and out of it; what changed is noted. */
#include "locality/live.h"

static void note_change(sked_locality_live *live, uint32_t b)
{
    skedi_live_block *block = &live->block[b];

    if (block->is_moved) return;
    block->is_moved = 1;
    block->from = block->host;
    live->moved[live->n_moved++] = b;
}

void skedi_live_put(sked_locality_live *live, uint32_t b, uint32_t h)
{
    skedi_live_list *list = &live->here[h];

    note_change(live, b);
    live->block[b].host = h;
    live->block[b].at = list->n;
    list->block[list->n++] = b;
}

void skedi_live_take_away(sked_locality_live *live, uint32_t b)
{
    skedi_live_list *list = &live->here[live->block[b].host];
    uint32_t last = list->block[--list->n], at = live->block[b].at;

    note_change(live, b);
    list->block[at] = last;
    live->block[last].at = at;
    live->block[b].host = SKED_LOCALITY_NO_HOST;
}
