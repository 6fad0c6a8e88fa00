#ifndef TEST_ENGINE_LIFE_H
#define TEST_ENGINE_LIFE_H

/* States of the things of an engine, made by events that have a word each. */
#include <stdio.h>

#include "engine_fixture.h"

/* ---- What is done: words, one blank between them ---- */

enum { TASKS = 4, DEADLINE = 10 };

typedef struct life {
    engine_fixture *f;
    sked_queue_id leaf;
    sked_queue_id
        rival; /* a queue that is guaranteed the node, once it is told */
    uint64_t group;
    int noticed;     /* a round gave the group notice */
    uint32_t pooled; /* kinds that lie on no node */
} life;

typedef struct life_word {
    const char *word;
    int32_t kind;
    int64_t count;
} life_word;

static const life_word life_words[] = {
    {"node_up", SKED_EVENT_NODE_UP, 0},
    {"node_change", SKED_EVENT_NODE_CHANGE, 0},
    {"node_change_20", SKED_EVENT_NODE_CHANGE, 0},
    {"node_drain", SKED_EVENT_NODE_DRAIN, 0},
    {"node_resume", SKED_EVENT_NODE_RESUME, 0},
    {"node_down", SKED_EVENT_NODE_DOWN, 0},
    {"heartbeat", SKED_EVENT_HEARTBEAT, 0},
    {"job_submit", SKED_EVENT_JOB_SUBMIT, 0},
    {"job_update", SKED_EVENT_JOB_UPDATE, 0},
    {"job_cancel", SKED_EVENT_JOB_CANCEL, 0},
    {"job_finish", SKED_EVENT_JOB_FINISH, 0},
    {"ask_add", SKED_EVENT_ASK_ADD, TASKS},
    {"another_ask", SKED_EVENT_ASK_ADD, 1},
    {"ask_change_0", SKED_EVENT_ASK_CHANGE, 0},
    {"ask_change_6", SKED_EVENT_ASK_CHANGE, 6},
    {"ask_withdraw", SKED_EVENT_ASK_WITHDRAW, 0},
    {"confirm", SKED_EVENT_TASK_CONFIRM, 0},
    {"refuse", SKED_EVENT_TASK_REFUSE, 0},
    {"finish_1", SKED_EVENT_TASK_FINISH, 1},
    {"finish_all", SKED_EVENT_TASK_FINISH, TASKS},
    {"fail_1", SKED_EVENT_TASK_FAIL, 1},
    {"lost_1", SKED_EVENT_TASK_LOST, 1},
    {"lost_all", SKED_EVENT_TASK_LOST, TASKS},
    {"killed_1", SKED_EVENT_TASK_KILLED, 1},
    {"killed_all", SKED_EVENT_TASK_KILLED, TASKS},
    {"released_1", SKED_EVENT_TASK_RELEASED, 1},
    {"released_all", SKED_EVENT_TASK_RELEASED, TASKS},
    {"saved", SKED_EVENT_TASK_SAVED, 0},
    {"deadline", SKED_EVENT_TICK, 0},
    {"node_move", SKED_EVENT_NODE_MOVE, 0},
    {"node_attributes", SKED_EVENT_NODE_ATTRIBUTES, 0},
    {"allow_node", SKED_EVENT_ALLOW, 0},
    {"allow_ask", SKED_EVENT_ALLOW, 0},
    {"allow_job", SKED_EVENT_ALLOW, 0},
    {"refuse_node", SKED_EVENT_TASK_REFUSE, 0},
    {"refuse_ask", SKED_EVENT_TASK_REFUSE, 0},
    {"refuse_job", SKED_EVENT_TASK_REFUSE, 0},
    {"job_least", SKED_EVENT_JOB_LEAST, 1},
    {"job_exclude", SKED_EVENT_JOB_EXCLUDE, 0},
    {"running_1", SKED_EVENT_TASK_RUNNING, 1},
    {"ask_rule", SKED_EVENT_ASK_RULE, 0},
    {"ask_tags", SKED_EVENT_ASK_TAGS, 0},
    {"ask_exclude", SKED_EVENT_ASK_EXCLUDE, 0},
    {"ask_places", SKED_EVENT_ASK_PLACES, 0},
    {"ask_racks", SKED_EVENT_ASK_RACKS, 0},
    {"ask_prefer", SKED_EVENT_ASK_PREFER, 1},
    {"resize", SKED_EVENT_TASK_RESIZE, 0},
    {"ends", SKED_EVENT_TASK_ENDS, 0},
    {"cost", SKED_EVENT_TASK_COST, 1},
    {"round", SKED_EVENT_ROUND, 0},
    {"later_round", SKED_EVENT_ROUND, 0},
    {"pool_0", SKED_EVENT_POOL, 0},
    {"pool_2", SKED_EVENT_POOL, 2},
    {"pool_4", SKED_EVENT_POOL, 4},
    {"pool_10", SKED_EVENT_POOL, 10},
};

static inline const life_word *word_called(const char *word)
{
    size_t n = sizeof life_words / sizeof *life_words;

    for (size_t i = 0; i < n; i++) {
        if (strcmp(life_words[i].word, word) == 0) return &life_words[i];
    }
    fail_msg("no event is called %s", word);
    return NULL;
}

