/*
 * Any input of locality under fairness: what is refused writes nothing, what is
 * planned is proved, and no plan made apart is better than a joint one.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { BLOCKS = 40, HOSTS = 8, QUEUES = 6, REPLICAS = 4 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_locality_fair.c:%d: %s does not hold\n", line, what);
    abort();
}

typedef struct columns {
    uint32_t replica[BLOCKS * REPLICAS];
    uint32_t queue[BLOCKS];
    uint32_t share[QUEUES];
    uint32_t slots[HOSTS];
} columns;

/* Small, or now and then anything at all. */
static uint32_t any_number(fuzz_input *in, uint32_t small)
{
    uint64_t x = fuzz_u64(in, 1);

    return x < 253 ? (uint32_t)x % small : (uint32_t)fuzz_u64(in, 4);
}

static void any_columns(fuzz_input *in, columns *c)
{
    for (int i = 0; i < QUEUES; i++) c->share[i] = any_number(in, 12);
    for (int i = 0; i < HOSTS; i++) c->slots[i] = any_number(in, 12);
    for (int i = 0; i < BLOCKS; i++) c->queue[i] = any_number(in, QUEUES);
    for (int i = 0; i < BLOCKS * REPLICAS; i++) {
        uint64_t x = fuzz_u64(in, 1);
        c->replica[i] = x == 255   ? (uint32_t)fuzz_u64(in, 4)
                        : x >= 240 ? SKED_LOCALITY_NO_HOST
                                   : (uint32_t)(x % HOSTS);
    }
}

static sked_status plan(const sked_locality_fair_input *in, uint32_t method,
                        uint32_t phases, sked_locality_fair_result *r)
{
    sked_locality_fair_options o = {
        .struct_size = sizeof o, .method = method, .phases = phases};
    sked_status rc = sked_locality_fair(in, &o, NULL, r, NULL);

    if (rc == SKED_OK) {
        MUST(sked_locality_fair_verify(in, r, NULL, NULL) == SKED_OK);
        MUST(r->local <= r->bound);
    }
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input bytes = {data, data + size};
    static columns c;
    uint32_t host[BLOCKS];
    uint8_t queue_cut[QUEUES] = {0}, host_cut[HOSTS] = {0};
    uint64_t flags = fuzz_u64(&bytes, 1);
    sked_locality_fair_input in = {
        .struct_size = sizeof in,
        .blocks = (uint32_t)fuzz_u64(&bytes, 1) % (BLOCKS + 1),
        .hosts = 1 + (uint32_t)fuzz_u64(&bytes, 1) % HOSTS,
        .queues = 1 + (uint32_t)fuzz_u64(&bytes, 1) % QUEUES,
        .replicas = (uint32_t)fuzz_u64(&bytes, 1) % (REPLICAS + 1),
        .replica = c.replica,
        .share = c.share};
    sked_locality_fair_result r = {.struct_size = sizeof r,
                                   .host = host,
                                   .queue_cut = queue_cut,
                                   .host_cut = host_cut};

    any_columns(&bytes, &c);
    if (flags & 1) in.queue = c.queue;
    if (flags & 2) in.slots = c.slots;
    memset(host, 9, sizeof host);
    if (plan(&in, SKED_LOCALITY_FAIR_JOINT, 0, &r) != SKED_OK) {
        for (int b = 0; b < BLOCKS; b++) MUST(host[b] == 0x09090909);
        return 0;
    }
    uint64_t most = r.local;
    MUST(r.bound == most);
    MUST(plan(&in, SKED_LOCALITY_FAIR_APART, 0, &r) == SKED_OK);
    MUST(r.local <= most && most <= r.bound);
    MUST(plan(&in, SKED_LOCALITY_FAIR_JOINT, 1, &r) == SKED_OK);
    MUST(r.local * 2 >= most && most <= r.bound);
    return 0;
}
