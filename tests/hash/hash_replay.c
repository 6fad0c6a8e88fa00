/*
 * The bundled workload through the program's own parts: three ways to run it
 * and three to preempt in it, their digests, their decision logs and every line
 * of their JSON but the one about speed.
 */
#include "hash.h"

#include <string.h>

#include "replay/replay.h"

enum { WAYS = 6, PREEMPTING = 3, WORDS = 12 };

/* As it is; all tasks of a job at once; half as much again. Then more than
 * there is room for, where queues below their share have others stopped. */
static char *const way[WAYS][WORDS] = {
    {"replay", "--until", "1800"},
    {"replay", "--until", "1800", "--gang", "--policy", "drf"},
    {"replay", "--until", "900", "--multiplier", "1.5", "--apps", "size"},
    {"replay", "--until", "900", "--load", "1.4", "--preempt", "imbalance",
     "--preempt-grace", "3"},
    {"replay", "--until", "900", "--load", "1.4", "--preempt", "starvation",
     "--preempt-inside", "both"},
    {"replay", "--until", "900", "--load", "1.4", "--preempt", "entitlement",
     "--preempt-every", "10"},
};

static uint64_t add_file(uint64_t h, FILE *file)
{
    char line[4096];

    rewind(file);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, " \"speed\"", 8) == 0) break;
        h = hash_add_text(h, line);
    }
    HASH_MUST(!ferror(file));
    fclose(file);
    return h;
}

static uint64_t add_run(uint64_t h, const replay_plan *plan,
                        const replay_options *o, int preempts)
{
    replay_run run = {.multiplier = o->sweep[0],
                      .result = {.struct_size = sizeof run.result}};
    input_fault fault;
    FILE *log = tmpfile(), *json = tmpfile();
    decision_log to = {.plan = plan, .file = log};

    HASH_MUST(log && json && plan_prepare(plan, o, &run, NULL, &fault));
    HASH_MUST(sked_sim_run(run.sim, log_watch, &to, NULL) == SKED_OK);
    HASH_MUST(sked_sim_get_result(run.sim, &run.result, NULL) == SKED_OK);
    json_print(json, plan, &run);
    HASH_MUST(run.result.tasks_finished > 100);
    HASH_MUST((run.result.killed > 0) == preempts);
    h = hash_add(h, run.result.digest);
    sked_sim_free(run.sim);
    return add_file(add_file(h, log), json);
}

uint64_t hash_replay(unsigned size);

uint64_t hash_replay(unsigned size)
{
    static replay_options o;
    static replay_plan plan;
    input_fault fault;
    uint64_t h = 0;

    for (unsigned run = 0; run < WAYS * size; run++) {
        char *words[WORDS];
        int n = 0;
        while (n < WORDS && way[run % WAYS][n]) n++;
        memcpy(words, way[run % WAYS], sizeof words);
        HASH_MUST(options_read(&o, n, words) == 0);
        o.seed = run / WAYS;
        HASH_MUST(plan_make(&plan, &o, &fault));
        h = add_run(h, &plan, &o, run % WAYS >= PREEMPTING);
        plan_free(&plan);
    }
    return h;
}
