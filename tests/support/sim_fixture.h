#ifndef TEST_SIM_FIXTURE_H
#define TEST_SIM_FIXTURE_H

#include "test.h"

#include "sim_world.h"

/* A world for each test; teardown proves that no byte is left. */
static inline int sim_setup(void **state)
{
    static sim_world w;

    w = (sim_world){0};
    sim_world_make(&w);
    *state = &w;
    return 0;
}

static inline int sim_teardown(void **state)
{
    sim_world *w = *state;

    sim_world_drop(w);
    return w->host.live == 0 ? 0 : -1;
}

static inline sked_status sim_make(sim_world *w,
                                   const sked_sim_failure *failures, size_t n)
{
    sked_host hooks = test_host_hooks(&w->host);

    return sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                          .tree = w->tree,
                                          .jobs = &w->jobs,
                                          .nodes = &w->nodes,
                                          .n_nodes = 1,
                                          .failures = failures,
                                          .n_failures = n},
                        &w->opts, &hooks, &w->sim, &w->err);
}

/* Makes the run where there is none, runs it and reads the result. */
static inline sked_sim_result sim_run(sim_world *w, sim_story *story)
{
    sked_sim_result r = {.struct_size = sizeof r};

    if (!w->sim) assert_ok(sim_make(w, NULL, 0));
    assert_ok(
        sked_sim_run(w->sim, story ? sim_story_watch : NULL, story, &w->err));
    assert_ok(sked_sim_get_result(w->sim, &r, NULL));
    return r;
}

/* Drops the run: the next one is made anew. */
static inline void sim_again(sim_world *w)
{
    sked_sim_free(w->sim);
    w->sim = NULL;
}

#endif
