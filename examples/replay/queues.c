/*
 * The queue tree of a run, and the leaf of each job.
 *
 * --queue-by names a field of a job for each level below the root. The job's
 * value is the name of a queue. If the tree has no queue of that name, the
 * value is a path with '.' between names; the path may begin with the root's
 * name. Tiers have the planner's names: tier1, tier2, and default, which stands
 * for tiers without a queue in the tree.
 */
#include <sched/fault.h>
#include <sched/tree_text.h>

#include <stdlib.h>
#include <string.h>

#include "replay.h"

/* Appends a name to a path. */
static char *append_name(char *to, const char *name)
{
    *to++ = '.';
    for (; *name; name++) {
        if (*name == '.' || *name == '\\') *to++ = '\\';
        *to++ = *name;
    }
    *to = 0;
    return to;
}

enum { MOST_LEVELS = 8 };

/* A level of --queue-by: the job's value, and the value's column. A tier has
 * its name in `tier`, so the level must stay in place. */
typedef struct level {
    const char *name;
    uint32_t column;
    char tier[sizeof "tier4294967295"];
} level;

static const char *const no_tier = "default";

/* 0: unknown level. */
static int level_of(const workload *w, const workload_job *job,
                    const char *field, size_t length, level *out)
{
    if (length == 5 && !memcmp(field, "queue", 5)) {
        *out = (level){w->queues.text[job->queue], job->queue_at, {0}};
    } else if (length == 5 && !memcmp(field, "group", 5)) {
        *out = (level){w->groups.text[job->group], job->group_at, {0}};
    } else if (length == 4 && !memcmp(field, "user", 4)) {
        *out = (level){w->users.text[job->user], job->user_at, {0}};
    } else if (length == 4 && !memcmp(field, "tier", 4)) {
        *out = (level){no_tier, 0, {0}};
        if (!job->tier) return 1;
        snprintf(out->tier, sizeof out->tier, "tier%u", (unsigned)job->tier);
        out->name = out->tier;
    } else {
        return 0;
    }
    return 1;
}

/* The levels of a job, ended by a level without a name; 0: --queue-by names an
 * unknown field, or too many fields. */
static int levels_of(const workload *w, const workload_job *job, const char *by,
                     level *out)
{
    for (int i = 0; i < MOST_LEVELS; i++) {
        size_t length = strcspn(by, "/");

        if (!level_of(w, job, by, length, &out[i])) return 0;
        out[i + 1] = (level){NULL, 0, {0}};
        by += length;
        if (!*by++) return 1;
    }
    return 0;
}

static int check_queue_by(const char *by, input_fault *fault)
{
    static const workload_job none;
    static char *empty[] = {NULL};
    workload w = {.queues = {.text = empty},
                  .groups = {.text = empty},
                  .users = {.text = empty}};
    level levels[MOST_LEVELS + 1];

    if (levels_of(&w, &none, by, levels)) return 1;
    snprintf(fault->file, sizeof fault->file, "--queue-by");
    return input_fail(fault, 0, 0,
                      "is queue, group, user, tier, or up to 8 of them joined "
                      "by /");
}

/* Memory for a path of these levels; NULL: no memory. */
static char *new_path(const char *root, const level *levels)
{
    size_t room = 2 * strlen(root) + 4;

    for (; levels->name; levels++) room += 2 * strlen(levels->name) + 1;
    return malloc(room);
}

/* Does a text begin with the root's name and a '.'? */
static int has_root(const char *text, const char *root)
{
    size_t length = strlen(root);

    return !strncmp(text, root, length) && text[length] == '.' &&
           text[length + 1];
}

/* The same levels as paths, with dots between the names. The caller frees the
 * text; NULL: no memory. */
static char *dotted_path(const char *root, const level *levels)
{
    char *path = new_path(root, levels), *to = path;

    if (!path) return NULL;
    *to = 0;
    if (!has_root(levels->name, root)) to = append_name(to, root);
    for (; levels->name; levels++) {
        size_t length = strlen(levels->name);
        if (to != path) *to++ = '.';
        memcpy(to, levels->name, length + 1);
        to += length;
    }
    if (*path == '.') memmove(path, path + 1, strlen(path));
    return path;
}

/* The number of a job's path; `paths` has the path afterwards. */
static uint32_t number_path(replay_plan *plan, const level *levels)
{
    const char *root = sked_tree_name(plan->tree, sked_tree_root(plan->tree));
    char *path = new_path(root, levels), *to;

    if (!path) return NAMES_FULL;
    to = append_name(path, root);
    for (; levels->name; levels++) to = append_name(to, levels->name);
    /* the root has no '.' in front */
    uint32_t number = names_number(&plan->paths, path + 1,
                                   (size_t)(to - path) - 1);
    free(path);
    return number;
}

