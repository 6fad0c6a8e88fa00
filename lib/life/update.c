/* Updates of a job: creation, reports of hosts, reads, the next step, the state
 * as bytes. */
#include "life/update.h"

#include <string.h>

#include "base/hash.h"
#include "base/versioned.h"

/* The data of one step, and the counts over all rows. */
typedef struct life_turn {
    sked_life_update *u;
    const sked_life_instance *is;
    sked_time now;
    sked_life_order *orders;
    size_t cap;
    size_t n;          /* orders written in this step */
    uint64_t up;       /* available rows */
    uint64_t down;     /* unavailable rows that stay */
    uint64_t progress; /* rows told */
    uint64_t beside;   /* rows in progress with a task beside */
    uint64_t coming;   /* tasks beside that are not up yet */
    uint64_t waiting;
    uint64_t failed;
    uint64_t lost;  /* failed rows that are not available */
    uint64_t stays; /* lost rows that stay */
    uint64_t away;  /* other rows that stay and are not available */
    uint32_t zone;  /* zone in turn */
    int blocked;    /* the SLA blocked an order */
} life_turn;

/* True if the row has a version before and after the update. */
static inline int skedi_life_stays(const life_row *row)
{
    return row->from && row->to;
}

static void life_update_move(sked_life_update *u, uint32_t event, uint32_t why);

/* Judges the rows of an update: each row alone, then all rows together. */

/* True if the instance runs the target version and is healthy, or has ended and
 * its goal is to end. */
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

/* Judges a row that has an order and no task beside. */
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
        /* A task may be starting by the previous order until the drop is
         * told. */
        if (!i->beside && !row->owed) return SKED_LIFE_PHASE_DONE;
    } else if (phase == SKED_LIFE_PHASE_DONE) {
        /* The row was done; only a failure changes that now. */
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

/* True if the instance is available. A row with an order counts as down until
 * the row is done, whatever the instance reports. */
static int life_is_up(const life_row *row, const sked_life_instance *i)
{
    int here = !i->told &&
               sked_life_availability_of(i) == SKED_LIFE_AVAILABILITY_AVAILABLE;

    if (row->phase == SKED_LIFE_PHASE_TOLD || row->unsure) return 0;
    if (row->phase == SKED_LIFE_PHASE_BESIDE ||
        row->kind == SKED_LIFE_ORDER_SWITCH) {
        return here || i->beside == SKED_LIFE_BESIDE_UP;
    }
    return here;
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
    int stays = skedi_life_stays(row) && is_wanted(i);

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

    if (life_is_up(row, i))
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

/* Judges every row by its instance, and counts rows. */
static void life_look(life_turn *t)
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
        row->phase = (uint8_t)phase;
        count_row(t, row, &t->is[i]);
    }
}

SKEDI_NO_TAIL_PADDING(sked_life_update_options, within_ns);
SKEDI_NO_TAIL_PADDING(sked_life_update_stats, reserved);
_Static_assert(sizeof(sked_life_order) == 16, "frozen");

enum {
    LIFE_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_life_update_input, n),
    LIFE_UPDATE_V1 = SKEDI_SIZE_THROUGH(sked_life_update_options, within_ns),
    LIFE_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_life_update_stats, reserved),
    LIFE_UPDATE_FLAGS = SKED_LIFE_UPDATE_FLAG_ROLLBACK |
                        SKED_LIFE_UPDATE_FLAG_PAUSE |
                        SKED_LIFE_UPDATE_FLAG_ZONES |
                        SKED_LIFE_UPDATE_FLAG_TOGETHER
};

/* ---- Made ---- */

