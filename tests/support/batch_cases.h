#ifndef TEST_BATCH_CASES_H
#define TEST_BATCH_CASES_H

/* Batches planned by hand. */
#include "test.h"

#include <sched/batch_run.h>

#include <string.h>

#include "batch_world.h"
#include "host.h"

enum { MOST_TASKS = 16 };

/* A small batch and its answer; change the columns, then plan(). */
typedef struct scene {
    uint64_t bytes[MOST_TASKS];
    uint64_t blocks[MOST_TASKS];
    uint8_t label[MOST_TASKS];
    int64_t actual[MOST_TASKS];
    uint32_t cluster[MOST_TASKS];
    sked_batch_span spans[MOST_TASKS];
    sked_batch_input in;
    sked_batch_options opts;
    sked_batch_result result;
} scene;

/* `n` tasks of 1, 2, ... blocks, one tick a wave, on 8 slots of 2 nodes. */
static inline scene *begin(scene *s, uint32_t n)
{
    memset(s, 0, sizeof *s);
    for (uint32_t j = 0; j < n; j++) {
        s->blocks[j] = j + 1;
        s->bytes[j] = (j + 1) * 100;
        s->actual[j] = SKED_PPM;
    }
    s->in = (sked_batch_input){.struct_size = sizeof s->in,
                               .tasks = n,
                               .slots = 8,
                               .nodes = 2,
                               .block = 1,
                               .bytes = s->bytes,
                               .blocks = s->blocks,
                               .label = s->label};
    s->opts = (sked_batch_options){.struct_size = sizeof s->opts};
    s->result = (sked_batch_result){.struct_size = sizeof s->result,
                                    .spans = s->spans,
                                    .cluster = s->cluster};
    return s;
}

static inline void plan(scene *s, uint32_t method)
{
    s->opts.method = method;
    assert_ok(sked_batch_plan(&s->in, &s->opts, NULL, &s->result, NULL));
    assert_int_equal(s->result.method, method);
}

#endif
