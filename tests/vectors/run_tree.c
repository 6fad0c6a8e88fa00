/* Trees, what ledgers add up over them, and orders that draw. */
#define _POSIX_C_SOURCE 200809L
#include <sched/ledger.h>
#include <sched/order.h>
#include <sched/tree_text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

enum { MOST_QUEUES = 1000, MOST_KINDS = 32, MOST_FAULTS = 1000 };

/* A tree of the case: queue i is called "q<i>", row by row as listed. */
typedef struct grove {
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_queue_id id[MOST_QUEUES];
    size_t n;
} grove;

static void grove_free(grove *g)
{
    sked_ledger_free(g->ledger);
    sked_tree_free(g->tree);
    sked_schema_free(g->schema);
}

/* Adds the queues of `parent`, whose first is the root. */
static sked_status add_queues(grove *g, const int64_t *parent, size_t n)
{
    sked_status rc = SKED_OK;

    g->id[0] = sked_tree_root(g->tree);
    g->n = n;
    for (size_t i = 1; i < n && rc == SKED_OK; i++) {
        char name[32];
        snprintf(name, sizeof name, "q%zu", i);
        rc = sked_tree_add(g->tree, g->id[parent[i]], name, &g->id[i], NULL);
    }
    return rc;
}

static sked_status grove_new(grove *g, const int64_t *parent, size_t n,
                             size_t kinds, const sked_host *host)
{
    char name[MOST_KINDS][8];
    const char *names[MOST_KINDS];

    *g = (grove){0};
    if (n == 0 || n > MOST_QUEUES || kinds > MOST_KINDS) return SKED_ERR_RANGE;
    for (size_t k = 0; k < kinds; k++) {
        snprintf(name[k], sizeof *name, "k%zu", k);
        names[k] = name[k];
    }
    sked_status rc = sked_schema_new(names, NULL, kinds, host, &g->schema,
                                     NULL);
    if (rc == SKED_OK) {
        rc = sked_tree_new(g->schema, NULL, host, &g->tree, NULL);
    }
    if (rc == SKED_OK) rc = add_queues(g, parent, n);
    if (rc == SKED_OK)
        rc = sked_tree_commit(g->tree, SKED_TREE_COMMIT_LENIENT, NULL);
    if (rc == SKED_OK)
        rc = sked_ledger_new(g->tree, NULL, host, &g->ledger, NULL);
    return rc;
}

/* Judges amounts that are by row of the tree, not by row of the case. */
static int judge_by_id(vec_case *c, grove *g, const int64_t *by_row)
{
    int64_t *got = vec_room(g->n, sizeof *got);

    for (size_t i = 0; i < g->n; i++) {
        size_t row = 0;
        if (sked_tree_row(g->tree, g->id[i], &row) == SKED_OK) {
            got[i] = by_row[row];
        }
    }
    int said = vec_judge(c, "want", got, g->n);
    free(got);
    return said;
}

/* What leaves use, added up to the root. */
static int run_rollup(vec_case *c)
{
    size_t n, m;
    const int64_t *parent = vec_numbers(c, "parent", &n);
    const int64_t *usage = vec_numbers(c, "usage", &m);
    const int64_t *leaf = vec_numbers(c, "leaf", &m);
    size_t kinds = (size_t)vec_number(c, "kinds", 1);
    int64_t *got = vec_room(n * kinds, sizeof *got);
    grove g;
    sked_status rc = grove_new(&g, parent, n, kinds, NULL);

    for (size_t i = 0; i < n && rc == SKED_OK; i++) {
        if (!leaf[i]) continue;
        rc = sked_ledger_set(g.ledger, SKED_LEDGER_USAGE, &g.id[i],
                             usage + i * kinds, 1, NULL);
    }
    for (size_t i = 0; i < n && rc == SKED_OK; i++) {
        rc = sked_ledger_get(g.ledger, SKED_LEDGER_USAGE, g.id[i],
                             got + i * kinds);
    }
    int said = rc == SKED_OK ? vec_judge(c, "want", got, n * kinds)
                             : vec_fail(c, sked_status_name(rc));
    grove_free(&g);
    free(got);
    return said;
}

/* Guarantees as parts of the parent's guarantee. */
static int run_parts(vec_case *c)
{
    size_t n, m, found = 0;
    const int64_t *parent = vec_numbers(c, "parent", &n);
    const int64_t *parts = vec_numbers(c, "parts", &m);
    int64_t *got = vec_room(n, sizeof *got);
    grove g;
    sked_status rc = grove_new(&g, parent, n, 1, NULL);

    for (size_t i = 1; i < n && rc == SKED_OK; i++) {
        rc = sked_tree_set(g.tree, g.id[i], SKED_QUEUE_GUARANTEE_PPM, parts[i],
                           NULL);
    }
    if (rc == SKED_OK)
        rc = sked_tree_commit(g.tree, SKED_TREE_COMMIT_LENIENT, NULL);
    if (rc == SKED_OK) {
        rc = sked_tree_column_vec(g.tree, SKED_QUEUE_GUARANTEE, 0,
                                  vec_number(c, "capacity", 0), got, n, &found);
    }
    got[0] = vec_number(c, "capacity", 0); /* what the root has */
    int said = rc == SKED_OK ? judge_by_id(c, &g, got)
                             : vec_fail(c, sked_status_name(rc));
    grove_free(&g);
    free(got);
    return said;
}

/* ---- Text ---- */

