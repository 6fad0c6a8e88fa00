/*
 * Applies events of a run to the run's engine, takes the decisions, and keeps
 * the lanes of nodes.
 */
#include <string.h>

#include "base/bits.h"
#include "base/fail.h"
#include "engine/probe.h"
#include "sim/lane.h"
#include "sim/run.h"

/*
 * A node's event can decide something only if an open ask fits into the free
 * resources of the node. A lane is the nodes of one partition in the order of
 * their events, with a segment tree of maxima above the nodes: every inner knot
 * has, kind by kind, the most that any node below has free. A search therefore
 * skips whole parts of the cycle in which nothing fits. The set of fitting asks
 * only shrinks until the partition reports new possibilities. A place that was
 * searched once is therefore searched again only if its node was noted since.
 */

int skedi_lanes_build(sked_sim *sim)
{
    skedi_mem *mem = &sim->hooks.mem;
    size_t kinds = sim->kinds;

    for (uint32_t i = 0; i < sim->n_nodes; i++) {
        sim->lanes[sim->node_partition[i]].n++;
    }
    for (uint32_t l = 0; l < sim->n_lanes; l++) {
        sim_lane *lane = &sim->lanes[l];
        lane->width = (uint32_t)skedi_ceil_pow2(lane->n ? lane->n : 1);
        lane->node = skedi_new(mem, lane->width, sizeof *lane->node);
        lane->quiet = skedi_new(mem, lane->width, sizeof *lane->quiet);
        lane->rests = skedi_new(mem, lane->width, 1);
        lane->most = skedi_new(mem, (size_t)lane->width * 2 * kinds,
                               sizeof *lane->most);
        if (!lane->node || !lane->quiet || !lane->rests || !lane->most ||
            !skedi_marks_reserve(mem, &lane->moved, lane->width)) {
            return 0;
        }
        for (size_t k = 0; k < (size_t)lane->width * 2 * kinds; k++) {
            lane->most[k] = -1; /* no node: nothing fits */
        }
        lane->n = 0;
    }
    for (uint32_t i = 0; i < sim->n_nodes; i++) {
        sim_lane *lane = &sim->lanes[sim->node_partition[i]];
        sim->node_place[i] = lane->n;
        lane->node[lane->n++] = i;
    }
    return 1;
}

void skedi_lanes_free(sked_sim *sim)
{
    skedi_mem *mem = &sim->hooks.mem;

    for (uint32_t l = 0; sim->lanes && l < sim->n_lanes; l++) {
        sim_lane *lane = &sim->lanes[l];
        skedi_free(mem, lane->node, lane->width, sizeof *lane->node);
        skedi_free(mem, lane->quiet, lane->width, sizeof *lane->quiet);
        skedi_free(mem, lane->rests, lane->width, 1);
        skedi_marks_free(mem, &lane->moved);
        skedi_free(mem, lane->most, (size_t)lane->width * 2 * sim->kinds,
                   sizeof *lane->most);
    }
    skedi_free(mem, sim->lanes, sim->n_lanes, sizeof *sim->lanes);
    sim->lanes = NULL;
}

static int64_t *sim_knot_row(const sked_sim *sim, const sim_lane *lane,
                             uint32_t at)
{
    return lane->most + (size_t)at * sim->kinds;
}

/* Sets the row of a place and recomputes the maxima above, as far as they
 * change. */
static void sim_set_place(sked_sim *sim, sim_lane *lane, uint32_t place,
                          const int64_t *free)
{
    uint32_t at = lane->width + place, kinds = sim->kinds;
    int64_t *row = sim_knot_row(sim, lane, at);

    for (uint32_t k = 0; k < kinds; k++) row[k] = free ? free[k] : -1;
    for (at /= 2; at > 0; at /= 2) {
        const int64_t *a = sim_knot_row(sim, lane, 2 * at);
        const int64_t *b = a + kinds;
        int64_t *most = sim_knot_row(sim, lane, at);
        int same = 1;
        for (uint32_t k = 0; k < kinds; k++) {
            int64_t more = a[k] > b[k] ? a[k] : b[k];
            same &= more == most[k];
            most[k] = more;
        }
        if (same) return;
    }
}

