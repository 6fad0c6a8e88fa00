/*
 * Locality under fairness in four parts: a greedy start, blocking flows
 * (fair_flow.c), a cut as the bound of the flow, and transfers for the rest of
 * the queues' blocks.
 *
 * The levels of a last search define the cuts: the nodes below a level are one
 * set. The result has the least cut. If the search reaches no free slot, the
 * least cut is as large as the flow.
 */
#include <sched/locality_fair.h>

#include <string.h>

#include "base/fail.h"
#include "base/hooks.h"
#include "base/versioned.h"

/*
 * Data of locality under fairness. Nodes are the queues, then the hosts. Every
 * block that takes part is in the list of one node: of its queue while the
 * block waits, of its host while the block runs.
 */

/* A sked_locality_fair_input whose numbers are known to be in their ranges. */
typedef struct skedi_fair_blocks {
    uint32_t blocks;
    uint32_t hosts;
    uint32_t queues;
    uint32_t replicas;
    const uint32_t *replica;
    const uint32_t *queue;
    const uint32_t *share;
    const uint32_t *slots;
} skedi_fair_blocks;

typedef struct skedi_fair {
    const skedi_fair_blocks *in;
    skedi_hooks *hooks;
    uint32_t nodes;  /* queues and hosts */
    uint32_t *where; /* by block: its host; SKED_LOCALITY_NO_HOST: waiting */
    uint32_t *next;  /* by block: next block of the list, plus 1 */
    uint32_t *prev;
    /* By node. */
    uint32_t *first; /* first block of the node's list, plus 1 */
    uint32_t *left;  /* blocks that the node may still take */
    uint32_t *all;   /* blocks that the node may take in total: wants, slots */
    int32_t *level;  /* steps from a queue that lacks blocks */
    uint32_t *at;    /* place of the search in the node's list: block, plus 1,
                        */
    uint32_t *arc;   /* and position in the row */
    uint32_t *found; /* in the order of a search */
    uint32_t *path;
    int64_t *change; /* of cuts, by level; nodes + 2 */
} skedi_fair;

static inline uint32_t fair_queue_of(const skedi_fair_blocks *in,
                                     uint32_t block)
{
    return in->queue ? in->queue[block] : 0;
}

/*
 * Blocking flows between queues and hosts. An arc from a queue is a waiting
 * block, to a host of its replicas. An arc from a host is a running block, to
 * another host of its replicas, or to its queue, if the block waits instead. A
 * path leads from a queue that lacks blocks to a host with a free slot. The
 * path makes one more block local. Every other queue on the path keeps its
 * number of local blocks.
 *
 * A block that moves in a phase comes to the head of its new list. The search
 * of the list has passed the head. The block never leads to the next level, so
 * the search misses no arc.
 */

enum { FAIR_UNSEEN = -1, FAIR_CLOSED = -2 };

/* Puts a block into the list of a node. */
static void fair_link(skedi_fair *w, uint32_t block, uint32_t node)
{
    uint32_t after = w->first[node];

    w->prev[block] = 0;
    w->next[block] = after;
    if (after) w->prev[after - 1] = block + 1;
    w->first[node] = block + 1;
}

static void fair_unlink(skedi_fair *w, uint32_t block, uint32_t node)
{
    uint32_t before = w->prev[block], after = w->next[block];

    if (before) {
        w->next[before - 1] = after;
    } else {
        w->first[node] = after;
    }
    if (after) w->prev[after - 1] = before;
}

/* The node that a block reaches by position `k` of its row. The queue stands
 * behind the end of the row; `nodes`: no node. */
static uint32_t arc_end(const skedi_fair *w, uint32_t block, uint32_t k)
{
    const skedi_fair_blocks *in = w->in;

    if (k == in->replicas) return fair_queue_of(in, block);
    uint32_t h = in->replica[(size_t)block * in->replicas + k];
    return h == SKED_LOCALITY_NO_HOST ? w->nodes : in->queues + h;
}

