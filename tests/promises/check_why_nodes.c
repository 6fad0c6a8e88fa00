/* P9: why no node takes what waits: that they are full or too small, drain, are
 * refused, or that no rule takes them. */
#include "check_why.h"

/* The root by itself bounds nothing that nodes do not, unless something is kept
 * for some queue. */
static int32_t highest_bound(const why *y)
{
    const shares *s = &y->h->b.shares[y->part];
    int32_t row = books_leaf(&y->h->b, y->ask);

    for (uint32_t k = 0; k < s->w->kinds; k++) {
        if (s->row[0].kept[k] > 0 || world_is_pooled(s->w, k)) return 0;
    }
    while (s->w->queue[row].parent > 0) row = s->w->queue[row].parent;
    return row;
}

typedef struct why_nodes {
    int open, large,
        roomy; /* nodes that take work, can hold it, have it free */
    int takes; /* of the latter: that would take it */
    int waits; /* that it may not take, or not yet */
    int refused;
    uint32_t lacks, kind; /* of the nearest: kinds, the first of them */
    int64_t most;         /* that one of these has of it */
} why_nodes;

/* Where everything changes the books do not know what is kept. */
int why_kept_is_known(const why *y)
{
    return y->h->w->mode != WORLD_CHANGES && books_are_sure(&y->h->b);
}

/* What a node has: free now, but for what is kept there (and what may be reserved
 * for a gang that forms), or in all. */
enum { HAS_NOW, HAS_SURELY, HAS_UNKEPT, HAS_EVER };

static int64_t node_has(const why *y, uint32_t n, uint32_t k, int what)
{
    const books *b = &y->h->b;
    int now = what == HAS_NOW || what == HAS_SURELY;
    int64_t kept = now ? books_held_on(b, n, k, -1) : 0;

    if (what == HAS_SURELY) kept += books_formed(b, n, k, y->ask);
    return what == HAS_EVER ? b->capacity[n][k] : b->free[n][k] - kept;
}

static void see_node(const why *y, uint32_t n, int what, why_nodes *see)
{
    const books *b = &y->h->b;
    uint32_t lacks = 0, kind = 0;
    int64_t there[WORLD_KINDS];

    for (uint32_t k = b->w->kinds; k-- > 0;) {
        there[k] = node_has(y, n, k, what);
        if (books_lacks(b, y->ask, k) == 0 || world_is_pooled(b->w, k))
            continue;
        if (books_lacks(b, y->ask, k) <= there[k]) continue;
        lacks++;
        kind = k;
    }
    if (what == HAS_EVER) see->large += lacks == 0;
    if (what != HAS_EVER) see->roomy += lacks == 0;
    if (lacks == 0) return;
    if (see->lacks == 0 || lacks < see->lacks ||
        (lacks == see->lacks && kind < see->kind)) {
        see->lacks = lacks;
        see->kind = kind;
        see->most = there[kind];
    } else if (lacks == see->lacks && kind == see->kind &&
               there[kind] > see->most) {
        see->most = there[kind];
    }
}

static int takes_work(const books *b, uint32_t n)
{
    return b->node_open[n] && b->now >= b->node_barred[n];
}

/* Nodes that would hold a task, were they empty and did they take work: that
 * drain, that the host refused for everything, and that do take work. */
typedef struct why_large {
    int64_t draining, barred, work;
    int64_t tasks; /* of a gang over nodes, that those that take work hold */
    int64_t most;  /* that all of them hold */
    int64_t unbounded; /* and would if one held any number */
} why_large;

static why_large see_large(const why *y)
{
    const books *b = &y->h->b;
    why_large see = {0};

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        int64_t all = books_node_holds(b, y->ask, n, INT32_MAX);
        int64_t per_node = b->w->ask[y->ask].per_node;
        int64_t tasks = per_node && per_node < all ? per_node : all;
        if (!b->node_up[n] || b->part[n] != y->part || tasks == 0) continue;
        if (!books_takes(b, y->ask, n)) continue;
        see.unbounded += all;
        if (tasks < books_gang_least(b, y->ask)) continue;
        see.most += tasks;
        if (takes_work(b, n)) {
            see.work++;
            see.tasks += tasks;
        } else if (b->node_open[n]) {
            see.barred++;
        } else {
            see.draining++;
        }
    }
    return see;
}

