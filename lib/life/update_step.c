/*
 * One step of an update: which rows are done or have failed by now, whether the
 * update ends, and which rows get an order next.
 *
 * Why every update ends: a row gets at most one order in each direction, and a
 * row with an order is done or has failed some day. When no row is in progress
 * and none can get an order, the SLA keeps the rest; then either instances are
 * down that other parts of the host stopped, and these come back, or the update
 * has failed (is_stuck): by failed rows, or by the order of zones.
 */
#include "life/update_turn.h"

/* ---- Orders ---- */

static void give_order(life_turn *t, uint64_t i, uint32_t kind, uint32_t phase)
{
    life_row *row = &t->u->rows[i];
    uint64_t version = kind == SKED_LIFE_ORDER_DROP
                           ? 0
                           : skedi_life_target(t->u, row);

    t->orders[t->n++] = (sked_life_order){kind, (uint32_t)i, version};
    row->kind = (uint8_t)kind;
    row->phase = (uint8_t)phase;
    row->since = t->now;
    row->unsure = 0;
}

static void give_drops(life_turn *t)
{
    for (uint64_t i = 0; i < t->u->n && t->n < t->cap; i++) {
        life_row *row = &t->u->rows[i];
        if (!row->owed) continue;
        row->owed = 0;
        give_order(t, i, SKED_LIFE_ORDER_DROP,
                   row->phase == SKED_LIFE_PHASE_BESIDE ? SKED_LIFE_PHASE_FAILED
                                                        : row->phase);
    }
}

/* The SLA that is kept: on the way back no more than there was before. */
static sked_life_sla promise(const sked_life_update *u)
{
    sked_life_sla sla = u->sla;
    uint64_t had = 0;

    for (uint64_t i = 0; u->backward && i < u->n; i++) {
        had += u->rows[i].from != 0;
    }
    if (u->backward && had < sla.least_running) {
        sla.least_running = (uint32_t)had;
    }
    return sla;
}

/* May this row go down now? Says so in `blocked` if not. */
static int may_go_down(life_turn *t, const sked_life_sla *sla,
                       const life_row *row, const sked_life_instance *i)
{
    uint64_t down = skedi_life_stays(row) ? t->down : 0;

    if (!skedi_life_is_up(row, i)) return 1;
    if (!skedi_life_spare(sla, t->up, down)) {
        t->blocked = 1;
        return 0;
    }
    t->up--;
    t->down += (uint64_t)skedi_life_stays(row);
    return 1;
}

/* The pass in which a waiting row may get its order: added, changed (by its
 * state), removed. */
enum { LIFE_ADDED, LIFE_DOWN, LIFE_KILLED, LIFE_ODD, LIFE_UP, LIFE_REMOVED };

static int pass_of(const sked_life_update *u, const life_row *row,
                   const sked_life_instance *i)
{
    static const uint8_t passes[] = {LIFE_ODD, LIFE_UP, LIFE_DOWN, LIFE_KILLED};

    if (!skedi_life_target(u, row)) return LIFE_REMOVED;
    if (!skedi_life_stays(row)) return LIFE_ADDED;
    return passes[sked_life_availability_of(i)];
}

static void tell_row(life_turn *t, const sked_life_sla *sla, uint64_t i,
                     int pass)
{
    life_row *row = &t->u->rows[i];
    uint32_t overlap = t->u->o.overlap;

    if (pass == LIFE_ADDED) {
        give_order(t, i, SKED_LIFE_ORDER_ADD, SKED_LIFE_PHASE_TOLD);
    } else if (pass == LIFE_REMOVED) {
        if (!may_go_down(t, sla, row, &t->is[i])) return;
        give_order(t, i, SKED_LIFE_ORDER_REMOVE, SKED_LIFE_PHASE_TOLD);
    } else if (overlap && skedi_life_is_up(row, &t->is[i])) {
        if (t->beside >= overlap) return;
        t->beside++;
        t->coming++;
        give_order(t, i, SKED_LIFE_ORDER_BESIDE, SKED_LIFE_PHASE_BESIDE);
    } else {
        if (!may_go_down(t, sla, row, &t->is[i])) return;
        give_order(t, i, SKED_LIFE_ORDER_CHANGE, SKED_LIFE_PHASE_TOLD);
    }
    t->u->told++;
    t->progress++;
    t->waiting--;
}

