/* Every fault in words, with amounts in the units of their kinds. */
#include <sched/tree_text.h>

#include "forest.h"
#include "host.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* Reads `text` into a new tree and renders the first fault of that code. */
static void assert_says(const char *text, int32_t code, const char *want)
{
    sked_tree *tree = forest_tree(NULL, NULL);
    sked_fault faults[32];
    char said[256] = "";
    size_t n = 0, i = 0, length = 0;

    assert_ok(sked_tree_parse(tree, text, strlen(text), "queues.txt", NULL, 0,
                              NULL, NULL));
    assert_ok(sked_tree_faults(tree, faults, 32, &n));
    while (i < n && faults[i].code != code) i++;
    if (i == n) fail_msg("no fault %d in [%s]", (int)code, text);
    assert_ok(sked_fault_format(tree, &faults[i], said, sizeof said, &length));
    assert_string_equal(said, want);
    assert_int_equal(length, strlen(want));
    sked_tree_free(tree);
}

static void faults_of_a_draft_are_told_in_units(void **state)
{
    (void)state;
    assert_says("root\n\nroot.ads guarantee=memory=6GiB limit=memory=4GiB",
                SKED_FAULT_GUARANTEE_ABOVE_LIMIT,
                "queues.txt:3: root.ads: guarantee of memory 6GiB is above the "
                "limit 4GiB");
    assert_says("root.a guarantee=40% limit=30.5%",
                SKED_FAULT_GUARANTEE_ABOVE_LIMIT,
                "queues.txt:1: root.a: guarantee 40% is above the limit 30.5%");
    assert_says("root.a guarantee=cpu=2\nroot.a.b guarantee=cpu=1.5\n"
                "root.a.c guarantee=cpu=1.5",
                SKED_FAULT_GUARANTEE_ABOVE_PARENT,
                "queues.txt:1: root.a: guarantees of cpu below add to 3, above "
                "the queue's own 2");
    assert_says("root.a limit=gpu=2\nroot.a.b limit=gpu=3",
                SKED_FAULT_LIMIT_ABOVE_PARENT,
                "queues.txt:2: root.a.b: warning: limit of gpu 3 is above 2, "
                "which holds above it");
    assert_says("root.a guarantee=40%\nroot.b guarantee=70%",
                SKED_FAULT_PARTS_SUM,
                "root: guarantees below are parts that add to 110%, not to "
                "100%");
    assert_says("root.a guarantee=40%\nroot.b guarantee=cpu=1",
                SKED_FAULT_PARTS_MIXED,
                "root: 1 of 2 guarantees below are parts, the others are "
                "amounts");
    assert_says("root.x\\ y weight=0", SKED_FAULT_DEAD_WEIGHT,
                "queues.txt:1: root.x\\ y: weight 0 without a guarantee: the "
                "queue gets nothing");
    assert_says("root.a weight=0\nroot.b weight=0", SKED_FAULT_ALL_DEAD,
                "root: all 2 queues below weigh 0: what is spare is lost");
    assert_says("root.a borrow=cpu=5 limit=cpu=3",
                SKED_FAULT_BORROW_BEYOND_LIMIT,
                "queues.txt:1: root.a: warning: borrowing of cpu reaches 5, "
                "beyond the limit 3: it has no effect");
    assert_says("root.a lend=cpu=5 guarantee=cpu=0.001",
                SKED_FAULT_LEND_ABOVE_GUARANTEE,
                "queues.txt:1: root.a: warning: lend of cpu 5 is above the "
                "guarantee 1m: it has no effect");
    assert_says("root.a max_running=5\nroot.a.b max_running=6",
                SKED_FAULT_RUNNING_ABOVE_PARENT,
                "queues.txt:2: root.a.b: warning: max_running 6 is above 5, "
                "which holds above it");
    assert_says("root apps=user-fair\nroot.a", SKED_FAULT_APPS_ON_PARENT,
                "queues.txt:1: root: warning: apps=user-fair has no effect: "
                "the queue has queues below, no applications");
    assert_says("root.a order=fair", SKED_FAULT_ORDER_ON_LEAF,
                "queues.txt:1: root.a: warning: order=fair has no effect: the "
                "queue has none below");
    assert_says("root.a preempt_from=no\nroot.a.b preempt_from=yes",
                SKED_FAULT_PREEMPT_REENABLED,
                "queues.txt:2: root.a.b: warning: preempt_from=yes has no "
                "effect: a queue above says no");
    assert_says("root.a preempt_min_timeout=90s", SKED_FAULT_TIMEOUT_IDLE,
                "queues.txt:1: root.a: warning: preempt_min_timeout=90s has no "
                "effect: the queue has no guarantee");
}

