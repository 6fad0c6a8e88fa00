/* Lives: every table as a diagram and edge by edge, policies over ranges, and
 * updates of random jobs under random reports. */
#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "hash.h"

enum { ROWS = 24, TEXT = 16384 };

static uint64_t add_bytes_of(uint64_t h, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < n; i++) h = hash_add(h, at[i]);
    return h;
}

static uint64_t add_tables(uint64_t h)
{
    static char text[TEXT];
    sked_life_step step;
    uint32_t action;
    size_t n;

    for (uint32_t w = SKED_LIFE_TABLE_QUEUED; w <= SKED_LIFE_TABLE_GROUP; w++) {
        const sked_life_table *t = sked_life_table_of(w);
        HASH_MUST(sked_life_format(t, text, TEXT, &n, NULL) == SKED_OK);
        h = add_bytes_of(h, text, n);
        for (uint32_t s = 0; s < t->n_states; s++) {
            for (uint32_t e = 0; e < t->n_events; e++) {
                sked_life_at at = {s, 1};
                uint32_t cause = 1u << (e + s) % 6;
                sked_status rc = sked_life_next(t, &at, e, cause, &step, NULL);
                h = hash_add(h, (uint64_t)(int64_t)rc);
                if (rc == SKED_OK) h = hash_add(h, step.at.state);
            }
            for (uint32_t g = 0; g < t->n_states; g++) {
                HASH_MUST(sked_life_act(t, g, s, &action, NULL) == SKED_OK);
                h = hash_add(h, action);
            }
        }
    }
    return h;
}

static uint64_t add_policies(uint64_t h)
{
    sked_life_tries tries = {0, 0};
    sked_life_placing_result r;
    sked_life_record node = {0};
    sked_life_nodes nodes = {50, 0};

    for (uint32_t i = 0; i < 70; i++) {
        h = hash_add(h, (uint64_t)sked_life_backoff(i, 30, INT64_MAX));
        HASH_MUST(sked_life_placing_begin(SKED_LIFE_TASK_PLACING, NULL, &tries,
                                          &r, NULL) == SKED_OK);
        h = hash_add(h, (uint64_t)r.timeout_ns);
        h = hash_add(h, tries.cycle * 8 + tries.attempt);
        HASH_MUST(sked_life_node_fail(&node, i * INT64_C(40000000000), NULL,
                                      &nodes, NULL) == SKED_OK);
        h = hash_add(h, (uint64_t)node.until);
    }
    return h;
}

static void draw_instance(sked_life_instance *i, uint64_t version,
                          uint64_t *state)
{
    uint64_t x = hash_below(state, 8);

    *i = (sked_life_instance){.version = version,
                              .desired = version,
                              .state = SKED_LIFE_TASK_RUNNING,
                              .goal = SKED_LIFE_TASK_RUNNING,
                              .health = SKED_LIFE_HEALTH_HEALTHY,
                              .failures = x == 7};
    if (x > 4) i->state = SKED_LIFE_TASK_STARTING;
    i->beside = (uint32_t)hash_below(state, 4);
}

static uint64_t add_update(uint64_t h, uint64_t *state)
{
    uint64_t from[ROWS], to[ROWS], version[ROWS];
    uint32_t zone[ROWS];
    sked_life_instance is[ROWS];
    sked_life_order orders[2 * ROWS];
    uint8_t bytes[144 + 40 * ROWS + 8];
    size_t n;
    sked_life_sla sla = {.struct_size = sizeof sla,
                         .most_unavailable = (uint32_t)hash_below(state, 9)};
    sked_life_update_options o = {
        .struct_size = sizeof o,
        .flags = (uint32_t)hash_below(state, 16) & ~2u,
        .batch = (uint32_t)hash_below(state, 6),
        .max_failures = (uint32_t)hash_below(state, 9),
        .max_attempts = 1,
        .overlap = (uint32_t)hash_below(state, 4),
        .canary = (uint32_t)hash_below(state, 3),
        .sla = &sla,
        .canary_ns = 2};
    sked_life_update_input in = {.struct_size = sizeof in,
                                 .from = from,
                                 .to = to,
                                 .zone = zone,
                                 .n = ROWS};
    sked_life_update *u = NULL;

    for (int i = 0; i < ROWS; i++) {
        from[i] = version[i] = hash_below(state, 6) ? 1 : 0;
        to[i] = from[i] && !hash_below(state, 6) ? 0 : 2;
        zone[i] = (uint32_t)hash_below(state, 3);
    }
    HASH_MUST(sked_life_update_new(&in, &o, NULL, &u, NULL) == SKED_OK);
    for (sked_time now = 0; now < 30; now++) {
        for (int i = 0; i < ROWS; i++) draw_instance(&is[i], version[i], state);
        HASH_MUST(sked_life_update_step(u, is, ROWS, now, orders, 2 * ROWS, &n,
                                        NULL) == SKED_OK);
        for (size_t i = 0; i < n; i++) {
            h = hash_add(hash_add(h, orders[i].kind), orders[i].row);
            if (orders[i].version) version[orders[i].row] = orders[i].version;
        }
    }
    HASH_MUST(sked_life_update_save(u, bytes, sizeof bytes, &n, NULL) ==
              SKED_OK);
    sked_life_update_free(u);
    return add_bytes_of(h, bytes, n);
}

uint64_t hash_life(unsigned size);

uint64_t hash_life(unsigned size)
{
    uint64_t state = 77, h = add_policies(add_tables(0));

    for (unsigned i = 0; i < 200 * size; i++) h = add_update(h, &state);
    return h;
}
