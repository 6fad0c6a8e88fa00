#ifndef SKED_LOCALITY_H
#define SKED_LOCALITY_H

/*
 * Placement of blocks of data on hosts: one host for each block, so that the
 * last host is done as early as possible; and how many blocks have to be
 * transferred for it to be done still earlier. [HSE-1] [HSE-2] [HSE-3] [HSE-4]
 * [HSE-5] [HSE-6]
 *
 * A block has replicas on some hosts. Placed on one of these it is *local*;
 * anywhere else it must be transferred first. A host takes `ticks` for each
 * wave of `cores` blocks, and is busy for `committed` ticks before the first,
 * so that its j-th block ends at
 *
 *     committed + ceil(j / cores) * ticks
 *
 * and its *load* is the end of its last block. Equal hosts (their columns are
 * NULL: one tick, one core, nothing committed) end their j-th block at j, so
 * that the load is the number of blocks. m(L) is the least number of transfers
 * with which no load is above L. With B blocks on H equal hosts, some load is
 * at least ceil(B / H); in general some load is at least the *floor*, which is
 * the least L by which the hosts can end B blocks, local or not.
 *
 * One placement answers m(L) for every L at once: the decreasingly minimal one,
 * whose loads, sorted downwards, come first in lexicographic order (Frank and
 * Murota 2022; an optimal semi-matching, Harvey et al. 2006). With x[h] blocks
 * on host h, and capacity(h, L) blocks that host h can end by L,
 *
 *     m(L) = unplaced + sum over h of max(0, x[h] - capacity(h, L))
 *
 * since local blocks that end by L are independent in a matroid, of which that
 * placement is a basis of least weight. It is found by a greedy pass, sweeps of
 * single moves, and blocking flows between hosts that split them by threshold.
 *
 * The proof is a number for each host, its *level* p[h], for all L at once:
 *
 *     a block on h has replicas only on hosts g with p[g] >= p[h], and
 *     capacity(h, p[h]) <= x[h] <= capacity(h, p[h] + 1).
 *
 * For any L take the hosts with p[h] >= L: their blocks have no replica on
 * other hosts, they are full up to L, and no other host is above L; so what
 * they have above L must be transferred. sked_locality_verify() checks just
 * that.
 *
 * Ties go to the replica that comes first in its row. No answer depends on the
 * number of threads.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A replica that is lost; a block that is nowhere. */
#define SKED_LOCALITY_NO_HOST UINT32_MAX
/* A choice: no replica was free. */
#define SKED_LOCALITY_NO_REPLICA UINT8_MAX

enum {
    SKED_MAX_LOCALITY_REPLICAS = 254,     /* in a row, at most */
    SKED_MAX_LOCALITY_HOSTS = 16777216,   /* 2^24 */
    SKED_MAX_LOCALITY_BLOCKS = 2147483647 /* 2^31 - 1 */
};

/* Costs of a plan: at most 2^56. Those of a search: at most 2^62. */
#define SKED_MAX_LOCALITY_COST ((int64_t)1 << 56)

/*
 * Blocks and hosts, as columns. A host is a number below `hosts`, a block one
 * below `blocks`. A host that stands twice in a row is one replica.
 */
typedef struct sked_locality_input {
    uint32_t struct_size;
    uint32_t flags;           /* 0 */
    uint64_t blocks;          /* 0 to SKED_MAX_LOCALITY_BLOCKS */
    uint64_t hosts;           /* 1 to SKED_MAX_LOCALITY_HOSTS */
    uint64_t replicas;        /* a row, 0 to SKED_MAX_LOCALITY_REPLICAS */
    const uint32_t *replica;  /* blocks x replicas: hosts; SKED_LOCALITY_NO_HOST
                                 where a row is shorter or a replica is lost */
    const int64_t *ticks;     /* by host, 1 or more; NULL: 1 each */
    const int64_t *committed; /* by host, 0 or more; NULL: 0 each */
    const uint32_t *cores;    /* by host, 1 or more; NULL: 1 each */
    const uint32_t *limit;    /* by host: blocks at most; NULL: no limit */
} sked_locality_input;

