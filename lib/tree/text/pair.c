/*
 * From key=value to an attribute of the queue that the line is about. Every
 * value is judged even when the path was at fault; it is only not set then.
 */
#include <string.h>

#include "tree/text/reading.h"
#include "tree/text/value.h"

/* The attribute of that name and the bit that stands for it; NULL: none. Of
 * two with one name, that with amounts. */
static const skedi_attr *attr_named(const skedi_span *key, uint32_t *bit)
{
    for (size_t i = SKEDI_ATTRS; i-- > 0;) {
        const skedi_attr *attr = skedi_attr_at(i);
        if (!skedi_span_is(key, attr->name)) continue;
        *bit = (uint32_t)1 << i;
        return attr;
    }
    return NULL;
}

static void tell_value(skedi_reading *r, const skedi_attr *attr,
                       const skedi_span *value, skedi_misfit why)
{
    sked_fault fault = skedi_reading_fault(r, SKED_FAULT_BAD_VALUE, value,
                                           why.at);

    if (attr) fault.attribute = attr->id;
    fault.got = why.got;
    fault.limit = why.limit;
    fault.kind = why.kind - 1;
    skedi_reading_tell(r, fault);
}

static sked_queue_id line_queue(const skedi_reading *r)
{
    return skedi_slot_id(&r->tree->draft, r->slot);
}

static sked_status set_number(skedi_reading *r, const skedi_attr *attr,
                              const skedi_span *value, size_t n)
{
    skedi_misfit why;
    int64_t x;

    if (!skedi_value_number(attr, &r->tree->schema, r->decoded, n, &x, &why)) {
        tell_value(r, attr, value, why);
        return SKED_OK;
    }
    if (r->slot == SKEDI_NO_SLOT) return SKED_OK;
    return sked_tree_set(r->tree, line_queue(r), attr->id, x, r->err);
}

static sked_status set_amounts(skedi_reading *r, const skedi_attr *attr,
                               const skedi_span *value, size_t n)
{
    int64_t x[SKED_MAX_KINDS];
    skedi_misfit why;

    if (!skedi_value_amounts(attr, &r->tree->schema, r->decoded, n, x, &why)) {
        tell_value(r, attr, value, why);
        return SKED_OK;
    }
    if (r->slot == SKEDI_NO_SLOT) return SKED_OK;
    return sked_tree_set_vec(r->tree, line_queue(r), attr->id, x, r->err);
}

static sked_status set_text(skedi_reading *r, const skedi_attr *attr)
{
    if (r->slot == SKEDI_NO_SLOT) return SKED_OK;
    return sked_tree_set_text(r->tree, line_queue(r), attr->id, r->decoded,
                              r->err);
}

static sked_status set_attr(skedi_reading *r, const skedi_attr *attr,
                            const skedi_span *value)
{
    size_t n = skedi_span_decode(value, r->decoded);

    switch (attr->shape) {
    case SKEDI_SHAPE_NUMBER: return set_number(r, attr, value, n);
    case SKEDI_SHAPE_AMOUNTS: return set_amounts(r, attr, value, n);
    default: return set_text(r, attr);
    }
}

static sked_status set_user(skedi_reading *r, const skedi_word *word)
{
    size_t length = skedi_span_decode(&word->key, r->decoded);
    const char *user = r->decoded + SKEDI_USER_KEY;
    char *text = r->decoded + length + 1;
    size_t n = skedi_span_decode(&word->value, text);
    skedi_misfit why;
    int64_t weight;

    if (length == SKEDI_USER_KEY) {
        skedi_reading_tell(
            r, skedi_reading_fault(r, SKED_FAULT_UNKNOWN_KEY, &word->key, 0));
        return SKED_OK;
    }
    if (!skedi_value_number(skedi_attr_at(SKEDI_AT_WEIGHT), &r->tree->schema,
                            text, n, &weight, &why)) {
        tell_value(r, NULL, &word->value, why);
        return SKED_OK;
    }
    return skedi_reading_user(r, &word->key, user, (uint32_t)weight);
}

static int is_user(const skedi_span *key)
{
    return key->length >= SKEDI_USER_KEY &&
           memcmp(key->raw, SKEDI_USER_TEXT, SKEDI_USER_KEY) == 0;
}

static int is_percentage(const skedi_span *value)
{
    return value->length > 0 && value->raw[value->length - 1] == '%';
}

sked_status skedi_reading_pair(skedi_reading *r, const skedi_word *word)
{
    uint32_t bit;

    if (!word->value.raw) {
        skedi_reading_tell_end(r, &word->key);
        return SKED_OK;
    }
    sked_status rc = skedi_reading_room(r,
                                        word->key.length + word->value.length);
    if (rc != SKED_OK) return rc;
    if (is_user(&word->key)) return set_user(r, word);

    const skedi_attr *attr = attr_named(&word->key, &bit);
    int32_t code = attr ? SKED_FAULT_DUPLICATE_KEY : SKED_FAULT_UNKNOWN_KEY;
    if (!attr || r->said & bit) {
        sked_fault fault = skedi_reading_fault(r, code, &word->key, 0);
        if (attr) fault.attribute = attr->id;
        skedi_reading_tell(r, fault);
        return SKED_OK;
    }
    r->said |= bit;
    if (skedi_attr_part(attr) && is_percentage(&word->value)) {
        attr = skedi_attr_part(attr);
    }
    return set_attr(r, attr, &word->value);
}
