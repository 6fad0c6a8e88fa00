/* P2: where nothing but orders decides, tasks that end lead near the shares. */
#include "host.h"

static int64_t largest(const world *w, const books *b, int32_t row, uint32_t k)
{
    int64_t most = 0;

    for (uint32_t a = 0; a < w->asks; a++) {
        if (!books_above(b, row, books_leaf(b, (int32_t)a))) continue;
        if (w->ask[a].count > 0 && w->ask[a].amount[k] > most) {
            most = w->ask[a].amount[k];
        }
    }
    return most;
}

/* Would one task more of a family pass what it has of a kind? */
static int is_full(const host *h, int32_t up, uint32_t k)
{
    int64_t task = largest(h->w, &h->b, up, k);

    return task > 0 &&
           h->b.use[0][up][k] + task > h->b.shares[0].row[up].share[k];
}

/* Is it another kind that a family lacks? */
static int lacks_another(const host *h, int32_t up, uint32_t kind)
{
    int any = 0;

    for (uint32_t k = 0; k < h->w->kinds; k++) any |= is_full(h, up, k);
    return any && !is_full(h, up, kind);
}

/* How far a queue is from its share, in tasks of the largest of its family, in
 * kinds of which the family wants more than it has. A unit for each sibling
 * goes by rounding, and what the family is off by itself is not counted again.
 */
static double distance(const host *h, uint32_t row)
{
    const world *w = h->w;
    const shares *s = &h->b.shares[0];
    int32_t up = w->queue[row].parent;
    double far = 0;
    int64_t units = 1;

    for (uint32_t c = 1; c < w->rows; c++) units += w->queue[c].parent == up;
    for (uint32_t k = 0; k < w->kinds; k++) {
        int64_t share = s->row[row].share[k]; /* kept is no use by itself */
        if (s->row[row].hi[k] < share) share = s->row[row].hi[k];
        int64_t off = h->b.use[0][row][k] - share;
        int64_t above = up ? h->b.use[0][up][k] - s->row[up].share[k] : 0;
        int64_t task = largest(w, &h->b, up, k);
        if (s->row[up].wanted[k] <= s->row[up].share[k]) continue;
        if (lacks_another(h, up, k)) continue;
        off = (off < 0 ? -off : off) - units - (above < 0 ? -above : above);
        if (task == 0 || off <= 0) continue;
        double is = (double)off / (double)task;
        if (is > far) far = is;
    }
    return far;
}

/* How far queues are in the end: what comes of it the test counts. */
void check_shares(host *h)
{
    if (!h->w->calm || h->failed || h->rounds != HOST_LAST) return;
    books_renew(&h->b);               /* what drains wants less */
    if (h->b.shares[0].loose) return; /* they may be others */
    h->checked |= 1u << PROMISE_REST;
    for (uint32_t row = 1; row < h->w->rows; row++) {
        double far = distance(h, row);
        if (far > h->worst) h->worst = far;
    }
}
