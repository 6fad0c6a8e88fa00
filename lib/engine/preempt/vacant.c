/* Blocks follow the numbers of nodes, whatever their partitions. */
#include "engine/preempt/vacant.h"

#include <string.h>

#include "engine/core/asks.h"
#include "engine/preempt/rounds.h"

void skedi_vacant_free(engine_vacant *v, skedi_mem *mem, uint32_t kinds)
{
    skedi_free(mem, v->most, v->blocks * kinds, sizeof *v->most);
    skedi_free(mem, v->moved, v->blocks, 1);
    *v = (engine_vacant){0};
}

/* More nodes than there were: all is counted anew. */
static int vacant_reserve(sked_engine *e)
{
    size_t blocks = (e->nodes.cap + VACANT_NODES - 1) / VACANT_NODES;

    engine_vacant *v = &e->preempt->vacant;

    if (blocks <= v->blocks) return 1;
    skedi_vacant_free(v, &e->hooks.mem, e->kinds);
    v->most = skedi_new(&e->hooks.mem, blocks * e->kinds, sizeof *v->most);
    v->moved = skedi_new(&e->hooks.mem, blocks, 1);
    v->blocks = blocks;
    if (v->most && v->moved) {
        memset(v->moved, 1, blocks);
        return 1;
    }
    skedi_vacant_free(v, &e->hooks.mem, e->kinds);
    return 0;
}

static void count_block(const sked_engine *e, size_t block, int64_t *most)
{
    size_t from = block * VACANT_NODES, to = from + VACANT_NODES;

    if (to > e->nodes.n) to = e->nodes.n;
    for (uint32_t k = 0; k < e->kinds; k++) most[k] = INT64_MIN;
    for (size_t node = from; node < to; node++) {
        const int64_t *free = engine_row_of(e, &e->node_free, node);
        for (uint32_t k = 0; k < e->kinds; k++) {
            most[k] = skedi_i64_max(most[k], free[k]);
        }
    }
}

int skedi_vacant_ready(sked_engine *e)
{
    engine_vacant *v = &e->preempt->vacant;

    if (!vacant_reserve(e)) return 0;
    for (size_t b = 0; b < v->blocks; b++) {
        if (!v->moved[b]) continue;
        count_block(e, b, v->most + b * e->kinds);
        v->moved[b] = 0;
    }
    return 1;
}

int skedi_vacant_may(const sked_engine *e, size_t block, const int64_t *amount)
{
    return skedi_amounts_fit(e, amount,
                             e->preempt->vacant.most + block * e->kinds);
}
