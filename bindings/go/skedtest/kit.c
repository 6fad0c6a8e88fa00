/*
 * The kit of <sched/sked_test.h>, for package skedtest. A property, a division
 * and a manager in Go are handles, which travel through C as `void *`.
 *
 * The judge is linked with package sked.
 */
#define SKED_TEST_IMPLEMENTATION
#include "kit.h"

#include "_cgo_export.h"

static void kit_case(void *arg, sked_test_choices *c, sked_test_story *story)
{
    skedtestCase((uintptr_t)arg, c, story);
}

sked_test_bug *kit_bug(void)
{
    return (sked_test_bug *)calloc(1, sizeof(sked_test_bug));
}

int kit_search(uintptr_t try_case, uint64_t runs, uint64_t seed,
               sked_test_bug *bug)
{
    return sked_test_search(kit_case, (void *)try_case, runs, seed, bug);
}

int kit_bytes(uintptr_t try_case, const uint8_t *data, size_t size,
              sked_test_bug *bug)
{
    return sked_test_bytes(kit_case, (void *)try_case, data, size, bug);
}

int kit_replay(uintptr_t try_case, const uint64_t *choice, size_t n,
               sked_test_bug *bug)
{
    return sked_test_replay(kit_case, (void *)try_case, choice, n, bug);
}

void kit_say(sked_test_story *story, const char *line)
{
    sked_test_say(story, "%s", line);
}

/* ---- Divisions ---- */

static int kit_share(void *arg, int64_t total, const sked_test_claim *claims,
                     size_t n, int64_t *units)
{
    return skedtestShare((uintptr_t)arg, total, (sked_test_claim *)claims, n,
                         units);
}

void kit_division(uintptr_t share, sked_test_choices *c, sked_test_story *story)
{
    sked_test_division_subject subject = {kit_share, (void *)share, 0};

    sked_test_division(&subject, c, story);
}

const char *kit_family(uintptr_t share, int64_t total,
                       const sked_test_claim *claims, size_t n)
{
    sked_test_division_subject subject = {kit_share, (void *)share, 0};

    return sked_test_family(&subject, total, claims, n);
}

/* ---- Managers ---- */

static void *kit_begin(void *arg, const sked_test_cluster *cluster)
{
    return (void *)skedtestBegin((uintptr_t)arg, (sked_test_cluster *)cluster);
}

static void kit_node(void *manager, sked_time now, const sked_test_node *node)
{
    skedtestNode((uintptr_t)manager, now, (sked_test_node *)node);
}

static void kit_submit(void *manager, sked_time now, const sked_test_job *job)
{
    skedtestSubmit((uintptr_t)manager, now, (sked_test_job *)job);
}

static void kit_end(void *manager, sked_time now, const sked_test_end *end)
{
    skedtestEnd((uintptr_t)manager, now, (sked_test_end *)end);
}

static size_t kit_decide(void *manager, sked_time now, sked_test_decision *out,
                         size_t cap)
{
    return skedtestDecide((uintptr_t)manager, now, out, cap);
}

static int kit_why(void *manager, sked_time now, int job)
{
    return skedtestWhy((uintptr_t)manager, now, job);
}

static void kit_finish(void *manager)
{
    skedtestFinish((uintptr_t)manager);
}

void kit_manager(uintptr_t run, uint32_t rules, sked_test_choices *c,
                 sked_test_story *story)
{
    sked_test_manager_subject subject = {
        kit_begin, kit_node, kit_submit,    kit_end, kit_decide,
        kit_why,   kit_finish, (void *)run, rules};

    sked_test_manager(&subject, c, story);
}
