/*
 * Victims by need: one search over all lots. Where nothing covers the need
 * whole, what the plain walk covers becomes the need, and is covered at least
 * cost.
 */
#include "preempt/sketch.h"

static void add_lots(skedi_sketch *d, const int64_t *need)
{
    skedi_scene *s = d->scene;

    skedi_cover_start(&d->cover, need);
    for (uint32_t i = 0; i < s->n_lots; i++) {
        skedi_cover_add(&d->cover, &s->lots[i], s->lots[i].amount,
                        SKED_PREEMPT_REASON_OVER);
    }
}

/* What the walk covers, which must be in force, by kind. */
static void covered_by_walk(const skedi_cover *c, int64_t *need)
{
    for (uint32_t k = 0; k < c->scene->in.kinds; k++) need[k] = 0;
    for (uint32_t i = 0; i < c->kinds; i++) {
        need[c->kind[i]] = skedi_i64_min(c->need[i], c->got[i]);
    }
}

static sked_status note_item(skedi_sketch *d, const skedi_item *item,
                             uint32_t copies)
{
    skedi_chosen chosen = {.lot = (uint32_t)(item->lot - d->scene->lots),
                           .copies = copies,
                           .request = SKED_NO_ROW,
                           .rule = item->rule};

    if (copies == 0) return SKED_OK;
    return skedi_sketch_choose(d, chosen) ? SKED_OK : SKED_ERR_NOMEM;
}

/* In their order; the book then has what the plan takes. */
static sked_status note_best(skedi_sketch *d)
{
    skedi_cover *c = &d->cover;
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; rc == SKED_OK && i < c->n; i++) {
        const skedi_item *item = skedi_cover_listed(c, i);
        skedi_book_take(&d->book, item->lot, item->rule, item->best);
        rc = note_item(d, item, item->best);
    }
    d->bound = c->proven ? c->best : c->bound;
    return rc;
}

static sked_status plan_plain(skedi_sketch *d)
{
    skedi_cover *c = &d->cover;
    int64_t need[SKED_MAX_KINDS];
    sked_status rc = SKED_OK;

    d->outcome = skedi_cover_walk(c, NULL, 1) ? SKED_PREEMPT_OUTCOME_COVERED
                                              : SKED_PREEMPT_OUTCOME_PARTLY;
    for (uint32_t i = 0; rc == SKED_OK && i < c->n; i++) {
        rc = note_item(d, &c->items[i], c->items[i].chosen);
    }
    covered_by_walk(c, need);
    int64_t cost = c->cost;
    skedi_cover_undo(c);
    add_lots(d, need);
    skedi_cover_order(c);
    d->bound = skedi_i64_min(cost, skedi_cover_bound(c, 0));
    for (size_t i = 0; i < d->n; i++) {
        skedi_book_take(&d->book, &d->scene->lots[d->list[i].lot],
                        d->list[i].rule, d->list[i].copies);
    }
    return rc;
}

static sked_status need_planned(skedi_sketch *d)
{
    skedi_cover *c = &d->cover;
    int64_t need[SKED_MAX_KINDS];

    c->up_to_take = 1;
    add_lots(d, d->scene->in.need);
    if (d->scene->in.flags & SKED_PREEMPT_FLAG_PLAIN) return plan_plain(d);
    sked_status rc = skedi_cover_solve(c, INT64_MAX);
    if (rc != SKED_OK) return rc;
    d->outcome = SKED_PREEMPT_OUTCOME_COVERED;
    if (!c->found) {
        d->outcome = c->proven ? SKED_PREEMPT_OUTCOME_PARTLY
                               : SKED_PREEMPT_OUTCOME_SEARCHED;
        (void)skedi_cover_walk(c, c->walk, 0);
        covered_by_walk(c, need);
        skedi_cover_undo(c);
        add_lots(d, need);
        c->limit = c->steps + d->scene->in.work / 4;
        rc = skedi_cover_solve(c, INT64_MAX);
        if (rc != SKED_OK) return rc;
    }
    return note_best(d);
}

sked_status skedi_plan_need(skedi_sketch *d, sked_error *err)
{
    sked_status rc = need_planned(d);

    return rc == SKED_OK ? rc : skedi_plan_failed(rc, err);
}
