/*
 * Divides a pool by the DRF loop. A winner tree holds the live clients by their
 * keys. A decision takes the client with the least key, and gives the client a
 * task or finds that the task does not fit. A task that does not fit now never
 * fits later.
 *
 * Runs of such steps alternate with jumps of many decisions. If jumps bring few
 * decisions, runs become longer, so the total cost is at most a small multiple
 * of the plain loop. If jumps leave more than half of every kind, jumps become
 * exact: after each jump, or each few, a kind has halved or a client has left,
 * so the cost does not depend on the number of tasks.
 */
#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/hooks.h"
#include "base/sort.h"
#include "base/winner.h"
#include "drf/key.h"
#include "drf/rows_in.h"

/*
 * The state of a division. Clients that can still get a task are `live`; the
 * others are out for good, because the pool only shrinks.
 */

typedef struct skedi_drf_batch {
    skedi_hooks hooks;
    sked_drf_input rows;
    skedi_drf_scale scale[SKED_MAX_KINDS];
    int64_t pool[SKED_MAX_KINDS];
    uint64_t decisions; /* decisions made */
    uint64_t work;      /* work done, in examined clients */

    int64_t *usage;    /* n rows */
    int64_t *given;    /* n: tasks given */
    uint64_t *inverse; /* n: of the weights */
    int64_t *count;    /* n: tasks of a level, by live client */
    uint32_t *live;    /* indices, rising */
    uint32_t n_live;
    skedi_winners order; /* of the live clients, by their place in `live` */
    uint32_t blocks;     /* memory for blocks */
    double *guess;       /* 3 * n * kinds: see drf/allocate.c */
} skedi_drf_batch;

static inline int64_t *skedi_batch_usage(const skedi_drf_batch *b, uint32_t i)
{
    return b->usage + (size_t)i * b->rows.kinds;
}

static inline const int64_t *skedi_batch_demand(const skedi_drf_batch *b,
                                                uint32_t i)
{
    return b->rows.demand + (size_t)i * b->rows.kinds;
}

/* Tasks that client i can still get. */
static inline int64_t skedi_batch_left(const skedi_drf_batch *b, uint32_t i)
{
    int64_t most = b->rows.most ? b->rows.most[i] : SKED_UNLIMITED;

    return most == SKED_UNLIMITED ? most : most - b->given[i];
}

/* Gives `tasks` tasks to client i; the tasks must fit. */
static inline void skedi_batch_give(skedi_drf_batch *b, uint32_t i,
                                    int64_t tasks)
{
    const int64_t *demand = skedi_batch_demand(b, i);
    int64_t *usage = skedi_batch_usage(b, i);

    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        b->pool[k] -= tasks * demand[k];
        usage[k] += tasks * demand[k];
    }
    b->given[i] += tasks;
    b->decisions += (uint64_t)tasks;
}

/* The key of client i in the tree. */
static inline uint64_t skedi_batch_key(const skedi_drf_batch *b, uint32_t i)
{
    uint64_t key = skedi_drf_key(b->scale, skedi_batch_usage(b, i),
                                 b->rows.kinds, skedi_drf_weight(&b->rows, i),
                                 b->inverse[i]);

    return key - (key == SKED_DRF_INFINITE);
}

/* Adds `work` and asks the host whether to continue: first at the start, then
 * once per SKEDI_DRF_PAUSE. */
static inline sked_status skedi_batch_pause(skedi_drf_batch *b, uint64_t work)
{
    uint64_t was = b->work;

    b->work += work;
    if (was && was / SKEDI_DRF_PAUSE == b->work / SKEDI_DRF_PAUSE) {
        return SKED_OK;
    }
    return skedi_hooks_check(&b->hooks, was, 0);
}

/*
 * Makes many decisions of the DRF loop at once. All tasks of a client are
 * alike, so a client's key never falls as the client gets more tasks. Until
 * some client's task does not fit, the loop serves exactly the pairs (key with
 * k tasks, client) below some level. A jump to a level is safe if all pairs
 * below the level fit together, because tasks that fit in total fit in any
 * order.
 *
 * The level is guessed in doubles. With weight w, capacity R, usage u and
 * demand d, client i has about (level * w * R - u) / d tasks at the level, the
 * least over kinds. False position finds the level that takes a little less
 * than the free pool. Then the tasks of each client below the level are counted
 * in integers and added up exactly. If the tasks do not fit, the level is
 * lowered. A bad guess costs time and changes no answer.
 *
 * The guess treats tasks as divisible. A client whose next task lies at a
 * higher level seems to take half a task. If a kind is scarce, these halves
 * together leave nothing for other clients, although the other clients could go
 * on. After guesses that bring little, an integer search therefore finds the
 * highest level at which all pairs fit. Above that level some task of the next
 * level does not fit, so a client leaves before each client has had one more
 * turn. The number of searches is therefore at most the number of clients.
 */

