/* Trees: making, editing, text and faults: <sched/tree.h>, <sched/fault.h>,
 * <sched/tree_text.h>. */
#include "core.h"

#include <stddef.h>
#include <string.h>
#include <stdlib.h>

/* Trees: reading; what changes between two: <sched/tree.h>, <sched/diff.h>. */

/* ---- Reads ---- */

CALL(tree_ids)
{
    sked_tree *tree;
    size_t n;
    READ("h", H_TREE, &tree);
    n = sked_tree_count(tree);
    column *ids = args_column(&a, "Q", 8, n, -1);
    if (!ids) return NULL;
    SHORT(a, sked_tree_ids(tree, (uint64_t *)ids->at, n, &n));
    return args_end(&a, "O", ids);
}

CALL(tree_leaves)
{
    sked_tree *tree;
    size_t n = 0;
    READ("h", H_TREE, &tree);
    SHORT(a, sked_tree_leaves(tree, NULL, 0, &n));
    column *ids = args_column(&a, "Q", 8, n, -1);
    if (!ids) return NULL;
    SHORT(a, sked_tree_leaves(tree, (uint64_t *)ids->at, n, &n));
    return args_end(&a, "O", ids);
}

CALL(tree_children)
{
    sked_tree *tree;
    uint64_t queue;
    size_t n = 0;
    READ("hQ", H_TREE, &tree, &queue);
    SHORT(a, sked_tree_children(tree, queue, NULL, 0, &n));
    column *ids = args_column(&a, "Q", 8, n, -1);
    if (!ids) return NULL;
    if (n)
        SHORT(a, sked_tree_children(tree, queue, (uint64_t *)ids->at, n, &n));
    return args_end(&a, "O", ids);
}

CALL(tree_rows)
{
    sked_tree *tree;
    size_t n;
    READ("h", H_TREE, &tree);
    n = sked_tree_count(tree);
    column *parent = args_column(&a, "i", 4, n, -1);
    column *first = parent ? args_column(&a, "i", 4, n, -1) : NULL;
    column *children = first ? args_column(&a, "i", 4, n, -1) : NULL;
    if (!children) return NULL;
    SHORT(a, sked_tree_rows(tree, (int32_t *)parent->at, (int32_t *)first->at,
                            (int32_t *)children->at, n, &n));
    return args_end(&a, "OOO", parent, first, children);
}

CALL(tree_row)
{
    sked_tree *tree;
    uint64_t queue;
    size_t row = 0;
    READ("hQ", H_TREE, &tree, &queue);
    SHORT(a, sked_tree_row(tree, queue, &row));
    return args_end(&a, "n", (Py_ssize_t)row);
}

CALL(tree_parent)
{
    sked_tree *tree;
    uint64_t queue, parent = 0;
    READ("hQ", H_TREE, &tree, &queue);
    SHORT(a, sked_tree_parent(tree, queue, &parent));
    return args_end(&a, "K", (unsigned long long)parent);
}

