/*
 * Rounds of preemption over any stream of events: the engine stays sound, what
 * is refused changes nothing, and what is said of tasks makes sense by itself.
 *
 * The bytes are a program over a small tree with guarantees and rates, up to two
 * trees of limits and a full cluster, whose nodes have attributes and whose asks
 * have rules and tags; one to four policies preempt. Every other op is a round or
 * a node event. Beside the engine stands a host's
 * own book of each task: nobody is told twice, let off or killed without having
 * been told, or killed before the grace has passed; those told to end are the
 * last of their group, and before them stand those under notice.
 */
#include <sched/engine_limits.h>
#include <sched/engine_place.h>
#include <sched/engine_preempt.h>

#include "fuzz_engine_book.h"
#include "input.h"

/* ---- The tree ---- */

static void set(host *h, sked_queue_id queue, int32_t attribute, int64_t value)
{
    MUST(sked_tree_set(h->tree, queue, attribute, value, NULL) == SKED_OK);
}

/* a, b, and c with two leaves: a third of everything each. */
static void plant(host *h, fuzz_input *in)
{
    static const char *const kinds[] = {"cpu", "memory"};
    static const char *const name[LEAVES] = {"a", "b", "d", "e"};
    sked_queue_id root, c;
    sked_schema *schema;

    MUST(sked_schema_new(kinds, NULL, 2, NULL, &schema, NULL) == SKED_OK);
    MUST(sked_tree_new(schema, NULL, NULL, &h->tree, NULL) == SKED_OK);
    sked_schema_free(schema);
    root = sked_tree_root(h->tree);
    MUST(sked_tree_add(h->tree, root, "c", &c, NULL) == SKED_OK);
    set(h, c, SKED_QUEUE_GUARANTEE_PPM, 333333);
    for (int i = 0; i < LEAVES; i++) {
        sked_queue_id up = i < 2 ? root : c, *leaf = &h->leaf[i];
        uint64_t how = fuzz_u64(in, 1);
        MUST(sked_tree_add(h->tree, up, name[i], leaf, NULL) == SKED_OK);
        set(h, *leaf, SKED_QUEUE_GUARANTEE_PPM, i < 2 ? 333333 : 500000);
        set(h, *leaf, SKED_QUEUE_APPS, (int64_t)(how % 5));
        set(h, *leaf, SKED_QUEUE_PREEMPT_MIN_TIMEOUT, (int64_t)(how / 5 % 8));
        if (how & 128) set(h, *leaf, SKED_QUEUE_USER_LIMIT, 400000);
        if (how / 40 % 3 == 2) set(h, *leaf, SKED_QUEUE_START_RATE, 2);
    }
    MUST(sked_tree_commit(h->tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
}

/* The last byte, which is taken off. */
static uint64_t from_behind(fuzz_input *in)
{
    return fuzz_more(in) ? *--in->end : 0;
}

static sked_target_options policy_of(uint64_t how)
{
    sked_target_options targets = {.struct_size = sizeof targets,
                                   .mode = (int32_t)(how % 3),
                                   .ignored_ppm = -1,
                                   .factor_ppm = how & 4 ? SKED_PPM : 0,
                                   .per_round_ppm = -1};

    if (targets.mode == SKED_TARGET_MODE_STARVATION)
        targets.utilisation_ppm = -1;
    if (targets.mode == SKED_TARGET_MODE_ENTITLEMENT) targets.cycles = 1;
    return targets;
}

static void preempt(host *h, fuzz_input *in)
{
    uint64_t how = fuzz_u64(in, 1), flags = fuzz_u64(in, 1);
    uint64_t more = from_behind(in);
    sked_target_options targets[POLICIES];
    const sked_target_options *others[POLICIES - 1];
    sked_round_options rounds = {.struct_size = sizeof rounds};
    const sked_engine_preempt_options opts = {
        .struct_size = sizeof opts,
        .flags = (uint32_t)(flags % 16) &
                 (uint32_t)(SKED_PREEMPT_FLAG_BY_USER |
                            SKED_PREEMPT_FLAG_BY_PRIORITY),
        .work = how & 8 ? 4 : 0,
        .keep_for_ns = 1 + (int64_t)(flags / 16),
        .gangs = how & 128 ? 0 : (uint32_t)(flags % 4),
        .targets = targets,
        .rounds = &rounds,
        .more_targets = others,
        .n_more_targets = more % POLICIES,
    };

    targets[0] = policy_of(how);
    for (int i = 1; i < POLICIES; i++) {
        targets[i] = policy_of(more >> (2 * i));
        others[i - 1] = more & 128 && i == 2 ? NULL : &targets[i];
    }
    h->grace = rounds.grace_ns = how & 64 ? -1 : 1 + (int64_t)(how / 16);
    MUST(sked_engine_preempt(h->engine, &opts, NULL) == SKED_OK);
}

/* ---- Events ---- */

/* Row 1 to 7 of the rules are one term each, the eighth joins two; attributes
 * and tags have rows of one and of two. */
static void know_rows(sked_events *batch)
{
    static const sked_rule_term terms[] = {
        {.op = SKED_RULE_OP_EQUAL, .key = 1, .value = 1},
        {.op = SKED_RULE_OP_NOT, .key = 1, .value = 1},
        {.op = SKED_RULE_OP_IN, .key = 1, .n = 2},
        {.op = SKED_RULE_OP_AT_MOST, .key = 1, .value = 1},
        {.op = SKED_RULE_OP_AT_LEAST, .key = 2, .value = 1, .n = 1},
        {.op = SKED_RULE_OP_SPREAD, .key = 1, .value = 1, .n = 1},
        {.op = SKED_RULE_OP_ABSENT, .key = 3},
        {.op = SKED_RULE_OP_EXISTS, .key = 2},
        {.op = SKED_RULE_OP_AT_MOST, .key = 2, .value = 2, .n = 1},
        {.op = SKED_RULE_OP_OR, .n = 2}};
    static const int32_t rules[] = {0, 1, 2, 3, 4, 5, 6, 7, 10};
    static const int64_t values[] = {1, 2};
    static const sked_rule_attribute pairs[] = {{1, 1}, {1, 2}, {1, 1}, {2, 1}};
    static const int32_t pair_rows[] = {0, 1, 2, 4};
    static const uint64_t lists[] = {1, 2, 1, 2};
    static const int32_t list_rows[] = {0, 1, 2, 4};

    batch->rule_offsets = rules;
    batch->rule_terms = terms;
    batch->n_rules = 8;
    batch->rule_values = values;
    batch->n_rule_values = 2;
    batch->attribute_offsets = pair_rows;
    batch->attributes = pairs;
    batch->n_attributes = batch->n_places = 3;
    batch->places = lists;
    batch->place_offsets = list_rows;
}

/* Where a job is charged, in the trees that are there. */
static sked_event_charge charge_of(const host *h, uint64_t how)
{
    sked_event_charge charge = {SKED_NO_QUEUE, SKED_NO_QUEUE};

    if (h->limits[0] && how & 1) charge.first = h->account[how / 4 % 2];
    if (h->limits[1] && how & 2) charge.second = h->account[how / 8 % 2];
    return charge;
}

static sked_status say(host *h, sked_event event, int64_t cpu, int64_t memory)
{
    const int64_t amounts[] = {cpu, memory};
    const sked_event tick = {.kind = SKED_EVENT_TICK, .time = h->now};
    const sked_event_charge charge = charge_of(h, event.key);
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &tick,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = 1,
                         .charges = &charge};
    sked_error err = {.code = SKED_OK};
    sked_time ends = h->now + event.count * 5;

    know_rows(&batch);

    MUST(sked_engine_apply(h->engine, &batch, NULL, NULL) == SKED_OK);
    hear(h);
    uint64_t before = sked_engine_state_digest(h->engine);
    event.time = h->now;
    batch.events = &event;
    if (event.kind == SKED_EVENT_TASK_ENDS) batch.moments = &ends;
    sked_status rc = sked_engine_apply(h->engine, &batch, NULL, &err);
    MUST(rc == err.code);
    if (rc != SKED_OK) MUST(sked_engine_state_digest(h->engine) == before);
    return rc;
}

static void op_want(host *h, fuzz_input *in)
{
    uint64_t what = fuzz_u64(in, 1), how = fuzz_u64(in, 1);
    sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT,
                      .key = 1 + what % JOBS,
                      .owner = how % 3,
                      .queue = h->leaf[what % LEAVES],
                      .priority = (int32_t)(how / 3 % 3),
                      .flags = how & 64   ? SKED_JOB_FIXED
                               : how & 32 ? SKED_JOB_KEEPS
                                          : SKED_JOB_RETRY};
    if (what % 7 == 1) job.flags |= SKED_JOB_READMIT;
    if (what % 5 == 2) job.flags |= SKED_JOB_REVOCABLE;
    if (what % 9 == 3) job.flags |= SKED_JOB_YIELDS;
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = ++h->asks,
                      .owner = job.key,
                      .count = 1 + (int64_t)(what / JOBS),
                      .partition = how & 8 ? SKED_ANY_PARTITION
                                           : (uint32_t)(how & 128) / 128,
                      .flags = how & 16 && what / JOBS < 4 ? SKED_ASK_GANG : 0,
                      .amount = 1};

    (void)say(h, job, 0, 0);
    hear(h);
    if (how % 11 == 0) ask.flags |= SKED_ASK_MASTER;
    if (ask.flags & SKED_ASK_GANG && how % 5 < 3) ask.flags |= SKED_ASK_SPREAD;
    if (how % 13 == 0 && (ask.flags == 0 || ask.flags & SKED_ASK_SPREAD)) {
        ask.flags |= SKED_ASK_EXCLUSIVE;
    }
    (void)say(h, ask, 1 + (int64_t)(how % 3), (int64_t)(how / 4 % 4));
}

