#ifndef SKEDI_ENGINE_ROUNDS_H
#define SKEDI_ENGINE_ROUNDS_H

/*
 * Rounds of preemption. A round reads every partition (rounds_read.c: what
 * queues have and want, who asks), goes where it matters (rounds_where.c,
 * rounds_give.c), has victims chosen by lib/preempt, and then acts on all of
 * them at once (rounds_act.c).
 */

#include "base/arena.h"
#include "base/recycle.h"
#include "engine/kin.h"
#include "engine/vacant.h"
#include "engine/wanted.h"
#include "preempt/preempt_among.h"

enum { ROUND_RANK_KEYS = 16 };

/* Tasks that make room for an ask on their node. */
typedef struct round_pair {
    uint64_t group; /* its name */
    uint32_t count;
    uint32_t tried; /* scratch */
    uint32_t next;  /* for the same room that is kept; SKEDI_NONE: the last */
    uint32_t unused;
} round_pair;

/* What an engine that preempts has besides. */
struct engine_preempt {
    sked_engine_preemption opts;
    sked_target *target;
    sked_round *round;
    skedi_arena arena; /* of a round */
    int64_t keep_for;  /* ns that room is kept, from now */
    int watches;       /* 1: it only says what it would do */
    int lazy;          /* 1: victims run until their room is taken */
    int untold;        /* 1: there is no grace, so nobody is told */
    round_pair *pair;  /* of lazy rounds: who makes room for whom */
    size_t pairs, pair_cap;
    int timed;        /* 1: somebody waits for time, or rounds, to pass */
    uint64_t seen[5]; /* what had happened by the last round */
    int32_t keys[ROUND_RANK_KEYS];
    uint32_t n_keys;
    engine_kins kins;
    engine_vacant vacant;
    engine_wanted wanted;
    skedi_heap heap; /* of kin, in a round */
    sked_engine *engine;
    skedi_recycle recycle; /* of the target, the round, and plans */
    sked_host host;        /* theirs: ours, with that memory */
};

/* What a node has free has changed. */
static inline void skedi_node_moved(sked_engine *e, uint32_t node)
{
    if (e->preempt) skedi_vacant_note(&e->preempt->vacant, node);
}

/* One partition in a round; everything in the arena. */
typedef struct round_part {
    uint32_t partition;
    uint32_t lacking; /* bit k: it has less of kind k than is wanted */
    int64_t budget[SKED_MAX_KINDS]; /* that the round may take */
    const uint32_t *reasons;        /* by row: SKED_TARGET_* */
    uint32_t *seat_row;             /* by seat: its row of users */
    uint32_t *group;                /* by candidate */
    uint32_t *ask;                  /* by request */
    uint32_t *node;                 /* by place */
    uint32_t *place;                /* by node; SKEDI_NONE: takes nothing */
    sked_preempt_problem in;
    sked_rank_columns rank;
    sked_preempt_plan plan;
    uint32_t *first_victim; /* by request; SKEDI_NONE: none */
    uint32_t *next_victim;  /* by victim: of the same request */
    uint32_t *next_kin;     /* by kin: its cheapest that is not looked at */
    uint32_t more;          /* nodes to look at besides, next time */
    int picky;              /* 1: some request names nodes */
    struct round_part *next;
} round_part;

/* Tasks that all partitions together ask for, by ask. */
typedef struct round_state {
    sked_engine *e;
    int64_t *planned; /* by ask: seats found so far */
    round_part *parts;
    round_part **last;
} round_state;

/* Queues or partitions have changed: what goes by them is to be made anew. */
static inline void skedi_preempt_spoil(sked_engine *e)
{
    if (!e->preempt) return;
    e->preempt->kins.stale = 1;
    e->preempt->wanted.ready = 0;
}

/* `n` zeroed items that live as long as the round; NULL: no memory. */
void *skedi_round_room(sked_engine *e, uint64_t n, size_t size);

/*
 * Fills a part's problem, but for usage, nodes and candidates, from the targets
 * of its partition, which were just computed. `*any` says whether anybody asks.
 * SKED_OK or SKED_ERR_NOMEM.
 */
sked_status skedi_round_read(round_state *s, round_part *part, int *any,
                             sked_error *err);

/* The requests of a part, in the order in which they are served; `picky` says
 * whether they name nodes, which are all known then. 0: no memory. */
int skedi_round_asks(round_state *s, round_part *part);

/* Looks at all nodes of the partition. 0: no memory. */
int skedi_round_everywhere(sked_engine *e, round_part *part);

/* Looks at those that matter in any case. Then, time after time, at those of
 * the next cheapest victims, and says who is left. 0: no memory. */
int skedi_round_somewhere(sked_engine *e, round_part *part);
int skedi_round_wider(sked_engine *e, round_part *part, skedi_absents *absent);

/* What is free on the nodes looked at. 0: no memory. */
int skedi_round_free(sked_engine *e, round_part *part);

/* The candidates of a part whose places are known. 0: no memory. */
int skedi_round_candidates(sked_engine *e, round_part *part);

/* Makes a part's plan ready: seats node by node, victims by request, and what
 * they say to the partitions that come after. 0: no memory. */
int skedi_round_settle(round_state *s, round_part *part);

/* What queues of a partition have, without what was told to end; and what they
 * have and want. Rows x kinds; NULL: no memory. */
int64_t *skedi_round_usage(sked_engine *e, uint32_t partition);
int64_t *skedi_round_demand(sked_engine *e, uint32_t partition);

/* The kinds of which a partition has less than its leaves' demand. */
uint32_t skedi_round_lacking(const sked_engine *e, uint32_t partition,
                             const int64_t *demand);

/* Notices, kills, rooms kept, of all partitions: decides. */
sked_status skedi_round_act(round_state *s, sked_error *err);

/* Holds a round; does nothing without preemption. */
sked_status skedi_round_hold(sked_engine *e, sked_error *err);

/* Has `count` tasks that are offered told to end now. SKED_OK; SKED_ERR_NOMEM or
 * what a hook said: nothing changed. */
sked_status skedi_round_claim(sked_engine *e, uint32_t group, uint32_t count);

/*
 * Lazy rounds: tells those victims to end whose room is all that is lacking for
 * what a room is kept for, up to decision `last`. SKED_OK, SKED_STOPPED, or as
 * skedi_round_claim(); what was decided stands.
 */
sked_status skedi_lazy_serve(sked_engine *e, uint32_t kept, uint64_t last);

/* What tasks that were told to end hold, into usage or free room. */
void skedi_round_add_dying(const sked_engine *e, uint32_t group, int64_t *to,
                           int by);

/* Can a round decide anything that the last one did not? */
int skedi_round_is_due(const sked_engine *e);

size_t skedi_round_marks(const sked_engine *e);

/* So many tasks under notice of a group have ended, the first told first. */
void skedi_round_unmark(sked_engine *e, uint32_t group, uint32_t count);

/* Are notices out, or is room kept? */
int skedi_round_is_out(const sked_engine *e);

void skedi_preempt_free(sked_engine *e);

#endif
