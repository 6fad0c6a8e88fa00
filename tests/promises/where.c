/* Which nodes an ask takes, and which it would like. */
#include "books.h"

/* In no zone: a bit of its own, which no rule names. */
enum { NO_ZONE = 1 << WORLD_ZONES, ANY_ZONE = 2 * NO_ZONE - 1 };

static uint32_t zone_of(const books *b, uint32_t node)
{
    return b->zone[node] ? b->zone[node] : NO_ZONE;
}

/* Is a node there in one of these zones that the ask may name? */
static int is_met(const books *b, int32_t ask, uint32_t zones)
{
    uint32_t part = b->w->ask[ask].partition;

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        if (!b->node_up[n] || !(zones & zone_of(b, n))) continue;
        if (part == SKED_ANY_PARTITION || part == b->part[n]) return 1;
    }
    return 0;
}

static int is_dropped(const books *b, int32_t ask, const world_soft *s)
{
    return s->zones == 0 || b->indifferent[ask] ||
           (s->until && s->until * WORLD_STEP <= b->now);
}

/* The zones that it takes: those of its rule, and of each soft rule, the
 * heaviest first, if a node meets it with those before it. */
static uint32_t zones_taken(const books *b, int32_t ask)
{
    const world_ask *a = &b->w->ask[ask];
    uint32_t zones = a->zones ? a->zones : ANY_ZONE;
    int second = a->soft[1].weight > a->soft[0].weight;

    for (int i = 0; i < WORLD_SOFT; i++) {
        const world_soft *s = &a->soft[i ^ second];
        if (is_dropped(b, ask, s) || !is_met(b, ask, zones & s->zones))
            continue;
        zones &= s->zones;
    }
    return zones;
}

/* Does the node run few enough of the tasks that are counted? */
static int is_apart(const books *b, int32_t ask, uint32_t node)
{
    int64_t tagged = 0;

    if (!b->w->ask[ask].apart) return 1;
    for (uint32_t a = 0; a < b->w->asks; a++) {
        if (b->w->ask[a].tagged) tagged += b->run[node][a];
    }
    return tagged < b->w->ask[ask].apart;
}

int books_takes(const books *b, int32_t ask, uint32_t node)
{
    return (zones_taken(b, ask) & zone_of(b, node)) != 0 &&
           is_apart(b, ask, node);
}

int books_takes_paid(const books *b, int32_t ask, uint32_t node)
{
    uint32_t zones = b->w->ask[ask].zones;

    return zones == 0 || (zones & zone_of(b, node)) != 0;
}

int books_is_ruled(const books *b, int32_t ask)
{
    return b->w->ask[ask].apart || zones_taken(b, ask) != ANY_ZONE;
}

int books_is_picky(const books *b, int32_t ask)
{
    return b->places[ask] || b->racks[ask];
}

int books_listed(const books *b, int32_t ask, uint32_t node)
{
    const sked_engine_options *o = &b->w->options;
    uint64_t rack = b->w->node[node].rack;
    int waits = o->node_delay_ns || o->rack_delay_ns;

    if (!books_is_picky(b, ask) || b->places[ask] >> node & 1) return 1;
    if (!b->strict[ask]) return !waits;
    if (rack == 0 || !(b->racks[ask] >> (rack - 1) & 1)) return -1;
    return !waits;
}

int64_t books_node_holds(const books *b, int32_t ask, uint32_t n, int64_t most)
{
    int whole = !(b->w->ask[ask].flags & SKED_ASK_SPREAD);

    for (uint32_t k = 0; k < b->w->kinds; k++) {
        int64_t takes = whole ? books_lacks(b, ask, k)
                              : b->w->ask[ask].amount[k];
        if (takes == 0 || world_is_pooled(b->w, k)) continue;
        if (b->capacity[n][k] / takes < most) {
            most = b->capacity[n][k] / takes;
        }
    }
    return most;
}

