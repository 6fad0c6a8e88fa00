/*
 * What a round comes to. Everything that may lack memory is asked for first;
 * then notices, kills and rooms kept are brought in line with what the plans
 * want, and every change is decided.
 */
#include "engine/rounds.h"

#include "base/fail.h"
#include "engine/groups.h"
#include "engine/kept.h"
#include "engine/notices.h"
#include "engine/out.h"

/* ---- Victims ---- */

/* Groups that the plans want tasks of, each once. */
typedef struct round_wanted {
    uint64_t *key;
    uint32_t *count;
    uint32_t *place; /* by group: its place above plus one, or 0 */
    size_t n;
} round_wanted;

static uint64_t victims_of(const round_state *s)
{
    uint64_t n = 0;

    for (const round_part *p = s->parts; p; p = p->next) n += p->plan.n_victims;
    return n;
}

static int gather_victims(round_state *s, round_wanted *w)
{
    sked_engine *e = s->e;
    uint64_t most = victims_of(s);

    w->key = skedi_round_room(e, most, sizeof *w->key);
    w->count = skedi_round_room(e, most, sizeof *w->count);
    w->place = skedi_round_room(e, e->groups.n, sizeof *w->place);
    if (!w->key || !w->count || !w->place) return 0;
    for (const round_part *p = s->parts; p; p = p->next) {
        for (uint32_t i = 0; i < p->plan.n_victims; i++) {
            const sked_preempt_victim *v = &p->plan.victims[i];
            uint32_t group = p->group[v->row];
            if (!w->place[group]) {
                w->key[w->n++] = skedi_group_name(e, group);
                w->place[group] = (uint32_t)w->n;
            }
            w->count[w->place[group] - 1] += v->count;
        }
    }
    return 1;
}

/* What was decided of one group so far in this round. */
typedef struct round_said {
    uint64_t key;
    uint32_t let_off;
} round_said;

/*
 * Decides about tasks of a group, which stand by number: those that stay, then
 * those under notice, the last told first, then those that were told to end.
 * `behind` of the group's tasks stand behind these.
 */
static void decide_tasks(sked_engine *e, uint32_t group, int32_t what,
                         const sked_round_action *action, uint32_t behind)
{
    int gone = what == SKED_DECIDE_WITHDRAW;
    int32_t reason = gone ? SKED_REASON_NEED_GONE : SKED_REASON_PREEMPTED;

    if (action->flags & SKED_ROUND_OBSERVED) reason = SKED_REASON_OBSERVED;
    skedi_group_decide(e, group, what, reason);
    sked_decision *d = skedi_out_last(e);
    d->task += d->count - behind - action->count;
    d->count = action->count;
    d->detail = action->deadline;
}

/* Marks are as they are after the round, with what it stops among them: those
 * let off stood in front of all of these, in the order of the actions. */
static void act_on(sked_engine *e, const sked_round_action *action,
                   round_said *said)
{
    uint32_t group = skedi_group_find(e, action->key);

    if (group == SKEDI_NONE) return;
    uint32_t dying = skedi_group_dying(e, group);
    uint32_t marked = sked_round_marked(e->preempt->round, action->key);
    if (said->key != action->key) *said = (round_said){action->key, 0};
    switch (action->what) {
    case SKED_ROUND_NOTIFY:
        decide_tasks(e, group, SKED_DECIDE_NOTIFY, action,
                     dying + marked - action->count);
        break;
    case SKED_ROUND_WITHDRAW:
        if (e->preempt->untold) break; /* of no notice that it had */
        decide_tasks(e, group, SKED_DECIDE_WITHDRAW, action,
                     dying + marked + said->let_off);
        said->let_off += action->count;
        break;
    case SKED_ROUND_OFFER: /* its node may have something to do */
        node_at(e, group_at(e, group)->node)->seen = 0;
        break;
    case SKED_ROUND_KILL:
        decide_tasks(e, group, SKED_DECIDE_KILL, action, dying);
        skedi_notice_take(e, group)->dying += action->count;
        (void)!sked_round_ended(e->preempt->round, &action->key, &action->count,
                                1); /* it is ours to count */
        break;
    }
}

