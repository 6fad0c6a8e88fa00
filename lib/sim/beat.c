/*
 * Node events in virtual time: each node sends an event in each period, and the
 * events are spread evenly. Other changes happen at instants of their own.
 *
 * An event that can decide nothing is counted and skipped. Rounds of preemption
 * come at even distances from the first submission on. Reservations, start
 * rates and delays expire even if no other event follows.
 */
#include <sched/engine_place.h>

#include "engine/probe.h"
#include "sim/lane.h"
#include "sim/run.h"

/*
 * Times at which a state expires in virtual time, even if no event follows:
 * reservations of preemption rounds, the seconds of start rates, and the time
 * for which a multi-node gang forms. After an expiry, node events may decide
 * something that earlier events could not.
 */

/* The next time at which a reservation expires. The time matters only while
 * tasks run. */
static sked_time sim_reservations_next(const sked_sim *sim)
{
    if (!sim->n_ends) return INT64_MAX;
    return skedi_i64_max(skedi_probe_reserved_until(sim->engine), sim->now);
}

/* The next time at which a queue at its start rate may start tasks again. The
 * time matters only while asks are open. */
static sked_time sim_rates_next(const sked_sim *sim)
{
    sked_time at = skedi_probe_rates_until(sim->engine);

    if (at == INT64_MAX || skedi_probe_stats(sim->engine)->asks == 0) {
        return INT64_MAX;
    }
    return skedi_i64_max(at, sim->now);
}

/* The next time at which a gang has formed for the full time, or may form
 * again. The time matters only while asks are open. If nothing else is ahead,
 * the run waits for a limited number of forming and resting turns after a
 * change; later turns decide nothing new. */
static sked_time sim_forms_next(const sked_sim *sim)
{
    enum { TURNS = 16 };
    if (!sim->form_for_ns || skedi_probe_stats(sim->engine)->asks == 0) {
        return INT64_MAX;
    }
    sked_time at = skedi_probe_forms_until(sim->engine, sim->formed);
    int64_t turn = (at - sim->changed) / TURNS / 2 - sim->opts.heartbeat_ns;
    if (turn > sim->form_for_ns && !skedi_sim_is_ahead(sim)) return INT64_MAX;
    return skedi_i64_max(at, sim->now);
}

/* The next expiry, of any kind. INT64_MAX: no expiry matters. */
static sked_time sim_lapses_next(const sked_sim *sim)
{
    sked_time at = skedi_i64_min(sim_reservations_next(sim),
                                 sim_rates_next(sim));

    return skedi_i64_min(at, sim_forms_next(sim));
}

/* True if only node events remain and none decided anything for two periods. */
static int sim_is_at_rest(const sked_sim *sim)
{
    return !skedi_sim_is_ahead(sim) && sim_lapses_next(sim) == INT64_MAX &&
           (sim_service(sim) - sim->changed) / 2 > sim->opts.heartbeat_ns;
}

sked_status skedi_lapses_now(sked_sim *sim, sked_error *err)
{
    sked_event event = {.kind = SKED_EVENT_TICK};

    if (sim->now != sim_lapses_next(sim)) return SKED_OK;
    if (sim->now == sim_forms_next(sim)) sim->formed = sim->now;
    return skedi_sim_tell(sim, &event, 1, NULL, err);
}

/* ---- Reservations ---- */

/* Notes the nodes with resources that a round reserved. */
static void sim_reserved_note(sked_sim *sim)
{
    uint64_t node;

    for (uint32_t at = 0; skedi_probe_reserved(sim->engine, &at, &node);) {
        skedi_marks_add(&sim->reserved, (uint32_t)node - 1);
    }
}

/* The first reserved node from `from` on; SIM_NONE: none. The node's event may
 * decide something even if the offer is empty, because the reservation alone
 * may let an ask start. A node without a reservation is noted again, because
 * the node may now serve other asks. */
static uint32_t sim_reserved_next(sked_sim *sim, uint32_t from)
{
    uint32_t node = from;

    if (from >= sim->n_nodes) return SIM_NONE;
    while ((node = skedi_marks_from(&sim->reserved, node)) != SKEDI_MARKS_END) {
        if (skedi_probe_is_reserved(sim->engine, (uint64_t)node + 1)) {
            return sim_is_at_rest(sim) ? SIM_NONE : node;
        }
        skedi_marks_drop(&sim->reserved, node);
        skedi_lane_note(sim, node);
    }
    return SIM_NONE;
}

