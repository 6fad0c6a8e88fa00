#include "test.h"

#include <string.h>

#include <sched/sked.h>

#include "host.h"
#include "res/schema.h"

static sked_schema *parsed(const char *text)
{
    sked_schema *schema;

    assert_ok(sked_schema_parse(text, strlen(text), NULL, &schema, NULL));
    return schema;
}

static void arrays_make_a_schema(void **state)
{
    static const char *const names[] = {"cpu", "memory", "nvidia.com/gpu", "x"};
    static const char *const units[] = {"m", "B", "1", ""};
    sked_schema *schema;
    uint32_t kind = 9;
    (void)state;

    assert_ok(sked_schema_new(names, units, 4, NULL, &schema, NULL));
    assert_int_equal(sked_schema_kinds(schema), 4);
    assert_string_equal(sked_schema_name(schema, 2), "nvidia.com/gpu");
    assert_string_equal(sked_schema_unit(schema, 0), "m");
    assert_string_equal(sked_schema_unit(schema, 1), "B");
    assert_string_equal(sked_schema_unit(schema, 3), "1");
    assert_null(sked_schema_name(schema, 4));
    assert_null(sked_schema_unit(schema, 4));
    assert_ok(sked_schema_find(schema, "memoryX", 6, &kind));
    assert_int_equal(kind, 1);
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_schema_find(schema, "memory", 5, &kind));
    sked_schema_free(schema);

    assert_ok(sked_schema_new(names, NULL, 4, NULL, &schema, NULL));
    assert_string_equal(sked_schema_unit(schema, 1), "1");
    sked_schema_free(schema);
}

typedef struct bad_text {
    const char *text;
    sked_status rc;
    uint32_t column;
    int32_t kind;
    const char *message;
} bad_text;

static const bad_text bad_texts[] = {
    {"", SKED_ERR_RANGE, 0, -1, "no kinds"},
    {" \t ", SKED_ERR_RANGE, 0, -1, "no kinds"},
    {"=m", SKED_ERR_SYNTAX, 1, -1, "name=unit expected"},
    {"cpu=m ,", SKED_ERR_SYNTAX, 7, -1, "name=unit expected"},
    {"cpu=m;gpu", SKED_ERR_SYNTAX, 6, -1, "name=unit expected"},
    {"cpu=m\nmemory=B", SKED_ERR_SYNTAX, 6, -1, "name=unit expected"},
    {"cpu\177", SKED_ERR_SYNTAX, 4, -1, "name=unit expected"},
    {"cpu=q", SKED_ERR_ARG, 5, -1, "unit is none of m, B, 1"},
    {"cpu=mm", SKED_ERR_ARG, 5, -1, "unit is none of m, B, 1"},
    {"cpu=m cpu=B", SKED_ERR_EXISTS, 7, 1, "kind comes twice"},
};

static void bad_text_says_where_it_is_bad(void **state)
{
    int something;
    (void)state;

    for (size_t i = 0; i < sizeof bad_texts / sizeof *bad_texts; i++) {
        const bad_text *b = &bad_texts[i];
        sked_schema *schema = (void *)&something;
        sked_error err;
        assert_status(b->rc, sked_schema_parse(b->text, strlen(b->text), NULL,
                                               &schema, &err));
        assert_null(schema);
        assert_string_equal(err.message, b->message);
        assert_int_equal(err.column, b->column);
        assert_int_equal(err.line, b->column ? 1 : 0);
        assert_int_equal(err.kind, b->kind);
    }
}

static sked_status from_names(const char *const *names,
                              const char *const *units, size_t n,
                              sked_error *err)
{
    sked_schema *schema;
    sked_status rc = sked_schema_new(names, units, n, NULL, &schema, err);

    sked_schema_free(schema);
    return rc;
}