void skedi_lane_note(sked_sim *sim, uint32_t node)
{
    sim_lane *lane = &sim->lanes[sim->node_partition[node]];
    uint32_t place = sim->node_place[node];
    int64_t sum[SKED_MAX_KINDS];

    if (place < lane->known) skedi_marks_add(&lane->moved, place);
    sim_set_place(sim, lane, place,
                  skedi_probe_free(sim->engine, (uint64_t)node + 1, sum));
}

void skedi_lane_rest(sked_sim *sim, uint32_t node)
{
    sim_lane *lane = &sim->lanes[sim->node_partition[node]];
    uint32_t place = sim->node_place[node];

    skedi_marks_drop(&lane->moved, place);
    if (!lane->rests[place]) { /* or noted again since the place rests */
        lane->rests[place] = 1;
        lane->quiet[lane->n_quiet++] = place;
    }
    sim_set_place(sim, lane, place, NULL);
}

/* Notes the quiet nodes again after a change of the partition. */
static void sim_wake_lane(sked_sim *sim, sim_lane *lane, uint64_t changes)
{
    uint32_t place;

    if (lane->changes == changes) return;
    lane->changes = changes;
    lane->known = 0;
    while ((place = skedi_marks_first(&lane->moved)) != SKEDI_MARKS_END) {
        skedi_marks_drop(&lane->moved, place);
    }
    while (lane->n_quiet > 0) {
        place = lane->quiet[--lane->n_quiet];
        lane->rests[place] = 0;
        skedi_lane_note(sim, lane->node[place]);
    }
}

/* Classes on offer, and the least amount of each kind over the classes. */
typedef struct lane_offer {
    skedi_probe_offer of;
    int several; /* 0: one class, whose step is `least` */
    int64_t least[SKED_MAX_KINDS];
} lane_offer;

static void sim_find_least(const sked_sim *sim, lane_offer *offer)
{
    offer->several = (offer->of.classes & (offer->of.classes - 1)) != 0;
    for (uint32_t k = 0; k < sim->kinds; k++) offer->least[k] = INT64_MAX;
    for (uint64_t left = offer->of.classes; left; left &= left - 1) {
        const int64_t *step = skedi_probe_step(&offer->of, sim->kinds,
                                               skedi_ctz64(left));
        for (uint32_t k = 0; k < sim->kinds; k++) {
            offer->least[k] = skedi_i64_min(offer->least[k], step[k]);
        }
    }
}

/* True if the free resources hold the step of some class on offer. */
static int sim_holds_any(const lane_offer *offer, const int64_t *free,
                         uint32_t kinds)
{
    if (free[0] < 0) return 0;
    for (uint64_t left = offer->of.classes; left; left &= left - 1) {
        const int64_t *step = skedi_probe_step(&offer->of, kinds,
                                               skedi_ctz64(left));
        uint32_t k = 0;
        while (k < kinds && step[k] <= (free[k] > 0 ? free[k] : 0)) k++;
        if (k == kinds) return 1;
    }
    return 0;
}

/* The same, of many: most hold not even the least of each kind. */
static int sim_may_hold(const lane_offer *offer, const int64_t *free,
                        uint32_t kinds)
{
    if (free[0] < 0) return 0;
    for (uint32_t k = 0; k < kinds; k++) {
        if (offer->least[k] > (free[k] > 0 ? free[k] : 0)) return 0;
    }
    return !offer->several || sim_holds_any(offer, free, kinds);
}

/* The first place from `from` on below whose knots something may fit. */
static uint32_t sim_likely_place(const sked_sim *sim, const sim_lane *lane,
                                 const lane_offer *offer, uint32_t from)
{
    uint32_t at = from ? lane->width + from : 1;

    /* Up while nothing fits, to the right; then down to the left. */
    while (!sim_may_hold(offer, sim_knot_row(sim, lane, at), sim->kinds)) {
        while (at & 1) at /= 2; /* a right knot: continue from the parent */
        if (at == 0) return SIM_NONE;
        at++;
    }
    while (at < lane->width) {
        at *= 2;
        at += !sim_may_hold(offer, sim_knot_row(sim, lane, at), sim->kinds);
    }
    return at - lane->width;
}

/* The first place from `from` on where an open ask fits, found by the tree. An
 * inner knot may promise amounts that no single node below has. */