/* May one more row be told? */
static int has_slot(const life_turn *t)
{
    const sked_life_update_options *o = &t->u->o;
    int canary = o->canary && !t->u->backward && !t->u->watched;

    return t->n < t->cap && (!o->batch || t->progress < o->batch) &&
           (!canary || t->u->told < o->canary);
}

/* Zone by zone; but on the way back what is down is put right at once. */
static int has_turn(const life_turn *t, const life_row *row,
                    const sked_life_instance *i)
{
    return row->zone == t->zone ||
           (t->u->backward && !skedi_life_is_up(row, i));
}

static void tell_more(life_turn *t)
{
    int by_zone = (t->u->o.flags & SKED_LIFE_UPDATE_FLAG_ZONES) != 0;
    sked_life_sla sla = promise(t->u);

    for (int pass = LIFE_ADDED; pass <= LIFE_REMOVED; pass++) {
        for (uint64_t i = 0; i < t->u->n && has_slot(t); i++) {
            life_row *row = &t->u->rows[i];
            if (row->phase != SKED_LIFE_PHASE_WAITING) continue;
            if (row->kind == SKED_LIFE_ORDER_SWITCH && t->is[i].beside) {
                continue; /* which goes on: only then may it turn back */
            }
            if (by_zone && !has_turn(t, row, &t->is[i])) continue;
            if (pass_of(t->u, row, &t->is[i]) != pass) continue;
            tell_row(t, &sla, i, pass);
        }
    }
}

/* Those beside take over that are up. */
static void switch_over(life_turn *t)
{
    for (uint64_t i = 0; i < t->u->n && t->n < t->cap; i++) {
        if (t->u->rows[i].phase != SKED_LIFE_PHASE_BESIDE) continue;
        if (t->is[i].beside != SKED_LIFE_BESIDE_UP) continue;
        give_order(t, i, SKED_LIFE_ORDER_SWITCH, SKED_LIFE_PHASE_SWITCHED);
    }
}

/* Tells what may be told: those beside take over one by one, or all together
 * once no other is coming and none was begun with now. */
static void tell_all(life_turn *t)
{
    int together = (t->u->o.flags & SKED_LIFE_UPDATE_FLAG_TOGETHER) != 0;

    if (!together) switch_over(t);
    tell_more(t);
    if (together && !t->coming) switch_over(t);
}

/* ---- The course of it ---- */

/* Nothing is in progress, the SLA keeps the rest, and that will not change by
 * itself: nothing is down that others took, or without the failed ones there
 * would be a way. */
static int is_stuck(const life_turn *t)
{
    sked_life_sla sla = promise(t->u);

    if (t->progress || !t->blocked) return 0;
    return !t->away || (t->lost && skedi_life_spare(&sla, t->up + t->lost,
                                                    t->down - t->stays) > 0);
}

static void turn_back(sked_life_update *u, sked_time now)
{
    u->backward = 1;
    for (uint64_t i = 0; i < u->n; i++) {
        life_row *row = &u->rows[i];
        int beside = row->kind == SKED_LIFE_ORDER_BESIDE ||
                     row->kind == SKED_LIFE_ORDER_DROP;
        if (!row->kind) {
            row->phase = SKED_LIFE_PHASE_UNTOUCHED;
        } else if (beside) { /* and it has not taken over */
            row->phase = SKED_LIFE_PHASE_DROPPING;
            row->owed = row->kind != SKED_LIFE_ORDER_DROP; /* told before */
            row->since = now;
        } else {
            row->unsure = row->phase == SKED_LIFE_PHASE_TOLD;
            row->phase = SKED_LIFE_PHASE_WAITING;
        }
    }
}

/* Is a row without the version that it had, though the way back is gone? */
static int is_left_behind(const sked_life_update *u)
{
    for (uint64_t i = 0; i < u->n; i++) {
        uint32_t kind = u->rows[i].kind;
        if (u->rows[i].phase == SKED_LIFE_PHASE_FAILED &&
            kind != SKED_LIFE_ORDER_ADD && kind != SKED_LIFE_ORDER_CHANGE) {
            return 1;
        }
    }
    return 0;
}