static void bad_arrays_say_which_kind_is_bad(void **state)
{
    static const char *const names[] = {"cpu", "a b", NULL, "cpu", "d"};
    static const char *const units[] = {"m", "q", NULL};
    char longest[SKED_KIND_NAME_MAX + 2];
    const char *const name = longest;
    sked_error err;
    (void)state;

    assert_status(SKED_ERR_ARG, from_names(names, NULL, 3, &err));
    assert_int_equal(err.kind, 1);
    assert_status(SKED_ERR_ARG, from_names(names + 2, NULL, 1, &err));
    assert_int_equal(err.kind, 0);
    assert_status(SKED_ERR_ARG, from_names(names + 3, units, 2, &err));
    assert_int_equal(err.kind, 1);
    assert_status(SKED_ERR_ARG, from_names(names + 3, units + 2, 1, &err));
    assert_status(SKED_ERR_RANGE, from_names(names, NULL, 0, &err));

    memset(longest, 'x', sizeof longest);
    longest[SKED_KIND_NAME_MAX + 1] = 0;
    assert_status(SKED_ERR_RANGE, from_names(&name, NULL, 1, &err));
    longest[SKED_KIND_NAME_MAX] = 0;
    assert_ok(from_names(&name, NULL, 1, &err));
}

static void there_are_at_most_32_kinds(void **state)
{
    char text[2][3 * 33];
    const char *names[33];
    sked_error err;
    (void)state;

    for (int i = 0; i < 33; i++) {
        char *name = &text[0][3 * i];
        name[0] = (char)('a' + i / 16);
        name[1] = (char)('a' + i % 16);
        name[2] = 0;
        names[i] = name;
    }
    assert_ok(from_names(names, NULL, 32, &err));
    assert_status(SKED_ERR_RANGE, from_names(names, NULL, 33, &err));
    assert_string_equal(err.message, "more than 32 kinds");
    assert_int_equal(err.kind, -1);
}

static void the_text_form_round_trips(void **state)
{
    sked_schema *schema = parsed("cpu=m  memory=B\tgpu=1 disk= tape");
    char text[64];
    size_t n;
    (void)state;

    assert_ok(sked_schema_format(schema, text, sizeof text, &n));
    assert_string_equal(text, "cpu=m memory=B gpu=1 disk=1 tape=1");
    assert_int_equal(n, strlen(text));
    assert_ok(sked_schema_format(schema, text, n + 1, NULL));
    assert_status(SKED_ERR_RANGE, sked_schema_format(schema, text, n, &n));
    assert_int_equal(n, 34);
    assert_status(SKED_ERR_RANGE, sked_schema_format(schema, NULL, 0, &n));

    sked_schema *again = parsed("cpu=m memory=B gpu=1 disk=1 tape=1");
    assert_ok(sked_schema_same(schema, again, NULL));
    sked_schema_free(again);
    sked_schema_free(schema);
}

static void a_difference_names_the_kind(void **state)
{
    static const char *const others[] = {"cpu=m memory=B", "cpu=m memory=1",
                                         "cpu=m mem=B gpu", "cpu=m"};
    static const char *const said[] = {NULL, "kind memory differs",
                                       "kind memory differs",
                                       "kind memory differs"};
    sked_schema *schema = parsed("cpu=m memory=B");
    sked_error err;
    (void)state;

    for (int i = 0; i < 4; i++) {
        sked_schema *other = parsed(others[i]);
        sked_status want = i ? SKED_ERR_SCHEMA : SKED_OK;
        assert_status(want, sked_schema_same(schema, other, &err));
        if (i) assert_string_equal(err.message, said[i]);
        if (i) assert_int_equal(err.kind, 1);
        sked_schema_free(other);
    }
    sked_schema *longer = parsed("cpu=m memory=B gpu");
    assert_status(SKED_ERR_SCHEMA, sked_schema_same(schema, longer, &err));
    assert_string_equal(err.message, "kind gpu differs");
    assert_int_equal(err.kind, 2);
    sked_schema_free(longer);
    sked_schema_free(schema);
}

