/*
 * References to secrets, by job and task: a map from both numbers to rows. A
 * reference is stored in its row and in no other place. The code overwrites a
 * row when the reference is taken back, and all rows before their memory is
 * freed.
 */
#include <sched/life_secrets.h>

#include "life/life.h"

#include <string.h>

#include "base/hooks.h"
#include "base/map.h"

typedef struct life_secret {
    uint64_t name[2];   /* job, task */
    uint64_t reference; /* 0: row is free; then name[1] is the next free row */
} life_secret;

struct sked_life_secrets {
    skedi_hooks hooks;
    skedi_map map;
    life_secret *rows;
    size_t cap;
    size_t n;       /* rows in use now or before */
    uint64_t spare; /* a free row, plus 1; 0: none */
};

static int is_secret_of(const void *ctx, uint32_t value, const skedi_key *key)
{
    const sked_life_secrets *s = ctx;

    return memcmp(s->rows[value].name, key->bytes, key->length) == 0;
}

static skedi_key secret_key(const uint64_t *name)
{
    return (skedi_key){.bytes = (const char *)(const void *)name,
                       .length = 2 * sizeof *name};
}

/* Writes zeros that no compiler removes, although no code reads the memory. */
static void wipe(life_secret *rows, size_t n)
{
    volatile uint64_t *at = (volatile uint64_t *)(void *)rows;

    for (size_t i = 0; i < n * sizeof *rows / sizeof *at; i++) at[i] = 0;
}

sked_status sked_life_secrets_new(const sked_host *host,
                                  sked_life_secrets **secrets, sked_error *err)
{
    skedi_hooks hooks;

    if (!secrets) return skedi_fail_null(err, "secrets");
    *secrets = NULL;
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_life_secrets *s = skedi_new(&hooks.mem, 1, sizeof *s);
    if (!s) return skedi_fail_memory(err);
    s->hooks = hooks;
    s->map.is = is_secret_of;
    s->map.ctx = s;
    *secrets = s;
    return SKED_OK;
}

void sked_life_secrets_free(sked_life_secrets *secrets)
{
    if (!secrets) return;
    skedi_hooks last = secrets->hooks;

    wipe(secrets->rows, secrets->n);
    skedi_map_free(&secrets->map, &last.mem);
    skedi_free(&last.mem, secrets->rows, secrets->cap, sizeof *secrets->rows);
    skedi_free(&last.mem, secrets, 1, sizeof *secrets);
    skedi_hooks_done(last.host);
}

/* Reserves a row. Growth copies all rows to new memory, because growth in place
 * may leave old copies behind. */
static int reserve_secret(sked_life_secrets *s)
{
    skedi_mem *mem = &s->hooks.mem;
    size_t cap = s->cap ? s->cap * 2 : 8;

    if (!skedi_map_reserve(&s->map, s->map.n + 1, mem)) return 0;
    if (s->spare || s->n < s->cap) return 1;
    life_secret *rows = skedi_new(mem, cap, sizeof *rows);
    if (!rows) return 0;
    if (s->n) memcpy(rows, s->rows, s->n * sizeof *rows);
    wipe(s->rows, s->n);
    skedi_free(mem, s->rows, s->cap, sizeof *rows);
    s->rows = rows;
    s->cap = cap;
    return 1;
}

static uint32_t take_secret(sked_life_secrets *s)
{
    if (!s->spare) return (uint32_t)s->n++;
    uint32_t row = (uint32_t)(s->spare - 1);
    s->spare = s->rows[row].name[1];
    return row;
}

static void drop_secret(sked_life_secrets *s, uint32_t row)
{
    skedi_map_remove(&s->map, secret_key(s->rows[row].name));
    wipe(&s->rows[row], 1);
    s->rows[row].name[1] = s->spare;
    s->spare = (uint64_t)row + 1;
}

sked_status sked_life_secrets_set(sked_life_secrets *secrets, uint64_t job,
                                  uint64_t task, uint64_t reference,
                                  sked_error *err)
{
    uint64_t name[2] = {job, task};
    sked_life_secrets *s = secrets;

    if (!s) return skedi_fail_null(err, "secrets");
    uint32_t row = skedi_map_find(&s->map, secret_key(name));
    if (row != SKEDI_MAP_NONE) {
        if (reference)
            s->rows[row].reference = reference;
        else
            drop_secret(s, row);
        return SKED_OK;
    }
    if (!reference) return SKED_OK;
    if (!reserve_secret(s)) {
        return skedi_fail_memory(err);
    }
    row = take_secret(s);
    s->rows[row] = (life_secret){{job, task}, reference};
    skedi_map_add(&s->map, secret_key(name), row);
    return SKED_OK;
}

static uint64_t secret_of(const sked_life_secrets *s, uint64_t job,
                          uint64_t task)
{
    uint64_t name[2] = {job, task};
    uint32_t row = skedi_map_find(&s->map, secret_key(name));

    return row == SKEDI_MAP_NONE ? 0 : s->rows[row].reference;
}

sked_status sked_life_secrets_launch(const sked_life_secrets *secrets,
                                     uint64_t job, uint64_t task, size_t count,
                                     uint64_t *references, sked_error *err)
{
    const char *missing = !secrets               ? "secrets"
                          : count && !references ? "references"
                                                 : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (count > SKED_LIFE_EVERY_TASK - task) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such tasks");
    }
    uint64_t every = secret_of(secrets, job, SKED_LIFE_EVERY_TASK);
    for (size_t i = 0; i < count; i++) {
        uint64_t own = secret_of(secrets, job, task + i);
        references[i] = own ? own : every;
    }
    return SKED_OK;
}

void sked_life_secrets_forget(sked_life_secrets *secrets, uint64_t job)
{
    if (!secrets) return;
    for (size_t i = 0; i < secrets->n; i++) {
        const life_secret *s = &secrets->rows[i];
        if (s->reference && s->name[0] == job) {
            drop_secret(secrets, (uint32_t)i);
        }
    }
}
