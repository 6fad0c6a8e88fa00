/* Preemption: the engine options behind --preempt and its knobs. */
#include <string.h>

#include "replay.h"

enum { REPLAY_TIMEOUT_SECONDS = 30 };

static const char *const dialects[] = {"off", "imbalance", "starvation",
                                       "entitlement", NULL};

void preempt_defaults(preempt_options *p)
{
    *p = (preempt_options){
        .targets = {.struct_size = sizeof p->targets},
        .rounds = {.struct_size = sizeof p->rounds},
        .engine = {.struct_size = sizeof p->engine},
        .timeout = REPLAY_TIMEOUT_SECONDS * INT64_C(1000000000),
    };
}

/* Reads a fraction: 0 means none, which is -1 in the library. */
static int read_part(const argument *a, int64_t *to)
{
    int rc = read_scaled(a, 6, to);

    if (rc) return rc;
    if (*to > SKED_PPM) return bad(a->name, "is more than 1");
    if (*to == 0) *to = -1;
    return 0;
}

/* A time: 0 is at once. */
static int read_grace(const argument *a, int64_t *to)
{
    int rc = read_span(a, to);

    if (*to == 0) *to = -1;
    return rc;
}

/* Reads the names of dialects, separated by commas, in the order of their
 * runs. */
static int read_dialects(const argument *a, preempt_options *p)
{
    argument one = {.name = a->name};
    char word[16];

    p->policies = 0;
    for (const char *at = a->value; *at || at == a->value;) {
        size_t length = strcspn(at, ",");
        int32_t which = 0;
        if (p->policies == SKED_MAX_PREEMPT_POLICIES) {
            return bad(a->name, "has too many names");
        }
        if (length >= sizeof word) length = sizeof word - 1;
        memcpy(word, at, length);
        word[length] = 0;
        one.value = word;
        int rc = read_word(&one, dialects, &which);
        if (rc) return rc;
        if (which == 0)
            return strcmp(a->value, dialects[0])
                       ? bad(a->name, "has no such value")
                       : 0;
        p->dialects[p->policies++] = which - 1;
        at += length;
        if (*at == ',' && !*++at) return bad(a->name, "has no such value");
    }
    return 0;
}

/* Inside a queue too: by users, by priority, or both. */
static int read_inside(const argument *a, preempt_options *p)
{
    static const char *const words[] = {"no", "user", "priority", "both", NULL};
    int32_t which = 0;
    int rc = read_word(a, words, &which);

    p->engine.flags &= ~(uint32_t)(SKED_PREEMPT_FLAG_BY_USER |
                                   SKED_PREEMPT_FLAG_BY_PRIORITY);
    if (which & 1) p->engine.flags |= SKED_PREEMPT_FLAG_BY_USER;
    if (which & 2) p->engine.flags |= SKED_PREEMPT_FLAG_BY_PRIORITY;
    return rc;
}

static int read_cycles(const argument *a, preempt_options *p)
{
    int64_t x = 0;
    int rc = read_count(a, 1000000, &x);

    p->targets.cycles = (uint32_t)x;
    return rc || x ? rc : bad(a->name, "is zero");
}

static int read_positive(const argument *a, int64_t *to)
{
    int rc = read_span(a, to);

    return rc || *to ? rc : bad(a->name, "is zero");
}

int preempt_read(const argument *a, preempt_options *p)
{
    const char *knob = a->name;

    if (strncmp(knob, "--preempt", 9) != 0) return -1;
    knob += 9;
    if (!*knob) return read_dialects(a, p);
    if (!strcmp(knob, "-every")) return read_positive(a, &p->every);
    if (!strcmp(knob, "-grace")) return read_grace(a, &p->rounds.grace_ns);
    if (!strcmp(knob, "-keep")) return read_positive(a, &p->engine.keep_for_ns);
    if (!strcmp(knob, "-part")) return read_part(a, &p->targets.per_round_ppm);
    if (!strcmp(knob, "-ignored")) return read_part(a, &p->targets.ignored_ppm);
    if (!strcmp(knob, "-used"))
        return read_part(a, &p->targets.utilisation_ppm);
    if (!strcmp(knob, "-timeout")) return read_span(a, &p->timeout);
    if (!strcmp(knob, "-cycles")) return read_cycles(a, p);
    if (!strcmp(knob, "-inside")) return read_inside(a, p);
    if (!strcmp(knob, "-factor")) {
        int rc = read_part(a, &p->targets.factor_ppm);
        return rc || p->targets.factor_ppm > 0 ? rc : bad(a->name, "is zero");
    }
    return -1;
}

/* Sets time-outs where the tree sets none. */
static sked_status set_timeout(sked_tree *tree, int32_t attribute, int64_t ns,
                               sked_error *err)
{
    sked_queue_id root = sked_tree_root(tree);
    int64_t now;

    *err = (sked_error){.message = "no such setting"};
    sked_status rc = sked_tree_effective(tree, root, attribute, &now);
    if (rc != SKED_OK || now != SKED_UNLIMITED) return rc;
    return sked_tree_set(tree, root, attribute, ns, err);
}

static int has_dialect(const preempt_options *p, int32_t dialect)
{
    uint32_t i = 0;

    while (i < p->policies && p->dialects[i] != dialect) i++;
    return i < p->policies;
}

/* The knobs of a policy. A knob that only another dialect of the list has is
 * left to that dialect. The library refuses a knob that no dialect has. */
static sked_target_options targets_of(const preempt_options *p, uint32_t i)
{
    sked_target_options t = p->targets;

    t.mode = p->dialects[i];
    if (t.mode == SKED_TARGET_MODE_IMBALANCE) {
        t.flags = SKED_TARGET_FLAG_BY_WEIGHT;
    }
    if (t.mode != SKED_TARGET_MODE_STARVATION &&
        has_dialect(p, SKED_TARGET_MODE_STARVATION)) {
        t.utilisation_ppm = 0;
    }
    if (t.mode != SKED_TARGET_MODE_ENTITLEMENT &&
        has_dialect(p, SKED_TARGET_MODE_ENTITLEMENT)) {
        t.cycles = 0;
    }
    return t;
}

static void list_policies(preempt_options *p)
{
    for (uint32_t i = 0; i < p->policies; i++) {
        p->policy[i] = targets_of(p, i);
        p->more[i] = &p->policy[i];
    }
    p->engine.targets = &p->policy[0];
    p->engine.rounds = &p->rounds;
    if (p->policies < 2) return;
    p->engine.more_targets = p->more + 1;
    p->engine.n_more_targets = p->policies - 1;
}

int preempt_prepare(sked_tree *tree, preempt_options *p, input_fault *fault)
{
    sked_error err;

    list_policies(p);
    if (!has_dialect(p, SKED_TARGET_MODE_STARVATION)) return 1;
    sked_status rc = set_timeout(tree, SKED_QUEUE_PREEMPT_MIN_TIMEOUT,
                                 p->timeout, &err);
    if (rc == SKED_OK) {
        rc = set_timeout(tree, SKED_QUEUE_PREEMPT_FAIR_TIMEOUT, p->timeout,
                         &err);
    }
    if (rc == SKED_OK)
        rc = sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, &err);
    return rc == SKED_OK ? 1 : fault_library(fault, &err);
}
