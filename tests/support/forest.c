#include "forest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

sked_schema *forest_schema(const sked_host *host)
{
    static const char *const names[] = {"cpu", "memory", "gpu"};
    static const char *const units[] = {"m", "B", "1"};
    sked_schema *schema = NULL;

    if (sked_schema_new(names, units, 3, host, &schema, NULL) != SKED_OK) {
        return NULL;
    }
    return schema;
}

sked_tree *forest_tree(const sked_host *host, const sked_tree_options *opts)
{
    sked_schema *schema = forest_schema(host);
    sked_tree *tree = NULL;

    if (!schema) return NULL;
    if (sked_tree_new(schema, opts, host, &tree, NULL) != SKED_OK) tree = NULL;
    sked_schema_free(schema);
    return tree;
}

/* A name into `name`, which has room for 8 bytes. */
static void pick_name(test_words *words, int names, char *name)
{
    static const char odd[] = "ab.= \"#\\\n\r\t\x01\x7f\xff\xc3\xa9~";
    size_t n = 1;

    if (names == FOREST_ODD) n += (size_t)test_below(words, 6);
    memset(name, 0, 8);
    for (size_t i = 0; i < n; i++) {
        name[i] = names == FOREST_ODD ? odd[test_below(words, sizeof odd - 1)]
                                      : (char)('a' + test_below(words, 5));
    }
}

/* Ids of all queues that may be in the draft: those ever given out. */
typedef struct forest_ids {
    sked_queue_id id[512];
    size_t n;
} forest_ids;

static void collect_ids(const sked_tree *tree, forest_ids *ids)
{
    size_t n = 0;

    assert_ok(sked_tree_ids(tree, ids->id, 400, &n));
    ids->n = n;
}

static sked_queue_id pick_id(const forest_ids *ids, test_words *words)
{
    return ids->id[test_below(words, ids->n)];
}

static int64_t pick_number(test_words *words, int32_t attribute)
{
    static const int64_t high[] = {0,
                                   UINT32_MAX,
                                   SKED_ORDER_POLICY_SHARE,
                                   2,
                                   SKED_APPS_USER_FAIR,
                                   INT32_MAX,
                                   SKED_PPM,
                                   INT32_MAX,
                                   255,
                                   1,
                                   INT64_MAX - 1,
                                   INT64_MAX - 1,
                                   SKED_PPM,
                                   SKED_PPM,
                                   SKED_PPM,
                                   SKED_PPM,
                                   SKED_STATE_DRAINING};
    uint64_t bound = (uint64_t)high[attribute] + 1;
    int64_t x = (int64_t)(test_rough(words) % bound);

    switch (test_below(words, 6)) {
    case 0: return SKED_UNSET;
    case 1: return SKED_UNLIMITED; /* refused where it has no meaning */
    case 2: return x / 1000 * 1000;
    case 3: return attribute == SKED_QUEUE_PRIORITY ? -x : x;
    default: return x;
    }
}

static void set_something(sked_tree *tree, test_words *words, sked_queue_id id)
{
    static const char *const labels[] = {
        "", "gpu", "big data", "a#\"\\=b", "default", "line\nfeed", "\xff"};
    int32_t attribute = 1 + (int32_t)test_below(words, 16);
    int32_t amounts = SKED_QUEUE_GUARANTEE + (int32_t)test_below(words, 4);
    int64_t vec[3];
    char user[8];
    sked_status rc;

    switch (test_below(words, 8)) {
    case 0:
        rc = sked_tree_set_text(tree, id, SKED_QUEUE_LABEL,
                                labels[test_below(words, 7)], NULL);
        break;
    case 1:
        pick_name(words, FOREST_ODD, user);
        rc = sked_tree_set_user_weight(tree, id, user,
                                       (int64_t)test_below(words, 4) - 1, NULL);
        break;
    case 2:
        for (int k = 0; k < 3; k++) {
            vec[k] = (int64_t)(test_rough(words) % (SKED_AMOUNT_MAX + 1));
            if (test_below(words, 4) == 0) vec[k] = 0;
            if (test_below(words, 4) == 0 && amounts != SKED_QUEUE_GUARANTEE) {
                vec[k] = SKED_UNLIMITED;
            }
        }
        rc = sked_tree_set_vec(tree, id, amounts,
                               test_below(words, 5) ? vec : NULL, NULL);
        break;
    default:
        rc = sked_tree_set(tree, id, attribute, pick_number(words, attribute),
                           NULL);
    }
    assert_true(rc != SKED_ERR_INTERNAL);
}

