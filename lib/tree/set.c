/*
 * Setting attributes with numbers and amounts in the draft. A column of values
 * is checked as a whole, then memory is reserved, then it is written: so all of
 * it holds or nothing does.
 */
#include "tree/handle.h"

/* One attribute of many queues; a single one is a column of one. */
typedef struct set_work {
    const skedi_attr *attr;
    uint32_t index;
    const sked_queue_id *queues;
    const int64_t *values; /* n, or n x kinds, or NULL: the default */
    size_t n;
    int lone; /* a single queue: errors name no row */
} set_work;

static skedi_fault row_fault(const set_work *work, size_t i)
{
    skedi_fault at = {.queue = work->queues[i]};

    if (!work->lone) at.row = (int64_t)i + 1;
    return at;
}

/* Fails at row `i` for the reason `rc` that is in `err`, if anywhere. */
static sked_status at_row(const set_work *work, size_t i, sked_status rc,
                          sked_error *err)
{
    if (err && !work->lone) err->row = (int64_t)i;
    return rc;
}

static sked_status number_check(const sked_tree *tree, const set_work *work,
                                size_t i, sked_error *err)
{
    const skedi_attr *attr = work->attr;
    int64_t value = work->values[i];

    if (value == SKED_UNSET) return SKED_OK;
    if (skedi_attr_takes(attr, tree->draft.kinds, value)) return SKED_OK;
    skedi_fault at = row_fault(work, i);
    at.got = value;
    at.limit = value < attr->low ? attr->low : attr->high;
    return skedi_fail(err, SKED_ERR_RANGE, "value is out of range", at);
}

static sked_status amounts_check(const sked_tree *tree, const set_work *work,
                                 size_t i, sked_error *err)
{
    uint32_t kinds = tree->draft.kinds;

    for (uint32_t k = 0; work->values && k < kinds; k++) {
        int64_t amount = work->values[i * kinds + k];
        if (skedi_attr_takes(work->attr, kinds, amount)) continue;
        skedi_fault at = row_fault(work, i);
        at.kind = (int32_t)k + 1;
        at.got = amount;
        at.limit = amount < 0 ? 0 : SKED_AMOUNT_MAX;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range", at);
    }
    return SKED_OK;
}

static sked_status set_check(const sked_tree *tree, const set_work *work,
                             sked_error *err)
{
    uint32_t slot;

    for (size_t i = 0; i < work->n; i++) {
        sked_status rc = skedi_tree_open(tree, work->queues[i], 0, &slot, err);
        if (rc != SKED_OK) return at_row(work, i, rc, err);
        rc = work->attr->shape == SKEDI_SHAPE_NUMBER
                 ? number_check(tree, work, i, err)
                 : amounts_check(tree, work, i, err);
        if (rc != SKED_OK) return rc;
    }
    return SKED_OK;
}

/* A guarantee (or limit) is a part or an amount; `other` is what gives way. */
static int other_of(const skedi_attr *attr, uint32_t *other)
{
    switch (attr->id) {
    case SKED_QUEUE_GUARANTEE_PPM: *other = SKEDI_AT_GUARANTEE; return 1;
    case SKED_QUEUE_LIMIT_PPM: *other = SKEDI_AT_LIMIT; return 1;
    case SKED_QUEUE_GUARANTEE: *other = SKEDI_AT_GUARANTEE_PPM; return 1;
    case SKED_QUEUE_LIMIT: *other = SKEDI_AT_LIMIT_PPM; return 1;
    default: return 0;
    }
}

void skedi_tree_number_put(sked_tree *tree, uint32_t slot, uint32_t index,
                           int64_t value)
{
    skedi_draft *draft = &tree->draft;

    if (skedi_draft_number(draft, index, slot) == value) return;
    draft->number[index].at[slot] = value;
    draft->used |= SKEDI_TOUCH_NUMBER(index);
    skedi_draft_touch(draft, slot, SKEDI_TOUCH_NUMBER(index));
    skedi_tree_note(tree, SKEDI_EDIT_SET + (int)index, slot, (uint64_t)value);
}

/* `amounts` NULL: at rest. */
static void amounts_put(sked_tree *tree, uint32_t slot, uint32_t index,
                        const int64_t *amounts)
{
    skedi_draft *draft = &tree->draft;
    int64_t rest = skedi_attr_rest(skedi_attr_at(SKEDI_NUMBERS + index));
    int what = SKEDI_EDIT_SET + SKEDI_NUMBERS + (int)index, changed = 0;

    if (!draft->amount[index].at) return; /* at rest, to stay so */
    int64_t *at = draft->amount[index].at + (size_t)slot * draft->kinds;
    for (uint32_t k = 0; k < draft->kinds; k++) {
        int64_t value = amounts ? amounts[k] : rest;
        if (at[k] == value) continue;
        at[k] = value;
        changed = 1;
        skedi_tree_note(tree, what, slot, k);
        draft->key = skedi_key_mix(draft->key, (uint64_t)value);
    }
    if (!changed) return;
    draft->used |= SKEDI_TOUCH_AMOUNT(index);
    skedi_draft_touch(draft, slot, SKEDI_TOUCH_AMOUNT(index));
}

