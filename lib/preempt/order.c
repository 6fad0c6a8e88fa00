/*
 * The order of the candidates that may be taken: most never are, so their keys
 * are brought together in columns of their own and these are ranked.
 */
#include "preempt/order.h"

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"

enum {
    PREEMPT_RANK_V1 = SKEDI_SIZE_THROUGH(sked_rank_input, host),
    RANKED_COLUMNS = 10
};

/* A column of the caller's, and where its part is put. */
typedef struct ranked_column {
    const void *from;
    unsigned char *to;
    size_t size;
} ranked_column;

static void list_columns(ranked_column *c, const sked_rank_input *in)
{
    const ranked_column all[RANKED_COLUMNS] = {
        {in->state, NULL, sizeof *in->state},
        {in->preemptible, NULL, sizeof *in->preemptible},
        {in->priority, NULL, sizeof *in->priority},
        {in->started, NULL, sizeof *in->started},
        {in->checkpoint, NULL, sizeof *in->checkpoint},
        {in->restart_cost, NULL, sizeof *in->restart_cost},
        {in->restarts, NULL, sizeof *in->restarts},
        {in->master, NULL, sizeof *in->master},
        {in->submitted, NULL, sizeof *in->submitted},
        {in->host, NULL, sizeof *in->host},
    };

    memcpy(c, all, sizeof all);
}

/* The parts take the columns' places. */
static void show_columns(const ranked_column *c, sked_rank_input *part)
{
    part->state = c[0].to;
    part->preemptible = c[1].to;
    part->priority = (const void *)c[2].to;
    part->started = (const void *)c[3].to;
    part->checkpoint = (const void *)c[4].to;
    part->restart_cost = (const void *)c[5].to;
    part->restarts = (const void *)c[6].to;
    part->master = c[7].to;
    part->submitted = (const void *)c[8].to;
    part->host = (const void *)c[9].to;
}

static void copy_rows(const ranked_column *c, const uint32_t *rows, uint32_t n)
{
    const unsigned char *from = c->from;

    for (uint32_t i = 0; i < n; i++) {
        memcpy(c->to + i * c->size, from + rows[i] * c->size, c->size);
    }
}

static int copy_columns(ranked_column *c, const uint32_t *rows, uint32_t n,
                        skedi_mem *mem)
{
    for (int i = 0; i < RANKED_COLUMNS; i++) {
        if (!c[i].from) continue;
        c[i].to = skedi_new(mem, n, c[i].size);
        if (!c[i].to) return 0;
        copy_rows(&c[i], rows, n);
    }
    return 1;
}

/* `positions` of the parts become rows of the whole. */
static void write_order(uint32_t *rows, const uint32_t *positions,
                        uint32_t *held, uint32_t n)
{
    memcpy(held, rows, n * sizeof *held);
    for (uint32_t i = 0; i < n; i++) rows[i] = held[positions[i]];
}

sked_status skedi_preempt_rank(skedi_scene *s, uint32_t *rows, uint32_t n,
                               sked_error *err)
{
    skedi_mem *mem = &s->hooks.mem;
    ranked_column columns[RANKED_COLUMNS];
    sked_rank_input part;
    sked_status rc = skedi_struct_in(&part, sizeof part, s->in.rank,
                                     PREEMPT_RANK_V1);

    if (rc != SKED_OK || part.n != s->in.n) {
        return skedi_fail_plain(err, rc == SKED_OK ? SKED_ERR_ARG : rc,
                                "rank is not over these candidates");
    }
    list_columns(columns, &part);
    part.n = n;
    uint32_t *memory = skedi_new(mem, (size_t)n * 2, sizeof *memory);
    if (!memory || !copy_columns(columns, rows, n, mem)) {
        rc = skedi_fail_memory(err);
    } else {
        show_columns(columns, &part);
        rc = sked_rank_order(&part, 0, &s->hooks.host, memory, err);
        if (rc == SKED_OK) write_order(rows, memory, memory + n, n);
    }
    for (int i = 0; i < RANKED_COLUMNS; i++) {
        skedi_free(mem, columns[i].to, n, columns[i].size);
    }
    skedi_free(mem, memory, (size_t)n * 2, sizeof *memory);
    return rc;
}
