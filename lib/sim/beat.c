/*
 * Node events: every node sends one in each period, and the nodes' events are
 * spread evenly over it. Events that can decide nothing are counted and
 * skipped. The model of a busy host is here, too, since node events keep it
 * busy.
 */
#include <sched/engine_place.h>

#include "engine/probe.h"
#include "sim/lane.h"
#include "sim/run.h"

enum { SIM_LOW_SECONDS = 60 };

/* A stretch without a start that is so long counts as one of low rate. */
static const int64_t low_after = SIM_LOW_SECONDS * INT64_C(1000000000);

/* When in its period a node sends its event. */
static int64_t phase_of(const sked_sim *sim, uint32_t node)
{
    uint64_t rem;

    return (int64_t)skedi_muldiv((uint64_t)sim->opts.heartbeat_ns, node,
                                 sim->n_nodes, &rem);
}

/* a * b, or the largest amount if it is more. */
static int64_t times_at_most(int64_t a, int64_t b)
{
    int64_t product;

    if (!skedi_i64_mul(a, b, &product)) return SKED_AMOUNT_MAX;
    return skedi_i64_min(product, SKED_AMOUNT_MAX);
}

/* `at` and so much later, but at most the largest time. */
static sked_time after(sked_time at, int64_t by)
{
    return by > SKED_AMOUNT_MAX - at ? SKED_AMOUNT_MAX : at + by;
}

/*
 * The modelled host answers `n` node events which decide nothing, at even
 * distances from `first` to `last`. Either it keeps up with all of them, or it
 * is busy when each of them comes.
 */
static void answer_beats(sked_sim *sim, int64_t n, sked_time first,
                         sked_time last)
{
    int64_t cost = times_at_most(n, sim->opts.cost_event_ns);
    sked_time start = skedi_i64_max(first, sim->busy);

    sim->busy = skedi_i64_max(after(start, cost),
                              after(last, sim->opts.cost_event_ns));
}

/* Skips the node events from here up to, but without, that of `node` in
 * `cycle`.
 */
static void skip_beats(sked_sim *sim, sked_time cycle, uint32_t node)
{
    int64_t cycles = (cycle - sim->beat_at) / sim->opts.heartbeat_ns;
    int64_t skipped = times_at_most(cycles, sim->n_nodes) + node -
                      sim->beat_node;
    sked_time first = sim->beat_at + phase_of(sim, sim->beat_node);
    sked_time last = node ? cycle + phase_of(sim, node - 1)
                          : cycle - sim->opts.heartbeat_ns +
                                phase_of(sim, sim->n_nodes - 1);

    sim->result.heartbeats_skipped += (uint64_t)skipped;
    if (skipped && sim->opts.cost_event_ns) {
        answer_beats(sim, skipped, first, last);
    }
    sim->beat_at = cycle;
    sim->beat_node = node;
}

/* Goes on to the first node event that is not before `now`. */
void skedi_beat_skip(sked_sim *sim)
{
    int64_t period = sim->opts.heartbeat_ns;
    sked_time cycle = sim->beat_at +
                      (sim->now - sim->beat_at) / period * period;
    uint32_t low = 0, high = sim->n_nodes;

    if (!sim->n_nodes) return;
    if (sim->beat_at + phase_of(sim, sim->beat_node) >= sim->now) return;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (cycle + phase_of(sim, mid) < sim->now)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == sim->n_nodes) {
        low = 0;
        cycle += period;
    }
    skip_beats(sim, cycle, low);
}

/* May the event of any node decide something, or what others decide? While gangs
 * form each may change what is reserved for them; and where the host is late,
 * the second of a start rate, or a reservation, may be over before it gets to an
 * event. */
static int any_may_decide(const sked_sim *sim)
{
    const sked_sim_options *o = &sim->opts;
    int late = (o->cost_event_ns | o->cost_task_ns | o->cost_look_ns) != 0;
    sked_time over = skedi_i64_min(skedi_probe_rates_until(sim->engine),
                                   skedi_probe_reserved_until(sim->engine));

    if (!sim->form_nodes && !(late && over < INT64_MAX)) return 0;
    return skedi_probe_stats(sim->engine)->asks > 0 &&
           !skedi_sim_is_at_rest(sim);
}

/* The first node from `from` on that is up. */
static uint32_t next_up(const sked_sim *sim, uint32_t from)
{
    while (from < sim->n_nodes && !sim->node_up[from]) from++;
    return from < sim->n_nodes ? from : SIM_NONE;
}

/* The first node from `from` on, in the order of adding, whose event may decide
 * something; SIM_NONE. */
static uint32_t next_node(sked_sim *sim, uint32_t from)
{
    if (any_may_decide(sim)) return next_up(sim, from);
    uint32_t reserved = skedi_reserved_next(sim, from); /* others may be free */
    uint32_t other = skedi_lanes_next(sim, from);
    return reserved < other ? reserved : other;
}

/* The next node event that may decide something: its time and its node. */
static int next_beat(sked_sim *sim, sked_time *at, uint32_t *node)
{
    *at = sim->beat_at;
    *node = next_node(sim, sim->beat_node);
    if (*node == SIM_NONE) {
        *at += sim->opts.heartbeat_ns;
        *node = next_node(sim, 0);
    }
    return *node != SIM_NONE;
}

