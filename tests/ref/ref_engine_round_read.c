/*
 * A partition as a round sees it. Tasks that were told to end count as gone:
 * their queue and their user do not use them, their room is free, and they are
 * wanted again like what is open.
 */
#include "ref_engine_round.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "queue/attr.h"

void *ref_plan_room(ref_plan *p, size_t n, size_t size)
{
    void *room = calloc(n + 1, size);

    if (!room || p->rooms == REF_ROOMS) abort();
    p->room[p->rooms++] = room;
    return room;
}

uint32_t ref_plan_row(const ref_engine *r, const ref_plan *p, size_t job)
{
    return skedi_image_row(p->books.image, r->job[job].queue);
}

int64_t ref_plan_dying(const ref_group *g)
{
    int doomed = g->state == REF_KILLED || g->state == REF_REVOKED;

    return doomed ? g->count : g->dying;
}

static void add_tasks(const ref_engine *r, const ref_ask *a, int64_t count,
                      int64_t *to)
{
    for (uint32_t k = 0; k < r->kinds; k++) {
        to[k] = skedi_amount_add(to[k], a->task[k] * count);
    }
}

/* ---- Queues ---- */

/* Of leaves: what they use, and that with what they want besides. */
static void read_queues(const ref_engine *r, ref_plan *p, int64_t *demand,
                        int64_t *running)
{
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        const ref_ask *a = &r->ask[g->ask];
        if (g->state == REF_OVER ||
            r->node[g->node].partition != p->partition) {
            continue;
        }
        size_t at = (size_t)ref_plan_row(r, p, a->job) * r->kinds;
        add_tasks(r, a, g->count - ref_plan_dying(g), p->usage + at);
        add_tasks(r, a, g->count, demand + at);
    }
    for (size_t i = 0; i < r->asks; i++) {
        const ref_ask *a = &r->ask[i];
        if (!ref_engine_in_line(r, a, p->partition)) continue;
        size_t at = (size_t)ref_plan_row(r, p, a->job) * r->kinds;
        add_tasks(r, a, ref_engine_open(a), demand + at);
    }
    for (size_t i = 0; i < r->jobs; i++) {
        if (r->job[i].state == REF_RUNS) running[ref_plan_row(r, p, i)]++;
    }
}

sked_status ref_plan_targets(ref_engine *r, ref_plan *p)
{
    uint32_t n = p->books.image->n;
    sked_target *target = r->preempt->target;
    int64_t *demand = ref_plan_room(p, (size_t)n * r->kinds, sizeof *demand);
    int64_t *running = ref_plan_room(p, n, sizeof *running);

    p->usage = ref_plan_room(p, (size_t)n * r->kinds, sizeof *p->usage);
    read_queues(r, p, demand, running);
    const sked_target_input in = {
        .struct_size = sizeof in,
        .partition = p->partition,
        .tree = r->tree,
        .capacity = p->books.capacity,
        .usage = p->usage,
        .demand = demand,
        .running = running,
    };
    sked_status rc = sked_target_compute_at(target, &in, r->now, NULL);
    if (rc != SKED_OK) return rc;
    const int64_t *most = sked_target_total(target, SKED_TARGET_BUDGET, NULL);
    int64_t *budget = ref_plan_room(p, r->kinds, sizeof *budget);
    for (uint32_t k = 0; k < r->kinds; k++) {
        budget[k] = skedi_i64_min(most[k], SKED_AMOUNT_MAX);
    }
    p->reasons = sked_target_reasons(target, NULL);
    p->in = (sked_preempt_problem){
        .struct_size = sizeof p->in,
        .flags = r->preempt->opts.flags,
        .kinds = r->kinds,
        .n_queues = n,
        .work = r->preempt->opts.work,
        .usage = p->usage,
        .share = sked_target_view(target, SKED_TARGET_SHARE, NULL),
        .keep = sked_target_view(target, SKED_TARGET_KEEP, NULL),
        .take = sked_target_view(target, SKED_TARGET_TAKE, NULL),
        .need = sked_target_total(target, SKED_TARGET_NEED, NULL),
        .budget = budget,
    };
    return SKED_OK;
}

/* ---- Users ---- */

/* Users are looked at where they have limits, or turns. */
static int looks_at_users(const ref_plan *p, uint32_t row)
{
    return p->books.image->apps[row] == SKED_APPS_USER_FAIR ||
           skedi_image_effective(p->books.image,
                                 SKED_QUEUE_USER_LIMIT - SKED_QUEUE_WEIGHT,
                                 row) < SKED_PPM;
}

/* Does a job have, or want, anything in the partition? */
static int is_here(const ref_engine *r, const ref_plan *p, size_t job)
{
    for (size_t i = 0; i < r->asks; i++) {
        const ref_ask *a = &r->ask[i];
        if (a->job == job && ref_engine_in_line(r, a, p->partition)) return 1;
    }
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        if (g->state != REF_OVER && r->ask[g->ask].job == job &&
            r->node[g->node].partition == p->partition) {
            return 1;
        }
    }
    return 0;
}

/* Numbers the users of a leaf from `n` on; the row after the last. */
static uint32_t number_users(const ref_engine *r, ref_plan *p, uint32_t row,
                             uint32_t n)
{
    uint32_t first = n;

    for (size_t i = 0; i < r->jobs; i++) {
        if (r->job[i].queue != p->books.image->id[row]) continue;
        if (r->job[i].state == REF_FORGOTTEN || !is_here(r, p, i)) continue;
        for (size_t j = 0; j < i && !p->user_row[i]; j++) {
            if (p->user_row[j] >= first && r->job[j].user == r->job[i].user) {
                p->user_row[i] = p->user_row[j];
            }
        }
        if (!p->user_row[i]) p->user_row[i] = n++;
    }
    return n;
}