enum { GUESS_STEPS = 48, LEVEL_NEAR = 13, LEVEL_STEP = 4 };

/* The columns of a guess: a client's count is slope * level - offset, the least
 * over kinds; `pool` is the free pool. */
typedef struct guess_columns {
    double *slope;
    double *offset;
    double *demand;
    double pool[SKED_MAX_KINDS];
} guess_columns;

static guess_columns columns_of(const skedi_drf_batch *b)
{
    size_t size = (size_t)b->rows.n * b->rows.kinds;

    return (guess_columns){.slope = b->guess,
                           .offset = b->guess + size,
                           .demand = b->guess + 2 * size};
}

/* Fills the columns. A demand of 0 gives a slope so steep that the kind bounds
 * the count only if the usage alone is above the level. */
static guess_columns guess_fill(const skedi_drf_batch *b)
{
    guess_columns g = columns_of(b);
    size_t at = 0;

    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        double capacity = (double)b->rows.capacity[k];
        g.pool[k] = (double)b->pool[k];
        for (uint32_t j = 0; j < b->n_live; j++, at++) {
            uint32_t i = b->live[j];
            double demand = (double)skedi_batch_demand(b, i)[k];
            double per = demand > 0 ? 1 / demand : 1e18;
            g.slope[at] = capacity * skedi_drf_weight(&b->rows, i) * per;
            g.offset[at] = (double)skedi_batch_usage(b, i)[k] * per - 0.5;
            g.demand[at] = demand;
        }
    }
    return g;
}

typedef struct guess_sums {
    double part;  /* the largest fraction taken of a kind's free amount */
    double count; /* of all tasks */
} guess_sums;

/* The amounts that all clients together would take at a level. */
static guess_sums guess_at(const skedi_drf_batch *b, const guess_columns *g,
                           double level)
{
    double sum[SKED_MAX_KINDS] = {0};
    guess_sums all = {0, 0};
    uint32_t n = b->n_live;

    for (uint32_t j = 0; j < n; j++) {
        double count = (double)skedi_batch_left(b, b->live[j]);
        for (uint32_t k = 0; k < b->rows.kinds; k++) {
            size_t at = (size_t)k * n + j;
            double mine = level * g->slope[at] - g->offset[at];
            count = mine < count ? mine : count;
        }
        count = count > 0 ? count : 0;
        all.count += count;
        for (uint32_t k = 0; k < b->rows.kinds; k++) {
            sum[k] += count * g->demand[(size_t)k * n + j];
        }
    }
    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        if (sum[k] <= all.part * g->pool[k]) continue;
        all.part = sum[k] / g->pool[k];
    }
    return all;
}

/* A level at which one client alone would take the whole free amount of a
 * kind. */
static double guess_top(const skedi_drf_batch *b)
{
    double top = 0;

    for (uint32_t j = 0; j < b->n_live; j++) {
        uint32_t i = b->live[j];
        double weight = skedi_drf_weight(&b->rows, i);
        for (uint32_t k = 0; k < b->rows.kinds; k++) {
            double usage = (double)skedi_batch_usage(b, i)[k];
            double all = weight * (double)b->rows.capacity[k];
            if (all <= 0) continue;
            double level = (usage + (double)b->pool[k]) / all;
            top = level > top ? level : top;
        }
    }
    return top;
}

/* The fraction of the free amount that a guess aims at: 1, less a sixteenth of
 * a task for each client. */
static double guess_aim(const skedi_drf_batch *b, double count)
{
    double spare = b->n_live / (16 * count);

    if (!(spare < 0.5)) return 0.5;
    return 1 - (spare > 1e-9 ? spare : 1e-9);
}

typedef struct guess_bracket {
    double low, high;    /* levels: too little, too much */
    double below, above; /* the errors at both ends, weighed for false
                          * position */
    int side;            /* the end that moved last */
} guess_bracket;

/* Narrows the bracket; an end that does not move gets less weight
 * (Illinois). */
static void bracket_narrow(guess_bracket *at, double level, double off)
{
    if (off < 0) {
        at->low = level;
        at->below = -off;
        if (at->side < 0) at->above /= 2;
        at->side = -1;
    } else {
        at->high = level;
        at->above = off;
        if (at->side > 0) at->below /= 2;
        at->side = 1;
    }
}