#define FIND(name)                                                             \
    CALL(name)                                                                 \
    {                                                                          \
        sked_tree *tree;                                                       \
        const char *path;                                                      \
        uint64_t queue = 0;                                                    \
        READ("hs", H_TREE, &tree, &path);                                      \
        SHORT(a, sked_##name(tree, path, &queue, &a.err));                     \
        return args_end(&a, "K", (unsigned long long)queue);                   \
    }

FIND(tree_find)
FIND(tree_find_draft)

CALL(tree_path)
{
    sked_tree *tree;
    uint64_t queue;
    size_t n = 0;
    char few[512], *text = few;
    READ("hQ", H_TREE, &tree, &queue);

    SHORT(a, sked_tree_path(tree, queue, few, sizeof few, &n));
    if (a.rc == SKED_ERR_RANGE) {
        text = PyMem_Malloc(n + 1);
        if (!text) {
            PyErr_NoMemory();
            return args_fail(&a);
        }
        SHORT(a, sked_tree_path(tree, queue, text, n + 1, &n));
    }
    PyObject *path = a.rc == SKED_OK
                         ? PyUnicode_FromStringAndSize(text, (Py_ssize_t)n)
                         : Py_NewRef(Py_None);
    if (text != few) PyMem_Free(text);
    return path ? args_end(&a, "N", path) : args_fail(&a);
}

CALL(tree_name)
{
    sked_tree *tree;
    uint64_t queue;
    READ("hQ", H_TREE, &tree, &queue);
    return args_end(&a, "z", sked_tree_name(tree, queue));
}

#define TREE_GET(name)                                                         \
    CALL(name)                                                                 \
    {                                                                          \
        sked_tree *tree;                                                       \
        uint64_t queue;                                                        \
        int32_t attribute;                                                     \
        int64_t value = 0;                                                     \
        READ("hQi", H_TREE, &tree, &queue, &attribute);                        \
        SHORT(a, sked_##name(tree, queue, attribute, &value));                 \
        return args_end(&a, "L", (long long)value);                            \
    }

TREE_GET(tree_get)
TREE_GET(tree_effective)

CALL(tree_get_vec)
{
    sked_tree *tree;
    uint64_t queue;
    int32_t attribute;
    READ("hQi", H_TREE, &tree, &queue, &attribute);
    size_t kinds = sked_schema_kinds(sked_tree_schema(tree));
    column *vec = args_column(&a, "q", 8, kinds, -1);
    if (!vec) return NULL;
    SHORT(a, sked_tree_get_vec(tree, queue, attribute, (int64_t *)vec->at));
    return args_end(&a, "O", vec);
}

CALL(tree_get_text)
{
    sked_tree *tree;
    uint64_t queue;
    int32_t attribute;
    READ("hQi", H_TREE, &tree, &queue, &attribute);
    return args_end(&a, "z", sked_tree_get_text(tree, queue, attribute));
}

CALL(tree_user_weight)
{
    sked_tree *tree;
    uint64_t queue;
    const char *user;
    int64_t weight = 0;
    READ("hQs", H_TREE, &tree, &queue, &user);
    SHORT(a, sked_tree_user_weight(tree, queue, user, &weight));
    return args_end(&a, "L", (long long)weight);
}

CALL(tree_column)
{
    sked_tree *tree;
    int32_t attribute;
    size_t n;
    READ("hi", H_TREE, &tree, &attribute);
    n = sked_tree_count(tree);
    column *out = args_column(&a, "q", 8, n, -1);
    if (!out) return NULL;
    RUN(a, sked_tree_column(tree, attribute, (int64_t *)out->at, n, &n));
    return args_end(&a, "O", out);
}

CALL(tree_column_vec)
{
    sked_tree *tree;
    int32_t attribute;
    uint32_t kind;
    int64_t capacity;
    size_t n;
    READ("hiuq", H_TREE, &tree, &attribute, &kind, &capacity);
    n = sked_tree_count(tree);
    column *out = args_column(&a, "q", 8, n, -1);
    if (!out) return NULL;
    RUN(a, sked_tree_column_vec(tree, attribute, kind, capacity,
                                (int64_t *)out->at, n, &n));
    return args_end(&a, "O", out);
}

CALL(tree_line)
{
    sked_tree *tree;
    uint64_t queue;
    uint32_t line = 0;
    READ("hQ", H_TREE, &tree, &queue);
    SHORT(a, sked_tree_line(tree, queue, &line));
    return args_end(&a, "I", (unsigned)line);
}

/* ---- Differences ---- */

CALL(diff_new)
{
    sked_tree *from, *to;
    host *h;
    sked_diff *diff = NULL;
    READ("hhx", H_TREE, &from, H_TREE, &to, &h);
    RUN(a, sked_diff_new(from, to, &h->c, &diff, &a.err));
    return args_handle(&a, H_DIFF, diff);
}

CALL(diff_get)
{
    sked_diff *diff;
    size_t i;
    STRUCT_WITH(sked_diff_change, change, 0);
    READ("hn", H_DIFF, &diff, &i);
    SHORT(a, sked_diff_get(diff, i, &change));
    return args_end(&a, "izzzz", (int)change.op, change.path, change.key,
                    change.before, change.after);
}

PyObject *diff_end(args *a, const sked_diff *diff)
{
    size_t n = 0;

    RUN(*a, sked_diff_format(diff, NULL, 0, &n));
    char *text = PyMem_Malloc(n + 1);
    if (!text) {
        PyErr_NoMemory();
        return args_fail(a);
    }
    RUN(*a, sked_diff_format(diff, text, n + 1, &n));
    PyObject *said = PyUnicode_FromStringAndSize(text, (Py_ssize_t)n);
    PyMem_Free(text);
    return said ? args_end(a, "N", said) : args_fail(a);
}

CALL(diff_format)
{
    sked_diff *diff;
    READ("h", H_DIFF, &diff);
    return diff_end(&a, diff);
}

CALL(diff_apply)
{
    sked_diff *diff;
    sked_tree *tree;
    sked_ledger *ledger;
    READ("hHo", H_DIFF, &diff, H_TREE, &tree, H_LEDGER, &ledger);
    RUN(a, sked_diff_apply(diff, tree, ledger, &a.err));
    return args_end(&a, "");
}

PyMethodDef diff_methods[] = {
    METHOD(tree_ids),         METHOD(tree_leaves),     METHOD(tree_children),
    METHOD(tree_rows),        METHOD(tree_row),        METHOD(tree_parent),
    METHOD(tree_find),        METHOD(tree_find_draft), METHOD(tree_path),
    METHOD(tree_name),        METHOD(tree_get_vec),    METHOD(tree_get_text),
    METHOD(tree_user_weight), METHOD(tree_column),     METHOD(tree_column_vec),
    METHOD(tree_line),        METHOD(diff_new),        METHOD(diff_get),
    METHOD(diff_format),      METHOD(diff_apply),      METHOD(tree_get),
    METHOD(tree_effective),   {NULL, NULL, 0, NULL},
};

/* ---- Life ---- */

CALL(tree_new)
{
    sked_schema *schema;
    host *h;
    sked_tree *tree = NULL;
    STRUCT_WITH(sked_tree_options, opts, 0);
    READ("hxuu", H_SCHEMA, &schema, &h, &opts.max_depth, &opts.max_queues);
    SHORT(a, sked_tree_new(schema, &opts, &h->c, &tree, &a.err));
    return args_handle(&a, H_TREE, tree);
}

CALL(tree_copy)
{
    sked_tree *tree, *copy = NULL;
    host *h;
    READ("hx", H_TREE, &tree, &h);
    RUN(a, sked_tree_copy(tree, &h->c, &copy, &a.err));
    return args_handle(&a, H_TREE, copy);
}

/* A copy of the schema: a handle of its own never points into another. */
CALL(tree_schema)
{
    sked_tree *tree;
    host *h;
    sked_schema *copy = NULL;
    READ("hx", H_TREE, &tree, &h);
    SHORT(a, sked_schema_copy(sked_tree_schema(tree), &h->c, &copy, &a.err));
    return args_handle(&a, H_SCHEMA, copy);
}

/* ---- Edits ---- */

CALL(tree_add)
{
    sked_tree *tree;
    uint64_t parent, id = 0;
    const char *name;
    READ("HQs", H_TREE, &tree, &parent, &name);
    SHORT(a, sked_tree_add(tree, parent, name, &id, &a.err));
    return args_end(&a, "K", (unsigned long long)id);
}

CALL(tree_remove)
{
    sked_tree *tree;
    sked_ledger *ledger;
    uint64_t queue;
    int32_t mode;
    READ("HQoi", H_TREE, &tree, &queue, H_LEDGER, &ledger, &mode);
    RUN(a, sked_tree_remove(tree, queue, ledger, mode, &a.err));
    return args_end(&a, "i", (int)a.rc);
}

CALL(tree_rename)
{
    sked_tree *tree;
    uint64_t queue;
    const char *name;
    READ("HQs", H_TREE, &tree, &queue, &name);
    SHORT(a, sked_tree_rename(tree, queue, name, &a.err));
    return args_end(&a, "");
}

CALL(tree_set_vec)
{
    sked_tree *tree;
    uint64_t queue;
    int32_t attribute;
    incol amounts;
    READ("HQiL", H_TREE, &tree, &queue, &attribute, &amounts);
    size_t kinds = sked_schema_kinds(sked_tree_schema(tree));
    if (!args_need(&a, &amounts, "amounts", kinds, 1)) return NULL;
    SHORT(a, sked_tree_set_vec(tree, queue, attribute, amounts.at, &a.err));
    return args_end(&a, "");
}

CALL(tree_set_text)
{
    sked_tree *tree;
    uint64_t queue;
    int32_t attribute;
    const char *text;
    READ("HQiz", H_TREE, &tree, &queue, &attribute, &text);
    SHORT(a, sked_tree_set_text(tree, queue, attribute, text, &a.err));
    return args_end(&a, "");
}

CALL(tree_set_user_weight)
{
    sked_tree *tree;
    uint64_t queue;
    const char *user;
    int64_t weight;
    READ("HQsq", H_TREE, &tree, &queue, &user, &weight);
    SHORT(a, sked_tree_set_user_weight(tree, queue, user, weight, &a.err));
    return args_end(&a, "");
}

CALL(tree_set_column)
{
    sked_tree *tree;
    int32_t attribute;
    incol queues, values;
    READ("HiKL", H_TREE, &tree, &attribute, &queues, &values);
    if (!args_need(&a, &values, "values", queues.n, 0)) return NULL;
    RUN(a, sked_tree_set_column(tree, attribute, queues.at, values.at, queues.n,
                                &a.err));
    return args_end(&a, "");
}

CALL(tree_set_column_vec)
{
    sked_tree *tree;
    int32_t attribute;
    incol queues, amounts;
    READ("HiKL", H_TREE, &tree, &attribute, &queues, &amounts);
    size_t kinds = sked_schema_kinds(sked_tree_schema(tree));
    if (!args_need(&a, &amounts, "amounts", queues.n * kinds, 0)) return NULL;
    RUN(a, sked_tree_set_column_vec(tree, attribute, queues.at, amounts.at,
                                    queues.n, &a.err));
    return args_end(&a, "");
}

/* ---- Faults ---- */

/* A fault as (code, severity, queue, got, limit, kind, attribute, line,
 * column, text). */
static PyObject *fault_value(const sked_tree *tree, const sked_fault *f)
{
    char text[1024] = "";

    if (sked_fault_format(tree, f, text, sizeof text, NULL) == SKED_ERR_ARG) {
        text[0] = 0;
    }
    PyObject *words = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text),
                                           "replace");
    return words ? Py_BuildValue("iiKLLiiIIN", (int)f->code, (int)f->severity,
                                 (unsigned long long)f->queue,
                                 (long long)f->got, (long long)f->limit,
                                 (int)f->kind, (int)f->attribute,
                                 (unsigned)f->line, (unsigned)f->column, words)
                 : NULL;
}