static void give_up(life_turn *t, uint32_t why)
{
    sked_life_update *u = t->u;

    if (!u->backward && u->o.flags & SKED_LIFE_UPDATE_FLAG_ROLLBACK) {
        skedi_life_update_move(u, SKED_LIFE_EVENT_ROLL_BACK, why);
        turn_back(u, t->now);
        return;
    }
    skedi_life_update_move(u, SKED_LIFE_EVENT_TOO_MANY, why);
    skedi_life_owe_drops(u);
}

/* The canaries are told and done: are they to be watched, or is that over? 1:
 * no other may be told yet. */
static int watch_canaries(life_turn *t)
{
    sked_life_update *u = t->u;

    if (!u->o.canary || u->backward || u->watched) return 0;
    if (u->told < u->o.canary || t->progress) {
        u->calm = INT64_MAX;
        return 0;
    }
    if (!u->o.canary_ns) {
        u->watched = 1;
        skedi_life_update_move(u, SKED_LIFE_EVENT_PAUSE, SKED_LIFE_WHY_CANARY);
        return 1;
    }
    if (u->calm == INT64_MAX) u->calm = t->now;
    u->watched = skedi_life_later(u->calm, u->o.canary_ns) <= t->now;
    u->why = u->watched ? SKED_LIFE_WHY_NONE : SKED_LIFE_WHY_CANARY;
    return !u->watched;
}

/* 1: something changed that the rows are to be looked at for again. */
static int roll(life_turn *t)
{
    sked_life_update *u = t->u;

    skedi_life_look(t);
    give_drops(t);
    if (u->o.max_failures && t->failed >= u->o.max_failures) {
        give_up(t, SKED_LIFE_WHY_FAILURES);
        return 1;
    }
    if (!t->waiting && !t->progress) {
        if (u->backward && is_left_behind(u)) {
            skedi_life_update_move(u, SKED_LIFE_EVENT_TOO_MANY, u->why);
            return 0;
        }
        skedi_life_update_move(u, SKED_LIFE_EVENT_DONE,
                               u->backward ? u->why : SKED_LIFE_WHY_NONE);
        return 0;
    }
    if (watch_canaries(t)) return 0;
    size_t before = t->n;
    tell_all(t);
    if (is_stuck(t)) {
        give_up(t, SKED_LIFE_WHY_STUCK);
        return 1;
    }
    if (!u->backward && u->why != SKED_LIFE_WHY_CANARY) {
        u->why = t->blocked && t->n == before ? SKED_LIFE_WHY_SLA
                                              : SKED_LIFE_WHY_NONE;
    }
    return 0;
}

static sked_status step_in(const sked_life_update *u,
                           const sked_life_instance *instances, size_t n,
                           sked_error *err)
{
    if (n != u->n) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "not as many as the update has",
            (skedi_fault){.got = (int64_t)n, .limit = (int64_t)u->n});
    }
    for (size_t i = 0; i < n; i++) {
        sked_status rc = skedi_life_instance_in(&instances[i], (int64_t)i + 1,
                                                err);
        if (rc != SKED_OK) return rc;
    }
    return SKED_OK;
}

sked_status sked_life_update_step(sked_life_update *update,
                                  const sked_life_instance *instances, size_t n,
                                  sked_time now, sked_life_order *orders,
                                  size_t cap, size_t *n_orders, sked_error *err)
{
    sked_life_update *u = update;

    const char *missing = !u               ? "update"
                          : !instances     ? "instances"
                          : !n_orders      ? "n_orders"
                          : cap && !orders ? "orders"
                                           : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = step_in(u, instances, n, err);
    if (rc != SKED_OK) return rc;
    life_turn t = {
        .u = u, .is = instances, .now = now, .orders = orders, .cap = cap};
    if (u->at.state == SKED_LIFE_UPDATE_STATE_INITIALIZED) {
        skedi_life_update_move(u, SKED_LIFE_EVENT_START, SKED_LIFE_WHY_NONE);
    }
    if (u->at.state == SKED_LIFE_UPDATE_STATE_PAUSED) {
        skedi_life_look(&t);
    } else if (!skedi_life_is_over(u)) {
        while (roll(&t)) {
            if (skedi_life_is_over(u)) break;
        }
    }
    give_drops(&t);
    *n_orders = t.n;
    return SKED_OK;
}