/* Adds a queue if the tree lacks the queue at `path`. */
static sked_status ensure_queue(sked_tree *tree, const char *path,
                                const char *name, sked_queue_id *at,
                                sked_error *err)
{
    sked_queue_id found = SKED_NO_QUEUE;
    sked_status rc = sked_tree_find_draft(tree, path, &found, err);

    if (rc == SKED_ERR_NOT_FOUND) {
        rc = sked_tree_add(tree, *at, name, &found, err);
    }
    *at = found;
    return rc;
}

/* Adds the queues of a level that begins with the root's name, name by name;
 * appends each name to `to`. */
static sked_status ensure_dotted(sked_tree *tree, char *path, char **to,
                                 const char *text, sked_queue_id *at,
                                 sked_error *err)
{
    char *copy = malloc(strlen(text) + 1), *name = copy, *end;
    sked_status rc = SKED_OK;

    *err = (sked_error){.message = "does not fit in memory"};
    if (!copy) return SKED_ERR_NOMEM;
    memcpy(copy, text, strlen(text) + 1);
    while (name && rc == SKED_OK) {
        end = strchr(name, '.');
        if (end) *end = 0;
        *to = append_name(*to, name);
        rc = ensure_queue(tree, path + 1, name, at, err);
        name = end ? end + 1 : NULL;
    }
    free(copy);
    return rc;
}

/* Adds what the tree lacks of a path. */
static sked_status ensure_path(sked_tree *tree, const level *levels,
                               sked_error *err)
{
    sked_queue_id at = sked_tree_root(tree);
    const char *root = sked_tree_name(tree, at);
    char *path = new_path(root, levels), *to;
    sked_status rc = SKED_OK;

    *err = (sked_error){.message = "does not fit in memory"};
    if (!path) return SKED_ERR_NOMEM;
    to = append_name(path, root);
    if (has_root(levels->name, root)) {
        rc = ensure_dotted(tree, path, &to, levels->name + strlen(root) + 1,
                           &at, err);
        levels++;
    }
    for (; levels->name && rc == SKED_OK; levels++) {
        to = append_name(to, levels->name);
        rc = ensure_queue(tree, path + 1, levels->name, &at, err);
    }
    free(path);
    return rc;
}

/* Adds a leaf for each value, in the order of the jobs. */
static int grow_tree(replay_plan *plan, const char *by, input_fault *fault)
{
    sked_error err;

    for (uint32_t i = 0; i < plan->work.n; i++) {
        const workload_job *job = &plan->work.jobs[i];
        uint32_t known = plan->paths.n;
        level levels[MOST_LEVELS + 1];

        (void)levels_of(&plan->work, job, by, levels);
        if (number_path(plan, levels) == NAMES_FULL) return fault_memory(fault);
        if (plan->paths.n == known) continue;
        if (ensure_path(plan->tree, levels, &err) != SKED_OK) {
            return input_fail(fault, job->line, levels[0].column, "%s",
                              err.message);
        }
    }
    if (sked_tree_commit(plan->tree, SKED_TREE_COMMIT_LENIENT, &err) ==
        SKED_OK) {
        return 1;
    }
    return fault_library(fault, &err);
}

/* Prints the faults of a tree, for example capacities of siblings; the run goes
 * on. */
static void tell_faults(const sked_tree *tree)
{
    sked_fault *faults = NULL;
    char line[512];
    size_t n = 0;

    if (sked_tree_faults(tree, NULL, 0, &n) == SKED_ERR_RANGE && n) {
        faults = malloc(n * sizeof *faults);
    }
    if (faults && sked_tree_faults(tree, faults, n, &n) != SKED_OK) n = 0;
    for (size_t i = 0; faults && i < n; i++) {
        if (faults[i].severity != SKED_SEVERITY_ERROR) continue;
        sked_status rc = sked_fault_format(tree, &faults[i], line, sizeof line,
                                           NULL);
        if (rc == SKED_OK || rc == SKED_ERR_RANGE) {
            fprintf(stderr, "replay: %s\n", line);
        }
    }
    free(faults);
}

