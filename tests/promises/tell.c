/* A world in words. */
#include "world.h"

#include <inttypes.h>

static void tell_amounts(const world *w, const int64_t *amount, FILE *out)
{
    for (uint32_t k = 0; k < w->kinds; k++) {
        if (amount[k] == SKED_UNLIMITED)
            fprintf(out, "%s-", k ? "," : "");
        else
            fprintf(out, "%s%" PRId64, k ? "," : "", amount[k]);
    }
}

static void tell_queue(const world *w, uint32_t row, FILE *out)
{
    static const char *const number[WORLD_NUMBERS] = {
        "",          "weight",       "order",       "fair_kind",
        "apps",      "max_running",  "user_limit",  "priority",
        "tier",      "preempt_from", "min_timeout", "fair_timeout",
        "threshold", "am_share",     "guarantee%",  "limit%",
        "state",     "user_factor",  "start_rate"};
    static const char *const order[] = {
        "drf", "fair", "utilisation", "priority", "fifo", "random", "share"};
    static const char *const vector[] = {"guarantee", "limit", "borrow",
                                         "lend"};
    const world_queue *q = &w->queue[row];

    fprintf(out, "  queue %u below %d:", row, q->parent);
    for (int i = 1; i < WORLD_NUMBERS; i++) {
        if (q->number[i] == SKED_UNSET) continue;
        if (i == SKED_QUEUE_APPS && q->number[i] == 0) continue;
        if (i == SKED_QUEUE_ORDER)
            fprintf(out, " order=%s", order[q->number[i]]);
        else if (i == SKED_QUEUE_GUARANTEE_PPM || i == SKED_QUEUE_LIMIT_PPM ||
                 i == SKED_QUEUE_USER_LIMIT || i == SKED_QUEUE_AM_SHARE ||
                 i == SKED_QUEUE_USER_FACTOR)
            fprintf(out, " %s=%" PRId64 "%%", number[i], q->number[i] / 10000);
        else
            fprintf(out, " %s=%" PRId64, number[i], q->number[i]);
    }
    for (int i = 0; i < WORLD_VECTORS; i++) {
        if (!q->has[i]) continue;
        fprintf(out, " %s=", vector[i]);
        tell_amounts(w, q->amount[i], out);
    }
    for (int i = 0; i < WORLD_USERS; i++) {
        if (q->user_weight[i] == SKED_UNSET) continue;
        fprintf(out, " user_weight.u%d=%" PRId64, i, q->user_weight[i]);
    }
    fprintf(out, "\n");
}

/* What is said of its tasks, and what becomes of those that are killed. */
static void tell_told(const world *w, const world_ask *a, FILE *out)
{
    if (!w->tells) return;
    if (w->job[a->job].flags & SKED_JOB_ONCE) fprintf(out, ", once");
    if (w->job[a->job].flags & SKED_JOB_READMIT) fprintf(out, ", readmitted");
    if (a->adopt_on) {
        fprintf(out, ", %" PRId64 " adopted on node %u", a->adopt, a->adopt_on);
    }
    if (a->cost >= 0) fprintf(out, ", cost %" PRId64, a->cost);
    if (a->ends) fprintf(out, ", ends in %" PRId64 "+%d", a->ends, 2 * a->late);
    if (a->leaves) fprintf(out, ", released for %" PRId64, a->leaves);
    if (!a->resize) return;
    fprintf(out,
            a->resize == RESIZE_RUNNING ? ", then of " : ", confirmed of ");
    tell_amounts(w, a->actual, out);
}

static void tell_ask(const world *w, uint32_t i, FILE *out)
{
    const world_ask *a = &w->ask[i];
    const world_job *job = &w->job[a->job];

    if (a->count == 0) return;
    fprintf(out, "  ask %u (job %d, queue %d, user %u): %" PRId64 " of ", i + 1,
            a->job + 1, job->queue, job->user, a->count);
    tell_amounts(w, a->amount, out);
    if (job->late) fprintf(out, ", late");
    if (job->priority) fprintf(out, ", job priority %d", job->priority);
    if (a->priority) fprintf(out, ", priority %d", a->priority);
    for (uint32_t t = 0; t < w->trees; t++) {
        if (!job->charged[t]) continue;
        fprintf(out, ", charged in tree %u row %u", t + 1, job->charged[t]);
    }
    if (job->flags & SKED_JOB_FIXED) fprintf(out, ", fixed");
    if (job->flags & SKED_JOB_KEEPS) fprintf(out, ", keeps");
    if (job->flags & SKED_JOB_REVOCABLE) fprintf(out, ", revocable");
    if (job->flags & SKED_JOB_YIELDS) fprintf(out, ", yields");
    if (a->flags & SKED_ASK_GANG) fprintf(out, ", gang");
    if (a->flags & SKED_ASK_SPREAD) {
        fprintf(out, " over nodes, %s %u on one",
                a->flags & SKED_ASK_EXACT ? "just" : "at most", a->per_node);
        if (a->at_once) fprintf(out, ", %u at once", a->at_once);
        if (a->flags & SKED_ASK_TOGETHER) fprintf(out, ", together");
        if (a->same) {
            fprintf(out, ", %s one zone",
                    world_is_bound(a) ? "in" : "rather in");
        }
    }
    if (world_is_alone(a)) fprintf(out, ", exclusive");
    if (a->flags & SKED_ASK_MASTER) fprintf(out, ", master");
    if (a->flags & SKED_ASK_STRICT) fprintf(out, ", strict");
    if (a->places) fprintf(out, ", places %x", a->places);
    if (a->racks) fprintf(out, ", racks %x", a->racks);
    if (a->zones) fprintf(out, ", zones %x", a->zones);
    for (int s = 0; s < WORLD_SOFT; s++) {
        if (a->soft[s].zones == 0) continue;
        fprintf(out, ", rather zones %x (%" PRId64 ", until %" PRId64 ")",
                a->soft[s].zones, a->soft[s].weight, a->soft[s].until);
    }
    if (a->flags & SKED_ASK_WAIT) fprintf(out, ", waits");
    if (a->tagged) fprintf(out, ", tagged");
    if (a->apart) fprintf(out, ", where fewer than %u tagged run", a->apart);
    tell_told(w, a, out);
    if (a->anew) {
        fprintf(out, ", then places %x racks %x strict %d", a->then_places,
                a->then_racks, a->then_strict);
    }
    if (a->partition == SKED_ANY_PARTITION)
        fprintf(out, ", any partition");
    else if (a->partition)
        fprintf(out, ", partition %u", a->partition);
    fprintf(out, "\n");
}

