/*
 * DRF with divisible tasks, in doubles, for analysis. Client i has
 * clamp(level * w / D, least, most) tasks, D being its dominant share of one
 * task; so what all of them take of a kind is a line between any two of the
 * levels at which one leaves its bounds. These are sorted once and swept; when
 * a kind becomes full within a stretch, the clients that need it stop where
 * they are and the sweep goes on, so that there are at most as many stops as
 * kinds. At a stop all sums are taken anew, so that rounding does not add up.
 */
#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/sort.h"
#include "drf/rows_in.h"

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
    skedi_keyed *event; /* index: client; tag: the state it enters */
    skedi_keyed *scratch;
    size_t n_events;
    double *tasks;
    double slope[SKED_MAX_KINDS]; /* what rising clients take a unit of level */
    double fixed[SKED_MAX_KINDS]; /* what all others have */
    uint32_t full;                /* kinds, a bit each */
} level_sweep;

static const int64_t *level_demand(const level_sweep *s, uint32_t i)
{
    return s->rows.demand + (size_t)i * s->rows.kinds;
}

/* Dominant share of one task; 0: it asks for nothing; -1: it can never run. */
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
        c->most = c->least; /* it stays where it is */
        return;
    }
    c->state = LEVEL_BELOW;
    c->rate = skedi_drf_weight(&s->rows, i) / share;
    add_event(s, i, c->least / c->rate, LEVEL_RISING);
    if (most != SKED_UNLIMITED) {
        add_event(s, i, c->most / c->rate, LEVEL_DONE);
    }
}

/* What the least tasks leave of a kind; 0 is returned when they do not fit. */
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

/* All that client i has, or takes a unit of level, into the sums; or out. */
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

/* Stops the clients that need a full kind, and takes all sums anew. */
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

/* The first level at which a kind is full, all going on as they do. */
static double next_full(const level_sweep *s, double up_to)
{
    for (uint32_t k = 0; k < s->rows.kinds; k++) {
        double memory = (double)s->rows.capacity[k] - s->fixed[k];
        if ((s->full >> k & 1) || s->slope[k] <= 0) continue;
        if (memory < up_to * s->slope[k]) up_to = memory / s->slope[k];
    }
    return up_to;
}

/* Marks what is full at this level, but for rounding. */
static void mark_full(level_sweep *s, double level)
{
    for (uint32_t k = 0; k < s->rows.kinds; k++) {
        double capacity = (double)s->rows.capacity[k];
        double left = capacity - s->fixed[k] - level * s->slope[k];
        s->full |= (uint32_t)(left <= capacity * 1e-13) << k;
    }
}

/* Everything that stops before the level of the next event. */
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
