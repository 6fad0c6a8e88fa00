/*
 * Collects faults: of a whole draft in row order, for the refusal of a commit,
 * and of touched queues since a commit without errors.
 */
#include "tree/fault.h"

#include "base/arith.h"

/*
 * The rules of a draft. Each rule looks at a single queue: its own attributes,
 * the sums over its children, and the values of its ancestors. An error depends
 * only on the queue, its parent and its children. An error about guarantees
 * also depends on queues further down, reached through queues without a stated
 * guarantee, whose guarantee is the sum of the guarantees below.
 */

/* The result of a rule; the other fields of a fault follow from the queue. */
typedef struct fault_word {
    int32_t code;
    int32_t severity;
    int32_t attribute;
    int32_t kind;
    int64_t got;
    int64_t limit;
} fault_word;

static void fault_add(skedi_fault_sink *sink, uint32_t slot, fault_word word)
{
    sked_fault fault = {
        .code = word.code,
        .severity = word.severity,
        .queue = skedi_slot_id(&sink->tree->draft, slot),
        .got = word.got,
        .limit = word.limit,
        .kind = word.kind,
        .attribute = word.attribute,
        .line = sink->tree->draft.slot[slot].line,
    };

    if (sink->n < sink->cap) sink->faults[sink->n] = fault;
    sink->n++;
    if (word.severity != SKED_SEVERITY_ERROR) return;
    if (sink->errors++ == 0) sink->first = fault;
}

/* Compares the sum of the guarantees below with the queue's own. The amount of
 * a part is unknown here. */
static void check_guarantees(skedi_fault_sink *sink, uint32_t slot,
                             const skedi_sum_below *sum)
{
    const skedi_draft *draft = &sink->tree->draft;
    int64_t part = skedi_draft_number(draft, SKEDI_AT_GUARANTEE_PPM, slot);

    if (sum->lifted || part != SKED_UNSET) return;
    for (uint32_t k = 0; k < draft->kinds; k++) {
        int64_t got = skedi_sum_amount(sum->guarantee[k]);
        if (got <= sum->has[k]) continue;
        fault_add(sink, slot,
                  (fault_word){SKED_FAULT_GUARANTEE_ABOVE_PARENT,
                               SKED_SEVERITY_ERROR, SKED_QUEUE_GUARANTEE,
                               (int32_t)k, got, sum->has[k]});
    }
}

/* Notes a lifted guarantee, unless the guarantee exceeds the limit: that case
 * is an error already. */
static void check_lifted(skedi_fault_sink *sink, uint32_t slot,
                         const skedi_sum_below *sum)
{
    const skedi_draft *draft = &sink->tree->draft;
    const int64_t *most = skedi_draft_amounts(draft, SKEDI_AT_LIMIT, slot);

    for (uint32_t k = 0; sum->lifted && k < draft->kinds; k++) {
        if (sum->has[k] == 0 || (most && sum->has[k] > most[k])) continue;
        fault_add(sink, slot,
                  (fault_word){SKED_FAULT_GUARANTEE_LIFTED, SKED_SEVERITY_NOTE,
                               SKED_QUEUE_GUARANTEE, (int32_t)k, sum->has[k],
                               0});
    }
}

/* Two parts are comparable only if both refer to the capacity. This is true for
 * the root and its children. */
static void check_parts(skedi_fault_sink *sink, uint32_t slot)
{
    const skedi_draft *draft = &sink->tree->draft;
    int64_t part = skedi_draft_number(draft, SKEDI_AT_GUARANTEE_PPM, slot);
    int64_t most = skedi_draft_number(draft, SKEDI_AT_LIMIT_PPM, slot);

    if (draft->slot[slot].depth > 1 || most == SKED_UNSET || part <= most) {
        return; /* an unset part is below every limit */
    }
    fault_add(sink, slot,
              (fault_word){SKED_FAULT_GUARANTEE_ABOVE_LIMIT,
                           SKED_SEVERITY_ERROR, SKED_QUEUE_GUARANTEE_PPM, -1,
                           part, most});
}