static void tell_preemption(const world *w, FILE *out)
{
    static const char *const dialect[] = {"imbalance", "starvation",
                                          "entitlement"};

    if (!w->preempts) return;
    fprintf(out,
            "  preemption: flags=%x rounds=%x grace=%" PRId64 " gangs=%u%s\n",
            w->flags, w->rounds.flags, w->rounds.grace_ns, w->gangs,
            w->slow ? " slow" : "");
    for (uint32_t i = 0; i < world_policies(w); i++) {
        const sked_target_options *t = world_policy(w, i);
        fprintf(out,
                "  policy: %s targets=%x cycles=%u ignored=%" PRId64
                " factor=%" PRId64 " per_round=%" PRId64 " utilisation=%" PRId64
                "\n",
                dialect[t->mode], t->flags, t->cycles, t->ignored_ppm,
                t->factor_ppm, t->per_round_ppm, t->utilisation_ppm);
    }
}

static void tell_trees(const world *w, FILE *out)
{
    for (uint32_t t = 0; t < w->trees; t++) {
        for (uint32_t row = 0; row < w->bounds[t]; row++) {
            const world_bound *b = &w->bound[t][row];
            fprintf(out, "  limit tree %u row %u below %d:", t + 1, row + 1,
                    b->parent + 1);
            if (b->limited) {
                fprintf(out, " limit=");
                tell_amounts(w, b->limit, out);
            }
            if (b->max_running != SKED_UNSET) {
                fprintf(out, " max_running=%" PRId64, b->max_running);
            }
            fprintf(out, "\n");
        }
    }
}

void world_tell(const world *w, FILE *out)
{
    static const char *const mode[] = {"stays", "ends", "changes"};

    fprintf(out, "  %s%s%s\n", mode[w->mode], w->beats ? ", heartbeats" : "",
            w->recommit ? ", committed again" : "");
    for (uint32_t n = 0; n < w->nodes; n++) {
        fprintf(out, "  node %u: ", n + 1);
        tell_amounts(w, w->node[n].capacity, out);
        if (w->node[n].then == NODE_MOVES) {
            fprintf(out, " moves to partition %u,", w->node[n].to);
        }
        fprintf(out, " partition %u rack %" PRIu64 " zone %u%s\n",
                w->node[n].partition, w->node[n].rack, w->node[n].zone,
                w->node[n].then == NODE_DRAINS    ? " drains"
                : w->node[n].then == NODE_IS_LOST ? " is lost"
                                                  : "");
    }
    for (uint32_t p = 0; w->options.pooled && p < w->parts; p++) {
        fprintf(out, "  partition %u, on no node: ", p);
        tell_amounts(w, w->pool[p], out);
        fprintf(out, "\n");
    }
    for (uint32_t row = 0; row < w->rows; row++) tell_queue(w, row, out);
    for (uint32_t i = 0; i < w->edits; i++) {
        fprintf(out, "  edit: queue %d attribute %d = %" PRId64 "\n",
                w->edit[i].queue, w->edit[i].attribute, w->edit[i].value);
    }
    for (uint32_t i = 0; i < w->says; i++) {
        fprintf(out, "  round %u: queue %d weighs %" PRId64 "\n",
                w->say[i].round, w->say[i].queue, w->say[i].weight);
    }
    tell_trees(w, out);
    for (uint32_t a = 0; a < w->asks; a++) tell_ask(w, a, out);
    fprintf(out,
            "  options: delays %" PRId64 ",%" PRId64 " a pass %u "
            "a user %u confirm %" PRId64 " ends %u forms %u,"
            "%" PRId64 "\n",
            w->options.node_delay_ns, w->options.rack_delay_ns,
            w->options.max_per_pass, w->options.max_user_running,
            w->options.confirm_within_ns, w->ends, w->options.form_nodes,
            w->options.form_for_ns);
    tell_preemption(w, out);
}
