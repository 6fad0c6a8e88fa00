/*
 * A round reads each partition, has victims chosen for those who ask, and
 * then acts on all partitions at once, since what no partition asks for any
 * more is withdrawn. All that it needs besides lives in one arena.
 */
#include "engine/rounds.h"

#include <string.h>

#include "base/fail.h"
#include "engine/books.h"
#include "engine/groups.h"
#include "engine/notices.h"

void *skedi_round_room(sked_engine *e, uint64_t n, size_t size)
{
    if (n > SIZE_MAX / size / 2) return NULL;
    return skedi_arena_take(&e->preempt->arena, (size_t)n * size + 8,
                            &e->hooks.mem);
}

static sked_status no_room_to_round(sked_error *err)
{
    return skedi_fail_plain(err, SKED_ERR_NOMEM, "no room for a round");
}

/* Room for a plan with so many victims and seats. */
static int round_plan_room(sked_engine *e, round_part *part, uint64_t victims,
                           uint64_t seats)
{
    part->plan = (sked_preempt_plan){
        .struct_size = sizeof part->plan,
        .victims = skedi_round_room(e, victims, sizeof(sked_preempt_victim)),
        .seats = skedi_round_room(e, seats, sizeof(sked_preempt_seat)),
        .victims_cap = (uint32_t)victims,
        .seats_cap = (uint32_t)seats,
    };
    return part->plan.victims && part->plan.seats;
}

/* Has victims chosen among those on the nodes looked at; once more where the
 * room for them was too small. */
static sked_status choose_victims(sked_engine *e, round_part *part,
                                  skedi_absents *absent, sked_error *err)
{
    sked_status rc = SKED_ERR_RANGE;

    if (!skedi_round_free(e, part) || !skedi_round_candidates(e, part)) {
        return no_room_to_round(err);
    }
    uint64_t victims = (uint64_t)part->in.n + 64;
    uint64_t seats = (uint64_t)part->in.n_requests + part->in.n_nodes + 64;

    for (int again = 0; again < 2 && rc == SKED_ERR_RANGE; again++) {
        if (!round_plan_room(e, part, victims, seats))
            return no_room_to_round(err);
        rc = skedi_preempt_among(&part->in, &e->preempt->host, absent,
                                 &part->plan, err);
        victims = part->plan.n_victims;
        seats = part->plan.n_seats;
    }
    return rc;
}

/* Must all nodes be looked at? Where nodes are named, where the first that will
 * do is taken, and where queues take from themselves. */
static int goes_everywhere(const round_part *part)
{
    uint32_t all = SKED_PREEMPT_PLAIN | SKED_PREEMPT_BY_USER |
                   SKED_PREEMPT_BY_PRIORITY;

    return part->picky || part->in.flags & all;
}

/* Looks at more and more nodes until the others would change nothing. */
static sked_status choose_somewhere(sked_engine *e, round_part *part,
                                    sked_error *err)
{
    skedi_absents absent = {.matter = 1};
    sked_status rc = SKED_OK;

    if (!skedi_round_somewhere(e, part)) return no_room_to_round(err);
    while (rc == SKED_OK && absent.matter) {
        if (!skedi_round_wider(e, part, &absent)) return no_room_to_round(err);
        if (part->in.n_nodes == 0) return SKED_OK;
        rc = choose_victims(e, part, &absent, err);
    }
    return rc;
}

static sked_status choose_for_part(sked_engine *e, round_part *part,
                                   sked_error *err)
{
    skedi_absents nobody = {0};

    if (!goes_everywhere(part)) return choose_somewhere(e, part, err);
    if (!part->picky && !skedi_round_everywhere(e, part))
        return no_room_to_round(err);
    if (part->in.n_nodes == 0) return SKED_OK;
    return choose_victims(e, part, &nobody, err);
}