/* Between `low` and everything: false position, now and then the middle. */
static double guess_level(const skedi_drf_batch *b, const guess_columns *g,
                          double low)
{
    guess_bracket at = {low, guess_top(b), 1, 1, 0};
    double level = at.high;

    for (int step = 1; step <= GUESS_STEPS; step++) {
        guess_sums sums = guess_at(b, g, level);
        double slack = (1 - guess_aim(b, sums.count)) / 2;
        double off = sums.part - (1 - 3 * slack);
        if (off < slack && -off < slack) return level;
        bracket_narrow(&at, level, off);
        double cut = step % 4 ? at.below / (at.below + at.above) : 0.5;
        level = at.low + (at.high - at.low) * cut;
    }
    return at.low;
}

/* The largest usage whose part of the capacity is below level / weight. */
static uint64_t usage_below(skedi_u128 weighted, uint64_t capacity)
{
    skedi_u192 product = skedi_u192_mul(weighted, capacity);
    skedi_u192 one = {skedi_u128_of(0), 1};

    product = skedi_u192_sub(product, one);
    if (skedi_u128_high(product.high) || skedi_u128_low(product.high) >> 61) {
        return (uint64_t)SKED_UNLIMITED;
    }
    return skedi_u128_low(product.high) << 2 | product.low >> 62;
}

/*
 * How many more tasks client i asks for while its key is below `level`; `level`
 * is at most SKEDI_DRF_TOP.
 */
static int64_t batch_below(const skedi_drf_batch *b, uint32_t i, uint64_t level)
{
    const int64_t *usage = skedi_batch_usage(b, i);
    const int64_t *demand = skedi_batch_demand(b, i);
    uint32_t weight = skedi_drf_weight(&b->rows, i);
    skedi_u128 weighted = skedi_u128_mul(level, weight);
    int64_t count = skedi_batch_left(b, i);

    if (weight == 0 || level == 0) return 0;
    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        if (demand[k] == 0 && usage[k] == 0) continue;
        uint64_t capacity = (uint64_t)b->rows.capacity[k];
        if (capacity == 0) return 0; /* used: the key is infinite */
        uint64_t most = usage_below(weighted, capacity);
        if ((uint64_t)usage[k] > most) return 0;
        if (demand[k] == 0) continue;
        uint64_t mine = (most - (uint64_t)usage[k]) / (uint64_t)demand[k] + 1;
        if (mine < (uint64_t)count) count = (int64_t)mine;
    }
    return count;
}

/* Counts all tasks below `level`; 0 if the tasks do not fit into the pool. */
static int counts_fit(const skedi_drf_batch *b, uint64_t level)
{
    uint64_t sum[SKED_MAX_KINDS] = {0};

    for (uint32_t j = 0; j < b->n_live; j++) {
        uint32_t i = b->live[j];
        const int64_t *demand = skedi_batch_demand(b, i);
        b->count[j] = batch_below(b, i, level);
        for (uint32_t k = 0; k < b->rows.kinds; k++) {
            uint64_t left = (uint64_t)b->pool[k] - sum[k];
            skedi_u128 need = skedi_u128_mul((uint64_t)b->count[j],
                                             (uint64_t)demand[k]);
            if (skedi_u128_cmp(need, skedi_u128_of(left)) > 0) return 0;
            sum[k] += skedi_u128_low(need);
        }
    }
    return 1;
}

/* Starts the counted tasks; returns their number. */
static uint64_t give_counts(skedi_drf_batch *b)
{
    uint64_t before = b->decisions;

    for (uint32_t j = 0; j < b->n_live; j++) {
        skedi_batch_give(b, b->live[j], b->count[j]);
    }
    return b->decisions - before;
}

/* The least key of all live clients: no decision lies below. */
static uint64_t batch_base(const skedi_drf_batch *b)
{
    uint64_t least = SKEDI_WINNER_OUT;

    for (uint32_t j = 0; j < b->n_live; j++) {
        uint64_t key = skedi_batch_key(b, b->live[j]);
        least = key < least ? key : least;
    }
    return least;
}

/*
 * Gives all live clients the tasks that the loop would give below some level of
 * the key. The level is usually close to the highest level at which all tasks
 * fit. Returns the number of decisions, perhaps 0.
 */
static uint64_t batch_jump_guessed(skedi_drf_batch *b)
{
    uint64_t base = batch_base(b);

    if (base >= SKEDI_DRF_TOP) return 0;
    guess_columns g = guess_fill(b);
    double guess = guess_level(b, &g, (double)base * 0x1p-62) * 0x1p62;
    uint64_t level = guess < 0x1p63 ? (uint64_t)guess : (uint64_t)1 << 63;
    uint64_t span = level > base ? level - base : 0;

    /* The first reductions are small, for a guess a little too high; the later
     * reductions are large. */
    for (unsigned by = LEVEL_NEAR; span > 0; by -= by > 1 ? LEVEL_STEP : 0) {
        if (counts_fit(b, base + span)) return give_counts(b);
        span -= (span >> by) + 1;
    }
    return 0;
}