/* How blocks are placed. [HSE-4] */
enum sked_locality_method {
    SKED_LOCALITY_METHOD_EXACT = 0,      /* decreasingly minimal, with its
                                            proof */
    SKED_LOCALITY_METHOD_ONLINE = 1,     /* block after block, where it ends
                                     first: the baseline */
    SKED_LOCALITY_METHOD_EQUILIBRIUM = 2 /* from the first replica of each on,
                                     single moves to where a block ends earlier,
                                     until there is none */
};

typedef struct sked_locality_options {
    uint32_t struct_size;
    uint32_t method; /* enum sked_locality_method */
} sked_locality_options;

/* A placement and its loads, which never change. */
typedef struct sked_locality sked_locality;

/*
 * Places the blocks. The input is read during the call only. `options` and
 * `host` may be NULL. The caller owns `*locality`. Where the host has threads
 * or `parallel`, inputs of 2^18 blocks and more on equal hosts are read by
 * several threads.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a number out
 * of range, or a host on which all blocks and one more would end after 2^62:
 * `err->row` is the block or the host), SKED_ERR_VERSION, SKED_ERR_CANCELLED or
 * the host's own code. Cost: O(blocks * replicas) in practice; at worst
 * O(sqrt(blocks) * blocks * replicas * log(loads)). Memory: a byte a block, 110
 * a host, and a window of the input or, for skewed ones, a copy of it; where
 * few rows differ, 6 bytes a block and less than half of it.
 */
SKED_TRY sked_status sked_locality_new(const sked_locality_input *input,
                                       const sked_locality_options *options,
                                       const sked_host *host,
                                       sked_locality **locality,
                                       sked_error *err);

/* Frees a placement. NULL is allowed. */
SKED_API void sked_locality_free(sked_locality *locality);

/* ---- What was found. Where there is no placement (NULL) it is 0 or NULL ---- */

/* By block: the position of its replica, or SKED_LOCALITY_NO_REPLICA. */
SKED_API const uint8_t *sked_locality_choice(const sked_locality *locality);

/* By host: the blocks placed there. */
SKED_API const uint32_t *
sked_locality_host_blocks(const sked_locality *locality);

/* By host: its level, the proof; NULL unless the method is exact. */
SKED_API const int64_t *sked_locality_levels(const sked_locality *locality);

/* How many blocks fit on no host with a replica: they are transferred at any
 * load. */
SKED_API uint64_t sked_locality_unplaced(const sked_locality *locality);

/* The least load by which all hosts together end all blocks, local or not;
 * SKED_UNLIMITED where limits leave too few places. */
SKED_API int64_t sked_locality_floor(const sked_locality *locality);

/* The least load with no transfers except those of unplaced blocks;
 * SKED_UNLIMITED where limits leave too few places. [HSE-1] */
SKED_API int64_t sked_locality_least_load(const sked_locality *locality);

/* m(L): the transfers that this placement needs to keep every load to `load`,
 * the fewest there are if it is exact. O(hosts). [HSE-2] */
SKED_API uint64_t sked_locality_transfers(const sked_locality *locality,
                                          int64_t load);

/* The inverse: the least load, at least the floor, that needs at most
 * `transfers` transfers; SKED_UNLIMITED if even the least load needs more.
 * [HSE-2] */
SKED_API int64_t sked_locality_load(const sked_locality *locality,
                                    uint64_t transfers);

/* A load, and the transfers that it needs. Frozen layout. */
typedef struct sked_locality_point {
    int64_t load;
    uint64_t transfers;
} sked_locality_point;

