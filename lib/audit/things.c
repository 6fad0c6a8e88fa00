/*
 * Storage of the judge: hash maps, arrays, heaps of waiting tasks.
 *
 * A record keeps its number for the life of the judge. Only the numbers of runs
 * and kills are reused, through free lists. Nodes, queues, jobs and tasks are
 * never removed, because later anomalies name their rows.
 *
 * The waiting tasks of a queue form a binary heap: higher priority first, then
 * the lower number. Numbers follow the order of the rows.
 */
#include "audit/state.h"

#include <string.h>

enum { AUDIT_ROWS_AHEAD = 16 }; /* rows per reservation of memory */

static int audit_is_node(const void *ctx, uint32_t i, const skedi_key *key)
{
    return ((const sked_audit *)ctx)->node.at[i].key == key->scope;
}

static int audit_is_queue(const void *ctx, uint32_t i, const skedi_key *key)
{
    return ((const sked_audit *)ctx)->queue.at[i].key == key->scope;
}

static int audit_is_job(const void *ctx, uint32_t i, const skedi_key *key)
{
    return ((const sked_audit *)ctx)->job.at[i].key == key->scope;
}

static int audit_is_tasks(const void *ctx, uint32_t i, const skedi_key *key)
{
    return ((const sked_audit *)ctx)->tasks.at[i].key == key->scope;
}

/* Returns the second key of a pair. */
static uint64_t audit_second(const skedi_key *key)
{
    uint64_t second;

    memcpy(&second, key->bytes, sizeof second);
    return second;
}

static int audit_is_user(const void *ctx, uint32_t i, const skedi_key *key)
{
    const skedi_audit_user *u = &((const sked_audit *)ctx)->user.at[i];

    return u->queue == key->scope && u->key == audit_second(key);
}

static int audit_is_run(const void *ctx, uint32_t i, const skedi_key *key)
{
    const skedi_audit_run *r = &((const sked_audit *)ctx)->run.at[i];

    return r->tasks == key->scope && r->node == audit_second(key);
}

static int audit_is_pair(const void *ctx, uint32_t i, const skedi_key *key)
{
    const skedi_audit_pair *p = &((const sked_audit *)ctx)->pair.at[i];

    return p->low == key->scope && p->high == audit_second(key);
}

void skedi_audit_maps(sked_audit *a)
{
    const uint64_t seed = UINT64_C(0x6175646974);

    a->node_of = (skedi_map){.seed = seed, .is = audit_is_node, .ctx = a};
    a->queue_of = (skedi_map){.seed = seed, .is = audit_is_queue, .ctx = a};
    a->user_of = (skedi_map){.seed = seed, .is = audit_is_user, .ctx = a};
    a->job_of = (skedi_map){.seed = seed, .is = audit_is_job, .ctx = a};
    a->tasks_of = (skedi_map){.seed = seed, .is = audit_is_tasks, .ctx = a};
    a->run_of = (skedi_map){.seed = seed, .is = audit_is_run, .ctx = a};
    a->pair_of = (skedi_map){.seed = seed, .is = audit_is_pair, .ctx = a};
}

static skedi_key audit_key(uint64_t scope, const uint64_t *second)
{
    skedi_key key = {scope, second ? (const char *)second : "",
                     second ? sizeof *second : 0};

    return key;
}

uint32_t skedi_audit_find(const skedi_map *map, uint64_t key)
{
    return map->n > 0 ? skedi_map_find(map, audit_key(key, NULL))
                      : SKEDI_AUDIT_NONE;
}

uint32_t skedi_audit_find_pair(const skedi_map *map, uint64_t x, uint64_t y)
{
    return map->n > 0 ? skedi_map_find(map, audit_key(x, &y))
                      : SKEDI_AUDIT_NONE;
}

void skedi_audit_add_key(skedi_map *map, uint64_t key, uint32_t value)
{
    skedi_map_add(map, audit_key(key, NULL), value);
}

void skedi_audit_add_pair(skedi_map *map, uint64_t x, uint64_t y,
                          uint32_t value)
{
    skedi_map_add(map, audit_key(x, &y), value);
}

void skedi_audit_remove_pair(skedi_map *map, uint64_t x, uint64_t y)
{
    skedi_map_remove(map, audit_key(x, &y));
}

/* ---- Memory ---- */

/* Grows an array to `want` items if the capacity is smaller. Clears `ok` if no
 * memory is available. */
