/* Who runs where, by what was said. */
#include "books.h"

#include <string.h>

void books_open(books *b, const world *w)
{
    memset(b, 0, sizeof *b);
    b->w = w;
    memcpy(b->queue, w->queue, sizeof b->queue);
    for (uint32_t row = 0; row < w->rows; row++) {
        b->tree_weight[row] = b->queue[row].number[SKED_QUEUE_WEIGHT];
    }
    for (uint32_t j = 0; j < w->jobs; j++) {
        b->job_queue[j] = w->job[j].queue;
        b->job_priority[j] = w->job[j].priority;
    }
    for (uint32_t n = 0; n < w->nodes; n++) b->part[n] = w->node[n].partition;
    for (uint32_t a = 0; a < w->asks; a++) {
        b->places[a] = w->ask[a].places;
        b->racks[a] = w->ask[a].racks;
        b->strict[a] = (w->ask[a].flags & SKED_ASK_STRICT) != 0;
    }
}

int32_t books_leaf(const books *b, int32_t ask)
{
    return b->job_queue[b->w->ask[ask].job];
}

int books_above(const books *b, int32_t queue, int32_t leaf)
{
    while (leaf >= 0 && leaf != queue) leaf = b->w->queue[leaf].parent;
    return leaf == queue;
}

int64_t books_step(const books *b, int32_t ask, uint32_t k)
{
    const world_ask *a = &b->w->ask[ask];

    return world_is_gang(a) ? a->amount[k] * a->count : a->amount[k];
}

int64_t books_start_step(const books *b, int32_t ask, int32_t node, uint32_t k)
{
    int whole = world_is_alone(&b->w->ask[ask]) && !world_is_pooled(b->w, k);

    return whole ? b->capacity[node][k] : books_step(b, ask, k);
}

int books_is_empty(const books *b, uint32_t node)
{
    for (uint32_t a = 0; a < b->w->asks; a++) {
        if (b->run[node][a] > 0 || b->reserved[node][a] > 0) return 0;
    }
    for (uint32_t k = 0; k < b->w->kinds; k++) {
        if (b->remains[node][k] > 0) return 0;
    }
    return 1;
}

int64_t books_depth(const books *b, int32_t row)
{
    int64_t n = 0;

    while ((row = b->w->queue[row].parent) >= 0) n++;
    return n;
}

int64_t books_gang_lacks(const books *b, int32_t ask)
{
    const world_ask *a = &b->w->ask[ask];
    int64_t lacks = a->at_once - (a->count - b->open[ask]);

    if (!world_is_elastic(a)) return b->open[ask];
    return lacks > 0 ? lacks : 0;
}

int64_t books_gang_step(const books *b, int32_t ask)
{
    int64_t lacks = books_gang_lacks(b, ask);

    return lacks > 0 ? lacks : 1;
}

int books_is_wide(const books *b, int32_t ask)
{
    const world_ask *a = &b->w->ask[ask];

    if (!(a->flags & SKED_ASK_SPREAD)) return 0;
    return !world_is_elastic(a) || books_gang_lacks(b, ask) > 0;
}

int64_t books_lacks(const books *b, int32_t ask, uint32_t k)
{
    const world_ask *a = &b->w->ask[ask];

    return books_is_wide(b, ask) ? a->amount[k] * books_gang_lacks(b, ask)
                                 : books_step(b, ask, k);
}

void books_add(books *b, int32_t ask, int32_t node, int64_t count)
{
    const world *w = b->w;
    uint32_t part = b->part[node];

    b->run[node][ask] += count;
    for (uint32_t k = 0; k < w->kinds; k++) {
        int64_t much = w->ask[ask].amount[k] * count;
        b->free[node][k] -= much;
        for (int32_t row = books_leaf(b, ask); row >= 0;
             row = w->queue[row].parent) {
            b->use[part][row][k] += much;
        }
    }
}

books_group *books_find(books *b, uint64_t name)
{
    for (uint32_t i = 0; i < b->groups; i++) {
        if (b->group[i].count > 0 && b->group[i].name == name) {
            return &b->group[i];
        }
    }
    return NULL;
}

void books_start(books *b, uint64_t name, int32_t ask, int32_t node,
                 int64_t count, sked_time now)
{
    uint32_t at = 0;

    while (at < b->groups && b->group[at].count > 0) at++;
    b->full |= at == BOOKS_GROUPS;
    if (at == BOOKS_GROUPS) return;
    if (at == b->groups) b->groups++;
    b->group[at] = (books_group){
        .name = name, .ask = ask, .node = node, .count = count, .since = now};
    b->open[ask] -= count;
    books_add(b, ask, node, count);
}