/* Renders a fault that no tree found. */
static void assert_renders(sked_fault fault, const char *want)
{
    sked_tree *tree = forest_tree(NULL, NULL);
    char said[128];
    size_t n;

    fault.severity = SKED_SEVERITY_ERROR;
    assert_ok(sked_fault_format(tree, &fault, said, sizeof said, &n));
    assert_string_equal(said, want);
    sked_tree_free(tree);
}

static void any_fault_can_be_rendered(void **state)
{
    (void)state;
    assert_renders((sked_fault){.code = 99}, "fault 99");
    assert_renders((sked_fault){.code = -3, .line = 4}, "line 4: fault -3");
    assert_renders((sked_fault){.code = 10, .line = 4, .column = 2},
                   "line 4:2: fault 10");
    assert_renders((sked_fault){.code = SKED_FAULT_GUARANTEE_ABOVE_LIMIT,
                                .kind = 77,
                                .got = 5,
                                .limit = 4,
                                .queue = 12345678},
                   "guarantee 5 is above the limit 4");
    assert_renders((sked_fault){.code = SKED_FAULT_GUARANTEE_ABOVE_LIMIT,
                                .got = -5,
                                .limit = 4000,
                                .attribute = SKED_QUEUE_GUARANTEE},
                   "guarantee of cpu -5 is above the limit 4");
    assert_renders((sked_fault){.code = SKED_FAULT_APPS_ON_PARENT,
                                .kind = -1,
                                .got = 55,
                                .attribute = SKED_QUEUE_APPS},
                   "apps=55 has no effect: the queue has queues below, no "
                   "applications");
    assert_renders((sked_fault){.code = SKED_FAULT_PARTS_SUM,
                                .kind = -1,
                                .got = -1,
                                .limit = 1000000,
                                .attribute = SKED_QUEUE_GUARANTEE_PPM},
                   "guarantees below are parts that add to -1, not to 100%");
    assert_renders((sked_fault){.code = SKED_FAULT_BAD_VALUE,
                                .kind = -1,
                                .attribute = SKED_QUEUE_LABEL},
                   "label takes any text");
    assert_renders((sked_fault){.code = SKED_FAULT_SYNTAX, .got = '\t'},
                   "a blank has no place here");
    assert_renders((sked_fault){.code = SKED_FAULT_SYNTAX, .got = 255},
                   "the byte 0xff has no place here");
}

static void a_refused_text_is_told_by_its_name(void **state)
{
    sked_tree *tree = forest_tree(NULL, NULL);
    sked_fault fault, own[4];
    char said[128];
    size_t n;
    (void)state;

    assert_ok(sked_tree_parse(tree, "root.a weight=0\n", 16, "good.txt", NULL,
                              0, NULL, NULL));
    assert_status(SKED_ERR_SYNTAX,
                  sked_tree_parse(tree, "root.a tier=x\n", 14, "bad.txt",
                                  &fault, 1, &n, NULL));
    assert_ok(sked_fault_format(tree, &fault, said, sizeof said, &n));
    assert_string_equal(said, "bad.txt:1:13: root.a: tier takes 0 to 255");
    assert_ok(sked_tree_faults(tree, own, 4, &n));
    assert_ok(sked_fault_format(tree, &own[1], said, sizeof said, &n));
    assert_memory_equal(said, "good.txt:1: root.a: ", 20);

    assert_status(SKED_ERR_RANGE, sked_fault_format(tree, &fault, said, 5, &n));
    assert_string_equal(said, "bad.");
    assert_int_equal(n, 41);
    sked_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_a_draft_are_told_in_units),
        cmocka_unit_test(any_fault_can_be_rendered),
        cmocka_unit_test(a_refused_text_is_told_by_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