static void *audit_grown(sked_audit *a, void *at, size_t *cap, size_t want,
                         size_t size, int *ok)
{
    if (want > *cap && !skedi_ensure(&a->hooks.mem, &at, cap, want, size)) {
        *ok = 0;
    }
    return at;
}

/* Grows a list of `a` to `n` items and AUDIT_ROWS_AHEAD more. */
#define AUDIT_ENSURE(a, list, n)                                               \
    ((a)->list.at = audit_grown(a, (a)->list.at, &(a)->list.cap,               \
                                (size_t)(n) + AUDIT_ROWS_AHEAD,                \
                                sizeof *(a)->list.at, &ok))

/* Grows an array of vectors, `vectors` for each item. */
#define AUDIT_ENSURE_VECTORS(a, vec, n, vectors)                               \
    ((a)->vec = audit_grown(                                                   \
         a, (a)->vec, &(a)->vec##_cap, (size_t)(n) + AUDIT_ROWS_AHEAD,         \
         (vectors) * (size_t)(a)->kinds * sizeof *(a)->vec, &ok))

static int audit_reserve_maps(sked_audit *a)
{
    skedi_mem *mem = &a->hooks.mem;

    return skedi_map_reserve(&a->node_of, (size_t)a->node.n + AUDIT_ROWS_AHEAD,
                             mem) &&
           skedi_map_reserve(&a->queue_of,
                             (size_t)a->queue.n + AUDIT_ROWS_AHEAD, mem) &&
           skedi_map_reserve(&a->user_of, (size_t)a->user.n + AUDIT_ROWS_AHEAD,
                             mem) &&
           skedi_map_reserve(&a->job_of, (size_t)a->job.n + AUDIT_ROWS_AHEAD,
                             mem) &&
           skedi_map_reserve(&a->tasks_of,
                             (size_t)a->tasks.n + AUDIT_ROWS_AHEAD, mem) &&
           skedi_map_reserve(&a->run_of, (size_t)a->run.n + AUDIT_ROWS_AHEAD,
                             mem) &&
           skedi_map_reserve(&a->pair_of, (size_t)a->pair.n + AUDIT_ROWS_AHEAD,
                             mem);
}

int skedi_audit_reserve(sked_audit *a)
{
    int ok = 1;

    if (a->ahead > 0) {
        a->ahead--;
        return 1;
    }
    AUDIT_ENSURE(a, node, a->node.n);
    AUDIT_ENSURE(a, queue, a->queue.n);
    AUDIT_ENSURE(a, user, a->user.n);
    AUDIT_ENSURE(a, job, a->job.n);
    AUDIT_ENSURE(a, tasks, a->tasks.n);
    AUDIT_ENSURE(a, run, a->run.n);
    AUDIT_ENSURE(a, kill, a->kill.n);
    AUDIT_ENSURE(a, pair, a->pair.n);
    AUDIT_ENSURE(a, start, a->start.n);
    AUDIT_ENSURE(a, loss, a->loss.n);
    AUDIT_ENSURE(a, owed, a->queue.n);
    AUDIT_ENSURE(a, part, a->job.n);
    AUDIT_ENSURE_VECTORS(a, node_vec, a->node.n, NODE_VECTORS);
    AUDIT_ENSURE_VECTORS(a, queue_vec, a->queue.n, QUEUE_VECTORS);
    AUDIT_ENSURE_VECTORS(a, user_vec, a->user.n, USER_VECTORS);
    AUDIT_ENSURE_VECTORS(a, tasks_vec, a->tasks.n, 1);
    if (!ok || !audit_reserve_maps(a)) return 0;
    a->ahead = AUDIT_ROWS_AHEAD - 1;
    return 1;
}