/* Does an event name a group? */
static inline int names_group(int32_t kind)
{
    return (kind >= SKED_EVENT_TASK_CONFIRM &&
            kind <= SKED_EVENT_TASK_FINISH + 2) ||
           kind == SKED_EVENT_TASK_KILLED || kind == SKED_EVENT_TASK_RELEASED ||
           kind == SKED_EVENT_TASK_SAVED || kind == SKED_EVENT_TASK_RESIZE ||
           kind == SKED_EVENT_TASK_ENDS || kind == SKED_EVENT_TASK_COST;
}

/* How far a refusal or what lifts one reaches. */
static inline uint32_t scope_of(const char *word)
{
    if (strncmp(word, "allow", 5) != 0 && strncmp(word, "refuse_", 7) != 0) {
        return 0;
    }
    if (strstr(word, "_node")) return SKED_REFUSE_NODE;
    return strstr(word, "_ask") ? SKED_REFUSE_ASK : SKED_REFUSE_JOB;
}

static inline sked_event event_of(const life *l, const char *word)
{
    const life_word *found = word_called(word);
    sked_event e = {.kind = found->kind,
                    .key = names_group(found->kind) ? l->group : 1,
                    .owner = 1,
                    .flags = scope_of(word),
                    .count = found->count,
                    .amount = 1,
                    .priority = found->kind == SKED_EVENT_JOB_UPDATE};

    if (e.kind == SKED_EVENT_JOB_SUBMIT) e.queue = l->leaf;
    if (strcmp(word, "another_ask") == 0) e.key = 2;
    if (e.kind == SKED_EVENT_NODE_MOVE) e.partition = 1;
    return e;
}

static inline sked_status tell(life *l, const char *word)
{
    sked_event e = event_of(l, word);
    int node = e.kind == SKED_EVENT_NODE_UP || e.kind == SKED_EVENT_NODE_CHANGE;

    if (e.kind == SKED_EVENT_TICK) l->f->now += DEADLINE;
    if (strcmp(word, "later_round") == 0) l->f->now += 2 * DEADLINE;
    int64_t amount = strcmp(word, "node_change_20") == 0 ? 20 : node ? 10 : 1;
    if (e.kind == SKED_EVENT_POOL) return engine_say(l->f, e, 0, e.count);
    return engine_say(l->f, e, amount, node && l->pooled ? 0 : amount);
}

static inline size_t hear(life *l)
{
    size_t n = engine_taken(l->f);

    for (size_t i = 0; i < n; i++) {
        const sked_decision *d = &l->f->last[i];
        if (d->kind == SKED_DECISION_ALLOCATE && !l->group) l->group = d->group;
        if (d->kind == SKED_DECISION_NOTIFY) l->noticed = 1;
        if (d->kind == SKED_DECISION_WITHDRAW) l->noticed = 0;
    }
    return n;
}

/* Another queue is guaranteed the node, and asks for all of it: rounds give
 * notice, and kill when that has run out. */
static inline void begin_rival(life *l)
{
    const int64_t all[] = {10, 10};
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .factor_ppm = SKED_PPM,
                                         .per_round_ppm = -1,
                                         .ignored_ppm = -1};
    const sked_round_options rounds = {.struct_size = sizeof rounds,
                                       .grace_ns = DEADLINE};
    const sked_engine_preempt_options p = {
        .struct_size = sizeof p, .targets = &targets, .rounds = &rounds};
    sked_event job = {
        .kind = SKED_EVENT_JOB_SUBMIT, .key = 9, .owner = 9, .queue = l->rival};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 9,
                      .owner = 9,
                      .count = 1,
                      .amount = 1};

    assert_ok(sked_tree_set_vec(l->f->tree, l->rival, SKED_QUEUE_GUARANTEE, all,
                                NULL));
    engine_begin(l->f, NULL);
    assert_ok(sked_engine_preempt(l->f->engine, &p, NULL));
    assert_ok(engine_say(l->f, job, 0, 0));
    assert_ok(engine_say(l->f, ask, 10, 10));
}

/* Makes a state: events, and words of its own. */
static inline void make(life *l, const char *words)
{
    char word[32];

    for (int n = 0; sscanf(words, " %31s%n", word, &n) == 1; words += n) {
        if (strcmp(word, "full") == 0) { /* no job may run */
            engine_set(l->f, l->leaf, SKED_QUEUE_MAX_RUNNING, 0);
            engine_begin(l->f, NULL);
            continue;
        }
        if (strcmp(word, "rival") == 0) {
            begin_rival(l);
        } else if (strcmp(word, "ask_large") == 0) { /* than the node */
            sked_event e = event_of(l, "ask_add");
            e.flags = SKED_ASK_WAIT;
            assert_ok(engine_say(l->f, e, 11, 1));
        } else if (strcmp(word, "ask_wait") == 0) {
            sked_event e = event_of(l, "ask_add");
            e.flags = SKED_ASK_WAIT;
            assert_ok(engine_say(l->f, e, 1, 1));
        } else if (strcmp(word, "ask_keep") == 0) {
            sked_event e = event_of(l, "ask_add");
            e.flags = SKED_ASK_KEEP;
            assert_ok(engine_say(l->f, e, 1, 1));
        } else {
            assert_ok(tell(l, word));
        }
        (void)hear(l);
    }
}

#endif
