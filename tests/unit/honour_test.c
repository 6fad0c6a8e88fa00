/*
 * The table of <sched/queue.h>, cell by cell: where it says that a call goes by
 * an attribute, setting that changes what the call answers; where it says that
 * it does not, nothing changes.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "honour_scene.h"

/* An attribute, and two trees that differ in it alone. */
typedef struct honour {
    const char *name; /* in the table */
    const char *plain;
    const char *told;
} honour;

#define TREE "root.a\nroot.a.x\nroot.a.y\nroot.b\n"
#define HALF "root.a guarantee=\"cpu=50,memory=50\"\n"
#define FLOOR                                                                  \
    "root.a\nroot.a.x\nroot.a.y guarantee=\"cpu=20,memory=20\"\nroot.b\n"
#define REST "root.a.x\nroot.a.y\nroot.b\n"

static const honour honours[] = {
    {"weight", "root\n" TREE, "root\nroot.a weight=4\n" REST},
    {"order", "root\n" TREE, "root order=fifo\n" TREE},
    {"fair_kind", "root order=fair\n" TREE,
     "root order=fair fair_kind=memory\n" TREE},
    {"apps", "root\n" TREE,
     "root\nroot.a\nroot.a.x\nroot.a.y\nroot.b apps=size\n"},
    {"max_running", "root\n" TREE,
     "root\nroot.a\nroot.a.x max_running=1\nroot.a.y\nroot.b\n"},
    {"user_limit", "root\n" TREE,
     "root\nroot.a\nroot.a.x\nroot.a.y\nroot.b user_limit=10%\n"},
    {"user_weight", "root\nroot.a\nroot.a.x\nroot.a.y\nroot.b user_limit=10%\n",
     "root\nroot.a\nroot.a.x\nroot.a.y\n"
     "root.b user_limit=10% user_weight.one=4\n"},
    {"user_factor",
     "root\nroot.a\nroot.a.x\nroot.a.y\n"
     "root.b guarantee=\"cpu=20,memory=20\"\n",
     "root\nroot.a\nroot.a.x\nroot.a.y\n"
     "root.b guarantee=\"cpu=20,memory=20\" user_factor=10%\n"},
    {"start_rate", "root\n" TREE,
     "root\nroot.a\nroot.a.x\nroot.a.y\nroot.b start_rate=1\n"},
    {"priority", "root order=priority\n" TREE,
     "root order=priority\nroot.a priority=1\n" REST},
    {"tier", "root max_running=2\n" TREE,
     "root max_running=2\nroot.a\nroot.a.x\nroot.a.y tier=1\nroot.b\n"},
    {"preempt_from", "root\n" HALF REST,
     "root\n" HALF "root.a.x preempt_from=no\nroot.a.y\n"
     "root.b preempt_from=no\n"},
    {"preempt_min_timeout", "root\n" FLOOR,
     "root preempt_min_timeout=5s\n" FLOOR},
    {"preempt_fair_timeout", "root\n" TREE,
     "root preempt_fair_timeout=5s\n" TREE},
    {"preempt_fair_threshold", "root preempt_fair_timeout=5s\n" TREE,
     "root preempt_fair_timeout=5s preempt_fair_threshold=100%\n" TREE},
    {"am_share", "root\n" TREE,
     "root\nroot.a\nroot.a.x\nroot.a.y\nroot.b am_share=1%\n"},
    {"guarantee", "root order=utilisation\n" TREE,
     "root order=utilisation\nroot.a guarantee=\"cpu=90,memory=90\"\n" REST},
    {"guarantee %", "root order=utilisation\n" TREE,
     "root order=utilisation\nroot.a guarantee=90%\n" REST},
    {"limit", "root\n" TREE,
     "root\nroot.a\nroot.a.x\nroot.a.y\nroot.b limit=\"cpu=30,memory=30\"\n"},
    {"limit %", "root\n" TREE,
     "root\nroot.a\nroot.a.x\nroot.a.y\nroot.b limit=30%\n"},
    {"borrow", "root\n" TREE,
     "root\nroot.a\nroot.a.x\nroot.a.y\nroot.b "
     "borrow=\"cpu=30,memory=30\"\n"},
    {"lend", "root\n" FLOOR,
     "root\nroot.a\nroot.a.x\n"
     "root.a.y guarantee=\"cpu=20,memory=20\" lend=\"cpu=1,memory=1\"\n"
     "root.b\n"},
    {"state", "root\n" TREE,
     "root\nroot.a\nroot.a.x\nroot.a.y\nroot.b state=draining\n"},
    {"label", "root\n" TREE,
     "root\nroot.a\nroot.a.x\nroot.a.y\nroot.b label=gpu\n"},
};

