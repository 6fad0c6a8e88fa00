/*
 * Random programs of edits, on the tree and on its slow twin: every status
 * agrees, a failed edit changes nothing, and after each commit every read
 * says what the twin says.
 */
#include <string.h>

#include "tree_program.h"

/* ---- What the reads must say ---- */

static void check_shape(program *p, const size_t *order)
{
    ref_list *list = &p->twin.shown;
    int32_t parent[REF_QUEUES], first[REF_QUEUES], children[REF_QUEUES];
    sked_queue_id ids[REF_QUEUES];
    size_t n, tail = 1;

    assert_ok(sked_tree_ids(p->tree, ids, REF_QUEUES, &n));
    assert_int_equal(n, list->n);
    assert_ok(sked_tree_rows(p->tree, parent, first, children, n, &n));
    for (size_t r = 0; r < n; r++) {
        const ref_queue *q = &list->queue[order[r]];
        size_t start = tail;
        assert_true(ids[r] == q->id);
        while (tail < n && list->queue[order[tail]].parent == q->id) {
            assert_i64(parent[tail++], (int64_t)r);
        }
        assert_i64(children[r], (int64_t)(tail - start));
        assert_i64(first[r], tail > start ? (int64_t)start : -1);
    }
}

static void path_of(ref_list *list, const ref_queue *q, char *path)
{
    char end[64 * 26], *at = end + sizeof end - 1;

    *at = 0;
    for (; q; q = ref_find(list, q->parent)) {
        for (size_t i = strlen(q->name); i-- > 0;) {
            *--at = q->name[i];
            if (strchr(".\\ =\"#", *at)) *--at = '\\';
        }
        if (q->parent) *--at = '.';
    }
    strcpy(path, at);
}

static void check_names(program *p, const ref_queue *q)
{
    char want[64 * 26], path[64 * 26];
    sked_queue_id found;
    size_t n, row;

    path_of(&p->twin.shown, q, want);
    assert_ok(sked_tree_path(p->tree, q->id, path, sizeof path, &n));
    assert_string_equal(path, want);
    assert_int_equal(n, strlen(want));
    assert_ok(sked_tree_find(p->tree, path, &found, NULL));
    assert_true(found == q->id);
    assert_string_equal(sked_tree_name(p->tree, q->id), q->name);
    assert_string_equal(sked_tree_get_text(p->tree, q->id, SKED_QUEUE_LABEL),
                        q->label);
    assert_ok(sked_tree_row(p->tree, q->id, &row));
    assert_ok(sked_tree_parent(p->tree, q->id, &found));
    assert_true(found == q->parent);
}

static void check_values(program *p, const ref_queue *q)
{
    int64_t value, amounts[REF_KINDS];

    for (int32_t a = 1; a <= REF_NUMBERS; a++) {
        assert_ok(sked_tree_get(p->tree, q->id, a, &value));
        assert_i64(value, q->number[a - 1]);
        assert_ok(sked_tree_effective(p->tree, q->id, a, &value));
        assert_i64(value, ref_effective(&p->twin.shown, q, a));
    }
    for (int32_t a = 0; a < REF_AMOUNTS; a++) {
        assert_ok(sked_tree_get_vec(p->tree, q->id, SKED_QUEUE_GUARANTEE + a,
                                    amounts));
        assert_memory_equal(amounts, q->amount[a], sizeof amounts);
    }
    for (size_t u = 0; u < REF_USERS; u++) {
        char name[] = {'u', (char)('0' + u), 0};
        assert_ok(sked_tree_user_weight(p->tree, q->id, name, &value));
        assert_i64(value, q->user[u] == SKED_UNSET ? 1 : q->user[u]);
    }
}

