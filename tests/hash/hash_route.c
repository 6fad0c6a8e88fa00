/* Routing: all policies, handles and arrays, charges, stripes. */
#include <sched/sked.h>

#include "hash.h"

enum { CLUSTERS = 12, QUEUES = 3, KINDS = 3, JOBS = 20, MACHINES = 50 };

typedef struct sample {
    uint64_t id[CLUSTERS];
    sked_time time[CLUSTERS];
    int64_t capacity[CLUSTERS * KINDS];
    int64_t available[CLUSTERS * KINDS];
    int64_t in_queue[CLUSTERS * QUEUES * KINDS];
    int64_t request[JOBS * KINDS];
    uint32_t queue[JOBS];
    uint32_t missing[JOBS * CLUSTERS];
    uint32_t rack[MACHINES];
} sample;

static int64_t up_to(uint64_t *state, int64_t most)
{
    return (int64_t)hash_below(state, (uint64_t)most + 1);
}

static void make(sample *s, uint64_t *state, int64_t big)
{
    for (uint32_t i = 0; i < CLUSTERS * KINDS; i++) {
        s->capacity[i] = up_to(state, big / CLUSTERS);
        s->available[i] = up_to(state, s->capacity[i]);
        if (hash_below(state, 3) == 0) s->available[i] = -s->available[i];
    }
    for (uint32_t i = 0; i < CLUSTERS * QUEUES * KINDS; i++) {
        uint32_t row = i / (QUEUES * KINDS) * KINDS + i % KINDS;
        s->in_queue[i] = up_to(state, s->capacity[row]);
    }
    for (uint32_t i = 0; i < CLUSTERS; i++) {
        s->id[i] = (i * 5 + 3) % CLUSTERS + 1;
        s->time[i] = up_to(state, 100);
    }
    for (uint32_t i = 0; i < JOBS * KINDS; i++) {
        s->request[i] = up_to(state, big / 500);
        if (hash_below(state, 4) == 0) s->request[i] = 0;
    }
    for (uint32_t i = 0; i < JOBS; i++) {
        s->queue[i] = (uint32_t)hash_below(state, QUEUES);
    }
    for (uint32_t i = 0; i < JOBS * CLUSTERS; i++) {
        s->missing[i] = (uint32_t)hash_below(state, 1000001);
    }
    for (uint32_t i = 0; i < MACHINES; i++) {
        s->rack[i] = (uint32_t)hash_below(state, 9);
    }
}

static uint64_t add_score(uint64_t h, const sked_route_score *score)
{
    h = hash_add(h, (uint64_t)score->num);
    h = hash_add(h, (uint64_t)score->den);
    h = hash_add(h, (uint64_t)score->cost);
    return hash_add(h, (uint64_t)score->kind);
}

static uint64_t add_answers(uint64_t h, const sked_route_answer *a)
{
    for (uint32_t i = 0; i < JOBS; i++) {
        h = hash_add(h, a[i].cluster);
        h = hash_add(h, a[i].runner_up);
        h = hash_add(h, a[i].eligible);
        h = hash_add(h, a[i].stale);
        h = hash_add(h, (uint64_t)a[i].age_ns);
        h = add_score(h, &a[i].score);
        h = add_score(h, &a[i].runner_score);
    }
    return h;
}

static uint64_t route_all(uint64_t h, const sample *s, int32_t policy)
{
    sked_route_options opts = {.struct_size = sizeof opts,
                               .kinds = KINDS,
                               .policy = policy,
                               .max_age_ns = 50};
    sked_route_input in = {.struct_size = sizeof in,
                           .n = CLUSTERS,
                           .queues = QUEUES,
                           .id = s->id,
                           .time = s->time,
                           .capacity = s->capacity,
                           .available = s->available,
                           .in_queue = s->in_queue};
    sked_route_jobs jobs = {.struct_size = sizeof jobs,
                            .n = JOBS,
                            .request = s->request,
                            .queue = s->queue,
                            .missing = s->missing};
    sked_route_answer answers[JOBS];
    sked_route *router;

    HASH_MUST(sked_route_once(&in, &jobs, 100, &opts, NULL, answers, NULL) >=
              0);
    h = add_answers(h, answers);
    HASH_MUST(sked_route_new(&opts, NULL, &router, NULL) == SKED_OK);
    HASH_MUST(sked_route_replace(router, &in, NULL) == SKED_OK);
    HASH_MUST(sked_route_charge(router, &jobs, 100, answers, NULL) >= 0);
    h = add_answers(h, answers);
    h = hash_add(h, sked_route_digest(router));
    sked_route_free(router);
    return h;
}

uint64_t hash_route(unsigned size);

uint64_t hash_route(unsigned size)
{
    uint64_t state = 77, h = 0;
    sample s;

    for (unsigned life = 0; life < 60 * size; life++) {
        uint32_t part[MACHINES], reach[4];
        int64_t big = life % 2 ? SKED_AMOUNT_MAX : 100000;
        make(&s, &state, big);
        for (int32_t policy = 0; policy < 4; policy++) {
            h = route_all(h, &s, policy);
        }
        HASH_MUST(sked_route_stripe(s.rack, MACHINES, 4, NULL, part, reach,
                                    NULL) == SKED_OK);
        for (uint32_t i = 0; i < MACHINES; i++) h = hash_add(h, part[i]);
        for (uint32_t i = 0; i < 4; i++) h = hash_add(h, reach[i]);
    }
    return h;
}
