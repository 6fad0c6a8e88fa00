#ifndef FUZZ_ENGINE_ROWS_H
#define FUZZ_ENGINE_ROWS_H

/* What hosts say of their jobs, and in a truth, from bytes of an input. */
#include <sched/engine.h>

#include "input.h"

/* What a job may be, by bits; mostly one of them. */
static inline uint32_t job_flags(uint32_t how, uint32_t many)
{
    static const uint32_t one[] = {SKED_JOB_FIXED,     SKED_JOB_KEEPS,
                                   SKED_JOB_ADMITTED,  SKED_JOB_ONCE,
                                   SKED_JOB_READMIT,   SKED_JOB_CONTROLLER,
                                   SKED_JOB_REVOCABLE, SKED_JOB_YIELDS};
    uint32_t flags = how & SKED_JOB_RETRY;

    for (uint32_t i = 0; i < 8; i++) {
        if (how >= 192 ? many >> i & 1 : how / 2 % 16 == i) flags |= one[i];
    }
    return flags;
}

/* Of some asks nodes take alike: then as a rule so many that they may. */
static inline void make_exact(sked_event *event, sked_event_gang *gang)
{
    if (event->kind != SKED_EVENT_ASK_ADD || event->priority != 2) return;
    event->flags |= SKED_ASK_EXACT;
    if (gang->per_node < 2) return;
    event->count -= event->count % gang->per_node;
    gang->at_once -= gang->at_once % gang->per_node;
}

/* How long asks wait for their places, and gangs have something reserved. */
static inline void set_delays(sked_engine_options *opts, uint64_t delay,
                              uint64_t bound)
{
    opts->node_delay_ns = (int64_t)(delay % 3) * 10;
    opts->rack_delay_ns = (int64_t)(delay / 3 % 3) * 10;
    opts->form_nodes = (uint32_t)(delay / 81);
    opts->form_for_ns = (int64_t)(bound / 4 % 4) * 20;
}

/* One of so many keys, from 1 on; now and then another one. */
static inline uint64_t key_of(uint64_t of, uint64_t n)
{
    return of == 255 ? 99 : 1 + (n ? of % n : 0);
}

/* Attributes, and terms of rules, some of which are none. */
static inline void what_nodes_are(fuzz_input *in,
                                  sked_rule_attribute *attributes,
                                  sked_rule_term *terms)
{
    for (int i = 0; i < 3; i++) {
        uint64_t pair = fuzz_u64(in, 1), form = fuzz_u64(in, 1);
        attributes[i] = (sked_rule_attribute){pair % 3, (int64_t)pair / 3 % 4};
        terms[i].op = 1 + (uint32_t)form % 13;
        int joins = terms[i].op <= SKED_RULE_OP_OR;
        int values = terms[i].op == SKED_RULE_OP_IN;
        int host = terms[i].op == SKED_RULE_OP_HOST;
        int work = terms[i].op >= SKED_RULE_OP_AT_MOST && !host;
        if (joins || values || (work && pair & 64)) {
            terms[i].n = (uint32_t)form / 16 % 4;
        }
        if (terms[i].n && !joins) terms[i].first = (uint32_t)form / 64;
        if (!joins) terms[i].key = pair % 3;
        if (!joins && !values && (!host || form > 240))
            terms[i].value = (int64_t)form / 16 % 4;
        if (form == 255) terms[i].n += UINT64_C(1) << 32;
    }
}

/* Rows of a truth: first nodes, jobs and asks, then what is said of them. Most
 * can be so. */
static inline size_t draw_truth(const sked_queue_id *leaf, uint64_t leaves,
                                sked_time now, fuzz_input *in, sked_event *rows,
                                size_t most)
{
    static const int32_t kinds[] = {
        SKED_EVENT_NODE_UP,      SKED_EVENT_JOB_SUBMIT,   SKED_EVENT_ASK_ADD,
        SKED_EVENT_TASK_RUNNING, SKED_EVENT_NODE_DRAIN,   SKED_EVENT_ASK_TAGS,
        SKED_EVENT_ASK_PLACES,   SKED_EVENT_ASK_WITHDRAW,
    };
    /* Others, with the thing that each is of: a node, job or ask. */
    static const int32_t more[] = {
        SKED_EVENT_TASK_COST, SKED_EVENT_TASK_ENDS,      SKED_EVENT_JOB_LEAST,
        SKED_EVENT_ASK_RULE,  SKED_EVENT_ASK_PREFER,     SKED_EVENT_ASK_RACKS,
        SKED_EVENT_POOL,      SKED_EVENT_NODE_ATTRIBUTES};
    static const int of_more[] = {0, 0, 1, 2, 2, 2, 2, 0};
    uint64_t count[3] = {0};
    size_t n = 0;

    while (n < most && fuzz_more(in)) {
        uint64_t what = fuzz_u64(in, 1), of = fuzz_u64(in, 1);
        uint64_t kind = n < 6 ? n % 3 : what % 8;
        if (what == 255) break;
        sked_event *row = &rows[n++];
        *row = (sked_event){.time = now,
                            .kind = kinds[kind],
                            .queue = leaf[of % leaves],
                            .amount = kind == 0 || kind == 2,
                            .count = 1};
        if (kind < 3) row->key = of == 255 ? 1 : ++count[kind];
        if (kind == 1) row->owner = of / 16;
        if (kind == 2) {
            row->owner = key_of(of, count[1]);
            row->count = 1 + (int64_t)(what / 8);
            row->flags = of / 8 % 8 ? 0 : SKED_ASK_GANG;
        } else if (kind == 3) {
            row->key = key_of(of, count[0]);
            row->owner = key_of(of / 8, count[2]);
            row->count = 1 + (int64_t)(what / 64);
        } else if (kind > 3) {
            row->key = key_of(of, count[kind == 4 ? 0 : 2]);
            row->places = kind < 7 && kind > 4 && of & 64;
        }
        if (n <= 6 || what < 160 || what / 8 % 2) continue;
        uint64_t other = what % 8;
        row->kind = more[other];
        row->key = key_of(of, count[of_more[other]]);
        row->owner = key_of(of / 8, count[2]);
        row->count = (int64_t)(of / 32) - 1;
        row->flags = other < 2 && of != 254 ? SKED_TASK_ON_NODE : 0;
        row->places = other > 2 && of & 64;
        row->amount = other == 6;
    }
    return n;
}

#endif
