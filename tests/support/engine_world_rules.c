/* What hosts say of their nodes, and by which rules asks go. */
#include "engine_world.h"

enum { RULE_KEYS = 3, RULE_NUMBERS = 4 };

void world_rule(engine_world *w)
{
    w->ruled = 1;
}

/* What a node is, in the event's row of attributes. */
static void draw_row(engine_world *w)
{
    int32_t n = (int32_t)world_below(w, WORLD_ATTRIBUTES + 1);

    w->event.places = world_below(w, 40) ? 1 : (uint32_t)world_below(w, 3);
    for (int32_t i = 0; i < n; i++) {
        w->attributes[i].key = world_below(w, RULE_KEYS);
        w->attributes[i].value = (int64_t)world_below(w, RULE_NUMBERS);
    }
    w->rows[1] = n;
}

static void draw_attributes(engine_world *w)
{
    w->event.kind = SKED_EVENT_NODE_ATTRIBUTES;
    w->event.key = world_below(w, 40) ? 1 + world_below(w, w->nodes) : 0;
    draw_row(w);
}

/* The batch has rows of attributes and rules, which are empty yet. */
static void begin_rows(engine_world *w)
{
    w->rows[0] = w->rows[1] = 0;
    w->batch.attribute_offsets = w->batch.rule_offsets = w->rows;
    w->batch.attributes = w->attributes;
    w->batch.n_attributes = w->batch.n_rules = 1;
    w->batch.rule_terms = w->terms;
    w->batch.rule_values = w->values;
    w->batch.n_rule_values = WORLD_VALUES;
}

void world_draw_new_node(engine_world *w)
{
    if (world_below(w, 2)) return;
    begin_rows(w);
    w->batch.n_rules = 0;
    draw_row(w);
    if (w->event.places > 1) w->event.places = 1; /* it has to come */
}

void world_rack(engine_world *w)
{
    w->racked = 1;
}

void world_draw_rack(engine_world *w)
{
    begin_rows(w);
    w->batch.n_rules = 0;
    w->event.places = 1;
    w->rows[1] = 1 + (world_below(w, 8) == 0);
    for (int32_t i = 0; i < w->rows[1]; i++) {
        w->attributes[i].key = 1;
        w->attributes[i].value = (int64_t)world_below(w, 2);
    }
}

/* A term that is right, or nearly, where `answers` stand before it. */
static sked_rule_term draw_term(engine_world *w, uint64_t answers)
{
    sked_rule_term t = {.op = 1 + (uint32_t)world_below(w, 13)};
    if (t.op == SKED_RULE_OP_HOST) t.op = SKED_RULE_OP_EXISTS;
    int work = t.op >= SKED_RULE_OP_AT_MOST && t.op <= SKED_RULE_OP_SPREAD;

    if (t.op <= SKED_RULE_OP_OR && answers == 0) t.op += 2;
    if (t.op <= SKED_RULE_OP_OR) {
        t.n = 1 + (uint32_t)world_below(w, answers);
    } else {
        t.key = world_below(w, RULE_KEYS);
        t.value = (int64_t)world_below(w, RULE_NUMBERS);
    }
    if (t.op == SKED_RULE_OP_EXISTS || t.op == SKED_RULE_OP_ABSENT) t.value = 0;
    if (t.op == SKED_RULE_OP_IN) {
        t.value = 0;
        t.first = (uint32_t)world_below(w, WORLD_VALUES);
        t.n = 1 + (uint32_t)world_below(w, WORLD_VALUES - t.first);
    }
    if (t.op == SKED_RULE_OP_SPREAD || (work && world_below(w, 2))) {
        t.first = (uint32_t)world_below(w, WORLD_VALUES);
        t.n = 1;
    }
    if (t.op == SKED_RULE_OP_SPREAD) {
        t.value = 1 + (int64_t)world_below(w, 2);
        t.n += (uint32_t)world_below(w, WORLD_VALUES - t.first);
    }
    switch (world_below(w, 400)) {
    case 0: t.op = (uint32_t)world_below(w, 15); break;
    case 1: t.n++; break;
    case 2: t.first++; break;
    case 3: t.value = -1; break;
    case 4: t.n += UINT64_C(1) << 32; break;
    }
    return t;
}