/*
 * The whole trade-off, by ascending load: the floor, then every load that takes
 * fewer transfers than the one before, up to the least load. With equal hosts
 * these are all the whole numbers in between. [HSE-3]
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` is too small; `*n` is
 * set, nothing else is; or limits leave too few places). Never allocates.
 * Cost: O(points * hosts).
 */
SKED_TRY sked_status sked_locality_curve(const sked_locality *locality,
                                         sked_locality_point *points,
                                         size_t cap, size_t *n,
                                         sked_error *err);

/* How the cheapest point is looked for. [HSE-4] */
enum sked_locality_search_method {
    SKED_LOCALITY_SEARCH_CHEAPEST = 0, /* the true one: with equal hosts the
                                   load that is k-th from the top, k =
                                   ceil(compute / transfer), but no less than
                                   the floor */
    SKED_LOCALITY_SEARCH_AREA = 1,     /* halving over the slope of the cost:
                                   equal hosts only; the same answer */
    SKED_LOCALITY_SEARCH_FORWARD = 2   /* 0, step, 2 * step ... transfers, up to
                                   the first with a load of floor + 1 or less:
                                   may miss the cheapest */
};

/* What a tick of load and a transfer cost, in one currency. */
typedef struct sked_locality_search_options {
    uint32_t struct_size;
    uint32_t method;   /* enum sked_locality_search_method */
    uint64_t compute;  /* a tick of load, 0 to SKED_AMOUNT_MAX */
    uint64_t transfer; /* one transfer, 0 to SKED_AMOUNT_MAX */
    uint64_t step;     /* of the forward search; 0: 50 */
} sked_locality_search_options;

typedef struct sked_locality_search_result {
    uint32_t struct_size;
    uint32_t looks; /* points whose transfers were counted, for comparison */
    sked_locality_point point;
    sked_wide cost; /* load * compute + transfers * transfer */
} sked_locality_search_result;

/*
 * Finds the cheapest point from the floor to the least load; of equal ones that
 * with the fewest transfers. [HSE-3]
 *
 * Returns SKED_OK, SKED_ERR_ARG (area search of unequal hosts among them),
 * SKED_ERR_RANGE (a cost above SKED_AMOUNT_MAX, limits that leave too few
 * places) or SKED_ERR_VERSION. Never allocates. Cost: O(hosts log loads), or as
 * the curve with unequal hosts.
 */
SKED_TRY sked_status sked_locality_search(
    const sked_locality *locality, const sked_locality_search_options *options,
    sked_locality_search_result *result, sked_error *err);

/*
 * Shows why no fewer transfers are enough for `load`: the hosts with a level of
 * `load` or more, and how many blocks have replicas only there. m(load) of
 * these blocks cannot end there by `load`. Only for exact placements.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_STATE (the placement is not exact) or
 * SKED_ERR_RANGE (`cap` is too small; `*n` is set, nothing else is).
 */
SKED_TRY sked_status sked_locality_bottleneck(const sked_locality *locality,
                                              int64_t load, uint32_t *hosts,
                                              size_t cap, size_t *n,
                                              uint64_t *blocks,
                                              sked_error *err);

/*
 * Verifies that a placement is decreasingly minimal, so that m(L) is right for
 * every L. It reads the input, a choice for each block and a level for each
 * host, which may come from any source, in one pass; it shares no code with
 * what finds them.
 *
 * Returns SKED_OK; SKED_ERR_INVALID (`err->message` says which part of the
 * proof fails, `err->row` for which block or host); else as
 * sked_locality_new().
 */
SKED_TRY sked_status sked_locality_verify(const sked_locality_input *input,
                                          const uint8_t *choice,
                                          const int64_t *levels,
                                          const sked_host *host,
                                          sked_error *err);

/* ---- Which blocks move, and where ---- */

