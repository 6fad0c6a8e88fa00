#ifndef SKED_LOCALITY_FAIR_H
#define SKED_LOCALITY_FAIR_H

/*
 * Locality under fairness: several queues read blocks on one set of hosts, each
 * queue may run as many of them at once as its share says, and a block is best
 * read where a replica of it lies. The answer is which blocks run now, and
 * where, so that every queue gets its whole share and the fewest blocks are
 * transferred. [HSE-1] [HSE-2]
 *
 * Host h runs slots[h] blocks at once. Queue q runs
 *
 *     wants[q] = min(share[q], blocks of q)
 *
 * of its blocks, no more and no less: a share is never traded for locality. The
 * plan is free to choose which of its blocks these are. That is why blocks and
 * hosts are planned together: to choose blocks first and hosts afterwards would
 * transfer blocks although others of the same queue lie on free hosts.
 *
 * The most local blocks are a maximum flow: from a queue (capacity wants) to a
 * block (1) to the hosts of its replicas (capacity slots). What a queue then
 * lacks is made up by transfers to slots that are left; there are enough, since
 * the wants are no more than the slots. The flow is found by blocking flows
 * between queues and hosts: an arc from a queue is a block of it that waits,
 * and an arc from a host is a block that runs there and could go elsewhere, or
 * wait instead.
 *
 * The proof is a set of queues and one of hosts, the *cut*: no plan has more
 * local blocks than
 *
 *     the wants of the cut's queues + the slots of its hosts
 *     + blocks of other queues with a replica on other hosts.
 *
 * To plan several waves at once, multiply slots and shares by their number.
 *
 * Among equally good plans the order of blocks and rows decides, the same on
 * every machine; it also decides which queues get local places where not all
 * can.
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
    const uint32_t *share;   /* by queue: blocks it may run at once */
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
    uint32_t method; /* enum sked_locality_fair_method */
    uint32_t phases; /* blocking flows at most: after 2 * r - 1 of them at least
                        r in r + 1 of the blocks that could be local are. 0: as
                        many as it takes to be exact */
    uint32_t reserved; /* 0 */
} sked_locality_fair_options;

/* The caller sets struct_size and the columns. */
typedef struct sked_locality_fair_result {
    uint32_t struct_size;
    uint32_t phases;    /* blocking flows there were */
    uint64_t local;     /* blocks that run where a replica lies */
    uint64_t transfers; /* blocks that run elsewhere */
    uint64_t bound;     /* no plan has more local blocks, by this cut: equal to
                           `local` where the answer is exact */
    uint32_t *host;     /* by block: where it runs; SKED_LOCALITY_NO_HOST: it
                           waits */
    uint32_t *queue_local; /* by queue: its local blocks; may be NULL */
    uint8_t *queue_cut;    /* by queue, 1: in the cut */
    uint8_t *host_cut;     /* by host, 1: in the cut */
} sked_locality_fair_result;

/*
 * Plans one wave. Input and options (NULL: all 0) are read during the call.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a number out
 * of range, `err->row` is the block; the queues are entitled to run more blocks
 * than there are slots), SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own
 * code. On failure nothing is written. Cost: O(blocks * replicas) a blocking
 * flow, of which few are needed in practice and O(sqrt(blocks)) at worst.
 * Memory: 12 bytes a block, 40 a queue and a host.
 */
SKED_TRY sked_status sked_locality_fair(
    const sked_locality_fair_input *input,
    const sked_locality_fair_options *options, const sked_host *host,
    sked_locality_fair_result *result, sked_error *err);

/*
 * Is that a plan as described, and its bound right? Reads the input and the
 * result's `local`, `transfers`, `bound`, `host`, `queue_cut` and `host_cut`
 * in one pass; has nothing in common with what finds them. Where it says yes
 * and `local` is `bound`, the plan is exact.
 *
 * Returns SKED_OK; SKED_ERR_INVALID (`err->message` says what is wrong,
 * `err->row` for which block, queue or host); else as sked_locality_fair().
 */
SKED_TRY sked_status
sked_locality_fair_verify(const sked_locality_fair_input *input,
                          const sked_locality_fair_result *result,
                          const sked_host *host, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
