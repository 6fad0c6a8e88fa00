/*
 * Removes queues that may be busy: the call refuses, or lets busy queues drain
 * in place. A queue stays if the queue is busy or a queue below stayed.
 */
#include "ledger/handle.h"
#include "tree/handle.h"

/* True if a leaf is busy; a parent has only the sums of its children. */
static int is_busy(const sked_ledger *ledger, sked_queue_id id)
{
    uint32_t row = skedi_ledger_row_of(ledger, id);

    return row != SKEDI_NO_ROW && ledger->live.rows[row].leaf &&
           skedi_ledger_is_busy(ledger, row);
}

/* The first busy queue from `top` on, SKEDI_NO_SLOT: none. */
static uint32_t first_busy(const sked_tree *tree, const sked_ledger *ledger,
                           uint32_t top)
{
    uint32_t s = top;

    if (!ledger) return SKEDI_NO_SLOT;
    while (s != SKEDI_NO_SLOT &&
           !is_busy(ledger, skedi_slot_id(&tree->draft, s))) {
        s = skedi_draft_next(&tree->draft, top, s, 0);
    }
    return s;
}

/* The first queue from `top` on whose id means a different queue in the ledger;
 * SKEDI_NO_SLOT: none. */
static uint32_t first_foreign(const sked_tree *tree, const sked_ledger *ledger,
                              uint32_t top)
{
    const skedi_draft *draft = &tree->draft;

    if (!ledger) return SKEDI_NO_SLOT;
    for (uint32_t s = top; s != SKEDI_NO_SLOT;
         s = skedi_draft_next(draft, top, s, 0)) {
        uint32_t row = skedi_ledger_row_of(ledger, skedi_slot_id(draft, s));
        if (row == SKEDI_NO_ROW) continue;
        if (ledger->live.rows[row].birth != draft->slot[s].birth) return s;
    }
    return SKEDI_NO_SLOT;
}

/* Drops each idle queue with no remaining child; sets the other queues to
 * DRAINING. */
static void drain(sked_tree *tree, const sked_ledger *ledger, uint32_t top)
{
    const skedi_draft *draft = &tree->draft;

    for (uint32_t s = skedi_draft_lowest(draft, top), next; s != SKEDI_NO_SLOT;
         s = next) {
        next = skedi_draft_upward(draft, top, s);
        if (draft->slot[s].n_children ||
            is_busy(ledger, skedi_slot_id(draft, s))) {
            skedi_tree_number_put(tree, s, SKEDI_AT_STATE, SKED_STATE_DRAINING);
        } else {
            skedi_tree_drop(tree, s);
        }
    }
}

static sked_status remove_check(const sked_tree *tree, sked_queue_id queue,
                                int32_t mode, uint32_t *slot, sked_error *err)
{
    skedi_fault at = {.queue = queue};

    if (!tree) return skedi_fail_null(err, "tree");
    if (mode != SKED_TREE_REMOVE_REFUSE && mode != SKED_TREE_REMOVE_DRAIN) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such mode");
    }
    if (queue == skedi_slot_id(&tree->draft, 0)) {
        return skedi_fail(err, SKED_ERR_ARG, "the root stays", at);
    }
    return skedi_tree_open(tree, queue, 0, slot, err);
}

sked_status sked_tree_remove(sked_tree *tree, sked_queue_id queue,
                             const struct sked_ledger *ledger, int32_t mode,
                             sked_error *err)
{
    uint32_t slot;
    sked_status rc = remove_check(tree, queue, mode, &slot, err);

    if (rc != SKED_OK) return rc;
    uint32_t foreign = first_foreign(tree, ledger, slot);
    if (foreign != SKEDI_NO_SLOT) {
        skedi_fault at = {.queue = skedi_slot_id(&tree->draft, foreign)};
        return skedi_fail(err, SKED_ERR_STATE, "the ledger is of another tree",
                          at);
    }
    uint32_t busy = first_busy(tree, ledger, slot);
    if (busy == SKEDI_NO_SLOT) {
        skedi_tree_cut(tree, slot);
        return SKED_OK;
    }
    if (mode == SKED_TREE_REMOVE_REFUSE) {
        skedi_fault at = {.queue = skedi_slot_id(&tree->draft, busy)};
        return skedi_fail(err, SKED_ERR_STATE, "queue is busy", at);
    }
    if (!skedi_draft_number_ensure(&tree->draft, &tree->hooks.mem,
                                   SKEDI_AT_STATE)) {
        return skedi_fail_memory(err);
    }
    drain(tree, ledger, slot);
    return SKED_STOPPED;
}
