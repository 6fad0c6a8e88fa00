/*
 * An engine that is started anew beside a cluster at work: what its host knows
 * is told to an empty engine, which then has the same books and decides the
 * same as the engine that went on. And an engine that missed something is
 * mended, whatever that was: afterwards nothing differs.
 */
#include <stdlib.h>
#include <string.h>

#include "reconcile_same.h"
#include "reconcile_world.h"

/* ---- The truth, as the host of an engine would have it ---- */

static sked_event *row_of_truth(truth *w, int32_t kind, uint64_t key)
{
    assert_true(w->n < ROWS);
    w->moment[w->n] = w->task[w->n] = SKED_UNSET;
    w->event[w->n] = (sked_event){.kind = kind, .key = key};
    return &w->event[w->n++];
}

static void add_amounts(truth *w, sked_event *event, const int64_t *amounts)
{
    memcpy(w->amounts[w->n], amounts, sizeof w->amounts[0]);
    event->amount = w->n + 1;
}

static void add_attributes(truth *w, const sked_engine *e, uint32_t node)
{
    const engine_traits *own = &e->rules.traits[node];
    sked_event *event = row_of_truth(w, SKED_EVENT_NODE_ATTRIBUTES,
                                     node_at(e, node)->key);

    if (own->n) event->places = (uint32_t)own->at->value;
}

/* A row that names a list, whose values were put behind the lists so far. */
static void add_list(truth *w, int32_t kind, uint64_t key, uint32_t end)
{
    sked_event *event = row_of_truth(w, kind, key);

    if (end == (uint32_t)w->offsets[w->lists]) return;
    w->offsets[++w->lists] = (int32_t)end;
    event->places = w->lists;
}

/* The soft rules of an ask, and its rule, which they leave. */
static uint32_t add_soft(truth *w, const sked_engine *e, uint32_t ask)
{
    const engine_preferred *list = skedi_soft_of(e, ask);
    uint64_t key = ask_at(e, ask)->key;

    (void)row_of_truth(w, SKED_EVENT_ASK_PREFER, key);
    if (!list) return rule_of(e, shape_at(e, ask_at(e, ask)->shape)->set);
    for (uint32_t i = 0; i < list->n; i++) {
        sked_event *event = row_of_truth(w, SKED_EVENT_ASK_PREFER, key);
        event->places = rule_of(e, list->at[i].set);
        event->count = list->at[i].weight;
    }
    return rule_of(e, list->own);
}

/* The rules of an ask, its tags, and the places it prefers. */
static void add_rule(truth *w, const sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    const uint32_t *tags;
    uint32_t rule = add_soft(w, e, ask);
    uint32_t n = skedi_tags_of(e, ask, &tags);

    row_of_truth(w, SKED_EVENT_ASK_RULE, a->key)->places = rule;
    uint32_t at = (uint32_t)w->offsets[w->lists];
    for (uint32_t i = n; i-- > 0;) w->places[at++] = skedi_tag_key(e, tags[i]);
    add_list(w, SKED_EVENT_ASK_TAGS, a->key, at);
    for (uint32_t rack = 0; rack < 2; rack++) {
        at = (uint32_t)w->offsets[w->lists];
        for (uint32_t p = extra_of(e, a)->places; p != SKEDI_NONE;
             p = place_at(e, p)->next) {
            if (place_at(e, p)->rack != rack) continue;
            w->places[at++] = place_at(e, p)->key;
        }
        add_list(w, rack ? SKED_EVENT_ASK_RACKS : SKED_EVENT_ASK_PLACES, a->key,
                 at);
    }
}

static void add_nodes(truth *w, const sked_engine *e)
{
    for (uint32_t i = e->first_node; i != SKEDI_NONE; i = node_at(e, i)->next) {
        const engine_node *n = node_at(e, i);
        sked_event *event = row_of_truth(w, SKED_EVENT_NODE_UP, n->key);
        event->owner = n->rack;
        event->partition = n->partition;
        add_amounts(w, event, engine_row_of(e, &e->node_capacity, i));
        if (e->rules.used) add_attributes(w, e, i);
        if (n->state != NODE_DRAINING) continue;
        (void)row_of_truth(w, SKED_EVENT_NODE_DRAIN, n->key);
    }
}