static void check_own_limit(skedi_fault_sink *sink, uint32_t slot,
                            const skedi_sum_below *sum)
{
    const skedi_draft *draft = &sink->tree->draft;
    const int64_t *most = skedi_draft_amounts(draft, SKEDI_AT_LIMIT, slot);

    check_parts(sink, slot);
    for (uint32_t k = 0; most && k < draft->kinds; k++) {
        if (sum->has[k] <= most[k]) continue;
        fault_add(sink, slot,
                  (fault_word){SKED_FAULT_GUARANTEE_ABOVE_LIMIT,
                               SKED_SEVERITY_ERROR, SKED_QUEUE_GUARANTEE,
                               (int32_t)k, sum->has[k], most[k]});
    }
}

/* The nearest ancestor's limit of a kind; SKED_UNLIMITED: no ancestor has a
 * limit. */
static int64_t limit_above(const skedi_draft *draft, uint32_t slot, uint32_t k)
{
    int64_t limit = SKED_UNLIMITED;

    while (limit == SKED_UNLIMITED && slot != 0) {
        slot = draft->slot[slot].parent;
        limit = skedi_draft_amounts(draft, SKEDI_AT_LIMIT, slot)[k];
    }
    return limit;
}

static void check_limit_above(skedi_fault_sink *sink, uint32_t slot)
{
    const skedi_draft *draft = &sink->tree->draft;
    const int64_t *own = skedi_draft_amounts(draft, SKEDI_AT_LIMIT, slot);

    for (uint32_t k = 0; own && k < draft->kinds; k++) {
        if (own[k] == SKED_UNLIMITED) continue;
        int64_t above = limit_above(draft, slot, k);
        if (own[k] <= above) continue;
        fault_add(sink, slot,
                  (fault_word){SKED_FAULT_LIMIT_ABOVE_PARENT,
                               SKED_SEVERITY_WARNING, SKED_QUEUE_LIMIT,
                               (int32_t)k, own[k], above});
    }
}

enum { PARTS_TOLERANCE = 10 }; /* ppm */

static void check_family_parts(skedi_fault_sink *sink, uint32_t slot,
                               const skedi_sum_below *sum)
{
    fault_word word = {.code = SKED_FAULT_PARTS_SUM,
                       .severity = SKED_SEVERITY_ERROR,
                       .attribute = SKED_QUEUE_GUARANTEE_PPM,
                       .kind = -1,
                       .got = sum->parts,
                       .limit = SKED_PPM};

    if (sum->n_parts == 0) return;
    if (sum->n_amounts > 0) {
        word.code = SKED_FAULT_PARTS_MIXED;
        word.got = sum->n_parts;
        word.limit = sum->n_parts + sum->n_amounts;
        fault_add(sink, slot, word);
        return;
    }
    int64_t off = sum->parts - SKED_PPM;
    if (off < -PARTS_TOLERANCE || off > PARTS_TOLERANCE) {
        fault_add(sink, slot, word);
    }
}

static int has_guarantee(const skedi_draft *draft, uint32_t slot,
                         const skedi_sum_below *sum)
{
    return skedi_draft_number(draft, SKEDI_AT_GUARANTEE_PPM, slot) > 0 ||
           skedi_any_guaranteed(sum->has, draft->kinds);
}

static void check_dead(skedi_fault_sink *sink, uint32_t slot,
                       const skedi_sum_below *sum)
{
    const skedi_draft *draft = &sink->tree->draft;
    int64_t weight = skedi_draft_number(draft, SKEDI_AT_WEIGHT, slot);

    if (slot == 0 || weight > 0 || has_guarantee(draft, slot, sum)) return;
    fault_add(sink, slot,
              (fault_word){SKED_FAULT_DEAD_WEIGHT, SKED_SEVERITY_ERROR,
                           SKED_QUEUE_WEIGHT, -1, 0, 1});
}

static void check_all_dead(skedi_fault_sink *sink, uint32_t slot,
                           const skedi_sum_below *sum)
{
    uint32_t n = sink->tree->draft.slot[slot].n_children;

    if (sum->n_weighty > 0) return;
    fault_add(sink, slot,
              (fault_word){SKED_FAULT_ALL_DEAD, SKED_SEVERITY_ERROR,
                           SKED_QUEUE_WEIGHT, -1, (int64_t)n, 0});
}

