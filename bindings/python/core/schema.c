/* Schemas, and amounts and vectors as text: <sched/res.h>. */
#include "core.h"

CALL(schema_new)
{
    const char *name[SKED_MAX_KINDS], *unit[SKED_MAX_KINDS];
    PyObject *names, *units;
    host *h;
    sked_schema *schema = NULL;
    READ("OOx", &names, &units, &h);

    Py_ssize_t n = PySequence_Size(names), m = PySequence_Size(units);
    if (n < 0 || m < 0) return args_fail(&a);
    if (n != m) {
        PyErr_SetString(PyExc_ValueError, "a unit for each name");
        return args_fail(&a);
    }
    for (Py_ssize_t i = 0; i < n && i < SKED_MAX_KINDS; i++) {
        PyObject *a_name = PySequence_GetItem(names, i);
        PyObject *a_unit = PySequence_GetItem(units, i);
        name[i] = a_name ? PyUnicode_AsUTF8AndSize(a_name, NULL) : NULL;
        unit[i] = a_unit ? PyUnicode_AsUTF8AndSize(a_unit, NULL) : NULL;
        Py_XDECREF(a_name); /* the sequence holds them */
        Py_XDECREF(a_unit);
        if (!name[i] || !unit[i]) return args_fail(&a);
    }
    SHORT(a, sked_schema_new(name, unit, (size_t)n, &h->c, &schema, &a.err));
    return args_handle(&a, H_SCHEMA, schema);
}

CALL(schema_parse)
{
    const char *text;
    size_t length;
    host *h;
    sked_schema *schema = NULL;
    READ("tx", &text, &length, &h);
    SHORT(a, sked_schema_parse(text, length, &h->c, &schema, &a.err));
    return args_handle(&a, H_SCHEMA, schema);
}

CALL(schema_copy)
{
    sked_schema *schema, *copy = NULL;
    host *h;
    READ("hx", H_SCHEMA, &schema, &h);
    SHORT(a, sked_schema_copy(schema, &h->c, &copy, &a.err));
    return args_handle(&a, H_SCHEMA, copy);
}

CALL(schema_name)
{
    sked_schema *schema;
    uint32_t kind;
    READ("hu", H_SCHEMA, &schema, &kind);
    return args_end(&a, "z", sked_schema_name(schema, kind));
}

CALL(schema_unit)
{
    sked_schema *schema;
    uint32_t kind;
    READ("hu", H_SCHEMA, &schema, &kind);
    return args_end(&a, "z", sked_schema_unit(schema, kind));
}

CALL(schema_find)
{
    sked_schema *schema;
    const char *name;
    size_t length;
    uint32_t kind = 0;
    READ("ht", H_SCHEMA, &schema, &name, &length);
    SHORT(a, sked_schema_find(schema, name, length, &kind));
    return args_end(&a, "I", kind);
}

CALL(schema_format)
{
    sked_schema *schema;
    char text[SKED_MAX_KINDS * (SKED_KIND_NAME_MAX + 4)];
    size_t length = 0;
    READ("h", H_SCHEMA, &schema);
    SHORT(a, sked_schema_format(schema, text, sizeof text, &length));
    return args_end(&a, "s#", text, (Py_ssize_t)length);
}

/* ---- Text ---- */

CALL(amount_parse)
{
    const char *unit, *text;
    size_t length;
    int32_t rounding;
    int64_t amount = 0;
    READ("sti", &unit, &text, &length, &rounding);
    SHORT(a, sked_amount_parse(unit, text, length, rounding, &amount, &a.err));
    return args_end(&a, "L", (long long)amount);
}

CALL(amount_format)
{
    const char *unit;
    int64_t amount;
    int32_t form;
    char text[SKED_AMOUNT_TEXT_MAX];
    READ("sqi", &unit, &amount, &form);
    SHORT(a, sked_amount_format(unit, amount, form, text));
    return args_end(&a, "s", text);
}

CALL(vec_parse)
{
    sked_schema *schema;
    const char *text;
    size_t length;
    int64_t missing;
    READ("htq", H_SCHEMA, &schema, &text, &length, &missing);

    column *vec = args_column(&a, "q", 8, sked_schema_kinds(schema), -1);
    if (!vec) return NULL;
    SHORT(a, sked_vec_parse(schema, text, length, missing, (int64_t *)vec->at,
                            &a.err));
    return args_end(&a, "O", vec);
}

CALL(vec_format)
{
    sked_schema *schema;
    incol vec;
    int32_t form;
    char text[SKED_MAX_KINDS * (SKED_KIND_NAME_MAX + SKED_AMOUNT_TEXT_MAX)];
    size_t length = 0;
    READ("hLi", H_SCHEMA, &schema, &vec, &form);
    if (!args_need(&a, &vec, "vec", sked_schema_kinds(schema), 0)) return NULL;
    SHORT(a, sked_vec_format(schema, vec.at, form, text, sizeof text, &length));
    return args_end(&a, "s#", text, (Py_ssize_t)length);
}

PyMethodDef schema_methods[] = {
    METHOD(schema_new),    METHOD(schema_parse), METHOD(schema_copy),
    METHOD(schema_name),   METHOD(schema_unit),  METHOD(schema_find),
    METHOD(schema_format), METHOD(amount_parse), METHOD(amount_format),
    METHOD(vec_parse),     METHOD(vec_format),   {NULL, NULL, 0, NULL},
};