/* Options and input in order: SKED_OK, _ARG, _RANGE or _VERSION. */
static sked_status life_update_in(sked_life_update *u,
                                  const sked_life_update_options *options,
                                  sked_error *err)
{
    sked_life_update_options *o = &u->o;

    if (skedi_struct_in(o, sizeof *o, options, LIFE_UPDATE_V1)) {
        return skedi_fail_version(err, "options");
    }
    if (o->reserved) return skedi_fail_reserved(err, "options");
    if (o->flags & ~(uint32_t)LIFE_UPDATE_FLAGS || o->canary_ns < 0 ||
        o->within_ns < 0) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such update can be");
    }
    sked_status rc = skedi_life_sla_in(&u->sla, o->sla, err);
    o->sla = &u->sla;
    return rc;
}

/* Creates an update of `n` zeroed rows. */
static sked_status life_update_make(const sked_host *host, uint64_t n,
                                    sked_life_update **update, sked_error *err)
{
    skedi_hooks hooks;
    sked_status rc = skedi_hooks_in(&hooks, host, err);

    if (rc != SKED_OK) return rc;
    sked_life_update *u = skedi_new(&hooks.mem, 1, sizeof *u);
    life_row *rows = u ? skedi_new(&hooks.mem, (size_t)n, sizeof *rows) : NULL;
    if (!rows) {
        skedi_free(&hooks.mem, u, 1, sizeof *u);
        return skedi_fail_memory(err);
    }
    u->hooks = hooks;
    u->rows = rows;
    u->n = n;
    *update = u;
    return SKED_OK;
}

void sked_life_update_free(sked_life_update *update)
{
    if (!update) return;
    skedi_hooks last = update->hooks;

    skedi_free(&last.mem, update->rows, (size_t)update->n,
               sizeof *update->rows);
    skedi_free(&last.mem, update, 1, sizeof *update);
    skedi_hooks_done(last.host);
}

static sked_status take_rows(sked_life_update *u,
                             const sked_life_update_input *in, sked_error *err)
{
    for (uint64_t i = 0; i < u->n; i++) {
        life_row *row = &u->rows[i];
        row->from = in->from[i];
        row->to = in->to[i];
        row->zone = in->zone ? in->zone[i] : 0;
        if (row->from != row->to) row->phase = SKED_LIFE_PHASE_WAITING;
        if (row->from || row->to) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "row has no version",
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    return SKED_OK;
}

/* Checks that a sequence of orders can keep the SLA throughout. */
static sked_status check_way(const sked_life_update *u, sked_error *err)
{
    uint64_t after = 0, most = 0, changes = 0, least = u->sla.least_running;

    for (uint64_t i = 0; i < u->n; i++) {
        const life_row *row = &u->rows[i];
        most++;
        after += row->to != 0;
        changes += row->from && row->to && row->from != row->to;
    }
    if (after < least) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "fewer than the SLA needs",
            (skedi_fault){.got = (int64_t)after, .limit = (int64_t)least});
    }
    if (changes && most <= least && !u->o.overlap) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "the SLA lets none stop, and none may overlap",
            (skedi_fault){.got = (int64_t)most, .limit = (int64_t)least});
    }
    return SKED_OK;
}

static void begin_update(sked_life_update *u)
{
    u->at = (sked_life_at){SKED_LIFE_UPDATE_STATE_INITIALIZED, SKED_LIFE_NONE};
    u->calm = INT64_MAX;
    if (u->o.flags & SKED_LIFE_UPDATE_FLAG_PAUSE) {
        life_update_move(u, SKED_LIFE_EVENT_PAUSE, SKED_LIFE_WHY_TOLD);
    }
}

