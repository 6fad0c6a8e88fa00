/*
 * Node events in virtual time: one for each node in each period, spread
 * evenly; and what else happens at an instant of its own.
 *
 * An event that can decide nothing is counted and skipped. Rounds of
 * preemption come at even distances from the first submission on.
 * Reservations, start rates and delays expire while nothing else may happen.
 */
#include <sched/engine_place.h>

#include "engine/probe.h"
#include "sim/lane.h"
#include "sim/run.h"

/*
 * What is over by itself in virtual time, while nothing else may happen:
 * reservations of rounds of preemption, the seconds of start rates, and the time
 * for which a gang over nodes forms. Node events from then on may decide something
 * that those before could not.
 */

/* When a reservation is given up next. Only while tasks run: nothing else waits
 * for it. */
static sked_time sim_reservations_next(const sked_sim *sim)
{
    if (!sim->n_ends) return INT64_MAX;
    return skedi_i64_max(skedi_probe_reserved_until(sim->engine), sim->now);
}

/* When a queue that its start rate kept from starting may start again. Only
 * while asks are open. */
static sked_time sim_rates_next(const sked_sim *sim)
{
    sked_time at = skedi_probe_rates_until(sim->engine);

    if (at == INT64_MAX || skedi_probe_stats(sim->engine)->asks == 0) {
        return INT64_MAX;
    }
    return skedi_i64_max(at, sim->now);
}

/* When a gang has formed for as long as it may, or may form again. Only while
 * asks are open; and where nothing else is ahead, for so many turns of forming and
 * resting since something changed: what these did not decide, none does. */
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

/* When something is over next; has the engine see it then, before anything else
 * happens. INT64_MAX: nothing is that anything waits for. */
static sked_time sim_lapses_next(const sked_sim *sim)
{
    sked_time at = skedi_i64_min(sim_reservations_next(sim),
                                 sim_rates_next(sim));

    return skedi_i64_min(at, sim_forms_next(sim));
}

/* Do node events alone remain, of which none decided anything for two periods? */
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

/* Notes the nodes on which a round reserved something. */
static void sim_reserved_note(sked_sim *sim)
{
    uint64_t node;

    for (uint32_t at = 0; skedi_probe_reserved(sim->engine, &at, &node);) {
        skedi_marks_add(&sim->reserved, (uint32_t)node - 1);
    }
}

/* The first of them from `from` on; SIM_NONE. Its event may decide something, even
 * where nothing is on offer: an ask may start there by its reservation alone. A node
 * on which nothing is reserved any more may have something to do for others. */
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

/* When the next round may be; INT64_MAX while none can decide anything. Also while no task runs or no ask waits: a round moves the clocks of queues, and by these later ones decide. */
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

/* Rounds that may be now are over: node events come behind them. */
static void sim_round_pass(sked_sim *sim)
{
    sim->round_at = sim->now;
}

/* Ends the tasks that have a kill order, one after the other. */
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

/* When something happens next that is no node event, if anything does. */

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
 * Node events: every node sends one in each period, and the nodes' events are
 * spread evenly over it. Events that can decide nothing are counted and
 * skipped. The model of a busy host is here, too, since node events keep it
 * busy.
 */

enum { SIM_LOW_SECONDS = 60 };

/* A stretch without a start that is so long counts as one of low rate. */
static const int64_t low_after = SIM_LOW_SECONDS * INT64_C(1000000000);

/* When in its period a node sends its event. */
static int64_t sim_phase_of(const sked_sim *sim, uint32_t node)
{
    uint64_t rem;

    return (int64_t)skedi_muldiv((uint64_t)sim->opts.heartbeat_ns, node,
                                 sim->n_nodes, &rem);
}

/* a * b, or the largest amount if it is more. */
static int64_t sim_times_at_most(int64_t a, int64_t b)
{
    int64_t product;

    if (!skedi_i64_mul(a, b, &product)) return SKED_AMOUNT_MAX;
    return skedi_i64_min(product, SKED_AMOUNT_MAX);
}

/* `at` and so much later, but at most the largest time. */
static sked_time sim_after(sked_time at, int64_t by)
{
    return by > SKED_AMOUNT_MAX - at ? SKED_AMOUNT_MAX : at + by;
}

/*
 * The modelled host answers `n` node events which decide nothing, at even
 * distances from `first` to `last`. Either it keeps up with all of them, or it
 * is busy when each of them comes.
 */
static void sim_answer_beats(sked_sim *sim, int64_t n, sked_time first,
                             sked_time last)
{
    int64_t cost = sim_times_at_most(n, sim->opts.cost_event_ns);
    sked_time start = skedi_i64_max(first, sim->busy);

    sim->busy = skedi_i64_max(sim_after(start, cost),
                              sim_after(last, sim->opts.cost_event_ns));
}

/* Skips the node events from here up to, but without, that of `node` in
 * `cycle`.
 */
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

/* Goes on to the first node event that is not before `now`. */
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

/* May the event of any node decide something, or what others decide? While gangs
 * form each may change what is reserved for them; and where the host is late,
 * the second of a start rate, or a reservation, may be over before it gets to an
 * event. */
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
    uint32_t reserved = sim_reserved_next(sim, from); /* others may be free */
    uint32_t other = skedi_lanes_next(sim, from);
    return reserved < other ? reserved : other;
}

/* The next node event that may decide something: its time and its node. */
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

/* What the modelled host spends on a node event with so many tasks started
 * and applications looked at. */
static void sim_spend(sked_sim *sim, uint64_t tasks, uint64_t looks)
{
    int64_t by_tasks = sim_times_at_most((int64_t)tasks,
                                         sim->opts.cost_task_ns);
    int64_t by_looks = sim_times_at_most((int64_t)looks,
                                         sim->opts.cost_look_ns);

    sim->busy = sim_after(sim_service(sim), sim->opts.cost_event_ns);
    sim->busy = sim_after(sim_after(sim->busy, by_tasks), by_looks);
}

/* Something was started. Nothing else has changed since `changed`, so it could
 * have been started then: counts the time between, if it is long. */
static void sim_note_rate(sked_sim *sim)
{
    int64_t still = sim_service(sim) - sim->changed;

    if (still >= low_after) sim->result.low_rate += still;
    sim->changed = sim_service(sim);
}

/* Does nothing come of a node's next events, as of the last, and at no cost? What
 * becomes free on another node lets an exact gang start by an event of this one,
 * and nothing tells when. */
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

/* With no period: sends an event of every node that may decide something, and
 * another where kills or reservations made something possible. */
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

/* Has each ask that may run find its node. */
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

/* One node event, after those before it. */
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