static void op_tasks(host *h, fuzz_input *in, int killed)
{
    static const int32_t kinds[] = {
        SKED_EVENT_TASK_FINISH, SKED_EVENT_TASK_FAIL,
        SKED_EVENT_TASK_LOST,   SKED_EVENT_TASK_SAVED,
        SKED_EVENT_TASK_REFUSE, SKED_EVENT_TASK_CONFIRM};
    uint64_t what = fuzz_u64(in, 1);
    host_group *g = &h->group[fuzz_u64(in, 1)];
    sked_event event = {.kind = kinds[what % 6],
                        .key = g->name,
                        .count = 1 + (int64_t)(what / 6 % 8)};
    int64_t ends = 0;
    uint32_t scope = what / 48 < 3 ? 0 : UINT32_C(1) << (what / 48 - 3);

    if (event.kind == SKED_EVENT_TASK_REFUSE) event.flags = scope;
    if (!killed && what >= 244 && what < 250) { /* in time, or dear */
        event.kind = what < 247 ? SKED_EVENT_TASK_ENDS : SKED_EVENT_TASK_COST;
        event.count -= 3;
        if (what & 1) { /* of all that an ask runs on a node */
            event.flags = SKED_TASK_ON_NODE;
            event.key = 1 + g->name % NODES;
            event.owner = h->asks - what % 4;
        }
        (void)say(h, event, 0, 0);
        return;
    }
    if (!killed && what >= 250) {
        event = (sked_event){
            .kind = SKED_EVENT_TASK_RESIZE, .key = g->name, .amount = 1};
        (void)say(h, event, (int64_t)what % 4, 2);
        return;
    }
    for (size_t i = 0; killed && i < GROUPS && g->word[0] != ENDS; i++) {
        g = &h->group[(what + i) % GROUPS];
    }
    if (killed) {
        while (ends < g->count && g->word[ends] == ENDS) ends++;
        event = (sked_event){.kind = SKED_EVENT_TASK_KILLED,
                             .key = g->name,
                             .count = what & 1 ? 1 : ends};
    }
    if (say(h, event, 0, 0) != SKED_OK || g->count == 0) return;
    if (event.kind == SKED_EVENT_TASK_REFUSE) event.count = g->count;
    if (event.kind == SKED_EVENT_TASK_CONFIRM ||
        event.kind == SKED_EVENT_TASK_SAVED) {
        return;
    }
    if (killed) MUST(g->doomed || event.count <= ends);
    close_tasks(g, event.count);
}

