#ifndef SKEDI_LOCALITY_TRANSPORT_H
#define SKEDI_LOCALITY_TRANSPORT_H

/*
 * Assigns blocks to hosts at least cost; each block has a few options. The
 * method is a minimum-cost flow by the primal-dual method, on a graph of hosts,
 * racks and a node for "anywhere". An arc out of a host is a block on the host
 * and an option of the block. The arc's cost is the option's cost less the
 * block's present cost.
 */

#include "base/heap.h"
#include "locality/handle.h"

typedef struct skedi_transport skedi_transport;

/* One option of a block: a node, and the cost of the block on the node. */
typedef struct skedi_transport_option {
    uint32_t node;
    int64_t cost;
} skedi_transport_option;

struct skedi_transport {
    const skedi_blocks *in;
    skedi_hooks *hooks;
    uint32_t hosts; /* also the number of the node "nowhere" */
    uint32_t racks; /* nodes behind "nowhere"; then "anywhere", if racks exist
                       */
    uint32_t nodes;
    uint32_t options; /* of a block */
    /* The option with the given number below `options`; node UINT32_MAX: none.
     */
    skedi_transport_option (*option)(const skedi_transport *t, uint32_t block,
                                     uint32_t i);
    /* The cost of a block on the host. The host or its rack is an option of the
     * block. */
    int64_t (*cost)(const skedi_transport *t, uint32_t block, uint32_t host);
    int64_t extra; /* cost of each place on a host beyond `low` */

    /* The data behind the options. */
    const uint32_t *rack;    /* by host; NULL: a single rack */
    const uint32_t *present; /* by block */
    const int64_t *level;    /* by host */
    int64_t in_rack;
    int64_t beyond;

    /* By host, and "nowhere". */
    uint32_t *low;
    uint32_t *high;
    uint32_t *load;
    uint32_t *first; /* first block of the host's list, plus 1 */

    /* By block. */
    uint32_t *where; /* host of the block; UINT32_MAX: none yet */
    uint32_t *next;  /* next block of the host's list, plus 1 */
    uint32_t *prev;
    uint32_t *waiting; /* blocks without a host */
    uint32_t n_waiting;

    /* By node. */
    int64_t *potential;
    int64_t *distance;
    int32_t *depth;
    uint32_t *at; /* block, plus 1, or member, at which a path search stands */
    uint32_t *at_option;
    uint32_t *queue;
    struct skedi_transport_frame *path;
    skedi_heap heap;
    int64_t target; /* potential of the sink */

    uint32_t *rack_first; /* by rack: first of its hosts in `member` */
    uint32_t *member;     /* hosts by rack */
};

/* Reserves memory; the fields above the first column are set. 0: no memory. */
void skedi_transport_drop(skedi_transport *t);

/*
 * Finds a placement as good as a placement with the given levels, with the
 * fewest blocks away from `present`. Sets all fields but `in`, `hooks`, `level`
 * and `present`, and runs. The caller drops `t` in any case. (plan.c)
 */
sked_status skedi_loc_stay(skedi_transport *t, const skedi_slots *slots,
                           uint32_t unplaced);

#endif