sked_status sked_life_update_new(const sked_life_update_input *input,
                                 const sked_life_update_options *options,
                                 const sked_host *host,
                                 sked_life_update **update, sked_error *err)
{
    sked_life_update_input in;
    sked_life_update *u;

    if (update) *update = NULL;
    const char *missing = !input ? "input" : !update ? "update" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (skedi_struct_in(&in, sizeof in, input, LIFE_INPUT_V1)) {
        return skedi_fail_version(err, "input");
    }
    missing = in.n && !in.from ? "input.from"
              : in.n && !in.to ? "input.to"
                               : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (in.reserved) return skedi_fail_reserved(err, "input");
    if (in.n > SKED_MAX_LIFE_INSTANCES || in.n == 0) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such input can be");
    }
    sked_status rc = life_update_make(host, in.n, &u, err);
    if (rc != SKED_OK) return rc;
    rc = life_update_in(u, options, err);
    if (rc == SKED_OK) rc = take_rows(u, &in, err);
    if (rc == SKED_OK) rc = check_way(u, err);
    if (rc != SKED_OK) {
        u->hooks.host.user_free = NULL;
        sked_life_update_free(u);
        return rc;
    }
    begin_update(u);
    *update = u;
    return SKED_OK;
}

/* ---- Events ---- */

/* Applies an event that the update itself causes, with the reason `why`. */
static void life_update_move(sked_life_update *u, uint32_t event, uint32_t why)
{
    skedi_life_move(&skedi_life_update_table, &u->at, event,
                    SKED_LIFE_CAUSE_JOBS);
    u->why = why;
}

/* Owes a drop to each task beside that has not taken over. */
static void life_owe_drops(sked_life_update *u)
{
    for (uint64_t i = 0; i < u->n; i++) {
        if (u->rows[i].phase == SKED_LIFE_PHASE_BESIDE) u->rows[i].owed = 1;
    }
}

sked_status sked_life_update_tell(sked_life_update *update, uint32_t event,
                                  sked_error *err)
{
    sked_life_update *u = update;

    if (!u) return skedi_fail_null(err, "update");
    if (event != SKED_LIFE_EVENT_PAUSE && event != SKED_LIFE_EVENT_RESUME &&
        event != SKED_LIFE_EVENT_ABORT) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "a user says pause, resume or abort");
    }
    uint32_t before = u->at.state;
    skedi_life_move(&skedi_life_update_table, &u->at, event,
                    SKED_LIFE_CAUSE_USER);
    if (u->at.state == before) return SKED_OK;
    u->why = event == SKED_LIFE_EVENT_RESUME ? SKED_LIFE_WHY_NONE
                                             : SKED_LIFE_WHY_TOLD;
    if (event == SKED_LIFE_EVENT_ABORT) life_owe_drops(u);
    return SKED_OK;
}

/* ---- Read ---- */

sked_status sked_life_update_get_stats(const sked_life_update *update,
                                       sked_life_update_stats *result,
                                       sked_error *err)
{
    uint64_t count[SKED_LIFE_PHASE_FAILED + 1] = {0}, progress = 0;
    uint32_t zone = UINT32_MAX;

    const char *missing = !update ? "update" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (skedi_struct_out(result->struct_size, LIFE_RESULT_V1)) {
        return skedi_fail_version(err, "result");
    }
    for (uint64_t i = 0; i < update->n; i++) {
        const life_row *row = &update->rows[i];
        int open = row->phase == SKED_LIFE_PHASE_WAITING ||
                   skedi_life_is_progress(row->phase);
        count[row->phase]++;
        progress += (uint64_t)skedi_life_is_progress(row->phase);
        if (open && row->zone < zone) zone = row->zone;
    }
    uint32_t size = result->struct_size;
    *result = (sked_life_update_stats){
        .struct_size = size,
        .why = update->why,
        .at = update->at,
        .total = update->n - count[SKED_LIFE_PHASE_UNTOUCHED],
        .done = count[SKED_LIFE_PHASE_DONE],
        .failed = count[SKED_LIFE_PHASE_FAILED],
        .progress = progress,
        .waiting = count[SKED_LIFE_PHASE_WAITING],
        .zone = zone == UINT32_MAX ? 0 : zone};
    return SKED_OK;
}

