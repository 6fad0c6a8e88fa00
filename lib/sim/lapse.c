/*
 * What is over by itself in virtual time, while nothing else may happen:
 * reservations of rounds of preemption, the seconds of start rates, and the time
 * for which a gang over nodes forms. Node events from then on may decide something
 * that those before could not.
 */
#include "engine/probe.h"
#include "sim/lane.h"
#include "sim/run.h"

/* When a reservation is given up next. Only while tasks run: nothing else waits
 * for it. */
static sked_time reservations_next(const sked_sim *sim)
{
    if (!sim->n_ends) return INT64_MAX;
    return skedi_i64_max(skedi_probe_reserved_until(sim->engine), sim->now);
}

/* When a queue that its start rate kept from starting may start again. Only
 * while asks are open. */
static sked_time rates_next(const sked_sim *sim)
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
static sked_time forms_next(const sked_sim *sim)
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

sked_time skedi_lapses_next(const sked_sim *sim)
{
    sked_time at = skedi_i64_min(reservations_next(sim), rates_next(sim));

    return skedi_i64_min(at, forms_next(sim));
}

int skedi_sim_is_at_rest(const sked_sim *sim)
{
    return !skedi_sim_is_ahead(sim) && skedi_lapses_next(sim) == INT64_MAX &&
           (sim_service(sim) - sim->changed) / 2 > sim->opts.heartbeat_ns;
}

sked_status skedi_lapses_now(sked_sim *sim, sked_error *err)
{
    sked_event event = {.kind = SKED_EVENT_TICK};

    if (sim->now != skedi_lapses_next(sim)) return SKED_OK;
    if (sim->now == forms_next(sim)) sim->formed = sim->now;
    return skedi_sim_tell(sim, &event, 1, NULL, err);
}

/* ---- Reservations ---- */

void skedi_reserved_note(sked_sim *sim)
{
    uint64_t node;

    for (uint32_t at = 0; skedi_probe_reserved(sim->engine, &at, &node);) {
        skedi_marks_add(&sim->reserved, (uint32_t)node - 1);
    }
}

uint32_t skedi_reserved_next(sked_sim *sim, uint32_t from)
{
    uint32_t node = from;

    if (from >= sim->n_nodes) return SIM_NONE;
    while ((node = skedi_marks_from(&sim->reserved, node)) != SKEDI_MARKS_END) {
        if (skedi_probe_is_reserved(sim->engine, (uint64_t)node + 1)) {
            return skedi_sim_is_at_rest(sim) ? SIM_NONE : node;
        }
        skedi_marks_drop(&sim->reserved, node);
        skedi_lane_note(sim, node);
    }
    return SIM_NONE;
}
