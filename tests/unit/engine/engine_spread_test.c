/* Rules over work by an attribute: together and apart in a rack, spread over
 * zones. [PEL-4] */
#include "engine_rules.h"

#include "engine/domains.h"
#include "engine/state.h"

enum { WEB = 7, STORE = 8 };

/* An ask of one-cpu tasks with a tag goes by one term, which counts by zone. */
static void add_by_zone(engine_fixture *f, uint64_t ask, int64_t count,
                        uint64_t tag, sked_rule_term term)
{
    assert_ok(engine_add_ask(f, ask, 1, count, 1, 1));
    assert_ok(tagged(f, ask, &tag, 1));
    assert_ok(go_by(f, ask, &term, 1));
}

/* The values that terms name: some_zones of engine_rules.h has 9, 2, 3, 2. */
enum { BY_KEY_9 = 0, BY_KEY_2 = 1, BY_KEY_3 = 2 };

static sked_rule_term of_zone(uint32_t op, uint64_t tag, int64_t value,
                              uint32_t first, uint32_t n)
{
    return (sked_rule_term){
        .op = op, .key = tag, .value = value, .first = first, .n = n};
}

/* A node has so many values of key 2, and one of key 9. */
static sked_status is_in(engine_fixture *f, uint64_t node, const int64_t *zones,
                         int32_t n)
{
    sked_rule_attribute pairs[4] = {{9, 1}};
    const int32_t offsets[] = {0, n + 1};
    sked_event event = {.kind = SKED_EVENT_NODE_ATTRIBUTES,
                        .time = f->now,
                        .key = node,
                        .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .attribute_offsets = offsets,
                               .attributes = pairs,
                               .n_attributes = 1};

    for (int32_t i = 0; i < n; i++) {
        pairs[i + 1] = (sked_rule_attribute){2, zones[i]};
    }
    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

/* Nodes 1 and 2 of 4 cpu in zone 1, 3 and 4 in zone 2, 5 in none; node 6 of
 * another partition in zone 1. */
static void two_zones(engine_fixture *f)
{
    (void)engine_alone(f, NULL, 4, 4, 1);
    for (uint64_t n = 2; n <= 6; n++) engine_add_node(f, n, n == 6, 4, 4);
    for (uint64_t n = 1; n <= 6; n++) {
        const int64_t zone = n == 6 ? 1 : 1 + (int64_t)(n - 1) / 2;
        assert_ok(is_in(f, n, &zone, n != 5));
    }
    (void)engine_taken(f);
}

static void zones_take_at_most_so_many(void **state)
{
    engine_fixture *f = *state;

    two_zones(f);
    add_by_zone(f, 1, 20, WEB,
                of_zone(SKED_RULE_OP_AT_MOST, WEB, 2, BY_KEY_2, 1));
    starts(f, 1, 3);
    uint64_t group = f->last[0].group;
    starts(f, 2, 0);
    starts(f, 3, 3);
    starts(f, 4, 0);
    starts(f, 5, 4); /* in no zone there are none */
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    starts(f, 4, 0);
    starts(f, 2, 1); /* what ended on its neighbour lets it in */
    assert_i64((int64_t)f->engine->domains.keys.live, 1);
    assert_ok(go_by(f, 1, NULL, 0));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    for (uint64_t n = 1; n <= 5; n++) {
        assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, n));
    }
    assert_i64((int64_t)f->engine->domains.keys.live, 0);
    assert_i64((int64_t)f->engine->domains.all.live, 0);
}

/* A start in a zone opens its other nodes, and none of another partition. */
static void tasks_keep_to_a_zone(void **state)
{
    engine_fixture *f = *state;

    two_zones(f);
    add_by_zone(f, 1, 9, WEB,
                of_zone(SKED_RULE_OP_AT_LEAST, STORE, 1, BY_KEY_2, 1));
    for (uint64_t n = 1; n <= 5; n++) starts(f, n, 0);
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_ok(tagged(f, 2, (uint64_t[]){STORE}, 1));
    starts(f, 3, 1 + 3);
    starts(f, 1, 0);
    starts(f, 6, 0);
    starts(f, 4, 4);
    assert_ok(is_in(f, 2, (int64_t[]){1, 2, 2}, 3)); /* the node is in both */
    starts(f, 1, 0);
    starts(f, 2, 2);
    assert_i64(skedi_tally_get(f->engine, WEB, 1), 2);
    assert_ok(is_in(f, 2, NULL, 0));
}

