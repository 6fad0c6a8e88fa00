/*
 * Parallel for. With n items and T threads, thread t runs the items from n * t
 * / T to n * (t + 1) / T. This division is fixed before any thread runs. The
 * calling thread counts as a thread, and also runs the items of every thread
 * that could not be started.
 */
#include "base/par.h"

#include <pthread.h>

enum { THREADS_MOST = 64 };

typedef struct par_share {
    sked_task_fn fn;
    void *arg;
    size_t from;
    size_t to;
} par_share;

static void *run_share(void *arg)
{
    const par_share *s = arg;

    for (size_t i = s->from; i < s->to; i++) s->fn(s->arg, i);
    return NULL;
}

/* n * t / count without overflow of 64-bit or 32-bit size_t. */
static size_t share_start(size_t n, size_t t, size_t count)
{
    return n / count * t + n % count * t / count;
}

static void run_threads(size_t n, size_t count, sked_task_fn fn, void *arg)
{
    par_share share[THREADS_MOST];
    pthread_t thread[THREADS_MOST];
    size_t started = 1;

    for (size_t t = 0; t < count; t++) {
        share[t] = (par_share){fn, arg, share_start(n, t, count),
                               share_start(n, t + 1, count)};
    }
    while (started < count && pthread_create(&thread[started], NULL, run_share,
                                             &share[started]) == 0) {
        started++;
    }
    (void)run_share(&share[0]);
    for (size_t t = started; t < count; t++) (void)run_share(&share[t]);
    for (size_t t = 1; t < started; t++) (void)pthread_join(thread[t], NULL);
}

sked_status skedi_par_for(const skedi_hooks *hooks, size_t n, sked_task_fn fn,
                          void *arg)
{
    const sked_host *host = &hooks->host;
    size_t count = host->threads < THREADS_MOST ? host->threads : THREADS_MOST;

    if (host->parallel && n > 1) {
        sked_status said = host->parallel(host->user, n, fn, arg);
        return said == SKED_OK ? SKED_OK : skedi_hooks_stop(said);
    }
    if (count > n) count = n;
    if (count < 1) count = 1;
    run_threads(n, count, fn, arg);
    return SKED_OK;
}