/* Warns if guarantee plus borrow exceeds the limit: the limit applies first. */
static void check_borrow(skedi_fault_sink *sink, uint32_t slot,
                         const skedi_sum_below *sum)
{
    const skedi_draft *draft = &sink->tree->draft;
    const int64_t *most = skedi_draft_amounts(draft, SKEDI_AT_LIMIT, slot);
    const int64_t *borrow = skedi_draft_amounts(draft, SKEDI_AT_BORROW, slot);

    for (uint32_t k = 0; borrow && most && k < draft->kinds; k++) {
        int64_t reach = skedi_amount_add(borrow[k], sum->has[k]);
        if (borrow[k] == SKED_UNLIMITED || reach <= most[k]) continue;
        fault_add(sink, slot,
                  (fault_word){SKED_FAULT_BORROW_BEYOND_LIMIT,
                               SKED_SEVERITY_WARNING, SKED_QUEUE_BORROW,
                               (int32_t)k, reach, most[k]});
    }
}

static void check_lend(skedi_fault_sink *sink, uint32_t slot,
                       const skedi_sum_below *sum)
{
    const skedi_draft *draft = &sink->tree->draft;
    const int64_t *lend = skedi_draft_amounts(draft, SKEDI_AT_LEND, slot);
    int64_t part = skedi_draft_number(draft, SKEDI_AT_GUARANTEE_PPM, slot);

    for (uint32_t k = 0; lend && part == SKED_UNSET && k < draft->kinds; k++) {
        int64_t has = sum->has[k];
        if (lend[k] == SKED_UNLIMITED || lend[k] <= has) continue;
        fault_add(sink, slot,
                  (fault_word){SKED_FAULT_LEND_ABOVE_GUARANTEE,
                               SKED_SEVERITY_WARNING, SKED_QUEUE_LEND,
                               (int32_t)k, lend[k], has});
    }
}

static void check_running(skedi_fault_sink *sink, uint32_t slot)
{
    const skedi_draft *draft = &sink->tree->draft;
    int64_t own = skedi_draft_number(draft, SKEDI_AT_MAX_RUNNING, slot);
    int64_t above = SKED_UNLIMITED;

    if (own == SKED_UNLIMITED) return;
    for (uint32_t s = slot; above == SKED_UNLIMITED && s != 0;) {
        s = draft->slot[s].parent;
        above = skedi_draft_number(draft, SKEDI_AT_MAX_RUNNING, s);
    }
    if (own <= above) return;
    fault_add(sink, slot,
              (fault_word){SKED_FAULT_RUNNING_ABOVE_PARENT,
                           SKED_SEVERITY_WARNING, SKED_QUEUE_MAX_RUNNING, -1,
                           own, above});
}

static void check_place(skedi_fault_sink *sink, uint32_t slot)
{
    const skedi_draft *draft = &sink->tree->draft;
    int64_t apps = skedi_draft_number(draft, SKEDI_AT_APPS, slot);
    int64_t order = skedi_draft_number(draft, SKEDI_AT_ORDER, slot);
    int leaf = draft->slot[slot].n_children == 0;

    if (!leaf && apps != SKED_APPS_FIFO) {
        fault_add(sink, slot,
                  (fault_word){SKED_FAULT_APPS_ON_PARENT, SKED_SEVERITY_WARNING,
                               SKED_QUEUE_APPS, -1, apps, SKED_APPS_FIFO});
    }
    if (leaf && order != SKED_ORDER_POLICY_DRF) {
        fault_add(sink, slot,
                  (fault_word){SKED_FAULT_ORDER_ON_LEAF, SKED_SEVERITY_WARNING,
                               SKED_QUEUE_ORDER, -1, order,
                               SKED_ORDER_POLICY_DRF});
    }
}