/*
 * Does the same for the highest level at which all tasks fit. Returns SKED_OK,
 * or the code of the host's stop.
 */
static sked_status batch_jump_searched(skedi_drf_batch *b, uint64_t *gave)
{
    uint64_t fits = batch_base(b), over = SKEDI_DRF_TOP;
    uint64_t level = over;

    *gave = 0;
    if (fits >= over) return SKED_OK;
    while (fits < over) {
        sked_status rc = skedi_batch_pause(b, b->n_live);
        if (rc != SKED_OK) return rc;
        if (counts_fit(b, level))
            fits = level;
        else
            over = level - 1;
        level = over - (over - fits) / 2;
    }
    if (counts_fit(b, fits)) *gave = give_counts(b);
    return SKED_OK;
}

/*
 * DRF with divisible tasks, in doubles, for analysis. Client i has clamp(level
 * * w / D, least, most) tasks; D is the dominant share of one task. The amount
 * that all clients take of a kind is therefore linear between two neighbouring
 * events. An event is a level at which a client leaves a bound. Events are
 * sorted once and swept.
 *
 * If a kind becomes full within a stretch, the clients that need the kind stop,
 * and the sweep goes on. The number of stops is at most the number of kinds. At
 * a stop all sums are computed again, so rounding errors do not add up.
 */

enum { LEVEL_BELOW, LEVEL_RISING, LEVEL_DONE };

typedef struct level_client {
    int64_t due; /* the least, exactly */
    double rate; /* tasks a unit of level: weight / D */
    double least;
    double most;
    int state; /* LEVEL_* */
} level_client;

typedef struct level_sweep {
    sked_drf_input rows;
    level_client *client;
    skedi_keyed *event; /* index: client; tag: the next state */
    skedi_keyed *scratch;
    size_t n_events;
    double *tasks;
    double slope[SKED_MAX_KINDS]; /* rising clients' amount a unit of level */
    double fixed[SKED_MAX_KINDS]; /* amount of all other clients */
    uint32_t full;                /* kinds, a bit each */
} level_sweep;

static const int64_t *level_demand(const level_sweep *s, uint32_t i)
{
    return s->rows.demand + (size_t)i * s->rows.kinds;
}

/* Dominant share of one task; 0: no demand; -1: the task can never run. */
static double one_task(const level_sweep *s, uint32_t i)
{
    const int64_t *demand = level_demand(s, i);
    double most = 0;

    for (uint32_t k = 0; k < s->rows.kinds; k++) {
        if (demand[k] == 0) continue;
        if (s->rows.capacity[k] == 0) return -1;
        double part = (double)demand[k] / (double)s->rows.capacity[k];
        most = part > most ? part : most;
    }
    return most;
}

static void add_event(level_sweep *s, uint32_t i, double level, uint32_t state)
{
    skedi_keyed *event = &s->event[s->n_events++];

    event->index = i;
    event->tag = state;
    memcpy(&event->key, &level, sizeof level); /* not negative: bits sort */
}

static double tasks_at(const level_client *c, double level)
{
    double tasks = level * c->rate;

    if (c->state == LEVEL_DONE || tasks < c->least) tasks = c->least;
    return tasks < c->most ? tasks : c->most;
}

static void level_client_in(level_sweep *s, uint32_t i)
{
    level_client *c = &s->client[i];
    int64_t least = s->rows.least ? s->rows.least[i] : 0;
    int64_t most = s->rows.most ? s->rows.most[i] : SKED_UNLIMITED;
    double share = one_task(s, i);

    if (share < 0) least = most = 0;
    if (least > most) least = most;
    c->due = least;
    c->least = (double)least;
    c->most = (double)most;
    c->state = LEVEL_DONE;
    if (share <= 0 || least == most || !skedi_drf_weight(&s->rows, i)) {
        c->most = c->least; /* the client never rises */
        return;
    }
    c->state = LEVEL_BELOW;
    c->rate = skedi_drf_weight(&s->rows, i) / share;
    add_event(s, i, c->least / c->rate, LEVEL_RISING);
    if (most != SKED_UNLIMITED) {
        add_event(s, i, c->most / c->rate, LEVEL_DONE);
    }
}

/* The amount of a kind that the least tasks leave; returns 0 if the least tasks
 * do not fit. */
