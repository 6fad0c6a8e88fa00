/* Who is next on a node: everything computed anew from what runs. */
#include "ref_engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/random.h"
#include "queue/attr.h"
#include "queue/image.h"

enum { SIBLINGS = 4096 };

/* What is true of every queue in one partition. */
typedef struct pick_books {
    const skedi_image *image;
    uint32_t partition;
    int64_t capacity[REF_KINDS];
    int64_t *here;  /* row x kinds: used in the partition */
    int64_t *all;   /* row x kinds: used in all */
    int64_t *said;  /* row x kinds: guaranteed */
    int64_t *holds; /* the same, or the weight's part of the parent's */
    int64_t *limit; /* row x kinds: of this partition alone */
    uint8_t *open;  /* row: may something below run on the node? */
} pick_books;

static int64_t amount_in(const skedi_image *image, uint32_t index, uint32_t k,
                         uint32_t row, int64_t rest)
{
    const int64_t *at = skedi_image_amounts(image, index, k);

    return at ? at[row] : rest;
}

static int64_t part_in(const skedi_image *image, uint32_t index, uint32_t row)
{
    return image->number[index] ? image->number[index][row] : SKED_UNSET;
}

static int64_t ppm_of(int64_t base, int64_t ppm)
{
    uint64_t rem;

    return (int64_t)skedi_muldiv((uint64_t)base, (uint64_t)ppm,
                                 (uint64_t)SKED_PPM, &rem);
}

static void guarantees(const ref_engine *r, pick_books *b, uint32_t row,
                       uint32_t k)
{
    const skedi_image *image = b->image;
    int64_t ppm = part_in(image, SKEDI_AT_GUARANTEE_PPM, row);
    int64_t own = amount_in(image, SKEDI_AT_GUARANTEE, k, row, 0);
    uint64_t rem, weights = 0;

    if (row == 0) {
        b->said[k] = ppm == SKED_UNSET ? own : ppm_of(b->capacity[k], ppm);
        b->holds[k] = b->capacity[k];
        return;
    }
    uint32_t up = (uint32_t)image->parent[row];
    int64_t above = up ? b->said[up * r->kinds + k] : b->capacity[k];
    if (ppm != SKED_UNSET) own = ppm_of(above, ppm);
    b->said[row * r->kinds + k] = b->holds[row * r->kinds + k] = own;
    if (own > 0 || image->weight[row] == 0) return;
    for (uint32_t c = image->first_child[up]; c < image->first_child[up + 1];
         c++) {
        weights += image->weight[c];
    }
    b->holds[row * r->kinds + k] = (int64_t)skedi_muldiv(
        (uint64_t)b->holds[up * r->kinds + k], image->weight[row], weights,
        &rem);
}

/* The limit in the partition: an amount, or a part of what bounds above. */
static void limits(const ref_engine *r, pick_books *b, uint32_t row, uint32_t k)
{
    const skedi_image *image = b->image;
    int64_t ppm = part_in(image, SKEDI_AT_LIMIT_PPM, row);
    int64_t base = SKED_UNLIMITED, *at = &b->limit[row * r->kinds + k];

    *at = amount_in(image, SKEDI_AT_LIMIT, k, row, SKED_UNLIMITED);
    if (ppm == SKED_UNSET) return;
    for (int32_t up = image->parent[row]; up >= 0 && base == SKED_UNLIMITED;
         up = image->parent[up]) {
        base = b->limit[(uint32_t)up * r->kinds + k];
    }
    *at = ppm_of(skedi_i64_min(base, b->capacity[k]), ppm);
}

static int64_t borrowed(const ref_engine *r, const pick_books *b, uint32_t row,
                        uint32_t k)
{
    int64_t borrow = amount_in(b->image, SKEDI_AT_BORROW, k, row,
                               SKED_UNLIMITED);

    if (row == 0 || borrow == SKED_UNLIMITED) return SKED_UNLIMITED;
    return borrow + b->said[row * r->kinds + k];
}

static void add_used(const ref_engine *r, pick_books *b)
{
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        if (g->state == REF_OVER) continue;
        const ref_ask *a = &r->ask[g->ask];
        int here = r->node[g->node].partition == b->partition;
        int32_t row = (int32_t)skedi_image_row(b->image, r->job[a->job].queue);
        for (; row >= 0; row = b->image->parent[row]) {
            for (uint32_t k = 0; k < r->kinds; k++) {
                int64_t much = a->task[k] * g->count;
                b->all[(uint32_t)row * r->kinds + k] += much;
                if (here) b->here[(uint32_t)row * r->kinds + k] += much;
            }
        }
    }
}