static void null_is_an_argument_error(void **state)
{
    sked_schema *schema = parsed("cpu"), *out = schema;
    char text[8];
    uint32_t kind;
    (void)state;

    assert_status(SKED_ERR_ARG, sked_schema_new(NULL, NULL, 1, NULL, &out, 0));
    assert_null(out);
    assert_status(SKED_ERR_ARG, sked_schema_new(NULL, NULL, 1, NULL, NULL, 0));
    assert_status(SKED_ERR_ARG, sked_schema_parse(NULL, 0, NULL, &out, NULL));
    assert_status(SKED_ERR_ARG, sked_schema_parse("x", 1, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_schema_copy(NULL, NULL, &out, NULL));
    assert_status(SKED_ERR_ARG, sked_schema_copy(schema, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_schema_same(schema, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_schema_same(NULL, schema, NULL));
    assert_status(SKED_ERR_ARG, sked_schema_find(NULL, "x", 1, &kind));
    assert_status(SKED_ERR_ARG, sked_schema_find(schema, NULL, 1, &kind));
    assert_status(SKED_ERR_ARG, sked_schema_find(schema, "x", 1, NULL));
    assert_status(SKED_ERR_ARG, sked_schema_format(NULL, text, 8, NULL));
    assert_status(SKED_ERR_ARG, sked_schema_format(schema, NULL, 8, NULL));
    assert_int_equal(sked_schema_kinds(NULL), 0);
    assert_null(sked_schema_name(NULL, 0));
    assert_null(sked_schema_unit(NULL, 0));
    sked_schema_free(NULL);
    sked_schema_free(schema);
}

static void an_embedded_schema_has_no_host(void **state)
{
    sked_schema *schema = parsed("cpu=m memory=B");
    sked_schema inside;
    (void)state;

    skedi_schema_take(&inside, schema);
    sked_schema_free(schema);
    assert_int_equal(sked_schema_kinds(&inside), 2);
    assert_string_equal(sked_schema_name(&inside, 1), "memory");
    assert_null(inside.hooks.host.user);
}

/* Makes one each way; a failed call leaves no schema behind. */
static sked_status three_lives(test_host *h, void *arg)
{
    static const char *const names[] = {"cpu", "memory"};
    sked_host host = test_host_hooks(h);
    sked_schema *made, *read = NULL, *copy = NULL;
    (void)arg;

    sked_status rc = sked_schema_new(names, NULL, 2, &host, &made, NULL);
    if (rc == SKED_OK) {
        rc = sked_schema_parse("cpu memory", 10, &host, &read, NULL);
    }
    if (rc == SKED_OK) rc = sked_schema_copy(read, &host, &copy, NULL);
    if (rc == SKED_OK) rc = sked_schema_same(copy, made, NULL);
    size_t handles = (size_t)(made != NULL) + (read != NULL) + (copy != NULL);
    sked_schema_free(copy);
    sked_schema_free(read);
    sked_schema_free(made);
    assert_int_equal(h->released, handles);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_sweep(three_lives, NULL, 0);
}

static void an_unknown_host_is_refused(void **state)
{
    sked_host host = {.struct_size = 1};
    sked_schema *schema;
    sked_error err;
    (void)state;

    assert_status(SKED_ERR_VERSION,
                  sked_schema_parse("x", 1, &host, &schema, &err));
    assert_string_equal(err.message, "host has an unknown struct_size");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_make_a_schema),
        cmocka_unit_test(bad_text_says_where_it_is_bad),
        cmocka_unit_test(bad_arrays_say_which_kind_is_bad),
        cmocka_unit_test(there_are_at_most_32_kinds),
        cmocka_unit_test(the_text_form_round_trips),
        cmocka_unit_test(a_difference_names_the_kind),
        cmocka_unit_test(null_is_an_argument_error),
        cmocka_unit_test(an_embedded_schema_has_no_host),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(an_unknown_host_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
