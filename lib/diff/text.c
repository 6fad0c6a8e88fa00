/* A diff as lines for people. */
#include <string.h>

#include "diff/handle.h"
#include "tree/text/value.h"

static const char nothing_set[] = "default";

/* A value as a line of the text form has it; the word alone means none. */
static void write_side(skedi_writer *w, const char *value)
{
    if (!*value) {
        skedi_write_text(w, nothing_set);
    } else if (strcmp(value, nothing_set) == 0) {
        skedi_write_char(w, '"');
        skedi_write_text(w, value);
        skedi_write_char(w, '"');
    } else {
        skedi_write_value(w, value);
    }
}

static void write_change(skedi_writer *w, const sked_diff *diff,
                         const skedi_diff_record *record)
{
    static const char sign[] = " +->~"; /* by enum sked_diff_op */

    skedi_write_char(w, sign[record->op]);
    skedi_write_char(w, ' ');
    skedi_write_text(w, diff->bytes + record->path);
    if (record->op == SKED_DIFF_MOVE) {
        skedi_write_char(w, ' ');
        skedi_write_text(w, diff->bytes + record->after);
    }
    if (record->op == SKED_DIFF_SET) {
        skedi_write_char(w, ' ');
        skedi_write_text(w, diff->bytes + record->key);
        skedi_write_text(w, ": ");
        write_side(w, diff->bytes + record->before);
        skedi_write_text(w, " -> ");
        write_side(w, diff->bytes + record->after);
    }
    skedi_write_char(w, '\n');
}

sked_status sked_diff_format(const sked_diff *diff, char *text, size_t cap,
                             size_t *n)
{
    skedi_writer w = {text, cap, 0};

    if (n) *n = 0;
    if (!diff || (!text && cap > 0)) return SKED_ERR_ARG;
    for (size_t i = 0; i < diff->n; i++) {
        write_change(&w, diff, &diff->record[i]);
    }
    if (n) *n = w.n;
    return skedi_write_end(&w);
}
