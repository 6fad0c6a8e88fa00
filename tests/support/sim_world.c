#include "sim_world.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

sked_status sim_world_try(sim_world *w)
{
    static const char *const name[SIM_WORLD_LEAVES] = {"a", "b", "c", "d"};
    sked_host hooks = test_host_hooks(&w->host);
    sked_status rc = sked_schema_parse("cpu=m memory=B", 14, &hooks, &w->schema,
                                       &w->err);

    if (rc == SKED_OK) {
        rc = sked_tree_new(w->schema, NULL, &hooks, &w->tree, &w->err);
    }
    for (int i = 0; i < SIM_WORLD_LEAVES && rc == SKED_OK; i++) {
        rc = sked_tree_add(w->tree, sked_tree_root(w->tree), name[i],
                           &w->leaf[i], &w->err);
    }
    if (rc == SKED_OK) rc = sked_tree_commit(w->tree, 0, &w->err);
    w->node[0] = 10;
    w->node[1] = 100;
    w->nodes = (sked_sim_nodes){.count = 1, .amounts = w->node};
    w->jobs = (sked_sim_jobs){.struct_size = sizeof w->jobs,
                              .submit = w->submit,
                              .run_ns = w->run,
                              .tasks = w->tasks,
                              .amounts = w->amounts,
                              .queue = w->queue,
                              .user = w->user,
                              .priority = w->priority,
                              .partition = w->partition};
    w->opts = (sked_sim_options){.struct_size = sizeof w->opts,
                                 .heartbeat_ns = SIM_SECOND};
    return rc;
}

void sim_world_make(sim_world *w)
{
    assert_ok(sim_world_try(w));
}

void sim_world_drop(sim_world *w)
{
    sked_sim_free(w->sim);
    sked_tree_free(w->tree);
    sked_schema_free(w->schema);
    w->sim = NULL;
    w->tree = NULL;
    w->schema = NULL;
}

uint32_t sim_world_job(sim_world *w, int64_t at, int64_t tasks, int64_t run)
{
    uint32_t i = (uint32_t)w->jobs.n++;

    w->submit[i] = at * SIM_SECOND;
    w->run[i] = run * SIM_SECOND;
    w->tasks[i] = tasks;
    w->amounts[2 * i] = 1;
    w->amounts[2 * i + 1] = 0;
    w->queue[i] = w->leaf[0];
    w->user[i] = 1;
    w->priority[i] = 0;
    w->partition[i] = 0;
    return i;
}

sked_status sim_story_watch(void *story, const sked_sim_record *record,
                            size_t n)
{
    sim_story *s = story;

    if (s->n + n > s->cap) {
        s->cap = (s->n + n) * 2;
        s->record = realloc(s->record, s->cap * sizeof *s->record);
        assert_non_null(s->record);
    }
    memcpy(s->record + s->n, record, n * sizeof *record);
    s->n += n;
    return s->stop_at && s->n >= s->stop_at ? SKED_STOPPED : SKED_OK;
}

void sim_story_drop(sim_story *story)
{
    free(story->record);
    *story = (sim_story){0};
}
