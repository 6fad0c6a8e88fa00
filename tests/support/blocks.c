#include "blocks.h"

#include <stdlib.h>

uint64_t blocks_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t blocks_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((blocks_random(state) >> 32) * n >> 32);
}

/* `replicas` different hosts of those from `base` on. */
static void draw_hosts(uint64_t *state, uint32_t base, uint32_t n,
                       uint32_t replicas, uint32_t *out)
{
    for (uint32_t k = 0; k < replicas;) {
        uint32_t h = base + blocks_below(state, n), j = 0;
        while (n >= replicas && j < k && out[j] != h) j++;
        if (n >= replicas && j < k) continue;
        out[k++] = h;
    }
}

void blocks_uniform(uint32_t *replica, uint32_t blocks, uint32_t hosts,
                    uint32_t replicas, uint64_t seed)
{
    for (uint32_t b = 0; b < blocks; b++) {
        draw_hosts(&seed, 0, hosts, replicas, replica + (size_t)b * replicas);
    }
}

/* A block that belongs to a group: the x-th of those that are left. */
static void draw_closed(uint64_t *state, const blocks_groups *g, uint32_t *left,
                        uint32_t x, uint32_t *out)
{
    uint32_t i = 0, base = 0;

    while (x >= left[i]) {
        x -= left[i];
        base += g->hosts[i++];
    }
    left[i]--;
    draw_hosts(state, base, g->hosts[i], 3, out);
}

/* One that has a replica outside of all groups. */
static void draw_mixed(uint64_t *state, uint32_t inside, uint32_t hosts,
                       uint32_t *out)
{
    draw_hosts(state, 0, hosts, 3, out);
    for (int k = 0; k < 3; k++) {
        if (out[k] >= inside) return;
    }
    out[0] = inside + blocks_below(state, hosts - inside);
}

static void scatter_hosts(uint64_t *state, uint32_t *replica, size_t n,
                          uint32_t hosts)
{
    uint32_t *name = malloc(hosts * sizeof *name);

    if (!name) abort();
    for (uint32_t h = 0; h < hosts; h++) name[h] = h;
    for (uint32_t h = hosts - 1; h > 0; h--) {
        uint32_t other = blocks_below(state, h + 1), held = name[h];
        name[h] = name[other];
        name[other] = held;
    }
    for (size_t i = 0; i < n; i++) replica[i] = name[replica[i]];
    free(name);
}

void blocks_grouped(uint32_t *replica, uint32_t blocks, uint32_t hosts,
                    const blocks_groups *g)
{
    uint32_t left[BLOCKS_GROUPS], closed = 0, inside = 0, mixed;
    uint32_t early = g->early;
    uint64_t state = g->seed;

    for (uint32_t i = 0; i < g->n; i++) {
        left[i] = g->blocks[i];
        closed += left[i];
        inside += g->hosts[i];
    }
    mixed = blocks - closed;
    if (early > mixed) early = mixed;
    for (uint32_t b = 0; b < blocks;) {
        uint32_t *out = replica + (size_t)b * 3;
        if (b >= early && blocks_below(&state, blocks - b) < closed) {
            uint32_t x = blocks_below(&state, closed--);
            draw_closed(&state, g, left, x, out);
            b++;
        } else if (mixed) {
            mixed--;
            draw_mixed(&state, inside, hosts, out);
            b++;
        } else {
            early = 0;
        }
    }
    scatter_hosts(&state, replica, (size_t)blocks * 3, hosts);
}

void blocks_case(uint32_t *replica, unsigned i)
{
    /* Hosts of the groups, blocks above 150 each, early ones. */
    static const uint32_t cases[CASES][5] = {
        {7, 0, 34, 0, 3000},  {10, 0, 50, 0, 2010}, {5, 24, 26, 31, 2640},
        {12, 0, 46, 0, 2400}, {15, 0, 45, 0, 1980}, {3, 45, 7, 53, 3030},
        {10, 0, 50, 0, 1800}, {12, 0, 45, 0, 2220}, {5, 36, 16, 48, 2190},
        {3, 28, 13, 49, 3000}};
    const uint32_t *c = cases[i];
    blocks_groups groups = {.n = c[1] ? 2 : 1,
                            .hosts = {c[0], c[1]},
                            .blocks = {150 * c[0] + c[2], 150 * c[1] + c[3]},
                            .early = c[4],
                            .seed = 1000 + i};

    blocks_grouped(replica, CASE_BLOCKS, CASE_HOSTS, &groups);
}

void blocks_trace(uint32_t *replica)
{
    const blocks_groups groups = {.n = 2,
                                  .hosts = {100, 40},
                                  .blocks = {15500, 6120},
                                  .early = 600,
                                  .seed = 77};

    blocks_grouped(replica, CASE_BLOCKS, CASE_HOSTS, &groups);
}
