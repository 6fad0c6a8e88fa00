/* Writing changes down: their records and their texts. */
#include "diff/plan.h"
#include "tree/path_text.h"

enum { DIFF_CHECK = 4096 };

skedi_writer skedi_diff_text_start(const sked_diff *diff)
{
    skedi_writer w = {diff->bytes + diff->bytes_used,
                      diff->bytes_cap - diff->bytes_used, 0};

    return w;
}

int skedi_diff_text_end(sked_diff *diff, const skedi_writer *w, size_t *at,
                        sked_status *rc)
{
    void *bytes = diff->bytes;
    size_t used = diff->bytes_used;

    if (w->n == 0) { /* the empty text is there */
        *at = 0;
        return 1;
    }
    if (w->n < w->cap) {
        diff->bytes[used + w->n] = 0;
        diff->bytes_used += w->n + 1;
        *at = used;
        return 1;
    }
    if (!skedi_ensure(&diff->hooks.mem, &bytes, &diff->bytes_cap,
                      used + w->n + 1, 1)) {
        *rc = SKED_ERR_NOMEM;
        return 1;
    }
    diff->bytes = bytes;
    return 0;
}

/* Names from `node` up to the root, then down again into the text. */
static void write_node_path(skedi_writer *w, const skedi_diff_plan *plan,
                            uint32_t node)
{
    uint32_t above[4 * SKED_MAX_DEPTH]; /* deeper than any step can go */
    size_t n = 0;

    for (; node != 0; node = plan->node[node].parent) above[n++] = node;
    skedi_write_name(w, plan->node[0].name, 1);
    while (n-- > 0) {
        skedi_write_char(w, '.');
        skedi_write_name(w, plan->node[above[n]].name, 1);
    }
}

size_t skedi_diff_path(skedi_diff_plan *plan, uint32_t node, const char *name)
{
    skedi_writer w;
    size_t at = 0;

    do {
        w = skedi_diff_text_start(plan->diff);
        write_node_path(&w, plan, node);
        if (name) skedi_write_char(&w, '.');
        if (name) skedi_write_name(&w, name, 1);
    } while (plan->rc == SKED_OK &&
             !skedi_diff_text_end(plan->diff, &w, &at, &plan->rc));
    return at;
}

void skedi_diff_emit(skedi_diff_plan *plan, skedi_diff_record record)
{
    sked_diff *diff = plan->diff;
    void *records = diff->record;

    if (plan->rc != SKED_OK) return;
    if (!skedi_ensure(&diff->hooks.mem, &records, &diff->cap, diff->n + 1,
                      sizeof record)) {
        plan->rc = SKED_ERR_NOMEM;
        return;
    }
    diff->record = records;
    diff->record[diff->n++] = record;
}

void skedi_diff_check(skedi_diff_plan *plan)
{
    /* Three passes over the new rows, one over the old, one for attributes. */
    uint64_t total = 4 * (uint64_t)plan->now->n + plan->old->n;

    if (++plan->steps % DIFF_CHECK != 0) return;
    plan->rc = skedi_hooks_check(&plan->diff->hooks, plan->steps, total);
}
