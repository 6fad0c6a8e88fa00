/* What attributes change, in the order of their table, users last. */
#include "diff/plan.h"
#include "tree/path_text.h"
#include "tree/text/value.h"
#include "tree/users.h"

/* Writes one text into the diff. */
typedef void (*text_fn)(skedi_writer *w, const void *what, const void *which);

static size_t put_with(skedi_diff_plan *plan, text_fn put, const void *what,
                       const void *which)
{
    skedi_writer w;
    size_t at = 0;

    do {
        w = skedi_diff_text_start(plan->diff);
        put(&w, what, which);
    } while (plan->rc == SKED_OK &&
             !skedi_diff_text_end(plan->diff, &w, &at, &plan->rc));
    return at;
}

static void write_attr_value(skedi_writer *w, const void *what,
                             const void *which)
{
    skedi_values_say(w, what, which);
}

static void write_attr_name(skedi_writer *w, const void *what,
                            const void *which)
{
    (void)what;
    skedi_write_text(w, ((const skedi_attr *)which)->name);
}

static void write_user_key(skedi_writer *w, const void *what, const void *which)
{
    (void)which;
    skedi_write_text(w, SKEDI_USER_TEXT);
    skedi_write_name(w, what, 0);
}

/* A weight, or nothing for -1. */
static void write_weight(skedi_writer *w, const void *what, const void *which)
{
    const int64_t *weight = what;

    (void)which;
    if (*weight >= 0) skedi_write_i64(w, *weight);
}

static void say_attr(skedi_diff_plan *plan, size_t path,
                     const skedi_values *old, const skedi_values *now,
                     const skedi_attr *attr)
{
    skedi_diff_record record = {.op = SKED_DIFF_SET, .path = path};

    record.key = put_with(plan, write_attr_name, NULL, attr);
    record.before = put_with(plan, write_attr_value, old, attr);
    record.after = put_with(plan, write_attr_value, now, attr);
    skedi_diff_emit(plan, record);
}

static void say_user(skedi_diff_plan *plan, size_t path, const char *user,
                     int64_t before, int64_t after)
{
    skedi_diff_record record = {.op = SKED_DIFF_SET, .path = path};

    record.key = put_with(plan, write_user_key, user, NULL);
    record.before = put_with(plan, write_weight, &before, NULL);
    record.after = put_with(plan, write_weight, &after, NULL);
    skedi_diff_emit(plan, record);
}

/* One list of users, read from first to last. */
typedef struct user_walk {
    const char *list;
    const char *user; /* NULL: no more */
    size_t at;
    int64_t weight;
} user_walk;

static void user_step(user_walk *walk)
{
    uint32_t weight = 0;

    if (!skedi_users_next(walk->list, &walk->at, &walk->user, &weight)) {
        walk->user = NULL;
    }
    walk->weight = weight;
}

/* Both lists are in the order of names. */
static void set_users(skedi_diff_plan *plan, size_t path, const char *old_list,
                      const char *new_list)
{
    user_walk old = {.list = old_list}, now = {.list = new_list};

    user_step(&old);
    user_step(&now);
    while ((old.user || now.user) && plan->rc == SKED_OK) {
        int order = 0;
        if (old.user && now.user) order = strcmp(old.user, now.user);
        if (!now.user || order < 0) {
            say_user(plan, path, old.user, old.weight, -1);
            user_step(&old);
        } else if (!old.user || order > 0) {
            say_user(plan, path, now.user, -1, now.weight);
            user_step(&now);
        } else {
            if (old.weight != now.weight) {
                say_user(plan, path, old.user, old.weight, now.weight);
            }
            user_step(&old);
            user_step(&now);
        }
    }
}

static int same_users(const char *a, const char *b)
{
    size_t n = skedi_users_bytes(a);

    return n == skedi_users_bytes(b) && (n == 0 || memcmp(a, b, n) == 0);
}

static void set_values(skedi_diff_plan *plan, uint32_t node,
                       const skedi_values *old, const skedi_values *now)
{
    size_t path = 0;

    for (size_t i = 0; i < SKEDI_ATTRS && plan->rc == SKED_OK; i++) {
        const skedi_attr *attr = skedi_attr_at(i);
        if (skedi_values_same(old, now, attr)) continue;
        if (!path) path = skedi_diff_path(plan, node, NULL);
        say_attr(plan, path, old, now, attr);
    }
    if (same_users(old->users, now->users)) return;
    if (!path) path = skedi_diff_path(plan, node, NULL);
    set_users(plan, path, old->users, now->users);
}

void skedi_diff_set(skedi_diff_plan *plan)
{
    skedi_values old, now;

    for (uint32_t t = 0; t < plan->now->n && plan->rc == SKED_OK; t++) {
        uint32_t node = plan->node_of[t];
        skedi_diff_check(plan);
        skedi_values_of_row(&now, plan->to, t);
        if (node < plan->old->n) {
            skedi_values_of_row(&old, plan->from, node);
        } else {
            skedi_values_rest(&old, &plan->to->schema);
        }
        set_values(plan, node, &old, &now);
    }
}
