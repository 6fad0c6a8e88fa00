/* Lives beside an engine: the states of its groups are those of the table, and
 * secrets come back at launch and are found in nothing that comes out. */
#include "engine_fixture.h"

#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>

/* ---- Groups ---- */

enum { NODE = 1, JOB = 1, ASK = 1, DEADLINE = 10 };

/* An engine that has proposed two tasks; the group that holds them. */
static uint64_t propose(engine_fixture *f)
{
    sked_engine_options o = {.struct_size = sizeof o,
                             .confirm_within_ns = DEADLINE};
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    size_t n;

    engine_begin(f, &o);
    engine_add_node(f, NODE, 0, 10, 10);
    engine_add_job(f, JOB, leaf, 1);
    assert_ok(engine_add_ask(f, ASK, JOB, 2, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, NODE));
    assert_ok(sked_engine_take(f->engine, f->last, 64, &n, NULL));
    for (size_t i = 0; i < n; i++) {
        if (f->last[i].kind == SKED_DECISION_ALLOCATE) return f->last[i].group;
    }
    fail_msg("nothing was proposed");
    return 0;
}

static sked_status tell_group(engine_fixture *f, uint64_t group, uint32_t event)
{
    switch (event) {
    case SKED_LIFE_EVENT_CONFIRM:
        return engine_tell(f, SKED_EVENT_TASK_CONFIRM, group);
    case SKED_LIFE_EVENT_REFUSE:
        return engine_tell(f, SKED_EVENT_TASK_REFUSE, group);
    case SKED_LIFE_EVENT_KILL:
        return engine_tell(f, SKED_EVENT_JOB_CANCEL, JOB);
    case SKED_LIFE_EVENT_LOSE:
        return engine_tell(f, SKED_EVENT_NODE_DOWN, NODE);
    case SKED_LIFE_EVENT_TIMEOUT:
        f->now = DEADLINE + 1;
        return engine_tell(f, SKED_EVENT_TICK, 0);
    default:
        return engine_say(f,
                          (sked_event){.kind = SKED_EVENT_TASK_FINISH,
                                       .key = group,
                                       .count = 2},
                          0, 0);
    }
}

static uint32_t state_of(const engine_fixture *f, uint64_t group)
{
    uint32_t state = SKED_LIFE_NONE;

    assert_ok(sked_engine_task_state(f->engine, group, &state));
    return state;
}

/* Which events make a state: 0 ends them. */
static const uint32_t ways[][3] = {
    {0},
    {SKED_LIFE_EVENT_CONFIRM},
    {SKED_LIFE_EVENT_KILL},
    {SKED_LIFE_EVENT_CONFIRM, SKED_LIFE_EVENT_KILL},
    {SKED_LIFE_EVENT_REFUSE},
};

static const uint32_t events[] = {
    SKED_LIFE_EVENT_CONFIRM, SKED_LIFE_EVENT_REFUSE,  SKED_LIFE_EVENT_KILL,
    SKED_LIFE_EVENT_LOSE,    SKED_LIFE_EVENT_TIMEOUT, SKED_LIFE_EVENT_END};

/* One event in one state, in an engine of its own. */
static void try_event(uint32_t state, uint32_t event)
{
    void *made;
    assert_int_equal(engine_setup(&made), 0);
    engine_fixture *f = made;
    const sked_life_table *t = sked_life_table_of(SKED_LIFE_TABLE_GROUP);
    sked_life_at at = {state, SKED_LIFE_NONE};
    sked_life_step step;
    uint64_t group = propose(f);
    sked_status legal = SKED_ERR_STATE;

    for (const uint32_t *way = ways[state]; *way; way++) {
        assert_ok(tell_group(f, group, *way));
    }
    assert_int_equal(state_of(f, group), state);
    for (uint32_t cause = 1; cause <= SKED_LIFE_CAUSE_TIMER; cause *= 2) {
        legal = sked_life_next(t, &at, event, cause, &step, NULL);
        if (legal == SKED_OK) break;
    }
    sked_status rc = tell_group(f, group, event);
    if (legal == SKED_OK) {
        assert_ok(rc);
        assert_int_equal(state_of(f, group), step.at.state);
    } else {
        assert_int_equal(state_of(f, group), state);
    }
    engine_teardown(&made);
}