static int least_left(const level_sweep *s, uint32_t k, uint64_t *left)
{
    *left = (uint64_t)s->rows.capacity[k];
    for (uint32_t i = 0; i < s->rows.n; i++) {
        skedi_u128 need = skedi_u128_mul((uint64_t)level_demand(s, i)[k],
                                         (uint64_t)s->client[i].due);
        if (skedi_u128_cmp(need, skedi_u128_of(*left)) > 0) return 0;
        *left -= skedi_u128_low(need);
    }
    return 1;
}

/* Full kinds to begin with; SKED_ERR_INVALID when the least do not fit. */
static sked_status level_start(level_sweep *s, sked_error *err)
{
    for (uint32_t k = 0; k < s->rows.kinds; k++) {
        uint64_t left;
        if (!least_left(s, k, &left)) {
            return skedi_fail(err, SKED_ERR_INVALID, "least tasks do not fit",
                              (skedi_fault){.kind = (int32_t)k + 1});
        }
        s->full |= (uint32_t)(left == 0) << k;
    }
    return SKED_OK;
}

/* Adds client i to the sums with sign 1, removes the client with sign -1: the
 * rate of a rising client, the amount of any other client. */
static void level_add(level_sweep *s, uint32_t i, double sign)
{
    const level_client *c = &s->client[i];
    const int64_t *demand = level_demand(s, i);

    for (uint32_t k = 0; k < s->rows.kinds; k++) {
        if (c->state == LEVEL_RISING)
            s->slope[k] += sign * c->rate * (double)demand[k];
        else
            s->fixed[k] += sign * c->least * (double)demand[k];
    }
}

/* Stops the clients that need a full kind, and computes all sums again. */
static void level_stop(level_sweep *s, double level)
{
    memset(s->slope, 0, sizeof s->slope);
    memset(s->fixed, 0, sizeof s->fixed);
    for (uint32_t i = 0; i < s->rows.n; i++) {
        level_client *c = &s->client[i];
        const int64_t *demand = level_demand(s, i);
        int needs = 0;
        for (uint32_t k = 0; k < s->rows.kinds; k++) {
            needs |= demand[k] > 0 && (s->full >> k & 1);
        }
        if (needs && c->state != LEVEL_DONE) {
            c->least = c->most = tasks_at(c, level);
            c->state = LEVEL_DONE;
        }
        level_add(s, i, 1);
    }
}

/* The first level at which a kind is full if no client changes its state. */
static double next_full(const level_sweep *s, double up_to)
{
    for (uint32_t k = 0; k < s->rows.kinds; k++) {
        double memory = (double)s->rows.capacity[k] - s->fixed[k];
        if ((s->full >> k & 1) || s->slope[k] <= 0) continue;
        if (memory < up_to * s->slope[k]) up_to = memory / s->slope[k];
    }
    return up_to;
}

/* Marks the kinds that are full at this level, within rounding errors. */
static void mark_full(level_sweep *s, double level)
{
    for (uint32_t k = 0; k < s->rows.kinds; k++) {
        double capacity = (double)s->rows.capacity[k];
        double left = capacity - s->fixed[k] - level * s->slope[k];
        s->full |= (uint32_t)(left <= capacity * 1e-13) << k;
    }
}

/* Makes all stops before the level of the next event. */
static void level_advance(level_sweep *s, double to)
{
    for (uint32_t stops = 0; stops <= s->rows.kinds; stops++) {
        double level = next_full(s, to);
        if (level >= to) return;
        level_stop(s, level); /* exact sums before the kind is judged */
        level = next_full(s, to);
        mark_full(s, level);
        level_stop(s, level);
    }
}

static sked_status level_run(level_sweep *s, const skedi_hooks *hooks)
{
    for (size_t e = 0; e < s->n_events; e++) {
        sked_status rc = skedi_drf_pause(hooks, e, s->n_events);
        if (rc != SKED_OK) return rc;
        level_client *c = &s->client[s->event[e].index];
        double level;
        memcpy(&level, &s->event[e].key, sizeof level);
        level_advance(s, level);
        if (c->state == LEVEL_DONE) continue;
        level_add(s, s->event[e].index, -1);
        c->state = (int)s->event[e].tag;
        if (c->state == LEVEL_DONE) c->least = c->most;
        level_add(s, s->event[e].index, 1);
    }
    level_advance(s, 0x1p1000);
    return SKED_OK;
}

