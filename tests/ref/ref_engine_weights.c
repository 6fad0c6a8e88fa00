/* Weights that the host says: the tree is copied and committed anew with them. */
#include "ref_engine.h"

#include <stdlib.h>

#include "tree/image.h"

void ref_engine_weigh(ref_engine *r)
{
    const skedi_image *base = skedi_tree_image(r->base);
    sked_status rc;

    sked_tree_free(r->tree);
    r->tree = NULL;
    if (sked_tree_copy(r->base, NULL, &r->tree, NULL) != SKED_OK) abort();
    for (size_t i = 0; i < r->says; i++) {
        ref_said *said = &r->said[i];
        uint32_t row = skedi_image_row(base, said->queue);
        if (row == SKEDI_NO_ROW || base->weight[row] == 0) said->weight = 0;
        if (said->weight == 0) continue;
        rc = sked_tree_set(r->tree, said->queue, SKED_QUEUE_WEIGHT,
                           said->weight, NULL);
        if (rc != SKED_OK) abort();
    }
    if (sked_tree_commit(r->tree, SKED_TREE_COMMIT_LENIENT, NULL) != SKED_OK) {
        abort();
    }
}

sked_status ref_engine_weight(ref_engine *r, const sked_event *event)
{
    const skedi_image *base = skedi_tree_image(r->base);
    uint32_t row = skedi_image_row(base, event->queue);
    ref_said *said = NULL;

    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;
    if (event->count < 0 || event->count > UINT32_MAX) return SKED_ERR_RANGE;
    if (row == 0 || base->weight[row] == 0) return SKED_ERR_STATE;
    for (size_t i = 0; i < r->says; i++) {
        if (r->said[i].queue == event->queue) said = &r->said[i];
    }
    if (!said) said = MORE(r, said, says);
    *said = (ref_said){event->queue, event->count};
    ref_engine_forget_shares(r);
    ref_engine_weigh(r);
    return SKED_OK;
}
