#ifndef SKED_LOCALITY_H
#define SKED_LOCALITY_H

/*
 * Placement of blocks of data on hosts: one host for each block, so that the
 * last host ends as early as possible; and the number of transfers that let the
 * last host end still earlier. [HSE-1] [HSE-2] [HSE-3] [HSE-4] [HSE-5] [HSE-6]
 * The smallest use, with blocks x 3 replicas:
 *
 *     sked_locality_input in = {.struct_size = sizeof in, .blocks = b,
 *         .hosts = h, .replicas = 3, .replica = replica};
 *     sked_locality_new(&in, NULL, NULL, &locality, &err);
 *     sked_locality_transfers(locality, load); // m(load)
 *
 * A block has replicas on some hosts. A block on a host with a replica is
 * *local*; any other block must be transferred first. A host takes `ticks` for
 * each wave of `cores` blocks, and is busy for `committed` ticks before the
 * first wave. Its j-th block ends at
 *
 *     committed + ceil(j / cores) * ticks
 *
 * and the host's *load* is the end of its last block. Equal hosts (their
 * columns are NULL: one tick, one core, nothing committed) end their j-th block
 * at j: the load is the number of blocks. m(L) is the least number of transfers
 * with no load above L. With B blocks on H equal hosts, some load is at least
 * ceil(B / H). In general some load is at least the *floor*: the least L by
 * which the hosts can end B blocks, local or not.
 *
 * One placement answers m(L) for every L at once: the decreasingly minimal
 * placement, whose loads, sorted downwards, come first in lexicographic order
 * (Frank and Murota 2022; an optimal semi-matching, Harvey et al. 2006). With
 * x[h] blocks on host h, and capacity(h, L) blocks that host h can end by L,
 *
 *     m(L) = unplaced + sum over h of max(0, x[h] - capacity(h, L))
 *
 * because local blocks that end by L are independent in a matroid, of which
 * this placement is a basis of least weight. A greedy pass, sweeps of single
 * moves, and blocking flows between hosts, split by threshold, find the
 * placement.
 *
 * The proof is a number for each host, its *level* p[h], for all L at once:
 *
 *     a block on h has replicas only on hosts g with p[g] >= p[h], and
 *     capacity(h, p[h]) <= x[h] <= capacity(h, p[h] + 1).
 *
 * For any L take the hosts with p[h] >= L. Their blocks have no replica on
 * other hosts, these hosts are full up to L, and no other host is above L.
 * Their blocks above L must therefore be transferred. sked_locality_verify()
 * checks exactly this.
 *
 * Ties go to the first replica of a row. No answer depends on the number of
 * threads.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A lost replica; a block without a host. */
#define SKED_LOCALITY_NO_HOST UINT32_MAX
/* A choice: no replica was free. */
#define SKED_LOCALITY_NO_REPLICA UINT8_MAX

enum {
    SKED_MAX_LOCALITY_REPLICAS = 254,     /* in a row, at most */
    SKED_MAX_LOCALITY_HOSTS = 16777216,   /* 2^24 */
    SKED_MAX_LOCALITY_BLOCKS = 2147483647 /* 2^31 - 1 */
};

/* Costs of a plan: at most 2^56. Costs of a search: at most 2^62. */
#define SKED_MAX_LOCALITY_COST ((int64_t)1 << 56)

/*
 * Blocks and hosts, as columns. A host is a number below `hosts`, a block a
 * number below `blocks`. A host twice in a row is one replica.
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
    SKED_LOCALITY_METHOD_ONLINE = 1,     /* block after block, on the host
                                            where the block ends first: the
                                            baseline */
    SKED_LOCALITY_METHOD_EQUILIBRIUM = 2 /* from the first replica of each block
                                            on, single moves to a host where a
                                            block ends earlier, until no such
                                            move exists */
};

typedef struct sked_locality_options {
    uint32_t struct_size;
    uint32_t method; /* enum sked_locality_method */
} sked_locality_options;

/* A placement and its loads, which never change. */
typedef struct sked_locality sked_locality;

/*
 * Places the blocks. The input is read during the call only. `options` and
 * `host` may be NULL. The caller owns `*locality`. If the host has threads or
 * `parallel`, several threads read inputs of 2^18 blocks and more on equal
 * hosts.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a number out
 * of range, or a host on which all blocks and one more would end after 2^62:
 * `err->row` is the block or the host), SKED_ERR_VERSION, SKED_ERR_CANCELLED or
 * the host's own code. Cost: O(blocks * replicas) in practice; at worst
 * O(sqrt(blocks) * blocks * replicas * log(loads)). Memory: a byte a block, 110
 * a host, and a window of the input or, for skewed inputs, a copy; if few rows
 * differ, 6 bytes a block and less than half of the input.
 */
SKED_TRY sked_status sked_locality_new(const sked_locality_input *input,
                                       const sked_locality_options *options,
                                       const sked_host *host,
                                       sked_locality **locality,
                                       sked_error *err);