static void level_out(const level_sweep *s, double *tasks, double *left)
{
    for (uint32_t i = 0; i < s->rows.n; i++) tasks[i] = s->client[i].least;
    for (uint32_t k = 0; left && k < s->rows.kinds; k++) {
        double more = (double)s->rows.capacity[k];
        for (uint32_t i = 0; i < s->rows.n; i++) {
            more -= s->client[i].least * (double)level_demand(s, i)[k];
        }
        left[k] = (s->full >> k & 1) || more < 0 ? 0 : more;
    }
}

static sked_status level_solve(level_sweep *s, const skedi_hooks *hooks,
                               sked_error *err)
{
    for (uint32_t i = 0; i < s->rows.n; i++) level_client_in(s, i);
    sked_status rc = level_start(s, err);
    if (rc != SKED_OK) return rc;
    skedi_sort_keys(s->event, s->scratch, s->n_events);
    level_stop(s, 0);
    rc = level_run(s, hooks);
    if (rc == SKED_OK) return rc;
    return skedi_fail_stopped(err, rc);
}

sked_status sked_drf_level(const sked_drf_input *input, const sked_host *host,
                           double *tasks, double *left, sked_error *err)
{
    enum { READS = SKEDI_READS_DEMAND | SKEDI_READS_TASKS };
    level_sweep s = {.tasks = tasks};
    skedi_hooks hooks;

    sked_status rc = skedi_drf_rows_in(&s.rows, input, READS, err);
    if (rc != SKED_OK) return rc;
    const char *missing = s.rows.n && !tasks ? "tasks" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;

    size_t n = (size_t)s.rows.n;
    s.client = skedi_new(&hooks.mem, n, sizeof *s.client);
    s.event = skedi_new(&hooks.mem, n, 4 * sizeof *s.event);
    if (s.client && s.event) {
        s.scratch = s.event + 2 * n;
        rc = level_solve(&s, &hooks, err);
        if (rc == SKED_OK) level_out(&s, tasks, left);
    } else {
        rc = skedi_fail_memory(err);
    }
    skedi_free(&hooks.mem, s.event, n, 4 * sizeof *s.event);
    skedi_free(&hooks.mem, s.client, n, sizeof *s.client);
    return rc;
}

enum { BATCH_RUN_MIN = 64, BATCH_RUN_LONGER = 64, BATCH_STALLS = 4 };

/* True if another task of client i fits. A client without demand gets no
 * task. */
static int task_fits(const skedi_drf_batch *b, uint32_t i)
{
    const int64_t *demand = skedi_batch_demand(b, i);
    int64_t asks = 0, over = 0;

    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        asks |= demand[k];
        over |= b->pool[k] - demand[k];
    }
    return asks != 0 && over >= 0 && skedi_batch_left(b, i) > 0;
}

/* Keeps the live clients that can get a task. */
static void batch_filter(skedi_drf_batch *b)
{
    uint32_t n = 0;

    for (uint32_t j = 0; j < b->n_live; j++) {
        b->live[n] = b->live[j];
        n += (uint32_t)task_fits(b, b->live[j]);
    }
    b->n_live = n;
}

static void batch_enter(skedi_drf_batch *b)
{
    b->order.blocks = skedi_winner_blocks(b->n_live);
    for (uint32_t j = 0; j < b->order.blocks * SKEDI_WINNER_BLOCK; j++) {
        b->order.key[j] = j < b->n_live ? skedi_batch_key(b, b->live[j])
                                        : SKEDI_WINNER_OUT;
    }
    skedi_winner_build(&b->order);
}

/* How many tasks of client i fit, with `most` at the most. */
static int64_t tasks_fit_up_to(const skedi_drf_batch *b, uint32_t i,
                               int64_t most)
{
    const int64_t *demand = skedi_batch_demand(b, i);

    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        if (demand[k] == 0) continue;
        most = skedi_i64_min(most, b->pool[k] / demand[k]);
    }
    return most;
}

/*
 * Makes one decision for the first client; the task fits. With large weights
 * the key may stay the same. With `all`, the client then gets all tasks with
 * that key at once, because no other client comes between.
 */
static void batch_place(skedi_drf_batch *b, uint32_t player, int all)
{
    uint32_t i = b->live[player];
    uint64_t was = b->order.key[player];

    skedi_batch_give(b, i, 1);
    uint64_t key = skedi_batch_key(b, i);
    if (key == was && all) {
        int64_t alike = key < SKEDI_DRF_TOP ? batch_below(b, i, key + 1)
                                            : skedi_batch_left(b, i);
        skedi_batch_give(b, i, tasks_fit_up_to(b, i, alike));
        key = skedi_batch_key(b, i);
    }
    skedi_winner_set(&b->order, player, key);
}