static int has_free_slot(const skedi_fair *w, uint32_t node)
{
    return node >= w->in->queues && w->left[node] > 0;
}

/* ---- Levels ---- */

static int see_arcs(skedi_fair *w, uint32_t node, uint32_t *reached)
{
    int slot = 0;

    for (uint32_t i = w->first[node]; i; i = w->next[i - 1]) {
        for (uint32_t k = 0; k <= w->in->replicas; k++) {
            uint32_t to = arc_end(w, i - 1, k);
            if (to == w->nodes || w->level[to] != FAIR_UNSEEN) continue;
            w->level[to] = w->level[node] + 1;
            w->found[(*reached)++] = to;
            slot |= has_free_slot(w, to);
        }
    }
    return slot;
}

/* Finds the levels of all nodes in reach, or only up to the first host with a
 * free slot. Returns 1 if a free slot is in reach. (fair_flow.c) */
static int fair_search(skedi_fair *w, int whole, uint32_t *reached)
{
    uint32_t n = 0, level_end;
    int slot = 0;

    for (uint32_t v = 0; v < w->nodes; v++) {
        w->level[v] = FAIR_UNSEEN;
        w->at[v] = w->first[v];
        w->arc[v] = 0;
        if (v >= w->in->queues || w->left[v] == 0) continue;
        w->level[v] = 0;
        w->found[n++] = v;
    }
    level_end = n;
    for (uint32_t i = 0; i < n && n < w->nodes; i++) {
        if (i == level_end) {
            if (slot && !whole) break;
            level_end = n;
        }
        slot |= see_arcs(w, w->found[i], &n);
    }
    *reached = n;
    return slot;
}

/* ---- Paths ---- */

/* The end of the next arc to the next level; `nodes`: none is left. */
static uint32_t next_fair_arc(skedi_fair *w, uint32_t node)
{
    for (uint32_t i = w->at[node]; i; i = w->next[i - 1]) {
        w->at[node] = i;
        for (uint32_t k = w->arc[node]; k <= w->in->replicas; k++) {
            uint32_t to = arc_end(w, i - 1, k);
            w->arc[node] = k;
            if (to == w->nodes || w->level[to] != w->level[node] + 1) continue;
            return to;
        }
        w->arc[node] = 0;
    }
    w->at[node] = 0;
    return w->nodes;
}

/* Moves a block along each of `n` steps of the path, the last step first. */
static void push_fair_path(skedi_fair *w, uint32_t n, uint32_t end)
{
    w->left[w->path[0]]--;
    w->left[end]--;
    for (uint32_t to = end; n > 0; n--) {
        uint32_t from = w->path[n - 1], block = w->at[from] - 1;
        w->at[from] = w->next[block];
        w->arc[from] = 0;
        fair_unlink(w, block, from);
        fair_link(w, block, to);
        w->where[block] = to < w->in->queues ? SKED_LOCALITY_NO_HOST
                                             : to - w->in->queues;
        to = from;
    }
}

/* Makes one more block of a queue local, if a path exists. */
static void push_from_queue(skedi_fair *w, uint32_t queue)
{
    uint32_t n = 0, v = queue;

    for (;;) {
        if (has_free_slot(w, v)) {
            push_fair_path(w, n, v);
            return;
        }
        uint32_t to = next_fair_arc(w, v);
        if (to != w->nodes) {
            w->path[n++] = v;
            v = to;
            continue;
        }
        w->level[v] = FAIR_CLOSED;
        if (n == 0) return;
        v = w->path[--n];
    }
}

/* Blocking flows, `phases` at most (0: any number), until none is left. */
static sked_status locality_fair_flow(skedi_fair *w, uint32_t phases,
                                      uint32_t *used)
{
    sked_status rc = SKED_OK;
    uint32_t reached;

    *used = 0;
    while (rc == SKED_OK && fair_search(w, 0, &reached)) {
        for (uint32_t q = 0; q < w->in->queues; q++) {
            while (w->left[q] && w->level[q] == 0) push_from_queue(w, q);
        }
        if (++*used == phases) break;
        rc = skedi_hooks_check(w->hooks, *used, *used + 1);
    }
    return rc;
}

