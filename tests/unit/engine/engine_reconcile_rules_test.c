/* Attributes of nodes, rules and tags of asks in a host's truth. */
#include <sched/engine_reconcile.h>

#include "engine_rules.h"

enum { MOST = 32 };

/* Nodes 1 and 2, job 1 with ask 1 of two tasks; then rows of what they are. */
typedef struct traits_truth {
    sked_event rows[MOST];
    sked_events in;
    sked_engine_difference d[MOST];
    size_t n;
} traits_truth;

static const int64_t amounts[] = {10, 10, 1, 1};
/* Attribute rows: zone 2, model 5; the same the other way round; zone 2 twice;
 * zone 3; nothing. */
static const sked_rule_attribute pairs[] = {{ZONE, 2}, {MODEL, 5}, {MODEL, 5},
                                            {ZONE, 2}, {ZONE, 2},  {ZONE, 2},
                                            {ZONE, 3}};
static const int32_t pair_offsets[] = {0, 2, 4, 6, 7, 7};
static const int64_t zones[] = {9, 2, 3, 2, 3};
/* Rules: zone is one of 2 and 3; the same, its values elsewhere; zone is 2; one
 * of 9 and 2; no term; at most one task with tag 7; no such comparison;
 * zone is 3. */
static const sked_rule_term terms[] = {
    {.op = SKED_RULE_OP_IN, .key = ZONE, .n = 2, .first = 1},
    {.op = SKED_RULE_OP_IN, .key = ZONE, .n = 2, .first = 3},
    {.op = SKED_RULE_OP_EQUAL, .key = ZONE, .value = 2},
    {.op = SKED_RULE_OP_IN, .key = ZONE, .n = 2, .first = 0},
    {.op = SKED_RULE_OP_AT_MOST, .key = 7, .value = 1},
    {.op = 99},
    {.op = SKED_RULE_OP_EQUAL, .key = ZONE, .value = 3}};
static const int32_t term_offsets[] = {0, 1, 2, 3, 4, 4, 5, 6, 7};
/* Lists: tags 7 and 8; the same; 7. */
static const uint64_t lists[] = {7, 8, 8, 7, 7, 7};
static const int32_t list_offsets[] = {0, 2, 5, 6};

static sked_event *trait(traits_truth *t, int32_t kind, uint64_t key,
                         uint32_t places)
{
    t->rows[t->in.n] = (sked_event){.kind = kind, .key = key, .places = places};
    return &t->rows[t->in.n++];
}

static traits_truth truth_with(sked_queue_id leaf)
{
    traits_truth t = {.in = {.struct_size = sizeof t.in,
                             .amounts = amounts,
                             .n_amounts = 2,
                             .place_offsets = list_offsets,
                             .places = lists,
                             .n_places = 3,
                             .attribute_offsets = pair_offsets,
                             .attributes = pairs,
                             .n_attributes = 5,
                             .rule_offsets = term_offsets,
                             .rule_terms = terms,
                             .n_rules = 8,
                             .rule_values = zones,
                             .n_rule_values = 5}};

    trait(&t, SKED_EVENT_NODE_UP, 1, 0)->amount = 1;
    trait(&t, SKED_EVENT_NODE_UP, 2, 0)->amount = 1;
    sked_event *job = trait(&t, SKED_EVENT_JOB_SUBMIT, 1, 0);
    job->queue = leaf;
    job->owner = 1;
    sked_event *ask = trait(&t, SKED_EVENT_ASK_ADD, 1, 0);
    ask->owner = 1;
    ask->count = 2;
    ask->amount = 2;
    return t;
}

static sked_status compare(engine_fixture *f, traits_truth *t)
{
    t->in.events = t->rows;
    return sked_engine_reconcile(f->engine, &t->in, t->d, MOST, &t->n, &f->err);
}