void books_end(books *b, books_group *g, int64_t count, int again)
{
    int64_t told = count < g->ending ? count : g->ending, rest = count - told;

    books_add(b, g->ask, g->node, -count);
    books_shift(b, g->ask, g->node, g->more, -count);
    g->count -= count;
    g->ending -= told;
    g->noticed -= rest < g->noticed ? rest : g->noticed;
    if (again && !b->cancelled[b->w->ask[g->ask].job]) b->open[g->ask] += count;
}

void books_move(books *b, uint32_t node, uint32_t part)
{
    uint32_t from = b->part[node];

    for (uint32_t a = 0; a < b->w->asks; a++) {
        int64_t run = b->run[node][a];
        b->reserved[node][a] = 0;
        b->paid[node][a] = b->refused[node][a] = 0;
        b->part[node] = from;
        int64_t extra[WORLD_KINDS];
        memcpy(extra, b->extra[node][a], sizeof extra);
        books_add(b, (int32_t)a, (int32_t)node, -run);
        books_shift(b, (int32_t)a, (int32_t)node, extra, -1);
        b->part[node] = part;
        books_add(b, (int32_t)a, (int32_t)node, run);
        books_shift(b, (int32_t)a, (int32_t)node, extra, 1);
    }
}

int books_are_astray(const books *b)
{
    for (uint32_t n = 0; n < b->w->nodes; n++) {
        for (uint32_t a = 0; a < b->w->asks; a++) {
            uint32_t named = b->w->ask[a].partition;
            if (b->run[n][a] == 0 || named == SKED_ANY_PARTITION) continue;
            if (named != b->part[n]) return 1;
        }
    }
    return 0;
}

void books_weigh(books *b, int32_t row, int64_t tree, int64_t said)
{
    b->tree_weight[row] = tree;
    b->said_weight[row] = said;
    b->queue[row].number[SKED_QUEUE_WEIGHT] = said ? said : tree;
}

void books_resolve(books *b)
{
    const world *w = b->w;

    for (uint32_t p = 0; p < w->parts; p++) {
        int64_t capacity[WORLD_KINDS] = {0};
        for (uint32_t n = 0; n < w->nodes; n++) {
            if (!b->node_up[n] || b->part[n] != p) continue;
            for (uint32_t k = 0; k < w->kinds; k++) {
                capacity[k] += b->capacity[n][k];
            }
        }
        for (uint32_t k = 0; k < w->kinds; k++) capacity[k] += w->pool[p][k];
        shares_resolve(&b->shares[p], w, b->queue, capacity);
    }
}

void books_renew(books *b)
{
    const world *w = b->w;

    for (uint32_t p = 0; p < w->parts; p++) {
        shares_demand d = {{0}};
        for (uint32_t a = 0; a < w->asks; a++) {
            for (uint32_t n = 0; n < w->nodes; n++) {
                if (b->part[n] == p) d.tasks[a] += b->run[n][a];
            }
            if (books_in_line(b, (int32_t)a, p)) d.tasks[a] += b->open[a];
        }
        shares_renew(&b->shares[p], &d);
    }
}

int64_t books_held_on(const books *b, uint32_t node, uint32_t k, int32_t but)
{
    int64_t sum = 0;

    for (uint32_t a = 0; a < b->w->asks; a++) {
        if ((int32_t)a == but) continue;
        sum += b->reserved[node][a] * b->w->ask[a].amount[k];
    }
    return sum;
}

int64_t books_reserved(const books *b, uint32_t part, int32_t row, uint32_t k,
                       int32_t but, int32_t but_node)
{
    int64_t sum = 0;

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        if (b->part[n] != part) continue;
        for (uint32_t a = 0; a < b->w->asks; a++) {
            if (b->reserved[n][a] == 0) continue;
            if ((int32_t)a == but && (int32_t)n == but_node) continue;
            if (!books_above(b, row, books_leaf(b, (int32_t)a))) continue;
            sum += b->reserved[n][a] * b->w->ask[a].amount[k];
        }
    }
    return sum;
}

void books_trim(books *b, int32_t ask)
{
    int64_t sum = 0;
    uint32_t nodes = 0;

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        int64_t *at = &b->reserved[n][ask];
        if (*at > b->open[ask]) *at = b->open[ask];
        sum += *at;
        nodes += *at > 0;
    }
    if (nodes == 0) b->unsure[ask] = 0;
    if (nodes < 2 || sum <= b->open[ask]) return;
    if (!b->unsure[ask] || b->most[ask] > b->open[ask]) {
        b->most[ask] = b->open[ask];
    }
    b->unsure[ask] = 1;
}