/*
 * Takes the input of locality under fairness in. Every number is checked: no
 * read goes beyond a column's end, and no sum overflows.
 */

SKEDI_NO_TAIL_PADDING(sked_locality_fair_input, slots);

enum {
    FAIR_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_locality_fair_input, slots),
    FAIR_BLOCKS_A_CHECK = 1 << 18
};

static const uint32_t no_row[] = {SKED_LOCALITY_NO_HOST};

static sked_status fair_size(sked_error *err, const char *what, uint64_t got,
                             uint32_t limit)
{
    return skedi_fail(err, SKED_ERR_RANGE, what,
                      (skedi_fault){.got = (int64_t)got, .limit = limit});
}

static sked_status fair_sizes_in(const sked_locality_fair_input *in,
                                 sked_error *err)
{
    if (in->blocks > SKED_MAX_LOCALITY_BLOCKS) {
        return fair_size(err, "blocks is above 2^31 - 1", in->blocks,
                         SKED_MAX_LOCALITY_BLOCKS);
    }
    if (in->hosts < 1 || in->hosts > SKED_MAX_LOCALITY_HOSTS) {
        return fair_size(err, "hosts is not 1 to 2^24", in->hosts,
                         SKED_MAX_LOCALITY_HOSTS);
    }
    if (in->queues < 1 || in->queues > SKED_MAX_LOCALITY_FAIR_QUEUES) {
        return fair_size(err, "queues is not 1 to 2^24", in->queues,
                         SKED_MAX_LOCALITY_FAIR_QUEUES);
    }
    if (in->replicas > SKED_MAX_LOCALITY_REPLICAS ||
        (in->replicas && in->blocks > SIZE_MAX / 4 / in->replicas)) {
        return fair_size(err, "replicas is above 254", in->replicas,
                         SKED_MAX_LOCALITY_REPLICAS);
    }
    return SKED_OK;
}

static sked_status fair_row(sked_error *err, const char *what, uint32_t block,
                            uint32_t got, uint32_t limit)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, what,
        (skedi_fault){.row = (int64_t)block + 1, .got = got, .limit = limit});
}

static sked_status fair_blocks_in(const skedi_fair_blocks *in,
                                  const skedi_hooks *hooks, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint32_t b = 0; b < in->blocks && rc == SKED_OK; b++) {
        const uint32_t *row = in->replica + (size_t)b * in->replicas;
        uint32_t q = fair_queue_of(in, b);
        if (q >= in->queues) {
            return fair_row(err, "a block is of no queue", b, q,
                            in->queues - 1);
        }
        for (uint32_t k = 0; k < in->replicas; k++) {
            if (row[k] < in->hosts || row[k] == SKED_LOCALITY_NO_HOST) continue;
            return fair_row(err, "a replica is on no host", b, row[k],
                            in->hosts - 1);
        }
        if (b % FAIR_BLOCKS_A_CHECK) continue;
        rc = skedi_hooks_check(hooks, b, in->blocks);
        if (rc != SKED_OK) rc = skedi_fail_stopped(err, rc);
    }
    return rc;
}

/* Checks all of an input. (fair_input.c) */
static sked_status fair_take(skedi_fair_blocks *in,
                             const sked_locality_fair_input *given,
                             const sked_host *host, skedi_hooks *hooks,
                             sked_error *err)
{
    sked_locality_fair_input all;

    if (!given) return skedi_fail_null(err, "input");
    sked_status rc = skedi_struct_in(&all, sizeof all, given, FAIR_INPUT_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    if (all.flags) {
        return skedi_fail_flags(err, "input");
    }
    rc = fair_sizes_in(&all, err);
    if (rc != SKED_OK) return rc;
    *in = (skedi_fair_blocks){(uint32_t)all.blocks,
                              (uint32_t)all.hosts,
                              (uint32_t)all.queues,
                              (uint32_t)all.replicas,
                              all.replica,
                              all.queue,
                              all.share,
                              all.slots};
    const char *missing = !in->share ? "input.share"
                          : in->blocks && in->replicas && !in->replica
                              ? "input.replica"
                              : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!in->replica) in->replica = no_row;
    rc = skedi_hooks_in(hooks, host, err);
    return rc == SKED_OK ? fair_blocks_in(in, hooks, err) : rc;
}

