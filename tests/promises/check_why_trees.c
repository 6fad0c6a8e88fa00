/* P9: which queue of a tree of limits keeps a job waiting, or an ask. */
#include "check_why.h"

static int32_t bound_of(const host *h, uint32_t t, sked_queue_id id)
{
    for (uint32_t row = 0; row < h->w->bounds[t]; row++) {
        if (h->bound_id[t][row] == id) return (int32_t)row;
    }
    return -1;
}

void why_tree_running(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    uint32_t t = x->reason == SKED_REASON_TREE_2_RUNNING;
    int32_t row = bound_of(y->h, t, x->queue);
    int waits = !b->admitted[y->job] && !b->cancelled[y->job];

    if (row < 0 || !books_charges(b, y->job, t, row)) {
        why_untrue(y, x, "its job is not charged there");
        return;
    }
    int64_t n = books_charged_jobs(b, t, row);
    int64_t most = b->w->bound[t][row].max_running;
    if (most == SKED_UNSET) most = SKED_UNLIMITED;
    if (x->need != n + waits || x->bound != most) {
        why_untrue(y, x, "other jobs run");
    }
    why_judge(y, x, waits && n >= most);
}

void why_tree_limit(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    uint32_t t = x->reason == SKED_REASON_TREE_2_LIMIT, k = (uint32_t)x->kind;
    int32_t row = bound_of(y->h, t, x->queue);

    if (row < 0 || !books_charges(b, y->job, t, row)) {
        why_untrue(y, x, "its job is not charged there");
        return;
    }
    int64_t most = b->w->bound[t][row].limited ? b->w->bound[t][row].limit[k]
                                               : SKED_UNLIMITED;
    int64_t is = books_charged(b, t, row, k) +
                 books_charged_too(b, t, row, k, -1, -1);
    int same = x->need == is + books_lacks(b, y->ask, k);
    for (uint32_t way = 0; way < why_ways(y) && !same; way++) {
        same = x->need == is + why_whole(y, k, way);
    }
    if (!same || x->bound != most) why_untrue(y, x, "other amounts");
    why_judge(y, x, x->need > most);
}
