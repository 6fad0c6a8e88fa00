/* How much one pass starts on a node. */
#include "engine/core/turns.h"

#include "engine/reservation.h"

void skedi_turn_open(sked_engine *e, uint32_t node)
{
    const int64_t *free = engine_row_of(e, &e->node_free, node);
    int64_t *left = engine_row_of(e, &e->node_turn, node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        uint64_t rest;
        int64_t all = free[k] + skedi_reservation_of(e, node, k);
        left[k] = (int64_t)skedi_muldiv((uint64_t)skedi_i64_max(all, 0),
                                        (uint64_t)e->opts.pass_part_ppm,
                                        (uint64_t)SKED_PPM, &rest);
    }
}

int skedi_turn_is_beyond(const sked_engine *e, uint32_t node)
{
    const int64_t *left = engine_row_of(e, &e->node_turn, node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (left[k] < 0 && !kind_is_pooled(e, k)) return 1;
    }
    return 0;
}

uint64_t skedi_turn_left_by_amount(const sked_engine *e, uint32_t ask,
                                   uint32_t node, uint64_t most)
{
    const int64_t *left = engine_row_of(e, &e->node_turn, node);
    const int64_t *task = engine_row_of(e, &e->shape_task,
                                        ask_at(e, ask)->shape);

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (task[k] == 0 || kind_is_pooled(e, k)) continue;
        uint64_t more = (uint64_t)(left[k] / task[k]) + 1;
        if (more < most) most = more;
    }
    return most;
}
