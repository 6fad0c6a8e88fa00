/* Updates: made, told, read. The step is in update_step.c. */
#include "life/update.h"

#include "base/versioned.h"

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

sked_status skedi_life_update_in(sked_life_update *u,
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

sked_status skedi_life_update_make(const sked_host *host, uint64_t n,
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

/* Is there a way that keeps the SLA all along? */
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
        skedi_life_update_move(u, SKED_LIFE_EVENT_PAUSE, SKED_LIFE_WHY_TOLD);
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
    sked_status rc = skedi_life_update_make(host, in.n, &u, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_life_update_in(u, options, err);
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

/* ---- Told ---- */

void skedi_life_update_move(sked_life_update *u, uint32_t event, uint32_t why)
{
    skedi_life_move(&skedi_life_update_table, &u->at, event,
                    SKED_LIFE_CAUSE_JOBS);
    u->why = why;
}

void skedi_life_owe_drops(sked_life_update *u)
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
    if (event == SKED_LIFE_EVENT_ABORT) skedi_life_owe_drops(u);
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
