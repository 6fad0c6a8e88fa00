#ifndef SKEDI_LOCALITY_TRANSPORT_H
#define SKEDI_LOCALITY_TRANSPORT_H

/*
 * Blocks to hosts at least cost, each block among a few options: a minimum-cost
 * flow by the primal-dual method, on a graph of hosts, racks and one node for
 * "anywhere". An arc out of a host is a block that is there now and one of its
 * options, at the cost of that less what the block costs now.
 */

#include "base/heap.h"
#include "locality/handle.h"

typedef struct skedi_transport skedi_transport;

/* One option of a block: a node, and what it costs to be there. */
typedef struct skedi_transport_option {
    uint32_t node;
    int64_t cost;
} skedi_transport_option;

struct skedi_transport {
    const skedi_blocks *in;
    skedi_hooks *hooks;
    uint32_t hosts; /* also the node that is nowhere */
    uint32_t racks; /* nodes behind it; then "anywhere", if there are racks */
    uint32_t nodes;
    uint32_t options; /* of a block */
    /* The option with that number below `options`; node UINT32_MAX: none. */
    skedi_transport_option (*option)(const skedi_transport *t, uint32_t block,
                                     uint32_t i);
    /* The cost of a block on the host. The host or its rack is an option of the
     * block. */
    int64_t (*cost)(const skedi_transport *t, uint32_t block, uint32_t host);
    int64_t extra; /* cost of each place on a host beyond `low` */

    /* What the options are made from. */
    const uint32_t *rack;    /* by host; NULL: one */
    const uint32_t *present; /* by block */
    const int64_t *level;    /* by host */
    int64_t in_rack;
    int64_t beyond;

    /* By host, "nowhere" among them. */
    uint32_t *low;
    uint32_t *high;
    uint32_t *load;
    uint32_t *first; /* block in its list, plus 1 */

    /* By block. */
    uint32_t *where; /* its host; UINT32_MAX: none yet */
    uint32_t *next;  /* in its host's list, plus 1 */
    uint32_t *prev;
    uint32_t *waiting; /* blocks that have no host yet */
    uint32_t n_waiting;

    /* By node. */
    int64_t *potential;
    int64_t *distance;
    int32_t *depth;
    uint32_t *at; /* block, plus 1, or member, that a path search is at */
    uint32_t *at_option;
    uint32_t *queue;
    struct skedi_transport_frame *path;
    skedi_heap heap;
    int64_t target; /* potential of the sink */

    uint32_t *rack_first; /* by rack: where its hosts begin in `member` */
    uint32_t *member;     /* hosts by rack */
};

/* Memory for it; the fields above the first column are set. 0: none. */
void skedi_transport_drop(skedi_transport *t);

/*
 * Chooses, among placements as good as one with these levels, a placement with
 * the fewest blocks away from `present`: sets everything but `in`, `hooks`,
 * `level`, `present`, and runs it. To be dropped in any case. (plan.c)
 */
sked_status skedi_loc_stay(skedi_transport *t, const skedi_slots *slots,
                           uint32_t unplaced);

#endif
