/*
 * Any table: what is refused names a row that is there, what is sound never
 * leads out of its states, and every diagram ends. Any saved update: what is
 * taken goes on. Any job and any reports about it: an update that is told
 * anything at all never says more than one thing at a time to an instance, never
 * more than a batch, and stops no instance that its SLA needs.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "input.h"

enum { NAMES = 6, EDGES = 12, GOALS = 4, ROWS = 8, TEXT = 16384 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_life.c:%d: %s does not hold\n", line, what);
    abort();
}

/* Below `small` as a rule, else anything. */
static uint32_t any_small(fuzz_input *in, uint32_t small)
{
    uint64_t x = fuzz_u64(in, 1);

    return x < 250 ? (uint32_t)(x % small) : (uint32_t)fuzz_u64(in, 4);
}

/* ---- Tables ---- */

typedef struct table_rows {
    sked_life_name states[NAMES], events[NAMES], actions[NAMES];
    sked_life_edge edges[EDGES];
    sked_life_goal goals[GOALS];
} table_rows;

static void any_names(fuzz_input *in, sked_life_name *names, uint32_t marks)
{
    for (int i = 0; i < NAMES; i++) {
        names[i].text[0] = (char)('a' + i);
        if (fuzz_u64(in, 1) == 77) {
            names[i].text[fuzz_u64(in, 1) % SKED_MAX_LIFE_NAME] = (char)
                fuzz_u64(in, 1);
        }
        if (marks) names[i].marks = any_small(in, marks);
    }
}

static sked_life_table any_table(fuzz_input *in, table_rows *r)
{
    memset(r, 0, sizeof *r);
    any_names(in, r->states, 8);
    any_names(in, r->events, 0);
    any_names(in, r->actions, 0);
    for (int i = 0; i < EDGES; i++) {
        r->edges[i].from = fuzz_u64(in, 1) % 64;
        r->edges[i].event = any_small(in, NAMES);
        r->edges[i].next = any_small(in, NAMES + 1);
        if (r->edges[i].next == NAMES) r->edges[i].next = SKED_LIFE_BEFORE;
        r->edges[i].causes = any_small(in, 64);
        r->edges[i].marks = any_small(in, 4);
    }
    for (int i = 0; i < GOALS; i++) {
        r->goals[i].goals = fuzz_u64(in, 1) % 64;
        r->goals[i].states = fuzz_u64(in, 1) % 64;
        r->goals[i].action = any_small(in, NAMES);
    }
    return (sked_life_table){.struct_size = sizeof(sked_life_table),
                             .name = "any",
                             .states = r->states,
                             .n_states = 1 + fuzz_u64(in, 1) % NAMES,
                             .events = r->events,
                             .n_events = 1 + fuzz_u64(in, 1) % NAMES,
                             .edges = r->edges,
                             .n_edges = fuzz_u64(in, 1) % (EDGES + 1),
                             .actions = r->actions,
                             .n_actions = fuzz_u64(in, 1) % (NAMES + 1),
                             .goals = r->goals,
                             .n_goals = fuzz_u64(in, 1) % (GOALS + 1)};
}

/* Goes where it is told, as long as it is legal. */
static void walk(fuzz_input *in, const sked_life_table *t, int sound)
{
    sked_life_at at = {any_small(in, NAMES), any_small(in, NAMES)};
    sked_life_step step;
    sked_error err;

    for (int i = 0; i < 16 && fuzz_more(in); i++) {
        uint32_t event = any_small(in, NAMES);
        uint32_t cause = 1u << (fuzz_u64(in, 1) % 7);
        sked_status rc = sked_life_next(t, &at, event, cause, &step, &err);
        if (rc == SKED_OK) {
            MUST(step.at.state < t->n_states);
            MUST((step.outcome == SKED_LIFE_OUTCOME_MOVED) ==
                 (step.at.state != at.state));
            at = step.at;
        } else {
            MUST(memchr(err.message, 0, sizeof err.message));
            /* Of a sound table only a number that is not there, or a way back
             * from nowhere. */
            MUST(!sound || rc == SKED_ERR_STATE || rc == SKED_ERR_RANGE);
        }
    }
}