void queues_tell_capacity(const replay_plan *plan)
{
    sked_queue_id root = sked_tree_root(plan->tree);
    int64_t sum[SKED_MAX_KINDS] = {0}, own[SKED_MAX_KINDS] = {0};

    for (size_t i = 0; i < plan->n_rows; i++) {
        sked_queue_id above = SKED_NO_QUEUE;

        (void)!sked_tree_parent(plan->tree, plan->row_id[i], &above);
        if (above != root ||
            sked_tree_get_vec(plan->tree, plan->row_id[i], SKED_QUEUE_GUARANTEE,
                              own) != SKED_OK) {
            continue;
        }
        for (uint32_t k = 0; k < plan->kinds; k++) {
            int64_t left = SKED_AMOUNT_MAX - sum[k];
            sum[k] += own[k] > left ? left : own[k] > 0 ? own[k] : 0;
        }
    }
    for (uint32_t k = 0; k < plan->kinds; k++) {
        const char *unit = sked_schema_unit(plan->schema, k);

        if (sum[k] <= plan->capacity[k]) continue;
        fprintf(stderr, "replay: guarantees of %s below %s add to ",
                sked_schema_name(plan->schema, k),
                sked_tree_name(plan->tree, root));
        print_amount(stderr, unit, sum[k]);
        fputs(", the cluster has ", stderr);
        print_amount(stderr, unit, plan->capacity[k]);
        fputs(": they are cut in one ratio\n", stderr);
    }
}

static int read_tree_text(replay_plan *plan, const char *text, size_t length,
                          const char *file, input_fault *fault)
{
    const char *kinds = "cpu=m memory=B gpu=m";
    sked_error err;

    snprintf(fault->file, sizeof fault->file, "%s", file);
    sked_status rc = sked_tree_parse_schema(text, length, NULL, &plan->schema,
                                            &err);
    if (rc == SKED_ERR_NOT_FOUND) {
        rc = sked_schema_parse(kinds, strlen(kinds), NULL, &plan->schema, &err);
    }
    if (rc == SKED_OK) {
        rc = sked_tree_new(plan->schema, NULL, NULL, &plan->tree, &err);
    }
    if (rc == SKED_OK && length) {
        rc = sked_tree_parse(plan->tree, text, length, file, NULL, 0, NULL,
                             &err);
    }
    if (rc == SKED_OK) tell_faults(plan->tree);
    if (rc == SKED_OK) {
        rc = sked_tree_commit(plan->tree, SKED_TREE_COMMIT_LENIENT, &err);
    }
    return rc == SKED_OK ? 1 : fault_library(fault, &err);
}

/* --policy and --apps, where they were said. */
static int set_orders(replay_plan *plan, const replay_options *o,
                      input_fault *fault)
{
    size_t n = sked_tree_count(plan->tree), leaves, m;
    sked_queue_id *ids = malloc(n * 2 * sizeof *ids);
    sked_error err = {.code = SKED_OK};
    sked_status rc = SKED_OK;

    if (!ids) return fault_memory(fault);
    rc = sked_tree_leaves(plan->tree, ids, n, &leaves);
    for (size_t i = 0; i < leaves && rc == SKED_OK && o->apps >= 0; i++) {
        rc = sked_tree_set(plan->tree, ids[i], SKED_QUEUE_APPS, o->apps, &err);
    }
    if (rc == SKED_OK) rc = sked_tree_ids(plan->tree, ids, n, &m);
    for (size_t i = 0; i < n && rc == SKED_OK && o->policy >= 0; i++) {
        size_t kids;
        (void)!sked_tree_children(plan->tree, ids[i], ids + n, n, &kids);
        if (!kids) continue;
        rc = sked_tree_set(plan->tree, ids[i], SKED_QUEUE_ORDER, o->policy,
                           &err);
    }
    if (rc == SKED_OK) {
        rc = sked_tree_commit(plan->tree, SKED_TREE_COMMIT_LENIENT, &err);
    }
    free(ids);
    return rc == SKED_OK ? 1 : fault_library(fault, &err);
}

/* Each queue's id and path, by row. */
static int list_rows(replay_plan *plan, input_fault *fault)
{
    size_t n = sked_tree_count(plan->tree), length;

    plan->row_id = calloc(n, sizeof *plan->row_id);
    plan->row_path = calloc(n, sizeof *plan->row_path);
    if (!plan->row_id || !plan->row_path) return fault_memory(fault);
    plan->n_rows = n;
    (void)!sked_tree_ids(plan->tree, plan->row_id, n, &n);
    for (size_t i = 0; i < n; i++) {
        (void)!sked_tree_path(plan->tree, plan->row_id[i], NULL, 0, &length);
        plan->row_path[i] = malloc(length + 1);
        if (!plan->row_path[i]) return fault_memory(fault);
        (void)!sked_tree_path(plan->tree, plan->row_id[i], plan->row_path[i],
                              length + 1, &length);
    }
    return 1;
}

