/*
 * Tries the kit of <sched/sked_test.h> on planted bugs: each wrong division and
 * each wrong manager must be found, and the right ones must pass.
 *
 *     planted [--table] [--seed N] [--runs N] [--right N] [NAME...]
 *
 * With --table, prints rows of the table in docs/testing-your-scheduler.md.
 * Exit status 1 when a bug is not found or a right subject is accused.
 */
#define SKED_TEST_IMPLEMENTATION
#include <sched/sked_test.h>

#include <time.h>

#include "division.h"
#include "manager.h"

typedef struct options {
    int table;
    uint64_t seed, runs, right;
    char **names;
    int n_names;
} options;

static sked_test_bug found;

/* A property that notes when a case fails first. */
typedef struct timed {
    sked_test_fn property;
    void *arg;
    clock_t began, failed;
} timed;

static void try_timed(void *arg, sked_test_choices *c, sked_test_story *story)
{
    timed *t = (timed *)arg;

    t->property(t->arg, c, story);
    if (story->invariant && t->failed == 0) t->failed = clock();
}

static int is_wanted(const options *o, const char *name)
{
    for (int i = 0; i < o->n_names; i++) {
        if (strcmp(o->names[i], name) == 0) return 1;
    }
    return o->n_names == 0;
}

/* Tries one subject; returns 1 when the result is not the expected one. */
static int try_one(const options *o, const char *kit, const char *name,
                   sked_test_fn property, void *arg)
{
    int is_right = strncmp(name, "right", 5) == 0;

    if (!is_wanted(o, name)) return 0;
    timed t = {property, arg, clock(), 0};
    int got = sked_test_search(try_timed, &t, is_right ? o->right : o->runs,
                               o->seed, &found);
    if (t.failed == 0) t.failed = clock();
    double seconds = (double)(t.failed - t.began) / CLOCKS_PER_SEC;
    if (o->table && !is_right && got == 1) {
        printf("| %s | C %s | %s | %llu | %.2f | %d |\n", name, kit,
               found.invariant, (unsigned long long)found.runs, seconds,
               (int)found.size);
    } else if (!o->table) {
        printf("%-30s %-9s %-28s %6llu runs %6llu shrinks %6.2f s  size %d\n",
               name, kit, got == 1 ? found.invariant : "-",
               (unsigned long long)found.runs,
               (unsigned long long)found.shrinks, seconds, (int)found.size);
    }
    if (got == !is_right) {
        if (o->n_names > 0) printf("%s\n", found.story.text);
        return 0;
    }
    fprintf(stderr, "%s: %s\n%s\n", name,
            is_right ? "is right, and was accused" : "not found",
            found.story.text);
    return 1;
}

static int try_managers(const options *o)
{
    static const char *const names[] = {"right_manager",
#define NAME(name) #name,
                                        PLANTED_MANAGERS(NAME)
#undef NAME
    };
    sked_test_manager_subject subject;
    enum planted_manager_bug bug;
    int missed = 0;

    planted_manager(&subject, &bug);
    for (int i = 0; i < PLANTED_BUGS; i++) {
        bug = (enum planted_manager_bug)i;
        missed += try_one(o, "manager", names[i], sked_test_manager, &subject);
    }
    return missed;
}

static int try_divisions(const options *o)
{
    int missed = 0;

    for (size_t i = 0; i < planted_divisions_n; i++) {
        sked_test_division_subject subject = {planted_divisions[i].share, NULL,
                                              0};
        missed += try_one(o, "division", planted_divisions[i].name,
                          sked_test_division, &subject);
    }
    return missed;
}

int main(int argc, char **argv)
{
    options o = {0, 0, 200000, 300, NULL, 0};
    int i = 1;

    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--table") == 0) {
            o.table = 1;
        } else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0) {
            o.seed = strtoull(argv[++i], NULL, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--runs") == 0) {
            o.runs = strtoull(argv[++i], NULL, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--right") == 0) {
            o.right = strtoull(argv[++i], NULL, 10);
        } else {
            fprintf(stderr, "planted: no option %s\n", argv[i]);
            return 2;
        }
    }
    o.names = argv + i;
    o.n_names = argc - i;
    int missed = try_divisions(&o) + try_managers(&o);
    return missed ? 1 : 0;
}
