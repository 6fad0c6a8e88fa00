/*
 * Storage of the committed columns. A single table describes the plain columns;
 * making, copying and freeing the columns are therefore each a loop.
 */
#include "tree/image.h"

#include <string.h>

#include "base/arith.h"

enum { PLAIN_COLUMNS = 16 };

typedef struct plain_column {
    uint16_t offset; /* of the pointer in skedi_image */
    uint8_t size;    /* of an item */
    uint8_t extra;   /* items in addition to the rows */
} plain_column;

#define PLAIN(field, more)                                                     \
    {                                                                          \
        offsetof(skedi_image, field), sizeof *((skedi_image *)0)->field, more  \
    }

static const plain_column plain_columns[PLAIN_COLUMNS] = {
    PLAIN(id, 0),          PLAIN(birth, 0),    PLAIN(parent, 0),
    PLAIN(first_child, 1), PLAIN(leaf, 0),     PLAIN(depth, 0),
    PLAIN(weight, 0),      PLAIN(priority, 0), PLAIN(order, 0),
    PLAIN(fair_kind, 0),   PLAIN(apps, 0),     PLAIN(state, 0),
    PLAIN(name, 0),        PLAIN(label, 0),    PLAIN(users, 0),
    PLAIN(line, 0),
};

/* Pointers to columns differ in type, hence are copied as bytes. */
static void *plain_get(const skedi_image *image, const plain_column *column)
{
    void *at;

    memcpy(&at, (const unsigned char *)image + column->offset, sizeof at);
    return at;
}

static void plain_set(skedi_image *image, const plain_column *column, void *at)
{
    memcpy((unsigned char *)image + column->offset, &at, sizeof at);
}

static size_t amount_size(const skedi_image *image)
{
    return image->kinds * sizeof(int64_t);
}

static void rows_free(skedi_image *image, skedi_mem *mem)
{
    for (size_t i = 0; i < PLAIN_COLUMNS; i++) {
        const plain_column *column = &plain_columns[i];
        skedi_free(mem, plain_get(image, column), image->cap + column->extra,
                   column->size);
        plain_set(image, column, NULL);
    }
    for (size_t i = 0; i < SKEDI_NUMBERS; i++) {
        skedi_free(mem, image->number_memory[i], image->cap, sizeof(int64_t));
        image->number_memory[i] = image->number[i] = NULL;
    }
    for (size_t i = 0; i < SKEDI_AMOUNTS; i++) {
        skedi_free(mem, image->amount_memory[i], image->cap,
                   amount_size(image));
        image->amount_memory[i] = image->amount[i] = NULL;
    }
    image->cap = image->n = 0;
}

static int plain_ensure(skedi_image *image, skedi_mem *mem)
{
    for (size_t i = 0; i < PLAIN_COLUMNS; i++) {
        const plain_column *column = &plain_columns[i];
        if (plain_get(image, column)) continue;
        void *at = skedi_new(mem, image->cap + column->extra, column->size);
        if (!at) return 0;
        plain_set(image, column, at);
    }
    return 1;
}

static int one_column_ensure(int64_t **column, skedi_mem *mem, size_t n,
                             size_t size)
{
    if (!*column) *column = skedi_new(mem, n, size);
    return *column != NULL;
}

static int used_ensure(skedi_image *image, skedi_mem *mem, uint32_t used)
{
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        if (!(used & SKEDI_TOUCH_NUMBER(i))) continue;
        if (!one_column_ensure(&image->number_memory[i], mem, image->cap,
                               sizeof(int64_t))) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        if (!(used & SKEDI_TOUCH_AMOUNT(i))) continue;
        if (!one_column_ensure(&image->amount_memory[i], mem, image->cap,
                               amount_size(image))) {
            return 0;
        }
    }
    return 1;
}

/* The columns with memory, as bits. */
static uint32_t columns_reserved(const skedi_image *image)
{
    uint32_t columns = 0;

    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        if (image->number_memory[i]) columns |= SKEDI_TOUCH_NUMBER(i);
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        if (image->amount_memory[i]) columns |= SKEDI_TOUCH_AMOUNT(i);
    }
    return columns;
}

/* Replaces all columns by new columns with memory for `n` rows. Every old
 * column gets a new column. The old columns are freed only after all new
 * columns exist. */
static int rows_grow(skedi_image *image, skedi_mem *mem, size_t n,
                     uint32_t used)
{
    skedi_image made = {.kinds = image->kinds, .cap = n};

    if (!plain_ensure(&made, mem) || !used_ensure(&made, mem, used)) {
        rows_free(&made, mem);
        return 0;
    }
    made.row_of = image->row_of;
    made.slot_cap = image->slot_cap;
    rows_free(image, mem);
    *image = made;
    return 1;
}

int skedi_image_ensure(skedi_image *image, skedi_mem *mem, size_t n,
                       size_t slots, uint32_t used)
{
    if (n > image->cap) {
        if (!rows_grow(image, mem, n, used | columns_reserved(image))) return 0;
    } else if (!used_ensure(image, mem, used)) {
        return 0;
    }
    if (slots <= image->slot_cap) return 1;

    uint32_t *row_of = skedi_grow(mem, image->row_of, image->slot_cap, slots,
                                  sizeof *row_of);
    if (!row_of) return 0;
    image->row_of = row_of;
    image->slot_cap = slots;
    return 1;
}

/* The columns in use, as bits. */
static uint32_t used_of(const skedi_image *image)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        if (image->number[i]) used |= SKEDI_TOUCH_NUMBER(i);
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        if (image->amount[i]) used |= SKEDI_TOUCH_AMOUNT(i);
    }
    return used;
}

