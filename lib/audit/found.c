/*
 * Stores anomalies and formats them.
 *
 * An anomaly lists at most SKED_MAX_AUDIT_STORY rows, sorted and without
 * duplicates. If the list is full, a new row is dropped. Callers therefore add
 * the proof of the anomaly first and further rows last.
 */
#include "audit/state.h"

#include "base/text.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_audit_anomaly, row);

enum { ANOMALY_V1 = SKEDI_SIZE_THROUGH(sked_audit_anomaly, row) };

void skedi_audit_tell(sked_audit_anomaly *story, uint64_t row)
{
    uint32_t n = story->rows, at = n;

    if (row == SKEDI_AUDIT_NO_ROW) return;
    for (uint32_t i = 0; i < n; i++) {
        if (story->row[i] == row) return;
    }
    if (n == SKED_MAX_AUDIT_STORY) return;
    while (at > 0 && story->row[at - 1] > row) {
        story->row[at] = story->row[at - 1];
        at--;
    }
    story->row[at] = row;
    story->rows = n + 1;
}

void skedi_audit_report(sked_audit *a, sked_audit_anomaly *story)
{
    uint64_t most = a->options.most;

    a->count[0]++;
    a->count[story->code]++;
    if (a->found.n >= most || a->found.n == UINT32_MAX) return;
    void *at = a->found.at;
    int ok = skedi_ensure(&a->hooks.mem, &at, &a->found.cap,
                          (size_t)a->found.n + 1, sizeof *a->found.at);
    a->found.at = at;
    if (!ok) {
        a->starved = 1; /* counted but not stored, see sked_audit_add() */
        return;
    }
    story->struct_size = sizeof *story;
    a->found.at[a->found.n++] = *story;
}

uint64_t sked_audit_rows(const sked_audit *audit)
{
    return audit ? audit->rows : 0;
}

uint64_t sked_audit_count(const sked_audit *audit, int32_t code)
{
    return audit && code >= 0 && code < SKED_MAX_AUDIT_CODES
               ? audit->count[code]
               : 0;
}

sked_status sked_audit_get(const sked_audit *audit, size_t i,
                           sked_audit_anomaly *anomaly)
{
    if (!audit || !anomaly) return SKED_ERR_ARG;
    uint32_t size = anomaly->struct_size;
    sked_status rc = skedi_struct_out(size, ANOMALY_V1);
    if (rc != SKED_OK) return rc;
    if (i >= audit->found.n) return SKED_ERR_RANGE;
    *anomaly = audit->found.at[i];
    anomaly->struct_size = size;
    return SKED_OK;
}

/* Name and line of text of each code. Placeholders in a line: `$s` subject,
 * `$o` other, `$t` tasks, `$g` got, `$l` limit, `$k` kind, `$d` duration in
 * ns. */
static const struct {
    const char *name;
    const char *line;
} audit_words[SKED_MAX_AUDIT_CODES] = {
    [0] = {"unknown", ""},
    [SKED_AUDIT_CODE_NODE_OVER] = {"node_over", "node $s holds $g of $l$k"},
    [SKED_AUDIT_CODE_QUEUE_OVER] = {"queue_over", "queue $s holds $g of $l$k"},
    [SKED_AUDIT_CODE_USER_OVER] = {"user_over",
                                   "user $s holds $g of $l$k in queue $o"},
    [SKED_AUDIT_CODE_GANG_PART] = {"gang_part",
                                   "job $s runs $g tasks of a gang of $l"},
    [SKED_AUDIT_CODE_GUARANTEE_UNSERVED] =
        {"guarantee_unserved", "queue $s has $g of $l guaranteed$k for $d ns "
                               "and tasks $t wait, while queue $o has more"},
    [SKED_AUDIT_CODE_PRIORITY_INVERSION] =
        {"priority_inversion", "tasks $s of priority $l wait for $d ns while "
                               "tasks $o of priority $g start"},
    [SKED_AUDIT_CODE_ORDER_BROKEN] =
        {"order_broken",
         "tasks $s wait for $d ns while tasks $o behind them start"},
    [SKED_AUDIT_CODE_KILL_IN_VAIN] =
        {"kill_in_vain",
         "$g tasks $s were killed on node $o and nothing needed it"},
    [SKED_AUDIT_CODE_KILLS_IN_TURNS] =
        {"kills_in_turns", "tasks $s and tasks $o end each other in $g turns"},
    [SKED_AUDIT_CODE_SHARES_OFF] =
        {"shares_off", "queue $s holds $g and its tasks $t wait for $d ns, "
                       "while queue $o with $l$k starts more"},
    [SKED_AUDIT_CODE_RESERVED_LATE] =
        {"reserved_late", "tasks $s were to start by $l and are $g ns late"},
    [SKED_AUDIT_CODE_WORK_LOST] = {"work_lost", "$g tasks $s are lost with $o"},
    [SKED_AUDIT_CODE_WORK_DOUBLED] =
        {"work_doubled", "$g tasks $s start on node $o where $l wait"},
    [SKED_AUDIT_CODE_WORK_UNKNOWN] =
        {"work_unknown", "$g tasks $s end on node $o where $l run"},
    [SKED_AUDIT_CODE_NODE_UNFIT] =
        {"node_unfit", "tasks $t run on node $s, which may not run them"},
    [SKED_AUDIT_CODE_NODE_IDLE] =
        {"node_idle", "tasks $t wait for $d ns while they fit on node $s"},
};

const char *sked_audit_name(int32_t code)
{
    return audit_words[code > 0 && code < SKED_MAX_AUDIT_CODES ? code : 0].name;
}

/* Writes the value of a placeholder. */
static void audit_write_part(skedi_writer *w, const sked_audit_anomaly *x,
                             char letter)
{
    switch (letter) {
    case 's': skedi_write_u64(w, x->subject); break;
    case 'o': skedi_write_u64(w, x->other); break;
    case 't': skedi_write_u64(w, x->tasks); break;
    case 'g': skedi_write_i64(w, x->got); break;
    case 'l': skedi_write_i64(w, x->limit); break;
    case 'd': skedi_write_u64(w, (uint64_t)x->at - (uint64_t)x->from); break;
    default:
        if (x->kind < 0) break;
        skedi_write_text(w, " of kind ");
        skedi_write_i64(w, x->kind);
    }
}

sked_status sked_audit_format(const sked_audit *audit, size_t i, char *text,
                              size_t cap, size_t *n)
{
    skedi_writer w = {text, cap, 0};

    if (n) *n = 0;
    if (!audit || (!text && cap > 0)) return SKED_ERR_ARG;
    if (i >= audit->found.n) return SKED_ERR_RANGE;
    const sked_audit_anomaly *x = &audit->found.at[i];
    skedi_write_text(&w, audit_words[x->code].name);
    skedi_write_text(&w, " at ");
    skedi_write_i64(&w, x->at);
    skedi_write_text(&w, ": ");
    for (const char *c = audit_words[x->code].line; *c; c++) {
        if (*c == '$') {
            audit_write_part(&w, x, *++c);
        } else {
            skedi_write_char(&w, *c);
        }
    }
    skedi_write_text(&w, " (rows");
    for (uint32_t r = 0; r < x->rows; r++) {
        skedi_write_char(&w, ' ');
        skedi_write_u64(&w, x->row[r]);
    }
    skedi_write_char(&w, ')');
    if (n) *n = w.n;
    return skedi_write_end(&w);
}
