/* Handles, and the module. See core.h. */
#include "core.h"

#include <string.h>

PyTypeObject *handle_type;
PyObject *make_error, *make_column;

static const char *const kind_names[H_KINDS] = {
    "schema",   "tree",          "diff",    "ledger", "share",   "drf",
    "hdrf",     "order",         "engine",  "sim",    "history", "plan",
    "target",   "round",         "router",  "advice", "audit",   "batch_run",
    "locality", "live locality", "secrets", "timeline", "update"};

/* ---- Handles ---- */

void handle_drop(int kind, void *at)
{
    switch (kind) {
    case H_SCHEMA: sked_schema_free(at); break;
    case H_TREE: sked_tree_free(at); break;
    case H_DIFF: sked_diff_free(at); break;
    case H_LEDGER: sked_ledger_free(at); break;
    case H_SHARE: sked_share_free(at); break;
    case H_DRF: sked_drf_free(at); break;
    case H_HDRF: sked_hdrf_free(at); break;
    case H_ORDER: sked_order_free(at); break;
    case H_ENGINE: sked_engine_free(at); break;
    case H_SIM: sked_sim_free(at); break;
    case H_HISTORY: sked_history_free(at); break;
    case H_PLAN: sked_plan_free(at); break;
    case H_TARGET: sked_target_free(at); break;
    case H_ROUND: sked_round_free(at); break;
    case H_ROUTER: sked_route_free(at); break;
    case H_ADVICE: sked_advice_free(at); break;
    case H_AUDIT: sked_audit_free(at); break;
    case H_BATCH_RUN: sked_batch_run_free(at); break;
    case H_TIMELINE: sked_timeline_free(at); break;
    case H_LOCALITY: sked_locality_free(at); break;
    case H_LOCALITY_LIVE: sked_locality_live_free(at); break;
    case H_LIFE_SECRETS: sked_life_secrets_free(at); break;
    case H_LIFE_UPDATE: sked_life_update_free(at); break;
    default: break;
    }
}

static void handle_shut(handle *h)
{
    handle_drop(h->kind, h->at);
    h->at = NULL;
    host_free(h->hooks);
    h->hooks = NULL;
}

/* What hooks hold may hold the handle in turn. */
static int handle_traverse(handle *h, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)h));
    for (int i = 0; h->hooks && i < HOOKS; i++) Py_VISIT(h->hooks->hook[i]);
    if (h->hooks) Py_VISIT(h->hooks->error);
    return 0;
}

static int handle_clear(handle *h)
{
    handle_shut(h);
    return 0;
}

static void handle_dealloc(handle *h)
{
    PyTypeObject *type = Py_TYPE((PyObject *)h);

    PyObject_GC_UnTrack(h);
    handle_shut(h);
    PyObject_GC_Del(h);
    Py_DECREF(type);
}

static PyObject *handle_repr(handle *h)
{
    return PyUnicode_FromFormat("<%s handle%s>", kind_names[h->kind],
                                h->at ? "" : ", closed");
}

static PyType_Slot handle_slots[] = {
    {Py_tp_dealloc, (void *)handle_dealloc},
    {Py_tp_traverse, (void *)handle_traverse},
    {Py_tp_clear, (void *)handle_clear},
    {Py_tp_repr, (void *)handle_repr},
    {Py_tp_doc, "What owns one object of the library."},
    {0, NULL},
};

static PyType_Spec handle_spec = {
    .name = "sked._core.Handle",
    .basicsize = sizeof(handle),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
             Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = handle_slots,
};

/* 1 when the handle may be used so; else an exception. */
int handle_take(handle *h, int kind, int writes)
{
    if (!Py_IS_TYPE((PyObject *)h, handle_type) || h->kind != kind) {
        PyErr_Format(PyExc_TypeError, "needs a %s", kind_names[kind]);
    } else if (!h->at) {
        PyErr_Format(PyExc_ValueError, "the %s is closed", kind_names[kind]);
    } else if (h->users < 0 || (writes && h->users > 0)) {
        PyErr_Format(PyExc_RuntimeError,
                     "the %s is in use by another call that runs",
                     kind_names[kind]);
    } else if (writes && h->exports > 0) {
        PyErr_Format(PyExc_BufferError,
                     "the %s cannot change while a view into it lives",
                     kind_names[kind]);
    } else {
        h->users = writes ? -1 : h->users + 1;
        Py_INCREF((PyObject *)h);
        return 1;
    }
    return 0;
}

void handle_leave(handle *h)
{
    h->users = h->users < 0 ? 0 : h->users - 1;
    Py_DECREF((PyObject *)h);
}

/* ---- The module ---- */