sked_status sked_life_update_phases(const sked_life_update *update,
                                    uint8_t *phases, size_t cap, size_t *n,
                                    sked_error *err)
{
    const char *missing = !update          ? "update"
                          : !n             ? "n"
                          : cap && !phases ? "phases"
                                           : NULL;
    if (missing) return skedi_fail_null(err, missing);
    *n = (size_t)update->n;
    if (update->n > cap) {
        return skedi_fail_cap(err, *n, cap);
    }
    for (uint64_t i = 0; i < update->n; i++) phases[i] = update->rows[i].phase;
    return SKED_OK;
}

uint32_t sked_life_update_action(uint32_t state, uint64_t processed,
                                 uint64_t total)
{
    uint32_t action = SKED_LIFE_ACTION_RELOAD;

    if (!state || sked_life_act(&skedi_life_update_table,
                                SKED_LIFE_UPDATE_STATE_SUCCEEDED, state,
                                &action, NULL) != SKED_OK) {
        return SKED_LIFE_ACTION_RELOAD;
    }
    return action == SKED_LIFE_ACTION_RUN && processed >= total
               ? SKED_LIFE_ACTION_COMPLETE
               : action;
}

sked_status sked_life_overwrite(uint32_t live, uint32_t state, uint32_t wanted,
                                int equal, int *same, sked_error *err)
{
    if (!same) return skedi_fail_null(err, "same");
    if (live < SKED_LIFE_WORKFLOW_UPDATE ||
        wanted < SKED_LIFE_WORKFLOW_UPDATE ||
        live > SKED_LIFE_WORKFLOW_RESTART ||
        wanted > SKED_LIFE_WORKFLOW_RESTART ||
        state < SKED_LIFE_UPDATE_STATE_INITIALIZED ||
        state > SKED_LIFE_UPDATE_STATE_ROLLED_BACK) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such workflow");
    }
    int is_live = state < SKED_LIFE_UPDATE_STATE_SUCCEEDED;
    int is_same = is_live && equal && live == wanted;
    if (is_live && !is_same &&
        (live != SKED_LIFE_WORKFLOW_UPDATE ||
         wanted != SKED_LIFE_WORKFLOW_UPDATE)) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "only an update takes the place of an update");
    }
    *same = is_same;
    return SKED_OK;
}

/*
 * One step of an update finds the rows that are done or have failed, decides
 * whether the update ends, and gives the next orders.
 *
 * Why every update ends: a row gets at most one order in each direction, and a
 * row with an order is done or fails after a finite time. If no row is in
 * progress and no row can get an order, the SLA blocks the remaining rows.
 * Either other parts of the host stopped some instances, and those instances
 * come back; or the update has failed (is_stuck), because of failed rows or
 * because of the order of zones.
 */

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

/* The SLA in force. A rollback promises at most the number of instances that
 * existed before the update. */
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

/* True if the row may go down now; else sets `blocked`. */
static int may_go_down(life_turn *t, const sked_life_sla *sla,
                       const life_row *row, const sked_life_instance *i)
{
    uint64_t down = skedi_life_stays(row) ? t->down : 0;

    if (!life_is_up(row, i)) return 1;
    if (!skedi_life_spare(sla, t->up, down)) {
        t->blocked = 1;
        return 0;
    }
    t->up--;
    t->down += (uint64_t)skedi_life_stays(row);
    return 1;
}

/* The pass in which a waiting row may get an order: added rows first, then
 * changed rows by state, then removed rows. */
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
    } else if (overlap && life_is_up(row, &t->is[i])) {
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

/* True if another row may get an order. */
static int has_slot(const life_turn *t)
{
    const sked_life_update_options *o = &t->u->o;
    int canary = o->canary && !t->u->backward && !t->u->watched;

    return t->n < t->cap && (!o->batch || t->progress < o->batch) &&
           (!canary || t->u->told < o->canary);
}

/* Rows are told zone by zone; a rollback repairs rows that are down in any zone
 * at once. */
static int has_turn(const life_turn *t, const life_row *row,
                    const sked_life_instance *i)
{
    return row->zone == t->zone || (t->u->backward && !life_is_up(row, i));
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
                continue; /* the switch is not complete: the row cannot turn
                           * back yet */
            }
            if (by_zone && !has_turn(t, row, &t->is[i])) continue;
            if (pass_of(t->u, row, &t->is[i]) != pass) continue;
            tell_row(t, &sla, i, pass);
        }
    }
}

