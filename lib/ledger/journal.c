/*
 * The journal of a ledger: a ring buffer of the last leaves that changed. What
 * is computed from a ledger (shares, say) reads only these to be brought up to
 * date. Each reader keeps a mark of its own, so there may be any number of
 * them.
 *
 * A mark has the chain, a running hash over all changes so far. A reader that
 * is handed another ledger, by mistake or by intent (a copy that was changed on
 * its own, say), finds that its mark is not in that journal, and reads
 * everything.
 */
#include "ledger/handle.h"

void skedi_ledger_note(sked_ledger *ledger, uint32_t slot,
                       skedi_ledger_said said, uint64_t says)
{
    skedi_ledger_slot *of = &ledger->live.slots[slot];
    uint64_t at = ledger->now.sequence++;

    if (at - ledger->oldest.sequence > ledger->mask) {
        ledger->oldest.chain = ledger->journal[at & ledger->mask].chain;
        ledger->oldest.sequence++;
    }
    ledger->now.chain = skedi_ledger_stir(ledger->now.chain ^ of->row, says);
    ledger->journal[at & ledger->mask] = (skedi_ledger_entry){
        ledger->now.chain, of->row, slot, said};
    of->latest = (uint32_t)at;
}

void skedi_ledger_note_all(sked_ledger *ledger, uint64_t says)
{
    ledger->now.chain = skedi_ledger_stir(ledger->now.chain, says);
    ledger->now.sequence++;
    ledger->oldest = ledger->now;
}

/* What the chain was after so many entries, if that is still known. */
static int chain_at(const sked_ledger *ledger, uint64_t sequence,
                    uint64_t *chain)
{
    if (sequence < ledger->oldest.sequence || sequence > ledger->now.sequence) {
        return 0;
    }
    *chain = sequence == ledger->oldest.sequence
                 ? ledger->oldest.chain
                 : ledger->journal[(sequence - 1) & ledger->mask].chain;
    return 1;
}

uint64_t skedi_ledger_entries_since(const sked_ledger *ledger,
                                    skedi_ledger_mark mark)
{
    uint64_t chain;

    if (!chain_at(ledger, mark.sequence, &chain) || chain != mark.chain) {
        return SKEDI_LEDGER_LOST;
    }
    return ledger->now.sequence - mark.sequence;
}

int skedi_ledger_changes_since(const sked_ledger *ledger,
                               skedi_ledger_mark mark, uint32_t *rows,
                               size_t cap, size_t *n)
{
    *n = 0;
    if (skedi_ledger_entries_since(ledger, mark) == SKEDI_LEDGER_LOST) return 0;
    for (uint64_t e = mark.sequence; e < ledger->now.sequence; e++) {
        const skedi_ledger_entry *entry = &ledger->journal[e & ledger->mask];
        uint32_t latest = ledger->live.slots[entry->slot].latest;
        if (latest != (uint32_t)e) continue; /* named again later */
        if (*n == cap) return 0;
        rows[(*n)++] = entry->row;
    }
    return 1;
}