typedef struct user_columns {
    int64_t *usage, *demand, *share, *keep;
    uint32_t *weight;
} user_columns;

static void read_user_columns(const ref_engine *r, const ref_plan *p,
                              user_columns *u)
{
    for (size_t i = 0; i < r->jobs; i++) {
        uint32_t at = p->user_row[i];
        if (at == 0) continue;
        u->weight[at] = (uint32_t)ref_engine_user_weight(r, r->job[i].user,
                                                         r->job[i].queue);
    }
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        const ref_ask *a = &r->ask[g->ask];
        size_t at = (size_t)p->user_row[a->job] * r->kinds;
        if (g->state == REF_OVER || at == 0 ||
            r->node[g->node].partition != p->partition) {
            continue;
        }
        add_tasks(r, a, g->count - ref_plan_dying(g), u->usage + at);
        add_tasks(r, a, g->count, u->demand + at);
    }
    for (size_t i = 0; i < r->asks; i++) {
        const ref_ask *a = &r->ask[i];
        size_t at = (size_t)p->user_row[a->job] * r->kinds;
        if (at == 0 || !ref_engine_in_line(r, a, p->partition)) continue;
        add_tasks(r, a, ref_engine_open(a), u->demand + at);
    }
}

/* What the users `from` to `to` of a leaf may hold of its share, or of what it
 * has if that is more. */
static sked_status share_users(const ref_engine *r, const ref_plan *p,
                               const user_columns *u, uint32_t row,
                               uint32_t from, uint32_t to)
{
    int64_t total[REF_KINDS];
    size_t at = (size_t)from * r->kinds;

    for (uint32_t k = 0; k < r->kinds; k++) {
        total[k] = skedi_i64_max(p->in.share[row * r->kinds + k],
                                 p->usage[row * r->kinds + k]);
    }
    const sked_target_users in = {
        .struct_size = sizeof in,
        .kinds = r->kinds,
        .n = to - from,
        .limit = skedi_image_effective(
            p->books.image, SKED_QUEUE_USER_LIMIT - SKED_QUEUE_WEIGHT, row),
        .total = total,
        .weight = u->weight + from,
        .usage = u->usage + at,
        .demand = u->demand + at,
    };
    return sked_target_of_users(&in, u->share + at, u->keep + at, NULL);
}

sked_status ref_plan_users(const ref_engine *r, ref_plan *p)
{
    const skedi_image *image = p->books.image;
    size_t cells = (r->jobs + 1) * r->kinds;
    uint32_t n = 1, *first = ref_plan_room(p, image->n + (size_t)1, 4);
    sked_status rc = SKED_OK;
    user_columns u = {ref_plan_room(p, cells, 8), ref_plan_room(p, cells, 8),
                      ref_plan_room(p, cells, 8), ref_plan_room(p, cells, 8),
                      ref_plan_room(p, r->jobs + 1, 4)};

    p->user_row = ref_plan_room(p, r->jobs, sizeof *p->user_row);
    if (!(p->in.flags & SKED_PREEMPT_BY_USER)) return SKED_OK;
    for (uint32_t row = 0; row < image->n; row++) {
        first[row] = n;
        if (!skedi_image_is_leaf(image, row) || !looks_at_users(p, row)) {
            continue;
        }
        n = number_users(r, p, row, n);
    }
    first[image->n] = n;
    for (uint32_t k = 0; k < r->kinds; k++) { /* whose leaf does not look */
        u.share[k] = u.keep[k] = SKED_UNLIMITED;
    }
    read_user_columns(r, p, &u);
    for (uint32_t row = 0; row < image->n && rc == SKED_OK; row++) {
        if (first[row] == first[row + 1]) continue;
        rc = share_users(r, p, &u, row, first[row], first[row + 1]);
    }
    p->in.n_users = n;
    p->in.user_usage = u.usage;
    p->in.user_share = u.share;
    p->in.user_keep = u.keep;
    return rc;
}

/* ---- Places ---- */

/* Nodes that take work, and what is free on them once the dying have gone;
 * what is kept is decided anew. */
void ref_plan_places(const ref_engine *r, ref_plan *p)
{
    int64_t *all = ref_plan_room(p, r->nodes * r->kinds, sizeof *all);

    p->node = ref_plan_room(p, r->nodes, sizeof *p->node);
    for (size_t i = 0; i < r->nodes; i++) {
        const ref_node *node = &r->node[i];
        int64_t *to = all + (size_t)p->in.n_nodes * r->kinds;
        if (node->gone || node->drains || node->partition != p->partition) {
            continue;
        }
        p->node[p->in.n_nodes++] = i;
        ref_engine_free_on(r, i, to);
        for (size_t g = 0; g < r->groups; g++) {
            const ref_group *group = &r->group[g];
            if (group->state == REF_OVER || group->node != i) continue;
            for (uint32_t k = 0; k < r->kinds; k++) {
                to[k] += r->ask[group->ask].task[k] * ref_plan_dying(group);
            }
        }
        for (uint32_t k = 0; k < r->kinds; k++) {
            to[k] = skedi_i64_max(to[k], 0);
        }
    }
    p->in.free = all;
}