/* No zone is more than one ahead, of those that nodes have or that are told. */
static void tasks_spread_over_zones(void **state)
{
    engine_fixture *f = *state;

    two_zones(f);
    add_by_zone(f, 1, 20, WEB,
                of_zone(SKED_RULE_OP_SPREAD, WEB, 1, BY_KEY_2, 1));
    starts(f, 1, 1);
    uint64_t group = f->last[0].group;
    starts(f, 2, 0);
    starts(f, 5, 0); /* in no zone */
    starts(f, 4, 2);
    starts(f, 3, 0);
    starts(f, 2, 2);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    starts(f, 3, 1);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
    starts(f, 3, 3); /* there is one zone now */
    sked_rule_term over = of_zone(SKED_RULE_OP_SPREAD, WEB, 2, BY_KEY_2, 3);
    add_by_zone(f, 2, 9, STORE, over); /* zones 3 and 2 */
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    starts(f, 4, 0);
    over.key = STORE;
    assert_ok(go_by(f, 2, &over, 1));
    starts(f, 4, 2); /* none in 3, which no node has */
    assert_ok(is_in(f, 5, (int64_t[]){3}, 1));
    starts(f, 5, 4);
}

/* What ran before a rule asked, and tags that are said later, count. */
static void what_is_there_counts(void **state)
{
    engine_fixture *f = *state;

    two_zones(f);
    assert_ok(engine_add_ask(f, 1, 1, 2, 1, 1));
    starts(f, 1, 2);
    add_by_zone(f, 2, 9, STORE,
                of_zone(SKED_RULE_OP_AT_LEAST, WEB, 2, BY_KEY_2, 1));
    starts(f, 2, 0);
    assert_ok(tagged(f, 1, (uint64_t[]){WEB, STORE}, 2));
    starts(f, 2, 4);
    assert_ok(tagged(f, 1, NULL, 0));
    starts(f, 1, 0);
    assert_ok(engine_add_ask(f, 3, 1, 1, 1, 1));
    assert_ok(tagged(f, 1, (uint64_t[]){WEB}, 1));
    assert_ok(go_by(f, 3,
                    &(sked_rule_term){.op = SKED_RULE_OP_AT_MOST,
                                      .key = WEB,
                                      .value = 1,
                                      .first = BY_KEY_9,
                                      .n = 1},
                    1));
    starts(f, 1, 2); /* every node has one value of key 9 */
    assert_i64((int64_t)f->last[0].ask, 2);
    assert_i64((int64_t)f->engine->domains.keys.live, 2);
}

static void domains_are_checked(void **state)
{
    engine_fixture *f = *state;

    two_zones(f);
    add_by_zone(f, 1, 4, WEB,
                of_zone(SKED_RULE_OP_AT_MOST, WEB, 9, BY_KEY_2, 1));
    starts(f, 1, 4);
    sked_engine *e = f->engine;
    engine_domain *zone = e->domains.all.item;
    engine_domain_key *key = e->domains.keys.item;
    zone->nodes++;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(e, NULL));
    zone->nodes--;
    zone->value = 77;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(e, NULL));
    zone->value = 1;
    uint32_t last = key->at[key->n - 1];
    key->at[key->n - 1] = key->at[0]; /* not in order */
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(e, NULL));
    key->at[key->n - 1] = last;
    key->n--;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(e, NULL));
    key->n++;
    engine_tally *tallies = e->tags.tallies.item;
    for (uint32_t t = 0; t < 2; t++) {
        tallies[t].count++;
        assert_status(SKED_ERR_INTERNAL, sked_engine_check(e, NULL));
        tallies[t].count--;
    }
}

/* Each allocation fails in turn: nothing changed. */
static void memory_for_domains_may_end(void **state)
{
    engine_fixture *f = *state;
    size_t failed = 0;

    two_zones(f);
    assert_ok(engine_add_ask(f, 1, 1, 4, 1, 1));
    assert_ok(tagged(f, 1, (uint64_t[]){WEB, STORE}, 2));
    starts(f, 1, 4);
    assert_ok(engine_add_ask(f, 2, 1, 9, 1, 1));
    const sked_rule_term terms[] = {
        of_zone(SKED_RULE_OP_AT_MOST, WEB, 9, BY_KEY_9, 1),
        of_zone(SKED_RULE_OP_SPREAD, STORE, 9, BY_KEY_2, 1)};
    const int64_t many[] = {4, 5, 6};
    for (int what = 0; what < 3; what++) {
        uint64_t before = sked_engine_state_digest(f->engine);
        for (size_t i = 1;; i++) {
            sked_status rc;
            f->host.fail_at = f->host.requests + i;
            if (what == 0)
                rc = go_by(f, 2, terms, 2);
            else if (what == 1)
                rc = is_in(f, 1, many, 3);
            else
                rc = engine_tell(f, SKED_EVENT_HEARTBEAT, 2);
            f->host.fail_at = 0;
            assert_ok(sked_engine_check(f->engine, NULL));
            if (rc == SKED_OK) break;
            assert_status(SKED_ERR_NOMEM, rc);
            assert_true(before == sked_engine_state_digest(f->engine));
            failed++;
        }
    }
    assert_true(failed >= 8);
    starts(f, 2, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(zones_take_at_most_so_many),
        engine_case(tasks_keep_to_a_zone),
        engine_case(tasks_spread_over_zones),
        engine_case(what_is_there_counts),
        engine_case(domains_are_checked),
        engine_case(memory_for_domains_may_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