int64_t books_gang_least(const books *b, int32_t ask)
{
    const world_ask *a = &b->w->ask[ask];
    int all = (a->flags & SKED_ASK_EXACT) != 0 &&
              b->open[ask] % a->per_node == 0;

    for (uint32_t n = 0; n < b->w->nodes; n++) all &= b->run[n][ask] == 0;
    return all ? a->per_node : 1;
}

int64_t books_gang_space(const books *b, int32_t ask, uint32_t part)
{
    const world_ask *a = &b->w->ask[ask];
    int64_t space = 0;

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        if (!b->node_up[n] || b->part[n] != part) continue;
        int64_t here = books_node_holds(b, ask, n,
                                        a->per_node ? a->per_node : INT32_MAX);
        space += here < books_gang_least(b, ask) ? 0 : here;
    }
    return space;
}

int64_t books_formed(const books *b, uint32_t n, uint32_t k, int32_t but)
{
    int64_t most = 0;

    for (int32_t i = 0; b->w->options.form_nodes && i < (int32_t)b->w->asks;
         i++) {
        const world_ask *a = &b->w->ask[i];
        if (i == but || !(a->flags & SKED_ASK_SPREAD)) continue;
        if (!books_in_line(b, i, b->part[n])) continue;
        int64_t tasks = books_gang_lacks(b, i);
        if (a->per_node && a->per_node < tasks) tasks = a->per_node;
        int64_t much = books_node_holds(b, i, n, tasks) *
                       books_start_step(b, i, (int32_t)n, k);
        if (much > most) most = much;
    }
    return most;
}

/* How many tasks more a node takes: of what is free but for what is reserved, and
 * of `most`, by those that run there. `sure`: and but for what may be reserved for
 * others that form. */
static int64_t gang_on(const books *b, int32_t ask, uint32_t n, int sure)
{
    const world_ask *a = &b->w->ask[ask];
    int64_t most = INT32_MAX;

    if (world_is_alone(a) && !books_is_empty(b, n)) return 0;
    for (uint32_t k = 0; k < b->w->kinds && sure && world_is_alone(a); k++) {
        if (books_formed(b, n, k, ask) > 0) return 0;
    }
    for (uint32_t k = 0; k < b->w->kinds; k++) {
        int64_t free = b->free[n][k] - books_held_on(b, n, k, -1);
        if (a->amount[k] == 0 || world_is_pooled(b->w, k)) continue;
        if (sure) free -= books_formed(b, n, k, ask);
        if (free < 0) free = 0;
        if (free / a->amount[k] < most) most = free / a->amount[k];
    }
    if (a->per_node && a->per_node - b->run[n][ask] < most) {
        most = a->per_node - b->run[n][ask];
    }
    return most > 0 ? most : 0;
}

int books_gang_ends(const books *b, int32_t ask)
{
    int any = 0;

    for (uint32_t g = 0; g < b->groups; g++) {
        any |= b->group[g].ask == ask && b->group[g].ending > 0 &&
               b->group[g].count > 0;
    }
    return any;
}

int books_may_join(const books *b, int32_t ask, uint32_t node)
{
    int joins = 1;

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        joins &= b->run[n][ask] == 0 || b->zone[n] == b->zone[node];
    }
    return joins || !world_is_bound(&b->w->ask[ask]);
}

/* So many of it nodes take now, surely and at most: of all zones (0), or one. */
static void gang_takes(const books *b, int32_t ask, uint32_t part,
                       uint32_t zone, int64_t takes[2])
{
    takes[0] = takes[1] = 0;
    for (uint32_t n = 0; n < b->w->nodes && !books_gang_ends(b, ask); n++) {
        if (!b->node_open[n] || b->now < b->node_barred[n] ||
            b->part[n] != part || !books_takes(b, ask, n) ||
            books_listed(b, ask, n) < 0 || !books_may_join(b, ask, n)) {
            continue;
        }
        if (zone && b->zone[n] != zone) continue;
        takes[1] += gang_on(b, ask, n, 0);
        if (b->w->ask[ask].flags & SKED_ASK_EXACT) continue;
        if (books_listed(b, ask, n) > 0 && !b->refused[n][ask]) {
            takes[0] += gang_on(b, ask, n, 1);
        }
    }
}