static void add_ask(truth *w, const sked_engine *e, const engine_ask *a)
{
    sked_event *event = row_of_truth(w, SKED_EVENT_ASK_ADD, a->key);
    uint32_t first = (uint32_t)w->offsets[w->lists];

    event->owner = job_at(e, a->job)->key;
    event->partition = a->partition;
    event->priority = a->priority;
    event->flags = a->flags;
    event->count = a->open;
    add_amounts(w, event, engine_row_of(e, &e->shape_task, a->shape));
    for (uint32_t p = extra_of(e, a)->places; p != SKEDI_NONE;
         p = place_at(e, p)->next) {
        if (!place_at(e, p)->rack) w->places[first++] = place_at(e, p)->key;
    }
    if (first > (uint32_t)w->offsets[w->lists]) {
        w->offsets[++w->lists] = (int32_t)first;
        event->places = w->lists;
    }
    for (uint32_t g = a->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        const engine_group *group = group_at(e, g);
        int proposal = skedi_group_is_proposal(e, g);
        if (!proposal || !a->closed) event->count += group->count;
        if (proposal) continue;
        sked_event *runs = row_of_truth(w, SKED_EVENT_TASK_RUNNING,
                                        node_at(e, group->node)->key);
        runs->owner = a->key;
        runs->count = group->count;
        w->moment[w->n - 1] = group->deadline_from;
    }
}

/* Things of a pool in the order in which they arrived. */
static void add_jobs(truth *w, const sked_engine *e, int asks)
{
    for (uint64_t at = 0; at <= e->arrivals; at++) {
        for (uint32_t i = 0; !asks && i < e->jobs.n; i++) {
            const engine_job *j = job_at(e, i);
            const engine_user *user = (engine_user *)e->users.item + j->user;
            if (j->state == JOB_FREE_SLOT || j->arrival != at) continue;
            if (j->state == JOB_ENDED) continue;
            sked_event *event = row_of_truth(w, SKED_EVENT_JOB_SUBMIT, j->key);
            event->owner = user->key;
            event->queue = j->queue;
            event->priority = j->priority;
            event->flags = j->flags;
            if (j->state == JOB_RUNNING) event->flags |= SKED_JOB_ADMITTED;
            w->moment[w->n - 1] = j->submitted;
        }
        for (uint32_t i = 0; asks && i < e->asks.n; i++) {
            const engine_ask *a = ask_at(e, i);
            if (!a->live || a->arrival != at ||
                job_at(e, a->job)->state == JOB_ENDED) {
                continue;
            }
            uint32_t ask = w->n;
            add_ask(w, e, a);
            if (e->rules.used && !a->closed) add_rule(w, e, i);
            if (!a->closed) continue;
            w->event[ask].count += w->event[ask].count == 0;
            (void)row_of_truth(w, SKED_EVENT_ASK_WITHDRAW, a->key);
        }
    }
}

static void tell_truth(twins *t, const sked_engine *e)
{
    truth *w = &t->truth;

    w->n = w->lists = 0;
    w->offsets[0] = 0;
    add_nodes(w, e);
    add_jobs(w, e, 0);
    add_jobs(w, e, 1);
    for (uint32_t i = 0; i < w->n; i++) w->event[i].time = t->now;
    w->batch = (sked_events){.struct_size = sizeof w->batch,
                             .events = w->event,
                             .n = w->n,
                             .amounts = w->amounts[0],
                             .n_amounts = ROWS,
                             .place_offsets = w->offsets,
                             .places = w->places,
                             .n_places = w->lists,
                             .moments = w->moment,
                             .tasks = w->task};
    know_zones(&w->batch);
}

/* Mends an engine: how much there was to be done; afterwards nothing. */
static size_t mend(twins *t, side *s)
{
    const size_t step = sizeof t->mend[0];
    sked_error err = {.code = SKED_OK};
    size_t n, left;
    uint64_t done;

    uint64_t before = sked_engine_state_digest(s->engine);
    assert_ok(sked_engine_reconcile(s->engine, &t->truth.batch, t->mend, ROWS,
                                    &n, &err));
    assert_true(before == sked_engine_state_digest(s->engine));
    sked_events batch = t->truth.batch;
    batch.events = &t->mend[0].event;
    batch.stride = (uint32_t)step;
    batch.n = n;
    batch.moments = &t->mend[0].moment;
    batch.tasks = &t->mend[0].task;
    batch.moment_stride = batch.task_stride = (uint32_t)step;
    sked_status rc = sked_engine_apply(s->engine, &batch, &done, &err);
    if (rc != SKED_OK) {
        fail_msg("row %llu of %zu (event %d): %s", (unsigned long long)done, n,
                 t->mend[done].event.kind, err.message);
    }
    assert_ok(sked_engine_check(s->engine, NULL));
    assert_ok(sked_engine_reconcile(s->engine, &t->truth.batch, t->mend, ROWS,
                                    &left, &err));
    if (left > 0) {
        fail_msg("%zu left: event %d of key %llu", left, t->mend[0].event.kind,
                 (unsigned long long)t->mend[0].event.key);
    }
    same_traits(t->one.engine, s->engine);
    return n;
}

