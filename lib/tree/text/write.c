/*
 * Writes queues as text. A commit is the line of kinds, then a line for each
 * queue. A queue precedes the queues below, and siblings keep their order. The
 * attributes follow the order of their table, with users' weights last. Equal
 * trees are therefore equal bytes.
 */
#include "tree/text/write.h"

#include <string.h>

#include "res/amount.h"
#include "tree/path_text.h"
#include "tree/text/value.h"
#include "tree/users.h"

/*
 * Faults as sentences. Each code has a sentence with placeholders:
 *
 *     %k  " of memory", or empty if no kind is at fault
 *     %g  the value found, in the unit of the kind or attribute; %l the bound
 *     %n  the value found as a plain number; %m the plain bound
 *     %a  the attribute's name
 */

/* Fits the longest sentence. An array instead of pointers, because pointers
 * need relocation. */
typedef char fault_words[104];

static const fault_words text_fault_words[] = {
    [SKED_FAULT_SYNTAX] = "", /* write_syntax() names the byte */
    [SKED_FAULT_UNKNOWN_KEY] = "no attribute has that name",
    [SKED_FAULT_BAD_VALUE] = "", /* write_bad_value() names the range */
    [SKED_FAULT_DUPLICATE_KEY] = "%a is said twice",
    [SKED_FAULT_DUPLICATE_QUEUE] = "the queue is on line %m already",
    [SKED_FAULT_MISSING_PARENT] = "no line before this one has that parent",
    [SKED_FAULT_TOO_DEEP] = "level %n is below the deepest, %m",
    [SKED_FAULT_TOO_MANY] = "%n queues are more than the tree takes, %m",
    [SKED_FAULT_ROOT] = "the path does not begin at the root",
};

static const fault_words draft_fault_words[] = {
    [SKED_FAULT_GUARANTEE_ABOVE_PARENT -
     16] = "guarantees%k below add to %g, above the queue's own %l",
    [SKED_FAULT_GUARANTEE_ABOVE_LIMIT -
        16] = "guarantee%k %g is above the limit %l",
    [SKED_FAULT_LIMIT_ABOVE_PARENT -
        16] = "limit%k %g is above %l, which holds above it",
    [SKED_FAULT_PARTS_SUM -
        16] = "guarantees below are parts that add to %g, not to %l",
    [SKED_FAULT_PARTS_MIXED -
        16] = "%n of %m guarantees below are parts, the others are amounts",
    [SKED_FAULT_DEAD_WEIGHT -
        16] = "weight 0 without a guarantee: the queue gets nothing",
    [SKED_FAULT_ALL_DEAD -
        16] = "all %n queues below weigh 0: what is spare is lost",
    [SKED_FAULT_BORROW_BEYOND_LIMIT -
        16] = "borrowing%k reaches %g, beyond the limit %l: it has no effect",
    [SKED_FAULT_LEND_ABOVE_GUARANTEE -
        16] = "lend%k %g is above the guarantee %l: it has no effect",
    [SKED_FAULT_RUNNING_ABOVE_PARENT -
        16] = "max_running %n is above %m, which holds above it",
    [SKED_FAULT_APPS_ON_PARENT - 16] =
        "apps=%g has no effect: the queue has queues below, no applications",
    [SKED_FAULT_ORDER_ON_LEAF -
        16] = "order=%g has no effect: the queue has none below",
    [SKED_FAULT_PREEMPT_REENABLED -
        16] = "preempt_from=yes has no effect: a queue above says no",
    [SKED_FAULT_TIMEOUT_IDLE - 16] =
        "preempt_min_timeout=%g has no effect: the queue has no guarantee",
    [SKED_FAULT_GUARANTEE_LIFTED - 16] =
        "guarantees%k below add to %g, which the queue, stating none, has",
    [SKED_FAULT_PRIORITY_BEFORE_GUARANTEE - 16] =
        "order=priority puts priority %n before guarantees of priority %m",
};

