/*
 * What the model says of worlds (compare.py), against the library and against
 * the checker of promises (tests/promises/shares.c). Reads, for each world, its
 * queues, nodes and classes of tasks, then of every partition what the model
 * makes of them: for each row S, G, what is kept, the most that it could use, E
 * and what is guaranteed of S; for each leaf how far it may claim and what it
 * keeps.
 *
 * The library has to say the same to the unit. The checker counts in doubles: a
 * unit off is no fault, and what it calls loose is left out.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../shares.h"
#include "engine/shares.h"
#include "engine/preempt.h"
#include "target/handle.h"

enum { SAID_SHARE, SAID_FORCE, SAID_KEPT, SAID_MOST, SAID_PART, SAID_CLAIM };
enum { SAID = 6 };

#define MUST(cond) ((cond) ? (void)0 : die(#cond))

static unsigned long number; /* of the world */

static void die(const char *what)
{
    (void)fprintf(stderr, "world %lu: %s\n", number, what);
    exit(2);
}

/* What was compared, and what of it differed. */
typedef struct counts {
    unsigned long worlds, amounts, bounds, checked, loose, differ;
} counts;

static int64_t next(void)
{
    int64_t x = 0;

    MUST(scanf("%" SCNd64, &x) == 1);
    return x;
}

static void differs(counts *c, const char *what, uint32_t part, uint32_t row,
                    uint32_t k, int64_t model, int64_t other)
{
    if (c->differ++ >= 20) return;
    printf("world %lu partition %u row %u kind %u: %s is %" PRId64
           ", not the model's %" PRId64 "\n",
           number, part, row, k, what, other, model);
}

/* ---- Reading ---- */

static void read_queue(world *w, uint32_t row)
{
    static const int32_t vectors[] = {SKED_QUEUE_GUARANTEE, SKED_QUEUE_LIMIT,
                                      SKED_QUEUE_BORROW, SKED_QUEUE_LEND};
    world_queue *q = &w->queue[row];

    for (int i = 0; i < WORLD_NUMBERS; i++) q->number[i] = SKED_UNSET;
    for (int i = 0; i < WORLD_USERS; i++) q->user_weight[i] = SKED_UNSET;
    q->parent = (int32_t)next();
    q->number[SKED_QUEUE_WEIGHT] = next();
    q->number[SKED_QUEUE_ORDER] = next();
    q->number[SKED_QUEUE_FAIR_KIND] = next();
    q->number[SKED_QUEUE_PREEMPT_FROM] = next();
    for (uint32_t v = 0; v < 4; v++) {
        int any = 0;
        for (uint32_t k = 0; k < w->kinds; k++) {
            int64_t x = next();
            q->amount[vectors[v] - SKED_QUEUE_GUARANTEE][k] =
                x < 0 ? SKED_UNLIMITED : x;
            any |= v == 0 ? x > 0 : x >= 0;
        }
        q->has[vectors[v] - SKED_QUEUE_GUARANTEE] = (uint8_t)(any && row + v);
    }
    if (row == 0) q->has[0] = 0;
}

/* The job of the classes of a leaf: there are fewer jobs than classes. */
static int32_t job_of(world *w, int32_t leaf)
{
    uint32_t job = 0;

    while (job < w->jobs && w->job[job].queue != leaf) job++;
    MUST(job < WORLD_JOBS);
    if (job == w->jobs) w->jobs++;
    w->job[job].queue = leaf;
    return (int32_t)job;
}

static void read_world(world *w)
{
    *w = (world){.plenty = -1, .preempts = 1};
    w->kinds = (uint32_t)next();
    w->parts = (uint32_t)next();
    w->targets = (sked_target_options){.struct_size = sizeof w->targets,
                                       .mode = (int32_t)next(),
                                       .per_round_ppm = -1};
    w->targets.flags = (uint32_t)next() * SKED_TARGET_FLAG_BALANCE;
    w->targets.ignored_ppm = next();
    w->rows = (uint32_t)next();
    w->nodes = (uint32_t)next();
    w->asks = (uint32_t)next();
    MUST(w->rows <= WORLD_ROWS && w->nodes <= WORLD_NODES &&
         w->asks <= WORLD_ASKS && w->parts <= WORLD_PARTS);
    for (uint32_t row = 0; row < w->rows; row++) read_queue(w, row);
    for (uint32_t n = 0; n < w->nodes; n++) {
        w->node[n].partition = (uint32_t)next();
        for (uint32_t k = 0; k < w->kinds; k++) w->node[n].capacity[k] = next();
    }
    for (uint32_t a = 0; a < w->asks; a++) {
        w->ask[a].job = job_of(w, (int32_t)next());
        int64_t part = next();
        w->ask[a].partition = part < 0 ? SKED_ANY_PARTITION : (uint32_t)part;
        w->ask[a].count = next();
        for (uint32_t k = 0; k < w->kinds; k++) w->ask[a].amount[k] = next();
    }
}