/* It would start on nodes that take nothing now, and on no others. */
static int is_elsewhere(const why *y, int32_t reason)
{
    const why_large see = see_large(y);
    int spread = books_is_wide(&y->h->b, y->ask);
    int64_t step = spread ? books_gang_step(&y->h->b, y->ask) : 1;
    int none = spread ? see.tasks < step && see.most >= step : see.work == 0;

    if (!none) return 0;
    if (reason == SKED_REASON_DRAINING) return see.draining > 0;
    return see.draining == 0 && see.barred > 0;
}

void why_elsewhere(why *y, const sked_engine_bound *x)
{
    const why_large see = see_large(y);

    if (!is_elsewhere(y, SKED_REASON_DRAINING) || x->need != 1 ||
        x->bound != see.draining) {
        why_untrue(y, x, "other nodes drain");
    }
    why_judge(y, x, 1);
}

static why_nodes look_at_nodes(const why *y, int what)
{
    const books *b = &y->h->b;
    why_nodes see = {0};

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        int roomy = see.roomy;
        if (!b->node_up[n] || b->part[n] != y->part) continue;
        if (what != HAS_EVER && !takes_work(b, n)) continue;
        if (!books_takes(b, y->ask, n)) continue;
        see.open++;
        see_node(y, n, what, &see);
        if (what == HAS_EVER || see.roomy == roomy) continue;
        see.refused += b->refused[n][y->ask];
        see.waits += books_listed(b, y->ask, n) <= 0;
        see.takes += books_listed(b, y->ask, n) >= 0 &&
                     fits_up_to(b, y->ask, (int32_t)n, 1, NULL, 0,
                                highest_bound(y));
    }
    return see;
}

/* May anything of a partition be reserved for a gang that forms? */
static int may_form(const why *y)
{
    const books *b = &y->h->b;
    int64_t any = 0;

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        if (b->part[n] != y->part) continue;
        for (uint32_t k = 0; k < b->w->kinds; k++) {
            any += books_formed(b, n, k, y->ask);
        }
    }
    return any > 0;
}

void why_node(why *y, const sked_engine_bound *x)
{
    int never = x->reason == SKED_REASON_NEVER_NODE, is;
    int now = x->reason == SKED_REASON_LOCALITY && !why_kept_is_known(y)
                  ? HAS_UNKEPT
                  : HAS_NOW;
    why_nodes see = look_at_nodes(y, never ? HAS_EVER : now);
    switch (x->reason) {
    case SKED_REASON_NEVER_NODE: is = see.large == 0; break;
    case SKED_REASON_NO_NODE:
        is = look_at_nodes(y, HAS_SURELY).roomy == 0 && see_large(y).work > 0;
        break;
    case SKED_REASON_LOCALITY: is = see.waits > 0; break;
    case SKED_REASON_REFUSED:
        is = see.refused > 0 || is_elsewhere(y, x->reason);
        break;
    default:
        is = y->bound ? see.roomy > 0 : see.takes > 0;
        /* Nothing comes before it when nothing moves any more. */
        if (!y->bound && y->h->at_rest) is = 0;
        break;
    }
    if (!is) why_untrue(y, x, "it is not so");
    if (never || x->reason == SKED_REASON_NO_NODE) {
        int same = !see.lacks || (!never && may_form(y)) ||
                   (x->kind == (int32_t)see.kind && x->bound == see.most);
        if (!same) why_untrue(y, x, "another kind is lacking");
    }
    why_judge(y, x, 1);
}

/* Why a gang over nodes that no nodes ever hold cannot start, or NULL. */
static const char *gang_never_untrue(const why *y, const why_large *see,
                                     const sked_engine_bound *x)
{
    int64_t open = books_gang_step(&y->h->b, y->ask);
    const world_ask *a = &y->h->w->ask[y->ask];

    if (see->most >= open || see->unbounded >= open) return "nodes hold it";
    if (see->most > 0) {
        return x->need == open && x->bound == see->most ? NULL
                                                        : "they hold others";
    }
    return x->kind < 0 || x->need == a->amount[x->kind] ? NULL
                                                        : "it needs another";
}