/*
 * The loop itself, for at most `most` steps; a step is a decision or a client
 * that leaves. `order` (may be NULL) receives the clients of decisions; only
 * decisions count as steps then. `*ended` says that no client is left.
 */
static sked_status batch_run(skedi_drf_batch *b, uint64_t most, uint32_t *order,
                             int *ended)
{
    const skedi_winner *first = &b->order.node[1];

    *ended = b->n_live == 0;
    if (*ended) return SKED_OK;
    batch_enter(b);
    for (uint64_t done = 0; done < most;) {
        sked_status rc = skedi_batch_pause(b, 1);
        if (rc != SKED_OK) return rc;
        *ended = first->key == SKEDI_WINNER_OUT;
        if (*ended) return SKED_OK;
        uint32_t player = first->player, i = b->live[player];
        if (task_fits(b, i)) {
            batch_place(b, player, order == NULL);
            if (order) order[done] = i;
            done++;
            continue;
        }
        skedi_winner_set(&b->order, player, SKEDI_WINNER_OUT);
        done += order == NULL;
    }
    return SKED_OK;
}

/* True if the jump took at least half of the free amount of some kind. */
static int pool_halved(const skedi_drf_batch *b, const int64_t *before)
{
    int halved = 0;

    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        halved |= b->pool[k] < before[k] && b->pool[k] <= before[k] / 2;
    }
    return halved;
}

/* A jump; `*stalls` is how many in a row halved nothing. */
static sked_status batch_jump(skedi_drf_batch *b, unsigned *stalls,
                              uint64_t *gave)
{
    int64_t before[SKED_MAX_KINDS];

    memcpy(before, b->pool, sizeof before);
    sked_status rc = skedi_batch_pause(b, b->n_live);
    if (rc != SKED_OK) return rc;
    if (*stalls < BATCH_STALLS)
        *gave = batch_jump_guessed(b);
    else
        rc = batch_jump_searched(b, gave);
    *stalls += *stalls < BATCH_STALLS;
    if (pool_halved(b, before)) *stalls = 0;
    return rc;
}

/* Jumps and runs in turn until no client is left. */
static sked_status batch_all(skedi_drf_batch *b)
{
    unsigned stalls = 0;
    uint64_t run = 0;

    for (int ended = 0; !ended;) {
        uint64_t gave;
        batch_filter(b);
        if (b->n_live == 0) return SKED_OK;
        sked_status rc = batch_jump(b, &stalls, &gave);
        if (rc != SKED_OK) return rc;
        uint64_t least = b->n_live > BATCH_RUN_MIN ? b->n_live : BATCH_RUN_MIN;
        run = gave > b->n_live || run < least ? least : 2 * run;
        if (run > BATCH_RUN_LONGER * least) run = BATCH_RUN_LONGER * least;
        batch_filter(b);
        rc = batch_run(b, run, NULL, &ended);
        if (rc != SKED_OK) return rc;
    }
    return SKED_OK;
}

static void batch_release(skedi_drf_batch *b)
{
    skedi_mem *mem = &b->hooks.mem;
    size_t n = (size_t)b->rows.n, kinds = b->rows.kinds;

    skedi_free(mem, b->usage, n * kinds, sizeof *b->usage);
    skedi_free(mem, b->given, n, sizeof *b->given);
    skedi_free(mem, b->inverse, n, sizeof *b->inverse);
    skedi_free(mem, b->count, n, sizeof *b->count);
    skedi_free(mem, b->live, n, sizeof *b->live);
    skedi_free(mem, b->order.key, b->blocks,
               SKEDI_WINNER_BLOCK * sizeof *b->order.key);
    skedi_free(mem, b->order.node, b->blocks, 2 * sizeof *b->order.node);
    skedi_free(mem, b->guess, n * kinds, 3 * sizeof *b->guess);
}

static int batch_reserve(skedi_drf_batch *b)
{
    skedi_mem *mem = &b->hooks.mem;
    size_t n = (size_t)b->rows.n, kinds = b->rows.kinds;

    b->blocks = skedi_winner_blocks((uint32_t)b->rows.n);
    return (b->usage = skedi_new(mem, n * kinds, sizeof *b->usage)) &&
           (b->given = skedi_new(mem, n, sizeof *b->given)) &&
           (b->inverse = skedi_new(mem, n, sizeof *b->inverse)) &&
           (b->count = skedi_new(mem, n, sizeof *b->count)) &&
           (b->live = skedi_new(mem, n, sizeof *b->live)) &&
           (b->order.key = skedi_new(
                mem, b->blocks, SKEDI_WINNER_BLOCK * sizeof *b->order.key)) &&
           (b->order.node = skedi_new(mem, b->blocks,
                                      2 * sizeof *b->order.node)) &&
           (b->guess = skedi_new(mem, n * kinds, 3 * sizeof *b->guess));
}

