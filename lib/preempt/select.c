/* Selecting: read, search, write; nothing of the caller's changes before the
 * plan is complete. */
#include "base/fail.h"
#include "base/versioned.h"
#include "preempt/sketch.h"

enum { PREEMPT_PLAN_V1 = SKEDI_SIZE_THROUGH(sked_preempt_result, bound) };

static sked_status plan_sound(const sked_preempt_result *plan, sked_error *err)
{
    if (!plan) return skedi_fail_plain(err, SKED_ERR_ARG, "no plan");
    sked_status rc = skedi_struct_out(plan->struct_size, PREEMPT_PLAN_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "plan");
    }
    if ((!plan->victims && plan->victims_cap) ||
        (!plan->placements && plan->placements_cap)) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "plan lacks its arrays");
    }
    return SKED_OK;
}

static int draft_open(skedi_sketch *d, skedi_scene *s)
{
    *d = (skedi_sketch){.scene = s};
    d->cover.scene = s;
    return skedi_book_open(&d->book, s) &&
           skedi_cover_open(&d->cover, s, &d->book, s->n_rows);
}

static void draft_close(skedi_sketch *d)
{
    skedi_mem *mem = &d->scene->hooks.mem;

    skedi_cover_close(&d->cover);
    skedi_book_close(&d->book, d->scene);
    skedi_free(mem, d->list, d->cap, sizeof *d->list);
    skedi_free(mem, d->placements, d->placements_cap, sizeof *d->placements);
}

static sked_status make_plan(skedi_scene *s, sked_preempt_result *plan,
                             sked_error *err)
{
    skedi_sketch d;
    sked_status rc;

    if (!draft_open(&d, s)) {
        rc = skedi_plan_failed(SKED_ERR_NOMEM, err);
    } else if (s->in.n_requests) {
        rc = skedi_plan_requests(&d, err);
    } else {
        rc = skedi_plan_need(&d, err);
    }
    if (rc == SKED_OK) rc = skedi_sketch_write(&d, plan, err);
    draft_close(&d);
    return rc;
}

sked_status sked_preempt_select(const sked_preempt_input *input,
                                const sked_host *host,
                                sked_preempt_result *plan, sked_error *err)
{
    skedi_scene s;
    sked_status rc = skedi_scene_read(&s, input, host, err);

    if (rc == SKED_OK) rc = plan_sound(plan, err);
    if (rc == SKED_OK) rc = skedi_scene_lots(&s, err);
    if (rc == SKED_OK) rc = make_plan(&s, plan, err);
    skedi_scene_drop(&s);
    return rc;
}