/* The text of the case: lines are divided by '|'. */
static char *text_of(vec_case *c, size_t *length)
{
    const char *from = vec_text(c, "text");
    char *text;

    *length = strlen(from);
    text = vec_room(*length + 1, 1);
    memcpy(text, from, *length);
    for (size_t i = 0; i < *length; i++) {
        if (text[i] == '|') text[i] = '\n';
    }
    return text;
}

/* Reads the text into a tree, or lists what is wrong with it. */
static sked_status read_text(vec_case *c, grove *g, sked_fault *faults,
                             size_t *n)
{
    size_t length;
    char *text = text_of(c, &length);
    sked_status rc = sked_tree_parse_schema(text, length, NULL, &g->schema,
                                            NULL);

    *n = 0;
    if (rc == SKED_OK) {
        rc = sked_tree_new(g->schema, NULL, NULL, &g->tree, NULL);
    }
    if (rc == SKED_OK) {
        rc = sked_tree_parse(g->tree, text, length, NULL, faults, MOST_FAULTS,
                             n, NULL);
    }
    if (rc == SKED_OK) rc = sked_tree_faults(g->tree, faults, MOST_FAULTS, n);
    free(text);
    return rc;
}

/* Has the line that is meant no fault of the kinds that are meant? */
static int run_faults(vec_case *c)
{
    static sked_fault faults[MOST_FAULTS];
    size_t n, n_codes;
    const int64_t *codes = vec_numbers(c, "codes", &n_codes);
    int64_t line = vec_number(c, "line", 0), good = 1;
    grove g = {0};
    sked_status rc = read_text(c, &g, faults, &n);

    for (size_t i = 0; i < n && i < MOST_FAULTS; i++) {
        for (size_t k = 0; k < n_codes; k++) {
            if (faults[i].code == codes[k] && faults[i].line == line) good = 0;
        }
    }
    grove_free(&g);
    if (rc != SKED_OK && rc != SKED_ERR_SYNTAX) {
        return vec_fail(c, sked_status_name(rc));
    }
    return vec_judge(c, "want", &good, 1);
}

static int run_find(vec_case *c)
{
    static sked_fault faults[MOST_FAULTS];
    size_t n;
    grove g = {0};
    sked_queue_id id;
    int64_t found = 0;
    sked_status rc = read_text(c, &g, faults, &n);

    if (rc == SKED_OK)
        rc = sked_tree_commit(g.tree, SKED_TREE_COMMIT_LENIENT, NULL);
    if (rc == SKED_OK) {
        found = sked_tree_find(g.tree, vec_text(c, "path"), &id, NULL) ==
                SKED_OK;
    }
    int said = rc == SKED_OK ? vec_judge(c, "want", &found, 1)
                             : vec_fail(c, sked_status_name(rc));
    grove_free(&g);
    return said;
}

/* ---- Draws ---- */

typedef struct draws {
    const int64_t *high;
    const int64_t *low;
    size_t n;
    size_t next;
} draws;

static uint64_t next_draw(void *user)
{
    draws *d = user;

    if (d->next == d->n) return 0;
    uint64_t bits = (uint64_t)d->high[d->next] << 32 |
                    (uint64_t)d->low[d->next];
    d->next++;
    return bits;
}

static sked_status list_children(grove *g, const sked_host *host,
                                 sked_queue_id *ids, size_t *n)
{
    const int64_t capacity = 1;
    uint8_t eligible[MOST_QUEUES];
    sked_order_input view = {.struct_size = sizeof view,
                             .tree = g->tree,
                             .ledger = g->ledger,
                             .capacity = &capacity,
                             .eligible = eligible};
    sked_order *order = NULL;

    memset(eligible, 1, sizeof eligible);
    sked_status rc = sked_order_new(NULL, host, &order, NULL);
    if (rc == SKED_OK) {
        rc = sked_order_list(order, &view, g->id[0], ids, MOST_QUEUES, n, NULL);
    }
    sked_order_free(order);
    return rc;
}

static int run_shuffle(vec_case *c)
{
    size_t m, given, n = (size_t)vec_number(c, "n", 0), found = 0;
    draws d = {.high = vec_numbers(c, "upper", &m)};
    sked_host host = {
        .struct_size = sizeof host, .user = &d, .random = next_draw};
    sked_queue_id ids[MOST_QUEUES];
    int64_t *zeros = vec_room(n + 1, sizeof *zeros);
    grove g;

    d.low = vec_numbers(c, "lower", &given);
    d.n = given;
    sked_status rc = grove_new(&g, zeros, n + 1, 1, NULL);
    if (rc == SKED_OK) {
        rc = sked_tree_set(g.tree, g.id[0], SKED_QUEUE_ORDER,
                           SKED_ORDER_POLICY_RANDOM, NULL);
    }
    if (rc == SKED_OK)
        rc = sked_tree_commit(g.tree, SKED_TREE_COMMIT_LENIENT, NULL);
    if (rc == SKED_OK) rc = sked_ledger_follow(g.ledger, g.tree, NULL);
    if (rc == SKED_OK) rc = list_children(&g, &host, ids, &found);
    for (size_t i = 0; i < found; i++) {
        size_t row = 0;
        (void)!sked_tree_row(g.tree, ids[i], &row);
        zeros[i] = (int64_t)row - 1;
    }
    int said = rc == SKED_OK ? vec_judge(c, "want", zeros, found)
                             : vec_fail(c, sked_status_name(rc));
    grove_free(&g);
    free(zeros);
    return said;
}

const vec_runner vec_run_tree[] = {
    {"rollup", run_rollup}, {"parts", run_parts},     {"faults", run_faults},
    {"find", run_find},     {"shuffle", run_shuffle}, {NULL, NULL},
};
