/*
 * Whatever happens to a tree and its ledger, shares that follow equal shares
 * computed anew, and are sound.
 *
 * The first bytes choose the options; the rest is a program: each op edits the
 * tree, commits and follows, changes amounts or the capacity, updates or asks
 * for one queue.
 */
#include <sched/share.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { KINDS = 2, MAX_QUEUES = 24 };

#define MUST(cond) ((cond) ? (void)0 : abort())

typedef struct world {
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share *follower;
    sked_share *anew;
    sked_queue_id ids[MAX_QUEUES];
    size_t n;
    int64_t capacity[KINDS];
    unsigned named;
} world;

static sked_queue_id pick(world *w, fuzz_input *in)
{
    return w->ids[fuzz_u64(in, 1) % w->n];
}

static int64_t amount(fuzz_input *in)
{
    unsigned bytes = (unsigned)(fuzz_u64(in, 1) % 7);

    return (int64_t)fuzz_u64(in, bytes);
}

static void commit(world *w)
{
    MUST(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    if (sked_ledger_follow(w->ledger, w->tree, NULL) != SKED_OK) {
        sked_ledger_free(w->ledger); /* a busy leaf went away: begin anew */
        MUST(sked_ledger_new(w->tree, NULL, NULL, &w->ledger, NULL) == SKED_OK);
    }
    MUST(sked_tree_ids(w->tree, w->ids, MAX_QUEUES, &w->n) == SKED_OK);
}

static void op_edit(world *w, fuzz_input *in)
{
    char name[16];
    int64_t v[KINDS];
    int32_t what;

    switch (fuzz_u64(in, 1) % 5) {
    case 0:
        (void)snprintf(name, sizeof name, "q%u", w->named++);
        if (w->n >= MAX_QUEUES) break;
        (void)!sked_tree_add(w->tree, pick(w, in), name, NULL, NULL);
        break;
    case 1:
        (void)!sked_tree_move(w->tree, pick(w, in), pick(w, in), NULL);
        break;
    case 2: (void)!sked_tree_remove(w->tree, pick(w, in), NULL, 0, NULL); break;
    case 3:
        what = 1 + (int32_t)(fuzz_u64(in, 1) % 16);
        (void)!sked_tree_set(w->tree, pick(w, in), what, amount(in), NULL);
        break;
    default:
        what = SKED_QUEUE_GUARANTEE + (int32_t)(fuzz_u64(in, 1) % 4);
        for (int k = 0; k < KINDS; k++) v[k] = amount(in);
        (void)!sked_tree_set_vec(w->tree, pick(w, in), what, v, NULL);
    }
    commit(w);
}

static void op_amounts(world *w, fuzz_input *in)
{
    sked_queue_id queue = pick(w, in);
    int64_t v[KINDS];

    for (int k = 0; k < KINDS; k++) v[k] = amount(in);
    (void)!sked_ledger_set(w->ledger, 1 + (int32_t)(fuzz_u64(in, 1) % 4),
                           &queue, v, 1, NULL);
}

static void compare(const world *w, sked_queue_id queue)
{
    int64_t a[KINDS], b[KINDS];
    sked_status rc = sked_share_get(w->follower, queue, a, NULL);

    MUST(sked_share_get(w->anew, queue, b, NULL) == SKED_OK);
    MUST(rc == SKED_OK || rc == SKED_ERR_STATE);
    MUST(rc != SKED_OK || memcmp(a, b, sizeof a) == 0);
}

static void op_follow(world *w, fuzz_input *in)
{
    int64_t amounts[KINDS];
    sked_queue_id queue = pick(w, in);
    int one = (int)(fuzz_u64(in, 1) & 1);
    sked_status rc = one ? sked_share_query(w->follower, w->tree, w->ledger,
                                            w->capacity, queue, amounts, NULL)
                         : sked_share_update(w->follower, w->tree, w->ledger,
                                             w->capacity, NULL);

    MUST(rc == SKED_OK);
    MUST(sked_share_compute(w->anew, w->tree, w->ledger, w->capacity, NULL) ==
         SKED_OK);
    MUST(sked_share_check(w->follower, NULL) == SKED_OK);
    MUST(sked_share_check(w->anew, NULL) == SKED_OK);
    if (!one)
        MUST(sked_share_digest(w->follower) == sked_share_digest(w->anew));
    for (size_t i = 0; i < w->n; i++) compare(w, w->ids[i]);
    MUST(sked_share_get(w->follower, queue, amounts, NULL) == SKED_OK);
}

static void run(world *w, fuzz_input *in)
{
    while (fuzz_more(in)) {
        switch (fuzz_u64(in, 1) % 4) {
        case 0: op_edit(w, in); break;
        case 1: op_amounts(w, in); break;
        case 2: w->capacity[fuzz_u64(in, 1) % KINDS] = amount(in); break;
        default: op_follow(w, in);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    world w = {.capacity = {100, 1000}};
    sked_schema *schema;
    sked_share_options options = {.struct_size = sizeof options};

    options.model = (int32_t)fuzz_u64(&in, 1);
    options.scope = (int32_t)fuzz_u64(&in, 1);
    options.rounding = (int32_t)(fuzz_u64(&in, 1) % 3);
    options.flags = (uint32_t)fuzz_u64(&in, 1);
    options.kind = (uint32_t)(fuzz_u64(&in, 1) % KINDS);
    if (sked_share_new(&options, NULL, &w.follower, NULL) != SKED_OK) return 0;
    MUST(sked_share_new(&options, NULL, &w.anew, NULL) == SKED_OK);
    MUST(sked_schema_parse("cpu memory=B", 12, NULL, &schema, NULL) == SKED_OK);
    MUST(sked_tree_new(schema, NULL, NULL, &w.tree, NULL) == SKED_OK);
    MUST(sked_ledger_new(w.tree, NULL, NULL, &w.ledger, NULL) == SKED_OK);
    commit(&w);
    run(&w, &in);
    sked_share_free(w.anew);
    sked_share_free(w.follower);
    sked_ledger_free(w.ledger);
    sked_tree_free(w.tree);
    sked_schema_free(schema);
    return 0;
}
