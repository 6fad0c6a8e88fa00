/*
 * The children of one parent, ordered from plain arrays. The call checks the
 * columns of the order, gives every eligible child a key, and sorts.
 */
#include "base/fail.h"
#include "base/hooks.h"
#include "base/versioned.h"
#include "order/sort.h"

SKEDI_NO_TAIL_PADDING(sked_order_children_input, share);
_Static_assert(sizeof(sked_order_key) == 16, "sked_order_key is frozen");

enum { ORDER_COLUMNS_V1 = SKEDI_SIZE_THROUGH(sked_order_children_input, key) };

static int takes_shares(int32_t order)
{
    return order == SKED_ORDER_POLICY_DRF;
}

static int is_child_order(int32_t order)
{
    return (order >= SKED_ORDER_POLICY_DRF &&
            order <= SKED_ORDER_POLICY_SHARE) ||
           order == SKED_ORDER_POLICY_HOST;
}

/* Checks the input for every column of the order. */
static sked_status columns_said(const sked_order_children_input *in,
                                sked_error *err)
{
    int parts = skedi_order_by_parts(in->order) && !in->parent && !in->capacity;

    if (in->reserved) return skedi_fail_reserved(err, "input");
    if (!is_child_order(in->order) || in->flags & ~SKEDI_ORDER_FLAGS) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such order or flag");
    }
    if (in->order == SKED_ORDER_POLICY_SHARE && !in->share) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "order share lacks shares");
    }
    if (in->kinds < 1 || in->kinds > SKED_MAX_KINDS || in->n > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "kinds or n is out of range");
    }
    if (in->order == SKED_ORDER_POLICY_FAIR && in->kind >= in->kinds) {
        return skedi_fail(err, SKED_ERR_ARG, "no such kind",
                          (skedi_fault){.got = in->kind});
    }
    if ((takes_shares(in->order) && !in->capacity) || parts ||
        (in->order == SKED_ORDER_POLICY_HOST && !in->key)) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "order lacks a column");
    }
    return SKED_OK;
}

static sked_status columns_in(sked_order_children_input *columns,
                              const sked_order_children_input *in,
                              sked_error *err)
{
    if (!in) return skedi_fail_null(err, "input");
    sked_status rc = skedi_struct_in(columns, sizeof *columns, in,
                                     ORDER_COLUMNS_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    rc = columns_said(columns, err);
    if (rc == SKED_OK && !columns->parent) columns->parent = columns->capacity;
    return rc;
}

/* Checks the amounts of the order. */
static sked_status columns_sound(const sked_order_children_input *in,
                                 sked_error *err)
{
    int parts = skedi_order_by_parts(in->order),
        shares = takes_shares(in->order);
    int first = (in->flags & SKED_ORDER_FLAG_GUARANTEE_FIRST) != 0;
    int given = parts || first || in->order == SKED_ORDER_POLICY_SHARE;
    int usage = given || shares || in->order == SKED_ORDER_POLICY_FAIR;
    const struct {
        const int64_t *amounts;
        size_t n;
        const char *what;
    } read[] = {
        {shares ? in->capacity : NULL, 1, "capacity is out of range"},
        {parts ? in->parent : NULL, 1, "parent's guarantee is out of range"},
        {usage ? in->usage : NULL, (size_t)in->n, "usage is out of range"},
        {parts || first ? in->guarantee : NULL, (size_t)in->n,
         "guarantee is out of range"},
        {given ? in->share : NULL, (size_t)in->n, "share is out of range"},
    };
    sked_status rc = SKED_OK;

    for (size_t i = 0; rc == SKED_OK && i < 5; i++) {
        if (!read[i].amounts) continue;
        rc = skedi_amounts_in(read[i].amounts, read[i].n, in->kinds,
                              read[i].what, err);
    }
    return rc;
}

static uint64_t weight_total(const sked_order_children_input *in)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < in->n; i++) sum += in->weight ? in->weight[i] : 1;
    return sum;
}

static skedi_order_rule columns_rule(const sked_order_children_input *in)
{
    return (skedi_order_rule){
        .order = in->order,
        .flags = in->flags,
        .kind = in->kind,
        .kinds = in->kinds,
        .parent = in->parent,
        .weights = skedi_order_by_parts(in->order) ? weight_total(in) : 0,
    };
}

static const int64_t *columns_row(const int64_t *rows, size_t i, uint32_t kinds)
{
    return rows ? rows + i * kinds : NULL;
}

static skedi_order_child columns_child(const sked_order_children_input *in,
                                       size_t i)
{
    return (skedi_order_child){
        .usage = columns_row(in->usage, i, in->kinds),
        .guarantee = columns_row(in->guarantee, i, in->kinds),
        .share = columns_row(in->share, i, in->kinds),
        .weight = in->weight ? in->weight[i] : 1,
        .priority = in->priority ? in->priority[i] : 0,
        .key = in->key ? in->key[i] : 0,
    };
}

/* Gives every eligible child a key, in order of position. */
static sked_status fill_children(skedi_order_sorting *sorting,
                                 const sked_order_children_input *in,
                                 const skedi_hooks *hooks)
{
    skedi_order_rule rule = columns_rule(in);
    skedi_drf_scale scale[SKED_MAX_KINDS];

    for (uint32_t k = 0; takes_shares(in->order) && k < in->kinds; k++) {
        scale[k] = skedi_drf_scale_of(in->capacity[k]);
    }
    rule.scale = scale;
    for (uint32_t i = 0; i < in->n; i++) {
        if (i % SKEDI_ORDER_CHECK == 0) {
            sked_status rc = skedi_hooks_check(hooks, i, in->n);
            if (rc != SKED_OK) return rc;
        }
        if (in->eligible && !in->eligible[i]) continue;
        skedi_order_child child = columns_child(in, i);
        skedi_order_sorting_add(sorting, i, skedi_order_key(&rule, &child));
    }
    return SKED_OK;
}

static sked_status order_children(const sked_order_children_input *in,
                                  skedi_order_sorting *sorting,
                                  const skedi_hooks *hooks, sked_error *err)
{
    skedi_random random;
    sked_status rc = fill_children(sorting, in, hooks);

    if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
    if (in->order == SKED_ORDER_POLICY_RANDOM) {
        skedi_random_seed(&random, in->seed, NULL);
        skedi_order_shuffle(sorting, skedi_order_undrawn(in->flags), &random);
    }
    return SKED_OK;
}

sked_status sked_order_children(const sked_order_children_input *input,
                                const sked_host *host, uint32_t *positions,
                                sked_order_key *keys, size_t *n,
                                sked_error *err)
{
    skedi_hooks hooks;
    sked_order_children_input columns;
    skedi_order_sorting sorting = {0};

    const char *missing = !positions ? "positions" : !n ? "n" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc == SKED_OK) rc = columns_in(&columns, input, err);
    if (rc == SKED_OK) rc = columns_sound(&columns, err);
    if (rc != SKED_OK) return rc;
    if (!skedi_order_sorting_make(&sorting, &hooks.mem, (size_t)columns.n)) {
        return skedi_fail_memory(err);
    }
    rc = order_children(&columns, &sorting, &hooks, err);
    if (rc == SKED_OK) skedi_order_write(&sorting, positions, keys, n);
    skedi_order_sorting_drop(&sorting, &hooks.mem);
    return rc;
}