static sked_status compute_targets(sked_engine *e, round_part *part,
                                   sked_error *err)
{
    const sked_target_input in = {
        .struct_size = sizeof in,
        .partition = part->partition,
        .tree = e->tree,
        .usage = skedi_round_usage(e, part->partition),
        .demand = skedi_round_demand(e, part->partition),
        .running = e->rows.running,
        .capacity = e->capacity + (size_t)part->partition * e->kinds,
    };

    if (!in.usage || !in.demand) return no_room_to_round(err);
    part->in.usage = in.usage;
    part->lacking = skedi_round_lacking(e, part->partition, in.demand);
    return sked_target_compute_at(e->preempt->target, &in, e->now, err);
}

/* Does somebody wait for a time-out, or for enough rounds? Then the next round
 * may decide more even where nothing else happens. */
static void note_clocks(sked_engine *e)
{
    const sked_target *target = e->preempt->target;
    const uint32_t *reasons = sked_target_reasons(target, NULL);

    for (uint32_t row = 0; row < e->rows.n; row++) {
        uint32_t waits = SKED_TARGET_WAITS | SKED_TARGET_EARLY;
        if (reasons[row] & waits) e->preempt->timed = 1;
    }
}

static sked_status plan_partition(round_state *s, uint32_t partition,
                                  sked_error *err)
{
    sked_engine *e = s->e;
    round_part *part = skedi_round_room(e, 1, sizeof *part);
    int any = 0;

    if (!part) return no_room_to_round(err);
    part->partition = partition;
    skedi_partition_refresh(e, partition); /* orders are by what there is now */
    sked_status rc = compute_targets(e, part, err);
    if (rc == SKED_OK) note_clocks(e);
    if (rc == SKED_OK) rc = skedi_round_read(s, part, &any, err);
    if (rc == SKED_OK && any) rc = choose_for_part(e, part, err);
    if (rc != SKED_OK || !any) return rc;
    if (!skedi_round_settle(s, part)) return no_room_to_round(err);
    *s->last = part;
    s->last = &part->next;
    return SKED_OK;
}

static sked_status plan_all(round_state *s, sked_error *err)
{
    sked_engine *e = s->e;
    sked_status rc = SKED_OK;

    s->planned = skedi_round_room(e, e->asks.n, sizeof *s->planned);
    if (!s->planned) return no_room_to_round(err);
    for (uint32_t p = 0; p < e->parts && rc == SKED_OK; p++) {
        if (e->partition[p].nodes > 0) rc = plan_partition(s, p, err);
    }
    return rc;
}

/* What moves when anything happens that a round looks at. */
static void note_state(const sked_engine *e, uint64_t *seen)
{
    seen[0] = e->stats.decisions;
    seen[1] = e->stats.open_tasks;
    seen[2] = e->stats.running_tasks;
    seen[3] = e->epochs;
    seen[4] = e->arrivals;
}

size_t skedi_round_marks(const sked_engine *e)
{
    size_t n = 0;

    if (e->preempt) (void)!sked_round_marks(e->preempt->round, NULL, 0, &n);
    return n;
}

int skedi_round_is_out(const sked_engine *e)
{
    return e->first_kept != SKEDI_NONE || skedi_round_marks(e) > 0;
}

void skedi_round_unmark(sked_engine *e, uint32_t group, uint32_t count)
{
    uint64_t name = skedi_group_name(e, group);

    if (sked_round_marked(e->preempt->round, name) == 0) return;
    (void)!sked_round_ended(e->preempt->round, &name, &count, 1);
}

int skedi_round_is_due(const sked_engine *e)
{
    struct engine_preempt *p = e->preempt;
    uint64_t now[5];

    if (!p) return 0;
    if (p->timed || skedi_round_is_out(e)) return 1;
    note_state(e, now);
    return memcmp(now, p->seen, sizeof now) != 0;
}

sked_status skedi_round_hold(sked_engine *e, sked_error *err)
{
    round_state s = {.e = e};
    skedi_arena_mark here;

    if (!e->preempt) return SKED_OK;
    here = skedi_arena_here(&e->preempt->arena);
    e->preempt->timed = 0;
    s.last = &s.parts;
    sked_status rc = plan_all(&s, err);
    if (rc == SKED_OK) rc = skedi_round_act(&s, err);
    skedi_arena_rewind(&e->preempt->arena, here);
    if (rc == SKED_OK) note_state(e, e->preempt->seen);
    return rc;
}
