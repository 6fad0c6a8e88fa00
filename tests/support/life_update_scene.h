#ifndef TEST_LIFE_UPDATE_SCENE_H
#define TEST_LIFE_UPDATE_SCENE_H

/* An update of some instances, and a host that carries it out. */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "host.h"

enum { MOST = 12 };

/* A job and its update. Instances do what they are told when settle() says so. */
typedef struct scene {
    uint64_t from[MOST], to[MOST];
    uint32_t zone[MOST];
    sked_life_instance is[MOST];
    sked_life_sla sla;
    sked_life_update_options o;
    sked_life_update *u;
    sked_life_order order[2 * MOST];
    size_t n, orders, cap;
    sked_time now;
} scene;

/* `n` instances at version 1, to be at 2. */
static inline scene *begin_scene(scene *s, size_t n)
{
    memset(s, 0, sizeof *s);
    s->n = n;
    s->cap = 2 * MOST;
    for (size_t i = 0; i < n; i++) {
        s->from[i] = 1;
        s->to[i] = 2;
        s->is[i] = (sked_life_instance){.version = 1,
                                        .desired = 1,
                                        .state = SKED_LIFE_TASK_RUNNING,
                                        .goal = SKED_LIFE_TASK_RUNNING,
                                        .health = SKED_LIFE_HEALTH_HEALTHY};
    }
    s->sla.struct_size = sizeof s->sla;
    s->o = (sked_life_update_options){
        .struct_size = sizeof s->o, .max_attempts = 1, .sla = &s->sla};
    return s;
}

static inline sked_status try_begin(scene *s, sked_error *err)
{
    sked_life_update_input in = {.struct_size = sizeof in,
                                 .from = s->from,
                                 .to = s->to,
                                 .zone = s->zone,
                                 .n = s->n};

    return sked_life_update_new(&in, &s->o, NULL, &s->u, err);
}

static inline void open_scene(scene *s)
{
    assert_ok(try_begin(s, NULL));
}

static inline void step(scene *s)
{
    assert_ok(sked_life_update_step(s->u, s->is, s->n, s->now, s->order, s->cap,
                                    &s->orders, NULL));
}

/* Carries out what was told: it comes up, or (fails) does not. */
static inline void settle(scene *s, int fails)
{
    for (size_t k = 0; k < s->orders; k++) {
        const sked_life_order *o = &s->order[k];
        sked_life_instance *i = &s->is[o->row];
        if (o->kind == SKED_LIFE_ORDER_REMOVE) {
            i->state = SKED_LIFE_TASK_DELETED;
        } else if (o->kind == SKED_LIFE_ORDER_BESIDE) {
            i->beside = fails ? SKED_LIFE_BESIDE_FAILED : SKED_LIFE_BESIDE_UP;
        } else if (o->kind == SKED_LIFE_ORDER_DROP) {
            i->beside = SKED_LIFE_BESIDE_NONE;
        } else {
            i->version = i->desired = o->version;
            i->state = fails ? SKED_LIFE_TASK_FAILED : SKED_LIFE_TASK_RUNNING;
            i->health = SKED_LIFE_HEALTH_HEALTHY;
            i->failures = (uint32_t)fails;
            i->beside = SKED_LIFE_BESIDE_NONE;
        }
    }
}

static inline sked_life_update_stats read_scene(const scene *s)
{
    sked_life_update_stats r = {.struct_size = sizeof r};

    assert_ok(sked_life_update_get_stats(s->u, &r, NULL));
    return r;
}

static inline void assert_state(const scene *s, uint32_t state, uint32_t why)
{
    sked_life_update_stats r = read_scene(s);

    assert_int_equal(r.at.state, state);
    assert_int_equal(r.why, why);
}

static inline void close_scene(scene *s)
{
    sked_life_update_free(s->u);
    s->u = NULL;
}

#endif