/* ---- The library ---- */

typedef struct library {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id id[WORLD_ROWS];
} library;

static void plant_queues(library *l, const world *w)
{
    static const char *const kinds[] = {"a", "b", "c", "d"};
    char name[] = "q00";

    MUST(!sked_schema_new(kinds, NULL, w->kinds, NULL, &l->schema, NULL));
    MUST(!sked_tree_new(l->schema, NULL, NULL, &l->tree, NULL));
    l->id[0] = sked_tree_root(l->tree);
    for (uint32_t row = 0; row < w->rows; row++) {
        const world_queue *q = &w->queue[row];
        name[1] = (char)('0' + row / 10);
        name[2] = (char)('0' + row % 10);
        MUST(row == 0 || !sked_tree_add(l->tree, l->id[q->parent], name,
                                        &l->id[row], NULL));
    }
    for (uint32_t row = 0; row < w->rows; row++) {
        const world_queue *q = &w->queue[row];
        for (int32_t i = 1; i < WORLD_NUMBERS; i++) {
            if (q->number[i] == SKED_UNSET) continue;
            MUST(!sked_tree_set(l->tree, l->id[row], i, q->number[i], NULL));
        }
        for (int32_t i = 0; i < WORLD_VECTORS; i++) {
            if (!q->has[i]) continue;
            MUST(!sked_tree_set_vec(l->tree, l->id[row],
                                    SKED_QUEUE_GUARANTEE + i, q->amount[i],
                                    NULL));
        }
    }
    MUST(!sked_tree_commit(l->tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

static void say(library *l, sked_event event, const int64_t *amounts)
{
    sked_events batch = {.struct_size = sizeof batch, .events = &event, .n = 1};

    if (amounts) {
        event.amount = 1;
        batch.amounts = amounts;
        batch.n_amounts = 1;
    }
    MUST(!sked_engine_apply(l->engine, &batch, NULL, NULL));
}

static void fill_engine(library *l, const world *w)
{
    const sked_round_options rounds = {.struct_size = sizeof rounds};
    const sked_engine_preempt_options how = {
        .struct_size = sizeof how, .targets = &w->targets, .rounds = &rounds};

    MUST(!sked_engine_new(l->tree, NULL, NULL, &l->engine, NULL));
    MUST(!sked_engine_preempt(l->engine, &how, NULL));
    for (uint32_t n = 0; n < w->nodes; n++) {
        say(l,
            (sked_event){.kind = SKED_EVENT_NODE_UP,
                         .key = n + 1,
                         .partition = w->node[n].partition},
            w->node[n].capacity);
    }
    for (uint32_t i = 0; i < w->jobs; i++) {
        say(l,
            (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                         .key = i + 1,
                         .queue = l->id[w->job[i].queue]},
            NULL);
    }
    for (uint32_t a = 0; a < w->asks; a++) {
        say(l,
            (sked_event){.kind = SKED_EVENT_ASK_ADD,
                         .key = a + 1,
                         .owner = (uint64_t)w->ask[a].job + 1,
                         .count = w->ask[a].count,
                         .partition = w->ask[a].partition},
            w->ask[a].amount);
    }
    say(l, (sked_event){.kind = SKED_EVENT_ROUND}, NULL);
}

static uint32_t row_in(const library *l, uint32_t row)
{
    size_t at;

    MUST(!sked_tree_row(l->tree, l->id[row], &at));
    return (uint32_t)at;
}

static void compare_engine(const library *l, uint32_t part, uint32_t row,
                           uint32_t kinds, int64_t said[SAID][WORLD_KINDS],
                           counts *c)
{
    static const char *const names[SAID] = {"S", "G", "kept", "", "E", "Gamma"};
    const sked_engine *e = l->engine;
    size_t cell = cell_of(e, row_in(l, row), part);
    int64_t *columns[SAID] = {e->cell_share, e->cell_force, e->cell_kept,
                              NULL,          e->cell_part,  e->cell_claim};

    for (int i = 0; i < SAID; i++) {
        for (uint32_t k = 0; columns[i] && k < kinds; k++) {
            int64_t is = cell_row(e, columns[i], cell)[k];
            if (row == 0 && i != SAID_SHARE) continue;
            c->amounts++;
            if (is != said[i][k]) {
                differs(c, names[i], part, row, k, said[i][k], is);
            }
        }
    }
}

/* How far a leaf may claim of a kind by the one policy that there is: what the
 * engine says to a step that needs more than anything of it. */
static int64_t claim_of(const sked_engine *e, uint32_t row, uint32_t part,
                        uint32_t kind)
{
    int64_t need[SKED_MAX_KINDS] = {0}, claim = SKED_UNLIMITED;

    need[kind] = INT64_MAX;
    (void)skedi_claim_lacks(e, row, part, need, &claim);
    return claim;
}

/* How far a leaf may claim, and, in the partition of which the round was last,
 * what it keeps. */
static void compare_bounds(const library *l, const world *w, uint32_t part,
                           uint32_t row, counts *c)
{
    const sked_engine *e = l->engine;
    int64_t at = row_in(l, row);
    const int64_t *keep = skedi_targets_column(&e->preempt->target[0]->last,
                                               SKEDI_TARGET_BOUNDS) +
                          at * w->kinds;

    for (uint32_t k = 0; k < w->kinds; k++) {
        int64_t says = next(), claim = claim_of(e, (uint32_t)at, part, k);
        c->bounds++;
        if (claim != says) differs(c, "C", part, row, k, says, claim);
    }
    for (uint32_t k = 0; k < w->kinds; k++) {
        int64_t says = next();
        if (part + 1 < w->parts) continue;
        c->bounds++;
        if (keep[k] != says) differs(c, "K", part, row, k, says, keep[k]);
    }
}

/* ---- The checker ---- */

static void compare_checker(const shares *s, uint32_t part, uint32_t row,
                            int64_t said[SAID][WORLD_KINDS], counts *c)
{
    static const char *const names[SAID] = {
        "checker's S",    "checker's G", "what the checker keeps",
        "checker's most", "checker's E", "checker's Gamma"};
    const shares_row *r = &s->row[row];
    const int64_t *columns[SAID] = {r->share, r->force, r->kept,
                                    r->hi,    r->part,  r->claim};

    if (r->loose) {
        c->loose++;
        return;
    }
    for (int i = 0; i < SAID; i++) {
        for (uint32_t k = 0; k < s->w->kinds; k++) {
            int64_t off = columns[i][k] - said[i][k];
            if (row == 0 && i != SAID_SHARE) continue;
            c->checked++;
            if (off < -1 || off > 1) {
                differs(c, names[i], part, row, k, said[i][k], columns[i][k]);
            }
        }
    }
}

/* ---- One world ---- */

static void compare_partition(library *l, const world *w, uint32_t part,
                              counts *c)
{
    static shares s;
    shares_demand demand = {{0}};
    int64_t said[SAID][WORLD_KINDS], capacity[WORLD_KINDS] = {0};

    for (uint32_t n = 0; n < w->nodes; n++) {
        for (uint32_t k = 0; k < w->kinds && w->node[n].partition == part;
             k++) {
            capacity[k] += w->node[n].capacity[k];
        }
    }
    for (uint32_t a = 0; a < w->asks; a++) {
        int asks = w->ask[a].partition == part ||
                   w->ask[a].partition == SKED_ANY_PARTITION;
        demand.tasks[a] = asks ? w->ask[a].count : 0;
    }
    shares_resolve(&s, w, w->queue, capacity);
    shares_renew(&s, &demand);
    skedi_shares_renew(l->engine, part);
    for (uint32_t row = 0; row < w->rows; row++) {
        for (int i = 0; i < SAID; i++) {
            for (uint32_t k = 0; k < w->kinds; k++) said[i][k] = next();
        }
        compare_engine(l, part, row, w->kinds, said, c);
        compare_checker(&s, part, row, said, c);
        if (world_is_leaf(w, row)) compare_bounds(l, w, part, row, c);
    }
}

int main(void)
{
    static world w;
    counts c = {0};

    for (int64_t left = next(); left > 0; left--) {
        library l = {0};
        number = (unsigned long)next();
        read_world(&w);
        plant_queues(&l, &w);
        fill_engine(&l, &w);
        for (uint32_t p = 0; p < w.parts; p++) compare_partition(&l, &w, p, &c);
        c.worlds++;
        sked_engine_free(l.engine);
        sked_tree_free(l.tree);
        sked_schema_free(l.schema);
    }
    printf("%lu worlds: %lu amounts and %lu bounds of the library, %lu amounts "
           "of the checker (%lu rows loose), %lu differ\n",
           c.worlds, c.amounts, c.bounds, c.checked, c.loose, c.differ);
    return c.differ > 0;
}