static void check_preempt(skedi_fault_sink *sink, uint32_t slot,
                          const skedi_sum_below *sum)
{
    const skedi_draft *draft = &sink->tree->draft;
    int64_t wait = skedi_draft_number(draft, SKEDI_AT_MIN_TIMEOUT, slot);
    uint32_t s = slot;

    if (skedi_draft_number(draft, SKEDI_AT_PREEMPT_FROM, slot) == 1) {
        while (s != SKEDI_NO_SLOT &&
               skedi_draft_number(draft, SKEDI_AT_PREEMPT_FROM, s) != 0) {
            s = draft->slot[s].parent;
        }
        if (s != SKEDI_NO_SLOT) {
            fault_add(sink, slot,
                      (fault_word){SKED_FAULT_PREEMPT_REENABLED,
                                   SKED_SEVERITY_WARNING,
                                   SKED_QUEUE_PREEMPT_FROM, -1, 1, 0});
        }
    }
    if (wait == SKED_UNSET || wait == SKED_UNLIMITED) return;
    if (has_guarantee(draft, slot, sum)) return;
    fault_add(sink, slot,
              (fault_word){SKED_FAULT_TIMEOUT_IDLE, SKED_SEVERITY_WARNING,
                           SKED_QUEUE_PREEMPT_MIN_TIMEOUT, -1, wait,
                           SKED_UNLIMITED});
}

/* `priority` is the only order that ranks a criterion above guarantees. */
static void check_priorities(skedi_fault_sink *sink, uint32_t slot,
                             const skedi_sum_below *sum)
{
    int64_t order = skedi_draft_number(&sink->tree->draft, SKEDI_AT_ORDER,
                                       slot);

    if (order != SKED_ORDER_POLICY_PRIORITY || sum->highest <= sum->lowest) {
        return;
    }
    fault_add(sink, slot,
              (fault_word){SKED_FAULT_PRIORITY_BEFORE_GUARANTEE,
                           SKED_SEVERITY_NOTE, SKED_QUEUE_ORDER, -1,
                           sum->highest, sum->lowest});
}

/* Applies the rules in the order of their codes. */
static void rules_check(skedi_fault_sink *sink, uint32_t slot)
{
    const skedi_draft *draft = &sink->tree->draft;
    int parent = draft->slot[slot].n_children > 0;
    skedi_sum_below sum;

    skedi_family_add(draft, slot, &sum);
    if (parent) check_guarantees(sink, slot, &sum);
    check_own_limit(sink, slot, &sum);
    check_limit_above(sink, slot);
    if (parent) check_family_parts(sink, slot, &sum);
    check_dead(sink, slot, &sum);
    if (parent) check_all_dead(sink, slot, &sum);
    check_borrow(sink, slot, &sum);
    check_lend(sink, slot, &sum);
    check_running(sink, slot);
    check_place(sink, slot);
    check_preempt(sink, slot, &sum);
    check_lifted(sink, slot, &sum);
    check_priorities(sink, slot, &sum);
}

/* Visits the queues breadth first without extra memory: a walk for each level,
 * which goes no deeper than the level. */
static void levels_faults(skedi_fault_sink *sink)
{
    const skedi_draft *draft = &sink->tree->draft;
    size_t seen = 0;

    for (uint32_t depth = 0; seen < draft->n; depth++) {
        for (uint32_t s = 0; s != SKEDI_NO_SLOT;) {
            int here = draft->slot[s].depth == depth;
            if (here) rules_check(sink, s);
            seen += (size_t)here;
            s = skedi_draft_next(draft, 0, s, here);
        }
    }
}

static void rows_faults(skedi_fault_sink *sink, const skedi_image *image)
{
    for (uint32_t r = 0; r < image->n; r++) {
        rules_check(sink, (uint32_t)image->id[r]);
    }
}

static void all_faults(skedi_fault_sink *sink)
{
    if (sink->tree->draft.reshaped) {
        levels_faults(sink);
    } else {
        rows_faults(sink, skedi_tree_live(sink->tree));
    }
}

sked_status sked_tree_faults(const sked_tree *tree, sked_fault *faults,
                             size_t cap, size_t *n)
{
    if (!tree || !n || (cap > 0 && !faults)) return SKED_ERR_ARG;
    skedi_fault_sink count = {.tree = tree};
    skedi_fault_sink list = {.tree = tree, .faults = faults, .cap = cap};

    all_faults(&count);
    *n = count.n;
    if (cap < count.n) return SKED_ERR_RANGE;
    if (count.n > 0) all_faults(&list);
    return SKED_OK;
}