/* Frees a placement. NULL is allowed. */
SKED_API void sked_locality_free(sked_locality *locality);

/* ---- Results. Without a placement (NULL) they are 0 or NULL ---- */

/* By block: the position of its replica, or SKED_LOCALITY_NO_REPLICA. */
SKED_API const uint8_t *sked_locality_choice(const sked_locality *locality);

/* By host: the blocks placed there. */
SKED_API const uint32_t *
sked_locality_host_blocks(const sked_locality *locality);

/* By host: its level, the proof; NULL unless the method is exact. */
SKED_API const int64_t *sked_locality_levels(const sked_locality *locality);

/* Blocks that fit on no host with a replica: transferred at any load. */
SKED_API uint64_t sked_locality_unplaced(const sked_locality *locality);

/* The least load by which all hosts together end all blocks, local or not;
 * SKED_UNLIMITED if limits leave too few places. */
SKED_API int64_t sked_locality_floor(const sked_locality *locality);

/* The least load without transfers except of unplaced blocks; SKED_UNLIMITED if
 * limits leave too few places. [HSE-1] */
SKED_API int64_t sked_locality_least_load(const sked_locality *locality);

/* m(L): the transfers that this placement needs to keep every load to `load`:
 * the least number if the placement is exact. O(hosts). [HSE-2] */
SKED_API uint64_t sked_locality_transfers(const sked_locality *locality,
                                          int64_t load);

/* The inverse: the least load, at least the floor, with at most `transfers`
 * transfers; SKED_UNLIMITED if even the least load needs more. [HSE-2] */
SKED_API int64_t sked_locality_load(const sked_locality *locality,
                                    uint64_t transfers);

/* A load with its number of transfers. Frozen layout. */
typedef struct sked_locality_point {
    int64_t load;
    uint64_t transfers;
} sked_locality_point;

/*
 * Lists the whole trade-off, by ascending load: the floor, then every load with
 * fewer transfers than the load before, up to the least load. With equal hosts
 * these are all the whole numbers in between. [HSE-3]
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` is too small: only
 * `*n` is set; or limits leave too few places). Never allocates. Cost: O(points
 * * hosts).
 */
SKED_TRY sked_status sked_locality_curve(const sked_locality *locality,
                                         sked_locality_point *points,
                                         size_t cap, size_t *n,
                                         sked_error *err);

/* Methods of the search for the cheapest point. [HSE-4] */
enum sked_locality_search_method {
    SKED_LOCALITY_SEARCH_CHEAPEST = 0, /* the true cheapest: with equal hosts
                                          the load that is k-th from the top, k
                                          = ceil(compute / transfer), but no
                                          less than the floor */
    SKED_LOCALITY_SEARCH_AREA = 1,     /* halving over the slope of the cost:
                                          equal hosts only; the same answer */
    SKED_LOCALITY_SEARCH_FORWARD = 2   /* 0, step, 2 * step ... transfers, up to
                                          the first with a load of floor + 1 or
                                          less: may miss the cheapest */
};

/* The costs of a tick of load and of a transfer, in one currency. */
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
 * Finds the cheapest point from the floor to the least load; of equal points
 * the point with the fewest transfers. [HSE-3]
 *
 * Returns SKED_OK, SKED_ERR_ARG (for example area search of unequal hosts),
 * SKED_ERR_RANGE (a cost above SKED_AMOUNT_MAX, limits that leave too few
 * places) or SKED_ERR_VERSION. Never allocates. Cost: O(hosts log loads), or as
 * the curve with unequal hosts.
 */
SKED_TRY sked_status sked_locality_search(
    const sked_locality *locality, const sked_locality_search_options *options,
    sked_locality_search_result *result, sked_error *err);

/*
 * Shows why `load` needs as many transfers: the hosts with a level of `load` or
 * more, and the number of blocks with replicas only there. m(load) of these
 * blocks cannot end there by `load`. Only for exact placements.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_STATE (the placement is not exact) or
 * SKED_ERR_RANGE (`cap` is too small: only `*n` is set).
 */
SKED_TRY sked_status sked_locality_bottleneck(const sked_locality *locality,
                                              int64_t load, uint32_t *hosts,
                                              size_t cap, size_t *n,
                                              uint64_t *blocks,
                                              sked_error *err);

/*
 * Verifies that a placement is decreasingly minimal: m(L) is then right for
 * every L. The call reads the input, a choice for each block and a level for
 * each host in one pass. Choices and levels may come from any source. The call
 * shares no code with the search.
 *
 * Returns SKED_OK; SKED_ERR_INVALID (`err->message` names the failed part of
 * the proof, `err->row` the block or host); else as sked_locality_new().
 */
SKED_TRY sked_status sked_locality_verify(const sked_locality_input *input,
                                          const uint8_t *choice,
                                          const int64_t *levels,
                                          const sked_host *host,
                                          sked_error *err);

/* ---- Which blocks move, to which host ---- */

