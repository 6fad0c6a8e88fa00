#ifndef TEST_TREE_FAULTS_H
#define TEST_TREE_FAULTS_H

/* The faults of a tree, one at a time. */

#include "tree_fixture.h"
#include "tree/handle.h"

enum { MOST = 64 };

static inline size_t faults(tree_fixture *f, sked_fault *list)
{
    size_t n;

    assert_ok(sked_tree_faults(f->tree, list, MOST, &n));
    return n;
}

/* The draft has this one fault and no other; an error is refused. */
static inline void only_fault(tree_fixture *f, int32_t severity,
                              sked_fault want)
{
    sked_fault list[MOST];
    sked_error err;

    assert_int_equal(faults(f, list), 1);
    assert_int_equal(list[0].code, want.code);
    assert_int_equal(list[0].severity, severity);
    assert_true(list[0].queue == want.queue);
    assert_int_equal(list[0].kind, want.kind);
    assert_int_equal(list[0].attribute, want.attribute);
    assert_i64(list[0].got, want.got);
    assert_i64(list[0].limit, want.limit);

    uint64_t before = sked_tree_digest(f->tree);
    if (severity == SKED_SEVERITY_ERROR) {
        assert_status(SKED_ERR_INVALID,
                      sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, &err));
        assert_true(err.queue == want.queue);
        assert_i64(err.got, want.got);
        assert_i64(err.limit, want.limit);
        assert_true(sked_tree_digest(f->tree) == before);
        assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, &err));
    } else {
        assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, &err));
    }
}

#endif