static void number_write(sked_tree *tree, const set_work *work, size_t i)
{
    uint32_t slot = (uint32_t)work->queues[i], other;
    int64_t value = work->values[i];

    if (value == SKED_UNSET) {
        value = skedi_attr_rest(work->attr);
    } else if (other_of(work->attr, &other)) {
        amounts_put(tree, slot, other, NULL);
    }
    skedi_tree_number_put(tree, slot, work->index, value);
}

static void amounts_write(sked_tree *tree, const set_work *work, size_t i)
{
    uint32_t slot = (uint32_t)work->queues[i], other;
    const int64_t *values = work->values;

    if (values && other_of(work->attr, &other)) {
        skedi_tree_number_put(tree, slot, other, SKED_UNSET);
    }
    if (values) values += i * tree->draft.kinds;
    amounts_put(tree, slot, work->index, values);
}

/* Is there anything in the values that a column has to be there for? */
static int all_rest(const sked_tree *tree, const set_work *work)
{
    int64_t rest = skedi_attr_rest(work->attr);
    int number = work->attr->shape == SKEDI_SHAPE_NUMBER;
    size_t n = number ? work->n : work->n * tree->draft.kinds;

    for (size_t i = 0; work->values && i < n; i++) {
        int unset = number && work->values[i] == SKED_UNSET;
        if (!unset && work->values[i] != rest) return 0;
    }
    return 1;
}

static int column_reserve(sked_tree *tree, const set_work *work)
{
    skedi_mem *mem = &tree->hooks.mem;

    if (all_rest(tree, work)) return 1;
    if (work->attr->shape == SKEDI_SHAPE_NUMBER) {
        return skedi_draft_number_ensure(&tree->draft, mem, work->index);
    }
    return skedi_draft_amount_ensure(&tree->draft, mem, work->index);
}

static sked_status set_rows(sked_tree *tree, const set_work *work,
                            sked_error *err)
{
    sked_status rc = set_check(tree, work, err);

    if (rc != SKED_OK) return rc;
    if (!column_reserve(tree, work)) {
        return skedi_fail_memory(err);
    }
    for (size_t i = 0; i < work->n; i++) {
        if (work->attr->shape == SKEDI_SHAPE_NUMBER) {
            number_write(tree, work, i);
        } else {
            amounts_write(tree, work, i);
        }
    }
    return SKED_OK;
}

/* Finds the attribute of the work, or says what is wrong. */
static sked_status work_check(const sked_tree *tree, set_work *work,
                              int32_t attribute, uint8_t shape, sked_error *err)
{
    work->attr = skedi_attr_of(attribute, shape);
    if (!tree) return skedi_fail_null(err, "tree");
    if (!work->attr) {
        skedi_fault at = {.got = attribute};
        return skedi_fail(err, SKED_ERR_ARG, "no such attribute", at);
    }
    work->index = skedi_attr_index(work->attr);
    if (work->n == 0 || (work->queues && (work->values || work->lone))) {
        return SKED_OK;
    }
    return skedi_fail_null(err, work->queues ? "values" : "queues");
}

sked_status sked_tree_set(sked_tree *tree, sked_queue_id queue,
                          int32_t attribute, int64_t value, sked_error *err)
{
    set_work work = {.queues = &queue, .values = &value, .n = 1, .lone = 1};
    sked_status rc = work_check(tree, &work, attribute, SKEDI_SHAPE_NUMBER,
                                err);

    return rc == SKED_OK ? set_rows(tree, &work, err) : rc;
}

sked_status sked_tree_set_vec(sked_tree *tree, sked_queue_id queue,
                              int32_t attribute, const int64_t *amounts,
                              sked_error *err)
{
    set_work work = {.queues = &queue, .values = amounts, .n = 1, .lone = 1};
    sked_status rc = work_check(tree, &work, attribute, SKEDI_SHAPE_AMOUNTS,
                                err);

    return rc == SKED_OK ? set_rows(tree, &work, err) : rc;
}

sked_status sked_tree_set_column(sked_tree *tree, int32_t attribute,
                                 const sked_queue_id *queues,
                                 const int64_t *values, size_t n,
                                 sked_error *err)
{
    set_work work = {.queues = queues, .values = values, .n = n};
    sked_status rc = work_check(tree, &work, attribute, SKEDI_SHAPE_NUMBER,
                                err);

    return rc == SKED_OK ? set_rows(tree, &work, err) : rc;
}

sked_status sked_tree_set_column_vec(sked_tree *tree, int32_t attribute,
                                     const sked_queue_id *queues,
                                     const int64_t *amounts, size_t n,
                                     sked_error *err)
{
    set_work work = {.queues = queues, .values = amounts, .n = n};
    sked_status rc = work_check(tree, &work, attribute, SKEDI_SHAPE_AMOUNTS,
                                err);

    return rc == SKED_OK ? set_rows(tree, &work, err) : rc;
}
