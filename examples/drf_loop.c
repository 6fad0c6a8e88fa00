/*
 * Who is next? The DRF loop of a manager that brings its own memory and its
 * own time: a fixed block of bytes, and a clock that a simulation turns.
 *
 * The cluster has 9 cores and 18 GB. Alice's tasks take 1 core and 4 GB, Bob's
 * 3 cores and 1 GB: three of hers and two of his make both dominant shares two
 * thirds. What they used is remembered, and half forgotten after an hour.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <string.h>

enum { CPU, MEMORY, KINDS, ALICE = 0, BOB = 1, USERS = 2 };

/* All the memory there is. Blocks are handed out one after the other and
 * nothing is taken back before the end, as suits a short run. */
typedef struct manager {
    _Alignas(16) unsigned char block[65536];
    size_t used;
    sked_time now;
} manager;

static void *take(void *user, void *ptr, size_t old_size, size_t size)
{
    manager *m = user;
    size_t room = (size + 15) / 16 * 16;

    if (size == 0) return NULL;
    if (size <= old_size) return ptr;
    if (room > sizeof m->block - m->used) return NULL;
    void *at = m->block + m->used;
    m->used += room;
    if (ptr) memcpy(at, ptr, old_size);
    return at;
}

static sked_time tell_time(void *user)
{
    return ((manager *)user)->now;
}

/* Hands out tasks until nobody's next one fits. Counts those of each. */
static sked_status fill(sked_drf *drf, const int64_t task[USERS][KINDS],
                        int64_t *room, int *tasks)
{
    sked_status rc = SKED_OK;
    uint32_t slot;

    while (rc == SKED_OK && (slot = sked_drf_next(drf)) != SKED_DRF_NONE) {
        uint64_t who = sked_drf_key(drf, slot) - 1;
        if (!sked_vec_fits(task[who], room, KINDS)) {
            rc = sked_drf_activate(drf, slot, 0, NULL);
            continue;
        }
        rc = sked_drf_charge(drf, slot, task[who], NULL);
        for (int k = 0; k < KINDS; k++) room[k] -= task[who][k];
        tasks[who]++;
        printf("%s runs a task\n", who == ALICE ? "alice" : "bob");
    }
    return rc;
}

static sked_status share_out(const sked_host *host, int *tasks)
{
    static const int64_t task[USERS][KINDS] = {{1, 4}, {3, 1}};
    int64_t room[KINDS] = {9, 18};
    sked_drf_options opts = {.struct_size = sizeof opts, .kinds = KINDS};
    sked_drf *drf;
    sked_status rc = sked_drf_new(host, &opts, &drf, NULL);

    if (rc == SKED_OK) rc = sked_drf_set_capacity(drf, room, NULL);
    for (uint64_t key = 1; rc == SKED_OK && key <= USERS; key++) {
        rc = sked_drf_insert(drf, key, 1, NULL, NULL, NULL);
    }
    if (rc == SKED_OK) rc = fill(drf, task, room, tasks);
    sked_drf_free(drf);
    return rc;
}

/* Remembers an amount for two half-lives. Returns what is left of it. */
static int64_t remember(const sked_host *host, manager *m, int64_t amount)
{
    const int64_t hour = INT64_C(3600) * 1000000000;
    const char *const kinds[] = {"core_seconds"};
    sked_ledger_options opts = {.struct_size = sizeof opts, .half_life = hour};
    sked_schema *schema = NULL;
    sked_tree *tree = NULL;
    sked_ledger *ledger = NULL;
    sked_queue_id root;
    int64_t left = -1;

    if (sked_schema_new(kinds, NULL, 1, host, &schema, NULL) == SKED_OK &&
        sked_tree_new(schema, host, NULL, &tree, NULL) == SKED_OK &&
        sked_ledger_new(tree, host, &opts, &ledger, NULL) == SKED_OK) {
        root = sked_tree_root(tree);
        sked_status rc = sked_ledger_decay(ledger, NULL); /* starts the time */
        if (rc == SKED_OK) {
            rc = sked_ledger_add(ledger, SKED_LEDGER_HISTORY, &root, &amount, 1,
                                 NULL);
        }
        m->now += 2 * hour;
        if (rc == SKED_OK) rc = sked_ledger_decay(ledger, NULL);
        if (rc == SKED_OK) {
            left = *sked_ledger_view(ledger, SKED_LEDGER_HISTORY, 0, NULL);
        }
    }
    sked_ledger_free(ledger);
    sked_tree_free(tree);
    sked_schema_free(schema);
    return left;
}

int main(void)
{
    static manager m;
    sked_host host = {.struct_size = sizeof host,
                      .user = &m,
                      .resize = take,
                      .clock = tell_time};
    int tasks[USERS] = {0};

    sked_status rc = share_out(&host, tasks);
    if (rc != SKED_OK) {
        fprintf(stderr, "%s\n", sked_status_name(rc));
        return 1;
    }
    int64_t left = remember(&host, &m, 8000);
    printf("alice %d, bob %d; of 8000 core seconds %lld are remembered; "
           "%zu bytes of memory\n",
           tasks[ALICE], tasks[BOB], (long long)left, m.used);
    return tasks[ALICE] == 3 && tasks[BOB] == 2 && left == 2000 ? 0 : 1;
}
