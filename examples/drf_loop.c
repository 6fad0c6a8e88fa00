/*
 * The next client by the DRF loop, for a manager with its own memory (a block
 * that takes no memory back) and its own time (a clock that the manager turns).
 *
 * The cluster has 9 cores and 18 GB. Alice's tasks take 1 core and 4 GB, Bob's
 * tasks 3 cores and 1 GB: with three tasks of Alice and two of Bob, both
 * dominant shares are two thirds. Half of each client's past usage is forgotten
 * in an hour.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOUR INT64_C(3600000000000) /* ns */

enum { KINDS = 2, USERS = 2 };

typedef struct manager {
    _Alignas(16) unsigned char block[65536];
    size_t used;
    sked_time now;
} manager;

static const char *const user[USERS] = {"alice", "bob"};
static const int64_t task[USERS][KINDS] = {{1, 4}, {3, 1}};

static void *take(void *hook, void *ptr, size_t old_size, size_t size)
{
    manager *m = hook;
    void *at = m->block + m->used;

    if (size <= old_size) return size ? ptr : NULL;
    size = (size + 15) / 16 * 16;
    if (size > sizeof m->block - m->used) return NULL;
    m->used += size;
    return ptr ? memcpy(at, ptr, old_size) : at;
}

static sked_time tell_time(void *hook)
{
    return ((manager *)hook)->now;
}

static void must(sked_status rc)
{
    if (rc != SKED_OK) exit(1);
}

/* Gives the pool away until no client's next task fits. */
static void share_out(const sked_host *host, int64_t *pool, sked_ledger *past,
                      const sked_queue_id *queue)
{
    sked_drf_options opts = {.struct_size = sizeof opts, .kinds = KINDS};
    const int64_t one = 1000; /* thousandths */
    sked_drf *drf;
    uint32_t slot;

    must(sked_drf_new(&opts, host, &drf, NULL));
    must(sked_drf_set_capacity(drf, pool, NULL));
    must(sked_drf_insert_rows(drf, queue, NULL, NULL, USERS, NULL, NULL));
    while ((slot = sked_drf_next(drf)) != SKED_DRF_NONE) {
        if (!sked_vec_fits(task[slot], pool, KINDS)) {
            must(sked_drf_activate(drf, slot, 0, NULL));
            continue;
        }
        must(sked_vec_subtract(pool, task[slot], KINDS, pool, NULL));
        must(sked_drf_charge(drf, slot, task[slot], NULL));
        must(sked_ledger_add(past, SKED_LEDGER_HISTORY, &queue[slot], &one, 1,
                             NULL));
        printf("%s runs a task\n", user[slot]);
    }
    sked_drf_free(drf);
}

int main(void)
{
    static manager m;
    sked_host host = {.struct_size = sizeof host,
                      .user = &m,
                      .resize = take,
                      .clock = tell_time};
    sked_ledger_options opts = {.struct_size = sizeof opts,
                                .half_life_ns = HOUR};
    int64_t pool[KINDS] = {9, 18};
    const int64_t *left;
    sked_queue_id root, queue[USERS];
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *past;

    must(sked_schema_parse("millitasks", 10, &host, &schema, NULL));
    must(sked_tree_new(schema, NULL, &host, &tree, NULL));
    root = sked_tree_root(tree);
    for (int i = 0; i < USERS; i++)
        must(sked_tree_add(tree, root, user[i], &queue[i], NULL));
    must(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    must(sked_ledger_new(tree, &opts, &host, &past, NULL));
    must(sked_ledger_decay(past, SKED_NOW, NULL)); /* time begins */
    share_out(&host, pool, past, queue);
    m.now += 2 * HOUR;
    must(sked_ledger_decay(past, SKED_NOW, NULL));
    left = sked_ledger_view(past, SKED_LEDGER_HISTORY, 0, NULL); /* by row */
    printf("remembered, in thousandths of a task: alice %d, bob %d\n",
           (int)left[1], (int)left[2]);
    sked_ledger_free(past);
    sked_tree_free(tree);
    sked_schema_free(schema);
    return 0;
}
