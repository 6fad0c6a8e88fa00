/* P1: what is below its guarantee goes first, whatever the order. */
#include "host.h"

/* One unit, which the checker's shares may be off. */
enum { OFF = 1 };

/* What a queue holds, and what is reserved or kept for it. */
static int64_t booked(const books *b, uint32_t part, int32_t row, uint32_t k,
                      int sure)
{
    int64_t is = b->use[part][row][k];

    if (!sure) return is;
    is += books_reserved(b, part, row, k, -1, -1);
    for (uint32_t c = (uint32_t)row + 1; c < b->w->rows; c++) {
        if (b->w->queue[c].parent == row) is += b->shares[part].row[c].kept[k];
    }
    return is;
}

/* Is a queue below its guarantee in a contended kind that the step needs, and
 * within its share with it? `sure`: not even a unit of doubt is left; else it
 * is enough that it might be, as it may where its share is loose. */
static int goes_first(const books *b, int32_t ask, uint32_t part, int32_t row,
                      int sure)
{
    const shares_row *r = &b->shares[part].row[row];
    const shares_row *up = &b->shares[part].row[b->w->queue[row].parent];
    int64_t doubt = sure ? OFF : -OFF;
    int below = 0;

    if (r->loose) return !sure;
    for (uint32_t k = 0; k < b->w->kinds; k++) {
        int64_t step = books_step(b, ask, k);
        int64_t has = booked(b, part, row, k, sure);
        int64_t least = r->share[k] - doubt;
        int64_t family = (int64_t)b->w->rows * doubt;
        if (step == 0) continue;
        if (r->force[k] < least) least = r->force[k];
        if (up->wanted[k] > up->share[k] + family && r->force[k] > 0 &&
            has < least - doubt) {
            below = 1;
        }
        if (up->wanted[k] <= up->share[k] - family) continue;
        if (has + step > r->share[k] - doubt) return 0;
    }
    return below;
}

/* Of what an ask has open, what starts where others were told to end for it. */
static int64_t paid_for(const books *b, int32_t ask)
{
    int64_t sum = 0;

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        if (b->paid[n][ask]) sum += b->reserved[n][ask];
    }
    return sum;
}

/* Nothing but the order can keep this ask from starting here now. */
static int could_start(const host *h, int32_t ask, int32_t node)
{
    const books *b = &h->b;
    const world_ask *a = &h->w->ask[ask];
    const int64_t *number = b->queue[books_leaf(b, ask)].number;

    if (!books_in_line(b, ask, h->b.part[node])) return 0;
    if (b->open[ask] <= paid_for(b, ask)) return 0;
    if (books_is_picky(b, ask) || !books_takes(b, ask, (uint32_t)node))
        return 0;
    if (books_is_wide(b, ask) || !books_may_join(b, ask, (uint32_t)node))
        return 0;
    if (a->per_node && b->run[node][ask] >= a->per_node) return 0;
    if (a->flags & SKED_ASK_TOGETHER && books_gang_ends(b, ask)) return 0;
    if (shares_drains(h->w, b->queue, books_leaf(b, ask))) return 0;
    if (number[SKED_QUEUE_USER_LIMIT] != SKED_UNSET) return 0;
    if (number[SKED_QUEUE_USER_FACTOR] != SKED_UNSET) return 0;
    if (a->flags & SKED_ASK_MASTER &&
        number[SKED_QUEUE_AM_SHARE] != SKED_UNSET) {
        return 0;
    }
    if (world_is_gang(a) && b->open[ask] != a->count) return 0;
    return fits_surely(b, ask, node, NULL);
}

/* The children below which two leaves part. */
static int part_at(const world *w, int32_t one, int32_t other, int32_t *child,
                   int32_t *rival)
{
    for (int32_t a = one; a > 0; a = w->queue[a].parent) {
        for (int32_t c = other; c > 0; c = w->queue[c].parent) {
            if (a == c || w->queue[a].parent != w->queue[c].parent) continue;
            *child = a;
            *rival = c;
            return 1;
        }
    }
    return 0;
}

/* Above where they part the rival is a candidate if it is one by its own right
 * or none of the two is. */
static int is_candidate(const books *b, int32_t rival, uint32_t part,
                        int32_t child)
{
    for (int32_t row = b->w->queue[child].parent; row > 0;
         row = b->w->queue[row].parent) {
        if (!goes_first(b, rival, part, row, 1)) return 0;
    }
    return 1;
}

static int higher_goes_first(const books *b, int32_t child, int32_t rival)
{
    int64_t order = b->queue[b->w->queue[child].parent]
                        .number[SKED_QUEUE_ORDER];
    int64_t p = b->queue[child].number[SKED_QUEUE_PRIORITY];
    int64_t q = b->queue[rival].number[SKED_QUEUE_PRIORITY];

    if (order != SKED_ORDER_POLICY_PRIORITY) return 0;
    return (p == SKED_UNSET ? 0 : p) != (q == SKED_UNSET ? 0 : q);
}

void check_guarantee(host *h, int32_t ask, int32_t node)
{
    const books *b = &h->b;
    uint32_t part = h->b.part[node];
    int32_t leaf = books_leaf(b, ask), child, rival;

    if (books_is_wide(b, ask)) return; /* all of it at once */
    h->checked |= 1u << PROMISE_GUARANTEE;
    for (int32_t a = 0; a < (int32_t)h->w->asks; a++) {
        int32_t other = books_leaf(b, a);
        if (b->open[a] == 0 || other == leaf) continue;
        if (!part_at(h->w, leaf, other, &child, &rival)) continue;
        if (higher_goes_first(b, child, rival)) continue;
        if (!goes_first(b, a, part, rival, 1)) continue;
        if (goes_first(b, ask, part, child, 0)) continue;
        if (!is_candidate(b, a, part, child)) continue;
        if (!could_start(h, a, node)) continue;
        host_broken(h, PROMISE_GUARANTEE,
                    "round %u: ask %d of queue %d starts on node %d before "
                    "ask %d, of which queue %d is below its guarantee",
                    h->rounds, ask + 1, leaf, node + 1, a + 1, rival);
    }
}