static void one_table(fuzz_input *in)
{
    static char text[TEXT];
    table_rows rows;
    sked_life_table t = any_table(in, &rows);
    sked_life_fault faults[64];
    sked_error err = {.row = -1};
    uint32_t edge, action;
    size_t n;
    sked_status rc = sked_life_check(&t, faults, 64, &n, &err);

    if (rc == SKED_ERR_INVALID) MUST(n > 0 && n <= 64);
    if (rc == SKED_ERR_RANGE || rc == SKED_ERR_EXISTS) MUST(err.row < EDGES);
    sked_status drawn = sked_life_format(&t, text, TEXT, &n, NULL);
    MUST((drawn == SKED_OK) == (rc == SKED_OK || rc == SKED_ERR_INVALID));
    if (drawn == SKED_OK) MUST(strlen(text) == n);
    for (uint32_t s = 0; s <= t.n_states; s++) {
        (void)!sked_life_way(&t, s, any_small(in, NAMES), &edge, &err);
        (void)!sked_life_act(&t, s, any_small(in, NAMES), &action, &err);
    }
    walk(in, &t, rc == SKED_OK || rc == SKED_ERR_INVALID);
}

/* ---- Updates ---- */

static sked_life_instance any_instance(fuzz_input *in)
{
    return (sked_life_instance){.version = fuzz_u64(in, 1) % 4,
                                .desired = fuzz_u64(in, 1) % 4,
                                .run = fuzz_u64(in, 1) % 2,
                                .desired_run = fuzz_u64(in, 1) % 2,
                                .since = (sked_time)fuzz_u64(in, 1),
                                .state = any_small(in, SKED_LIFE_TASK_STATES),
                                .goal = any_small(in, SKED_LIFE_TASK_STATES),
                                .health = any_small(in, 4),
                                .ended = any_small(in, 5),
                                .failures = any_small(in, 3),
                                .beside = any_small(in, 4),
                                .told = any_small(in, 2)};
}

/* Nothing is asked of an available instance that the SLA needs. */
static void check_orders(const sked_life_instance *is, size_t rows,
                         const sked_life_order *orders, size_t n,
                         uint32_t least)
{
    uint64_t up = 0, stopped = 0, told = 0;

    for (size_t i = 0; i < rows; i++) {
        up += sked_life_availability_of(&is[i]) ==
                  SKED_LIFE_AVAILABILITY_AVAILABLE &&
              !is[i].told;
    }
    for (size_t i = 0; i < n; i++) {
        const sked_life_instance *one = &is[orders[i].row];
        MUST(orders[i].row < rows);
        if (orders[i].kind == SKED_LIFE_ORDER_DROP) continue;
        MUST(!(told & UINT64_C(1) << orders[i].row));
        told |= UINT64_C(1) << orders[i].row;
        stopped += (orders[i].kind == SKED_LIFE_ORDER_CHANGE ||
                    orders[i].kind == SKED_LIFE_ORDER_REMOVE) &&
                   sked_life_availability_of(one) ==
                       SKED_LIFE_AVAILABILITY_AVAILABLE &&
                   !one->told;
    }
    if (stopped && least) MUST(up >= stopped + least);
}