enum {
    TEXT_FAULTS = sizeof text_fault_words / sizeof *text_fault_words,
    DRAFT_FAULTS = sizeof draft_fault_words / sizeof *draft_fault_words
};

static const skedi_attr *fault_attr(const sked_fault *fault)
{
    for (size_t i = 0; i < SKEDI_ATTRS; i++) {
        if (skedi_attr_at(i)->id == fault->attribute) return skedi_attr_at(i);
    }
    return NULL;
}

static int has_kind(const sked_tree *tree, const sked_fault *fault)
{
    return fault->kind >= 0 &&
           (size_t)fault->kind < sked_schema_kinds(&tree->schema);
}

/* Can the number be written in the notation of the attribute? Sums of ratios
 * may exceed the attribute's range. */
static int is_sayable(const sked_tree *tree, const skedi_attr *attr, int64_t x)
{
    if (!attr || attr->shape != SKEDI_SHAPE_NUMBER) return 0;
    if (attr->said == SKEDI_SAID_RATIO && x >= 0) return 1;
    return skedi_attr_takes(attr, (uint32_t)sked_schema_kinds(&tree->schema),
                            x);
}

/* Writes an amount of the kind at fault, a value of the attribute, or a
 * number. */
static void write_measure(skedi_writer *w, const sked_tree *tree,
                          const sked_fault *fault, int64_t x)
{
    const skedi_attr *attr = fault_attr(fault);

    if (has_kind(tree, fault) && skedi_is_amount(x)) {
        const skedi_kind *kind = &tree->schema.kind[fault->kind];
        skedi_amount_write(w, kind->unit, x, SKED_FORM_SHORT);
    } else if (is_sayable(tree, attr, x)) {
        skedi_write_number(w, attr, &tree->schema, x);
    } else {
        skedi_write_i64(w, x);
    }
}

/* Writes a placeholder of a sentence. */
static void write_place(skedi_writer *w, const sked_tree *tree,
                        const sked_fault *fault, char place)
{
    const skedi_attr *attr = fault_attr(fault);

    switch (place) {
    case 'k':
        if (!has_kind(tree, fault)) return;
        skedi_write_text(w, " of ");
        skedi_write_text(w, tree->schema.kind[fault->kind].name);
        return;
    case 'g': write_measure(w, tree, fault, fault->got); return;
    case 'l': write_measure(w, tree, fault, fault->limit); return;
    case 'n': skedi_write_i64(w, fault->got); return;
    case 'm': skedi_write_i64(w, fault->limit); return;
    default: skedi_write_text(w, attr ? attr->name : "a user's weight");
    }
}

static void write_sentence(skedi_writer *w, const sked_tree *tree,
                           const sked_fault *fault, const char *words)
{
    for (; *words; words++) {
        if (*words != '%') {
            skedi_write_char(w, *words);
            continue;
        }
        words++;
        write_place(w, tree, fault, *words);
    }
}

/* SKED_FAULT_SYNTAX: `got` is the byte, or -1 at the end of the line. */
static void write_syntax(skedi_writer *w, const sked_fault *fault)
{
    static const char hex[] = "0123456789abcdef";
    uint32_t byte = (uint32_t)fault->got & 255;

    if (fault->got < 0) {
        skedi_write_text(w, "the line ends too early");
    } else if (byte > ' ' && byte < 0x7f) {
        skedi_write_char(w, '\'');
        skedi_write_char(w, (char)byte);
        skedi_write_text(w, "' has no place here");
    } else if (byte == ' ' || byte == '\t') {
        skedi_write_text(w, "a blank has no place here");
    } else {
        skedi_write_text(w, "the byte 0x");
        skedi_write_char(w, hex[byte >> 4]);
        skedi_write_char(w, hex[byte & 15]);
        skedi_write_text(w, " has no place here");
    }
}

