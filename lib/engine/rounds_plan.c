/* The plan of a partition, made ready to be acted upon. */
#include "engine/rounds.h"

#include "base/sort.h"

/* Notes what a plan found seats for, so that no other partition asks for the
 * same tasks. */
static void count_planned(round_state *s, const round_part *part)
{
    for (uint32_t i = 0; i < part->plan.n_seats; i++) {
        const sked_preempt_seat *seat = &part->plan.seats[i];
        s->planned[part->ask[seat->request]] += seat->count;
    }
}

/* Makes one seat of those that a request has on one node, where the first stood.
 * A request may come back to a node, and come twice: as a claim, and by the
 * rules of its leaf. */
static int merge_seats(sked_engine *e, round_part *part)
{
    uint32_t n = part->plan.n_seats, kept = 0;
    sked_preempt_seat *seats = part->plan.seats;
    skedi_keyed *order = skedi_round_room(e, n, 2 * sizeof *order);

    if (!order) return 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t request = seats[i].request;
        order[i] = (skedi_keyed){.key = request << 32 | seats[i].node,
                                 .index = i};
    }
    skedi_sort_keys(order, order + n, n);
    for (uint32_t i = 1, first = 0; i < n; i++) {
        if (order[i].key != order[first].key) {
            first = i;
            continue;
        }
        seats[order[first].index].count += seats[order[i].index].count;
        seats[order[i].index].count = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (seats[i].count > 0) seats[kept++] = seats[i];
    }
    part->plan.n_seats = kept;
    return 1;
}

/* Lists the victims of each request. */
static int link_victims(sked_engine *e, round_part *part)
{
    uint32_t n = part->plan.n_victims, requests = part->in.n_requests;

    part->first_victim = skedi_round_room(e, requests, sizeof(uint32_t));
    part->next_victim = skedi_round_room(e, n, sizeof(uint32_t));
    if (!part->first_victim || !part->next_victim) return 0;
    for (uint32_t i = 0; i < requests; i++) part->first_victim[i] = SKEDI_NONE;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *first = &part->first_victim[part->plan.victims[i].request];
        part->next_victim[i] = *first;
        *first = i;
    }
    return 1;
}

int skedi_round_settle(round_state *s, round_part *part)
{
    if (!merge_seats(s->e, part) || !link_victims(s->e, part)) return 0;
    count_planned(s, part);
    return 1;
}