/* Counts the blocks that each queue runs, from `blocks` zeros. SKED_ERR_RANGE:
 * all queues together run more blocks than slots exist. */
static sked_status fair_wants(const skedi_fair_blocks *in, uint32_t *wants,
                              sked_error *err)
{
    uint64_t wanted = 0, slots = 0;

    for (uint32_t b = 0; b < in->blocks; b++) {
        uint32_t q = fair_queue_of(in, b);
        if (wants[q] == in->share[q]) continue;
        wants[q]++;
        wanted++;
    }
    for (uint32_t h = 0; h < in->hosts; h++) {
        slots += in->slots ? in->slots[h] : 1;
    }
    if (wanted <= slots) return SKED_OK;
    return skedi_fail(
        err, SKED_ERR_RANGE,
        "the queues are entitled to more than there are slots",
        (skedi_fault){.got = (int64_t)wanted, .limit = (int64_t)slots});
}

/* Checks that a result has the columns for `blocks` blocks. (fair_input.c) */
static sked_status fair_columns(uint32_t blocks,
                                const sked_locality_fair_result *result,
                                sked_error *err)
{
    const char *missing = !result                   ? "result"
                          : !result->queue_cut      ? "result.queue_cut"
                          : !result->host_cut       ? "result.host_cut"
                          : blocks && !result->host ? "result.host"
                                                    : NULL;
    return missing ? skedi_fail_null(err, missing) : SKED_OK;
}

/*
 * Verifies a plan of locality under fairness against its header, and the plan's
 * bound. Counts everything again from the definitions only.
 */

typedef struct fair_check {
    const skedi_fair_blocks *in;
    const sked_locality_fair_result *result;
    uint32_t *wants; /* by queue */
    uint32_t *runs;  /* by queue */
    uint32_t *load;  /* by host */
    uint64_t local;
    uint64_t transfers;
    uint64_t cut;
} fair_check;

static sked_status unfair(sked_error *err, const char *message, uint32_t row)
{
    return skedi_fail(err, SKED_ERR_INVALID, message,
                      (skedi_fault){.row = (int64_t)row + 1});
}

/* Checks one block's host, and counts the block in the cut. */
static sked_status check_fair_block(fair_check *c, uint32_t b, sked_error *err)
{
    const skedi_fair_blocks *in = c->in;
    const uint32_t *row = in->replica + (size_t)b * in->replicas;
    uint32_t q = fair_queue_of(in, b), h = c->result->host[b];
    int is_local = 0, outside = 0;

    for (uint32_t k = 0; k < in->replicas; k++) {
        if (row[k] == SKED_LOCALITY_NO_HOST) continue;
        is_local |= row[k] == h;
        outside |= !c->result->host_cut[row[k]];
    }
    c->cut += outside && !c->result->queue_cut[q];
    if (h == SKED_LOCALITY_NO_HOST) return SKED_OK;
    if (h >= in->hosts) return unfair(err, "a block runs on no host", b);
    c->runs[q]++;
    c->load[h]++;
    c->local += (uint64_t)is_local;
    c->transfers += (uint64_t)!is_local;
    return SKED_OK;
}

static sked_status check_fair_sums(fair_check *c, sked_error *err)
{
    const skedi_fair_blocks *in = c->in;

    for (uint32_t q = 0; q < in->queues; q++) {
        if (c->runs[q] != c->wants[q]) {
            return unfair(err, "a queue runs more or less than its share", q);
        }
        if (c->result->queue_cut[q]) c->cut += c->wants[q];
    }
    for (uint32_t h = 0; h < in->hosts; h++) {
        uint32_t slots = in->slots ? in->slots[h] : 1;
        if (c->load[h] > slots) {
            return unfair(err, "a host runs more than its slots", h);
        }
        if (c->result->host_cut[h]) c->cut += slots;
    }
    if (c->local != c->result->local || c->transfers != c->result->transfers) {
        return unfair(err, "local blocks or transfers are miscounted", 0);
    }
    if (c->cut == c->result->bound) return SKED_OK;
    return unfair(err, "the bound is not that of the cut", 0);
}