static void write_words_taken(skedi_writer *w, const char *words)
{
    for (; *words; words++) {
        if (*words == ' ') skedi_write_char(w, ',');
        skedi_write_char(w, *words);
    }
}

static void write_range_taken(skedi_writer *w, int64_t low, int64_t high)
{
    skedi_write_i64(w, low);
    skedi_write_text(w, " to ");
    skedi_write_i64(w, high);
}

/* Writes the values that the attribute accepts. */
static void write_taken(skedi_writer *w, const skedi_attr *attr)
{
    skedi_write_text(w, attr->name);
    skedi_write_text(w, " takes ");
    switch (attr->said) {
    case SKEDI_SAID_WORD: write_words_taken(w, attr->words); break;
    case SKEDI_SAID_RATIO:
        skedi_write_text(w, "0% to ");
        skedi_write_ratio(w, attr->high);
        skedi_write_text(w, " in steps of 0.0001%");
        break;
    case SKEDI_SAID_DURATION:
        skedi_write_text(w, "a time as 30s, in ns us ms s m h d");
        break;
    case SKEDI_SAID_KIND: skedi_write_text(w, "one of the kinds"); break;
    case SKEDI_SAID_VECTOR:
        skedi_write_text(w, "an exact amount of each kind");
        break;
    case SKEDI_SAID_TEXT: skedi_write_text(w, "any text"); break;
    default: write_range_taken(w, attr->low, attr->high);
    }
    if (attr->unlimited) skedi_write_text(w, ", or unlimited");
}

static void write_bad_value(skedi_writer *w, const sked_tree *tree,
                            const sked_fault *fault)
{
    const skedi_attr *attr = fault_attr(fault);

    if (attr) {
        write_taken(w, attr);
    } else {
        skedi_write_text(w, "user_weight takes ");
        write_range_taken(w, 0, UINT32_MAX);
    }
    if (has_kind(tree, fault)) {
        skedi_write_text(w, "; that");
        write_place(w, tree, fault, 'k');
        skedi_write_text(w, " is none");
    }
}

void skedi_write_fault(skedi_writer *w, const sked_tree *tree,
                       const sked_fault *fault)
{
    int32_t code = fault->code, of_draft = code - 16;

    if (code == SKED_FAULT_SYNTAX) {
        write_syntax(w, fault);
    } else if (code == SKED_FAULT_BAD_VALUE) {
        write_bad_value(w, tree, fault);
    } else if (code > 0 && code < TEXT_FAULTS) {
        write_sentence(w, tree, fault, text_fault_words[code]);
    } else if (of_draft >= 0 && of_draft < DRAFT_FAULTS) {
        write_sentence(w, tree, fault, draft_fault_words[of_draft]);
    } else {
        skedi_write_text(w, "fault ");
        skedi_write_i64(w, code);
    }
}

/* Writes "queues.txt:12:7: ", or "line 12:7: " if the text had no name. */
static void write_where(skedi_writer *w, const sked_tree *tree,
                        const sked_fault *fault)
{
    const char *file = skedi_tree_text(tree, tree->draft.file);

    if (!fault->line) return;
    if (fault->code < 16) file = tree->told ? tree->told : "";
    skedi_write_text(w, *file ? file : "line ");
    if (*file) skedi_write_char(w, ':');
    skedi_write_u64(w, fault->line);
    if (fault->column) {
        skedi_write_char(w, ':');
        skedi_write_u64(w, fault->column);
    }
    skedi_write_text(w, ": ");
}

