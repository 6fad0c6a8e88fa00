/* The trees of limits of the twin: who is charged where, counted each time. */
#include "ref_engine.h"
#include "ref_engine_alone.h"

#include <stdlib.h>
#include <string.h>

#include "tree/attr.h"
#include "tree/image.h"

sked_status ref_engine_charges(const ref_engine *r, const sked_events *batch,
                               sked_queue_id *charged)
{
    static const sked_event_charge none = {SKED_NO_QUEUE, SKED_NO_QUEUE};
    const sked_event_charge *said = batch->charges ? batch->charges : &none;

    charged[0] = said->first;
    charged[1] = said->second;
    for (int i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        if (charged[i] == SKED_NO_QUEUE) continue;
        if (!r->limits[i] || skedi_image_row(skedi_tree_image(r->limits[i]),
                                             charged[i]) == SKEDI_NO_ROW) {
            return SKED_ERR_STALE;
        }
    }
    return SKED_OK;
}

/* Is a job charged in a row of a tree, or below it? */
static int is_below(const ref_engine *r, const ref_job *job, int tree,
                    uint32_t row)
{
    const skedi_image *image = skedi_tree_image(r->limits[tree]);
    int32_t at;

    if (job->charged[tree] == SKED_NO_QUEUE) return 0;
    at = (int32_t)skedi_image_row(image, job->charged[tree]);
    while (at > (int32_t)row) at = image->parent[at];
    return at == (int32_t)row;
}

int64_t ref_engine_charged(const ref_engine *r, uint32_t which, uint32_t row,
                           int64_t *used)
{
    int64_t running = 0;

    memset(used, 0, r->kinds * sizeof *used);
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        if (g->state == REF_OVER) continue;
        if (!is_below(r, &r->job[r->ask[g->ask].job], (int)which - 1, row)) {
            continue;
        }
        for (uint32_t k = 0; k < r->kinds; k++) {
            used[k] += g->amount[k] * ref_engine_times(r, g);
        }
    }
    for (size_t i = 0; i < r->jobs; i++) {
        running += r->job[i].state == REF_RUNS &&
                   is_below(r, &r->job[i], (int)which - 1, row);
    }
    return running;
}

int ref_engine_trees_admit(const ref_engine *r, const ref_job *job)
{
    int64_t used[REF_KINDS];

    for (int i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        uint32_t n = r->limits[i] ? skedi_tree_image(r->limits[i])->n : 0;
        for (uint32_t row = 0; row < n; row++) {
            if (!is_below(r, job, i, row)) continue;
            int64_t most = skedi_image_effective(skedi_tree_image(r->limits[i]),
                                                 SKEDI_AT_MAX_RUNNING, row);
            if (ref_engine_charged(r, (uint32_t)i + 1, row, used) >= most) {
                return 0;
            }
        }
    }
    return 1;
}

int ref_engine_trees_hold(const ref_engine *r, const ref_ask *a,
                          const int64_t *step)
{
    int64_t used[REF_KINDS];

    for (int i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const skedi_image *image = r->limits[i] ? skedi_tree_image(r->limits[i])
                                                : NULL;
        for (uint32_t row = 0; image && row < image->n; row++) {
            if (!is_below(r, &r->job[a->job], i, row)) continue;
            (void)ref_engine_charged(r, (uint32_t)i + 1, row, used);
            for (uint32_t k = 0; k < r->kinds; k++) {
                const int64_t *limit = skedi_image_amounts(image,
                                                           SKEDI_AT_LIMIT, k);
                if (!limit || limit[row] == SKED_UNLIMITED) continue;
                if (step[k] > 0 && used[k] + step[k] > limit[row]) {
                    return 0;
                }
            }
        }
    }
    return 1;
}

/* Every job keeps its queue, by id: this tree is a copy of the one before. */
sked_status ref_engine_limits(ref_engine *r, uint32_t which,
                              const sked_tree *tree, sked_time now)
{
    const skedi_image *image = skedi_tree_image(tree);
    sked_tree **own = &r->limits[which - 1];

    for (size_t i = 0; i < r->jobs; i++) {
        sked_queue_id id = r->job[i].charged[which - 1];
        if (r->job[i].state == REF_FORGOTTEN || id == SKED_NO_QUEUE) continue;
        if (skedi_image_row(image, id) == SKEDI_NO_ROW) return SKED_ERR_STATE;
    }
    sked_tree_free(*own);
    if (sked_tree_copy(tree, NULL, own, NULL) != SKED_OK) abort();
    if (now > r->now) r->now = now;
    ref_engine_admit(r);
    return SKED_OK;
}