/* Switches over to each task beside that is up. */
static void switch_over(life_turn *t)
{
    for (uint64_t i = 0; i < t->u->n && t->n < t->cap; i++) {
        if (t->u->rows[i].phase != SKED_LIFE_PHASE_BESIDE) continue;
        if (t->is[i].beside != SKED_LIFE_BESIDE_UP) continue;
        give_order(t, i, SKED_LIFE_ORDER_SWITCH, SKED_LIFE_PHASE_SWITCHED);
    }
}

/* Gives all orders that may be given. Tasks beside take over one by one; with
 * TOGETHER, all take over at once, when every task beside is up and this step
 * has started no other. */
static void tell_all(life_turn *t)
{
    int together = (t->u->o.flags & SKED_LIFE_UPDATE_FLAG_TOGETHER) != 0;

    if (!together) switch_over(t);
    tell_more(t);
    if (together && !t->coming) switch_over(t);
}

/* ---- The course of an update ---- */

/* True if the update cannot go on: no row is in progress, the SLA blocks the
 * rest, and waiting does not help. Waiting helps only if other parts of the
 * host stopped instances, and if failed rows are not the reason. */
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
        } else if (beside) { /* the task beside has not taken over */
            row->phase = SKED_LIFE_PHASE_DROPPING;
            row->owed = row->kind != SKED_LIFE_ORDER_DROP; /* told before */
            row->since = now;
        } else {
            row->unsure = row->phase == SKED_LIFE_PHASE_TOLD;
            row->phase = SKED_LIFE_PHASE_WAITING;
        }
    }
}

/* True if a rollback failed to restore the version of some row. */
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
        life_update_move(u, SKED_LIFE_EVENT_ROLL_BACK, why);
        turn_back(u, t->now);
        return;
    }
    life_update_move(u, SKED_LIFE_EVENT_TOO_MANY, why);
    life_owe_drops(u);
}

/* Watches the canaries when all canaries are told and done. Returns 1 while no
 * other row may be told. */
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
        life_update_move(u, SKED_LIFE_EVENT_PAUSE, SKED_LIFE_WHY_CANARY);
        return 1;
    }
    if (u->calm == INT64_MAX) u->calm = t->now;
    u->watched = skedi_life_later(u->calm, u->o.canary_ns) <= t->now;
    u->why = u->watched ? SKED_LIFE_WHY_NONE : SKED_LIFE_WHY_CANARY;
    return !u->watched;
}

