/*
 * Who is absent matters to a task in two cases only. Where victims were found,
 * if somebody absent costs no more than all of them: else a place with him
 * costs more. Where none were found, if somebody absent may go at all by the
 * rules and budgets as they stand. Whoever cannot go alone cannot go in a gang
 * either, and what is left to take only shrinks while a plan is made.
 */
#include "preempt/preempt_among.h"

static int absent_may_go(const skedi_book *book, const skedi_absent *a)
{
    const skedi_lot one = {
        .amount = a->amount, .queue = a->queue, .copies = 1, .tasks = 1};

    return skedi_book_room(book, &one, SKED_VICTIM_OVER) > 0;
}

void skedi_absents_ask(skedi_absents *absent, const skedi_book *book,
                       uint32_t request, int64_t cost)
{
    uint32_t own = book->in->request_queue[request];

    for (size_t i = 0; i < absent->n && !absent->matter; i++) {
        const skedi_absent *a = &absent->at[i];
        absent->matter = a->cost <= cost && a->queue != own &&
                         absent_may_go(book, a);
    }
}
