/* Revocable work goes first: no other task ends where surplus of revocable ones
 * on its node would have been enough. Looked at where a round reserves for one
 * step alone, so that all that it told is for that one. */
#include "host.h"

static int is_revocable(const world *w, int32_t ask)
{
    return (w->job[w->ask[ask].job].flags & SKED_JOB_REVOCABLE) != 0;
}

static int64_t steps_reserved(const books *b)
{
    int64_t n = 0;

    for (uint32_t node = 0; node < b->w->nodes; node++) {
        for (uint32_t a = 0; a < b->w->asks; a++) {
            n += world_is_gang(&b->w->ask[a]) ? b->reserved[node][a] > 0
                                              : b->reserved[node][a];
        }
    }
    return n;
}

/* What was told of an ask in a partition, or on a node (else -1). */
static int64_t told_of_ask(const books *b, int32_t ask, uint32_t part,
                           int32_t node)
{
    int64_t n = 0;

    for (uint32_t i = 0; i < b->groups; i++) {
        const books_group *g = &b->group[i];
        if (g->count == 0 || g->ask != ask || b->part[g->node] != part)
            continue;
        if (node < 0 || g->node == node) n += g->noticed + g->ending;
    }
    return n;
}

/* All of its tasks that were told were told by this round. */
static int is_told_anew(const books *b, const books_group *g)
{
    return !g->noted && !g->before && g->noticed + g->ending > 0 &&
           !books_ends_soon(b, g);
}

/* Rounds in which a leaf gives all that it has beyond what it keeps, and takes
 * nothing of its own first. */
static int gives_at_once(const host *h)
{
    uint32_t inside = SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY;

    for (uint32_t i = 0; i < world_policies(h->w); i++) {
        if (world_policy(h->w, i)->mode == SKED_TARGET_MODE_ENTITLEMENT) {
            return 0;
        }
    }
    return claims_are_known(h) && host_is_still(h) && !books_await(&h->b) &&
           !(h->w->flags & inside);
}

void check_first_to_go(host *h, const books_group *g, fits_gone *gone,
                       int (*holds)(const books *b, const fits_gone *gone))
{
    static rest_surplus surplus;
    const books *b = &h->b;
    uint32_t n = (uint32_t)g->node, part = b->part[n];
    fits_gone with = *gone;

    if (is_revocable(h->w, g->ask) || !is_told_anew(b, g)) return;
    if (!gives_at_once(h) || steps_reserved(b) != 1) return;
    rest_surplus_of(h, part, surplus);
    for (int32_t a = 0; a < (int32_t)h->w->asks; a++) {
        int32_t leaf = books_leaf(b, a);
        int64_t left = surplus[leaf][a] - told_of_ask(b, a, part, -1);
        int64_t there = b->run[n][a] - told_of_ask(b, a, part, (int32_t)n);
        int its = is_revocable(h->w, a) && !b->reserved[n][a];
        for (uint32_t x = 0; its && x < h->w->asks; x++) {
            its = !b->reserved[n][x] || books_leaf(b, (int32_t)x) != leaf;
        }
        if (its && b->run[n][a] > 0) h->checked |= UINT32_C(1) << PROMISE_FIRST;
        if (!its || left <= 0 || there <= 0) continue;
        with.tasks[n][a] += left < there ? left : there;
    }
    if (!holds(b, &with)) return;
    host_broken(h, PROMISE_FIRST,
                "round %u: ask %d is told on node %u, where surplus of "
                "revocable jobs would do",
                h->rounds, g->ask + 1, n + 1);
}
