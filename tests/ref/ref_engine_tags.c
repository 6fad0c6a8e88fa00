/* What the order `deficit` remembers of queues. */
#include "ref_engine_may.h"

#include <stdlib.h>

static int key_below(sked_order_key a, sked_order_key b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

void ref_engine_charge(ref_engine *r, const ref_ask *ask, uint32_t partition)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    uint32_t row = skedi_image_row(image, r->job[ask->job].queue);
    int64_t capacity[REF_KINDS];

    ref_engine_capacity(r, partition, capacity);
    for (; row > 0; row = (uint32_t)image->parent[row]) {
        uint32_t up = (uint32_t)image->parent[row];
        ref_tag *own = ref_engine_tag(r, image->id[row]);
        size_t at = (size_t)(own - r->tag);
        ref_tag *above = ref_engine_tag(r, image->id[up]);
        own = &r->tag[at];
        sked_order_children_input in = {
            .struct_size = sizeof in,
            .order = SKED_ORDER_POLICY_DEFICIT,
            .kinds = r->kinds,
            .n = 1,
            .weight = &image->weight[row],
            .capacity = capacity,
            .tag = &own->tag[partition],
            .level = &above->level[partition],
        };
        if (image->order[up] != SKED_ORDER_POLICY_DEFICIT ||
            !image->weight[row]) {
            continue;
        }
        sked_order_key next;
        if (sked_order_tag_after(&in, 0, ask->step, &next, NULL) != SKED_OK) {
            abort();
        }
        if (key_below(above->level[partition], own->tag[partition])) {
            above->level[partition] = own->tag[partition];
        }
        own->tag[partition] = next;
    }
}

void ref_engine_work(ref_engine *r, const ref_job *job, int lift)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    uint32_t row = skedi_image_row(image, job->queue);

    for (;; row = (uint32_t)image->parent[row]) {
        for (uint32_t p = 0; p < REF_PARTS; p++) {
            int work = 0;
            for (size_t i = 0; i < r->asks && !work; i++) {
                work = ref_engine_in_line(r, &r->ask[i], p) &&
                       ref_engine_runs_below(r, &r->job[r->ask[i].job], row);
            }
            ref_tag *own = ref_engine_tag(r, image->id[row]);
            int begins = work && !own->work[p];
            own->work[p] = work;
            if (row == 0 || !begins || !lift) continue;
            uint32_t up = (uint32_t)image->parent[row];
            if (image->order[up] != SKED_ORDER_POLICY_DEFICIT) continue;
            sked_order_key level = ref_engine_tag(r, image->id[up])->level[p];
            own = ref_engine_tag(r, image->id[row]);
            if (key_below(own->tag[p], level)) own->tag[p] = level;
        }
        if (row == 0) return;
    }
}
