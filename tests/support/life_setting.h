#ifndef TEST_LIFE_SETTING_H
#define TEST_LIFE_SETTING_H

/* What an update's life is explored in: its setting, what may happen, what is promised. */
#include "test.h"

#include <sched/sked.h>

#include "base/hash.h"

enum { ROWS = 6, BYTES = 144 + 40 * ROWS + 8, SEEN = 1 << 20 };

/* An instance as it really is. */
typedef struct real {
    uint8_t version; /* 0: none */
    uint8_t desired;
    uint8_t up;
    uint8_t order; /* of the update, that the host has not carried out yet */
    uint8_t beside;
    uint8_t failed;
    uint8_t target;
    uint8_t unused;
} real;

/* What may happen in all, and what is to hold. */
typedef struct setting {
    uint32_t n;
    uint8_t from[ROWS], to[ROWS], zone[ROWS];
    uint32_t failures, pauses, aborts;
    uint32_t flags, batch, max_failures, overlap, canary, least, most;
    int64_t canary_ns;
} setting;

typedef struct point {
    uint8_t update[BYTES];
    real row[ROWS];
    uint8_t failures, pauses, aborts,
        late; /* that may still come; time so far */
} point;

typedef struct search {
    const setting *s;
    uint64_t *seen; /* digests of points; 0: none */
    uint8_t *open;  /* 1: on the way that is being gone */
    uint64_t points, ends[SKED_LIFE_UPDATE_STATE_ROLLED_BACK + 1], most_down;
} search;

/* ---- As the update sees it ---- */

static inline sked_life_instance instance_of(const real *r)
{
    sked_life_instance i = {.version = r->version,
                            .desired = r->desired,
                            .goal = SKED_LIFE_TASK_RUNNING,
                            .health = SKED_LIFE_HEALTH_HEALTHY,
                            .beside = r->beside,
                            .failures = r->failed};

    if (r->order == SKED_LIFE_ORDER_REMOVE) i.goal = SKED_LIFE_TASK_DELETED;
    if (r->up)
        i.state = SKED_LIFE_TASK_RUNNING;
    else if (r->failed)
        i.state = SKED_LIFE_TASK_FAILED;
    else if (r->version || r->order)
        i.state = SKED_LIFE_TASK_STARTING;
    return i;
}

static inline void hear(real *r, const sked_life_order *order)
{
    uint8_t version = (uint8_t)order->version;

    r->target = version;
    if (order->kind == SKED_LIFE_ORDER_BESIDE) {
        assert_int_equal(r->beside, SKED_LIFE_BESIDE_NONE);
        r->beside = SKED_LIFE_BESIDE_COMING;
    } else if (order->kind == SKED_LIFE_ORDER_SWITCH) {
        assert_int_equal(r->beside, SKED_LIFE_BESIDE_UP);
    } else if (order->kind != SKED_LIFE_ORDER_DROP) {
        assert_int_equal(r->beside, SKED_LIFE_BESIDE_NONE);
    }
    r->order = (uint8_t)order->kind;
    /* It runs this version still: there is nothing to do. */
    if ((order->kind == SKED_LIFE_ORDER_CHANGE ||
         order->kind == SKED_LIFE_ORDER_ADD) &&
        r->up && r->version == version) {
        r->order = 0;
    }
}

/* ---- What may happen to an instance ---- */

/* Carries on with what was ordered: 1 if something happened. */
static inline int carry_on(real *r, int fails)
{
    uint8_t order = r->order;

    if (!order) return 0;
    if (order == SKED_LIFE_ORDER_ADD || order == SKED_LIFE_ORDER_CHANGE) {
        r->desired = r->target; /* heard of late, as hosts do */
        r->failed = 0;
    }
    if (order == SKED_LIFE_ORDER_CHANGE && r->up) {
        r->up = 0;
        return !fails;
    }
    r->order = 0;
    if (order == SKED_LIFE_ORDER_ADD || order == SKED_LIFE_ORDER_CHANGE) {
        r->version = r->target;
        r->up = (uint8_t)!fails;
        r->failed = (uint8_t)fails;
        return 1;
    }
    if (order == SKED_LIFE_ORDER_BESIDE) {
        r->beside = fails ? SKED_LIFE_BESIDE_FAILED : SKED_LIFE_BESIDE_UP;
        return 1;
    }
    if (order == SKED_LIFE_ORDER_REMOVE) {
        *r = (real){0};
    } else if (order == SKED_LIFE_ORDER_DROP) {
        r->beside = SKED_LIFE_BESIDE_NONE;
    } else {
        r->version = r->desired = r->target;
        r->up = 1;
        r->beside = SKED_LIFE_BESIDE_NONE;
    }
    return !fails;
}

/* ---- What is to hold ---- */

static inline sked_life_update *load(const point *p, uint32_t n)
{
    sked_life_update *u = NULL;

    assert_ok(
        sked_life_update_load(p->update, 144 + 40 * n + 8, NULL, &u, NULL));
    return u;
}

static inline void save(point *p, const sked_life_update *u)
{
    size_t n;

    assert_ok(sked_life_update_save(u, p->update, BYTES, &n, NULL));
}

static inline void check_promise(search *x, const point *p)
{
    const setting *s = x->s;
    uint32_t up = 0, down = 0, had = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        const real *r = &p->row[i];
        uint32_t here = r->up || r->beside == SKED_LIFE_BESIDE_UP;
        up += here;
        had += s->from[i] != 0;
        down += !here && s->from[i] && s->to[i];
    }
    if (s->most) assert_true(down <= s->most);
    if (s->least) assert_true(up >= (had < s->least ? had : s->least));
    if (down > x->most_down) x->most_down = down;
}

static inline void check_end(search *x, const point *p)
{
    const setting *s = x->s;
    sked_life_update *u = load(p, s->n);
    sked_life_update_stats r = {.struct_size = sizeof r};

    assert_ok(sked_life_update_get_stats(u, &r, NULL));
    x->ends[r.at.state]++;
    if (r.at.state == SKED_LIFE_UPDATE_STATE_PAUSED) {
        assert_true(s->pauses || (s->canary && !s->canary_ns));
    } else {
        assert_true(r.at.state >= SKED_LIFE_UPDATE_STATE_SUCCEEDED);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        const real *row = &p->row[i];
        if (r.at.state == SKED_LIFE_UPDATE_STATE_SUCCEEDED && !row->failed) {
            assert_int_equal(row->version, row->beside || row->target == 0
                                               ? row->version
                                               : s->to[i]);
        }
        if (r.at.state == SKED_LIFE_UPDATE_STATE_ROLLED_BACK) {
            assert_int_equal(row->version, s->from[i]);
            assert_int_equal(row->up || row->failed, s->from[i] != 0);
        }
        if (r.at.state >= SKED_LIFE_UPDATE_STATE_SUCCEEDED) {
            assert_int_equal(row->beside, SKED_LIFE_BESIDE_NONE);
        }
    }
    sked_life_update_free(u);
}

#endif
