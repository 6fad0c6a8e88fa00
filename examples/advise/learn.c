/* The first part: what is in force, and what is advised. */
#include <stdlib.h>
#include <string.h>

#include "advise.h"

static int library_fault(input_fault *fault, const sked_error *err)
{
    return input_fail(fault, 0, 0, "%s", err->message);
}

/* A leaf for each queue, all of one weight. */
static int make_tree(advising *a, input_fault *fault)
{
    const names *queues = &a->d.w.queues;
    sked_error err;
    sked_status rc = sked_tree_new(a->d.schema, NULL, NULL, &a->tree, &err);

    a->leaf = new_array(queues->n, sizeof *a->leaf);
    for (uint32_t q = 0; rc == SKED_OK && q < queues->n; q++) {
        rc = sked_tree_add(a->tree, sked_tree_root(a->tree), queues->text[q],
                           &a->leaf[q], &err);
    }
    if (rc == SKED_OK) {
        rc = sked_tree_commit(a->tree, SKED_TREE_COMMIT_LENIENT, &err);
    }
    return rc == SKED_OK ? 1 : library_fault(fault, &err);
}

int advise_learn(advising *a, const advise_options *o, input_fault *fault)
{
    sked_error err;
    day *d = &a->d;

    if (!day_read(d, &o->report, fault) || !make_tree(a, fault)) return 0;
    a->middle = d->from + (int64_t)((double)(d->to - d->from) *
                                    (double)o->learn_ppm / (double)SKED_PPM);
    d->to = a->middle > d->from ? a->middle : d->from + 1;
    if (!needs_find(d, &o->report, fault)) return 0;
    sked_advice_input in = {.struct_size = sizeof in,
                            .flags = SKED_ADVICE_FLAG_ANYWAY,
                            .kinds = WORKLOAD_KINDS,
                            .guaranteed_tiers = o->guaranteed,
                            .head_room_ppm = o->head_room,
                            .jobs = &d->jobs,
                            .amounts = d->amount,
                            .instance = d->instance,
                            .instances = d->instances,
                            .low_ppm = o->report.low,
                            .high_ppm = o->report.high};
    if (sked_advice_new(a->tree, &in, NULL, &a->advice, &err) == SKED_OK)
        return 1;
    return library_fault(fault, &err);
}

void advise_free(advising *a)
{
    sked_advice_free(a->advice);
    sked_tree_free(a->tree);
    free(a->leaf);
    day_free(&a->d);
}