static void op_node(host *h, fuzz_input *in)
{
    static const int32_t kinds[] = {SKED_EVENT_NODE_UP, SKED_EVENT_NODE_CHANGE,
                                    SKED_EVENT_NODE_DRAIN,
                                    SKED_EVENT_NODE_DOWN};
    uint64_t what = fuzz_u64(in, 1), size = fuzz_u64(in, 1) % 24;

    (void)say(h,
              (sked_event){.kind = kinds[what % 4],
                           .key = 1 + what / 4 % NODES,
                           .partition = (uint32_t)(what / 64 % 2),
                           .amount = 1},
              (int64_t)size, (int64_t)size);
}

/* What a node is, or what an ask is to have. */
static void op_trait(host *h, fuzz_input *in)
{
    static const int32_t kinds[] = {
        SKED_EVENT_NODE_ATTRIBUTES, SKED_EVENT_ASK_RULE, SKED_EVENT_ASK_TAGS,
        SKED_EVENT_ASK_PREFER, SKED_EVENT_JOB_LEAST};
    uint64_t what = fuzz_u64(in, 1), how = fuzz_u64(in, 1);
    sked_event event = {.kind = kinds[what % 5],
                        .key = h->asks - (what / 5 < h->asks ? what / 5 : 0),
                        .count = (int64_t)(how / 16),
                        .places = (uint32_t)(how % 4)};

    if (what % 5 == 0) event.key = 1 + what / 5 % NODES;
    if (what % 5 == 4) event.key = 1 + what / 5 % JOBS;
    if (what % 5 == 1 || what % 5 == 3) event.places = (uint32_t)(how % 9);
    (void)say(h, event, 0, 0);
}

