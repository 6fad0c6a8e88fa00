#ifndef SKED_LOCALITY_FAIR_H
#define SKED_LOCALITY_FAIR_H

/*
 * Locality under fairness: which blocks run now, and on which host, if several
 * queues read blocks on one set of hosts. Each queue may run as many blocks at
 * once as its share says. A block is best read on a host with a replica. In the
 * answer every queue gets its whole share, and the fewest blocks are
 * transferred. [HSE-1] [HSE-2] The smallest use:
 *
 *     sked_locality_fair(&input, NULL, NULL, &result, &err);
 *     // result.host[b]: the host of block b
 *
 * Host h runs slots[h] blocks at once. Queue q runs
 *
 *     wants[q] = min(share[q], blocks of q)
 *
 * of its blocks, no more and no less: a share is never traded for locality. The
 * plan chooses which blocks these are, together with the hosts. If the plan
 * chose blocks first and hosts afterwards, blocks would be transferred although
 * other blocks of the same queue lie on free hosts.
 *
 * The most local blocks are a maximum flow: from a queue (capacity wants) to a
 * block (1) to the hosts of its replicas (capacity slots). Transfers to unused
 * slots make up the rest of each queue; there are enough slots, since the wants
 * are no more than the slots. Blocking flows between queues and hosts find the
 * flow. An arc from a queue is a waiting block of the queue. An arc from a host
 * is a block that runs there and could go elsewhere, or wait instead.
 *
 * The proof is a set of queues and a set of hosts, the *cut*: no plan has more
 * local blocks than
 *
 *     the wants of the cut's queues + the slots of its hosts
 *     + blocks of other queues with a replica on other hosts.
 *
 * To plan several waves at once, multiply slots and shares by their number.
 *
 * Among equally good plans the order of blocks and rows decides, the same on
 * every machine. The order also decides which queues get local places if not
 * all can.
 */

#include <sched/locality.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SKED_MAX_LOCALITY_FAIR_QUEUES = 16777216 /* 2^24 */
};

/* Blocks, hosts and queues, as columns. */
typedef struct sked_locality_fair_input {
    uint32_t struct_size;
    uint32_t flags;          /* 0 */
    uint64_t blocks;         /* 0 to SKED_MAX_LOCALITY_BLOCKS */
    uint64_t hosts;          /* 1 to SKED_MAX_LOCALITY_HOSTS */
    uint64_t queues;         /* 1 to SKED_MAX_LOCALITY_FAIR_QUEUES */
    uint64_t replicas;       /* a row, 0 to SKED_MAX_LOCALITY_REPLICAS */
    const uint32_t *replica; /* blocks x replicas: hosts; SKED_LOCALITY_NO_HOST
                                where a row is shorter or a replica is lost */
    const uint32_t *queue;   /* by block, below `queues`; NULL: 0 each */
    const uint32_t *share;   /* by queue: most blocks at once */
    const uint32_t *slots;   /* by host: blocks at once; NULL: 1 each */
} sked_locality_fair_input;

enum sked_locality_fair_method {
    SKED_LOCALITY_FAIR_JOINT = 0, /* blocks and hosts together */
    SKED_LOCALITY_FAIR_APART = 1  /* each queue runs its first blocks, and only
                                     these are placed with most of them local:
                                     for comparison */
};

typedef struct sked_locality_fair_options {
    uint32_t struct_size;
    uint32_t method;   /* enum sked_locality_fair_method */
    uint32_t phases;   /* most blocking flows: after 2 * r - 1 flows, at least r
                          in r + 1 of the blocks that could be local are. 0: as
                          many as an exact answer needs */
    uint32_t reserved; /* 0 */
} sked_locality_fair_options;

/* The caller sets struct_size and the columns. */
typedef struct sked_locality_fair_result {
    uint32_t struct_size;
    uint32_t phases;    /* number of blocking flows */
    uint64_t local;     /* blocks that run where a replica lies */
    uint64_t transfers; /* blocks that run elsewhere */
    uint64_t bound;     /* no plan has more local blocks, by this cut: equal to
                           `local` if the answer is exact */
    uint32_t *host;     /* by block: its host; SKED_LOCALITY_NO_HOST: waits */
    uint32_t *queue_local; /* by queue: its local blocks; may be NULL */
    uint8_t *queue_cut;    /* by queue, 1: in the cut */
    uint8_t *host_cut;     /* by host, 1: in the cut */
} sked_locality_fair_result;

/*
 * Plans one wave. Input and options (NULL: all 0) are read during the call.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a number out
 * of range, `err->row` is the block; the wants of the queues exceed the slots),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own code. On failure
 * nothing is written. Cost: O(blocks * replicas) for a blocking flow; few are
 * needed in practice and O(sqrt(blocks)) at worst. Memory: 12 bytes a block, 40
 * a queue and a host.
 */
SKED_TRY sked_status sked_locality_fair(
    const sked_locality_fair_input *input,
    const sked_locality_fair_options *options, const sked_host *host,
    sked_locality_fair_result *result, sked_error *err);

/*
 * Checks that a plan is as described, and its bound right. The call reads the
 * input and the result's `local`, `transfers`, `bound`, `host`, `queue_cut` and
 * `host_cut` in one pass. It shares no code with the planner. If the check
 * passes and `local` is `bound`, the plan is exact.
 *
 * Returns SKED_OK; SKED_ERR_INVALID (`err->message` names the fault, `err->row`
 * the block, queue or host); else as sked_locality_fair().
 */
SKED_TRY sked_status
sked_locality_fair_verify(const sked_locality_fair_input *input,
                          const sked_locality_fair_result *result,
                          const sked_host *host, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
