/* Lives of nodes, of what they have free, and of what an engine started; and
 * all tables by number. */
#include "life/life.h"

#define NS(state) SKED_LIFE_BIT(SKED_LIFE_NODE_##state)
#define TO(on, to) .event = SKED_LIFE_EVENT_##on, .next = SKED_LIFE_NODE_##to

static const sked_life_name life_node_states[] = {
    LIFE_NAME("UP", LIFE_START), LIFE_NAME("DRAINING", 0),
    LIFE_NAME("DRAINED", 0),     LIFE_NAME("DOWN", 0),
    LIFE_NAME("QUARANTINED", 0),
};

static const sked_life_edge life_node_edges[] = {
    {NS(UP) | NS(QUARANTINED), TO(DRAIN, DRAINING), SKED_LIFE_CAUSE_USER, 0},
    {NS(DRAINING), TO(DRAINED, DRAINED), SKED_LIFE_CAUSE_NODE, 0},
    {NS(DRAINED), TO(DOWN, DOWN), SKED_LIFE_CAUSE_USER, 0},
    {NS(DOWN), TO(UP, UP), SKED_LIFE_CAUSE_USER, 0},
    {NS(UP), TO(QUARANTINE, QUARANTINED), SKED_LIFE_CAUSE_JOBS, 0},
    {NS(QUARANTINED), TO(TIMEOUT, UP), SKED_LIFE_CAUSE_TIMER,
     SKED_LIFE_EDGE_COUNTED | SKED_LIFE_EDGE_FORCED},
};

const sked_life_table skedi_life_node = LIFE_TABLE("node", life_node_states,
                                                   life_node_edges, NULL, 0);

#undef NS
#undef TO

/* ---- What is free ---- */

#define OS(state) SKED_LIFE_BIT(SKED_LIFE_OFFER_##state)
#define TO(on, to) .event = SKED_LIFE_EVENT_##on, .next = SKED_LIFE_OFFER_##to

static const sked_life_name life_offer_states[] = {
    LIFE_NAME("READY", LIFE_START),
    LIFE_NAME("PLACING", 0),
    LIFE_NAME("HELD", 0),
    LIFE_NAME("RESERVED", 0),
};

enum { LIFE_OFFER_GIVE = SKED_LIFE_CAUSE_PLACEMENT | SKED_LIFE_CAUSE_JOBS };

static const sked_life_edge life_offer_edges[] = {
    /* Each match is another offer, with a number of its own. */
    {OS(READY) | OS(HELD) | OS(RESERVED), TO(MATCH, PLACING),
     SKED_LIFE_CAUSE_PLACEMENT, SKED_LIFE_EDGE_COUNTED},
    {OS(READY), TO(HOLD, HELD), SKED_LIFE_CAUSE_JOBS, SKED_LIFE_EDGE_COUNTED},
    {OS(READY), TO(RESERVE, RESERVED), SKED_LIFE_CAUSE_PLACEMENT,
     SKED_LIFE_EDGE_COUNTED},
    /* Launched, returned or expired; held on where others hold it. */
    {OS(PLACING), TO(RELEASE, READY), LIFE_OFFER_GIVE, 0},
    {OS(PLACING), TO(HOLD, HELD), LIFE_OFFER_GIVE, 0},
    {OS(PLACING), TO(TIMEOUT, READY), SKED_LIFE_CAUSE_TIMER,
     SKED_LIFE_EDGE_FORCED},
    {OS(HELD), TO(RELEASE, READY), SKED_LIFE_CAUSE_JOBS, 0},
    {OS(HELD), TO(TIMEOUT, READY), SKED_LIFE_CAUSE_TIMER,
     SKED_LIFE_EDGE_FORCED},
    {OS(RESERVED), TO(RELEASE, READY), SKED_LIFE_CAUSE_PLACEMENT, 0},
};

const sked_life_table skedi_life_offer = LIFE_TABLE("offer", life_offer_states,
                                                    life_offer_edges, NULL, 0);

#undef OS
#undef TO

/* ---- Groups of an engine ---- */

#define GS(state) SKED_LIFE_BIT(SKED_LIFE_STARTED_##state)
#define TO(on, to) .event = SKED_LIFE_EVENT_##on, .next = SKED_LIFE_STARTED_##to

static const sked_life_name life_group_states[] = {
    LIFE_NAME("PROPOSED", LIFE_START), LIFE_NAME("HELD", LIFE_START),
    LIFE_NAME("REVOKED", 0),           LIFE_NAME("KILLED", 0),
    LIFE_NAME("GONE", LIFE_END),
};

#define LIFE_GROUP_ASKED (GS(PROPOSED) | GS(REVOKED))
#define LIFE_GROUP_THERE (LIFE_GROUP_ASKED | GS(HELD) | GS(KILLED))

static const sked_life_edge life_group_edges[] = {
    {GS(PROPOSED), TO(CONFIRM, HELD), SKED_LIFE_CAUSE_JOBS, 0},
    /* It began after all, and is to end. */
    {GS(REVOKED), TO(CONFIRM, KILLED), SKED_LIFE_CAUSE_JOBS, 0},
    {LIFE_GROUP_ASKED, TO(REFUSE, GONE), SKED_LIFE_CAUSE_JOBS, 0},
    {LIFE_GROUP_ASKED, TO(TIMEOUT, GONE), SKED_LIFE_CAUSE_TIMER,
     SKED_LIFE_EDGE_FORCED},
    {GS(PROPOSED), TO(KILL, REVOKED),
     SKED_LIFE_CAUSE_USER | SKED_LIFE_CAUSE_JOBS, 0},
    {GS(HELD), TO(KILL, KILLED), SKED_LIFE_CAUSE_USER | SKED_LIFE_CAUSE_JOBS,
     0},
    {LIFE_GROUP_THERE, TO(END, GONE), SKED_LIFE_CAUSE_NODE, 0},
    {LIFE_GROUP_THERE, TO(LOSE, GONE), SKED_LIFE_CAUSE_NODE, 0},
};

const sked_life_table skedi_life_group = LIFE_TABLE("group", life_group_states,
                                                    life_group_edges, NULL, 0);

#undef GS
#undef TO

const sked_life_table *sked_life_table_of(uint32_t which)
{
    static const sked_life_table *const tables[] = {
        NULL,
        &skedi_life_queued,
        &skedi_life_task,
        &skedi_life_job,
        &skedi_life_update_table,
        &skedi_life_node,
        &skedi_life_offer,
        &skedi_life_group,
    };

    return which < LIFE_COUNT(tables) ? tables[which] : NULL;
}
