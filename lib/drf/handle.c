/* A sked_drf from creation to its end, and what holds for all clients. */
#include "drf/handle.h"

#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_drf_options, clients);
SKEDI_NO_TAIL_PADDING(sked_drf_standing, kind);

enum { DRF_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_drf_options, clients) };

static sked_status drf_too_many(sked_error *err, uint32_t clients)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, "too many clients",
        (skedi_fault){.got = clients, .limit = SKEDI_DRF_MAX_CLIENTS});
}

static sked_status drf_options_in(sked_drf_options *opts,
                                  const sked_drf_options *given,
                                  sked_error *err)
{
    sked_status rc = skedi_struct_in(opts, sizeof *opts, given, DRF_OPTIONS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (opts->flags) {
        return skedi_fail_flags(err, "options");
    }
    if (opts->kinds > SKED_MAX_KINDS) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many kinds",
            (skedi_fault){.got = opts->kinds, .limit = SKED_MAX_KINDS});
    }
    if (opts->clients > SKEDI_DRF_MAX_CLIENTS)
        return drf_too_many(err, opts->clients);
    if (opts->kinds == 0) opts->kinds = 1;
    return SKED_OK;
}

/* The handle itself, empty and without memory; its memory is `hooks`'. */
static sked_drf *drf_make(skedi_hooks *hooks, uint32_t kinds)
{
    sked_drf *drf = skedi_new(&hooks->mem, 1, sizeof *drf);

    if (!drf) return NULL;
    drf->hooks = *hooks;
    drf->kinds = kinds;
    drf->free_slot = SKED_DRF_NONE;
    for (uint32_t k = 0; k < kinds; k++) drf->scale[k] = skedi_drf_scale_of(0);
    return drf;
}

static void drf_destroy(sked_drf *drf)
{
    skedi_mem mem = drf->hooks.mem;

    skedi_drf_memory_release(&drf->memory, &mem);
    skedi_free(&mem, drf, 1, sizeof *drf);
}

sked_status sked_drf_new(const sked_drf_options *options, const sked_host *host,
                         sked_drf **drf, sked_error *err)
{
    sked_drf_options want;
    skedi_hooks hooks;

    if (!drf) return skedi_fail_null(err, "drf");
    *drf = NULL;
    sked_status rc = drf_options_in(&want, options, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;

    sked_drf *made = drf_make(&hooks, want.kinds);
    if (made && skedi_drf_grow(made, want.clients)) {
        *drf = made;
        return SKED_OK;
    }
    if (made) drf_destroy(made);
    return skedi_fail_memory(err);
}

void sked_drf_free(sked_drf *drf)
{
    if (!drf) return;
    sked_host host = drf->hooks.host;
    drf_destroy(drf);
    skedi_hooks_done(host);
}

sked_status sked_drf_reserve(sked_drf *drf, uint32_t clients, sked_error *err)
{
    if (!drf) return skedi_fail_null(err, "drf");
    if (clients > SKEDI_DRF_MAX_CLIENTS) return drf_too_many(err, clients);

    sked_status rc = SKED_OK;
    skedi_hooks_open(&drf->hooks);
    if (clients > drf->memory.cap && !skedi_drf_grow(drf, clients)) {
        rc = skedi_fail_memory(err);
    }
    return skedi_hooks_seal(&drf->hooks, rc);
}

sked_status sked_drf_set_capacity(sked_drf *drf, const int64_t *capacity,
                                  sked_error *err)
{
    const char *missing = !drf ? "drf" : !capacity ? "capacity" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_amounts_in(capacity, 1, drf->kinds,
                                      "capacity is out of range", err);
    if (rc != SKED_OK) return rc;
    for (uint32_t k = 0; k < drf->kinds; k++) {
        drf->capacity[k] = capacity[k];
        drf->scale[k] = skedi_drf_scale_of(capacity[k]);
    }
    for (uint32_t slot = 0; slot < drf->slots; slot++) {
        if (!skedi_drf_has(drf, slot)) continue;
        skedi_drf_rekey(drf, slot);
        if (!skedi_drf_is_in(drf, slot)) continue;
        *skedi_drf_held_key(drf, slot) = skedi_drf_player_key(drf, slot);
    }
    skedi_drf_build(drf);
    return SKED_OK;
}