static sked_status check_fair_plan(fair_check *c, sked_error *err)
{
    sked_status rc = fair_wants(c->in, c->wants, err);

    for (uint32_t b = 0; b < c->in->blocks && rc == SKED_OK; b++) {
        rc = check_fair_block(c, b, err);
    }
    return rc == SKED_OK ? check_fair_sums(c, err) : rc;
}

sked_status sked_locality_fair_verify(const sked_locality_fair_input *input,
                                      const sked_locality_fair_result *result,
                                      const sked_host *host, sked_error *err)
{
    skedi_fair_blocks in;
    skedi_hooks hooks;
    sked_status rc = fair_take(&in, input, host, &hooks, err);

    if (rc != SKED_OK) return rc;
    rc = fair_columns(in.blocks, result, err);
    if (rc != SKED_OK) return rc;
    fair_check c = {.in = &in, .result = result};
    c.wants = skedi_new(&hooks.mem, in.queues, sizeof *c.wants);
    c.runs = skedi_new(&hooks.mem, in.queues, sizeof *c.runs);
    c.load = skedi_new(&hooks.mem, in.hosts, sizeof *c.load);
    rc = c.wants && c.runs && c.load ? check_fair_plan(&c, err)
                                     : skedi_fail_memory(err);
    skedi_free(&hooks.mem, c.wants, in.queues, sizeof *c.wants);
    skedi_free(&hooks.mem, c.runs, in.queues, sizeof *c.runs);
    skedi_free(&hooks.mem, c.load, in.hosts, sizeof *c.load);
    return rc;
}

SKEDI_NO_TAIL_PADDING(sked_locality_fair_options, reserved);
SKEDI_NO_TAIL_PADDING(sked_locality_fair_result, host_cut);

enum {
    FAIR_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_locality_fair_options, reserved),
    FAIR_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_locality_fair_result, host_cut)
};

static int fair_reserve(skedi_fair *w)
{
    skedi_mem *mem = &w->hooks->mem;
    size_t blocks = w->in->blocks, nodes = w->nodes;

    return (w->where = skedi_new(mem, blocks, sizeof *w->where)) &&
           (w->next = skedi_new(mem, blocks, sizeof *w->next)) &&
           (w->prev = skedi_new(mem, blocks, sizeof *w->prev)) &&
           (w->first = skedi_new(mem, nodes, sizeof *w->first)) &&
           (w->left = skedi_new(mem, nodes, sizeof *w->left)) &&
           (w->all = skedi_new(mem, nodes, sizeof *w->all)) &&
           (w->level = skedi_new(mem, nodes, sizeof *w->level)) &&
           (w->at = skedi_new(mem, nodes, sizeof *w->at)) &&
           (w->arc = skedi_new(mem, nodes, sizeof *w->arc)) &&
           (w->found = skedi_new(mem, nodes, sizeof *w->found)) &&
           (w->path = skedi_new(mem, nodes, sizeof *w->path)) &&
           (w->change = skedi_new(mem, nodes + 2, sizeof *w->change));
}

static void fair_drop(skedi_fair *w)
{
    skedi_mem *mem = &w->hooks->mem;
    size_t blocks = w->in->blocks, nodes = w->nodes;

    skedi_free(mem, w->where, blocks, sizeof *w->where);
    skedi_free(mem, w->next, blocks, sizeof *w->next);
    skedi_free(mem, w->prev, blocks, sizeof *w->prev);
    skedi_free(mem, w->first, nodes, sizeof *w->first);
    skedi_free(mem, w->left, nodes, sizeof *w->left);
    skedi_free(mem, w->all, nodes, sizeof *w->all);
    skedi_free(mem, w->level, nodes, sizeof *w->level);
    skedi_free(mem, w->at, nodes, sizeof *w->at);
    skedi_free(mem, w->arc, nodes, sizeof *w->arc);
    skedi_free(mem, w->found, nodes, sizeof *w->found);
    skedi_free(mem, w->path, nodes, sizeof *w->path);
    skedi_free(mem, w->change, nodes + 2, sizeof *w->change);
}