int64_t books_gang_in_zone(const books *b, int32_t ask, uint32_t part)
{
    int64_t most = 0;

    for (uint32_t z = 0; z < WORLD_ZONES; z++) {
        int64_t takes[2];
        gang_takes(b, ask, part, 1u << z, takes);
        if (takes[0] > most) most = takes[0];
    }
    return most;
}

const char *books_gang_untrue(const books *b, int32_t ask,
                              const sked_engine_bound *x)
{
    int64_t open = books_gang_step(b, ask), all[2];
    int same = b->w->ask[ask].same;

    gang_takes(b, ask, x->partition, 0, all);
    if (same) all[0] = books_gang_in_zone(b, ask, x->partition);
    for (uint32_t z = 0; z < WORLD_ZONES; z++) {
        int64_t takes[2];
        if (!world_is_bound(&b->w->ask[ask])) break;
        gang_takes(b, ask, x->partition, 1u << z, takes);
        if (z == 0 || takes[1] > all[1]) all[1] = takes[1];
    }
    if (x->need != open) return "more or less of it is open";
    if (x->bound < all[0] || x->bound > all[1]) {
        return "nodes take another number";
    }
    if ((x->reason == SKED_REASON_BEHIND) != (x->bound >= open)) {
        return "all of it fits, or not";
    }
    return NULL;
}

/* So many tasks of a gang start together. */
static int64_t starts_with(const world_ask *a)
{
    return world_is_elastic(a) ? a->at_once : a->count;
}

int books_never_fits_limit(const books *b, int32_t ask)
{
    for (int32_t row = books_leaf(b, ask); row >= 0;
         row = b->w->queue[row].parent) {
        for (uint32_t k = 0; k < b->w->kinds; k++) {
            const world_ask *a = &b->w->ask[ask];
            int64_t all = a->flags & SKED_ASK_GANG ? starts_with(a) : 1;
            if (a->amount[k] * all > books_ceiling(b, row, k)) return 1;
        }
    }
    return 0;
}

int books_never_fits_node(const books *b, int32_t ask)
{
    uint32_t part = b->w->ask[ask].partition;

    for (uint32_t p = 0; p < b->w->parts; p++) {
        if (!(b->w->ask[ask].flags & SKED_ASK_SPREAD)) break;
        if (part != SKED_ANY_PARTITION && part != p) continue;
        if (books_gang_space(b, ask, p) >= starts_with(&b->w->ask[ask]))
            return 0;
    }
    if (b->w->ask[ask].flags & SKED_ASK_SPREAD) return 1;
    for (uint32_t n = 0; n < b->w->nodes; n++) {
        int fits = b->node_up[n];
        if (part != SKED_ANY_PARTITION && b->part[n] != part) {
            continue;
        }
        for (uint32_t k = 0; k < b->w->kinds; k++) {
            fits &= world_is_pooled(b->w, k) ||
                    books_step(b, ask, k) <= b->capacity[n][k];
        }
        if (fits) return 0;
    }
    return 1;
}

void books_see(books *b)
{
    for (int32_t a = 0; a < (int32_t)b->w->asks; a++) {
        if (!b->added[a]) continue;
        b->limit_enough[a] |= !books_never_fits_limit(b, a);
        b->node_enough[a] |= !books_never_fits_node(b, a);
    }
}

void books_add_ask(books *b, int32_t ask)
{
    uint32_t part = b->w->ask[ask].partition;
    int any = 0;

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        any |= b->node_up[n] &&
               (part == SKED_ANY_PARTITION || part == b->part[n]);
    }
    b->added[ask] = 1;
    b->node_enough[ask] = !any; /* they are still to come */
    books_see(b);
}