/* Of a gang over nodes: how many of it nodes take together, now or ever. */
void why_gang(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    const why_large see = see_large(y);
    int64_t open = books_gang_step(b, y->ask);
    int never = x->reason == SKED_REASON_NEVER_NODE;
    int small = see.most < open && see.unbounded >= open; /* on one node */
    int ever = books_gang_ends(b, y->ask) || see.tasks >= open || small;
    const char *wrong = never ? gang_never_untrue(y, &see, x)
                              : books_gang_untrue(b, y->ask, x);

    if (never && books_gang_ends(b, y->ask)) wrong = "some of it ends";
    if (x->reason == SKED_REASON_GANG && !ever) wrong = "it never starts there";
    if (x->reason == SKED_REASON_BEHIND && !y->bound && y->h->at_rest) {
        wrong = "nothing moves any more";
    }
    if (wrong) why_untrue(y, x, wrong);
    why_judge(y, x, 1);
}

/* The host refused it there, or all nodes that would hold it. */
void why_refused(why *y, const sked_engine_bound *x)
{
    if (is_elsewhere(y, SKED_REASON_REFUSED))
        why_judge(y, x, 1);
    else
        why_node(y, x);
}

uint32_t why_ways(const why *y)
{
    return world_is_alone(&y->h->b.w->ask[y->ask]) ? 4 * y->h->b.w->nodes : 0;
}

int64_t why_whole(const why *y, uint32_t k, uint32_t way)
{
    const books *b = &y->h->b;
    int spread = books_is_wide(b, y->ask);
    int64_t sum = 0, open = spread ? books_gang_step(b, y->ask) : 1;

    for (uint32_t n = way / 4; n < b->w->nodes && open > 0; n++) {
        if (!takes_work(b, n) || b->part[n] != y->part) continue;
        if (way & 2 && b->zone[n] != b->zone[way / 4]) continue;
        if (!books_takes(b, y->ask, n) || !books_is_empty(b, n)) continue;
        if (books_node_holds(b, y->ask, n, 1) == 0) continue;
        if (way & 1 && books_listed(b, y->ask, n) <= 0) continue;
        if (way & 1 && b->refused[n][y->ask]) continue;
        sum += books_start_step(b, y->ask, (int32_t)n, k);
        open--;
    }
    return sum;
}

/* May anything of a node be reserved for another gang that forms? */
static int may_be_formed(const why *y, uint32_t n)
{
    int64_t any = 0;

    for (uint32_t k = 0; k < y->h->w->kinds; k++) {
        any += books_formed(&y->h->b, n, k, y->ask);
    }
    return any > 0;
}

/* How many empty nodes take a task that has its node to itself. Where there are
 * some, a line before says which bound does not hold all of one. */
void why_alone(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    int64_t sure = 0, most = 0;

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        if (!takes_work(b, n) || b->part[n] != y->part) continue;
        if (!books_takes(b, y->ask, n) || !books_is_empty(b, n)) continue;
        if (books_node_holds(b, y->ask, n, 1) == 0) continue;
        most++;
        sure += books_listed(b, y->ask, n) > 0 && !b->refused[n][y->ask] &&
                !may_be_formed(y, n);
    }
    if (!world_is_alone(&b->w->ask[y->ask]) || x->need != 1 ||
        x->bound < sure || x->bound > most) {
        why_untrue(y, x, "other nodes are empty");
    }
    if (x->bound > 0 && !y->bound) why_untrue(y, x, "no bound is in the way");
    why_judge(y, x, 1);
}

/* How many nodes that take work its rules take. */
void why_rule(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    int64_t taken = 0, open = 0;
    int elsewhere = is_elsewhere(y, SKED_REASON_DRAINING) ||
                    is_elsewhere(y, SKED_REASON_REFUSED);

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        open += takes_work(b, n) && b->part[n] == y->part;
        taken += takes_work(b, n) && b->part[n] == y->part &&
                 books_takes(b, y->ask, n);
    }
    if (world_is_bound(&b->w->ask[y->ask]) && open == 0 && x->need == 1 &&
        x->bound == 0) {
        /* No node that takes work has a zone; or that is said of its own rule,
         * which then is not in the way. */
        why_judge(y, x, !books_is_ruled(b, y->ask) || x->binds);
        return;
    }
    if (!books_is_ruled(b, y->ask) || x->need != 1 || x->bound != taken) {
        why_untrue(y, x, "its rules take other nodes");
    }
    why_judge(y, x, open > 0 && taken == 0 && !elsewhere);
}