/* ---- The start ---- */

/* The host of a block's replicas with most free slots; SKED_LOCALITY_NO_HOST:
 * none. */
static uint32_t freest_replica(const skedi_fair *w, uint32_t block)
{
    const skedi_fair_blocks *in = w->in;
    const uint32_t *row = in->replica + (size_t)block * in->replicas;
    const uint32_t *left = w->left + in->queues;
    uint32_t best = SKED_LOCALITY_NO_HOST, most = 0;

    for (uint32_t k = 0; k < in->replicas; k++) {
        if (row[k] == SKED_LOCALITY_NO_HOST || left[row[k]] <= most) continue;
        best = row[k];
        most = left[best];
    }
    return best;
}

/* Places each block on the host with the most free slots. With `apart`, a block
 * beyond its queue's number is in no list and takes no part. */
static void fair_start(skedi_fair *w, int apart)
{
    const skedi_fair_blocks *in = w->in;
    uint32_t *seen = w->path; /* by queue: blocks until now; scratch */

    memset(seen, 0, in->queues * sizeof *seen);
    for (uint32_t b = 0; b < in->blocks; b++) {
        uint32_t q = fair_queue_of(in, b);
        int out = apart && seen[q] == w->all[q];
        seen[q] += !out;
        w->next[b] = (uint32_t)out;
        w->where[b] = SKED_LOCALITY_NO_HOST;
        if (out || w->left[q] == 0) continue;
        uint32_t h = freest_replica(w, b);
        if (h == SKED_LOCALITY_NO_HOST) continue;
        w->where[b] = h;
        w->left[q]--;
        w->left[in->queues + h]--;
    }
    for (uint32_t b = in->blocks; b-- > 0;) {
        if (w->next[b]) continue;
        fair_link(w, b,
                  w->where[b] == SKED_LOCALITY_NO_HOST
                      ? fair_queue_of(in, b)
                      : in->queues + w->where[b]);
    }
}

/* ---- The cut ---- */

/* Cuts from `from` to, not at, `to` have `amount` more; the cut numbered i
 * leaves out the nodes of levels below i. */
static void add_to_cuts(skedi_fair *w, uint32_t from, uint32_t to,
                        int64_t amount)
{
    if (from >= to) return;
    w->change[from] += amount;
    w->change[to] -= amount;
}

/* A block counts if the cut leaves out its queue but not all of its hosts. */
static void add_block_to_cuts(skedi_fair *w, uint32_t block)
{
    const skedi_fair_blocks *in = w->in;
    const uint32_t *row = in->replica + (size_t)block * in->replicas;
    int32_t deepest = -1;

    for (uint32_t k = 0; k < in->replicas; k++) {
        if (row[k] == SKED_LOCALITY_NO_HOST) continue;
        int32_t level = w->level[in->queues + row[k]];
        if (level > deepest) deepest = level;
    }
    add_to_cuts(w, (uint32_t)w->level[fair_queue_of(in, block)] + 1,
                (uint32_t)(deepest + 1), 1);
}