static void one_update(fuzz_input *in)
{
    uint64_t from[ROWS], to[ROWS], had = 0;
    uint32_t zone[ROWS];
    sked_life_instance is[ROWS];
    sked_life_order orders[2 * ROWS];
    uint8_t bytes[1024];
    size_t n, rows = 1 + fuzz_u64(in, 1) % ROWS;
    sked_life_sla sla = {.struct_size = sizeof sla,
                         .least_running = any_small(in, 6),
                         .most_unavailable = any_small(in, 4)};
    sked_life_update_options o = {.struct_size = sizeof o,
                                  .flags = (uint32_t)fuzz_u64(in, 1) % 16,
                                  .batch = any_small(in, 4),
                                  .max_failures = any_small(in, 4),
                                  .max_attempts = any_small(in, 3),
                                  .overlap = any_small(in, 3),
                                  .canary = any_small(in, 3),
                                  .sla = &sla,
                                  .canary_ns = (int64_t)fuzz_u64(in, 1),
                                  .within_ns = (int64_t)fuzz_u64(in, 1)};
    sked_life_update_input input = {.struct_size = sizeof input,
                                    .from = from,
                                    .to = to,
                                    .zone = zone,
                                    .n = rows};
    sked_life_update *u = NULL, *twin = NULL;

    for (size_t i = 0; i < rows; i++) {
        from[i] = fuzz_u64(in, 1) % 3;
        to[i] = fuzz_u64(in, 1) % 3;
        zone[i] = any_small(in, 3);
        had += from[i] != 0;
    }
    if (sked_life_update_new(&input, &o, NULL, &u, NULL) != SKED_OK) return;
    uint32_t least = sla.least_running < had ? sla.least_running
                                             : (uint32_t)had;
    for (sked_time now = 0; now < 40 && fuzz_more(in); now++) {
        sked_life_update_stats r = {.struct_size = sizeof r};
        for (size_t i = 0; i < rows; i++) is[i] = any_instance(in);
        if (fuzz_u64(in, 1) % 16 == 0) {
            MUST(sked_life_update_tell(
                     u, SKED_LIFE_EVENT_PAUSE + (uint32_t)fuzz_u64(in, 1) % 3,
                     NULL) == SKED_OK);
        }
        if (sked_life_update_step(u, is, rows, now, orders, 2 * ROWS, &n,
                                  NULL) != SKED_OK) {
            continue;
        }
        check_orders(is, rows, orders, n, least);
        MUST(sked_life_update_get_stats(u, &r, NULL) == SKED_OK);
        MUST(r.done + r.failed + r.progress + r.waiting == r.total);
        MUST(sked_life_update_save(u, bytes, sizeof bytes, &n, NULL) ==
             SKED_OK);
        MUST(sked_life_update_load(bytes, n, NULL, &twin, NULL) == SKED_OK);
        sked_life_update_free(u);
        u = twin;
    }
    sked_life_update_free(u);
}

/* Bytes of anyone, with a digest that fits. */
static void one_save(fuzz_input *in)
{
    uint8_t bytes[144 + 40 * 2 + 8];
    sked_life_instance is[2];
    sked_life_order orders[4];
    sked_life_update *u = NULL;
    size_t n;

    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = i % 8 < 2 ? (uint8_t)(fuzz_u64(in, 1) % 9) : 0;
    }
    memcpy(bytes, "skdlife0\2\0\0\0\0\0\0\0", 16);
    uint64_t digest = skedi_hash_of(bytes, sizeof bytes - 8, 0);
    for (int i = 0; i < 8; i++) {
        bytes[sizeof bytes - 8 + (size_t)i] = (uint8_t)(digest >> 8 * i);
    }
    if (sked_life_update_load(bytes, sizeof bytes, NULL, &u, NULL) != SKED_OK) {
        MUST(!u);
        return;
    }
    for (int turn = 0; turn < 8; turn++) {
        is[0] = any_instance(in);
        is[1] = any_instance(in);
        (void)!sked_life_update_step(u, is, 2, turn, orders, 4, &n, NULL);
    }
    sked_life_update_free(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};

    while (fuzz_more(&in)) {
        switch (fuzz_u64(&in, 1) % 3) {
        case 0: one_table(&in); break;
        case 1: one_update(&in); break;
        default: one_save(&in); break;
        }
    }
    return 0;
}
