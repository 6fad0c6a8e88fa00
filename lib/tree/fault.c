/*
 * Lists of faults: of a whole draft in row order, of what a commit refuses,
 * and of what was touched since a commit that had no error.
 */
#include "tree/fault.h"

/* Breadth first without memory: the queues of one level after the other, each
 * level found on a walk that goes no deeper. */
static void levels_faults(skedi_fault_sink *sink)
{
    const skedi_draft *draft = &sink->tree->draft;
    size_t seen = 0;

    for (uint32_t depth = 0; seen < draft->n; depth++) {
        for (uint32_t s = 0; s != SKEDI_NO_SLOT;) {
            int here = draft->slot[s].depth == depth;
            if (here) skedi_rules_check(sink, s);
            seen += (size_t)here;
            s = skedi_draft_next(draft, 0, s, here);
        }
    }
}

static void rows_faults(skedi_fault_sink *sink, const skedi_image *image)
{
    for (uint32_t r = 0; r < image->n; r++) {
        skedi_rules_check(sink, (uint32_t)image->id[r]);
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

/* What of a change can bring an error: to the queue, and to its parent. */
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

/* Once for each queue, however many of its children were touched. */
static void check_once(skedi_fault_sink *sink, skedi_draft *draft,
                       uint32_t slot)
{
    if (slot == SKEDI_NO_SLOT || draft->slot[slot].flags & SKEDI_SLOT_SEEN) {
        return;
    }
    draft->slot[slot].flags |= SKEDI_SLOT_SEEN;
    skedi_rules_check(sink, slot);
}

/* The parent, and on upwards through queues that state no guarantee. */
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