typedef struct sked_locality_plan_options {
    uint32_t struct_size;
    uint32_t flags;       /* 0 */
    int64_t load;         /* none is to be above it; floor or more */
    const uint32_t *rack; /* by host, below `hosts`; NULL: one rack */
    int64_t in_rack;      /* of a transfer to a host in a rack of a replica */
    int64_t beyond;       /* to any other; in_rack or more; both up to
                             SKED_MAX_LOCALITY_COST */
} sked_locality_plan_options;

/* The caller sets struct_size and the column. */
typedef struct sked_locality_plan_result {
    uint32_t struct_size;
    uint32_t reserved;
    uint32_t *host; /* by block: where it runs */
    uint64_t local;
    uint64_t in_rack; /* transfers within a rack of a replica */
    uint64_t beyond;
    sked_wide cost;
} sked_locality_plan_result;

/*
 * Gives every block a host so that no load is above options->load and the
 * transfers cost least: exactly, by a minimum-cost flow that starts at the
 * placement. With in_rack = blocks and beyond = blocks + 1, these are the
 * fewest transfers, and of such plans one with the fewest beyond a rack. The
 * input is that of the placement.
 *
 * Returns SKED_OK, SKED_ERR_ARG (also an input that is not the placement's),
 * SKED_ERR_NOMEM, SKED_ERR_RANGE (a number out of range; a load below the
 * floor), SKED_ERR_VERSION, SKED_ERR_STATE (the placement is not exact),
 * SKED_ERR_CANCELLED or the host's own code. On failure nothing is written.
 * [HSE-6]
 */
SKED_TRY sked_status sked_locality_plan(
    const sked_locality *locality, const sked_locality_input *input,
    const sked_locality_plan_options *options, const sked_host *host,
    sked_locality_plan_result *result, sked_error *err);

/*
 * Finds another placement that is as good for every load, and that moves the
 * fewest blocks from where they are now. `present` (by block) is the host of
 * each block now, or SKED_LOCALITY_NO_HOST; it may name a host that has lost
 * the block, which then moves. `choice` (by block) gets the new placement, and
 * `*moved` the number of blocks whose host changes; the levels of `locality`
 * prove it, too. The input is that of the placement. [HSE-5]
 *
 * Returns as sked_locality_plan(). On failure nothing is written.
 */
SKED_TRY sked_status sked_locality_restore(const sked_locality *locality,
                                           const sked_locality_input *input,
                                           const uint32_t *present,
                                           const sked_host *host,
                                           uint8_t *choice, uint64_t *moved,
                                           sked_error *err);

/* ---- Blocks of unequal size ---- */

/* The caller sets struct_size and the column. */
typedef struct sked_locality_sized_result {
    uint32_t struct_size;
    uint32_t reserved;
    uint8_t *choice;   /* by block; SKED_LOCALITY_NO_REPLICA: lost on all
                          hosts */
    uint64_t most;     /* the largest sum of sizes on a host */
    uint64_t bound;    /* no placement without transfers has a smaller one */
    uint64_t unplaced; /* blocks without a replica */
} sked_locality_sized_result;

/*
 * Places blocks of unequal size on equal hosts without transfers, so that the
 * largest sum of sizes on a host is small. That is NP-hard (restricted
 * assignment). The search starts from the exact placement of equal blocks and
 * from one of largest blocks first, and moves single blocks while that helps;
 * the better result is the answer. A lower bound says how far from the minimum
 * it can be at most: for each set of hosts in the proof, the sizes that must be
 * on these hosts over their number; the largest of these numbers and of all
 * single blocks is the bound. `size` (by block) adds up to SKED_AMOUNT_MAX at
 * most. The input is that of the placement.
 *
 * Returns as sked_locality_plan(); SKED_ERR_ARG for unequal hosts. On failure
 * nothing is written. [HSE-6]
 */
SKED_TRY sked_status sked_locality_sized(const sked_locality *locality,
                                         const sked_locality_input *input,
                                         const int64_t *size,
                                         const sked_host *host,
                                         sked_locality_sized_result *result,
                                         sked_error *err);

