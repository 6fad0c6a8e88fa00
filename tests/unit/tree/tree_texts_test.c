/* The store of texts, and the lists of users' weights that lie in it. */
#include "test.h"

#include <string.h>

#include "host.h"
#include "tree/attr.h"
#include "tree/texts.h"
#include "tree/users.h"

static void texts_stay_where_they_are(void **state)
{
    test_host h = {0};
    skedi_mem mem = test_host_mem(&h);
    skedi_texts texts = {0};
    const char *held[64];
    char text[] = "a text of its own 00";

    (void)state;
    for (int i = 0; i < 64; i++) {
        text[18] = (char)('0' + i / 10);
        text[19] = (char)('0' + i % 10);
        assert_true(skedi_texts_ensure(&texts, &mem, sizeof text));
        held[i] = skedi_text_at(&texts,
                                skedi_texts_put(&texts, text, sizeof text));
    }
    for (int i = 0; i < 64; i++) {
        assert_int_equal(held[i][18], '0' + i / 10);
        assert_int_equal(held[i][19], '0' + i % 10);
    }
    assert_string_equal(skedi_text_at(&texts, 0), "");
    skedi_texts_free(&texts, &mem);
    assert_int_equal(h.live, 0);
}

static void what_came_after_a_mark_is_cut_off(void **state)
{
    test_host h = {0};
    skedi_mem mem = test_host_mem(&h);
    skedi_texts texts = {0};

    (void)state;
    assert_true(skedi_texts_ensure(&texts, &mem, 4));
    skedi_text kept = skedi_texts_put(&texts, "one", 4);
    skedi_text_mark mark = skedi_texts_mark(&texts);
    assert_true(skedi_texts_ensure(&texts, &mem, 5000));
    skedi_text cut = skedi_texts_put(&texts, "two", 4);

    assert_false(skedi_texts_after(kept, mark));
    assert_true(skedi_texts_after(cut, mark));
    skedi_texts_cut(&texts, mark);
    assert_int_equal(skedi_texts_used(&texts), 5); /* with the empty text */
    assert_true(skedi_texts_spare(&texts) >= 5000);
    h.trap = 1; /* the room is still there */
    assert_true(skedi_texts_ensure(&texts, &mem, 5000));
    h.trap = 0;
    skedi_texts_free(&texts, &mem);
    assert_int_equal(h.live, 0);
}

static void a_text_that_no_chunk_holds_is_refused(void **state)
{
    test_host h = {0};
    skedi_mem mem = test_host_mem(&h);
    skedi_texts texts = {0};

    (void)state;
    assert_false(skedi_texts_ensure(&texts, &mem, SKEDI_TEXT_SPARE));
    texts.n = SKEDI_TEXT_CHUNKS; /* all of them there, none with room */
    assert_false(skedi_texts_ensure(&texts, &mem, 1));
    assert_int_equal(h.requests, 0);
}

static void users_come_by_name(void **state)
{
    static const char *const names[] = {"mia", "bo", "zoe", "al", "mi"};
    static const char *const sorted[] = {"al", "bo", "mi", "mia", "zoe"};
    char lists[2][128];
    const char *list = NULL, *user;
    uint32_t weight;
    size_t at = 0, n = 0;

    (void)state;
    for (int i = 0; i < 5; i++) {
        char *to = lists[i & 1];
        assert_in_range(skedi_users_size_with(list, names[i], 7 + i), 1, 128);
        skedi_users_write(to, list, names[i], 7 + i);
        list = to;
    }
    while (skedi_users_next(list, &at, &user, &weight)) {
        assert_string_equal(user, sorted[n++]);
        assert_i64(weight, skedi_users_find(list, user));
    }
    assert_int_equal(n, 5);
    assert_i64(skedi_users_find(list, "m"), -1);
    at = 0;
    assert_false(skedi_users_next(NULL, &at, &user, &weight));
    assert_int_equal(skedi_users_size_with(NULL, "x", -1), 0);
}

static void the_table_of_attributes_stands_in_order(void **state)
{
    int32_t before = 0;

    (void)state;
    for (size_t i = 0; i < SKEDI_ATTRS; i++) {
        const skedi_attr *attr = skedi_attr_at(i);
        assert_true(attr->id > before);
        assert_true(attr->name[0]);
        assert_ptr_equal(skedi_attr_of(attr->id, attr->shape), attr);
        before = attr->id;
    }
    assert_int_equal(
        skedi_attr_index(skedi_attr_of(SKED_QUEUE_LABEL, SKEDI_SHAPE_TEXT)), 0);
    assert_null(skedi_attr_of(SKED_QUEUE_LABEL + 1, SKEDI_SHAPE_TEXT));
    assert_null(skedi_attr_of(SKED_QUEUE_WEIGHT, SKEDI_SHAPE_TEXT));
    assert_null(skedi_attr_of(SKED_QUEUE_WEIGHT, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_stay_where_they_are),
        cmocka_unit_test(what_came_after_a_mark_is_cut_off),
        cmocka_unit_test(a_text_that_no_chunk_holds_is_refused),
        cmocka_unit_test(users_come_by_name),
        cmocka_unit_test(the_table_of_attributes_stands_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
