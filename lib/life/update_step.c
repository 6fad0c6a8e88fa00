/*
 * One step of an update: how the rows are by now, whether that is the end, and
 * which rows are told next.
 *
 * Why it ends: a row is told at most once in each direction, and what is told is
 * done or has failed in the end. When no row is in progress and none can be told,
 * the SLA keeps the rest; then either instances are down that others took, which
 * come back, or the update has failed (is_stuck).
 */
#include "life/update.h"

/* What a step knows. */
typedef struct life_turn {
    sked_life_update *u;
    const sked_life_instance *is;
    sked_time now;
    sked_life_order *orders;
    size_t cap;
    size_t n;          /* orders so far */
    uint64_t up;       /* rows that are available */
    uint64_t down;     /* of those that stay: which are not */
    uint64_t progress; /* rows told */
    uint64_t beside;   /* of them, those with one beside */
    uint64_t coming;   /* which is not up yet */
    uint64_t waiting;
    uint64_t failed;
    uint64_t lost;  /* failed rows that are not available, */
    uint64_t stays; /* of them, those that stay */
    uint64_t away;  /* others that should be up and are not */
    uint32_t zone;  /* in turn */
    int blocked;    /* the SLA kept one from being told */
} life_turn;

/* ---- How a row is ---- */

/* Does it run what it is to run, and well? Or has it ended as it should? */
static int has_come(const sked_life_instance *i, uint64_t target)
{
    int runs = i->state == SKED_LIFE_TASK_RUNNING && i->version == target &&
               i->run == i->desired_run &&
               (i->health == SKED_LIFE_HEALTH_DISABLED ||
                i->health == SKED_LIFE_HEALTH_HEALTHY);

    return i->desired == target && (runs || (skedi_life_has_ended(i->state) &&
                                             skedi_life_has_ended(i->goal)));
}

uint32_t sked_life_update_judge(const sked_life_instance *instance,
                                uint64_t target, uint32_t max_attempts)
{
    const sked_life_instance *i = instance;

    if (!i) return SKED_LIFE_PHASE_UNTOUCHED;
    if (has_come(i, target)) return SKED_LIFE_PHASE_DONE;
    return max_attempts && i->desired == target && i->failures >= max_attempts
               ? SKED_LIFE_PHASE_FAILED
               : SKED_LIFE_PHASE_TOLD;
}

static int is_late(const life_turn *t, const life_row *row)
{
    int64_t within = t->u->o.within_ns;

    return within && skedi_life_later(row->since, within) <= t->now;
}

/* One that was told and has nothing beside it. */
static uint32_t judge_told(const life_turn *t, const life_row *row,
                           const sked_life_instance *i)
{
    uint64_t target = skedi_life_target(t->u, row);

    if (target) {
        return sked_life_update_judge(i, target, t->u->o.max_attempts);
    }
    return !i->state || skedi_life_has_ended(i->state) ? SKED_LIFE_PHASE_DONE
                                                       : SKED_LIFE_PHASE_TOLD;
}

/* The phase by how the instance is now. */
static uint32_t judge_row(const life_turn *t, const life_row *row,
                          const sked_life_instance *i)
{
    uint32_t phase = row->phase;
    int late = is_late(t, row);

    if (phase == SKED_LIFE_PHASE_BESIDE) {
        if (i->beside == SKED_LIFE_BESIDE_FAILED) return SKED_LIFE_PHASE_FAILED;
        if (i->beside == SKED_LIFE_BESIDE_UP) return phase;
    } else if (phase == SKED_LIFE_PHASE_DROPPING) {
        if (!i->beside) return SKED_LIFE_PHASE_DONE;
    } else if (phase == SKED_LIFE_PHASE_DONE) {
        /* It was well, and is so no more. */
        if (row->kind == SKED_LIFE_ORDER_DROP) return phase;
        uint32_t now = judge_told(t, row, i);
        return now == SKED_LIFE_PHASE_FAILED ? now : phase;
    } else if (skedi_life_is_progress(phase)) {
        uint32_t now = judge_told(t, row, i);
        if (now != SKED_LIFE_PHASE_TOLD) return now;
    } else {
        return phase;
    }
    return late ? (uint32_t)SKED_LIFE_PHASE_FAILED : phase;
}

/* What was told counts as down until it is done, whatever is known of it. */
static int is_up(const life_row *row, const sked_life_instance *i)
{
    int here = !i->told &&
               sked_life_availability_of(i) == SKED_LIFE_IS_AVAILABLE;

    if (row->phase == SKED_LIFE_PHASE_TOLD) return 0;
    if (row->phase == SKED_LIFE_PHASE_BESIDE ||
        row->kind == SKED_LIFE_ORDER_SWITCH) {
        return here || i->beside == SKED_LIFE_BESIDE_UP;
    }
    return here;
}

static int row_stays(const life_row *row)
{
    return row->from && row->to;
}

static int is_wanted(const sked_life_instance *i)
{
    return i->goal != SKED_LIFE_TASK_KILLED &&
           i->goal != SKED_LIFE_TASK_DELETED;
}

/* ---- How all rows are ---- */