/* ---- Laws ---- */

static void world(twins *t, uint64_t seed, int64_t confirm_within)
{
    memset(t, 0, sizeof *t);
    t->words.state = seed;
    t->zoned = seed % 2 == 0;
    t->opts = (sked_engine_options){.struct_size = sizeof t->opts,
                                    .seed = 1,
                                    .confirm_within_ns = confirm_within,
                                    .flags = SKED_ENGINE_FLAG_WAIT,
                                    .max_user_running = 3};
    plant(t);
    start(t, &t->one);
}

static void same_allocation(const sked_decision *a, const sked_decision *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->reason, b->reason);
    assert_i64((int64_t)a->job, (int64_t)b->job);
    assert_i64((int64_t)a->ask, (int64_t)b->ask);
    assert_i64((int64_t)a->node, (int64_t)b->node);
    assert_i64((int64_t)a->queue, (int64_t)b->queue);
    assert_i64(a->time, b->time);
    assert_i64(a->count, b->count);
}

/* Both sides have groups of the same names in the same order from here on. */
static void pair_groups(twins *t)
{
    const sked_engine *e = t->one.engine, *o = t->other.engine;

    t->one.groups = t->other.groups = 0;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        uint32_t there = skedi_keymap_get(&o->node_of, node_at(e, n)->key);
        for (uint32_t g = node_at(e, n)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->next) {
            const engine_group *x = group_at(e, g);
            uint64_t ask = ask_at(e, x->ask)->key;
            for (uint32_t h = node_at(o, there)->first_group; h != SKEDI_NONE;
                 h = group_at(o, h)->next) {
                const engine_group *y = group_at(o, h);
                int taken = 0;
                for (size_t i = 0; i < t->other.groups; i++) {
                    taken |= t->other.group[i] == skedi_group_name(o, h);
                }
                if (taken || ask_at(o, y->ask)->key != ask ||
                    y->count != x->count) {
                    continue;
                }
                t->one.group[t->one.groups++] = skedi_group_name(e, g);
                t->other.group[t->other.groups++] = skedi_group_name(o, h);
                break;
            }
        }
    }
    assert_int_equal(t->one.groups, e->groups.live);
}

/* Tasks of one ask on one node that were started after each other, whatever
 * their numbers, as one decision; how many are left. */
static size_t merge(sked_decision *d, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        sked_decision *last = kept > 0 ? &d[kept - 1] : NULL;
        if (last && last->kind == SKED_DECISION_ALLOCATE &&
            d[i].kind == last->kind && d[i].ask == last->ask &&
            d[i].node == last->node) {
            last->count += d[i].count;
        } else {
            d[kept++] = d[i];
        }
    }
    return kept;
}

/* One event to both: the same answer and the same decisions. */
static void go_on(twins *t)
{
    sked_decision a[64], b[64];
    int64_t amounts[KINDS];
    size_t at = 0;
    sked_event e = draw_event(t, amounts);

    if (below(t, 3) == 0) e = draw_task(t, &t->one, &at);
    int task = e.kind >= SKED_EVENT_TASK_CONFIRM &&
               e.kind <= SKED_EVENT_TASK_LOST;
    /* Which tasks a lost node has first is the order in which they began. */
    if (e.kind == SKED_EVENT_NODE_DOWN) e.kind = SKED_EVENT_NODE_DRAIN;
    t->now += (sked_time)below(t, 3);
    e.time = t->now;
    if (task) e.key = name_of(&t->one, at);
    sked_status rc = tell(&t->one, e, amounts);
    if (task) e.key = name_of(&t->other, at);
    assert_int_equal(tell(&t->other, e, amounts), rc);
    size_t groups = t->one.groups;
    size_t n = hear(&t->one, a, 64);
    size_t m = hear(&t->other, b, 64);
    assert_true(n <= 64 && m <= 64);
    int alike = n == m;
    for (size_t i = 0; alike && i < n; i++) alike = a[i].count == b[i].count;
    for (size_t i = 0; alike && i < n; i++) same_allocation(&a[i], &b[i]);
    if (alike) return;
    /* Other numbers are open, so groups are others: they are let run. */
    t->one.groups = groups;
    t->other.groups = groups;
    n = merge(a, n);
    assert_int_equal(merge(b, m), n);
    for (size_t i = 0; i < n; i++) same_allocation(&a[i], &b[i]);
}