static void columns_from(skedi_image *into, const skedi_image *from)
{
    for (size_t i = 0; i < PLAIN_COLUMNS; i++) {
        const plain_column *column = &plain_columns[i];
        memcpy(plain_get(into, column), plain_get(from, column),
               ((size_t)from->n + column->extra) * column->size);
    }
    for (size_t i = 0; i < SKEDI_NUMBERS; i++) {
        into->number[i] = NULL;
        if (!from->number[i]) continue;
        into->number[i] = into->number_memory[i];
        memcpy(into->number[i], from->number[i], from->n * sizeof(int64_t));
    }
    for (size_t i = 0; i < SKEDI_AMOUNTS; i++) {
        into->amount[i] = NULL;
        if (!from->amount[i]) continue;
        into->amount[i] = into->amount_memory[i];
        memcpy(into->amount[i], from->amount[i], from->n * amount_size(from));
    }
    memcpy(into->row_of, from->row_of, from->n_slots * sizeof *from->row_of);
}

void skedi_image_assign(skedi_image *into, const skedi_image *from)
{
    columns_from(into, from);
    into->n = from->n;
    into->levels = from->levels;
    into->n_leaves = from->n_leaves;
    memcpy(into->level, from->level, sizeof into->level);
    into->version = from->version;
    into->shape = from->shape;
    into->key = from->key;
    into->shape_key = from->shape_key;
    into->file = from->file;
    into->n_slots = from->n_slots;
}

int skedi_image_copy(skedi_image *into, skedi_mem *mem, const skedi_image *from)
{
    skedi_image made = {.kinds = from->kinds};

    if (!skedi_image_ensure(&made, mem, from->n, from->n_slots,
                            used_of(from))) {
        skedi_image_free(&made, mem);
        return 0;
    }
    skedi_image_assign(&made, from);
    *into = made;
    return 1;
}

void skedi_image_free(skedi_image *image, skedi_mem *mem)
{
    rows_free(image, mem);
    skedi_free(mem, image->row_of, image->slot_cap, sizeof *image->row_of);
    image->row_of = NULL;
    image->slot_cap = 0;
}

int64_t skedi_image_number(const skedi_image *image, uint32_t index,
                           uint32_t row)
{
    const int64_t *at = image->number[index];

    return at ? at[row] : skedi_attr_rest(skedi_attr_at(index));
}

/* The result is 0 if the queue or any ancestor says no. */
static int64_t preempt_from(const skedi_image *image, uint32_t row)
{
    const int64_t *at = image->number[SKEDI_AT_PREEMPT_FROM];
    int32_t r = (int32_t)row;

    while (at && r >= 0 && at[r] != 0) r = image->parent[r];
    return !at || r < 0;
}

int64_t skedi_image_effective(const skedi_image *image, uint32_t index,
                              uint32_t row)
{
    const skedi_attr *attr = skedi_attr_at(index);
    const int64_t *at = image->number[index];
    int32_t r = (int32_t)row;

    if (index == SKEDI_AT_PREEMPT_FROM) return preempt_from(image, row);
    if (!at) return attr->fallback;
    if (!attr->inherited) return at[row];
    while (r >= 0 && at[r] == SKED_UNSET) r = image->parent[r];
    return r < 0 ? attr->fallback : at[r];
}

/* The amount to which the parts of a row's children refer. */
static int64_t base_of(const skedi_image *image, const int64_t *by_row,
                       uint32_t index, int64_t capacity, uint32_t row)
{
    int32_t r = (int32_t)row;

    if (index == SKEDI_AT_GUARANTEE) return row == 0 ? capacity : by_row[row];
    while (r >= 0 && by_row[r] == SKED_UNLIMITED) r = image->parent[r];
    return r < 0 ? capacity : skedi_i64_min(by_row[r], capacity);
}

static int64_t part_of(int64_t base, int64_t ppm)
{
    uint64_t rest;

    return (int64_t)skedi_muldiv((uint64_t)base, (uint64_t)ppm,
                                 (uint64_t)SKED_PPM, &rest);
}

static void family_resolve(const skedi_image *image, const int64_t *parts,
                           int64_t base, uint32_t row, int64_t *by_row)
{
    uint32_t end = image->first_child[row + 1];

    for (uint32_t r = image->first_child[row]; r < end; r++) {
        if (parts[r] != SKED_UNSET) by_row[r] = part_of(base, parts[r]);
    }
}

void skedi_image_resolve(const skedi_image *image, uint32_t index,
                         uint32_t kind, int64_t capacity, int64_t *by_row)
{
    const int64_t *own = skedi_image_amounts(image, index, kind);
    const int64_t *parts = NULL;

    if (index == SKEDI_AT_GUARANTEE) {
        parts = image->number[SKEDI_AT_GUARANTEE_PPM];
    } else if (index == SKEDI_AT_LIMIT) {
        parts = image->number[SKEDI_AT_LIMIT_PPM];
    }
    int64_t rest = skedi_attr_rest(skedi_attr_at(SKEDI_NUMBERS + index));
    for (uint32_t r = 0; r < image->n; r++) by_row[r] = own ? own[r] : rest;
    if (!parts) return;
    if (parts[0] != SKED_UNSET) by_row[0] = part_of(capacity, parts[0]);
    for (uint32_t r = 0; r < image->n; r++) {
        if (skedi_image_is_leaf(image, r)) continue;
        family_resolve(image, parts, base_of(image, by_row, index, capacity, r),
                       r, by_row);
    }
}