/* What the modelled host spends on a node event with so many tasks started
 * and applications looked at. */
static void spend(sked_sim *sim, uint64_t tasks, uint64_t looks)
{
    int64_t by_tasks = times_at_most((int64_t)tasks, sim->opts.cost_task_ns);
    int64_t by_looks = times_at_most((int64_t)looks, sim->opts.cost_look_ns);

    sim->busy = after(sim_service(sim), sim->opts.cost_event_ns);
    sim->busy = after(after(sim->busy, by_tasks), by_looks);
}

/* Something was started. Nothing else has changed since `changed`, so it could
 * have been started then: counts the time between, if it is long. */
static void note_rate(sked_sim *sim)
{
    int64_t still = sim_service(sim) - sim->changed;

    if (still >= low_after) sim->result.low_rate += still;
    sim->changed = sim_service(sim);
}

/* Does nothing come of a node's next events, as of the last, and at no cost? What
 * becomes free on another node lets an exact gang start by an event of this one,
 * and nothing tells when. */
static int may_rest(sked_sim *sim, uint32_t node)
{
    if (skedi_places_wait(sim, node)) return 0;
    return (sim->opts.cost_look_ns == 0 && !sim_each(&sim->opts)) ||
           !skedi_probe_looks_again(sim->engine, (uint64_t)node + 1) ||
           skedi_sim_is_at_rest(sim);
}

static sked_status send_beat(sked_sim *sim, uint32_t node, sked_error *err)
{
    const sked_engine_stats *stats = skedi_probe_stats(sim->engine);
    uint64_t allocated = stats->allocated, looks = stats->asks_visited;
    sked_event event = {.kind = SKED_EVENT_HEARTBEAT,
                        .key = (uint64_t)node + 1};

    sim->result.heartbeats++;
    sked_status rc = skedi_sim_tell(sim, &event, 1, NULL, err);
    allocated = stats->allocated - allocated;
    int rests = may_rest(sim, node);
    if (allocated) {
        note_rate(sim);
        skedi_lane_note(sim, node);
    } else if (rests) {
        skedi_lane_rest(sim, node);
    }
    if (rc == SKED_OK && sim->n_kills) rc = skedi_round_end_killed(sim, err);
    spend(sim, allocated, stats->asks_visited - looks);
    return rc;
}

/* With no period: sends an event of every node that may decide something, and
 * another where kills or reservations made something possible. */
sked_status skedi_beat_all(sked_sim *sim, sked_error *err)
{
    sked_status rc = SKED_OK;
    uint32_t node = next_node(sim, 0);

    while (rc == SKED_OK && node != SIM_NONE) {
        uint64_t killed = sim->result.killed;
        rc = send_beat(sim, node, err);
        node = next_node(sim, node + (sim->result.killed == killed));
    }
    return rc;
}

/* Has each ask that may run find its node. */
static sked_status place_once(sked_sim *sim, sked_error *err)
{
    const sked_engine_stats *stats = skedi_probe_stats(sim->engine);
    uint64_t allocated = stats->allocated, looks = stats->asks_visited;
    const sked_engine_place_options how = {.struct_size = sizeof how,
                                           .mode = sim->opts.place};
    sked_status rc;

    do { /* stopped: again, once decisions are taken */
        rc = sked_engine_place(sim->engine, sim_service(sim), 0, &how, err);
        if (rc < 0) break;
        sked_status heard = skedi_sim_hear(sim);
        if (heard != SKED_OK) rc = heard;
    } while (rc == SKED_STOPPED);
    allocated = stats->allocated - allocated;
    if (allocated) note_rate(sim);
    if (rc == SKED_OK && sim->n_kills) rc = skedi_round_end_killed(sim, err);
    spend(sim, allocated, stats->asks_visited - looks);
    return rc;
}

sked_status skedi_beat_place(sked_sim *sim, sked_error *err)
{
    sked_status rc;
    uint64_t killed;

    do {
        killed = sim->result.killed;
        rc = place_once(sim, err);
    } while (rc == SKED_OK && sim->result.killed != killed);
    return rc;
}

/* One node event, after those before it. */
static sked_status one_beat(sked_sim *sim, sked_time cycle, uint32_t node,
                            sked_error *err)
{
    sked_time at = cycle + phase_of(sim, node);
    sked_status rc = skedi_measure_time(sim, at, err);

    skip_beats(sim, cycle, node);
    sim->now = at;
    skedi_round_pass(sim);
    if (rc == SKED_OK && sim->result.heartbeats % 1024 == 1023) {
        rc = skedi_hooks_check(&sim->hooks, sim->next_job, sim->n_jobs);
    }
    if (rc == SKED_OK) rc = send_beat(sim, node, err);
    if (++node == sim->n_nodes) {
        node = 0;
        cycle += sim->opts.heartbeat_ns;
    }
    sim->beat_at = cycle;
    sim->beat_node = node;
    return rc;
}

sked_status skedi_beat_until(sked_sim *sim, sked_time until, sked_error *err)
{
    sked_time cycle;
    uint32_t node;
    sked_status rc = SKED_OK;

    while (rc == SKED_OK && next_beat(sim, &cycle, &node)) {
        sked_time at = cycle + phase_of(sim, node);
        if (at >= until || at >= skedi_sim_next(sim)) break;
        rc = one_beat(sim, cycle, node, err);
    }
    return rc;
}
