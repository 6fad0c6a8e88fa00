/* P2: where nothing but orders decides, tasks that end lead to the shares. */
#include "host.h"

enum {
    BEGINS = 25, /* rounds until everything that was there has ended */
    STAYS = 10   /* rounds that a queue is off */
};

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

/* How far a queue is from its share, in tasks of its largest. */
static double distance(const host *h, uint32_t row)
{
    const shares_row *r = &h->b.shares[0].row[row];
    double far = 0;

    for (uint32_t k = 0; k < h->w->kinds; k++) {
        int64_t off = h->b.use[0][row][k] - r->share[k];
        int64_t task = largest(h->w, &h->b, (int32_t)row, k);
        if (off < 0) off = -off;
        if (task == 0 || off == 0) continue;
        double is = (double)(off - 1) / (double)task;
        if (is > far) far = is;
    }
    return far;
}

void check_shares(host *h)
{
    if (!h->w->calm || h->rounds < BEGINS || h->failed) return;
    h->checked |= 1u << PROMISE_REST;
    for (uint32_t row = 1; row < h->w->rows; row++) {
        double far = distance(h, row);
        h->off[row] = far > 1 ? h->off[row] + 1 : 0;
        if (h->rounds == 40 && far > h->worst) h->worst = far;
        if (h->off[row] < STAYS) continue;
        host_broken(h, PROMISE_REST,
                    "round %u: queue %u is %.1f tasks from its share",
                    h->rounds, row, far);
    }
}
