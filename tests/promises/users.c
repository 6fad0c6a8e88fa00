/* Users of a leaf: what they weigh, hold, and may hold. */
#include "books.h"

int books_looks_at_users(const books *b, int32_t leaf)
{
    int64_t limit = b->queue[leaf].number[SKED_QUEUE_USER_LIMIT];

    return (limit != SKED_UNSET && limit < SKED_PPM) ||
           b->queue[leaf].number[SKED_QUEUE_USER_FACTOR] != SKED_UNSET ||
           b->queue[leaf].number[SKED_QUEUE_APPS] == SKED_APPS_USER_FAIR;
}

int64_t books_user_weight(const books *b, int32_t leaf, uint32_t user)
{
    int64_t weight = b->queue[leaf].user_weight[user];

    return weight == SKED_UNSET ? 1 : weight;
}

uint32_t books_user(const books *b, int32_t ask)
{
    return b->w->job[b->w->ask[ask].job].user;
}

int64_t books_user_holds(const books *b, uint32_t part, int32_t leaf,
                         uint32_t user, uint32_t k)
{
    int64_t own = 0;

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        if (b->part[n] != part) continue;
        for (uint32_t a = 0; a < b->w->asks; a++) {
            if (books_leaf(b, (int32_t)a) != leaf) continue;
            if (books_user(b, (int32_t)a) != user) continue;
            own += b->run[n][a] * b->w->ask[a].amount[k] + b->extra[n][a][k];
        }
    }
    return own;
}

/* The weights of users who want something here now; 0 where `user` does not. */
static int64_t weights_waiting(const books *b, uint32_t part, int32_t leaf,
                               uint32_t user)
{
    int64_t sum = 0;
    uint8_t waits[WORLD_USERS] = {0};

    for (uint32_t a = 0; a < b->w->asks; a++) {
        if (books_leaf(b, (int32_t)a) != leaf) continue;
        if (!books_in_line(b, (int32_t)a, part)) continue;
        waits[books_user(b, (int32_t)a)] = 1;
    }
    for (uint32_t u = 0; u < WORLD_USERS; u++) {
        if (waits[u]) sum += books_user_weight(b, leaf, u);
    }
    return waits[user] ? sum : 0;
}

uint32_t books_dominant(const books *b, uint32_t part, int32_t leaf)
{
    uint32_t lead = 0;
    const int64_t *use = b->use[part][leaf];
    const int64_t *has = b->shares[part].capacity;

    for (uint32_t k = 1; k < b->w->kinds; k++) {
        if (use[k] > 0 &&
            (use[lead] == 0 || (double)use[k] * (double)has[lead] >
                                   (double)use[lead] * (double)has[k])) {
            lead = k;
        }
    }
    return lead;
}

/* What the leaf lets one user hold of its guarantee. */
static int64_t most_of_one(const books *b, uint32_t part, int32_t leaf,
                           uint32_t k)
{
    int64_t factor = b->queue[leaf].number[SKED_QUEUE_USER_FACTOR];
    int64_t said = b->shares[part].row[leaf].said[k];

    if (factor == SKED_UNSET || said == 0) return SKED_UNLIMITED;
    return (said * factor + SKED_PPM - 1) / SKED_PPM;
}

int64_t books_user_limit(const books *b, uint32_t part, int32_t leaf,
                         uint32_t user, uint32_t k)
{
    int64_t limit = b->queue[leaf].number[SKED_QUEUE_USER_LIMIT];
    int64_t base = b->use[part][leaf][k] + 1;
    int64_t weights = weights_waiting(b, part, leaf, user);
    int64_t most = most_of_one(b, part, leaf, k);

    if (limit == SKED_UNSET || limit >= SKED_PPM || weights == 0) return most;
    if (base < b->shares[part].row[leaf].said[k]) {
        base = b->shares[part].row[leaf].said[k];
    }
    int64_t weight = books_user_weight(b, leaf, user);
    int64_t part_of = (base * weight + weights - 1) / weights;
    int64_t least = (base * limit + SKED_PPM - 1) / SKED_PPM;
    if (part_of < least) part_of = least;
    return part_of < most ? part_of : most;
}

/* What users hold and want, one of them. */
static int64_t wanted_by(const books *b, uint32_t part, int32_t leaf,
                         uint32_t user, uint32_t k)
{
    int64_t sum = books_user_holds(b, part, leaf, user, k);

    for (uint32_t a = 0; a < b->w->asks; a++) {
        if (books_leaf(b, (int32_t)a) != leaf) continue;
        if (books_user(b, (int32_t)a) != user) continue;
        if (!books_in_line(b, (int32_t)a, part)) continue;
        sum += b->open[a] * b->w->ask[a].amount[k];
    }
    return sum;
}

double books_user_part(const books *b, uint32_t part, int32_t leaf,
                       uint32_t user, uint32_t k, int64_t total)
{
    uint8_t done[WORLD_USERS] = {0};
    double left = (double)total;

    for (;;) {
        double weights = 0, least = -1;
        uint32_t next = WORLD_USERS;
        for (uint32_t u = 0; u < WORLD_USERS; u++) {
            if (!done[u]) weights += (double)books_user_weight(b, leaf, u);
        }
        for (uint32_t u = 0; u < WORLD_USERS; u++) {
            double weight = (double)books_user_weight(b, leaf, u);
            double want = (double)wanted_by(b, part, leaf, u, k);
            double turn = weight > 0 ? want / weight : 1e18;
            if (done[u] || (least >= 0 && turn >= least)) continue;
            least = turn;
            next = u;
        }
        double own = (double)books_user_weight(b, leaf, user);
        if (next == WORLD_USERS || weights <= 0) return 0;
        if (least > left / weights) return left * own / weights;
        double want = (double)wanted_by(b, part, leaf, next, k);
        if (next == user) return want;
        done[next] = 1;
        left -= want;
    }
}