static const char *error_word(int32_t code)
{
    switch (code) {
    case SKED_FAULT_GUARANTEE_ABOVE_PARENT:
        return "children's guarantees add to more than the parent's";
    case SKED_FAULT_GUARANTEE_ABOVE_LIMIT:
        return "guarantee is above the limit";
    case SKED_FAULT_PARTS_SUM: return "parts of siblings do not add to a whole";
    case SKED_FAULT_PARTS_MIXED: return "siblings mix parts with amounts";
    case SKED_FAULT_DEAD_WEIGHT: return "weight 0 without a guarantee";
    default: return "every child weighs 0";
    }
}

sked_status skedi_faults_refuse(const sked_tree *tree, const skedi_image *image,
                                sked_error *err)
{
    skedi_fault_sink sink = {.tree = tree};

    rows_faults(&sink, image);
    if (sink.errors == 0) return SKED_OK;
    skedi_fault at = {
        .queue = sink.first.queue,
        .got = sink.first.got,
        .limit = sink.first.limit,
        .kind = sink.first.kind + 1,
        .line = sink.first.line,
    };
    return skedi_fail(err, SKED_ERR_INVALID, error_word(sink.first.code), at);
}

/* Can the change of a slot cause an error? `*parent`: also an error of the
 * parent. */
static int may_err(const skedi_draft *draft, uint32_t slot, int *parent)
{
    const uint32_t guarantees = SKEDI_TOUCH_AMOUNT(SKEDI_AT_GUARANTEE) |
                                SKEDI_TOUCH_NUMBER(SKEDI_AT_GUARANTEE_PPM);
    const uint32_t limits = SKEDI_TOUCH_AMOUNT(SKEDI_AT_LIMIT) |
                            SKEDI_TOUCH_NUMBER(SKEDI_AT_LIMIT_PPM);
    uint32_t touched = draft->slot[slot].touched;
    int weightless = touched & SKEDI_TOUCH_NUMBER(SKEDI_AT_WEIGHT) &&
                     skedi_draft_number(draft, SKEDI_AT_WEIGHT, slot) == 0;

    *parent = touched & guarantees || weightless;
    return *parent || touched & limits;
}

/* Checks each queue once, even if several children were touched. */
static void check_once(skedi_fault_sink *sink, skedi_draft *draft,
                       uint32_t slot)
{
    if (slot == SKEDI_NO_SLOT || draft->slot[slot].flags & SKEDI_SLOT_SEEN) {
        return;
    }
    draft->slot[slot].flags |= SKEDI_SLOT_SEEN;
    rules_check(sink, slot);
}

/* The next queue to check above `slot`. The walk starts at `from` and continues
 * upwards through queues without a stated guarantee. */
static uint32_t next_above(const skedi_draft *draft, uint32_t slot,
                           uint32_t from)
{
    if (slot != from && skedi_rules_states(draft, slot)) return SKEDI_NO_SLOT;
    return draft->slot[slot].parent;
}

static void unsee(skedi_draft *draft, uint32_t slot)
{
    if (slot == SKEDI_NO_SLOT) return;
    draft->slot[slot].flags &= (uint8_t)~SKEDI_SLOT_SEEN;
}

int skedi_faults_touched(sked_tree *tree)
{
    skedi_draft *draft = &tree->draft;
    skedi_fault_sink sink = {.tree = tree};
    int parent;

    for (uint32_t s = draft->touched; s != SKEDI_NO_SLOT;
         s = draft->slot[s].touched_next) {
        if (!may_err(draft, s, &parent)) continue;
        check_once(&sink, draft, s);
        for (uint32_t up = s; parent && up != SKEDI_NO_SLOT;) {
            up = next_above(draft, up, s);
            check_once(&sink, draft, up);
        }
    }
    for (uint32_t s = draft->touched; s != SKEDI_NO_SLOT;
         s = draft->slot[s].touched_next) {
        unsee(draft, s);
        for (uint32_t up = s; up != SKEDI_NO_SLOT;) {
            up = next_above(draft, up, s);
            unsee(draft, up);
        }
    }
    return sink.errors > 0;
}