static void batch_fill(skedi_drf_batch *b, const int64_t *pool)
{
    const sked_drf_input *rows = &b->rows;
    size_t cells = (size_t)rows->n * rows->kinds;

    memcpy(b->pool, pool, rows->kinds * sizeof *pool);
    if (rows->usage) memcpy(b->usage, rows->usage, cells * sizeof *b->usage);
    for (uint32_t k = 0; k < rows->kinds; k++) {
        b->scale[k] = skedi_drf_scale_of(rows->capacity[k]);
    }
    for (uint32_t i = 0; i < rows->n; i++) {
        b->live[i] = i;
        b->inverse[i] = skedi_drf_inverse(skedi_drf_weight(rows, i));
    }
    b->n_live = (uint32_t)rows->n;
}

/* Within the capacity, and no usage can grow beyond an amount. */
static sked_status pool_in(const sked_drf_input *rows, const int64_t *pool,
                           sked_error *err)
{
    for (uint32_t k = 0; k < rows->kinds; k++) {
        if (pool[k] >= 0 && pool[k] <= rows->capacity[k]) continue;
        return skedi_fail(err, SKED_ERR_RANGE,
                          "pool is not within the capacity",
                          (skedi_fault){.kind = (int32_t)k + 1,
                                        .got = pool[k],
                                        .limit = rows->capacity[k]});
    }
    for (size_t i = 0; rows->usage && i < (size_t)rows->n * rows->kinds; i++) {
        uint32_t k = (uint32_t)(i % rows->kinds);
        if (rows->usage[i] <= SKED_AMOUNT_MAX - pool[k]) continue;
        return skedi_fail(err, SKED_ERR_RANGE,
                          "usage and pool exceed an amount",
                          (skedi_fault){.kind = (int32_t)k + 1,
                                        .row = (int64_t)(i / rows->kinds) + 1,
                                        .got = rows->usage[i],
                                        .limit = SKED_AMOUNT_MAX - pool[k]});
    }
    return SKED_OK;
}

/* Takes everything in and makes ready; on failure nothing is held. */
static sked_status batch_start(skedi_drf_batch *b, const sked_host *host,
                               const sked_drf_input *rows, const int64_t *pool,
                               sked_error *err)
{
    enum { READS = SKEDI_READS_USAGE | SKEDI_READS_DEMAND | SKEDI_READS_TASKS };

    *b = (skedi_drf_batch){0};
    sked_status rc = skedi_drf_rows_in(&b->rows, rows, READS, err);
    if (rc != SKED_OK) return rc;
    if (!pool) return skedi_fail_null(err, "pool");
    rc = pool_in(&b->rows, pool, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_hooks_in(&b->hooks, host, err);
    if (rc != SKED_OK) return rc;
    if (!batch_reserve(b)) {
        batch_release(b);
        return skedi_fail_memory(err);
    }
    batch_fill(b, pool);
    return SKED_OK;
}

sked_status sked_drf_allocate(const sked_drf_input *input,
                              const sked_host *host, int64_t *pool,
                              int64_t *tasks, sked_error *err)
{
    skedi_drf_batch b;

    sked_status rc = batch_start(&b, host, input, pool, err);
    if (rc != SKED_OK) return rc;
    if (!tasks && b.rows.n) {
        rc = skedi_fail_null(err, "tasks");
    } else {
        rc = batch_all(&b);
        if (rc != SKED_OK) rc = skedi_fail_stopped(err, rc);
    }
    if (rc == SKED_OK) {
        memcpy(pool, b.pool, b.rows.kinds * sizeof *pool);
        if (b.rows.n) memcpy(tasks, b.given, (size_t)b.rows.n * sizeof *tasks);
    }
    batch_release(&b);
    return rc;
}

sked_status sked_drf_picks(const sked_drf_input *input, const sked_host *host,
                           int64_t *pool, uint32_t *order, size_t cap,
                           size_t *n, sked_error *err)
{
    skedi_drf_batch b;
    int ended;

    const char *missing = !n ? "n" : cap && !order ? "order" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = batch_start(&b, host, input, pool, err);
    if (rc != SKED_OK) return rc;

    rc = batch_run(&b, cap, order, &ended);
    if (rc == SKED_OK) {
        memcpy(pool, b.pool, b.rows.kinds * sizeof *pool);
        *n = (size_t)b.decisions;
    }
    batch_release(&b);
    return rc == SKED_OK ? rc : skedi_fail_stopped(err, rc);
}
