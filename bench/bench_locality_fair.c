/*
 * Locality under fairness beside the published way, a network of queues, blocks
 * and hosts with Dinic's algorithm on it, and beside shares and places one after
 * the other.
 */
#include "bench.h"

#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/support/blocks.h"
#include "dinic.h"

enum {
    REPLICAS = 3,
    QUEUES = 50,
    SLOTS = 20,
    BLOCKS_A_HOST = 100,
    FILES = 20,
    WINDOW = 40
};

typedef struct fair_world {
    sked_locality_fair_input in;
    uint32_t *replica;
    uint32_t *queue;
    uint32_t *share;
    uint32_t *slots;
    uint32_t *host;
    uint8_t *queue_cut;
    uint8_t *host_cut;
    sked_locality_fair_result result;
    uint64_t theirs;
} fair_world;

/* Every queue has files, each of which lies on a fortieth of the hosts; all
 * shares together are all slots, and are a fifth of the blocks. */
static void make_fair(fair_world *w, uint32_t blocks)
{
    uint32_t hosts = blocks / BLOCKS_A_HOST;
    uint64_t state = 16;

    w->replica = bench_new((size_t)blocks * REPLICAS, sizeof *w->replica);
    w->queue = bench_new(blocks, sizeof *w->queue);
    w->share = bench_new(QUEUES, sizeof *w->share);
    w->slots = bench_new(hosts, sizeof *w->slots);
    w->host = bench_new(blocks, sizeof *w->host);
    w->queue_cut = bench_new(QUEUES, 1);
    w->host_cut = bench_new(hosts, 1);
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t q = w->queue[b] = b % QUEUES;
        uint64_t file = q * FILES + b / (blocks / FILES + 1);
        uint32_t from = blocks_below(&file, hosts);
        for (uint32_t k = 0; k < REPLICAS; k++) {
            uint32_t at = from + blocks_below(&state, hosts / WINDOW);
            w->replica[(size_t)b * REPLICAS + k] = at % hosts;
        }
    }
    for (uint32_t h = 0; h < hosts; h++) w->slots[h] = SLOTS;
    for (uint32_t q = 0; q < QUEUES; q++) w->share[q] = hosts * SLOTS / QUEUES;
    w->in = (sked_locality_fair_input){.struct_size = sizeof w->in,
                                       .blocks = blocks,
                                       .hosts = hosts,
                                       .queues = QUEUES,
                                       .replicas = REPLICAS,
                                       .replica = w->replica,
                                       .queue = w->queue,
                                       .share = w->share,
                                       .slots = w->slots};
}

static void drop_fair(fair_world *w)
{
    free(w->replica);
    free(w->queue);
    free(w->share);
    free(w->slots);
    free(w->host);
    free(w->queue_cut);
    free(w->host_cut);
}

static void plan_fair(fair_world *w, uint32_t method)
{
    sked_locality_fair_options o = {.struct_size = sizeof o, .method = method};

    w->result = (sked_locality_fair_result){.struct_size = sizeof w->result,
                                            .host = w->host,
                                            .queue_cut = w->queue_cut,
                                            .host_cut = w->host_cut};
    if (sked_locality_fair(&w->in, &o, NULL, &w->result, NULL) != SKED_OK) {
        abort();
    }
}

static void joint(void *arg)
{
    plan_fair(arg, SKED_LOCALITY_FAIR_JOINT);
}

static void by_dinic(void *arg)
{
    fair_world *w = arg;
    dinic_problem p = {(unsigned)w->in.blocks, (unsigned)w->in.hosts, REPLICAS,
                       w->replica};
    dinic_shares s = {QUEUES, w->queue, w->share, SLOTS};

    w->theirs = dinic_local(&p, &s);
}

static void fair(bench *b, size_t n)
{
    fair_world w;
    char note[80];

    make_fair(&w, (uint32_t)n);
    plan_fair(&w, SKED_LOCALITY_FAIR_APART);
    uint64_t apart = w.result.transfers;
    joint(&w);
    snprintf(note, sizeof note, "transfers: %llu; one after the other %llu",
             (unsigned long long)w.result.transfers, (unsigned long long)apart);
    bench_compare(b,
                  &(bench_row){.n = n,
                               .unit = BENCH_MS,
                               .metric = "ms",
                               .budget = 500,
                               .reference = "Dinic on queues, blocks and hosts",
                               .note = note},
                  &(bench_job){.run = joint, .arg = &w, .ops = 1},
                  &(bench_job){.run = by_dinic, .arg = &w, .ops = 1});
    bench_must(b, w.theirs == w.result.local, "Dinic finds as many");
    bench_must(b, w.result.local == w.result.bound, "the cut proves it");
    bench_must(
        b, sked_locality_fair_verify(&w.in, &w.result, NULL, NULL) == SKED_OK,
        "shares and slots are kept to");
    drop_fair(&w);
}

const bench_entry bench_locality_fair[] = {
    {"locality.fair", "a wave of 50 queues, all blocks waiting", fair, 1000000,
     100000, 0},
    {0}};