static void the_states_of_groups_are_a_table(void **state)
{
    (void)state;
    for (uint32_t s = 0; s <= SKED_LIFE_STARTED_GONE; s++) {
        for (size_t e = 0; e < sizeof events / sizeof *events; e++) {
            try_event(s, events[e]);
        }
    }
}

static void states_of_what_is_not_there(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = propose(f);
    uint32_t s;

    assert_int_equal(state_of(f, group), SKED_LIFE_STARTED_PROPOSED);
    assert_int_equal(state_of(f, group + 1), SKED_LIFE_STARTED_GONE);
    assert_int_equal(state_of(f, 0), SKED_LIFE_STARTED_GONE);
    assert_status(SKED_ERR_ARG, sked_engine_task_state(NULL, group, &s));
    assert_status(SKED_ERR_ARG, sked_engine_task_state(f->engine, group, NULL));
}

/* ---- Secrets ---- */

enum { OUTPUT = 1 << 20, TASKS = 5 };

/* All that came out of the library. */
static struct {
    unsigned char bytes[OUTPUT];
    size_t n;
    size_t freed; /* blocks that were looked through before they went */
} out;

static const uint64_t every = UINT64_C(0xa5c3f00dd15ea5e1);
static const uint64_t own = UINT64_C(0xbadc0ffee0ddf00e);

static void put_out_bytes(const void *bytes, size_t n)
{
    assert_true(out.n + n <= OUTPUT);
    memcpy(out.bytes + out.n, bytes, n);
    out.n += n;
}

static int holds(const void *bytes, size_t n, const void *part, size_t m)
{
    for (size_t i = 0; i + m <= n; i++) {
        if (memcmp((const char *)bytes + i, part, m) == 0) return 1;
    }
    return 0;
}

/* Is the reference somewhere, as bytes of either order, or in digits? */
static int gives_away(const void *bytes, size_t n, uint64_t reference)
{
    char text[32];
    unsigned char little[8], big[8];

    for (int i = 0; i < 8; i++) {
        little[i] = (unsigned char)(reference >> 8 * i);
        big[7 - i] = little[i];
    }
    if (holds(bytes, n, little, 8) || holds(bytes, n, big, 8)) return 1;
    const char *const forms[] = {"%llu", "%lld", "%llx", "%llX", "%llo"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text, sizeof text, forms[i], (unsigned long long)reference);
#pragma GCC diagnostic pop
        if (holds(bytes, n, text, strlen(text))) return 1;
    }
    return 0;
}

/* Memory that goes back, or moves, holds no secret any more. */
static void *resize_and_look(void *user, void *ptr, size_t old, size_t size)
{
    (void)user;
    if (ptr && size < old) {
        const unsigned char *rest = (const unsigned char *)ptr + size;
        assert_false(gives_away(rest, old - size, every));
        assert_false(gives_away(rest, old - size, own));
        out.freed++;
    }
    if (!size) {
        free(ptr);
        return NULL;
    }
    void *block = malloc(size);
    if (block && ptr) memcpy(block, ptr, old < size ? old : size);
    if (block) free(ptr);
    return block;
}

static void log_line(void *user, int32_t level, const char *line)
{
    (void)user;
    (void)level;
    put_out_bytes(line, strlen(line));
}

static void note_trace(void *user, const sked_trace *record)
{
    (void)user;
    put_out_bytes(record, sizeof *record);
}

/* An engine's day: what was decided goes out; secrets come back where tasks
 * start. The digests of it. */