/* ---- A placement in force ---- */

/*
 * A placement on equal hosts that stays decreasingly minimal while blocks come
 * and go and hosts are lost. A block is added or removed by one path of moves,
 * the shortest there is, so that the fewest blocks change their host; a search
 * goes from both ends, level by level, on the side that is cheaper.
 */
typedef struct sked_locality_live sked_locality_live;

/*
 * Begins with `hosts` hosts, 1 to SKED_MAX_LOCALITY_HOSTS, and no block. Rows
 * of replicas have up to `replicas` hosts, 1 to SKED_MAX_LOCALITY_REPLICAS.
 * `host` may be NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_VERSION. Memory: 64 bytes a host; 20 a block, 24 for each place in
 * its row.
 */
SKED_TRY sked_status sked_locality_live_new(uint32_t hosts, uint32_t replicas,
                                            const sked_host *host,
                                            sked_locality_live **live,
                                            sked_error *err);

/* Frees the placement. NULL is allowed. */
SKED_API void sked_locality_live_free(sked_locality_live *live);

/*
 * Adds a block with replicas on `n` hosts (those that are SKED_LOCALITY_NO_HOST
 * or come twice do not count) and numbers it: the number that was freed last,
 * or the next. A block without replicas is placed nowhere.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_RANGE (more hosts
 * than a row has, a host that is not there: `err->row` is its position).
 * [HSE-5]
 */
SKED_TRY sked_status sked_locality_live_add(sked_locality_live *live,
                                            const uint32_t *replicas, size_t n,
                                            uint32_t *block, sked_error *err);

/*
 * Removes a block; its number is free again. Where moves are taken, a number
 * that was given out again in the meantime is one block.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND. Never allocates.
 */
SKED_TRY sked_status sked_locality_live_remove(sked_locality_live *live,
                                               uint32_t block, sked_error *err);

/*
 * Loses all replicas on a host. What comes out is decreasingly minimal for
 * what is left, and of all such placements one with the fewest blocks
 * elsewhere than before. The host may be named again by blocks added later.
 * [HSE-5]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (no such host),
 * SKED_ERR_CANCELLED or the host's own code. On failure nothing has changed.
 * Cost: that of a new placement of all blocks.
 */
SKED_TRY sked_status sked_locality_live_down(sked_locality_live *live,
                                             uint32_t lost, sked_error *err);

/* Where a block is; SKED_LOCALITY_NO_HOST: nowhere, or there is no such
 * block, or `live` is NULL, for which the reads below are 0 or NULL. */
SKED_API uint32_t sked_locality_live_host(const sked_locality_live *live,
                                          uint32_t block);

/* By host: the blocks placed there; valid until the next call. */
SKED_API const uint32_t *
sked_locality_live_loads(const sked_locality_live *live);

/* The largest of them, and m(L) as sked_locality_transfers(). O(hosts). */
SKED_API uint32_t sked_locality_live_least_load(const sked_locality_live *live);
SKED_API uint64_t sked_locality_live_transfers(const sked_locality_live *live,
                                               uint32_t load);

/* A block whose host has changed. Frozen layout. */
typedef struct sked_locality_move {
    uint32_t block;
    uint32_t from; /* SKED_LOCALITY_NO_HOST: it was nowhere */
    uint32_t to;   /* SKED_LOCALITY_NO_HOST: it is nowhere, or removed */
    uint32_t reserved;
} sked_locality_move;

/*
 * Takes the moves since the last call: one row for each block whose host is
 * another now, in the order in which they first moved; blocks that are back
 * where they were are left out. Writes as many as fit, and `*n` is how many
 * were written.
 *
 * Returns SKED_OK or SKED_ERR_ARG. Never allocates.
 */
SKED_TRY sked_status sked_locality_live_take(sked_locality_live *live,
                                             sked_locality_move *moves,
                                             size_t cap, size_t *n,
                                             sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
