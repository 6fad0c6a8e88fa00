#include "dinic.h"

#include <string.h>

#include <stdlib.h>

#include "bench.h"

enum { NO_EDGE = -1 };

/* Edges in pairs, each beside its reverse, in lists by node. */
typedef struct network {
    uint32_t nodes;
    uint32_t edges;
    int32_t *first;
    int32_t *next;
    uint32_t *to;
    uint32_t *left;
    int32_t *level;
    int32_t *at;
    uint32_t *queue;
    int32_t *path;
} network;

static void add_edge(network *g, uint32_t from, uint32_t to, uint32_t capacity)
{
    g->to[g->edges] = to;
    g->left[g->edges] = capacity;
    g->next[g->edges] = g->first[from];
    g->first[from] = (int32_t)g->edges++;
    g->to[g->edges] = from;
    g->next[g->edges] = g->first[to];
    g->first[to] = (int32_t)g->edges++;
}

/* `s` (NULL: none) puts queues between the source and the blocks. */
static network make_network(const dinic_problem *p, uint32_t load,
                            const dinic_shares *s)
{
    uint32_t source = p->blocks + p->hosts, sink = source + 1;
    uint32_t queues = s ? s->queues : 0;
    size_t edges = 2 *
                   ((size_t)p->blocks * (p->replicas + 1) + p->hosts + queues);
    network g = {.nodes = sink + 1 + queues};

    g.first = bench_new(g.nodes, sizeof *g.first);
    g.level = bench_new(g.nodes, sizeof *g.level);
    g.at = bench_new(g.nodes, sizeof *g.at);
    g.queue = bench_new(g.nodes, sizeof *g.queue);
    g.path = bench_new(g.nodes, sizeof *g.path);
    g.next = bench_new(edges, sizeof *g.next);
    g.to = bench_new(edges, sizeof *g.to);
    g.left = bench_new(edges, sizeof *g.left);
    for (uint32_t v = 0; v < g.nodes; v++) g.first[v] = NO_EDGE;
    for (uint32_t b = 0; b < p->blocks; b++) {
        const uint32_t *row = p->replica + (size_t)b * p->replicas;
        add_edge(&g, s ? sink + 1 + s->queue[b] : source, b, 1);
        for (uint32_t k = 0; k < p->replicas; k++) {
            add_edge(&g, b, p->blocks + row[k], 1);
        }
    }
    for (uint32_t h = 0; h < p->hosts; h++) {
        add_edge(&g, p->blocks + h, sink, load);
    }
    for (uint32_t q = 0; q < queues; q++) {
        add_edge(&g, source, sink + 1 + q, s->share[q]);
    }
    return g;
}

static void drop_network(network *g)
{
    free(g->first);
    free(g->level);
    free(g->at);
    free(g->queue);
    free(g->path);
    free(g->next);
    free(g->to);
    free(g->left);
}

static int find_levels(network *g, uint32_t source, uint32_t sink)
{
    uint32_t n = 0;

    for (uint32_t v = 0; v < g->nodes; v++) g->level[v] = -1;
    g->level[source] = 0;
    g->queue[n++] = source;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = g->queue[i];
        for (int32_t e = g->first[v]; e != NO_EDGE; e = g->next[e]) {
            if (!g->left[e] || g->level[g->to[e]] >= 0) continue;
            g->level[g->to[e]] = g->level[v] + 1;
            g->queue[n++] = g->to[e];
        }
    }
    return g->level[sink] >= 0;
}

/* One path of one unit, since every block is one. 0: none is left. */
static int push_unit(network *g, uint32_t source, uint32_t sink)
{
    uint32_t v = source, n = 0;

    while (v != sink) {
        int32_t e = g->at[v];
        while (e != NO_EDGE &&
               !(g->left[e] && g->level[g->to[e]] == g->level[v] + 1)) {
            e = g->next[e];
        }
        g->at[v] = e;
        if (e != NO_EDGE) {
            g->path[n++] = e;
            v = g->to[e];
            continue;
        }
        if (n == 0) return 0;
        g->level[v] = -1;
        v = g->to[g->path[--n] ^ 1];
    }
    while (n-- > 0) {
        g->left[g->path[n]]--;
        g->left[g->path[n] ^ 1]++;
    }
    return 1;
}

static uint64_t largest_flow(network *g, uint32_t source, uint32_t sink)
{
    uint64_t flow = 0;

    while (find_levels(g, source, sink)) {
        memcpy(g->at, g->first, g->nodes * sizeof *g->at);
        while (push_unit(g, source, sink)) flow++;
    }
    return flow;
}

uint64_t dinic_transfers(const dinic_problem *p, uint32_t load)
{
    network g = make_network(p, load, NULL);
    uint32_t source = p->blocks + p->hosts;
    uint64_t flow = largest_flow(&g, source, source + 1);

    drop_network(&g);
    return p->blocks - flow;
}

uint64_t dinic_local(const dinic_problem *p, const dinic_shares *s)
{
    network g = make_network(p, s->slots, s);
    uint32_t source = p->blocks + p->hosts;
    uint64_t flow = largest_flow(&g, source, source + 1);

    drop_network(&g);
    return flow;
}

/* The largest load when each block goes where least is: where to begin. */
static uint32_t load_by_greed(const dinic_problem *p)
{
    uint32_t *count = bench_new(p->hosts, sizeof *count), most = 0;

    for (uint32_t b = 0; b < p->blocks; b++) {
        const uint32_t *row = p->replica + (size_t)b * p->replicas;
        uint32_t best = row[0];
        for (uint32_t k = 1; k < p->replicas; k++) {
            if (count[row[k]] < count[best]) best = row[k];
        }
        if (++count[best] > most) most = count[best];
    }
    free(count);
    return most;
}

static uint32_t mean_load(const dinic_problem *p)
{
    return p->blocks / p->hosts + (p->blocks % p->hosts > 0);
}

dinic_answer dinic_least_load(const dinic_problem *p)
{
    uint32_t low = mean_load(p), high = load_by_greed(p);
    dinic_answer a = {0, 0, 0};

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        a.flows++;
        if (dinic_transfers(p, middle) == 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    a.load = low;
    return a;
}

dinic_answer dinic_area(const dinic_problem *p, uint64_t compute,
                        uint64_t transfer)
{
    dinic_answer a = dinic_least_load(p);
    uint32_t low = mean_load(p), high = (uint32_t)a.load;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        uint64_t here = dinic_transfers(p, middle);
        uint64_t next = dinic_transfers(p, middle + 1);
        a.flows += 2;
        if ((here - next) * transfer < compute) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    a.load = low;
    a.transfers = dinic_transfers(p, low);
    a.flows++;
    return a;
}

dinic_answer dinic_forward(const dinic_problem *p, uint64_t step)
{
    dinic_answer a = dinic_least_load(p);
    uint32_t load = (uint32_t)a.load, mean = mean_load(p);

    for (uint64_t m = step; load > mean + 1; m += step) {
        uint64_t less = 0;
        while (load > mean && less <= m) {
            less = dinic_transfers(p, load - 1);
            a.flows++;
            if (less <= m) load--;
        }
    }
    a.load = load;
    a.transfers = dinic_transfers(p, load);
    return a;
}