static pick_books open_books(const ref_engine *r, uint32_t partition)
{
    pick_books b = {.image = skedi_tree_image(r->tree), .partition = partition};
    size_t n = (size_t)b.image->n * r->kinds;

    b.here = calloc(5 * n, sizeof *b.here);
    b.all = b.here + n;
    b.said = b.all + n;
    b.holds = b.said + n;
    b.limit = b.holds + n;
    b.open = calloc(b.image->n, 1);
    if (!b.here || !b.open) abort();
    ref_engine_capacity(r, partition, b.capacity);
    for (uint32_t row = 0; row < b.image->n; row++) {
        for (uint32_t k = 0; k < r->kinds; k++) {
            guarantees(r, &b, row, k);
            limits(r, &b, row, k);
        }
    }
    add_used(r, &b);
    return b;
}

/* ---- May it run? ---- */

static int below_limits(const ref_engine *r, const pick_books *b,
                        const ref_ask *a)
{
    const skedi_image *image = b->image;
    int32_t row = (int32_t)skedi_image_row(image, r->job[a->job].queue);

    for (; row >= 0; row = image->parent[row]) {
        uint32_t at = (uint32_t)row;
        int parts = part_in(image, SKEDI_AT_GUARANTEE_PPM, at) != SKED_UNSET;
        if (image->state[at] == SKED_STATE_DRAINING) return 0;
        for (uint32_t k = 0; k < r->kinds; k++) {
            int64_t own = amount_in(image, SKEDI_AT_LIMIT, k, at,
                                    SKED_UNLIMITED);
            int64_t borrow = borrowed(r, b, at, k);
            int64_t all = b->all[at * r->kinds + k] + a->step[k];
            int64_t here = b->here[at * r->kinds + k] + a->step[k];
            if (a->step[k] == 0) continue;
            if (all > own || here > b->limit[at * r->kinds + k]) return 0;
            if ((parts ? here : all) > borrow) return 0;
        }
    }
    return 1;
}

static uint64_t user_weight(const ref_engine *r, uint64_t user,
                            sked_queue_id queue)
{
    int64_t weight = 1;

    for (size_t i = 0; i < r->users; i++) {
        if (r->user[i].key != user || !r->user[i].name[0]) continue;
        if (sked_tree_user_weight(r->tree, queue, r->user[i].name, &weight) !=
            SKED_OK) {
            abort();
        }
    }
    return (uint64_t)weight;
}

static void user_used(const ref_engine *r, uint64_t user, sked_queue_id queue,
                      uint32_t partition, int64_t *used)
{
    memset(used, 0, r->kinds * sizeof *used);
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        const ref_ask *a = &r->ask[g->ask];
        const ref_job *job = &r->job[a->job];
        if (g->state == REF_OVER || job->user != user || job->queue != queue ||
            r->node[g->node].partition != partition) {
            continue;
        }
        for (uint32_t k = 0; k < r->kinds; k++)
            used[k] += a->task[k] * g->count;
    }
}

/* An ask in the lines of a partition. */
static int in_line(const ref_engine *r, const ref_ask *a, uint32_t partition)
{
    return !a->forgotten && r->job[a->job].state == REF_RUNS &&
           ref_engine_open(a) > 0 &&
           (a->partition == partition || a->partition == SKED_ANY_PARTITION);
}

/* The weights of the users of a leaf with open asks, each counted once. */
static uint64_t weights_in_line(const ref_engine *r, sked_queue_id queue,
                                uint32_t partition)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < r->asks; i++) {
        const ref_job *job = &r->job[r->ask[i].job];
        int first = job->queue == queue && in_line(r, &r->ask[i], partition);
        for (size_t j = 0; first && j < i; j++) {
            const ref_job *other = &r->job[r->ask[j].job];
            first = other->queue != queue || other->user != job->user ||
                    !in_line(r, &r->ask[j], partition);
        }
        if (first) sum += user_weight(r, job->user, queue);
    }
    return sum;
}

static int64_t rounded_up(int64_t a, uint64_t num, uint64_t den)
{
    uint64_t rem, floor = skedi_muldiv((uint64_t)a, num, den, &rem);

    return (int64_t)(floor + (rem > 0));
}

