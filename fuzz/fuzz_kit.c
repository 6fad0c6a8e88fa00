/*
 * The kit of <sched/sked_test.h> over a right manager and right divisions. An
 * accusation of a right subject is a fault of the kit.
 */
#define SKED_TEST_IMPLEMENTATION
#include <sched/sked_test.h>

#include "../tests/planted/manager.h"

static int by_largest_remainder(void *arg, int64_t total,
                                const sked_test_claim *claims, size_t n,
                                int64_t *units)
{
    (void)arg;
    sked_test_largest_remainder(total, claims, n, units);
    return 0;
}

static int by_webster(void *arg, int64_t total, const sked_test_claim *claims,
                      size_t n, int64_t *units)
{
    (void)arg;
    sked_test_webster(total, claims, n, units);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sked_test_bug bug;
    enum planted_manager_bug none = PLANTED_NO_BUG;
    sked_test_division_subject division = {by_largest_remainder, NULL, 0};
    sked_test_manager_subject manager;
    sked_test_fn property = sked_test_division;
    void *subject = &division;

    if (size == 0) return 0;
    if (data[0] % 4 == 0) {
        division.share = by_webster;
    } else if (data[0] % 4 != 1) {
        planted_manager(&manager, &none);
        property = sked_test_manager;
        subject = &manager;
    }
    if (sked_test_bytes(property, subject, data + 1, size - 1, &bug) != 0) {
        fputs(bug.story.text, stderr);
        abort();
    }
    return 0;
}