/* ---- Calls on trees and ledgers ---- */

static void by_share(scene *s)
{
    for (int32_t model = 0; model < 4; model++) {
        const sked_share_options opts = {.struct_size = sizeof opts,
                                         .flags = SKED_SHARE_FLAG_BANDS,
                                         .model = model};
        sked_share *share;
        assert_ok(sked_share_new(&opts, NULL, &share, NULL));
        assert_ok(sked_share_compute(share, s->tree, s->ledger, scene_capacity,
                                     NULL));
        for (uint32_t k = 0; k < KINDS; k++) {
            int64_t row[8];
            size_t n;
            assert_ok(sked_share_column(share, k, row, 8, &n, NULL));
            note(s, row, n);
        }
        sked_share_free(share);
    }
}

static void by_target(scene *s)
{
    for (int32_t dialect = 0; dialect < 3; dialect++) {
        const sked_target_options opts = {.struct_size = sizeof opts,
                                          .flags = SKED_TARGET_FLAG_PRIORITY,
                                          .mode = dialect,
                                          .ignored_ppm = -1,
                                          .per_round_ppm = -1,
                                          .utilisation_ppm = -(dialect == 1)};
        const sked_target_input in = {.struct_size = sizeof in,
                                      .tree = s->tree,
                                      .capacity = scene_capacity,
                                      .ledger = s->ledger};
        sked_target *target;
        assert_ok(sked_target_new(&opts, NULL, &target, NULL));
        for (sked_time now = 0; now < 8; now++) {
            assert_ok(sked_target_compute(target, &in, now * 1000000000, NULL));
            for (int32_t c = SKED_TARGET_COLUMN_SHARE;
                 c <= SKED_TARGET_COLUMN_CLAIM; c++) {
                size_t n;
                const int64_t *view = sked_target_view(target, c, &n);
                note(s, view, n * KINDS);
            }
        }
        sked_target_free(target);
    }
}

static void by_order(scene *s)
{
    const sked_order_input view = {.struct_size = sizeof view,
                                   .tree = s->tree,
                                   .ledger = s->ledger,
                                   .capacity = scene_capacity};
    sked_queue_id child[4];
    sked_order *order;
    size_t n;

    assert_ok(sked_order_new(NULL, NULL, &order, NULL));
    assert_ok(sked_order_list(order, &view, sked_tree_root(s->tree), child, 4,
                              &n, NULL));
    for (size_t i = 0; i < n; i++) skedi_hash_u64(&s->hash, child[i]);
    sked_order_free(order);
}

static void by_hdrf(scene *s)
{
    static const uint32_t leaf[LEAVES] = {2, 3, 4}; /* rows: root a b x y */
    static const int64_t one[LEAVES * KINDS] = {2, 1, 1, 2, 1, 1};
    const int64_t pending[LEAVES] = {SKED_UNLIMITED, SKED_UNLIMITED,
                                     SKED_UNLIMITED};
    uint32_t turn[200];
    sked_hdrf *tree;
    size_t n;

    assert_ok(sked_hdrf_of_tree(s->tree, NULL, &tree, NULL));
    assert_ok(sked_hdrf_set_capacity(tree, scene_capacity, NULL));
    assert_ok(
        sked_hdrf_set_leaves(tree, leaf, NULL, one, pending, LEAVES, NULL));
    assert_ok(sked_hdrf_run(tree, turn, 200, &n, NULL));
    for (size_t i = 0; i < n; i++) skedi_hash_u32(&s->hash, turn[i]);
    sked_hdrf_free(tree);
}

static void by_fair_tree(scene *s)
{
    uint32_t rank[8];
    size_t n;

    assert_ok(sked_fair_tree(s->tree, s->ledger, 0, NULL, rank, 8, &n, NULL));
    for (size_t i = 0; i < n; i++) skedi_hash_u32(&s->hash, rank[i]);
}