static int user_may(const ref_engine *r, const pick_books *b,
                    const ref_job *job)
{
    uint32_t row = skedi_image_row(b->image, job->queue), lead = 0;
    int64_t limit = skedi_image_effective(
        b->image, SKED_QUEUE_USER_LIMIT - SKED_QUEUE_WEIGHT, row);
    uint64_t weights = weights_in_line(r, job->queue, b->partition);
    const int64_t *used = b->here + row * r->kinds;
    int64_t own[REF_KINDS];

    if (limit >= SKED_PPM || weights == 0) return 1;
    for (uint32_t k = 1; k < r->kinds; k++) {
        uint64_t x = (uint64_t)used[k], y = (uint64_t)used[lead];
        int more = y == 0 ? x > 0
                          : x > 0 &&
                                skedi_cmp_mul(x, (uint64_t)b->capacity[lead], y,
                                              (uint64_t)b->capacity[k]) > 0;
        if (more) lead = k;
    }
    int64_t base = skedi_i64_max(used[lead] + 1,
                                 b->said[row * r->kinds + lead]);
    int64_t part = rounded_up(base, user_weight(r, job->user, job->queue),
                              weights);
    int64_t least = rounded_up(base, (uint64_t)limit, (uint64_t)SKED_PPM);
    user_used(r, job->user, job->queue, b->partition, own);
    return own[lead] < skedi_i64_max(part, least);
}

static int was_refused(const ref_engine *r, size_t ask, size_t node)
{
    for (size_t i = 0; i < r->refusals; i++) {
        const ref_refusal *x = &r->refusal[i];
        if (x->ask == ask && x->node == node &&
            x->ask_changes == r->ask[ask].changes &&
            x->node_changes == r->node[node].changes) {
            return 1;
        }
    }
    return 0;
}

static int place_is_right(const ref_engine *r, const ref_ask *a,
                          const ref_node *node)
{
    uint64_t beats = a->partition == SKED_ANY_PARTITION
                         ? r->all_beats
                         : r->beats[a->partition];
    uint64_t waited = (uint64_t)r->now - (uint64_t)a->since;
    uint64_t missed = beats - a->since_beats;
    int same_rack = 0;

    for (size_t i = 0; i < a->n_places; i++) {
        if (a->places[i] == node->key) return 1;
        for (size_t n = 0; n < r->nodes; n++) {
            same_rack |= !r->node[n].gone && node->rack != 0 &&
                         r->node[n].key == a->places[i] &&
                         r->node[n].rack == node->rack;
        }
    }
    if (a->n_places == 0) return 1;
    if (a->flags & SKED_ASK_STRICT) return 0;
    uint64_t delay = (uint64_t)r->opts.node_delay;
    uint64_t misses = r->opts.node_misses;
    if (same_rack && waited >= delay && missed >= misses) return 1;
    return waited >= delay + (uint64_t)r->opts.rack_delay &&
           missed >= misses + r->opts.rack_misses;
}

static int may_run(const ref_engine *r, const pick_books *b, size_t ask,
                   size_t node)
{
    const ref_ask *a = &r->ask[ask];
    int64_t free[REF_KINDS];

    if (!in_line(r, a, b->partition)) return 0;
    ref_engine_free_on(r, node, free);
    for (uint32_t k = 0; k < r->kinds; k++) {
        if (a->step[k] > 0 && a->step[k] > free[k]) return 0;
    }
    return below_limits(r, b, a) && user_may(r, b, &r->job[a->job]) &&
           !was_refused(r, ask, node) && place_is_right(r, a, &r->node[node]);
}

/* ---- Whose turn is it? ---- */

int ref_engine_runs_below(const ref_engine *r, const ref_job *job, uint32_t row)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    int32_t at = (int32_t)skedi_image_row(image, job->queue);

    while (at > (int32_t)row) at = image->parent[at];
    return at == (int32_t)row;
}

static void mark_open(const ref_engine *r, pick_books *b, size_t node,
                      uint8_t *may)
{
    for (size_t i = 0; i < r->asks; i++) {
        may[i] = (uint8_t)may_run(r, b, i, node);
        if (!may[i]) continue;
        int32_t row = (int32_t)skedi_image_row(b->image,
                                               r->job[r->ask[i].job].queue);
        for (; row >= 0; row = b->image->parent[row]) b->open[row] = 1;
    }
}