sked_status sked_fault_format(const sked_tree *tree, const sked_fault *fault,
                              char *text, size_t cap, size_t *n)
{
    skedi_writer w = {text, cap, 0};

    if (n) *n = 0;
    if (!tree || !fault || (!text && cap > 0)) return SKED_ERR_ARG;
    write_where(&w, tree, fault);
    uint32_t slot = skedi_draft_slot(&tree->draft, fault->queue);
    if (slot != SKEDI_NO_SLOT) {
        skedi_write_draft_path(&w, tree, slot);
        skedi_write_text(&w, ": ");
    }
    if (fault->severity == SKED_SEVERITY_WARNING) {
        skedi_write_text(&w, "warning: ");
    } else if (fault->severity == SKED_SEVERITY_NOTE) {
        skedi_write_text(&w, "note: ");
    }
    skedi_write_fault(&w, tree, fault);
    if (n) *n = w.n;
    return skedi_write_end(&w);
}

/* ---- The attributes of a queue in draft or commit ---- */

static const skedi_attr *amounts_attr(uint32_t index)
{
    return skedi_attr_at(SKEDI_NUMBERS + index);
}

static void fill_kinds(int64_t *amounts, size_t n, int64_t value)
{
    for (size_t k = 0; k < n; k++) amounts[k] = value;
}

void skedi_values_rest(skedi_values *v, const sked_schema *schema)
{
    v->schema = schema;
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        v->number[i] = skedi_attr_rest(skedi_attr_at(i));
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        fill_kinds(v->amounts[i], schema->n, skedi_attr_rest(amounts_attr(i)));
    }
    v->label = "";
    v->users = NULL;
}

void skedi_values_of_row(skedi_values *v, const sked_tree *tree, uint32_t row)
{
    const skedi_image *image = skedi_tree_live(tree);

    skedi_values_rest(v, &tree->schema);
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        v->number[i] = skedi_image_number(image, i, row);
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        for (uint32_t k = 0; k < image->kinds; k++) {
            const int64_t *by_row = skedi_image_amounts(image, i, k);
            if (by_row) v->amounts[i][k] = by_row[row];
        }
    }
    v->label = skedi_tree_text(tree, image->label[row]);
    v->users = skedi_tree_users(tree, image->users[row]);
}

void skedi_values_of_slot(skedi_values *v, const sked_tree *tree, uint32_t slot)
{
    const skedi_draft *draft = &tree->draft;

    skedi_values_rest(v, &tree->schema);
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        v->number[i] = skedi_draft_number(draft, i, slot);
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        const int64_t *own = skedi_draft_amounts(draft, i, slot);
        if (own) memcpy(v->amounts[i], own, draft->kinds * sizeof *own);
    }
    v->label = skedi_tree_text(tree, draft->slot[slot].label);
    v->users = skedi_tree_users(tree, draft->slot[slot].users);
}

/* Does the attribute differ from its rest value? */
static int values_is_set(const skedi_values *v, const skedi_attr *attr)
{
    uint32_t index = skedi_attr_index(attr);
    int64_t rest = skedi_attr_rest(attr);

    if (attr->shape == SKEDI_SHAPE_TEXT) return *v->label != 0;
    if (attr->shape == SKEDI_SHAPE_NUMBER) return v->number[index] != rest;
    for (uint32_t k = 0; k < v->schema->n; k++) {
        if (v->amounts[index][k] != rest) return 1;
    }
    return 0;
}

/* Writes a set attribute's value, without quotes. */
static void values_write(skedi_writer *w, const skedi_values *v,
                         const skedi_attr *attr)
{
    uint32_t index = skedi_attr_index(attr);

    switch (attr->shape) {
    case SKEDI_SHAPE_NUMBER:
        skedi_write_number(w, attr, v->schema, v->number[index]);
        return;
    case SKEDI_SHAPE_AMOUNTS:
        skedi_write_amounts(w, attr, v->schema, v->amounts[index]);
        return;
    default: skedi_write_text(w, v->label);
    }
}

static int is_part(const skedi_attr *attr)
{
    return attr->id == SKED_QUEUE_GUARANTEE_PPM ||
           attr->id == SKED_QUEUE_LIMIT_PPM;
}

