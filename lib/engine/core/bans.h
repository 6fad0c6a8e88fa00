#ifndef SKEDI_ENGINE_CORE_BANS_H
#define SKEDI_ENGINE_CORE_BANS_H

/*
 * What an ask does not take, since the host refused it or nothing is large
 * enough: pairs of an ask and a node, sets of nodes, and asks that stand in no
 * line at all. An ask that is parked has no entries, so no pass looks at it,
 * and it is no demand. What may stand in line again is put there after the
 * event, as far as memory allows; the rest before the next.
 */

#include "base/random.h"
#include "engine/state.h"

static inline engine_ban *ban_at(const sked_engine *e, uint32_t ban)
{
    return (engine_ban *)e->bans.item + ban;
}

/* Does an ask belong in the lines of its leaf? */
static inline int skedi_ask_stands(const sked_engine *e, const engine_ask *a)
{
    if (a->open == 0 || job_at(e, a->job)->state != JOB_RUNNING) return 0;
    return extra_of(e, a)->refusals == SKEDI_NONE ||
           ban_at(e, extra_of(e, a)->refusals)->parked == 0;
}

/* Why it does not (PARK_*), as far as that is a ban. */
static inline uint32_t skedi_parked_by(const sked_engine *e,
                                       const engine_ask *a)
{
    return extra_of(e, a)->refusals == SKEDI_NONE
               ? 0
               : ban_at(e, extra_of(e, a)->refusals)->parked;
}

/* Are there nodes that the host refused an ask, or that it or its job excludes?
 */
static inline int skedi_ask_avoids(const sked_engine *e, const engine_ask *a)
{
    uint32_t of_job = job_at(e, a->job)->ban;

    if (extra_of(e, a)->refusals == SKEDI_NONE) return 0;
    return ban_at(e, extra_of(e, a)->refusals)->pairs > 0 ||
           ban_at(e, extra_of(e, a)->refusals)->n_excluded > 0 ||
           (of_job != SKEDI_NONE && ban_at(e, of_job)->n_excluded > 0);
}

/* What a node, by its key or its number, adds to the sum of a ban. */
static inline uint64_t skedi_ban_part(uint64_t node)
{
    return skedi_random_split(&node);
}

/* Forgets the pair that the link `at` of its ask's ban names. */
void skedi_pair_forget(sked_engine *e, engine_ban *ban, uint32_t *at);

/* Forgets the pairs of an ask that hold no longer, or (`all`) all of them. 1:
 * there were some. */
int skedi_pairs_purge(sked_engine *e, uint32_t ask, int all);

/* Memory for so many more bans. 0: no memory. */
int skedi_ban_reserve(sked_engine *e, uint64_t more);

/* The ban of an ask, a job or a node, made when there is none; memory was
 * reserved. */
engine_ban *skedi_ban_of_ask(sked_engine *e, uint32_t ask);
engine_ban *skedi_ban_of_job(sked_engine *e, uint32_t job);
engine_ban *skedi_ban_of_node(sked_engine *e, uint32_t node);

/* Forgets a ban whose owner goes; frees all bans. */
void skedi_ban_drop(sked_engine *e, uint32_t ban);
void skedi_bans_free(sked_engine *e);

/* Takes an ask out of the lines for one more reason (PARK_*); or drops a
 * reason. Without any reason it is to be put into line (PARK_READY). Memory for
 * its ban was reserved. */
void skedi_ask_park(sked_engine *e, uint32_t ask, uint32_t why);
void skedi_ask_unpark(sked_engine *e, uint32_t ask, uint32_t why);

/* The same for all asks of a job that the host refused. */
void skedi_job_bar(sked_engine *e, uint32_t job, sked_time until);
void skedi_job_unbar(sked_engine *e, uint32_t job);

/* A node takes nothing at all, or something again. */
void skedi_node_bar(sked_engine *e, uint32_t node, sked_time until);
void skedi_node_unbar(sked_engine *e, uint32_t node);

/* When the bar of an ask lapses; SKED_UNSET: by change. */
void skedi_ban_time(sked_engine *e, uint32_t ban, sked_time until);

/* What the host refused without a moment lapses, since its owner changed. */
void skedi_ban_changed(sked_engine *e, uint32_t ban);

/* Does the host refuse a node for everything? Then it stays barred when it
 * resumes. */
static inline int skedi_node_is_barred(const sked_engine *e, uint32_t node)
{
    uint32_t ban = node_at(e, node)->ban;

    return ban != SKEDI_NONE && ban_at(e, ban)->barred;
}

/* A node came or changed; the limits above the asks of a job, or (SKEDI_NONE)
 * above all asks, may have changed: asks that wait for either are looked at. */
void skedi_bans_see_node(sked_engine *e, uint32_t node);
void skedi_bans_see_limits(sked_engine *e, uint32_t job);

/* Tasks of an ask run that were open: nodes and limits may hold the rest of a gang
 * over nodes that waits for either. */
void skedi_bans_see_rest(sked_engine *e, uint32_t ask);

/* Ends what the host refused until a moment that has come by `now`. */
void skedi_bans_lapse(sked_engine *e, sked_time now);

/* Puts the ask of a ban that says READY into line. SKED_OK or SKED_ERR_NOMEM,
 * after which it can be called again. */
sked_status skedi_ban_settle(sked_engine *e, uint32_t ban);

/* Is all of it as it should be? For tests. */
int skedi_ban_is_sound(const sked_engine *e, uint32_t ban);

#endif
