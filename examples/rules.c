/*
 * Placement of tasks: in a preferred zone for a while, one task a node, in one
 * rack, beside a volume, and on a node that changes partition. The host chooses
 * the numbers for keys and values of attributes.
 */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ZONE = 1, VOLUME = 17, WEB = 7 }; /* two attributes; a tag */

typedef struct cluster {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    uint64_t attached; /* the node with the volume */
} cluster;

static void must(sked_status rc, const sked_error *err)
{
    if (rc == SKED_OK) return;
    fprintf(stderr, "%s: %s\n", sked_status_name(rc), err->message);
    exit(1);
}

static const int64_t cpu = 1;
static const int32_t rows[] = {0, 1}; /* a row with a single entry */

/* Sends an event; `beside` has the columns of the event. */
static void tell(cluster *c, sked_event event, sked_events beside)
{
    sked_error err;

    beside.struct_size = sizeof beside;
    beside.events = &event;
    beside.n = 1;
    beside.amounts = beside.amounts ? beside.amounts : &cpu;
    beside.n_amounts = 1;
    must(sked_engine_apply(c->engine, &beside, NULL, &err), &err);
}

static void beat(cluster *c, uint64_t node, sked_time now)
{
    sked_decision d;
    size_t n;
    int any = 0;

    tell(c,
         (sked_event){.kind = SKED_EVENT_HEARTBEAT, .time = now, .key = node},
         (sked_events){0});
    printf("%2" PRId64 " node %" PRIu64 ":", now, node);
    while (sked_engine_take(c->engine, &d, 1, &n, NULL) == SKED_OK && n > 0) {
        if (d.kind != SKED_DECISION_ALLOCATE) continue;
        printf(" %" PRId64 " of ask %" PRIu64, d.count, d.ask);
        any = 1;
    }
    printf(any ? "\n" : " -\n");
}

static void ask(cluster *c, uint64_t key, int64_t count)
{
    tell(c,
         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                      .key = key,
                      .owner = 1,
                      .count = count,
                      .amount = 1},
         (sked_events){0});
}

/* A rule with a single term: hard, or (ASK_PREFER) soft until `until`. */
static void rule(cluster *c, sked_event event, sked_rule_term term,
                 sked_time until)
{
    event.places = 1;
    tell(c, event,
         (sked_events){.rule_offsets = rows,
                       .rule_terms = &term,
                       .n_rules = 1,
                       .moments = &until});
}

/* The attributes of a node: zone, and whether the node can attach the
 * volume. */
static void describe(cluster *c, uint64_t node, uint64_t zone)
{
    const sked_rule_attribute is[] = {{ZONE, (int64_t)zone}, {VOLUME, 1}};
    const int32_t row[] = {0, node == c->attached ? 2 : 1};

    tell(c,
         (sked_event){
             .kind = SKED_EVENT_NODE_ATTRIBUTES, .key = node, .places = 1},
         (sked_events){
             .attribute_offsets = row, .attributes = is, .n_attributes = 1});
}

/* A node of four cpu; the rack of the node is the zone. */
static void add_node(cluster *c, uint64_t node, uint64_t zone)
{
    static const int64_t four = 4;

    tell(c,
         (sked_event){.kind = SKED_EVENT_NODE_UP,
                      .key = node,
                      .owner = zone,
                      .amount = 1},
         (sked_events){.amounts = &four});
    describe(c, node, zone);
}

/* Three nodes, in zones 1, 2 and 2; a job. */
static void begin(cluster *c)
{
    static const char *const kinds[] = {"cpu"};
    sked_queue_id leaf;
    sked_error err;

    must(sked_schema_new(kinds, NULL, 1, NULL, &c->schema, &err), &err);
    must(sked_tree_new(c->schema, NULL, NULL, &c->tree, &err), &err);
    must(sked_tree_add(c->tree, sked_tree_root(c->tree), "q", &leaf, &err),
         &err);
    must(sked_tree_commit(c->tree, SKED_TREE_COMMIT_STRICT, &err), &err);
    must(sked_engine_new(c->tree, NULL, NULL, &c->engine, &err), &err);
    for (uint64_t node = 1; node <= 3; node++)
        add_node(c, node, 1 + (node > 1));
    tell(
        c,
        (sked_event){
            .kind = SKED_EVENT_JOB_SUBMIT, .key = 1, .owner = 1, .queue = leaf},
        (sked_events){0});
}

/* Adds two nodes and a volume that only a single node can attach. */
static void follow_the_volume(cluster *c)
{
    printf("ask 4: where volume 17 can be attached\n");
    c->attached = 5;
    add_node(c, 4, 3);
    add_node(c, 5, 3);
    ask(c, 4, 1);
    rule(c, (sked_event){.kind = SKED_EVENT_ASK_RULE, .key = 4},
         (sked_rule_term){.op = SKED_RULE_OP_EXISTS, .key = VOLUME},
         SKED_UNSET);
    beat(c, 4, 5);
    printf("it can be attached to node 4 alone now\n");
    c->attached = 4;
    describe(c, 4, 3);
    describe(c, 5, 3);
    beat(c, 5, 6);
    beat(c, 4, 6);
}

int main(void)
{
    const uint64_t web[] = {WEB}, rack[] = {2};
    cluster c = {0};

    begin(&c);
    printf("ask 1: zone 1 until time 10, then anywhere\n");
    ask(&c, 1, 3);
    rule(&c, (sked_event){.kind = SKED_EVENT_ASK_PREFER, .key = 1, .count = 1},
         (sked_rule_term){.op = SKED_RULE_OP_EQUAL, .key = ZONE, .value = 1},
         10);
    beat(&c, 2, 1);
    beat(&c, 1, 2);
    printf("ask 2: one of its tasks a node\n");
    ask(&c, 2, 9);
    tell(&c, (sked_event){.kind = SKED_EVENT_ASK_TAGS, .key = 2, .places = 1},
         (sked_events){.place_offsets = rows, .places = web, .n_places = 1});
    rule(&c, (sked_event){.kind = SKED_EVENT_ASK_RULE, .key = 2},
         (sked_rule_term){.op = SKED_RULE_OP_AT_MOST, .key = WEB, .value = 0},
         SKED_UNSET);
    for (uint64_t node = 1; node <= 3; node++) beat(&c, node, 3);
    printf("ask 3: rack 2 and no other\n");
    ask(&c, 3, 9);
    tell(&c,
         (sked_event){
             .kind = SKED_EVENT_ASK_PLACES, .key = 3, .flags = SKED_ASK_STRICT},
         (sked_events){0});
    tell(&c, (sked_event){.kind = SKED_EVENT_ASK_RACKS, .key = 3, .places = 1},
         (sked_events){.place_offsets = rows, .places = rack, .n_places = 1});
    for (uint64_t node = 1; node <= 3; node++) beat(&c, node, 4);
    printf("node 3 goes into partition 1, with what runs there\n");
    tell(&c,
         (sked_event){.kind = SKED_EVENT_NODE_MOVE, .key = 3, .partition = 1},
         (sked_events){0});
    for (uint32_t p = 0; p < 2; p++) {
        int64_t used = 0;
        must(
            sked_engine_usage(c.engine, sked_tree_root(c.tree), p, &used, NULL),
            NULL);
        printf("partition %" PRIu32 " runs %" PRId64 "\n", p, used);
    }
    follow_the_volume(&c);
    sked_engine_free(c.engine);
    sked_tree_free(c.tree);
    sked_schema_free(c.schema);
    return 0;
}
