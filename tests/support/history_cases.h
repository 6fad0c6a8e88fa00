#ifndef TEST_HISTORY_CASES_H
#define TEST_HISTORY_CASES_H

/* Records of some queues, and histories of them. */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "history/state.h"

typedef struct world {
    test_host host;
    sked_history *history;
} world;

static inline int setup(void **state)
{
    static world w;

    w = (world){0};
    *state = &w;
    return 0;
}

static inline int teardown(void **state)
{
    world *w = *state;

    sked_history_free(w->history);
    return w->host.live == 0 ? 0 : -1;
}

static inline void make(world *w, sked_history_options opts,
                        const int64_t *instance)
{
    sked_host hooks = test_host_hooks(&w->host);

    opts.struct_size = sizeof opts;
    assert_ok(sked_history_new(instance, &opts, &hooks, &w->history, NULL));
}

static inline sked_history_input intervals(size_t n, const sked_time *start,
                                           const sked_time *end,
                                           const int64_t *amount)
{
    return (sked_history_input){.struct_size = sizeof(sked_history_input),
                                .n = n,
                                .start = start,
                                .end = end,
                                .amount = amount};
}

static inline size_t units(const world *w, uint32_t queue, int64_t *length,
                           int64_t *amount)
{
    size_t n;

    assert_ok(
        sked_history_units(w->history, queue, length, amount, 16, &n, NULL));
    return n;
}

#endif
