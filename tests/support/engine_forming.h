/* Gangs over nodes that form, for tests of an engine. */
#ifndef ENGINE_FORMING_H
#define ENGINE_FORMING_H

#include "engine_gangs.h"

/* So many nodes of four cpu, all taken by single tasks of ask 9; each has its
 * group in `group`. */
static inline void full_nodes(engine_fixture *f,
                              const sked_engine_options *opts, uint64_t nodes,
                              uint64_t *group)
{
    nodes_of_four(f, opts, nodes);
    assert_ok(engine_add_ask(f, 9, 1, 4 * (int64_t)nodes, 1, 1));
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    assert_int_equal(engine_taken(f), nodes);
    for (uint64_t i = 0; i < nodes; i++) {
        group[f->last[i].node] = f->last[i].group;
    }
}

static inline sked_engine_options forming(uint32_t nodes, int64_t time)
{
    return (sked_engine_options){.struct_size = sizeof(sked_engine_options),
                                 .form_nodes = nodes,
                                 .form_for_ns = time};
}

/* So many tasks of a node's group end; how many decisions its heartbeat makes. */
static inline size_t frees(engine_fixture *f, uint64_t node, uint64_t group,
                           int64_t tasks)
{
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, tasks));
    (void)engine_taken(f);
    return engine_beat(f, node);
}

static inline void is_reserved(const engine_fixture *f, uint64_t times,
                               uint64_t nodes)
{
    sked_engine_stats stats = engine_stats_of(f);

    assert_int_equal(stats.formings, times);
    assert_int_equal(stats.form_nodes, nodes);
}

#endif