static void live_a_day(engine_fixture *f, sked_life_secrets *secrets,
                       uint64_t digest[2])
{
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_host host = {.struct_size = sizeof host,
                      .resize = resize_and_look,
                      .log = log_line,
                      .trace = note_trace,
                      .log_level = SKED_LOG_DEBUG};
    uint64_t reference[TASKS];
    uint32_t launched = 0;
    size_t n;

    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_engine_new(f->tree, NULL, &host, &f->engine, NULL));
    engine_add_node(f, NODE, 0, 10, 10);
    engine_add_job(f, JOB, leaf, 1);
    assert_ok(engine_add_ask(f, ASK, JOB, TASKS, 1, 1));
    assert_status(SKED_ERR_EXISTS, engine_add_ask(f, ASK, JOB, TASKS, 1, 1));
    put_out_bytes(&f->err, sizeof f->err);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, NODE));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, NODE));
    assert_ok(sked_engine_take(f->engine, f->last, 64, &n, NULL));
    put_out_bytes(f->last, n * sizeof *f->last);
    for (size_t i = 0; secrets && i < n; i++) {
        const sked_decision *d = &f->last[i];
        if (d->kind != SKED_DECISION_ALLOCATE) continue;
        assert_ok(sked_life_secrets_launch(secrets, d->job, (uint64_t)d->task,
                                           (size_t)d->count, reference, NULL));
        for (int64_t k = 0; k < d->count; k++) {
            assert_true(reference[k] == (d->task + k == 3 ? own : every));
            launched++;
        }
    }
    if (secrets) assert_int_equal(launched, TASKS);
    digest[0] = sked_engine_digest(f->engine);
    digest[1] = sked_engine_state_digest(f->engine);
    put_out_bytes(digest, 2 * sizeof *digest);
}

/* What lives say of themselves goes out too. */
static void say_lives(sked_life_secrets *secrets)
{
    char text[16384];
    uint8_t bytes[1024];
    const uint64_t from[] = {1, 1}, to[] = {2, 2};
    uint64_t reference;
    size_t n;
    sked_error err;
    sked_life_update_input in = {
        .struct_size = sizeof in, .from = from, .to = to, .n = 2};
    sked_life_update *u = NULL;

    for (uint32_t t = SKED_LIFE_TABLE_QUEUED; t <= SKED_LIFE_TABLE_GROUP; t++) {
        assert_ok(sked_life_format(sked_life_table_of(t), text, sizeof text, &n,
                                   NULL));
        put_out_bytes(text, n);
    }
    assert_ok(sked_life_update_new(&in, NULL, NULL, &u, NULL));
    assert_ok(sked_life_update_save(u, bytes, sizeof bytes, &n, NULL));
    put_out_bytes(bytes, n);
    sked_life_update_free(u);
    memset(&err, 0, sizeof err);
    assert_status(SKED_ERR_RANGE,
                  sked_life_secrets_launch(secrets, JOB, UINT64_MAX - 1, 2,
                                           &reference, &err));
    put_out_bytes(&err, sizeof err);
}

static void secrets_come_back_and_are_in_no_output(void **state)
{
    void *made;
    uint64_t with[2], without[2];
    sked_life_secrets *secrets = NULL;
    sked_host host = {.struct_size = sizeof host, .resize = resize_and_look};
    (void)state;

    out.n = out.freed = 0;
    assert_ok(sked_life_secrets_new(&host, &secrets, NULL));
    for (uint64_t job = 100; job < 200; job++) { /* so that its memory grows */
        assert_ok(sked_life_secrets_set(secrets, job, SKED_LIFE_EVERY_TASK,
                                        every, NULL));
    }
    assert_ok(
        sked_life_secrets_set(secrets, JOB, SKED_LIFE_EVERY_TASK, every, NULL));
    assert_ok(sked_life_secrets_set(secrets, JOB, 3, own, NULL));
    assert_int_equal(engine_setup(&made), 0);
    live_a_day(made, secrets, with);
    engine_teardown(&made);
    say_lives(secrets);
    sked_life_secrets_forget(secrets, JOB);
    sked_life_secrets_free(secrets);
    assert_true(out.n > 4000);
    assert_true(out.freed > 10);
    assert_false(gives_away(out.bytes, out.n, every));
    assert_false(gives_away(out.bytes, out.n, own));

    assert_int_equal(engine_setup(&made), 0);
    live_a_day(made, NULL, without);
    engine_teardown(&made);
    assert_memory_equal(with, without, sizeof with); /* in no digest either */

    put_out_bytes(&own, sizeof own); /* it would have been found */
    assert_true(gives_away(out.bytes, out.n, own));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_states_of_groups_are_a_table),
        engine_case(states_of_what_is_not_there),
        cmocka_unit_test(secrets_come_back_and_are_in_no_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
