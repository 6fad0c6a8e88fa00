/* What every part of the reader does: faults are told, room is made. */
#include "tree/text/reading.h"

sked_fault skedi_reading_fault(const skedi_reading *r, int32_t code,
                               const skedi_span *span, size_t i)
{
    skedi_span at = skedi_span_tail(span, skedi_span_raw(span, i));
    sked_fault fault = {
        .code = code,
        .severity = SKED_SEVERITY_ERROR,
        .queue = r->known,
        .kind = -1,
        .line = at.line,
        .column = at.column,
    };

    return fault;
}

void skedi_reading_tell(skedi_reading *r, sked_fault fault)
{
    if (r->n == 0) r->first = fault;
    if (r->n < r->cap) r->faults[r->n] = fault;
    r->n++;
}

void skedi_reading_tell_byte(skedi_reading *r, const skedi_span *span)
{
    sked_fault fault = skedi_reading_fault(r, SKED_FAULT_SYNTAX, span, 0);

    fault.got = skedi_lex_byte(&r->lex, span);
    skedi_reading_tell(r, fault);
}

void skedi_reading_tell_end(skedi_reading *r, const skedi_span *span)
{
    skedi_span end = skedi_span_tail(span, span->length);

    skedi_reading_tell_byte(r, &end);
}

sked_status skedi_reading_room(skedi_reading *r, size_t bytes)
{
    void *at = r->decoded;

    if (!skedi_ensure(&r->tree->hooks.mem, &at, &r->decoded_cap, bytes + 2,
                      1)) {
        return skedi_fail_plain(r->err, SKED_ERR_NOMEM, "no room for a word");
    }
    r->decoded = at;
    return SKED_OK;
}