static void count_down(life_turn *t, const life_row *row,
                       const sked_life_instance *i)
{
    int stays = row_stays(row) && is_wanted(i);

    if (stays) t->down++;
    if (row->phase == SKED_LIFE_PHASE_FAILED) {
        t->lost++;
        if (stays) t->stays++;
    } else if (stays && !skedi_life_is_progress(row->phase)) {
        t->away++;
    }
}

static void count_row(life_turn *t, const life_row *row,
                      const sked_life_instance *i)
{
    int progress = skedi_life_is_progress(row->phase);

    if (is_up(row, i))
        t->up++;
    else
        count_down(t, row, i);
    t->progress += (uint64_t)progress;
    t->failed += row->phase == SKED_LIFE_PHASE_FAILED;
    t->waiting += row->phase == SKED_LIFE_PHASE_WAITING;
    if (row->phase == SKED_LIFE_PHASE_BESIDE) {
        t->beside++;
        t->coming += i->beside != SKED_LIFE_BESIDE_UP;
    }
    if ((progress || row->phase == SKED_LIFE_PHASE_WAITING) &&
        row->zone < t->zone) {
        t->zone = row->zone;
    }
}

static void look_at_rows(life_turn *t)
{
    t->up = t->down = t->progress = t->beside = t->coming = t->waiting = 0;
    t->failed = t->lost = t->stays = t->away = 0;
    t->zone = UINT32_MAX;
    t->blocked = 0;
    for (uint64_t i = 0; i < t->u->n; i++) {
        life_row *row = &t->u->rows[i];
        uint32_t phase = judge_row(t, row, &t->is[i]);
        if (phase == SKED_LIFE_PHASE_FAILED &&
            row->phase == SKED_LIFE_PHASE_BESIDE) {
            row->owed = 1;
        }
        if (phase == SKED_LIFE_PHASE_DONE) row->owed = 0; /* it is gone */
        row->phase = (uint8_t)phase;
        count_row(t, row, &t->is[i]);
    }
}

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

/* The promise to keep: on the way back not more than there was. */
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
    uint64_t down = row_stays(row) ? t->down : 0;

    if (!is_up(row, i)) return 1;
    if (!skedi_life_spare(sla, t->up, down)) {
        t->blocked = 1;
        return 0;
    }
    t->up--;
    t->down += (uint64_t)row_stays(row);
    return 1;
}

/* In which pass a row that waits has its turn: added, changed by how it is,
 * removed. */
enum { LIFE_ADDED, LIFE_DOWN, LIFE_KILLED, LIFE_ODD, LIFE_UP, LIFE_REMOVED };

static int pass_of(const sked_life_update *u, const life_row *row,
                   const sked_life_instance *i)
{
    static const uint8_t passes[] = {LIFE_ODD, LIFE_UP, LIFE_DOWN, LIFE_KILLED};

    if (!skedi_life_target(u, row)) return LIFE_REMOVED;
    if (!row_stays(row)) return LIFE_ADDED;
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
    } else if (overlap && is_up(row, &t->is[i])) {
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
    return row->zone == t->zone || (t->u->backward && !is_up(row, i));
}

static void tell_more(life_turn *t)
{
    int by_zone = (t->u->o.flags & SKED_LIFE_WITH_ZONES) != 0;
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
    int together = (t->u->o.flags & SKED_LIFE_WITH_TOGETHER) != 0;

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

    if (!u->backward && u->o.flags & SKED_LIFE_WITH_ROLLBACK) {
        skedi_life_update_move(u, SKED_LIFE_ON_ROLL_BACK, why);
        turn_back(u, t->now);
        return;
    }
    skedi_life_update_move(u, SKED_LIFE_ON_TOO_MANY, why);
    skedi_life_owe_drops(u);
}

/* The canaries are told and done: are they to be watched, or is that over? 1: no
 * other may be told yet. */
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
        skedi_life_update_move(u, SKED_LIFE_ON_PAUSE, SKED_LIFE_WHY_CANARY);
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

    look_at_rows(t);
    give_drops(t);
    if (u->o.max_failures && t->failed >= u->o.max_failures) {
        give_up(t, SKED_LIFE_WHY_FAILURES);
        return 1;
    }
    if (!t->waiting && !t->progress) {
        if (u->backward && is_left_behind(u)) {
            skedi_life_update_move(u, SKED_LIFE_ON_TOO_MANY, u->why);
            return 0;
        }
        skedi_life_update_move(u, SKED_LIFE_ON_DONE,
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

    if (!u || !instances || !n_orders || (!orders && cap)) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "a pointer is NULL");
    }
    sked_status rc = step_in(u, instances, n, err);
    if (rc != SKED_OK) return rc;
    life_turn t = {
        .u = u, .is = instances, .now = now, .orders = orders, .cap = cap};
    if (u->at.state == SKED_LIFE_UPDATE_INITIALIZED) {
        skedi_life_update_move(u, SKED_LIFE_ON_START, SKED_LIFE_WHY_NONE);
    }
    if (u->at.state == SKED_LIFE_UPDATE_PAUSED) {
        look_at_rows(&t);
    } else if (!skedi_life_is_over(u)) {
        while (roll(&t)) {
            if (skedi_life_is_over(u)) break;
        }
    }
    give_drops(&t);
    *n_orders = t.n;
    return SKED_OK;
}
