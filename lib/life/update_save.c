/* An update as bytes, little endian in fixed widths, and back; the last eight
 * are a digest of the others. */
#include "life/update.h"

#include <string.h>

#include "base/hash.h"

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

/* 0: no update can be so. */
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
    return skedi_life_update_in(u, &o, NULL) == SKED_OK && !zeros && !spare &&
           watched <= 1 && u->backward <= 1 && u->why <= SKED_LIFE_WHY_SLA;
}

/* Could an update be in this state, having been in that one? */
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
    sked_status rc = skedi_life_update_make(host, rows, &u, err);
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