static int same_attr(const skedi_values *a, const skedi_values *b,
                     const skedi_attr *attr)
{
    uint32_t i = skedi_attr_index(attr);

    switch (attr->shape) {
    case SKEDI_SHAPE_NUMBER: return a->number[i] == b->number[i];
    case SKEDI_SHAPE_AMOUNTS:
        return memcmp(a->amounts[i], b->amounts[i],
                      a->schema->n * sizeof(int64_t)) == 0;
    default: return strcmp(a->label, b->label) == 0;
    }
}

int skedi_values_same(const skedi_values *a, const skedi_values *b,
                      const skedi_attr *attr)
{
    const skedi_attr *part = skedi_attr_part(attr);

    if (is_part(attr)) return 1;
    if (part && !same_attr(a, b, part)) return 0;
    return same_attr(a, b, attr);
}

void skedi_values_say(skedi_writer *w, const skedi_values *v,
                      const skedi_attr *attr)
{
    const skedi_attr *part = skedi_attr_part(attr);

    if (part && values_is_set(v, part)) attr = part;
    if (values_is_set(v, attr)) values_write(w, v, attr);
}

/* ---- A whole commit ---- */

/* The row after `row` in preorder; 0: none. */
static uint32_t row_after(const skedi_image *image, uint32_t row)
{
    if (!skedi_image_is_leaf(image, row)) return image->first_child[row];
    while (row != 0) {
        uint32_t parent = (uint32_t)image->parent[row];
        if (row + 1 < image->first_child[parent + 1]) return row + 1;
        row = parent;
    }
    return 0;
}

static void write_key(skedi_writer *w, const char *name)
{
    skedi_write_char(w, ' ');
    skedi_write_text(w, name);
    skedi_write_char(w, '=');
}

static void write_attr(skedi_writer *w, const skedi_values *v,
                       const skedi_attr *attr)
{
    if (!values_is_set(v, attr)) return;
    write_key(w, attr->name);
    if (attr->said == SKEDI_SAID_VECTOR) skedi_write_char(w, '"');
    if (attr->said == SKEDI_SAID_TEXT) {
        skedi_write_value(w, v->label);
    } else {
        values_write(w, v, attr);
    }
    if (attr->said == SKEDI_SAID_VECTOR) skedi_write_char(w, '"');
}

static void write_users(skedi_writer *w, const char *list)
{
    const char *user;
    uint32_t weight;

    for (size_t at = 0; skedi_users_next(list, &at, &user, &weight);) {
        skedi_write_text(w, " " SKEDI_USER_TEXT);
        skedi_write_name(w, user, 0);
        skedi_write_char(w, '=');
        skedi_write_u64(w, weight);
    }
}

static void write_row(skedi_writer *w, const sked_tree *tree, uint32_t row)
{
    skedi_values v;

    skedi_values_of_row(&v, tree, row);
    skedi_write_image_path(w, tree, row);
    for (size_t i = 0; i < SKEDI_ATTRS; i++) {
        write_attr(w, &v, skedi_attr_at(i));
    }
    write_users(w, v.users);
    skedi_write_char(w, '\n');
}

static void write_kinds(skedi_writer *w, const sked_schema *schema)
{
    skedi_write_text(w, "kinds");
    for (uint32_t k = 0; k < sked_schema_kinds(schema); k++) {
        write_key(w, sked_schema_name(schema, k));
        skedi_write_text(w, sked_schema_unit(schema, k));
    }
    skedi_write_char(w, '\n');
}

sked_status sked_tree_format(const sked_tree *tree, char *text, size_t cap,
                             size_t *n)
{
    skedi_writer w = {text, cap, 0};
    uint32_t row = 0;

    if (n) *n = 0;
    if (!tree || (!text && cap > 0)) return SKED_ERR_ARG;
    write_kinds(&w, &tree->schema);
    do {
        write_row(&w, tree, row);
        row = row_after(skedi_tree_live(tree), row);
    } while (row != 0);
    if (n) *n = w.n;
    return skedi_write_end(&w);
}