/* What two jobs of a.x ask for: weights as they are, tier 1, with settings. */
static void by_plan(scene *s)
{
    static const int32_t first[] = {0, 1, 2}, second[] = {0, 1, 2};
    static const int32_t level[] = {0, 1};
    static const int32_t *const offset[] = {first, second};
    static const char *const text[] = {"aa", "xy"};
    static const uint8_t tier[] = {1, 1};
    static const sked_time start[] = {0, 0}, end[] = {9, 9};
    static const int64_t allocation[] = {1, 1}, running[] = {1, 1};
    const sked_plan_tier settings[] = {
        {.name = "one",
         .preempt_from = 0,
         .preempt_fair_timeout_ns = 5000000000,
         .preempt_fair_threshold_ppm = SKED_PPM}};
    const sked_plan_jobs jobs = {.struct_size = sizeof jobs,
                                 .n = 2,
                                 .fields = 2,
                                 .text = text,
                                 .offset = offset,
                                 .tier = tier,
                                 .start = start,
                                 .end = end,
                                 .levels = 2,
                                 .level = level,
                                 .tiers = 1,
                                 .setting = settings};
    const sked_plan_input in = {.struct_size = sizeof in,
                                .flags = SKED_PLAN_FLAG_KEEP_IDLE,
                                .leaves = 2,
                                .jobs = &jobs,
                                .allocation = allocation,
                                .max_running = running};
    sked_plan *plan;

    assert_ok(sked_plan_new(s->tree, &in, NULL, &plan, NULL));
    for (size_t i = 0; i < sked_plan_count(plan); i++) {
        sked_plan_change c = {.struct_size = sizeof c};
        assert_ok(sked_plan_get(plan, i, &c));
        const int64_t numbers[] = {
            c.op,           (int64_t)c.queue, c.changed,      c.weight_before,
            c.weight_after, c.running_before, c.running_after};
        note(s, numbers, 7);
    }
    skedi_hash_u64(&s->hash, sked_diff_count(sked_plan_diff(plan)));
    sked_plan_free(plan);
}

/* ---- The table ---- */

typedef struct call {
    const char *name; /* of its column */
    void (*answer)(scene *s);
} call;

static const call calls[] = {
    {"engine", by_engine},       {"sim", by_sim},     {"share", by_share},
    {"target", by_target},       {"order", by_order}, {"hdrf", by_hdrf},
    {"fair_tree", by_fair_tree}, {"plan", by_plan},
};

enum { CALLS = sizeof calls / sizeof *calls };

static uint64_t answer_of(const call *c, const char *text)
{
    scene s;

    scene_begin(&s, text);
    c->answer(&s);
    return scene_end(&s);
}

/* The rest of the line that begins with a word, behind the comment's star. */
static const char *line_of(const char *text, const char *word)
{
    char start[64];

    (void)snprintf(start, sizeof start, "\n * | %s |", word);
    const char *at = strstr(text, start);
    if (!at) fail_msg("no line of %s in the table", word);
    return at + strlen(start);
}

static void calls_go_by_what_the_table_says(void **state)
{
    size_t length;
    char *text = test_file("include/sched/queue.h", &length);
    int wrong = 0;
    (void)state;

    const char *head = line_of(text, "attribute");
    for (size_t c = 0; c < CALLS; c++) {
        char cell[16];
        (void)snprintf(cell, sizeof cell, " %s |", calls[c].name);
        assert_memory_equal(head, cell, strlen(cell));
        head += strlen(cell);
    }
    for (size_t i = 0; i < sizeof honours / sizeof *honours; i++) {
        const honour *h = &honours[i];
        const char *at = line_of(text, h->name);
        for (size_t c = 0; c < CALLS; c++, at = strchr(at, '|') + 1) {
            int differs = answer_of(&calls[c], h->plain) !=
                          answer_of(&calls[c], h->told);
            if (differs == (at[1] == '+')) continue;
            print_message("%s: %s %s\n", h->name, calls[c].name,
                          differs ? "goes by it" : "does not go by it");
            wrong++;
        }
    }
    free(text);
    assert_int_equal(wrong, 0);
}

/* Every attribute has its line: those of the enumeration, and user weights. */
static void no_attribute_is_left_out(void **state)
{
    size_t length, n = 1;
    char *text = test_file("include/sched/queue.h", &length);
    const char *end = strstr(text, "SKED_QUEUE_LABEL = ");
    const char *at = strstr(text, "enum sked_queue_attribute {");
    (void)state;

    assert_non_null(end);
    while (at && at < end) {
        at = strstr(at, "\n    SKED_QUEUE_");
        n += at != NULL;
        if (at) at++;
    }
    free(text);
    assert_int_equal(sizeof honours / sizeof *honours, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_go_by_what_the_table_says),
        cmocka_unit_test(no_attribute_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