/*
 * Rounds of preemption in virtual time, at even distances from the first
 * submission on. Simulated jobs do nothing about a notice; a task with a kill
 * order ends at once.
 */

enum { SIM_ROUND_SECONDS = 3 };

static int64_t sim_round_period(const sked_sim *sim)
{
    return sim->opts.round_every_ns ? sim->opts.round_every_ns
                                    : SIM_ROUND_SECONDS * INT64_C(1000000000);
}

/* The next possible time of a round; INT64_MAX while no round can decide
 * anything. Rounds continue while no task runs or no ask waits, because rounds
 * move the clocks of queues, and later rounds decide by those clocks. */
static sked_time sim_round_next(const sked_sim *sim)
{
    const sked_engine *e = sim->engine;

    if (!skedi_probe_round_is_due(e)) return INT64_MAX;
    if (!skedi_sim_is_ahead(sim) &&
        (skedi_probe_stats(e)->asks == 0 || sim_is_at_rest(sim))) {
        return INT64_MAX;
    }
    int64_t period = sim_round_period(sim);
    int64_t passed = skedi_i64_max(sim->now, sim->round_at + 1) - sim->base;
    int64_t rounds = passed / period + (passed % period > 0);
    return sim->base + rounds * period;
}

/* Marks the rounds up to now as past: node events follow rounds. */
static void sim_round_pass(sked_sim *sim)
{
    sim->round_at = sim->now;
}

/* Ends the tasks with a kill order, one after another. */
static sked_status sim_round_end_killed(sked_sim *sim, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (size_t i = 0; i < sim->n_kills && rc == SKED_OK; i++) {
        sked_event killed = {.kind = SKED_EVENT_TASK_KILLED,
                             .key = sim->kills[i].group,
                             .count = sim->kills[i].count};
        rc = skedi_sim_tell(sim, &killed, 1, NULL, err);
        sim->changed = sim_service(sim);
        skedi_lane_note(sim, sim->kills[i].node);
    }
    sim->n_kills = 0;
    return rc;
}

sked_status skedi_round_now(sked_sim *sim, sked_error *err)
{
    sked_event event = {.kind = SKED_EVENT_ROUND};
    int is_due = sim->now == sim_round_next(sim);

    sim_round_pass(sim); /* none follows the node events of this instant */
    if (!is_due) return SKED_OK;
    sim->result.rounds++;
    sked_status rc = skedi_sim_tell(sim, &event, 1, NULL, err);
    if (rc == SKED_OK) rc = sim_round_end_killed(sim, err);
    sim_reserved_note(sim);
    return rc;
}

/* The time of the next change that is no node event. */

sked_time skedi_sim_next(const sked_sim *sim)
{
    sked_time at = skedi_ends_next(sim);

    if (sim->next_job < sim->n_jobs) {
        at = skedi_i64_min(at, sim->jobs[sim->next_job].submit);
    }
    if (sim->next_change < sim->n_changes) {
        at = skedi_i64_min(at, sim->changes[sim->next_change].at);
    }
    at = skedi_i64_min(at, sim_lapses_next(sim));
    at = skedi_i64_min(at, sim->wake_at);
    return skedi_i64_min(at, sim_round_next(sim));
}

/*
 * Node events: every node sends one in each period, and the events are spread
 * evenly over the period. Events that can decide nothing are counted and
 * skipped. The model of a busy host is also here, because node events keep the
 * host busy.
 */

enum { SIM_LOW_SECONDS = 60 };

/* A stretch of this length without a start counts as low rate. */
static const int64_t low_after = SIM_LOW_SECONDS * INT64_C(1000000000);

/* The time in a period at which a node sends its event. */
static int64_t sim_phase_of(const sked_sim *sim, uint32_t node)
{
    uint64_t rem;

    return (int64_t)skedi_muldiv((uint64_t)sim->opts.heartbeat_ns, node,
                                 sim->n_nodes, &rem);
}

/* a * b, at most the largest amount. */
static int64_t sim_times_at_most(int64_t a, int64_t b)
{
    int64_t product;

    if (!skedi_i64_mul(a, b, &product)) return SKED_AMOUNT_MAX;
    return skedi_i64_min(product, SKED_AMOUNT_MAX);
}

/* at + by, at most the largest time. */
static sked_time sim_after(sked_time at, int64_t by)
{
    return by > SKED_AMOUNT_MAX - at ? SKED_AMOUNT_MAX : at + by;
}