/* Applies what differs, after which nothing does; how much it was. */
static size_t mend(engine_fixture *f, traits_truth *t)
{
    assert_ok(compare(f, t));
    size_t n = t->n;
    sked_events batch = t->in;
    batch.events = &t->d[0].event;
    batch.stride = sizeof t->d[0];
    batch.n = n;
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    assert_ok(sked_engine_check(f->engine, &f->err));
    assert_ok(compare(f, t));
    assert_int_equal(t->n, 0);
    return n;
}

static traits_truth begin(engine_fixture *f)
{
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, NULL);
    return truth_with(leaf);
}

/* An empty engine is told all; one that goes by it then does as it says. */
static void a_restart_tells_rules_too(void **state)
{
    engine_fixture *f = *state;
    traits_truth t = begin(f);

    (void)trait(&t, SKED_EVENT_ASK_TAGS, 1, 1);
    (void)trait(&t, SKED_EVENT_ASK_RULE, 1, 1);
    (void)trait(&t, SKED_EVENT_NODE_ATTRIBUTES, 2, 1);
    (void)trait(&t, SKED_EVENT_NODE_ATTRIBUTES, 1, 5); /* an empty row */
    assert_int_equal(mend(f, &t), 4 + 3);
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 0);
    assert_int_equal(engine_beat(f, 2), 1);
}

/* The same in another order, or with values elsewhere, is the same. */
static void order_is_no_difference(void **state)
{
    engine_fixture *f = *state;
    traits_truth t = begin(f);
    sked_event *tags = trait(&t, SKED_EVENT_ASK_TAGS, 1, 1);
    sked_event *rule = trait(&t, SKED_EVENT_ASK_RULE, 1, 1);
    sked_event *has = trait(&t, SKED_EVENT_NODE_ATTRIBUTES, 1, 1);

    assert_int_equal(mend(f, &t), 7);
    tags->places = rule->places = has->places = 2;
    assert_int_equal(mend(f, &t), 0);
    tags->places = rule->places = has->places = 3;
    assert_int_equal(mend(f, &t), 3);
    rule->places = 8;
    assert_int_equal(mend(f, &t), 1);
    rule->places = has->places = 4;
    assert_int_equal(mend(f, &t), 2);
    assert_int_equal(t.d[0].how, SKED_ENGINE_DIFFERS_OTHER);
    tags->places = rule->places = has->places = 0;
    assert_int_equal(mend(f, &t), 3);
    rule->places = 5; /* a rule without a term is none */
    assert_int_equal(mend(f, &t), 0);
    t.in.n -= 3; /* of what no row speaks nothing is compared */
    assert_ok(go_by(f, 1, terms, 1));
    assert_int_equal(mend(f, &t), 0);
}

/* The hard rule alone is compared. */
static void soft_rules_are_no_difference(void **state)
{
    engine_fixture *f = *state;
    traits_truth t = begin(f);

    (void)trait(&t, SKED_EVENT_ASK_RULE, 1, 3);
    assert_int_equal(mend(f, &t), 5);
    assert_ok(prefer(f, 1, terms, 1, 1, SKED_UNSET));
    assert_int_equal(mend(f, &t), 0);
}

/* What is told anew gets its rows anew, what is withdrawn none. */
static void what_is_anew_has_its_rows(void **state)
{
    engine_fixture *f = *state;
    traits_truth t = begin(f);

    (void)trait(&t, SKED_EVENT_ASK_RULE, 1, 3);
    (void)trait(&t, SKED_EVENT_NODE_ATTRIBUTES, 2, 4);
    assert_int_equal(mend(f, &t), 6);
    t.rows[3].priority = 4;
    t.rows[1].partition = 1;
    assert_int_equal(mend(f, &t), 2 + 2 + 2);
    (void)trait(&t, SKED_EVENT_ASK_WITHDRAW, 1, 0);
    assert_int_equal(mend(f, &t), 1);
}

/* Tasks run of an ask that is not wanted any more, and a rule counts them. Tags
 * of such an ask cannot be changed: where others are true, it is told anew. */
