/*
 * The applications of one leaf, ordered from plain arrays. In a key, `high` is
 * the policy's value and `low` the submission time. The index is the order of
 * arrival.
 */
#include "base/fail.h"
#include "base/hooks.h"
#include "base/versioned.h"
#include "order/sort.h"

SKEDI_NO_TAIL_PADDING(sked_order_apps_input, key);

enum { ORDER_APPS_V1 = SKEDI_SIZE_THROUGH(sked_order_apps_input, key) };

/* The amounts read by an order by shares. */
static const int64_t *apps_amounts(const sked_order_apps_input *in)
{
    if (in->order == SKED_APPS_FAIR) return in->usage;
    return in->order == SKED_APPS_SIZE ? in->pending : in->user_usage;
}

static int goes_by_share(int32_t order)
{
    return order == SKED_APPS_FAIR || order == SKED_APPS_SIZE ||
           order == SKED_APPS_USER_FAIR;
}

static sked_status apps_said(const sked_order_apps_input *in, sked_error *err)
{
    int known = (in->order >= SKED_APPS_FIFO &&
                 in->order <= SKED_APPS_USER_FAIR) ||
                in->order == SKED_APPS_HOST;

    if (!known || in->flags) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such order or flag");
    }
    if (in->kinds < 1 || in->kinds > SKED_MAX_KINDS || in->n > INT32_MAX ||
        in->users > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "kinds or n is out of range");
    }
    if ((goes_by_share(in->order) && !in->capacity) ||
        (in->order == SKED_APPS_USER_FAIR && !in->user) ||
        (in->order == SKED_APPS_HOST && !in->key)) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "order lacks a column");
    }
    return SKED_OK;
}

static sked_status users_sound(const sked_order_apps_input *in, sked_error *err)
{
    for (size_t i = 0; i < in->n; i++) {
        if (in->user[i] < in->users) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "no such user",
                          (skedi_fault){.row = (int64_t)i + 1,
                                        .got = in->user[i],
                                        .limit = (int64_t)in->users});
    }
    return SKED_OK;
}

/* Checks the capacity, amounts and users of an order by shares. */
static sked_status shares_sound(const sked_order_apps_input *in,
                                sked_error *err)
{
    int by_user = in->order == SKED_APPS_USER_FAIR;
    const int64_t *amounts = apps_amounts(in);
    sked_status rc = skedi_amounts_in(in->capacity, 1, in->kinds,
                                      "capacity is out of range", err);

    if (rc == SKED_OK && amounts) {
        rc = skedi_amounts_in(amounts, (size_t)(by_user ? in->users : in->n),
                              in->kinds, "amount is out of range", err);
    }
    return rc == SKED_OK && by_user ? users_sound(in, err) : rc;
}

static sked_status apps_in(sked_order_apps_input *columns,
                           const sked_order_apps_input *in, sked_error *err)
{
    if (!in) return skedi_fail_null(err, "input");
    sked_status rc = skedi_struct_in(columns, sizeof *columns, in,
                                     ORDER_APPS_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    rc = apps_said(columns, err);
    if (rc != SKED_OK || !goes_by_share(columns->order)) return rc;
    return shares_sound(columns, err);
}

static uint32_t weight_of(const uint32_t *weights, size_t i)
{
    return weights ? weights[i] : 1;
}

/* The key of the amounts in one row. */
static uint64_t apps_share(const sked_order_apps_input *in,
                           const skedi_drf_scale *scale, size_t row,
                           uint32_t weight)
{
    const int64_t *amounts = apps_amounts(in);

    return skedi_order_share(scale, amounts ? amounts + row * in->kinds : NULL,
                             in->kinds, weight);
}

static uint64_t apps_high(const sked_order_apps_input *in,
                          const skedi_drf_scale *scale, size_t i)
{
    switch (in->order) {
    case SKED_APPS_FAIR:
        return apps_share(in, scale, i, weight_of(in->weight, i));
    case SKED_APPS_SIZE: return apps_share(in, scale, i, 1);
    case SKED_APPS_USER_FAIR:
        return apps_share(in, scale, in->user[i],
                          weight_of(in->user_weight, in->user[i]));
    case SKED_APPS_PRIORITY:
        return skedi_order_urgency(in->priority ? in->priority[i] : 0);
    case SKED_APPS_HOST: return skedi_key_signed(in->key[i]);
    }
    return 0; /* fifo */
}

static sked_status fill_apps(skedi_order_sorting *sorting,
                             const sked_order_apps_input *in,
                             const skedi_hooks *hooks)
{
    skedi_drf_scale scale[SKED_MAX_KINDS];

    for (uint32_t k = 0; goes_by_share(in->order) && k < in->kinds; k++) {
        scale[k] = skedi_drf_scale_of(in->capacity[k]);
    }
    for (uint32_t i = 0; i < in->n; i++) {
        if (i % SKEDI_ORDER_CHECK == 0) {
            sked_status rc = skedi_hooks_check(hooks, i, in->n);
            if (rc != SKED_OK) return rc;
        }
        if (in->eligible && !in->eligible[i]) continue;
        sked_order_key key = {.high = apps_high(in, scale, i)};
        if (in->submitted) key.low = skedi_key_signed(in->submitted[i]);
        skedi_order_sorting_add(sorting, i, key);
    }
    return SKED_OK;
}

sked_status sked_order_apps(const sked_order_apps_input *input,
                            const sked_host *host, uint32_t *indices,
                            sked_order_key *keys, size_t *n, sked_error *err)
{
    skedi_hooks hooks;
    sked_order_apps_input columns;
    skedi_order_sorting sorting = {0};

    const char *missing = !indices ? "indices" : !n ? "n" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc == SKED_OK) rc = apps_in(&columns, input, err);
    if (rc != SKED_OK) return rc;
    if (!skedi_order_sorting_make(&sorting, &hooks.mem, (size_t)columns.n)) {
        return skedi_fail_memory(err);
    }
    rc = fill_apps(&sorting, &columns, &hooks);
    if (rc != SKED_OK) rc = skedi_fail_stopped(err, rc);
    if (rc == SKED_OK) skedi_order_write(&sorting, indices, keys, n);
    skedi_order_sorting_drop(&sorting, &hooks.mem);
    return rc;
}
