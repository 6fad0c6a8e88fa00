/* Who is next on a node: of all that may run, by the orders. */
#include "ref_engine_may.h"

#include <stdlib.h>

#include "base/random.h"

enum { SIBLINGS = 4096 };

int ref_engine_runs_below(const ref_engine *r, const ref_job *job, uint32_t row)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    int32_t at = (int32_t)skedi_image_row(image, job->queue);

    while (at > (int32_t)row) at = image->parent[at];
    return at == (int32_t)row;
}

static void mark_open(const ref_engine *r, ref_books *b, size_t node,
                      uint8_t *may)
{
    int64_t free[REF_KINDS];

    ref_engine_room_on(r, node, SIZE_MAX, free);
    for (size_t i = 0; i < r->asks; i++) {
        may[i] = (uint8_t)ref_engine_may_run(r, b, i, node, free);
        if (!may[i]) continue;
        int32_t row = (int32_t)skedi_image_row(b->image,
                                               r->job[r->ask[i].job].queue);
        for (; row >= 0; row = b->image->parent[row]) b->open[row] = 1;
    }
}

/* The child that chance puts first for this start. */
static uint32_t by_chance(const ref_engine *r, const ref_books *b, uint32_t row)
{
    uint32_t best = UINT32_MAX;
    uint64_t least = 0;

    for (uint32_t c = b->image->first_child[row];
         c < b->image->first_child[row + 1]; c++) {
        uint64_t state = r->opts.seed ^ r->started ^
                         (uint64_t)b->partition << 48;
        uint64_t mixed = skedi_random_split(&state) ^ b->image->id[c];
        uint64_t chance = skedi_random_split(&mixed);
        if (!b->open[c] || (best != UINT32_MAX && chance >= least)) continue;
        best = c;
        least = chance;
    }
    return best;
}

static uint32_t first_child_of(ref_engine *r, const ref_books *b, uint32_t row)
{
    const skedi_image *image = b->image;
    uint32_t first = image->first_child[row];
    uint32_t n = image->first_child[row + 1] - first;
    static sked_order_key tags[SIBLINGS];
    static uint32_t positions[SIBLINGS];
    size_t found;

    if (image->order[row] == SKED_ORDER_RANDOM) return by_chance(r, b, row);
    if (n > SIBLINGS) abort();
    for (uint32_t i = 0; i < n; i++) {
        tags[i] = ref_engine_tag(r, image->id[first + i])->tag[b->partition];
    }
    sked_order_columns in = {
        .struct_size = sizeof in,
        .order = image->order[row],
        .kind = image->fair_kind[row],
        .kinds = r->kinds,
        .n = n,
        .eligible = b->open + first,
        .weight = image->weight + first,
        .priority = image->priority + first,
        .usage = b->here + first * r->kinds,
        .guarantee = b->said + first * r->kinds,
        .parent = b->holds + row * r->kinds,
        .capacity = b->capacity,
        .tag = tags,
    };
    if (sked_order_children(&in, NULL, positions, NULL, &found, NULL) !=
            SKED_OK ||
        found == 0) {
        abort();
    }
    return first + positions[0];
}

static int64_t *rows_of(size_t n, uint32_t kinds)
{
    int64_t *rows = calloc(n * kinds + 1, sizeof *rows);

    if (!rows) abort();
    return rows;
}

static void job_amounts(const ref_engine *r, int64_t *used, int64_t *open)
{
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        const ref_ask *a = &r->ask[g->ask];
        for (uint32_t k = 0; g->state != REF_OVER && k < r->kinds; k++) {
            used[a->job * r->kinds + k] += a->task[k] * g->count;
        }
    }
    for (size_t i = 0; i < r->asks; i++) {
        const ref_ask *a = &r->ask[i];
        for (uint32_t k = 0; k < r->kinds; k++) {
            open[a->job * r->kinds + k] += a->task[k] * ref_engine_open(a);
        }
    }
}

size_t ref_engine_jobs_in_order(const ref_engine *r, const ref_books *b,
                                uint32_t row, const uint8_t *may,
                                uint32_t *index)
{
    size_t n = r->jobs, found;
    int64_t *used = rows_of(n, r->kinds), *open = rows_of(n, r->kinds);
    int64_t *users = rows_of(n, r->kinds), *sent = rows_of(n, 1);
    uint8_t *eligible = calloc(n, 1);
    uint32_t *user = calloc(n, sizeof *user), *weight = calloc(n, 4);
    int32_t *priority = calloc(n, 4);

    if (!eligible || !user || !weight || !priority) abort();
    job_amounts(r, used, open);
    for (size_t i = 0; i < n; i++) {
        const ref_job *job = &r->job[i];
        sent[i] = job->submitted;
        priority[i] = job->priority;
        user[i] = (uint32_t)i; /* each job has its user's usage beside it */
        weight[i] = (uint32_t)ref_engine_user_weight(r, job->user,
                                                     b->image->id[row]);
    }
    for (size_t i = 0; i < r->asks; i++) {
        size_t j = r->ask[i].job;
        if (!may[i] || r->job[j].queue != b->image->id[row]) continue;
        eligible[j] = 1;
        ref_engine_user_used(r, r->job[j].user, r->job[j].queue, b->partition,
                             users + j * r->kinds);
    }
    sked_order_apps_columns in = {
        .struct_size = sizeof in,
        .order = b->image->apps[row],
        .kinds = r->kinds,
        .n = (uint32_t)n,
        .users = (uint32_t)n,
        .eligible = eligible,
        .submitted = sent,
        .priority = priority,
        .usage = used,
        .pending = open,
        .user = user,
        .user_usage = users,
        .user_weight = weight,
        .capacity = b->capacity,
    };
    if (sked_order_apps(&in, NULL, index, NULL, &found, NULL) != SKED_OK) {
        abort();
    }
    void *rooms[] = {used, open, users, sent, eligible, user, weight, priority};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) free(rooms[i]);
    return found;
}

/* The job of a leaf whose turn it is, of those with an ask that may run. */
static size_t first_job(const ref_engine *r, const ref_books *b, uint32_t row,
                        const uint8_t *may)
{
    uint32_t *index = calloc(r->jobs, sizeof *index);

    if (!index) abort();
    (void)ref_engine_jobs_in_order(r, b, row, may, index);
    size_t job = index[0];
    free(index);
    return job;
}

size_t ref_engine_pick(ref_engine *r, size_t node)
{
    ref_books b = ref_books_open(r, r->node[node].partition);
    uint8_t *may = calloc(r->asks + 1, 1);
    size_t best = SIZE_MAX;
    uint32_t row = 0;

    if (!may) abort();
    mark_open(r, &b, node, may);
    if (b.open[0]) {
        while (!skedi_image_is_leaf(b.image, row)) {
            row = first_child_of(r, &b, row);
        }
        size_t job = first_job(r, &b, row, may);
        for (size_t i = 0; i < r->asks; i++) {
            if (!may[i] || r->ask[i].job != job) continue;
            if (best == SIZE_MAX ||
                r->ask[i].priority > r->ask[best].priority) {
                best = i;
            }
        }
    }
    free(b.here);
    free(b.open);
    free(may);
    return best;
}