void forest_edit(sked_tree *tree, test_words *words, unsigned steps, int names)
{
    forest_ids ids;
    sked_queue_id id;
    sked_status rc = SKED_OK;
    char name[8];

    collect_ids(tree, &ids);
    for (; steps > 0; steps--) {
        pick_name(words, names, name);
        switch (test_below(words, 10)) {
        case 0:
        case 1:
            rc = sked_tree_add(tree, pick_id(&ids, words), name, &id, NULL);
            if (rc == SKED_OK && ids.n < 512) ids.id[ids.n++] = id;
            break;
        case 2:
            rc = sked_tree_move(tree, pick_id(&ids, words),
                                pick_id(&ids, words), NULL);
            break;
        case 3:
            rc = sked_tree_rename(tree, pick_id(&ids, words), name, NULL);
            break;
        case 4:
            if (test_below(words, 3) > 0) break;
            rc = sked_tree_remove(tree, pick_id(&ids, words), NULL,
                                  SKED_TREE_REMOVE_REFUSE, NULL);
            break;
        default: set_something(tree, words, pick_id(&ids, words));
        }
        assert_true(rc != SKED_ERR_INTERNAL);
    }
}

static int same_row(const sked_tree *a, const sked_tree *b, sked_queue_id in_a,
                    sked_queue_id in_b)
{
    int64_t x[3], y[3];

    if (strcmp(sked_tree_name(a, in_a), sked_tree_name(b, in_b)) != 0) return 0;
    for (int32_t i = SKED_QUEUE_WEIGHT; i <= SKED_QUEUE_START_RATE; i++) {
        assert_ok(sked_tree_get(a, in_a, i, x));
        assert_ok(sked_tree_get(b, in_b, i, y));
        if (*x != *y) return 0;
    }
    for (int32_t i = SKED_QUEUE_GUARANTEE; i <= SKED_QUEUE_LEND; i++) {
        assert_ok(sked_tree_get_vec(a, in_a, i, x));
        assert_ok(sked_tree_get_vec(b, in_b, i, y));
        if (memcmp(x, y, sizeof x) != 0) return 0;
    }
    return strcmp(sked_tree_get_text(a, in_a, SKED_QUEUE_LABEL),
                  sked_tree_get_text(b, in_b, SKED_QUEUE_LABEL)) == 0;
}

/* Users cannot be listed through the header: the text says who there is. */
static int same_users_said(const sked_tree *a, const sked_tree *b)
{
    char *text = forest_text(a), *other = forest_text(b);
    int same = strcmp(text, other) == 0;

    free(text);
    free(other);
    return same;
}

int forest_same(const sked_tree *a, const sked_tree *b, size_t *row)
{
    enum { MOST = 2048 };
    static sked_queue_id in_a[MOST], in_b[MOST];
    static int32_t up_a[MOST], up_b[MOST];
    size_t n = 0, m = 0;

    assert_ok(sked_tree_ids(a, in_a, MOST, &n));
    assert_ok(sked_tree_ids(b, in_b, MOST, &m));
    assert_ok(sked_tree_rows(a, up_a, NULL, NULL, MOST, &n));
    assert_ok(sked_tree_rows(b, up_b, NULL, NULL, MOST, &m));
    for (*row = 0; *row < n && *row < m; ++*row) {
        if (up_a[*row] != up_b[*row]) return 0;
        if (!same_row(a, b, in_a[*row], in_b[*row])) return 0;
    }
    return n == m && same_users_said(a, b);
}

char *forest_text(const sked_tree *tree)
{
    size_t n = 0;

    assert_status(SKED_ERR_RANGE, sked_tree_format(tree, NULL, 0, &n));
    char *text = malloc(n + 1);
    assert_non_null(text);
    assert_ok(sked_tree_format(tree, text, n + 1, &n));
    assert_i64((int64_t)strlen(text), (int64_t)n);
    return text;
}
