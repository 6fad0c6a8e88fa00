#ifndef SKEDI_LOCALITY_LIVE_H
#define SKEDI_LOCALITY_LIVE_H

/* The data of a placement in force. */

#include "locality/handle.h"

#define SKEDI_NO_BLOCK UINT32_MAX

/* Blocks of a host. */
typedef struct skedi_live_list {
    uint32_t *block;
    size_t cap;
    uint32_t n;
} skedi_live_list;

/* A block number in use or spare. */
typedef struct skedi_live_block {
    uint32_t host;    /* SKED_LOCALITY_NO_HOST: none */
    uint32_t at;      /* place in its host's `here`; or the next spare number */
    uint32_t from;    /* host before the first move */
    uint8_t is_moved; /* stands in `moved` */
    uint8_t is_there; /* 0: the number is spare */
} skedi_live_block;

/* The hosts seen from one side of a search. */
typedef struct skedi_live_side {
    uint32_t *mark;  /* by host: the last search to see the host */
    uint32_t *host;  /* by host: the next host on the way back;
                        SKED_LOCALITY_NO_HOST */
    uint32_t *block; /* by host: the block that moves between the two hosts */
    uint32_t *queue;
    uint32_t done; /* of the queue */
    uint32_t n;
    uint64_t work; /* entries to look at in the rest of the queue */
} skedi_live_side;

struct sked_locality_live {
    skedi_hooks hooks;
    uint32_t hosts;
    uint32_t width;
    /* Blocks by number. */
    uint32_t blocks;  /* numbers in use or spare */
    uint32_t spare;   /* freed last; SKEDI_NO_BLOCK: none */
    uint32_t nowhere; /* present blocks on no host */
    skedi_live_block *block;
    size_t block_cap;
    uint32_t *rows;  /* for each block `width` hosts, then its places in `held`
                       */
    size_t row_cap;  /* in numbers */
    uint32_t *moved; /* numbers in the order of their first move */
    size_t moved_cap;
    uint32_t n_moved;
    /* Hosts. */
    skedi_live_list *here; /* blocks placed on the host: capacity as `held` */
    skedi_live_list *held; /* blocks with a replica on the host */
    uint32_t *count;
    uint32_t *sorted; /* hosts by count */
    uint32_t *spot;   /* by host: in `sorted` */
    uint32_t *
        begin; /* by count: the first host in `sorted` with this count or more */
    size_t begins; /* capacity; above every `held` by two at least */
    /* The search. */
    skedi_live_side ahead;
    skedi_live_side back;
    uint32_t stamp;
};

/* The hosts of a block's replicas. SKED_LOCALITY_NO_HOST fills the places
 * behind, and may stand between. */
static inline uint32_t *skedi_live_row(const sked_locality_live *live,
                                       uint32_t b)
{
    return live->rows + (size_t)b * 2 * live->width;
}

/* ---- live_path.c ---- */

#endif