static void check_columns(program *p, const size_t *order)
{
    ref_list *list = &p->twin.shown;
    int64_t column[REF_QUEUES], capacity = some_amount(p);
    int32_t a = (int32_t)(1 + test_below(&p->words, REF_NUMBERS));
    size_t n;

    assert_ok(sked_tree_column(p->tree, a, column, REF_QUEUES, &n));
    for (size_t r = 0; r < n; r++) {
        assert_i64(column[r], ref_effective(list, &list->queue[order[r]], a));
    }
    if (capacity < 0 || capacity > SKED_AMOUNT_MAX) capacity = 1000;
    for (int32_t i = 0; i < REF_AMOUNTS * REF_KINDS; i++) {
        a = SKED_QUEUE_GUARANTEE + i / REF_KINDS;
        uint32_t k = (uint32_t)i % REF_KINDS;
        assert_ok(sked_tree_column_vec(p->tree, a, k, capacity, column,
                                       REF_QUEUES, &n));
        for (size_t r = 0; r < n; r++) {
            assert_i64(column[r], ref_resolved(list, &list->queue[order[r]], a,
                                               (size_t)k, capacity));
        }
    }
}

static void check_reads(program *p)
{
    ref_list *list = &p->twin.shown;
    size_t order[REF_QUEUES];

    ref_rows(list, order);
    check_shape(p, order);
    for (size_t i = 0; i < list->n; i++) {
        check_names(p, &list->queue[i]);
        check_values(p, &list->queue[i]);
    }
    check_columns(p, order);
}

static int has_error(const sked_fault *faults, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        switch (faults[i].code) {
        case SKED_FAULT_GUARANTEE_ABOVE_PARENT:
        case SKED_FAULT_GUARANTEE_ABOVE_LIMIT:
        case SKED_FAULT_PARTS_SUM:
        case SKED_FAULT_PARTS_MIXED:
        case SKED_FAULT_DEAD_WEIGHT:
        case SKED_FAULT_ALL_DEAD: return (int)i + 1;
        default: break;
        }
    }
    return 0;
}

static size_t check_faults(program *p, sked_fault *want)
{
    static sked_fault got[REF_FAULTS];
    size_t n = ref_faults(&p->twin.draft, want), m;

    assert_ok(sked_tree_faults(p->tree, got, REF_FAULTS, &m));
    assert_int_equal(m, n);
    for (size_t i = 0; i < n; i++) {
        assert_i64(got[i].code, want[i].code);
        assert_true(got[i].queue == want[i].queue);
        assert_i64(got[i].kind, want[i].kind);
        assert_i64(got[i].got, want[i].got);
        assert_i64(got[i].limit, want[i].limit);
        int error = has_error(&want[i], 1);
        int note = want[i].code >= SKED_FAULT_GUARANTEE_LIFTED;
        assert_i64(got[i].severity, error  ? SKED_SEVERITY_ERROR
                                    : note ? SKED_SEVERITY_NOTE
                                           : SKED_SEVERITY_WARNING);
    }
    return n;
}

/* A reader that follows the log of changes has what a fresh one reads. */
static void follow(program *p)
{
    int64_t fresh[REF_QUEUES];
    uint32_t rows[REF_QUEUES];
    size_t n, m;

    assert_ok(
        sked_tree_column(p->tree, SKED_QUEUE_WEIGHT, fresh, REF_QUEUES, &n));
    if (skedi_tree_changes_since(p->tree, p->version, rows, REF_QUEUES, &m)) {
        for (size_t i = 0; i < m; i++) p->weights[rows[i]] = fresh[rows[i]];
        assert_memory_equal(p->weights, fresh, n * sizeof *fresh);
    }
    memcpy(p->weights, fresh, sizeof fresh);
    p->version = sked_tree_version(p->tree);
}

static void op_commit(program *p)
{
    static sked_fault faults[REF_FAULTS];
    uint64_t before = sked_tree_digest(p->tree);
    size_t n = check_faults(p, faults);
    int error = has_error(faults, n);
    int32_t mode = (int32_t)test_below(&p->words, 2);
    sked_error err;

    sked_status got = sked_tree_commit(p->tree, mode, &err);
    if (mode == SKED_TREE_COMMIT_STRICT && error) {
        assert_status(SKED_ERR_INVALID, got);
        assert_true(err.queue == faults[error - 1].queue);
        assert_i64(err.got, faults[error - 1].got);
        assert_i64(err.kind, faults[error - 1].kind);
        assert_true(sked_tree_digest(p->tree) == before);
        return;
    }
    assert_ok(got);
    p->twin.shown = p->twin.draft;
    check_reads(p);
    if (test_below(&p->words, 4)) follow(p);
}