static uint32_t sim_search_lane(const sked_sim *sim, const sim_lane *lane,
                                lane_offer *offer, uint32_t from)
{
    sim_find_least(sim, offer);
    if (!sim_may_hold(offer, sim_knot_row(sim, lane, 1), sim->kinds))
        return SIM_NONE;
    while (from < lane->n) {
        uint32_t place = sim_likely_place(sim, lane, offer, from);
        if (place == SIM_NONE || place >= lane->n) return SIM_NONE;
        const int64_t *free = sim_knot_row(sim, lane, lane->width + place);
        if (sim_may_hold(offer, free, sim->kinds)) return place;
        from = place + 1;
    }
    return SIM_NONE;
}

/* Does the same, but skips places that are known to have nothing. */
static uint32_t sim_first_place(const sked_sim *sim, sim_lane *lane,
                                lane_offer *offer, uint32_t from)
{
    uint32_t place = from;

    while ((place = skedi_marks_from(&lane->moved, place)) != SKEDI_MARKS_END) {
        const int64_t *free = sim_knot_row(sim, lane, lane->width + place);
        if (sim_holds_any(offer, free, sim->kinds)) return place;
        skedi_marks_drop(&lane->moved, place);
    }
    if (from > lane->known) return sim_search_lane(sim, lane, offer, from);
    if (lane->known >= lane->n) return SIM_NONE;
    place = sim_search_lane(sim, lane, offer, lane->known);
    lane->known = place == SIM_NONE ? lane->n : place;
    return place;
}

/* The place in a lane of the first node from `from` on. */
static uint32_t sim_place_from(const sim_lane *lane, uint32_t from)
{
    uint32_t low = 0, high = lane->n;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (lane->node[mid] < from)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

uint32_t skedi_lanes_next(sked_sim *sim, uint32_t from)
{
    uint32_t best = SIM_NONE;

    for (uint32_t p = 0; p < sim->n_lanes; p++) {
        sim_lane *lane = &sim->lanes[p];
        lane_offer offer;
        if (!skedi_probe_offer_of(sim->engine, p, &offer.of)) continue;
        if (!lane->n) continue;
        sim_wake_lane(sim, lane, offer.of.changes);
        uint32_t place = sim_first_place(sim, lane, &offer,
                                         sim_place_from(lane, from));
        if (place == SIM_NONE) continue;
        uint32_t node = lane->node[place];
        if (node < best) best = node;
    }
    return best;
}

/* Applies events to the engine, and takes the engine's decisions. */

/* Notes a node of a gang's start; the event may belong to another node. */
static void sim_note_gang_node(sked_sim *sim, const sked_decision *d)
{
    if (d->kind != SKED_DECISION_ALLOCATE || d->reason != SKED_REASON_GANG)
        return;
    skedi_lane_note(sim, (uint32_t)d->node - 1);
}

sked_status skedi_sim_hear(sked_sim *sim)
{
    sked_decision decisions[64];
    size_t n = 64;
    sked_status rc = SKED_OK;

    if (!skedi_probe_has_decided(sim->engine)) return SKED_OK;
    while (n == 64 && rc == SKED_OK) {
        (void)!sked_engine_take(sim->engine, decisions, 64, &n, NULL);
        for (size_t i = 0; i < n && rc == SKED_OK; i++) {
            rc = skedi_measure_record(sim, &decisions[i]);
            sim_note_gang_node(sim, &decisions[i]);
        }
    }
    return rc;
}

sked_status skedi_sim_tell_batch(sked_sim *sim, sked_event *events, size_t n,
                                 const sked_events *batch, sked_error *err)
{
    sked_error own = {.code = SKED_OK};
    sked_status rc = SKED_OK;
    int stands;

    for (size_t i = 0; i < n && rc == SKED_OK;) {
        events[i].time = sim_service(sim);
        rc = skedi_engine_event(sim->engine, batch, &events[i], &stands, &own);
        i += stands != 0; /* if decisions wait, the row is repeated */
        if (rc < 0 && rc != SKED_ERR_FULL) break;
        rc = skedi_sim_hear(sim);
    }
    sim->result.events += n;
    if (rc < 0 && err) *err = own;
    return rc;
}

sked_status skedi_sim_tell(sked_sim *sim, sked_event *events, size_t n,
                           const int64_t *amounts, sked_error *err)
{
    const sked_events batch = {
        .struct_size = sizeof batch,
        .amounts = amounts,
        .n_amounts = amounts != NULL,
    };

    return skedi_sim_tell_batch(sim, events, n, &batch, err);
}