CALL(setup)
{
    (void)module;
    if (argc != 2) {
        PyErr_SetString(PyExc_TypeError, "needs 2 arguments");
        return NULL;
    }
    Py_XDECREF(make_error);
    Py_XDECREF(make_column);
    make_error = Py_NewRef(argv[0]);
    make_column = Py_NewRef(argv[1]);
    Py_RETURN_NONE;
}

CALL(shut)
{
    handle *h = (handle *)(argc == 1 ? argv[0] : NULL);

    (void)module;
    if (!h || !Py_IS_TYPE((PyObject *)h, handle_type)) {
        PyErr_SetString(PyExc_TypeError, "needs a handle");
        return NULL;
    }
    if (!h->at) Py_RETURN_NONE;
    if (!handle_take(h, h->kind, 1)) return NULL;
    handle_shut(h);
    handle_leave(h);
    Py_RETURN_NONE;
}

CALL(memory)
{
    handle *h = (handle *)(argc == 1 ? argv[0] : NULL);

    (void)module;
    if (!h || !Py_IS_TYPE((PyObject *)h, handle_type) || !h->hooks) {
        PyErr_SetString(PyExc_TypeError, "needs a handle that is open");
        return NULL;
    }
    return Py_BuildValue("KK", (unsigned long long)h->hooks->live,
                         (unsigned long long)h->hooks->requests);
}

/* From now on the requests from `first` to `last` fail, counted from here. */
CALL(fail_memory)
{
    uint64_t first, last;
    handle *h = (handle *)(argc == 3 ? argv[0] : NULL);

    (void)module;
    if (!h || !Py_IS_TYPE((PyObject *)h, handle_type) || !h->hooks) {
        PyErr_SetString(PyExc_TypeError, "needs a handle that is open");
        return NULL;
    }
    if (!read_unsigned(argv[1], UINT64_MAX, &first) ||
        !read_unsigned(argv[2], UINT64_MAX, &last)) {
        return NULL;
    }
    h->hooks->requests = 0;
    h->hooks->fail_at = first;
    h->hooks->fail_until = last;
    Py_RETURN_NONE;
}

CALL(status_name)
{
    int32_t code;
    READ("i", &code);
    return args_end(&a, "s", sked_status_name(code));
}

CALL(version)
{
    READ("");
    return args_end(&a, "I", (unsigned)sked_version());
}

CALL(reason_name)
{
    int32_t reason;
    READ("i", &reason);
    return args_end(&a, "s", sked_reason_name(reason));
}

static PyMethodDef core_methods[] = {
    METHOD(setup),
    METHOD(shut),
    METHOD(memory),
    METHOD(fail_memory),
    METHOD(status_name),
    METHOD(version),
    METHOD(reason_name),
    {"arrow", (PyCFunction)(void (*)(void))columns_arrow, METH_FASTCALL, 0},
    {"from_arrow", (PyCFunction)(void (*)(void))columns_from_arrow,
     METH_FASTCALL, 0},
    {"rebuild", (PyCFunction)(void (*)(void))columns_rebuild, METH_FASTCALL, 0},
    {NULL, NULL, 0, NULL},
};

/* What the library was compiled as, beside what it says it is. */
static int add_facts(PyObject *module)
{
    if (sked_version() != SKED_VERSION) {
        PyErr_SetString(PyExc_ImportError,
                        "headers and library are of two versions");
        return -1;
    }
    return PyModule_AddIntConstant(module, "VERSION", SKED_VERSION);
}

static int exec_module(PyObject *module)
{
    PyMethodDef *const all[] = {
        core_methods,        plain_methods,       round_methods,
        advice_methods,      schema_methods,      vec_methods,
        tree_methods,        drf_rows_methods,    ledger_methods,
        share_methods,       drf_methods,         hdrf_methods,
        order_methods,       engine_methods,      sim_methods,
        plan_methods,        history_methods,     tiers_methods,
        diff_methods,        preempt_methods,     target_methods,
        route_methods,       report_methods,      admit_methods,
        batch_methods,       locality_methods,    life_methods,
        life_policy_methods, life_update_methods, states_methods,
        rule_methods,        audit_methods,       timeline_methods};

    if (handle_type) {
        PyErr_SetString(PyExc_ImportError,
                        "sked can be loaded once in a process");
        return -1;
    }
    handle_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &handle_spec,
                                                           NULL);
    if (!handle_type || PyModule_AddType(module, handle_type) < 0) return -1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (PyModule_AddFunctions(module, all[i]) < 0) return -1;
    }
    if (columns_add(module) < 0) return -1;
    return add_facts(module);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)exec_module},
    {0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sked._core",
    .m_doc = "The library, function by function; see package sked.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&module_def);
}