/* The child that chance puts first for this start. */
static uint32_t by_chance(const ref_engine *r, const pick_books *b,
                          uint32_t row)
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

static uint32_t first_child_of(ref_engine *r, const pick_books *b, uint32_t row)
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

/* The job of a leaf whose turn it is, of those with an ask that may run. */
static size_t first_job(const ref_engine *r, const pick_books *b, uint32_t row,
                        const uint8_t *may)
{
    size_t n = r->jobs, found;
    int64_t *used = rows_of(n, r->kinds), *open = rows_of(n, r->kinds);
    int64_t *users = rows_of(n, r->kinds), *sent = rows_of(n, 1);
    uint8_t *eligible = calloc(n, 1);
    uint32_t *user = calloc(n, sizeof *user), *weight = calloc(n, 4);
    int32_t *priority = calloc(n, 4);
    uint32_t *index = calloc(n, sizeof *index);

    if (!eligible || !user || !weight || !priority || !index) abort();
    job_amounts(r, used, open);
    for (size_t i = 0; i < n; i++) {
        const ref_job *job = &r->job[i];
        sent[i] = job->submitted;
        priority[i] = job->priority;
        user[i] = (uint32_t)i; /* each job has its user's usage beside it */
        weight[i] = (uint32_t)user_weight(r, job->user, b->image->id[row]);
    }
    for (size_t i = 0; i < r->asks; i++) {
        size_t j = r->ask[i].job;
        if (!may[i] || r->job[j].queue != b->image->id[row]) continue;
        eligible[j] = 1;
        user_used(r, r->job[j].user, r->job[j].queue, b->partition,
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
    size_t job = index[0];
    void *rooms[] = {used, open,   users,    sent, eligible,
                     user, weight, priority, index};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) free(rooms[i]);
    return job;
}

size_t ref_engine_pick(ref_engine *r, size_t node)
{
    pick_books b = open_books(r, r->node[node].partition);
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

/* ---- Tags ---- */

static int key_below(sked_order_key a, sked_order_key b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

void ref_engine_charge(ref_engine *r, const ref_ask *ask, uint32_t partition)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    uint32_t row = skedi_image_row(image, r->job[ask->job].queue);
    int64_t capacity[REF_KINDS];

    ref_engine_capacity(r, partition, capacity);
    for (; row > 0; row = (uint32_t)image->parent[row]) {
        uint32_t up = (uint32_t)image->parent[row];
        ref_tag *own = ref_engine_tag(r, image->id[row]);
        size_t at = (size_t)(own - r->tag);
        ref_tag *above = ref_engine_tag(r, image->id[up]);
        own = &r->tag[at];
        sked_order_columns in = {
            .struct_size = sizeof in,
            .order = SKED_ORDER_DEFICIT,
            .kinds = r->kinds,
            .n = 1,
            .weight = &image->weight[row],
            .capacity = capacity,
            .tag = &own->tag[partition],
            .level = &above->level[partition],
        };
        if (image->order[up] != SKED_ORDER_DEFICIT || !image->weight[row]) {
            continue;
        }
        sked_order_key next;
        if (sked_order_tag_after(&in, 0, ask->step, &next, NULL) != SKED_OK) {
            abort();
        }
        if (key_below(above->level[partition], own->tag[partition])) {
            above->level[partition] = own->tag[partition];
        }
        own->tag[partition] = next;
    }
}

void ref_engine_work(ref_engine *r, const ref_job *job, int lift)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    uint32_t row = skedi_image_row(image, job->queue);

    for (;; row = (uint32_t)image->parent[row]) {
        for (uint32_t p = 0; p < REF_PARTS; p++) {
            int work = 0;
            for (size_t i = 0; i < r->asks && !work; i++) {
                work = in_line(r, &r->ask[i], p) &&
                       ref_engine_runs_below(r, &r->job[r->ask[i].job], row);
            }
            ref_tag *own = ref_engine_tag(r, image->id[row]);
            int begins = work && !own->work[p];
            own->work[p] = work;
            if (row == 0 || !begins || !lift) continue;
            uint32_t up = (uint32_t)image->parent[row];
            if (image->order[up] != SKED_ORDER_DEFICIT) continue;
            sked_order_key level = ref_engine_tag(r, image->id[up])->level[p];
            own = ref_engine_tag(r, image->id[row]);
            if (key_below(own->tag[p], level)) own->tag[p] = level;
        }
        if (row == 0) return;
    }
}