static PyObject *fault_list(const sked_tree *tree, const sked_fault *faults,
                            size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);

    for (size_t i = 0; list && i < n; i++) {
        PyObject *one = fault_value(tree, &faults[i]);
        if (one) PyList_SetItem(list, (Py_ssize_t)i, one);
        if (!one) Py_CLEAR(list);
    }
    return list;
}

CALL(tree_faults)
{
    sked_tree *tree;
    size_t n = 0;
    READ("h", H_TREE, &tree);

    SHORT(a, sked_tree_faults(tree, NULL, 0, &n));
    sked_fault *faults = PyMem_Calloc(n + 1, sizeof *faults);
    if (!faults) {
        PyErr_NoMemory();
        return args_fail(&a);
    }
    if (n) RUN(a, sked_tree_faults(tree, faults, n, &n));
    PyObject *list = a.rc == SKED_OK ? fault_list(tree, faults, n) : NULL;
    PyMem_Free(faults);
    return a.rc == SKED_OK && !list ? args_fail(&a) : args_end(&a, "N", list);
}

/* Its list of faults, and the error that goes with them. */
CALL(tree_parse)
{
    sked_tree *tree;
    const char *text, *file;
    size_t length, most, n = 0;
    READ("Htzn", H_TREE, &tree, &text, &length, &file, &most);

    if (most > 1000000) most = 1000000;
    sked_fault *faults = PyMem_Calloc(most + 1, sizeof *faults);
    if (!faults) {
        PyErr_NoMemory();
        return args_fail(&a);
    }
    RUN(a, sked_tree_parse(tree, text, length, file, faults, most, &n, &a.err));
    size_t kept = n < most ? n : most;
    PyObject *list = fault_list(tree, faults, kept);
    PyMem_Free(faults);
    if (!list) return args_fail(&a);
    if (a.rc == SKED_ERR_SYNTAX && kept > 0) a.rc = SKED_OK;
    return args_end(&a, "N", list);
}

