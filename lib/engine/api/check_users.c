/* What users hold in leaves, how many of their jobs run, which ones wait. */
#include "engine/api/check.h"
#include "engine/alloc.h"
#include "engine/work.h"
#include "engine/reservation.h"
#include "engine/order/keys.h"
#include "engine/budget.h"

/* What others got kill orders for a user to have of a kind. */
static int64_t paid_for_account(const sked_engine *e, uint32_t account,
                                uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *reserved = reservation_at(e, i);
        if (skedi_reservation_account(e, reserved) != account) continue;
        sum += skedi_reservation_paid(e, i, k);
    }
    return sum;
}

static sked_status check_account(const sked_engine *e, uint32_t account,
                                 sked_error *err)
{
    const engine_account *s = account_at(e, account);
    uint32_t p = s->cell % e->parts, row = s->cell / e->parts;
    uint32_t groups = 0, entries = 0;
    int64_t used[SKED_MAX_KINDS] = {0};

    for (uint32_t i = 0; i < e->groups.n; i++) {
        const engine_group *g = group_at(e, i);
        if (g->state == GROUP_FREE_SLOT) continue;
        const engine_ask *a = ask_at(e, g->ask);
        const engine_job *job = job_at(e, a->job);
        if (job->user != s->user || job->row != row ||
            node_at(e, g->node)->partition != p) {
            continue;
        }
        groups++;
        for (uint32_t k = 0; k < e->kinds; k++) {
            used[k] += skedi_group_task(e, g)[k] *
                       skedi_group_times(g, g->count);
        }
    }
    for (uint32_t x = s->first; x != SKEDI_NONE;
         x = entry_at(e, x)->account_next) {
        entries += entry_at(e, x)->account == account;
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (used[k] != engine_row_of(e, &e->account_used, account)[k]) {
            return skedi_engine_broken(err, "what a user holds", account);
        }
        if (paid_for_account(e, account, k) !=
            engine_row_of(e, &e->account_paid, account)[k]) {
            return skedi_engine_broken(err, "what is paid for a user", account);
        }
    }
    if (!e->partition[p].dirty &&
        e->cells[s->cell].lead != skedi_cell_lead(e, s->cell)) {
        return skedi_engine_broken(err, "the kind users count in", account);
    }
    if (groups != s->groups || entries != s->entries) {
        return skedi_engine_broken(err, "tasks and asks of a user", account);
    }
    if (s->blocked && !e->partition[p].dirty &&
        !skedi_account_is_full(e, account)) {
        return skedi_engine_broken(err, "a user blocked for nothing", account);
    }
    return SKED_OK;
}

/* Accounts by user, and the weights of those with open asks by cell. */
static sked_status check_accounts(const sked_engine *e, sked_error *err)
{
    uint64_t listed = 0, weight = 0, cells = 0;

    for (uint32_t u = 0; u < e->users.n; u++) {
        const engine_user *user = (const engine_user *)e->users.item + u;
        for (uint32_t s = user->first_account; s != SKEDI_NONE;
             s = account_at(e, s)->user_next) {
            sked_status rc = check_account(e, s, err);
            if (rc != SKED_OK) return rc;
            listed++;
            if (account_at(e, s)->entries) weight += account_at(e, s)->weight;
        }
    }
    for (size_t c = 0; c < (size_t)e->rows.n * e->parts; c++) {
        cells += e->cells[c].account_weight;
    }
    if (listed != e->accounts.live || weight != cells) {
        return skedi_engine_broken(err, "lists of accounts", e->accounts.live);
    }
    return SKED_OK;
}

sked_status skedi_check_users(const sked_engine *e, sked_error *err)
{
    sked_status rc = check_accounts(e, err);

    for (uint32_t u = 0; rc == SKED_OK && u < e->users.n; u++) {
        const engine_user *user = (const engine_user *)e->users.item + u;
        uint64_t running = 0, waiting = 0, listed = 0;
        for (uint32_t i = 0; i < e->jobs.n; i++) {
            const engine_job *job = job_at(e, i);
            running += job->state == JOB_RUNNING && job->user == u;
            waiting += job->state == JOB_WAITING && job->user == u;
        }
        for (uint32_t i = user->first_waiting; i != SKEDI_NONE;
             i = job_at(e, i)->user_next) {
            listed += job_at(e, i)->user == u;
        }
        if (running != user->running || waiting != listed) {
            rc = skedi_engine_broken(err, "jobs of a user", u);
        }
    }
    for (uint32_t row = 0; rc == SKED_OK && row < e->rows.n; row++) {
        if (!skedi_wait_is_sound(e, row)) {
            rc = skedi_engine_broken(err, "waiting jobs of a queue", row);
        }
    }
    return rc;
}