void skedi_audit_release(sked_audit *a)
{
    skedi_mem *mem = &a->hooks.mem;
    const size_t vec = (size_t)a->kinds * sizeof(int64_t);

    for (uint32_t q = 0; q < a->queue.n; q++) {
        skedi_free(mem, a->queue.at[q].heap, a->queue.at[q].heap_cap,
                   sizeof *a->queue.at[q].heap);
    }
#define AUDIT_FREE(list)                                                       \
    skedi_free(mem, a->list.at, a->list.cap, sizeof *a->list.at)
    AUDIT_FREE(node);
    AUDIT_FREE(queue);
    AUDIT_FREE(user);
    AUDIT_FREE(job);
    AUDIT_FREE(tasks);
    AUDIT_FREE(run);
    AUDIT_FREE(kill);
    AUDIT_FREE(pair);
    AUDIT_FREE(start);
    AUDIT_FREE(loss);
    AUDIT_FREE(owed);
    AUDIT_FREE(part);
    AUDIT_FREE(found);
#undef AUDIT_FREE
    skedi_free(mem, a->node_vec, a->node_vec_cap, NODE_VECTORS * vec);
    skedi_free(mem, a->queue_vec, a->queue_vec_cap, QUEUE_VECTORS * vec);
    skedi_free(mem, a->user_vec, a->user_vec_cap, USER_VECTORS * vec);
    skedi_free(mem, a->tasks_vec, a->tasks_vec_cap, vec);
    skedi_free(mem, a->total, SKEDI_AUDIT_SUMS * (size_t)a->kinds,
               sizeof *a->total);
    skedi_map_free(&a->node_of, mem);
    skedi_map_free(&a->queue_of, mem);
    skedi_map_free(&a->user_of, mem);
    skedi_map_free(&a->job_of, mem);
    skedi_map_free(&a->tasks_of, mem);
    skedi_map_free(&a->run_of, mem);
    skedi_map_free(&a->pair_of, mem);
}

/* ---- Waiting tasks ---- */

/* True if `x` precedes `y` in the heap. */
static int audit_goes_before(const sked_audit *a, uint32_t x, uint32_t y)
{
    int64_t p = a->tasks.at[x].priority, q = a->tasks.at[y].priority;

    return p != q ? p > q : x < y;
}

static void audit_heap_put(sked_audit *a, skedi_audit_queue *q, uint32_t at,
                           uint32_t tasks)
{
    q->heap[at] = tasks;
    a->tasks.at[tasks].heap_at = at + 1;
}

/* Restores the heap order after a change at place `at`. */
static void audit_heap_settle(sked_audit *a, skedi_audit_queue *q, uint32_t at)
{
    uint32_t tasks = q->heap[at];

    while (at > 0 && audit_goes_before(a, tasks, q->heap[(at - 1) / 2])) {
        audit_heap_put(a, q, at, q->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= q->heap_n) break;
        if (child + 1 < q->heap_n &&
            audit_goes_before(a, q->heap[child + 1], q->heap[child])) {
            child++;
        }
        if (!audit_goes_before(a, q->heap[child], tasks)) break;
        audit_heap_put(a, q, at, q->heap[child]);
        at = child;
    }
    audit_heap_put(a, q, at, tasks);
}

int skedi_audit_reserve_heap(sked_audit *a, uint32_t queue)
{
    skedi_audit_queue *q = &a->queue.at[queue];
    int ok = 1;

    q->heap = audit_grown(a, q->heap, &q->heap_cap, (size_t)q->heap_n + 1,
                          sizeof *q->heap, &ok);
    return ok;
}

void skedi_audit_wait(sked_audit *a, uint32_t tasks)
{
    skedi_audit_tasks *t = &a->tasks.at[tasks];
    skedi_audit_queue *q = &a->queue.at[a->job.at[t->job].queue];

    if (t->heap_at) return;
    q->heap[q->heap_n++] = tasks;
    audit_heap_settle(a, q, q->heap_n - 1);
    t->since = a->now;
    t->idle_node = SKEDI_AUDIT_NONE;
    t->before = a->last_waiting;
    t->after = SKEDI_AUDIT_NONE;
    if (a->last_waiting == SKEDI_AUDIT_NONE) {
        a->first_waiting = tasks;
    } else {
        a->tasks.at[a->last_waiting].after = tasks;
    }
    a->last_waiting = tasks;
}

void skedi_audit_unwait(sked_audit *a, uint32_t tasks)
{
    skedi_audit_tasks *t = &a->tasks.at[tasks];
    skedi_audit_queue *q = &a->queue.at[a->job.at[t->job].queue];

    if (!t->heap_at) return;
    uint32_t at = t->heap_at - 1, last = q->heap[--q->heap_n];
    t->heap_at = 0;
    if (last != tasks) {
        q->heap[at] = last;
        audit_heap_settle(a, q, at);
    }
    if (a->idle_cursor == tasks) a->idle_cursor = t->after;
    if (t->before == SKEDI_AUDIT_NONE) {
        a->first_waiting = t->after;
    } else {
        a->tasks.at[t->before].after = t->after;
    }
    if (t->after == SKEDI_AUDIT_NONE) {
        a->last_waiting = t->before;
    } else {
        a->tasks.at[t->after].before = t->before;
    }
}