sked_status skedi_round_claim(sked_engine *e, uint32_t group, uint32_t count)
{
    sked_round *round = e->preempt->round;
    uint64_t name = skedi_group_name(e, group);
    sked_round_action action;
    round_said said = {0};
    size_t n;

    if (!skedi_out_room(e, 1) || !skedi_notice_room(e, 1)) {
        return SKED_ERR_NOMEM;
    }
    sked_status rc = sked_round_claim_at(round, &name, &count, 1, e->now, NULL);
    if (rc != SKED_OK) return rc;
    skedi_out_close(e);
    (void)!sked_round_take(round, &action, 1, &n);
    act_on(e, &action, &said);
    skedi_out_close(e);
    return SKED_OK;
}

/* ---- Rooms ---- */

/* What is kept for an ask on a node; SKEDI_NONE. */
static uint32_t kept_for(const sked_engine *e, uint32_t ask, uint32_t node)
{
    uint32_t i = node_at(e, node)->first_kept;

    while (i != SKEDI_NONE && kept_at(e, i)->ask != ask) {
        i = kept_at(e, i)->next;
    }
    return i;
}

/* Do victims of the plan make this seat? */
static int is_made(const round_part *p, const sked_preempt_seat *seat)
{
    uint32_t at = p->first_victim[seat->request];

    for (; at != SKEDI_NONE; at = p->next_victim[at]) {
        if (p->in.node[p->plan.victims[at].row] == seat->node) return 1;
    }
    return 0;
}

/* How many tasks room is to be kept for: all of a seat that victims make; else
 * those for whom room was made before, which is not used yet. */
static uint32_t tasks_to_keep(const sked_engine *e, const round_part *p,
                              const sked_preempt_seat *seat)
{
    uint32_t ask = p->ask[seat->request];
    uint32_t before = kept_for(e, ask, p->node[seat->node]);
    const engine_ask *a = ask_at(e, ask);
    uint32_t had = before == SKEDI_NONE ? 0 : kept_at(e, before)->count;
    int made = is_made(p, seat);

    if (a->flags & SKED_ASK_GANG) return made || had ? (uint32_t)a->open : 0;
    return made || had > seat->count ? seat->count : had;
}

/* Notes a victim of a room; of a group some may be marked and others not yet,
 * which are two rows of the plan. */
static void note_maker(sked_engine *e, uint32_t kept, uint32_t group,
                       uint32_t count)
{
    struct engine_preempt *own = e->preempt;
    uint64_t name = skedi_group_name(e, group);
    uint32_t first = kept_at(e, kept)->makers, i = first;

    while (i != SKEDI_NONE && own->pair[i].group != name) {
        i = own->pair[i].next;
    }
    if (i != SKEDI_NONE) {
        own->pair[i].count += count;
        return;
    }
    own->pair[own->pairs] = (round_pair){
        .group = name, .count = count, .next = first};
    kept_at(e, kept)->makers = (uint32_t)own->pairs++;
}

/* Notes which victims make a room, for when it is taken. */
static void note_makers(sked_engine *e, const round_part *p,
                        const sked_preempt_seat *seat)
{
    uint32_t kept = kept_for(e, p->ask[seat->request], p->node[seat->node]);
    uint32_t at = p->first_victim[seat->request];

    if (!e->preempt->lazy || kept == SKEDI_NONE) return;
    node_at(e, p->node[seat->node])->seen = 0; /* others may make it now */
    for (; at != SKEDI_NONE; at = p->next_victim[at]) {
        const sked_preempt_victim *v = &p->plan.victims[at];
        if (p->in.node[v->row] != seat->node) continue;
        note_maker(e, kept, p->group[v->row], v->count);
    }
}