/* On each node but one there are no more of these reserved. */
static void keep_at_most(books *b, int32_t ask, int64_t most, int32_t but)
{
    for (int32_t n = 0; n < (int32_t)b->w->nodes; n++) {
        int64_t *at = &b->reserved[n][ask];
        if (n != but && *at > most) *at = most;
    }
}

void books_reserve(books *b, int32_t ask, int32_t node, int64_t count)
{
    int64_t left = b->open[ask] > count ? b->open[ask] - count : 0;

    b->reserved[node][ask] = count;
    b->most[ask] += count;
    if (b->unsure[ask]) keep_at_most(b, ask, left, node);
}

void books_give_up(books *b, int32_t ask, int32_t node, int64_t count)
{
    int64_t left = b->most[ask] > count ? b->most[ask] - count : 0;

    b->reserved[node][ask] = b->paid[node][ask] = 0;
    b->most[ask] = left;
    if (b->unsure[ask]) keep_at_most(b, ask, left, node);
    books_trim(b, ask);
}

int books_are_sure(const books *b)
{
    for (uint32_t a = 0; a < b->w->asks; a++) {
        if (b->unsure[a]) return 0;
    }
    return 1;
}

int books_in_line(const books *b, int32_t ask, uint32_t part)
{
    const world_ask *a = &b->w->ask[ask];

    if (b->now < b->ask_barred[ask] || b->now < b->job_barred[a->job]) return 0;
    if (a->flags & SKED_ASK_TOGETHER && books_is_wide(b, ask) &&
        books_gang_ends(b, ask)) {
        return 0; /* as if it were refused everywhere, until all have ended */
    }
    if (a->flags & SKED_ASK_WAIT &&
        !(b->limit_enough[ask] && b->node_enough[ask])) {
        return 0; /* it waits, and is no demand */
    }
    return b->open[ask] > 0 && b->admitted[a->job] && !b->cancelled[a->job] &&
           !b->rejected[ask] &&
           (a->partition == part || a->partition == SKED_ANY_PARTITION);
}

void books_held(const books *b, uint32_t part, uint32_t k,
                int64_t held[WORLD_ROWS])
{
    for (uint32_t row = b->w->rows; row-- > 0;) {
        held[row] = 0;
        if (world_is_leaf(b->w, row)) {
            held[row] = b->use[part][row][k] +
                        books_reserved(b, part, (int32_t)row, k, -1, -1);
        }
        for (uint32_t c = row + 1; c < b->w->rows; c++) {
            int64_t kept = b->shares[part].row[c].kept[k];
            if (b->w->queue[c].parent != (int32_t)row) continue;
            held[row] += held[c] > kept ? held[c] : kept;
        }
    }
}

int64_t books_ceiling(const books *b, int32_t row, uint32_t k)
{
    const world_queue *q = &b->queue[row];
    int limit = SKED_QUEUE_LIMIT - SKED_QUEUE_GUARANTEE;
    int borrow = SKED_QUEUE_BORROW - SKED_QUEUE_GUARANTEE;
    int64_t most = q->has[limit] ? q->amount[limit][k] : SKED_UNLIMITED;

    if (row > 0 && q->has[borrow] && q->amount[borrow][k] != SKED_UNLIMITED &&
        q->number[SKED_QUEUE_GUARANTEE_PPM] == SKED_UNSET) {
        int64_t reach = q->amount[borrow][k] +
                        (q->has[0] ? q->amount[0][k] : 0);
        if (reach < most) most = reach;
    }
    return most;
}

int64_t books_leaving(const books *b, uint32_t part, int32_t leaf, uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < b->groups; i++) {
        const books_group *g = &b->group[i];
        if (g->count == 0 || b->part[g->node] != part) continue;
        if (books_leaf(b, g->ask) != leaf) continue;
        int64_t leaving = books_ends_soon(b, g) ? g->count
                                                : g->noticed + g->ending;
        sum += leaving * (b->w->ask[g->ask].amount[k] + g->more[k]);
    }
    return sum;
}

int64_t books_going(const books *b, uint32_t part, int32_t leaf, uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < b->groups; i++) {
        const books_group *g = &b->group[i];
        if (g->count == 0 || b->part[g->node] != part) continue;
        if (books_leaf(b, g->ask) != leaf) continue;
        int64_t going = g->before < g->ending ? g->before : g->ending;
        if (books_ends_soon(b, g)) going = g->count;
        sum += going * (b->w->ask[g->ask].amount[k] + g->more[k]);
    }
    return sum;
}