/* A tree of limits comes, or has others: a queue and one below it. */
static void op_limits(host *h, fuzz_input *in)
{
    uint64_t how = fuzz_u64(in, 1);
    uint32_t which = (uint32_t)(how % SKED_MAX_LIMIT_TREES);
    sked_tree **tree = &h->limits[which];
    const int64_t amounts[] = {(int64_t)(how / 4), SKED_UNLIMITED};

    if (!*tree) {
        MUST(sked_tree_new(sked_tree_schema(h->tree), NULL, NULL, tree, NULL) ==
             SKED_OK);
        MUST(sked_tree_add(*tree, sked_tree_root(*tree), "q", &h->account[0],
                           NULL) == SKED_OK);
        MUST(sked_tree_add(*tree, h->account[0], "q", &h->account[1], NULL) ==
             SKED_OK);
    }
    MUST(sked_tree_set_vec(*tree, h->account[how / 2 % 2], SKED_QUEUE_LIMIT,
                           amounts, NULL) == SKED_OK);
    MUST(sked_tree_commit(*tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    MUST(sked_engine_commit_limits(h->engine, 1 + which, *tree, h->now, NULL) ==
         SKED_OK);
}

static void op_job(host *h, fuzz_input *in)
{
    static const int32_t kinds[] = {
        SKED_EVENT_ASK_CHANGE, SKED_EVENT_ASK_WITHDRAW, SKED_EVENT_JOB_CANCEL,
        SKED_EVENT_JOB_FINISH, SKED_EVENT_JOB_UPDATE};
    uint64_t what = fuzz_u64(in, 1), how = fuzz_u64(in, 1);
    sked_event event = {.kind = kinds[what % 5],
                        .key = 1 + how % JOBS,
                        .count = (int64_t)(how / 16),
                        .priority = (int32_t)(how / 16 % 4)};

    if (what >= 240) {
        event = (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                             .key = 1 + how % NODES,
                             .owner = h->asks - how / NODES % 8,
                             .count = 1 + (int64_t)what % 8};
    }
    if (what < 240 && what % 5 < 2)
        event.key = h->asks - (what / 5 < h->asks ? what / 5 : 0);
    if (what & 64) event.queue = h->leaf[how % LEAVES];
    (void)say(h, event, 0, 0);
}

static void op_commit(host *h, fuzz_input *in)
{
    uint64_t what = fuzz_u64(in, 1);
    sked_queue_id leaf = h->leaf[what % LEAVES];

    set(h, leaf, SKED_QUEUE_GUARANTEE_PPM, (int64_t)(what / 4 % 8) * 100000);
    set(h, leaf, SKED_QUEUE_PREEMPT_FROM, what & 32 ? 0 : 1);
    set(h, leaf, SKED_QUEUE_STATE,
        what > 224 ? SKED_STATE_DRAINING : SKED_UNSET);
    MUST(sked_tree_commit(h->tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    MUST(sked_engine_commit(h->engine, h->tree, h->now, NULL) == SKED_OK);
}

static void op(host *h, fuzz_input *in)
{
    uint64_t what = fuzz_u64(in, 1);

    h->now += (sked_time)(what / 16);
    switch (what % 16) {
    case 0:
    case 1:
    case 2:
    case 3: (void)say(h, (sked_event){.kind = SKED_EVENT_ROUND}, 0, 0); break;
    case 4: op_node(h, in); break;
    case 5: op_job(h, in); break;
    case 6: op_commit(h, in); break;
    case 7: op_tasks(h, in, 0); break;
    case 8:
    case 9: op_tasks(h, in, 1); break;
    case 10:
    case 11: op_want(h, in); break;
    case 12:
        if (what >= 128) {
            sked_engine_place_options o = {.struct_size = sizeof o,
                                           .mode = 1 + (uint32_t)what / 16 % 5};
            MUST(sked_engine_place(h->engine, h->now, 0, &o, NULL) == SKED_OK);
            break;
        } /* fall through */
    case 13:
        if (what >= 144) {
            op_trait(h, in);
            break;
        } /* fall through */
    case 14:
        if (what >= 208) {
            op_limits(h, in);
            break;
        } /* fall through */
    default:
        (void)say(
            h,
            (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = 1 + what % NODES},
            0, 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static host h;
    fuzz_input in = {data, data + size};
    uint64_t how = fuzz_u64(&in, 1);
    sked_engine_options opts = {
        .struct_size = sizeof opts,
        .confirm_within_ns = (int64_t)(how & 1) * 40,
        .node_delay_ns = (int64_t)(how >> 1 & 1) * 10,
        .max_per_pass = (uint32_t)(how >> 2 & 3),
    };

    h = (host){0};
    plant(&h, &in);
    const sked_host own = {.struct_size = sizeof own, .user = &h};
    MUST(sked_engine_new(h.tree, &opts, &own, &h.engine, NULL) == SKED_OK);
    preempt(&h, &in);
    for (uint64_t i = 1; i <= NODES; i++) {
        sked_event up = {.kind = SKED_EVENT_NODE_UP,
                         .key = i,
                         .partition = how & 64 ? (uint32_t)(i % 2) : 0,
                         .amount = 1};
        MUST(say(&h, up, 12, 24) == SKED_OK);
    }
    while (fuzz_more(&in)) {
        op(&h, &in);
        hear(&h);
        MUST(sked_engine_check(h.engine, NULL) == SKED_OK);
    }
    sked_engine_free(h.engine);
    for (int i = 0; i < SKED_MAX_LIMIT_TREES; i++) sked_tree_free(h.limits[i]);
    sked_tree_free(h.tree);
    return 0;
}