static void op_discard(program *p)
{
    assert_ok(sked_tree_discard(p->tree, NULL));
    p->twin.draft = p->twin.shown;
    check_reads(p);
}

static void op_copy(program *p)
{
    sked_tree *copy;

    assert_ok(sked_tree_copy(
        p->tree, &(sked_host){.struct_size = sizeof(sked_host)}, &copy, NULL));
    assert_true(sked_tree_digest(copy) == sked_tree_digest(p->tree));
    assert_ok(sked_tree_check(copy, NULL));
    assert_true(skedi_tree_image(copy)->key == skedi_tree_image(p->tree)->key);
    sked_tree_free(copy);
}

typedef void (*op_fn)(program *p);

static void run_program(uint64_t seed, sked_tree *tree, size_t ops)
{
    static const op_fn table[] = {
        op_add,     op_add,    op_add,     op_add,     op_add,
        op_move,    op_rename, op_remove,  op_set,     op_set,
        op_set,     op_set,    op_set_vec, op_set,     op_texts,
        op_columns, op_commit, op_commit,  op_confine, op_set_vec,
    };
    static program p;

    p = (program){.words = {seed}, .tree = tree};
    ref_tree_start(&p.twin, sked_tree_root(tree), 6, REF_QUEUES - 8);
    p.known[p.n_known++] = sked_tree_root(tree);
    follow(&p);
    for (size_t i = 0; i < ops; i++) {
        uint64_t pick = test_below(&p.words, 400);
        op_fn op = pick == 0   ? op_discard
                   : pick == 1 ? op_copy
                               : table[pick % 20];
        op(&p);
        assert_ok(sked_tree_check(tree, NULL));
    }
}

static sked_schema *kinds_new(void)
{
    const char *const kinds[] = {"cpu", "memory", "gpu"};
    sked_schema *schema;

    assert_ok(sked_schema_new(kinds, NULL, REF_KINDS, NULL, &schema, NULL));
    return schema;
}

static const sked_tree_options small = {
    .struct_size = sizeof small,
    .max_depth = 6,
    .max_queues = REF_QUEUES - 8,
};

static void the_tree_agrees_with_its_twin(void **state)
{
    sked_schema *schema = kinds_new();
    test_host h = {0};
    sked_host host = test_host_hooks(&h);

    (void)state;
    for (uint64_t seed = 0; seed < test_size(40, 2000); seed++) {
        sked_tree *tree;
        assert_ok(sked_tree_new(schema, &small, &host, &tree, NULL));
        run_program(seed, tree, 400);
        sked_tree_free(tree);
        assert_int_equal(h.live, 0);
    }
    sked_schema_free(schema);
}

static void a_reserved_tree_never_touches_memory(void **state)
{
    sked_schema *schema = kinds_new();
    test_host h = {0};
    sked_host host = test_host_hooks(&h);

    (void)state;
    host.flags = SKED_HOST_FLAG_RESERVED_ONLY;
    for (uint64_t seed = 1000; seed < 1000 + test_size(10, 300); seed++) {
        sked_tree *tree;
        assert_ok(sked_tree_new(schema, &small, &host, &tree, NULL));
        assert_ok(sked_tree_reserve(tree, small.max_queues, 100000, NULL));
        h.trap = 1;
        run_program(seed, tree, 300);
        h.trap = 0;
        sked_tree_free(tree);
        assert_int_equal(h.live, 0);
    }
    sked_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_agrees_with_its_twin),
        cmocka_unit_test(a_reserved_tree_never_touches_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