static void a_restart_decides_as_if_it_had_not_been(void **state)
{
    static twins t;
    uint64_t told = 0, ran = 0;
    (void)state;

    const char *only = getenv("SKED_TEST_SEED");
    uint64_t from = only ? strtoull(only, NULL, 10) : 1;
    uint64_t to = only ? from : test_size(150, 5000);
    for (uint64_t seed = from; seed <= to; seed++) {

        world(&t, seed, 0);
        for (int i = 0; i < 150; i++) live(&t, &t.one);
        tell_truth(&t, t.one.engine);
        size_t left;
        assert_ok(sked_engine_reconcile(t.one.engine, &t.truth.batch, t.mend,
                                        ROWS, &left, NULL));
        if (left > 0) {
            fail_msg("seed %llu: event %d of key %llu",
                     (unsigned long long)seed, t.mend[0].event.kind,
                     (unsigned long long)t.mend[0].event.key);
        }
        start(&t, &t.other);
        told += mend(&t, &t.other);
        ran += t.one.engine->stats.running_tasks;
        assert_true(t.other.engine->stats.running_tasks ==
                    t.one.engine->stats.running_tasks);
        assert_true(t.other.engine->stats.open_tasks ==
                    t.one.engine->stats.open_tasks);
        (void)hear(&t.other, NULL, 0);
        (void)hear(&t.one, NULL, 0);
        pair_groups(&t);
        for (int i = 0; i < 60; i++) go_on(&t);
        assert_ok(sked_engine_check(t.other.engine, NULL));
        sked_engine_free(t.one.engine);
        sked_engine_free(t.other.engine);
        sked_tree_free(t.tree);
    }
    assert_true(only ||
                (told > test_size(1000, 1000) && ran > test_size(300, 300)));
}

/* Two engines with the same keys lived apart: one is made like the other, with
 * proposals out on both. */
static void whatever_was_missed_is_mended(void **state)
{
    static twins t;
    uint64_t told = 0;
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(300, 10000); seed++) {
        world(&t, seed, seed % 3 ? 1000 : 0);
        start(&t, &t.other);
        for (int i = 0; i < 150; i++) {
            live(&t, &t.one);
            if (i == 30) t.jobs = t.asks = 0;
            if (i > 20) live(&t, &t.other);
        }
        tell_truth(&t, t.one.engine);
        told += mend(&t, &t.other);
        sked_engine_free(t.one.engine);
        sked_engine_free(t.other.engine);
        sked_tree_free(t.tree);
    }
    assert_true(told > test_size(5000, 5000));
}

/* Two engines with the same asks, each of which missed what some of them prefer:
 * one is made like the other. */
static void rules_that_were_missed_are_mended(void **state)
{
    static twins t;
    int64_t amounts[KINDS];
    uint64_t told = 0;
    (void)state;

    for (uint64_t seed = 2; seed <= test_size(400, 10000); seed += 2) {
        world(&t, seed, 0);
        start(&t, &t.other);
        for (int i = 0; i < 150; i++) {
            sked_event e = draw_event(&t, amounts);
            int trait = below(&t, 3) == 0;
            if (trait) {
                e = (sked_event){.key = 1 + below(&t, 5)};
                draw_trait(&t, &e);
            }
            uint64_t who = trait ? below(&t, 3) : 2;
            e.time = ++t.now;
            if (who != 1) (void)tell(&t.one, e, amounts);
            if (who != 0) (void)tell(&t.other, e, amounts);
            (void)hear(&t.one, NULL, 0);
            (void)hear(&t.other, NULL, 0);
        }
        tell_truth(&t, t.one.engine);
        told += mend(&t, &t.other);
        sked_engine_free(t.one.engine);
        sked_engine_free(t.other.engine);
        sked_tree_free(t.tree);
    }
    assert_true(told > test_size(300, 5000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_decides_as_if_it_had_not_been),
        cmocka_unit_test(whatever_was_missed_is_mended),
        cmocka_unit_test(rules_that_were_missed_are_mended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
