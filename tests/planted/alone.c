/* The kit in a translation unit of its own, for compilers of C99 and C++11. */
#define SKED_TEST_IMPLEMENTATION
#include <sched/sked_test.h>

/* Draws numbers and claims wrongly that their sum is at most `*arg`. */
static void sums_are_small(void *arg, sked_test_choices *c,
                           sked_test_story *story)
{
    uint64_t sum = 0;

    const uint64_t most = *(const uint64_t *)arg;

    while (sked_test_more(c, 8)) {
        sum += sked_test_choose(c, 1000);
        story->size++;
    }
    if (sum > most) story->invariant = "sums_are_small";
    sked_test_say(story, "the sum is %d", (int)sum);
}

/* Claims something wrong of one case of a hundred, whatever the case is. */
static void changes_its_mind(void *arg, sked_test_choices *c,
                             sked_test_story *story)
{
    int *runs = (int *)arg;

    (void)sked_test_choose(c, 3);
    if (++*runs % 100 == 0) story->invariant = "stays_the_same";
}

static sked_test_bug bug, again;

int main(void)
{
    uint64_t most;

    /* The smallest case is one number, by one more than allowed. */
    for (most = 1; most < 300; most++) {
        if (sked_test_search(sums_are_small, &most, 100, 7, &bug) != 1)
            return 9;
        if (bug.n != 2 || bug.choice[1] != most + 1) return 10;
    }
    most = 100;
    if (sked_test_search(sums_are_small, &most, 100, 7, &bug) != 1) return 1;
    if (bug.size != 1 || bug.n != 2 || bug.choice[1] != 101) return 2;
    if (!strstr(bug.story.text, "the sum is 101\n")) return 3;
    if (sked_test_replay(sums_are_small, &most, bug.choice, bug.n, &again) != 1)
        return 4;
    if (again.size != 1 || again.n != 2 || again.shrinks != 0) return 5;
    bug.choice[1] = 100;
    if (sked_test_replay(sums_are_small, &most, bug.choice, bug.n, &again) != 0)
        return 6;
    /* Bytes: more, 0x0300 % 1001, more, 0x0201 % 1001, no more. */
    const uint8_t bytes[] = {1, 3, 0, 1, 2, 1, 0};
    if (sked_test_bytes(sums_are_small, &most, bytes, sizeof bytes, &again) !=
        1)
        return 7;
    if (again.size != 1 || again.choice[1] != 101) return 8;
    int runs = 0;
    if (sked_test_search(changes_its_mind, &runs, 300, 7, &bug) != 1) return 11;
    if (bug.runs != 100 || bug.shrinks != 0) return 12;
    if (strcmp(bug.invariant, "same_again") != 0) return 13;
    if (!strstr(bug.story.text, "stays_the_same once, and not")) return 14;
    return sked_test_bytes(sums_are_small, &most, bytes, 0, &again);
}
