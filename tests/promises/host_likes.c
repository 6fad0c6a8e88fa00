/* Which nodes asks take and would like, and where nodes are, as the host says. */
#include "host.h"

#include <string.h>

enum { ZONE = HOST_ZONE, TAG = 7 }; /* the attribute and the tag of rules */

/* ---- Rules ---- */

void host_zone(host *h, uint32_t n)
{
    const int32_t offsets[] = {0, 1};
    sked_rule_attribute zone = {ZONE, h->w->node[n].zone};
    sked_event event = {.kind = SKED_EVENT_NODE_ATTRIBUTES,
                        .time = h->now,
                        .key = n + 1,
                        .places = 1};

    if (zone.value == 0) return; /* no world of rules */
    h->b.zone[n] = h->w->node[n].zone;
    host_send(h, &(sked_events){.struct_size = sizeof(sked_events),
                                .events = &event,
                                .n = 1,
                                .attribute_offsets = offsets,
                                .attributes = &zone,
                                .n_attributes = 1});
}

/* A rule that takes nodes of these zones (0: of any), hard or soft, and those
 * that run fewer than `apart` of the tasks that are counted (0: any). */
static void say_rule(host *h, sked_event event, uint32_t zones, uint32_t apart,
                     sked_time until)
{
    int64_t values[WORLD_ZONES];
    sked_rule_term term[2] = {{.op = SKED_RULE_OP_IN, .key = ZONE}};
    int32_t offsets[] = {0, zones != 0};

    for (uint32_t z = 0; z < WORLD_ZONES; z++) {
        if (zones >> z & 1) values[term[0].n++] = INT64_C(1) << z;
    }
    size_t n_values = (size_t)term[0].n;
    if (apart) {
        term[offsets[1]++] = (sked_rule_term){.op = SKED_RULE_OP_AT_MOST,
                                              .key = TAG,
                                              .value = (int64_t)apart - 1};
    }
    event.time = h->now;
    event.places = 1;
    host_send(h, &(sked_events){.struct_size = sizeof(sked_events),
                                .events = &event,
                                .n = 1,
                                .rule_offsets = offsets,
                                .rule_terms = term,
                                .n_rules = 1,
                                .rule_values = values,
                                .n_rule_values = n_values,
                                .moments = &until});
}

static void say_tag(host *h, uint32_t a)
{
    const int32_t offsets[] = {0, 1};
    const uint64_t tag = TAG;
    const sked_event event = {
        .kind = SKED_EVENT_ASK_TAGS, .time = h->now, .key = a + 1, .places = 1};

    host_send(h, &(sked_events){.struct_size = sizeof(sked_events),
                                .events = &event,
                                .n = 1,
                                .place_offsets = offsets,
                                .places = &tag,
                                .n_places = 1});
}

void host_drop_soft(host *h, uint32_t a)
{
    h->b.indifferent[a] = 1;
    host_say(h, (sked_event){.kind = SKED_EVENT_ASK_PREFER, .key = a + 1});
}

void host_say_rules(host *h, uint32_t a)
{
    const world_ask *ask = &h->w->ask[a];

    if (h->b.rejected[a]) return;
    if (ask->tagged) say_tag(h, a);
    if (ask->zones || ask->apart) {
        say_rule(h, (sked_event){.kind = SKED_EVENT_ASK_RULE, .key = a + 1},
                 ask->zones, ask->apart, SKED_UNSET);
    }
    for (int i = 0; i < WORLD_SOFT; i++) {
        const world_soft *s = &ask->soft[i];
        sked_time until = s->until ? s->until * WORLD_STEP : SKED_UNSET;
        if (s->zones == 0 || (s->until && until <= h->now)) continue;
        say_rule(h,
                 (sked_event){.kind = SKED_EVENT_ASK_PREFER,
                              .key = a + 1,
                              .count = s->weight},
                 s->zones, 0, until);
    }
    if (ask->racks) host_like(h, a, ask->places, ask->racks, h->b.strict[a]);
}

/* ---- Nodes and racks that asks would like ---- */

static void say_list(host *h, sked_event event, uint32_t list)
{
    uint64_t keys[32];
    int32_t offsets[2] = {0, 0};

    for (uint32_t i = 0; i < 32; i++) {
        if (list >> i & 1) keys[offsets[1]++] = i + 1;
    }
    event.time = h->now;
    event.places = list != 0;
    host_send(h, &(sked_events){.struct_size = sizeof(sked_events),
                                .events = &event,
                                .n = 1,
                                .place_offsets = offsets,
                                .places = keys,
                                .n_places = list != 0});
}

void host_like(host *h, uint32_t a, uint32_t places, uint32_t racks, int strict)
{
    uint32_t flags = strict ? SKED_ASK_STRICT : 0;

    h->b.places[a] = places;
    h->b.racks[a] = racks;
    h->b.strict[a] = (uint8_t)strict;
    say_list(h, (sked_event){.kind = SKED_EVENT_ASK_RACKS, .key = a + 1},
             racks);
    say_list(h,
             (sked_event){
                 .kind = SKED_EVENT_ASK_PLACES, .key = a + 1, .flags = flags},
             places);
}

/* ---- Partitions ---- */

void host_move(host *h, uint32_t n, uint32_t part)
{
    host_say(h, (sked_event){.kind = SKED_EVENT_NODE_MOVE,
                             .key = n + 1,
                             .partition = part});
    books_move(&h->b, n, part);
    books_see(&h->b);
    h->strayed = 1;
    books_resolve(&h->b);
    memset(&h->watch[n], 0, sizeof h->watch[n]);
}

int host_is_still(const host *h)
{
    const world *w = h->w;

    for (uint32_t a = 0; w->parts > 1 && a < w->asks; a++) {
        if (w->ask[a].partition == SKED_ANY_PARTITION) return 0;
    }
    return !books_are_astray(&h->b) && !books_are_odd(&h->b);
}