int queues_make(replay_plan *plan, const replay_options *o, input_fault *fault)
{
    input text = {0};
    int ok;

    if (!check_queue_by(o->queue_by, fault)) return 0;
    if (o->tree) {
        if (!input_read(&text, o->tree, fault)) return 0;
        ok = read_tree_text(plan, text.bytes, text.length, o->tree, fault);
        input_free(&text);
    } else if (!o->workload) {
        const char *own = bundled_tree();
        ok = read_tree_text(plan, own, strlen(own), "bundled", fault);
    } else {
        char file[sizeof fault->file];
        memcpy(file, fault->file, sizeof file);
        ok = read_tree_text(plan, "", 0, "queues", fault);
        memcpy(fault->file, file, sizeof file);
        ok = ok && grow_tree(plan, o->queue_by, fault);
    }
    return ok && set_orders(plan, o, fault) && list_rows(plan, fault);
}

/* The tier of a queue: the queue's own, or the nearest ancestor's. */
static uint32_t tier_of_queue(const sked_tree *tree, sked_queue_id queue)
{
    int64_t tier = 0;

    while (queue != SKED_NO_QUEUE && tier == 0) {
        (void)!sked_tree_get(tree, queue, SKED_QUEUE_TIER, &tier);
        (void)!sked_tree_parent(tree, queue, &queue);
    }
    return (uint32_t)tier;
}

/* Calls tiers default; 0: none has another name. */
static int forget_tiers(level *levels)
{
    int any = 0;

    for (; levels->name; levels++) {
        if (levels->name != levels->tier) continue;
        levels->name = no_tier;
        any = 1;
    }
    return any;
}

/* The queue of levels, as names or as paths. */
static int find_queue(const replay_plan *plan, const level *levels,
                      sked_queue_id *found)
{
    const char *root = sked_tree_name(plan->tree, sked_tree_root(plan->tree));
    char *dotted = dotted_path(root, levels), *to;
    char *path = new_path(root, levels);
    int there = 0;

    if (path && dotted) {
        to = append_name(path, root);
        for (; levels->name; levels++) to = append_name(to, levels->name);
        there = sked_tree_find(plan->tree, path + 1, found, NULL) == SKED_OK ||
                sked_tree_find(plan->tree, dotted, found, NULL) == SKED_OK;
    }
    free(path);
    free(dotted);
    return there;
}

/* Finds the leaf of new levels; the leaf must be in the tree. */
static int look_up(replay_plan *plan, const workload_job *job, level *levels,
                   uint32_t number, input_fault *fault)
{
    const char *path = plan->paths.text[number];
    const char *root = sked_tree_name(plan->tree, sked_tree_root(plan->tree));
    sked_queue_id *leaf = &plan->leaf_of[number], child;
    uint32_t column = levels->column;
    size_t kids = 0;

    char *dotted = dotted_path(root, levels);
    if (!dotted) return fault_memory(fault);
    int good = find_queue(plan, levels, leaf) ||
               (forget_tiers(levels) && find_queue(plan, levels, leaf)) ||
               input_fail(fault, job->line, column,
                          "the tree has no queue %.200s", dotted);
    free(dotted);
    if (!good) return 0;
    (void)!sked_tree_children(plan->tree, *leaf, &child, 1, &kids);
    return kids == 0 || input_fail(fault, job->line, column,
                                   "queue %.200s is not a leaf", path);
}

int queues_assign(replay_plan *plan, const replay_options *o,
                  input_fault *fault)
{
    size_t row, n = plan->work.n ? plan->work.n : 1;

    plan->leaf_of = calloc(n, sizeof *plan->leaf_of);
    if (!plan->leaf_of) return fault_memory(fault);
    for (uint32_t i = 0; i < plan->work.n; i++) {
        workload_job *job = &plan->work.jobs[i];
        level levels[MOST_LEVELS + 1];
        (void)levels_of(&plan->work, job, o->queue_by, levels);
        uint32_t number = number_path(plan, levels);
        if (number == NAMES_FULL) return fault_memory(fault);
        if (plan->leaf_of[number] == SKED_NO_QUEUE &&
            !look_up(plan, job, levels, number, fault)) {
            return 0;
        }
        plan->queue[i] = plan->leaf_of[number];
        (void)!sked_tree_row(plan->tree, plan->queue[i], &row);
        plan->row[i] = (uint32_t)row;
        if (!job->tier) job->tier = tier_of_queue(plan->tree, plan->queue[i]);
    }
    return 1;
}
