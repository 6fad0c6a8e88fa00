/* Orders of children and of applications, on plain arrays. A case may divide
 * its rows into classes that are served one after the other, each by an order
 * of its own. */
#define _POSIX_C_SOURCE 200809L
#include <sched/order.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

/* A column as the library takes it; NULL when the case has none. */
static void *column_of(vec_case *c, const char *name, size_t width)
{
    size_t n;
    const int64_t *wide = vec_numbers(c, name, &n);
    unsigned char *out = wide ? vec_room(n, width) : NULL;

    for (size_t i = 0; i < n; i++) {
        uint32_t word = (uint32_t)wide[i];
        uint8_t byte = (uint8_t)wide[i];
        if (width == sizeof word) memcpy(out + i * width, &word, width);
        if (width == sizeof byte) out[i] = byte;
    }
    return out;
}

/* Rows in the order found, with their keys. */
typedef struct found {
    uint32_t *row;
    sked_order_key *key;
    uint8_t *chosen;
    size_t n;
} found;

static found found_room(size_t rows)
{
    return (found){vec_room(rows, sizeof(uint32_t)),
                   vec_room(rows, sizeof(sked_order_key)), vec_room(rows, 1),
                   0};
}

static void found_free(found *f)
{
    free(f->row);
    free(f->key);
    free(f->chosen);
}

/* Marks the rows of one class; how many there are. */
static size_t choose(vec_case *c, found *f, size_t rows, int64_t class)
{
    size_t n, m, chosen = 0;
    const int64_t *of = vec_numbers(c, "class", &n);
    const int64_t *eligible = vec_numbers(c, "eligible", &m);

    for (size_t i = 0; i < rows; i++) {
        f->chosen[i] = of[i] == class && (!eligible || eligible[i]);
        chosen += f->chosen[i];
    }
    return chosen;
}

static int64_t classes_of(vec_case *c, size_t *rows)
{
    const int64_t *of = vec_numbers(c, "class", rows);
    int64_t most = 0;

    for (size_t i = 0; i < *rows; i++) most = of[i] > most ? of[i] : most;
    return most + 1;
}

/* ---- Children ---- */

static sked_status find_children(vec_case *c, found *f, sked_error *err)
{
    size_t n, rows, kinds;
    const int64_t *order = vec_numbers(c, "order", &n);
    int64_t classes = classes_of(c, &rows);
    uint32_t *weight = column_of(c, "weight", sizeof *weight);
    int32_t *priority = column_of(c, "priority", sizeof *priority);
    sked_status rc = SKED_OK;
    sked_order_children_input in = {
        .struct_size = sizeof in,
        .n = (uint32_t)rows,
        .weight = weight,
        .priority = priority,
        .usage = vec_numbers(c, "usage", &n),
        .guarantee = vec_numbers(c, "guarantee", &n),
        .capacity = vec_numbers(c, "capacity", &kinds),
    };

    in.kinds = (uint32_t)kinds;
    *f = found_room(rows);
    in.eligible = f->chosen;
    for (int64_t class = 0; class < classes && rc == SKED_OK; class ++) {
        size_t more = 0;
        if (choose(c, f, rows, class) == 0) continue;
        in.order = (int32_t)order[class];
        in.flags = in.order == SKED_ORDER_POLICY_PRIORITY
                       ? SKED_ORDER_FLAG_WITHIN_FIRST
                       : 0;
        rc = sked_order_children(&in, NULL, f->row + f->n, f->key + f->n, &more,
                                 err);
        f->n += more;
    }
    free(weight);
    free(priority);
    return rc;
}

/* ---- Applications ---- */

static sked_status find_apps(vec_case *c, found *f, sked_error *err)
{
    size_t n, rows, kinds;
    int64_t classes = classes_of(c, &rows);
    uint32_t *weight = column_of(c, "weight", sizeof *weight);
    int32_t *priority = column_of(c, "priority", sizeof *priority);
    sked_status rc = SKED_OK;
    sked_order_apps_input in = {
        .struct_size = sizeof in,
        .order = (int32_t)vec_number(c, "order", 0),
        .n = (uint32_t)rows,
        .submitted = vec_numbers(c, "submitted", &n),
        .priority = priority,
        .weight = weight,
        .usage = vec_numbers(c, "usage", &n),
        .capacity = vec_numbers(c, "capacity", &kinds),
        .key = vec_numbers(c, "key", &n),
    };

    in.kinds = kinds ? (uint32_t)kinds : 1;
    *f = found_room(rows);
    in.eligible = f->chosen;
    for (int64_t class = 0; class < classes && rc == SKED_OK; class ++) {
        size_t more = 0;
        if (choose(c, f, rows, class) == 0) continue;
        rc = sked_order_apps(&in, NULL, f->row + f->n, f->key + f->n, &more,
                             err);
        f->n += more;
    }
    free(weight);
    free(priority);
    return rc;
}

/* ---- Judging ---- */

static int judge_rows(vec_case *c, const found *f)
{
    int64_t *wide = vec_room(f->n, sizeof *wide);
    int reverse = (int)vec_number(c, "reverse", 0);

    for (size_t i = 0; i < f->n; i++) {
        wide[reverse ? f->n - 1 - i : i] = f->row[i];
    }
    int64_t shown = vec_number(c, "first_only", (int64_t)f->n);
    size_t n = (size_t)shown < f->n ? (size_t)shown : f->n;
    int said = vec_judge(c, "want", wide, n);
    free(wide);
    return said;
}

/* The sign of two rows: which came first; 0 where nothing told them apart. */
static int judge_pair(vec_case *c, const found *f)
{
    size_t n;
    const int64_t *of = vec_numbers(c, "class", &n);
    int64_t first = vec_number(c, "first", 0);
    int64_t sign = f->row[0] == (uint32_t)first ? -1 : 1;

    if (f->n != 2) return vec_fail(c, "not two rows");
    if (of[0] == of[1] && f->key[0].high == f->key[1].high &&
        f->key[0].low == f->key[1].low && vec_number(c, "tie", 0)) {
        sign = 0;
    }
    return vec_judge(c, "want", &sign, 1);
}

static int run(vec_case *c,
               sked_status (*find)(vec_case *, found *, sked_error *),
               int (*judge)(vec_case *, const found *))
{
    found f;
    sked_error err;
    sked_status rc = find(c, &f, &err);
    int said = rc == SKED_OK ? judge(c, &f) : vec_fail(c, err.message);

    found_free(&f);
    return said;
}

static int run_children(vec_case *c)
{
    return run(c, find_children, judge_rows);
}

static int run_pair(vec_case *c)
{
    return run(c, find_children, judge_pair);
}

static int run_apps(vec_case *c)
{
    return run(c, find_apps, judge_rows);
}

static int run_apps_pair(vec_case *c)
{
    return run(c, find_apps, judge_pair);
}

const vec_runner vec_run_order[] = {
    {"children", run_children},   {"pair", run_pair}, {"apps", run_apps},
    {"apps_pair", run_apps_pair}, {NULL, NULL},
};
