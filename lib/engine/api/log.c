/* Every line is made of the record alone, so equal records give equal lines. */
#include "engine/api/log.h"

#include "base/text.h"
#include "engine/decision.h"
#include "engine/preempt/rounds.h"
#include "target/handle.h"

enum { LOG_LINE = 512 };

static void write_field(skedi_writer *w, const char *name, uint64_t value)
{
    if (!value) return;
    skedi_write_char(w, ' ');
    skedi_write_text(w, name);
    skedi_write_char(w, '=');
    skedi_write_u64(w, value);
}

static void write_signed(skedi_writer *w, const char *name, int64_t value)
{
    skedi_write_char(w, ' ');
    skedi_write_text(w, name);
    skedi_write_char(w, '=');
    skedi_write_i64(w, value);
}

static void send_line(const sked_engine *e, uint32_t level, skedi_writer *w)
{
    const sked_host *host = &e->hooks.host;

    (void)skedi_write_end(w); /* a line holds all its fields */
    host->log(host->user, (int32_t)level, w->text);
}

static const char *decision_name(int32_t kind)
{
    static const char *const names[] = {[SKED_DECISION_ADMIT] = "admit",
                                        [SKED_DECISION_REJECT] = "reject",
                                        [SKED_DECISION_ALLOCATE] = "allocate",
                                        [SKED_DECISION_RESERVE] = "reserve",
                                        [SKED_DECISION_NOTIFY] = "notify",
                                        [SKED_DECISION_KILL] = "kill",
                                        [SKED_DECISION_WITHDRAW] = "withdraw",
                                        [SKED_DECISION_EXPIRE] = "expire",
                                        [SKED_DECISION_REQUEUE] = "requeue",
                                        [SKED_DECISION_LOST] = "lost"};

    return names[kind];
}

/* What a host did not ask for, or did not answer, is a warning. */
static uint32_t decision_level(int32_t kind)
{
    int odd = kind == SKED_DECISION_REJECT || kind == SKED_DECISION_EXPIRE ||
              kind == SKED_DECISION_LOST;

    return odd ? SKED_LOG_WARNING : SKED_LOG_INFO;
}

static void log_decision(const sked_engine *e, const sked_decision *d)
{
    char line[LOG_LINE];
    skedi_writer w = {line, sizeof line, 0};

    skedi_write_text(&w, "decision ");
    skedi_write_u64(&w, d->sequence);
    skedi_write_text(&w, " at ");
    skedi_write_i64(&w, d->time);
    skedi_write_text(&w, ": ");
    skedi_write_text(&w, decision_name(d->kind));
    write_field(&w, "job", d->job);
    write_field(&w, "ask", d->ask);
    write_field(&w, "node", d->node);
    write_field(&w, "group", d->group);
    if (d->count > 0) {
        write_signed(&w, "task", d->task);
        write_signed(&w, "count", d->count);
    }
    if (d->detail != 0) write_signed(&w, "until", d->detail);
    if (d->reason != SKED_REASON_NONE) {
        skedi_write_text(&w, ": ");
        skedi_write_text(&w, sked_reason_name(d->reason));
    }
    send_line(e, decision_level(d->kind), &w);
}

void skedi_log_decisions(sked_engine *e)
{
    if (!skedi_log_wants(e, SKED_LOG_WARNING)) return;
    skedi_out_close(e); /* what was said grows no more */
    for (; e->logged < e->out_next; e->logged++) {
        const sked_decision *d = &e->out[e->logged & (e->out_cap - 1)];
        if (skedi_log_wants(e, decision_level(d->kind))) log_decision(e, d);
    }
}

void skedi_log_refusal(const sked_engine *e, uint64_t row,
                       const sked_event *event, const sked_error *why)
{
    char line[LOG_LINE];
    skedi_writer w = {line, sizeof line, 0};

    skedi_write_text(&w, "row ");
    skedi_write_u64(&w, row);
    skedi_write_text(&w, " refused: event");
    write_signed(&w, "kind", event->kind);
    write_field(&w, "key", event->key);
    write_signed(&w, "time", event->time);
    skedi_write_text(&w, ": ");
    skedi_write_text(&w, sked_status_name(why->code));
    skedi_write_text(&w, ": ");
    skedi_write_text(&w, why->message);
    send_line(e, SKED_LOG_WARNING, &w);
}

static void log_note(const sked_engine *e, const char *text)
{
    char line[LOG_LINE];
    skedi_writer w = {line, sizeof line, 0};

    skedi_write_text(&w, "note: ");
    skedi_write_text(&w, text);
    send_line(e, SKED_LOG_INFO, &w);
}

static int goes_by_entitlement(const sked_engine *e)
{
    for (uint32_t i = 0; i < e->preempt->policies; i++) {
        if (e->preempt->target[i]->options.mode ==
            SKED_TARGET_MODE_ENTITLEMENT) {
            return 1;
        }
    }
    return 0;
}

void skedi_log_notes(const sked_engine *e)
{
    uint32_t both = SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY;

    if (!e->preempt || !skedi_log_wants(e, SKED_LOG_INFO)) return;
    if (e->rows.tagged > 0 && goes_by_entitlement(e)) {
        log_note(e, "preemption by entitlement below order deficit, which "
                    "shares turns: tasks are killed as long as others end");
    }
    if ((e->preempt->opts.flags & both) == both) {
        log_note(e, "preemption by user and by priority: a leaf with both "
                    "weighs its tasks by two orders");
    }
}