static void tags_of_what_is_withdrawn(void **state)
{
    engine_fixture *f = *state;
    traits_truth t = begin(f);

    sked_event *ask = trait(&t, SKED_EVENT_ASK_ADD, 2, 0);
    ask->owner = 1;
    ask->count = 1;
    ask->amount = 2;
    (void)trait(&t, SKED_EVENT_ASK_RULE, 2, 6);
    sked_event *runs = trait(&t, SKED_EVENT_TASK_RUNNING, 1, 0);
    runs->owner = 1;
    runs->count = 2;
    (void)trait(&t, SKED_EVENT_ASK_WITHDRAW, 1, 0);
    sked_event *tags = trait(&t, SKED_EVENT_ASK_TAGS, 1, 1);
    assert_int_equal(mend(f, &t), 5 + 1 + 1 + 2);
    tags->places = 3;
    assert_int_equal(mend(f, &t), 1 + 1 + 1 + 1 + 1);
    t.in.n--; /* without the row they are not compared */
    tags->places = 0;
    assert_int_equal(mend(f, &t), 0);
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 0);
    assert_int_equal(engine_beat(f, 2), 1);
}

static void truths_that_are_none(void **state)
{
    static const struct {
        sked_status rc;
        int32_t kind;
        uint64_t key;
        uint32_t places;
    } bad[] = {{SKED_ERR_NOT_FOUND, SKED_EVENT_ASK_RULE, 2, 1},
               {SKED_ERR_NOT_FOUND, SKED_EVENT_NODE_ATTRIBUTES, 3, 1},
               {SKED_ERR_ARG, SKED_EVENT_ASK_RULE, 1, 9},
               {SKED_ERR_ARG, SKED_EVENT_ASK_RULE, 1, 7},
               {SKED_ERR_ARG, SKED_EVENT_ASK_TAGS, 1, 4},
               {SKED_ERR_ARG, SKED_EVENT_NODE_ATTRIBUTES, 1, 6}};
    static uint64_t many[SKED_MAX_ASK_TAGS + 1];
    static sked_rule_attribute crowd[SKED_MAX_RULE_ATTRIBUTES + 1];
    static const int32_t all_tags[] = {0, SKED_MAX_ASK_TAGS + 1};
    static const int32_t all_pairs[] = {0, SKED_MAX_RULE_ATTRIBUTES + 1};
    engine_fixture *f = *state;
    traits_truth t = begin(f), more;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        more = t;
        (void)trait(&more, bad[i].kind, bad[i].key, bad[i].places);
        assert_status(bad[i].rc, compare(f, &more));
        assert_i64(f->err.row, 4);
    }
    more = t;
    (void)trait(&more, SKED_EVENT_ASK_TAGS, 1, 1);
    (void)trait(&more, SKED_EVENT_ASK_TAGS, 1, 1);
    assert_status(SKED_ERR_EXISTS, compare(f, &more));
    more.in.n--;
    more.in.place_offsets = all_tags;
    more.in.places = many;
    more.in.n_places = 1;
    assert_status(SKED_ERR_RANGE, compare(f, &more));
    more = t;
    (void)trait(&more, SKED_EVENT_NODE_ATTRIBUTES, 1, 1);
    more.in.attribute_offsets = all_pairs;
    more.in.attributes = crowd;
    more.in.n_attributes = 1;
    assert_status(SKED_ERR_RANGE, compare(f, &more));
    more = t;
    (void)trait(&more, SKED_EVENT_ASK_RULE, 1, 6);
    more.rows[3].flags = SKED_ASK_GANG | SKED_ASK_SPREAD;
    assert_status(SKED_ERR_STATE, compare(f, &more));
    f->host.fail_from = 1;
    assert_status(SKED_ERR_NOMEM, compare(f, &t));
    f->host.fail_from = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_restart_tells_rules_too),
        engine_case(order_is_no_difference),
        engine_case(soft_rules_are_no_difference),
        engine_case(what_is_anew_has_its_rows),
        engine_case(tags_of_what_is_withdrawn),
        engine_case(truths_that_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