static void draw_rule(engine_world *w, uint64_t key)
{
    uint64_t answers = 0;
    int32_t n = (int32_t)world_below(w, WORLD_TERMS + 1);

    w->event.kind = SKED_EVENT_ASK_RULE;
    w->event.key = key;
    w->event.places = world_below(w, 40) ? 1 : (uint32_t)world_below(w, 3);
    for (int32_t i = 0; i < n; i++) {
        w->terms[i] = draw_term(w, answers);
        int joins = w->terms[i].op <= SKED_RULE_OP_OR;
        answers = answers + 1 - (joins ? w->terms[i].n : 0);
    }
    for (int i = 0; i < WORLD_VALUES; i++) {
        w->values[i] = (int64_t)world_below(w, RULE_NUMBERS);
    }
    w->rows[1] = n;
}

/* A soft rule of an ask, for a while or until it is dropped with the others. */
static void draw_preference(engine_world *w, uint64_t key)
{
    draw_rule(w, key);
    w->event.kind = SKED_EVENT_ASK_PREFER;
    w->event.count = (int64_t)world_below(w, 4);
    if (world_below(w, 60) == 0) w->event.count = -1;
    if (world_below(w, 60) == 0) w->event.count = INT64_C(1) << 31;
    if (world_below(w, 8) == 0) w->event.places = 0;
    if (world_below(w, 3)) {
        w->moment = w->now + (sked_time)world_below(w, 60) * w->tick;
    }
}

/* Tags of an ask, some of them twice. */
static void draw_tags(engine_world *w, uint64_t key)
{
    int32_t n = (int32_t)world_below(w, 4);

    w->event.kind = SKED_EVENT_ASK_TAGS;
    w->event.key = key;
    w->event.places = world_below(w, 40) ? 1 : (uint32_t)world_below(w, 3);
    for (int32_t i = 0; i < n; i++) w->places[i] = world_below(w, RULE_KEYS);
    w->offsets[1] = n;
}

/* Other nodes or racks that an ask would like, with counts or without. */
static void draw_other_places(engine_world *w, uint64_t key)
{
    int racks = world_below(w, 2) == 0;
    int32_t n = (int32_t)world_below(w, 4);
    uint64_t last = racks ? 3 : w->nodes + 1, first = world_below(w, last);

    if ((uint64_t)n > last) n = (int32_t)last; /* each is named once */
    w->event.kind = racks ? SKED_EVENT_ASK_RACKS : SKED_EVENT_ASK_PLACES;
    w->event.key = key;
    w->event.places = world_below(w, 40) ? 1 : (uint32_t)world_below(w, 3);
    if (world_below(w, 3) == 0 && !racks) w->event.flags = SKED_ASK_STRICT;
    if (world_below(w, 60) == 0) w->event.flags = (uint32_t)world_below(w, 9);
    for (int32_t i = 0; i < n; i++) {
        w->places[i] = 1 + (first + (uint64_t)i) % last;
        w->place_tasks[i] = (uint32_t)world_below(w, 6);
    }
    w->offsets[1] = n;
    if (world_below(w, 2)) w->batch.place_tasks = w->place_tasks;
    if (n && world_below(w, 40) == 0) w->place_tasks[0] = UINT32_MAX;
}

/* A node goes into another partition. */
static void draw_move(engine_world *w)
{
    w->event.kind = SKED_EVENT_NODE_MOVE;
    w->event.key = world_below(w, 40) ? 1 + world_below(w, w->nodes) : 0;
    w->event.partition = (uint32_t)world_below(w, w->partitions);
    if (world_below(w, 60) == 0) w->event.partition = UINT32_MAX;
}

int world_draw_rule(engine_world *w)
{
    uint64_t what = world_below(w, w->crowded ? 160 : 100),
             back = world_below(w, 16);

    begin_rows(w);
    if (what < 2)
        draw_move(w);
    else if (what < 10 || (w->spread && what < 50 && back < 8))
        draw_attributes(w);
    else if (what < 25)
        draw_rule(w, back < w->asks ? w->asks - back : 0);
    else if (what < 32)
        draw_tags(w, back < w->asks ? w->asks - back : 0);
    else if (what < 44)
        draw_preference(w, back < w->asks ? w->asks - back : 0);
    else if (what < 50)
        draw_other_places(w, back < w->asks ? w->asks - back : 0);
    return what < 50;
}