/* Finds the number of the least cut. */
static uint32_t least_cut(skedi_fair *w, uint64_t *bound)
{
    uint32_t reached, best = 0;
    int64_t sum = 0, least = INT64_MAX;

    (void)fair_search(w, 1, &reached);
    uint32_t deepest = reached ? (uint32_t)w->level[w->found[reached - 1]] : 0;
    for (uint32_t v = 0; v < w->nodes; v++) { /* out of reach: beyond all */
        if (w->level[v] < 0) w->level[v] = (int32_t)deepest + 1;
        uint32_t level = (uint32_t)w->level[v] + 1;
        if (v < w->in->queues) {
            add_to_cuts(w, 0, level, w->all[v]);
        } else {
            add_to_cuts(w, level, deepest + 2, w->all[v]);
        }
    }
    for (uint32_t b = 0; b < w->in->blocks; b++) add_block_to_cuts(w, b);
    for (uint32_t i = 0; i <= deepest + 1; i++) {
        sum += w->change[i];
        if (sum >= least) continue;
        least = sum;
        best = i;
    }
    *bound = (uint64_t)least;
    return best;
}

/* ---- Transfers, and what is handed out ---- */

/* Gives the remaining slots, in order, to the blocks that queues lack. */
static void transfer_rest(skedi_fair *w)
{
    const skedi_fair_blocks *in = w->in;
    uint32_t host = 0;

    for (uint32_t q = 0; q < in->queues; q++) {
        uint32_t next;
        for (uint32_t i = w->first[q]; i && w->left[q]; i = next) {
            next = w->next[i - 1];
            while (w->left[in->queues + host] == 0) host++;
            w->where[i - 1] = host;
            w->left[in->queues + host]--;
            w->left[q]--;
        }
    }
}

static void hand_out_fair(skedi_fair *w, uint32_t used,
                          sked_locality_fair_result *result)
{
    const skedi_fair_blocks *in = w->in;
    uint32_t cut = least_cut(w, &result->bound);

    result->phases = used;
    result->local = result->transfers = 0;
    for (uint32_t q = 0; q < in->queues; q++) {
        result->local += w->all[q] - w->left[q];
        result->transfers += w->left[q];
        if (result->queue_local) {
            result->queue_local[q] = w->all[q] - w->left[q];
        }
        result->queue_cut[q] = w->level[q] >= (int32_t)cut;
    }
    for (uint32_t h = 0; h < in->hosts; h++) {
        result->host_cut[h] = w->level[in->queues + h] < (int32_t)cut;
    }
    transfer_rest(w);
    if (in->blocks == 0) return;
    memcpy(result->host, w->where, in->blocks * sizeof *w->where);
}

static sked_status solve_fair(skedi_fair *w,
                              const sked_locality_fair_options *o,
                              sked_locality_fair_result *result,
                              sked_error *err)
{
    const skedi_fair_blocks *in = w->in;
    uint32_t used;

    if (!fair_reserve(w)) {
        return skedi_fail_memory(err);
    }
    sked_status rc = fair_wants(in, w->all, err);
    if (rc != SKED_OK) return rc;
    for (uint32_t h = 0; h < in->hosts; h++) {
        w->all[in->queues + h] = in->slots ? in->slots[h] : 1;
    }
    memcpy(w->left, w->all, w->nodes * sizeof *w->left);
    fair_start(w, o->method == SKED_LOCALITY_FAIR_APART);
    rc = locality_fair_flow(w, o->phases, &used);
    if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
    hand_out_fair(w, used, result);
    return SKED_OK;
}

sked_status sked_locality_fair(const sked_locality_fair_input *input,
                               const sked_locality_fair_options *options,
                               const sked_host *host,
                               sked_locality_fair_result *result,
                               sked_error *err)
{
    skedi_fair_blocks in;
    sked_locality_fair_options o;
    skedi_hooks hooks;
    sked_status rc = skedi_struct_in(&o, sizeof o, options, FAIR_OPTIONS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    if (o.reserved) return skedi_fail_reserved(err, "options");
    if (o.method > SKED_LOCALITY_FAIR_APART) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such method");
    }
    rc = fair_take(&in, input, host, &hooks, err);
    if (rc != SKED_OK) return rc;
    rc = fair_columns(in.blocks, result, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_struct_out(result->struct_size, FAIR_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    skedi_fair w = {.in = &in, .hooks = &hooks, .nodes = in.queues + in.hosts};
    rc = solve_fair(&w, &o, result, err);
    fair_drop(&w);
    return rc;
}
