/*
 * A scheduler of 100 lines with a bug, and the test that finds the bug.
 *
 * The scheduler starts jobs in the order of submission on the first node that
 * fits. The bug: a failed task waits again, but stays charged on the node.
 * The same file is a fuzz target: compile with -fsanitize=fuzzer -DFUZZER.
 */
#define SKED_TEST_IMPLEMENTATION
#include <sched/sked_test.h>

/* ---- The scheduler ---- */

typedef struct fifo {
    int nodes, jobs;
    sked_test_node node[SKED_TEST_NODES];
    int64_t used[SKED_TEST_NODES];
    sked_test_job job[SKED_TEST_JOBS];
} fifo;

static void *fifo_begin(void *arg, const sked_test_cluster *cluster)
{
    (void)arg;
    (void)cluster;
    return calloc(1, sizeof(fifo));
}

static void fifo_node(void *manager, sked_time now, const sked_test_node *node)
{
    fifo *f = (fifo *)manager;

    (void)now;
    if (node->node > f->nodes) f->nodes = node->node;
    f->node[node->node] = *node;
}

static void fifo_submit(void *manager, sked_time now, const sked_test_job *job)
{
    fifo *f = (fifo *)manager;

    (void)now;
    if (job->job > f->jobs) f->jobs = job->job;
    f->job[job->job] = *job;
}

static void fifo_end(void *manager, sked_time now, const sked_test_end *end)
{
    fifo *f = (fifo *)manager;
    sked_test_job *job = &f->job[end->job];

    (void)now;
    switch (end->how) {
    case SKED_TEST_CANCEL: job->waiting -= end->count; break;
    case SKED_TEST_DONE:
        f->used[end->node] -= job->amounts[0] * end->count;
        break;
    case SKED_TEST_LOST:
        /* The bug: `used` of the node stays. */
        job->waiting += end->count;
        break;
    }
}

/* Starts a task on the first node that fits. */
static int fifo_start(fifo *f, sked_test_job *job, sked_test_decision *out)
{
    for (int n = 1; n <= f->nodes; n++) {
        if (f->node[n].state != SKED_TEST_UP) continue;
        if (f->used[n] + job->amounts[0] > f->node[n].amounts[0]) continue;
        sked_test_decision start = {SKED_TEST_START, job->job, n, 1, 0, 0};
        *out = start;
        f->used[n] += job->amounts[0];
        job->waiting--;
        return 1;
    }
    return 0;
}

static size_t fifo_decide(void *manager, sked_time now, sked_test_decision *out,
                          size_t cap)
{
    fifo *f = (fifo *)manager;
    size_t n = 0;

    (void)now;
    for (int i = 1; i <= f->jobs; i++) {
        while (f->job[i].waiting > 0 && n < cap &&
               fifo_start(f, &f->job[i], &out[n])) {
            n++;
        }
    }
    return n;
}

/* ---- The test ---- */

/* The scheduler knows nodes and one kind, and promises nothing about queues. */
static sked_test_manager_subject subject = {.begin = fifo_begin,
                                            .node = fifo_node,
                                            .submit = fifo_submit,
                                            .end = fifo_end,
                                            .decide = fifo_decide,
                                            .finish = free,
                                            .rules = SKED_TEST_CAPACITY};
static sked_test_bug bug;

#ifdef FUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (sked_test_bytes(sked_test_manager, &subject, data, size, &bug) == 1) {
        fputs(bug.story.text, stderr);
        abort();
    }
    return 0;
}
#else
int main(void)
{
    int found = sked_test_search(sked_test_manager, &subject, 10000, 1, &bug);

    fputs(bug.story.text, stdout);
    return found == 1 ? 0 : 1;
}
#endif
