#include "share_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void share_tree_must(sked_status rc)
{
    if (rc == SKED_OK) return;
    (void)fprintf(stderr, "bench: %s\n", sked_status_name(rc));
    exit(1);
}

/* As many levels as it takes, every parent with about 100 children. */
static void grow(share_tree *t, size_t leaves)
{
    size_t size[16], depth = 0, from = 0, made = 1;
    char name[32];

    for (size_t n = leaves; n > 1; n = (n + 99) / SHARE_TREE_FAN_OUT) {
        size[depth++] = n;
    }
    size[depth] = 1;
    t->ids[0] = sked_tree_root(t->tree);
    for (; depth > 0; depth--) {
        size_t above = size[depth], here = size[depth - 1];
        for (size_t i = 0; i < here; i++) {
            sked_queue_id parent = t->ids[from + i * above / here];
            (void)snprintf(name, sizeof name, "q%zu", i);
            share_tree_must(
                sked_tree_add(t->tree, parent, name, &t->ids[made + i], NULL));
        }
        from = made;
        made += here;
    }
    t->n = made;
}

static void settle(share_tree *t)
{
    int64_t *weights = bench_new(t->n, sizeof *weights);
    int64_t *amounts = bench_new(t->n * SHARE_TREE_KINDS, sizeof *amounts);

    for (size_t i = 0; i < t->n; i++) {
        weights[i] = 1 + (int64_t)bench_below(&t->random, 8);
        for (size_t k = 0; k < SHARE_TREE_KINDS; k++) {
            int64_t some = (int64_t)bench_below(&t->random, 1 << 20);
            amounts[i * SHARE_TREE_KINDS + k] = i * SHARE_TREE_FAN_OUT > t->n
                                                    ? some
                                                    : 0;
        }
    }
    share_tree_must(sked_tree_set_column(t->tree, SKED_QUEUE_WEIGHT, t->ids,
                                         weights, t->n, NULL));
    share_tree_must(sked_tree_set_column_vec(t->tree, SKED_QUEUE_GUARANTEE,
                                             t->ids, amounts, t->n, NULL));
    share_tree_must(sked_tree_commit(t->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    free(weights);
    free(amounts);
}

static void fill_ledger(share_tree *t)
{
    size_t n;

    share_tree_must(sked_ledger_new(t->tree, NULL, NULL, &t->ledger, NULL));
    for (uint32_t k = 0; k < SHARE_TREE_KINDS; k++) {
        t->demand[k] = bench_new(t->n, sizeof *t->demand[k]);
        t->guarantee[k] = bench_new(t->n, sizeof *t->guarantee[k]);
        for (size_t i = 0; i < t->n; i++) {
            t->demand[k][i] = (int64_t)bench_below(&t->random, 1 << 24);
            if (!t->children[i]) t->capacity[k] += t->demand[k][i] / 2;
        }
        share_tree_must(sked_ledger_put(t->ledger, SKED_LEDGER_DEMAND, k,
                                        t->demand[k], t->n, NULL));
        share_tree_must(sked_tree_column_vec(t->tree, SKED_QUEUE_GUARANTEE, k,
                                             0, t->guarantee[k], t->n, &n));
    }
}

static void read_shape(share_tree *t)
{
    size_t n;
    int64_t *weight = bench_new(t->n, sizeof *weight);

    t->parent = bench_new(t->n, sizeof *t->parent);
    t->first_row = bench_new(t->n, sizeof *t->first_row);
    t->child_count = bench_new(t->n, sizeof *t->child_count);
    t->first = bench_new(t->n, sizeof *t->first);
    t->children = bench_new(t->n, sizeof *t->children);
    t->weight = bench_new(t->n, sizeof *t->weight);
    share_tree_must(sked_tree_ids(t->tree, t->ids, t->n, &n));
    share_tree_must(sked_tree_rows(t->tree, t->parent, t->first_row,
                                   t->child_count, t->n, &n));
    share_tree_must(
        sked_tree_column(t->tree, SKED_QUEUE_WEIGHT, weight, t->n, &n));
    for (size_t i = 0; i < t->n; i++) {
        t->first[i] = (uint32_t)t->first_row[i];
        t->children[i] = (uint32_t)t->child_count[i];
        t->weight[i] = (double)weight[i];
    }
    free(weight);
}

share_tree *share_tree_make(size_t leaves, int32_t model, int32_t rounding)
{
    share_tree *t = bench_new(1, sizeof *t);
    const char *kinds = "cpu=m memory=B gpu=m disk=B";

    t->random = 42;
    t->ids = bench_new(leaves + leaves / 50 + 64, sizeof *t->ids);
    t->options = (sked_share_options){
        .struct_size = sizeof t->options,
        .model = model,
        .rounding = rounding,
        .flags = model == SKED_SHARE_MODEL_INSTANTANEOUS
                     ? SKED_SHARE_FLAG_BY_DEMAND
                     : 0,
    };
    share_tree_must(
        sked_schema_parse(kinds, strlen(kinds), NULL, &t->schema, NULL));
    share_tree_must(sked_tree_new(t->schema, NULL, NULL, &t->tree, NULL));
    grow(t, leaves);
    settle(t);
    read_shape(t);
    fill_ledger(t);
    share_tree_must(sked_share_new(&t->options, NULL, &t->share, NULL));
    t->plain = bench_new(t->n * SHARE_TREE_KINDS, sizeof *t->plain);
    t->plain_lo = bench_new(t->n * SHARE_TREE_KINDS, sizeof *t->plain_lo);
    t->plain_hi = bench_new(t->n * SHARE_TREE_KINDS, sizeof *t->plain_hi);
    return t;
}

void share_tree_drop(share_tree *t)
{
    sked_share_free(t->share);
    sked_ledger_free(t->ledger);
    sked_tree_free(t->tree);
    sked_schema_free(t->schema);
    for (size_t k = 0; k < SHARE_TREE_KINDS; k++) {
        free(t->demand[k]);
        free(t->guarantee[k]);
    }
    free(t->ids);
    free(t->parent);
    free(t->first_row);
    free(t->child_count);
    free(t->first);
    free(t->children);
    free(t->weight);
    free(t->plain);
    free(t->plain_lo);
    free(t->plain_hi);
    free(t);
}