/* Keeps room for a seat, or goes on keeping it. */
static void keep_seat(sked_engine *e, const round_part *p,
                      const sked_preempt_seat *seat)
{
    uint32_t ask = p->ask[seat->request], node = p->node[seat->node];
    uint32_t count = tasks_to_keep(e, p, seat);
    uint32_t before = kept_for(e, ask, node);
    sked_time until = e->now + e->preempt->keep_for;

    if (count == 0) return;
    if (before != SKEDI_NONE && kept_at(e, before)->count == count) {
        skedi_kept_renew(e, before, until);
        return;
    }
    if (before != SKEDI_NONE) skedi_kept_drop(e, before);
    skedi_kept_add(e, ask, node, count, until);
}

static void keep_seats(round_state *s)
{
    sked_engine *e = s->e;

    for (const round_part *p = s->parts; p; p = p->next) {
        for (uint32_t i = 0; i < p->plan.n_seats; i++) {
            keep_seat(e, p, &p->plan.seats[i]);
            note_makers(e, p, &p->plan.seats[i]);
        }
    }
}

/* Gives up rooms that no plan has a seat for. */
static void void_others(round_state *s)
{
    sked_engine *e = s->e;

    e->preempt->pairs = 0;
    for (uint32_t i = e->first_kept; i != SKEDI_NONE;
         i = kept_at(e, i)->later) {
        kept_at(e, i)->wanted = 0;
        kept_at(e, i)->makers = SKEDI_NONE;
    }
    for (const round_part *p = s->parts; p; p = p->next) {
        for (uint32_t i = 0; i < p->plan.n_seats; i++) {
            const sked_preempt_seat *seat = &p->plan.seats[i];
            uint32_t kept = kept_for(e, p->ask[seat->request],
                                     p->node[seat->node]);
            if (kept != SKEDI_NONE) kept_at(e, kept)->wanted = 1;
        }
    }
    for (uint32_t i = e->first_kept, next; i != SKEDI_NONE; i = next) {
        next = kept_at(e, i)->later;
        if (!kept_at(e, i)->wanted) skedi_kept_void(e, i);
    }
}

/* ---- Both ---- */

static int pairs_room(sked_engine *e, uint64_t n)
{
    struct engine_preempt *own = e->preempt;
    void *room = own->pair;
    int ok = n <= SIZE_MAX / sizeof(round_pair) &&
             skedi_ensure(&e->hooks.mem, &room, &own->pair_cap, (size_t)n,
                          sizeof *own->pair);

    own->pair = room;
    return ok;
}

static int act_room(sked_engine *e, const round_state *s, size_t wanted)
{
    uint64_t seats = 0;

    for (const round_part *p = s->parts; p; p = p->next)
        seats += p->plan.n_seats;
    uint64_t said = 2 * wanted + skedi_round_marks(e) + e->kept.live + seats;
    if (e->preempt->lazy && !pairs_room(e, victims_of(s))) return 0;
    return said <= SIZE_MAX / 2 && skedi_out_room(e, (size_t)said) &&
           skedi_kept_room(e, seats) && skedi_notice_room(e, wanted);
}

sked_status skedi_round_act(round_state *s, sked_error *err)
{
    sked_engine *e = s->e;
    round_wanted wanted = {0};
    sked_round_action actions[64];
    round_said said = {0};
    size_t n = 64;

    if (!gather_victims(s, &wanted) || !act_room(e, s, wanted.n)) {
        return skedi_fail_plain(err, SKED_ERR_NOMEM, "no room for a round");
    }
    const sked_round_wanted in = {
        .struct_size = sizeof in,
        .n = (uint32_t)wanted.n,
        .key = wanted.key,
        .count = wanted.count,
    };
    sked_status rc = sked_round_update_at(e->preempt->round, &in, e->now, err);
    if (rc != SKED_OK) return rc;
    skedi_out_close(e);
    while (n == 64) {
        (void)!sked_round_take(e->preempt->round, actions, 64, &n);
        for (size_t i = 0; i < n; i++) act_on(e, &actions[i], &said);
    }
    if (e->preempt->watches) return SKED_OK;
    void_others(s);
    keep_seats(s);
    return SKED_OK;
}