/*
 * The modelled host answers `n` node events that decide nothing, at even
 * distances from `first` to `last`. The host either keeps up with all the
 * events, or is busy when each event comes.
 */
static void sim_answer_beats(sked_sim *sim, int64_t n, sked_time first,
                             sked_time last)
{
    int64_t cost = sim_times_at_most(n, sim->opts.cost_event_ns);
    sked_time start = skedi_i64_max(first, sim->busy);

    sim->busy = skedi_i64_max(sim_after(start, cost),
                              sim_after(last, sim->opts.cost_event_ns));
}

/* Skips the node events from here up to, and without, the event of `node` in
 * `cycle`. */
static void sim_skip_beats(sked_sim *sim, sked_time cycle, uint32_t node)
{
    int64_t cycles = (cycle - sim->beat_at) / sim->opts.heartbeat_ns;
    int64_t skipped = sim_times_at_most(cycles, sim->n_nodes) + node -
                      sim->beat_node;
    sked_time first = sim->beat_at + sim_phase_of(sim, sim->beat_node);
    sked_time last = node ? cycle + sim_phase_of(sim, node - 1)
                          : cycle - sim->opts.heartbeat_ns +
                                sim_phase_of(sim, sim->n_nodes - 1);

    sim->result.heartbeats_skipped += (uint64_t)skipped;
    if (skipped && sim->opts.cost_event_ns) {
        sim_answer_beats(sim, skipped, first, last);
    }
    sim->beat_at = cycle;
    sim->beat_node = node;
}

/* Goes on to the first node event at or after `now`. */
void skedi_beat_skip(sked_sim *sim)
{
    int64_t period = sim->opts.heartbeat_ns;
    sked_time cycle = sim->beat_at +
                      (sim->now - sim->beat_at) / period * period;
    uint32_t low = 0, high = sim->n_nodes;

    if (!sim->n_nodes) return;
    if (sim->beat_at + sim_phase_of(sim, sim->beat_node) >= sim->now) return;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (cycle + sim_phase_of(sim, mid) < sim->now)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == sim->n_nodes) {
        low = 0;
        cycle += period;
    }
    sim_skip_beats(sim, cycle, low);
}

/* True if the event of any node may decide something, or influence other
 * events. While gangs form, each event may change the gangs' reservations. If
 * the host is late, the second of a start rate, or a reservation, may expire
 * before the host handles an event. */
static int sim_any_may_decide(const sked_sim *sim)
{
    const sked_sim_options *o = &sim->opts;
    int late = (o->cost_event_ns | o->cost_task_ns | o->cost_look_ns) != 0;
    sked_time over = skedi_i64_min(skedi_probe_rates_until(sim->engine),
                                   skedi_probe_reserved_until(sim->engine));

    if (!sim->form_nodes && !(late && over < INT64_MAX)) return 0;
    return skedi_probe_stats(sim->engine)->asks > 0 && !sim_is_at_rest(sim);
}

/* The first node from `from` on that is up. */
static uint32_t sim_next_up(const sked_sim *sim, uint32_t from)
{
    while (from < sim->n_nodes && !sim->node_up[from]) from++;
    return from < sim->n_nodes ? from : SIM_NONE;
}

/* The first node from `from` on, in the order of adding, whose event may decide
 * something; SIM_NONE. */
static uint32_t sim_next_node(sked_sim *sim, uint32_t from)
{
    if (sim_any_may_decide(sim)) return sim_next_up(sim, from);
    uint32_t reserved = sim_reserved_next(sim, from); /* this call may free
                                                       * other nodes */
    uint32_t other = skedi_lanes_next(sim, from);
    return reserved < other ? reserved : other;
}

/* The time and the node of the next event that may decide something. */
static int sim_next_beat(sked_sim *sim, sked_time *at, uint32_t *node)
{
    *at = sim->beat_at;
    *node = sim_next_node(sim, sim->beat_node);
    if (*node == SIM_NONE) {
        *at += sim->opts.heartbeat_ns;
        *node = sim_next_node(sim, 0);
    }
    return *node != SIM_NONE;
}

/* Adds the time that the modelled host spends on a node event with `tasks`
 * started tasks and `looks` examined applications. */