typedef struct sked_locality_plan_options {
    uint32_t struct_size;
    uint32_t flags;       /* 0 */
    int64_t load;         /* no load is to be above; floor or more */
    const uint32_t *rack; /* by host, below `hosts`; NULL: one rack */
    int64_t in_rack;      /* of a transfer to a host in a rack of a replica */
    int64_t beyond;       /* of any other transfer; in_rack or more; both up to
                             SKED_MAX_LOCALITY_COST */
} sked_locality_plan_options;

/* The caller sets struct_size and the column. */
typedef struct sked_locality_plan_result {
    uint32_t struct_size;
    uint32_t reserved;
    uint32_t *host; /* by block: its host */
    uint64_t local;
    uint64_t in_rack; /* transfers within a rack of a replica */
    uint64_t beyond;
    sked_wide cost;
} sked_locality_plan_result;

/*
 * Gives every block a host so that no load is above options->load and the
 * transfers cost least: exactly, by a minimum-cost flow that starts at the
 * placement. With in_rack = blocks and beyond = blocks + 1, the plan has the
 * fewest transfers, and among such plans the fewest beyond a rack. The input is
 * the placement's input.
 *
 * Returns SKED_OK, SKED_ERR_ARG (also an input other than the placement's),
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
 * Finds another placement that is as good for every load and moves the fewest
 * blocks from their present hosts. `present` (by block) is the host of each
 * block now, or SKED_LOCALITY_NO_HOST. A host in `present` may have lost the
 * block; the block then moves. `choice` (by block) gets the new placement, and
 * `*moved` the number of blocks with another host. The levels of `locality`
 * prove the new placement, too. The input is the placement's input. [HSE-5]
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
    uint64_t bound;    /* no placement without transfers has a smaller sum */
    uint64_t unplaced; /* blocks without a replica */
} sked_locality_sized_result;

/*
 * Places blocks of unequal size on equal hosts without transfers, so that the
 * largest sum of sizes on a host is small. The problem is NP-hard (restricted
 * assignment). The search starts from the exact placement of equal blocks and
 * from a placement of largest blocks first. Each start improves by moves of
 * single blocks; the better result is the answer. A lower bound says how far
 * from the minimum the answer can be at most. For each set of hosts in the
 * proof, take the sizes that must be on these hosts over the number of hosts.
 * The bound is the largest of these numbers and of all single blocks. `size`
 * (by block) adds up to SKED_AMOUNT_MAX at most. The input is the placement's
 * input.
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
 * and go and hosts are lost. A block is added or removed by the shortest path
 * of moves, so the fewest blocks change their host. The search for the path
 * goes from both ends, level by level, on the cheaper side.
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
 * Adds a block with replicas on `n` hosts (SKED_LOCALITY_NO_HOST and repeated
 * hosts do not count) and numbers the block: the number that was freed last, or
 * the next. A block without replicas has no host.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_RANGE (more hosts
 * than a row has, a host that does not exist: `err->row` is its position).
 * [HSE-5]
 */
SKED_TRY sked_status sked_locality_live_add(sked_locality_live *live,
                                            const uint32_t *replicas, size_t n,
                                            uint32_t *block, sked_error *err);

/*
 * Removes a block; its number is free again. In the list of moves, a number
 * that was given out again in the meantime is one block.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND. Never allocates.
 */
SKED_TRY sked_status sked_locality_live_remove(sked_locality_live *live,
                                               uint32_t block, sked_error *err);

/*
 * Loses all replicas on a host. The result is decreasingly minimal for the
 * remaining replicas, and among such placements has the fewest blocks on
 * another host than before. Blocks added later may name the host again. [HSE-5]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (no such host),
 * SKED_ERR_CANCELLED or the host's own code. On failure nothing has changed.
 * Cost: a new placement of all blocks.
 */
SKED_TRY sked_status sked_locality_live_down(sked_locality_live *live,
                                             uint32_t lost, sked_error *err);

/* The host of a block; SKED_LOCALITY_NO_HOST: none, or no such block, or `live`
 * is NULL. For NULL the reads below are 0 or NULL. */
SKED_API uint32_t sked_locality_live_host(const sked_locality_live *live,
                                          uint32_t block);

/* By host: the blocks placed there; valid until the next call. */
SKED_API const uint32_t *
sked_locality_live_loads(const sked_locality_live *live);

/* The largest load, and m(L) as sked_locality_transfers(). O(hosts). */
SKED_API uint32_t sked_locality_live_least_load(const sked_locality_live *live);
SKED_API uint64_t sked_locality_live_transfers(const sked_locality_live *live,
                                               uint32_t load);

/* A block whose host has changed. Frozen layout. */
typedef struct sked_locality_move {
    uint32_t block;
    uint32_t from; /* SKED_LOCALITY_NO_HOST: no host before */
    uint32_t to;   /* SKED_LOCALITY_NO_HOST: no host now, or removed */
    uint32_t reserved;
} sked_locality_move;

/*
 * Takes the moves since the last call: one row for each block with another host
 * now, in the order of first moves. Blocks back on their old host are left out.
 * The call writes as many moves as fit; `*n` is their number.
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