CALL(fault_format)
{
    sked_tree *tree;
    sked_fault f;
    char text[1024];
    memset(&f, 0, sizeof f);
    READ("hiiQqqiiuu", H_TREE, &tree, &f.code, &f.severity, &f.queue, &f.got,
         &f.limit, &f.kind, &f.attribute, &f.line, &f.column);
    SHORT(a, sked_fault_format(tree, &f, text, sizeof text, NULL));
    return args_end(&a, "s", text);
}

CALL(tree_parse_schema)
{
    const char *text;
    size_t length;
    host *h;
    sked_schema *schema = NULL;
    READ("tx", &text, &length, &h);
    SHORT(a, sked_tree_parse_schema(text, length, &h->c, &schema, &a.err));
    return args_handle(&a, H_SCHEMA, schema);
}

CALL(tree_format)
{
    sked_tree *tree;
    size_t n = 0;
    READ("h", H_TREE, &tree);

    RUN(a, sked_tree_format(tree, NULL, 0, &n));
    char *text = PyMem_Malloc(n + 1);
    if (!text) {
        PyErr_NoMemory();
        return args_fail(&a);
    }
    RUN(a, sked_tree_format(tree, text, n + 1, &n));
    PyObject *bytes = PyBytes_FromStringAndSize(text, (Py_ssize_t)n);
    PyMem_Free(text);
    return bytes ? args_end(&a, "N", bytes) : args_fail(&a);
}

PyMethodDef tree_methods[] = {
    METHOD(tree_new),
    METHOD(tree_copy),
    METHOD(tree_schema),
    METHOD(tree_add),
    METHOD(tree_remove),
    METHOD(tree_rename),
    METHOD(tree_set_vec),
    METHOD(tree_set_text),
    METHOD(tree_set_user_weight),
    METHOD(tree_set_column),
    METHOD(tree_set_column_vec),
    METHOD(tree_faults),
    METHOD(tree_parse),
    METHOD(fault_format),
    METHOD(tree_parse_schema),
    METHOD(tree_format),
    {NULL, NULL, 0, NULL},
};