static void sim_spend(sked_sim *sim, uint64_t tasks, uint64_t looks)
{
    int64_t by_tasks = sim_times_at_most((int64_t)tasks,
                                         sim->opts.cost_task_ns);
    int64_t by_looks = sim_times_at_most((int64_t)looks,
                                         sim->opts.cost_look_ns);

    sim->busy = sim_after(sim_service(sim), sim->opts.cost_event_ns);
    sim->busy = sim_after(sim_after(sim->busy, by_tasks), by_looks);
}

/* Notes a start. Since `changed` nothing else has changed, and the start was
 * possible then; the time between counts as low rate if the time is long. */
static void sim_note_rate(sked_sim *sim)
{
    int64_t still = sim_service(sim) - sim->changed;

    if (still >= low_after) sim->result.low_rate += still;
    sim->changed = sim_service(sim);
}

/* True if the node's next events, like the last, decide nothing at no cost.
 * An exact gang is different: resources that become free on another node may
 * let the gang start by an event of this node, and no signal announces the
 * moment. */
static int sim_may_rest(sked_sim *sim, uint32_t node)
{
    if (skedi_places_wait(sim, node)) return 0;
    return (sim->opts.cost_look_ns == 0 && !sim_each(&sim->opts)) ||
           !skedi_probe_looks_again(sim->engine, (uint64_t)node + 1) ||
           sim_is_at_rest(sim);
}

static sked_status sim_send_beat(sked_sim *sim, uint32_t node, sked_error *err)
{
    const sked_engine_stats *stats = skedi_probe_stats(sim->engine);
    uint64_t allocated = stats->allocated, looks = stats->asks_visited;
    sked_event event = {.kind = SKED_EVENT_HEARTBEAT,
                        .key = (uint64_t)node + 1};

    sim->result.heartbeats++;
    sked_status rc = skedi_sim_tell(sim, &event, 1, NULL, err);
    allocated = stats->allocated - allocated;
    int rests = sim_may_rest(sim, node);
    if (allocated) {
        sim_note_rate(sim);
        skedi_lane_note(sim, node);
    } else if (rests) {
        skedi_lane_rest(sim, node);
    }
    if (rc == SKED_OK && sim->n_kills) rc = sim_round_end_killed(sim, err);
    sim_spend(sim, allocated, stats->asks_visited - looks);
    return rc;
}

/* Without a period: sends an event of every node that may decide something, and
 * a second event if kills or reservations gave the node new possibilities. */
sked_status skedi_beat_all(sked_sim *sim, sked_error *err)
{
    sked_status rc = SKED_OK;
    uint32_t node = sim_next_node(sim, 0);

    while (rc == SKED_OK && node != SIM_NONE) {
        uint64_t killed = sim->result.killed;
        rc = sim_send_beat(sim, node, err);
        node = sim_next_node(sim, node + (sim->result.killed == killed));
    }
    return rc;
}

/* Lets each ask that can run find its node. */
static sked_status sim_place_once(sked_sim *sim, sked_error *err)
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
    if (allocated) sim_note_rate(sim);
    if (rc == SKED_OK && sim->n_kills) rc = sim_round_end_killed(sim, err);
    sim_spend(sim, allocated, stats->asks_visited - looks);
    return rc;
}

sked_status skedi_beat_place(sked_sim *sim, sked_error *err)
{
    sked_status rc;
    uint64_t killed;

    do {
        killed = sim->result.killed;
        rc = sim_place_once(sim, err);
    } while (rc == SKED_OK && sim->result.killed != killed);
    return rc;
}

/* Sends a node's event, after all earlier events. */
static sked_status sim_one_beat(sked_sim *sim, sked_time cycle, uint32_t node,
                                sked_error *err)
{
    sked_time at = cycle + sim_phase_of(sim, node);
    sked_status rc = skedi_measure_time(sim, at, err);

    sim_skip_beats(sim, cycle, node);
    sim->now = at;
    sim_round_pass(sim);
    if (rc == SKED_OK && sim->result.heartbeats % 1024 == 1023) {
        rc = skedi_hooks_check(&sim->hooks, sim->next_job, sim->n_jobs);
    }
    if (rc == SKED_OK) rc = sim_send_beat(sim, node, err);
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

    while (rc == SKED_OK && sim_next_beat(sim, &cycle, &node)) {
        sked_time at = cycle + sim_phase_of(sim, node);
        if (at >= until || at >= skedi_sim_next(sim)) break;
        rc = sim_one_beat(sim, cycle, node, err);
    }
    return rc;
}