/* Returns 1 if the rows must be judged again. */
static int roll(life_turn *t)
{
    sked_life_update *u = t->u;

    life_look(t);
    give_drops(t);
    if (u->o.max_failures && t->failed >= u->o.max_failures) {
        give_up(t, SKED_LIFE_WHY_FAILURES);
        return 1;
    }
    if (!t->waiting && !t->progress) {
        if (u->backward && is_left_behind(u)) {
            life_update_move(u, SKED_LIFE_EVENT_TOO_MANY, u->why);
            return 0;
        }
        life_update_move(u, SKED_LIFE_EVENT_DONE,
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
        life_update_move(u, SKED_LIFE_EVENT_START, SKED_LIFE_WHY_NONE);
    }
    if (u->at.state == SKED_LIFE_UPDATE_STATE_PAUSED) {
        life_look(&t);
    } else if (!skedi_life_is_over(u)) {
        while (roll(&t)) {
            if (skedi_life_is_over(u)) break;
        }
    }
    give_drops(&t);
    *n_orders = t.n;
    return SKED_OK;
}

/* An update as bytes, and back: little endian, fixed widths. The last eight
 * bytes are a digest of all bytes before. */

enum {
    LIFE_SAVE_HEAD = 8 * 18, /* bytes before the rows */
    LIFE_SAVE_ROW = 8 * 5
};

#define LIFE_SAVE_MAGIC UINT64_C(0x306566696c646b73) /* "skdlife0" */

/* ---- Words ---- */

static void put_word(uint8_t **to, uint64_t x)
{
    for (int i = 0; i < 8; i++) *(*to)++ = (uint8_t)(x >> 8 * i);
}

static uint64_t get_word(const uint8_t **from)
{
    uint64_t x = 0;

    for (int i = 0; i < 8; i++) x |= (uint64_t) * (*from)++ << 8 * i;
    return x;
}

static void put_pair(uint8_t **to, uint32_t low, uint32_t high)
{
    put_word(to, low | (uint64_t)high << 32);
}

static void get_pair(const uint8_t **from, uint32_t *low, uint32_t *high)
{
    uint64_t x = get_word(from);

    *low = (uint32_t)x;
    *high = (uint32_t)(x >> 32);
}

static int64_t get_time(const uint8_t **from)
{
    uint64_t x = get_word(from);
    int64_t at;

    memcpy(&at, &x, sizeof at); /* two's complement, whatever the compiler */
    return at;
}

/* ---- Out ---- */

static void put_head(uint8_t **to, const sked_life_update *u)
{
    const sked_life_update_options *o = &u->o;
    const sked_life_sla *s = &u->sla;

    put_word(to, LIFE_SAVE_MAGIC);
    put_word(to, u->n);
    put_pair(to, o->flags, o->batch);
    put_pair(to, o->max_failures, o->max_attempts);
    put_pair(to, o->overlap, o->canary);
    put_word(to, (uint64_t)o->canary_ns);
    put_word(to, (uint64_t)o->within_ns);
    put_pair(to, s->type, (uint32_t)s->priority);
    put_pair(to, s->preemptible, s->revocable);
    put_pair(to, s->least_running, s->most_unavailable);
    put_pair(to, u->at.state, u->at.before);
    put_pair(to, u->why, u->backward);
    put_word(to, u->watched);
    put_word(to, (uint64_t)u->calm);
    put_word(to, u->told);
    for (int i = 0; i < 3; i++) put_word(to, 0);
}

static void put_row(uint8_t **to, const life_row *row)
{
    put_word(to, row->from);
    put_word(to, row->to);
    put_word(to, (uint64_t)row->since);
    put_pair(to, row->zone, row->phase);
    put_pair(to, row->kind, row->owed | (uint32_t)row->unsure << 1);
}

sked_status sked_life_update_save(const sked_life_update *update,
                                  uint8_t *bytes, size_t cap, size_t *n,
                                  sked_error *err)
{
    const char *missing = !update         ? "update"
                          : !n            ? "n"
                          : cap && !bytes ? "bytes"
                                          : NULL;
    if (missing) return skedi_fail_null(err, missing);
    *n = LIFE_SAVE_HEAD + (size_t)update->n * LIFE_SAVE_ROW + 8;
    if (*n > cap) {
        return skedi_fail_cap(err, *n, cap);
    }
    uint8_t *to = bytes;
    put_head(&to, update);
    for (uint64_t i = 0; i < update->n; i++) put_row(&to, &update->rows[i]);
    put_word(&to, skedi_hash_of(bytes, *n - 8, 0));
    return SKED_OK;
}

/* ---- In ---- */

/* Returns 0 if no update can have such a head. */
static int get_head(const uint8_t **from, sked_life_update *u)
{
    sked_life_update_options o = {.struct_size = sizeof o};
    sked_life_sla s = {.struct_size = sizeof s};
    uint32_t priority, watched, spare;
    uint64_t zeros = 0;

    get_pair(from, &o.flags, &o.batch);
    get_pair(from, &o.max_failures, &o.max_attempts);
    get_pair(from, &o.overlap, &o.canary);
    o.canary_ns = get_time(from);
    o.within_ns = get_time(from);
    get_pair(from, &s.type, &priority);
    s.priority = (int32_t)priority;
    get_pair(from, &s.preemptible, &s.revocable);
    get_pair(from, &s.least_running, &s.most_unavailable);
    get_pair(from, &u->at.state, &u->at.before);
    get_pair(from, &u->why, &u->backward);
    get_pair(from, &watched, &spare);
    u->watched = watched;
    u->calm = get_time(from);
    u->told = get_word(from);
    for (int i = 0; i < 3; i++) zeros |= get_word(from);
    o.sla = &s;
    return life_update_in(u, &o, NULL) == SKED_OK && !zeros && !spare &&
           watched <= 1 && u->backward <= 1 && u->why <= SKED_LIFE_WHY_SLA;
}

/* True if an update can be in state `state` after state `before`. */
static int is_place(const sked_life_at *at)
{
    int known = at->state >= SKED_LIFE_UPDATE_STATE_INITIALIZED &&
                at->state <= SKED_LIFE_UPDATE_STATE_ROLLED_BACK;
    int before = at->before >= SKED_LIFE_UPDATE_STATE_INITIALIZED &&
                 at->before <= SKED_LIFE_UPDATE_STATE_PAUSED;

    if (at->state == SKED_LIFE_UPDATE_STATE_PAUSED) {
        return before && at->before != SKED_LIFE_UPDATE_STATE_PAUSED;
    }
    return known && (before || at->before == SKED_LIFE_NONE);
}

static int get_row(const uint8_t **from, life_row *row)
{
    uint32_t phase, kind, owed;

    row->from = get_word(from);
    row->to = get_word(from);
    row->since = get_time(from);
    get_pair(from, &row->zone, &phase);
    get_pair(from, &kind, &owed);
    row->phase = (uint8_t)phase;
    row->kind = (uint8_t)kind;
    row->owed = owed & 1;
    row->unsure = owed >> 1 & 1;
    return (row->from || row->to) && phase <= SKED_LIFE_PHASE_FAILED &&
           kind <= SKED_LIFE_ORDER_DROP && owed <= 3;
}

static int is_whole(const uint8_t *bytes, size_t n, uint64_t *rows)
{
    const uint8_t *from = bytes, *end;

    if (n < LIFE_SAVE_HEAD + 8 || get_word(&from) != LIFE_SAVE_MAGIC) {
        return 0;
    }
    *rows = get_word(&from);
    if (*rows == 0 || *rows > SKED_MAX_LIFE_INSTANCES ||
        n != LIFE_SAVE_HEAD + *rows * LIFE_SAVE_ROW + 8) {
        return 0;
    }
    end = bytes + n - 8;
    return get_word(&end) == skedi_hash_of(bytes, n - 8, 0);
}

sked_status sked_life_update_load(const uint8_t *bytes, size_t n,
                                  const sked_host *host,
                                  sked_life_update **update, sked_error *err)
{
    uint64_t rows = 0;
    sked_life_update *u;

    if (update) *update = NULL;
    const char *missing = !bytes ? "bytes" : !update ? "update" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!is_whole(bytes, n, &rows)) {
        return skedi_fail_plain(err, SKED_ERR_CORRUPT, "no saved update");
    }
    sked_status rc = life_update_make(host, rows, &u, err);
    if (rc != SKED_OK) return rc;
    const uint8_t *from = bytes + 16;
    int whole = get_head(&from, u) && is_place(&u->at);
    for (uint64_t i = 0; whole && i < rows; i++) {
        whole = get_row(&from, &u->rows[i]);
    }
    if (!whole) {
        u->hooks.host.user_free = NULL;
        sked_life_update_free(u);
        return skedi_fail_plain(err, SKED_ERR_CORRUPT, "no update can be so");
    }
    *update = u;
    return SKED_OK;
}
